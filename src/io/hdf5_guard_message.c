/* The messages of object headers: what an object is and where its parts lie. */
#include "io/hdf5_guard_parts.h"

enum {
    TYPE_INTEGER = 0,
    TYPE_REAL = 1,
    TYPE_TEXT = 3,
    TYPE_VARIABLE = 9,
    LINK_HARD = 0,
    LINK_SOFT = 1,
    LINK_EXTERNAL = 64,
    UNLIMITED_BITS = 62 /* products stay below 2^62 */
};

static const uint64_t product_max = (uint64_t)1 << UNLIMITED_BITS;

/* a * b, or product_max if that is too large. */
static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a >= product_max / b ? product_max : a * b;
}

static tp_status read_space(tp_hdf5_guard *guard, tp_hdf5_span body, tp_hdf5_space *space)
{
    int version = (int)tp_hdf5_span_take(&body, 1);
    space->rank = (int)tp_hdf5_span_take(&body, 1);
    unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
    int kind = (int)tp_hdf5_span_take(&body, 1); /* of version 2: scalar, simple, empty */
    if (version == 1) tp_hdf5_span_skip(&body, 4);
    bool is_known = (version == 1 || (version == 2 && kind <= 2)) && flags <= 1;
    if (!is_known || space->rank > TP_HDF5_RANK_MAX) return tp_hdf5_refuse(guard, "a data space is unknown");
    if (version == 2 && (kind == 1) != (space->rank > 0)) {
        return tp_hdf5_refuse(guard, "a data space has %d dimensions", space->rank);
    }
    space->count = version == 2 && kind == 2 ? 0 : 1;
    for (int i = 0; i < space->rank; i++) {
        space->size[i] = space->max[i] = tp_hdf5_span_take(&body, 8);
        space->count = times(space->count, space->size[i]);
        if (space->size[i] >= product_max) space->count = product_max;
    }
    for (int i = 0; i < space->rank && flags == 1; i++) {
        space->max[i] = tp_hdf5_span_take(&body, 8);
        if (space->max[i] < space->size[i]) return tp_hdf5_refuse(guard, "a data space exceeds itself");
    }
    if (body.is_short) return tp_hdf5_refuse(guard, "a data space is cut");
    return space->count < product_max ? TP_OK : tp_hdf5_refuse(guard, "a data space is too large");
}

/* Only the formats of IEEE 754: the library converts any other bit by bit, as the file says. */
static bool is_usual_real(tp_hdf5_span *body, uint64_t bits, uint64_t bytes)
{
    static const struct {
        uint64_t bytes, sign, exponent_at, exponent_bits, bias;
    } known[] = {{2, 15, 10, 5, 15}, {4, 31, 23, 8, 127}, {8, 63, 52, 11, 1023}};
    uint64_t offset = tp_hdf5_span_take(body, 2), precision = tp_hdf5_span_take(body, 2);
    uint64_t exponent_at = tp_hdf5_span_take(body, 1), exponent_bits = tp_hdf5_span_take(body, 1);
    uint64_t mantissa_at = tp_hdf5_span_take(body, 1), mantissa_bits = tp_hdf5_span_take(body, 1);
    uint64_t bias = tp_hdf5_span_take(body, 4);
    bool has_hidden_bit = (bits & ~(uint64_t)0xff01) == 0x20; /* any byte order but that of the VAX */
    if (offset != 0 || precision != 8 * bytes || mantissa_at != 0 || !has_hidden_bit) return false;
    for (int i = 0; i < 3; i++) {
        if (known[i].bytes != bytes) continue;
        return bits >> 8 == known[i].sign && exponent_at == known[i].exponent_at &&
               exponent_bits == known[i].exponent_bits && mantissa_bits == exponent_at &&
               bias == known[i].bias;
    }
    return false;
}

static bool is_usual_integer(tp_hdf5_span *body, uint64_t bits, uint64_t bytes)
{
    uint64_t offset = tp_hdf5_span_take(body, 2), precision = tp_hdf5_span_take(body, 2);
    bool is_size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return is_size && offset == 0 && precision == 8 * bytes && (bits & ~(uint64_t)9) == 0;
}

