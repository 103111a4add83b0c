/* event-driven: smooth phases by Dormand and Prince's method, or Radau's where they are stiff, up to the
   instant at which a mode of a law ends, then impacts and new modes; docs/theory/event-driven.md. y = (q, u).
   The modes of contacts between shapes are part TP_FORCE_MEAN of their forces, so that they follow them; all
   are in every checkpoint. */
#include "event_tangent.h"
#include "point_steps.h"

#include "system/discrete.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_CONTROL, MEMORY_POINT, MEMORY_MODES, MEMORY_PHASE, MEMORY_SWITCHES };

/* Numbers of the field "phase": an instant comes first; the stiff method is in use; steps that looked stiff.
 */
enum { PENDING, IS_STIFF, STIFF_STEPS, PHASE_NUMBERS };

static const tp_memory_field memory_fields[] = {TP_ODE_STEPS_MEMORY,
                                                {"modes", TP_MEMORY_OWN}, /* of laws of the model */
                                                {"phase", TP_MEMORY_OWN},
                                                {"switches", TP_MEMORY_OWN},
                                                {NULL, TP_MEMORY_ONE}};

enum { ROOTS = 16, POLISHINGS = 4, SWITCH_TRIES = 20, MOST_TRIGGERS = 64, FUNCTIONS_OF_LAW = 12, GRAZES = 8 };

typedef struct event_run {
    tp_phase phase;
    tp_instant instant;
    tp_ode_steps *methods[2]; /* explicit, stiff */
    bool is_stiff;            /* which one the present phase has */
    tp_sparse pattern;
    double *difference_work; /* [3 n] */
    tp_event_function *functions;
    int function_count, trigger_count, graze_count;
    double *root_work, *values;         /* [(TP_ROOT_SAMPLES + 2) functions + n], [functions] */
    double *graze;                      /* [functions] */
    double *y;                          /* [n] work */
    tp_trigger triggers[MOST_TRIGGERS]; /* of the end of the last step of the equations */
    int graze_law[GRAZES];
    double graze_time[GRAZES];
    long long instants, evaluations;
    bool watches_switch, has_crossed; /* the equations have been asked beyond the watched switch */
    int watched_switch, switch_since; /* switches since the last time that was asked for */
    double goal;                      /* the time that is asked for */
    int steps_since, short_since;     /* the last time that was asked for */
    bool may_be_old;                  /* a caller applied a wrench in the step before */
} event_run;

/* The stiff method keeps more. */
static int memory_length(const tp_stepper *stepper, int field)
{
    if (field == MEMORY_MODES) return (stepper->system->fixed_count + 1) * TP_LAW_ROWS;
    if (field == MEMORY_PHASE) return PHASE_NUMBERS;
    if (field == MEMORY_SWITCHES) return tp_switches_count(stepper->model) + 1;
    return tp_ode_steps_memory_length(TP_ODE_RADAU, tp_point_size(stepper), field);
}

static tp_ode_steps *steps_of(const event_run *run)
{
    return run->methods[run->is_stiff];
}

/* ---- the equations ---- */

static event_run *run_of(void *context)
{
    return ((tp_stepper *)context)->scratch;
}

static tp_status rate(void *context, double t, const double *y, double *rate_out)
{
    tp_stepper *stepper = context;
    event_run *run = stepper->scratch;
    run->evaluations++;
    TP_TRY(tp_phase_evaluate(&run->phase, t, y, y + stepper->system->q_count));
    if (run->watches_switch) {
        tp_switches_find(&run->phase.switches, stepper->system);
        run->has_crossed |= run->phase.switches.value[run->watched_switch] < 0.0;
    }
    tp_phase_rate(&run->phase, rate_out);
    return TP_OK;
}

static tp_status project(void *context, double t, double *y)
{
    tp_stepper *stepper = context;
    return tp_phase_project(&run_of(stepper)->phase, t, y, y + stepper->system->q_count);
}

static tp_status jacobian(void *context, double t, const double *y, tp_sparse *jacobian_out)
{
    const tp_ode_equations equations = {.n = tp_point_size(context), .context = context, .rate = rate};
    double *work = run_of(context)->difference_work, *most = work + 2 * equations.n;
    tp_phase_find_changes(&run_of(context)->phase, t, y, most);
    return tp_point_differences(&equations, t, y, most, work, jacobian_out);
}

static tp_status show(void *context, double t, const double *y, bool is_end, tp_state *to)
{
    tp_stepper *stepper = context;
    tp_point_show(stepper, y, to);
    return is_end ? TP_OK : tp_phase_project(&run_of(stepper)->phase, t, to->q, to->u);
}

