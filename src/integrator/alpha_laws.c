/* Laws of a generalized-alpha step on three levels; theory/generalized-alpha.md (5)-(12). Rows on positions
   (joints, gaps) act on positions, velocities and accelerations; all others on the last two. What is found on
   one level decides whether the next one acts: then its set is switched between its own law and P = 0. */
#include "accelerations.h"
#include "alpha_step.h"
#include "system/discrete.h"
#include "system/second_level.h"
#include "tolerances.h"

#include <float.h>
#include <string.h>

int tp_alpha_set_count(const tp_law *law)
{
    return law->level == TP_LEVEL_VELOCITY ? 2 : 3;
}

/* Does row k act on positions? */
static bool is_on_positions(const tp_alpha_step *step, const tp_alpha_law *own, int k)
{
    const tp_law *law = tp_alpha_law_of(step, own);
    return law->level == TP_LEVEL_POSITION || (tp_alpha_is_contact(law) && k == 0);
}

/* ---- collecting ---- */

/* What of lambda is known in P/dt and kappa^/dt^2, (3), (6), and the start of all three: that of a constant
   force, which lies in its set. */
static void start_multipliers(tp_alpha_step *step, const tp_alpha_law *own, double start[][TP_LAW_ROWS])
{
    const tp_alpha_numbers *c = &step->numbers;
    const double *last = TP_STATE_FORCE(step->from, own->law, TP_FORCE_LAST),
                 *mean = TP_STATE_FORCE(step->from, own->law, TP_FORCE_MEAN);
    for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
        double rest = (c->force * last[k] - c->mass * mean[k]) / (1.0 - c->mass);
        step->force_mean[own->row + k] = (1.0 - c->gamma) * mean[k] + c->gamma * rest;
        step->position_mean[own->row + k] = 0.5 * (1.0 - 2.0 * c->beta) * mean[k] + c->beta * rest;
        start[TP_ALPHA_ACCELERATION][k] = last[k];
        start[TP_ALPHA_VELOCITY][k] = last[k];
        start[TP_ALPHA_POSITION][k] = 0.5 * last[k];
    }
}

/* The set of a law on a level; force bounds are those of forces, for all multipliers are. */
static tp_set set_on(const tp_alpha_step *step, const tp_alpha_law *own, int level)
{
    const tp_law *law = tp_alpha_law_of(step, own);
    tp_set set = law->set;
    if (level == TP_ALPHA_POSITION && tp_alpha_is_contact(law)) return tp_set_orthant(1);
    if (law->master_count > 0) {
        const tp_alpha_law *master = own;
        while (master->law != law->master_law) master--; /* it comes before */
        set = tp_set_following(set, master->first[level] + law->master_first, law->master_count);
    }
    if (level == TP_ALPHA_VELOCITY && step->is_static[own->law])
        tp_set_scale_friction(&set, law->static_ratio);
    return set;
}

/* Sets of a law on its levels. */
static void add_sets(tp_alpha_step *step, tp_alpha_law *own)
{
    const tp_law *law = tp_alpha_law_of(step, own);
    double start[TP_ALPHA_LEVELS][TP_LAW_ROWS];
    start_multipliers(step, own, start);
    for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
        own->set[level] = own->first[level] = -1;
        if (level == TP_ALPHA_POSITION && law->level == TP_LEVEL_VELOCITY) continue;
        if (step->is_start && level != TP_ALPHA_ACCELERATION) continue;
        own->own[level] = set_on(step, own, level);
        own->set[level] = step->problem->problem.set_count;
        own->first[level] = tp_step_problem_add_set(step->problem, &own->own[level], start[level]);
    }
}

/* Rows of joints that depend on others have no share in the step, on any level. */
static void leave_out(tp_alpha_step *step, tp_alpha_law *own)
{
    const tp_redundancy *redundancy = step->stepper->redundancy;
    const tp_law *law = tp_alpha_law_of(step, own);
    for (int k = 0; k < law->row_count; k++) {
        own->left_out[k] = 0.0;
        if (law->set.kind != TP_SET_FREE || !tp_redundancy_leaves_out(redundancy, own->law, k)) continue;
        own->left_out[k] = tp_redundancy_diagonal(redundancy, own->law, k);
        for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
            if (own->first[level] < 0) continue;
            tp_step_problem_leave_out(step->problem, own->set[level], k, own->left_out[k]);
        }
    }
}

