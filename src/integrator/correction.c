/* Correction of positions and velocities after a step on velocity level; theory/correction.md (1)-(12). Two
   convex problems in the metric of the masses, at most one of each in a step:
       positions    least y^T M y with W^T y + g = 0 for joints and contacts that rest, >= 0 for other
   contacts velocities   least x^T M x with W^T (u + x) + chi = 0 for joints, W^T x + xi = 0 for contacts that
   rest Rows of contacts that stick include their friction, so that nothing slides. */
#include "correction.h"
#include "correction_flow.h"
#include "correction_joints.h"
#include "correction_rows.h"

#include "solver/newton/soft_rows.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 10, /* of a correction; a few are enough unless hundreds of contacts close at once */
    PASSES = 16, /* over joints, at most, nine decades of damping and some to converge; one without joints */
    HALVINGS = 6 /* of a pass that would open joints              */
};

tp_status tp_correction_create(tp_stepper *stepper, tp_arena *arena)
{
    tp_system *system = stepper->system;
    tp_correction *correction = TP_ARENA_ARRAY(arena, tp_correction, 1);
    if (correction == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_step_problem_create(arena, system, NULL, &correction->positions));
    TP_TRY(tp_step_problem_create(arena, system, NULL, &correction->velocities));
    correction->diagonal = TP_ARENA_ARRAY(arena, int, system->u_count);
    correction->M = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&system->mass_pattern));
    correction->metric = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&system->mass_pattern));
    correction->x = TP_ARENA_ARRAY(arena, double, system->u_count);
    correction->q = TP_ARENA_ARRAY(arena, double, system->q_count);
    correction->chi = TP_ARENA_ARRAY(arena, double, correction->velocities->capacity_rows);
    correction->taken = TP_ARENA_ARRAY(arena, double, correction->velocities->capacity_rows);
    correction->impulse = TP_ARENA_ARRAY(arena, double, correction->velocities->capacity_rows);
    TP_TRY(tp_correction_take_contacts(correction, arena));
    stepper->correction = correction;
    TP_TRY(tp_arena_status(arena));
    for (int j = 0; j < system->u_count; j++)
        correction->diagonal[j] = tp_pattern_place(&system->mass_pattern, j, j);
    return TP_OK;
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
            double d = tp_correction_mobility(stepper, stepper->correction->metric, p, p->sets[i].first + k),
                   *s = &block[k * (p->sets[i].size + 1)];
            *s = fmax(*s, part * d);
        }
    }
}

/* x and the impulses of a problem, as far as a bounded number of iterations gets. */
static void solve_rows(tp_stepper *stepper, tp_step_problem *problem)
{
    tp_soft_rows_solve(&problem->problem, NEWTON_STEPS, stepper->solver_memory, stepper->correction->x,
                       problem->P);
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

/* q moves by x, or by less of it where joints would open, or not at all; the system goes with it. The damping
   of the next pass is that of Levenberg and Marquardt: more of it after a motion that was too long, less
   where much is left. Whether another pass is worth while. */
static bool move_by(tp_stepper *stepper, const tp_state *to, double enough)
{
    tp_correction *correction = stepper->correction;
    size_t bytes = (size_t)stepper->system->q_count * sizeof(double);
    double share = 1.0, worst, before = joint_merit(stepper, &worst), after = INFINITY;
    memcpy(correction->q, to->q, bytes);
    for (int k = 0; k <= HALVINGS && !(after <= before); k++, share *= 0.5) {
        memcpy(to->q, correction->q, bytes);
        tp_system_move(stepper->system, to->t, to->q, to->u);
        if (k < HALVINGS) tp_system_change(stepper->system, correction->x, share, to->q);
        tp_system_move(stepper->system, to->t, to->q, to->u);
        after = joint_merit(stepper, &worst);
    }
    bool is_too_long = share < 0.5, is_too_short = !is_too_long && after > tp_correction_much_left * before,
         is_least = correction->damping * worst <= tp_correction_softness * stepper->model->summary.size;
    if (is_too_long) correction->damping *= 10.0;
    if (is_too_short) correction->damping *= 0.1;
    return worst > enough && (after <= tp_correction_worthwhile * before || (is_too_short && !is_least));
}

/* The masses, and the metric of positions, in which none is too light beside the heaviest; (8a). */
static void take_masses(tp_stepper *stepper)
{
    const tp_model *model = stepper->model;
    const tp_sparse *pattern = &stepper->system->mass_pattern;
    double heaviest = 0.0, *metric = stepper->correction->metric;
    tp_system_mass(stepper->system, stepper->correction->M);
    memcpy(metric, stepper->correction->M, (size_t)tp_sparse_count(pattern) * sizeof(double));
    for (int i = 0; i < model->bodies.count && model->constraint_count > 0; i++)
        heaviest = fmax(heaviest, TP_LIST_AT(model->bodies, tp_body, i)->mass);
    for (int i = 0; i < model->bodies.count; i++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, i);
        if (!(body->mass * tp_correction_mass_ratio < heaviest)) continue;
        int first = pattern->start[body->u_first], last = pattern->start[body->u_first + body->u_count];
        for (int k = first; k < last; k++) metric[k] *= heaviest / (tp_correction_mass_ratio * body->mass);
    }
}

