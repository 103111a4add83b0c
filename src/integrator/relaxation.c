/* One evaluation of the relaxed motion; docs/theory/relaxed-dai.md (4)-(6). */
#include "relaxation.h"

#include "system/second_level.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- restitution (7)-(9) ---- */

/* Restitution 0.01 with a gate; more damping is as stiff as it is large. */
const double tp_relaxed_largest_zeta = 5.0;

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

tp_status tp_relaxed_point_take(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_point *point_out)
{
    size_t laws = (size_t)stepper->problem->capacity_sets;
    *point_out = (tp_relaxed_point){.force = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS),
                                    .zeta = TP_ARENA_ARRAY(arena, double, laws),
                                    .takes_part = TP_ARENA_ARRAY(arena, bool, laws),
                                    .is_held = TP_ARENA_ARRAY(arena, bool, laws),
                                    .expected = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS),
                                    .body_of = TP_ARENA_ARRAY(arena, int, stepper->system->u_count),
                                    .position_size = TP_ARENA_ARRAY(arena, double, stepper->system->u_count),
                                    .row_force = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS)};
    TP_TRY(tp_arena_status(arena));
    for (int b = 0; b < stepper->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(stepper->model->bodies, tp_body, b);
        for (int j = 0; j < body->u_count; j++) point_out->body_of[body->u_first + j] = b + 1;
    }
    return TP_OK;
}

static bool is_normal_row(const tp_law *law, int k)
{
    return law->level == TP_LEVEL_GAP && k == 0;
}

/* b of (4) into point->row_force; returns the largest sum of the sizes of its terms: a gap is a difference of
   positions, and has their rounding. */
double tp_relaxed_row_forces(const tp_stepper *stepper, const tp_relaxation *relaxation,
                             const tp_law_rows *rows, tp_relaxed_point *point)
{
    tp_system *system = stepper->system;
    double g[TP_LAW_ROWS], g2[TP_LAW_ROWS], largest = 0.0;
    double *b = point->row_force + (size_t)rows->index * TP_LAW_ROWS;
    tp_system_law_positions(system, rows->index, g);
    tp_system_law_drift(system, rows->index, g2);
    for (int k = 0; k < rows->law->row_count; k++) {
        double zeta = relaxation->zeta;
        if (zeta == 0.0) zeta = is_normal_row(rows->law, k) ? point->zeta[rows->index] : 0.5;
        double rate = 2.0 * zeta / relaxation->delta,
               stiffness = 1.0 / (relaxation->delta * relaxation->delta);
        b[k] = g2[k] + rate * rows->gamma[k] + stiffness * g[k];
        const double *W = rows->W + k * rows->count;
        double moving = fabs(rows->chi[k]) + tp_row_size(rows->count, rows->columns, W, system->u),
               placed = fabs(g[k]) + tp_row_size(rows->count, rows->columns, W, point->position_size);
        largest = fmax(largest, fabs(g2[k]) + rate * moving + stiffness * placed);
    }
    return largest;
}

/* (21): the springs at the end of the step, with velocities gamma + dt (W^T a + g2) and gaps by them. */
static double find_spring_forces(const tp_stepper *stepper, const tp_relaxed_springs *springs,
                                 const tp_law_rows *rows, tp_relaxed_point *point)
{
    size_t first = (size_t)rows->index * TP_LAW_ROWS;
    double g[TP_LAW_ROWS], g2[TP_LAW_ROWS], largest = 0.0, dt = springs->dt;
    double K = springs->spring.stiffness, beta = springs->spring.damping_time;
    tp_system_law_positions(stepper->system, rows->index, g);
    tp_system_law_drift(stepper->system, rows->index, g2);
    for (int k = 0; k < rows->law->row_count; k++) {
        double mean = springs->mean[first + (size_t)k], pull;
        if (is_normal_row(rows->law, k))
            pull = (g[k] + (beta - springs->spring.yielding) * mean / (K * (dt + beta))) / (dt * dt);
        else if (rows->law->level == TP_LEVEL_POSITION)
            pull = g[k] / (dt * (dt + beta));
        else
            pull = -mean / (K * dt * (dt + beta));
        point->row_force[first + (size_t)k] = g2[k] + rows->gamma[k] / dt + pull;
        double moving = fabs(rows->chi[k]) + tp_row_size(rows->count, rows->columns,
                                                         rows->W + k * rows->count, stepper->system->u);
        largest = fmax(largest, fabs(g2[k]) + moving / dt + fabs(pull));
    }
    return largest;
}