/* ---- roots ---- */

static void values(void *context, double t, const double *y, double *values_out)
{
    event_run *run = run_of(context);
    if (tp_phase_values(&run->phase, run->function_count, run->functions, t, y, values_out) == TP_OK) return;
    for (int i = 0; i < run->function_count; i++) values_out[i] = 1.0;
}

static double value_at(event_run *run, tp_ode *ode, int function, double t)
{
    tp_ode_dense(ode, t, run->y);
    values(run->phase.stepper, t, run->y, run->values);
    return run->values[function];
}

/* Newton's method for the time of a root, with states of the full formula; (10a). */
static tp_status polish(event_run *run, tp_ode *ode, int function, double t)
{
    double begin = tp_ode_last_step(ode)->begin, end = tp_ode_last_step(ode)->end, h = t - begin;
    TP_TRY(tp_ode_shorten(ode, t));
    for (int k = 0; k < POLISHINGS; k++) {
        double f = value_at(run, ode, function, t), before = t - tp_event_polish * h;
        double slope = (f - value_at(run, ode, function, before)) / (t - before);
        if (!(slope < 0.0)) return TP_OK;
        double next = t - f / slope;
        if (!(fabs(next - t) > 4.0 * DBL_EPSILON * fmax(fabs(t), h)) ||
            fabs(next - t) > tp_event_polish * h || next > end)
            return TP_OK;
        TP_TRY(tp_ode_shorten(ode, next));
        t = next;
    }
    return TP_OK;
}

/* The step ends just before a switch, so that no stage has seen the other side of it: forces may jump there;
 * (26).
 */
static tp_status stop_before_switch(event_run *run, tp_ode *ode, int function, double t)
{
    double begin = tp_ode_last_step(ode)->begin, before = 4.0 * DBL_EPSILON * fmax(fabs(t), t - begin);
    run->watched_switch = run->functions[function].law;
    run->watches_switch = run->functions[function].shift == 0.0;
    tp_status status = TP_OK;
    for (int k = 0; k < SWITCH_TRIES; k++, before *= 4.0) {
        run->has_crossed = false;
        if (!(t - before > begin)) break;
        status = tp_ode_shorten(ode, t - before);
        if (status != TP_OK || !run->has_crossed) break;
    }
    run->watches_switch = false;
    if (status == TP_OK && run->has_crossed) status = tp_ode_shorten(ode, t);
    run->switch_since++;
    return status;
}

static void add_trigger(event_run *run, const tp_event_function *f)
{
    if (run->trigger_count == MOST_TRIGGERS) return;
    run->triggers[run->trigger_count++] = (tp_trigger){.kind = f->kind, .law = f->law, .row = f->row};
}

static bool is_of_force(const tp_event_function *f)
{
    return f->kind == TP_FALLS_FORCE || f->kind == TP_FALLS_RIM || f->kind == TP_FALLS_LOWER ||
           f->kind == TP_FALLS_UPPER;
}

/* All that is reached together with the root. */
static void find_triggers(event_run *run, tp_ode *ode, int function)
{
    add_trigger(run, &run->functions[function]);
    value_at(run, ode, function, tp_ode_time(ode));
    for (int i = 0; i < run->function_count; i++) {
        const tp_event_function *f = &run->functions[i];
        if (i != function && is_of_force(f) && f->shift == 0.0 &&
            run->values[i] <= tp_event_at_once * tp_event_late_force)
            add_trigger(run, f);
    }
}

/* After each step of the equations: it ends at the first root. */
static tp_status shorten(void *context, tp_ode *ode)
{
    event_run *run = run_of(context);
    const tp_ode_report *step = tp_ode_last_step(ode);
    tp_root roots[ROOTS];
    run->trigger_count = run->graze_count = 0;
    tp_ode_dense(ode, step->begin, run->y);
    run->function_count = tp_phase_list_functions(&run->phase, step->begin, run->y, run->functions);
    if (run->function_count == 0) return TP_OK;
    for (int i = 0; i < run->function_count; i++) {
        bool may_graze = run->functions[i].kind == TP_FALLS_GAP && run->functions[i].shift == 0.0;
        run->graze[i] = may_graze ? tp_event_late_gap : 0.0;
    }
    const tp_root_functions functions = {
        .count = run->function_count, .context = context, .values = values, .graze = run->graze};
    int count = tp_ode_find_roots(ode, &functions, run->root_work, ROOTS, roots);
    for (int i = 0; i < count; i++) {
        const tp_event_function *f = &run->functions[roots[i].function];
        if (roots[i].kind == TP_ROOT_GRAZING && run->graze[roots[i].function] > 0.0 &&
            run->graze_count < GRAZES) {
            run->graze_law[run->graze_count] = f->law;
            run->graze_time[run->graze_count++] = roots[i].time;
        }
        if (roots[i].kind != TP_ROOT_FALLING) continue;
        TP_TRY(f->kind == TP_FALLS_SWITCH ? stop_before_switch(run, ode, roots[i].function, roots[i].time)
                                          : polish(run, ode, roots[i].function, roots[i].time));
        find_triggers(run, ode, roots[i].function);
        return TP_OK;
    }
    return TP_OK;
}

