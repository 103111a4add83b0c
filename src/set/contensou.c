/* The exact Coulomb-Contensou set of a round Hertz contact, coordinates (t1, t2, tau): a solid of revolution
   whose meridian is known by its normal; theory/sets.md section 2.3. */
#include "set/contensou.h"

#include "set/friction_set.h"
#include "set/small.h"
#include "tolerances.h"

#define PI 3.14159265358979323846

/* Rbar = K_RATIO R: the patch radius that makes the pure drilling torque mu P_N Rbar (13). */
#define K_RATIO (3.0 * PI / 16.0)

enum {
    MAX_ROOT_STEPS = 80, /* bisection alone would need 53 */
    MAX_SERIES_TERMS = 30
};

/* (15): the series in x = 1/u, d_1 = 1/5, d_{m+1}/d_m = (4 m^2 - 1)/(2 m (2 m + 5)). */
static tp_contensou_point curve_by_series(double x)
{
    double term = 0.2, b_T = 1.0, b_tau = 0.0, slope = 0.0; /* slope = u^3 b_T'(u) */
    for (int m = 1; m <= MAX_SERIES_TERMS && term > tp_series_rest; m++) {
        double even = 2.0 * m;
        slope += term;
        b_T -= term * x * x / even;
        b_tau += term * x / (even - 1.0);
        term *= x * x * (even + 1.0) * (even - 1.0) / (even * (even + 5.0));
    }
    double w = K_RATIO * x;
    tp_contensou_point point = {b_T, b_tau / K_RATIO,
                                slope * (1.0 + w * w) * sqrt(1.0 + w * w) / (K_RATIO * K_RATIO)};
    return point;
}

tp_contensou_point tp_contensou_curve(double u)
{
    double u2 = u * u, b_T, b_tau, slope;
    if (u > tp_series_from) return curve_by_series(1.0 / u);
    if (u <= 1.0) {
        b_T = PI * 3.0 / 32.0 * u * (4.0 - u2);
        b_tau = (3.0 * u2 * u2 - 8.0 * u2 + 8.0) / 8.0;
        slope = PI * 3.0 / 32.0 * (4.0 - 3.0 * u2);
    } else {
        double root = sqrt((u - 1.0) * (u + 1.0));
        double angle = atan2(1.0, root); /* asin(1/u), well conditioned at u = 1 */
        b_T = 3.0 / 16.0 * (u * (4.0 - u2) * angle + (u2 + 2.0) * root / u);
        b_tau = ((3.0 * u2 * u2 - 8.0 * u2 + 8.0) * angle + (6.0 - 3.0 * u2) * root) / (4.0 * PI);
        slope = 3.0 / 16.0 * ((4.0 - 3.0 * u2) * angle + (3.0 * u2 - 2.0) * root / u2);
    }
    double w2 = u2 + K_RATIO * K_RATIO;
    tp_contensou_point point = {b_T, b_tau, slope * w2 * sqrt(w2) / (K_RATIO * K_RATIO)}; /* (17) */
    return point;
}

/* A point z seen in the meridian plane of the set with sliding radius p0 and half-height p1. */
typedef struct meridian {
    double p0, p1;       /* scale included                                            */
    double t, tau;       /* |(z_0, z_1)| and |z_2|                                    */
    double sine, cosine; /* of the normal angle phi of the normalised curve (16)   */
    tp_contensou_point foot;
    bool is_inside;
} meridian;

static meridian meridian_of(const tp_friction_set *D, double scale, const double *z)
{
    meridian m = {scale * D->parameter[0],
                  scale * D->parameter[1],
                  tp_small_norm(2, z),
                  fabs(z[2]),
                  0.0,
                  1.0,
                  {0.0, 1.0, 0.0},
                  false};
    return m;
}

static void put_normal(meridian *m, double phi)
{
    m->sine = sin(phi);
    m->cosine = cos(phi);
    m->foot = tp_contensou_curve(K_RATIO * m->sine / m->cosine);
}

/* (18): the tangential part of z - p(phi), positive at phi = 0, negative at pi/2; slope (19). */
static void tangential_offset(const meridian *m, double *value_out, double *slope_out)
{
    double largest = fmax(m->p0, m->p1);
    double q0 = (m->p0 / largest) * (m->p0 / largest), q1 = (m->p1 / largest) * (m->p1 / largest);
    double off_t = m->t / m->p0 - m->foot.b_T, off_tau = m->tau / m->p1 - m->foot.b_tau;
    *value_out = q0 * off_t * m->cosine - q1 * off_tau * m->sine;
    *slope_out = -q0 * off_t * m->sine - q1 * off_tau * m->cosine -
                 m->foot.radius * (q0 * m->cosine * m->cosine + q1 * m->sine * m->sine);
}

/* Newton kept in a bracket that every value narrows. Needs t, tau, p0, p1 > 0. */
static void find_normal(meridian *m)
{
    double low = 0.0, high = 0.5 * PI, phi = atan2(m->t, m->tau);
    for (int step = 0; step < MAX_ROOT_STEPS; step++) {
        if (!(phi > low && phi < high)) phi = 0.5 * (low + high);
        double value, slope;
        put_normal(m, phi);
        tangential_offset(m, &value, &slope);
        if (value > 0.0)
            low = phi;
        else if (value < 0.0)
            high = phi;
        else
            break; /* exact, or not a number */
        double change = slope < 0.0 ? -value / slope : INFINITY;
        phi += change;
        if (fabs(change) <= tp_root_change) {
            put_normal(m, fmin(fmax(phi, low), high));
            break;
        }
        if (high - low <= tp_root_rounding) break;
    }
}

