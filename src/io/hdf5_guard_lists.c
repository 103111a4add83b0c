/* Lists of chunks of the new format. Those of one length are an array (fixed array); those of a data set that
   grows are blocks of growing size (extensible array). The library writes lists of one shape only. Where
   chunks are not packed, only their addresses are listed, which the library checks when it reads; packed ones
   are all looked at. */
#include "io/hdf5_guard_parts.h"

enum {
    PAGE = 1024,    /* entries; longer lists are written in pages */
    HEAD_BYTES = 14 /* of a block: signature, version, kind, address of the head */
};

/* How a list of this data set is written. */
typedef struct chunk_list {
    const tp_hdf5_object *object;
    bool is_packed;
    int length_bytes, entry_bytes; /* of the packed length, of an entry */
    uint64_t sum;                  /* bytes of all chunks: they lie in different places */
} chunk_list;

static chunk_list list_of(const tp_hdf5_object *object)
{
    chunk_list list = {.object = object, .is_packed = object->filter_count > 0, .entry_bytes = 8};
    int bits = 0; /* of the length of a chunk, less one */
    while (object->layout.chunk_bytes >> (bits + 1) != 0) bits++;
    list.length_bytes = 1 + (bits + 8) / 8;
    if (list.is_packed) list.entry_bytes = 8 + list.length_bytes + 4;
    return list;
}

static tp_status check_entries(chunk_list *list, tp_hdf5_span *span, uint64_t count)
{
    tp_hdf5_guard *guard = list->object->guard;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t address = tp_hdf5_span_take(span, 8), bytes = tp_hdf5_span_take(span, list->length_bytes);
        unsigned mask = (unsigned)tp_hdf5_span_take(span, 4);
        if (span->is_short) return tp_hdf5_refuse(guard, "a list of chunks is cut");
        if (address == TP_HDF5_NOWHERE) continue;
        if (bytes > guard->size || (list->sum += bytes) > guard->size) {
            return tp_hdf5_refuse(guard, "chunks are larger than the file");
        }
        TP_TRY(tp_hdf5_guard_chunk(list->object, address, bytes, mask));
    }
    return TP_OK;
}

/* A block of the list, of so many bytes behind its head. */
static tp_status open_block(const chunk_list *list, uint64_t address, uint64_t bytes, const char *signature,
                            tp_hdf5_span *span_out)
{
    tp_hdf5_guard *guard = list->object->guard;
    *span_out = tp_hdf5_span_of(guard, address, HEAD_BYTES + bytes);
    bool is_right = tp_hdf5_span_is(span_out, signature) && tp_hdf5_span_take(span_out, 1) == 0 &&
                    tp_hdf5_span_take(span_out, 1) == list->is_packed &&
                    tp_hdf5_span_take(span_out, 8) == list->object->layout.address;
    return is_right && !span_out->is_short ? TP_OK : tp_hdf5_refuse(guard, "a list of chunks is damaged");
}

/* Pages that were never written have a zero bit in the head of the array. */
static tp_status check_pages(chunk_list *list, uint64_t address, uint64_t count)
{
    uint64_t page_count = (count + PAGE - 1) / PAGE, bit_bytes = (page_count + 7) / 8;
    uint64_t page_bytes = PAGE * (uint64_t)list->entry_bytes + 4;
    tp_hdf5_span bits;
    TP_TRY(open_block(list, address, bit_bytes, "FADB", &bits));
    unsigned byte = 0;
    for (uint64_t page = 0; page < page_count; page++) {
        if (page % 8 == 0) byte = (unsigned)tp_hdf5_span_take(&bits, 1);
        if ((byte & (0x80u >> page % 8)) == 0) continue;
        uint64_t length = page + 1 < page_count ? PAGE : count - page * PAGE;
        uint64_t at = address + HEAD_BYTES + bit_bytes + 4 + page * page_bytes;
        tp_hdf5_span span = tp_hdf5_span_of(list->object->guard, at, length * (uint64_t)list->entry_bytes);
        TP_TRY(check_entries(list, &span, length));
    }
    return TP_OK;
}

