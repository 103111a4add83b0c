/* Jet projection: the motion on the manifold of positions and velocities that satisfy all constraints, by
   Dormand and Prince's method with projected stages and results; theory/jet.md. */
#include "jet/jet.h"
#include "ode_steps.h"
#include "tolerances.h"

#include <string.h>

enum { CONTROL, POINT, KEPT, TOTALS }; /* fields of its memory */

/* A run: the manifold, its steps, and what the present call is about. */
typedef struct jet_run {
    tp_arena arena; /* of this struct and its arrays */
    tp_jet *jet;
    tp_ode_steps *steps;
    tp_stepper *stepper;
    const tp_state *from;
    double *z, *W;         /* [state], [TP_LAW_ROWS largest_columns] */
    long long projections; /* up to the end of the last step */
} jet_run;

static void take(void *context, const tp_state *from, double *z_out)
{
    tp_jet_put(((jet_run *)context)->jet, from->q, from->u, z_out);
}

static const double *totals_of(const jet_run *run, const double *z)
{
    return z + 2 * tp_jet_coordinate_count(run->jet);
}

/* What laws did follows from their impulses along rows at the end; their momentum, and that of forces, are
   integrals of their own; (48). */
static void book(jet_run *run, const tp_state *to)
{
    tp_stepper *stepper = run->stepper;
    tp_system *system = stepper->system;
    double chi[TP_LAW_ROWS];
    tp_system_move(system, to->t, to->q, to->u);
    for (int i = 0; i < system->law_count; i++) {
        tp_system_law_rows(system, i, run->W, chi);
        for (int k = 0; k < tp_system_law(system, i)->row_count; k++) {
            tp_account_row row = tp_account_law_row(system, i, k, run->W, chi[k]);
            tp_account_add(&stepper->account, &row, to->impulse[i * TP_LAW_ROWS + k], to->u, to->u);
        }
    }
    tp_jet_momenta(run->jet, run->from->memory[TOTALS], to->memory[TOTALS], stepper->account.forces,
                   stepper->account.laws);
}

static tp_status show(void *context, double t, const double *z, bool is_end, tp_state *to)
{
    jet_run *run = context;
    size_t bytes = (size_t)tp_jet_state_count(run->jet) * sizeof(double);
    memcpy(run->z, z, bytes);
    if (!is_end) TP_TRY(tp_jet_show(run->jet, t, run->z));
    tp_jet_get(run->jet, run->z, to->q, to->u);
    const double *before = run->from->memory[TOTALS], *after = totals_of(run, run->z);
    memcpy(to->memory[TOTALS], after, (size_t)tp_jet_total_count(run->jet) * sizeof(double));
    tp_jet_impulses(run->jet, before, after, to->impulse);
    for (int i = 0; i < run->stepper->system->law_count; i++)
        to->is_closed[i] = tp_system_law(run->stepper->system, i)->set.kind == TP_SET_FREE;
    book(run, to);
    return TP_OK;
}

static void release(void *scratch)
{
    jet_run *run = scratch;
    if (run == NULL) return;
    tp_ode_steps_free(run->steps);
    tp_jet_free(run->jet);
    tp_arena_clear(&run->arena);
}

/* The equations, whose context is the manifold; that of `take` and `show` is the run. */
static tp_status create_steps(jet_run *run, const tp_allocator *allocator)
{
    const tp_simulation_options *options = run->stepper->options;
    tp_ode_steps_def def = {.options = tp_ode_steps_options(tp_jet_ode_method(&options->jet), options),
                            .memory = CONTROL,
                            .take = take,
                            .show = show,
                            .context = run};
    def.options.grow = tp_jet_largest_growth;
    def.equations = tp_jet_equations(run->jet, &def.options);
    return tp_ode_steps_create(allocator, &def, &run->steps);
}

static tp_status prepare(tp_stepper *stepper, tp_arena *shared)
{
    (void)shared; /* what it needs does not depend on contacts: it has none */
    if (stepper->scratch != NULL) return TP_OK;
    const tp_allocator *allocator = stepper->model->allocator;
    jet_run *run = TP_ARENA_OBJECT(jet_run, allocator);
    if (run == NULL) return TP_OUT_OF_MEMORY;
    run->stepper = stepper;
    tp_status status = tp_jet_create(allocator, stepper->system, &stepper->options->jet, &run->jet, NULL);
    if (status == TP_OK) {
        run->z = TP_ARENA_ARRAY(&run->arena, double, tp_jet_state_count(run->jet));
        run->W = TP_ARENA_ARRAY(&run->arena, double, stepper->system->largest_columns *TP_LAW_ROWS + 1);
        status = tp_arena_status(&run->arena);
    }
    if (status == TP_OK) status = create_steps(run, allocator);
    if (status == TP_OK) {
        stepper->scratch = run;
    } else {
        release(run);
    }
    return status;
}

