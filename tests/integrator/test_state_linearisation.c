/* The linearisation of a step with first-order states against differences: theory/theta-gamma.md (9). All
   examples with states, and random nonlinear relations, alone and beside mechanics, few states and many.
   The mechanics' own part leaves out how its mass matrix and its rows change, so of its rows the columns of
   states and multipliers are compared, of the rows of states and relations all. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "integrator/theta_step.h"
#include "simulation/inside.h"

#include <float.h>

enum { MOST = 640 };

typedef struct bench {
    tp_inclusion inclusion;
    const tp_problem *linear;
    int u, x_count, row_count, own_row;      /* rows from own_row on are those of states and relations */
    double x[MOST], P[MOST], size[2 * MOST]; /* sizes of what is varied: x, then P                 */
} bench;

static double entry(const tp_sparse *matrix, int i, int j)
{
    double sum = 0.0;
    for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++)
        sum += matrix->index[k] == i ? matrix->value[k] : 0.0;
    return sum;
}

/* Column j of D. */
static void add_block_column(const tp_block_matrix *D, int j, double *column)
{
    for (int b = 0; b < D->block_rows; b++) {
        for (int e = D->start[b]; e < D->start[b + 1]; e++) {
            int first = D->first[D->column[e]], rows = D->first[b + 1] - D->first[b],
                cols = D->first[D->column[e] + 1] - first;
            if (j < first || j >= first + cols) continue;
            for (int r = 0; r < rows; r++)
                column[D->first[b] + r] += D->value[D->offset[e] + (size_t)((j - first) * rows + r)];
        }
    }
}

/* Column j of the linearisation: dF [x_count], then dxi [row_count]. */
static void exact_column(const bench *b, int j, double *out)
{
    const tp_problem *p = b->linear;
    memset(out, 0, 2 * MOST * sizeof(double));
    if (j < b->x_count) {
        for (int i = 0; i < b->x_count; i++) out[i] = entry(&p->M, i, j);
        for (int i = 0; i < b->row_count; i++) out[b->x_count + i] = entry(&p->Ct, j, i);
    } else {
        for (int i = 0; i < b->x_count; i++) out[i] = -entry(&p->A, i, j - b->x_count);
        add_block_column(&p->D, j - b->x_count, out + b->x_count);
    }
}

/* The same by four points. */
static void difference_column(bench *b, int j, double *out)
{
    static const double offsets[] = {1.0, -1.0, 2.0, -2.0}, weights[] = {8.0, -8.0, -1.0, 1.0};
    static double F[MOST], xi[MOST];
    double *at = j < b->x_count ? &b->x[j] : &b->P[j - b->x_count], old = *at, h = 1e-3 * b->size[j];
    memset(out, 0, 2 * MOST * sizeof(double));
    for (int k = 0; k < 4; k++) {
        *at = old + offsets[k] * h;
        if (b->inclusion.residual(b->inclusion.self, b->x, b->P, F, xi) != TP_OK) fail();
        for (int i = 0; i < b->x_count; i++) out[i] += weights[k] * F[i] / (12.0 * h);
        for (int i = 0; i < b->row_count; i++) out[b->x_count + i] += weights[k] * xi[i] / (12.0 * h);
    }
    *at = old;
}

/* Is row i of (F, xi) compared in column j? */
static bool is_compared(const bench *b, int i, int j)
{
    bool row_is_own = i >= b->u && (i < b->x_count || i - b->x_count >= b->own_row),
         column_is_own = j >= b->u && (j < b->x_count || j - b->x_count >= b->own_row),
         row_is_force = i < b->u;
    return row_is_own || (row_is_force && column_is_own);
}

