/* A scene seen from another frame, in a mirror or in other units: the public calls that fill a model pass
   through here on their way from the loader (the linker wraps them, tests/CMakeLists.txt), and what they
   carry is changed. A point x becomes

       length R S x + shift,     S = diag(1, -1, 1) in a mirror, else 1;  R a rotation

   Vectors of bodies become S x, axes of rotation and angular velocities -S x in a mirror. Sensors, drawings
   and exact motions are left out: they are formulas of coordinates. */
#ifndef TESTS_FRAME_CHANGE_H
#define TESTS_FRAME_CHANGE_H

#include "examples.h"

#include <ctype.h>

typedef struct frame_change {
    const char *name;
    tp_quat turn;
    tp_vec3 shift;
    bool is_mirrored;
    double length, mass, time; /* new units per old ones */
} frame_change;

/* What the calls do now, and what they met. One test is one thread. */
typedef struct frame_state {
    frame_change change;
    bool has_formulas; /* of body coordinates: they do not turn with the frame */
    char text[64][512];
    int text_count;
} frame_state;
static frame_state frame_now;

/* ---- vectors ---- */

static inline tp_vec3 frame_mirror(tp_vec3 x)
{
    return frame_now.change.is_mirrored ? tp_vec3_make(x.x, -x.y, x.z) : x;
}

/* Axes of rotation: the mirror turns their sense round. */
static inline tp_vec3 frame_mirror_axis(tp_vec3 x)
{
    return frame_now.change.is_mirrored ? tp_vec3_negate(frame_mirror(x)) : x;
}

static inline tp_quat frame_mirror_quat(tp_quat p)
{
    return frame_now.change.is_mirrored ? tp_quat_make(p.w, -p.x, p.y, -p.z) : p;
}

static inline tp_vec3 frame_vector(tp_vec3 x)
{
    return tp_quat_rotate(frame_now.change.turn, frame_mirror(x));
}

static inline tp_vec3 frame_axis(tp_vec3 x)
{
    return tp_quat_rotate(frame_now.change.turn, frame_mirror_axis(x));
}

static inline tp_vec3 frame_point(tp_vec3 x)
{
    return tp_vec3_add_scaled(frame_now.change.shift, frame_now.change.length, frame_vector(x));
}

static inline tp_quat frame_quat(tp_quat p)
{
    return tp_quat_multiply(frame_now.change.turn, frame_mirror_quat(p));
}

/* Numbers on bodies: those of the ground and of points are numbers in the world. */
typedef enum frame_of { FRAME_WORLD, FRAME_DIRECTIONS, FRAME_BODY } frame_of;

static inline frame_of frame_of_body(const tp_model *model, const char *name)
{
    int body = tp_model_find_body(model, name);
    if (body < 0) return FRAME_WORLD;
    return tp_model_body_kind(model, body) == TP_BODY_POINT ? FRAME_DIRECTIONS : FRAME_BODY;
}

static inline tp_vec3 frame_vector_in(frame_of of, tp_vec3 x)
{
    return of == FRAME_BODY ? frame_mirror(x) : frame_vector(x);
}

static inline tp_vec3 frame_axis_in(frame_of of, tp_vec3 x)
{
    return of == FRAME_BODY ? frame_mirror_axis(x) : frame_axis(x);
}

static inline tp_vec3 frame_point_in(frame_of of, tp_vec3 x)
{
    if (of == FRAME_WORLD) return frame_point(x);
    return tp_vec3_scale(frame_now.change.length, frame_vector_in(of, x));
}

static inline tp_quat frame_quat_in(frame_of of, tp_quat p)
{
    return of == FRAME_BODY ? frame_mirror_quat(p) : frame_quat(p);
}

/* Units of a velocity, of a force over a length and over a velocity, of a force and of a torque. */
static inline double frame_speed(void)
{
    return frame_now.change.length / frame_now.change.time;
}

