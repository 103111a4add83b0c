/* One instant; docs/theory/event-driven.md (11)-(14). */
#include "event_instant.h"

#include "impact.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Impacts at one instant, one after the other, and instants without progress of time. */
enum { CASCADE = 50, STALLED = 20 };

/* A normal row whose part that is independent of the closed ones is below this share depends on them. */
static const double dependent_row = 1e-9;

/* Progress of time [of the scale] below which instants count as one. */
static const double no_progress = 1e-14;

/* Ratio of the inertias of the rows of one friction in space; its direction turns at a rate that grows with
   it while the speed falls. */
static const double most_unlike = 1e3;

/* Friction of dependent rows whose edge is nearer than this [of the acceleration] may be an event at once. */
static const double edge_room = 1e-6;

enum { NO_DECREE, DECREE_OPEN, DECREE_SLIP };

tp_status tp_instant_take(tp_phase *phase, tp_arena *arena, tp_instant *out)
{
    size_t laws = (size_t)phase->stepper->problem->capacity_sets + 1, rows = (size_t)phase->room;
    *out = (tp_instant){.phase = phase, .room = (int)laws, .last_time = -INFINITY};
    out->takes_part = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->closing = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->touches = TP_ARENA_ARRAY(arena, unsigned char, laws);
    out->decree = TP_ARENA_ARRAY(arena, signed char, laws);
    out->before = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->impulse = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->gamma_before = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->u = TP_ARENA_ARRAY(arena, double, phase->n);
    out->c = TP_ARENA_ARRAY(arena, double, rows);
    out->P = TP_ARENA_ARRAY(arena, double, rows);
    out->answer = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->reference = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->force_before = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS);
    out->stop_after = TP_ARENA_ARRAY(arena, double, laws);
    out->joints = TP_ARENA_ARRAY(arena, double, rows *(rows + (size_t)phase->n + 1));
    out->event_room = 4 * (int)laws + 8;
    out->events = TP_ARENA_ARRAY(arena, tp_integrator_event, out->event_room);
    tp_problem *p = &out->problem;
    p->sets = TP_ARENA_ARRAY(arena, tp_set, rows);
    p->b = TP_ARENA_ARRAY(arena, double, rows);
    p->f = TP_ARENA_ARRAY(arena, double, 1);
    p->D.first = TP_ARENA_ARRAY(arena, int, rows + 1);
    p->D.start = TP_ARENA_ARRAY(arena, int, rows + 1);
    p->D.column = TP_ARENA_ARRAY(arena, int, rows *rows);
    p->D.diagonal = TP_ARENA_ARRAY(arena, int, rows);
    p->D.offset = TP_ARENA_ARRAY(arena, size_t, rows * rows + 1);
    p->D.value = TP_ARENA_ARRAY(arena, double, rows *rows + 1);
    p->M.start = TP_ARENA_ARRAY(arena, int, rows + 1);
    p->A.start = TP_ARENA_ARRAY(arena, int, rows + 1);
    p->M.index = p->A.index = TP_ARENA_ARRAY(arena, int, 1);
    p->M.value = p->A.value = TP_ARENA_ARRAY(arena, double, 1);
    p->Ct = p->A;
    snprintf(p->kind, sizeof p->kind, "local");
    return tp_arena_status(arena);
}

static bool is_slip(double mode)
{
    return mode == TP_MODE_SLIP || mode == TP_MODE_START;
}

static bool is_contact(const tp_law *law)
{
    return law->level == TP_LEVEL_GAP;
}

static tp_system *system_of(const tp_instant *instant)
{
    return instant->phase->stepper->system;
}

/* ---- impacts ---- */

/* The contacts that touch; (11). */
static void find_touching(tp_instant *instant, int count, const tp_trigger *triggers)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *gamma = instant->gamma_before + (size_t)i * TP_LAW_ROWS;
        double *mode = tp_phase_mode(phase, i);
        instant->touches[i] = instant->closing[i] = 0;
        if (is_contact(law) && !isfinite(tp_system_law_position(system, i))) continue;
        tp_phase_velocities(phase, i, gamma);
        if (!is_contact(law)) continue;
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
    tp_system *system = system_of(instant);
    double gamma[TP_LAW_ROWS], none = tp_event_no_velocity * instant->phase->scale.velocity;
    *has_impact_out = false;
    for (int pass = 0; pass < CASCADE; pass++) {
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
             "more than %d impacts at t = %.12g s", CASCADE, t);
    return TP_NOT_CONVERGED;
}

/* ---- accelerations ---- */

