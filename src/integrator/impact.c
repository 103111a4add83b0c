/* The impact problem; theory/consistent.md (17). */
#include "impact.h"

#include "math/dense.h"
#include "solver/tolerances.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A law with its rows at the present point and the velocities before the impact. */
static void add_law(tp_stepper *stepper, const tp_impact *impact, int index, const double *u,
                    double *joints_squared)
{
    static const double no_start[TP_LAW_ROWS] = {0.0};
    const double no_time = 0.0; /* sets bounded by a force vanish in an impact */
    tp_system *system = stepper->system;
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index), first = stepper->problem->problem.row_count;
    const int *columns = tp_system_law_columns(system, index);
    double *W = stepper->problem->row, *chi = stepper->chi + first, b[TP_LAW_ROWS];
    tp_system_law_rows(system, index, W, chi);
    for (int k = 0; k < law->row_count; k++) {
        const double *row = W + k * count;
        double velocity = tp_row_velocity(count, columns, row, u) + chi[k];
        b[k] = (1.0 + law->restitution[k]) * velocity;
        if (law->set.kind == TP_SET_FREE) *joints_squared += velocity * velocity;
        double size = tp_row_size(count, columns, row, u) + fabs(chi[k]);
        stepper->row_size = fmax(stepper->row_size, size);
        stepper->row_noise[first + k] = DBL_EPSILON * size;
    }
    tp_step_problem_add(stepper->problem, system, index, W, b, no_start, no_time);
    if (impact->leaves_out) tp_step_problem_leave_out_redundant(stepper->problem, stepper->redundancy);
}

/* Where velocities all but cancel, each island knows the noise of its W u: rows of contacts that all but rest
   and share a direction contradict each other by it. So do rows of joints at a dead position, by what the
   step before left of their velocities, `joints`: no impact need leave less; (17a). */
static tp_status solve(tp_stepper *stepper, double joints, tp_step_report *report)
{
    double size = stepper->row_size,
           norm = tp_dense_norm(stepper->problem->problem.row_count, stepper->problem->problem.b);
    stepper->has_row_noise = DBL_EPSILON * size > tp_noisy_impact * norm;
    if (!stepper->has_row_noise) stepper->row_size = 0.0;
    tp_status status = tp_stepper_solve_sharply(stepper, report);
    if (status != TP_NOT_CONVERGED) return status;
    double left = fmin(joints, tp_left_of_joints * size);
    stepper->row_size = fmax(size, 2.0 * left / (DBL_EPSILON * tp_accepted_noise));
    return tp_stepper_solve_sharply(stepper, report);
}

tp_status tp_impact_solve(tp_stepper *stepper, const tp_impact *impact, double *u, double *impulse_io,
                          tp_step_report *report)
{
    tp_system *system = stepper->system;
    const tp_step_problem *problem = stepper->problem;
    tp_system_mass(system, stepper->M);
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, NULL);
    double joints_squared = 0.0;
    stepper->row_size = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        bool is_joint = tp_system_law(system, i)->level == TP_LEVEL_POSITION;
        if (impact->takes_part[i] && (is_joint || !impact->joints_alone))
            add_law(stepper, impact, i, u, &joints_squared);
    }
    tp_status status = solve(stepper, sqrt(joints_squared), report);
    stepper->has_no_impact = status == TP_INFEASIBLE;
    memcpy(stepper->u_middle, u, (size_t)system->u_count * sizeof(double));
    for (int j = 0; j < system->u_count; j++) u[j] += stepper->x[j];
    if (!tp_stepper_accepts(stepper, status)) return status;
    tp_stepper_book(stepper, stepper->chi, stepper->u_middle, u);
    for (int i = 0; i < problem->problem.set_count; i++) {
        const tp_set *set = &problem->problem.sets[i];
        for (int k = 0; k < set->size; k++) {
            double P = problem->P[set->first + k];
            impulse_io[problem->law[i] * TP_LAW_ROWS + k] += P;
            report->applied_work -= P * stepper->chi[set->first + k];
        }
    }
    return status;
}
