/* Contacts between bodies in space, with the integrators that hold them on velocity level: what exact Coulomb
   friction and rigid contacts promise, at random places, angles and sizes. */
#include "contacts_3d.h"

#include <float.h>

static const double gravity = 9.81;

static const char *const integrators[] = {"moreau", "moreau-jean"};
enum { INTEGRATORS = 2 };

/* ---- slopes ---- */

/* A block on a slope, turned at random; coefficient: mu / tan(slope). */
static tp_model *block_on_slope(check_random *random, double coefficient, double *slope_out,
                                double *friction_out, tp_vec3 *downhill_out)
{
    double slope = check_uniform(random, 0.1, 0.8), friction = coefficient * tan(slope);
    tp_quat floor = tp_quat_multiply(about(0, 0, 1, check_uniform(random, 0.0, 6.0)), about(0, 1, 0, slope));
    tp_vec3 half = {check_uniform(random, 0.1, 0.2), check_uniform(random, 0.1, 0.2),
                    check_uniform(random, 0.02, 0.05)}; /* flat: it does not tip */
    tp_model *model = model_on_floor(floor, down);
    tp_quat turned = tp_quat_multiply(floor, about(0, 0, 1, check_uniform(random, 0.0, 6.0)));
    tp_moving_solid block = at_rest(tp_quat_rotate(floor, tp_vec3_scale(half.z, up)), turned);
    add_solid(model, "block", tp_solid_box(half), 3.0, &block);
    touch(model, "floor", "block", friction, 0.0);
    *slope_out = slope;
    *friction_out = friction;
    *downhill_out = tp_quat_rotate(floor, tp_vec3_make(1.0, 0.0, 0.0));
    return model;
}

/* An error of 1e-14 of g dt in the velocity of each step moves it by less than 1e-13 m in 100 s. */
TEST(a_block_below_the_limit_of_friction_moves_less_than_a_picometre_in_a_hundred_seconds)
{
    check_random random = {1401};
    for (int trial = 0; trial < 6; trial++) {
        double slope, friction;
        tp_vec3 downhill;
        tp_model *model = block_on_slope(&random, 1.01, &slope, &friction, &downhill);
        tp_simulation *simulation = start(model, integrators[trial % INTEGRATORS], 0.05, 100.0);
        tp_vec3 before = position_of(simulation, 0);
        run(simulation);
        CHECK_NEAR(solids_distance(position_of(simulation, 0), before), 0.0, 1e-12);
        end(simulation, model);
    }
}

/* Constant forces and rows: the parabola is exact but for the errors of 100 solves, 1e-14 of g t each. */
TEST(a_block_beyond_the_limit_slides_down_with_the_exact_acceleration)
{
    check_random random = {1402};
    const double time = 1.0;
    for (int trial = 0; trial < 10; trial++) {
        double slope, friction;
        tp_vec3 downhill;
        tp_model *model = block_on_slope(&random, 0.9, &slope, &friction, &downhill);
        tp_simulation *simulation = start(model, integrators[trial % INTEGRATORS], 0.01, time);
        tp_vec3 before = position_of(simulation, 0);
        run(simulation);
        tp_vec3 way = tp_vec3_sub(position_of(simulation, 0), before);
        double expected = 0.5 * gravity * (sin(slope) - friction * cos(slope)) * time * time;
        CHECK_NEAR(solids_distance(way, tp_vec3_scale(expected, downhill)), 0.0, 1e-11);
        end(simulation, model);
    }
}

/* ---- balls ---- */

/* The contact impulse has no moment about the point below the centre, whatever the steps. */
TEST(a_thrown_ball_rolls_with_five_sevenths_of_its_speed)
{
    check_random random = {1403};
    for (int trial = 0; trial < 20; trial++) {
        double radius = check_uniform(&random, 0.05, 0.5), friction = check_uniform(&random, 0.1, 0.5);
        tp_vec3 thrown = {check_uniform(&random, -2.0, 2.0), check_uniform(&random, -2.0, 2.0), 0.0};
        tp_model *model = model_on_floor(tp_quat_identity(), down);
        tp_moving_solid ball = at_rest(tp_vec3_scale(radius, up), solids_rotation(&random));
        ball.twist.velocity = thrown;
        add_solid(model, "ball", tp_solid_sphere(radius), 0.7, &ball);
        touch(model, "floor", "ball", friction, 0.0);
        double rolls = 2.0 * tp_vec3_norm(thrown) / (7.0 * friction * gravity);
        tp_simulation *simulation = start(model, integrators[trial % INTEGRATORS], 5e-3, rolls + 0.1);
        run(simulation);
        CHECK_NEAR(solids_distance(velocity_of(simulation, 0), tp_vec3_scale(5.0 / 7.0, thrown)), 0.0, 1e-12);
        end(simulation, model);
    }
}

