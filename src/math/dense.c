/* Small dense kernels: LU, Cholesky, Jacobi's eigenvalues, products. Column-major, no allocation. */
#include "dense.h"

#include <float.h>
#include <math.h>

enum { SMALL = 6, MAX_SWEEPS = 60 };

static double largest_entry(int n, const double *a, int lead)
{
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        const double *column = a + (size_t)j * (size_t)lead;
        for (int i = 0; i < n; i++) largest = tp_larger(largest, fabs(column[i]));
    }
    return largest;
}

static void swap_rows(int n, double *a, int lead, int row, int other)
{
    for (int j = 0; j < n; j++) {
        double *column = a + (size_t)j * (size_t)lead;
        double keep = column[row];
        column[row] = column[other];
        column[other] = keep;
    }
}

tp_status tp_dense_lu(int n, double *a, int lead, int *pivot, double tiny)
{
    double threshold = tiny * largest_entry(n, a, lead);
    for (int k = 0; k < n; k++) {
        double *column = a + (size_t)k * (size_t)lead;
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(column[i]) > fabs(column[best])) best = i;
        }
        pivot[k] = best;
        if (!(fabs(column[best]) > threshold) || isinf(column[best])) return TP_SINGULAR; /* NaN too */
        if (best != k) swap_rows(n, a, lead, k, best);

        /* Multipliers, then the remaining columns lose their part along the pivot row. */
        for (int i = k + 1; i < n; i++) column[i] /= column[k];
        for (int j = k + 1; j < n; j++) {
            double *target = a + (size_t)j * (size_t)lead;
            double factor = target[k];
            if (factor == 0.0) continue;
            for (int i = k + 1; i < n; i++) target[i] -= factor * column[i];
        }
    }
    return TP_OK;
}

void tp_dense_lu_solve(int n, const double *lu, int lead, const int *pivot, double *x)
{
    for (int k = 0; k < n; k++) {
        double value = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = value;
    }
    for (int k = 0; k < n; k++) {
        const double *column = lu + (size_t)k * (size_t)lead;
        for (int i = k + 1; i < n; i++) x[i] -= column[i] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *column = lu + (size_t)k * (size_t)lead;
        x[k] /= column[k];
        for (int i = 0; i < k; i++) x[i] -= column[i] * x[k];
    }
}

void tp_dense_lu_solve_transposed(int n, const double *lu, int lead, const int *pivot, double *x)
{
    for (int k = 0; k < n; k++) {
        const double *column = lu + (size_t)k * (size_t)lead;
        for (int i = 0; i < k; i++) x[k] -= column[i] * x[i];
        x[k] /= column[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *column = lu + (size_t)k * (size_t)lead;
        for (int i = k + 1; i < n; i++) x[k] -= column[i] * x[i];
    }
    for (int k = n - 1; k >= 0; k--) {
        double value = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = value;
    }
}

tp_status tp_dense_cholesky(int n, double *a, int lead, double tiny)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++) largest = fmax(largest, a[k + (size_t)k * (size_t)lead]);
    double threshold = tiny * largest;
    for (int k = 0; k < n; k++) {
        double *column = a + (size_t)k * (size_t)lead;
        if (!(column[k] > threshold) || isinf(column[k])) return TP_SINGULAR;
        double root = sqrt(column[k]);
        column[k] = root;
        for (int i = k + 1; i < n; i++) column[i] /= root;
        for (int j = k + 1; j < n; j++) {
            double *target = a + (size_t)j * (size_t)lead;
            double factor = column[j];
            for (int i = j; i < n; i++) target[i] -= factor * column[i];
        }
    }
    return TP_OK;
}

void tp_dense_cholesky_solve(int n, const double *l, int lead, double *x)
{
    for (int k = 0; k < n; k++) {
        const double *column = l + (size_t)k * (size_t)lead;
        x[k] /= column[k];
        for (int i = k + 1; i < n; i++) x[i] -= column[i] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *column = l + (size_t)k * (size_t)lead;
        for (int i = k + 1; i < n; i++) x[k] -= column[i] * x[i];
        x[k] /= column[k];
    }
}

/* 2^-e with |x| = m 2^e, 1/2 <= m < 1; 1 for zero. */
static double reciprocal_power_of_two(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return x == 0.0 ? 1.0 : ldexp(1.0, exponent > DBL_MAX_EXP - 2 ? 2 - DBL_MAX_EXP : -exponent);
}

/* Rows, then columns are scaled by powers of two (exactly), so that the test for a vanishing pivot does not
   depend on the units of rows and unknowns. */
tp_status tp_dense_solve_small(int n, const double *a, const double *y, double *x_out)
{
    if (n < 0 || n > SMALL) return TP_INVALID_ARGUMENT;
    double matrix[SMALL * SMALL], column_scale[SMALL], solution[SMALL];
    for (int i = 0; i < n; i++) {
        double largest = 0.0;
        for (int j = 0; j < n; j++) largest = tp_larger(largest, fabs(a[i + j * n]));
        double scale = reciprocal_power_of_two(largest);
        for (int j = 0; j < n; j++) matrix[i + j * n] = scale * a[i + j * n];
        solution[i] = scale * y[i];
    }
    for (int j = 0; j < n; j++) {
        double largest = 0.0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(matrix[i + j * n]));
        column_scale[j] = reciprocal_power_of_two(largest);
        for (int i = 0; i < n; i++) matrix[i + j * n] *= column_scale[j];
    }
    int pivot[SMALL];
    TP_TRY(tp_dense_lu(n, matrix, n, pivot, n * DBL_EPSILON));
    tp_dense_lu_solve(n, matrix, n, pivot, solution);
    for (int j = 0; j < n; j++) x_out[j] = column_scale[j] * solution[j];
    return TP_OK;
}

