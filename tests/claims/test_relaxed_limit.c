/* The relaxed motion tends to the rigid one, that of event-driven, at the orders of
   docs/theory/relaxed-dai.md: largest error of a coordinate over the whole motion. TIPPE_WRITE_DOCS=1 writes
   docs/plots/relaxed-limit.csv and .svg. */
#include "simulations.h"

#include <stdlib.h>

enum { ROWS = 20, Q_MAX = 8, DELTAS = 4 };

typedef struct limit_case {
    const char *name;
    double order; /* 0: equal for every delta, to the error of the runs */
    double delta; /* the largest */
    double until;
    const char *model;
} limit_case;

#define POINT                                                                                                \
    "coordinates: [x, y, z]\nkinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"                                        \
    "contacts: [{name: slope, gap: z, slip: [\"x'\", \"y'\"], friction: mu}]\n"
#define PAIR                                                                                                 \
    "parameters: {k: 0.3/(0.7*(0.7 + 6*0.3))}\n"                                                             \
    "coordinates: [x1, y1, z1, x2, y2, z2]\n"                                                                \
    "kinetic: \"1/1.4*(x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2) - "                                    \
    "1/2*k*(x1' - y1' + z1' + x2' + y2' - z2')^2\"\n"                                                        \
    "forces: {x1: 1.2*sin(3*t) - 4*x1, y1: 0.8*cos(2*t) - 4*y1, z1: -2, x2: -0.9*cos(3*t) - 4*x2, "          \
    "y2: 1.1*sin(t) - 4*y2, z2: -3}\n"                                                                       \
    "contacts: [{name: a, gap: z1, slip: [\"x1'\", \"y1'\"], friction: 0.5},\n"                              \
    "  {name: b, gap: z2, slip: [\"x2'\", \"y2'\"], friction: 0.4}]\n"

static const limit_case cases[] = {
    {"planar slip of a rod", 0.0, 4e-3, 0.14,
     "coordinates: [x, y, a]\nkinetic: \"1/2*(x'^2 + y'^2 + a'^2/3)\"\npotential: \"9.81*y\"\n"
     "contacts: [{name: tip, gap: \"y - sin(a)\", slip: \"x' + sin(a)*a'\", friction: 1}]\n"
     "initial: {x: \"cos(1)\", y: \"sin(1)\", a: 1, x': -5}\n"},
    {"its end in stick", 2.0, 8e-3, 0.25,
     "coordinates: [x, y, a]\nkinetic: \"1/2*(x'^2 + y'^2 + a'^2/3)\"\npotential: \"9.81*y\"\n"
     "contacts: [{name: tip, gap: \"y - sin(a)\", slip: \"x' + sin(a)*a'\", friction: 1}]\n"
     "initial: {x: \"cos(1)\", y: \"sin(1)\", a: 1, x': -5}\n"},
    {"slip that turns round", 1.0, 8e-3, 1.0,
     "coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: \"50*x^2\"\n"
     "laws: [{name: rub, kind: friction, velocity: \"x'\", bound: 0.981}]\ninitial: {x: 0.1}\n"},
    {"block on a shaken table", 1.0, 4e-3, 1.0,
     "coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
     "laws: [{name: rub, kind: friction, velocity: \"x' - 0.4*cos(12*t)\", bound: 2}]\n"},
    {"slope in space", 1.0, 4e-3, 0.8,
     "parameters: {mu: 0.4}\n" POINT "potential: \"9.81*(cos(0.3)*z - sin(0.3)*x)\"\n"
     "initial: {x': \"2*cos(2)\", y': \"2*sin(2)\"}\n"},
    {"bouncing ball", 1.0, 4e-4, 0.5,
     "coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
     "contacts: [{name: floor, gap: y, restitution: 0.5}]\ninitial: {y: 0.2}\n"},
    {"two coupled contacts", 1.0, 1e-2, 1.0, PAIR},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static int run_rows(const limit_case *of, const char *entries, double *q_out)
{
    char text[2048];
    snprintf(text, sizeof text, "%ssimulate: {%s, dt: %.17g, until: %.17g}\n", of->model, entries,
             of->until / ROWS, of->until);
    tp_scene *scene = scene_of(text);
    tp_simulation *s = simulate_options(scene->model, scene->options);
    int n = tp_model_summarise(scene->model).coordinate_count;
    for (int k = 0; k < ROWS; k++) {
        step_to(s, (k + 1) * (of->until / ROWS));
        memcpy(q_out + k * Q_MAX, tp_simulation_q(s), (size_t)n * sizeof(double));
    }
    tp_simulation_free(s);
    tp_scene_free(scene);
    return n;
}

static double error_of(const limit_case *of, double delta)
{
    static double rigid[ROWS * Q_MAX], relaxed[ROWS * Q_MAX];
    char entries[256];
    double error = 0.0;
    int n = run_rows(of, "integrator: event-driven, rtol: 1e-11, atol: 1e-12", rigid);
    snprintf(entries, sizeof entries,
             "integrator: relaxed-dai-adaptive, relaxation_time: %.17g, rtol: 1e-9, atol: 1e-12", delta);
    run_rows(of, entries, relaxed);
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < n; i++) error = fmax(error, fabs(relaxed[k * Q_MAX + i] - rigid[k * Q_MAX + i]));
    return error;
}

