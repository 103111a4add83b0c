/* Changes of a motion with its start; docs/theory/event-driven.md (31)-(36). Rates, functions of modes and
   the laws of instants are smooth in fixed modes: their derivatives are central differences of order 6. */
#include "event_tangent.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Directions [n] of a point in `work`. */
enum { RATE, AFTER, MOVED, VALUE, WORKS };

void tp_tangent_free(tp_tangent *tangent)
{
    if (tangent == NULL) return;
    tp_ode_free(tangent->ode);
    tp_arena_clear(&tangent->arena);
}

static tp_status linear_rate(void *context, double t, const double *Y, double *rate_out);

static tp_status take_all(tp_tangent *tangent)
{
    size_t n = (size_t)tangent->n, columns = (size_t)tangent->columns;
    tp_arena *arena = &tangent->arena;
    TP_ARENA_DOUBLES(arena, n * columns, &tangent->X, &tangent->changed);
    TP_ARENA_DOUBLES(arena, n * (columns + 1), &tangent->Y, &tangent->atol);
    tangent->y = TP_ARENA_ARRAY(arena, double, n);
    tangent->work = TP_ARENA_ARRAY(arena, double, WORKS *n);
    tangent->stencil = TP_ARENA_ARRAY(arena, double, 2 * TP_TANGENT_POINTS * n);
    tangent->J = TP_ARENA_ARRAY(arena, double, n *n);
    TP_TRY(tp_arena_status(arena));
    const tp_ode_equations equations = {
        .n = (int)(n * (columns + 1)), .context = tangent, .rate = linear_rate};
    tp_ode_options options = tp_ode_options_default(TP_ODE_DORMAND_PRINCE_8);
    options.rtol = tangent->rtol;
    options.atol_of = tangent->atol;
    return tp_ode_create(arena->allocator, &equations, &options, &tangent->ode, NULL);
}

tp_status tp_tangent_create(const tp_allocator *allocator, const tp_stepper *stepper, tp_tangent **out)
{
    const tp_system *system = stepper->system;
    tp_tangent *tangent = TP_ARENA_OBJECT(tp_tangent, allocator);
    *out = NULL;
    if (tangent == NULL) return TP_OUT_OF_MEMORY;
    tangent->q_count = system->q_count;
    tangent->u_count = system->u_count;
    tangent->n = system->q_count + system->u_count;
    tangent->columns = 2 * system->u_count;
    tangent->rtol = fmax(stepper->options->rtol, tp_tangent_least_rtol);
    tp_status status = take_all(tangent);
    if (status != TP_OK) tp_tangent_free(tangent);
    *out = status == TP_OK ? tangent : NULL;
    return status;
}

static void put(const tp_tangent *tangent, const double *q, const double *u, double *y_out)
{
    memcpy(y_out, q, (size_t)tangent->q_count * sizeof(double));
    memcpy(y_out + tangent->q_count, u, (size_t)tangent->u_count * sizeof(double));
}

void tp_tangent_begin(tp_tangent *tangent, const tp_stepper *stepper, double t, const double *q,
                      const double *u)
{
    size_t n = (size_t)tangent->n, nq = (size_t)tangent->q_count, nu = (size_t)tangent->u_count;
    double *unit = tangent->work;
    put(tangent, q, u, tangent->y);
    memset(tangent->X, 0, n * (size_t)tangent->columns * sizeof(double));
    memset(unit, 0, nu * sizeof(double));
    tp_system_move(stepper->system, t, q, u);
    for (size_t j = 0; j < nu; j++) {
        unit[j] = 1.0;
        tp_system_add_change(stepper->system, unit, 1.0, tangent->X + j * n);
        unit[j] = 0.0;
        tangent->X[nq + j + (nu + j) * n] = 1.0;
    }
    tangent->t = t;
    tangent->instants = tangent->together = 0;
    tangent->slowest_fall = INFINITY;
    tangent->mismatch = 0.0;
}

/* ---- differences ---- */

/* A map of a time and a point [n] to `count` numbers. */
typedef tp_status (*map)(tp_tangent *tangent, double t, const double *y, double *out);

