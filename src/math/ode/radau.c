/* Radau IIA with three stages, order 5, by simplified Newton iterations in the basis in which the inverse of
   its matrix is one real number and one complex pair; docs/theory/ode.md (9)-(14). The pair is solved as a
   real sparse system of twice the size. */
#include "math/factor.h"
#include "math/sparse.h"
#include "math/tolerances.h"
#include "methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_LIMIT = 7 };

#define SQRT6 2.4494897427831780982
static const double node[3] = {(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0};

/* Eigenvalues of the inverse of A: the real one, and alpha +- i beta. */
static const double real_part = 3.6378342527444957322, alpha = 2.6810828736277521339,
                    beta = 3.0504301992474105694;

static const double T[3][3] = {{0.09123239487089294279, -0.14125529502095420843, -0.030029194105147424492},
                               {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                               {0.96604818261509293619, 1.0, 0.0}};
static const double T_inverse[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

typedef struct tp_radau {
    tp_sparse jacobian;     /* as the caller's pattern says                                */
    tp_sparse single, pair; /* real_part/h - J; [alpha/h - J, -beta/h; beta/h, alpha/h - J] */
    int *single_place;      /* [entries of J] where they are in `single`                   */
    int *single_diagonal;   /* [n]                                                         */
    int *pair_place;        /* [2][entries of J]                                           */
    int *pair_diagonal;     /* [4][n]: both diagonal blocks, -beta, beta                   */
    tp_factor *single_factor, *pair_factor;
    double *both;            /* [2 n] */
    double *E, *F;           /* values of the pencil; NULL: E is 1, F the Jacobian           */
    double *all;             /* [3 N] of it                                                 */
    double newton_tolerance; /* share of the step's tolerance                               */
    double known_at;         /* the time the Jacobian belongs to                            */
    bool is_known;
} tp_radau;

/* ---- matrices ---- */

/* The pattern of J with a full diagonal (copies = 1), or of the pair (copies = 2): blocks J on the diagonal
   and diagonal blocks beside it. */
static tp_status make_pattern(tp_arena *arena, const tp_sparse *J, int copies, tp_sparse *out, int *place,
                              int *diagonal)
{
    int n = J->cols, entries = J->start[n];
    size_t most = (size_t)copies * ((size_t)entries + (size_t)copies * (size_t)n);
    TP_TRY(tp_sparse_take(arena, copies * n, copies * n, most, out));
    int at = 0;
    for (int j = 0; j < copies * n; j++) {
        int block = j / n, column = j % n;
        out->start[j] = at;
        if (block == 1) diagonal[2 * n + column] = at, out->index[at++] = column;
        bool has_diagonal = false;
        for (int e = J->start[column]; e <= J->start[column + 1]; e++) {
            int row = e < J->start[column + 1] ? J->index[e] : n;
            if (!has_diagonal && row >= column) {
                diagonal[block * n + column] = at;
                has_diagonal = true;
                if (row != column) out->index[at++] = block * n + column;
            }
            if (row < n) place[block * entries + e] = at, out->index[at++] = block * n + row;
        }
        if (copies == 2 && block == 0) diagonal[3 * n + column] = at, out->index[at++] = n + column;
    }
    out->start[copies * n] = at;
    return TP_OK;
}

static tp_status copy_pattern(tp_arena *arena, const tp_sparse *from, tp_sparse *out)
{
    size_t entries = (size_t)from->start[from->cols];
    TP_TRY(tp_sparse_take(arena, from->rows, from->cols, entries, out));
    memcpy(out->start, from->start, ((size_t)from->cols + 1) * sizeof(int));
    memcpy(out->index, from->index, entries * sizeof(int));
    return TP_OK;
}

/* c E - F has the pattern itself; the pair [alpha E - F, -beta E; beta E, alpha E - F] has it four times. */
static tp_status prepare_pencil(tp_ode *ode)
{
    tp_radau *r = ode->radau;
    const tp_sparse *pattern = &r->jacobian;
    int N = pattern->cols, entries = pattern->start[N];
    r->single = *pattern;
    r->single.value = TP_ARENA_ARRAY(&ode->arena, double, entries + 1);
    TP_TRY(tp_sparse_take(&ode->arena, 2 * N, 2 * N, 4 * (size_t)entries, &r->pair));
    TP_ARENA_DOUBLES(&ode->arena, entries + 1, &r->E, &r->F);
    r->all = TP_ARENA_ARRAY(&ode->arena, double, 3 * (size_t)N + 1);
    TP_TRY(tp_arena_status(&ode->arena));
    for (int c = 0, at = 0; c < 2 * N; c++) {
        int first = pattern->start[c % N], count = pattern->start[c % N + 1] - first;
        for (int k = 0; k < 2 * count; k++)
            r->pair.index[at + k] = pattern->index[first + k % count] + (k < count ? 0 : N);
        at += 2 * count;
        r->pair.start[c + 1] = at;
    }
    return TP_OK;
}

static tp_status prepare_jacobian(tp_ode *ode)
{
    const tp_sparse *pattern = ode->equations.pattern;
    tp_radau *r = ode->radau;
    int n = ode->equations.n, entries = pattern->start[n];
    if (pattern->cols != n) return TP_INVALID_ARGUMENT;
    r->single_place = TP_ARENA_ARRAY(&ode->arena, int, entries + 1);
    r->pair_place = TP_ARENA_ARRAY(&ode->arena, int, 2 * (entries + 1));
    r->single_diagonal = TP_ARENA_ARRAY(&ode->arena, int, n);
    r->pair_diagonal = TP_ARENA_ARRAY(&ode->arena, int, 4 * n);
    TP_TRY(tp_arena_status(&ode->arena));
    TP_TRY(make_pattern(&ode->arena, pattern, 1, &r->single, r->single_place, r->single_diagonal));
    return make_pattern(&ode->arena, pattern, 2, &r->pair, r->pair_place, r->pair_diagonal);
}

static tp_status prepare(tp_ode *ode)
{
    const tp_sparse *pattern = ode->equations.pattern;
    int n = ode->equations.n;
    if (pattern->rows != pattern->cols || pattern->cols < n) return TP_INVALID_ARGUMENT;
    tp_radau *r = ode->radau = TP_ARENA_ARRAY(&ode->arena, tp_radau, 1);
    if (!r) return TP_OUT_OF_MEMORY;
    r->both = TP_ARENA_ARRAY(&ode->arena, double, 2 * n);
    if (!r->both) return TP_OUT_OF_MEMORY;
    TP_TRY(copy_pattern(&ode->arena, pattern, &r->jacobian));
    TP_TRY(ode->equations.pencil ? prepare_pencil(ode) : prepare_jacobian(ode));
    TP_TRY(tp_factor_create(ode->allocator, TP_FACTOR_LU, &r->single, &r->single_factor));
    TP_TRY(tp_factor_create(ode->allocator, TP_FACTOR_LU, &r->pair, &r->pair_factor));

    /* (13); a fixed step has the tolerances of the options for its iterations. */
    tp_ode_options *o = &ode->options;
    double rtol = o->rtol, inside = tp_radau_factor * pow(rtol, tp_radau_power);
    if (o->fixed_step == 0.0) {
        o->atol *= inside / rtol;
        o->rtol = inside;
        if (o->atol_of) {
            double *each = tp_arena_copy(&ode->arena, o->atol_of, (size_t)n, sizeof(double));
            if (!each) return TP_OUT_OF_MEMORY;
            for (int i = 0; i < n; i++) each[i] *= inside / rtol;
            o->atol_of = each;
        }
    }
    r->newton_tolerance = fmax(10.0 * DBL_EPSILON / o->rtol, fmin(0.03, sqrt(o->rtol)));
    return TP_OK;
}

static void release(tp_ode *ode)
{
    if (!ode->radau) return;
    tp_factor_free(ode->radau->single_factor);
    tp_factor_free(ode->radau->pair_factor);
}

static void fill_pencil(tp_radau *r, double h)
{
    const tp_sparse *pattern = &r->jacobian;
    int N = pattern->cols;
    for (int e = 0; e < pattern->start[N]; e++) r->single.value[e] = real_part / h * r->E[e] - r->F[e];
    for (int c = 0; c < 2 * N; c++) {
        int first = pattern->start[c % N], count = pattern->start[c % N + 1] - first;
        double *top = r->pair.value + r->pair.start[c], *bottom = top + count;
        for (int k = 0; k < count; k++) {
            double own = alpha / h * r->E[first + k] - r->F[first + k], other = beta / h * r->E[first + k];
            top[k] = c < N ? own : -other;
            bottom[k] = c < N ? other : own;
        }
    }
}

static void fill_jacobian(const tp_ode *ode, double h)
{
    tp_radau *r = ode->radau;
    int n = ode->equations.n, entries = r->jacobian.start[n];
    for (int e = 0; e < r->single.start[n]; e++) r->single.value[e] = 0.0;
    for (int e = 0; e < r->pair.start[2 * n]; e++) r->pair.value[e] = 0.0;
    for (int e = 0; e < entries; e++) {
        r->single.value[r->single_place[e]] = -r->jacobian.value[e];
        r->pair.value[r->pair_place[e]] = r->pair.value[r->pair_place[entries + e]] = -r->jacobian.value[e];
    }
    for (int i = 0; i < n; i++) {
        r->single.value[r->single_diagonal[i]] += real_part / h;
        r->pair.value[r->pair_diagonal[i]] += alpha / h;
        r->pair.value[r->pair_diagonal[n + i]] += alpha / h;
        r->pair.value[r->pair_diagonal[2 * n + i]] = -beta / h;
        r->pair.value[r->pair_diagonal[3 * n + i]] = beta / h;
    }
}

static tp_status factorise(tp_ode *ode, double h)
{
    tp_radau *r = ode->radau;
    const tp_ode_equations *of = &ode->equations;
    if (!r->is_known || r->known_at != ode->t) {
        ode->counts.jacobians++;
        TP_TRY(of->pencil ? of->pencil(of->context, ode->t, ode->y, r->E, r->F)
                          : of->jacobian(of->context, ode->t, ode->y, &r->jacobian));
        r->is_known = true;
        r->known_at = ode->t;
    }
    if (of->pencil)
        fill_pencil(r, h);
    else
        fill_jacobian(ode, h);
    ode->counts.factorisations++;
    TP_TRY(tp_factor_update(r->single_factor, &r->single));
    return tp_factor_update(r->pair_factor, &r->pair);
}

/* E (x, 0) into out [N]. */
static void apply_E(const tp_radau *r, int n, const double *x, double *out)
{
    const tp_sparse *pattern = &r->jacobian;
    for (int i = 0; i < pattern->cols; i++) out[i] = 0.0;
    for (int c = 0; c < n; c++)
        for (int e = pattern->start[c]; e < pattern->start[c + 1]; e++)
            out[pattern->index[e]] += r->E[e] * x[c];
}

/* (real_part/h - J) x = x. */
static void solve_single(const tp_ode *ode, double *x)
{
    tp_radau *r = ode->radau;
    int n = ode->equations.n;
    if (!r->E) {
        tp_factor_solve(r->single_factor, x);
        return;
    }
    apply_E(r, n, x, r->all);
    tp_factor_solve(r->single_factor, r->all);
    memcpy(x, r->all, (size_t)n * sizeof(double));
}

/* The same for the pair, both parts of r->both. */
static void solve_pair(const tp_ode *ode)
{
    tp_radau *r = ode->radau;
    int n = ode->equations.n, N = r->jacobian.cols;
    if (!r->E) {
        tp_factor_solve(r->pair_factor, r->both);
        return;
    }
    apply_E(r, n, r->both, r->all);
    apply_E(r, n, r->both + n, r->all + N);
    tp_factor_solve(r->pair_factor, r->all);
    memcpy(r->both, r->all, (size_t)n * sizeof(double));
    memcpy(r->both + n, r->all + N, (size_t)n * sizeof(double));
}

/* ---- iterations ---- */

/* out = factors in: the change of basis, component by component. */
static void transform(const double factors[3][3], double *const *in, int n, double *const *out)
{
    for (int i = 0; i < n; i++) {
        double x = in[0][i], y = in[1][i], z = in[2][i];
        for (int k = 0; k < 3; k++) out[k][i] = factors[k][0] * x + factors[k][1] * y + factors[k][2] * z;
    }
}

/* The collocation polynomial minus its value at the end of the step; s = 0 there, -1 at the start. */
static double polynomial(const tp_ode *ode, double s, int i)
{
    double *const *p = ode->part;
    return s * (p[1][i] + (s - (node[1] - 1.0)) * (p[2][i] + (s - (node[0] - 1.0)) * p[3][i]));
}

/* The stages that the polynomial of the last step would have, or 0. */
static void guess(tp_ode *ode, double h, double *const *z)
{
    double last = ode->report.end - ode->report.begin;
    bool is_continued = ode->has_dense && ode->report.end == ode->t && last > 0.0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < ode->equations.n; i++) {
            z[k][i] = is_continued ? polynomial(ode, node[k] * h / last, i) : 0.0;
        }
    }
}

/* One simplified Newton step from the stages z and their transforms w; d gets the step. */
static tp_status newton_step(tp_ode *ode, double h, double *const *z, double *const *w, double *const *d)
{
    tp_radau *r = ode->radau;
    int n = ode->equations.n;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++) ode->next[i] = ode->y[i] + z[k][i];
        TP_TRY(tp_ode_rate_at(ode, ode->t + node[k] * h, ode->next, d[k]));
    }
    transform(T_inverse, d, n, d);
    for (int i = 0; i < n; i++) {
        d[0][i] -= real_part / h * w[0][i];
        r->both[i] = d[1][i] - alpha / h * w[1][i] + beta / h * w[2][i];
        r->both[n + i] = d[2][i] - alpha / h * w[2][i] - beta / h * w[1][i];
    }
    solve_single(ode, d[0]);
    solve_pair(ode);
    for (int i = 0; i < n; i++) {
        d[1][i] = r->both[i];
        d[2][i] = r->both[n + i];
        for (int k = 0; k < 3; k++) w[k][i] += d[k][i];
    }
    transform(T, w, n, z);
    ode->counts.iterations++;
    return TP_OK;
}

