/* Which laws of a generalized-alpha step act on which level, at the present point or in a case;
   theory/generalized-alpha.md (8)-(10), (13). */
#include "accelerations.h"
#include "alpha_step.h"
#include "static_friction.h"
#include "tolerances.h"

#include <string.h>

/* What counts as no velocity of a row, as an acceleration. At rest its terms are rounding themselves, that of
   accelerations that cancel in the step. */
static double rest_of(const tp_alpha_step *step, const tp_alpha_law *own, int k)
{
    const tp_system *system = step->stepper->system;
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    const double *W = step->W + own->place + (size_t)(k * count);
    double size = fabs(step->chi[own->row + k]) + tp_row_size(count, columns, W, step->u) +
                  tp_row_size(count, columns, W, step->from->u);
    size = (step->is_start ? tp_alpha_given_rest : tp_alpha_rest) * size / step->dt;
    return step->is_start ? size : size + tp_alpha_rest * step->xi_scale;
}

/* Does p - r xi of the rows of a group lie inside the set, the other rows apart? */
static bool is_inside(const tp_alpha_step *step, const tp_alpha_law *own, const double *P, int group)
{
    const tp_set *set = &own->own[TP_ALPHA_VELOCITY];
    const double *p = P + own->first[TP_ALPHA_VELOCITY];
    double z[TP_LAW_ROWS] = {0.0};
    for (int k = 0; k < set->size; k++) {
        if (tp_slip_group(set, k) == group) z[k] = p[k] - own->r[k] * tp_alpha_impact_velocity(step, own, k);
        if (set->kind == TP_SET_ORTHANT && tp_slip_group(set, k) == group) return z[k] >= 0.0;
        if (set->kind == TP_SET_BOX && tp_slip_group(set, k) == group)
            return z[k] >= set->parameter[2 * k] && z[k] <= set->parameter[2 * k + 1];
    }
    if (set->kind == TP_SET_CONTACT || set->kind == TP_SET_CONE) z[0] = fmax(p[0], 0.0);
    return tp_set_contains(set, tp_set_scale(set, P), z, 0.0);
}

/* Directions of rows that slip or run: of their velocities, or against their multipliers where these vanish.
 */
static void find_slides(const tp_alpha_step *step, tp_alpha_law *own, const double *P)
{
    const tp_set *set = &own->own[TP_ALPHA_ACCELERATION];
    int first = tp_alpha_is_contact(tp_alpha_law_of(step, own)) ? 1 : 0;
    memset(own->slide, 0, sizeof own->slide);
    memset(own->speed, 0, sizeof own->speed);
    own->sticks = true;
    for (int k = first; k < set->size && set->kind != TP_SET_FREE; k++) {
        int group = tp_slip_group(set, k);
        double norm = 0.0, push = 0.0, none = 0.0;
        for (int i = 0; i < set->size; i++) {
            if (tp_slip_group(set, i) != group) continue;
            norm = hypot(norm, step->gamma[own->row + i] / step->dt);
            if (!step->is_start) push = hypot(push, P[own->first[TP_ALPHA_VELOCITY] + i]);
            none = fmax(none, rest_of(step, own, i));
        }
        bool holds = step->is_start ? norm <= none : is_inside(step, own, P, group);
        if (own->held != TP_ALPHA_AS_FOUND) holds = own->held != TP_ALPHA_SLIPS;
        if (holds) continue;
        own->sticks = false;
        if (set->kind == TP_SET_ORTHANT && step->gamma[own->row + k] < 0.0) continue; /* it will jump */
        if (norm > none) {
            own->slide[k] = step->gamma[own->row + k] / step->dt / norm;
            own->speed[k] = norm * step->dt;
        } else if (push > own->r[k] * none) {
            own->slide[k] = -P[own->first[TP_ALPHA_VELOCITY] + k] / push;
        }
    }
}

/* (13b): gaps, and velocities of contacts that close by their start. */
static void choose_loose(tp_alpha_step *step, tp_alpha_law *own)
{
    own->is_closed = own->closes_loose;
    own->is_pressed = false;
    tp_step_problem_switch(step->problem, own->set[TP_ALPHA_VELOCITY], &own->own[TP_ALPHA_VELOCITY],
                           own->is_closed);
}

void tp_alpha_laws_bind(tp_alpha_step *step)
{
    tp_system *system = step->stepper->system;
    const tp_static_step at = {.from = step->from, .dt = step->dt, .u = step->from->u, .M = step->M};
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        step->is_static[i] = 0;
        if (!tp_law_has_static(law)) continue;
        if (tp_alpha_is_contact(law) && !isfinite(tp_system_law_position(system, i)))
            continue; /* not there */
        step->is_static[i] = step->is_start || tp_law_stuck(step->stepper, &at, i);
    }
}