/* (f(h) - f(-h), ...) to the derivative of order 6 in place of `out`; false: order 4 is another one. */
static bool combine(const tp_tangent *tangent, int count, double h, double *out, double *error_out)
{
    const double *f = tangent->stencil;
    int n = tangent->n;
    bool agrees = true;
    double largest = 0.0;
    *error_out = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2 * TP_TANGENT_POINTS; k++) largest = fmax(largest, fabs(f[k * n + i]));
    for (int i = 0; i < count; i++) {
        double d1 = f[i] - f[n + i], d2 = f[2 * n + i] - f[3 * n + i], d3 = f[4 * n + i] - f[5 * n + i];
        double six = (45.0 * d1 - 9.0 * d2 + d3) / 60.0, four = (8.0 * d1 - d2) / 12.0;
        double error = fabs(six - four);
        agrees &= error <= tp_tangent_order_tolerance * fabs(six) + tp_tangent_rounding * largest;
        *error_out = fmax(*error_out, error / h);
        out[i] = six / h;
    }
    return agrees;
}

/* Derivative along the direction (with_time, d), d [n]; or along coordinate i where d is NULL. */
static tp_status differentiate(tp_tangent *tangent, map f, double t, const double *y, double with_time,
                               const double *d, int i, double size, int count, double *out)
{
    double h = tp_tangent_first_part * size, best = INFINITY, *moved = tangent->work + MOVED * tangent->n,
           *trial = tangent->work + VALUE * tangent->n;
    for (int k = 0; k < TP_TANGENT_DIVISIONS; k++, h *= 0.25) {
        double error;
        for (int p = 0; p < 2 * TP_TANGENT_POINTS; p++) {
            double s = (p % 2 == 0 ? 1.0 : -1.0) * (double)(p / 2 + 1) * h;
            memcpy(moved, y, (size_t)tangent->n * sizeof(double));
            if (d == NULL) moved[i] += s;
            for (int j = 0; j < tangent->n && d != NULL; j++) moved[j] += s * d[j];
            TP_TRY(f(tangent, t + with_time * s, moved, tangent->stencil + (size_t)p * (size_t)tangent->n));
        }
        bool agrees = combine(tangent, count, h, trial, &error);
        if (agrees || error < best) memcpy(out, trial, (size_t)count * sizeof(double));
        if (agrees) return TP_OK;
        best = fmin(best, error);
    }
    return TP_OK;
}

/* Sizes of what may be moved: of lengths and turns, and of velocities. */
static double size_of(const tp_tangent *tangent, const double *y, const double *rate, int i)
{
    const tp_event_scales *scale = &tangent->phase->scale;
    double least = i < tangent->q_count ? scale->length : scale->velocity;
    return fmax(fmax(fabs(y[i]), least), scale->time * fabs(rate[i]));
}

static double static_size(const tp_phase *phase, int q_count, int i)
{
    return i < q_count ? phase->scale.length : phase->scale.velocity;
}

/* J = df/dy, count rows with the lead n. */
static tp_status find_jacobian(tp_tangent *tangent, map f, double t, const double *y, const double *rate,
                               int count)
{
    for (int i = 0; i < tangent->n; i++)
        TP_TRY(differentiate(tangent, f, t, y, 0.0, NULL, i, size_of(tangent, y, rate, i), count,
                             tangent->J + (size_t)i * (size_t)tangent->n));
    return TP_OK;
}

/* ---- a phase ---- */

static tp_status rate_of(tp_tangent *tangent, double t, const double *y, double *out)
{
    tp_phase *phase = tangent->phase;
    TP_TRY(tp_phase_evaluate(phase, t, y, y + tangent->q_count));
    tp_phase_rate(phase, out);
    return TP_OK;
}

/* ---- slips in space: their direction turns at the rate 1/|u_T|, which differences cannot follow ---- */

static bool is_in_space(const tp_phase *phase, int law, tp_contact_mode mode)
{
    return tp_phase_friction_rows(tp_system_law(phase->stepper->system, law)) > 1 &&
           tp_phase_mode(phase, law)[TP_LAW_MODE] == mode;
}

