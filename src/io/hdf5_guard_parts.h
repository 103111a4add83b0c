/* What the files of the guard (hdf5_guard.h) share. */
#ifndef TP_IO_HDF5_GUARD_PARTS_H
#define TP_IO_HDF5_GUARD_PARTS_H

#include "io/hdf5_guard.h"

#define TP_HDF5_NOWHERE UINT64_MAX /* the address of what does not exist */

enum { TP_HDF5_RANK_MAX = 32 };

/* A piece of the file being read; reading beyond its end gives zeros and is remembered. */
typedef struct tp_hdf5_span {
    tp_hdf5_guard *guard;
    uint64_t at, end;
    bool is_short;
} tp_hdf5_span;

tp_hdf5_span tp_hdf5_span_of(tp_hdf5_guard *guard, uint64_t address, uint64_t count);
uint64_t tp_hdf5_span_take(tp_hdf5_span *span, int bytes); /* little-endian, at most 8 */
void tp_hdf5_span_skip(tp_hdf5_span *span, uint64_t count);
tp_hdf5_span tp_hdf5_span_part(tp_hdf5_span *span, uint64_t count); /* which is skipped */
bool tp_hdf5_span_is(tp_hdf5_span *span, const char *signature);    /* takes 4 bytes */

/* TP_INVALID_DATA with this reason. */
tp_status tp_hdf5_refuse(tp_hdf5_guard *guard, const char *format, ...) TP_PRINTF(2, 3);

typedef struct tp_hdf5_space {
    int rank;
    uint64_t size[TP_HDF5_RANK_MAX], max[TP_HDF5_RANK_MAX];
    uint64_t count; /* of values */
} tp_hdf5_space;

typedef enum tp_hdf5_storage { TP_HDF5_COMPACT, TP_HDF5_CONTIGUOUS, TP_HDF5_CHUNKED } tp_hdf5_storage;

enum { TP_HDF5_TREE = 0, TP_HDF5_SINGLE = 1, TP_HDF5_FIXED = 3, TP_HDF5_GROWING = 4 }; /* kinds of index */

typedef struct tp_hdf5_layout {
    tp_hdf5_storage storage;
    uint64_t address, bytes;
    int rank; /* of a chunk, whose last dimension is the size of a value */
    uint64_t chunk[TP_HDF5_RANK_MAX + 1];
    uint64_t chunk_bytes;
    int index;
    bool is_single_packed; /* one chunk: its packed size and skipped filters */
    uint64_t single_bytes;
    unsigned single_mask;
} tp_hdf5_layout;

enum { TP_HDF5_DEFLATE = 1, TP_HDF5_SHUFFLE = 2, TP_HDF5_FLETCHER = 3, TP_HDF5_FILTERS_MAX = 3 };

/* Links or attributes that do not lie in the header: a heap and one or two trees over it. */
typedef struct tp_hdf5_dense {
    bool is_there;
    uint64_t heap, by_name, by_order;
} tp_hdf5_dense;

/* What the messages of an object header say. */
typedef struct tp_hdf5_object {
    tp_hdf5_guard *guard;
    unsigned seen; /* bit k: message of type k */
    tp_hdf5_space space;
    uint64_t value_bytes;
    bool has_fill;
    uint64_t fill_bytes;
    tp_hdf5_layout layout;
    int filter_count, filters[TP_HDF5_FILTERS_MAX];
    uint64_t tree, heap; /* of an old group */
    tp_hdf5_dense links, attributes;
} tp_hdf5_object;

static inline bool tp_hdf5_has_seen(const tp_hdf5_object *object, int type)
{
    return (object->seen >> type & 1u) != 0;
}

/* Message types. */
enum {
    TP_HDF5_M_NIL = 0,
    TP_HDF5_M_SPACE = 1,
    TP_HDF5_M_LINKS = 2,
    TP_HDF5_M_TYPE = 3,
    TP_HDF5_M_OLD_FILL = 4,
    TP_HDF5_M_FILL = 5,
    TP_HDF5_M_LINK = 6,
    TP_HDF5_M_EXTERNAL = 7,
    TP_HDF5_M_LAYOUT = 8,
    TP_HDF5_M_GROUP = 10,
    TP_HDF5_M_FILTERS = 11,
    TP_HDF5_M_ATTRIBUTE = 12,
    TP_HDF5_M_COMMENT = 13,
    TP_HDF5_M_OLD_TIME = 14,
    TP_HDF5_M_CONTINUED = 16,
    TP_HDF5_M_OLD_GROUP = 17,
    TP_HDF5_M_TIME = 18,
    TP_HDF5_M_ATTRIBUTES = 21,
    TP_HDF5_M_REFERENCES = 22,
};

/* One message of an object header, except continuations. */
tp_status tp_hdf5_guard_message(tp_hdf5_object *object, int type, tp_hdf5_span body);

tp_status tp_hdf5_guard_link(tp_hdf5_span body);
tp_status tp_hdf5_guard_attribute(tp_hdf5_span body);

/* Members of a group or attributes in a heap with trees. */
tp_status tp_hdf5_guard_dense(tp_hdf5_guard *guard, const tp_hdf5_dense *dense, bool is_links);

/* The members of an old group: a tree and a heap of names. */
tp_status tp_hdf5_guard_old_group(tp_hdf5_guard *guard, uint64_t tree, uint64_t heap);

/* The values of a data set, once all its messages are known. */
tp_status tp_hdf5_guard_values(tp_hdf5_object *object);

/* One chunk; filters whose bit is set in the mask were not applied to it. */
tp_status tp_hdf5_guard_chunk(const tp_hdf5_object *object, uint64_t address, uint64_t bytes, unsigned mask);

/* How many chunks a data set of this size has. */
uint64_t tp_hdf5_chunk_count(const tp_hdf5_object *object, const uint64_t *size);

/* Lists of chunks: of fixed length, and growing in one dimension. */
tp_status tp_hdf5_guard_fixed(const tp_hdf5_object *object);
tp_status tp_hdf5_guard_growing(const tp_hdf5_object *object);

#endif
