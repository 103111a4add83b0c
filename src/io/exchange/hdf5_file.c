/* The HDF5 library, wrapped. Files come from outside and are not trusted: the guard looks at every object
   before the library does; links to other places, foreign number types and sizes that the file could not hold
   are refused. */
#include "io/exchange/hdf5_file.h"

#include "io/exchange/hdf5_bytes.h"
#include "io/hdf5_guard.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_MAX_LENGTH = 256,
    PACKING_MAX = 1100,    /* deflate packs at most about 1030 to 1                              */
    SMALL_BYTES = 1 << 20, /* data sets below need no storage: fill values were never written    */
    IMAGE_STEP = 65536,
    IMAGE_NAME_LENGTH = 64
};

struct tp_hdf5 {
    tp_arena *arena;
    const char *name;
    tp_message *why;
    hid_t id;
    int64_t driver;    /* of an opened file */
    const void *bytes; /* of an opened file */
    size_t count;
    tp_hdf5_guard *guard;      /* of an opened file */
    H5E_auto2_t error_printer; /* the library's, while it is switched off here */
    void *error_context;
};

bool tp_hdf5_is(const unsigned char *bytes, size_t count)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

static tp_status new_file(tp_arena *arena, const char *name, tp_message *why, tp_hdf5 **file_out)
{
    tp_hdf5 *file = TP_ARENA_ARRAY(arena, tp_hdf5, 1);
    *file_out = NULL;
    if (!file) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", name);
    *file =
        (tp_hdf5){.arena = arena, .name = name, .why = why, .id = H5I_INVALID_HID, .driver = H5I_INVALID_HID};
    if (H5open() < 0) return tp_fail(why, TP_INTERNAL, "the HDF5 library does not start");
    H5Eget_auto2(H5E_DEFAULT, &file->error_printer, &file->error_context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *file_out = file;
    return TP_OK;
}

/* The same bytes for the guard. */
static bool guarded_read(void *context, uint64_t address, size_t count, void *out)
{
    const tp_hdf5 *file = context;
    if (address > file->count || count > file->count - address) return false;
    memcpy(out, (const unsigned char *)file->bytes + address, count);
    return true;
}

static uint64_t guarded_size(void *context)
{
    return ((const tp_hdf5 *)context)->count;
}

static tp_status start_guard(tp_hdf5 *file)
{
    file->guard = TP_ARENA_ARRAY(file->arena, tp_hdf5_guard, 1);
    if (!file->guard) return tp_fail(file->why, TP_OUT_OF_MEMORY, "%s: no memory", file->name);
    if (tp_hdf5_guard_begin(file->guard, (tp_hdf5_source){guarded_read, guarded_size, file}, false) ==
        TP_OK) {
        return TP_OK;
    }
    return tp_fail(file->why, TP_INVALID_DATA, "%s: damaged or cut HDF5 file (%zu bytes): %s", file->name,
                   file->count, file->guard->reason);
}

tp_status tp_hdf5_open(tp_arena *arena, const char *name, const void *bytes, size_t count, tp_message *why,
                       tp_hdf5 **file_out)
{
    TP_TRY(new_file(arena, name, why, file_out));
    (*file_out)->bytes = bytes;
    (*file_out)->count = count;
    tp_status status = start_guard(*file_out);
    if (status == TP_OK) {
        (*file_out)->id = tp_hdf5_open_bytes(bytes, count, &(*file_out)->driver);
        if ((*file_out)->id >= 0) return TP_OK;
        status = tp_fail(why, TP_INVALID_DATA, "%s: damaged or cut HDF5 file (%zu bytes)", name, count);
    }
    tp_hdf5_close(*file_out);
    *file_out = NULL;
    return status;
}

tp_status tp_hdf5_create(tp_arena *arena, tp_message *why, tp_hdf5 **file_out)
{
    TP_TRY(new_file(arena, "new HDF5 file", why, file_out));
    char
        name[IMAGE_NAME_LENGTH]; /* its own: the core driver takes files of the same name for the same file */
    snprintf(name, sizeof name, "/dev/null/tippe-%p", (const void *)*file_out);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fapl_core(access, IMAGE_STEP, 0) >= 0) {
        (*file_out)->id = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    if (access >= 0) H5Pclose(access);
    if ((*file_out)->id >= 0) return TP_OK;
    tp_hdf5_close(*file_out);
    *file_out = NULL;
    return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for an HDF5 file");
}

void tp_hdf5_close(tp_hdf5 *file)
{
    if (!file) return;
    if (file->id >= 0) H5Fclose(file->id);
    if (file->driver >= 0) H5FDunregister(file->driver);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, file->error_printer, file->error_context);
}

tp_status tp_hdf5_fail(const tp_hdf5 *file, const char *path, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tp_fail(file->why, TP_INVALID_DATA, "%s: %s: %s", file->name, path, text);
}

