/* Periodic orbits by shooting; docs/theory/event-driven.md (31)-(38). */
#include "tippe/orbit.h"

#include "integrator/orbit_algebra.h"
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 5 };

TP_DEFAULT(tp_orbit_def, tp_orbit_def_default, .event_count = 1, .tolerance = 1e-9, .max_iterations = 20)

/* Limits for an orbit: events, and contacts between shapes that may come before their laws are compared. */
enum { MOST_EVENTS = 4096, LAWS_MORE = 256 };

/* The orbit is the first member: freeing it frees the search. */
typedef struct orbit_search {
    tp_orbit orbit;
    tp_arena arena; /* the search itself lies in it */
    const tp_orbit_def *def;
    tp_simulation *simulation;
    tp_tangent *tangent;
    int nq, nu, dim;
    double start, period, guess;
    double *q, *u;         /* start of the orbit                              */
    double *try_q, *try_u; /* of the next iterate                             */
    double *end_q, *end_u; /* of the last run                                 */
    double *B, *M, *r, *f; /* [nq nu], [dim dim], [dim], [dim] return, rate at the end; scaled */
    double *kept;          /* [dim + 1] a step that is divided                 */
    double *scale;         /* [dim] L and V                                   */
    double *equations, *right, *step;
    bool *is_cyclic; /* [nu] nothing depends on this coordinate         */
    double *turn;    /* [nq] full turns of an angle in the last run [rad] */
    double *seen;    /* [seen_room] what a model shows at a point, to see whether a full turn changes it */
    int seen_room;
    double *times; /* of the events that give a period [event_count + 1] */
    int time_count;
    tp_orbit_event *events; /* [MOST_EVENTS] of the last run; NULL: the orbit has not begun */
    int event_count;        /* more than there is room for: the orbit is refused */
    double error;
} orbit_search;

static tp_phase *phase_of(const orbit_search *search)
{
    return tp_event_driven_instant(&search->simulation->stepper)->phase;
}

/* ---- runs ---- */

static bool note_events(void *context, const tp_simulation *simulation)
{
    orbit_search *search = context;
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count; i++) {
        char name[TP_ORBIT_NAME];
        const char *kind = tp_event_kind_name((int)events[i].kind);
        tp_simulation_law_name(simulation, events[i].law, name, sizeof name);
        bool is_wanted = search->def->event != NULL && kind != NULL &&
                         strcmp(kind, search->def->event) == 0 &&
                         (search->def->of == NULL || strcmp(name, search->def->of) == 0);
        if (search->times != NULL && is_wanted) {
            memmove(search->times, search->times + 1, (size_t)search->def->event_count * sizeof(double));
            search->times[search->def->event_count] = events[i].time;
            search->time_count++;
        }
        if (search->events == NULL || !(events[i].time > search->start)) continue; /* modes at the start */
        if (search->event_count++ >= MOST_EVENTS) continue;
        tp_orbit_event *to = &search->events[search->event_count - 1];
        *to = (tp_orbit_event){.time = events[i].time - search->start,
                               .kind = events[i].kind,
                               .impulse = events[i].impulse[0],
                               .velocity_before = events[i].velocity_before[0],
                               .velocity_after = events[i].velocity_after[0]};
        memcpy(to->name, name, sizeof name);
    }
    return true;
}

/* The motion from `from` to `until`, from the present state of the simulation. */
static tp_status run_until(orbit_search *search, double from, double until, tp_message *why)
{
    double rows = ceil((until - from) / phase_of(search)->scale.time);
    search->simulation->options.time_step = (until - from) / fmax(rows, 1.0);
    search->simulation->options.end_time = until;
    return tp_simulation_run(search->simulation, note_events, search, why);
}

static tp_status go_to(orbit_search *search, const double *q, const double *u, tp_message *why)
{
    tp_restart restart;
    tp_simulation_checkpoint(search->simulation, &restart);
    restart.time = restart.origin = search->start;
    restart.count = 0;
    restart.q = q;
    restart.u = u;
    restart.integrator = "";
    restart.contact_count = 0;
    return tp_simulation_restore(search->simulation, &restart, why);
}

/* xi of B xi = x by least squares. */
static tp_status along_velocities(orbit_search *search, const double *x, double *xi_out)
{
    return tp_orbit_least_norm(search->arena.allocator, search->nq, search->nu, search->B, x,
                               tp_orbit_map_singular, xi_out);
}

