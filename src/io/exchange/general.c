/* The text that holds every problem: all matrices, and sets by name; docs/problem-files.md. */
#include "io/common/tokens.h"
#include "io/exchange/content.h"
#include "io/exchange/problem_write.h"

#include <string.h>

enum { PER_LINE = 8, PARAMETERS = 6, KINDS = TP_SET_DUAL_CONE + 1 };

/* A name as one word: "dual-cone". */
typedef struct name_word {
    char text[32];
} name_word;

static name_word word_of(const char *name)
{
    name_word word = {""};
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof word.text; i++)
        word.text[i] = name[i] == ' ' ? '-' : name[i];
    return word;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void add_sparse(tp_text *text, const char *name, const tp_sparse *a)
{
    int count = a->cols > 0 ? a->start[a->cols] : 0;
    tp_text_add(text, "%s %d\n", name, count);
    for (int j = 0; j < a->cols; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            tp_text_add(text, "%d %d %.17g\n", a->index[k], j, a->value[k]);
    }
}

static void add_block_matrix(tp_text *text, const tp_block_matrix *D)
{
    size_t count = D->block_count > 0 ? D->offset[D->block_count] : 0;
    tp_text_add(text, "D %zu\n", count);
    for (int row = 0; count > 0 && row < D->block_rows; row++) {
        int height = D->first[row + 1] - D->first[row];
        for (int k = D->start[row]; k < D->start[row + 1]; k++) {
            int left = D->first[D->column[k]], width = D->first[D->column[k] + 1] - left;
            for (int e = 0; e < height * width; e++)
                tp_text_add(text, "%d %d %.17g\n", D->first[row] + e % height, left + e / height,
                            D->value[D->offset[k] + (size_t)e]);
        }
    }
}

static void add_set(tp_text *text, const tp_set *set)
{
    tp_text_add(text, "%s %s %d %d %d", word_of(tp_set_kind_name(set->kind)).text,
                word_of(tp_friction_kind_name(set->friction_kind)).text, set->size, set->master,
                set->master_count);
    for (int k = 0; k < PARAMETERS; k++) tp_text_add(text, " %.17g", set->parameter[k]);
    tp_text_add(text, "\n");
}

