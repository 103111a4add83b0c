/* Bushing: springs along the three directions of A's frame, and a torque from the rotation vector psi between
   both frames; docs/theory/forces.md (10)-(13). */
#include "force_kinds.h"
#include "tippe/rotation.h"

static tp_vec3 multiply(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Everything in A's frame of the bushing, whose columns in the world are R. */
typedef struct twist_state {
    tp_mat3 R, inverse; /* inverse: Tr(psi)^-1 */
    tp_vec3 psi, psi_rate;
    tp_vec3 omega_world, omega; /* of B against A */
    tp_vec3 load;               /* K psi + C psi' */
    tp_vec3 moment;             /* on B: -inverse^T load */
} twist_state;

static twist_state evaluate_twist(const tp_bushing *bushing, const tp_pair_motion *motion)
{
    twist_state at = {.R = tp_mat3_multiply(tp_frame_rotation(&motion->A), bushing->axes_A)};
    tp_mat3 R_B = tp_mat3_multiply(tp_frame_rotation(&motion->B), bushing->axes_B);
    at.psi = tp_rotation_log(tp_mat3_multiply(tp_mat3_transpose(at.R), R_B));
    at.inverse = tp_rotation_tangent_inverse(at.psi);
    at.omega_world = tp_vec3_sub(motion->twist_B.moment, motion->twist_A.moment);
    at.omega = tp_mat3_apply_transposed(at.R, at.omega_world);
    at.psi_rate = tp_mat3_apply(at.inverse, at.omega);
    at.load = tp_vec3_add(multiply(bushing->rotational_stiffness, at.psi),
                          multiply(bushing->rotational_damping, at.psi_rate));
    at.moment = tp_vec3_negate(tp_mat3_apply_transposed(at.inverse, at.load));
    return at;
}

/* R m changes with psi, with omega and with R itself; (12), (13). */
static void add_jacobian(const tp_bushing *bushing, const twist_state *at, tp_pair_jacobian *jacobian)
{
    tp_mat3 K = tp_mat3_diagonal(bushing->rotational_stiffness);
    tp_mat3 C = tp_mat3_diagonal(bushing->rotational_damping);
    tp_mat3 back = tp_mat3_transpose(at->R), inverse_T = tp_mat3_transpose(at->inverse);

    /* Change of m with psi (omega kept) and with omega. Tr(psi)^-T = Tr(-psi)^-1. */
    tp_mat3 rate_by_psi = tp_rotation_tangent_inverse_derivative(at->psi, at->omega);
    tp_mat3 load_by_psi = tp_mat3_add(K, tp_mat3_multiply(C, rate_by_psi));
    tp_mat3 lever_by_psi = tp_rotation_tangent_inverse_derivative(tp_vec3_negate(at->psi), at->load);
    tp_mat3 m_by_psi = tp_mat3_sub(lever_by_psi, tp_mat3_multiply(inverse_T, load_by_psi));
    tp_mat3 m_by_omega = tp_mat3_scale(-1.0, tp_mat3_multiply(inverse_T, tp_mat3_multiply(C, at->inverse)));

    /* In the world: dpsi = Tr^-1 R^T (dtheta_B - dtheta_A), domega = R^T (omega x dtheta_A). */
    tp_mat3 by_turn =
        tp_mat3_multiply(at->R, tp_mat3_multiply(m_by_psi, tp_mat3_multiply(at->inverse, back)));
    tp_mat3 by_omega = tp_mat3_multiply(at->R, tp_mat3_multiply(m_by_omega, back));
    tp_mat3 turned = tp_mat3_skew(tp_vec3_negate(tp_mat3_apply(at->R, at->moment)));
    tp_mat3 by_A = tp_mat3_sub(tp_mat3_multiply(by_omega, tp_mat3_skew(at->omega_world)), by_turn);
    by_A = tp_mat3_add(by_A, turned);
    tp_pair_add_block(jacobian->position, 3, 1, by_A);
    tp_pair_add_block(jacobian->position, 3, 3, by_turn);
    tp_pair_add_block(jacobian->position, 1, 1, tp_mat3_scale(-1.0, by_A));
    tp_pair_add_block(jacobian->position, 1, 3, tp_mat3_scale(-1.0, by_turn));
    tp_pair_add_block(jacobian->velocity, 3, 3, by_omega);
    tp_pair_add_block(jacobian->velocity, 1, 1, by_omega);
    tp_pair_add_block(jacobian->velocity, 1, 3, tp_mat3_scale(-1.0, by_omega));
    tp_pair_add_block(jacobian->velocity, 3, 1, tp_mat3_scale(-1.0, by_omega));
}

void tp_bushing_add(const tp_bushing *bushing, const tp_pair_motion *motion, tp_pair_force *out,
                    tp_pair_jacobian *jacobian)
{
    for (int k = 0; k < 3; k++) tp_coordinate_spring_add(&bushing->translation[k], motion, out, jacobian);
    twist_state at = evaluate_twist(bushing, motion);
    tp_vec3 moment = tp_mat3_apply(at.R, at.moment);
    out->on_A.moment = tp_vec3_sub(out->on_A.moment, moment);
    out->on_B.moment = tp_vec3_add(out->on_B.moment, moment);
    out->potential += 0.5 * tp_vec3_dot(at.psi, multiply(bushing->rotational_stiffness, at.psi));
    out->dissipation += tp_vec3_dot(at.psi_rate, multiply(bushing->rotational_damping, at.psi_rate));
    if (jacobian != NULL) add_jacobian(bushing, &at, jacobian);
}
