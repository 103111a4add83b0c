/* Scenes become the models that their author would have built by calls. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tippe/scene.h"

/* ---- reading ------------------------------------------------------------------------------------------- */

static tp_scene *open_edited(const char *name, int edit_count, const char *const *edits)
{
    char path[1024];
    tp_scene *scene;
    tp_message why = {""};
    snprintf(path, sizeof path, "%s/tests/io/good/%s", TIPPE_SOURCE_DIR, name);
    if (tp_scene_read(NULL, path, edits, edit_count, &scene, &why) != TP_OK) fail_msg("%s", why.text);
    return scene;
}

static tp_scene *open_scene(const char *name)
{
    return open_edited(name, 0, NULL);
}

static tp_scene *open_text(const char *text)
{
    tp_scene *scene;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why) != TP_OK) {
        fail_msg("%s", why.text);
    }
    return scene;
}

/* A simulation after some steps, at most to the end. */
static tp_simulation *simulate(const tp_model *model, const tp_simulation_options *options, int steps)
{
    tp_simulation *simulation;
    tp_message why = {""};
    if (tp_simulation_create(NULL, model, options, &simulation, &why) != TP_OK) fail_msg("%s", why.text);
    for (int k = 1; k <= steps; k++) {
        double goal = fmin(k * options->time_step, options->end_time);
        if (goal <= tp_simulation_time(simulation)) break;
        if (tp_simulation_step(simulation, goal, NULL) != TP_OK)
            fail_msg("%s", tp_simulation_report(simulation)->reason);
    }
    return simulation;
}

static tp_simulation *run_scene(const tp_scene *scene, int steps)
{
    return simulate(scene->model, &scene->options, steps);
}

/* ---- the woodpecker ------------------------------------------------------------------------------------ */

static tp_message build_why;

static void try(tp_model *model, tp_status status)
{
    (void)model;
    if (status != TP_OK) fail_msg("%s", build_why.text);
}

static void add_woodpecker_contact(tp_model *model, const char *name, const char *gap, const char *slip,
                                   double restitution)
{
    tp_contact_def def = tp_contact_def_default();
    def.name = name;
    def.gap = TP_FORMULA(gap);
    def.slip[0] = TP_FORMULA(slip);
    def.slip_count = 1;
    def.friction[0] = 0.3;
    def.restitution = restitution;
    try(model, tp_model_add_contact(model, &def, NULL, &build_why));
}

