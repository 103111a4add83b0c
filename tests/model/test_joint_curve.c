/* Curves that guide a point: nearest points, splines, distances and their derivatives; docs/theory/joints.md
   (13)-(17). Curves have size one and curvature up to two; points stay within 0.2 of them. */
#include "check.h"
#include "pairs.h"

#include "model/joints/curve_row.h"

#include <float.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double step = 1e-5;
/* Third derivatives of the distances below 500 (curvature^2 over (1 - 0.2 curvature)^5 and torsion): 500 h^2
   / 6 is 8e-9; of the gradients, a factor of ten more. */
static const double gradient_tolerance = 2e-8, second_tolerance = 2e-7;
enum { ROUNDS = 400 };

/* An ellipse whose parameter is not the arc length. */
static void ellipse(void *self, double s, tp_vec3 *out)
{
    double a = *(double *)self, c = cos(s), n = sin(s);
    out[0] = tp_vec3_make(a * c, n, 0.0);
    out[1] = tp_vec3_make(-a * n, c, 0.0);
    out[2] = tp_vec3_make(-a * c, -n, 0.0);
    out[3] = tp_vec3_make(a * n, -c, 0.0);
}

static double helix_rise = 0.3, ellipse_axis = 1.4;

enum { POINTS = 9, CURVES = 4 };
static const tp_vec3 knot[POINTS] = {{0.0, 0.0, 0.0},  {0.5, 0.4, 0.1},  {1.0, 0.5, 0.3},
                                     {1.5, 0.2, 0.3},  {1.8, -0.4, 0.1}, {1.4, -0.9, 0.0},
                                     {0.8, -1.0, -.2}, {0.2, -0.9, -.2}, {-0.1, -0.5, -.1}};

static tp_curve_def curve_def(int which)
{
    switch (which) {
    case 0: return (tp_curve_def){.self = &helix_rise, .evaluate = helix, .begin = -2.0, .end = 4.0};
    case 1:
        return (tp_curve_def){
            .self = &ellipse_axis, .evaluate = ellipse, .begin = 0.0, .end = 2.0 * pi, .is_closed = true};
    case 2: return (tp_curve_def){.points = knot, .point_count = POINTS};
    default: return (tp_curve_def){.points = knot, .point_count = POINTS, .is_closed = true};
    }
}

static const tp_curve *create(tp_arena *arena, int which)
{
    const tp_curve *curve = NULL;
    tp_curve_def def = curve_def(which);
    tp_message message;
    if (tp_curve_create(arena, &def, false, "guide", (tp_place){0}, &message, &curve) != TP_OK) {
        print_error("%s\n", message.text);
        fail();
    }
    return curve;
}

/* A point within 0.2 of the curve, its parameter away from knots and ends by more than the differences reach
   (third derivatives of a spline jump at the knots). */
static tp_vec3 point_near(check_random *random, const tp_curve *curve)
{
    for (;;) {
        double range = curve->end - curve->begin, margin = curve->is_closed ? 0.0 : 0.4;
        double s = check_uniform(random, curve->begin - margin, curve->begin + range + margin);
        tp_vec3 c[4];
        tp_curve_evaluate(curve, s, c);
        double apart = check_uniform(random, 0.0, 0.2);
        tp_vec3 y = tp_vec3_add_scaled(c[0], apart, random_direction(random));
        double nearest = tp_curve_nearest(curve, y), clearance = 1.0;
        for (int i = 0; i < curve->knot_count; i++) {
            clearance = fmin(clearance, fabs(nearest - curve->knots[i]));
        }
        clearance = fmin(clearance, fmin(fabs(nearest - curve->begin), fabs(nearest - curve->end)));
        if (clearance > 1e-2) return y;
    }
}