/* Has a law the rows of one point? (13a): contacts with kinks, (13b): all contacts. */
static bool keeps_rows(const tp_alpha_step *step, int index)
{
    bool is_gap = tp_alpha_is_contact(tp_system_law(step->stepper->system, index));
    return is_gap && (step->loosens || (step->keeps_rows && step->has_kink[index]));
}

/* May a contact close in this step? Those that stay farther than their way in the step are looked at again
   after it; points that are not there at the start may come into being. */
static bool is_near(tp_alpha_step *step, int index)
{
    tp_system *system = step->stepper->system;
    double gap = tp_system_law_position(system, index), chi[TP_LAW_ROWS];
    const double *force = TP_STATE_FORCE(step->from, index, TP_FORCE_LAST),
                 *mean = TP_STATE_FORCE(step->from, index, TP_FORCE_MEAN);
    if (!isfinite(gap)) /* a point with the rows of the start must have been there */
        return step->is_missed[index] && (step->has_answer || !keeps_rows(step, index));
    if (step->is_missed[index]) return true;
    if (force[0] != 0.0 || mean[0] != 0.0 || step->from->is_closed[index]) return true;
    const int *columns, count = tp_system_columns_of(system, index, &columns);
    tp_system_law_rows(system, index, step->W, chi);
    double size = tp_row_size(count, columns, step->W, step->size);
    if (step->is_start) return gap <= tp_stepper_closing_gap(step->stepper, index);
    return gap <= 2.0 * step->dt * (step->dt * size + fabs(chi[0]));
}

/* Size of the accelerations of its rows; notes their entries in `lever`. */
static double measure_law(tp_alpha_step *step, const tp_alpha_law *own)
{
    tp_system *system = step->stepper->system;
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    double chi[TP_LAW_ROWS], largest = 0.0;
    bool is_gap = tp_alpha_is_contact(tp_alpha_law_of(step, own));
    if (is_gap && !isfinite(tp_system_law_position(system, own->law))) return 0.0; /* not there yet */
    tp_system_law_rows(system, own->law, step->W, chi);
    for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
        double size = fabs(chi[k]) / step->dt;
        for (int j = 0; j < count; j++) {
            double entry = fabs(step->W[j + k * count]);
            size += entry * step->size[columns[j]];
            step->lever[columns[j]] = fmax(step->lever[columns[j]], entry);
        }
        largest = fmax(largest, size);
    }
    return largest;
}

/* (13b): is a contact closed in the middle of the step, by its gap and velocity at the start? */
static bool closes_by_start(tp_alpha_step *step, int index)
{
    tp_system *system = step->stepper->system;
    double gap = tp_system_law_position(system, index), chi[TP_LAW_ROWS];
    if (!isfinite(gap)) return false;
    tp_system_law_rows(system, index, step->W, chi);
    double velocity = chi[0] + tp_row_velocity(tp_system_law_column_count(system, index),
                                               tp_system_law_columns(system, index), step->W, step->from->u);
    return gap + 0.5 * step->dt * velocity <= tp_stepper_closing_gap(step->stepper, index);
}

/* Rows that are kept: those of the start, or of the last answer, with the gap there; (13a). */
static void keep_rows(tp_alpha_step *step)
{
    tp_system *system = step->stepper->system;
    if (step->has_answer) tp_system_move(system, step->t, step->q_answer, step->from->u);
    for (int i = 0; i < step->law_count; i++) {
        tp_alpha_law *own = &step->laws[i];
        double *g = step->g_kept + own->row, *W = step->W_kept + own->place, *chi = step->chi_kept + own->row;
        if (!own->keeps_rows) continue;
        tp_system_law_positions(system, own->law, g);
        own->is_there = isfinite(g[0]);
        if (!own->is_there) continue;
        tp_system_law_rows(system, own->law, W, chi);
        if (!step->has_answer) continue;
        const int *columns = tp_system_law_columns(system, own->law);
        g[0] -= step->margin + step->dt * chi[0] +
                tp_row_velocity(tp_system_law_column_count(system, own->law), columns, W, step->way_answer);
    }
}

