/* The laws of a problem without its joints; theory/solvers.md (28e). */
#include "joint_elimination.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "solver/pivoting/bounded.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 4 };

/* Rows of joints and the others; G_FF with a shift, factorised. */
typedef struct work {
    const tp_local *local;
    int f, n, all;
    int *free, *kept, *pivot;
    double *G;             /* [all*all] */
    double *lu;            /* [f*f]     */
    double *v, *z, *trial; /* [f]       */
    double shift;
} work;

static bool take(work *w, const tp_local *local, tp_stack *stack)
{
    size_t all = (size_t)local->row_count;
    w->local = local;
    w->all = local->row_count;
    w->free = TP_STACK_ARRAY(stack, int, 3 * all);
    w->G = TP_STACK_ARRAY(stack, double, 2 * all * all + 3 * all);
    if (stack->failed) return false;
    w->kept = w->free + all;
    w->pivot = w->kept + all;
    w->lu = w->G + all * all;
    w->v = w->lu + all * all;
    w->z = w->v + all;
    w->trial = w->z + all;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        for (int k = set->first; k < set->first + set->size; k++) {
            if (set->kind == TP_SET_FREE)
                w->free[w->f++] = k;
            else
                w->kept[w->n++] = k;
        }
    }
    tp_local_dense(local, w->G);
    return true;
}

static double entry(const work *w, int row, int column)
{
    return w->G[row + (size_t)column * (size_t)w->all];
}

static bool factorise(work *w)
{
    double trace = 0.0;
    for (int j = 0; j < w->f; j++) trace += entry(w, w->free[j], w->free[j]);
    w->shift = w->f > 0 ? tp_pivot_tiny * trace / w->f : 0.0;
    for (int j = 0; j < w->f; j++) {
        for (int i = 0; i < w->f; i++)
            w->lu[i + j * w->f] = entry(w, w->free[i], w->free[j]) + (i == j ? w->shift : 0.0);
    }
    return w->f == 0 || tp_dense_lu(w->f, w->lu, w->f, w->pivot, 0.0) == TP_OK;
}

/* z with G_FF z = v, where rows of joints are redundant of least norm: the shift is taken back by refinement.
   Returns what is left of v. */
static double solve(work *w)
{
    double left = 0.0;
    memcpy(w->z, w->v, (size_t)w->f * sizeof(double));
    for (int k = 0; k <= REFINEMENTS && w->f > 0; k++) {
        tp_dense_lu_solve(w->f, w->lu, w->f, w->pivot, w->z);
        if (k == REFINEMENTS) break;
        for (int i = 0; i < w->f; i++) w->z[i] = w->v[i] + w->shift * w->z[i];
    }
    for (int i = 0; i < w->f; i++) {
        double sum = w->v[i];
        for (int k = 0; k < w->f; k++) sum -= entry(w, w->free[i], w->free[k]) * w->z[k];
        left = fmax(left, fabs(sum));
    }
    return left;
}

/* Column j of S = G_RR - G_RF G_FF^-1 G_FR, or c likewise. Entries that are rounding are 0. */
static double reduce(work *w, const double *column, double *out)
{
    for (int i = 0; i < w->f; i++) w->v[i] = column[w->free[i]];
    double left = solve(w);
    for (int i = 0; i < w->n; i++) {
        double sum = column[w->kept[i]], size = fabs(sum);
        for (int k = 0; k < w->f; k++) {
            double term = entry(w, w->kept[i], w->free[k]) * w->z[k];
            sum -= term;
            size += fabs(term);
        }
        out[i] = fabs(sum) <= tp_case_noise * size ? 0.0 : sum;
    }
    return left;
}

static int place_of(const work *w, int row)
{
    for (int i = 0; i < w->f; i++) {
        if (w->free[i] == row) return i;
    }
    return -1;
}

/* The direction of the reaction that a set follows, in the rows that other rows of joints do not share: a
   vector that is in the range of G_FF. */
static void reaction_direction(work *w, const tp_set *set, const double *P, double *n)
{
    double size = 0.0;
    memset(n, 0, (size_t)w->f * sizeof(double));
    for (int k = set->master; k < set->master + set->master_count; k++) {
        int place = place_of(w, k);
        if (place < 0) continue;
        memset(w->v, 0, (size_t)w->f * sizeof(double));
        w->v[place] = 1.0;
        if (solve(w) <= tp_slip_enough) n[place] = P[k];
    }
    size = tp_dense_norm(w->f, n);
    for (int i = 0; i < w->f && size > 0.0; i++) n[i] /= size;
}

