/* Processor time of whole steps: runs scenes without file output and prints steps a second.
       bench-steps [--integrator NAME] [--dt S] [--set EDIT]... [--json] [SCENE STEPS]...        default: the
   examples below
 */
#include "tippe/tippe.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
    const char *integrator; /* NULL: the scene's */
    double time_step;       /* 0: the scene's    */
    bool as_json;           /* one line with the last state, for siconos_scenes.py, siconos_circuits.py */
    const char *edits[8];   /* of the scenes */
    int edit_count;
} settings;

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void print_numbers(const char *key, const double *numbers, int count)
{
    printf(", \"%s\": [", key);
    for (int k = 0; k < count; k++) printf("%s%.17g", k > 0 ? ", " : "", numbers[k]);
    printf("]");
}

static void print_result(const settings *asked, const char *name, const tp_simulation *simulation,
                         double seconds)
{
    const tp_run_report *report = tp_simulation_report(simulation);
    const char *integrator = tp_simulation_get_options(simulation)->integrator;
    if (!asked->as_json) {
        printf("%-24s %-14s %9lld steps %8.3f s %8.2f us a step, %.2f iterations, %s\n", name, integrator,
               report->steps, seconds, 1e6 * seconds / (double)report->steps, report->iterations_mean,
               report->reason);
        return;
    }
    tp_model_summary summary = tp_model_summarise(tp_simulation_model(simulation));
    printf("{\"scene\": \"%s\", \"integrator\": \"%s\", \"steps\": %lld, \"seconds\": %.9g, \"iterations\": "
           "%.9g",
           name, integrator, report->steps, seconds, report->iterations_mean);
    print_numbers("q", tp_simulation_q(simulation), summary.coordinate_count);
    print_numbers("u", tp_simulation_u(simulation), summary.velocity_count);
    print_numbers("x", tp_simulation_states(simulation), summary.state_count);
    printf("}\n");
}

/* Returns 0 if the scene could be run. */
static int measure_scene(const settings *asked, const char *path, long steps)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read(NULL, path, asked->edits, asked->edit_count, &scene, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    tp_simulation_options options = scene->options;
    if (asked->integrator != NULL) options.integrator = asked->integrator;
    if (asked->time_step > 0.0) options.time_step = asked->time_step;
    options.end_time = options.time_step * (double)steps;
    tp_simulation *simulation = NULL;
    int code = 1;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) == TP_OK) {
        double begin = processor_seconds();
        tp_status status = tp_simulation_run(simulation, NULL, NULL, NULL);
        print_result(asked, scene->name, simulation, processor_seconds() - begin);
        code = status == TP_OK ? 0 : 1;
    } else {
        fprintf(stderr, "%s: %s\n", path, why.text);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return code;
}

/* Reads the options; returns the index of the first word behind them. */
static int read_settings(int argc, char **argv, settings *asked)
{
    int k = 1;
    for (; k < argc && strncmp(argv[k], "--", 2) == 0; k++) {
        if (strcmp(argv[k], "--json") == 0) {
            asked->as_json = true;
        } else if (strcmp(argv[k], "--integrator") == 0 && k + 1 < argc) {
            asked->integrator = argv[++k];
        } else if (strcmp(argv[k], "--set") == 0 && k + 1 < argc && asked->edit_count < 8) {
            asked->edits[asked->edit_count++] = argv[++k];
        } else if (strcmp(argv[k], "--dt") == 0 && k + 1 < argc) {
            asked->time_step = strtod(argv[++k], NULL);
        } else {
            fprintf(stderr, "bench-steps: unknown option %s\n", argv[k]);
            exit(2);
        }
    }
    if ((argc - k) % 2 != 0) {
        fprintf(stderr, "bench-steps: %s: a scene and a number of steps belong together\n", argv[argc - 1]);
        exit(2);
    }
    return k;
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
    settings asked = {0};
    int code = 0, first = read_settings(argc, argv, &asked);
    for (int k = first; k + 1 < argc; k += 2) code |= measure_scene(&asked, argv[k], atol(argv[k + 1]));
    for (size_t k = 0; argc < first + 2 && k < sizeof defaults / sizeof defaults[0]; k++) {
        code |= measure_scene(&asked, defaults[k].path, defaults[k].steps);
    }
    return code;
}
