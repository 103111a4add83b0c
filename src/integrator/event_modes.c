/* New modes at an instant: accelerations decide; docs/theory/event-driven.md (13), (2a). */
#include "event_instant.h"

#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Laws with static friction that have broken loose at this instant: with the bound of sliding, or it is still
   to be put in. */
enum { NOT_LOOSE, LOOSE, LOOSE_NOW };

/* ---- accelerations ---- */

/* Modes to begin with: contacts that stay closed, and friction at rest as if it stuck. */
static void try_modes(tp_instant *instant, double tolerance, bool with_decrees)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    double gamma[TP_LAW_ROWS];
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *mode = tp_phase_mode(phase, i);
        if (law->set.kind == TP_SET_FREE || law->set.kind == TP_SET_ZERO) continue;
        if (tp_phase_has_normal(law) && !instant->touches[i]) continue;
        tp_phase_velocities(phase, i, gamma);
        for (int k = 0; k < law->row_count && law->set.kind == TP_SET_BOX; k++)
            mode[k] = fabs(gamma[k]) <= tolerance ? 0.0 : gamma[k] > 0.0 ? -1.0 : 1.0;
        if (law->set.kind == TP_SET_BOX) continue;
        bool stays = !tp_phase_has_normal(law) || fabs(gamma[0]) <= tolerance;
        if (with_decrees && instant->decree[i] == TP_DECREE_OPEN) stays = false;
        mode[TP_LAW_MODE] = stays ? TP_MODE_CLOSED : TP_MODE_OPEN;
        int rows = tp_phase_friction_rows(law), first = tp_phase_has_normal(law) ? 1 : 0;
        double speed = tp_phase_slip_speed(law, gamma);
        double stop = rows > 1 ? fmax(tolerance, 2.0 * phase->scale.stop * phase->scale.velocity) : tolerance;
        if (!stays || rows == 0) continue;
        if (with_decrees && instant->decree[i] == TP_DECREE_SLIP) {
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
    const tp_law *of = tp_system_law(tp_instant_system(instant), law);
    if (of->set.kind == TP_SET_BOX) {
        tp_set set = of->set;
        set.size = 1;
        memcpy(set.parameter, of->set.parameter + 2 * k, 2 * sizeof(double));
        return set;
    }
    bool sticks = tp_phase_mode(phase, law)[TP_LAW_MODE] == TP_MODE_CLOSED && tp_phase_friction_rows(of) > 0;
    tp_set set = of->set;
    if (tp_law_has_static(of) && !instant->is_loose[law]) tp_set_scale_friction(&set, of->static_ratio);
    return sticks ? set : tp_set_orthant(1);
}

/* What is left of row r of a column whose forces of joints are y. */
static double without_joints(const tp_phase *phase, int r, double whole, const double *y)
{
    for (int e = 0; e < phase->joint_rows; e++) whole -= tp_phase_coupling(phase, r, e) * y[e];
    return whole;
}

/* Local form without joints: D = G - G_cj G_jj^-1 G_jc, b = c - G_cj G_jj^-1 c_j. */
static void reduce(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_problem *p = &instant->problem;
    int m = phase->row_count, nj = phase->joint_rows, mc = m - nj;
    double *Y = instant->joints; /* [nj (mc + 1)] G_jj^-1 (G_jc, c_j), scaled */
    tp_phase_fill_matrix(phase, nj);
    for (int r = 0; r < m; r++)
        instant->c[r] = phase->b[r] + tp_dense_dot(phase->n, tp_phase_row(phase, r), phase->free);
    for (int j = 0; j <= mc && nj > 0; j++) {
        double *y = Y + (size_t)j * (size_t)nj;
        for (int i = 0; i < nj; i++)
            y[i] =
                tp_phase_row_scale(phase, i) * (j < mc ? tp_phase_coupling(phase, i, nj + j) : instant->c[i]);
        tp_phase_solve_scaled(phase, nj, y);
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
                    value[i + j * rows] = without_joints(phase, r, tp_phase_coupling(phase, r, nj + c),
                                                         Y + (size_t)c * (size_t)nj);
                }
            }
        }
    }
    p->D.start[p->set_count] = p->D.block_count;
    for (int r = 0; r < mc; r++)
        p->b[r] = without_joints(phase, nj + r, instant->c[nj + r], Y + (size_t)mc * (size_t)nj);
}