/* Does friction not slip at an answer, or not begin to at a start? */
static bool is_at_rest(const tp_alpha_step *step, const tp_alpha_law *own)
{
    int rows = tp_alpha_law_of(step, own)->row_count, first = tp_alpha_is_contact(tp_alpha_law_of(step, own));
    double P[TP_LAW_ROWS];
    if (!step->is_start) {
        for (int k = 0; k < rows; k++) P[k] = step->dt * step->problem->P[own->first[TP_ALPHA_VELOCITY] + k];
        return tp_law_is_at_rest(step->stepper, own->law,
                                 &(tp_law_motion){.u = step->u, .M = step->M, .P = P});
    }
    for (int k = first; k < rows; k++) {
        double none = tp_boundary_share(step->stepper->options) * step->xi_scale;
        if (fabs(step->gamma_rate[own->row + k]) > none) return false;
    }
    return true;
}

bool tp_alpha_laws_release(tp_alpha_step *step)
{
    const tp_problem *problem = &step->problem->problem;
    int level = step->is_start ? TP_ALPHA_ACCELERATION : TP_ALPHA_VELOCITY;
    double share = tp_boundary_share(step->stepper->options);
    bool has_changed = false;
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        bool is_on = own->is_closed && (own->sticks || !step->is_start);
        if (!step->is_static[own->law] || !is_on) continue;
        if (!tp_set_is_on_bound(&problem->sets[own->set[level]], step->problem->P, share)) continue;
        if (is_at_rest(step, own)) continue;
        step->is_static[own->law] = 0;
        has_changed = true;
    }
    return has_changed;
}

/* The law on accelerations: with the static bound for friction that sticks at this point; (10b). */
static void switch_accelerations(tp_alpha_step *step, const tp_alpha_law *own)
{
    const tp_law *law = tp_alpha_law_of(step, own);
    tp_set set = own->own[TP_ALPHA_ACCELERATION];
    bool is_static = tp_law_has_static(law) && own->sticks && (!step->is_start || step->is_static[own->law]);
    if (!tp_alpha_is_contact(law) && !tp_law_has_static(law)) return;
    if (is_static) tp_set_scale_friction(&set, law->static_ratio);
    tp_step_problem_switch(step->problem, own->set[TP_ALPHA_ACCELERATION], &set, own->is_pressed);
}

void tp_alpha_laws_choose(tp_alpha_step *step, const double *P)
{
    for (int i = 0; i < step->law_count; i++) {
        tp_alpha_law *own = &step->laws[i];
        bool is_gap = tp_alpha_is_contact(tp_alpha_law_of(step, own));
        own->is_closed = own->is_pressed = true;
        if (own->is_loose) {
            choose_loose(step, own);
        } else if (is_gap) {
            double gap = step->g[own->row] - tp_stepper_closing_gap(step->stepper, own->law);
            double velocity =
                (step->is_start ? step->gamma[own->row] / step->dt : tp_alpha_impact_velocity(step, own, 0)) -
                rest_of(step, own, 0);
            double k = step->is_start ? 0.0 : P[own->first[TP_ALPHA_POSITION]],
                   p = step->is_start ? 0.0 : P[own->first[TP_ALPHA_VELOCITY]];
            bool presses = velocity <= 0.0 || p > own->r[0] * velocity;
            own->is_closed = gap <= 0.0 || k > own->r[0] * gap / (step->dt * step->dt) ||
                             (step->is_latched && own->was_closed);
            if (own->held != TP_ALPHA_AS_FOUND) {
                own->is_closed = own->held != TP_ALPHA_OPEN;
                presses = own->held != TP_ALPHA_LEAVES;
            }
            own->was_closed = own->was_closed || own->is_closed;
            own->is_pressed = own->is_closed && own->is_exact && presses;
            if (!step->is_start)
                tp_step_problem_switch(step->problem, own->set[TP_ALPHA_VELOCITY],
                                       &own->own[TP_ALPHA_VELOCITY], own->is_closed);
        }
        find_slides(step, own, P);
        switch_accelerations(step, own);
    }
}

bool tp_alpha_laws_hold(tp_alpha_step *step, int number)
{
    int rest = number;
    for (int i = 0; i < step->law_count; i++) {
        tp_alpha_law *own = &step->laws[i];
        const tp_law *law = tp_alpha_law_of(step, own);
        own->held = TP_ALPHA_AS_FOUND;
        if (!tp_alpha_is_contact(law) || number < 0) continue;
        int states = law->row_count > 1 ? TP_ALPHA_SLIPS : TP_ALPHA_LEAVES;
        own->held = (tp_alpha_case)(TP_ALPHA_OPEN + rest % states);
        rest /= states;
    }
    return rest <= 0;
}