/* Modes to begin with: contacts that stay closed, and friction at rest as if it stuck. */
static void try_modes(tp_instant *instant, double tolerance, bool with_decrees)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    double gamma[TP_LAW_ROWS];
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *mode = tp_phase_mode(phase, i);
        if (law->set.kind == TP_SET_FREE || law->set.kind == TP_SET_ZERO) continue;
        if (is_contact(law) && !instant->touches[i]) continue;
        tp_phase_velocities(phase, i, gamma);
        for (int k = 0; k < law->row_count && law->set.kind == TP_SET_BOX; k++)
            mode[k] = fabs(gamma[k]) <= tolerance ? 0.0 : gamma[k] > 0.0 ? -1.0 : 1.0;
        if (law->set.kind == TP_SET_BOX) continue;
        bool stays = !is_contact(law) || fabs(gamma[0]) <= tolerance;
        if (with_decrees && instant->decree[i] == DECREE_OPEN) stays = false;
        mode[TP_LAW_MODE] = stays ? TP_MODE_CLOSED : TP_MODE_OPEN;
        int rows = tp_phase_friction_rows(law), first = is_contact(law) ? 1 : 0;
        double speed = tp_phase_slip_speed(law, gamma);
        double stop = rows > 1 ? fmax(tolerance, 2.0 * tp_event_stop * phase->scale.velocity) : tolerance;
        if (!stays || rows == 0) continue;
        if (with_decrees && instant->decree[i] == DECREE_SLIP) {
            mode[TP_LAW_MODE] = rows > 1 ? TP_MODE_START : TP_MODE_SLIP;
        } else if (speed > stop) {
            mode[TP_LAW_MODE] = TP_MODE_SLIP;
            for (int k = 0; k < rows; k++) mode[TP_LAW_DIRECTION + k] = gamma[first + k] / speed;
        }
        for (int k = 0; k < rows; k++) phase->slide[i * 3 + k] = mode[TP_LAW_DIRECTION + k];
    }
}

/* The set of the rows of a law that begin with row r; how many there are. */
static tp_set set_of(const tp_instant *instant, int r)
{
    const tp_phase *phase = instant->phase;
    int law = phase->row_law[r], k = phase->row_index[r];
    const tp_law *of = tp_system_law(system_of(instant), law);
    if (of->set.kind == TP_SET_BOX) {
        tp_set set = of->set;
        set.size = 1;
        memcpy(set.parameter, of->set.parameter + 2 * k, 2 * sizeof(double));
        return set;
    }
    bool sticks = tp_phase_mode(phase, law)[TP_LAW_MODE] == TP_MODE_CLOSED && tp_phase_friction_rows(of) > 0;
    return sticks ? of->set : tp_set_orthant(1);
}

/* Local form without joints: D = G - G_cj G_jj^-1 G_jc, b = c - G_cj G_jj^-1 c_j. */
static tp_status reduce(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_problem *p = &instant->problem;
    int m = phase->row_count, nj = phase->joint_rows, n = phase->n, mc = m - nj;
    const double *C = phase->C, *X = phase->X;
    double *Y = instant->joints; /* [nj (mc + 1)] G_jj^-1 (G_jc, c_j), scaled */
    for (int i = 0; i < nj; i++)
        for (int j = 0; j < nj; j++)
            phase->G_full[i + j * nj] = tp_phase_row_scale(phase, i) * tp_phase_row_scale(phase, j) *
                                        tp_dense_dot(n, C + (size_t)i * (size_t)n, X + (size_t)j * (size_t)n);
    for (int r = 0; r < m; r++)
        instant->c[r] = phase->b[r] + tp_dense_dot(n, C + (size_t)r * (size_t)n, phase->free);
    for (int j = 0; j <= mc && nj > 0; j++) {
        double *y = Y + (size_t)j * (size_t)nj;
        for (int i = 0; i < nj; i++) {
            const double *column = j < mc ? X + (size_t)(nj + j) * (size_t)n : NULL;
            y[i] = tp_phase_row_scale(phase, i) *
                   (column != NULL ? tp_dense_dot(n, C + (size_t)i * (size_t)n, column) : instant->c[i]);
        }
        TP_TRY(tp_phase_solve_scaled(phase, nj, y));
        for (int i = 0; i < nj; i++) y[i] *= tp_phase_row_scale(phase, i);
    }
    p->row_count = p->set_count = p->contact_count = 0;
    while (p->row_count < mc) {
        tp_set set = set_of(instant, nj + p->row_count);
        set.first = p->D.first[p->set_count] = p->row_count;
        p->contact_count += set.kind == TP_SET_CONTACT;
        p->sets[p->set_count++] = set;
        p->row_count += set.size;
    }
    p->D.first[p->set_count] = mc;
    p->D.block_rows = p->set_count;
    p->D.block_count = 0;
    p->D.uniform = p->set_count > 0 ? p->sets[0].size : 0;
    p->D.offset[0] = 0;
    p->D_norm = -1.0;
    for (int a = 0; a < p->set_count; a++) {
        p->D.start[a] = p->D.block_count;
        if (p->sets[a].size != p->D.uniform) p->D.uniform = 0;
        for (int b = 0; b < p->set_count; b++) {
            int place = p->D.block_count++, rows = p->sets[a].size;
            double *value = p->D.value + p->D.offset[place];
            if (a == b) p->D.diagonal[a] = place;
            p->D.column[place] = b;
            p->D.offset[place + 1] = p->D.offset[place] + (size_t)(rows * p->sets[b].size);
            for (int j = 0; j < p->sets[b].size; j++) {
                for (int i = 0; i < rows; i++) {
                    int r = nj + p->sets[a].first + i, c = p->sets[b].first + j;
                    double sum = tp_dense_dot(n, C + (size_t)r * (size_t)n, X + (size_t)(nj + c) * (size_t)n);
                    for (int e = 0; e < nj; e++)
                        sum -= tp_dense_dot(n, C + (size_t)r * (size_t)n, X + (size_t)e * (size_t)n) *
                               Y[(size_t)c * (size_t)nj + (size_t)e];
                    value[i + j * rows] = sum;
                }
            }
        }
    }
    p->D.start[p->set_count] = p->D.block_count;
    for (int r = 0; r < mc; r++) {
        double sum = instant->c[nj + r];
        for (int e = 0; e < nj; e++)
            sum -= tp_dense_dot(n, C + (size_t)(nj + r) * (size_t)n, X + (size_t)e * (size_t)n) *
                   Y[(size_t)mc * (size_t)nj + (size_t)e];
        p->b[r] = sum;
    }
    return TP_OK;
}

