/* Shapes of bodies: solids, where they sit, and their names. */
#include <stdio.h>
#include <string.h>

#include "io/scene/load_hulls.h"
#include "io/scene/rows.h"
#include "io/scene/scene_tables.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

typedef struct shape {
    tp_shape_def def;
    double length; /* of a capsule or cylinder */
    tp_vec3 size;  /* of a box                 */
    tp_hull_values of;
    bool is_active;
} shape;

static const tp_key_table plain_table = {.name = "point or plane",
                                         .text =
                                             "A point, or the half-space below z = 0 of the shape's frame: "
                                             "no further keys."};

#define ROW_RADIUS(...)                                                                                      \
    ROW_NUMBER("radius", TP_INTO(shape, def.solid.radius), "m", NULL, __VA_ARGS__,                           \
               .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE)

static const tp_key round_keys[] = {ROW_RADIUS("of the ball, or of the hollow in which bodies move")};
static const tp_key_table round_table = TABLE("sphere or hollow", round_keys,
                                              "A ball about the origin of the shape's frame; the inside of "
                                              "one; the inside of a cylinder about its z axis.");

static const tp_key box_keys[] = {ROW_VECTOR("size", TP_INTO(shape, size), 3, "m", NULL,
                                             "whole lengths of its edges along x, y, z",
                                             .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE)};
static const tp_key_table box_table = TABLE("box", box_keys, "A box about the origin of the shape's frame.");

static const tp_key long_keys[] = {
    ROW_RADIUS("around the z axis"),
    ROW_NUMBER("length", TP_INTO(shape, length), "m", NULL,
               "whole length along z: of a capsule without its round ends (> 0), of a cylinder (0: a flat "
               "disc)",
               .flags = TP_KEY_REQUIRED | TP_KEY_NOT_NEGATIVE),
};
static const tp_key_table long_table =
    TABLE("capsule or cylinder", long_keys,
          "A capsule or cylinder along the z axis of the shape's frame, about its origin.");

static const tp_key hull_keys[] = {
    ROW_NUMBER("points", TP_INTO_COUNTED(shape, of.points, of.point_count), "m", NULL,
               "of which it is the convex hull; at most 128 may be corners of it", .form = TP_FORM_ROWS,
               .count = 3),
    ROW_MAP("mesh", TP_INTO(shape, of.mesh), tp_mesh_keys,
            "instead: a surface whose vertices are the points; it need not be closed or convex"),
};
static const tp_key_table hull_table =
    TABLE("hull", hull_keys, "The convex hull of points, in the shape's frame.");

static const tp_key extrusion_keys[] = {
    ROW_NUMBER(
        "outline", TP_INTO_COUNTED(shape, of.outline, of.outline_count), "m", NULL,
        "corners of a polygon in x and y, in turn; where it is not convex it is cut into hulls, which are "
        "shapes NAME.1, NAME.2 ... (without a name: BODY.1 ...)",
        .form = TP_FORM_ROWS, .count = 2, .flags = TP_KEY_REQUIRED),
    ROW_NUMBER("length", TP_INTO(shape, length), "m", NULL, "whole length along z, half to each side",
               .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE),
};
static const tp_key_table extrusion_table =
    TABLE("extrusion", extrusion_keys, "A prism over a polygon: a cam, a tooth, a slotted plate.");

static const tp_key mesh_shape_keys[] = {
    ROW_MAP("mesh", TP_INTO(shape, of.mesh), tp_mesh_keys,
            "its triangles, counter-clockwise seen from the side that others touch; it need not be closed",
            .flags = TP_KEY_REQUIRED),
};
static const tp_key_table mesh_table =
    TABLE("mesh ground", mesh_shape_keys, "A surface of triangles that convex shapes touch from its front.");

static const tp_key height_keys[] = {
    ROW_NUMBER("heights", TP_INTO(shape, of.heights), "m", NULL,
               "rows along x, one for each y: z at (0, 0), (dx, 0) ... of the shape's frame",
               .form = TP_FORM_ROWS, .flags = TP_KEY_REQUIRED),
    ROW_VECTOR("spacing", TP_INTO(shape, of.spacing), 2, "m", NULL, "dx and dy between the heights",
               .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE),
};
static const tp_key_table height_table =
    TABLE("heightfield", height_keys, "Ground below heights over a grid; each cell is two triangles.");

