/* Keys of joints, what acts on their coordinates, and forces between bodies. */
#include "io/scene/scene_tables.h"

#define VECTOR_KEY(named, measured, said)                                                                    \
    {                                                                                                        \
        .name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .unit = measured, .text = said       \
    }
#define BODIES_KEY                                                                                           \
    {                                                                                                        \
        .name = "bodies", .kind = TP_VALUE_TEXT, .form = TP_FORM_LIST, .count = 2, .flags = TP_KEY_REQUIRED, \
        .text = "A and B, names of bodies; `ground` is the fixed one"                                        \
    }
#define OWN_NAME_KEY(otherwise)                                                                              \
    {                                                                                                        \
        .name = "name", .kind = TP_VALUE_TEXT,                                                               \
        .text = "its name in messages and output; left out: " otherwise                                      \
    }
#define NAME_KEY                                                                                             \
    {                                                                                                        \
        .name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED,                                     \
        .text = "its name in messages and output"                                                            \
    }
#define COORDINATE_KEY                                                                                       \
    {                                                                                                        \
        .name = "coordinate", .kind = TP_VALUE_TEXT,                                                         \
        .text = "of the joint (`tippe list joints`); may be left out where there is only one"                \
    }

/* ---- on a coordinate ----------------------------------------------------------------------------------- */

static const tp_key limit_keys[] = {
    OWN_NAME_KEY("JOINT.limit, or JOINT.limit.COORDINATE"),
    COORDINATE_KEY,
    {.name = "lower", .kind = TP_VALUE_QUANTITY, .unit = "rad or m", .text = "least value; left out: none"},
    {.name = "upper", .kind = TP_VALUE_QUANTITY, .unit = "rad or m", .text = "largest value; left out: none"},
    {.name = "restitution",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "e of impacts: 0 none, 1 elastic"},
};
const tp_key_table tp_limit_keys = {
    .name = "limit", .text = "Stops of a joint's coordinate.", .TP_KEYS_OF(limit_keys)};

static const tp_key motor_keys[] = {
    OWN_NAME_KEY("JOINT.motor, or JOINT.motor.COORDINATE"),
    COORDINATE_KEY,
    {.name = "position",
     .kind = TP_VALUE_FORMULA,
     .unit = "rad or m",
     .text = "of the coordinate, a formula of t"},
    {.name = "speed",
     .kind = TP_VALUE_FORMULA,
     .unit = "rad/s or m/s",
     .text = "instead: rate of the coordinate, a formula of t"},
    {.name = "force",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "N m or N",
     .text = "largest one, with a speed; left out: whatever it takes"},
};
const tp_key_table tp_motor_keys = {.name = "motor",
                                    .text =
                                        "Drives a joint's coordinate: to a position, or at a speed as far "
                                        "as its force suffices.",
                                    .TP_KEYS_OF(motor_keys)};

static const tp_key friction_keys[] = {
    OWN_NAME_KEY("JOINT.friction"),
    {.name = "coefficient",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .text = "mu: the bound is mu times the joint's own reaction force"},
    {.name = "radius",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "m",
     .text = "of the bearing, where it turns: the bound is a torque"},
    {.name = "bound",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "N m or N",
     .text = "instead: a constant bound"},
};
const tp_key_table tp_joint_friction_keys = {
    .name = "joint friction",
    .text = "Dry friction in a revolute, cylindrical, prismatic or spherical joint.",
    .TP_KEYS_OF(friction_keys)};

static const tp_key coordinate_spring_keys[] = {
    OWN_NAME_KEY("JOINT.spring, or JOINT.spring.COORDINATE"),
    COORDINATE_KEY,
    {.name = "stiffness",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "N m/rad or N/m",
     .default_text = "0",
     .text = "of the spring"},
    {.name = "damping",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "N m s/rad or N s/m",
     .default_text = "0",
     .text = "of the damper beside it"},
    {.name = "rest",
     .kind = TP_VALUE_QUANTITY,
     .unit = "rad or m",
     .default_text = "0",
     .text = "coordinate where the spring is free of force"},
};
const tp_key_table tp_coordinate_spring_keys = {.name = "joint spring",
                                                .text = "Spring and damper on a coordinate of a joint.",
                                                .TP_KEYS_OF(coordinate_spring_keys)};

