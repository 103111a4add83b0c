/* Joints of a scene. What acts on their coordinates: load_joint_parts.c. */
#include "io/scene/loader.h"
#include "io/scene/rows.h"

/* ---- curves -------------------------------------------------------------------------------------------- */

static const tp_key curve_keys[] = {
    ROW_NUMBER(
        "points", TP_INTO_COUNTED(tp_curve_def, points, point_count), "m", NULL,
        "that it goes through; a closed curve ends before its first point; the parameter is the length "
        "of the chords",
        .form = TP_FORM_ROWS),
    ROW_FORMULA("formulas", TP_INTO(tp_curve_def, formula), "m",
                "instead: x, y and z as formulas of the parameter s", .form = TP_FORM_LIST),
    ROW_NUMBER("begin", TP_INTO(tp_curve_def, begin), NULL, "0", "of s, with formulas"),
    ROW_NUMBER("end", TP_INTO(tp_curve_def, end), NULL, "1", "of s, with formulas"),
    ROW_TRUTH("closed", TP_INTO(tp_curve_def, is_closed), "false", "whether it returns to its start"),
};
TP_BEGINS(begin_curve, tp_curve_def, ((tp_curve_def){.end = 1.0}))
static const tp_key_table curve_table =
    TABLE("curve", curve_keys,
          "A curve in the frame that the joint's point, axis (z) and second axis (x) on A span.",
          .size = sizeof(tp_curve_def), .begin = begin_curve);

