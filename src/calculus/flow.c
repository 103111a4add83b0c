/* Paths along admissible directions, and what they do to neighbouring points; docs/theory/holonomy.md
   (10). */
#include "row_derivatives.h"

#include <math.h>
#include <string.h>

/* The state of a path: time, q, the variation [size * size] behind them. */
typedef struct path {
    tp_distribution *d;
    const double *v;
    int q_count, count;
    bool has_variation;
    double *admitted, *X, *work, *other; /* [width], [size] three times, longer of both */
} path;

/* Rates of q along a direction: what a system at (t, q) with these velocities says. */
static void position_rates(const path *p, double *rate)
{
    tp_distribution *d = p->d;
    tp_system *system = d->system;
    memset(d->u, 0, (size_t)system->u_count * sizeof(double));
    for (int a = 1; a < d->width; a++) d->u[d->velocity[a - 1]] = p->admitted[a] * tp_column_unit(d, a);
    tp_system_move(system, d->t, d->q, d->u);
    memcpy(rate, tp_system_rate(system), (size_t)p->q_count * sizeof(double));
    if (system->own_velocities) {
        for (int i = 0; i < system->general_q; i++) rate[i] -= (1.0 - p->admitted[0]) * system->beta[i];
    }
}

/* xi' = d(F P v)[xi] - [E X, E xi] of the frame, for each column of the variation; (10). */
static void variation_rates(const path *p, const double *V, double *rate)
{
    tp_distribution *d = p->d;
    int size = d->size;
    for (int c = 0; c < size; c++) {
        const double *xi = V + c * size;
        double *out = rate + c * size;
        tp_distribution_change(d, p->v, xi, p->work);
        tp_distribution_lift(d, p->work, out);
        tp_distribution_lift_change(d, p->admitted, xi, p->other);
        for (int i = 0; i < size; i++) out[i] += p->other[i];
        tp_distribution_frame_bracket(d, p->X, xi, p->other);
        for (int i = 0; i < size; i++) out[i] -= p->other[i];
    }
}

static bool rates(const path *p, const double *y, double *rate)
{
    tp_distribution *d = p->d;
    if (!tp_distribution_move(d, y[0], y + 1)) return false;
    tp_distribution_project(d, p->v, p->admitted);
    tp_distribution_lift(d, p->admitted, p->X);
    rate[0] = p->X[0];
    if (p->has_variation) variation_rates(p, y + 1 + p->q_count, rate + 1 + p->q_count);
    position_rates(p, rate + 1);
    return true;
}

/* One step of Runge and Kutta's method of fourth order; k [4 * count], at [count]. */
static bool step(const path *p, double h, double *y, double *k, double *at)
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0};
    int n = p->count;
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++) at[i] = y[i] + (s > 0 ? part[s] * h * k[(s - 1) * n + i] : 0.0);
        if (!rates(p, at, k + s * n)) return false;
    }
    for (int i = 0; i < n; i++) {
        y[i] += h / 6.0 * (k[i] + 2.0 * k[n + i] + 2.0 * k[2 * n + i] + k[3 * n + i]);
        if (!isfinite(y[i])) return false;
    }
    tp_system_normalise(p->d->system, y + 1);
    return true;
}

bool tp_distribution_flow(tp_distribution *d, const double *v, int steps, double *t, double *q,
                          double *variation, tp_arena *scratch)
{
    int n = d->system->q_count, size = d->size, longer = size > d->width ? size : d->width;
    path p = {.d = d,
              .v = v,
              .q_count = n,
              .count = 1 + n + (variation != NULL ? size * size : 0),
              .has_variation = variation != NULL,
              .admitted = TP_ARENA_ARRAY(scratch, double, longer),
              .X = TP_ARENA_ARRAY(scratch, double, longer),
              .work = TP_ARENA_ARRAY(scratch, double, longer),
              .other = TP_ARENA_ARRAY(scratch, double, longer)};
    double *y = TP_ARENA_ARRAY(scratch, double, p.count), *k = TP_ARENA_ARRAY(scratch, double, 4 * p.count),
           *at = TP_ARENA_ARRAY(scratch, double, p.count);
    if (tp_arena_status(scratch) != TP_OK) return false;
    y[0] = *t;
    memcpy(y + 1, q, (size_t)n * sizeof(double));
    if (variation != NULL) memcpy(y + 1 + n, variation, (size_t)(size * size) * sizeof(double));
    bool is_good = true;
    for (int s = 0; s < steps && is_good; s++) is_good = step(&p, 1.0 / steps, y, k, at);
    *t = y[0];
    memcpy(q, y + 1, (size_t)n * sizeof(double));
    if (variation != NULL) memcpy(variation, y + 1 + n, (size_t)(size * size) * sizeof(double));
    return is_good;
}
