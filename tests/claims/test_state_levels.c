/* Relations, laws and their levels: what belongs to which, asked from C and from scenes;
   docs/theory/theta-gamma.md, topology.md. */
#include "simulations.h"

#include <float.h>

/* A law of mechanics acts on velocities, states have theirs on y[0]: none is shared by both, whatever it is.
 */
TEST(a_law_shared_by_states_and_mechanics_is_refused_with_its_place)
{
    static const char *const shared[] = {
        "contacts: [{name: wall, gap: q - x}]\n", "constraints: [{name: rod, position: q - x}]\n",
        "constraints: [{name: gear, velocity: q' - x}]\n",
        "laws: [{name: brake, kind: friction, velocity: q' - x, bound: 1}]\n",
        "contacts: [{name: wall, gap: q, slip: q' + s, friction: 0.2}]\n"};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; k++) {
        char text[400];
        tp_message why = {""};
        snprintf(text, sizeof text,
                 "coordinates: [q]\nkinetic: q'^2\nstates: [{name: x, rate: s}]\n"
                 "relations: [{name: s, y: x, law: relay}]\n%s",
                 shared[k]);
        tp_scene *none = NULL;
        CHECK(tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &none, &why) != TP_OK);
        if (strncmp(why.text, "s.yaml:5:", 9) != 0 || !strstr(why.text, "cannot be shared by both") ||
            !strstr(why.text, "write it as a relation"))
            fail_msg("%s -> %s", shared[k], why.text);
    }
}

