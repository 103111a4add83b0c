/* The text formats: friction (local, global, rolling), LCP, relay, MLCP, generic; docs/problem-files.md. */
#include "io/exchange/dat_matrix.h"

#include <limits.h>

enum { HEAD = 9 }; /* first words, which distinguish the kinds */

typedef tp_status reader(tp_content *content, tp_tokens *tokens);

/* A square matrix with one row per unknown. */
static tp_status check_size(const tp_tokens *tokens, const char *what, const tp_entries *matrix,
                            long long rows, long long cols)
{
    if (matrix->rows == rows && matrix->cols == cols) return TP_OK;
    return tp_tokens_fail_at(tokens, tp_tokens_peek(tokens), "%s is %d x %d, but %lld x %lld is needed", what,
                             matrix->rows, matrix->cols, rows, cols);
}

/* Coefficients of friction: not negative. */
static tp_status read_friction(tp_content *content, tp_tokens *tokens, const char *what, int count,
                               double **out)
{
    TP_TRY(tp_tokens_expect(tokens, what, count));
    TP_TRY(tp_content_take_reals(content, count, out));
    for (int i = 0; i < count; i++) {
        tp_token token = tp_tokens_peek(tokens);
        TP_TRY(tp_tokens_reals(tokens, what, 1, *out + i));
        if ((*out)[i] < 0.0) {
            return tp_tokens_fail(tokens, token, "%s of contact %d must not be negative", what, i + 1);
        }
    }
    return TP_OK;
}

/* A local problem u = D P + b with the right side q: all but its sets. */
static tp_status read_local(tp_content *content, tp_tokens *tokens, const char *kind, const char *what,
                            const tp_entries *matrix, int rows)
{
    TP_TRY(check_size(tokens, what, matrix, rows, rows));
    TP_TRY(tp_content_begin(content, kind, rows));
    content->def.D = *matrix;
    return tp_content_read_reals(content, tokens, "q", rows, &content->def.b);
}

/* After the first matrix a local file has n + nc numbers left (rolling n + 2 nc; one more is allowed); a
   global one goes on with the matrix H. Anything else is a damaged local file, if the matrix has its size. */
static bool is_local(const tp_tokens *tokens, const tp_entries *matrix, int dimension, int contact_count)
{
    long long rows = (long long)dimension * contact_count;
    if (matrix->rows != rows) return false;
    long long needed = rows + (dimension == 5 ? 2LL : 1LL) * contact_count;
    long long left = (long long)tp_tokens_left(tokens);
    if (left == needed || left == needed + 1) return true;

    tp_tokens ahead = *tokens;
    long long kind, H_rows, H_cols;
    bool is_matrix = tp_token_is_int(tp_tokens_next(&ahead), &kind) && kind >= 0 && kind <= 2 &&
                     tp_token_is_int(tp_tokens_next(&ahead), &H_rows) && H_rows == matrix->rows &&
                     tp_token_is_int(tp_tokens_next(&ahead), &H_cols) && H_cols == rows;
    return !is_matrix;
}

/* At most one word may follow; some programs write a flag there. */
static tp_status check_end(tp_tokens *tokens)
{
    tp_tokens_next(tokens);
    tp_token token = tp_tokens_peek(tokens);
    if (token.length == 0) return TP_OK;
    return tp_tokens_fail(tokens, token, "expected the end of the file: the problem is complete");
}

/* Vectors of a global problem M v = H r + f, u = H^T v + w, after M. */
static tp_status read_global_part(tp_content *content, tp_tokens *tokens, const tp_entries *M, int rows)
{
    tp_problem_def *def = &content->def;
    TP_TRY(check_size(tokens, "matrix M", M, M->rows, M->rows));
    tp_dat_matrix H;
    TP_TRY(tp_dat_read_matrix(content, tokens, "matrix H", &H));
    TP_TRY(check_size(tokens, "matrix H", &H.entries, M->rows, rows));
    def->x_count = M->rows;
    def->M = *M;
    def->A = H.entries;
    TP_TRY(tp_content_read_reals(content, tokens, "f", M->rows, &def->f));
    return tp_content_read_reals(content, tokens, "w", rows, &def->b);
}

