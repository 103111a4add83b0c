/* The catalogue of joints. A kind is a list of parts, each one or more rows, and a list of coordinates;
   docs/theory/joints.md (19). With the joint frames x, y, z on A and B:
     PIN       p_B - p_A = 0                      PARALLEL  x_A.z_B = 0, y_A.z_B = 0
     KEY       y_A.x_B = 0                        LOCKED    z_A.y_B = 0, x_A.z_B = 0, y_A.x_B = 0
     GUIDE     x_A.(p_B - p_A) = y_A.(..) = 0     STOP      z_A.(p_B - p_A) = 0
     CROSS     z_A.x_B = 0                        ROD, THREAD, CURVE: distance, screw and curve rows
   Of planar bodies z is the plane's normal and x the direction of sliding. */
#include "joint_kinds.h"

#include <string.h>

typedef enum joint_part {
    PART_END,
    PART_PIN,
    PART_PARALLEL,
    PART_KEY,
    PART_LOCKED,
    PART_GUIDE,
    PART_STOP,
    PART_CROSS,
    PART_ROD,
    PART_THREAD,
    PART_CURVE
} joint_part;

typedef enum joint_freedom {
    FREEDOM_END,
    FREEDOM_ANGLE,
    FREEDOM_ANGLE_IN_A, /* universal joint: about A's axis ..          */
    FREEDOM_ANGLE_IN_B, /* .. and about B's                            */
    FREEDOM_SLIDE,      /* along the axis                              */
    FREEDOM_SLIDE_X,
    FREEDOM_SLIDE_Y,
    FREEDOM_LENGTH,
    FREEDOM_PARAMETER
} joint_freedom;

enum { MOST_PARTS = 4 };

typedef struct joint_recipe {
    tp_joint_info info;
    joint_part parts[MOST_PARTS], planar_parts[MOST_PARTS];
    joint_freedom freedoms[TP_JOINT_COORDINATES + 1];
    bool has_friction; /* of the rows that carry forces */
} joint_recipe;

static const joint_recipe recipes[TP_JOINT_KIND_COUNT] = {
    [TP_JOINT_FIXED] = {{"fixed", "no relative motion", 6, 3, 0, {0}, {0}},
                        {PART_PIN, PART_LOCKED},
                        {PART_PIN, PART_KEY},
                        {FREEDOM_END},
                        false},
    [TP_JOINT_SPHERICAL] = {{"spherical", "a common point (ball and socket)", 3, 0, 0, {0}, {0}},
                            {PART_PIN},
                            {PART_END},
                            {FREEDOM_END},
                            true},
    [TP_JOINT_UNIVERSAL] = {{"universal",
                             "a common point, and an axis of each body orthogonal to the other's (Cardan)",
                             4,
                             0,
                             2,
                             {"angle1", "angle2"},
                             {true, true}},
                            {PART_PIN, PART_CROSS},
                            {PART_END},
                            {FREEDOM_ANGLE_IN_A, FREEDOM_ANGLE_IN_B},
                            true},
    [TP_JOINT_REVOLUTE] = {{"revolute", "rotation about an axis (hinge)", 5, 2, 1, {"angle"}, {true}},
                           {PART_PIN, PART_PARALLEL},
                           {PART_PIN},
                           {FREEDOM_ANGLE},
                           true},
    [TP_JOINT_CYLINDRICAL] = {{"cylindrical",
                               "rotation about and sliding along an axis",
                               4,
                               0,
                               2,
                               {"angle", "displacement"},
                               {true, false}},
                              {PART_PARALLEL, PART_GUIDE},
                              {PART_END},
                              {FREEDOM_ANGLE, FREEDOM_SLIDE},
                              true},
    [TP_JOINT_PRISMATIC] = {{"prismatic", "sliding along an axis", 5, 2, 1, {"displacement"}, {false}},
                            {PART_PARALLEL, PART_KEY, PART_GUIDE},
                            {PART_KEY, PART_GUIDE},
                            {FREEDOM_SLIDE},
                            true},
    [TP_JOINT_PLANAR] = {{"planar",
                          "sliding and turning in a plane",
                          3,
                          0,
                          3,
                          {"displacement1", "displacement2", "angle"},
                          {false, false, true}},
                         {PART_PARALLEL, PART_STOP},
                         {PART_END},
                         {FREEDOM_SLIDE_X, FREEDOM_SLIDE_Y, FREEDOM_ANGLE},
                         true},
    [TP_JOINT_DISTANCE] = {{"distance", "two points at a constant distance (rod)", 1, 1, 1, {"length"}, {0}},
                           {PART_ROD},
                           {PART_ROD},
                           {FREEDOM_LENGTH},
                           false},
    [TP_JOINT_SCREW] = {{"screw",
                         "rotation about an axis with sliding in proportion",
                         5,
                         0,
                         2,
                         {"angle", "displacement"},
                         {true, false}},
                        {PART_PARALLEL, PART_GUIDE, PART_THREAD},
                        {PART_END},
                        {FREEDOM_ANGLE, FREEDOM_SLIDE},
                        true},
    [TP_JOINT_POINT_ON_LINE] =
        {{"point-on-line", "a point of B stays on a line of A", 2, 1, 1, {"displacement"}, {false}},
         {PART_GUIDE},
         {PART_GUIDE},
         {FREEDOM_SLIDE},
         true},
    [TP_JOINT_POINT_ON_PLANE] = {{"point-on-plane",
                                  "a point of B stays in a plane of A",
                                  1,
                                  0,
                                  2,
                                  {"displacement1", "displacement2"},
                                  {false, false}},
                                 {PART_STOP},
                                 {PART_END},
                                 {FREEDOM_SLIDE_X, FREEDOM_SLIDE_Y},
                                 true},
    [TP_JOINT_POINT_ON_CURVE] =
        {{"point-on-curve", "a point of B stays on a curve of A", 2, 1, 1, {"parameter"}, {false}},
         {PART_CURVE},
         {PART_CURVE},
         {FREEDOM_PARAMETER},
         true},
    [TP_JOINT_ORIENTATION] = {{"orientation", "no relative rotation", 3, 1, 0, {0}, {0}},
                              {PART_LOCKED},
                              {PART_KEY},
                              {FREEDOM_END},
                              false},
    [TP_JOINT_PARALLEL_AXES] =
        {{"parallel-axes", "an axis of B stays parallel to one of A", 2, 0, 1, {"angle"}, {true}},
         {PART_PARALLEL},
         {PART_END},
         {FREEDOM_ANGLE},
         false},
};

