/* A smooth phase: accelerations in fixed modes, projection; docs/theory/event-driven.md (1)-(9). */
#include "event_phase.h"

#include "math/dense.h"
#include "math/sparse.h"
#include "system/second_level.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PROJECTIONS = 5, SWEEPS = 30 };

int tp_phase_friction_rows(const tp_law *law)
{
    const tp_set *set = &law->set;
    int first = set->kind == TP_SET_FRICTION ? 0 : 1;
    if (set->kind != TP_SET_FRICTION && set->kind != TP_SET_CONTACT) return 0;
    for (int k = 0; k < 6; k++) {
        if (set->parameter[k] > 0.0) return set->size - first;
    }
    return 0;
}

tp_status tp_phase_take(tp_stepper *stepper, tp_arena *arena, tp_phase *out)
{
    const tp_system *system = stepper->system;
    size_t n = (size_t)system->u_count, laws = (size_t)stepper->problem->capacity_sets + 1,
           room = (size_t)stepper->problem->capacity_rows + 1;
    *out = (tp_phase){.stepper = stepper, .n = (int)n, .room = (int)room, .friction_weight = 1.0};
    out->M = TP_ARENA_ARRAY(arena, double, n *n);
    TP_ARENA_DOUBLES(arena, n, &out->free, &out->f, &out->a);
    TP_ARENA_INTS(arena, room, &out->row_law, &out->row_index, &out->pivot);
    TP_ARENA_DOUBLES(arena, room * n, &out->C, &out->X);
    TP_ARENA_DOUBLES(arena, room, &out->b, &out->D, &out->P);
    out->work = TP_ARENA_ARRAY(arena, double, room + n);
    TP_ARENA_DOUBLES(arena, room * room, &out->G, &out->V, &out->G_full);
    out->W = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS *(size_t)system->largest_columns + 1);
    TP_ARENA_DOUBLES(arena, laws * TP_LAW_ROWS, &out->mode, &out->force);
    out->inverse_mass = TP_ARENA_ARRAY(arena, double, laws);
    out->slide = TP_ARENA_ARRAY(arena, double, laws * 3);
    out->start = TP_ARENA_ARRAY(arena, double, room *(room + 2));
    TP_TRY(tp_switches_take(stepper->model, arena, &out->switches));
    return tp_arena_status(arena);
}

