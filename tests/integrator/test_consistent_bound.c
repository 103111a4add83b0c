/* The bound of the energy of a step with impacts; theory/consistent.md (45), (46). Impulses, directions
   and energies are those of the step; the matrix G of its laws, reduced by the joints, is made here. */
#define _POSIX_C_SOURCE 200809L
#include "benches.h"
#include "consistent_sweep.h"
#include "math/dense.h"

#include <stdarg.h>

enum { MOST_VELOCITIES = 32, MOST_ROWS = 48 };

/* Rows of a step: of joints (and of constraints that let no impulse pass), and of all other laws with their
 * impulses and (1 - e)/(1 + e). */
typedef struct step_rows {
    int m, joints, laws;
    double L[MOST_VELOCITIES * MOST_VELOCITIES]; /* of M */
    double joint[MOST_ROWS][MOST_VELOCITIES], law[MOST_ROWS][MOST_VELOCITIES];
    double P[MOST_ROWS], delta[MOST_ROWS];
} step_rows;

static void set_mass(step_rows *rows, const tp_consistent_step *step)
{
    const tp_sparse *pattern = &step->stepper->system->mass_pattern;
    int m = rows->m = pattern->cols;
    if (m > MOST_VELOCITIES) fail_msg("%d velocities", m);
    memset(rows->L, 0, sizeof rows->L);
    for (int j = 0; j < m; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            rows->L[pattern->index[k] + m * j] = step->M[k];
    }
    if (tp_dense_cholesky(m, rows->L, m, 0.0) != TP_OK) fail();
}

/* Rows W, over the columns of laws, and impulses less those that belong to another part of the step. */
static void set_rows(step_rows *rows, const tp_consistent_step *step, const double *W, bool of_impact)
{
    rows->joints = rows->laws = 0;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const tp_law *law = tp_system_law(step->stepper->system, own->law);
        int count = tp_system_law_column_count(step->stepper->system, own->law);
        const int *columns = tp_system_law_columns(step->stepper->system, own->law);
        bool is_held = own->is_joint || own->is_ideal;
        for (int k = 0; k < law->row_count; k++) {
            if (own->is_joint && own->left_out[k] > 0.0) continue;
            if (rows->joints == MOST_ROWS || rows->laws == MOST_ROWS) fail_msg("too many rows");
            double *row = is_held ? rows->joint[rows->joints++] : rows->law[rows->laws];
            memset(row, 0, sizeof rows->joint[0]);
            for (int j = 0; j < count; j++) row[columns[j]] = W[own->place + (size_t)(j + k * count)];
            if (is_held) continue;
            double P = step->problem->P[own->first + k];
            rows->P[rows->laws] = of_impact ? -P : P;
            rows->delta[rows->laws++] = (1.0 - law->restitution[k]) / (1.0 + law->restitution[k]);
        }
    }
}

/* Adds impulses of the whole step: those of the impact are what is left. */
static void add_impulses(step_rows *rows, const tp_consistent_step *step, const tp_simulation *simulation)
{
    for (int i = 0, row = 0; i < step->law_count; i++) {
        double P[TP_IMPULSE_ROWS] = {0.0};
        if (step->laws[i].is_joint) continue;
        tp_simulation_last_impulse(simulation, step->laws[i].law, P);
        const tp_law *law = tp_system_law(step->stepper->system, step->laws[i].law);
        for (int k = 0; k < law->row_count; k++) rows->P[row++] += P[k];
    }
}

