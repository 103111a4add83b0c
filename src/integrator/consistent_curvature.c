/* The laws of the smooth step of the energy-consistent schemes, linearised: how their rows change with the
   unknowns, and the matrices A and C; theory/consistent.md (13)-(19), (43), (44). */
#include "consistent_laws.h"

#include <string.h>

/* Component i of e_j x W: how the moment w x W of a row changes with component j of w. */
static double turned(const double *W, int i, int j)
{
    if (i == j) return 0.0;
    double sign = (j + 1) % 3 == i ? -1.0 : 1.0;
    return sign * W[3 - i - j];
}

/* Dgamma = u+^T H - w+ x W + ... + s' N d with s' = (gamma(u+, q+) - gamma(u+, q) - (...).d)/(d.N d) is
   linear in u+; (6a), (43). Its change with positions would need third derivatives and is of fourth order in
   dt: it is left out. */
static void add_rate_curvature(tp_consistent_step *step, const tp_consistent_law *own, int k,
                               const tp_chord *chord, double factor)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    size_t at = own->place + (size_t)(k * count);
    double *by_j = step->change;
    for (int c = 0; c < count; c++) { /* of one column of H: u+^T H - w+ x W along velocity c */
        double rise = step->W_last[at + (size_t)c] - step->W_begin[at + (size_t)c];
        for (int i = 0; i < count; i++) by_j[i] = step->H[c + i * count];
        int first = tp_consistent_turn_before(step, own, c);
        for (int i = 0; i < 3 && first >= 0; i++) {
            double W[3];
            for (int e = 0; e < 3; e++)
                W[e] = step->W_middle[at + (size_t)(first + e)] -
                       own->slope[k] * tp_chord_along(chord, first + e);
            by_j[first + i] -= turned(W, i, c - first);
        }
        for (int i = 0; i < count; i++) rise -= by_j[i] * step->d[columns[i]];
        double slope = chord->is_short ? 0.0 : rise / chord->squared_length;
        for (int i = 0; i < count; i++) {
            double h = by_j[i] + slope * tp_chord_along(chord, i);
            if (h != 0.0)
                step->by_c[tp_pattern_place(&step->problem->pattern, columns[i], columns[c])] += factor * h;
        }
    }
}

/* Rows of the start turn with the middle of the step; (44). */
static void add_begin_change(tp_consistent_step *step, const tp_consistent_law *own, int k, double P,
                             double *target)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    size_t at = own->place + (size_t)(k * count);
    bool is_world = step->scheme.laws_on == TP_CONSISTENT_VELOCITIES;
    for (int c = 0; c < count; c++) {
        int body = step->stepper->system->turn_of[columns[c]];
        double change[TP_SCALABLE_TURN * TP_SCALABLE_TURN];
        if (body < 0) continue;
        int turns = tp_midpoint_begin_change(step->midpoint, body, step->W_begin + at + c,
                                             step->stretch_begin[at + (size_t)c], is_world, change);
        for (int e = 0; e < turns * turns; e++)
            target[tp_pattern_place(&step->problem->pattern, columns[c] + e % turns,
                                    columns[c] + e / turns)] -= P * change[e];
    }
}

/* H becomes the derivative of row k of a constraint on velocities along dt/2 times the mean velocity. The
   system is in the middle. */
static void middle_hessian(tp_consistent_step *step, const tp_consistent_law *own, int k)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
    tp_midpoint_middle_matrix(step->midpoint, count, columns, step->H);
}

static void add_middle_change(tp_consistent_step *step, const tp_consistent_law *own, int k, double P,
                              double *target)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    middle_hessian(step, own, k);
    for (int e = 0; e < count * count; e++) {
        if (step->H[e] != 0.0)
            target[tp_pattern_place(&step->problem->pattern, columns[e % count], columns[e / count])] -=
                0.5 * step->dt * P * step->H[e];
    }
}

/* H becomes the derivative of row k in the middle along dt/2 times the mean velocity, change what (4) needs.
   The system is in the middle, and H that of the row there. */
static void prepare_curvature(tp_consistent_step *step, const tp_consistent_law *own, int k,
                              const tp_chord *chord)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    size_t at = own->place + (size_t)(k * count);
    for (int j = 0; j < count; j++) /* Dg/Dq = gradient in the middle + slope d */
        step->change[j] = step->W_middle[at + (size_t)j] - own->slope[k] * tp_chord_along(chord, j);
    tp_midpoint_middle_matrix(step->midpoint, count, columns, step->H);
    tp_midpoint_scale_matrix(step->midpoint, count, columns, step->change, step->H);
    for (int j = 0; j < count; j++) {
        step->change[j] = step->W_end[at + (size_t)j] - step->change[j];
        for (int i = 0; i < count; i++) step->change[j] -= 0.5 * step->H[i + j * count] * step->d[columns[i]];
    }
}

