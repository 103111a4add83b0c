/* Entries with `repeat` stand for the entries that an author would have written one by one. */
#include <stdlib.h>

#include "check.h"
#include "expanded.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"

TEST(counters_go_from_0_or_from_first_to_last_the_last_one_fastest)
{
    CHECK(expands_to("bodies: [{repeat: {i: 3}, name: \"b{i}\"}]",
                     "bodies: [{name: b0}, {name: b1}, {name: b2}]"));
    CHECK(expands_to("bodies: [{repeat: {i: [2, 4]}, name: \"b{i}\"}]",
                     "bodies: [{name: b2}, {name: b3}, {name: b4}]"));
    CHECK(expands_to("bodies: [{repeat: {i: [5, 1, -2]}, name: \"b{i}\"}]",
                     "bodies: [{name: b5}, {name: b3}, {name: b1}]"));
    CHECK(expands_to("bodies: [{repeat: {i: 2, j: 2}, name: \"b{i}{j}\"}]",
                     "bodies: [{name: b00}, {name: b01}, {name: b10}, {name: b11}]"));
    CHECK(expands_to(
        "bodies: [{repeat: {i: 3, j: [0, i]}, name: \"b{i}_{j}\"}]", /* a triangle */
        "bodies: [{name: b0_0}, {name: b1_0}, {name: b1_1}, {name: b2_0}, {name: b2_1}, {name: b2_2}]"));
    CHECK(expands_to(
        "bodies: [{name: a}, {repeat: {i: 0}, name: x}, {repeat: {i: [1, 0]}, name: y}, {name: z}]",
        "bodies: [{name: a}, {name: z}]"));
}

TEST(counts_may_be_formulas_of_parameters)
{
    CHECK(expands_to("parameters: {n: 4, half: n/2}\nbodies: [{repeat: {i: half}, name: \"b{i}\"}]",
                     "parameters: {n: 4, half: n/2}\nbodies: [{name: b0}, {name: b1}]"));
}

/* In formulas a counter is a name; what only looks like it stays. Negative values are in brackets. */
TEST(formulas_know_counters_as_names)
{
    static const char scene[] = "bodies: [{repeat: {i: [-1, -1]}, name: b, mass: i^2, position: [\"2*i + l_i "
                                "- i.x + b.i + 1e3*e\", i, "
                                "\"sin(i)\"]}]";
    CHECK(expands_to(scene,
                     "bodies: [{name: b, mass: \"(-1)^2\", position: [\"2*(-1) + l_i - i.x + b.i + 1e3*e\", "
                     "-1, \"sin((-1))\"]}]"));
    CHECK(expands_to("bodies: [{repeat: {e: [2, 2]}, name: b, position: [1e3*e, 1.5e-3, \"i(3)\"]}]",
                     "bodies: [{name: b, position: [\"1e3*2\", 1.5e-3, \"i(3)\"]}]"));
}

/* A name within a formula, or a reference, is a text with braces. */
TEST(braces_put_values_into_texts_and_into_names_of_formulas)
{
    CHECK(expands_to("contacts: [{repeat: {i: [1, 2]}, name: \"c{i}\", gap: \"ball{i}.x - ball{i - 1}.x' - "
                     "2*i\", friction: i}]",
                     "contacts: [{name: c1, gap: \"ball1.x - ball0.x' - 2*1\", friction: 1},"
                     " {name: c2, gap: \"ball2.x - ball1.x' - 2*2\", friction: 2}]"));
    CHECK(expands_to("joints: [{repeat: {i: 2}, name: j, bodies: [\"l{2*i}\", \"l{2*i + 1}_end\"]}]",
                     "joints: [{name: j, bodies: [l0, l1_end]}, {name: j, bodies: [l2, l3_end]}]"));
    CHECK(expands_to("bodies: [{repeat: {i: 1}, name: i, type: rigid}]", /* a text without braces is itself */
                     "bodies: [{name: i, type: rigid}]"));
}

