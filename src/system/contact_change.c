/* How the rows of contact points change when the bodies move: the second level of contacts and the
   derivatives of their rows; docs/theory/second-level.md (8)-(12). */
#include "base/sort.h"
#include "discrete.h"
#include "math/rotation.h"
#include "parts.h"

#include <math.h>

/* The two shapes of a contact law and its slot. */
typedef struct contact {
    const tp_model_shape *shape[2];
    const tp_pose *pose[2];
    int slot;
    bool is_planar;
} contact;

static contact contact_of(const tp_system *system, int index)
{
    const tp_law *law = tp_system_law(system, index);
    const tp_pair *pair = TP_LIST_AT(system->model->pairs, tp_pair, law->element);
    return (contact){{TP_LIST_AT(system->model->shapes, tp_model_shape, pair->shape_a),
                      TP_LIST_AT(system->model->shapes, tp_model_shape, pair->shape_b)},
                     {&system->shape_pose[pair->shape_a], &system->shape_pose[pair->shape_b]},
                     law->slot,
                     pair->is_planar};
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
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    tp_vec3 axis = tp_vec3_make(x <= y && x <= z, y < x && y <= z, z < x && z < y);
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
    tp_vec3 axis = tp_quat_rotate(c->pose[side]->orientation, tp_vec3_make(0.0, 0.0, 1.0)),
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
    return (tp_moving_solid){c->shape[side]->solid, *c->pose[side], {origin, motion->w}};
}

/* All of a contact frame while the bodies move. False: no rates here. */
static bool frame_rates(const contact *c, const tp_contact_frame *frame, const tp_frame_motion *motions,
                        tp_contact_frame *out)
{
    tp_moving_solid a = moving_shape(c, 0, &motions[0]), b = moving_shape(c, 1, &motions[1]);
    tp_contact_rate rate;
    if (!tp_collide_rate(&a, &b, c->slot, &rate)) return false;
    *out = *frame;
    direction_rates(frame, rate.normal, c->is_planar, out->direction);
    const tp_vec3 points[] = {rate.point_a, rate.point_b},
                  middle = tp_vec3_scale(0.5, tp_vec3_add(rate.point_a, rate.point_b));
    for (int s = 0; s < 2; s++) {
        out->rubbing[s] = frame->is_shared ? middle : points[s];
        out->pressed[s] = points[s];
        if (!frame->is_affine) continue;
        tp_vec3 n = frame->direction[0];
        double sign = s == 0 ? -1.0 : 1.0, depth = tp_solid_rounding(&c->shape[s]->solid, c->pose[s], n);
        out->pressed[s] = tp_vec3_add_scaled(points[s], sign * depth, rate.normal);
        out->pressed[s] =
            tp_vec3_add_scaled(out->pressed[s], sign * rounding_rate(c, s, motions[s].w, n, rate.normal), n);
    }
    return true;
}

/* ---- the second level ---- */

/* Velocity of the material at a point, and its rate while the point moves; (10). */
static void material_rates(const tp_system *system, int body, const tp_frame_motion *motion, tp_vec3 point,
                           tp_vec3 point_rate, tp_vec3 *velocity, tp_vec3 *acceleration)
{
    const tp_frame *frame = &tp_system_body(system, body)->frame;
    tp_vec3 inner = solve(&frame->D, tp_vec3_sub(point, frame->r));
    *velocity = tp_vec3_add(motion->rate.r, apply(&motion->rate.D, inner));
    tp_vec3 inner_rate = solve(&frame->D, tp_vec3_sub(point_rate, *velocity));
    *acceleration = tp_vec3_add(motion->second.r, apply(&motion->second.D, inner));
    *acceleration = tp_vec3_add(*acceleration, apply(&motion->rate.D, inner_rate));
}

