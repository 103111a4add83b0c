/* All examples with generalized-alpha at three step sizes: refused for the reason that the table below says,
   or stepped to the end without a stop, with few iterations, joints that hold and gaps that stay open. A file
   that includes this begins with _POSIX_C_SOURCE 200809L. */
#ifndef TESTS_ALPHA_SWEEP_H
#define TESTS_ALPHA_SWEEP_H

#include "examples.h"

#include <float.h>

/* Step sizes over that of the scene. */
static const double alpha_steps[] = {2.0, 1.0, 0.5};
enum { ALPHA_STEPS = sizeof alpha_steps / sizeof alpha_steps[0] };

#define ALPHA_STATES "is of first order"
static const struct {
    const char *example, *says;
} alpha_refusals[] = {
    {"scalable-body", "not of scalable bodies"},
    {"buck-converter", ALPHA_STATES},
    {"diode-bridge", ALPHA_STATES},
    {"filippov-spiral", ALPHA_STATES},
    {"gene-network", ALPHA_STATES},
    {"hydraulic-pump", ALPHA_STATES},
    {"motor-end-stop", ALPHA_STATES},
    {"rlc-diode", ALPHA_STATES},
    {"sliding-mode", ALPHA_STATES},
};

static inline const char *alpha_refusal_of(const char *example)
{
    for (size_t i = 0; i < sizeof alpha_refusals / sizeof alpha_refusals[0]; i++) {
        if (strcmp(alpha_refusals[i].example, example) == 0) return alpha_refusals[i].says;
    }
    return NULL;
}

/* Steps of a sweep: one of m velocities costs about m^2. */
static inline int alpha_step_count(const tp_scene *scene, double work)
{
    double m = tp_model_summarise(scene->model).velocity_count;
    return 3 + (int)fmin(work / (m * m), 2000.0);
}

/* Iterations, joints on two levels, and gaps: up to what a contact counts as closed, or what the scene has at
   its start; theory/generalized-alpha.md (18), (19). */
static inline bool alpha_holds(const tp_run_report *report, double gap_allowed, double size)
{
    bool has_joints =
        report->position_drift <= 1e-10 && report->angle_drift <= 1e-10 && rate_drift(report) <= 1e-10;
    double allowed = fmax(gap_allowed, 1e-12 * fmax(size, 1.0));
    bool has_mean = report->steps >= 50; /* else impacts of the first steps decide */
    return has_joints && (!has_mean || report->iterations_mean <= 4.0) && report->penetration <= allowed;
}

/* Steps are solved up to 32 roundings of their largest row: gaps to those of an acceleration times dt^2. The
   slip of light-wheel has mu g l^2 m/I = 3.9e6 m/s^2. */
static inline double alpha_gap_rounding(const char *example, double dt)
{
    double row = strcmp(example, "light-wheel") == 0 ? 0.4 * 9.81 * 0.1 * 0.1 / 1e-8 : 0.0;
    return 32.0 * DBL_EPSILON * row * dt * dt;
}

/* Steps an example until the end of its scene, or as many steps as the work allows; false: it does not do
   what it should. */
static inline bool alpha_sweep_one(const char *example, double factor, double work)
{
    tp_scene *scene = read_example(example, NULL);
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.integrator = "generalized-alpha";
    options.time_step *= factor;
    options.projection.kind = TP_PROJECTION_NONE;
    options.correction.is_on = false;
    const char *says = alpha_refusal_of(example);
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    bool is_right = says != NULL ? strstr(why.text, says) != NULL : status == TP_OK;
    if (!is_right) print_error("%s: %s\n", example, status == TP_OK ? "is not refused" : why.text);
    if (status == TP_OK && is_right) {
        const tp_run_report *report = tp_simulation_report(simulation);
        double gap_allowed = fmax(report->penetration, alpha_gap_rounding(example, options.time_step));
        for (int k = 1; k <= alpha_step_count(scene, work) && is_right; k++) {
            double t = fmin(k * options.time_step, options.end_time);
            if (t > tp_simulation_time(simulation))
                is_right = tp_simulation_step(simulation, t, NULL) == TP_OK;
        }
        if (!is_right) print_error("%s, %g dt: %s\n", example, factor, report->reason);
        bool holds = alpha_holds(report, gap_allowed, tp_model_summarise(scene->model).size);
        if (!holds)
            print_error("%s, %g dt: %.2f iterations, penetration %g, joints %g %g\n", example, factor,
                        report->iterations_mean, report->penetration, report->position_drift,
                        rate_drift(report));
        is_right = is_right && holds;
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return is_right;
}

/* How many runs fail. */
static inline int alpha_sweep(double work)
{
    example_list examples = find_examples();
    int failures = 0;
    for (int i = 0; i < examples.count; i++) {
        for (int k = 0; k < ALPHA_STEPS; k++)
            failures += !alpha_sweep_one(examples.name[i], alpha_steps[k], work);
    }
    return failures;
}

#endif
