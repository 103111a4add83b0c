/* `tippe check --holonomy | --forces | --viability | --reduce`. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-analysis-" /* files beside the program */
#include "program_run.h"

#define SCENE(name) "'" TIPPE_SOURCE_DIR "/examples/" name "/scene.yaml'"

static bool says(const char *arguments, const char *const *parts)
{
    const outcome *result = run(arguments);
    bool is_so = result->code == 0;
    for (int k = 0; parts[k] != NULL; k++) {
        if (holds(result->out, parts[k])) continue;
        print_error("%s\ndoes not say: %s\n%s%s", arguments, parts[k], result->out, result->err);
        is_so = false;
    }
    return is_so;
}

TEST(verdicts_are_printed_in_words)
{
    CHECK(says("check " SCENE("sleigh") " --holonomy",
               (const char *[]){"nonholonomic: the constraints restrict velocities", "laws         blade",
                                "0 of 1 constraint", "exact derivatives", "(1)        sled.v.x 1\n",
                                "(2)        sled.v.y 0.5, sled.omega 1\n", "ends off   sled.v.x", NULL}));
    CHECK(says("check " SCENE("sphere-incline") " --holonomy",
               (const char *[]){"holonomy       no constraints", "with contacts  nonholonomic",
                                "1 of 3 constraints", "ball.v.z = 0", NULL}));
    CHECK(says(
        "check " SCENE("crank") " --holonomy --reduce",
        (const char *[]){"holonomic: the constraints are relations", "17 of 17 rows", "drive.angle", NULL}));
    CHECK(says(
        "check " SCENE("rotating-view") " --forces",
        (const char *[]){"have a potential: a scalar and a vector one", "no damping", "no swirl", NULL}));
    CHECK(says("check " SCENE("viscous-drag") " --forces",
               (const char *[]){"have no potential", "damping (2)", NULL}));
    CHECK(says("check " SCENE("gear-train") " --forces",
               (const char *[]){"1 of 3 laws between bodies are internal",
                                "gears        needs a support outside", NULL}));
    CHECK(says("check " SCENE("box-tip") " --viability", (const char *[]){"viable", "closed", NULL}));
    CHECK(says("check " SCENE("heavy-top") " --reduce",
               (const char *[]){"minimal        3 coordinates", "top.turn.z", NULL}));
    CHECK(says("check " SCENE("skate") " --reduce",
               (const char *[]){"minimal        none:", "nonholonomic", NULL}));
    CHECK(says("check " SCENE("tippe-top") " --reduce",
               (const char *[]){"minimal        6 coordinates", "left out: on-belly, on-handle", NULL}));
}

/* Claim: seven bodies and ten pins are one coordinate; its acceleration at the start is the published figure
   of the benchmark, 14222.4439199541 rad/s^2, to its printed digits. */
TEST(the_squeezer_has_one_coordinate_with_the_published_acceleration)
{
    CHECK(says("check " SCENE("andrews") " --reduce",
               (const char *[]){"minimal        1 coordinate\n", "O.angle",
                                "acceleration 14222.4439 at the start", NULL}));
}

/* Two boxes have room for many points; those that are not there have no gap to speak of. */
TEST(contacts_are_listed_where_there_are_points)
{
    const outcome *result = run("check " SCENE("card-house"));
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "gap "));
    CHECK(!holds(result->out, "gap inf"));
}

TEST(everything_is_one_json_object)
{
    static const char *const scenes[] = {"sleigh", "sphere-incline", "gear-train", "heavy-top",
                                         "bouncing-ball"};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        char arguments[400];
        snprintf(arguments, sizeof arguments,
                 "check '" TIPPE_SOURCE_DIR
                 "/examples/%s/scene.yaml' --holonomy --forces --viability --reduce --json",
                 scenes[k]);
        const outcome *result = run(arguments);
        CHECK_INT(result->code, 0);
        CHECK(json_is_well_formed(result->out));
        CHECK(holds(result->out, "\"holonomy\": {") && holds(result->out, "\"forces\": {"));
        CHECK(holds(result->out, "\"viability\": {") && holds(result->out, "\"minimal\": {"));
    }
    const outcome *result = run("check " SCENE("sleigh") " --holonomy --json");
    CHECK(holds(result->out, "\"verdict\": \"nonholonomic\"") &&
          holds(result->out, "\"frame\": [\"time\", \"sled.v.x\""));
    CHECK(!holds(result->out, "\"forces\""));
}

TEST(unreadable_scenes_have_the_exit_code_of_check)
{
    const outcome *result = run("check no-such.yaml --holonomy");
    CHECK_INT(result->code, 4);
    write_text(SCRATCH "own.yaml",
               "coordinates: [x, y, th]\nvelocities: [v, w]\nrates: {x: v*cos(th), y: v*sin(th), th: w}\n"
               "mass: [[1, 0], [0, 1]]\nsimulate: {integrator: moreau, dt: 1e-3, until: 1}\n");
    CHECK(says("check '" SCRATCH "own.yaml' --holonomy --forces --reduce",
               (const char *[]){"rates of the coordinates (1 of them follow", "x' ",
                                "not examined: the model has velocities of its own", "minimal        none",
                                NULL}));
    remove(SCRATCH "own.yaml");
}

TEST_MAIN(RUNS(verdicts_are_printed_in_words),
          RUNS(the_squeezer_has_one_coordinate_with_the_published_acceleration),
          RUNS(contacts_are_listed_where_there_are_points), RUNS(everything_is_one_json_object),
          RUNS(unreadable_scenes_have_the_exit_code_of_check))
