/* Writing HDF5 files. Nothing gets a time stamp: the same content gives the same bytes. */
#include "io/hdf5/hdf5_write.h"

#include "io/hdf5/hdf5_driver.h"
#include "io/hdf5/quiet.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    IMAGE_STEP = 65536,  /* bytes by which a file in memory grows                       */
    CHUNK_COLUMNS = 512, /* a chunk is a block of rows of so many columns: 1 MB at most */
    CACHE_SLOTS = 521,
    CACHE_BYTES = 8 << 20
};

static const unsigned in_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

/* ---- files and groups ---------------------------------------------------------------------------------- */

static hid_t ordered_group_properties(hid_t class_id)
{
    hid_t list = H5Pcreate(class_id);
    H5Pset_obj_track_times(list, false);
    H5Pset_link_creation_order(list, in_order);
    H5Pset_attr_creation_order(list, in_order);
    return list;
}

int64_t tp_hdf5_create_file(const char *path, int *error)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = ordered_group_properties(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    bool is_driven = tp_hdf5_driver_set(access, error);
    hid_t file = is_driven ? H5Fcreate(path, H5F_ACC_TRUNC, creation, access) : H5I_INVALID_HID;
    H5Pclose(access);
    H5Pclose(creation);
    return file;
}

bool tp_hdf5_start_swmr(int64_t file)
{
    return H5Fstart_swmr_write(file) >= 0;
}

bool tp_hdf5_flush(int64_t object)
{
    bool is_file = H5Iget_type(object) == H5I_FILE;
    return (is_file ? H5Fflush(object, H5F_SCOPE_LOCAL) : H5Dflush(object)) >= 0;
}

bool tp_hdf5_close(int64_t object)
{
    if (object < 0) return true;
    return (H5Iget_type(object) == H5I_FILE ? H5Fclose(object) : H5Oclose(object)) >= 0;
}

