/* Orders, references of public test problems, step control, moved stages, restarts of the ODE methods. The
   stiff and smooth problems and their reference solutions are those of the Test Set for Initial Value Problem
   Solvers. */
#include "check.h"
#include "math/ode/ode.h"

#include <float.h>
#include <string.h>

enum { MOST = 32 };

/* ---- problems ---- */

typedef struct problem {
    int n;
    double begin, end;
    double start[MOST], reference[MOST];
    tp_status (*rate)(void *context, double t, const double *y, double *f);
    tp_status (*jacobian)(void *context, double t, const double *y, tp_sparse *J); /* dense pattern */
} problem;

/* y' = (y2, -y1) scaled by a rate that depends on time: y = (sin, cos) of t + t^2/2. */
static tp_status turn(void *context, double t, const double *y, double *f)
{
    (void)context;
    f[0] = (1.0 + t) * y[1];
    f[1] = -(1.0 + t) * y[0];
    return TP_OK;
}

static tp_status turn_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)y;
    const double value[4] = {0.0, -(1.0 + t), 1.0 + t, 0.0};
    memcpy(J->value, value, sizeof value);
    return TP_OK;
}

static problem turning(void)
{
    problem p = {.n = 2, .end = 2.0, .start = {0.0, 1.0}, .rate = turn, .jacobian = turn_jacobian};
    p.reference[0] = sin(4.0);
    p.reference[1] = cos(4.0);
    return p;
}

static tp_status van_der_pol(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    f[0] = y[1];
    f[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    return TP_OK;
}

static tp_status van_der_pol_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)t;
    const double value[4] = {0.0, (-2.0 * y[0] * y[1] - 1.0) / 1e-6, 1.0, (1.0 - y[0] * y[0]) / 1e-6};
    memcpy(J->value, value, sizeof value);
    return TP_OK;
}

static tp_status robertson(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return TP_OK;
}

static tp_status robertson_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)t;
    double a = 1e4 * y[2], b = 1e4 * y[1], c = 6e7 * y[1];
    const double value[9] = {-0.04, 0.04, 0.0, a, -a - c, c, b, -b, 0.0};
    memcpy(J->value, value, sizeof value);
    return TP_OK;
}

static tp_status oregonator(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    f[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
    return TP_OK;
}

static tp_status oregonator_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)t;
    const double value[9] = {77.27 * (1.0 - 2.0 * 8.375e-6 * y[0] - y[1]),
                             -y[1] / 77.27,
                             0.161,
                             77.27 * (1.0 - y[0]),
                             -(1.0 + y[0]) / 77.27,
                             0.0,
                             0.0,
                             1.0 / 77.27,
                             -0.161};
    memcpy(J->value, value, sizeof value);
    return TP_OK;
}

/* The seven stars of the Pleiades: x, y, x', y'. */
static tp_status pleiades(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    for (int i = 0; i < 7; i++) {
        f[i] = y[14 + i];
        f[7 + i] = y[21 + i];
        f[14 + i] = f[21 + i] = 0.0;
        for (int j = 0; j < 7; j++) {
            double dx = y[j] - y[i], dy = y[7 + j] - y[7 + i], r2 = dx * dx + dy * dy;
            if (i == j) continue;
            f[14 + i] += (j + 1) * dx / (r2 * sqrt(r2));
            f[21 + i] += (j + 1) * dy / (r2 * sqrt(r2));
        }
    }
    return TP_OK;
}

static problem seven_stars(void)
{
    return (problem){.n = 28,
                     .end = 3.0,
                     .start = {3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4, /* x, y */
                               0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0},
                     .reference = {0.3706139143970502, 3.237284092057233, -3.222559032418324,
                                   0.6597091455775310, 0.3425581707156584, 1.562172101400631,
                                   -0.7003092922212495, -3.943437585517392, -3.271380973972550,
                                   5.225081843456543, -2.590612434977470, 1.198213693392275,
                                   -0.2429682344935824, 1.091449240428980},
                     .rate = pleiades};
}

