/* Claim: `tippe list` prints the words that scenes take, all of them and no others; docs/command-line.md. The
   lists of shapes and laws once held names of sets that no scene knows. */
#include "check.h"
#include "io/scene/scene_tables.h"
#include "tippe/tippe.h"

#include <stdio.h>
#include <string.h>

/* Scenes with a hole for the word and one for further keys: the word is taken if one of these fits it. */
typedef struct place {
    const char *scene;
    const char *const *further; /* NULL at the end */
} place;

static bool is_accepted(const char *text)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    bool is_right = tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why) == TP_OK;
    tp_scene_free(scene);
    return is_right;
}

static bool takes(const place *where, const char *word)
{
    char text[2000];
    for (int k = 0; where->further[k] != NULL; k++) {
        snprintf(text, sizeof text, where->scene, word, where->further[k]);
        if (is_accepted(text)) return true;
    }
    return false;
}

static const char *const sizes[] = {
    "",
    "radius: 1",
    "size: [1, 1, 1]",
    "radius: 1, length: 1",
    "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    "outline: [[0, 0], [1, 0], [0, 1]], length: 1",
    "mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [[0, 1, 2]]}",
    "heights: [[0, 0], [0, 0]], spacing: [1, 1]",
    NULL};
static const place shape_of_body = {
    "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], shapes: [{type: %s, %s}]}]\n", sizes};

#define THREE "coordinates: [x, y, z]\nkinetic: \"x'^2 + y'^2 + z'^2\"\n"
static const char *const slips[] = {"slip: x'", "slip: [x', y']", "slip: [x', y', z'], drilling_radius: 1",
                                    NULL};
static const place friction_of_contact = {
    THREE "contacts: [{name: c, gap: z, friction: 0.3, shape: %s, %s}]\n", slips};
static const char *const bounds[] = {"velocity: x', bound: 1", "velocity: [x', y'], bound: [1, 1]",
                                     "velocity: [x', y', z'], bound: [1, 1]",
                                     "velocity: [x', y', z'], bound: [1, 1, 1]", NULL};
static const place friction_of_law = {THREE "laws: [{name: c, kind: friction, shape: %s, %s}]\n", bounds};
static const char *const laws[] = {"", "bound: 1", "lower: -1, upper: 1", NULL};
static const place kind_of_law = {THREE "laws: [{name: c, velocity: x', kind: %s, %s}]\n", laws};
static const char *const figures[] = {"at: [0, 0]", "points: [[0, 0], [1, 0], [0, 1]]",
                                      "at: [0, 0], radius: 1", NULL};
static const place kind_of_drawing = {THREE "draw: [{name: d, kind: %s, %s}]\n", figures};
static const char *const sides[] = {"",
                                    "point: [0, 0, 0]",
                                    "point: [0, 0, 0], axis: [0, 0, 1]",
                                    "point: [0, 0, 0], axis: [0, 0, 1], second_axis: [1, 0, 0]",
                                    "point: [0, 0, 0], point_b: [0, 0, 1]",
                                    "point: [0, 0, 0], axis: [0, 0, 1], pitch: 1",
                                    "curve: {points: [[-1, 0, 0], [0, 0, 0], [1, 0, 0]]}",
                                    NULL};
static const place kind_of_joint = {"bodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n"
                                    "joints: [{name: j, bodies: [ground, b], frame: world, type: %s, %s}]\n",
                                    sides};
static const char *const inertias[] = {"mass: 1, inertia: [1, 1, 1]", "mass: 1, inertia: 1", "mass: 1",
                                       "motion: [t, 0, 0]", NULL};
static const place kind_of_body = {"bodies: [{name: other, type: point, mass: 1}, {name: b, type: %s, %s}]\n",
                                   inertias};
static const char *const nothing[] = {"", NULL};
static const place name_of_integrator = {THREE "simulate: {integrator: %s%s}\n", nothing};
static const place name_of_solver = {THREE "simulate: {solver: %s%s}\n", nothing};