/* Modes of these slips to those with a direction that is given. False: there are none, or others start. */
static bool freeze(tp_tangent *tangent)
{
    tp_phase *phase = tangent->phase;
    bool any = false;
    for (int i = 0; i < phase->stepper->system->law_count; i++) {
        const tp_law *law = tp_system_law(phase->stepper->system, i);
        if (tp_phase_friction_rows(law) > 0 && tp_phase_mode(phase, i)[TP_LAW_MODE] == TP_MODE_START)
            return false;
        any |= is_in_space(phase, i, TP_MODE_SLIP);
    }
    for (int i = 0; i < phase->stepper->system->law_count && any; i++) {
        if (is_in_space(phase, i, TP_MODE_SLIP)) tp_phase_mode(phase, i)[TP_LAW_MODE] = TP_MODE_START;
    }
    return any;
}

static tp_status frozen_rate(tp_tangent *tangent, double t, const double *y, double *out)
{
    tp_phase *phase = tangent->phase;
    TP_TRY(tp_phase_evaluate_directed(phase, t, y, y + tangent->q_count));
    tp_phase_rate(phase, out);
    return TP_OK;
}

/* The velocities of the slip of law falling.law. */
static tp_status slip_of(tp_tangent *tangent, double t, const double *y, double *out)
{
    tp_phase *phase = tangent->phase;
    const tp_law *law = tp_system_law(phase->stepper->system, tangent->falling.law);
    double gamma[TP_LAW_ROWS];
    tp_system_move(phase->stepper->system, t, y, y + tangent->q_count);
    tp_phase_velocities(phase, tangent->falling.law, gamma);
    for (int k = 0; k < tp_phase_friction_rows(law); k++)
        out[k] = gamma[k + (tp_phase_has_normal(law) ? 1 : 0)];
    return TP_OK;
}

/* d rate/d s_k into `out`, by differences of order 6 of the direction. */
static tp_status rate_by_direction(tp_tangent *tangent, double t, const double *y, int law, int k,
                                   double *out)
{
    double *s = &tangent->phase->slide[law * 3 + k], is = *s, h = tp_tangent_turn, error;
    tp_status status = TP_OK;
    for (int p = 0; p < 2 * TP_TANGENT_POINTS && status == TP_OK; p++) {
        *s = is + (p % 2 == 0 ? h : -h) * (double)(p / 2 + 1);
        status = frozen_rate(tangent, t, y, tangent->stencil + (size_t)p * (size_t)tangent->n);
    }
    *s = is;
    combine(tangent, tangent->n, h, out, &error);
    return status;
}

/* J += d rate/ds ds/dy, ds = (1 - s s^T) du_T/|u_T|; (31a). */
static tp_status add_turning(tp_tangent *tangent, double t, const double *y, const double *rate, int law)
{
    tp_phase *phase = tangent->phase;
    int n = tangent->n, rows = tp_phase_friction_rows(tp_system_law(phase->stepper->system, law));
    double by[3][3], slip[3], *s = phase->slide + (size_t)law * 3, *along = tangent->work + AFTER * n;
    tangent->falling.law = law;
    TP_TRY(slip_of(tangent, t, y, slip));
    double speed = hypot(hypot(slip[0], slip[1]), rows > 2 ? slip[2] : 0.0);
    if (!(speed > tp_tangent_slow_slip * phase->scale.velocity)) return TP_OK;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++) by[i][k] = ((i == k ? 1.0 : 0.0) - s[i] * s[k]) / speed;
    for (int k = 0; k < rows; k++) {
        TP_TRY(rate_by_direction(tangent, t, y, law, k, along));
        for (int j = 0; j < n; j++) {
            double change[3], turn = 0.0;
            TP_TRY(differentiate(tangent, slip_of, t, y, 0.0, NULL, j, size_of(tangent, y, rate, j), rows,
                                 change));
            for (int i = 0; i < rows; i++) turn += by[k][i] * change[i];
            for (int i = 0; i < n; i++) tangent->J[i + (size_t)j * (size_t)n] += along[i] * turn;
        }
    }
    return TP_OK;
}

