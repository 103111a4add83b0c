/* Joints, what acts on their coordinates, shapes of bodies and contacts between them; docs/theory/bodies.md.
   Bodies are named; "ground" is the fixed one. Points of a body are given relative to the origin its user
   chose. */
#ifndef TIPPE_MULTIBODY_H
#define TIPPE_MULTIBODY_H

#include "tippe/body.h"
#include "tippe/force.h"
#include "tippe/geometry.h"
#include "tippe/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A joint between two bodies; docs/theory/joints.md. */
tp_status tp_model_add_joint(tp_model *model, const char *body_a, const char *body_b, const tp_joint_def *def,
                             tp_joint_id *id_out, tp_message *why_out);

/* One coordinate of a joint, by name ("angle", "displacement"); NULL: its only one. */
typedef struct tp_joint_coordinate {
    const char *joint, *coordinate;
} tp_joint_coordinate;

/* Keeps a coordinate within [lower, upper]; either may be infinite. */
typedef struct tp_limit_def {
    const char *name;
    tp_joint_coordinate on;
    double lower, upper; /* [rad] or [m] */
    double restitution;  /* 0 to 1       */
    tp_place place;
} tp_limit_def;
tp_limit_def tp_limit_def_default(void);
tp_status tp_model_add_limit(tp_model *model, const tp_limit_def *def, tp_law_id *id_out,
                             tp_message *why_out);

/* Drives a coordinate: to a position that is a function of time, or at a speed that is one, as far as the
   force limit [-max_force, max_force] allows. */
typedef struct tp_motor_def {
    const char *name;
    tp_joint_coordinate on;
    tp_function position; /* of time; or */
    tp_function speed;    /* of time     */
    double max_force;     /* force limit [N] or [N m] of a speed; infinite: whatever it takes           */
    tp_place place;
} tp_motor_def;
tp_motor_def tp_motor_def_default(void);
tp_status tp_model_add_motor(tp_model *model, const tp_motor_def *def, tp_law_id *id_out,
                             tp_message *why_out);

/* Couples coordinates: the sum of factor times coordinate stays what it is at the start (gears, racks,
   differentials). */
enum { TP_COUPLER_TERMS = 4 };
typedef struct tp_coupler_def {
    const char *name;
    int term_count;
    tp_joint_coordinate on[TP_COUPLER_TERMS];
    double factor[TP_COUPLER_TERMS];
    tp_place place;
} tp_coupler_def;
tp_coupler_def tp_coupler_def_default(void);
tp_status tp_model_add_coupler(tp_model *model, const tp_coupler_def *def, tp_law_id *id_out,
                               tp_message *why_out);

/* Dry friction in a revolute, cylindrical, prismatic or spherical joint. The bound of the force (torque) is
   constant, or coefficient times the norm of the joint's own reaction force [times radius for a torque]. */
typedef struct tp_joint_friction_def {
    const char *name, *joint;
    double coefficient;                      /* mu >= 0                                              */
    double radius;                           /* of the bearing [m], for torques                      */
    double bound;                            /* > 0: a constant bound [N] or [N m] instead           */
    double static_coefficient, static_bound; /* >= these while it sticks; 0: the same */
    tp_place place;
} tp_joint_friction_def;
tp_joint_friction_def tp_joint_friction_def_default(void);
tp_status tp_model_add_joint_friction(tp_model *model, const tp_joint_friction_def *def, tp_law_id *id_out,
                                      tp_message *why_out);

/* Springs, dampers and bushings between two bodies, and on the coordinate of a joint; docs/theory/forces.md.
 */
tp_status tp_model_add_spring(tp_model *model, const char *body_a, const char *body_b,
                              const tp_spring_def *def, tp_force_id *id_out, tp_message *why_out);
tp_status tp_model_add_bushing(tp_model *model, const char *body_a, const char *body_b,
                               const tp_bushing_def *def, tp_force_id *id_out, tp_message *why_out);
tp_status tp_model_add_coordinate_spring(tp_model *model, tp_joint_coordinate on,
                                         const tp_coordinate_spring_def *def, tp_force_id *id_out,
                                         tp_message *why_out);

