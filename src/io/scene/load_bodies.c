/* Sections of a scene that say what bodies there are: gravity, bodies, ground. */
#include <string.h>

#include "io/scene/load_bodies.h"

static const tp_key_table *const keys = &tp_body_keys;

static tp_status no_effect(tp_loader *loader, const tp_node *node, const char *with)
{
    return tp_node_fail(node, loader->why, "has no effect %s; remove it", with);
}

/* ---- how it starts ------------------------------------------------------------------------------------- */

static tp_status load_rigid_start(tp_loader *loader, const tp_node *item, tp_body_def *def)
{
    const tp_node *world = tp_map_get(item, "angular_velocity_world");
    tp_vec3 spin;
    TP_TRY(tp_load_vector(loader, item, keys, "position", false, &def->position));
    TP_TRY(tp_load_orientation(loader, item, keys, "orientation", &def->orientation));
    TP_TRY(tp_load_vector(loader, item, keys, "velocity", false, &def->velocity));
    TP_TRY(tp_load_vector(loader, item, keys, "angular_velocity", false, &def->angular_velocity));
    if (!world) return TP_OK;
    if (tp_map_get(item, "angular_velocity")) return no_effect(loader, world, "beside angular_velocity");
    TP_TRY(tp_load_vector(loader, item, keys, "angular_velocity_world", false, &spin));
    def->angular_velocity = tp_quat_rotate_back(def->orientation, spin);
    return TP_OK;
}

static tp_status load_scalable_start(tp_loader *loader, const tp_node *item, tp_body_def *def)
{
    TP_TRY(load_rigid_start(loader, item, def));
    TP_TRY(tp_load_number(loader, item, keys, "size", &def->size));
    return tp_load_number(loader, item, keys, "size_rate", &def->size_rate);
}

static tp_status load_planar_start(tp_loader *loader, const tp_node *item, tp_body_def *def)
{
    const tp_vec3 z = {0.0, 0.0, 1.0};
    double angle;
    TP_TRY(tp_load_vector(loader, item, keys, "position", true, &def->position));
    TP_TRY(tp_load_number(loader, item, keys, "angle", &angle));
    TP_TRY(tp_load_vector(loader, item, keys, "velocity", true, &def->velocity));
    TP_TRY(tp_load_number(loader, item, keys, "angular_velocity", &def->angular_velocity.z));
    def->orientation = tp_quat_from_axis_angle(z, angle);
    return TP_OK;
}

static tp_status load_point_start(tp_loader *loader, const tp_node *item, tp_body_def *def)
{
    TP_TRY(tp_load_vector(loader, item, keys, "position", false, &def->position));
    return tp_load_vector(loader, item, keys, "velocity", false, &def->velocity);
}

static tp_status load_given_motion(tp_loader *loader, const tp_node *item, tp_body_def *def)
{
    const tp_node *position = tp_map_get(item, "position"), *angle = tp_map_get(item, "angle"),
                  *axis = tp_map_get(item, "axis");
    int count;
    TP_TRY(tp_load_vector(loader, item, keys, "position", false, &def->position));
    TP_TRY(tp_load_orientation(loader, item, keys, "orientation", &def->orientation));
    TP_TRY(tp_load_functions(loader, item, "motion", 3, def->motion, &count));
    TP_TRY(tp_load_vector(loader, item, keys, "axis", false, &def->axis));
    if (angle) def->turning = tp_load_function(angle);
    if (position && count > 0) return no_effect(loader, position, "beside motion");
    if (axis && !angle) return no_effect(loader, axis, "without angle");
    return TP_OK;
}

/* ---- bodies -------------------------------------------------------------------------------------------- */

static tp_status load_body(tp_loader *loader, const tp_node *item)
{
    tp_body_def def = tp_body_def_default();
    tp_load_shapes shapes;
    tp_mesh mesh;
    bool has_mesh;
    def.name = tp_map_get(item, "name")->text;
    def.place = item->place;
    def.kind = (tp_body_kind)tp_keys_variant_value(keys, item);
    if (def.kind == TP_BODY_SCALABLE && tp_map_get(item, "shapes")) {
        return tp_node_fail(tp_map_get(item, "shapes"), loader->why,
                            "shapes do not change their size; write contacts of a scalable body as gaps over "
                            "its coordinates");
    }
    TP_TRY(tp_load_shape_list(loader, item, def.name, def.kind == TP_BODY_PLANAR, &shapes));
    TP_TRY(tp_load_mesh(loader, item, &mesh, &has_mesh));
    if (def.kind != TP_BODY_MOVING)
        TP_TRY(tp_load_mass(loader, item, &shapes, has_mesh ? &mesh : NULL, &def));
    switch (def.kind) {
    case TP_BODY_RIGID: TP_TRY(load_rigid_start(loader, item, &def)); break;
    case TP_BODY_PLANAR: TP_TRY(load_planar_start(loader, item, &def)); break;
    case TP_BODY_POINT: TP_TRY(load_point_start(loader, item, &def)); break;
    case TP_BODY_MOVING: TP_TRY(load_given_motion(loader, item, &def)); break;
    case TP_BODY_SCALABLE: TP_TRY(load_scalable_start(loader, item, &def)); break;
    case TP_BODY_AFFINE: break; /* no variant of the table */
    }
    TP_TRY(tp_load_told(loader, tp_model_add_body(loader->model, &def, NULL, &loader->told)));
    if (has_mesh) {
        tp_surface_def surface = {.name = def.name, .body = def.name, .mesh = mesh, .place = def.place};
        TP_TRY(tp_load_told(loader, tp_model_add_surface(loader->model, &surface, &loader->told)));
    }
    return tp_load_add_shapes(loader, &shapes);
}

/* In a contact a name must mean one thing. */
static tp_status check_shape_names(tp_loader *loader, const tp_node *section)
{
    for (int k = 0; k < tp_model_shape_count(loader->model); k++) {
        tp_shape_def shape = tp_model_shape_at(loader->model, k);
        int body = tp_model_find_body(loader->model, shape.name);
        if (body <= -2 || strcmp(shape.name, shape.body) == 0) continue;
        return tp_node_fail(section, loader->why,
                            "a shape of '%s' has the name of the body '%s'; choose another",
                            tp_excerpt_of(shape.body).text, tp_excerpt_of(shape.name).text);
    }
    return TP_OK;
}

tp_status tp_load_gravity(tp_loader *loader, const tp_node *section)
{
    tp_vec3 gravity;
    const tp_key *key = tp_keys_find(&tp_scene_keys, NULL, "gravity");
    TP_TRY(tp_load_list_vector(loader, section, &tp_scene_keys, key, section->count == 2, &gravity));
    return tp_load_told(loader, tp_model_set_gravity(loader->model, gravity, &loader->told));
}

tp_status tp_load_bodies(tp_loader *loader, const tp_node *section)
{
    bool can_move = loader->coordinate_count > 0;
    for (const tp_node *item = section->first; item; item = item->next) {
        TP_TRY(load_body(loader, item));
        can_move |= tp_keys_variant_value(keys, item) != TP_BODY_MOVING;
    }
    if (!can_move) {
        return tp_node_fail(section, loader->why,
                            "the motion of all bodies is given; nothing is left to compute");
    }
    return check_shape_names(loader, section);
}

tp_status tp_load_ground(tp_loader *loader, const tp_node *section)
{
    tp_load_shapes shapes;
    TP_TRY(tp_load_shape_list(loader, section, "ground", false, &shapes));
    TP_TRY(tp_load_add_shapes(loader, &shapes));
    return check_shape_names(loader, section);
}