/* Errors that are left as they are: contacts take part in steps all the same, and not every rounding is
   worth a solve. */
static double least_error(const tp_stepper *stepper)
{
    return fmax(tp_correction_negligible * stepper->options->contact_tolerance, tp_correction_rounding) *
           stepper->model->summary.size;
}

/* Errors of contacts that are far below what the tolerance of the step leaves; (6b). */
static double error_far_below(const tp_stepper *stepper, double dt)
{
    return tp_correction_far_below * stepper->options->tolerance * 0.5 * dt * stepper->correction->pressed;
}

/* The system is at the end of the step, and follows. Joints are not linear: they may need a few passes; (8).
 */
static void correct_positions(tp_stepper *stepper, double dt, double least, tp_state *to)
{
    double enough =
        fmax(stepper->options->contact_tolerance, tp_correction_rounding) * stepper->model->summary.size;
    for (int pass = 0; pass < PASSES; pass++) {
        double error = tp_correction_collect(stepper, pass == 0 ? dt : 0.0, to);
        if (!(error > least)) return;
        find_motion(stepper, error);
        if (!move_by(stepper, to, enough)) return;
    }
}

/* The impulses of a contact with those of the correction, which may leave its cone: the nearest ones in it.
   At rest friction gives way and the normal part stays, so that reported impulses carry the weight. */
static void add_impulses(const tp_law *law, const double *change, int count, bool is_at_rest, double *P_io)
{
    double P[TP_LAW_ROWS];
    for (int k = 0; k < law->row_count; k++) P[k] = P_io[k] + (k < count ? change[k] : 0.0);
    tp_set_project(&law->set, 1.0, P, P_io);
    if (!is_at_rest || P_io[0] == P[0] || !(P[0] > 0.0 && P_io[0] > 0.0)) return;
    for (int k = law->row_count - 1; k >= 0; k--) P_io[k] *= P[0] / P_io[0]; /* still in the cone */
}

static bool is_contact(const tp_stepper *stepper, int index)
{
    return tp_system_law(stepper->system, index)->level == TP_LEVEL_GAP;
}

/* The answer of the rows of a contact by rows of the step problem; if it is bounded, what of it keeps the
   impulses in their cone. Whether that is something else. */
static bool take_contact(const tp_stepper *stepper, int set, bool is_bounded, const tp_state *to)
{
    const tp_step_problem *step = stepper->correction->velocities;
    const tp_set *rows = &step->problem.sets[set];
    const tp_law *law = tp_system_law(stepper->system, step->law[set]);
    const double *change = step->P + rows->first, *before = to->impulse + step->law[set] * TP_LAW_ROWS;
    double P[TP_LAW_ROWS], *taken = stepper->correction->taken + stepper->problem->first_row[step->law[set]];
    bool is_other = false;
    memcpy(P, before, (size_t)law->row_count * sizeof(double));
    if (is_bounded) add_impulses(law, change, rows->size, false, P);
    for (int k = 0; k < law->row_count; k++) {
        taken[k] = k < rows->size ? change[k] : 0.0;
        if (!is_bounded || P[k] == before[k] + taken[k]) continue;
        taken[k] = P[k] - before[k];
        is_other = true;
    }
    return is_other;
}