/* From the model alone, so that a continued run has the same. */
void tp_phase_find_scales(tp_phase *phase)
{
    tp_system *system = phase->stepper->system;
    const tp_model *model = phase->stepper->model;
    double length = model->summary.size > 0.0 ? model->summary.size : 1.0, largest = 0.0;
    phase->scale = (tp_event_scales){1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    memset(phase->a, 0, (size_t)phase->n * sizeof(double));
    if (tp_phase_begin(phase, 0.0, model->q0, phase->a) == TP_OK) {
        for (int j = 0; j < phase->n; j++) { /* turns of bodies move points at their distance */
            double arm = j < system->general_u ? 1.0 : length / system->unit[j];
            largest = fmax(largest, arm * fabs(phase->free[j]));
        }
    }
    double acceleration = isfinite(largest) ? fmax(largest, 1.0) : 1.0;
    double velocity = sqrt(length * acceleration);
    const tp_simulation_options *options = phase->stepper->options;
    double stop = fmax(tp_event_stop, tp_event_resolved * (options->atol / velocity + options->rtol));
    phase->scale = (tp_event_scales){.length = length,
                                     .velocity = velocity,
                                     .acceleration = acceleration,
                                     .time = sqrt(length / acceleration),
                                     .stop = stop,
                                     .start = fmax(tp_event_start, 10.0 * stop)};
}

/* ---- rows ---- */

tp_status tp_phase_begin(tp_phase *phase, double t, const double *q, const double *u)
{
    tp_stepper *stepper = phase->stepper;
    int n = phase->n;
    tp_system_move(stepper->system, t, q, u);
    tp_system_mass(stepper->system, stepper->M);
    tp_system_force(stepper->system, phase->f);
    tp_pattern_to_dense(&stepper->system->mass_pattern, stepper->M, phase->M);
    TP_TRY(tp_dense_cholesky(n, phase->M, n, 0.0));
    memcpy(phase->free, phase->f, (size_t)n * sizeof(double));
    tp_dense_cholesky_solve(n, phase->M, n, phase->free);
    phase->row_count = phase->joint_rows = 0;
    return TP_OK;
}

/* out += factor W_k */
static void add_direction(const tp_phase *phase, int law, int k, double factor, double *out)
{
    const tp_system *system = phase->stepper->system;
    const int *columns, count = tp_system_columns_of(system, law, &columns);
    for (int j = 0; j < count; j++) out[columns[j]] += factor * phase->W[j + k * count];
}

void tp_phase_add_row(tp_phase *phase, int law, int k)
{
    int r = phase->row_count++, n = phase->n;
    double *C = tp_phase_row(phase, r), *X = tp_phase_column(phase, r);
    memset(C, 0, (size_t)n * sizeof(double));
    add_direction(phase, law, k, 1.0, C);
    memcpy(X, C, (size_t)n * sizeof(double));
    tp_dense_cholesky_solve(n, phase->M, n, X);
    phase->D[r] = tp_dense_dot(n, C, X);
    phase->row_law[r] = law;
    phase->row_index[r] = k;
}

/* x of G_full x = y with least norm in place of y, by one-sided rotations: G_full V = U S. */
static void find_least_norm(tp_phase *phase, int m, double *x)
{
    double *U = phase->G, *V = phase->V, largest = 0.0;
    memcpy(U, phase->G_full, (size_t)m * (size_t)m * sizeof(double));
    memset(V, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++) V[i + i * m] = 1.0;
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int i = 0; i < m; i++) {
            for (int j = i + 1; j < m; j++) {
                double *p = U + i * m, *q = U + j * m, pq = tp_dense_dot(m, p, q);
                double pp = tp_dense_dot(m, p, p), qq = tp_dense_dot(m, q, q);
                if (fabs(pq) <= 4.0 * DBL_EPSILON * sqrt(pp * qq) || pp * qq == 0.0) continue;
                double zeta = (qq - pp) / (2.0 * pq),
                       tangent = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + hypot(1.0, zeta)),
                       cosine = 1.0 / hypot(1.0, tangent), sine = cosine * tangent;
                turned = true;
                for (int k = 0; k < m; k++) {
                    double up = p[k], uq = q[k], vp = V[k + i * m], vq = V[k + j * m];
                    p[k] = cosine * up - sine * uq, q[k] = sine * up + cosine * uq;
                    V[k + i * m] = cosine * vp - sine * vq, V[k + j * m] = sine * vp + cosine * vq;
                }
            }
        }
    }
    double *y = phase->work;
    memcpy(y, x, (size_t)m * sizeof(double));
    memset(x, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++) largest = fmax(largest, tp_dense_norm(m, U + i * m));
    for (int i = 0; i < m; i++) {
        double s = tp_dense_norm(m, U + i * m);
        if (!(s > tp_event_dependent * largest)) continue;
        double share = tp_dense_dot(m, U + i * m, y) / (s * s);
        for (int k = 0; k < m; k++) x[k] += share * V[k + i * m];
    }
}

/* a x = y in place of y, for scaled rows: by elimination, of dependent rows the answer of least norm. */
void tp_phase_solve_scaled(tp_phase *phase, int m, double *y)
{
    memcpy(phase->G, phase->G_full, (size_t)m * (size_t)m * sizeof(double));
    if (tp_dense_lu(m, phase->G, m, phase->pivot, tp_event_dependent) == TP_OK)
        tp_dense_lu_solve(m, phase->G, m, phase->pivot, y);
    else
        find_least_norm(phase, m, y);
}

double tp_phase_row_scale(const tp_phase *phase, int r)
{
    return phase->D[r] > 0.0 ? 1.0 / sqrt(phase->D[r]) : 1.0;
}

double tp_phase_coupling(const tp_phase *phase, int i, int j)
{
    return tp_dense_dot(phase->n, tp_phase_row(phase, i), tp_phase_column(phase, j));
}

