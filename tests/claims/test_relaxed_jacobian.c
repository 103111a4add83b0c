/* Derivative of the relaxed motion against differences of its rates, which solve the laws anew at every
   point; docs/theory/relaxed-dai.md (23)-(25). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "integrator/relaxed_jacobian.h"
#include "math/factor.h"
#include "simulation/inside.h"

#include <math.h>

typedef struct bench {
    tp_scene *scene;
    tp_simulation *simulation;
    tp_stepper *stepper;
    tp_arena arena;
    tp_relaxed_point point;
    tp_relaxation relaxation;
    tp_relaxed_jacobian *jacobian;
    int n;
    double *y, *moved, *v, *rate[2], *r; /* [n] */
} bench;

static bench make_bench(tp_scene *scene, double delta, double until)
{
    bench b = {.scene = scene};
    tp_simulation_options options = b.scene->options;
    options.integrator = "relaxed-dai-adaptive";
    options.projection.kind = TP_PROJECTION_NONE;
    options.correction.is_on = false;
    options.relaxed.is_stiff = true;
    options.relaxed.delta = delta;
    options.end_time = until;
    b.simulation = simulate_options(b.scene->model, options);
    run(b.simulation);
    b.stepper = &b.simulation->stepper;
    b.relaxation = (tp_relaxation){.delta = delta};
    tp_arena_init(&b.arena, NULL);
    if (tp_relaxed_point_take(b.stepper, &b.arena, &b.point) != TP_OK) fail();
    if (tp_relaxed_jacobian_create(b.stepper, &b.arena, &b.jacobian) != TP_OK || b.jacobian == NULL) fail();
    tp_relaxed_begin(b.stepper, &b.point, &b.simulation->state[1 - b.simulation->present]);
    const tp_state *state = &b.simulation->state[b.simulation->present];
    int q = b.stepper->system->q_count, u = b.stepper->system->u_count;
    b.n = q + u;
    double **all[] = {&b.y, &b.moved, &b.v, &b.rate[0], &b.rate[1], &b.r};
    for (int k = 0; k < 6; k++) *all[k] = TP_ARENA_ARRAY(&b.arena, double, b.n);
    memcpy(b.y, state->q, (size_t)q * sizeof(double));
    memcpy(b.y + q, state->u, (size_t)u * sizeof(double));
    return b;
}

static void end_bench(bench *b)
{
    tp_arena_clear(&b->arena);
    tp_simulation_free(b->simulation);
    tp_scene_free(b->scene);
}

static void rate_at(bench *b, const double *y, double *out)
{
    tp_system *system = b->stepper->system;
    tp_step_report report = {0};
    tp_system_move(system, b->simulation->state[0].t, y, y + system->q_count);
    if (tp_relaxed_evaluate(b->stepper, &b->relaxation, &b->point, &report) != TP_OK) fail();
    memcpy(out, tp_system_rate(system), (size_t)system->q_count * sizeof(double));
    memcpy(out + system->q_count, b->stepper->x, (size_t)system->u_count * sizeof(double));
}

/* |x - v| where (c - J) x = c v - (J v by differences), largest over |v|: 0 for the exact J. Differences over
   1e-6 of v miss by its square and by the residuals of the laws over it, 1e-13/1e-6; c is as large as the
   rates of the relaxation, so that nothing magnifies. */
static double jacobian_error(bench *b, unsigned seed)
{
    const tp_sparse *pattern = tp_relaxed_jacobian_pattern(b->jacobian);
    check_random random = {seed};
    int N = pattern->cols;
    double c = 3.0 / b->relaxation.delta, h = 1e-6, worst = 0.0;
    double *E = calloc((size_t)pattern->start[N] + 1, sizeof *E),
           *F = calloc((size_t)pattern->start[N] + 1, sizeof *F), *x = calloc((size_t)N, sizeof *x);
    for (int k = 0; k < b->n; k++) b->v[k] = check_normal(&random);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < b->n; k++) b->moved[k] = b->y[k] + (side ? h : -h) * b->v[k];
        rate_at(b, b->moved, b->rate[side]);
    }
    for (int k = 0; k < b->n; k++) b->r[k] = c * b->v[k] - (b->rate[1][k] - b->rate[0][k]) / (2.0 * h);
    rate_at(b, b->y, b->moved);
    tp_relaxed_jacobian_find(b->jacobian, b->stepper, &b->relaxation, &b->point, b->simulation->state[0].t,
                             b->y, E, F);
    for (int k = 0; k < b->n; k++)
        for (int e = pattern->start[k]; e < pattern->start[k + 1]; e++)
            x[pattern->index[e]] += E[e] * b->r[k];
    tp_sparse matrix = *pattern;
    matrix.value = F;
    for (int e = 0; e < pattern->start[N]; e++) F[e] = c * E[e] - F[e];
    tp_factor *factor = NULL;
    if (tp_factor_create(NULL, TP_FACTOR_LU, &matrix, &factor) != TP_OK) fail();
    if (tp_factor_update(factor, &matrix) != TP_OK) fail_msg("%s", "the pencil is singular");
    tp_factor_solve(factor, x);
    for (int k = 0; k < b->n; k++) worst = fmax(worst, fabs(x[k] - b->v[k]));
    tp_factor_free(factor);
    free(E);
    free(F);
    free(x);
    return worst;
}

