/* Rows of laws that are made of frames: joints, combinations of their coordinates, contact points;
   docs/theory/bodies.md (9), joints.md, contacts-geometry.md. */
#include "base/expect.h"
#include "base/sort.h"
#include "formula/operation.h"
#include "parts.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

static const tp_model_joint *joint_at(const tp_system *system, int i)
{
    return TP_LIST_AT(system->model->joints, tp_model_joint, i);
}

/* A row of one law that is being filled. */
typedef struct row {
    const tp_system *system;
    int law;
    double *W, *chi;
} row;

/* Where the velocities of a body begin among the columns of the law. */
static double *columns_of(const row *r, int body)
{
    if (body == TP_GROUND) return NULL;
    int u_first = TP_LIST_AT(r->system->model->bodies, tp_body, body)->u_first;
    int place = tp_find_int(tp_system_law_columns(r->system, r->law),
                            tp_system_law_column_count(r->system, r->law), u_first);
    return place >= 0 ? r->W + place : NULL; /* a moving body has none */
}

static void add_wrench(const row *r, int body, tp_wrench wrench)
{
    tp_body_add_row(r->system, body, wrench, columns_of(r, body), r->chi);
}

static tp_wrench scale(double factor, tp_wrench w)
{
    return (tp_wrench){tp_vec3_scale(factor, w.force), tp_vec3_scale(factor, w.moment), factor * w.stretch};
}

static bool is_rigid(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_RIGID;
}

static bool is_plain(const tp_model *model, int body)
{
    return body == TP_GROUND || is_rigid(model, body);
}

/* Factor times a gradient over the frame of a body whose velocities begin at W: an affine body has its twelve
   numbers as coordinates. */
static void add_gradient(const row *r, int body, const tp_frame *gradient, double factor, double *W)
{
    const tp_frame *frame = &tp_system_body(r->system, body)->frame;
    if (is_rigid(r->system->model, body)) {
        const tp_vec3 parts[] = {gradient->r, tp_frame_inner_moment(frame, gradient)};
        for (int k = 0; k < 2; k++) {
            W[3 * k] += factor * parts[k].x;
            W[3 * k + 1] += factor * parts[k].y;
            W[3 * k + 2] += factor * parts[k].z;
        }
    } else if (tp_is_affine(r->system->model, body)) {
        tp_affine_add_gradient(gradient, factor, W);
    } else {
        tp_body_add_row(r->system, body, scale(factor, tp_frame_wrench(frame, gradient)), W, r->chi);
    }
}

/* Adds factor times the velocity of a basic row between two bodies, whose velocities begin at columns[]. */
static void add_row_at(const row *r, const int *bodies, double *const *columns, const tp_basic_row *basic,
                       double factor)
{
    const tp_frame *A = &tp_system_body(r->system, bodies[0])->frame,
                   *B = &tp_system_body(r->system, bodies[1])->frame;
    if (is_plain(r->system->model, bodies[0]) && is_plain(r->system->model, bodies[1])) {
        tp_basic_row_add_inner(basic, A, B, factor, columns[0], columns[1]);
        return;
    }
    tp_frame dA, dB;
    tp_basic_row_gradient(basic, A, B, &dA, &dB);
    add_gradient(r, bodies[0], &dA, factor, columns[0]);
    add_gradient(r, bodies[1], &dB, factor, columns[1]);
}

static void add_row_between(const row *r, int body_a, int body_b, const tp_basic_row *basic, double factor)
{
    double *const columns[2] = {columns_of(r, body_a), columns_of(r, body_b)};
    add_row_at(r, (const int[]){body_a, body_b}, columns, basic, factor);
}

static void add_basic_row(const row *r, const tp_model_joint *joint, const tp_basic_row *basic, double factor)
{
    add_row_between(r, joint->body_a, joint->body_b, basic, factor);
}

double tp_system_joint_coordinate(const tp_system *system, int index, int k)
{
    const tp_model_joint *joint = joint_at(system, index);
    double value =
        tp_basic_row_value(&joint->joint.coordinate[k], &tp_system_body(system, joint->body_a)->frame,
                           &tp_system_body(system, joint->body_b)->frame);
    int angle = joint->angle[k];
    return angle >= 0 ? tp_unwrap(value, system->angle_reference[angle]) : value;
}

