/* New HDF5 files in memory. */
#include "io/hdf5/new_file.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { IMAGE_STEP = 65536, IMAGE_NAME_LENGTH = 64 };

struct tp_hdf5 {
    tp_arena *arena;
    tp_message *why;
    hid_t id;
    H5E_auto2_t error_printer; /* the library's, while it is switched off here */
    void *error_context;
};

tp_status tp_hdf5_create(tp_arena *arena, tp_message *why, tp_hdf5 **file_out)
{
    tp_hdf5 *file = TP_ARENA_ARRAY(arena, tp_hdf5, 1);
    *file_out = NULL;
    if (!file) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an HDF5 file");
    *file = (tp_hdf5){.arena = arena, .why = why, .id = H5I_INVALID_HID};
    if (H5open() < 0) return tp_fail(why, TP_INTERNAL, "the HDF5 library does not start");
    H5Eget_auto2(H5E_DEFAULT, &file->error_printer, &file->error_context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    char
        name[IMAGE_NAME_LENGTH]; /* its own: the core driver takes files of the same name for the same file */
    snprintf(name, sizeof name, "/dev/null/tippe-%p", (const void *)file);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, IMAGE_STEP, 0) >= 0) {
        file->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    if (access >= 0) H5Pclose(access);
    if (file->id < 0) {
        tp_hdf5_close(file);
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an HDF5 file");
    }
    *file_out = file;
    return TP_OK;
}

void tp_hdf5_close(tp_hdf5 *file)
{
    if (!file) return;
    if (file->id >= 0) H5Fclose(file->id);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, file->error_printer, file->error_context);
}

static tp_status write_failed(const tp_hdf5 *file, const char *path)
{
    return tp_fail(file->why, TP_OUT_OF_MEMORY, "no memory to make %s of the HDF5 file", path);
}

tp_status tp_hdf5_write_group(tp_hdf5 *file, const char *path)
{
    hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return write_failed(file, path);
    H5Gclose(group);
    return TP_OK;
}

/* A data set without time stamps: the same problem gives the same bytes. */
static hid_t create_data(const tp_hdf5 *file, const char *path, hid_t type, hid_t space)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), data = H5I_INVALID_HID;
    if (creation < 0) return data;
    if (space >= 0 && H5Pset_obj_track_times(creation, false) >= 0) {
        data = H5Dcreate2(file->id, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    H5Pclose(creation);
    return data;
}

static tp_status write_values(const tp_hdf5 *file, const char *path, hid_t file_type, hid_t type, hid_t space,
                              const void *values)
{
    hid_t data = create_data(file, path, file_type, space);
    bool is_written = data >= 0 && (H5Sget_simple_extent_npoints(space) == 0 ||
                                    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (data >= 0) H5Dclose(data);
    if (space >= 0) H5Sclose(space);
    return is_written ? TP_OK : write_failed(file, path);
}

static hid_t line_of(int count)
{
    hsize_t size = (hsize_t)count;
    return H5Screate_simple(1, &size, NULL);
}

tp_status tp_hdf5_write_ints(tp_hdf5 *file, const char *path, int count, const int *values)
{
    return write_values(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, line_of(count), values);
}

tp_status tp_hdf5_write_reals(tp_hdf5 *file, const char *path, int count, const double *values)
{
    return write_values(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, line_of(count), values);
}

tp_status tp_hdf5_write_text(tp_hdf5 *file, const char *path, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0) return write_failed(file, path);
    tp_status status = write_values(file, path, type, type, H5Screate(H5S_SCALAR), text);
    H5Tclose(type);
    return status;
}

tp_status tp_hdf5_image(tp_hdf5 *file, void **bytes_out, size_t *count_out)
{
    H5Fflush(file->id, H5F_SCOPE_GLOBAL);
    ssize_t count = H5Fget_file_image(file->id, NULL, 0);
    *bytes_out = count > 0 ? tp_arena_take(file->arena, (size_t)count, 1) : NULL;
    if (!*bytes_out || H5Fget_file_image(file->id, *bytes_out, (size_t)count) != count) {
        return write_failed(file, "the image");
    }
    *count_out = (size_t)count;
    return TP_OK;
}
