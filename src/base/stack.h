/* The scratch stack: work arrays taken and given back in order (mark, take ..., release).
   It grows by whole chunks and keeps them, so that repeating the same work allocates nothing. */
#ifndef TP_BASE_STACK_H
#define TP_BASE_STACK_H

#include "tippe/base.h"

typedef struct tp_stack_chunk tp_stack_chunk;

typedef struct tp_stack {
    const tp_allocator *allocator;
    tp_stack_chunk *first, *current; /* chunks in order of use; those behind current are spare */
    size_t used_before;              /* bytes in the chunks before current                     */
    size_t high_water;               /* most bytes ever in use                                  */
    size_t reserved;                 /* most bytes ever asked for in advance                    */
    bool failed;                     /* a take returned NULL since the last mark was released   */
} tp_stack;

typedef struct tp_stack_mark {
    tp_stack_chunk *chunk;
    size_t used, used_before;
} tp_stack_mark;

void tp_stack_init(tp_stack *stack, const tp_allocator *allocator);
void tp_stack_clear(tp_stack *stack);

/* Makes sure that the next `bytes` can be taken without allocating; a settled stack keeps room for them. */
tp_status tp_stack_reserve(tp_stack *stack, size_t bytes);

/* Where nothing is taken and no mark will be released any more: if the stack is nearly full at its high-water
   mark, its chunks become one with room for twice as much, and for what was reserved. Work that needs a
   little more from time to time (pivots that wander, contacts that slide) then finds it. Does nothing while
   something is taken, or above 32 MiB, where twice as much would be a waste. */
void tp_stack_settle(tp_stack *stack);

tp_stack_mark tp_stack_mark_now(const tp_stack *stack);
void tp_stack_release(tp_stack *stack, tp_stack_mark mark);

/* Memory for count items, 64-byte aligned, NOT zeroed; NULL when there is none (and stack->failed is set). */
void *tp_stack_take(tp_stack *stack, size_t count, size_t item_bytes);

#define TP_STACK_ARRAY(stack, type, count) ((type *)tp_stack_take((stack), (size_t)(count), sizeof(type)))

#endif
