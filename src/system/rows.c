/* Rows of laws over the velocities they touch; docs/theory/models.md (6), bodies.md (9). */
#include "parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Adds d q_i' to a row over all velocities. */
static void add_rate(tp_system *system, int i, double d, double *chi)
{
    tp_image image = tp_coordinate_image(system, i, 0);
    for (int k = 0; k < image.count; k++) system->full[image.index[k]] += d * image.factor[k];
    if (system->own_velocities && i < system->general_q) *chi += d * system->beta[i];
}

static void add_velocity(tp_system *system, int j, double d)
{
    tp_image image = tp_velocity_image(system, j, 0);
    for (int k = 0; k < image.count; k++) system->full[image.index[k]] += d * image.factor[k];
}

/* Row of a function g(t,q): W = B^T dg/dq, chi = dg/dq beta + dg/dt. */
static void position_row(tp_system *system, const tp_scalar *g, double *chi)
{
    tp_scalar_gradient(g, &system->at, system->gradient);
    for (int k = 0; k < g->slot_count; k++) {
        tp_slot_kind kind = tp_slot_kind_of(g->slots[k]);
        if (kind == TP_SLOT_IS_TIME) *chi += system->gradient[k];
        if (kind == TP_SLOT_IS_COORDINATE)
            add_rate(system, tp_slot_index(g->slots[k]), system->gradient[k], chi);
    }
}

