/* Problems with bounds by Lemke's method: bounds become complementarity, unbounded rows are pivoted out;
   docs/theory/pivoting.md (9)-(14). Pair k has the names w_k = k and y_k = m + k. */
#include "solver/pivoting/bounded.h"
#include "solver/pivoting/dictionary.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct reduction {
    const tp_box_problem *box;
    int m;             /* pairs: rows that are not fixed, and one more for each row with two bounds */
    int *row_of;       /* [m] row of the problem; second pairs: the same row again                  */
    int *extra;        /* [m] pair of the other bound, or -1                                        */
    double *sign;      /* [m] z = shift + sign y                                                    */
    double *shift;     /* [n] value of z at y = 0                                                   */
    bool *is_free;     /* [m] */
    double *row_scale; /* [m] equilibration: w' = w row_scale, y = y' col_scale                     */
    double *col_scale; /* [m] */
    int *place;        /* [2m] row of a basic name, or -1 - column                                  */
    tp_dictionary dictionary;
} reduction;

static tp_status take_reduction(reduction *r, const tp_box_problem *box, tp_stack *stack)
{
    const int n = box->n;
    r->box = box;
    TP_STACK_INTS(stack, 2 * (size_t)n + 1, &r->row_of, &r->extra);
    r->sign = TP_STACK_ARRAY(stack, double, 2 * (size_t)n + 1);
    r->shift = TP_STACK_ARRAY(stack, double, n + 1);
    r->is_free = TP_STACK_ARRAY(stack, bool, 2 * (size_t)n + 1);
    if (!r->row_of || !r->extra || !r->sign || !r->shift || !r->is_free) return TP_OUT_OF_MEMORY;

    r->m = 0;
    for (int i = 0; i < n; i++) {
        bool has_lower = box->lower[i] > -HUGE_VAL, has_upper = box->upper[i] < HUGE_VAL;
        r->shift[i] = has_lower ? box->lower[i] : has_upper ? box->upper[i] : 0.0;
        if (has_lower && has_upper && box->lower[i] >= box->upper[i]) continue; /* fixed */
        r->row_of[r->m] = i;
        r->extra[r->m] = -1;
        r->sign[r->m] = has_lower || !has_upper ? 1.0 : -1.0;
        r->is_free[r->m++] = !has_lower && !has_upper;
    }
    const int first_extra = r->m;
    for (int k = 0; k < first_extra; k++) {
        int i = r->row_of[k];
        if (!(box->lower[i] > -HUGE_VAL && box->upper[i] < HUGE_VAL)) continue;
        r->row_of[r->m] = i;
        r->extra[r->m] = k; /* the pair (t, v): t = u - l - y >= 0, v the multiplier of the upper bound */
        r->extra[k] = r->m;
        r->sign[r->m] = 0.0;
        r->is_free[r->m++] = false;
    }
    TP_STACK_DOUBLES(stack, r->m + 1, &r->row_scale, &r->col_scale);
    r->place = TP_STACK_ARRAY(stack, int, 2 * (size_t)r->m + 1);
    if (!r->row_scale || !r->col_scale || !r->place) return TP_OUT_OF_MEMORY;
    return tp_dictionary_take(&r->dictionary, r->m, r->m + 1, stack);
}

/* w = b + T y with everything at y = 0. */
static void fill_dictionary(reduction *r)
{
    const tp_box_problem *box = r->box;
    const int n = box->n, m = r->m;
    tp_dictionary *d = &r->dictionary;
    d->cols = m;
    memset(d->T, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int k = 0; k < m; k++) {
        int i = r->row_of[k];
        d->basic[k] = k;
        d->nonbasic[k] = m + k;
        r->place[k] = k;
        r->place[m + k] = -1 - k;
        if (r->sign[k] == 0.0) { /* the second pair of a row with two bounds */
            d->b[k] = box->upper[i] - box->lower[i];
            d->T[k + (size_t)r->extra[k] * (size_t)m] = -1.0;
            d->T[r->extra[k] + (size_t)k * (size_t)m] = 1.0;
            continue;
        }
        double sum = box->q[i];
        for (int j = 0; j < n; j++)
            if (r->shift[j] != 0.0) sum += box->M[i + (size_t)j * (size_t)n] * r->shift[j];
        d->b[k] = r->sign[k] * sum;
        for (int l = 0; l < m; l++)
            if (r->sign[l] != 0.0)
                d->T[k + (size_t)l * (size_t)m] =
                    r->sign[k] * r->sign[l] * box->M[i + (size_t)r->row_of[l] * (size_t)n];
    }
}

