/* The formulas of examples/cam-follower-translated and examples/double-pendulum-wall-minimal as plugins that
   Siconos loads (bench/siconos_scenes.py): compiled, so that its side pays for no interpreter. Signs are
   Siconos's: M v' + gyro + internal = external. Matrices by columns. */
#include <math.h>

/* What Siconos calls; z are parameters of the user's own, which nothing here uses. */
typedef void external_plugin(double t, unsigned n, double *force, unsigned z_count, double *z);
typedef void mass_plugin(unsigned n, const double *q, double *M, unsigned z_count, double *z);
typedef void gyro_plugin(unsigned n, const double *q, const double *v, double *out, unsigned z_count,
                         double *z);
typedef void internal_plugin(double t, unsigned n, const double *q, const double *v, double *out,
                             unsigned z_count, double *z);
typedef void gap_plugin(unsigned n, const double *q, unsigned row_count, double *out, unsigned z_count,
                        double *z);

external_plugin cam_force;
mass_plugin pendulum_mass;
gyro_plugin pendulum_gyro, pendulum_gyro_d_q, pendulum_gyro_d_v;
internal_plugin pendulum_weight, pendulum_weight_d_q, pendulum_weight_d_v;
gap_plugin pendulum_upper_gap, pendulum_upper_row, pendulum_lower_gap, pendulum_lower_row;

/* ---- the cam ------------------------------------------------------------------------------------------- */

static const double pi = 3.14159265358979323846;

typedef struct cam_point {
    double lift, curve; /* and the second derivative of the lift with respect to the angle */
} cam_point;

/* One arc of the cam: radius rho about a centre at the distance k; the angle is measured from the line to it.
 */
static cam_point on_arc(double rho, double k, double along, double across)
{
    double root = sqrt(rho * rho - k * k * across * across), product = k * k * along * across;
    double curve = k * along + k * k * (across * across - along * along) / root -
                   product * product / (root * root * root);
    return (cam_point){-k * along + root, curve};
}

static cam_point cam_at(double b)
{
    static const double flank = 1.050328174371336, k2 = 0.40393320723821, rho3 = 0.15;
    if (b <= pi / 2.0) return (cam_point){0.4, 0.0};
    if (b <= pi / 2.0 + flank) return on_arc(0.85, 0.45, sin(b), cos(b));
    if (b <= 8.0 * pi / 9.0) return on_arc(rho3, k2, cos(b + pi / 9.0), sin(b + pi / 9.0));
    return (cam_point){k2 + rho3, 0.0};
}

void cam_force(double t, unsigned n, double *force, unsigned z_count, double *z)
{
    (void)n, (void)z_count, (void)z;
    static const double mass = 1.221, stiffness = 1430.8;
    const double w = 2.0 * pi * 358.0 / 60.0;
    cam_point point = cam_at(fabs(atan2(sin(w * t + pi / 2.0), cos(w * t + pi / 2.0))));
    force[0] = -mass * w * w * point.curve - stiffness * (point.lift - 0.3);
}

/* ---- the pendulum -------------------------------------------------------------------------------------- */

static const double rod = 0.5, inertia = 0.2 * 0.5 * 0.5, weight = 0.2 * 9.81 * 0.5; /* l, m l^2, m g l */

void pendulum_mass(unsigned n, const double *q, double *M, unsigned z_count, double *z)
{
    (void)n, (void)z_count, (void)z;
    M[0] = 2.0 * inertia;
    M[1] = M[2] = inertia * cos(q[0] - q[1]);
    M[3] = inertia;
}

void pendulum_gyro(unsigned n, const double *q, const double *v, double *out, unsigned z_count, double *z)
{
    (void)n, (void)z_count, (void)z;
    double s = inertia * sin(q[0] - q[1]);
    out[0] = s * v[1] * v[1];
    out[1] = -s * v[0] * v[0];
}

void pendulum_gyro_d_q(unsigned n, const double *q, const double *v, double *out, unsigned z_count, double *z)
{
    (void)n, (void)z_count, (void)z;
    double c = inertia * cos(q[0] - q[1]);
    out[0] = c * v[1] * v[1];
    out[1] = -c * v[0] * v[0];
    out[2] = -out[0];
    out[3] = -out[1];
}

void pendulum_gyro_d_v(unsigned n, const double *q, const double *v, double *out, unsigned z_count, double *z)
{
    (void)n, (void)z_count, (void)z;
    double s = inertia * sin(q[0] - q[1]);
    out[0] = out[3] = 0.0;
    out[1] = -2.0 * s * v[0];
    out[2] = 2.0 * s * v[1];
}

void pendulum_weight(double t, unsigned n, const double *q, const double *v, double *out, unsigned z_count,
                     double *z)
{
    (void)t, (void)n, (void)v, (void)z_count, (void)z;
    out[0] = 2.0 * weight * sin(q[0]);
    out[1] = weight * sin(q[1]);
}

void pendulum_weight_d_q(double t, unsigned n, const double *q, const double *v, double *out,
                         unsigned z_count, double *z)
{
    (void)t, (void)n, (void)v, (void)z_count, (void)z;
    out[0] = 2.0 * weight * cos(q[0]);
    out[1] = out[2] = 0.0;
    out[3] = weight * cos(q[1]);
}

void pendulum_weight_d_v(double t, unsigned n, const double *q, const double *v, double *out,
                         unsigned z_count, double *z)
{
    (void)t, (void)n, (void)q, (void)v, (void)z_count, (void)z;
    out[0] = out[1] = out[2] = out[3] = 0.0;
}

void pendulum_upper_gap(unsigned n, const double *q, unsigned row_count, double *out, unsigned z_count,
                        double *z)
{
    (void)n, (void)row_count, (void)z_count, (void)z;
    out[0] = rod * sin(q[0]);
}

void pendulum_upper_row(unsigned n, const double *q, unsigned row_count, double *out, unsigned z_count,
                        double *z)
{
    (void)n, (void)row_count, (void)z_count, (void)z;
    out[0] = rod * cos(q[0]);
    out[1] = 0.0;
}

void pendulum_lower_gap(unsigned n, const double *q, unsigned row_count, double *out, unsigned z_count,
                        double *z)
{
    (void)n, (void)row_count, (void)z_count, (void)z;
    out[0] = rod * (sin(q[0]) + sin(q[1]));
}

void pendulum_lower_row(unsigned n, const double *q, unsigned row_count, double *out, unsigned z_count,
                        double *z)
{
    (void)n, (void)row_count, (void)z_count, (void)z;
    out[0] = rod * cos(q[0]);
    out[1] = rod * cos(q[1]);
}
