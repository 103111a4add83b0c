/* Implicit Euler steps of the inclusion itself; docs/theory/relaxed-dai.md (20). With the change of velocity
   u+ - u by Newton's method: at the present guess v of u+ and q+ = q + dt q'(q, v)
       (M - dt dh/du - dt^2 dh/dq B) x = dt h - M (v - u) + W P,   xi = W^T x + b,   -xi in N_C(P),   v += x
   with b = g/dt of position rows and gamma of velocity rows, all at the end of the step. */
#include "relaxation.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ITERATIONS = 50 };

tp_status tp_relaxed_implicit_take(tp_stepper *stepper, tp_arena *arena, tp_relaxed_implicit *out)
{
    size_t entries = (size_t)tp_sparse_count(&stepper->system->jacobian_pattern),
           m = (size_t)stepper->system->u_count, n = (size_t)stepper->system->q_count;
    *out = (tp_relaxed_implicit){.J = TP_ARENA_ARRAY(arena, double, entries),
                                 .stiffness = TP_ARENA_ARRAY(arena, double, entries),
                                 .damping = TP_ARENA_ARRAY(arena, double, entries),
                                 .load = TP_ARENA_ARRAY(arena, double, m),
                                 .v = TP_ARENA_ARRAY(arena, double, m),
                                 .q = TP_ARENA_ARRAY(arena, double, n)};
    return tp_arena_status(arena);
}

/* q+ for the guess, and the system there. */
static void go_to_end(tp_stepper *stepper, tp_relaxed_implicit *step, const tp_state *from, double dt)
{
    tp_system *system = stepper->system;
    tp_system_move(system, from->t, from->q, step->v);
    const double *rate = tp_system_rate(system);
    for (int i = 0; i < system->q_count; i++) step->q[i] = from->q[i] + dt * rate[i];
    tp_system_normalise(system, step->q);
    tp_system_move(system, from->t + dt, step->q, step->v);
}

/* Matrix and right side of the equation of motion. */
static void linearise(tp_stepper *stepper, tp_relaxed_implicit *step, const tp_state *from, double dt)
{
    tp_system *system = stepper->system;
    const tp_sparse *mass = &system->mass_pattern, *pattern = &system->jacobian_pattern;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    tp_system_force_jacobian(system, step->stiffness, step->damping);
    for (int k = 0; k < tp_sparse_count(pattern); k++)
        step->J[k] = -dt * step->damping[k] - dt * dt * step->stiffness[k];
    for (int k = 0; k < tp_sparse_count(mass); k++) step->J[system->mass_place[k]] += stepper->M[k];
    for (int j = 0; j < system->u_count; j++) step->load[j] = dt * stepper->h[j];
    for (int j = 0; j < system->u_count; j++) {
        for (int k = mass->start[j]; k < mass->start[j + 1]; k++)
            step->load[mass->index[k]] -= stepper->M[k] * (step->v[j] - from->u[j]);
    }
    tp_step_problem_begin(stepper->problem, pattern, step->J, step->load);
}

static void add_laws(tp_stepper *stepper, tp_relaxed_point *point, double dt)
{
    stepper->row_size = 0.0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        tp_law_rows rows;
        const tp_law *law = tp_system_law(stepper->system, i);
        double g[TP_LAW_ROWS], b[TP_LAW_ROWS];
        bool is_gap = law->level == TP_LEVEL_GAP;
        if (is_gap && !isfinite(tp_system_law_position(stepper->system, i))) continue;
        tp_law_rows_at(stepper, i, point->force, stepper->system->u, stepper->problem->row, &rows);
        tp_system_law_positions(stepper->system, i, g);
        for (int k = 0; k < law->row_count; k++) {
            bool is_position = is_gap ? k == 0 : law->level == TP_LEVEL_POSITION;
            b[k] = is_position ? g[k] / dt : rows.gamma[k];
            stepper->row_size = fmax(stepper->row_size,
                                     fabs(b[k]) + tp_row_size(rows.count, rows.columns,
                                                              rows.W + k * rows.count, stepper->system->u));
        }
        bool is_near = b[0] <= tp_likely_factor * dt * tp_relaxed_free_change(stepper, &rows);
        if (is_gap && !is_near && !(point->force[i * TP_LAW_ROWS] > 0.0)) continue;
        memcpy(stepper->chi + stepper->problem->problem.row_count, rows.chi,
               (size_t)law->row_count * sizeof(double));
        tp_step_problem_add(stepper->problem, stepper->system, i, rows.W, b, rows.start, dt);
        tp_step_problem_leave_out_redundant(stepper->problem, stepper->redundancy);
    }
}

