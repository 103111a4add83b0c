/* Ellipsoids sum (z_k/p_k)^2 <= 1, Euclidean: the secular equation of theory/sets.md (8)-(12). A semi-axis
   may be 0: its component is then 0. */
#include "set/friction_set.h"
#include "set/small.h"
#include "tolerances.h"

enum { MAX_SECULAR_STEPS = 60 }; /* quadratic convergence needs fewer than 10; a NaN ends here */

/* z and the semi-axes divided by the longest one, so that squares neither overflow nor vanish. */
typedef struct scaled {
    double unit;     /* the longest semi-axis                              */
    double z[3];     /* z/unit                                             */
    double s2[3];    /* (semi-axis/unit)^2; 0 means the component is 0     */
    double t;        /* root of the secular equation (9); 0 inside         */
    bool is_outside; /* also of a flat ellipsoid                           */
} scaled;

/* |(s_k z_k/(s_k^2 + t))_k| and the sum of its squares over (s_k^2 + t), the pieces of (9) and (10). */
static double secular_length(int n, const scaled *e, double t, double *slope_out)
{
    double square = 0.0, slope = 0.0;
    for (int k = 0; k < n; k++) {
        if (e->s2[k] == 0.0) continue;
        double q = e->z[k] / (e->s2[k] + t);
        square += e->s2[k] * q * q;
        slope += e->s2[k] * q * q / (e->s2[k] + t);
    }
    *slope_out = slope;
    return sqrt(square);
}

/* Newton on 1/length - 1, which is concave and increasing: from a t left of the root it climbs
   monotonically (10). The start is the root of the largest single component, which lies left of it. */
static void solve_secular(int n, scaled *e)
{
    double slope, t = 0.0;
    double length = secular_length(n, e, 0.0, &slope);
    if (!(length > 1.0)) return;
    e->is_outside = true;
    for (int k = 0; k < n; k++) t = fmax(t, sqrt(e->s2[k]) * fabs(e->z[k]) - e->s2[k]);
    for (int step = 0; step < MAX_SECULAR_STEPS; step++) {
        length = secular_length(n, e, t, &slope);
        double change = (length - 1.0) * length * length / slope;
        if (!(change > 0.0)) break;
        t += change;
        if (change <= tp_root_change * t) break;
    }
    e->t = t;
}

static scaled scale_and_solve(const tp_friction_set *D, double scale, const double *z)
{
    int n = D->dimension;
    scaled e = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, false};
    for (int k = 0; k < n; k++) e.unit = fmax(e.unit, scale * D->parameter[k]);
    if (e.unit == 0.0) {
        e.is_outside = true;
        return e;
    }
    for (int k = 0; k < n; k++) {
        double s = scale * D->parameter[k] / e.unit;
        e.s2[k] = s * s;
        e.z[k] = z[k] / e.unit;
        if (e.s2[k] == 0.0 && z[k] != 0.0) e.is_outside = true;
    }
    solve_secular(n, &e);
    return e;
}

static void project(const tp_friction_set *D, double scale, const double *z, double *p_out)
{
    scaled e = scale_and_solve(D, scale, z);
    for (int k = 0; k < D->dimension; k++) {
        if (!e.is_outside)
            p_out[k] = z[k];
        else
            p_out[k] = e.s2[k] == 0.0 ? 0.0 : z[k] * (e.s2[k] / (e.s2[k] + e.t)); /* (8) */
    }
}

static bool contains(const tp_friction_set *D, double scale, const double *z)
{
    double ratio[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < D->dimension; k++)
        if (z[k] != 0.0) ratio[k] = z[k] / (scale * D->parameter[k]);
    return tp_small_norm(D->dimension, ratio) <= 1.0;
}

static double support(const tp_friction_set *D, const double *y)
{
    double stretched[3];
    for (int k = 0; k < D->dimension; k++) stretched[k] = D->parameter[k] * y[k];
    return tp_small_norm(D->dimension, stretched);
}

/* A^2 normal/|A normal|, A = diag(p): the explicit sliding law (12). */
static void boundary(const tp_friction_set *D, const double *normal, double *p_out)
{
    double length = support(D, normal);
    for (int k = 0; k < D->dimension; k++)
        p_out[k] = length > 0.0 ? D->parameter[k] * (D->parameter[k] * normal[k] / length) : 0.0;
}

/* Outside, (11): J = G - (G m)(G m)^T/(m^T G m), G = diag(s^2/(s^2+t)), m the normal z_k/(s_k^2+t). */
static void derivative(const tp_friction_set *D, double scale, const double *z, double *dz_out)
{
    scaled e = scale_and_solve(D, scale, z);
    int n = D->dimension;
    double G[3], Gm[3], curvature = 0.0;
    for (int k = 0; k < n; k++) {
        G[k] = e.s2[k] == 0.0 ? 0.0 : e.s2[k] / (e.s2[k] + e.t);
        double m = G[k] == 0.0 ? 0.0 : e.z[k] / (e.s2[k] + e.t);
        Gm[k] = G[k] * m;
        curvature += Gm[k] * m;
    }
    tp_small_zero(n * n, dz_out);
    for (int k = 0; k < n; k++) dz_out[k * (n + 1)] = G[k];
    if (e.t > 0.0)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) dz_out[i + j * n] -= Gm[i] * (Gm[j] / curvature);
}

const tp_friction_descriptor tp_friction_ellipsoid = {
    .name = "ellipsoid",
    .least_dimension = 1,
    .most_dimension = 3,
    .project = project,
    .contains = contains,
    .support = support,
    .boundary = boundary,
    .derivative = derivative,
    .transform = tp_friction_transform_round,
};
