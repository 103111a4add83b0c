/* HDF5 trajectories in SWMR mode (single writer, multiple readers): everything is made before that mode
   starts, afterwards data sets only grow. Columns are flushed first and the number of rows last, so that a
   reader, now or after this process was killed, finds `rows` complete rows; docs/output.md. */
#define _XOPEN_SOURCE 700
#include "io/output/format.h"

#include "io/exchange/whole_file.h"
#include "io/output/hdf5_driver.h"
#include "io/output/hdf5_quiet.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT_VERSION = 1, CACHE_CHUNKS = 2, CACHE_SLOTS = 7 };

typedef struct hdf5_sink {
    const char *path;
    hid_t file, rows, summary, *data; /* data [column_count] */
    int column_count;
    long long row_count;
    int error; /* errno of the first failure of the file */
} hdf5_sink;

/* What became of calls to the library: it does not notice errors of the operating system (hdf5_driver.h). */
static tp_status outcome(const hdf5_sink *sink, bool is_done, const tp_hdf5_quiet *quiet, tp_message *why)
{
    if (sink->error != 0) {
        errno = sink->error;
        return tp_file_fail(why, "write", sink->path);
    }
    return is_done ? TP_OK : tp_hdf5_quiet_fail(quiet, why, "write", sink->path);
}

static void close_columns(hdf5_sink *sink)
{
    for (int i = 0; i < sink->column_count; i++) {
        if (sink->data[i] >= 0) H5Dclose(sink->data[i]);
    }
    if (sink->rows >= 0) H5Dclose(sink->rows);
    if (sink->summary >= 0) H5Gclose(sink->summary);
}

static bool put_attribute(hid_t object, const char *name, hid_t file_type, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return is_written;
}

static bool put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bool is_written = put_attribute(object, name, type, type, text);
    H5Tclose(type);
    return is_written;
}

static bool put_int(hid_t object, const char *name, int value)
{
    return put_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value);
}

static bool put_attributes(hid_t object, const tp_table_attribute *attributes, int count)
{
    for (int i = 0; i < count; i++) {
        const tp_table_attribute *a = &attributes[i];
        bool is_written = a->text
                              ? put_text(object, a->name, a->text)
                              : put_attribute(object, a->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &a->number);
        if (!is_written) return false;
    }
    return true;
}

/* Without time stamps (the same run gives the same bytes) and with its members in order. */
static hid_t ordered_group_properties(hid_t class_id)
{
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t list = H5Pcreate(class_id);
    H5Pset_obj_track_times(list, false);
    H5Pset_link_creation_order(list, order);
    H5Pset_attr_creation_order(list, order);
    return list;
}

static hid_t make_file(const char *path, int *error)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = ordered_group_properties(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    bool is_driven = tp_hdf5_driver_set(access, error);
    hid_t file = is_driven ? H5Fcreate(path, H5F_ACC_TRUNC, creation, access) : H5I_INVALID_HID;
    H5Pclose(access);
    H5Pclose(creation);
    return file;
}

/* All groups on the way to a column that are not yet there. */
static bool make_groups(hid_t file, hid_t properties, const char *name)
{
    char part[2048];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (H5Lexists(file, part, H5P_DEFAULT) > 0) continue;
        hid_t group = H5Gcreate2(file, part, H5P_DEFAULT, properties, H5P_DEFAULT);
        if (group < 0) return false;
        H5Gclose(group);
    }
    return true;
}

/* An empty data set that grows by blocks; a value that was never written is NaN. */
static hid_t make_column(hid_t file, const char *name)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED, block = TP_BLOCK_ROWS;
    const double missing = NAN;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, 1, &block);
    H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing);
    H5Pset_obj_track_times(creation, false);
    H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_CHUNKS * TP_BLOCK_ROWS * sizeof(double), 1.0);
    hid_t data = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return data;
}

static bool describe_column(hid_t data, const tp_table_column *column, int index)
{
    return put_text(data, "unit", column->unit) && put_text(data, "description", column->text) &&
           put_int(data, "column", index);
}

