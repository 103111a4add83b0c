/* One instant; docs/theory/event-driven.md (11)-(14). */
#include "event_instant.h"

#include "impact.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tp_status tp_instant_take(tp_phase *phase, tp_arena *arena, tp_instant *out)
{
    size_t laws = (size_t)phase->stepper->problem->capacity_sets + 1, rows = (size_t)phase->room;
    *out = (tp_instant){.phase = phase, .room = (int)laws, .last_time = -INFINITY};
    out->takes_part = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->closing = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->touches = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->is_loose = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->decree = TP_ARENA_ARRAY(arena, signed char, laws);
    TP_ARENA_DOUBLES(arena, laws * TP_LAW_ROWS, &out->before, &out->after, &out->impulse, &out->gamma_before,
                     &out->answer, &out->reference, &out->force_before);
    out->u = TP_ARENA_ARRAY(arena, double, phase->n);
    TP_ARENA_DOUBLES(arena, rows, &out->c, &out->P);
    out->stop_after = TP_ARENA_ARRAY(arena, double, laws);
    out->joints = TP_ARENA_ARRAY(arena, double, rows *(rows + (size_t)phase->n + 1));
    out->event_room = 4 * (int)laws + 8;
    out->events = TP_ARENA_ARRAY(arena, tp_integrator_event, out->event_room);
    tp_problem *p = &out->problem;
    p->sets = TP_ARENA_ARRAY(arena, tp_set, rows);
    p->b = TP_ARENA_ARRAY(arena, double, rows);
    p->f = TP_ARENA_ARRAY(arena, double, 1);
    TP_ARENA_INTS(arena, rows + 1, &p->D.first, &p->D.start);
    p->D.column = TP_ARENA_ARRAY(arena, int, rows *rows);
    p->D.diagonal = TP_ARENA_ARRAY(arena, int, rows);
    p->D.offset = TP_ARENA_ARRAY(arena, size_t, rows * rows + 1);
    p->D.value = TP_ARENA_ARRAY(arena, double, rows *rows + 1);
    TP_ARENA_INTS(arena, rows + 1, &p->M.start, &p->A.start);
    p->M.index = p->A.index = TP_ARENA_ARRAY(arena, int, 1);
    p->M.value = p->A.value = TP_ARENA_ARRAY(arena, double, 1);
    p->Ct = p->A;
    snprintf(p->kind, sizeof p->kind, "local");
    return tp_arena_status(arena);
}

/* ---- impacts ---- */

/* The contacts that touch; (11). */
static void find_touching(tp_instant *instant, int count, const tp_trigger *triggers)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *gamma = instant->gamma_before + (size_t)i * TP_LAW_ROWS;
        double *mode = tp_phase_mode(phase, i);
        instant->touches[i] = instant->closing[i] = 0;
        if (tp_phase_has_normal(law) && !isfinite(tp_system_law_position(system, i))) continue;
        tp_phase_velocities(phase, i, gamma);
        if (!tp_phase_has_normal(law)) continue;
        double gap = tp_system_law_position(system, i) - mode[TP_LAW_OFFSET];
        double near =
            fmax(tp_event_gap * phase->scale.length, -gamma[0] * tp_event_together * phase->scale.time);
        bool touches = mode[TP_LAW_MODE] != TP_MODE_OPEN || gap <= near;
        for (int k = 0; k < count; k++) touches |= triggers[k].kind == TP_FALLS_GAP && triggers[k].law == i;
        instant->touches[i] = touches;
    }
}

static bool approaches(tp_instant *instant, int law, double *gamma)
{
    tp_phase_velocities(instant->phase, law, gamma);
    return gamma[0] < -tp_event_no_velocity * instant->phase->scale.velocity;
}

