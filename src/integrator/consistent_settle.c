/* Settled ends: the velocities that a step leaves to laws whose displacements it holds are brought to what
   the impact law allows, with the impulses of the whole step; theory/consistent.md (57)-(61). */
#include "consistent_settle.h"
#include "tolerances.h"

#include <math.h>

double tp_consistent_swing(const tp_consistent_step *step, const tp_consistent_law *own, tp_row_range rows,
                           const double *u)
{
    const tp_law *law = tp_consistent_law_of(step, own);
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    double along = 0.0, squared = 0.0, impulse = 0.0, restitution = 1.0;
    if (law->set.kind == TP_SET_FREE) return 0.0;
    for (int k = rows.first; k < rows.end; k++) {
        const double *W = step->W_begin + own->place + (size_t)(k * count);
        double velocity = tp_row_velocity(count, columns, W, u);
        along += velocity * tp_consistent_contact_velocity(step, own, k);
        squared += velocity * velocity;
        impulse += fabs(step->problem->P[own->first + k]);
        restitution = fmin(restitution, law->restitution[k]);
    }
    double size = sqrt(squared), least = tp_consistent_rest * step->xi_scale;
    bool goes_along = along > least * size;
    return impulse > 0.0 && restitution < 1.0 && size > least && !goes_along ? size : 0.0;
}

/* Friction and laws on velocities may swing; in one step for impacts too, also gaps. */
static bool has_swing(const tp_consistent_step *step)
{
    bool has_impacts = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const tp_row_range gap = {0, tp_consistent_friction_rows(step, own).first};
        if (tp_consistent_swing(step, own, tp_consistent_friction_rows(step, own), step->u_end) > 0.0)
            return true;
        if (has_impacts && tp_consistent_swing(step, own, gap, step->u_end) > 0.0) return true;
    }
    return false;
}

/* Contacts that have opened in the step take no part; a law that follows one that takes none, neither. */
static bool takes_part(const tp_consistent_step *step, const tp_consistent_law *own)
{
    const tp_stepper *stepper = step->stepper;
    const tp_law *law = tp_consistent_law_of(step, own);
    if (law->master_count > 0 && stepper->problem->first_row[law->master_law] < 0) return false;
    if (law->level != TP_LEVEL_GAP) return true;
    double gap = tp_system_law_position(stepper->system, own->law);
    return isfinite(gap) &&
           (gap <= stepper->options->contact_tolerance || step->problem->P[own->first] > 0.0);
}

/* One law: xi = W^T (u_D - e u+) with the impulse of the whole step, of which the step has given P already.
   The system is at the end. */
static void add_law(tp_consistent_step *step, const tp_consistent_law *own, bool leaves_out)
{
    tp_stepper *stepper = step->stepper;
    const tp_law *law = tp_consistent_law_of(step, own);
    const double *P = step->problem->P + own->first;
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    double *W = stepper->problem->row, chi[TP_LAW_ROWS], b[TP_LAW_ROWS];
    tp_system_law_rows(stepper->system, own->law, W, chi);
    for (int k = 0; k < law->row_count; k++) {
        double e = law->set.kind == TP_SET_FREE ? 0.0 : law->restitution[k];
        b[k] = (1.0 - e) * tp_row_velocity(count, columns, W + k * count, step->u_end);
        for (int j = 0; j < count; j++) stepper->problem->problem.f[columns[j]] -= P[k] * W[j + k * count];
    }
    tp_step_problem_add(stepper->problem, stepper->system, own->law, W, b, P, step->dt);
    for (int k = 0; k < law->row_count && leaves_out; k++) {
        if (own->left_out[k] > 0.0)
            tp_step_problem_leave_out(stepper->problem, stepper->problem->problem.set_count - 1, k,
                                      own->left_out[k]);
    }
}

/* The part of the change x that leaves the energy of the whole step below that of its start; (61). */
static double allowed_part(const tp_consistent_step *step, const double *x)
{
    const tp_stepper *stepper = step->stepper;
    const tp_sparse *pattern = &stepper->system->mass_pattern;
    double work = fmin(tp_consistent_law_work(step), 0.0), slope = 0.0, curvature = 0.0;
    for (int j = 0; j < stepper->system->u_count; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            double moved = stepper->M[k] * x[j];
            slope += step->u_end[pattern->index[k]] * moved;
            curvature += x[pattern->index[k]] * moved;
        }
    }
    if (slope + 0.5 * curvature + work <= 0.0) return 1.0;
    return fmin((sqrt(slope * slope - 2.0 * curvature * work) - slope) / curvature, 1.0);
}

tp_status tp_consistent_settle(tp_consistent_step *step, bool leaves_out, tp_state *to,
                               tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    if (!has_swing(step)) return TP_OK;
    tp_system_move(system, step->t + step->dt, step->midpoint->q_end, step->u_end);
    tp_system_mass(system, stepper->M);
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, NULL);
    for (int i = 0; i < step->law_count; i++) {
        if (takes_part(step, &step->laws[i])) add_law(step, &step->laws[i], leaves_out);
    }
    tp_status status = tp_stepper_solve_sharply(stepper, report);
    if (!tp_stepper_accepts(stepper, status)) return status;

    double part = allowed_part(step, stepper->x), *change = stepper->problem->P;
    for (int j = 0; j < system->u_count; j++) to->u[j] += part * stepper->x[j];
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        int first = stepper->problem->first_row[own->law];
        for (int k = 0; k < tp_consistent_law_of(step, own)->row_count && first >= 0; k++) {
            change[first + k] = part * (change[first + k] - step->problem->P[own->first + k]);
            to->impulse[own->law * TP_LAW_ROWS + k] += change[first + k];
        }
    }
    tp_stepper_book(stepper, NULL, step->u_end, to->u);
    return status;
}