static bool make_columns(hdf5_sink *sink, const tp_table_def *def)
{
    hid_t properties = ordered_group_properties(H5P_GROUP_CREATE);
    bool is_made = true;
    for (int i = 0; i < def->column_count && is_made; i++) {
        const tp_table_column *column = &def->columns[i];
        is_made = make_groups(sink->file, properties, column->name);
        if (is_made) sink->data[i] = make_column(sink->file, column->name);
        is_made = is_made && sink->data[i] >= 0 && describe_column(sink->data[i], column, i);
    }
    if (is_made) sink->summary = H5Gcreate2(sink->file, "summary", H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return is_made && sink->summary >= 0;
}

/* The number of complete rows: one value at a fixed place. */
static bool make_row_counter(hdf5_sink *sink)
{
    const long long none = 0;
    hsize_t one = 1;
    hid_t space = H5Screate_simple(1, &one, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_obj_track_times(creation, false);
    sink->rows = H5Dcreate2(sink->file, "rows", H5T_STD_I64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return sink->rows >= 0 &&
           H5Dwrite(sink->rows, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none) >= 0 &&
           put_text(sink->rows, "description", "complete rows of all columns");
}

static bool describe_file(const hdf5_sink *sink, const tp_table_def *def)
{
    return put_text(sink->file, "format", "tippe trajectory") &&
           put_int(sink->file, "format_version", FORMAT_VERSION) &&
           put_text(sink->file, "program_version", tp_version()) &&
           put_text(sink->file, "scene", def->scene_text ? def->scene_text : "") &&
           put_attributes(sink->file, def->attributes, def->attribute_count);
}

/* Everything there will ever be, then SWMR mode. */
static tp_status fill_file(hdf5_sink *sink, const tp_table_def *def, const char *file_path, tp_message *why)
{
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    sink->file = make_file(file_path, &sink->error);
    bool is_made = sink->file >= 0 && make_columns(sink, def) && make_row_counter(sink) &&
                   describe_file(sink, def) && H5Fstart_swmr_write(sink->file) >= 0;
    tp_status status = outcome(sink, is_made, &quiet, why);
    if (status != TP_OK) {
        close_columns(sink);
        if (sink->file >= 0) H5Fclose(sink->file);
    }
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

/* The summary is written in SWMR mode too, which protects what exists but not what is new: a process that
   dies here may spoil the group `summary`, which a reader forgives, but no row. (Opening the file again
   without that mode would leave a file that never opens if the process died then.) */
static tp_status close_hdf5(void *self, bool is_complete, const tp_table_attribute *summary,
                            int summary_count, tp_message *why)
{
    hdf5_sink *sink = self;
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    bool is_written = !is_complete || (put_attributes(sink->summary, summary, summary_count) &&
                                       put_int(sink->summary, "finished", 1));
    close_columns(sink);
    bool is_closed = H5Fclose(sink->file) >= 0;
    tp_status status = outcome(sink, is_written && is_closed, &quiet, why);
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

/* Where the bytes go in the end; NULL with a message if nothing can be written there. To be freed. */
static char *find_target(const char *path, mode_t *mode_out, tp_message *why)
{
    struct stat info;
    *mode_out = 0666; /* less the user's mask */
    if (stat(path, &info) != 0) return strdup(path);
    if (!S_ISREG(info.st_mode)) {
        tp_fail(why, TP_FILE_ERROR, "cannot write %s: it is %s, and HDF5 needs a file", path,
                S_ISDIR(info.st_mode) ? "a directory" : "a device or a pipe");
        return NULL;
    }
    *mode_out = info.st_mode & 0777;
    if (access(path, W_OK) == 0) return realpath(path, NULL); /* a link stays, what it names is replaced */
    tp_file_fail(why, "write", path);
    return NULL;
}

/* Makes the file under another name and renames it when the first row can come: who finds it can open it. */
static tp_status make_and_rename(hdf5_sink *sink, const tp_table_def *def, const char *target, mode_t mode,
                                 tp_message *why)
{
    size_t capacity = strlen(target) + 64;
    char *temporary = malloc(capacity);
    if (!temporary) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory to write %s", sink->path);
    int place = tp_file_temporary(target, temporary, capacity, mode);
    tp_status status = TP_OK;
    if (place < 0) {
        status = tp_file_fail(why, "write", sink->path);
    } else {
        close(place);
        status = fill_file(sink, def, temporary, why);
        if (status == TP_OK && rename(temporary, target) != 0) {
            status = tp_file_fail(why, "write", sink->path);
            close_hdf5(sink, false, NULL, 0, NULL);
        }
        if (status != TP_OK) (void)unlink(temporary);
    }
    free(temporary);
    return status;
}

static tp_status open_hdf5(tp_arena *arena, const tp_table_def *def, void **sink_out, tp_message *why)
{
    hdf5_sink *sink = TP_ARENA_ARRAY(arena, hdf5_sink, 1);
    char *path = tp_arena_copy(arena, def->path, strlen(def->path) + 1, 1);
    hid_t *data = TP_ARENA_ARRAY(arena, hid_t, def->column_count);
    if (!sink || !path || !data) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
    for (int i = 0; i < def->column_count; i++) data[i] = H5I_INVALID_HID;
    *sink = (hdf5_sink){.path = path,
                        .file = H5I_INVALID_HID,
                        .rows = H5I_INVALID_HID,
                        .summary = H5I_INVALID_HID,
                        .data = data,
                        .column_count = def->column_count};
    mode_t mode;
    char *target = find_target(path, &mode, why);
    if (!target) return TP_FILE_ERROR;
    tp_status status = make_and_rename(sink, def, target, mode, why);
    free(target);
    *sink_out = status == TP_OK ? sink : NULL;
    return status;
}

static tp_status write_hdf5(void *self, const double *values, int row_count, tp_message *why)
{
    hdf5_sink *sink = self;
    hsize_t first = (hsize_t)sink->row_count, count = (hsize_t)row_count, total = first + count;
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    hid_t in_file = H5Screate_simple(1, &total, NULL), in_memory = H5Screate_simple(1, &count, NULL);
    bool is_written =
        in_memory >= 0 && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0;
    for (int i = 0; i < sink->column_count && is_written; i++) {
        const double *column = values + (size_t)i * TP_BLOCK_ROWS;
        is_written = H5Dset_extent(sink->data[i], &total) >= 0 &&
                     H5Dwrite(sink->data[i], H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, column) >= 0;
    }
    tp_status status = outcome(sink, is_written, &quiet, why);
    H5Sclose(in_file);
    H5Sclose(in_memory);
    tp_hdf5_quiet_leave(&quiet);
    sink->row_count += row_count;
    return status;
}

static tp_status flush_hdf5(void *self, tp_message *why)
{
    hdf5_sink *sink = self;
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);

    /* All at once: flushing data sets one by one takes time that grows with the square of their number. Only
       afterwards do the rows count: whatever happens, `rows` never promises more than there is. */
    bool is_flushed =
        H5Fflush(sink->file, H5F_SCOPE_LOCAL) >= 0 &&
        H5Dwrite(sink->rows, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &sink->row_count) >= 0 &&
        H5Dflush(sink->rows) >= 0;
    tp_status status = outcome(sink, is_flushed, &quiet, why);
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

const tp_table_format tp_format_hdf5 = {"hdf5", open_hdf5, write_hdf5, flush_hdf5, close_hdf5};
