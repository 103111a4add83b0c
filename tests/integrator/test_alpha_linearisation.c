/* The linearisation of a generalized-alpha step against differences of F and xi: theory/generalized-alpha.md
   (12). Random states, off the joints, with random multipliers, at a step that is so long that every term
   counts. */
#include "integrator/alpha_step.h"
#include "simulation/inside.h"
#include "simulations.h"

#include <stdlib.h>

enum { MOST = 192 };

typedef struct bench {
    tp_scene *scene;
    tp_simulation *simulation;
    tp_alpha_step *step;
    tp_state from;
    tp_inclusion inclusion;
    double q[MOST], u[MOST], a[MOST], a_bar[MOST];
    int x_count, row_count;
} bench;

static bench open_bench(const char *text)
{
    bench b = {.scene = scene_of(text)};
    tp_simulation_options options = b.scene->options;
    options.integrator = "generalized-alpha";
    options.end_time = options.time_step;
    b.simulation = simulate_options(b.scene->model, options);
    return b;
}

static void close_bench(bench *b)
{
    tp_simulation_free(b->simulation);
    tp_scene_free(b->scene);
}

/* A step from a state near the start, with all laws. */
static void begin_step(bench *b, check_random *random, double dt)
{
    tp_stepper *stepper = &b->simulation->stepper;
    tp_system *system = stepper->system;
    double none[MOST] = {0.0}, move[MOST];
    b->from = b->simulation->state[b->simulation->present];
    memcpy(b->q, b->from.q, (size_t)system->q_count * sizeof(double));
    for (int j = 0; j < system->u_count; j++) {
        move[j] = check_uniform(random, -0.1, 0.1);
        b->u[j] = check_uniform(random, -2.0, 2.0);
        b->a[j] = check_uniform(random, -3.0, 3.0);
        b->a_bar[j] = check_uniform(random, -3.0, 3.0);
    }
    tp_system_move(system, 0.0, b->q, none);
    tp_system_change(system, move, 1.0, b->q);
    tp_system_move(system, 0.0, b->q, b->u);
    tp_system_count_turns(system, system->angle_reference);
    b->from.q = b->q;
    b->from.u = b->u;
    b->step = stepper->scratch;
    b->step->numbers = tp_alpha_numbers_of(0.6);
    memcpy(b->step->a, b->a, (size_t)system->u_count * sizeof(double));
    memcpy(b->step->a_bar, b->a_bar, (size_t)system->u_count * sizeof(double));
    tp_alpha_step_begin(b->step, &b->from, dt, dt);
    tp_redundancy_rest(stepper->redundancy);
    if (tp_redundancy_find(stepper->redundancy, b->step->M) != TP_OK) fail();
    memset(b->step->is_missed, 1, (size_t)system->law_count); /* contacts at any distance have a part */
    tp_alpha_laws_collect(b->step);
    b->inclusion = tp_alpha_step_inclusion(b->step);
    b->x_count = 3 * system->u_count;
    b->row_count = b->step->problem->problem.row_count;
    if (b->row_count > MOST || b->x_count > MOST) fail();
}

/* Rows that slip have a direction in the place of their acceleration, which is not what C holds; (10). */
static bool is_compared(const bench *b, int row)
{
    for (int i = 0; i < b->step->law_count; i++) {
        const tp_alpha_law *law = &b->step->laws[i];
        int first = law->first[TP_ALPHA_ACCELERATION], size = law->own[TP_ALPHA_ACCELERATION].size;
        if (row >= first && row < first + size) return law->slide[row - first] == 0.0;
    }
    return true;
}

static double entry(const tp_sparse *matrix, int i, int j)
{
    for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        if (matrix->index[k] == i) return matrix->value[k];
    }
    return 0.0;
}

/* dF and dxi by four points along entry j of x or of P. */
static void difference(const bench *b, double *x, double *P, double *at, double *F_out, double *xi_out)
{
    static const double offsets[] = {1.0, -1.0, 2.0, -2.0}, weights[] = {8.0, -8.0, -1.0, 1.0}, h = 1e-3;
    double old = *at, F[MOST], xi[MOST];
    memset(F_out, 0, MOST * sizeof(double));
    memset(xi_out, 0, MOST * sizeof(double));
    for (int k = 0; k < 4; k++) {
        *at = old + offsets[k] * h;
        b->inclusion.residual(b->inclusion.self, x, P, F, xi);
        for (int i = 0; i < b->x_count; i++) F_out[i] += weights[k] * F[i] / (12.0 * h);
        for (int i = 0; i < b->row_count; i++) xi_out[i] += weights[k] * xi[i] / (12.0 * h);
    }
    *at = old;
}

