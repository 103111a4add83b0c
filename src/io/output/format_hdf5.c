/* HDF5 trajectories in SWMR mode (single writer, multiple readers): everything is made before that mode
   starts, afterwards data sets only grow. Each group of columns is one data set, rows by columns. Values are
   flushed first and the numbers of rows last, so that a reader, now or after this process was killed, finds
   so many complete rows; docs/output.md. */
#define _XOPEN_SOURCE 700
#include "io/output/format.h"

#include "io/common/text.h"
#include "io/common/whole_file.h"
#include "io/hdf5/hdf5_write.h"
#include "io/hdf5/quiet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT_VERSION = 2 };

typedef struct hdf5_sink {
    const char *path;
    int place; /* descriptor of the file, to see whether it is still there */
    int64_t file, rows, summary;
    tp_hdf5_rows *sets; /* groups of columns of the rows over time, then tables */
    int group_count, table_count;
    int column_count;     /* of the rows over time               */
    long long *row_count; /* [1 + table_count] as /rows has them */
    int error;            /* errno of the first failure of the file */
    tp_hdf5_quiet quiet;
} hdf5_sink;

/* Between enter and leave the library is quiet. It does not notice errors of the operating system
   (hdf5_driver.h). */
static hdf5_sink *enter(void *self)
{
    hdf5_sink *sink = self;
    tp_hdf5_quiet_enter(&sink->quiet);
    return sink;
}

static tp_status leave(hdf5_sink *sink, bool is_done, tp_message *why)
{
    tp_hdf5_quiet_leave(&sink->quiet);
    if (sink->error == 0) return is_done ? TP_OK : tp_hdf5_quiet_fail(&sink->quiet, why, "write", sink->path);
    errno = sink->error;
    return tp_file_fail(why, "write", sink->path);
}

static bool close_all(hdf5_sink *sink)
{
    for (int i = 0; i < sink->group_count + sink->table_count; i++) tp_hdf5_close(sink->sets[i].data);
    tp_hdf5_close(sink->rows);
    tp_hdf5_close(sink->summary);
    return tp_hdf5_close(sink->file);
}

static bool put_text(int64_t object, const char *name, const char *text)
{
    return tp_hdf5_add_attribute(object, name, TP_HDF5_TEXT, TP_HDF5_SINGLE, text);
}

static bool put_int(int64_t object, const char *name, int value)
{
    return tp_hdf5_add_attribute(object, name, TP_HDF5_INT, TP_HDF5_SINGLE, &value);
}

static bool put_attributes(int64_t object, const tp_table_attribute *attributes, int count)
{
    bool is_written = true;
    for (int i = 0; i < count && is_written; i++) {
        const tp_table_attribute *a = &attributes[i];
        is_written = a->text
                         ? put_text(object, a->name, a->text)
                         : tp_hdf5_add_attribute(object, a->name, TP_HDF5_REAL, TP_HDF5_SINGLE, &a->number);
    }
    return is_written;
}

typedef enum column_text { COLUMN_NAME, COLUMN_UNIT, COLUMN_DESCRIPTION } column_text;

static const char *text_of(const tp_table_column *column, column_text which)
{
    if (which == COLUMN_UNIT) return column->unit;
    if (which == COLUMN_DESCRIPTION) return column->text;
    const char *slash = strchr(column->name, '/');
    return slash ? slash + 1 : column->name; /* the group is the data set */
}

