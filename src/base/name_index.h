/* Which item of a list has a name: found without going through the list. */
#ifndef TP_BASE_NAME_INDEX_H
#define TP_BASE_NAME_INDEX_H

#include "base/arena.h"

typedef struct tp_name_entry {
    const char *name; /* NULL: free */
    int number;
} tp_name_entry;

/* All zero: empty. Its memory is the arena's of the first name. */
typedef struct tp_name_index {
    tp_name_entry *table; /* a hash table, at most half full */
    int count, size;
} tp_name_index;

/* The number of a name; -1 when it is not there. */
int tp_name_index_find(const tp_name_index *index, const char *name);

/* Adds a name with a number other than -1; it is borrowed. One that is there already keeps its number. */
tp_status tp_name_index_add(tp_arena *arena, tp_name_index *index, const char *name, int number);

#endif
