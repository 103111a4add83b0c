/* Derivatives of the rows of laws over the columns of the law: of positions symmetric where u = q';
   docs/theory/consistent.md (5), second-level.md (13)-(15). */
#include "base/sort.h"
#include "discrete.h"
#include "scalable.h"

#include <string.h>

/* The matrix of one row that is being filled. */
typedef struct hessian {
    tp_system *system;
    int count;
    const int *columns;
    double *H; /* [count * count] */
} hessian;

/* Adds an entry of two coordinates, or of a velocity and a coordinate, seen by the velocities that move them.
 */
static void add_images(const hessian *h, tp_image row, tp_image column, double d)
{
    for (int b = 0; b < column.count; b++) {
        int at = tp_find_int(h->columns, h->count, column.index[b]) * h->count;
        for (int a = 0; a < row.count; a++)
            h->H[at + tp_find_int(h->columns, h->count, row.index[a])] +=
                row.factor[a] * column.factor[b] * d;
    }
}

static void add_entry(const hessian *h, int i, int j, double d)
{
    add_images(h, tp_coordinate_image(h->system, i, 0), tp_coordinate_image(h->system, j, 1), d);
}

/* B e_i = p E_i/(2 s), s = |p|^2 (1 of a rigid body), changes along velocity k by p E_k E_i/(4 s^2), and less
   if the body grows. */
int tp_body_turning(const tp_system *system, const tp_body *body, tp_quat f, double *matrix)
{
    bool is_scalable = body->kind == TP_BODY_SCALABLE;
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3);
    double size = is_scalable ? tp_quat_dot(p, p) : 1.0;
    tp_quat seen = tp_quat_scale(0.25 / (size * size), tp_quat_multiply(tp_quat_conjugate(p), f));
    int count = body->u_count - 3, skipped = TP_SCALABLE_TURN - count;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < count; i++) {
            tp_quat E_i = tp_quat_unit(i + skipped), E_k = tp_quat_unit(k + skipped);
            double value = tp_quat_dot(seen, tp_quat_multiply(E_k, E_i));
            if (is_scalable && k == 0) value -= 2.0 * tp_quat_dot(seen, E_i);
            matrix[i + count * k] = value;
        }
    }
    return count;
}

/* The gradient of a function over `count` slots of a kind from the first on; false: none of them. */
static bool part_of(const tp_scalar *scalar, const double *gradient, tp_slot_kind kind, int first, int count,
                    double *f)
{
    bool is_there = false;
    memset(f, 0, (size_t)count * sizeof *f);
    for (int s = 0; s < scalar->slot_count; s++) {
        int i = tp_slot_index(scalar->slots[s]) - first;
        if (tp_slot_kind_of(scalar->slots[s]) != kind || i < 0 || i >= count) continue;
        f[i] = gradient[s];
        is_there = true;
    }
    return is_there;
}

bool tp_body_covector(const tp_body *body, const tp_scalar *scalar, const double *gradient, double *f)
{
    memset(f, 0, 4 * sizeof *f);
    if (body->kind != TP_BODY_RIGID && body->kind != TP_BODY_SCALABLE) return false;
    return part_of(scalar, gradient, TP_SLOT_IS_COORDINATE, body->argument_q + 3, 4, f);
}

/* How the velocities move a quaternion, or make its rate, changes when it turns; of affine bodies also how
   they make the angular velocity. */
static void add_turnings(const hessian *h, const tp_scalar *g, tp_slot_kind kind, double factor)
{
    tp_system *system = h->system;
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        double f[4], f_w[3] = {0.0}, matrix[TP_BODY_VELOCITIES * TP_BODY_VELOCITIES] = {0.0};
        bool is_affine = body->kind == TP_BODY_AFFINE, is_there = false;
        if (!is_affine && body->kind != TP_BODY_RIGID && body->kind != TP_BODY_SCALABLE) continue;
        is_there = part_of(g, system->gradient, kind, body->argument_q + 3, 4, f);
        if (is_affine && kind == TP_SLOT_IS_RATE)
            is_there |= part_of(g, system->gradient, TP_SLOT_IS_VELOCITY, body->argument_u + 3, 3, f_w);
        if (!is_there) continue;
        int count = is_affine ? 0 : tp_body_turning(system, body, tp_quat_at(f), matrix), skipped = 0;
        if (is_affine) { /* no law need touch the position */
            tp_affine_turning(system, b, f, f_w, matrix);
            count = TP_BODY_VELOCITIES;
            skipped = 3;
        }
        int first = tp_find_int(h->columns, h->count, body->u_first + 3) - skipped;
        for (int e = 0; e < count * count; e++) {
            if (e % count >= skipped && e / count >= skipped)
                h->H[first + e % count + (first + e / count) * h->count] += factor * matrix[e];
        }
    }
}

