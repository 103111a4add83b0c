/* Error against processor time of smooth mechanisms: jet-projection beside CVODE of SUNDIALS, on the same
   equations. bench-jet [--rounds K] [NAME...]

   Each mechanism runs to its end with tolerances 1e-3, 1e-4, ...; the error is the largest of a coordinate at
   the end, against a run of jet-projection with 1e-13. CVODE solves z' = V(pi(z)), accelerations at projected
   points, with the same functions: Adams' method with fixed-point iterations, which needs no Jacobian, and
   BDF with Newton's method, dense differences and its own call of the projection. Only integration is timed.
   A time to a level of accuracy is interpolated between tolerances. */
#include "jet/jet.h"
#include "measure.h"
#include "system/system.h"
#include "tippe/tippe.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { STATE_MAX = 512, LADDER = 11, METHODS = 4, LEVELS = 4, MOST_STEPS = 20000 };

static const double levels[LEVELS] = {1e-3, 1e-5, 1e-7, 1e-9};
static const char *const method_names[METHODS] = {"tangential", "orthogonal", "adams", "bdf"};
static const double shortest = 1e-3; /* [s] that a measurement takes at least, by repetition */
static const double longest = 1.0;   /* [s] after a run that takes longer tolerances are not tightened */

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
    double until, z0[STATE_MAX], z[STATE_MAX], rate[STATE_MAX];
    int n;
} subject;

static bool open_subject(const mechanism *m, tp_jet_projection projection, double tolerance, subject *s)
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
    tp_jet_options options = {.projection = projection, .tolerance = tolerance, .max_sweeps = 500};
    bool changed;
    if (tp_jet_create(tp_allocator_default(), s->system, &options, &s->jet, &why) != TP_OK) return false;
    s->n = 2 * tp_jet_coordinate_count(s->jet);
    s->until = m->until > 0.0 ? m->until : s->scene->options.end_time;
    tp_jet_put(s->jet, s->scene->model->q0, s->scene->model->u0, s->z0);
    return tp_jet_begin(s->jet, 0.0, s->z0, &changed) == TP_OK;
}

static void close_subject(subject *s)
{
    tp_jet_free(s->jet);
    tp_system_free(s->system);
    tp_scene_free(s->scene);
}

/* ---- jet-projection ---- */

static bool run_jet(subject *s, double tolerance)
{
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
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
    memcpy(s->z, tp_ode_state(ode), (size_t)s->n * sizeof(double));
    tp_ode_free(ode);
    return status == TP_OK;
}

/* ---- CVODE ---- */

static int sundials_rate(realtype t, N_Vector y, N_Vector out, void *context)
{
    subject *s = context;
    memcpy(s->z, N_VGetArrayPointer(y), (size_t)s->n * sizeof(double));
    if (tp_jet_project(s->jet, t, false, s->z) != TP_OK) return 1;
    if (tp_jet_rate(s->jet, t, s->z, s->rate) != TP_OK) return 1;
    memcpy(N_VGetArrayPointer(out), s->rate, (size_t)s->n * sizeof(double));
    return 0;
}

static int sundials_project(realtype t, N_Vector y, N_Vector correction, realtype epsilon, N_Vector error,
                            void *context)
{
    subject *s = context;
    double *change = N_VGetArrayPointer(correction);
    const double *from = N_VGetArrayPointer(y);
    (void)epsilon, (void)error;
    memcpy(s->z, from, (size_t)s->n * sizeof(double));
    if (tp_jet_project(s->jet, t, false, s->z) != TP_OK) return 1;
    for (int i = 0; i < s->n; i++) change[i] = s->z[i] - from[i];
    return 0;
}

static void say_nothing(int code, const char *module, const char *function, char *text, void *context)
{
    (void)code, (void)module, (void)function, (void)text, (void)context;
}

