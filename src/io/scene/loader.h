/* From a checked tree to a model: the parts of the loader. */
#ifndef TP_IO_SCENE_LOADER_H
#define TP_IO_SCENE_LOADER_H

#include "io/scene/scene_tables.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"

/* What is larger is refused: matrices of coordinates are dense, and every entry costs memory. */
enum { TP_SCENE_COORDINATES_MAX = 4096, TP_SCENE_ENTRIES_MAX = 10000 };

typedef struct tp_loader {
    tp_arena *arena; /* of the scene */
    tp_model *model;
    const tp_node *root; /* checked against tp_scene_keys */
    const char *file;
    int coordinate_count, velocity_count; /* velocities of their own: 0 if u = q' */
    tp_message *why;
} tp_loader;

/* The sections in the order that the model needs, `simulate` and `output` last; the model is then finished.
 */
tp_status tp_load_scene(tp_loader *loader, tp_scene *scene_io);
tp_status tp_load_names(tp_loader *loader);    /* parameters to definitions, initial values                */
tp_status tp_load_motion(tp_loader *loader);   /* definitions that use joints, inertia, forces            */
tp_status tp_load_joints(tp_loader *loader);   /* joints and couplers, between bodies that are there        */
tp_status tp_load_elements(tp_loader *loader); /* springs and bushings                                  */
tp_status tp_load_laws(tp_loader *loader);     /* constraints, contacts, laws                              */
tp_status tp_load_sensors(tp_loader *loader);
tp_status tp_load_drawings(tp_loader *loader);

/* Names of files become paths from the root, so that the text of the scene means the same from every folder.
   A name that does not begin at the root is one from the folder of the scene. */
tp_status tp_load_find_files(tp_arena *arena, tp_tree *tree, tp_scene *scene, tp_message *why);

/* ---- sections of bodies -------------------------------------------------------------------------------- */

tp_status tp_load_inputs(tp_loader *loader, const tp_node *section); /* load_inputs.c */
tp_status tp_load_gravity(tp_loader *loader, const tp_node *section);
tp_status tp_load_bodies(tp_loader *loader, const tp_node *section);
tp_status tp_load_ground(tp_loader *loader, const tp_node *section);

/* One entry of the list `forces`: on a coordinate or on a body. */
tp_status tp_load_force(tp_loader *loader, const tp_node *item);

/* Adds a contact of the given law for all pairs of shapes that a list of names stands for. */
tp_status tp_load_pairs(tp_loader *loader, const tp_node *item, const tp_node *list, const tp_pair_def *def);

/* ---- values ------------------------------------------------------------------------------------------- */

/* Passes on the status of a call on the model; its message gets the file in front if it has no place. */
tp_status tp_load_told(tp_loader *loader, tp_status status);

/* Every item of a list of the scene, if it has one. */
tp_status tp_load_list(tp_loader *loader, const char *name,
                       tp_status (*load)(tp_loader *loader, const tp_node *item));

/* The value of a number or of a formula of parameters; within the key's range. */
tp_status tp_load_value(tp_loader *loader, const tp_node *node, const tp_key_table *table, const tp_key *key,
                        double *value_out);

/* The same for a key of a map, or its default. */
tp_status tp_load_number(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                         double *value_out);

/* One value, or a list of at most `capacity`. */
tp_status tp_load_numbers(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                          int capacity, double *values_out, int *count_out);

/* A formula as a function of the model. */
tp_function tp_load_function(const tp_node *node);

/* One formula or a list of at most `capacity`; none where the key is missing. */
tp_status tp_load_functions(tp_loader *loader, const tp_node *map, const char *name, int capacity,
                            tp_function *functions_out, int *count_out);

/* Three numbers; where something is planar, two will do. Without the key: its default, or zero. */
tp_status tp_load_vector(tp_loader *loader, const tp_node *map, const tp_key_table *table, const char *name,
                         bool is_planar, tp_vec3 *vector_out);
tp_status tp_load_list_vector(tp_loader *loader, const tp_node *list, const tp_key_table *table,
                              const tp_key *key, bool is_planar, tp_vec3 *vector_out);

/* The key `points`: one on each body; zero without it. */
tp_status tp_load_two_points(tp_loader *loader, const tp_node *map, const tp_key_table *table, bool is_planar,
                             tp_vec3 *a_out, tp_vec3 *b_out);

/* A quaternion or a map, of unit length; without the key: the identity. */
tp_status tp_load_orientation(tp_loader *loader, const tp_node *map, const tp_key_table *table,
                              const char *name, tp_quat *quat_out);

/* ---- names --------------------------------------------------------------------------------------------- */

/* Refuses a body (a joint) that is not there, with the nearest name. */
tp_status tp_load_body_name(tp_loader *loader, const tp_node *node);
tp_status tp_load_joint_name(tp_loader *loader, const tp_node *node, int *joint_out);

/* The key `coordinate` of something that belongs to a joint; NULL: it names none, and there is only one. */
tp_status tp_load_coordinate(tp_loader *loader, const tp_node *item, const char *joint,
                             const tp_joint_info *info, const char **coordinate_out);
bool tp_load_is_planar(const tp_loader *loader, const char *body);

/* The key `bodies`; is_planar_out: one of them is. */
tp_status tp_load_two_bodies(tp_loader *loader, const tp_node *item, const char **a_out, const char **b_out,
                             bool *is_planar_out);

#endif
