/* The contract of tippe converge and compare, docs/command-line.md: JSON, exit codes, failing runs. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-study-" /* files beside the program */
#include "program_run.h"

#define SWING    SCRATCH "swing.yaml"
#define BALL     SCRATCH "ball.yaml"
#define SQUEEZED SCRATCH "squeezed.yaml"
#define STIFF    SCRATCH "stiff.yaml"

/* w = 10 rad/s. */
static const char swing[] = "coordinates: [x]\n"
                            "kinetic: \"1/2*x'^2\"\n"
                            "potential: \"50*x^2\"\n"
                            "initial: {x: 0.1}\n"
                            "exact: {motion: {x: \"0.1*cos(10*t)\"}, until: 1.5}\n"
                            "simulate: {dt: 1e-2, until: 2}\n";

static const char ball[] = "coordinates: [z]\n"
                           "kinetic: \"1/2*z'^2\"\n"
                           "potential: \"10*z\"\n"
                           "contacts:\n"
                           "  - {name: floor, gap: z, restitution: 0.5}\n"
                           "initial: {z: 0.2}\n"
                           "simulate: {dt: 1e-2, until: 0.5}\n";

/* Two walls close in on a mass: from 0.5 s on no velocity obeys both. */
static const char squeezed[] = "coordinates: [x]\n"
                               "kinetic: \"1/2*x'^2\"\n"
                               "contacts:\n"
                               "  - {name: left, gap: \"x - t\"}\n"
                               "  - {name: right, gap: \"1 - t - x\"}\n"
                               "initial: {x: 0.5}\n"
                               "exact: {motion: {x: \"0.5\"}}\n"
                               "simulate: {dt: 1e-2, until: 2}\n";

/* w = 400 rad/s: explicit forces explode for dt > 5e-3 s. */
static const char stiff[] = "coordinates: [x]\n"
                            "kinetic: \"1/2*x'^2\"\n"
                            "potential: \"80000*x^2\"\n"
                            "initial: {x: 0.1}\n"
                            "exact: {motion: {x: \"0.1*cos(400*t)\"}}\n"
                            "simulate: {dt: 1e-2, until: 5}\n";

static int write_scenes(void **state)
{
    (void)state;
    write_text(SWING, swing);
    write_text(BALL, ball);
    write_text(SQUEEZED, squeezed);
    write_text(STIFF, stiff);
    return 0;
}

static int remove_scenes(void **state)
{
    (void)state;
    remove(SWING);
    remove(BALL);
    remove(SQUEEZED);
    remove(STIFF);
    return 0;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) count++;
    return count;
}

/* True if all keys come in this order. */
static bool has_in_order(const char *text, const char *const *keys, int count)
{
    for (int k = 0; k < count; ++k) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[k]);
        text = strstr(text, quoted);
        if (text == NULL) return false;
    }
    return true;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* The number behind the last of a path of keys, each looked for behind the one before. */
static double number_at(const char *text, const char *const *keys, int count)
{
    for (int k = 0; k < count && text != NULL; ++k) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\": ", keys[k]);
        text = strstr(text, quoted);
        if (text != NULL) text += strlen(quoted);
    }
    return text != NULL ? strtod(text, NULL) : NAN;
}

TEST(converge_prints_the_promised_keys_and_the_order)
{
    static const char *const keys[] = {"status",    "reason", "scene",  "integrator", "until", "norm",
                                       "reference", "kind",   "levels", "dt",         "steps", "q",
                                       "l1",        "max",    "end",    "u",          "order", "cpu_s",
                                       "order",     "q",      "l1",     "u"};
    outcome *r = run("converge --json '" SWING "'");
    CHECK_INT(r->code, 0);
    CHECK(r->err[0] == '\0');
    CHECK(json_is_well_formed(r->out));
    CHECK(has_in_order(r->out, keys, COUNT(keys)));
    CHECK_INT(occurrences(r->out, "\"dt\": 0.0"), 5);
    CHECK(holds(r->out, "\"kind\": \"exact\"") &&
          holds(r->out, "\"until\": 1.5")); /* where the exact motion ends */
    const char *fitted = strstr(r->out, "\"order\": {\"q\": {\"l1\"");
    CHECK(fitted != NULL);
    static const char *const of_q[] = {"q", "l1"}, *const of_u[] = {"u", "l1"};
    CHECK_NEAR(number_at(fitted, of_q, 2), 2.0, 0.02); /* terms of (w dt)^2 = 0.01 at the coarsest level */
    CHECK_NEAR(number_at(fitted, of_u, 2), 2.0, 0.02);
}