/* Degrees of scalar systems, chains, a contact as a relation, a motor that drives what its switch sees. */
TEST(relative_degrees_of_relations_are_those_of_their_markov_parameters)
{
    static const struct {
        const char *text;
        int degree;
    } cases[] = {
        {"states: [{name: x, rate: l}]\nrelations: [{name: l, y: x + l}]\n", 0},
        {"states: [{name: x, rate: l}]\nrelations: [{name: l, y: x}]\n", 1},
        {"states: [{name: x, rate: v}, {name: v, rate: l}]\nrelations: [{name: l, y: x}]\n", 2},
        {"states: [{name: a, rate: b}, {name: b, rate: c}, {name: c, rate: d}, {name: d, rate: l - a}]\n"
         "relations: [{name: l, y: a}]\n",
         4},
        {"states: [{name: x, rate: l}]\nrelations: [{name: l, y: t}]\n", TP_DEGREE_NONE},
        {"states: [{name: x, rate: l}]\nstate_mass: {\"x,x\": 0}\nrelations: [{name: l, y: x}]\n",
         TP_DEGREE_UNKNOWN},
        {"coordinates: [q]\nkinetic: q'^2\nrelations: [{name: l, y: q}]\nforces: {q: l}\n", 2},
        {"coordinates: [q]\nkinetic: q'^2\nrelations: [{name: l, y: q'}]\nforces: {q: l}\n", 1},
        {"coordinates: [q]\nkinetic: q'^2\nstates: [{name: i, rate: l}]\nrelations: [{name: l, y: q + q'}]\n"
         "forces: {q: i}\n",
         2},
        {"coordinates: [q]\nkinetic: q'^2\nstates: [{name: i, rate: l}]\nrelations: [{name: l, y: q}]\n"
         "forces: {q: i}\n",
         3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_scene *scene = scene_of(cases[k].text);
        int degree;
        CHECK_INT(tp_relation_degrees(NULL, scene->model, &degree), TP_OK);
        if (degree != cases[k].degree) print_error("%s: degree %d\n", cases[k].text, degree);
        CHECK_INT(degree, cases[k].degree);
        tp_scene_free(scene);
    }
}

/* A compliance as a matrix D: along an eigenvector of D with positive entries the two masses move as one,
   with the contact time pi sqrt(m d) and the exit speed 1. */
TEST(a_compliance_may_be_a_matrix)
{
    const double mean = 0.025, root = sqrt(0.005 * 0.005 + 0.01 * 0.01),
                 d = mean + root, /* [[2,1],[1,3]]/100 */
        ratio = (d - 0.02) / 0.01, m = 2.0, pi = acos(-1.0);
    char text[500];
    snprintf(text, sizeof text,
             "coordinates: [{name: a, velocity: -1}, {name: b, velocity: %.17g}]\n"
             "kinetic: a'^2 + b'^2\n"
             "relations: [{name: l, y: [a + 0.02*l.l1 + 0.01*l.l2, b + 0.01*l.l1 + 0.03*l.l2]}]\n"
             "forces: {a: l.l1, b: l.l2}\n",
             -ratio);
    tp_scene *scene = scene_of(text);
    double lasts = pi * sqrt(m * d), deepest = 0.0, dt = 1e-3, w = 1.0 / sqrt(m * d);
    tp_simulation *simulation = simulate_with(scene->model, "moreau-jean", dt, 2.0 * lasts);
    while (tp_simulation_time(simulation) < 1.5 * lasts) {
        step_to(simulation, tp_simulation_time(simulation) + dt);
        deepest = fmin(deepest, tp_simulation_q(simulation)[0]);
        if (tp_simulation_time(simulation) < lasts - dt)
            CHECK_NEAR(tp_simulation_output(simulation, 0), 0.0, 1e-13); /* y = 0 while l > 0 */
    }
    /* second order: (w dt)^2/12 of a half turn; the contact ends within a step, where l is below d^-1 dt */
    CHECK_NEAR(deepest, -sqrt(m * d), sqrt(m * d) * w * w * dt * dt);
    CHECK_NEAR(tp_simulation_u(simulation)[0], 1.0, w * w * dt * dt);
    CHECK_NEAR(tp_simulation_u(simulation)[1], ratio, ratio * w * w * dt * dt);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* y and lambda of a law on all levels: a block that slides under its weight, g = 10, mu = 0.5, at 3 m/s. */
TEST(outputs_and_multipliers_of_a_law_are_there_by_level)
{
    tp_scene *scene = scene_of("coordinates: [{name: x, velocity: 3}, y]\n"
                               "kinetic: x'^2 + y'^2\n" /* 2 kg */
                               "forces: {y: -20}\n"
                               "contacts: [{name: floor, gap: y, slip: x', friction: 0.5}]\n");
    const double dt = 0.01;
    tp_simulation *simulation = simulate_with(scene->model, "moreau", dt, 1.0);
    run_steps(simulation, 10, dt);
    tp_law_id law = {scene->model, 0};
    double y[TP_IMPULSE_ROWS], lambda[TP_IMPULSE_ROWS];
    tp_message why = {""};
    CHECK_INT(tp_simulation_law_output(simulation, law, 0, y, &why), TP_OK);
    CHECK_NEAR(y[0], 0.0, 1e-15);
    CHECK(isnan(y[1]));
    CHECK_INT(tp_simulation_law_output(simulation, law, 1, y, &why), TP_OK);
    CHECK_NEAR(y[0], 0.0, 1e-14);
    CHECK_NEAR(y[1], 3.0 - 5.0 * 10 * dt, 1e-13); /* a = mu g */
    CHECK_INT(tp_simulation_last_impulse(simulation, 0, lambda), 2);
    CHECK_NEAR(lambda[0], 20.0 * dt, 1e-14);
    CHECK_NEAR(lambda[1], -10.0 * dt, 1e-14);
    CHECK_INT(tp_simulation_law_output(simulation, law, 2, y, &why), TP_OK);
    CHECK_NEAR(y[0], 0.0, 1e-12);
    CHECK_NEAR(y[1], -5.0, 1e-12);
    CHECK_INT(tp_simulation_law_force(simulation, law, lambda, &why), TP_OK);
    CHECK_NEAR(lambda[0], 20.0, 1e-12);
    CHECK_NEAR(lambda[1], -10.0, 1e-12);
    CHECK_INT(tp_simulation_law_output(simulation, law, 3, y, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "there are 0, 1 and 2"));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_law_shared_by_states_and_mechanics_is_refused_with_its_place),
          RUNS(relative_degrees_of_relations_are_those_of_their_markov_parameters),
          RUNS(a_compliance_may_be_a_matrix), RUNS(outputs_and_multipliers_of_a_law_are_there_by_level))
