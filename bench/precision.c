/* Work and precision: error of positions at the end over processor time, for several integrators and steps on
   the same scenes. bench-precision [--levels N] [--integrators A,B,...] [--plot FILE.svg] [SCENE UNTIL DT]...
   The reference is a run of the last integrator that takes the scene with a step 16 times finer than the
   finest. */
#include "measure.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 16, LEVELS_MAX = 8, SCENES_MAX = 16, REFINE = 16, Q_MAX = 512 };

/* What the figure shows of one scene: NaN where there is nothing. */
typedef struct scene_result {
    char title[128];
    double error[NAMES_MAX][LEVELS_MAX], work[NAMES_MAX][LEVELS_MAX]; /* [ms] */
} scene_result;

typedef struct settings {
    int levels, name_count;
    const char *names[NAMES_MAX];
    const char *plot; /* NULL: none */
    int result_count;
    scene_result results[SCENES_MAX];
} settings;

typedef struct scene_run {
    const char *name;
    double until, dt;
} scene_run;

static const scene_run scenes[] = {{"double-pendulum", 0.5, 4e-3},
                                   {"pendulum-3d", 0.5, 4e-3},
                                   {"heavy-top", 0.5, 4e-3},
                                   {"free-body", 1.0, 2e-2},
                                   {"skate", 1.0, 2e-2},
                                   {"variable-transmission", 1.0, 2e-2},
                                   {"spatial-slider-crank", 0.5, 5e-3},
                                   {"cylinder-ball", 0.5, 1e-2},
                                   {"sphere-slide-roll", 0.25, 5e-3},
                                   {"four-bar-friction", 0.2, 2e-3}};

/* Positions at the end and the processor time; false: it cannot or it stopped. */
static bool run(const tp_scene *scene, const char *integrator, double dt, double until, double *q_out,
                double *seconds_out)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    options.integrator = integrator;
    options.time_step = dt;
    options.end_time = until;
    options.projection.kind = TP_PROJECTION_NONE;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, NULL) != TP_OK) return false;
    double begin = bench_processor_time();
    tp_status status = tp_simulation_run(simulation, NULL, NULL, NULL);
    *seconds_out = bench_processor_time() - begin;
    int count = tp_model_summarise(scene->model).coordinate_count;
    if (count <= Q_MAX) memcpy(q_out, tp_simulation_q(simulation), (size_t)count * sizeof(double));
    tp_simulation_free(simulation);
    return status == TP_OK && count <= Q_MAX;
}

static double error_of(const tp_scene *scene, const double *q, const double *reference)
{
    double error = 0.0;
    for (int i = 0; i < tp_model_summarise(scene->model).coordinate_count; i++)
        error = fmax(error, fabs(q[i] - reference[i]));
    return error;
}

static scene_result *next_result(settings *asked, const scene_run *at)
{
    if (asked->result_count == SCENES_MAX) return NULL;
    scene_result *result = &asked->results[asked->result_count++];
    snprintf(result->title, sizeof result->title, "%s, until %g s, steps of %g s and less", at->name,
             at->until, at->dt);
    for (int i = 0; i < NAMES_MAX; i++) {
        for (int k = 0; k < LEVELS_MAX; k++) result->error[i][k] = result->work[i][k] = NAN;
    }
    return result;
}

