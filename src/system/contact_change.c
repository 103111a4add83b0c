/* How the rows of contact points change when the bodies move: the second level of contacts and the
   derivatives of their rows; docs/theory/second-level.md (8)-(12). */
#include "base/sort.h"
#include "math/differences.h"
#include "parts.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <math.h>

/* A contact law at the present point: its shapes and their bodies, its rows, and how the bodies move. */
typedef struct contact {
    const tp_law *law;
    const tp_model_shape *shape[2];
    tp_pose pose[2];
    int slot, part;
    bool is_planar;
    tp_contact_point at;
    tp_contact_frame frame;
    tp_frame place[2]; /* of the bodies */
    tp_frame_motion motion[2];
} contact;

/* False: there is no such point now. */
static bool find_contact(tp_system *system, int index, contact *out)
{
    tp_contact_frame frame;
    if (!tp_contact_frame_of(system, index, &frame)) return false;
    const tp_law *law = tp_system_law(system, index);
    const tp_near_pair *pair = tp_system_pair(system, index);
    const int shape[] = {pair->touch.shape_a, pair->touch.shape_b};
    *out = (contact){.law = law,
                     .slot = tp_system_slot(system, index),
                     .part = pair->key.part,
                     .is_planar = pair->is_planar,
                     .frame = frame};
    out->at = *tp_system_contact_point(system, index);
    for (int s = 0; s < 2; s++) {
        out->shape[s] = TP_LIST_AT(system->model->shapes, tp_model_shape, shape[s]);
        out->pose[s] = system->shape_pose[shape[s]];
        out->place[s] = tp_system_body(system, frame.body[s])->frame;
        out->motion[s] = tp_frame_motion_of(system, frame.body[s]);
    }
    return true;
}

/* D x of a frame, or of its rate. */
static tp_vec3 apply(const tp_mat3 *D, tp_vec3 x)
{
    tp_vec3 y = tp_vec3_scale(x.x, D->cx);
    y = tp_vec3_add_scaled(y, x.y, D->cy);
    return tp_vec3_add_scaled(y, x.z, D->cz);
}

/* D^-1 x by the cofactors of D, which is a rotation but for affine bodies. */
static tp_vec3 solve(const tp_mat3 *D, tp_vec3 x)
{
    double determinant = tp_mat3_determinant(*D);
    return tp_vec3_make(tp_vec3_dot(tp_vec3_cross(D->cy, D->cz), x) / determinant,
                        tp_vec3_dot(tp_vec3_cross(D->cz, D->cx), x) / determinant,
                        tp_vec3_dot(tp_vec3_cross(D->cx, D->cy), x) / determinant);
}

/* ---- rates of what the rows are made of ---- */

/* (9): t1 is the part of a coordinate axis at right angles to n, over its length. */
static void direction_rates(const tp_contact_frame *frame, tp_vec3 n_rate, bool is_planar, tp_vec3 *rate)
{
    tp_vec3 n = frame->direction[0], t1 = frame->direction[1];
    tp_vec3 axis = frame->axis;
    double along = tp_vec3_dot(n, axis), length = tp_vec3_norm(tp_vec3_add_scaled(axis, -along, n));
    tp_vec3 across = tp_vec3_scale(-tp_vec3_dot(n_rate, axis), n);
    across = tp_vec3_add_scaled(across, -along, n_rate);
    rate[0] = n_rate;
    rate[1] = tp_vec3_scale(1.0 / length, tp_vec3_add_scaled(across, -tp_vec3_dot(t1, across), t1));
    rate[2] = tp_vec3_add(tp_vec3_cross(n_rate, t1), tp_vec3_cross(n, rate[1]));
    if (is_planar) rate[1] = tp_vec3_make(n_rate.y, -n_rate.x, 0.0);
}