/* Rows of a law times P as they change with the mean velocity: target -= factor d(W P). With rates also the
   change of Dgamma^T K with the velocity at the end. */
static void add_law_curvature(tp_consistent_step *step, const tp_consistent_law *own, const double *P,
                              const double *K, double factor, double *target)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                        rows = tp_consistent_discrete_rows(step, own);
    const tp_sparse *pattern = &step->problem->pattern;
    tp_chord chord = tp_consistent_chord(step, own);
    for (int k = 0; k < rows; k++) {
        double of_row = -factor * step->dt * P[k], of_rate = K != NULL ? -step->dt * K[k] : 0.0;
        if (of_row == 0.0 && of_rate == 0.0) continue;
        tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
        if (of_rate != 0.0) add_rate_curvature(step, own, k, &chord, of_rate);
        prepare_curvature(step, own, k, &chord);
        for (int e = 0; e < count * count; e++) {
            double h = 0.5 * step->H[e];
            if (h != 0.0)
                target[tp_pattern_place(pattern, columns[e % count], columns[e / count])] += of_row * h;
        }
        tp_chord_add_jacobian(&chord, own->slope[k], step->change, of_row, pattern, target);
    }
    for (int k = rows; k < tp_consistent_law_of(step, own)->row_count; k++) {
        if (P[k] == 0.0) continue;
        if (own->is_middle)
            add_middle_change(step, own, k, factor * P[k], target);
        else
            add_begin_change(step, own, k, factor * P[k], target);
    }
}

void tp_consistent_laws_add_curvature(tp_consistent_step *step, const double *P)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const double *K = own->has_rates ? P + own->second : NULL;
        add_law_curvature(step, own, P + own->first, K, 1.0, step->by_a);
        if (step->scheme.laws_on != TP_CONSISTENT_IMPULSES) continue;
        /* (31); the middle moves by half of c */
        add_law_curvature(step, own, P + (own->second >= 0 ? own->second : own->first), NULL, 0.5,
                          step->second_by_c);
    }
}

/* On impulses xi holds (row k).b: out_j = sum over i of b_i times the change of component i with c_j. */
static void impulse_change(tp_consistent_step *step, const tp_consistent_law *own, int k, double *out)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    const double *b = step->x;
    memset(out, 0, (size_t)count * sizeof *out);
    if (k >= tp_consistent_discrete_rows(step, own)) return; /* rows of the start do not change */
    tp_chord chord = tp_consistent_chord(step, own);
    tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
    prepare_curvature(step, own, k, &chord);
    double along = 0.0;
    for (int i = 0; i < count && !chord.is_short; i++)
        along += b[columns[i]] * tp_chord_along(&chord, i) / chord.squared_length;
    for (int j = 0; j < count; j++) {
        double d = tp_chord_along(&chord, j), sum = own->slope[k] * tp_chord_weigh(&chord, b, j);
        for (int i = 0; i < count; i++) sum += 0.5 * b[columns[i]] * step->H[i + j * count];
        out[j] = 0.5 * step->dt * (sum + along * (step->change[j] - 2.0 * own->slope[k] * d));
    }
}

static void put_joint(tp_consistent_step *step, const tp_consistent_law *own)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                        rows = tp_consistent_law_of(step, own)->row_count;
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    tp_block_column none = {.count = count, .columns = columns};
    for (int k = 0; k < rows; k++) {
        size_t at = own->place + (size_t)(k * count);
        tp_block_column A = none, Ct = none;
        A.factor[0] = 1.0;
        A.in[0] = step->W_middle + at;
        Ct.factor[0] = own->has_rates ? step->dt : on_impulses ? 0.0 : 1.0;
        Ct.in[0] = own->has_rates ? step->rate_end + at : step->W_end + at;
        Ct.factor[1] = own->has_rates ? 1.0 : on_impulses ? 0.5 : 0.0;
        Ct.in[1] = own->has_rates ? step->W_last + at : step->W_end + at;
        if (own->left_out[k] > 0.0) A = Ct = none;
        tp_step_problem_put_row(step->problem, own->first + k, &A, &Ct);
    }
    for (int k = 0; k < rows && own->second >= 0; k++) {
        size_t at = own->place + (size_t)(k * count);
        tp_block_column A = none, Ct = none;
        A.factor[0] = own->has_rates ? step->dt : 0.0;
        A.in[0] = own->has_rates ? step->rate_middle + at : NULL;
        A.factor[1] = 1.0;
        A.in[1] = own->has_rates ? step->W_begin + at : step->W_middle + at;
        Ct.factor[0] = own->has_rates ? -1.0 : 1.0;
        Ct.in[0] = own->has_rates ? step->W_end + at : step->W_middle + at;
        if (!own->has_rates) {
            impulse_change(step, own, k, step->row);
            Ct.factor[1] = 1.0;
            Ct.in[1] = step->row;
        }
        if (own->left_out[k] > 0.0) A = Ct = none;
        tp_step_problem_put_row(step->problem, own->second + k, &A, &Ct);
    }
}