static inline double frame_stiffness(void)
{
    return frame_now.change.mass / (frame_now.change.time * frame_now.change.time);
}

static inline double frame_damping(void)
{
    return frame_now.change.mass / frame_now.change.time;
}

static inline double frame_force(void)
{
    return frame_stiffness() * frame_now.change.length;
}

static inline double frame_torque(void)
{
    return frame_force() * frame_now.change.length;
}

static inline bool frame_is_angle(const tp_model *model, tp_joint_coordinate on)
{
    for (int i = 0; i < tp_model_joint_count(model); i++) {
        if (strcmp(tp_model_joint_name(model, i), on.joint) != 0) continue;
        const tp_joint_info *info = tp_joint_kind_info(tp_model_joint_kind(model, i));
        for (int k = 0; k < info->coordinate_count; k++) {
            if (on.coordinate == NULL || strcmp(info->coordinates[k], on.coordinate) == 0)
                return info->coordinate_is_angle[k];
        }
    }
    return false;
}

/* ---- functions ---- */

static inline const char *frame_text(const char *text)
{
    if (frame_now.text_count == 64 || strlen(text) >= sizeof frame_now.text[0]) fail_msg("too much text");
    return strcpy(frame_now.text[frame_now.text_count++], text);
}

static inline bool frame_is_in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

/* The formula over the old time: t becomes t/time. */
static inline const char *frame_formula(const char *formula)
{
    char text[512];
    size_t length = 0;
    if (frame_now.change.time == 1.0) return formula;
    for (const char *at = formula; *at != '\0' && length + 32 < sizeof text; at++) {
        bool is_time = *at == 't' && (at == formula || !frame_is_in_name(at[-1])) && !frame_is_in_name(at[1]);
        length += (size_t)(is_time ? snprintf(text + length, sizeof text - length, "(t/%.17g)",
                                              frame_now.change.time)
                                   : snprintf(text + length, sizeof text - length, "%c", *at));
    }
    return frame_text(text);
}

static inline tp_function frame_times(tp_function f, double factor)
{
    char text[512];
    if (f.formula == NULL || (factor == 1.0 && frame_now.change.time == 1.0)) return f;
    snprintf(text, sizeof text, "%.17g*(%s)", factor, frame_formula(f.formula));
    f.formula = frame_text(text);
    return f;
}

/* Three functions as a vector: those that are not given have the values of `constant`. Columns are the images
   of the axes. */
static inline void frame_functions(tp_function *f, tp_vec3 constant, const tp_vec3 *columns, tp_vec3 add)
{
    double given[3], sum[3], column[3][3];
    tp_function old[3] = {f[0], f[1], f[2]};
    tp_vec3_to_array(constant, given);
    tp_vec3_to_array(add, sum);
    for (int k = 0; k < 3; k++) tp_vec3_to_array(columns[k], column[k]);
    if (old[0].formula == NULL && old[1].formula == NULL && old[2].formula == NULL) return;
    for (int i = 0; i < 3; i++) {
        char text[512];
        size_t length = (size_t)snprintf(text, sizeof text, "%.17g", sum[i]);
        for (int k = 0; k < 3; k++) {
            if (old[k].formula != NULL)
                length += (size_t)snprintf(text + length, sizeof text - length, " + %.17g*(%s)", column[k][i],
                                           frame_formula(old[k].formula));
            else
                length += (size_t)snprintf(text + length, sizeof text - length, " + %.17g*(%.17g)",
                                           column[k][i], given[k]);
        }
        f[i] = TP_FORMULA(frame_text(text));
    }
}

/* ---- the calls ---- */

#define FRAME_WRAP(name, ...)                                                                                \
    tp_status __real_##name(__VA_ARGS__);                                                                    \
    _Static_assert(_Generic(&name, tp_status(*)(__VA_ARGS__) : 1, default : 0), "as it is declared");        \
    tp_status __wrap_##name(__VA_ARGS__);                                                                    \
    tp_status __wrap_##name(__VA_ARGS__)

