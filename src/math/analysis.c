/* Dense analysis by singular values and eigenvalues; the one file that calls LAPACK. Its own routines are
   called, not those of the library LAPACKE, so that all memory comes from the caller's allocator. */
#include "analysis.h"

#include "base/arena.h"
#include "dense.h"

#include <lapacke.h>
#include <math.h>

/* a = u diag(values) vt; u [m*m] and vt [n*n] only when vectors are wanted. */
typedef struct decomposition {
    double *values, *u, *vt;
} decomposition;

static bool all_finite(size_t count, const double *x)
{
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k])) return false;
    }
    return true;
}

static bool is_sound(int m, int n, const double *a)
{
    return m >= 0 && n >= 0 && all_finite((size_t)m * (size_t)n, a);
}

static tp_status status_of(lapack_int info)
{
    return info == 0 ? TP_OK : info > 0 ? TP_NOT_CONVERGED : TP_INTERNAL;
}

/* Work of the best length, which a routine has told. */
static tp_status take_work(tp_arena *arena, lapack_int info, double best, double **work_out,
                           lapack_int *length_out)
{
    if (info != 0) return TP_INTERNAL;
    *work_out = TP_ARENA_ARRAY(arena, double, best);
    *length_out = (lapack_int)best;
    return tp_arena_status(arena);
}

static tp_status decompose(tp_arena *arena, int m, int n, const double *a, bool vectors, decomposition *out)
{
    int least = m < n ? m : n;
    out->values = TP_ARENA_ARRAY(arena, double, least);
    out->u = TP_ARENA_ARRAY(arena, double, vectors ? (size_t)m *(size_t)m : 1);
    out->vt = TP_ARENA_ARRAY(arena, double, vectors ? (size_t)n *(size_t)n : 1);
    double *copy = tp_arena_copy(arena, a, (size_t)m * (size_t)n, sizeof(double));
    TP_TRY(tp_arena_status(arena));
    char job = vectors ? 'A' : 'N';
    int lead_u = vectors ? m : 1, lead_v = vectors ? n : 1;
    double best = 0.0, *work;
    lapack_int info = 0, length = -1; /* asks for the best length */
    LAPACK_dgesvd(&job, &job, &m, &n, copy, &m, out->values, out->u, &lead_u, out->vt, &lead_v, &best,
                  &length, &info);
    TP_TRY(take_work(arena, info, best, &work, &length));
    LAPACK_dgesvd(&job, &job, &m, &n, copy, &m, out->values, out->u, &lead_u, out->vt, &lead_v, work, &length,
                  &info);
    return status_of(info);
}

static int count_rank(int count, const double *values, double tolerance)
{
    int rank = 0;
    while (rank < count && values[rank] > tolerance * values[0]) rank++;
    return rank;
}

tp_status tp_analysis_rank(const tp_allocator *allocator, int m, int n, const double *a, double tolerance,
                           int *rank_out)
{
    *rank_out = 0;
    if (!is_sound(m, n, a)) return TP_INVALID_ARGUMENT;
    if (m == 0 || n == 0) return TP_OK;
    tp_arena arena = tp_arena_make(allocator);
    decomposition svd;
    tp_status status = decompose(&arena, m, n, a, false, &svd);
    if (status == TP_OK) *rank_out = count_rank(m < n ? m : n, svd.values, tolerance);
    tp_arena_clear(&arena);
    return status;
}

static tp_status symmetric_eigenvalues(tp_arena *arena, int n, const double *a, double *values_out,
                                       double *vectors_out)
{
    double *copy = tp_arena_copy(arena, a, (size_t)n * (size_t)n, sizeof(double));
    if (copy == NULL) return TP_OUT_OF_MEMORY;
    const char job = vectors_out != NULL ? 'V' : 'N', half = 'L';
    double best = 0.0, *work;
    lapack_int info = 0, length = -1;
    LAPACK_dsyev(&job, &half, &n, copy, &n, values_out, &best, &length, &info);
    TP_TRY(take_work(arena, info, best, &work, &length));
    LAPACK_dsyev(&job, &half, &n, copy, &n, values_out, work, &length, &info);
    TP_TRY(status_of(info));
    for (size_t k = 0; vectors_out != NULL && k < (size_t)n * (size_t)n; k++) vectors_out[k] = copy[k];
    return TP_OK;
}