tp_status tp_hdf5_guard_fixed(const tp_hdf5_object *object)
{
    tp_hdf5_guard *guard = object->guard;
    chunk_list list = list_of(object);
    tp_hdf5_span head = tp_hdf5_span_of(guard, object->layout.address, 28), entries;
    bool is_right = tp_hdf5_span_is(&head, "FAHD") && tp_hdf5_span_take(&head, 1) == 0 &&
                    tp_hdf5_span_take(&head, 1) == list.is_packed &&
                    tp_hdf5_span_take(&head, 1) == (uint64_t)list.entry_bytes &&
                    tp_hdf5_span_take(&head, 1) == 10; /* pages of 2^10 */
    uint64_t count = tp_hdf5_span_take(&head, 8), address = tp_hdf5_span_take(&head, 8);
    if (!is_right || head.is_short || count != tp_hdf5_chunk_count(object, object->space.max) ||
        count > guard->size / 8) {
        return tp_hdf5_refuse(guard, "the list of chunks is damaged");
    }
    if (!list.is_packed || address == TP_HDF5_NOWHERE) return TP_OK;
    if (count > PAGE) return check_pages(&list, address, count);
    TP_TRY(open_block(&list, address, count * (uint64_t)list.entry_bytes, "FADB", &entries));
    return check_entries(&list, &entries, count);
}

/* Growing lists: 4 entries and 6 blocks in the first block, then groups of blocks. The blocks of group g hold
   16 * 2^((g + 1) / 2) entries, there are 2^(g / 2) of them; those of groups 0 to 3 are the 6. */
enum { FIRST_ENTRIES = 4, DIRECT_GROUPS = 4, GROUPS = 29, PLACE_BYTES = 4 };

static uint64_t entries_of(int group)
{
    return (uint64_t)16 << ((group + 1) / 2);
}

static tp_status check_block(chunk_list *list, uint64_t address, int group)
{
    uint64_t count = entries_of(group);
    tp_hdf5_span span;
    if (address == TP_HDF5_NOWHERE) return TP_OK;
    TP_TRY(open_block(list, address, PLACE_BYTES + count * (uint64_t)list->entry_bytes, "EADB", &span));
    tp_hdf5_span_skip(&span, PLACE_BYTES);
    return check_entries(list, &span, count);
}

static tp_status check_group(chunk_list *list, uint64_t address, int group)
{
    uint64_t count = (uint64_t)1 << (group / 2);
    tp_hdf5_span span;
    if (address == TP_HDF5_NOWHERE) return TP_OK;
    if (entries_of(group) > PAGE) { /* after 131,000 chunks */
        return tp_hdf5_refuse(list->object->guard, "there are too many packed chunks");
    }
    TP_TRY(open_block(list, address, PLACE_BYTES + 8 * count, "EASB", &span));
    tp_hdf5_span_skip(&span, PLACE_BYTES);
    for (uint64_t i = 0; i < count; i++) TP_TRY(check_block(list, tp_hdf5_span_take(&span, 8), group));
    return TP_OK;
}

static tp_status check_growing_entries(chunk_list *list, uint64_t address)
{
    uint64_t bytes = FIRST_ENTRIES * (uint64_t)list->entry_bytes + 8 * (6 + GROUPS - DIRECT_GROUPS);
    tp_hdf5_span span;
    TP_TRY(open_block(list, address, bytes, "EAIB", &span));
    TP_TRY(check_entries(list, &span, FIRST_ENTRIES));
    for (int group = 0; group < DIRECT_GROUPS; group++) {
        for (int i = 0; i < 1 << (group / 2); i++)
            TP_TRY(check_block(list, tp_hdf5_span_take(&span, 8), group));
    }
    for (int group = DIRECT_GROUPS; group < GROUPS; group++) {
        TP_TRY(check_group(list, tp_hdf5_span_take(&span, 8), group));
    }
    return TP_OK;
}

/* The library takes what lies beyond the number of entries set as not there. */
tp_status tp_hdf5_guard_growing(const tp_hdf5_object *object)
{
    tp_hdf5_guard *guard = object->guard;
    chunk_list list = list_of(object);
    int unlimited = 0;
    for (int i = 0; i < object->space.rank; i++) unlimited += object->space.max[i] == UINT64_MAX;
    tp_hdf5_span head = tp_hdf5_span_of(guard, object->layout.address, 72);
    bool is_right = tp_hdf5_span_is(&head, "EAHD") && tp_hdf5_span_take(&head, 1) == 0 &&
                    tp_hdf5_span_take(&head, 1) == list.is_packed &&
                    tp_hdf5_span_take(&head, 1) == (uint64_t)list.entry_bytes &&
                    tp_hdf5_span_take(&head, 5) == 0x0a04100420; /* 32, 4, 16, 4, 10 */
    tp_hdf5_span_skip(&head, 32);
    uint64_t set = tp_hdf5_span_take(&head, 8);
    tp_hdf5_span_skip(&head, 8);
    uint64_t address = tp_hdf5_span_take(&head, 8);
    if (!is_right || unlimited != 1 || head.is_short || set > guard->size / 8) {
        return tp_hdf5_refuse(guard, "the growing list of chunks is damaged");
    }
    bool is_checked = list.is_packed && address != TP_HDF5_NOWHERE;
    return is_checked ? check_growing_entries(&list, address) : TP_OK;
}
