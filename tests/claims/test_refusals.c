/* Claim: what an integrator cannot treat is refused before the first step, with the place in the scene, the
   reason and the integrators that can; docs/theory of each integrator. One line of the table for each
   feature.
 */
#include "simulations.h"

#define PARTICLE                                                                                             \
    "coordinates: [x, y]\n"                                                                                  \
    "kinetic: \"1/2*(x'^2 + y'^2)\"\n"

typedef struct refusal_case {
    const char *scene;
    const char *refused_by; /* names between commas; all others accept */
    const char *place;      /* line and column                         */
    const char *says;       /* what is there, and why it is refused    */
    const char *others;     /* integrators that can                    */
} refusal_case;

#define VELOCITY_INTEGRATORS "Integrators that treat it: moreau, moreau-jean"

static const refusal_case cases[] = {
    {PARTICLE, "", "", "", ""},
    {PARTICLE "contacts: [{name: floor, gap: y, restitution: 0.5}]\n", "", "", "", ""},
    {PARTICLE "contacts: [{name: soft, gap: y, compliance: 0.1}]\n", "", "", "", ""},
    {PARTICLE "constraints: [{name: rail, position: \"y - x\"}]\n", "", "", "", ""},
    {PARTICLE "constraints: [{name: guide, position: \"y - sin(t)^2\"}]\n", "", "", "", ""},
    {PARTICLE "contacts: [{name: lift, gap: \"y - sin(t)\"}]\n", "", "", "", ""},
    {PARTICLE "forces: {x: \"sin(t) - 0.1*x'\"}\n", "", "", "", ""},
    {PARTICLE "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.3}]\n", ",schatzman-paoli,",
     "3:31: ",
     "contact 'floor' has friction; schatzman-paoli has its laws on positions, where friction is not defined",
     VELOCITY_INTEGRATORS},
    {PARTICLE "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.3, tangential_restitution: 0.5}]\n",
     ",schatzman-paoli,", "3:31: ", "contact 'floor' has tangential restitution; schatzman-paoli",
     VELOCITY_INTEGRATORS},
    {PARTICLE "contacts: [{name: lift, gap: \"y - sin(t)\", restitution: 0.1}]\n", ",schatzman-paoli,",
     "3:31: ", "contact 'lift' depends on time and has restitution; schatzman-paoli", VELOCITY_INTEGRATORS},
    {PARTICLE "constraints: [{name: skate, velocity: \"sin(x)*x' - y'\"}]\n", ",schatzman-paoli,", "3:40: ",
     "constraint 'skate' is a law on velocities; schatzman-paoli has its laws on positions and none on "
     "velocities",
     VELOCITY_INTEGRATORS},
    {PARTICLE "laws: [{name: clutch, kind: one-way, velocity: \"x'\"}]\n", ",schatzman-paoli,",
     "3:49: ", "law 'clutch' is a law on velocities; schatzman-paoli", VELOCITY_INTEGRATORS},
    {PARTICLE "laws: [{name: brake, kind: limited, velocity: \"x'\", lower: -1, upper: 1}]\n",
     ",schatzman-paoli,", "3:48: ", "law 'brake' is a law on velocities; schatzman-paoli",
     VELOCITY_INTEGRATORS},
    {PARTICLE "laws: [{name: felt, kind: friction, velocity: \"x'\", bound: 1}]\n", ",schatzman-paoli,",
     "3:48: ", "law 'felt' is a law on velocities; schatzman-paoli", VELOCITY_INTEGRATORS},
    {"bodies: [{name: top, mass: 1, inertia: [1, 1, 1.5]}]\n", "", "", "", ""},
    {"bodies: [{name: top, mass: 1, inertia: [1, 1, 2]}]\n", ",schatzman-paoli,", "1:10: ",
     "body 'top' has its mass in a plane or on a line; schatzman-paoli makes affine bodies of rigid ones",
     VELOCITY_INTEGRATORS},
    {"bodies:\n"
     "  - {name: lift, type: moving, motion: [0, 0, \"0.1*sin(t)\"], shapes: [{type: plane}]}\n"
     "  - {name: ball, type: point, mass: 1, position: [0, 0, 1], shapes: [{type: sphere, radius: 0.1}]}\n"
     "contacts:\n"
     "  - {name: touch, between: [lift, ball], restitution: 0.5}\n",
     ",schatzman-paoli,", "5:5: ", "contact 'touch' depends on time and has restitution; schatzman-paoli",
     VELOCITY_INTEGRATORS},
    {"coordinates: [x]\nvelocities: [v]\nrates: {x: 2*v}\nmass: {\"v,v\": 3}\n", ",schatzman-paoli,",
     "3:12: ",
     "velocity 'v' is not the rate of a coordinate; schatzman-paoli takes second differences of coordinates",
     VELOCITY_INTEGRATORS},
};

