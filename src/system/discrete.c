/* Discrete derivatives: the correction of a gradient, and the potential energies; docs/theory/consistent.md
   (1)-(6). */
#include "discrete.h"
#include "parts.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

const tp_metric *tp_metric_of(const tp_system *system, const tp_metric *mass, int count, const int *columns)
{
    bool turns =
        system->u_count != system->argument_u; /* affine bodies have more velocities than they show */
    for (int c = 0; c < count; c++) {
        int body = system->turn_of[columns[c]];
        turns =
            turns || (body >= 0 && TP_LIST_AT(system->model->bodies, tp_body, body)->kind == TP_BODY_RIGID);
    }
    return turns && columns[0] >= system->general_u ? mass : NULL;
}

tp_chord tp_chord_make(const double *unit, int count, const int *columns, const double *size,
                       const tp_metric *metric, const double *step)
{
    tp_chord chord = {.count = count, .columns = columns, .step = step, .unit = unit, .metric = metric};
    double square = 0.0, length = 0.0;
    chord.along = metric != NULL ? metric->along : step;
    for (int k = 0; k < count; k++) {
        double d = step[columns[k]] / unit[columns[k]], m = size[columns[k]] / unit[columns[k]];
        chord.squared_length += step[columns[k]] * chord.along[columns[k]];
        length += d * d;
        square += m * m;
    }
    chord.size = 1.0 + sqrt(square);
    chord.is_short = sqrt(length) < tp_shortest_step * chord.size;
    return chord;
}

/* An entry of N. */
static double metric_entry(const tp_metric *metric, int i, int j)
{
    if (metric == NULL) return i == j ? 1.0 : 0.0;
    int place = tp_pattern_place(metric->pattern, i, j);
    return place >= metric->pattern->start[j] ? metric->value[place] : 0.0;
}

/* The axis along which velocity `column` moves one of two bodies that both move along it; -1: none. */
static int shared_axis(const tp_chord *chord, int column)
{
    int axis = chord->axis != NULL ? chord->axis[column] : -1;
    return axis >= 0 && chord->total[axis] > 0.0 ? axis : -1;
}

/* The step without the translation that is taken out. */
static double own_step(const tp_chord *chord, int j)
{
    int axis = shared_axis(chord, chord->columns[j]);
    return chord->step[chord->columns[j]] - (axis >= 0 ? chord->shared[axis] : 0.0);
}

static inline double along(const tp_chord *chord, int j)
{
    int column = chord->columns[j], axis = shared_axis(chord, column);
    if (axis < 0) return chord->along[column];
    return metric_entry(chord->metric, column, column) * own_step(chord, j); /* N is diagonal there */
}

double tp_chord_along(const tp_chord *chord, int j)
{
    return along(chord, j);
}

void tp_chord_take_out_translation(tp_chord *chord, const tp_system *system)
{
    int bodies[3] = {0};
    double sum[3] = {0.0}, length = 0.0;
    chord->axis = system->axis_of;
    for (int k = 0; k < chord->count; k++) {
        int column = chord->columns[k], axis = chord->axis[column];
        if (axis < 0) continue;
        bodies[axis]++;
        chord->total[axis] += metric_entry(chord->metric, column, column);
        sum[axis] += chord->along[column];
    }
    for (int axis = 0; axis < 3; axis++) {
        if (bodies[axis] != 2) chord->total[axis] = 0.0;
        if (chord->total[axis] > 0.0) chord->shared[axis] = sum[axis] / chord->total[axis];
    }
    chord->squared_length = 0.0;
    for (int k = 0; k < chord->count; k++) {
        double d = own_step(chord, k), in_units = d / chord->unit[chord->columns[k]];
        chord->squared_length += d * along(chord, k);
        length += in_units * in_units;
    }
    chord->is_short = sqrt(length) < tp_shortest_step * chord->size;
}

/* Would a correction of the size of the rounding error turn the gradient by more than noisy_direction? */
static bool is_noisy(const tp_chord *chord, double error, const double *gradient)
{
    double steps = 0.0, slopes = 0.0;
    for (int k = 0; k < chord->count; k++) {
        double unit = chord->unit[chord->columns[k]], d = chord->step[chord->columns[k]] / unit,
               slope = gradient[k] * unit;
        steps += d * d;
        slopes += slope * slope;
    }
    return error * error > tp_noisy_direction * tp_noisy_direction * steps * slopes;
}