/* The toy of tests/io/good/woodpecker.yaml, by calls. */
static tp_model *build_woodpecker(void)
{
    static const struct {
        const char *name;
        double value;
    } parameters[] = {{"r0", 0.0025}, {"rM", 0.0031}, {"hM", 0.0058}, {"lM", 0.010},  {"lG", 0.015},
                      {"hS", 0.02},   {"lS", 0.0201}, {"mM", 3e-4},   {"mS", 4.5e-3}, {"JM", 5e-9},
                      {"JS", 7e-7},   {"c", 5.6e-3},  {"g", 9.81}};
    const tp_place nowhere = {NULL, 0, 0};
    tp_model *model;
    assert_int_equal(tp_model_create(NULL, &model), TP_OK);
    for (size_t k = 0; k < sizeof parameters / sizeof parameters[0]; k++) {
        try(model, tp_model_add_parameter_value(model, parameters[k].name, parameters[k].value, nowhere,
                                                &build_why));
    }
    try(model, tp_model_add_coordinate(model, "y", 0.0, -0.3411, "m", nowhere, NULL, &build_why));
    try(model, tp_model_add_coordinate(model, "alpha", -0.1036, 0.0, "rad", nowhere, NULL, &build_why));
    try(model, tp_model_add_coordinate(model, "phi", -0.2788, -7.4583, "rad", nowhere, NULL, &build_why));
    try(model, tp_model_add_kinetic(model,
                                    TP_FORMULA("1/2*(mM*y'^2 + JM*alpha'^2 + mS*(y' + lM*alpha' + "
                                               "lG*phi')^2 + JS*phi'^2)"),
                                    NULL));
    try(model, tp_model_add_potential(model,
                                      TP_FORMULA("1/2*c*(phi - alpha)^2 + (mM + mS)*g*y + "
                                                 "mS*g*(lM*alpha + lG*phi)"),
                                      NULL));
    add_woodpecker_contact(model, "beak", "(lM + lG - lS - r0) - hS*phi", "y' + lM*alpha' + (lG - lS)*phi'",
                           0.5);
    add_woodpecker_contact(model, "lower", "(rM - r0) + hM*alpha", "y' + rM*alpha'", 0.0);
    add_woodpecker_contact(model, "upper", "(rM - r0) - hM*alpha", "y' + rM*alpha'", 0.0);
    try(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Claim: a scene is nothing but the calls it stands for. */
TEST(the_woodpecker_from_its_scene_moves_bit_for_bit_as_the_one_built_by_calls)
{
    enum { STEPS = 1000 };
    tp_scene *scene = open_scene("woodpecker.yaml");
    tp_model *model = build_woodpecker();
    tp_simulation_options options = tp_simulation_options_default();
    options.time_step = 1e-5;
    options.end_time = 0.5;
    tp_simulation *from_scene = run_scene(scene, STEPS), *by_calls = simulate(model, &options, STEPS);
    CHECK_INT(tp_simulation_report(from_scene)->steps, STEPS);
    CHECK(memcmp(tp_simulation_q(from_scene), tp_simulation_q(by_calls), 3 * sizeof(double)) == 0);
    CHECK(memcmp(tp_simulation_u(from_scene), tp_simulation_u(by_calls), 3 * sizeof(double)) == 0);
    CHECK(tp_simulation_q(from_scene)[0] < -1e-3); /* it has come down: something happened at all */
    CHECK(strcmp(tp_model_law_name(scene->model, 2), "upper") == 0);
    tp_simulation_free(from_scene);
    tp_simulation_free(by_calls);
    tp_model_free(model);
    tp_scene_free(scene);
}

/* ---- sections ------------------------------------------------------------------------------------------ */

TEST(what_the_file_says_of_the_scene_is_kept)
{
    tp_scene *scene = open_scene("woodpecker.yaml");
    CHECK(strcmp(scene->name, "woodpecker") == 0 && strcmp(tp_model_name(scene->model), "woodpecker") == 0);
    CHECK(strcmp(scene->about, "a toy woodpecker comes down its pole") == 0);
    CHECK(strstr(scene->path, "good/woodpecker.yaml") != NULL);
    CHECK(strcmp(scene->options.integrator, "moreau") == 0 && strcmp(scene->options.solver, "auto") == 0);
    CHECK(scene->options.time_step == 1e-5 && scene->options.end_time == 0.5);
    CHECK(scene->options.tolerance == tp_simulation_options_default().tolerance);
    CHECK(scene->output_every == 0.0);
    tp_model_summary summary = tp_model_summarise(scene->model);
    CHECK_INT(summary.coordinate_count, 3);
    CHECK_INT(summary.contact_count, 3);
    CHECK(summary.has_constant_mass && summary.is_autonomous);
    tp_scene_free(scene);
}

TEST(numbers_may_be_formulas_of_parameters_in_any_section_and_in_any_order)
{
    tp_scene *scene = open_scene("coordinates.yaml");
    CHECK(scene->options.time_step == 0.25 && scene->options.end_time == 0.75);
    CHECK(scene->output_every == 0.5);
    CHECK(strcmp(scene->name, "scene") == 0 && scene->about[0] == '\0');
    tp_simulation *simulation = run_scene(scene, 0);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    CHECK(q[0] == 2.0 && q[1] == 8.0 && u[0] == -4.0 && u[1] == 0.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* The sleigh without torque keeps both velocities: the gyroscopic forces of the moving frame are given. */
TEST(a_scene_may_have_velocities_of_its_own)
{
    tp_scene *scene = open_scene("velocities.yaml");
    tp_model_summary summary = tp_model_summarise(scene->model);
    CHECK_INT(summary.velocity_count, 3);
    CHECK_INT(summary.degrees_of_freedom, 2);
    tp_simulation *simulation = run_scene(scene, 10);
    const double *u = tp_simulation_u(simulation);
    CHECK_NEAR(u[0], 1.0, 1e-14);
    CHECK_NEAR(u[1], 0.0, 1e-14);
    CHECK_NEAR(u[2], 0.5, 1e-14);
    CHECK_NEAR(tp_simulation_q(simulation)[2], 0.05, 1e-15);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(definitions_are_known_to_formulas_and_sensors)
{
    tp_scene *scene = open_scene("definitions.yaml");
    tp_simulation *simulation = run_scene(scene, 0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 0), -0.5 * cos(1.0), 1e-16);
    CHECK_NEAR(tp_simulation_sensor(simulation, 1), -9.81 * 0.5 * cos(1.0), 2e-15);
    CHECK_NEAR(tp_simulation_sensor(simulation, 1), tp_simulation_last_step(simulation)->energy, 2e-15);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(a_mass_matrix_by_rows_and_by_names_is_the_same)
{
    tp_scene *by_rows = open_scene("mass-rows.yaml"), *by_names = open_scene("mass-names.yaml");
    tp_simulation *a = run_scene(by_rows, 10), *b = run_scene(by_names, 10);
    /* T = 1/2 (a + x^2) x'^2 + (a/2) x' y' + y'^2 at x = x' = 1, y' = 0 */
    CHECK_NEAR(tp_simulation_report(a)->energy_initial, 0.5 * 4.0 + 0.5, 1e-15);
    CHECK(memcmp(tp_simulation_q(a), tp_simulation_q(b), 2 * sizeof(double)) == 0);
    CHECK(tp_simulation_report(a)->energy_final < tp_simulation_report(a)->energy_initial);
    tp_simulation_free(a);
    tp_simulation_free(b);
    tp_scene_free(by_rows);
    tp_scene_free(by_names);
}

/* One explicit step from rest: u = dt M^-1 (f - K q) with forces at the middle of the step. */
TEST(matrices_and_a_list_of_forces_make_a_linear_system)
{
    tp_scene *scene = open_scene("linear.yaml");
    tp_simulation *simulation = run_scene(scene, 1);
    const double *u = tp_simulation_u(simulation), dt = 1e-3;
    CHECK_NEAR(u[0], dt * (-200.0 * 0.1 + sin(0.5 * dt) + 1.0), 1e-16);
    CHECK_NEAR(u[1], dt * (100.0 * 0.1) / 2.0, 1e-16);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(a_start_off_the_constraints_is_moved_onto_them_if_asked_for)
{
    tp_scene *scene = open_scene("constraints.yaml");
    tp_simulation *simulation = run_scene(scene, 0);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    CHECK_NEAR(hypot(q[0], q[1]), 1.0, 1e-15);
    CHECK_NEAR(q[0] * u[0] + q[1] * u[1], 0.0, 1e-15);
    CHECK_INT(tp_model_summarise(scene->model).degrees_of_freedom, 1);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* The body that slides and spins of contacts.yaml on one floor of the given kind, after one step: end
   velocities (along x, along y, Rbar times spin) and impulses of the floor, divided by mu m g dt. */
static void slide_on(const char *floor, double *gamma_out, double *P_out)
{
    char edit[300];
    snprintf(edit, sizeof edit, "contacts=[{name: floor, gap: z, %s}]", floor);
    const char *edits[] = {edit};
    tp_scene *scene = open_edited("contacts.yaml", 1, edits);
    tp_simulation *simulation = run_scene(scene, 1);
    double impulse[TP_IMPULSE_ROWS] = {0.0};
    const double *u = tp_simulation_u(simulation);
    int rows = tp_simulation_last_impulse(simulation, 0, impulse);
    assert_true(fabs(impulse[0] - 9.81e-3) < 1e-14);
    for (int k = 1; k < 4; k++) P_out[k - 1] = k < rows ? impulse[k] / (0.2 * impulse[0]) : 0.0;
    gamma_out[0] = u[0];
    gamma_out[1] = u[1];
    gamma_out[2] = 1e-3 * u[3];
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Claim: -gamma is normal to the set at P; the impulse of most power. Tolerance: that of the solver,
   1e-12, times the condition of normalising gamma, here below 100. */
TEST(each_shape_of_friction_is_the_set_of_its_name)
{
    static const char drilling[] = "slip: [sx, sy, spin], friction: mu, drilling_radius: R";
    const double tolerance = 1e-10;
    double v[3], P[3], length;
    char floor[200];
    slide_on("slip: sx, friction: mu", v, P);
    CHECK_NEAR(P[0], -1.0, tolerance);
    slide_on("slip: [sx, sy], friction: mu", v, P);
    length = hypot(v[0], v[1]);
    CHECK_NEAR(P[0], -v[0] / length, tolerance);
    CHECK_NEAR(P[1], -v[1] / length, tolerance);
    slide_on("slip: [sx, sy], friction: [mu, mu/2], shape: ellipse", v, P);
    length = hypot(v[0], 0.5 * v[1]);
    CHECK_NEAR(P[0], -v[0] / length, tolerance);
    CHECK_NEAR(P[1], -0.25 * v[1] / length, tolerance);
    slide_on("slip: [sx, sy], friction: [mu, mu/2], shape: box", v, P);
    CHECK_NEAR(P[0], -1.0, tolerance);
    CHECK_NEAR(P[1], -0.5, tolerance);
    for (int k = 0; k < 2; k++) {
        snprintf(floor, sizeof floor, "%s, shape: %s", drilling, k == 0 ? "disc" : "ellipsoid");
        slide_on(floor, v, P);
        length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int i = 0; i < 3; i++) CHECK_NEAR(P[i], -v[i] / length, tolerance);
    }
    snprintf(floor, sizeof floor, "%s, shape: cylinder", drilling);
    slide_on(floor, v, P);
    CHECK_NEAR(P[0], -v[0] / hypot(v[0], v[1]), tolerance);
    CHECK_NEAR(P[2], -1.0, tolerance);
    snprintf(floor, sizeof floor, "%s, shape: contensou", drilling);
    slide_on(floor, v, P); /* fast sliding takes the drilling torque away */
    CHECK_NEAR(P[0] / P[1], v[0] / v[1], tolerance);
    CHECK(hypot(P[0], P[1]) > 0.99 && P[2] < 0.0 && P[2] > -0.1);
}

/* Ten floors in the same place: only their sum is determined. */
TEST(contacts_of_all_shapes_stand_in_one_scene)
{
    tp_scene *scene = open_scene("contacts.yaml");
    CHECK_INT(tp_model_summarise(scene->model).contact_count, 9); /* a spring is a force, not a law */
    tp_simulation *simulation = run_scene(scene, 10);
    static const int rows[] = {1, 2, 3, 3, 3, 4, 4, 4, 4};
    double impulse[TP_IMPULSE_ROWS], normal = 0.0;
    for (int k = 0; k < 9; k++) {
        CHECK_INT(tp_simulation_last_impulse(simulation, k, impulse), rows[k]);
        normal += impulse[0];
    }
    CHECK_NEAR(normal, 9.81 * 1e-3, 1e-11); /* m g dt, up to the tolerance of the solver and the spring */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* The clutch holds a against its force of 1 N: the brakes alone would not need to. */
TEST(laws_of_all_kinds_are_read)
{
    tp_scene *scene = open_scene("laws.yaml");
    CHECK_INT(tp_model_summarise(scene->model).law_count, 6);
    tp_simulation *simulation = run_scene(scene, 10);
    const double *u = tp_simulation_u(simulation);
    double motor[4];
    CHECK_INT(tp_simulation_last_impulse(simulation, 5, motor), 1);
    CHECK(u[0] > -1e-12);                    /* one way                                              */
    CHECK(u[1] < 1.0 && u[1] > 0.9);         /* dry friction brakes b                                */
    CHECK_NEAR(motor[0], 2.0 * 1e-3, 1e-15); /* c is slower than 1 m/s: the motor pulls with all it has */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(sensors_and_all_options_are_read)
{
    tp_scene *scene = open_scene("sensors.yaml");
    CHECK(strcmp(tp_model_sensor_name(scene->model, 0), "place in mm") == 0);
    CHECK(strcmp(scene->options.solver, "projected-gauss-seidel") == 0);
    CHECK(scene->options.tolerance == 1e-10 && scene->options.contact_tolerance == 1e-6);
    CHECK_INT(scene->options.max_iterations, 50);
    CHECK(scene->options.accept_unconverged);
    tp_simulation *simulation = run_scene(scene, 2);
    CHECK(tp_simulation_time(simulation) == 1.0);
    CHECK_NEAR(tp_simulation_sensor(simulation, 0), 5000.0, 1e-12);
    CHECK_NEAR(tp_simulation_sensor(simulation, 1), 3.0, 0.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(json_is_a_scene_too)
{
    tp_scene *scene = open_scene("scene.json");
    tp_simulation *simulation = run_scene(scene, 10);
    CHECK_NEAR(tp_simulation_q(simulation)[0], 1e-3, 1e-18);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Constraints that hold take part too; left out, the start would creep along between the two. What is lost
   without them where they contradict each other shows bad/model-contradictory-constraints.yaml. */
TEST(a_constraint_that_holds_is_kept_while_the_start_is_moved)
{
    tp_scene *scene =
        open_text("coordinates: [x, y]\nkinetic: \"x'^2 + y'^2\"\n"
                  "constraints:\n  - {name: a, position: x}\n  - {name: b, position: y - x - 1}\n"
                  "simulate: {project_initial_state: true}\n");
    tp_simulation *simulation = run_scene(scene, 0);
    CHECK_NEAR(tp_simulation_q(simulation)[0], 0.0, 1e-15);
    CHECK_NEAR(tp_simulation_q(simulation)[1], 1.0, 1e-15);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(a_redundant_constraint_is_no_error)
{
    tp_scene *scene = open_text("coordinates: [x, y]\nkinetic: \"x'^2 + y'^2\"\n"
                                "constraints:\n  - {name: a, position: x}\n  - {name: b, position: 2*x}\n");
    tp_model_summary summary = tp_model_summarise(scene->model);
    CHECK_INT(summary.constraint_count, 2);
    CHECK_INT(summary.constraint_rank, 1);
    CHECK_INT(summary.degrees_of_freedom, 1);
    tp_scene_free(scene);
}

/* ---- edits, text, template ----------------------------------------------------------------------------- */

/* A solver for one contact is refused before the first step where there are more. */
TEST(a_solver_that_cannot_solve_the_scene_is_refused)
{
    const char *edits[] = {"simulate.solver=quartic"};
    tp_scene *scene = open_edited("woodpecker.yaml", 1, edits);
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    CHECK(strcmp(scene->options.solver, "quartic") == 0);
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why), TP_UNSUPPORTED);
    CHECK(strstr(why.text, "at most 1 contact") != NULL);
    tp_scene_free(scene);
}

TEST(edits_change_what_is_there_and_add_what_is_known)
{
    const char *edits[] = {"parameters.g=1.62",
                           "contacts.beak.restitution=0.25",
                           "initial.y'=0",
                           "initial.alpha'=0.5",
                           "simulate.dt=2e-5",
                           "output.every=0.01",
                           "simulate.solver=enumeration",
                           "contacts[1].friction=g/10"};
    tp_scene *scene = open_edited("woodpecker.yaml", 8, edits);
    tp_simulation *simulation = run_scene(scene, 0);
    CHECK(tp_simulation_u(simulation)[0] == 0.0 && tp_simulation_u(simulation)[1] == 0.5);
    CHECK(scene->options.time_step == 2e-5 && scene->output_every == 0.01);
    CHECK(strcmp(scene->options.solver, "enumeration") == 0);
    CHECK(strstr(scene->text, "1.62") != NULL);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(initial_values_may_be_added_where_the_scene_has_none)
{
    const char *edits[] = {"initial.w=2", "initial.x=1"};
    tp_scene *scene = open_edited("velocities.yaml", 2, edits);
    tp_simulation *simulation = run_scene(scene, 0);
    CHECK(tp_simulation_u(simulation)[2] == 2.0 && tp_simulation_q(simulation)[0] == 1.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

TEST(wrong_edits_are_told)
{
    static const char *const wrong[][2] = {
        {"parameters.gee=1", "--set parameters.gee=1: parameters has no key 'gee'"},
        {"initial.z=1", "--set initial.z=1: initial has no key 'z'"},
        {"contacts.beek.friction=1", "no item named 'beek'; did you mean 'beak'?"},
        {"contacts.beak.friction=-1", "--set:1:1: contacts.beak.friction: -1 is out of range"},
        {"parameters.g=m", "--set:1:1: unknown name \"m\""},
        {"simulate.dt=0", "--set:1:1: simulate.dt: 0 is out of range"},
        {"simulate.integrator=moraeu", "there is no integrator 'moraeu'; did you mean 'moreau'?"},
        {"coordinates=[]", "--set:1:1: coordinates: found an empty list"},
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/io/good/woodpecker.yaml", TIPPE_SOURCE_DIR);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        tp_scene *scene;
        tp_message why = {""};
        tp_status status = tp_scene_read(NULL, path, &wrong[k][0], 1, &scene, &why);
        if (status != TP_INVALID_DATA || !strstr(why.text, wrong[k][1])) {
            print_error("%s -> %s\n", wrong[k][0], why.text);
        }
        CHECK(status == TP_INVALID_DATA && strstr(why.text, wrong[k][1]) && scene == NULL);
    }
}

TEST(the_canonical_text_reads_back_as_the_same_scene)
{
    static const char *const names[] = {"woodpecker.yaml", "velocities.yaml", "contacts.yaml", "laws.yaml",
                                        "mass-names.yaml"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        tp_scene *scene = open_scene(names[k]), *again = open_text(scene->text);
        CHECK(strcmp(scene->text, again->text) == 0);
        tp_simulation *a = run_scene(scene, 5), *b = run_scene(again, 5);
        size_t bytes = (size_t)tp_model_summarise(scene->model).coordinate_count * sizeof(double);
        CHECK(memcmp(tp_simulation_q(a), tp_simulation_q(b), bytes) == 0);
        tp_simulation_free(a);
        tp_simulation_free(b);
        tp_scene_free(scene);
        tp_scene_free(again);
    }
}

/* The block goes up v^2/(2 g (sin + mu cos)), and comes back since tan 30 degrees > 0.3. */
TEST(the_template_runs_and_does_what_it_says)
{
    tp_scene *scene = open_text(tp_scene_template());
    CHECK(scene->output_every == 0.01);
    tp_simulation *simulation = run_scene(scene, 0);
    const double g = 9.81, mu = 0.3, slope = 0.52359877559829887, dt = 1e-3, v = 2.0;
    double highest = 0.0, deceleration = g * (sin(slope) + mu * cos(slope));
    while (tp_simulation_time(simulation) < 2.0 - 1e-9) {
        CHECK_INT(tp_simulation_step(simulation, tp_simulation_time(simulation) + dt, NULL), TP_OK);
        highest = fmax(highest, tp_simulation_q(simulation)[0]);
    }
    CHECK_NEAR(highest, 0.1 + v * v / (2.0 * deceleration), v * dt); /* the way of one step */
    CHECK_NEAR(tp_simulation_q(simulation)[0], 0.0, 1e-3);           /* at the stop */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- memory and files ---------------------------------------------------------------------------------- */

TEST(a_file_that_is_not_there_is_a_file_error)
{
    tp_scene *scene;
    tp_message why = {""};
    CHECK_INT(tp_scene_read(NULL, "no/such/scene.yaml", NULL, 0, &scene, &why), TP_FILE_ERROR);
    CHECK(scene == NULL && strstr(why.text, "no/such/scene.yaml") != NULL);
    tp_scene_free(NULL);
}

/* An allocator that fails after a while and counts what is not given back. */
typedef struct limited {
    int left, open;
} limited;

static void *take(void *context, size_t bytes)
{
    limited *memory = context;
    if (memory->left-- <= 0) return NULL;
    void *piece = malloc(bytes);
    memory->open += piece != NULL;
    return piece;
}

static void give_back(void *context, void *piece)
{
    limited *memory = context;
    memory->open -= piece != NULL;
    free(piece);
}

TEST(memory_that_runs_out_anywhere_is_told_and_nothing_leaks)
{
    tp_scene *whole = open_scene("contacts.yaml");
    int limit = 0;
    tp_status status = TP_OUT_OF_MEMORY;
    for (; status == TP_OUT_OF_MEMORY && limit < 100000; limit += 1 + limit / 50) {
        limited memory = {limit, 0};
        const tp_allocator allocator = {&memory, take, give_back};
        tp_scene *scene;
        tp_message why = {""};
        status = tp_scene_read_memory(&allocator, "s.yaml", whole->text, strlen(whole->text), NULL, 0, &scene,
                                      &why);
        if (status != TP_OK && status != TP_OUT_OF_MEMORY) print_error("limit %d: %s\n", limit, why.text);
        CHECK(status == TP_OK || (status == TP_OUT_OF_MEMORY && why.text[0] && scene == NULL));
        if (status == TP_OK) tp_scene_free(scene);
        CHECK_INT(memory.open, 0);
    }
    CHECK(status == TP_OK && limit > 10);
    tp_scene_free(whole);
}

/* An allocator that keeps the size of each piece in front of it. */
typedef struct measured {
    size_t now, most;
} measured;

enum { SIZE_ROOM = 64 };

static void *take_measured(void *context, size_t bytes)
{
    measured *memory = context;
    unsigned char *piece = malloc(bytes + SIZE_ROOM);
    if (piece == NULL) return NULL;
    memcpy(piece, &bytes, sizeof bytes);
    memory->now += bytes;
    if (memory->now > memory->most) memory->most = memory->now;
    return piece + SIZE_ROOM;
}

static void give_back_measured(void *context, void *piece)
{
    measured *memory = context;
    size_t bytes;
    if (piece == NULL) return;
    memcpy(&bytes, (unsigned char *)piece - SIZE_ROOM, sizeof bytes);
    memory->now -= bytes;
    free((unsigned char *)piece - SIZE_ROOM);
}

/* Bytes in use after two steps of spheres in free flight, all of which may touch. */
static size_t bytes_of_flight(int spheres)
{
    char text[1024];
    measured memory = {0, 0};
    const tp_allocator allocator = {&memory, take_measured, give_back_measured};
    tp_scene *scene;
    tp_simulation *simulation;
    tp_message why = {""};
    snprintf(text, sizeof text,
             "bodies:\n  - {repeat: {i: %d}, name: \"ball{i}\", mass: 1, position: [0.3*i, 0, 0],\n"
             "     shapes: [{type: sphere, radius: 0.1}]}\n"
             "contacts: [{name: c, among: all, friction: 0.4}]\n"
             "simulate: {integrator: moreau, dt: 1e-3, until: 1}\n",
             spheres);
    if (tp_scene_read_memory(&allocator, "s.yaml", text, strlen(text), NULL, 0, &scene, &why) != TP_OK ||
        tp_simulation_create(&allocator, scene->model, &scene->options, &simulation, &why) != TP_OK)
        fail_msg("%s", why.text);
    for (int k = 1; k <= 2; k++)
        if (tp_simulation_step(simulation, 1e-3 * k, &why) != TP_OK) fail_msg("%s", why.text);
    size_t bytes = memory.now;
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return bytes;
}

/* Memory grows with bodies, not with pairs: 10 kB for each, and 10 MB beside them. Scratch memory and lists
   grow by doubling: at most twice as much. Nodes of the tree alone were 3 kB, names 2 kB. */
TEST(spheres_take_ten_kilobytes_each_however_many_there_are)
{
    size_t few = bytes_of_flight(1000), many = bytes_of_flight(5000);
    print_message("%zu and %zu bytes\n", few, many);
    CHECK(few <= 20000000u);
    CHECK(many - few <= 4000u * 10000u);
}

/* Names of variables of bodies are not entered but found by their parts; those of bodies may have dots. */
TEST(formulas_know_the_variables_of_bodies_by_their_parts)
{
    tp_scene *scene =
        open_text("bodies: [{name: arm.tip, mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}, {name: arm, "
                  "mass: 1, inertia: [1, 1, 1]}]\n"
                  "sensors: [{name: s, value: \"arm.tip.x + arm.tip.z' + arm.tip.omega.x + arm.y\"}]\n"
                  "simulate: {until: 1}\n");
    tp_scene_free(scene);
    static const char *const wrong[][2] = {
        {"sensors: [{name: s, value: arm.tip.xx}]", "did you mean \"arm.tip.x\""},
        {"sensors: [{name: s, value: arm.v}]", "unknown name \"arm.v\""},
        {"parameters: {arm.tip.x: 1}", "is defined twice"}};
    for (int k = 0; k < 3; k++) {
        char text[512];
        tp_scene *none;
        tp_message why = {""};
        snprintf(text, sizeof text,
                 "bodies: [{name: arm.tip, mass: 1, inertia: [1, 1, 1]}]\n%s\nsimulate: {until: 1}\n",
                 wrong[k][0]);
        CHECK_INT(tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &none, &why),
                  TP_INVALID_DATA);
        if (strstr(why.text, wrong[k][1]) == NULL) fail_msg("%s", why.text);
    }
}

TEST_MAIN(RUNS(the_woodpecker_from_its_scene_moves_bit_for_bit_as_the_one_built_by_calls),
          RUNS(what_the_file_says_of_the_scene_is_kept),
          RUNS(numbers_may_be_formulas_of_parameters_in_any_section_and_in_any_order),
          RUNS(a_scene_may_have_velocities_of_its_own), RUNS(definitions_are_known_to_formulas_and_sensors),
          RUNS(a_mass_matrix_by_rows_and_by_names_is_the_same),
          RUNS(matrices_and_a_list_of_forces_make_a_linear_system),
          RUNS(a_start_off_the_constraints_is_moved_onto_them_if_asked_for),
          RUNS(each_shape_of_friction_is_the_set_of_its_name),
          RUNS(contacts_of_all_shapes_stand_in_one_scene), RUNS(laws_of_all_kinds_are_read),
          RUNS(sensors_and_all_options_are_read), RUNS(json_is_a_scene_too),
          RUNS(a_constraint_that_holds_is_kept_while_the_start_is_moved),
          RUNS(a_redundant_constraint_is_no_error), RUNS(a_solver_that_cannot_solve_the_scene_is_refused),
          RUNS(edits_change_what_is_there_and_add_what_is_known),
          RUNS(initial_values_may_be_added_where_the_scene_has_none), RUNS(wrong_edits_are_told),
          RUNS(the_canonical_text_reads_back_as_the_same_scene),
          RUNS(the_template_runs_and_does_what_it_says), RUNS(a_file_that_is_not_there_is_a_file_error),
          RUNS(memory_that_runs_out_anywhere_is_told_and_nothing_leaks),
          RUNS(spheres_take_ten_kilobytes_each_however_many_there_are),
          RUNS(formulas_know_the_variables_of_bodies_by_their_parts))
