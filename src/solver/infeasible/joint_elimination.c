/* The laws of a problem without its joints; theory/solvers.md (28e). */
#include "joint_elimination.h"

#include "math/dense.h"
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

static bool has_bound(const tp_set *set)
{
    return set->kind == TP_SET_FRICTION && set->size == 1 && set->master_count > 0;
}

bool tp_eliminate_joints(const tp_local *local, const double *P, tp_stack *stack, tp_elimination *out)
{
    work w = {0};
    if (!take(&w, local, stack) || !factorise(&w)) return false;
    *out = (tp_elimination){.kept_count = w.n, .row_count = w.n};
    for (int i = 0; i < local->set_count; i++) out->row_count += has_bound(&local->sets[i]);
    size_t n = (size_t)out->row_count;
    out->S = TP_STACK_ARRAY(stack, double, n *n + n + 1);
    if (out->S == NULL) return false;
    memset(out->S, 0, (n * n + n) * sizeof(double));
    out->c = out->S + n * n;
    for (int j = 0; j < w.n; j++) reduce(&w, w.G + (size_t)w.kept[j] * (size_t)w.all, out->S + (size_t)j * n);
    bool is_consistent = reduce(&w, local->c, out->c) <= tp_slip_enough * tp_dense_norm(w.all, local->c);
    for (int i = 0, row = w.n; i < local->set_count; i++) {
        if (has_bound(&local->sets[i])) bound(&w, &local->sets[i], P, row++, out);
    }
    return is_consistent;
}
