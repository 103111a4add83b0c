/* Laws in the smooth step of the energy-consistent schemes: rows at its start, in the middle and at its end,
   and their share of F and xi; theory/consistent.md (5), (6), (13)-(19). */
#include "consistent_laws.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The set of a law in this step; one that follows another's rows finds them. */
static tp_set set_of(const tp_consistent_step *step, const tp_law *law)
{
    tp_set set = law->set;
    for (int k = 0; k < 6 && law->is_force_bound; k++) set.parameter[k] *= step->dt;
    for (int i = 0; i < step->law_count && law->master_count > 0; i++) {
        if (step->laws[i].law == law->master_law)
            set = tp_set_following(set, step->laws[i].first + law->master_first, law->master_count);
    }
    return set;
}

void tp_consistent_step_add_law(tp_consistent_step *step, int index, const double *P0)
{
    tp_system *system = step->stepper->system;
    const tp_law *law = tp_system_law(step->stepper->system, index);
    tp_consistent_law *own = &step->laws[step->law_count];
    const tp_consistent_law *last = own - 1;
    size_t place = 0;
    if (step->law_count > 0)
        place = last->place + (size_t)tp_consistent_law_of(step, last)->row_count *
                                  (size_t)tp_system_law_column_count(system, last->law);
    *own = (tp_consistent_law){.law = index, .second = -1, .place = place};
    own->is_joint = law->level == TP_LEVEL_POSITION;
    bool on_positions =
        step->scheme.laws_on == TP_CONSISTENT_DISPLACEMENTS || step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    own->is_discrete =
        own->is_joint || (on_positions && tp_law_has_smooth_gap(system, index) && !step->directions_at_start);
    tp_set set = set_of(step, law);
    own->first = tp_step_problem_add_set(step->problem, &set, P0);
    own->has_rates = own->is_joint && step->scheme.has_velocity_level;
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    bool is_constraint = law->level == TP_LEVEL_VELOCITY && law->set.kind == TP_SET_FREE;
    own->is_ideal = on_impulses && is_constraint;
    own->is_middle = on_positions && is_constraint;
    if (own->has_rates || (own->is_joint && on_impulses) || own->is_ideal)
        own->second = tp_step_problem_add_set(step->problem, &set, NULL);
    step->law_count++;

    double chi[TP_LAW_ROWS], *W = step->W_begin + place;
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    tp_system_law_rows(system, index, W, chi);
    tp_system_law_positions(system, index, step->g_begin + own->first);
    memcpy(step->W_middle + place, W, (size_t)(law->row_count * count) * sizeof(double));
    memcpy(step->W_end + place, W, (size_t)(law->row_count * count) * sizeof(double));
    for (int k = 0; k < law->row_count; k++) {
        step->restitution[own->first + k] = on_impulses && step->settles ? 1.0 : law->restitution[k];
        tp_system_law_stretch(system, index, k, step->stretch_begin + place + k * count);
        step->xi_scale = fmax(step->xi_scale, tp_row_size(count, columns, W + k * count, step->size));
    }
}

void tp_consistent_step_leave_out(tp_consistent_step *step, const tp_redundancy *redundancy)
{
    tp_consistent_law *own = &step->laws[step->law_count - 1];
    int last = step->problem->problem.set_count - 1, first = own->second >= 0 ? last - 1 : last;
    for (int k = 0; k < tp_consistent_law_of(step, own)->row_count && own->is_joint; k++) {
        if (!tp_redundancy_leaves_out(redundancy, own->law, k)) continue;
        own->left_out[k] = tp_redundancy_diagonal(redundancy, own->law, k);
        for (int set = first; set <= last; set++)
            tp_step_problem_leave_out(step->problem, set, k, own->left_out[k]);
    }
}

bool tp_consistent_step_keep_needed(const tp_consistent_step *step, tp_redundancy *redundancy)
{
    int needed = 0;
    if (step->scheme.has_velocity_level)
        return false; /* nothing else holds them, (12) has rows of the start */
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
            if (!(own->left_out[k] > 0.0) || fabs(step->g_end[own->first + k]) <= tp_left_out_error) continue;
            tp_redundancy_keep(redundancy, own->law, k);
            needed++;
        }
    }
    return needed > 0;
}

