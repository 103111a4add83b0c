/* Answers of islands that come again bit by bit. */
#include "island_memory.h"

#include "tolerances.h"

#include <string.h>

uint64_t tp_island_hash(const void *key, size_t bytes)
{
    const unsigned char *at = key;
    uint64_t hash = bytes;
    size_t step = 8 * (1 + bytes / (8 * TP_HASHED_WORDS));
    for (size_t k = 0; k + 8 <= bytes; k += step) {
        uint64_t word;
        memcpy(&word, at + k, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static void release(const tp_allocator *allocator, void *memory)
{
    if (memory != NULL) allocator->release(allocator->context, memory);
}

static void clear_step(const tp_allocator *allocator, tp_memory_step *step)
{
    release(allocator, step->bytes);
    release(allocator, step->entry);
    release(allocator, step->slot);
    *step = (tp_memory_step){0};
}

void tp_island_memory_clear(tp_island_memory *memory)
{
    clear_step(memory->allocator, &memory->now);
    clear_step(memory->allocator, &memory->before);
}

static int first_slot(const tp_memory_step *step, uint64_t hash)
{
    return (int)(hash & (uint64_t)(step->slot_capacity - 1));
}

static void enter(tp_memory_step *step, int number)
{
    int at = first_slot(step, step->entry[number].hash);
    while (step->slot[at] != 0) at = (at + 1) & (step->slot_capacity - 1);
    step->slot[at] = number + 1;
}

/* Empties a step, the last entry first so that the way to the others is whole: small scenes have few entries
   in a large table. */
static void forget(tp_memory_step *step)
{
    for (int k = step->count - 1; k >= 0; k--) {
        int at = first_slot(step, step->entry[k].hash);
        while (step->slot[at] != k + 1) at = (at + 1) & (step->slot_capacity - 1);
        step->slot[at] = 0;
    }
    step->count = 0;
    step->used = 0;
}

/* A larger array in place of one whose contents have been copied, or may be lost. */
static void *take(const tp_allocator *allocator, size_t bytes, void *old, size_t kept)
{
    void *larger = allocator->allocate(allocator->context, bytes);
    if (larger == NULL) return NULL;
    if (kept > 0) memcpy(larger, old, kept);
    release(allocator, old);
    return larger;
}

/* Twice as much as is asked for. Without memory there is less room, and less is kept. */
static void grow_step(const tp_allocator *allocator, tp_memory_step *step, size_t bytes, int entries)
{
    if (bytes > step->capacity) {
        size_t more = bytes > TP_MEMORY_BYTES ? 2 * bytes : TP_MEMORY_BYTES;
        void *larger = take(allocator, more, step->bytes, step->used);
        if (larger == NULL) return;
        step->bytes = larger;
        step->capacity = more;
    }
    if (entries <= step->entry_capacity) return;
    int more = TP_MEMORY_ENTRIES;
    while (more < entries) more *= 2;
    void *entry = take(allocator, (size_t)more * sizeof(tp_memory_entry), step->entry,
                       (size_t)step->count * sizeof(tp_memory_entry));
    if (entry == NULL) return;
    step->entry = entry;
    void *slot = take(allocator, 2 * (size_t)more * sizeof(int), step->slot, 0);
    if (slot == NULL) return;
    step->slot = slot;
    step->slot_capacity = 2 * more;
    step->entry_capacity = more;
    memset(slot, 0, 2 * (size_t)more * sizeof(int));
    for (int k = 0; k < step->count; k++) enter(step, k);
}

static void grow(tp_island_memory *memory, size_t bytes, int entries)
{
    grow_step(memory->allocator, &memory->now, bytes, entries);
    grow_step(memory->allocator, &memory->before, bytes, entries);
}

void tp_island_memory_turn(tp_island_memory *memory)
{
    if (!memory->is_on) grow(memory, TP_MEMORY_BYTES, TP_MEMORY_ENTRIES);
    tp_memory_step spare = memory->before;
    memory->before = memory->now;
    memory->now = spare;
    forget(&memory->now);
    memory->is_on = true;
}

void tp_island_memory_reserve(tp_island_memory *memory, size_t bytes, int islands)
{
    if (!memory->is_on) return;
    size_t solves = bytes <= TP_MEMORY_SMALL ? TP_MEMORY_SOLVES : 1;
    bytes = bytes * solves > TP_MEMORY_BYTES ? bytes * solves : TP_MEMORY_BYTES;
    grow(memory, bytes, TP_MEMORY_SOLVES * islands);
}

static void keep(tp_memory_step *step, tp_memory_entry entry, const void *key, const void *answer)
{
    if (step->count >= step->entry_capacity || entry.key + entry.answer > step->capacity - step->used) return;
    entry.start = step->used;
    memcpy(step->bytes + entry.start, key, entry.key);
    memcpy(step->bytes + entry.start + entry.key, answer, entry.answer);
    step->used += entry.key + entry.answer;
    step->entry[step->count] = entry;
    enter(step, step->count++);
}

static const tp_memory_entry *find(const tp_memory_step *step, uint64_t hash, const void *key, size_t bytes)
{
    if (step->count == 0) return NULL;
    int at = first_slot(step, hash);
    for (; step->slot[at] != 0; at = (at + 1) & (step->slot_capacity - 1)) {
        const tp_memory_entry *entry = &step->entry[step->slot[at] - 1];
        bool may_be = entry->hash == hash && entry->key == bytes;
        if (may_be && memcmp(step->bytes + entry->start, key, bytes) == 0) return entry;
    }
    return NULL;
}

const void *tp_island_memory_find(tp_island_memory *memory, uint64_t hash, const void *key, size_t bytes)
{
    if (!memory->is_on) return NULL;
    const tp_memory_entry *entry = find(&memory->now, hash, key, bytes);
    if (entry != NULL) return memory->now.bytes + entry->start + entry->key;
    entry = find(&memory->before, hash, key, bytes);
    if (entry == NULL) return NULL;
    const unsigned char *start = memory->before.bytes + entry->start;
    keep(&memory->now, *entry, start, start + entry->key);
    return start + entry->key;
}

void tp_island_memory_keep(tp_island_memory *memory, uint64_t hash, const void *key, size_t key_bytes,
                           const void *answer, size_t answer_bytes)
{
    tp_memory_entry entry = {.hash = hash, .key = key_bytes, .answer = answer_bytes};
    if (memory->is_on) keep(&memory->now, entry, key, answer);
}