/* b = M^-1 (W P + W_S N) with W_S^T b = 0: what the joints let pass of the impulses. */
static void passed_velocity(const step_rows *rows, double *b)
{
    double S[MOST_ROWS * MOST_ROWS], MW[MOST_ROWS][MOST_VELOCITIES], N[MOST_ROWS];
    int m = rows->m, n = rows->joints;
    memset(b, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < rows->laws; i++) {
        for (int j = 0; j < m; j++) b[j] += rows->law[i][j] * rows->P[i];
    }
    tp_dense_cholesky_solve(m, rows->L, m, b);
    for (int i = 0; i < n; i++) {
        memcpy(MW[i], rows->joint[i], (size_t)m * sizeof(double));
        tp_dense_cholesky_solve(m, rows->L, m, MW[i]);
        N[i] = -tp_dense_dot(m, rows->joint[i], b);
    }
    for (int i = 0; i < n * n; i++) S[i] = tp_dense_dot(m, rows->joint[i % n], MW[i / n]);
    if (n > 0 && tp_dense_cholesky(n, S, n, 0.0) != TP_OK) fail();
    if (n > 0) tp_dense_cholesky_solve(n, S, n, N);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) b[j] += MW[i][j] * N[i];
    }
}

/* 1/2 P^T Delta G P, and the sum of the sizes of its terms. */
static double least_loss(const step_rows *rows, double *size)
{
    double b[MOST_VELOCITIES], loss = 0.0;
    passed_velocity(rows, b);
    for (int i = 0; i < rows->laws; i++) {
        loss += 0.5 * rows->delta[i] * rows->P[i] * tp_dense_dot(rows->m, rows->law[i], b);
        for (int j = 0; j < rows->m; j++) *size += fabs(rows->P[i] * rows->law[i][j] * b[j]);
    }
    return loss;
}

/* What is seen of the bound in a run. */
typedef struct bound {
    double above, below; /* largest and least E+ - E + 1/2 P^T Delta G P, relative to the energies in it */
    double most, least;  /* of 1/2 P^T Delta G P, the same */
    int hits;            /* steps in which that is not 0 */
} bound;

/* (45) for the scheme in one step, with the directions of the step; (46) in two, with those of the start. */
static double loss_of_step(const sweep_run *run, const tp_consistent_step *step, double *size)
{
    step_rows rows;
    bool in_one = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    set_mass(&rows, step);
    set_rows(&rows, step, in_one ? step->W_middle : step->W_begin, !in_one);
    if (!in_one) add_impulses(&rows, step, run->simulation);
    return least_loss(&rows, size);
}

static void check_step(sweep_run *run, double t_goal, bound *seen)
{
    double t = tp_simulation_time(run->simulation), size = DBL_MIN;
    memcpy(run->q, tp_simulation_q(run->simulation), (size_t)run->system->q_count * sizeof(double));
    memcpy(run->u, tp_simulation_u(run->simulation), (size_t)run->system->u_count * sizeof(double));
    step_to(run->simulation, t_goal);
    const tp_consistent_step *step = tp_consistent_last_step(&run->simulation->stepper);
    double before = sweep_energy(run, t, run->q, run->u, &size),
           after = sweep_energy(run, t_goal, tp_simulation_q(run->simulation),
                                tp_simulation_u(run->simulation), &size);
    double change = after - before - sweep_force_work(run, step), loss = loss_of_step(run, step, &size);
    seen->above = fmax(seen->above, (change + loss) / size);
    seen->below = fmin(seen->below, (change + loss) / size);
    seen->most = fmax(seen->most, loss / size);
    seen->least = fmin(seen->least, loss / size);
    seen->hits += fabs(loss) > 1e-9 * size;
}

static void check_run(const tp_scene *scene, const char *integrator, int steps, bound *seen)
{
    sweep_run run = {.integrator = integrator};
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.projection.kind = TP_PROJECTION_NONE;
    run.simulation = simulate_options(scene->model, options);
    sweep_open(&run, scene);
    for (int k = 1; k <= steps; k++) check_step(&run, k * options.time_step, seen);
    sweep_close(&run);
}

/* ---- random scenes ---- */

static const char *const bounded[] = {"consistent-quaternion", "consistent-quaternion-two-step",
                                      "consistent-two-step"};
enum { BOUNDED = sizeof bounded / sizeof bounded[0], TEXT = 4096 };

/* How restitution and friction of the laws of a scene are chosen. */
typedef struct law_choice {
    bool is_equal; /* one restitution for all rows */
    bool is_rough;
} law_choice;