static tp_status read_friction_problem(tp_content *content, tp_tokens *tokens)
{
    int dimension, contact_count;
    TP_TRY(tp_tokens_int(tokens, "dimension of a contact (2, 3, or 5 for rolling)", 2, 5, &dimension));
    TP_TRY(tp_tokens_count(tokens, "number of contacts", dimension, &contact_count));
    tp_dat_matrix matrix;
    TP_TRY(tp_dat_read_matrix(content, tokens, "the first matrix (W or M)", &matrix));
    int rows = dimension * contact_count;
    bool is_rolling = dimension == 5;
    if (is_local(tokens, &matrix.entries, dimension, contact_count)) {
        const char *kind = is_rolling ? "rolling-local" : "local";
        TP_TRY(read_local(content, tokens, kind, "matrix W", &matrix.entries, rows));
    } else {
        TP_TRY(tp_content_begin(content, is_rolling ? "rolling-global" : "global", rows));
        TP_TRY(read_global_part(content, tokens, &matrix.entries, rows));
    }

    double *mu, *mu_rolling = NULL;
    TP_TRY(read_friction(content, tokens, "friction mu", contact_count, &mu));
    if (is_rolling)
        TP_TRY(read_friction(content, tokens, "rolling friction mu_r", contact_count, &mu_rolling));
    for (int i = 0; i < contact_count; i++) {
        tp_content_add_set(content, is_rolling ? tp_set_rolling(mu[i], mu_rolling[i])
                                               : tp_set_coulomb(dimension, mu[i]));
    }
    return check_end(tokens);
}

/* How many numbers follow, at most `limit`; the text may go on with words. */
static int numbers_ahead(const tp_tokens *tokens, int limit)
{
    tp_tokens ahead = *tokens;
    int count = 0;
    while (count < limit) {
        tp_token token = tp_tokens_next(&ahead);
        if (!tp_token_is_number(token) && !tp_token_is(token, "inf") && !tp_token_is(token, "-inf")) break;
        count++;
    }
    return count;
}

/* Bounds of a relay problem. */
static tp_status read_bounds(tp_content *content, tp_tokens *tokens, int count)
{
    double *lower, *upper;
    TP_TRY(tp_content_take_reals(content, count, &lower));
    TP_TRY(tp_content_take_reals(content, count, &upper));
    TP_TRY(tp_tokens_bounds(tokens, "lower bounds", count, lower));
    for (int i = 0; i < count; i++) {
        tp_token token = tp_tokens_peek(tokens);
        TP_TRY(tp_tokens_bounds(tokens, "upper bounds", 1, &upper[i]));
        if (!(lower[i] <= upper[i])) {
            return tp_tokens_fail(tokens, token, "upper bound %d must not be below the lower bound %.17g",
                                  i + 1, lower[i]);
        }
        tp_content_add_set(content, tp_set_interval(lower[i], upper[i]));
    }
    return TP_OK;
}

/* LCP, or relay when 2 n numbers follow q. Words after q are a remark. */
static tp_status read_lcp_or_relay(tp_content *content, tp_tokens *tokens)
{
    int count;
    tp_dat_matrix matrix;
    TP_TRY(tp_tokens_count(tokens, "number of unknowns", 1, &count));
    TP_TRY(tp_dat_read_matrix(content, tokens, "the matrix", &matrix));
    TP_TRY(read_local(content, tokens, "lcp", "the matrix", &matrix.entries, count));

    if (count > INT_MAX / 2) return tp_tokens_fail_at(tokens, tp_tokens_peek(tokens), "too many unknowns");
    int numbers = numbers_ahead(tokens, 2 * count);
    if (numbers == 0) {
        tp_content_add_complementarities(content, count);
        return TP_OK;
    }
    if (numbers < 2 * count) {
        return tp_tokens_fail_at(
            tokens, tp_tokens_peek(tokens),
            "after q either nothing, a remark (LCP) or %d bounds (relay) may follow, but "
            "there are %d numbers",
            2 * count, numbers);
    }
    content->def.kind = "relay";
    return read_bounds(content, tokens, count);
}

typedef struct mlcp_form {
    tp_entries matrix;
    const double *q;
    int block_count;
    int *end, *is_complementarity; /* [block_count] */
} mlcp_form;

/* Form 1: one matrix with blocks of equalities and complementarities. q has one number per column, also when
   the matrix is not square (then the form is of no use, but must be passed over). */
