/* relaxed-dai-adaptive: errors by tolerance, closed forms with tight ones, and the way from the relaxed to
   the rigid motion; docs/theory/relaxed-dai.md. */
#include "relaxed_runs.h"

typedef struct choice {
    const char *name, *entries;
} choice;

static const choice methods[] = {{"dormand-prince", ""}, {"radau", ", relaxation_stiff: true"}};

/* A run with steps by error. */
static relaxed_run run_adaptive(const char *model, const char *entries, const choice *method)
{
    char all[512];
    size_t room = strlen(model) + 600;
    char *text = malloc(room);
    if (text == NULL) fail();
    snprintf(all, sizeof all, "%s%s", entries, method->entries);
    snprintf(text, room, "%ssimulate: {integrator: relaxed-dai-adaptive, %s}\n", model, all);
    relaxed_run r = {.scene = scene_of(text)};
    free(text);
    r.simulation = simulate_options(r.scene->model, r.scene->options);
    run(r.simulation);
    return r;
}

/* Claim: the error falls with the tolerance, and a tight one gives the closed form. Errors of 60 steps add
   up, and the pendulum magnifies them by its turning point: a thousand tolerances. */
TEST(a_pendulum_returns_after_its_period_within_the_tolerance)
{
    const double period = 7.416298709205487 / sqrt(9.81);
    for (int m = 0; m < 2; m++) {
        double last = INFINITY;
        for (double rtol = 1e-6; rtol > 1e-11; rtol *= 1e-2) {
            char entries[160];
            snprintf(entries, sizeof entries,
                     "dt: 0.1, until: %.17g, relaxation_time: 0.1, rtol: %g, atol: %g", period, rtol, rtol);
            relaxed_run r =
                run_adaptive("coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"
                             "constraints: [{name: rod, position: \"(x^2 + y^2 - 1)/2\", unit: m}]\n"
                             "initial: {x: 1}\n",
                             entries, &methods[m]);
            double error = hypot(q_of(&r, 0) - 1.0, q_of(&r, 1));
            CHECK_NEAR(error, 0.0, 1e3 * rtol);
            CHECK(error < last);
            last = error;
            CHECK(tp_simulation_report(r.simulation)->own_steps > 5);
            end_relaxed(&r);
        }
    }
}

TEST(impacts_have_their_law_of_restitution)
{
    const struct {
        double zeta, e;
        const char *gate;
    } cases[] = {{0.3, 0.372326, "none"}, {0.7, 0.045988, "none"}, {0.3, 0.450975, "penetration"}};
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < 3; i++) {
            char entries[200];
            snprintf(
                entries, sizeof entries,
                "dt: 1e-3, until: 0.05, relaxation_time: 1e-3, relaxation_damping: %g, relaxation_gate: %s, "
                "rtol: 1e-8, atol: 1e-10, max_step: 1e-3",
                cases[i].zeta, cases[i].gate);
            relaxed_run r = run_adaptive("coordinates: [y]\nkinetic: \"1/2*y'^2\"\n"
                                         "contacts: [{name: floor, gap: y}]\ninitial: {y: 0.01, y': -1}\n",
                                         entries, &methods[m]);
            /* six digits are given; where the force begins or ends, errors of a step are of its tolerance */
            CHECK_NEAR(u_of(&r, 0), cases[i].e, 3e-6);
            end_relaxed(&r);
        }
    }
}

/* Inputs and wrenches change at the times that are asked for: the motion is exact, since forces are constant
   between them. */
