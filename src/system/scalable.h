/* The scalable body at a point: q = (r, p) with a quaternion p of any length, size s = |p|^2, and u = (v, nu,
   omega) with nu = s' and omega = s times the angular velocity in the body's directions;
   docs/theory/bodies.md (12)-(19). Quaternions below are (nu, omega) or what acts on them. */
#ifndef TP_SYSTEM_SCALABLE_H
#define TP_SYSTEM_SCALABLE_H

#include "parts.h"
#include "tippe/rotation.h"

enum { TP_SCALABLE_TURN = 4 }; /* velocities that move p: nu and omega, from u_first + 3 */

static inline tp_quat tp_quat_unit(int k)
{
    return tp_quat_make(k == 0, k == 1, k == 2, k == 3);
}

/* Frame, velocities and rates of q; (12), (13). */
void tp_scalable_move(const double *q, const double *u, tp_body_state *state, double *rate_out);

/* M (nu, omega), M = diag(tr(J)/2, J); (14). */
tp_quat tp_scalable_momentum(const tp_body *body, tp_quat velocity);

/* (nu, omega) (0, m): gyroscopic terms times s of an angular momentum m; (15). */
tp_quat tp_scalable_gyroscopic(tp_quat velocity, tp_vec3 momentum);

/* Column k of the rotational block of M (k = 0: nu), rows from its diagonal block on; returns how many. */
int tp_scalable_mass_column(const tp_body *body, int k, double *column_out);

/* p' = factor_0 nu + factor_1 omega_1 ..., component i. */
void tp_scalable_image(tp_quat p, int i, double *factor_out);

/* Adds to (nu, omega) of h: gyroscopic terms, if asked for, and the covector f_p on p; (15), (16). */
void tp_scalable_add_force(const tp_body *body, tp_quat p, tp_quat velocity, const double *f_p,
                           bool has_inertia, double *h);

/* Adds the derivatives of that: stiffness[4 i + j] along velocity j, damping the same; (17), (18). */
void tp_scalable_add_jacobian(const tp_body *body, tp_quat p, tp_quat velocity, const double *f_p,
                              bool has_inertia, double *stiffness, double *damping);

/* A wrench as a row over (nu, omega); (19). */
void tp_scalable_add_row(const tp_body_state *state, tp_wrench wrench, double *W);

#endif
