/* The contract of tippe run --input, --dump-step and --dump-failed, docs/command-line.md. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-inputs-" /* files beside the program */
#include "program_run.h"
#include "tippe/tippe.h"

#define SCENE TIPPE_SOURCE_DIR "/examples/conveyor/scene.yaml"
#define TABLE TIPPE_SOURCE_DIR "/examples/conveyor/belt.csv"
#define OUT   SCRATCH "run.h5"

static double last_of(const char *path, const char *column)
{
    tp_trajectory *rows = NULL;
    tp_message why = {""};
    if (tp_trajectory_read(NULL, path, &rows, &why) != TP_OK) fail_msg("%s", why.text);
    int k = tp_trajectory_find(rows, column);
    if (k < 0) fail_msg("no column %s", column);
    double value = rows->values[k][rows->row_count - 1];
    tp_trajectory_free(rows);
    return value;
}

/* examples/conveyor/README.md (2): x = 0.236452 m in the end; mu g dt^2/2 = 1e-6 m for each of three slides.
 */
TEST(the_example_follows_its_file)
{
    CHECK_INT(run("run " SCENE " --quiet --input " TABLE " -o " OUT)->code, 0);
    CHECK_NEAR(last_of(OUT, "q/x"), 0.23645259938838, 3e-6);
    CHECK_NEAR(last_of(OUT, "inputs/belt"), 0.0, 0.0);
    CHECK(holds(run("check " SCENE)->out, "inputs         belt = 0.5 m/s  speed of the conveyor belt"));
    CHECK(holds(run("check --json " SCENE)->out, "\"inputs\": [{\"name\": \"belt\""));
    remove(OUT);
}

TEST(a_continued_run_has_the_same_bits)
{
    CHECK_INT(run("run " SCENE " --quiet --input " TABLE " -o " OUT)->code, 0);
    CHECK_INT(run("run " SCENE " --quiet --input " TABLE " --until 1.3 -o " SCRATCH "a.h5")->code, 0);
    CHECK_INT(
        run("run " SCENE " --quiet --input " TABLE " --restart " SCRATCH "a.h5 -o " SCRATCH "b.h5")->code, 0);
    static const char *const columns[] = {"q/x", "u/x'", "energy", "inputs/belt", "step/applied_work"};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        CHECK(last_of(OUT, columns[k]) == last_of(SCRATCH "b.h5", columns[k]));
    /* without the file the last values stay: the belt runs on backwards */
    CHECK_INT(run("run " SCENE " --quiet --restart " SCRATCH "a.h5 -o " OUT)->code, 0);
    CHECK_NEAR(last_of(OUT, "u/x'"), -0.3, 1e-13);
    remove(OUT);
    remove(SCRATCH "a.h5");
    remove(SCRATCH "b.h5");
}

TEST(a_bad_file_is_refused)
{
    write_text(SCRATCH "bad.csv", "time,belt\n0,1\n0.5,nan\n");
    const outcome *r = run("run " SCENE " --input " SCRATCH "bad.csv");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "bad.csv:3:5: expected a number"));
    CHECK_INT(run("run " SCENE " --input " SCRATCH "none.csv")->code, 4);
    CHECK_INT(run("run " SCENE " --input " SCRATCH "bad.csv --csv " SCRATCH "bad.csv")->code, 2);
    CHECK_INT(run("run " TIPPE_SOURCE_DIR "/examples/bouncing-ball/scene.yaml --input " TABLE)->code, 2);
    remove(SCRATCH "bad.csv");
}

/* Every example's first step, and one in the middle, as text and solved again. */
TEST(steps_of_all_kinds_are_written_and_solved)
{
    static const char *const scenes[] = {"conveyor",  "bouncing-ball", "box-stack",         "motors",
                                         "door-stop", "tippe-top",     "four-bar-friction", "woodpecker"};
    static const char *const integrators[] = {"moreau", "moreau-jean", "consistent-two-step"};
    int count = 0;
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
            char line[1024];
            snprintf(line, sizeof line,
                     "run " TIPPE_SOURCE_DIR "/examples/%s/scene.yaml --quiet --until 0.05 --integrator %s "
                     "--dump-step 0.03 " SCRATCH "p.tippe",
                     scenes[k], integrators[i]);
            const outcome *r = run(line);
            if (r->code == 2 && !holds(r->err, "p.tippe")) continue; /* not for this integrator */
            if (r->code != 0) fail_msg("%s: %s", line, r->err);
            r = run("solve " SCRATCH "p.tippe --tol 1e-9");
            if (r->code != 0) fail_msg("%s: %s%s", line, r->out, r->err);
            CHECK_INT(remove(SCRATCH "p.tippe"), 0);
            count++;
        }
    }
    CHECK(count >= 16);
}