double tp_chord_correct(const tp_chord *chord, double rise, double error, double *gradient)
{
    if (chord->is_short) return 0.0;
    double defect = rise;
    for (int k = 0; k < chord->count; k++) defect -= gradient[k] * chord->step[chord->columns[k]];
    if (fabs(defect) <= error && is_noisy(chord, error, gradient)) return 0.0;
    double slope = defect / chord->squared_length;
    for (int k = 0; k < chord->count; k++) gradient[k] += slope * tp_chord_along(chord, k);
    return slope;
}

/* An entry of N, less what belongs to the translation that is taken out. */
static double chord_entry(const tp_chord *chord, int i, int j)
{
    int axis = shared_axis(chord, i);
    double entry = metric_entry(chord->metric, i, j);
    if (axis < 0 || axis != shared_axis(chord, j)) return entry;
    return entry - metric_entry(chord->metric, i, i) * metric_entry(chord->metric, j, j) / chord->total[axis];
}

double tp_chord_weigh(const tp_chord *chord, const double *x, int j)
{
    double sum = 0.0;
    for (int i = 0; i < chord->count; i++)
        sum += chord_entry(chord, chord->columns[i], chord->columns[j]) * x[chord->columns[i]];
    return sum;
}

void tp_chord_add_jacobian(const tp_chord *chord, double slope, const double *change, double factor,
                           const tp_sparse *pattern, double *value)
{
    if (chord->is_short) return;
    for (int j = 0; j < chord->count; j++) {
        int column = chord->columns[j];
        double per_step = (change[j] - 2.0 * slope * along(chord, j)) / chord->squared_length;
        for (int i = 0; i < chord->count; i++) {
            double d = along(chord, i) * per_step + slope * chord_entry(chord, chord->columns[i], column);
            if (d != 0.0) value[tp_pattern_place(pattern, chord->columns[i], column)] += factor * d;
        }
    }
}

/* ---- potential energies ---- */

typedef enum part_kind { PART_FORMULA, PART_COMPLIANT, PART_ELEMENT } part_kind;

/* One energy: a formula, a compliant contact, a force element. */
typedef struct part {
    part_kind kind;
    int index;
    int count, *columns;
    double value_begin, value_end, rounding_begin, rounding_end;
    double *gradient_end; /* [count] */
} part;

struct tp_potential_steps {
    tp_system *system;
    int part_count;
    part *parts;
    double *gradient, *change, *product, *end; /* [largest count] */
    double *size;                              /* [u_count] of positions */
};

static const tp_scalar *scalar_of(const tp_system *system, const part *p)
{
    if (p->kind == PART_FORMULA) return TP_LIST_AT(system->model->potential, tp_scalar, p->index);
    return &TP_LIST_AT(system->model->springs, tp_spring_contact, p->index)->gap;
}

static double compliance_of(const tp_system *system, const part *p)
{
    return TP_LIST_AT(system->model->springs, tp_spring_contact, p->index)->compliance;
}

/* Velocities of the coordinates of a scalar, each once; columns NULL: at most how many. */
static int scalar_columns(const tp_system *system, const tp_scalar *scalar, int *columns)
{
    int count = 0;
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        tp_image image = tp_coordinate_image(system, tp_slot_index(scalar->slots[k]), 0);
        for (int i = 0; i < image.count; i++) {
            bool is_new = true;
            for (int c = 0; c < count && columns != NULL; c++)
                is_new = is_new && columns[c] != image.index[i];
            if (is_new && columns != NULL) columns[count] = image.index[i];
            count += is_new;
        }
    }
    return count;
}

static int element_columns(const tp_system *system, int index, int *columns)
{
    const tp_model_force *force = TP_LIST_AT(system->model->elements, tp_model_force, index);
    int bodies[] = {force->body_a, force->body_b}, count = 0;
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, bodies[s]);
        for (int k = 0; k < body->u_count; k++, count++) {
            if (columns != NULL) columns[count] = body->u_first + k;
        }
    }
    return count;
}

static int part_columns(const tp_system *system, const part *p, int *columns)
{
    return p->kind == PART_ELEMENT ? element_columns(system, p->index, columns)
                                   : scalar_columns(system, scalar_of(system, p), columns);
}

static void make_part(tp_arena *arena, tp_potential_steps *steps, part_kind kind, int index)
{
    part *p = &steps->parts[steps->part_count];
    *p = (part){.kind = kind, .index = index};
    p->count = part_columns(steps->system, p, NULL);
    if (p->count == 0) return; /* constant */
    p->columns = TP_ARENA_ARRAY(arena, int, p->count);
    p->gradient_end = TP_ARENA_ARRAY(arena, double, p->count);
    if (p->columns == NULL) return;
    p->count = part_columns(steps->system, p, p->columns);
    steps->part_count++;
}

