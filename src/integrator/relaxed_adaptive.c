/* relaxed-dai-adaptive: the relaxed motion with steps that its error allows, by Dormand and Prince or, stiff,
   by Radau IIA; docs/theory/relaxed-dai.md. y = (q, u). An evaluation is a function of t and y and, where one
   contact has several solutions, of the forces at the start of the step: so a step that is taken again has
   the same bits. */
#include "point_steps.h"
#include "relaxed_jacobian.h"

#include <math.h>
#include <string.h>

enum { MEMORY_CONTROL, MEMORY_POINT, MEMORY_FORCE };

static const tp_memory_field memory_fields[] = {
    TP_ODE_STEPS_MEMORY, {"step_force", TP_MEMORY_OWN}, {NULL, TP_MEMORY_ONE}};

typedef struct adaptive_step {
    tp_relaxed_point point;
    tp_relaxation relaxation;
    tp_ode_steps *steps;
    tp_step_report *report;        /* of the present step; NULL: nobody asks */
    tp_status worst;               /* of accepted evaluations                */
    bool may_be_old;               /* a caller applied a wrench in the step before */
    double *y;                     /* [2 n] a node of the quadrature, or work of differences */
    tp_relaxed_jacobian *jacobian; /* of the stiff method, for the laws that there are now */
    tp_ode_steps *old_steps;       /* for the laws of before, NULL: none                    */
    bool is_new;                   /* the integration was made anew for them               */
    tp_ode_statistics before;      /* of the integrations for others                       */
} adaptive_step;

static tp_ode_method method_of(const tp_simulation_options *options)
{
    return options->relaxed.is_stiff ? TP_ODE_RADAU : TP_ODE_DORMAND_PRINCE;
}

static int memory_length(const tp_stepper *stepper, int field)
{
    if (field == MEMORY_FORCE) return (stepper->system->fixed_count + 1) * TP_LAW_ROWS;
    return tp_ode_steps_memory_length(method_of(stepper->options), tp_point_size(stepper), field);
}

/* ---- the equations ---- */

static tp_status evaluate(tp_stepper *stepper, double t, const double *y)
{
    adaptive_step *step = stepper->scratch;
    tp_step_report aside = {0};
    tp_system_move(stepper->system, t, y, y + stepper->system->q_count);
    tp_status status = tp_relaxed_evaluate(stepper, &step->relaxation, &step->point,
                                           step->report != NULL ? step->report : &aside);
    if (!tp_stepper_accepts(stepper, status)) return status;
    if (status != TP_OK) step->worst = status;
    return TP_OK;
}

static tp_status rate(void *context, double t, const double *y, double *rate_out)
{
    tp_stepper *stepper = context;
    int n = stepper->system->q_count;
    TP_TRY(evaluate(stepper, t, y));
    memcpy(rate_out, tp_system_rate(stepper->system), (size_t)n * sizeof(double));
    memcpy(rate_out + n, stepper->x, (size_t)stepper->system->u_count * sizeof(double));
    return TP_OK;
}

static tp_status pencil(void *context, double t, const double *y, double *E_out, double *F_out)
{
    tp_stepper *stepper = context;
    adaptive_step *step = stepper->scratch;
    TP_TRY(evaluate(stepper, t, y));
    tp_relaxed_jacobian_find(step->jacobian, stepper, &step->relaxation, &step->point, t, y, E_out, F_out);
    return TP_OK;
}

static tp_status show(void *context, double t, const double *y, bool is_end, tp_state *to)
{
    (void)t, (void)is_end;
    const tp_stepper *stepper = context;
    tp_point_show(stepper, y, to);
    tp_system_normalise(stepper->system, to->q);
    return TP_OK;
}

/* ---- memory ---- */

static double delta_of(const tp_simulation_options *options)
{
    return options->relaxed.delta > 0.0 ? options->relaxed.delta : options->time_step;
}

static void add_counts(tp_ode_statistics *sum, const tp_ode_statistics *more)
{
    sum->failures += more->failures;
    sum->jacobians += more->jacobians;
    sum->factorisations += more->factorisations;
}

/* The stiff method has a pattern of all laws: contacts between shapes that come and go make it anew. */
static tp_status create_steps(tp_stepper *stepper, tp_arena *arena, adaptive_step *step)
{
    tp_ode_steps_def def = {.equations = {.n = tp_point_size(stepper), .context = stepper, .rate = rate},
                            .options = tp_ode_steps_options(method_of(stepper->options), stepper->options),
                            .memory = MEMORY_CONTROL,
                            .take = tp_point_take,
                            .show = show};
    if (stepper->options->relaxed.is_stiff) {
        TP_TRY(tp_relaxed_jacobian_create(stepper, arena, &step->jacobian));
        def.equations.pencil = pencil;
        def.equations.pattern = tp_relaxed_jacobian_pattern(step->jacobian);
    }
    return tp_ode_steps_create(stepper->model->allocator, &def, &step->steps);
}

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    adaptive_step *before = stepper->scratch, *step = TP_ARENA_ARRAY(arena, adaptive_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    const tp_relaxed_options *options = &stepper->options->relaxed;
    step->relaxation =
        (tp_relaxation){.delta = delta_of(stepper->options), .zeta = options->zeta, .gate = options->gate};
    step->y = TP_ARENA_ARRAY(arena, double, 2 * tp_point_size(stepper));
    TP_TRY(tp_relaxed_point_take(stepper, arena, &step->point));
    if (before != NULL) step->before = before->before;
    if (before != NULL && !options->is_stiff) {
        step->steps = before->steps; /* its context is the stepper, which stays */
        stepper->scratch = step;
        return TP_OK;
    }
    TP_TRY(create_steps(stepper, arena, step));
    if (before != NULL) {
        tp_ode_steps_free(before->old_steps);
        before->old_steps = NULL;
        add_counts(&step->before, tp_ode_counts(tp_ode_steps_ode(before->steps)));
        step->old_steps = before->steps; /* until the next step: this may still be taken back */
        step->is_new = true;
    }
    stepper->scratch = step;
    return TP_OK;
}

