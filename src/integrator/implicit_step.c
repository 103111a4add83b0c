/* What implicit steps share; theory/moreau-jean.md (6), (9). */
#include "implicit_step.h"
#include "math/sparse.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

tp_status tp_implicit_take_rows(const tp_stepper *stepper, tp_arena *arena, tp_implicit_rows *rows_out)
{
    /* laws that stay open also need room for their rows while it is decided: that of the largest */
    size_t entries =
        stepper->problem->capacity_entries + TP_LAW_ROWS * (size_t)stepper->system->largest_columns;
    rows_out->W = TP_ARENA_ARRAY(arena, double, entries);
    rows_out->start = TP_ARENA_ARRAY(arena, size_t, stepper->problem->capacity_sets + 1);
    rows_out->left_out = TP_ARENA_ARRAY(arena, double, stepper->problem->capacity_rows);
    return tp_arena_status(arena);
}

void tp_implicit_keep_rows(const tp_stepper *stepper, const tp_implicit_rows *rows)
{
    int i = stepper->problem->problem.set_count - 1, law = stepper->problem->law[i];
    rows->start[i + 1] = rows->start[i] + (size_t)stepper->problem->problem.sets[i].size *
                                              (size_t)tp_system_law_column_count(stepper->system, law);
}

void tp_implicit_hide_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, int i)
{
    const tp_set *set = &stepper->problem->problem.sets[i];
    int count = tp_system_law_column_count(stepper->system, stepper->problem->law[i]);
    for (int k = 0; k < set->size; k++) {
        if (rows->left_out[set->first + k] > 0.0)
            memset(rows->W + rows->start[i] + k * count, 0, (size_t)count * sizeof(double));
    }
}

/* Rows of the set just added that depend on others, by stepper->redundancy. */
static void leave_out(const tp_stepper *stepper, const tp_implicit_rows *rows)
{
    int i = stepper->problem->problem.set_count - 1, law = stepper->problem->law[i];
    const tp_set *set = &stepper->problem->problem.sets[i];
    for (int k = 0; k < set->size; k++) {
        rows->left_out[set->first + k] = 0.0;
        if (set->kind != TP_SET_FREE || !tp_redundancy_leaves_out(stepper->redundancy, law, k)) continue;
        rows->left_out[set->first + k] = tp_redundancy_diagonal(stepper->redundancy, law, k);
        tp_step_problem_leave_out(stepper->problem, i, k, rows->left_out[set->first + k]);
    }
    tp_implicit_hide_rows(stepper, rows, i);
}

void tp_implicit_add_law(const tp_stepper *stepper, const tp_implicit_rows *rows, const tp_law_rows *law,
                         const double *b, double dt)
{
    tp_step_problem_add(stepper->problem, stepper->system, law->index, law->W, b, law->start, dt);
    tp_implicit_keep_rows(stepper, rows);
    leave_out(stepper, rows);
}

tp_status tp_implicit_take_matrices(const tp_stepper *stepper, tp_arena *arena,
                                    tp_implicit_matrices *matrices_out)
{
    tp_implicit_matrices *to = matrices_out;
    size_t m = (size_t)stepper->system->u_count, rows = (size_t)stepper->problem->capacity_rows,
           mass = (size_t)tp_sparse_count(&stepper->system->mass_pattern),
           jacobian = (size_t)tp_sparse_count(&stepper->system->jacobian_pattern);
    TP_ARENA_DOUBLES(arena, mass, &to->M);
    TP_ARENA_DOUBLES(arena, jacobian, &to->stiffness, &to->damping, &to->J);
    TP_ARENA_DOUBLES(arena, m, &to->size, &to->F_scale, &to->F_noise);
    TP_ARENA_DOUBLES(arena, rows, &to->xi_noise);
    TP_ARENA_DOUBLES(arena, 2 * m, &to->work);
    return tp_arena_status(arena);
}

void tp_implicit_multiply(const tp_sparse *pattern, const double *A, const double *x, double *y_out)
{
    memset(y_out, 0, (size_t)pattern->rows * sizeof(double));
    tp_pattern_multiply_add(pattern, A, x, y_out);
}

