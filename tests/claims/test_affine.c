/* What theory/consistent.md (A1)-(A9) claims of affine bodies: errors and orders, energy, rigidity on both
   levels, joints, contacts, restart. */
#include "free_body.h"
#include "integrator/consistent_step.h"
#include "tippe_top.h"

#include <float.h>

static bench open_bodies_bench(const char *text, const char *integrator, tp_consistent_bodies bodies,
                               double dt)
{
    bench b = prepare_bench(text, integrator, dt);
    b.scene->options.consistent.bodies = bodies;
    start_bench(&b);
    return b;
}

/* An array of the memory of the present state, NULL: there is none. */
static const tp_named_values *memory_of(const tp_simulation *simulation, const char *name)
{
    tp_restart restart;
    tp_simulation_checkpoint(simulation, &restart);
    for (int i = 0; i < restart.memory_count; i++) {
        if (strcmp(restart.memory[i].name, name) == 0) return &restart.memory[i];
    }
    return NULL;
}

/* --- free motion */

/* The exact orientation at 2 s, and the error of the specification for both levels, two digits; without
   contacts the four schemes are one, that on positions differs from it in third order, and forces at the ends
   of steps instead of their middle have twice the error. */
TEST(a_free_affine_body_has_the_error_of_the_specification_and_second_order)
{
    static const char *const integrators[] = {"consistent",          "consistent-elastic",
                                              "consistent-two-step", "consistent-hybrid",
                                              "consistent-position", "schatzman-paoli"};
    static const double figures[] = {1.69e-4, 1.69e-4, 1.69e-4, 1.69e-4, 1.69e-4, 2.0 * 1.69e-4};
    for (int k = 0; k < 6; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            double dt = 0.01 / (1 << fine);
            bench b = open_bodies_bench(free_body, integrators[k], TP_CONSISTENT_AFFINE, dt);
            CHECK(strcmp(tp_simulation_report(b.simulation)->form, "constant mass, affine bodies") == 0);
            run_steps(b.simulation, 200 << fine, dt);
            error[fine] = free_body_error(b.simulation);
            close_bench(&b);
        }
        CHECK_NEAR(error[0], figures[k], 0.01 * figures[k]);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.02);
    }
}

/* 4.925 J, directions of length 1 and rates of 2 1/s to their rounding; many more steps in tests/long. */
TEST(a_free_affine_body_keeps_its_energy_and_rigidity)
{
    static const char *const integrators[] = {"consistent-position", "consistent"};
    for (int k = 0; k < 2; k++) {
        bench b = open_bodies_bench(free_body, integrators[k], TP_CONSISTENT_AFFINE, 0.01);
        run_steps(b.simulation, 1000, 0.01);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->energy_initial, 0.5 * (0.25 + 8.0 + 1.6), 1e-14);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-13 * report->energy_initial);
        CHECK(report->largest_energy_increase < 1e-14);
        CHECK(report->angle_drift < 1e-14);
        if (k == 1) CHECK(rate_drift(report) < 1e-13);
        close_bench(&b);
    }
}

/* Rates of d_1.d_1 and of the others at the present state: the largest, and that of d_2.d_2. */
static double rigidity_rate(const tp_simulation *simulation, double *second)
{
    const double *d = memory_of(simulation, "affine_q")->values + 3,
                 *rate = memory_of(simulation, "affine_u")->values + 3;
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double gamma = 0.0;
            for (int c = 0; c < 3; c++)
                gamma += d[3 * i + c] * rate[3 * j + c] + rate[3 * i + c] * d[3 * j + c];
            largest = fmax(largest, fabs(gamma));
            if (i == 1 && j == 1) *second = gamma;
        }
    }
    return largest;
}

/* The defect of position level alone, in space: the directions stay orthonormal to rounding, their rates are
   right on average only. */
