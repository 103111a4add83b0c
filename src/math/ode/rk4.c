/* The classical Runge-Kutta method of order 4 with fixed steps; cubic Hermite dense output. */
#include "methods.h"

#include <string.h>

enum { STAGES = 4 };

static const double c[STAGES] = {0.0, 0.5, 0.5, 1.0},
                    a[STAGES][STAGES - 1] = {{0.0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}};

static tp_status attempt(tp_ode *ode, double h, double *error_out)
{
    const tp_ode_tableau tableau = {c, a[0], STAGES - 1};
    double *const *k = ode->stage;
    int n = ode->equations.n;
    memcpy(k[0], ode->rate, (size_t)n * sizeof(double));
    TP_TRY(tp_ode_find_stages(ode, &tableau, ode->t, ode->y, h, 1, STAGES));
    for (int i = 0; i < n; i++)
        ode->next[i] = ode->y[i] + h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    TP_TRY(tp_ode_move(ode, true, ode->t + h, ode->next));

    /* Hermite's cubic needs the rate at the end, which the next step starts with. */
    TP_TRY(tp_ode_rate_at(ode, ode->t + h, ode->next, ode->next_rate));
    ode->knows_next_rate = true;
    tp_ode_set_cubic(ode, h, ode->y, ode->next, ode->rate, ode->next_rate);
    *error_out = 0.0;
    return TP_OK;
}

const tp_ode_kind tp_ode_rk4 = {.name = "rk4",
                                .estimate_order = 0,
                                .parts = 4,
                                .stages = STAGES,
                                .attempt = attempt,
                                .dense = tp_ode_dense_nested};
