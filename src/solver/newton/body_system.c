/* Newton's linear system over the velocities of bodies; theory/solvers.md (14b). */
#include "body_system.h"

#include "base/sort.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { LARGEST_NODE = 12 };

static bool is_suitable(const tp_local *local)
{
    const tp_problem *problem = local->global;
    if (problem == NULL || problem->D.block_count != problem->set_count) return false;
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].master_count > 0) return false;
    }
    return true;
}

/* Laws that touch each unknown, ascending. */
typedef struct touch {
    int *start, *law; /* [x_count + 1] */
} touch;

static void visit_rows(const tp_sparse *rows, const tp_set *set, int law, int *last, int *count, touch *out)
{
    for (int e = rows->start[set->first]; e < rows->start[set->first + set->size]; e++) {
        int j = rows->index[e];
        if (last[j] == law) continue;
        last[j] = law;
        if (out != NULL) out->law[out->start[j] + count[j]] = law;
        count[j]++;
    }
}

static tp_status list_laws(const tp_problem *problem, tp_stack *stack, touch *out)
{
    int n = problem->x_count;
    out->start = TP_STACK_ARRAY(stack, int, n + 1);
    int *last = TP_STACK_ARRAY(stack, int, n), *count = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++) {
            last[j] = -1;
            count[j] = 0;
        }
        for (int i = 0; i < problem->set_count; i++) {
            visit_rows(&problem->A, &problem->sets[i], i, last, count, pass > 0 ? out : NULL);
            if (!problem->is_mechanical)
                visit_rows(&problem->Ct, &problem->sets[i], i, last, count, pass > 0 ? out : NULL);
        }
        if (pass > 0) break;
        out->start[0] = 0;
        for (int j = 0; j < n; j++) out->start[j + 1] = out->start[j] + count[j];
        out->law = TP_STACK_ARRAY(stack, int, out->start[n]);
        if (out->law == NULL) return TP_OUT_OF_MEMORY;
    }
    return TP_OK;
}

/* Do all laws of unknown j touch unknown k? */
static bool is_within(const touch *laws, int j, int k)
{
    int at = laws->start[k];
    for (int e = laws->start[j]; e < laws->start[j + 1]; e++) {
        while (at < laws->start[k + 1] && laws->law[at] < laws->law[e]) at++;
        if (at == laws->start[k + 1] || laws->law[at] != laws->law[e]) return false;
    }
    return true;
}

/* Neighbouring unknowns, one of which is touched by no law that does not touch the other. `widest` is the one
   of the present node that most laws touch. */
static void group_unknowns(const touch *laws, tp_body_system *bodies)
{
    int n = bodies->problem->x_count, widest = -1, count = 0;
    for (int j = 0; j < n; j++) {
        bool is_open = count > 0 && bodies->size[count - 1] < LARGEST_NODE;
        bool is_inside = is_open && is_within(laws, j, widest);
        if (!is_inside && !(is_open && is_within(laws, widest, j))) {
            bodies->first[count] = j;
            bodies->size[count++] = 0;
        }
        if (!is_inside) widest = j;
        bodies->node_of[j] = count - 1;
        bodies->slot[j] = bodies->size[count - 1]++;
    }
    bodies->first[count] = n;
    bodies->node_count = count;
}

