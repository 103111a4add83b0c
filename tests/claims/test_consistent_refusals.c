/* Claim: the energy-consistent integrators refuse what their table says, with the place, the reason and the
   integrators that can; docs/theory/consistent.md. And say so where they promise less. */
#include "simulations.h"

#define PARTICLE                                                                                             \
    "coordinates: [x, y]\n"                                                                                  \
    "kinetic: \"1/2*(x'^2 + y'^2)\"\n"

enum { POSITION = 1, BOTH = 2, ELASTIC = 4, TWO_STEP = 8, HYBRID = 16, QUATERNION = 32, QUATERNION_TWO = 64 };
enum { JOINTS = POSITION | BOTH, ALL = 127 };

static const char *const names[] = {
    "consistent-position",           "consistent",        "consistent-elastic",
    "consistent-two-step",           "consistent-hybrid", "consistent-quaternion",
    "consistent-quaternion-two-step"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

typedef struct refusal_case {
    const char *scene;
    int refused_by;
    const char *says; /* of the first that refuses */
} refusal_case;

static const refusal_case cases[] = {
    {PARTICLE, 0, ""},
    {PARTICLE "constraints: [{name: rail, position: \"y - x\"}]\n", 0, ""},
    {PARTICLE "forces: {x: \"sin(t) - 0.1*x'\"}\n", 0, ""},
    {PARTICLE "contacts: [{name: soft, gap: y, compliance: 0.1}]\n", 0, ""},
    {PARTICLE "contacts: [{name: floor, gap: y, restitution: 1}]\n", JOINTS,
     "contact 'floor' is unilateral; consistent-position has joints alone"},
    {PARTICLE "contacts: [{name: floor, gap: y, restitution: 0.5}]\n", JOINTS | ELASTIC,
     "contact 'floor' is unilateral"},
    {PARTICLE "contacts: [{name: floor, gap: y, restitution: 1, slip: \"x'\", friction: 0.3}]\n",
     JOINTS | ELASTIC, "contact 'floor' is unilateral"},
    {PARTICLE "constraints: [{name: skate, velocity: \"sin(x)*x' - y'\"}]\n", JOINTS | ELASTIC,
     "constraint 'skate' is a law on velocities; consistent-position holds joints on positions"},
    {PARTICLE "laws: [{name: brake, kind: limited, velocity: \"x'\", lower: -1, upper: 1}]\n",
     JOINTS | ELASTIC, "law 'brake' is a law on velocities"},
    {PARTICLE "constraints: [{name: guide, position: \"y - sin(t)^2\"}]\n", ALL,
     "constraint 'guide' depends on time or an input, or has a velocity of its own; consistent-position "
     "balances "
     "energies"},
    {PARTICLE "laws: [{name: belt, kind: friction, velocity: \"x' - 1\", bound: 1}]\n", ALL,
     "law 'belt' is a law on velocities"},
    {PARTICLE "potential: \"x*sin(t)\"\n", ALL, "energy 'potential' depends on time; consistent-position"},
    {"coordinates: [x]\nkinetic: \"1/2*(1 + x^2)*x'^2\"\n", POSITION | ELASTIC | QUATERNION | QUATERNION_TWO,
     "inertia 'M(q)' is not constant; consistent-position needs a constant mass matrix"},
    {"bodies: [{name: top, mass: 1, inertia: [1, 1, 2]}]\n", POSITION,
     "body 'top' has its mass in a plane or on a line; consistent-position makes affine bodies"},
    {"bodies: [{name: top, mass: 1, inertia: [1, 1, 1.5]}]\n", 0, ""},
    {"coordinates: [x]\nvelocities: [v]\nrates: {x: 2*v}\nmass: {\"v,v\": 3}\n", ALL,
     "velocity 'v' is not the rate of a coordinate; consistent-position takes differences of coordinates"},
};

TEST(every_scheme_takes_what_it_can_treat_and_says_why_not_else)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_scene *scene = scene_of(cases[i].scene);
        bool is_first = true;
        for (int k = 0; k < NAME_COUNT; k++) {
            tp_simulation_options options = scene->options;
            tp_simulation *simulation = NULL;
            tp_message why = {""};
            bool is_refused = (cases[i].refused_by >> k & 1) != 0;
            options.integrator = names[k];
            tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
            tp_simulation_free(simulation);
            if ((status == TP_UNSUPPORTED) != is_refused)
                print_error("%s: %s\n%s", names[k], why.text, cases[i].scene);
            CHECK_INT(status, is_refused ? TP_UNSUPPORTED : TP_OK);
            if (!is_refused) continue;
            CHECK(strncmp(why.text, "s.yaml:", 7) == 0 &&
                  strstr(why.text, "Integrators that treat it: moreau"));
            if (is_first && strstr(why.text, cases[i].says) == NULL)
                fail_msg("\"%s\" is not in \"%s\"", cases[i].says, why.text);
            is_first = false;
        }
        tp_scene_free(scene);
    }
}

