/* Keys of bodies and their shapes. */
#include "io/scene/scene_tables.h"
#include "tippe/multibody.h"

/* ---- orientations -------------------------------------------------------------------------------------- */

static const tp_key orientation_keys[] = {
    {.name = "axis",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .count = 3,
     .text = "direction to turn about, of any length; with `angle`"},
    {.name = "angle", .kind = TP_VALUE_QUANTITY, .unit = "rad", .text = "about `axis`, right-handed"},
    {.name = "rotations",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_ROWS,
     .count = 2,
     .unit = "rad",
     .text = "instead: turns one after the other, each about an axis of the frame as it then is: "
             "`[[x, 0.1], [z, pi/2]]`"},
};
const tp_key_table tp_orientation_keys = {
    .name = "orientation",
    .text = "How a frame is turned against the one around it: axis and angle, or turns one after the other.",
    .TP_KEYS_OF(orientation_keys)};

static const tp_key orientation_map = {
    .name = "orientation", .kind = TP_VALUE_MAP, .table = &tp_orientation_keys, .text = "map"};

/* A quaternion, scalar first, or a map. */
#define ORIENTATION_KEY(said)                                                                                \
    {                                                                                                        \
        .name = "orientation", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = 4,                  \
        .or_else = &orientation_map, .text = said                                                            \
    }

/* ---- shapes -------------------------------------------------------------------------------------------- */

static const tp_key_table plain_shape_keys = {.name = "point or plane",
                                              .text = "A point, or the half-space below z = 0 of the shape's "
                                                      "frame: no further keys."};

static const tp_key round_keys[] = {{.name = "radius",
                                     .kind = TP_VALUE_QUANTITY,
                                     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
                                     .unit = "m",
                                     .text = "of the ball, or of the hollow in which bodies move"}};
static const tp_key_table round_shape_keys = {
    .name = "sphere or hollow",
    .text = "A ball about the origin of the shape's frame; the inside of one; the inside of a cylinder about "
            "its z axis.",
    .TP_KEYS_OF(round_keys)};

static const tp_key box_keys[] = {{.name = "size",
                                   .kind = TP_VALUE_QUANTITY,
                                   .form = TP_FORM_LIST,
                                   .count = 3,
                                   .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
                                   .unit = "m",
                                   .text = "whole lengths of its edges along x, y, z"}};
static const tp_key_table box_shape_keys = {
    .name = "box", .text = "A box about the origin of the shape's frame.", .TP_KEYS_OF(box_keys)};

static const tp_key long_keys[] = {
    {.name = "radius",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
     .unit = "m",
     .text = "around the z axis"},
    {.name = "length",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_REQUIRED | TP_KEY_NOT_NEGATIVE,
     .unit = "m",
     .text = "whole length along z: of a capsule without its round ends (> 0), of a cylinder (0: a flat "
             "disc)"}};
static const tp_key_table long_shape_keys = {
    .name = "capsule or cylinder",
    .text = "A capsule or cylinder along the z axis of the shape's frame, about its origin.",
    .TP_KEYS_OF(long_keys)};

/* In the order of tp_solid_kind. */
static const tp_key_variant shape_kinds[] = {
    {"point", &plain_shape_keys, TP_SOLID_POINT, "a point"},
    {"sphere", &round_shape_keys, TP_SOLID_SPHERE, "a ball"},
    {"plane", &plain_shape_keys, TP_SOLID_PLANE, "a half-space, which ends at its plane z = 0"},
    {"box", &box_shape_keys, TP_SOLID_BOX, "a box"},
    {"capsule", &long_shape_keys, TP_SOLID_CAPSULE, "a cylinder along z with round ends"},
    {"cylinder", &long_shape_keys, TP_SOLID_CYLINDER, "a cylinder along z, or a flat disc"},
    {"inside-cylinder", &round_shape_keys, TP_SOLID_INSIDE_CYLINDER, "a pipe along z; others move inside"},
    {"inside-sphere", &round_shape_keys, TP_SOLID_INSIDE_SPHERE, "a hollow ball; others move inside"},
};

static const tp_key shape_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .text = "for contacts; left out: BODY.TYPE, or BODY.1, BODY.2 ... where several have that name"},
    {.name = "type", .kind = TP_VALUE_CHOICE, .flags = TP_KEY_REQUIRED, .text = "what it is"},
    {.name = "position",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .unit = "m",
     .default_text = "[0, 0, 0]",
     .text = "of its origin in the frame of the body's points; two numbers on planar bodies"},
    ORIENTATION_KEY("of its frame in that of the body: a unit quaternion, or a map; a plane looks along its "
                    "z axis"),
    {.name = "contact",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "true",
     .text = "false: for mass and pictures alone, contacts with its body leave it out"},
};
const tp_key_table tp_shape_keys = {.name = "shape",
                                    .text = "A solid that is fixed to a body, for contacts and for its mass.",
                                    .TP_KEYS_OF(shape_keys),
                                    .selector = "type",
                                    .TP_VARIANTS_OF(shape_kinds)};