static tp_status take_nodes(tp_stack *stack, const touch *laws, tp_body_system *bodies)
{
    const tp_problem *problem = bodies->problem;
    size_t n = (size_t)problem->x_count;
    bodies->node_of = TP_STACK_ARRAY(stack, int, n);
    bodies->slot = TP_STACK_ARRAY(stack, int, n);
    bodies->first = TP_STACK_ARRAY(stack, int, n + 1);
    bodies->size = TP_STACK_ARRAY(stack, int, n);
    bodies->scale = TP_STACK_ARRAY(stack, double, n);
    bodies->x = TP_STACK_ARRAY(stack, double, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    group_unknowns(laws, bodies);
    for (int j = 0; j < problem->x_count; j++) {
        double diagonal = 0.0;
        for (int e = problem->M.start[j]; e < problem->M.start[j + 1]; e++) {
            if (problem->M.index[e] == j) diagonal = fabs(problem->M.value[e]);
        }
        if (!(diagonal > 0.0)) return TP_UNSUPPORTED;
        bodies->scale[j] = 1.0 / sqrt(diagonal);
    }
    return TP_OK;
}

/* Nodes of law i, each once; mark [node_count] holds i + 1 where seen. */
static int nodes_of_law(const tp_body_system *bodies, int i, int *mark, int *list)
{
    const tp_problem *problem = bodies->problem;
    const tp_set *set = &problem->sets[i];
    const tp_sparse *both[2] = {&problem->A, &problem->Ct};
    int count = 0, kinds = problem->is_mechanical ? 1 : 2; /* C = A^T: the same entries */
    for (int s = 0; s < kinds; s++) {
        for (int e = both[s]->start[set->first]; e < both[s]->start[set->first + set->size]; e++) {
            int node = bodies->node_of[both[s]->index[e]];
            if (mark[node] == i + 1) continue;
            mark[node] = i + 1;
            if (list != NULL) list[count] = node;
            count++;
        }
    }
    return count;
}

static void fill_directions(const tp_body_system *bodies, const tp_sparse *rows, int i, int *place,
                            double *value)
{
    const tp_set *set = &bodies->problem->sets[i];
    for (int r = 0; r < set->size; r++) {
        int row = set->first + r;
        for (int e = rows->start[row]; e < rows->start[row + 1]; e++) {
            int j = rows->index[e], node = bodies->node_of[j];
            value[place[node] + bodies->slot[j] + r * bodies->size[node]] = rows->value[e] * bodies->scale[j];
        }
    }
}

/* Nodes and scaled directions of each law: for each node a block [size * rows] of A, then those of C. */
static tp_status list_directions(tp_stack *stack, tp_body_system *bodies)
{
    const tp_problem *problem = bodies->problem;
    size_t sets = (size_t)problem->set_count;
    int *mark = TP_STACK_ARRAY(stack, int, bodies->node_count),
        *place = TP_STACK_ARRAY(stack, int, bodies->node_count);
    bodies->law_start = TP_STACK_ARRAY(stack, int, sets + 1);
    bodies->law_offset = TP_STACK_ARRAY(stack, size_t, sets + 1);
    bodies->inverse_offset = TP_STACK_ARRAY(stack, size_t, sets + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(mark, 0, (size_t)bodies->node_count * sizeof(int));
    bodies->law_start[0] = 0;
    for (int i = 0; i < problem->set_count; i++)
        bodies->law_start[i + 1] = bodies->law_start[i] + nodes_of_law(bodies, i, mark, NULL);
    bodies->law_node = TP_STACK_ARRAY(stack, int, bodies->law_start[sets]);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(mark, 0, (size_t)bodies->node_count * sizeof(int));
    size_t offset = 0, inverse = 0;
    for (int i = 0; i < problem->set_count; i++) {
        size_t rows = (size_t)problem->sets[i].size, width = 0;
        int count = nodes_of_law(bodies, i, mark, bodies->law_node + bodies->law_start[i]);
        for (int k = 0; k < count; k++)
            width += (size_t)bodies->size[bodies->law_node[bodies->law_start[i] + k]];
        bodies->law_offset[i] = offset;
        bodies->inverse_offset[i] = inverse;
        offset += 2 * width * rows;
        inverse += rows * rows;
    }
    bodies->law_offset[sets] = offset;
    bodies->inverse_offset[sets] = inverse;
    bodies->direction = TP_STACK_ARRAY(stack, double, offset);
    bodies->inverse = TP_STACK_ARRAY(stack, double, inverse);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(bodies->direction, 0, offset * sizeof(double));
    for (int i = 0; i < problem->set_count; i++) {
        int width = 0;
        for (int k = bodies->law_start[i]; k < bodies->law_start[i + 1]; k++) {
            place[bodies->law_node[k]] = width;
            width += bodies->size[bodies->law_node[k]] * problem->sets[i].size;
        }
        double *value = bodies->direction + bodies->law_offset[i];
        fill_directions(bodies, &problem->A, i, place, value);
        if (problem->is_mechanical)
            memcpy(value + width, value, (size_t)width * sizeof(double));
        else
            fill_directions(bodies, &problem->Ct, i, place, value + width);
    }
    return TP_OK;
}

/* Which nodes meet in a law or in M. */
static tp_status make_plan(tp_stack *stack, const touch *laws, tp_body_system *bodies)
{
    const tp_problem *problem = bodies->problem;
    int nodes = bodies->node_count, *mark = TP_STACK_ARRAY(stack, int, nodes),
        *start = TP_STACK_ARRAY(stack, int, nodes + 1), *index = NULL;
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int k = 0; k < nodes; k++) mark[k] = -1;
        for (int node = 0; node < nodes; node++) {
            start[node] = count;
            for (int j = bodies->first[node]; j < bodies->first[node + 1]; j++) {
                for (int e = laws->start[j]; e < laws->start[j + 1]; e++) {
                    int i = laws->law[e];
                    for (int k = bodies->law_start[i]; k < bodies->law_start[i + 1]; k++) {
                        int other = bodies->law_node[k];
                        if (mark[other] == node) continue;
                        mark[other] = node;
                        if (index != NULL) index[count] = other;
                        count++;
                    }
                }
                for (int e = problem->M.start[j]; e < problem->M.start[j + 1]; e++) {
                    int other = bodies->node_of[problem->M.index[e]];
                    if (mark[other] == node) continue;
                    mark[other] = node;
                    if (index != NULL) index[count] = other;
                    count++;
                }
            }
        }
        start[nodes] = count;
        if (pass > 0) break;
        index = TP_STACK_ARRAY(stack, int, count);
        if (index == NULL) return TP_OUT_OF_MEMORY;
    }
    for (int node = 0; node < nodes; node++) tp_sort_ints(index + start[node], start[node + 1] - start[node]);
    return tp_front_plan_make(stack, nodes, start, index, &bodies->plan);
}

