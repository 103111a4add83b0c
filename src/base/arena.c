/* The arena: a list of chunks, each at least 64 KiB, filled from front to back. */
#include "arena.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, SMALLEST_CHUNK = 65536 };

struct tp_arena_chunk {
    tp_arena_chunk *older;
    size_t capacity, used;
};

static const size_t header_bytes = (sizeof(tp_arena_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

void tp_arena_init(tp_arena *arena, const tp_allocator *allocator)
{
    arena->allocator = allocator != NULL ? allocator : tp_allocator_default();
    arena->newest = NULL;
    arena->has_failed = false;
}

void tp_arena_clear(tp_arena *arena)
{
    while (arena->newest != NULL) {
        tp_arena_chunk *chunk = arena->newest;
        arena->newest = chunk->older;
        arena->allocator->release(arena->allocator->context, chunk);
    }
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

void tp_arena_reset(tp_arena *arena)
{
    size_t capacity = 0;
    for (const tp_arena_chunk *chunk = arena->newest; chunk != NULL; chunk = chunk->older)
        capacity += chunk->capacity;
    arena->has_failed = false;
    if (arena->newest != NULL && arena->newest->older == NULL) {
        arena->newest->used = 0;
        return;
    }
    tp_arena_clear(arena);
    if (capacity > 0) add_chunk(arena, capacity); /* without memory pieces are taken as at first */
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

void *tp_arena_take(tp_arena *arena, size_t count, size_t item_bytes)
{
    if (item_bytes != 0 && count > (SIZE_MAX / 4) / item_bytes) return fail(arena);
    size_t bytes = (count * item_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) bytes = ALIGNMENT;

    tp_arena_chunk *chunk = arena->newest;
    if (chunk == NULL || chunk->capacity - chunk->used < bytes) {
        chunk = add_chunk(arena, bytes > SMALLEST_CHUNK ? bytes : SMALLEST_CHUNK);
        if (chunk == NULL) return fail(arena);
    }
    void *memory = chunk_memory(chunk) + chunk->used;
    chunk->used += bytes;
    return memset(memory, 0, bytes);
}

void *tp_arena_copy(tp_arena *arena, const void *items, size_t count, size_t item_bytes)
{
    void *memory = tp_arena_take(arena, count, item_bytes);
    if (memory != NULL && count > 0 && item_bytes > 0) memcpy(memory, items, count * item_bytes);
    return memory;
}
