/* The values of data sets: that sizes agree, and that the chunks that the library will unpack are as long as
   it expects them to be (it does not look). */
#include "io/hdf5_guard_parts.h"

#include <zlib.h>

enum { TREE_DEPTH_MAX = 16, CHUNKS_ALWAYS = 1024, PART_BYTES = 4096 };

/* How long a deflated piece is unpacked; anything above max is max + 1, and damage is 0. */
static uint64_t unpacked_bytes(tp_hdf5_guard *guard, uint64_t address, uint64_t bytes, uint64_t max)
{
    unsigned char in[PART_BYTES], out[PART_BYTES];
    z_stream stream = {.next_in = NULL};
    int state = inflateInit(&stream) == Z_OK ? Z_OK : Z_MEM_ERROR;
    uint64_t length = 0;
    while (state == Z_OK && length <= max) {
        if (stream.avail_in == 0) {
            size_t part = bytes < PART_BYTES ? (size_t)bytes : PART_BYTES;
            if (part == 0 || !guard->source.read(guard->source.context, address, part, in)) break;
            stream.next_in = in;
            stream.avail_in = (unsigned)part;
            address += part;
            bytes -= part;
        }
        stream.next_out = out;
        stream.avail_out = PART_BYTES;
        state = inflate(&stream, Z_SYNC_FLUSH);
        length += PART_BYTES - stream.avail_out;
    }
    inflateEnd(&stream);
    if (length > max) return max + 1;
    return state == Z_STREAM_END ? length : 0;
}

/* One chunk; filters whose bit is set in the mask were not applied to it. Shuffling keeps the length. */
tp_status tp_hdf5_guard_chunk(const tp_hdf5_object *object, uint64_t address, uint64_t bytes, unsigned mask)
{
    tp_hdf5_guard *guard = object->guard;
    uint64_t expected = object->layout.chunk_bytes, length = bytes;
    if (tp_hdf5_span_of(guard, address, bytes).is_short) {
        return tp_hdf5_refuse(guard, "a chunk lies outside of the file");
    }
    for (int i = object->filter_count - 1; i >= 0; i--) {
        if (mask >> i & 1u) continue;
        if (object->filters[i] == TP_HDF5_FLETCHER) length = length > 4 ? length - 4 : 0;
        if (object->filters[i] == TP_HDF5_DEFLATE) length = unpacked_bytes(guard, address, length, expected);
    }
    return length == expected ? TP_OK : tp_hdf5_refuse(guard, "a chunk has not the size of a chunk");
}

/* Chunks found by a tree; level < 0: any. */
static tp_status check_node(const tp_hdf5_object *object, uint64_t address, int level, uint64_t *sum)
{
    tp_hdf5_guard *guard = object->guard;
    const tp_hdf5_layout *layout = &object->layout;
    tp_hdf5_span node = tp_hdf5_span_of(guard, address, 24);
    bool is_right = tp_hdf5_span_is(&node, "TREE") && tp_hdf5_span_take(&node, 1) == 1;
    int found = (int)tp_hdf5_span_take(&node, 1), count = (int)tp_hdf5_span_take(&node, 2);
    uint64_t key_bytes = 8 + 8 * (uint64_t)layout->rank;
    tp_hdf5_span items = tp_hdf5_span_of(guard, address + 24, (uint64_t)count * (key_bytes + 8) + key_bytes);
    is_right = is_right && (level < 0 ? found <= TREE_DEPTH_MAX : found == level) && !node.is_short;
    if (!is_right || items.is_short || count > 2 * guard->chunk_k) {
        return tp_hdf5_refuse(guard, "the tree of chunks is damaged");
    }
    for (int i = 0; i < count; i++) {
        uint64_t bytes = tp_hdf5_span_take(&items, 4);
        unsigned mask = (unsigned)tp_hdf5_span_take(&items, 4);
        tp_hdf5_span_skip(&items, 8 * (uint64_t)layout->rank); /* place: found or not found */
        uint64_t child = tp_hdf5_span_take(&items, 8);
        if (found > 0) {
            TP_TRY(check_node(object, child, found - 1, sum));
            continue;
        }
        *sum += bytes; /* different chunks lie in different places */
        if (*sum > guard->size) return tp_hdf5_refuse(guard, "chunks are larger than the file");
        TP_TRY(tp_hdf5_guard_chunk(object, child, bytes, mask));
    }
    return TP_OK;
}