/* Arenstorf's closed orbit of a satellite between earth and moon. */
static tp_status arenstorf(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    const double mu = 0.012277471, rest = 1.0 - mu;
    double a = pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
    double b = pow((y[0] - rest) * (y[0] - rest) + y[1] * y[1], 1.5);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2.0 * y[3] - rest * (y[0] + mu) / a - mu * (y[0] - rest) / b;
    f[3] = y[1] - 2.0 * y[2] - rest * y[1] / a - mu * y[1] / b;
    return TP_OK;
}

static problem satellite(void)
{
    problem p = {.n = 4,
                 .end = 17.0652165601579625588917206249,
                 .start = {0.994, 0.0, 0.0, -2.00158510637908252240537862224},
                 .rate = arenstorf};
    memcpy(p.reference, p.start, sizeof p.reference);
    return p;
}

/* ---- runs ---- */

typedef struct dense_pattern {
    int start[MOST + 1], index[MOST * MOST];
    tp_sparse sparse;
} dense_pattern;

static void fill_pattern(dense_pattern *pattern, int n)
{
    for (int j = 0; j <= n; j++) pattern->start[j] = j * n;
    for (int e = 0; e < n * n; e++) pattern->index[e] = e % n;
    pattern->sparse = (tp_sparse){.rows = n, .cols = n, .start = pattern->start, .index = pattern->index};
}

static tp_ode *make(const problem *p, const tp_ode_options *options)
{
    static dense_pattern pattern; /* read by tp_ode_create alone */
    fill_pattern(&pattern, p->n);
    tp_ode_equations equations = {
        .n = p->n, .rate = p->rate, .jacobian = p->jacobian, .pattern = &pattern.sparse};
    tp_ode *ode = NULL;
    tp_message why = {""};
    if (tp_ode_create(NULL, &equations, options, &ode, &why) != TP_OK) print_error("%s\n", why.text);
    assert_non_null(ode);
    return ode;
}

/* Most steps of a run here are some thousands: more means an estimate that does not fall with the step. */
enum { MOST_STEPS = 200000 };

static void run_to(tp_ode *ode, double end)
{
    int count = 0;
    while (tp_ode_time(ode) < end) {
        assert_int_equal(tp_ode_step(ode, end), TP_OK);
        assert_true(count++ < MOST_STEPS);
    }
}

/* Largest error at the end, of the first `count` components, relative to `scale` of each. */
static double end_error(const tp_ode *ode, const problem *p, int count, bool is_relative)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        double scale = is_relative ? fabs(p->reference[i]) : 1.0;
        worst = fmax(worst, fabs(tp_ode_state(ode)[i] - p->reference[i]) / scale);
    }
    return worst;
}

static double fixed_error(const problem *p, tp_ode_method method, int steps, double *dense_out)
{
    tp_ode_options options = tp_ode_options_default(method);
    options.fixed_step = p->end / steps;
    options.rtol = options.atol = 1e-13; /* of the stiff method's iterations */
    tp_ode *ode = make(p, &options);
    double worst = 0.0, y[MOST];
    assert_int_equal(tp_ode_start(ode, 0.0, p->start), TP_OK);
    while (tp_ode_time(ode) < p->end) {
        assert_int_equal(tp_ode_step(ode, p->end), TP_OK);
        const tp_ode_report *step = tp_ode_last_step(ode);
        assert_int_equal(tp_ode_complete(ode), TP_OK);
        for (int k = 1; k < 8; k++) {
            double t = step->begin + k / 8.0 * (step->end - step->begin), angle = t + 0.5 * t * t;
            tp_ode_dense(ode, t, y);
            worst = fmax(worst, hypot(y[0] - sin(angle), y[1] - cos(angle)));
        }
    }
    double error = end_error(ode, p, p->n, false);
    if (dense_out) *dense_out = worst;
    tp_ode_free(ode);
    return error;
}

/* Halving the step divides the error by 2^order; the next term of the expansion adds a share of order h. */
TEST(fixed_steps_have_the_order_of_their_method)
{
    problem p = turning();
    const struct {
        tp_ode_method method;
        int steps;
        double order, dense_order;
    } list[] = {{TP_ODE_DORMAND_PRINCE, 40, 5.0, 5.0},
                {TP_ODE_DORMAND_PRINCE_8, 12, 8.0, 8.0},
                {TP_ODE_RK4, 80, 4.0, 4.0},
                {TP_ODE_RADAU, 20, 5.0, 4.0}};
    for (int k = 0; k < 4; k++) {
        double dense[2], coarse = fixed_error(&p, list[k].method, list[k].steps, &dense[0]);
        double fine = fixed_error(&p, list[k].method, 2 * list[k].steps, &dense[1]);
        CHECK_NEAR(log2(coarse / fine), list[k].order, 0.25);
        CHECK_NEAR(log2(dense[0] / dense[1]), list[k].dense_order, 0.25);
    }
}

