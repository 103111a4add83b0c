/* Force elements between bodies and wrenches on them: forces, energy, derivatives; docs/theory/forces.md,
   bodies.md (14)-(16). */
#include "parts.h"

#include <string.h>

#define ELEMENT(system, i) TP_LIST_AT((system)->model->elements, tp_model_force, i)

/* Wrenches of the model, then those that a caller applies. */
static int wrench_count(const tp_system *system)
{
    return system->model->wrenches.count + system->applied_count;
}

static const tp_model_wrench *wrench_at(const tp_system *system, int i)
{
    int k = i - system->model->wrenches.count;
    return k < 0 ? TP_LIST_AT(system->model->wrenches, tp_model_wrench, i) : &system->applied[k].wrench;
}

static const tp_body *body_of(const tp_system *system, int index)
{
    return index == TP_GROUND ? NULL : TP_LIST_AT(system->model->bodies, tp_body, index);
}

/* What the arms of forces move with: the rotation of an affine body, else the directions, which may grow. */
static tp_mat3 arms_of(const tp_system *system, int body)
{
    return *tp_system_rotation(system, body);
}

/* Both bodies of an element as it wants to see them. */
static tp_pair_motion motion_of(const tp_system *system, const tp_model_force *force)
{
    const tp_body_state *A = tp_system_body(system, force->body_a),
                        *B = tp_system_body(system, force->body_b);
    tp_pair_motion motion = {.t = system->at.z[TP_SLOT_TIME],
                             .A = {A->frame.r, arms_of(system, force->body_a)},
                             .B = {B->frame.r, arms_of(system, force->body_b)},
                             .twist_A = {A->v, A->w, A->stretch},
                             .twist_B = {B->v, B->w, B->stretch}};
    if (force->joint < 0) return motion;
    const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, force->joint);
    if (joint->angle[force->coordinate] < 0) return motion;
    motion.winding = tp_system_joint_coordinate(system, force->joint, force->coordinate) -
                     tp_basic_row_value(&joint->joint.coordinate[force->coordinate], &A->frame, &B->frame);
    return motion;
}

static void add_wrench(const tp_system *system, int index, tp_wrench wrench, double *h)
{
    const tp_body *body = body_of(system, index);
    double none = 0.0;
    if (body != NULL) tp_body_add_row(system, index, wrench, h + body->u_first, &none);
}

/* ---- wrenches given by formulas ---- */

static tp_vec3 vector_of(tp_system *system, const tp_scalar *component)
{
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = tp_scalar_value(&component[k], &system->at);
    return tp_vec3_make(v[0], v[1], v[2]);
}

static double constant_of(void *self, double t, const double *q, const double *u)
{
    (void)t, (void)q, (void)u;
    return *(const double *)self;
}

static void set_applied(tp_applied *applied, const tp_model_wrench *given, const double *value)
{
    memmove(applied->value, value, sizeof applied->value);
    applied->wrench = *given;
    for (int i = 0; i < 6; i++) {
        tp_scalar *component = i < 3 ? &applied->wrench.force[i] : &applied->wrench.moment[i - 3];
        *component = (tp_scalar){.function = {.self = &applied->value[i], .value = constant_of}};
    }
}

void tp_system_apply(tp_system *system, const tp_model_wrench *given, const double *value)
{
    int k = 0;
    system->force_is_known = false;
    while (k < system->applied_count && system->applied[k].wrench.body != given->body) k++;
    if (value == NULL && k < system->applied_count) { /* those that follow move up: the order is kept */
        for (; k + 1 < system->applied_count; k++)
            set_applied(&system->applied[k], &system->applied[k + 1].wrench, system->applied[k + 1].value);
        system->applied_count--;
    }
    if (value == NULL) return;
    if (k == system->applied_count) system->applied_count++;
    set_applied(&system->applied[k], given, value);
}

/* In the world, about the body's origin. */
static tp_wrench given_wrench(tp_system *system, const tp_model_wrench *given)
{
    tp_vec3 force = vector_of(system, given->force), moment = vector_of(system, given->moment);
    tp_frame frame = {tp_vec3_zero(), arms_of(system, given->body)};
    tp_mat3 R = given->is_in_body ? tp_frame_rotation(&frame) : tp_mat3_identity();
    tp_wrench wrench = tp_wrench_at(tp_mat3_apply(frame.D, given->point), tp_mat3_apply(R, force));
    wrench.moment = tp_vec3_add(tp_mat3_apply(R, moment), wrench.moment);
    return wrench;
}