tp_status tp_analysis_symmetric_eigenvalues(const tp_allocator *allocator, int n, const double *a,
                                            double *values_out, double *vectors_out)
{
    if (!is_sound(n, n, a)) return TP_INVALID_ARGUMENT;
    if (n == 0) return TP_OK;
    tp_arena arena = tp_arena_make(allocator);
    tp_status status = symmetric_eigenvalues(&arena, n, a, values_out, vectors_out);
    tp_arena_clear(&arena);
    return status;
}

/* x = v diag(1 / values) u^T b over the singular values that count. */
static void apply_pseudo_inverse(int m, int n, const decomposition *svd, int rank, const double *b,
                                 double *x_out)
{
    for (int k = 0; k < rank; k++) {
        double along = tp_dense_dot(m, svd->u + (size_t)k * (size_t)m, b) / svd->values[k];
        for (int j = 0; j < n; j++) x_out[j] += along * svd->vt[(size_t)k + (size_t)j * (size_t)n];
    }
}

tp_status tp_analysis_least_squares(const tp_allocator *allocator, int m, int n, const double *a,
                                    const double *b, double tolerance, double *x_out, int *rank_out)
{
    int rank = 0;
    if (!is_sound(m, n, a) || !is_sound(m, 1, b)) return TP_INVALID_ARGUMENT;
    for (int j = 0; j < n; j++) x_out[j] = 0.0;
    tp_status status = TP_OK;
    if (m > 0 && n > 0) {
        tp_arena arena = tp_arena_make(allocator);
        decomposition svd;
        status = decompose(&arena, m, n, a, true, &svd);
        if (status == TP_OK) {
            rank = count_rank(m < n ? m : n, svd.values, tolerance);
            apply_pseudo_inverse(m, n, &svd, rank, b, x_out);
        }
        tp_arena_clear(&arena);
    }
    if (rank_out != NULL) *rank_out = rank;
    return status;
}

tp_status tp_analysis_null_space(const tp_allocator *allocator, int m, int n, const double *a,
                                 double tolerance, double *basis_out, int *dimension_out)
{
    *dimension_out = 0;
    if (!is_sound(m, n, a)) return TP_INVALID_ARGUMENT;
    if (m == 0) { /* no equation: everything solves it */
        for (int k = 0; k < n * n; k++) basis_out[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
        *dimension_out = n;
        return TP_OK;
    }
    if (n == 0) return TP_OK;
    tp_arena arena = tp_arena_make(allocator);
    decomposition svd;
    tp_status status = decompose(&arena, m, n, a, true, &svd);
    if (status == TP_OK) {
        int rank = count_rank(m < n ? m : n, svd.values, tolerance);
        for (int k = rank; k < n; k++) {
            for (int j = 0; j < n; j++) basis_out[j + (k - rank) * n] = svd.vt[k + j * n];
        }
        *dimension_out = n - rank;
    }
    tp_arena_clear(&arena);
    return status;
}

static tp_status eigenvalues(tp_arena *arena, int n, const double *a, double *real_out, double *imaginary_out)
{
    double *copy = tp_arena_copy(arena, a, (size_t)n * (size_t)n, sizeof(double));
    if (copy == NULL) return TP_OUT_OF_MEMORY;
    const char job = 'N';
    const lapack_int one = 1;
    double none = 0.0, best = 0.0, *work;
    lapack_int info = 0, length = -1;
    LAPACK_dgeev(&job, &job, &n, copy, &n, real_out, imaginary_out, &none, &one, &none, &one, &best, &length,
                 &info);
    TP_TRY(take_work(arena, info, best, &work, &length));
    LAPACK_dgeev(&job, &job, &n, copy, &n, real_out, imaginary_out, &none, &one, &none, &one, work, &length,
                 &info);
    return status_of(info);
}

tp_status tp_analysis_eigenvalues(const tp_allocator *allocator, int n, const double *a, double *real_out,
                                  double *imaginary_out)
{
    if (!is_sound(n, n, a)) return TP_INVALID_ARGUMENT;
    if (n == 0) return TP_OK;
    tp_arena arena = tp_arena_make(allocator);
    tp_status status = eigenvalues(&arena, n, a, real_out, imaginary_out);
    tp_arena_clear(&arena);
    return status;
}
