/* A surface from a file: which format it is, and the list it becomes. */
#define _POSIX_C_SOURCE 200809L
#include "io/mesh/mesh_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/common/c_locale.h"
#include "io/common/whole_file.h"

struct tp_mesh_file {
    tp_arena arena; /* the object itself lies in it */
    tp_mesh mesh;
};

/* ---- lists that grow ----------------------------------------------------------------------------------- */

/* Room for one more; what was taken before stays in the arena, twice the end in all. */
static void *with_room(tp_arena *arena, void *items, int count, int *capacity, size_t item_bytes)
{
    if (count < *capacity) return items;
    int larger = *capacity > 0 ? 2 * *capacity : 256;
    void *moved = tp_arena_take(arena, (size_t)larger, item_bytes);
    if (!moved) return NULL;
    if (count > 0) memcpy(moved, items, (size_t)count * item_bytes);
    *capacity = larger;
    return moved;
}

static tp_status no_memory(const tp_mesh_builder *builder)
{
    return tp_fail(builder->why, TP_OUT_OF_MEMORY, "no memory to read %.600s", builder->name);
}

static tp_status too_many(const tp_mesh_builder *builder, const char *what, int most)
{
    return tp_fail(builder->why, TP_INVALID_DATA, "%.600s: more than %d %s; make the surface coarser",
                   builder->name, most, what);
}

tp_status tp_mesh_add_vertex(tp_mesh_builder *builder, tp_vec3 x)
{
    enum { MOST = 3 * TP_MESH_FILE_TRIANGLES_MAX };
    if (builder->vertex_count >= MOST) return too_many(builder, "vertices", MOST);
    tp_vec3 *list = with_room(builder->arena, builder->vertices, builder->vertex_count,
                              &builder->vertex_capacity, sizeof *list);
    if (!list) return no_memory(builder);
    builder->vertices = list;
    list[builder->vertex_count++] = x;
    return TP_OK;
}

tp_status tp_mesh_add_triangle(tp_mesh_builder *builder, int a, int b, int c)
{
    enum { MOST = TP_MESH_FILE_TRIANGLES_MAX };
    if (builder->triangle_count >= MOST) return too_many(builder, "triangles", MOST);
    int *list = with_room(builder->arena, builder->triangles, builder->triangle_count,
                          &builder->triangle_capacity, 3 * sizeof *list);
    if (!list) return no_memory(builder);
    builder->triangles = list;
    int *corner = list + 3 * (size_t)builder->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
    return TP_OK;
}

/* ---- equal vertices ------------------------------------------------------------------------------------ */

typedef struct numbered_vertex {
    double at[3];
    int number;
} numbered_vertex;