static void put_contact(tp_consistent_step *step, const tp_consistent_law *own)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    for (int k = 0; k < tp_consistent_law_of(step, own)->row_count; k++) {
        size_t at = own->place + (size_t)(k * count);
        tp_block_column A = {count, columns, {1.0, 0.0}, {step->W_middle + at, step->W_middle + at}},
                        Ct = {count, columns, {1.0, 0.0}, {step->W_end + at, NULL}};
        if (step->scheme.laws_on == TP_CONSISTENT_VELOCITIES) {
            Ct.factor[0] = 0.0;
            Ct.factor[1] = 1.0;
            Ct.in[1] = step->W_begin + at;
        } else if (step->scheme.laws_on == TP_CONSISTENT_IMPULSES) {
            A.factor[1] = 1.0;
            Ct.factor[0] = 0.5 * tp_consistent_impulse_share(step, own->first + k);
            Ct.in[0] = step->W_middle + at;
            impulse_change(step, own, k, step->row);
            for (int j = 0; j < count; j++)
                step->row[j] = 0.5 * (step->W_end[at + (size_t)j] +
                                      tp_consistent_impulse_share(step, own->first + k) * step->row[j]);
            Ct.factor[1] = 1.0;
            Ct.in[1] = step->row;
        }
        tp_step_problem_put_row(step->problem, own->first + k, &A, &Ct);
    }
}

/* row = factor (x.H) dt/2: how (row k).x of a constraint on velocities changes with the mean velocity. */
static void middle_change(tp_consistent_step *step, const tp_consistent_law *own, int k, const double *x,
                          double *row)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    middle_hessian(step, own, k);
    for (int j = 0; j < count; j++) {
        row[j] = 0.0;
        for (int i = 0; i < count; i++) row[j] += 0.5 * step->dt * x[columns[i]] * step->H[i + j * count];
    }
}

/* A constraint on velocities acts on u_m; in one step for impacts too, u_m = u + c/2, and a second time, of
   its own, on b; (49). */
static void put_middle(tp_consistent_step *step, const tp_consistent_law *own)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns),
                        rows = tp_consistent_law_of(step, own)->row_count;
    tp_block_column none = {.count = count, .columns = columns};
    for (int k = 0; k < rows; k++) {
        const double *W = step->W_middle + own->place + (size_t)(k * count);
        tp_block_column A = none, Ct = none;
        middle_change(step, own, k, step->u_middle, step->row);
        for (int j = 0; j < count; j++) step->row[j] += W[j];
        A.factor[0] = 1.0;
        A.in[0] = W;
        Ct.factor[0] = own->is_ideal ? 0.0 : 1.0;
        Ct.factor[1] = own->is_ideal ? 0.5 : 0.0;
        Ct.in[0] = Ct.in[1] = step->row;
        tp_step_problem_put_row(step->problem, own->first + k, &A, &Ct);
    }
    for (int k = 0; k < rows && own->is_ideal; k++) {
        const double *W = step->W_middle + own->place + (size_t)(k * count);
        tp_block_column A = none, Ct = none;
        middle_change(step, own, k, step->x, step->row);
        A.factor[1] = Ct.factor[0] = 1.0;
        A.in[1] = Ct.in[0] = W;
        Ct.factor[1] = 0.5;
        Ct.in[1] = step->row;
        tp_step_problem_put_row(step->problem, own->second + k, &A, &Ct);
    }
}

void tp_consistent_laws_put(tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        if (step->laws[i].is_joint)
            put_joint(step, &step->laws[i]);
        else if (step->laws[i].is_middle)
            put_middle(step, &step->laws[i]);
        else
            put_contact(step, &step->laws[i]);
    }
}
