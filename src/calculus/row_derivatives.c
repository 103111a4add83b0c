/* Derivatives of the rows of laws along the frame, exact or by differences; docs/theory/holonomy.md (4), (5).
 */
#include "row_derivatives.h"
#include "math/differences.h"

#include "system/discrete.h"
#include "system/images.h"
#include "system/second_level.h"
#include "tolerances.h"

#include <string.h>

/* ---- derivatives by differences ---- */

void tp_rows_difference(tp_distribution *d)
{
    int rows = d->row_count * d->width, all = rows + d->size * d->width;
    for (int i = 0; i < d->size; i++) {
        for (int e = 0; e < TP_DIFFERENCE_POINTS; e++) {
            double t = d->t;
            memcpy(d->moved, d->q, (size_t)d->system->q_count * sizeof(double));
            tp_rows_stand(d, d->t, d->q);
            int v = tp_frame_velocity(d, i);
            double by = tp_difference_offset[e] * tp_difference_step;
            if (i == 0) {
                t += by;
            } else if (v < 0) {
                d->moved[i - 1] += by;
            } else {
                d->u[v] = d->unit[i];
                tp_system_change(d->system, d->u, by, d->moved);
            }
            tp_rows_stand(d, t, d->moved);
            tp_rows_fill(d, d->near, d->near + rows);
            double factor = tp_difference_weight[e] / (12.0 * tp_difference_step);
            for (int k = 0; k < rows; k++) d->D[k * d->size + i] += factor * d->near[k];
            for (int k = rows; k < all && d->is_own; k++)
                d->dF[(k - rows) * d->size + i] += factor * d->near[k];
        }
    }
    tp_rows_stand(d, d->t, d->q);
}

/* ---- exact derivatives ---- */

/* dF of general coordinates: rates are affine in u, and the system stands at u = 0. */
static void rate_derivatives(tp_distribution *d)
{
    tp_system *system = d->system;
    for (int i = 0; i < d->general; i++) {
        const tp_scalar *rate = TP_LIST_AT(system->model->coordinates, tp_variable, i)->rate;
        if (tp_scalar_lacks_second(rate)) d->is_exact = false;
        if (!d->is_exact) return;
        double *dF = d->dF + (size_t)(1 + i) * (size_t)(d->width * d->size);
        for (int j = 0; j <= d->general; j++) {
            int slot = j == 0 ? TP_SLOT_TIME : tp_slot_coordinate(j - 1);
            system->direction[slot] = 1.0;
            tp_scalar_hessian_vector(rate, &system->at, system->direction, system->gradient, system->product);
            system->direction[slot] = 0.0;
            for (int k = 0; k < rate->slot_count; k++) {
                if (rate->slots[k] == slot) dF[j] = system->gradient[k];
                if (tp_slot_kind_of(rate->slots[k]) == TP_SLOT_IS_VELOCITY)
                    dF[(1 + tp_slot_index(rate->slots[k])) * d->size + j] = system->product[k];
            }
        }
    }
}

/* The change of chi of a velocity row along column b (0: time), at u = 0; (5). */
static double change_of_chi(tp_distribution *d, const tp_scalar *row, int b)
{
    tp_system *system = d->system;
    double sum = 0.0;
    tp_scalar_gradient(row, &system->at, system->gradient);
    for (int k = 0; k < row->slot_count; k++) {
        int slot = row->slots[k], i = tp_slot_index(slot);
        bool is_general = i < system->general_q && d->is_own;
        double change = 0.0;
        switch (tp_slot_kind_of(slot)) {
        case TP_SLOT_IS_TIME: change = b == 0; break;
        case TP_SLOT_IS_COORDINATE:
            if (b == 0) {
                change = is_general ? system->beta[i] : 0.0;
            } else {
                tp_image image = tp_coordinate_image(system, i, 0);
                for (int e = 0; e < image.count; e++)
                    if (image.index[e] == d->velocity[b - 1]) change = image.factor[e];
            }
            break;
        case TP_SLOT_IS_RATE:
            for (int j = 0; j < d->size && is_general; j++)
                change += d->dF[(1 + i) * d->width * d->size + j] * d->F[j * d->width + b];
            break;
        case TP_SLOT_IS_VELOCITY:
        case TP_SLOT_IS_REFERENCE:
        case TP_SLOT_IS_INPUT:
        case TP_SLOT_IS_STATE:
        case TP_SLOT_IS_MULTIPLIER: break;
        }
        sum += system->gradient[k] * change;
    }
    return sum;
}

/* Is row k the derivative of a position? */
static bool is_closed_row(const tp_law *law, int k)
{
    if (law->level == TP_LEVEL_VELOCITY) return false;
    return k == 0 || (law->source != TP_SOURCE_FORMULA && law->source != TP_SOURCE_PAIR);
}

static bool is_moving(const tp_system *system, int body)
{
    return body != TP_GROUND && TP_LIST_AT(system->model->bodies, tp_body, body)->kind == TP_BODY_MOVING;
}

