/* How what formulas see, coordinates and rates and velocities, changes with the velocities and positions of
   the system; docs/theory/models.md (17a), bodies.md (2), consistent.md (A8). */
#include "parts.h"
#include "scalable.h"
#include "tippe/rotation.h"

/* The first body whose arguments of formulas end behind `at`: those of bodies follow each other. */
static int body_at(const tp_system *system, int at, bool is_velocity)
{
    int low = 0, high = system->model->bodies.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, middle);
        int end = is_velocity ? body->argument_u + tp_body_argument_u_count(body)
                              : body->argument_q + tp_body_argument_q_count(body);
        if (end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int tp_coordinate_owner(const tp_system *system, int i)
{
    return i < system->general_q ? TP_GROUND : body_at(system, i, false);
}

int tp_velocity_owner(const tp_system *system, int j)
{
    return j < system->general_u ? TP_GROUND : body_at(system, j, true);
}

/* x.w of an affine body, w its angular velocity. */
static tp_image spin_image(const tp_system *system, int b, tp_vec3 x, int use)
{
    tp_image image = {9, system->image_index[use], system->image_factor[use]};
    for (int k = 0; k < 9; k++)
        system->image_index[use][k] = TP_LIST_AT(system->model->bodies, tp_body, b)->u_first + 3 + k;
    tp_affine_spin_row(system, b, x, system->image_factor[use]);
    return image;
}

static tp_vec3 axis_of(const tp_system *system, int b, int k)
{
    const tp_mat3 *R = &system->rotation[b];
    return k == 0 ? R->cx : k == 1 ? R->cy : R->cz;
}

tp_image tp_velocity_image(const tp_system *system, int j, int use)
{
    int b = tp_velocity_owner(system, j);
    tp_image image = {1, system->image_index[use], system->image_factor[use]};
    system->image_index[use][0] = j;
    system->image_factor[use][0] = 1.0;
    if (b == TP_GROUND) return image;
    const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
    int k = j - body->argument_u;
    system->image_index[use][0] = body->u_first + k;
    if (body->kind != TP_BODY_AFFINE || k < 3) return image;
    return spin_image(system, b, axis_of(system, b, k - 3), use);
}

/* Angular velocities of affine bodies are along directions that turn. */
static tp_image velocity_shift(const tp_system *system, int j, int use)
{
    int b = tp_velocity_owner(system, j);
    const tp_body *body = b != TP_GROUND ? TP_LIST_AT(system->model->bodies, tp_body, b) : NULL;
    if (body == NULL || body->kind != TP_BODY_AFFINE || j - body->argument_u < 3)
        return (tp_image){0, system->image_index[use], system->image_factor[use]};
    tp_vec3 axis = axis_of(system, b, j - body->argument_u - 3);
    tp_image image = spin_image(system, b, axis, use);
    tp_affine_spin_shift(system, b, axis, system->image_factor[use]);
    return image;
}

tp_image tp_coordinate_image(const tp_system *system, int i, int use)
{
    int *index = system->image_index[use], b = tp_coordinate_owner(system, i);
    double *factor = system->image_factor[use];
    tp_image image = {1, index, factor};
    factor[0] = 1.0;
    if (b == TP_GROUND && !system->own_velocities) {
        index[0] = i;
    } else if (b == TP_GROUND) {
        image.count = system->general_u;
        for (int j = 0; j < system->general_u; j++) {
            index[j] = j;
            factor[j] = system->B[i + j * system->general_q];
        }
    } else {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        int k = i - body->argument_q;
        bool is_turn = k >= 3 && (body->kind == TP_BODY_RIGID || body->kind == TP_BODY_AFFINE);
        index[0] = body->u_first + k;
        is_turn |= k >= 3 && body->kind == TP_BODY_SCALABLE;
        if (!is_turn) return image;
        const double *p = system->at.q + body->argument_q + 3;
        if (body->kind == TP_BODY_SCALABLE) {
            image.count = TP_SCALABLE_TURN;
            for (int j = 0; j < image.count; j++) index[j] = body->u_first + 3 + j;
            tp_scalable_image(tp_quat_at(p), k - 3, factor);
            return image;
        }
        double psi[12];
        tp_quat_rate_matrix(tp_quat_make(p[0], p[1], p[2], p[3]), psi);
        if (body->kind == TP_BODY_AFFINE) {
            tp_vec3 row = tp_vec3_make(0.5 * psi[k - 3], 0.5 * psi[k + 1], 0.5 * psi[k + 5]);
            return spin_image(system, b, tp_mat3_apply(system->rotation[b], row), use);
        }
        image.count = 3;
        for (int j = 0; j < 3; j++) {
            index[j] = body->u_first + 3 + j;
            factor[j] = 0.5 * psi[k - 3 + 4 * j];
        }
    }
    return image;
}

/* Component k of the quaternion's rate when the body turns along its velocities: dp' = 1/2 dp (0, w). */
static tp_image rigid_rate_shift(const tp_system *system, const tp_body *body, int k, int use)
{
    tp_image image = {3, system->image_index[use], system->image_factor[use]};
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3);
    tp_vec3 w = tp_vec3_from_array(system->at.u + body->argument_u + 3);
    for (int j = 0; j < image.count; j++) {
        double all[4];
        tp_quat_put(tp_quat_rate(tp_quat_rate(p, tp_vec3_make(j == 0, j == 1, j == 2)), w), all);
        system->image_index[use][j] = body->u_first + 3 + j;
        system->image_factor[use][j] = all[k];
    }
    return image;
}

