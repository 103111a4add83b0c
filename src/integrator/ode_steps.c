/* Steps of ordinary differential equations; see ode_steps.h. */
#include "ode_steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of the field "step_control" before those of tp_ode_memory: where the step starts, and the time that
   it may not pass. */
enum { STEP_START, STEP_LIMIT, CONTROL };

/* Times that a step is halved which cannot be shortened. */
enum { SHORTER_STEPS = 20 };

struct tp_ode_steps {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_ode_steps_def def;
    tp_ode *ode;
    bool has_step;        /* the last step of `ode` began at ... */
    double start, *point; /* ... this time, and [n] this point   */
    double *inside;       /* [n] dense output                    */
    int evaluations;      /* of the last step                    */
};

int tp_ode_steps_memory_length(tp_ode_method method, int n, int field)
{
    return field == 0 ? CONTROL + tp_ode_memory_count(method, n) : n;
}

tp_ode_options tp_ode_steps_options(tp_ode_method method, const tp_simulation_options *options)
{
    tp_ode_options to = tp_ode_options_default(method);
    to.atol = options->atol;
    to.rtol = options->rtol;
    to.first_step = options->first_step;
    to.max_step = options->max_step;
    return to;
}

tp_status tp_ode_steps_create(const tp_allocator *allocator, const tp_ode_steps_def *def,
                              tp_ode_steps **steps_out)
{
    *steps_out = NULL;
    tp_ode_steps *steps = TP_ARENA_OBJECT(tp_ode_steps, allocator);
    if (steps == NULL) return TP_OUT_OF_MEMORY;
    steps->allocator = allocator;
    steps->def = *def;
    if (def->context == NULL) steps->def.context = def->equations.context;
    TP_ARENA_DOUBLES(&steps->arena, def->equations.n, &steps->point, &steps->inside);
    tp_status status = tp_arena_status(&steps->arena);
    if (status == TP_OK) status = tp_ode_create(allocator, &def->equations, &def->options, &steps->ode, NULL);
    if (status != TP_OK) tp_ode_steps_free(steps);
    *steps_out = status == TP_OK ? steps : NULL;
    return status;
}

void tp_ode_steps_free(tp_ode_steps *steps)
{
    if (steps == NULL) return;
    tp_ode_free(steps->ode);
    tp_arena_clear(&steps->arena);
}

tp_ode *tp_ode_steps_ode(tp_ode_steps *steps)
{
    return steps->ode;
}

double tp_ode_steps_begin(const tp_ode_steps *steps, const tp_state *state)
{
    return state->memory[steps->def.memory][STEP_START];
}

static size_t point_bytes(const tp_ode_steps *steps)
{
    return (size_t)steps->def.equations.n * sizeof(double);
}

static int control_length(const tp_ode_steps *steps)
{
    int own = tp_ode_steps_memory_length(steps->def.options.method, steps->def.equations.n, 0);
    return steps->def.control_length > own ? steps->def.control_length : own;
}

/* The present point of the integration as the start of the next step. What it does not need is 0: a continued
   run has the same memory, whatever it was before. */
static void keep_point(const tp_ode_steps *steps, tp_state *state)
{
    double *control = state->memory[steps->def.memory];
    memset(control, 0, (size_t)control_length(steps) * sizeof(double));
    control[STEP_START] = control[STEP_LIMIT] = tp_ode_time(steps->ode);
    tp_ode_memory(steps->ode, control + CONTROL);
    memcpy(state->memory[steps->def.memory + 1], tp_ode_state(steps->ode), point_bytes(steps));
}

tp_status tp_ode_steps_start(tp_ode_steps *steps, tp_state *state)
{
    steps->has_step = false;
    steps->def.take(steps->def.context, state, steps->inside);
    TP_TRY(tp_ode_start(steps->ode, state->t, steps->inside));
    keep_point(steps, state);
    return TP_OK;
}

tp_status tp_ode_steps_return(tp_ode_steps *steps, const tp_state *state)
{
    const double *control = state->memory[steps->def.memory];
    if (state->t > control[STEP_START]) return TP_OK; /* the step is taken again */
    TP_TRY(tp_ode_resume(steps->ode, control[STEP_START], state->memory[steps->def.memory + 1],
                         control + CONTROL));
    steps->has_step = true;
    return TP_OK;
}