/* Rolling takes friction 2/7 tan(slope) of the pressure. At the limit itself both accelerations are the same,
   and rounding decides which of them it is. Constant forces: exact but for errors of 1e-14 in 100 solves. */
TEST(a_ball_on_a_slope_rolls_up_to_the_limit_of_friction_and_slides_beyond)
{
    check_random random = {1406};
    const double time = 1.0, radius = 0.1, parts[] = {1.2, 1.0, 0.8}; /* of the limit */
    for (int trial = 0; trial < 12; trial++) {
        double slope = check_uniform(&random, 0.1, 1.0), friction = parts[trial % 3] * 2.0 / 7.0 * tan(slope);
        tp_quat floor = tp_quat_multiply(solids_rotation(&random), about(0, 1, 0, slope));
        tp_vec3 weight = tp_quat_rotate(floor, tp_quat_rotate_back(about(0, 1, 0, slope), down)),
                downhill = tp_quat_rotate(floor, tp_vec3_make(1.0, 0.0, 0.0));
        tp_model *model = model_on_floor(floor, weight);
        tp_moving_solid ball = at_rest(tp_quat_rotate(floor, tp_vec3_scale(radius, up)), tp_quat_identity());
        add_solid(model, "ball", tp_solid_sphere(radius), 2.0, &ball);
        touch(model, "floor", "ball", friction, 0.0);
        tp_simulation *simulation = start(model, integrators[trial / 6], 0.01, time);
        run(simulation);
        double acceleration =
            gravity * fmax(5.0 / 7.0 * sin(slope), sin(slope) - friction * cos(slope)); /* slides faster */
        CHECK_NEAR(solids_distance(velocity_of(simulation, 0), tp_vec3_scale(acceleration * time, downhill)),
                   0.0, 1e-11);
        end(simulation, model);
    }
}

/* ---- rest ---- */

/* Dropped, so that the contacts have closed with some penetration, and tilted, so that each has its own. The
   steps at rest may each be wrong by 1e-14 of g dt^2: 1e-14 m in all of them. */
TEST(penetrations_at_rest_do_not_grow_in_a_hundred_thousand_steps)
{
    const double dt = 1e-3;
    for (int k = 0; k < 3; k++) {
        tp_model *model = dropped_body(k, 0.0);
        tp_simulation *simulation = start(model, integrators[k % INTEGRATORS], dt, 1000.0);
        double moved = creep(simulation, dt, 3000, 100000);
        CHECK(tp_simulation_report(simulation)->penetration > 1e-6); /* there is something that could grow */
        CHECK_NEAR(moved, 0.0, 1e-12);
        end(simulation, model);
    }
}

/* Ten cubes of 0.2 m, turned about the vertical against each other: up to eight points in each contact. */
TEST(a_stack_of_ten_cubes_does_not_sink_or_creep_in_five_seconds)
{
    const double edge = 0.2;
    for (int turned = 0; turned < 2; turned++) {
        char names[11][16] = {"floor"};
        tp_model *model = model_on_floor(tp_quat_identity(), down);
        for (int k = 1; k <= 10; k++) {
            snprintf(names[k], sizeof names[k], "cube%d", k);
            tp_moving_solid cube =
                at_rest(tp_vec3_scale((k - 0.5) * edge, up), about(0, 0, 1, turned * (0.7 + 0.01 * k)));
            add_solid(model, names[k], tp_solid_box(tp_vec3_make(0.1, 0.1, 0.1)), 8.0, &cube);
            touch(model, names[k - 1], names[k], 0.5, 0.0);
        }
        tp_simulation *simulation = start(model, integrators[turned], 0.02, 5.0);
        run(simulation);
        for (int k = 1; k <= 10; k++)
            CHECK_NEAR(solids_distance(position_of(simulation, k - 1), tp_vec3_scale((k - 0.5) * edge, up)),
                       0.0, 1e-9);
        CHECK(tp_simulation_report(simulation)->penetration < 1e-9);
        end(simulation, model);
    }
}