static void add_text(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, TEXT - used, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= TEXT - used) fail_msg("the text is too long");
}

static void add_law(char *text, check_random *random, const law_choice *choice, double common)
{
    double e = choice->is_equal ? common : check_uniform(random, 0.0, 1.0);
    add_text(text, ", restitution: %.17g", e);
    if (choice->is_rough)
        add_text(text, ", friction: %.17g, tangential_restitution: %.17g", check_uniform(random, 0.1, 0.8),
                 choice->is_equal ? common : 0.0);
    add_text(text, "}\n");
}

/* Three coordinates that a random mass matrix couples, between hills, a slope and a stop. */
static void coupled_masses(char *text, check_random *random, const law_choice *choice)
{
    double common = check_uniform(random, 0.0, 1.0);
    *text = '\0';
    add_text(text, "coordinates: [x, y, z]\n");
    add_text(text, "kinetic: \"1/2*(%.17g*x'^2 + %.17g*(y' + 0.4*x')^2 + %.17g*(z' - y')^2)\"\n",
             check_uniform(random, 0.3, 2.0), check_uniform(random, 0.3, 2.0),
             check_uniform(random, 0.3, 2.0));
    add_text(text, "potential: \"9.81*(y + 0.3*z) + 5*(z - x)^4 + 2*x^2\"\n");
    add_text(text, "contacts:\n");
    add_text(text, "  - {name: hills, gap: \"y - 0.1*sin(3*x)\"%s", choice->is_rough ? ", slip: \"x'\"" : "");
    add_law(text, random, choice, common);
    add_text(text, "  - {name: slope, gap: \"y + 0.5*z + 0.05\"%s",
             choice->is_rough ? ", slip: \"x' + z'\"" : "");
    add_law(text, random, choice, common);
    add_text(text, "  - {name: stop, gap: \"z + 0.1 + 0.2*x^2\"%s", choice->is_rough ? ", slip: \"y'\"" : "");
    add_law(text, random, choice, common);
    add_text(text, "initial: {x': %.17g, y: %.17g, y': %.17g, z: 0.3, z': %.17g}\n", check_normal(random),
             check_uniform(random, 0.15, 0.4), check_normal(random), check_normal(random));
    add_text(text, "simulate: {dt: 0.01, until: 2, project_initial_state: true}\n");
}

/* The same, with a constraint on velocities that turns with positions. */
static void geared_masses(char *text, check_random *random, const law_choice *choice)
{
    coupled_masses(text, random, choice);
    add_text(text, "constraints: [{name: gear, velocity: \"(1 + y^2)*x' - %.17g*z'\"}]\n",
             check_uniform(random, 0.3, 1.0));
}

/* Two links with balls at their ends, on a spherical and a revolute joint, between a floor and a wall. */
static void hanging_links(char *text, check_random *random, const law_choice *choice)
{
    static const char *const pairs[] = {"floor, ball1", "wall, ball1", "floor, ball2", "wall, ball2"};
    double common = check_uniform(random, 0.0, 1.0);
    *text = '\0';
    add_text(text, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 1; i <= 2; i++) {
        add_text(text,
                 "  - {name: link%d, mass: %.17g, inertia: [0.02, 0.03, 0.015], position: [%g, 0, 0.5],\n", i,
                 check_uniform(random, 0.5, 2.0), 0.4 * i);
        add_text(text, "     shapes: [{name: ball%d, type: sphere, radius: 0.1, position: [0.2, 0, 0]}]}\n",
                 i);
    }
    add_text(
        text,
        "joints:\n"
        "  - {name: hook, type: spherical, bodies: [ground, link1], point: [0.2, 0, 0.5]}\n"
        "  - {name: knee, type: revolute, bodies: [link1, link2], point: [0.6, 0, 0.5], axis: [0, 1, 0]}\n"
        "ground: {shapes: [{name: floor, type: plane}, "
        "{name: wall, type: plane, position: [0.1, 0, 0], orientation: {axis: [0, 1, 0], angle: 1.3}}]}\n"
        "contacts:\n");
    for (int i = 0; i < 4; i++) {
        add_text(text, "  - {name: c%d, between: [%s]", i, pairs[i]);
        add_law(text, random, choice, common);
    }
    add_text(text, "simulate: {dt: 5e-3, until: 1}\n");
}