/* The same of general coordinates with own velocities, q' = B u: f.(change of B e_a along B e_j). */
static void add_kinematics(const hessian *h, const tp_scalar *g, tp_slot_kind kind, double factor)
{
    tp_system *system = h->system;
    int n = system->general_q, m = system->general_u;
    double *f = system->dual;
    if (!system->own_velocities || !part_of(g, system->gradient, kind, 0, n, f)) return;
    for (int e = 0; e < n * m; e++) {
        int i = e % n, j = e / n;
        const tp_scalar *rate = TP_LIST_AT(system->model->coordinates, tp_variable, i)->rate;
        if (f[i] == 0.0 || tp_scalar_lacks_second(rate)) continue;
        for (int c = 0; c < n; c++) system->direction[tp_slot_coordinate(c)] = system->B[c + j * n];
        tp_scalar_hessian_vector(rate, &system->at, system->direction, system->gradient, system->product);
        for (int c = 0; c < n; c++) system->direction[tp_slot_coordinate(c)] = 0.0;
        for (int k = 0; k < rate->slot_count; k++) {
            if (tp_slot_kind_of(rate->slots[k]) != TP_SLOT_IS_VELOCITY || system->product[k] == 0.0) continue;
            int row = tp_find_int(h->columns, h->count, tp_slot_index(rate->slots[k]));
            h->H[row + tp_find_int(h->columns, h->count, j) * h->count] += factor * f[i] * system->product[k];
        }
    }
}

