/* Real roots of polynomials of small degree. Between two neighbouring roots of the derivative a polynomial is
   monotone, so the roots follow degree by degree from the linear derivative up. The variable is first scaled
   by a power of two, so that coefficients of any size neither overflow nor hide each other. */
#include "polynomial.h"

#include <float.h>
#include <limits.h>
#include <math.h>

enum { MAX_DEGREE = TP_POLYNOMIAL_MAX_DEGREE, MAX_STEPS = 400 };

/* A leading coefficient below this part of the largest, in the scaled variable, belongs to a root so far out
   that the others do not feel it. */
static const double negligible_leading = DBL_EPSILON * DBL_EPSILON;

typedef struct polynomial {
    int degree;
    double c[MAX_DEGREE + 1];
} polynomial;

double tp_polynomial_value(int degree, const double *coefficient, double x)
{
    double value = 0.0;
    for (int k = degree; k >= 0; k--) value = value * x + coefficient[k];
    return value;
}

static double value_and_slope(const polynomial *p, double x, double *slope_out)
{
    double value = 0.0, slope = 0.0;
    for (int k = p->degree; k >= 0; k--) {
        slope = slope * x + value;
        value = value * x + p->c[k];
    }
    *slope_out = slope;
    return value;
}

/* What rounding of coefficients and evaluation can make of a value that should be zero. */
static double noise_at(const polynomial *p, double x)
{
    double sum = 0.0;
    for (int k = p->degree; k >= 0; k--) sum = sum * fabs(x) + fabs(p->c[k]);
    return 8.0 * p->degree * DBL_EPSILON * sum;
}

static polynomial derivative(const polynomial *p)
{
    polynomial d = {.degree = p->degree - 1};
    for (int k = 0; k <= d.degree; k++) d.c[k] = (k + 1) * p->c[k + 1];
    return d;
}

/* All roots, also the complex ones, lie within this radius (Fujiwara's bound), with a margin for rounding. */
static double root_bound(const polynomial *p)
{
    double radius = 0.0;
    for (int k = 1; k <= p->degree; k++) {
        double ratio = fabs(p->c[p->degree - k] / p->c[p->degree]);
        radius = fmax(radius, pow(ratio, 1.0 / k));
    }
    return 2.5 * radius + DBL_MIN;
}

/* The root in [low, high], where p has the sign of low_value at low and the other at high: Newton's step
   where it stays inside and shrinks fast enough, bisection otherwise. */
static double root_between(const polynomial *p, double low, double high, double low_value)
{
    double x = 0.5 * (low + high), last_step = high - low, step = last_step;
    for (int k = 0; k < MAX_STEPS; k++) {
        double slope, value = value_and_slope(p, x, &slope);
        if (value == 0.0) return x;
        if ((value > 0.0) == (low_value > 0.0)) {
            low = x;
        } else {
            high = x;
        }
        double newton = slope != 0.0 ? x - value / slope : low - 1.0;
        bool inside = newton > low && newton < high && fabs(newton - x) < 0.5 * fabs(last_step);
        double next = inside ? newton : low + 0.5 * (high - low);
        last_step = step;
        step = next - x;
        if (next == x || !(next > low && next < high) || fabs(step) <= 0.5 * DBL_EPSILON * fabs(next)) {
            return next >= low && next <= high ? next : x;
        }
        x = next;
    }
    return x;
}

static int sign_of(double value)
{
    return (value > 0.0) - (value < 0.0);
}

/* Roots of p from those of its derivative; turning[1 ... count] ascending, places 0 and count + 1 free. */
static int roots_between_turning_points(const polynomial *p, int count, double *turning, double *roots_out)
{
    double bound = root_bound(p), value[MAX_DEGREE + 2];
    int found = 0;
    for (int k = 1; k <= count; k++) bound = fmax(bound, 2.0 * fabs(turning[k]));
    turning[0] = -bound;
    turning[count + 1] = bound;
    value[count + 1] = p->c[p->degree]; /* only signs are needed out there */
    value[0] = p->degree % 2 == 0 ? p->c[p->degree] : -p->c[p->degree];
    for (int k = 1; k <= count; k++) value[k] = tp_polynomial_value(p->degree, p->c, turning[k]);

    for (int k = 0; k <= count; k++) {
        int here = sign_of(value[k]), next = sign_of(value[k + 1]);
        if (k > 0) {
            /* A turning point that touches zero from one side: no sign change, yet a (double) root. */
            int before = sign_of(value[k - 1]);
            bool touches = here == before && here == next && fabs(value[k]) <= noise_at(p, turning[k]);
            if (here == 0 || touches) roots_out[found++] = turning[k];
        }
        if (here * next < 0) roots_out[found++] = root_between(p, turning[k], turning[k + 1], value[k]);
    }
    return found;
}

