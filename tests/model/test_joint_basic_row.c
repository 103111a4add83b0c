/* Basic rows on random frames, rigid and not: derivatives against central differences,
   invariance, wrenches; docs/theory/joints.md (1)-(12). Points lie within 1 m of the frames, lengths and the
   radius of the angles' sine and cosine are at least 0.5, so that third derivatives along unit directions
   stay below 200 and fourth ones below 4000: with the step 1e-5 differences are off by at most 4e-9 and 7e-8.
 */
#include "check.h"
#include "formula/operation.h"
#include "pairs.h"

#include <float.h>

static const double step = 1e-5;
static const double gradient_tolerance = 1e-8, second_tolerance = 1e-7;
/* Sums of some dozens of products of numbers up to ten. */
static const double rounding = 1024.0 * DBL_EPSILON;
static const double pi = 3.14159265358979323846;
enum { ROUNDS = 300, SIMPLE_KINDS = TP_ROW_CURVE_FIRST }; /* curves: test_joint_curve.c */

static tp_basic_row random_row(check_random *random, tp_basic_row_kind kind)
{
    tp_mat3 frame = random_rotation(random);
    tp_vec3 p = random_vec3(random, 0.5), q = random_vec3(random, 0.5), b = random_direction(random);
    switch (kind) {
    case TP_ROW_COINCIDENCE: return tp_basic_row_coincidence(frame.cx, p, q);
    case TP_ROW_AXES: return tp_basic_row_axes(frame.cx, b, 0.3);
    case TP_ROW_ALONG: return tp_basic_row_along(frame.cx, p, q);
    case TP_ROW_DISTANCE: return tp_basic_row_distance(p, q, 1.3);
    case TP_ROW_LENGTH: return tp_basic_row_length(p, q);
    case TP_ROW_RADIUS: return tp_basic_row_radius(frame.cx, frame.cy, p, q);
    case TP_ROW_ANGLE:
        return check_random_bits(random) % 2 ? tp_basic_row_angle(frame.cx, frame.cy, b)
                                             : tp_basic_row_angle_in_B(b, frame.cx, frame.cy);
    default: return tp_basic_row_screw(frame, p, q, b, 0.7);
    }
}

static double sine_radius(const tp_basic_row *row, const tp_frame *A, const tp_frame *B)
{
    double w[2];
    for (int k = 0; k < 2; k++)
        w[k] = tp_vec3_dot(tp_frame_direction(A, row->a[k]), tp_frame_direction(B, row->b[k]));
    return hypot(w[0], w[1]);
}

static bool is_regular(const tp_basic_row *row, const tp_frame *A, const tp_frame *B)
{
    if (row->kind == TP_ROW_LENGTH || row->kind == TP_ROW_RADIUS) return tp_basic_row_value(row, A, B) > 0.5;
    if (row->kind != TP_ROW_ANGLE && row->kind != TP_ROW_SCREW) return true;
    double value = tp_basic_row_value(row, A, B);
    /* Away from where the value jumps: differences must not straddle it. */
    double edge = row->kind == TP_ROW_ANGLE ? pi - fabs(value) : 0.35 - fabs(value);
    return sine_radius(row, A, B) > 0.5 && edge > 1e-3;
}

typedef tp_frame frame_maker(check_random *random);

static void regular_frames(check_random *random, const tp_basic_row *row, frame_maker *make, tp_frame *A,
                           tp_frame *B)
{
    do {
        *A = make(random);
        *B = make(random);
    } while (!is_regular(row, A, B));
}