/* ---- at a point ---- */

int tp_consistent_turn_before(const tp_consistent_step *step, const tp_consistent_law *own, int c)
{
    const tp_system *system = step->stepper->system;
    const int *columns = tp_system_law_columns(system, own->law);
    for (int first = c; first >= 0 && first > c - 3; first--) {
        int body = system->turn_of[columns[first]];
        if (body < 0) continue;
        return TP_LIST_AT(system->model->bodies, tp_body, body)->kind == TP_BODY_RIGID ? first : -1;
    }
    return -1;
}

tp_chord tp_consistent_chord(const tp_consistent_step *step, const tp_consistent_law *own)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    const tp_metric *metric = tp_metric_of(step->stepper->system, &step->metric, count, columns);
    tp_chord chord =
        tp_chord_make(step->stepper->system->unit, count, columns, step->position_size, metric, step->d);
    if (tp_consistent_law_of(step, own)->source == TP_SOURCE_PAIR)
        tp_chord_take_out_translation(&chord, step->stepper->system);
    return chord;
}

/* H^T u of row k at the present point: how its velocity changes along each velocity. */
static void row_rate(tp_consistent_step *step, const tp_consistent_law *own, int k, double *rate)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
    for (int i = 0; i < count; i++) {
        rate[i] = 0.0;
        for (int j = 0; j < count; j++) rate[i] += step->H[j + i * count] * step->u_end[columns[j]];
    }
}

/* Rows of friction and of laws on velocities have the directions of the start, seen from the middle; those of
   the hybrid are held fast in the world. */
static void keep_begin_rows(tp_consistent_step *step, const tp_consistent_law *own, bool at_end, double *W)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    for (int k = tp_consistent_discrete_rows(step, own); k < tp_consistent_law_of(step, own)->row_count;
         k++) {
        size_t at = own->place + (size_t)(k * count);
        memcpy(W + k * count, step->W_begin + at, (size_t)count * sizeof(double));
        if (step->scheme.laws_on == TP_CONSISTENT_VELOCITIES)
            tp_midpoint_world_row(step->midpoint, count, columns, W + k * count);
        else if (at_end)
            tp_midpoint_begin_displacement(step->midpoint, count, columns, step->stretch_begin + at,
                                           W + k * count);
        else
            tp_midpoint_begin_row(step->midpoint, count, columns, step->stretch_begin + at, W + k * count);
    }
}

void tp_consistent_laws_end(tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                            rows = tp_consistent_discrete_rows(step, own);
        double chi[TP_LAW_ROWS], *W = step->W_end + own->place;
        if (rows > 0) {
            tp_system_law_positions(step->stepper->system, own->law, step->g_end + own->first);
            tp_system_law_rows(step->stepper->system, own->law, W, chi);
        }
        for (int k = 0; k < rows; k++) {
            double *rate = step->rate_end + own->place + k * count;
            if (own->has_rates) {
                row_rate(step, own, k, rate);
                step->gamma_end[own->first + k] = tp_row_velocity(count, columns, W + k * count, step->u_end);
                memcpy(step->W_last + own->place + k * count, W + k * count, (size_t)count * sizeof(double));
                tp_midpoint_end_row(step->midpoint, count, columns, rate);
            }
            tp_midpoint_end_row(step->midpoint, count, columns, W + k * count);
        }
        if (!own->is_middle) keep_begin_rows(step, own, true, W);
    }
}

/* In F2 the rows of the start change the velocity of the momentum by J^-1 W K, whose gyroscopic moment is
   f W K x w_m. Dgamma has the opposite one, w+ x W in the middle: to third order, which a tiny moment of
   inertia about an axis does not forgive. It gets the very same instead; (6a). */
