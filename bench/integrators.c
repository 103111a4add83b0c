/* Cost of one step by integrator: all of them on the same scene, in turn within one run, median of the
   rounds. bench-integrators [--rounds K] [--dt S] [--integrators A,B,...] [--set PATH=VALUE]... [SCENE
   STEPS]... Default: the scenes below with `moreau` and the energy-consistent integrators. Ratios are to the
   first integrator. */
#include "measure.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 16, ROUNDS_MAX = 51, EDITS_MAX = 16 };

typedef struct settings {
    int rounds, edit_count, name_count;
    double time_step; /* 0: the scene's */
    const char *edits[EDITS_MAX], *names[NAMES_MAX];
} settings;

/* What all rounds of one integrator gave. */
typedef struct record {
    double seconds[ROUNDS_MAX]; /* of a step */
    double iterations;
    char why[512]; /* it cannot: the reason; else empty */
} record;

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], compare_numbers);
    return count % 2 != 0 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* One run from the start; the model and the memory of the simulation are made before. */
static void measure_round(const settings *asked, const tp_scene *scene, const char *name, long steps,
                          int round, record *out)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.integrator = name;
    if (asked->time_step > 0.0) options.time_step = asked->time_step;
    options.end_time = options.time_step * (double)steps;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK) {
        snprintf(out->why, sizeof out->why, "%.500s", why.text);
        return;
    }
    double begin = bench_processor_time();
    tp_status status = tp_simulation_run(simulation, NULL, NULL, NULL);
    double seconds = bench_processor_time() - begin;
    const tp_run_report *report = tp_simulation_report(simulation);
    if (status != TP_OK) snprintf(out->why, sizeof out->why, "%.500s", report->reason);
    out->seconds[round] = seconds / (double)steps;
    out->iterations = report->iterations_mean;
    tp_simulation_free(simulation);
}

/* The integrators that cannot, by name; `tippe check` says why. */
static void print_refused(const settings *asked, const record *records)
{
    const char *before = "not: ";
    for (int k = 0; k < asked->name_count; k++) {
        if (records[k].why[0] == '\0') continue;
        printf("%s%s", before, asked->names[k]);
        before = ", ";
    }
    if (before[0] == ',') printf("\n");
}

static void print_table(const settings *asked, const tp_scene *scene, long steps, record *records)
{
    double first = 0.0, dt = asked->time_step > 0.0 ? asked->time_step : scene->options.time_step;
    printf("\n%s, %ld steps of %g s, median of %d rounds\n\n", scene->name, steps, dt, asked->rounds);
    printf("| integrator | us a step | ratio | iterations a step |\n| --- | --- | --- | --- |\n");
    for (int k = 0; k < asked->name_count; k++) {
        if (records[k].why[0] != '\0') continue;
        double seconds = median(records[k].seconds, asked->rounds);
        if (first == 0.0) first = seconds;
        printf("| %s | %.1f | %.2f | %.2f |\n", asked->names[k], 1e6 * seconds, seconds / first,
               records[k].iterations);
    }
    print_refused(asked, records);
}

/* Returns 0 if the scene could be read. */
static int measure_scene(const settings *asked, const char *path, long steps)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    record *records = calloc(NAMES_MAX, sizeof *records);
    if (records == NULL || steps < 1) return 2;
    if (tp_scene_read(NULL, path, asked->edits, asked->edit_count, &scene, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        free(records);
        return 2;
    }
    for (int round = 0; round < asked->rounds; round++) {
        for (int k = 0; k < asked->name_count; k++) {
            if (records[k].why[0] == '\0')
                measure_round(asked, scene, asked->names[k], steps, round, &records[k]);
        }
    }
    print_table(asked, scene, steps, records);
    tp_scene_free(scene);
    free(records);
    return 0;
}

static int fail(const char *text, const char *word)
{
    fprintf(stderr, "bench-integrators: %s%s\n", text, word);
    exit(2);
}

/* Cuts the list at its commas, in place. */
static void read_names(char *list, settings *asked)
{
    asked->name_count = 0;
    for (char *name = strtok(list, ","); name != NULL; name = strtok(NULL, ",")) {
        if (asked->name_count == NAMES_MAX) fail("too many integrators: ", name);
        asked->names[asked->name_count++] = name;
    }
}

/* Reads the options; returns the index of the first word behind them. */
static int read_settings(int argc, char **argv, settings *asked)
{
    int k = 1;
    for (; k < argc && strncmp(argv[k], "--", 2) == 0; k += 2) {
        if (k + 1 == argc) fail("a value is missing behind ", argv[k]);
        if (strcmp(argv[k], "--rounds") == 0) {
            asked->rounds = atoi(argv[k + 1]);
        } else if (strcmp(argv[k], "--dt") == 0) {
            asked->time_step = strtod(argv[k + 1], NULL);
        } else if (strcmp(argv[k], "--integrators") == 0) {
            read_names(argv[k + 1], asked);
        } else if (strcmp(argv[k], "--set") == 0 && asked->edit_count < EDITS_MAX) {
            asked->edits[asked->edit_count++] = argv[k + 1];
        } else {
            fail("unknown option, or one too many: ", argv[k]);
        }
    }
    if (asked->rounds < 1 || asked->rounds > ROUNDS_MAX) fail("1 to 51 rounds", "");
    if ((argc - k) % 2 != 0) fail("a scene and a number of steps belong together: ", argv[argc - 1]);
    return k;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        double time_step;
        long steps;
    } defaults[] = {{TIPPE_SOURCE_DIR "/examples/woodpecker/scene.yaml", 1e-4, 5000},
                    {TIPPE_SOURCE_DIR "/examples/double-pendulum-wall/scene.yaml", 1e-3, 5000},
                    {TIPPE_SOURCE_DIR "/examples/overbalanced-wheel/scene.yaml", 1e-3, 600},
                    {TIPPE_SOURCE_DIR "/examples/tippe-top/scene.yaml", 1e-4, 5000},
                    {TIPPE_SOURCE_DIR "/examples/pendulum-3d/scene.yaml", 1e-3, 5000}};
    settings asked = {.rounds = 5,
                      .name_count = 8,
                      .names = {"moreau", "consistent-position", "consistent", "consistent-elastic",
                                "consistent-two-step", "consistent-hybrid", "consistent-quaternion",
                                "consistent-quaternion-two-step"}};
    bench_use_one_thread(argv);
    int code = 0, first = read_settings(argc, argv, &asked);
    for (int k = first; k + 1 < argc; k += 2) code |= measure_scene(&asked, argv[k], atol(argv[k + 1]));
    for (size_t k = 0; argc < first + 2 && k < sizeof defaults / sizeof defaults[0]; k++) {
        settings own = asked;
        if (own.time_step == 0.0) own.time_step = defaults[k].time_step;
        code |= measure_scene(&own, defaults[k].path, defaults[k].steps);
    }
    return code;
}