/* Forces of all rows from those of the problem, and accelerations. */
static void expand(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    int m = phase->row_count, nj = phase->joint_rows, n = phase->n, mc = m - nj;
    for (int i = 0; i < nj; i++) {
        phase->P[i] = -instant->joints[(size_t)mc * (size_t)nj + (size_t)i];
        for (int j = 0; j < mc; j++)
            phase->P[i] -= instant->joints[(size_t)j * (size_t)nj + (size_t)i] * instant->P[j];
    }
    for (int j = 0; j < mc; j++) phase->P[nj + j] = instant->P[j];
    memcpy(phase->a, phase->free, (size_t)n * sizeof(double));
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) phase->a[j] += phase->P[r] * phase->X[(size_t)r * (size_t)n + (size_t)j];
}

static double row_motion(const tp_phase *phase, int r)
{
    return phase->b[r] + tp_dense_dot(phase->n, phase->C + (size_t)r * (size_t)phase->n, phase->a);
}

/* A sliding contact whose normal acceleration does not grow with its force: no acceleration, or two; (14). */
static tp_status stop_at_painleve(tp_instant *instant, int r, double t, int solutions, double D)
{
    tp_phase *phase = instant->phase;
    char *cause = phase->stepper->cause;
    const tp_law *law = tp_system_law(system_of(instant), phase->row_law[r]);
    snprintf(
        cause, sizeof phase->stepper->cause,
        "Painleve state at t = %.12g s: contact '%.60s' slides, its normal acceleration per normal force "
        "is %.6g 1/kg, and the laws have %s",
        t, law->name, D,
        solutions == 0   ? "no solution"
        : solutions == 1 ? "a solution that is about to be lost"
                         : "several solutions");
    return TP_INFEASIBLE;
}

static tp_status solve_accelerations(tp_instant *instant, double t, const double *q, const double *u,
                                     tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_stepper *stepper = phase->stepper;
    TP_TRY(tp_phase_assemble(phase, t, q, u));
    TP_TRY(reduce(instant));
    const tp_problem *p = &instant->problem;
    int nj = phase->joint_rows;
    memset(instant->P, 0, (size_t)phase->room * sizeof(double));
    if (p->row_count > 0) {
        double D = p->D.value[0];
        bool is_alone = p->set_count == 1 && p->sets[0].kind == TP_SET_ORTHANT;
        if (is_alone && D <= tp_event_painleve * phase->D[nj])
            return stop_at_painleve(instant, nj, t, p->b[0] > 0.0 ? 2 : 0, D);
        tp_solver_options options = tp_solver_options_default();
        tp_report found;
        options.tolerance = 1e-13;
        options.exact_local = true;
        tp_status status = tp_solve(p, NULL, &options, stepper->solver_memory, instant->P, NULL, &found);
        report->iterations += found.iterations;
        report->residual = fmax(report->residual, found.error);
        if (status != TP_OK && !(status == TP_NOT_CONVERGED && found.error <= 1e-9)) {
            snprintf(stepper->cause, sizeof stepper->cause,
                     "Painleve state at t = %.12g s: no accelerations satisfy the laws of %d closed contacts "
                     "(first: '%.60s'); %.80s",
                     t, p->set_count, tp_system_law(system_of(instant), phase->row_law[nj])->name,
                     found.reason);
            return TP_INFEASIBLE;
        }
        report->solution_count =
            found.solution_count > report->solution_count ? found.solution_count : report->solution_count;
    }
    expand(instant);
    memset(instant->answer, 0, (size_t)system_of(instant)->law_count * TP_LAW_ROWS * sizeof(double));
    for (int r = 0; r < phase->row_count; r++)
        instant->answer[phase->row_law[r] * TP_LAW_ROWS + phase->row_index[r]] = phase->P[r];
    return TP_OK;
}

