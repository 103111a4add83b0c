/* Which constraints are relations between positions although all of them together are not: those that no path
   leads across; docs/theory/holonomy.md (10)-(12). */
#include "examination.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "tolerances.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { PATH_LEGS = 3, IDLE_PATHS = 4 };
/* Adds a direction to an orthonormal list [count * size]; true if it is new. */
static bool add_direction(int size, double *list, int count, double *direction)
{
    double length = tp_dense_norm(size, direction);
    if (!(length > 0.0)) return false;
    tp_dense_take_out(size, count, list, size, direction);
    double rest = tp_dense_norm(size, direction);
    if (!(rest > tp_new_direction * length)) return false;
    for (int i = 0; i < size; i++) list[count * size + i] = direction[i] / rest;
    return true;
}

/* The admissible directions at the present point, carried back by the variation, join the list; (11). */
static tp_status add_carried(tp_examination *e, const double *variation, double *lu, int *pivot, double *list,
                             int *count)
{
    const tp_distribution *d = &e->d;
    int size = d->size;
    double *carried = lu + size * size;
    memcpy(lu, variation, (size_t)(size * size) * sizeof(double));
    if (tp_dense_lu(size, lu, size, pivot, 0.0) != TP_OK) return TP_OK;
    TP_TRY(tp_examination_basis(e));
    for (int k = 0; k < e->directions && *count < size; k++) {
        tp_distribution_lift(d, e->basis + k * d->width, carried);
        tp_dense_lu_solve(size, lu, size, pivot, carried);
        *count += add_direction(size, list, *count, carried);
    }
    return TP_OK;
}

/* Row operations that leave as few entries as there can be: the largest entry of each row is its pivot. */
void tp_examination_tidy(int size, int count, double *rows)
{
    for (int k = 0; k < count; k++) {
        double *own = rows + k * size;
        int pivot = 0;
        for (int i = 0; i < size; i++)
            if (fabs(own[i]) > (1.0 + tp_pivot_margin) * fabs(own[pivot])) pivot = i;
        double factor = own[pivot];
        for (int i = 0; i < size; i++) own[i] /= factor;
        for (int j = 0; j < count; j++) {
            double share = rows[j * size + pivot];
            for (int i = 0; i < size && j != k; i++) rows[j * size + i] -= share * own[i];
        }
    }
    for (int e = 0; e < size * count; e++)
        if (fabs(rows[e]) < tp_new_direction) rows[e] = 0.0;
}

/* A direction of the part over the whole frame of the model, out of units or (`is_row`) as a row over rates.
 */
double *tp_examination_whole(tp_examination *e, const double *direction, bool is_row)
{
    tp_holonomy *h = e->all;
    const tp_distribution *d = &e->d;
    double *out = TP_ARENA_ARRAY(&h->arena, double, h->frame_count);
    if (out == NULL) return NULL;
    int shift = h->frame_count - 1 - h->system->u_count; /* own velocities fewer than coordinates */
    for (int i = 0; i < d->size; i++) {
        int place = i;
        if (i > d->general) place = 1 + shift + d->velocity[i - 1 - (d->size - d->width)];
        out[place] = is_row ? direction[i] / d->unit[i] : direction[i] * d->unit[i];
    }
    return out;
}

static tp_status keep_integrable(tp_examination *e, const double *list, int count)
{
    tp_holonomy *h = e->all;
    int size = e->d.size, frame = h->frame_count;
    double *copy = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *kernel = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *kept = TP_ARENA_ARRAY(&h->arena, double, (size - count) * frame + 1);
    TP_TRY(tp_arena_status(&e->scratch));
    TP_TRY(tp_arena_status(&h->arena));
    e->part->integrable_count = size - count;
    e->part->integrable = kept;
    if (size == count) return TP_OK;
    for (int k = 0; k < count * size; k++) copy[k / size + count * (k % size)] = list[k];
    int dimension;
    TP_TRY(tp_analysis_null_space(h->allocator, count, size, copy, tp_null_space, kernel, &dimension));
    for (int k = 0; k < dimension; k++) {
        double *row = tp_examination_whole(e, kernel + k * size, true);
        if (row == NULL) return TP_OUT_OF_MEMORY;
        memcpy(kept + k * frame, row, (size_t)frame * sizeof(double));
    }
    tp_examination_tidy(frame, dimension, kept);
    return TP_OK;
}

/* Which points can be reached: admissible directions elsewhere, carried back along paths, span the tangent
   space of the set of points that can be reached; what they leave is integrable. */
tp_status tp_examination_integrable(tp_examination *e)
{
    tp_holonomy *h = e->all;
    tp_distribution *d = &e->d;
    int n = d->system->q_count, size = d->size, count = 0;
    double *list = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *lu = TP_ARENA_ARRAY(&e->scratch, double, size *size + size),
           *variation = TP_ARENA_ARRAY(&e->scratch, double, size *size),
           *v = TP_ARENA_ARRAY(&e->scratch, double, d->width),
           *q = TP_ARENA_ARRAY(&e->scratch, double, n + 1);
    int *pivot = TP_ARENA_ARRAY(&e->scratch, int, size);
    TP_TRY(tp_arena_status(&e->scratch));
    int idle = 0;
    int most = e->part->verdict == TP_HOLONOMIC ? 1 : INT_MAX; /* nothing else can be reached */
    for (int path = 0; path < most && idle < IDLE_PATHS && count < size; path++) {
        double t = 0.0;
        int before = count;
        memcpy(q, h->model->q0, (size_t)n * sizeof(double));
        memset(variation, 0, (size_t)(size * size) * sizeof(double));
        for (int i = 0; i < size; i++) variation[i + size * i] = 1.0;
        bool is_good = tp_examination_begin(e);
        for (int leg = 0; leg < (path == 0 ? 0 : PATH_LEGS) && is_good; leg++)
            is_good = tp_examination_wander(e, v, &t, q, variation);
        if (is_good && tp_distribution_move(d, t, q) && d->rank == e->part->rank)
            TP_TRY(add_carried(e, variation, lu, pivot, list, &count));
        idle = path > 0 && count == before ? idle + 1 : 0;
    }
    return keep_integrable(e, list, count);
}