/* Rate of tp_solid_rounding: of cylinders radius |axis x n|. */
static double rounding_rate(const contact *c, int side, tp_vec3 spin, tp_vec3 n, tp_vec3 n_rate)
{
    const tp_solid *solid = &c->shape[side]->solid;
    bool is_cylinder = solid->kind == TP_SOLID_CYLINDER || solid->kind == TP_SOLID_INSIDE_CYLINDER;
    tp_vec3 axis = tp_quat_rotate(c->pose[side].orientation, tp_vec3_make(0.0, 0.0, 1.0)),
            across = tp_vec3_cross(axis, n);
    double length = tp_vec3_norm(across);
    if (!is_cylinder || length == 0.0) return 0.0;
    tp_vec3 rate = tp_vec3_add(tp_vec3_cross(tp_vec3_cross(spin, axis), n), tp_vec3_cross(axis, n_rate));
    return (solid->kind == TP_SOLID_CYLINDER ? 1.0 : -1.0) * solid->radius * tp_vec3_dot(across, rate) /
           length;
}

static tp_moving_solid moving_shape(const contact *c, int side, const tp_frame_motion *motion)
{
    tp_vec3 origin = tp_vec3_add(motion->rate.r, apply(&motion->rate.D, c->shape[side]->pose.origin));
    return (tp_moving_solid){c->shape[side]->solid, c->pose[side], {origin, motion->w}};
}

/* All of a contact frame while the bodies move. False: no rates here. */
static bool frame_rates(const contact *c, const tp_frame_motion *motions, tp_contact_frame *out)
{
    const tp_contact_frame *frame = &c->frame;
    tp_moving_solid a = moving_shape(c, 0, &motions[0]), b = moving_shape(c, 1, &motions[1]);
    tp_contact_rate rate;
    if (!tp_collide_part_rate(&a, &b, c->part, c->slot, &rate)) return false;
    *out = *frame;
    direction_rates(frame, rate.normal, c->is_planar, out->direction);
    const tp_vec3 points[] = {rate.point_a, rate.point_b},
                  middle = tp_vec3_scale(0.5, tp_vec3_add(rate.point_a, rate.point_b));
    for (int s = 0; s < 2; s++) {
        out->rubbing[s] = frame->is_shared ? middle : points[s];
        out->pressed[s] = points[s];
        if (!frame->is_affine) continue;
        tp_vec3 n = frame->direction[0];
        double sign = s == 0 ? -1.0 : 1.0, depth = tp_solid_rounding(&c->shape[s]->solid, &c->pose[s], n);
        out->pressed[s] = tp_vec3_add_scaled(points[s], sign * depth, rate.normal);
        out->pressed[s] =
            tp_vec3_add_scaled(out->pressed[s], sign * rounding_rate(c, s, motions[s].w, n, rate.normal), n);
    }
    return true;
}

/* ---- the second level ---- */

/* Velocity of the material at a point, and its rate while the point moves; (10). */
static void material_rates(const tp_frame *frame, const tp_frame_motion *motion, tp_vec3 point,
                           tp_vec3 point_rate, tp_vec3 *velocity, tp_vec3 *acceleration)
{
    tp_vec3 inner = solve(&frame->D, tp_vec3_sub(point, frame->r));
    *velocity = tp_vec3_add(motion->rate.r, apply(&motion->rate.D, inner));
    tp_vec3 inner_rate = solve(&frame->D, tp_vec3_sub(point_rate, *velocity));
    *acceleration = tp_vec3_add(motion->second.r, apply(&motion->second.D, inner));
    *acceleration = tp_vec3_add(*acceleration, apply(&motion->rate.D, inner_rate));
}

static double point_drift(const contact *c, const tp_contact_frame *rate, int k)
{
    const tp_vec3 *at = k == 0 ? c->frame.pressed : c->frame.rubbing,
                  *at_rate = k == 0 ? rate->pressed : rate->rubbing;
    tp_vec3 velocity[2], acceleration[2];
    for (int s = 0; s < 2; s++)
        material_rates(&c->place[s], &c->motion[s], at[s], at_rate[s], &velocity[s], &acceleration[s]);
    return tp_vec3_dot(rate->direction[k], tp_vec3_sub(velocity[1], velocity[0])) +
           tp_vec3_dot(c->frame.direction[k], tp_vec3_sub(acceleration[1], acceleration[0]));
}

