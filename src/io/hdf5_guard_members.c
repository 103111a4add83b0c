/* The members of groups, and attributes outside of object headers. Old groups are a tree of lists whose names
   lie in a heap. New ones put their links into a heap of growing blocks (fractal heap), over which lie two
   trees (version 2), by name and by order. The library writes heaps and trees of one shape only, which is
   demanded. */
#include "io/hdf5_guard_parts.h"

enum { TREE_DEPTH_MAX = 16, NODE_BYTES = 512, WIDTH = 4, DIRECT_MAX = 65536 };

/* Old groups: names */
typedef struct name_heap {
    uint64_t address, bytes;
} name_heap;

/* The list of free pieces must end. */
static tp_status check_free_list(tp_hdf5_guard *guard, name_heap heap, uint64_t first)
{
    uint64_t left = heap.bytes / 16;
    for (uint64_t at = first; at != 1; left--) {
        bool is_inside = left > 0 && at < heap.bytes && heap.bytes - at >= 16;
        if (!is_inside) return tp_hdf5_refuse(guard, "the names of a group are damaged");
        tp_hdf5_span piece = tp_hdf5_span_of(guard, heap.address + at, 16);
        uint64_t next = tp_hdf5_span_take(&piece, 8), bytes = tp_hdf5_span_take(&piece, 8);
        if (piece.is_short || bytes > heap.bytes - at || bytes < 16) {
            return tp_hdf5_refuse(guard, "the names of a group are damaged");
        }
        at = next;
    }
    return TP_OK;
}

static tp_status read_name_heap(tp_hdf5_guard *guard, uint64_t address, name_heap *heap)
{
    tp_hdf5_span head = tp_hdf5_span_of(guard, address, 32);
    bool is_right = tp_hdf5_span_is(&head, "HEAP") && tp_hdf5_span_take(&head, 1) == 0;
    tp_hdf5_span_skip(&head, 3);
    heap->bytes = tp_hdf5_span_take(&head, 8);
    uint64_t free_at = tp_hdf5_span_take(&head, 8);
    heap->address = tp_hdf5_span_take(&head, 8);
    tp_hdf5_span all = tp_hdf5_span_of(guard, heap->address, heap->bytes);
    if (!is_right || head.is_short || all.is_short || heap->bytes == 0) {
        return tp_hdf5_refuse(guard, "the names of a group are damaged");
    }
    return check_free_list(guard, *heap, free_at);
}

static bool is_name_in(tp_hdf5_guard *guard, name_heap heap, uint64_t offset)
{
    if (offset >= heap.bytes) return false;
    tp_hdf5_span name = tp_hdf5_span_of(guard, heap.address + offset, heap.bytes - offset);
    while (name.at < name.end) {
        if (tp_hdf5_span_take(&name, 1) == 0) return !name.is_short;
    }
    return false;
}

/* A list of members. */
static tp_status check_list(tp_hdf5_guard *guard, uint64_t address, name_heap heap)
{
    tp_hdf5_span list = tp_hdf5_span_of(guard, address, 8);
    bool is_right = tp_hdf5_span_is(&list, "SNOD") && tp_hdf5_span_take(&list, 1) == 1;
    tp_hdf5_span_skip(&list, 1);
    int count = (int)tp_hdf5_span_take(&list, 2);
    tp_hdf5_span entries = tp_hdf5_span_of(guard, address + 8, 40 * (uint64_t)count);
    if (!is_right || list.is_short || entries.is_short || count > 2 * guard->leaf_k) {
        return tp_hdf5_refuse(guard, "a list of members is damaged");
    }
    for (int i = 0; i < count; i++) {
        uint64_t name = tp_hdf5_span_take(&entries, 8);
        tp_hdf5_span_skip(&entries, 8); /* the object, checked before it is opened */
        uint64_t cached = tp_hdf5_span_take(&entries, 4);
        tp_hdf5_span_skip(&entries, 4);
        uint64_t target = tp_hdf5_span_take(&entries, 4); /* of a symbolic link (2) */
        tp_hdf5_span_skip(&entries, 12);
        bool is_known =
            cached <= 2 && is_name_in(guard, heap, name) && (cached != 2 || is_name_in(guard, heap, target));
        if (!is_known || entries.is_short) return tp_hdf5_refuse(guard, "a member of a group is damaged");
    }
    return TP_OK;
}

