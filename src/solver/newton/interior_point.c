/* Interior points for contacts with Coulomb friction between bodies: steps along the central path of the
   convex problem for the slip speeds of the present point, with as much of the change of these speeds as
   steps of a useful length allow; then proximal Newton from the best point. theory/solvers.md (37)-(40b). */
#include "interior_point.h"

#include "body_system.h"
#include "math/dense.h"
#include "proximal_newton.h"
#include "set/friction_set.h"
#include "solver/solvers.h"
#include "solver/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 3 };

/* Nesterov-Todd scaling of a cone: theta x = y, root root = theta. Column-major. */
typedef struct scaling {
    double theta[SIZE * SIZE], root[SIZE * SIZE], inverse_root[SIZE * SIZE];
} scaling;

typedef struct interior {
    const tp_local *local;
    tp_body_system bodies;
    tp_linear_block *block;            /* [set_count] */
    int *first;                        /* [set_count + 1] */
    scaling *scalings;                 /* [set_count] */
    double *friction;                  /* [set_count] */
    double *x, *y;                     /* [row_count] impulse (mu P_N, P_T) and velocity (xi_N/mu, xi_T) */
    double *dx, *dy, *P, *xi, *defect; /* [row_count] defect of y against the velocity of P */
    double *complementary, *d;         /* [row_count] */
    double *second;                    /* [row_count] terms of second order, and correctors of the centre */
    double *kept;                      /* [2 row_count] dx, dy before a corrector */
    double *right, *rest;              /* [row_count] right side of a linear system, what is left of it */
    double slip_share;                 /* of the change of slip speeds that a step foresees */
    double gap;                        /* x.y of a cone in the mean */
    double unit_velocity;              /* of a row, in the mean of c */
    tp_stack_mark mark;
} interior;

/* ---- the cone x_0 >= |x_T| and its Jordan algebra ---- */

static double cone_value(const double *x)
{
    return x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
}

/* Largest t with x + t d in the cone, x inside. */
static double largest_step(const double *x, const double *d)
{
    double a = cone_value(d), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = cone_value(x), step = INFINITY;
    double discriminant = b * b - a * c;
    if (discriminant >= 0.0) {
        double q = -(b + copysign(sqrt(discriminant), b));
        double one = a != 0.0 ? q / a : INFINITY, other = q != 0.0 ? c / q : INFINITY;
        if (one > 0.0) step = fmin(step, one);
        if (other > 0.0) step = fmin(step, other);
    }
    return d[0] < 0.0 ? fmin(step, -x[0] / d[0]) : step;
}

static void jordan_product(const double *a, const double *b, double *out)
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

/* b with a o b = c. */
static void jordan_divide(const double *a, const double *c, double *b)
{
    b[0] = (a[0] * c[0] - a[1] * c[1] - a[2] * c[2]) / cone_value(a);
    for (int k = 1; k < SIZE; k++) b[k] = (c[k] - b[0] * a[k]) / a[0];
}

/* factor (2 w w^T - J), J = diag(1, -1, -1). */
static void reflection(const double *w, double factor, double *out)
{
    for (int j = 0; j < SIZE; j++) {
        for (int i = 0; i < SIZE; i++)
            out[i + SIZE * j] = factor * (2.0 * w[i] * w[j] - (i != j ? 0.0 : i == 0 ? 1.0 : -1.0));
    }
}

/* (38). */
static void find_scaling(const double *x, const double *y, scaling *out)
{
    double size_x = sqrt(cone_value(x)), size_y = sqrt(cone_value(y)), w[SIZE], h[SIZE];
    double cosine = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (size_x * size_y);
    double length = 2.0 * sqrt(0.5 * (1.0 + cosine)), eta = size_y / size_x;
    for (int k = 0; k < SIZE; k++) w[k] = (y[k] / size_y + (k == 0 ? x[k] : -x[k]) / size_x) / length;
    for (int k = 0; k < SIZE; k++) h[k] = (w[k] + (k == 0 ? 1.0 : 0.0)) / sqrt(2.0 * (w[0] + 1.0));
    reflection(w, eta, out->theta);
    reflection(h, sqrt(eta), out->root);
    h[1] = -h[1];
    h[2] = -h[2];
    reflection(h, 1.0 / sqrt(eta), out->inverse_root);
}