static tp_status find_rate_jacobian(tp_tangent *tangent, double t, const double *y, const double *rate)
{
    tp_phase *phase = tangent->phase;
    if (!freeze(tangent)) return find_jacobian(tangent, rate_of, t, y, rate, tangent->n);
    tp_status status = find_jacobian(tangent, frozen_rate, t, y, rate, tangent->n);
    for (int i = 0; i < phase->stepper->system->law_count; i++)
        if (is_in_space(phase, i, TP_MODE_START) && status == TP_OK)
            status = add_turning(tangent, t, y, rate, i);
    for (int i = 0; i < phase->stepper->system->law_count; i++)
        if (is_in_space(phase, i, TP_MODE_START)) tp_phase_mode(phase, i)[TP_LAW_MODE] = TP_MODE_SLIP;
    return status;
}

/* Y = (y, X): y' = f(t, y), X' = df/dy X; (31). */
static tp_status linear_rate(void *context, double t, const double *Y, double *out)
{
    tp_tangent *tangent = context;
    size_t n = (size_t)tangent->n;
    TP_TRY(rate_of(tangent, t, Y, out));
    TP_TRY(find_rate_jacobian(tangent, t, Y, out));
    for (size_t j = 1; j <= (size_t)tangent->columns; j++)
        tp_dense_multiply((int)n, (int)n, tangent->J, (int)n, Y + j * n, out + j * n);
    return TP_OK;
}

static void set_tolerances(tp_tangent *tangent)
{
    int n = tangent->n;
    for (int i = 0; i < n; i++)
        tangent->atol[i] = tangent->rtol * static_size(tangent->phase, tangent->q_count, i);
    for (int j = 0; j < tangent->columns; j++) {
        const double *x = tangent->X + (size_t)j * (size_t)n;
        double largest = 0.0;
        for (int i = 0; i < n; i++)
            largest = fmax(largest, fabs(x[i]) / static_size(tangent->phase, tangent->q_count, i));
        for (int i = 0; i < n; i++)
            tangent->atol[(size_t)(j + 1) * (size_t)n + (size_t)i] =
                fmax(tangent->rtol * largest * static_size(tangent->phase, tangent->q_count, i), DBL_MIN);
    }
}

tp_status tp_tangent_flow(tp_tangent *tangent, tp_phase *phase, double t, const double *q, const double *u)
{
    size_t n = (size_t)tangent->n, columns = (size_t)tangent->columns;
    tangent->phase = phase;
    if (t > tangent->t) {
        set_tolerances(tangent);
        memcpy(tangent->Y, tangent->y, n * sizeof(double));
        memcpy(tangent->Y + n, tangent->X, n * columns * sizeof(double));
        TP_TRY(tp_ode_start(tangent->ode, tangent->t, tangent->Y));
        for (int k = 0; tp_ode_time(tangent->ode) < t; k++) {
            if (k == TP_TANGENT_STEPS_MAX) {
                snprintf(phase->stepper->cause, sizeof phase->stepper->cause,
                         "%d steps of the linearised motion from t = %.12g s have only reached %.12g s",
                         TP_TANGENT_STEPS_MAX, tangent->t, tp_ode_time(tangent->ode));
                return TP_NOT_CONVERGED;
            }
            TP_TRY(tp_ode_step(tangent->ode, t));
        }
        const double *end = tp_ode_state(tangent->ode);
        memcpy(tangent->X, end + n, n * columns * sizeof(double));
        for (size_t i = 0; i < n; i++) {
            double is = i < (size_t)tangent->q_count ? q[i] : u[i - (size_t)tangent->q_count];
            tangent->mismatch =
                fmax(tangent->mismatch, fabs(end[i] - is) / static_size(phase, tangent->q_count, (int)i));
        }
    }
    put(tangent, q, u, tangent->y);
    tangent->t = t;
    return TP_OK;
}

/* ---- an instant ---- */

static size_t mode_count(const tp_tangent *tangent)
{
    return (size_t)tangent->phase->stepper->system->law_count * TP_LAW_ROWS;
}