/* Stages of a step; TP_NOT_CONVERGED where the iterations are too slow for NEWTON_LIMIT of them. */
static tp_status find_stages(tp_ode *ode, double h, double *const *z)
{
    tp_radau *r = ode->radau;
    double *const *w = ode->stage + 3, *const *d = ode->stage + 6;
    double contraction = pow(fmax(ode->contraction, DBL_EPSILON), 0.8), size_before = 0.0, ratio_before = 0.0;
    guess(ode, h, z);
    transform(T_inverse, z, ode->equations.n, w);
    for (int k = 1; k <= NEWTON_LIMIT; k++) {
        TP_TRY(newton_step(ode, h, z, w, d));
        double size = 0.0;
        for (int s = 0; s < 3; s++) size += pow(tp_ode_norm(ode, d[s], NULL, ode->y), 2.0);
        size = sqrt(size / 3.0);
        if (!isfinite(size)) return TP_NOT_CONVERGED;
        if (k > 1) {
            double ratio = size / size_before, theta = k == 2 ? ratio : sqrt(ratio * ratio_before);
            ratio_before = ratio;
            if (theta >= tp_radau_slowest) return TP_NOT_CONVERGED;
            contraction = theta / (1.0 - theta);
            if (contraction * size * pow(theta, NEWTON_LIMIT - k) > r->newton_tolerance)
                return TP_NOT_CONVERGED;
        }
        if (contraction * size <= r->newton_tolerance) {
            ode->contraction = contraction;
            return TP_OK;
        }
        size_before = fmax(size, DBL_EPSILON);
    }
    return TP_NOT_CONVERGED;
}

