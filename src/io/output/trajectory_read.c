/* Reads HDF5 trajectories, also of writers that still write or were killed. Files are not trusted: the guard
   looks at every object before the library does, only plain members of the file itself are followed, and
   sizes are checked against the size of the file before memory is taken. */
#define _POSIX_C_SOURCE 200809L
#include "base/arena.h"
#include "io/exchange/hdf5_file.h"
#include "io/exchange/whole_file.h"
#include "io/hdf5_guard.h"
#include "io/output/hdf5_quiet.h"
#include "io/output/trajectory_tree.h"
#include "tippe/output.h"

#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 1,
    ATTEMPTS = 10, /* of a whole file that a writer has open, and the time between them */
    PAUSE_NANOSECONDS = 2000000,
    READ_ATTEMPTS = 10,   /* of metadata that the writer may be changing                             */
    PACKING_MAX = 1100,   /* deflate packs at most about 1030 to 1                                   */
    SMALL_BYTES = 1 << 16 /* what may always be taken                                                */
};

/* Bytes of a chunk (0: not chunked) if the data lie in the file itself, unpacked or packed by deflate; else
   negative. */
static double chunk_bytes(hid_t data, bool *is_packed_out)
{
    hid_t creation = H5Dget_create_plist(data);
    if (creation < 0) return -1.0;
    H5D_layout_t layout = H5Pget_layout(creation);
    double bytes = layout == H5D_CONTIGUOUS || layout == H5D_COMPACT ? 0.0 : -1.0;
    hsize_t size[1];
    if (layout == H5D_CHUNKED && H5Pget_chunk(creation, 1, size) == 1) bytes = 8.0 * (double)size[0];
    if (H5Pget_external_count(creation) != 0) bytes = -1.0;
    int filters = H5Pget_nfilters(creation);
    *is_packed_out = filters != 0;
    for (int i = 0; i < filters; i++) {
        unsigned flags, settings;
        size_t none = 0;
        H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &none, NULL, 0, NULL, &settings);
        bool is_known =
            filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
        if (!is_known) bytes = -1.0;
    }
    H5Pclose(creation);
    return bytes;
}

