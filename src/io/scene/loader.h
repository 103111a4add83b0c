/* From a checked tree to a model: the loader, and what the functions of its rows use. */
#ifndef TP_IO_SCENE_LOADER_H
#define TP_IO_SCENE_LOADER_H

#include "base/name_index.h"
#include "io/scene/include.h"
#include "io/scene/scene_tables.h"
#include "tippe/multibody.h"
#include "tippe/scene.h"

/* More are refused: matrices of coordinates are dense. */
enum { TP_SCENE_COORDINATES_MAX = 4096 };

/* Structs of maps in each other: a joint, its limit. */
enum { TP_LOAD_DEPTH = 4 };

struct tp_loader {
    tp_arena *arena; /* of the scene                                                                */
    tp_arena *work;  /* of what nobody needs when the model is made: it copies what it is given; the
                        tree with its texts is there too                                            */
    tp_model *model;
    const tp_node *root; /* checked against tp_scene_keys */
    const char *file;
    int coordinate_count, velocity_count; /* velocities of their own: 0 if u = q' */
    bool is_planar;                       /* what is read is on a planar body: two numbers are a vector */
    const char *joint;                    /* whose limits, motors, ... are read */
    const tp_joint_info *joint_info;
    const tp_node *late_definitions; /* the first that uses joints: it and the others wait for these    */
    unsigned char *has_mass_entry;   /* [velocities^2] entries of the mass matrix that were named       */
    int *first_shape, *shape_count;  /* [1 + bodies] of the ground and of each body                     */
    tp_name_index joint_names, shape_names, contact_names;
    tp_name_index coming_joints; /* names of all joints, where definitions ask for them */
    const tp_node *at;           /* what is being loaded: messages of the model name its repetition */
    void *room[TP_LOAD_DEPTH];   /* structs that are being filled */
    int depth;
    tp_message *why;
    tp_message told; /* by the last call on the model: tp_load_told adds the file */
};

/* All sections in the order of their rows; the tree is given back, and the model is finished. */
tp_status tp_load_scene(tp_loader *loader, tp_scene *scene_io);

/* Definitions that use joints, and those behind them. */
tp_status tp_load_late_definitions(tp_loader *loader);

/* Names of mesh files in a node become paths from the root, so that the text of the scene means the same from
   every folder. A name that does not begin at the root is one from the folder of the file where it is
   written. */
tp_status tp_load_find_files(tp_tree *tree, tp_node *node, tp_message *why);

/* All files of a scene but its own: included ones and meshes. */
tp_status tp_load_list_files(tp_arena *arena, const tp_node *root, const tp_expansion *expansion,
                             tp_scene *scene, tp_message *why);

/* ---- maps ---------------------------------------------------------------------------------------------- */

/* Every key of a map goes where its row says. What is not there leaves its field as it is. */
tp_status tp_load_map(tp_loader *loader, const tp_node *map, const tp_key_table *table, void *made);

/* The same for a single key. */
tp_status tp_load_key(tp_loader *loader, const tp_node *map, const tp_key *key, void *made);

/* A map, or every map of a list: its struct is begun, filled and added. NULL: nothing. */
tp_status tp_load_items(tp_loader *loader, const tp_node *node, const tp_key_table *table);

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* Passes on the status of a call on the model; its message gets the file in front if it has no place. */
tp_status tp_load_told(tp_loader *loader, tp_status status);
tp_status tp_load_no_memory(tp_loader *loader);

/* Keys that would do nothing are mistakes of the author: refuses those that are there with "has no effect"
   and when that is. */
#define TP_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})
tp_status tp_load_no_effect(tp_loader *loader, const tp_node *map, const char *const *keys, const char *when);

/* ---- values -------------------------------------------------------------------------------------------- */

/* The value of a number or of a formula of parameters; within the key's range. */
tp_status tp_load_value(tp_loader *loader, const tp_node *node, const tp_key *key, double *value_out);

/* A list of three numbers; where something is planar, two will do. */
tp_status tp_load_vector(tp_loader *loader, const tp_node *list, const tp_key *key, tp_vec3 *vector_out);

