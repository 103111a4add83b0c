/* The second level of laws against differences: every example, random scenes. Claims of
   docs/theory/second-level.md. */
#define _POSIX_C_SOURCE 200809L
#include "battery/random_scene.h"
#include "examples.h"
#include "second_level.h"

#ifndef SECOND_LEVEL_SCENES
#define SECOND_LEVEL_SCENES 252 /* random ones; tests/long has 1,008 */
#endif

#ifndef SECOND_LEVEL_LARGEST
#define SECOND_LEVEL_LARGEST 60 /* velocities of an example; larger ones repeat what small ones have */
#endif

/* d(M a)/dq against differences of M a; a dense matrix of both. */
static void check_mass_jacobian(second_subject *s)
{
    tp_system *system = s->system;
    int n = system->u_count, m = system->general_u;
    const tp_sparse *mass = &system->mass_pattern, *wide = &system->jacobian_pattern;
    double *x = second_take((size_t)n, sizeof(double)), *near = second_take((size_t)n, sizeof(double)),
           *M = second_take((size_t)tp_sparse_count(mass), sizeof(double)),
           *found = second_take((size_t)tp_sparse_count(wide), sizeof(double));
    if (!tp_system_add_mass_jacobian(system, s->u, found)) fail();
    for (int j = 0; j < m; j++) {
        static const double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
        memset(x, 0, (size_t)n * sizeof(double));
        memset(near, 0, (size_t)n * sizeof(double));
        x[j] = 1.0;
        for (int e = 0; e < 4; e++) {
            second_move_along(s, x, offset[e] * second_step);
            tp_system_mass(system, M);
            for (int c = 0; c < n; c++) {
                for (int k = mass->start[c]; k < mass->start[c + 1]; k++)
                    near[mass->index[k]] += weight[e] * M[k] * s->u[c] / (12.0 * second_step);
            }
        }
        for (int i = 0; i < m; i++) {
            double is = found[tp_pattern_place(wide, i, j)];
            if (!(fabs(is - near[i]) <= second_tolerance * fmax(1.0, fabs(near[i]))))
                fail_msg("%s: d(M a)/dq [%d, %d] = %.10g, differences %.10g", s->name, i, j, is, near[i]);
        }
    }
    tp_system_move(system, s->t, s->q, s->u);
    free(x);
    free(near);
    free(M);
    free(found);
}

static void check_system(const char *name, tp_system *system, tp_system *given, check_random *random,
                         second_tally *counts)
{
    second_subject s = make_second_subject(name, system);
    for (int state = 0; state < 3; state++) {
        second_choose_point(&s, given, random, state == 0 ? 0.0 : state == 1 ? 0.01 : 0.1);
        if (state > 0 && second_count_wrong_rates(&s) > 0) fail();
        second_check_drifts(&s, &counts[0]);
        if (state == 0) continue;
        second_check_rows(&s, &counts[1]);
        second_check_jacobians(&s, &counts[2]);
        if (system == given) check_mass_jacobian(&s);
    }
    free_second_subject(&s);
}

/* A model, and the same with affine bodies where it has rigid ones. */
static void check_model(const char *name, const tp_model *model, check_random *random, second_tally *counts)
{
    tp_system *system = NULL;
    tp_model *realised = NULL;
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    if (tp_system_create(NULL, model, &system) != TP_OK) fail();
    if (system->u_count <= SECOND_LEVEL_LARGEST) check_system(name, system, system, random, counts);
    if (tp_model_has_rigid_bodies(model) &&
        tp_model_realise_affine(&arena, model, &realised, NULL) == TP_OK) {
        tp_system *affine = NULL;
        if (tp_system_create(NULL, realised, &affine) != TP_OK) fail();
        if (affine->u_count <= SECOND_LEVEL_LARGEST) check_system(name, affine, system, random, counts);
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

static void print_tallies(const second_tally *counts)
{
    static const char *const names[] = {"g2", "derivatives of rows", "derivatives of g2"};
    for (int k = 0; k < 3; k++)
        print_message("%s: %ld exact, %ld flagged, %ld at kinks, %ld wrong\n", names[k], counts[k].exact,
                      counts[k].flagged, counts[k].sharp, counts[k].wrong);
}

TEST(laws_of_the_examples_have_the_second_level_of_their_differences)
{
    example_list list = find_examples();
    check_random random = {4711};
    second_tally counts[3] = {{0}};
    for (int i = 0; i < list.count; i++) {
        tp_scene *scene = read_short_example(list.name[i]);
        check_model(list.name[i], scene->model, &random, counts);
        tp_scene_free(scene);
    }
    print_tallies(counts);
    CHECK_INT(counts[0].wrong + counts[1].wrong + counts[2].wrong, 0);
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
    "coordinates: [x, y, z]\n"
    "kinetic: \"1/2*(2 + sin(x)*cos(t))*x'^2 + 1/2*(x' + y*z' + 0.3*sin(t))^2 + 1/2*y'^2*(1 + z^2) + z'^2\"\n"
    "mass: {\"x,x\": \"1 + y^2\", \"x,z\": \"0.2*cos(y + t)\", \"y,y\": 2}\n",
    "coordinates: [x, y]\nvelocities: [v, w]\n"
    "rates: {x: \"(2 + cos(y))*v + 0.5*w*x + sin(t)\", y: \"w*cos(t) - 0.3*v*sin(x)\"}\n"
    "kinetic: [\"1/2*x'^2*(1 + y^2) + 1/2*y'^2\", \"1/2*v^2*(2 + x*y) + w*v*sin(x)*0.1\"]\n"
    "mass: {\"v,w\": \"0.1*x\"}\n",
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
    second_tally counts[3] = {{0}};
    for (size_t i = 0; i < sizeof rare_scenes / sizeof rare_scenes[0]; i++) {
        tp_scene *scene = read_text("rare", rare_scenes[i]);
        for (int round = 0; round < 10; round++) check_model("rare scene", scene->model, &random, counts);
        tp_scene_free(scene);
    }
    print_tallies(counts);
    CHECK_INT(counts[0].wrong + counts[1].wrong + counts[2].wrong, 0);
    CHECK(counts[0].exact > 500 && 50 * counts[0].flagged < counts[0].exact);
}

TEST(laws_of_random_scenes_have_the_second_level_of_their_differences)
{
    const char *given = getenv("TIPPE_SECOND_LEVEL_COUNT");
    int scenes = given != NULL ? atoi(given) : SECOND_LEVEL_SCENES, families = random_scene_family_count();
    check_random random = {4712};
    second_tally counts[3] = {{0}};
    for (int i = 0; i < scenes; i++) {
        random_scene *made = random_scene_make(i % families, (uint64_t)(i / families));
        char name[64];
        snprintf(name, sizeof name, "%s %d", made->family, i / families);
        tp_scene *scene = read_text(made->family, made->text);
        check_model(name, scene->model, &random, counts);
        tp_scene_free(scene);
        random_scene_free(made);
    }
    print_tallies(counts);
    CHECK_INT(counts[0].wrong + counts[1].wrong + counts[2].wrong, 0);
}

TEST_MAIN(RUNS(laws_of_the_examples_have_the_second_level_of_their_differences),
          RUNS(laws_with_rare_formulas_have_the_second_level_of_their_differences),
          RUNS(laws_of_random_scenes_have_the_second_level_of_their_differences))