void tp_system_count_turns(const tp_system *system, double *angles)
{
    for (int i = 0; i < system->model->joints.count; i++) {
        const tp_model_joint *joint = joint_at(system, i);
        for (int k = 0; k < joint->joint.coordinate_count; k++) {
            if (joint->angle[k] >= 0) angles[joint->angle[k]] = tp_system_joint_coordinate(system, i, k);
        }
    }
}

/* ---- joints ---- */

static void joint_rows(const row *first, const tp_model_joint *joint)
{
    int count = tp_system_law_column_count(first->system, first->law),
        bodies[] = {joint->body_a, joint->body_b};
    double *columns[] = {columns_of(first, bodies[0]), columns_of(first, bodies[1])};
    for (int k = 0; k < joint->joint.row_count; k++) {
        row r = {first->system, first->law, first->W + k * count, first->chi + k};
        add_row_at(&r, bodies, columns, &joint->joint.row[k], 1.0);
        for (int s = 0; s < 2; s++) columns[s] = columns[s] != NULL ? columns[s] + count : NULL;
    }
}

static void joint_positions(const tp_system *system, const tp_model_joint *joint, double *g)
{
    tp_basic_rows_value(joint->joint.row, joint->joint.row_count,
                        &tp_system_body(system, joint->body_a)->frame,
                        &tp_system_body(system, joint->body_b)->frame, g);
}

/* ---- combinations of coordinates ---- */

/* Value of the target, and its rate. */
static double target_of(tp_system *system, const tp_combination *c, double *rate)
{
    *rate = 0.0;
    if (!c->has_target) return 0.0;
    double value = tp_scalar_gradient(&c->target, &system->at, system->gradient);
    if (c->target.slot_count > 0 && c->target.slots[0] == TP_SLOT_TIME) *rate = system->gradient[0];
    return value;
}

/* For a law on velocities the target is a speed. */
static void combination_row(tp_system *system, const row *r, const tp_combination *c, tp_level level)
{
    double rate, target = target_of(system, c, &rate);
    for (int k = 0; k < c->term_count; k++) {
        const tp_model_joint *joint = joint_at(system, c->joint[k]);
        add_basic_row(r, joint, &joint->joint.coordinate[c->coordinate[k]], c->factor[k]);
    }
    *r->chi -= level == TP_LEVEL_VELOCITY ? target : rate;
}

static double combination_value(tp_system *system, const tp_combination *c)
{
    double rate, value = -c->constant - target_of(system, c, &rate);
    for (int k = 0; k < c->term_count; k++)
        value += c->factor[k] * tp_system_joint_coordinate(system, c->joint[k], c->coordinate[k]);
    return value;
}

/* Angular velocity of B seen from A, along the axes of the world. */
static void spin_rows(const row *first, const tp_model_joint *joint)
{
    int count = tp_system_law_column_count(first->system, first->law);
    for (int k = 0; k < 3; k++) {
        row r = {first->system, first->law, first->W + k * count, first->chi + k};
        tp_wrench turn = {.moment = {k == 0, k == 1, k == 2}};
        add_wrench(&r, joint->body_b, turn);
        add_wrench(&r, joint->body_a, scale(-1.0, turn));
    }
}

/* ---- contact points ---- */

/* Is it the frame of its body? Most shapes of heaps are. */
static bool is_in_place(const tp_pose *pose)
{
    tp_vec3 r = pose->origin;
    tp_quat p = pose->orientation;
    return r.x == 0.0 && r.y == 0.0 && r.z == 0.0 && p.w == 1.0 && p.x == 0.0 && p.y == 0.0 && p.z == 0.0;
}