/* All rows; (8). False: no rates here. */
static bool row_drifts(const contact *c, double *g2)
{
    tp_contact_frame rate;
    if (!frame_rates(c, c->motion, &rate)) return false;
    tp_vec3 w = tp_vec3_sub(c->motion[1].w, c->motion[0].w),
            w_rate = tp_vec3_sub(c->motion[1].w_rate, c->motion[0].w_rate);
    for (int k = 0; k < c->law->row_count; k++) {
        int turn = tp_contact_turn(c->law, k);
        g2[k] = k < 3 ? point_drift(c, &rate, k)
                      : c->law->row_factor[k] * (tp_vec3_dot(rate.direction[turn], w) +
                                                 tp_vec3_dot(c->frame.direction[turn], w_rate));
    }
    return true;
}

/* Is n.(v_B - v_A) the rate of the gap? Both are linear in the motion of B against A and do not change with a
   common one: what agrees for a motion in general position agrees for all, up to a set without measure. */
static bool is_gap_rate(const contact *c)
{
    const tp_contact_point *at = &c->at;
    static const tp_frame_motion still = {.is_exact = true};
    const tp_vec3 v = {0.83, -0.71, 0.57}, w = {0.47, 0.91, -0.67};
    tp_moving_solid a = moving_shape(c, 0, &still), b = moving_shape(c, 1, &still);
    tp_vec3 arm = tp_vec3_sub(at->point_b, c->pose[1].origin);
    double unit = tp_vec3_norm(arm) + fabs(at->gap);
    b.twist = (tp_twist){tp_vec3_scale(unit, v), w};
    tp_contact_rate rate;
    if (!tp_collide_part_rate(&a, &b, c->part, c->slot, &rate)) return false;
    double expected = tp_vec3_dot(at->normal, tp_vec3_add(b.twist.velocity, tp_vec3_cross(w, arm)));
    return fabs(rate.gap - expected) <= tp_rate_rounding * unit;
}

/* The point in the slot after the shapes have moved on for a time; false: there is none. */
static bool point_after(const tp_moving_solid *solids, int part, int slot, double time, tp_contact_point *out)
{
    tp_contact_point found[TP_CONTACT_SLOTS_MAX];
    tp_pose pose[2];
    for (int s = 0; s < 2; s++) {
        const tp_twist *twist = &solids[s].twist;
        tp_quat turn = tp_quat_exp(tp_vec3_scale(time, twist->angular_velocity));
        pose[s].origin = tp_vec3_add_scaled(solids[s].pose.origin, time, twist->velocity);
        pose[s].orientation = tp_quat_multiply(turn, solids[s].pose.orientation);
    }
    int count =
        tp_collide_part(&solids[0].solid, &pose[0], &solids[1].solid, &pose[1], part, INFINITY, found);
    for (int k = 0; k < count; k++) {
        if (found[k].slot != slot) continue;
        *out = found[k];
        return true;
    }
    return false;
}

/* Do the same features meet shortly before and after? */
static bool keeps_features(const contact *c)
{
    const tp_moving_solid solids[] = {moving_shape(c, 0, &c->motion[0]), moving_shape(c, 1, &c->motion[1])};
    const tp_contact_point *at = &c->at;
    tp_contact_rate rate;
    double size = 0.0, speed = 0.0;
    if (!tp_collide_part_rate(&solids[0], &solids[1], c->part, c->slot, &rate)) return false;
    for (int s = 0; s < 2; s++) {
        double arm = tp_vec3_norm(tp_vec3_sub(at->point_b, solids[s].pose.origin));
        size = fmax(size, arm);
        speed +=
            tp_vec3_norm(solids[s].twist.velocity) + tp_vec3_norm(solids[s].twist.angular_velocity) * arm;
    }
    if (speed == 0.0) return true;
    for (double time = -tp_feature_way * size / speed; fabs(time) > 0.0; time = time < 0.0 ? -time : 0.0) {
        tp_contact_point moved;
        if (!point_after(solids, c->part, c->slot, time, &moved)) return false;
        tp_vec3 a = tp_vec3_sub(moved.point_a, tp_vec3_add_scaled(at->point_a, time, rate.point_a)),
                b = tp_vec3_sub(moved.point_b, tp_vec3_add_scaled(at->point_b, time, rate.point_b)),
                n = tp_vec3_sub(moved.normal, tp_vec3_add_scaled(at->normal, time, rate.normal));
        if (!(tp_vec3_norm(a) + tp_vec3_norm(b) + size * tp_vec3_norm(n) <= tp_rate_rounding * size))
            return false;
    }
    return true;
}

