/* Grains in the plane and in space: what tests of columns that collapse and of silos measure. */
#ifndef TESTS_GRANULAR_H
#define TESTS_GRANULAR_H

#include "examples.h"

#include <math.h>

/* A run of an example with some edits until a time. */
typedef struct granular_run {
    tp_scene *scene;
    tp_simulation *simulation;
    double dt;
    int steps;
} granular_run;

static inline granular_run granular_open(const char *name, const char *const *edits, int edit_count)
{
    granular_run run = {.scene = read_edited(name, edits, edit_count)};
    run.simulation = simulate_scene(run.scene);
    run.dt = run.scene->options.time_step;
    return run;
}

static inline void granular_run_until(granular_run *run, double time)
{
    tp_message why = {""};
    while (run->steps * run->dt < time - 0.5 * run->dt) {
        run->steps++;
        if (tp_simulation_step(run->simulation, run->steps * run->dt, &why) != TP_OK)
            fail_msg("%s", why.text);
    }
}

static inline void granular_close(granular_run *run)
{
    tp_simulation_free(run->simulation);
    tp_scene_free(run->scene);
}

/* Grains come first; `stride` coordinates each, of which the first `axes` are the centre. */
typedef struct grains {
    const double *q;
    int count, stride, axes;
} grains;

static inline grains granular_grains(const granular_run *run, int stride)
{
    return (grains){.q = tp_simulation_q(run->simulation),
                    .count = tp_model_summarise(run->scene->model).coordinate_count / stride,
                    .stride = stride,
                    .axes = stride == 3 ? 2 : 3};
}

static inline double grain_at(const grains *all, int grain, int axis)
{
    return all->q[all->stride * grain + axis];
}

/* Distance from the wall (plane) or from the axis (space). */
static inline double grain_out(const grains *all, int grain)
{
    return all->axes == 2 ? grain_at(all, grain, 0) : hypot(grain_at(all, grain, 0), grain_at(all, grain, 1));
}

static inline bool grains_touch(const grains *all, int a, int b, double distance)
{
    double sum = 0.0;
    for (int axis = 0; axis < all->axes; axis++) {
        double between = grain_at(all, a, axis) - grain_at(all, b, axis);
        sum += between * between;
    }
    return sum < distance * distance;
}

/* How far the grains reach that hang together with the innermost one: single ones that roll on do not count,
   as in the experiments. `distance` is that of centres up to which two hang together. */
static inline double grains_front(const grains *all, double distance)
{
    int *queue = calloc(2 * (size_t)all->count, sizeof *queue), *is_known = queue + all->count;
    int first = 0, known = 1;
    double front = 0.0;
    for (int k = 0; k < all->count; k++)
        if (grain_out(all, k) < grain_out(all, first)) first = k;
    queue[0] = first;
    is_known[first] = 1;
    for (int at = 0; at < known; at++) {
        front = fmax(front, grain_out(all, queue[at]));
        for (int k = 0; k < all->count; k++) {
            if (is_known[k] || !grains_touch(all, queue[at], k, distance)) continue;
            is_known[k] = 1;
            queue[known++] = k;
        }
    }
    free(queue);
    return front;
}