FRAME_WRAP(tp_model_set_gravity, tp_model *model, tp_vec3 gravity, tp_message *why_out)
{
    return __real_tp_model_set_gravity(
        model, tp_vec3_scale(frame_force() / frame_now.change.mass, frame_vector(gravity)), why_out);
}

FRAME_WRAP(tp_model_add_body, tp_model *model, const tp_body_def *given, tp_body_id *id_out,
           tp_message *why_out)
{
    tp_body_def def = *given;
    const frame_change *c = &frame_now.change;
    const tp_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    tp_mat3 S = tp_mat3_from_columns(frame_mirror(x), frame_mirror(y), frame_mirror(z));
    const tp_vec3 images[] = {tp_vec3_scale(c->length, frame_vector(x)),
                              tp_vec3_scale(c->length, frame_vector(y)),
                              tp_vec3_scale(c->length, frame_vector(z))};
    def.mass *= c->mass;
    def.inertia = tp_mat3_scale(c->mass * c->length * c->length,
                                tp_mat3_multiply(tp_mat3_multiply(S, given->inertia), S));
    def.center = tp_vec3_scale(c->length, frame_mirror(given->center));
    def.position = frame_point(given->position);
    if (def.kind != TP_BODY_POINT) def.orientation = frame_quat(given->orientation);
    def.velocity = tp_vec3_scale(frame_speed(), frame_vector(given->velocity));
    def.angular_velocity = tp_vec3_scale(1.0 / c->time, frame_mirror_axis(given->angular_velocity));
    def.axis = frame_mirror_axis(given->axis);
    def.turning = frame_times(given->turning, 1.0);
    def.size_rate /= c->time;
    if (def.kind == TP_BODY_MOVING) frame_functions(def.motion, given->position, images, c->shift);
    return __real_tp_model_add_body(model, &def, id_out, why_out);
}

/* Hulls and surfaces are made anew of their points; heights become a mesh, whose triangles a mirror turns. */
static inline tp_solid frame_points(const tp_solid *solid, tp_hull **hull_out, tp_surface **surface_out)
{
    enum { MOST = 4096 };
    static tp_vec3 points[MOST];
    static int triangles[3 * MOST];
    tp_solid own = *solid;
    int count = solid->hull != NULL ? solid->hull->vertex_count : 0, triangle_count = 0;
    for (int k = 0; k < count; k++) points[k] = solid->hull->vertices[k];
    if (solid->surface != NULL) {
        tp_surface_sizes(solid->surface, &count, &triangle_count);
        if (count > MOST || triangle_count > MOST) fail();
        tp_surface_fill(solid->surface, points, triangles);
    }
    for (int k = 0; k < count; k++)
        points[k] = tp_vec3_scale(frame_now.change.length, frame_mirror(points[k]));
    for (int t = 0; t < triangle_count && frame_now.change.is_mirrored; t++) {
        int swap = triangles[3 * t];
        triangles[3 * t] = triangles[3 * t + 1];
        triangles[3 * t + 1] = swap;
    }
    tp_mesh mesh = {count, triangle_count, points, triangles};
    if (solid->hull != NULL) {
        if (tp_hull_create(NULL, points, count, hull_out, NULL) != TP_OK) fail();
        own.hull = *hull_out;
    }
    if (solid->surface != NULL) {
        if (tp_surface_create(NULL, &mesh, surface_out, NULL) != TP_OK) fail();
        own = tp_solid_mesh(*surface_out);
    }
    return own;
}

