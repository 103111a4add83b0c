/* Vectors of a few components for the kernels of the set layer. */
#ifndef TP_SET_SMALL_H
#define TP_SET_SMALL_H

#include <math.h>
#include <string.h>

/* Euclidean norm without overflow or underflow: the plain sum where it is safe, a scaled one elsewhere. */
static inline double tp_small_norm(int n, const double *x)
{
    double sum = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (largest == 0.0 || isinf(largest) || isnan(sum)) return isnan(sum) ? NAN : largest;
    sum = 0.0;
    for (int i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static inline double tp_small_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static inline void tp_small_copy(int n, const double *x, double *y_out)
{
    if (x != y_out) memcpy(y_out, x, (size_t)n * sizeof *x);
}

static inline void tp_small_zero(int n, double *x_out)
{
    for (int i = 0; i < n; i++) x_out[i] = 0.0;
}

/* The n x n identity times a factor. */
static inline void tp_small_identity(int n, double factor, double *a_out)
{
    for (int i = 0; i < n * n; i++) a_out[i] = 0.0;
    for (int i = 0; i < n; i++) a_out[i * (n + 1)] = factor;
}

#endif