static int compare_vertices(const void *one, const void *other)
{
    const numbered_vertex *a = one, *b = other;
    for (int k = 0; k < 3; k++)
        if (a->at[k] != b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* first[i]: the first vertex with the coordinates of vertex i. */
static bool find_first(const tp_mesh_builder *builder, int *first)
{
    const tp_allocator *allocator = builder->arena->allocator;
    size_t count = (size_t)builder->vertex_count;
    numbered_vertex *sorted = allocator->allocate(allocator->context, (count + 1) * sizeof *sorted);
    if (!sorted) return false;
    for (size_t i = 0; i < count; i++) {
        tp_vec3_to_array(builder->vertices[i], sorted[i].at);
        sorted[i].number = (int)i;
    }
    qsort(sorted, count, sizeof *sorted, compare_vertices);
    for (size_t i = 0; i < count; i++) {
        bool is_same = i > 0 && sorted[i].at[0] == sorted[i - 1].at[0] &&
                       sorted[i].at[1] == sorted[i - 1].at[1] && sorted[i].at[2] == sorted[i - 1].at[2];
        first[sorted[i].number] = is_same ? first[sorted[i - 1].number] : sorted[i].number;
    }
    allocator->release(allocator->context, sorted);
    return true;
}

/* Vertices with the same coordinates become one, numbered in the order in which they first appear. */
static tp_status merge_vertices(tp_mesh_builder *builder)
{
    int *number = TP_ARENA_ARRAY(builder->arena, int, builder->vertex_count + 1), kept = 0;
    if (!number || !find_first(builder, number)) return no_memory(builder);
    for (int i = 0; i < builder->vertex_count; i++) {
        bool is_first = number[i] == i;
        number[i] = is_first ? kept : number[number[i]]; /* an earlier one, which has its number already */
        if (is_first) builder->vertices[kept++] = builder->vertices[i];
    }
    for (int k = 0; k < 3 * builder->triangle_count; k++)
        builder->triangles[k] = number[builder->triangles[k]];
    builder->vertex_count = kept;
    return TP_OK;
}

/* ---- formats ------------------------------------------------------------------------------------------- */

/* Text begins with "solid", but so do some binary files: these have a byte 0 in their head. */
static bool is_text_stl(const unsigned char *bytes, size_t count)
{
    static const char solid[] = "solid";
    size_t at = 0, head = count < 84 ? count : 84;
    if (memchr(bytes, 0, head)) return false;
    while (at < count && (bytes[at] == ' ' || (bytes[at] >= '\t' && bytes[at] <= '\r'))) at++;
    for (size_t k = 0; k < 5; k++)
        if (at + k >= count || (bytes[at + k] | 0x20) != solid[k]) return false;
    return true;
}

static tp_status read_format(tp_mesh_builder *builder, const unsigned char *bytes, size_t count)
{
    const char *text = (const char *)bytes;
    if (count == 0) return tp_fail(builder->why, TP_INVALID_DATA, "%.600s: the file is empty", builder->name);
    if (tp_path_ends(builder->name, ".obj") || tp_path_ends(builder->name, ".OBJ"))
        return tp_obj_read(builder, text, count);
    TP_TRY(is_text_stl(bytes, count) ? tp_stl_read_text(builder, text, count)
                                     : tp_stl_read_binary(builder, bytes, count));
    return merge_vertices(builder);
}

static tp_status read_in_c_locale(tp_mesh_builder *builder, const unsigned char *bytes, size_t count)
{
    tp_c_locale scope;
    TP_TRY(tp_c_locale_enter(&scope, builder->why));
    tp_status status = read_format(builder, bytes, count);
    tp_c_locale_leave(&scope);
    if (status != TP_OK) return status;
    if (builder->triangle_count > 0) return TP_OK;
    return tp_fail(builder->why, TP_INVALID_DATA, "%.600s: it has no triangles", builder->name);
}

tp_status tp_mesh_file_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                                   size_t count, tp_mesh_file **file_out, tp_message *why_out)
{
    *file_out = NULL;
    tp_mesh_file *file = TP_ARENA_OBJECT(tp_mesh_file, allocator);
    tp_mesh_builder builder = {.name = name, .why = why_out};
    if (!file) return no_memory(&builder);
    builder.arena = &file->arena;
    tp_status status = read_in_c_locale(&builder, bytes, count);
    file->mesh = (tp_mesh){builder.vertex_count, builder.triangle_count, builder.vertices, builder.triangles};
    if (status != TP_OK) tp_mesh_file_free(file);
    *file_out = status == TP_OK ? file : NULL;
    return status;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static tp_status check_size(const char *path, tp_message *why)
{
    struct stat info;
    if (stat(path, &info) != 0) return TP_OK; /* reading says why */
    if (!S_ISREG(info.st_mode))
        return tp_fail(why, TP_FILE_ERROR, "cannot read %.600s: it is not a regular file", path);
    if (info.st_size <= TP_MESH_FILE_BYTES_MAX) return TP_OK;
    return tp_fail(why, TP_INVALID_DATA, "%.600s: %lld bytes; at most %d are read", path,
                   (long long)info.st_size, TP_MESH_FILE_BYTES_MAX);
}

tp_status tp_mesh_file_read(const tp_allocator *allocator, const char *path, tp_mesh_file **file_out,
                            tp_message *why_out)
{
    unsigned char *bytes;
    size_t count;
    *file_out = NULL;
    TP_TRY(check_size(path, why_out));
    tp_arena arena = tp_arena_make(allocator);
    tp_status status = tp_file_read(&arena, path, &bytes, &count, why_out);
    if (status == TP_OK) status = tp_mesh_file_read_memory(allocator, path, bytes, count, file_out, why_out);
    tp_arena_clear(&arena);
    return status;
}

const tp_mesh *tp_mesh_file_surface(const tp_mesh_file *file)
{
    return &file->mesh;
}

void tp_mesh_file_free(tp_mesh_file *file)
{
    if (file) tp_arena_clear(&file->arena);
}