/* A node of the tree; level < 0: any. */
static tp_status check_group_node(tp_hdf5_guard *guard, uint64_t address, int level, name_heap heap)
{
    tp_hdf5_span node = tp_hdf5_span_of(guard, address, 24);
    bool is_right = tp_hdf5_span_is(&node, "TREE") && tp_hdf5_span_take(&node, 1) == 0;
    int found = (int)tp_hdf5_span_take(&node, 1), count = (int)tp_hdf5_span_take(&node, 2);
    tp_hdf5_span children = tp_hdf5_span_of(guard, address + 24, 16 * (uint64_t)count + 8);
    is_right = is_right && (level < 0 ? found <= TREE_DEPTH_MAX : found == level) && !node.is_short;
    if (!is_right || children.is_short || count > 2 * guard->group_k) {
        return tp_hdf5_refuse(guard, "the tree of a group is damaged");
    }
    for (int i = 0; i <= count; i++) {
        if (!is_name_in(guard, heap, tp_hdf5_span_take(&children, 8))) {
            return tp_hdf5_refuse(guard, "the tree of a group is damaged");
        }
        if (i == count) break;
        uint64_t child = tp_hdf5_span_take(&children, 8);
        TP_TRY(found > 0 ? check_group_node(guard, child, found - 1, heap) : check_list(guard, child, heap));
    }
    return TP_OK;
}

tp_status tp_hdf5_guard_old_group(tp_hdf5_guard *guard, uint64_t tree, uint64_t heap)
{
    name_heap names;
    TP_TRY(read_name_heap(guard, heap, &names));
    return check_group_node(guard, tree, -1, names);
}

/* New groups and attributes: a heap of blocks in rows of four, whose size doubles from row to row (the first
   two are equal); what is larger than a page lies alone (huge) and is found by a tree. */
typedef struct block_heap {
    tp_hdf5_guard *guard;
    uint64_t address;
    bool is_links, has_sums;
    uint64_t first_bytes; /* of a block in the first row */
    int offset_bytes, row_count;
    uint64_t root, huge_tree;
} block_heap;

static tp_status read_block_heap(block_heap *heap, uint64_t address, bool is_links)
{
    tp_hdf5_guard *guard = heap->guard;
    tp_hdf5_span head = tp_hdf5_span_of(guard, address, 146);
    bool is_right = tp_hdf5_span_is(&head, "FRHP") && tp_hdf5_span_take(&head, 1) == 0;
    uint64_t id_bytes = tp_hdf5_span_take(&head, 2), filters = tp_hdf5_span_take(&head, 2);
    uint64_t flags = tp_hdf5_span_take(&head, 1), object_max = tp_hdf5_span_take(&head, 4);
    tp_hdf5_span_skip(&head, 8);
    heap->huge_tree = tp_hdf5_span_take(&head, 8);
    tp_hdf5_span_skip(&head, 80); /* statistics and free space: for writers */
    uint64_t width = tp_hdf5_span_take(&head, 2);
    heap->first_bytes = tp_hdf5_span_take(&head, 8);
    uint64_t direct_max = tp_hdf5_span_take(&head, 8), bits = tp_hdf5_span_take(&head, 2);
    tp_hdf5_span_skip(&head, 2);
    heap->root = tp_hdf5_span_take(&head, 8);
    heap->row_count = (int)tp_hdf5_span_take(&head, 2);
    heap->address = address;
    heap->is_links = is_links;
    heap->has_sums = (flags & 2) != 0;
    heap->offset_bytes = is_links ? 4 : 5;
    bool is_usual = id_bytes == (is_links ? 7 : 8) && filters == 0 && (flags & ~(uint64_t)2) == 0 &&
                    object_max == 4096 && width == WIDTH && direct_max == DIRECT_MAX &&
                    heap->first_bytes == (is_links ? 512 : 1024) && bits == (is_links ? 32 : 40);
    if (!is_right || head.is_short) return tp_hdf5_refuse(guard, "the heap of an object is damaged");
    /* as many rows as offsets have bits left */
    if (heap->row_count > (is_links ? 22 : 29)) is_usual = false;
    return is_usual ? TP_OK : tp_hdf5_refuse(guard, "the heap of an object has an unusual shape");
}