/* Largest difference over the sizes of rows: sums over entries times what their unknowns vary by. */
static double worst_error(bench *b)
{
    static double exact[2 * MOST], found[2 * MOST], size[2 * MOST], worst[2 * MOST];
    int all = b->x_count + b->row_count;
    double largest = 0.0;
    memset(size, 0, sizeof size);
    memset(worst, 0, sizeof worst);
    for (int j = 0; j < all; j++) {
        /* anew: differences move the point */
        if (b->inclusion.linearise(b->inclusion.self, b->x, b->P, b->inclusion.linear) != TP_OK) fail();
        exact_column(b, j, exact);
        difference_column(b, j, found);
        for (int i = 0; i < all; i++) {
            size[i] += fabs(exact[i]) * b->size[j];
            if (is_compared(b, i, j)) worst[i] = fmax(worst[i], fabs(exact[i] - found[i]) * b->size[j]);
        }
    }
    for (int i = 0; i < all; i++) largest = fmax(largest, worst[i] / (size[i] + DBL_MIN));
    return largest;
}

/* The last step of a simulation, at a point near its answer. */
static bench bench_of(tp_simulation *simulation, double dt, check_random *random)
{
    tp_stepper *stepper = &simulation->stepper;
    tp_state_step *states = tp_theta_states(stepper);
    bench b = {.inclusion = tp_state_step_inclusion(states)};
    const double *x = tp_simulation_states(simulation), *lambda = tp_simulation_multipliers(simulation);
    int n = tp_model_state_count(stepper->model), m = tp_model_multiplier_count(stepper->model);
    b.linear = b.inclusion.linear;
    b.u = stepper->system->u_count;
    b.x_count = b.linear->x_count;
    b.row_count = b.linear->row_count;
    b.own_row = stepper->problem->problem.row_count;
    if (b.x_count > MOST || b.row_count > MOST) fail_msg("too many rows: %d, %d", b.x_count, b.row_count);
    for (int j = 0; j < b.u; j++) b.size[j] = fmax(fabs(tp_simulation_u(simulation)[j]), 0.1);
    bool are_rows = b.x_count == b.u && n > 0;
    double *of_x = are_rows ? b.size + b.x_count + b.own_row : b.size + b.u,
           *of_P = b.size + b.x_count + b.own_row + (are_rows ? n : 0);
    for (int i = 0; i < n; i++) of_x[i] = 0.1 * fmax(fabs(x[i]), 0.1);
    for (int k = 0; k < b.own_row; k++) b.size[b.x_count + k] = 1.0;
    for (int k = 0; k < m; k++) of_P[k] = dt * fmax(0.1 * fabs(lambda[k]), 0.5);
    for (int j = 0; j < b.x_count; j++) b.x[j] = check_uniform(random, -1.0, 1.0) * b.size[j];
    for (int k = 0; k < b.row_count; k++) b.P[k] = check_uniform(random, -1.0, 1.0) * b.size[b.x_count + k];
    for (int k = 0; k < m; k++) b.P[b.row_count - m + k] += dt * lambda[k];
    return b;
}

/* Rounding of four-point differences with 1e-3 of the sizes is 1e-12 of the terms, their error 1e-12 of fifth
   derivatives; terms may be larger than the derivatives of a row by some 1e4. */
static const double tolerance = 1e-7;

static void check_steps(void **check_state_, const tp_scene *scene, tp_simulation_options options,
                        const char *what)
{
    check_random random = {11};
    options.end_time = 7 * options.time_step;
    tp_simulation *simulation = simulate_options(scene->model, options);
    for (int k = 1; k <= 6; k++) {
        step_to(simulation, k * options.time_step);
        if (k % 3 != 0) continue;
        static bench b;
        b = bench_of(simulation, options.time_step, &random);
        double worst = worst_error(&b);
        if (!(worst < tolerance)) print_error("%s: off by %g\n", what, worst);
        CHECK(worst < tolerance);
    }
    tp_simulation_free(simulation);
}

TEST(derivatives_of_all_examples_with_states)
{
    example_list examples = find_examples();
    int count = 0;
    for (int k = 0; k < examples.count; k++) {
        tp_scene *scene = read_example(examples.name[k], NULL);
        if (tp_model_state_count(scene->model) > 0) {
            check_steps(check_state_, scene, scene->options, examples.name[k]);
            count++;
        }
        tp_scene_free(scene);
    }
    CHECK(count >= 8);
}

