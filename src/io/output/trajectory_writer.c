/* The writer of tables: checks the columns, collects rows in blocks, and decides when they go to the file. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/format.h"

#include "io/common/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const tp_table_format *const formats[] = {&tp_format_hdf5, &tp_format_csv};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0], NAME_LENGTH_MAX = 2000, PART_COUNT_MAX = 8 };

/* Rows of one table that the format has not yet got. */
typedef struct row_block {
    double *values; /* [TP_BLOCK_ROWS][column_count] */
    int column_count, count;
    long long row_count; /* so far */
} row_block;

struct tp_trajectory_writer {
    tp_arena arena;
    const tp_table_format *format;
    void *sink;
    row_block *blocks; /* [1 + table_count] the rows over time first */
    int table_count;
    long long flushed_count; /* rows over time */
    int flush_rows;
    double flush_seconds, flushed_at; /* [s] */
    double time;                      /* of the last row */
    tp_status status;                 /* of the first failure */
    tp_message message;
};

int tp_table_format_count(void)
{
    return FORMAT_COUNT;
}

const char *tp_table_format_name(int index)
{
    return index >= 0 && index < FORMAT_COUNT ? formats[index]->name : NULL;
}

tp_table_def tp_table_def_default(void)
{
    return (tp_table_def){.flush_rows = TP_BLOCK_ROWS, .flush_seconds = 1.0};
}

static const tp_table_format *find_format(const tp_table_def *def)
{
    const char *name = def->format;
    if (!name) name = strcmp(def->path, "-") == 0 || tp_path_ends(def->path, ".csv") ? "csv" : "hdf5";
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    }
    return NULL;
}

/* Parts between slashes must be escaped names, none of them empty or a dot. */
static bool is_path(const char *name)
{
    int part_count = 0;
    for (const char *part = name;; part_count++) {
        size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0)) {
            return false;
        }
        if (part[length] == 0) break;
        part += length + 1;
    }
    return part_count < PART_COUNT_MAX && strlen(name) <= NAME_LENGTH_MAX;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t group_length(const char *name)
{
    return strcspn(name, "/");
}

static bool is_same_group(const char *a, const char *b)
{
    return group_length(a) == group_length(b) && strncmp(a, b, group_length(a)) == 0;
}

/* Columns of a group stand together: it is one data set. */
static tp_status check_groups(const tp_table_def *def, tp_message *why)
{
    for (int i = 1; i < def->column_count; i++) {
        const char *name = def->columns[i].name;
        if (is_same_group(def->columns[i - 1].name, name)) continue;
        for (int k = 0; k < i - 1; k++) {
            if (!is_same_group(def->columns[k].name, name)) continue;
            return tp_fail(why, TP_INVALID_ARGUMENT, "%s: column \"%.100s\" is separated from its group",
                           def->path, name);
        }
    }
    return TP_OK;
}

/* A name may stand once, and no column may be the group of another. */
static tp_status check_distinct(tp_arena *arena, const tp_table_def *def, tp_message *why)
{
    const char **names = TP_ARENA_ARRAY(arena, const char *, def->column_count);
    if (!names) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for %d columns", def->column_count);
    for (int i = 0; i < def->column_count; i++) names[i] = def->columns[i].name;
    qsort(names, (size_t)def->column_count, sizeof names[0], compare_names);
    for (int i = 1; i < def->column_count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            return tp_fail(why, TP_INVALID_ARGUMENT, "there are two columns \"%s\"", names[i]);
        }
    }
    char group[NAME_LENGTH_MAX + 1];
    const char *key = group;
    for (int i = 0; i < def->column_count; i++) {
        for (const char *end = strchr(names[i], '/'); end; end = strchr(end + 1, '/')) {
            snprintf(group, sizeof group, "%.*s", (int)(end - names[i]), names[i]);
            if (!bsearch(&key, names, (size_t)def->column_count, sizeof names[0], compare_names)) continue;
            return tp_fail(why, TP_INVALID_ARGUMENT, "\"%s\" is a column and the group of column \"%s\"",
                           group, names[i]);
        }
    }
    return TP_OK;
}

static bool is_reserved(const char *name)
{
    static const char *const taken[] = {"rows", "summary", "tables", "labels"};
    for (size_t k = 0; k < sizeof taken / sizeof taken[0]; k++) {
        if (is_same_group(name, taken[k])) return true;
    }
    return false;
}

/* Rows over time, or runs of a sweep. */
static bool is_first_column(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "run") == 0;
}

static tp_status check_def(tp_arena *arena, const tp_table_def *def, tp_message *why)
{
    if (!def->path || !*def->path) return tp_fail(why, TP_INVALID_ARGUMENT, "no path to write to");
    if (def->column_count < 1 || !def->columns || !is_first_column(def->columns[0].name)) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%s: the first column must be \"time\" or \"run\"",
                       def->path);
    }
    if (def->flush_rows < 1 || !(def->flush_seconds >= 0.0)) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%s: flush_rows is %d, flush_seconds %g: must be positive",
                       def->path, def->flush_rows, def->flush_seconds);
    }
    for (int i = 0; i < def->column_count; i++) {
        const char *name = def->columns[i].name;
        if (is_path(name) && !is_reserved(name)) continue;
        return tp_fail(
            why, TP_INVALID_ARGUMENT,
            "%s: column %d cannot be called \"%.100s\": names are up to %d parts between '/', not "
            "\".\", at most %d bytes, and \"rows\", \"summary\", \"tables\" and \"labels\" are taken",
            def->path, i + 1, name, PART_COUNT_MAX, NAME_LENGTH_MAX);
    }
    TP_TRY(check_groups(def, why));
    return check_distinct(arena, def, why);
}

