/* The inclusion of all laws, relaxed to a differential equation; docs/theory/relaxed-dai.md. relaxed-dai has
   steps of one length: Runge-Kutta steps of fourth order, or implicit Euler steps with linearised laws. */
#include "relaxation.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double tp_relaxed_time(const tp_simulation_options *options)
{
    return options->relaxed.delta > 0.0 ? options->relaxed.delta : tp_steps_in_delta * options->time_step;
}

/* ---- one step ---- */

enum { STAGES = 4 };

typedef struct relaxed_step {
    tp_relaxed_point point;
    double *q, *u; /* [q_count], [u_count] the present stage                                              */
    tp_relaxed_implicit implicit;
    double *dq, *du; /* [STAGES * q_count], [STAGES * u_count] rates of the stages                          */
} relaxed_step;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t n = (size_t)stepper->system->q_count, m = (size_t)stepper->system->u_count;
    relaxed_step *step = TP_ARENA_ARRAY(arena, relaxed_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    if (stepper->options->relaxed.method == TP_RELAXED_IMPLICIT) /* C functions may lack derivatives */
        TP_TRY(tp_system_check_force_jacobian(stepper->model, NULL));
    stepper->scratch = step;
    step->q = TP_ARENA_ARRAY(arena, double, n);
    step->u = TP_ARENA_ARRAY(arena, double, m);
    step->dq = TP_ARENA_ARRAY(arena, double, STAGES *n);
    step->du = TP_ARENA_ARRAY(arena, double, STAGES *m);
    TP_TRY(tp_relaxed_implicit_take(stepper, arena, &step->implicit));
    return tp_relaxed_point_take(stepper, arena, &step->point);
}

/* q and u of a stage: those of the start and the rates of the stage before, for a part of the step. */
static void go_to_stage(relaxed_step *step, const tp_state *from, const tp_system *system, int s, double time)
{
    int before = s > 0 ? s - 1 : 0; /* the first stage is the start: time is 0 */
    const double *dq = step->dq + (size_t)before * (size_t)system->q_count,
                 *du = step->du + (size_t)before * (size_t)system->u_count;
    for (int i = 0; i < system->q_count; i++) step->q[i] = from->q[i] + (s > 0 ? time * dq[i] : 0.0);
    for (int j = 0; j < system->u_count; j++) step->u[j] = from->u[j] + (s > 0 ? time * du[j] : 0.0);
}

static tp_status step_rk4(tp_stepper *stepper, const tp_relaxation *relaxation, const tp_state *from,
                          double dt, tp_state *to, tp_step_report *report)
{
    static const double place[STAGES] = {0.0, 0.5, 0.5, 1.0},
                        weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    relaxed_step *step = stepper->scratch;
    tp_system *system = stepper->system;
    size_t n = (size_t)system->q_count, m = (size_t)system->u_count;
    memcpy(to->q, from->q, n * sizeof(double));
    memcpy(to->u, from->u, m * sizeof(double));
    tp_status worst = TP_OK;
    for (int s = 0; s < STAGES; s++) {
        double *dq = step->dq + (size_t)s * n, *du = step->du + (size_t)s * m;
        go_to_stage(step, from, system, s, place[s] * dt);
        tp_system_move(system, from->t + place[s] * dt, step->q, step->u);
        tp_status status = tp_relaxed_evaluate(stepper, relaxation, &step->point, report);
        if (!tp_stepper_accepts(stepper, status)) return status;
        if (status != TP_OK) worst = status;
        if (s == 0) tp_relaxed_expect(stepper, relaxation, dt, &step->point);
        tp_relaxed_hold(stepper, &step->point);
        memcpy(dq, tp_system_rate(system), n * sizeof(double));
        memcpy(du, stepper->x, m * sizeof(double));
        tp_relaxed_book(stepper, weight[s] * dt, step->u, to, report);
        for (size_t i = 0; i < n; i++) to->q[i] += weight[s] * dt * dq[i];
        for (size_t j = 0; j < m; j++) to->u[j] += weight[s] * dt * du[j];
    }
    return worst;
}