/* Two cards that lean on each other, as in examples/card-house; friction of the feet. */
static tp_model *card_house(double lean, double length, double thickness, double friction)
{
    double x = 0.5 * (thickness * cos(lean) + length * sin(lean)),
           z = 0.5 * (thickness * sin(lean) + length * cos(lean));
    tp_solid card = tp_solid_box(tp_vec3_make(0.5 * thickness, 0.03, 0.5 * length));
    tp_model *model = model_on_floor(tp_quat_identity(), down);
    tp_moving_solid left = at_rest(tp_vec3_make(-x, 0.0, z), about(0, 1, 0, lean)),
                    right = at_rest(tp_vec3_make(x, 0.0, z), about(0, 1, 0, -lean));
    add_solid(model, "left", card, 0.01, &left);
    add_solid(model, "right", card, 0.01, &right);
    touch(model, "floor", "left", friction, 0.0);
    touch(model, "floor", "right", friction, 0.0);
    touch(model, "left", "right", 2.0 * tan(lean), 0.0);
    return model;
}

/* mu = (tan(lean) - thickness/length)/2. A hundredth below it the feet move apart with more than g/100 times
   the ratio of the limit: 1e-7 m in 50 ms at the least. */
TEST(a_house_of_cards_stands_above_its_limit_of_friction_and_slides_below)
{
    check_random random = {1404};
    for (int trial = 0; trial < 8; trial++) {
        double lean = check_uniform(&random, 0.2, 0.5), length = check_uniform(&random, 0.08, 0.12),
               thickness = check_uniform(&random, 0.001, 0.004),
               limit = 0.5 * (tan(lean) - thickness / length);
        for (int is_below = 0; is_below < 2; is_below++) {
            tp_model *model = card_house(lean, length, thickness, limit * (is_below ? 0.99 : 1.01));
            tp_simulation *simulation = start(model, integrators[trial % INTEGRATORS], is_below ? 1e-3 : 1e-2,
                                              is_below ? 0.05 : 10.0);
            tp_vec3 before = position_of(simulation, 0);
            run(simulation);
            double moved = solids_distance(position_of(simulation, 0), before);
            if (is_below)
                CHECK(moved > 1e-7);
            else
                CHECK_NEAR(moved, 0.0, 1e-12);
            end(simulation, model);
        }
    }
}

/* ---- the whole scene turned ---- */

/* A ball bounces and rolls into a box that slides and spins; everything carried along by one motion. */
static tp_model *turned_scene(tp_quat turn)
{
    tp_model *model = model_on_floor(turn, tp_quat_rotate(turn, down));
    tp_moving_solid ball = at_rest(tp_vec3_make(-0.5, 0.1, 0.3), tp_quat_identity()),
                    box = at_rest(tp_vec3_make(0.0, 0.0, 0.1), about(0, 0, 1, 0.4));
    ball.twist = (tp_twist){{2.0, -0.1, 0.0}, {3.0, 2.0, 1.0}};
    box.twist = (tp_twist){{-0.5, 0.2, 0.0}, {0.0, 0.0, 1.5}};
    tp_moving_solid *all[] = {&ball, &box};
    for (int k = 0; k < 2; k++) {
        all[k]->pose.origin = tp_quat_rotate(turn, all[k]->pose.origin);
        all[k]->pose.orientation = tp_quat_multiply(turn, all[k]->pose.orientation);
        all[k]->twist.velocity = tp_quat_rotate(turn, all[k]->twist.velocity);
        all[k]->twist.angular_velocity = tp_quat_rotate(turn, all[k]->twist.angular_velocity);
    }
    add_solid(model, "ball", tp_solid_sphere(0.1), 1.0, &ball);
    add_solid(model, "box", tp_solid_box(tp_vec3_make(0.15, 0.1, 0.1)), 2.0, &box);
    touch(model, "floor", "ball", 0.3, 0.5);
    touch(model, "floor", "box", 0.3, 0.0);
    touch(model, "box", "ball", 0.2, 0.5);
    return model;
}

/* Tangents of the contacts are other ones in every frame, and nothing depends on them. Each step is solved to
   1e-14 of speeds of some m/s; 600 steps and a few impacts, which make it several times larger, stay below
   1e-9. Impacts are the same: the corners of the box, which stands on the floor from the start on, approach
   it with rounding errors, and these do not count. */
