/* The key tables of scenes: the one source of checks, hints, defaults, docs/scene.md and the schema. */
#ifndef TP_IO_SCENE_TABLES_H
#define TP_IO_SCENE_TABLES_H

#include "io/scene/keys.h"

extern const tp_key_table tp_scene_keys; /* the root */
extern const tp_key_table tp_coordinate_keys, tp_velocity_keys;
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
