/* An arena: many small pieces of memory that live and die together. */
#ifndef TP_BASE_ARENA_H
#define TP_BASE_ARENA_H

#include "tippe/base.h"

typedef struct tp_arena_chunk tp_arena_chunk;

typedef struct tp_arena {
    const tp_allocator *allocator;
    tp_arena_chunk *newest;
} tp_arena;

/* allocator NULL means the default one; it is borrowed until the arena is cleared. */
void tp_arena_init(tp_arena *arena, const tp_allocator *allocator);

/* Releases every piece. */
void tp_arena_clear(tp_arena *arena);

/* Zeroed memory for count items of the given size, aligned to 64 bytes; NULL when there is none or the
 * product overflows. */
void *tp_arena_take(tp_arena *arena, size_t count, size_t item_bytes);

/* Copies count items into the arena; NULL on failure. */
void *tp_arena_copy(tp_arena *arena, const void *items, size_t count, size_t item_bytes);

#define TP_ARENA_ARRAY(arena, type, count) ((type *)tp_arena_take((arena), (size_t)(count), sizeof(type)))

#endif