static void multiply(const double *A, const double *x, double *out)
{
    for (int i = 0; i < SIZE; i++) out[i] = A[i] * x[0] + A[i + SIZE] * x[1] + A[i + 2 * SIZE] * x[2];
}

/* ---- the iteration ---- */

const char *tp_interior_unsuitable(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        tp_friction_set friction = tp_friction_of(set);
        if (set->size != SIZE || friction.kind != TP_FRICTION_BALL || !(set->parameter[0] > 0.0))
            return "interior-point takes contacts in space with discs of friction above 0";
    }
    return NULL;
}

static tp_status take_memory(const tp_solve_call *call, interior *it)
{
    const tp_local *local = call->local;
    size_t rows = (size_t)local->row_count, sets = (size_t)local->set_count;
    *it = (interior){.local = local, .unit_velocity = local->scale / sqrt((double)sets)};
    double **vectors[] = {&it->x, &it->y,      &it->dx,     &it->dy,
                          &it->P, &it->xi,     &it->defect, &it->complementary,
                          &it->d, &it->second, &it->right,  &it->rest};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = TP_STACK_ARRAY(call->stack, double, rows);
    it->kept = TP_STACK_ARRAY(call->stack, double, 2 * rows);
    it->block = TP_STACK_ARRAY(call->stack, tp_linear_block, sets);
    it->first = TP_STACK_ARRAY(call->stack, int, sets + 1);
    it->scalings = TP_STACK_ARRAY(call->stack, scaling, sets);
    it->friction = TP_STACK_ARRAY(call->stack, double, sets);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_body_system_init(&it->bodies, local, call->stack));
    it->mark = tp_stack_mark_now(call->stack);
    return TP_OK;
}

/* On the central path: x = e v/rho, y = e v. */
static void begin(interior *it)
{
    it->slip_share = tp_interior_slip;
    memset(it->x, 0, (size_t)it->local->row_count * sizeof(double));
    memset(it->y, 0, (size_t)it->local->row_count * sizeof(double));
    memset(it->block, 0, (size_t)it->local->set_count * sizeof(tp_linear_block));
    for (int i = 0; i < it->local->set_count; i++) {
        tp_linear_block *block = &it->block[i];
        it->friction[i] = it->local->sets[i].parameter[0];
        it->x[SIZE * i] = it->unit_velocity / it->local->rho;
        it->y[SIZE * i] = it->unit_velocity;
        it->first[i] = SIZE * i;
        block->size = block->dim = SIZE;
        for (int k = 0; k < SIZE; k++) block->C[k + SIZE * k] = block->R[k + SIZE * k] = 1.0;
    }
    it->first[it->local->set_count] = it->local->row_count;
}

/* P and its velocity, the slip speeds that belong to it, the defect and the gap; (37). */
static void evaluate(interior *it)
{
    for (int i = 0; i < it->local->set_count; i++) {
        const double *x = it->x + SIZE * i;
        double *P = it->P + SIZE * i;
        P[0] = x[0] / it->friction[i];
        P[1] = x[1];
        P[2] = x[2];
    }
    tp_local_velocity(it->local, it->P, it->xi);
    it->gap = 0.0;
    for (int i = 0; i < it->local->set_count; i++) {
        const double *x = it->x + SIZE * i, *y = it->y + SIZE * i, *xi = it->xi + SIZE * i;
        double *defect = it->defect + SIZE * i;
        defect[0] = y[0] - xi[0] / it->friction[i] - hypot(xi[1], xi[2]);
        defect[1] = y[1] - xi[1];
        defect[2] = y[2] - xi[2];
        it->gap += tp_dense_dot(SIZE, x, y);
    }
    it->gap /= it->local->set_count;
}

/* How the slip speed of contact i changes with its velocity, times the share: the derivative of
   sqrt(|xi_T|^2 + (gap/x_0)^2), smooth where the contact sticks on the central path; (40b). */
static void foresee_slip(interior *it, int i)
{
    const double *xi = it->xi + SIZE * i;
    double rounding = it->gap / it->x[SIZE * i],
           length = sqrt(xi[1] * xi[1] + xi[2] * xi[2] + rounding * rounding);
    for (int k = 1; k < SIZE; k++)
        it->block[i].R[SIZE * k] = it->slip_share * it->friction[i] * xi[k] / length;
}

