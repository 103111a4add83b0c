/* Kinetic energies with a mass matrix M(q) between two positions; docs/theory/consistent.md (7), (8). */
#include "discrete.h"
#include "parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* An energy T(q, q'): a formula, or the entry M_ij(q) of a mass matrix with weight u_i u_j. */
typedef struct part {
    const tp_scalar *scalar;
    const tp_mass_entry *entry; /* NULL: a formula */
    int count, *columns;        /* coordinates      */
    double value_begin, value_end, rounding_begin, rounding_end;
    double *gradient_end;                  /* [count]        */
    double *momentum_begin, *momentum_end; /* [general_u] dT/dq' */
} part;

struct tp_kinetic_steps {
    tp_system *system;
    int part_count;
    part *parts;
    double *gradient, *change, *momentum; /* [general_u]   */
    double *hessian, *mixed;              /* [general_u^2] of positions; of positions (rows) and velocities */
};

static bool depends_on_position(const tp_scalar *scalar)
{
    return tp_scalar_depends_on_kind(scalar, TP_SLOT_IS_COORDINATE);
}

static void make_part(tp_arena *arena, tp_kinetic_steps *steps, const tp_scalar *scalar,
                      const tp_mass_entry *entry)
{
    part *p = &steps->parts[steps->part_count];
    int m = steps->system->general_u;
    if (!depends_on_position(scalar)) return;
    *p = (part){.scalar = scalar, .entry = entry};
    p->columns = TP_ARENA_ARRAY(arena, int, m);
    TP_ARENA_DOUBLES(arena, m, &p->gradient_end, &p->momentum_begin, &p->momentum_end);
    if (p->columns == NULL) return;
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) == TP_SLOT_IS_COORDINATE)
            p->columns[p->count++] = tp_slot_index(scalar->slots[k]);
    }
    steps->part_count++;
}

tp_status tp_kinetic_steps_create(tp_arena *arena, tp_system *system, tp_kinetic_steps **out)
{
    const tp_model *model = system->model;
    tp_kinetic_steps *steps = TP_ARENA_ARRAY(arena, tp_kinetic_steps, 1);
    size_t m = (size_t)system->general_u;
    *out = steps;
    if (steps == NULL) return TP_OUT_OF_MEMORY;
    steps->system = system;
    steps->parts = TP_ARENA_ARRAY(arena, part, model->kinetic.count + model->mass.count + 1);
    TP_ARENA_DOUBLES(arena, m, &steps->gradient, &steps->change, &steps->momentum);
    TP_ARENA_DOUBLES(arena, m * m, &steps->hessian, &steps->mixed);
    TP_TRY(tp_arena_status(arena));
    for (int i = 0; i < model->kinetic.count; i++)
        make_part(arena, steps, TP_LIST_AT(model->kinetic, tp_scalar, i), NULL);
    for (int i = 0; i < model->mass.count; i++) {
        const tp_mass_entry *entry = TP_LIST_AT(model->mass, tp_mass_entry, i);
        make_part(arena, steps, &entry->value, entry);
    }
    return tp_arena_status(arena);
}

/* (1/2) u_i^2 or u_i u_j. */
static double entry_weight(const tp_system *system, const tp_mass_entry *entry)
{
    return (entry->i == entry->j ? 0.5 : 1.0) * system->u[entry->i] * system->u[entry->j];
}

/* Adds M d(weight)/du. */
static void add_entry_momentum(const tp_system *system, const tp_mass_entry *entry, double M,
                               double *momentum)
{
    momentum[entry->i] += M * system->u[entry->j];
    if (entry->i != entry->j) momentum[entry->j] += M * system->u[entry->i];
}

