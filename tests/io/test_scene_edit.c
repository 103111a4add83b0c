/* --set: what can be changed, what can be added, what is refused. */
#include "io/scene/edit.h"

#include "check.h"
#include "node_equal.h"
#include "scene_tables.h"
#include "scene_text.h"

/* The author of a scene may give the velocity of every coordinate. */
static bool knows_velocity(void *context, const tp_node *map, const char *key)
{
    (void)context;
    return map->key && strcmp(map->key, "initial") == 0 && strcmp(key, "phi'") == 0;
}

static const tp_edit_rules rules = {.table = &scene_keys, .knows = knows_velocity};

typedef struct edit_case {
    const char *argument, *path, *text; /* path as scene_at takes it */
} edit_case;

static const edit_case edits[] = {
    {"parameters.g=1.62", "parameters/g", "1.62"},
    {"contacts.beak.friction=0.4", "contacts/0/friction", "0.4"},
    {"contacts[0].friction=0.4", "contacts/0/friction", "0.4"},
    {"contacts.upper.sleeve.gap=\"2*phi\"", "contacts/1/gap", "2*phi"},
    {"contacts.upper.sleeve.friction=\"2*c\"", "contacts/1/friction", "2*c"}, /* was not there */
    {"initial.y'=0", "initial/y'", "0"},
    {"initial.phi'=-7.5", "initial/phi'", "-7.5"}, /* the predicate knows it */
    {"initial.arm.x=5", "initial/arm.x", "5"},     /* the longest key that is there */
    {"initial.arm=5", "initial/arm", "5"},
    {"simulate.dt=1e-4", "simulate/dt", "1e-4"},
    {"simulate.theta=0.75", "simulate/theta", "0.75"},
    {"simulate.integrator=moreau-jean", "simulate/integrator", "moreau-jean"},
    {"bodies[2].mass=3.5", "bodies/2/mass", "3.5"},
    {"bodies.ball.position[1]=4", "bodies/1/position/1", "4"},
    {"bodies.ball.position=[1, 2, x]", "bodies/1/position/2", "x"},
    {"bodies.crate.shapes[0].half[2]=9", "bodies/2/shapes/0/half/2", "9"},
    {"bodies.ball.shapes.density=9", "bodies/1/shapes/density", "9"},
    {"coordinates[0]=x", "coordinates/0", "x"},
    {"gravity=[0, -1, 0]", "gravity/1", "-1"},
    {"notes={a: {b: [1, 'c']}}", "notes/a/b/1", "c"},
    {"name=a = b", "name", "a = b"},
    {"name=''", "name", ""},
    {"parameters={}", "parameters/g", NULL},
};

TEST(values_are_changed_or_added_where_the_path_says)
{
    for (size_t k = 0; k < sizeof edits / sizeof edits[0]; k++) {
        scene_text scene;
        scene_open(&scene, WOODPECKER);
        tp_status status = tp_tree_set(scene.tree, edits[k].argument, &rules, &scene.why);
        if (status != TP_OK) print_error("%s\n", scene.why.text);
        CHECK_INT(status, TP_OK);
        const tp_node *node = scene_at(&scene, edits[k].path);
        CHECK((node != NULL) == (edits[k].text != NULL));
        if (node) {
            CHECK(node->text && strcmp(node->text, edits[k].text) == 0);
            CHECK(strcmp(node->place.file, "--set") == 0 && node->place.line == 1 && node->place.column == 1);
        }
        scene_close(&scene);
    }
}

TEST(an_edit_changes_nothing_else)
{
    scene_text scene, expected;
    scene_open(&scene, "a: 1\nb: [{name: x, c: 1}, {name: y, c: 2}]\nd: 4\n");
    scene_open(&expected, "a: 1\nb: [{name: x, c: 1}, {name: y, c: {e: [5]}}]\nd: 4\n");
    CHECK_INT(tp_tree_set(scene.tree, "b.y.c={e: [5]}", NULL, &scene.why), TP_OK);
    CHECK(node_equal(scene.tree->root, expected.tree->root));
    CHECK_INT(tp_tree_set(scene.tree, "b.y.c.e[0]=6", NULL, &scene.why), TP_OK); /* edits see earlier edits */
    CHECK(strcmp(scene_at(&scene, "b/1/c/e/0")->text, "6") == 0);
    tp_node_path path = tp_node_path_of(scene_at(&scene, "b/1/c/e/0"));
    CHECK(strcmp(path.text, "b.y.c.e[0]") == 0);
    scene_close(&scene);
    scene_close(&expected);
}

TEST(maps_that_the_tables_know_are_made_on_the_way)
{
    scene_text scene;
    scene_open(&scene, "name: a\n");
    CHECK_INT(tp_tree_set(scene.tree, "simulate.dt=0.1", &rules, &scene.why), TP_OK);
    CHECK_INT(tp_tree_set(scene.tree, "simulate.until=2", &rules, &scene.why), TP_OK);
    CHECK_INT(scene_at(&scene, "simulate")->count, 2);
    CHECK_INT(tp_keys_check(scene.tree->root, &scene_keys, &scene.why), TP_OK);
    CHECK_INT(tp_tree_set(scene.tree, "simulate.dt=0", &rules, &scene.why), TP_OK);
    CHECK_INT(tp_keys_check(scene.tree->root, &scene_keys, &scene.why), TP_INVALID_DATA);
    CHECK(strncmp(scene.why.text, "--set:1:1: simulate.dt: 0 is out of range", 41) == 0);
    scene_close(&scene);
}

