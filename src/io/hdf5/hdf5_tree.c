/* The tree of an HDF5 file: making it and finding in it. */
#include "io/hdf5/hdf5_tree.h"
#include "io/common/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_NODES = 64 };

bool tp_hdf5_is(const unsigned char *bytes, size_t count)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

tp_hdf5_tree *tp_hdf5_tree_make(const tp_allocator *allocator, const char *path)
{
    tp_hdf5_tree *tree = TP_ARENA_OBJECT(tp_hdf5_tree, allocator);
    if (!tree) return NULL;
    tree->path = tp_arena_text(&tree->arena, path);
    if (tree->path) return tree;
    tp_hdf5_free(tree);
    return NULL;
}

void tp_hdf5_free(tp_hdf5_tree *tree)
{
    if (!tree) return;
    if (tree->release) tree->release(tree->bytes);
    tp_arena_clear(&tree->arena);
}

tp_status tp_hdf5_load_from(const tp_hdf5_source *source, const tp_allocator *allocator,
                            const tp_hdf5_request *request, tp_hdf5_tree **tree_out, tp_message *why_out)
{
    *tree_out = NULL;
    return source ? source->load(source->context, allocator, request, tree_out, why_out)
                  : tp_hdf5_load(allocator, request, tree_out, why_out);
}

tp_hdf5_node *tp_hdf5_tree_add(tp_hdf5_tree *tree)
{
    if (tree->count == tree->capacity) {
        if (tree->capacity > INT_MAX / 4) return NULL;
        int larger = tree->capacity > 0 ? 2 * tree->capacity : FIRST_NODES;
        tp_hdf5_node *moved = TP_ARENA_ARRAY(&tree->arena, tp_hdf5_node, larger);
        if (!moved) return NULL;
        if (tree->count > 0) memcpy(moved, tree->nodes, (size_t)tree->count * sizeof *moved);
        tree->nodes = moved;
        tree->capacity = larger;
    }
    return &tree->nodes[tree->count++];
}

bool tp_hdf5_node_set_texts(tp_hdf5_tree *tree, tp_hdf5_node *node, const char *blob)
{
    const char **texts = TP_ARENA_ARRAY(&tree->arena, const char *, node->count);
    size_t left = node->text_bytes;
    if (!texts) return false;
    for (long long i = 0; i < node->count; i++) {
        const char *end = memchr(blob, 0, left);
        if (!end) return false;
        texts[i] = blob;
        left -= (size_t)(end + 1 - blob);
        blob = end + 1;
    }
    node->texts = texts;
    return left == 0;
}

const tp_hdf5_node *tp_hdf5_next(const tp_hdf5_tree *tree, const tp_hdf5_node *before)
{
    for (int i = before ? (int)(before - tree->nodes) + 1 : 0; i < tree->count; i++) {
        if (!tree->nodes[i].is_attribute) return &tree->nodes[i];
    }
    return NULL;
}

const tp_hdf5_node *tp_hdf5_find(const tp_hdf5_tree *tree, const char *path)
{
    const tp_hdf5_node *node = NULL;
    while ((node = tp_hdf5_next(tree, node))) {
        if (strcmp(node->name, path) == 0) break;
    }
    return node;
}

const tp_hdf5_node *tp_hdf5_next_attribute(const tp_hdf5_tree *tree, const tp_hdf5_node *before)
{
    const tp_hdf5_node *next = before + 1;
    return next < tree->nodes + tree->count && next->is_attribute ? next : NULL;
}

const tp_hdf5_node *tp_hdf5_attribute(const tp_hdf5_tree *tree, const tp_hdf5_node *object, const char *name)
{
    const tp_hdf5_node *node = object;
    while ((node = tp_hdf5_next_attribute(tree, node))) {
        if (strcmp(node->name, name) == 0) break;
    }
    return node;
}

bool tp_hdf5_is_numeric(const tp_hdf5_node *node)
{
    return node->kind == TP_HDF5_INTEGERS || node->kind == TP_HDF5_REALS;
}

const char *tp_hdf5_fault(const tp_hdf5_node *node)
{
    return node->kind == TP_HDF5_FOREIGN || node->kind == TP_HDF5_DAMAGED ? node->texts[0] : NULL;
}

tp_status tp_hdf5_fail(const tp_hdf5_tree *tree, tp_message *why, const char *path, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tp_fail(why, TP_INVALID_DATA, "%s: %s: %s", tree->path, path, text);
}

tp_status tp_hdf5_data(const tp_hdf5_tree *tree, const char *path, tp_hdf5_kind kind,
                       const tp_hdf5_node **data_out, tp_message *why)
{
    const tp_hdf5_node *node = tp_hdf5_find(tree, path);
    *data_out = node;
    if (!node) return tp_hdf5_fail(tree, why, path, "is missing");
    if (node->kind == kind) return TP_OK;
    const char *reason = kind == TP_HDF5_INTEGERS ? "must hold integers" : "must hold floating-point numbers";
    if (tp_hdf5_fault(node)) reason = tp_hdf5_fault(node);
    if (node->kind == TP_HDF5_GROUP) reason = "is not a data set";
    return tp_hdf5_fail(tree, why, path, "%s", reason);
}

static tp_status find_values(const tp_hdf5_tree *tree, const char *path, tp_hdf5_kind kind, int count,
                             const double **values_out, tp_message *why)
{
    const tp_hdf5_node *data;
    TP_TRY(tp_hdf5_data(tree, path, kind, &data, why));
    *values_out = data->numbers;
    if (data->count == count) return TP_OK;
    return tp_hdf5_fail(tree, why, path, "has %lld values, but %d are needed", data->count, count);
}

tp_status tp_hdf5_ints(const tp_hdf5_tree *tree, const char *path, int count, int *out, tp_message *why)
{
    const double *values;
    TP_TRY(find_values(tree, path, TP_HDF5_INTEGERS, count, &values, why));
    for (int i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= INT_MAX)) {
            return tp_hdf5_fail(tree, why, path, "entry %d is %.17g, which is too large", i + 1, values[i]);
        }
        out[i] = (int)values[i];
    }
    return TP_OK;
}

tp_status tp_hdf5_reals(const tp_hdf5_tree *tree, const char *path, int count, double *out, tp_message *why)
{
    const double *values;
    TP_TRY(find_values(tree, path, TP_HDF5_REALS, count, &values, why));
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return tp_hdf5_fail(tree, why, path, "entry %d is not a finite number", i + 1);
        out[i] = values[i];
    }
    return TP_OK;
}
