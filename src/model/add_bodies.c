/* Bodies of a model: their coordinates, names and starting state. */
#include "lists.h"
#include "tippe/rotation.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Coordinates and velocities of each kind, with their units; rates of q are named with an apostrophe. */
typedef struct variables {
    int q_count, u_count;
    const char *q[7], *q_unit[7], *u[7], *u_unit[7];
} variables;

static const variables of_kind[] = {
    [TP_BODY_RIGID] = {7,
                       6,
                       {"x", "y", "z", "p0", "p1", "p2", "p3"},
                       {"m", "m", "m", "", "", "", ""},
                       {"v.x", "v.y", "v.z", "omega.x", "omega.y", "omega.z"},
                       {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"}},
    [TP_BODY_PLANAR] =
        {3, 3, {"x", "y", "phi"}, {"m", "m", "rad"}, {"v.x", "v.y", "omega"}, {"m/s", "m/s", "rad/s"}},
    [TP_BODY_POINT] = {3, 3, {"x", "y", "z"}, {"m", "m", "m"}, {"v.x", "v.y", "v.z"}, {"m/s", "m/s", "m/s"}},
    [TP_BODY_MOVING] = {0},
    [TP_BODY_SCALABLE] = {7,
                          7,
                          {"x", "y", "z", "p0", "p1", "p2", "p3"},
                          {"m", "m", "m", "", "", "", ""},
                          {"v.x", "v.y", "v.z", "nu", "omega.x", "omega.y", "omega.z"},
                          {"m/s", "m/s", "m/s", "1/s", "rad/s", "rad/s", "rad/s"}}};

TP_DEFAULT(tp_body_def, tp_body_def_default, .name = "body", .kind = TP_BODY_RIGID,
           .orientation = {1.0, 0.0, 0.0, 0.0}, .axis = {0.0, 0.0, 1.0}, .size = 1.0)

/* A body of size 0 is a point that never comes back. */
static tp_status check_size(tp_model *model, const tp_body_def *def)
{
    if (!(def->size > 0.0) || isinf(def->size))
        return tp_model_refuse(model, def->place, "body '%s': the size is %g; it must be a number > 0",
                               def->name, def->size);
    if (!isfinite(def->size_rate))
        return tp_model_refuse(model, def->place, "body '%s': the rate of the size is not finite", def->name);
    return TP_OK;
}

static tp_status check_body(tp_model *model, const tp_body_def *def)
{
    if (def->name == NULL || def->name[0] == '\0' || strlen(def->name) > 200)
        return tp_model_refuse(model, def->place, "a body needs a name of at most 200 characters");
    if (tp_body_kind_info(def->kind) == NULL)
        return tp_model_refuse(model, def->place, "body '%s' is of no known kind", def->name);
    if (tp_model_find_body(model, def->name) > -2) {
        return tp_model_refuse(model, def->place,
                               strcmp(def->name, "ground") == 0
                                   ? "'%s' is the fixed ground: choose another name"
                                   : "there are two bodies named '%s'",
                               def->name);
    }
    if (!tp_vec3_is_finite(def->position) || !tp_vec3_is_finite(def->velocity) ||
        !tp_vec3_is_finite(def->angular_velocity) || !tp_vec3_is_finite(def->center)) {
        return tp_model_refuse(model, def->place, "body '%s': the start is not finite", def->name);
    }
    double length = tp_quat_norm(def->orientation);
    if (!(length > 0.0) || !isfinite(length)) {
        return tp_model_refuse(model, def->place,
                               "body '%s': the orientation must be a quaternion other than 0", def->name);
    }
    if (def->kind == TP_BODY_MOVING) return TP_OK;
    if (!(def->mass > 0.0) || isinf(def->mass)) {
        return tp_model_refuse(model, def->place, "body '%s': the mass is %g; it must be a number > 0",
                               def->name, def->mass);
    }
    if (def->kind == TP_BODY_PLANAR && (!(def->inertia.cz.z > 0.0) || isinf(def->inertia.cz.z))) {
        return tp_model_refuse(model, def->place, "body '%s': the inertia is %g; it must be a number > 0",
                               def->name, def->inertia.cz.z);
    }
    if (def->kind == TP_BODY_PLANAR && (def->position.z != 0.0 || def->velocity.z != 0.0 ||
                                        def->orientation.x != 0.0 || def->orientation.y != 0.0)) {
        return tp_model_refuse(model, def->place,
                               "body '%s' is planar: it starts and stays in the plane z = 0", def->name);
    }
    if (def->kind == TP_BODY_SCALABLE) TP_TRY(check_size(model, def));
    bool has_inertia = def->kind == TP_BODY_RIGID || def->kind == TP_BODY_SCALABLE;
    tp_message why;
    if (!has_inertia || tp_inertia_check(def->mass, def->inertia, &why) == TP_OK) return TP_OK;
    return tp_model_refuse(model, def->place, "body '%s': %.700s", def->name, why.text);
}

/* ---- names for formulas: coordinates, rates, and angular velocities where they are not rates ---- */

/* The slot of a part of a body, or -1. */
static int slot_of_part(const tp_body *body, const char *part)
{
    const variables *all = &of_kind[body->kind];
    for (int i = 0; i < all->q_count; i++) {
        size_t length = strlen(all->q[i]);
        if (strncmp(part, all->q[i], length) != 0) continue;
        if (part[length] == '\0') return tp_slot_coordinate(body->argument_q + i);
        if (strcmp(part + length, "'") == 0) return tp_slot_rate(body->argument_q + i);
    }
    for (int i = 0; i < all->u_count; i++)
        if (strcmp(part, all->u[i]) == 0) return tp_slot_velocity(body->argument_u + i);
    return -1;
}

/* Names of bodies and of parts may have dots: each one may be that between them. */
static int slot_of_name(const void *context, const char *text, int length)
{
    const tp_model *model = context;
    char name[TP_FAMILY_NAME_BYTES];
    if (length >= (int)sizeof name) return -1;
    memcpy(name, text, (size_t)length);
    name[length] = '\0';
    for (char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        int body = tp_name_index_find(&model->body_names, name),
            slot = body >= 0 ? slot_of_part(TP_LIST_AT(model->bodies, tp_body, body), dot + 1) : -1;
        if (slot >= 0) return slot;
        *dot = '.';
    }
    return -1;
}

/* Name k of a body: coordinates, their rates, velocities. */
static bool write_name(const char *body, tp_body_kind kind, int k, char *name_out)
{
    const variables *all = &of_kind[kind];
    bool is_rate = k >= all->q_count && k < 2 * all->q_count;
    if (k >= 2 * all->q_count + all->u_count) return false;
    snprintf(name_out, TP_FAMILY_NAME_BYTES, "%s.%s%s", body,
             k < 2 * all->q_count ? all->q[k % all->q_count] : all->u[k - 2 * all->q_count],
             is_rate ? "'" : "");
    return true;
}

static bool name_at(const void *context, int index, char *name_out)
{
    enum { MOST = 21 }; /* names of a body */
    const tp_model *model = context;
    if (index / MOST >= model->bodies.count) return false;
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, index / MOST);
    if (!write_name(body->name, body->kind, index % MOST, name_out)) name_out[0] = '\0';
    return true;
}

tp_name_family tp_model_body_family(const tp_model *model)
{
    return (tp_name_family){.context = model, .slot_of = slot_of_name, .name_at = name_at};
}

static tp_status check_names(const tp_model *model, const tp_body_def *def)
{
    char name[TP_FAMILY_NAME_BYTES];
    for (int k = 0; write_name(def->name, def->kind, k, name); k++)
        TP_TRY(tp_names_check_free(model->names, name, def->place, model->message));
    return TP_OK;
}

/* Names of all variables, each with its end; where `text` is NULL only their bytes. */
static size_t write_variables(const tp_body *body, char *text)
{
    const variables *all = &of_kind[body->kind];
    size_t length = 0;
    for (int k = 0; k < all->q_count + all->u_count; k++) {
        const char *part = k < all->q_count ? all->q[k] : all->u[k - all->q_count];
        size_t room = strlen(body->name) + strlen(part) + 2;
        if (text != NULL) snprintf(text + length, room, "%s.%s", body->name, part);
        length += room;
    }
    return length;
}

/* Two threads may ask at once: the first one's are kept. */
static const char *variables_of(const tp_model *model, int b)
{
    _Atomic(char *) *place = TP_LIST_AT(model->body_variables, _Atomic(char *), b);
    char *kept = atomic_load(place);
    if (kept != NULL) return kept;
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
    char *made = model->allocator->allocate(model->allocator->context, write_variables(body, NULL));
    if (made == NULL) return NULL;
    write_variables(body, made);
    if (atomic_compare_exchange_strong(place, &kept, made)) return made;
    model->allocator->release(model->allocator->context, made);
    return kept;
}

const char *tp_model_body_variable(const tp_model *model, int b, bool is_velocity, int k)
{
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
    const char *name = variables_of(model, b);
    if (name == NULL) return body->name; /* no memory: better than nothing in a message */
    for (int i = is_velocity ? of_kind[body->kind].q_count + k : k; i > 0; i--) name += strlen(name) + 1;
    return name;
}

void tp_model_free_variables(tp_model *model)
{
    for (int b = 0; b < model->body_variables.count; b++) {
        char *made = atomic_load(TP_LIST_AT(model->body_variables, _Atomic(char *), b));
        if (made != NULL) model->allocator->release(model->allocator->context, made);
    }
}

const char *tp_body_variable_unit(const tp_body *body, bool is_velocity, int k)
{
    return is_velocity ? of_kind[body->kind].u_unit[k] : of_kind[body->kind].q_unit[k];
}

static tp_status add_starts(tp_model *model, tp_list *list, int count, const double *starts)
{
    for (int i = 0; i < count; i++) {
        double *start = tp_list_add(&model->arena, list, sizeof *start);
        if (start == NULL) return TP_OUT_OF_MEMORY;
        *start = starts[i];
    }
    return TP_OK;
}

/* A scalable body: the quaternion has the length sqrt(size), points grow with the size. */
static void start_of_scalable(const tp_body_def *def, double *q, double *u)
{
    tp_quat p = tp_quat_scale(sqrt(def->size), tp_quat_normalise(def->orientation));
    tp_vec3 r = tp_vec3_add(def->position,
                            tp_mat3_apply(tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, p), def->center));
    tp_vec3 v = def->velocity, w = tp_vec3_scale(def->size, def->angular_velocity);
    double all_q[] = {r.x, r.y, r.z, p.w, p.x, p.y, p.z},
           all_u[] = {v.x, v.y, v.z, def->size_rate, w.x, w.y, w.z};
    memcpy(q, all_q, sizeof all_q);
    memcpy(u, all_u, sizeof all_u);
}