static tp_pose pose_of(const tp_system *system, const tp_model_shape *shape)
{
    const tp_body_state *state = tp_system_body(system, shape->body);
    tp_quat turned = tp_quat_from_matrix(*tp_system_rotation(system, shape->body));
    if (is_in_place(&shape->pose)) /* the same numbers as below */
        return (tp_pose){tp_vec3_add(state->frame.r, tp_vec3_zero()), tp_quat_normalise(turned)};
    tp_pose body = {state->frame.r, turned}, pose = tp_pose_compose(&body, &shape->pose);
    /* the shape of an affine body is rigid, its origin is a point of the body */
    if (tp_is_affine(system->model, shape->body))
        pose.origin = tp_frame_point(&state->frame, shape->pose.origin);
    return pose;
}

/* What one task of a pool takes. */
enum { SHAPES_OF_TASK = 512, PAIRS_OF_TASK = 256 };

static void pose_some(void *context, int begin, int end)
{
    tp_system *system = context;
    const tp_model *model = system->model;
    for (int i = begin; i < end; i++) {
        if (model->member_first[i + 1] > model->member_first[i])
            system->shape_pose[i] = pose_of(system, TP_LIST_AT(model->shapes, tp_model_shape, i));
    }
}

void tp_system_pose_shapes(tp_system *system)
{
    if (system->poses_are_known) return;
    tp_pool_share(system->pool, system->model->shapes.count, SHAPES_OF_TASK, pose_some, system);
    system->poses_are_known = true;
}

/* Poses and solids of a pair. */
TP_EXPECTS void expect_pair(const tp_system *system, const tp_near_pair *pair)
{
    const int shapes[] = {pair->touch.shape_a, pair->touch.shape_b};
    for (int s = 0; s < 2; s++) {
        tp_expect_all(&system->shape_pose[shapes[s]], sizeof *system->shape_pose);
        tp_expect(&TP_LIST_AT(system->model->shapes, tp_model_shape, shapes[s])->solid.radius);
    }
}

static void collide_some(void *context, int begin, int end)
{
    tp_system *system = context;
    const tp_model *model = system->model;
    for (int i = begin; i < end; i++) {
        const tp_near_pair *pair = &system->pairs[i];
        if (i + TP_EXPECT_AHEAD < end) expect_pair(system, pair + TP_EXPECT_AHEAD);
        const tp_touch *touch = &pair->touch;
        const tp_model_shape *a = TP_LIST_AT(model->shapes, tp_model_shape, touch->shape_a),
                             *b = TP_LIST_AT(model->shapes, tp_model_shape, touch->shape_b);
        tp_contact_point *slots = system->points + pair->first, found[TP_CONTACT_SLOTS_MAX];
        const tp_pose *pose = system->shape_pose;
        for (int k = 0; k < pair->point_count; k++) slots[k].gap = INFINITY;
        int count = tp_collide_part(&a->solid, &pose[touch->shape_a], &b->solid, &pose[touch->shape_b],
                                    pair->key.part, INFINITY, found);
        for (int k = 0; k < count; k++) slots[found[k].slot] = found[k];
    }
}

/* Contact points of all near pairs at the present point; one that is not there has an infinite gap. A shape
   may be in many pairs: its pose is made once. */
static void find_contact_points(tp_system *system)
{
    if (system->pair_count > 0) tp_system_pose_shapes(system);
    tp_pool_share(system->pool, system->pair_count, PAIRS_OF_TASK, collide_some, system);
    system->points_are_known = true;
}

const tp_contact_point *tp_system_contact_point(tp_system *system, int index)
{
    if (!system->points_are_known) find_contact_points(system);
    return &system->points[index - system->fixed_count];
}

/* The two bodies of a contact, and where their velocities begin in a row of it. A body whose forces have been
   added is as good as the ground. */
typedef struct contact_bodies {
    int body[2];
    double *columns[2];
} contact_bodies;

/* A force at a point that moves with the body. */
static void add_force_at(const row *r, int body, double *columns, tp_vec3 point, tp_vec3 force, double factor)
{
    if (body == TP_GROUND) return;
    if (tp_is_affine(r->system->model, body)) {
        tp_affine_add_force_at(r->system, body, point, force, factor, columns);
    } else {
        tp_vec3 arm = tp_vec3_sub(point, tp_system_body(r->system, body)->frame.r);
        tp_body_add_row(r->system, body, scale(factor, tp_wrench_at(arm, force)), columns, r->chi);
    }
}

