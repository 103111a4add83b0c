/* Simulations for tests: whatever fails ends the test with its reason. */
#ifndef TESTS_SIMULATIONS_H
#define TESTS_SIMULATIONS_H

#include "check.h"
#include "tippe/tippe.h"

#include <math.h>
#include <string.h>

static inline tp_simulation *simulate_options(const tp_model *model, tp_simulation_options options)
{
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    if (tp_simulation_create(NULL, model, &options, &simulation, &why) != TP_OK) fail_msg("%s", why.text);
    return simulation;
}

static inline tp_simulation_options options_of(const char *integrator, double time_step, double end_time)
{
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = integrator;
    options.time_step = time_step;
    options.end_time = end_time;
    return options;
}

static inline tp_simulation *simulate_with(const tp_model *model, const char *integrator, double time_step,
                                           double end_time)
{
    return simulate_options(model, options_of(integrator, time_step, end_time));
}

/* moreau-jean with a theta of its own. */
static inline tp_simulation *simulate_theta(const tp_model *model, double time_step, double end_time,
                                            double theta)
{
    tp_simulation_options options = options_of("moreau-jean", time_step, end_time);
    options.theta_method.theta = theta;
    return simulate_options(model, options);
}

static inline void run(tp_simulation *simulation)
{
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
}

static inline void step_to(tp_simulation *simulation, double t)
{
    if (tp_simulation_step(simulation, t, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
}

static inline void run_steps(tp_simulation *simulation, int count, double time_step)
{
    for (int k = 1; k <= count; k++) step_to(simulation, k * time_step);
}

/* Errors of joints on velocity level, of lengths [m/s] and of angles [rad/s]. */
static inline double rate_drift(const tp_run_report *report)
{
    return fmax(report->velocity_drift, report->angular_velocity_drift);
}

static inline tp_scene *scene_of(const char *text)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    return scene;
}

#endif