tp_status tp_potential_steps_create(tp_arena *arena, tp_system *system, tp_potential_steps **out)
{
    const tp_model *model = system->model;
    tp_potential_steps *steps = TP_ARENA_ARRAY(arena, tp_potential_steps, 1);
    *out = steps;
    if (steps == NULL) return TP_OUT_OF_MEMORY;
    steps->system = system;
    steps->parts = TP_ARENA_ARRAY(arena, part,
                                  model->potential.count + model->springs.count + model->elements.count + 1);
    TP_TRY(tp_arena_status(arena));
    for (int i = 0; i < model->potential.count; i++) make_part(arena, steps, PART_FORMULA, i);
    for (int i = 0; i < model->springs.count; i++) make_part(arena, steps, PART_COMPLIANT, i);
    for (int i = 0; i < model->elements.count; i++) make_part(arena, steps, PART_ELEMENT, i);
    int largest = 1;
    for (int i = 0; i < steps->part_count; i++)
        largest = steps->parts[i].count > largest ? steps->parts[i].count : largest;
    TP_ARENA_DOUBLES(arena, largest, &steps->gradient, &steps->change, &steps->product, &steps->end);
    steps->size = TP_ARENA_ARRAY(arena, double, system->u_count);
    return tp_arena_status(arena);
}

/* Derivatives with respect to the coordinates of a scalar, compact, as derivatives along the part's columns.
 */
static void take_coordinates(tp_system *system, const part *p, const double *compact, double factor,
                             double *out)
{
    const tp_scalar *scalar = scalar_of(system, p);
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        tp_image image = tp_coordinate_image(system, tp_slot_index(scalar->slots[k]), 0);
        for (int i = 0; i < image.count; i++)
            system->full[image.index[i]] += factor * compact[k] * image.factor[i];
    }
    for (int c = 0; c < p->count; c++) {
        out[c] = system->full[p->columns[c]];
        system->full[p->columns[c]] = 0.0;
    }
}

/* A compliant contact: (min(0, g))^2/(2 D). */
static double compliant_gradient(tp_system *system, const part *p, double *gradient)
{
    const tp_scalar *gap = scalar_of(system, p);
    double D = compliance_of(system, p),
           g = fmin(tp_scalar_gradient(gap, &system->at, system->gradient), 0.0);
    take_coordinates(system, p, system->gradient, g / D, gradient);
    return 0.5 * g * g / D;
}

/* Value and gradient at the present point. */
static double part_gradient(tp_system *system, const part *p, double *gradient)
{
    if (p->kind == PART_ELEMENT) return tp_element_potential_gradient(system, p->index, gradient);
    if (p->kind == PART_COMPLIANT) return compliant_gradient(system, p, gradient);
    double value = tp_scalar_gradient(scalar_of(system, p), &system->at, system->gradient);
    take_coordinates(system, p, system->gradient, 1.0, gradient);
    return value;
}

/* Rounding error of the value that part_gradient has just returned. */
static double part_rounding(const tp_system *system, const part *p, double value)
{
    if (p->kind == PART_FORMULA) return tp_scalar_rounding(scalar_of(system, p), &system->at, value);
    return DBL_EPSILON * fabs(value);
}

/* With the gradient f over the quaternion of a body: adds f.(change of B d along each velocity); d = sum of
   steps E_i. */
static void add_turning(const tp_system *system, const tp_body *body, tp_quat f, const double *step,
                        double *full)
{
    double matrix[TP_SCALABLE_TURN * TP_SCALABLE_TURN];
    int count = tp_body_turning(system, body, f, matrix), first = body->u_first + 3;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < count; i++) full[first + k] += matrix[i + count * k] * step[first + i];
    }
}

static void add_turnings(tp_system *system, const tp_scalar *scalar, const double *gradient, double factor,
                         const double *step)
{
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        double f[4];
        if (!tp_body_covector(body, scalar, gradient, f)) continue;
        add_turning(system, body, tp_quat_scale(factor, tp_quat_at(f)), step, system->full);
    }
}

/* Product of the step with the Hessian of an energy, at the present point: sum over i of d_i times the change
   of gradient i along each velocity. */