/* A quaternion or a map, of unit length; three moments or a matrix. */
tp_status tp_load_rotation(tp_loader *loader, const tp_node *node, const tp_key *key, tp_quat *quat_out);
tp_status tp_load_inertia(tp_loader *loader, const tp_node *node, const tp_key *key, tp_mat3 *inertia_out);

/* A formula as a function of the model. */
tp_function tp_load_function(const tp_node *node);

/* Cuts white space off both ends, in place. Cuts "x, y" at its commas, in place: returns how many parts there
   are, and fills at most `capacity`. */
char *tp_load_trim(char *text);
int tp_load_split(char *text, int capacity, const char **parts_out);

/* PREFIX.WHAT[.PART], in the arena; NULL when there is no memory. */
const char *tp_load_join(tp_loader *loader, const char *prefix, const char *what, const char *part);

/* ---- names --------------------------------------------------------------------------------------------- */

/* Rows `body` and `bodies`: names of bodies that are there, into one or two const char *; is_planar is then
   that of these bodies. */
tp_load tp_load_body_name, tp_load_two_bodies;

/* Rows `points`: one on each body, into two tp_vec3. */
tp_load tp_load_two_points;

/* Refuses a name that is not there, with the nearest of those that name_at gives (NULL behind the last), and
   one more if `also` is not NULL; `otherwise` is said where none is near. */
tp_status tp_load_unknown(tp_loader *loader, const tp_node *node, const char *what,
                          const char *(*name_at)(const tp_model *model, int k), const char *also,
                          const char *otherwise);

/* Refuses a joint that is not there, with the nearest name. */
tp_status tp_load_joint_name(tp_loader *loader, const tp_node *node, int *joint_out);

/* Whether a joint has the coordinate that the key `coordinate` of an item names; without the key: only one.
 */
tp_status tp_load_check_coordinate(tp_loader *loader, const tp_node *item, const char *joint,
                                   const tp_joint_info *info);

/* ---- bodies -------------------------------------------------------------------------------------------- */

/* When all bodies are there: a name means one thing, and something is left to compute. */
tp_status tp_load_check_bodies(tp_loader *loader);

/* The shapes of one body, not yet in the model. */
typedef struct tp_load_shapes {
    int count;
    tp_shape_def *items;
    const tp_node **nodes; /* where each was written */
} tp_load_shapes;

/* Reads a list of shapes (NULL: none) of a body, or of the ground. */
tp_status tp_load_shape_list(tp_loader *loader, const tp_node *list, const char *body,
                             tp_load_shapes *shapes_out);
tp_status tp_load_add_shapes(tp_loader *loader, const char *body, const tp_load_shapes *shapes);

/* Triangles, given or from a file, in the arena of the scene; not checked. */
tp_status tp_load_triangles(tp_loader *loader, const tp_node *map, tp_mesh *mesh_out);
/* The same for a closed surface; checked. */
tp_status tp_load_mesh(tp_loader *loader, const tp_node *map, tp_mesh *mesh_out);

/* What a body of a scene says, besides what its def holds. */
typedef struct tp_body_values {
    tp_body_def def;
    double density, angle;
    tp_vec3 spin; /* angular velocity in the directions of the world */
    const tp_node *shapes, *mesh;
    tp_place place;
} tp_body_values;

/* Fills mass, centre and inertia of a body that has them; mesh NULL: none. */
tp_status tp_load_mass(tp_loader *loader, const tp_node *item, const tp_load_shapes *shapes,
                       const tp_mesh *mesh, tp_body_values *body_io);

/* Refuses a friction shape that cannot have so many rows; `what` names these. */
tp_status tp_load_check_rows(tp_loader *loader, const tp_node *item, const char *word,
                             const tp_friction_body *is, int rows, const char *what);

/* Adds a contact of the given law for all pairs of shapes that a list of names, or the word all, stands for;
   perhaps without the pairs of bodies that joints connect. */
tp_status tp_load_pairs(tp_loader *loader, const tp_node *item, const tp_node *list, const tp_pair_def *def,
                        bool excludes_joined);

#endif
