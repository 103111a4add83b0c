/* Basic rows seen by bodies: wrenches about the frame origins and how they change when the bodies move;
   docs/theory/joints.md (11), (12). Vectors of fourteen numbers are (force A, moment A, force B, moment B,
   stretch A, stretch B) or (dr_A, dtheta_A, dr_B, dtheta_B, e_A, e_B), all in the world; they change a frame
   by dd_i = dtheta x d_i + e d_i. Bodies that keep their size have no use for the last two. */
#ifndef TP_MODEL_JOINTS_RIGID_ROW_H
#define TP_MODEL_JOINTS_RIGID_ROW_H

#include "basic_row.h"

enum { TP_PAIR_SIZE = 14, TP_PAIR_STRETCH = 12 };

/* Two bodies at a moment; velocity and angular velocity in the world. */
typedef struct tp_pair_motion {
    double t;
    tp_frame A, B;
    tp_wrench twist_A, twist_B; /* force: velocity of the origin, moment: angular velocity, stretch: growth */
    double winding; /* full turns of an angle coordinate that the caller counted [rad]; 0 otherwise */
} tp_pair_motion;

/* Change of the wrenches when the bodies move along twists; dA and dB are the gradient of the row, the same
   for all twists. */
void tp_basic_row_wrenches_second(const tp_basic_row *row, const tp_frame *A, const tp_frame *B,
                                  const tp_frame *dA, const tp_frame *dB, const tp_wrench *along_A,
                                  const tp_wrench *along_B, tp_wrench *on_A_out, tp_wrench *on_B_out);

/* The same as vector and matrix: W [14] and H [14 x 14], column j the change of W along the j-th direction. H
   is not symmetric in the moments. Along a motion with twists u: g' = W.u, g'' = W.u' + u.(H u). */
double tp_basic_row_rigid(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double *W_out,
                          double *H_out /* may be NULL */);

static inline void tp_pair_to_array(const tp_wrench *A, const tp_wrench *B, double *out)
{
    tp_vec3_to_array(A->force, out);
    tp_vec3_to_array(A->moment, out + 3);
    tp_vec3_to_array(B->force, out + 6);
    tp_vec3_to_array(B->moment, out + 9);
    out[TP_PAIR_STRETCH] = A->stretch;
    out[TP_PAIR_STRETCH + 1] = B->stretch;
}

static inline void tp_pair_from_array(const double *array, tp_wrench *A_out, tp_wrench *B_out)
{
    *A_out = (tp_wrench){tp_vec3_from_array(array), tp_vec3_from_array(array + 3), array[TP_PAIR_STRETCH]};
    *B_out =
        (tp_wrench){tp_vec3_from_array(array + 6), tp_vec3_from_array(array + 9), array[TP_PAIR_STRETCH + 1]};
}

static inline double tp_wrench_power(const tp_wrench *wrench, const tp_wrench *twist)
{
    return tp_vec3_dot(wrench->force, twist->force) + tp_vec3_dot(wrench->moment, twist->moment) +
           wrench->stretch * twist->stretch;
}

#endif
