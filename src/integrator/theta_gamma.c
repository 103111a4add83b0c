/* The theta-gamma method for first-order systems; theory/theta-gamma.md. Mechanics beside the states is
   stepped by the theta-method with its own theta; where it has rigid contacts, velocities jump, and a
   first-order scheme has no law for that: moreau-jean has. */
#include "theta_step.h"

const tp_integrator tp_integrator_theta_gamma = {
    .info =
        {.name = "theta-gamma",
         .text =
             "theta-gamma method for first-order states with relays, diodes and other relations; order 2 for "
             "theta = 1/2 without them"},
    .refuses = {[TP_FEATURE_CONTACT] =
                    "has no law for the jump of velocities at a rigid contact (relative degree 2)"},
    .levels = {0, 0, 0, 0},
    .reach = 1.0,
    TP_THETA_METHOD,
};
