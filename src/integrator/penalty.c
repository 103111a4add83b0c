/* Springs in place of all laws, in implicit Euler steps: a model to compare the relaxed law with;
   docs/theory/relaxed-dai.md (19), (21). TP_FORCE_MEAN of a law is stiffness times deflection, which follows
   the force of the spring, TP_FORCE_LAST, within the damping time. */
#include "relaxation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct penalty_step {
    tp_relaxed_point point;
    double *u; /* [u_count] mean velocities of the step */
} penalty_step;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    penalty_step *step = TP_ARENA_ARRAY(arena, penalty_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    stepper->scratch = step;
    step->u = TP_ARENA_ARRAY(arena, double, stepper->system->u_count);
    return tp_relaxed_point_take(stepper, arena, &step->point);
}

static size_t row_count(const tp_stepper *stepper)
{
    return (size_t)stepper->system->law_count * TP_LAW_ROWS;
}

/* Springs of constraints on positions have the deflection of these; all others begin without load. */
static tp_status start(tp_stepper *stepper, tp_state *state)
{
    for (int part = 0; part < TP_FORCE_PARTS; part++)
        memset(state->force[part], 0, row_count(stepper) * sizeof(double));
    return TP_OK;
}

static void keep_deflections(const tp_stepper *stepper, const tp_state *from, double dt, tp_state *to)
{
    double beta = stepper->options->penalty.damping_time;
    for (size_t i = 0; i < row_count(stepper); i++) {
        double force = to->impulse[i] / dt, mean = from->force[TP_FORCE_MEAN][i];
        to->force[TP_FORCE_LAST][i] = force;
        to->force[TP_FORCE_MEAN][i] = mean + dt / (dt + beta) * (force - mean);
        to->force[TP_FORCE_IMPACT][i] = 0.0;
    }
}

static tp_status step_penalty(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                              tp_step_report *report)
{
    penalty_step *step = stepper->scratch;
    const tp_penalty_options *options = &stepper->options->penalty;
    const tp_relaxed_springs springs = {
        .spring = {options->stiffness, options->damping_time, options->yielding},
        .dt = dt,
        .mean = from->force[TP_FORCE_MEAN]};
    const tp_relaxation relaxation = {.springs = &springs};
    tp_relaxed_begin(stepper, &step->point, to);
    for (size_t i = 0; i < row_count(stepper); i++) step->point.force[i] = from->impulse[i] / dt;
    tp_status status =
        tp_relaxed_step_linearly(stepper, &relaxation, &step->point, step->u, from, dt, to, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    keep_deflections(stepper, from, dt, to);
    tp_relaxed_end(stepper, to, report);
    tp_relaxed_measure_tear(stepper, &step->point, from, dt, to, 1);
    return status;
}

static tp_status check_options(const tp_model *model, const tp_simulation_options *options, tp_message *why)
{
    const tp_penalty_options *p = &options->penalty;
    (void)model;
    if (!(p->stiffness > 0.0) || isinf(p->stiffness) || !(p->damping_time >= 0.0) || isinf(p->damping_time))
        return tp_fail(why, TP_INVALID_DATA,
                       "penalty_stiffness must be a number above 0, penalty_damping_time one from 0 on");
    if (!(p->yielding >= 0.0 && p->yielding <= p->damping_time))
        return tp_fail(why, TP_INVALID_DATA,
                       "penalty_yielding is %g s; it must be between 0 and penalty_damping_time, %g s: "
                       "contacts would gain energy",
                       p->yielding, p->damping_time);
    return TP_OK;
}

static bool warn_of_restitution(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_law *law;
    tp_relaxed_largest_damping(stepper, &law);
    if (law == NULL) return false;
    warning->figure = law->restitution[0];
    snprintf(warning->subject, sizeof warning->subject, "%s", law->name);
    snprintf(warning->text, sizeof warning->text,
             "'%.60s' has a restitution of %.3g, but springs rebound by their stiffness and damping",
             law->name, law->restitution[0]);
    return true;
}

const tp_integrator tp_integrator_penalty = {
    .info = {.name = "penalty",
             .text = "springs in place of all laws, implicit Euler steps: to compare with, laws are missed "
                     "by force over stiffness",
             .keeps_forces = true},
    .refuses = {[TP_FEATURE_TANGENTIAL_RESTITUTION] = "has springs in place of laws"},
    .check_options = check_options,
    .step = step_penalty,
    .start = start,
    .prepare = prepare,
    .levels = {0, 2, 2, 2},
    .stability_limit = tp_integrator_leapfrog_limit,
    .warn = {{TP_WARNING_RESTITUTION_BY_DAMPING, warn_of_restitution}},
    .impacts_last = true,
    .laws_store = true,
    .yields = true,
    .may_divide = true,
    .reach = 4.0, /* contacts are seen at the end of a step, whose velocities have changed */
};