/* ---- joints -------------------------------------------------------------------------------------------- */

static const tp_key curve_keys[] = {
    {.name = "points",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_ROWS,
     .unit = "m",
     .text = "that it goes through; a closed curve ends before its first point; the parameter is the length "
             "of the chords"},
    {.name = "formulas",
     .kind = TP_VALUE_FORMULA,
     .form = TP_FORM_LIST,
     .unit = "m",
     .text = "instead: x, y and z as formulas of the parameter s"},
    {.name = "begin", .kind = TP_VALUE_QUANTITY, .default_text = "0", .text = "of s, with formulas"},
    {.name = "end", .kind = TP_VALUE_QUANTITY, .default_text = "1", .text = "of s, with formulas"},
    {.name = "closed",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "false",
     .text = "whether it comes back to its begin"},
};
const tp_key_table tp_curve_keys = {
    .name = "curve",
    .text = "A curve in the frame that the joint's point, axis (z) and second axis (x) on A span.",
    .TP_KEYS_OF(curve_keys)};

/* The kinds of tp_joint_kind, in their order. */
static const char *const joint_kinds[] = {
    "fixed",          "spherical",      "universal",   "revolute",      "cylindrical",
    "prismatic",      "planar",         "distance",    "screw",         "point-on-line",
    "point-on-plane", "point-on-curve", "orientation", "parallel-axes", NULL};
static const char *const frames[] = {"world", "body", NULL};

static const tp_key limit_list = {
    .name = "limits", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &tp_limit_keys, .text = "list"};
static const tp_key motor_list = {
    .name = "motor", .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &tp_motor_keys, .text = "list"};
static const tp_key spring_list = {.name = "spring",
                                   .kind = TP_VALUE_MAP,
                                   .form = TP_FORM_LIST,
                                   .table = &tp_coordinate_spring_keys,
                                   .text = "list"};

static const tp_key joint_keys[] = {
    NAME_KEY,
    {.name = "type",
     .kind = TP_VALUE_CHOICE,
     .choices = joint_kinds,
     .flags = TP_KEY_REQUIRED,
     .text = "what it lets free; `tippe list joints` describes them"},
    BODIES_KEY,
    {.name = "frame",
     .kind = TP_VALUE_CHOICE,
     .choices = frames,
     .default_text = "world",
     .text = "where points and axes are given: in the world at the start, or in the bodies' own frames"},
    VECTOR_KEY("point", "m", "where it is, on A; two numbers where a body is planar"),
    VECTOR_KEY("axis", NULL, "of rotation, of sliding, of a plane's normal, on A; of any length"),
    VECTOR_KEY("second_axis", NULL,
               "orthogonal to it, on A: where angles count from; left out: one is chosen"),
    VECTOR_KEY("point_b", "m",
               "on B; left out: where A's is at the start, of a point-on-curve joint B's centre of mass"),
    VECTOR_KEY("axis_b", NULL, "on B; left out: as A's at the start"),
    VECTOR_KEY("second_axis_b", NULL, "on B; left out: as A's at the start; universal: the axis fixed to B"),
    {.name = "length",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_POSITIVE,
     .unit = "m",
     .text = "of a distance joint; left out: as placed"},
    {.name = "pitch",
     .kind = TP_VALUE_QUANTITY,
     .unit = "m",
     .text = "of a screw joint: way along the axis in one turn, right-handed if positive"},
    {.name = "curve", .kind = TP_VALUE_MAP, .table = &tp_curve_keys, .text = "of a point-on-curve joint"},
    {.name = "limits",
     .kind = TP_VALUE_MAP,
     .table = &tp_limit_keys,
     .or_else = &limit_list,
     .text = "stops of its coordinates"},
    {.name = "motor",
     .kind = TP_VALUE_MAP,
     .table = &tp_motor_keys,
     .or_else = &motor_list,
     .text = "drives of its coordinates"},
    {.name = "friction", .kind = TP_VALUE_MAP, .table = &tp_joint_friction_keys, .text = "in the joint"},
    {.name = "spring",
     .kind = TP_VALUE_MAP,
     .table = &tp_coordinate_spring_keys,
     .or_else = &spring_list,
     .text = "on its coordinates"},
};
const tp_key_table tp_joint_keys = {
    .name = "joint", .text = "A joint between two bodies A and B.", .TP_KEYS_OF(joint_keys)};

