/* Static friction in a step; theory/static-friction.md (1)-(4). */
#include "static_friction.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>

double tp_boundary_share(const tp_simulation_options *options)
{
    return fmax(tp_on_boundary, options->tolerance);
}

/* Is (1 + share) P inside the set? Its normal row stays. The set is a cone or has 0 inside. */
static bool is_inside(const tp_set *set, double scale, double share, const double *P)
{
    double more[TP_LAW_ROWS], size = 0.0;
    int first = set->kind == TP_SET_FRICTION ? 0 : 1;
    for (int k = 0; k < set->size; k++) {
        more[k] = k < first ? P[k] : (1.0 + share) * P[k];
        size = fmax(size, fabs(P[k]));
    }
    return tp_set_contains(set, scale, more, 0.01 * fabs(share) * size); /* rounding of the test itself */
}

static double scale_of(const tp_law *law, const double *impulse, double dt)
{
    if (law->master_count == 0) return law->is_force_bound ? dt : 1.0;
    const double *P = impulse + (size_t)law->master_law * TP_LAW_ROWS + law->master_first;
    double sum = 0.0;
    for (int k = 0; k < law->master_count; k++) sum += P[k] * P[k];
    return sqrt(sum);
}

bool tp_law_sticks(const tp_law *law, const double *impulse, const double *P, double dt, double share)
{
    double scale = scale_of(law, impulse, dt);
    if (is_inside(&law->set, scale, share, P)) return true;
    return tp_law_has_static(law) && !is_inside(&law->set, scale, -share, P);
}

/* Without a last step: do the velocities of the friction rows vanish, to the rounding of their terms? */
static bool is_at_rest(tp_stepper *stepper, int index, const double *u)
{
    tp_system *system = stepper->system;
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index), first = law->set.kind == TP_SET_FRICTION ? 0 : 1;
    const int *columns = tp_system_law_columns(system, index);
    double chi[TP_LAW_ROWS], *W = stepper->problem->row;
    tp_system_law_rows(system, index, W, chi);
    for (int k = first; k < law->row_count; k++) {
        double size = fabs(chi[k]) + tp_row_size(count, columns, W + k * count, u),
               velocity = chi[k] + tp_row_velocity(count, columns, W + k * count, u);
        if (fabs(velocity) > tp_slip_rounding * size) return false;
    }
    return true;
}

/* (1): in the state at the start of the step. */
static bool stuck_at(tp_stepper *stepper, const tp_state *from, int index)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const double *P = from->impulse + (size_t)index * TP_LAW_ROWS;
    bool took_part = from->is_closed[index] && (law->level != TP_LEVEL_GAP || P[0] > 0.0);
    if (!took_part || !(stepper->last_step > 0.0)) return is_at_rest(stepper, index, from->u);
    return tp_law_sticks(law, from->impulse, P, stepper->last_step, tp_boundary_share(stepper->options));
}

/* Is the impulse of a set of the problem on its bound? */
static bool breaks_loose(const tp_step_problem *problem, int set, double share)
{
    const tp_set *is = &problem->problem.sets[set];
    const double *P = problem->P + is->first;
    double scale = 1.0;
    if (is->kind != TP_SET_FRICTION && !(P[0] > 0.0)) return false; /* open */
    if (is->master_count > 0) {
        double sum = 0.0;
        for (int k = 0; k < is->master_count; k++)
            sum += problem->P[is->master + k] * problem->P[is->master + k];
        scale = sqrt(sum);
    }
    return !is_inside(is, scale, share, P);
}

/* The law of a set of the problem; NULL: it has no static friction. */
static const tp_law *law_of(const tp_step_problem *problem, const tp_system *system, int set)
{
    int index = problem->law[set];
    const tp_law *law = index < system->law_count ? tp_system_law(system, index) : NULL;
    return law != NULL && tp_law_has_static(law) ? law : NULL;
}

/* (2): laws that stick begin with their static bound; false: there are none. */
static bool choose_bounds(tp_stepper *stepper, const tp_state *from, double dt)
{
    tp_step_problem *problem = stepper->problem;
    bool has_static = false;
    for (int i = 0; i < problem->problem.set_count; i++) {
        if (law_of(problem, stepper->system, i) == NULL) continue;
        bool is_static = stuck_at(stepper, from, problem->law[i]);
        tp_step_problem_bound(problem, stepper->system, i, is_static, dt);
        has_static = has_static || is_static;
    }
    return has_static;
}

bool tp_static_release(tp_step_problem *problem, const tp_system *system, double share, double dt)
{
    bool has_changed = false;
    for (int i = 0; i < problem->problem.set_count; i++) {
        if (law_of(problem, system, i) == NULL || !problem->is_static[problem->law[i]]) continue;
        if (!breaks_loose(problem, i, share)) continue;
        tp_step_problem_bound(problem, system, i, false, dt);
        has_changed = true;
    }
    return has_changed;
}

tp_status tp_static_solve(tp_stepper *stepper, const tp_state *from, double dt, tp_static_solver *solve,
                          void *self, tp_step_report *report)
{
    bool has_static = choose_bounds(stepper, from, dt);
    double share = tp_boundary_share(stepper->options);
    tp_status status = solve(self, report);
    while (has_static && tp_stepper_accepts(stepper, status) &&
           tp_static_release(stepper->problem, stepper->system, share, dt))
        status = solve(self, report);
    return status;
}