static tp_status factor(interior *it, tp_stack *stack)
{
    for (int i = 0; i < it->local->set_count; i++) {
        scaling *s = &it->scalings[i];
        foresee_slip(it, i);
        find_scaling(it->x + SIZE * i, it->y + SIZE * i, s);
        for (int c = 0; c < SIZE; c++) {
            for (int r = 0; r < SIZE; r++) {
                double unit = (r == 0 ? it->friction[i] : 1.0) * (c == 0 ? it->friction[i] : 1.0);
                it->block[i].K[r + SIZE * c] = unit * s->theta[r + SIZE * c];
            }
        }
    }
    tp_stack_release(stack, it->mark);
    return tp_body_system_factor(&it->bodies, it->block, tp_interior_shift * it->local->rho, stack);
}

/* The right side of a cone: its complementarity, with a centre and terms of second order if there is one;
   (39). */
static void aim_cone(const interior *it, int i, const double *centre, double *out)
{
    const scaling *s = &it->scalings[i];
    double lambda[SIZE], product[SIZE], quotient[SIZE];
    multiply(s->root, it->x + SIZE * i, lambda);
    jordan_product(lambda, lambda, product);
    for (int k = 0; k < SIZE; k++) product[k] = -product[k];
    if (centre != NULL) {
        product[0] += *centre;
        for (int k = 0; k < SIZE; k++) product[k] -= it->second[SIZE * i + k];
    }
    jordan_divide(lambda, product, quotient);
    multiply(s->root, quotient, out);
}

/* x o y in the scaling of cone i, of the steps dx, dy times `step`, with x and y themselves or without. */
static void scaled_product(const interior *it, int i, double with, double step, double *out)
{
    double x[SIZE], y[SIZE], scaled_x[SIZE], scaled_y[SIZE];
    for (int k = 0; k < SIZE; k++) {
        x[k] = with * it->x[SIZE * i + k] + step * it->dx[SIZE * i + k];
        y[k] = with * it->y[SIZE * i + k] + step * it->dy[SIZE * i + k];
    }
    multiply(it->scalings[i].root, x, scaled_x);
    multiply(it->scalings[i].inverse_root, y, scaled_y);
    jordan_product(scaled_x, scaled_y, out);
}

/* d = solution for the right side d, its velocity in `complementary` (with c). The springs of contacts that
   stick hide the inertia of bodies, so that what is left of the right side is solved for again: at E = 3e-4
   the first solution is off by a third of the smallest y_0, and steps are short. */
static void solve_refined(interior *it)
{
    const tp_local *local = it->local;
    memcpy(it->right, it->d, (size_t)local->row_count * sizeof(double));
    tp_body_system_solve(&it->bodies, it->block, it->first, it->d);
    tp_local_velocity(local, it->d, it->complementary);
    for (int i = 0; i < local->set_count; i++) {
        const tp_linear_block *block = &it->block[i];
        for (int k = 0; k < SIZE; k++) {
            double sum = it->right[SIZE * i + k];
            for (int l = 0; l < SIZE; l++) {
                int column = SIZE * i + l;
                sum -= block->R[k + SIZE * l] * (it->complementary[column] - local->c[column]);
                sum -= block->K[k + SIZE * l] * it->d[column];
            }
            it->rest[SIZE * i + k] = sum;
        }
    }
    tp_body_system_solve(&it->bodies, it->block, it->first, it->rest);
    for (int k = 0; k < local->row_count; k++) it->d[k] += it->rest[k];
    tp_local_velocity(local, it->d, it->complementary);
}