/* Bytes of a block in a row, and of all blocks before the row. */
static uint64_t row_bytes(const block_heap *heap, int row)
{
    return heap->first_bytes << (row > 0 ? row - 1 : 0);
}

static uint64_t row_start(const block_heap *heap, int row)
{
    return row > 0 ? WIDTH * (heap->first_bytes << (row - 1)) : 0;
}

/* The head of a block, which knows its heap and its place there. */
static tp_status check_block_head(const block_heap *heap, tp_hdf5_span *block, const char *signature,
                                  uint64_t start)
{
    bool is_right = tp_hdf5_span_is(block, signature) && tp_hdf5_span_take(block, 1) == 0 &&
                    tp_hdf5_span_take(block, 8) == heap->address &&
                    tp_hdf5_span_take(block, heap->offset_bytes) == start;
    return is_right && !block->is_short ? TP_OK : tp_hdf5_refuse(heap->guard, "a block of a heap is damaged");
}

/* A block and the part of the heap that it holds. */
typedef struct heap_block {
    uint64_t address, start, bytes;
} heap_block;

/* How many rows hold so many bytes. */
static int rows_for(const block_heap *heap, uint64_t bytes)
{
    int count = 0;
    while (row_start(heap, count) < bytes) count++;
    return count;
}

/* One step from a block of blocks to the one that holds the offset. */
static tp_status enter_block(const block_heap *heap, uint64_t offset, int row_count, heap_block *block)
{
    int row = 0;
    uint64_t inside = offset - block->start;
    while (row < row_count && inside >= row_start(heap, row + 1)) row++;
    if (row >= row_count) return tp_hdf5_refuse(heap->guard, "a heap has no such place");
    uint64_t column = (inside - row_start(heap, row)) / row_bytes(heap, row);
    uint64_t head_bytes = 13 + (uint64_t)heap->offset_bytes, count = (uint64_t)(WIDTH * row_count);
    tp_hdf5_span span = tp_hdf5_span_of(heap->guard, block->address, head_bytes + 8 * count + 4);
    TP_TRY(check_block_head(heap, &span, "FHIB", block->start));
    tp_hdf5_span_skip(&span, 8 * (WIDTH * (uint64_t)row + column));
    block->address = tp_hdf5_span_take(&span, 8);
    block->bytes = row_bytes(heap, row);
    block->start += row_start(heap, row) + column * block->bytes;
    return TP_OK;
}

/* The block of bytes that holds an offset. Blocks of later rows are rows of smaller blocks themselves. */
static tp_status find_block(const block_heap *heap, uint64_t offset, heap_block *block)
{
    *block = (heap_block){heap->root, 0, heap->first_bytes};
    for (int row_count = heap->row_count; row_count > 0;) {
        TP_TRY(enter_block(heap, offset, row_count, block));
        row_count = block->bytes > DIRECT_MAX ? rows_for(heap, block->bytes) : 0;
    }
    return TP_OK;
}

/* Trees of version 2 */
typedef struct tree tree;

typedef tp_status (*record_check)(tree *self, tp_hdf5_span record);

struct tree {
    tp_hdf5_guard *guard;
    const block_heap *heap;
    int type, record_bytes;
    record_check check;
    uint64_t wanted; /* of the search in a tree of huge objects */
    uint64_t found_at, found_bytes;
    bool is_found;
    uint64_t total;  /* records */
    int count_bytes; /* of a number of records in a node */
    uint64_t record_max[TREE_DEPTH_MAX + 1], total_max[TREE_DEPTH_MAX + 1];
    int total_bytes[TREE_DEPTH_MAX + 1];
};

/* Bytes of a number up to max. */
static int bytes_for(uint64_t max)
{
    int bytes = 1;
    while (bytes < 8 && max >> (8 * bytes) != 0) bytes++;
    return bytes;
}