TEST(lists_of_single_values_and_of_lists_repeat_with_each)
{
    CHECK(expands_to("contacts: [{name: c, among: [floor, {repeat: {i: 3}, each: [\"b{i}\"]}]}]",
                     "contacts: [{name: c, among: [floor, b0, b1, b2]}]"));
    CHECK(
        expands_to("draw: [{name: d, kind: line, points: [{repeat: {i: 2}, each: [[i, 0], [i, \"i^2\"]]}]}]",
                   "draw: [{name: d, kind: line, points: [[0, 0], [0, \"0^2\"], [1, 0], [1, \"1^2\"]]}]"));
    CHECK(expands_to("potential: [\"x\", {repeat: {i: 2}, each: [\"k*i*x{i}^2\"]}]",
                     "potential: [\"x\", \"k*0*x0^2\", \"k*1*x1^2\"]"));
    CHECK(expands_to("coordinates: [{repeat: {i: 2}, each: [\"x{i}\", {name: \"y{i}\", initial: i}]}]",
                     "coordinates: [x0, {name: y0, initial: 0}, x1, {name: y1, initial: 1}]"));
}

TEST(repeats_stand_in_repeats)
{
    CHECK(expands_to(
        "bodies: [{repeat: {i: 2}, name: \"b{i}\", shapes: [{repeat: {j: [0, i]}, name: \"s{i}{j}\","
        " type: sphere, radius: i + j}]}]",
        "bodies: [{name: b0, shapes: [{name: s00, type: sphere, radius: \"0 + 0\"}]},"
        " {name: b1, shapes: [{name: s10, type: sphere, radius: \"1 + 0\"}, {name: s11, type: sphere, "
        "radius: \"1 + 1\"}]}]"));
    CHECK(expands_to(
        "bodies: [{repeat: {i: 2}, each: [{name: \"a{i}\"}, {repeat: {i: [7, 7]}, name: \"b{i}\"}]}]",
        "bodies: [{name: a0}, {name: b7}, {name: a1}, {name: b7}]"));
}

TEST(conditions_leave_entries_out)
{
    CHECK(expands_to("joints: [{repeat: {i: 3}, when: \"i > 0 and i != 2\", name: \"j{i}\"}]",
                     "joints: [{name: j1}]"));
    CHECK(expands_to(
        "parameters: {lid: 1}\nbodies: [{name: box}, {when: lid == 1, name: lid}, {when: lid == 0, "
        "name: hole}]",
        "parameters: {lid: 1}\nbodies: [{name: box}, {name: lid}]"));
    CHECK(expands_to("bodies: [{name: a}, {when: false, name: b}]", "bodies: [{name: a}]"));
}

TEST(let_gives_names_to_values_in_their_order)
{
    CHECK(expands_to("bodies: [{repeat: {i: 2}, let: {r: \"1 + i/4\", d: 2*r}, name: \"b{d}\", mass: d*r}]",
                     "bodies: [{name: b2, mass: 2*1}, {name: b2.5, mass: 2.5*1.25}]"));
}

/* ---- random values ------------------------------------------------------------------------------------- */

/* The number at a path of the expanded scene. */
static double number_at(const expanded *e, const char *path)
{
    const tp_node *node = scene_at(&e->scene, path);
    return node && node->text ? strtod(node->text, NULL) : NAN;
}

TEST(random_values_depend_on_seed_counters_and_name_alone)
{
    expanded a = expand_text("bodies: [{repeat: {i: 5}, let: {x: {uniform: [0, 1]}}, mass: x}]");
    expanded b =
        expand_text("bodies: [{repeat: {i: [3, 4]}, let: {y: {uniform: [0, 1]}, x: {uniform: [0, 1]}}, "
                    "mass: x, density: y}, {repeat: {i: [4, 4]}, seed: 2, let: {x: {uniform: [0, 1]}}, "
                    "mass: x}]");
    CHECK_INT(a.scene.status, TP_OK);
    CHECK_INT(b.scene.status, TP_OK);
    CHECK(number_at(&a, "bodies/0/mass") == 0x1.a5b68f8b9c179p-1); /* as in test_scene_random.c */
    CHECK(number_at(&a, "bodies/3/mass") == number_at(&b, "bodies/0/mass"));
    CHECK(number_at(&a, "bodies/4/mass") == number_at(&b, "bodies/1/mass"));
    CHECK(number_at(&b, "bodies/0/mass") != number_at(&b, "bodies/0/density")); /* another name */
    CHECK(number_at(&b, "bodies/1/mass") != number_at(&b, "bodies/2/mass"));    /* another seed */
    expanded_close(&a);
    expanded_close(&b);
}

