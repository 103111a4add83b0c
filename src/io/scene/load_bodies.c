/* Sections of a scene that say what bodies there are: gravity, bodies, ground. */
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"
#include "tippe/states.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

#define BODY(member) TP_INTO(tp_body_values, def.member)
#define ROW_PLACE(named, member, components, measured, ...)                                                  \
    ROW_VECTOR(named, BODY(member), components, measured, NULL, __VA_ARGS__)
#define ROW_MASS ROW_POSITIVE("mass", BODY(mass), "kg", NULL, "needed, unless there is a density")
#define ROW_DENSITY                                                                                          \
    ROW_NUMBER("density", TP_INTO(tp_body_values, density), "kg/m^3", NULL,                                  \
               "instead of mass, centre and inertia: these follow from the shapes, which are filled, or "    \
               "from the mesh",                                                                              \
               .flags = TP_KEY_POSITIVE)
#define ROW_MESH                                                                                             \
    ROW_MAP("mesh", TP_INTO(tp_body_values, mesh), tp_mesh_keys,                                             \
            "a surface that holds the mass, in place of the shapes, and is drawn")
#define ROW_INERTIA(...) ROW_VECTOR("inertia", BODY(inertia), 3, "kg m^2", NULL, __VA_ARGS__)

static const tp_key inertia_rows =
    ROW_NUMBER("inertia", BODY(inertia), NULL, NULL, "matrix", .form = TP_FORM_ROWS, .count = 3);

/* Where a body that turns in space is, and how it moves. */
#define SPACE_ROWS                                                                                           \
    ROW_PLACE("position", position, 3, "m", "of the origin of that frame at the start; left out: 0"),        \
        ROW_ROTATION("orientation", BODY(orientation),                                                       \
                     "at the start, body to world: a unit quaternion, scalar first, or a map; left out: "    \
                     "not turned")
#define SPIN_ROWS                                                                                            \
    ROW_PLACE("velocity", velocity, 3, "m/s", "of the centre of mass at the start; left out: 0"),            \
        ROW_PLACE("angular_velocity", angular_velocity, 3, "rad/s",                                          \
                  "at the start, in the body's directions; left out: 0"),                                    \
        ROW_VECTOR("angular_velocity_world", TP_INTO(tp_body_values, spin), 3, "rad/s", NULL,                \
                   "the same in the directions of the world, instead")
#define ROW_CENTER(components)                                                                               \
    ROW_PLACE("center", center, components, "m",                                                             \
              "centre of mass in the frame of the body's points; left out: the origin")

static const tp_key rigid_keys[] = {
    ROW_MASS,
    ROW_INERTIA(
        "about the centre of mass: moments about the body's directions, or the whole matrix; left out: "
        "that of the shapes or the mesh, with the given mass",
        .or_else = &inertia_rows),
    ROW_CENTER(3),
    ROW_DENSITY,
    ROW_MESH,
    SPACE_ROWS,
    SPIN_ROWS,
};
static const tp_key_table rigid_table =
    TABLE("rigid body", rigid_keys,
          "Coordinates NAME.x, .y, .z (of the centre of mass), .p0 ... .p3 (unit quaternion); velocities "
          "NAME.v.x, .v.y, .v.z, and NAME.omega.x, .omega.y, .omega.z in the body's directions.");

static const tp_key planar_keys[] = {
    ROW_MASS,
    ROW_POSITIVE(
        "inertia", BODY(inertia.cz.z), "kg m^2", NULL,
        "about z through the centre of mass; left out: that of the shapes or the mesh, with the given "
        "mass"),
    ROW_CENTER(2),
    ROW_DENSITY,
    ROW_MESH,
    ROW_PLACE("position", position, 2, "m", "of the origin of that frame at the start; left out: 0"),
    ROW_NUMBER("angle", TP_INTO(tp_body_values, angle), "rad", "0", "at the start, counter-clockwise"),
    ROW_PLACE("velocity", velocity, 2, "m/s", "of the centre of mass at the start; left out: 0"),
    ROW_NUMBER("angular_velocity", BODY(angular_velocity.z), "rad/s", "0", "at the start, counter-clockwise"),
};
static const tp_key_table planar_table =
    TABLE("planar body", planar_keys,
          "In the plane z = 0. Coordinates NAME.x, .y, .phi; velocities NAME.v.x, .v.y, .omega.");