static double point_drift(const tp_system *system, const tp_contact_frame *frame,
                          const tp_contact_frame *rate, const tp_frame_motion *motions, int k)
{
    tp_vec3 velocity[2], acceleration[2];
    for (int s = 0; s < 2; s++)
        material_rates(system, frame->body[s], &motions[s], k == 0 ? frame->pressed[s] : frame->rubbing[s],
                       k == 0 ? rate->pressed[s] : rate->rubbing[s], &velocity[s], &acceleration[s]);
    return tp_vec3_dot(rate->direction[k], tp_vec3_sub(velocity[1], velocity[0])) +
           tp_vec3_dot(frame->direction[k], tp_vec3_sub(acceleration[1], acceleration[0]));
}

/* Is n.(v_B - v_A) the rate of the gap? Both are linear in the motion of B against A and do not change with a
   common one: what agrees for a motion in general position agrees for all, up to a set without measure. */
static bool is_gap_rate(const contact *c, const tp_contact_point *at)
{
    static const tp_frame_motion still = {.is_exact = true};
    const tp_vec3 v = {0.83, -0.71, 0.57}, w = {0.47, 0.91, -0.67};
    tp_moving_solid a = moving_shape(c, 0, &still), b = moving_shape(c, 1, &still);
    tp_vec3 arm = tp_vec3_sub(at->point_b, c->pose[1]->origin);
    double unit = tp_vec3_norm(arm) + fabs(at->gap);
    b.twist = (tp_twist){tp_vec3_scale(unit, v), w};
    tp_contact_rate rate;
    if (!tp_collide_rate(&a, &b, c->slot, &rate)) return false;
    double expected = tp_vec3_dot(at->normal, tp_vec3_add(b.twist.velocity, tp_vec3_cross(w, arm)));
    return fabs(rate.gap - expected) <= 1e-9 * unit; /* rounding of some ten products of size `unit` */
}

/* The point in the slot after the shapes have moved on for a time; false: there is none. */
static bool point_after(const tp_moving_solid *solids, int slot, double time, tp_contact_point *out)
{
    tp_contact_point found[TP_CONTACT_SLOTS_MAX];
    tp_pose pose[2];
    for (int s = 0; s < 2; s++) {
        const tp_twist *twist = &solids[s].twist;
        tp_quat turn = tp_quat_exp(tp_vec3_scale(time, twist->angular_velocity));
        pose[s].origin = tp_vec3_add_scaled(solids[s].pose.origin, time, twist->velocity);
        pose[s].orientation = tp_quat_multiply(turn, solids[s].pose.orientation);
    }
    int count = tp_collide(&solids[0].solid, &pose[0], &solids[1].solid, &pose[1], INFINITY, found);
    for (int k = 0; k < count; k++) {
        if (found[k].slot != slot) continue;
        *out = found[k];
        return true;
    }
    return false;
}

/* Do the same features meet shortly before and after? A millionth of the size of the shapes away the points
   are where their rates take them, but for curvature; a thousandth of that way is for smaller roundings. */
static bool keeps_features(const contact *c, const tp_contact_point *at, const tp_frame_motion *motions)
{
    const tp_moving_solid solids[] = {moving_shape(c, 0, &motions[0]), moving_shape(c, 1, &motions[1])};
    tp_contact_rate rate;
    double size = 0.0, speed = 0.0;
    if (!tp_collide_rate(&solids[0], &solids[1], c->slot, &rate)) return false;
    for (int s = 0; s < 2; s++) {
        double arm = tp_vec3_norm(tp_vec3_sub(at->point_b, solids[s].pose.origin));
        size = fmax(size, arm);
        speed +=
            tp_vec3_norm(solids[s].twist.velocity) + tp_vec3_norm(solids[s].twist.angular_velocity) * arm;
    }
    if (speed == 0.0) return true;
    for (double time = -1e-6 * size / speed; fabs(time) > 0.0; time = time < 0.0 ? -time : 0.0) {
        tp_contact_point moved;
        if (!point_after(solids, c->slot, time, &moved)) return false;
        tp_vec3 a = tp_vec3_sub(moved.point_a, tp_vec3_add_scaled(at->point_a, time, rate.point_a)),
                b = tp_vec3_sub(moved.point_b, tp_vec3_add_scaled(at->point_b, time, rate.point_b)),
                n = tp_vec3_sub(moved.normal, tp_vec3_add_scaled(at->normal, time, rate.normal));
        if (!(tp_vec3_norm(a) + tp_vec3_norm(b) + size * tp_vec3_norm(n) <= 1e-9 * size)) return false;
    }
    return true;
}

