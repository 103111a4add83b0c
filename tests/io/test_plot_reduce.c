/* Reduced curves look like the curves: the envelope stays, and nothing moves by more than the tolerance. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "io/plot/thin_out.h"

enum { KEPT_MAX = 100000, MANY = 1000000 };

typedef struct kept_dots {
    int count, starts;
    tp_dot dots[KEPT_MAX];
    bool is_start[KEPT_MAX];
} kept_dots;

static void keep(void *self, tp_dot dot, bool is_start)
{
    kept_dots *kept = self;
    if (kept->count >= KEPT_MAX) return;
    kept->starts += is_start;
    kept->is_start[kept->count] = is_start;
    kept->dots[kept->count++] = dot;
}

static kept_dots kept; /* one at a time */

static void reduce(const tp_dot *dots, int count, double column, double tolerance)
{
    tp_reducer reducer;
    kept.count = kept.starts = 0;
    tp_reducer_begin(&reducer, column, tolerance, (tp_dot_sink){&kept, keep});
    for (int k = 0; k < count; k++) {
        if (isnan(dots[k].y)) tp_reducer_break(&reducer);
        if (!isnan(dots[k].y)) tp_reducer_add(&reducer, dots[k]);
    }
    tp_reducer_break(&reducer);
}

/* Distance of a point from the curve that was kept. */
static double distance_from_kept(tp_dot p)
{
    double least = INFINITY;
    for (int k = 1; k < kept.count; k++) {
        if (kept.is_start[k]) continue;
        tp_dot a = kept.dots[k - 1], b = kept.dots[k];
        double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
        double part = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
        part = fmin(fmax(part, 0), 1);
        least = fmin(least, hypot(p.x - a.x - part * dx, p.y - a.y - part * dy));
    }
    return least;
}

TEST(a_million_points_of_noise_keep_their_envelope)
{
    enum { COLUMNS = 400 };
    static tp_dot dots[MANY];
    static double least[COLUMNS], largest[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) least[c] = INFINITY, largest[c] = -INFINITY;
    check_random random = {3};
    for (int k = 0; k < MANY; k++) {
        int column = (int)((long long)k * COLUMNS / MANY);
        dots[k] = (tp_dot){(double)k * COLUMNS / MANY, check_normal(&random)};
        least[column] = fmin(least[column], dots[k].y), largest[column] = fmax(largest[column], dots[k].y);
    }
    reduce(dots, MANY, 1.0, 0.0);
    CHECK(kept.count <= 4 * COLUMNS);
    for (int k = 0; k < kept.count; k++) { /* every kept point may tick off its column's extremes */
        int column = (int)kept.dots[k].x;
        if (kept.dots[k].y == least[column]) least[column] = NAN;
        if (kept.dots[k].y == largest[column]) largest[column] = NAN;
    }
    for (int c = 0; c < COLUMNS; c++) CHECK(isnan(least[c]) && isnan(largest[c]));
}

TEST(a_smooth_path_keeps_within_the_tolerance_with_few_points)
{
    enum { COUNT = 5000 };
    static tp_dot dots[COUNT];
    check_random random = {11};
    for (int trial = 0; trial < 5; trial++) {
        double a = check_uniform(&random, 1, 4), b = check_uniform(&random, 1, 4);
        for (int k = 0; k < COUNT; k++) { /* a Lissajous curve, which turns back in x */
            dots[k] = (tp_dot){200 + 150 * sin(a * k * 2e-3), 100 + 80 * cos(b * k * 2e-3)};
        }
        const double tolerance = 0.05;
        reduce(dots, COUNT, 0.0, tolerance);
        CHECK(kept.count < COUNT / 4);
        /* A point that hardly moves is dropped beside one that is kept within the tolerance. */
        for (int k = 0; k < COUNT; k++) CHECK(distance_from_kept(dots[k]) <= 1.1 * tolerance + 1e-9);
        tp_dot first = kept.dots[0];
        CHECK(first.x == dots[0].x && first.y == dots[0].y);
    }
}

TEST(missing_values_break_the_curve_and_a_single_point_stays)
{
    const tp_dot dots[] = {{0, 1}, {1, 2}, {2, NAN}, {3, 5}, {4, NAN}, {5, NAN}, {6, 1}, {7, 3}};
    reduce(dots, 8, 0.5, 0.01);
    CHECK_INT(kept.starts, 3);
    CHECK_INT(kept.count, 6);
    CHECK(kept.is_start[2] && kept.dots[2].x == 3 && kept.dots[3].x == 3 && kept.dots[3].y == 5);
}

TEST(a_turn_within_a_straight_line_is_kept)
{
    const tp_dot dots[] = {{0, 0}, {10, 0}, {5, 0}};
    reduce(dots, 3, 0.0, 0.05);
    CHECK_INT(kept.count, 3);
    CHECK(kept.dots[1].x == 10);
}

TEST_MAIN(RUNS(a_million_points_of_noise_keep_their_envelope),
          RUNS(a_smooth_path_keeps_within_the_tolerance_with_few_points),
          RUNS(missing_values_break_the_curve_and_a_single_point_stays),
          RUNS(a_turn_within_a_straight_line_is_kept))
