/* Cost of a step of a chain of N pendula, and how it grows with N:
       bench-chain [--integrator NAME] [--projection NAME] [--steps K] [N]...         default: 100 to 10,000
   Prints processor time a step for each N and the slope of the line through log N, log time. Under callgrind,
   `--steps K` with one N and twice the steps give the instructions of K steps as a difference; README.md. */
#include "tippe/tippe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES_MAX = 16, WARM_STEPS = 3 };

typedef struct settings {
    const char *integrator;
    tp_projection_kind projection;
    int steps; /* 0: as many as take a second */
    int sizes[SIZES_MAX], count;
} settings;

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int fail(const char *text)
{
    fprintf(stderr, "bench-chain: %s\n", text);
    return 2;
}

/* Bars of 1 m and 1 kg in a horizontal line, hinged at their ends about y and z in turn, the first on the
 * ground. */
static tp_status build_chain(int n, tp_model *model)
{
    char name[32], before[32] = "ground";
    TP_TRY(tp_model_set_gravity(model, tp_vec3_make(0.0, -9.81, -1.0), NULL));
    for (int i = 0; i < n; i++) {
        tp_body_def body = tp_body_def_default();
        snprintf(name, sizeof name, "bar%d", i);
        body.name = name;
        body.mass = 1.0;
        body.inertia = tp_mat3_diagonal(tp_vec3_make(0.01, 0.09, 0.09));
        body.position = tp_vec3_make(i + 0.5, 0.0, 0.0);
        TP_TRY(tp_model_add_body(model, &body, NULL, NULL));
    }
    for (int i = 0; i < n; i++) {
        tp_joint_def joint = tp_joint_def_default();
        char hinge[32];
        snprintf(name, sizeof name, "bar%d", i);
        snprintf(hinge, sizeof hinge, "hinge%d", i);
        joint.name = hinge;
        joint.kind = TP_JOINT_REVOLUTE;
        joint.is_in_world = true;
        joint.A.point = tp_vec3_make(i, 0.0, 0.0);
        joint.A.axis = i % 2 == 0 ? tp_vec3_make(0.0, 0.0, 1.0) : tp_vec3_make(0.0, 1.0, 0.0);
        TP_TRY(tp_model_add_joint(model, before, name, &joint, NULL, NULL));
        memcpy(before, name, sizeof before);
    }
    return tp_model_finish(model, NULL, NULL);
}

static tp_status step_times(tp_simulation *simulation, int first, int count)
{
    double dt = tp_simulation_get_options(simulation)->time_step;
    for (int k = first; k < first + count; k++) TP_TRY(tp_simulation_step(simulation, (k + 1) * dt, NULL));
    return TP_OK;
}

/* Seconds of one step; negative: it failed. */
static double measure_steps(const settings *asked, tp_simulation *simulation)
{
    if (step_times(simulation, 0, WARM_STEPS) != TP_OK) return -1.0;
    int done = WARM_STEPS, batch = asked->steps > 0 ? asked->steps : 1;
    double begin = processor_seconds(), seconds = 0.0;
    do {
        if (step_times(simulation, done, batch) != TP_OK) return -1.0;
        done += batch;
        seconds = processor_seconds() - begin;
    } while (asked->steps == 0 && seconds < 1.0);
    return seconds / (done - WARM_STEPS);
}

static double measure_chain(const settings *asked, int n)
{
    tp_model *model = NULL;
    tp_simulation *simulation = NULL;
    tp_simulation_options options = tp_simulation_options_default();
    tp_message why = {""};
    double seconds = -1.0;
    options.integrator = asked->integrator;
    options.projection.kind = asked->projection;
    options.end_time = 1e6;
    if (tp_model_create(NULL, &model) != TP_OK) return seconds;
    if (build_chain(n, model) != TP_OK) {
        fail("the chain cannot be built");
    } else if (tp_simulation_create(NULL, model, &options, &simulation, &why) != TP_OK) {
        fail(why.text);
    } else {
        seconds = measure_steps(asked, simulation);
        if (seconds < 0.0) fail(tp_simulation_report(simulation)->reason);
    }
    tp_simulation_free(simulation);
    tp_model_free(model);
    return seconds;
}

/* Least squares of log time over log N. */
static double slope_of(const int *sizes, const double *seconds, int count)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < count; k++) {
        double a = log(sizes[k]), b = log(seconds[k]);
        x += a / count;
        y += b / count;
        xx += a * a / count;
        xy += a * b / count;
    }
    return (xy - x * y) / (xx - x * x);
}

static int read_settings(int argc, char **argv, settings *asked)
{
    for (int k = 1; k < argc; k++) {
        bool has_value = k + 1 < argc;
        if (strcmp(argv[k], "--integrator") == 0 && has_value) {
            asked->integrator = argv[++k];
        } else if (strcmp(argv[k], "--projection") == 0 && has_value) {
            int kind = tp_projection_find(argv[++k]);
            if (kind < 0) return fail("there is no such projection");
            asked->projection = (tp_projection_kind)kind;
        } else if (strcmp(argv[k], "--steps") == 0 && has_value) {
            asked->steps = atoi(argv[++k]);
            if (asked->steps < 1) return fail("--steps is a whole number above 0");
        } else if (atoi(argv[k]) > 0 && asked->count < SIZES_MAX) {
            asked->sizes[asked->count++] = atoi(argv[k]);
        } else {
            return fail("usage: bench-chain [--integrator NAME] [--projection NAME] [--steps K] [N]...");
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const int defaults[] = {100, 200, 500, 1000, 2000, 5000, 10000};
    settings asked = {.integrator = "moreau"};
    double seconds[SIZES_MAX];
    int code = read_settings(argc, argv, &asked);
    if (code != 0) return code;
    if (asked.count == 0) {
        asked.count = (int)(sizeof defaults / sizeof defaults[0]);
        memcpy(asked.sizes, defaults, sizeof defaults);
    }
    for (int k = 0; k < asked.count; k++) {
        seconds[k] = measure_chain(&asked, asked.sizes[k]);
        if (seconds[k] < 0.0) return 1;
        printf("%6d bars %12.6f ms a step %10.3f us a bar\n", asked.sizes[k], 1e3 * seconds[k],
               1e6 * seconds[k] / asked.sizes[k]);
        fflush(stdout);
    }
    if (asked.count > 1) printf("slope %.3f\n", slope_of(asked.sizes, seconds, asked.count));
    return 0;
}