bool tp_contact_law_drift(tp_system *system, int index, double *g2)
{
    contact c;
    tp_smooth_gap gap;
    if (!find_contact(system, index, &c)) return true; /* rows of zeros */
    if (!row_drifts(&c, g2)) return false;
    bool is_smooth = tp_smooth_gap_of(system, index, &gap), is_exact = true;
    if (is_smooth) { /* also where an affine frame is not orthonormal */
        tp_frame_motion of_gap[] = {tp_frame_motion_of(system, gap.body[0]),
                                    tp_frame_motion_of(system, gap.body[1])};
        g2[0] = gap.factor * tp_basic_row_drift(system, &gap.row, gap.body, of_gap);
    }
    for (int k = 0; k < c.law->row_count; k++) is_exact = is_exact && isfinite(g2[k]);
    is_exact = is_exact && c.motion[0].is_exact && c.motion[1].is_exact;
    return is_exact && (is_smooth || (is_gap_rate(&c) && keeps_features(&c)));
}

/* ---- derivatives of rows ---- */

/* One column of H that is being filled: how a row changes along a motion of the two bodies. */
typedef struct row_column {
    const tp_system *system;
    int law;
    double *column; /* over the columns of the law */
    const tp_frame_motion *motions;
} row_column;

static double *columns_of(const row_column *h, int body)
{
    if (body == TP_GROUND) return NULL;
    int place =
        tp_find_int(tp_system_law_columns(h->system, h->law), tp_system_law_column_count(h->system, h->law),
                    TP_LIST_AT(h->system->model->bodies, tp_body, body)->u_first);
    return place >= 0 ? h->column + place : NULL;
}

static void add_to(double *W, int i, tp_vec3 x)
{
    W[3 * i] += x.x;
    W[3 * i + 1] += x.y;
    W[3 * i + 2] += x.z;
}

/* A force f at a point: W = (f, x_i f) of an affine body with the point r + D x, else (f, D^T (arm x f)). */
static void add_force_change(const row_column *h, int side, int body, tp_vec3 point, tp_vec3 point_rate,
                             tp_vec3 f, tp_vec3 f_rate)
{
    const tp_frame *frame = &tp_system_body(h->system, body)->frame;
    const tp_frame_motion *motion = &h->motions[side];
    double *W = columns_of(h, body), sign = side == 0 ? -1.0 : 1.0, ignored = 0.0;
    if (W == NULL) return;
    tp_vec3 arm = tp_vec3_sub(point, frame->r);
    if (tp_is_affine(h->system->model, body)) {
        tp_vec3 x = solve(&frame->D, arm), moved = tp_vec3_add(motion->rate.r, apply(&motion->rate.D, x)),
                x_rate = solve(&frame->D, tp_vec3_sub(point_rate, moved));
        const double all[] = {x.x, x.y, x.z}, rates[] = {x_rate.x, x_rate.y, x_rate.z};
        add_to(W, 0, tp_vec3_scale(sign, f_rate));
        for (int i = 0; i < 3; i++)
            add_to(W, 1 + i,
                   tp_vec3_scale(sign, tp_vec3_add_scaled(tp_vec3_scale(all[i], f_rate), rates[i], f)));
        return;
    }
    tp_vec3 moment = tp_vec3_cross(tp_vec3_sub(point_rate, motion->rate.r), f);
    moment = tp_vec3_add(moment, tp_vec3_cross(arm, f_rate));
    moment = tp_vec3_sub(moment, tp_vec3_cross(motion->w, tp_vec3_cross(arm, f)));
    tp_wrench wrench = {.force = tp_vec3_scale(sign, f_rate), .moment = tp_vec3_scale(sign, moment)};
    tp_body_add_row(h->system, body, wrench, W, &ignored);
}