TEST(rigidity_on_positions_alone_has_rates_that_oscillate_with_the_square_of_the_step)
{
    double largest[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        double dt = 0.02 / (1 << k), last = 0.0, mean = 0.0, gamma = 0.0, spread = 0.0;
        int steps = 100 << k, changes = 0;
        bench b = open_bodies_bench(free_body, "consistent-position", TP_CONSISTENT_SCALABLE, dt);
        for (int i = 1; i <= steps; i++) {
            step_to(b.simulation, i * dt);
            largest[k] = fmax(largest[k], rigidity_rate(b.simulation, &gamma));
            changes += gamma * last < 0.0;
            mean += gamma / steps;
            spread = fmax(spread, fabs(gamma));
            last = gamma;
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(rate_drift(report), largest[k], 1e-14);
        CHECK(report->angle_drift < 8.0 * DBL_EPSILON);
        CHECK(changes > steps * 3 / 4);
        CHECK(fabs(mean) < 0.2 * spread);
        close_bench(&b);
    }
    CHECK(largest[0] > 1e-5); /* it is there */
    CHECK_NEAR(log2(largest[0] / largest[1]), 2.0, 0.1);
    CHECK_NEAR(log2(largest[1] / largest[2]), 2.0, 0.1);
}

/* Two velocities for each coordinate and two multipliers for each constraint: 24 + 12. */
TEST(one_affine_body_has_thirty_six_unknowns)
{
    tp_scene *scene = scene_of(free_body);
    tp_message why = {""};
    tp_arena arena;
    tp_model *realised;
    tp_system *system = NULL;
    tp_step_problem *problem;
    const tp_step_form form = {2, tp_consistent_set_count};
    tp_arena_init(&arena, tp_allocator_default());
    CHECK_INT(tp_model_realise_affine(&arena, scene->model, &realised, &why), TP_OK);
    CHECK_INT(tp_system_create(NULL, realised, &system), TP_OK);
    CHECK_INT(tp_step_problem_create(&arena, system, &form, &problem), TP_OK);
    CHECK_INT(problem->problem.x_count + problem->capacity_rows, 36);
    tp_system_free(system);
    tp_arena_clear(&arena);
    tp_scene_free(scene);
}

/* --- joints */

/* Links in space with a universal joint, a spring, and a planar and a point body between affine ones. */
static const char chain[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: one, mass: 1, inertia: [0.02, 0.03, 0.025], position: [0.5, 0, 0], velocity: [0, 0.5, 0],\n"
    "     angular_velocity: [0, 0, 1]}\n"
    "  - {name: two, mass: 0.6, inertia: [0.02, 0.015, 0.01], position: [1.5, 0, 0], velocity: [0, 1.5, 0],\n"
    "     angular_velocity: [0, 0, 1]}\n"
    "  - {name: bob, type: point, mass: 0.3, position: [2, 0, -0.5], velocity: [0, 2, 0]}\n"
    "joints:\n"
    "  - {name: pivot, type: spherical, bodies: [ground, one], point: [0, 0, 0]}\n"
    "  - {name: knee, type: universal, bodies: [one, two], point: [1, 0, 0], axis: [0, 1, 0],\n"
    "     second_axis_b: [0, 0, 1]}\n"
    "  - {name: string, type: distance, bodies: [two, bob], point: [2, 0, 0], point_b: [2, 0, -0.5]}\n"
    "springs: [{name: coil, bodies: [ground, two], points: [[1, 1, 1], [0.2, 0, 0]], stiffness: 15,\n"
    "     rest_length: 0.5}]\n"
    "potential: [\"0.5*(one.p1 + one.p2)^2\"]\n";

/* Some 10 J, 10 m/s^2 and lengths of 1 m: rounding of a step is 1e-14 J. */
TEST(a_chain_of_affine_bodies_keeps_energy_and_joints)
{
    static const char *const integrators[] = {"consistent-position", "consistent", "consistent-two-step",
                                              "consistent-hybrid"};
    for (int k = 0; k < 4; k++) {
        bench b = open_bodies_bench(chain, integrators[k], TP_CONSISTENT_AFFINE, 0.01);
        run_steps(b.simulation, 100, 0.01);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
        CHECK(report->largest_energy_increase < 1e-12);
        CHECK(report->position_drift < 1e-13 && report->angle_drift < 1e-13);
        if (k > 0) CHECK(rate_drift(report) < 1e-12);
        close_bench(&b);
    }
}

/* The largest difference of positions from the scalable bodies of `consistent`. */
static double distance_from_scalable(const char *integrator, double dt, int steps)
{
    bench scalable = open_bodies_bench(chain, "consistent", TP_CONSISTENT_SCALABLE, dt),
          affine = open_bodies_bench(chain, integrator, TP_CONSISTENT_AFFINE, dt);
    double largest = 0.0;
    for (int k = 1; k <= steps; k++) {
        step_to(scalable.simulation, k * dt);
        step_to(affine.simulation, k * dt);
        for (int i = 0; i < 17; i++)
            largest = fmax(largest, fabs(tp_simulation_q(affine.simulation)[i] -
                                         tp_simulation_q(scalable.simulation)[i]));
    }
    close_bench(&scalable);
    close_bench(&affine);
    return largest;
}

/* Both forms are of second order: so is their difference. */
TEST(affine_and_scalable_bodies_move_alike_up_to_the_square_of_the_step)
{
    static const char *const integrators[] = {"consistent-position", "consistent"};
    for (int k = 0; k < 2; k++) {
        double coarse = distance_from_scalable(integrators[k], 0.004, 75),
               fine = distance_from_scalable(integrators[k], 0.002, 150);
        CHECK(coarse < 2e-3 && coarse > 1e-6);
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.15);
    }
}

/* --- contacts */

/* The smooth reference of the specification is 0.5180175 at 0.5 s; the error is of first order. The gap is
   that of the first landing. */
TEST(the_affine_tippe_top_loses_energy_keeps_its_gap_and_inclines_with_first_order)
{
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        double dt = 1e-3 / (1 << fine), gap;
        bench b = open_bodies_bench(tippe_top, "consistent-two-step", TP_CONSISTENT_AFFINE, dt);
        double worst = worst_loss(&b, 500 << fine, dt, &gap);
        CHECK(worst > -1e-16); /* rounding of 1.5e-2 m is 2e-18, some terms */
        if (fine == 0) CHECK_NEAR(gap, -4.8925e-6, 0.00005e-6);
        CHECK(tp_simulation_report(b.simulation)->largest_energy_increase <= 1e-18);
        error[fine] = fabs(inclination(&b) - 0.5180175);
        close_bench(&b);
    }
    CHECK(error[0] < 0.01);
    CHECK_NEAR(log2(error[0] / error[1]), 1.0, 0.15);
}

