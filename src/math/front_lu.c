/* Multifrontal LU over blocks; the plan (order, fronts) is in front_plan.c. */
#include "front_lu.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { PANEL = 12 }; /* columns that are eliminated before the rest of a front is updated */

double tp_front_operations(const tp_front_plan *plan, const int *size)
{
    double sum = 0.0;
    for (int f = 0; f < plan->front_count; f++) {
        double pivots = 0.0, border = 0.0;
        for (int p = plan->first[f]; p < plan->first[f + 1]; p++) pivots += size[plan->node[p]];
        for (int e = plan->start[f]; e < plan->start[f + 1]; e++) border += size[plan->node[plan->border[e]]];
        sum += pivots * (pivots * pivots / 3.0 + pivots * border + border * border);
    }
    return sum;
}

/* Rows of pivots and border nodes in each front; returns the numbers of all fronts together. */
static size_t lay_out(tp_fronts *fronts, const int *size)
{
    const tp_front_plan *plan = fronts->plan;
    size_t total = 0;
    for (int f = 0; f < plan->front_count; f++) {
        int row = 0;
        for (int p = plan->first[f]; p < plan->first[f + 1]; p++) {
            fronts->row[p] = fronts->n;
            fronts->n += size[plan->node[p]];
            row += size[plan->node[p]];
        }
        fronts->pivots[f] = row;
        for (int e = plan->start[f]; e < plan->start[f + 1]; e++) {
            fronts->border_row[e] = row;
            row += size[plan->node[plan->border[e]]];
        }
        fronts->height[f] = row;
        fronts->offset[f] = total;
        total += (size_t)row * (size_t)row;
    }
    fronts->row[plan->node_count] = fronts->n;
    fronts->offset[plan->front_count] = total;
    return total;
}