void tp_alpha_laws_collect(tp_alpha_step *step)
{
    tp_system *system = step->stepper->system;
    int row = 0;
    size_t place = 0;
    for (int i = 0; i < system->law_count; i++) {
        bool is_gap = tp_alpha_is_contact(tp_system_law(system, i));
        step->takes_part[i] = !is_gap || is_near(step, i);
    }
    tp_step_problem_clear(step->problem);
    step->law_count = 0;
    step->xi_scale = 0.0;
    memset(step->lever, 0, (size_t)system->u_count * sizeof(double));
    for (int i = 0; i < system->law_count; i++) {
        if (!step->takes_part[i]) continue;
        tp_alpha_law *own = &step->laws[step->law_count++];
        *own = (tp_alpha_law){.law = i, .row = row, .place = place};
        add_sets(step, own);
        leave_out(step, own);
        own->keeps_rows = keeps_rows(step, i);
        own->is_loose = own->keeps_rows && step->loosens;
        own->closes_loose = own->is_loose && closes_by_start(step, i);
        step->xi_scale = fmax(step->xi_scale, measure_law(step, own));
        row += tp_alpha_law_of(step, own)->row_count;
        place += (size_t)(tp_alpha_law_of(step, own)->row_count * tp_system_law_column_count(system, i));
    }
    keep_rows(step);
}

/* ---- the present point ---- */

/* About 1/G of each row: what its multiplier is over its acceleration. */
static void measure_rows(const tp_alpha_step *step, tp_alpha_law *own, const double *W)
{
    const tp_system *system = step->stepper->system;
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
        double G = tp_row_mobility(system, step->M, count, columns, W + k * count);
        own->r[k] = G > 0.0 ? 1.0 / G : 0.0;
    }
}

/* A point of shapes that has vanished is far away. */
static void leave_rows(tp_alpha_step *step, const tp_alpha_law *own)
{
    int count = tp_system_law_column_count(step->stepper->system, own->law),
        rows = tp_alpha_law_of(step, own)->row_count;
    memset(step->W + own->place, 0, (size_t)(rows * count) * sizeof(double));
    memset(step->chi + own->row, 0, (size_t)rows * sizeof(double));
    step->g[own->row] = step->stepper->system->model->summary.size;
}

/* Rows of the present point with their drift; or those that are kept, with the gap that they lead to; (13a).
 */
static void find_rows(tp_alpha_step *step, tp_alpha_law *own, double *g2)
{
    tp_system *system = step->stepper->system;
    int count = tp_system_law_column_count(system, own->law), rows = tp_alpha_law_of(step, own)->row_count;
    double *W = step->W + own->place, *chi = step->chi + own->row;
    memset(g2, 0, (size_t)rows * sizeof(double));
    if (!own->keeps_rows) {
        tp_system_law_positions(system, own->law, step->g + own->row);
        own->is_there = isfinite(step->g[own->row]);
        if (own->is_there) {
            tp_system_law_rows(system, own->law, W, chi);
            if (!tp_system_law_drift(system, own->law, g2)) step->has_kink[own->law] = 1;
        } else {
            leave_rows(step, own);
            step->has_kink[own->law] = 1;
        }
        own->is_exact = !step->has_kink[own->law];
        return;
    }
    if (!own->is_there) {
        leave_rows(step, own);
        return;
    }
    memcpy(W, step->W_kept + own->place, (size_t)(rows * count) * sizeof(double));
    memcpy(chi, step->chi_kept + own->row, (size_t)rows * sizeof(double));
    step->g[own->row] = step->g_kept[own->row] + step->dt * chi[0] +
                        tp_row_velocity(count, tp_system_law_columns(system, own->law), W, step->way);
}

void tp_alpha_laws_place(tp_alpha_step *step)
{
    tp_system *system = step->stepper->system;
    for (int i = 0; i < step->law_count; i++) {
        tp_alpha_law *own = &step->laws[i];
        const int *columns, count = tp_system_columns_of(system, own->law, &columns),
                            rows = tp_alpha_law_of(step, own)->row_count;
        double *W = step->W + own->place, g2[TP_LAW_ROWS];
        find_rows(step, own, g2);
        for (int k = 0; k < rows; k++) {
            int row = own->row + k;
            const double *w = W + k * count;
            step->gamma[row] = step->chi[row] + tp_row_velocity(count, columns, w, step->u);
            step->gamma_before[row] = step->chi[row] + tp_row_velocity(count, columns, w, step->from->u);
            step->gamma_rate[row] = g2[k] + tp_row_velocity(count, columns, w, step->x);
        }
        measure_rows(step, own, W);
    }
}

