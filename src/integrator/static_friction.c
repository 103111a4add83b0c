/* Static friction in a step; theory/static-friction.md (1)-(4). */
#include "static_friction.h"
#include "tolerances.h"

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

/* What the impulses of a law change in its row k, each body by itself. */
static double row_change(const tp_system *system, int index, const tp_law_motion *motion, const double *W,
                         int k)
{
    const int *columns, count = tp_system_columns_of(system, index, &columns);
    double change = 0.0;
    for (int j = 0; j < count; j++) {
        double mass = motion->M[tp_pattern_place(&system->mass_pattern, columns[j], columns[j])],
               impulse = 0.0;
        for (int i = 0; i < tp_system_law(system, index)->row_count; i++)
            impulse += fabs(W[j + i * count] * motion->P[i]);
        if (mass > 0.0) change += fabs(W[j + k * count]) * impulse / mass;
    }
    return change;
}

bool tp_law_is_at_rest(tp_stepper *stepper, int index, const tp_law_motion *motion)
{
    tp_system *system = stepper->system;
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index), first = law->set.kind == TP_SET_FRICTION ? 0 : 1;
    const int *columns = tp_system_law_columns(system, index);
    double chi[TP_LAW_ROWS], *W = stepper->problem->row, share = tp_boundary_share(stepper->options);
    tp_system_law_rows(system, index, W, chi);
    for (int k = first; k < law->row_count; k++) {
        const double *w = W + k * count;
        double size = fabs(chi[k]) + tp_row_size(count, columns, w, motion->u),
               velocity = chi[k] + tp_row_velocity(count, columns, w, motion->u);
        if (motion->x != NULL) velocity += tp_row_velocity(count, columns, w, motion->x);
        if (fabs(velocity) > tp_slip_rounding * size + share * row_change(system, index, motion, W, k))
            return false;
    }
    return true;
}

bool tp_law_stuck(tp_stepper *stepper, const tp_static_step *step, int index)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const double *P = step->from->impulse + (size_t)index * TP_LAW_ROWS;
    bool took_part = step->from->is_closed[index] && (law->level != TP_LEVEL_GAP || P[0] > 0.0);
    if (took_part && stepper->last_step > 0.0 &&
        tp_law_sticks(law, step->from->impulse, P, stepper->last_step, tp_boundary_share(stepper->options)))
        return true;
    return tp_law_is_at_rest(stepper, index, &(tp_law_motion){.u = step->u, .M = step->M, .P = P});
}

bool tp_set_is_on_bound(const tp_set *set, const double *P, double share)
{
    const double *own = P + set->first;
    if (set->kind != TP_SET_FRICTION && !(own[0] > 0.0)) return false; /* open */
    return !is_inside(set, tp_set_scale(set, P), share, own);
}

/* The law of a set of the problem; NULL: it has no static friction. */
static const tp_law *law_of(const tp_step_problem *problem, const tp_system *system, int set)
{
    int index = problem->law[set];
    const tp_law *law = index < system->law_count ? tp_system_law(system, index) : NULL;
    return law != NULL && tp_law_has_static(law) ? law : NULL;
}

/* (2): laws that stick begin with their static bound; false: there are none. */
static bool choose_bounds(tp_stepper *stepper, const tp_static_step *step)
{
    tp_step_problem *problem = stepper->problem;
    bool has_static = false;
    for (int i = 0; i < problem->problem.set_count; i++) {
        if (law_of(problem, stepper->system, i) == NULL) continue;
        bool is_static = tp_law_stuck(stepper, step, problem->law[i]);
        tp_step_problem_bound(problem, stepper->system, i, is_static, step->dt);
        has_static = has_static || is_static;
    }
    return has_static;
}

/* Has a set of the problem its static bound, and lies on it? */
static bool is_on_static(const tp_step_problem *problem, const tp_system *system, int set, double share)
{
    return law_of(problem, system, set) != NULL && problem->is_static[problem->law[set]] &&
           tp_set_is_on_bound(&problem->problem.sets[set], problem->P, share);
}

bool tp_static_release(tp_step_problem *problem, const tp_system *system, double share, double dt)
{
    bool has_changed = false;
    for (int i = 0; i < problem->problem.set_count; i++) {
        if (!is_on_static(problem, system, i, share)) continue;
        tp_step_problem_bound(problem, system, i, false, dt);
        has_changed = true;
    }
    return has_changed;
}

/* (3): laws of the solved step that lie on their static bound and slip. */
static bool release_slips(tp_stepper *stepper, const tp_static_step *step)
{
    tp_step_problem *problem = stepper->problem;
    double share = tp_boundary_share(stepper->options);
    bool has_changed = false;
    for (int i = 0; i < problem->problem.set_count; i++) {
        const double *P = problem->P + problem->problem.sets[i].first;
        if (!is_on_static(problem, stepper->system, i, share) ||
            tp_law_is_at_rest(stepper, problem->law[i],
                              &(tp_law_motion){.u = step->u, .x = stepper->x, .M = step->M, .P = P}))
            continue;
        tp_step_problem_bound(problem, stepper->system, i, false, step->dt);
        has_changed = true;
    }
    return has_changed;
}

tp_status tp_static_solve(tp_stepper *stepper, const tp_static_step *step, tp_step_report *report)
{
    bool has_static = choose_bounds(stepper, step);
    tp_status status = step->solve(step->self, report);
    while (has_static && tp_stepper_accepts(stepper, status) && release_slips(stepper, step))
        status = step->solve(step->self, report);
    return status;
}