/* Scales a line of the dictionary, a row or a column, towards a largest entry of 1. Returns the factor. */
static double scale_line(int count, int stride, double *line)
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) largest = fmax(largest, fabs(line[(size_t)k * (size_t)stride]));
    double factor = largest > 0.0 ? 1.0 / sqrt(largest) : 1.0;
    for (int k = 0; k < count; k++) line[(size_t)k * (size_t)stride] *= factor;
    return factor;
}

static void equilibrate(reduction *r)
{
    const int m = r->m, sweeps = 6;
    double *T = r->dictionary.T;
    for (int k = 0; k < m; k++) r->row_scale[k] = r->col_scale[k] = 1.0;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        for (int l = 0; l < m; l++) r->col_scale[l] *= scale_line(m, 1, T + (size_t)l * (size_t)m);
        for (int k = 0; k < m; k++) r->row_scale[k] *= scale_line(m, m, T + k);
    }
    for (int k = 0; k < m; k++) r->dictionary.b[k] *= r->row_scale[k];
}

static void exchange(reduction *r, int row, int col)
{
    tp_dictionary_pivot(&r->dictionary, row, col);
    r->place[r->dictionary.basic[row]] = row;
    r->place[r->dictionary.nonbasic[col]] = -1 - col;
}

static bool is_open_row(const reduction *r, int row)
{
    int name = r->dictionary.basic[row];
    return name < r->m && r->is_free[name];
}

static bool is_open_column(const reduction *r, int col)
{
    int name = r->dictionary.nonbasic[col];
    return name >= r->m && r->is_free[name - r->m];
}

/* The largest entry that exchanges an equation with an unbounded variable directly. */
static bool pivot_directly(reduction *r)
{
    const int m = r->m;
    int row = -1, col = -1;
    double best = tp_pivot_tiny;
    for (int l = 0; l < m; l++) {
        if (!is_open_column(r, l)) continue;
        for (int k = 0; k < m; k++) {
            double entry = fabs(r->dictionary.T[k + (size_t)l * (size_t)m]);
            if (entry > best && is_open_row(r, k)) best = entry, row = k, col = l;
        }
    }
    if (row >= 0) exchange(r, row, col);
    return row >= 0;
}

/* The row and the column of a complementary pair in the present dictionary. */
static void find_pair(const reduction *r, int pair, int *row, int *col)
{
    bool w_is_basic = r->place[pair] >= 0;
    *row = w_is_basic ? r->place[pair] : r->place[r->m + pair];
    *col = -1 - (w_is_basic ? r->place[r->m + pair] : r->place[pair]);
}

/* An equation whose unbounded columns have all vanished goes out through a complementary pair: both sides of
   the pair are exchanged, so that the basis stays complementary. */
static bool pivot_through_pair(reduction *r)
{
    const int m = r->m;
    const double *T = r->dictionary.T;
    int best_row = -1, best_col = -1, best_pair = -1;
    double best = tp_pivot_tiny;
    for (int pair = 0; pair < m; pair++) {
        int row, col;
        if (r->is_free[pair]) continue;
        find_pair(r, pair, &row, &col);
        for (int k = 0; k < m; k++) {
            double out = fabs(T[k + (size_t)col * (size_t)m]);
            if (out <= best || !is_open_row(r, k)) continue;
            for (int l = 0; l < m; l++) {
                double size = fmin(out, fabs(T[row + (size_t)l * (size_t)m]));
                if (size > best && is_open_column(r, l))
                    best = size, best_row = k, best_col = l, best_pair = pair;
            }
        }
    }
    if (best_row < 0) return false;
    int row, col;
    find_pair(r, best_pair, &row, &col);
    exchange(r, best_row, col);
    exchange(r, row, best_col);
    return true;
}

/* What is left after elimination, as a complementarity problem. Equations that could not be eliminated get
   their unbounded variable as a difference of two non-negative ones. */
typedef struct complementary {
    int n, open_count;
    int *row, *col;    /* [n] place in the dictionary                                  */
    double *direction; /* [n] +1, or -1 for the negative side of a split variable       */
    double *M, *q, *z;
} complementary;