static const tp_key ground_keys[] = {{.name = "shapes",
                                      .kind = TP_VALUE_MAP,
                                      .form = TP_FORM_LIST,
                                      .table = &tp_shape_keys,
                                      .text = "in the frame of the world"}};
const tp_key_table tp_ground_keys = {
    .name = "ground",
    .text = "The body that never moves. It is called `ground` and is always there.",
    .TP_KEYS_OF(ground_keys)};

/* ---- bodies -------------------------------------------------------------------------------------------- */

static const tp_key mesh_keys[] = {
    {.name = "vertices",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_ROWS,
     .count = 3,
     .unit = "m",
     .text = "corners, in the frame of the body's points"},
    {.name = "triangles",
     .kind = TP_VALUE_INTEGER,
     .form = TP_FORM_ROWS,
     .count = 3,
     .flags = TP_KEY_NOT_NEGATIVE,
     .text = "three corners each, counted from 0, counter-clockwise seen from outside"},
    {.name = "file",
     .kind = TP_VALUE_TEXT,
     .text =
         "instead of vertices and triangles: an STL file, text or binary, or an OBJ file; from the folder "
         "of the scene"},
    {.name = "scale",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .default_text = "1",
     .text = "what a length of 1 in the mesh is in m: 1e-3 for a file in millimetres"},
};
const tp_key_table tp_mesh_keys = {
    .name = "mesh",
    .text =
        "A closed surface of triangles, from which mass, centre and inertia of a body follow, where they are "
        "not given. It is drawn and does not touch anything.",
    .TP_KEYS_OF(mesh_keys)};

#define MASS_KEY                                                                                             \
    {                                                                                                        \
        .name = "mass", .kind = TP_VALUE_QUANTITY, .flags = TP_KEY_POSITIVE, .unit = "kg",                   \
        .text = "needed, unless there is a density"                                                          \
    }
#define DENSITY_KEY                                                                                          \
    {                                                                                                        \
        .name = "density", .kind = TP_VALUE_QUANTITY, .flags = TP_KEY_POSITIVE, .unit = "kg/m^3",            \
        .text = "instead of mass, centre and inertia: these follow from the shapes, which are filled, or "   \
                "from the mesh"                                                                              \
    }
#define MESH_KEY                                                                                             \
    {                                                                                                        \
        .name = "mesh", .kind = TP_VALUE_MAP, .table = &tp_mesh_keys,                                        \
        .text = "a surface that holds the mass, in place of the shapes, and is drawn"                        \
    }
#define VECTOR_KEY(named, components, measured, said)                                                        \
    {                                                                                                        \
        .name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = components,                 \
        .unit = measured, .text = said                                                                       \
    }

static const tp_key inertia_rows = {
    .name = "inertia", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_ROWS, .count = 3, .text = "matrix"};

static const tp_key rigid_keys[] = {
    MASS_KEY,
    {.name = "inertia",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .count = 3,
     .unit = "kg m^2",
     .or_else = &inertia_rows,
     .text = "about the centre of mass: moments about the body's directions, or the whole matrix; left out: "
             "that of the shapes or the mesh, with the given mass"},
    VECTOR_KEY("center", 3, "m", "centre of mass in the frame of the body's points; left out: the origin"),
    DENSITY_KEY,
    MESH_KEY,
    VECTOR_KEY("position", 3, "m", "of the origin of that frame at the start; left out: 0"),
    ORIENTATION_KEY("at the start, body to world: a unit quaternion, scalar first, or a map; left out: not "
                    "turned"),
    VECTOR_KEY("velocity", 3, "m/s", "of the centre of mass at the start; left out: 0"),
    VECTOR_KEY("angular_velocity", 3, "rad/s", "at the start, in the body's directions; left out: 0"),
    VECTOR_KEY("angular_velocity_world", 3, "rad/s", "the same in the directions of the world, instead"),
};
const tp_key_table tp_rigid_keys = {
    .name = "rigid body",
    .text = "Coordinates NAME.x, .y, .z (of the centre of mass), .p0 ... .p3 (unit quaternion); velocities "
            "NAME.v.x, .v.y, .v.z, and NAME.omega.x, .omega.y, .omega.z in the body's directions.",
    .TP_KEYS_OF(rigid_keys)};

