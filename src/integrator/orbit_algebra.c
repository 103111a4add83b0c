/* Linear equations and eigenvalues of shooting. */
#include "orbit_algebra.h"

#include "math/analysis.h"
#include "math/dense.h"
#include "tolerances.h"

tp_status tp_orbit_least_norm(const tp_allocator *allocator, int m, int n, const double *a, const double *b,
                              double cut, double *x_out)
{
    return tp_analysis_least_squares(allocator, m, n, a, b, cut, x_out, NULL);
}

static double determinant(int n, double *a, int *pivot)
{
    double product = 1.0;
    if (tp_dense_lu(n, a, n, pivot, tp_shooting_pivot) != TP_OK) return 0.0;
    for (int i = 0; i < n; i++) product *= a[i + (size_t)i * (size_t)n] * (pivot[i] == i ? 1.0 : -1.0);
    return product;
}

tp_status tp_orbit_multipliers(const tp_allocator *allocator, int n, const double *a, double *real_out,
                               double *imaginary_out, double *determinant_out)
{
    tp_arena arena = tp_arena_make(allocator);
    double *copy = tp_arena_copy(&arena, a, (size_t)n * (size_t)n, sizeof(double));
    int *pivot = TP_ARENA_ARRAY(&arena, int, n + 1);
    tp_status status = copy != NULL && pivot != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK) status = tp_analysis_eigenvalues(allocator, n, a, real_out, imaginary_out);
    if (status == TP_OK) *determinant_out = determinant(n, copy, pivot);
    tp_arena_clear(&arena);
    return status;
}