static bool describe_columns(int64_t data, const tp_table_column *columns, int count, bool is_list)
{
    static const char *const singular[] = {"name", "unit", "description"};
    static const char *const plural[] = {"names", "units", "descriptions"};
    const char **texts = malloc((size_t)count * sizeof *texts);
    bool is_written = texts != NULL;
    for (int which = is_list ? COLUMN_UNIT : COLUMN_NAME; which <= COLUMN_DESCRIPTION && is_written;
         which++) {
        for (int i = 0; i < count; i++) texts[i] = text_of(&columns[i], (column_text)which);
        is_written = is_list ? put_text(data, singular[which], texts[0])
                             : tp_hdf5_add_attribute(data, plural[which], TP_HDF5_WORDS, count, texts);
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
        tp_hdf5_rows *set = &sink->sets[sink->group_count++];
        snprintf(group, sizeof group, "%.*s", (int)length, name);
        set->first = i++;
        while (i < def->column_count && !is_list && strncmp(def->columns[i].name, name, length + 1) == 0) i++;
        set->count = i - set->first;
        if (!tp_hdf5_rows_create(sink->file, group, TP_BLOCK_ROWS, is_list, set) ||
            !describe_columns(set->data, def->columns + set->first, set->count, is_list) ||
            !put_int(set->data, "first_column", set->first))
            return false;
    }
    return true;
}

/* The words of each label set are written once, with the first column that uses them. */
static bool make_table(hdf5_sink *sink, int64_t tables, int64_t labels, const tp_table *table, int number)
{
    const char **lists = calloc((size_t)table->column_count, sizeof *lists);
    tp_hdf5_rows *set = &sink->sets[sink->group_count + sink->table_count++];
    bool is_made = lists != NULL;
    set->count = table->column_count;
    for (int i = 0; i < table->column_count && is_made; i++) {
        const tp_table_labels *list = table->labels ? table->labels[i] : NULL;
        lists[i] = list ? list->name : "";
        if (list && !tp_hdf5_has(labels, list->name))
            is_made = tp_hdf5_add_data(labels, list->name, TP_HDF5_WORDS, list->count, list->words);
    }
    is_made = is_made && tp_hdf5_rows_create(tables, table->name, TP_BLOCK_ROWS, false, set) &&
              describe_columns(set->data, table->columns, table->column_count, false) &&
              tp_hdf5_add_attribute(set->data, "label_sets", TP_HDF5_WORDS, table->column_count, lists) &&
              put_int(set->data, "table", number);
    free(lists);
    return is_made;
}

static bool make_tables(hdf5_sink *sink, const tp_table_def *def)
{
    int64_t tables = tp_hdf5_add_group(sink->file, "tables", true),
            labels = tp_hdf5_add_group(sink->file, "labels", true);
    bool is_made = tables >= 0 && labels >= 0;
    for (int i = 0; i < def->table_count && is_made; i++)
        is_made = make_table(sink, tables, labels, &def->tables[i], i);
    tp_hdf5_close(labels);
    tp_hdf5_close(tables);
    return is_made;
}

