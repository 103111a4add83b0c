/* A force on a coordinate: f(s, s', t) along a basic row; docs/theory/forces.md (7)-(9). */
#include "force_kinds.h"
#include "math/dense.h"

typedef struct law_value {
    double force, d_s, d_rate, potential, dissipation;
} law_value;

static law_value evaluate_law(const tp_coordinate_spring *spring, double s, double rate, double t)
{
    law_value value = {0};
    if (spring->law.force == NULL) {
        double stretch = s - spring->rest;
        value.d_s = -spring->stiffness;
        value.d_rate = -spring->damping;
        value.force = value.d_s * stretch + value.d_rate * rate;
        value.potential = 0.5 * spring->stiffness * stretch * stretch;
        value.dissipation = spring->damping * rate * rate;
        return value;
    }
    double slope = 0.0;
    value.force = spring->law.force(spring->law.self, s, rate, t, &value.d_s, &value.d_rate);
    if (spring->law.potential != NULL) {
        value.potential = spring->law.potential(spring->law.self, s, t, &slope);
    }
    value.dissipation = -(value.force + slope) * rate;
    return value;
}

/* d(f W) = f H + W (f_s W + f_rate H^T u)^T; (9). */
static void add_jacobian(const law_value *value, const double *W, const double *H, const double *u,
                         tp_pair_jacobian *jacobian)
{
    enum { N = TP_PAIR_SIZE };
    for (int j = 0; j < N; j++) {
        double change = value->d_s * W[j] + value->d_rate * tp_dense_dot(N, H + N * j, u);
        for (int i = 0; i < N; i++) {
            jacobian->position[i + N * j] += value->force * H[i + N * j] + W[i] * change;
            jacobian->velocity[i + N * j] += value->d_rate * W[i] * W[j];
        }
    }
}

void tp_coordinate_spring_add(const tp_coordinate_spring *spring, const tp_pair_motion *motion,
                              tp_pair_force *out, tp_pair_jacobian *jacobian)
{
    double W[TP_PAIR_SIZE], H[TP_PAIR_SIZE * TP_PAIR_SIZE], u[TP_PAIR_SIZE];
    double s = tp_basic_row_rigid(&spring->row, &motion->A, &motion->B, W, jacobian != NULL ? H : NULL);
    tp_pair_to_array(&motion->twist_A, &motion->twist_B, u);
    if (spring->row.kind == TP_ROW_ANGLE) s += motion->winding;
    law_value value = evaluate_law(spring, s, tp_dense_dot(TP_PAIR_SIZE, W, u), motion->t);
    tp_wrench on_A, on_B;
    tp_pair_from_array(W, &on_A, &on_B);
    out->on_A = tp_wrench_add_scaled(out->on_A, value.force, on_A);
    out->on_B = tp_wrench_add_scaled(out->on_B, value.force, on_B);
    out->potential += value.potential;
    out->dissipation += value.dissipation;
    if (jacobian != NULL) add_jacobian(&value, W, H, u, jacobian);
}