void tp_phase_fill_matrix(tp_phase *phase, int m)
{
    for (int j = 0; j < m; j++) {
        double scale = tp_phase_row_scale(phase, j);
        for (int i = 0; i < m; i++)
            phase->G_full[i + j * m] = scale * tp_phase_row_scale(phase, i) * tp_phase_coupling(phase, i, j);
    }
}

static void scale_forces(tp_phase *phase)
{
    for (int i = 0; i < phase->row_count; i++) phase->P[i] *= tp_phase_row_scale(phase, i);
}

void tp_phase_solve_rows(tp_phase *phase)
{
    tp_phase_fill_matrix(phase, phase->row_count);
    scale_forces(phase);
    tp_phase_solve_scaled(phase, phase->row_count, phase->P);
    scale_forces(phase);
}

void tp_phase_add_forces(const tp_phase *phase, double *x)
{
    tp_dense_multiply_add(phase->n, phase->row_count, phase->X, phase->n, phase->P, x);
}

/* The force that dependent rows of joints and of friction that sticks stay near to; (2a). */
static double reference_force(const tp_phase *phase, int r)
{
    int index = phase->row_law[r], k = phase->row_index[r];
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    const double *mode = tp_phase_mode(phase, index);
    if (law->set.kind == TP_SET_BOX) return 0.0;
    if (law->set.kind == TP_SET_FREE) return mode[k];
    if (tp_phase_has_normal(law) && k == 0) return mode[TP_LAW_NORMAL];
    return mode[TP_LAW_DIRECTION + k - (tp_phase_has_normal(law) ? 1 : 0)]; /* it sticks, or had no row */
}

/* What a force counts in the norm that dependent rows have least of, inverted. */
static double weight_of(const tp_phase *phase, int r)
{
    const tp_law *law = tp_system_law(phase->stepper->system, phase->row_law[r]);
    bool is_friction =
        tp_phase_friction_rows(law) > 0 && (phase->row_index[r] > 0 || !tp_phase_has_normal(law));
    return is_friction ? phase->friction_weight : 1.0;
}

/* Forces of dependent rows: those nearest to the reference; y of the right-hand side becomes them. */
static void solve_near(tp_phase *phase, int m, double *y)
{
    for (int j = 0; j < m; j++) {
        double near = reference_force(phase, j) / tp_phase_row_scale(phase, j);
        for (int i = 0; i < m && near != 0.0; i++) y[i] -= phase->G_full[i + j * m] * near;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) phase->G_full[i + j * m] *= weight_of(phase, j);
    find_least_norm(phase, m, y);
    for (int j = 0; j < m; j++)
        y[j] = weight_of(phase, j) * y[j] + reference_force(phase, j) / tp_phase_row_scale(phase, j);
}

void tp_phase_solve(tp_phase *phase)
{
    int m = phase->row_count, n = phase->n;
    phase->is_dependent = false;
    memcpy(phase->a, phase->free, (size_t)n * sizeof(double));
    if (m == 0) return;
    tp_phase_fill_matrix(phase, m);
    for (int i = 0; i < m; i++)
        phase->P[i] = -(phase->b[i] + tp_dense_dot(n, tp_phase_row(phase, i), phase->free));
    scale_forces(phase);
    memcpy(phase->G, phase->G_full, (size_t)m * (size_t)m * sizeof(double));
    phase->is_dependent = tp_dense_lu(m, phase->G, m, phase->pivot, tp_event_dependent) != TP_OK;
    if (phase->is_dependent)
        solve_near(phase, m, phase->P);
    else
        tp_dense_lu_solve(m, phase->G, m, phase->pivot, phase->P);
    scale_forces(phase);
    tp_phase_add_forces(phase, phase->a);
}

void tp_phase_rate(const tp_phase *phase, double *rate_out)
{
    const tp_system *system = phase->stepper->system;
    memcpy(rate_out, tp_system_rate(system), (size_t)system->q_count * sizeof(double));
    memcpy(rate_out + system->q_count, phase->a, (size_t)phase->n * sizeof(double));
}

/* ---- laws in their modes ---- */