/* With weights 0, 1, 3 of 4000 draws: none, 1000, 3000; five deviations are 5*sqrt(4000*3/16) = 137. */
TEST(choices_follow_their_weights)
{
    expanded e =
        expand_text("bodies: [{repeat: {i: 4000}, let: {k: {weights: [0, 1, 3], choose: [5, 7, 2*4]}, "
                    "j: {choose: [1, 2]}}, mass: k, density: j}]");
    int counts[10] = {0}, ones = 0;
    CHECK_INT(e.scene.status, TP_OK);
    for (const tp_node *item = scene_at(&e.scene, "bodies")->first; item; item = item->next) {
        int value = atoi(tp_map_get(item, "mass")->text);
        CHECK(value >= 0 && value < 10);
        counts[value]++;
        ones += tp_map_get(item, "density")->text[0] == '1';
    }
    CHECK_INT(counts[5], 0);
    CHECK_INT(counts[7] + counts[8], 4000);
    CHECK_NEAR(counts[7], 1000, 137);
    CHECK_NEAR(ones, 2000, 5 * sqrt(4000 / 4.0));
    expanded_close(&e);
}

TEST(random_rotations_become_orientations)
{
    expanded e = expand_text("bodies: [{repeat: {i: 2}, let: {q: {rotation: uniform}}, orientation: q}]");
    CHECK_INT(e.scene.status, TP_OK);
    for (int k = 0; k < 2; k++) {
        double square = 0.0;
        for (int c = 0; c < 4; c++) {
            char path[40];
            snprintf(path, sizeof path, "bodies/%d/orientation/%d", k, c);
            square += number_at(&e, path) * number_at(&e, path);
        }
        CHECK_NEAR(square, 1.0, 1e-14);
    }
    CHECK(number_at(&e, "bodies/0/orientation/0") != number_at(&e, "bodies/1/orientation/0"));
    expanded_close(&e);
    CHECK(is_refused_with("bodies: [{repeat: {i: 2}, let: {q: {rotation: uniform}}, mass: 2*q}]",
                          "is a rotation"));
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static const char *const refused[][2] = {
    {"bodies: [{repeat: 3, name: a}]",
     "s.yaml:1:19: bodies.a.repeat: expected names with values; write {i: 10}"},
    {"bodies: [{repeat: {}, name: a}]", "expected names with values"},
    {"bodies: [{repeat: {i: -2}, name: a}]", "the count is -2"},
    {"bodies: [{repeat: {i: 1.5}, name: a}]", "'1.5' is 1.5; write a whole number"},
    {"bodies: [{repeat: {i: 2e9}, name: a}]", "write a whole number up to 1e9"},
    {"bodies: [{repeat: {i: [1, 2, 0]}, name: a}]", "the step is 0"},
    {"bodies: [{repeat: {i: [1]}, name: a}]", "expected a count n, [first, last]"},
    {"bodies: [{repeat: {i: {a: 1}}, name: a}]", "expected a count n, [first, last]"},
    {"bodies: [{repeat: {i': 2}, name: a}]", "'i'' is not a name"},
    {"bodies: [{repeat: {\"a b\": 2}, name: a}]", "'a b' is not a name"},
    {"bodies: [{repeat: {and: 2}, name: a}]", "'and' belongs to the language of formulas"},
    {"bodies: [{repeat: {i: n}, name: a}]", "s.yaml:1:23: unknown name \"n\""},
    {"bodies: [{repeat: {i: 2}}]", "there is nothing to repeat"},
    {"bodies: [{repeat: {i: 2}, each: a}]", "expected a list of entries"},
    {"bodies: [{repeat: {i: 2}, each: [a], mass: 1}]", "bodies[0].mass: has no effect with each"},
    {"bodies: [{repeat: {i: 2}, name: \"a{i\"}]",
     "a '{' without its '}'; write a counter like {i} (where i = 0)"},
    {"bodies: [{repeat: {i: 2}, name: \"ai}\"}]", "a '}' without its '{'"},
    {"bodies: [{repeat: {i: 2}, name: \"a{i}\", mass: \"b{i/2}.x\"}]",
     "s.yaml:1:47: bodies.a{i}.mass: 0.5 in a name; names need whole numbers from 0; leave entries out with "
     "when: "
     "(where i = 1)"},
    {"bodies: [{repeat: {i: 2}, name: \"a{j}\"}]", "unknown name \"j\""},
    {"bodies: [{repeat: {i: 2, j: 3}, name: \"a{1/(j - 2)}\"}]", "(where i = 0, j = 2)"},
    {"bodies: [{repeat: {i: 2}, when: i, name: a}]", "(where i = 0)"},
    {"bodies: [{repeat: {i: 2}, let: {x: {uniform: [1]}}, name: a}]", "found a list of 1"},
    {"bodies: [{repeat: {i: 2}, let: {x: {uniform: [1, 2], normal: [1, 2]}}, name: a}]",
     "write one of uniform"},
    {"bodies: [{repeat: {i: 2}, let: {x: {}}, name: a}]", "write one of uniform"},
    {"bodies: [{repeat: {i: 2}, let: {x: {weights: [1]}}, name: a}]", "write one of uniform"},
    {"bodies: [{repeat: {i: 2}, let: {x: {choose: [1, 2], weights: [1]}}, name: a}]",
     "found 1 weights for 2 values"},
    {"bodies: [{repeat: {i: 2}, let: {x: {choose: []}}, name: a}]", "for 0 values"},
    {"bodies: [{repeat: {i: 2}, let: {x: {choose: [1], weights: [0]}}, name: a}]", "all weights are 0"},
    {"bodies: [{repeat: {i: 2}, let: {x: {unifrom: [1, 2]}}, name: a}]", "did you mean 'uniform'"},
    {"bodies: [{repeat: {i: 2}, seed: 1.5, name: a}]", "write a whole number"},
    {"parameters: {n: m}\nbodies: [{repeat: {i: 2}, name: a}]", "s.yaml:1:17: unknown name \"m\""},
};

TEST(what_is_wrong_is_refused_with_place_and_repetition)
{
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
        CHECK(is_refused_with(refused[k][0], refused[k][1]));
}

/* What is huge, or would take forever, is refused within seconds: also where it makes no entry at all. */
TEST(hostile_repeats_are_refused)
{
    CHECK(is_refused_with("bodies: [{repeat: {i: 1000000000}, name: a}]", "more than 200000 entries"));
    CHECK(
        is_refused_with("bodies: [{repeat: {a: 1000, b: 1000, c: 1000, d: 1000}, when: \"a < 0\", name: a}]",
                        "the repeats of the scene are too many"));
    CHECK(is_refused_with("bodies: [{repeat: {a: 1000000000}, each: []}]",
                          "the repeats of the scene are too many"));
    CHECK(is_refused_with(
        "bodies: [{repeat: {a: 1000}, each: [{repeat: {b: 1000}, each: [{repeat: {c: 1000}, each: "
        "[{name: x}]}]}]}]",
        "more than 200000 entries"));
}

/* ---- whole scenes -------------------------------------------------------------------------------------- */

static tp_status read_scene(const char *text, const char *edit, tp_scene **scene_out, tp_message *why)
{
    return tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), &edit, edit ? 1 : 0, scene_out, why);
}

