/* Answers of islands that come again bit by bit: those of the present step and of the one before. */
#ifndef TP_SOLVER_ISLAND_MEMORY_H
#define TP_SOLVER_ISLAND_MEMORY_H

#include "tippe/base.h"

#include <stdint.h>

typedef struct tp_memory_entry {
    uint64_t hash;
    size_t start, key, answer; /* place and lengths in bytes */
} tp_memory_entry;

/* What one step solved; found by hash, compared byte by byte. */
typedef struct tp_memory_step {
    unsigned char *bytes;
    size_t used, capacity;
    tp_memory_entry *entry;
    int count, entry_capacity;
    int *slot; /* [slot_capacity], a power of two, twice the entries: number of an entry + 1, 0: none */
    int slot_capacity;
} tp_memory_step;

typedef struct tp_island_memory {
    const tp_allocator *allocator;
    bool is_on;
    tp_memory_step now, before;
} tp_island_memory;

void tp_island_memory_clear(tp_island_memory *memory);

/* What was kept in this step becomes that of the step before. */
void tp_island_memory_turn(tp_island_memory *memory);

/* Where a key is looked for and kept; lengths of keys are multiples of 8. */
uint64_t tp_island_hash(const void *key, size_t bytes);

/* The answer that was kept with this key; NULL: none. It is kept in this step, too. */
const void *tp_island_memory_find(tp_island_memory *memory, uint64_t hash, const void *key, size_t bytes);

/* Room for some solves of a problem whose islands and answers take so many bytes. Memory is taken here alone,
   when problems become larger. */
void tp_island_memory_reserve(tp_island_memory *memory, size_t bytes, int islands);

/* Where there is no room nothing is kept. */
void tp_island_memory_keep(tp_island_memory *memory, uint64_t hash, const void *key, size_t key_bytes,
                           const void *answer, size_t answer_bytes);

#endif