static void print_scene(settings *asked, const scene_run *at, const tp_scene *scene)
{
    double reference[Q_MAX] = {0.0}, q[Q_MAX], seconds;
    double finest = at->dt / (1 << (asked->levels - 1)) / REFINE;
    int by = asked->name_count - 1;
    while (by >= 0 && !run(scene, asked->names[by], finest, at->until, reference, &seconds)) by--;
    if (by < 0) return;
    printf("\n%s until %g s, against %s with %g s: error of positions, ms of work\n\n| integrator |",
           at->name, at->until, asked->names[by], finest);
    for (int k = 0; k < asked->levels; k++) printf(" %g s |", at->dt / (1 << k));
    printf("\n|");
    for (int k = 0; k <= asked->levels; k++) printf(" --- |");
    printf("\n");
    scene_result *result = next_result(asked, at);
    for (int i = 0; i < asked->name_count; i++) {
        if (!run(scene, asked->names[i], at->dt, at->dt, q, &seconds)) continue;
        printf("| %s |", asked->names[i]);
        for (int k = 0; k < asked->levels; k++) {
            if (!run(scene, asked->names[i], at->dt / (1 << k), at->until, q, &seconds)) {
                printf(" stops |");
                continue;
            }
            double error = error_of(scene, q, reference);
            printf(" %.1e, %.2f |", error, 1e3 * seconds);
            if (result != NULL) result->error[i][k] = error, result->work[i][k] = 1e3 * seconds;
        }
        printf("\n");
    }
}

static void measure(settings *asked, const scene_run *at)
{
    char path[1024];
    tp_scene *scene = NULL;
    tp_message why = {""};
    snprintf(path, sizeof path, "%s/examples/%s/scene.yaml", TIPPE_SOURCE_DIR, at->name);
    if (tp_scene_read(NULL, path, NULL, 0, &scene, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        return;
    }
    print_scene(asked, at, scene);
    tp_scene_free(scene);
}

static void read_names(settings *asked, char *list)
{
    asked->name_count = 0;
    for (char *name = strtok(list, ","); name != NULL && asked->name_count < NAMES_MAX;
         name = strtok(NULL, ","))
        asked->names[asked->name_count++] = name;
}

/* A panel for each scene: error over work, a curve for each integrator. */
static int write_plot(const settings *asked)
{
    static tp_plot_series series[SCENES_MAX][NAMES_MAX];
    tp_plot_panel panels[SCENES_MAX];
    tp_plot_key keys[NAMES_MAX];
    tp_plot_figure figure = tp_plot_figure_default();
    tp_message why = {""};
    for (int s = 0; s < asked->result_count; s++) {
        const scene_result *result = &asked->results[s];
        for (int i = 0; i < asked->name_count; i++)
            series[s][i] = (tp_plot_series){result->work[i], result->error[i], asked->levels, {i, i}, false};
        panels[s] = (tp_plot_panel){.title = result->title,
                                    .x_label = "work [ms]",
                                    .y_label = "error",
                                    .series = series[s],
                                    .series_count = asked->name_count,
                                    .is_log = true,
                                    .is_log_x = true,
                                    .has_margin = true};
    }
    for (int i = 0; i < asked->name_count; i++) keys[i] = (tp_plot_key){asked->names[i], {i, i}};
    figure.panels = panels;
    figure.panel_count = asked->result_count;
    figure.keys = keys;
    figure.key_count = asked->name_count;
    if (tp_plot_write(NULL, &figure, asked->plot, &why) == TP_OK) return 0;
    fprintf(stderr, "%s\n", why.text);
    return 1;
}

int main(int argc, char **argv)
{
    static settings asked = {.levels = 3,
                             .name_count = 6,
                             .names = {"moreau", "moreau-jean", "consistent-two-step",
                                       "consistent-quaternion", "symmetric-moreau", "generalized-alpha"}};
    int k = 1;
    for (; k + 1 < argc && argv[k][0] == '-'; k += 2) {
        if (strcmp(argv[k], "--levels") == 0) asked.levels = atoi(argv[k + 1]);
        if (strcmp(argv[k], "--integrators") == 0) read_names(&asked, argv[k + 1]);
        if (strcmp(argv[k], "--plot") == 0) asked.plot = argv[k + 1];
    }
    if (asked.levels < 1 || asked.levels > LEVELS_MAX || asked.name_count < 1) return 2;
    for (size_t i = 0; k >= argc && i < sizeof scenes / sizeof scenes[0]; i++) measure(&asked, &scenes[i]);
    for (; k + 2 < argc; k += 3) {
        const scene_run given = {argv[k], atof(argv[k + 1]), atof(argv[k + 2])};
        measure(&asked, &given);
    }
    return asked.plot != NULL ? write_plot(&asked) : 0;
}
