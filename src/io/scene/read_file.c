/* A scene file as bytes: at most as many as a scene may have, whatever the file is. */
#include <stdio.h>

#include "io/common/whole_file.h"
#include "io/scene/scene_tree.h"

tp_status tp_tree_read_file(tp_arena *arena, tp_arena *nodes, const char *path, tp_tree **tree_out,
                            tp_message *why_out)
{
    const size_t capacity = TP_TREE_BYTES_MAX + 1; /* the byte too many tells that the file is too large */
    FILE *file = fopen(path, "rb");
    if (!file) return tp_file_fail(why_out, "read", path);
    const tp_allocator *allocator = arena->allocator;
    char *bytes = allocator->allocate(allocator->context, capacity);
    size_t count = bytes ? fread(bytes, 1, capacity, file) : 0;
    tp_status status = !bytes         ? tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %.600s", path)
                       : ferror(file) ? tp_file_fail(why_out, "read", path)
                                      : tp_tree_read(arena, nodes, path, bytes, count, tree_out, why_out);
    if (bytes) allocator->release(allocator->context, bytes);
    fclose(file);
    return status;
}
