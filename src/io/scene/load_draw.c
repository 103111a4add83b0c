/* The section of a scene that says what the model looks like. */
#include "io/common/near.h"
#include "io/scene/loader.h"
#include "io/scene/rows.h"
#include "tippe/drawing.h"

/* ---- values -------------------------------------------------------------------------------------------- */

static tp_status load_colour(tp_loader *loader, const tp_node *node, void *into)
{
    if (tp_colour_read(node->text, into)) return TP_OK;
    tp_near near = tp_near_begin(node->text);
    for (int k = 0; tp_colour_name(k); k++) tp_near_offer(&near, tp_colour_name(k));
    return tp_node_fail(node, loader->why, "'%s' is not a colour%s; write a name or \"#RRGGBB\"",
                        tp_excerpt_of(node->text).text, tp_near_hint_of(&near).text);
}

/* [x, y] or [x, y, z]. */
static tp_status load_vertex(tp_loader *loader, const tp_node *list, tp_drawing_vertex *vertex_out)
{
    if (list->count < 2 || list->count > 3) {
        return tp_node_fail(list, loader->why,
                            "found %d coordinate%s; a point has 2 or 3: [x, y] or [x, y, z]", list->count,
                            list->count == 1 ? "" : "s");
    }
    int k = 0;
    for (const tp_node *item = list->first; item; item = item->next) {
        vertex_out->coordinate[k++] = tp_load_function(item);
    }
    return TP_OK;
}

static tp_status load_point(tp_loader *loader, const tp_node *list, void *into)
{
    tp_drawing_vertex *vertex = TP_ARENA_ARRAY(loader->arena, tp_drawing_vertex, 1);
    *(const tp_drawing_vertex **)into = vertex;
    return vertex ? load_vertex(loader, list, vertex) : tp_load_no_memory(loader);
}

static tp_status load_points(tp_loader *loader, const tp_node *rows, void *into)
{
    tp_drawing_vertex *vertices = TP_ARENA_ARRAY(loader->arena, tp_drawing_vertex, rows->count + 1);
    if (!vertices) return tp_load_no_memory(loader);
    *(const tp_drawing_vertex **)into = vertices;
    for (const tp_node *row = rows->first; row; row = row->next) TP_TRY(load_vertex(loader, row, vertices++));
    return TP_OK;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

#define ROW_AT(of)                                                                                           \
    ROW_FORMULA("at", TP_INTO(tp_drawing_def, vertices), "m",                                                \
                of "2 or 3 formulas of time and coordinates; z is 0 if it is left out",                      \
                .form = TP_FORM_LIST, .flags = TP_KEY_REQUIRED, .load = load_point)
#define ROW_POINTS(of)                                                                                       \
    ROW_FORMULA("points", TP_INTO(tp_drawing_def, vertices), "m",                                            \
                of "each 2 or 3 formulas of time and coordinates; z is 0 if it is left out",                 \
                .form = TP_FORM_ROWS, .flags = TP_KEY_REQUIRED, .load = load_points)
#define ROW_FILLED                                                                                           \
    ROW_TRUTH("filled", TP_INTO(tp_drawing_def, is_filled), "false", "a surface, not its edge alone")

static const tp_key point_keys[] = {ROW_AT("")};
static const tp_key_table point_table = TABLE("point drawing", point_keys, "A point.");

static const tp_key line_keys[] = {ROW_POINTS("at least 2 points in order: ")};
static const tp_key_table line_table =
    TABLE("line drawing", line_keys, "Straight pieces from point to point.");

static const tp_key circle_keys[] = {
    ROW_AT("its centre: "),
    ROW_FORMULA("radius", TP_INTO(tp_drawing_def, radius), "m", "of time and coordinates, not negative",
                .flags = TP_KEY_REQUIRED),
    ROW_FILLED,
};
static const tp_key_table circle_table = TABLE("circle drawing", circle_keys, "A circle in the plane x, y.");

static const tp_key polygon_keys[] = {ROW_POINTS("at least 3 points around it: "), ROW_FILLED};
static const tp_key_table polygon_table =
    TABLE("polygon drawing", polygon_keys, "A closed line or a flat surface.");

TP_WORDS(kinds, {"point", TP_PRIMITIVE_POINT, "a point", &point_table},
         {"line", TP_PRIMITIVE_LINE, "straight pieces from point to point", &line_table},
         {"circle", TP_PRIMITIVE_CIRCLE, "a circle in the plane x, y, or its surface", &circle_table},
         {"polygon", TP_PRIMITIVE_POLYGON, "a closed line, or its surface", &polygon_table})

static const tp_key drawing_keys[] = {
    ROW_TEXT("name", TP_INTO(tp_drawing_def, name), "its name in ParaView", .flags = TP_KEY_REQUIRED),
    ROW_WORD("kind", TP_INTO(tp_drawing_def, kind), kinds, NULL, "what is drawn", .flags = TP_KEY_REQUIRED),
    ROW_TEXT("colour", TP_INTO(tp_drawing_def, colour),
             "black, white, grey, dark-grey, light-grey, blue, light-blue, red, orange, yellow, green, pink, "
             "brown or \"#RRGGBB\"; else one that differs from its neighbours'",
             .load = load_colour),
    ROW_TEXT(
        "law", TP_INTO(tp_drawing_def, law),
        "a constraint, rigid contact or law whose first force (of a contact: the normal one) is given to "
        "the drawing in ParaView"),
};

static tp_status add_drawing(tp_loader *loader, const tp_node *item, void *made)
{
    tp_drawing_def *def = made;
    const tp_node *law = tp_map_get(item, "law"), *points = tp_map_get(item, "points");
    def->vertex_count = points ? points->count : 1;
    def->has_colour = tp_map_get(item, "colour") != NULL;
    if (points) def->place = points->place;
    if (law) def->law_place = law->place;
    return tp_load_told(loader, tp_model_add_drawing(loader->model, def, NULL, &loader->told));
}

TP_BEGINS(begin_drawing, tp_drawing_def, tp_drawing_def_default())
const tp_key_table tp_drawing_keys =
    TABLE("drawing", drawing_keys, "A figure that moves with the model.", .selector = "kind",
          TP_MAKES(tp_drawing_def, begin_drawing, add_drawing));
