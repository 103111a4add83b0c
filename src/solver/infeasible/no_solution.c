/* Proof that a problem has no solution; theory/problems.md (10). */
#include "no_solution.h"

#include "math/block_matrix.h"
#include "math/dense.h"
#include "solver/judge.h"
#include "solver/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Nearest direction that proves something: FREE rows as they are, normal and complementarity parts not
   negative, BOX rows only towards an infinite bound, friction sets nothing. Tangential parts are counted,
   then removed. */
static double clean_direction(const tp_local *local, double *y)
{
    double removed = 0.0;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        double *own = y + set->first, p[TP_SET_MAX];
        if (set->kind == TP_SET_CONTACT) {
            for (int k = 1; k < set->size; k++) {
                removed += own[k] * own[k];
                own[k] = 0.0;
            }
            if (own[0] < 0.0) {
                removed += own[0] * own[0];
                own[0] = 0.0;
            }
            continue;
        }
        tp_set_project_recession(set, own, p);
        for (int k = 0; k < set->size; k++) {
            removed += (own[k] - p[k]) * (own[k] - p[k]);
            own[k] = p[k];
        }
    }
    return sqrt(removed);
}

/* G^T y, and for each part the size of its terms times rounding. sizes_out [row_count]. */
static void reach_of(const tp_local *local, const double *y, double *reach_out, double *rounding_out)
{
    const tp_block_matrix *G = local->G;
    int n = local->row_count;
    memset(reach_out, 0, (size_t)n * sizeof(double));
    memset(rounding_out, 0, (size_t)n * sizeof(double));
    tp_block_matrix_apply_transposed_add(G, y, reach_out);
    for (int i = 0; i < G->block_rows; i++) {
        int height = G->first[i + 1] - G->first[i];
        for (int e = G->start[i]; e < G->start[i + 1]; e++) {
            int j = G->column[e], width = G->first[j + 1] - G->first[j];
            for (int c = 0; c < width; c++) {
                const double *entry = G->value + G->offset[e] + (size_t)c * (size_t)height;
                double size = 0.0;
                for (int r = 0; r < height; r++) size += fabs(entry[r] * y[G->first[i] + r]);
                rounding_out[G->first[j] + c] += tp_sum_roundings * DBL_EPSILON * size;
            }
        }
    }
}

/* |G^T y|, without the parts that rounding explains. */
static double norm_of_reach(const tp_local *local, const double *y, double *work)
{
    double sum = 0.0, *rounding = work + local->row_count;
    reach_of(local, y, work, rounding);
    for (int k = 0; k < local->row_count; k++) {
        double part = fabs(work[k]) - rounding[k];
        sum += part > 0.0 ? part * part : 0.0;
    }
    return sqrt(sum);
}

/* What y proves: no solution has |P| below this. Parts of G^T y that rounding may have made count with the
   size of that rounding. work [2 row_count]. */
static double proven_radius(const tp_local *local, const double *y, double *work)
{
    double sum = 0.0, *rounding = work + local->row_count;
    reach_of(local, y, work, rounding);
    for (int k = 0; k < local->row_count; k++) {
        double part = fmax(fabs(work[k]), rounding[k]);
        sum += part * part;
    }
    double descent = -tp_dense_dot(local->row_count, local->c, y);
    if (!(descent > 0.0)) return 0.0;
    return sum > 0.0 ? descent / sqrt(sum) : INFINITY;
}

bool tp_proof_reaches(const tp_local *local, const double *y, double *work)
{
    if (isinf(local->inertia)) return true;
    double velocity = tp_dense_norm(local->row_count, local->c);
    return proven_radius(local, y, work) >= tp_explained_impulse(local->inertia, velocity);
}

/* c.y < 0, and G^T y = 0 to a precision that no finite impulse can overcome. */
static bool descends(const tp_local *local, const double *y, double least_descent, double far_away,
                     double *work)
{
    int n = local->row_count;
    double length = tp_dense_norm(n, y), slope = tp_dense_dot(n, local->c, y), touched = 0.0;
    for (int k = 0; k < n; k++) {
        if (y[k] != 0.0) touched += local->c[k] * local->c[k];
    }
    if (!(slope < 0.0) || !(slope <= -least_descent * sqrt(touched) * length)) return false;
    double reach = norm_of_reach(local, y, work); /* y.xi = c.y + P.(G^T y) <= c.y + reach |P| */
    return local->rho * fabs(slope) >= far_away * reach * local->scale && tp_proof_reaches(local, y, work);
}

tp_proof_verdict tp_proof_judge(const tp_local *local, double *y, double *work)
{
    double length = tp_dense_norm(local->row_count, y);
    if (!(length > 0.0) || !isfinite(length)) return TP_VERDICT_NONE;
    bool may_lock = descends(local, y, tp_locked_descent, tp_locked_reach, work);
    for (int k = 0; k < local->row_count; k++) {
        if (fabs(y[k]) <= tp_negligible_part * length) y[k] = 0.0;
    }
    double removed = clean_direction(local, y);
    if (removed > tp_smallest_part * length) return may_lock ? TP_VERDICT_LOCKED : TP_VERDICT_NONE;
    return descends(local, y, tp_smallest_descent, tp_unreachable, work) ? TP_VERDICT_INFEASIBLE
                                                                         : TP_VERDICT_NONE;
}

void tp_proof_text(const tp_local *local, const double *y, tp_stack *stack, char *text_out, size_t size)
{
    int n = local->row_count, shown = 0;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double largest = 0.0, *work = TP_STACK_ARRAY(stack, double, 2 * (size_t)n);
    double radius = work != NULL ? proven_radius(local, y, work) : 0.0;
    tp_stack_release(stack, mark);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[i]));
    int length =
        snprintf(text_out, size, "no solution with |P| below %.1e: y.xi < 0 there, with y on rows", radius);
    for (int i = 0; i < n && length > 0 && (size_t)length < size; i++) {
        if (fabs(y[i]) <= tp_unnamed_part * largest) continue;
        if (shown++ == 12) {
            snprintf(text_out + length, size - (size_t)length, ", ...");
            break;
        }
        length += snprintf(text_out + length, size - (size_t)length, "%s %d", shown > 1 ? "," : "",
                           local->row_number != NULL ? local->row_number[i] : i);
    }
}