/* How many records nodes of each level hold, as the library computes it. */
static void measure_levels(tree *t, int depth)
{
    t->record_max[0] = t->total_max[0] = (uint64_t)((NODE_BYTES - 10) / t->record_bytes);
    t->total_bytes[0] = 0;
    t->count_bytes = bytes_for(t->record_max[0]);
    for (int level = 1; level <= depth; level++) {
        int pointer = 8 + t->count_bytes + t->total_bytes[level - 1];
        t->record_max[level] = (uint64_t)((NODE_BYTES - 10 - pointer) / (t->record_bytes + pointer));
        t->total_max[level] = (t->record_max[level] + 1) * t->total_max[level - 1] + t->record_max[level];
        t->total_bytes[level] = bytes_for(t->total_max[level]);
    }
}

/* Adds its records to t->total: the library makes tables of the size that is announced, and fills them. */
static tp_status check_tree_node(tree *t, uint64_t address, int level, uint64_t count)
{
    tp_hdf5_span node = tp_hdf5_span_of(t->guard, address, NODE_BYTES);
    bool is_right = tp_hdf5_span_is(&node, level > 0 ? "BTIN" : "BTLF") && tp_hdf5_span_take(&node, 1) == 0 &&
                    tp_hdf5_span_take(&node, 1) == (uint64_t)t->type;
    if (!is_right || node.is_short || count > t->record_max[level]) {
        return tp_hdf5_refuse(t->guard, "the tree of an object is damaged");
    }
    for (uint64_t i = 0; i < count; i++) {
        TP_TRY(t->check(t, tp_hdf5_span_part(&node, (uint64_t)t->record_bytes)));
    }
    t->total += count;
    for (uint64_t i = 0; i <= count && level > 0; i++) {
        uint64_t child = tp_hdf5_span_take(&node, 8), child_count = tp_hdf5_span_take(&node, t->count_bytes);
        uint64_t announced = tp_hdf5_span_take(&node, t->total_bytes[level - 1]), before = t->total;
        if (node.is_short) return tp_hdf5_refuse(t->guard, "the tree of an object is damaged");
        TP_TRY(check_tree_node(t, child, level - 1, child_count));
        if (level > 1 && t->total - before != announced) {
            return tp_hdf5_refuse(t->guard, "the tree of an object counts wrongly");
        }
    }
    return TP_OK;
}

static tp_status check_tree(tree *t, uint64_t address)
{
    tp_hdf5_span head = tp_hdf5_span_of(t->guard, address, 38);
    bool is_right = tp_hdf5_span_is(&head, "BTHD") && tp_hdf5_span_take(&head, 1) == 0;
    int type = (int)tp_hdf5_span_take(&head, 1);
    uint64_t node_bytes = tp_hdf5_span_take(&head, 4), record_bytes = tp_hdf5_span_take(&head, 2);
    int depth = (int)tp_hdf5_span_take(&head, 2);
    uint64_t percents = tp_hdf5_span_take(&head, 2), root = tp_hdf5_span_take(&head, 8);
    uint64_t count = tp_hdf5_span_take(&head, 2);
    uint64_t total = tp_hdf5_span_take(&head, 8);
    is_right = is_right && type == t->type && node_bytes == NODE_BYTES &&
               record_bytes == (uint64_t)t->record_bytes && depth < 8 && percents == (40 << 8 | 100);
    if (!is_right || head.is_short || total > t->guard->size) {
        return tp_hdf5_refuse(t->guard, "the tree of an object is damaged or has an unusual shape");
    }
    measure_levels(t, depth);
    if (root == TP_HDF5_NOWHERE) {
        return count == 0 && total == 0 ? TP_OK : tp_hdf5_refuse(t->guard, "a tree has no root");
    }
    t->total = 0;
    TP_TRY(check_tree_node(t, root, depth, count));
    return t->total == total ? TP_OK : tp_hdf5_refuse(t->guard, "the tree of an object counts wrongly");
}

