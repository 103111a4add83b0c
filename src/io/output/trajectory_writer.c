/* The writer of tables: checks the columns, collects rows in blocks, and decides when they go to the file. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/format.h"

#include "io/exchange/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const tp_table_format *const formats[] = {&tp_format_hdf5, &tp_format_csv};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0], NAME_LENGTH_MAX = 2000, PART_COUNT_MAX = 8 };

struct tp_trajectory_writer {
    tp_arena arena;
    const tp_table_format *format;
    void *sink;
    double *block; /* [column][TP_BLOCK_ROWS] */
    int column_count, block_count;
    long long row_count, written_count, flushed_count;
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

static tp_status check_def(tp_arena *arena, const tp_table_def *def, tp_message *why)
{
    if (!def->path || !*def->path) return tp_fail(why, TP_INVALID_ARGUMENT, "no path to write to");
    if (def->column_count < 1 || !def->columns || strcmp(def->columns[0].name, "time") != 0) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%s: the first column must be \"time\"", def->path);
    }
    if (def->flush_rows < 1 || !(def->flush_seconds >= 0.0)) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "%s: flush_rows is %d, flush_seconds %g: must be positive",
                       def->path, def->flush_rows, def->flush_seconds);
    }
    for (int i = 0; i < def->column_count; i++) {
        const char *name = def->columns[i].name;
        bool is_reserved = strcmp(name, "rows") == 0 || strcmp(name, "summary") == 0 ||
                           strncmp(name, "summary/", strlen("summary/")) == 0;
        if (is_path(name) && !is_reserved) continue;
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "%s: column %d cannot be called \"%.100s\": names are up to %d parts between '/', not "
                       "\".\", at most %d bytes, and \"rows\" and \"summary\" are taken",
                       def->path, i + 1, name, PART_COUNT_MAX, NAME_LENGTH_MAX);
    }
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
    writer->column_count = def->column_count;
    writer->flush_rows = def->flush_rows;
    writer->flush_seconds = def->flush_seconds;
    writer->time = -INFINITY;
    writer->block = TP_ARENA_ARRAY(&writer->arena, double, (size_t)def->column_count *TP_BLOCK_ROWS);
    if (!writer->block) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory for rows", def->path);
    TP_TRY(writer->format->open(&writer->arena, def, &writer->sink, why));
    writer->flushed_at = tp_wall_seconds();
    return TP_OK;
}

static void release_writer(tp_trajectory_writer *writer)
{
    tp_arena arena = writer->arena; /* the writer itself lies in it */
    tp_arena_clear(&arena);
}

tp_status tp_trajectory_writer_create(const tp_allocator *allocator, const tp_table_def *def,
                                      tp_trajectory_writer **writer_out, tp_message *why_out)
{
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    *writer_out = NULL;
    tp_trajectory_writer *writer = TP_ARENA_ARRAY(&arena, tp_trajectory_writer, 1);
    if (!writer) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for a writer");
    writer->arena = arena;
    tp_status status = set_up(writer, def, why_out);
    if (status == TP_OK) {
        *writer_out = writer;
    } else {
        release_writer(writer);
    }
    return status;
}

/* Keeps the first failure; everything afterwards is refused. */
static tp_status keep(tp_trajectory_writer *writer, tp_status status)
{
    if (writer->status == TP_OK) writer->status = status;
    return status;
}

static tp_status write_block(tp_trajectory_writer *writer)
{
    if (writer->block_count == 0) return TP_OK;
    TP_TRY(keep(writer,
                writer->format->write(writer->sink, writer->block, writer->block_count, &writer->message)));
    writer->written_count += writer->block_count;
    writer->block_count = 0;
    return TP_OK;
}

tp_status tp_trajectory_writer_flush(tp_trajectory_writer *writer)
{
    if (writer->status != TP_OK) return writer->status;
    TP_TRY(write_block(writer));
    TP_TRY(keep(writer, writer->format->flush(writer->sink, &writer->message)));
    writer->flushed_count = writer->written_count;
    writer->flushed_at = tp_wall_seconds();
    return TP_OK;
}

tp_status tp_trajectory_writer_append(tp_trajectory_writer *writer, const double *row)
{
    if (writer->status != TP_OK) return writer->status;
    if (!isfinite(row[0]) || row[0] < writer->time) {
        return tp_fail(&writer->message, TP_INVALID_ARGUMENT,
                       "row %lld: the time is %g after %g: it must be finite and not decrease",
                       writer->row_count + 1, row[0], writer->time);
    }
    for (int i = 0; i < writer->column_count; i++) {
        writer->block[(size_t)i * TP_BLOCK_ROWS + (size_t)writer->block_count] = row[i];
    }
    writer->time = row[0];
    writer->block_count++;
    writer->row_count++;

    /* Flushing every full block makes the place of everything in the file independent of what was flushed
       before: the moments that the clock chose leave no trace. */
    if (writer->row_count % TP_BLOCK_ROWS == 0 ||
        writer->row_count - writer->flushed_count >= writer->flush_rows ||
        tp_wall_seconds() - writer->flushed_at >= writer->flush_seconds) {
        return tp_trajectory_writer_flush(writer);
    }
    return TP_OK;
}

long long tp_trajectory_writer_row_count(const tp_trajectory_writer *writer)
{
    return writer->row_count;
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
    release_writer(writer);
    return status;
}