static const tp_key point_keys[] = {
    ROW_MASS,
    ROW_DENSITY,
    ROW_PLACE("position", position, 3, "m", "at the start; left out: 0"),
    ROW_PLACE("velocity", velocity, 3, "m/s", "at the start; left out: 0"),
};
static const tp_key_table point_table =
    TABLE("point mass", point_keys,
          "A body that does not turn. Coordinates NAME.x, .y, .z; velocities NAME.v.x, .v.y, .v.z.");

static const tp_key moving_keys[] = {
    ROW_FORMULA("motion", BODY(motion), "m", "position of its origin, formulas of t", .form = TP_FORM_LIST,
                .count = 3),
    ROW_PLACE("position", position, 3, "m", "of its origin, where there is no motion; left out: 0"),
    ROW_ROTATION("orientation", BODY(orientation), "before it turns; left out: as the world"),
    ROW_FORMULA("angle", BODY(turning), "rad", "about `axis`, a formula of t; left out: it does not turn"),
    ROW_VECTOR("axis", BODY(axis), 3, NULL, "[0, 0, 1]", "that it turns about, in its own directions"),
};
static const tp_key_table moving_table =
    TABLE("moving body", moving_keys,
          "A body whose motion is given: a drive, a shaking table, a belt. It has no coordinates.");

static const tp_key scalable_keys[] = {
    ROW_MASS,
    ROW_INERTIA(
        "about the centre of mass, at size 1: moments about the body's directions, or the whole matrix; "
        "left out: that of the mesh, with the given mass",
        .or_else = &inertia_rows),
    ROW_CENTER(3),
    ROW_DENSITY,
    ROW_MESH,
    SPACE_ROWS,
    ROW_POSITIVE("size", BODY(size), NULL, "1", "at the start: all lengths of the body are multiplied by it"),
    ROW_NUMBER("size_rate", BODY(size_rate), "1/s", "0", "at the start"),
    SPIN_ROWS,
};
static const tp_key_table scalable_table =
    TABLE("scalable body", scalable_keys,
          "A body that also changes its size s. Coordinates NAME.x, .y, .z (of the centre of mass), .p0 ... "
          ".p3 (quaternion of the length sqrt(s)); velocities NAME.v.x, .v.y, .v.z, NAME.nu = s', and "
          "NAME.omega.x, .omega.y, .omega.z: s times the angular velocity in the body's directions.");

/* The words are the library's; one without a table here is refused, and a test finds it. */
static tp_word body_kinds(int k)
{
    static const tp_key_table *const tables[TP_BODY_KIND_COUNT] = {[TP_BODY_RIGID] = &rigid_table,
                                                                   [TP_BODY_PLANAR] = &planar_table,
                                                                   [TP_BODY_POINT] = &point_table,
                                                                   [TP_BODY_MOVING] = &moving_table,
                                                                   [TP_BODY_SCALABLE] = &scalable_table};
    const tp_body_info *info = tp_body_kind_info((tp_body_kind)k);
    return info ? (tp_word){info->name, k, info->text, tables[k]} : (tp_word){.word = NULL};
}

static const tp_key body_keys[] = {
    ROW_TEXT("name", BODY(name), "its name in joints, contacts, formulas and output",
             .flags = TP_KEY_REQUIRED),
    ROW_WORD("type", BODY(kind), body_kinds, "rigid", "how it can move"),
    ROW_MAPS("shapes", tp_shape_keys, "solids fixed to it", TP_INTO(tp_body_values, shapes)),
};

/* ---- how it starts ------------------------------------------------------------------------------------- */