/* xi per force of the springs of the law that was added last; (21). */
static void add_compliance(tp_stepper *stepper, const tp_relaxed_springs *springs, const tp_law *law)
{
    tp_block_matrix *D = &stepper->problem->problem.D;
    double *block = D->value + D->offset[stepper->problem->problem.set_count - 1], dt = springs->dt;
    double soft = 1.0 / (dt * springs->spring.stiffness * (dt + springs->spring.damping_time));
    for (int k = 0; k < law->row_count; k++)
        block[k * (law->row_count + 1)] =
            is_normal_row(law, k) ? soft * (dt + springs->spring.yielding) / dt : soft;
}

/* How fast the forces alone change the velocity of a row, roughly. */
double tp_relaxed_free_change(const tp_stepper *stepper, const tp_law_rows *rows)
{
    return tp_row_change(stepper->system, stepper->M, rows->count, rows->columns, rows->W, stepper->h);
}

/* Contacts that may push, and all other laws. */
static bool may_push(const tp_stepper *stepper, const tp_relaxation *relaxation, const tp_law_rows *rows,
                     const tp_relaxed_point *point)
{
    size_t first = (size_t)rows->index * TP_LAW_ROWS;
    if (rows->law->level != TP_LEVEL_GAP) return true;
    if (relaxation->gate && tp_system_law_position(stepper->system, rows->index) > 0.0) return false;
    if (stepper->options->relaxed.counted > 1) return true; /* else solutions in which it pushes are missed */
    return point->force[first] > 0.0 ||
           point->row_force[first] <= tp_likely_factor * tp_relaxed_free_change(stepper, rows);
}

static void add_law(tp_stepper *stepper, const tp_relaxation *relaxation, const tp_law_rows *rows,
                    const tp_relaxed_point *point)
{
    size_t first = (size_t)rows->index * TP_LAW_ROWS;
    memcpy(stepper->chi + stepper->problem->problem.row_count, rows->chi,
           (size_t)rows->law->row_count * sizeof(double));
    /* forces are bounded by forces: the time is 1 */
    tp_step_problem_add(stepper->problem, stepper->system, rows->index, rows->W, point->row_force + first,
                        rows->start, 1.0);
    if (relaxation->springs != NULL) add_compliance(stepper, relaxation->springs, rows->law);
    tp_step_problem_leave_out_redundant(stepper->problem, stepper->redundancy);
}

/* A contact whose normal no body can move along, as that of planar bodies which overlap by more than they are
   thick: no force helps. */
static bool moves_nothing(const tp_law_rows *rows)
{
    for (int j = 0; j < rows->count; j++) {
        if (rows->W[j] != 0.0) return false;
    }
    return true;
}

static void leave_out(tp_relaxed_point *point, int law)
{
    point->takes_part[law] = false;
    point->row_force[(size_t)law * TP_LAW_ROWS] = INFINITY;
}

static void collect_laws(tp_stepper *stepper, const tp_relaxation *relaxation, bool is_first,
                         tp_relaxed_point *point)
{
    tp_step_problem_begin(stepper->problem, &stepper->system->mass_pattern, stepper->M, stepper->h);
    stepper->row_size = 0.0;
    tp_system_position_sizes(stepper->system, point->position_size);
    for (int i = 0; i < stepper->system->law_count; i++) {
        tp_law_rows rows;
        const tp_law *law = tp_system_law(stepper->system, i);
        if (law->level == TP_LEVEL_GAP && !isfinite(tp_system_law_position(stepper->system, i))) {
            leave_out(point, i); /* shapes whose features do not meet here */
            continue;
        }
        tp_law_rows_at(stepper, i, point->force, stepper->system->u, stepper->problem->row, &rows);
        if (law->level == TP_LEVEL_GAP && moves_nothing(&rows)) {
            leave_out(point, i);
            continue;
        }
        double size = relaxation->springs != NULL
                          ? find_spring_forces(stepper, relaxation->springs, &rows, point)
                          : tp_relaxed_row_forces(stepper, relaxation, &rows, point);
        if (is_first) point->takes_part[i] = may_push(stepper, relaxation, &rows, point);
        if (!point->takes_part[i]) continue;
        stepper->row_size = hypot(stepper->row_size, size); /* E is a root of squares over all laws */
        add_law(stepper, relaxation, &rows, point);
    }
}

