/* A small set of key tables with every kind of key, for tests and fuzzing. */
#ifndef TESTS_IO_SCENE_TABLES_H
#define TESTS_IO_SCENE_TABLES_H

#include "io/scene/keys.h"

TP_WORDS(integrator_names, TP_WORD("moreau", 0), TP_WORD("moreau-jean", 1), TP_WORD("event-driven", 2))

static const tp_key simulate_key_list[] = {
    {.name = "integrator",
     .kind = TP_VALUE_CHOICE,
     .words = integrator_names,
     .default_text = "moreau",
     .text = "how time goes on"},
    {.name = "dt",
     .kind = TP_VALUE_NUMBER,
     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
     .unit = "s",
     .text = "length of a step"},
    {.name = "until",
     .kind = TP_VALUE_NUMBER,
     .flags = TP_KEY_NOT_NEGATIVE,
     .unit = "s",
     .default_text = "1",
     .text = "end of the run"},
    {.name = "max-steps",
     .kind = TP_VALUE_INTEGER,
     .flags = TP_KEY_POSITIVE,
     .default_text = "1000000",
     .text = "stop after so many"},
    {.name = "theta",
     .kind = TP_VALUE_NUMBER,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.5,
     .high = 1.0,
     .default_text = "0.5",
     .text = "a|b in a cell"},
    {.name = "verbose", .kind = TP_VALUE_BOOLEAN, .default_text = "false", .text = "tell each step"},
};
static const tp_key_table simulate_keys = {
    .name = "simulate", .text = "How the model is simulated.", .TP_KEYS_OF(simulate_key_list)};

static const tp_key contact_key_list[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .flags = TP_KEY_REQUIRED, .text = "its name"},
    {.name = "gap",
     .kind = TP_VALUE_FORMULA,
     .flags = TP_KEY_REQUIRED,
     .unit = "m",
     .text = "distance, > 0 when open"},
    {.name = "friction",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_NOT_NEGATIVE,
     .default_text = "0",
     .text = "coefficient of friction"},
    {.name = "restitution",
     .kind = TP_VALUE_QUANTITY,
     .flags = TP_KEY_IN_RANGE,
     .low = 0.0,
     .high = 1.0,
     .default_text = "0",
     .text = "of the normal velocity"},
};
static const tp_key_table contact_keys = {
    .name = "contact", .text = "A contact.", .TP_KEYS_OF(contact_key_list)};

static const tp_key sphere_key_list[] = {
    {.name = "radius",
     .kind = TP_VALUE_NUMBER,
     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
     .unit = "m",
     .text = "of the sphere"},
};
static const tp_key box_key_list[] = {
    {.name = "half",
     .kind = TP_VALUE_NUMBER,
     .form = TP_FORM_LIST,
     .count = 3,
     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
     .unit = "m",
     .text = "half edges"},
    {.name = "corners",
     .kind = TP_VALUE_NUMBER,
     .form = TP_FORM_ROWS,
     .count = 2,
     .unit = "m",
     .text = "pairs"},
};
static const tp_key_table sphere_keys = {.name = "sphere", .text = "A sphere.", .TP_KEYS_OF(sphere_key_list)};
static const tp_key_table box_keys = {.name = "box", .text = "A box.", .TP_KEYS_OF(box_key_list)};

TP_WORDS(shape_variants, {"sphere", 0, "a ball", &sphere_keys}, {"box", 1, "a box", &box_keys})
static const tp_key shape_key_list[] = {
    {.name = "kind",
     .kind = TP_VALUE_CHOICE,
     .words = shape_variants,
     .default_text = "sphere",
     .text = "which shape"},
    {.name = "density", .kind = TP_VALUE_NUMBER, .unit = "kg/m^3", .text = "mass per volume"},
};
static const tp_key_table shape_keys = {
    .name = "shape", .text = "A shape.", .TP_KEYS_OF(shape_key_list), .selector = "kind"};

static const tp_key body_key_list[] = {
    {.name = "name", .kind = TP_VALUE_TEXT, .text = "its name"},
    {.name = "mass",
     .kind = TP_VALUE_NUMBER,
     .flags = TP_KEY_REQUIRED | TP_KEY_POSITIVE,
     .unit = "kg",
     .text = "its mass"},
    {.name = "position",
     .kind = TP_VALUE_QUANTITY,
     .form = TP_FORM_LIST,
     .count = 3,
     .unit = "m",
     .default_text = "[0, 0, 0]",
     .text = "centre of mass"},
    {.name = "shapes",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .table = &shape_keys,
     .text = "what it is made of"},
};
static const tp_key_table body_keys = {.name = "body", .text = "A rigid body.", .TP_KEYS_OF(body_key_list)};

static const tp_key scene_key_list[] = {
    {.name = "name",
     .kind = TP_VALUE_TEXT,
     .flags = TP_KEY_REQUIRED,
     .text = "its name, \"quoted\" in output"},
    {.name = "coordinates",
     .kind = TP_VALUE_TEXT,
     .form = TP_FORM_LIST,
     .flags = TP_KEY_OR_ONE,
     .text = "generalised coordinates"},
    {.name = "parameters", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_NAMED, .text = "numbers with names"},
    {.name = "gravity",
     .kind = TP_VALUE_NUMBER,
     .form = TP_FORM_LIST,
     .count = 3,
     .unit = "m/s^2",
     .default_text = "[0, 0, -9.81]",
     .text = "acceleration of gravity"},
    {.name = "bodies",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &body_keys,
     .text = "rigid bodies"},
    {.name = "contacts",
     .kind = TP_VALUE_MAP,
     .form = TP_FORM_LIST,
     .table = &contact_keys,
     .text = "contacts by formulas"},
    {.name = "initial", .kind = TP_VALUE_QUANTITY, .form = TP_FORM_NAMED, .text = "initial state"},
    {.name = "simulate", .kind = TP_VALUE_MAP, .table = &simulate_keys, .text = "how to simulate"},
    {.name = "notes", .kind = TP_VALUE_ANY, .text = "anything"},
};
static const tp_key_table scene_keys = {.name = "scene", .text = "A scene.", .TP_KEYS_OF(scene_key_list)};

/* A scene that is right. */
#define WOODPECKER                                                                                           \
    "name: woodpecker\n"                                                                                     \
    "coordinates: [y, alpha, phi]\n"                                                                         \
    "parameters: {mM: 3e-4, g: 9.81, c: \"2*g\"}\n"                                                          \
    "contacts:\n"                                                                                            \
    "  - {name: beak, gap: \"1 - phi\", friction: 0.3, restitution: 0.5}\n"                                  \
    "  - {name: upper.sleeve, gap: \"phi\"}\n"                                                               \
    "initial: {alpha: -0.1, y': -0.34, arm: 1, arm.x: 2}\n"                                                  \
    "simulate: {integrator: moreau, dt: 1e-5, until: 0.5}\n"                                                 \
    "bodies:\n"                                                                                              \
    "  - {mass: 1}\n"                                                                                        \
    "  - {name: ball, mass: 2, position: [0, \"g/2\", 1], shapes: {radius: 0.1}}\n"                          \
    "  - {name: crate, mass: 3, shapes: [{kind: box, half: [1, 2, 3]}, {kind: sphere, radius: 2}]}\n"

#endif