/* Modes of the laws in the impact: closed where there was an impulse, sliding where it was at the edge. */
static void set_impact_modes(tp_tangent *tangent)
{
    tp_phase *phase = tangent->phase;
    const tp_system *system = phase->stepper->system;
    double largest = 0.0;
    for (size_t k = 0; k < mode_count(tangent); k++)
        largest = fmax(largest, fabs(tangent->instant->impulse[k]));
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        const double *P = tangent->instant->impulse + (size_t)i * TP_LAW_ROWS;
        double *mode = tp_phase_mode(phase, i), fill = 0.0, norm = 0.0, s[3] = {0.0, 0.0, 0.0};
        if (law->set.kind == TP_SET_FREE || law->set.kind == TP_SET_ZERO) continue;
        memset(mode, 0, TP_LAW_ROWS * sizeof(double));
        for (int k = 0; k < law->row_count && law->set.kind == TP_SET_BOX; k++) mode[k] = 1.0;
        if (law->set.kind == TP_SET_BOX || !tp_phase_has_normal(law) ||
            !(P[0] > tp_tangent_no_impulse * largest))
            continue;
        mode[TP_LAW_MODE] = TP_MODE_CLOSED;
        for (int k = 0; k < tp_phase_friction_rows(law); k++) {
            double axis = tp_phase_friction_axis(law, k);
            fill = hypot(fill, P[1 + k] / axis);
            s[k] = -P[1 + k] / (axis * axis);
            norm = hypot(norm, s[k]);
        }
        if (tp_phase_friction_rows(law) == 0 || fill < (1.0 - tp_tangent_edge) * P[0]) continue;
        mode[TP_LAW_MODE] = TP_MODE_START; /* with a direction that is given */
        for (int k = 0; k < tp_phase_friction_rows(law); k++)
            mode[TP_LAW_DIRECTION + k] = phase->slide[i * 3 + k] = norm > 0.0 ? s[k] / norm : 0.0;
    }
}

/* Newton's law in these modes: C du = -(1 + e) gamma, M du = A P; du in phase->a. */
static tp_status solve_impact(tp_tangent *tangent, double t, const double *y)
{
    tp_phase *phase = tangent->phase;
    double gamma[TP_LAW_ROWS];
    int known = -1;
    TP_TRY(tp_phase_assemble(phase, t, y, y + tangent->q_count));
    memset(phase->free, 0, (size_t)phase->n * sizeof(double));
    for (int r = 0; r < phase->row_count; r++) {
        int law = phase->row_law[r], k = phase->row_index[r];
        if (law != known) tp_phase_velocities(phase, law, gamma);
        known = law;
        phase->b[r] = (1.0 + tp_system_law(phase->stepper->system, law)->restitution[k]) * gamma[k];
    }
    tp_phase_solve(phase);
    return TP_OK;
}

/* Slips in space turn to the direction of the slip that they leave; the largest change of a direction. */
static double turn_slips(tp_tangent *tangent)
{
    tp_phase *phase = tangent->phase;
    tp_system *system = phase->stepper->system;
    double largest = 0.0, gamma[TP_LAW_ROWS], xi[3];
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        int rows = tp_phase_friction_rows(law), count = tp_system_law_column_count(system, i);
        bool slips = tp_phase_has_normal(law) && tp_phase_mode(phase, i)[TP_LAW_MODE] == TP_MODE_START;
        if (!slips || rows < 2) continue;
        tp_phase_velocities(phase, i, gamma); /* before, and rows in W */
        for (int k = 0; k < rows; k++)
            xi[k] = (1.0 + law->restitution[k + 1]) * gamma[k + 1] +
                    tp_row_velocity(count, tp_system_law_columns(system, i), phase->W + (k + 1) * count,
                                    phase->a);
        double norm = hypot(hypot(xi[0], xi[1]), rows > 2 ? xi[2] : 0.0);
        for (int k = 0; k < rows && norm > 0.0; k++) {
            double *s = &phase->slide[i * 3 + k];
            largest = fmax(largest, fabs(xi[k] / norm - *s));
            *s = xi[k] / norm;
        }
    }
    return largest;
}