static void write_figure(void **check_state_, double deltas[CASES][DELTAS], double errors[CASES][DELTAS])
{
    FILE *file = fopen(TIPPE_SOURCE_DIR "/docs/plots/relaxed-limit.csv", "w");
    CHECK(file != NULL);
    fprintf(file, "motion,delta [s],largest error\n");
    tp_plot_series series[CASES];
    tp_plot_key keys[CASES];
    for (int c = 0; c < CASES; c++) {
        for (int k = 0; k < DELTAS; k++)
            fprintf(file, "%s,%.4g,%.3g\n", cases[c].name, deltas[c][k], errors[c][k]);
        series[c] = (tp_plot_series){.x = deltas[c], .y = errors[c], .count = DELTAS, .style = {.colour = c}};
        keys[c] = (tp_plot_key){cases[c].name, series[c].style};
    }
    fclose(file);
    tp_plot_panel panel = {.x_label = "relaxation time [s]",
                           .y_label = "largest error of a coordinate",
                           .series = series,
                           .series_count = CASES,
                           .is_log_x = true,
                           .keys = keys,
                           .key_count = CASES,
                           .is_log = true};
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = &panel;
    figure.panel_count = 1;
    CHECK_INT(tp_plot_write(NULL, &figure, TIPPE_SOURCE_DIR "/docs/plots/relaxed-limit.svg", NULL), TP_OK);
}

/* The next term of an error is delta times the first: the slope over the two smallest delta, a quarter of
   each other, is off by a few hundredths; three switches of modes at rows of the output leave a tenth. */
TEST(the_relaxed_motion_tends_to_that_of_event_driven_at_its_orders)
{
    bool writes = getenv("TIPPE_WRITE_DOCS") != NULL;
    static double deltas[CASES][DELTAS], errors[CASES][DELTAS];
    for (int c = 0; c < CASES; c++) {
        for (int k = 0; k < DELTAS; k++) {
            deltas[c][k] = cases[c].delta * pow(0.5, k);
            if (writes || k == 1 || k == DELTAS - 1) errors[c][k] = error_of(&cases[c], deltas[c][k]);
        }
        double slope = log2(errors[c][1] / errors[c][DELTAS - 1]) / (DELTAS - 2);
        if (cases[c].order == 0.0) {
            CHECK(errors[c][1] <= 1e-8 && errors[c][DELTAS - 1] <= 1e-8);
            continue;
        }
        if (!(fabs(slope - cases[c].order) <= 0.15))
            print_error("%s: errors %g and %g, order %g\n", cases[c].name, errors[c][1],
                        errors[c][DELTAS - 1], slope);
        CHECK_NEAR(slope, cases[c].order, 0.15);
    }
    if (writes) write_figure(check_state_, deltas, errors);
}

/* A load f turns a slip round against friction F < f: within the band of the relaxed law the velocity falls
   from d (f + F) to d (f - F) in the time d ln((f + F)/(f - F)), and is behind the rigid one by (f - F) times
   that. A support that accelerates with f is the same load in its own frame: its acceleration belongs to the
   rows, of formulas (gamma' of the law) and of bodies that move as given. */
TEST(a_slip_that_turns_round_is_late_by_its_closed_form_on_supports_that_accelerate_too)
{
    static const struct {
        const char *model;
        double support; /* acceleration */
    } turns[] = {
        {"coordinates: [x]\nkinetic: \"1/2*x'^2\"\nforces: {x: -2}\n"
         "laws: [{name: rub, kind: friction, velocity: \"x'\", bound: 1}]\ninitial: {x': 1}\n",
         0.0},
        {"coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
         "laws: [{name: rub, kind: friction, velocity: \"x' - 2*t\", bound: 1}]\ninitial: {x': 1}\n",
         2.0},
        {"gravity: [0, 0, -10]\nbodies:\n"
         "  - {name: block, mass: 1, position: [0, 0, 0.05], velocity: [1, 0, 0], shapes: [{type: box, size: "
         "[0.8, 0.8, 0.1]}]}\n"
         "  - {name: table, type: moving, motion: [\"t^2\", 0, 0], shapes: [{name: top, type: plane}]}\n"
         "contacts: [{name: foot, between: [top, block], friction: 0.1}]\n",
         2.0},
    };
    static const double deltas[] = {1e-2, 1e-3};
    for (int k = 0; k < 6; k++) {
        const double f = 2.0, F = 1.0, d = deltas[k % 2], support = turns[k / 2].support; /* zeta = 1/2 */
        char entries[256];
        snprintf(entries, sizeof entries,
                 "integrator: relaxed-dai-adaptive, relaxation_time: %.17g, rtol: 1e-11, atol: 1e-13", d);
        const limit_case turn = {.delta = d, .until = 1.0, .model = turns[k / 2].model};
        double q[ROWS * Q_MAX];
        run_rows(&turn, entries, q);
        double late = d * log((f + F) / (f - F)) * (f - F), dt = turn.until / ROWS, t = 1.0 - 0.5 * dt,
               mean =
                   (q[(ROWS - 1) * Q_MAX] - q[(ROWS - 2) * Q_MAX]) / dt; /* in the middle of the last row */
        CHECK_NEAR(mean - support * t, -(f - F) * (t - 1.0 / (f + F)) + late, 1e-8);
    }
}

TEST_MAIN(RUNS(a_slip_that_turns_round_is_late_by_its_closed_form_on_supports_that_accelerate_too),
          RUNS(the_relaxed_motion_tends_to_that_of_event_driven_at_its_orders))