/* The words are the library's; one without a table here is refused, and a test finds it. */
static tp_word shape_kinds(int k)
{
    static const struct {
        const tp_key_table *table;
        const char *text;
    } kinds[TP_SOLID_KIND_COUNT] = {
        [TP_SOLID_POINT] = {&plain_table, "a point"},
        [TP_SOLID_SPHERE] = {&round_table, "a ball"},
        [TP_SOLID_PLANE] = {&plain_table, "a half-space, which ends at its plane z = 0"},
        [TP_SOLID_BOX] = {&box_table, "a box"},
        [TP_SOLID_CAPSULE] = {&long_table, "a cylinder along z with round ends"},
        [TP_SOLID_CYLINDER] = {&long_table, "a cylinder along z, or a flat disc"},
        [TP_SOLID_INSIDE_CYLINDER] = {&round_table, "a pipe along z; others move inside"},
        [TP_SOLID_INSIDE_SPHERE] = {&round_table, "a hollow ball; others move inside"},
        [TP_SOLID_HULL] = {&hull_table, "the convex hull of points"},
        [TP_SOLID_MESH] = {&mesh_table, "ground of triangles"},
        [TP_SOLID_HEIGHTFIELD] = {&height_table, "ground below a grid of heights"},
    };
    if (k == TP_SOLID_KIND_COUNT)
        return (tp_word){"extrusion", TP_SOLID_HULL, "a prism over a polygon, cut into hulls",
                         &extrusion_table};
    if (k > TP_SOLID_KIND_COUNT) return (tp_word){.word = NULL};
    return (tp_word){tp_solid_kind_name((tp_solid_kind)k), k, kinds[k].text, kinds[k].table};
}

static const tp_key shape_keys[] = {
    ROW_TEXT("name", TP_INTO(shape, def.name),
             "for contacts; left out: BODY.TYPE, or BODY.1, BODY.2 ... where several have that name"),
    ROW_WORD("type", TP_INTO(shape, def.solid.kind), shape_kinds, NULL, "what it is",
             .flags = TP_KEY_REQUIRED),
    ROW_VECTOR("position", TP_INTO(shape, def.pose.origin), 0, "m", "[0, 0, 0]",
               "of its origin in the frame of the body's points; two numbers on planar bodies"),
    ROW_ROTATION("orientation", TP_INTO(shape, def.pose.orientation),
                 "of its frame in that of the body: a unit quaternion, or a map; a plane looks along its z "
                 "axis"),
    ROW_TRUTH("contact", TP_INTO(shape, is_active), "true",
              "false: for mass and pictures alone, contacts with its body leave it out"),
};
TP_BEGINS(begin_shape, shape, ((shape){.def = {.pose = tp_pose_identity()}, .is_active = true}))
const tp_key_table tp_shape_keys =
    TABLE("shape", shape_keys, "A solid that is fixed to a body, for contacts and for its mass.",
          .selector = "type", .size = sizeof(shape), .begin = begin_shape);

/* ---- one shape ----------------------------------------------------------------------------------------- */

/* BODY.TYPE, or BODY.1 where that would not be unique. */
static tp_status name_shape(tp_loader *loader, int alike, int number, tp_shape_def *def)
{
    char name[300];
    if (alike > 1) {
        snprintf(name, sizeof name, "%.200s.%d", def->body, number);
    } else {
        snprintf(name, sizeof name, "%.200s.%s", def->body, tp_solid_kind_name(def->solid.kind));
    }
    def->name = tp_arena_copy(loader->work, name, strlen(name) + 1, 1);
    return def->name ? TP_OK : tp_load_no_memory(loader);
}

/* NAME.1, NAME.2 ... of the pieces of one item. */
static tp_status name_piece(tp_loader *loader, const char *name, int number, const char **name_out)
{
    char text[300];
    snprintf(text, sizeof text, "%.200s.%d", name, number);
    *name_out = tp_arena_copy(loader->work, text, strlen(text) + 1, 1);
    return *name_out ? TP_OK : tp_load_no_memory(loader);
}

