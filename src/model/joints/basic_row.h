/* Basic rows: scalar functions of the frames of two bodies, of which joints, their coordinates and springs
   are made; docs/theory/joints.md. A row is an outer function of one to three forms, each at most quadratic
   in the twenty-four frame numbers. Nothing allocates; nothing needs rigid frames unless it says so. */
#ifndef TP_MODEL_JOINTS_BASIC_ROW_H
#define TP_MODEL_JOINTS_BASIC_ROW_H

#include "curve.h"
#include "model/frame.h"

/* p_A = r_A + D_A point_A, p_B = r_B + D_B point_B; directions a in A, b in B. */
typedef enum tp_basic_row_kind {
    TP_ROW_COINCIDENCE,  /* a.(p_B - p_A) - offset, a in the world                                   [m]   */
    TP_ROW_AXES,         /* (D_A a).(D_B b) - offset                                                 [-]   */
    TP_ROW_ALONG,        /* (D_A a).(p_B - r_A) - offset; a.point_A is part of the offset            [m]   */
    TP_ROW_DISTANCE,     /* (|p_B - p_A|^2 - L^2) / (2 L): changes like the length where it is zero  [m]   */
    TP_ROW_LENGTH,       /* |p_B - p_A| - offset                                                     [m]   */
    TP_ROW_ANGLE,        /* atan2((D_A a0).(D_B b0), (D_A a1).(D_B b1)) - offset, in (-pi, pi]       [rad] */
    TP_ROW_SCREW,        /* ALONG a2 minus pitch/(2 pi) times ANGLE, the branch nearest to zero      [m]   */
    TP_ROW_RADIUS,       /* distance of p_B from a line in A, along which a0 and a1 do not go        [m]   */
    TP_ROW_CURVE_FIRST,  /* distance of p_B from a curve in A along its first normal                 [m]   */
    TP_ROW_CURVE_SECOND, /* and along its second normal                                              [m]   */
    TP_ROW_CURVE_PARAMETER, /* parameter of the nearest point of the curve, minus offset */
    TP_ROW_KIND_COUNT
} tp_basic_row_kind;

typedef struct tp_basic_row {
    tp_basic_row_kind kind;
    double offset;
    double factor; /* of the form: 1/L of DISTANCE, 1 of the linear ones; pitch/(2 pi) of SCREW [m/rad] */
    tp_vec3 a[3], b[2];
    tp_vec3 point_A, point_B;
    const tp_curve *curve;
} tp_basic_row;

tp_basic_row tp_basic_row_coincidence(tp_vec3 direction, tp_vec3 point_A, tp_vec3 point_B);
tp_basic_row tp_basic_row_axes(tp_vec3 a, tp_vec3 b, double offset);
/* (D_A a).(p_B - p_A) for rigid frames, p_A the point of A. */
tp_basic_row tp_basic_row_along(tp_vec3 a, tp_vec3 point_A, tp_vec3 point_B);
tp_basic_row tp_basic_row_distance(tp_vec3 point_A, tp_vec3 point_B, double length); /* length > 0 */
tp_basic_row tp_basic_row_length(tp_vec3 point_A, tp_vec3 point_B);
/* From the line of A through point_A at right angles to the orthonormal a0 and a1. */
tp_basic_row tp_basic_row_radius(tp_vec3 a0, tp_vec3 a1, tp_vec3 point_A, tp_vec3 point_B);
/* Angle of D_B b in the plane of A spanned by the orthonormal a_cosine, a_sine. */
tp_basic_row tp_basic_row_angle(tp_vec3 a_cosine, tp_vec3 a_sine, tp_vec3 b);
/* The same seen from B: angle of b_cosine, b_sine of B against D_A a. */
tp_basic_row tp_basic_row_angle_in_B(tp_vec3 a, tp_vec3 b_cosine, tp_vec3 b_sine);
/* frame: columns (cosine, sine, axis) in A; pitch [m] per turn, not zero. */
tp_basic_row tp_basic_row_screw(tp_mat3 frame, tp_vec3 point_A, tp_vec3 point_B, tp_vec3 b, double pitch);
/* The curve lives in the frame (point_A, axes) of A; it is borrowed. */
tp_basic_row tp_basic_row_curve(tp_basic_row_kind kind, const tp_curve *curve, tp_mat3 axes, tp_vec3 point_A,
                                tp_vec3 point_B);

/* In radians or without dimension, for reports; else a length (or a curve's parameter). */
static inline bool tp_basic_row_is_angular(const tp_basic_row *row)
{
    return row->kind == TP_ROW_AXES || row->kind == TP_ROW_ANGLE;
}

double tp_basic_row_value(const tp_basic_row *row, const tp_frame *A, const tp_frame *B);

/* The same of the rows [count] of a joint, which share points. */
void tp_basic_rows_value(const tp_basic_row *rows, int count, const tp_frame *A, const tp_frame *B,
                         double *value_out);

/* Derivatives with respect to the twelve numbers of each frame; returns the value; (4). */
double tp_basic_row_gradient(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, tp_frame *dA_out,
                             tp_frame *dB_out);

/* The same as wrenches of a unit multiplier on rigid bodies, of which the row's rate is the power; (11). */
double tp_basic_row_wrenches(const tp_basic_row *row, const tp_frame *A, const tp_frame *B,
                             tp_wrench *on_A_out, tp_wrench *on_B_out);

/* Adds factor times the wrenches of frames that are rotations, [6] of each: force, and moment along the
   directions of the frame; NULL: not of this one. A moment of what is constant in the body, as a point on its
   axis, keeps its zeros; rounding on the way through the world would spin a slender body about its axis. */
void tp_basic_row_add_inner(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double factor,
                            double *on_A, double *on_B);

/* Derivative of the gradient when the frames change along (eA, eB); (5). */
void tp_basic_row_second(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, const tp_frame *eA,
                         const tp_frame *eB, tp_frame *dA_out, tp_frame *dB_out);

/* Derivative of that when the frames change along (fA, fB). */
void tp_basic_row_third(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, const tp_frame *eA,
                        const tp_frame *eB, const tp_frame *fA, const tp_frame *fB, tp_frame *dA_out,
                        tp_frame *dB_out);

#endif
