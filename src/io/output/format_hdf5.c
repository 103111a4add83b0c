/* HDF5 trajectories in SWMR mode (single writer, multiple readers): everything is made before that mode
   starts, afterwards data sets only grow. Each group of columns is one data set, rows by columns. Values are
   flushed first and the numbers of rows last, so that a reader, now or after this process was killed, finds
   so many complete rows; docs/output.md. */
#define _XOPEN_SOURCE 700
#include "io/output/format.h"

#include "io/common/whole_file.h"
#include "io/hdf5/hdf5_driver.h"
#include "io/hdf5/quiet.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 2,
    CHUNK_COLUMNS = 512, /* a chunk is a block of rows of so many columns: 1 MB at most */
    CACHE_SLOTS = 521,
    CACHE_BYTES = 8 << 20
};

/* A group of columns of the rows over time, or a table beside them. */
typedef struct data_set {
    hid_t data;
    int first, count;    /* its columns among those of a row                */
    long long row_count; /* written                                         */
    hsize_t room;        /* rows that the data set has                      */
} data_set;

typedef struct hdf5_sink {
    const char *path;
    hid_t file, rows, summary;
    data_set *sets; /* groups, then tables */
    int group_count, table_count;
    int column_count;     /* of the rows over time               */
    long long *row_count; /* [1 + table_count] as /rows has them */
    int error;            /* errno of the first failure of the file */
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

static void close_data(hdf5_sink *sink)
{
    for (int i = 0; i < sink->group_count + sink->table_count; i++) {
        if (sink->sets[i].data >= 0) H5Dclose(sink->sets[i].data);
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

/* Texts of any length, as h5py's own strings. */
static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

typedef enum column_text { COLUMN_NAME, COLUMN_UNIT, COLUMN_DESCRIPTION } column_text;

static const char *text_of(const tp_table_column *column, column_text which)
{
    if (which == COLUMN_UNIT) return column->unit;
    if (which == COLUMN_DESCRIPTION) return column->text;
    const char *behind = strchr(column->name, '/');
    return behind ? behind + 1 : column->name; /* the group is the data set */
}

static bool put_texts(hid_t object, const char *name, const char *const *texts, int count)
{
    hsize_t size = (hsize_t)count;
    hid_t type = text_type(), space = H5Screate_simple(1, &size, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool is_written = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
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

/* Rows of columns that grow by blocks; a value that was never written is NaN. A single column is a list. */
static hid_t make_data(hid_t place, const char *name, int column_count, bool is_list)
{
    hsize_t none[2] = {0, (hsize_t)column_count}, unlimited[2] = {H5S_UNLIMITED, (hsize_t)column_count},
            chunk[2] = {TP_BLOCK_ROWS, column_count < CHUNK_COLUMNS ? (hsize_t)column_count : CHUNK_COLUMNS};
    const double missing = NAN;
    int rank = is_list ? 1 : 2;
    hid_t space = H5Screate_simple(rank, none, unlimited);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY); /* when the data set grows */
    H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing);
    H5Pset_obj_track_times(creation, false);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_phase_change(creation, 0, 0); /* lists of names may be longer than 64 KB */
    H5Pset_chunk_cache(access, CACHE_SLOTS, CACHE_BYTES, 1.0);
    hid_t data = H5Dcreate2(place, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return data;
}

static bool describe_columns(hid_t data, const tp_table_column *columns, int count, bool is_list)
{
    static const char *const singular[] = {"name", "unit", "description"};
    static const char *const plural[] = {"names", "units", "descriptions"};
    const char **texts = malloc((size_t)count * sizeof *texts);
    bool is_written = texts != NULL;
    for (int which = is_list ? COLUMN_UNIT : COLUMN_NAME; which <= COLUMN_DESCRIPTION && is_written;
         which++) {
        for (int i = 0; i < count; i++) texts[i] = text_of(&columns[i], (column_text)which);
        is_written = is_list ? put_text(data, singular[which], texts[0])
                             : put_texts(data, plural[which], texts, count);
    }
    free(texts);
    return is_written;
}

/* The groups of columns, which stand together, each as one data set; a column without a group is a list. */
static bool make_groups(hdf5_sink *sink, const tp_table_def *def)
{
    for (int i = 0; i < def->column_count;) {
        const char *name = def->columns[i].name;
        size_t length = strcspn(name, "/");
        bool is_list = name[length] == 0;
        char group[2048];
        data_set *set = &sink->sets[sink->group_count++];
        snprintf(group, sizeof group, "%.*s", (int)length, name);
        set->first = i++;
        while (i < def->column_count && !is_list && strncmp(def->columns[i].name, name, length + 1) == 0) i++;
        set->count = i - set->first;
        set->data = make_data(sink->file, group, set->count, is_list);
        if (set->data < 0 || !describe_columns(set->data, def->columns + set->first, set->count, is_list) ||
            !put_int(set->data, "first_column", set->first))
            return false;
    }
    return true;
}

/* Words that numbers stand for, once for all tables. */
static bool put_labels(hid_t labels, const tp_table_labels *list)
{
    if (H5Lexists(labels, list->name, H5P_DEFAULT) > 0) return true;
    hsize_t size = (hsize_t)list->count;
    hid_t type = text_type(), space = H5Screate_simple(1, &size, NULL),
          creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    hid_t data = H5Dcreate2(labels, list->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool is_written = data >= 0 && (list->count == 0 ||
                                    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list->words) >= 0);
    if (data >= 0) H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    return is_written;
}

static bool make_table(data_set *set, hid_t tables, hid_t labels, const tp_table *table, int number)
{
    const char **lists = calloc((size_t)table->column_count, sizeof *lists);
    bool is_made = lists != NULL;
    *set = (data_set){.data = H5I_INVALID_HID, .count = table->column_count};
    for (int i = 0; i < table->column_count && is_made; i++) {
        lists[i] = table->labels && table->labels[i] ? table->labels[i]->name : "";
        if (lists[i][0]) is_made = put_labels(labels, table->labels[i]);
    }
    if (is_made) set->data = make_data(tables, table->name, table->column_count, false);
    is_made = is_made && set->data >= 0 &&
              describe_columns(set->data, table->columns, table->column_count, false) &&
              put_texts(set->data, "label_sets", lists, table->column_count) &&
              put_int(set->data, "table", number);
    free(lists);
    return is_made;
}

static bool make_tables(hdf5_sink *sink, const tp_table_def *def, hid_t properties)
{
    hid_t tables = H5Gcreate2(sink->file, "tables", H5P_DEFAULT, properties, H5P_DEFAULT),
          labels = H5Gcreate2(sink->file, "labels", H5P_DEFAULT, properties, H5P_DEFAULT);
    bool is_made = tables >= 0 && labels >= 0;
    for (int i = 0; i < def->table_count && is_made; i++) {
        data_set *set = &sink->sets[sink->group_count + sink->table_count++];
        is_made = make_table(set, tables, labels, &def->tables[i], i);
    }
    if (labels >= 0) H5Gclose(labels);
    if (tables >= 0) H5Gclose(tables);
    return is_made;
}

static bool make_data_sets(hdf5_sink *sink, const tp_table_def *def)
{
    hid_t properties = ordered_group_properties(H5P_GROUP_CREATE);
    bool is_made = make_groups(sink, def) && make_tables(sink, def, properties);
    if (is_made) sink->summary = H5Gcreate2(sink->file, "summary", H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return is_made && sink->summary >= 0;
}

static bool write_counts(const hdf5_sink *sink)
{
    return H5Dwrite(sink->rows, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, sink->row_count) >= 0;
}

/* The numbers of complete rows: a few values at a fixed place. */
static bool make_row_counters(hdf5_sink *sink)
{
    hsize_t size = (hsize_t)(1 + sink->table_count);
    hid_t space = H5Screate_simple(1, &size, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_obj_track_times(creation, false);
    sink->rows = H5Dcreate2(sink->file, "rows", H5T_STD_I64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return sink->rows >= 0 && write_counts(sink) && put_int(sink->rows, "columns", sink->column_count) &&
           put_text(sink->rows, "description", "complete rows over time, and of each table");
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
    bool is_made = sink->file >= 0 && make_data_sets(sink, def) && make_row_counters(sink) &&
                   describe_file(sink, def) && H5Fstart_swmr_write(sink->file) >= 0;
    tp_status status = outcome(sink, is_made, &quiet, why);
    if (status != TP_OK) {
        close_data(sink);
        if (sink->file >= 0) H5Fclose(sink->file);
    }
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

/* Rows of a data set, written or not. */
static bool set_room(data_set *set, hsize_t rows)
{
    const hsize_t size[2] = {rows, (hsize_t)set->count};
    set->room = rows;
    return H5Dset_extent(set->data, size) >= 0;
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
    for (int i = 0; i < sink->group_count + sink->table_count && is_complete; i++)
        is_complete = set_room(&sink->sets[i], (hsize_t)sink->sets[i].row_count);
    bool is_written = !is_complete || (put_attributes(sink->summary, summary, summary_count) &&
                                       put_int(sink->summary, "finished", 1));
    close_data(sink);
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
    data_set *sets = TP_ARENA_ARRAY(arena, data_set, def->column_count + def->table_count);
    long long *row_count = TP_ARENA_ARRAY(arena, long long, 1 + def->table_count);
    if (!sink || !path || !sets || !row_count)
        return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
    for (int i = 0; i < def->column_count + def->table_count; i++) sets[i].data = H5I_INVALID_HID;
    *sink = (hdf5_sink){.path = path,
                        .file = H5I_INVALID_HID,
                        .rows = H5I_INVALID_HID,
                        .summary = H5I_INVALID_HID,
                        .sets = sets,
                        .row_count = row_count,
                        .column_count = def->column_count};
    mode_t mode;
    char *target = find_target(path, &mode, why);
    if (!target) return TP_FILE_ERROR;
    tp_status status = make_and_rename(sink, def, target, mode, why);
    free(target);
    *sink_out = status == TP_OK ? sink : NULL;
    return status;
}

/* The data sets of a table: all groups for the rows over time. */
static data_set *sets_of(const hdf5_sink *sink, int table, int *count_out)
{
    *count_out = table == TP_MAIN_TABLE ? sink->group_count : 1;
    return table == TP_MAIN_TABLE ? sink->sets : &sink->sets[sink->group_count + table];
}

static tp_status reserve_hdf5(void *self, int table, tp_message *why)
{
    hdf5_sink *sink = self;
    int count;
    data_set *sets = sets_of(sink, table, &count);
    bool is_done = true;
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    for (int i = 0; i < count && is_done; i++) is_done = set_room(&sets[i], sets[i].room + TP_BLOCK_ROWS);
    tp_status status = outcome(sink, is_done, &quiet, why);
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

/* The columns of a data set out of rows of all columns. */
static bool write_rows(data_set *set, const double *values, int row_count, int column_count)
{
    const hsize_t rows = (hsize_t)row_count, width = (hsize_t)set->count,
                  in_rows[2] = {(hsize_t)set->row_count, 0}, in_values[2] = {0, (hsize_t)set->first},
                  size[2] = {rows, width}, all[2] = {rows, (hsize_t)column_count};
    hid_t file = H5Dget_space(set->data), memory = H5Screate_simple(2, all, NULL);
    bool is_written = file >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(file, H5S_SELECT_SET, in_rows, NULL, size, NULL) >= 0 &&
                      H5Sselect_hyperslab(memory, H5S_SELECT_SET, in_values, NULL, size, NULL) >= 0 &&
                      H5Dwrite(set->data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values) >= 0;
    if (file >= 0) H5Sclose(file);
    if (memory >= 0) H5Sclose(memory);
    set->row_count += row_count;
    return is_written;
}

static tp_status write_hdf5(void *self, int table, const double *values, int row_count, tp_message *why)
{
    hdf5_sink *sink = self;
    int count;
    data_set *sets = sets_of(sink, table, &count);
    bool is_written = true;
    tp_hdf5_quiet quiet;
    tp_hdf5_quiet_enter(&quiet);
    for (int i = 0; i < count && is_written; i++)
        is_written = write_rows(&sets[i], values, row_count,
                                table == TP_MAIN_TABLE ? sink->column_count : sets[i].count);
    tp_status status = outcome(sink, is_written, &quiet, why);
    tp_hdf5_quiet_leave(&quiet);
    sink->row_count[1 + table] += row_count;
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
        H5Fflush(sink->file, H5F_SCOPE_LOCAL) >= 0 && write_counts(sink) && H5Dflush(sink->rows) >= 0;
    tp_status status = outcome(sink, is_flushed, &quiet, why);
    tp_hdf5_quiet_leave(&quiet);
    return status;
}

const tp_table_format tp_format_hdf5 = {"hdf5", open_hdf5, reserve_hdf5, write_hdf5, flush_hdf5, close_hdf5};
