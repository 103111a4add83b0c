/* Rows of joints that contradict each other; theory/solvers.md (28c). */
#include "contradiction.h"

#include "math/block_matrix.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

double tp_joint_contradiction(const tp_local *local, const double *xi, double impulse, double *work)
{
    int n = local->row_count;
    double *y = work, *reach = work + n;
    memset(work, 0, 2 * (size_t)n * sizeof(double));
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind == TP_SET_FREE) memcpy(y + set->first, xi + set->first, (size_t)set->size * sizeof *y);
    }
    double length = tp_dense_norm(n, y);
    if (!(length > 0.0)) return 0.0;
    tp_block_matrix_apply_transposed_add(local->G, y, reach);
    double bound = fabs(tp_dense_dot(n, y, local->c)) - tp_dense_norm(n, reach) * impulse;
    return fmax(bound / length, 0.0);
}