/* The numbers of complete rows: a few values at a fixed place. */
static bool make_row_counters(hdf5_sink *sink)
{
    sink->rows = tp_hdf5_open_data(sink->file, "rows", TP_HDF5_LONG, 1 + sink->table_count, sink->row_count);
    return put_int(sink->rows, "columns", sink->column_count) &&
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
static bool fill_file(hdf5_sink *sink, const tp_table_def *def, const char *path)
{
    sink->file = tp_hdf5_create_file(path, &sink->error);
    bool is_made = sink->file >= 0 && make_groups(sink, def) && make_tables(sink, def) &&
                   (sink->summary = tp_hdf5_add_group(sink->file, "summary", true)) >= 0 &&
                   make_row_counters(sink) && describe_file(sink, def) && tp_hdf5_start_swmr(sink->file);
    is_made = is_made && sink->error == 0;
    if (!is_made) close_all(sink);
    return is_made;
}

/* The summary is written in SWMR mode too, which protects what exists but not what is new: a process that
   dies here may damage the group `summary`, which readers tolerate, but no row. (Opening the file again
   without that mode would leave a file that never opens if the process died then.) */
static tp_status close_hdf5(void *self, bool is_complete, const tp_table_attribute *summary,
                            int summary_count, tp_message *why)
{
    hdf5_sink *sink = enter(self);
    for (int i = 0; i < sink->group_count + sink->table_count && is_complete; i++)
        is_complete = tp_hdf5_rows_resize(&sink->sets[i], sink->sets[i].row_count);
    bool is_written = !is_complete || (put_attributes(sink->summary, summary, summary_count) &&
                                       put_int(sink->summary, "finished", 1));
    tp_status status = leave(sink, close_all(sink) && is_written, why);
    if (status == TP_OK) status = tp_file_check_kept(sink->place, sink->path, why);
    close(sink->place);
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

/* Makes the file under another name and renames it when the first row can come: whoever finds it can open it.
 */
static tp_status make_and_rename(hdf5_sink *sink, const tp_table_def *def, const char *target, mode_t mode,
                                 tp_message *why)
{
    size_t capacity = strlen(target) + 64;
    char *temporary = malloc(capacity);
    if (!temporary) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory to write %s", sink->path);
    sink->place = tp_file_temporary(target, temporary, capacity, mode);
    tp_status status = TP_OK;
    if (sink->place < 0) {
        status = tp_file_fail(why, "write", sink->path);
    } else {
        enter(sink);
        status = leave(sink, fill_file(sink, def, temporary), why);
        if (status != TP_OK) {
            close(sink->place);
        } else if (rename(temporary, target) != 0) {
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
    char *path = tp_arena_text(arena, def->path);
    tp_hdf5_rows *sets = TP_ARENA_ARRAY(arena, tp_hdf5_rows, def->column_count + def->table_count);
    long long *row_count = TP_ARENA_ARRAY(arena, long long, 1 + def->table_count);
    if (!sink || !path || !sets || !row_count)
        return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
    for (int i = 0; i < def->column_count + def->table_count; i++) sets[i].data = -1;
    *sink = (hdf5_sink){.path = path,
                        .file = -1,
                        .rows = -1,
                        .summary = -1,
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
static tp_hdf5_rows *sets_of(const hdf5_sink *sink, int table, int *count_out)
{
    *count_out = table == TP_MAIN_TABLE ? sink->group_count : 1;
    return table == TP_MAIN_TABLE ? sink->sets : &sink->sets[sink->group_count + table];
}

static tp_status reserve_hdf5(void *self, int table, tp_message *why)
{
    hdf5_sink *sink = enter(self);
    int count;
    tp_hdf5_rows *sets = sets_of(sink, table, &count);
    bool is_done = true;
    for (int i = 0; i < count && is_done; i++)
        is_done = tp_hdf5_rows_resize(&sets[i], sets[i].room + TP_BLOCK_ROWS);
    return leave(sink, is_done, why);
}

static tp_status write_hdf5(void *self, int table, const double *values, int row_count, tp_message *why)
{
    hdf5_sink *sink = enter(self);
    int count;
    tp_hdf5_rows *sets = sets_of(sink, table, &count);
    bool is_written = true;
    for (int i = 0; i < count && is_written; i++)
        is_written = tp_hdf5_rows_append(&sets[i], values, row_count,
                                         table == TP_MAIN_TABLE ? sink->column_count : sets[i].count);
    sink->row_count[1 + table] += row_count;
    return leave(sink, is_written, why);
}

/* All at once: flushing data sets one by one takes time that grows with the square of their number. Only
   afterwards do the rows count: whatever happens, `rows` never promises more than there is. */
static tp_status flush_hdf5(void *self, tp_message *why)
{
    hdf5_sink *sink = enter(self);
    bool is_done = tp_hdf5_flush(sink->file) && tp_hdf5_rewrite(sink->rows, TP_HDF5_LONG, sink->row_count) &&
                   tp_hdf5_flush(sink->rows);
    TP_TRY(leave(sink, is_done, why));
    return tp_file_check_kept(sink->place, sink->path, why);
}

const tp_table_format tp_format_hdf5 = {"hdf5", open_hdf5, reserve_hdf5, write_hdf5, flush_hdf5, close_hdf5};