/* -mu n.J = mu z.(c_F + G_FR P) with G_FF z = n. */
static void bound(work *w, const tp_set *set, const double *P, int row, tp_elimination *out)
{
    const double mu = set->parameter[0];
    double *n = w->trial;
    reaction_direction(w, set, P, n);
    memcpy(w->v, n, (size_t)w->f * sizeof(double));
    solve(w);
    for (int j = 0; j <= w->n; j++) {
        const double *column = j < w->n ? w->G + (size_t)w->kept[j] * (size_t)w->all : w->local->c;
        double sum = 0.0;
        for (int i = 0; i < w->f; i++) sum += w->z[i] * column[w->free[i]];
        *(j < w->n ? &out->S[row + j * out->row_count] : &out->c[row]) = mu * sum;
    }
}

static bool follows_joint(const tp_set *set)
{
    return set->kind == TP_SET_FRICTION && set->master_count > 0;
}

bool tp_elimination_has_bound(const tp_set *set)
{
    double axis[TP_FRICTION_MAX];
    if (!follows_joint(set)) return false;
    tp_friction_set friction = tp_friction_of(set);
    return tp_friction_semi_axes(&friction, axis);
}

/* ---- upper bounds of friction that follows joints; (28g) ---- */

/* tau_s >= |J_s| for the sets s that follow a joint: beta [set_count*(n+1)] over the rows that are kept, last
   a constant; gamma [set_count^2] how one bound is in the other. */
typedef struct upper_bounds {
    int set_count, row_count; /* and rows of these sets */
    int *pivot;
    double *beta, *gamma, *x;
    double *K; /* [6*(n+1)] of one reaction J = K (P, 1) */
} upper_bounds;

static bool take_bounds(upper_bounds *u, const work *w, tp_stack *stack)
{
    for (int i = 0; i < w->local->set_count; i++) {
        const tp_set *set = &w->local->sets[i];
        if (!follows_joint(set)) continue;
        if (set->master_count > TP_SET_MAX) return false;
        u->set_count++;
        u->row_count += set->size;
    }
    size_t m = (size_t)u->set_count, columns = (size_t)w->n + 1;
    u->beta = TP_STACK_ARRAY(stack, double, m *columns + m * m + m + TP_SET_MAX * columns);
    u->pivot = TP_STACK_ARRAY(stack, int, m + 1);
    if (stack->failed || m == 0) return false;
    memset(u->beta, 0, (m * columns + m * m) * sizeof(double));
    u->gamma = u->beta + m * columns;
    u->x = u->gamma + m * m;
    u->K = u->x + m;
    return true;
}

/* J = -G_FF^-1 (c_F + G_FR P) in the rows of a master; false where other rows of joints share it. */
static bool reaction(work *w, const tp_set *set, double *K)
{
    for (int k = 0; k < set->master_count; k++) {
        int place = place_of(w, set->master + k);
        if (place < 0) return false;
        memset(w->v, 0, (size_t)w->f * sizeof(double));
        w->v[place] = 1.0;
        if (solve(w) > tp_slip_enough) return false;
        for (int j = 0; j <= w->n; j++) {
            const double *column = j < w->n ? w->G + (size_t)w->kept[j] * (size_t)w->all : w->local->c;
            double sum = 0.0;
            for (int i = 0; i < w->f; i++) sum -= w->z[i] * column[w->free[i]];
            K[k + j * set->master_count] = sum;
        }
    }
    return true;
}

/* |K_T diag(axis)|, which is the most that friction of size 1 brings; -1: no such set. */
static double friction_share(const tp_set *set, int skip, int count, const double *K)
{
    double axis[TP_FRICTION_MAX], sum = 0.0;
    tp_friction_set friction = tp_friction_of(set);
    bool is_known = friction.kind == TP_FRICTION_BALL || friction.kind == TP_FRICTION_ELLIPSOID;
    tp_friction_semi_axes(&friction, axis);
    for (int k = skip; k < set->size; k++) {
        double share = axis[k - skip] * tp_dense_norm(count, K + k * count);
        sum += share * share;
    }
    return is_known ? sqrt(sum) : -1.0;
}

/* Scalar rows: impulses of one sign are loads, bounded ones a constant. */
static bool scalar_share(const tp_set *set, int count, const double *K, int m, double *load, double *constant)
{
    for (int k = 0; k < set->size; k++) {
        double share = tp_dense_norm(count, K + k * count);
        tp_row_bounds bounds = tp_set_row_bounds(set, k);
        if (bounds.lower >= 0.0)
            load[k * m] += share;
        else if (bounds.upper <= 0.0)
            load[k * m] -= share;
        else if (isfinite(bounds.lower) && isfinite(bounds.upper))
            *constant += share * fmax(-bounds.lower, bounds.upper);
        else if (share > 0.0)
            return false;
    }
    return true;
}