/* Value, dT/dq over the columns and dT/dq' of all at the present point. */
static double evaluate(tp_system *system, const part *p, double *gradient, double *momentum)
{
    double value = tp_scalar_gradient(p->scalar, &system->at, system->gradient);
    double weight = p->entry != NULL ? entry_weight(system, p->entry) : 1.0;
    memset(momentum, 0, (size_t)system->general_u * sizeof(double));
    if (p->entry != NULL) add_entry_momentum(system, p->entry, value, momentum);
    for (int k = 0, c = 0; k < p->scalar->slot_count; k++) {
        tp_slot_kind kind = tp_slot_kind_of(p->scalar->slots[k]);
        if (kind == TP_SLOT_IS_COORDINATE) gradient[c++] = weight * system->gradient[k];
        if (kind == TP_SLOT_IS_RATE) momentum[tp_slot_index(p->scalar->slots[k])] = system->gradient[k];
    }
    return weight * value;
}

/* Second derivatives at the present point: with respect to column c and the columns, [count] of hessian; and
   column c and the velocities, [general_u] of mixed. */
static void second_derivatives(tp_system *system, const part *p, int c, double *hessian, double *mixed)
{
    int slot = tp_slot_coordinate(p->columns[c]);
    double weight = p->entry != NULL ? entry_weight(system, p->entry) : 1.0;
    system->direction[slot] = 1.0;
    tp_scalar_hessian_vector(p->scalar, &system->at, system->direction, system->gradient, system->product);
    system->direction[slot] = 0.0;
    memset(mixed, 0, (size_t)system->general_u * sizeof(double));
    for (int k = 0, i = 0; k < p->scalar->slot_count; k++) {
        tp_slot_kind kind = tp_slot_kind_of(p->scalar->slots[k]);
        if (kind == TP_SLOT_IS_RATE) mixed[tp_slot_index(p->scalar->slots[k])] = system->product[k];
        if (kind != TP_SLOT_IS_COORDINATE) continue;
        if (p->entry != NULL && i == c) add_entry_momentum(system, p->entry, system->gradient[k], mixed);
        hessian[i++] = weight * system->product[k];
    }
}

/* Rounding error of the value that evaluate has just returned: that of its terms, which may cancel. */
static double rounding_of(const tp_system *system, const part *p, double value)
{
    double weight = p->entry != NULL ? fabs(entry_weight(system, p->entry)) : 1.0;
    return weight * tp_scalar_rounding(p->scalar, &system->at, value) + DBL_EPSILON * fabs(value);
}

void tp_kinetic_steps_begin(tp_kinetic_steps *steps)
{
    for (int i = 0; i < steps->part_count; i++) {
        part *p = &steps->parts[i];
        p->value_begin = evaluate(steps->system, p, steps->gradient, p->momentum_begin);
        p->rounding_begin = rounding_of(steps->system, p, p->value_begin);
    }
}

void tp_kinetic_steps_end(tp_kinetic_steps *steps)
{
    for (int i = 0; i < steps->part_count; i++) {
        part *p = &steps->parts[i];
        p->value_end = evaluate(steps->system, p, p->gradient_end, p->momentum_end);
        p->rounding_end = rounding_of(steps->system, p, p->value_end);
    }
}

void tp_kinetic_steps_add(tp_kinetic_steps *steps, const double *step, double *gradient, double *noise)
{
    for (int i = 0; i < steps->part_count; i++) {
        const part *p = &steps->parts[i];
        tp_chord chord =
            tp_chord_make(steps->system->unit, p->count, p->columns, steps->system->at.q, NULL, step);
        evaluate(steps->system, p, steps->gradient, steps->momentum);
        double rounding = p->rounding_begin + p->rounding_end;
        tp_chord_correct(&chord, p->value_end - p->value_begin, rounding, steps->gradient);
        double error = chord.is_short ? 0.0 : rounding / chord.squared_length;
        for (int k = 0; k < p->count; k++) {
            gradient[p->columns[k]] += steps->gradient[k];
            noise[p->columns[k]] +=
                error * fabs(step[p->columns[k]]) + DBL_EPSILON * fabs(steps->gradient[k]);
        }
    }
}

/* Adds factor times the derivative with respect to the velocities: T_qu + (d/n) [T_u(end) - T_u(begin) -
 * d.T_qu].
 */