/* A force and a moment on a body, functions of time and state. */
typedef struct tp_wrench_def {
    const char *name, *body;
    tp_function force[3], moment[3]; /* [N], [N m]; what is not given is zero                        */
    bool is_in_body;                 /* both along the body's directions, else along those of the world */
    tp_vec3 point;                   /* of the body where the force acts [m]                          */
    tp_place place;
} tp_wrench_def;
tp_wrench_def tp_wrench_def_default(void);
tp_status tp_model_add_wrench(tp_model *model, const tp_wrench_def *def, tp_force_id *id_out,
                              tp_message *why_out);

/* A shape of a body, for contacts and pictures. */
typedef struct tp_shape_def {
    const char *name, *body;
    tp_solid solid;
    tp_pose pose;    /* in the frame of the body's points                  */
    bool is_passive; /* for mass and pictures alone: no contact may name it */
    tp_place place;
} tp_shape_def;
tp_shape_def tp_shape_def_default(void);
tp_status tp_model_add_shape(tp_model *model, const tp_shape_def *def, tp_shape_id *id_out,
                             tp_message *why_out);

/* What happens where two shapes touch. Friction of the contact points: none (mu = 0), Coulomb's, an ellipse
   along the two tangents, with drilling (Contensou and its approximations), with rolling resistance. */
typedef struct tp_pair_def {
    const char *name;
    const char *shape_a, *shape_b;
    tp_friction_kind
        friction_kind; /* BALL; ELLIPSOID, BRICK (two coefficients); CONTENSOU, CYLINDER with drilling */
    double friction[2];
    double static_friction; /* mu_s >= friction[0] while it sticks: all bounds are larger by mu_s/friction[0];
                               0: as friction */
    double drilling_radius; /* Rbar [m] > 0: a drilling row is added */
    double rolling;         /* [m] > 0: rolling resistance, largest torque per normal force */
    double restitution, tangential_restitution;
    tp_place place;
} tp_pair_def;
tp_pair_def tp_pair_def_default(void);
tp_status tp_model_add_pair(tp_model *model, const tp_pair_def *def, tp_pair_id *id_out, tp_message *why_out);

/* The same for many shapes: each of one group may touch each of another. Shapes of one body never touch, nor
   do shapes that cannot move or for which there are no contact points; of several rules for two shapes the
   last one counts. Costs as much as it has shapes and exclusions, not as much as it has pairs. */
typedef struct tp_shape_pair {
    int a, b; /* numbers of shapes */
} tp_shape_pair;
typedef struct tp_rule_def {
    tp_pair_def law; /* its shapes are left aside                                        */
    int shape_count;
    const int *shapes, *groups; /* [shape_count] numbers of shapes, and the group of each           */
    int exclusion_count;
    const tp_shape_pair *excluded; /* [exclusion_count] shapes that do not touch by this rule             */
} tp_rule_def;
tp_rule_def tp_rule_def_default(void);
tp_status tp_model_add_rule(tp_model *model, const tp_rule_def *def, tp_pair_id *id_out, tp_message *why_out);

/* Output columns of joints and contacts. Forces are impulses of the last step divided by its length, and
   act on B; directions are those at the end of the step. */
typedef enum tp_along {
    TP_ALONG_X,
    TP_ALONG_Y,
    TP_ALONG_Z,
    TP_ALONG_NORMAL,   /* of a contact: from A to B */
    TP_ALONG_TANGENT1, /* of a contact              */
    TP_ALONG_TANGENT2, /* of a contact in space     */
    TP_ALONG_ALL       /* the norm                  */
} tp_along;

typedef enum tp_joint_quantity {
    TP_JOINT_SENSES_COORDINATE, /* turns are counted                       */
    TP_JOINT_SENSES_RATE,       /* of the coordinate                       */
    TP_JOINT_SENSES_REACTION,   /* force, mean over the last step [N]      */
    TP_JOINT_SENSES_MOMENT,     /* about the joint's point on B, the same [N m] */
    TP_JOINT_SENSES_DRIVE,      /* force or torque of the motor of the coordinate, the same */
    /* at the present state, from the accelerations there: */
    TP_JOINT_SENSES_ACCELERATION, /* of the coordinate                  */
    TP_JOINT_SENSES_REACTION_NOW, /* force [N]                          */
    TP_JOINT_SENSES_MOMENT_NOW    /* [N m]                              */
} tp_joint_quantity;

