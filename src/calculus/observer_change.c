/* Observers that move against each other, and forces between points; calculus.md (14)-(16). */
#include "tippe/calculus.h"

tp_vec3 tp_observer_change_position(const tp_observer_change *observer, tp_vec3 x)
{
    return tp_vec3_add(tp_mat3_apply(observer->A, x), observer->r);
}

tp_vec3 tp_observer_change_vector(const tp_observer_change *observer, tp_vec3 vector)
{
    return tp_mat3_apply(observer->A, vector);
}

tp_vec3 tp_observer_change_velocity(const tp_observer_change *observer, tp_vec3 x, tp_vec3 v)
{
    tp_vec3 carried = tp_vec3_add(tp_mat3_apply(observer->A_rate, x), observer->r_rate);
    return tp_vec3_add(tp_mat3_apply(observer->A, v), carried);
}

/* x2 = A2 (A1 x + r1) + r2, and its rates. */
tp_observer_change tp_observer_change_compose(const tp_observer_change *first,
                                              const tp_observer_change *second)
{
    tp_mat3 turned = tp_mat3_multiply(second->A_rate, first->A);
    return (tp_observer_change){
        .clock = first->clock + second->clock,
        .A = tp_mat3_multiply(second->A, first->A),
        .A_rate = tp_mat3_add(turned, tp_mat3_multiply(second->A, first->A_rate)),
        .r = tp_observer_change_position(second, first->r),
        .r_rate = tp_observer_change_velocity(second, first->r, first->r_rate),
    };
}

tp_vec3 tp_observer_change_spin(const tp_observer_change *observer)
{
    tp_mat3 spin = tp_mat3_multiply(observer->A_rate, tp_mat3_transpose(observer->A));
    return tp_vec3_make(0.5 * (spin.cy.z - spin.cz.y), 0.5 * (spin.cz.x - spin.cx.z),
                        0.5 * (spin.cx.y - spin.cy.x));
}

void tp_interaction_residual(int count, const tp_vec3 *points, const tp_vec3 *forces, tp_vec3 *force_out,
                             tp_vec3 *moment_out)
{
    *force_out = *moment_out = tp_vec3_zero();
    for (int k = 0; k < count; k++) {
        *force_out = tp_vec3_add(*force_out, forces[k]);
        *moment_out = tp_vec3_add(*moment_out, tp_vec3_cross(points[k], forces[k]));
    }
}