/* Forces of all rows from those of the problem, and accelerations. */
static void expand(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    int m = phase->row_count, nj = phase->joint_rows, mc = m - nj;
    for (int i = 0; i < nj; i++) {
        phase->P[i] = -instant->joints[(size_t)mc * (size_t)nj + (size_t)i];
        for (int j = 0; j < mc; j++)
            phase->P[i] -= instant->joints[(size_t)j * (size_t)nj + (size_t)i] * instant->P[j];
    }
    for (int j = 0; j < mc; j++) phase->P[nj + j] = instant->P[j];
    memcpy(phase->a, phase->free, (size_t)phase->n * sizeof(double));
    tp_phase_add_forces(phase, phase->a);
}

static double row_motion(const tp_phase *phase, int r)
{
    return phase->b[r] + tp_dense_dot(phase->n, tp_phase_row(phase, r), phase->a);
}

tp_status tp_instant_accelerations(tp_instant *instant, double t, const double *q, const double *u,
                                   tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_stepper *stepper = phase->stepper;
    TP_TRY(tp_phase_assemble(phase, t, q, u));
    reduce(instant);
    const tp_problem *p = &instant->problem;
    int nj = phase->joint_rows;
    memset(instant->P, 0, (size_t)phase->room * sizeof(double));
    if (p->row_count > 0) {
        double D = p->D.value[0];
        bool is_alone = p->set_count == 1 && p->sets[0].kind == TP_SET_ORTHANT;
        if (is_alone && D <= tp_event_painleve * phase->D[nj])
            return tp_instant_stop_at_painleve(instant, nj, t, p->b[0] > 0.0 ? 2 : 0, D);
        tp_solver_options options = tp_solver_options_default();
        tp_report found;
        options.tolerance = tp_event_aim;
        options.exact_local = true;
        tp_status status = tp_solve(p, NULL, &options, stepper->solver_memory, instant->P, NULL, &found);
        report->iterations += found.iterations;
        report->residual = fmax(report->residual, found.error);
        if (status != TP_OK && !(status == TP_NOT_CONVERGED && found.error <= tp_event_usable)) {
            snprintf(stepper->cause, sizeof stepper->cause,
                     "Painleve state at t = %.12g s: no accelerations satisfy the laws of %d closed contacts "
                     "(first: '%.60s'); %.80s",
                     t, p->set_count, tp_system_law(tp_instant_system(instant), phase->row_law[nj])->name,
                     found.reason);
            return TP_INFEASIBLE;
        }
        report->solution_count =
            found.solution_count > report->solution_count ? found.solution_count : report->solution_count;
    }
    expand(instant);
    memset(instant->answer, 0, (size_t)tp_instant_system(instant)->law_count * TP_LAW_ROWS * sizeof(double));
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
        const tp_law *of = tp_system_law(tp_instant_system(instant), phase->row_law[r]);
        if (phase->row_law[r] == law) {
            if (phase->row_index[r] == 0) own = r;
            continue;
        }
        bool is_normal = tp_phase_has_normal(of) && phase->row_index[r] == 0;
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
        memcpy(X + (size_t)i * (size_t)n, tp_phase_row(phase, kept[i]), (size_t)n * sizeof(double));
        tp_dense_cholesky_solve(n, phase->M, n, X + (size_t)i * (size_t)n);
    }
    for (int i = 0; i < m; i++) {
        y[i] = tp_phase_row_scale(phase, kept[i]) *
               tp_dense_dot(n, tp_phase_row(phase, own), X + (size_t)i * (size_t)n);
        phase->P[i] = y[i];
        for (int j = 0; j < m; j++)
            phase->G_full[j + i * m] =
                tp_phase_row_scale(phase, kept[i]) * tp_phase_row_scale(phase, kept[j]) *
                tp_dense_dot(n, tp_phase_row(phase, kept[j]), X + (size_t)i * (size_t)n);
    }
    tp_phase_solve_scaled(phase, m, y);
    double within = 0.0;
    for (int i = 0; i < m; i++) within += y[i] * phase->P[i];
    return whole - within <= tp_event_dependent_normal * whole;
}