/* Numbers, texts of fixed length, and (where allowed) texts or lists elsewhere, which are never followed. */
static tp_status read_type(tp_hdf5_guard *guard, tp_hdf5_span *body, bool may_be_variable,
                           uint64_t *bytes_out)
{
    unsigned head = (unsigned)tp_hdf5_span_take(body, 1);
    unsigned kind = head & 15, version = head >> 4;
    uint64_t bits = tp_hdf5_span_take(body, 3), bytes = tp_hdf5_span_take(body, 4);
    bool is_known = false;
    if (kind == TYPE_INTEGER) is_known = is_usual_integer(body, bits, bytes);
    if (kind == TYPE_REAL) is_known = is_usual_real(body, bits, bytes);
    if (kind == TYPE_TEXT) is_known = (bits & 15) <= 2 && bits >> 4 <= 1 && bytes <= guard->size;
    if (kind == TYPE_VARIABLE && may_be_variable) {
        uint64_t element_bytes;
        is_known = (bits & 15) <= 1 && bytes == 16 && bits >> 12 == 0;
        if (is_known) TP_TRY(read_type(guard, body, false, &element_bytes));
    }
    *bytes_out = bytes;
    if (!is_known || version < 1 || version > 3 || bytes == 0 || body->is_short) {
        return tp_hdf5_refuse(guard, "values are of a type that is not accepted (class %u)", kind);
    }
    return TP_OK;
}

static tp_status read_fill(tp_hdf5_object *object, int type, tp_hdf5_span body)
{
    bool has_value = true;
    if (type == TP_HDF5_M_FILL) {
        int version = (int)tp_hdf5_span_take(&body, 1);
        unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
        if (version == 3) {
            has_value = (flags & 0x20) != 0;
            if ((flags & 0xc0) != 0 || (flags & 0x30) == 0x30) version = 0;
        } else {
            unsigned when = (unsigned)tp_hdf5_span_take(&body, 1);
            unsigned defined = (unsigned)tp_hdf5_span_take(&body, 1);
            has_value = version == 1 || defined != 0;
            if (flags > 3 || when > 2 || defined > 1) version = 0;
        }
        if (version < 1 || version > 3) return tp_hdf5_refuse(object->guard, "a fill value is unknown");
    }
    uint64_t bytes = has_value ? tp_hdf5_span_take(&body, 4) : 0;
    tp_hdf5_span_skip(&body, bytes);
    if (body.is_short) return tp_hdf5_refuse(object->guard, "a fill value is cut");
    if (bytes == 0) return TP_OK;
    bool is_same = !object->has_fill || object->fill_bytes == bytes;
    object->has_fill = true;
    object->fill_bytes = bytes;
    return is_same ? TP_OK : tp_hdf5_refuse(object->guard, "there are two fill values");
}

static tp_status read_filters(tp_hdf5_object *object, tp_hdf5_span body)
{
    tp_hdf5_guard *guard = object->guard;
    static const int places[] = {-1, 1, 0,
                                 2}; /* shuffle, then deflate, then a check sum: each at most once */
    int version = (int)tp_hdf5_span_take(&body, 1), count = (int)tp_hdf5_span_take(&body, 1), place = -1;
    if (version == 1) tp_hdf5_span_skip(&body, 6);
    bool is_known = (version == 1 || version == 2) && count <= TP_HDF5_FILTERS_MAX;
    for (int i = 0; i < count && is_known; i++) {
        int id = (int)tp_hdf5_span_take(&body, 2);
        uint64_t name = version == 1 ? tp_hdf5_span_take(&body, 2) : 0;
        tp_hdf5_span_skip(&body, 2); /* flags */
        uint64_t settings = tp_hdf5_span_take(&body, 2);
        tp_hdf5_span_skip(&body, name);
        tp_hdf5_span_skip(&body, 4 * settings + (version == 1 && settings % 2 == 1 ? 4 : 0));
        is_known = id >= 1 && id <= 3 && name % 8 == 0 && settings <= 1 && places[id] > place;
        if (is_known) place = places[id];
        object->filters[i] = id;
    }
    object->filter_count = count;
    if (body.is_short) return tp_hdf5_refuse(guard, "the filters are cut");
    return is_known ? TP_OK : tp_hdf5_refuse(guard, "data are packed in a way that is not accepted");
}