/* Walks the path: every part must exist as an ordinary (hard) link, so that nothing leads to other files, and
   every group on the way must be sound. */
static bool find_object(const tp_hdf5 *file, const char *path, haddr_t *address_out)
{
    char part[PATH_MAX_LENGTH];
    if (path[0] != '/' || strlen(path) >= sizeof part) return false;
    *address_out = file->guard->root;
    for (const char *end = path; end;) {
        end = strchr(end + 1, '/');
        size_t length = end ? (size_t)(end - path) : strlen(path);
        memcpy(part, path, length);
        part[length] = 0;
        tp_hdf5_kind kind;
        if (tp_hdf5_guard_object(file->guard, *address_out, &kind) != TP_OK) return false;
        H5L_info_t info;
        if (kind != TP_HDF5_GROUP || H5Lget_info(file->id, part, &info, H5P_DEFAULT) < 0) return false;
        if (info.type != H5L_TYPE_HARD) return false;
        *address_out = info.u.address;
    }
    return true;
}

bool tp_hdf5_has(const tp_hdf5 *file, const char *path)
{
    haddr_t address;
    return find_object(file, path, &address);
}

/* Opens what the guard takes for a sound data set; else H5I_INVALID_HID and a message. */
static hid_t open_guarded(const tp_hdf5 *file, const char *path)
{
    haddr_t address;
    tp_hdf5_kind kind;
    hid_t data = H5I_INVALID_HID;
    file->guard->reason[0] = 0;
    if (!find_object(file, path, &address)) {
        tp_hdf5_fail(file, path, "%s", file->guard->reason[0] ? file->guard->reason : "is missing");
    } else if (tp_hdf5_guard_object(file->guard, address, &kind) != TP_OK) {
        tp_hdf5_fail(file, path, "%s", file->guard->reason);
    } else if (kind != TP_HDF5_DATA || (data = H5Dopen2(file->id, path, H5P_DEFAULT)) < 0) {
        tp_hdf5_fail(file, path, "is not a data set");
    }
    return data;
}

static bool is_one_of(hid_t type, const hid_t *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (H5Tequal(type, known[i]) > 0) return true;
    }
    return false;
}

static bool is_integer_type(hid_t type)
{
    const hid_t known[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_I16LE, H5T_STD_I8LE,  H5T_STD_U32LE,
                           H5T_STD_U64LE, H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U32BE, H5T_STD_U64BE};
    return is_one_of(type, known, sizeof known / sizeof known[0]);
}

static bool is_real_type(hid_t type)
{
    const hid_t known[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
    return is_one_of(type, known, sizeof known / sizeof known[0]);
}

/* How the values of a data set lie in the file. */
typedef struct storage {
    bool is_accepted;   /* in this file: not external, not virtual */
    bool is_plain;      /* one piece of the file, as it is         */
    bool may_be_absent; /* never written: fill values            */
    size_t bytes;       /* taken in the file                       */
    size_t chunk;       /* bytes of one unpacked chunk, else 0     */
} storage;

static size_t chunk_bytes(hid_t creation, size_t value_bytes)
{
    hsize_t size[H5S_MAX_RANK];
    int rank = H5Pget_chunk(creation, H5S_MAX_RANK, size);
    double product = (double)value_bytes;
    for (int i = 0; i < rank; i++) product *= (double)size[i];
    return rank > 0 && product < 0x1p60 ? (size_t)product : SIZE_MAX;
}

static storage storage_of(hid_t data, size_t value_bytes)
{
    storage found = {.is_accepted = false};
    hid_t creation = H5Dget_create_plist(data);
    if (creation < 0) return found;
    H5D_layout_t layout = H5Pget_layout(creation);
    found.is_plain = layout == H5D_CONTIGUOUS || layout == H5D_COMPACT;
    found.may_be_absent = layout == H5D_CONTIGUOUS;
    found.is_accepted = (found.is_plain || layout == H5D_CHUNKED) && H5Pget_external_count(creation) == 0;
    found.bytes = (size_t)H5Dget_storage_size(data);
    if (layout == H5D_CHUNKED) found.chunk = chunk_bytes(creation, value_bytes);
    H5Pclose(creation);
    return found;
}

/* What may be unpacked from so many bytes. */
static size_t unpacked_max(size_t bytes)
{
    return bytes < (SIZE_MAX - SMALL_BYTES) / PACKING_MAX ? bytes * PACKING_MAX + SMALL_BYTES : SIZE_MAX - 1;
}

/* True if count values of value_bytes each can be there. The library relies on sizes that agree; with others
   it reads where there is nothing. */
static bool fits(const tp_hdf5 *file, const storage *found, size_t count, size_t value_bytes)
{
    size_t needed = count * value_bytes;
    if (found->bytes > file->count) return false;
    if (found->bytes == 0 && found->may_be_absent) return needed <= SMALL_BYTES;
    if (found->is_plain) return found->bytes == needed;
    return needed <= unpacked_max(found->bytes) && found->chunk <= unpacked_max(file->count);
}

/* How many values an open data set has, or -1 and a message. */
static int checked_length(const tp_hdf5 *file, const char *path, hid_t data, size_t value_bytes)
{
    hid_t space = H5Dget_space(data);
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0) H5Sclose(space);
    storage found = storage_of(data, value_bytes);
    if (count < 0 || count > INT_MAX) {
        tp_hdf5_fail(file, path, "has too many values, or its size cannot be read");
    } else if (!found.is_accepted) {
        tp_hdf5_fail(file, path, "is stored in a way that is not accepted (external or virtual)");
    } else if (!fits(file, &found, (size_t)count, value_bytes)) {
        tp_hdf5_fail(file, path, "announces %lld values, more than the file can hold", (long long)count);
    } else {
        return (int)count;
    }
    return -1;
}