static void release(void *scratch)
{
    adaptive_step *step = scratch;
    if (step == NULL) return;
    tp_ode_steps_free(step->steps);
    tp_ode_steps_free(step->old_steps);
}

/* ---- a step ---- */

static tp_status start(tp_stepper *stepper, tp_state *state)
{
    adaptive_step *step = stepper->scratch;
    step->is_new = false;
    memset(state->memory[MEMORY_FORCE], 0, (size_t)memory_length(stepper, MEMORY_FORCE) * sizeof(double));
    tp_relaxed_begin(stepper, &step->point, state);
    step->point.given = state->memory[MEMORY_FORCE];
    return tp_ode_steps_start(step->steps, state);
}

/* Impulses between two states of one step: what they leave of the change of momentum is of the size of the
   error that the step may have; theory (22). */
typedef struct booking {
    tp_stepper *stepper;
    tp_state *to;
    tp_step_report *report;
} booking;

static tp_status book_point(void *context, double t, const double *y, double weight)
{
    const booking *of = context;
    TP_TRY(evaluate(of->stepper, t, y));
    tp_relaxed_book(of->stepper, weight, y + of->stepper->system->q_count, of->to, of->report);
    return TP_OK;
}

/* Inputs, wrenches of a caller and shapes that are near may have changed since the last step ended: so has
   its rate. */
static tp_status forget_rate(tp_stepper *stepper, const tp_state *from)
{
    adaptive_step *step = stepper->scratch;
    tp_ode *ode = tp_ode_steps_ode(step->steps);
    bool may_change = tp_point_may_change(stepper, &step->may_be_old) || stepper->system->contacts != NULL;
    if (!may_change || from->t != tp_ode_time(ode)) return TP_OK;
    return tp_ode_replace(ode, tp_ode_state(ode));
}

static tp_status step_adaptive(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                               tp_step_report *report)
{
    adaptive_step *step = stepper->scratch;
    (void)dt;
    step->worst = TP_OK;
    tp_relaxed_begin(stepper, &step->point, to);
    step->point.given = from->memory[MEMORY_FORCE];
    /* steps end where near shapes are looked for: none is taken again from a state inside */
    bool has_last = stepper->system->contacts != NULL && stepper->last_step > 0.0;
    step->point.last = has_last ? from->impulse : NULL;
    step->point.last_time = stepper->last_step;
    tp_status status = step->is_new ? tp_ode_steps_return(step->steps, from) : TP_OK;
    step->is_new = false;
    tp_ode_steps_free(step->old_steps);
    step->old_steps = NULL;
    if (status == TP_OK) status = forget_rate(stepper, from);
    if (status == TP_OK) status = tp_ode_steps_take(step->steps, stepper, from, to, report);
    step->report = report; /* what a step that is taken again does not change */
    booking book = {stepper, to, report};
    if (status == TP_OK) status = tp_point_integrate(step->steps, from->t, to->t, book_point, &book, step->y);
    if (status == TP_OK) {
        bool is_end = to->t == tp_ode_time(tp_ode_steps_ode(step->steps));
        size_t bytes = (size_t)stepper->system->fixed_count * TP_LAW_ROWS * sizeof(double);
        memcpy(to->memory[MEMORY_FORCE], is_end ? step->point.force : from->memory[MEMORY_FORCE], bytes);
        tp_relaxed_end(stepper, to, report);
        status = step->worst;
    }
    step->report = NULL;
    step->point.given = step->point.last = NULL;
    return status;
}

static int statistics(const tp_stepper *stepper, tp_statistic *list_out)
{
    const adaptive_step *step = stepper->scratch;
    const tp_ode_statistics *counts = tp_ode_counts(tp_ode_steps_ode(step->steps));
    tp_ode_statistics all = step->before;
    add_counts(&all, counts);
    list_out[0] = (tp_statistic){"failures", (double)all.failures};
    list_out[1] = (tp_statistic){"jacobians", (double)all.jacobians};
    list_out[2] = (tp_statistic){"factorisations", (double)all.factorisations};
    return stepper->options->relaxed.is_stiff ? 3 : 1;
}

static double reach_of(const tp_simulation_options *options)
{
    double ahead = (1.0 + 2.0 * fmax(1.0, options->relaxed.zeta)) * delta_of(options);
    return options->relaxed.gate ? 1.0 : 1.0 + ahead / options->time_step;
}

const tp_integrator tp_integrator_relaxed_dai_adaptive = {
    .info =
        {.name = "relaxed-dai-adaptive",
         .text =
             "all laws relaxed to a differential equation, with steps by error: Dormand-Prince or Radau IIA",
         .chooses_steps = true},
    .refuses = {[TP_FEATURE_STATIC_FRICTION] = "relaxes friction: what holds creeps, and nothing sticks",
                [TP_FEATURE_TANGENTIAL_RESTITUTION] = "has none: its friction only ever slows down"},
    .step = step_adaptive,
    .start = start,
    .prepare = prepare,
    .release = release,
    .statistics = statistics,
    .memory = memory_fields,
    .memory_length = memory_length,
    .levels = {0, 2, 2, 2},
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = tp_integrator_no_limit,
    .warn = {{TP_WARNING_RESTITUTION_BY_DAMPING, tp_relaxed_warn_of_restitution}},
    .impacts_last = true,
    .follows_contacts = true,
    .reach_of = reach_of,
};