/* ---- residual ---- */

/* Lambda/dt and kappa/dt^2 (of rows that do not act on positions Lambda/(2 dt)); (6). */
static void impact_parts(const tp_alpha_step *step, const tp_alpha_law *own, const double *P, int k,
                         double *Lambda, double *kappa)
{
    const tp_alpha_numbers *c = &step->numbers;
    double lambda = P[own->first[TP_ALPHA_ACCELERATION] + k];
    *Lambda = *kappa = 0.0;
    if (step->is_start || own->left_out[k] > 0.0) return;
    *Lambda =
        P[own->first[TP_ALPHA_VELOCITY] + k] - step->force_mean[own->row + k] - c->gamma * c->c0 * lambda;
    *kappa = 0.5 * *Lambda;
    if (is_on_positions(step, own, k))
        *kappa = P[own->first[TP_ALPHA_POSITION] + k] - step->position_mean[own->row + k] -
                 c->beta * c->c0 * lambda;
}

/* How far xi of the rows of a law that slip is held away: far beyond what accelerations change. */
static double pull(const tp_alpha_step *step, const tp_alpha_law *own)
{
    double largest = step->xi_scale;
    for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++)
        largest = fmax(largest, fabs(step->gamma_rate[own->row + k]));
    return tp_alpha_pull * largest;
}

void tp_alpha_laws_residual(const tp_alpha_step *step, const double *P, double *F, double *xi)
{
    const tp_system *system = step->stepper->system;
    int m = system->u_count;
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        const int *columns, count = tp_system_columns_of(system, own->law, &columns);
        for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
            const double *W = step->W + own->place + (size_t)(k * count);
            double lambda = P[own->first[TP_ALPHA_ACCELERATION] + k], Lambda, kappa;
            impact_parts(step, own, P, k, &Lambda, &kappa);
            for (int j = 0; j < count && !(own->left_out[k] > 0.0); j++) {
                F[columns[j]] -= W[j] * lambda;
                F[m + columns[j]] -= W[j] * Lambda;
                F[2 * m + columns[j]] -= W[j] * kappa;
            }
            int row = own->row + k;
            const double value[TP_ALPHA_LEVELS] = {
                step->g[row] / (step->dt * step->dt), tp_alpha_impact_velocity(step, own, k),
                own->slide[k] != 0.0 || own->speed[k] > 0.0 ? pull(step, own) * own->slide[k]
                                                            : step->gamma_rate[row]};
            for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
                if (own->first[level] < 0 || k >= own->own[level].size) continue;
                int at = own->first[level] + k;
                xi[at] = own->left_out[k] > 0.0 ? own->left_out[k] * P[at] : value[level];
            }
        }
    }
}

/* ---- linearisation ---- */

/* How row k changes with positions: H, with its share in by_q, along the velocities in W_by_position and
   along the accelerations in rate_by_position. */
static void add_row_curvature(tp_alpha_step *step, const tp_alpha_law *own, const double *P, int k)
{
    tp_system *system = step->stepper->system;
    const tp_sparse *pattern = &step->problem->pattern;
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    double multiplier[TP_ALPHA_LEVELS] = {P[own->first[TP_ALPHA_ACCELERATION] + k]},
           e = tp_alpha_law_of(step, own)->restitution[k];
    double *along = step->W_by_position + own->place + (size_t)(k * count),
           *rate_along = step->rate_by_position + own->place + (size_t)(k * count);
    impact_parts(step, own, P, k, &multiplier[1], &multiplier[2]);
    tp_system_law_hessian(system, own->law, k, step->H);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < count; i++) {
            double H = step->H[i + j * count];
            if (H == 0.0) continue;
            along[j] += H * (step->u[columns[i]] + e * step->from->u[columns[i]]);
            rate_along[j] += H * step->x[columns[i]];
            int place = tp_pattern_place(pattern, columns[i], columns[j]);
            for (int level = 0; level < TP_ALPHA_LEVELS; level++)
                step->by_q[level][place] -= H * multiplier[level];
        }
    }
}