static tp_status read_chunk_index(tp_hdf5_guard *guard, tp_hdf5_span *body, unsigned flags,
                                  tp_hdf5_layout *layout)
{
    layout->index = (int)tp_hdf5_span_take(body, 1);
    layout->is_single_packed = layout->index == TP_HDF5_SINGLE && (flags & 2) != 0;
    bool is_known = flags == 0 || (flags == 2 && layout->index == TP_HDF5_SINGLE);
    switch (layout->index) {
    case TP_HDF5_SINGLE:
        if (!layout->is_single_packed) break;
        layout->single_bytes = tp_hdf5_span_take(body, 8);
        layout->single_mask = (unsigned)tp_hdf5_span_take(body, 4);
        break;
    case TP_HDF5_FIXED:
        if (tp_hdf5_span_take(body, 1) != 10) is_known = false; /* the only one that the library writes */
        break;
    case TP_HDF5_GROWING:
        if (tp_hdf5_span_take(body, 5) != 0x0a10040420) is_known = false; /* 32, 4, 4, 16, 10 likewise */
        break;
    default: is_known = false;
    }
    return is_known ? TP_OK : tp_hdf5_refuse(guard, "chunks are found in a way that is not accepted");
}

static tp_status read_chunks(tp_hdf5_guard *guard, tp_hdf5_span *body, int version, tp_hdf5_layout *layout)
{
    unsigned flags = version == 4 ? (unsigned)tp_hdf5_span_take(body, 1) : 0;
    layout->rank = (int)tp_hdf5_span_take(body, 1);
    if (version == 3) layout->address = tp_hdf5_span_take(body, 8);
    int size_bytes = version == 4 ? (int)tp_hdf5_span_take(body, 1) : 4;
    if (layout->rank < 2 || layout->rank > TP_HDF5_RANK_MAX + 1 || size_bytes < 1 || size_bytes > 8) {
        return tp_hdf5_refuse(guard, "chunks have %d dimensions", layout->rank - 1);
    }
    layout->chunk_bytes = 1;
    for (int i = 0; i < layout->rank; i++) {
        layout->chunk[i] = tp_hdf5_span_take(body, size_bytes);
        layout->chunk_bytes = times(layout->chunk_bytes, layout->chunk[i]);
        if (layout->chunk[i] == 0 || layout->chunk[i] > UINT32_MAX || layout->chunk_bytes > UINT32_MAX) {
            return tp_hdf5_refuse(guard, "chunks have a side of %llu", (unsigned long long)layout->chunk[i]);
        }
    }
    layout->index = TP_HDF5_TREE;
    if (version == 4) {
        TP_TRY(read_chunk_index(guard, body, flags, layout));
        layout->address = tp_hdf5_span_take(body, 8);
    }
    return TP_OK;
}

/* Versions 1 and 2 ended with HDF5 1.6.3 (2004), before there were FCLIB files. */
static tp_status read_layout(tp_hdf5_guard *guard, tp_hdf5_span body, tp_hdf5_layout *layout)
{
    int version = (int)tp_hdf5_span_take(&body, 1), storage = (int)tp_hdf5_span_take(&body, 1);
    if (version < 3 || version > 4 || storage > TP_HDF5_CHUNKED) {
        return tp_hdf5_refuse(guard, "data are stored in a way that is not accepted (version %d, class %d)",
                              version, storage);
    }
    layout->storage = (tp_hdf5_storage)storage;
    if (storage == TP_HDF5_COMPACT) {
        layout->bytes = tp_hdf5_span_take(&body, 2);
        tp_hdf5_span_skip(&body, layout->bytes);
    } else if (storage == TP_HDF5_CONTIGUOUS) {
        layout->address = tp_hdf5_span_take(&body, 8);
        layout->bytes = tp_hdf5_span_take(&body, 8);
    } else {
        TP_TRY(read_chunks(guard, &body, version, layout));
    }
    return body.is_short ? tp_hdf5_refuse(guard, "the storage of data is cut") : TP_OK;
}