/* All rows of a contact but the turns, of a rigid body: a force at the pressed point, then those at the
   rubbing one; the same sums as add_force_at. */
static void add_rigid_rows(const tp_body_state *state, const tp_contact_frame *contact, int side, int rows,
                           int count, double *W)
{
    double sign = side == 0 ? -1.0 : 1.0;
    for (int k = 0; k < rows; k++, W += count) {
        tp_vec3 point = k == 0 ? contact->pressed[side] : contact->rubbing[side],
                arm = tp_vec3_sub(point, state->frame.r), force = contact->direction[k],
                moment = tp_vec3_scale(sign, tp_vec3_cross(arm, force));
        moment = tp_mat3_apply_transposed(state->frame.D, moment);
        W[3] += moment.x;
        W[4] += moment.y;
        W[5] += moment.z;
        W[0] += sign * force.x;
        W[1] += sign * force.y;
        W[2] += sign * force.z;
    }
}

/* The point of B moves against the point of A along a direction. */
static void add_point_row(const row *r, const contact_bodies *of, const tp_vec3 *points, tp_vec3 direction)
{
    add_force_at(r, of->body[1], of->columns[1], points[1], direction, 1.0);
    add_force_at(r, of->body[0], of->columns[0], points[0], direction, -1.0);
}

/* Bodies of the two shapes of a pair. */
static void bodies_of(const tp_model *model, const tp_near_pair *pair, int *bodies)
{
    bodies[0] = TP_LIST_AT(model->shapes, tp_model_shape, pair->touch.shape_a)->body;
    bodies[1] = TP_LIST_AT(model->shapes, tp_model_shape, pair->touch.shape_b)->body;
}

static bool has_affine(const tp_model *model, const tp_near_pair *pair)
{
    int bodies[2];
    bodies_of(model, pair, bodies);
    return tp_is_affine(model, bodies[0]) || tp_is_affine(model, bodies[1]);
}

/* A gap that is a function of frames, one of them affine: its gradient over the twelve numbers of a frame
   must be that function's, also where the frame is not orthonormal, as on the way of an iteration. */
static bool is_affine_gap(const tp_system *system, int index, tp_smooth_gap *gap)
{
    return system->has_affine && has_affine(system->model, tp_system_pair(system, index)) &&
           tp_smooth_gap_of(system, index, gap);
}

/* A normal force may act at any point of its line. Where rows are held fast during a step, or a body is
   affine, it matters which: at the centre of a roundness a body that rolls neither rises nor sinks. */
static void find_core_points(const tp_system *system, const tp_near_pair *pair, const tp_contact_point *at,
                             tp_vec3 *points_out)
{
    const tp_model_shape *a = TP_LIST_AT(system->model->shapes, tp_model_shape, pair->touch.shape_a),
                         *b = TP_LIST_AT(system->model->shapes, tp_model_shape, pair->touch.shape_b);
    const tp_pose *pose = system->shape_pose;
    points_out[0] = tp_vec3_add_scaled(
        at->point_a, -tp_solid_rounding(&a->solid, &pose[pair->touch.shape_a], at->normal), at->normal);
    points_out[1] = tp_vec3_add_scaled(
        at->point_b, tp_solid_rounding(&b->solid, &pose[pair->touch.shape_b], at->normal), at->normal);
}

static bool has_coordinates(const tp_system *system, int body)
{
    return body != TP_GROUND && TP_LIST_AT(system->model->bodies, tp_body, body)->q_count > 0;
}

/* Where friction acts between two bodies with coordinates: at one common point, or the two forces of a
   penetrated contact would be a couple. Else it is the point of the free body on its own surface;
   contacts-geometry.md (1a). */
static tp_vec3 middle_of(const tp_contact_point *at)
{
    return tp_vec3_scale(0.5, tp_vec3_add(at->point_a, at->point_b));
}

static void add_turn_row(const row *r, const int *bodies, tp_vec3 axis)
{
    add_wrench(r, bodies[1], (tp_wrench){.moment = axis});
    add_wrench(r, bodies[0], (tp_wrench){.moment = tp_vec3_negate(axis)});
}