/* ---- memory ---- */

static tp_status create_steps(tp_stepper *stepper, tp_arena *arena, event_run *run)
{
    static const tp_ode_method methods[] = {TP_ODE_DORMAND_PRINCE, TP_ODE_RADAU};
    TP_TRY(tp_point_full_pattern(arena, tp_point_size(stepper), &run->pattern));
    for (int i = 0; i < 2; i++) {
        const tp_ode_steps_def def = {.equations = {.n = tp_point_size(stepper),
                                                    .context = stepper,
                                                    .rate = rate,
                                                    .result = project,
                                                    .jacobian = jacobian,
                                                    .pattern = &run->pattern},
                                      .options = tp_ode_steps_options(methods[i], stepper->options),
                                      .memory = MEMORY_CONTROL,
                                      .control_length = memory_length(stepper, MEMORY_CONTROL),
                                      .take = tp_point_take,
                                      .show = show,
                                      .shorten = shorten};
        TP_TRY(tp_ode_steps_create(stepper->model->allocator, &def, &run->methods[i]));
    }
    return TP_OK;
}

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    const event_run *before = stepper->scratch;
    event_run *run = TP_ARENA_ARRAY(arena, event_run, 1);
    if (run == NULL) return TP_OUT_OF_MEMORY;
    size_t functions = FUNCTIONS_OF_LAW * ((size_t)stepper->problem->capacity_sets + 1) +
                       (size_t)tp_switches_count(stepper->model),
           n = (size_t)tp_point_size(stepper);
    if (before != NULL) *run = *before;
    run->functions = TP_ARENA_ARRAY(arena, tp_event_function, functions);
    TP_ARENA_DOUBLES(arena, functions, &run->values, &run->graze);
    run->root_work = TP_ARENA_ARRAY(arena, double, (TP_ROOT_SAMPLES + 2) * functions + n);
    run->y = TP_ARENA_ARRAY(arena, double, n);
    run->difference_work = TP_ARENA_ARRAY(arena, double, 3 * n);
    tp_event_scales scale = run->phase.scale;
    double last = run->instant.last_time;
    int stalled = run->instant.stalled;
    TP_TRY(tp_phase_take(stepper, arena, &run->phase));
    TP_TRY(tp_instant_take(&run->phase, arena, &run->instant));
    if (before != NULL) {
        run->phase.scale = scale;
        run->instant.last_time = last;
        run->instant.stalled = stalled;
    } else {
        tp_phase_find_scales(&run->phase);
        TP_TRY(create_steps(stepper, arena, run));
    }
    stepper->scratch = run;
    return TP_OK;
}

static void release(void *scratch)
{
    event_run *run = scratch;
    for (int i = 0; run != NULL && i < 2; i++) tp_ode_steps_free(run->methods[i]);
}

/* ---- a step ---- */

static size_t law_bytes(const tp_stepper *stepper)
{
    return (size_t)stepper->system->law_count * TP_LAW_ROWS * sizeof(double);
}

/* Modes of the phase to a state and back: contacts between shapes follow the laws of the model. */
static void keep_modes(const tp_stepper *stepper, const event_run *run, tp_state *to)
{
    size_t fixed = (size_t)stepper->system->fixed_count * TP_LAW_ROWS;
    memcpy(to->memory[MEMORY_MODES], run->phase.mode, fixed * sizeof(double));
    memcpy(to->memory[MEMORY_SWITCHES], run->phase.switches.sign,
           (size_t)run->phase.switches.count * sizeof(double));
    memset(to->force[TP_FORCE_MEAN], 0, fixed * sizeof(double));
    memcpy(to->force[TP_FORCE_MEAN] + fixed, run->phase.mode + fixed,
           law_bytes(stepper) - fixed * sizeof(double));
}

static void load_modes(const tp_stepper *stepper, const tp_state *from, event_run *run)
{
    size_t fixed = (size_t)stepper->system->fixed_count * TP_LAW_ROWS;
    memcpy(run->phase.switches.sign, from->memory[MEMORY_SWITCHES],
           (size_t)run->phase.switches.count * sizeof(double));
    memcpy(run->phase.mode, from->force[TP_FORCE_MEAN], law_bytes(stepper));
    memcpy(run->phase.mode, from->memory[MEMORY_MODES], fixed * sizeof(double));
}

