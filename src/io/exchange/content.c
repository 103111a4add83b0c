/* Memory and sets of a problem definition while a file is read. */
#include "io/exchange/content.h"

static tp_status no_memory(tp_content *content)
{
    return tp_fail(content->why, TP_OUT_OF_MEMORY, "%s: no memory to hold the problem", content->name);
}

tp_status tp_content_begin(tp_content *content, const char *kind, int row_count)
{
    content->def = tp_problem_def_default();
    content->def.kind = kind;
    content->def.row_count = row_count;
    content->sets = TP_ARENA_ARRAY(content->arena, tp_set, row_count > 0 ? row_count : 1);
    content->def.sets = content->sets;
    return content->sets ? TP_OK : no_memory(content);
}

void tp_content_add_set(tp_content *content, tp_set set)
{
    if (content->def.set_count < content->def.row_count) content->sets[content->def.set_count++] = set;
}

void tp_content_add_equalities(tp_content *content, int rows)
{
    if (rows > 0) tp_content_add_set(content, tp_set_free(rows));
}

void tp_content_add_complementarities(tp_content *content, int rows)
{
    for (int i = 0; i < rows; i++) tp_content_add_set(content, tp_set_orthant(1));
}

tp_status tp_content_take_entries(tp_content *content, int rows, int cols, int count,
                                  tp_entry_arrays *arrays_out, tp_entries *entries_out)
{
    TP_TRY(tp_content_take_ints(content, count, &arrays_out->row));
    TP_TRY(tp_content_take_ints(content, count, &arrays_out->col));
    TP_TRY(tp_content_take_reals(content, count, &arrays_out->value));
    *entries_out = (tp_entries){.rows = rows,
                                .cols = cols,
                                .count = count,
                                .row = arrays_out->row,
                                .col = arrays_out->col,
                                .value = arrays_out->value};
    return TP_OK;
}

tp_entries tp_entries_transposed(tp_entries a)
{
    return (tp_entries){a.cols, a.rows, a.count, a.col, a.row, a.value};
}

tp_status tp_content_take_dense(tp_content *content, int rows, int cols, double **value_out,
                                tp_entries *entries_out)
{
    int count = rows * cols;
    TP_TRY(tp_content_take_reals(content, count, value_out));
    *entries_out = (tp_entries){.rows = rows, .cols = cols, .count = count, .value = *value_out};
    return TP_OK;
}

tp_status tp_content_take_reals(tp_content *content, int count, double **out)
{
    *out = TP_ARENA_ARRAY(content->arena, double, count > 0 ? count : 1);
    return *out ? TP_OK : no_memory(content);
}

tp_status tp_content_take_ints(tp_content *content, int count, int **out)
{
    *out = TP_ARENA_ARRAY(content->arena, int, count > 0 ? count : 1);
    return *out ? TP_OK : no_memory(content);
}

tp_status tp_content_read_reals(tp_content *content, tp_tokens *tokens, const char *what, int count,
                                const double **out)
{
    double *values;
    TP_TRY(tp_tokens_expect(tokens, what, count));
    TP_TRY(tp_content_take_reals(content, count, &values));
    *out = values;
    return tp_tokens_reals(tokens, what, count, values);
}
