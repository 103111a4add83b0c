/* Key tables: checks, hints, defaults, the manual and the schema. */
#include "check.h"
#include "io/common/near.h"
#include "io/scene/keys_doc.h"
#include "scene_tables.h"
#include "scene_text.h"
#include "sound_tables.h"

TEST(the_tables_of_these_tests_are_sound_and_broken_ones_are_told)
{
    tp_message why = {""};
    CHECK_INT(check_tables(&scene_keys, &why), TP_OK);
    static const tp_key bad[] = {
        {.name = "a", .kind = TP_VALUE_NUMBER, .default_text = "x", .text = "t"},
        {.name = "a", .kind = TP_VALUE_NUMBER},
        {.name = "a", .kind = TP_VALUE_CHOICE, .text = "t"},
        {.name = "a", .kind = TP_VALUE_TEXT, .flags = TP_KEY_POSITIVE, .text = "t"},
        {.name = "a", .kind = TP_VALUE_MAP, .text = "t"},
        {.name = "a", .kind = TP_VALUE_NUMBER, .flags = TP_KEY_REQUIRED, .default_text = "1", .text = "t"},
        {.name = "a",
         .kind = TP_VALUE_NUMBER,
         .form = TP_FORM_LIST,
         .count = 2,
         .default_text = "[1]",
         .text = "t"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        tp_key_table table = {.name = "t", .text = "t", .keys = &bad[k], .key_count = 1};
        CHECK_INT(check_tables(&table, &why), TP_INVALID_ARGUMENT);
    }
}

TEST(a_scene_that_is_right_passes)
{
    scene_text scene;
    scene_open(&scene, WOODPECKER);
    CHECK_INT(scene.status, TP_OK);
    tp_status status = tp_keys_check(scene.tree->root, &scene_keys, &scene.why);
    if (status != TP_OK) print_error("%s\n", scene.why.text);
    CHECK_INT(status, TP_OK);
    scene_close(&scene);
}

/* A scene and the beginning of its message. */
static const char *const wrong[][2] = {
    {"[1]", "s.yaml:1:1: found a list; a scene is a map"},
    {"5", "s.yaml:1:1: found a single value; a scene is a map"},
    {"coordinates: [x]", "s.yaml:1:1: the key 'name' is missing; add name: with a text"},
    {"name: a\nparametres: {}", "s.yaml:2:1: unknown key 'parametres'; did you mean 'parameters'?"},
    {"name: a\nxyzzy: {}",
     "s.yaml:2:1: unknown key 'xyzzy'; keys of this map: name, coordinates, parameters"},
    {"name: a\ncontacts:\n  - {name: b, gap: x, frictoin: 1}",
     "s.yaml:3:23: contacts.b: unknown key 'frictoin'; did you mean 'friction'?"},
    {"name: a\ncontacts:\n  - {gap: x}", "s.yaml:3:5: contacts[0]: the key 'name' is missing"},
    {"name: a\ncontacts:\n  - {name: b}",
     "s.yaml:3:5: contacts.b: the key 'gap' is missing; add gap: with a formula [m]"},
    {"name: a\ncontacts: {name: b}", "s.yaml:2:11: contacts: found a map; write a list of maps"},
    {"name: a\ncontacts: [b]", "s.yaml:2:12: contacts[0]: found a single value; write a list of maps"},
    {"name: a\ncontacts:",
     "s.yaml:2:10: contacts: the value is missing; write a list of maps, or remove the key"},
    {"name: a\nsimulate: {dt: 0}", "s.yaml:2:16: simulate.dt: 0 is out of range; write a number > 0 [s]"},
    {"name: a\nsimulate: {dt: \"1\"}", "s.yaml:2:16: simulate.dt: '1' is in quotes"},
    {"name: a\nsimulate: {dt: 1 s}", "s.yaml:2:16: simulate.dt: expected a number [s], found '1 s'"},
    {"name: a\nsimulate: {until: 1}",
     "s.yaml:2:11: simulate: the key 'dt' is missing; add dt: with a number > 0 [s]"},
    {"name: a\nsimulate: {dt: 1, until: -1}", "s.yaml:2:26: simulate.until: -1 is out of range"},
    {"name: a\nsimulate: {dt: 1, theta: 0.4}",
     "s.yaml:2:26: simulate.theta: 0.4 is out of range; write a number from 0.5 to 1"},
    {"name: a\nsimulate: {dt: 1, max-steps: 0}",
     "s.yaml:2:30: simulate.max-steps: expected a whole number from 1 to"},
    {"name: a\nsimulate: {dt: 1, verbose: yes}",
     "s.yaml:2:28: simulate.verbose: expected true or false, found 'yes'"},
    {"name: a\nsimulate: {dt: 1, integrator: moro}",
     "s.yaml:2:31: simulate.integrator: unknown word 'moro'; write one of moreau, moreau-jean, event-driven"},
    {"name: a\nsimulate: {dt: 1, integrator: moraeu}",
     "s.yaml:2:31: simulate.integrator: unknown word 'moraeu'; did you mean 'moreau'?"},
    {"name: a\ngravity: [0, 0]",
     "s.yaml:2:10: gravity: found a list of 2; write a list of 3 numbers [m/s^2]"},
    {"name: a\ngravity: 9.81",
     "s.yaml:2:10: gravity: found a single value; write a list of 3 numbers [m/s^2]"},
    {"name: a\ngravity: [0, 0, g]", "s.yaml:2:17: gravity[2]: expected a number [m/s^2], found 'g'"},
    {"name: a\nparameters: {g: [1]}", "s.yaml:2:17: parameters.g: found a list"},
    {"name: a\nparameters: [g]", "s.yaml:2:13: parameters: found a list; write a map of your own names to"},
    {"name: [a]", "s.yaml:1:7: name: expected a text, found a list"},
    {"name: a\nbodies: [{mass: 1, shapes: {kind: bax}}]",
     "s.yaml:2:35: bodies[0].shapes.kind: unknown word 'bax'; did you mean 'box'?"},
    {"name: a\nbodies: [{mass: 1, shapes: {kind: box, radius: 1}}]",
     "s.yaml:2:40: bodies[0].shapes: the key 'radius' does not go with kind: box; it goes with kind: sphere"},
    {"name: a\nbodies: [{mass: 1, shapes: [{kind: box}]}]",
     "s.yaml:2:29: bodies[0].shapes[0]: the key 'half' is missing"},
    {"name: a\nbodies: [{mass: 1, shapes: {density: 1}}]",
     "s.yaml:2:28: bodies[0].shapes: the key 'radius' is missing"},
    {"name: a\nbodies: [{mass: 1, shapes: {kind: box, half: [1, 1, -1]}}]",
     "s.yaml:2:53: bodies[0].shapes.half[2]: -1 is out of range"},
    {"name: a\nbodies: [{mass: 1, shapes: {kind: box, half: [1, 1, 1], corners: [[1, 2], [3]]}}]",
     "s.yaml:2:75: bodies[0].shapes.corners[1]: found a list of 1; write a list of lists of 2 numbers [m]"},
    {"name: a\nbodies: [{mass: 1, position: [0, .inf, 0]}]",
     "s.yaml:2:34: bodies[0].position[1]: '.inf' is not finite"},
};

TEST(what_is_wrong_is_told_with_place_path_and_what_would_be_right)
{
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        scene_text scene;
        scene_open(&scene, wrong[k][0]);
        CHECK_INT(scene.status, TP_OK);
        tp_status status = tp_keys_check(scene.tree->root, &scene_keys, &scene.why);
        bool is_right =
            status == TP_INVALID_DATA && strncmp(scene.why.text, wrong[k][1], strlen(wrong[k][1])) == 0;
        if (!is_right) print_error("%s\n-> %s\n", wrong[k][0], scene.why.text);
        CHECK(is_right);
        scene_close(&scene);
    }
}

