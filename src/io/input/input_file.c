/* Values of inputs over time from a CSV file; docs/guide/inputs.md. */
#include "tippe/input_file.h"

#include "io/common/ascending.h"
#include "io/common/c_locale.h"
#include "io/common/near.h"
#include "io/common/tokens.h"
#include "io/common/whole_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A time of a row counts as reached if only this much of a time step is missing: times of steps and of rows
   are rounded. */
static const double time_remainder = 1e-9;

struct tp_input_table {
    tp_arena arena; /* the object itself lies in it */
    const tp_model *model;
    int column_count, row_count;
    int *inputs;           /* [column_count] number of the model's input          */
    double *time, *values; /* [row_count], [row_count * column_count] row by row  */
};

/* The text, and how far it is read. */
typedef struct csv_reader {
    tp_tokens text; /* `at` is where the next cell starts */
    bool is_line_end;
} csv_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next cell of a line, without white space around it. */
static tp_token next_cell(csv_reader *r)
{
    const tp_tokens *text = &r->text;
    size_t first = text->at, end = first;
    while (end < text->length && text->text[end] != ',' && text->text[end] != '\n') end++;
    r->is_line_end = end == text->length || text->text[end] == '\n';
    r->text.at = end < text->length ? end + 1 : end;
    while (first < end && is_blank(text->text[first])) first++;
    while (end > first && is_blank(text->text[end - 1])) end--;
    return (tp_token){text->text + first, end - first};
}

/* Skips lines that are empty or a comment; false at the end of the text. */
static bool find_line(csv_reader *r)
{
    tp_tokens *text = &r->text;
    while (text->at < text->length) {
        size_t first = text->at;
        while (first < text->length && is_blank(text->text[first])) first++;
        if (first < text->length && text->text[first] != '\n' && text->text[first] != '#') return true;
        const char *end = memchr(text->text + first, '\n', text->length - first);
        text->at = end ? (size_t)(end - text->text) + 1 : text->length;
    }
    return false;
}

static tp_status read_name(csv_reader *r, tp_input_table *table)
{
    char name[256];
    tp_token cell = next_cell(r);
    snprintf(name, sizeof name, "%.*s", (int)(cell.length < sizeof name ? cell.length : sizeof name - 1),
             cell.text);
    int input = tp_model_find_input(table->model, name);
    if (input < 0) {
        tp_near near = tp_near_begin(name);
        for (int i = 0; tp_model_input_name(table->model, i); i++)
            tp_near_offer(&near, tp_model_input_name(table->model, i));
        return tp_tokens_fail_at(&r->text, cell, "the scene has no input '%.60s'%s", name,
                                 tp_near_hint_of(&near).text);
    }
    for (int k = 0; k < table->column_count; k++) {
        if (table->inputs[k] == input)
            return tp_tokens_fail_at(&r->text, cell, "input '%.60s' has two columns", name);
    }
    table->inputs[table->column_count++] = input;
    return TP_OK;
}

static tp_status read_header(csv_reader *r, tp_input_table *table)
{
    int capacity = tp_model_summarise(table->model).input_count;
    table->inputs = TP_ARENA_ARRAY(&table->arena, int, capacity + 1);
    if (!table->inputs) return tp_fail(r->text.why, TP_OUT_OF_MEMORY, "no memory for inputs");
    bool is_there = find_line(r);
    tp_token cell = is_there ? next_cell(r) : (tp_token){r->text.text + r->text.length, 0};
    if (!tp_token_is(cell, "time") || r->is_line_end)
        return tp_tokens_fail(&r->text, cell, "expected a first line like time,NAME,NAME");
    while (!r->is_line_end) TP_TRY(read_name(r, table));
    return TP_OK;
}

/* One number that fills the cell. */
static tp_status read_number(csv_reader *r, double *value_out)
{
    tp_token cell = next_cell(r);
    if (!tp_token_is_number(cell)) {
        return cell.length > 0 ? tp_tokens_fail(&r->text, cell, "expected a number")
                               : tp_tokens_fail_at(&r->text, cell, "expected a number, found an empty cell");
    }
    tp_tokens number = r->text;
    number.at = (size_t)(cell.text - r->text.text);
    number.length = number.at + cell.length;
    return tp_tokens_reals(&number, "the number", 1, value_out);
}

