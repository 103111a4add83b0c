/* Warnings as the program shows them: lines, JSON, the output file, --strict, check and the list of kinds. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-warnings-" /* files beside the program */
#include "program_run.h"
#include "tippe/output.h"
#include "tippe/simulation.h"

#define FALLS SCRATCH "falls.yaml" /* through a floor that no contact names */
#define LANDS SCRATCH "lands.yaml"
#define SKIPS SCRATCH "skips.yaml" /* a pair without contact points */
#define H5    SCRATCH "out.h5"

static const char falls[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: a, mass: 1, position: [0, 0, 0.1], shapes: [{type: box, size: [0.2, "
    "0.2, 0.2]}]}]\n"
    "ground: {shapes: [{type: plane}]}\n"
    "simulate: {dt: 1e-2, until: 0.1}\n";

static const char skips[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: b, type: moving, shapes: [{type: inside-cylinder, radius: 9}]}\n"
    "  - {name: c, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5], shapes: [{type: plane}]}\n"
    "ground: {shapes: [{name: floor, type: sphere, radius: 0.1}]}\n"
    "contacts:\n"
    "  - {name: all, among: [ground, b, c], friction: 0.5}\n"
    "simulate: {dt: 1e-2, until: 0.1}\n";

static int write_scenes(void **state)
{
    (void)state;
    char lands[sizeof falls + 100];
    snprintf(lands, sizeof lands, "%scontacts: [{name: c, between: [ground, a]}]\n", falls);
    write_text(FALLS, falls);
    write_text(LANDS, lands);
    write_text(SKIPS, skips);
    return 0;
}

static int remove_scenes(void **state)
{
    (void)state;
    return remove(FALLS) + remove(LANDS) + remove(SKIPS);
}

TEST(the_report_and_its_json_have_all_of_a_warning)
{
    outcome *r = run("run --json '" FALLS "'");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    const char *warning = strstr(r->out, "\"warnings\": [{");
    CHECK(json_says(warning, "name", "\"touches-nothing\""));
    CHECK(json_says(warning, "time", "0"));
    CHECK(json_says(warning, "subject", "\"a.box, ground.plane\""));
    CHECK(json_says(warning, "figure", "2"));
    CHECK(json_says(warning, "unit", "\"\""));
    CHECK(json_says(warning, "count", "1"));
    char value[1024];
    CHECK(json_find(warning, "text", value, sizeof value) && strlen(value) > 2);
    CHECK(json_find(warning, "remedy", value, sizeof value) && holds(value, "contact: false"));
    CHECK(json_says(r->out, "warnings_left_out", "0"));
    r = run("run '" FALLS "'");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "warning      touches-nothing: a.box, ground.plane, 2 at 0 s"));
    CHECK(holds(r->out, "remedy: "));
    r = run("run '" LANDS "'");
    CHECK_INT(r->code, 0);
    CHECK(!holds(r->out, "\nwarning"));
}

TEST(strict_makes_warnings_exit_code_3)
{
    static const char *const verbs[] = {"run --strict '%s'",
                                        "compare --strict '%s' --integrators moreau --refine 2",
                                        "converge --strict '%s' --levels 2 --refine 2"};
    for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; k++) {
        char command[1024];
        snprintf(command, sizeof command, verbs[k], FALLS);
        outcome *r = run(command);
        CHECK_INT(r->code, 3);
        CHECK(holds(r->err, "strict"));
        snprintf(command, sizeof command, verbs[k], LANDS);
        CHECK_INT(run(command)->code, 0);
    }
    outcome *r = run("run --strict --json '" FALLS "'");
    CHECK(json_says(r->out, "status", "\"done\""));
    CHECK(json_says(r->out, "reason", "\"end time reached with 1 warning, and the run is strict\""));
    CHECK(json_says(r->out, "steps", "10"));
}

TEST(the_output_file_holds_the_warnings)
{
    CHECK_INT(run("run --quiet -o '" H5 "' '" FALLS "'")->code, 0);
    tp_trajectory *t = NULL;
    tp_message why = {""};
    CHECK_INT(tp_trajectory_read(NULL, H5, &t, &why), TP_OK);
    const char *found = NULL;
    for (int k = 0; k < t->summary_count; k++) {
        if (strcmp(t->summary[k].name, "warnings") == 0) found = t->summary[k].text;
    }
    CHECK(found != NULL && holds(found, "touches-nothing: a.box, ground.plane, 2, at 0 s: "));
    tp_trajectory_free(t);
    remove(H5);
}

TEST(check_tells_warnings_of_the_scene_once)
{
    outcome *r = run("check '" FALLS "'");
    CHECK_INT(r->code, 0);
    const char *first = strstr(r->out, "touches-nothing");
    CHECK(first != NULL && strstr(first + 1, "touches-nothing") == NULL);
}

TEST(pairs_without_contact_points_are_refused_unless_they_are_excluded)
{
    static const char *const verbs[] = {"run", "check"};
    for (int k = 0; k < 2; k++) {
        char command[1024];
        snprintf(command, sizeof command, "%s '" SKIPS "'", verbs[k]);
        outcome *r = run(command);
        CHECK_INT(r->code, 2);
        CHECK(holds(r->err,
                    "skips.yaml:7:24: contacts.all.among: there is no contact between 'b.inside-cylinder' "
                    "(inside-cylinder) and 'c.plane' (plane)"));
        snprintf(command, sizeof command, "%s '" SKIPS "' --set 'contacts.all.exclude=[[c, b]]'", verbs[k]);
        CHECK_INT(run(command)->code, 0);
    }
}

TEST(all_kinds_are_listed)
{
    outcome *r = run("list warnings --json");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    for (int k = 0; k < TP_WARNING_KIND_COUNT; k++)
        CHECK(holds(r->out, tp_warning_info_at((tp_warning_kind)k)->name) &&
              holds(r->out, tp_warning_info_at((tp_warning_kind)k)->remedy));
}

TEST(every_kind_has_its_row_in_the_guide)
{
    UNUSED_STATE;
    static char page[OUTPUT_MAX];
    read_file(TIPPE_SOURCE_DIR "/docs/guide/warnings.md", page);
    for (int k = 0; k < TP_WARNING_KIND_COUNT; k++) {
        char row[64];
        snprintf(row, sizeof row, "\n| `%s` |", tp_warning_info_at((tp_warning_kind)k)->name);
        if (!holds(page, row)) fail_msg("no row%s", row + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(the_report_and_its_json_have_all_of_a_warning),
        RUNS(strict_makes_warnings_exit_code_3),
        RUNS(the_output_file_holds_the_warnings),
        RUNS(check_tells_warnings_of_the_scene_once),
        RUNS(pairs_without_contact_points_are_refused_unless_they_are_excluded),
        RUNS(all_kinds_are_listed),
        RUNS(every_kind_has_its_row_in_the_guide),
    };
    return cmocka_run_group_tests(tests, write_scenes, remove_scenes);
}