static inline int compare_heights(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean height of the highest `count` grains. */
static inline double grains_top(const grains *all, int count)
{
    double *heights = calloc((size_t)all->count, sizeof *heights), sum = 0.0;
    for (int k = 0; k < all->count; k++) heights[k] = grain_at(all, k, all->axes - 1);
    qsort(heights, (size_t)all->count, sizeof *heights, compare_heights);
    for (int k = all->count - count; k < all->count; k++) sum += heights[k];
    free(heights);
    return sum / count;
}

/* A column that collapsed: aspect ratio at the release, and how far it ran over its width or radius. */
typedef struct collapse {
    double aspect, runout;
} collapse;

static inline collapse granular_collapse(const char *name, const char *const *edits, int edit_count,
                                         double width, double until)
{
    const double d = 0.01, release = 0.25; /* of the scenes */
    granular_run run = granular_open(name, edits, edit_count);
    int stride = strcmp(name, "granular/column-collapse") == 0 ? 3 : 7;
    granular_run_until(&run, release);
    grains all = granular_grains(&run, stride);
    collapse made = {.aspect = (grains_top(&all, all.count / 12) + 0.45 * d) / width};
    granular_run_until(&run, until);
    all = granular_grains(&run, stride);
    made.runout = (grains_front(&all, 1.1 * d) + 0.45 * d - width) / width;
    granular_close(&run);
    return made;
}

/* Grains that flow out of the silo in a second, after the start. */
static inline double granular_flow(const char *const *edits, int edit_count)
{
    const double begin = 0.1, end = 0.4;
    granular_run run = granular_open("granular/orifice", edits, edit_count);
    granular_run_until(&run, begin);
    double before = tp_simulation_sensor(run.simulation, 0);
    granular_run_until(&run, end);
    double flow = (tp_simulation_sensor(run.simulation, 0) - before) / (end - begin);
    granular_close(&run);
    return flow;
}

/* A mean over packings, and the variance of that mean. */
typedef struct granular_mean {
    double mean, variance;
} granular_mean;

static inline granular_mean granular_mean_of(int count, double sum, double squares)
{
    double mean = sum / count;
    return (granular_mean){mean, (squares - sum * mean) / (count - 1) / count};
}

/* The flow over packings of 24 grains side by side. */
static inline granular_mean granular_mean_flow(const char *layers, const char *width,
                                               const char *const *seeds, int seed_count)
{
    double sum = 0.0, squares = 0.0;
    for (int s = 0; s < seed_count; s++) {
        const char *edits[] = {"parameters.c=24", layers, width, seeds[s]};
        double flow = granular_flow(edits, 4);
        sum += flow;
        squares += flow * flow;
    }
    return granular_mean_of(seed_count, sum, squares);
}

/* Force on a shape in its last step [N]. */
static inline double granular_load(const granular_run *run, const char *shape)
{
    int index = tp_model_shape_named(run->scene->model, shape).index;
    double sum = 0.0;
    tp_contact_info at;
    for (int i = 0; i < tp_simulation_law_count(run->simulation); i++) {
        if (!tp_simulation_contact(run->simulation, i, &at)) continue;
        if (at.shape_a == index || at.shape_b == index) sum += at.impulse[0];
    }
    return sum / run->dt;
}

/* Mean load of the bottom of the silo while it sinks [N]. */
static inline double granular_silo(const char *const *edits, int edit_count)
{
    const double begin = 0.35, end = 0.5;
    granular_run run = granular_open("granular/silo", edits, edit_count);
    double sum = 0.0;
    int count = 0;
    granular_run_until(&run, begin);
    for (; run.steps * run.dt < end - 0.5 * run.dt; count++) {
        granular_run_until(&run, (run.steps + 1) * run.dt);
        sum += granular_load(&run, "bottom");
    }
    granular_close(&run);
    return sum / count;
}

/* Janssen: the part of the weight that the bottom of a flat silo carries, x = 2 mu K h/w; theory in
   examples/granular/silo. */
static inline double janssen_share(double x)
{
    return (1.0 - exp(-x)) / x;
}

/* The x of a share between 0 and 1. */
static inline double janssen_depth(double share)
{
    double low = 1e-6, high = 1e3;
    for (int k = 0; k < 60; k++) {
        double middle = sqrt(low * high);
        *(janssen_share(middle) > share ? &low : &high) = middle;
    }
    return low;
}

/* What is left on the plate of examples/granular/repose. */
typedef struct deposit {
    double angle;  /* of its surface [rad] */
    double moving; /* part of its grains that moved by a tenth of a diameter in the last 0.1 s */
} deposit;

/* Slope of a line through the highest grains over places a grain apart, without those next to the wall and to
   the edge, as an angle [rad]; `reach` is the length of the plate. */
static inline double granular_slope(const grains *all, double d, double reach)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (double from = d; from + d <= reach - d; from += d) {
        double top = 0.0, middle = from + 0.5 * d;
        for (int k = 0; k < all->count; k++) {
            double at = grain_at(all, k, 0);
            if (at >= from && at < from + d) top = fmax(top, grain_at(all, k, 1));
        }
        n += 1.0, x += middle, y += top, xx += middle * middle, xy += middle * top;
    }
    return atan((x * y / n - xy) / (xx - x * x / n));
}

/* Part of the grains on the plate that the next 0.1 s move by a tenth of a diameter. */
static inline double granular_unrest(granular_run *run, double d, double reach)
{
    grains all = granular_grains(run, 3);
    size_t size = (size_t)(all.count * all.stride) * sizeof(double);
    double *before = malloc(size), moved = 0.0, left = 0.0;
    memcpy(before, all.q, size);
    granular_run_until(run, run->steps * run->dt + 0.1);
    all = granular_grains(run, 3);
    for (int k = 0; k < all.count; k++) {
        double x = grain_at(&all, k, 0), y = grain_at(&all, k, 1);
        if (x > reach || y < 0.0) continue;
        left += 1.0;
        if (hypot(x - before[all.stride * k], y - before[all.stride * k + 1]) > 0.1 * d) moved += 1.0;
    }
    free(before);
    return moved / left;
}

/* The deposit when all but one grain in fifty are at rest, since single discs roll on, or at the end. */
static inline deposit granular_repose(const char *const *edits, int edit_count, double reach, double until)
{
    const double d = 0.01;
    granular_run run = granular_open("granular/repose", edits, edit_count);
    deposit made = {.moving = 1.0};
    granular_run_until(&run, 0.8);
    while (made.moving > 0.02 && run.steps * run.dt < until) made.moving = granular_unrest(&run, d, reach);
    grains all = granular_grains(&run, 3);
    made.angle = granular_slope(&all, d, reach);
    granular_close(&run);
    return made;
}

#endif