static tp_status read_form_1(tp_content *content, tp_tokens *tokens, int size, mlcp_form *form)
{
    int first;
    TP_TRY(tp_tokens_int(tokens, "first row of the blocks", 0, 0, &first));
    TP_TRY(tp_content_take_ints(content, size, &form->end));
    TP_TRY(tp_content_take_ints(content, size, &form->is_complementarity));
    form->block_count = 0;
    for (int last = 0; last < size; last = form->end[form->block_count++]) {
        tp_token token = tp_tokens_peek(tokens);
        TP_TRY(tp_tokens_int(tokens, "end of a block", 0, INT_MAX, &form->end[form->block_count]));
        if (form->end[form->block_count] <= last || form->end[form->block_count] > size) {
            return tp_tokens_fail(tokens, token, "ends of the blocks must increase from %d up to n + m = %d",
                                  last, size);
        }
    }
    TP_TRY(tp_tokens_ints(tokens, "the kinds of the blocks (0 equality, 1 complementarity)",
                          form->block_count, 0, 1, form->is_complementarity));
    tp_dat_matrix matrix;
    TP_TRY(tp_dat_read_matrix(content, tokens, "the matrix", &matrix));
    form->matrix = matrix.entries;
    return tp_content_read_reals(content, tokens, "q", matrix.entries.cols, &form->q);
}

/* A part of form 2, printed row by row, into its place in the dense matrix [[A, C], [D, B]]. */
static tp_status read_part(tp_tokens *tokens, const char *what, int rows, int cols, double *corner,
                           int stride)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            TP_TRY(tp_tokens_reals(tokens, what, 1, &corner[(size_t)j * (size_t)stride + (size_t)i]));
        }
    }
    return TP_OK;
}

/* Form 2: A z1 + C z2 + a = 0, D z1 + B z2 + b = w. */
static tp_status read_form_2(tp_content *content, tp_tokens *tokens, int n, int m, mlcp_form *form)
{
    int size = n + m;
    double *value;
    TP_TRY(tp_tokens_expect(tokens, "matrices A, B, C, D", (long long)size * size + size));
    TP_TRY(tp_content_take_dense(content, size, size, &value, &form->matrix));
    double *second_column = value + (size_t)n * (size_t)size;
    TP_TRY(read_part(tokens, "matrix A", n, n, value, size));
    TP_TRY(read_part(tokens, "matrix B", m, m, second_column + n, size));
    TP_TRY(read_part(tokens, "matrix C", n, m, second_column, size));
    TP_TRY(read_part(tokens, "matrix D", m, n, value + n, size));
    double *q;
    TP_TRY(tp_content_take_reals(content, size, &q));
    form->q = q;
    TP_TRY(tp_tokens_reals(tokens, "a", n, q));
    return tp_tokens_reals(tokens, "b", m, q + n);
}

/* Form 1 is the problem if its matrix is square; else form 2. What follows is not ours. */
static tp_status read_mlcp(tp_content *content, tp_tokens *tokens)
{
    int has_1, has_2, n, m;
    TP_TRY(tp_tokens_int(tokens, "flag of form 1", 0, 1, &has_1));
    TP_TRY(tp_tokens_int(tokens, "flag of form 2", 0, 1, &has_2));
    TP_TRY(tp_tokens_count(tokens, "number of equalities n", 1, &n));
    TP_TRY(tp_tokens_count(tokens, "number of complementarities m", 1, &m));
    TP_TRY(tp_tokens_expect(tokens, "n + m", (long long)n + m));
    mlcp_form form_1 = {.block_count = 0}, form_2 = {.block_count = 0};
    if (has_1) TP_TRY(read_form_1(content, tokens, n + m, &form_1));
    bool is_square = has_1 && form_1.matrix.rows == n + m && form_1.matrix.cols == n + m;
    if (!has_2 && !is_square) return check_size(tokens, "the matrix", &form_1.matrix, n + m, n + m);
    if (has_2) TP_TRY(read_form_2(content, tokens, n, m, &form_2));

    TP_TRY(tp_content_begin(content, "mlcp", n + m));
    content->def.D = is_square ? form_1.matrix : form_2.matrix;
    content->def.b = is_square ? form_1.q : form_2.q;
    if (!is_square) {
        tp_content_add_equalities(content, n);
        tp_content_add_complementarities(content, m);
        return TP_OK;
    }
    for (int k = 0; k < form_1.block_count; k++) {
        int rows = form_1.end[k] - (k > 0 ? form_1.end[k - 1] : 0);
        if (form_1.is_complementarity[k]) tp_content_add_complementarities(content, rows);
        if (!form_1.is_complementarity[k]) tp_content_add_equalities(content, rows);
    }
    return TP_OK;
}