tp_status tp_body_system_init(tp_body_system *bodies, const tp_local *local, tp_stack *stack)
{
    if (!is_suitable(local)) return TP_UNSUPPORTED;
    touch laws;
    *bodies = (tp_body_system){.problem = local->global};
    TP_TRY(list_laws(bodies->problem, stack, &laws));
    TP_TRY(take_nodes(stack, &laws, bodies));
    TP_TRY(list_directions(stack, bodies));
    return make_plan(stack, &laws, bodies);
}

static void add_masses(tp_body_system *bodies)
{
    const tp_sparse *M = &bodies->problem->M;
    int stride;
    for (int j = 0; j < M->cols; j++) {
        for (int e = M->start[j]; e < M->start[j + 1]; e++) {
            int i = M->index[e];
            double *to = tp_fronts_block(&bodies->fronts, bodies->node_of[i], bodies->node_of[j], &stride);
            to[bodies->slot[i] + (size_t)bodies->slot[j] * (size_t)stride] +=
                M->value[e] * bodies->scale[i] * bodies->scale[j];
        }
    }
}

/* inverse = (R (D + shift) C + K)^-1 [dim * dim]; TP_SINGULAR if there is none. */
static tp_status invert_law(const tp_problem *problem, int i, const tp_linear_block *block, double shift,
                            double *inverse)
{
    int n = block->size, m = block->dim, pivot[TP_SET_MAX];
    double own[TP_SET_MAX * TP_SET_MAX], a[TP_SET_MAX * TP_SET_MAX];
    memcpy(own, problem->D.value + problem->D.offset[problem->D.diagonal[i]],
           (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; k++) own[k + k * n] += shift;
    tp_linear_block_product(block, block, own, a);
    for (int k = 0; k < m * m; k++) a[k] += block->K[k];
    TP_TRY(tp_dense_lu(m, a, m, pivot, 0.0));
    memset(inverse, 0, (size_t)(m * m) * sizeof(double));
    for (int k = 0; k < m; k++) {
        inverse[k + k * m] = 1.0;
        tp_dense_lu_solve(m, a, m, pivot, inverse + k * m);
    }
    return TP_OK;
}

/* E = C inverse R [size * size]: impulse of the law for a velocity of its rows. */
static void law_stiffness(const tp_linear_block *block, const double *inverse, double *E)
{
    int n = block->size, m = block->dim;
    double by_rows[TP_SET_MAX * TP_SET_MAX];
    for (int c = 0; c < n; c++) {
        for (int a = 0; a < m; a++) {
            double sum = 0.0;
            for (int b = 0; b < m; b++) sum += inverse[a + b * m] * block->R[b + c * m];
            by_rows[a + c * m] = sum;
        }
    }
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int a = 0; a < m; a++) sum += block->C[k + a * n] * by_rows[a + c * m];
            E[k + c * n] = sum;
        }
    }
}

/* Adds A E C to the blocks of the nodes of law i. */
static void add_law(tp_body_system *bodies, int i, const double *E)
{
    int n = bodies->problem->sets[i].size, begin = bodies->law_start[i], end = bodies->law_start[i + 1];
    size_t half = (bodies->law_offset[i + 1] - bodies->law_offset[i]) / 2;
    const double *A = bodies->direction + bodies->law_offset[i];
    for (int k = begin; k < end; k++) {
        int rows = bodies->size[bodies->law_node[k]];
        double AE[LARGEST_NODE * TP_SET_MAX];
        for (int c = 0; c < n; c++) {
            for (int a = 0; a < rows; a++) {
                double sum = 0.0;
                for (int r = 0; r < n; r++) sum += A[a + r * rows] * E[r + c * n];
                AE[a + c * rows] = sum;
            }
        }
        const double *C = bodies->direction + bodies->law_offset[i] + half;
        for (int l = begin; l < end; l++) {
            int stride, columns = bodies->size[bodies->law_node[l]];
            double *to = tp_fronts_block(&bodies->fronts, bodies->law_node[k], bodies->law_node[l], &stride);
            for (int b = 0; b < columns; b++) {
                for (int c = 0; c < n; c++) {
                    double factor = C[b + c * columns];
                    for (int a = 0; a < rows; a++)
                        to[a + (size_t)b * (size_t)stride] += AE[a + c * rows] * factor;
                }
            }
            C += columns * n;
        }
        A += rows * n;
    }
}