/* Newton's law for all contacts that touch and do not part, again while others are struck; (12). */
static tp_status strike(tp_instant *instant, double t, const double *q, double *u, bool *has_impact_out,
                        tp_step_report *report)
{
    tp_stepper *stepper = instant->phase->stepper;
    tp_system *system = tp_instant_system(instant);
    double gamma[TP_LAW_ROWS], none = tp_event_no_velocity * instant->phase->scale.velocity;
    *has_impact_out = false;
    for (int pass = 0; pass < TP_EVENT_CASCADE_MAX; pass++) {
        bool strikes = false;
        tp_system_move(system, t, q, u);
        for (int i = 0; i < system->law_count; i++) {
            const tp_law *law = tp_system_law(system, i);
            instant->takes_part[i] = law->set.kind == TP_SET_FREE;
            if (!instant->touches[i]) continue;
            strikes |= approaches(instant, i, gamma);
            instant->closing[i] |= approaches(instant, i, gamma);
            instant->takes_part[i] = gamma[0] <= none;
        }
        if (!strikes) return TP_OK;
        *has_impact_out = true;
        const tp_impact impact = {.takes_part = instant->takes_part};
        tp_status status = tp_impact_solve(stepper, &impact, u, instant->impulse, report);
        if (!tp_stepper_accepts(stepper, status)) {
            if (stepper->cause[0] == '\0')
                snprintf(stepper->cause, sizeof stepper->cause, "the impact at t = %.12g s has no solution",
                         t);
            return status;
        }
    }
    snprintf(instant->phase->stepper->cause, sizeof instant->phase->stepper->cause,
             "more than %d impacts at t = %.12g s", TP_EVENT_CASCADE_MAX, t);
    return TP_NOT_CONVERGED;
}

/* ---- what happened ---- */

static void record(tp_instant *instant, double t, int law, tp_event_kind kind)
{
    const tp_law *of = tp_system_law(tp_instant_system(instant), law);
    size_t first = (size_t)law * TP_LAW_ROWS, bytes = (size_t)of->row_count * sizeof(double);
    if (instant->event_count == instant->event_room) return;
    tp_integrator_event *event = &instant->events[instant->event_count++];
    *event = (tp_integrator_event){.time = t, .kind = kind, .law = law};
    memcpy(event->impulse, instant->impulse + first, bytes);
    memcpy(event->before, instant->gamma_before + first, bytes);
    tp_phase_velocities(instant->phase, law, event->after);
    if (kind == TP_EVENT_STICK) event->time += instant->stop_after[law];
}

/* A slip in space is stopped where it is slow: how much later it would have ended; (16a). */
static void find_stops(tp_instant *instant, int count, const tp_trigger *triggers)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    for (int i = 0; i < system->law_count; i++) instant->stop_after[i] = 0.0;
    for (int i = 0; i < count; i++) {
        int index = triggers[i].law;
        if (triggers[i].kind != TP_FALLS_SLIP) continue;
        const tp_law *law = tp_system_law(system, index);
        double gamma[TP_LAW_ROWS], slowing = 0.0;
        int rows = tp_phase_friction_rows(law), first = tp_phase_has_normal(law) ? 1 : 0;
        if (rows < 2) continue;
        for (int k = 0; k < rows; k++)
            slowing -= phase->slide[index * 3 + k] * tp_phase_row_acceleration(phase, index, first + k, NULL);
        tp_phase_velocities(phase, index, gamma);
        if (slowing > 0.0) instant->stop_after[index] = tp_phase_slip_speed(law, gamma) / slowing;
    }
}

