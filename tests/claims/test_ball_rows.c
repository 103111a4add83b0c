/* Many contacts between balls, in models that have no other laws, are solved from what their rows are made
   of; theory/large-heaps.md. The same model with a box that touches nothing takes the general way. */
#include "mechanisms.h"
#include "problem/body_problem.h"
#include "problem/islands.h"
#include "simulation/inside.h"
#include "solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, BALLS = SIDE * SIDE * SIDE, LEAST_CONTACTS = 512 };

/* Sums of a dozen products on both ways, carried through some hundred sweeps that do not spread them: a
   hundred thousand roundings of the largest number cover that. A row that is wrong misses by its size. */
static const double rounding = 1e5 * 2.2e-16;

static void add_ball(tp_model *model, check_random *random, int k)
{
    const int at[] = {k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)};
    const double radius = check_uniform(random, 0.0098, 0.0102), mass = check_uniform(random, 0.8, 1.2);
    char name[16];
    snprintf(name, sizeof name, "b%d", k);
    tp_body_def body = tp_body_def_default();
    body.name = name;
    body.mass = mass;
    body.inertia = tp_mat3_identity();
    body.inertia.cx.x = body.inertia.cy.y = body.inertia.cz.z = 0.4 * mass * radius * radius;
    body.position =
        tp_vec3_make(0.0198 * at[0] + check_uniform(random, -2e-4, 2e-4),
                     0.0198 * at[1] + check_uniform(random, -2e-4, 2e-4), 0.0098 + 0.0198 * at[2]);
    body.orientation = solids_pose(random, 0.0).orientation;
    body.velocity = tp_vec3_scale(0.1, solids_vector(random));
    body.angular_velocity = solids_vector(random);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    tp_shape_def shape = tp_shape_def_default();
    shape.name = shape.body = name;
    shape.solid = tp_solid_sphere(radius);
    must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
}

/* A block of balls that touch on a floor; with a body that is no ball and that no rule speaks of. */
static tp_model *make_block(double restitution, bool has_box)
{
    check_random random = {11};
    tp_model *model = new_model();
    int shapes[BALLS + 1], groups[BALLS + 1];
    for (int k = 0; k < BALLS; k++) add_ball(model, &random, k);
    tp_shape_def floor = tp_shape_def_default();
    floor.name = "floor";
    floor.solid = tp_solid_plane();
    must(model, tp_model_add_shape(model, &floor, NULL, &build_why));
    if (has_box) {
        tp_body_def box = tp_body_def_default();
        box.name = "box";
        box.mass = 1.0;
        box.inertia = tp_mat3_identity();
        box.inertia.cz.z = 1.5;
        must(model, tp_model_add_body(model, &box, NULL, &build_why));
    }
    for (int k = 0; k < BALLS + 1; k++) shapes[k] = groups[k] = k;
    tp_rule_def rule = tp_rule_def_default();
    rule.law.name = "heap";
    rule.law.friction[0] = 0.5;
    rule.law.restitution = restitution;
    rule.shape_count = BALLS + 1;
    rule.shapes = shapes;
    rule.groups = groups;
    must(model, tp_model_add_rule(model, &rule, NULL, &build_why));
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.0, 0.0, -9.81), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_simulation *start_block(const tp_model *model)
{
    tp_simulation *simulation;
    tp_message why = {""};
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = "moreau";
    options.time_step = 5e-4;
    options.tolerance = 1e-2;
    if (tp_simulation_create(NULL, model, &options, &simulation, &why) != TP_OK) fail_msg("%s", why.text);
    return simulation;
}

