/* First-order states with relays, diodes and other relations under theta-gamma; docs/theory/theta-gamma.md.
   Truth comes from closed forms, from the equations of a step written out here, and from all 16 cases of the
   diode bridge. */
#include "simulations.h"

#include <float.h>

#define RELAY                                                                                                \
    "states: [{name: x, initial: 1.01, rate: s}]\n"                                                          \
    "relations: [{name: s, y: x, law: relay}]\n"

static tp_simulation *simulate_gamma(const tp_scene *scene, double dt, double end, double theta, double gamma,
                                     tp_gamma_variant variant)
{
    tp_simulation_options options = options_of("theta-gamma", dt, end);
    options.gamma_method = (tp_gamma_options){theta, gamma, variant};
    return simulate_options(scene->model, options);
}

static double state(const tp_simulation *simulation, int i)
{
    return tp_simulation_states(simulation)[i];
}

static double multiplier(const tp_simulation *simulation, int i)
{
    return tp_simulation_multipliers(simulation)[i];
}

/* ---- relays ---- */

TEST(an_implicit_relay_stops_at_exactly_zero)
{
    tp_scene *scene = scene_of(RELAY);
    tp_simulation *simulation = simulate_gamma(scene, 0.1, 2.0, 1.0, 1.0, TP_GAMMA_STANDARD);
    for (int k = 1; k <= 20; k++) {
        step_to(simulation, 0.1 * k);
        if (k <= 10) { /* each step subtracts h, to the rounding of ten sums */
            CHECK_NEAR(state(simulation, 0), 1.01 - 0.1 * k, 10 * DBL_EPSILON);
            CHECK(multiplier(simulation, 0) == -1.0);
        } else {
            CHECK(state(simulation, 0) == 0.0);
            CHECK_NEAR(multiplier(simulation, 0), k == 11 ? -0.1 : 0.0, 1e-13); /* x/h, x has 10 eps */
        }
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* r_k counts with 1 - gamma: the multiplier swings, the state does not. */
TEST(a_relay_with_gamma_one_half_stops_at_zero_in_the_standard_scheme_and_swings_in_the_full_one)
{
    tp_scene *scene = scene_of(RELAY);
    tp_simulation *standard = simulate_gamma(scene, 0.1, 4.0, 0.5, 0.5, TP_GAMMA_STANDARD),
                  *full = simulate_gamma(scene, 0.1, 4.0, 0.5, 0.5, TP_GAMMA_FULL);
    run(standard);
    CHECK_NEAR(state(standard, 0), 0.0, 1e-15);
    for (int k = 1; k <= 40; k++) {
        step_to(full, 0.1 * k);
        if (k > 10) CHECK_NEAR(state(full, 0), k % 2 == 1 ? -0.01 : 0.01, 1e-14); /* x_{k+1/2} = 0 */
    }
    tp_simulation_free(standard);
    tp_simulation_free(full);
    tp_scene_free(scene);
}

/* x' = lambda - 1 above 0: it falls, and then lambda holds it. */
TEST(a_complementarity_without_D_sticks_at_the_boundary)
{
    tp_scene *scene = scene_of("states: [{name: x, initial: 0.35, rate: l - 1}]\n"
                               "relations: [{name: l, y: x}]\n");
    tp_simulation *simulation = simulate_gamma(scene, 0.1, 1.0, 1.0, 1.0, TP_GAMMA_STANDARD);
    for (int k = 1; k <= 10; k++) {
        step_to(simulation, 0.1 * k);
        CHECK_NEAR(state(simulation, 0), fmax(0.35 - 0.1 * k, 0.0), 4 * DBL_EPSILON);
        if (k > 4) CHECK_NEAR(multiplier(simulation, 0), 1.0, 1e-14);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Two relays at once: a disc slides along its normal and stops with no component left. */
TEST(a_ball_law_stops_a_vector_at_zero_along_a_straight_line)
{
    tp_scene *scene =
        scene_of("states: [{name: x, initial: 0.6, rate: s.l1}, {name: y, initial: 0.8, rate: s.l2}]\n"
                 "relations: [{name: s, y: [x, y], law: ball, radius: 2}]\n");
    tp_simulation *simulation = simulate_gamma(scene, 0.1, 1.0, 1.0, 1.0, TP_GAMMA_STANDARD);
    for (int k = 1; k <= 8; k++) {
        step_to(simulation, 0.1 * k);
        double left = fmax(1.0 - 0.2 * k, 0.0); /* speed 2 along (0.6, 0.8) */
        CHECK_NEAR(state(simulation, 0), 0.6 * left, 1e-13);
        CHECK_NEAR(state(simulation, 1), 0.8 * left, 1e-13);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- the diode bridge ---- */

#define BRIDGE                                                                                               \
    "parameters: {L: 1e-2, C: 1e-6, R: 1e3}\n"                                                               \
    "states:\n"                                                                                              \
    "  - {name: vC, initial: 10, rate: (-iL - d3 + d4)/C}\n"                                                 \
    "  - {name: iL, rate: vC/L}\n"                                                                           \
    "relations:\n"                                                                                           \
    "  - {name: d1, y: (d1 + d2)/R - d3}\n"                                                                  \
    "  - {name: d2, y: (d1 + d2)/R - d4}\n"                                                                  \
    "  - {name: d3, y: d1 - vC}\n"                                                                           \
    "  - {name: d4, y: d2 + vC}\n"                                                                           \
    "storage: C*vC^2/2 + L*iL^2/2\n"

enum { DIODES = 4 };

/* Solves a dense n x n system by elimination with pivoting; false: singular. */
static bool solve_dense(int n, double a[DIODES][DIODES + 1])
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) p = fabs(a[i][k]) > fabs(a[p][k]) ? i : p;
        if (fabs(a[p][k]) < 1e-12) return false;
        for (int j = 0; j <= n; j++) {
            double kept = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = kept;
        }
        for (int i = 0; i < n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j <= n && i != k; j++) a[i][j] -= factor * a[k][j];
        }
    }
    return true;
}

/* 0 <= y = W l + b _|_ l >= 0 by trying all sets of conducting diodes. */
static void enumerate(double W[DIODES][DIODES], const double *b, double *l)
{
    double best = INFINITY;
    for (int active = 0; active < 1 << DIODES; active++) {
        int index[DIODES], n = 0;
        double a[DIODES][DIODES + 1], trial[DIODES] = {0.0}, error = 0.0;
        for (int i = 0; i < DIODES; i++)
            if (active >> i & 1) index[n++] = i;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) a[i][j] = W[index[i]][index[j]];
            a[i][n] = -b[index[i]];
        }
        if (!solve_dense(n, a)) continue;
        for (int i = 0; i < n; i++) trial[index[i]] = a[i][n] / a[i][i];
        for (int i = 0; i < DIODES; i++) {
            double y = b[i];
            for (int j = 0; j < DIODES; j++) y += W[i][j] * trial[j];
            error = fmax(error, fmax(-y, -trial[i]));
        }
        if (error >= best) continue;
        best = error;
        for (int i = 0; i < DIODES; i++) l[i] = trial[i];
    }
}