/* p' = p (nu, omega)/(2 s), and s grows with nu. */
static tp_image scalable_rate_shift(const tp_system *system, const tp_body *body, int k, int use)
{
    tp_image image = {TP_SCALABLE_TURN, system->image_index[use], system->image_factor[use]};
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3),
            velocity = tp_quat_at(system->at.u + body->argument_u + 3);
    double size = tp_quat_dot(p, p);
    for (int j = 0; j < image.count; j++) {
        tp_quat turned = tp_quat_scaled_rate(p, tp_quat_unit(j)),
                change = tp_quat_scale(0.5 / size, tp_quat_multiply(turned, velocity));
        if (j == 0)
            change = tp_quat_add(change, tp_quat_scale(-1.0 / size, tp_quat_scaled_rate(p, velocity)));
        double all[4];
        tp_quat_put(change, all);
        system->image_index[use][j] = body->u_first + 3 + j;
        system->image_factor[use][j] = all[k];
    }
    return image;
}

/* The directions turn the quaternion, and at fixed u they change the angular velocity; along the body's axes
   it is R^T (dw - dtheta x w). */
static tp_image affine_rate_shift(const tp_system *system, int b, int k, int use)
{
    tp_image image = {9, system->image_index[use], system->image_factor[use]};
    const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
    const tp_body_state *state = &system->body[b];
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3);
    tp_vec3 w = tp_mat3_apply_transposed(system->rotation[b], state->w);
    for (int j = 0; j < image.count; j++) {
        tp_vec3 turn = tp_affine_twist(system, b, 3 + j).moment,
                change =
                    tp_vec3_sub(tp_affine_spin_change(system, body, 3 + j), tp_vec3_cross(turn, state->w));
        tp_quat turned = tp_quat_rate(p, tp_mat3_apply_transposed(system->rotation[b], turn));
        double all[4];
        tp_quat_put(tp_quat_add(tp_quat_rate(turned, w),
                                tp_quat_rate(p, tp_mat3_apply_transposed(system->rotation[b], change))),
                    all);
        system->image_index[use][j] = body->u_first + 3 + j;
        system->image_factor[use][j] = all[k];
    }
    return image;
}

/* Rates of general coordinates depend on them through B, whose derivatives are left out. */
static tp_image rate_shift(const tp_system *system, int i, int use)
{
    int b = tp_coordinate_owner(system, i);
    const tp_body *body = b != TP_GROUND ? TP_LIST_AT(system->model->bodies, tp_body, b) : NULL;
    int k = body != NULL ? i - body->argument_q - 3 : -1;
    if (k >= 0 && body->kind == TP_BODY_RIGID) return rigid_rate_shift(system, body, k, use);
    if (k >= 0 && body->kind == TP_BODY_SCALABLE) return scalable_rate_shift(system, body, k, use);
    if (k >= 0 && body->kind == TP_BODY_AFFINE) return affine_rate_shift(system, b, k, use);
    return (tp_image){0, system->image_index[use], system->image_factor[use]};
}

tp_image tp_slot_image(const tp_system *system, int slot, int use)
{
    int i = tp_slot_index(slot);
    if (tp_slot_kind_of(slot) == TP_SLOT_IS_VELOCITY) return tp_velocity_image(system, i, use);
    return tp_coordinate_image(system, i, use);
}

tp_image tp_slot_shift(const tp_system *system, int slot, int use)
{
    tp_slot_kind kind = tp_slot_kind_of(slot);
    if (kind == TP_SLOT_IS_RATE) return rate_shift(system, tp_slot_index(slot), use);
    if (kind == TP_SLOT_IS_VELOCITY) return velocity_shift(system, tp_slot_index(slot), use);
    return (tp_image){0, system->image_index[use], system->image_factor[use]};
}
