/* The theta-gamma method for first-order systems; theory/theta-gamma.md. Mechanics beside the states is
   stepped by the theta-method with its own theta; where it has rigid contacts, velocities jump, and a
   first-order scheme has no law for that: moreau-jean has. */
#include "theta_step.h"

static double stability_limit(const tp_simulation_options *options)
{
    return tp_theta_stability_limit(options->theta_method.theta);
}

static bool damps_vibrations(const tp_simulation_options *options)
{
    return options->theta_method.theta > 0.5;
}

const tp_integrator tp_integrator_theta_gamma = {
    .info =
        {.name = "theta-gamma",
         .text =
             "theta-gamma method for first-order states with relays, diodes and other relations; order 2 for "
             "theta = 1/2 without them"},
    .refuses = {[TP_FEATURE_CONTACT] =
                    "has no law for the jump of velocities at a rigid contact (relative degree 2)"},
    .refuse = tp_system_check_force_jacobian,
    .step = tp_theta_step,
    .takes_states = true,
    .name_of_set = tp_theta_name_of_set,
    .law_of_set = tp_theta_law_of_set,
    .takes_static = true,
    .levels = {0, 0, 0, 0},
    .system = {.springs_are_laws = true},
    .memory = tp_theta_memory,
    .start = tp_theta_start,
    .prepare = tp_theta_prepare,
    .stability_limit = stability_limit,
    .damps_vibrations = damps_vibrations,
    .reach = 1.0,
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
};