TEST(the_derivatives_of_a_curve_agree_with_differences)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    check_random random = {501};
    for (int round = 0; round < ROUNDS; round++) {
        const tp_curve *curve = create(&arena, round % CURVES);
        double s = tp_curve_nearest(curve, point_near(&random, curve));
        tp_vec3 c[4], ahead[4], behind[4];
        tp_curve_evaluate(curve, s, c);
        tp_curve_evaluate(curve, s + step, ahead);
        tp_curve_evaluate(curve, s - step, behind);
        for (int k = 0; k < 3; k++) {
            tp_vec3 difference = tp_vec3_scale(0.5 / step, tp_vec3_sub(ahead[k], behind[k]));
            CHECK_NEAR(distance3(c[k + 1], difference), 0.0, 1e-8);
        }
    }
    tp_arena_clear(&arena);
}

TEST(a_spline_goes_through_its_points_with_two_continuous_derivatives)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    for (int which = 2; which < CURVES; which++) {
        const tp_curve *curve = create(&arena, which);
        for (int i = 0; i < curve->knot_count; i++) {
            tp_vec3 c[4], before[4], after[4];
            tp_curve_evaluate(curve, curve->knots[i], c);
            CHECK_NEAR(distance3(c[0], knot[i % POINTS]), 0.0, 4.0 * DBL_EPSILON);
            /* Slopes are at most 1.5, curvatures 5 and third derivatives 40. */
            const double h = 1e-9;
            tp_curve_evaluate(curve, curve->knots[i] - h, before);
            tp_curve_evaluate(curve, curve->knots[i] + h, after);
            CHECK_NEAR(distance3(before[0], after[0]), 0.0, 3.1 * h);
            CHECK_NEAR(distance3(before[1], after[1]), 0.0, 10.0 * h);
            CHECK_NEAR(distance3(before[2], after[2]), 0.0, 80.0 * h);
        }
    }
    tp_arena_clear(&arena);
}

/* A closed cubic spline through n points of a circle is off by (2 pi/n)^4 / 384 at most, to leading order. */
TEST(a_closed_spline_approaches_a_circle_with_the_fourth_order)
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        tp_vec3 points[64];
        int count = level == 0 ? 16 : 32;
        for (int i = 0; i < count; i++) {
            points[i] = tp_vec3_make(cos(2.0 * pi * i / count), sin(2.0 * pi * i / count), 0.0);
        }
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        const tp_curve *curve = NULL;
        tp_curve_def def = {.points = points, .point_count = count, .is_closed = true};
        CHECK(tp_curve_create(&arena, &def, true, "wheel", (tp_place){0}, NULL, &curve) == TP_OK);
        error[level] = 0.0;
        for (int i = 0; i < 1000; i++) {
            tp_vec3 c[4];
            tp_curve_evaluate(curve, curve->end * i / 1000.0, c);
            error[level] = fmax(error[level], fabs(tp_vec3_norm(c[0]) - 1.0));
        }
        tp_arena_clear(&arena);
    }
    CHECK(error[0] > 12.0 * error[1] && error[0] < 20.0 * error[1]);
    CHECK(error[0] < pow(2.0 * pi / 16.0, 4) / 100.0);
}

TEST(the_nearest_point_is_the_nearest_of_all)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    check_random random = {502};
    for (int round = 0; round < ROUNDS; round++) {
        const tp_curve *curve = create(&arena, round % CURVES);
        tp_vec3 y = point_near(&random, curve), c[4];
        double s = tp_curve_nearest(curve, y);
        tp_curve_evaluate(curve, s, c);
        double least = distance3(y, c[0]);
        CHECK_NEAR(tp_vec3_dot(tp_vec3_sub(y, c[0]), c[1]), 0.0, 1e-14 * tp_vec3_dot(c[1], c[1]));
        for (int i = 0; i <= 2000; i++) {
            tp_curve_evaluate(curve, curve->begin + (curve->end - curve->begin) * i / 2000.0, c);
            CHECK(distance3(y, c[0]) >= least - 1e-14);
        }
    }
    tp_arena_clear(&arena);
}

