/* Correction of positions and velocities after a step on velocity level; theory/correction.md (1)-(12). Two
   convex problems in the metric of the masses, at most one of each in a step:
       positions    least y^T M y with W^T y + g = 0 for joints and contacts that rest, >= 0 for other
   contacts velocities   least x^T M x with W^T (u + x) + chi = 0 for joints, W^T x + xi = 0 for contacts that
   rest Rows of contacts that stick include their friction, so that nothing slides. */
#include "correction.h"
#include "correction_rows.h"

#include "solver/newton/soft_rows.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 10,  /* of a correction; a few are enough unless hundreds of contacts close at once */
    DIRECT_ROWS = 2000, /* more of them are swept: factors of large heaps fill up */
    SWEEPS = 50,
    PASSES = 8,  /* over joints, at most; one where there are none */
    HALVINGS = 6 /* of a pass that would open joints              */
};

/* Softness of rows with large errors: so many times the error, in units of the size of the scene; (7). */
static const double damping = 10.0;

/* Passes over joints go on as long as each leaves at most this part. */
static const double worthwhile = 0.98;

tp_status tp_correction_create(tp_stepper *stepper, tp_arena *arena)
{
    const tp_system *system = stepper->system;
    tp_correction *correction = TP_ARENA_ARRAY(arena, tp_correction, 1);
    if (correction == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_step_problem_create(arena, system, &correction->positions));
    TP_TRY(tp_step_problem_create(arena, system, &correction->velocities));
    correction->M = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&system->mass_pattern));
    correction->x = TP_ARENA_ARRAY(arena, double, system->u_count);
    correction->q = TP_ARENA_ARRAY(arena, double, system->q_count);
    correction->chi = TP_ARENA_ARRAY(arena, double, correction->velocities->capacity_rows);
    stepper->correction = correction;
    return tp_arena_status(arena);
}

/* All rows as soft as that with the largest error. */
static void damp(const tp_stepper *stepper, double error)
{
    tp_problem *p = &stepper->correction->positions->problem;
    double part =
        fmax(tp_correction_softness, stepper->correction->damping * error / stepper->model->summary.size);
    for (int i = 0; i < p->set_count; i++) {
        double *block = p->D.value + p->D.offset[i];
        for (int k = 0; k < p->sets[i].size; k++) {
            double d = tp_correction_mobility(stepper, p, p->sets[i].first + k),
                   *s = &block[k * (p->sets[i].size + 1)];
            *s = fmax(*s, part * d);
        }
    }
}

/* x and the impulses of a problem, as far as a bounded number of iterations gets. */
static void solve_rows(tp_stepper *stepper, tp_step_problem *problem)
{
    tp_problem *p = &problem->problem;
    double *x = stepper->correction->x;
    if (p->row_count <= DIRECT_ROWS) {
        tp_soft_rows_solve(p, NEWTON_STEPS, stepper->solver_memory, x, problem->P);
        return;
    }
    tp_solver_options options = tp_solver_options_default();
    tp_report solved;
    options.max_iterations = SWEEPS;
    memset(x, 0, (size_t)p->x_count * sizeof(double));
    tp_solve(p, "accelerated-gauss-seidel", &options, stepper->solver_memory, problem->P, x, &solved);
}

/* The motion of the present rows. */
static void find_motion(tp_stepper *stepper, double error)
{
    const double *x = stepper->correction->x;
    double most = 0.0;
    solve_rows(stepper, stepper->correction->positions);
    for (int j = 0; j < stepper->system->u_count; j++) most = fmax(most, fabs(x[j]));
    /* longer, and it would bring more than it takes back: bodies are wedged, or a chain is straight */
    if (most * most <= error * stepper->model->summary.size / stepper->correction->damping) return;
    damp(stepper, error);
    solve_rows(stepper, stepper->correction->positions);
}

/* Errors of joints at the system's point: the sum of squares that the motion lowers, and the largest. */
static double joint_merit(tp_stepper *stepper, double *worst_out)
{
    const tp_step_problem *rows = stepper->correction->positions;
    const tp_problem *p = &rows->problem;
    double sum = 0.0, g[TP_LAW_ROWS];
    *worst_out = 0.0;
    for (int i = 0; i < p->set_count; i++) {
        if (!tp_correction_is_joint(tp_system_law(stepper->system, rows->law[i]))) continue;
        tp_system_law_positions(stepper->system, rows->law[i], g);
        for (int k = 0; k < p->sets[i].size; k++) {
            *worst_out = fmax(*worst_out, fabs(g[k]));
            sum += g[k] * g[k] / p->D.value[p->D.offset[i] + (size_t)(k * (p->sets[i].size + 1))];
        }
    }
    return sum;
}

/* q moves by x, or by less of it where joints would open; the system goes with it. Whether another pass is
   worth while. */
