/* CSV after RFC 4180 with plain line feeds: names, units behind "# ", then numbers with 17 significant
   digits, which read back as the same doubles. Only whole lines are handed to the operating system. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/format.h"

#include "io/common/c_locale.h"
#include "io/common/whole_file.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_LENGTH = 25, /* "-1.2345678901234567e-308" and what follows it */ BUFFER_BYTES = 65536 };

/* One file: the rows over time, or a table. */
typedef struct csv_file {
    const char *path;
    int file, column_count;
    char *buffer;
    size_t used, capacity, line_bytes;    /* line_bytes: longest line */
    const tp_table_labels *const *labels; /* [column_count] NULL: numbers alone */
} csv_file;

typedef struct csv_sink {
    csv_file *files; /* [file_count] the rows over time first */
    int file_count;
    bool is_standard_output;
} csv_sink;

/* A cell, quoted where the comma, a quote or a line end would be misread; at most 2 strlen + 3 bytes. */
static size_t put_cell(char *out, const char *text, bool keeps_line_ends)
{
    char *to = out;
    bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (is_quoted) *to++ = '"';
    for (const char *c = text; *c; c++) {
        if (*c == '"') *to++ = '"';
        *to++ = !keeps_line_ends && (*c == '\n' || *c == '\r') ? ' ' : *c;
    }
    if (is_quoted) *to++ = '"';
    return (size_t)(to - out);
}

/* One line of names or of units. */
static tp_status put_header(tp_arena *arena, const csv_file *file, const tp_table_column *columns,
                            bool is_units, tp_message *why)
{
    size_t bytes = 3;
    for (int i = 0; i < file->column_count; i++)
        bytes += 2 * strlen(is_units ? columns[i].unit : columns[i].name) + 3;
    char *line = TP_ARENA_ARRAY(arena, char, bytes);
    if (!line) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory for the header", file->path);
    size_t used = 0;
    if (is_units) {
        memcpy(line, "# ", 2);
        used = 2;
    }
    for (int i = 0; i < file->column_count; i++) {
        used += put_cell(line + used, is_units ? columns[i].unit : columns[i].name, !is_units);
        line[used++] = i + 1 < file->column_count ? ',' : '\n';
    }
    return tp_file_put(file->file, line, used) ? TP_OK : tp_file_fail(why, "write", file->path);
}

/* Longest cell of a column. */
static size_t cell_bytes(const tp_table_labels *labels)
{
    size_t bytes = NUMBER_LENGTH;
    for (int k = 0; labels && k < labels->count; k++) {
        size_t cell = 2 * strlen(labels->words[k]) + 4;
        if (cell > bytes) bytes = cell;
    }
    return bytes;
}

static tp_status copy_labels(tp_arena *arena, const tp_table *table, csv_file *file, tp_message *why)
{
    if (!table->labels) return TP_OK;
    const tp_table_labels **labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, file->column_count);
    if (!labels) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", file->path);
    for (int i = 0; i < file->column_count; i++) {
        if (!table->labels[i]) continue;
        tp_table_labels *list = TP_ARENA_ARRAY(arena, tp_table_labels, 1);
        const char **words = TP_ARENA_ARRAY(arena, const char *, table->labels[i]->count + 1);
        if (!list || !words) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", file->path);
        for (int k = 0; k < table->labels[i]->count; k++) {
            const char *word = table->labels[i]->words[k];
            words[k] = tp_arena_copy(arena, word, strlen(word) + 1, 1);
            if (!words[k]) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", file->path);
        }
        *list = (tp_table_labels){NULL, words, table->labels[i]->count};
        labels[i] = list;
    }
    file->labels = labels;
    return TP_OK;
}

static tp_status open_file(tp_arena *arena, csv_file *file, const tp_table *table, const char *path,
                           bool is_standard_output, tp_message *why)
{
    *file = (csv_file){.path = path, .file = -1, .column_count = table->column_count};
    TP_TRY(copy_labels(arena, table, file, why));
    for (int i = 0; i < table->column_count; i++)
        file->line_bytes += cell_bytes(file->labels ? file->labels[i] : NULL);
    file->capacity = file->line_bytes > BUFFER_BYTES ? file->line_bytes : BUFFER_BYTES;
    file->buffer = TP_ARENA_ARRAY(arena, char, file->capacity + 1);
    if (!file->buffer) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", path);
    file->file = is_standard_output ? STDOUT_FILENO
                                    : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (file->file < 0) return tp_file_fail(why, "write", path);
    TP_TRY(put_header(arena, file, table->columns, false, why));
    return put_header(arena, file, table->columns, true, why);
}

size_t tp_csv_table_path(const char *path, const char *table, char *out, size_t capacity)
{
    size_t stem = strlen(path) - (tp_path_ends(path, ".csv") ? strlen(".csv") : 0);
    int length = snprintf(out, capacity, "%.*s-%s.csv", (int)stem, path, table);
    return length > 0 ? (size_t)length : 0;
}