/* A moment x: W = 1/2 x x d_i of an affine body, else D^T x. */
static void add_moment_change(const row_column *h, int side, int body, tp_vec3 x, tp_vec3 x_rate)
{
    const tp_frame_motion *motion = &h->motions[side];
    double *W = columns_of(h, body), sign = side == 0 ? -1.0 : 1.0, ignored = 0.0;
    if (W == NULL) return;
    bool is_affine = tp_is_affine(h->system->model, body);
    if (!is_affine) x_rate = tp_vec3_sub(x_rate, tp_vec3_cross(motion->w, x));
    tp_body_add_row(h->system, body, (tp_wrench){.moment = tp_vec3_scale(sign, x_rate)}, W, &ignored);
    if (!is_affine) return;
    const tp_mat3 *D = &motion->rate.D;
    const tp_vec3 d_rate[] = {D->cx, D->cy, D->cz};
    for (int i = 0; i < 3; i++) add_to(W, 1 + i, tp_vec3_scale(0.5 * sign, tp_vec3_cross(x, d_rate[i])));
}

static void add_row_change(const row_column *h, const tp_contact_frame *frame, const tp_contact_frame *rate,
                           int k)
{
    const tp_law *law = tp_system_law(h->system, h->law);
    for (int s = 0; s < 2; s++) {
        if (k < 3) {
            const tp_vec3 *at = k == 0 ? frame->pressed : frame->rubbing,
                          *at_rate = k == 0 ? rate->pressed : rate->rubbing;
            add_force_change(h, s, frame->body[s], at[s], at_rate[s], frame->direction[k],
                             rate->direction[k]);
        } else {
            int turn = tp_contact_turn(law, k);
            add_moment_change(h, s, frame->body[s], tp_vec3_scale(law->row_factor[k], frame->direction[turn]),
                              tp_vec3_scale(law->row_factor[k], rate->direction[turn]));
        }
    }
}

void tp_contact_law_hessian(tp_system *system, int index, int k, double *H)
{
    contact c;
    tp_contact_frame rate;
    int count = tp_system_law_column_count(system, index);
    if (!find_contact(system, index, &c)) return;
    for (int s = 0; s < 2; s++) {
        int body = c.frame.body[s];
        if (body == TP_GROUND) continue;
        const tp_body *own = TP_LIST_AT(system->model->bodies, tp_body, body);
        int first = tp_find_int(tp_system_law_columns(system, index), count, own->u_first);
        for (int j = 0; j < own->u_count; j++) {
            tp_frame_motion motions[2] = {{.is_exact = true}, {.is_exact = true}};
            motions[s] = tp_frame_unit_motion(system, body, j);
            row_column h = {system, index, H + (first + j) * count, motions};
            if (frame_rates(&c, motions, &rate)) add_row_change(&h, &c.frame, &rate, k);
        }
    }
}

/* ---- derivatives of the drift ---- */

/* The contact when one body has moved by a twist, its velocities as they are. False: the slot is empty. */
static bool move_contact(contact *c, int side, const tp_wrench *twist, double by)
{
    tp_quat turn = tp_quat_exp(tp_vec3_scale(by, twist->moment));
    tp_mat3 R = tp_quat_to_matrix(turn);
    tp_frame *place = &c->place[side];
    tp_frame_motion *motion = &c->motion[side];
    place->r = tp_vec3_add_scaled(place->r, by, twist->force);
    place->D = tp_mat3_multiply(R, place->D);
    motion->rate.D = tp_mat3_multiply(R, motion->rate.D);
    motion->second.D = tp_mat3_multiply(R, motion->second.D);
    motion->w = tp_mat3_apply(R, motion->w);
    motion->w_rate = tp_mat3_apply(R, motion->w_rate);
    c->pose[side].origin = tp_frame_point(place, c->shape[side]->pose.origin);
    c->pose[side].orientation = tp_quat_multiply(turn, c->pose[side].orientation);
    const tp_moving_solid solids[] = {{.solid = c->shape[0]->solid, .pose = c->pose[0]},
                                      {.solid = c->shape[1]->solid, .pose = c->pose[1]}};
    if (!point_after(solids, c->part, c->slot, 0.0, &c->at)) return false;
    tp_mat3 axes = tp_contact_axes(c->at.normal, c->frame.axis, c->is_planar);
    tp_contact_frame *frame = &c->frame;
    frame->direction[0] = axes.cx;
    frame->direction[1] = axes.cy;
    frame->direction[2] = axes.cz;
    frame->pressed[0] = frame->rubbing[0] = c->at.point_a;
    frame->pressed[1] = frame->rubbing[1] = c->at.point_b;
    if (frame->is_shared)
        frame->rubbing[0] = frame->rubbing[1] = tp_vec3_scale(0.5, tp_vec3_add(c->at.point_a, c->at.point_b));
    return true;
}

