/* Bodies of a scene: the parts of their loader. */
#ifndef TP_IO_SCENE_LOAD_BODIES_H
#define TP_IO_SCENE_LOAD_BODIES_H

#include "io/scene/loader.h"

/* The shapes of one body, not yet in the model. */
typedef struct tp_load_shapes {
    int count;
    tp_shape_def *items;
    const tp_node **nodes; /* where each was written */
} tp_load_shapes;

/* Reads the list `shapes` of a map, which is a body or the ground. */
tp_status tp_load_shape_list(tp_loader *loader, const tp_node *map, const char *body, bool is_planar,
                             tp_load_shapes *shapes_out);
tp_status tp_load_add_shapes(tp_loader *loader, const tp_load_shapes *shapes);

/* The key `mesh` of a body: given, or from a file; checked, in the arena of the scene. False out: it has
   none. */
tp_status tp_load_mesh(tp_loader *loader, const tp_node *item, tp_mesh *mesh_out, bool *is_there_out);

/* Fills mass, centre and inertia of a body that has them; mesh NULL: none. */
tp_status tp_load_mass(tp_loader *loader, const tp_node *item, const tp_load_shapes *shapes,
                       const tp_mesh *mesh, tp_body_def *def_io);

#endif
