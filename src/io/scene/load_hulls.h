/* Shapes that are made of points. */
#ifndef TP_IO_SCENE_LOAD_HULLS_H
#define TP_IO_SCENE_LOAD_HULLS_H

#include "io/scene/loader.h"

typedef struct tp_hull_values {
    const tp_vec3 *points, *outline;
    int point_count, outline_count;
    const tp_node *mesh, *heights;
    tp_vec3 spacing; /* x, y */
} tp_hull_values;

/* Fills what belongs to the kind of solids_io[0]; an outline may become several hulls, at most as many as it
   has corners. */
tp_status tp_load_solids(tp_loader *loader, const tp_node *item, const tp_hull_values *is, double length,
                         tp_solid *solids_io, int *count_out);

#endif
