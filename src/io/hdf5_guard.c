/* The guard: bytes of the file within their bounds, the head of the file, object headers. */
#include "io/hdf5_guard_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    WORK_PER_BYTE = 64, /* a sound file is looked at a few times */
    WORK_ALWAYS = 1 << 22,
    PIECES_MAX = 256,
    FLAG_SHARED = 2,
    K_MAX = 4096, /* half the members of a tree node; the library writes 4, 16 and 32 */
    CHUNK_K = 32
};

tp_status tp_hdf5_refuse(tp_hdf5_guard *guard, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(guard->reason, sizeof guard->reason, format, arguments);
    va_end(arguments);
    return TP_INVALID_DATA;
}

/* Makes the window begin at an address of the file. */
static bool move_window(tp_hdf5_guard *guard, uint64_t address)
{
    uint64_t left = guard->size - address;
    guard->window_at = address;
    guard->window_count = left < TP_HDF5_WINDOW ? (size_t)left : TP_HDF5_WINDOW;
    if (guard->source.read(guard->source.context, address, guard->window_count, guard->window)) return true;
    guard->window_count = 0;
    return false;
}

tp_hdf5_span tp_hdf5_span_of(tp_hdf5_guard *guard, uint64_t address, uint64_t count)
{
    bool is_inside = address <= guard->size && count <= guard->size - address;
    return (tp_hdf5_span){guard, address, is_inside ? address + count : address, !is_inside};
}

uint64_t tp_hdf5_span_take(tp_hdf5_span *span, int bytes)
{
    tp_hdf5_guard *guard = span->guard;
    uint64_t value = 0;
    guard->work++;
    if (guard->work / WORK_PER_BYTE > guard->size + WORK_ALWAYS) span->is_short = true;
    if (span->end - span->at < (uint64_t)bytes) span->is_short = true;
    for (int i = 0; i < bytes && !span->is_short; i++) {
        uint64_t at = span->at + (uint64_t)i;
        bool is_seen = at >= guard->window_at && at - guard->window_at < guard->window_count;
        if (!is_seen && !move_window(guard, at)) span->is_short = true;
        if (!span->is_short) value |= (uint64_t)guard->window[at - guard->window_at] << (8 * i);
    }
    if (span->is_short) {
        span->at = span->end;
        return 0;
    }
    span->at += (uint64_t)bytes;
    return value;
}

void tp_hdf5_span_skip(tp_hdf5_span *span, uint64_t count)
{
    if (count > span->end - span->at) {
        span->is_short = true;
        count = span->end - span->at;
    }
    span->at += count;
}

tp_hdf5_span tp_hdf5_span_part(tp_hdf5_span *span, uint64_t count)
{
    tp_hdf5_span part = *span;
    tp_hdf5_span_skip(span, count);
    part.end = span->at;
    part.is_short = span->is_short;
    return part;
}

bool tp_hdf5_span_is(tp_hdf5_span *span, const char *signature)
{
    bool is_same = true;
    for (int i = 0; i < 4; i++) {
        if (tp_hdf5_span_take(span, 1) != (unsigned char)signature[i]) is_same = false;
    }
    return is_same && !span->is_short;
}

/* Old heads also hold a copy of where the members of the root group are. */
static tp_status read_old_head(tp_hdf5_guard *guard, tp_hdf5_span *head, int version, uint64_t *base_out)
{
    uint64_t versions = tp_hdf5_span_take(head, 3); /* of free space, root group, and one unused byte */
    uint64_t shared = tp_hdf5_span_take(head, 1), sizes = tp_hdf5_span_take(head, 3);
    guard->leaf_k = (int)tp_hdf5_span_take(head, 2);
    guard->group_k = (int)tp_hdf5_span_take(head, 2);
    tp_hdf5_span_skip(head, 4);
    guard->chunk_k = version == 1 ? (int)tp_hdf5_span_take(head, 2) : CHUNK_K;
    if (version == 1) tp_hdf5_span_skip(head, 2);
    *base_out = tp_hdf5_span_take(head, 8);
    tp_hdf5_span_skip(head, 16); /* free space, end of file: the library compares it */
    uint64_t driver = tp_hdf5_span_take(head, 8);
    tp_hdf5_span_skip(head, 8); /* name of the root group */
    guard->root = tp_hdf5_span_take(head, 8);
    uint64_t cached = tp_hdf5_span_take(head, 4);
    tp_hdf5_span_skip(head, 4);
    uint64_t tree = tp_hdf5_span_take(head, 8), heap = tp_hdf5_span_take(head, 8);
    if ((versions & 0xffff) != 0 || shared != 0 || (sizes & 0xffff) != 0x0808) {
        return tp_hdf5_refuse(guard, "the head of the file has unusual versions or sizes");
    }
    if (driver != TP_HDF5_NOWHERE || cached > 1) return tp_hdf5_refuse(guard, "it needs a file driver");
    bool are_usual = guard->leaf_k >= 1 && guard->leaf_k <= K_MAX && guard->group_k >= 1 &&
                     guard->group_k <= K_MAX && guard->chunk_k >= 1 && guard->chunk_k <= K_MAX;
    if (!are_usual) return tp_hdf5_refuse(guard, "the trees have nodes of unusual size");
    return cached == 1 ? tp_hdf5_guard_old_group(guard, tree, heap) : TP_OK;
}