/* |J_s| <= |K_c| + sum over loads (|K_N| + mu |K_T|) P_N + sum over such sets |K_t A_t| |J_t|. */
static bool add_shares(const work *w, int s, int count, const upper_bounds *u)
{
    const int m = u->set_count;
    double *constant = &u->beta[s + w->n * m];
    *constant += tp_dense_norm(count, u->K + w->n * count);
    for (int i = 0, at = 0, t = 0; i < w->local->set_count; i++) {
        const tp_set *set = &w->local->sets[i];
        const double *K = u->K + at * count;
        double *load = &u->beta[s + at * m], share = 0.0;
        if (set->kind == TP_SET_FREE) continue;
        at += set->size;
        if (set->kind == TP_SET_CONTACT) {
            share = friction_share(set, 1, count, K);
            *load += tp_dense_norm(count, K) + share;
        } else if (set->kind == TP_SET_FRICTION) {
            share = friction_share(set, 0, count, K);
            *(follows_joint(set) ? &u->gamma[s + m * t++] : constant) += share;
        } else if (!scalar_share(set, count, K, m, load, constant)) {
            return false;
        }
        if (share < 0.0) return false;
    }
    return true;
}

/* tau = (1 - gamma)^-1 beta bounds all of them where 1 - gamma is an M-matrix: (1 - gamma) x = 1 has an
   x > 0. */
static bool close_bounds(const work *w, const upper_bounds *u)
{
    const int m = u->set_count;
    for (int k = 0; k < m * m; k++) u->gamma[k] = (k % (m + 1) == 0 ? 1.0 : 0.0) - u->gamma[k];
    if (tp_dense_lu(m, u->gamma, m, u->pivot, 0.0) != TP_OK) return false;
    for (int k = 0; k < m; k++) u->x[k] = 1.0;
    tp_dense_lu_solve(m, u->gamma, m, u->pivot, u->x);
    for (int k = 0; k < m; k++) {
        if (!(u->x[k] > 0.0)) return false;
    }
    for (int j = 0; j <= w->n; j++) tp_dense_lu_solve(m, u->gamma, m, u->pivot, u->beta + (size_t)(j * m));
    return true;
}

static bool find_bounds(work *w, tp_stack *stack, upper_bounds *u)
{
    if (!take_bounds(u, w, stack)) return false;
    for (int i = 0, s = 0; i < w->local->set_count; i++) {
        const tp_set *set = &w->local->sets[i];
        if (!follows_joint(set)) continue;
        if (!reaction(w, set, u->K) || !add_shares(w, s++, set->master_count, u)) return false;
    }
    return close_bounds(w, u);
}

/* axis tau -+ P >= 0 for each row, from `row` on. */
static void put_bounds(const work *w, const upper_bounds *u, int row, tp_elimination *out)
{
    for (int i = 0, s = 0, at = 0; i < w->local->set_count; i++) {
        const tp_set *set = &w->local->sets[i];
        double axis[TP_FRICTION_MAX];
        if (set->kind == TP_SET_FREE) continue;
        at += set->size;
        if (!follows_joint(set)) continue;
        tp_friction_set friction = tp_friction_of(set);
        tp_friction_semi_axes(&friction, axis);
        for (int k = 0; k < 2 * set->size; k++, row++) {
            double size = (1.0 + tp_slip_enough) * axis[k / 2];
            for (int j = 0; j <= w->n; j++) {
                double *place = j < w->n ? &out->S[row + j * out->row_count] : &out->c[row];
                *place = size * u->beta[s + j * u->set_count];
            }
            out->S[row + (at - set->size + k / 2) * out->row_count] += k % 2 == 0 ? -1.0 : 1.0;
        }
        s++;
    }
}

bool tp_eliminate_joints(const tp_local *local, const double *P, tp_stack *stack, tp_elimination *out)
{
    work w = {0};
    upper_bounds upper = {0};
    if (!take(&w, local, stack) || !factorise(&w)) return false;
    *out = (tp_elimination){.kept_count = w.n, .row_count = w.n};
    for (int i = 0; i < local->set_count; i++) out->row_count += tp_elimination_has_bound(&local->sets[i]);
    if (find_bounds(&w, stack, &upper)) out->upper_count = 2 * upper.row_count;
    out->row_count += out->upper_count;
    size_t n = (size_t)out->row_count;
    out->S = TP_STACK_ARRAY(stack, double, n *n + n + 1);
    if (out->S == NULL) return false;
    memset(out->S, 0, (n * n + n) * sizeof(double));
    out->c = out->S + n * n;
    for (int j = 0; j < w.n; j++) reduce(&w, w.G + (size_t)w.kept[j] * (size_t)w.all, out->S + (size_t)j * n);
    bool is_consistent = reduce(&w, local->c, out->c) <= tp_slip_enough * tp_dense_norm(w.all, local->c);
    for (int i = 0, row = w.n; i < local->set_count; i++) {
        if (tp_elimination_has_bound(&local->sets[i])) bound(&w, &local->sets[i], P, row++, out);
    }
    if (out->upper_count > 0) put_bounds(&w, &upper, out->row_count - out->upper_count, out);
    return is_consistent;
}