/* Where the links (or attributes) are if they are not in the header. */
static tp_status read_dense(tp_hdf5_guard *guard, tp_hdf5_span body, int order_bytes, tp_hdf5_dense *dense)
{
    int version = (int)tp_hdf5_span_take(&body, 1);
    unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
    if (flags & 1) tp_hdf5_span_skip(&body, (uint64_t)order_bytes);
    dense->heap = tp_hdf5_span_take(&body, 8);
    dense->by_name = tp_hdf5_span_take(&body, 8);
    dense->by_order = flags & 2 ? tp_hdf5_span_take(&body, 8) : TP_HDF5_NOWHERE;
    dense->is_there = dense->heap != TP_HDF5_NOWHERE;
    bool is_right = version == 0 && flags <= 3 && !body.is_short;
    if (is_right && dense->is_there && dense->by_name == TP_HDF5_NOWHERE) is_right = false;
    if (is_right && !dense->is_there && dense->by_name != TP_HDF5_NOWHERE) is_right = false;
    if (is_right && !dense->is_there && dense->by_order != TP_HDF5_NOWHERE) is_right = false;
    return is_right ? TP_OK : tp_hdf5_refuse(guard, "the members of an object are damaged");
}

static tp_status read_group_settings(tp_hdf5_guard *guard, tp_hdf5_span body)
{
    int version = (int)tp_hdf5_span_take(&body, 1);
    unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
    if (flags & 1) tp_hdf5_span_skip(&body, 4);
    if (flags & 2) tp_hdf5_span_skip(&body, 4);
    bool is_right = version == 0 && flags <= 3 && !body.is_short;
    return is_right ? TP_OK : tp_hdf5_refuse(guard, "the settings of a group are damaged");
}

tp_status tp_hdf5_guard_link(tp_hdf5_span body)
{
    tp_hdf5_guard *guard = body.guard;
    int version = (int)tp_hdf5_span_take(&body, 1), kind = LINK_HARD;
    unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
    if (flags & 8) kind = (int)tp_hdf5_span_take(&body, 1);
    if (flags & 4) tp_hdf5_span_skip(&body, 8); /* order of creation */
    uint64_t alphabet = flags & 16 ? tp_hdf5_span_take(&body, 1) : 0;
    uint64_t length = tp_hdf5_span_take(&body, 1 << (flags & 3));
    tp_hdf5_span_skip(&body, length);
    uint64_t value = kind == LINK_HARD ? 8 : tp_hdf5_span_take(&body, 2);
    tp_hdf5_span_skip(&body, value);
    bool is_known = version == 1 && flags <= 31 && alphabet <= 1 &&
                    (kind == LINK_HARD || kind == LINK_SOFT || kind == LINK_EXTERNAL);
    if (!is_known || length == 0 || value == 0 || body.is_short) {
        return tp_hdf5_refuse(guard, "a link is damaged");
    }
    return TP_OK;
}

/* A name of the given length with the zero that ends it. */
static bool is_name(tp_hdf5_span name)
{
    while (name.at < name.end) {
        if (tp_hdf5_span_take(&name, 1) == 0) return !name.is_short;
    }
    return false;
}

