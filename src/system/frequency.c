/* The largest frequency of the smooth forces, by power iteration: it limits the step of explicit schemes. */
#include "math/dense.h"
#include "parts.h"

#include <math.h>
#include <string.h>

enum { POWER_STEPS = 200 };

double tp_system_largest_frequency(tp_system *system, double *M, double *work)
{
    int m = system->general_u;
    if (system->own_velocities) return 0.0;
    tp_formulas_mass(system, M);
    if (tp_dense_cholesky(m, M, m, 0.0) != TP_OK) return 0.0;
    double *v = work, *w = work + m, value = 0.0;
    for (int j = 0; j < m; j++) v[j] = 1.0 + 0.618 * (j % 3) - 0.27 * (j % 5);
    for (int step = 0; step < POWER_STEPS; step++) {
        double length = tp_dense_norm(m, v);
        if (!(length > 0.0) || !isfinite(length)) return 0.0;
        for (int j = 0; j < m; j++) v[j] /= length;
        tp_formulas_stiffness_vector(system, v, w);
        tp_dense_cholesky_solve(m, M, m, w);
        value = tp_dense_dot(m, v, w);
        memcpy(v, w, (size_t)m * sizeof(double));
    }
    return value > 0.0 ? sqrt(value) : 0.0;
}