/* The method of the phase that begins at a state; (5a). */
static void choose_method(event_run *run, bool is_stiff, tp_state *state)
{
    tp_event_steps steps = run->phase.stepper->options->event.steps;
    run->is_stiff = steps == TP_EVENT_STEPS_STIFF || (steps == TP_EVENT_STEPS_AUTO && is_stiff);
    state->memory[MEMORY_PHASE][IS_STIFF] = run->is_stiff;
    state->memory[MEMORY_PHASE][STIFF_STEPS] = 0.0;
}

/* The first instant on copies: it takes the memory of its problems, and a start without accelerations is
   refused. Inputs may still change it. */
static tp_status try_start(tp_stepper *stepper, const tp_state *state)
{
    event_run *run = stepper->scratch;
    tp_step_report report = {0};
    double *q = run->y, *u = q + stepper->system->q_count;
    stepper->cause[0] = '\0';
    tp_account_begin(&stepper->account, stepper->system->pool, stepper->system->law_count);
    tp_point_take(stepper, state, run->y);
    tp_instant_reserve(&run->instant, state->t, q, u, &report);
    tp_point_take(stepper, state, run->y);
    load_modes(stepper, state, run);
    tp_status status = tp_instant_pass(&run->instant, state->t, q, u, 0, NULL, &report);
    run->instant.last_time = -INFINITY;
    run->instant.stalled = run->instant.event_count = 0;
    load_modes(stepper, state, run);
    if (status == TP_INFEASIBLE && stepper->model->inputs.count == 0) return status;
    stepper->cause[0] = '\0';
    return TP_OK;
}

/* Contacts that are below 0 at the start are held where they are. The first step begins with an instant. */
static tp_status start(tp_stepper *stepper, tp_state *state)
{
    event_run *run = stepper->scratch;
    tp_system *system = stepper->system;
    for (int k = 0; k < TP_FORCE_PARTS; k++) memset(state->force[k], 0, law_bytes(stepper));
    memset(run->phase.mode, 0, law_bytes(stepper));
    tp_system_move(system, state->t, state->q, state->u);
    for (int i = 0; i < system->law_count; i++) {
        if (tp_system_law(system, i)->level != TP_LEVEL_GAP) continue;
        double gap = tp_system_law_position(system, i);
        if (gap < 0.0 && gap >= -tp_event_deepest_start * run->phase.scale.length)
            tp_phase_mode(&run->phase, i)[TP_LAW_OFFSET] = gap;
    }
    memset(state->memory[MEMORY_MODES], 0, (size_t)memory_length(stepper, MEMORY_MODES) * sizeof(double));
    memset(state->memory[MEMORY_SWITCHES], 0,
           (size_t)memory_length(stepper, MEMORY_SWITCHES) * sizeof(double));
    tp_switches_start(&run->phase.switches, system);
    keep_modes(stepper, run, state);
    memset(state->memory[MEMORY_PHASE], 0, PHASE_NUMBERS * sizeof(double));
    state->memory[MEMORY_PHASE][PENDING] = 1.0;
    choose_method(run, false, state);
    TP_TRY(try_start(stepper, state));
    return tp_ode_steps_start(steps_of(run), state);
}

/* A gap that has left the depth at which it began is free. */
static void free_offsets(event_run *run)
{
    tp_system *system = run->phase.stepper->system;
    for (int i = 0; i < system->law_count; i++) {
        double *mode = tp_phase_mode(&run->phase, i);
        if (tp_system_law(system, i)->level == TP_LEVEL_GAP && mode[TP_LAW_MODE] == TP_MODE_OPEN &&
            mode[TP_LAW_OFFSET] < 0.0 && tp_system_law_position(system, i) > 0.0)
            mode[TP_LAW_OFFSET] = 0.0;
    }
}

tp_instant *tp_event_driven_instant(const tp_stepper *stepper)
{
    return &((event_run *)stepper->scratch)->instant;
}

/* The shortest way along the motion that leads past the switches of an instant. It is not taken past the time
   that was asked for, and nothing moves where there is no such way. past_out: the time beyond them. */