static bool move_by(tp_stepper *stepper, const tp_state *to, double enough)
{
    tp_correction *correction = stepper->correction;
    size_t bytes = (size_t)stepper->system->q_count * sizeof(double);
    double share = 1.0, worst, before = joint_merit(stepper, &worst), after = INFINITY;
    memcpy(correction->q, to->q, bytes);
    for (int k = 0; k < HALVINGS && !(after <= before); k++, share *= 0.5) {
        memcpy(to->q, correction->q, bytes);
        tp_system_move(stepper->system, to->t, to->q, to->u);
        tp_system_change(stepper->system, correction->x, share, to->q);
        tp_system_move(stepper->system, to->t, to->q, to->u);
        after = joint_merit(stepper, &worst);
    }
    if (share < 0.5)
        correction->damping *= 10.0; /* too long a motion, or too short a one */
    else if (after > 0.25 * before)
        correction->damping *= 0.1;
    return worst > enough && after <= worthwhile * before;
}

/* The system is at the end of the step, and follows. Joints are not linear: they may need a few passes; (8).
 */
static void correct_positions(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                              tp_step_errors *errors)
{
    double least = tp_correction_rounding * stepper->model->summary.size,
           enough = fmax(stepper->options->contact_tolerance, tp_correction_rounding) *
                    stepper->model->summary.size;
    stepper->correction->damping = damping;
    for (int pass = 0; pass < PASSES; pass++) {
        double error = tp_correction_collect(stepper, from, pass == 0 ? dt : 0.0, to, errors);
        if (pass == 0) errors->position = error;
        if (!(error > least)) return;
        find_motion(stepper, error);
        if (!move_by(stepper, to, enough)) return;
    }
}

/* The share of a change of velocities at which their energy is least, net of the work of prescribed motion:
   1 but for rows of contacts whose directions have changed since the step's problem; (11). */
static double best_share(const tp_stepper *stepper, const double *u)
{
    const tp_step_problem *problem = stepper->correction->velocities;
    double slope = 0.0, curvature = 0.0;
    for (int k = 0; k < problem->problem.row_count; k++) {
        slope += problem->P[k] * (tp_correction_along(&problem->problem, k, u) + stepper->correction->chi[k]);
        curvature += problem->P[k] * tp_correction_along(&problem->problem, k, stepper->correction->x);
    }
    if (!(curvature > 0.0)) return 0.0;
    return fmin(fmax(-slope / curvature, 0.0), 1.0);
}

/* Whether contacts may have these impulses beside those of the step. */
static bool are_admissible(const tp_stepper *stepper, double share, const tp_state *to)
{
    const tp_step_problem *step = stepper->correction->velocities;
    for (int i = 0; i < step->problem.set_count; i++) {
        const tp_law *law = tp_system_law(stepper->system, step->law[i]);
        double P[TP_LAW_ROWS], size = 0.0;
        for (int k = 0; k < law->row_count; k++) {
            bool is_changed = k < step->problem.sets[i].size;
            P[k] = to->impulse[step->law[i] * TP_LAW_ROWS + k] +
                   (is_changed ? share * step->P[step->problem.sets[i].first + k] : 0.0);
            size = hypot(size, P[k]);
        }
        if (law->set.kind != TP_SET_FREE &&
            !tp_set_contains(&law->set, 1.0, P, tp_correction_rounding * size))
            return false;
    }
    return true;
}

/* u += share x, with its impulses in the account and in the state. There those of contacts stay as they are
   if the sum would leave a cone: they are the start of the next solve. */
static void change_velocities(tp_stepper *stepper, double share, tp_state *to, tp_step_report *report)
{
    const tp_correction *correction = stepper->correction;
    const tp_step_problem *step = correction->velocities;
    const tp_problem *problem = &step->problem;
    bool keeps_all = are_admissible(stepper, share, to);
    memcpy(stepper->u_middle, to->u, (size_t)stepper->system->u_count * sizeof(double));
    for (int j = 0; j < stepper->system->u_count; j++) to->u[j] += share * correction->x[j];
    for (int i = 0; i < problem->set_count; i++) {
        for (int k = 0; k < problem->sets[i].size; k++) {
            int row = problem->sets[i].first + k, start = problem->A.start[row];
            double P = share * step->P[row];
            tp_account_row booked = {.law = step->law[i],
                                     .count = problem->A.start[row + 1] - start,
                                     .columns = problem->A.index + start,
                                     .W = problem->A.value + start,
                                     .chi = correction->chi[row]};
            tp_account_add(&stepper->account, &booked, P, stepper->u_middle, to->u);
            bool is_joint = tp_system_law(stepper->system, step->law[i])->set.kind == TP_SET_FREE;
            if (keeps_all || is_joint) to->impulse[step->law[i] * TP_LAW_ROWS + k] += P;
            report->applied_work -= P * correction->chi[row];
        }
    }
}

static void correct_velocities(tp_stepper *stepper, tp_state *to, tp_step_report *report)
{
    solve_rows(stepper, stepper->correction->velocities);
    change_velocities(stepper, best_share(stepper, to->u), to, report);
}

void tp_stepper_correct(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_step_errors errors = {0.0, 0.0};
    tp_system_move(system, to->t, to->q, to->u);
    tp_system_mass(system, stepper->correction->M);
    report->correction_energy = -tp_system_kinetic_energy(system) - tp_system_potential_energy(system);
    correct_positions(stepper, from, dt, to, &errors);
    report->correction = errors.position;
    if (stepper->model->constraint_count > 0)
        errors.velocity = fmax(errors.velocity, tp_correction_collect_joint_velocities(stepper, to));
    if (errors.velocity * dt > tp_correction_rounding * stepper->model->summary.size)
        correct_velocities(stepper, to, report);
}
