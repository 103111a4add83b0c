/* Functions that are positive while the modes of a phase are valid; docs/theory/event-driven.md (10). */
#include "event_phase.h"

#include "math/dense.h"

#include <math.h>

static double static_ratio(const tp_law *law)
{
    return tp_law_has_static(law) ? law->static_ratio : 1.0;
}

/* What the multipliers of a friction set fill of it while it sticks: at 1 they are on its edge. */
static double fill_of(const tp_law *law, const double *friction)
{
    double sum = 0.0;
    for (int k = 0; k < tp_phase_friction_rows(law); k++)
        sum = hypot(sum, friction[k] / tp_phase_friction_axis(law, k));
    return sum / static_ratio(law);
}

static double normal_force(tp_phase *phase, int law)
{
    return tp_phase_force(phase, law)[0] * phase->inverse_mass[law] / phase->scale.acceleration;
}

double tp_phase_rim(tp_phase *phase, int index)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    const double *force = tp_phase_force(phase, index);
    if (!tp_phase_has_normal(law)) return 1.0 - fill_of(law, force);
    return (force[0] - fill_of(law, force + 1)) * law->set.parameter[0] * static_ratio(law) *
           phase->inverse_mass[index] / phase->scale.acceleration;
}

/* Distance of the force of a box from a bound, times the largest finite one. */
static double room(tp_phase *phase, int index, int row, bool upper)
{
    const double *bound = tp_system_law(phase->stepper->system, index)->set.parameter + 2 * row;
    double size = fmax(isfinite(bound[0]) ? fabs(bound[0]) : 0.0, isfinite(bound[1]) ? fabs(bound[1]) : 0.0),
           P = tp_phase_force(phase, index)[row];
    if (!isfinite(bound[upper])) return 1.0;
    return (upper ? bound[1] - P : P - bound[0]) / (size > 0.0 ? size : 1.0);
}

static double slip(tp_phase *phase, const tp_event_function *f)
{
    const tp_law *law = tp_system_law(phase->stepper->system, f->law);
    double gamma[TP_LAW_ROWS], along = 0.0, V = phase->scale.velocity;
    int first = tp_phase_has_normal(law) ? 1 : 0, count = tp_phase_friction_rows(law);
    const double *mode = tp_phase_mode(phase, f->law);
    tp_phase_velocities(phase, f->law, gamma);
    if (law->set.kind == TP_SET_BOX) return -mode[f->row] * gamma[f->row] / V;
    if (f->kind == TP_FALLS_START) return phase->scale.start - tp_phase_slip_speed(law, gamma) / V;
    if (count > 1 && mode[TP_LAW_MODE] == TP_MODE_SLIP)
        return tp_phase_slip_speed(law, gamma) / V - phase->scale.stop;
    for (int k = 0; k < count; k++) along += mode[TP_LAW_DIRECTION + k] * gamma[first + k];
    return along / V;
}

/* Normal acceleration per normal force of a sliding contact, joints eliminated, over that without friction;
   (14). */
static double painleve(tp_phase *phase, int law)
{
    int m = phase->row_count, nj = phase->joint_rows, r = 0;
    while (r < m && phase->row_law[r] != law) r++;
    if (r == m) return 1.0;
    double own = tp_phase_coupling(phase, r, r), plain = phase->D[r];
    if (nj > 0) {
        double *y = phase->P; /* free again: forces are kept by law */
        for (int i = 0; i < nj; i++)
            for (int j = 0; j < nj; j++) phase->G[i + j * nj] = tp_phase_coupling(phase, i, j);
        if (tp_dense_lu(nj, phase->G, nj, phase->pivot, tp_event_joint_pivot) != TP_OK) return 1.0;
        for (int i = 0; i < nj; i++) y[i] = tp_phase_coupling(phase, i, r);
        tp_dense_lu_solve(nj, phase->G, nj, phase->pivot, y);
        for (int i = 0; i < nj; i++) own -= y[i] * tp_phase_coupling(phase, r, i);
        for (int i = 0; i < nj; i++) y[i] = phase->work[i] = tp_phase_coupling(phase, r, i);
        tp_dense_lu_solve(nj, phase->G, nj, phase->pivot, y);
        double taken = 0.0;
        for (int i = 0; i < nj; i++) taken += y[i] * phase->work[i];
        plain -= taken;
    }
    return plain > 0.0 ? own / plain - tp_event_painleve : 1.0;
}