typedef enum value_kind { ANY_VALUE, INTEGERS, REALS } value_kind;

/* Opens a data set of the given kind; on failure H5I_INVALID_HID and a message. */
static hid_t open_data(const tp_hdf5 *file, const char *path, value_kind kind, int *count_out)
{
    hid_t data = open_guarded(file, path);
    *count_out = -1;
    if (data < 0) return data;
    hid_t type = H5Dget_type(data);
    if (type < 0) {
        tp_hdf5_fail(file, path, "has no type");
    } else if (kind == INTEGERS && !is_integer_type(type)) {
        tp_hdf5_fail(file, path, "must hold integers");
    } else if (kind != INTEGERS && !is_real_type(type) && !(kind == ANY_VALUE && is_integer_type(type))) {
        tp_hdf5_fail(file, path, "must hold floating-point numbers");
    } else {
        *count_out = checked_length(file, path, data, H5Tget_size(type));
    }
    if (type >= 0) H5Tclose(type);
    if (*count_out >= 0) return data;
    H5Dclose(data);
    return H5I_INVALID_HID;
}

tp_status tp_hdf5_length(tp_hdf5 *file, const char *path, int *count_out)
{
    hid_t data = open_data(file, path, ANY_VALUE, count_out);
    if (data < 0) return TP_INVALID_DATA;
    H5Dclose(data);
    return TP_OK;
}

static tp_status read_values(const tp_hdf5 *file, const char *path, value_kind kind, int expected, void *out)
{
    int count;
    hid_t data = open_data(file, path, kind, &count);
    if (data < 0) return TP_INVALID_DATA;
    tp_status status = TP_OK;
    hid_t type = kind == INTEGERS ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    if (count != expected) {
        status = tp_hdf5_fail(file, path, "has %d values, but %d are needed", count, expected);
    } else if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
        status = tp_hdf5_fail(file, path, "cannot be read: the file is damaged");
    }
    H5Dclose(data);
    return status;
}

tp_status tp_hdf5_read_ints(tp_hdf5 *file, const char *path, int count, int *out)
{
    return read_values(file, path, INTEGERS, count, out);
}

tp_status tp_hdf5_read_reals(tp_hdf5 *file, const char *path, int count, double *out)
{
    TP_TRY(read_values(file, path, REALS, count, out));
    for (int i = 0; i < count; i++) {
        if (!isfinite(out[i])) return tp_hdf5_fail(file, path, "entry %d is not a finite number", i + 1);
    }
    return TP_OK;
}

/* Length of a text of fixed length, 0 if the data set is something else. */
static size_t text_length(const tp_hdf5 *file, hid_t data, hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    size_t length = H5Tget_size(type);
    hid_t space = H5Dget_space(data);
    bool is_one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) H5Sclose(space);
    storage found = storage_of(data, length);
    return is_one && length < SMALL_BYTES && found.is_accepted && fits(file, &found, 1, length) ? length : 0;
}

void tp_hdf5_read_text(tp_hdf5 *file, const char *path, char *out, size_t capacity)
{
    out[0] = 0;
    tp_hdf5 silent = *file; /* texts are not needed: whatever is wrong with them is no failure */
    silent.why = NULL;
    hid_t data = open_guarded(&silent, path);
    hid_t type = data >= 0 ? H5Dget_type(data) : H5I_INVALID_HID;
    size_t length = type >= 0 ? text_length(file, data, type) : 0;
    char *text = length > 0 ? TP_ARENA_ARRAY(file->arena, char, length + 1) : NULL;
    if (text && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
        snprintf(out, capacity, "%s", text);
    }
    if (type >= 0) H5Tclose(type);
    if (data >= 0) H5Dclose(data);
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