/* New modes from the answer. False: a decree contradicts the laws. */
static bool take_modes(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
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
        int rows = tp_phase_friction_rows(law), first = tp_phase_has_normal(law) ? 1 : 0;
        bool is_candidate = mode[TP_LAW_MODE] == TP_MODE_CLOSED && rows > 0;
        if (tp_phase_has_normal(law) && phase->P[r] * phase->D[r] <= none) {
            double xi = row_motion(phase, r);
            mode[TP_LAW_MODE] = xi > none ? TP_MODE_OPEN : TP_MODE_IDLE; /* or depends: see settle */
            continue;
        }
        if (!is_candidate) continue;
        double motion[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < rows; i++) motion[i] = row_motion(phase, r + first + i);
        double norm = tp_dense_norm(rows, motion);
        if (norm <= none) continue;
        if (tp_law_has_static(law) && !instant->is_loose[index]) instant->is_loose[index] = LOOSE_NOW;
        mode[TP_LAW_MODE] = rows > 1 ? TP_MODE_START : TP_MODE_SLIP;
        for (int i = 0; i < rows; i++) mode[TP_LAW_DIRECTION + i] = motion[i] / norm;
    }
    for (int i = 0; i < system->law_count && is_right; i++) { /* decrees */
        const tp_law *law = tp_system_law(system, i);
        const double *mode = tp_phase_mode(phase, i);
        double along = 0.0;
        if (instant->decree[i] == TP_DECREE_OPEN)
            is_right = tp_phase_row_acceleration(phase, i, 0, NULL) >= -none;
        if (instant->decree[i] != TP_DECREE_SLIP) continue;
        for (int k = 0; k < tp_phase_friction_rows(law); k++)
            along += mode[TP_LAW_DIRECTION + k] *
                     tp_phase_row_acceleration(phase, i, k + (tp_phase_has_normal(law) ? 1 : 0), NULL);
        is_right = along >= -none && mode[TP_LAW_MODE] != TP_MODE_OPEN;
    }
    return is_right;
}

