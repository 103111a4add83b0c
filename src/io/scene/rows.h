/* Short forms of rows: name, (what it is,) where its value goes (TP_INTO or .load), what it is, text, and
   further fields. `measured` is the unit, `otherwise` the default as text; NULL: none. */
#ifndef TP_IO_SCENE_ROWS_H
#define TP_IO_SCENE_ROWS_H

#include "io/scene/keys.h"

#define ROW_OF(...)                                                                                          \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define ROW(named, what, into, ...) ROW_OF(.name = named, .kind = what, into, .text = __VA_ARGS__)
#define ROW_TEXT(named, into, ...)  ROW_OF(.name = named, .kind = TP_VALUE_TEXT, into, .text = __VA_ARGS__)
#define ROW_TRUTH(named, into, otherwise, ...)                                                               \
    ROW_OF(.name = named, .kind = TP_VALUE_BOOLEAN, into, .default_text = otherwise, .text = __VA_ARGS__)
#define ROW_WORD(named, into, list, otherwise, ...)                                                          \
    ROW_OF(.name = named, .kind = TP_VALUE_CHOICE, into, .words = list, .default_text = otherwise,           \
           .text = __VA_ARGS__)
#define ROW_NUMBER(named, into, measured, otherwise, ...)                                                    \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, into, .unit = measured, .default_text = otherwise,      \
           .text = __VA_ARGS__)
#define ROW_POSITIVE(named, into, measured, otherwise, ...)                                                  \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, .flags = TP_KEY_POSITIVE, into, .unit = measured,       \
           .default_text = otherwise, .text = __VA_ARGS__)
#define ROW_NOT_NEGATIVE(named, into, measured, otherwise, ...)                                              \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, .flags = TP_KEY_NOT_NEGATIVE, into, .unit = measured,   \
           .default_text = otherwise, .text = __VA_ARGS__)
#define ROW_VECTOR(named, into, components, measured, otherwise, ...)                                        \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = components, into,        \
           .unit = measured, .default_text = otherwise, .text = __VA_ARGS__)
#define ROW_FORMULA(named, into, measured, ...)                                                              \
    ROW_OF(.name = named, .kind = TP_VALUE_FORMULA, into, .unit = measured, .text = __VA_ARGS__)
#define ROW_MAP(named, into, maps, ...)                                                                      \
    ROW_OF(.name = named, .kind = TP_VALUE_MAP, into, .table = &(maps), .text = __VA_ARGS__)
#define ROW_MAPS(named, maps, ...)                                                                           \
    ROW_OF(.name = named, .kind = TP_VALUE_MAP, .form = TP_FORM_LIST, .table = &(maps), .text = __VA_ARGS__)
#define ROW_NAMED(named, what, takes, ...)                                                                   \
    ROW_OF(.name = named, .kind = what, .form = TP_FORM_NAMED, .load = takes, .text = __VA_ARGS__)

/* A table: its name, rows, text, and what its maps make. */
#define TABLE(named, rows, ...) ROW_OF(.name = named, .TP_KEYS_OF(rows), .text = __VA_ARGS__)

/* A function of a row, or of a table, that hands `node` or `into` to the model by a call. */
#define LOADS(name, call)                                                                                    \
    tp_status name(tp_loader *loader, const tp_node *node, void *into)                                       \
    {                                                                                                        \
        (void)node;                                                                                          \
        (void)into;                                                                                          \
        return tp_load_told(loader, call);                                                                   \
    }

/* Rows that many tables have. */
#define ROW_NAME(def, member)                                                                                \
    ROW_TEXT("name", TP_INTO(def, member), "its name in messages and output", .flags = TP_KEY_REQUIRED)
#define ROW_FRACTION(named, into, otherwise, ...)                                                            \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, .flags = TP_KEY_IN_RANGE, .high = 1.0, into,            \
           .default_text = otherwise, .text = __VA_ARGS__)
#define ROW_ROTATION(named, into, ...)                                                                       \
    ROW_OF(.name = named, .kind = TP_VALUE_QUANTITY, .form = TP_FORM_LIST, .count = 4,                       \
           .or_else = &tp_orientation_map, into, .text = __VA_ARGS__)
#define ROW_BODIES(def)                                                                                      \
    ROW_OF(.name = "bodies", .kind = TP_VALUE_TEXT, .form = TP_FORM_LIST, .count = 2,                        \
           .flags = TP_KEY_REQUIRED, TP_INTO(def, bodies), .load = tp_load_two_bodies,                       \
           .text = "A and B, names of bodies; `ground` is the fixed one")
#define ROW_MEASURE(def, member, of)                                                                         \
    ROW_WORD("unit", TP_INTO(def, member), tp_measure_word_at, NULL,                                         \
             of ": m (forces in N) or rad (moments in N m); left out: rad where the formula is a sum with "  \
                "an angle (coordinate in rad, angle of a joint, arc function), else m")

#endif
