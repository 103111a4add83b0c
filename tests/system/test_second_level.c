/* The second level of laws against differences: every example, random scenes. Claims of
   docs/theory/second-level.md. */
#define _POSIX_C_SOURCE 200809L
#include "battery/random_scene.h"
#include "examples.h"
#include "second_level.h"

enum { LARGEST = 200 }; /* velocities of a scene; larger ones repeat what small ones have */

static void check_system(const char *name, tp_system *system, tp_system *given, check_random *random,
                         second_tally *drifts, second_tally *rows)
{
    second_subject s = make_second_subject(name, system);
    for (int state = 0; state < 3; state++) {
        second_choose_point(&s, given, random, state == 0 ? 0.0 : state == 1 ? 0.01 : 0.1);
        second_check_drifts(&s, drifts);
        if (state > 0) second_check_rows(&s, rows);
    }
    free_second_subject(&s);
}

/* A model, and the same with affine bodies where it has rigid ones. */
static void check_model(const char *name, const tp_model *model, check_random *random, second_tally *drifts,
                        second_tally *rows)
{
    tp_system *system = NULL;
    tp_model *realised = NULL;
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    if (tp_system_create(NULL, model, &system) != TP_OK) fail();
    if (system->u_count <= LARGEST) check_system(name, system, system, random, drifts, rows);
    if (tp_model_has_rigid_bodies(model) &&
        tp_model_realise_affine(&arena, model, &realised, NULL) == TP_OK) {
        tp_system *affine = NULL;
        if (tp_system_create(NULL, realised, &affine) != TP_OK) fail();
        if (affine->u_count <= LARGEST) check_system(name, affine, system, random, drifts, rows);
        tp_system_free(affine);
    }
    tp_system_free(system);
    tp_arena_clear(&arena);
}

static tp_scene *read_text(const char *name, const char *text)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, name, text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    return scene;
}

static void print_tally(const char *what, const second_tally *count)
{
    print_message("%s: %ld exact, %ld flagged, %ld at kinks, %ld wrong\n", what, count->exact, count->flagged,
                  count->sharp, count->wrong);
}

TEST(laws_of_the_examples_have_the_second_level_of_their_differences)
{
    example_list list = find_examples();
    check_random random = {4711};
    second_tally drifts = {0}, rows = {0};
    for (int i = 0; i < list.count; i++) {
        tp_scene *scene = read_short_example(list.name[i]);
        check_model(list.name[i], scene->model, &random, &drifts, &rows);
        tp_scene_free(scene);
    }
    print_tally("g2", &drifts);
    print_tally("derivatives of rows", &rows);
    CHECK_INT(drifts.wrong + rows.wrong, 0);
}

/* What no example has: time, quaternions, their rates and own velocities in formulas; shapes against a body
   that is moved and accelerates, with drilling and rolling resistance. */