static double largest(const double *values, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

static void check_same(const double *a, const double *b, int count, const char *what)
{
    double allowed = rounding * largest(b, count);
    for (int i = 0; i < count; i++) {
        if (!(fabs(a[i] - b[i]) <= allowed))
            fail_msg("%s %d: %g and %g, allowed %g", what, i, a[i], b[i], allowed);
    }
}

/* Entries of each row of A; those of one problem may be zero in the other. */
static void check_rows(void **check_state_, const tp_problem *a, const tp_problem *b)
{
    double *dense = calloc((size_t)b->x_count, sizeof *dense);
    CHECK_INT(a->row_count, b->row_count);
    for (int row = 0; row < a->row_count; row++) {
        for (int e = a->A.start[row]; e < a->A.start[row + 1]; e++) dense[a->A.index[e]] += a->A.value[e];
        for (int e = b->A.start[row]; e < b->A.start[row + 1]; e++) dense[b->A.index[e]] -= b->A.value[e];
        for (int e = a->A.start[row]; e < a->A.start[row + 1]; e++) {
            CHECK_NEAR(dense[a->A.index[e]], 0.0, 1e-14);
            dense[a->A.index[e]] = 0.0;
        }
        for (int e = b->A.start[row]; e < b->A.start[row + 1]; e++) {
            CHECK_NEAR(dense[b->A.index[e]], 0.0, 1e-14);
            dense[b->A.index[e]] = 0.0;
        }
    }
    check_same(a->b, b->b, a->row_count, "b");
    free(dense);
}

/* Bodies, measures and islands from known rows, and from what stands in M and A. */
static void check_bodies(void **check_state_, const tp_problem *problem, const tp_ball_rows *rows)
{
    tp_stack stack;
    tp_body_problem known, proven;
    tp_islands islands, of_balls;
    tp_unknowns all = {.total = problem->x_count}, by_rows = all;
    by_rows.balls = rows;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_body_problem_make(problem, &by_rows, NULL, &stack, &known), TP_OK);
    CHECK_INT(tp_body_problem_make(problem, &all, NULL, &stack, &proven), TP_OK);
    CHECK(known.are_balls && proven.are_balls);
    CHECK_INT(known.body_count, proven.body_count);
    CHECK_INT(memcmp(known.place, proven.place, (size_t)problem->set_count * sizeof *known.place), 0);
    CHECK_NEAR(known.local.rho, proven.local.rho, 1e-12 * proven.local.rho);
    CHECK_NEAR(known.local.scale, proven.local.scale, 1e-12 * proven.local.scale);
    CHECK_NEAR(known.local.G_norm, proven.local.G_norm, 1e-12 * proven.local.G_norm);
    CHECK_NEAR(known.local.inertia, proven.local.inertia, 1e-12 * proven.local.inertia);
    CHECK_INT(tp_islands_find(problem, NULL, &stack, &islands), TP_OK);
    CHECK_INT(tp_islands_find_balls(problem, rows, NULL, &stack, &of_balls), TP_OK);
    CHECK_INT(of_balls.count, islands.count);
    CHECK_INT(memcmp(of_balls.of_set, islands.of_set, (size_t)problem->set_count * sizeof(int)), 0);
    tp_stack_clear(&stack);
}

/* Both ways make the same step from the same state. */
static void check_step(void **check_state_, const tp_simulation *balls, const tp_simulation *general)
{
    int laws = tp_simulation_law_count(general), u_count = 6 * BALLS;
    const tp_state *a = &balls->state[balls->present], *b = &general->state[general->present];
    CHECK_INT(tp_simulation_law_count(balls), laws);
    CHECK(tp_simulation_last_step(general)->contact_count >= LEAST_CONTACTS);
    CHECK(balls->stepper.problem->are_balls && !general->stepper.problem->are_balls);
    CHECK_INT(tp_simulation_last_step(balls)->iterations, tp_simulation_last_step(general)->iterations);
    check_same(a->u, b->u, u_count, "u");
    check_same(a->impulse, b->impulse, laws * TP_LAW_ROWS, "impulse");
    check_same(balls->stepper.account.laws, general->stepper.account.laws, u_count, "impulse on a body");
    check_same(balls->stepper.account.dissipation, general->stepper.account.dissipation, laws, "loss");
    /* whoever asks for the problem gets it with its rows */
    const tp_problem *written = tp_simulation_problem(balls);
    tp_residual residual;
    CHECK(!balls->stepper.problem->are_balls);
    check_rows(check_state_, written, tp_simulation_problem(general));
    check_bodies(check_state_, written, &balls->stepper.problem->balls);
    CHECK_INT(tp_problem_error(written, balls->stepper.problem->P, &residual), TP_OK);
    CHECK_NEAR(residual.error, tp_simulation_last_step(balls)->residual, 1e-9 * residual.error);
}

static void compare(void **check_state_, double restitution)
{
    tp_model *models[] = {make_block(restitution, false), make_block(restitution, true)};
    tp_simulation *balls = start_block(models[0]), *general = start_block(models[1]);
    CHECK_INT(tp_simulation_step(balls, 5e-4, NULL), TP_OK);
    CHECK_INT(tp_simulation_step(general, 5e-4, NULL), TP_OK);
    check_step(check_state_, balls, general);
    tp_simulation_free(balls);
    tp_simulation_free(general);
    tp_model_free(models[0]);
    tp_model_free(models[1]);
}

TEST(rows_that_are_not_written_give_the_same_step)
{
    compare(check_state_, 0.0);
}

TEST(so_they_do_with_restitution)
{
    compare(check_state_, 0.5);
}

TEST_MAIN(RUNS(rows_that_are_not_written_give_the_same_step), RUNS(so_they_do_with_restitution))
