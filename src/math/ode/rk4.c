/* The classical Runge-Kutta method of order 4 with fixed steps; cubic Hermite dense output. */
#include "methods.h"

static tp_status stage(tp_ode *ode, double h, double share, const double *from, double *rate_out)
{
    const tp_ode_equations *e = &ode->equations;
    double t = ode->t + share * h;
    for (int i = 0; i < e->n; i++) ode->next[i] = ode->y[i] + share * h * from[i];
    if (e->stage) {
        ode->counts.stages++;
        TP_TRY(e->stage(e->context, t, ode->next));
    }
    return tp_ode_rate_at(ode, t, ode->next, rate_out);
}

static tp_status attempt(tp_ode *ode, double h, double *error_out)
{
    const tp_ode_equations *e = &ode->equations;
    double *const *k = ode->stage;
    TP_TRY(stage(ode, h, 0.5, ode->rate, k[0]));
    TP_TRY(stage(ode, h, 0.5, k[0], k[1]));
    TP_TRY(stage(ode, h, 1.0, k[1], k[2]));
    for (int i = 0; i < e->n; i++) {
        ode->next[i] = ode->y[i] + h / 6.0 * (ode->rate[i] + 2.0 * (k[0][i] + k[1][i]) + k[2][i]);
    }
    tp_status (*move)(void *, double, double *) = e->result ? e->result : e->stage;
    if (move) {
        ode->counts.results += move == e->result;
        ode->counts.stages += move != e->result;
        TP_TRY(move(e->context, ode->t + h, ode->next));
    }

    /* Hermite's cubic needs the rate at the end, which the next step starts with. */
    TP_TRY(tp_ode_rate_at(ode, ode->t + h, ode->next, ode->next_rate));
    ode->knows_next_rate = true;
    for (int i = 0; i < e->n; i++) {
        double rise = ode->next[i] - ode->y[i];
        ode->part[0][i] = ode->y[i];
        ode->part[1][i] = rise;
        ode->part[2][i] = h * ode->rate[i] - rise;
        ode->part[3][i] = rise - h * ode->next_rate[i] - ode->part[2][i];
    }
    *error_out = 0.0;
    return TP_OK;
}

const tp_ode_kind tp_ode_rk4 = {.name = "rk4",
                                .estimate_order = 0,
                                .parts = 4,
                                .stages = 3,
                                .attempt = attempt,
                                .dense = tp_ode_dense_nested};