static double value_of(tp_phase *phase, const tp_event_function *f)
{
    tp_system *system = phase->stepper->system;
    double gamma[TP_LAW_ROWS];
    switch (f->kind) {
    case TP_FALLS_GAP: {
        double gap = tp_system_law_position(system, f->law);
        return isfinite(gap) ? (gap - tp_phase_mode(phase, f->law)[TP_LAW_OFFSET]) / phase->scale.length
                             : 1.0;
    }
    case TP_FALLS_RATE:
        if (!isfinite(tp_system_law_position(system, f->law))) return 1.0;
        tp_phase_velocities(phase, f->law, gamma);
        return gamma[0] / phase->scale.velocity;
    case TP_FALLS_FORCE: return normal_force(phase, f->law);
    case TP_FALLS_RIM: return tp_phase_rim(phase, f->law);
    case TP_FALLS_LOWER: return room(phase, f->law, f->row, false);
    case TP_FALLS_UPPER: return room(phase, f->law, f->row, true);
    case TP_FALLS_SLIP:
    case TP_FALLS_START: return slip(phase, f);
    case TP_FALLS_PAINLEVE: return painleve(phase, f->law);
    case TP_FALLS_SWITCH: return phase->switches.value[f->law];
    }
    return 1.0;
}

tp_status tp_phase_values(tp_phase *phase, int count, const tp_event_function *list, double t,
                          const double *y, double *values_out)
{
    TP_TRY(tp_phase_evaluate(phase, t, y, y + phase->stepper->system->q_count));
    tp_switches_find(&phase->switches, phase->stepper->system);
    for (int i = 0; i < count; i++) values_out[i] = value_of(phase, &list[i]) + list[i].shift;
    return TP_OK;
}

static int add(tp_event_function *list, int count, tp_event_function_kind kind, int law, int row)
{
    list[count] = (tp_event_function){.kind = kind, .law = law, .row = row};
    return count + 1;
}

static int list_of_law(tp_phase *phase, int index, tp_event_function *list)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    const double *mode = tp_phase_mode(phase, index);
    int count = 0;
    if (law->set.kind == TP_SET_FREE || law->set.kind == TP_SET_ZERO) return 0;
    for (int k = 0; k < law->row_count && law->set.kind == TP_SET_BOX; k++) {
        if (mode[k] != 0.0) {
            count = add(list, count, TP_FALLS_SLIP, index, k);
        } else {
            count = add(list, count, TP_FALLS_LOWER, index, k);
            count = add(list, count, TP_FALLS_UPPER, index, k);
        }
    }
    if (law->set.kind == TP_SET_BOX) return count;
    bool has_friction = tp_phase_friction_rows(law) > 0;
    switch ((tp_contact_mode)mode[TP_LAW_MODE]) {
    case TP_MODE_OPEN:
        if (!tp_phase_has_normal(law)) return 0;
        return add(list, add(list, 0, TP_FALLS_GAP, index, 0), TP_FALLS_RATE, index, 0);
    case TP_MODE_IDLE: return 0;
    case TP_MODE_CLOSED:
    case TP_MODE_SLIP:
    case TP_MODE_START: break;
    }
    if (tp_phase_has_normal(law)) count = add(list, count, TP_FALLS_FORCE, index, 0);
    if (mode[TP_LAW_MODE] == TP_MODE_CLOSED)
        return has_friction ? add(list, count, TP_FALLS_RIM, index, 0) : count;
    count = add(list, count, TP_FALLS_SLIP, index, 0);
    if (mode[TP_LAW_MODE] == TP_MODE_START) count = add(list, count, TP_FALLS_START, index, 0);
    return tp_phase_has_normal(law) ? add(list, count, TP_FALLS_PAINLEVE, index, 0) : count;
}

/* Above which a function is armed, and how far below 0 one that is not counts. */
static double late(tp_event_function_kind kind, double *armed_out)
{
    double result = kind == TP_FALLS_GAP ? tp_event_late_gap
                    : kind == TP_FALLS_SLIP || kind == TP_FALLS_RATE || kind == TP_FALLS_START
                        ? tp_event_late_slip
                        : tp_event_late_force;
    *armed_out = kind == TP_FALLS_GAP ? tp_event_gap : kind == TP_FALLS_SWITCH ? 0.0 : result;
    return result;
}

int tp_phase_list_functions(tp_phase *phase, double t, const double *y, tp_event_function *list)
{
    const tp_system *system = phase->stepper->system;
    int count = 0, kept = 0;
    if (tp_phase_evaluate(phase, t, y, y + system->q_count) != TP_OK) return 0;
    for (int i = 0; i < system->law_count; i++) count += list_of_law(phase, i, list + count);
    for (int i = 0; i < phase->switches.count; i++) count = add(list, count, TP_FALLS_SWITCH, i, 0);
    tp_switches_find(&phase->switches, system);
    for (int i = 0; i < count; i++) {
        tp_event_function f = list[i];
        double armed, shift = late(f.kind, &armed), value = value_of(phase, &f);
        if (f.kind == TP_FALLS_RATE) { /* only of gaps that have not left 0 */
            const tp_event_function gap = {.kind = TP_FALLS_GAP, .law = f.law};
            if (value_of(phase, &gap) > tp_event_gap) continue;
        }
        if (value <= armed) f.shift = shift + fmax(0.0, -value);
        list[kept++] = f;
    }
    return kept;
}
