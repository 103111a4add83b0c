/* The error measure E of a one-step problem, computed from P alone; theory/problems.md (5)-(9). */
#include "local.h"

#include "absorb.h"
#include "math/dense.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>

static double square(double x)
{
    return x * x;
}

/* Rows of complementarity or of a box, each a block of its own: natural map rho (P - proj(P - xi/rho)), and
   the violation of the sign of xi that an infinite bound demands. */
static double interval_error_squared(tp_row_bounds bounds, double rho, double P, double xi)
{
    double lower = bounds.lower, upper = bounds.upper;
    double target = rho * P - xi;
    double clipped = fmin(fmax(target, rho * lower), rho * upper);
    double natural = fabs(rho * P - clipped);
    double sign = 0.0;
    if (isinf(upper) && !isinf(lower)) sign = fmax(0.0, -xi);
    if (isinf(lower) && !isinf(upper)) sign = fmax(0.0, xi);
    return square(fmax(natural, sign));
}

static double rows_error_squared(const tp_set *set, double rho, const double *P, const double *xi)
{
    double sum = 0.0;
    for (int k = 0; k < set->size; k++) {
        sum += interval_error_squared(tp_set_row_bounds(set, k), rho, P[k], xi[k]);
    }
    return sum;
}

/* |rho (P - proj_C(P - x/rho))| for any set, and |proj_C'(-x)| with the recession cone C'. */
static double natural_error_squared(const tp_set *set, double scale, double rho, const double *P,
                                    const double *x)
{
    double z[TP_SET_MAX], p[TP_SET_MAX], natural = 0.0, recession = 0.0;
    for (int k = 0; k < set->size; k++) z[k] = P[k] - x[k] / rho;
    tp_set_project(set, scale, z, p);
    for (int k = 0; k < set->size; k++) natural += square(rho * (P[k] - p[k]));
    for (int k = 0; k < set->size; k++) z[k] = -x[k];
    tp_set_project_recession(set, z, p);
    for (int k = 0; k < set->size; k++) recession += square(p[k]);
    return fmax(natural, recession);
}

/* fmax of numbers: a call of the library for each costs more than the sums around it. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A disc-shaped friction cone in closed form: the block that matters most for speed. Of finite numbers. */
static inline double coulomb_error_squared(double mu, int n, double rho, const double *P, const double *xi)
{
    double xi_t = 0.0, t2 = 0.0;
    for (int k = 1; k < n; k++) xi_t += square(xi[k]);
    double x_n = xi[0] + mu * sqrt(xi_t);
    double z[TP_SET_MAX];
    for (int k = 1; k < n; k++) {
        z[k] = P[k] - xi[k] / rho;
        t2 += square(z[k]);
    }
    double t = sqrt(t2), z_n = P[0] - x_n / rho;
    double normal = larger(larger(0.0, z_n), (z_n + mu * t) / (1.0 + mu * mu));
    double shrink = t > mu * normal ? mu * normal / t : 1.0;
    double natural = square(rho * (P[0] - normal));
    for (int k = 1; k < n; k++) natural += square(rho * (P[k] - shrink * z[k]));

    double back = larger(larger(0.0, -x_n), (-x_n + mu * sqrt(xi_t)) / (1.0 + mu * mu));
    double slip = sqrt(xi_t), limit = mu * back, back_t = slip < limit ? slip : limit;
    return larger(natural, square(back) + square(back_t));
}

double tp_disc_error_squared(double friction, double rho, const double *P, const double *xi)
{
    double probe = 0.0;
    for (int k = 0; k < 3; k++) probe += fabs(P[k]) + fabs(xi[k]);
    return isfinite(probe) ? coulomb_error_squared(friction, 3, rho, P, xi) : INFINITY;
}

