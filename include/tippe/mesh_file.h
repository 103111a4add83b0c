/* Surfaces of triangles from files: STL, text and binary, and OBJ; docs/guide/bodies.md. */
#ifndef TIPPE_MESH_FILE_H
#define TIPPE_MESH_FILE_H

#include "tippe/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is larger is refused. */
enum { TP_MESH_FILE_TRIANGLES_MAX = 1000000, TP_MESH_FILE_BYTES_MAX = 256 << 20 };

typedef struct tp_mesh_file tp_mesh_file;

/* Reads a file. TP_FILE_ERROR when it cannot be read, TP_INVALID_DATA with file, line and column (binary: the
   byte) when its content is not a surface. Corners of STL triangles that have the same coordinates become one
   vertex. Whether the surface is closed is the question of tp_mesh_check. allocator NULL: the C library. */
tp_status tp_mesh_file_read(const tp_allocator *allocator, const char *path, tp_mesh_file **file_out,
                            tp_message *why_out);

/* The same for bytes; `name` stands in messages, and one that ends in .obj gives the format. */
tp_status tp_mesh_file_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                                   size_t count, tp_mesh_file **file_out, tp_message *why_out);

/* Belongs to the file object. */
const tp_mesh *tp_mesh_file_surface(const tp_mesh_file *file);

void tp_mesh_file_free(tp_mesh_file *file); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