static tp_status step_relaxed(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                              tp_step_report *report)
{
    relaxed_step *step = stepper->scratch;
    const tp_relaxed_options *options = &stepper->options->relaxed;
    bool is_linear = options->method == TP_RELAXED_LINEARLY_IMPLICIT;
    const tp_relaxation relaxation = {.delta = is_linear ? dt : tp_relaxed_time(stepper->options),
                                      .zeta = is_linear ? 0.5 : options->zeta,
                                      .gate = options->gate};
    int rows = stepper->system->law_count * TP_LAW_ROWS;
    tp_relaxed_begin(stepper, &step->point, to);
    for (int i = 0; i < rows; i++) step->point.force[i] = from->impulse[i] / dt; /* means of the last step */
    tp_status status = TP_OK;
    switch (options->method) {
    case TP_RELAXED_RK4: status = step_rk4(stepper, &relaxation, from, dt, to, report); break;
    case TP_RELAXED_LINEARLY_IMPLICIT:
        status = tp_relaxed_step_linearly(stepper, &relaxation, &step->point, step->u, from, dt, to, report);
        break;
    case TP_RELAXED_IMPLICIT:
        status = tp_relaxed_implicit_step(stepper, &step->implicit, &step->point, from, dt, to, report);
        break;
    }
    if (!tp_stepper_accepts(stepper, status)) return status;
    tp_system_normalise(stepper->system, to->q);
    tp_relaxed_end(stepper, to, report);
    if (options->method != TP_RELAXED_IMPLICIT)
        tp_relaxed_measure_tear(stepper, &step->point, from, dt, to, is_linear ? 1 : STAGES);
    return status;
}

/* RK4 on the imaginary axis; that of the symplectic Euler step. */
static double stability_limit(const tp_simulation_options *options)
{
    if (options->relaxed.method == TP_RELAXED_IMPLICIT) return INFINITY;
    return options->relaxed.method == TP_RELAXED_RK4 ? 2.0 * sqrt(2.0) : 2.0;
}

static bool damps_vibrations(const tp_simulation_options *options)
{
    return options->relaxed.method == TP_RELAXED_IMPLICIT;
}

/* Contacts push while a gap is still 2 zeta delta V; and it closes faster by delta h/m. */
static double reach_of(const tp_simulation_options *options)
{
    double delta = options->relaxed.method == TP_RELAXED_RK4 ? tp_relaxed_time(options) : options->time_step;
    double zeta = fmax(1.0, options->relaxed.zeta);
    return options->relaxed.gate ? 1.0 : 1.0 + (1.0 + 2.0 * zeta) * delta / options->time_step;
}

static bool warn_of_relaxation(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_law *law;
    double rate =
               fmax(1.0, 2.0 * tp_relaxed_largest_damping(stepper, &law)) / tp_relaxed_time(stepper->options),
           dt = stepper->options->time_step;
    if (stepper->options->relaxed.method != TP_RELAXED_RK4 || rate * dt <= tp_stable_steps) return false;
    warning->figure = rate * dt;
    snprintf(warning->text, sizeof warning->text,
             "the time step %g s is too long for the relaxation time %g s: at most %.3g s is stable, a tenth "
             "of the relaxation time is accurate",
             dt, tp_relaxed_time(stepper->options), tp_stable_steps / rate);
    return true;
}

const tp_integrator tp_integrator_relaxed_dai = {
    .info = {.name = "relaxed-dai",
             .text = "all laws relaxed to a differential equation: no jumps, Runge-Kutta or Euler steps"},
    .refuses = {[TP_FEATURE_STATIC_FRICTION] = "relaxes friction: what holds creeps, and nothing sticks",
                [TP_FEATURE_TANGENTIAL_RESTITUTION] = "has none: its friction only ever slows down"},
    .step = step_relaxed,
    .prepare = prepare,
    .levels = {0, 2, 2, 2},
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = stability_limit,
    .warn = {{TP_WARNING_UNSTABLE_TIME_STEP, warn_of_relaxation},
             {TP_WARNING_RESTITUTION_BY_DAMPING, tp_relaxed_warn_of_restitution}},
    .damps_vibrations = damps_vibrations,
    .may_divide = true,
    .impacts_last = true,
    .yields = true,
    .reach_of = reach_of,
};
