/* An arena: many small pieces of memory that live and die together. */
#ifndef TP_BASE_ARENA_H
#define TP_BASE_ARENA_H

#include "tippe/base.h"

#include <stddef.h>

typedef struct tp_arena_chunk tp_arena_chunk;

typedef struct tp_arena {
    const tp_allocator *allocator;
    tp_arena_chunk *newest, *spare; /* spare: to be used again, after a reset */
    bool has_failed;                /* a piece could not be taken */
    size_t chunk_bytes;             /* of a chunk at least; 0: 64 KiB */
} tp_arena;

/* Chunks that the program gives back to the system when they are released (cli/main.c): for arenas that may
   become large and live shorter than others, which would else hold the memory between their pieces. */
enum { TP_ARENA_LARGE_CHUNKS = 1 << 20 };

/* An empty one. allocator NULL means the default one; it is borrowed until the arena is cleared. */
tp_arena tp_arena_make(const tp_allocator *allocator);
void tp_arena_init(tp_arena *arena, const tp_allocator *allocator);

/* Releases every piece; the arena may lie in one of them. */
void tp_arena_clear(tp_arena *arena);

/* All pieces are given back, but the memory stays, at least so many bytes of it: the same pieces, or smaller
   ones, can be taken again without asking for any. */
void tp_arena_reset(tp_arena *arena, size_t least);

/* Bytes of all its chunks. */
size_t tp_arena_capacity(const tp_arena *arena);

/* Zeroed memory for count items of the given size, aligned to 64 bytes, below 256 bytes to 16; NULL when
   there is none or the product overflows. */
void *tp_arena_take(tp_arena *arena, size_t count, size_t item_bytes);

/* The same without zeros: memory that is never written is never used. */
void *tp_arena_take_raw(tp_arena *arena, size_t count, size_t item_bytes);

/* A zeroed object that lies in its own member `arena`, whose end is the end of it; NULL without memory. */
#define TP_ARENA_OBJECT(type, allocator)                                                                     \
    ((type *)tp_arena_make_object((allocator), sizeof(type), offsetof(type, arena)))
void *tp_arena_make_object(const tp_allocator *allocator, size_t bytes, size_t arena_offset);

/* Arrays of so many zeroed doubles each, the same length for all: TP_ARENA_DOUBLES(arena, n, &a, &b). */
#define TP_ARENA_DOUBLES(arena, count, ...)                                                                  \
    tp_arena_take_doubles((arena), (size_t)(count), (double **const[]){__VA_ARGS__, NULL})
void tp_arena_take_doubles(tp_arena *arena, size_t count, double **const *arrays /* NULL at the end */);
#define TP_ARENA_INTS(arena, count, ...)                                                                     \
    tp_arena_take_ints((arena), (size_t)(count), (int **const[]){__VA_ARGS__, NULL})
void tp_arena_take_ints(tp_arena *arena, size_t count, int **const *arrays);

/* TP_OUT_OF_MEMORY if one of the pieces so far could not be taken: arrays that are only kept need no other
   check. */
static inline tp_status tp_arena_status(const tp_arena *arena)
{
    return arena->has_failed ? TP_OUT_OF_MEMORY : TP_OK;
}

/* Gives a piece of so many bytes back if it has a chunk of its own, as large ones do; else it stays until the
   arena is cleared. */
void tp_arena_release(tp_arena *arena, const void *piece, size_t bytes);

/* Copies count items into the arena; NULL on failure. Bytes (text) are not aligned. */
void *tp_arena_copy(tp_arena *arena, const void *items, size_t count, size_t item_bytes);

#define TP_ARENA_ARRAY(arena, type, count) ((type *)tp_arena_take((arena), (size_t)(count), sizeof(type)))
#define TP_ARENA_RAW(arena, type, count)   ((type *)tp_arena_take_raw((arena), (size_t)(count), sizeof(type)))

#endif