bool tp_contact_law_drift(tp_system *system, int index, double *g2)
{
    const tp_law *law = tp_system_law(system, index);
    tp_contact_frame frame, rate;
    tp_smooth_gap gap;
    if (!tp_contact_frame_of(system, index, &frame)) return true; /* rows of zeros */
    contact c = contact_of(system, index);
    bool is_smooth = tp_smooth_gap_of(system->model, law, &gap);
    tp_frame_motion motions[] = {tp_frame_motion_of(system, frame.body[0]),
                                 tp_frame_motion_of(system, frame.body[1])};
    if (!frame_rates(&c, &frame, motions, &rate)) return false;
    for (int k = 0; k < law->row_count; k++) {
        if (k < 3) {
            g2[k] = point_drift(system, &frame, &rate, motions, k);
            continue;
        }
        int turn = tp_contact_turn(law, k);
        tp_vec3 w = tp_vec3_sub(motions[1].w, motions[0].w),
                w_rate = tp_vec3_sub(motions[1].w_rate, motions[0].w_rate);
        g2[k] = law->row_factor[k] *
                (tp_vec3_dot(rate.direction[turn], w) + tp_vec3_dot(frame.direction[turn], w_rate));
    }
    if (is_smooth) { /* also where an affine frame is not orthonormal */
        tp_frame_motion of_gap[] = {tp_frame_motion_of(system, gap.body[0]),
                                    tp_frame_motion_of(system, gap.body[1])};
        g2[0] = gap.factor * tp_basic_row_drift(system, &gap.row, gap.body, of_gap);
    }
    const tp_contact_point *at = tp_system_contact_point(system, index);
    bool is_exact = is_smooth || (is_gap_rate(&c, at) && keeps_features(&c, at, motions));
    for (int k = 0; k < law->row_count; k++) is_exact = is_exact && isfinite(g2[k]);
    return is_exact && motions[0].is_exact && motions[1].is_exact;
}

/* ---- derivatives of rows ---- */

/* One column of H that is being filled: how a row changes along a motion of the two bodies. */
typedef struct change {
    const tp_system *system;
    int law;
    double *column; /* over the columns of the law */
    const tp_frame_motion *motions;
} change;

static double *columns_of(const change *h, int body)
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
static void add_force_change(const change *h, int side, int body, tp_vec3 point, tp_vec3 point_rate,
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
static void add_moment_change(const change *h, int side, int body, tp_vec3 x, tp_vec3 x_rate)
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

static void add_row_change(const change *h, const tp_contact_frame *frame, const tp_contact_frame *rate,
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
    tp_contact_frame frame, rate;
    int count = tp_system_law_column_count(system, index);
    if (!tp_contact_frame_of(system, index, &frame)) return;
    contact c = contact_of(system, index);
    for (int s = 0; s < 2; s++) {
        if (frame.body[s] == TP_GROUND) continue;
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, frame.body[s]);
        int first = tp_find_int(tp_system_law_columns(system, index), count, body->u_first);
        for (int j = 0; j < body->u_count; j++) {
            tp_frame_motion motions[2] = {{.is_exact = true}, {.is_exact = true}};
            motions[s] = tp_frame_unit_motion(system, frame.body[s], j);
            if (frame.body[0] == frame.body[1]) motions[1 - s] = motions[s];
            change h = {system, index, H + (first + j) * count, motions};
            if (frame_rates(&c, &frame, motions, &rate)) add_row_change(&h, &frame, &rate, k);
        }
        if (frame.body[0] == frame.body[1]) return;
    }
}