static double adaptive_error(const problem *p, tp_ode_method method, double rtol, double atol, int count,
                             bool is_relative)
{
    tp_ode_options options = tp_ode_options_default(method);
    options.rtol = rtol, options.atol = atol;
    tp_ode *ode = make(p, &options);
    assert_int_equal(tp_ode_start(ode, 0.0, p->start), TP_OK);
    run_to(ode, p->end);
    double error = end_error(ode, p, count, is_relative);
    tp_ode_free(ode);
    return error;
}

/* Digits of the test set's references: the stiff method reaches the tolerance times a modest factor (below
   100 in the set's own work-precision diagrams of RADAU5). */
TEST(stiff_problems_reach_their_published_references)
{
    problem vdp = {.n = 2,
                   .end = 2.0,
                   .start = {2.0, 0.0},
                   .reference = {1.706167732170483, -0.8928097010247975},
                   .rate = van_der_pol,
                   .jacobian = van_der_pol_jacobian};
    problem rober = {.n = 3,
                     .end = 1e11,
                     .start = {1.0, 0.0, 0.0},
                     .reference = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
                     .rate = robertson,
                     .jacobian = robertson_jacobian};
    problem orego = {.n = 3,
                     .end = 360.0,
                     .start = {1.0, 2.0, 3.0},
                     .reference = {1.000814870318523, 1228.178521549917, 132.0554942846706},
                     .rate = oregonator,
                     .jacobian = oregonator_jacobian};
    CHECK(adaptive_error(&vdp, TP_ODE_RADAU, 1e-8, 1e-8, 2, true) < 1e-6);
    CHECK(adaptive_error(&rober, TP_ODE_RADAU, 1e-8, 1e-20, 3, true) < 1e-6);
    CHECK(adaptive_error(&orego, TP_ODE_RADAU, 1e-9, 1e-9, 3, true) < 1e-7);
    CHECK(adaptive_error(&vdp, TP_ODE_RADAU, 1e-11, 1e-11, 2, true) < 1e-9);
}

/* Seven stars: errors grow along the motion by a factor of some 1e3 in the references' diagrams. */
TEST(seven_stars_reach_their_published_reference)
{
    problem p = seven_stars();
    CHECK(adaptive_error(&p, TP_ODE_DORMAND_PRINCE, 1e-12, 1e-12, 14, false) < 1e-8);
    CHECK(adaptive_error(&p, TP_ODE_DORMAND_PRINCE_8, 1e-12, 1e-12, 14, false) < 1e-8);
}

/* Errors follow the tolerance: over six decades the slope of log(error) over log(tolerance) is 1 (0.8 and 5/6
   for error per step of estimates of one order less; not above 1.3). */
TEST(errors_follow_the_tolerance)
{
    problem p = satellite();
    double loose = adaptive_error(&p, TP_ODE_DORMAND_PRINCE, 1e-7, 1e-7, 4, false);
    double tight = adaptive_error(&p, TP_ODE_DORMAND_PRINCE, 1e-12, 1e-12, 4, false);
    double slope = log10(loose / tight) / 5.0;
    CHECK(slope > 0.8 && slope < 1.3);

    problem q = turning();
    q.end = 2.0;
    slope = log10(adaptive_error(&q, TP_ODE_RADAU, 1e-5, 1e-5, 2, false) /
                  adaptive_error(&q, TP_ODE_RADAU, 1e-11, 1e-11, 2, false)) /
            6.0;
    CHECK(slope > 0.8 && slope < 1.3);
}

/* ---- Jacobians that are not exact ---- */

static tp_status rough_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    tp_status status = van_der_pol_jacobian(context, t, y, J);
    for (int e = 0; e < 4; e++) J->value[e] *= 1.02;
    return status;
}

