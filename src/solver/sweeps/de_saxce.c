/* The fixed point on the slip speeds (De Saxce's form) and the family of convex relaxations;
   theory/solvers.md (32)-(34). For given s the law -(xi + s e_N) in N_K(P) is a convex problem, solved by
   accelerated projected gradients; s = (1 - epsilon) s_D(xi_T) is then updated. epsilon = 0 is Coulomb's law,
   epsilon = 1 the associated law, which needs one convex problem only. */
#include "math/dense.h"
#include "set/friction_set.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

enum { OUTER_STEPS = 2000, INNER_STEPS = 20000, POWER_STEPS = 40 };

typedef struct fixed_point {
    const tp_local *local;
    tp_set *cones;                        /* [set_count] contacts as associated laws                    */
    double *slip;                         /* [row_count] s on the normal rows, 0 elsewhere              */
    double *gradient, *x, *y, *next, *xi; /* [row_count] */
    double lipschitz;
} fixed_point;

/* Largest eigenvalue of G by power iteration, with a margin. */
static double estimate_lipschitz(const tp_local *local, double *v, double *w)
{
    int n = local->row_count;
    double length = 0.0, value = 0.0;
    for (int i = 0; i < n; i++) v[i] = 1.0 + 0.37 * (i % 7);
    for (int step = 0; step < POWER_STEPS; step++) {
        length = tp_dense_norm(n, v);
        if (!(length > 0.0)) break;
        for (int i = 0; i < n; i++) v[i] /= length;
        tp_local_velocity(local, v, w);
        for (int i = 0; i < n; i++) w[i] -= local->c[i];
        value = tp_dense_norm(n, w);
        memcpy(v, w, (size_t)n * sizeof(double));
    }
    return value > 0.0 ? 1.05 * value : local->rho;
}

static tp_status take_memory(const tp_solve_call *call, fixed_point *fixed)
{
    const tp_local *local = call->local;
    *fixed = (fixed_point){.local = local};
    fixed->cones = TP_STACK_ARRAY(call->stack, tp_set, local->set_count);
    TP_STACK_DOUBLES(call->stack, local->row_count, &fixed->slip, &fixed->gradient, &fixed->x, &fixed->y,
                     &fixed->next, &fixed->xi);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < local->set_count; i++) {
        fixed->cones[i] =
            local->sets[i].kind == TP_SET_CONTACT ? tp_set_cone(local->sets[i]) : local->sets[i];
        fixed->cones[i].first = local->sets[i].first;
    }
    memset(fixed->slip, 0, (size_t)local->row_count * sizeof(double));
    fixed->lipschitz = estimate_lipschitz(local, fixed->x, fixed->y);
    return TP_OK;
}

/* next = proj(y - (G y + c + s) / L). */
static void gradient_step(fixed_point *fixed, const double *from, double *to)
{
    const tp_local *local = fixed->local;
    tp_local_velocity(local, from, fixed->gradient);
    for (int i = 0; i < local->row_count; i++)
        to[i] = from[i] - (fixed->gradient[i] + fixed->slip[i]) / fixed->lipschitz;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &fixed->cones[i];
        tp_set_project(set, tp_set_scale(set, from), to + set->first, to + set->first);
    }
}

/* Accelerated projected gradients with restart for fixed s, until |step| <= precision |x|; theory/solvers.md
 * (33). Returns the steps. */
static int convex_solve(fixed_point *fixed, double precision, int limit, double *P)
{
    int n = fixed->local->row_count, count = 0;
    double theta = 1.0;
    memcpy(fixed->x, P, (size_t)n * sizeof(double));
    memcpy(fixed->y, P, (size_t)n * sizeof(double));
    while (count < limit) {
        gradient_step(fixed, fixed->y, fixed->next);
        count++;
        double uphill = 0.0, moved = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            double step = fixed->next[i] - fixed->x[i];
            uphill += (fixed->y[i] - fixed->next[i]) * step;
            moved += (fixed->next[i] - fixed->y[i]) * (fixed->next[i] - fixed->y[i]);
            size += fixed->next[i] * fixed->next[i];
        }
        if (uphill > 0.0) theta = 1.0;
        double next_theta = 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta)), beta = (theta - 1.0) / next_theta;
        for (int i = 0; i < n; i++) {
            fixed->y[i] = fixed->next[i] + beta * (fixed->next[i] - fixed->x[i]);
            fixed->x[i] = fixed->next[i];
        }
        theta = next_theta;
        if (moved <= precision * precision * size || moved == 0.0) break;
    }
    memcpy(P, fixed->x, (size_t)n * sizeof(double));
    return count;
}