void tp_implicit_multiply_sizes(const tp_sparse *pattern, const double *A, const double *x, double *y_out)
{
    memset(y_out, 0, (size_t)pattern->rows * sizeof(double));
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            y_out[pattern->index[k]] += fabs(A[k]) * x[j];
    }
}

void tp_implicit_apply_rows(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *P,
                            const double *u, double *F, double *gamma_out)
{
    const tp_step_problem *problem = stepper->problem;
    for (int i = 0; i < problem->problem.set_count; i++) {
        const int *columns, count = tp_system_columns_of(stepper->system, problem->law[i], &columns);
        const tp_set *set = &problem->problem.sets[i];
        const double *W = rows->W + rows->start[i];
        for (int k = set->first; k < set->first + set->size; k++, W += count) {
            for (int j = 0; j < count && F != NULL; j++) F[columns[j]] -= W[j] * P[k];
            if (gamma_out != NULL) gamma_out[k] = tp_row_velocity(count, columns, W, u);
        }
    }
}

void tp_implicit_book(tp_stepper *stepper, const tp_implicit_rows *rows, const double *P,
                      const double *u_from, const double *u_to)
{
    const tp_step_problem *problem = stepper->problem;
    for (int i = 0; i < problem->problem.set_count; i++) {
        const tp_set *set = &problem->problem.sets[i];
        for (int k = 0; k < set->size; k++) {
            int r = set->first + k;
            tp_account_row row = tp_account_law_row(stepper->system, problem->law[i], k,
                                                    rows->W + rows->start[i], stepper->chi[r]);
            tp_account_add(&stepper->account, &row, P[r], u_from, u_to);
        }
    }
}

void tp_implicit_book_at_states(tp_stepper *stepper, const tp_implicit_rows *rows, const tp_state *from,
                                tp_state *to, double dt, tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_implicit_book(stepper, rows, stepper->problem->P, to->u, to->u);
    for (int k = 0; k < stepper->problem->problem.row_count; k++) stepper->chi[k] *= 0.5;
    tp_stepper_keep_impulses(stepper, to, report);
    tp_system_move(system, from->t, from->q, from->u);
    for (int i = 0; i < system->law_count; i++) {
        const double *P = from->impulse + (size_t)i * TP_LAW_ROWS;
        double chi[TP_LAW_ROWS];
        int rows_of = tp_system_law(system, i)->row_count;
        bool has_impulse = false;
        for (int k = 0; k < rows_of; k++) has_impulse = has_impulse || P[k] != 0.0;
        if (!has_impulse) continue;
        tp_system_law_rows(system, i, rows->W, chi);
        for (int k = 0; k < rows_of; k++) report->applied_work -= 0.5 * P[k] * chi[k];
    }
    tp_stepper_add_work(stepper, from->t, from->q, from->u, 0.5 * dt, report);
    tp_stepper_add_work(stepper, to->t, to->q, to->u, 0.5 * dt, report);
}

void tp_implicit_refill(tp_stepper *stepper, const tp_sparse *pattern, const double *J,
                        const tp_implicit_rows *rows, const double *P, double dt, double spring_time)
{
    tp_step_problem *problem = stepper->problem;
    const tp_system *system = stepper->system;
    const tp_model *model = stepper->model;
    static const double no_b[TP_LAW_ROWS] = {0.0};
    int sets = problem->problem.set_count;
    tp_step_problem_begin(problem, pattern, J, NULL);
    for (int i = 0; i < sets; i++) {
        int first = problem->problem.row_count, law = problem->law[i],
            spring = law - stepper->system->law_count;
        const double *W = rows->W + rows->start[i];
        if (spring < 0) {
            tp_step_problem_add(problem, system, law, W, no_b, P + first, dt);
            for (int k = 0; k < problem->problem.row_count - first; k++) {
                if (rows->left_out[first + k] > 0.0)
                    tp_step_problem_leave_out(problem, i, k, rows->left_out[first + k]);
            }
        } else {
            double D = TP_LIST_AT(model->springs, tp_spring_contact, spring)->compliance;
            tp_step_problem_add_spring(problem, system, spring, W, D / (spring_time * spring_time), 0.0,
                                       P[first]);
        }
    }
}

