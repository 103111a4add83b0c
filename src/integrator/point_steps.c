/* Steps with the point (q, u); see point_steps.h. */
#include "point_steps.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

int tp_point_size(const tp_stepper *stepper)
{
    return stepper->system->q_count + stepper->system->u_count;
}

void tp_point_take(void *context, const tp_state *from, double *y_out)
{
    const tp_stepper *stepper = context;
    size_t n = (size_t)stepper->system->q_count;
    memcpy(y_out, from->q, n * sizeof(double));
    memcpy(y_out + n, from->u, (size_t)stepper->system->u_count * sizeof(double));
}

void tp_point_show(const tp_stepper *stepper, const double *y, tp_state *to)
{
    size_t n = (size_t)stepper->system->q_count;
    memcpy(to->q, y, n * sizeof(double));
    memcpy(to->u, y + n, (size_t)stepper->system->u_count * sizeof(double));
}

tp_status tp_point_full_pattern(tp_arena *arena, int n, tp_sparse *pattern_out)
{
    int *start = TP_ARENA_ARRAY(arena, int, n + 1), *index = TP_ARENA_ARRAY(arena, int, (size_t)n *(size_t)n);
    TP_TRY(tp_arena_status(arena));
    for (int j = 0; j <= n; j++) start[j] = j * n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) index[j * n + i] = i;
    *pattern_out = (tp_sparse){.rows = n, .cols = n, .start = start, .index = index};
    return TP_OK;
}

tp_status tp_point_differences(const tp_ode_equations *equations, double t, const double *y,
                               const double *most, double *work, tp_sparse *jacobian_out)
{
    int n = equations->n;
    double *at = work, *moved = work + n;
    TP_TRY(equations->rate(equations->context, t, y, at));
    memcpy(moved, y, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        double *column = jacobian_out->value + (size_t)j * (size_t)n;
        double change = sqrt(DBL_EPSILON) * fmax(fabs(y[j]), tp_difference_size);
        if (most != NULL) change = fmin(change, fmax(most[j], 4.0 * DBL_EPSILON * fabs(y[j])));
        moved[j] = y[j] + change;
        TP_TRY(equations->rate(equations->context, t, moved, column));
        for (int i = 0; i < n; i++) column[i] = (column[i] - at[i]) / (moved[j] - y[j]);
        moved[j] = y[j];
    }
    return TP_OK;
}

tp_status tp_point_integrate(tp_ode_steps *steps, double from, double to, tp_point_adder *add, void *context,
                             double *work)
{
    static const double place[] = {0.0, 0.17267316464601142810, 0.5, 0.82732683535398857190, 1.0},
                        weight[] = {1.0 / 20, 49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};
    for (int k = 0; k < 5; k++) {
        double t = k == 4 ? to : from + place[k] * (to - from);
        tp_ode_dense(tp_ode_steps_ode(steps), t, work);
        TP_TRY(add(context, t, work, weight[k] * (to - from)));
    }
    return TP_OK;
}

bool tp_point_may_change(const tp_stepper *stepper, bool *was_applied_io)
{
    bool acts = stepper->system->applied_count > 0, acted = *was_applied_io;
    *was_applied_io = acts;
    return acted || acts || stepper->model->inputs.count > 0;
}