tp_vec3 tp_contact_axis(const tp_system *system, int law, tp_vec3 normal)
{
    tp_held_axis held = system->held_axis != NULL ? system->held_axis[law] : TP_AXIS_OF_NORMAL;
    double along = held == TP_AXIS_X ? normal.x : normal.y;
    if (held == TP_AXIS_OF_NORMAL || fabs(along) > tp_held_axis_limit) return tp_frame_axis(normal);
    return held == TP_AXIS_X ? tp_vec3_make(1.0, 0.0, 0.0) : tp_vec3_make(0.0, 1.0, 0.0);
}

bool tp_contact_frame_of(tp_system *system, int index, tp_contact_frame *out)
{
    const tp_near_pair *pair = tp_system_pair(system, index);
    const tp_contact_point *at = tp_system_contact_point(system, index);
    if (isinf(at->gap)) return false;
    out->is_affine = system->has_affine && has_affine(system->model, pair);
    bodies_of(system->model, pair, out->body);
    out->axis = tp_contact_axis(system, index, at->normal);
    tp_mat3 axes = tp_contact_axes(at->normal, out->axis, pair->is_planar);
    out->direction[0] = axes.cx;
    out->direction[1] = axes.cy;
    out->direction[2] = axes.cz;
    out->is_shared = has_coordinates(system, out->body[0]) && has_coordinates(system, out->body[1]);
    out->pressed[0] = out->rubbing[0] = at->point_a;
    out->pressed[1] = out->rubbing[1] = at->point_b;
    if (out->is_affine) find_core_points(system, pair, at, out->pressed);
    if (out->is_shared) out->rubbing[0] = out->rubbing[1] = middle_of(at);
    return true;
}

/* (N, T1, T2[, tau | R1, R2]), or (N, T) in the plane. */
static void pair_rows(tp_system *system, const row *first, const tp_law *law)
{
    int count = tp_system_law_column_count(system, first->law);
    tp_contact_frame contact;
    tp_smooth_gap gap;
    if (!tp_contact_frame_of(system, first->law, &contact)) return; /* no such point: rows of zeros */
    bool is_affine = is_affine_gap(system, first->law, &gap);
    contact_bodies of = {{contact.body[0], contact.body[1]},
                         {columns_of(first, contact.body[0]), columns_of(first, contact.body[1])}};
    for (int s = 0; s < 2 && !is_affine; s++) {
        if (!is_rigid(system->model, of.body[s])) continue;
        add_rigid_rows(tp_system_body(system, of.body[s]), &contact, s,
                       law->row_count < 3 ? law->row_count : 3, count, of.columns[s]);
        of.body[s] = TP_GROUND;
    }
    for (int k = 0; k < law->row_count; k++) {
        row r = {system, first->law, first->W + k * count, first->chi + k};
        if (k == 0 && is_affine)
            add_row_between(&r, gap.body[0], gap.body[1], &gap.row, gap.factor);
        else if (k < 3)
            add_point_row(&r, &of, k == 0 ? contact.pressed : contact.rubbing, contact.direction[k]);
        else
            add_turn_row(&r, contact.body,
                         tp_vec3_scale(law->row_factor[k], contact.direction[tp_contact_turn(law, k)]));
        for (int s = 0; s < 2; s++) of.columns[s] = of.columns[s] != NULL ? of.columns[s] + count : NULL;
    }
}

static double pair_position(tp_system *system, int index)
{
    tp_smooth_gap gap;
    if (!is_affine_gap(system, index, &gap)) return tp_system_contact_point(system, index)->gap;
    return gap.factor * tp_basic_row_value(&gap.row, &tp_system_body(system, gap.body[0])->frame,
                                           &tp_system_body(system, gap.body[1])->frame) -
           gap.radius;
}

