/* A step of a scalable body; docs/theory/consistent.md (34)-(40). */
#include "scalable_step.h"

#include <math.h>

tp_scalable_step tp_scalable_step_make(tp_quat p, tp_quat mean, double dt)
{
    tp_scalable_step step = {.mean = mean, .size = tp_quat_dot(p, p), .dt = dt};
    tp_vec3 turn = tp_vec3_scale(0.5 * dt / step.size, tp_quat_vector(mean));
    double excess = dt * mean.w / step.size - tp_vec3_dot(turn, turn);
    step.X = tp_quat_from_parts(sqrt(1.0 + excess), turn); /* NaN: no end */
    step.rise = excess / (1.0 + step.X.w);
    step.Y = tp_quat_scale(0.5, tp_quat_add(tp_quat_unit(0), step.X));
    step.middle_size = step.size * tp_quat_dot(step.Y, step.Y);
    return step;
}

/* dX = dt/(2 s) Z dU with Z (nu, omega) = ((nu - Im X.omega)/X0, omega). */
static tp_quat change_of_X(const tp_scalable_step *step, tp_quat velocity)
{
    tp_vec3 turn = tp_quat_vector(velocity);
    return tp_quat_from_parts((velocity.w - tp_vec3_dot(tp_quat_vector(step->X), turn)) / step->X.w, turn);
}

/* Z^T */
static tp_quat along_mean(const tp_scalable_step *step, tp_quat row)
{
    double stretch = row.w / step->X.w;
    return tp_quat_from_parts(stretch,
                              tp_vec3_add_scaled(tp_quat_vector(row), -stretch, tp_quat_vector(step->X)));
}

tp_quat tp_scalable_end_row(const tp_scalable_step *step, tp_quat row)
{
    return along_mean(step, tp_quat_multiply(step->X, row));
}

tp_quat tp_scalable_middle_row(const tp_scalable_step *step, tp_quat row)
{
    return along_mean(step, tp_quat_multiply(step->Y, row));
}

tp_quat tp_scalable_displacement_row(const tp_scalable_step *step, tp_quat row)
{
    return along_mean(step, row); /* Q(p) (p+ - p) = 2 s (X - 1) */
}

/* Y^-1 */
static tp_quat back(const tp_scalable_step *step, tp_quat a)
{
    return tp_quat_scale(1.0 / tp_quat_dot(step->Y, step->Y),
                         tp_quat_multiply(tp_quat_conjugate(step->Y), a));
}

/* Y^-1 a - a = -Y^-1 (X - 1)/2 a */
static tp_quat back_rest(const tp_scalable_step *step, tp_quat a)
{
    tp_quat part = tp_quat_from_parts(step->rise, tp_quat_vector(step->X));
    return tp_quat_scale(-0.5, back(step, tp_quat_multiply(part, a)));
}

/* Change of Y^-1 a along velocity k: -Y^-1 dY Y^-1 a. */
static tp_quat back_change(const tp_scalable_step *step, tp_quat a, int k)
{
    tp_quat dX = change_of_X(step, tp_quat_unit(k));
    return tp_quat_scale(-0.25 * step->dt / step->size, back(step, tp_quat_multiply(dX, back(step, a))));
}

tp_quat tp_scalable_begin_row(const tp_scalable_step *step, tp_quat row)
{
    return back(step, row);
}

tp_quat tp_scalable_begin_row_change(const tp_scalable_step *step, tp_quat row, int k)
{
    return back_change(step, row, k);
}

/* J omega, in the middle or at the start. */
static tp_vec3 momentum_of(const tp_scalable_ends *ends)
{
    tp_vec3 v = tp_quat_vector(ends->begin);
    if (!ends->at_begin) v = tp_vec3_scale(0.5, tp_vec3_add(v, tp_quat_vector(ends->end)));
    return tp_mat3_apply(ends->body->inertia, v);
}

static tp_quat subtract(tp_quat a, tp_quat b)
{
    return tp_quat_add(a, tp_quat_scale(-1.0, b));
}

/* M c */
static tp_quat impulse(const tp_scalable_ends *ends)
{
    return tp_scalable_momentum(ends->body, subtract(ends->end, ends->begin));
}

tp_quat tp_scalable_step_force(const tp_scalable_step *step, const tp_scalable_ends *ends)
{
    tp_quat gyro =
        tp_quat_scale(1.0 / step->middle_size, tp_scalable_gyroscopic(step->mean, momentum_of(ends)));
    if (!ends->at_begin) return gyro;
    return tp_quat_add(gyro, tp_quat_scale(1.0 / step->dt, back_rest(step, impulse(ends))));
}

/* nu of the start is 2 s (X0 - 1)/dt. */
double tp_scalable_step_second(const tp_scalable_step *step, const tp_scalable_ends *ends)
{
    if (!ends->at_begin) return 0.0;
    double mass = tp_scalable_momentum(ends->body, tp_quat_unit(0)).w;
    return mass * (step->mean.w - 2.0 * step->size * step->rise / step->dt);
}

tp_quat tp_scalable_step_by_middle(const tp_scalable_step *step, const tp_scalable_ends *ends, int k)
{
    tp_vec3 momentum = momentum_of(ends);
    tp_quat unit = tp_quat_unit(k), gyro = tp_scalable_gyroscopic(step->mean, momentum);
    double size_change = 0.5 * step->dt * tp_quat_dot(step->Y, change_of_X(step, unit));
    tp_quat change = subtract(tp_scalable_gyroscopic(unit, momentum),
                              tp_quat_scale(size_change / step->middle_size, gyro));
    change = tp_quat_scale(step->dt / step->middle_size, change);
    return ends->at_begin ? tp_quat_add(change, back_change(step, impulse(ends), k)) : change;
}

tp_quat tp_scalable_step_by_end(const tp_scalable_step *step, const tp_scalable_ends *ends, int k)
{
    tp_quat unit = tp_quat_unit(k), Mk = tp_scalable_momentum(ends->body, unit);
    if (ends->at_begin) return back_rest(step, Mk);
    return tp_quat_scale(0.5 * step->dt / step->middle_size,
                         tp_scalable_gyroscopic(step->mean, tp_quat_vector(Mk)));
}

double tp_scalable_step_second_by_middle(const tp_scalable_step *step, const tp_scalable_ends *ends, int k)
{
    if (!ends->at_begin) return 0.0;
    double mass = tp_scalable_momentum(ends->body, tp_quat_unit(0)).w;
    return mass * ((k == 0) - change_of_X(step, tp_quat_unit(k)).w);
}