/* A box that falls on its corner, and balls that meet: no energy comes from contacts with one restitution. */
TEST(contacts_of_affine_bodies_never_gain_energy)
{
    static const char scene[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: box, mass: 1, position: [0, 0, 0.5], orientation: [0.9, 0.3, 0.2, 0.1],\n"
        "     angular_velocity: [1, 2, 3], shapes: [{type: box, size: [0.2, 0.3, 0.4]}]}\n"
        "  - {name: ball, mass: 0.5, position: [0.3, 0, 0.2], velocity: [-1, 0, 0],\n"
        "     shapes: [{type: sphere, radius: 0.1}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts:\n"
        "  - {name: down, between: [floor, box], friction: 0.4, restitution: 0.5, tangential_restitution: "
        "0.5}\n"
        "  - {name: roll, between: [floor, ball], friction: 0.4, restitution: 0.5, tangential_restitution: "
        "0.5}\n"
        "  - {name: meet, between: [box, ball], friction: 0.4, restitution: 0.5, tangential_restitution: "
        "0.5}\n";
    bench b = open_bodies_bench(scene, "consistent-two-step", TP_CONSISTENT_AFFINE, 2e-3);
    run_steps(b.simulation, 500, 2e-3);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK(report->impacts > 3);
    CHECK(report->largest_energy_increase < 1e-12);
    CHECK(report->energy_final < 0.5 * report->energy_initial);
    CHECK(report->angle_drift < 1e-13);
    close_bench(&b);
}

/* What bodies cost: iterations and work of all steps of a run. */
typedef struct run_cost {
    int iterations;
    double work;
} run_cost;

static run_cost cost_of_run(void **check_state_, const char *scene, tp_consistent_bodies bodies, int steps,
                            double dt)
{
    run_cost cost = {0};
    bench b = open_bodies_bench(scene, "consistent-two-step", bodies, dt);
    for (int k = 1; k <= steps; k++) {
        step_to(b.simulation, k * dt);
        const tp_step_report *step = tp_simulation_last_step(b.simulation);
        cost.iterations += step->iterations;
        cost.work += step->work;
    }
    CHECK_INT((int)tp_simulation_report(b.simulation)->not_converged, 0);
    CHECK(tp_simulation_report(b.simulation)->largest_energy_increase < 1e-14);
    close_bench(&b);
    return cost;
}

/* Claim of guide/energy.md. A body that comes to rest on three points has forces that can be shared in many
   ways, and the rows of rigidity, as positions over the step, have rounding noise of eps/dt. A chain that
   searched for digits below this noise did 1500 times the work of scalable bodies, with as many
   iterations of the steps. Block products: Newton steps on twice the unknowns with twelve rows more are
   worth about 2^3 of them each. */
TEST(affine_bodies_at_rest_take_the_iterations_of_scalable_ones_and_a_small_multiple_of_their_work)
{
    static const char scene[] =
        "gravity: [0, 0, -9.81]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "bodies:\n"
        "  - {name: b, mass: 2, inertia: [0.02, 0.03, 0.025], position: [0, 0, 0.25],\n"
        "     orientation: {axis: [1, 2, 3], angle: 0.7}, velocity: [1, 0.2, 0], angular_velocity: [1, 2, "
        "3],\n"
        "     shapes: [{type: point, position: [0.1, 0.05, -0.1]},\n"
        "              {name: p2, type: point, position: [-0.1, 0.05, -0.1]},\n"
        "              {name: p3, type: point, position: [0, -0.1, -0.1]}]}\n"
        "contacts: [{name: k, between: [ground, b], restitution: 0, friction: 0.4}]\n";
    run_cost scalable = cost_of_run(check_state_, scene, TP_CONSISTENT_SCALABLE, 500, 2e-3),
             affine = cost_of_run(check_state_, scene, TP_CONSISTENT_AFFINE, 500, 2e-3);
    CHECK(scalable.work > 0.0);
    CHECK(affine.iterations < 1.25 * scalable.iterations);
    CHECK(affine.work < 16.0 * scalable.work);
}

/* --- restart and report */

/* What is shown (17 coordinates, 15 velocities) is less than what the next step depends on. */
TEST(a_run_on_positions_alone_goes_on_from_a_checkpoint_with_the_same_bits)
{
    bench whole = open_bodies_bench(chain, "consistent-position", TP_CONSISTENT_SCALABLE, 0.01),
          first = open_bodies_bench(chain, "consistent-position", TP_CONSISTENT_SCALABLE, 0.01),
          second = open_bodies_bench(chain, "consistent-position", TP_CONSISTENT_SCALABLE, 0.01);
    tp_restart restart;
    tp_message why = {""};
    run_steps(whole.simulation, 80, 0.01);
    run_steps(first.simulation, 40, 0.01);
    tp_simulation_checkpoint(first.simulation, &restart);
    CHECK_INT(restart.q_count, 17);
    CHECK_INT(restart.u_count, 15);
    CHECK_INT(tp_simulation_restore(second.simulation, &restart, &why), TP_OK);
    for (int k = 41; k <= 80; k++) step_to(second.simulation, k * 0.01);
    CHECK(memcmp(tp_simulation_q(second.simulation), tp_simulation_q(whole.simulation),
                 17 * sizeof(double)) == 0);
    CHECK(memcmp(tp_simulation_u(second.simulation), tp_simulation_u(whole.simulation),
                 15 * sizeof(double)) == 0);
    CHECK(tp_simulation_last_step(second.simulation)->energy ==
          tp_simulation_last_step(whole.simulation)->energy);
    close_bench(&whole);
    close_bench(&first);
    close_bench(&second);
}

/* Without that memory it begins at the rigid state that is shown, as from any integrator. */
TEST(a_run_with_affine_bodies_goes_on_from_one_with_scalable_bodies_and_back)
{
    bench scalable = open_bodies_bench(chain, "consistent", TP_CONSISTENT_SCALABLE, 0.01),
          affine = open_bodies_bench(chain, "consistent", TP_CONSISTENT_AFFINE, 0.01);
    tp_restart restart;
    tp_message why = {""};
    run_steps(scalable.simulation, 20, 0.01);
    tp_simulation_checkpoint(scalable.simulation, &restart);
    CHECK_INT(tp_simulation_restore(affine.simulation, &restart, &why), TP_OK);
    CHECK_NEAR(tp_simulation_report(affine.simulation)->energy_initial,
               tp_simulation_last_step(scalable.simulation)->energy, 1e-13);
    for (int k = 21; k <= 30; k++) step_to(affine.simulation, k * 0.01);
    CHECK(rate_drift(tp_simulation_report(affine.simulation)) < 1e-12);
    tp_simulation_checkpoint(affine.simulation, &restart);
    CHECK_INT(tp_simulation_restore(scalable.simulation, &restart, &why), TP_OK);
    step_to(scalable.simulation, 0.31);
    CHECK_NEAR(tp_simulation_report(scalable.simulation)->energy_final,
               tp_simulation_report(affine.simulation)->energy_final, 1e-12);
    close_bench(&scalable);
    close_bench(&affine);
}

/* Numbers that no run can have written are refused and change nothing. */
TEST(a_checkpoint_with_impossible_directions_is_refused)
{
    bench b = open_bodies_bench(free_body, "consistent-position", TP_CONSISTENT_SCALABLE, 0.01);
    tp_restart restart;
    tp_message why = {""};
    double q[12];
    run_steps(b.simulation, 5, 0.01);
    tp_simulation_checkpoint(b.simulation, &restart);
    CHECK_INT(restart.memory_count, 2);
    memcpy(q, restart.memory[0].values, sizeof q);
    q[3] += 1e-3;
    tp_named_values memory[] = {restart.memory[0], restart.memory[1]};
    memory[0].values = q;
    restart.memory = memory;
    double before = tp_simulation_q(b.simulation)[3];
    CHECK_INT(tp_simulation_restore(b.simulation, &restart, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "the directions of body 'b' in \"affine_q\" are not orthonormal") != NULL);
    for (int i = 3; i < 12; i++) q[i] = i % 4 == 3 ? -1.0 : 0.0; /* a mirror image */
    CHECK_INT(tp_simulation_restore(b.simulation, &restart, &why), TP_INVALID_DATA);
    memset(q, 0, sizeof q);
    CHECK_INT(tp_simulation_restore(b.simulation, &restart, &why), TP_INVALID_DATA);
    CHECK(tp_simulation_q(b.simulation)[3] == before);
    step_to(b.simulation, 0.06);
    close_bench(&b);
}

/* Steps of a tenth of a turn, ten turns: the quaternion that is shown never jumps to its opposite. */
TEST(the_quaternion_that_is_shown_goes_on_without_jumps)
{
    static const char scene[] =
        "bodies: [{name: b, mass: 1, inertia: [1, 1.2, 1.5], angular_velocity: [0, 0, 6.28]}]\n";
    bench b = open_bodies_bench(scene, "consistent", TP_CONSISTENT_AFFINE, 0.1);
    double last[4] = {1.0, 0.0, 0.0, 0.0};
    for (int k = 1; k <= 100; k++) {
        step_to(b.simulation, k * 0.1);
        const double *p = tp_simulation_q(b.simulation) + 3;
        CHECK(p[0] * last[0] + p[1] * last[1] + p[2] * last[2] + p[3] * last[3] > 0.9);
        memcpy(last, p, sizeof last);
    }
    close_bench(&b);
}

/* Which form of the inertia a scheme takes; flat bodies and contradictions are refused. */
TEST(the_form_is_reported_and_what_cannot_be_affine_is_refused)
{
    static const struct {
        const char *scene, *integrator;
        tp_consistent_bodies bodies;
        const char *form; /* NULL: none; after '!' a refusal */
    } cases[] = {
        {free_body, "consistent", TP_CONSISTENT_SCALABLE, "scalable bodies"},
        {free_body, "consistent-hybrid", TP_CONSISTENT_AFFINE, "constant mass, affine bodies"},
        {free_body, "consistent-quaternion", TP_CONSISTENT_SCALABLE, "unit quaternions"},
        {free_body, "consistent-quaternion", TP_CONSISTENT_AFFINE,
         "!has unit quaternions and no affine bodies"},
        {free_body, "moreau", TP_CONSISTENT_AFFINE, NULL},
        {"coordinates: [x]\nkinetic: \"x'^2\"\n", "consistent", TP_CONSISTENT_AFFINE, "constant mass"},
        {"coordinates: [x]\nkinetic: \"(1 + x^2)*x'^2\"\n", "consistent", TP_CONSISTENT_AFFINE, "M(q)"},
        {"coordinates: [x]\nkinetic: \"x'^2\"\n", "consistent-position", TP_CONSISTENT_AFFINE, NULL},
        {"bodies: [{name: plate, mass: 1, inertia: [1, 2, 3]}]\n", "consistent", TP_CONSISTENT_AFFINE,
         "!s.yaml:1:10: body 'plate' cannot be affine: its mass lies in a plane or on a line"},
        {"bodies: [{name: rod, mass: 1, inertia: [1, 1, 1e-9]}]\n", "consistent-two-step",
         TP_CONSISTENT_AFFINE, "!body 'rod' cannot be affine"},
        {"bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, type: scalable, mass: 1, inertia: [1, "
         "1, "
         "1]}]\n",
         "consistent", TP_CONSISTENT_AFFINE, "!body 'b' is scalable, and rigid bodies are to be affine"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_scene *scene = scene_of(cases[k].scene);
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        const char *form = cases[k].form;
        tp_simulation_options options = scene->options;
        options.integrator = cases[k].integrator;
        options.consistent.bodies = cases[k].bodies;
        bool is_refused = form != NULL && form[0] == '!';
        tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
        CHECK_INT(status, is_refused ? TP_UNSUPPORTED : TP_OK);
        if (is_refused) {
            if (strstr(why.text, form + 1) == NULL) fail_msg("\"%s\" is not in \"%s\"", form + 1, why.text);
        } else {
            const char *told = tp_simulation_report(simulation)->form;
            CHECK((told == NULL) == (form == NULL) && (form == NULL || strcmp(told, form) == 0));
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(a_free_affine_body_has_the_error_of_the_specification_and_second_order),
          RUNS(a_free_affine_body_keeps_its_energy_and_rigidity),
          RUNS(rigidity_on_positions_alone_has_rates_that_oscillate_with_the_square_of_the_step),
          RUNS(one_affine_body_has_thirty_six_unknowns),
          RUNS(a_chain_of_affine_bodies_keeps_energy_and_joints),
          RUNS(affine_and_scalable_bodies_move_alike_up_to_the_square_of_the_step),
          RUNS(the_affine_tippe_top_loses_energy_keeps_its_gap_and_inclines_with_first_order),
          RUNS(contacts_of_affine_bodies_never_gain_energy),
          RUNS(affine_bodies_at_rest_take_the_iterations_of_scalable_ones_and_a_small_multiple_of_their_work),
          RUNS(a_run_on_positions_alone_goes_on_from_a_checkpoint_with_the_same_bits),
          RUNS(a_run_with_affine_bodies_goes_on_from_one_with_scalable_bodies_and_back),
          RUNS(a_checkpoint_with_impossible_directions_is_refused),
          RUNS(the_quaternion_that_is_shown_goes_on_without_jumps),
          RUNS(the_form_is_reported_and_what_cannot_be_affine_is_refused))