/* Contacts that were taken for open and are not, with the accelerations that were found; they take part now.
 */
static int count_missed(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point)
{
    int count = 0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        double b = point->row_force[(size_t)i * TP_LAW_ROWS], chi[TP_LAW_ROWS];
        if (point->takes_part[i] || isinf(b)) continue;
        if (relaxation->gate && tp_system_law_position(stepper->system, i) > 0.0) continue;
        tp_system_law_rows(stepper->system, i, stepper->problem->row, chi);
        point->takes_part[i] = b + tp_row_velocity(tp_system_law_column_count(stepper->system, i),
                                                   tp_system_law_columns(stepper->system, i),
                                                   stepper->problem->row, stepper->x) <
                               0.0;
        count += point->takes_part[i];
    }
    return count;
}

void tp_relaxed_keep_forces(const tp_stepper *stepper, tp_relaxed_point *point)
{
    const tp_problem *p = &stepper->problem->problem;
    memset(point->force, 0, (size_t)stepper->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < p->set_count; i++)
        memcpy(point->force + (size_t)stepper->problem->law[i] * TP_LAW_ROWS,
               stepper->problem->P + p->sets[i].first, (size_t)p->sets[i].size * sizeof(double));
}

/* Laws of the model, and contacts between shapes as they were. */
static void start_from_given(const tp_system *system, tp_relaxed_point *point)
{
    size_t rows = (size_t)system->law_count * TP_LAW_ROWS, fixed = (size_t)system->fixed_count * TP_LAW_ROWS;
    memset(point->force, 0, rows * sizeof(double));
    memcpy(point->force, point->given, fixed * sizeof(double));
    for (size_t i = fixed; i < rows && point->last != NULL; i++)
        point->force[i] = point->last[i] / point->last_time;
}

tp_status tp_relaxed_evaluate(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point,
                              tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M));
    tp_status status;
    bool is_first = true;
    if (point->given != NULL) start_from_given(system, point);
    do {
        tp_step_report part = {0};
        collect_laws(stepper, relaxation, is_first, point);
        bool is_known = point->given == NULL || point->last != NULL;
        if (!is_known && stepper->problem->problem.set_count != 1) /* same bits: from 0 */
            memset(stepper->problem->P, 0, (size_t)stepper->problem->problem.row_count * sizeof(double));
        status = tp_stepper_solve_branch(stepper, stepper->options->relaxed.branch, &part);
        report->iterations += part.iterations;
        report->work += part.work;
        report->residual = fmax(report->residual, part.residual);
        report->margin = fmax(report->margin, part.margin);
        report->solution_count =
            part.solution_count > report->solution_count ? part.solution_count : report->solution_count;
        if (!tp_stepper_accepts(stepper, status)) return status;
        tp_relaxed_keep_forces(stepper, point);
        is_first = false;
    } while (count_missed(stepper, relaxation, point) > 0);
    return status;
}

/* ---- joints that are held by forces ---- */

static bool is_joint(const tp_law *law)
{
    return law->set.kind == TP_SET_FREE && law->level != TP_LEVEL_GAP;
}

/* A contact follows (5) with its normal row while it pushes. */
static bool pushes(const tp_relaxed_point *point, const tp_law *law, int index)
{
    return law->level == TP_LEVEL_GAP && point->force[(size_t)index * TP_LAW_ROWS] > 0.0;
}

void tp_relaxed_hold(const tp_stepper *stepper, tp_relaxed_point *point)
{
    for (int i = 0; i < stepper->system->law_count; i++) {
        const tp_law *law = tp_system_law(stepper->system, i);
        if (!is_joint(law) && !pushes(point, law, i)) point->is_held[i] = false;
    }
}

/* gamma after a time, of a row that follows (5). */
static double expected_velocity(const tp_law *law, double zeta, double delta, double time, double g,
                                double gamma)
{
    double tau = time / delta, w2 = 1.0 - zeta * zeta, w = sqrt(fabs(w2)) * tau;
    if (law->level == TP_LEVEL_VELOCITY) return gamma * exp(-2.0 * zeta * tau);
    double cosine = w2 >= 0.0 ? cos(w) : cosh(w),
           sine = w < 1e-8 ? tau : (w2 > 0.0 ? sin(w) : sinh(w)) / w * tau; /* sin(w tau)/w of (5) */
    return exp(-zeta * tau) * (gamma * (cosine - zeta * sine) - g / delta * sine);
}