TEST(converge_without_an_exact_motion_names_its_reference)
{
    outcome *r = run("converge '" BALL "' --levels 3");
    CHECK_INT(r->code, 0);
    CHECK(
        holds(r->out, "reference    moreau with time step 0.00015625 s, 16 times finer than the finest run"));
    CHECK(holds(r->out, "mean over time") && holds(r->out, "fitted"));
    r = run("converge --json '" BALL "' --levels 3 --refine 4 --reference moreau-jean --norm max --dt 4e-3");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "\"kind\": \"run\"") && holds(r->out, "\"integrator\": \"moreau-jean\""));
    CHECK(holds(r->out, "\"refinement\": 4") && holds(r->out, "\"dt\": 0.00025,"));
    CHECK(json_says(r->out, "norm", "\"max\""));
    r = run("converge --json '" SWING "' --reference moreau"); /* the whole 2 s then */
    CHECK(holds(r->out, "\"kind\": \"run\"") && holds(r->out, "\"until\": 2"));
}

/* The times of work are all that may differ. */
static void cut_times(char *text)
{
    static const char key[] = "\"cpu_s\": ";
    for (char *at = text; (at = strstr(at, key)) != NULL;) {
        at += sizeof key - 1;
        size_t length = strspn(at, "0123456789.e-+");
        memset(at, '0', length);
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

TEST(the_number_of_jobs_does_not_change_the_output)
{
    static char first[OUTPUT_MAX];
    strcpy(first, run("converge --json '" BALL "' --jobs 1")->out);
    cut_times(first);
    outcome *r = run("converge --json '" BALL "' --jobs 3");
    cut_times(r->out);
    CHECK(first[0] == '{' && strcmp(first, r->out) == 0);
    strcpy(first, run("compare --json --integrators moreau,moreau-jean,moreau '" BALL "' --jobs 1")->out);
    cut_times(first);
    r = run("compare --json --integrators moreau,moreau-jean,moreau '" BALL "' --jobs 4");
    cut_times(r->out);
    CHECK(first[0] == '{' && strcmp(first, r->out) == 0);
}

TEST(compare_prints_the_promised_keys_for_every_run)
{
    static const char *const keys[] = {
        "status",   "reason",          "scene",        "until",       "reference",
        "runs",     "integrator",      "dt",           "status",      "reason",
        "warnings", "steps",           "time",         "error",       "q",
        "u",        "energy",          "initial",      "final",       "largest_increase",
        "drift",    "position",        "velocity",     "penetration", "impacts",
        "solver",   "iterations_mean", "residual_max", "cpu_s",       "integrator",
        "cpu_s",    "left_out"};
    outcome *r = run("compare --json '" BALL "' --integrators moreau,moreau-jean --dt 2e-3,1e-3");
    CHECK_INT(r->code, 0);
    CHECK(r->err[0] == '\0');
    CHECK(json_is_well_formed(r->out));
    CHECK(has_in_order(r->out, keys, COUNT(keys)));
    CHECK(holds(r->out, "\"integrator\": \"moreau\", \"dt\": 0.002,"));
    CHECK(holds(r->out, "\"integrator\": \"moreau-jean\", \"dt\": 0.001,"));
    CHECK(holds(r->out,
                "\"kind\": \"run\", \"status\": \"done\", \"reason\": null, \"integrator\": \"moreau\", "
                "\"dt\": 6.25e-05, \"rtol\": null, \"refinement\": 16"));
    r = run("compare '" SWING "' --integrators all");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "moreau ") && holds(r->out, "moreau-jean ") && holds(r->out, "largest increase"));
    CHECK(holds(r->out, "exact motion of the scene, which holds until 1.5 s"));
}

