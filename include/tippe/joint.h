/* Joints between two bodies A and B: what a user says about one. Rows and coordinates are "B minus A";
   docs/theory/joints.md. */
#ifndef TIPPE_JOINT_H
#define TIPPE_JOINT_H

#include "tippe/base.h"
#include "tippe/math.h"
#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows held to zero in space (in the plane), and coordinates that stay free. */
typedef enum tp_joint_kind {
    TP_JOINT_FIXED,          /* 6 (3) rows                                                       */
    TP_JOINT_SPHERICAL,      /* 3: a point of B stays on a point of A                            */
    TP_JOINT_UNIVERSAL,      /* 4: and two axes stay orthogonal; angle1 about A's, angle2 about B's */
    TP_JOINT_REVOLUTE,       /* 5 (2): angle                                                     */
    TP_JOINT_CYLINDRICAL,    /* 4: angle, displacement                                           */
    TP_JOINT_PRISMATIC,      /* 5 (2): displacement                                              */
    TP_JOINT_PLANAR,         /* 3: displacement1, displacement2, angle; the axis is the normal    */
    TP_JOINT_DISTANCE,       /* 1 (1): length                                                    */
    TP_JOINT_SCREW,          /* 5: angle, displacement = pitch per turn                           */
    TP_JOINT_POINT_ON_LINE,  /* 2 (1): displacement of B's point along A's axis                   */
    TP_JOINT_POINT_ON_PLANE, /* 1: displacement1, displacement2; the axis is A's normal           */
    TP_JOINT_POINT_ON_CURVE, /* 2 (1): parameter of the curve, which is fixed to A                */
    TP_JOINT_ORIENTATION,    /* 3 (1): bodies do not turn against each other                      */
    TP_JOINT_PARALLEL_AXES,  /* 2: angle                                                         */
    TP_JOINT_KIND_COUNT
} tp_joint_kind;

typedef struct tp_joint_info {
    const char *name;                /* "revolute" */
    const char *text;                /* one line */
    int row_count, planar_row_count; /* planar 0: not for planar bodies */
    int coordinate_count;
    const char *coordinates[3]; /* "angle" */
    bool coordinate_is_angle[3];
} tp_joint_info;

/* NULL outside of the kinds. */
const tp_joint_info *tp_joint_kind_info(tp_joint_kind kind);
/* The kind of that name, or TP_JOINT_KIND_COUNT. */
tp_joint_kind tp_joint_kind_find(const char *name);

/* Where the joint sits on a body. An axis of length zero is not given. */
typedef struct tp_joint_side {
    tp_vec3 point;       /* [m]                                                                        */
    tp_vec3 axis;        /* of rotation, of sliding, of the plane's normal; any length                  */
    tp_vec3 second_axis; /* orthogonal to it: where angles count from. UNIVERSAL: the axis fixed to B.
                            Where not given, one is chosen                                              */
} tp_joint_side;

/* A curve c(s), begin <= s <= end: a function, formulas (of a model's joint), or a cubic spline through
   points, whose parameter is the length of the chords. An open curve goes on straight beyond its ends. */
typedef struct tp_curve_def {
    void *self;
    /* c, c', c'', c''' at s into derivatives_out [4]; called as long as the joint lives. NULL: points */
    void (*evaluate)(void *self, double s, tp_vec3 *derivatives_out);
    tp_function formula[3]; /* instead: x, y, z as formulas of s and the model's parameters */
    double begin, end;      /* of s, of functions and formulas                              */
    const tp_vec3 *points;  /* copied; a closed curve ends before its first point */
    int point_count;
    bool is_closed;
} tp_curve_def;

/* A joint. Fields left out for B default to A's in the initial configuration, so that the rows start at 0. */
typedef struct tp_joint_def {
    const char *name;
    tp_joint_kind kind;
    bool is_planar;   /* between planar bodies: rows out of the plane are left out            */
    bool is_in_world; /* A's and B's data are in the world at the initial frames, else in the body's own frame
                       */
    tp_joint_side A, B;
    bool has_point_B;   /* B.point is given */
    double length;      /* DISTANCE [m]; 0: as placed                                           */
    double pitch;       /* SCREW [m per turn], right-handed if positive                         */
    tp_curve_def curve; /* POINT_ON_CURVE, in the frame that A.point, A.axis (z) and A.second_axis (x) span */
    tp_place place;
} tp_joint_def;
tp_joint_def tp_joint_def_default(void);

/* A joint in a simulation (tp_simulation_joint); vectors are in the world. */
typedef struct tp_joint_state {
    int coordinate_count;          /* as tp_joint_kind_info has them                                  */
    double coordinate[3], rate[3]; /* [rad] with turns counted, or [m]; [rad/s] or [m/s]              */
    tp_vec3 point;                 /* of the joint on B [m]                                           */
    tp_vec3 reaction;              /* on B in the last step: impulse over the length of the step [N]  */
    tp_vec3 moment;                /* the same, about the point [N m]                                 */
    double drive[3];               /* the same of motors, along the coordinates [N m] or [N]; 0: none */
} tp_joint_state;

#ifdef __cplusplus
}
#endif

#endif