static void find_rates(orbit_search *search, const double *q, const double *u)
{
    double *unit = search->step;
    tp_system *system = search->simulation->stepper.system;
    memset(unit, 0, (size_t)search->nu * sizeof(double));
    memset(search->B, 0, (size_t)search->nq * (size_t)search->nu * sizeof(double));
    tp_system_move(system, search->start, q, u);
    for (int j = 0; j < search->nu; j++) {
        unit[j] = 1.0;
        tp_system_add_change(system, unit, 1.0, search->B + (size_t)j * (size_t)search->nq);
        unit[j] = 0.0;
    }
}

/* Signs of quaternions at the end that are nearest to those of the start: -1 where they turn. */
static void find_signs(const orbit_search *search, const double *q, double *sign_out)
{
    const tp_model *model = search->simulation->model;
    for (int i = 0; i < search->nq; i++) sign_out[i] = 1.0;
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        double along = 0.0;
        if (body->q_count != 7) continue;
        for (int k = body->q_first + 3; k < body->q_first + 7; k++) along += q[k] * search->end_q[k];
        for (int k = body->q_first + 3; k < body->q_first + 7; k++) sign_out[k] = along < 0.0 ? -1.0 : 1.0;
    }
}

/* All that a model shows at a point, without positions: accelerations and forces in the present modes, gaps,
   velocities of laws. Returns how many. */
static int look(orbit_search *search, const double *q, double *seen_out)
{
    tp_phase *phase = phase_of(search);
    tp_system *system = search->simulation->stepper.system;
    int count = 0;
    if (tp_phase_evaluate(phase, search->start + search->period, q, search->end_u) != TP_OK) return 0;
    for (int j = 0; j < search->nu; j++) seen_out[count++] = phase->a[j] / phase->scale.acceleration;
    for (int i = 0; i < system->law_count; i++) {
        double gamma[TP_LAW_ROWS], gap = tp_system_law_position(system, i);
        if (count + TP_LAW_ROWS + 1 > search->seen_room) return 0;
        tp_phase_velocities(phase, i, gamma);
        seen_out[count++] = isfinite(gap) ? gap / phase->scale.length : 0.0;
        for (int k = 0; k < tp_system_law(system, i)->row_count; k++)
            seen_out[count++] = gamma[k] / phase->scale.velocity;
    }
    return count;
}

/* Angles that have advanced by full turns: 2 pi k of a coordinate, if the model is the same without them. */
static void find_turns(orbit_search *search, const double *q)
{
    const double circle = 2.0 * acos(-1.0);
    double *other = search->seen + search->seen_room;
    for (int i = 0; i < search->nq; i++) search->turn[i] = 0.0;
    for (int i = 0; i < search->nq; i++) {
        double turns = round((search->end_q[i] - q[i]) / circle), was = search->end_q[i];
        if (turns == 0.0) continue;
        int count = look(search, search->end_q, search->seen);
        search->end_q[i] = was - circle * turns;
        bool is_same = count > 0 && look(search, search->end_q, other) == count;
        search->end_q[i] = was;
        for (int k = 0; k < count && is_same; k++)
            is_same =
                fabs(search->seen[k] - other[k]) <= tp_orbit_same_turn * fmax(1.0, fabs(search->seen[k]));
        if (is_same) search->turn[i] = circle * turns;
    }
}

/* Monodromy, return and rates, scaled by L and V, of the run that has ended. */
static tp_status find_return(orbit_search *search, const double *q, const double *u)
{
    int nq = search->nq, nu = search->nu, dim = search->dim;
    const tp_tangent *tangent = search->tangent;
    double *x = search->right, *sign = search->equations;
    find_turns(search, q);
    find_rates(search, q, u);
    find_signs(search, q, sign);
    for (int j = 0; j < dim; j++) {
        const double *column = tangent->X + (size_t)j * (size_t)(nq + nu);
        double *to = search->M + (size_t)j * (size_t)dim;
        for (int i = 0; i < nq; i++) x[i] = sign[i] * column[i];
        TP_TRY(along_velocities(search, x, to));
        memcpy(to + nu, column + nq, (size_t)nu * sizeof(double));
        for (int i = 0; i < dim; i++) to[i] *= search->scale[j] / search->scale[i];
    }
    for (int i = 0; i < nq; i++) x[i] = sign[i] * search->end_q[i] - search->turn[i] - q[i];
    TP_TRY(along_velocities(search, x, search->r));
    for (int i = 0; i < nu; i++) search->r[nu + i] = search->end_u[i] - u[i];
    for (int i = 0; i < dim; i++) search->r[i] /= search->scale[i];
    search->error = 0.0;
    for (int j = 0; j < nu; j++) {
        search->is_cyclic[j] = true;
        for (int i = 0; i < dim; i++)
            search->is_cyclic[j] &=
                fabs(search->M[i + j * dim] - (i == j ? 1.0 : 0.0)) <= tp_orbit_same_column;
    }
    for (int i = 0; i < dim; i++) {
        if (i < nu && search->is_cyclic[i]) continue;
        search->error = fmax(search->error, fabs(search->r[i]));
    }
    return TP_OK;
}