void tp_relaxed_expect(tp_stepper *stepper, const tp_relaxation *relaxation, double dt,
                       tp_relaxed_point *point)
{
    tp_system *system = stepper->system;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double g[TP_LAW_ROWS], zeta = relaxation->zeta > 0.0 ? relaxation->zeta : 0.5;
        bool is_contact = pushes(point, law, i);
        point->is_held[i] = is_joint(law) || is_contact;
        if (!point->is_held[i]) continue;
        if (is_contact && relaxation->zeta == 0.0) zeta = point->zeta[i];
        tp_law_rows rows;
        tp_law_rows_at(stepper, i, point->force, system->u, stepper->problem->row, &rows);
        tp_system_law_positions(system, i, g);
        for (int k = 0; k < law->row_count; k++)
            point->expected[i * TP_LAW_ROWS + k] =
                expected_velocity(law, zeta, relaxation->delta, dt, g[k], rows.gamma[k]);
    }
}

/* The same for (10): the linearised laws. */
static void expect_linearly(tp_stepper *stepper, double dt, tp_relaxed_point *point)
{
    tp_system *system = stepper->system;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double g2[TP_LAW_ROWS];
        point->is_held[i] = is_joint(law);
        if (!point->is_held[i]) continue;
        tp_law_rows rows;
        tp_law_rows_at(stepper, i, point->force, system->u, stepper->problem->row, &rows);
        tp_system_law_drift(system, i, g2);
        for (int k = 0; k < law->row_count; k++) {
            double a = tp_row_velocity(rows.count, rows.columns, rows.W + k * rows.count, stepper->x);
            point->expected[i * TP_LAW_ROWS + k] = rows.gamma[k] + dt * (a + g2[k]);
        }
    }
}

/* The local error of a turn that is resolved, as a part of the speed. */
static double resolved_share(int order)
{
    double share = 1.0, turn = order > 1 ? tp_resolved_turn_rk4 : tp_resolved_turn_euler;
    for (int k = 1; k <= order + 1; k++) share *= turn / k;
    return share;
}

/* The most that a row can have of the motion of its bodies, whichever way they go: of each |W| |u| in the
   metric of its mass. */
static double speed_of_row(const tp_stepper *stepper, const tp_relaxed_point *point, const tp_law_rows *rows,
                           const double *W, const double *u)
{
    double sum = 0.0;
    for (int j = 0; j < rows->count;) {
        int body = point->body_of[rows->columns[j]];
        double share = 0.0, motion = 0.0;
        for (; j < rows->count && point->body_of[rows->columns[j]] == body; j++) {
            int column = rows->columns[j];
            double mass = stepper->M[tp_pattern_place(&stepper->system->mass_pattern, column, column)];
            if (!(mass > 0.0)) continue;
            share += W[j] * W[j] / mass;
            motion += mass * u[column] * u[column];
        }
        sum += sqrt(share * motion);
    }
    return sum;
}

void tp_relaxed_measure_tear(tp_stepper *stepper, const tp_relaxed_point *point, const tp_state *from,
                             double dt, const tp_state *to, int order)
{
    tp_system *system = stepper->system;
    bool is_there = false;
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        double missed = 0.0, speed = 0.0;
        if (!point->is_held[i]) continue;
        if (!is_there) tp_system_move(system, to->t, to->q, to->u);
        is_there = true;
        tp_law_rows rows;
        tp_law_rows_at(stepper, i, point->force, to->u, stepper->problem->row, &rows);
        int row_count = law->level == TP_LEVEL_GAP ? 1 : law->row_count;
        for (int k = 0; k < row_count; k++) {
            if (tp_law_is_angle(law, k)) continue; /* bodies that do not turn have no scale */
            const double *W = rows.W + k * rows.count;
            double before = speed_of_row(stepper, point, &rows, W, from->u),
                   after = speed_of_row(stepper, point, &rows, W, to->u);
            speed = fmax(speed, fmax(before, after) + fabs(rows.chi[k]));
            double off = fabs(rows.gamma[k] - point->expected[i * TP_LAW_ROWS + k]);
            if (!(off <= missed)) missed = off; /* what is not a number is off, too */
        }
        double most = resolved_share(order) * (speed + dt * tp_relaxed_free_change(stepper, &rows));
        if (!(missed <= stepper->tear * most)) stepper->tear = missed < INFINITY ? missed / most : INFINITY;
    }
}

