/* Claim: every example can be stopped and continued with the same bits, with every integrator that accepts
   it; docs/guide/restart.md. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "restarts.h"

#include <glob.h>

enum { STEPS_MAX = 1500 }; /* of a shortened example */

/* Stops after a third of the steps, with few rows, and after all but one, with all rows. */
static void check_example(void **check_state_, const char *path, const run_kind *kind, double end)
{
    scratch_folder folder;
    char files[3][800];
    CHECK(scratch_open(&folder));
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.h5", i);
        snprintf(files[i], sizeof files[i], "%s", scratch_file(&folder, name));
    }
    long long steps = (long long)(end / kind->options.time_step);
    for (int k = 0; k < 2; k++) {
        run_kind own = *kind;
        own.output_every = k == 0 ? 4.7 * own.options.time_step : 0.0;
        tp_simulation *whole = run_to_file(&own, end, NULL, files[0], -1);
        tp_simulation_free(run_to_file(&own, end, NULL, files[1], k == 0 ? steps / 3 : steps - 2));
        tp_simulation *continued = run_to_file(&own, end, files[1], files[2], -1);
        bool same = are_same_states(whole, continued) && are_later_rows_same(files[0], files[2]);
        if (!same) print_error("%s with %s\n", path, own.options.integrator);
        CHECK(same);
        tp_simulation_free(whole);
        tp_simulation_free(continued);
    }
    scratch_close(&folder);
}

TEST(every_example_is_continued_with_the_same_bits_by_every_integrator)
{
    glob_t found;
    CHECK_INT(glob(TIPPE_SOURCE_DIR "/examples/*/scene.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        tp_scene *scene = NULL;
        tp_message why = {""};
        tp_status status = tp_scene_read(NULL, found.gl_pathv[i], NULL, 0, &scene, &why);
        if (status != TP_OK) print_error("%s\n", why.text);
        CHECK_INT(status, TP_OK);
        run_kind kind = {.model = scene->model, .options = scene->options};
        double end = fmin(scene->options.end_time, STEPS_MAX * scene->options.time_step);
        int accepted = 0;
        for (int k = 0; k < tp_integrator_count(); k++) {
            tp_simulation *simulation = NULL;
            kind.options.integrator = tp_integrator_info_at(k)->name;
            if (tp_simulation_create(NULL, kind.model, &kind.options, &simulation, &why) != TP_OK) continue;
            tp_simulation_free(simulation);
            check_example(check_state_, found.gl_pathv[i], &kind, end);
            accepted++;
        }
        CHECK(accepted > 0);
        tp_scene_free(scene);
    }
    globfree(&found);
}

TEST_MAIN(RUNS(every_example_is_continued_with_the_same_bits_by_every_integrator))