/* Asked before there is a manifold. */
static int memory_length(const tp_stepper *stepper, int field)
{
    int totals = TP_JET_IMPULSES + 2 * stepper->system->u_count, n = stepper->system->q_count;
    for (int i = 0; i < stepper->model->laws.count; i++) totals += tp_model_law(stepper->model, i)->row_count;
    if (field == KEPT) return TP_JET_INVARIANTS;
    if (field == TOTALS) return totals;
    return tp_ode_steps_memory_length(tp_jet_ode_method(&stepper->options->jet), 2 * n + totals,
                                      field - CONTROL);
}

static tp_status start(tp_stepper *stepper, tp_state *state)
{
    jet_run *run = stepper->scratch;
    bool changed;
    tp_jet_put(run->jet, state->q, state->u, run->z);
    tp_jet_set_invariants(run->jet, state->t, run->z);
    memcpy(state->memory[KEPT], tp_jet_invariants(run->jet), TP_JET_INVARIANTS * sizeof(double));
    memset(state->memory[TOTALS], 0, (size_t)tp_jet_total_count(run->jet) * sizeof(double));
    TP_TRY(tp_jet_begin(run->jet, state->t, run->z, &changed));
    return tp_ode_steps_start(run->steps, state);
}

/* The manifold at the start of the step that `from` lies in. */
static tp_status begin(jet_run *run, const tp_state *from)
{
    bool changed;
    tp_ode *ode = tp_ode_steps_ode(run->steps);
    const double *point = from->memory[POINT];
    double t = tp_ode_steps_begin(run->steps, from);
    memcpy(tp_jet_invariants(run->jet), from->memory[KEPT], TP_JET_INVARIANTS * sizeof(double));
    TP_TRY(tp_jet_begin(run->jet, t, point, &changed));
    bool is_there = tp_ode_time(ode) == t && from->t == t;
    return changed && is_there ? tp_ode_replace(ode, point) : TP_OK;
}

static tp_status step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                      tp_step_report *report)
{
    jet_run *run = stepper->scratch;
    const tp_jet_counts *counts = tp_jet_counts_of(run->jet);
    (void)dt;
    run->from = from;
    TP_TRY(begin(run, from));
    memcpy(to->memory[KEPT], tp_jet_invariants(run->jet), TP_JET_INVARIANTS * sizeof(double));
    TP_TRY(tp_ode_steps_take(run->steps, stepper, from, to, report));
    if (report->own_step.size > 0.0) { /* the end of a step: all since the last one belong to it */
        report->own_step.projections = (int)(counts->projections - run->projections);
        run->projections = counts->projections;
    }
    report->applied_work += to->memory[TOTALS][TP_JET_APPLIED] - from->memory[TOTALS][TP_JET_APPLIED];
    return TP_OK;
}

static int statistics(const tp_stepper *stepper, tp_statistic *list)
{
    jet_run *run = stepper->scratch;
    const tp_jet_counts *c = tp_jet_counts_of(run->jet);
    const tp_ode_statistics *steps = tp_ode_counts(tp_ode_steps_ode(run->steps));
    long long calls = steps->stages + steps->results;
    const tp_statistic all[] = {
        {"failed_projections", (double)steps->failures},
        {"newton_mean", calls > 0 ? (double)c->iterations / (double)calls : 0.0},
        {"newton_max", c->most_iterations},
        {"sweeps_max", c->most_sweeps},
        {"distributions", (double)c->distributions},
        {"projections", (double)c->projections},
        {"row_evaluations", (double)c->rows},
        {"second_derivatives", (double)c->second},
        {"third_derivatives", (double)c->third},
        {"invariant_gradients", (double)c->gradients},
        {"invariant_curvatures", (double)c->curvatures},
    };
    int count = (int)(sizeof all / sizeof all[0]);
    memcpy(list, all, sizeof all);
    return count;
}

static tp_status check_options(const tp_model *model, const tp_simulation_options *options, tp_message *why)
{
    return tp_jet_check(model, &options->jet, why);
}

static const tp_memory_field memory[] = {TP_ODE_STEPS_MEMORY,
                                         {"kept_invariants", TP_MEMORY_OWN},
                                         {"totals", TP_MEMORY_OWN},
                                         {NULL, TP_MEMORY_ONE}};

const tp_integrator tp_integrator_jet_projection = {
    .info = {.name = "jet-projection",
             .text = "order 5 with its own steps, on the manifold of positions and velocities that satisfy "
                     "all joints",
             .chooses_steps = true},
    .realisation = TP_REALISE_QUATERNION,
    .refuses = {[TP_FEATURE_STATIC_FRICTION] = "has smooth motions, without friction",
                [TP_FEATURE_OWN_VELOCITIES] = "has the rates of coordinates as velocities",
                [TP_FEATURE_SCALABLE] = "has Euler parameters of unit length",
                [TP_FEATURE_CONTACT] = "has smooth motions, without inequalities and impacts",
                [TP_FEATURE_VELOCITY_LAW] =
                    "has a manifold of joints and other constraints on positions, without friction, "
                    "limited motors and nonholonomic constraints"},
    .check_options = check_options,
    .step = step,
    .start = start,
    .prepare = prepare,
    .release = release,
    .statistics = statistics,
    .memory = memory,
    .memory_length = memory_length,
    .stability_limit = tp_integrator_no_limit,
    .levels = {0, 2, 2, 2},
};
