/* Roots along the solution: exact times, touches, several at once, and steps that end at an event. Nothing is
   allocated in a step. */
#include "check.h"
#include "count_allocations.h"
#include "math/ode/ode.h"

#include <float.h>
#include <string.h>

/* y = (cos t, -sin t): an oscillator from rest. */
static tp_status oscillate(void *context, double t, const double *y, double *f)
{
    (void)context, (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return TP_OK;
}

static tp_status oscillate_jacobian(void *context, double t, const double *y, tp_sparse *J)
{
    (void)context, (void)t, (void)y;
    J->value[0] = -1.0; /* row 1 of column 0 */
    J->value[1] = 1.0;  /* row 0 of column 1 */
    return TP_OK;
}

static tp_ode *oscillator(tp_ode_method method, double tolerance, double max_step)
{
    static int start[] = {0, 1, 2}, index[] = {1, 0};
    static const tp_sparse pattern = {.rows = 2, .cols = 2, .start = start, .index = index};
    tp_ode_equations equations = {
        .n = 2, .rate = oscillate, .jacobian = oscillate_jacobian, .pattern = &pattern};
    tp_ode_options options = tp_ode_options_default(method);
    options.rtol = options.atol = tolerance;
    options.max_step = max_step;
    const double begin[] = {1.0, 0.0};
    tp_ode *ode = NULL;
    assert_int_equal(tp_ode_create(NULL, &equations, &options, &ode, NULL), TP_OK);
    assert_int_equal(tp_ode_start(ode, 0.0, begin), TP_OK);
    return ode;
}

/* x - level for each of three levels. */
static void levels(void *context, double t, const double *y, double *value)
{
    (void)t;
    const double *level = context;
    for (int k = 0; k < 3; k++) value[k] = y[0] - level[k];
}

enum { CAPACITY = 8, WORK = (TP_ROOT_SAMPLES + 2) * 3 + 2 };

static int first_roots(tp_ode *ode, const tp_root_functions *functions, double end, tp_root *roots)
{
    double work[WORK];
    while (tp_ode_time(ode) < end) {
        assert_int_equal(tp_ode_step(ode, end), TP_OK);
        int count = tp_ode_find_roots(ode, functions, work, CAPACITY, roots);
        if (count > 0) return count;
    }
    return 0;
}

/* x = cos t falls through 1/2 at pi/3. The error of a root is that of the state over its speed sin(pi/3). */
TEST(a_root_is_found_to_the_accuracy_of_the_solution_and_its_state_by_the_full_formula)
{
    const double third = acos(0.5);
    double level[] = {0.5, -2.0, 2.0};
    tp_root_functions functions = {.count = 3, .context = level, .values = levels};
    for (int m = 0; m < 2; m++) {
        tp_ode *ode = oscillator(m == 0 ? TP_ODE_DORMAND_PRINCE : TP_ODE_RADAU, 1e-12, 0.02);
        tp_root roots[CAPACITY];
        CHECK_INT(first_roots(ode, &functions, 2.0, roots), 1);
        CHECK_INT(roots[0].function, 0);
        CHECK_INT(roots[0].kind, TP_ROOT_FALLING);
        CHECK_NEAR(roots[0].time, third, 1e-10);
        CHECK_INT(tp_ode_shorten(ode, roots[0].time), TP_OK);
        CHECK_NEAR(tp_ode_time(ode), roots[0].time, 0.0);
        CHECK_NEAR(tp_ode_state(ode)[0], cos(roots[0].time), 1e-11);
        CHECK_NEAR(tp_ode_rate(ode)[0], tp_ode_state(ode)[1], 0.0);
        CHECK_INT(tp_ode_step(ode, 2.0), TP_OK); /* and on from there */
        tp_ode_free(ode);
    }
}

/* One long step from 0 to 2 pi/3: the levels -0.4, 0.3 and 0.3 again are passed at known times. */
TEST(several_roots_of_one_step_come_in_the_order_of_time)
{
    double level[] = {-0.4, 0.3, 0.3};
    tp_root_functions functions = {.count = 3, .context = level, .values = levels};
    tp_ode *ode = oscillator(TP_ODE_DORMAND_PRINCE, 1e-3, 0.0);
    tp_root roots[CAPACITY];
    int count = 0;
    while (count < 3 && tp_ode_time(ode) < 2.1) count += first_roots(ode, &functions, 2.1, roots + count);
    CHECK_INT(count, 3);
    CHECK_INT(roots[0].function, 1);
    CHECK_INT(roots[1].function, 2);
    CHECK_INT(roots[2].function, 0);
    CHECK_NEAR(roots[0].time, acos(0.3), 1e-2);
    CHECK_NEAR(roots[1].time, roots[0].time, 0.0);
    CHECK_NEAR(roots[2].time, acos(-0.4), 1e-2);
    tp_ode_free(ode);
}

/* x + 1 touches 0 at pi; with a level below it never reaches 0, with one above it crosses twice, however near
   the two crossings are: pi -+ acos(1 - d) = sqrt(2 d) + O(d^1.5). */
TEST(a_touch_is_told_from_two_crossings_between_samples)
{
    const double graze[] = {1e-9, 1e-9, 1e-9}, d = 1e-6, work_error = 1e-11;
    double level[] = {-1.0, -1.0 + d, -1.0 - d};
    tp_root_functions functions = {.count = 3, .context = level, .values = levels, .graze = graze};
    for (int shift = 0; shift < 5; shift++) { /* the touch near the middle and the ends of a step */
        tp_ode *ode = oscillator(TP_ODE_DORMAND_PRINCE, 1e-13, 0.05 + 0.003 * shift);
        tp_root roots[CAPACITY], own[CAPACITY];
        int count = 0, found;
        while (tp_ode_time(ode) < 4.0 && (found = first_roots(ode, &functions, 4.0, own)) > 0) {
            for (int k = 0; k < found && count < CAPACITY; k++) roots[count++] = own[k];
        }
        CHECK_INT(count, 3);
        double half = acos(1.0 - d);
        CHECK_INT(roots[0].kind, TP_ROOT_FALLING);
        CHECK_INT(roots[1].kind, TP_ROOT_GRAZING);
        CHECK_INT(roots[2].kind, TP_ROOT_RISING);
        CHECK_INT(roots[1].function, 0);
        CHECK_NEAR(roots[0].time, acos(-1.0) - half, work_error / sin(half) + 1e-9);
        CHECK_NEAR(roots[2].time, acos(-1.0) + half, work_error / sin(half) + 1e-9);
        CHECK_NEAR(roots[1].time, acos(-1.0), sqrt(2.0 * graze[0]));
        tp_ode_free(ode);
    }
}

/* Parabolas of time that come near 0 in the middle of a step and do not reach it. */
static void near_misses(void *context, double t, const double *y, double *value)
{
    (void)y;
    const double *step = context;
    double way = (t - step[0]) / step[1] - 0.5;
    for (int k = 0; k < 3; k++) value[k] = way * way + 1e-3;
}

/* Late, a short step has few hundred times that can be told apart: the search for its lowest point ends
 * there.
 */
TEST(the_search_for_a_touch_ends_in_a_step_of_some_roundings)
{
    double step[] = {1000.0, 1e-10}, work[WORK];
    const double begin[] = {1.0, 0.0};
    tp_root_functions functions = {.count = 3, .context = step, .values = near_misses};
    tp_ode *ode = oscillator(TP_ODE_DORMAND_PRINCE, 1e-6, 0.0);
    tp_root roots[CAPACITY];
    CHECK_INT(tp_ode_start(ode, step[0], begin), TP_OK);
    CHECK_INT(tp_ode_step(ode, step[0] + step[1]), TP_OK);
    CHECK_INT(tp_ode_find_roots(ode, &functions, work, CAPACITY, roots), 0);
    tp_ode_free(ode);
}

TEST(more_roots_than_asked_for_leave_the_first_ones)
{
    double level[] = {0.5, 0.5 + 1e-6, 0.5 + 2e-6}, work[WORK]; /* within one step */
    tp_root_functions functions = {.count = 3, .context = level, .values = levels};
    tp_ode *ode = oscillator(TP_ODE_DORMAND_PRINCE, 1e-6, 0.0);
    tp_root roots[2];
    int count = 0;
    while (count == 0 && tp_ode_time(ode) < 1.5) {
        CHECK_INT(tp_ode_step(ode, 1.5), TP_OK);
        count = tp_ode_find_roots(ode, &functions, work, 2, roots);
    }
    CHECK_INT(count, 2);
    CHECK_INT(roots[0].function, 2);
    CHECK_INT(roots[1].function, 1);
    tp_ode_free(ode);
}

TEST(steps_and_roots_allocate_nothing)
{
#ifdef CAN_COUNT_ALLOCATIONS
    const tp_ode_method methods[] = {TP_ODE_DORMAND_PRINCE, TP_ODE_RADAU};
    double level[] = {0.2, 0.4, 0.6}, work[WORK];
    tp_root_functions functions = {.count = 3, .context = level, .values = levels};
    for (int m = 0; m < 2; m++) {
        tp_ode *ode = oscillator(methods[m], 1e-8, 0.0);
        tp_root roots[CAPACITY];
        CHECK_INT(tp_ode_step(ode, 100.0), TP_OK); /* the first factorisation makes its memory */
        allocation_count = 0, is_counting = 1;
        for (int k = 0; k < 50; k++) {
            CHECK_INT(tp_ode_step(ode, 100.0), TP_OK);
            tp_ode_find_roots(ode, &functions, work, CAPACITY, roots);
        }
        is_counting = 0;
        CHECK_INT(allocation_count, 0);
        tp_ode_free(ode);
    }
#else
    UNUSED_STATE;
    skip();
#endif
}

TEST_MAIN(RUNS(a_root_is_found_to_the_accuracy_of_the_solution_and_its_state_by_the_full_formula),
          RUNS(several_roots_of_one_step_come_in_the_order_of_time),
          RUNS(a_touch_is_told_from_two_crossings_between_samples),
          RUNS(the_search_for_a_touch_ends_in_a_step_of_some_roundings),
          RUNS(more_roots_than_asked_for_leave_the_first_ones), RUNS(steps_and_roots_allocate_nothing))