/* (u, u') of the system's present evaluation, scaled. */
static void keep_rate(orbit_search *search, double *f_out)
{
    const tp_phase *phase = phase_of(search);
    for (int j = 0; j < search->nu; j++) {
        f_out[j] = phase->stepper->system->u[j] / search->scale[j];
        f_out[search->nu + j] = phase->a[j] / search->scale[search->nu + j];
    }
}

static tp_status shoot(orbit_search *search, const double *q, const double *u, double period, tp_message *why)
{
    tp_simulation *simulation = search->simulation;
    tp_stepper *stepper = &simulation->stepper;
    search->event_count = 0;
    TP_TRY(go_to(search, q, u, why));
    tp_tangent_begin(search->tangent, stepper, search->start, q, u);
    stepper->tangent = search->tangent;
    tp_status status = run_until(search, search->start, search->start + period, why);
    stepper->tangent = NULL;
    if (status != TP_OK && status != TP_WARNED) return status;
    memcpy(search->end_q, tp_simulation_q(simulation), (size_t)search->nq * sizeof(double));
    memcpy(search->end_u, tp_simulation_u(simulation), (size_t)search->nu * sizeof(double));
    tp_instant *instant = tp_event_driven_instant(stepper);
    double end = search->start + period;
    status = tp_tangent_flow(search->tangent, instant->phase, end, search->end_q, search->end_u);
    if (status == TP_OK) status = tp_tangent_project(search->tangent, instant);
    if (status == TP_OK) status = tp_phase_evaluate(instant->phase, end, search->end_q, search->end_u);
    if (status == TP_OK) keep_rate(search, search->f);
    if (status == TP_OK) status = find_return(search, q, u);
    if (status != TP_OK)
        return tp_fail(why, status, "the linearised motion ended: %s",
                       stepper->cause[0] != '\0' ? stepper->cause : tp_status_text(status));
    return TP_OK;
}

/* ---- Newton's method ---- */

/* (M - 1) z + f tau = -r without the rows of coordinates on which nothing depends, f.z = 0; the
   solution of least norm. (37) */
static tp_status solve_step(orbit_search *search, double cut, double *tau_out)
{
    int dim = search->dim, free_period = search->def->is_period_free ? 1 : 0, rows = 0;
    int size = dim + free_period;
    double *a = search->equations, T = phase_of(search)->scale.time;
    memset(a, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int i = 0; i < dim; i++) {
        if (i < search->nu && search->is_cyclic[i]) continue;
        for (int j = 0; j < dim; j++) a[rows + j * size] = search->M[i + j * dim] - (i == j ? 1.0 : 0.0);
        if (free_period) a[rows + dim * size] = search->f[i] * T;
        search->right[rows++] = -search->r[i];
    }
    if (free_period) { /* not along the motion */
        for (int j = 0; j < dim; j++) a[rows + j * size] = search->f[j] * T;
        search->right[rows++] = 0.0;
    }
    for (int i = rows; i < size; i++) search->right[i] = 0.0; /* rows of zeros */
    TP_TRY(tp_orbit_least_norm(search->arena.allocator, size, size, a, search->right, cut, search->step));
    *tau_out = free_period ? search->step[dim] * T : 0.0;
    return TP_OK;
}

/* The start moved by a part of the step, onto the contacts that are closed there. */
static tp_status move_start(orbit_search *search, double part)
{
    tp_system *system = search->simulation->stepper.system;
    tp_phase *phase = phase_of(search);
    double *x = search->right;
    memcpy(search->try_q, search->q, (size_t)search->nq * sizeof(double));
    memcpy(search->try_u, search->u, (size_t)search->nu * sizeof(double));
    tp_system_move(system, search->start, search->q, search->u);
    for (int j = 0; j < search->nu; j++) {
        x[j] = search->step[j] * search->scale[j];
        search->try_u[j] += part * search->step[search->nu + j] * search->scale[search->nu + j];
    }
    tp_system_change(system, x, part, search->try_q);
    return tp_phase_project(phase, search->start, search->try_q, search->try_u);
}

