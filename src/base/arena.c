/* The arena: a list of chunks, each at least 64 KiB, filled from front to back. */
#include "arena.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, SMALL_ALIGNMENT = 16, LARGE_PIECE = 256, SMALLEST_CHUNK = 65536 };

struct tp_arena_chunk {
    tp_arena_chunk *older;
    size_t capacity, used;
};

static const size_t header_bytes = (sizeof(tp_arena_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

tp_arena tp_arena_make(const tp_allocator *allocator)
{
    return (tp_arena){.allocator = allocator != NULL ? allocator : tp_allocator_default()};
}

void tp_arena_init(tp_arena *arena, const tp_allocator *allocator)
{
    *arena = tp_arena_make(allocator);
}

static void release(const tp_allocator *allocator, tp_arena_chunk *list)
{
    while (list != NULL) {
        tp_arena_chunk *chunk = list;
        list = chunk->older;
        allocator->release(allocator->context, chunk);
    }
}

void tp_arena_clear(tp_arena *arena)
{
    const tp_arena was = *arena; /* it may be gone with the first chunk */
    arena->newest = arena->spare = NULL;
    release(was.allocator, was.newest);
    release(was.allocator, was.spare);
}

static tp_arena_chunk *add_chunk(tp_arena *arena, size_t capacity)
{
    tp_arena_chunk *chunk =
        arena->allocator->allocate(arena->allocator->context, header_bytes + capacity + ALIGNMENT);
    if (chunk == NULL) return NULL;
    chunk->older = arena->newest;
    chunk->capacity = capacity;
    chunk->used = 0;
    arena->newest = chunk;
    return chunk;
}

size_t tp_arena_capacity(const tp_arena *arena)
{
    size_t capacity = 0;
    for (const tp_arena_chunk *chunk = arena->newest; chunk != NULL; chunk = chunk->older)
        capacity += chunk->capacity;
    for (const tp_arena_chunk *chunk = arena->spare; chunk != NULL; chunk = chunk->older)
        capacity += chunk->capacity;
    return capacity;
}

void tp_arena_reset(tp_arena *arena, size_t least)
{
    arena->has_failed = false;
    if (tp_arena_capacity(arena) < least) {
        tp_arena_clear(arena);
        if (add_chunk(arena, least) == NULL) return; /* pieces are taken as at first */
    }
    while (arena->newest != NULL) { /* so that the first one is used first again */
        tp_arena_chunk *chunk = arena->newest;
        arena->newest = chunk->older;
        chunk->older = arena->spare;
        chunk->used = 0;
        arena->spare = chunk;
    }
}

/* A chunk with room for so many bytes: the newest, the next spare one that has it, or a new one. */
static tp_arena_chunk *chunk_for(tp_arena *arena, size_t bytes)
{
    tp_arena_chunk *chunk = arena->newest;
    while ((chunk == NULL || chunk->capacity - chunk->used < bytes) && arena->spare != NULL) {
        chunk = arena->spare;
        arena->spare = chunk->older;
        chunk->older = arena->newest;
        arena->newest = chunk;
    }
    if (chunk != NULL && chunk->capacity - chunk->used >= bytes) return chunk;
    size_t least = arena->chunk_bytes > 0 ? arena->chunk_bytes : SMALLEST_CHUNK;
    return add_chunk(arena, bytes > least ? bytes : least);
}

/* First aligned address behind the header; the allocator itself promises less than 64 bytes of alignment. */
static unsigned char *chunk_memory(tp_arena_chunk *chunk)
{
    uintptr_t address = (uintptr_t)chunk + header_bytes;
    return (unsigned char *)((address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void *fail(tp_arena *arena)
{
    arena->has_failed = true;
    return NULL;
}

/* Bytes at a multiple of `alignment` (a power of two, at most ALIGNMENT). */
static void *take(tp_arena *arena, size_t bytes, size_t alignment)
{
    tp_arena_chunk *chunk = chunk_for(arena, bytes + alignment - 1);
    if (chunk == NULL) return fail(arena);
    chunk->used = (chunk->used + alignment - 1) / alignment * alignment;
    void *memory = chunk_memory(chunk) + chunk->used;
    chunk->used = bytes > SMALLEST_CHUNK ? chunk->capacity : chunk->used + bytes; /* large ones stay alone */
    return memory;
}

void *tp_arena_take_raw(tp_arena *arena, size_t count, size_t item_bytes)
{
    if (item_bytes != 0 && count > (SIZE_MAX / 4) / item_bytes) return fail(arena);
    size_t bytes = (count * item_bytes + SMALL_ALIGNMENT - 1) / SMALL_ALIGNMENT * SMALL_ALIGNMENT;
    if (bytes == 0) bytes = SMALL_ALIGNMENT;
    return take(arena, bytes, bytes < LARGE_PIECE ? SMALL_ALIGNMENT : ALIGNMENT);
}

void *tp_arena_take(tp_arena *arena, size_t count, size_t item_bytes)
{
    void *memory = tp_arena_take_raw(arena, count, item_bytes);
    return memory != NULL ? memset(memory, 0, count * item_bytes) : NULL;
}

void *tp_arena_make_object(const tp_allocator *allocator, size_t bytes, size_t arena_offset)
{
    tp_arena arena = tp_arena_make(allocator);
    unsigned char *object = tp_arena_take(&arena, 1, bytes);
    if (object != NULL) *(tp_arena *)(void *)(object + arena_offset) = arena;
    return object;
}

void tp_arena_take_doubles(tp_arena *arena, size_t count, double **const *arrays)
{
    for (; *arrays != NULL; arrays++) **arrays = tp_arena_take(arena, count, sizeof(double));
}

void tp_arena_take_ints(tp_arena *arena, size_t count, int **const *arrays)
{
    for (; *arrays != NULL; arrays++) **arrays = tp_arena_take(arena, count, sizeof(int));
}

void tp_arena_release(tp_arena *arena, const void *piece, size_t bytes)
{
    if (bytes <= SMALLEST_CHUNK) return;
    tp_arena_chunk **place = &arena->newest;
    while (*place != NULL && chunk_memory(*place) != piece) place = &(*place)->older;
    tp_arena_chunk *chunk = *place;
    if (chunk == NULL) return;
    *place = chunk->older;
    arena->allocator->release(arena->allocator->context, chunk);
}

void *tp_arena_copy(tp_arena *arena, const void *items, size_t count, size_t item_bytes)
{
    bool is_text = item_bytes == 1 && count > 0;
    void *memory = is_text ? take(arena, count, 1) : tp_arena_take(arena, count, item_bytes);
    if (memory != NULL && count > 0 && item_bytes > 0) memcpy(memory, items, count * item_bytes);
    return memory;
}