void tp_implicit_velocity_sizes(const tp_system *system, const double *u, const double *h, const double *M,
                                double dt, double *size_out)
{
    double largest = 0.0;
    for (int j = 0; j < system->u_count; j++) {
        double inertia = M[tp_pattern_place(&system->mass_pattern, j, j)];
        size_out[j] = fabs(u[j]) + dt * fabs(h[j]) / inertia;
        largest = fmax(largest, size_out[j]);
    }
    if (!(largest > 0.0)) largest = 1.0;
    for (int j = 0; j < system->u_count; j++) size_out[j] = fmax(size_out[j], tp_rest_factor * largest);
}

double tp_implicit_row_size(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *chi,
                            const double *size)
{
    const tp_step_problem *problem = stepper->problem;
    double largest = 0.0;
    for (int i = 0; i < problem->problem.set_count; i++) {
        const int *columns, count = tp_system_columns_of(stepper->system, problem->law[i], &columns);
        const tp_set *set = &problem->problem.sets[i];
        const double *W = rows->W + rows->start[i];
        for (int k = set->first; k < set->first + set->size; k++, W += count) {
            double row = fabs(chi[k]);
            for (int j = 0; j < count; j++) row += fabs(W[j]) * size[columns[j]];
            largest = fmax(largest, row);
        }
    }
    return largest;
}

/* Rows of F: what changes of the size of the velocities make of them. */
static void measure_momentum(const tp_system *system, tp_implicit_matrices *matrices)
{
    double *work = matrices->work;
    tp_implicit_multiply_sizes(&system->mass_pattern, matrices->M, matrices->size, matrices->F_scale);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, matrices->J, matrices->size, work);
    for (int i = 0; i < system->u_count; i++) matrices->F_scale[i] = fmax(matrices->F_scale[i], work[i]);
}

/* Positions and velocities are known to rounding: what forces with these derivatives make of that in the time
   dt at the system's present point. */
static void measure_noise(const tp_system *system, tp_implicit_matrices *matrices, const double *u, double dt)
{
    int m = system->u_count;
    double *noise = matrices->F_noise, *work = matrices->work;
    tp_system_position_sizes(system, work);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, matrices->stiffness, work, noise);
    for (int j = 0; j < m; j++) work[j] = fabs(u[j]);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, matrices->damping, work, work + m);
    for (int i = 0; i < m; i++) noise[i] = DBL_EPSILON * dt * (noise[i] + work[m + i]);
}

void tp_implicit_finish_jacobian(const tp_stepper *stepper, tp_implicit_matrices *matrices, const double *u,
                                 double dt)
{
    const tp_system *system = stepper->system;
    for (int k = 0; k < tp_sparse_count(&system->mass_pattern); k++)
        matrices->J[system->mass_place[k]] += matrices->M[k];
    if (!matrices->is_measured) measure_momentum(system, matrices);
    matrices->is_measured = true;
    measure_noise(system, matrices, u, dt);
}

tp_status tp_implicit_solve(tp_stepper *stepper, const tp_implicit_matrices *matrices, void *self,
                            tp_implicit_residual *residual, tp_implicit_linearise *linearise, bool polish,
                            tp_step_report *report)
{
    tp_inclusion inclusion = {.self = self,
                              .linear = &stepper->problem->problem,
                              .residual = residual,
                              .linearise = linearise,
                              .F_scale = matrices->F_scale,
                              .xi_scale = matrices->xi_scale,
                              .F_noise = matrices->F_noise,
                              .xi_noise = matrices->xi_noise};
    if (!polish) return tp_stepper_solve_inclusion(stepper, &inclusion, report);
    memset(stepper->x, 0, (size_t)inclusion.linear->x_count * sizeof(double));
    return tp_stepper_polish_inclusion(stepper, &inclusion, stepper->x, stepper->problem->P, report);
}