tp_status tp_fronts_take(tp_stack *stack, const tp_front_plan *plan, const int *size, tp_fronts *out)
{
    *out = (tp_fronts){.plan = plan, .operations = tp_front_operations(plan, size)};
    out->row = TP_STACK_ARRAY(stack, int, plan->node_count + 1);
    out->border_row = TP_STACK_ARRAY(stack, int, plan->start[plan->front_count]);
    TP_STACK_INTS(stack, plan->front_count, &out->pivots, &out->height);
    out->offset = TP_STACK_ARRAY(stack, size_t, plan->front_count + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    size_t total = lay_out(out, size);
    out->swap = TP_STACK_ARRAY(stack, int, out->n);
    out->map = TP_STACK_ARRAY(stack, int, 2 * (size_t)plan->node_count + 2);
    out->work = TP_STACK_ARRAY(stack, double, 2 * (size_t)out->n);
    out->value = TP_STACK_ARRAY(stack, double, total);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(out->value, 0, total * sizeof(double));
    return TP_OK;
}

/* Row in front f of the node at a place that belongs to it. */
static int row_in_front(const tp_fronts *fronts, int f, int place)
{
    const tp_front_plan *plan = fronts->plan;
    if (place < plan->first[f + 1]) return fronts->row[place] - fronts->row[plan->first[f]];
    int begin = plan->start[f], count = plan->start[f + 1] - begin;
    return fronts->border_row[begin + tp_find_int(plan->border + begin, count, place)];
}

double *tp_fronts_block(const tp_fronts *fronts, int i, int j, int *stride_out)
{
    const tp_front_plan *plan = fronts->plan;
    int a = plan->place[i], b = plan->place[j], f = plan->front_of[a < b ? a : b];
    *stride_out = fronts->height[f];
    return fronts->value + fronts->offset[f] + row_in_front(fronts, f, a) +
           (size_t)row_in_front(fronts, f, b) * (size_t)fronts->height[f];
}

/* Loads and stores need no alignment. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Rows i of four columns of C, or of one; type: as many rows as it has numbers. */
#define UPDATE_FOUR(type)                                                                                    \
    {                                                                                                        \
        type s0 = *(type *)(c0 + i), s1 = *(type *)(c1 + i), s2 = *(type *)(c2 + i), s3 = *(type *)(c3 + i); \
        for (int k = 0; k < depth; k++) {                                                                    \
            type l = *(const type *)(L + i + (size_t)k * stride);                                            \
            s0 -= l * u0[k];                                                                                 \
            s1 -= l * u1[k];                                                                                 \
            s2 -= l * u2[k];                                                                                 \
            s3 -= l * u3[k];                                                                                 \
        }                                                                                                    \
        *(type *)(c0 + i) = s0;                                                                              \
        *(type *)(c1 + i) = s1;                                                                              \
        *(type *)(c2 + i) = s2;                                                                              \
        *(type *)(c3 + i) = s3;                                                                              \
    }
#define UPDATE_ONE(type)                                                                                     \
    {                                                                                                        \
        type s = *(type *)(c + i);                                                                           \
        for (int k = 0; k < depth; k++) s -= *(const type *)(L + i + (size_t)k * stride) * u[k];             \
        *(type *)(c + i) = s;                                                                                \
    }

/* C -= L U for four columns of C, rows side by side; compiled once for each kind of processor, with the same
   bits. */
#define UPDATE_LOOP                                                                                          \
    int j = 0;                                                                                               \
    for (; j + 3 < columns; j += 4) {                                                                        \
        const double *u0 = U + (size_t)j * stride, *u1 = u0 + stride, *u2 = u1 + stride, *u3 = u2 + stride;  \
        double *c0 = C + (size_t)j * stride, *c1 = c0 + stride, *c2 = c1 + stride, *c3 = c2 + stride;        \
        int i = 0;                                                                                           \
        for (; i + 3 < rows; i += 4) UPDATE_FOUR(quad)                                                       \
        for (; i < rows; i++) UPDATE_FOUR(double)                                                            \
    }                                                                                                        \
    for (; j < columns; j++) {                                                                               \
        const double *u = U + (size_t)j * stride;                                                            \
        double *c = C + (size_t)j * stride;                                                                  \
        int i = 0;                                                                                           \
        for (; i + 3 < rows; i += 4) UPDATE_ONE(quad)                                                        \
        for (; i < rows; i++) UPDATE_ONE(double)                                                             \
    }

typedef void update_function(int rows, int columns, int depth, size_t stride, const double *L,
                             const double *U, double *C);

/* U <- L^-1 U for unit lower L [depth * depth], four columns of U side by side. */
typedef void eliminate_function(int columns, int depth, size_t stride, const double *L, double *U);

#define ELIMINATE_LOOP                                                                                       \
    int j = 0;                                                                                               \
    for (; j + 3 < columns; j += 4) {                                                                        \
        double *u0 = U + (size_t)j * stride, *u1 = u0 + stride, *u2 = u1 + stride, *u3 = u2 + stride;        \
        quad rows[PANEL];                                                                                    \
        for (int i = 0; i < depth; i++) rows[i] = (quad){u0[i], u1[i], u2[i], u3[i]};                        \
        for (int k = 0; k < depth; k++) {                                                                    \
            for (int i = k + 1; i < depth; i++) rows[i] -= L[i + (size_t)k * stride] * rows[k];              \
        }                                                                                                    \
        for (int i = 0; i < depth; i++) {                                                                    \
            u0[i] = rows[i][0];                                                                              \
            u1[i] = rows[i][1];                                                                              \
            u2[i] = rows[i][2];                                                                              \
            u3[i] = rows[i][3];                                                                              \
        }                                                                                                    \
    }                                                                                                        \
    for (; j < columns; j++) {                                                                               \
        double *u = U + (size_t)j * stride;                                                                  \
        for (int k = 0; k < depth; k++) {                                                                    \
            for (int i = k + 1; i < depth; i++) u[i] -= L[i + (size_t)k * stride] * u[k];                    \
        }                                                                                                    \
    }

typedef struct kernels {
    update_function *update;
    eliminate_function *eliminate;
} kernels;

static void update_plain(int rows, int columns, int depth, size_t stride, const double *L, const double *U,
                         double *C)
{
    UPDATE_LOOP
}

static void eliminate_plain(int columns, int depth, size_t stride, const double *L, double *U)
{
    ELIMINATE_LOOP
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void update_avx2(int rows, int columns, int depth, size_t stride,
                                                        const double *L, const double *U, double *C)
{
    UPDATE_LOOP
}

__attribute__((target("avx2"))) static void eliminate_avx2(int columns, int depth, size_t stride,
                                                           const double *L, double *U)
{
    ELIMINATE_LOOP
}
#endif

static kernels choose_kernels(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return (kernels){update_avx2, eliminate_avx2};
#endif
    return (kernels){update_plain, eliminate_plain};
}

static void swap_rows(int n, double *F, int a, int b)
{
    for (int j = 0; j < n && a != b; j++) {
        double *column = F + (size_t)j * (size_t)n, keep = column[a];
        column[a] = column[b];
        column[b] = keep;
    }
}

/* Columns from `begin` to `end` of the front, each with the largest pivot among its own rows. */
static bool factor_panel(int n, int pivots, int begin, int end, double *F, int *swap)
{
    for (int k = begin; k < end; k++) {
        double *column = F + (size_t)k * (size_t)n;
        int best = k;
        for (int i = k + 1; i < pivots; i++) {
            if (fabs(column[i]) > fabs(column[best])) best = i;
        }
        if (!(fabs(column[best]) > 0.0) || !isfinite(column[best])) return false;
        swap[k] = best;
        swap_rows(n, F, k, best);
        double inverse = 1.0 / column[k];
        for (int i = k + 1; i < n; i++) column[i] *= inverse;
        for (int j = k + 1; j < end; j++) {
            double *other = F + (size_t)j * (size_t)n, factor = other[k];
            for (int i = k + 1; i < n; i++) other[i] -= column[i] * factor;
        }
    }
    return true;
}

/* Eliminates the first `pivots` rows and columns of the front F [n * n]. */
static bool factor_front(kernels kernel, int n, int pivots, double *F, int *swap)
{
    for (int begin = 0; begin < pivots; begin += PANEL) {
        int end = begin + PANEL < pivots ? begin + PANEL : pivots;
        if (!factor_panel(n, pivots, begin, end, F, swap)) return false;
        size_t right = (size_t)end * (size_t)n;
        kernel.eliminate(n - end, end - begin, (size_t)n, F + begin + (size_t)begin * (size_t)n,
                         F + begin + right);
        kernel.update(n - end, n - end, end - begin, (size_t)n, F + end + (size_t)begin * (size_t)n,
                      F + begin + right, F + end + right);
    }
    return true;
}

/* What is left of front f goes to its parent, by runs of rows that follow each other in both. */
static void pass_on(const tp_fronts *fronts, int f)
{
    const tp_front_plan *plan = fronts->plan;
    int up = plan->parent[f], n = fronts->height[f], count = plan->start[f + 1] - plan->start[f];
    if (up < 0 || count == 0) return;
    int m = fronts->height[up], at = plan->start[up], run_count = 0;
    int *from_row = fronts->map, *to_row = fronts->map + plan->node_count + 1;
    const double *from = fronts->value + fronts->offset[f];
    double *to = fronts->value + fronts->offset[up];
    const int *border = plan->border + plan->start[f], *rows = fronts->border_row + plan->start[f];
    for (int a = 0; a < count; a++) {
        bool is_pivot = border[a] < plan->first[up + 1];
        while (!is_pivot && plan->border[at] < border[a]) at++;
        int row = is_pivot ? fronts->row[border[a]] - fronts->row[plan->first[up]] : fronts->border_row[at];
        bool goes_on = run_count > 0 && row - to_row[run_count - 1] == rows[a] - from_row[run_count - 1];
        if (goes_on) continue;
        from_row[run_count] = rows[a];
        to_row[run_count++] = row;
    }
    from_row[run_count] = n;
    for (int b = 0; b < run_count; b++) {
        for (int c = from_row[b]; c < from_row[b + 1]; c++) {
            const double *source = from + (size_t)c * (size_t)n;
            double *target = to + (size_t)(to_row[b] + c - from_row[b]) * (size_t)m;
            for (int a = 0; a < run_count; a++) {
                double *runs_to = target + to_row[a] - from_row[a];
                for (int i = from_row[a]; i < from_row[a + 1]; i++) runs_to[i] += source[i];
            }
        }
    }
}

tp_status tp_fronts_factor(tp_fronts *fronts)
{
    const tp_front_plan *plan = fronts->plan;
    kernels kernel = choose_kernels();
    fronts->smallest = INFINITY;
    for (int f = 0; f < plan->front_count; f++) {
        int *swap = fronts->swap + fronts->row[plan->first[f]];
        if (!factor_front(kernel, fronts->height[f], fronts->pivots[f], fronts->value + fronts->offset[f],
                          swap))
            return TP_SINGULAR;
        for (int k = 0; k < fronts->pivots[f]; k++) {
            double pivot = fronts->value[fronts->offset[f] + (size_t)k * (size_t)(fronts->height[f] + 1)];
            fronts->smallest = fmin(fronts->smallest, fabs(pivot));
        }
        pass_on(fronts, f);
    }
    return TP_OK;
}

/* y of the front's rows, pivots first, and back. */
static void gather(const tp_fronts *fronts, int f, const double *x, double *y)
{
    const tp_front_plan *plan = fronts->plan;
    int n = fronts->height[f], pivots = fronts->pivots[f], end = plan->start[f + 1];
    memcpy(y, x + fronts->row[plan->first[f]], (size_t)pivots * sizeof(double));
    for (int e = plan->start[f]; e < end; e++) {
        int width = (e + 1 < end ? fronts->border_row[e + 1] : n) - fronts->border_row[e];
        memcpy(y + fronts->border_row[e], x + fronts->row[plan->border[e]], (size_t)width * sizeof(double));
    }
}

static void scatter(const tp_fronts *fronts, int f, const double *y, double *x)
{
    const tp_front_plan *plan = fronts->plan;
    int n = fronts->height[f], pivots = fronts->pivots[f], end = plan->start[f + 1];
    memcpy(x + fronts->row[plan->first[f]], y, (size_t)pivots * sizeof(double));
    for (int e = plan->start[f]; e < end; e++) {
        int width = (e + 1 < end ? fronts->border_row[e + 1] : n) - fronts->border_row[e];
        memcpy(x + fronts->row[plan->border[e]], y + fronts->border_row[e], (size_t)width * sizeof(double));
    }
}

static void solve_down(const tp_fronts *fronts, int f, double *y)
{
    int n = fronts->height[f], pivots = fronts->pivots[f];
    const double *F = fronts->value + fronts->offset[f];
    const int *swap = fronts->swap + fronts->row[fronts->plan->first[f]];
    for (int k = 0; k < pivots; k++) {
        double keep = y[k];
        y[k] = y[swap[k]];
        y[swap[k]] = keep;
    }
    for (int k = 0; k < pivots; k++) {
        const double *column = F + (size_t)k * (size_t)n;
        double factor = y[k];
        if (factor == 0.0) continue;
        for (int i = k + 1; i < n; i++) y[i] -= column[i] * factor;
    }
}

static void solve_up(const tp_fronts *fronts, int f, double *y)
{
    int n = fronts->height[f], pivots = fronts->pivots[f];
    const double *F = fronts->value + fronts->offset[f];
    int last = n - 1;
    for (; last - 3 >= pivots; last -= 4) { /* each y in the same order as column by column */
        const double *c0 = F + (size_t)last * (size_t)n, *c1 = c0 - n, *c2 = c1 - n, *c3 = c2 - n;
        double y0 = y[last], y1 = y[last - 1], y2 = y[last - 2], y3 = y[last - 3];
        for (int i = 0; i < pivots; i++)
            y[i] = (((y[i] - c0[i] * y0) - c1[i] * y1) - c2[i] * y2) - c3[i] * y3;
    }
    for (int k = last; k >= 0; k--) {
        const double *column = F + (size_t)k * (size_t)n;
        if (k < pivots) y[k] /= column[k];
        double factor = y[k];
        int end = k < pivots ? k : pivots;
        if (factor == 0.0) continue;
        for (int i = 0; i < end; i++) y[i] -= column[i] * factor;
    }
}

void tp_fronts_solve(const tp_fronts *fronts, const int *first_of_node, double *x)
{
    const tp_front_plan *plan = fronts->plan;
    double *sorted = fronts->work, *y = fronts->work + fronts->n;
    for (int p = 0; p < plan->node_count; p++) {
        int width = fronts->row[p + 1] - fronts->row[p];
        memcpy(sorted + fronts->row[p], x + first_of_node[plan->node[p]], (size_t)width * sizeof(double));
    }
    for (int f = 0; f < plan->front_count; f++) {
        gather(fronts, f, sorted, y);
        solve_down(fronts, f, y);
        scatter(fronts, f, y, sorted);
    }
    for (int f = plan->front_count - 1; f >= 0; f--) {
        gather(fronts, f, sorted, y);
        solve_up(fronts, f, y);
        scatter(fronts, f, y, sorted);
    }
    for (int p = 0; p < plan->node_count; p++) {
        int width = fronts->row[p + 1] - fronts->row[p];
        memcpy(x + first_of_node[plan->node[p]], sorted + fronts->row[p], (size_t)width * sizeof(double));
    }
}