static const tp_key planar_keys[] = {
    MASS_KEY,
    {.name = "inertia",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "kg m^2",
     .text = "about z through the centre of mass; left out: that of the shapes or the mesh, with the given "
             "mass"},
    VECTOR_KEY("center", 2, "m", "centre of mass in the frame of the body's points; left out: the origin"),
    DENSITY_KEY,
    MESH_KEY,
    VECTOR_KEY("position", 2, "m", "of the origin of that frame at the start; left out: 0"),
    {.name = "angle",
     .kind = TP_VALUE_QUANTITY,
     .unit = "rad",
     .default_text = "0",
     .text = "at the start, counter-clockwise"},
    VECTOR_KEY("velocity", 2, "m/s", "of the centre of mass at the start; left out: 0"),
    {.name = "angular_velocity",
     .kind = TP_VALUE_QUANTITY,
     .unit = "rad/s",
     .default_text = "0",
     .text = "at the start, counter-clockwise"},
};
const tp_key_table tp_planar_keys = {.name = "planar body",
                                     .text = "In the plane z = 0. Coordinates NAME.x, .y, .phi; velocities "
                                             "NAME.v.x, .v.y, .omega.",
                                     .TP_KEYS_OF(planar_keys)};

static const tp_key point_keys[] = {
    MASS_KEY,
    DENSITY_KEY,
    VECTOR_KEY("position", 3, "m", "at the start; left out: 0"),
    VECTOR_KEY("velocity", 3, "m/s", "at the start; left out: 0"),
};
const tp_key_table tp_point_keys = {
    .name = "point mass",
    .text = "A body that does not turn. Coordinates NAME.x, .y, .z; velocities NAME.v.x, .v.y, .v.z.",
    .TP_KEYS_OF(point_keys)};

static const tp_key moving_keys[] = {
    {.name = "motion",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .count = 3,
     .unit = "m",
     .text = "position of its origin, formulas of t"},
    VECTOR_KEY("position", 3, "m", "of its origin, where there is no motion; left out: 0"),
    ORIENTATION_KEY("before it turns; left out: as the world"),
    {.name = "angle",
     .kind = TP_VALUE_FORMULA,
     .unit = "rad",
     .text = "about `axis`, a formula of t; left out: it does not turn"},
    {.name = "axis",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .count = 3,
     .default_text = "[0, 0, 1]",
     .text = "that it turns about, in its own directions"},
};
const tp_key_table tp_moving_keys = {
    .name = "moving body",
    .text = "A body whose motion is given: a drive, a shaking table, a belt. It has no coordinates.",
    .TP_KEYS_OF(moving_keys)};

static const tp_key scalable_keys[] = {
    MASS_KEY,
    {.name = "inertia",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .count = 3,
     .unit = "kg m^2",
     .or_else = &inertia_rows,
     .text = "about the centre of mass, at size 1: moments about the body's directions, or the whole matrix"},
    VECTOR_KEY("center", 3, "m", "centre of mass in the frame of the body's points; left out: the origin"),
    VECTOR_KEY("position", 3, "m", "of the origin of that frame at the start; left out: 0"),
    ORIENTATION_KEY("at the start, body to world: a unit quaternion, scalar first, or a map; left out: not "
                    "turned"),
    {.name = "size",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .default_text = "1",
     .text = "at the start: all lengths of the body are multiplied by it"},
    {.name = "size_rate",
     .kind = TP_VALUE_QUANTITY,
     .unit = "1/s",
     .default_text = "0",
     .text = "at the start"},
    VECTOR_KEY("velocity", 3, "m/s", "of the centre of mass at the start; left out: 0"),
    VECTOR_KEY("angular_velocity", 3, "rad/s", "at the start, in the body's directions; left out: 0"),
    VECTOR_KEY("angular_velocity_world", 3, "rad/s", "the same in the directions of the world, instead"),
};
const tp_key_table tp_scalable_keys = {
    .name = "scalable body",
    .text =
        "A body that also changes its size s. Coordinates NAME.x, .y, .z (of the centre of mass), .p0 ... "
        ".p3 (quaternion of the length sqrt(s)); velocities NAME.v.x, .v.y, .v.z, NAME.nu = s', and "
        "NAME.omega.x, .omega.y, .omega.z: s times the angular velocity in the body's directions.",
    .TP_KEYS_OF(scalable_keys)};

static const tp_key_variant body_kinds[] = {
    {.word = "rigid", .table = &tp_rigid_keys, .value = TP_BODY_RIGID},
    {.word = "planar", .table = &tp_planar_keys, .value = TP_BODY_PLANAR},
    {.word = "point", .table = &tp_point_keys, .value = TP_BODY_POINT},
    {.word = "moving", .table = &tp_moving_keys, .value = TP_BODY_MOVING},
    {.word = "scalable", .table = &tp_scalable_keys, .value = TP_BODY_SCALABLE},
};

static const tp_key body_keys[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "its name in joints, contacts, formulas and output"},
    {.name = "type", .kind = TP_VALUE_CHOICE, .default_text = "rigid", .text = "how it can move"},
    {.name = "shapes",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_shape_keys,
     .text = "solids fixed to it"},
};
const tp_key_table tp_body_keys = {
    .name = "body",
    .text = "A body. Its points are given in a frame of its own; `center` says where the centre of mass lies "
            "in it.",
    .TP_KEYS_OF(body_keys),
    .selector = "type",
    .TP_VARIANTS_OF(body_kinds)};
