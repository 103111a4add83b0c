/* The scratch stack: work arrays taken and given back in order (mark, take ..., release).
   It grows by whole chunks and keeps them, so that repeating the same work allocates nothing. */
#ifndef TP_BASE_STACK_H
#define TP_BASE_STACK_H

#include "tippe/base.h"

#include <stdint.h>

typedef struct tp_stack_chunk {
    struct tp_stack_chunk *next;
    unsigned char *memory; /* aligned */
    size_t capacity, used;
} tp_stack_chunk;

enum { TP_STACK_ALIGNMENT = 64 };

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
   little more from time to time (pivots that wander, contacts that slide) then finds it. Above 32 MiB, where
   twice as much would be a waste, several chunks become one with room for an eighth more. Does nothing while
   something is taken. */
void tp_stack_settle(tp_stack *stack);

tp_stack_mark tp_stack_mark_now(const tp_stack *stack);
void tp_stack_release(tp_stack *stack, tp_stack_mark mark);

/* Bytes, a multiple of TP_STACK_ALIGNMENT, from the next chunk or beyond the high-water mark. */
void *tp_stack_take_more(tp_stack *stack, size_t bytes);

/* Memory for count items, 64-byte aligned, NOT zeroed; NULL when there is none (and stack->failed is set). */
static inline void *tp_stack_take(tp_stack *stack, size_t count, size_t item_bytes)
{
    if (item_bytes != 0 && count > (SIZE_MAX / 4) / item_bytes) {
        stack->failed = true;
        return NULL;
    }
    size_t least = count * item_bytes > 0 ? count * item_bytes : 1,
           bytes = (least + TP_STACK_ALIGNMENT - 1) / TP_STACK_ALIGNMENT * TP_STACK_ALIGNMENT;
    tp_stack_chunk *chunk = stack->current;
    if (chunk == NULL || chunk->capacity - chunk->used < bytes ||
        stack->used_before + chunk->used + bytes > stack->high_water)
        return tp_stack_take_more(stack, bytes);
    chunk->used += bytes;
    return chunk->memory + chunk->used - bytes;
}

#define TP_STACK_ARRAY(stack, type, count) ((type *)tp_stack_take((stack), (size_t)(count), sizeof(type)))

/* Arrays of the same length: TP_STACK_DOUBLES(stack, n, &a, &b). */
#define TP_STACK_DOUBLES(stack, count, ...)                                                                  \
    tp_stack_take_doubles((stack), (size_t)(count), (double **const[]){__VA_ARGS__, NULL})
#define TP_STACK_INTS(stack, count, ...)                                                                     \
    tp_stack_take_ints((stack), (size_t)(count), (int **const[]){__VA_ARGS__, NULL})
void tp_stack_take_doubles(tp_stack *stack, size_t count, double **const *arrays /* NULL at the end */);
void tp_stack_take_ints(tp_stack *stack, size_t count, int **const *arrays);

#endif