TEST(a_rough_jacobian_costs_iterations_and_no_accuracy)
{
    problem p = {.n = 2,
                 .end = 2.0,
                 .start = {2.0, 0.0},
                 .reference = {1.706167732170483, -0.8928097010247975},
                 .rate = van_der_pol,
                 .jacobian = rough_jacobian};
    CHECK(adaptive_error(&p, TP_ODE_RADAU, 1e-8, 1e-8, 2, true) < 1e-6);
}

/* ---- a pencil in place of the Jacobian ---- */

/* y0' = f0 and 2 y1' = z, z = 2 f1: (c E - F)(x, z) = E (r, 0) is (c - J) x = r. */
static tp_status van_der_pol_pencil(void *context, double t, const double *y, double *E, double *F)
{
    double value[4];
    int start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
    tp_sparse J = {2, 2, start, index, value};
    tp_status status = van_der_pol_jacobian(context, t, y, &J);
    const double e[9] = {1, 0, 0, 0, 2, 0, 0, 0, 0}, /* by columns */
        f[9] = {value[0], 0, 2 * value[1], value[2], 0, 2 * value[3], 0, 1, -1};
    memcpy(E, e, sizeof e);
    memcpy(F, f, sizeof f);
    return status;
}

/* The same steps, and the same result up to the rounding of other factors. */
TEST(a_pencil_gives_the_steps_of_the_jacobian)
{
    int start2[] = {0, 2, 4}, index2[] = {0, 1, 0, 1}, start3[] = {0, 3, 6, 9},
        index3[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const tp_sparse small = {2, 2, start2, index2, NULL}, large = {3, 3, start3, index3, NULL};
    const double from[] = {2.0, 0.0};
    double end[2][2];
    long long steps[2];
    for (int k = 0; k < 2; k++) {
        tp_ode_options options = tp_ode_options_default(TP_ODE_RADAU);
        options.rtol = options.atol = 1e-8;
        tp_ode_equations equations = {.n = 2,
                                      .rate = van_der_pol,
                                      .jacobian = van_der_pol_jacobian,
                                      .pattern = k == 0 ? &small : &large,
                                      .pencil = k == 0 ? NULL : van_der_pol_pencil};
        tp_ode *ode = NULL;
        CHECK_INT(tp_ode_create(NULL, &equations, &options, &ode, NULL), TP_OK);
        CHECK_INT(tp_ode_start(ode, 0.0, from), TP_OK);
        run_to(ode, 2.0);
        memcpy(end[k], tp_ode_state(ode), sizeof end[k]);
        steps[k] = tp_ode_counts(ode)->accepted;
        tp_ode_free(ode);
    }
    CHECK_INT(steps[1], steps[0]);
    for (int i = 0; i < 2; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-11);
}

/* ---- moved stages ---- */

typedef struct circle {
    int stages, results;
} circle;

static tp_status onto_circle(void *context, double t, double *y)
{
    (void)t;
    double r = hypot(y[0], y[1]);
    y[0] /= r, y[1] /= r;
    ((circle *)context)->stages++;
    return TP_OK;
}

static tp_status result_onto_circle(void *context, double t, double *y)
{
    onto_circle(context, t, y);
    ((circle *)context)->stages--;
    ((circle *)context)->results++;
    return TP_OK;
}

static double moved_error(tp_ode_method method, int steps, bool has_result, double *off_circle)
{
    problem p = turning();
    circle calls = {0};
    tp_ode_options options = tp_ode_options_default(method);
    if (steps > 0) options.fixed_step = p.end / steps;
    tp_ode_equations equations = {.n = 2,
                                  .context = &calls,
                                  .rate = turn,
                                  .stage = onto_circle,
                                  .result = has_result ? result_onto_circle : NULL};
    tp_ode *ode = NULL;
    assert_int_equal(tp_ode_create(NULL, &equations, &options, &ode, NULL), TP_OK);
    assert_int_equal(tp_ode_start(ode, 0.0, p.start), TP_OK);
    run_to(ode, p.end);
    double error = end_error(ode, &p, 2, false);
    *off_circle = fabs(hypot(tp_ode_state(ode)[0], tp_ode_state(ode)[1]) - 1.0);

    /* k1 is found anew after each accepted step if results are moved in a way of their own, and kept after a
       rejected one: 7 rates for an accepted step, 6 for a rejected one. Order 8: 12 and 11 in any case,
       and one result. */
    const tp_ode_statistics *n = tp_ode_counts(ode);
    int first = 1, guess = steps > 0 ? 0 : 1;
    if (method == TP_ODE_DORMAND_PRINCE_8) {
        assert_int_equal(n->rates, 12 * n->accepted + 11 * n->rejected + first + guess);
        assert_int_equal(n->results, has_result ? n->accepted + n->rejected : 0);
    } else if (has_result) {
        assert_int_equal(n->rates, 7 * n->accepted + 6 * n->rejected + first + guess);
        assert_int_equal(n->results, (steps > 0 ? 1 : 2) * (n->accepted + n->rejected));
    } else {
        assert_int_equal(n->rates, 6 * (n->accepted + n->rejected) + first + guess);
    }
    assert_int_equal(calls.stages, n->stages);
    assert_int_equal(calls.results, n->results);
    tp_ode_free(ode);
    return error;
}

TEST(moved_stages_keep_the_order_and_their_counts_are_told)
{
    for (int has_result = 0; has_result < 2; has_result++) {
        double off, coarse = moved_error(TP_ODE_DORMAND_PRINCE, 40, has_result, &off);
        CHECK_NEAR(off, 0.0, 4.0 * DBL_EPSILON);
        CHECK(log2(coarse / moved_error(TP_ODE_DORMAND_PRINCE, 80, has_result, &off)) >
              4.75); /* only phases are left: near 6 here */
        CHECK(moved_error(TP_ODE_DORMAND_PRINCE, 0, has_result, &off) < 1e-4);
        coarse = moved_error(TP_ODE_DORMAND_PRINCE_8, 16, has_result, &off);
        CHECK_NEAR(off, 0.0, 4.0 * DBL_EPSILON);
        CHECK(log2(coarse / moved_error(TP_ODE_DORMAND_PRINCE_8, 32, has_result, &off)) > 7.5);
        CHECK(moved_error(TP_ODE_DORMAND_PRINCE_8, 0, has_result, &off) < 1e-4);
    }
}

/* ---- failures ---- */

/* Not defined beyond y = 1, which the solution y = tanh t never reaches. */
static tp_status bounded(void *context, double t, const double *y, double *f)
{
    (void)t;
    if (y[0] >= 1.0) return context ? TP_INTERRUPTED : TP_NOT_CONVERGED;
    f[0] = 1.0 - y[0] * y[0];
    return TP_OK;
}

TEST(a_rate_that_fails_shortens_the_step_and_an_interrupt_ends_it)
{
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
    options.first_step = 4.0;
    const double start = 0.0;
    int yes = 1;
    for (int interrupts = 0; interrupts < 2; interrupts++) {
        tp_ode_equations equations = {.n = 1, .rate = bounded, .context = interrupts ? &yes : NULL};
        tp_ode *ode = NULL;
        CHECK_INT(tp_ode_create(NULL, &equations, &options, &ode, NULL), TP_OK);
        CHECK_INT(tp_ode_start(ode, 0.0, &start), TP_OK);
        tp_status status = tp_ode_step(ode, 4.0);
        CHECK_INT(status, interrupts ? TP_INTERRUPTED : TP_OK);
        CHECK_INT(tp_ode_counts(ode)->failures > 0, !interrupts);
        if (interrupts) CHECK_NEAR(tp_ode_time(ode), 0.0, 0.0);
        tp_ode_free(ode);
    }
}

/* y' = y^2 from 1 ends at t = 1: the steps fall below the rounding of t, and the point before is kept. */
static tp_status blow_up(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    f[0] = y[0] * y[0];
    return TP_OK;
}

TEST(a_solution_that_ends_is_not_stepped_over)
{
    problem p = {.n = 1, .end = 2.0, .start = {1.0}, .rate = blow_up};
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
    tp_ode *ode = make(&p, &options);
    CHECK_INT(tp_ode_start(ode, 0.0, p.start), TP_OK);
    tp_status status = TP_OK;
    while (status == TP_OK && tp_ode_time(ode) < p.end) status = tp_ode_step(ode, p.end);
    CHECK_INT(status, TP_NOT_CONVERGED);
    CHECK_NEAR(tp_ode_time(ode), 1.0, 1e-4); /* errors of 1e-6 a step move the end by about as much */
    tp_ode_free(ode);
}

/* ---- control ---- */

/* Stiff for an explicit method: steps stay at the limit of stability, and classical control makes them jump
   up and down there. */
static tp_status stable(void *context, double t, const double *y, double *f)
{
    (void)context;
    const double decay = 100.0, spin = 500.0;
    double x = y[0] - cos(t), z = y[1] - sin(t);
    f[0] = -decay * x - spin * z - sin(t);
    f[1] = spin * x - decay * z + cos(t);
    return TP_OK;
}

TEST(pi_control_has_smooth_steps_at_the_limit_of_stability)
{
    double roughness[2];
    problem p = {.n = 2, .end = 4.0, .start = {1.0, 0.0}, .rate = stable};
    for (int k = 0; k < 2; k++) {
        tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
        options.damping = k == 0 ? 0.0 : 0.08;
        tp_ode *ode = make(&p, &options);
        CHECK_INT(tp_ode_start(ode, 0.0, p.start), TP_OK);
        run_to(ode, 2.0);
        int count = 0;
        for (roughness[k] = 0.0; tp_ode_time(ode) < 3.9; count++) {
            double before = tp_ode_next_step(ode);
            CHECK_INT(tp_ode_step(ode, p.end), TP_OK);
            roughness[k] += fabs(log(tp_ode_next_step(ode) / before));
        }
        roughness[k] /= count;
        tp_ode_free(ode);
    }
    CHECK(roughness[1] < 0.1 * roughness[0]);
}

TEST(steps_end_at_the_limit_and_below_the_largest_size)
{
    problem p = turning();
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
    options.max_step = 0.03;
    tp_ode *ode = make(&p, &options);
    CHECK_INT(tp_ode_start(ode, 0.0, p.start), TP_OK);
    for (int k = 1; k <= 20; k++) {
        double limit = 0.1 * k;
        while (tp_ode_time(ode) < limit) {
            CHECK_INT(tp_ode_step(ode, limit), TP_OK);
            const tp_ode_report *step = tp_ode_last_step(ode);
            CHECK(step->end - step->begin <= options.max_step * (1.0 + 2e-4) && step->error <= 1.0);
        }
        CHECK_NEAR(tp_ode_time(ode), limit, 0.0);
    }
    CHECK_INT(tp_ode_step(ode, 1.0), TP_INVALID_ARGUMENT);
    tp_ode_free(ode);
}

/* y' = t^degree. */
static tp_status power(void *context, double t, const double *y, double *f)
{
    (void)y;
    f[0] = pow(t, *(const int *)context);
    return TP_OK;
}

static tp_status no_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)t, (void)y;
    J->value[0] = 0.0;
    return TP_OK;
}