/* A step of the equations from the start that the state remembers. */
static tp_status step_from(tp_ode_steps *steps, const tp_state *from, double limit)
{
    const double *control = from->memory[steps->def.memory], *point = from->memory[steps->def.memory + 1];
    bool is_there = steps->has_step && tp_ode_time(steps->ode) == control[STEP_START] &&
                    memcmp(tp_ode_state(steps->ode), point, point_bytes(steps)) == 0;
    steps->has_step = false;
    if (!is_there) TP_TRY(tp_ode_resume(steps->ode, control[STEP_START], point, control + CONTROL));
    long long before = tp_ode_counts(steps->ode)->rates;
    TP_TRY(tp_ode_step(steps->ode, limit));
    tp_status status =
        steps->def.shorten != NULL ? steps->def.shorten(steps->def.context, steps->ode) : TP_OK;
    for (int k = 0; k < SHORTER_STEPS && status == TP_NOT_CONVERGED; k++) {
        /* an implicit method may not find the end that it was shortened to: half the step first */
        double middle = control[STEP_START] + 0.5 * (tp_ode_time(steps->ode) - control[STEP_START]);
        TP_TRY(tp_ode_resume(steps->ode, control[STEP_START], point, control + CONTROL));
        TP_TRY(tp_ode_step(steps->ode, middle));
        status = steps->def.shorten(steps->def.context, steps->ode);
    }
    if (status != TP_OK) return status;
    steps->evaluations = (int)(tp_ode_counts(steps->ode)->rates - before);
    steps->start = control[STEP_START];
    memcpy(steps->point, point, point_bytes(steps));
    steps->has_step = true;
    return TP_OK;
}

/* Is the last step the one that the state lies in? */
static bool has_step_of(const tp_ode_steps *steps, const tp_state *from)
{
    return steps->has_step && steps->start == from->memory[steps->def.memory][STEP_START] &&
           memcmp(steps->point, from->memory[steps->def.memory + 1], point_bytes(steps)) == 0;
}

static tp_status show_inside(tp_ode_steps *steps, const tp_state *from, double limit, tp_state *to)
{
    const double *control = from->memory[steps->def.memory];
    int field = steps->def.memory;
    memmove(to->memory[field], control,
            (size_t)control_length(steps) * sizeof(double)); /* `from` may be `to` */
    to->memory[field][STEP_LIMIT] = limit;
    memmove(to->memory[field + 1], from->memory[field + 1], point_bytes(steps));
    TP_TRY(tp_ode_complete(steps->ode));
    tp_ode_dense(steps->ode, to->t, steps->inside);
    return steps->def.show(steps->def.context, to->t, steps->inside, false, to);
}

static tp_status show_end(tp_ode_steps *steps, tp_state *to, tp_step_report *report)
{
    const tp_ode_report *last = tp_ode_last_step(steps->ode);
    to->t = last->end;
    report->own_step = (tp_own_step){.size = last->end - last->begin,
                                     .error = last->error,
                                     .rejections = last->rejections,
                                     .evaluations = steps->evaluations};
    keep_point(steps, to);
    return steps->def.show(steps->def.context, to->t, tp_ode_state(steps->ode), true, to);
}

tp_status tp_ode_steps_take(tp_ode_steps *steps, tp_stepper *stepper, const tp_state *from, tp_state *to,
                            tp_step_report *report)
{
    const double *control = from->memory[steps->def.memory];
    bool is_inside = from->t > control[STEP_START];
    /* a step that the end of an earlier run cut short is taken whole */
    double limit = is_inside ? fmax(control[STEP_LIMIT], stepper->limit) : stepper->limit;
    if (!is_inside || !has_step_of(steps, from)) {
        tp_status status = step_from(steps, from, limit);
        if (status == TP_NOT_CONVERGED && stepper->cause[0] == '\0')
            snprintf(
                stepper->cause, sizeof stepper->cause,
                "its errors need steps below the rounding of time: the motion is singular there, or rtol "
                "and atol are too small");
        stepper->has_no_end = status != TP_OK;
        if (status != TP_OK) return status;
    }
    if (to->t < tp_ode_time(steps->ode)) return show_inside(steps, from, limit, to);
    return show_end(steps, to, report);
}

void tp_ode_steps_balance(tp_stepper *stepper, const tp_state *from, const tp_state *to)
{
    const tp_sparse *pattern = &stepper->system->mass_pattern;
    tp_account *account = &stepper->account;
    if (!stepper->system->has_constant_mass) return;
    for (int j = 0; j < stepper->system->u_count; j++) account->forces[j] = -account->laws[j];
    for (int j = 0; j < stepper->system->u_count; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            account->forces[pattern->index[k]] += stepper->M[k] * (to->u[j] - from->u[j]);
    }
}
