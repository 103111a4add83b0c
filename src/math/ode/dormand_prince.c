/* Dormand and Prince's pair of orders 5 and 4; docs/theory/ode.md (1)-(4). Stages and results may be moved by
   the caller: the scheme is then one for the equation whose rate is taken at moved points. */
#include "methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static const double c[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};

/* b of order 5 minus b of order 4. */
static const double difference[STAGES] = {35.0 / 384 - 5179.0 / 57600,
                                          0.0,
                                          500.0 / 1113 - 7571.0 / 16695,
                                          125.0 / 192 - 393.0 / 640,
                                          -2187.0 / 6784 + 92097.0 / 339200,
                                          11.0 / 84 - 187.0 / 2100,
                                          -1.0 / 40};

/* The last coefficient of the dense output. */
static const double bend[STAGES] = {-12715105075.0 / 11282082432,  0.0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};

static const tp_ode_tableau tableau = {c, a[0], STAGES - 1};

/* h |df/dy| along the difference of the last two stages, both at the end of the step: above the reach of the
   method along the negative axis the equation is stiff. 0 where rounding hides it. */
static double find_stiffness(const tp_ode *ode, double h)
{
    const double *y6 = ode->stage[STAGES + 1], *k6 = ode->stage[STAGES - 2], *k7 = ode->stage[STAGES - 1];
    double rates = 0.0, points = 0.0, size = 0.0;
    for (int i = 0; i < ode->equations.n; i++) {
        rates = hypot(rates, k7[i] - k6[i]);
        points = hypot(points, ode->next[i] - y6[i]);
        size = hypot(size, ode->next[i]);
    }
    return points > 1e3 * DBL_EPSILON * size ? h * rates / points : 0.0;
}

/* The point of order 4 that the new one is compared with, moved in the same way. */
static tp_status compare(tp_ode *ode, double h, double *error_out)
{
    double *lower = ode->stage[STAGES], *between = ode->part[4]; /* free until the dense output */
    tp_ode_place(ode, &tableau, ode->y, h, STAGES - 1, lower);
    tp_ode_add_stages(ode, difference, STAGES, between);
    for (int i = 0; i < ode->equations.n; i++) lower[i] -= h * between[i];
    TP_TRY(tp_ode_move(ode, true, ode->t + h, lower));
    *error_out = tp_ode_norm(ode, ode->next, lower, ode->next);
    return TP_OK;
}

static void set_dense(tp_ode *ode, double h)
{
    tp_ode_set_cubic(ode, h, ode->y, ode->next, ode->stage[0], ode->stage[STAGES - 1]);
    tp_ode_add_stages(ode, bend, STAGES, ode->part[4]);
    for (int i = 0; i < ode->equations.n; i++) ode->part[4][i] *= h;
}

static tp_status attempt(tp_ode *ode, double h, double *error_out)
{
    size_t bytes = (size_t)ode->equations.n * sizeof(double);
    memcpy(ode->stage[0], ode->rate, bytes);
    TP_TRY(tp_ode_find_stages(ode, &tableau, ode->t, ode->y, h, 1, STAGES - 1));
    memcpy(ode->stage[STAGES + 1], ode->next, bytes); /* for the stiffness */
    TP_TRY(tp_ode_find_stages(ode, &tableau, ode->t, ode->y, h, STAGES - 1, STAGES));
    ode->stiffness = find_stiffness(ode, h);

    /* The last stage is the result, unless that is moved in a way of its own. */
    ode->knows_next_rate = !ode->equations.result;
    if (ode->equations.result) {
        tp_ode_place(ode, &tableau, ode->y, h, STAGES - 1, ode->next);
        TP_TRY(tp_ode_move(ode, true, ode->t + h, ode->next));
    } else {
        memcpy(ode->next_rate, ode->stage[STAGES - 1], bytes);
    }
    *error_out = 0.0;
    if (ode->options.fixed_step == 0.0) TP_TRY(compare(ode, h, error_out));
    set_dense(ode, h);
    return TP_OK;
}

const tp_ode_kind tp_ode_dormand_prince = {.name = "dormand-prince",
                                           .estimate_order = 4,
                                           .parts = 5,
                                           .stages = STAGES + 2,
                                           .attempt = attempt,
                                           .dense = tp_ode_dense_nested};
