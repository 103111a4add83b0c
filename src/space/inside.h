/* The inside of a space, shared by grid.c and tree.c. */
#ifndef TP_SPACE_INSIDE_H
#define TP_SPACE_INSIDE_H

#include "base/arena.h"
#include "base/pool.h"
#include "space/space.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct tp_space_node {
    tp_bounds box;
    int parent, child[2]; /* child[0] < 0: a leaf, of thing child[1]; free nodes: parent is the next one */
    int height;
} tp_space_node;

struct tp_space {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_pool *pool; /* of the present update */
    tp_space_rules rules;
    tp_space_method used;
    int count;
    tp_bounds *box;       /* [count] the wider ones                                */
    unsigned char *state; /* [count] bits below                                    */
    int *unbounded;       /* [unbounded_count]                                     */
    int unbounded_count, moved_count;

    tp_space_pair *pairs, *raw; /* [capacity]; raw: in no order */
    int pair_count, raw_count, capacity;
    atomic_llong gathered; /* gather.c: raw pairs, those without room included */
    int *first;            /* [count + 1] counting sort                                */

    uint64_t *key, *other_key; /* [count] grid: cells of things, and work of the sort */
    int *order, *other_order;  /* [count] things by cell                              */
    int grid_count;            /* of them                                             */

    tp_space_node *node; /* [2 count] */
    int *leaf;           /* [count] node of a thing, or -1 */
    int *stack;          /* [2 count] */
    int root, free_node; /* -1: none                                   */
    int used_nodes;      /* those from there on were never taken       */
    bool has_leaves;     /* `leaf` holds numbers                       */
};

enum { TP_SPACE_BOUNDED = 1, TP_SPACE_MOVED = 2, TP_SPACE_KNOWN = 4 };

static inline bool tp_boxes_overlap(const tp_bounds *a, const tp_bounds *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

/* Adds a pair, in any order, if it may meet; TP_OUT_OF_MEMORY. */
tp_status tp_space_add(tp_space *space, int a, int b);

/* Room for so many pairs, and more. */
tp_status tp_space_reserve(tp_space *space, long long count);

/* What one task takes. */
enum { TP_SPACE_THINGS_OF_TASK = 512 };

/* gather.c: a search over ranges of things by the threads of the pool, which may run twice; each adds its
   pairs, in any order, as tp_space_add. */
typedef struct tp_space_gatherer tp_space_gatherer;
typedef void tp_space_search(tp_space_gatherer *gatherer, const tp_space *space, const void *context,
                             int begin, int end);
void tp_space_gather(tp_space_gatherer *gatherer, int a, int b);
tp_status tp_space_search_all(tp_space *space, int count, tp_space_search *search, const void *context);

/* All pairs of bounded things that have a moved one; false: coordinates are too large for cells, nothing was
   added. */
tp_status tp_space_grid(tp_space *space, bool *is_done_out);

/* Brings the tree up to the moved things, then all pairs that have one. */
tp_status tp_space_tree(tp_space *space);
void tp_space_tree_clear(tp_space *space);

#endif
