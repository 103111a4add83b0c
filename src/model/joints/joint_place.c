/* Placing a joint: from what the user gave to a frame on each body; docs/theory/joints.md (18). */
#include "joint_kinds.h"

#include "model/tolerances.h"

/* Whether its length is a number to compute with. */
static bool has_length(tp_vec3 a)
{
    return isfinite(tp_vec3_norm(a));
}

static bool is_given(tp_vec3 axis)
{
    return tp_vec3_norm(axis) > 0.0;
}

static tp_status check_side(const tp_joint_def *def, const tp_joint_side *side, char body,
                            tp_message *message)
{
    struct {
        const char *what;
        tp_vec3 value;
    } entries[] = {{"point", side->point}, {"axis", side->axis}, {"second axis", side->second_axis}};
    for (int i = 0; i < 3; i++) {
        if (has_length(entries[i].value)) continue;
        return tp_fail_at(message, TP_INVALID_DATA, def->place,
                          "joint '%s': the %s on body %c is not finite, or too large", def->name,
                          entries[i].what, body);
    }
    return TP_OK;
}

/* ---- directions and points from the user's coordinates to the body's ---- */

static tp_vec3 local_direction(const tp_joint_def *def, const tp_frame *body, tp_vec3 direction)
{
    if (!def->is_in_world) return direction;
    return tp_mat3_apply_transposed(tp_frame_rotation(body), direction);
}

static tp_vec3 local_point(const tp_joint_def *def, const tp_frame *body, tp_vec3 point)
{
    if (!def->is_in_world) return point;
    return tp_frame_back(body, tp_vec3_sub(point, body->r));
}

/* B's point: as given; else where A's is now; a curve's own origin is not on the curve, so there B's origin.
 */
static tp_vec3 point_on_B(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_vec3 on_A)
{
    if (def->has_point_B) return local_point(def, B, def->B.point);
    if (def->kind == TP_JOINT_POINT_ON_CURVE) return tp_vec3_zero();
    return tp_frame_back(B, tp_vec3_sub(tp_frame_point(A, on_A), B->r));
}

/* A direction of one body as the other sees it now. */
static tp_vec3 carry(const tp_frame *from, const tp_frame *to, tp_vec3 direction)
{
    return tp_mat3_apply_transposed(tp_frame_rotation(to), tp_mat3_apply(tp_frame_rotation(from), direction));
}

/* ---- frames ---- */

/* x without its part along z, unit length; zero if nothing sensible is left. */
static tp_vec3 reject(tp_vec3 x, tp_vec3 z)
{
    tp_vec3 rest = tp_vec3_add_scaled(x, -tp_vec3_dot(x, z), z);
    return tp_vec3_norm(rest) > tp_orthogonal_tolerance * tp_vec3_norm(x) ? tp_vec3_normalise(rest)
                                                                          : tp_vec3_zero();
}

/* Right-handed axes from the unit z and x; x of length zero: any. */
static tp_mat3 make_axes(tp_vec3 z, tp_vec3 x)
{
    if (!is_given(x)) x = tp_frame_from_normal(z).cy;
    return tp_mat3_from_columns(x, tp_vec3_cross(z, x), z);
}

static tp_status check_orthogonal(const tp_joint_def *def, tp_vec3 z, tp_vec3 x, char body,
                                  tp_message *message)
{
    double cosine = tp_vec3_dot(z, tp_vec3_normalise(x));
    if (fabs(cosine) <= tp_orthogonal_tolerance) return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, def->place,
                      "joint '%s': axis and second axis on body %c must be orthogonal, but the cosine of "
                      "their angle is %g",
                      def->name, body, cosine);
}

/* A's second axis; where only B's is given, that one as A sees it now, so that angles begin at zero. */
static tp_vec3 second_axis_on_A(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_vec3 z)
{
    if (is_given(def->A.second_axis)) return local_direction(def, A, def->A.second_axis);
    if (!is_given(def->B.second_axis)) return tp_vec3_zero();
    return reject(carry(B, A, local_direction(def, B, def->B.second_axis)), z);
}

static tp_status axes_on_A(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_mat3 *axes_out,
                           tp_message *message)
{
    if (!is_given(def->A.axis)) {
        if (tp_joint_axis_purpose(def) != NULL) {
            return tp_fail_at(message, TP_INVALID_DATA, def->place,
                              "joint '%s': the axis has length 0; a %s joint needs %s, such as [0, 0, 1]",
                              def->name, tp_joint_kind_info(def->kind)->name, tp_joint_axis_purpose(def));
        }
        /* The axes of the frame that the user's coordinates refer to. */
        tp_vec3 z = {0.0, 0.0, 1.0},
                x = is_given(def->A.second_axis) ? def->A.second_axis : tp_vec3_make(1.0, 0.0, 0.0);
        TP_TRY(check_orthogonal(def, z, x, 'A', message));
        *axes_out = make_axes(local_direction(def, A, z), local_direction(def, A, reject(x, z)));
        return TP_OK;
    }
    tp_vec3 z = tp_vec3_normalise(local_direction(def, A, def->A.axis));
    tp_vec3 x = second_axis_on_A(def, A, B, z);
    if (is_given(x)) {
        TP_TRY(check_orthogonal(def, z, x, 'A', message));
        x = reject(x, z);
    }
    *axes_out = make_axes(z, x);
    return TP_OK;
}