TEST(gradients_and_second_derivatives_agree_with_differences)
{
    check_random random = {401};
    for (int round = 0; round < ROUNDS * SIMPLE_KINDS; round++) {
        tp_basic_row row = random_row(&random, (tp_basic_row_kind)(round % SIMPLE_KINDS));
        tp_frame A, B, dA, dB, dA1, dB1, dA0, dB0, ddA, ddB;
        regular_frames(&random, &row, random_frame, &A, &B);
        tp_frame eA = random_frame_direction(&random), eB = random_frame_direction(&random);
        double value = tp_basic_row_gradient(&row, &A, &B, &dA, &dB);
        CHECK_NEAR(value, tp_basic_row_value(&row, &A, &B), 0.0);
        tp_basic_row_second(&row, &A, &B, &eA, &eB, &ddA, &ddB);

        tp_frame A1 = frame_add(A, step, eA), B1 = frame_add(B, step, eB);
        tp_frame A0 = frame_add(A, -step, eA), B0 = frame_add(B, -step, eB);
        double ahead = tp_basic_row_gradient(&row, &A1, &B1, &dA1, &dB1);
        double behind = tp_basic_row_gradient(&row, &A0, &B0, &dA0, &dB0);
        CHECK_NEAR(frame_dot(dA, eA) + frame_dot(dB, eB), (ahead - behind) / (2.0 * step),
                   gradient_tolerance);
        tp_frame differenceA = frame_add((tp_frame){0}, 0.5 / step, frame_add(dA1, -1.0, dA0));
        tp_frame differenceB = frame_add((tp_frame){0}, 0.5 / step, frame_add(dB1, -1.0, dB0));
        CHECK_NEAR(frame_distance(ddA, differenceA), 0.0, second_tolerance);
        CHECK_NEAR(frame_distance(ddB, differenceB), 0.0, second_tolerance);
    }
}

/* Along a component in the world is not an invariant: it is left out. */
TEST(values_do_not_see_a_rigid_motion_of_the_whole_and_gradients_turn_with_it)
{
    check_random random = {404};
    for (int round = 0; round < ROUNDS * SIMPLE_KINDS; round++) {
        tp_basic_row row = random_row(&random, (tp_basic_row_kind)(round % SIMPLE_KINDS));
        if (row.kind == TP_ROW_COINCIDENCE) continue;
        tp_frame A, B, motion = random_rigid_frame(&random), dA, dB, cA, cB;
        regular_frames(&random, &row, random_frame, &A, &B);
        tp_frame A1 = frame_carried(A, motion), B1 = frame_carried(B, motion);
        double value = tp_basic_row_gradient(&row, &A, &B, &dA, &dB);
        CHECK_NEAR(tp_basic_row_gradient(&row, &A1, &B1, &cA, &cB), value, rounding);
        motion.r = tp_vec3_zero(); /* gradients turn, but do not shift */
        CHECK_NEAR(frame_distance(cA, frame_carried(dA, motion)), 0.0, rounding);
        CHECK_NEAR(frame_distance(cB, frame_carried(dB, motion)), 0.0, rounding);
    }
}

TEST(wrenches_are_the_rate_of_the_row_and_in_balance)
{
    check_random random = {405};
    for (int round = 0; round < ROUNDS * SIMPLE_KINDS; round++) {
        tp_basic_row row = random_row(&random, (tp_basic_row_kind)(round % SIMPLE_KINDS));
        tp_frame A, B, dA, dB;
        regular_frames(&random, &row, random_rigid_frame, &A, &B);
        if (row.kind == TP_ROW_COINCIDENCE) { /* a couple is left unless the points coincide */
            row.point_B = tp_mat3_apply_transposed(B.D, tp_vec3_sub(tp_frame_point(&A, row.point_A), B.r));
        }
        tp_wrench on_A, on_B, u_A = random_twist(&random), u_B = random_twist(&random);
        tp_basic_row_wrenches(&row, &A, &B, &on_A, &on_B);
        tp_basic_row_gradient(&row, &A, &B, &dA, &dB);
        double rate = frame_dot(dA, tp_frame_change(&A, &u_A)) + frame_dot(dB, tp_frame_change(&B, &u_B));
        CHECK_NEAR(tp_wrench_power(&on_A, &u_A) + tp_wrench_power(&on_B, &u_B), rate, rounding);
        CHECK_NEAR(imbalance(&A, &B, &on_A, &on_B), 0.0, rounding);
    }
}

static double pair_dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < TP_PAIR_SIZE; i++) sum += a[i] * b[i];
    return sum;
}