/* One row of a change of velocities. */
typedef struct pushed_row {
    int law;
    const tp_problem *problem;
    int row;
    double P, chi;
} pushed_row;

/* Rows of a set of the change: those of a joint, or all of a contact. */
static int rows_of_set(const tp_stepper *stepper, int set, pushed_row *rows_out /* [TP_LAW_ROWS] */)
{
    const tp_correction *correction = stepper->correction;
    const tp_step_problem *step = correction->velocities;
    int index = step->law[set], first = step->problem.sets[set].first;
    if (!is_contact(stepper, index)) {
        for (int k = 0; k < step->problem.sets[set].size; k++)
            rows_out[k] = (pushed_row){index, &step->problem, first + k, step->P[first + k],
                                       correction->chi[first + k]};
        return step->problem.sets[set].size;
    }
    int row_count = tp_system_law(stepper->system, index)->row_count;
    first = stepper->problem->first_row[index];
    for (int k = 0; k < row_count; k++)
        rows_out[k] = (pushed_row){index, &stepper->problem->problem, first + k, correction->taken[first + k],
                                   stepper->chi_end[first + k]};
    return row_count;
}

/* Where impulses of bodies in motion would leave their cones, the change of velocities is that of the
   impulses that stay in them: what is reported balances the momenta; (11c). */
static void take_impulses(tp_stepper *stepper, bool is_bounded, const tp_state *to)
{
    tp_step_problem *step = stepper->correction->velocities;
    bool is_other = false;
    for (int i = 0; i < step->problem.set_count; i++) {
        if (is_contact(stepper, step->law[i]))
            is_other = take_contact(stepper, i, is_bounded, to) || is_other;
    }
    if (!is_other) return;
    double *f = step->problem.f;
    memset(f, 0, (size_t)step->problem.x_count * sizeof(double));
    for (int i = 0; i < step->problem.set_count; i++) {
        pushed_row rows[TP_LAW_ROWS];
        int count = rows_of_set(stepper, i, rows);
        for (int k = 0; k < count; k++) {
            const tp_sparse *A = &rows[k].problem->A;
            for (int e = A->start[rows[k].row]; e < A->start[rows[k].row + 1]; e++)
                f[A->index[e]] += A->value[e] * rows[k].P;
        }
    }
    tp_problem free = step->problem; /* M x = f */
    double none;
    free.row_count = free.set_count = 0;
    tp_soft_rows_solve(&free, 1, stepper->solver_memory, stepper->correction->x, &none);
}

/* The share of a change of velocities at which their energy is least, net of the work of prescribed motion:
   1 but for rows of contacts whose directions have changed since the step's problem, and for impulses that
   are held in their cones; (11). */
static double best_share(const tp_stepper *stepper, const double *u)
{
    const tp_step_problem *step = stepper->correction->velocities;
    double slope = 0.0, curvature = 0.0;
    for (int i = 0; i < step->problem.set_count; i++) {
        pushed_row rows[TP_LAW_ROWS];
        int count = rows_of_set(stepper, i, rows);
        for (int k = 0; k < count; k++) {
            slope += rows[k].P * (tp_correction_along(rows[k].problem, rows[k].row, u) + rows[k].chi);
            curvature +=
                rows[k].P * tp_correction_along(rows[k].problem, rows[k].row, stepper->correction->x);
        }
    }
    if (!(curvature > 0.0)) return 0.0;
    return fmin(fmax(-slope / curvature, 0.0), 1.0);
}

/* The impulses of the state after a change: they start the next solve, which those that add up leave alone;
   (11b). */
