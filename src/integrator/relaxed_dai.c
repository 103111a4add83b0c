/* The inclusion of all laws, relaxed to a differential equation; docs/theory/relaxed-dai.md. relaxed-dai has
   steps of one length: Runge-Kutta steps of fourth order, or implicit Euler steps with linearised laws. */
#include "relaxation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* By default the relaxation takes so many steps: Runge-Kutta steps resolve it to about 1e-4. */
static const double steps_in_delta = 10.0;

/* Restitution 0.01 with a gate; more damping is as stiff as it is large. */
const double tp_relaxed_largest_zeta = 5.0;

/* ---- restitution (7)-(9) ---- */

/* arccos(2 zeta^2 - 1)/sqrt(1 - zeta^2), which is 2 arccos(zeta)/sqrt(1 - zeta^2), and on past zeta = 1. */
static double contact_time(double zeta)
{
    double w2 = 1.0 - zeta * zeta;
    if (fabs(w2) < 1e-8) return 2.0 + w2 / 3.0;
    return w2 > 0.0 ? 2.0 * acos(zeta) / sqrt(w2) : 2.0 * acosh(zeta) / sqrt(-w2);
}

double tp_relaxed_restitution(double zeta, bool gate)
{
    if (gate) return exp(-zeta * contact_time(zeta));
    return zeta < 1.0 ? exp(-acos(-1.0) * zeta / sqrt(1.0 - zeta * zeta)) : 0.0;
}

