/* Forces between two bodies A and B: what a user says about one; docs/theory/forces.md. Gravity and forces
   given as formulas are added to the model directly. */
#ifndef TIPPE_FORCE_H
#define TIPPE_FORCE_H

#include "tippe/base.h"
#include "tippe/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Spring and damper between a point of A and a point of B, points in the bodies' own frames. */
typedef struct tp_spring_def {
    const char *name;
    tp_vec3 point_A, point_B; /* [m]                                            */
    double stiffness;         /* [N/m]                                          */
    double rest_length;       /* [m]                                            */
    bool is_rest_as_placed;   /* instead: the distance of the points at the start */
    double damping;           /* along the line [N s/m]                         */
    bool is_rope;             /* pulls when longer than its rest length, never pushes */
    tp_place place;
} tp_spring_def;
tp_spring_def tp_spring_def_default(void);

/* A force on a coordinate s that depends on s, its rate and time; positive increases s. */
typedef struct tp_coordinate_law {
    void *self;
    double (*force)(void *self, double s, double rate, double t, double *d_s_out, double *d_rate_out);
    /* The part of it that is minus the derivative of a potential: its energy; may be NULL: none of it. */
    double (*potential)(void *self, double s, double t, double *d_s_out);
} tp_coordinate_law;

/* Spring and damper on a coordinate of a joint: torsion spring, spring in a slider, ... */
typedef struct tp_coordinate_spring_def {
    const char *name;
    double stiffness;      /* [N/m] or [N m/rad]                                 */
    double rest;           /* coordinate where it is free of force [m] or [rad]   */
    double damping;        /* [N s/m] or [N m s/rad]                              */
    tp_coordinate_law law; /* instead of these three, if law.force is given       */
    tp_place place;
} tp_coordinate_spring_def;
tp_coordinate_spring_def tp_coordinate_spring_def_default(void);

/* Elastic connection in all six directions, between a frame of A and a frame of B (points and columns x, y, z
   in the bodies' own frames), free of force where both frames coincide. Its directions are those of A's
   frame; rotations are components of the rotation vector from A's frame to B's, of length at most pi. */
typedef struct tp_bushing_def {
    const char *name;
    tp_vec3 point_A, point_B;                         /* [m]                      */
    tp_mat3 axes_A, axes_B;                           /* rotations                */
    tp_vec3 stiffness, damping;                       /* [N/m], [N s/m]           */
    tp_vec3 rotational_stiffness, rotational_damping; /* [N m/rad], [N m s/rad]   */
    tp_place place;
} tp_bushing_def;
tp_bushing_def tp_bushing_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
