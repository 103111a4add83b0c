/* A hash table of names with linear probing. */
#include "base/name_index.h"

#include <stdint.h>
#include <string.h>

/* The entry of a name, or the free one where it would go; the table is never full. */
static tp_name_entry *entry_of(const tp_name_index *index, const char *name)
{
    uint64_t hash = 0xCBF29CE484222325ull; /* FNV-1a */
    for (const char *c = name; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001B3ull;
    unsigned mask = (unsigned)index->size - 1u;
    for (unsigned i = (unsigned)(hash >> 16) & mask;; i = (i + 1) & mask) {
        tp_name_entry *entry = &index->table[i];
        if (entry->name == NULL || strcmp(entry->name, name) == 0) return entry;
    }
}

int tp_name_index_find(const tp_name_index *index, const char *name)
{
    if (index->size == 0) return -1;
    const tp_name_entry *entry = entry_of(index, name);
    return entry->name != NULL ? entry->number : -1;
}

static tp_status make_room(tp_arena *arena, tp_name_index *index)
{
    if (2 * (index->count + 1) <= index->size) return TP_OK;
    tp_name_index larger = {.count = index->count, .size = index->size == 0 ? 64 : 2 * index->size};
    larger.table = TP_ARENA_ARRAY(arena, tp_name_entry, larger.size);
    if (larger.table == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < index->size; i++) {
        if (index->table[i].name != NULL) *entry_of(&larger, index->table[i].name) = index->table[i];
    }
    tp_arena_release(arena, index->table, (size_t)index->size * sizeof *index->table);
    *index = larger;
    return TP_OK;
}

tp_status tp_name_index_add(tp_arena *arena, tp_name_index *index, const char *name, int number)
{
    if (name == NULL) return TP_OUT_OF_MEMORY; /* a copy that could not be made */
    TP_TRY(make_room(arena, index));
    tp_name_entry *entry = entry_of(index, name);
    if (entry->name != NULL) return TP_OK;
    *entry = (tp_name_entry){name, number};
    index->count++;
    return TP_OK;
}