static void keep_impulses(const tp_stepper *stepper, int set, double share, double part, tp_state *to)
{
    pushed_row rows[TP_LAW_ROWS];
    double change[TP_LAW_ROWS];
    int index = stepper->correction->velocities->law[set], count = rows_of_set(stepper, set, rows);
    double *P = to->impulse + index * TP_LAW_ROWS;
    bool is_held = is_contact(stepper, index);
    if (is_held && !(part > tp_correction_new)) return;
    for (int k = 0; k < count; k++) change[k] = share * rows[k].P;
    if (is_held && isfinite(part)) {
        add_impulses(tp_system_law(stepper->system, index), change, count, true, P);
    } else {
        for (int k = 0; k < count; k++) P[k] += change[k];
    }
}

/* u += share x, with its impulses in the account and in the state. */
static void change_velocities(tp_stepper *stepper, double share, double part, tp_state *to,
                              tp_step_report *report)
{
    const tp_correction *correction = stepper->correction;
    memcpy(stepper->u_middle, to->u, (size_t)stepper->system->u_count * sizeof(double));
    for (int j = 0; j < stepper->system->u_count; j++) to->u[j] += share * correction->x[j];
    for (int i = 0; i < correction->velocities->problem.set_count; i++) {
        pushed_row rows[TP_LAW_ROWS];
        int count = rows_of_set(stepper, i, rows);
        for (int k = 0; k < count; k++) {
            const tp_sparse *A = &rows[k].problem->A;
            int start = A->start[rows[k].row];
            double P = share * rows[k].P;
            tp_account_row booked = {.law = rows[k].law,
                                     .count = A->start[rows[k].row + 1] - start,
                                     .columns = A->index + start,
                                     .W = A->value + start,
                                     .chi = rows[k].chi};
            tp_account_add(&stepper->account, &booked, P, stepper->u_middle, to->u);
            report->applied_work -= P * rows[k].chi;
        }
        keep_impulses(stepper, i, share, part, to);
    }
}

static void correct_velocities(tp_stepper *stepper, double part, tp_state *to, tp_step_report *report)
{
    solve_rows(stepper, stepper->correction->velocities);
    take_impulses(stepper, !isfinite(part), to);
    change_velocities(stepper, best_share(stepper, to->u), part, to, report);
}

/* Errors of velocities, as motions of a step, that are left as they are; (11b). */
static double velocity_left(const tp_stepper *stepper, double least, double part, bool are_moved)
{
    bool is_loose = stepper->options->tolerance > TP_EXACT_TOLERANCE, is_new = part > tp_correction_new;
    return is_loose && isfinite(part) && (is_new || are_moved) ? tp_correction_early * least : least;
}

void tp_stepper_correct(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_move(system, to->t, to->q, to->u);
    take_masses(stepper);
    report->correction_energy = -tp_system_kinetic_energy(system) - tp_system_potential_energy(system);
    if (tp_correct_joints(stepper, dt, to, report)) return;
    stepper->correction->damping = tp_correction_damping;
    bool has_joints = stepper->model->constraint_count > 0, is_exact = stepper->integrator->may_separate;
    double least = least_error(stepper);
    tp_step_errors errors = tp_correction_errors(stepper, from, dt, least / dt, to);
    if (!has_joints) least = fmax(least, error_far_below(stepper, dt));
    double flow = tp_correction_sweep_flow(stepper, dt, least, to), worst = fmax(errors.position, flow);
    if (worst > least) report->correction = fmax(report->correction, worst);
    bool is_asked = has_joints || errors.velocity * dt > tp_correction_early * least;
    double part = is_asked ? tp_correction_new_part(stepper, from, least / dt) : 0.0,
           least_velocity = velocity_left(stepper, least, part, errors.position > least);
    bool changes = !is_exact && (has_joints || errors.velocity * dt > least_velocity);
    if (!(errors.position > least) && !changes) return;
    if (flow > least) tp_system_move(system, to->t, to->q, to->u);
    correct_positions(stepper, dt, least, to);
    if (is_exact) return; /* velocities are */
    if (has_joints)       /* their rows tell */
        errors.velocity = fmax(errors.velocity, tp_correction_collect_joint_velocities(stepper, to));
    if (errors.velocity * dt > least_velocity) correct_velocities(stepper, part, to, report);
}
