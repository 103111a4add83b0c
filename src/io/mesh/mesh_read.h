/* What the readers of the formats share: lists of vertices and triangles that grow. */
#ifndef TP_IO_MESH_MESH_READ_H
#define TP_IO_MESH_MESH_READ_H

#include "base/arena.h"
#include "tippe/mesh_file.h"

typedef struct tp_mesh_builder {
    tp_arena *arena;
    const char *name; /* of the file */
    tp_vec3 *vertices;
    int vertex_count, vertex_capacity;
    int *triangles; /* [3 triangle_count] */
    int triangle_count, triangle_capacity;
    tp_message *why;
} tp_mesh_builder;

tp_status tp_mesh_add_vertex(tp_mesh_builder *builder, tp_vec3 x);
tp_status tp_mesh_add_triangle(tp_mesh_builder *builder, int a, int b, int c);

/* One of the formats each. STL: every triangle has three vertices of its own. */
tp_status tp_stl_read_binary(tp_mesh_builder *builder, const unsigned char *bytes, size_t count);
tp_status tp_stl_read_text(tp_mesh_builder *builder, const char *text, size_t count);
tp_status tp_obj_read(tp_mesh_builder *builder, const char *text, size_t count);

#endif
