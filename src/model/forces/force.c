/* Force elements: definitions, their checks, and kinds. */
#include "force_kinds.h"

#include "base/names.h"
#include "model/tolerances.h"

/* ---- checks ---- */

static tp_status check_coefficient(const char *name, const char *what, double value, tp_place place,
                                   tp_message *message)
{
    if (isfinite(value) && value >= 0.0) return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, place, "force '%s': the %s is %g; it must be 0 or more", name,
                      what, value);
}

static tp_status check_coefficients(const char *name, const char *what, tp_vec3 value, tp_place place,
                                    tp_message *message)
{
    TP_TRY(check_coefficient(name, what, value.x, place, message));
    TP_TRY(check_coefficient(name, what, value.y, place, message));
    return check_coefficient(name, what, value.z, place, message);
}

static tp_status check_point(const char *name, tp_vec3 point, char body, tp_place place, tp_message *message)
{
    if (isfinite(point.x) && isfinite(point.y) && isfinite(point.z)) return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, place, "force '%s': the point on body %c is not finite", name,
                      body);
}

/* Columns orthonormal and right-handed up to what typing in decimals leaves. */
static tp_status check_rotation(const char *name, tp_mat3 axes, char body, tp_place place,
                                tp_message *message)
{
    tp_mat3 error = tp_mat3_sub(tp_mat3_multiply(tp_mat3_transpose(axes), axes), tp_mat3_identity());
    double size = tp_vec3_norm(error.cx) + tp_vec3_norm(error.cy) + tp_vec3_norm(error.cz);
    if (size <= tp_rotation_tolerance && tp_mat3_determinant(axes) > 0.0) return TP_OK;
    return tp_fail_at(
        message, TP_INVALID_DATA, place,
        "force '%s': the axes on body %c are not a rotation; they must be orthogonal unit vectors, "
        "right-handed",
        name, body);
}

/* ---- definitions ---- */

tp_spring_def tp_spring_def_default(void)
{
    return (tp_spring_def){.name = "spring"};
}

tp_coordinate_spring_def tp_coordinate_spring_def_default(void)
{
    return (tp_coordinate_spring_def){.name = "spring"};
}

tp_bushing_def tp_bushing_def_default(void)
{
    return (tp_bushing_def){.name = "bushing", .axes_A = tp_mat3_identity(), .axes_B = tp_mat3_identity()};
}

tp_status tp_force_make_spring(const tp_spring_def *def, tp_force_element *force_out, tp_message *message)
{
    TP_TRY(check_point(def->name, def->point_A, 'A', def->place, message));
    TP_TRY(check_point(def->name, def->point_B, 'B', def->place, message));
    TP_TRY(check_coefficient(def->name, "stiffness", def->stiffness, def->place, message));
    TP_TRY(check_coefficient(def->name, "rest length", def->rest_length, def->place, message));
    TP_TRY(check_coefficient(def->name, "damping", def->damping, def->place, message));
    *force_out = (tp_force_element){.kind = TP_FORCE_SPRING,
                                    .as.spring = {def->point_A, def->point_B, def->stiffness,
                                                  def->rest_length, def->damping, def->is_rope}};
    return TP_OK;
}

tp_status tp_force_make_coordinate_spring(const tp_coordinate_spring_def *def, const tp_basic_row *coordinate,
                                          tp_force_element *force_out, tp_message *message)
{
    TP_TRY(check_coefficient(def->name, "stiffness", def->stiffness, def->place, message));
    TP_TRY(check_coefficient(def->name, "damping", def->damping, def->place, message));
    if (!isfinite(def->rest)) {
        return tp_fail_at(message, TP_INVALID_DATA, def->place, "force '%s': the rest position is not finite",
                          def->name);
    }
    *force_out = (tp_force_element){
        .kind = TP_FORCE_COORDINATE_SPRING,
        .as.coordinate_spring = {*coordinate, def->stiffness, def->rest, def->damping, def->law}};
    return TP_OK;
}

static double component(tp_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

tp_status tp_force_make_bushing(const tp_bushing_def *def, tp_force_element *force_out, tp_message *message)
{
    tp_place place = def->place;
    TP_TRY(check_point(def->name, def->point_A, 'A', place, message));
    TP_TRY(check_point(def->name, def->point_B, 'B', place, message));
    TP_TRY(check_rotation(def->name, def->axes_A, 'A', place, message));
    TP_TRY(check_rotation(def->name, def->axes_B, 'B', place, message));
    TP_TRY(check_coefficients(def->name, "stiffness", def->stiffness, place, message));
    TP_TRY(check_coefficients(def->name, "damping", def->damping, place, message));
    TP_TRY(check_coefficients(def->name, "rotational stiffness", def->rotational_stiffness, place, message));
    TP_TRY(check_coefficients(def->name, "rotational damping", def->rotational_damping, place, message));
    *force_out = (tp_force_element){.kind = TP_FORCE_BUSHING};
    tp_bushing *bushing = &force_out->as.bushing;
    const tp_vec3 directions[3] = {def->axes_A.cx, def->axes_A.cy, def->axes_A.cz};
    for (int k = 0; k < 3; k++) {
        bushing->translation[k] =
            (tp_coordinate_spring){.row = tp_basic_row_along(directions[k], def->point_A, def->point_B),
                                   .stiffness = component(def->stiffness, k),
                                   .damping = component(def->damping, k)};
    }
    bushing->axes_A = def->axes_A;
    bushing->axes_B = def->axes_B;
    bushing->rotational_stiffness = def->rotational_stiffness;
    bushing->rotational_damping = def->rotational_damping;
    return TP_OK;
}

/* ---- evaluation ---- */

TP_NAMES_OF(tp_force_kind_name, tp_force_kind, "spring", "coordinate-spring", "bushing")

static void add(const tp_force_element *force, const tp_pair_motion *motion, tp_pair_force *out,
                tp_pair_jacobian *jacobian)
{
    switch (force->kind) {
    case TP_FORCE_SPRING: tp_spring_add(&force->as.spring, motion, out, jacobian); break;
    case TP_FORCE_COORDINATE_SPRING:
        tp_coordinate_spring_add(&force->as.coordinate_spring, motion, out, jacobian);
        break;
    case TP_FORCE_BUSHING: tp_bushing_add(&force->as.bushing, motion, out, jacobian); break;
    case TP_FORCE_KIND_COUNT: break;
    }
}

void tp_force_evaluate(const tp_force_element *force, const tp_pair_motion *motion, tp_pair_force *out)
{
    *out = (tp_pair_force){0};
    add(force, motion, out, NULL);
}

void tp_force_linearise(const tp_force_element *force, const tp_pair_motion *motion, tp_pair_force *out,
                        tp_pair_jacobian *jacobian_out)
{
    *out = (tp_pair_force){0};
    *jacobian_out = (tp_pair_jacobian){0};
    add(force, motion, out, jacobian_out);
}