/* Whether chi of a row on velocities changes along them: friction against moving bodies. */
static bool touches_moving(const tp_system *system, const tp_law *law, int index)
{
    const tp_near_pair *pair = tp_system_pair(system, index);
    if (pair != NULL) {
        const tp_model_shape *shapes = system->model->shapes.items;
        return is_moving(system, shapes[pair->touch.shape_a].body) ||
               is_moving(system, shapes[pair->touch.shape_b].body);
    }
    if (law->source != TP_SOURCE_SPIN) return false;
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, law->element);
    return is_moving(system, joint->body_a) || is_moving(system, joint->body_b);
}

/* Row r applied to the bracket of time and column a of the frame, F^-1 (dF[E_0] e_a - dF[E_a] e_0). */
static double bracket_with_time(const tp_distribution *d, int r, int a)
{
    int width = d->width, size = d->size;
    double sum = 0.0;
    for (int j = 0; j < size; j++) {
        const double *dF = d->dF + j * width * size;
        double change = 0.0;
        for (int i = 0; i < size; i++)
            change += dF[a * size + i] * d->F[i * width] - dF[i] * d->F[i * width + a];
        for (int b = 0; b < width; b++) sum += d->A[r * width + b] * d->inverse[b * size + j] * change;
    }
    return sum;
}

/* D of row r of a law along columns: dV [width * width], change of entry a along b at a*width + b. The sum of
   (0, a) and (a, 0) comes from the drift at u = e_a, their difference from chi or from dd = 0; (4), (5). */
static bool law_derivatives(tp_distribution *d, const tp_part_law *part, int first_row, double *dV)
{
    tp_system *system = d->system;
    int index = part->law, width = d->width, count = tp_system_law_column_count(system, index);
    const int *columns = tp_system_law_columns(system, index);
    const tp_law *law = tp_system_law(system, index);
    double at_rest[TP_LAW_ROWS], drift[TP_LAW_ROWS];
    bool has_time = !system->model->is_autonomous || law->source == TP_SOURCE_FORMULA || d->is_own;
    memset(dV, 0, (size_t)(part->row_count * width * width) * sizeof(double));
    if (!tp_system_law_drift(system, index, at_rest)) return false;
    for (int r = 0; r < part->row_count; r++) {
        double *own = dV + r * width * width;
        if (!is_closed_row(law, r) && touches_moving(system, law, index)) return false;
        if (law->source == TP_SOURCE_FORMULA && tp_scalar_lacks_second(&law->row[r])) return false;
        tp_system_law_hessian(system, index, r, d->H);
        for (int e = 0; e < count * count; e++)
            own[d->local[columns[e % count]] * width + d->local[columns[e / count]]] = d->H[e];
        own[0] = at_rest[r];
        bool is_velocity = law->source == TP_SOURCE_FORMULA && !is_closed_row(law, r);
        for (int b = 1; b < width && is_velocity && has_time; b++)
            own[b] = law->row_factor[r] * change_of_chi(d, &law->row[r], b);
    }
    for (int c = 0; c < count && has_time; c++) {
        int a = d->local[columns[c]];
        memset(d->u, 0, (size_t)system->u_count * sizeof(double));
        d->u[columns[c]] = 1.0;
        tp_system_move(system, d->t, d->q, d->u);
        bool is_known = tp_system_law_drift(system, index, drift);
        for (int r = 0; r < part->row_count; r++) {
            double *own = dV + r * width * width, sum = drift[r] - at_rest[r] - own[a * width + a];
            if (law->source == TP_SOURCE_FORMULA && !is_closed_row(law, r)) {
                own[a * width] = sum - own[a];
            } else { /* closed: they differ by the bracket of the frame */
                double bracket = d->is_own ? bracket_with_time(d, first_row + r, a) : 0.0;
                own[a * width] = 0.5 * (sum + bracket);
                own[a] = 0.5 * (sum - bracket);
            }
        }
        if (!is_known) return false;
    }
    tp_rows_stand(d, d->t, d->q);
    return true;
}

/* Along columns becomes along the frame: D = dV F^-1, in units. */
static void put_derivatives(tp_distribution *d, const double *dV, int rows, double *D)
{
    int width = d->width, size = d->size;
    for (int e = 0; e < rows * width; e++) {
        double unit = e % width == 0 ? 1.0 : tp_column_unit(d, e % width);
        const double *along = dV + e * width;
        for (int i = 0; i < size; i++) {
            double sum = 0.0;
            for (int b = 0; b < width && d->is_own; b++) sum += along[b] * d->inverse[b * size + i];
            D[e * size + i] = unit * d->unit[i] * (d->is_own ? sum : along[i]);
        }
    }
}

bool tp_rows_differentiate(tp_distribution *d)
{
    int row = 0, block = d->width * d->width;
    if (d->is_own) rate_derivatives(d);
    for (int k = 0; k < d->law_count && d->is_exact; k++) {
        tp_arena arena = tp_arena_make(d->allocator);
        double *dV = TP_ARENA_ARRAY(&arena, double, d->laws[k].row_count *block);
        d->is_exact = dV != NULL && law_derivatives(d, &d->laws[k], row, dV);
        if (d->is_exact)
            put_derivatives(d, dV, d->laws[k].row_count, d->D + (size_t)(row * d->width * d->size));
        tp_arena_clear(&arena);
        row += d->laws[k].row_count;
    }
    return d->is_exact;
}