/* Largest difference over the size of the matrix: entries are up to some hundred, rounding eps/1e-3 of terms
   up to 1e3, fourth-order differences 1e-12 of fifth derivatives. */
static double worst_error(bench *b, double *x, double *P)
{
    const tp_problem *p = &b->step->problem->problem;
    double worst = 0.0, F[MOST], xi[MOST];
    static double J[MOST][MOST], C[MOST][MOST], A[MOST][MOST];
    b->inclusion.linearise(b->inclusion.self, x, P, b->inclusion.linear);
    for (int j = 0; j < b->x_count; j++) {
        for (int i = 0; i < b->x_count; i++) J[j][i] = entry(&p->M, i, j);
        for (int i = 0; i < b->row_count; i++) C[j][i] = entry(&p->Ct, j, i);
    }
    for (int j = 0; j < b->row_count; j++) {
        for (int i = 0; i < b->x_count; i++) A[j][i] = -entry(&p->A, i, j);
    }
    for (int j = 0; j < b->x_count; j++) {
        difference(b, x, P, &x[j], F, xi);
        for (int i = 0; i < b->x_count; i++) worst = fmax(worst, fabs(F[i] - J[j][i]));
        for (int i = 0; i < b->row_count; i++)
            worst = fmax(worst, is_compared(b, i) ? fabs(xi[i] - C[j][i]) : 0.0);
    }
    for (int j = 0; j < b->row_count; j++) {
        difference(b, x, P, &P[j], F, xi);
        for (int i = 0; i < b->x_count; i++) worst = fmax(worst, fabs(F[i] - A[j][i]));
    }
    return worst;
}

static void check_scene(void **check_state_, const char *text, double dt)
{
    check_random random = {7};
    for (int round = 0; round < 4; round++) {
        double x[MOST], P[MOST];
        bench b = open_bench(text);
        begin_step(&b, &random, dt);
        for (int j = 0; j < b.x_count; j++) x[j] = check_uniform(&random, -3.0, 3.0);
        for (int k = 0; k < b.row_count; k++) P[k] = check_uniform(&random, -3.0, 3.0);
        double worst = worst_error(&b, x, P);
        if (!(worst < 2e-6)) print_error("off by %g: %.60s\n", worst, text);
        CHECK(worst < 2e-6);
        close_bench(&b);
    }
}

#define ARMS                                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: a, mass: 2, inertia: [0.05, 0.08, 0.09], position: [0.4, 0, 0]}\n"                           \
    "  - {name: b, mass: 1, inertia: [0.03, 0.04, 0.05], position: [1.2, 0, 0]"

TEST(joints_of_bodies_in_space)
{
    check_scene(check_state_,
                ARMS
                "}\njoints:\n"
                "  - {name: h1, type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]}\n"
                "  - {name: h2, type: spherical, bodies: [a, b], point: [0.8, 0, 0]}\n"
                "constraints: [{name: gear, velocity: \"b.omega.y - 2*a.omega.x\"}]\n",
                0.1);
}

TEST(contacts_of_bodies_in_space)
{
    check_scene(check_state_,
                ARMS ", shapes: [{name: ball, type: sphere, radius: 0.2}]}\n"
                     "ground: {shapes: [{name: floor, type: plane}]}\n"
                     "contacts: [{name: touch, between: [floor, ball], friction: 0.3, restitution: 0.4,\n"
                     "            shape: disc, drilling_radius: 0.01}]\n",
                0.05);
}

/* M(q), gyroscopic terms, damping, rows that depend on time. */
TEST(formulas_with_a_variable_mass_and_time)
{
    check_scene(check_state_,
                "coordinates: [x, y, z]\n"
                "kinetic: \"1/2*((2 + x^2)*x'^2 + (1 + y^2)*y'^2 + z'^2 + x*y'*z')\"\n"
                "potential: \"x^2*y + z^4\"\n"
                "dissipation: \"0.2*(x'^2 + x'*y' + z'^2)\"\n"
                "forces: {z: \"sin(x)*y'\"}\n"
                "constraints:\n"
                "  - {name: surface, position: \"x^2 + y*z - sin(t)^2\"}\n"
                "  - {name: edge, velocity: \"sin(x)*y' - cos(t)*z'\"}\n"
                "contacts: [{name: wall, gap: \"1 + x*y - z^2\", slip: \"x' + z*y'\", friction: 0.4,\n"
                "            restitution: 0.3}]\n"
                "initial: {x: 0}\n",
                0.1);
}

TEST_MAIN(RUNS(joints_of_bodies_in_space), RUNS(contacts_of_bodies_in_space),
          RUNS(formulas_with_a_variable_mass_and_time))
