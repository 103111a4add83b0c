/* Orders at which schemes with time steps converge to the motion of event-driven. An impact is seen up to two
   steps late, at a place within the step that jumps with its length: the error is of order dt with a factor
   that jumps between steps of similar length. So it is measured as the mean over time of the largest error of
   a coordinate (by its range in the reference), and the order is the slope of its logarithm over several
   lengths that have no common multiple, by least squares. */
#ifndef TESTS_EVENT_ORDERS_H
#define TESTS_EVENT_ORDERS_H

#include "examples.h"

#include <math.h>
#include <stdlib.h>

enum { ORDER_LEVELS_MAX = 8, ORDER_Q_MAX = 32 };

typedef struct order_scene {
    const char *name; /* of an example, or the text of a scene */
    const char *edits[3];
    double until; /* [s] before many impacts and chaos */
    int steps;    /* of the coarsest run               */
    bool is_text;
} order_scene;

#define ORDER_POINT                                                                                          \
    "coordinates: [x, y, z]\nkinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"                                        \
    "contacts: [{name: floor, gap: z, slip: [\"x'\", \"y'\"], friction: mu}]\n"

/* Those of event-driven.md: balls, oscillators, block, woodpecker, pendulums, corner, cams, slope, drag, rod.
 */
static const order_scene order_scenes[] = {
    {"bouncing-ball", {"parameters.e=0.8"}, 1.5, 150, false},
    {"friction-oscillator", {NULL}, 1.8, 180, false},
    {"corner-ball", {NULL}, 0.9, 180, false},
    {"name: slope\nparameters: {mu: 0.4}\n" ORDER_POINT
     "potential: \"9.81*(cos(0.3)*z - sin(0.3)*x)\"\ninitial: {x': \"2*cos(2)\", y': \"2*sin(2)\"}\n"
     "simulate: {dt: 0.1, until: 1}\n",
     {NULL},
     1.0,
     100,
     true},
    {"double-pendulum-wall-minimal", {NULL}, 1.0, 300, false},
    {"double-pendulum-wall", {NULL}, 1.5, 600, false},
    {"rocking-block", {"parameters.mu=1", "parameters.tilt=atan(1/4)/2"}, 1.0, 400, false},
    /* from gap 0: schemes with laws on positions take a start that is 9e-7 m below it for one on it */
    {"woodpecker", {"initial.alpha=-(rM - r0)/hM"}, 0.12, 1200, false},
    {"cam-follower", {NULL}, 0.15, 600, false},
    {"cam-follower", {"parameters.rpm=660"}, 0.09, 600, false},
    {"cam-follower", {"parameters.rpm=700"}, 0.15, 600, false},
    {"name: drag\nparameters: {mu: 0.3}\n" ORDER_POINT "potential: \"9.81*z\"\n"
     "forces: {x: \"2*t*cos(t)\", y: \"2*t*sin(t)\"}\nsimulate: {dt: 0.1, until: 3}\n",
     {NULL},
     3.0,
     300,
     true},
    {"name: rod\nparameters: {mu: 1}\ncoordinates: [x, y, a]\n"
     "kinetic: \"1/2*(x'^2 + y'^2 + a'^2/3)\"\npotential: \"9.81*y\"\n"
     "contacts: [{name: tip, gap: \"y - sin(a)\", slip: \"x' + sin(a)*a'\", friction: mu}]\n"
     "initial: {x: \"cos(1)\", y: \"sin(1)\", a: 1, x': -5}\nsimulate: {dt: 0.01, until: 0.2}\n",
     {NULL},
     0.25,
     250,
     true},
    {"sphere-slide-roll", {NULL}, 0.3, 300, false},
    {"newtons-cradle", {NULL}, 0.3, 300, false},
};
enum { ORDER_SCENES = sizeof order_scenes / sizeof order_scenes[0] };

static inline tp_scene *order_scene_of(const order_scene *scene)
{
    int edits = 0;
    while (edits < 3 && scene->edits[edits] != NULL) edits++;
    return scene->is_text ? scene_of(scene->name) : read_edited(scene->name, scene->edits, edits);
}