/* One item may be several shapes; `shapes_out` has room for them. */
static tp_status load_shape(tp_loader *loader, const tp_node *item, const char *body,
                            tp_load_shapes *shapes_io)
{
    shape is;
    tp_message why = {""};
    const tp_node *outline = tp_map_get(item, "outline");
    tp_solid *solids = TP_ARENA_ARRAY(loader->work, tp_solid, (outline ? outline->count : 0) + 1);
    int count;
    if (!solids) return tp_load_no_memory(loader);
    begin_shape(&is);
    TP_TRY(tp_load_map(loader, item, &tp_shape_keys, &is));
    is.def.body = body;
    is.def.solid.half_length = 0.5 * is.length;
    is.def.solid.half_extents = tp_vec3_scale(0.5, is.size);
    is.def.is_passive = !is.is_active;
    is.def.place = item->place;
    solids[0] = is.def.solid;
    TP_TRY(tp_load_solids(loader, item, &is.of, is.length, solids, &count));
    for (int k = 0; k < count; k++) {
        tp_shape_def *def = &shapes_io->items[shapes_io->count];
        shapes_io->nodes[shapes_io->count++] = item;
        *def = is.def;
        def->solid = solids[k];
        if (count > 1 && is.def.name) TP_TRY(name_piece(loader, is.def.name, k + 1, &def->name));
        if (tp_solid_check(&def->solid, &why) != TP_OK) {
            return tp_node_fail(item, loader->why, "%.700s", why.text);
        }
    }
    return TP_OK;
}

/* ---- all of a body ------------------------------------------------------------------------------------- */

tp_status tp_load_shape_list(tp_loader *loader, const tp_node *list, const char *body,
                             tp_load_shapes *shapes_out)
{
    int nameless[TP_SOLID_KIND_COUNT] = {0}, most = 0;
    *shapes_out = (tp_load_shapes){.count = 0};
    if (!list || list->count == 0) return TP_OK;
    for (const tp_node *item = list->first; item; item = item->next) {
        const tp_node *outline = tp_map_get(item, "outline");
        most += outline && outline->count > 1 ? outline->count : 1;
        if (most > TP_SCENE_ENTRIES_MAX) break;
    }
    if (most + tp_model_shape_count(loader->model) > TP_SCENE_ENTRIES_MAX) {
        return tp_node_fail(list, loader->why, "the scene has more than %d shapes", TP_SCENE_ENTRIES_MAX);
    }
    shapes_out->items = TP_ARENA_ARRAY(loader->work, tp_shape_def, most);
    shapes_out->nodes = TP_ARENA_ARRAY(loader->work, const tp_node *, most);
    if (!shapes_out->items || !shapes_out->nodes) return tp_load_no_memory(loader);
    for (const tp_node *item = list->first; item; item = item->next) {
        TP_TRY(load_shape(loader, item, body, shapes_out));
    }
    for (int k = 0; k < shapes_out->count; k++) {
        if (!shapes_out->items[k].name) nameless[shapes_out->items[k].solid.kind]++;
    }
    for (int k = 0; k < shapes_out->count; k++) {
        tp_shape_def *def = &shapes_out->items[k];
        if (!def->name) TP_TRY(name_shape(loader, nameless[def->solid.kind], k + 1, def));
    }
    return TP_OK;
}

tp_status tp_load_add_shapes(tp_loader *loader, const char *body, const tp_load_shapes *shapes)
{
    int owner = 1 + tp_model_find_body(loader->model, body), first = tp_model_shape_count(loader->model);
    loader->first_shape[owner] = first;
    loader->shape_count[owner] = shapes->count;
    for (int k = 0; k < shapes->count; k++) {
        TP_TRY(
            tp_load_told(loader, tp_model_add_shape(loader->model, &shapes->items[k], NULL, &loader->told)));
        if (tp_name_index_add(loader->work, &loader->shape_names, shapes->items[k].name, first + k) !=
            TP_OK) {
            return tp_load_no_memory(loader);
        }
    }
    return TP_OK;
}