/* What an instant makes of a point before it, in the modes that it had and has; (33). */
static tp_status pass(tp_tangent *tangent, double t, const double *y, double *out)
{
    tp_phase *phase = tangent->phase;
    int nq = tangent->q_count;
    memcpy(out, y, (size_t)tangent->n * sizeof(double));
    bool strikes = false;
    for (size_t k = 0; k < mode_count(tangent); k++) strikes |= tangent->instant->impulse[k] != 0.0;
    if (strikes) {
        set_impact_modes(tangent);
        TP_TRY(solve_impact(tangent, t, y));
        for (int k = 0; k < TP_TANGENT_DIRECTIONS_MAX && turn_slips(tangent) > 4.0 * DBL_EPSILON; k++)
            TP_TRY(solve_impact(tangent, t, y));
        for (int j = 0; j < tangent->u_count; j++) out[nq + j] += phase->a[j];
    }
    memcpy(phase->mode, tangent->instant->after, mode_count(tangent) * sizeof(double));
    return tp_phase_project(phase, t, out, out + nq);
}

/* The function that fell; of a slip in space the velocity along its direction there, which changes in the
   same way and is smooth. */
static tp_status fall_of(tp_tangent *tangent, double t, const double *y, double *out)
{
    tp_phase *phase = tangent->phase;
    const tp_event_function *f = &tangent->falling;
    if (f->kind != TP_FALLS_SLIP) return tp_phase_values(phase, 1, f, t, y, out);
    const tp_law *law = tp_system_law(phase->stepper->system, f->law);
    int rows = law->set.kind == TP_SET_BOX ? 1 : tp_phase_friction_rows(law);
    if (rows < 2) return tp_phase_values(phase, 1, f, t, y, out);
    double gamma[TP_LAW_ROWS];
    int first = tp_phase_has_normal(law) ? 1 : 0;
    tp_system_move(phase->stepper->system, t, y, y + tangent->q_count);
    tp_phase_velocities(phase, f->law, gamma);
    out[0] = 0.0;
    for (int k = 0; k < rows; k++) out[0] += tangent->slide[k] * gamma[first + k] / phase->scale.velocity;
    return TP_OK;
}

static void keep_direction(tp_tangent *tangent)
{
    const tp_phase *phase = tangent->phase;
    if (tangent->falling.kind != TP_FALLS_SLIP) return;
    for (int k = 0; k < 3; k++) tangent->slide[k] = phase->slide[tangent->falling.law * 3 + k];
}

/* changed_j = (f+ - dR/ds) (dphi x_j)/phi' for the columns x_j of X; (32). */
static tp_status shift_times(tp_tangent *tangent, double t, double t_after, const tp_trigger *trigger,
                             const double *after)
{
    tp_phase *phase = tangent->phase;
    tp_stepper *stepper = phase->stepper;
    int n = tangent->n;
    double *rate = tangent->work + RATE * n, *jump = tangent->work + AFTER * n, falls;
    size_t modes = mode_count(tangent) * sizeof(double);
    tangent->falling = (tp_event_function){.kind = trigger->kind, .law = trigger->law, .row = trigger->row};
    memcpy(phase->mode, tangent->instant->before, modes);
    TP_TRY(rate_of(tangent, t, tangent->y, rate));
    keep_direction(tangent);
    TP_TRY(differentiate(tangent, fall_of, t, tangent->y, 1.0, rate, 0, phase->scale.time, 1, &falls));
    double fall = -falls * phase->scale.time;
    tangent->slowest_fall = fmin(tangent->slowest_fall, fabs(fall));
    if (!(fabs(fall) > tp_tangent_graze)) {
        snprintf(stepper->cause, sizeof stepper->cause,
                 "the motion only grazes the event of '%.60s' at t = %.12g s: it does not change smoothly "
                 "with its start",
                 trigger->kind == TP_FALLS_SWITCH ? "a switch in a formula"
                                                  : tp_system_law(stepper->system, trigger->law)->name,
                 t);
        return TP_NOT_CONVERGED;
    }
    memset(tangent->changed, 0, (size_t)n * (size_t)tangent->columns * sizeof(double));
    for (int i = 0; i < n; i++) { /* dphi X, in the first row of changed */
        double slope;
        TP_TRY(differentiate(tangent, fall_of, t, tangent->y, 0.0, NULL, i,
                             size_of(tangent, tangent->y, rate, i), 1, &slope));
        for (int j = 0; j < tangent->columns; j++)
            tangent->changed[(size_t)j * (size_t)n] +=
                slope * tangent->X[(size_t)i + (size_t)j * (size_t)n] / falls;
    }
    TP_TRY(differentiate(tangent, pass, t, tangent->y, 1.0, rate, 0, phase->scale.time, n, jump));
    memcpy(phase->mode, tangent->instant->after, modes);
    TP_TRY(rate_of(tangent, t_after, after, rate)); /* behind it */
    for (int j = 0; j < tangent->columns; j++) {
        double *column = tangent->changed + (size_t)j * (size_t)n, share = column[0];
        for (int i = 0; i < n; i++) column[i] = share * (rate[i] - jump[i]);
    }
    return TP_OK;
}