tp_status tp_body_system_factor(tp_body_system *bodies, const tp_linear_block *blocks, double shift,
                                tp_stack *stack)
{
    TP_TRY(tp_fronts_take(stack, &bodies->plan, bodies->size, &bodies->fronts));
    add_masses(bodies);
    for (int i = 0; i < bodies->problem->set_count; i++) {
        double E[TP_SET_MAX * TP_SET_MAX], *inverse = bodies->inverse + bodies->inverse_offset[i];
        if (blocks[i].dim == 0) continue;
        double own = bodies->hold != NULL ? bodies->hold[i] * shift : shift;
        TP_TRY(invert_law(bodies->problem, i, &blocks[i], own, inverse));
        law_stiffness(&blocks[i], inverse, E);
        add_law(bodies, i, E);
    }
    return tp_fronts_factor(&bodies->fronts);
}

/* out [dim] = inverse v. */
static void times_inverse(const tp_body_system *bodies, int i, int m, const double *v, double *out)
{
    const double *inverse = bodies->inverse + bodies->inverse_offset[i];
    for (int a = 0; a < m; a++) {
        out[a] = 0.0;
        for (int b = 0; b < m; b++) out[a] += inverse[a + b * m] * v[b];
    }
}

/* x = sum of A C inverse d over the laws. */
static void push_laws(tp_body_system *bodies, const tp_linear_block *blocks, const int *first_unknown,
                      const double *d)
{
    memset(bodies->x, 0, (size_t)bodies->problem->x_count * sizeof(double));
    for (int i = 0; i < bodies->problem->set_count; i++) {
        const tp_linear_block *block = &blocks[i];
        int n = block->size, m = block->dim;
        double e[TP_SET_MAX], p[TP_SET_MAX] = {0.0};
        if (m == 0) continue;
        times_inverse(bodies, i, m, d + first_unknown[i], e);
        for (int a = 0; a < m; a++) {
            for (int k = 0; k < n; k++) p[k] += block->C[k + a * n] * e[a];
        }
        const double *A = bodies->direction + bodies->law_offset[i];
        for (int k = bodies->law_start[i]; k < bodies->law_start[i + 1]; k++) {
            int rows = bodies->size[bodies->law_node[k]];
            double *x = bodies->x + bodies->first[bodies->law_node[k]];
            for (int r = 0; r < n; r++) {
                for (int a = 0; a < rows; a++) x[a] += A[a + r * rows] * p[r];
            }
            A += rows * n;
        }
    }
}

/* d = inverse (d - R C x). */
static void pull_laws(const tp_body_system *bodies, const tp_linear_block *blocks, const int *first_unknown,
                      double *d)
{
    for (int i = 0; i < bodies->problem->set_count; i++) {
        const tp_linear_block *block = &blocks[i];
        int n = block->size, m = block->dim;
        double v[TP_SET_MAX] = {0.0}, left[TP_SET_MAX];
        if (m == 0) continue;
        size_t half = (bodies->law_offset[i + 1] - bodies->law_offset[i]) / 2;
        const double *C = bodies->direction + bodies->law_offset[i] + half;
        for (int k = bodies->law_start[i]; k < bodies->law_start[i + 1]; k++) {
            int rows = bodies->size[bodies->law_node[k]];
            const double *x = bodies->x + bodies->first[bodies->law_node[k]];
            for (int r = 0; r < n; r++) v[r] += tp_dense_dot(rows, C + r * rows, x);
            C += rows * n;
        }
        for (int a = 0; a < m; a++) {
            left[a] = d[first_unknown[i] + a];
            for (int r = 0; r < n; r++) left[a] -= block->R[a + r * m] * v[r];
        }
        times_inverse(bodies, i, m, left, d + first_unknown[i]);
    }
}

void tp_body_system_solve(tp_body_system *bodies, const tp_linear_block *blocks, const int *first_unknown,
                          double *d)
{
    push_laws(bodies, blocks, first_unknown, d);
    tp_fronts_solve(&bodies->fronts, bodies->first, bodies->x);
    pull_laws(bodies, blocks, first_unknown, d);
}