static tp_status finish_start(tp_loader *loader, const tp_node *item, tp_body_values *body)
{
    const tp_vec3 z = {0.0, 0.0, 1.0};
    tp_body_def *def = &body->def;
    if (tp_map_get(item, "angular_velocity")) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("angular_velocity_world"),
                                 "with angular_velocity; remove it"));
    }
    if (tp_map_get(item, "angular_velocity_world")) {
        def->angular_velocity = tp_quat_rotate_back(def->orientation, body->spin);
    }
    if (def->kind == TP_BODY_PLANAR) def->orientation = tp_quat_from_axis_angle(z, body->angle);
    if (def->kind != TP_BODY_MOVING) return TP_OK;
    if (def->motion[0].formula) {
        TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("position"), "with motion; remove it"));
    }
    return def->turning.formula
               ? TP_OK
               : tp_load_no_effect(loader, item, TP_KEYS("axis"), "without angle; remove it");
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static tp_status add_body(tp_loader *loader, const tp_node *item, void *made)
{
    tp_body_values *body = made;
    tp_load_shapes shapes;
    tp_mesh mesh;
    body->def.place = item->place;
    if (body->def.kind == TP_BODY_SCALABLE && body->shapes) {
        return tp_node_fail(body->shapes, loader->why,
                            "shapes do not change their size; write contacts of a scalable body as gaps over "
                            "its coordinates");
    }
    loader->is_planar = body->def.kind == TP_BODY_PLANAR;
    TP_TRY(tp_load_shape_list(loader, body->shapes, body->def.name, &shapes));
    if (body->mesh) TP_TRY(tp_load_mesh(loader, body->mesh, &mesh));
    if (body->def.kind != TP_BODY_MOVING) {
        TP_TRY(tp_load_mass(loader, item, &shapes, body->mesh ? &mesh : NULL, body));
    }
    TP_TRY(finish_start(loader, item, body));
    TP_TRY(tp_load_told(loader, tp_model_add_body(loader->model, &body->def, NULL, &loader->told)));
    if (body->mesh) {
        tp_surface_def surface = {
            .name = body->def.name, .body = body->def.name, .mesh = mesh, .place = item->place};
        TP_TRY(tp_load_told(loader, tp_model_add_surface(loader->model, &surface, NULL, &loader->told)));
    }
    return tp_load_add_shapes(loader, body->def.name, &shapes);
}

TP_BEGINS(begin_body, tp_body_values, ((tp_body_values){.def = tp_body_def_default()}))
const tp_key_table tp_body_keys = TABLE(
    "body", body_keys,
    "A body. Its points are given in a frame of its own; `center` says where the centre of mass lies in it.",
    .selector = "type", TP_MAKES(tp_body_values, begin_body, add_body));

/* ---- ground, gravity ----------------------------------------------------------------------------------- */

typedef struct ground {
    const tp_node *shapes;
    tp_place place;
} ground;

static const tp_key ground_keys[] = {
    ROW_MAPS("shapes", tp_shape_keys, "in the frame of the world", TP_INTO(ground, shapes))};

static tp_status add_ground(tp_loader *loader, const tp_node *map, void *made)
{
    (void)map;
    const ground *is = made;
    tp_load_shapes shapes;
    loader->is_planar = false;
    TP_TRY(tp_load_shape_list(loader, is->shapes, "ground", &shapes));
    return tp_load_add_shapes(loader, "ground", &shapes);
}

TP_BEGINS(begin_ground, ground, ((ground){.shapes = NULL}))
const tp_key_table tp_ground_keys =
    TABLE("ground", ground_keys, "The body that never moves. It is called `ground` and is always there.",
          TP_MAKES(ground, begin_ground, add_ground));

tp_status tp_load_gravity(tp_loader *loader, const tp_node *list, void *into)
{
    (void)into;
    static const tp_key acceleration = {.unit = "m/s^2"};
    tp_vec3 gravity;
    loader->is_planar = list->count == 2;
    TP_TRY(tp_load_vector(loader, list, &acceleration, &gravity));
    return tp_load_told(loader, tp_model_set_gravity(loader->model, gravity, &loader->told));
}

/* In a contact a name must mean one thing; and something must be left to compute. */
tp_status tp_load_check_bodies(tp_loader *loader)
{
    const tp_model *model = loader->model;
    const tp_node *bodies = tp_map_get(loader->root, "bodies"), *fixed = tp_map_get(loader->root, "ground");
    bool can_move = loader->coordinate_count > 0 || tp_model_state_count(model) > 0;
    for (int k = 0; k < tp_model_body_count(model); k++) {
        can_move |= tp_model_body_kind(model, k) != TP_BODY_MOVING;
    }
    if (!can_move) {
        return tp_node_fail(bodies, loader->why,
                            "the motion of all bodies is given; nothing is left to compute");
    }
    for (int k = 0; k < tp_model_shape_count(model); k++) {
        tp_shape_def shape = tp_model_shape_at(model, k);
        if (tp_model_find_body(model, shape.name) <= -2 || strcmp(shape.name, shape.body) == 0) continue;
        return tp_node_fail(strcmp(shape.body, "ground") == 0 ? fixed : bodies, loader->why,
                            "a shape of '%s' has the name of the body '%s'; choose another",
                            tp_excerpt_of(shape.body).text, tp_excerpt_of(shape.name).text);
    }
    return TP_OK;
}