/* (12): the difference to a formula of order 3, filtered; once more through f where it is too large and may
   be the stiff part's alone. */
static tp_status estimate(tp_ode *ode, double h, double *const *z, double *error_out)
{
    static const double weight[3] = {-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0};
    double *rest = ode->stage[3], *e = ode->stage[4];
    int n = ode->equations.n;
    for (int i = 0; i < n; i++) {
        rest[i] = (weight[0] * z[0][i] + weight[1] * z[1][i] + weight[2] * z[2][i]) / h;
        e[i] = rest[i] + ode->rate[i];
    }
    solve_single(ode, e);
    *error_out = tp_ode_norm(ode, e, NULL, ode->y);
    if (*error_out < 1.0 || (ode->has_dense && !ode->was_rejected)) return TP_OK;
    for (int i = 0; i < n; i++) ode->next[i] = ode->y[i] + e[i];
    TP_TRY(tp_ode_rate_at(ode, ode->t, ode->next, e));
    for (int i = 0; i < n; i++) e[i] += rest[i];
    solve_single(ode, e);
    *error_out = tp_ode_norm(ode, e, NULL, ode->y);
    return TP_OK;
}

static void set_dense(tp_ode *ode, double *const *z)
{
    for (int i = 0; i < ode->equations.n; i++) {
        double late = (z[1][i] - z[2][i]) / (node[1] - 1.0);
        double middle = (z[0][i] - z[1][i]) / (node[0] - node[1]);
        double early = (middle - z[0][i] / node[0]) / node[1];
        ode->part[0][i] = ode->next[i];
        ode->part[1][i] = late;
        ode->part[2][i] = (middle - late) / (node[0] - 1.0);
        ode->part[3][i] = ode->part[2][i] - early;
    }
}

static tp_status attempt(tp_ode *ode, double h, double *error_out)
{
    double *const *z = ode->stage;
    TP_TRY(factorise(ode, h));
    TP_TRY(find_stages(ode, h, z));
    *error_out = 0.0;
    if (ode->options.fixed_step == 0.0) TP_TRY(estimate(ode, h, z, error_out));
    for (int i = 0; i < ode->equations.n; i++) ode->next[i] = ode->y[i] + z[2][i];
    TP_TRY(tp_ode_move(ode, true, ode->t + h, ode->next));
    ode->knows_next_rate = false;
    if (*error_out <= 1.0) set_dense(ode, z); /* else the polynomial of the last step is the next guess */
    return TP_OK;
}

static void dense(const tp_ode *ode, double theta, double *y_out)
{
    for (int i = 0; i < ode->equations.n; i++) y_out[i] = ode->part[0][i] + polynomial(ode, theta - 1.0, i);
}

const tp_ode_kind tp_ode_radau = {.name = "radau",
                                  .estimate_order = 3,
                                  .parts = 4,
                                  .steps_from_parts = true,
                                  .stages = 9,
                                  .prepare = prepare,
                                  .attempt = attempt,
                                  .dense = dense,
                                  .release = release};