/* The start in coordinates: the centre of mass lies at position + R center. */
static void start_of(const tp_body_def *def, double *q, double *u)
{
    tp_quat p = tp_quat_normalise(def->orientation);
    tp_vec3 r = tp_vec3_add(def->position, tp_quat_rotate(p, def->center));
    tp_vec3 v = def->velocity, w = def->angular_velocity;
    double rigid_q[] = {r.x, r.y, r.z, p.w, p.x, p.y, p.z}, rigid_u[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(q, rigid_q, sizeof rigid_q);
    memcpy(u, rigid_u, sizeof rigid_u);
    if (def->kind != TP_BODY_PLANAR) return;
    q[2] = 2.0 * atan2(p.z, p.w);
    u[2] = w.z;
}

/* The frame of a moving body: functions of time alone. */
static tp_status compile_motion(tp_model *model, const tp_body_def *def, tp_body *body)
{
    double at[] = {def->position.x, def->position.y, def->position.z};
    double length = tp_vec3_norm(def->axis);
    if (!(length > 0.0) || !isfinite(length)) {
        return tp_model_refuse(model, def->place, "body '%s': the axis is zero", def->name);
    }
    tp_given_motion *given = TP_ARENA_ARRAY(&model->arena, tp_given_motion, 1);
    if (given == NULL) return TP_OUT_OF_MEMORY;
    given->orientation = tp_quat_normalise(def->orientation);
    given->axis = tp_vec3_scale(1.0 / length, def->axis);
    body->given = given;
    for (int k = 0; k < 4; k++) {
        char constant[40];
        tp_function function = k < 3 ? def->motion[k] : def->turning;
        if (!tp_function_is_given(&function)) {
            snprintf(constant, sizeof constant, "%.17g", k < 3 ? at[k] : 0.0);
            function = TP_FORMULA(constant);
        }
        TP_TRY(tp_model_compile(model, &function, "the motion of a body", &given->motion[k]));
        TP_TRY(
            tp_model_check_no_inputs(model, &given->motion[k], "the motion of a body", TP_INPUT_HAS_NO_RATE));
        for (int s = 0; s < given->motion[k].slot_count; s++) {
            if (given->motion[k].slots[s] == TP_SLOT_TIME) continue;
            return tp_model_refuse(model, function.place,
                                   "body '%s': its motion must be a function of time t alone", def->name);
        }
    }
    return TP_OK;
}

tp_status tp_model_add_body(tp_model *model, const tp_body_def *def, tp_body_id *id_out, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, def, why_out));
    TP_TRY(check_body(model, def));
    tp_body body = {.kind = def->kind,
                    .mass = def->mass,
                    .inertia = def->inertia,
                    .center = def->center,
                    .q_first = tp_model_coordinate_count(model),
                    .u_first = tp_model_velocity_count(model),
                    .q_count = of_kind[def->kind].q_count,
                    .u_count = of_kind[def->kind].u_count};
    body.argument_q = body.q_first;
    body.argument_u = body.u_first;
    body.name = tp_model_copy_text(model, def->name);
    body.place = tp_model_copy_place(model, def->place);
    if (body.name == NULL) return TP_OUT_OF_MEMORY;
    if (body.kind == TP_BODY_MOVING) TP_TRY(compile_motion(model, def, &body));
    TP_TRY(check_names(model, def));

    double q[7], u[7];
    if (def->kind == TP_BODY_SCALABLE)
        start_of_scalable(def, q, u);
    else
        start_of(def, q, u);
    _Atomic(char *) *names = tp_list_add(&model->arena, &model->body_variables, sizeof *names);
    if (names == NULL) return TP_OUT_OF_MEMORY;
    atomic_init(names, NULL); /* tp_model_body_variable */
    TP_TRY(add_starts(model, &model->body_coordinates, body.q_count, q));
    TP_TRY(add_starts(model, &model->body_velocities, body.u_count, u));
    TP_TRY(TP_LIST_KEEP(model, bodies, body));
    TP_TRY(tp_name_index_add(&model->arena, &model->body_names, body.name, model->bodies.count - 1));
    if (id_out != NULL) *id_out = (tp_body_id){model, model->bodies.count - 1};
    return TP_OK;
}

