/* Claim: every example can be stopped and continued with the same bits, with every integrator that accepts
   it; docs/guide/restart.md. */
#define _XOPEN_SOURCE 700
#include "examples.h"
#include "io/scratch.h"
#include "restarts.h"

/* Long enough for impacts with the scene's own integrator; a start with the others. */
enum { OWN_STEPS = 500, OTHER_STEPS = 60, RELAXED_STEPS = 15 }; /* relaxed: of four problems or more each */

/* Stops after a third of the steps with few rows, after two thirds and just before the end with all rows;
   with integrators that are not the scene's own only once. */
static void check_example(void **check_state_, const char *name, const run_kind *kind, bool is_own)
{
    double end = kind->options.end_time;
    scratch_folder folder;
    char files[3][800];
    CHECK(scratch_open(&folder));
    for (int i = 0; i < 3; i++) {
        char file[16];
        snprintf(file, sizeof file, "%d.h5", i);
        snprintf(files[i], sizeof files[i], "%s", scratch_file(&folder, file));
    }
    long long steps = (long long)(end / kind->options.time_step);
    const long long stops[] = {steps / 3, 2 * steps / 3, steps - 2};
    for (int k = is_own ? 0 : 1; k < (is_own ? 3 : 2); k++) {
        run_kind own = *kind;
        own.output_every = k == 0 ? 4.7 * own.options.time_step : 0.0;
        tp_simulation *whole = run_to_file(&own, end, NULL, files[0], -1);
        tp_simulation_free(run_to_file(&own, end, NULL, files[1], stops[k]));
        tp_simulation *continued = run_to_file(&own, end, files[1], files[2], -1);
        bool same = are_same_states(whole, continued) && are_later_rows_same(files[0], files[2]);
        if (!same) print_error("%s with %s\n", name, own.options.integrator);
        CHECK(same);
        tp_simulation_free(whole);
        tp_simulation_free(continued);
    }
    scratch_close(&folder);
}

TEST(every_example_is_continued_with_the_same_bits_by_every_integrator)
{
    example_list examples = find_examples();
    for (int i = 0; i < examples.count; i++) {
        tp_scene *scene = read_short_example(examples.name[i]);
        run_kind kind = {.model = scene->model, .options = scene->options};
        const char *own = scene->options.integrator;
        int accepted = 0;
        for (int k = 0; k < tp_integrator_count(); k++) {
            if (!is_tried(scene, i, k)) continue;
            tp_simulation *simulation = NULL;
            kind.options.integrator = tp_integrator_info_at(k)->name;
            bool is_own = strcmp(kind.options.integrator, own) == 0;
            bool is_relaxed = strncmp(kind.options.integrator, "relaxed", 7) == 0;
            int steps = is_own ? OWN_STEPS : (is_relaxed ? RELAXED_STEPS : OTHER_STEPS);
            kind.options.end_time = fmin(scene->options.end_time, steps * kind.options.time_step);
            if (tp_simulation_create(NULL, kind.model, &kind.options, &simulation, NULL) != TP_OK) continue;
            tp_simulation_free(simulation);
            check_example(check_state_, examples.name[i], &kind, is_own);
            accepted++;
        }
        CHECK(accepted > 0);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(every_example_is_continued_with_the_same_bits_by_every_integrator))