static void balance_rate(const tp_consistent_step *step, const tp_consistent_law *own, const double *W_middle,
                         const double *W_begin, double *rate)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    for (int c = 0; c < count; c++) {
        if (tp_consistent_turn_before(step, own, c) != c) continue;
        tp_vec3 w_end = tp_vec3_from_array(step->u_end + columns[c]),
                turning = tp_midpoint_turning(step->midpoint, step->stepper->system->turn_of[columns[c]]);
        tp_vec3 moment = tp_vec3_sub(tp_vec3_cross(turning, tp_vec3_from_array(W_begin + c)),
                                     tp_vec3_cross(w_end, tp_vec3_from_array(W_middle + c)));
        rate[c] += moment.x;
        rate[c + 1] += moment.y;
        rate[c + 2] += moment.z;
    }
}

/* Rounding error of the positions in a row, through its direction. */
static double rise_error(const tp_consistent_step *step, const tp_consistent_law *own, int k)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    double error = 0.0;
    for (int j = 0; j < count; j++)
        error += DBL_EPSILON *
                 fabs(step->W_begin[own->place + (size_t)(j + k * count)] * step->position_size[columns[j]]);
    return error;
}

void tp_consistent_laws_middle(tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        tp_consistent_law *own = &step->laws[i];
        const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                            rows = tp_consistent_discrete_rows(step, own);
        double chi[TP_LAW_ROWS], *W = step->W_middle + own->place;
        if (rows > 0) tp_system_law_rows(step->stepper->system, own->law, W, chi);
        tp_chord chord = tp_consistent_chord(step, own);
        for (int k = 0; k < rows; k++) {
            int row = own->first + k;
            double rise = step->g_end[row] - step->g_begin[row],
                   *rate = step->rate_middle + own->place + k * count;
            const double *W_begin = step->W_begin + own->place + k * count;
            tp_midpoint_scale_row(step->midpoint, count, columns, W + k * count);
            if (own->has_rates) {
                row_rate(step, own, k, rate);
                balance_rate(step, own, W + k * count, W_begin, rate);
                double before = tp_row_velocity(count, columns, W_begin, step->u_end);
                tp_chord_correct(&chord, step->gamma_end[row] - before, 0.0, rate);
            }
            double error = rise_error(step, own, k);
            own->slope[k] = tp_chord_correct(&chord, rise, error, W + k * count);
        }
        if (own->is_middle)
            tp_system_law_rows(step->stepper->system, own->law, W, chi);
        else
            keep_begin_rows(step, own, false, W);
    }
}

/* ---- F and xi ---- */

/* F -= factor times a row; nothing for P = 0. */
static void subtract_row(int count, const int *columns, const double *row, double factor, double *F)
{
    for (int j = 0; j < count; j++) F[columns[j]] -= factor * row[j];
}

/* Row k of a joint; (13), (14), (31). */
static void apply_joint_row(const tp_consistent_step *step, const tp_consistent_law *own, int k,
                            const double *P, double *F, double *xi)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                        m = step->stepper->system->u_count, row = own->first + k, second = own->second + k;
    size_t at = own->place + (size_t)(k * count);
    if (own->left_out[k] > 0.0) {
        xi[row] = own->left_out[k] * P[row];
        if (own->second >= 0) xi[second] = own->left_out[k] * P[second];
        return;
    }
    subtract_row(count, columns, step->W_middle + at, P[row], F);
    xi[row] = own->has_rates ? step->gamma_end[row] : step->g_end[row] / step->dt;
    if (own->has_rates) {
        subtract_row(count, columns, step->rate_middle + at, step->dt * P[second], F);
        subtract_row(count, columns, step->W_begin + at, P[second], F + m);
        xi[second] = -step->g_end[row] / step->dt;
    } else if (own->second >= 0) {
        subtract_row(count, columns, step->W_middle + at, P[second], F + m);
        xi[second] = tp_row_velocity(count, columns, step->W_middle + at, step->x);
    }
}