typedef void scene_writer(char *text, check_random *random, const law_choice *choice);

/* Several random scenes of a kind. */
static bound check_random_scenes(scene_writer *write, const char *integrator, const law_choice *choice,
                                 uint64_t seed)
{
    check_random random = {seed};
    bound seen = {0};
    for (int trial = 0; trial < 5; trial++) {
        char text[TEXT];
        write(text, &random, choice);
        tp_scene *scene = scene_of(text);
        check_run(scene, integrator, 200, &seen);
        tp_scene_free(scene);
    }
    return seen;
}

/* Impulses without friction do no work on xi: nothing else is lost. Only the projection of velocities onto
   joints, (29), takes some more. */
TEST(without_friction_a_step_loses_what_the_bound_says_and_no_more)
{
    scene_writer *const kinds[] = {coupled_masses, hanging_links, geared_masses};
    for (int n = 0; n < 3 * BOUNDED; n++) {
        law_choice choice = {.is_equal = false, .is_rough = false};
        const char *integrator = bounded[n / 3];
        bool projects = n % 3 == 1 && strcmp(integrator, "consistent-quaternion-two-step") == 0;
        bound seen = check_random_scenes(kinds[n % 3], integrator, &choice, 51);
        CHECK(seen.above <= sweep_rounding);
        CHECK(projects || seen.below >= -sweep_rounding);
        CHECK(seen.hits > 10 && seen.most > 1e-3);
    }
}

/* The bound needs no equal restitutions; where they differ it may allow a gain. */
TEST(with_friction_and_any_restitution_a_step_loses_at_least_what_the_bound_says)
{
    scene_writer *const kinds[] = {coupled_masses, hanging_links, geared_masses};
    double least = 0.0;
    for (int n = 0; n < 3 * BOUNDED; n++) {
        law_choice choice = {.is_equal = false, .is_rough = true};
        bound seen = check_random_scenes(kinds[n % 3], bounded[n / 3], &choice, 52);
        CHECK(seen.above <= sweep_rounding);
        CHECK(seen.below < -1e-6); /* friction takes more */
        CHECK(seen.hits > 10 && seen.most > 1e-3);
        least = fmin(least, seen.least);
    }
    CHECK(least < -1e-9); /* Delta G is not always positive */
}

TEST(with_one_restitution_the_bound_never_allows_a_gain)
{
    scene_writer *const kinds[] = {coupled_masses, hanging_links, geared_masses};
    for (int n = 0; n < 3 * BOUNDED; n++) {
        law_choice choice = {.is_equal = true, .is_rough = true};
        bound seen = check_random_scenes(kinds[n % 3], bounded[n / 3], &choice, 53);
        CHECK(seen.above <= sweep_rounding);
        CHECK(seen.least >= -sweep_rounding);
        CHECK(seen.hits > 10);
    }
}

/* Those of the literature among them; the clutch is the one that gains. */
TEST(examples_with_impacts_obey_the_bound)
{
    static const char *const names[] = {"woodpecker", "tippe-top",     "oscillator",  "double-pendulum-wall",
                                        "door-stop",  "bouncing-ball", "sprag-clutch"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tp_scene *scene = read_short_example(names[i]);
        for (int k = 0; k < BOUNDED; k++) {
            bound seen = {0};
            check_run(scene, bounded[k], 100, &seen);
            CHECK(seen.above <= sweep_rounding);
        }
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(without_friction_a_step_loses_what_the_bound_says_and_no_more),
          RUNS(with_friction_and_any_restitution_a_step_loses_at_least_what_the_bound_says),
          RUNS(with_one_restitution_the_bound_never_allows_a_gain),
          RUNS(examples_with_impacts_obey_the_bound))