static tp_status read_row(csv_reader *r, tp_input_table *table)
{
    size_t start = r->text.at;
    double *time = &table->time[table->row_count],
           *values = table->values + (size_t)table->row_count * (size_t)table->column_count;
    TP_TRY(read_number(r, time));
    tp_token first = {r->text.text + start, 1};
    if (table->row_count > 0 && !(*time > time[-1]))
        return tp_tokens_fail_at(&r->text, first, "time %g does not come after %g: times must ascend", *time,
                                 time[-1]);
    for (int k = 0; k < table->column_count; k++) {
        if (r->is_line_end)
            return tp_tokens_fail_at(&r->text, first, "the row has %d of %d numbers", k + 1,
                                     table->column_count + 1);
        TP_TRY(read_number(r, &values[k]));
    }
    if (!r->is_line_end)
        return tp_tokens_fail_at(&r->text, next_cell(r), "the row has more than %d numbers",
                                 table->column_count + 1);
    table->row_count++;
    return TP_OK;
}

static tp_status read_table(csv_reader *r, tp_input_table *table)
{
    if (r->text.length >= 3 && memcmp(r->text.text, "\xEF\xBB\xBF", 3) == 0) r->text.at = 3; /* UTF-8 mark */
    TP_TRY(read_header(r, table));
    size_t lines = 1;
    for (size_t i = r->text.at; i < r->text.length; i++) lines += r->text.text[i] == '\n';
    table->time = TP_ARENA_ARRAY(&table->arena, double, lines);
    /* A number takes two bytes: a file cannot ask for more memory than a few times its size. */
    size_t columns = (size_t)table->column_count, cells = r->text.length / 2 + columns + 1;
    if (lines <= cells / columns) cells = lines * columns;
    table->values = TP_ARENA_ARRAY(&table->arena, double, cells);
    if (!table->time || !table->values)
        return tp_fail(r->text.why, TP_OUT_OF_MEMORY, "no memory to read %.600s", r->text.name);
    while (find_line(r)) TP_TRY(read_row(r, table));
    if (table->row_count > 0) return TP_OK;
    return tp_fail(r->text.why, TP_INVALID_DATA, "%.600s: there are no rows after the first line",
                   r->text.name);
}

/* The arena of the table has the bytes, too, if they were read from a file. */
static tp_status read_bytes(tp_input_table *table, const char *name, const void *bytes, size_t count,
                            tp_message *why_out)
{
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why_out));
    csv_reader r = {.text = {.name = name, .text = bytes, .length = count, .why = why_out}};
    tp_status status = read_table(&r, table);
    tp_c_locale_leave(&locale);
    return status;
}

static tp_status read_any(const tp_allocator *allocator, const tp_model *model, const char *name,
                          const void *bytes, size_t count, tp_input_table **table_out, tp_message *why_out)
{
    *table_out = NULL;
    tp_input_table *table = TP_ARENA_OBJECT(tp_input_table, allocator);
    if (!table) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %.600s", name);
    table->model = model;
    unsigned char *read = NULL;
    tp_status status = bytes ? TP_OK : tp_file_read(&table->arena, name, &read, &count, why_out);
    if (status == TP_OK) status = read_bytes(table, name, bytes ? bytes : read, count, why_out);
    if (status != TP_OK) tp_input_table_free(table);
    *table_out = status == TP_OK ? table : NULL;
    return status;
}

tp_status tp_input_table_read(const tp_allocator *allocator, const tp_model *model, const char *path,
                              tp_input_table **table_out, tp_message *why_out)
{
    return read_any(allocator, model, path, NULL, 0, table_out, why_out);
}

tp_status tp_input_table_read_memory(const tp_allocator *allocator, const tp_model *model, const char *name,
                                     const void *bytes, size_t count, tp_input_table **table_out,
                                     tp_message *why_out)
{
    return read_any(allocator, model, name, bytes ? bytes : "", count, table_out, why_out);
}

void tp_input_table_free(tp_input_table *table)
{
    if (table) tp_arena_clear(&table->arena);
}

tp_status tp_input_table_apply(const tp_input_table *table, tp_simulation *simulation, tp_message *why_out)
{
    double now = tp_simulation_time(simulation), step = tp_simulation_get_options(simulation)->time_step;
    double until = now + time_remainder * step + 8.0 * DBL_EPSILON * fabs(now);
    int row = (int)tp_ascending_count(table->time, table->row_count, until) - 1;
    for (int k = 0; row >= 0 && k < table->column_count; k++) {
        tp_input_id id = {tp_simulation_model(simulation), table->inputs[k]};
        TP_TRY(tp_simulation_set_input(
            simulation, id, table->values[(size_t)row * (size_t)table->column_count + (size_t)k], why_out));
    }
    return TP_OK;
}
