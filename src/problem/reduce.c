/* Elimination of x, one component of M at a time; theory/problems.md (2)-(4). M is block diagonal in most
   problems (a block per body): two laws meet in G only if they touch a common component, so nothing larger
   than a component is ever dense. */
#include "reduce.h"

#include "base/sort.h"
#include "components.h"
#include "part_factor.h"

#include <string.h>

/* Components that no law touches have nothing to share. */
static bool touch_same_sets(const tp_components *parts, int a, int b)
{
    int count = parts->set_start[a + 1] - parts->set_start[a];
    if (count == 0 || count != parts->set_start[b + 1] - parts->set_start[b]) return false;
    return memcmp(parts->set + parts->set_start[a], parts->set + parts->set_start[b],
                  (size_t)count * sizeof(int)) == 0;
}

/* Neighbours that the same laws touch become one component, as the six unknowns of a body with diagonal
   inertia: then each pair of laws is visited once a body. */
static tp_status join_components(tp_stack *stack, int n, tp_components *parts)
{
    int *group = TP_STACK_ARRAY(stack, int, parts->count), *next = TP_STACK_ARRAY(stack, int, parts->count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    int count = 0, first = 0, size = 0, kept = 0; /* of the last group: first component, size */
    for (int k = 0; k < parts->count; k++) {
        int more = parts->start[k + 1] - parts->start[k];
        bool is_new = k == 0 || size + more > TP_DENSE_COMPONENT || !touch_same_sets(parts, first, k);
        if (is_new) {
            first = k;
            size = 0;
            count++;
        }
        group[k] = count - 1;
        size += more;
    }
    if (count == parts->count) return TP_OK;
    for (int k = 0, last = -1; k < parts->count; k++) { /* one list of laws for each group, moved down */
        if (group[k] == last) continue;
        last = group[k];
        int begin = parts->set_start[k], length = parts->set_start[k + 1] - begin;
        memmove(parts->set + kept, parts->set + begin, (size_t)length * sizeof(int));
        parts->set_start[last] = kept; /* last <= k: what follows is still there */
        kept += length;
    }
    parts->set_start[count] = kept;
    for (int i = 0; i < n; i++) parts->of[i] = group[parts->of[i]];
    parts->count = count;
    tp_components_list_members(parts, n, next);
    return TP_OK;
}

/* Block columns of row i of G: itself, D's, and every law that shares a component, in any order; returns how
   many. */
static int row_pattern(const tp_problem *problem, const tp_components *parts, int i, int *mark_part,
                       int *part_list, int *mark_set, int *list)
{
    int count = 0;
    for (int k = problem->D.start[i]; k < problem->D.start[i + 1]; k++) {
        mark_set[problem->D.column[k]] = i + 1;
        list[count++] = problem->D.column[k];
    }
    int part_count = tp_components_touched(problem, parts, i, mark_part, part_list);
    for (int p = 0; p < part_count; p++) {
        for (int k = parts->set_start[part_list[p]]; k < parts->set_start[part_list[p] + 1]; k++) {
            if (mark_set[parts->set[k]] == i + 1) continue;
            mark_set[parts->set[k]] = i + 1;
            list[count++] = parts->set[k];
        }
    }
    return count;
}

/* Pattern of G with the values of D in place, zero elsewhere. */
static tp_status make_pattern(const tp_problem *problem, const tp_components *parts, tp_stack *stack,
                              tp_block_matrix *G)
{
    int rows = problem->set_count;
    *G = (tp_block_matrix){.block_rows = rows, .first = problem->D.first, .uniform = problem->D.uniform};
    int *mark_part = TP_STACK_ARRAY(stack, int, parts->count),
        *part_list = TP_STACK_ARRAY(stack, int, parts->count);
    int *mark_set = TP_STACK_ARRAY(stack, int, rows), *list = TP_STACK_ARRAY(stack, int, rows);
    G->start = TP_STACK_ARRAY(stack, int, rows + 1);
    G->diagonal = TP_STACK_ARRAY(stack, int, rows);
    if (stack->failed) return TP_OUT_OF_MEMORY;

    long long total = 0;
    memset(mark_part, 0, (size_t)parts->count * sizeof(int));
    memset(mark_set, 0, (size_t)rows * sizeof(int));
    G->start[0] = 0;
    for (int i = 0; i < rows; i++) {
        total += row_pattern(problem, parts, i, mark_part, part_list, mark_set, list);
        if (total > 2000000000LL) return TP_OUT_OF_MEMORY;
        G->start[i + 1] = (int)total;
    }
    G->block_count = (int)total;
    G->column = TP_STACK_ARRAY(stack, int, total);
    G->offset = TP_STACK_ARRAY(stack, size_t, total + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;

    size_t offset = 0;
    memset(mark_part, 0, (size_t)parts->count * sizeof(int));
    memset(mark_set, 0, (size_t)rows * sizeof(int));
    for (int i = 0; i < rows; i++) {
        int count = row_pattern(problem, parts, i, mark_part, part_list, mark_set, G->column + G->start[i]);
        tp_sort_ints(G->column + G->start[i], count);
        for (int k = G->start[i]; k < G->start[i] + count; k++) {
            if (G->column[k] == i) G->diagonal[i] = k;
            G->offset[k] = offset;
            offset += (size_t)problem->sets[i].size * (size_t)problem->sets[G->column[k]].size;
        }
    }
    G->offset[G->block_count] = offset;
    G->value = TP_STACK_ARRAY(stack, double, offset + 1);
    if (G->value == NULL) return TP_OUT_OF_MEMORY;
    memset(G->value, 0, (offset + 1) * sizeof(double));
    for (int i = 0; i < rows; i++) { /* both rows are sorted: a merge finds D's blocks in G */
        int k = G->start[i];
        for (int d = problem->D.start[i]; d < problem->D.start[i + 1]; d++) {
            while (G->column[k] != problem->D.column[d]) k++;
            memcpy(G->value + G->offset[k], problem->D.value + problem->D.offset[d],
                   (problem->D.offset[d + 1] - problem->D.offset[d]) * sizeof(double));
        }
    }
    return TP_OK;
}

/* Entries of one column of A or Ct that lie in the component, as a dense vector. */
static void gather(const tp_sparse *matrix, int column, const tp_components *parts, int part, int n,
                   double *y)
{
    memset(y, 0, (size_t)n * sizeof(double));
    for (int k = matrix->start[column]; k < matrix->start[column + 1]; k++) {
        if (parts->of[matrix->index[k]] == part) y[parts->place[matrix->index[k]]] = matrix->value[k];
    }
}

/* Dot product of the sparse column of Ct, restricted to the component, with a dense vector. */
static double dot_part(const tp_sparse *Ct, int column, const tp_components *parts, int part, const double *y)
{
    double sum = 0.0;
    for (int k = Ct->start[column]; k < Ct->start[column + 1]; k++) {
        if (parts->of[Ct->index[k]] == part) sum += Ct->value[k] * y[parts->place[Ct->index[k]]];
    }
    return sum;
}

/* G_ij += C_i M^-1 A_j for all laws i, and fixed j, within the component. */
static void add_column(const tp_problem *problem, const tp_components *parts, int part, int j,
                       const double *Y, tp_block_matrix *G)
{
    const tp_set *set_j = &problem->sets[j];
    int n = parts->start[part + 1] - parts->start[part];
    for (int s = parts->set_start[part]; s < parts->set_start[part + 1]; s++) {
        const tp_set *set_i = &problem->sets[parts->set[s]];
        int i = parts->set[s];
        int place = G->start[i] + tp_find_int(G->column + G->start[i], G->start[i + 1] - G->start[i], j);
        double *block = G->value + G->offset[place];
        for (int b = 0; b < set_j->size; b++) {
            for (int a = 0; a < set_i->size; a++) {
                block[a + b * set_i->size] +=
                    dot_part(&problem->Ct, set_i->first + a, parts, part, Y + (size_t)b * (size_t)n);
            }
        }
    }
}

/* Rows of C and columns of M^-1 A of all laws that touch a small component, as dense vectors side by side. */
typedef struct dense_rows {
    int n;
    int *first; /* [laws + 1] first vector of a law */
    double *C, *Y;
    double *quads; /* [laws][n][4] C of laws of up to four rows, its rows side by side */
} dense_rows;

enum { QUAD = 4 };

static void take_quads(int n, int rows, const double *C, double *quads)
{
    for (int k = 0; k < n; k++) {
        for (int a = 0; a < QUAD; a++) quads[QUAD * k + a] = a < rows ? C[k + a * n] : 0.0;
    }
}

static tp_status gather_rows(const tp_problem *problem, const tp_components *parts, int part,
                             const tp_part_factor *factor, tp_stack *stack, dense_rows *out)
{
    int begin = parts->set_start[part], count = parts->set_start[part + 1] - begin, n = factor->n, total = 0;
    out->n = n;
    out->first = TP_STACK_ARRAY(stack, int, count + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int s = 0; s < count; s++) {
        out->first[s] = total;
        total += problem->sets[parts->set[begin + s]].size;
    }
    out->first[count] = total;
    TP_STACK_DOUBLES(stack, (size_t)total * (size_t)n, &out->Y, &out->C);
    out->quads = TP_STACK_ARRAY(stack, double, (size_t)QUAD *(size_t)count *(size_t)n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int s = 0; s < count; s++) {
        int row = problem->sets[parts->set[begin + s]].first, size = out->first[s + 1] - out->first[s];
        double *C = out->C + (size_t)out->first[s] * (size_t)n,
               *Y = out->Y + (size_t)out->first[s] * (size_t)n;
        for (int k = 0; k < size; k++, row++) {
            double *y = Y + (size_t)k * (size_t)n;
            gather(&problem->Ct, row, parts, part, n, C + (size_t)k * (size_t)n);
            gather(&problem->A, row, parts, part, n, y);
            tp_part_solve(factor, y);
        }
        if (size <= QUAD) take_quads(n, size, C, out->quads + (size_t)QUAD * (size_t)s * (size_t)n);
    }
    return TP_OK;
}

/* block += C_i Y_j, one number a dot product of length n. */
static void add_block(int n, int rows, int cols, const double *C, const double *Y, double *block)
{
    for (int b = 0; b < cols; b++) {
        const double *y = Y + (size_t)b * (size_t)n;
        for (int a = 0; a < rows; a++) {
            const double *c = C + (size_t)a * (size_t)n;
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += c[k] * y[k];
            block[a + b * rows] += sum;
        }
    }
}

/* The same, all rows at once and with the same bits; loads need no alignment. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef void (*add_quads)(int n, int rows, int cols, const double *quads, const double *Y, double *block);

#define QUAD_LOOP                                                                                            \
    int b = 0;                                                                                               \
    for (; b + 2 < cols; b += 3) {                                                                           \
        const double *y0 = Y + (size_t)b * (size_t)n, *y1 = y0 + n, *y2 = y1 + n;                            \
        quad sum0 = {0.0, 0.0, 0.0, 0.0}, sum1 = sum0, sum2 = sum0;                                          \
        for (int k = 0; k < n; k++) {                                                                        \
            quad c = *(const quad *)(quads + QUAD * k);                                                      \
            sum0 += c * y0[k];                                                                               \
            sum1 += c * y1[k];                                                                               \
            sum2 += c * y2[k];                                                                               \
        }                                                                                                    \
        for (int a = 0; a < rows; a++) {                                                                     \
            block[a + b * rows] += sum0[a];                                                                  \
            block[a + (b + 1) * rows] += sum1[a];                                                            \
            block[a + (b + 2) * rows] += sum2[a];                                                            \
        }                                                                                                    \
    }                                                                                                        \
    for (; b < cols; b++) {                                                                                  \
        const double *y = Y + (size_t)b * (size_t)n;                                                         \
        quad sum = {0.0, 0.0, 0.0, 0.0};                                                                     \
        for (int k = 0; k < n; k++) sum += *(const quad *)(quads + QUAD * k) * y[k];                         \
        for (int a = 0; a < rows; a++) block[a + b * rows] += sum[a];                                        \
    }

static void add_quads_plain(int n, int rows, int cols, const double *quads, const double *Y, double *block)
{
    QUAD_LOOP
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_quads_avx2(int n, int rows, int cols, const double *quads,
                                                           const double *Y, double *block)
{
    QUAD_LOOP
}
#endif

static add_quads best_add_quads(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return add_quads_avx2;
#endif
    return add_quads_plain;
}

static void add_dense_pairs(const tp_components *parts, int part, const dense_rows *rows, tp_block_matrix *G)
{
    const int *sets = parts->set + parts->set_start[part];
    int count = parts->set_start[part + 1] - parts->set_start[part];
    size_t n = (size_t)rows->n;
    add_quads add = best_add_quads();
    for (int s = 0; s < count; s++) {
        int size = rows->first[s + 1] - rows->first[s], place = G->start[sets[s]];
        for (int r = 0; r < count; r++) { /* both lists ascend: a merge finds the blocks */
            while (G->column[place] != sets[r]) place++;
            int cols = rows->first[r + 1] - rows->first[r];
            const double *Y = rows->Y + (size_t)rows->first[r] * n;
            double *block = G->value + G->offset[place];
            if (size <= QUAD)
                add(rows->n, size, cols, rows->quads + QUAD * (size_t)s * n, Y, block);
            else
                add_block(rows->n, size, cols, rows->C + (size_t)rows->first[s] * n, Y, block);
        }
    }
}