static tp_status load_curve(tp_loader *loader, const tp_node *map, void *into)
{
    const tp_node *points = tp_map_get(map, "points"), *formulas = tp_map_get(map, "formulas");
    if (!points == !formulas) {
        return tp_node_fail(map, loader->why, "a curve needs either points or formulas");
    }
    if (points) {
        TP_TRY(tp_load_no_effect(loader, map, TP_KEYS("begin", "end"),
                                 "with points, whose parameter is the length; remove it"));
    } else if (formulas->count != 3 && !(loader->is_planar && formulas->count == 2)) {
        return tp_node_fail(formulas, loader->why, "found %d formulas; write x, y and z", formulas->count);
    }
    begin_curve(into);
    return tp_load_map(loader, map, &curve_table, into);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

typedef struct joint {
    tp_joint_def def;
    const char *bodies[2];
    const tp_node *limits, *motor, *friction, *spring;
    tp_place place;
} joint;

/* The words are those of the library, found by name. */
TP_WORDS_OF(joint_kinds,
            tp_joint_kind_info((tp_joint_kind)k) ? tp_joint_kind_info((tp_joint_kind)k)->name : NULL)
TP_WORDS(frames, TP_WORD("world", true), TP_WORD("body", false))

#define ROW_SIDE(named, member, measured, ...)                                                               \
    ROW_VECTOR(named, TP_INTO(joint, def.member), 0, measured, NULL, __VA_ARGS__)

static const tp_key limit_list = ROW_MAPS("limits", tp_limit_keys, "list");
static const tp_key motor_list = ROW_MAPS("motor", tp_motor_keys, "list");
static const tp_key spring_list = ROW_MAPS("spring", tp_joint_spring_keys, "list");

static const tp_key joint_keys[] = {
    ROW_NAME(joint, def.name),
    ROW_WORD("type", TP_INTO(joint, def.kind), joint_kinds, NULL,
             "which motion it allows; `tippe list joints` describes them", .flags = TP_KEY_REQUIRED),
    ROW_BODIES(joint),
    ROW_WORD("frame", TP_INTO(joint, def.is_in_world), frames, "world",
             "where points and axes are given: in the world at the start, or in the bodies' own frames"),
    ROW_SIDE("point", A.point, "m", "where it is, on A; two numbers where a body is planar"),
    ROW_SIDE("axis", A.axis, NULL, "of rotation, of sliding, of a plane's normal, on A; of any length"),
    ROW_SIDE("second_axis", A.second_axis, NULL,
             "orthogonal to it, on A: where angles count from; left out: one is chosen"),
    ROW_SIDE("point_b", B.point, "m",
             "on B; left out: where A's is at the start, of a point-on-curve joint B's centre of mass"),
    ROW_SIDE("axis_b", B.axis, NULL, "on B; left out: as A's at the start"),
    ROW_SIDE("second_axis_b", B.second_axis, NULL,
             "on B; left out: as A's at the start; universal: the axis fixed to B"),
    ROW_POSITIVE("length", TP_INTO(joint, def.length), "m", NULL, "of a distance joint; left out: as placed"),
    ROW_NUMBER("pitch", TP_INTO(joint, def.pitch), "m", NULL,
               "of a screw joint: travel along the axis per turn, right-handed if positive"),
    ROW_MAP("curve", TP_INTO(joint, def.curve), curve_table, "of a point-on-curve joint", .load = load_curve),
    ROW_MAP("limits", TP_INTO(joint, limits), tp_limit_keys, "stops of its coordinates",
            .or_else = &limit_list),
    ROW_MAP("motor", TP_INTO(joint, motor), tp_motor_keys, "drives of its coordinates",
            .or_else = &motor_list),
    ROW_MAP("friction", TP_INTO(joint, friction), tp_joint_friction_keys, "in the joint"),
    ROW_MAP("spring", TP_INTO(joint, spring), tp_joint_spring_keys, "on its coordinates",
            .or_else = &spring_list),
};

/* ---- the joint ----------------------------------------------------------------------------------------- */

/* Keys that go with one kind of joint alone. */
static tp_status check_kind_keys(tp_loader *loader, const tp_node *item, tp_joint_kind kind)
{
    static const struct {
        const char *key;
        tp_joint_kind kind;
        bool is_needed;
    } special[] = {{"length", TP_JOINT_DISTANCE, false},
                   {"pitch", TP_JOINT_SCREW, true},
                   {"curve", TP_JOINT_POINT_ON_CURVE, true}};
    for (size_t k = 0; k < sizeof special / sizeof special[0]; k++) {
        const tp_node *node = tp_map_get(item, special[k].key);
        const char *right = tp_joint_kind_info(special[k].kind)->name;
        if (node && kind != special[k].kind) {
            return tp_node_fail(node, loader->why, "has no effect on a %s joint; it goes with type: %s",
                                tp_joint_kind_info(kind)->name, right);
        }
        if (!node && special[k].is_needed && kind == special[k].kind) {
            return tp_node_fail(item, loader->why, "the key '%s' is missing; a %s joint needs it",
                                special[k].key, right);
        }
    }
    return TP_OK;
}

/* A joint that holds no point needs none; of a rigid connection and a curve the origin will do. */
static tp_status check_points(tp_loader *loader, const tp_node *item, tp_joint_kind kind)
{
    bool needs_none = kind == TP_JOINT_ORIENTATION || kind == TP_JOINT_PARALLEL_AXES ||
                      kind == TP_JOINT_FIXED || kind == TP_JOINT_POINT_ON_CURVE;
    if (!needs_none && !tp_map_get(item, "point")) {
        return tp_node_fail(item, loader->why,
                            "the key 'point' is missing; say where the joint is: point: [x, y, z]");
    }
    if (kind == TP_JOINT_DISTANCE && !tp_map_get(item, "point_b")) {
        return tp_node_fail(item, loader->why,
                            "the key 'point_b' is missing; a distance joint has a point on either body");
    }
    return TP_OK;
}

static tp_status add_joint(tp_loader *loader, const tp_node *item, void *made)
{
    joint *is = made;
    is->def.place = is->place;
    is->def.has_point_B = tp_map_get(item, "point_b") != NULL;
    TP_TRY(check_kind_keys(loader, item, is->def.kind));
    TP_TRY(check_points(loader, item, is->def.kind));
    int number = tp_model_joint_count(loader->model);
    TP_TRY(tp_load_told(loader, tp_model_add_joint(loader->model, is->bodies[0], is->bodies[1], &is->def,
                                                   NULL, &loader->told)));
    if (tp_name_index_add(loader->work, &loader->joint_names, is->def.name, number) != TP_OK) {
        return tp_load_no_memory(loader);
    }
    loader->joint = is->def.name;
    loader->joint_info = tp_joint_kind_info(is->def.kind);
    TP_TRY(tp_load_items(loader, is->limits, &tp_limit_keys));
    TP_TRY(tp_load_items(loader, is->motor, &tp_motor_keys));
    TP_TRY(tp_load_items(loader, is->spring, &tp_joint_spring_keys));
    return tp_load_items(loader, is->friction, &tp_joint_friction_keys);
}

static void begin_joint(void *made)
{
    *(joint *)made = (joint){.def = tp_joint_def_default()};
    ((joint *)made)->def.is_in_world = true; /* the library's joints are in the frames of bodies */
}

const tp_key_table tp_joint_keys = TABLE("joint", joint_keys, "A joint between two bodies A and B.",
                                         TP_MAKES(joint, begin_joint, add_joint));