static void formula_hessian(const hessian *h, const tp_scalar *g)
{
    tp_system *system = h->system;
    for (int s = 0; s < g->slot_count; s++) {
        if (tp_slot_kind_of(g->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        system->direction[g->slots[s]] = 1.0;
        tp_scalar_hessian_vector(g, &system->at, system->direction, system->gradient, system->product);
        system->direction[g->slots[s]] = 0.0;
        for (int k = 0; k < g->slot_count; k++) {
            if (tp_slot_kind_of(g->slots[k]) == TP_SLOT_IS_COORDINATE)
                add_entry(h, tp_slot_index(g->slots[k]), tp_slot_index(g->slots[s]), system->product[k]);
        }
    }
    tp_scalar_gradient(g, &system->at, system->gradient);
    add_turnings(h, g, TP_SLOT_IS_COORDINATE, 1.0);
    add_kinematics(h, g, TP_SLOT_IS_COORDINATE, 1.0);
}

/* Derivatives of the row of a velocity over the positions. */
static void velocity_hessian(const hessian *h, const tp_scalar *gamma, double factor)
{
    tp_system *system = h->system;
    if (gamma->formula == NULL && gamma->function.hessian_vector == NULL) return;
    for (int s = 0; s < gamma->slot_count; s++) {
        if (tp_slot_kind_of(gamma->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        system->direction[gamma->slots[s]] = 1.0;
        tp_scalar_hessian_vector(gamma, &system->at, system->direction, system->gradient, system->product);
        system->direction[gamma->slots[s]] = 0.0;
        for (int k = 0; k < gamma->slot_count; k++) {
            tp_slot_kind kind = tp_slot_kind_of(gamma->slots[k]);
            if (kind != TP_SLOT_IS_VELOCITY && kind != TP_SLOT_IS_RATE) continue;
            add_images(h, tp_slot_image(system, gamma->slots[k], 0),
                       tp_coordinate_image(system, tp_slot_index(gamma->slots[s]), 1),
                       factor * system->product[k]);
        }
    }
    tp_scalar_gradient(gamma, &system->at, system->gradient);
    add_turnings(h, gamma, TP_SLOT_IS_RATE, factor);
    add_kinematics(h, gamma, TP_SLOT_IS_RATE, factor);
}

/* A velocity of one of the two bodies of a row as a twist in space. */
typedef struct motion {
    int side;
    tp_wrench twist;
    int column; /* of the law */
} motion;

static int add_motions(const hessian *h, int index, int side, motion *out)
{
    if (index == TP_GROUND) return 0;
    const tp_body *body = TP_LIST_AT(h->system->model->bodies, tp_body, index);
    int first = tp_find_int(h->columns, h->count, body->u_first); /* those of a body follow each other */
    for (int k = 0; k < body->u_count; k++)
        out[k] = (motion){side, tp_body_unit_twist(h->system, index, k), first + k};
    return body->u_count;
}

/* The change of the wrenches W of a row along a motion, as it is seen along other motions, which change too:
   moments of a body are seen from the turned body, and twists of a body that has grown are smaller. */
static void change_of_row(const tp_basic_row *row, const tp_frame *const frames[2],
                          const tp_frame gradient[2], const tp_wrench W[2], const motion *along,
                          tp_wrench change[2])
{
    tp_wrench twists[2] = {{tp_vec3_zero(), tp_vec3_zero(), 0.0}, {tp_vec3_zero(), tp_vec3_zero(), 0.0}};
    const tp_wrench *twist = &along->twist, *own = &W[along->side];
    tp_wrench *seen = &change[along->side];
    twists[along->side] = *twist;
    tp_basic_row_wrenches_second(row, frames[0], frames[1], &gradient[0], &gradient[1], &twists[0],
                                 &twists[1], &change[0], &change[1]);
    tp_vec3 turned = tp_vec3_cross(twist->moment, own->moment);
    seen->moment = tp_vec3_sub(seen->moment, tp_vec3_add(turned, tp_vec3_scale(twist->stretch, own->moment)));
    seen->stretch -= twist->stretch * own->stretch;
}

/* The second change of the frame of a planar body that turns. */
static double turning_part(const hessian *h, int index, const tp_frame *gradient)
{
    const tp_mat3 *D = &h->system->body[index].frame.D, *G = &gradient->D;
    return -(G->cx.x * D->cx.x + G->cx.y * D->cx.y + G->cy.x * D->cy.x + G->cy.y * D->cy.y);
}

/* A change of the gradient, seen along all velocities of the bodies. */
static void add_column(const hessian *h, const int *bodies, const tp_frame *second, double factor, int column)
{
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(h->system->model->bodies, tp_body, bodies[s]);
        for (int i = 0; i < body->u_count; i++) {
            tp_frame along = tp_frame_unit_motion(h->system, bodies[s], i).rate;
            int at = tp_find_int(h->columns, h->count, body->u_first + i);
            h->H[at + column * h->count] += factor * tp_frame_dot(&second[s], &along);
        }
    }
}

/* The same between bodies of which one is affine; the other is affine, planar, a point or the ground. */
static void add_affine_row(const hessian *h, const int *bodies, const tp_basic_row *row, double factor)
{
    const tp_frame *A = &tp_system_body(h->system, bodies[0])->frame,
                   *B = &tp_system_body(h->system, bodies[1])->frame;
    tp_frame gradient[2];
    tp_basic_row_gradient(row, A, B, &gradient[0], &gradient[1]);
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(h->system->model->bodies, tp_body, bodies[s]);
        for (int j = 0; j < body->u_count; j++) {
            int column = tp_find_int(h->columns, h->count, body->u_first + j);
            tp_frame along[2] = {{{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}},
                                 {{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}}};
            tp_frame second[2];
            along[s] = tp_frame_unit_motion(h->system, bodies[s], j).rate;
            tp_basic_row_second(row, A, B, &along[0], &along[1], &second[0], &second[1]);
            add_column(h, bodies, second, factor, column);
            if (body->kind == TP_BODY_PLANAR && j == 2)
                h->H[column + column * h->count] += factor * turning_part(h, bodies[s], &gradient[s]);
        }
    }
}

/* Adds factor times the derivatives of a row between two bodies. */
static void add_row_between(const hessian *h, int body_a, int body_b, const tp_basic_row *row, double factor)
{
    if (tp_is_affine(h->system->model, body_a) || tp_is_affine(h->system->model, body_b)) {
        add_affine_row(h, (const int[]){body_a, body_b}, row, factor);
        return;
    }
    const tp_frame *const frames[] = {&tp_system_body(h->system, body_a)->frame,
                                      &tp_system_body(h->system, body_b)->frame};
    tp_frame gradient[2];
    tp_wrench W[2], change[2];
    motion motions[TP_PAIR_SIZE];
    tp_basic_row_wrenches(row, frames[0], frames[1], &W[0], &W[1]);
    tp_basic_row_gradient(row, frames[0], frames[1], &gradient[0], &gradient[1]);
    int count = add_motions(h, body_a, 0, motions);
    count += add_motions(h, body_b, 1, motions + count);
    for (int j = 0; j < count; j++) {
        double *column = h->H + motions[j].column * h->count;
        change_of_row(row, frames, gradient, W, &motions[j], change);
        for (int i = 0; i < count; i++)
            column[motions[i].column] +=
                factor * tp_wrench_power(&change[motions[i].side], &motions[i].twist);
    }
}

static void add_basic_row(const hessian *h, const tp_model_joint *joint, const tp_basic_row *row,
                          double factor)
{
    add_row_between(h, joint->body_a, joint->body_b, row, factor);
}

/* Component k of the angular velocity of B against A: the moment x about an axis of the world; W_i = x.w_i
   with w_i = D e_i/s^2 of bodies that turn, 1/2 d x e_i of affine ones. */
static void spin_hessian(const hessian *h, const tp_model_joint *joint, int k)
{
    const int bodies[] = {joint->body_a, joint->body_b};
    tp_vec3 x = tp_vec3_make(k == 0, k == 1, k == 2);
    for (int s = 0; s < 2; s++) {
        motion motions[TP_BODY_VELOCITIES];
        int count = add_motions(h, bodies[s], s, motions);
        double sign = s == 0 ? -1.0 : 1.0;
        bool is_affine = tp_is_affine(h->system->model, bodies[s]);
        for (int e = 0; e < count * count; e++) {
            int i = e % count, j = e / count;
            const tp_wrench *by = &motions[j].twist;
            tp_vec3 w = motions[i].twist.moment, change = tp_vec3_cross(by->moment, w);
            change = tp_vec3_add_scaled(change, -by->stretch, w);
            if (is_affine) change = tp_affine_unit_change(i, j);
            h->H[motions[i].column + motions[j].column * h->count] += sign * tp_vec3_dot(x, change);
        }
    }
}

/* A smooth gap is a function of two frames. */
static void pair_hessian(const hessian *h, int index, int k)
{
    tp_smooth_gap gap;
    if (k == 0 && tp_smooth_gap_of(h->system, index, &gap))
        add_row_between(h, gap.body[0], gap.body[1], &gap.row, gap.factor);
    else
        tp_contact_law_hessian(h->system, index, k, h->H);
}

static void combination_hessian(const hessian *h, const tp_combination *c)
{
    for (int k = 0; k < c->term_count; k++) {
        const tp_model_joint *joint = TP_LIST_AT(h->system->model->joints, tp_model_joint, c->joint[k]);
        add_basic_row(h, joint, &joint->joint.coordinate[c->coordinate[k]], c->factor[k]);
    }
}

static void formula_row_hessian(const hessian *h, const tp_law *law, int k)
{
    if (k == 0 && law->level != TP_LEVEL_VELOCITY)
        formula_hessian(h, &law->row[0]);
    else
        velocity_hessian(h, &law->row[k], law->row_factor[k]);
}

void tp_system_law_hessian(tp_system *system, int index, int k, double *H)
{
    const tp_model *model = system->model;
    const tp_law *law = tp_system_law(system, index);
    hessian h = {system, tp_system_law_column_count(system, index), tp_system_law_columns(system, index), H};
    memset(H, 0, (size_t)h.count * (size_t)h.count * sizeof(double));
    switch (law->source) {
    case TP_SOURCE_FORMULA: formula_row_hessian(&h, law, k); break;
    case TP_SOURCE_PAIR: pair_hessian(&h, index, k); break;
    case TP_SOURCE_RIGIDITY: tp_affine_rigidity_hessian(k, H); break;
    case TP_SOURCE_SPIN: spin_hessian(&h, TP_LIST_AT(model->joints, tp_model_joint, law->element), k); break;
    case TP_SOURCE_COMBINATION:
        combination_hessian(&h, TP_LIST_AT(model->combinations, tp_combination, law->element));
        break;
    case TP_SOURCE_JOINT: {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, law->element);
        add_basic_row(&h, joint, &joint->joint.row[k], 1.0);
        break;
    }
    }
}

tp_status tp_system_check_discrete(const tp_model *model, tp_message *why_out)
{
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law->source == TP_SOURCE_FORMULA && law->level != TP_LEVEL_VELOCITY &&
            tp_scalar_lacks_second(&law->row[0]))
            return tp_fail(why_out, TP_UNSUPPORTED,
                           "the position of '%s' is given by C functions without second derivatives "
                           "(hessian_vector), which consistent steps need",
                           law->name);
    }
    return tp_system_check_force_jacobian(model, why_out);
}