void tp_alpha_laws_add_curvature(tp_alpha_step *step, const double *P)
{
    tp_system *system = step->stepper->system;
    for (int i = 0; i < step->law_count; i++) {
        tp_alpha_law *own = &step->laws[i];
        int rows = tp_alpha_law_of(step, own)->row_count;
        size_t entries = (size_t)(rows * tp_system_law_column_count(system, own->law)) * sizeof(double);
        memset(step->rate_by_position + own->place, 0, entries);
        memset(step->rate_by_velocity + own->place, 0, entries);
        memset(step->W_by_position + own->place, 0, entries);
        if (own->keeps_rows || !own->is_there) continue;
        tp_system_law_drift_jacobian(system, own->law, step->rate_by_position + own->place,
                                     step->rate_by_velocity + own->place);
        for (int k = 0; k < rows; k++) {
            if (!(own->left_out[k] > 0.0)) add_row_curvature(step, own, P, k);
        }
    }
}

/* A row of derivatives by positions over the columns of a law: seen from the start; (11). */
static void turn_row(const tp_alpha_step *step, int count, const int *columns, double *row)
{
    const tp_system *system = step->stepper->system;
    for (int j = 0; j + 2 < count; j++) {
        int body = system->turn_of[columns[j]];
        if (body == TP_GROUND || TP_LIST_AT(system->model->bodies, tp_body, body)->kind != TP_BODY_RIGID)
            continue;
        const double *T = step->turn + 9 * body, old[3] = {row[j], row[j + 1], row[j + 2]};
        for (int c = 0; c < 3; c++)
            row[j + c] = old[0] * T[3 * c] + old[1] * T[1 + 3 * c] + old[2] * T[2 + 3 * c];
    }
}

/* Row k of those that slip by a, v and w: k (1 - d d^T)/|gamma| times the derivatives of gamma, and along d
   those of gamma'; (10a). */
static void put_slide(tp_alpha_step *step, const tp_alpha_law *own, int k)
{
    const tp_system *system = step->stepper->system;
    const tp_set *set = &own->own[TP_ALPHA_ACCELERATION];
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    double *by_a = step->row[0], *by_v = step->row[1], *by_q = step->row[2], dt = step->dt,
           least = tp_alpha_least_slip * step->xi_scale * dt;
    memset(by_a, 0, (size_t)count * sizeof(double));
    memset(by_v, 0, (size_t)count * sizeof(double));
    memset(by_q, 0, (size_t)count * sizeof(double));
    for (int i = 0; i < set->size; i++) {
        if (tp_slip_group(set, i) != tp_slip_group(set, k)) continue;
        size_t at = own->place + (size_t)(i * count);
        double along = own->slide[k] * own->slide[i],
               across = pull(step, own) / fmax(own->speed[k], least) * ((i == k ? 1.0 : 0.0) - along);
        for (int j = 0; j < count; j++) {
            double W = step->W[at + (size_t)j], rate = step->rate_by_velocity[at + (size_t)j];
            by_a[j] += along * (W + step->velocity_share * rate) + across * step->velocity_share * W;
            by_v[j] += dt * (along * rate + across * W);
            by_q[j] +=
                along * step->rate_by_position[at + (size_t)j] + across * step->W_by_position[at + (size_t)j];
        }
    }
    turn_row(step, count, columns, by_q);
    for (int j = 0; j < count; j++) {
        by_a[j] += step->position_share * by_q[j];
        by_q[j] *= dt * dt;
    }
}