/* Does a normal row depend on those that hold now? phase->mode has the new modes of the others. */
static bool depends(tp_instant *instant, int law)
{
    tp_phase *phase = instant->phase;
    int n = phase->n, m = 0;
    double whole = 0.0;
    int own = -1, *kept = phase->pivot; /* solve_scaled uses it after this */
    for (int r = 0; r < phase->row_count; r++) {
        const tp_law *of = tp_system_law(system_of(instant), phase->row_law[r]);
        if (phase->row_law[r] == law) {
            if (phase->row_index[r] == 0) own = r;
            continue;
        }
        bool is_normal = is_contact(of) && phase->row_index[r] == 0;
        bool is_held = of->set.kind == TP_SET_FREE ||
                       (is_normal && tp_phase_mode(phase, phase->row_law[r])[TP_LAW_MODE] != TP_MODE_OPEN &&
                        tp_phase_mode(phase, phase->row_law[r])[TP_LAW_MODE] != TP_MODE_IDLE);
        if (is_held) kept[m++] = r;
    }
    if (own < 0 || m == 0) return false;
    whole = phase->D[own];
    /* part of M^-1 w within the span of the others */
    double *y = instant->c, *X = instant->joints;
    for (int i = 0; i < m; i++) {
        memcpy(X + (size_t)i * (size_t)n, phase->C + (size_t)kept[i] * (size_t)n, (size_t)n * sizeof(double));
        tp_dense_cholesky_solve(n, phase->M, n, X + (size_t)i * (size_t)n);
    }
    for (int i = 0; i < m; i++) {
        y[i] = tp_phase_row_scale(phase, kept[i]) *
               tp_dense_dot(n, phase->C + (size_t)own * (size_t)n, X + (size_t)i * (size_t)n);
        phase->P[i] = y[i];
        for (int j = 0; j < m; j++)
            phase->G_full[j + i * m] =
                tp_phase_row_scale(phase, kept[i]) * tp_phase_row_scale(phase, kept[j]) *
                tp_dense_dot(n, phase->C + (size_t)kept[j] * (size_t)n, X + (size_t)i * (size_t)n);
    }
    if (tp_phase_solve_scaled(phase, m, y) != TP_OK) return true;
    double within = 0.0;
    for (int i = 0; i < m; i++) within += y[i] * phase->P[i];
    return whole - within <= dependent_row * whole;
}

/* New modes from the answer. False: a decree contradicts the laws. */
static bool take_modes(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    double none = tp_event_no_acceleration * phase->scale.acceleration;
    bool is_right = true;
    for (int r = phase->joint_rows; r < phase->row_count; r++) {
        int index = phase->row_law[r], k = phase->row_index[r];
        const tp_law *law = tp_system_law(system, index);
        double *mode = tp_phase_mode(phase, index);
        if (law->set.kind == TP_SET_BOX) {
            double xi = row_motion(phase, r);
            if (fabs(xi) > none) mode[k] = xi > 0.0 ? -1.0 : 1.0;
            continue;
        }
        if (k != 0) continue;
        int rows = tp_phase_friction_rows(law), first = is_contact(law) ? 1 : 0;
        bool is_candidate = mode[TP_LAW_MODE] == TP_MODE_CLOSED && rows > 0;
        if (is_contact(law) && phase->P[r] * phase->D[r] <= none) {
            double xi = row_motion(phase, r);
            mode[TP_LAW_MODE] = xi > none ? TP_MODE_OPEN : TP_MODE_IDLE; /* or depends: see settle */
            continue;
        }
        if (!is_candidate) continue;
        double motion[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < rows; i++) motion[i] = row_motion(phase, r + first + i);
        double norm = tp_dense_norm(rows, motion);
        if (norm <= none) continue;
        mode[TP_LAW_MODE] = rows > 1 ? TP_MODE_START : TP_MODE_SLIP;
        for (int i = 0; i < rows; i++) mode[TP_LAW_DIRECTION + i] = motion[i] / norm;
    }
    for (int i = 0; i < system->law_count && is_right; i++) { /* decrees */
        const tp_law *law = tp_system_law(system, i);
        const double *mode = tp_phase_mode(phase, i);
        double along = 0.0;
        if (instant->decree[i] == DECREE_OPEN)
            is_right = tp_phase_row_acceleration(phase, i, 0, NULL) >= -none;
        if (instant->decree[i] != DECREE_SLIP) continue;
        for (int k = 0; k < tp_phase_friction_rows(law); k++)
            along += mode[TP_LAW_DIRECTION + k] *
                     tp_phase_row_acceleration(phase, i, k + (is_contact(law) ? 1 : 0), NULL);
        is_right = along >= -none && mode[TP_LAW_MODE] != TP_MODE_OPEN;
    }
    return is_right;
}