static tp_status pass_switches(event_run *run, tp_state *to, int count, const tp_trigger *triggers,
                               double *past_out)
{
    tp_stepper *stepper = run->phase.stepper;
    tp_switches *switches = &run->phase.switches;
    int n = tp_point_size(stepper);
    double *y = run->y, *way = run->difference_work, *moved = way + n;
    double time = 4.0 * DBL_EPSILON * fmax(fabs(to->t), run->phase.scale.time);
    *past_out = to->t;
    tp_point_take(stepper, to, y);
    TP_TRY(rate(stepper, to->t, y, way));
    for (int k = 0; k < SWITCH_TRIES; k++, time *= 2.0) {
        bool is_past = true;
        for (int i = 0; i < n; i++) moved[i] = y[i] + time * way[i];
        tp_system_move(stepper->system, to->t + time, moved, moved + stepper->system->q_count);
        tp_switches_find(switches, stepper->system);
        for (int i = 0; i < count; i++)
            is_past &= triggers[i].kind != TP_FALLS_SWITCH || switches->value[triggers[i].law] > 0.0;
        if (!is_past) continue;
        *past_out = to->t + time;
        if (!(*past_out < run->goal)) return TP_OK;
        to->t = *past_out;
        tp_point_show(stepper, moved, to);
        return TP_OK;
    }
    return TP_OK;
}

static bool has_switch(int count, const tp_trigger *triggers)
{
    for (int i = 0; i < count; i++)
        if (triggers[i].kind == TP_FALLS_SWITCH) return true;
    return false;
}

/* Does a law hold a velocity that is no longer there, or slip to the other side? Inputs or switches in rows
   of velocities have jumped: contacts are struck or open, friction and bounded forces do not follow at once.
   The system is at the point. */
static bool is_left_behind(event_run *run, int law)
{
    const tp_law *of = tp_system_law(run->phase.stepper->system, law);
    const double *mode = tp_phase_mode(&run->phase, law);
    double rest = tp_event_no_velocity * run->phase.scale.velocity, gamma[TP_LAW_ROWS], along = 0.0;
    bool is_box = of->set.kind == TP_SET_BOX, has_normal = tp_phase_has_normal(of), is_behind = false;
    int rows = tp_phase_friction_rows(of), first = has_normal ? 1 : 0;
    bool is_held = mode[TP_LAW_MODE] == TP_MODE_CLOSED, slips = mode[TP_LAW_MODE] == TP_MODE_SLIP;
    if (!is_box && !((has_normal || rows > 0) && (is_held || slips))) return false;
    tp_phase_velocities(&run->phase, law, gamma);
    for (int k = 0; k < of->row_count && is_box; k++)
        is_behind |= mode[k] == 0.0 ? fabs(gamma[k]) > rest : mode[k] * gamma[k] > rest;
    if (is_box) return is_behind;
    if (has_normal && fabs(gamma[0]) > rest) return true;
    if (is_held) return rows > 0 && tp_phase_slip_speed(of, gamma) > rest;
    for (int k = 0; k < rows; k++) along += gamma[first + k] * mode[TP_LAW_DIRECTION + k];
    return along < -rest;
}

static bool has_left_behind(event_run *run, double t, const tp_state *at)
{
    tp_system *system = run->phase.stepper->system;
    tp_system_move(system, t, at->q, at->u);
    for (int i = 0; i < system->law_count; i++) {
        if (is_left_behind(run, i)) return true;
    }
    return false;
}

static void add_impulses(const event_run *run, tp_state *to)
{
    for (size_t k = 0; k < law_bytes(run->phase.stepper) / sizeof(double); k++) {
        to->impulse[k] += run->instant.impulse[k];
        to->force[TP_FORCE_IMPACT][k] += run->instant.impulse[k];
    }
}

/* Past a switch velocities of laws may have jumped with it: new modes, by the laws beyond it. */
static tp_status follow_switches(event_run *run, double past, tp_state *to, tp_step_report *report)
{
    tp_tangent *tangent = run->phase.stepper->tangent;
    if (!has_left_behind(run, past, to)) return TP_OK;
    TP_TRY(tp_instant_pass(&run->instant, past, to->q, to->u, 0, NULL, report));
    if (tangent != NULL) TP_TRY(tp_tangent_jump(tangent, &run->instant, past, past, 0, NULL, to->q, to->u));
    add_impulses(run, to);
    return TP_OK;
}