static int roots_of(const polynomial *p, double *roots_out)
{
    if (p->degree < 1) return 0;
    polynomial chain[MAX_DEGREE + 1];
    chain[p->degree] = *p;
    for (int d = p->degree; d > 1; d--) chain[d - 1] = derivative(&chain[d]);

    double turning[MAX_DEGREE + 2], roots[MAX_DEGREE];
    roots[0] = -chain[1].c[0] / chain[1].c[1];
    int count = 1;
    for (int d = 2; d <= p->degree; d++) {
        for (int k = 0; k < count; k++) turning[k + 1] = roots[k];
        count = roots_between_turning_points(&chain[d], count, turning, roots);
    }
    for (int k = 0; k < count; k++) roots_out[k] = roots[k];
    return count;
}

/* p(2^exponent y), divided by a power of two near its largest coefficient; nothing overflows. */
static polynomial scaled(const polynomial *p, int exponent)
{
    polynomial out = {.degree = p->degree};
    double mantissa[MAX_DEGREE + 1];
    int power[MAX_DEGREE + 1], largest = INT_MIN;
    for (int k = 0; k <= p->degree; k++) {
        mantissa[k] = frexp(p->c[k], &power[k]);
        power[k] += k * exponent;
        if (mantissa[k] != 0.0 && power[k] > largest) largest = power[k];
    }
    for (int k = 0; k <= p->degree; k++) {
        int shift = power[k] - largest;
        out.c[k] = mantissa[k] != 0.0 && shift > 2 * DBL_MIN_EXP ? ldexp(mantissa[k], shift) : 0.0;
    }
    return out;
}

/* The exponent that makes the first and the last coefficient equally large. */
static int balancing_exponent(const polynomial *p)
{
    int low, high;
    frexp(p->c[0], &low);
    frexp(p->c[p->degree], &high);
    return (int)lround((low - high) / (double)p->degree);
}

/* Scales, and drops leading coefficients that are nothing beside the others. */
static polynomial balanced(polynomial p, int *exponent_out)
{
    for (;;) {
        *exponent_out = p.degree > 0 ? balancing_exponent(&p) : 0;
        polynomial out = scaled(&p, *exponent_out);
        double largest = 0.0;
        for (int k = 0; k <= out.degree; k++) largest = fmax(largest, fabs(out.c[k]));
        if (p.degree < 1 || fabs(out.c[out.degree]) > negligible_leading * largest) return out;
        p.degree--;
        while (p.degree > 0 && p.c[p.degree] == 0.0) p.degree--;
    }
}

static int insert_zero(int count, double *roots)
{
    int place = count;
    for (; place > 0 && roots[place - 1] > 0.0; place--) roots[place] = roots[place - 1];
    roots[place] = 0.0;
    return count + 1;
}

int tp_polynomial_real_roots(int degree, const double *coefficient, double *roots_out)
{
    if (degree < 1 || degree > MAX_DEGREE) return 0;
    for (int k = 0; k <= degree; k++) {
        if (!isfinite(coefficient[k])) return 0;
    }
    while (degree > 0 && coefficient[degree] == 0.0) degree--;
    int zeros = 0; /* roots at exactly zero are split off */
    while (zeros < degree && coefficient[zeros] == 0.0) zeros++;
    polynomial p = {.degree = degree - zeros};
    for (int k = 0; k <= p.degree; k++) p.c[k] = coefficient[k + zeros];
    if (p.degree == 0) return zeros > 0 ? insert_zero(0, roots_out) : 0;

    int exponent, count = 0;
    polynomial q = balanced(p, &exponent);
    double roots[MAX_DEGREE];
    int found = roots_of(&q, roots);
    for (int k = 0; k < found; k++) {
        double root = ldexp(roots[k], exponent);
        if (isfinite(root)) roots_out[count++] = root;
    }
    return zeros > 0 ? insert_zero(count, roots_out) : count;
}