static const char *const refused[][2] = {
    {"parameters.gg=1", "--set parameters.gg=1: parameters has no key 'gg'; did you mean 'g'?"},
    {"parametres.g=1", "the scene has no key 'parametres'; did you mean 'parameters'?"},
    {"contacts.beek.friction=1", "contacts has no item named 'beek'; did you mean 'beak'?"},
    {"contacts.zzzzzz.friction=1",
     "contacts has no item named 'zzzzzz'; name one that is there, or write [i]"},
    {"contacts.beak.frictoin=1", "contacts.beak has no key 'frictoin'; did you mean 'friction'?"},
    {"contacts[2].friction=1", "contacts has no item [2]; its items are [0] to [1]"},
    {"contacts[99999999999999999999].friction=1", "expected [i]"},
    {"contacts[-1].friction=1", "expected [i] with a whole number"},
    {"contacts[x].friction=1", "expected [i]"},
    {"contacts[0.friction=1", "expected [i]"},
    {"contacts[0]x=1", "expected [i]"},
    {"simulate[0]=1", "simulate is not a list"},
    {"simulate.dt.x=1", "simulate.dt is a single value and has no parts"},
    {"simulate.dtt=1", "simulate has no key 'dtt'; did you mean 'dt'?"},
    {"initial.psi'=1", "initial has no key 'psi''"},
    {"bodies.ball.shapes.half=[1, 1, 1]", "bodies.ball.shapes has no key 'half'"}, /* a sphere */
    {"simulate.dt", "no '='; write PATH=VALUE"},
    {"=1", "no path"},
    {".name=1", "an empty part"},
    {"simulate..dt=1", "an empty part"},
    {"simulate.=1", "an empty part"},
    {"simulate.dt=", "the value is missing"},
    {"simulate.dt=[1, 2", "the list is not closed"},
    {"simulate.dt={a: 1, a: 2}", "the key 'a' is given twice"},
    {"simulate.dt=a: 1", "a list or map without brackets"},
    {"simulate.dt=- 1", "a list or map without brackets"},
    {"simulate.dt=*x", "an alias"},
    {"simulate.dt=&x 1", "an anchor"},
    {"simulate.dt=!x 1", "a tag"},
    {"simulate.dt=1\n--- 2", "a second document"},
    {"simulate.dt=\xff", "not UTF-8"},
};

TEST(what_cannot_be_set_is_told_and_the_tree_stays_as_it_was)
{
    scene_text before;
    scene_open(&before, WOODPECKER);
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        scene_text scene;
        scene_open(&scene, WOODPECKER);
        tp_status status = tp_tree_set(scene.tree, refused[k][0], &rules, &scene.why);
        bool is_right = status == TP_INVALID_DATA && strncmp(scene.why.text, "--set ", 6) == 0 &&
                        strstr(scene.why.text, refused[k][1]) != NULL;
        if (!is_right) print_error("%s\n-> %s\n", refused[k][0], scene.why.text);
        CHECK(is_right);
        CHECK(node_equal(scene.tree->root, before.tree->root));
        scene_close(&scene);
    }
    scene_close(&before);
}

TEST(sections_that_are_not_there_are_told_apart_from_unknown_ones)
{
    scene_text scene;
    scene_open(&scene, "name: a\n");
    CHECK_INT(tp_tree_set(scene.tree, "simulate.dtt=1", &rules, &scene.why), TP_INVALID_DATA);
    CHECK(strstr(scene.why.text, "simulate has no key 'dtt'; did you mean 'dt'?") != NULL);
    CHECK_INT(tp_tree_set(scene.tree, "contacts.beak.gap=1", &rules, &scene.why), TP_INVALID_DATA);
    CHECK(strstr(scene.why.text, "the scene has no key 'contacts' yet; set it as a whole") != NULL);
    CHECK_INT(tp_tree_set(scene.tree, "contacts=[{name: beak, gap: x}]", &rules, &scene.why), TP_OK);
    CHECK_INT(tp_tree_set(scene.tree, "contacts.beak.gap=1", &rules, &scene.why), TP_OK);
    scene_close(&scene);
}

TEST(without_rules_only_what_is_there_can_be_set)
{
    scene_text scene;
    scene_open(&scene, WOODPECKER);
    CHECK_INT(tp_tree_set(scene.tree, "simulate.dt=1", NULL, &scene.why), TP_OK);
    CHECK_INT(tp_tree_set(scene.tree, "simulate.theta=1", NULL, &scene.why), TP_INVALID_DATA);
    scene_close(&scene);
}

/* A value may not make the tree deeper than a file could. */
TEST(an_edit_cannot_go_around_the_depth_limit)
{
    char text[300], argument[300] = "a[0]=";
    scene_text scene;
    for (int brackets = 62; brackets <= 63; brackets++) {
        scene_open(&scene, "a: [1]\n");
        memset(text, '[', (size_t)brackets);
        memset(text + brackets, ']', (size_t)brackets);
        text[2 * brackets] = '\0';
        strcpy(argument + 5, text);
        CHECK_INT(tp_tree_set(scene.tree, argument, NULL, &scene.why),
                  brackets == 62 ? TP_OK : TP_INVALID_DATA);
        scene_close(&scene);
    }
}

TEST_MAIN(RUNS(values_are_changed_or_added_where_the_path_says), RUNS(an_edit_changes_nothing_else),
          RUNS(maps_that_the_tables_know_are_made_on_the_way),
          RUNS(what_cannot_be_set_is_told_and_the_tree_stays_as_it_was),
          RUNS(sections_that_are_not_there_are_told_apart_from_unknown_ones),
          RUNS(without_rules_only_what_is_there_can_be_set), RUNS(an_edit_cannot_go_around_the_depth_limit))