static void part_product(tp_system *system, const part *p, const double *step, double *product)
{
    if (p->kind == PART_ELEMENT) {
        tp_element_potential_product(system, p->index, step, product);
        return;
    }
    const tp_scalar *scalar = scalar_of(system, p);
    double along = 0.0, D = 1.0, g = 1.0;
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        tp_image image = tp_coordinate_image(system, tp_slot_index(scalar->slots[k]), 0);
        for (int i = 0; i < image.count; i++)
            system->direction[scalar->slots[k]] += image.factor[i] * step[image.index[i]];
    }
    tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient, system->product);
    for (int k = 0; k < scalar->slot_count; k++)
        along += system->gradient[k] * system->direction[scalar->slots[k]];
    for (int k = 0; k < scalar->slot_count; k++) system->direction[scalar->slots[k]] = 0.0;
    if (p->kind == PART_COMPLIANT) { /* of g^2/(2 D), where it is closed */
        D = compliance_of(system, p);
        g = fmin(tp_scalar_value(scalar, &system->at), 0.0);
        for (int k = 0; k < scalar->slot_count; k++)
            system->product[k] = g < 0.0 ? g * system->product[k] + along * system->gradient[k] : 0.0;
    }
    add_turnings(system, scalar, system->gradient, g / D, step); /* taken off the full row with the rest */
    take_coordinates(system, p, system->product, 1.0 / D, product);
}

void tp_potential_steps_begin(tp_potential_steps *steps)
{
    tp_system_position_sizes(steps->system, steps->size);
    for (int i = 0; i < steps->part_count; i++) {
        part *p = &steps->parts[i];
        p->value_begin = part_gradient(steps->system, p, steps->gradient);
        p->rounding_begin = part_rounding(steps->system, p, p->value_begin);
    }
}

void tp_potential_steps_end(tp_potential_steps *steps)
{
    for (int i = 0; i < steps->part_count; i++) {
        part *p = &steps->parts[i];
        p->value_end = part_gradient(steps->system, p, p->gradient_end);
        p->rounding_end = part_rounding(steps->system, p, p->value_end);
    }
}

/* Rounding error of the difference of two values: that of their terms, which may cancel in a value, and of
   the positions. */
static double rise_error(const tp_potential_steps *steps, const part *p, const double *gradient)
{
    double size = 0.0;
    for (int k = 0; k < p->count; k++) size += fabs(gradient[k]) * steps->size[p->columns[k]];
    return p->rounding_begin + p->rounding_end + DBL_EPSILON * size;
}

void tp_potential_steps_add(tp_potential_steps *steps, const tp_metric *mass, const double *step,
                            double *gradient, double *noise)
{
    for (int i = 0; i < steps->part_count; i++) {
        const part *p = &steps->parts[i];
        const tp_metric *metric = tp_metric_of(steps->system, mass, p->count, p->columns);
        tp_chord chord = tp_chord_make(steps->system->unit, p->count, p->columns, steps->size, metric, step);
        if (chord.is_short) continue;
        part_gradient(steps->system, p, steps->gradient);
        double error = rise_error(steps, p, steps->gradient),
               slope = tp_chord_correct(&chord, p->value_end - p->value_begin, error, steps->gradient);
        for (int k = 0; k < p->count; k++) {
            gradient[p->columns[k]] += slope * tp_chord_along(&chord, k);
            noise[p->columns[k]] += error / chord.squared_length * fabs(tp_chord_along(&chord, k));
        }
    }
}

void tp_potential_steps_add_jacobian(tp_potential_steps *steps, const tp_metric *mass,
                                     const tp_midpoint *midpoint, const double *step, double factor,
                                     double *value)
{
    tp_system *system = steps->system;
    for (int i = 0; i < steps->part_count; i++) {
        const part *p = &steps->parts[i];
        const tp_metric *metric = tp_metric_of(steps->system, mass, p->count, p->columns);
        tp_chord chord = tp_chord_make(steps->system->unit, p->count, p->columns, steps->size, metric, step);
        if (chord.is_short) continue;
        part_gradient(system, p, steps->gradient);
        part_product(system, p, step, steps->product);
        memcpy(steps->end, p->gradient_end, (size_t)p->count * sizeof(double));
        if (midpoint != NULL) {
            tp_midpoint_middle_row(midpoint, p->count, p->columns, steps->product);
            tp_midpoint_end_row(midpoint, p->count, p->columns, steps->end);
        }
        for (int k = 0; k < p->count; k++)
            steps->change[k] = steps->end[k] - steps->gradient[k] - 0.5 * steps->product[k];
        double error = rise_error(steps, p, steps->gradient),
               slope = tp_chord_correct(&chord, p->value_end - p->value_begin, error, steps->gradient);
        tp_chord_add_jacobian(&chord, slope, steps->change, factor, &system->jacobian_pattern, value);
    }
}