void tp_system_law_stretch(tp_system *system, int index, int k, double *stretch_out)
{
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index), bodies[2];
    memset(stretch_out, 0, (size_t)count * sizeof *stretch_out);
    if (law->source != TP_SOURCE_PAIR || k >= 3) return;
    const tp_near_pair *pair = tp_system_pair(system, index);
    const tp_contact_point *at = tp_system_contact_point(system, index);
    if (isinf(at->gap) || pair->point_count > 1) return;
    bodies_of(system->model, pair, bodies);
    tp_mat3 axes = tp_contact_axes(at->normal, tp_contact_axis(system, index, at->normal), pair->is_planar);
    tp_vec3 direction = k == 0 ? axes.cx : k == 1 ? axes.cy : axes.cz;
    tp_vec3 points[2] = {at->point_a, at->point_b};
    if (k == 0) find_core_points(system, pair, at, points);
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, bodies[s]);
        if (body->kind != TP_BODY_RIGID) continue;
        tp_vec3 arm = tp_vec3_sub(points[s], system->body[bodies[s]].frame.r);
        int place = tp_find_int(tp_system_law_columns(system, index), count, body->u_first + 3);
        stretch_out[place] = (s == 0 ? -1.0 : 1.0) * tp_vec3_dot(direction, arm);
    }
}

/* ---- all of them ---- */

void tp_elements_law_rows(tp_system *system, int index, double *W_out, double *chi_out)
{
    const tp_law *law = tp_system_law(system, index);
    int count = tp_system_law_column_count(system, index);
    memset(W_out, 0, (size_t)(law->row_count * count) * sizeof(double));
    memset(chi_out, 0, (size_t)law->row_count * sizeof(double));
    row first = {system, index, W_out, chi_out};
    switch (law->source) {
    case TP_SOURCE_JOINT: joint_rows(&first, joint_at(system, law->element)); break;
    case TP_SOURCE_SPIN: spin_rows(&first, joint_at(system, law->element)); break;
    case TP_SOURCE_PAIR: pair_rows(system, &first, law); break;
    case TP_SOURCE_RIGIDITY: tp_affine_rigidity_rows(system, law->element, W_out); break;
    case TP_SOURCE_COMBINATION:
        combination_row(system, &first, TP_LIST_AT(system->model->combinations, tp_combination, law->element),
                        law->level);
        break;
    case TP_SOURCE_FORMULA: break;
    }
}

/* ---- the second level; second-level.md (6), (7) ---- */

double tp_basic_row_drift(const tp_system *system, const tp_basic_row *basic, const int *bodies,
                          const tp_frame_motion *motions)
{
    const tp_frame *A = &tp_system_body(system, bodies[0])->frame,
                   *B = &tp_system_body(system, bodies[1])->frame;
    tp_frame first[2], second[2];
    double sum = 0.0;
    tp_basic_row_gradient(basic, A, B, &first[0], &first[1]);
    tp_basic_row_second(basic, A, B, &motions[0].rate, &motions[1].rate, &second[0], &second[1]);
    for (int s = 0; s < 2; s++)
        sum += tp_frame_dot(&first[s], &motions[s].second) + tp_frame_dot(&second[s], &motions[s].rate);
    return sum;
}

static bool joint_motions(tp_system *system, const tp_model_joint *joint, tp_frame_motion *motions)
{
    motions[0] = tp_frame_motion_of(system, joint->body_a);
    motions[1] = tp_frame_motion_of(system, joint->body_b);
    return motions[0].is_exact && motions[1].is_exact;
}

static bool joint_drift(tp_system *system, const tp_model_joint *joint, double *g2)
{
    tp_frame_motion motions[2];
    bool is_exact = joint_motions(system, joint, motions);
    for (int k = 0; k < joint->joint.row_count; k++)
        g2[k] = tp_basic_row_drift(system, &joint->joint.row[k], (const int[]){joint->body_a, joint->body_b},
                                   motions);
    return is_exact;
}

static bool spin_drift(tp_system *system, const tp_model_joint *joint, double *g2)
{
    tp_frame_motion motions[2];
    bool is_exact = joint_motions(system, joint, motions);
    tp_vec3_to_array(tp_vec3_sub(motions[1].w_rate, motions[0].w_rate), g2);
    return is_exact;
}

