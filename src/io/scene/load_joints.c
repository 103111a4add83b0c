/* Joints of a scene, what acts on their coordinates, and couplers between them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/common/near.h"
#include "io/scene/loader.h"

/* A joint while what belongs to it is read. */
typedef struct joint_reader {
    tp_loader *loader;
    const tp_node *item;
    const char *name;
    const tp_joint_info *info;
} joint_reader;

/* ---- names --------------------------------------------------------------------------------------------- */

tp_status tp_load_coordinate(tp_loader *loader, const tp_node *item, const char *joint,
                             const tp_joint_info *info, const char **coordinate_out)
{
    const tp_node *node = tp_map_get(item, "coordinate");
    *coordinate_out = node ? node->text : NULL;
    if (!node && info->coordinate_count == 1) return TP_OK;
    char all[200] = "";
    tp_near near = tp_near_begin(node ? node->text : "");
    for (int k = 0; k < info->coordinate_count; k++) {
        if (node && strcmp(info->coordinates[k], node->text) == 0) return TP_OK;
        tp_near_offer(&near, info->coordinates[k]);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "", info->coordinates[k]);
    }
    if (info->coordinate_count == 0) {
        return tp_node_fail(node ? node : item, loader->why, "the %s joint '%s' has no coordinates",
                            info->name, tp_excerpt_of(joint).text);
    }
    if (!node) {
        return tp_node_fail(item, loader->why,
                            "the %s joint '%s' has several coordinates; add coordinate: with one of %s",
                            info->name, tp_excerpt_of(joint).text, all);
    }
    return tp_node_fail(node, loader->why, "the %s joint '%s' has no coordinate '%s'%s; write one of %s",
                        info->name, tp_excerpt_of(joint).text, tp_excerpt_of(node->text).text,
                        tp_near_hint_of(&near).text, all);
}

/* The given name, or JOINT.WHAT[.COORDINATE]. */
static tp_status name_part(const joint_reader *r, const tp_node *item, const char *what,
                           const char *coordinate, const char **name_out)
{
    const tp_node *given = tp_map_get(item, "name");
    *name_out = given ? given->text : NULL;
    if (given) return TP_OK;
    size_t bytes = strlen(r->name) + strlen(what) + (coordinate ? strlen(coordinate) : 0) + 3;
    char *name = TP_ARENA_ARRAY(r->loader->arena, char, bytes);
    if (!name) return tp_fail(r->loader->why, TP_OUT_OF_MEMORY, "no memory for a joint");
    snprintf(name, bytes, "%s.%s%s%s", r->name, what, coordinate ? "." : "", coordinate ? coordinate : "");
    *name_out = name;
    return TP_OK;
}

/* What acts on a coordinate: its name and which coordinate it is. */
static tp_status load_part(const joint_reader *r, const tp_node *item, const char *what,
                           const char **name_out, tp_joint_coordinate *on_out)
{
    on_out->joint = r->name;
    TP_TRY(tp_load_coordinate(r->loader, item, r->name, r->info, &on_out->coordinate));
    return name_part(r, item, what, on_out->coordinate, name_out);
}

/* ---- on coordinates ------------------------------------------------------------------------------------ */

static tp_status load_limit(const joint_reader *r, const tp_node *item)
{
    tp_limit_def def = tp_limit_def_default();
    bool has_lower = tp_map_get(item, "lower") != NULL, has_upper = tp_map_get(item, "upper") != NULL;
    def.place = item->place;
    TP_TRY(load_part(r, item, "limit", &def.name, &def.on));
    if (has_lower) TP_TRY(tp_load_number(r->loader, item, &tp_limit_keys, "lower", &def.lower));
    if (has_upper) TP_TRY(tp_load_number(r->loader, item, &tp_limit_keys, "upper", &def.upper));
    TP_TRY(tp_load_number(r->loader, item, &tp_limit_keys, "restitution", &def.restitution));
    if (!has_lower && !has_upper) {
        return tp_node_fail(item, r->loader->why, "a limit needs lower, upper, or both");
    }
    if (!(def.lower < def.upper)) {
        return tp_node_fail(tp_map_get(item, "upper"), r->loader->why, "%g is not above the lower limit %g",
                            def.upper, def.lower);
    }
    return tp_load_told(r->loader, tp_model_add_limit(r->loader->model, &def, NULL, &r->loader->told));
}

static tp_status load_motor(const joint_reader *r, const tp_node *item)
{
    const tp_node *position = tp_map_get(item, "position"), *speed = tp_map_get(item, "speed"),
                  *force = tp_map_get(item, "force");
    tp_motor_def def = tp_motor_def_default();
    def.place = item->place;
    TP_TRY(load_part(r, item, "motor", &def.name, &def.on));
    if (!position == !speed) {
        return tp_node_fail(item, r->loader->why, "a motor needs either a position or a speed");
    }
    if (position && force) {
        return tp_node_fail(force, r->loader->why,
                            "has no effect with a position, which is held whatever it takes; give a speed");
    }
    if (position) def.position = tp_load_function(position);
    if (speed) def.speed = tp_load_function(speed);
    if (force) TP_TRY(tp_load_number(r->loader, item, &tp_motor_keys, "force", &def.most));
    return tp_load_told(r->loader, tp_model_add_motor(r->loader->model, &def, NULL, &r->loader->told));
}