/* How many chunks a data set of this size (or of its largest size) has. */
uint64_t tp_hdf5_chunk_count(const tp_hdf5_object *object, const uint64_t *size)
{
    uint64_t count = 1;
    for (int i = 0; i < object->space.rank; i++) {
        uint64_t sides = size[i] / object->layout.chunk[i] + (size[i] % object->layout.chunk[i] != 0);
        if (sides != 0 && count > UINT32_MAX / sides) return UINT64_MAX;
        count *= sides;
    }
    return count;
}

static tp_status check_chunks(const tp_hdf5_object *object)
{
    tp_hdf5_guard *guard = object->guard;
    const tp_hdf5_layout *layout = &object->layout;
    uint64_t count, sum = 0;
    if (layout->rank != object->space.rank + 1 || layout->chunk[layout->rank - 1] != object->value_bytes) {
        return tp_hdf5_refuse(guard, "chunks do not have the shape of their data");
    }
    count = tp_hdf5_chunk_count(object, object->space.size);
    if (count > guard->size / 8 + CHUNKS_ALWAYS) {
        return tp_hdf5_refuse(guard, "announces %llu values, more than the file can hold",
                              (unsigned long long)object->space.count);
    }
    if (layout->address == TP_HDF5_NOWHERE) return TP_OK;
    if (layout->index == TP_HDF5_TREE) return check_node(object, layout->address, -1, &sum);
    if (layout->index == TP_HDF5_SINGLE) {
        if (count != 1 || tp_hdf5_chunk_count(object, object->space.max) != 1) {
            return tp_hdf5_refuse(guard, "there is only one chunk");
        }
        bool is_packed = layout->is_single_packed;
        if (is_packed != (object->filter_count > 0)) return tp_hdf5_refuse(guard, "a chunk is damaged");
        return tp_hdf5_guard_chunk(object, layout->address,
                                   is_packed ? layout->single_bytes : layout->chunk_bytes,
                                   layout->single_mask);
    }
    return layout->index == TP_HDF5_FIXED ? tp_hdf5_guard_fixed(object) : tp_hdf5_guard_growing(object);
}

tp_status tp_hdf5_guard_values(tp_hdf5_object *object)
{
    tp_hdf5_guard *guard = object->guard;
    const tp_hdf5_layout *layout = &object->layout;
    if (!tp_hdf5_has_seen(object, TP_HDF5_M_LAYOUT)) return tp_hdf5_refuse(guard, "a data set has no place");
    if (object->has_fill && object->fill_bytes != object->value_bytes) {
        return tp_hdf5_refuse(guard, "the fill value is of another size");
    }
    if (object->space.count > UINT64_MAX / 4 / object->value_bytes) {
        return tp_hdf5_refuse(guard, "a data set is too large");
    }
    uint64_t bytes = object->space.count * object->value_bytes;
    if (layout->storage == TP_HDF5_CHUNKED) return check_chunks(object);
    if (object->filter_count > 0) return tp_hdf5_refuse(guard, "data that are not in chunks are packed");
    bool is_absent = layout->storage == TP_HDF5_CONTIGUOUS && layout->address == TP_HDF5_NOWHERE;
    bool is_inside = layout->storage == TP_HDF5_COMPACT ||
                     !tp_hdf5_span_of(guard, layout->address, layout->bytes).is_short;
    if (!is_absent && (layout->bytes != bytes || !is_inside)) {
        return tp_hdf5_refuse(guard, "data do not have the size that they announce");
    }
    return TP_OK;
}
