/* A simulation between its steps, by id: what bodies, joints, contacts, forces and sensors do, and wrenches
   that a controller applies; docs/guide/embed.md. Nothing here allocates. A NULL simulation or result and an
   id that does not belong to the simulation's model are TP_INVALID_ARGUMENT. Vectors are in the world. */
#ifndef TIPPE_STATE_H
#define TIPPE_STATE_H

#include "tippe/multibody.h"
#include "tippe/simulation.h"
#include "tippe/states.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_body_motion {
    tp_vec3 position;         /* of the origin of the body's points [m]                                  */
    tp_vec3 center;           /* of mass [m]                                                             */
    tp_quat orientation;      /* body to world                                                           */
    tp_vec3 velocity;         /* of the centre of mass [m/s]                                             */
    tp_vec3 angular_velocity; /* [rad/s]                                                                 */
    /* Means over the last step: the change of the velocity divided by the length of the step, impacts
       included [m/s^2], [rad/s^2]. NaN before the first step and after tp_simulation_restore. */
    tp_vec3 acceleration, angular_acceleration;
} tp_body_motion;

/* How a body moves now; the ground rests at the origin. */
tp_status tp_simulation_body(const tp_simulation *simulation, tp_body_id body, tp_body_motion *motion_out,
                             tp_message *why_out);

typedef struct tp_body_wrench {
    tp_vec3 force, moment; /* [N], [N m]                                                               */
    tp_vec3 point;         /* of the body where the force acts, among the body's points [m]             */
    bool is_in_body;       /* force and moment turn with the body, else they keep their directions      */
} tp_body_wrench;

/* Applies a wrench to a body in all further steps, until another call for this body; NULL ends it. It adds to
   the forces of the model, and its work is part of tp_step_report.applied_work. Checkpoints do not hold it:
   who applies it applies it again after a restart. A body that does not move freely is refused. */
tp_status tp_simulation_apply_wrench(tp_simulation *simulation, tp_body_id body, const tp_body_wrench *wrench,
                                     tp_message *why_out);

/* Coordinates of a joint now, and what it transmitted in the last step; 0 before the first one. */
tp_status tp_simulation_joint(const tp_simulation *simulation, tp_joint_id joint, tp_joint_state *state_out,
                              tp_message *why_out);

typedef struct tp_law_activity {
    int row_count;
    bool is_closed;                   /* took part in the last step                                   */
    double gap;                       /* of a contact [m] or [rad]; NaN: it is not one                 */
    double impulse[TP_IMPULSE_ROWS];  /* in the last step, normal first [N s] or [N m s]               */
    double dissipation, applied_work; /* in the last step [J]                                          */
} tp_law_activity;

/* A constraint, contact, limit, motor or law now and in the last step. */
tp_status tp_simulation_law(const tp_simulation *simulation, tp_law_id law, tp_law_activity *state_out,
                            tp_message *why_out);

/* The contact points between shapes that took part in the last step, in the order of their laws. count_out is
   their number, of which at most `capacity` are written. */
tp_status tp_simulation_contacts(const tp_simulation *simulation, int capacity, tp_contact_info *contacts_out,
                                 int *count_out, tp_message *why_out);

typedef struct tp_force_state {
    tp_vec3 force, moment; /* on B (a wrench: on its body), about its centre of mass [N], [N m] */
    double energy;         /* stored in it [J]                                                  */
} tp_force_state;

/* What a spring, bushing or wrench of the model does at the present state. */
tp_status tp_simulation_force(const tp_simulation *simulation, tp_force_id force, tp_force_state *state_out,
                              tp_message *why_out);

/* A coordinate or velocity that belongs to no body, and a first-order state, now. */
typedef struct tp_coordinate_motion {
    double value, rate; /* q, q' */
} tp_coordinate_motion;
tp_status tp_simulation_coordinate(const tp_simulation *simulation, tp_coordinate_id coordinate,
                                   tp_coordinate_motion *motion_out, tp_message *why_out);
tp_status tp_simulation_velocity(const tp_simulation *simulation, tp_velocity_id velocity, double *value_out,
                                 tp_message *why_out);
tp_status tp_simulation_state(const tp_simulation *simulation, tp_state_id state, double *value_out,
                              tp_message *why_out);

typedef struct tp_relation_activity {
    double multiplier; /* of the last step         */
    double output;     /* y at the present state   */
} tp_relation_activity;

/* Row 0, 1, ... of a relation. */
tp_status tp_simulation_relation(const tp_simulation *simulation, tp_relation_id relation, int row,
                                 tp_relation_activity *state_out, tp_message *why_out);

/* The value of a sensor now, in its unit. */
tp_status tp_simulation_sense(const tp_simulation *simulation, tp_sensor_id sensor, double *value_out,
                              tp_message *why_out);

/* ---- accelerations and forces at the present state; docs/theory/second-level.md (24)-(28) ----

   Not means over a step: what the equations of motion say where the simulation stands, with contacts that are
   closed, friction that sticks or slips and motors at their limits. The first of these calls takes memory; it
   is kept, and a state is solved once. TP_NOT_CONVERGED, TP_INFEASIBLE or TP_SINGULAR: no accelerations
   satisfy all laws. */

typedef struct tp_acceleration_info {
    bool is_exact; /* false: a contact of shapes has a kink here, or C functions lack second derivatives  */
    int impact_count; /* laws that are about to jump: their forces are not those of the impact              */
    double residual;  /* E of the problem with contacts and friction; 0 without                             */
} tp_acceleration_info;

/* u', as many as velocities of the model; both results may be NULL. */
tp_status tp_simulation_accelerations(tp_simulation *simulation, double *acceleration_out,
                                      tp_acceleration_info *info_out, tp_message *why_out);

/* Acceleration of a point of the body [m/s^2], and angular acceleration [rad/s^2]; both may be NULL. */
tp_status tp_simulation_body_acceleration(tp_simulation *simulation, tp_body_id body, tp_vec3 point,
                                          tp_vec3 *acceleration_out, tp_vec3 *angular_out,
                                          tp_message *why_out);

/* A joint with the reaction that it transmits now; acceleration_out [coordinate_count] of its coordinates may
   be NULL. */
tp_status tp_simulation_joint_now(tp_simulation *simulation, tp_joint_id joint, tp_joint_state *state_out,
                                  double *acceleration_out, tp_message *why_out);

/* Forces of the rows of a law, normal first: force_out [TP_IMPULSE_ROWS], [N] or [N m]. The index may be that
   of a contact between shapes, as tp_simulation_law_count counts them until the next step. */
tp_status tp_simulation_law_force(tp_simulation *simulation, tp_law_id law, double *force_out,
                                  tp_message *why_out);

/* y[level] of the rows of a law at the present state: 0 positions (the gap first; NaN in rows that have none:
   slip, laws on velocities), 1 velocities, 2 accelerations; y_out [TP_IMPULSE_ROWS]. Its lambda[1] are the
   impulses of tp_simulation_last_impulse, lambda[2] the forces of tp_simulation_law_force; y[0] and lambda[0]
   of relations are tp_simulation_output and tp_simulation_multipliers. */
tp_status tp_simulation_law_output(tp_simulation *simulation, tp_law_id law, int level, double *y_out,
                                   tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
