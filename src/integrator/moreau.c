/* Moreau's midpoint rule; theory/moreau.md (1)-(6). Joints and contacts are laws on velocities in one
   problem: q_M = q_B + (dt/2) q'(q_B, u_B),   M (u_E - u_B) = h dt + W P,   xi = W^T (u_E + e u_B) + (1 + e)
   chi,   -xi in N_C(P), q_E = q_M + (dt/2) q'(q_M, u_E),   all matrices at q_M, h at (q_M, u_B). */
#include "integrators.h"

#include <math.h>

/* Rows of an active law with xi = W^T du + (1 + e) gamma_B; returns whether its first row approaches. */
static bool add_law(tp_stepper *stepper, int index, const tp_state *from, double dt)
{
    const tp_law *law = TP_LIST_AT(stepper->model->laws, tp_law, index);
    int count = tp_system_law_column_count(stepper->system, index);
    const int *columns = tp_system_law_columns(stepper->system, index);
    double chi[TP_LAW_ROWS], b[TP_LAW_ROWS], gamma[TP_LAW_ROWS], start[TP_LAW_ROWS] = {0.0};
    double *W = stepper->problem->row;
    tp_system_law_rows(stepper->system, index, W, chi);
    for (int k = 0; k < law->row_count; k++) {
        gamma[k] = chi[k] + tp_row_velocity(count, columns, W + k * count, from->u);
        double size = fabs(chi[k]) + tp_row_size(count, columns, W + k * count, from->u);
        stepper->row_size = fmax(stepper->row_size, size);
        b[k] = (1.0 + law->restitution[k]) * gamma[k];
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        if (law->set.kind != TP_SET_FREE) start[k] = from->impulse[index * TP_LAW_ROWS + k];
        stepper->chi[stepper->problem->problem.row_count + k] = chi[k];
    }
    tp_step_problem_add(stepper->problem, stepper->system, index, W, b, start, dt);
    for (int k = 0; k < law->row_count; k++) {
        if (tp_redundancy_leaves_out(stepper->redundancy, index, k))
            tp_step_problem_leave_out(stepper->problem, k,
                                      tp_redundancy_diagonal(stepper->redundancy, index, k));
    }
    return tp_row_approaches(count, columns, W, from->u, gamma[0]);
}

/* All laws that take part: those on velocities and joints always, contacts whose gap is closed at the
 * midpoint. */
static void collect_laws(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                         tp_step_report *report)
{
    const tp_model *model = stepper->model;
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        bool is_contact = law->level == TP_LEVEL_GAP;
        to->is_closed[i] =
            !is_contact || tp_system_law_position(stepper->system, i) <= tp_stepper_closing_gap(stepper, i);
        if (!to->is_closed[i]) continue;
        bool approaches = add_law(stepper, i, from, dt);
        report->contact_count += is_contact;
        if (is_contact && !from->is_closed[i] && approaches) report->impact_count++;
    }
}

static tp_status step_moreau(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                             tp_step_report *report)
{
    tp_system *system = stepper->system;
    int n = system->q_count, m = system->u_count;
    double middle = from->t + 0.5 * dt;

    tp_system_move(system, from->t, from->q, from->u); /* midpoint positions (1) */
    const double *rate = tp_system_rate(system);
    for (int i = 0; i < n; i++) stepper->q_middle[i] = from->q[i] + 0.5 * dt * rate[i];
    /* rows that are redundant on the joints contradict each other beside them */
    tp_status status = tp_stepper_project_joints(stepper, middle, from->u, stepper->q_middle);
    if (!tp_stepper_accepts(stepper, status)) return status;

    tp_system_move(system, middle, stepper->q_middle, from->u); /* M, h, laws at the midpoint (2) */
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    for (int j = 0; j < m; j++) stepper->h[j] *= dt;
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, stepper->h);
    stepper->row_size = 0.0;
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M)); /* they contradict each other by the drift */
    collect_laws(stepper, from, dt, to, report);

    status = tp_stepper_solve(stepper, report); /* change of velocity, impulses (3)-(5) */
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < m; j++) {
        to->u[j] = from->u[j] + stepper->x[j];
        stepper->u_middle[j] = 0.5 * (from->u[j] + to->u[j]);
    }
    tp_stepper_keep_impulses(stepper, to, report);
    tp_account_add_forces(&stepper->account, 1.0, stepper->h); /* dt is in h already */
    tp_stepper_book(stepper, stepper->chi, from->u, to->u);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    if (stepper->model->has_applied_power) {
        tp_system_move(system, middle, stepper->q_middle, stepper->u_middle);
        report->applied_work += dt * tp_system_applied_power(system);
    }

    tp_system_move(system, middle, stepper->q_middle, to->u); /* end positions (6) */
    rate = tp_system_rate(system);
    for (int i = 0; i < n; i++) to->q[i] = stepper->q_middle[i] + 0.5 * dt * rate[i];
    tp_system_normalise(system, to->q);
    to->t = from->t + dt;
    return status;
}

/* That of the leapfrog. */
static double stability_limit(const tp_simulation_options *options)
{
    (void)options;
    return 2.0;
}

const tp_integrator tp_integrator_moreau = {
    .info = {"moreau", "Moreau's midpoint rule: explicit forces, all laws on velocity level, first order"},
    .step = step_moreau,
    .levels = {0, 1, 1, 1},
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = stability_limit,
    .may_project = true,
};
