/* Products of balls: the ball, the cylinder of decoupled drilling or rolling friction, the brick. Everything
   is done factor by factor; theory/sets.md (6), (7). */
#include "set/shapes.h"
#include "set/small.h"

/* The factors of a shape: factor k is the ball of radius parameter[k] in the components first[k] to
   first[k+1] - 1. */
typedef struct factors {
    int count, first[TP_BODY_MAX + 1];
} factors;

static factors factors_of(tp_shape shape, int n)
{
    factors f = {1, {0, n, 0, 0, 0, 0}};
    if (shape == TP_SHAPE_CYLINDER) {
        f.count = 2;
        f.first[1] = 2;
        f.first[2] = n;
    } else if (shape == TP_SHAPE_BRICK) {
        f.count = n;
        for (int k = 0; k <= n; k++) f.first[k] = k;
    }
    return f;
}

/* Nearest point of the ball |p| <= radius. */
static void project_factor(int n, double radius, const double *z, double *p_out)
{
    double length = tp_small_norm(n, z);
    if (length <= radius) { /* sticking; also covers z = 0 */
        tp_small_copy(n, z, p_out);
    } else {
        double shrink = radius / length;
        for (int i = 0; i < n; i++) p_out[i] = shrink * z[i];
    }
}

void tp_balls_project(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                      double *p_out)
{
    if (shape == TP_SHAPE_BALL) { /* by far the most frequent */
        project_factor(n, scale * parameter[0], z, p_out);
        return;
    }
    factors f = factors_of(shape, n);
    for (int k = 0; k < f.count; k++) {
        int at = f.first[k];
        project_factor(f.first[k + 1] - at, scale * parameter[k], z + at, p_out + at);
    }
}

bool tp_balls_contains(tp_shape shape, int n, const double *parameter, double scale, const double *z)
{
    factors f = factors_of(shape, n);
    bool inside = true;
    for (int k = 0; k < f.count; k++) {
        double length = tp_small_norm(f.first[k + 1] - f.first[k], z + f.first[k]);
        inside = inside && length <= scale * parameter[k];
    }
    return inside;
}

double tp_balls_support(tp_shape shape, int n, const double *parameter, const double *y)
{
    factors f = factors_of(shape, n);
    double sum = 0.0;
    for (int k = 0; k < f.count; k++)
        sum += parameter[k] * tp_small_norm(f.first[k + 1] - f.first[k], y + f.first[k]);
    return sum;
}

void tp_balls_boundary(tp_shape shape, int n, const double *parameter, const double *normal, double *p_out)
{
    factors f = factors_of(shape, n);
    for (int k = 0; k < f.count; k++) {
        double length = tp_small_norm(f.first[k + 1] - f.first[k], normal + f.first[k]);
        for (int i = f.first[k]; i < f.first[k + 1]; i++)
            p_out[i] = length > 0.0 ? parameter[k] * (normal[i] / length) : 0.0;
    }
}

double tp_balls_gauge(tp_shape shape, int n, const double *parameter, const double *z)
{
    factors f = factors_of(shape, n);
    double gauge = 0.0;
    for (int k = 0; k < f.count; k++) {
        double length = tp_small_norm(f.first[k + 1] - f.first[k], z + f.first[k]);
        if (!(length <= 0.0)) gauge = fmax(gauge, length / parameter[k]);
    }
    return gauge;
}

/* (7): the identity inside a ball, (r/|z|) (I - z z^T/|z|^2) outside. */
void tp_balls_derivative(tp_shape shape, int n, const double *parameter, double scale, const double *z,
                         double *dz_out)
{
    factors f = factors_of(shape, n);
    tp_small_zero(n * n, dz_out);
    for (int k = 0; k < f.count; k++) {
        double radius = scale * parameter[k];
        double length = tp_small_norm(f.first[k + 1] - f.first[k], z + f.first[k]);
        bool inside = length <= radius;
        for (int j = f.first[k]; j < f.first[k + 1]; j++)
            for (int i = f.first[k]; i < f.first[k + 1]; i++) {
                double unit = i == j ? 1.0 : 0.0;
                dz_out[i + j * n] =
                    inside ? unit : radius / length * (unit - (z[i] / length) * (z[j] / length));
            }
    }
}