static tp_status take_complementary(const reduction *r, tp_stack *stack, complementary *out)
{
    const int m = r->m;
    size_t most = 2 * (size_t)m + 1;
    TP_STACK_INTS(stack, most, &out->row, &out->col);
    out->direction = TP_STACK_ARRAY(stack, double, most);
    if (!out->row || !out->col || !out->direction) return TP_OUT_OF_MEMORY;
    out->n = out->open_count = 0;
    for (int pair = 0; pair < m; pair++) {
        if (r->is_free[pair]) continue;
        find_pair(r, pair, &out->row[out->n], &out->col[out->n]);
        out->direction[out->n++] = 1.0;
    }
    for (int row = 0, col = 0; row < m; row++) {
        if (!is_open_row(r, row)) continue;
        while (!is_open_column(r, col)) col++;
        for (int side = 0; side < 2; side++) {
            out->row[out->n] = row;
            out->col[out->n] = col;
            out->direction[out->n++] = side == 0 ? 1.0 : -1.0;
        }
        out->open_count++;
        col++;
    }
    out->M = TP_STACK_ARRAY(stack, double, (size_t)out->n *(size_t)out->n + 1);
    TP_STACK_DOUBLES(stack, out->n + 1, &out->q, &out->z);
    if (!out->M || !out->q || !out->z) return TP_OUT_OF_MEMORY;
    for (int l = 0; l < out->n; l++) {
        const double *column = r->dictionary.T + (size_t)out->col[l] * (size_t)m;
        for (int k = 0; k < out->n; k++)
            out->M[k + (size_t)l * (size_t)out->n] =
                out->direction[k] * out->direction[l] * column[out->row[k]];
        out->q[l] = out->direction[l] * r->dictionary.b[out->row[l]];
    }
    return TP_OK;
}

/* Values of all variables from those of the complementarity problem; value [2m]. */
static void recover(const reduction *r, const complementary *rest, double *value, double *z_out)
{
    const int m = r->m;
    const tp_dictionary *d = &r->dictionary;
    memset(value, 0, 2 * (size_t)m * sizeof(double));
    for (int k = 0; k < rest->n; k++) value[d->nonbasic[rest->col[k]]] += rest->direction[k] * rest->z[k];
    for (int row = 0; row < m; row++) {
        double sum = d->b[row];
        for (int col = 0; col < m; col++) {
            double v = value[d->nonbasic[col]];
            if (v != 0.0) sum += d->T[row + (size_t)col * (size_t)m] * v;
        }
        value[d->basic[row]] = sum;
    }
    memcpy(z_out, r->shift, (size_t)r->box->n * sizeof(double));
    for (int k = 0; k < m; k++)
        if (r->sign[k] != 0.0) z_out[r->row_of[k]] += r->sign[k] * r->col_scale[k] * value[m + k];
}

/* Random positive covers start other paths to other solutions. */
static void fill_cover(int n, uint64_t seed, double *cover)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        cover[i] = 0.1 + (double)(seed >> 40) / 16777216.0;
    }
}

static tp_status solve_complementary(const reduction *r, const tp_box_path *path, tp_stack *stack,
                                     double *z_out, tp_lcp_report *report)
{
    complementary rest;
    TP_TRY(take_complementary(r, stack, &rest));
    double *cover = TP_STACK_ARRAY(stack, double, rest.n + 1);
    double *value = TP_STACK_ARRAY(stack, double, 2 * (size_t)r->m + 1);
    if (!cover || !value) return TP_OUT_OF_MEMORY;
    if (path->seed != 0) fill_cover(rest.n, path->seed, cover);
    tp_status status = tp_lcp_lemke(rest.n, rest.M, rest.q, path->seed != 0 ? cover : NULL, path->max_pivots,
                                    stack, rest.z, report);
    if (status == TP_OK || status == TP_NOT_CONVERGED) recover(r, &rest, value, z_out);
    return status;
}

tp_status tp_box_lemke(const tp_box_problem *box, const tp_box_path *path, tp_stack *stack, double *z_out,
                       double *error_out, tp_lcp_report *report_out)
{
    reduction r;
    tp_lcp_report report = {.end = TP_LCP_LIMIT};
    tp_stack_mark mark = tp_stack_mark_now(stack);
    *error_out = 1e300;
    tp_status status = take_reduction(&r, box, stack);
    if (status == TP_OK) {
        fill_dictionary(&r);
        equilibrate(&r);
        while (pivot_directly(&r) || (path->elimination == TP_BOX_PRINCIPAL && pivot_through_pair(&r))) {
        }
        status = solve_complementary(&r, path, stack, z_out, &report);
    }
    tp_stack_release(stack, mark);
    if (status == TP_OK || status == TP_NOT_CONVERGED) {
        for (int i = 0; i < box->n; i++) z_out[i] = fmin(fmax(z_out[i], box->lower[i]), box->upper[i]);
        *error_out = tp_box_polish(box, stack, z_out);
    }
    if (report_out) *report_out = report;
    return status;
}
