/* Moreau's midpoint rule; theory/moreau.md (1)-(6). Joints and contacts are laws on velocities in one
   problem: q_M = q_B + (dt/2) q'(q_B, u_B),   M (u_E - u_B) = h dt + W P,   xi = W^T (u_E + e u_B) + (1 + e)
   chi,   -xi in N_C(P), q_E = q_M + (dt/2) q'(q_M, u_E),   all matrices at q_M, h at (q_M, u_B). */
#include "law_rows.h"

static tp_status step_moreau(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                             tp_step_report *report)
{
    tp_system *system = stepper->system;
    const double *rate = tp_system_rate(system);
    double middle = from->t + 0.5 * dt;

    tp_system_move(system, from->t, from->q, from->u); /* midpoint positions (1) */
    tp_system_combine(system, system->q_count, from->q, 0.5 * dt, rate, stepper->q_middle);
    /* rows that are redundant on the joints contradict each other beside them */
    tp_status status = tp_stepper_project_joints(stepper, middle, from->u, stepper->q_middle);
    if (status != TP_OK && status != TP_NOT_CONVERGED) return status;

    tp_system_move(system, middle, stepper->q_middle, from->u); /* new velocities, impulses (2)-(5) */
    status = tp_stepper_change_velocities(stepper, from, dt, to, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    if (tp_system_has_applied_power(system)) {
        for (int j = 0; j < system->u_count; j++) stepper->u_middle[j] = 0.5 * (from->u[j] + to->u[j]);
        tp_stepper_add_work(stepper, middle, stepper->q_middle, stepper->u_middle, dt, report);
    }

    tp_system_move(system, middle, stepper->q_middle, to->u); /* end positions (6) */
    tp_system_combine(system, system->q_count, stepper->q_middle, 0.5 * dt, rate, to->q);
    tp_system_normalise(system, to->q);
    stepper->chi_end = stepper->chi;
    stepper->end_weight = 0.5;
    return status;
}

const tp_integrator tp_integrator_moreau = {
    .info = {.name = "moreau",
             .text = "Moreau's midpoint rule: explicit forces, all laws on velocity level, first order"},
    .step = step_moreau,
    .takes_static = true,
    .levels = {0, 1, 1, 1},
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = tp_integrator_leapfrog_limit,
    .reach = 1.0,
    .may_project = true,
    .system = {.has_no_derivatives = true},
};