/* Refuses what is no line of doubles, is shorter than row_count, or could not lie in a file of this size. */
static tp_status check_data(tp_reading *r, hid_t data, const char *name, long long row_count)
{
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    bool is_line = space >= 0 && H5Sget_simple_extent_ndims(space) == 1;
    hssize_t length = is_line ? H5Sget_simple_extent_npoints(space) : -1;
    bool is_double = type >= 0 && (H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (!is_line || !is_double) return tp_reading_fail(r, "/%s: must be one row of doubles", name);
    if (length < row_count) {
        return tp_reading_fail(r, "/%s: has %lld values, but there are %lld rows", name, (long long)length,
                               row_count);
    }
    bool is_packed = false;
    double chunk = chunk_bytes(data, &is_packed), limit = r->file_bytes * (is_packed ? PACKING_MAX : 1.0);
    double *sum = is_packed ? &r->packed_bytes : &r->plain_bytes; /* columns may claim the same place */
    *sum += 8.0 * (double)row_count;
    if (chunk < 0.0) return tp_reading_fail(r, "/%s: is stored in a way that is not accepted", name);
    if (*sum > limit || chunk > limit + SMALL_BYTES) {
        return tp_reading_fail(r, "/%s: announces %lld values, more than the file can hold", name, row_count);
    }
    return TP_OK;
}

static bool read_rows(hid_t data, long long row_count, double *values)
{
    hsize_t count = (hsize_t)row_count, first = 0;
    hid_t in_file = H5Dget_space(data), in_memory = H5Screate_simple(1, &count, NULL);
    bool is_read = in_file >= 0 && in_memory >= 0 &&
                   H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                   H5Dread(data, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, values) >= 0;
    if (in_file >= 0) H5Sclose(in_file);
    if (in_memory >= 0) H5Sclose(in_memory);
    return is_read;
}

static tp_status read_column(tp_reading *r, const char *name, long long row_count, const double **values_out)
{
    hid_t data = H5Dopen2(r->file, name, H5P_DEFAULT);
    if (data < 0) return tp_reading_fail(r, "/%s: is damaged", name);
    tp_status status = check_data(r, data, name, row_count);
    double *values = status == TP_OK ? TP_ARENA_ARRAY(r->arena, double, row_count) : NULL;
    if (status == TP_OK && !values) status = tp_reading_no_memory(r);
    if (status == TP_OK && row_count > 0 && !read_rows(data, row_count, values)) {
        status = tp_reading_fail(r, "/%s: cannot be read: the file is damaged", name);
    }
    H5Dclose(data);
    *values_out = values;
    return status;
}

/* A member of the root, if it is a plain one, of this kind and sound. */
static bool is_sound(tp_reading *r, const char *name, tp_hdf5_kind expected)
{
    H5L_info_t link;
    tp_hdf5_kind kind;
    if (H5Lget_info(r->file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return false;
    return tp_hdf5_guard_object(r->guard, link.u.address, &kind) == TP_OK && kind == expected;
}

/* How many rows are complete. */
static tp_status read_row_count(tp_reading *r, long long *count_out)
{
    *count_out = -1;
    bool is_here = is_sound(r, "rows", TP_HDF5_DATA);
    hid_t data = is_here ? H5Dopen2(r->file, "rows", H5P_DEFAULT) : H5I_INVALID_HID;
    if (data < 0) return tp_reading_fail(r, "no Tippe trajectory: the data set /rows is missing");
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    bool is_packed = false;
    double chunk = chunk_bytes(data, &is_packed);
    bool is_one = type >= 0 && space >= 0 && H5Tequal(type, H5T_STD_I64LE) > 0 &&
                  H5Sget_simple_extent_npoints(space) == 1 && chunk >= 0.0 && chunk <= SMALL_BYTES;
    bool is_read = is_one && H5Dread(data, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, count_out) >= 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(data);
    if (!is_read || *count_out < 0 || *count_out > LLONG_MAX / 8) {
        return tp_reading_fail(r, "/rows: must be the number of rows, one 64-bit integer");
    }
    return TP_OK;
}

static tp_status read_columns(tp_reading *r, tp_trajectory *trajectory)
{
    const double **values = TP_ARENA_ARRAY(r->arena, const double *, trajectory->column_count);
    if (!values) return tp_reading_no_memory(r);
    for (int i = 0; i < trajectory->column_count; i++) {
        TP_TRY(read_column(r, trajectory->columns[i].name, trajectory->row_count, &values[i]));
    }
    for (long long i = 0; i < trajectory->row_count; i++) {
        bool is_time = isfinite(values[0][i]) && (i == 0 || values[0][i] >= values[0][i - 1]);
        if (!is_time)
            return tp_reading_fail(r, "/time: %g in row %lld, but time never decreases", values[0][i], i + 1);
    }
    trajectory->values = values;
    return TP_OK;
}

static tp_status read_format(tp_reading *r)
{
    tp_table_attribute version;
    if (strcmp(tp_reading_text(r, r->file, "format"), "tippe trajectory") != 0) {
        return tp_reading_fail(r, "no Tippe trajectory: the attribute \"format\" is missing");
    }
    if (!tp_reading_attribute(r, r->file, "format_version", &version) || version.text ||
        version.number != FORMAT_VERSION) {
        return tp_reading_fail(r, "format version %g; this program reads version %d", version.number,
                               FORMAT_VERSION);
    }
    return TP_OK;
}

/* The summary is written last: if it cannot be read, the writer died on the way. */
static tp_status read_summary(tp_reading *r, tp_trajectory *trajectory)
{
    tp_table_attribute finished;
    tp_attribute_list list = {NULL, 0, 0};
    bool is_here = is_sound(r, "summary", TP_HDF5_GROUP);
    hid_t group = is_here ? H5Gopen2(r->file, "summary", H5P_DEFAULT) : H5I_INVALID_HID;
    if (group < 0) return TP_OK;
    trajectory->is_finished = tp_reading_attribute(r, group, "finished", &finished) && finished.number == 1.0;
    tp_status status = trajectory->is_finished ? tp_reading_attributes(r, group, &list) : TP_OK;
    H5Gclose(group);
    trajectory->summary = list.items;
    trajectory->summary_count = list.count > 0 ? list.count - 1 : 0; /* "finished" is the last */
    return status;
}

static bool guarded_read(void *self, uint64_t address, size_t count, void *out)
{
    const tp_reading *r = self;
    return pread(r->descriptor, out, count, (off_t)address) == (ssize_t)count;
}

/* Of the open file, which may have grown. */
static uint64_t guarded_size(void *self)
{
    const tp_reading *r = self;
    struct stat info;
    return fstat(r->descriptor, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

/* What the library reads of the file when it opens it. */
static tp_status check_head(tp_reading *r)
{
    r->file_bytes = (double)guarded_size(r);
    if (tp_hdf5_guard_begin(r->guard, (tp_hdf5_source){guarded_read, guarded_size, r}, true) == TP_OK) {
        return TP_OK;
    }
    return tp_reading_fail(r, "damaged or cut HDF5 file (%.0f bytes): %s", r->file_bytes, r->guard->reason);
}

/* The file that the library opened, which may no longer be the one that was looked at. */
static tp_status check_opened(tp_reading *r)
{
    void *handle = NULL;
    if (H5Fget_vfd_handle(r->file, H5P_DEFAULT, &handle) < 0 || !handle) {
        return tp_reading_fail(r, "the HDF5 library does not say which file it opened");
    }
    r->descriptor = *(int *)handle;
    return check_head(r);
}

static tp_status read_file(tp_reading *r, tp_trajectory *trajectory)
{
    tp_attribute_list list = {NULL, 0, 0};
    TP_TRY(check_opened(r));
    TP_TRY(read_format(r));
    TP_TRY(read_row_count(r, &trajectory->row_count)); /* first: columns may grow while we read */
    r->file_bytes = (double)guarded_size(r);           /* by now it holds these rows */
    TP_TRY(tp_reading_find_columns(r, trajectory));
    TP_TRY(read_columns(r, trajectory));
    TP_TRY(tp_reading_attributes(r, r->file, &list));
    trajectory->attributes = list.items;
    trajectory->attribute_count = list.count;
    trajectory->scene_text = tp_reading_text(r, r->file, "scene");
    return read_summary(r, trajectory);
}

/* A file that is being written, or was when its writer died, opens only for readers of that mode; older files
   and copies made by other programs only without it. */
static hid_t open_hdf5(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    H5Pset_metadata_read_attempts(access, READ_ATTEMPTS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0) file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Pclose(access);
    return file;
}

/* The operating system's answer first: its reasons are clearer than the library's. */
static tp_status look_at_file(tp_reading *r)
{
    int file = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return tp_file_fail(r->why, "open", r->path);
    struct stat info;
    unsigned char start[8];
    tp_status status = TP_OK;
    if (fstat(file, &info) != 0) {
        status = tp_file_fail(r->why, "read", r->path);
    } else if (!S_ISREG(info.st_mode)) {
        status = tp_fail(r->why, TP_FILE_ERROR, "cannot read %s: it is %s, and HDF5 needs a file", r->path,
                         S_ISDIR(info.st_mode) ? "a directory" : "a device or a pipe");
    } else {
        ssize_t count = pread(file, start, sizeof start, 0);
        r->file_bytes = (double)info.st_size;
        if (count < 0) {
            status = tp_file_fail(r->why, "read", r->path);
        } else if (!tp_hdf5_is(start, (size_t)count)) {
            status = tp_reading_fail(r, "is not an HDF5 file");
        } else {
            r->descriptor = file;
            status = check_head(r);
        }
    }
    close(file);
    return status;
}

/* If the writer closes the file just now, the library compares an old size with a new head and calls the file
   cut: then once more. */
static hid_t open_patiently(const char *path)
{
    struct stat before, after;
    hid_t file = H5I_INVALID_HID;
    for (int attempt = 0; attempt < READ_ATTEMPTS && file < 0; attempt++) {
        if (stat(path, &before) != 0) break;
        file = open_hdf5(path);
        bool is_same =
            stat(path, &after) == 0 && after.st_size == before.st_size && after.st_ino == before.st_ino;
        if (is_same) break;
    }
    return file;
}

static tp_status read_path(tp_reading *r, tp_trajectory *trajectory)
{
    TP_TRY(look_at_file(r));
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    r->file = open_patiently(r->path);
    tp_status status = r->file >= 0 ? read_file(r, trajectory)
                                    : tp_reading_fail(r, "damaged or cut HDF5 file (%.0f bytes): %s",
                                                      r->file_bytes, quiet.text);
    if (r->file >= 0) H5Fclose(r->file);
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

/* The public struct and the memory it lies in. */
typedef struct whole {
    tp_trajectory trajectory;
    tp_arena arena;
} whole;

static tp_status read_once(const tp_allocator *allocator, const char *path, tp_trajectory **trajectory_out,
                           tp_message *why_out)
{
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    *trajectory_out = NULL;
    whole *all = TP_ARENA_ARRAY(&arena, whole, 1);
    if (!all) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %s", path);
    tp_hdf5_guard guard;
    tp_reading r = {.arena = &arena,
                    .path = path,
                    .why = why_out,
                    .file = H5I_INVALID_HID,
                    .descriptor = -1,
                    .guard = &guard,
                    .group = ""};
    tp_status status = read_path(&r, &all->trajectory);
    if (status != TP_OK) {
        tp_arena_clear(&arena);
        return status;
    }
    all->arena = arena;
    *trajectory_out = &all->trajectory;
    return TP_OK;
}

/* The head of a file says whether a writer has it open (or died with it open): the flags behind version and
   sizes. */
static bool is_being_written(const char *path)
{
    unsigned char head[12] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t count = fread(head, 1, sizeof head, file);
    fclose(file);
    return count == sizeof head && memcmp(head, "\211HDF\r\n\032\n", 8) == 0 && head[8] >= 3 && head[11] != 0;
}

/* A file that grows while it is read may look damaged for a moment, between two writes that belong together.
 */
tp_status tp_trajectory_read(const tp_allocator *allocator, const char *path, tp_trajectory **trajectory_out,
                             tp_message *why_out)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NANOSECONDS};
    tp_status status = read_once(allocator, path, trajectory_out, why_out);
    for (int k = 0; k < ATTEMPTS && status == TP_INVALID_DATA && is_being_written(path); k++) {
        nanosleep(&pause, NULL);
        status = read_once(allocator, path, trajectory_out, why_out);
    }
    return status;
}

void tp_trajectory_free(tp_trajectory *trajectory)
{
    if (!trajectory) return;
    tp_arena arena = ((whole *)trajectory)->arena; /* the first member of a whole */
    tp_arena_clear(&arena);
}

static int find_column(const tp_table_column *columns, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(columns[i].name, name) == 0) return i;
    }
    return -1;
}

int tp_trajectory_find(const tp_trajectory *trajectory, const char *name)
{
    return find_column(trajectory->columns, trajectory->column_count, name);
}

const tp_table *tp_trajectory_table(const tp_trajectory *trajectory, const char *name)
{
    for (int i = 0; i < trajectory->table_count; i++) {
        if (strcmp(trajectory->tables[i].name, name) == 0) return &trajectory->tables[i];
    }
    return NULL;
}

int tp_table_find(const tp_table *table, const char *name)
{
    return find_column(table->columns, table->column_count, name);
}