/* New modes at a state, from which the equations start again. is_root: triggers have fallen to 0 there. */
static tp_status pass_instant(event_run *run, double t, tp_state *to, int count, const tp_trigger *triggers,
                              bool is_root, tp_step_report *report)
{
    tp_stepper *stepper = run->phase.stepper;
    tp_tangent *tangent = stepper->tangent;
    double past = t;
    run->instants++;
    if (tangent != NULL) TP_TRY(tp_tangent_flow(tangent, &run->phase, t, to->q, to->u));
    TP_TRY(tp_instant_pass(&run->instant, t, to->q, to->u, count, triggers, report));
    if (is_root && has_switch(count, triggers)) TP_TRY(pass_switches(run, to, count, triggers, &past));
    if (tangent != NULL)
        TP_TRY(tp_tangent_jump(tangent, &run->instant, t, is_root ? to->t : t, is_root ? count : 0, triggers,
                               to->q, to->u));
    add_impulses(run, to);
    if (is_root && has_switch(count, triggers)) TP_TRY(follow_switches(run, past, to, report));
    tp_state at = *to;
    at.t = is_root ? to->t : t;
    choose_method(run, run->is_stiff && run->instant.is_small, &at); /* its memory is that of `to` */
    return tp_ode_steps_start(steps_of(run), &at);
}

/* After a step to its end: does the explicit method find the motion stiff? */
static tp_status watch_stiffness(event_run *run, const tp_state *from, tp_state *to)
{
    const tp_ode_report *step = tp_ode_last_step(tp_ode_steps_ode(steps_of(run)));
    double *count = &to->memory[MEMORY_PHASE][STIFF_STEPS];
    if (run->is_stiff) return TP_OK;
    *count = from->memory[MEMORY_PHASE][STIFF_STEPS] + (step->stiffness > tp_ode_stiff ? 1.0 : -2.0);
    *count = fmax(*count, 0.0);
    if (*count < TP_EVENT_STIFF_STEPS || run->phase.stepper->options->event.steps != TP_EVENT_STEPS_AUTO)
        return TP_OK;
    choose_method(run, true, to);
    return tp_ode_steps_start(steps_of(run), to);
}

/* Forces of the last evaluation for so much time, with its velocities. */
static void book(tp_stepper *stepper, event_run *run, double time, tp_state *to, tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_phase *phase = &run->phase;
    double chi[TP_LAW_ROWS];
    tp_system_force(system, stepper->h);
    tp_account_add_forces(&stepper->account, time, stepper->h);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        const double *force = tp_phase_force(phase, i);
        bool acts = false;
        for (int k = 0; k < law->row_count; k++) acts |= force[k] != 0.0;
        if (!acts) continue;
        tp_system_law_rows(system, i, phase->W, chi);
        for (int k = 0; k < law->row_count; k++) {
            const tp_account_row entry = tp_account_law_row(system, i, k, phase->W, chi[k]);
            tp_account_add(&stepper->account, &entry, time * force[k], system->u, system->u);
            to->impulse[i * TP_LAW_ROWS + k] += time * force[k];
            report->applied_work -= time * force[k] * chi[k];
        }
    }
    if (tp_system_has_applied_power(system)) report->applied_work += time * tp_system_applied_power(system);
}

/* Impulses between two states of one phase. */
typedef struct booking {
    event_run *run;
    tp_state *to;
    tp_step_report *report;
} booking;

static tp_status book_point(void *context, double t, const double *y, double weight)
{
    const booking *of = context;
    tp_stepper *stepper = of->run->phase.stepper;
    TP_TRY(tp_phase_evaluate(&of->run->phase, t, y, y + stepper->system->q_count));
    book(stepper, of->run, weight, of->to, of->report);
    return TP_OK;
}

/* Modes, forces and closed contacts of a state. */
static tp_status finish(tp_stepper *stepper, event_run *run, tp_state *to, tp_step_report *report)
{
    tp_phase *phase = &run->phase;
    TP_TRY(tp_phase_evaluate(phase, to->t, to->q, to->u));
    memcpy(to->force[TP_FORCE_LAST], phase->force, law_bytes(stepper));
    for (int i = 0; i < stepper->system->law_count; i++) {
        bool is_contact = tp_system_law(stepper->system, i)->level == TP_LEVEL_GAP;
        to->is_closed[i] = !is_contact || tp_phase_mode(phase, i)[TP_LAW_MODE] != TP_MODE_OPEN ||
                           to->impulse[i * TP_LAW_ROWS] > 0.0;
        report->contact_count += is_contact && to->is_closed[i];
    }
    return TP_OK;
}

static void record_grazes(event_run *run)
{
    tp_instant *instant = &run->instant;
    for (int i = 0; i < run->graze_count && instant->event_count < instant->event_room; i++)
        instant->events[instant->event_count++] = (tp_integrator_event){
            .time = run->graze_time[i], .kind = TP_EVENT_GRAZING, .law = run->graze_law[i]};
    run->graze_count = 0;
}