static double slip_speed(const tp_set *contact, const double *xi)
{
    tp_friction_set friction = tp_friction_of(contact);
    return tp_friction_support(&friction, xi + contact->first + 1);
}

/* s_i = (1 - epsilon) s_D(xi_T); returns the largest change relative to the scale. */
static double update_slip(fixed_point *fixed, double epsilon)
{
    const tp_local *local = fixed->local;
    double change = 0.0;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind != TP_SET_CONTACT) continue;
        double s = (1.0 - epsilon) * slip_speed(set, fixed->xi);
        change = fmax(change, fabs(s - fixed->slip[set->first]) / local->scale);
        fixed->slip[set->first] = s;
    }
    return change;
}

/* Error of the law with this epsilon: E with the exact slip speeds replaced by (1 - epsilon) of them. */
static double relaxed_error(fixed_point *fixed, double epsilon, const double *P)
{
    const tp_local *local = fixed->local;
    tp_local_velocity(local, P, fixed->xi);
    if (epsilon == 0.0) return tp_local_error_at(local, P, fixed->xi, NULL);
    tp_local associated = *local;
    associated.sets = fixed->cones;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind != TP_SET_CONTACT) continue;
        fixed->xi[set->first] += (1.0 - epsilon) * slip_speed(set, fixed->xi);
    }
    double error = tp_local_error_at(&associated, P, fixed->xi, NULL);
    tp_local_velocity(local, P, fixed->xi);
    return error;
}

static tp_status solve_family(const tp_solve_call *call, double epsilon, double *P, tp_report *report)
{
    fixed_point fixed;
    TP_TRY(take_memory(call, &fixed));
    int outer_limit = call->options->max_iterations > 0 ? call->options->max_iterations : OUTER_STEPS,
        outer = 0, inner = 0;
    double precision = tp_first_precision, error = relaxed_error(&fixed, epsilon, P);
    update_slip(&fixed, epsilon);
    for (; error > call->options->tolerance && outer < outer_limit; outer++) {
        inner += convex_solve(&fixed, precision, INNER_STEPS, P);
        double next = relaxed_error(&fixed, epsilon, P);
        double change = update_slip(&fixed, epsilon);
        /* the inner problems are solved as well as the outer iteration deserves */
        if (next > 0.5 * error || change < 10.0 * next) precision = fmax(0.1 * precision, tp_last_precision);
        error = next;
        if (inner > 50 * INNER_STEPS) break;
    }
    report->iterations = outer;
    report->work = 1.0 * inner * call->local->G->block_count;
    bool is_solved = error <= call->options->tolerance;
    return tp_report_end(
        report, is_solved ? TP_OK : TP_NOT_CONVERGED,
        "residual %.1e of the law with epsilon = %g after %d fixed-point and %d gradient steps", error,
        epsilon, outer, inner);
}

static tp_status solve_de_saxce(const tp_solve_call *call, double *P, tp_report *report)
{
    return solve_family(call, 0.0, P, report);
}

static tp_status solve_convex(const tp_solve_call *call, double *P, tp_report *report)
{
    return solve_family(call, call->options->epsilon, P, report);
}

const tp_solver tp_solver_de_saxce = {
    .info = {"de-saxce", "fixed point on the slip speeds, a convex problem in each step", true},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_de_saxce,
};

const tp_solver tp_solver_convex = {
    .info = {"convex", "approximation: the associated (convex) law, or Coulomb's with epsilon of it", false},
    .accepts = TP_ACCEPT_ALL,
    .solve = solve_convex,
};
