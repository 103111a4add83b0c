/* Forces of a scene: on coordinates and on bodies, springs and bushings between bodies. */

#include "io/scene/loader.h"
#include "io/scene/rows.h"

#define ROW_POINTS(def)                                                                                      \
    ROW_NUMBER("points", TP_INTO(def, points), "m", NULL,                                                    \
               "one on A and one on B, in the frames of the bodies; left out: their origins",                \
               .form = TP_FORM_ROWS, .load = tp_load_two_points)

/* ---- springs ------------------------------------------------------------------------------------------- */

typedef struct spring {
    tp_spring_def def;
    const char *bodies[2];
    tp_vec3 points[2];
    tp_place place;
} spring;

static const tp_key spring_keys[] = {
    ROW_NAME(spring, def.name),
    ROW_BODIES(spring),
    ROW_POINTS(spring),
    ROW_NOT_NEGATIVE("stiffness", TP_INTO(spring, def.stiffness), "N/m", "0", "of the spring"),
    ROW_NOT_NEGATIVE("damping", TP_INTO(spring, def.damping), "N s/m", "0",
                     "along the line between the points"),
    ROW_NOT_NEGATIVE("rest_length", TP_INTO(spring, def.rest_length), "m", NULL,
                     "without force; left out: the distance of the points at the start"),
    ROW_TRUTH("rope", TP_INTO(spring, def.is_rope), "false",
              "pulls when longer than its rest length, never pushes"),
};

static tp_status add_spring(tp_loader *loader, const tp_node *item, void *made)
{
    spring *is = made;
    is->def.place = is->place;
    is->def.point_A = is->points[0];
    is->def.point_B = is->points[1];
    is->def.is_rest_as_placed = tp_map_get(item, "rest_length") == NULL;
    return tp_load_told(loader, tp_model_add_spring(loader->model, is->bodies[0], is->bodies[1], &is->def,
                                                    NULL, &loader->told));
}

TP_BEGINS(begin_spring, spring, ((spring){.def = tp_spring_def_default()}))
const tp_key_table tp_spring_keys =
    TABLE("spring", spring_keys, "Spring and damper between a point of A and a point of B.",
          TP_MAKES(spring, begin_spring, add_spring));

/* ---- bushings ------------------------------------------------------------------------------------------ */

typedef struct bushing {
    tp_bushing_def def;
    const char *bodies[2];
    tp_vec3 points[2];
    tp_quat turned_a, turned_b;
    tp_place place;
} bushing;

#define ROW_THREE(member, measured, ...)                                                                     \
    ROW_VECTOR(#member, TP_INTO(bushing, def.member), 3, measured, "[0, 0, 0]", __VA_ARGS__,                 \
               .flags = TP_KEY_NOT_NEGATIVE)

static const tp_key bushing_keys[] = {
    ROW_NAME(bushing, def.name),
    ROW_BODIES(bushing),
    ROW_POINTS(bushing),
    ROW_ROTATION("orientation_a", TP_INTO(bushing, turned_a),
                 "of its frame on A, in that of the body; left out: not turned"),
    ROW_ROTATION("orientation_b", TP_INTO(bushing, turned_b), "of its frame on B"),
    ROW_THREE(stiffness, "N/m", "along x, y, z of its frame on A"),
    ROW_THREE(damping, "N s/m", "along x, y, z"),
    ROW_THREE(rotational_stiffness, "N m/rad", "about x, y, z"),
    ROW_THREE(rotational_damping, "N m s/rad", "about x, y, z"),
};

static tp_status add_bushing(tp_loader *loader, const tp_node *item, void *made)
{
    (void)item;
    bushing *is = made;
    is->def.place = is->place;
    is->def.point_A = is->points[0];
    is->def.point_B = is->points[1];
    is->def.axes_A = tp_quat_to_matrix(is->turned_a);
    is->def.axes_B = tp_quat_to_matrix(is->turned_b);
    return tp_load_told(loader, tp_model_add_bushing(loader->model, is->bodies[0], is->bodies[1], &is->def,
                                                     NULL, &loader->told));
}

TP_BEGINS(begin_bushing, bushing,
          ((bushing){.def = tp_bushing_def_default(),
                     .turned_a = tp_quat_identity(),
                     .turned_b = tp_quat_identity()}))
const tp_key_table tp_bushing_keys =
    TABLE("bushing", bushing_keys,
          "Elastic connection in all directions, free of force where its frames on A and B coincide.",
          TP_MAKES(bushing, begin_bushing, add_bushing));

/* ---- forces -------------------------------------------------------------------------------------------- */

typedef struct force {
    tp_wrench_def def;
    const char *on;
    const tp_node *force, *moment;
    tp_place place;
} force;

