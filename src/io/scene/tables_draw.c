/* Keys of drawings. */
#include "io/scene/scene_tables.h"
#include "tippe/drawing.h"

#define AT_KEY(help)                                                                                         \
    {                                                                                                        \
        .name = "at", .kind = TP_VALUE_FORMULA, .form = TP_FORM_LIST, .flags = TP_KEY_REQUIRED, .unit = "m", \
        .text = help "2 or 3 formulas of time and coordinates; z is 0 if it is left out"                     \
    }

#define POINTS_KEY(help)                                                                                     \
    {                                                                                                        \
        .name = "points", .kind = TP_VALUE_FORMULA, .form = TP_FORM_ROWS, .flags = TP_KEY_REQUIRED,          \
        .unit = "m", .text = help "each 2 or 3 formulas of time and coordinates; z is 0 if it is left out"   \
    }

#define FILLED_KEY                                                                                           \
    {                                                                                                        \
        .name = "filled", .kind = TP_VALUE_BOOLEAN, .default_text = "false",                                 \
        .text = "a surface, not its edge alone"                                                              \
    }

static const tp_key point_keys[] = {AT_KEY("")};
static const tp_key_table point_table = {
    .name = "point drawing", .text = "A point.", .TP_KEYS_OF(point_keys)};

static const tp_key line_keys[] = {POINTS_KEY("at least 2 points in order: ")};
static const tp_key_table line_table = {
    .name = "line drawing", .text = "Straight pieces from point to point.", .TP_KEYS_OF(line_keys)};

static const tp_key circle_keys[] = {AT_KEY("its centre: "),
                                     {.name = "radius",
                                      .kind = TP_VALUE_FORMULA,
                                      .flags = TP_KEY_REQUIRED,
                                      .unit = "m",
                                      .text = "of time and coordinates, not negative"},
                                     FILLED_KEY};
static const tp_key_table circle_table = {
    .name = "circle drawing", .text = "A circle in the plane x, y.", .TP_KEYS_OF(circle_keys)};

static const tp_key polygon_keys[] = {POINTS_KEY("at least 3 points around it: "), FILLED_KEY};
static const tp_key_table polygon_table = {
    .name = "polygon drawing", .text = "A closed line or a flat surface.", .TP_KEYS_OF(polygon_keys)};

static const tp_key_variant kinds[] = {
    {"point", &point_table, TP_PRIMITIVE_POINT, "a point"},
    {"line", &line_table, TP_PRIMITIVE_LINE, "straight pieces from point to point"},
    {"circle", &circle_table, TP_PRIMITIVE_CIRCLE, "a circle in the plane x, y, or its surface"},
    {"polygon", &polygon_table, TP_PRIMITIVE_POLYGON, "a closed line, or its surface"},
};

static const tp_key drawing_keys[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "its name in ParaView"},
    {.name = "kind", .kind = TP_VALUE_CHOICE, .flags = TP_KEY_REQUIRED, .text = "what is drawn"},
    {.name = "colour",
     .kind = TP_VALUE_TEXT,
     .text = "black, white, grey, dark-grey, light-grey, blue, light-blue, red, orange, yellow, green, pink, "
             "brown "
             "or \"#RRGGBB\"; else one that differs from its neighbours'"},
    {.name = "law",
     .kind = TP_VALUE_TEXT,
     .text = "a constraint, rigid contact or law whose first force (of a contact: the normal one) is given "
             "to the "
             "drawing in ParaView"},
};
const tp_key_table tp_drawing_keys = {.name = "drawing",
                                      .text = "A figure that moves with the model.",
                                      .TP_KEYS_OF(drawing_keys),
                                      .selector = "kind",
                                      .TP_VARIANTS_OF(kinds)};