static double block_error_squared(const tp_set *set, double rho, const double *P, const double *xi)
{
    const double *own = P + set->first;
    double probe = 0.0; /* fmax and fmin prefer numbers and would turn a NaN into the error 0 */
    for (int k = 0; k < set->size; k++) probe += fabs(own[k]) + fabs(xi[k]);
    if (!isfinite(probe)) return INFINITY;
    switch (set->kind) {
    case TP_SET_FREE: return tp_dense_dot(set->size, xi, xi);
    case TP_SET_ZERO: return square(rho) * tp_dense_dot(set->size, own, own);
    case TP_SET_ORTHANT:
    case TP_SET_BOX: return rows_error_squared(set, rho, own, xi);
    case TP_SET_CONTACT: {
        if (set->friction_kind == TP_FRICTION_BALL && set->size == 3) /* the compiler unrolls it */
            return coulomb_error_squared(set->parameter[0], 3, rho, own, xi);
        if (set->friction_kind == TP_FRICTION_BALL)
            return coulomb_error_squared(set->parameter[0], set->size, rho, own, xi);
        double x[TP_SET_MAX];
        tp_friction_set friction = tp_friction_of(set);
        for (int k = 0; k < set->size; k++) x[k] = xi[k];
        x[0] += tp_friction_support(&friction, xi + 1);
        return natural_error_squared(set, 1.0, rho, own, x);
    }
    case TP_SET_FRICTION:
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: return natural_error_squared(set, tp_set_scale(set, P), rho, own, xi);
    }
    return square(tp_error_of_nothing);
}

double tp_local_block_error(const tp_set *set, double rho, const double *P, const double *xi_i)
{
    return sqrt(block_error_squared(set, rho, P, xi_i));
}

/* Parts of the residual that name what is wrong, for one block; impulses are made velocities by rho, all
 * divided by s. */
static void judge_block(const tp_set *set, double rho, double s, const double *P, const double *xi,
                        tp_residual *out)
{
    const double *own = P + set->first;
    if (set->kind == TP_SET_FREE) {
        for (int k = 0; k < set->size; k++) out->worst_equality = fmax(out->worst_equality, fabs(xi[k]) / s);
        return;
    }
    if (set->kind == TP_SET_ORTHANT) {
        for (int k = 0; k < set->size; k++) {
            out->worst_gap_velocity = fmax(out->worst_gap_velocity, -xi[k] / s);
            out->worst_cone_violation = fmax(out->worst_cone_violation, -rho * own[k] / s);
            out->worst_product = fmax(out->worst_product, rho * fabs(own[k] * xi[k]) / (s * s));
        }
        return;
    }
    if (set->size <= TP_SET_MAX) {
        double p[TP_SET_MAX], distance = 0.0;
        tp_set_project(set, tp_set_scale(set, P), own, p);
        for (int k = 0; k < set->size; k++) distance += square(own[k] - p[k]);
        out->worst_cone_violation = fmax(out->worst_cone_violation, rho * sqrt(distance) / s);
    }
    if (set->kind == TP_SET_CONTACT) {
        tp_friction_set friction = tp_friction_of(set);
        double slip = tp_friction_support(&friction, xi + 1);
        double power = tp_dense_dot(set->size - 1, own + 1, xi + 1);
        out->worst_gap_velocity = fmax(out->worst_gap_velocity, -xi[0] / s);
        out->worst_product = fmax(out->worst_product, rho * fabs(own[0] * xi[0]) / (s * s));
        out->worst_dissipation = fmax(out->worst_dissipation, rho * fabs(power + own[0] * slip) / (s * s));
    }
}