static tp_pair_force force_of(const tp_system *system, const tp_model_force *force)
{
    tp_pair_motion motion = motion_of(system, force);
    tp_pair_force out = {0};
    tp_force_evaluate(&force->element, &motion, &out);
    return out;
}

void tp_elements_add_force(tp_system *system, double *h)
{
    for (int i = 0; i < system->model->elements.count; i++) {
        const tp_model_force *force = ELEMENT(system, i);
        tp_pair_force out = force_of(system, force);
        add_wrench(system, force->body_a, out.on_A, h);
        add_wrench(system, force->body_b, out.on_B, h);
    }
    for (int i = 0; i < wrench_count(system); i++)
        add_wrench(system, wrench_at(system, i)->body, given_wrench(system, wrench_at(system, i)), h);
}

double tp_elements_potential_energy(tp_system *system)
{
    double energy = 0.0;
    for (int i = 0; i < system->model->elements.count; i++) {
        energy += force_of(system, ELEMENT(system, i)).potential;
    }
    return energy;
}

tp_wrench tp_system_force_on(tp_system *system, int force, double *energy_out)
{
    *energy_out = 0.0;
    if (force < 0)
        return given_wrench(system, TP_LIST_AT(system->model->wrenches, tp_model_wrench, -1 - force));
    tp_pair_force out = force_of(system, ELEMENT(system, force));
    *energy_out = out.potential;
    return out.on_B;
}

static bool is_moving(const tp_system *system, int index)
{
    const tp_body *body = body_of(system, index);
    return body != NULL && body->kind == TP_BODY_MOVING;
}

static double power(tp_wrench wrench, const tp_body_state *state)
{
    tp_wrench twist = {state->v, state->w, state->stretch};
    return tp_wrench_power(&wrench, &twist);
}

/* Power of given wrenches, and what moving bodies put into springs: minus the spring's power on them. */
double tp_elements_applied_power(tp_system *system)
{
    double sum = 0.0;
    for (int i = 0; i < wrench_count(system); i++) {
        const tp_model_wrench *wrench = wrench_at(system, i);
        sum += power(given_wrench(system, wrench), &system->body[wrench->body]);
    }
    for (int i = 0; i < system->model->elements.count; i++) {
        const tp_model_force *force = ELEMENT(system, i);
        bool moves_a = is_moving(system, force->body_a), moves_b = is_moving(system, force->body_b);
        if (!moves_a && !moves_b) continue;
        tp_pair_force out = force_of(system, force);
        if (moves_a) sum -= power(out.on_A, &system->body[force->body_a]);
        if (moves_b) sum -= power(out.on_B, &system->body[force->body_b]);
    }
    return sum;
}

double tp_elements_dissipated_power(tp_system *system)
{
    double sum = 0.0;
    for (int i = 0; i < system->model->elements.count; i++) {
        sum += force_of(system, ELEMENT(system, i)).dissipation;
    }
    return sum;
}

/* ---- derivatives ---- */

enum { BODY_TWISTS = TP_PAIR_SIZE / 2 }; /* velocities of a body, at most */

/* A body's velocities as twists: column k is what unit velocity k makes of (v, w in the world, growth).
   Returns their number. */
static int twists_of(const tp_system *system, int index, tp_wrench *twist_out)
{
    const tp_body *body = body_of(system, index);
    if (body == NULL || body->u_count == 0) return 0;
    for (int k = 0; k < body->u_count && body->kind == TP_BODY_AFFINE; k++)
        twist_out[k] = tp_affine_twist(system, index, k);
    if (body->kind == TP_BODY_AFFINE) return body->u_count;
    tp_mat3 D = system->body[index].frame.D;
    bool is_scalable = body->kind == TP_BODY_SCALABLE;
    double size = is_scalable ? tp_vec3_norm(D.cx) : 1.0, part = 1.0 / (size * size);
    tp_wrench unit[BODY_TWISTS] = {
        {.force = {1.0, 0.0, 0.0}}, {.force = {0.0, 1.0, 0.0}}, {.force = {0.0, 0.0, 1.0}}};
    const tp_vec3 axes[] = {D.cx, D.cy, D.cz};
    int first = is_scalable ? 4 : 3; /* of rotations */
    for (int k = 0; k < 3; k++) unit[first + k].moment = tp_vec3_scale(part, axes[k]);
    if (is_scalable) unit[3].stretch = 1.0 / size;
    memcpy(twist_out, unit, (size_t)body->u_count * sizeof *unit);
    if (body->kind == TP_BODY_PLANAR) twist_out[2] = (tp_wrench){.moment = {0.0, 0.0, 1.0}};
    return body->u_count;
}

