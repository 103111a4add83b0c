/* Error against processor time of smooth mechanisms: jet-projection beside SUNDIALS and beside our own
   integrators of fixed steps. bench-jet [--rounds K] [--csv FILE] [NAME...]

   Each mechanism runs to its end with tolerances 1e-2, 1e-3, ... (fixed steps: halved); the error is the
   largest of a coordinate at the end, against a run of order 8 with 1e-13. SUNDIALS solves the same
   equations with our functions and analytic Jacobians (jet_sundials.c), which are compared with differences
   first. Only integration is timed. A time to a level of accuracy is interpolated between tolerances. */
#include "jet_sundials.h"
#include "measure.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE_MAX = 512, LADDER = 11, LEVELS = 4 };

static const double levels[LEVELS] = {1e-3, 1e-5, 1e-7, 1e-9};
static const double shortest = 1e-3; /* [s] that a measurement takes at least, by repetition */
static const double longest = 1.0;   /* [s] after a run that takes longer tolerances are not tightened */
static const double right_jacobian = 1e-5; /* of differences, over the largest entry */

typedef enum kind { OURS, SUNDIALS, FIXED } kind;

typedef struct method {
    const char *name;
    kind kind;
    tp_jet_options jet;     /* OURS */
    rival_method rival;     /* SUNDIALS */
    const char *integrator; /* FIXED */
} method;

static const method methods[] = {
    {"orthogonal", OURS, {.projection = TP_JET_ORTHOGONAL}, 0, NULL},
    {"tangential", OURS, {.projection = TP_JET_TANGENTIAL}, 0, NULL},
    {"tangential, free stages", OURS, {.projection = TP_JET_TANGENTIAL, .has_free_stages = true}, 0, NULL},
    {"order 8",
     OURS,
     {.projection = TP_JET_TANGENTIAL, .has_free_stages = true, .method = TP_JET_ORDER_8},
     0,
     NULL},
    {"adams", SUNDIALS, {0}, RIVAL_ADAMS, NULL},
    {"adams, projected", SUNDIALS, {0}, RIVAL_ADAMS_PROJECTED, NULL},
    {"bdf", SUNDIALS, {0}, RIVAL_BDF, NULL},
    {"ida", SUNDIALS, {0}, RIVAL_IDA, NULL},
    {"generalized-alpha", FIXED, {0}, 0, "generalized-alpha"},
    {"consistent", FIXED, {0}, 0, "consistent"},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

typedef struct mechanism {
    const char *name, *folder; /* of examples/; NULL: `text` is the scene */
    double until;              /* 0: the scene's */
    const char *text;
} mechanism;

static const char simple_pendulum[] =
    "coordinates: [x, y]\ninitial: {x: -1}\nkinetic: \"1/2*(x'^2 + y'^2)\"\npotential: 9.81*y\n"
    "constraints: [{name: rod, position: \"(x^2 + y^2 - 1)/2\"}]\n";

static const mechanism mechanisms[] = {
    {"ball-joint pendulum", "pendulum-3d", 10.0, NULL},
    {"pendulum with torque", "pendulum-torque", 2.0, NULL},
    {"four-bar linkage", "quadrangle", 5.0, NULL},
    {"crank in space", "crank", 3.0, NULL},
    {"simple pendulum", NULL, 10.0, simple_pendulum},
    {"N-four-bar", "n-four-bar", 0.6, NULL},
    {"Andrews", "andrews", 0.03, NULL},
    {"Bricard", "bricard", 5.0, NULL},
    {"flyball governor", "flyball-governor", 0.0, NULL},
    {"spatial slider-crank", "spatial-slider-crank", 0.0, NULL},
    {"heavy top", "heavy-top", 0.0, NULL},
};

/* A mechanism with one kind of projection. */
typedef struct subject {
    tp_scene *scene;
    tp_system *system;
    tp_jet *jet;
    rival *rival;
    double until, z0[STATE_MAX], q0[STATE_MAX], u0[STATE_MAX], q[STATE_MAX];
    int n; /* coordinates */
} subject;

static bool open_subject(const mechanism *m, tp_jet_options options, double tolerance, subject *s)
{
    char path[512];
    tp_message why = {""};
    memset(s, 0, sizeof *s);
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml",
             m->folder != NULL ? m->folder : "");
    tp_status status = m->text != NULL ? tp_scene_read_memory(NULL, m->name, m->text, strlen(m->text), NULL,
                                                              0, &s->scene, &why)
                                       : tp_scene_read(NULL, path, NULL, 0, &s->scene, &why);
    if (status != TP_OK || tp_system_create(tp_allocator_default(), s->scene->model, &s->system) != TP_OK) {
        fprintf(stderr, "%s: %s\n", path, why.text);
        return false;
    }
    options.tolerance = tolerance;
    options.max_sweeps = 500;
    bool changed;
    if (tp_jet_create(tp_allocator_default(), s->system, &options, &s->jet, &why) != TP_OK) return false;
    s->rival = rival_create(s->system, s->jet);
    s->n = tp_jet_coordinate_count(s->jet);
    s->until = m->until > 0.0 ? m->until : s->scene->options.end_time;
    tp_jet_put(s->jet, s->scene->model->q0, s->scene->model->u0, s->z0);
    tp_jet_get(s->jet, s->z0, s->q0, s->u0);
    return tp_jet_begin(s->jet, 0.0, s->z0, &changed) == TP_OK && s->rival != NULL;
}