/* Row of a velocity that is affine in u: W its derivative, chi the rest. */
static double velocity_row(tp_system *system, const tp_scalar *a)
{
    double value = tp_scalar_gradient(a, &system->at, system->gradient), ignored = 0.0;
    for (int k = 0; k < a->slot_count; k++) {
        int i = tp_slot_index(a->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(a->slots[k]);
        if (kind == TP_SLOT_IS_VELOCITY) add_velocity(system, i, system->gradient[k]);
        if (kind == TP_SLOT_IS_RATE) add_rate(system, i, system->gradient[k], &ignored);
    }
    return value;
}

/* Takes the row over all velocities into the law's columns; the former is zero again. */
static void gather(tp_system *system, int count, const int *columns, double factor, double *W)
{
    for (int k = 0; k < count; k++) {
        W[k] = factor * system->full[columns[k]];
        system->full[columns[k]] = 0.0;
    }
}

static void formula_rows(tp_system *system, int index, double *W_out, double *chi_out)
{
    const tp_law *law = tp_system_law(system, index);
    const int *columns, count = tp_system_columns_of(system, index, &columns);
    for (int k = 0; k < law->row_count; k++) {
        double *W = W_out + k * count, factor = law->row_factor[k];
        chi_out[k] = 0.0;
        if (k == 0 && law->level != TP_LEVEL_VELOCITY) {
            position_row(system, &law->row[0], &chi_out[0]);
            gather(system, count, columns, factor, W);
            chi_out[0] *= factor;
        } else {
            double value = velocity_row(system, &law->row[k]);
            gather(system, count, columns, factor, W);
            chi_out[k] = factor * value - tp_row_velocity(count, columns, W, system->u);
        }
    }
}

void tp_system_law_rows(tp_system *system, int index, double *W_out, double *chi_out)
{
    assert(system->has_point);
    if (tp_system_law(system, index)->source == TP_SOURCE_FORMULA) {
        formula_rows(system, index, W_out, chi_out);
    } else {
        tp_elements_law_rows(system, index, W_out, chi_out);
    }
}

/* ---- the second level; second-level.md (4), (5) ---- */

double tp_slot_rate_of_change(const tp_system *system, int slot)
{
    int i = tp_slot_index(slot);
    tp_slot_kind kind = tp_slot_kind_of(slot);
    if (!tp_slot_is_of_motion(slot))
        return kind == TP_SLOT_IS_TIME ? 1.0 : 0.0; /* others are held in a step */
    if (kind == TP_SLOT_IS_COORDINATE) return system->rate[i];
    if (kind == TP_SLOT_IS_RATE && system->own_velocities && i < system->general_q)
        return system->rate_drift[i];
    tp_image shift = tp_slot_shift(system, slot, 0);
    return tp_row_velocity(shift.count, shift.index, shift.factor, system->u);
}

/* g'' = (1, q').d2g.(1, q') + dg/dq q''. */
static double position_drift(tp_system *system, const tp_scalar *g)
{
    double sum = 0.0;
    for (int k = 0; k < g->slot_count; k++)
        system->direction[g->slots[k]] = tp_slot_rate_of_change(system, g->slots[k]);
    tp_scalar_hessian_vector(g, &system->at, system->direction, system->gradient, system->product);
    for (int k = 0; k < g->slot_count; k++) {
        int slot = g->slots[k];
        sum += system->product[k] * system->direction[slot];
        if (tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE)
            sum += system->gradient[k] * tp_slot_rate_of_change(system, tp_slot_rate(tp_slot_index(slot)));
        system->direction[slot] = 0.0;
    }
    return sum;
}

static double velocity_drift(tp_system *system, const tp_scalar *gamma)
{
    double sum = 0.0;
    tp_scalar_gradient(gamma, &system->at, system->gradient);
    for (int k = 0; k < gamma->slot_count; k++)
        sum += system->gradient[k] * tp_slot_rate_of_change(system, gamma->slots[k]);
    return sum;
}

bool tp_formulas_law_drift(tp_system *system, int index, double *g2_out)
{
    const tp_law *law = tp_system_law(system, index);
    bool is_exact = true;
    for (int k = 0; k < law->row_count; k++) {
        const tp_scalar *row = &law->row[k];
        bool is_position = k == 0 && law->level != TP_LEVEL_VELOCITY;
        bool is_known = !is_position || !tp_scalar_lacks_second(row);
        g2_out[k] = 0.0;
        if (is_known)
            g2_out[k] = law->row_factor[k] *
                        (is_position ? position_drift(system, row) : velocity_drift(system, row));
        is_exact = is_exact && is_known;
    }
    return is_exact;
}

void tp_system_law_positions(tp_system *system, int index, double *g_out)
{
    const tp_law *law = tp_system_law(system, index);
    memset(g_out, 0, (size_t)law->row_count * sizeof *g_out);
    if (law->level == TP_LEVEL_VELOCITY) return;
    if (law->source == TP_SOURCE_FORMULA) {
        g_out[0] = tp_scalar_value(&law->row[0], &system->at);
    } else {
        tp_elements_law_positions(system, index, g_out);
    }
}

double tp_system_law_position(tp_system *system, int index)
{
    /* asked of each point that two near shapes may have, most of which are not there */
    if (index >= system->fixed_count && !system->has_affine)
        return tp_system_contact_point(system, index)->gap;
    const tp_law *law = tp_system_law(system, index);
    double g[TP_LAW_ROWS];
    if (law->level == TP_LEVEL_VELOCITY) return NAN;
    tp_system_law_positions(system, index, g);
    return g[0];
}

double tp_system_spring_gap(tp_system *system, int spring)
{
    return tp_scalar_value(&TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap, &system->at);
}

double tp_system_spring_size(tp_system *system, int spring)
{
    const tp_scalar *gap = &TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap;
    double sum = 0.0;
    tp_scalar_gradient(gap, &system->at, system->gradient);
    for (int k = 0; k < gap->slot_count; k++) {
        if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE)
            sum += fabs(system->gradient[k] * system->at.q[tp_slot_index(gap->slots[k])]);
    }
    return sum;
}

void tp_system_spring_row(tp_system *system, int spring, double *W_out, double *chi_out)
{
    int index = system->law_count + spring;
    *chi_out = 0.0;
    position_row(system, &TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap, chi_out);
    gather(system, tp_system_law_column_count(system, index), tp_system_law_columns(system, index), 1.0,
           W_out);
}