static void check_topic(void **check_state_, tp_scene_topic topic, const place *where)
{
    tp_scene_word word;
    int count = 0;
    for (; tp_scene_word_at(topic, count, &word); count++) {
        bool is_taken = takes(where, word.word);
        if (!is_taken) print_error("no scene takes %s\n", word.word);
        CHECK(is_taken);
        CHECK(word.text != NULL && word.text[0] != '\0');
    }
    CHECK(count > 0);
    CHECK(!takes(where, "qqqq"));
}

TEST(every_word_that_is_listed_is_accepted_by_a_scene)
{
    check_topic(check_state_, TP_SCENE_SHAPES, &shape_of_body);
    check_topic(check_state_, TP_SCENE_FRICTION, &friction_of_contact);
    check_topic(check_state_, TP_SCENE_FRICTION, &friction_of_law);
    check_topic(check_state_, TP_SCENE_LAWS, &kind_of_law);
    check_topic(check_state_, TP_SCENE_DRAWINGS, &kind_of_drawing);
    for (int k = 0; tp_joint_kind_info((tp_joint_kind)k) != NULL; k++)
        CHECK(takes(&kind_of_joint, tp_joint_kind_info((tp_joint_kind)k)->name));
    for (int k = 0; tp_body_kind_info((tp_body_kind)k) != NULL; k++)
        CHECK(takes(&kind_of_body, tp_body_kind_info((tp_body_kind)k)->name));
    for (int k = 0; k < tp_integrator_count(); k++)
        CHECK(takes(&name_of_integrator, tp_integrator_info_at(k)->name));
    for (int k = 0; k < tp_solver_count(); k++) CHECK(takes(&name_of_solver, tp_solver_info_at(k)->name));
}

static bool is_listed(tp_scene_topic topic, const char *word)
{
    tp_scene_word listed;
    for (int k = 0; tp_scene_word_at(topic, k, &listed); k++) {
        if (strcmp(listed.word, word) == 0) return true;
    }
    return false;
}

static bool is_joint(const char *word)
{
    for (int k = 0; tp_joint_kind_info((tp_joint_kind)k) != NULL; k++) {
        if (strcmp(tp_joint_kind_info((tp_joint_kind)k)->name, word) == 0) return true;
    }
    return false;
}

/* The words of the rows, which is what the reader compares with. */
TEST(every_word_that_scenes_take_is_listed)
{
    static const struct {
        const tp_key_table *table;
        tp_scene_topic topic;
    } variants[] = {{&tp_shape_keys, TP_SCENE_SHAPES},
                    {&tp_law_keys, TP_SCENE_LAWS},
                    {&tp_drawing_keys, TP_SCENE_DRAWINGS}};
    tp_word word;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        for (int k = 0; (word = tp_keys_variant_at(variants[i].table, k)).word; k++)
            CHECK(is_listed(variants[i].topic, word.word));
    }
    tp_words shapes = tp_keys_find(&tp_contact_keys, NULL, "shape")->words;
    for (int k = 0; (word = shapes(k)).word; k++) CHECK(is_listed(TP_SCENE_FRICTION, word.word));
    tp_words joints = tp_keys_find(&tp_joint_keys, NULL, "type")->words;
    for (int k = 0; (word = joints(k)).word; k++) CHECK(is_joint(word.word));
}

/* ---- the library's kinds ------------------------------------------------------------------------------- */

static bool has_value(tp_words words, int value)
{
    tp_word word;
    for (int k = 0; (word = words(k)).word; k++) {
        if (word.value == value) return true;
    }
    return false;
}

/* A kind that is added to the library is missing here, and the compiler says so: count it, and give it a
   word. */
static int count_law_kinds(tp_law_kind kind)
{
    switch (kind) {
    case TP_LAW_ONE_WAY:
    case TP_LAW_FRICTION:
    case TP_LAW_LIMITED: break;
    }
    return 3;
}