/* dx, dy, and how far they may be followed, at most 1; centre NULL: the predictor. */
static double find_direction(interior *it, const double *centre, double share)
{
    const tp_local *local = it->local;
    for (int i = 0; i < local->set_count; i++) {
        double *d = it->d + SIZE * i;
        aim_cone(it, i, centre, d);
        for (int k = 0; k < SIZE; k++) d[k] += it->defect[SIZE * i + k];
        d[0] *= it->friction[i];
    }
    solve_refined(it);
    double step = INFINITY;
    for (int i = 0; i < local->set_count; i++) {
        for (int k = 0; k < SIZE; k++) {
            int row = SIZE * i + k;
            double unit = k == 0 ? it->friction[i] : 1.0, velocity = 0.0;
            for (int l = 0; l < SIZE; l++)
                velocity +=
                    it->block[i].R[k + SIZE * l] * (it->complementary[SIZE * i + l] - local->c[SIZE * i + l]);
            it->dx[row] = unit * it->d[row];
            it->dy[row] = velocity / unit - it->defect[row];
        }
        step = fmin(step, largest_step(it->x + SIZE * i, it->dx + SIZE * i));
        step = fmin(step, largest_step(it->y + SIZE * i, it->dy + SIZE * i));
    }
    return fmin(1.0, share * step);
}

/* Brings the products of cones that a step of this length would leave far from the centre back between two
   multiples of it; (40a). */
static void correct_centre(interior *it, double centre, double step)
{
    double least = centre / tp_interior_spread, most = centre * tp_interior_spread;
    for (int i = 0; i < it->local->set_count; i++) {
        double product[SIZE], *second = it->second + SIZE * i;
        scaled_product(it, i, 1.0, step, product);
        double length = hypot(product[1], product[2]), low = product[0] - length, high = product[0] + length;
        double raise_low = fmax(fmin(most, fmax(low, least)) - low, -most);
        double raise_high = fmax(fmin(most, fmax(high, least)) - high, -most);
        second[0] -= 0.5 * (raise_low + raise_high);
        for (int k = 1; k < SIZE && length > 0.0; k++)
            second[k] -= 0.5 * (raise_high - raise_low) * product[k] / length;
    }
}

/* Correctors with the same factors, as long as they make the step longer (40a); its length. */
static double lengthen(interior *it, double centre, double step)
{
    size_t rows = (size_t)it->local->row_count, bytes = rows * sizeof(double);
    for (int k = 0; k < TP_INTERIOR_CORRECTORS && step < tp_interior_long; k++) {
        memcpy(it->kept, it->dx, bytes);
        memcpy(it->kept + rows, it->dy, bytes);
        correct_centre(it, centre, fmin(1.0, 1.5 * step + 0.1));
        double longer = find_direction(it, &centre, tp_interior_share);
        if (!(longer >= step + tp_interior_gain)) {
            memcpy(it->dx, it->kept, bytes);
            memcpy(it->dy, it->kept + rows, bytes);
            break;
        }
        step = longer;
    }
    return step;
}

/* One step with predictor and correctors (40); its length, 0 if there is none. */
static double take_step(interior *it, tp_stack *stack)
{
    int rows = it->local->row_count;
    if (factor(it, stack) != TP_OK) return 0.0;
    double step = find_direction(it, NULL, 1.0), gap = 0.0;
    for (int k = 0; k < rows; k++) gap += (it->x[k] + step * it->dx[k]) * (it->y[k] + step * it->dy[k]);
    double ratio = gap / (it->gap * it->local->set_count);
    double centre = it->gap * fmin(1.0, fmax(tp_interior_centring, ratio * ratio * ratio));
    for (int i = 0; i < it->local->set_count; i++) scaled_product(it, i, 0.0, 1.0, it->second + SIZE * i);
    step = lengthen(it, centre, find_direction(it, &centre, tp_interior_share));
    if (!isfinite(step) || !(step > 0.0)) return 0.0;
    for (int k = 0; k < rows; k++) {
        it->x[k] += step * it->dx[k];
        it->y[k] += step * it->dy[k];
    }
    return step;
}

/* Short steps: the system with the change of slip speeds is nearly singular, because friction is not
   associated, and leads out of the cones. Speeds that lag pass such points; (40b). */
static void choose_slip_share(interior *it, double step)
{
    if (step >= tp_interior_slow)
        it->slip_share = fmin(tp_interior_slip, it->slip_share + tp_interior_slip_rise);
    else
        it->slip_share *= it->slip_share < tp_interior_slip_least ? 0.0 : tp_interior_slip_fall;
}