static const char *const rare_scenes[] = {
    "coordinates: [x, y, z]\n"
    "kinetic: \"1/2*x'^2 + 1/2*y'^2 + z'^2\"\n"
    "constraints: [{name: moving rod, position: \"x^2 + y*z - sin(t)*x\"},\n"
    "              {name: knife edge, velocity: \"x'*sin(z*t) - y'*cos(z) + 0.1*t^2\"}]\n"
    "contacts: [{name: drilling, gap: \"z + 0.2*x^2 - 0.1*t^2*y\", friction: 0.3, drilling_radius: 0.01,\n"
    "            slip: [\"x' + y*z'*t\", \"y' - 0.2*t\", \"z'*cos(x)\"]}]\n"
    "laws: [{name: clutch, kind: one-way, velocity: \"x'*y - 2*y' + cos(t)\"}]\n"
    "initial: {x: 0.5, y: 0.4, z: 0.3}\nsimulate: {project_initial_state: true}\n",
    "coordinates: [x, y]\nvelocities: [v, w]\n"
    "rates: {x: \"(2 + cos(y))*v + 0.5*w*x + sin(t)\", y: \"w*cos(t) - 0.3*v*sin(x)\"}\n"
    "kinetic: \"1/2*x'^2 + 1/2*y'^2\"\n"
    "constraints: [{name: c, position: \"x*y + sin(t)*x\"}, {name: d, velocity: \"x'*y + w*x*t + v\"}]\n"
    "contacts: [{name: floor, gap: \"y + 0.3*x^2 + 2\", slip: \"x'*cos(y) - y'*x\", friction: "
    "0.3}]\nsimulate: {project_initial_state: true}\n",
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3], shapes: [{name: ball, type: "
    "sphere, radius: 0.2}]}\n"
    "  - {name: b, mass: 2, inertia: [1, 1, 1.5], position: [1, 0.2, 0.3], shapes: [{name: brick, type: box, "
    "size: [0.2, 0.3, 0.4]}]}\n"
    "  - {name: p, type: planar, mass: 2, inertia: 1, position: [0.3, 0.2], angle: 0.3}\n"
    "  - {name: m, type: moving, motion: [\"sin(t)\", \"0.1*t^2\", \"0.2*t^3\"], angle: \"0.3*t^2\",\n"
    "     axis: [0.6, 0, 0.8],\n"
    "     shapes: [{name: table, type: plane}, {name: hollow, type: inside-cylinder, radius: 3}]}\n"
    "constraints:\n"
    "  - {name: c, position: \"a.p1*a.p2*b.x + cos(t)*a.p3^2 + b.p0*b.p2 + p.phi^2 - 0.09\"}\n"
    "  - {name: d, velocity: \"a.p1'*a.p0 + a.omega.x*a.y + b.p1'*b.p3*t + b.omega.z*p.x\"}\n"
    "contacts:\n"
    "  - {name: gap, gap: \"a.z + a.p1*a.x + t^2\", slip: [\"a.v.x*a.p0 + a.p2'\", \"a.omega.y + a.y\"], "
    "friction: 0.2}\n"
    "  - {name: c1, between: [ball, table], friction: 0.3, rolling: 0.1}\n"
    "  - {name: c2, between: [ball, hollow], friction: 0.3, drilling_radius: 0.1}\n"
    "  - {name: c3, between: [ball, brick], friction: 0.3, rolling: 0.1}\n"
    "  - {name: c4, between: [brick, table], friction: 0.3}\n",
    "bodies:\n"
    "  - {name: s, type: scalable, mass: 1, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3]}\n"
    "constraints:\n"
    "  - {name: c, position: \"s.p1*s.p2*s.x + cos(t)*s.p3^2\"}\n"
    "  - {name: d, velocity: \"s.p1'*s.p0 + s.nu*s.y + s.omega.z*t\"}\nsimulate: {project_initial_state: "
    "true}\n"};

TEST(laws_with_rare_formulas_have_the_second_level_of_their_differences)
{
    check_random random = {4713};
    second_tally drifts = {0}, rows = {0};
    for (size_t i = 0; i < sizeof rare_scenes / sizeof rare_scenes[0]; i++) {
        tp_scene *scene = read_text("rare", rare_scenes[i]);
        for (int round = 0; round < 10; round++)
            check_model("rare scene", scene->model, &random, &drifts, &rows);
        tp_scene_free(scene);
    }
    print_tally("g2", &drifts);
    print_tally("derivatives of rows", &rows);
    CHECK_INT(drifts.wrong + rows.wrong, 0);
    CHECK(drifts.exact > 500 && 50 * drifts.flagged < drifts.exact);
}

TEST(laws_of_random_scenes_have_the_second_level_of_their_differences)
{
    const char *given = getenv("TIPPE_SECOND_LEVEL_COUNT");
    int scenes = given != NULL ? atoi(given) : 1008, families = random_scene_family_count();
    check_random random = {4712};
    second_tally drifts = {0}, rows = {0};
    for (int i = 0; i < scenes; i++) {
        random_scene *made = random_scene_make(i % families, (uint64_t)(i / families));
        char name[64];
        snprintf(name, sizeof name, "%s %d", made->family, i / families);
        tp_scene *scene = read_text(made->family, made->text);
        check_model(name, scene->model, &random, &drifts, &rows);
        tp_scene_free(scene);
        random_scene_free(made);
    }
    print_tally("g2", &drifts);
    print_tally("derivatives of rows", &rows);
    CHECK_INT(drifts.wrong + rows.wrong, 0);
}

TEST_MAIN(RUNS(laws_of_the_examples_have_the_second_level_of_their_differences),
          RUNS(laws_with_rare_formulas_have_the_second_level_of_their_differences),
          RUNS(laws_of_random_scenes_have_the_second_level_of_their_differences))
