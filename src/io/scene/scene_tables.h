/* The key tables of scenes: the one source of checks, hints, defaults, docs/scene.md and the schema. */
#ifndef TP_IO_SCENE_SCENE_TABLES_H
#define TP_IO_SCENE_SCENE_TABLES_H

#include "io/scene/keys.h"
#include "tippe/set.h"

/* A friction shape of contacts or of laws: which body it is, and what it takes. */
typedef struct tp_friction_body {
    tp_shape body;
    int least, most; /* rows that it may have                                                        */
    int count;       /* of a contact: coefficients at most, 2 along the two slips; of a law: bounds,
                        0: one for each row                                                          */
} tp_friction_body;

typedef struct tp_friction_word {
    const char *word, *text;
    tp_friction_body contact, law;
} tp_friction_word;

/* With three rows the drilling row is scaled, and the ellipsoid of a contact is a ball in scaled rows. */
#define TP_FRICTION_TAKES(...)                                                                               \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define TP_FRICTION_SHAPES(X)                                                                                \
    X("disc", TP_FRICTION_TAKES(TP_SHAPE_BALL, 1, 3, 1), TP_FRICTION_TAKES(TP_SHAPE_BALL, 1, 3, 1),          \
      "interval, disc or ball; the same in all directions")                                                  \
    X("ellipse", TP_FRICTION_TAKES(TP_SHAPE_ELLIPSOID, 2, 3, 2),                                             \
      TP_FRICTION_TAKES(TP_SHAPE_ELLIPSOID, 2, 2, 0), "two coefficients, along the two slips; orthotropic")  \
    X("cylinder", TP_FRICTION_TAKES(TP_SHAPE_CYLINDER, 3, 3, 1),                                             \
      TP_FRICTION_TAKES(TP_SHAPE_CYLINDER, 3, 3, 2), "disc times interval; drilling apart from sliding")     \
    X("contensou", TP_FRICTION_TAKES(TP_SHAPE_CONTENSOU, 3, 3, 1),                                           \
      TP_FRICTION_TAKES(TP_SHAPE_CONTENSOU, 3, 3, 2),                                                        \
      "exact body of sliding and drilling under Hertz pressure")                                             \
    X("ellipsoid", TP_FRICTION_TAKES(TP_SHAPE_BALL, 3, 3, 1),                                                \
      TP_FRICTION_TAKES(TP_SHAPE_ELLIPSOID, 3, 3, 0), "sliding and drilling in one ellipsoid")               \
    X("box", TP_FRICTION_TAKES(TP_SHAPE_BRICK, 1, 3, 2), TP_FRICTION_TAKES(TP_SHAPE_BRICK, 1, 3, 0),         \
      "interval for each direction; independent dry friction")

extern const tp_friction_word tp_friction_words[]; /* word NULL at the end */

extern const tp_key_table tp_scene_keys; /* the root */
extern const tp_key_table tp_coordinate_keys, tp_velocity_keys;
extern const tp_key_table tp_input_keys; /* tables_inputs.c */
extern const tp_key_table tp_linear_keys, tp_force_keys;
extern const tp_key_table tp_constraint_keys, tp_contact_keys;
extern const tp_key_table tp_law_keys, tp_law_friction_keys, tp_law_limited_keys;
extern const tp_key_table tp_sensor_keys, tp_exact_keys;
extern const tp_key_table tp_drawing_keys; /* and its kinds */
extern const tp_key_table tp_simulate_keys, tp_output_keys;

extern const tp_key_table tp_body_keys, tp_rigid_keys, tp_planar_keys, tp_point_keys, tp_moving_keys,
    tp_scalable_keys;
extern const tp_key_table tp_shape_keys, tp_ground_keys, tp_mesh_keys, tp_orientation_keys;
extern const tp_key_table tp_joint_keys, tp_curve_keys, tp_limit_keys, tp_motor_keys, tp_joint_friction_keys;
extern const tp_key_table tp_coordinate_spring_keys, tp_coupler_keys, tp_term_keys;
extern const tp_key_table tp_spring_keys, tp_bushing_keys;

#endif