TEST(an_open_curve_goes_on_straight)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    for (int which = 0; which < CURVES; which += 2) {
        const tp_curve *curve = create(&arena, which);
        tp_vec3 end[4];
        tp_curve_evaluate(curve, curve->end, end);
        tp_vec3 y = tp_vec3_add_scaled(end[0], 7.5, end[1]);
        CHECK_NEAR(tp_curve_row_value(curve, TP_CURVE_PARAMETER, y), curve->end + 7.5, 1e-14 * 20.0);
        CHECK_NEAR(tp_curve_row_value(curve, TP_CURVE_FIRST, y), 0.0, 1e-14 * 20.0);
        CHECK_NEAR(tp_curve_row_value(curve, TP_CURVE_SECOND, y), 0.0, 1e-14 * 20.0);
    }
    tp_arena_clear(&arena);
}

TEST(both_distances_together_are_the_distance_from_the_curve)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    check_random random = {503};
    for (int round = 0; round < ROUNDS; round++) {
        const tp_curve *curve = create(&arena, round % CURVES);
        tp_vec3 y = point_near(&random, curve), c[4];
        tp_curve_evaluate(curve, tp_curve_nearest(curve, y), c);
        double first = tp_curve_row_value(curve, TP_CURVE_FIRST, y);
        double second = tp_curve_row_value(curve, TP_CURVE_SECOND, y);
        CHECK_NEAR(hypot(first, second), distance3(y, c[0]), 1e-14);
    }
    tp_arena_clear(&arena);
}

TEST(distances_and_parameter_have_the_derivatives_that_differences_give)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    check_random random = {504};
    for (int round = 0; round < 3 * ROUNDS; round++) {
        const tp_curve *curve = create(&arena, round % CURVES);
        tp_curve_part part = (tp_curve_part)(round % 3);
        tp_vec3 y = point_near(&random, curve), e = random_direction(&random);
        tp_vec3 gradient, g1, g0;
        double value = tp_curve_row_gradient(curve, part, y, &gradient);
        CHECK_NEAR(value, tp_curve_row_value(curve, part, y), 0.0);
        double ahead = tp_curve_row_gradient(curve, part, tp_vec3_add_scaled(y, step, e), &g1);
        double behind = tp_curve_row_gradient(curve, part, tp_vec3_add_scaled(y, -step, e), &g0);
        CHECK_NEAR(tp_vec3_dot(gradient, e), (ahead - behind) / (2.0 * step), gradient_tolerance);
        tp_vec3 difference = tp_vec3_scale(0.5 / step, tp_vec3_sub(g1, g0));
        CHECK_NEAR(distance3(tp_curve_row_second(curve, part, y, e), difference), 0.0, second_tolerance);
    }
    tp_arena_clear(&arena);
}

TEST(rows_of_curves_have_gradients_in_all_frame_numbers)
{
    tp_arena arena;
    tp_arena_init(&arena, NULL);
    check_random random = {506};
    for (int round = 0; round < 3 * ROUNDS; round++) {
        const tp_curve *curve = create(&arena, round % CURVES);
        tp_mat3 axes = random_rotation(&random);
        tp_vec3 point_A = random_vec3(&random, 0.5), y = point_near(&random, curve);
        tp_frame A = random_rigid_frame(&random), B = random_rigid_frame(&random);
        /* The point of B that lies at y of the curve's frame. */
        tp_vec3 in_A = tp_vec3_add(point_A, tp_mat3_apply(axes, y));
        tp_vec3 point_B = random_vec3(&random, 0.5);
        B.r = tp_vec3_sub(tp_frame_point(&A, in_A), tp_frame_direction(&B, point_B));
        tp_basic_row row = tp_basic_row_curve((tp_basic_row_kind)(TP_ROW_CURVE_FIRST + round % 3), curve,
                                              axes, point_A, point_B);
        CHECK_NEAR(tp_basic_row_value(&row, &A, &B), tp_curve_row_value(curve, (tp_curve_part)(round % 3), y),
                   1e-13);

        tp_frame eA = random_frame_direction(&random), eB = random_frame_direction(&random);
        tp_frame dA, dB, dA1, dB1, dA0, dB0, ddA, ddB;
        tp_frame A1 = frame_add(A, step, eA), B1 = frame_add(B, step, eB);
        tp_frame A0 = frame_add(A, -step, eA), B0 = frame_add(B, -step, eB);
        tp_basic_row_gradient(&row, &A, &B, &dA, &dB);
        tp_basic_row_second(&row, &A, &B, &eA, &eB, &ddA, &ddB);
        double ahead = tp_basic_row_gradient(&row, &A1, &B1, &dA1, &dB1);
        double behind = tp_basic_row_gradient(&row, &A0, &B0, &dA0, &dB0);
        /* y changes by up to 4 along a unit direction: third powers of that. */
        CHECK_NEAR(frame_dot(dA, eA) + frame_dot(dB, eB), (ahead - behind) / (2.0 * step),
                   64.0 * gradient_tolerance);
        tp_frame differenceA = frame_add((tp_frame){0}, 0.5 / step, frame_add(dA1, -1.0, dA0));
        tp_frame differenceB = frame_add((tp_frame){0}, 0.5 / step, frame_add(dB1, -1.0, dB0));
        CHECK_NEAR(frame_distance(ddA, differenceA), 0.0, 64.0 * second_tolerance);
        CHECK_NEAR(frame_distance(ddB, differenceB), 0.0, 64.0 * second_tolerance);
    }
    tp_arena_clear(&arena);
}