/* The step at which the walls meet the mass fails on every level. */
TEST(a_failing_run_is_a_row_with_its_reason_and_exit_code_3)
{
    outcome *r = run("converge --json '" SQUEEZED "' --levels 2");
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "status", "\"failed\""));
    CHECK_INT(occurrences(r->out, "\"status\": \"infeasible\""), 2);
    CHECK(holds(r->out, "\"q\": {\"l1\": null"));
    CHECK(holds(r->err, "no solution"));
    r = run("compare '" SQUEEZED "' --integrators moreau");
    CHECK_INT(r->code, 3);
    CHECK(holds(r->out, "infeasible: step "));
    r = run("converge --json '" SQUEEZED
            "' --levels 2 --reference moreau"); /* then the reference fails too */
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK(holds(r->err, "reference: "));
}

/* omega dt = 4 grows without bound, 2 stays on the limit, 1 and 1/2 are fine. */
TEST(levels_that_explode_do_not_hide_the_others)
{
    outcome *r = run("converge --json '" STIFF "' --levels 4");
    CHECK_INT(r->code, 3);
    CHECK(json_is_well_formed(r->out));
    CHECK_INT(occurrences(r->out, "\"status\": \"not converged\""), 1);
    CHECK_INT(occurrences(r->out, "\"status\": \"done\", \"reason\": \"end time reached\""), 3);
    CHECK(holds(r->out, "stability limit"));
    CHECK(holds(r->err, "infinite"));
}

TEST(bad_options_are_exit_code_2_and_the_message_says_what_would_be_right)
{
    static const struct {
        const char *arguments, *part;
    } wrong[] = {
        {"converge", "missing SCENE"},
        {"compare '" BALL "'", "--integrators is missing"},
        {"compare '" BALL "' --integrators moreu", "did you mean moreau?"},
        {"compare '" BALL "' --integrators moreau,", "unknown integrator"},
        {"compare '" BALL "' --integrators moreau,moreau-jean --dt 1e-3,1e-3,1e-3", "as many as"},
        {"compare '" BALL "' --integrators all --dt 1e-3,1e-3", "one number"},
        {"compare '" BALL "' --integrators moreau --dt 1e-3x", "above 0"},
        {"compare '" BALL "' --integrators moreau --dt -1", "above 0"},
        {"compare '" BALL "' --integrators moreau --dt nan", "above 0"},
        {"compare '" BALL "' --integrators moreau --dt inf", "above 0"},
        {"compare '" BALL "' --integrators moreau --dt ,", "above 0"},
        {"compare '" BALL "' --integrators moreau,moreau --dt 3e-3,2e-3", "common times"},
        {"compare '" BALL "' --integrators moreau --reference nothing", "integrator"},
        {"compare '" BALL "' --integrators moreau --plot a.pdf", ".svg"},
        {"converge '" BALL "' --integrator moreu", "did you mean moreau?"},
        {"converge '" BALL "' --levels 1", "from 2 to 24"},
        {"converge '" BALL "' --levels 25", "from 2 to 24"},
        {"converge '" BALL "' --refine 1", "from 2"},
        {"converge '" BALL "' --norm l2", "l1|max|end"},
        {"converge '" BALL "' --jobs 0", "from 1"},
        {"converge '" BALL "' --dt 0", "above 0"},
        {"converge '" BALL "' --until 0", "above 0"},
        {"converge '" BALL "' --set simulate.until=0", "end time"},
        {"converge '" BALL "' --plot a", ".svg"},
        {"converge '" BALL "' -o - --json", "standard output"},
        {"converge '" BALL "' -o '" BALL "'", "replace the scene"},
        {"converge '" BALL "' --dt 1e-300", "more than"},
        {"converge '" SWING "' --set initial.x=0.2", "the exact motion of 'x' begins at 0.1"},
        {"converge '" SWING "' --set exact.motion.x=y", "unknown name"},
        {"converge '" SWING "' --set exact.until=0", "> 0"},
        {"converge '" SWING "' --set exact.motion.x=0.1/0", "begins at inf"},
    };
    for (int k = 0; k < COUNT(wrong); ++k) {
        outcome *r = run(wrong[k].arguments);
        bool is_right = r->code == 2 && holds(r->err, wrong[k].part) && r->out[0] == '\0';
        if (!is_right) print_error("%s: %d %s\n", wrong[k].arguments, r->code, r->err);
        CHECK(is_right);
    }
}