double tp_consistent_contact_velocity(const tp_consistent_step *step, const tp_consistent_law *own, int k)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns), row = own->first + k;
    size_t at = own->place + (size_t)(k * count);
    const double *W = step->W_middle + at, *W_begin = step->W_begin + at;
    switch (step->scheme.laws_on) {
    case TP_CONSISTENT_JOINTS_ONLY:
    case TP_CONSISTENT_DISPLACEMENTS: return tp_row_velocity(count, columns, W, step->u_middle);
    case TP_CONSISTENT_VELOCITIES:
        return tp_row_velocity(count, columns, W_begin, step->u_end) +
               step->restitution[row] * tp_row_velocity(count, columns, W_begin, step->u_before);
    case TP_CONSISTENT_IMPULSES: break;
    }
    if (own->is_ideal) return tp_row_velocity(count, columns, W, step->u_middle);
    return tp_row_velocity(count, columns, W, step->u_middle) +
           0.5 * tp_consistent_impulse_share(step, row) * tp_row_velocity(count, columns, W, step->x);
}

void tp_consistent_laws_apply(const tp_consistent_step *step, const double *P, double *F, double *xi)
{
    int m = step->stepper->system->u_count;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const int *columns, count = tp_consistent_columns_of(step, own, &columns);
        for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
            const double *W = step->W_middle + own->place + k * count;
            double p = P[own->first + k];
            if (own->is_joint) {
                apply_joint_row(step, own, k, P, F, xi);
                continue;
            }
            subtract_row(count, columns, W, p, F);
            xi[own->first + k] = tp_consistent_contact_velocity(step, own, k);
            if (own->is_ideal) {
                p = P[own->second + k];
                xi[own->second + k] = tp_row_velocity(count, columns, W, step->x);
            }
            if (step->scheme.laws_on == TP_CONSISTENT_IMPULSES) subtract_row(count, columns, W, p, F + m);
        }
    }
}

/* Energies are balanced along the displacement, at the velocity of the middle. A joint holds its positions,
   so that it takes none; what its second row adds to the momenta belongs to its law too. */
void tp_consistent_laws_book(const tp_consistent_step *step, tp_account *account)
{
    const double *P = step->problem->P;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
            tp_account_row row =
                tp_account_law_row(step->stepper->system, own->law, k, step->W_middle + own->place, 0.0);
            if (own->left_out[k] > 0.0) continue;
            tp_account_add(account, &row, P[own->first + k], step->u_middle, step->u_middle);
            if (!own->is_joint || !own->has_rates) continue;
            row = tp_account_law_row(step->stepper->system, own->law, k, step->rate_middle + own->place, 0.0);
            tp_account_add(account, &row, step->dt * P[own->second + k], NULL, NULL);
        }
    }
}

double tp_consistent_law_work(const tp_consistent_step *step)
{
    double work = 0.0;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const int *columns, count = tp_consistent_columns_of(step, own, &columns);
        for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
            const double *W = step->W_middle + own->place + k * count;
            if (!(own->left_out[k] > 0.0))
                work += step->problem->P[own->first + k] * tp_row_velocity(count, columns, W, step->u_middle);
        }
    }
    return work;
}

/* ---- rounding errors ---- */

/* Rounding errors of the positions of a law: in xi, and in F through its discrete derivatives. */
static void measure_law(tp_consistent_step *step, const tp_consistent_law *own, const double *P)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                        rows = tp_consistent_discrete_rows(step, own);
    tp_chord chord = tp_consistent_chord(step, own);
    for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
        double error = k < rows ? rise_error(step, own, k) : 0.0;
        step->xi_noise[own->first + k] = own->has_rates ? 0.0 : error / step->dt;
        if (own->second >= 0) step->xi_noise[own->second + k] = own->has_rates ? error / step->dt : 0.0;
        for (int j = 0; j < count && k < rows && !chord.is_short; j++)
            step->F_noise[columns[j]] +=
                fabs(P[own->first + k]) * error * fabs(tp_chord_along(&chord, j)) / chord.squared_length;
    }
}

void tp_consistent_laws_measure(tp_consistent_step *step, const double *P)
{
    for (int i = 0; i < step->law_count; i++) measure_law(step, &step->laws[i], P);
}
