/* Making one-step problems: everything that enters is checked here, once, and copied; theory/problems.md (1).
 */
#include "tippe/problem.h"
#include "base/arena.h"
#include "math/block_matrix.h"
#include "math/sparse.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tp_problem_memory {
    tp_arena arena;
};

tp_problem_def tp_problem_def_default(void)
{
    return (tp_problem_def){0};
}

/* Name and shape of a matrix that a def must have. */
typedef struct matrix_rule {
    const char *name;
    const tp_entries *entries;
    int rows, cols;
} matrix_rule;

static tp_status check_matrix(matrix_rule rule, tp_message *why)
{
    const tp_entries *e = rule.entries;
    if (e->rows != rule.rows || e->cols != rule.cols) {
        return tp_fail(why, TP_INVALID_DATA, "matrix %s is %d by %d, but must be %d by %d", rule.name,
                       e->rows, e->cols, rule.rows, rule.cols);
    }
    bool is_dense = e->row == NULL;
    if (is_dense && e->rows > 0 && e->cols > INT_MAX / e->rows) {
        return tp_fail(why, TP_INVALID_DATA, "matrix %s has too many entries", rule.name);
    }
    int count = is_dense ? e->rows * e->cols : e->count;
    if (count < 0)
        return tp_fail(why, TP_INVALID_DATA, "matrix %s has a negative number of entries", rule.name);
    if (count > 0 && (e->value == NULL || (!is_dense && e->col == NULL))) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "matrix %s: an array is missing", rule.name);
    }
    for (int k = 0; k < count; k++) {
        int row = is_dense ? k % e->rows : e->row[k], col = is_dense ? k / e->rows : e->col[k];
        if (row < 0 || row >= e->rows || col < 0 || col >= e->cols) {
            return tp_fail(why, TP_INVALID_DATA,
                           "matrix %s: entry %d is at row %d, column %d, outside of %d by %d", rule.name, k,
                           row, col, e->rows, e->cols);
        }
        if (!isfinite(e->value[k])) {
            return tp_fail(why, TP_INVALID_DATA,
                           "matrix %s: the entry at row %d, column %d is not a finite number", rule.name, row,
                           col);
        }
    }
    return TP_OK;
}

static tp_status check_vector(const char *name, const double *vector, int count, tp_message *why)
{
    if (vector == NULL) return TP_OK;
    for (int i = 0; i < count; i++) {
        if (!isfinite(vector[i])) {
            return tp_fail(why, TP_INVALID_DATA, "vector %s: entry %d is not a finite number", name, i);
        }
    }
    return TP_OK;
}

static tp_status check_sets(const tp_problem_def *def, tp_message *why)
{
    if (def->set_count > 0 && def->sets == NULL)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the sets are missing");
    long long rows = 0;
    for (int i = 0; i < def->set_count; i++) {
        tp_message reason;
        if (tp_set_check(&def->sets[i], &reason) != TP_OK) {
            return tp_fail(why, TP_INVALID_DATA, "law %d (from row %lld on): %.800s", i, rows, reason.text);
        }
        const tp_set *set = &def->sets[i];
        if (set->master_count > 0 && (set->master < 0 || set->master > def->row_count - set->master_count)) {
            return tp_fail(why, TP_INVALID_DATA, "law %d follows the rows %d to %d, but there are only %d", i,
                           set->master, set->master + set->master_count - 1, def->row_count);
        }
        rows += set->size;
    }
    if (rows != def->row_count) {
        return tp_fail(why, TP_INVALID_DATA, "the laws have %lld rows in all, but the problem has %d", rows,
                       def->row_count);
    }
    return TP_OK;
}

static tp_status check_def(const tp_problem_def *def, tp_message *why)
{
    if (def->x_count < 0 || def->row_count < 0 || def->set_count < 0) {
        return tp_fail(why, TP_INVALID_DATA, "a count is negative (unknowns %d, rows %d, laws %d)",
                       def->x_count, def->row_count, def->set_count);
    }
    TP_TRY(check_sets(def, why));
    int n = def->x_count, m = def->row_count;
    TP_TRY(check_matrix((matrix_rule){"M", &def->M, n, n}, why));
    bool has_A = def->A.rows > 0 || n > 0;
    if (has_A) TP_TRY(check_matrix((matrix_rule){"A", &def->A, n, m}, why));
    if (def->C.rows > 0) TP_TRY(check_matrix((matrix_rule){"C", &def->C, m, n}, why));
    if (def->D.rows > 0 || n == 0) TP_TRY(check_matrix((matrix_rule){"D", &def->D, m, m}, why));
    TP_TRY(check_vector("f", def->f, n, why));
    return check_vector("b", def->b, m, why);
}