static tp_status read_new_head(tp_hdf5_guard *guard, tp_hdf5_span *head, uint64_t *base_out)
{
    uint64_t sizes = tp_hdf5_span_take(head, 2);
    tp_hdf5_span_skip(head, 1);
    *base_out = tp_hdf5_span_take(head, 8);
    uint64_t extension = tp_hdf5_span_take(head, 8);
    tp_hdf5_span_skip(head, 8);
    guard->root = tp_hdf5_span_take(head, 8);
    if (sizes != 0x0808) return tp_hdf5_refuse(guard, "addresses or lengths are not of 8 bytes");
    if (extension != TP_HDF5_NOWHERE) return tp_hdf5_refuse(guard, "the head of the file has an extension");
    guard->leaf_k = 4; /* what the library assumes */
    guard->group_k = 16;
    guard->chunk_k = CHUNK_K;
    return TP_OK;
}

tp_status tp_hdf5_guard_begin(tp_hdf5_guard *guard, tp_hdf5_source source, bool is_reading_attributes)
{
    guard->source = source;
    guard->is_reading_attributes = is_reading_attributes;
    guard->size = source.size(source.context);
    guard->work = 0;
    guard->window_count = 0;
    guard->window_at = 0;
    guard->reason[0] = 0;
    tp_hdf5_span head = tp_hdf5_span_of(guard, 0, guard->size);
    uint64_t base = 0;
    tp_hdf5_span_skip(&head, 8); /* the signature */
    int version = (int)tp_hdf5_span_take(&head, 1);
    if (head.is_short || version > 3) return tp_hdf5_refuse(guard, "unknown version %d", version);
    TP_TRY(version < 2 ? read_old_head(guard, &head, version, &base) : read_new_head(guard, &head, &base));
    if (head.is_short) return tp_hdf5_refuse(guard, "the head of the file is cut");
    if (base != 0) return tp_hdf5_refuse(guard, "addresses do not begin with the file");
    tp_hdf5_kind kind;
    TP_TRY(tp_hdf5_guard_object(guard, guard->root, &kind));
    return kind == TP_HDF5_GROUP ? TP_OK : tp_hdf5_refuse(guard, "the root is no group");
}

/* Object headers come in pieces; a message in one says where the next is. */
typedef struct header {
    tp_hdf5_object *object;
    bool is_new;    /* version 2                    */
    bool has_order; /* messages count their creation */
    int piece_count;
    uint64_t bytes; /* of all pieces: they must not contain each other */
} header;

static tp_status read_piece(header *h, tp_hdf5_span piece);

static tp_status read_continuation(header *h, tp_hdf5_span body)
{
    tp_hdf5_guard *guard = h->object->guard;
    uint64_t at = tp_hdf5_span_take(&body, 8), bytes = tp_hdf5_span_take(&body, 8);
    tp_hdf5_span piece = tp_hdf5_span_of(guard, at, bytes);
    if (body.is_short || piece.is_short || bytes < 8 || (h->bytes += bytes) > guard->size) {
        return tp_hdf5_refuse(guard, "an object header continues outside of the file");
    }
    if (++h->piece_count > PIECES_MAX) return tp_hdf5_refuse(guard, "an object header has too many pieces");
    if (!h->is_new) return read_piece(h, piece);
    bool is_right = tp_hdf5_span_is(&piece, "OCHK");
    if (!is_right) return tp_hdf5_refuse(guard, "a piece of an object header is damaged");
    piece.end -= 4; /* check sum */
    return read_piece(h, piece);
}

static tp_status read_message(header *h, int type, unsigned flags, tp_hdf5_span body)
{
    tp_hdf5_guard *guard = h->object->guard;
    if (type == TP_HDF5_M_NIL) return TP_OK;
    if (type == TP_HDF5_M_CONTINUED) return read_continuation(h, body);
    if (flags & FLAG_SHARED) return tp_hdf5_refuse(guard, "a message (type %d) is shared", type);
    return tp_hdf5_guard_message(h->object, type, body);
}