/* Events of a law from its modes before and after; (16). */
static void record_modes(tp_instant *instant, double t, int law)
{
    const tp_law *of = tp_system_law(tp_instant_system(instant), law);
    const double *before = instant->before + (size_t)law * TP_LAW_ROWS,
                 *now = tp_phase_mode(instant->phase, law), *impulse = instant->impulse + law * TP_LAW_ROWS;
    if (of->set.kind == TP_SET_BOX) {
        for (int k = 0; k < of->row_count; k++) {
            if (before[k] != now[k]) record(instant, t, law, now[k] == 0.0 ? TP_EVENT_STICK : TP_EVENT_SLIP);
        }
        return;
    }
    double was = before[TP_LAW_MODE], is = now[TP_LAW_MODE];
    bool was_open = tp_phase_has_normal(of) && was == TP_MODE_OPEN,
         is_open = tp_phase_has_normal(of) && is == TP_MODE_OPEN;
    bool is_struck =
        tp_phase_has_normal(of) && impulse[0] > 0.0 && (instant->closing[law] || law == instant->struck_law);
    if (is_struck) record(instant, t, law, TP_EVENT_IMPACT);
    if (was_open && !is_open && !is_struck) record(instant, t, law, TP_EVENT_CLOSING);
    if (!was_open && is_open) record(instant, t, law, TP_EVENT_OPENING);
    if (was_open || is_open) return;
    bool turned = false;
    for (int k = 0; k < 3; k++) turned |= now[TP_LAW_DIRECTION + k] * before[TP_LAW_DIRECTION + k] < 0.0;
    if (tp_mode_is_slip(is) && (!tp_mode_is_slip(was) || (turned && tp_phase_friction_rows(of) == 1)))
        record(instant, t, law, TP_EVENT_SLIP);
    else if (tp_mode_is_slip(was) && is == TP_MODE_CLOSED)
        record(instant, t, law, TP_EVENT_STICK);
    else if ((was == TP_MODE_IDLE) != (is == TP_MODE_IDLE))
        record(instant, t, law, TP_EVENT_REDISTRIBUTION);
}

/* ---- the instant ---- */

/* Decrees for functions that have fallen to 0; true: nothing but the direction of a slip changes. */
static bool read_triggers(tp_instant *instant, int count, const tp_trigger *triggers)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    bool is_small = count > 0;
    memset(instant->decree, TP_NO_DECREE, (size_t)system->law_count);
    for (int i = 0; i < count; i++) {
        int law = triggers[i].law;
        if (triggers[i].kind == TP_FALLS_SWITCH) {
            phase->switches.sign[law] *= -1.0;
            continue;
        }
        const tp_law *of = tp_system_law(system, law);
        double *mode = tp_phase_mode(phase, law), *force = tp_phase_force(phase, law);
        switch (triggers[i].kind) {
        case TP_FALLS_FORCE: instant->decree[law] = TP_DECREE_OPEN; break;
        case TP_FALLS_RIM: {
            int first = tp_phase_has_normal(of) ? 1 : 0, rows = tp_phase_friction_rows(of);
            double s[3] = {0.0}, norm;
            for (int k = 0; k < rows; k++) {
                double axis = tp_phase_friction_axis(of, k);
                s[k] = -force[first + k] / (axis * axis);
            }
            norm = tp_dense_norm(rows, s);
            for (int k = 0; k < rows && norm > 0.0; k++) mode[TP_LAW_DIRECTION + k] = s[k] / norm;
            if (instant->decree[law] == TP_NO_DECREE && norm > 0.0) instant->decree[law] = TP_DECREE_SLIP;
            break;
        }
        case TP_FALLS_START: mode[TP_LAW_MODE] = TP_MODE_SLIP; continue;
        case TP_FALLS_SWITCH: break;
        case TP_FALLS_RATE:
            if (tp_system_law_position(system, law) - mode[TP_LAW_OFFSET] >
                tp_event_gap * phase->scale.length)
                continue;
            break;
        case TP_FALLS_GAP:
        case TP_FALLS_LOWER:
        case TP_FALLS_UPPER:
        case TP_FALLS_SLIP:
        case TP_FALLS_PAINLEVE: break;
        }
        is_small = false;
    }
    return is_small;
}

static tp_status watch_progress(tp_instant *instant, double t)
{
    tp_stepper *stepper = instant->phase->stepper;
    bool is_same = t - instant->last_time <= tp_event_no_progress * instant->phase->scale.time;
    instant->stalled = is_same ? instant->stalled + 1 : 0;
    instant->last_time = t;
    if (instant->stalled < TP_EVENT_STALLED_MAX) return TP_OK;
    snprintf(stepper->cause, sizeof stepper->cause, "%d events at t = %.12g s without progress of time",
             TP_EVENT_STALLED_MAX, t);
    return TP_NOT_CONVERGED;
}

/* What a trial at rest must keep: hops that stay closed, slips that stick. */
enum { NO_PART, PART_HOPS, PART_SLIPS };

/* All velocities below a limit [V] are set to 0 on trial: whether hops stay closed and slips
   stick. If not, u and modes are as before; (17), (17a). */