/* Functions that a change of forces has thrown below 0 at the start of a step: true if there are any. */
static bool find_thrown(event_run *run, const tp_state *from)
{
    tp_stepper *stepper = run->phase.stepper;
    tp_point_take(stepper, from, run->y);
    run->trigger_count = 0;
    run->function_count = tp_phase_list_functions(&run->phase, from->t, run->y, run->functions);
    for (int i = 0; i < run->function_count; i++) {
        const tp_event_function *f = &run->functions[i];
        if (is_of_force(f) && f->shift > tp_event_at_once * tp_event_late_force) add_trigger(run, f);
    }
    return run->trigger_count > 0;
}

/* An instant before the step: the first one of a run, or forces have jumped. */
static tp_status begin_step(event_run *run, const tp_state *from, tp_state *to, tp_state *begin_out,
                            tp_step_report *report)
{
    tp_stepper *stepper = run->phase.stepper;
    bool is_start = from->memory[MEMORY_PHASE][PENDING] != 0.0,
         is_at_end = from->t == tp_ode_steps_begin(steps_of(run), from);
    bool changes = tp_point_may_change(stepper, &run->may_be_old) && is_at_end;
    *begin_out = *from;
    if (!is_start && !changes) return TP_OK;
    if (is_start) run->trigger_count = 0;
    bool is_thrown = !is_start && find_thrown(run, from);
    if (!is_start && has_left_behind(run, from->t, from)) is_thrown = true;
    memcpy(to->q, from->q, (size_t)stepper->system->q_count * sizeof(double));
    memcpy(to->u, from->u, (size_t)stepper->system->u_count * sizeof(double));
    *begin_out = *to;
    begin_out->t = from->t;
    if (!is_start && !is_thrown) return tp_ode_steps_start(steps_of(run), begin_out);
    tp_trigger triggers[MOST_TRIGGERS];
    int count = run->trigger_count;
    memcpy(triggers, run->triggers, sizeof triggers);
    return pass_instant(run, from->t, to, count, triggers, false, report);
}

/* A run stops with a reason where its steps become too short to get anywhere. */
static tp_status watch_steps(event_run *run, double length, double t, bool is_done)
{
    const tp_stepper *stepper = run->phase.stepper;
    bool is_short = length < tp_event_short_step * stepper->options->time_step;
    run->steps_since = is_done ? 0 : run->steps_since + 1;
    run->short_since = is_done ? 0 : run->short_since + is_short;
    if (is_done) run->switch_since = 0;
    if (run->switch_since >= TP_EVENT_SWITCHES_MAX) {
        tp_place place = tp_switches_place(&run->phase.switches, run->watched_switch);
        snprintf(
            run->phase.stepper->cause, sizeof run->phase.stepper->cause,
            "a switch in the formula at %.60s:%d was passed %d times in a row at t = %.12g s: the motion "
            "stays on it; write it as a law (friction), which can hold there",
            place.file != NULL ? place.file : "the model", place.line, run->switch_since, t);
        return TP_NOT_CONVERGED;
    }
    if (run->steps_since < TP_EVENT_STEPS_MAX && run->short_since < TP_EVENT_SHORT_STEPS_MAX) return TP_OK;
    snprintf(
        run->phase.stepper->cause, sizeof run->phase.stepper->cause,
        "%d steps in a row at t = %.12g s: the motion is stiff there (friction in space near rest between "
        "very different masses, or a stiff force), or events crowd",
        run->steps_since, t);
    return TP_NOT_CONVERGED;
}

static tp_status take_step(tp_stepper *stepper, const tp_state *from, tp_state *to, tp_step_report *report)
{
    event_run *run = stepper->scratch;
    tp_state begin;
    double goal = run->goal = to->t;
    load_modes(stepper, from, run);
    run->is_stiff = from->memory[MEMORY_PHASE][IS_STIFF] != 0.0;
    memmove(to->memory[MEMORY_PHASE], from->memory[MEMORY_PHASE], PHASE_NUMBERS * sizeof(double));
    memset(to->impulse, 0, law_bytes(stepper));
    memset(to->force[TP_FORCE_IMPACT], 0, law_bytes(stepper));
    run->instant.event_count = 0;
    TP_TRY(begin_step(run, from, to, &begin, report));
    to->memory[MEMORY_PHASE][PENDING] = 0.0;
    TP_TRY(tp_ode_steps_take(steps_of(run), stepper, &begin, to, report));
    bool is_end = to->t == tp_ode_time(tp_ode_steps_ode(steps_of(run)));
    booking book = {run, to, report};
    TP_TRY(tp_point_integrate(steps_of(run), begin.t, to->t, book_point, &book, run->y));
    TP_TRY(watch_steps(run, to->t - begin.t, to->t, to->t == goal));
    if (is_end) record_grazes(run);
    if (is_end && run->trigger_count > 0)
        TP_TRY(pass_instant(run, to->t, to, run->trigger_count, run->triggers, true, report));
    else if (is_end)
        TP_TRY(watch_stiffness(run, &begin, to));
    TP_TRY(finish(stepper, run, to, report));
    if (is_end) free_offsets(run);
    keep_modes(stepper, run, to);
    tp_ode_steps_balance(stepper, from, to);
    return TP_OK;
}