TEST(the_change_of_wrenches_agrees_with_differences_on_rigid_motions)
{
    check_random random = {406};
    for (int round = 0; round < ROUNDS * SIMPLE_KINDS; round++) {
        tp_basic_row row = random_row(&random, (tp_basic_row_kind)(round % SIMPLE_KINDS));
        tp_frame A, B;
        regular_frames(&random, &row, random_rigid_frame, &A, &B);
        tp_wrench u_A = random_twist(&random), u_B = random_twist(&random), change_A, change_B;
        double W[TP_PAIR_SIZE], H[TP_PAIR_SIZE * TP_PAIR_SIZE], W1[TP_PAIR_SIZE], W0[TP_PAIR_SIZE],
            u[TP_PAIR_SIZE], change[TP_PAIR_SIZE];
        tp_basic_row_rigid(&row, &A, &B, W, H);
        tp_frame dA, dB;
        tp_basic_row_gradient(&row, &A, &B, &dA, &dB);
        tp_basic_row_wrenches_second(&row, &A, &B, &dA, &dB, &u_A, &u_B, &change_A, &change_B);
        tp_pair_to_array(&change_A, &change_B, change);
        tp_pair_to_array(&u_A, &u_B, u);
        tp_frame A1 = frame_moved(A, u_A, step), B1 = frame_moved(B, u_B, step);
        tp_frame A0 = frame_moved(A, u_A, -step), B0 = frame_moved(B, u_B, -step);
        tp_basic_row_rigid(&row, &A1, &B1, W1, NULL);
        tp_basic_row_rigid(&row, &A0, &B0, W0, NULL);
        for (int i = 0; i < TP_PAIR_SIZE; i++) {
            double Hu = 0.0;
            for (int j = 0; j < TP_PAIR_SIZE; j++) Hu += H[i + TP_PAIR_SIZE * j] * u[j];
            CHECK_NEAR(Hu, change[i], rounding);
            CHECK_NEAR(Hu, (W1[i] - W0[i]) / (2.0 * step), 10.0 * second_tolerance); /* |u| up to 3 */
        }
        /* With constant twists g'' = u.(H u); the rate g' = W.u is differenced. */
        CHECK_NEAR(pair_dot(u, change), (pair_dot(W1, u) - pair_dot(W0, u)) / (2.0 * step),
                   50.0 * second_tolerance);
    }
}

TEST(a_screw_needs_nobody_to_count_its_turns)
{
    const double pitch = 0.01, two_pi = 2.0 * pi;
    tp_basic_row row = tp_basic_row_screw(tp_mat3_identity(), tp_vec3_zero(), tp_vec3_zero(),
                                          tp_vec3_make(1.0, 0.0, 0.0), pitch);
    tp_frame A = tp_frame_identity();
    for (double angle = -100.0; angle < 100.0; angle += 0.37) {
        tp_frame B = {tp_vec3_make(0.0, 0.0, angle * pitch / two_pi + 1e-4),
                      tp_rotation_exp(tp_vec3_make(0.0, 0.0, angle))};
        CHECK_NEAR(tp_basic_row_value(&row, &A, &B), 1e-4, 1e-15);
    }
}

TEST(angles_are_unwrapped_to_the_nearest_turn)
{
    CHECK_NEAR(tp_unwrap(-3.0, 3.0), 2.0 * pi - 3.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(tp_unwrap(0.5, 0.4), 0.5, DBL_EPSILON);
    CHECK_NEAR(tp_unwrap(0.1, 20.0 * pi), 20.0 * pi + 0.1, 128.0 * DBL_EPSILON);
}

TEST(points_that_coincide_leave_a_length_without_slope)
{
    tp_basic_row row = tp_basic_row_length(tp_vec3_zero(), tp_vec3_zero());
    tp_frame A = tp_frame_identity(), B = A, dA, dB;
    CHECK_NEAR(tp_basic_row_gradient(&row, &A, &B, &dA, &dB), 0.0, 0.0);
    CHECK_NEAR(frame_dot(dA, dA) + frame_dot(dB, dB), 0.0, 0.0);
    tp_basic_row_second(&row, &A, &B, &A, &B, &dA, &dB);
    CHECK_NEAR(frame_dot(dA, dA) + frame_dot(dB, dB), 0.0, 0.0);
}

TEST_MAIN(RUNS(gradients_and_second_derivatives_agree_with_differences),
          RUNS(values_do_not_see_a_rigid_motion_of_the_whole_and_gradients_turn_with_it),
          RUNS(wrenches_are_the_rate_of_the_row_and_in_balance),
          RUNS(the_change_of_wrenches_agrees_with_differences_on_rigid_motions),
          RUNS(a_screw_needs_nobody_to_count_its_turns), RUNS(angles_are_unwrapped_to_the_nearest_turn),
          RUNS(points_that_coincide_leave_a_length_without_slope))
