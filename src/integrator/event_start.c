/* Slips that start from rest in space: their direction is that of the acceleration that it leads to;
   docs/theory/event-driven.md (9). */
#include "event_phase.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Newton steps with one derivative, and derivatives. */
enum { CHORDS = 6, DERIVATIVES = 3 };

static bool starts(const tp_phase *phase, int index)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    return tp_phase_friction_rows(law) > 1 && tp_phase_mode(phase, index)[TP_LAW_MODE] == TP_MODE_START;
}

static double *direction(const tp_phase *phase, int index)
{
    return phase->slide + (size_t)index * 3;
}

/* Unit vectors across a direction: rows - 1 of them. */
static void find_across(int rows, const double *s, double across[2][3])
{
    if (rows == 2) {
        across[0][0] = -s[1], across[0][1] = s[0], across[0][2] = 0.0;
        return;
    }
    int least = fabs(s[0]) <= fabs(s[1]) && fabs(s[0]) <= fabs(s[2]) ? 0 : fabs(s[1]) <= fabs(s[2]) ? 1 : 2;
    double norm = sqrt(1.0 - s[least] * s[least]);
    for (int k = 0; k < 3; k++) across[0][k] = ((k == least) - s[least] * s[k]) / norm;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        across[1][k] = s[i] * across[0][j] - s[j] * across[0][i];
    }
}

static void turn(int rows, double *s, const double *across, double angle)
{
    double norm = 0.0;
    for (int k = 0; k < rows; k++) {
        s[k] += angle * across[k];
        norm = hypot(norm, s[k]);
    }
    for (int k = 0; k < rows; k++) s[k] /= norm;
}

/* Accelerations across the directions of all slips that start; their largest. */
static double accelerations_across(tp_phase *phase, double *F_out)
{
    const tp_system *system = phase->stepper->system;
    double largest = 0.0;
    for (int i = 0, m = 0; i < system->law_count; i++) {
        if (!starts(phase, i)) continue;
        const tp_law *law = tp_system_law(system, i);
        double across[2][3];
        int rows = tp_phase_friction_rows(law), first = tp_phase_has_normal(law) ? 1 : 0;
        find_across(rows, direction(phase, i), across);
        for (int d = 0; d < rows - 1; d++, m++) {
            F_out[m] = 0.0;
            for (int k = 0; k < rows; k++)
                F_out[m] += across[d][k] * tp_phase_row_acceleration(phase, i, first + k, NULL);
            largest = fmax(largest, fabs(F_out[m]));
        }
    }
    return largest;
}

/* dF/d(turns) by differences, from F at the present directions. */
static tp_status differentiate(tp_phase *phase, double t, const double *q, const double *u, int m,
                               const double *F, double *J_out)
{
    const tp_system *system = phase->stepper->system;
    for (int i = 0, column = 0; i < system->law_count; i++) {
        if (!starts(phase, i)) continue;
        double across[2][3], kept[3], *s = direction(phase, i), *to;
        int rows = tp_phase_friction_rows(tp_system_law(system, i));
        find_across(rows, s, across);
        memcpy(kept, s, sizeof kept);
        for (int d = 0; d < rows - 1; d++, column++) {
            to = J_out + (size_t)column * (size_t)m;
            turn(rows, s, across[d], tp_event_small_turn);
            tp_status status = tp_phase_evaluate_directed(phase, t, q, u);
            if (status == TP_OK) accelerations_across(phase, to);
            memcpy(s, kept, sizeof kept);
            TP_TRY(status);
            for (int k = 0; k < m; k++) to[k] = (to[k] - F[k]) / tp_event_small_turn;
        }
    }
    return TP_OK;
}

static void turn_all(tp_phase *phase, const double *turns)
{
    const tp_system *system = phase->stepper->system;
    for (int i = 0, m = 0; i < system->law_count; i++) {
        if (!starts(phase, i)) continue;
        double across[2][3];
        int rows = tp_phase_friction_rows(tp_system_law(system, i));
        find_across(rows, direction(phase, i), across);
        for (int d = 0; d < rows - 1; d++, m++)
            turn(rows, direction(phase, i), across[d],
                 fmax(fmin(turns[m], tp_event_largest_turn), -tp_event_largest_turn));
    }
}

tp_status tp_phase_evaluate_starts(tp_phase *phase, double t, const double *q, const double *u)
{
    const tp_system *system = phase->stepper->system;
    double *F = phase->start, *turns = F + phase->room, *J = turns + phase->room;
    double enough = 4.0 * DBL_EPSILON * phase->scale.acceleration;
    int m = 0;
    for (int i = 0; i < system->law_count; i++) {
        if (!starts(phase, i)) continue;
        m += tp_phase_friction_rows(tp_system_law(system, i)) - 1;
        memcpy(direction(phase, i), tp_phase_mode(phase, i) + TP_LAW_DIRECTION, 3 * sizeof(double));
    }
    TP_TRY(tp_phase_evaluate_directed(phase, t, q, u));
    double size = accelerations_across(phase, F);
    for (int outer = 0; outer < DERIVATIVES && size > enough; outer++) {
        double at_start = size;
        TP_TRY(differentiate(phase, t, q, u, m, F, J));
        for (int k = 0; k < CHORDS && size > enough; k++) {
            for (int i = 0; i < m; i++) turns[i] = -F[i];
            memcpy(phase->G_full, J, (size_t)m * (size_t)m * sizeof(double));
            tp_phase_solve_scaled(phase, m, turns);
            turn_all(phase, turns);
            TP_TRY(tp_phase_evaluate_directed(phase, t, q, u));
            double before = size;
            size = accelerations_across(phase, F);
            if (!(size <= 0.5 * before)) break; /* rounding, or another derivative */
        }
        if (!(size <= 0.1 * at_start)) break;
    }
    return TP_OK;
}
