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

/* xi = W^T x + (1 + e) gamma of a law that takes part. */
static void add_law(tp_stepper *stepper, const tp_law_rows *rows, const double *u, double dt)
{
    double b[TP_LAW_ROWS];
    for (int k = 0; k < rows->law->row_count; k++) {
        double size =
            fabs(rows->chi[k]) + tp_row_size(rows->count, rows->columns, rows->W + k * rows->count, u);
        stepper->row_size = fmax(stepper->row_size, size);
        stepper->row_noise[stepper->problem->problem.row_count + k] = DBL_EPSILON * size;
        b[k] = (1.0 + rows->law->restitution[k]) * rows->gamma[k];
        stepper->chi[stepper->problem->problem.row_count + k] = rows->chi[k];
    }
    tp_step_problem_add(stepper->problem, stepper->system, rows->index, rows->W, b, rows->start, dt);
    if (rows->law->set.kind != TP_SET_FREE) return;
    for (int k = 0; k < rows->law->row_count; k++) { /* rows of joints that depend on others */
        if (tp_redundancy_leaves_out(stepper->redundancy, rows->index, k))
            tp_step_problem_leave_out(stepper->problem, k,
                                      tp_redundancy_diagonal(stepper->redundancy, rows->index, k));
    }
}

double tp_law_rebound(double rebound, double largest, double pressed)
{
    double least = fmax(tp_least_rebound * largest, tp_pressed_rebound * pressed);
    return fabs(rebound) <= least ? 0.0 : rebound;
}

/* What forces, which are stepper->h, change of the velocity of a row, and the sum of all its parts. */
static double row_change(const tp_stepper *stepper, int row, const double *u, double *size_out)
{
    const tp_sparse *A = &stepper->problem->problem.A, *pattern = &stepper->system->mass_pattern;
    double sum = 0.0;
    *size_out = 0.0;
    for (int k = A->start[row]; k < A->start[row + 1]; k++) {
        int j = A->index[k];
        double change = stepper->h[j] / stepper->M[tp_pattern_place(pattern, j, j)];
        sum += A->value[k] * change;
        *size_out += fabs(A->value[k]) * (fabs(u[j]) + fabs(change));
    }
    return sum;
}

/* The largest velocity of a row by those of the start and by forces. */
static double step_velocity(const tp_stepper *stepper, const double *u)
{
    double largest = stepper->row_size, size;
    for (int row = 0; row < stepper->problem->problem.row_count; row++) {
        row_change(stepper, row, u, &size);
        largest = fmax(largest, size);
    }
    return largest;
}

/* Rebounds that are none; (4a). */
static void leave_out_rebounds(tp_stepper *stepper, const double *u)
{
    const tp_step_problem *problem = stepper->problem;
    double largest = -1.0, size;
    for (int i = 0; i < problem->problem.set_count; i++) {
        const tp_set *set = &problem->problem.sets[i];
        const double *e = tp_system_law(stepper->system, problem->law[i])->restitution;
        for (int k = 0; k < set->size; k++) {
            double *b = &problem->problem.b[set->first + k], rebound = *b * e[k] / (1.0 + e[k]);
            if (rebound == 0.0) continue;
            if (largest < 0.0) largest = step_velocity(stepper, u);
            double pressed = k == 0 ? -row_change(stepper, set->first, u, &size) : 0.0;
            *b += tp_law_rebound(rebound, largest, pressed) - rebound;
        }
    }
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
    leave_out_rebounds(stepper, from->u);
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
    tp_status status = tp_static_solve(stepper, from, dt, solve, stepper, report);
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