static tp_status copy_vector(tp_arena *arena, const double *from, int count, double **to)
{
    *to = TP_ARENA_ARRAY(arena, double, count);
    if (*to == NULL) return TP_OUT_OF_MEMORY;
    if (from != NULL && count > 0) memcpy(*to, from, (size_t)count * sizeof(double));
    return TP_OK;
}

/* Rows that are independent of each other may be cut into blocks of any size. */
static bool is_divisible(const tp_set *set)
{
    return set->kind == TP_SET_FREE || set->kind == TP_SET_ZERO || set->kind == TP_SET_ORTHANT;
}

static int piece_count(const tp_set *set)
{
    return is_divisible(set) ? (set->size + TP_SET_MAX - 1) / TP_SET_MAX : 1;
}

/* The sets with their rows, none larger than TP_SET_MAX. */
static tp_status copy_sets(tp_arena *arena, const tp_problem_def *def, tp_problem *problem, int **sizes_out)
{
    size_t count = 0;
    for (int i = 0; i < def->set_count; i++) count += (size_t)piece_count(&def->sets[i]);
    problem->sets = TP_ARENA_ARRAY(arena, tp_set, count);
    *sizes_out = TP_ARENA_ARRAY(arena, int, count);
    if (problem->sets == NULL || *sizes_out == NULL) return TP_OUT_OF_MEMORY;
    problem->set_count = (int)count;

    int row = 0, next = 0;
    for (int i = 0; i < def->set_count; i++) {
        int left = def->sets[i].size;
        for (int pieces = piece_count(&def->sets[i]); pieces > 0; pieces--) {
            tp_set *set = &problem->sets[next];
            *set = def->sets[i];
            set->first = row;
            set->size = pieces > 1 ? TP_SET_MAX : left;
            (*sizes_out)[next++] = set->size;
            row += set->size;
            left -= set->size;
        }
        problem->contact_count += def->sets[i].kind == TP_SET_CONTACT || def->sets[i].kind == TP_SET_CONE;
    }
    return TP_OK;
}

static tp_status fill_problem(tp_arena *arena, const tp_problem_def *def, tp_problem *problem)
{
    int n = def->x_count, m = def->row_count;
    problem->x_count = n;
    problem->row_count = m;
    problem->is_mechanical = def->C.rows == 0;
    snprintf(problem->kind, sizeof problem->kind, "%s",
             def->kind != NULL ? def->kind : (n > 0 ? "global" : "local"));
    snprintf(problem->title, sizeof problem->title, "%s", def->title != NULL ? def->title : "");

    int *sizes;
    TP_TRY(copy_sets(arena, def, problem, &sizes));
    TP_TRY(copy_vector(arena, def->f, n, &problem->f));
    TP_TRY(copy_vector(arena, def->b, m, &problem->b));

    tp_entries empty = {.rows = m, .cols = m, .count = 0, .row = sizes, .col = sizes, .value = NULL};
    const tp_entries *D = def->D.rows > 0 ? &def->D : &empty;
    TP_TRY(tp_block_matrix_build(arena, problem->set_count, sizes, D, &problem->D));
    problem->D_norm = tp_block_matrix_frobenius_norm(&problem->D);
    if (n == 0) return TP_OK;

    TP_TRY(tp_sparse_compress(arena, &def->M, &problem->M));
    TP_TRY(tp_sparse_compress(arena, &def->A, &problem->A));
    problem->Ct = problem->A;
    if (!problem->is_mechanical) {
        tp_sparse C;
        TP_TRY(tp_sparse_compress(arena, &def->C, &C));
        TP_TRY(tp_sparse_transpose(arena, &C, &problem->Ct));
    }
    return TP_OK;
}

tp_status tp_problem_create(const tp_allocator *allocator, const tp_problem_def *def,
                            tp_problem **problem_out, tp_message *why_out)
{
    if (problem_out == NULL || def == NULL)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the definition or problem_out is NULL");
    *problem_out = NULL;
    TP_TRY(check_def(def, why_out));

    tp_arena arena;
    tp_arena_init(&arena, allocator);
    tp_problem *problem = TP_ARENA_ARRAY(&arena, tp_problem, 1);
    struct tp_problem_memory *memory = TP_ARENA_ARRAY(&arena, struct tp_problem_memory, 1);
    tp_status status =
        problem != NULL && memory != NULL ? fill_problem(&arena, def, problem) : TP_OUT_OF_MEMORY;
    if (status != TP_OK) {
        tp_arena_clear(&arena);
        return tp_fail(why_out, status, "%s", tp_status_text(status));
    }
    memory->arena = arena;
    problem->memory = memory;
    *problem_out = problem;
    return TP_OK;
}

void tp_problem_free(tp_problem *problem)
{
    if (problem == NULL) return;
    tp_arena arena =
        problem->memory->arena; /* the arena holds the problem itself: clear a copy of its handle */
    tp_arena_clear(&arena);
}
