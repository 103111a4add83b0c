/* Bodies: frames with mass. docs/theory/bodies.md. A body's position is that of its centre of mass; points of
   a body are given in its own directions, relative to the origin that the user chose (`center` says where the
   centre of mass lies in it). */
#ifndef TIPPE_BODY_H
#define TIPPE_BODY_H

#include "tippe/math.h"
#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tp_body_kind {
    TP_BODY_RIGID,  /* q = (r, p) with a unit quaternion p, u = (v, w): w in the body's directions         */
    TP_BODY_PLANAR, /* q = (x, y, phi) in the plane z = 0, u = q'                                          */
    TP_BODY_POINT,  /* q = r, u = q'; its directions stay those of the world                               */
    TP_BODY_MOVING, /* no coordinates: a frame that is a given function of time                            */
    TP_BODY_SCALABLE, /* turns and changes its size s = |p|^2: q = (r, p), u = (v, nu, omega), nu = s',
                         omega = s times the angular velocity in the body's directions */
    TP_BODY_AFFINE /* q = (r, d1, d2, d3), u = q': what some integrators make of RIGID; never given        */
} tp_body_kind;

typedef struct tp_body_info {
    const char *name; /* "rigid" */
    const char *text; /* one line */
    int coordinate_count, velocity_count;
} tp_body_info;

/* NULL outside of the kinds. */
enum { TP_BODY_KIND_COUNT = TP_BODY_SCALABLE + 1 };
const tp_body_info *tp_body_kind_info(tp_body_kind kind);

typedef struct tp_body_def {
    const char *name;
    tp_body_kind kind;
    double mass;         /* [kg] > 0 (not of a MOVING body)                                                 */
    tp_mat3 inertia;     /* RIGID: about the centre of mass [kg m^2]; PLANAR: only cz.z                     */
    tp_vec3 center;      /* centre of mass in the frame of the body's points [m]                            */
    tp_vec3 position;    /* of the origin of that frame at the start [m]                                    */
    tp_quat orientation; /* at the start, body to world; PLANAR: a rotation about z                         */
    tp_vec3 velocity;    /* of the centre of mass at the start [m/s]                                        */
    tp_vec3 angular_velocity; /* at the start, in the body's directions [rad/s] */
    tp_function motion[3]; /* MOVING: position of the origin as functions of time; unset: constant         */
    tp_function turning; /* MOVING: angle [rad] about `axis` (in the body's directions), a function of time */
    tp_vec3 axis;
    double size, size_rate; /* SCALABLE: s > 0 at the start and its rate [1/s]; inertia is that at size 1 */
    tp_place place;
} tp_body_def;
/* A rigid body of no mass yet, at rest at the origin; size 1. */
tp_body_def tp_body_def_default(void);

/* Adds a body; all coordinates and velocities of formula models come before the first one. Its coordinates
   are known to formulas as NAME.x, NAME.y, NAME.z, NAME.p0 ... NAME.p3 (planar: NAME.x, NAME.y, NAME.phi),
   their rates with an apostrophe, the angular velocities as NAME.omega.x, .y, .z (body directions), the rate
   of the size of a scalable body as NAME.nu. */
tp_status tp_model_add_body(tp_model *model, const tp_body_def *def, tp_body_id *id_out, tp_message *why_out);

/* Index of a body by name; -1: the ground ("ground"); -2: there is none. */
int tp_model_find_body(const tp_model *model, const char *name);

/* The id of a body by name, "ground" or one that was added; {0}: there is none. */
tp_body_id tp_model_body_named(const tp_model *model, const char *name);
int tp_model_body_count(const tp_model *model);
const char *tp_model_body_name(const tp_model *model, int body);
tp_body_kind tp_model_body_kind(const tp_model *model, int body); /* of the ground: MOVING */

/* Acceleration of free bodies [m/s^2]; acts on all bodies with mass, not on formula coordinates. */
tp_status tp_model_set_gravity(tp_model *model, tp_vec3 gravity, tp_message *why_out);
tp_vec3 tp_model_gravity(const tp_model *model);

#ifdef __cplusplus
}
#endif

#endif