void tp_phase_velocities(tp_phase *phase, int law, double *gamma_out)
{
    tp_system *system = phase->stepper->system;
    int count = tp_system_law_column_count(system, law);
    double chi[TP_LAW_ROWS];
    tp_system_law_rows(system, law, phase->W, chi);
    for (int k = 0; k < tp_system_law(system, law)->row_count; k++)
        gamma_out[k] = chi[k] + tp_row_velocity(count, tp_system_law_columns(system, law),
                                                phase->W + k * count, system->u);
}

double tp_phase_slip_speed(const tp_law *law, const double *gamma)
{
    int first = tp_phase_has_normal(law) ? 1 : 0;
    return tp_dense_norm(tp_phase_friction_rows(law), gamma + first);
}

void tp_phase_find_changes(tp_phase *phase, double t, const double *y, double *most_out)
{
    tp_system *system = phase->stepper->system;
    double gamma[TP_LAW_ROWS], *most = most_out + system->q_count;
    for (int j = 0; j < system->q_count + phase->n; j++) most_out[j] = INFINITY;
    tp_system_move(system, t, y, y + system->q_count);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        int rows = tp_phase_friction_rows(law), count = tp_system_law_column_count(system, i),
            first = tp_phase_has_normal(law) ? 1 : 0;
        if (rows < 2 || tp_phase_mode(phase, i)[TP_LAW_MODE] != TP_MODE_SLIP) continue;
        tp_phase_velocities(phase, i, gamma);
        for (int k = first; k < first + rows; k++) {
            for (int j = 0; j < count; j++) {
                double size = fabs(phase->W[j + k * count]), *of = &most[tp_system_law_columns(system, i)[j]];
                if (size > 0.0) *of = fmin(*of, tp_event_small_slip * tp_phase_slip_speed(law, gamma) / size);
            }
        }
    }
}

double tp_phase_row_acceleration(tp_phase *phase, int law, int k, double *gamma_out)
{
    tp_system *system = phase->stepper->system;
    int count = tp_system_law_column_count(system, law);
    double g2[TP_LAW_ROWS], gamma[TP_LAW_ROWS];
    tp_system_law_drift(system, law, g2);
    tp_phase_velocities(phase, law, gamma);
    if (gamma_out != NULL) *gamma_out = gamma[k];
    return g2[k] + tp_row_velocity(count, tp_system_law_columns(system, law), phase->W + k * count, phase->a);
}

/* The direction in which a law slips: in the plane that of the phase, in space that of its velocity. */
static void find_direction(tp_phase *phase, int index, const double *gamma)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    const double *mode = tp_phase_mode(phase, index);
    double *s = phase->slide + (size_t)index * 3, speed = tp_phase_slip_speed(law, gamma);
    int first = tp_phase_has_normal(law) ? 1 : 0, count = tp_phase_friction_rows(law);
    bool keeps = mode[TP_LAW_MODE] == TP_MODE_START || count == 1 || !(speed > 0.0);
    for (int k = 0; k < count; k++) s[k] = keeps ? mode[TP_LAW_DIRECTION + k] : gamma[first + k] / speed;
}

double tp_phase_friction_axis(const tp_law *law, int k)
{
    return law->set.parameter[law->set.friction_kind == TP_FRICTION_ELLIPSOID ? k : 0];
}

/* The force of sliding friction for a normal force of 1, or of a bounded law: the point of the edge whose
   outer normal is s, turned round. */
static void sliding_force(const tp_law *law, const double *s, double *out)
{
    int rows = tp_phase_friction_rows(law);
    double norm = 0.0;
    for (int k = 0; k < rows; k++) {
        out[k] = tp_phase_friction_axis(law, k) * s[k];
        norm = hypot(norm, out[k]);
    }
    for (int k = 0; k < rows && norm > 0.0; k++) out[k] *= -tp_phase_friction_axis(law, k) / norm;
}

static void add_held(tp_phase *phase, int index, int k, const double *g2)
{
    phase->b[phase->row_count] = g2[k];
    tp_phase_add_row(phase, index, k);
}