int tp_model_find_body(const tp_model *model, const char *name)
{
    if (model == NULL || name == NULL) return -2;
    if (strcmp(name, "ground") == 0) return TP_GROUND;
    int body = tp_name_index_find(&model->body_names, name);
    return body >= 0 ? body : -2;
}

tp_status tp_model_body_by_name(tp_model *model, const char *name, tp_place place, int *body_out)
{
    *body_out = tp_model_find_body(model, name);
    if (*body_out >= TP_GROUND) return TP_OK;
    return tp_model_refuse(model, place, "there is no body '%s'", name != NULL ? name : "");
}

bool tp_model_is_planar_body(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_PLANAR;
}

tp_vec3 tp_model_center_of(const tp_model *model, int body)
{
    return body == TP_GROUND ? tp_vec3_zero() : TP_LIST_AT(model->bodies, tp_body, body)->center;
}

static double start_of_coordinate(const tp_model *model, const tp_body *body, int k)
{
    int i = body->q_first - model->coordinates.count + k;
    return *TP_LIST_AT(model->body_coordinates, double, i);
}

/* Value of a function of time at time zero. */
static double value_at_zero(const tp_model *model, const tp_scalar *scalar)
{
    double t = 0.0, value = NAN;
    tp_arena scratch = tp_arena_make(model->allocator);
    int count =
        tp_scalar_work_size(scalar, tp_model_coordinate_count(model), tp_model_velocity_count(model)) + 1;
    double *work = TP_ARENA_ARRAY(&scratch, double, count);
    double *q = TP_ARENA_ARRAY(&scratch, double, tp_model_coordinate_count(model) + 1);
    double *u = TP_ARENA_ARRAY(&scratch, double, tp_model_velocity_count(model) + 1);
    tp_arguments at = {.z = &t, .q = q, .u = u, .work = work};
    if (work != NULL && q != NULL && u != NULL) value = tp_scalar_value(scalar, &at);
    tp_arena_clear(&scratch);
    return value;
}