/* By how much the velocities changed, up to what that is rounding, and what counts as converged. */
typedef struct newton_change {
    double change, rounding, accepted;
} newton_change;

static newton_change measure_change(const tp_stepper *stepper, const tp_relaxed_implicit *step, double dt)
{
    double change = 0.0, size = 0.0, place = 0.0;
    tp_system_position_sizes(stepper->system, step->load);
    for (int j = 0; j < stepper->system->u_count; j++) {
        change = fmax(change, fabs(stepper->x[j]));
        size = fmax(size, fmax(fabs(step->v[j]), dt * fabs(stepper->h[j])));
        place = fmax(place, step->load[j] / dt);
    }
    double rounding = tp_relaxed_roundings * DBL_EPSILON * (size + place);
    return (newton_change){change, rounding, fmax(tp_relaxed_change * size, tp_relaxed_accepted * rounding)};
}

/* One linearised inclusion. */
static tp_status iterate(tp_stepper *stepper, tp_relaxed_implicit *step, tp_relaxed_point *point,
                         const tp_state *from, double dt, tp_step_report *report)
{
    tp_step_report part = {0};
    go_to_end(stepper, step, from, dt);
    linearise(stepper, step, from, dt);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M));
    add_laws(stepper, point, dt);
    tp_status status = tp_stepper_solve_branch(stepper, stepper->options->relaxed.branch, &part);
    report->iterations += part.iterations;
    report->work += part.work;
    report->residual = part.residual;
    report->margin = part.margin;
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < stepper->system->u_count; j++) step->v[j] += stepper->x[j];
    tp_relaxed_keep_forces(stepper, point);
    return TP_OK;
}

tp_status tp_relaxed_implicit_step(tp_stepper *stepper, tp_relaxed_implicit *step, tp_relaxed_point *point,
                                   const tp_state *from, double dt, tp_state *to, tp_step_report *report)
{
    newton_change now = {.change = INFINITY};
    int rows = stepper->system->law_count * TP_LAW_ROWS;
    for (int i = 0; i < rows; i++) point->force[i] = from->impulse[i]; /* impulses here */
    memcpy(step->v, from->u, (size_t)stepper->system->u_count * sizeof(double));
    for (int k = 0; k < MOST_ITERATIONS && now.change > now.rounding; k++) {
        double before = now.change;
        TP_TRY(iterate(stepper, step, point, from, dt, report));
        now = measure_change(stepper, step, dt);
        if (now.change <= now.accepted && now.change >= 0.5 * before) break;
    }
    if (!(now.change <= now.accepted)) {
        snprintf(
            stepper->cause, sizeof stepper->cause,
            "Newton's method for the end of the step did not converge (velocities change by %.1e); a smaller "
            "time step may help",
            now.change);
        return TP_NOT_CONVERGED;
    }
    memcpy(to->u, step->v, (size_t)stepper->system->u_count * sizeof(double));
    for (int j = 0; j < stepper->system->u_count; j++) step->load[j] = 0.5 * (from->u[j] + to->u[j]);
    tp_relaxed_book_impulses(stepper, dt, 1.0, step->load, to, report);
    go_to_end(stepper, step, from, dt);
    memcpy(to->q, step->q, (size_t)stepper->system->q_count * sizeof(double));
    return TP_OK;
}