/* What consistent-elastic says of friction does not send anyone to schemes without contacts. */
TEST(schemes_without_contacts_are_not_named_as_a_way_out)
{
    static const char *const scenes[] = {
        PARTICLE "contacts: [{name: floor, gap: y, restitution: 1, slip: \"x'\", friction: 0.3}]\n",
        PARTICLE "contacts: [{name: floor, gap: y, restitution: 0.5}]\n"};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(scenes[k]);
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        scene->options.integrator = "consistent-elastic";
        CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why),
                  TP_UNSUPPORTED);
        CHECK(strstr(why.text, "consistent-two-step") != NULL);
        CHECK(strstr(why.text, "consistent-position") == NULL && strstr(why.text, "consistent,") == NULL);
        tp_scene_free(scene);
    }
}

/* The lowest point of a rim changes its place; corners and balls are points of the body. */
TEST(contacts_of_shapes_with_kinks_are_warned_about)
{
    static const char *const shapes[] = {"{type: cylinder, radius: 0.1, length: 0.2}",
                                         "{type: box, size: [0.2, 0.2, 0.2]}", "{type: sphere, radius: 0.1}"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "bodies: [{name: block, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], shapes: [%s]}]\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "contacts: [{name: touch, between: [floor, block]}]\n",
                 shapes[k]);
        tp_scene *scene = scene_of(text);
        for (int begin = 0; begin < 2; begin++) {
            tp_simulation_options options = scene->options;
            tp_simulation *simulation = NULL;
            tp_message why = {""};
            options.integrator = "consistent-two-step";
            options.consistent.directions_at_start = begin != 0;
            CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_OK);
            const tp_run_report *report = tp_simulation_report(simulation);
            CHECK_INT(report->warning_count, k == 0 && begin == 0);
            if (report->warning_count > 0) CHECK(strstr(report->warnings[0].text, "may have kinks") != NULL);
            tp_simulation_free(simulation);
        }
        tp_scene_free(scene);
    }
}

/* Which restitutions are different: NULL, none. */
static void check_restitution_warning(void **check_state_, const char *text, const char *integrator,
                                      const char *says)
{
    tp_scene *scene = scene_of(text);
    scene->options.integrator = integrator;
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    const tp_run_report *report = tp_simulation_report(simulation);
    const char *found = NULL;
    int count = 0;
    for (int k = 0; k < report->warning_count; k++) {
        if (strstr(report->warnings[k].text, "one restitution for all") == NULL) continue;
        found = report->warnings[k].text;
        count++;
    }
    CHECK_INT(count, says != NULL); /* once, and with its whole sentence */
    if (says != NULL && (found == NULL || strstr(found, says) == NULL)) fail_msg("%s", found);
    if (found != NULL) CHECK(strstr(found, "closed together") != NULL);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

#define FLOOR(rest) PARTICLE "contacts: [{name: floor, gap: y, slip: \"x'\", " rest "}]\n"
#define CORNER(rest)                                                                                         \
    PARTICLE "contacts: [{name: floor, gap: y, restitution: 0.5}, {name: wall, gap: x" rest "}]\n"

/* (45), (46) hold with one restitution for all. */
TEST(different_restitutions_are_warned_about_where_the_bound_of_the_energy_needs_equal_ones)
{
    static const struct {
        const char *scene, *says;
    } scenes[] = {
        {PARTICLE "contacts: [{name: floor, gap: y, restitution: 1}]\n", NULL},
        {FLOOR("friction: 0.3"), NULL},
        {FLOOR("restitution: 0.5, friction: 0.3, tangential_restitution: 0.5"), NULL},
        {FLOOR("restitution: 1, friction: 0.4"), "'floor' has a restitution of 1, but 0 tangentially"},
        {CORNER(", restitution: 0.5"), NULL},
        {CORNER(""), "'floor' has a restitution of 0.5, but 'wall' 0:"},
        {PARTICLE "contacts: [{name: floor, gap: y, restitution: 1}]\n"
                  "constraints: [{name: skate, velocity: \"x'\"}]\n",
         NULL},
    };
    static const char *const bounded[] = {"consistent-two-step", "consistent-quaternion",
                                          "consistent-quaternion-two-step"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        for (int k = 0; k < 3; k++)
            check_restitution_warning(check_state_, scenes[i].scene, bounded[k], scenes[i].says);
        check_restitution_warning(check_state_, scenes[i].scene, "consistent-hybrid", NULL);
        check_restitution_warning(check_state_, scenes[i].scene, "moreau", NULL);
    }
}

/* A motor with a bound of force has no impulse in an impact, but its share in one step for both. */
TEST(forces_beside_elastic_contacts_are_warned_about_in_one_step_alone)
{
    static const char text[] =
        PARTICLE "contacts: [{name: floor, gap: y, restitution: 1}]\n"
                 "laws: [{name: brake, kind: limited, velocity: \"x' + y'\", lower: -1, upper: 1}]\n";
    check_restitution_warning(check_state_, text, "consistent-quaternion",
                              "'floor' has a restitution of 1, but 'brake' 0:");
    check_restitution_warning(check_state_, text, "consistent-two-step", NULL);
}

TEST_MAIN(RUNS(every_scheme_takes_what_it_can_treat_and_says_why_not_else),
          RUNS(schemes_without_contacts_are_not_named_as_a_way_out),
          RUNS(contacts_of_shapes_with_kinks_are_warned_about),
          RUNS(different_restitutions_are_warned_about_where_the_bound_of_the_energy_needs_equal_ones),
          RUNS(forces_beside_elastic_contacts_are_warned_about_in_one_step_alone))
