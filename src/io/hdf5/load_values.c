/* Values of a data set or an attribute. Sizes are compared with the size of the file before memory is taken:
   a file cannot hold more than its bytes, or than deflate packs into them. */
#include "io/hdf5/hdf5_load.h"

#include <hdf5.h>
#include <string.h>

enum {
    PACKING_MAX = 1100,    /* deflate packs at most about 1030 to 1                            */
    SMALL_BYTES = 1 << 20, /* always taken: fill values that were never written need no storage */
    POINTER_BYTES = 16     /* of a text of variable length, besides the text                   */
};

typedef struct value_source {
    tp_hdf5_loader *loader;
    tp_hdf5_node *node;
    hid_t object, type, space;
    bool is_packed;
} value_source;

static bool read_raw(const value_source *from, hid_t type, void *out)
{
    return from->node->is_attribute ? H5Aread(from->object, type, out) >= 0
                                    : H5Dread(from->object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
}

void tp_hdf5_loader_no_memory(tp_hdf5_loader *loader)
{
    loader->status = tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory to read %s", loader->request->path);
}

/* Rank, sizes and count; false if they are refused. */
static bool read_sizes(value_source *from)
{
    tp_hdf5_node *node = from->node;
    hsize_t size[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_ndims(from->space);
    double product = 1.0;
    if (rank < 0 || rank > H5S_MAX_RANK || H5Sget_simple_extent_dims(from->space, size, NULL) != rank)
        return false;
    for (int i = 0; i < rank; i++) product *= (double)size[i];
    if (rank > TP_HDF5_RANK_MAX)
        return tp_hdf5_loader_refuse(from->loader, node, "has %d dimensions; at most 2 are read", rank);
    if (product > 0x1p56)
        return tp_hdf5_loader_refuse(from->loader, node, "announces %g values, more than the file can hold",
                                     product);
    node->rank = rank;
    for (int i = 0; i < rank; i++) node->size[i] = (long long)size[i];
    node->count = H5Sget_simple_extent_type(from->space) == H5S_NULL ? 0 : (long long)product;
    return true;
}

/* Chunks are unpacked whole: their bytes, 0 without chunks. */
static double chunk_bytes(hid_t creation, size_t value_bytes)
{
    hsize_t size[H5S_MAX_RANK];
    int rank = H5Pget_chunk(creation, H5S_MAX_RANK, size);
    double product = (double)value_bytes;
    for (int i = 0; i < rank; i++) product *= (double)size[i];
    return rank > 0 ? product : 0.0;
}

static bool has_known_filters(hid_t creation, bool *is_packed_out)
{
    int count = H5Pget_nfilters(creation);
    *is_packed_out = count > 0;
    for (int i = 0; i < count; i++) {
        unsigned flags, settings;
        size_t none = 0;
        H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &none, NULL, 0, NULL, &settings);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) {
            return false;
        }
    }
    return count >= 0;
}

/* Only what lies in the file itself, as it is or packed by deflate. */
static bool check_storage(value_source *from, size_t value_bytes)
{
    const tp_hdf5_loader *loader = from->loader;
    hid_t creation = H5Dget_create_plist(from->object);
    if (creation < 0) return false;
    H5D_layout_t layout = H5Pget_layout(creation);
    bool is_known = layout == H5D_CONTIGUOUS || layout == H5D_COMPACT || layout == H5D_CHUNKED;
    bool is_inside = is_known && H5Pget_external_count(creation) == 0;
    bool is_readable = is_inside && has_known_filters(creation, &from->is_packed);
    double chunk = layout == H5D_CHUNKED ? chunk_bytes(creation, value_bytes) : 0.0;
    H5Pclose(creation);
    if (!is_inside)
        return tp_hdf5_loader_refuse(from->loader, from->node,
                                     "is stored in a way that is not accepted (external or virtual)");
    if (!is_readable)
        return tp_hdf5_loader_refuse(from->loader, from->node,
                                     "is packed in a way that is not accepted (not by deflate)");
    if (chunk > loader->file_bytes * PACKING_MAX + SMALL_BYTES)
        return tp_hdf5_loader_refuse(from->loader, from->node,
                                     "has chunks of %.0f bytes, more than the file can hold", chunk);
    return true;
}

/* Adds up what is announced: data sets may claim the same place. */
static bool is_plausible(value_source *from, double bytes)
{
    tp_hdf5_loader *loader = from->loader;
    double *sum = from->is_packed ? &loader->packed_bytes : &loader->plain_bytes;
    if (*sum + bytes <= loader->file_bytes * (from->is_packed ? PACKING_MAX : 1.0) + SMALL_BYTES) {
        *sum += bytes;
        return true;
    }
    return tp_hdf5_loader_refuse(loader, from->node, "announces %lld values, more than the file can hold",
                                 from->node->count);
}