/* A load of 100 t N on a mass of 1 kg at rest: f of the step from 0.03 s to 0.04 s is -100 (0.035 s)(0.01 s),
   whatever time in it is given, and that of the step that starts there if the time is its start. */
TEST(the_step_that_contains_a_time_is_written)
{
    static const struct {
        const char *time;
        double f;
    } steps[] = {{"0.0301", -0.035}, {"0.0399", -0.035}, {"0.045", -0.045}, {"0", -0.005}, {"0.1", -0.095}};
    write_text(SCRATCH "loaded.yaml", "coordinates: [x]\nkinetic: \"x'^2/2\"\npotential: \"100*t*x\"\n"
                                      "contacts: [{name: floor, gap: x}]\n"
                                      "simulate: {dt: 0.01, until: 0.1}\n");
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        char line[1024];
        double f = 0.0;
        snprintf(line, sizeof line, "run " SCRATCH "loaded.yaml --quiet --dump-step %s " SCRATCH "p.tippe",
                 steps[k].time);
        CHECK_INT(run(line)->code, 0);
        FILE *file = fopen(SCRATCH "p.tippe", "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL && strcmp(line, "f\n") != 0) {
        }
        CHECK(file != NULL && fscanf(file, "%lf", &f) == 1);
        CHECK_NEAR(f, steps[k].f, 1e-12);
        if (file != NULL) fclose(file);
        remove(SCRATCH "p.tippe");
    }
    remove(SCRATCH "loaded.yaml");
}

/* A body that two walls squeeze: the step has no solution, and its problem says so again. */
TEST(a_failing_step_is_written)
{
    write_text(SCRATCH "squeezed.yaml", "coordinates: [x]\nkinetic: \"x'^2/2\"\n"
                                        "contacts:\n  - {name: left, gap: \"x - t\"}\n"
                                        "  - {name: right, gap: \"0.5 - x\"}\n"
                                        "simulate: {dt: 0.01, until: 1}\n");
    CHECK_INT(run("run " SCRATCH "squeezed.yaml --quiet --dump-failed " SCRATCH "f.tippe")->code, 3);
    const outcome *r = run("solve " SCRATCH "f.tippe");
    CHECK_INT(r->code, 3);
    CHECK(holds(r->out, "infeasible"));
    remove(SCRATCH "f.tippe");

    CHECK_INT(run("run " SCRATCH "squeezed.yaml --quiet --until 0.1 --dump-failed " SCRATCH "f.tippe")->code,
              0);
    CHECK(access(SCRATCH "f.tippe", F_OK) != 0); /* nothing failed */
    remove(SCRATCH "squeezed.yaml");
}

TEST(a_dump_that_cannot_be_is_refused)
{
    const outcome *r = run("run " SCENE " --dump-step 5 " SCRATCH "p.tippe");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "from 0 s to 2 s"));
    r = run("run " SCENE " --dump-step 1");
    CHECK_INT(r->code, 2);
    CHECK(holds(r->err, "needs two values"));
    CHECK_INT(run("run " SCENE " --dump-step x " SCRATCH "p.tippe")->code, 2);
    CHECK_INT(run("run " SCENE " --quiet --dump-step 1 /nowhere/p.tippe")->code, 4);
    CHECK_INT(run("run " SCENE " --quiet --dump-step 1 " SCENE)->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(the_example_follows_its_file),
        RUNS(a_continued_run_has_the_same_bits),
        RUNS(a_bad_file_is_refused),
        RUNS(steps_of_all_kinds_are_written_and_solved),
        RUNS(the_step_that_contains_a_time_is_written),
        RUNS(a_failing_step_is_written),
        RUNS(a_dump_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
