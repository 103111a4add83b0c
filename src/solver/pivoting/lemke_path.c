/* Lemke's complementary path: the kernel; docs/theory/pivoting.md (1)-(8). Names of variables: w_i is i, z_i
   is n + i, the artificial z0 is 2 n. */
#include "math/dense.h"
#include "solver/pivoting/dictionary.h"
#include "solver/pivoting/lemke.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct path {
    int n;
    tp_dictionary dictionary;
    double *row_scale, *col_scale; /* w' = w * row_scale, z = z' * col_scale */
    double q_scale;
    int *place; /* [2n + 1] row of a basic variable, or -1 - column */
} path;

/* max |min(z_i, (M z + q)_i)|; work [n] receives w. */
static double residual_of(int n, const double *M, const double *q, const double *z, double *work)
{
    double worst = 0.0;
    memcpy(work, q, (size_t)n * sizeof *q);
    tp_dense_multiply_add(n, n, M, n, z, work);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(fmin(z[i], work[i])));
    return worst;
}

/* Rows and columns brought to largest entries near 1, by square roots in turn. */
static void equilibrate(path *p, const double *M)
{
    const int n = p->n, sweeps = 6;
    for (int i = 0; i < n; i++) p->row_scale[i] = p->col_scale[i] = 1.0;
    double *largest = p->dictionary.b; /* free until the dictionary is filled in */
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int i = 0; i < n; i++) largest[i] = 0.0;
        for (int j = 0; j < n; j++) {
            double column = 0.0;
            for (int i = 0; i < n; i++) {
                double entry = fabs(M[i + (size_t)j * (size_t)n]) * p->row_scale[i] * p->col_scale[j];
                largest[i] = fmax(largest[i], entry);
                column = fmax(column, entry);
            }
            if (column > 0.0) p->col_scale[j] /= sqrt(column);
        }
        for (int i = 0; i < n; i++)
            if (largest[i] > 0.0) p->row_scale[i] /= sqrt(largest[i]);
    }
}

static tp_status start_path(path *p, const double *M, const double *q, const double *cover, tp_stack *stack)
{
    const int n = p->n;
    TP_TRY(tp_dictionary_take(&p->dictionary, n, n + 1, stack));
    TP_STACK_DOUBLES(stack, n, &p->row_scale, &p->col_scale);
    p->place = TP_STACK_ARRAY(stack, int, 2 * (size_t)n + 1);
    if (!p->row_scale || !p->col_scale || !p->place) return TP_OUT_OF_MEMORY;
    equilibrate(p, M);

    tp_dictionary *d = &p->dictionary;
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(q[i]) * p->row_scale[i]);
    p->q_scale = largest > 0.0 ? largest : 1.0;
    for (int j = 0; j < n; j++) {
        double *column = d->T + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++)
            column[i] = M[i + (size_t)j * (size_t)n] * p->row_scale[i] * p->col_scale[j];
        d->b[j] = q[j] * p->row_scale[j] / p->q_scale;
        d->T[j + (size_t)n * (size_t)n] = cover != NULL ? cover[j] : 1.0;
        d->basic[j] = j;
        d->nonbasic[j] = n + j;
        p->place[j] = j;
        p->place[n + j] = -1 - j;
    }
    d->nonbasic[n] = 2 * n;
    p->place[2 * n] = -1 - n;
    return TP_OK;
}

static void exchange(path *p, int row, int col)
{
    tp_dictionary_pivot(&p->dictionary, row, col);
    p->place[p->dictionary.basic[row]] = row;
    p->place[p->dictionary.nonbasic[col]] = -1 - col;
}

/* Entry of row `row` in the inverse of the basis, in the column that belongs to w_k. */
static double inverse_entry(const path *p, int row, int k)
{
    int place = p->place[k];
    if (place >= 0) return place == row ? 1.0 : 0.0;
    return -p->dictionary.T[row + (size_t)(-1 - place) * (size_t)p->n];
}

/* True when row i comes before row k in the lexicographic ratio test on column `col`. */
static bool is_lexically_smaller(const path *p, int col, int i, int k)
{
    const double *column = p->dictionary.T + (size_t)col * (size_t)p->n;
    for (int j = 0; j < p->n; j++) {
        double difference = inverse_entry(p, i, j) / -column[i] - inverse_entry(p, k, j) / -column[k];
        if (fabs(difference) > tp_ratio_tie) return difference < 0.0;
    }
    return -column[i] > -column[k];
}

/* The row that blocks first when the variable of `col` grows, -1 if none does. The artificial variable wins
   every tie: then the path ends. */
static int blocking_row(const path *p, int col)
{
    const tp_dictionary *d = &p->dictionary;
    const double *column = d->T + (size_t)col * (size_t)p->n;
    double largest = tp_dense_largest(p->n, column), least = HUGE_VAL;
    const double threshold = -tp_path_tiny * largest;
    for (int i = 0; i < p->n; i++)
        if (column[i] < threshold) least = fmin(least, fmax(d->b[i], 0.0) / -column[i]);
    if (least == HUGE_VAL) return -1;

    int best = -1;
    const double limit = least + tp_ratio_tie * fmax(1.0, least);
    for (int i = 0; i < p->n; i++) {
        if (column[i] >= threshold || fmax(d->b[i], 0.0) / -column[i] > limit) continue;
        if (d->basic[i] == 2 * p->n) return i;
        if (best < 0 || is_lexically_smaller(p, col, i, best)) best = i;
    }
    return best;
}