/* The frame of a moving body: position and angle as given. */
static tp_frame frame_of_motion(const tp_body *body, const double value[4])
{
    tp_frame frame;
    frame.D = tp_quat_to_matrix(
        tp_quat_multiply(body->given->orientation, tp_quat_exp(tp_vec3_scale(value[3], body->given->axis))));
    frame.r = tp_vec3_make(value[0], value[1], value[2]);
    frame.r = tp_vec3_add(frame.r, tp_mat3_apply(frame.D, body->center));
    return frame;
}

/* The frame of a body with coordinates of its own. */
static tp_frame frame_of_coordinates(const tp_body *body, const double *q)
{
    tp_frame frame = tp_frame_identity();
    frame.r = tp_vec3_make(q[0], q[1], body->kind == TP_BODY_PLANAR ? 0.0 : q[2]);
    if (body->kind == TP_BODY_PLANAR) frame.D = tp_rotation_exp(tp_vec3_make(0.0, 0.0, q[2]));
    if (body->kind == TP_BODY_RIGID)
        frame.D = tp_quat_to_matrix(tp_quat_normalise(tp_quat_make(q[3], q[4], q[5], q[6])));
    if (body->kind == TP_BODY_SCALABLE)
        frame.D = tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, tp_quat_make(q[3], q[4], q[5], q[6]));
    return frame;
}