const tp_joint_info *tp_joint_kind_info(tp_joint_kind kind)
{
    return (unsigned)kind < TP_JOINT_KIND_COUNT ? &recipes[kind].info : NULL;
}

tp_joint_kind tp_joint_kind_find(const char *name)
{
    int kind = 0;
    while (kind < TP_JOINT_KIND_COUNT && strcmp(recipes[kind].info.name, name) != 0) kind++;
    return (tp_joint_kind)kind;
}

tp_joint_def tp_joint_def_default(void)
{
    return (tp_joint_def){.name = "joint", .kind = TP_JOINT_REVOLUTE};
}

/* ---- what follows from the parts ---- */

static bool has_part(const tp_joint_def *def, const joint_part *wanted, int wanted_count)
{
    const joint_recipe *recipe = &recipes[def->kind];
    const joint_part *parts = def->is_planar ? recipe->planar_parts : recipe->parts;
    for (int k = 0; k < MOST_PARTS && parts[k] != PART_END; k++) {
        for (int i = 0; i < wanted_count; i++) {
            if (parts[k] == wanted[i]) return true;
        }
    }
    return false;
}

const char *tp_joint_axis_purpose(const tp_joint_def *def)
{
    static const joint_part of_axes[] = {PART_PARALLEL, PART_GUIDE, PART_STOP, PART_CROSS, PART_THREAD};
    joint_freedom first = recipes[def->kind].freedoms[0];
    if (!has_part(def, of_axes, sizeof of_axes / sizeof of_axes[0])) return NULL;
    if (first == FREEDOM_SLIDE_X) return "the plane's normal";
    return first == FREEDOM_SLIDE ? "the direction of sliding" : "the axis of rotation";
}

bool tp_joint_has_directions(const tp_joint_def *def)
{
    static const joint_part of_frames[] = {PART_KEY, PART_LOCKED, PART_CURVE};
    return tp_joint_axis_purpose(def) != NULL || recipes[def->kind].freedoms[0] == FREEDOM_ANGLE ||
           has_part(def, of_frames, sizeof of_frames / sizeof of_frames[0]);
}

/* ---- checks of what placing does not check ---- */