/* Address, length and number of an object that lies alone. */
static tp_status check_huge(tree *t, tp_hdf5_span record)
{
    uint64_t address = tp_hdf5_span_take(&record, 8), bytes = tp_hdf5_span_take(&record, 8);
    uint64_t number = tp_hdf5_span_take(&record, 8);
    if (bytes == 0 || tp_hdf5_span_of(t->guard, address, bytes).is_short) {
        return tp_hdf5_refuse(t->guard, "a member lies outside of the file");
    }
    if (number == t->wanted) {
        t->is_found = true;
        t->found_at = address;
        t->found_bytes = bytes;
    }
    return TP_OK;
}

static tp_status find_huge(const block_heap *heap, uint64_t number, tp_hdf5_span *span_out)
{
    tree t = {.guard = heap->guard, .type = 1, .record_bytes = 24, .check = check_huge, .wanted = number};
    TP_TRY(check_tree(&t, heap->huge_tree));
    *span_out = tp_hdf5_span_of(heap->guard, t.found_at, t.found_bytes);
    return t.is_found ? TP_OK : tp_hdf5_refuse(heap->guard, "a member is missing");
}

/* The bytes of an object by its number in the heap, which is read from the record of a tree. */
static tp_status find_in_heap(const block_heap *heap, tp_hdf5_span id, tp_hdf5_span *span_out)
{
    unsigned kind = (unsigned)tp_hdf5_span_take(&id, 1);
    if (kind == 0x10) return find_huge(heap, tp_hdf5_span_take(&id, heap->is_links ? 6 : 7), span_out);
    if (kind != 0) return tp_hdf5_refuse(heap->guard, "a member is stored in an unusual way");
    uint64_t offset = tp_hdf5_span_take(&id, heap->offset_bytes), length = tp_hdf5_span_take(&id, 2);
    heap_block block;
    TP_TRY(find_block(heap, offset, &block));
    tp_hdf5_span head = tp_hdf5_span_of(heap->guard, block.address, block.bytes), data = head;
    TP_TRY(check_block_head(heap, &head, "FHDB", block.start));
    uint64_t head_bytes = 13 + (uint64_t)heap->offset_bytes + (heap->has_sums ? 4 : 0),
             at = offset - block.start;
    bool is_inside = at >= head_bytes && at <= block.bytes && length <= block.bytes - at && length > 0;
    if (!is_inside) return tp_hdf5_refuse(heap->guard, "a member lies outside of its block");
    tp_hdf5_span_skip(&data, at);
    *span_out = tp_hdf5_span_part(&data, length);
    return TP_OK;
}

/* Records hold the number of the object in the heap after (links) or before (attributes) what they sort by.
 */
static tp_status check_member(tree *t, tp_hdf5_span record)
{
    tp_hdf5_span member;
    if (t->heap->is_links) tp_hdf5_span_skip(&record, (uint64_t)t->record_bytes - 7);
    tp_hdf5_span id = tp_hdf5_span_part(&record, t->heap->is_links ? 7 : 8);
    if (!t->heap->is_links && tp_hdf5_span_take(&record, 1) & 2) {
        return tp_hdf5_refuse(t->guard, "an attribute is shared");
    }
    TP_TRY(find_in_heap(t->heap, id, &member));
    return t->heap->is_links ? tp_hdf5_guard_link(member) : tp_hdf5_guard_attribute(member);
}

tp_status tp_hdf5_guard_dense(tp_hdf5_guard *guard, const tp_hdf5_dense *dense, bool is_links)
{
    block_heap heap = {.guard = guard};
    TP_TRY(read_block_heap(&heap, dense->heap, is_links));
    tree t = {.guard = guard, .heap = &heap, .check = check_member};
    t.type = is_links ? 5 : 8;
    t.record_bytes = is_links ? 11 : 17;
    TP_TRY(check_tree(&t, dense->by_name));
    if (dense->by_order == TP_HDF5_NOWHERE) return TP_OK;
    uint64_t total = t.total;
    t.type = is_links ? 6 : 9;
    t.record_bytes = is_links ? 15 : 13;
    TP_TRY(check_tree(&t, dense->by_order));
    return t.total == total ? TP_OK : tp_hdf5_refuse(guard, "two trees of an object differ");
}
