/* Laws in a step; theory/moreau.md (2)-(5). */
#include "law_rows.h"
#include "solver/workspace.h"
#include "static_friction.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What follows from W and chi. */
static void fill_rows(const tp_stepper *stepper, int index, const double *impulse, const double *u, double *W,
                      tp_law_rows *out)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    int count = tp_system_law_column_count(stepper->system, index);
    const int *columns = tp_system_law_columns(stepper->system, index);
    out->law = law;
    out->index = index;
    out->count = count;
    out->columns = columns;
    out->W = W;
    for (int k = 0; k < law->row_count; k++) {
        out->gamma[k] = out->chi[k] + tp_row_velocity(count, columns, W + k * count, u);
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        out->start[k] = law->set.kind != TP_SET_FREE ? impulse[index * TP_LAW_ROWS + k] : 0.0;
    }
}

void tp_law_rows_at(const tp_stepper *stepper, int index, const double *impulse, const double *u, double *W,
                    tp_law_rows *out)
{
    tp_system_law_rows(stepper->system, index, W, out->chi);
    fill_rows(stepper, index, impulse, u, W, out);
}

/* The same; rows of joints are those that the search for redundant ones found at this point. */
static void rows_of_step(const tp_stepper *stepper, int index, const tp_state *from, tp_law_rows *out)
{
    const double *chi;
    double *W = tp_redundancy_rows(stepper->redundancy, index, &chi);
    if (W == NULL) {
        tp_law_rows_at(stepper, index, from->impulse, from->u, stepper->problem->row, out);
        return;
    }
    memcpy(out->chi, chi, (size_t)tp_system_law(stepper->system, index)->row_count * sizeof(double));
    fill_rows(stepper, index, from->impulse, from->u, W, out);
}

double tp_law_kept_gap(const tp_stepper *stepper, const tp_law_rows *rows, const double *M,
                       const tp_state *from, double dt)
{
    double P = from->impulse[rows->index * TP_LAW_ROWS], mobility = 0.0, part = stepper->kept_part;
    if (part == 0.0 || rows->law->level != TP_LEVEL_GAP || !from->is_closed[rows->index] || !(P > 0.0))
        return 0.0;
    for (int j = 0; j < rows->count; j++) {
        int place = tp_pattern_place(&stepper->system->mass_pattern, rows->columns[j], rows->columns[j]);
        mobility += rows->W[j] * rows->W[j] / M[place];
    }
    if (rows->gamma[0] > stepper->kept_parting * mobility * P) return 0.0; /* it rebounds */
    return part * 0.5 * dt * mobility * P;
}

bool tp_law_is_closed(tp_stepper *stepper, int law, const double *M, const tp_state *from, double dt)
{
    if (tp_law_takes_part(stepper, law)) return true;
    if (stepper->kept_part == 0.0 || !from->is_closed[law] ||
        !isfinite(tp_system_law_position(stepper->system, law)))
        return false;
    tp_law_rows rows;
    tp_law_rows_at(stepper, law, from->impulse, from->u, stepper->problem->row, &rows);
    return tp_system_law_position(stepper->system, law) <=
           tp_stepper_closing_gap(stepper, law) + tp_law_kept_gap(stepper, &rows, M, from, dt);
}

double tp_law_rebound(const tp_stepper *stepper, const tp_law_rows *rows, int row, const double *M,
                      const double *h, double dt, const double *u)
{
    const double *W = rows->W + row * rows->count;
    double rebound = rows->law->restitution[row] * rows->gamma[row], size = fabs(rows->chi[row]),
           pressed = 0.0;
    if (rebound == 0.0) return 0.0;
    for (int k = 0; k < rows->count; k++) {
        int j = rows->columns[k];
        double change = dt * h[j] / M[tp_pattern_place(&stepper->system->mass_pattern, j, j)];
        size += fabs(W[k]) * (fabs(u[j]) + fabs(change));
        if (row == 0) pressed -= W[k] * change;
    }
    double least = fmax(tp_least_rebound * size, tp_pressed_rebound * pressed);
    return fabs(rebound) <= least ? 0.0 : rebound;
}

/* xi = W^T x + (1 + e) gamma of a law that takes part. */
static void add_law(tp_stepper *stepper, const tp_law_rows *rows, const double *u, double dt)
{
    double b[TP_LAW_ROWS];
    for (int k = 0; k < rows->law->row_count; k++) {
        double size =
            fabs(rows->chi[k]) + tp_row_size(rows->count, rows->columns, rows->W + k * rows->count, u);
        stepper->row_size = fmax(stepper->row_size, size);
        stepper->row_noise[stepper->problem->problem.row_count + k] = DBL_EPSILON * size;
        b[k] = rows->gamma[k] + tp_law_rebound(stepper, rows, k, stepper->M, stepper->h, 1.0, u);
        stepper->chi[stepper->problem->problem.row_count + k] = rows->chi[k];
    }
    tp_step_problem_add(stepper->problem, stepper->system, rows->index, rows->W, b, rows->start, dt);
    tp_step_problem_leave_out_redundant(stepper->problem, stepper->redundancy);
}

static void collect_laws(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                         tp_step_report *report)
{
    stepper->row_size = 0.0;
    stepper->has_row_noise = true;
    for (int i = 0; i < stepper->system->law_count; i++) {
        to->is_closed[i] = tp_law_is_closed(stepper, i, stepper->M, from, dt);
        if (!to->is_closed[i]) continue;
        tp_law_rows rows;
        rows_of_step(stepper, i, from, &rows);
        add_law(stepper, &rows, from->u, dt);
        report->contact_count += rows.law->level == TP_LEVEL_GAP;
    }
}

static tp_status solve(void *self, tp_step_report *report)
{
    return tp_stepper_solve(self, report);
}

tp_status tp_stepper_change_velocities(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                       tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    for (int j = 0; j < system->u_count; j++) stepper->h[j] *= dt;
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, stepper->h);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M)); /* they contradict each other by the drift */
    collect_laws(stepper, from, dt, to, report);

    const tp_joint_inverse joints = {tp_redundancy_solve, stepper->redundancy};
    bool has_factors = tp_redundancy_can_solve(stepper->redundancy, stepper->problem->law,
                                               stepper->problem->problem.set_count);
    tp_workspace_offer_joints(stepper->solver_memory, has_factors ? &joints : NULL);
    tp_status status =
        tp_static_solve(stepper, &(tp_static_step){from, dt, from->u, stepper->M, solve, stepper}, report);
    tp_workspace_offer_joints(stepper->solver_memory, NULL);
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < system->u_count; j++) to->u[j] = from->u[j] + stepper->x[j];
    tp_stepper_keep_impulses(stepper, to, report);
    tp_account_add_forces(&stepper->account, 1.0, stepper->h); /* dt is in h already */
    tp_stepper_book(stepper, stepper->chi, from->u, to->u);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

void tp_stepper_add_work(tp_stepper *stepper, double t, const double *q, const double *u, double time,
                         tp_step_report *report)
{
    if (!tp_system_has_applied_power(stepper->system)) return;
    tp_system_move(stepper->system, t, q, u);
    report->applied_work += time * tp_system_applied_power(stepper->system);
}