/* (21): differences by four points. Those by two points differ from them where features change on the way:
 * false. */
static bool by_position(const contact *c, int side, const tp_wrench *twist, double *change)
{
    double size = tp_vec3_norm(tp_vec3_sub(c->at.point_b, c->place[side].r)) + fabs(c->at.gap),
           step = tp_drift_step * (tp_vec3_norm(twist->force) > 0.0 ? size : 1.0), near[TP_LAW_ROWS] = {0.0};
    for (int k = 0; k < c->law->row_count; k++) change[k] = 0.0;
    for (int e = 0; e < TP_DIFFERENCE_POINTS; e++) {
        contact moved = *c;
        double g2[TP_LAW_ROWS];
        if (!move_contact(&moved, side, twist, tp_difference_offset[e] * step) || !row_drifts(&moved, g2))
            return false;
        for (int k = 0; k < c->law->row_count; k++) {
            change[k] += tp_difference_weight[e] * g2[k] / (12.0 * step);
            if (e < 2) near[k] += tp_difference_offset[e] * g2[k] / (2.0 * step);
        }
    }
    for (int k = 0; k < c->law->row_count; k++) {
        if (!(fabs(change[k] - near[k]) <= tp_drift_agreement * (fabs(change[k]) + fabs(near[k]) + 1.0)))
            return false;
    }
    return true;
}

/* g2 is a polynomial of second degree in the velocities: a difference over any distance is exact. */
static bool by_velocity(const contact *c, int side, const tp_frame_motion *unit, double *change)
{
    for (int k = 0; k < c->law->row_count; k++) change[k] = 0.0;
    for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
        contact faster = *c;
        tp_frame_motion *motion = &faster.motion[side];
        double g2[TP_LAW_ROWS];
        motion->rate.r = tp_vec3_add_scaled(motion->rate.r, sign, unit->rate.r);
        motion->rate.D = tp_mat3_add(motion->rate.D, tp_mat3_scale(sign, unit->rate.D));
        motion->w = tp_vec3_add_scaled(motion->w, sign, unit->w);
        tp_mat3 spin = tp_mat3_skew(motion->w);
        motion->second.D = tp_mat3_multiply(spin, motion->rate.D);
        if (!row_drifts(&faster, g2)) return false;
        for (int k = 0; k < c->law->row_count; k++) change[k] += 0.5 * sign * g2[k];
    }
    return true;
}

bool tp_contact_drift_jacobian(const tp_drift_jacobian *J)
{
    contact c;
    tp_smooth_gap gap;
    if (!find_contact(J->system, J->law, &c)) return true;
    for (int s = 0; s < 2; s++) {
        int body = c.frame.body[s];
        if (body == TP_GROUND) continue;
        const tp_body *own = TP_LIST_AT(J->system->model->bodies, tp_body, body);
        int first = tp_find_int(J->columns, J->count, own->u_first);
        for (int j = 0; j < own->u_count; j++) {
            tp_wrench twist = tp_body_unit_twist(J->system, body, j);
            tp_frame_motion unit = tp_frame_unit_motion(J->system, body, j);
            double moved[TP_LAW_ROWS], faster[TP_LAW_ROWS];
            if (!by_position(&c, s, &twist, moved) || !by_velocity(&c, s, &unit, faster)) return false;
            for (int k = 0; k < c.law->row_count; k++) {
                J->by_position[k * J->count + first + j] += moved[k];
                J->by_velocity[k * J->count + first + j] += faster[k];
            }
        }
    }
    if (tp_smooth_gap_of(J->system, J->law, &gap)) {
        for (int j = 0; j < J->count; j++) J->by_position[j] = J->by_velocity[j] = 0.0;
        tp_drift_jacobian_add_row(J, 0, &gap.row, gap.body, gap.factor);
        return true;
    }
    return is_gap_rate(&c) && keeps_features(&c);
}