/* The part of a free motion in c. */
static void add_free_motion(const tp_problem *problem, const tp_components *parts, int part,
                            const tp_part_factor *factor, double *y, double *c)
{
    for (int k = 0; k < factor->n; k++) y[k] = problem->f[parts->member[parts->start[part] + k]];
    tp_part_solve(factor, y);
    for (int s = parts->set_start[part]; s < parts->set_start[part + 1]; s++) {
        const tp_set *set = &problem->sets[parts->set[s]];
        for (int a = 0; a < set->size; a++)
            c[set->first + a] += dot_part(&problem->Ct, set->first + a, parts, part, y);
    }
}

static tp_status add_component(const tp_problem *problem, const tp_components *parts, int part,
                               const int *order, tp_stack *stack, tp_block_matrix *G, double *c)
{
    tp_part_factor factor = {.n = parts->start[part + 1] - parts->start[part]};
    int n = factor.n;
    TP_TRY(tp_part_factorise(problem, parts, part, order, stack, &factor));
    double *Y = TP_STACK_ARRAY(stack, double, (size_t)n *TP_SET_MAX);
    if (Y == NULL) return TP_OUT_OF_MEMORY;
    add_free_motion(problem, parts, part, &factor, Y, c);
    if (n <= TP_DENSE_COMPONENT) {
        dense_rows rows;
        TP_TRY(gather_rows(problem, parts, part, &factor, stack, &rows));
        add_dense_pairs(parts, part, &rows, G);
        return TP_OK;
    }
    for (int s = parts->set_start[part]; s < parts->set_start[part + 1]; s++) {
        int j = parts->set[s];
        for (int b = 0; b < problem->sets[j].size; b++) {
            double *y = Y + (size_t)b * (size_t)n;
            gather(&problem->A, problem->sets[j].first + b, parts, part, n, y);
            tp_part_solve(&factor, y);
        }
        add_column(problem, parts, part, j, Y, G);
    }
    return TP_OK;
}