/* Coordinates after each step; false: the scheme refuses the scene or stops, with the reason. */
static inline bool order_run(const tp_scene *scene, const char *integrator, double until, int steps,
                             double *q_out, int *n_out, char *reason)
{
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    bool is_reference = strcmp(integrator, "event-driven") == 0;
    options.integrator = integrator;
    options.time_step = until / steps;
    options.end_time = until;
    options.solver = NULL;
    if (is_reference) options.rtol = 1e-11, options.atol = 1e-12;
    if (is_reference) options.projection.kind = TP_PROJECTION_NONE;
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    for (int k = 1; k <= steps && status == TP_OK; k++) {
        status = tp_simulation_step(simulation, k * (until / steps), &why);
        *n_out = tp_model_summarise(scene->model).coordinate_count;
        if (status == TP_OK)
            memcpy(q_out + (size_t)(k - 1) * ORDER_Q_MAX, tp_simulation_q(simulation),
                   (size_t)*n_out * sizeof(double));
    }
    if (reason != NULL) snprintf(reason, 256, "%.250s", why.text);
    tp_simulation_free(simulation);
    return status == TP_OK;
}

/* Numbers of steps: levels, and at each of them some that are near, over which errors are averaged: the place
   of an impact within its step is another one in each. */
enum { ORDER_NEAR_MAX = 6, ORDER_RUNS = ORDER_LEVELS_MAX * ORDER_NEAR_MAX };

typedef struct order_reference {
    const order_scene *of;
    tp_scene *scene;
    int levels, near, n, steps[ORDER_RUNS];
    double *q[ORDER_RUNS];
} order_reference;

static inline order_reference *order_prepare(const order_scene *of, int levels, int near)
{
    order_reference *to = calloc(1, sizeof *to);
    char reason[256] = "";
    if (to == NULL) fail_msg("no memory");
    to->of = of;
    to->scene = order_scene_of(of);
    to->levels = levels;
    to->near = near;
    for (int k = 0; k < levels * near; k++) {
        to->steps[k] = (int)lround(of->steps * pow(1.618, k / near) * (1.0 + 0.0437 * (k % near)));
        to->q[k] = calloc((size_t)to->steps[k] * ORDER_Q_MAX, sizeof(double));
        if (to->q[k] == NULL ||
            !order_run(to->scene, "event-driven", of->until, to->steps[k], to->q[k], &to->n, reason))
            fail_msg("event-driven: %s", reason);
    }
    return to;
}

static inline void order_free(order_reference *reference)
{
    for (int k = 0; k < ORDER_RUNS; k++) free(reference->q[k]);
    tp_scene_free(reference->scene);
    free(reference);
}

static inline double order_mean_error(const order_reference *of, int k, const double *q)
{
    const double *r = of->q[k];
    double range[ORDER_Q_MAX] = {0.0}, sum = 0.0;
    for (int s = 0; s < of->steps[k]; s++)
        for (int i = 0; i < of->n; i++) range[i] = fmax(range[i], fabs(r[s * ORDER_Q_MAX + i] - r[i]));
    for (int s = 0; s < of->steps[k]; s++) {
        double error = 0.0;
        for (int i = 0; i < of->n; i++) {
            double by = fabs(q[s * ORDER_Q_MAX + i] - r[s * ORDER_Q_MAX + i]);
            if (range[i] > 1e-9) error = fmax(error, by / range[i]);
        }
        sum += error / of->steps[k];
    }
    return sum;
}

/* The slope of the mean error over dt, and the errors of all levels; NAN: refused or stopped. */
static inline double order_of(const order_reference *of, const char *integrator, double *errors_out,
                              char *reason)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    int n;
    for (int level = 0; level < of->levels; level++) {
        errors_out[level] = 0.0;
        for (int k = level * of->near; k < (level + 1) * of->near; k++) {
            double *q = calloc((size_t)of->steps[k] * ORDER_Q_MAX, sizeof *q);
            bool is_run =
                q != NULL && order_run(of->scene, integrator, of->of->until, of->steps[k], q, &n, reason);
            if (is_run) errors_out[level] += order_mean_error(of, k, q) / of->near;
            free(q);
            if (!is_run) return NAN;
        }
        double x = -log(of->steps[level * of->near]), y = log(fmax(errors_out[level], 1e-15));
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (of->levels * sxy - sx * sy) / (of->levels * sxx - sx * sx);
}

#endif