static tp_status read_piece(header *h, tp_hdf5_span piece)
{
    tp_hdf5_guard *guard = h->object->guard;
    const uint64_t head_bytes = h->is_new ? (h->has_order ? 6 : 4) : 8;
    while (piece.end - piece.at >= head_bytes) {
        int type = (int)tp_hdf5_span_take(&piece, h->is_new ? 1 : 2);
        uint64_t bytes = tp_hdf5_span_take(&piece, 2);
        unsigned flags = (unsigned)tp_hdf5_span_take(&piece, 1);
        tp_hdf5_span_skip(&piece, head_bytes - (h->is_new ? 4 : 5));
        tp_hdf5_span body = tp_hdf5_span_part(&piece, bytes);
        bool is_right = !piece.is_short && (h->is_new || bytes % 8 == 0);
        if (!is_right) return tp_hdf5_refuse(guard, "a message (type %d) leaves its object header", type);
        TP_TRY(read_message(h, type, flags, body));
    }
    bool is_right = !piece.is_short && (h->is_new || piece.at == piece.end);
    return is_right ? TP_OK : tp_hdf5_refuse(guard, "an object header is damaged");
}

static tp_status read_new_header(header *h, tp_hdf5_span span)
{
    tp_hdf5_guard *guard = h->object->guard;
    int version = (int)tp_hdf5_span_take(&span, 1);
    unsigned flags = (unsigned)tp_hdf5_span_take(&span, 1);
    if (version != 2 || flags > 0x3f) return tp_hdf5_refuse(guard, "an object header of version %d", version);
    if (flags & 0x20) tp_hdf5_span_skip(&span, 16); /* times */
    if (flags & 0x10) {
        uint64_t compact_max = tp_hdf5_span_take(&span, 2), dense_min = tp_hdf5_span_take(&span, 2);
        if (compact_max < dense_min) return tp_hdf5_refuse(guard, "attributes are counted wrongly");
    }
    h->is_new = true;
    h->has_order = (flags & 4) != 0;
    h->bytes = tp_hdf5_span_take(&span, 1 << (flags & 3));
    tp_hdf5_span piece = tp_hdf5_span_part(&span, h->bytes);
    tp_hdf5_span_skip(&span, 4); /* check sum */
    if (span.is_short) return tp_hdf5_refuse(guard, "an object header is longer than the file");
    return read_piece(h, piece);
}

static tp_status read_old_header(header *h, tp_hdf5_span span)
{
    tp_hdf5_guard *guard = h->object->guard;
    int version = (int)tp_hdf5_span_take(&span, 1);
    tp_hdf5_span_skip(&span, 7); /* unused, number of messages and links */
    h->bytes = tp_hdf5_span_take(&span, 4);
    tp_hdf5_span_skip(&span, 4);
    tp_hdf5_span piece = tp_hdf5_span_part(&span, h->bytes);
    if (span.is_short || version != 1) return tp_hdf5_refuse(guard, "there is no object header");
    return read_piece(h, piece);
}

static tp_status check_group(tp_hdf5_object *object)
{
    tp_hdf5_guard *guard = object->guard;
    if (tp_hdf5_has_seen(object, TP_HDF5_M_OLD_GROUP)) {
        TP_TRY(tp_hdf5_guard_old_group(guard, object->tree, object->heap));
    }
    return object->links.is_there ? tp_hdf5_guard_dense(guard, &object->links, true) : TP_OK;
}

tp_status tp_hdf5_guard_object(tp_hdf5_guard *guard, uint64_t address, tp_hdf5_kind *kind_out)
{
    *kind_out = TP_HDF5_OTHER;
    guard->size = guard->source.size(guard->source.context);
    guard->window_count = 0; /* the file may have changed */
    if (address >= guard->size) return tp_hdf5_refuse(guard, "an object outside of the file");
    tp_hdf5_object object = {.guard = guard};
    header h = {.object = &object};
    tp_hdf5_span span = tp_hdf5_span_of(guard, address, guard->size - address), old = span;
    TP_TRY(tp_hdf5_span_is(&span, "OHDR") ? read_new_header(&h, span) : read_old_header(&h, old));
    bool is_group =
        tp_hdf5_has_seen(&object, TP_HDF5_M_OLD_GROUP) || tp_hdf5_has_seen(&object, TP_HDF5_M_LINKS);
    bool is_data = tp_hdf5_has_seen(&object, TP_HDF5_M_TYPE) && tp_hdf5_has_seen(&object, TP_HDF5_M_SPACE);
    if (is_group && is_data) return tp_hdf5_refuse(guard, "an object is both a group and a data set");
    if (is_group) TP_TRY(check_group(&object));
    if (is_data) TP_TRY(tp_hdf5_guard_values(&object));
    if (guard->is_reading_attributes && object.attributes.is_there) {
        TP_TRY(tp_hdf5_guard_dense(guard, &object.attributes, false));
    }
    *kind_out = is_group ? TP_HDF5_GROUP : is_data ? TP_HDF5_DATA : TP_HDF5_OTHER;
    return TP_OK;
}