/* Row k on one level: by a, v and w; A and C of (12). */
static void put_row(tp_alpha_step *step, const tp_alpha_law *own, int level, int k)
{
    const tp_system *system = step->stepper->system;
    const tp_alpha_numbers *c = &step->numbers;
    const int *columns, count = tp_system_columns_of(system, own->law, &columns);
    size_t at = own->place + (size_t)(k * count);
    const double *W = step->W + at, dt = step->is_start ? 0.0 : step->dt, cu = step->velocity_share,
                 cq = step->position_share;
    bool on_positions = is_on_positions(step, own, k);
    double *by_q = step->row[2], *by_a = step->row[0];
    tp_block_column A = {.count = count, .columns = columns, .in = {W, W, W}},
                    Ct = {count, columns, {0.0}, {NULL}};
    if (level == TP_ALPHA_POSITION) {
        A.factor[2] = 1.0;
        for (int j = 0; j < count; j++) by_q[j] = W[j];
        if (!own->keeps_rows) turn_row(step, count, columns, by_q);
        Ct.factor[0] = c->beta * c->c0;
        Ct.factor[2] = 1.0;
        Ct.in[0] = Ct.in[2] = by_q;
    } else if (level == TP_ALPHA_VELOCITY) {
        A.factor[1] = 1.0;
        A.factor[2] = on_positions ? 0.0 : 0.5;
        for (int j = 0; j < count; j++) by_q[j] = step->W_by_position[at + (size_t)j];
        turn_row(step, count, columns, by_q);
        for (int j = 0; j < count; j++) by_a[j] = c->gamma * c->c0 * W[j] + cq / step->dt * by_q[j];
        Ct.factor[0] = Ct.factor[1] = 1.0;
        Ct.factor[2] = dt;
        Ct.in[0] = by_a;
        Ct.in[1] = W;
        Ct.in[2] = by_q;
    } else {
        A.factor[0] = 1.0;
        A.factor[1] = step->is_start ? 0.0 : -c->gamma * c->c0;
        A.factor[2] = step->is_start ? 0.0 : on_positions ? -c->beta * c->c0 : -0.5 * c->gamma * c->c0;
        for (int j = 0; j < count; j++) by_q[j] = step->rate_by_position[at + (size_t)j];
        turn_row(step, count, columns, by_q);
        for (int j = 0; j < count; j++)
            by_a[j] = W[j] + cu * step->rate_by_velocity[at + (size_t)j] + cq * by_q[j];
        Ct.factor[0] = 1.0;
        Ct.factor[1] = dt;
        Ct.factor[2] = dt * dt;
        Ct.in[0] = by_a;
        Ct.in[1] = step->rate_by_velocity + at;
        Ct.in[2] = by_q;
    }
    if (level == TP_ALPHA_ACCELERATION && own->speed[k] > 0.0 && !step->is_start) {
        put_slide(step, own, k);
        for (int i = 0; i < TP_ALPHA_LEVELS; i++) Ct.in[i] = step->row[i];
        Ct.factor[0] = Ct.factor[1] = Ct.factor[2] = 1.0;
    }
    if (own->left_out[k] > 0.0) A.count = Ct.count = 0;
    tp_step_problem_put_row(step->problem, own->first[level] + k, &A, &Ct);
}

void tp_alpha_laws_put(tp_alpha_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
            for (int k = 0; k < own->own[level].size && own->first[level] >= 0; k++)
                put_row(step, own, level, k);
        }
    }
}

/* Rounding errors of xi: positions and velocities are known to rounding. */
void tp_alpha_laws_measure(tp_alpha_step *step)
{
    const tp_system *system = step->stepper->system;
    const double *position = step->work;
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        const int *columns, count = tp_system_columns_of(system, own->law, &columns);
        for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
            size_t at = own->place + (size_t)(k * count);
            double noise[TP_ALPHA_LEVELS] = {0.0, fabs(step->chi[own->row + k]), 0.0};
            for (int j = 0; j < count; j++, at++) {
                double x = position[columns[j]], u = fabs(step->u[columns[j]]);
                noise[0] += fabs(step->W[at]) * x;
                noise[1] += fabs(step->W[at]) * u + fabs(step->W_by_position[at]) * x;
                noise[2] += fabs(step->rate_by_velocity[at]) * u + fabs(step->rate_by_position[at]) * x;
            }
            noise[0] /= step->dt * step->dt;
            noise[1] /= step->dt;
            for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
                if (own->first[level] >= 0 && k < own->own[level].size)
                    step->xi_noise[own->first[level] + k] = DBL_EPSILON * noise[level];
            }
        }
    }
}

/* ---- the answer ---- */

