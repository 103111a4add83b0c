/* The surface of a body: its vertices and triangles in the scene, or a file beside it. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "io/scene/load_bodies.h"
#include "tippe/mesh_file.h"

static tp_status no_memory(tp_loader *loader)
{
    return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a mesh");
}

/* ---- in the scene -------------------------------------------------------------------------------------- */

static tp_status load_lists(tp_loader *loader, const tp_node *map, tp_mesh *mesh_out)
{
    const tp_node *rows = tp_map_get(map, "vertices"), *faces = tp_map_get(map, "triangles");
    const tp_key *key = tp_keys_find(&tp_mesh_keys, NULL, "vertices");
    if (!rows || !faces) {
        return tp_node_fail(map, loader->why,
                            "the key '%s' is missing; add vertices and triangles, or a file",
                            rows ? "triangles" : "vertices");
    }
    tp_vec3 *vertices = TP_ARENA_ARRAY(loader->arena, tp_vec3, rows->count + 1);
    int *triangles = TP_ARENA_ARRAY(loader->arena, int, 3 * (size_t)faces->count + 1), at = 0;
    if (!vertices || !triangles) return no_memory(loader);
    for (const tp_node *row = rows->first; row; row = row->next) {
        TP_TRY(tp_load_list_vector(loader, row, &tp_mesh_keys, key, false, &vertices[at++]));
    }
    at = 0;
    for (const tp_node *face = faces->first; face; face = face->next) {
        for (const tp_node *corner = face->first; corner; corner = corner->next) {
            TP_TRY(tp_node_integer(corner, 0, rows->count - 1, &triangles[at++], loader->why));
        }
    }
    *mesh_out = (tp_mesh){rows->count, faces->count, vertices, triangles};
    return TP_OK;
}

/* ---- a file -------------------------------------------------------------------------------------------- */

/* The folder of a file with all its links followed, ending in '/'; NULL if there is none. To be freed. */
static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) + 1 : 2;
    char *name = malloc(length + 1);
    if (!name) return NULL;
    memcpy(name, slash ? file : "./", length);
    name[length] = '\0';
    char *folder = realpath(name, NULL);
    free(name);
    return folder;
}

static const char *join_path(tp_arena *arena, const char *folder, const char *name)
{
    size_t before = strlen(folder), behind = strlen(name);
    char *path = TP_ARENA_ARRAY(arena, char, before + behind + 2);
    if (!path) return NULL;
    memcpy(path, folder, before);
    path[before] = '/';
    memcpy(path + before + 1, name, behind);
    return path;
}

tp_status tp_load_find_files(tp_arena *arena, tp_tree *tree, tp_scene *scene, tp_message *why)
{
    char *folder = folder_of(tree->file);
    const tp_node *bodies = tp_map_get(tree->root, "bodies");
    const char **files = TP_ARENA_ARRAY(arena, const char *, bodies ? bodies->count : 0);
    bool has_memory = files != NULL;
    for (const tp_node *item = bodies ? bodies->first : NULL; item && has_memory; item = item->next) {
        const tp_node *mesh = tp_map_get(item, "mesh");
        tp_node *file = mesh ? tp_map_get(mesh, "file") : NULL;
        if (!file) continue;
        const char *path = folder && file->text[0] != '/' ? join_path(arena, folder, file->text) : file->text;
        has_memory = path != NULL;
        if (path) files[scene->file_count++] = file->text = path;
    }
    free(folder);
    scene->files = files;
    return has_memory ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a path");
}

static tp_status copy_surface(tp_loader *loader, const tp_mesh *mesh, tp_mesh *copy_out)
{
    *copy_out = *mesh;
    copy_out->vertices =
        tp_arena_copy(loader->arena, mesh->vertices, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
    copy_out->triangles = tp_arena_copy(loader->arena, mesh->triangles, 3 * (size_t)mesh->triangle_count,
                                        sizeof *mesh->triangles);
    return copy_out->vertices && copy_out->triangles ? TP_OK : no_memory(loader);
}

/* The message has the place in the scene and the place in the file. */
static tp_status load_file(tp_loader *loader, const tp_node *node, tp_mesh *mesh_out)
{
    tp_message why = {""};
    tp_mesh_file *file;
    tp_status status = tp_mesh_file_read(loader->arena->allocator, node->text, &file, &why);
    if (status != TP_OK) {
        tp_node_fail(node, loader->why, "%.900s", why.text);
        return status;
    }
    status = copy_surface(loader, tp_mesh_file_surface(file), mesh_out);
    tp_mesh_file_free(file);
    return status;
}

/* ---- either -------------------------------------------------------------------------------------------- */

static tp_status scale_mesh(tp_loader *loader, const tp_node *map, tp_mesh *mesh)
{
    double scale;
    TP_TRY(tp_load_number(loader, map, &tp_mesh_keys, "scale", &scale));
    if (scale == 1.0) return TP_OK;
    tp_vec3 *scaled = TP_ARENA_ARRAY(loader->arena, tp_vec3, mesh->vertex_count + 1);
    if (!scaled) return no_memory(loader);
    for (int i = 0; i < mesh->vertex_count; i++) scaled[i] = tp_vec3_scale(scale, mesh->vertices[i]);
    mesh->vertices = scaled;
    return TP_OK;
}

tp_status tp_load_mesh(tp_loader *loader, const tp_node *item, tp_mesh *mesh_out, bool *is_there_out)
{
    const tp_node *map = tp_map_get(item, "mesh");
    *is_there_out = map != NULL;
    if (!map) return TP_OK;
    const tp_node *file = tp_map_get(map, "file"), *vertices = tp_map_get(map, "vertices"),
                  *triangles = tp_map_get(map, "triangles");
    if (file && (vertices || triangles)) {
        return tp_node_fail(vertices ? vertices : triangles, loader->why,
                            "has no effect beside file; remove one of them");
    }
    TP_TRY(file ? load_file(loader, file, mesh_out) : load_lists(loader, map, mesh_out));
    TP_TRY(scale_mesh(loader, map, mesh_out));
    tp_message why = {""};
    tp_status status = tp_mesh_check(mesh_out, loader->arena->allocator, &why);
    if (status == TP_OUT_OF_MEMORY) return no_memory(loader);
    return status == TP_OK ? TP_OK : tp_node_fail(file ? file : map, loader->why, "%.700s", why.text);
}
