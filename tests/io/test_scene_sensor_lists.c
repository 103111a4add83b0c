/* Sensors of several formulas: their sum, the largest, the least. */
#include "simulations.h"

#include <string.h>

#define POINTS                                                                                               \
    "parameters: {n: 300}\n"                                                                                 \
    "bodies:\n"                                                                                              \
    "  - {repeat: {i: n}, name: \"p{i}\", type: point, mass: 1, position: [i, -i, 2]}\n"                     \
    "sensors:\n"

/* A list of 300 is deeper than formulas may be nested if it is not cut in halves. */
TEST(a_list_of_values_is_summed_or_its_largest_or_least_is_taken)
{
    tp_scene *scene = scene_of(POINTS "  - {name: all, value: [{repeat: {i: n}, each: [\"p{i}.x\"]}]}\n"
                                      "  - {name: most, value: [{repeat: {i: n}, each: [\"p{i}.x\"]}], "
                                      "combine: max}\n"
                                      "  - {name: least, value: [{repeat: {i: n}, each: [\"p{i}.y\"]}], "
                                      "combine: min}\n"
                                      "  - {name: both, value: [p1.x - 3*p2.x, 2 + p3.x]}\n"
                                      "  - {name: one, value: p7.x}\n");
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    CHECK_NEAR(tp_simulation_sensor(simulation, 0), 299.0 * 150.0, 0.0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 1), 299.0, 0.0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 2), -299.0, 0.0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 3), 0.0, 0.0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 4), 7.0, 0.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(combine_without_a_list_and_empty_lists_are_refused)
{
    static const char *const texts[] = {POINTS "  - {name: one, value: p1.x, combine: max}\n",
                                        POINTS "  - {name: none, value: []}\n",
                                        POINTS "  - {name: bad, value: [p1.x, nobody.x]}\n"};
    static const char *const faults[] = {"sensors.one.combine", "sensors.none.value", "nobody.x"};
    for (int k = 0; k < 3; k++) {
        tp_scene *scene = NULL;
        tp_message why = {""};
        CHECK(tp_scene_read_memory(NULL, "s.yaml", texts[k], strlen(texts[k]), NULL, 0, &scene, &why) !=
              TP_OK);
        CHECK(strstr(why.text, faults[k]) != NULL);
    }
}

TEST_MAIN(RUNS(a_list_of_values_is_summed_or_its_largest_or_least_is_taken),
          RUNS(combine_without_a_list_and_empty_lists_are_refused))