double tp_relaxed_damping(double restitution, bool gate)
{
    if (restitution >= 1.0) return 0.0;
    if (!gate) {
        double L = restitution > 0.0 ? log(restitution) : -INFINITY;
        return isinf(L) ? 1.0 : -L / hypot(acos(-1.0), L);
    }
    double low = 0.0, high = tp_relaxed_largest_zeta;
    if (tp_relaxed_restitution(high, true) >= restitution) return high;
    while (0.5 * (low + high) > low && 0.5 * (low + high) < high) { /* it falls with zeta */
        double middle = 0.5 * (low + high);
        if (tp_relaxed_restitution(middle, true) > restitution)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- one step ---- */

enum { STAGES = 4 };

typedef struct relaxed_step {
    tp_relaxed_point point;
    double *zeta;    /* [laws] of normal rows, by their restitution                                         */
    double *q, *u;   /* [q_count], [u_count] the present stage                                              */
    double *dq, *du; /* [STAGES * q_count], [STAGES * u_count] rates of the stages                          */
} relaxed_step;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t n = (size_t)stepper->system->q_count, m = (size_t)stepper->system->u_count;
    relaxed_step *step = TP_ARENA_ARRAY(arena, relaxed_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    stepper->scratch = step;
    step->zeta = TP_ARENA_ARRAY(arena, double, stepper->problem->capacity_sets);
    step->q = TP_ARENA_ARRAY(arena, double, n);
    step->u = TP_ARENA_ARRAY(arena, double, m);
    step->dq = TP_ARENA_ARRAY(arena, double, STAGES *n);
    step->du = TP_ARENA_ARRAY(arena, double, STAGES *m);
    return tp_relaxed_point_take(stepper, arena, &step->point);
}

static double delta_of(const tp_simulation_options *options)
{
    return options->relaxed.delta > 0.0 ? options->relaxed.delta : steps_in_delta * options->time_step;
}

/* Empties the sums of a step, finds the damping of its contacts; forces start from the means of the last
   step. */
static tp_relaxation begin_step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to)
{
    relaxed_step *step = stepper->scratch;
    const tp_relaxed_options *options = &stepper->options->relaxed;
    bool is_linear = options->method == TP_RELAXED_LINEARLY_IMPLICIT;
    int laws = stepper->system->law_count;
    for (int i = 0; i < laws; i++)
        step->zeta[i] = tp_relaxed_damping(tp_system_law(stepper->system, i)->restitution[0], options->gate);
    for (int i = 0; i < laws * TP_LAW_ROWS; i++) step->point.force[i] = from->impulse[i] / dt;
    memset(to->impulse, 0, (size_t)laws * TP_LAW_ROWS * sizeof(double));
    memset(to->is_closed, 0, (size_t)laws);
    return (tp_relaxation){.delta = is_linear ? dt : delta_of(stepper->options),
                           .zeta = is_linear ? 0.5 : options->zeta,
                           .gate = options->gate,
                           .restitution_zeta = step->zeta};
}

/* A stage that stands for so much time: impulses of laws and forces, and their work. u is the velocity with
   which they acted. */
static void book(tp_stepper *stepper, double time, const double *u, tp_state *to, tp_step_report *report)
{
    const tp_problem *p = &stepper->problem->problem;
    tp_account_add_forces(&stepper->account, time, stepper->h);
    for (int i = 0; i < p->set_count; i++) {
        int law = stepper->problem->law[i];
        for (int k = 0; k < p->sets[i].size; k++) {
            int row = p->sets[i].first + k, start = p->A.start[row];
            double P = time * stepper->problem->P[row];
            const tp_account_row entry = {.law = law,
                                          .count = p->A.start[row + 1] - start,
                                          .columns = p->A.index + start,
                                          .W = p->A.value + start,
                                          .chi = stepper->chi[row]};
            tp_account_add(&stepper->account, &entry, P, u, u);
            to->impulse[law * TP_LAW_ROWS + k] += P;
            report->applied_work -= P * stepper->chi[row];
        }
    }
    if (tp_system_has_applied_power(stepper->system))
        report->applied_work += time * tp_system_applied_power(stepper->system);
}

/* Laws that pushed in the step, and contacts that are closed at the system's point. */
static void end_step(tp_stepper *stepper, tp_state *to, tp_step_report *report)
{
    for (int i = 0; i < stepper->system->law_count; i++) {
        bool is_gap = tp_system_law(stepper->system, i)->level == TP_LEVEL_GAP;
        to->is_closed[i] = !is_gap || to->impulse[i * TP_LAW_ROWS] > 0.0 || tp_law_takes_part(stepper, i);
        report->contact_count += is_gap && to->is_closed[i];
    }
    tp_redundancy_share(stepper->redundancy, to->impulse);
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
        memcpy(dq, tp_system_rate(system), n * sizeof(double));
        memcpy(du, stepper->x, m * sizeof(double));
        book(stepper, weight[s] * dt, step->u, to, report);
        for (size_t i = 0; i < n; i++) to->q[i] += weight[s] * dt * dq[i];
        for (size_t j = 0; j < m; j++) to->u[j] += weight[s] * dt * du[j];
    }
    return worst;
}

/* (10): new velocities by the laws at the start, linearised, then positions with them. */
static tp_status step_linearly(tp_stepper *stepper, const tp_relaxation *relaxation, const tp_state *from,
                               double dt, tp_state *to, tp_step_report *report)
{
    relaxed_step *step = stepper->scratch;
    tp_system *system = stepper->system;
    tp_system_move(system, from->t, from->q, from->u);
    tp_status status = tp_relaxed_evaluate(stepper, relaxation, &step->point, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < system->u_count; j++) {
        to->u[j] = from->u[j] + dt * stepper->x[j];
        step->u[j] = 0.5 * (from->u[j] + to->u[j]);
    }
    tp_system_move(system, from->t, from->q, step->u);
    book(stepper, dt, step->u, to, report);
    tp_system_move(system, from->t, from->q, to->u);
    const double *rate = tp_system_rate(system);
    for (int i = 0; i < system->q_count; i++) to->q[i] = from->q[i] + dt * rate[i];
    return status;
}