/* A single unknown that no law touches, as those of a body in free flight: nothing follows for the laws. */
static bool is_apart(const tp_problem *problem, const tp_components *parts, int part)
{
    int j = parts->member[parts->start[part]], k = problem->M.start[j];
    return parts->start[part + 1] - parts->start[part] == 1 &&
           parts->set_start[part + 1] == parts->set_start[part] && problem->M.start[j + 1] == k + 1 &&
           problem->M.value[k] != 0.0;
}

tp_status tp_reduce(const tp_problem *problem, const int *order, tp_stack *stack, tp_block_matrix *G_out,
                    double *c_out)
{
    tp_components parts = {0};
    TP_TRY(tp_components_find(&problem->M, stack, &parts));
    TP_TRY(tp_components_list_sets(problem, stack, &parts));
    TP_TRY(join_components(stack, problem->x_count, &parts));
    TP_TRY(make_pattern(problem, &parts, stack, G_out));
    if (problem->row_count > 0) memcpy(c_out, problem->b, (size_t)problem->row_count * sizeof(double));
    tp_status status = TP_OK;
    for (int part = 0; part < parts.count && status == TP_OK; part++) {
        if (is_apart(problem, &parts, part)) continue;
        tp_stack_mark mark = tp_stack_mark_now(stack);
        status = add_component(problem, &parts, part, order, stack, G_out, c_out);
        tp_stack_release(stack, mark);
    }
    return status;
}