/* One block of a generic problem: its type, and its friction if it is a contact. */
static tp_status read_generic_block(tp_content *content, tp_tokens *tokens, int rows)
{
    tp_token token = tp_tokens_peek(tokens);
    int type;
    TP_TRY(tp_tokens_int(tokens, "type of a block", 0, INT_MAX, &type));
    if (type == 0) {
        tp_content_add_complementarities(content, rows);
    } else if (type == 2) {
        tp_content_add_equalities(content, rows);
    } else if (type == 4) {
        double *mu;
        if (rows != 3)
            return tp_tokens_fail_at(tokens, token, "a friction block must have 3 rows, not %d", rows);
        TP_TRY(read_friction(content, tokens, "friction mu", 1, &mu));
        tp_content_add_set(content, tp_set_coulomb(3, mu[0]));
    } else {
        return tp_tokens_fail(
            tokens, token, "the type of a block must be 0 (complementarity), 2 (equality) or 4 (friction)");
    }
    return TP_OK;
}

static tp_status read_generic(tp_content *content, tp_tokens *tokens)
{
    tp_dat_matrix matrix;
    TP_TRY(tp_dat_read_matrix(content, tokens, "the matrix", &matrix));
    int rows = matrix.entries.rows;
    TP_TRY(check_size(tokens, "the matrix", &matrix.entries, rows, rows));
    if (matrix.block_rows == 0) {
        return tp_tokens_fail_at(
            tokens, tp_tokens_peek(tokens),
            "a generic problem needs a matrix in sparse blocks (storage 1), which say what "
            "belongs together");
    }
    TP_TRY(read_local(content, tokens, "generic", "the matrix", &matrix.entries, rows));
    for (int k = 0; k < matrix.block_rows; k++) {
        int first = k > 0 ? matrix.row_ends[k - 1] : 0;
        TP_TRY(read_generic_block(content, tokens, matrix.row_ends[k] - first));
    }
    return TP_OK;
}

/* The reader for a text that starts like this; NULL if none fits. -1 stands for a word that is not a count.
 */
static reader *choose(const long long head[HEAD], bool word_7_is_number)
{
    bool is_flag_0 = head[0] == 0 || head[0] == 1, is_flag_1 = head[1] == 0 || head[1] == 1;
    if (is_flag_0 && is_flag_1 && head[0] + head[1] > 0 && (head[4] == 0 || head[0] == 0)) return read_mlcp;
    if (is_flag_0 && head[1] == head[2] && head[1] > 1) return read_generic;
    /* one row: 1 1 1 1 1 1 1 1 2 is generic (two starts of block rows), with one 1 more an LCP */
    if (head[0] == 1 && head[1] == 1 && head[2] == 1 && head[7] == 1 && head[8] == 2) return read_generic;
    bool has_storage = head[1] >= 0 && head[1] <= 2;
    if (head[0] >= 0 && head[0] == head[2] && head[0] == head[3] && has_storage &&
        (head[0] != 2 || word_7_is_number)) {
        return read_lcp_or_relay;
    }
    if (head[0] == 2 || head[0] == 3 || head[0] == 5) return read_friction_problem;
    bool is_nearly_lcp = head[0] > 0 && has_storage && (head[2] == head[3] || head[2] == head[0]);
    return is_nearly_lcp ? read_lcp_or_relay : NULL; /* it will say which size is wrong */
}

tp_status tp_dat_read(tp_content *content, const char *text, size_t length)
{
    tp_tokens tokens = {.name = content->name, .text = text, .length = length, .why = content->why};
    if (length > INT_MAX) {
        return tp_fail(content->why, TP_INVALID_DATA, "%s: a text problem may have at most 2 GiB",
                       content->name);
    }
    if (tp_tokens_peek(&tokens).length == 0) {
        return tp_fail(content->why, TP_INVALID_DATA, "%s: the file is empty; expected a problem",
                       content->name);
    }

    if (tp_token_is(tp_tokens_peek(&tokens), "tippe-problem")) return tp_general_read(content, &tokens);
    tp_tokens ahead = tokens;
    long long head[HEAD];
    bool word_7_is_number = false;
    for (int i = 0; i < HEAD; i++) {
        tp_token token = tp_tokens_next(&ahead);
        if (!tp_token_is_int(token, &head[i]) || head[i] < 0) head[i] = -1;
        if (i == 6) word_7_is_number = tp_token_is_number(token);
    }
    reader *read = choose(head, word_7_is_number);
    if (read) return read(content, &tokens);
    return tp_tokens_fail(
        &tokens, tp_tokens_peek(&tokens),
        "not a problem that is known here: expected FCLIB HDF5, or a text that begins with the "
        "dimension 2, 3 or 5 and the number of contacts (friction), with the number of unknowns "
        "and a matrix (LCP, relay), with two flags (MLCP) or with a matrix in blocks (generic)");
}