/* Contacts without a force that do not part: idle if their rows depend on closed ones, else open. */
static void part_or_rest(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    double none = tp_event_no_acceleration * phase->scale.acceleration;
    for (int i = 0; i < system->law_count; i++) {
        double *mode = tp_phase_mode(phase, i);
        bool is_decreed = instant->decree[i] == DECREE_OPEN && mode[TP_LAW_MODE] == TP_MODE_OPEN;
        if (!is_contact(tp_system_law(system, i)) || !instant->touches[i]) continue;
        if (is_decreed && tp_phase_row_acceleration(phase, i, 0, NULL) <= none) {
            double gamma[TP_LAW_ROWS];
            tp_phase_velocities(phase, i, gamma); /* its rows */
            tp_phase_add_row(phase, i, 0);
            mode[TP_LAW_MODE] = TP_MODE_IDLE;
        }
        if (mode[TP_LAW_MODE] == TP_MODE_IDLE) {
            mode[TP_LAW_MODE] = TP_MODE_OPEN;
            if (depends(instant, i)) mode[TP_LAW_MODE] = TP_MODE_IDLE;
        }
    }
}

/* Does all that was closed before stay, and stick? */
static bool keeps_modes(const tp_instant *instant)
{
    const tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double was = instant->before[(size_t)i * TP_LAW_ROWS], is = tp_phase_mode(phase, i)[TP_LAW_MODE];
        if (tp_phase_friction_rows(law) > 0 && was == TP_MODE_CLOSED && is != TP_MODE_CLOSED &&
            is != TP_MODE_IDLE)
            return false;
    }
    return true;
}

/* Friction at its edge among rows that depend on each other: others may take its force over. True if they do:
   then nothing moves. */
static tp_status try_sharing(tp_instant *instant, double t, const double *q, double *u, double tolerance,
                             bool *is_shared_out, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    bool has_edge = false;
    *is_shared_out = false;
    for (int i = 0; i < system->law_count; i++) has_edge |= instant->decree[i] == DECREE_SLIP;
    if (!has_edge || !instant->was_dependent) return TP_OK;
    tp_system_move(system, t, q, u);
    try_modes(instant, tolerance, false);
    tp_phase_project_velocities(phase, t, q, u);
    TP_TRY(solve_accelerations(instant, t, q, u, report));
    *is_shared_out = take_modes(instant) && keeps_modes(instant);
    return TP_OK;
}

/* Velocities below the tolerance are 0; accelerations decide on the modes; (13). */
static tp_status settle(tp_instant *instant, double t, const double *q, double *u, double tolerance,
                        tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    bool has_decrees = false, is_right = false;
    for (int i = 0; i < system->law_count; i++) has_decrees |= instant->decree[i] != NO_DECREE;
    TP_TRY(try_sharing(instant, t, q, u, tolerance, &is_right, report));
    if (is_right) memset(instant->decree, NO_DECREE, (size_t)system->law_count);
    for (int pass = has_decrees ? 0 : 1; pass < 2 && !is_right; pass++) {
        if (pass == 1) memset(instant->decree, NO_DECREE, (size_t)system->law_count);
        tp_system_move(system, t, q, u);
        try_modes(instant, tolerance, pass == 0);
        tp_phase_project_velocities(phase, t, q, u);
        TP_TRY(solve_accelerations(instant, t, q, u, report));
        is_right = take_modes(instant);
    }
    part_or_rest(instant);
    return TP_OK;
}

/* ---- forces of dependent rows ---- */

/* The forces that dependent rows stay near to. */
static void set_references(tp_instant *instant, const double *force)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *mode = tp_phase_mode(phase, i);
        const double *of = force + (size_t)i * TP_LAW_ROWS;
        bool has_modes = is_contact(law) || tp_phase_friction_rows(law) > 0;
        int first = is_contact(law) ? 1 : 0, rows = tp_phase_friction_rows(law);
        if (!has_modes) continue;
        bool is_held = mode[TP_LAW_MODE] != TP_MODE_OPEN && mode[TP_LAW_MODE] != TP_MODE_IDLE;
        mode[TP_LAW_NORMAL] = first > 0 && is_held ? of[0] : 0.0;
        if (is_slip(mode[TP_LAW_MODE])) continue;
        for (int k = 0; k < 3; k++) mode[TP_LAW_DIRECTION + k] = is_held && k < rows ? of[first + k] : 0.0;
    }
}