static void add_by_velocity(tp_kinetic_steps *steps, const part *p, const tp_chord *chord, double factor,
                            double *value)
{
    const tp_system *system = steps->system;
    int m = system->general_u;
    for (int j = 0; j < m; j++) {
        double rest = p->momentum_end[j] - p->momentum_begin[j];
        for (int c = 0; c < p->count; c++)
            rest -= chord->step[p->columns[c]] * steps->mixed[j + (size_t)m * (size_t)c];
        double along = chord->is_short ? 0.0 : rest / chord->squared_length;
        for (int c = 0; c < p->count; c++) {
            double d = steps->mixed[j + (size_t)m * (size_t)c] + along * chord->step[p->columns[c]];
            if (d != 0.0) value[tp_pattern_place(&system->jacobian_pattern, p->columns[c], j)] += factor * d;
        }
    }
}

void tp_kinetic_steps_add_jacobian(tp_kinetic_steps *steps, const double *step, double factor,
                                   double *by_position, double *by_velocity)
{
    tp_system *system = steps->system;
    const tp_sparse *pattern = &system->jacobian_pattern;
    for (int i = 0; i < steps->part_count; i++) {
        const part *p = &steps->parts[i];
        int n = p->count;
        tp_chord chord = tp_chord_make(system->unit, n, p->columns, system->at.q, NULL, step);
        evaluate(system, p, steps->gradient, steps->momentum);
        for (int k = 0; k < n; k++) steps->change[k] = p->gradient_end[k] - steps->gradient[k];
        for (int c = 0; c < n; c++) {
            double *column = steps->hessian + (size_t)n * (size_t)c;
            second_derivatives(system, p, c, column, steps->mixed + (size_t)system->general_u * (size_t)c);
            for (int k = 0; k < n; k++) {
                steps->change[c] -= 0.5 * column[k] * step[p->columns[k]];
                if (column[k] != 0.0)
                    by_position[tp_pattern_place(pattern, p->columns[k], p->columns[c])] +=
                        0.5 * factor * column[k];
            }
        }
        double rounding = p->rounding_begin + p->rounding_end,
               slope = tp_chord_correct(&chord, p->value_end - p->value_begin, rounding, steps->gradient);
        tp_chord_add_jacobian(&chord, slope, steps->change, factor, pattern, by_position);
        add_by_velocity(steps, p, &chord, factor, by_velocity);
    }
}

/* Adds d to (i, j) and takes it from (j, i). */
static void add_skew(const tp_system *system, int i, int j, double d, double *value)
{
    if (d == 0.0) return;
    value[tp_pattern_place(&system->jacobian_pattern, i, j)] += d;
    value[tp_pattern_place(&system->jacobian_pattern, j, i)] -= d;
}

static void add_entry_gyroscopic(tp_system *system, const tp_mass_entry *entry, double *value)
{
    tp_scalar_gradient(&entry->value, &system->at, system->gradient);
    for (int k = 0; k < entry->value.slot_count; k++) {
        if (tp_slot_kind_of(entry->value.slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        int c = tp_slot_index(entry->value.slots[k]);
        add_skew(system, entry->i, c, system->gradient[k] * system->u[entry->j], value);
        if (entry->i != entry->j)
            add_skew(system, entry->j, c, system->gradient[k] * system->u[entry->i], value);
    }
}

void tp_system_add_gyroscopic(tp_system *system, double *value)
{
    const tp_model *model = system->model;
    for (int i = 0; i < model->kinetic.count; i++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, i);
        for (int s = 0; s < T->slot_count; s++) {
            if (tp_slot_kind_of(T->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
            system->direction[T->slots[s]] = 1.0;
            tp_scalar_hessian_vector(T, &system->at, system->direction, system->gradient, system->product);
            system->direction[T->slots[s]] = 0.0;
            for (int k = 0; k < T->slot_count; k++) {
                if (tp_slot_kind_of(T->slots[k]) == TP_SLOT_IS_RATE)
                    add_skew(system, tp_slot_index(T->slots[k]), tp_slot_index(T->slots[s]),
                             system->product[k], value);
            }
        }
    }
    for (int i = 0; i < model->mass.count; i++)
        add_entry_gyroscopic(system, TP_LIST_AT(model->mass, tp_mass_entry, i), value);
}
