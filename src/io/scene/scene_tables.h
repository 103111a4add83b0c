/* The key tables of scenes: the one source of checks, hints, loading, docs/scene.md and the schema. */
#ifndef TP_IO_SCENE_SCENE_TABLES_H
#define TP_IO_SCENE_SCENE_TABLES_H

#include "io/scene/keys.h"
#include "tippe/set.h"

enum { TP_SCENE_ENTRIES_MAX = 200000 }; /* of a section: every one costs memory */

/* A friction shape of contacts or of laws: which body it is, and what it takes. */
typedef struct tp_friction_body {
    tp_friction_kind body;
    int least, most; /* rows that it may have                                                        */
    int count;       /* of a contact: coefficients at most, 2 along the two slips; of a law: bounds,
                        0: one for each row                                                          */
} tp_friction_body;

typedef struct tp_friction_word {
    const char *word, *text;
    tp_friction_body contact, law;
} tp_friction_word;

extern const tp_friction_word tp_friction_words[]; /* word NULL at the end */

/* Words of `shape` of contacts and laws: numbers of tp_friction_words. */
tp_word tp_friction_word_at(int k);

/* Words of `unit` of laws: tp_law_measure. */
tp_word tp_measure_word_at(int k);

extern const tp_key_table tp_scene_keys; /* the root */
extern const tp_key_table tp_include_keys;
extern const tp_key_table tp_simulate_keys, tp_exact_keys, tp_output_keys;
extern const tp_key_table tp_coordinate_keys, tp_velocity_keys, tp_input_keys, tp_state_keys,
    tp_relation_keys;
extern const tp_key_table tp_linear_keys;
extern const tp_key_table tp_force_keys, tp_spring_keys, tp_bushing_keys;
extern const tp_key_table tp_body_keys, tp_shape_keys, tp_ground_keys, tp_mesh_keys, tp_orientation_keys;
extern const tp_key_table tp_joint_keys, tp_limit_keys, tp_motor_keys, tp_joint_friction_keys,
    tp_joint_spring_keys, tp_coupler_keys;
extern const tp_key_table tp_constraint_keys, tp_contact_keys, tp_law_keys;
extern const tp_key_table tp_sensor_keys, tp_drawing_keys;

extern const tp_key tp_orientation_map; /* a map where a quaternion may stand */

/* What takes the values of sections that have no maps. */
tp_load tp_load_gravity;
tp_load tp_load_parameter, tp_load_definition, tp_load_initial, tp_load_rate;
tp_load tp_load_kinetic, tp_load_potential, tp_load_dissipation;
tp_load tp_load_mass_rows, tp_load_mass_entry;
tp_load tp_load_named_force, tp_load_named_sensor;
tp_load tp_load_state_mass, tp_load_storage;

#endif