/* ---- what all steps share ---- */

void tp_relaxed_begin(tp_stepper *stepper, tp_relaxed_point *point, tp_state *to)
{
    const tp_relaxed_options *options = &stepper->options->relaxed;
    int laws = stepper->system->law_count;
    for (int i = 0; i < laws; i++)
        point->zeta[i] = tp_relaxed_damping(tp_system_law(stepper->system, i)->restitution[0], options->gate);
    memset(to->impulse, 0, (size_t)laws * TP_LAW_ROWS * sizeof(double));
    memset(to->is_closed, 0, (size_t)laws);
}

void tp_relaxed_book(tp_stepper *stepper, double time, const double *u, tp_state *to, tp_step_report *report)
{
    tp_relaxed_book_impulses(stepper, time, time, u, to, report);
}

void tp_relaxed_book_impulses(tp_stepper *stepper, double time, double factor, const double *u, tp_state *to,
                              tp_step_report *report)
{
    const tp_problem *p = &stepper->problem->problem;
    tp_account_add_forces(&stepper->account, time, stepper->h);
    for (int i = 0; i < p->set_count; i++) {
        int law = stepper->problem->law[i];
        for (int k = 0; k < p->sets[i].size; k++) {
            int row = p->sets[i].first + k, start = p->A.start[row];
            double P = factor * stepper->problem->P[row];
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

tp_status tp_relaxed_step_linearly(tp_stepper *stepper, const tp_relaxation *relaxation,
                                   tp_relaxed_point *point, double *u, const tp_state *from, double dt,
                                   tp_state *to, tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_move(system, from->t, from->q, from->u);
    tp_status status = tp_relaxed_evaluate(stepper, relaxation, point, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    expect_linearly(stepper, dt, point);
    for (int j = 0; j < system->u_count; j++) {
        to->u[j] = from->u[j] + dt * stepper->x[j];
        u[j] = 0.5 * (from->u[j] + to->u[j]);
    }
    tp_system_move(system, from->t, from->q, u);
    tp_relaxed_book(stepper, dt, u, to, report);
    tp_system_move(system, from->t, from->q, to->u);
    const double *rate = tp_system_rate(system);
    for (int i = 0; i < system->q_count; i++) to->q[i] = from->q[i] + dt * rate[i];
    tp_system_normalise(system, to->q);
    return status;
}

void tp_relaxed_end(tp_stepper *stepper, tp_state *to, tp_step_report *report)
{
    for (int i = 0; i < stepper->system->law_count; i++) {
        bool is_gap = tp_system_law(stepper->system, i)->level == TP_LEVEL_GAP;
        to->is_closed[i] = !is_gap || to->impulse[i * TP_LAW_ROWS] > 0.0 || tp_law_takes_part(stepper, i);
        report->contact_count += is_gap && to->is_closed[i];
    }
    tp_redundancy_share(stepper->redundancy, to->impulse);
}

/* The largest damping ratio of any row, and the first contact with a restitution. */
double tp_relaxed_largest_damping(const tp_stepper *stepper, const tp_law **law_out)
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

bool tp_relaxed_warn_of_restitution(const tp_stepper *stepper, tp_warning *warning)
{
    const tp_relaxed_options *options = &stepper->options->relaxed;
    const tp_law *law;
    tp_relaxed_largest_damping(stepper, &law);
    bool is_plastic = options->method != TP_RELAXED_RK4 && !stepper->integrator->info.chooses_steps;
    if (law == NULL || (options->zeta == 0.0 && !is_plastic)) return false;
    double e = is_plastic ? 0.0 : tp_relaxed_restitution(options->zeta, options->gate);
    warning->figure = e;
    snprintf(warning->subject, sizeof warning->subject, "%s", law->name);
    snprintf(warning->text, sizeof warning->text, "'%.60s' has a restitution of %.3g, but %s: %.3g",
             law->name, law->restitution[0],
             is_plastic ? "impacts of implicit steps are plastic"
                        : "relaxation_damping gives all contacts one",
             e);
    return true;
}
