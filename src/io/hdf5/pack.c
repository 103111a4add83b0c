/* Trees as bytes, for pipes between processes of one program: a head, then for every node a record, its name,
   its numbers or texts, each padded to eight bytes. What is unpacked points into the bytes. */
#include "io/hdf5/hdf5_tree.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 8 };

typedef struct head {
    char signature[8];
    uint64_t bytes, count; /* of all bytes; of nodes */
} head;

static const char signature[8] = {'t', 'i', 'p', 'p', 'e', 'h', '5', '1'};

typedef struct record {
    uint64_t name_bytes, value_bytes; /* without padding; texts with their zeros */
    uint32_t kind, is_attribute, rank, unused;
    int64_t size[TP_HDF5_RANK_MAX];
} record;

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t value_bytes(const tp_hdf5_node *node)
{
    return node->numbers ? (size_t)node->count * sizeof(double) : node->text_bytes;
}

size_t tp_hdf5_packed_size(const tp_hdf5_tree *tree)
{
    size_t bytes = sizeof(head);
    for (int i = 0; i < tree->count; i++) {
        const tp_hdf5_node *node = &tree->nodes[i];
        bytes += sizeof(record) + padded(strlen(node->name) + 1) + padded(value_bytes(node));
    }
    return bytes;
}

typedef struct sink {
    bool (*put)(void *context, const void *bytes, size_t count);
    void *context;
} sink;

static bool put_padded(const sink *to, const void *bytes, size_t count)
{
    static const char zeros[ALIGNMENT] = {0};
    size_t rest = padded(count) - count;
    return (count == 0 || to->put(to->context, bytes, count)) &&
           (rest == 0 || to->put(to->context, zeros, rest));
}

static bool put_node(const sink *to, const tp_hdf5_node *node)
{
    size_t name_bytes = strlen(node->name) + 1;
    record r = {.name_bytes = name_bytes,
                .value_bytes = value_bytes(node),
                .kind = (uint32_t)node->kind,
                .is_attribute = node->is_attribute,
                .rank = (uint32_t)node->rank,
                .size = {node->size[0], node->size[1]}};
    const void *values = node->numbers ? (const void *)node->numbers : node->texts ? node->texts[0] : NULL;
    return put_padded(to, &r, sizeof r) && put_padded(to, node->name, name_bytes) &&
           put_padded(to, values, value_bytes(node));
}

tp_status tp_hdf5_pack(const tp_hdf5_tree *tree, bool (*put)(void *context, const void *bytes, size_t count),
                       void *context)
{
    const sink to = {put, context};
    head h = {.bytes = tp_hdf5_packed_size(tree), .count = (uint64_t)tree->count};
    memcpy(h.signature, signature, sizeof signature);
    if (!put_padded(&to, &h, sizeof h)) return TP_FILE_ERROR;
    for (int i = 0; i < tree->count; i++) {
        if (!put_node(&to, &tree->nodes[i])) return TP_FILE_ERROR;
    }
    return TP_OK;
}

/* Bytes that are left to be unpacked. */
typedef struct span {
    const char *at;
    size_t left;
} span;

/* The next so many bytes and their padding; NULL if there are not that many. */
static const void *take(span *from, uint64_t count)
{
    if (count > from->left || padded((size_t)count) > from->left) return NULL;
    const char *taken = from->at;
    from->at += padded((size_t)count);
    from->left -= padded((size_t)count);
    return taken;
}

/* Number of values, or -1 if rank and sizes do not make sense. */
static long long count_of(const record *r)
{
    long long count = 1;
    if (r->rank > TP_HDF5_RANK_MAX) return -1;
    for (uint32_t i = 0; i < r->rank; i++) {
        if (r->size[i] < 0 || (r->size[i] > 0 && count > LLONG_MAX / 16 / r->size[i])) return -1;
        count *= r->size[i];
    }
    return count;
}

/* Values of a node within the bytes. */
static bool set_values(tp_hdf5_tree *tree, tp_hdf5_node *node, const record *r, const void *values)
{
    switch (node->kind) {
    case TP_HDF5_GROUP: node->count = 0; return r->value_bytes == 0 && r->rank == 0;
    case TP_HDF5_INTEGERS:
    case TP_HDF5_REALS:
        node->numbers = values;
        return r->value_bytes == (uint64_t)node->count * sizeof(double);
    case TP_HDF5_FOREIGN:
    case TP_HDF5_DAMAGED:
        if (r->rank != 0) return false;
        break;
    case TP_HDF5_TEXTS: break;
    default: return false;
    }
    node->text_bytes = (size_t)r->value_bytes;
    /* every text has at least its zero */
    return (uint64_t)node->count <= r->value_bytes && tp_hdf5_node_set_texts(tree, node, values);
}

static bool unpack_node(tp_hdf5_tree *tree, span *from)
{
    const record *r = take(from, sizeof *r);
    const char *name = r ? take(from, r->name_bytes) : NULL;
    const void *values = name ? take(from, r->value_bytes) : NULL;
    bool is_named = values && r->name_bytes > 0 && memchr(name, 0, r->name_bytes) == name + r->name_bytes - 1;
    bool has_place = is_named && r->is_attribute <= 1 && (tree->count > 0 || !r->is_attribute);
    if (!has_place || r->kind >= TP_HDF5_KIND_COUNT || count_of(r) < 0) return false;
    tp_hdf5_node *node = tp_hdf5_tree_add(tree);
    if (!node) return false;
    *node = (tp_hdf5_node){.name = name,
                           .is_attribute = r->is_attribute != 0,
                           .kind = (tp_hdf5_kind)r->kind,
                           .rank = (int)r->rank,
                           .size = {r->size[0], r->size[1]},
                           .count = count_of(r)};
    return set_values(tree, node, r, values);
}

tp_status tp_hdf5_unpack(const tp_allocator *allocator, const char *path, void *bytes, size_t count,
                         void (*release)(void *bytes), tp_hdf5_tree **tree_out, tp_message *why_out)
{
    span from = {bytes, count};
    *tree_out = NULL;
    tp_hdf5_tree *tree = tp_hdf5_tree_make(allocator, path);
    if (!tree) {
        if (release) release(bytes);
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to read %s", path);
    }
    tree->bytes = bytes;
    tree->release = release;
    const head *h = take(&from, sizeof *h);
    bool is_sound = h && memcmp(h->signature, signature, sizeof signature) == 0 && h->bytes == count &&
                    count % ALIGNMENT == 0;
    for (uint64_t i = 0; is_sound && i < h->count; i++) is_sound = unpack_node(tree, &from);
    if (is_sound && from.left == 0) {
        *tree_out = tree;
        return TP_OK;
    }
    tp_hdf5_free(tree);
    return tp_fail(why_out, TP_INVALID_DATA, "%s: the packed content is damaged", path);
}
