/* CSV after RFC 4180 with plain line feeds: names, units behind "# ", then numbers with 17 significant
   digits, which read back as the same doubles. Only whole lines are handed to the operating system. */
#define _POSIX_C_SOURCE 200809L
#include "io/output/format.h"

#include "io/exchange/c_locale.h"
#include "io/exchange/whole_file.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_LENGTH = 25, /* "-1.2345678901234567e-308" and what follows it */ BUFFER_BYTES = 65536 };

typedef struct csv_sink {
    const char *path;
    int file, column_count;
    bool is_standard_output;
    char *buffer;
    size_t used, capacity, line_bytes; /* line_bytes: longest line of numbers */
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
static tp_status put_header(tp_arena *arena, const csv_sink *sink, const tp_table_def *def, bool is_units,
                            tp_message *why)
{
    size_t bytes = 3;
    for (int i = 0; i < def->column_count; i++) {
        const tp_table_column *column = &def->columns[i];
        bytes += 2 * strlen(is_units ? column->unit : column->name) + 3;
    }
    char *line = TP_ARENA_ARRAY(arena, char, bytes);
    if (!line) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory for the header", def->path);
    size_t used = 0;
    if (is_units) {
        memcpy(line, "# ", 2);
        used = 2;
    }
    for (int i = 0; i < def->column_count; i++) {
        const tp_table_column *column = &def->columns[i];
        used += put_cell(line + used, is_units ? column->unit : column->name, !is_units);
        line[used++] = i + 1 < def->column_count ? ',' : '\n';
    }
    return tp_file_put(sink->file, line, used) ? TP_OK : tp_file_fail(why, "write", def->path);
}

static tp_status open_csv(tp_arena *arena, const tp_table_def *def, void **sink_out, tp_message *why)
{
    csv_sink *sink = TP_ARENA_ARRAY(arena, csv_sink, 1);
    char *path = tp_arena_copy(arena, def->path, strlen(def->path) + 1, 1);
    size_t line_bytes = (size_t)def->column_count * NUMBER_LENGTH;
    size_t capacity = line_bytes > BUFFER_BYTES ? line_bytes : BUFFER_BYTES;
    char *buffer = TP_ARENA_ARRAY(arena, char, capacity + 1);
    if (!sink || !path || !buffer) return tp_fail(why, TP_OUT_OF_MEMORY, "%s: no memory", def->path);
    *sink = (csv_sink){.path = path,
                       .column_count = def->column_count,
                       .is_standard_output = strcmp(path, "-") == 0,
                       .buffer = buffer,
                       .capacity = capacity,
                       .line_bytes = line_bytes};
    sink->file = sink->is_standard_output
                     ? STDOUT_FILENO
                     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (sink->is_standard_output) sink->path = "the standard output";
    if (sink->file < 0) return tp_file_fail(why, "write", path);
    tp_status status = put_header(arena, sink, def, false, why);
    if (status == TP_OK) status = put_header(arena, sink, def, true, why);
    if (status != TP_OK && !sink->is_standard_output) close(sink->file);
    *sink_out = status == TP_OK ? sink : NULL;
    return status;
}

static tp_status flush_csv(void *self, tp_message *why)
{
    csv_sink *sink = self;
    size_t used = sink->used;
    sink->used = 0;
    return tp_file_put(sink->file, sink->buffer, used) ? TP_OK : tp_file_fail(why, "write", sink->path);
}

static size_t put_number(char *out, double value)
{
    if (isnan(value)) return (size_t)sprintf(out, "nan"); /* the C library would tell its sign */
    return (size_t)snprintf(out, NUMBER_LENGTH, "%.17g", value);
}

static tp_status write_lines(csv_sink *sink, const double *values, int row_count, tp_message *why)
{
    for (int row = 0; row < row_count; row++) {
        if (sink->capacity - sink->used < sink->line_bytes) TP_TRY(flush_csv(sink, why));
        for (int i = 0; i < sink->column_count; i++) {
            sink->used +=
                put_number(sink->buffer + sink->used, values[(size_t)i * TP_BLOCK_ROWS + (size_t)row]);
            sink->buffer[sink->used++] = i + 1 < sink->column_count ? ',' : '\n';
        }
    }
    return TP_OK;
}

static tp_status write_csv(void *self, const double *values, int row_count, tp_message *why)
{
    tp_c_locale scope;
    TP_TRY(tp_c_locale_enter(&scope, why));
    tp_status status = write_lines(self, values, row_count, why);
    tp_c_locale_leave(&scope);
    return status;
}

static tp_status close_csv(void *self, bool is_complete, const tp_table_attribute *summary, int summary_count,
                           tp_message *why)
{
    csv_sink *sink = self;
    (void)is_complete;
    (void)summary; /* a table of numbers has no place for it */
    (void)summary_count;
    if (sink->is_standard_output) return TP_OK;
    return close(sink->file) == 0 ? TP_OK : tp_file_fail(why, "write", sink->path);
}

const tp_table_format tp_format_csv = {"csv", open_csv, write_csv, flush_csv, close_csv};