/* Minus the acceleration of the target; of a law on velocities that is the rate of its speed. */
static bool target_drift(tp_system *system, const tp_combination *c, tp_level level, double *g2)
{
    const tp_scalar *target = &c->target;
    if (!c->has_target || target->slot_count == 0 || target->slots[0] != TP_SLOT_TIME) return true;
    if (level == TP_LEVEL_VELOCITY) {
        tp_scalar_gradient(target, &system->at, system->gradient);
        *g2 -= system->gradient[0];
        return true;
    }
    if (tp_scalar_lacks_second(target)) return false;
    system->direction[TP_SLOT_TIME] = 1.0;
    tp_scalar_hessian_vector(target, &system->at, system->direction, system->gradient, system->product);
    system->direction[TP_SLOT_TIME] = 0.0;
    *g2 -= system->product[0];
    return true;
}

static bool combination_drift(tp_system *system, const tp_combination *c, tp_level level, double *g2)
{
    *g2 = 0.0;
    bool is_exact = target_drift(system, c, level, g2);
    for (int k = 0; k < c->term_count; k++) {
        const tp_model_joint *joint = joint_at(system, c->joint[k]);
        tp_frame_motion motions[2];
        is_exact = joint_motions(system, joint, motions) && is_exact;
        *g2 += c->factor[k] * tp_basic_row_drift(system, &joint->joint.coordinate[c->coordinate[k]],
                                                 (const int[]){joint->body_a, joint->body_b}, motions);
    }
    return is_exact;
}

bool tp_elements_law_drift(tp_system *system, int index, double *g2_out)
{
    const tp_law *law = tp_system_law(system, index);
    memset(g2_out, 0, (size_t)law->row_count * sizeof *g2_out);
    switch (law->source) {
    case TP_SOURCE_JOINT: return joint_drift(system, joint_at(system, law->element), g2_out);
    case TP_SOURCE_SPIN: return spin_drift(system, joint_at(system, law->element), g2_out);
    case TP_SOURCE_PAIR: return tp_contact_law_drift(system, index, g2_out);
    case TP_SOURCE_RIGIDITY: tp_affine_rigidity_drift(system, law->element, g2_out); return true;
    case TP_SOURCE_COMBINATION:
        return combination_drift(system,
                                 TP_LIST_AT(system->model->combinations, tp_combination, law->element),
                                 law->level, g2_out);
    case TP_SOURCE_FORMULA: break;
    }
    return false;
}

void tp_elements_law_positions(tp_system *system, int index, double *g_out)
{
    const tp_law *law = tp_system_law(system, index);
    switch (law->source) {
    case TP_SOURCE_JOINT: joint_positions(system, joint_at(system, law->element), g_out); break;
    case TP_SOURCE_PAIR: g_out[0] = pair_position(system, index); break;
    case TP_SOURCE_RIGIDITY: tp_affine_rigidity(system, law->element, g_out); break;
    case TP_SOURCE_COMBINATION:
        g_out[0] =
            combination_value(system, TP_LIST_AT(system->model->combinations, tp_combination, law->element));
        break;
    case TP_SOURCE_SPIN:
    case TP_SOURCE_FORMULA: break;
    }
}

/* Which bodies a law of the model touches; returns their number. */
int tp_elements_law_bodies(const tp_model *model, const tp_law *law, int *bodies_out)
{
    int count = 0;
    if (law->source == TP_SOURCE_JOINT || law->source == TP_SOURCE_SPIN) {
        const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, law->element);
        bodies_out[count++] = joint->body_a;
        bodies_out[count++] = joint->body_b;
    } else if (law->source == TP_SOURCE_RIGIDITY) {
        bodies_out[count++] = law->element;
    } else if (law->source == TP_SOURCE_COMBINATION) {
        const tp_combination *c = TP_LIST_AT(model->combinations, tp_combination, law->element);
        for (int k = 0; k < c->term_count; k++) {
            const tp_model_joint *joint = TP_LIST_AT(model->joints, tp_model_joint, c->joint[k]);
            bodies_out[count++] = joint->body_a;
            bodies_out[count++] = joint->body_b;
        }
    }
    return count;
}