#define CHAIN                                                                                                \
    "parameters: {n: 3, l: 0.1}\n"                                                                           \
    "bodies:\n"                                                                                              \
    "  - {repeat: {i: n}, name: \"link{i}\", mass: 1, inertia: [1, 1, 1], position: [i*l, 0, 0]}\n"          \
    "joints:\n"                                                                                              \
    "  - {repeat: {i: [1, n - 1]}, name: \"pin{i}\", type: spherical, bodies: [\"link{i - 1}\", "            \
    "\"link{i}\"], "                                                                                         \
    "point: [i*l, 0, 0]}\n"

TEST(edits_change_counts_and_the_entry_as_it_is_written)
{
    static const struct {
        const char *edit;
        int bodies;
    } cases[] = {{NULL, 3},
                 {"parameters.n=7", 7},
                 {"bodies[0].repeat.i=5", 5},
                 {"bodies.link{i}.mass=2", 3},
                 {"bodies.link{i}.when=true", 3},
                 {"joints.pin{i}.when=i == 1", 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_scene *scene = NULL;
        tp_message why = {""};
        if (read_scene(CHAIN, cases[k].edit, &scene, &why) != TP_OK) fail_msg("%s", why.text);
        CHECK_INT(tp_model_body_count(scene->model), cases[k].bodies);
        CHECK(strstr(scene->text, "repeat:") != NULL); /* it is stored as it is written */
        tp_scene_free(scene);
    }
}

TEST(initial_values_of_repeated_bodies_can_be_set)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (read_scene(CHAIN, "initial.link0.v.y=0", &scene, &why) != TP_OK) fail_msg("%s", why.text);
    tp_scene_free(scene);
    CHECK_INT(read_scene(CHAIN, "initial.lonk0.v.y=0", &scene, &why), TP_INVALID_DATA);
    CHECK_INT(read_scene(CHAIN, "bodies.link2.mass=3", &scene, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "link{i}") != NULL); /* how it is written */
}