/* A random smooth function of names, with products, powers and functions of them. */
static void random_function(check_random *random, const char *const *names, int count, char *out, size_t room)
{
    static const char *const forms[] = {"%+.3f*%s*%s", "%+.3f*sin(%s)*%s", "%+.3f*exp(0.3*%s)*cos(%s)",
                                        "%+.3f*%s^3 + 0.1*%s"};
    size_t used = (size_t)snprintf(out, room, "0.1*cos(t)");
    for (int k = 0; k < 4; k++) {
        int a = (int)check_uniform(random, 0.0, count - 1e-9),
            c = (int)check_uniform(random, 0.0, count - 1e-9),
            form = (int)check_uniform(random, 0.0, 4.0 - 1e-9);
        used += (size_t)snprintf(out + used, room - used, "%s", " ");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        used += (size_t)snprintf(out + used, room - used, forms[form], check_uniform(random, -0.5, 0.5),
                                 names[a], names[c]);
#pragma GCC diagnostic pop
    }
}

/* Three states, two relations whose outputs grow with their own multipliers, so that steps have an answer. */
static void random_scene(check_random *random, bool has_mechanics, char *text, size_t room)
{
    static const char *const names[] = {"x1", "x2", "x3", "a", "b", "q", "q'"};
    int count = has_mechanics ? 7 : 5;
    char f[6][400];
    for (int k = 0; k < 6; k++) random_function(random, names, count, f[k], sizeof f[k]);
    size_t used = 0;
    if (has_mechanics)
        used = (size_t)snprintf(text, room,
                                "coordinates: [{name: q, initial: 0.3, velocity: 0.2}]\nkinetic: q'^2\n"
                                "forces: {q: \"%s\"}\ncontacts: [{name: wall, gap: q + 5}]\n",
                                f[5]);
    snprintf(text + used, room - used,
             "states:\n"
             "  - {name: x1, initial: 0.4, rate: \"%s\"}\n"
             "  - {name: x2, initial: -0.3, rate: \"%s\"}\n"
             "  - {name: x3, initial: 0.2, rate: \"%s\"}\n"
             "state_mass: {\"x1,x1\": 2, \"x1,x3\": 0.3, \"x2,x2\": 1.5, \"x3,x3\": 1, \"x3,x1\": -0.2}\n"
             "relations:\n"
             "  - {name: a, y: \"3*a + 0.3*(%s)\"}\n"
             "  - {name: b, y: \"3*b + 0.3*(%s)\", law: relay}\n",
             f[0], f[1], f[2], f[3], f[4]);
}

TEST(derivatives_of_random_nonlinear_relations)
{
    check_random random = {5};
    for (int round = 0; round < 24; round++) {
        char text[4000], what[64];
        bool has_mechanics = round % 2 == 1;
        random_scene(&random, has_mechanics, text, sizeof text);
        tp_scene *scene = scene_of(text);
        tp_simulation_options options = options_of(has_mechanics ? "moreau-jean" : "theta-gamma", 0.05, 1.0);
        options.gamma_method = (tp_gamma_options){check_uniform(&random, 0.3, 1.0),
                                                  check_uniform(&random, 0.3, 1.0), round / 2 % 3};
        snprintf(what, sizeof what, "random scene %d", round);
        check_steps(check_state_, scene, options, what);
        tp_scene_free(scene);
    }
}

/* More than 200 states are rows of the problem. */
TEST(derivatives_of_many_states)
{
    static const char text[] =
        "states:\n"
        "  - {repeat: {k: 210}, name: \"v{k}\", initial: \"0.3*sin(k)\", rate: \"sin(v{k})*d{k} - v{k}^3\"}\n"
        "relations:\n"
        "  - {repeat: {k: 210}, name: \"d{k}\", y: \"d{k} + 0.1*d{k}^3 + v{k}^2 - 0.05\"}\n";
    tp_scene *scene = scene_of(text);
    check_steps(check_state_, scene, options_of("theta-gamma", 0.05, 1.0), "many states");
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(derivatives_of_all_examples_with_states), RUNS(derivatives_of_random_nonlinear_relations),
          RUNS(derivatives_of_many_states))