/* The law of fixed modes gives what happened, or there were several impacts one after the other. */
static tp_status check_law(tp_tangent *tangent, double t, const double *after)
{
    tp_stepper *stepper = tangent->phase->stepper;
    double *is = tangent->stencil, largest = 0.0;
    TP_TRY(pass(tangent, t, tangent->y, is));
    for (int i = 0; i < tangent->n; i++)
        largest = fmax(largest, fabs(is[i] - after[i]) / static_size(tangent->phase, tangent->q_count, i));
    if (largest <= tp_tangent_same_law) return TP_OK;
    snprintf(
        stepper->cause, sizeof stepper->cause,
        "several impacts at one instant, t = %.12g s: the motion does not change smoothly with its start", t);
    return TP_UNSUPPORTED;
}

/* X = dR X. */
static tp_status map_columns(tp_tangent *tangent, double t)
{
    size_t n = (size_t)tangent->n;
    double *rate = tangent->work + RATE * n, *mapped = tangent->work + AFTER * n;
    TP_TRY(rate_of(tangent, t, tangent->y, rate)); /* for sizes alone */
    TP_TRY(find_jacobian(tangent, pass, t, tangent->y, rate, tangent->n));
    for (size_t j = 0; j < (size_t)tangent->columns; j++) {
        tp_dense_multiply((int)n, (int)n, tangent->J, (int)n, tangent->X + j * n, mapped);
        memcpy(tangent->X + j * n, mapped, n * sizeof(double));
    }
    return TP_OK;
}

static void keep_modes(tp_tangent *tangent)
{
    memcpy(tangent->instant->after, tangent->phase->mode, mode_count(tangent) * sizeof(double));
}

tp_status tp_tangent_jump(tp_tangent *tangent, tp_instant *instant, double t, double t_after, int count,
                          const tp_trigger *triggers, const double *q, const double *u)
{
    size_t n = (size_t)tangent->n;
    double *after = tangent->atol; /* free between phases */
    tangent->phase = instant->phase;
    tangent->instant = instant;
    put(tangent, q, u, after);
    keep_modes(tangent);
    TP_TRY(check_law(tangent, t, after));
    if (count > 0) TP_TRY(shift_times(tangent, t, t_after, &triggers[0], after));
    TP_TRY(map_columns(tangent, t));
    for (size_t k = 0; k < n * (size_t)tangent->columns && count > 0; k++)
        tangent->X[k] += tangent->changed[k];
    tangent->instants += count > 0;
    tangent->together += count > 1;
    memcpy(tangent->phase->mode, instant->after, mode_count(tangent) * sizeof(double));
    put(tangent, q, u, tangent->y);
    tangent->t = t_after;
    return tp_phase_evaluate(tangent->phase, t_after, q, u);
}

tp_status tp_tangent_project(tp_tangent *tangent, tp_instant *instant)
{
    tangent->phase = instant->phase;
    tangent->instant = instant;
    memset(instant->impulse, 0, mode_count(tangent) * sizeof(double));
    keep_modes(tangent);
    return map_columns(tangent, tangent->t);
}
