/* Proof that a problem has no solution; theory/problems.md (10). */
#include "certificate.h"

#include "math/block_matrix.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

/* Sine of the angle between y and its part of c below which c.y is not trusted to be negative. */
static const double smallest_descent = 1e-3;

/* Parts of y below this fraction of |y| are rounding. */
static const double smallest_part = 1e-6;

/* G^T y vanishes if no |P| below this many times the natural impulse |c|/rho could undo c.y. A soft but
   feasible problem (mass ratio 1e6) reaches 1e8. */
static const double unreachable = 1e10;

/* Nearest direction that proves something: FREE rows as they are, normal and complementarity parts not
   negative, BOX rows only towards an infinite bound, bounded bodies nothing. Tangential parts are counted,
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

/* c.y < 0, and G^T y = 0 to a precision that no finite impulse can overcome. */
static bool descends(const tp_local *local, const double *y, double *work)
{
    int n = local->row_count;
    double length = tp_dense_norm(n, y), slope = tp_dense_dot(n, local->c, y), touched = 0.0;
    for (int k = 0; k < n; k++) {
        if (y[k] != 0.0) touched += local->c[k] * local->c[k];
    }
    if (!(slope < 0.0) || !(slope <= -smallest_descent * sqrt(touched) * length)) return false;
    memset(work, 0, (size_t)n * sizeof(double));
    tp_block_matrix_apply_transposed_add(local->G, y, work);
    double reach = tp_dense_norm(n, work); /* y.xi = c.y + P.(G^T y) <= c.y + reach |P| */
    return local->rho * fabs(slope) >= unreachable * reach * local->scale;
}

tp_verdict tp_certificate_judge(const tp_local *local, double *y, double *work)
{
    double length = tp_dense_norm(local->row_count, y);
    if (!(length > 0.0) || !isfinite(length) || !descends(local, y, work)) return TP_VERDICT_NONE;
    for (int k = 0; k < local->row_count; k++) {
        if (fabs(y[k]) <= 1e-9 * length) y[k] = 0.0;
    }
    double removed = clean_direction(local, y);
    if (removed > smallest_part * length) return TP_VERDICT_LOCKED;
    return descends(local, y, work) ? TP_VERDICT_INFEASIBLE : TP_VERDICT_NONE;
}