TEST(a_force_of_an_input_is_held_between_the_times_at_which_it_is_set)
{
    for (int m = 0; m < 2; m++) {
        char text[512];
        snprintf(text, sizeof text,
                 "inputs: [{name: push, unit: N}]\ncoordinates: [x]\nkinetic: \"x'^2\"\n"
                 "forces: [{on: x, force: push}]\n"
                 "simulate: {integrator: relaxed-dai-adaptive, dt: 0.01, until: 1%s}\n",
                 methods[m].entries);
        tp_scene *scene = scene_of(text);
        tp_simulation *s = simulate_options(scene->model, scene->options);
        double velocity = 0.0;
        for (int k = 1; k <= 100; k++) {
            double force = k <= 10 ? 3.0 : (k <= 50 ? -7.0 : 11.0);
            CHECK_INT(tp_simulation_set_input(s, tp_model_input_named(scene->model, "push"), force, NULL),
                      TP_OK);
            step_to(s, k * 0.01);
            velocity += force / 2.0 * 0.01;
            CHECK_NEAR(tp_simulation_u(s)[0], velocity, 1e-12);
        }
        tp_simulation_free(s);
        tp_scene_free(scene);
    }
}

/* ---- to the rigid motion as delta goes to 0 ---- */

static double stop_error(double delta, const choice *method)
{
    char entries[160];
    snprintf(entries, sizeof entries, "dt: 0.5, until: 3, relaxation_time: %g, rtol: 1e-10, atol: 1e-13",
             delta);
    relaxed_run r = run_adaptive("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                                 "laws: [{name: rub, kind: friction, velocity: \"x'\", bound: 1}]\n"
                                 "initial: {x': 1}\n",
                                 entries, method);
    double error = q_of(&r, 0) - 0.5;
    end_relaxed(&r);
    return error;
}

/* mu = tan a: |v| + v_x = v0 for rigid sliding. */
static double curve_error(double delta, const choice *method)
{
    char entries[160];
    snprintf(entries, sizeof entries, "dt: 0.2, until: 0.6, relaxation_time: %g, rtol: 1e-8, atol: 1e-10",
             delta);
    relaxed_run r =
        run_adaptive("coordinates: [x, y, z]\nkinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"
                     "potential: \"9.81*(z*cos(0.3) - x*sin(0.3))\"\n"
                     "contacts: [{name: slope, gap: z, slip: [\"x'\", \"y'\"], friction: tan(0.3)}]\n"
                     "initial: {y': 1}\n",
                     entries, method);
    double error = hypot(u_of(&r, 0), u_of(&r, 1)) + u_of(&r, 0) - 1.0;
    end_relaxed(&r);
    return error;
}

/* The jam of the rod ends with x' = -0.6, to which gravity adds in proportion to time, 20 delta. */
static double jam_error(double delta, const choice *method)
{
    char entries[160];
    snprintf(entries, sizeof entries,
             "dt: %.17g, until: %.17g, relaxation_time: %g, relaxation_damping: 0.5, rtol: 1e-8, atol: 1e-11",
             delta, 20.0 * delta, delta);
    relaxed_run r = run_adaptive("coordinates: [x, y, th]\nkinetic: \"1/2*(x'^2 + y'^2 + 1/3*th'^2)\"\n"
                                 "potential: \"9.81*y\"\n"
                                 "contacts: [{name: tip, gap: y - sin(th), slip: \"x' + sin(th)*th'\", "
                                 "friction: 2}]\n"
                                 "initial: {y: \"sin(atan2(2, 1))\", th: \"atan2(2, 1)\", x': -1}\n",
                                 entries, method);
    double error = u_of(&r, 0) + 0.6;
    end_relaxed(&r);
    return error;
}

/* A ball dropped from 0.2 m with restitution 0.5: rigid flight, impact, flight. The relaxed impact takes some
   delta, in which gravity acts and the ball is off its floor by delta V. */
static double bounce_error(double delta, const choice *method)
{
    char entries[160];
    snprintf(entries, sizeof entries, "dt: 0.1, until: 0.3, relaxation_time: %g, rtol: 1e-9, atol: 1e-12",
             delta);
    relaxed_run r = run_adaptive("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                                 "contacts: [{name: floor, gap: y, restitution: 0.5}]\ninitial: {y: 0.2}\n",
                                 entries, method);
    double fall = sqrt(0.4 / 9.81), rest = 0.3 - fall;
    double error = q_of(&r, 0) - (0.5 * 9.81 * fall * rest - 0.5 * 9.81 * rest * rest);
    end_relaxed(&r);
    return error;
}

TEST(the_relaxed_motion_tends_to_the_rigid_one_at_its_orders)
{
    const struct {
        double (*error)(double delta, const choice *method);
        double order, delta;
    } cases[] = {
        {stop_error, 2.0, 4e-3}, {curve_error, 1.0, 4e-3}, {jam_error, 1.0, 4e-3}, {bounce_error, 1.0, 4e-4}};
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < 4; i++) {
            double coarse = cases[i].error(cases[i].delta, &methods[m]),
                   fine = cases[i].error(0.25 * cases[i].delta, &methods[m]),
                   order = log2(coarse / fine) / 2.0;
            if (!(fabs(order - cases[i].order) < 0.05))
                fail_msg("%s, case %d: errors %g and %g, order %g", methods[m].name, i, coarse, fine, order);
        }
    }
    /* the stop misses by a delta^2/2 exactly, also where only a stiff method gets through in few steps */
    CHECK_NEAR(stop_error(1e-2, &methods[0]), 0.5e-4, 1e-8);
    CHECK_NEAR(stop_error(1e-5, &methods[1]), 0.5e-10, 1e-9);
}