double tp_wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static tp_status set_up(tp_trajectory_writer *writer, const tp_table_def *def, tp_message *why)
{
    TP_TRY(check_def(&writer->arena, def, why));
    writer->format = find_format(def);
    if (!writer->format) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%s: there is no format \"%s\"", def->path, def->format);
    }
    writer->table_count = def->table_count;
    writer->flush_rows = def->flush_rows;
    writer->flush_seconds = def->flush_seconds;
    writer->time = -INFINITY;
    writer->blocks = TP_ARENA_ARRAY(&writer->arena, row_block, 1 + def->table_count);
    for (int k = 0; k <= def->table_count && writer->blocks; k++) {
        int columns = k == 0 ? def->column_count : def->tables[k - 1].column_count;
        writer->blocks[k].column_count = columns;
        /* memory that no row has filled is not touched: a wide table is flushed before it is full */
        writer->blocks[k].values = TP_ARENA_RAW(&writer->arena, double, (size_t)columns *TP_BLOCK_ROWS);
        if (!writer->blocks[k].values) writer->blocks = NULL;
    }
    if (!writer->blocks) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory for rows", def->path);
    TP_TRY(writer->format->open(&writer->arena, def, &writer->sink, why));
    writer->flushed_at = tp_wall_seconds();
    return TP_OK;
}

tp_status tp_trajectory_writer_create(const tp_allocator *allocator, const tp_table_def *def,
                                      tp_trajectory_writer **writer_out, tp_message *why_out)
{
    *writer_out = NULL;
    tp_trajectory_writer *writer = TP_ARENA_OBJECT(tp_trajectory_writer, allocator);
    if (writer == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a writer");
    tp_status status = set_up(writer, def, why_out);
    if (status != TP_OK) tp_arena_clear(&writer->arena);
    *writer_out = status == TP_OK ? writer : NULL;
    return status;
}

/* Keeps the first failure; everything afterwards is refused. */
static tp_status keep(tp_trajectory_writer *writer, tp_status status)
{
    if (writer->status == TP_OK) writer->status = status;
    return status;
}

static tp_status write_block(tp_trajectory_writer *writer, int table)
{
    row_block *block = &writer->blocks[1 + table];
    if (block->count == 0) return TP_OK;
    TP_TRY(keep(writer,
                writer->format->write(writer->sink, table, block->values, block->count, &writer->message)));
    block->count = 0;
    return TP_OK;
}

/* Room in the file is taken when a row comes, not when it is written: the moments of flushing, which a clock
   chooses, leave no trace in the file. */
static tp_status add_row(tp_trajectory_writer *writer, int table, const double *row)
{
    row_block *block = &writer->blocks[1 + table];
    if (block->row_count % TP_BLOCK_ROWS == 0 && writer->format->reserve != NULL)
        TP_TRY(keep(writer, writer->format->reserve(writer->sink, table, &writer->message)));
    memcpy(block->values + (size_t)block->count * (size_t)block->column_count, row,
           (size_t)block->column_count * sizeof(double));
    block->count++;
    block->row_count++;
    return block->row_count % TP_BLOCK_ROWS == 0 ? write_block(writer, table) : TP_OK;
}

tp_status tp_trajectory_writer_flush(tp_trajectory_writer *writer)
{
    if (writer->status != TP_OK) return writer->status;
    for (int table = TP_MAIN_TABLE; table < writer->table_count; table++) TP_TRY(write_block(writer, table));
    TP_TRY(keep(writer, writer->format->flush(writer->sink, &writer->message)));
    writer->flushed_count = writer->blocks[0].row_count;
    writer->flushed_at = tp_wall_seconds();
    return TP_OK;
}

tp_status tp_trajectory_writer_add(tp_trajectory_writer *writer, int table, const double *row)
{
    if (writer->status != TP_OK) return writer->status;
    if (table < 0 || table >= writer->table_count) {
        return tp_fail(&writer->message, TP_INVALID_ARGUMENT, "there is no table %d", table);
    }
    return add_row(writer, table, row);
}

tp_status tp_trajectory_writer_append(tp_trajectory_writer *writer, const double *row)
{
    if (writer->status != TP_OK) return writer->status;
    if (!isfinite(row[0]) || row[0] < writer->time) {
        return tp_fail(&writer->message, TP_INVALID_ARGUMENT,
                       "row %lld: the time is %g after %g: it must be finite and not decrease",
                       writer->blocks[0].row_count + 1, row[0], writer->time);
    }
    TP_TRY(add_row(writer, TP_MAIN_TABLE, row));
    writer->time = row[0];
    if (writer->blocks[0].row_count - writer->flushed_count >= writer->flush_rows ||
        tp_wall_seconds() - writer->flushed_at >= writer->flush_seconds) {
        return tp_trajectory_writer_flush(writer);
    }
    return TP_OK;
}

long long tp_trajectory_writer_row_count(const tp_trajectory_writer *writer)
{
    return writer->blocks[0].row_count;
}

const char *tp_trajectory_writer_message(const tp_trajectory_writer *writer)
{
    return writer->message.text;
}

tp_status tp_trajectory_writer_close(tp_trajectory_writer *writer, const tp_table_attribute *summary,
                                     int summary_count, tp_message *why_out)
{
    if (!writer) return TP_OK;
    tp_status status = tp_trajectory_writer_flush(writer);
    tp_message late = {""};
    tp_status closed = writer->format->close(writer->sink, status == TP_OK, summary, summary_count, &late);
    if (status == TP_OK && closed != TP_OK) {
        status = closed;
        writer->message = late;
    }
    if (status != TP_OK) tp_fail(why_out, status, "%s", writer->message.text);
    tp_arena_clear(&writer->arena);
    return status;
}