/* How far friction that sticks is inside its edge, and normal forces above 0. */
static double room_of(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    double least = INFINITY;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        bool has_modes = is_contact(law) || tp_phase_friction_rows(law) > 0;
        double mode = tp_phase_mode(phase, i)[TP_LAW_MODE];
        if (!has_modes || mode == TP_MODE_OPEN || mode == TP_MODE_IDLE) continue;
        if (is_contact(law))
            least =
                fmin(least, tp_phase_force(phase, i)[0] * phase->inverse_mass[i] / phase->scale.acceleration);
        if (tp_phase_friction_rows(law) > 0 && mode == TP_MODE_CLOSED)
            least = fmin(least, tp_phase_rim(phase, i));
    }
    return least;
}

/* Which forces of dependent rows: those of least norm if friction can bear them; else those with more normal
   force, those between the forces before and the answer of the instant, or the answer: the ones that are
   farthest from an edge; (2a). */
static tp_status choose_references(tp_instant *instant, double t, const double *q, const double *u)
{
    enum { CHOICES = 4 };
    tp_phase *phase = instant->phase;
    size_t count = (size_t)system_of(instant)->law_count * TP_LAW_ROWS;
    double *force = instant->reference, best = -INFINITY;
    int chosen = 0;
    for (int k = 0; k <= CHOICES; k++) {
        int choice = k < CHOICES ? k : chosen;
        memset(force, 0, count * sizeof(double));
        set_references(instant, force);
        if (choice == 1) { /* what weighted rows make of it */
            phase->friction_weight = 0.1;
            tp_status status = tp_phase_evaluate(phase, t, q, u);
            phase->friction_weight = 1.0;
            TP_TRY(status);
            memcpy(force, phase->force, count * sizeof(double));
        }
        double share = choice == 2 ? 0.5 : 1.0;
        for (size_t i = 0; i < count && choice >= 2; i++)
            force[i] = (1.0 - share) * instant->force_before[i] + share * instant->answer[i];
        set_references(instant, force);
        TP_TRY(tp_phase_evaluate(phase, t, q, u));
        double room = room_of(instant);
        if (!phase->is_dependent || (k == 0 && room > edge_room) || k == CHOICES) return TP_OK;
        if (room > best) best = room, chosen = k;
    }
    return TP_OK;
}

/* ---- what happened ---- */

static void record(tp_instant *instant, double t, int law, tp_event_kind kind)
{
    const tp_law *of = tp_system_law(system_of(instant), law);
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
    tp_system *system = system_of(instant);
    for (int i = 0; i < system->law_count; i++) instant->stop_after[i] = 0.0;
    for (int i = 0; i < count; i++) {
        int index = triggers[i].law;
        const tp_law *law = tp_system_law(system, index);
        double gamma[TP_LAW_ROWS], slowing = 0.0;
        int rows = tp_phase_friction_rows(law), first = is_contact(law) ? 1 : 0;
        if (triggers[i].kind != TP_FALLS_SLIP || rows < 2) continue;
        for (int k = 0; k < rows; k++)
            slowing -= phase->slide[index * 3 + k] * tp_phase_row_acceleration(phase, index, first + k, NULL);
        tp_phase_velocities(phase, index, gamma);
        if (slowing > 0.0) instant->stop_after[index] = tp_phase_slip_speed(law, gamma) / slowing;
    }
}

/* Events of a law from its modes before and after; (16). */
static void record_modes(tp_instant *instant, double t, int law)
{
    const tp_law *of = tp_system_law(system_of(instant), law);
    const double *before = instant->before + (size_t)law * TP_LAW_ROWS,
                 *now = tp_phase_mode(instant->phase, law), *impulse = instant->impulse + law * TP_LAW_ROWS;
    if (of->set.kind == TP_SET_BOX) {
        for (int k = 0; k < of->row_count; k++) {
            if (before[k] != now[k]) record(instant, t, law, now[k] == 0.0 ? TP_EVENT_STICK : TP_EVENT_SLIP);
        }
        return;
    }
    double was = before[TP_LAW_MODE], is = now[TP_LAW_MODE];
    bool was_open = is_contact(of) && was == TP_MODE_OPEN, is_open = is_contact(of) && is == TP_MODE_OPEN;
    bool is_struck = is_contact(of) && impulse[0] > 0.0 && instant->closing[law];
    if (is_struck) record(instant, t, law, TP_EVENT_IMPACT);
    if (was_open && !is_open && !is_struck) record(instant, t, law, TP_EVENT_CLOSING);
    if (!was_open && is_open) record(instant, t, law, TP_EVENT_OPENING);
    if (was_open || is_open) return;
    bool turned = false;
    for (int k = 0; k < 3; k++) turned |= now[TP_LAW_DIRECTION + k] * before[TP_LAW_DIRECTION + k] < 0.0;
    if (is_slip(is) && (!is_slip(was) || (turned && tp_phase_friction_rows(of) == 1)))
        record(instant, t, law, TP_EVENT_SLIP);
    else if (is_slip(was) && is == TP_MODE_CLOSED)
        record(instant, t, law, TP_EVENT_STICK);
    else if ((was == TP_MODE_IDLE) != (is == TP_MODE_IDLE))
        record(instant, t, law, TP_EVENT_REDISTRIBUTION);
}

