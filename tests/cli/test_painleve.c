/* tippe check --painleve: a state, a run, a map, and what it refuses; docs/guide/painleve.md. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-painleve-" /* files beside the program */
#include "program_run.h"

#define ROD       TIPPE_SOURCE_DIR "/examples/relaxed-rod/scene.yaml"
#define CHECK_ROD "check '" ROD "' "
#define MAP       " --painleve --map theta=0.85:1.5:2 --map mu=0.5:3:3 -o "

TEST(a_state_has_the_figures_of_the_guide)
{
    const outcome *r = run(CHECK_ROD "--painleve");
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "coupling           -0.8 1/kg while it slides, 1.6 without friction: distance -0.5"));
    CHECK(holds(r->out, "critical friction  1.33333"));
    CHECK(holds(r->out, "N 0.3, T1 0.4 N s: possible"));
    CHECK(holds(r->out, "solutions          1"));
    r = run(CHECK_ROD "--painleve --json --set parameters.spin=4");
    CHECK(holds(r->out, "\"solutions\": 3, \"solutions_are_all\": true"));
    CHECK(r->code == 0 && holds(r->out, "\"kind\": \"undecided\"") && holds(r->out, "\"solutions\": 3"));
}

/* p > 0 below the critical friction 1.551 at 0.85 rad, 4.8 at 1.5 rad. */
TEST(a_map_counts_its_regions_and_is_written)
{
    static const char *const files[] = {SCRATCH "map.csv", SCRATCH "map.svg"};
    static const char *const commands[] = {CHECK_ROD MAP "'" SCRATCH "map.csv'",
                                           CHECK_ROD MAP "'" SCRATCH "map.svg'"};
    for (int k = 0; k < 2; k++) {
        const outcome *r = run(commands[k]);
        CHECK_INT(r->code, 0);
        CHECK(holds(r->out, "slides               4\n") && holds(r->out, "jams                 2\n"));
        CHECK_INT(access(files[k], R_OK), 0);
    }
    static char text[OUTPUT_MAX];
    read_file(files[0], text);
    CHECK(holds(text, "theta,mu,kind,solutions,distance\n") && holds(text, "0.85,3,jams,1,-0.934550356\n"));
    remove(files[0]);
    remove(files[1]);
}

TEST(the_report_of_a_run_has_the_number_of_solutions)
{
    const outcome *r = run("run '" ROD "' --until 0.001 --set parameters.spin=4");
    CHECK(r->code == 0 && holds(r->out, "up to 3 solutions of a step problem"));
    r = run("run '" ROD "' --until 0.001 --set parameters.spin=4 --json");
    CHECK(r->code == 0 && holds(r->out, "\"solutions_max\": 3"));
}

/* The table of a map is one of a sweep: tippe plot draws kind, solutions and distance. */
TEST(a_map_is_a_table_that_plot_draws)
{
    CHECK_INT(run(CHECK_ROD MAP "'" SCRATCH "painleve-map.h5'")->code, 0);
    const outcome *r = run("plot '" SCRATCH "painleve-map.h5' -o '" SCRATCH "painleve-map.svg'");
    CHECK(r->code == 0 && holds(r->out, "2 panels")); /* one solution everywhere: a constant is not drawn */
    remove(SCRATCH "painleve-map.h5");
    remove(SCRATCH "painleve-map.svg");
}

TEST(a_run_is_followed_row_by_row)
{
    CHECK_INT(run("run '" ROD "' --quiet --until 0.01 -o '" SCRATCH "rod.h5'")->code, 0);
    const outcome *r = run("check '" SCRATCH "rod.h5' --painleve");
    CHECK(r->code == 0 && holds(r->out, "jams from 0 s on") && holds(r->out, "least distance -0.5"));
    r = run("check '" SCRATCH "rod.h5' --painleve --json");
    CHECK(r->code == 0 && holds(r->out, "\"jams\": 0,"));
    remove(SCRATCH "rod.h5");
}

TEST(what_does_not_fit_is_refused)
{
    static const char *const wrong[] = {CHECK_ROD "--painleve --map theta=0:1:3",
                                        CHECK_ROD "--painleve --map theta=1:0:3 --map mu=0:1:3",
                                        CHECK_ROD "--painleve --map theta=0:1:3 --map mu=0:1:1",
                                        CHECK_ROD "--painleve -o map.svg",
                                        CHECK_ROD "--map theta=0:1:3",
                                        CHECK_ROD "--painleve --map theta=0:1:3 --map nothing=0:1:2"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CHECK_INT(run(wrong[k])->code, 2);
    }
}

TEST_MAIN(RUNS(a_state_has_the_figures_of_the_guide), RUNS(a_map_counts_its_regions_and_is_written),
          RUNS(a_map_is_a_table_that_plot_draws), RUNS(the_report_of_a_run_has_the_number_of_solutions),
          RUNS(a_run_is_followed_row_by_row), RUNS(what_does_not_fit_is_refused))