tp_frame tp_model_frame_at_start(const tp_model *model, int index)
{
    if (index == TP_GROUND) return tp_frame_identity();
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, index);
    double value[7] = {0.0};
    if (body->kind == TP_BODY_MOVING) {
        for (int k = 0; k < 4; k++) value[k] = value_at_zero(model, &body->given->motion[k]);
        return frame_of_motion(body, value);
    }
    for (int k = 0; k < body->q_count; k++) value[k] = start_of_coordinate(model, body, k);
    return frame_of_coordinates(body, value);
}

tp_frame tp_model_frame_at(const tp_model *model, int index, const tp_arguments *at)
{
    if (index == TP_GROUND) return tp_frame_identity();
    const tp_body *body = TP_LIST_AT(model->bodies, tp_body, index);
    if (body->kind != TP_BODY_MOVING) return frame_of_coordinates(body, at->q + body->q_first);
    double value[4];
    for (int k = 0; k < 4; k++) value[k] = tp_scalar_value(&body->given->motion[k], at);
    return frame_of_motion(body, value);
}

TP_MODEL_COUNT(tp_model_body_count, bodies)

const char *tp_model_body_name(const tp_model *model, int body)
{
    if (model == NULL) return NULL;
    if (body == TP_GROUND) return "ground";
    return body >= 0 && body < model->bodies.count ? TP_LIST_AT(model->bodies, tp_body, body)->name : NULL;
}

tp_status tp_model_set_gravity(tp_model *model, tp_vec3 gravity, tp_message *why_out)
{
    TP_TRY(tp_model_open(model, model, why_out));
    if (!tp_vec3_is_finite(gravity))
        return tp_fail(model->message, TP_INVALID_DATA, "the gravity is not finite");
    model->gravity = gravity;
    return TP_OK;
}

tp_vec3 tp_model_gravity(const tp_model *model)
{
    return model != NULL ? model->gravity : tp_vec3_zero();
}