static tp_status load_spring(const joint_reader *r, const tp_node *item)
{
    const tp_key_table *keys = &tp_coordinate_spring_keys;
    tp_coordinate_spring_def def = tp_coordinate_spring_def_default();
    tp_joint_coordinate on;
    def.place = item->place;
    TP_TRY(load_part(r, item, "spring", &def.name, &on));
    TP_TRY(tp_load_number(r->loader, item, keys, "stiffness", &def.stiffness));
    TP_TRY(tp_load_number(r->loader, item, keys, "damping", &def.damping));
    TP_TRY(tp_load_number(r->loader, item, keys, "rest", &def.rest));
    return tp_load_told(r->loader,
                        tp_model_add_coordinate_spring(r->loader->model, on, &def, NULL, &r->loader->told));
}

static tp_status load_friction(const joint_reader *r, const tp_node *item)
{
    const tp_key_table *keys = &tp_joint_friction_keys;
    const tp_node *bound = tp_map_get(item, "bound"), *coefficient = tp_map_get(item, "coefficient"),
                  *radius = tp_map_get(item, "radius");
    tp_joint_friction_def def = tp_joint_friction_def_default();
    def.place = item->place;
    def.joint = r->name;
    TP_TRY(name_part(r, item, "friction", NULL, &def.name));
    if (!bound == !coefficient) {
        return tp_node_fail(item, r->loader->why, "friction needs either a coefficient or a bound");
    }
    if (radius && bound) {
        return tp_node_fail(radius, r->loader->why, "has no effect with a bound; remove one of them");
    }
    if (coefficient) TP_TRY(tp_load_number(r->loader, item, keys, "coefficient", &def.coefficient));
    if (radius) TP_TRY(tp_load_number(r->loader, item, keys, "radius", &def.radius));
    if (bound) TP_TRY(tp_load_number(r->loader, item, keys, "bound", &def.bound));
    return tp_load_told(r->loader,
                        tp_model_add_joint_friction(r->loader->model, &def, NULL, &r->loader->told));
}

/* One map or a list of them. */
static tp_status load_parts(const joint_reader *r, const char *key,
                            tp_status (*load)(const joint_reader *r, const tp_node *item))
{
    const tp_node *node = tp_map_get(r->item, key);
    if (!node) return TP_OK;
    if (node->kind == TP_NODE_MAP) return load(r, node);
    for (const tp_node *item = node->first; item; item = item->next) TP_TRY(load(r, item));
    return TP_OK;
}

/* ---- the joint ----------------------------------------------------------------------------------------- */

static tp_status load_curve_points(tp_loader *loader, const tp_node *rows, bool is_planar,
                                   tp_curve_def *curve)
{
    const tp_key *key = tp_keys_find(&tp_curve_keys, NULL, "points");
    tp_vec3 *points = TP_ARENA_ARRAY(loader->arena, tp_vec3, rows->count + 1);
    int count = 0;
    if (!points) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a curve");
    for (const tp_node *row = rows->first; row; row = row->next) {
        TP_TRY(tp_load_list_vector(loader, row, &tp_curve_keys, key, is_planar, &points[count++]));
    }
    curve->points = points;
    curve->point_count = count;
    return TP_OK;
}

static tp_status load_curve(tp_loader *loader, const tp_node *map, bool is_planar, tp_curve_def *curve)
{
    const tp_node *points = tp_map_get(map, "points"), *formulas = tp_map_get(map, "formulas");
    curve->is_closed = tp_keys_boolean(map, &tp_curve_keys, "closed");
    if (!points == !formulas) {
        return tp_node_fail(map, loader->why, "a curve needs either points or formulas");
    }
    if (points) {
        const tp_node *range = tp_map_get(map, "begin") ? tp_map_get(map, "begin") : tp_map_get(map, "end");
        if (range) {
            return tp_node_fail(range, loader->why,
                                "has no effect with points, whose parameter is the length; remove it");
        }
        return load_curve_points(loader, points, is_planar, curve);
    }
    if (formulas->count != 3 && !(is_planar && formulas->count == 2)) {
        return tp_node_fail(formulas, loader->why, "found %d formulas; write x, y and z", formulas->count);
    }
    int k = 0;
    for (const tp_node *item = formulas->first; item; item = item->next) {
        curve->formula[k++] = tp_load_function(item);
    }
    TP_TRY(tp_load_number(loader, map, &tp_curve_keys, "begin", &curve->begin));
    return tp_load_number(loader, map, &tp_curve_keys, "end", &curve->end);
}

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
                            "the key 'point' is missing; say where the joint is: "
                            "point: [x, y, z]");
    }
    if (kind == TP_JOINT_DISTANCE && !tp_map_get(item, "point_b")) {
        return tp_node_fail(item, loader->why,
                            "the key 'point_b' is missing; a distance joint has a point on either body");
    }
    return TP_OK;
}