FRAME_WRAP(tp_model_add_shape, tp_model *model, const tp_shape_def *given, tp_shape_id *id_out,
           tp_message *why_out)
{
    tp_shape_def def = *given;
    frame_of of = frame_of_body(model, given->body);
    double length = frame_now.change.length;
    def.pose = (tp_pose){frame_point_in(of, given->pose.origin), frame_quat_in(of, given->pose.orientation)};
    def.solid.radius *= length;
    def.solid.half_length *= length;
    def.solid.half_extents = tp_vec3_scale(length, def.solid.half_extents);
    tp_hull *hull = NULL;
    tp_surface *surface = NULL;
    def.solid = frame_points(&def.solid, &hull, &surface);
    tp_status status = __real_tp_model_add_shape(model, &def, id_out, why_out);
    if (hull != NULL) tp_hull_free(NULL, hull);
    if (surface != NULL) tp_surface_free(NULL, surface);
    return status;
}

static inline tp_joint_side frame_side(frame_of of, tp_joint_side side)
{
    return (tp_joint_side){frame_point_in(of, side.point), frame_axis_in(of, side.axis),
                           frame_vector_in(of, side.second_axis)};
}

/* Axes keep the sense of their angles. Displacements along them change sign in a mirror, so that nothing but
   the thread of a screw may depend on these; those along the axis of a slider have none. */