/* The error estimate of a step over y' = t^degree, in units of the tolerance. */
static double estimate_of_power(tp_ode_method method, int degree, double tolerance)
{
    static dense_pattern pattern;
    fill_pattern(&pattern, 1);
    tp_ode_options options = tp_ode_options_default(method);
    options.rtol = options.atol = tolerance;
    options.first_step = 0.25;
    tp_ode_equations equations = {
        .n = 1, .context = &degree, .rate = power, .jacobian = no_jacobian, .pattern = &pattern.sparse};
    tp_ode *ode = NULL;
    assert_int_equal(tp_ode_create(NULL, &equations, &options, &ode, NULL), TP_OK);
    const double zero = 0.0;
    assert_int_equal(tp_ode_start(ode, 0.0, &zero), TP_OK);
    assert_int_equal(tp_ode_step(ode, 1.0), TP_OK);
    double error = tp_ode_last_step(ode)->error;
    tp_ode_free(ode);
    return error;
}

/* Both formulas of a pair integrate polynomials below the order of the lower one exactly: what is left is
   rounding, some eps of y = 1 over the tolerance. One degree more, and the estimate sees it. */
TEST(estimates_vanish_for_polynomials_up_to_their_order)
{
    const double tolerance = 1e-3;
    static const struct {
        tp_ode_method method;
        int order;
    } pairs[] = {{TP_ODE_DORMAND_PRINCE, 4}, {TP_ODE_DORMAND_PRINCE_8, 5}, {TP_ODE_RADAU, 3}};
    for (int k = 0; k < 3; k++) {
        for (int degree = 0; degree < pairs[k].order; degree++)
            CHECK(estimate_of_power(pairs[k].method, degree, tolerance) <= 64.0 * DBL_EPSILON / tolerance);
        CHECK(estimate_of_power(pairs[k].method, pairs[k].order, tolerance) > 1e-6);
    }
}