/* A wrench by 14 x 14 derivatives along a twist of one body. */
static void multiply(const double *matrix, int side, const tp_wrench *twist, tp_wrench *on_A, tp_wrench *on_B)
{
    double x[BODY_TWISTS], y[TP_PAIR_SIZE] = {0.0};
    tp_vec3_to_array(twist->force, x);
    tp_vec3_to_array(twist->moment, x + 3);
    x[6] = twist->stretch;
    for (int j = 0; j < BODY_TWISTS; j++) {
        int at = j < 6 ? 6 * side + j : TP_PAIR_STRETCH + side;
        const double *column = matrix + (size_t)at * TP_PAIR_SIZE;
        if (x[j] == 0.0) continue;
        for (int i = 0; i < TP_PAIR_SIZE; i++) y[i] += column[i] * x[j];
    }
    tp_pair_from_array(y, on_A, on_B);
}

/* Puts a change of a wrench on a body into a column of a matrix. */
static void put(const tp_system *system, int index, tp_wrench change, int column, double *value)
{
    const tp_body *body = body_of(system, index);
    double W[TP_BODY_VELOCITIES] = {0.0}, none = 0.0;
    if (body == NULL || body->u_count == 0) return;
    tp_body_add_row(system, index, change, W, &none);
    int first = tp_pattern_place(&system->jacobian_pattern, body->u_first, column);
    for (int k = 0; k < body->u_count; k++) value[first + k] += W[k]; /* a body's rows stand together */
}

/* The moment on a body is taken along its own directions, which turn with it: D^T (dm - dtheta x m); and one
   that has grown moves less with the same velocities. */
static tp_wrench seen_from_body(tp_wrench change, const tp_wrench *twist, const tp_wrench *on_body)
{
    change.moment = tp_vec3_sub(change.moment, tp_vec3_cross(twist->moment, on_body->moment));
    if (twist->stretch == 0.0) return change;
    change.moment = tp_vec3_add_scaled(change.moment, -twist->stretch, on_body->moment);
    change.stretch -= twist->stretch * on_body->stretch;
    return change;
}

/* Velocity k of a body also depends on the position: w = D w_body turns when the body turns, dw = dtheta x w,
   and shrinks when it grows. */
static tp_wrench changed_twist(const tp_body_state *state, const tp_wrench *twist)
{
    tp_wrench turned = {.moment = tp_vec3_cross(twist->moment, state->w)};
    if (twist->stretch == 0.0) return turned;
    turned.moment = tp_vec3_add_scaled(turned.moment, -twist->stretch, state->w);
    turned.stretch = -twist->stretch * state->stretch;
    return turned;
}

/* For an affine body w changes by consistent.md (A8), and so does the row of the moment on it. */
static void add_columns(const tp_system *system, const tp_model_force *force, int side,
                        const tp_pair_force *at, const tp_pair_jacobian *jacobian, double *stiffness,
                        double *damping)
{
    int index = side == 0 ? force->body_a : force->body_b;
    bool is_affine = tp_is_affine(system->model, index);
    tp_wrench twist[TP_BODY_VELOCITIES];
    int count = twists_of(system, index, twist);
    for (int k = 0; k < count; k++) {
        int column = body_of(system, index)->u_first + k;
        tp_wrench on_A, on_B, more_A, more_B;
        multiply(jacobian->position, side, &twist[k], &on_A, &on_B);
        tp_wrench turned = changed_twist(&system->body[index], &twist[k]);
        if (is_affine) turned.moment = tp_affine_spin_change(system, body_of(system, index), k);
        multiply(jacobian->velocity, side, &turned, &more_A, &more_B);
        on_A = tp_wrench_add_scaled(on_A, 1.0, more_A);
        on_B = tp_wrench_add_scaled(on_B, 1.0, more_B);
        if (side == 0 && !is_affine)
            on_A = seen_from_body(on_A, &twist[k], &at->on_A);
        else if (!is_affine)
            on_B = seen_from_body(on_B, &twist[k], &at->on_B);
        put(system, force->body_a, on_A, column, stiffness);
        put(system, force->body_b, on_B, column, stiffness);
        multiply(jacobian->velocity, side, &twist[k], &on_A, &on_B);
        put(system, force->body_a, on_A, column, damping);
        put(system, force->body_b, on_B, column, damping);
    }
    tp_vec3 moment = side == 0 ? at->on_A.moment : at->on_B.moment;
    if (is_affine) tp_affine_add_turning(system, body_of(system, index), moment, stiffness);
}