TP_WORDS(frames, TP_WORD("world", false), TP_WORD("body", true))

static const tp_key force_keys[] = {
    ROW_TEXT("on", TP_INTO(force, on), "coordinate or velocity it acts on; or"),
    ROW_TEXT("body", TP_INTO(force, def.body), "body it acts on", .load = tp_load_body_name),
    ROW_TEXT("name", TP_INTO(force, def.name), "of a force on a body; left out: BODY.force"),
    ROW_FORMULA("force", TP_INTO(force, force), "N or N m",
                "of time, coordinates and velocities: one formula, or on a body its components x, y, z "
                "(planar: x, y)",
                .form = TP_FORM_LIST, .flags = TP_KEY_OR_ONE),
    ROW_FORMULA("moment", TP_INTO(force, moment), "N m",
                "on a body: components x, y, z, or one formula on a planar body", .form = TP_FORM_LIST,
                .flags = TP_KEY_OR_ONE),
    ROW_WORD("frame", TP_INTO(force, def.is_in_body), frames, "world",
             "on a body: directions that force and moment go along"),
    ROW_VECTOR("point", TP_INTO(force, def.point), 0, "m", NULL,
               "on a body: where the force acts, in the frame of the body's points; left out: its origin"),
};

/* Three components; of planar bodies two of a force, and a moment may be one formula. */
static tp_status load_components(tp_loader *loader, const tp_node *node, bool is_moment,
                                 tp_function *functions_out)
{
    bool is_planar = loader->is_planar;
    if (!node) return TP_OK;
    if (node->kind == TP_NODE_SCALAR && is_planar && is_moment) {
        functions_out[2] = tp_load_function(node);
        return TP_OK;
    }
    bool is_right =
        node->kind == TP_NODE_LIST && (node->count == 3 || (node->count == 2 && is_planar && !is_moment));
    if (!is_right) {
        return tp_node_fail(node, loader->why, "write %s",
                            !is_planar  ? "three components [x, y, z]"
                            : is_moment ? "one formula, or three components [x, y, z]"
                                        : "two components [x, y]");
    }
    int k = 0;
    for (const tp_node *item = node->first; item; item = item->next) {
        functions_out[k++] = tp_load_function(item);
    }
    return TP_OK;
}

static tp_status add_wrench(tp_loader *loader, const tp_node *item, force *is)
{
    if (!is->def.name) is->def.name = tp_load_join(loader, is->def.body, "force", NULL);
    if (!is->def.name) return tp_load_no_memory(loader);
    is->def.place = is->place;
    TP_TRY(load_components(loader, is->force, false, is->def.force));
    TP_TRY(load_components(loader, is->moment, true, is->def.moment));
    if (!is->force && !is->moment) {
        return tp_node_fail(item, loader->why, "a force on a body needs force, moment, or both");
    }
    if (!is->force) TP_TRY(tp_load_no_effect(loader, item, TP_KEYS("point"), "without a force; remove it"));
    return tp_load_told(loader, tp_model_add_wrench(loader->model, &is->def, NULL, &loader->told));
}

/* On a body, or a generalised force: one formula on one coordinate or velocity. */
static tp_status add_force(tp_loader *loader, const tp_node *item, void *made)
{
    static const char *const of_bodies[] = {"name", "moment", "frame", "point"};
    force *is = made;
    bool has_body = tp_map_get(item, "body") != NULL;
    if (has_body == (is->on != NULL)) {
        return tp_node_fail(item, loader->why,
                            "a force needs either on: (a coordinate or velocity) or body:");
    }
    if (has_body) return add_wrench(loader, item, is);
    for (size_t k = 0; k < sizeof of_bodies / sizeof of_bodies[0]; k++) {
        const tp_node *node = tp_map_get(item, of_bodies[k]);
        if (node) return tp_node_fail(node, loader->why, "goes with body:, not with on:; remove it");
    }
    if (!is->force) {
        return tp_node_fail(item, loader->why, "the key 'force' is missing; add force: with a formula");
    }
    if (is->force->kind != TP_NODE_SCALAR) {
        return tp_node_fail(is->force, loader->why, "found a list; a force on a coordinate is one formula");
    }
    return tp_load_told(
        loader, tp_model_add_force(loader->model, is->on, tp_load_function(is->force), &loader->told));
}

static void begin_force(void *made)
{
    *(force *)made = (force){.def = tp_wrench_def_default()};
    ((force *)made)->def.name = NULL; /* made from that of the body */
}

const tp_key_table tp_force_keys =
    TABLE("force", force_keys, "A generalised force on a coordinate, or a force and a moment on a body.",
          TP_MAKES(force, begin_force, add_force));

LOADS(tp_load_named_force,
      tp_model_add_force(loader->model, node->key, tp_load_function(node), &loader->told))