static const char *const integrators[] = {"moreau", "moreau-jean", "schatzman-paoli"};
enum { INTEGRATOR_COUNT = sizeof integrators / sizeof integrators[0] };

static bool contains(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) return true;
    print_error("\"%s\" is not in \"%s\"\n", part, text);
    return false;
}

static int count_failures(const refusal_case *test, const tp_scene *scene, const char *integrator)
{
    char name[64];
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    snprintf(name, sizeof name, ",%s,", integrator);
    bool is_refused = strstr(test->refused_by, name) != NULL;
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    tp_simulation_free(simulation);
    bool ok = status == (is_refused ? TP_UNSUPPORTED : TP_OK);
    if (!ok) print_error("%s: %s: %s\n%s", integrator, tp_status_text(status), why.text, test->scene);
    if (is_refused) {
        ok = ok && strncmp(why.text, "s.yaml:", 7) == 0 && contains(why.text, test->place) &&
             contains(why.text, test->says) && contains(why.text, test->others);
    }
    return !ok;
}

TEST(every_integrator_takes_what_it_can_treat_and_says_why_not_else)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_scene *scene = scene_of(cases[i].scene);
        for (int k = 0; k < INTEGRATOR_COUNT; k++)
            failures += count_failures(&cases[i], scene, integrators[k]);
        tp_scene_free(scene);
    }
    CHECK_INT(failures, 0);
}

/* Full matrices of hundreds of bodies would take all memory: refused before any is taken. A body in space
   has 13 numbers. */
TEST(scenes_too_large_for_full_matrices_are_refused)
{
    tp_scene *scene = scene_of(
        "bodies:\n"
        "  - {repeat: {i: 154}, name: \"b{i}\", mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}\n");
    tp_message why = {""};
    tp_simulation_options options = options_of("event-driven", 1e-3, 1.0);
    tp_simulation *simulation = NULL;
    CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_UNSUPPORTED);
    CHECK(contains(why.text, "2002 coordinates and velocities"));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

static double square(void *self, double t, const double *q, const double *u)
{
    (void)self, (void)t, (void)u;
    return q[0] * q[0];
}

static void square_gradient(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                            double *d_u)
{
    (void)self, (void)t, (void)u;
    *d_t = 0.0;
    d_q[0] = 2.0 * q[0];
    d_u[0] = 0.0;
}

/* A potential of C functions without second derivatives: implicit forces need them, explicit ones do not. */
TEST(functions_without_second_derivatives_are_refused_by_integrators_that_need_them)
{
    tp_model *model = NULL;
    CHECK_INT(tp_model_create(NULL, &model), TP_OK);
    CHECK_INT(tp_model_add_coordinate(model, "x", 1.0, 0.0, "", (tp_place){0}, NULL, NULL), TP_OK);
    CHECK_INT(tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), NULL), TP_OK);
    CHECK_INT(
        tp_model_add_potential(model, (tp_function){.value = square, .gradient = square_gradient}, NULL),
        TP_OK);
    CHECK_INT(tp_model_finish(model, NULL, NULL), TP_OK);
    for (int k = 0; k < INTEGRATOR_COUNT; k++) {
        tp_simulation_options options = tp_simulation_options_default();
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        options.integrator = integrators[k];
        bool is_explicit = strcmp(options.integrator, "moreau") == 0;
        tp_status status = tp_simulation_create(NULL, model, &options, &simulation, &why);
        CHECK_INT(status, is_explicit ? TP_OK : TP_UNSUPPORTED);
        if (!is_explicit) CHECK(contains(why.text, "second derivatives"));
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

TEST_MAIN(RUNS(every_integrator_takes_what_it_can_treat_and_says_why_not_else),
          RUNS(scenes_too_large_for_full_matrices_are_refused),
          RUNS(functions_without_second_derivatives_are_refused_by_integrators_that_need_them))