/* One rotation in the plane (p, q) that makes a_pq vanish; a is kept full and symmetric. */
static void rotate_plane(int n, double *a, double *v, int p, int q)
{
    double off = a[p + q * n];
    double half_cotangent = (a[q + q * n] - a[p + p * n]) / (2.0 * off);
    double tangent = copysign(1.0, half_cotangent) / (fabs(half_cotangent) + hypot(1.0, half_cotangent));
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = tangent * cosine;

    a[p + p * n] -= tangent * off;
    a[q + q * n] += tangent * off;
    a[p + q * n] = a[q + p * n] = 0.0;
    for (int i = 0; i < n; i++) {
        if (i != p && i != q) {
            double at_p = a[i + p * n], at_q = a[i + q * n];
            a[i + p * n] = a[p + i * n] = cosine * at_p - sine * at_q;
            a[i + q * n] = a[q + i * n] = sine * at_p + cosine * at_q;
        }
        double v_p = v[i + p * n], v_q = v[i + q * n];
        v[i + p * n] = cosine * v_p - sine * v_q;
        v[i + q * n] = sine * v_p + cosine * v_q;
    }
}

/* Sweeps until every off-diagonal entry is negligible beside its two diagonal ones. */
static void diagonalise(int n, double *a, double *v)
{
    double floor_value = DBL_EPSILON * DBL_EPSILON * largest_entry(n, a, n);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        bool rotated = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double beside = sqrt(fabs(a[p + p * n])) * sqrt(fabs(a[q + q * n]));
                if (!(fabs(a[p + q * n]) > 0.5 * DBL_EPSILON * beside + floor_value)) continue;
                rotate_plane(n, a, v, p, q);
                rotated = true;
            }
        }
        if (!rotated) return;
    }
}

void tp_dense_symmetric_eigen(int n, const double *a, double *values_out, double *v_out)
{
    double matrix[SMALL * SMALL], vectors[SMALL * SMALL];
    if (n > SMALL) return;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            matrix[i + j * n] = i >= j ? a[i + j * n] : a[j + i * n];
            vectors[i + j * n] = i == j ? 1.0 : 0.0;
        }
    }
    diagonalise(n, matrix, vectors);

    /* Ascending by insertion, eigenvectors along. */
    int order[SMALL];
    for (int k = 0; k < n; k++) {
        int place = k;
        for (; place > 0 && matrix[order[place - 1] * (n + 1)] > matrix[k * (n + 1)]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = k;
    }
    for (int k = 0; k < n; k++) {
        values_out[k] = matrix[order[k] * (n + 1)];
        for (int i = 0; v_out != NULL && i < n; i++) v_out[i + k * n] = vectors[i + order[k] * n];
    }
}

double tp_dense_largest_eigenvalue(int n, const double *a, int lead)
{
    double symmetric[SMALL * SMALL], values[SMALL];
    if (n <= 0 || n > SMALL) return 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) symmetric[i + j * n] = 0.5 * (a[i + j * lead] + a[j + i * lead]);
    }
    tp_dense_symmetric_eigen(n, symmetric, values, NULL);
    return values[n - 1];
}

void tp_dense_multiply(int m, int n, const double *a, int lead, const double *x, double *y_out)
{
    for (int i = 0; i < m; i++) y_out[i] = 0.0;
    tp_dense_multiply_add(m, n, a, lead, x, y_out);
}

void tp_dense_multiply_add(int m, int n, const double *a, int lead, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        const double *column = a + (size_t)j * (size_t)lead;
        for (int i = 0; i < m; i++) y[i] += column[i] * x[j];
    }
}

void tp_dense_multiply_transposed_add(int m, int n, const double *a, int lead, const double *x, double *y)
{
    for (int j = 0; j < n; j++) y[j] += tp_dense_dot(m, a + (size_t)j * (size_t)lead, x);
}

/* Three columns at once: a contact. */
static inline void add_three(int m, const double *restrict a, const double *b, int n, double *restrict c)
{
    for (int i = 0; i < m; i++) c[i] = c[i] + a[i] * b[0] + a[i + m] * b[n] + a[i + 2 * m] * b[2 * n];
}

void tp_dense_add_outer(int m, int n, int depth, const double *a, const double *b, double *c, int lead)
{
    for (int j = 0; j < n; j++, c += lead, b++) {
        if (depth == 3 && m == 6) {
            add_three(6, a, b, n, c);
        } else if (depth == 3) {
            add_three(m, a, b, n, c);
        } else {
            for (int k = 0; k < depth; k++) {
                for (int i = 0; i < m; i++) c[i] += a[i + k * m] * b[k * n];
            }
        }
    }
}

/* Four partial sums: the order is fixed, and the additions do not wait for each other. */
double tp_dense_dot(int n, const double *x, const double *y)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] * y[i + k];
    }
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void tp_dense_take_out(int n, int count, const double *vectors, int lead, double *x)
{
    for (int k = 0; k < 2 * count; k++) {
        const double *own = vectors + (size_t)(k % count) * (size_t)lead;
        double dot = tp_dense_dot(n, own, x);
        for (int i = 0; i < n; i++) x[i] -= dot * own[i];
    }
}

double tp_dense_largest(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

double tp_dense_norm(int n, const double *x)
{
    /* Squares between these bounds neither overflow nor lose digits to underflow. */
    const double too_small = DBL_MIN / DBL_EPSILON;
    double sum = tp_dense_dot(n, x, x);
    if (sum > too_small && sum <= DBL_MAX) return sqrt(sum);

    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest == 0.0 || isinf(largest)) return largest;
    double scaled = 0.0;
    for (int i = 0; i < n; i++) scaled += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(scaled);
}