/* The kinds with planar counterpart, for a message. */
static void list_planar_kinds(char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < TP_JOINT_KIND_COUNT; k++) {
        if (recipes[k].info.planar_row_count == 0) continue;
        if (text[0] != '\0') strncat(text, ", ", size - strlen(text) - 1);
        strncat(text, recipes[k].info.name, size - strlen(text) - 1);
    }
}

static tp_status check_def(const tp_joint_def *def, tp_message *message)
{
    if ((unsigned)def->kind >= TP_JOINT_KIND_COUNT) {
        return tp_fail_at(message, TP_INVALID_ARGUMENT, def->place, "joint '%s': %d is not a kind of joint",
                          def->name, (int)def->kind);
    }
    const tp_joint_info *info = &recipes[def->kind].info;
    if (def->is_planar && info->planar_row_count == 0) {
        char kinds[256];
        list_planar_kinds(kinds, sizeof kinds);
        return tp_fail_at(message, TP_INVALID_DATA, def->place,
                          "joint '%s': there is no %s joint between planar bodies; there are: %s", def->name,
                          info->name, kinds);
    }
    if (def->kind == TP_JOINT_DISTANCE && !(isfinite(def->length) && def->length >= 0.0)) {
        return tp_fail_at(message, TP_INVALID_DATA, def->place,
                          "joint '%s': the length is %g m; it must be positive (or 0: as placed)", def->name,
                          def->length);
    }
    if (def->kind == TP_JOINT_SCREW && !(isfinite(def->pitch) && def->pitch != 0.0)) {
        return tp_fail_at(
            message, TP_INVALID_DATA, def->place,
            "joint '%s': the pitch is %g m per turn; it must not be 0 (a revolute joint does not "
            "slide)",
            def->name, def->pitch);
    }
    return TP_OK;
}

/* ---- parts ---- */

typedef struct joint_builder {
    const tp_joint_def *def;
    tp_joint_frame A, B;
    const tp_curve *curve;
    double length;
    tp_joint *joint;
} joint_builder;

static void add_row(joint_builder *builder, tp_basic_row row)
{
    tp_joint *joint = builder->joint;
    if (tp_basic_row_is_angular(&row)) joint->angle_rows |= 1u << joint->row_count;
    joint->row[joint->row_count++] = row;
}

static void add_axes(joint_builder *builder, tp_vec3 a, tp_vec3 b)
{
    add_row(builder, tp_basic_row_axes(a, b, 0.0));
}

static void add_along(joint_builder *builder, tp_vec3 a)
{
    add_row(builder, tp_basic_row_along(a, builder->A.point, builder->B.point));
}

static void add_pin(joint_builder *builder)
{
    tp_mat3 world = tp_mat3_identity();
    add_row(builder, tp_basic_row_coincidence(world.cx, builder->A.point, builder->B.point));
    add_row(builder, tp_basic_row_coincidence(world.cy, builder->A.point, builder->B.point));
    if (builder->def->is_planar) return;
    add_row(builder, tp_basic_row_coincidence(world.cz, builder->A.point, builder->B.point));
}

static void add_curve(joint_builder *builder)
{
    tp_mat3 axes = builder->A.axes;
    if (!builder->def->is_planar) { /* the first normal of a planar curve is the plane's */
        add_row(builder, tp_basic_row_curve(TP_ROW_CURVE_FIRST, builder->curve, axes, builder->A.point,
                                            builder->B.point));
    }
    add_row(builder, tp_basic_row_curve(TP_ROW_CURVE_SECOND, builder->curve, axes, builder->A.point,
                                        builder->B.point));
}

static void add_part(joint_builder *builder, joint_part part)
{
    tp_mat3 a = builder->A.axes, b = builder->B.axes;
    switch (part) {
    case PART_PIN: add_pin(builder); break;
    case PART_PARALLEL:
        add_axes(builder, a.cx, b.cz);
        add_axes(builder, a.cy, b.cz);
        break;
    case PART_KEY: add_axes(builder, a.cy, b.cx); break;
    case PART_LOCKED:
        /* In this order the rows are, at the placement, the rotation of B against A about x, y and z. */
        add_axes(builder, a.cz, b.cy);
        add_axes(builder, a.cx, b.cz);
        add_axes(builder, a.cy, b.cx);
        break;
    case PART_GUIDE:
        if (!builder->def->is_planar) add_along(builder, a.cx);
        add_along(builder, a.cy);
        break;
    case PART_STOP: add_along(builder, a.cz); break;
    case PART_CROSS: add_axes(builder, a.cz, b.cx); break;
    case PART_ROD:
        add_row(builder, tp_basic_row_distance(builder->A.point, builder->B.point, builder->length));
        break;
    case PART_THREAD:
        add_row(builder,
                tp_basic_row_screw(a, builder->A.point, builder->B.point, b.cx, builder->def->pitch));
        break;
    case PART_CURVE: add_curve(builder); break;
    case PART_END: break;
    }
}