tp_status tp_hdf5_guard_attribute(tp_hdf5_span body)
{
    tp_hdf5_guard *guard = body.guard;
    int version = (int)tp_hdf5_span_take(&body, 1);
    unsigned flags = (unsigned)tp_hdf5_span_take(&body, 1);
    uint64_t name_bytes = tp_hdf5_span_take(&body, 2), type_bytes = tp_hdf5_span_take(&body, 2);
    uint64_t space_bytes = tp_hdf5_span_take(&body, 2), unit = version == 1 ? 8 : 1;
    uint64_t alphabet = version == 3 ? tp_hdf5_span_take(&body, 1) : 0;
    if (version < 1 || version > 3 || (version > 1 && flags != 0) || alphabet > 1) {
        return tp_hdf5_refuse(guard, "an attribute is unknown (version %d)", version);
    }
    tp_hdf5_span name = tp_hdf5_span_part(&body, name_bytes);
    tp_hdf5_span_skip(&body, (unit - name_bytes % unit) % unit);
    tp_hdf5_span type = tp_hdf5_span_part(&body, type_bytes);
    tp_hdf5_span_skip(&body, (unit - type_bytes % unit) % unit);
    tp_hdf5_span space = tp_hdf5_span_part(&body, space_bytes);
    tp_hdf5_span_skip(&body, (unit - space_bytes % unit) % unit);
    if (body.is_short || !is_name(name)) return tp_hdf5_refuse(guard, "an attribute is damaged");
    tp_hdf5_space size = {.rank = 0};
    uint64_t value_bytes;
    TP_TRY(read_type(guard, &type, true, &value_bytes));
    TP_TRY(read_space(guard, space, &size));
    tp_hdf5_span_skip(&body, times(size.count, value_bytes));
    return body.is_short ? tp_hdf5_refuse(guard, "an attribute is shorter than it says") : TP_OK;
}

/* Small messages that the library reads although nobody asks. */
static tp_status check_length(tp_hdf5_guard *guard, tp_hdf5_span body, uint64_t least)
{
    return body.end - body.at >= least ? TP_OK : tp_hdf5_refuse(guard, "a message is too short");
}

tp_status tp_hdf5_guard_message(tp_hdf5_object *object, int type, tp_hdf5_span body)
{
    tp_hdf5_guard *guard = object->guard;
    bool is_repeatable = type == TP_HDF5_M_LINK || type == TP_HDF5_M_ATTRIBUTE || type == TP_HDF5_M_COMMENT;
    if (type < 32 && !is_repeatable && tp_hdf5_has_seen(object, type)) {
        return tp_hdf5_refuse(guard, "an object has two messages of type %d", type);
    }
    if (type < 32) object->seen |= 1u << type;
    switch (type) {
    case TP_HDF5_M_SPACE: return read_space(guard, body, &object->space);
    case TP_HDF5_M_LINKS: return read_dense(guard, body, 8, &object->links);
    case TP_HDF5_M_TYPE: return read_type(guard, &body, false, &object->value_bytes);
    case TP_HDF5_M_OLD_FILL:
    case TP_HDF5_M_FILL: return read_fill(object, type, body);
    case TP_HDF5_M_LINK: return tp_hdf5_guard_link(body);
    case TP_HDF5_M_EXTERNAL:
        return tp_hdf5_refuse(guard, "is stored in a way that is not accepted (in other files)");
    case TP_HDF5_M_LAYOUT: return read_layout(guard, body, &object->layout);
    case TP_HDF5_M_GROUP: return read_group_settings(guard, body);
    case TP_HDF5_M_FILTERS: return read_filters(object, body);
    case TP_HDF5_M_ATTRIBUTE: return guard->is_reading_attributes ? tp_hdf5_guard_attribute(body) : TP_OK;
    case TP_HDF5_M_COMMENT: return TP_OK; /* never read */
    case TP_HDF5_M_OLD_TIME: return check_length(guard, body, 16);
    case TP_HDF5_M_OLD_GROUP:
        object->tree = tp_hdf5_span_take(&body, 8);
        object->heap = tp_hdf5_span_take(&body, 8);
        return body.is_short ? tp_hdf5_refuse(guard, "a group is damaged") : TP_OK;
    case TP_HDF5_M_TIME: return check_length(guard, body, 8);
    case TP_HDF5_M_ATTRIBUTES: return read_dense(guard, body, 2, &object->attributes);
    case TP_HDF5_M_REFERENCES: return check_length(guard, body, 5);
    default: return tp_hdf5_refuse(guard, "an object has something that is not accepted (type %d)", type);
    }
}