/* Along the central path; the best point of all stays with the sweeps. Steps taken. */
static int follow_path(interior *it, tp_sweeps *sweeps, int most, tp_stack *stack)
{
    const tp_local *local = it->local;
    double unit_gap = it->unit_velocity * it->unit_velocity / local->rho;
    int steps = 0, best_step = 0;
    begin(it);
    while (steps < most && !tp_sweeps_are_spent(sweeps)) {
        double best = sweeps->best_error;
        evaluate(it);
        if (tp_sweeps_judge(sweeps, it->P) <= sweeps->aim) break;
        if (sweeps->best_error < best) best_step = steps;
        if (steps - best_step >= TP_INTERIOR_PATIENCE) break;
        if (it->gap <= tp_interior_gap * unit_gap) break;
        steps++;
        double step = take_step(it, stack);
        sweeps->work += it->bodies.fronts.operations / (SIZE * SIZE) + 9.0 * local->G->block_count;
        if (step < tp_interior_shortest && it->slip_share == 0.0) break;
        choose_slip_share(it, step);
    }
    return steps;
}

tp_status tp_interior_path(const tp_solve_call *call, tp_sweeps *sweeps, int most, int *steps_out)
{
    interior it;
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    *steps_out = 0;
    tp_status status = tp_interior_unsuitable(call->local) != NULL ? TP_UNSUPPORTED : take_memory(call, &it);
    if (status == TP_OK)
        *steps_out =
            follow_path(&it, sweeps, most < TP_INTERIOR_STEPS ? most : TP_INTERIOR_STEPS, call->stack);
    tp_stack_release(call->stack, mark);
    return status;
}

static tp_status solve_interior(const tp_solve_call *call, double *P, tp_report *report)
{
    tp_sweeps sweeps;
    tp_proximal proximal;
    const tp_local *local = call->local;
    const char *why = tp_interior_unsuitable(local);
    if (why != NULL) return tp_report_end(report, TP_UNSUPPORTED, "%s", why);
    TP_TRY(tp_sweeps_init(&sweeps, local, call->stack));
    TP_TRY(tp_proximal_init(&proximal, &sweeps, local, call->stack));
    tp_sweeps_aim(&sweeps, call->options, 1.0);
    if (call->options->work_limit > 0.0) sweeps.work_limit = call->options->work_limit;
    int most = call->options->max_iterations > 0 ? call->options->max_iterations : proximal.step_limit;

    double error = tp_sweeps_judge(&sweeps, P);
    int steps = 0;
    tp_status status = error > sweeps.aim ? tp_interior_path(call, &sweeps, most, &steps) : TP_OK;
    if (status == TP_UNSUPPORTED)
        return tp_report_end(report, status, "interior-point takes problems whose laws meet in bodies alone");
    if (status != TP_OK) return status;
    memcpy(P, sweeps.best, (size_t)local->row_count * sizeof(double));
    if (sweeps.best_error > sweeps.aim) tp_sweeps_project(local, P);
    proximal.step_limit = most - steps;
    tp_newton_end end = TP_NEWTON_STALLED;
    proximal.growth = tp_held_growth;
    tp_proximal_hold(&proximal);
    for (int slice = 0; slice < TP_INTERIOR_SLICES && end == TP_NEWTON_STALLED; slice++)
        end = tp_proximal_run(&proximal, call->stack, P, &error);
    memcpy(P, sweeps.best, (size_t)local->row_count * sizeof(double));
    report->iterations = steps + proximal.step_count;
    report->work = sweeps.work;
    bool is_solved = sweeps.best_error <= sweeps.aim;
    if (end == TP_NEWTON_INFEASIBLE)
        return tp_report_end(report, TP_INFEASIBLE, "no impulse satisfies the laws: there is a proof");
    return tp_report_end(report, is_solved ? TP_OK : TP_NOT_CONVERGED,
                         "%s after %d steps along the central path and %d Newton steps",
                         is_solved ? "E is below the tolerance" : "no solution", steps, proximal.step_count);
}

const tp_solver tp_solver_interior_point = {
    .info = {"interior-point",
             "central path of second-order cones with slip speeds foreseen in part, then proximal Newton",
             true},
    .accepts = TP_ACCEPT(TP_SET_CONTACT),
    .needs_global = true,
    .solve = solve_interior,
};