/* The least gap that rounding leaves [m]. */
static double least_gap(const tp_alpha_step *step)
{
    return -tp_alpha_overlap * step->stepper->system->model->summary.size;
}

bool tp_alpha_laws_overlap(const tp_alpha_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        bool is_gap = tp_alpha_is_contact(tp_alpha_law_of(step, own));
        if (is_gap && !own->keeps_rows && step->g[own->row] < least_gap(step)) return true;
    }
    return false;
}

bool tp_alpha_laws_miss(tp_alpha_step *step, bool is_late)
{
    tp_system *system = step->stepper->system;
    bool misses = false;
    double worst = 0.0;
    for (int i = 0; i < system->law_count; i++) {
        double least = step->takes_part[i] ? least_gap(step) : 0.0;
        if (!tp_alpha_is_contact(tp_system_law(system, i)) || !(tp_system_law_position(system, i) < least))
            continue;
        /* what has a part has it with rows of the present point, or with rows that were kept before */
        if (step->takes_part[i] && !keeps_rows(step, i)) continue;
        misses = true;
        step->is_missed[i] = 1;
        worst = fmax(worst, -tp_system_law_position(system, i));
    }
    step->has_answer = step->keeps_rows;
    step->margin = is_late ? worst : 0.0;
    memcpy(step->q_answer, step->q, (size_t)system->q_count * sizeof(double));
    memcpy(step->way_answer, step->way, (size_t)system->u_count * sizeof(double));
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
            if (!(own->left_out[k] > 0.0) || fabs(step->g[own->row + k]) <= tp_left_out_error) continue;
            tp_redundancy_keep(step->stepper->redundancy, own->law, k);
            misses = true;
        }
    }
    return misses;
}

int tp_alpha_laws_find_kink(const tp_alpha_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        if (step->has_kink[step->laws[i].law] && step->laws[i].is_closed) return step->laws[i].law;
    }
    return -1;
}

/* lambda, its mean for the next step, and Lambda; (3), (6). */
void tp_alpha_laws_keep_forces(const tp_alpha_step *step, tp_state *to)
{
    const tp_alpha_numbers *c = &step->numbers;
    const double *P = step->problem->P;
    for (int part = 0; part < TP_FORCE_PARTS; part++)
        memset(to->force[part], 0, (size_t)step->stepper->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        const double *last = TP_STATE_FORCE(step->from, own->law, TP_FORCE_LAST),
                     *mean = TP_STATE_FORCE(step->from, own->law, TP_FORCE_MEAN);
        for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++) {
            double lambda = P[own->first[TP_ALPHA_ACCELERATION] + k], Lambda, kappa, next = lambda;
            impact_parts(step, own, P, k, &Lambda, &kappa);
            if (!step->is_start)
                next = (c->force * last[k] + (1.0 - c->force) * lambda - c->mass * mean[k]) / (1.0 - c->mass);
            if (lambda == 0.0 && fabs(next) <= DBL_EPSILON * own->r[k] * step->xi_scale) next = 0.0;
            TP_STATE_FORCE(to, own->law, TP_FORCE_LAST)[k] = lambda;
            TP_STATE_FORCE(to, own->law, TP_FORCE_MEAN)[k] = next;
            TP_STATE_FORCE(to, own->law, TP_FORCE_IMPACT)[k] = step->dt * Lambda;
        }
    }
}

void tp_alpha_laws_keep(const tp_alpha_step *step, tp_state *to, tp_step_report *report)
{
    size_t laws = (size_t)step->stepper->system->law_count;
    memset(to->impulse, 0, laws * TP_LAW_ROWS * sizeof(double));
    memset(to->is_closed, 0, laws);
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        const double *p = step->problem->P + own->first[TP_ALPHA_VELOCITY];
        bool is_gap = tp_alpha_is_contact(tp_alpha_law_of(step, own));
        to->is_closed[own->law] = own->is_closed;
        report->contact_count += is_gap && own->is_closed;
        if (is_gap && !(own->is_closed && p[0] > 0.0)) continue; /* rounding alone */
        for (int k = 0; k < tp_alpha_law_of(step, own)->row_count; k++)
            to->impulse[own->law * TP_LAW_ROWS + k] = step->dt * p[k];
    }
    tp_alpha_laws_keep_forces(step, to);
}