/* A normal row with the friction that follows it. */
static void add_sliding(tp_phase *phase, int index, const double *g2)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    double share[TP_LAW_ROWS];
    int r = phase->row_count, n = phase->n;
    add_held(phase, index, 0, g2);
    double *X = tp_phase_column(phase, r);
    sliding_force(law, phase->slide + (size_t)index * 3, share);
    memcpy(X, tp_phase_row(phase, r), (size_t)n * sizeof(double));
    for (int k = 0; k < tp_phase_friction_rows(law); k++) add_direction(phase, index, k + 1, share[k], X);
    tp_dense_cholesky_solve(n, phase->M, n, X);
}

static void push(tp_phase *phase, int index, int k, double force)
{
    tp_phase_force(phase, index)[k] = force;
    add_direction(phase, index, k, force, phase->f);
}

static void add_box(tp_phase *phase, int index, const double *g2)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    for (int k = 0; k < law->row_count; k++) {
        double side = tp_phase_mode(phase, index)[k];
        if (side != 0.0)
            push(phase, index, k, law->set.parameter[2 * k + (side > 0.0)]);
        else
            add_held(phase, index, k, g2);
    }
}

/* The rows of a law in its mode. */
static void add_law(tp_phase *phase, int index)
{
    tp_system *system = phase->stepper->system;
    const tp_law *law = tp_system_law(system, index);
    tp_contact_mode mode = (tp_contact_mode)tp_phase_mode(phase, index)[TP_LAW_MODE];
    double g2[TP_LAW_ROWS], gamma[TP_LAW_ROWS], share[TP_LAW_ROWS];
    bool has_modes = law->set.kind != TP_SET_FREE && law->set.kind != TP_SET_BOX;
    if (law->set.kind == TP_SET_ZERO || (has_modes && (mode == TP_MODE_OPEN || mode == TP_MODE_IDLE))) return;
    tp_system_law_drift(system, index, g2);
    tp_phase_velocities(phase, index, gamma); /* rows in W */
    if (law->set.kind == TP_SET_BOX) {
        add_box(phase, index, g2);
        return;
    }
    int rows = tp_phase_has_normal(law) ? 1 + tp_phase_friction_rows(law) : law->row_count;
    bool slips = has_modes && (mode == TP_MODE_SLIP || mode == TP_MODE_START);
    if (slips && !(mode == TP_MODE_START)) find_direction(phase, index, gamma);
    if (slips && tp_phase_has_normal(law)) {
        add_sliding(phase, index, g2);
        return;
    }
    if (slips) sliding_force(law, phase->slide + (size_t)index * 3, share);
    for (int k = 0; k < rows; k++) {
        if (slips)
            push(phase, index, k, share[k]);
        else
            add_held(phase, index, k, g2);
    }
}

static void keep_forces(tp_phase *phase)
{
    for (int r = 0; r < phase->row_count; r++) {
        int law = phase->row_law[r], k = phase->row_index[r];
        const tp_law *of = tp_system_law(phase->stepper->system, law);
        tp_contact_mode mode = (tp_contact_mode)tp_phase_mode(phase, law)[TP_LAW_MODE];
        double *force = tp_phase_force(phase, law), share[TP_LAW_ROWS];
        force[k] = phase->P[r];
        if (k == 0) phase->inverse_mass[law] = phase->D[r];
        if (!tp_phase_has_normal(of) || (mode != TP_MODE_SLIP && mode != TP_MODE_START)) continue;
        sliding_force(of, phase->slide + (size_t)law * 3, share);
        for (int i = 0; i < tp_phase_friction_rows(of); i++) force[1 + i] = phase->P[r] * share[i];
    }
}

tp_status tp_phase_assemble(tp_phase *phase, double t, const double *q, const double *u)
{
    const tp_system *system = phase->stepper->system;
    TP_TRY(tp_phase_begin(phase, t, q, u));
    memset(phase->force, 0, (size_t)system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int pass = 0; pass < 2; pass++) { /* joints come first */
        for (int i = 0; i < system->law_count; i++) {
            if ((tp_system_law(system, i)->set.kind == TP_SET_FREE) == (pass == 0)) add_law(phase, i);
        }
        if (pass == 0) phase->joint_rows = phase->row_count;
    }
    memcpy(phase->free, phase->f, (size_t)phase->n * sizeof(double)); /* with bounded forces */
    tp_dense_cholesky_solve(phase->n, phase->M, phase->n, phase->free);
    return TP_OK;
}