static void read_numbers(value_source *from, tp_hdf5_kind kind)
{
    tp_hdf5_node *node = from->node;
    double *numbers = TP_ARENA_ARRAY(&from->loader->tree->arena, double, node->count);
    if (!numbers) {
        tp_hdf5_loader_no_memory(from->loader);
    } else if (node->count == 0 || read_raw(from, H5T_NATIVE_DOUBLE, numbers)) {
        node->kind = kind;
        node->numbers = numbers;
        node->texts = NULL;
        node->text_bytes = 0;
    }
}

/* Copies texts, of a given width or (width 0) by pointers, into one piece with zeros between them. */
static void keep_texts(value_source *from, const char *fixed, size_t width, char *const *variable)
{
    tp_hdf5_node *node = from->node;
    tp_arena *arena = &from->loader->tree->arena;
    bool is_space_padded = H5Tget_strpad(from->type) == H5T_STR_SPACEPAD;
    size_t bytes = 0;
    char *blob = NULL;
    for (int pass = 0; pass < 2; pass++) { /* first counts, then copies */
        bytes = 0;
        for (long long i = 0; i < node->count; i++) {
            const char *text = width > 0 ? fixed + (size_t)i * width : variable[i] ? variable[i] : "";
            const char *end = width > 0 ? memchr(text, 0, width) : text + strlen(text);
            size_t length = end ? (size_t)(end - text) : width;
            while (width > 0 && is_space_padded && length > 0 && text[length - 1] == ' ') length--;
            if (blob)
                memcpy(blob + bytes, text, length); /* its zero is there: the arena's memory is cleared */
            bytes += length + 1;
        }
        if (!blob) blob = tp_arena_take(arena, bytes, 1);
        if (!blob) break;
    }
    node->text_bytes = bytes;
    if (blob && tp_hdf5_node_set_texts(from->loader->tree, node, blob)) {
        node->kind = TP_HDF5_TEXTS;
    } else {
        tp_hdf5_loader_no_memory(from->loader);
    }
}

static void read_fixed_texts(value_source *from, size_t width)
{
    tp_allocator const *allocator = from->loader->tree->arena.allocator;
    size_t bytes = (size_t)from->node->count * width;
    char *texts = allocator->allocate(allocator->context, bytes + 1);
    if (!texts) {
        tp_hdf5_loader_no_memory(from->loader);
        return;
    }
    if (bytes == 0 || read_raw(from, from->type, texts)) keep_texts(from, texts, width, NULL);
    allocator->release(allocator->context, texts);
}

/* The library allocates these texts one by one. */
static void read_variable_texts(value_source *from)
{
    char **texts = TP_ARENA_ARRAY(&from->loader->tree->arena, char *, from->node->count);
    hid_t type = H5Tcopy(H5T_C_S1);
    bool is_ready = texts && type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
                    H5Tset_cset(type, H5Tget_cset(from->type)) >= 0;
    if (!texts) tp_hdf5_loader_no_memory(from->loader);
    if (is_ready && (from->node->count == 0 || read_raw(from, type, texts))) keep_texts(from, NULL, 0, texts);
    for (long long i = 0; texts && i < from->node->count; i++) H5free_memory(texts[i]);
    if (type >= 0) H5Tclose(type);
}

static void load_typed(value_source *from)
{
    H5T_class_t kind = H5Tget_class(from->type);
    size_t bytes = H5Tget_size(from->type);
    bool is_number = (kind == H5T_INTEGER || kind == H5T_FLOAT) && bytes > 0 && bytes <= sizeof(double);
    bool is_text = kind == H5T_STRING && bytes > 0;
    bool is_variable = is_text && H5Tis_variable_str(from->type) > 0;
    if (!is_number && !is_text) {
        tp_hdf5_loader_refuse(from->loader, from->node, "holds neither numbers nor texts");
        return;
    }
    if (!read_sizes(from)) return;
    if (!from->node->is_attribute && !check_storage(from, bytes)) return;
    double value_bytes = is_variable ? POINTER_BYTES : (double)bytes;
    if (!is_plausible(from, (double)from->node->count * value_bytes)) return;
    if (is_number) {
        read_numbers(from, kind == H5T_INTEGER ? TP_HDF5_INTEGERS : TP_HDF5_REALS);
    } else if (is_variable) {
        read_variable_texts(from);
    } else {
        read_fixed_texts(from, bytes);
    }
}

void tp_hdf5_load_values(tp_hdf5_loader *loader, int64_t object, tp_hdf5_node *node)
{
    value_source from = {.loader = loader, .node = node, .object = object};
    from.type = node->is_attribute ? H5Aget_type(object) : H5Dget_type(object);
    from.space = node->is_attribute ? H5Aget_space(object) : H5Dget_space(object);
    if (from.type >= 0 && from.space >= 0) load_typed(&from);
    if (tp_hdf5_fault(node)) {
        node->rank = 0; /* the reason is a single text */
        node->count = 1;
    }
    if (from.type >= 0) H5Tclose(from.type);
    if (from.space >= 0) H5Sclose(from.space);
}