/* ---- restart ---- */

TEST(a_continued_integration_has_the_same_bits)
{
    problem p = turning();
    const tp_ode_method methods[] = {TP_ODE_DORMAND_PRINCE, TP_ODE_DORMAND_PRINCE_8, TP_ODE_RK4,
                                     TP_ODE_RADAU};
    for (int m = 0; m < 4; m++) {
        tp_ode_options options = tp_ode_options_default(methods[m]);
        options.damping = 0.04;
        if (methods[m] == TP_ODE_RK4) options.fixed_step = 0.01;
        tp_ode *whole = make(&p, &options), *rest = make(&p, &options);
        double memory[256];
        assert_true(tp_ode_memory_count(methods[m], 2) <= 256);
        CHECK_INT(tp_ode_start(whole, 0.0, p.start), TP_OK);
        for (int k = 0; k < 3; k++) CHECK_INT(tp_ode_step(whole, p.end), TP_OK);
        tp_ode_memory(whole, memory);
        CHECK_INT(tp_ode_resume(rest, tp_ode_time(whole), tp_ode_state(whole), memory), TP_OK);
        run_to(whole, p.end);
        run_to(rest, p.end);
        CHECK_INT(memcmp(tp_ode_state(whole), tp_ode_state(rest), 2 * sizeof(double)), 0);
        memory[0] = NAN;
        CHECK_INT(tp_ode_resume(rest, 0.0, p.start, memory), TP_INVALID_DATA);
        tp_ode_free(whole);
        tp_ode_free(rest);
    }
}