/* The same into all columns of an image. */
static void put_image(const tp_system *system, int body, tp_wrench change, tp_image image, double *value)
{
    for (int a = 0; a < image.count; a++) {
        const tp_wrench none = {0};
        tp_wrench part = tp_wrench_add_scaled(none, image.factor[a], change);
        put(system, body, part, image.index[a], value);
    }
}

/* Derivatives of the components of a given wrench with respect to a slot. */
static void add_component(tp_system *system, const tp_model_wrench *given, const tp_scalar *component,
                          tp_wrench unit, double *stiffness, double *damping)
{
    if (component->slot_count == 0) return; /* a constant */
    tp_scalar_gradient(component, &system->at, system->gradient);
    for (int k = 0; k < component->slot_count; k++) {
        int slot = component->slots[k];
        tp_slot_kind kind = tp_slot_kind_of(slot);
        double d = system->gradient[k];
        const tp_wrench none = {0};
        tp_wrench change = tp_wrench_add_scaled(none, d, unit);
        if (!tp_slot_is_of_motion(slot)) continue;
        put_image(system, given->body, change, tp_slot_image(system, slot, 0),
                  kind == TP_SLOT_IS_COORDINATE ? stiffness : damping);
        put_image(system, given->body, change, tp_slot_shift(system, slot, 0), stiffness);
    }
}

/* Turning the body turns the arm, and the wrench itself where it is given along the body's directions. */
static void add_turning(tp_system *system, const tp_model_wrench *given, double *stiffness)
{
    tp_wrench now = given_wrench(system, given), twist[TP_BODY_VELOCITIES];
    tp_vec3 arm = tp_mat3_apply(arms_of(system, given->body), given->point);
    tp_vec3 couple = tp_vec3_sub(now.moment, tp_vec3_cross(arm, now.force));
    int count = twists_of(system, given->body, twist);
    bool is_affine = tp_is_affine(system->model, given->body);
    if (is_affine) tp_affine_add_turning(system, body_of(system, given->body), now.moment, stiffness);
    for (int k = 0; k < count; k++) {
        tp_vec3 turn = twist[k].moment,
                moved = tp_vec3_add_scaled(tp_vec3_cross(turn, arm), twist[k].stretch, arm);
        tp_wrench change = tp_wrench_at(moved, now.force);
        change.force = tp_vec3_zero();
        if (given->is_in_body) {
            change = tp_wrench_add_scaled(change, 1.0, tp_wrench_at(arm, tp_vec3_cross(turn, now.force)));
            change.moment = tp_vec3_add(change.moment, tp_vec3_cross(turn, couple));
        }
        if (!is_affine) change = seen_from_body(change, &twist[k], &now);
        put(system, given->body, change, body_of(system, given->body)->u_first + k, stiffness);
    }
}

tp_wrench tp_unit_wrench(const tp_system *system, const tp_model_wrench *given, int component)
{
    tp_frame frame = {tp_vec3_zero(), arms_of(system, given->body)};
    tp_mat3 R = given->is_in_body ? tp_frame_rotation(&frame) : tp_mat3_identity();
    tp_vec3 axis[] = {R.cx, R.cy, R.cz}, arm = tp_mat3_apply(frame.D, given->point);
    return component < 3 ? tp_wrench_at(arm, axis[component]) : (tp_wrench){.moment = axis[component - 3]};
}

static void add_given(tp_system *system, const tp_model_wrench *given, double *stiffness, double *damping)
{
    for (int k = 0; k < 6; k++)
        add_component(system, given, k < 3 ? &given->force[k] : &given->moment[k - 3],
                      tp_unit_wrench(system, given, k), stiffness, damping);
    add_turning(system, given, stiffness);
}

