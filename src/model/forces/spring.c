/* Spring and damper between two points; docs/theory/forces.md (3)-(6). With d = p_B - p_A, l = |d|, n = d/l:
     tension T = k (l - l0) + c l',  force -T n on B at p_B, T n on A at p_A. */
#include "force_kinds.h"

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

/* d' = G u: one column for each of the twist's numbers; (5). */
static void find_columns(tp_vec3 arm_A, tp_vec3 arm_B, tp_vec3 *G)
{
    const tp_vec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        G[k] = tp_vec3_negate(axes[k]);
        G[3 + k] = tp_vec3_cross(arm_A, axes[k]);
        G[6 + k] = axes[k];
        G[9 + k] = tp_vec3_cross(axes[k], arm_B);
    }
    G[TP_PAIR_STRETCH] = tp_vec3_negate(arm_A);
    G[TP_PAIR_STRETCH + 1] = arm_B;
}

/* Whose arm a number of a twist changes: 0 A, 1 B, -1 none. */
static int side_of(int j)
{
    if (j >= TP_PAIR_STRETCH) return j - TP_PAIR_STRETCH;
    return j % 6 < 3 ? -1 : j / 6;
}

/* Q = G^T F; d' changes with the arms by w x G_j + e G_j; (6). */
static void add_jacobian(const line_force *line, const tp_pair_motion *motion, tp_vec3 arm_A, tp_vec3 arm_B,
                         tp_pair_jacobian *jacobian)
{
    tp_vec3 G[TP_PAIR_SIZE];
    find_columns(arm_A, arm_B, G);
    for (int j = 0; j < TP_PAIR_SIZE; j++) {
        int side = side_of(j);
        const tp_wrench *twist = side == 0 ? &motion->twist_A : &motion->twist_B;
        tp_vec3 by_rate = tp_mat3_apply(line->d_rate, G[j]),
                by_position = tp_mat3_apply(line->d_position, G[j]);
        double *position = jacobian->position + TP_PAIR_SIZE * j,
               *velocity = jacobian->velocity + TP_PAIR_SIZE * j;
        if (side >= 0) {
            tp_vec3 turned = tp_vec3_cross(twist->moment, G[j]);
            turned = tp_vec3_add_scaled(turned, twist->stretch, G[j]);
            by_position = tp_vec3_add(by_position, tp_mat3_apply(line->d_rate, turned));
        }
        for (int i = 0; i < TP_PAIR_SIZE; i++) {
            position[i] += tp_vec3_dot(G[i], by_position);
            velocity[i] += tp_vec3_dot(G[i], by_rate);
        }
        if (side < 0) continue;
        /* the moment of the force and its share in growth change with its arm */
        double moment[3];
        tp_vec3_to_array(tp_vec3_cross(G[j], line->force), moment);
        for (int k = 0; k < 3; k++) position[6 * side + 3 + k] += moment[k];
        position[TP_PAIR_STRETCH + side] += tp_vec3_dot(G[j], line->force);
    }
}

/* Velocity of a point of a body. */
static tp_vec3 point_rate(const tp_wrench *twist, tp_vec3 arm)
{
    tp_vec3 rate = tp_vec3_add(twist->force, tp_vec3_cross(twist->moment, arm));
    return tp_vec3_add_scaled(rate, twist->stretch, arm);
}

void tp_spring_add(const tp_spring *spring, const tp_pair_motion *motion, tp_pair_force *out,
                   tp_pair_jacobian *jacobian)
{
    tp_vec3 arm_A = tp_frame_direction(&motion->A, spring->point_A);
    tp_vec3 arm_B = tp_frame_direction(&motion->B, spring->point_B);
    tp_vec3 d = tp_vec3_sub(tp_vec3_add(motion->B.r, arm_B), tp_vec3_add(motion->A.r, arm_A));
    line_force line = evaluate_line(
        spring, d, tp_vec3_sub(point_rate(&motion->twist_B, arm_B), point_rate(&motion->twist_A, arm_A)));
    out->on_A = tp_wrench_add_scaled(out->on_A, -1.0, tp_wrench_at(arm_A, line.force));
    out->on_B = tp_wrench_add_scaled(out->on_B, 1.0, tp_wrench_at(arm_B, line.force));
    out->potential += line.potential;
    out->dissipation += line.dissipation;
    if (jacobian != NULL) add_jacobian(&line, motion, arm_A, arm_B, jacobian);
}