TEST(a_study_that_cannot_be_made_still_gives_json)
{
    outcome *r = run("converge --json '" SCRATCH "is-not-there.yaml'");
    CHECK_INT(r->code, 4);
    CHECK(json_is_well_formed(r->out) && json_says(r->out, "status", "\"error\""));
    r = run("compare --json --integrators moreau '" SWING "' --set initial.x=0.2");
    CHECK_INT(r->code, 2);
    CHECK(json_is_well_formed(r->out) && json_says(r->out, "status", "\"error\""));
    CHECK(holds(r->err, "swing.yaml:5:")); /* the place of the formula */
}

TEST(tables_and_figures_are_written)
{
    char text[OUTPUT_MAX];
    outcome *r =
        run("converge --quiet '" SWING "' --levels 3 -o '" SCRATCH "a.csv' --plot '" SCRATCH "a.svg'");
    CHECK_INT(r->code, 0);
    CHECK(r->out[0] == '\0' && r->err[0] == '\0');
    read_file(SCRATCH "a.csv", text);
    CHECK(strncmp(text, "dt,steps,q_l1,", 14) == 0);
    CHECK_INT(occurrences(text, "\n"), 4);
    CHECK_INT(occurrences(text, ",done\n"), 3);
    read_file(SCRATCH "a.svg", text);
    CHECK(holds(text, "<svg"));
    r = run("converge '" SWING "' --levels 2 -o -");
    CHECK(strncmp(r->out, "dt,steps,", 9) == 0 && holds(r->err, "fitted"));
    r = run("compare --quiet '" BALL "' --integrators all --plot '" SCRATCH "a.png'");
    CHECK_INT(r->code, 0);
    read_file(SCRATCH "a.png", text);
    CHECK(memcmp(text + 1, "PNG", 3) == 0);
    remove(SCRATCH "a.csv");
    remove(SCRATCH "a.svg");
    remove(SCRATCH "a.png");
    CHECK_INT(run("converge --quiet '" SWING "' -o /dev/full")->code, 4);
    CHECK_INT(run("converge --quiet '" SWING "' -o '" SCRATCH "no/a.csv'")->code, 4);
    CHECK_INT(run("compare --quiet '" SWING "' --integrators all --plot '" SCRATCH "no/a.svg'")->code, 4);
}

/* The table once was written in place: another name of the file lost its content. */
TEST(a_table_appears_whole)
{
    char text[OUTPUT_MAX];
    write_text(SCRATCH "old.csv", "old\n");
    CHECK_INT(link(SCRATCH "old.csv", SCRATCH "a.csv"), 0);
    CHECK_INT(run("converge --quiet '" SWING "' --levels 2 -o '" SCRATCH "a.csv'")->code, 0);
    read_file(SCRATCH "a.csv", text);
    CHECK(strncmp(text, "dt,steps,", 9) == 0);
    read_file(SCRATCH "old.csv", text);
    CHECK(strncmp(text, "old\n", 4) == 0);
    remove(SCRATCH "old.csv");
    remove(SCRATCH "a.csv");
}

TEST(check_tells_of_the_exact_motion)
{
    CHECK(holds(run("check '" SWING "'")->out, "exact motion   given until 1.5 s"));
    CHECK(json_says(run("check --json '" SWING "'")->out, "exact_motion", "true"));
    CHECK(json_says(run("check --json '" BALL "'")->out, "exact_motion", "false"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(converge_prints_the_promised_keys_and_the_order),
        RUNS(converge_without_an_exact_motion_names_its_reference),
        RUNS(the_number_of_jobs_does_not_change_the_output),
        RUNS(compare_prints_the_promised_keys_for_every_run),
        RUNS(a_failing_run_is_a_row_with_its_reason_and_exit_code_3),
        RUNS(levels_that_explode_do_not_hide_the_others),
        RUNS(bad_options_are_exit_code_2_and_the_message_says_what_would_be_right),
        RUNS(a_study_that_cannot_be_made_still_gives_json),
        RUNS(tables_and_figures_are_written),
        RUNS(a_table_appears_whole),
        RUNS(check_tells_of_the_exact_motion),
    };
    return cmocka_run_group_tests(tests, write_scenes, remove_scenes);
}