void tp_elements_force_jacobian(tp_system *system, double *stiffness, double *damping)
{
    for (int i = 0; i < system->model->elements.count; i++) {
        const tp_model_force *force = ELEMENT(system, i);
        tp_pair_motion motion = motion_of(system, force);
        tp_pair_force at = {0};
        tp_pair_jacobian jacobian = {{0.0}, {0.0}};
        tp_force_linearise(&force->element, &motion, &at, &jacobian);
        add_columns(system, force, 0, &at, &jacobian, stiffness, damping);
        add_columns(system, force, 1, &at, &jacobian, stiffness, damping);
    }
    for (int i = 0; i < wrench_count(system); i++)
        add_given(system, wrench_at(system, i), stiffness, damping);
}

/* ---- energies of single elements ---- */

/* The power of all forces is -V' minus the dissipation: V' along each velocity is the gradient. */
double tp_element_potential_gradient(tp_system *system, int element, double *gradient)
{
    const tp_model_force *force = ELEMENT(system, element);
    tp_pair_motion motion = motion_of(system, force);
    const tp_wrench still = {0};
    int bodies[] = {force->body_a, force->body_b}, place = 0;
    tp_pair_force out = {0};
    motion.twist_A = motion.twist_B = still;
    tp_force_evaluate(&force->element, &motion, &out);
    double value = out.potential;
    for (int side = 0; side < 2; side++) {
        tp_wrench twist[TP_BODY_VELOCITIES];
        int count = twists_of(system, bodies[side], twist);
        for (int k = 0; k < count; k++) {
            motion.twist_A = side == 0 ? twist[k] : still;
            motion.twist_B = side == 1 ? twist[k] : still;
            out = (tp_pair_force){0};
            tp_force_evaluate(&force->element, &motion, &out);
            const tp_wrench *on = side == 0 ? &out.on_A : &out.on_B;
            gradient[place++] = -tp_wrench_power(on, &twist[k]) - out.dissipation;
        }
    }
    return value;
}

/* Power of a moment along the change of the twist of velocity k, 1/2 d_i x e, with a step of d_i. */
static double turned_power(const tp_body *body, tp_vec3 moment, int k, const double *step)
{
    tp_vec3 unit = tp_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2),
            d = tp_vec3_from_array(step + body->u_first + 3 * (k / 3));
    return k < 3 ? 0.0 : 0.5 * tp_vec3_dot(moment, tp_vec3_cross(d, unit));
}

void tp_element_potential_product(tp_system *system, int element, const double *step, double *product)
{
    const tp_model_force *force = ELEMENT(system, element);
    tp_pair_motion motion = motion_of(system, force);
    tp_pair_force at = {0};
    tp_pair_jacobian jacobian = {{0.0}, {0.0}};
    int bodies[] = {force->body_a, force->body_b}, place = 0;
    tp_wrench sum[2];
    sum[0] = sum[1] = (tp_wrench){0};
    motion.twist_A = motion.twist_B = (tp_wrench){0};
    tp_force_linearise(&force->element, &motion, &at, &jacobian);
    for (int side = 0; side < 2; side++) {
        tp_wrench twist[TP_BODY_VELOCITIES], on[2];
        int count = twists_of(system, bodies[side], twist);
        for (int k = 0; k < count; k++) {
            double d = step[body_of(system, bodies[side])->u_first + k];
            multiply(jacobian.position, side, &twist[k], &on[0], &on[1]);
            for (int s = 0; s < 2; s++) sum[s] = tp_wrench_add_scaled(sum[s], -d, on[s]);
        }
    }
    for (int side = 0; side < 2; side++) {
        tp_wrench twist[TP_BODY_VELOCITIES], along = {0}, *on = side == 0 ? &at.on_A : &at.on_B;
        int count = twists_of(system, bodies[side], twist);
        for (int k = 0; k < count; k++)
            along = tp_wrench_add_scaled(along, step[body_of(system, bodies[side])->u_first + k], twist[k]);
        along.force = tp_vec3_zero();
        for (int k = 0; k < count; k++, place++) { /* the twists of a body that grows shrink */
            product[place] =
                tp_wrench_power(&sum[side], &twist[k]) + twist[k].stretch * tp_wrench_power(on, &along);
            if (tp_is_affine(system->model, bodies[side])) /* its twists change with the directions */
                product[place] -= turned_power(body_of(system, bodies[side]), on->moment, k, step);
        }
    }
}