/* One step of implicit Euler, written out: x = W (x0 + h B l), y = C x + D l. */
static void euler_bridge(double h, double *v, double *i)
{
    const double L = 1e-2, C = 1e-6, R = 1e3, det = 1.0 + h * h / (L * C);
    const double Wx[2][2] = {{1.0 / det, -h / C / det}, {h / L / det, 1.0 / det}};
    const double B[2][DIODES] = {{0, 0, -1 / C, 1 / C}, {0}}, Cy[DIODES][2] = {{0}, {0}, {-1, 0}, {1, 0}},
                 D[DIODES][DIODES] = {
                     {1 / R, 1 / R, -1, 0}, {1 / R, 1 / R, 0, -1}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    double free[2], W[DIODES][DIODES], b[DIODES], l[DIODES] = {0.0};
    for (int k = 0; k < 2; k++) free[k] = Wx[k][0] * *v + Wx[k][1] * *i;
    for (int k = 0; k < DIODES; k++) {
        b[k] = Cy[k][0] * free[0] + Cy[k][1] * free[1];
        for (int j = 0; j < DIODES; j++) {
            double WB[2] = {Wx[0][0] * B[0][j] + Wx[0][1] * B[1][j], Wx[1][0] * B[0][j] + Wx[1][1] * B[1][j]};
            W[k][j] = D[k][j] + h * (Cy[k][0] * WB[0] + Cy[k][1] * WB[1]);
        }
    }
    enumerate(W, b, l);
    double r[2] = {0.0, 0.0};
    for (int j = 0; j < DIODES; j++) r[0] += B[0][j] * l[j];
    *v = free[0] + h * (Wx[0][0] * r[0] + Wx[0][1] * r[1]);
    *i = free[1] + h * (Wx[1][0] * r[0] + Wx[1][1] * r[1]);
}

TEST(the_diode_bridge_is_that_of_its_equations_written_out)
{
    tp_scene *scene = scene_of(BRIDGE);
    const double h = 5e-6;
    tp_simulation *simulation = simulate_gamma(scene, h, 5e-3, 1.0, 1.0, TP_GAMMA_STANDARD);
    double v = 10.0, i = 0.0;
    for (int k = 1; k <= 1000; k++) {
        step_to(simulation, k * h);
        euler_bridge(h, &v, &i);
        /* rounding of a step, 10 eps of 10 V, over the steps: the scheme damps it */
        CHECK_NEAR(state(simulation, 0), v, 2e-12);
        CHECK_NEAR(state(simulation, 1), i, 2e-13);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* P A + A^T P = 0, P B = C^T: S falls by dt (d1 + d2)^2 / R alone, lambda.y = 0. */
TEST(the_full_scheme_dissipates_exactly_what_the_bridge_does)
{
    tp_scene *scene = scene_of(BRIDGE);
    const double h = 5e-6;
    tp_simulation *simulation = simulate_gamma(scene, h, 5e-3, 0.5, 0.5, TP_GAMMA_FULL),
                  *midpoint = simulate_gamma(scene, h, 5e-3, 0.5, 0.5, TP_GAMMA_MIDPOINT);
    double before = tp_simulation_report(simulation)->storage_initial;
    CHECK_NEAR(before, 5e-5, 1e-19);
    for (int k = 1; k <= 1000; k++) {
        step_to(simulation, k * h);
        step_to(midpoint, k * h);
        const tp_step_report *step = tp_simulation_last_step(simulation);
        double current = multiplier(simulation, 0) + multiplier(simulation, 1);
        CHECK_NEAR(step->storage - before, -h * current * current / 1e3, 40 * DBL_EPSILON * 5e-5);
        CHECK_NEAR(step->supply, 0.0, 40 * DBL_EPSILON * 5e-5);
        before = step->storage;
        CHECK_NEAR(state(midpoint, 0), state(simulation, 0), 1e-11); /* the same in the linear case */
    }
    CHECK(tp_simulation_report(simulation)->largest_storage_increase <= 40 * DBL_EPSILON * 5e-5);
    tp_simulation_free(simulation);
    tp_simulation_free(midpoint);
    tp_scene_free(scene);
}

/* The local form of a step's problem is h gamma C W B + D, up to a factor of all rows and the unit of P. */
TEST(the_problem_of_a_step_is_that_of_the_specification)
{
    tp_scene *scene = scene_of(BRIDGE);
    const double h = 5e-6, C = 1e-6, R = 1e3, det = 1.0 + h * h / (1e-2 * C);
    tp_simulation *simulation = simulate_gamma(scene, h, 5e-3, 1.0, 1.0, TP_GAMMA_STANDARD);
    step_to(simulation, h);
    tp_problem *local = NULL;
    CHECK_INT(tp_problem_reduce(NULL, tp_simulation_problem(simulation), &local, NULL), TP_OK);
    double g = h / C / det; /* h W_vv / C */
    const double expected[DIODES][DIODES] = {
        {1 / R, 1 / R, -1, 0}, {1 / R, 1 / R, 0, -1}, {1, 0, g, -g}, {0, 1, -g, g}};
    CHECK_INT(local->row_count, DIODES);
    for (int k = 0; k < DIODES; k++) {
        for (int e = local->D.start[k]; e < local->D.start[k + 1]; e++)
            CHECK_NEAR(h * local->D.value[local->D.offset[e]], expected[k][local->D.column[e]], 1e-13 * g);
    }
    tp_problem_free(local);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- orders ---- */

static double oscillator_error(double dt, double theta, tp_gamma_variant variant)
{
    tp_scene *scene = scene_of("states: [{name: x, initial: 1, rate: v}, {name: v, rate: -x}]\n");
    tp_simulation *simulation = simulate_gamma(scene, dt, 1.0, theta, theta, variant);
    run(simulation);
    double error = hypot(state(simulation, 0) - cos(1.0), state(simulation, 1) + sin(1.0));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return error;
}

TEST(smooth_systems_are_stepped_with_order_one_and_for_theta_one_half_two)
{
    for (int variant = 0; variant < 3; variant++) {
        double second = oscillator_error(0.02, 0.5, variant) / oscillator_error(0.01, 0.5, variant),
               first = oscillator_error(0.02, 1.0, variant) / oscillator_error(0.01, 1.0, variant);
        CHECK_NEAR(log2(second), 2.0, 0.01); /* the next term is dt^2 = 4e-4 smaller */
        CHECK_NEAR(log2(first), 1.0, 0.03);  /* ... dt/2 smaller */
    }
}

/* ---- nonlinear relations: 2x' = -sin x - 1 + 0.2 cos t + r, y = x^3 + x - 0.5 + 0.2 l, r = sinh l (+ ...)
 * ----
 */

#define TYPE_2(more)                                                                                         \
    "states: [{name: x, initial: 1, rate: \"-sin(x) - 1 + 0.2*cos(t) + sinh(l)" more "\"}]\n"                \
    "state_mass: {\"x,x\": 2}\n"                                                                             \
    "relations: [{name: l, y: x^3 + x - 0.5 + 0.2*l}]\n"

static void check_nonlinear(void **check_state_, const char *text, double mixed, tp_gamma_variant variant,
                            tp_relation_type type)
{
    tp_scene *scene = scene_of(text);
    const double h = 0.05, theta = variant == TP_GAMMA_STANDARD ? 1.0 : 0.5;
    tp_relation_info info;
    CHECK(tp_model_relation(scene->model, 0, &info));
    CHECK_INT(info.type, type);
    tp_simulation *simulation = simulate_gamma(scene, h, 2.0, theta, theta, variant);
    int conducting = 0, most = 0;
    for (int k = 1; k <= 40; k++) {
        double x0 = state(simulation, 0), t0 = (k - 1) * h;
        step_to(simulation, k * h);
        double x1 = state(simulation, 0), l = multiplier(simulation, 0), t1 = k * h;
        double share = variant == TP_GAMMA_STANDARD ? 1.0 : 0.5, x = x0 + share * (x1 - x0),
               t = t0 + share * h;
        double f0 = -sin(x0) - 1 + 0.2 * cos(t0), f1 = -sin(x1) - 1 + 0.2 * cos(t1),
               fm = -sin(x) - 1 + 0.2 * cos(t), r = sinh(l) + mixed * x * l,
               y = x * x * x + x - 0.5 + 0.2 * l;
        double f = variant == TP_GAMMA_MIDPOINT ? fm : theta * f1 + (1 - theta) * f0;
        CHECK_NEAR(2 * (x1 - x0) - h * f - h * r, 0.0, 1e-12); /* S11: three iterations reach it */
        CHECK(y >= -1e-12 && l >= 0.0 && y * l <= 1e-12);
        conducting += l > 0.0;
        int iterations = tp_simulation_last_step(simulation)->iterations;
        most = iterations > most ? iterations : most;
    }
    CHECK(conducting > 5);
    CHECK(most <= 4); /* one more: steps are solved to 1e-14 */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(nonlinear_relations_are_solved_by_newton_in_a_few_steps)
{
    for (int variant = 0; variant < 3; variant++) {
        check_nonlinear(check_state_, TYPE_2(""), 0.0, variant, TP_RELATION_TYPE_2);
        check_nonlinear(check_state_, TYPE_2(" + 0.1*x*l"), 0.1, variant, TP_RELATION_NONLINEAR);
    }
}

TEST(types_of_relations_are_found)
{
    static const struct {
        const char *rate, *y;
        tp_relation_type type;
    } cases[] = {{"l - sin(x)", "x + 2*l", TP_RELATION_LINEAR}, /* f may be anything */
                 {"sinh(l)", "x^3", TP_RELATION_TYPE_1},
                 {"sinh(l)", "x^3 + l", TP_RELATION_TYPE_2},
                 {"x*l", "x", TP_RELATION_NONLINEAR}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[256];
        snprintf(text, sizeof text, "states: [{name: x, rate: %s}]\nrelations: [{name: l, y: %s}]\n",
                 cases[k].rate, cases[k].y);
        tp_scene *scene = scene_of(text);
        tp_relation_info info;
        CHECK(tp_model_relation(scene->model, 0, &info));
        CHECK_INT(info.type, cases[k].type);
        tp_scene_free(scene);
    }
}

/* ---- many states ---- */

/* Nodes with capacitors, a diode with a resistor from each to the next, a source at the first. */
static tp_model *make_ladder(int nodes)
{
    tp_model *model = NULL;
    tp_message why = {""};
    if (tp_model_create(NULL, &model) != TP_OK) fail();
    for (int k = 0; k < nodes; k++) {
        char name[16], rate[128], first[48] = "", in[16] = "", out[16] = "";
        snprintf(name, sizeof name, "v%d", k);
        if (k == 0) snprintf(first, sizeof first, "10*sin(300*t) - v0 + ");
        if (k > 0) snprintf(in, sizeof in, "d%d", k - 1);
        if (k < nodes - 1) snprintf(out, sizeof out, " - d%d", k);
        snprintf(rate, sizeof rate, "(%s%s%s - 0.01*v%d)*1000", first, k > 0 ? in : "0", out, k);
        tp_state_def def = {.name = name, .rate = TP_FORMULA(rate)};
        if (tp_model_add_state(model, &def, NULL, &why) != TP_OK) fail_msg("%s", why.text);
    }
    for (int k = 0; k < nodes - 1; k++) {
        char name[16], y[64];
        snprintf(name, sizeof name, "d%d", k);
        snprintf(y, sizeof y, "d%d + v%d - v%d", k, k + 1, k);
        tp_function output = TP_FORMULA(y);
        tp_relation_def def = tp_relation_def_default();
        def.name = name;
        def.output = &output;
        def.size = 1;
        if (tp_model_add_relation(model, &def, NULL, &why) != TP_OK) fail_msg("%s", why.text);
    }
    if (tp_model_finish(model, NULL, &why) != TP_OK) fail_msg("%s", why.text);
    return model;
}

/* Largest error of equations and laws of the last step. */
static double ladder_error(int nodes, double h, double t, const double *x0, const double *x, const double *d)
{
    double error = 0.0;
    for (int k = 0; k < nodes; k++) {
        double current = (k > 0 ? d[k - 1] : 10 * sin(300 * t) - x[0]) - (k < nodes - 1 ? d[k] : 0.0);
        error = fmax(error, fabs(x[k] - x0[k] - h * 1000 * (current - 0.01 * x[k])));
    }
    for (int k = 0; k < nodes - 1; k++)
        error = fmax(error, fabs(fmin(d[k], d[k] + x[k + 1] - x[k]))); /* min(lambda, y) = 0 */
    return error;
}

/* Few states are unknowns, many are rows of the problem: both solve the same equations. */
TEST(a_ladder_of_diodes_holds_its_equations_however_long_it_is)
{
    enum { MOST = 600 };
    static const int sizes[] = {3, 200, 201, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        static double before[MOST];
        tp_model *model = make_ladder(sizes[k]);
        const double h = 1e-4;
        tp_simulation *simulation = simulate_with(model, "theta-gamma", h, 1.0);
        size_t bytes = (size_t)sizes[k] * sizeof(double);
        for (int step = 1; step <= 40; step++) {
            memcpy(before, tp_simulation_states(simulation), bytes);
            step_to(simulation, step * h);
            double error = ladder_error(sizes[k], h, step * h, before, tp_simulation_states(simulation),
                                        tp_simulation_multipliers(simulation));
            CHECK_NEAR(error, 0.0, 1e-12); /* of 10 V and 10 A, a thousand roundings as other steps */
        }
        CHECK(tp_simulation_states(simulation)[1] > 0.1);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* ---- models ---- */

TEST(sizes_of_relations_are_checked_and_told)
{
    tp_scene *scene =
        scene_of("states: [{name: x, rate: s.l1 + s.l2 + s.l3 + s.l4}]\n"
                 "relations: [{name: s, y: [x, 2*x, s.l3 + x, s.l4], law: ball, law_size: 2, radius: 1}]\n");
    tp_relation_info info;
    CHECK(tp_model_relation(scene->model, 0, &info));
    CHECK_INT(info.size, 4);
    CHECK_INT(info.law_size, 2);
    CHECK_INT(info.relation_count, 2);
    CHECK_INT(tp_model_summarise(scene->model).multiplier_count, 4);
    tp_scene_free(scene);
    static const char *const wrong[][2] = {
        {"states: [{name: x, rate: s.l1}]\nrelations: [{name: s, y: [x, x, x], law: ball, law_size: 2}]\n",
         "relation 's' has 3 outputs and laws of size 2"},
        {"states: [{name: x, rate: s}]\nrelations: [{name: s, y: x, law: box, lower: 2, upper: 1}]\n",
         "lower must not be above upper"},
        {"states: [{name: x, rate: s}]\nrelations: [{name: s, y: x, radius: 1}]\n", "unless law: ball"},
        {"states: [{name: x, rate: s + z}]\nrelations: [{name: s, y: x}]\n", "z"},
        {"states: [{name: x, rate: 1/x}]\n", "the rate of 'x' at the start is not a finite number"},
        {"states: [{name: x, rate: x}]\ncoordinates: [q]\nkinetic: q'^2\npotential: q*x\n",
         "the potential depends on a state; forces, wrenches and sensors may"},
        {"states: [{name: x, rate: x}]\nstate_mass: {\"x,y\": 1}\n", "there is no state 'y'"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        tp_message why = {""};
        tp_scene *none = NULL;
        tp_status status =
            tp_scene_read_memory(NULL, "s.yaml", wrong[k][0], strlen(wrong[k][0]), NULL, 0, &none, &why);
        if (status == TP_OK || !strstr(why.text, wrong[k][1]) || strncmp(why.text, "s.yaml:", 7) != 0)
            fail_msg("%s\n-> %s", wrong[k][0], why.text);
    }
}

/* A C function of names: f = -3 (x - y), its gradient over (y, x) in that order. */
static double pull(void *self, const double *z)
{
    return *(const double *)self * (z[1] - z[0]);
}

static void pull_gradient(void *self, const double *z, double *gradient)
{
    (void)z;
    gradient[0] = -*(const double *)self;
    gradient[1] = *(const double *)self;
}

TEST(c_functions_of_names_give_the_bits_of_formulas)
{
    double factor = -3.0, end[2][2];
    for (int is_c = 0; is_c < 2; is_c++) {
        static const char *const names[] = {"y", "x"};
        tp_model *model = NULL;
        tp_message why = {""};
        CHECK_INT(tp_model_create(NULL, &model), TP_OK);
        tp_function rate = TP_FORMULA("-3*(x - y)");
        if (is_c)
            rate = (tp_function){.self = &factor,
                                 .arguments = names,
                                 .argument_count = 2,
                                 .value_of = pull,
                                 .gradient_of = pull_gradient};
        tp_state_def x = {.name = "x", .initial = 1.0, .rate = rate},
                     y = {.name = "y", .initial = 0.25, .rate = TP_FORMULA("x - y")};
        CHECK_INT(tp_model_add_state(model, &x, NULL, &why), TP_OK);
        CHECK_INT(tp_model_add_state(model, &y, NULL, &why), TP_OK);
        if (tp_model_finish(model, NULL, &why) != TP_OK) fail_msg("%s", why.text);
        tp_simulation *simulation = simulate_with(model, "theta-gamma", 0.1, 1.0);
        run(simulation);
        for (int k = 0; k < 2; k++) end[is_c][k] = state(simulation, k);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

/* The multipliers of a start follow from D where it determines them, and a restart has the same bits. */
TEST(a_continued_run_has_the_bits_of_an_unbroken_one)
{
    tp_scene *scene = scene_of(BRIDGE);
    const double h = 5e-6;
    for (int variant = 0; variant < 3; variant++) {
        tp_simulation *whole = simulate_gamma(scene, h, 1.0, 0.5, 0.5, variant),
                      *part = simulate_gamma(scene, h, 1.0, 0.5, 0.5, variant);
        CHECK_NEAR(multiplier(whole, 0), 10.0, 1e-12); /* d1 conducts: its voltage is vC, its current vC/R */
        CHECK_NEAR(multiplier(whole, 2), 0.01, 1e-15);
        run_steps(whole, 60, h);
        tp_restart restart;
        tp_simulation_checkpoint(whole, &restart);
        CHECK_INT(tp_simulation_restore(part, &restart, NULL), TP_OK);
        for (int k = 61; k <= 120; k++) {
            step_to(whole, k * h);
            step_to(part, k * h);
        }
        CHECK(memcmp(tp_simulation_states(whole), tp_simulation_states(part), 2 * sizeof(double)) == 0);
        CHECK(memcmp(tp_simulation_multipliers(whole), tp_simulation_multipliers(part),
                     DIODES * sizeof(double)) == 0);
        tp_simulation_free(whole);
        tp_simulation_free(part);
    }
    tp_scene_free(scene);
}

/* ---- beside mechanics ---- */

/* A compliance as a relation: y = q + D l >= 0, force l; a contact lasts pi sqrt(m D), and the scheme of a
   compliant contact with theta = 1/2 leaves with these speeds (specification 8.2). */
TEST(a_mechanical_relation_may_depend_on_its_multiplier)
{
    static const struct {
        double dt, speed;
    } cases[] = {{1e-2, 1.00062}, {5e-3, 1.000072}};
    for (size_t k = 0; k < 2; k++) {
        tp_scene *scene = scene_of("coordinates: [{name: q, initial: 0.5, velocity: -1}]\n"
                                   "kinetic: q'^2\n"
                                   "relations: [{name: l, y: q + 0.01*l}]\n"
                                   "forces: {q: l}\n");
        tp_simulation *simulation = simulate_with(scene->model, "moreau-jean", cases[k].dt, 1.2),
                      *first_order = simulate_gamma(scene, cases[k].dt, 1.2, 0.5, 1.0, TP_GAMMA_STANDARD);
        double depth = 0.0;
        for (int i = 1; i <= lround(1.2 / cases[k].dt); i++) {
            step_to(simulation, i * cases[k].dt);
            depth = fmin(depth, tp_simulation_q(simulation)[0]);
        }
        run(first_order);
        CHECK_NEAR(tp_simulation_u(simulation)[0], cases[k].speed, 5e-6); /* its last digit */
        CHECK_NEAR(depth, -0.141421, 2e-4);                               /* a dt^2/8 between the steps */
        CHECK(tp_simulation_u(first_order)[0] == tp_simulation_u(simulation)[0]);
        tp_simulation_free(simulation);
        tp_simulation_free(first_order);
        tp_scene_free(scene);
    }
}

/* All couplings at once, nonlinear: equations of the step written out hold, after few linearisations. */
TEST(states_and_mechanics_are_one_inclusion)
{
    tp_scene *scene = scene_of("coordinates: [{name: q, initial: 0.4, velocity: 0.5}]\n"
                               "kinetic: q'^2\n"
                               "states: [{name: i, initial: 0.3, rate: sin(q) - i^3 - q'*i + s}]\n"
                               "relations: [{name: s, y: i*cos(q) + 0.1*q' + 0.2*s - 0.1, law: relay}]\n"
                               "forces: {q: i^2 - q + s*i - q'^3}\n");
    const double h = 0.05;
    tp_simulation *simulation = simulate_with(scene->model, "moreau-jean", h, 2.0);
    int most = 0;
    for (int k = 1; k <= 40; k++) {
        double q0 = tp_simulation_q(simulation)[0], u0 = tp_simulation_u(simulation)[0],
               i0 = state(simulation, 0), s0 = multiplier(simulation, 0);
        step_to(simulation, k * h);
        double q = tp_simulation_q(simulation)[0], u = tp_simulation_u(simulation)[0],
               i = state(simulation, 0), s = multiplier(simulation, 0);
        double F0 = i0 * i0 - q0 + s0 * i0 - u0 * u0 * u0, F1 = i * i - q + s * i - u * u * u;
        CHECK_NEAR(q - q0, h * (u0 + u) / 2, 1e-14);
        CHECK_NEAR(2 * (u - u0), h * (F0 + F1) / 2, 1e-12);
        CHECK_NEAR(i - i0, h * (sin(q) - i * i * i - u * i + s), 1e-12);
        double y = i * cos(q) + 0.1 * u + 0.2 * s - 0.1, free = s - y;
        CHECK_NEAR(s, free > 1.0 ? 1.0 : (free < -1.0 ? -1.0 : free), 1e-12); /* proj(s - y) */
        int iterations = tp_simulation_last_step(simulation)->iterations;
        most = iterations > most ? iterations : most;
    }
    CHECK(most <= 4); /* quadratic: derivatives that are wrong or missing take more */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A moment on a body that follows a state, and a state that follows the body's turning: L i' = 1 - w. */
TEST(a_state_drives_a_body_and_feels_it)
{
    tp_scene *scene = scene_of("bodies: [{name: rotor, mass: 1, inertia: [1, 1, 2]}]\n"
                               "states: [{name: i, rate: 1 - rotor.omega.z}]\n"
                               "forces: [{body: rotor, moment: [0, 0, 2*i], frame: body}]\n");
    tp_simulation_options options = options_of("moreau-jean", 1e-3, 1.0);
    options.gamma_method = (tp_gamma_options){0.5, 0.5, TP_GAMMA_STANDARD};
    tp_simulation *simulation = simulate_options(scene->model, options);
    run(simulation);
    /* i'' = -i: i = sin t, w = 1 - cos t; second order, dt^2/12 */
    CHECK_NEAR(state(simulation, 0), sin(1.0), 1e-7);
    CHECK_NEAR(tp_simulation_u(simulation)[5], 1.0 - cos(1.0), 1e-7);
    CHECK_NEAR(tp_simulation_report(simulation)->largest_energy_increase, 0.0,
               1e-12); /* its work is booked */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- free bodies under the variants of moreau-jean ---- */

TEST(the_variants_start_and_end_turn_a_body_by_different_angles)
{
    tp_scene *scene =
        scene_of("bodies: [{name: top, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 2]}]\n");
    static const tp_theta_variant variants[] = {TP_THETA_START, TP_THETA_END};
    const double dt = 0.1, w = 2.0, angle[] = {2 * atan(dt * w / 2), 2 * asin(dt * w / 2)};
    for (int k = 0; k < 2; k++) {
        tp_simulation_options options = options_of("moreau-jean", dt, 1.0);
        options.theta_method.variant = variants[k];
        tp_simulation *simulation = simulate_options(scene->model, options);
        step_to(simulation, dt);
        const double *q = tp_simulation_q(simulation);
        CHECK_NEAR(2 * atan2(q[6], q[3]), angle[k], 1e-14);
        tp_simulation_free(simulation);
    }
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(an_implicit_relay_stops_at_exactly_zero),
          RUNS(a_relay_with_gamma_one_half_stops_at_zero_in_the_standard_scheme_and_swings_in_the_full_one),
          RUNS(a_complementarity_without_D_sticks_at_the_boundary),
          RUNS(a_ball_law_stops_a_vector_at_zero_along_a_straight_line),
          RUNS(the_diode_bridge_is_that_of_its_equations_written_out),
          RUNS(the_full_scheme_dissipates_exactly_what_the_bridge_does),
          RUNS(the_problem_of_a_step_is_that_of_the_specification),
          RUNS(smooth_systems_are_stepped_with_order_one_and_for_theta_one_half_two),
          RUNS(nonlinear_relations_are_solved_by_newton_in_a_few_steps), RUNS(types_of_relations_are_found),
          RUNS(a_ladder_of_diodes_holds_its_equations_however_long_it_is),
          RUNS(sizes_of_relations_are_checked_and_told), RUNS(c_functions_of_names_give_the_bits_of_formulas),
          RUNS(a_continued_run_has_the_bits_of_an_unbroken_one),
          RUNS(a_mechanical_relation_may_depend_on_its_multiplier),
          RUNS(states_and_mechanics_are_one_inclusion), RUNS(a_state_drives_a_body_and_feels_it),
          RUNS(the_variants_start_and_end_turn_a_body_by_different_angles))