/* ---- the instant ---- */

/* Decrees for functions that have fallen to 0; true: nothing but the direction of a slip changes. */
static bool read_triggers(tp_instant *instant, int count, const tp_trigger *triggers)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    bool is_small = count > 0;
    memset(instant->decree, NO_DECREE, (size_t)system->law_count);
    for (int i = 0; i < count; i++) {
        int law = triggers[i].law;
        const tp_law *of = tp_system_law(system, law);
        double *mode = tp_phase_mode(phase, law), *force = tp_phase_force(phase, law);
        switch (triggers[i].kind) {
        case TP_FALLS_FORCE: instant->decree[law] = DECREE_OPEN; break;
        case TP_FALLS_RIM: {
            int first = is_contact(of) ? 1 : 0, rows = tp_phase_friction_rows(of);
            double s[3] = {0.0}, norm;
            for (int k = 0; k < rows; k++) {
                double axis = tp_phase_friction_axis(of, k);
                s[k] = -force[first + k] / (axis * axis);
            }
            norm = tp_dense_norm(rows, s);
            for (int k = 0; k < rows && norm > 0.0; k++) mode[TP_LAW_DIRECTION + k] = s[k] / norm;
            if (instant->decree[law] == NO_DECREE && norm > 0.0) instant->decree[law] = DECREE_SLIP;
            break;
        }
        case TP_FALLS_START: mode[TP_LAW_MODE] = TP_MODE_SLIP; continue;
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
    bool is_same = t - instant->last_time <= no_progress * instant->phase->scale.time;
    instant->stalled = is_same ? instant->stalled + 1 : 0;
    instant->last_time = t;
    if (instant->stalled < STALLED) return TP_OK;
    snprintf(stepper->cause, sizeof stepper->cause, "%d events at t = %.12g s without progress of time",
             STALLED, t);
    return TP_NOT_CONVERGED;
}

/* What a trial at rest must keep: hops that stay closed, slips that stick. */
enum { NO_PART, PART_HOPS, PART_SLIPS };

/* All velocities below the limit of last hops are set to 0 on trial: whether hops stay closed and slips
   stick. If not, u and modes are as before; (17), (18). */
static tp_status try_rest(tp_instant *instant, double t, const double *q, double *u, bool *is_ended_out,
                          tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    size_t modes = (size_t)system_of(instant)->law_count * TP_LAW_ROWS * sizeof(double);
    bool all = true;
    memcpy(instant->u, u, (size_t)phase->n * sizeof(double));
    tp_status status = settle(instant, t, q, u, tp_event_last_hop * phase->scale.velocity, report);
    for (int i = 0; i < system_of(instant)->law_count && status == TP_OK; i++) {
        double mode = tp_phase_mode(phase, i)[TP_LAW_MODE];
        if (instant->takes_part[i] == PART_HOPS) all &= mode != TP_MODE_OPEN;
        if (instant->takes_part[i] == PART_SLIPS) all &= !is_slip(mode);
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
    tp_system *system = system_of(instant);
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
    return hops ? try_rest(instant, t, q, u, is_ended_out, report) : TP_OK;
}

/* A slip in space that ends takes all others with it that are as slow: those of one body end together, each
   at a speed of its own; (18). */
static tp_status end_slips(tp_instant *instant, double t, const double *q, double *u, int count,
                           const tp_trigger *triggers, bool *is_ended_out, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    double V = phase->scale.velocity, gamma[TP_LAW_ROWS];
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
        if (tp_phase_friction_rows(law) == 0 || !(is_slip(mode) || mode == TP_MODE_IDLE)) continue;
        tp_phase_velocities(phase, i, gamma);
        if (tp_phase_slip_speed(law, gamma) > tp_event_last_hop * V) continue;
        instant->takes_part[i] = PART_SLIPS;
        slips |= mode == TP_MODE_SLIP && tp_phase_friction_rows(law) > 1;
    }
    return slips ? try_rest(instant, t, q, u, is_ended_out, report) : TP_OK;
}

void tp_instant_reserve(tp_instant *instant, double t, const double *q, double *u, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    const tp_impact impact = {.takes_part = instant->takes_part};
    memset(instant->impulse, 0, (size_t)system->law_count * TP_LAW_ROWS * sizeof(double));
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        bool is_near = !is_contact(law) || isfinite(tp_system_law_position(system, i));
        instant->takes_part[i] = is_near;
        if (law->set.kind != TP_SET_BOX)
            tp_phase_mode(phase, i)[TP_LAW_MODE] = is_near ? TP_MODE_CLOSED : TP_MODE_OPEN;
    }
    tp_impact_solve(phase->stepper, &impact, u, instant->impulse, report);
    solve_accelerations(instant, t, q, u, report);
}