/* The row with the most negative b / cover; the last one of equal ones keeps the rows lexically positive. */
static int first_row(const path *p)
{
    const double *cover = p->dictionary.T + (size_t)p->n * (size_t)p->n;
    int row = -1;
    double least = 0.0;
    for (int i = 0; i < p->n; i++) {
        double ratio = p->dictionary.b[i] / cover[i];
        if (ratio < 0.0 && ratio <= least) least = ratio, row = i;
    }
    return row;
}

/* The point of the dictionary in the caller's units. */
static void read_point(const path *p, double *z_out)
{
    for (int i = 0; i < p->n; i++) z_out[i] = 0.0;
    for (int r = 0; r < p->n; r++) {
        int k = p->dictionary.basic[r] - p->n;
        if (k >= 0 && k < p->n) z_out[k] = fmax(p->dictionary.b[r], 0.0) * p->col_scale[k] * p->q_scale;
    }
}

/* The direction in which z runs away when nothing blocks column `col`. */
static void read_ray(const path *p, int col, double *ray_out)
{
    const double *column = p->dictionary.T + (size_t)col * (size_t)p->n;
    for (int i = 0; i < p->n; i++) ray_out[i] = 0.0;
    for (int r = 0; r < p->n; r++) {
        int k = p->dictionary.basic[r] - p->n;
        if (k >= 0 && k < p->n) ray_out[k] = fmax(column[r], 0.0) * p->col_scale[k];
    }
    int entering = p->dictionary.nonbasic[col] - p->n;
    if (entering >= 0 && entering < p->n) ray_out[entering] = p->col_scale[entering];
}

/* Follows the path from the first pivot to its end. */
static void follow(path *p, int max_pivots, tp_lcp_report *report)
{
    const int n = p->n;
    int row = first_row(p), col = n;
    report->end = TP_LCP_SOLVED;
    while (row >= 0) {
        if (report->pivots++ >= max_pivots) {
            report->end = TP_LCP_LIMIT;
            return;
        }
        int leaving = p->dictionary.basic[row];
        exchange(p, row, col);
        if (leaving == 2 * n) return;
        int entering = leaving < n ? leaving + n : leaving - n;
        col = -1 - p->place[entering];
        row = blocking_row(p, col);
        if (row < 0) {
            report->end = TP_LCP_RAY;
            if (report->ray) read_ray(p, col, report->ray);
        }
    }
}

/* Solves M_BB z_B = -q_B for the basic z with fresh factors and one refinement; kept if it is better. */
static tp_status polish(const path *p, const double *M, const double *q, tp_stack *stack, double *z,
                        double *residual)
{
    const int n = p->n;
    int count = 0;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int *index = TP_STACK_ARRAY(stack, int, n), *pivot = TP_STACK_ARRAY(stack, int, n);
    double *work = TP_STACK_ARRAY(stack, double, n), *trial = TP_STACK_ARRAY(stack, double, n);
    double *step = TP_STACK_ARRAY(stack, double, n);
    if (!index || !pivot || !work || !trial || !step) return TP_OUT_OF_MEMORY;
    *residual = residual_of(n, M, q, z, work);
    for (int i = 0; i < n; i++)
        if (p->place[n + i] >= 0) index[count++] = i;
    double *B = TP_STACK_ARRAY(stack, double, (size_t)count *(size_t)count + 1);
    if (!B) return TP_OUT_OF_MEMORY;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++)
            B[i + (size_t)j * (size_t)count] = M[index[i] + (size_t)index[j] * (size_t)n];
    memcpy(trial, z, (size_t)n * sizeof *z);
    if (count > 0 && tp_dense_lu(count, B, count, pivot, tp_box_pivot) == TP_OK) {
        for (int round = 0; round < 3; round++) {
            residual_of(n, M, q, trial, work);
            for (int i = 0; i < count; i++) step[i] = -work[index[i]];
            tp_dense_lu_solve(count, B, count, pivot, step);
            for (int i = 0; i < count; i++) trial[index[i]] += step[i];
            double after = residual_of(n, M, q, trial, work);
            if (!(after < *residual)) continue;
            *residual = after;
            memcpy(z, trial, (size_t)n * sizeof *z);
        }
    }
    tp_stack_release(stack, mark);
    return TP_OK;
}

static tp_status solve_path(path *p, const double *M, const double *q, const double *cover, int max_pivots,
                            tp_stack *stack, double *z_out, tp_lcp_report *report)
{
    TP_TRY(start_path(p, M, q, cover, stack));
    follow(p, max_pivots > 0 ? max_pivots : 50 * p->n + 1000, report);
    read_point(p, z_out);
    TP_TRY(polish(p, M, q, stack, z_out, &report->residual));

    /* The path may end formally although rounding has destroyed its dictionary: the residual tells. */
    double largest = tp_dense_largest(p->n, q);
    if (report->end == TP_LCP_SOLVED && !(report->residual <= tp_worst_path * largest))
        report->end = TP_LCP_ROUNDING;
    return report->end == TP_LCP_SOLVED ? TP_OK : TP_NOT_CONVERGED;
}

tp_status tp_lcp_lemke(int n, const double *M, const double *q, const double *cover, int max_pivots,
                       tp_stack *stack, double *z_out, tp_lcp_report *report_out)
{
    path p = {.n = n};
    tp_lcp_report report = {.ray = report_out ? report_out->ray : NULL};
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_status status = n > 0 ? solve_path(&p, M, q, cover, max_pivots, stack, z_out, &report) : TP_OK;
    tp_stack_release(stack, mark);
    if (report_out) *report_out = report;
    return status;
}