tp_status tp_phase_evaluate_directed(tp_phase *phase, double t, const double *q, const double *u)
{
    TP_TRY(tp_phase_assemble(phase, t, q, u));
    tp_phase_solve(phase);
    keep_forces(phase);
    return TP_OK;
}

tp_status tp_phase_evaluate(tp_phase *phase, double t, const double *q, const double *u)
{
    const tp_system *system = phase->stepper->system;
    for (int i = 0; i < system->law_count; i++) {
        bool has_modes = tp_phase_friction_rows(tp_system_law(system, i)) > 0;
        if (has_modes && tp_phase_mode(phase, i)[TP_LAW_MODE] == TP_MODE_START)
            return tp_phase_evaluate_starts(phase, t, q, u);
    }
    return tp_phase_evaluate_directed(phase, t, q, u);
}

/* ---- projection ---- */

/* Does a row hold positions (or velocities) in this mode? */
static bool holds_row(const tp_phase *phase, int index, int k, bool positions)
{
    const tp_law *law = tp_system_law(phase->stepper->system, index);
    const double *mode = tp_phase_mode(phase, index);
    if (law->set.kind == TP_SET_FREE) return !positions || law->level == TP_LEVEL_POSITION;
    if (law->set.kind == TP_SET_BOX) return !positions && mode[k] == 0.0;
    if (law->set.kind == TP_SET_ZERO || mode[TP_LAW_MODE] == TP_MODE_OPEN) return false;
    if (tp_phase_has_normal(law) && k == 0) return true;
    if (k >= tp_phase_friction_rows(law) + tp_phase_has_normal(law)) return false;
    return !positions && mode[TP_LAW_MODE] == TP_MODE_CLOSED;
}

/* x with C x = -e for all rows that hold, shortest in the metric of M; the largest e. */
static double correct(tp_phase *phase, bool positions, double *x_out)
{
    tp_system *system = phase->stepper->system;
    int n = phase->n;
    double largest = 0.0, value[TP_LAW_ROWS];
    phase->row_count = 0;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        bool is_in = false;
        for (int k = 0; k < law->row_count; k++) is_in |= holds_row(phase, i, k, positions);
        if (!is_in) continue;
        tp_phase_velocities(phase, i, value);
        if (positions) tp_system_law_positions(system, i, value);
        if (positions && tp_phase_has_normal(law)) value[0] -= tp_phase_mode(phase, i)[TP_LAW_OFFSET];
        for (int k = 0; k < law->row_count; k++) {
            if (!holds_row(phase, i, k, positions)) continue;
            phase->P[phase->row_count] = -value[k];
            largest = fmax(largest, fabs(value[k]));
            tp_phase_add_row(phase, i, k);
        }
    }
    memset(x_out, 0, (size_t)n * sizeof(double));
    if (phase->row_count == 0) return 0.0;
    tp_phase_solve_rows(phase);
    tp_phase_add_forces(phase, x_out);
    return largest;
}

void tp_phase_project_velocities(tp_phase *phase, double t, const double *q, double *u)
{
    if (tp_phase_begin(phase, t, q, u) != TP_OK) return;
    if (correct(phase, false, phase->a) == 0.0) return;
    for (int j = 0; j < phase->n; j++) u[j] += phase->a[j];
}

tp_status tp_phase_project(tp_phase *phase, double t, double *q, double *u)
{
    double last = INFINITY, enough = DBL_EPSILON * phase->scale.length;
    tp_system_normalise(phase->stepper->system, q);
    for (int pass = 0; pass < PROJECTIONS; pass++) {
        TP_TRY(tp_phase_begin(phase, t, q, u));
        double error = correct(phase, true, phase->a);
        if (!isfinite(error) || error > phase->scale.length) return TP_NOT_CONVERGED;
        if (error <= enough || error > 0.5 * last) break;
        tp_system_change(phase->stepper->system, phase->a, 1.0, q);
        last = error;
    }
    tp_phase_project_velocities(phase, t, q, u);
    return TP_OK;
}