static tp_basic_row coordinate_row(const joint_builder *builder, joint_freedom freedom)
{
    tp_mat3 a = builder->A.axes, b = builder->B.axes;
    tp_vec3 p = builder->A.point, q = builder->B.point;
    switch (freedom) {
    case FREEDOM_SLIDE: return tp_basic_row_along(builder->def->is_planar ? a.cx : a.cz, p, q);
    case FREEDOM_SLIDE_X: return tp_basic_row_along(a.cx, p, q);
    case FREEDOM_SLIDE_Y: return tp_basic_row_along(a.cy, p, q);
    case FREEDOM_LENGTH: return tp_basic_row_length(p, q);
    case FREEDOM_PARAMETER: return tp_basic_row_curve(TP_ROW_CURVE_PARAMETER, builder->curve, a, p, q);
    case FREEDOM_ANGLE_IN_B: return tp_basic_row_angle_in_B(a.cz, b.cz, b.cy);
    case FREEDOM_ANGLE_IN_A:
    case FREEDOM_ANGLE:
    case FREEDOM_END: break;
    }
    return tp_basic_row_angle(a.cx, a.cy, b.cx);
}

static bool carries_force(const tp_basic_row *row)
{
    return !tp_basic_row_is_angular(row);
}

/* In every kind the rows with forces stand together. */
static void find_friction_rows(tp_joint *joint)
{
    for (int k = 0; k < joint->row_count; k++) {
        if (!carries_force(&joint->row[k])) continue;
        if (joint->friction_count == 0) joint->friction_first = k;
        joint->friction_count++;
    }
}

static void add_coordinates(joint_builder *builder, const joint_recipe *recipe)
{
    tp_joint *joint = builder->joint;
    for (int k = 0; recipe->freedoms[k] != FREEDOM_END; k++) {
        joint->coordinate[k] = coordinate_row(builder, recipe->freedoms[k]);
        joint->coordinate_name[k] = recipe->info.coordinates[k];
        joint->coordinate_is_angle[k] = recipe->info.coordinate_is_angle[k];
        joint->coordinate_count++;
    }
}

/* The length of a rod, as given or as placed. */
static tp_status find_length(joint_builder *builder, const tp_frame *A, const tp_frame *B,
                             tp_message *message)
{
    builder->length = builder->def->length;
    if (builder->length > 0.0) return TP_OK;
    tp_basic_row length = tp_basic_row_length(builder->A.point, builder->B.point);
    builder->length = tp_basic_row_value(&length, A, B);
    if (builder->length > 0.0) return TP_OK;
    return tp_fail_at(message, TP_INVALID_DATA, builder->def->place,
                      "joint '%s': both points are the same, so that the distance has no direction; give two "
                      "different points, or use a spherical joint",
                      builder->def->name);
}

tp_status tp_joint_build(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_arena *arena,
                         tp_joint *joint_out, tp_message *message)
{
    TP_TRY(check_def(def, message));
    const joint_recipe *recipe = &recipes[def->kind];
    joint_builder builder = {.def = def, .joint = joint_out};
    *joint_out = (tp_joint){.kind = def->kind};
    TP_TRY(tp_joint_place(def, A, B, &builder.A, &builder.B, message));
    if (def->kind == TP_JOINT_DISTANCE) TP_TRY(find_length(&builder, A, B, message));
    if (def->kind == TP_JOINT_POINT_ON_CURVE) {
        TP_TRY(tp_curve_create(arena, &def->curve, def->is_planar, def->name, def->place, message,
                               &builder.curve));
    }
    const joint_part *parts = def->is_planar ? recipe->planar_parts : recipe->parts;
    for (int k = 0; k < MOST_PARTS && parts[k] != PART_END; k++) add_part(&builder, parts[k]);
    add_coordinates(&builder, recipe);
    if (recipe->has_friction) find_friction_rows(joint_out);
    return TP_OK;
}
