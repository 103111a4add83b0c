/* What implicit steps share; theory/moreau-jean.md (6), (9). */
#include "implicit_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A coordinate at rest is judged with this part of the largest velocity. */
static const double rest_factor = 1e-3;

tp_status tp_implicit_take_rows(const tp_stepper *stepper, tp_arena *arena, tp_implicit_rows *rows_out)
{
    const tp_model *model = stepper->model;
    size_t entries = 0;
    for (int i = 0; i < model->laws.count + model->springs.count; i++) {
        int rows = i < model->laws.count ? TP_LIST_AT(model->laws, tp_law, i)->row_count : 1;
        entries += (size_t)rows * (size_t)tp_system_law_column_count(stepper->system, i);
    }
    /* laws that stay open also need room for their rows while it is decided: that of the largest */
    entries += TP_LAW_ROWS * (size_t)stepper->system->largest_columns;
    rows_out->W = TP_ARENA_ARRAY(arena, double, entries);
    rows_out->start = TP_ARENA_ARRAY(arena, size_t, stepper->problem->capacity_sets + 1);
    rows_out->left_out = TP_ARENA_ARRAY(arena, double, stepper->problem->capacity_rows);
    return rows_out->W != NULL && rows_out->start != NULL && rows_out->left_out != NULL ? TP_OK
                                                                                        : TP_OUT_OF_MEMORY;
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

void tp_implicit_leave_out(const tp_stepper *stepper, const tp_implicit_rows *rows)
{
    int i = stepper->problem->problem.set_count - 1, law = stepper->problem->law[i];
    const tp_set *set = &stepper->problem->problem.sets[i];
    for (int k = 0; k < set->size; k++) {
        rows->left_out[set->first + k] = 0.0;
        if (!tp_redundancy_leaves_out(stepper->redundancy, law, k)) continue;
        rows->left_out[set->first + k] = tp_redundancy_diagonal(stepper->redundancy, law, k);
        tp_step_problem_leave_out(stepper->problem, k, rows->left_out[set->first + k]);
    }
    tp_implicit_hide_rows(stepper, rows, i);
}

tp_status tp_implicit_take(tp_arena *arena, const tp_implicit_array *arrays, size_t array_count)
{
    for (size_t k = 0; k < array_count; k++) {
        *arrays[k].array = TP_ARENA_ARRAY(arena, double, arrays[k].count);
        if (*arrays[k].array == NULL) return TP_OUT_OF_MEMORY;
    }
    return TP_OK;
}

void tp_implicit_multiply(const tp_sparse *pattern, const double *A, const double *x, double *y_out)
{
    memset(y_out, 0, (size_t)pattern->rows * sizeof(double));
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            y_out[pattern->index[k]] += A[k] * x[j];
    }
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
        int count = tp_system_law_column_count(stepper->system, problem->law[i]);
        const int *columns = tp_system_law_columns(stepper->system, problem->law[i]);
        const tp_set *set = &problem->problem.sets[i];
        const double *W = rows->W + rows->start[i];
        for (int k = set->first; k < set->first + set->size; k++, W += count) {
            for (int j = 0; j < count && F != NULL; j++) F[columns[j]] -= W[j] * P[k];
            if (gamma_out != NULL) gamma_out[k] = tp_row_velocity(count, columns, W, u);
        }
    }
}

void tp_implicit_refill(tp_stepper *stepper, const double *J, const tp_implicit_rows *rows, const double *P,
                        double dt, double spring_time)
{
    tp_step_problem *problem = stepper->problem;
    const tp_system *system = stepper->system;
    const tp_model *model = stepper->model;
    static const double no_b[TP_LAW_ROWS] = {0.0};
    int sets = problem->problem.set_count;
    tp_step_problem_begin(problem, &system->jacobian_pattern, J, NULL);
    for (int i = 0; i < sets; i++) {
        int first = problem->problem.row_count, law = problem->law[i], spring = law - model->laws.count;
        const double *W = rows->W + rows->start[i];
        if (spring < 0) {
            tp_step_problem_add(problem, system, law, W, no_b, P + first, dt);
            for (int k = 0; k < problem->problem.row_count - first; k++) {
                if (rows->left_out[first + k] > 0.0)
                    tp_step_problem_leave_out(problem, k, rows->left_out[first + k]);
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
    for (int j = 0; j < system->u_count; j++) size_out[j] = fmax(size_out[j], rest_factor * largest);
}

double tp_implicit_row_size(const tp_stepper *stepper, const tp_implicit_rows *rows, const double *chi,
                            const double *size)
{
    const tp_step_problem *problem = stepper->problem;
    double largest = 0.0;
    for (int i = 0; i < problem->problem.set_count; i++) {
        int count = tp_system_law_column_count(stepper->system, problem->law[i]);
        const int *columns = tp_system_law_columns(stepper->system, problem->law[i]);
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

void tp_implicit_momentum_sizes(const tp_system *system, const double *M, const double *J, const double *size,
                                double *F_scale_out, double *work)
{
    tp_implicit_multiply_sizes(&system->mass_pattern, M, size, F_scale_out);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, J, size, work);
    for (int i = 0; i < system->u_count; i++) F_scale_out[i] = fmax(F_scale_out[i], work[i]);
}

void tp_implicit_noise(const tp_system *system, const double *stiffness, const double *damping,
                       const double *u, double dt, double *noise_out, double *work)
{
    int m = system->u_count;
    tp_system_position_sizes(system, work);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, stiffness, work, noise_out);
    for (int j = 0; j < m; j++) work[j] = fabs(u[j]);
    tp_implicit_multiply_sizes(&system->jacobian_pattern, damping, work, work + m);
    for (int i = 0; i < m; i++) noise_out[i] = DBL_EPSILON * dt * (noise_out[i] + work[m + i]);
}