typedef struct tp_joint_sensor_def {
    const char *name, *unit; /* unit NULL: that of the quantity                            */
    tp_joint_coordinate on;  /* the coordinate is of no use to reactions                   */
    tp_joint_quantity quantity;
    tp_along component; /* of reactions: X, Y, Z or ALL                                   */
    bool is_in_joint;   /* ... along the axes of the joint on A (z its axis), else the world's */
    tp_place place;
} tp_joint_sensor_def;

/* A named output column: the motion of a joint, or what it transmits. */
tp_joint_sensor_def tp_joint_sensor_def_default(void);
tp_status tp_model_add_joint_sensor(tp_model *model, const tp_joint_sensor_def *def, tp_sensor_id *id_out,
                                    tp_message *why_out);

typedef enum tp_body_quantity {
    TP_BODY_SENSES_ACCELERATION,        /* of a point, at the present state [m/s^2] */
    TP_BODY_SENSES_ANGULAR_ACCELERATION /* [rad/s^2]                                */
} tp_body_quantity;

typedef struct tp_body_sensor_def {
    const char *name, *unit; /* unit NULL: that of the quantity                            */
    const char *body;
    tp_vec3 point; /* among the body's points [m]                                          */
    tp_body_quantity quantity;
    tp_along component; /* X, Y, Z or ALL                                                  */
    bool is_in_body;    /* along the body's directions, else the world's                   */
    tp_place place;
} tp_body_sensor_def;

/* A named output column: how a point of a body is accelerated. */
tp_body_sensor_def tp_body_sensor_def_default(void);
tp_status tp_model_add_body_sensor(tp_model *model, const tp_body_sensor_def *def, tp_sensor_id *id_out,
                                   tp_message *why_out);

typedef enum tp_contact_quantity {
    TP_CONTACT_SENSES_FORCE, /* sum over the points of the contact [N]     */
    TP_CONTACT_SENSES_GAP,   /* the least of them [m]                      */
    TP_CONTACT_SENSES_SLIP   /* where the gap is least [m/s]; NaN: nowhere */
} tp_contact_quantity;

typedef struct tp_contact_sensor_def {
    const char *name, *unit;
    const char *contact; /* a pair, a rule or a contact with a gap */
    tp_contact_quantity quantity;
    tp_along component;
    tp_place place;
} tp_contact_sensor_def;

/* A named output column: the force, gap or slip of contacts. */
tp_contact_sensor_def tp_contact_sensor_def_default(void);
tp_status tp_model_add_contact_sensor(tp_model *model, const tp_contact_sensor_def *def, tp_sensor_id *id_out,
                                      tp_message *why_out);

/* Ids by name; {0}: there is none. Names of pairs and rules are not names of laws. */
tp_joint_id tp_model_joint_named(const tp_model *model, const char *name);
tp_shape_id tp_model_shape_named(const tp_model *model, const char *name);
tp_pair_id tp_model_pair_named(const tp_model *model, const char *name);
tp_force_id tp_model_force_named(const tp_model *model, const char *name);
tp_law_id tp_model_law_named(const tp_model *model, const char *name);
tp_sensor_id tp_model_sensor_named(const tp_model *model, const char *name);

const char *tp_model_rule_name(const tp_model *model, int rule); /* of a pair or rule; NULL: there is none */

/* What was added. */
int tp_model_joint_count(const tp_model *model);
const char *tp_model_joint_name(const tp_model *model, int joint);   /* NULL: there is none */
tp_joint_kind tp_model_joint_kind(const tp_model *model, int joint); /* TP_JOINT_KIND_COUNT: none */
bool tp_model_joint_bodies(const tp_model *model, int joint, int bodies_out[2]); /* A, B; -1 is the ground */

/* Shapes in the order in which they were added. */
int tp_model_shape_count(const tp_model *model);
tp_shape_def tp_model_shape_at(const tp_model *model, int shape); /* name NULL: there is none */

/* Laws on velocities alone, among them limited motors and friction in joints. */
int tp_model_velocity_law_count(const tp_model *model);

#ifdef __cplusplus
}
#endif

#endif