tp_status tp_instant_check_inertia(const tp_instant *instant)
{
    const tp_phase *phase = instant->phase;
    tp_stepper *stepper = phase->stepper;
    double least = 0.0, most = 0.0;
    for (int r = 0; r < phase->row_count; r++) {
        const tp_law *law = tp_system_law(system_of(instant), phase->row_law[r]);
        int k = phase->row_index[r] - (is_contact(law) ? 1 : 0);
        if (tp_phase_friction_rows(law) < 2 || k < 0) continue;
        double axis = tp_phase_friction_axis(law, k), D = axis * axis * phase->D[r];
        least = k == 0 ? D : fmin(least, D);
        most = k == 0 ? D : fmax(most, D);
        if (!(least > 0.0) || most <= most_unlike * least) continue;
        snprintf(
            stepper->cause, sizeof stepper->cause,
            "the friction of '%.60s' acts on inertias of ratio %.3g: its direction turns faster than the "
            "explicit steps of event-driven can follow (they take up to %.3g)",
            law->name, most / least, most_unlike);
        return TP_UNSUPPORTED;
    }
    return TP_OK;
}

tp_status tp_instant_pass(tp_instant *instant, double t, double *q, double *u, int count,
                          const tp_trigger *triggers, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = system_of(instant);
    size_t bytes = (size_t)system->law_count * TP_LAW_ROWS * sizeof(double);
    TP_TRY(watch_progress(instant, t));
    TP_TRY(tp_phase_evaluate(phase, t, q, u));
    memset(instant->impulse, 0, bytes);
    memcpy(instant->before, phase->mode, bytes);
    memcpy(instant->force_before, phase->force, bytes);
    instant->was_dependent = phase->is_dependent;
    for (int i = 0; i < count; i++) {
        if (triggers[i].kind != TP_FALLS_PAINLEVE) continue;
        return stop_at_painleve(instant, phase->joint_rows, t, 1, tp_event_painleve);
    }
    find_stops(instant, count, triggers);
    instant->is_small = read_triggers(instant, count, triggers);
    if (instant->is_small) return TP_OK;
    find_touching(instant, count, triggers);
    bool has_impact, is_ended = false, is_stopped = false;
    TP_TRY(strike(instant, t, q, u, &has_impact, report));
    if (has_impact) memset(instant->decree, NO_DECREE, (size_t)system->law_count);
    if (has_impact) TP_TRY(end_hops(instant, t, q, u, &is_ended, report));
    if (!has_impact) TP_TRY(end_slips(instant, t, q, u, count, triggers, &is_stopped, report));
    if (!is_ended && !is_stopped)
        TP_TRY(settle(instant, t, q, u, tp_event_no_velocity * phase->scale.velocity, report));
    for (int i = 0; i < system->law_count;
         i++) { /* a gap that was below 0 at the start is free when it opens */
        double *mode = tp_phase_mode(phase, i);
        if (is_contact(tp_system_law(system, i)) && mode[TP_LAW_MODE] == TP_MODE_OPEN &&
            tp_system_law_position(system, i) > 0.0)
            mode[TP_LAW_OFFSET] = 0.0;
    }
    TP_TRY(tp_phase_project(phase, t, q, u));
    TP_TRY(choose_references(instant, t, q, u));
    tp_system_move(system, t, q, u);
    for (int i = 0; i < system->law_count; i++) {
        tp_set_kind kind = tp_system_law(system, i)->set.kind;
        if (kind == TP_SET_FREE || kind == TP_SET_ZERO) continue;
        record_modes(instant, t, i);
        if (is_ended && instant->takes_part[i]) record(instant, t, i, TP_EVENT_ACCUMULATION);
    }
    for (int i = 0; i < count; i++) { /* friction at its edge whose force others took over */
        bool stuck = instant->before[(size_t)triggers[i].law * TP_LAW_ROWS] == TP_MODE_CLOSED,
             sticks = tp_phase_mode(phase, triggers[i].law)[TP_LAW_MODE] == TP_MODE_CLOSED;
        if (triggers[i].kind == TP_FALLS_RIM && stuck && sticks)
            record(instant, t, triggers[i].law, TP_EVENT_REDISTRIBUTION);
    }
    return TP_OK;
}