static void close_subject(subject *s)
{
    rival_free(s->rival);
    tp_jet_free(s->jet);
    tp_system_free(s->system);
    tp_scene_free(s->scene);
}

/* ---- jet-projection ---- */

static bool run_jet(subject *s, double tolerance)
{
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE); /* the manifold sets its own */
    options.atol = options.rtol = tolerance;
    options.grow = 3.0;
    tp_ode_equations equations = tp_jet_equations(s->jet, &options);
    tp_ode *ode = NULL;
    if (tp_ode_create(tp_allocator_default(), &equations, &options, &ode, NULL) != TP_OK) return false;
    tp_status status = tp_ode_start(ode, 0.0, s->z0);
    while (status == TP_OK && tp_ode_time(ode) < s->until) {
        bool changed;
        status = tp_jet_begin(s->jet, tp_ode_time(ode), tp_ode_state(ode), &changed);
        if (status == TP_OK && changed) status = tp_ode_replace(ode, tp_ode_state(ode));
        if (status == TP_OK) status = tp_ode_step(ode, s->until);
    }
    memcpy(s->q, tp_ode_state(ode), (size_t)s->n * sizeof(double));
    tp_ode_free(ode);
    return status == TP_OK;
}

/* ---- our integrators of fixed steps ---- */

static bool run_fixed(subject *s, const char *integrator, double step)
{
    tp_simulation_options options = s->scene->options;
    tp_simulation *simulation = NULL;
    options.integrator = integrator;
    options.time_step = step;
    options.end_time = s->until;
    if (tp_simulation_create(NULL, s->scene->model, &options, &simulation, NULL) != TP_OK) return false;
    tp_status status = tp_simulation_run(simulation, NULL, NULL, NULL);
    memcpy(s->q, tp_simulation_q(simulation), (size_t)s->n * sizeof(double));
    tp_simulation_free(simulation);
    return status == TP_OK;
}

/* ---- ladders ---- */

typedef struct ladder {
    int count;
    double error[LADDER], seconds[LADDER];
} ladder;

/* The k-th rung: a tolerance, or a step. */
static double rung_of(const subject *s, const method *m, int k)
{
    return m->kind == FIXED ? s->until / 64.0 * pow(0.5, k) : pow(10.0, -2 - k);
}

static bool run(subject *s, const method *m, double rung)
{
    if (m->kind == OURS) return run_jet(s, rung);
    if (m->kind == FIXED) return run_fixed(s, m->integrator, rung);
    return rival_run(s->rival, m->rival, rung, s->until, s->q0, s->u0, s->q);
}

/* The least processor time of some runs, each repeated until it can be measured. */
static double time_of(subject *s, const method *m, double rung, int rounds)
{
    double best = INFINITY;
    for (int r = 0; r < rounds; r++) {
        double begin = bench_processor_time(), spent = 0.0;
        int runs = 0;
        while (spent < shortest) {
            if (!run(s, m, rung)) return INFINITY;
            runs++;
            spent = bench_processor_time() - begin;
        }
        best = fmin(best, spent / runs);
    }
    return best;
}

/* Euler parameters of both signs are the same. */
static double error_of(const subject *s, const double *exact)
{
    double worst = 0.0;
    for (int i = 0; i < s->n; i++) {
        double error = fabs(s->q[i] - exact[i]);
        for (int b = 0; b < s->scene->model->bodies.count; b++) {
            const tp_body *body = TP_LIST_AT(s->scene->model->bodies, tp_body, b);
            if (body->kind == TP_BODY_RIGID && i >= body->q_first + 3 && i < body->q_first + 7)
                error = fmin(error, fabs(s->q[i] + exact[i]));
        }
        worst = fmax(worst, error);
    }
    return worst;
}