/* Contacts without a force that do not part: idle if their rows depend on closed ones, else open. */
static void part_or_rest(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    double none = tp_event_no_acceleration * phase->scale.acceleration;
    for (int i = 0; i < system->law_count; i++) {
        double *mode = tp_phase_mode(phase, i);
        bool is_decreed = instant->decree[i] == TP_DECREE_OPEN && mode[TP_LAW_MODE] == TP_MODE_OPEN;
        if (!tp_phase_has_normal(tp_system_law(system, i)) || !instant->touches[i]) continue;
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

/* Modes from the accelerations with velocities below the tolerance at 0. Laws with static friction break
   loose one after the other; theory/static-friction.md (3). False: a decree contradicts the laws. */
static tp_status answer_modes(tp_instant *instant, double t, const double *q, double *u, double tolerance,
                              bool with_decrees, bool *is_right_out, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    memset(instant->is_loose, NOT_LOOSE, (size_t)system->law_count);
    for (bool breaks = true; breaks;) {
        tp_system_move(system, t, q, u);
        try_modes(instant, tolerance, with_decrees);
        tp_phase_project_velocities(phase, t, q, u);
        TP_TRY(tp_instant_accelerations(instant, t, q, u, report));
        *is_right_out = take_modes(instant);
        breaks = false;
        for (int i = 0; i < system->law_count; i++) {
            breaks |= instant->is_loose[i] == LOOSE_NOW;
            if (instant->is_loose[i] == LOOSE_NOW) instant->is_loose[i] = LOOSE;
        }
    }
    return TP_OK;
}

/* Does all that was closed before stay, and stick? */
static bool keeps_modes(const tp_instant *instant)
{
    const tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
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
    tp_system *system = tp_instant_system(instant);
    bool has_edge = false;
    *is_shared_out = false;
    for (int i = 0; i < system->law_count; i++) has_edge |= instant->decree[i] == TP_DECREE_SLIP;
    if (!has_edge || !instant->was_dependent) return TP_OK;
    TP_TRY(answer_modes(instant, t, q, u, tolerance, false, is_shared_out, report));
    *is_shared_out &= keeps_modes(instant);
    return TP_OK;
}

/* Velocities below the tolerance are 0; accelerations decide on the modes; (13). */
tp_status tp_instant_settle(tp_instant *instant, double t, const double *q, double *u, double tolerance,
                            tp_step_report *report)
{
    tp_system *system = tp_instant_system(instant);
    bool has_decrees = false, is_right = false;
    for (int i = 0; i < system->law_count; i++) has_decrees |= instant->decree[i] != TP_NO_DECREE;
    TP_TRY(try_sharing(instant, t, q, u, tolerance, &is_right, report));
    if (is_right) memset(instant->decree, TP_NO_DECREE, (size_t)system->law_count);
    for (int pass = has_decrees ? 0 : 1; pass < 2 && !is_right; pass++) {
        if (pass == 1) memset(instant->decree, TP_NO_DECREE, (size_t)system->law_count);
        TP_TRY(answer_modes(instant, t, q, u, tolerance, pass == 0, &is_right, report));
    }
    part_or_rest(instant);
    return TP_OK;
}

/* ---- forces of dependent rows ---- */

/* The forces that dependent rows stay near to. */
static void set_references(tp_instant *instant, const double *force)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double *mode = tp_phase_mode(phase, i);
        const double *of = force + (size_t)i * TP_LAW_ROWS;
        bool has_modes = tp_phase_has_normal(law) || tp_phase_friction_rows(law) > 0;
        int first = tp_phase_has_normal(law) ? 1 : 0, rows = tp_phase_friction_rows(law);
        if (law->set.kind == TP_SET_FREE) memcpy(mode, of, (size_t)law->row_count * sizeof(double));
        if (!has_modes) continue;
        bool is_held = mode[TP_LAW_MODE] != TP_MODE_OPEN && mode[TP_LAW_MODE] != TP_MODE_IDLE;
        mode[TP_LAW_NORMAL] = first > 0 && is_held ? of[0] : 0.0;
        if (tp_mode_is_slip(mode[TP_LAW_MODE])) continue;
        for (int k = 0; k < 3; k++) mode[TP_LAW_DIRECTION + k] = is_held && k < rows ? of[first + k] : 0.0;
    }
}

/* How far friction that sticks is inside its edge, and normal forces above 0. */
static double room_of(tp_instant *instant)
{
    tp_phase *phase = instant->phase;
    tp_system *system = tp_instant_system(instant);
    double least = INFINITY;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        bool has_modes = tp_phase_has_normal(law) || tp_phase_friction_rows(law) > 0;
        double mode = tp_phase_mode(phase, i)[TP_LAW_MODE];
        if (!has_modes || mode == TP_MODE_OPEN || mode == TP_MODE_IDLE) continue;
        if (tp_phase_has_normal(law))
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
tp_status tp_instant_choose_forces(tp_instant *instant, double t, const double *q, const double *u)
{
    enum { CHOICES = 4 };
    tp_phase *phase = instant->phase;
    size_t count = (size_t)tp_instant_system(instant)->law_count * TP_LAW_ROWS;
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
        if (!phase->is_dependent || (k == 0 && room > tp_event_edge_room) || k == CHOICES) return TP_OK;
        if (room > best) best = room, chosen = k;
    }
    return TP_OK;
}