/* A refusal by the tables, by the loader, and by the model: all say which repetition it is. */
TEST(messages_of_later_checks_say_which_repetition_is_wrong)
{
    static const char *const cases[][2] = {
        {"2 - i", "s.yaml:2:60: bodies.b2.mass: '2 - 2' is 0, which is out of range"},
        {"1, colour: red", "s.yaml:2:63: bodies.b0: unknown key 'colour'"},
        {"\"1 + x{i}\"", "s.yaml:2:65: unknown name \"x0\""},
        {"1, position: [i, 0]", "s.yaml:2:73: bodies.b0.position: found a list of 2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[400];
        tp_scene *scene = NULL;
        tp_message why = {""};
        snprintf(text, sizeof text,
                 "name: s\nbodies: [{repeat: {i: 3}, name: \"b{i}\", type: point, mass: %s}]", cases[k][0]);
        CHECK_INT(read_scene(text, NULL, &scene, &why), TP_INVALID_DATA);
        bool is_right =
            strstr(why.text, cases[k][1]) && strstr(why.text, k == 0 ? "(where i = 2)" : "(where i = 0)");
        if (!is_right) fail_msg("%s", why.text);
    }
}

/* The stored text of a scene is read again as the same scene. */
TEST(a_stored_scene_with_repeats_is_the_same_scene)
{
    tp_scene *scene = NULL, *again = NULL;
    tp_message why = {""};
    if (read_scene(CHAIN, "parameters.n=9", &scene, &why) != TP_OK) fail_msg("%s", why.text);
    if (read_scene(scene->text, NULL, &again, &why) != TP_OK) fail_msg("%s", why.text);
    CHECK(strcmp(scene->text, again->text) == 0);
    CHECK_INT(tp_model_body_count(again->model), 9);
    tp_scene_free(scene);
    tp_scene_free(again);
}

TEST_MAIN(RUNS(counters_go_from_0_or_from_first_to_last_the_last_one_fastest),
          RUNS(counts_may_be_formulas_of_parameters), RUNS(formulas_know_counters_as_names),
          RUNS(braces_put_values_into_texts_and_into_names_of_formulas),
          RUNS(lists_of_single_values_and_of_lists_repeat_with_each), RUNS(repeats_stand_in_repeats),
          RUNS(conditions_leave_entries_out), RUNS(let_gives_names_to_values_in_their_order),
          RUNS(random_values_depend_on_seed_counters_and_name_alone), RUNS(choices_follow_their_weights),
          RUNS(random_rotations_become_orientations),
          RUNS(what_is_wrong_is_refused_with_place_and_repetition), RUNS(hostile_repeats_are_refused),
          RUNS(edits_change_counts_and_the_entry_as_it_is_written),
          RUNS(initial_values_of_repeated_bodies_can_be_set),
          RUNS(messages_of_later_checks_say_which_repetition_is_wrong),
          RUNS(a_stored_scene_with_repeats_is_the_same_scene))
