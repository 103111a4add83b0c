/* Short series: a quantity and its first derivatives along a motion, s[k] = d^k s / dt^k for k <= order (1 or
   2); docs/theory/formulas.md (6)-(9). */
#ifndef TP_FORMULA_SERIES_H
#define TP_FORMULA_SERIES_H

/* A slope times a motion. What stands still contributes nothing, even where the slope is infinite. */
static inline double tp_along(double slope, double motion)
{
    return motion == 0.0 ? 0.0 : slope * motion;
}

/* r = a b (Leibniz); where a vanishes nothing of b is seen. */
static inline void tp_series_multiply(int order, const double *a, const double *b, double *r)
{
    r[0] = tp_along(b[0], a[0]);
    r[1] = tp_along(b[0], a[1]) + tp_along(b[1], a[0]);
    if (order > 1) r[2] = tp_along(b[0], a[2]) + 2.0 * tp_along(b[1], a[1]) + tp_along(b[2], a[0]);
}

/* r = a / b */
static inline void tp_series_divide(int order, const double *a, const double *b, double *r)
{
    r[0] = a[0] / b[0];
    r[1] = (a[1] - r[0] * b[1]) / b[0];
    if (order > 1) r[2] = (a[2] - 2.0 * r[1] * b[1] - r[0] * b[2]) / b[0];
}

/* r = f(x), given f(x[0]) and three derivatives there: d[0] = f, d[1] = f' ... */
static inline void tp_series_compose(int order, const double *d, const double *x, double *r)
{
    r[0] = d[0];
    r[1] = tp_along(d[1], x[1]);
    if (order > 1) r[2] = tp_along(d[2], x[1] * x[1]) + tp_along(d[1], x[2]);
}

#endif