/* A step with singular values above a part of the largest, divided at most so often until the return is
   better by a quarter of what it promises; the last run is that of the new start. */
static tp_status improve_by(orbit_search *search, double before, double cut, int halvings,
                            bool *is_better_out, tp_message *why)
{
    double tau, part = 1.0, *keep = search->kept; /* runs use the step */
    TP_TRY(solve_step(search, cut, &tau));
    memcpy(keep, search->step, (size_t)(search->dim + 1) * sizeof(double));
    tp_status status = TP_NOT_CONVERGED;
    for (int k = 0; k <= halvings; k++, part *= 0.5) {
        double period = search->period + part * tau;
        memcpy(search->step, keep, (size_t)(search->dim + 1) * sizeof(double));
        if (!(fabs(period - search->guess) <= tp_orbit_far_period * search->guess)) continue;
        if (move_start(search, part) != TP_OK) continue;
        status = shoot(search, search->try_q, search->try_u, period, why);
        if (status == TP_OUT_OF_MEMORY) return status;
        if (status != TP_OK || !(search->error <= (1.0 - 0.25 * part) * before)) continue;
        memcpy(search->q, search->try_q, (size_t)search->nq * sizeof(double));
        memcpy(search->u, search->try_u, (size_t)search->nu * sizeof(double));
        search->period = period;
        *is_better_out = true;
        return TP_OK;
    }
    return status;
}

/* Where orbits lie in families, the equations are singular but for the error, and a step along the family
   must be divided often: then one without that part comes first. */
static tp_status improve(orbit_search *search, tp_message *why)
{
    double before = search->error;
    const struct {
        double cut;
        int halvings;
    } tries[] = {{tp_orbit_singular, 1},
                 {fmin(fmax(before, tp_orbit_singular), tp_orbit_most_singular), HALVINGS},
                 {tp_orbit_singular, HALVINGS}};
    for (int k = 0; k < 3; k++) {
        bool is_better = false;
        if (k > 0) TP_TRY(shoot(search, search->q, search->u, search->period, why));
        tp_status status = improve_by(search, before, tries[k].cut, tries[k].halvings, &is_better, why);
        if (is_better || status == TP_OUT_OF_MEMORY) return status;
        if (k == 2 && status != TP_OK) return status;
    }
    return tp_fail(why, TP_NOT_CONVERGED,
                   "the return to the start misses it by %.3g of the scene's scales and no step of Newton's "
                   "method comes nearer",
                   before);
}

static tp_status search_orbit(orbit_search *search, tp_message *why)
{
    TP_TRY(shoot(search, search->q, search->u, search->period, why));
    while (search->error > search->def->tolerance) {
        if (search->orbit.iterations == search->def->max_iterations)
            return tp_fail(why, TP_NOT_CONVERGED,
                           "no orbit after %d iterations: the return misses the start by %.3g of the scene's "
                           "scales",
                           search->orbit.iterations, search->error);
        TP_TRY(improve(search, why));
        search->orbit.iterations++;
    }
    return TP_OK;
}

/* ---- what comes out ---- */

/* Multipliers by falling modulus; those that are 1 by nature are left out of the largest. */
static void sort_multipliers(orbit_search *search, double *real, double *imaginary)
{
    int dim = search->dim, trivial = search->def->is_period_free ? 1 : 0;
    for (int i = 1; i < dim; i++) {
        for (int j = i; j > 0 && hypot(real[j], imaginary[j]) > hypot(real[j - 1], imaginary[j - 1]); j--) {
            double re = real[j], im = imaginary[j];
            real[j] = real[j - 1], imaginary[j] = imaginary[j - 1];
            real[j - 1] = re, imaginary[j - 1] = im;
        }
    }
    for (int j = 0; j < search->nu; j++) trivial += search->is_cyclic[j];
    search->orbit.trivial_count = 0;
    search->orbit.largest = 0.0;
    for (int i = 0; i < dim; i++) {
        bool is_trivial =
            search->orbit.trivial_count < trivial && hypot(real[i] - 1.0, imaginary[i]) <= tp_orbit_is_one;
        search->orbit.trivial_count += is_trivial;
        if (!is_trivial) search->orbit.largest = fmax(search->orbit.largest, hypot(real[i], imaginary[i]));
    }
}