tp_status tp_problem_reduce(const tp_allocator *allocator, const tp_problem *problem, tp_problem **local_out,
                            tp_message *why_out)
{
    *local_out = NULL;
    tp_stack stack;
    tp_stack_init(&stack, allocator);
    tp_block_matrix G = problem->D;
    double *c = TP_STACK_ARRAY(&stack, double, problem->row_count);
    tp_status status = c != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK && problem->x_count > 0) status = tp_reduce(problem, NULL, &stack, &G, c);
    if (status == TP_OK && problem->x_count == 0 && problem->row_count > 0) {
        memcpy(c, problem->b, (size_t)problem->row_count * sizeof(double));
    }

    /* The blocks as entries, for the one place that makes problems. */
    size_t count = status == TP_OK ? G.offset[G.block_count] : 0;
    int *row = TP_STACK_ARRAY(&stack, int, count), *col = TP_STACK_ARRAY(&stack, int, count);
    if (status == TP_OK && (row == NULL || col == NULL || count > 2000000000u)) status = TP_OUT_OF_MEMORY;
    if (status != TP_OK) {
        tp_stack_clear(&stack);
        return tp_fail(why_out, status, "the problem cannot be reduced: %s", tp_status_text(status));
    }
    for (int i = 0; i < G.block_rows; i++) {
        int n = problem->sets[i].size;
        for (int k = G.start[i]; k < G.start[i + 1]; k++) {
            for (size_t e = G.offset[k]; e < G.offset[k + 1]; e++) {
                row[e] = problem->sets[i].first + (int)((e - G.offset[k]) % (size_t)n);
                col[e] = problem->sets[G.column[k]].first + (int)((e - G.offset[k]) / (size_t)n);
            }
        }
    }
    tp_problem_def def = {.kind = "local",
                          .title = problem->title,
                          .row_count = problem->row_count,
                          .set_count = problem->set_count,
                          .sets = problem->sets,
                          .b = c};
    def.D = (tp_entries){problem->row_count, problem->row_count, (int)count, row, col, G.value};
    status = tp_problem_create(allocator, &def, local_out, why_out);
    tp_stack_clear(&stack);
    return status;
}