static tp_status try_rest(tp_instant *instant, double t, const double *q, double *u, double limit,
                          bool *is_ended_out, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    size_t modes = (size_t)tp_instant_system(instant)->law_count * TP_LAW_ROWS * sizeof(double);
    bool all = true;
    memcpy(instant->u, u, (size_t)phase->n * sizeof(double));
    tp_status status = tp_instant_settle(instant, t, q, u, limit * phase->scale.velocity, report);
    for (int i = 0; i < tp_instant_system(instant)->law_count && status == TP_OK; i++) {
        double mode = tp_phase_mode(phase, i)[TP_LAW_MODE];
        if (instant->takes_part[i] == PART_HOPS) all &= mode != TP_MODE_OPEN;
        if (instant->takes_part[i] == PART_SLIPS) all &= !tp_mode_is_slip(mode);
    }
    *is_ended_out = status == TP_OK && all;
    if (*is_ended_out) return TP_OK;
    phase->stepper->cause[0] = '\0';
    memcpy(u, instant->u, (size_t)phase->n * sizeof(double));
    memcpy(phase->mode, instant->before, modes);
    return TP_OK;
}

/* Impacts of the last hops end; (17). */
static tp_status end_hops(tp_instant *instant, double t, const double *q, double *u, bool *is_ended_out,
                          tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    double V = phase->scale.velocity, gamma[TP_LAW_ROWS];
    bool hops = false;
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        instant->takes_part[i] = NO_PART;
        if (!instant->touches[i]) continue;
        tp_phase_velocities(phase, i, gamma);
        if (!(gamma[0] > tp_event_no_velocity * V && gamma[0] <= tp_event_last_hop * V)) continue;
        instant->takes_part[i] = PART_HOPS;
        hops = true;
    }
    *is_ended_out = false;
    return hops ? try_rest(instant, t, q, u, tp_event_last_hop, is_ended_out, report) : TP_OK;
}

/* A slip in space that ends takes all others with it that are as slow: those of one body end together, each
   at a speed of its own; (17a). */
static tp_status end_slips(tp_instant *instant, double t, const double *q, double *u, int count,
                           const tp_trigger *triggers, bool *is_ended_out, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    double V = phase->scale.velocity, gamma[TP_LAW_ROWS],
           limit = fmax(tp_event_last_hop, 2.0 * phase->scale.stop);
    bool slips = false;
    *is_ended_out = false;
    for (int k = 0; k < count; k++) {
        if (triggers[k].kind == TP_FALLS_RIM || triggers[k].kind == TP_FALLS_START) return TP_OK;
    }
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double mode = tp_phase_mode(phase, i)[TP_LAW_MODE];
        instant->takes_part[i] = NO_PART;
        if (tp_phase_friction_rows(law) == 0 || !(tp_mode_is_slip(mode) || mode == TP_MODE_IDLE)) continue;
        tp_phase_velocities(phase, i, gamma);
        if (tp_phase_slip_speed(law, gamma) > limit * V) continue;
        instant->takes_part[i] = PART_SLIPS;
        slips |= mode == TP_MODE_SLIP && tp_phase_friction_rows(law) > 1;
    }
    return slips ? try_rest(instant, t, q, u, limit, is_ended_out, report) : TP_OK;
}

void tp_instant_reserve(tp_instant *instant, double t, const double *q, double *u, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    const tp_impact impact = {.takes_part = instant->takes_part};
    memset(instant->impulse, 0, (size_t)system->law_count * TP_LAW_ROWS * sizeof(double));
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        bool is_near = !tp_phase_has_normal(law) || isfinite(tp_system_law_position(system, i));
        instant->takes_part[i] = is_near;
        if (law->set.kind != TP_SET_BOX)
            tp_phase_mode(phase, i)[TP_LAW_MODE] = is_near ? TP_MODE_CLOSED : TP_MODE_OPEN;
    }
    tp_impact_solve(phase->stepper, &impact, u, instant->impulse, report);
    tp_instant_accelerations(instant, t, q, u, report);
}