static tp_status finish(orbit_search *search)
{
    tp_orbit *orbit = &search->orbit;
    int dim = search->dim;
    double *real, *imaginary, *drift = TP_ARENA_ARRAY(&search->arena, double, search->nq),
                              *monodromy = TP_ARENA_ARRAY(&search->arena, double, dim *dim);
    TP_ARENA_DOUBLES(&search->arena, dim, &real, &imaginary);
    TP_TRY(tp_arena_status(&search->arena));
    TP_TRY(
        tp_orbit_multipliers(search->arena.allocator, dim, search->M, real, imaginary, &orbit->determinant));
    sort_multipliers(search, real, imaginary);
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            monodromy[i + j * dim] = search->M[i + j * dim] * search->scale[i] / search->scale[j];
    for (int i = 0; i < search->nq; i++) {
        double by = search->end_q[i] - search->q[i];
        bool is_drift = search->turn[i] != 0.0;
        for (int j = 0; j < search->nu; j++)
            is_drift |= search->is_cyclic[j] && search->B[i + j * search->nq] != 0.0;
        drift[i] = is_drift ? by : 0.0;
    }
    orbit->start = search->start, orbit->period = search->period;
    orbit->q_count = search->nq, orbit->u_count = search->nu;
    orbit->q = search->q, orbit->u = search->u, orbit->drift = drift;
    orbit->error = search->error;
    orbit->dimension = dim, orbit->monodromy = monodromy;
    orbit->real = real, orbit->imaginary = imaginary;
    orbit->events = search->events, orbit->event_count = search->event_count;
    for (int i = 0; i < orbit->event_count; i++)
        orbit->impact_count += orbit->events[i].kind == TP_EVENT_IMPACT;
    orbit->instant_count = search->tangent->instants;
    orbit->together_count = search->tangent->together;
    orbit->slowest_event = search->tangent->slowest_fall;
    orbit->mismatch = search->tangent->mismatch;
    return TP_OK;
}

/* ---- the start ---- */

static tp_status take_memory(orbit_search *search)
{
    tp_arena *arena = &search->arena;
    size_t nq = (size_t)search->nq, nu = (size_t)search->nu, dim = (size_t)search->dim,
           most = (dim + 1 > nq ? dim + 1 : nq) + 1;
    TP_ARENA_DOUBLES(arena, nq + 1, &search->q, &search->try_q, &search->end_q, &search->turn);
    TP_ARENA_DOUBLES(arena, nu + 1, &search->u, &search->try_u, &search->end_u);
    search->B = TP_ARENA_ARRAY(arena, double, nq *nu + 1);
    search->M = TP_ARENA_ARRAY(arena, double, dim *dim + 1);
    TP_ARENA_DOUBLES(arena, most, &search->r, &search->f, &search->kept, &search->scale, &search->right,
                     &search->step);
    search->equations = TP_ARENA_ARRAY(arena, double, most *most);
    search->is_cyclic = TP_ARENA_ARRAY(arena, bool, nu + 1);

    search->seen_room =
        search->nu + (TP_LAW_ROWS + 1) * (search->simulation->stepper.system->law_count + LAWS_MORE);
    search->seen = TP_ARENA_ARRAY(arena, double, 2 * (size_t)search->seen_room);
    if (search->def->event != NULL)
        search->times = TP_ARENA_ARRAY(arena, double, (size_t)search->def->event_count + 1);
    return tp_arena_status(arena);
}

static tp_status check_def(const tp_orbit_def *def, const tp_model *model, tp_message *why)
{
    if (!(def->period >= 0.0) || !isfinite(def->period) || !(def->from >= 0.0) || !isfinite(def->from))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the period and the start of an orbit must be 0 or more");
    if (def->period == 0.0 && def->event == NULL)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a period is needed, or a kind of event that repeats");
    if (def->event != NULL && def->event_count < 1)
        return tp_fail(why, TP_INVALID_ARGUMENT, "an orbit needs at least one event in a period");
    if (!(def->tolerance > 0.0) || def->max_iterations < 0)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the tolerance must be above 0, and iterations 0 or more");
    bool is_known = def->event == NULL;
    for (int k = 0; tp_event_kind_name(k) != NULL && def->event != NULL; k++)
        is_known |= strcmp(tp_event_kind_name(k), def->event) == 0;
    if (!is_known) return tp_fail(why, TP_INVALID_ARGUMENT, "there are no events '%s'", def->event);
    if (model->inputs.count > 0)
        return tp_fail(why, TP_UNSUPPORTED,
                       "the model has inputs: their values over time are not known here");
    return TP_OK;
}