static bool run_sundials(subject *s, double tolerance, bool is_bdf)
{
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0) return false;
    N_Vector y = N_VNew_Serial(s->n, context);
    memcpy(N_VGetArrayPointer(y), s->z0, (size_t)s->n * sizeof(double));
    void *memory = CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, context);
    CVodeInit(memory, sundials_rate, 0.0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, s);
    CVodeSetMaxNumSteps(memory, MOST_STEPS);
    CVodeSetErrHandlerFn(memory, say_nothing, NULL);
    CVodeSetStopTime(memory, s->until);
    SUNMatrix matrix = NULL;
    SUNLinearSolver linear = NULL;
    SUNNonlinearSolver fixed = NULL;
    if (is_bdf) {
        matrix = SUNDenseMatrix(s->n, s->n, context);
        linear = SUNLinSol_Dense(y, matrix, context);
        CVodeSetLinearSolver(memory, linear, matrix);
        CVodeSetProjFn(memory, sundials_project);
    } else {
        fixed = SUNNonlinSol_FixedPoint(y, 0, context);
        CVodeSetNonlinearSolver(memory, fixed);
    }
    realtype t = 0.0;
    int flag = CVode(memory, s->until, y, &t, CV_NORMAL);
    memcpy(s->z, N_VGetArrayPointer(y), (size_t)s->n * sizeof(double));
    CVodeFree(&memory);
    if (fixed != NULL) SUNNonlinSolFree(fixed);
    if (linear != NULL) SUNLinSolFree(linear);
    if (matrix != NULL) SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return flag >= 0;
}

/* ---- ladders ---- */

typedef struct ladder {
    int count;
    double error[LADDER], seconds[LADDER];
} ladder;

static bool run(subject *s, int method, double tolerance)
{
    return method < 2 ? run_jet(s, tolerance) : run_sundials(s, tolerance, method == 3);
}

/* The least processor time of some runs, each repeated until it can be measured. */
static double time_of(subject *s, int method, double tolerance, int rounds)
{
    double best = INFINITY;
    for (int r = 0; r < rounds; r++) {
        double begin = bench_processor_time(), spent = 0.0;
        int runs = 0;
        while (spent < shortest) {
            if (!run(s, method, tolerance)) return INFINITY;
            runs++;
            spent = bench_processor_time() - begin;
        }
        best = fmin(best, spent / runs);
    }
    return best;
}

static ladder measure(const mechanism *m, int method, const double *exact, int rounds)
{
    ladder out = {.count = 0};
    for (int k = 0; k < LADDER; k++) {
        double tolerance = pow(10.0, -2 - k);
        subject s;
        /* constraints to a tenth of what a step may be off; CVODE asks for rates that are smooth */
        double held = method < 2 ? 0.1 * tolerance : 1e-12;
        if (!open_subject(m, method == 1 ? TP_JET_ORTHOGONAL : TP_JET_TANGENTIAL, held, &s)) break;
        double seconds = time_of(&s, method, tolerance, rounds), error = 0.0;
        for (int i = 0; i < s.n / 2; i++) error = fmax(error, fabs(s.z[i] - exact[i]));
        close_subject(&s);
        if (!isfinite(seconds)) continue;
        out.error[out.count] = error;
        out.seconds[out.count++] = seconds;
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

static void measure_mechanism(const mechanism *m, int rounds)
{
    subject s;
    double exact[STATE_MAX];
    if (!open_subject(m, TP_JET_TANGENTIAL, 1e-14, &s)) return;
    if (!run_jet(&s, 1e-13)) fprintf(stderr, "%s: no reference\n", m->name);
    memcpy(exact, s.z, sizeof exact);
    close_subject(&s);
    for (int method = 0; method < METHODS; method++) {
        ladder l = measure(m, method, exact, rounds);
        printf("| %s | %s |", method == 0 ? m->name : "", method_names[method]);
        for (int k = 0; k < LEVELS; k++) {
            double seconds = time_to(&l, levels[k]);
            if (isnan(seconds))
                printf(" - |");
            else
                printf(" %.3g |", 1e3 * seconds);
        }
        printf("\n");
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    int rounds = 3, first = 1;
    if (count > 2 && strcmp(arguments[1], "--rounds") == 0) {
        rounds = atoi(arguments[2]);
        first = 3;
    }
    printf("| mechanism | method | 1e-3 | 1e-5 | 1e-7 | 1e-9 |\n|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof mechanisms / sizeof mechanisms[0]; k++) {
        bool is_asked = first >= count;
        for (int i = first; i < count; i++)
            is_asked = is_asked || strstr(mechanisms[k].name, arguments[i]) != NULL;
        if (is_asked) measure_mechanism(&mechanisms[k], rounds);
    }
    return 0;
}