static const tp_key term_keys[] = {
    {.name = "joint", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "name of a joint"},
    COORDINATE_KEY,
    {.name = "factor", .kind = TP_VALUE_QUANTITY, .default_text = "1", .text = "of the coordinate, not 0"},
};
const tp_key_table tp_term_keys = {
    .name = "term", .text = "A coordinate of a joint, times a factor.", .TP_KEYS_OF(term_keys)};

static const tp_key coupler_keys[] = {
    NAME_KEY,
    {.name = "terms",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &tp_term_keys,
     .flags = TP_KEY_REQUIRED,
     .text = "2 to 4 of them"},
};
const tp_key_table tp_coupler_keys = {
    .name = "coupler",
    .text = "Keeps a sum of joint coordinates times factors at what it is at the "
            "start: gears, racks, differentials.",
    .TP_KEYS_OF(coupler_keys)};

/* ---- forces between bodies ----------------------------------------------------------------------------- */

#define POINTS_KEY                                                                                           \
    {                                                                                                        \
        .name = "points", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_ROWS, .unit = "m",                      \
        .text = "one on A and one on B, in the frames of the bodies; left out: their origins"                \
    }

static const tp_key spring_keys[] = {
    NAME_KEY,
    BODIES_KEY,
    POINTS_KEY,
    {.name = "stiffness",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "N/m",
     .default_text = "0",
     .text = "of the spring"},
    {.name = "damping",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "N s/m",
     .default_text = "0",
     .text = "along the line between the points"},
    {.name = "rest_length",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "m",
     .text = "without force; left out: the distance of the points at the start"},
    {.name = "rope",
     .kind = TP_VALUE_BOOLEAN,
     .default_text = "false",
     .text = "pulls when longer than its rest length, never pushes"},
};
const tp_key_table tp_spring_keys = {.name = "spring",
                                     .text = "Spring and damper between a point of A and a point of B.",
                                     .TP_KEYS_OF(spring_keys)};

static const tp_key orientation_map = {
    .name = "orientation", .kind = TP_VALUE_MAP, .table = &tp_orientation_keys, .text = "map"};
#define TURNED_KEY(named, said)                                                                              \
    {                                                                                                        \
        .name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = 4,                          \
        .or_else = &orientation_map, .text = said                                                            \
    }
#define THREE_KEY(named, measured, said)                                                                     \
    {                                                                                                        \
        .name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = 3,                          \
        .flags = TP_KEY_NOT_NEGATIVE, .unit = measured, .default_text = "[0, 0, 0]", .text = said            \
    }

static const tp_key bushing_keys[] = {
    NAME_KEY,
    BODIES_KEY,
    POINTS_KEY,
    TURNED_KEY("orientation_a", "of its frame on A, in that of the body; left out: not turned"),
    TURNED_KEY("orientation_b", "of its frame on B"),
    THREE_KEY("stiffness", "N/m", "along x, y, z of its frame on A"),
    THREE_KEY("damping", "N s/m", "along x, y, z"),
    THREE_KEY("rotational_stiffness", "N m/rad", "about x, y, z"),
    THREE_KEY("rotational_damping", "N m s/rad", "about x, y, z"),
};
const tp_key_table tp_bushing_keys = {
    .name = "bushing",
    .text = "Elastic connection in all directions, free of force where its frames on A and B coincide.",
    .TP_KEYS_OF(bushing_keys)};
