/* What implicit steps share; theory/moreau-jean.md (6), (9). */
#include "implicit_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A coordinate at rest is judged with this part of the largest velocity. */
static const double rest_factor = 1e-3;

double tp_implicit_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void tp_implicit_multiply(int rows, int cols, const double *A, const double *x, double *y_out)
{
    for (int i = 0; i < rows; i++) y_out[i] = 0.0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) y_out[i] += A[i + (size_t)j * (size_t)rows] * x[j];
    }
}

tp_status tp_implicit_take(tp_arena *arena, const tp_implicit_array *arrays, size_t array_count)
{
    for (size_t k = 0; k < array_count; k++) {
        *arrays[k].array = TP_ARENA_ARRAY(arena, double, arrays[k].count);
        if (*arrays[k].array == NULL) return TP_OUT_OF_MEMORY;
    }
    return TP_OK;
}

void tp_implicit_refill(tp_stepper *stepper, const double *matrix, const double *W, const double *P,
                        double dt, double spring_time)
{
    tp_step_problem *problem = stepper->problem;
    const tp_model *model = stepper->model;
    static const double no_b[TP_LAW_ROWS] = {0.0};
    int m = stepper->system->u_count, sets = problem->problem.set_count;
    tp_step_problem_begin(problem, matrix, NULL);
    for (int i = 0; i < sets; i++) {
        int first = problem->problem.row_count, law = problem->law[i], spring = law - model->laws.count;
        const double *row = W + (size_t)first * (size_t)m;
        if (spring < 0) {
            tp_step_problem_add(problem, TP_LIST_AT(model->laws, tp_law, law), law, row, no_b, P + first, dt);
        } else {
            double D = TP_LIST_AT(model->springs, tp_spring_contact, spring)->compliance;
            tp_step_problem_add_spring(problem, spring, row, D / (spring_time * spring_time), 0.0, P[first]);
        }
    }
}

void tp_implicit_velocity_sizes(int m, const double *u, const double *h, const double *M, double dt,
                                double *size_out)
{
    double largest = 0.0;
    for (int j = 0; j < m; j++) {
        size_out[j] = fabs(u[j]) + dt * fabs(h[j]) / M[j + j * m];
        largest = fmax(largest, size_out[j]);
    }
    if (!(largest > 0.0)) largest = 1.0;
    for (int j = 0; j < m; j++) size_out[j] = fmax(size_out[j], rest_factor * largest);
}

double tp_implicit_row_size(int m, int row_count, const double *W, const double *chi, const double *size)
{
    double largest = 0.0;
    for (int k = 0; k < row_count; k++) {
        double row = fabs(chi[k]);
        for (int j = 0; j < m; j++) row += fabs(W[j + (size_t)k * (size_t)m]) * size[j];
        largest = fmax(largest, row);
    }
    return largest;
}

void tp_implicit_momentum_sizes(int m, const double *M, const double *J, const double *size,
                                double *F_scale_out)
{
    for (int i = 0; i < m; i++) {
        F_scale_out[i] = 0.0;
        for (int j = 0; j < m; j++) F_scale_out[i] += fmax(fabs(M[i + j * m]), fabs(J[i + j * m])) * size[j];
    }
}

void tp_implicit_noise(int m, int n, const double *dh_dq, const double *q, const double *dh_du,
                       const double *u, double dt, double *noise_out)
{
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += fabs(dh_dq[i + j * m] * q[j]);
        for (int j = 0; j < m; j++) sum += fabs(dh_du[i + j * m] * u[j]);
        noise_out[i] = DBL_EPSILON * dt * sum;
    }
}

double tp_implicit_position_noise(int m, const double *W, const double *q)
{
    double sum = 0.0;
    for (int j = 0; j < m; j++) sum += fabs(W[j] * q[j]);
    return DBL_EPSILON * sum;
}