static void standing_still(void *self, double s, tp_vec3 *out)
{
    (void)self;
    out[0] = tp_vec3_make(s * s, 0.0, 0.0);
    out[1] = tp_vec3_make(2.0 * s, 0.0, 0.0);
    out[2] = tp_vec3_make(2.0, 0.0, 0.0);
    out[3] = tp_vec3_zero();
}

TEST(unsound_curves_are_refused_with_the_reason)
{
    static const tp_vec3 twice[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}}, bad[] = {{0, 0, 0}, {NAN, 0, 0}};
    static const tp_vec3 ring[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
    const struct {
        tp_curve_def def;
        bool is_planar;
        const char *says;
    } cases[] = {
        {{0}, false, "either points or a function"},
        {{.points = knot, .point_count = 1}, false, "1 points"},
        {{.points = knot, .point_count = 2, .is_closed = true}, false, "between 3"},
        {{.points = twice, .point_count = 3}, false, "points 2 and 3"},
        {{.points = bad, .point_count = 2}, false, "not finite"},
        {{.points = ring, .point_count = 4, .is_closed = true}, false, "ends before its first point"},
        {{.points = knot, .point_count = POINTS}, true, "plane z = 0"},
        {{.self = &helix_rise, .evaluate = helix, .begin = 1.0, .end = 1.0}, false, "must increase"},
        {{.self = &helix_rise, .evaluate = helix, .begin = 0.0, .end = NAN}, false, "must increase"},
        {{.self = &helix_rise, .evaluate = helix, .begin = 0.0, .end = 6.0, .is_closed = true},
         false,
         "said to be closed"},
        {{.evaluate = standing_still, .begin = 0.0, .end = 1.0}, false, "stands still"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        const tp_curve *curve = NULL;
        tp_message message = {""};
        tp_status status = tp_curve_create(&arena, &cases[i].def, cases[i].is_planar, "guide",
                                           (tp_place){"scene.yaml", 3, 5}, &message, &curve);
        CHECK_INT(status, TP_INVALID_DATA);
        if (strstr(message.text, cases[i].says) == NULL) print_error("%s\n", message.text);
        CHECK(strstr(message.text, cases[i].says) != NULL);
        CHECK(strstr(message.text, "scene.yaml:3:5") == message.text);
        tp_arena_clear(&arena);
    }
}

TEST_MAIN(RUNS(the_derivatives_of_a_curve_agree_with_differences),
          RUNS(a_spline_goes_through_its_points_with_two_continuous_derivatives),
          RUNS(a_closed_spline_approaches_a_circle_with_the_fourth_order),
          RUNS(the_nearest_point_is_the_nearest_of_all), RUNS(an_open_curve_goes_on_straight),
          RUNS(both_distances_together_are_the_distance_from_the_curve),
          RUNS(distances_and_parameter_have_the_derivatives_that_differences_give),
          RUNS(rows_of_curves_have_gradients_in_all_frame_numbers),
          RUNS(unsound_curves_are_refused_with_the_reason))