static hid_t create_image(const void *key)
{
    char name[64]; /* its own: the core driver takes files of the same name for the same file */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    snprintf(name, sizeof name, "/dev/null/tippe-%p", key);
    if (H5Pset_fapl_core(access, IMAGE_STEP, 0) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static bool copy_image(tp_arena *arena, hid_t file, void **bytes_out, size_t *count_out)
{
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t count = H5Fget_file_image(file, NULL, 0);
    *bytes_out = count > 0 ? tp_arena_take(arena, (size_t)count, 1) : NULL;
    *count_out = (size_t)count;
    return *bytes_out && H5Fget_file_image(file, *bytes_out, (size_t)count) == count;
}

tp_status tp_hdf5_make_image(tp_arena *arena, tp_hdf5_filler *fill, void *self, void **bytes_out,
                             size_t *count_out, tp_message *why)
{
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    hid_t file = create_image(&quiet);
    tp_status status = file >= 0 ? fill(self, file) : TP_OK;
    bool is_made = status != TP_OK || (file >= 0 && copy_image(arena, file, bytes_out, count_out));
    tp_hdf5_close(file);
    tp_hdf5_quiet_leave(&quiet);
    return is_made ? status : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an HDF5 file");
}

int64_t tp_hdf5_add_group(int64_t place, const char *name, bool is_ordered)
{
    hid_t list = is_ordered ? ordered_group_properties(H5P_GROUP_CREATE) : H5P_DEFAULT;
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, list, H5P_DEFAULT);
    if (is_ordered) H5Pclose(list);
    return group;
}

bool tp_hdf5_has(int64_t place, const char *name)
{
    return H5Lexists(place, name, H5P_DEFAULT) > 0;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* How values lie in the file and in memory, and how many there are. */
typedef struct value_form {
    hid_t in_file, in_memory, space;
} value_form;

static hid_t copy_type(tp_hdf5_type type, bool is_in_file, const void *values)
{
    switch (type) {
    case TP_HDF5_INT: return H5Tcopy(is_in_file ? H5T_STD_I32LE : H5T_NATIVE_INT);
    case TP_HDF5_LONG: return H5Tcopy(is_in_file ? H5T_STD_I64LE : H5T_NATIVE_LLONG);
    case TP_HDF5_REAL: return H5Tcopy(is_in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE);
    case TP_HDF5_TEXT:
    case TP_HDF5_ASCII:
    case TP_HDF5_WORDS: break;
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, type == TP_HDF5_WORDS ? H5T_VARIABLE : strlen(values) + 1);
    if (type != TP_HDF5_ASCII) H5Tset_cset(text, H5T_CSET_UTF8);
    return text;
}

static value_form form_of(tp_hdf5_type type, int count, const void *values)
{
    bool is_single = count == TP_HDF5_SINGLE || type == TP_HDF5_TEXT || type == TP_HDF5_ASCII;
    hsize_t size = (hsize_t)count;
    return (value_form){.in_file = copy_type(type, true, values),
                        .in_memory = copy_type(type, false, values),
                        .space = is_single ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL)};
}

static void release(const value_form *form)
{
    H5Tclose(form->in_file);
    H5Tclose(form->in_memory);
    H5Sclose(form->space);
}

bool tp_hdf5_add_attribute(int64_t object, const char *name, tp_hdf5_type type, int count, const void *values)
{
    value_form form = form_of(type, count, values);
    hid_t attribute = H5Acreate2(object, name, form.in_file, form.space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_written = attribute >= 0 && H5Awrite(attribute, form.in_memory, values) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    release(&form);
    return is_written;
}

/* A data set with its values; one that is rewritten keeps the place it gets now. */
static hid_t make_data(hid_t place, const char *name, const value_form *form, bool is_rewritten,
                       const void *values)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    if (is_rewritten) H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    hid_t data = H5Dcreate2(place, name, form->in_file, form->space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool is_written =
        data >= 0 && (H5Sget_simple_extent_npoints(form->space) == 0 ||
                      H5Dwrite(data, form->in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Pclose(creation);
    release(form);
    if (is_written) return data;
    tp_hdf5_close(data);
    return H5I_INVALID_HID;
}

int64_t tp_hdf5_open_data(int64_t place, const char *name, tp_hdf5_type type, int count, const void *values)
{
    value_form form = form_of(type, count, values);
    return make_data(place, name, &form, true, values);
}

bool tp_hdf5_add_data(int64_t place, const char *name, tp_hdf5_type type, int count, const void *values)
{
    value_form form = form_of(type, count, values);
    hid_t data = make_data(place, name, &form, false, values);
    return data >= 0 && tp_hdf5_close(data);
}

bool tp_hdf5_rewrite(int64_t data, tp_hdf5_type type, const void *values)
{
    hid_t in_memory = copy_type(type, false, values);
    bool is_written = H5Dwrite(data, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Tclose(in_memory);
    return is_written;
}

/* ---- rows that grow ------------------------------------------------------------------------------------ */

bool tp_hdf5_rows_create(int64_t place, const char *name, int block_rows, bool is_list, tp_hdf5_rows *rows)
{
    hsize_t width = (hsize_t)rows->count, none[2] = {0, width}, unlimited[2] = {H5S_UNLIMITED, width},
            chunk[2] = {(hsize_t)block_rows, width < CHUNK_COLUMNS ? width : CHUNK_COLUMNS};
    const double missing = NAN;
    int rank = is_list ? 1 : 2;
    hid_t space = H5Screate_simple(rank, none, unlimited);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY); /* when the data set grows */
    H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing);
    H5Pset_obj_track_times(creation, false);
    H5Pset_attr_creation_order(creation, in_order);
    H5Pset_attr_phase_change(creation, 0, 0); /* lists of names may be longer than 64 KB */
    H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_BYTES, 1.0);
    rows->data = H5Dcreate2(place, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return rows->data >= 0;
}

bool tp_hdf5_rows_resize(tp_hdf5_rows *rows, long long room)
{
    const hsize_t size[2] = {(hsize_t)room, (hsize_t)rows->count};
    rows->room = room;
    return H5Dset_extent(rows->data, size) >= 0;
}

bool tp_hdf5_rows_append(tp_hdf5_rows *rows, const double *values, int row_count, int column_count)
{
    const hsize_t in_rows[2] = {(hsize_t)rows->row_count, 0}, in_values[2] = {0, (hsize_t)rows->first},
                  size[2] = {(hsize_t)row_count, (hsize_t)rows->count},
                  all[2] = {(hsize_t)row_count, (hsize_t)column_count};
    hid_t file = H5Dget_space(rows->data), memory = H5Screate_simple(2, all, NULL);
    bool is_written = file >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(file, H5S_SELECT_SET, in_rows, NULL, size, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, in_values, NULL, size, NULL) >= 0 &&
                      H5Dwrite(rows->data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values) >= 0;
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    rows->row_count += row_count;
    return is_written;
}