static tp_status step_relaxed(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                              tp_step_report *report)
{
    tp_relaxation relaxation = begin_step(stepper, from, dt, to);
    tp_status status = stepper->options->relaxed.method == TP_RELAXED_RK4
                           ? step_rk4(stepper, &relaxation, from, dt, to, report)
                           : step_linearly(stepper, &relaxation, from, dt, to, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    tp_system_normalise(stepper->system, to->q);
    end_step(stepper, to, report);
    return status;
}

/* RK4 on the imaginary axis; that of the symplectic Euler step. */
static double stability_limit(const tp_simulation_options *options)
{
    return options->relaxed.method == TP_RELAXED_RK4 ? 2.0 * sqrt(2.0) : 2.0;
}

/* Contacts push while a gap is still 2 zeta delta V; and it closes faster by delta h/m. */
static double reach_of(const tp_simulation_options *options)
{
    double delta = options->relaxed.method == TP_RELAXED_RK4 ? delta_of(options) : options->time_step;
    double zeta = fmax(1.0, options->relaxed.zeta);
    return options->relaxed.gate ? 1.0 : 1.0 + (1.0 + 2.0 * zeta) * delta / options->time_step;
}

/* What RK4 steps of a decaying mode need: its rate is 1/delta, or 2 zeta/delta where that is more. */
static const double stable_steps = 2.6;

/* The largest damping ratio of any row, and the first contact with a restitution. */
static double largest_zeta(const tp_stepper *stepper, const tp_law **law_out)
{
    const tp_relaxed_options *options = &stepper->options->relaxed;
    double most = options->zeta > 0.0 ? options->zeta : 0.5;
    *law_out = NULL;
    for (int i = 0; i < tp_model_stated_count(stepper->model); i++) {
        const tp_law *law = tp_model_stated_law(stepper->model, i);
        if (law == NULL || law->level != TP_LEVEL_GAP) continue;
        if (*law_out == NULL && law->restitution[0] > 0.0) *law_out = law;
        if (options->zeta == 0.0) most = fmax(most, tp_relaxed_damping(law->restitution[0], options->gate));
    }
    return most;
}

static bool warn_of_relaxation(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_law *law;
    double rate = fmax(1.0, 2.0 * largest_zeta(stepper, &law)) / delta_of(stepper->options),
           dt = stepper->options->time_step;
    if (stepper->options->relaxed.method != TP_RELAXED_RK4 || rate * dt <= stable_steps) return false;
    warning->figure = rate * dt;
    snprintf(warning->text, sizeof warning->text,
             "the time step %g s is too long for the relaxation time %g s: at most %.3g s is stable, a tenth "
             "of the relaxation time is accurate",
             dt, delta_of(stepper->options), stable_steps / rate);
    return true;
}

static bool warn_of_restitution(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_relaxed_options *options = &stepper->options->relaxed;
    const tp_law *law;
    largest_zeta(stepper, &law);
    bool is_plastic = options->method == TP_RELAXED_LINEARLY_IMPLICIT;
    if (law == NULL || (options->zeta == 0.0 && !is_plastic)) return false;
    double e = is_plastic ? 0.0 : tp_relaxed_restitution(options->zeta, options->gate);
    warning->figure = e;
    snprintf(warning->subject, sizeof warning->subject, "%s", law->name);
    snprintf(warning->text, sizeof warning->text, "'%.60s' has a restitution of %.3g, but %s: %.3g",
             law->name, law->restitution[0],
             is_plastic ? "impacts of linearly implicit steps are plastic"
                        : "relaxation_damping gives all contacts one",
             e);
    return true;
}

const tp_integrator tp_integrator_relaxed_dai = {
    .info = {"relaxed-dai",
             "all laws relaxed to a differential equation: no jumps, Runge-Kutta or Euler steps"},
    .refuses = {[TP_FEATURE_TANGENTIAL_RESTITUTION] = "has none: its friction only ever slows down"},
    .step = step_relaxed,
    .prepare = prepare,
    .levels = {0, 2, 2, 2},
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = stability_limit,
    .warn = {{TP_WARNING_UNSTABLE_TIME_STEP, warn_of_relaxation},
             {TP_WARNING_RESTITUTION_BY_DAMPING, warn_of_restitution}},
    .impacts_last = true,
    .reach_of = reach_of,
};