/* A step that stopped inside has no modes to go on with. */
static tp_status step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                      tp_step_report *report)
{
    (void)dt;
    tp_status status = take_step(stepper, from, to, report);
    stepper->has_no_end = status != TP_OK;
    return status;
}

static const tp_integrator_event *events(const tp_stepper *stepper, int *count_out)
{
    const event_run *run = stepper->scratch;
    *count_out = run->instant.event_count;
    return run->instant.events;
}

static int statistics(const tp_stepper *stepper, tp_statistic *list_out)
{
    const event_run *run = stepper->scratch;
    list_out[0] = (tp_statistic){"instants", (double)run->instants};
    list_out[1] = (tp_statistic){"force_solutions", (double)run->evaluations};
    list_out[2] =
        (tp_statistic){"stiff_steps", (double)tp_ode_counts(tp_ode_steps_ode(run->methods[1]))->accepted};
    return 3;
}

/* ---- what it cannot treat ---- */

static const char *reason_against(const tp_law *law)
{
    const tp_set *set = &law->set;
    bool has_friction = set->kind == TP_SET_CONTACT || set->kind == TP_SET_FRICTION;
    if (set->kind == TP_SET_CONE || set->kind == TP_SET_DUAL_CONE)
        return "is the convex relaxation of a contact, which has no modes";
    if (set->kind == TP_SET_ORTHANT && law->level != TP_LEVEL_GAP)
        return "is one-sided on velocities, without a gap whose root would be its event";
    if (law->master_count > 0) return "has friction that follows the reaction of a joint";
    if (set->kind == TP_SET_BOX && !law->is_force_bound) return "has bounds on impulses";
    if (has_friction && set->friction_kind != TP_FRICTION_BALL &&
        set->friction_kind != TP_FRICTION_ELLIPSOID && set->friction_kind != TP_FRICTION_NONE)
        return "has a friction set whose parts slip one by one, or without an explicit edge";
    if (has_friction && tp_phase_friction_rows(law) > 3) return "has more than three rows with friction";
    return NULL;
}

/* A rim, an edge or a face on a plane: its points are not those of one smooth gap. */
static bool may_jump(const tp_solid *a, const tp_solid *b)
{
    return !tp_solids_have_smooth_gap(a, b);
}

static tp_status refuse(const tp_model *model, tp_message *why_out)
{
    int size = tp_model_coordinate_count(model) + tp_model_velocity_count(model);
    if (size > TP_EVENT_LARGEST)
        return tp_fail(why_out, TP_UNSUPPORTED,
                       "the scene has %d coordinates and velocities; event-driven, whose matrices are full, "
                       "takes %d at most",
                       size, TP_EVENT_LARGEST);
    for (int i = 0; i < tp_model_stated_count(model); i++) {
        const tp_law *law = tp_model_stated_law(model, i);
        const char *reason = law != NULL ? reason_against(law) : NULL;
        if (law != NULL && law->source == TP_SOURCE_PAIR && tp_rule_has(model, law->element, may_jump))
            return tp_fail_at(why_out, TP_UNSUPPORTED, law->place,
                              "contact '%s' is between shapes whose points may jump; event-driven needs "
                              "points that do not",
                              law->name);
        if (reason != NULL)
            return tp_fail_at(why_out, TP_UNSUPPORTED, law->place,
                              "law '%s' %s; event-driven has no modes for it", law->name, reason);
    }
    return TP_OK;
}

const tp_integrator tp_integrator_event_driven = {
    .info = {.name = "event-driven",
             .text =
                 "smooth phases between exact event times; impacts, stick and slip by the laws of instants",
             .chooses_steps = true,
             .keeps_forces = true,
             .keeps_modes = true},
    .refuses = {[TP_FEATURE_KINKED_CONTACT] = "needs contact points that do not jump"},
    .refuse = refuse,
    .may_refuse_late = true,
    .step = step,
    .start = start,
    .prepare = prepare,
    .release = release,
    .statistics = statistics,
    .events = events,
    .memory = memory_fields,
    .memory_length = memory_length,
    .levels = {0, 2, 2, 2},
    .stability_limit = tp_integrator_no_limit,
    .reach = 2.0,
    .takes_static = true,
};