/* The motion up to the start of the orbit, and the first period. */
static tp_status begin(orbit_search *search, tp_message *why)
{
    const tp_simulation *simulation = search->simulation;
    const tp_orbit_def *def = search->def;
    double first = tp_simulation_time(simulation);
    if (def->from > first) {
        tp_status status = run_until(search, first, def->from, why);
        if (status != TP_OK && status != TP_WARNED) return status;
    }
    search->start = tp_simulation_time(simulation);
    search->period = def->period;
    if (def->period == 0.0) {
        if (search->time_count <= def->event_count)
            return tp_fail(why, TP_INVALID_ARGUMENT,
                           "there were %d events '%s' until %.9g s, and a period needs %d: start later",
                           search->time_count, def->event, search->start, def->event_count + 1);
        search->period = search->times[def->event_count] - search->times[0];
    }
    search->guess = search->period;
    search->times = NULL;
    memcpy(search->q, tp_simulation_q(simulation), (size_t)search->nq * sizeof(double));
    memcpy(search->u, tp_simulation_u(simulation), (size_t)search->nu * sizeof(double));
    const tp_event_scales *scale = &phase_of(search)->scale;
    for (int j = 0; j < search->dim; j++) search->scale[j] = j < search->nu ? scale->length : scale->velocity;
    search->events = TP_ARENA_ARRAY(&search->arena, tp_orbit_event, MOST_EVENTS);
    return tp_arena_status(&search->arena);
}

static tp_status find(orbit_search *search, const tp_model *model, const tp_simulation_options *options,
                      tp_message *why)
{
    tp_simulation_options own = *options;
    own.integrator = "event-driven";
    own.rtol = fmin(own.rtol, tp_orbit_rtol);
    own.atol = fmin(own.atol, tp_orbit_atol);
    own.strict = false;
    own.projection.kind = TP_PROJECTION_NONE;
    own.end_time = fmax(search->def->from, 1.0);
    own.time_step = own.end_time;
    TP_TRY(tp_simulation_create(search->arena.allocator, model, &own, &search->simulation, why));
    TP_TRY(tp_tangent_create(search->arena.allocator, &search->simulation->stepper, &search->tangent));
    search->nq = search->tangent->q_count;
    search->nu = search->tangent->u_count;
    search->dim = 2 * search->nu;
    TP_TRY(take_memory(search));
    TP_TRY(begin(search, why));
    TP_TRY(search_orbit(search, why));
    if (search->event_count > MOST_EVENTS)
        return tp_fail(why, TP_UNSUPPORTED, "the orbit has more than %d events", MOST_EVENTS);
    return finish(search);
}

tp_status tp_orbit_find(const tp_allocator *allocator, const tp_model *model,
                        const tp_simulation_options *options, const tp_orbit_def *def, tp_orbit **orbit_out,
                        tp_message *why)
{
    if (orbit_out == NULL) return tp_fail(why, TP_INVALID_ARGUMENT, "orbit_out is NULL");
    *orbit_out = NULL;
    if (model == NULL || options == NULL || def == NULL)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the model, the options or the orbit are NULL");
    if (!model->is_finished) return tp_fail(why, TP_INVALID_ARGUMENT, "the model is not finished");
    TP_TRY(check_def(def, model, why));
    orbit_search *search = TP_ARENA_OBJECT(orbit_search, allocator);
    if (search == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    search->def = def;
    if (why != NULL) why->text[0] = '\0';
    tp_status status = find(search, model, options, why);
    tp_tangent_free(search->tangent);
    tp_simulation_free(search->simulation);
    if (status == TP_OK) {
        *orbit_out = &search->orbit;
        return TP_OK;
    }
    tp_orbit_free(&search->orbit);
    if (why != NULL && why->text[0] != '\0') return status;
    return tp_fail(why, status, "%s", tp_status_text(status));
}

void tp_orbit_free(tp_orbit *orbit)
{
    if (orbit != NULL) tp_arena_clear(&((orbit_search *)orbit)->arena);
}