double tp_local_error_at(const tp_local *local, const double *P, const double *xi, tp_residual *residual_out)
{
    double sum = 0.0, most = -1.0;
    int worst = -1;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        double share = block_error_squared(set, local->rho, P, xi + set->first);
        sum += share;
        if (!(share > most)) continue;
        most = share;
        worst = i;
    }
    double error = sqrt(sum) / local->scale;
    if (!(error < tp_error_of_nothing)) error = tp_error_of_nothing;

    if (residual_out != NULL) {
        tp_residual *out = residual_out;
        *out = (tp_residual){
            .error = error, .rho = local->rho, .scale = local->scale, .at_rounding = local->at_rounding};
        out->worst_set = worst;
        out->P_norm = tp_dense_norm(local->row_count, P);
        out->xi_norm = tp_dense_norm(local->row_count, xi);
        out->floor = DBL_EPSILON * (local->rho * out->P_norm + tp_dense_norm(local->row_count, local->c)) /
                     local->scale;
        for (int i = 0; i < local->set_count && error < tp_error_of_nothing; i++) {
            const tp_set *set = &local->sets[i];
            judge_block(set, local->rho, local->scale, P, xi + set->first, out);
        }
    }
    return error;
}

/* ---- by threads ---- */

enum { SETS_OF_TASK = 1024 };

typedef struct error_sum {
    const tp_local *local;
    const double *P, *xi;
    double *sums; /* [tasks] */
} error_sum;

static void add_errors(void *context, int begin, int end)
{
    const error_sum *all = context;
    const tp_local *local = all->local;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += block_error_squared(&local->sets[i], local->rho, all->P, all->xi + local->sets[i].first);
    all->sums[begin / SETS_OF_TASK] = sum;
}

double tp_local_error_shared(const tp_local *local, const double *P, const double *xi, tp_pool *pool,
                             tp_stack *stack)
{
    int tasks = (local->set_count + SETS_OF_TASK - 1) / SETS_OF_TASK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    error_sum all = {local, P, xi, TP_STACK_ARRAY(stack, double, tasks)};
    if (all.sums == NULL) return tp_local_error_at(local, P, xi, NULL);
    double sum = 0.0;
    tp_pool_share(pool, local->set_count, SETS_OF_TASK, add_errors, &all);
    for (int k = 0; k < tasks; k++) sum += all.sums[k];
    tp_stack_release(stack, mark);
    double error = sqrt(sum) / local->scale;
    return error < tp_error_of_nothing ? error : tp_error_of_nothing;
}

double tp_local_error(const tp_local *local, const double *P, double *work, tp_residual *residual_out)
{
    tp_local_velocity(local, P, work);
    return tp_local_error_at(local, P, work, residual_out);
}

/* E where M couples many bodies: neither G nor its elimination is needed for it. */
static tp_status error_without_matrix(const tp_problem *problem, const double *P, tp_stack *stack,
                                      tp_residual *residual_out)
{
    tp_lu lu;
    tp_local local;
    double *x = TP_STACK_ARRAY(stack, double, problem->x_count);
    double *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_lu_factor(stack, &problem->M, 0.1, NULL, &lu));
    TP_TRY(tp_local_measure(problem, &lu, stack, &local));
    tp_problem_state_by(problem, &lu, P, x, xi);
    tp_local_error_at(&local, P, xi, residual_out);
    return TP_OK;
}

static tp_status error_with_matrix(const tp_problem *problem, const double *P, tp_stack *stack,
                                   tp_residual *residual_out)
{
    tp_local local;
    TP_TRY(tp_local_form(problem, stack, &local));
    double *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (xi == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_problem_state(problem, P, NULL, xi));
    tp_local_error_at(&local, P, xi, residual_out);
    return TP_OK;
}

tp_status tp_problem_error(const tp_problem *problem, const double *P, tp_residual *residual_out)
{
    if (problem == NULL || (P == NULL && problem->row_count > 0) || residual_out == NULL)
        return TP_INVALID_ARGUMENT;
    tp_stack stack;
    tp_stack_init(&stack, NULL);
    int absorbed = 0;
    unsigned char *choice = TP_STACK_ARRAY(&stack, unsigned char, problem->set_count);
    tp_status status = choice != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK) status = tp_absorb_choose(problem, &stack, choice, &absorbed);
    if (status == TP_OK) {
        status = absorbed > 0 ? error_without_matrix(problem, P, &stack, residual_out)
                              : error_with_matrix(problem, P, &stack, residual_out);
    }
    tp_stack_clear(&stack);
    return status;
}
