/* Basic rows seen by bodies; docs/theory/joints.md (11), (12). */
#include "rigid_row.h"

/* The moment is the sum of d_i x g_i, the stretch that of d_i.g_i: both factors change. */
static tp_wrench wrench_change(const tp_frame *frame, const tp_frame *rate, const tp_frame *gradient,
                               const tp_frame *gradient_change)
{
    tp_wrench turned = tp_frame_wrench(rate, gradient), changed = tp_frame_wrench(frame, gradient_change);
    return (tp_wrench){changed.force, tp_vec3_add(turned.moment, changed.moment),
                       turned.stretch + changed.stretch};
}

void tp_basic_row_wrenches_second(const tp_basic_row *row, const tp_frame *A, const tp_frame *B,
                                  const tp_frame *dA, const tp_frame *dB, const tp_wrench *along_A,
                                  const tp_wrench *along_B, tp_wrench *on_A_out, tp_wrench *on_B_out)
{
    tp_frame eA = tp_frame_change(A, along_A), eB = tp_frame_change(B, along_B);
    tp_frame ddA, ddB;
    tp_basic_row_second(row, A, B, &eA, &eB, &ddA, &ddB);
    *on_A_out = wrench_change(A, &eA, dA, &ddA);
    *on_B_out = wrench_change(B, &eB, dB, &ddB);
}

double tp_basic_row_rigid(const tp_basic_row *row, const tp_frame *A, const tp_frame *B, double *W_out,
                          double *H_out)
{
    tp_wrench on_A, on_B;
    double value = tp_basic_row_wrenches(row, A, B, &on_A, &on_B);
    tp_pair_to_array(&on_A, &on_B, W_out);
    if (H_out == NULL) return value;
    tp_frame dA, dB;
    tp_basic_row_gradient(row, A, B, &dA, &dB);
    for (int j = 0; j < TP_PAIR_SIZE; j++) {
        double direction[TP_PAIR_SIZE] = {0.0};
        direction[j] = 1.0;
        tp_wrench along_A, along_B;
        tp_pair_from_array(direction, &along_A, &along_B);
        tp_basic_row_wrenches_second(row, A, B, &dA, &dB, &along_A, &along_B, &on_A, &on_B);
        tp_pair_to_array(&on_A, &on_B, H_out + TP_PAIR_SIZE * j);
    }
    return value;
}
