/* Spring and damper between two points; docs/theory/forces.md (3)-(6). With d = p_B - p_A, l = |d|, n = d/l:
     tension T = k (l - l0) + c l',  force -T n on B at p_B, T n on A at p_A. */
#include "force.h"

/* Force on B as a function of d and d'. */
typedef struct line_force {
    tp_vec3 force;
    tp_mat3 d_position, d_rate;
    double potential, dissipation;
} line_force;

/* Points that coincide: without rest length the spring is isotropic, and the damper acts along the motion,
   which is the limit of passing straight through. With a rest length the force has no direction; its mean
   over all directions, zero, is taken. */
static line_force coinciding_points(const tp_spring *spring, tp_vec3 rate)
{
    line_force line = {.potential = 0.5 * spring->stiffness * spring->rest_length * spring->rest_length};
    if (spring->rest_length > 0.0) {
        if (spring->is_rope) line.potential = 0.0;
        return line;
    }
    line.force = tp_vec3_scale(-spring->damping, rate);
    line.d_position = tp_mat3_scale(-spring->stiffness, tp_mat3_identity());
    line.d_rate = tp_mat3_scale(-spring->damping, tp_mat3_identity());
    line.dissipation = spring->damping * tp_vec3_dot(rate, rate);
    return line;
}

static line_force evaluate_line(const tp_spring *spring, tp_vec3 d, tp_vec3 rate)
{
    double length = tp_vec3_norm(d);
    if (!(length > 0.0)) return coinciding_points(spring, rate);
    line_force line = {0};
    tp_vec3 n = tp_vec3_scale(1.0 / length, d);
    double stretch = length - spring->rest_length, length_rate = tp_vec3_dot(n, rate);
    if (spring->is_rope && stretch <= 0.0) return line; /* slack */
    double elastic = spring->stiffness * stretch, tension = elastic + spring->damping * length_rate;
    line.potential = 0.5 * elastic * stretch;
    if (spring->is_rope && tension <= 0.0) { /* retreats faster than it can contract: no force */
        line.dissipation = -elastic * length_rate;
        return line;
    }
    line.force = tp_vec3_scale(-tension, n);
    line.dissipation = spring->damping * length_rate * length_rate;

    /* Tension changes with the length and, through n, with the direction of the rate; n turns. */
    tp_mat3 nn = tp_mat3_outer(n, n), across = tp_mat3_sub(tp_mat3_identity(), nn);
    tp_vec3 slope = tp_vec3_add_scaled(tp_vec3_scale(spring->stiffness, n), spring->damping / length,
                                       tp_mat3_apply(across, rate));
    line.d_position = tp_mat3_sub(tp_mat3_scale(-tension / length, across), tp_mat3_outer(n, slope));
    line.d_rate = tp_mat3_scale(-spring->damping, nn);
    return line;
}

/* Q = G^T F with d' = G u, G = [-I, rho_A~, I, -rho_B~]; (5), (6). */
static void add_jacobian(const line_force *line, const tp_pair_motion *motion, tp_vec3 arm_A, tp_vec3 arm_B,
                         tp_pair_jacobian *jacobian)
{
    const tp_mat3 one = tp_mat3_identity(), minus = tp_mat3_scale(-1.0, one);
    const tp_mat3 skew_A = tp_mat3_skew(arm_A), skew_B = tp_mat3_skew(arm_B);
    const tp_mat3 G[4] = {minus, skew_A, one, tp_mat3_scale(-1.0, skew_B)};
    /* Change of d' when the arms turn. */
    const tp_mat3 turn_A = tp_mat3_multiply(tp_mat3_skew(motion->twist_A.moment), skew_A);
    const tp_mat3 turn_B = tp_mat3_multiply(tp_mat3_skew(motion->twist_B.moment), skew_B);
    const tp_mat3 zero = {0}, E[4] = {zero, turn_A, zero, tp_mat3_scale(-1.0, turn_B)};
    for (int j = 0; j < 4; j++) {
        tp_mat3 by_rate = tp_mat3_multiply(line->d_rate, G[j]);
        tp_mat3 by_position =
            tp_mat3_add(tp_mat3_multiply(line->d_position, G[j]), tp_mat3_multiply(line->d_rate, E[j]));
        for (int i = 0; i < 4; i++) {
            tp_mat3 transposed = tp_mat3_transpose(G[i]);
            tp_pair_add_block(jacobian->position, i, j, tp_mat3_multiply(transposed, by_position));
            tp_pair_add_block(jacobian->velocity, i, j, tp_mat3_multiply(transposed, by_rate));
        }
    }
    /* The force's moments change when its arms turn. */
    tp_mat3 force = tp_mat3_skew(line->force);
    tp_pair_add_block(jacobian->position, 1, 1, tp_mat3_scale(-1.0, tp_mat3_multiply(force, skew_A)));
    tp_pair_add_block(jacobian->position, 3, 3, tp_mat3_multiply(force, skew_B));
}

void tp_spring_add(const tp_spring *spring, const tp_pair_motion *motion, tp_pair_force *out,
                   tp_pair_jacobian *jacobian)
{
    tp_vec3 arm_A = tp_frame_direction(&motion->A, spring->point_A);
    tp_vec3 arm_B = tp_frame_direction(&motion->B, spring->point_B);
    tp_vec3 d = tp_vec3_sub(tp_vec3_add(motion->B.r, arm_B), tp_vec3_add(motion->A.r, arm_A));
    tp_vec3 rate_A = tp_vec3_add(motion->twist_A.force, tp_vec3_cross(motion->twist_A.moment, arm_A));
    tp_vec3 rate_B = tp_vec3_add(motion->twist_B.force, tp_vec3_cross(motion->twist_B.moment, arm_B));
    line_force line = evaluate_line(spring, d, tp_vec3_sub(rate_B, rate_A));
    out->on_A.force = tp_vec3_sub(out->on_A.force, line.force);
    out->on_A.moment = tp_vec3_sub(out->on_A.moment, tp_vec3_cross(arm_A, line.force));
    out->on_B.force = tp_vec3_add(out->on_B.force, line.force);
    out->on_B.moment = tp_vec3_add(out->on_B.moment, tp_vec3_cross(arm_B, line.force));
    out->potential += line.potential;
    out->dissipation += line.dissipation;
    if (jacobian != NULL) add_jacobian(&line, motion, arm_A, arm_B, jacobian);
}