/* A sliding contact that approaches a state without accelerations. */
static tp_status lose_acceleration(tp_instant *instant, double t, const double *q, double *u, int law,
                                   tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    int r = phase->joint_rows;
    while (r + 1 < phase->row_count && phase->row_law[r] != law) r++;
    tp_status status =
        tp_instant_stop_at_painleve(instant, r, t, 1, tp_event_painleve * phase->inverse_mass[law]);
    if (!phase->stepper->options->event.strikes) return status;
    return tp_instant_strike_without_collision(instant, t, q, u, report);
}

/* New modes; where a contact has no acceleration, after an impact without collision if the options ask for
 * it.
 */
static tp_status settle_or_strike(tp_instant *instant, double t, const double *q, double *u, double rest,
                                  tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_status status = tp_instant_settle(instant, t, q, u, rest, report);
    if (status != TP_INFEASIBLE || instant->painleve_law < 0 || !phase->stepper->options->event.strikes)
        return status;
    TP_TRY(tp_instant_strike_without_collision(instant, t, q, u, report));
    return tp_instant_settle(instant, t, q, u, rest, report);
}

tp_status tp_instant_pass(tp_instant *instant, double t, double *q, double *u, int count,
                          const tp_trigger *triggers, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    size_t bytes = (size_t)system->law_count * TP_LAW_ROWS * sizeof(double);
    TP_TRY(watch_progress(instant, t));
    TP_TRY(tp_phase_evaluate(phase, t, q, u));
    memset(instant->impulse, 0, bytes);
    memcpy(instant->before, phase->mode, bytes);
    memcpy(instant->force_before, phase->force, bytes);
    instant->was_dependent = phase->is_dependent;
    instant->painleve_law = instant->struck_law = -1;
    for (int i = 0; i < count; i++) {
        if (triggers[i].kind == TP_FALLS_PAINLEVE)
            TP_TRY(lose_acceleration(instant, t, q, u, triggers[i].law, report));
    }
    find_stops(instant, count, triggers);
    instant->is_small = read_triggers(instant, count, triggers);
    if (instant->is_small) return TP_OK;
    find_touching(instant, count, triggers);
    bool has_impact, is_ended = false, is_stopped = false;
    double rest = tp_event_no_velocity * phase->scale.velocity;
    TP_TRY(strike(instant, t, q, u, &has_impact, report));
    if (has_impact) memset(instant->decree, TP_NO_DECREE, (size_t)system->law_count);
    if (has_impact) TP_TRY(end_hops(instant, t, q, u, &is_ended, report));
    if (!has_impact) TP_TRY(end_slips(instant, t, q, u, count, triggers, &is_stopped, report));
    if (!is_ended && !is_stopped) TP_TRY(settle_or_strike(instant, t, q, u, rest, report));
    for (int i = 0; i < system->law_count;
         i++) { /* a gap that was below 0 at the start is free when it opens */
        double *mode = tp_phase_mode(phase, i);
        if (tp_phase_has_normal(tp_system_law(system, i)) && mode[TP_LAW_MODE] == TP_MODE_OPEN &&
            tp_system_law_position(system, i) > 0.0)
            mode[TP_LAW_OFFSET] = 0.0;
    }
    TP_TRY(tp_phase_project(phase, t, q, u));
    TP_TRY(tp_instant_choose_forces(instant, t, q, u));
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        tp_set_kind kind = tp_system_law(system, i)->set.kind;
        if (kind == TP_SET_FREE || kind == TP_SET_ZERO) continue;
        record_modes(instant, t, i);
        if (is_ended && instant->takes_part[i]) record(instant, t, i, TP_EVENT_ACCUMULATION);
    }
    for (int i = 0; i < count; i++) { /* friction at its edge whose force others took over */
        if (triggers[i].kind != TP_FALLS_RIM) continue;
        bool stuck = instant->before[(size_t)triggers[i].law * TP_LAW_ROWS] == TP_MODE_CLOSED,
             sticks = tp_phase_mode(phase, triggers[i].law)[TP_LAW_MODE] == TP_MODE_CLOSED;
        if (stuck && sticks) record(instant, t, triggers[i].law, TP_EVENT_REDISTRIBUTION);
    }
    return TP_OK;
}
