/* Processor time of whole steps: runs scenes without file output and prints steps a second.
       bench-steps [SCENE STEPS]...        default: the examples below */
#include "tippe/tippe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Returns 0 if the scene could be run. */
static int measure_scene(const char *path, long steps)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read(NULL, path, NULL, 0, &scene, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    tp_simulation_options options = scene->options;
    options.end_time = options.time_step * (double)steps;
    tp_simulation *simulation = NULL;
    int code = 1;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) == TP_OK) {
        double begin = processor_seconds();
        tp_status status = tp_simulation_run(simulation, NULL, NULL);
        double seconds = processor_seconds() - begin;
        const tp_run_report *report = tp_simulation_report(simulation);
        printf("%-24s %-14s %9lld steps %8.3f s %8.2f us a step, %.2f iterations, %s\n", scene->name,
               options.integrator, report->steps, seconds, 1e6 * seconds / (double)report->steps,
               report->iterations_mean, report->reason);
        code = status == TP_OK ? 0 : 1;
    } else {
        fprintf(stderr, "%s: %s\n", path, why.text);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return code;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        long steps;
    } defaults[] = {{TIPPE_SOURCE_DIR "/examples/woodpecker/scene.yaml", 100000},
                    {TIPPE_SOURCE_DIR "/examples/double-pendulum-wall/scene.yaml", 20000},
                    {TIPPE_SOURCE_DIR "/examples/overbalanced-wheel/scene.yaml", 2000},
                    {TIPPE_SOURCE_DIR "/examples/rocking-block/scene.yaml", 50000}};
    int code = 0;
    for (int k = 1; k + 1 < argc; k += 2) code |= measure_scene(argv[k], atol(argv[k + 1]));
    for (size_t k = 0; argc < 3 && k < sizeof defaults / sizeof defaults[0]; k++) {
        code |= measure_scene(defaults[k].path, defaults[k].steps);
    }
    return code;
}
