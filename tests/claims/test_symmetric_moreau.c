/* Claims of theory/symmetric-moreau.md: the rule on nodes is symmetric in time, of second order without laws,
   and drifts in joints and closed contacts by exactly the square of a step's way. */
#include "models.h"

/* A Duffing pair with a gyroscopic force of size c: h depends on velocities, linearly. */
static tp_model *gyroscopic_pair(double c, const double *q, const double *u)
{
    tp_model *model = new_model();
    parameter(model, "c", c);
    coordinate(model, "x", q[0], u[0]);
    coordinate(model, "y", q[1], u[1]);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + 2*y'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("x^2/2 + x^4/4 + y^2 + (x - y)^2/2"), &build_why));
    must(model, tp_model_add_force(model, "x", TP_FORMULA("c*y'"), &build_why));
    must(model, tp_model_add_force(model, "y", TP_FORMULA("-c*x'"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_simulation_options options_with(tp_symmetric_force force, double dt, double end)
{
    tp_simulation_options options = options_of("symmetric-moreau", dt, end);
    options.symmetric.force = force;
    return options;
}

/* q and u at the end of a run of the pair. */
static void run_pair(double c, tp_symmetric_force force, double dt, double end, const double *q0,
                     const double *u0, double *q, double *u)
{
    tp_model *model = gyroscopic_pair(c, q0, u0);
    tp_simulation *simulation = simulate_options(model, options_with(force, dt, end));
    run(simulation);
    for (int i = 0; i < 2; i++) {
        q[i] = tp_simulation_q(simulation)[i];
        u[i] = tp_simulation_u(simulation)[i];
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
}

static const double start_q[2] = {1.0, -0.4}, start_u[2] = {0.3, 0.8};

/* How far the way back, with velocities and gyroscopic forces reversed, ends from the start. */
static double return_error(tp_symmetric_force force)
{
    double q[2], u[2], back_q[2], back_u[2], error = 0.0;
    run_pair(0.7, force, 0.02, 4.0, start_q, start_u, q, u);
    for (int i = 0; i < 2; i++) u[i] = -u[i];
    run_pair(-0.7, force, 0.02, 4.0, q, u, back_q, back_u);
    for (int i = 0; i < 2; i++)
        error = fmax(error, fmax(fabs(back_q[i] - start_q[i]), fabs(back_u[i] + start_u[i])));
    return error;
}

/* (7): 400 steps round to 1e-16 each, and errors of a Duffing pair grow by less than 100 in 8 s. Forces of
   the interval's end are off by the work of a step, some percent. */
TEST(the_way_back_leads_to_the_start)
{
    CHECK(return_error(TP_SYMMETRIC_MEAN) < 400 * 100 * 1.2e-16);
    CHECK(return_error(TP_SYMMETRIC_END) > 1e-3);
}

/* Differences of runs with steps that are halved; (8). */
static void check_pair_order(void **check_state_, tp_symmetric_force force, double order)
{
    double q[4][2], u[4][2];
    for (int k = 0; k < 4; k++) run_pair(0.7, force, 0.01 / (1 << k), 2.0, start_q, start_u, q[k], u[k]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(log2((q[k][i] - q[k + 1][i]) / (q[k + 1][i] - q[k + 2][i])), order, 0.1);
            CHECK_NEAR(log2((u[k][i] - u[k + 1][i]) / (u[k + 1][i] - u[k + 2][i])), order, 0.1);
        }
    }
}

TEST(forces_of_velocities_keep_the_second_order_with_their_mean)
{
    check_pair_order(check_state_, TP_SYMMETRIC_MEAN, 2.0);
    check_pair_order(check_state_, TP_SYMMETRIC_END, 1.0);
}

/* Largest error of the energy in each half of 40 s. */
static void energy_errors(double dt, double *first, double *second)
{
    tp_model *model = gyroscopic_pair(0.7, start_q, start_u);
    tp_simulation *simulation = simulate_options(model, options_with(TP_SYMMETRIC_MEAN, dt, 40.0));
    double start = tp_simulation_report(simulation)->energy_initial;
    int count = (int)lround(40.0 / dt);
    *first = *second = 0.0;
    for (int k = 0; k < count; k++) {
        double *half = k < count / 2 ? first : second;
        step_to(simulation, dt * (k + 1));
        *half = fmax(*half, fabs(tp_simulation_last_step(simulation)->energy - start));
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* (9): the energy of the mean velocity swings with (dt)^2 and does not drift. A drift would double the error
   in the second half; two frequencies that beat reach the same extremes to some percent in each. */
TEST(energy_swings_with_the_square_of_the_step_and_does_not_drift)
{
    double first[2], second[2];
    for (int k = 0; k < 2; k++) energy_errors(0.02 / (1 << k), &first[k], &second[k]);
    CHECK_NEAR(second[0] / first[0], 1.0, 0.1);
    CHECK_NEAR(log2(first[0] / first[1]), 2.0, 0.05);
}

/* A ball of 1 kg and 0.1 m inside a cylinder of radius 1: 0.9 m from its axis at the start. */
static tp_model *ball_in_cylinder(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", -0.9, 0.0);
    coordinate(model, "y", 1.0, 0.0);
    coordinate(model, "phi", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2 + 0.004*phi'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*y"), &build_why));
    contact(model, "wall", "0.9 - sqrt(x^2 + (y - 1)^2)",
            "((1 - y)*x' + x*y')/sqrt(x^2 + (y - 1)^2) + 0.1*phi'", 0.1, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* (10): |r+|^2 = |r|^2 + |r+ - r|^2 while the ball presses; r of some 1 m is rounded to 1.1e-16 and products
   of it to as much. The depth is of first order: about 6 cm after 2 s at 10 ms, half of it at 5 ms. */
static double drift_in_cylinder(void **check_state_, tp_symmetric_force force, double dt)
{
    tp_model *model = ball_in_cylinder();
    tp_simulation *simulation = simulate_options(model, options_with(force, dt, 2.0));
    double before[2] = {-0.9, 0.0};
    for (int k = 0; k < (int)lround(2.0 / dt); k++) {
        double impulse[TP_IMPULSE_ROWS] = {0.0};
        if (k > 0) tp_simulation_last_impulse(simulation, 0, impulse);
        step_to(simulation, dt * (k + 1));
        const double *q = tp_simulation_q(simulation);
        double r[2] = {q[0], q[1] - 1.0}, way[2] = {r[0] - before[0], r[1] - before[1]};
        double error = r[0] * r[0] + r[1] * r[1] - before[0] * before[0] - before[1] * before[1] -
                       way[0] * way[0] - way[1] * way[1];
        if (impulse[0] > 0.0) CHECK(fabs(error) < 1e-14);
        memcpy(before, r, sizeof r);
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
    return hypot(before[0], before[1]) - 0.9;
}

TEST(drift_in_a_cylinder_is_the_square_of_the_way)
{
    for (int force = TP_SYMMETRIC_MEAN; force <= TP_SYMMETRIC_END; force++) {
        double coarse = drift_in_cylinder(check_state_, (tp_symmetric_force)force, 1e-2),
               fine = drift_in_cylinder(check_state_, (tp_symmetric_force)force, 5e-3);
        CHECK_NEAR(coarse, 0.06, 0.01);
        CHECK_NEAR(log2(coarse / fine), 1.0, 0.1);
    }
}

/* Forces that do not depend on velocities: both variants take the same steps, but for their start; (11). */
TEST(without_forces_of_velocities_both_variants_agree_but_for_their_start)
{
    const double kick = 0.5 * 0.01 * -9.81;
    tp_model *models[2] = {new_model(), new_model()};
    double at[2];
    for (int k = 0; k < 2; k++) {
        coordinate(models[k], "y", 1.0, k == 0 ? 0.0 : kick);
        must(models[k], tp_model_add_kinetic(models[k], TP_FORMULA("1/2*y'^2"), &build_why));
        must(models[k], tp_model_add_potential(models[k], TP_FORMULA("9.81*y"), &build_why));
        contact(models[k], "floor", "y", NULL, 0.0, 0.5);
        must(models[k], tp_model_finish(models[k], NULL, &build_why));
        tp_simulation *simulation = simulate_options(
            models[k], options_with(k == 0 ? TP_SYMMETRIC_MEAN : TP_SYMMETRIC_END, 0.01, 1.0));
        run(simulation);
        at[k] = tp_simulation_q(simulation)[0];
        tp_simulation_free(simulation);
        tp_model_free(models[k]);
    }
    CHECK_NEAR(at[0], at[1], 100 * 1.2e-16);
}

/* A point on a circle, (10): what is shown at a node is its position, and the next one is on the tangent. */
TEST(a_point_on_a_circle_drifts_by_the_square_of_its_way)
{
    static const char text[] = "coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: 9.81*y\n"
                               "constraints: [{name: rod, position: \"x^2 + y^2 - 1\"}]\ninitial: {x: 1}\n";
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_options(scene->model, options_with(TP_SYMMETRIC_MEAN, 1e-2, 1.0));
    double before[2] = {1.0, 0.0};
    for (int k = 1; k <= 100; k++) {
        step_to(simulation, 1e-2 * k);
        const double *q = tp_simulation_q(simulation);
        double way = hypot(q[0] - before[0], q[1] - before[1]);
        CHECK_NEAR(q[0] * q[0] + q[1] * q[1], before[0] * before[0] + before[1] * before[1] + way * way,
                   1e-14);
        memcpy(before, q, sizeof before);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Without forces a constraint on velocities leaves both variants the same steps; free motion is exact. */
TEST(both_variants_agree_without_forces_and_free_motion_is_exact)
{
    static const char *const texts[] = {
        "coordinates: [a, b]\nkinetic: \"1/2*(2*a'^2 + 0.5*b'^2)\"\n"
        "constraints: [{name: transmission, velocity: \"b' - (1 + 0.5*sin(2*t))*a'\"}]\n"
        "initial: {a': 3, b': 3}\n",
        "coordinates: [a, b]\nkinetic: \"1/2*(2*a'^2 + 0.5*b'^2)\"\ninitial: {a: 1, a': 3, b': -2}\n"};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(texts[k]);
        double q[2][2];
        for (int force = TP_SYMMETRIC_MEAN; force <= TP_SYMMETRIC_END; force++) {
            tp_simulation *simulation =
                simulate_options(scene->model, options_with((tp_symmetric_force)force, 1e-2, 1.0));
            run(simulation);
            memcpy(q[force], tp_simulation_q(simulation), sizeof q[force]);
            tp_simulation_free(simulation);
        }
        for (int i = 0; i < 2; i++) CHECK_NEAR(q[0][i], q[1][i], 100 * 4 * 2.2e-16);
        if (k == 1) CHECK_NEAR(q[0][0], 4.0, 100 * 4 * 2.2e-16);
        if (k == 1) CHECK_NEAR(q[0][1], -2.0, 100 * 4 * 2.2e-16);
        tp_scene_free(scene);
    }
}

/* A ball of 10 m/s bounces between walls that are nearer than the way of a step: at every node it is 2.9
   or 3.1 mm deep in one of them, and the next interval leads back. After an impact with restitution 1 the
   shown velocity is 0; the search for contacts went by it and missed the other wall, until the ball was 12.9
   mm deep. */
TEST(contacts_are_sought_along_the_interval_and_not_the_shown_velocity)
{
    tp_scene *scene = scene_of(
        "ground: {shapes: [{name: l, type: plane, position: [-0.102, 0, 0], orientation: {z: [1, 0, 0]}},\n"
        "  {name: r, type: plane, position: [0.102, 0, 0], orientation: {z: [-1, 0, 0]}}]}\n"
        "bodies: [{name: b, density: 1000, position: [-0.0049, 0, 0], velocity: [10, 0, 0],\n"
        "  shapes: [{type: sphere, radius: 0.1}]}]\n"
        "contacts: [{name: c, among: all, restitution: 1}]\n"
        "simulate: {integrator: symmetric-moreau, dt: 1e-3, until: 0.2}\n");
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    run(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_NEAR(report->penetration, 3.1e-3, 1e-12);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(contacts_are_sought_along_the_interval_and_not_the_shown_velocity),
          RUNS(the_way_back_leads_to_the_start),
          RUNS(forces_of_velocities_keep_the_second_order_with_their_mean),
          RUNS(energy_swings_with_the_square_of_the_step_and_does_not_drift),
          RUNS(drift_in_a_cylinder_is_the_square_of_the_way),
          RUNS(without_forces_of_velocities_both_variants_agree_but_for_their_start),
          RUNS(a_point_on_a_circle_drifts_by_the_square_of_its_way),
          RUNS(both_variants_agree_without_forces_and_free_motion_is_exact))