TEST(turning_the_whole_scene_turns_its_motion)
{
    check_random random = {1405};
    const double dt = 1e-3, time = 0.6;
    for (int trial = 0; trial < 6; trial++) {
        const char *integrator = integrators[trial % INTEGRATORS];
        tp_quat turn = solids_rotation(&random);
        tp_model *model = turned_scene(tp_quat_identity()), *turned_model = turned_scene(turn);
        tp_simulation *simulation = start(model, integrator, dt, time),
                      *turned = start(turned_model, integrator, dt, time);
        run(simulation);
        run(turned);
        const tp_run_report *report = tp_simulation_report(simulation),
                            *turned_report = tp_simulation_report(turned);
        CHECK(report->impacts >= 2);
        CHECK_INT(turned_report->impacts, report->impacts);
        CHECK_NEAR(turned_report->energy_final, report->energy_final, 1e-9 * report->energy_initial);
        CHECK_NEAR(turned_report->largest_energy_increase, report->largest_energy_increase,
                   1e-9 * report->energy_initial);
        CHECK_NEAR(turned_report->penetration, report->penetration, 1e-9);
        for (int body = 0; body < 2; body++) {
            tp_vec3 r = tp_quat_rotate(turn, position_of(simulation, body)),
                    v = tp_quat_rotate(turn, velocity_of(simulation, body));
            CHECK_NEAR(solids_distance(position_of(turned, body), r), 0.0, 1e-9);
            CHECK_NEAR(solids_distance(velocity_of(turned, body), v), 0.0, 1e-9);
        }
        end(simulation, model);
        end(turned, turned_model);
    }
}

/* A cylinder rolls in a tube like a pendulum of length 3/2 (R - r). From the angle A it passes the bottom
   after a quarter of the period; the circle makes that longer by A^2/16, and a step is 1/1700 of it: together
   below 2e-3 of A (pi/2). A cylinder that slides would have passed it at 0.82 of that time. Both rims stay in
   touch, so that its axis stays level. */
TEST(a_cylinder_in_a_tube_rolls_like_a_pendulum_half_as_long_again)
{
    const double R = 1.0, r = 0.3, angle = 0.1, quarter = acos(0.0) * sqrt(1.5 * (R - r) / gravity);
    const int steps = 500;
    for (int i = 0; i < INTEGRATORS; i++) {
        tp_model *model = new_model();
        must(model, tp_model_set_gravity(model, down, &build_why));
        tp_shape_def tube = tp_shape_def_default();
        tube.name = "tube";
        tube.solid = tp_solid_inside_cylinder(R);
        tube.pose.orientation = about(1, 0, 0, acos(0.0));
        must(model, tp_model_add_shape(model, &tube, NULL, &build_why));
        tp_moving_solid can = at_rest(tp_vec3_make((R - r) * sin(angle), 0.4, (r - R) * cos(angle)),
                                      tp_quat_multiply(tube.pose.orientation, about(0, 0, 1, 0.4)));
        add_solid(model, "can", tp_solid_cylinder(r, 0.5), 2.0, &can);
        touch(model, "tube", "can", 0.5, 0.0);
        tp_simulation *simulation = start(model, integrators[i], quarter / steps, quarter);
        run(simulation);
        tp_vec3 at = position_of(simulation, 0), v = velocity_of(simulation, 0);
        CHECK_NEAR(at.x, 0.0, 2e-3 * acos(0.0) * angle * (R - r));
        CHECK_NEAR(at.y, 0.4, 1e-9);
        CHECK_NEAR(at.z, r - R, 2e-5); /* along the tangent: (v dt)^2 / (R - r), in 500 steps 1.7e-5 */
        CHECK_NEAR(tp_simulation_u(simulation)[5], -v.x / r, 1e-7); /* half of (at.x / (R - r))^2 = 1e-7 */
        end(simulation, model);
    }
}

TEST_MAIN(RUNS(a_cylinder_in_a_tube_rolls_like_a_pendulum_half_as_long_again),
          RUNS(a_block_below_the_limit_of_friction_moves_less_than_a_picometre_in_a_hundred_seconds),
          RUNS(a_block_beyond_the_limit_slides_down_with_the_exact_acceleration),
          RUNS(a_thrown_ball_rolls_with_five_sevenths_of_its_speed),
          RUNS(a_ball_on_a_slope_rolls_up_to_the_limit_of_friction_and_slides_beyond),
          RUNS(penetrations_at_rest_do_not_grow_in_a_hundred_thousand_steps),
          RUNS(a_stack_of_ten_cubes_does_not_sink_or_creep_in_five_seconds),
          RUNS(a_house_of_cards_stands_above_its_limit_of_friction_and_slides_below),
          RUNS(turning_the_whole_scene_turns_its_motion))