static tp_status axes_on_B(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_mat3 on_A,
                           tp_mat3 *axes_out, tp_message *message)
{
    bool has_axis = is_given(def->B.axis), has_second = is_given(def->B.second_axis);
    tp_vec3 z = tp_vec3_normalise(has_axis ? local_direction(def, B, def->B.axis) : carry(A, B, on_A.cz));
    tp_vec3 x =
        tp_vec3_normalise(has_second ? local_direction(def, B, def->B.second_axis) : carry(A, B, on_A.cx));
    if (has_second && def->kind == TP_JOINT_UNIVERSAL && !has_axis) {
        /* B's own axis is the second one; the first belongs to A and only says where angle2 counts from. */
        z = reject(z, x);
        if (!is_given(z)) {
            return tp_fail_at(message, TP_INVALID_DATA, def->place,
                              "joint '%s': both axes of a universal joint are parallel; they must be "
                              "orthogonal",
                              def->name);
        }
    } else if (has_second) {
        TP_TRY(check_orthogonal(def, z, x, 'B', message));
    }
    *axes_out = make_axes(z, reject(x, z));
    return TP_OK;
}

/* ---- planar bodies: z is the plane's normal, x the axis of sliding ---- */

static tp_status planar_axes(const tp_joint_def *def, tp_vec3 axis, char body, bool is_needed, tp_mat3 *out,
                             tp_message *message)
{
    if (tp_joint_axis_purpose(def) != NULL) {
        if (!is_given(axis) && is_needed) {
            return tp_fail_at(message, TP_INVALID_DATA, def->place,
                              "joint '%s': the axis has length 0; a %s joint needs %s, such as [1, 0]",
                              def->name, tp_joint_kind_info(def->kind)->name, tp_joint_axis_purpose(def));
        }
        if (fabs(axis.z) > tp_orthogonal_tolerance * tp_vec3_norm(axis)) {
            return tp_fail_at(message, TP_INVALID_DATA, def->place,
                              "joint '%s': the axis on body %c leaves the plane of planar bodies (z = %g)",
                              def->name, body, axis.z);
        }
    }
    axis.z = 0.0;
    *out = make_axes(tp_vec3_make(0.0, 0.0, 1.0), tp_vec3_normalise(axis));
    return TP_OK;
}

/* The direction in the plane that matters: sliding axis, or where the angle counts from. */
static tp_vec3 planar_direction(const tp_joint_def *def, const tp_joint_side *side)
{
    return tp_joint_axis_purpose(def) != NULL ? side->axis : side->second_axis;
}

static tp_status place_planar(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_mat3 *on_A,
                              tp_mat3 *on_B, tp_message *message)
{
    double z = def->A.point.z != 0.0 || !def->has_point_B ? def->A.point.z : def->B.point.z;
    if (z != 0.0) {
        return tp_fail_at(message, TP_INVALID_DATA, def->place,
                          "joint '%s': a point has z = %g m; planar bodies live in the plane z = 0",
                          def->name, z);
    }
    tp_vec3 a = planar_direction(def, &def->A), b = planar_direction(def, &def->B);
    if (!is_given(a) && tp_joint_axis_purpose(def) == NULL) a = tp_vec3_make(1.0, 0.0, 0.0);
    TP_TRY(planar_axes(def, local_direction(def, A, a), 'A', true, on_A, message));
    tp_vec3 x = is_given(b) ? local_direction(def, B, b) : carry(A, B, on_A->cx);
    return planar_axes(def, x, 'B', false, on_B, message);
}

tp_status tp_joint_place(const tp_joint_def *def, const tp_frame *A, const tp_frame *B,
                         tp_joint_frame *on_A_out, tp_joint_frame *on_B_out, tp_message *message)
{
    TP_TRY(check_side(def, &def->A, 'A', message));
    TP_TRY(check_side(def, &def->B, 'B', message));
    on_A_out->point = local_point(def, A, def->A.point);
    on_B_out->point = point_on_B(def, A, B, on_A_out->point);
    if (def->is_planar) return place_planar(def, A, B, &on_A_out->axes, &on_B_out->axes, message);
    if (!tp_joint_has_directions(def)) {
        on_A_out->axes = on_B_out->axes = tp_mat3_identity();
        return TP_OK;
    }
    TP_TRY(axes_on_A(def, A, B, &on_A_out->axes, message));
    return axes_on_B(def, A, B, on_A_out->axes, &on_B_out->axes, message);
}
