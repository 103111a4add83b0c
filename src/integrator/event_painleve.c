/* Painleve states: what is said of them, and the impact without collision; docs/theory/event-driven.md (14).
 */
#include "event_instant.h"

#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sliding contact whose normal acceleration does not grow with its force: no acceleration, or two. */
tp_status tp_instant_stop_at_painleve(tp_instant *instant, int r, double t, int solutions, double D)
{
    tp_phase *phase = instant->phase;
    const tp_law *law = tp_system_law(tp_instant_system(instant), phase->row_law[r]);
    instant->painleve_law = solutions < 2 ? phase->row_law[r] : -1;
    snprintf(
        phase->stepper->cause, sizeof phase->stepper->cause,
        "Painleve state at t = %.12g s: contact '%.60s' slides, its normal acceleration per normal force "
        "is %.6g 1/kg, and the laws have %s",
        t, law->name, D,
        solutions == 0   ? "no solution"
        : solutions == 1 ? "a solution that is about to be lost"
                         : "several solutions");
    return TP_INFEASIBLE;
}

/* Rows of joints, then those of the contact. False: other contacts are closed too. */
static bool add_rows(tp_phase *phase, int contact)
{
    tp_system *system = phase->stepper->system;
    double gamma[TP_LAW_ROWS];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < system->law_count; i++) {
            const tp_law *law = tp_system_law(system, i);
            bool is_joint = law->set.kind == TP_SET_FREE, is_it = i == contact;
            bool is_closed = tp_phase_has_normal(law) && tp_phase_mode(phase, i)[TP_LAW_MODE] != TP_MODE_OPEN;
            if (is_closed && !is_it) return false;
            if (!(pass == 0 ? is_joint : is_it)) continue;
            tp_phase_velocities(phase, i, gamma); /* rows */
            int rows = is_it ? 1 + tp_phase_friction_rows(law) : law->row_count;
            for (int k = 0; k < rows; k++) {
                phase->P[phase->row_count] = -gamma[k];
                tp_phase_add_row(phase, i, k);
            }
        }
    }
    return true;
}

/* Friction on its edge against a slip in the plane until that ends: the normal row takes its column, the
   friction row says that the slip ends. True: the contact does not go on to close. */
static bool slide_to_the_end(tp_phase *phase, const tp_law *law, double s)
{
    int m = phase->row_count, n = phase->n, r = m - 2;
    double mu = tp_phase_friction_axis(law, 0), *XN = tp_phase_column(phase, r), *XT = XN + n, gamma = 0.0;
    for (int j = 0; j < n; j++) XN[j] -= mu * s * XT[j]; /* of the impulse (1, -mu s) */
    const double *CT = tp_phase_row(phase, r + 1);
    double slowing = tp_dense_dot(n, CT, XN), slip = tp_dense_dot(n, CT, phase->stepper->system->u);
    if (phase->joint_rows > 0 || !(s * slowing < 0.0)) return false;
    double P = -slip / slowing;
    phase->P[r] = P;
    phase->P[r + 1] = -mu * s * P;
    for (int j = 0; j < n; j++) XN[j] += mu * s * XT[j];
    for (int k = 0; k < 2; k++) gamma += phase->P[r + k] * tp_phase_coupling(phase, r, r + k);
    return P > 0.0 && gamma >= 0.0;
}

static void apply(tp_instant *instant, double *u, tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    tp_stepper *stepper = phase->stepper;
    tp_system *system = stepper->system;
    double chi[TP_LAW_ROWS];
    memcpy(instant->u, u, (size_t)phase->n * sizeof(double));
    tp_phase_add_forces(phase, u);
    for (int r = 0; r < phase->row_count; r++) {
        int law = phase->row_law[r], k = phase->row_index[r];
        tp_system_law_rows(system, law, phase->W, chi);
        const tp_account_row entry = tp_account_law_row(system, law, k, phase->W, chi[k]);
        tp_account_add(&stepper->account, &entry, phase->P[r], instant->u, u);
        instant->impulse[law * TP_LAW_ROWS + k] += phase->P[r];
        report->applied_work -= phase->P[r] * chi[k];
    }
}

tp_status tp_instant_strike_without_collision(tp_instant *instant, double t, const double *q, double *u,
                                              tp_step_report *report)
{
    tp_phase *phase = instant->phase;
    int contact = instant->painleve_law;
    const tp_law *law = tp_system_law(tp_instant_system(instant), contact);
    int rows = tp_phase_friction_rows(law);
    double gamma[TP_LAW_ROWS], fill = 0.0;
    TP_TRY(tp_phase_begin(phase, t, q, u));
    tp_phase_velocities(phase, contact, gamma);
    if (!add_rows(phase, contact)) return TP_INFEASIBLE;
    phase->joint_rows = phase->row_count - rows - 1;
    tp_phase_solve_rows(phase);
    const double *P = phase->P + phase->joint_rows;
    for (int k = 0; k < rows; k++) fill = hypot(fill, P[1 + k] / tp_phase_friction_axis(law, k));
    bool stops = P[0] > 0.0 && fill <= P[0],
         slides = !stops && rows == 1 && slide_to_the_end(phase, law, gamma[1] > 0.0 ? 1.0 : -1.0);
    if (!stops && !slides) return TP_INFEASIBLE;
    apply(instant, u, report);
    instant->struck_law = contact;
    phase->stepper->cause[0] = '\0';
    return TP_OK;
}