static const char *table_path(tp_arena *arena, const char *path, const char *table)
{
    size_t bytes = tp_csv_table_path(path, table, NULL, 0) + 1;
    char *made = TP_ARENA_ARRAY(arena, char, bytes);
    if (made) tp_csv_table_path(path, table, made, bytes);
    return made;
}

static void close_files(csv_sink *sink)
{
    for (int k = 0; k < sink->file_count && !sink->is_standard_output; k++) {
        if (sink->files[k].file >= 0) close(sink->files[k].file);
    }
}

/* The standard output has the rows over time alone. */
static tp_status open_files(tp_arena *arena, csv_sink *sink, const tp_table_def *def, tp_message *why)
{
    tp_table rows = {.columns = def->columns, .column_count = def->column_count};
    const char *path = sink->is_standard_output ? "the standard output"
                                                : tp_arena_copy(arena, def->path, strlen(def->path) + 1, 1);
    int table_count = sink->is_standard_output ? 0 : def->table_count;
    sink->files = TP_ARENA_ARRAY(arena, csv_file, 1 + def->table_count);
    for (int k = -1; k < table_count && sink->files; k++) {
        if (k >= 0) path = table_path(arena, def->path, def->tables[k].name);
        if (!path) break;
        sink->file_count++;
        TP_TRY(open_file(arena, &sink->files[1 + k], k < 0 ? &rows : &def->tables[k], path,
                         sink->is_standard_output, why));
    }
    bool is_done = sink->files && sink->file_count == 1 + table_count;
    return is_done ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
}

static tp_status open_csv(tp_arena *arena, const tp_table_def *def, void **sink_out, tp_message *why)
{
    csv_sink *sink = TP_ARENA_ARRAY(arena, csv_sink, 1);
    if (!sink) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
    sink->is_standard_output = strcmp(def->path, "-") == 0;
    tp_status status = open_files(arena, sink, def, why);
    if (status != TP_OK) close_files(sink);
    *sink_out = status == TP_OK ? sink : NULL;
    return status;
}

static tp_status flush_file(csv_file *file, tp_message *why)
{
    size_t used = file->used;
    file->used = 0;
    return tp_file_put(file->file, file->buffer, used) ? TP_OK : tp_file_fail(why, "write", file->path);
}

static tp_status flush_csv(void *self, tp_message *why)
{
    csv_sink *sink = self;
    for (int k = 0; k < sink->file_count; k++) TP_TRY(flush_file(&sink->files[k], why));
    return TP_OK;
}

/* A number, or the word that it stands for; none is an empty cell. */
static size_t put_value(char *out, double value, const tp_table_labels *labels)
{
    if (labels) {
        bool is_word = value >= 0.0 && value < labels->count;
        return is_word ? put_cell(out, labels->words[(int)value], false) : 0;
    }
    if (isnan(value)) return (size_t)sprintf(out, "nan"); /* the C library would tell its sign */
    return (size_t)snprintf(out, NUMBER_LENGTH, "%.17g", value);
}

static tp_status write_lines(csv_file *file, const double *values, int row_count, tp_message *why)
{
    for (int row = 0; row < row_count; row++) {
        if (file->capacity - file->used < file->line_bytes) TP_TRY(flush_file(file, why));
        for (int i = 0; i < file->column_count; i++) {
            file->used += put_value(file->buffer + file->used,
                                    values[(size_t)row * (size_t)file->column_count + (size_t)i],
                                    file->labels ? file->labels[i] : NULL);
            file->buffer[file->used++] = i + 1 < file->column_count ? ',' : '\n';
        }
    }
    return TP_OK;
}

static tp_status write_csv(void *self, int table, const double *values, int row_count, tp_message *why)
{
    csv_sink *sink = self;
    tp_c_locale scope;
    if (1 + table >= sink->file_count) return TP_OK;
    TP_TRY(tp_c_locale_enter(&scope, why));
    tp_status status = write_lines(&sink->files[1 + table], values, row_count, why);
    tp_c_locale_leave(&scope);
    return status;
}

static tp_status close_csv(void *self, bool is_complete, const tp_table_attribute *summary, int summary_count,
                           tp_message *why)
{
    csv_sink *sink = self;
    tp_status status = TP_OK;
    (void)is_complete;
    (void)summary; /* a table of numbers has no place for it */
    (void)summary_count;
    for (int k = 0; k < sink->file_count && !sink->is_standard_output; k++) {
        if (close(sink->files[k].file) != 0) status = tp_file_fail(why, "write", sink->files[k].path);
    }
    return status;
}

const tp_table_format tp_format_csv = {"csv", open_csv, NULL, write_csv, flush_csv, close_csv};