tp_status tp_general_write(const tp_problem *problem, const char *path, tp_text *text, tp_message *why)
{
    bool is_word = problem->kind[0] != '\0' && strpbrk(problem->kind, " \t\r\n") == NULL;
    tp_text_add(text, "tippe-problem 1 %s\n%d %d %d\n", is_word ? problem->kind : "general", problem->x_count,
                problem->row_count, problem->set_count);
    for (int i = 0; i < problem->set_count; i++) add_set(text, &problem->sets[i]);
    add_sparse(text, "M", &problem->M);
    add_sparse(text, "A", &problem->A);
    if (!problem->is_mechanical) add_sparse(text, "Ct", &problem->Ct);
    add_block_matrix(text, &problem->D);
    tp_text_add(text, "f\n");
    tp_text_add_reals(text, problem->x_count, problem->f, PER_LINE);
    tp_text_add(text, "b\n");
    tp_text_add_reals(text, problem->row_count, problem->b, PER_LINE);
    return text->has_failed ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory to write %s", path) : TP_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static tp_status read_set(tp_content *content, tp_tokens *tokens)
{
    tp_token kind = tp_tokens_next(tokens), shape = tp_tokens_next(tokens);
    tp_set set = {0};
    int k = 0, s = 0;
    while (k < KINDS && !tp_token_is(kind, word_of(tp_set_kind_name((tp_set_kind)k)).text)) k++;
    if (k == KINDS) return tp_tokens_fail(tokens, kind, "expected the name of a set");
    while (s < TP_FRICTION_KINDS &&
           !tp_token_is(shape, word_of(tp_friction_kind_name((tp_friction_kind)s)).text))
        s++;
    if (s == TP_FRICTION_KINDS) return tp_tokens_fail(tokens, shape, "expected the name of a shape");
    set.kind = (tp_set_kind)k;
    set.friction_kind = (tp_friction_kind)s;
    int rows = content->def.row_count;
    TP_TRY(tp_tokens_int(tokens, "the size of a set", 1, rows, &set.size));
    TP_TRY(tp_tokens_int(tokens, "the first master row of a set", 0, rows, &set.master));
    TP_TRY(tp_tokens_int(tokens, "the master rows of a set", 0, rows - set.master, &set.master_count));
    TP_TRY(tp_tokens_bounds(tokens, "the parameters of a set", PARAMETERS, set.parameter));
    tp_content_add_set(content, set);
    return TP_OK;
}

/* `NAME count`, then row, column and value of each entry. */
static tp_status read_matrix(tp_content *content, tp_tokens *tokens, const char *name, int rows, int cols,
                             tp_entries *out)
{
    int count;
    tp_entry_arrays to;
    TP_TRY(tp_tokens_word(tokens, name));
    TP_TRY(tp_tokens_count(tokens, "the number of entries", 3, &count));
    TP_TRY(tp_content_take_entries(content, rows, cols, count, &to, out));
    for (int k = 0; k < count; k++) {
        TP_TRY(tp_tokens_int(tokens, "the row of an entry", 0, rows - 1, &to.row[k]));
        TP_TRY(tp_tokens_int(tokens, "the column of an entry", 0, cols - 1, &to.col[k]));
        TP_TRY(tp_tokens_reals(tokens, "the value of an entry", 1, &to.value[k]));
    }
    return TP_OK;
}

static tp_status read_vector(tp_content *content, tp_tokens *tokens, const char *name, int count,
                             const double **out)
{
    TP_TRY(tp_tokens_word(tokens, name));
    return tp_content_read_reals(content, tokens, name, count, out);
}

tp_status tp_general_read(tp_content *content, tp_tokens *tokens)
{
    int version, x_count, row_count, set_count;
    TP_TRY(tp_tokens_word(tokens, "tippe-problem"));
    TP_TRY(tp_tokens_int(tokens, "the version of the format", 1, 1, &version));
    tp_token word = tp_tokens_next(tokens);
    const char *kind = tp_arena_format(content->arena, "%.*s", (int)word.length, word.text);
    if (kind == NULL) return tp_fail(content->why, TP_OUT_OF_MEMORY, "%s: no memory", content->name);
    TP_TRY(tp_tokens_count(tokens, "the number of unknowns x", 1, &x_count));
    TP_TRY(tp_tokens_count(tokens, "the number of rows", 1, &row_count));
    TP_TRY(tp_tokens_count(tokens, "the number of sets", 5 + PARAMETERS, &set_count));
    TP_TRY(tp_content_begin(content, kind, row_count));
    tp_problem_def *def = &content->def;
    def->x_count = x_count;
    for (int i = 0; i < set_count; i++) TP_TRY(read_set(content, tokens));
    tp_entries M, A, C, D;
    TP_TRY(read_matrix(content, tokens, "M", x_count, x_count, &M));
    TP_TRY(read_matrix(content, tokens, "A", x_count, row_count, &A));
    bool is_mechanical = !tp_token_is(tp_tokens_peek(tokens), "Ct");
    if (!is_mechanical) TP_TRY(read_matrix(content, tokens, "Ct", x_count, row_count, &C));
    TP_TRY(read_matrix(content, tokens, "D", row_count, row_count, &D));
    if (x_count > 0) {
        def->M = M;
        def->A = A;
        if (!is_mechanical) def->C = tp_entries_transposed(C);
    }
    if (D.count > 0) def->D = D;
    TP_TRY(read_vector(content, tokens, "f", x_count, &def->f));
    return read_vector(content, tokens, "b", row_count, &def->b);
}