static tp_status load_sides(tp_loader *loader, const tp_node *item, bool is_planar, tp_joint_def *def)
{
    const tp_key_table *keys = &tp_joint_keys;
    def->has_point_B = tp_map_get(item, "point_b") != NULL;
    TP_TRY(tp_load_vector(loader, item, keys, "point", is_planar, &def->A.point));
    TP_TRY(tp_load_vector(loader, item, keys, "axis", is_planar, &def->A.axis));
    TP_TRY(tp_load_vector(loader, item, keys, "second_axis", is_planar, &def->A.second_axis));
    TP_TRY(tp_load_vector(loader, item, keys, "point_b", is_planar, &def->B.point));
    TP_TRY(tp_load_vector(loader, item, keys, "axis_b", is_planar, &def->B.axis));
    return tp_load_vector(loader, item, keys, "second_axis_b", is_planar, &def->B.second_axis);
}

static tp_status load_joint(tp_loader *loader, const tp_node *item)
{
    const tp_node *curve = tp_map_get(item, "curve");
    tp_joint_def def = tp_joint_def_default();
    const char *a, *b;
    bool is_planar;
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    def.kind = (tp_joint_kind)tp_keys_choice(item, &tp_joint_keys, "type"); /* in the order of the kinds */
    def.is_in_world = strcmp(tp_keys_text(item, &tp_joint_keys, "frame"), "world") == 0;
    TP_TRY(check_kind_keys(loader, item, def.kind));
    TP_TRY(check_points(loader, item, def.kind));
    TP_TRY(tp_load_two_bodies(loader, item, &a, &b, &is_planar));
    TP_TRY(load_sides(loader, item, is_planar, &def));
    if (tp_map_get(item, "length"))
        TP_TRY(tp_load_number(loader, item, &tp_joint_keys, "length", &def.length));
    if (tp_map_get(item, "pitch")) TP_TRY(tp_load_number(loader, item, &tp_joint_keys, "pitch", &def.pitch));
    if (curve) TP_TRY(load_curve(loader, curve, is_planar, &def.curve));
    TP_TRY(tp_load_told(loader, tp_model_add_joint(loader->model, a, b, &def, NULL, &loader->told)));

    joint_reader r = {loader, item, def.name, tp_joint_kind_info(def.kind)};
    const tp_node *friction = tp_map_get(item, "friction");
    TP_TRY(load_parts(&r, "limits", load_limit));
    TP_TRY(load_parts(&r, "motor", load_motor));
    TP_TRY(load_parts(&r, "spring", load_spring));
    return friction ? load_friction(&r, friction) : TP_OK;
}

/* ---- couplers ------------------------------------------------------------------------------------------ */

tp_status tp_load_joint_name(tp_loader *loader, const tp_node *node, int *joint_out)
{
    tp_near near = tp_near_begin(node->text);
    for (int k = 0; k < tp_model_joint_count(loader->model); k++) {
        const char *name = tp_model_joint_name(loader->model, k);
        tp_near_offer(&near, name);
        *joint_out = k;
        if (strcmp(name, node->text) == 0) return TP_OK;
    }
    return tp_node_fail(node, loader->why, "there is no joint '%s'%s", tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text : "; name one of `joints`");
}

static tp_status load_term(tp_loader *loader, const tp_node *item, tp_coupler_def *def)
{
    int k = def->term_count++, joint;
    const tp_node *name = tp_map_get(item, "joint"), *factor = tp_map_get(item, "factor");
    TP_TRY(tp_load_joint_name(loader, name, &joint));
    const tp_joint_info *info = tp_joint_kind_info(tp_model_joint_kind(loader->model, joint));
    def->on[k].joint = name->text;
    TP_TRY(tp_load_coordinate(loader, item, name->text, info, &def->on[k].coordinate));
    TP_TRY(tp_load_number(loader, item, &tp_term_keys, "factor", &def->factor[k]));
    return def->factor[k] != 0.0 ? TP_OK : tp_node_fail(factor, loader->why, "a factor of 0 couples nothing");
}

static tp_status load_coupler(tp_loader *loader, const tp_node *item)
{
    const tp_node *terms = tp_map_get(item, "terms");
    tp_coupler_def def = tp_coupler_def_default();
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    if (terms->count < 2 || terms->count > TP_COUPLER_TERMS) {
        return tp_node_fail(terms, loader->why, "found %d terms; write 2 to %d", terms->count,
                            TP_COUPLER_TERMS);
    }
    for (const tp_node *term = terms->first; term; term = term->next) TP_TRY(load_term(loader, term, &def));
    return tp_load_told(loader, tp_model_add_coupler(loader->model, &def, NULL, &loader->told));
}

tp_status tp_load_joints(tp_loader *loader)
{
    TP_TRY(tp_load_list(loader, "joints", load_joint));
    return tp_load_list(loader, "couplers", load_coupler);
}