/* Claim: where the relaxation is far faster than the motion, the stiff method needs a small part of the
   evaluations, those for its Jacobians included: without it at most 3 delta is stable. */
TEST(the_stiff_method_takes_steps_of_the_motion)
{
    long long evaluations[2];
    for (int m = 0; m < 2; m++) {
        relaxed_run r =
            run_adaptive("coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: \"9.81*y\"\n"
                         "constraints: [{name: rod, position: \"(x^2 + y^2 - 1)/2\", unit: m}]\n"
                         "initial: {x: 1}\n",
                         "dt: 0.5, until: 0.5, relaxation_time: 1e-4", &methods[m]);
        evaluations[m] = tp_simulation_report(r.simulation)->evaluations;
        CHECK_NEAR(hypot(q_of(&r, 0), q_of(&r, 1)), 1.0, 1e-6);
        end_relaxed(&r);
    }
    CHECK(evaluations[0] > 10 * evaluations[1]);
}

/* Contacts between shapes come and go under the stiff method, whose pattern follows them: the motion is that
   of the other method, within their tolerances times the growth of errors in three impacts. */
TEST(the_stiff_method_follows_contacts_between_shapes)
{
    double end[2][3];
    for (int m = 0; m < 2; m++) {
        relaxed_run r = run_adaptive(
            "gravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: a, mass: 1, position: [0, 0, 0.15], velocity: [1, 0.2, 0], shapes: [{name: s, type: "
            "sphere, radius: 0.1}]}\n"
            "  - {name: b, mass: 2, position: [0.3, 0.05, 0.12], shapes: [{name: t, type: sphere, radius: "
            "0.1}]}\n"
            "ground: {shapes: [{name: floor, type: plane}]}\n"
            "contacts:\n  - {name: p, between: [floor, s], friction: 0.3}\n  - {name: q, between: [floor, "
            "t], "
            "friction: 0.3}\n  - {name: r, between: [s, t], friction: 0.2}\n",
            "dt: 0.02, until: 0.3, relaxation_time: 2e-3, rtol: 1e-8, atol: 1e-10", &methods[m]);
        for (int i = 0; i < 3; i++) end[m][i] = q_of(&r, i);
        end_relaxed(&r);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-5);
}

TEST_MAIN(RUNS(the_stiff_method_follows_contacts_between_shapes),
          RUNS(a_force_of_an_input_is_held_between_the_times_at_which_it_is_set),
          RUNS(a_pendulum_returns_after_its_period_within_the_tolerance),
          RUNS(impacts_have_their_law_of_restitution),
          RUNS(the_relaxed_motion_tends_to_the_rigid_one_at_its_orders),
          RUNS(the_stiff_method_takes_steps_of_the_motion))
