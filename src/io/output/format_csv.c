/* CSV after RFC 4180 with plain line feeds: names, units after "# ", then numbers with 17 significant
   digits, which read back as the same doubles. Only whole lines are handed to the operating system. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/format.h"

#include "io/common/c_locale.h"
#include "io/common/text.h"
#include "io/common/whole_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 60000 }; /* that are collected before lines go to the file */

/* One file: the rows over time, or a table. */
typedef struct csv_file {
    const char *path;
    int file, column_count;
    off_t written;                        /* bytes of it */
    tp_text lines;                        /* whole ones that are not yet in the file */
    const tp_table_labels *const *labels; /* [column_count] NULL: numbers alone      */
} csv_file;

typedef struct csv_sink {
    csv_file *files; /* [file_count] the rows over time first */
    int file_count;
    bool is_standard_output;
} csv_sink;

static tp_status no_memory(const char *path, tp_message *why)
{
    return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", path);
}

/* A cell, quoted where the comma, a quote or a line end would be misread. */
static void put_cell(tp_text *line, const char *text, bool keeps_line_ends)
{
    const char *quote = strpbrk(text, ",\"\r\n") != NULL ? "\"" : "";
    tp_text_add_bytes(line, quote, strlen(quote));
    for (const char *c = text; *c; c++) {
        bool is_line_end = *c == '\n' || *c == '\r';
        if (*c == '"') tp_text_add_bytes(line, "\"", 1);
        tp_text_add_bytes(line, is_line_end && !keeps_line_ends ? " " : c, 1);
    }
    tp_text_add_bytes(line, quote, strlen(quote));
}

static void end_cell(csv_file *file, int column)
{
    tp_text_add_bytes(&file->lines, column + 1 < file->column_count ? "," : "\n", 1);
}

/* A file that another program writes as well would be a mixture of both. */
static tp_status check_own(const csv_file *file, tp_message *why)
{
    struct stat info;
    if (file->file == STDOUT_FILENO) return TP_OK; /* may follow what others wrote */
    TP_TRY(tp_file_check_kept(file->file, file->path, why));
    if (fstat(file->file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == file->written)
        return TP_OK;
    return tp_fail(why, TP_FILE_ERROR, "cannot write %s: another program writes it, too", file->path);
}

static tp_status flush_file(csv_file *file, tp_message *why)
{
    size_t count = file->lines.count;
    file->lines.count = 0;
    if (file->lines.has_failed) return no_memory(file->path, why);
    TP_TRY(check_own(file, why));
    if (!tp_file_put(file->file, file->lines.bytes, count)) return tp_file_fail(why, "write", file->path);
    file->written += (off_t)count;
    return TP_OK;
}

/* A line of names, and one of units. */
static tp_status put_header(csv_file *file, const tp_table_column *columns, tp_message *why)
{
    for (int i = 0; i < file->column_count; i++) {
        put_cell(&file->lines, columns[i].name, true);
        end_cell(file, i);
    }
    tp_text_add(&file->lines, "# ");
    for (int i = 0; i < file->column_count; i++) {
        put_cell(&file->lines, columns[i].unit, false);
        end_cell(file, i);
    }
    return flush_file(file, why);
}

static tp_status copy_labels(tp_arena *arena, const tp_table *table, csv_file *file, tp_message *why)
{
    if (!table->labels) return TP_OK;
    const tp_table_labels **labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, file->column_count);
    if (!labels) return no_memory(file->path, why);
    for (int i = 0; i < file->column_count; i++) {
        if (!table->labels[i]) continue;
        tp_table_labels *list = TP_ARENA_ARRAY(arena, tp_table_labels, 1);
        const char **words = TP_ARENA_ARRAY(arena, const char *, table->labels[i]->count + 1);
        if (!list || !words) return no_memory(file->path, why);
        for (int k = 0; k < table->labels[i]->count; k++) {
            words[k] = tp_arena_text(arena, table->labels[i]->words[k]);
            if (!words[k]) return no_memory(file->path, why);
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
    file->file = is_standard_output ? STDOUT_FILENO
                                    : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (file->file < 0) return tp_file_fail(why, "write", path);
    return put_header(file, table->columns, why);
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

/* Closes all files and releases their lines; the first failure counts. */
static tp_status close_files(csv_sink *sink, tp_message *why)
{
    tp_status status = TP_OK;
    for (int k = 0; k < sink->file_count; k++) {
        csv_file *file = &sink->files[k];
        bool is_open = file->file >= 0 && !sink->is_standard_output;
        if (is_open && close(file->file) != 0 && status == TP_OK)
            status = tp_file_fail(why, "write", file->path);
        tp_text_clear(&file->lines);
    }
    return status;
}

/* The standard output has the rows over time alone. */
static tp_status open_files(tp_arena *arena, csv_sink *sink, const tp_table_def *def, tp_message *why)
{
    tp_table rows = {.columns = def->columns, .column_count = def->column_count};
    const char *path = sink->is_standard_output ? "the standard output" : tp_arena_text(arena, def->path);
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
    return is_done ? TP_OK : no_memory(def->path, why);
}

static tp_status open_csv(tp_arena *arena, const tp_table_def *def, void **sink_out, tp_message *why)
{
    csv_sink *sink = TP_ARENA_ARRAY(arena, csv_sink, 1);
    if (!sink) return no_memory(def->path, why);
    sink->is_standard_output = strcmp(def->path, "-") == 0;
    tp_status status = open_files(arena, sink, def, why);
    if (status != TP_OK) close_files(sink, NULL);
    *sink_out = status == TP_OK ? sink : NULL;
    return status;
}

static tp_status flush_csv(void *self, tp_message *why)
{
    csv_sink *sink = self;
    for (int k = 0; k < sink->file_count; k++) TP_TRY(flush_file(&sink->files[k], why));
    return TP_OK;
}

/* A number, or the word that it stands for; none is an empty cell. */
static void put_value(tp_text *line, double value, const tp_table_labels *labels)
{
    bool is_word = labels && value >= 0.0 && value < labels->count;
    if (is_word) put_cell(line, labels->words[(int)value], false);
    if (labels) return;
    if (isnan(value)) tp_text_add_bytes(line, "nan", strlen("nan")); /* the C library would show its sign */
    if (!isnan(value)) tp_text_add_real(line, value);
}

static tp_status write_lines(csv_file *file, const double *values, int row_count, tp_message *why)
{
    for (int row = 0; row < row_count; row++) {
        if (file->lines.count > BUFFER_BYTES) TP_TRY(flush_file(file, why));
        for (int i = 0; i < file->column_count; i++) {
            put_value(&file->lines, values[(size_t)row * (size_t)file->column_count + (size_t)i],
                      file->labels ? file->labels[i] : NULL);
            end_cell(file, i);
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
    (void)is_complete, (void)summary, (void)summary_count; /* a table of numbers has no place for it */
    return close_files(self, why);
}

const tp_table_format tp_format_csv = {"csv", open_csv, NULL, write_csv, flush_csv, close_csv};