#define CHAIN                                                                                                \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: a, mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.5, 0, 0], angular_velocity: [0, 1, "   \
    "0], velocity: [0, 0, -0.5]}\n"                                                                          \
    "  - {name: b, mass: 1, inertia: [0.02, 0.01, 0.03], position: [1.5, 0, 0], velocity: [0, 0, -1]}\n"     \
    "joints:\n"                                                                                              \
    "  - {name: root, type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]%s}\n"           \
    "  - {name: elbow, type: spherical, bodies: [a, b], point: [1, 0, 0]}\n"                                 \
    "springs: [{name: pull, bodies: [ground, b], points: [[0, 1, 0], [0, 0, 0]], stiffness: 50, damping: "   \
    "2, "                                                                                                    \
    "rest_length: 1}]\n"

static const char rod[] =
    "coordinates: [x, y, th]\nkinetic: \"1/2*(x'^2 + y'^2 + 1/3*th'^2)\"\npotential: \"9.81*y\"\n"
    "contacts: [{name: tip, gap: y - sin(th), slip: \"x' + sin(th)*th'\", friction: 1}]\n"
    "initial: {y: sin(1), th: 1, x': -5}\n";

static const char pair[] =
    "parameters: {k: 0.3/(0.7*(0.7 + 6*0.3))}\n"
    "coordinates: [x1, y1, z1, x2, y2, z2]\n"
    "kinetic: \"1/1.4*(x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2) - "
    "1/2*k*(x1' - y1' + z1' + x2' + y2' - z2')^2\"\n"
    "forces: {x1: 1.2*sin(3*t) - 4*x1, y1: 0.8*cos(2*t) - 4*y1, z1: -2, x2: -0.9*cos(3*t) - 4*x2, "
    "y2: 1.1*sin(t) - 4*y2, z2: -3}\n"
    "contacts: [{name: a, gap: z1, slip: [\"x1'\", \"y1'\"], friction: 0.5},\n"
    "  {name: b, gap: z2, slip: [\"x2'\", \"y2'\"], friction: 0.4}]\n";

/* Contacts between shapes: balls that slide on a plane and touch each other. */
static const char balls[] =
    "gravity: [0, 0, -9.81]\nbodies:\n"
    "  - {name: a, mass: 1, position: [0, 0, 0.1], velocity: [1, 0.2, 0], shapes: [{name: s, type: sphere, "
    "radius: "
    "0.1}]}\n"
    "  - {name: b, mass: 2, position: [0.201, 0, 0.1], angular_velocity: [1, 2, 3], shapes: [{name: t, type: "
    "sphere, radius: 0.1}]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts:\n  - {name: p, between: [floor, s], friction: 0.3}\n  - {name: q, between: [floor, t], "
    "friction: "
    "0.3}\n  - {name: r, between: [s, t], friction: 0.2}\n";

TEST(the_derivative_is_that_of_the_rates)
{
    char chain[2][1400];
    snprintf(chain[0], sizeof chain[0], CHAIN, "");
    snprintf(chain[1], sizeof chain[1], CHAIN, ", friction: {coefficient: 0.3, radius: 0.1}");
    const struct {
        const char *text;
        double delta, until;
    } cases[] = {{rod, 1e-2, 0.05}, {rod, 1e-2, 0.3},      {pair, 2e-2, 0.3},     {pair, 2e-2, 1.0},
                 {pair, 2e-2, 0.7}, {chain[0], 1e-2, 0.1}, {chain[1], 1e-2, 0.1}, {balls, 1e-2, 0.02}};
    for (int i = 0; i < 8; i++) {
        bench b = make_bench(scene_of(cases[i].text), cases[i].delta, cases[i].until);
        for (unsigned seed = 1; seed <= 3; seed++) {
            double error = jacobian_error(&b, seed);
            if (!(error < 1e-5)) print_message("case %d: off by %g\n", i, error);
            CHECK(error < 1e-5);
        }
        end_bench(&b);
    }
}

/* Redundant joints whose rows are left out, friction of joints, motors with limits, a knife edge. */
TEST(so_it_is_in_examples)
{
    static const char *const names[] = {"planar-and-spatial",  "four-bar-friction", "motors",
                                        "friction-oscillator", "n-four-bar",        "skate",
                                        "universal-joint"};
    for (int i = 0; i < 7; i++) {
        tp_scene *scene = read_short_example(names[i]);
        bench b = make_bench(scene, 1e-2, 0.0317);
        double error = jacobian_error(&b, 5);
        if (!(error < 1e-5)) print_message("%s: off by %g\n", names[i], error);
        CHECK(error < 1e-5);
        end_bench(&b);
    }
}

TEST_MAIN(RUNS(the_derivative_is_that_of_the_rates), RUNS(so_it_is_in_examples))