TEST(the_nearest_name_allows_swaps_and_beginnings_but_not_anything)
{
    static const char *const cases[][3] = {
        {"frictoin", "friction", "gap"}, {"frict", "friction", "fret"}, {"gpa", "friction", "gap"},
        {"Name", "name", "game"},        {"zzzz", NULL, "gap"},         {"x", NULL, "gap"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_near near = tp_near_begin(cases[k][0]);
        tp_near_offer(&near, "friction");
        if (cases[k][1]) tp_near_offer(&near, cases[k][1]);
        tp_near_offer(&near, cases[k][2]);
        if (k == 2) CHECK(strcmp(near.best, "gap") == 0);
        if (k != 2) CHECK(cases[k][1] ? near.best && strcmp(near.best, cases[k][1]) == 0 : near.best == NULL);
    }
    tp_near empty = tp_near_begin("");
    tp_near_offer(&empty, "a");
    CHECK(empty.best == NULL);
}

static bool has(const tp_text *text, const char *part)
{
    return strstr(text->bytes, part) != NULL;
}

TEST(the_manual_lists_every_key_once_for_each_table)
{
    tp_text out = {.bytes = NULL};
    tp_keys_markdown(&scene_keys, &out);
    tp_text_add(&out, "%c", '\0');
    CHECK(!out.has_failed);
    CHECK(strncmp(out.bytes, "## scene\n\nA scene.\n\n| key | value | unit | default | meaning |\n", 60) ==
          0);
    CHECK(has(&out,
              "| `gravity` | a list of 3 numbers | m/s^2 | `[0, 0, -9.81]` | acceleration of gravity |\n"));
    CHECK(has(&out, "| `dt` | a number > 0 | s | required | length of a step |\n"));
    CHECK(has(
        &out,
        "| `integrator` | one of moreau, moreau-jean, event-driven |  | `moreau` | how time goes on |\n"));
    CHECK(has(&out, "| `kind` | one of sphere, box |"));
    CHECK(has(&out, "a\\|b in a cell"));
    CHECK(has(&out, "[simulate](#simulate): how to simulate"));
    CHECK(has(&out, "`kind: box` adds the keys of [box](#box)."));
    static const char *const names[] = {"scene", "simulate", "contact", "body", "shape", "sphere", "box"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char heading[40];
        snprintf(heading, sizeof heading, "## %s\n", names[k]);
        const char *first = strstr(out.bytes, heading);
        CHECK(first != NULL && strstr(first + 1, heading) == NULL);
    }
    tp_text_clear(&out);
}

/* The schema is JSON, hence a tree; what it says is looked up in that. */
TEST(the_schema_is_json_and_says_what_the_tables_say)
{
    tp_text out = {.bytes = NULL};
    tp_keys_schema(&scene_keys, "A \"scene\"", &out);
    CHECK(!out.has_failed);
    scene_text schema;
    scene_open_bytes(&schema, out.bytes, out.count);
    if (schema.status != TP_OK) print_error("%s\n%.*s\n", schema.why.text, (int)out.count, out.bytes);
    CHECK_INT(schema.status, TP_OK);
    CHECK(strcmp(scene_at(&schema, "title")->text, "A \"scene\"") == 0);
    CHECK_INT(scene_at(&schema, "definitions")->count, 6); /* sphere and box are written inside shape */
    CHECK_INT(scene_at(&schema, "definitions/repeat/anyOf")->count, 4);
    CHECK(strcmp(scene_at(&schema, "definitions/simulate/required/0")->text, "dt") == 0);
    CHECK(strcmp(scene_at(&schema, "definitions/simulate/additionalProperties")->text, "false") == 0);
    CHECK(strcmp(scene_at(&schema, "definitions/simulate/properties/dt/exclusiveMinimum")->text, "0") == 0);
    CHECK(strcmp(scene_at(&schema, "definitions/simulate/properties/theta/maximum")->text, "1") == 0);
    CHECK_INT(scene_at(&schema, "definitions/simulate/properties/integrator/enum")->count, 3);
    CHECK(strcmp(scene_at(&schema, "definitions/scene/properties/gravity/minItems")->text, "3") == 0);
    CHECK(strcmp(scene_at(&schema, "definitions/scene/properties/gravity/description")->text,
                 "acceleration of gravity [m/s^2] (default: [0, 0, -9.81])") == 0);
    CHECK_INT(scene_at(&schema, "definitions/shape/oneOf")->count, 2);
    CHECK(scene_at(&schema, "definitions/shape/oneOf/0/properties/radius") != NULL);
    CHECK(scene_at(&schema, "definitions/shape/oneOf/0/properties/half") == NULL);
    CHECK_INT(scene_at(&schema, "definitions/shape/oneOf/0/required")->count,
              1); /* radius: sphere is the default */
    CHECK_INT(scene_at(&schema, "definitions/shape/oneOf/1/required")->count, 2); /* half and kind */
    CHECK(scene_at(&schema, "definitions/scene/properties/notes/type") == NULL);
    scene_close(&schema);
    tp_text_clear(&out);
}

TEST_MAIN(RUNS(the_tables_of_these_tests_are_sound_and_broken_ones_are_told),
          RUNS(a_scene_that_is_right_passes),
          RUNS(what_is_wrong_is_told_with_place_path_and_what_would_be_right),
          RUNS(the_nearest_name_allows_swaps_and_beginnings_but_not_anything),
          RUNS(the_manual_lists_every_key_once_for_each_table),
          RUNS(the_schema_is_json_and_says_what_the_tables_say))