/* Fills foot, normal and is_inside for a set that is neither flat nor a segment. */
static void find_foot(meridian *m)
{
    double t = m->t / m->p0, tau = m->tau / m->p1;
    if (t * t + tau * tau <= 0.88) { /* the level of the boundary is nowhere below 0.8836 */
        m->is_inside = true;
        return;
    }
    if (m->t == 0.0)
        put_normal(m, 0.0);
    else if (m->tau == 0.0)
        m->sine = 1.0, m->cosine = 0.0, m->foot = curve_by_series(0.0);
    else
        find_normal(m);
    double depth = (t - m->foot.b_T) * m->sine + (tau - m->foot.b_tau) * m->cosine;
    m->is_inside = depth <= 0.0; /* (20) */
}

static void project(const tp_friction_set *D, double scale, const double *z, double *p_out)
{
    meridian m = meridian_of(D, scale, z);
    double t_new = fmin(m.t, m.p0), tau_new = fmin(m.tau, m.p1); /* right for a disc or a segment */
    if (m.p0 > 0.0 && m.p1 > 0.0) {
        find_foot(&m);
        t_new = m.is_inside ? m.t : m.p0 * m.foot.b_T;
        tau_new = m.is_inside ? m.tau : m.p1 * m.foot.b_tau;
    }
    double shrink = t_new == m.t ? 1.0 : t_new / m.t;
    p_out[0] = shrink * z[0];
    p_out[1] = shrink * z[1];
    p_out[2] = copysign(tau_new, z[2]);
}

static bool contains(const tp_friction_set *D, double scale, const double *z)
{
    meridian m = meridian_of(D, scale, z);
    if (!(m.t <= m.p0 && m.tau <= m.p1)) return false;
    if (m.p0 > 0.0 && m.p1 > 0.0)
        find_foot(&m);
    else
        m.is_inside = true;
    return m.is_inside;
}

/* The boundary point for a normal in the meridian plane: tan(phi) = p0 n_t/(p1 n_tau) (16). */
static tp_contensou_point point_of_normal(double stretched_t, double stretched_tau)
{
    if (stretched_tau == 0.0) return curve_by_series(0.0);
    return tp_contensou_curve(K_RATIO * (stretched_t / stretched_tau));
}

static double support(const tp_friction_set *D, const double *y)
{
    double t = D->parameter[0] * tp_small_norm(2, y), tau = D->parameter[1] * fabs(y[2]);
    tp_contensou_point point = point_of_normal(t, tau);
    return t * point.b_T + tau * point.b_tau;
}

static void boundary(const tp_friction_set *D, const double *normal, double *p_out)
{
    double length = tp_small_norm(2, normal);
    tp_contensou_point point = point_of_normal(D->parameter[0] * length, D->parameter[1] * fabs(normal[2]));
    double along = length > 0.0 ? D->parameter[0] * point.b_T / length : 0.0;
    double tau = normal[2] == 0.0 ? 0.0 : D->parameter[1] * point.b_tau;
    p_out[2] = copysign(tau, normal[2]);
    p_out[0] = along * normal[0];
    p_out[1] = along * normal[1];
}

/* Flat sets: a disc (p1 = 0) or a segment (p0 = 0). */
static void flat_derivative(const meridian *m, const double *z, double *dz_out)
{
    double disc[4];
    tp_friction_project_derivative(&(tp_friction_set){TP_FRICTION_BALL, 2, &m->p0}, 1.0, z, disc, NULL);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) dz_out[i + 3 * j] = m->p0 > 0.0 ? disc[i + 2 * j] : 0.0;
    dz_out[8] = m->p1 > 0.0 && m->tau <= m->p1 ? 1.0 : 0.0;
}

/* (21): along the meridian radius/(radius + distance), around the axis the ratio of the distances from it. */
static void derivative(const tp_friction_set *D, double scale, const double *z, double *dz_out)
{
    meridian m = meridian_of(D, scale, z);
    tp_small_zero(9, dz_out);
    if (m.p0 == 0.0 || m.p1 == 0.0) {
        flat_derivative(&m, z, dz_out);
        return;
    }
    find_foot(&m);
    if (m.is_inside) {
        tp_small_identity(3, 1.0, dz_out);
        return;
    }
    double stretch = tp_small_norm(2, (double[]){m.p0 * m.cosine, m.p1 * m.sine});
    double radius = m.foot.radius * (stretch / m.p0) * (stretch / m.p1) * stretch;
    double distance = tp_small_norm(2, (double[]){m.t - m.p0 * m.foot.b_T, m.tau - m.p1 * m.foot.b_tau});
    double along = radius / (radius + distance);
    double around = m.t > 0.0 ? m.p0 * m.foot.b_T / m.t : along;
    double outward[2] = {m.t > 0.0 ? z[0] / m.t : 1.0, m.t > 0.0 ? z[1] / m.t : 0.0};
    double tangent[3] = {m.p0 * m.cosine / stretch * outward[0], m.p0 * m.cosine / stretch * outward[1],
                         -copysign(m.p1 * m.sine / stretch, z[2])};
    double side[3] = {-outward[1], outward[0], 0.0};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            dz_out[i + 3 * j] = along * tangent[i] * tangent[j] + around * side[i] * side[j];
}

const tp_friction_descriptor tp_friction_contensou = {
    .name = "contensou",
    .least_dimension = 3,
    .most_dimension = 3,
    .parameter_count = 2,
    .project = project,
    .contains = contains,
    .support = support,
    .boundary = boundary,
    .derivative = derivative,
    .transform = tp_friction_transform_radii,
};