/* ---- refusals ---- */

TEST(unsound_options_are_refused)
{
    tp_ode_equations equations = {.n = 2, .rate = turn};
    tp_ode *ode = NULL;
    tp_message why = {""};
    tp_ode_options good = tp_ode_options_default(TP_ODE_DORMAND_PRINCE), bad = good;
    bad.rtol = 0.0;
    CHECK_INT(tp_ode_create(NULL, &equations, &bad, &ode, &why), TP_INVALID_ARGUMENT);
    bad = good, bad.grow = 0.5;
    CHECK_INT(tp_ode_create(NULL, &equations, &bad, &ode, &why), TP_INVALID_ARGUMENT);
    bad = good, bad.first_step = NAN;
    CHECK_INT(tp_ode_create(NULL, &equations, &bad, &ode, &why), TP_INVALID_ARGUMENT);
    bad = tp_ode_options_default(TP_ODE_RK4);
    CHECK_INT(tp_ode_create(NULL, &equations, &bad, &ode, &why), TP_INVALID_ARGUMENT);
    bad = tp_ode_options_default(TP_ODE_RADAU);
    CHECK_INT(tp_ode_create(NULL, &equations, &bad, &ode, &why), TP_INVALID_ARGUMENT);
    CHECK(ode == NULL && why.text[0] != '\0');
}

TEST_MAIN(RUNS(estimates_vanish_for_polynomials_up_to_their_order),
          RUNS(fixed_steps_have_the_order_of_their_method),
          RUNS(stiff_problems_reach_their_published_references),
          RUNS(seven_stars_reach_their_published_reference), RUNS(errors_follow_the_tolerance),
          RUNS(a_rough_jacobian_costs_iterations_and_no_accuracy),
          RUNS(a_pencil_gives_the_steps_of_the_jacobian),
          RUNS(moved_stages_keep_the_order_and_their_counts_are_told),
          RUNS(a_rate_that_fails_shortens_the_step_and_an_interrupt_ends_it),
          RUNS(a_solution_that_ends_is_not_stepped_over),
          RUNS(pi_control_has_smooth_steps_at_the_limit_of_stability),
          RUNS(steps_end_at_the_limit_and_below_the_largest_size),
          RUNS(a_continued_integration_has_the_same_bits), RUNS(unsound_options_are_refused))