FRAME_WRAP(tp_model_add_joint, tp_model *model, const char *a, const char *b, const tp_joint_def *given,
           tp_joint_id *id_out, tp_message *why_out)
{
    tp_joint_def def = *given;
    frame_of of_a = given->is_in_world ? FRAME_WORLD : frame_of_body(model, a),
             of_b = given->is_in_world ? FRAME_WORLD : frame_of_body(model, b);
    def.A = frame_side(of_a, given->A);
    def.B = frame_side(of_b, given->B);
    if (def.kind == TP_JOINT_UNIVERSAL) { /* both are axes of rotation */
        def.A.second_axis = frame_axis_in(of_a, given->A.second_axis);
        def.B.second_axis = frame_axis_in(of_b, given->B.second_axis);
    }
    if (def.kind == TP_JOINT_PRISMATIC || def.kind == TP_JOINT_POINT_ON_CURVE) {
        def.A.axis = frame_vector_in(of_a, given->A.axis);
        def.B.axis = frame_vector_in(of_b, given->B.axis);
    }
    def.length *= frame_now.change.length;
    def.pitch *= frame_now.change.is_mirrored ? -frame_now.change.length : frame_now.change.length;
    for (int k = 0; k < 3; k++)
        def.curve.formula[k] = frame_times(def.curve.formula[k], frame_now.change.length);
    if (frame_now.change.is_mirrored) /* the third direction of the curve's frame */
        def.curve.formula[1] = frame_times(def.curve.formula[1], -1.0);
    return __real_tp_model_add_joint(model, a, b, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_limit, tp_model *model, const tp_limit_def *given, tp_law_id *id_out,
           tp_message *why_out)
{
    tp_limit_def def = *given;
    double unit = frame_is_angle(model, given->on) ? 1.0 : frame_now.change.length;
    def.lower *= unit;
    def.upper *= unit;
    return __real_tp_model_add_limit(model, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_motor, tp_model *model, const tp_motor_def *given, tp_law_id *id_out,
           tp_message *why_out)
{
    tp_motor_def def = *given;
    bool is_angle = frame_is_angle(model, given->on);
    def.position = frame_times(given->position, is_angle ? 1.0 : frame_now.change.length);
    def.speed = frame_times(given->speed, is_angle ? 1.0 / frame_now.change.time : frame_speed());
    def.max_force *= is_angle ? frame_torque() : frame_force();
    return __real_tp_model_add_motor(model, &def, id_out, why_out);
}

/* The sum of all terms is a length. */
FRAME_WRAP(tp_model_add_coupler, tp_model *model, const tp_coupler_def *given, tp_law_id *id_out,
           tp_message *why_out)
{
    tp_coupler_def def = *given;
    for (int k = 0; k < def.term_count; k++) {
        if (frame_is_angle(model, given->on[k])) def.factor[k] *= frame_now.change.length;
    }
    return __real_tp_model_add_coupler(model, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_joint_friction, tp_model *model, const tp_joint_friction_def *given,
           tp_law_id *id_out, tp_message *why_out)
{
    tp_joint_friction_def def = *given;
    tp_joint_coordinate on = {given->joint, NULL};
    def.radius *= frame_now.change.length;
    def.bound *= frame_is_angle(model, on) ? frame_torque() : frame_force();
    return __real_tp_model_add_joint_friction(model, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_spring, tp_model *model, const char *a, const char *b, const tp_spring_def *given,
           tp_force_id *id_out, tp_message *why_out)
{
    tp_spring_def def = *given;
    def.point_A = frame_point_in(frame_of_body(model, a), given->point_A);
    def.point_B = frame_point_in(frame_of_body(model, b), given->point_B);
    def.stiffness *= frame_stiffness();
    def.damping *= frame_damping();
    def.rest_length *= frame_now.change.length;
    return __real_tp_model_add_spring(model, a, b, &def, id_out, why_out);
}

/* A frame whose second direction is turned round stays right-handed in a mirror. */
static inline tp_mat3 frame_axes_in(frame_of of, tp_mat3 axes)
{
    tp_vec3 y = frame_vector_in(of, axes.cy);
    return tp_mat3_from_columns(frame_vector_in(of, axes.cx),
                                frame_now.change.is_mirrored ? tp_vec3_negate(y) : y,
                                frame_vector_in(of, axes.cz));
}

FRAME_WRAP(tp_model_add_bushing, tp_model *model, const char *a, const char *b, const tp_bushing_def *given,
           tp_force_id *id_out, tp_message *why_out)
{
    tp_bushing_def def = *given;
    frame_of of_a = frame_of_body(model, a), of_b = frame_of_body(model, b);
    double turning = frame_now.change.length * frame_now.change.length;
    def.point_A = frame_point_in(of_a, given->point_A);
    def.point_B = frame_point_in(of_b, given->point_B);
    def.axes_A = frame_axes_in(of_a, given->axes_A);
    def.axes_B = frame_axes_in(of_b, given->axes_B);
    def.stiffness = tp_vec3_scale(frame_stiffness(), given->stiffness);
    def.damping = tp_vec3_scale(frame_damping(), given->damping);
    def.rotational_stiffness = tp_vec3_scale(turning * frame_stiffness(), given->rotational_stiffness);
    def.rotational_damping = tp_vec3_scale(turning * frame_damping(), given->rotational_damping);
    return __real_tp_model_add_bushing(model, a, b, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_coordinate_spring, tp_model *model, tp_joint_coordinate on,
           const tp_coordinate_spring_def *given, tp_force_id *id_out, tp_message *why_out)
{
    tp_coordinate_spring_def def = *given;
    bool is_angle = frame_is_angle(model, on);
    double unit = is_angle ? frame_now.change.length * frame_now.change.length : 1.0;
    def.stiffness *= unit * frame_stiffness();
    def.damping *= unit * frame_damping();
    def.rest *= is_angle ? 1.0 : frame_now.change.length;
    return __real_tp_model_add_coordinate_spring(model, on, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_wrench, tp_model *model, const tp_wrench_def *given, tp_force_id *id_out,
           tp_message *why_out)
{
    tp_wrench_def def = *given;
    const tp_vec3 unit[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, zero = {0.0, 0.0, 0.0};
    frame_of of = given->is_in_body ? FRAME_BODY : FRAME_DIRECTIONS;
    tp_vec3 force[3], moment[3];
    for (int k = 0; k < 3; k++) {
        force[k] = tp_vec3_scale(frame_force(), frame_vector_in(of, unit[k]));
        moment[k] = tp_vec3_scale(frame_torque(), frame_axis_in(of, unit[k]));
    }
    frame_functions(def.force, zero, force, zero);
    frame_functions(def.moment, zero, moment, zero);
    def.point = frame_point_in(frame_of_body(model, given->body), given->point);
    return __real_tp_model_add_wrench(model, &def, id_out, why_out);
}

FRAME_WRAP(tp_model_add_rule, tp_model *model, const tp_rule_def *given, tp_pair_id *id_out,
           tp_message *why_out)
{
    tp_rule_def def = *given;
    def.law.drilling_radius *= frame_now.change.length;
    def.law.rolling *= frame_now.change.length;
    return __real_tp_model_add_rule(model, &def, id_out, why_out);
}

/* ---- formulas of coordinates ---- */

#define FRAME_FORMULA(name, arguments, ...)                                                                  \
    FRAME_WRAP(name, __VA_ARGS__)                                                                            \
    {                                                                                                        \
        frame_now.has_formulas = true;                                                                       \
        return __real_##name arguments;                                                                      \
    }
#define FRAME_DROP(name, unused, ...)                                                                        \
    FRAME_WRAP(name, __VA_ARGS__)                                                                            \
    {                                                                                                        \
        unused;                                                                                              \
        return TP_OK;                                                                                        \
    }

FRAME_FORMULA(tp_model_add_coordinate, (model, name, q, u, unit, place, id_out, why_out), tp_model *model,
              const char *name, double q, double u, const char *unit, tp_place place,
              tp_coordinate_id *id_out, tp_message *why_out)
FRAME_FORMULA(tp_model_add_potential, (model, f, why_out), tp_model *model, tp_function f,
              tp_message *why_out)
FRAME_FORMULA(tp_model_add_dissipation, (model, f, why_out), tp_model *model, tp_function f,
              tp_message *why_out)
FRAME_FORMULA(tp_model_add_constraint, (model, def, id_out, why_out), tp_model *model,
              const tp_constraint_def *def, tp_law_id *id_out, tp_message *why_out)
FRAME_FORMULA(tp_model_add_contact, (model, def, id_out, why_out), tp_model *model, const tp_contact_def *def,
              tp_law_id *id_out, tp_message *why_out)
FRAME_FORMULA(tp_model_add_law, (model, def, id_out, why_out), tp_model *model, const tp_law_def *def,
              tp_law_id *id_out, tp_message *why_out)
FRAME_FORMULA(tp_model_set_initial, (model, name, value, place, why_out), tp_model *model, const char *name,
              double value, tp_place place, tp_message *why_out)
FRAME_DROP(tp_model_add_sensor,
           ((void)model, (void)name, (void)value, (void)unit, (void)id_out, (void)why_out), tp_model *model,
           const char *name, tp_function value, const char *unit, tp_sensor_id *id_out, tp_message *why_out)
FRAME_DROP(tp_model_add_joint_sensor, ((void)model, (void)def, (void)id_out, (void)why_out), tp_model *model,
           const tp_joint_sensor_def *def, tp_sensor_id *id_out, tp_message *why_out)
FRAME_DROP(tp_model_add_contact_sensor, ((void)model, (void)def, (void)id_out, (void)why_out),
           tp_model *model, const tp_contact_sensor_def *def, tp_sensor_id *id_out, tp_message *why_out)
FRAME_DROP(tp_model_add_drawing, ((void)model, (void)def, (void)id_out, (void)why_out), tp_model *model,
           const tp_drawing_def *def, tp_drawing_id *id_out, tp_message *why_out)
FRAME_DROP(tp_model_add_surface, ((void)model, (void)def, (void)id_out, (void)why_out), tp_model *model,
           const tp_surface_def *def, tp_surface_id *id_out, tp_message *why_out)
FRAME_DROP(tp_model_set_exact, ((void)model, (void)name, (void)motion, (void)why_out), tp_model *model,
           const char *name, tp_function motion, tp_message *why_out)

#endif