static int count_directions(tp_along along)
{
    switch (along) {
    case TP_ALONG_X:
    case TP_ALONG_Y:
    case TP_ALONG_Z:
    case TP_ALONG_NORMAL:
    case TP_ALONG_TANGENT1:
    case TP_ALONG_TANGENT2:
    case TP_ALONG_ALL: break;
    }
    return 7;
}

/* A joint that was added to the enumerators alone once turned parallel-axes into orientation. */
TEST(every_kind_of_the_library_has_its_word_and_every_word_its_kind)
{
    tp_words joints = tp_keys_find(&tp_joint_keys, NULL, "type")->words;
    for (int k = 0; k < TP_JOINT_KIND_COUNT; k++) {
        const tp_joint_info *info = tp_joint_kind_info((tp_joint_kind)k);
        CHECK(info != NULL && info->name != NULL && info->text != NULL);
        CHECK_INT(tp_word_find(joints, info->name).value, k);
        CHECK_INT(tp_joint_kind_find(info->name), k);
    }
    tp_words bodies = tp_keys_find(&tp_body_keys, NULL, "type")->words;
    for (int k = 0; k < TP_BODY_KIND_COUNT; k++) {
        tp_word word = tp_word_find(bodies, tp_body_kind_info((tp_body_kind)k)->name);
        CHECK(word.word != NULL && word.value == k && word.table != NULL && word.text != NULL);
    }
    tp_words solids = tp_keys_find(&tp_shape_keys, NULL, "type")->words;
    for (int k = 0; k < TP_SOLID_KIND_COUNT; k++) {
        tp_word word = tp_word_find(solids, tp_solid_kind_name((tp_solid_kind)k));
        CHECK(word.word != NULL && word.value == k && word.table != NULL && word.text != NULL);
    }
    tp_words law_kinds = tp_keys_find(&tp_law_keys, NULL, "kind")->words;
    for (int k = 0; k < count_law_kinds(TP_LAW_ONE_WAY); k++) CHECK(has_value(law_kinds, k));
    tp_words components = tp_keys_find(&tp_sensor_keys, NULL, "component")->words;
    for (int k = 0; k < count_directions(TP_ALONG_X); k++) CHECK(has_value(components, k));
}

/* A word that was given no set would be refused for its number of rows; it must not pass as a disc. */
TEST(every_friction_set_has_a_word_and_every_word_a_set)
{
    bool has_word[16] = {false};
    for (const tp_friction_word *word = tp_friction_words; word->word; word++) {
        CHECK(word->contact.least >= 1 && word->contact.most <= 3 && word->contact.count >= 1);
        CHECK(word->law.least >= 1 && word->law.most <= 3);
        has_word[word->contact.body] = has_word[word->law.body] = true;
    }
    CHECK(!has_word[TP_FRICTION_NONE]);
    for (int k = TP_FRICTION_BALL; k < TP_FRICTION_KINDS; k++) CHECK(has_word[k]);
}

/* Names of sets are words of problems, not of scenes. */
TEST(names_of_sets_are_no_words_of_scenes)
{
    static const char *const shapes[] = {"ball", "brick"}, *const sets[] = {"orthant", "free", "contact"};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        CHECK(!takes(&friction_of_contact, shapes[k]) && !is_listed(TP_SCENE_FRICTION, shapes[k]));
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
        CHECK(!takes(&kind_of_law, sets[k]) && !is_listed(TP_SCENE_LAWS, sets[k]));
}

TEST_MAIN(RUNS(every_word_that_is_listed_is_accepted_by_a_scene), RUNS(every_word_that_scenes_take_is_listed),
          RUNS(every_kind_of_the_library_has_its_word_and_every_word_its_kind),
          RUNS(every_friction_set_has_a_word_and_every_word_a_set),
          RUNS(names_of_sets_are_no_words_of_scenes))
