/* Products of balls: the ball, the cylinder of decoupled drilling or rolling friction, the brick. Everything
   is done factor by factor; theory/sets.md (6), (7). */
#include "set/friction_set.h"
#include "set/small.h"

/* The factors of a set: factor k is the ball of radius parameter[k] in the components first[k] to
   first[k+1] - 1. */
typedef struct factors {
    int count, first[TP_FRICTION_MAX + 1];
} factors;

static factors factors_of(const tp_friction_set *D)
{
    int n = D->dimension;
    factors f = {1, {0, n, 0, 0, 0, 0}};
    if (D->kind == TP_FRICTION_CYLINDER) {
        f.count = 2;
        f.first[1] = 2;
        f.first[2] = n;
    } else if (D->kind == TP_FRICTION_BRICK) {
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

static void project(const tp_friction_set *D, double scale, const double *z, double *p_out)
{
    if (D->kind == TP_FRICTION_BALL) { /* by far the most frequent */
        project_factor(D->dimension, scale * D->parameter[0], z, p_out);
        return;
    }
    factors f = factors_of(D);
    for (int k = 0; k < f.count; k++) {
        int at = f.first[k];
        project_factor(f.first[k + 1] - at, scale * D->parameter[k], z + at, p_out + at);
    }
}

static bool contains(const tp_friction_set *D, double scale, const double *z)
{
    factors f = factors_of(D);
    bool inside = true;
    for (int k = 0; k < f.count; k++) {
        double length = tp_small_norm(f.first[k + 1] - f.first[k], z + f.first[k]);
        inside = inside && length <= scale * D->parameter[k];
    }
    return inside;
}

static double support(const tp_friction_set *D, const double *y)
{
    factors f = factors_of(D);
    double sum = 0.0;
    for (int k = 0; k < f.count; k++)
        sum += D->parameter[k] * tp_small_norm(f.first[k + 1] - f.first[k], y + f.first[k]);
    return sum;
}

static void boundary(const tp_friction_set *D, const double *normal, double *p_out)
{
    factors f = factors_of(D);
    for (int k = 0; k < f.count; k++) {
        double length = tp_small_norm(f.first[k + 1] - f.first[k], normal + f.first[k]);
        for (int i = f.first[k]; i < f.first[k + 1]; i++)
            p_out[i] = length > 0.0 ? D->parameter[k] * (normal[i] / length) : 0.0;
    }
}

/* (7): the identity inside a ball, (r/|z|) (I - z z^T/|z|^2) outside. */
static void derivative(const tp_friction_set *D, double scale, const double *z, double *dz_out)
{
    factors f = factors_of(D);
    int n = D->dimension;
    tp_small_zero(n * n, dz_out);
    for (int k = 0; k < f.count; k++) {
        double radius = scale * D->parameter[k];
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

static tp_status transform_brick(int n, const double *factor, double lift, tp_set *set)
{
    for (int k = 0; k < n; k++) set->parameter[k] *= lift / factor[k];
    return TP_OK;
}

#define PRODUCT_OF_BALLS                                                                                     \
    .project = project, .contains = contains, .support = support, .boundary = boundary,                      \
    .derivative = derivative

const tp_friction_descriptor tp_friction_ball = {.name = "ball",
                                                 .least_dimension = 1,
                                                 .most_dimension = TP_FRICTION_MAX,
                                                 .parameter_count = 1,
                                                 PRODUCT_OF_BALLS,
                                                 .transform = tp_friction_transform_round};

const tp_friction_descriptor tp_friction_cylinder = {.name = "cylinder",
                                                     .least_dimension = 3,
                                                     .most_dimension = 4,
                                                     .parameter_count = 2,
                                                     PRODUCT_OF_BALLS,
                                                     .transform = tp_friction_transform_radii};

const tp_friction_descriptor tp_friction_brick = {.name = "brick",
                                                  .least_dimension = 1,
                                                  .most_dimension = 3,
                                                  .is_piecewise = true,
                                                  PRODUCT_OF_BALLS,
                                                  .transform = transform_brick};
