/* The surface of a body: its vertices and triangles in the scene, or a file beside it. */
#include <string.h>

#include "io/scene/loader.h"
#include "io/scene/rows.h"
#include "tippe/mesh_file.h"

/* ---- in the scene -------------------------------------------------------------------------------------- */

typedef struct mesh_values {
    const tp_vec3 *vertices;
    int vertex_count;
    const tp_node *triangles, *file;
    double scale;
} mesh_values;

static const tp_key mesh_keys[] = {
    ROW_NUMBER("vertices", TP_INTO_COUNTED(mesh_values, vertices, vertex_count), "m", NULL,
               "corners, in the frame of the body's points", .form = TP_FORM_ROWS, .count = 3),
    ROW("triangles", TP_VALUE_INTEGER, TP_INTO(mesh_values, triangles),
        "three corners each, counted from 0, counter-clockwise seen from outside", .form = TP_FORM_ROWS,
        .count = 3, .flags = TP_KEY_NOT_NEGATIVE),
    ROW_TEXT(
        "file", TP_INTO(mesh_values, file),
        "instead of vertices and triangles: an STL file, text or binary, or an OBJ file; from the folder "
        "of the scene"),
    ROW_POSITIVE("scale", TP_INTO(mesh_values, scale), NULL, "1",
                 "what a length of 1 in the mesh is in m: 1e-3 for a file in millimetres"),
};
TP_BEGINS(begin_mesh, mesh_values, ((mesh_values){.scale = 1.0}))
const tp_key_table tp_mesh_keys = TABLE(
    "mesh", mesh_keys,
    "A surface of triangles. That of a body must be closed: mass, centre and inertia follow from it, where "
    "they are not given; it is drawn and does not touch anything. That of a shape may be open.",
    .size = sizeof(mesh_values), .begin = begin_mesh);

static tp_status load_lists(tp_loader *loader, const tp_node *map, const mesh_values *is, tp_mesh *mesh_out)
{
    if (!is->vertices || !is->triangles) {
        return tp_node_fail(map, loader->why,
                            "the key '%s' is missing; add vertices and triangles, or a file",
                            is->vertices ? "triangles" : "vertices");
    }
    int *triangles = TP_ARENA_ARRAY(loader->arena, int, 3 * (size_t)is->triangles->count + 1), at = 0;
    if (!triangles) return tp_load_no_memory(loader);
    for (const tp_node *face = is->triangles->first; face; face = face->next) {
        for (const tp_node *corner = face->first; corner; corner = corner->next) {
            TP_TRY(tp_node_integer(corner, 0, is->vertex_count - 1, &triangles[at++], loader->why));
        }
    }
    *mesh_out = (tp_mesh){is->vertex_count, is->triangles->count, is->vertices, triangles};
    return TP_OK;
}

/* ---- a file -------------------------------------------------------------------------------------------- */

/* The name of the mesh file of a map, in the tree as it was read; NULL: none. */
static tp_node *mesh_file(const tp_node *map)
{
    tp_node *file = tp_map_get(tp_map_get(map, "mesh"), "file");
    return file && file->kind == TP_NODE_SCALAR ? file : NULL;
}

tp_status tp_load_find_files(tp_tree *tree, tp_node *node, tp_message *why)
{
    tp_node *file = mesh_file(node);
    if (file && file->text[0] != '/') {
        bool is_edit = strcmp(file->place.file, "--set") == 0;
        file->text = tp_path_beside(tree->arena, is_edit ? tree->file : file->place.file, file->text);
        if (!file->text) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a path");
    }
    for (tp_node *child = node->first; child; child = child->next)
        TP_TRY(tp_load_find_files(tree, child, why));
    return TP_OK;
}

/* All mesh files of a tree; files NULL: they are counted. */
static void list_mesh_files(const tp_node *node, const char **files, int *count_io)
{
    const tp_node *file = mesh_file(node);
    if (file && files) files[*count_io] = file->text;
    *count_io += file != NULL;
    for (const tp_node *child = node->first; child; child = child->next)
        list_mesh_files(child, files, count_io);
}

tp_status tp_load_list_files(tp_arena *arena, const tp_node *root, const tp_expansion *expansion,
                             tp_scene *scene, tp_message *why)
{
    int meshes = 0;
    list_mesh_files(root, NULL, &meshes);
    const char **files = TP_ARENA_ARRAY(arena, const char *, expansion->file_count + meshes + 1);
    if (!files) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a path");
    scene->files = files;
    for (int k = 0; k < expansion->file_count; k++) files[scene->file_count++] = expansion->files[k];
    list_mesh_files(root, files, &scene->file_count);
    for (int k = 0; k < scene->file_count; k++) /* the tree ends with the reading */
        files[k] = tp_arena_copy(arena, files[k], strlen(files[k]) + 1, 1);
    return tp_arena_status(arena) == TP_OK ? TP_OK : tp_fail(why, TP_OUT_OF_MEMORY, "no memory for a path");
}

static tp_status copy_surface(tp_loader *loader, const tp_mesh *mesh, tp_mesh *copy_out)
{
    *copy_out = *mesh;
    copy_out->vertices =
        tp_arena_copy(loader->arena, mesh->vertices, (size_t)mesh->vertex_count, sizeof *mesh->vertices);
    copy_out->triangles = tp_arena_copy(loader->arena, mesh->triangles, 3 * (size_t)mesh->triangle_count,
                                        sizeof *mesh->triangles);
    return copy_out->vertices && copy_out->triangles ? TP_OK : tp_load_no_memory(loader);
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

static tp_status scale_mesh(tp_loader *loader, double scale, tp_mesh *mesh_io)
{
    if (scale == 1.0) return TP_OK;
    tp_vec3 *scaled = TP_ARENA_ARRAY(loader->arena, tp_vec3, mesh_io->vertex_count + 1);
    if (!scaled) return tp_load_no_memory(loader);
    for (int i = 0; i < mesh_io->vertex_count; i++) scaled[i] = tp_vec3_scale(scale, mesh_io->vertices[i]);
    mesh_io->vertices = scaled;
    return TP_OK;
}

tp_status tp_load_triangles(tp_loader *loader, const tp_node *map, tp_mesh *mesh_out)
{
    mesh_values is;
    begin_mesh(&is);
    TP_TRY(tp_load_map(loader, map, &tp_mesh_keys, &is));
    if (is.file) {
        TP_TRY(tp_load_no_effect(loader, map, TP_KEYS("vertices", "triangles"),
                                 "with file; remove one of them"));
    }
    TP_TRY(is.file ? load_file(loader, is.file, mesh_out) : load_lists(loader, map, &is, mesh_out));
    return scale_mesh(loader, is.scale, mesh_out);
}

tp_status tp_load_mesh(tp_loader *loader, const tp_node *map, tp_mesh *mesh_out)
{
    tp_message why = {""};
    const tp_node *file = tp_map_get(map, "file");
    TP_TRY(tp_load_triangles(loader, map, mesh_out));
    tp_status status = tp_mesh_check(mesh_out, loader->arena->allocator, &why);
    if (status == TP_OUT_OF_MEMORY) return tp_load_no_memory(loader);
    return status == TP_OK ? TP_OK : tp_node_fail(file ? file : map, loader->why, "%.700s", why.text);
}