static ladder measure(const mechanism *m, const method *by, const double *exact, int rounds, FILE *csv)
{
    ladder out = {.count = 0};
    for (int k = 0; k < LADDER; k++) {
        double tolerance = pow(10.0, -2 - k);
        subject s;
        /* constraints to a tenth of what a step may be off; CVODE asks for rates that are smooth */
        double held = by->kind == OURS ? 0.1 * tolerance : 1e-12;
        if (!open_subject(m, by->jet, held, &s)) break;
        double rung = rung_of(&s, by, k), seconds = time_of(&s, by, rung, rounds),
               error = error_of(&s, exact);
        close_subject(&s);
        if (!isfinite(seconds)) continue;
        out.error[out.count] = error;
        out.seconds[out.count++] = seconds;
        if (csv != NULL) fprintf(csv, "%s,%s,%.3g,%.3g,%.4g\n", m->name, by->name, rung, error, seconds);
        if (seconds > longest) break;
    }
    return out;
}

/* Time at which the error is a level: between the last rung above it and the first from which on all are
   below it, logarithmically. */
static double time_to(const ladder *l, double level)
{
    int first = l->count;
    while (first > 0 && l->error[first - 1] <= level) first--;
    if (first == l->count) return NAN;
    if (first == 0) return l->seconds[0];
    double x0 = log(l->error[first - 1]), x1 = log(l->error[first]), share = (log(level) - x0) / (x1 - x0);
    return exp((1.0 - share) * log(l->seconds[first - 1]) + share * log(l->seconds[first]));
}

/* ---- tables ---- */

static void print_times(const char *name, const char *by, const double *seconds)
{
    printf("| %s | %s |", name, by);
    for (int k = 0; k < LEVELS; k++) {
        if (isnan(seconds[k]))
            printf(" - |");
        else
            printf(" %.3g |", 1e3 * seconds[k]);
    }
    printf("\n");
    fflush(stdout);
}

/* The least of a kind, by level. */
static void take_best(double *best, const double *seconds)
{
    for (int k = 0; k < LEVELS; k++) {
        if (isnan(best[k]) || seconds[k] < best[k]) best[k] = seconds[k];
    }
}

static void print_ratios(const char *name, const double *ours, const double *theirs)
{
    printf("ratio,%s", name);
    for (int k = 0; k < LEVELS; k++) printf(",%.3g", theirs[k] / ours[k]);
    printf("\n");
}

static void measure_mechanism(const mechanism *m, int rounds, FILE *csv)
{
    subject s;
    double exact[STATE_MAX], best[2][LEVELS];
    for (int k = 0; k < LEVELS; k++) best[0][k] = best[1][k] = NAN;
    if (!open_subject(m, methods[3].jet, 1e-14, &s)) return;
    double error = rival_check(s.rival, s.q0, s.u0);
    if (!(error < right_jacobian)) fprintf(stderr, "%s: Jacobians are off by %.2g\n", m->name, error);
    if (!run_jet(&s, 1e-13)) fprintf(stderr, "%s: no reference\n", m->name);
    memcpy(exact, s.q, sizeof exact);
    close_subject(&s);
    for (int k = 0; k < METHODS; k++) {
        ladder l = measure(m, &methods[k], exact, rounds, csv);
        double seconds[LEVELS];
        for (int i = 0; i < LEVELS; i++) seconds[i] = time_to(&l, levels[i]);
        print_times(k == 0 ? m->name : "", methods[k].name, seconds);
        if (methods[k].kind != FIXED) take_best(best[methods[k].kind], seconds);
    }
    print_ratios(m->name, best[OURS], best[SUNDIALS]);
}

int main(int count, char **arguments)
{
    int rounds = 3, first = 1;
    FILE *csv = NULL;
    for (; first + 1 < count && strncmp(arguments[first], "--", 2) == 0; first += 2) {
        if (strcmp(arguments[first], "--rounds") == 0) rounds = atoi(arguments[first + 1]);
        if (strcmp(arguments[first], "--csv") == 0) csv = fopen(arguments[first + 1], "w");
    }
    if (csv != NULL) fprintf(csv, "mechanism,method,tolerance or step,error,seconds\n");
    printf("| mechanism | method | 1e-3 | 1e-5 | 1e-7 | 1e-9 |\n|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof mechanisms / sizeof mechanisms[0]; k++) {
        bool is_asked = first >= count;
        for (int i = first; i < count; i++)
            is_asked = is_asked || strstr(mechanisms[k].name, arguments[i]) != NULL;
        if (is_asked) measure_mechanism(&mechanisms[k], rounds, csv);
    }
    if (csv != NULL) fclose(csv);
    return 0;
}
