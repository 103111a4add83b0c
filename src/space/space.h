/* Which of many things may touch: pairs whose boxes overlap; docs/theory/contacts-geometry.md (17)-(19).
   Boxes are kept wider than asked for, so that pairs are looked for anew only where a thing has left its box.
   The list depends on the boxes alone, never on the way it was found. */
#ifndef TP_SPACE_SPACE_H
#define TP_SPACE_SPACE_H

#include "base/pool.h"
#include "tippe/geometry.h"

typedef struct tp_space tp_space;

typedef struct tp_space_pair {
    int a, b; /* a < b */
} tp_space_pair;

typedef enum tp_space_method {
    TP_SPACE_AUTO, /* a grid where sizes are alike, else a tree */
    TP_SPACE_GRID,
    TP_SPACE_TREE
} tp_space_method;

typedef struct tp_space_rules {
    void *context;
    bool (*may_meet)(void *context, int a, int b);                       /* NULL: all                    */
    bool (*is_near)(void *context, int unbounded, const tp_bounds *box); /* planes, hollows; NULL: always */
    bool (*has_moved)(void *context, int unbounded); /* since the last update; NULL: never */
    tp_space_method method;
    double slack; /* boxes are wider by this share of their largest side, on each side */
} tp_space_rules;

tp_space_rules tp_space_rules_default(void);

/* `rules` are copied; their context is borrowed. */
tp_status tp_space_create(const tp_allocator *allocator, int count, const tp_space_rules *rules,
                          tp_space **space_out);
void tp_space_free(tp_space *space);

/* Pairs of the boxes given now [count], those that a step may need: positions now, and how far things go. A
   box with an infinite side is unbounded; two unbounded things never meet. TP_INVALID_ARGUMENT: a side is not
   a number, or the wrong way round. Memory grows with the number of pairs, in steps. pool: may be NULL; its
   threads ask the rules at once. */
tp_status tp_space_update(tp_space *space, tp_pool *pool, const tp_bounds *bounds);

/* Ascending by a, then b; all pairs whose given boxes overlap, and some whose wider boxes do. */
const tp_space_pair *tp_space_pairs(const tp_space *space, int *count_out);

/* Things that left their boxes at the last update, and the method that looked for their pairs. */
int tp_space_moved_count(const tp_space *space);
tp_space_method tp_space_method_used(const tp_space *space);

#endif
