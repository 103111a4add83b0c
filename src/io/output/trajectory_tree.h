/* What a trajectory file contains: attributes and columns. Files and objects are the library's numbers
 * (hid_t). */
#ifndef TP_IO_OUTPUT_TRAJECTORY_TREE_H
#define TP_IO_OUTPUT_TRAJECTORY_TREE_H

#include "base/arena.h"
#include "io/hdf5_guard.h"
#include "tippe/output.h"

#include <stdint.h>

typedef struct tp_found_column {
    tp_table_column column;
    int index;
} tp_found_column;

typedef struct tp_attribute_list {
    tp_table_attribute *items;
    int count, capacity;
} tp_attribute_list;

typedef struct tp_reading {
    tp_arena *arena;
    const char *path;
    tp_message *why;
    int64_t file;
    int descriptor; /* of the file, for the guard */
    tp_hdf5_guard *guard;
    double file_bytes, plain_bytes,
        packed_bytes; /* of the file; of columns as they are, and of packed ones */
    tp_found_column *found;
    int found_count, found_capacity;
    long long visits;
    int depth;
    const char *group; /* path of the group being looked through, "" or ending in '/' */
    tp_attribute_list *attributes;
    tp_status status; /* of a callback */
} tp_reading;

/* TP_INVALID_DATA with the path of the file in front of the text. */
tp_status tp_reading_fail(tp_reading *r, const char *format, ...) TP_PRINTF(2, 3);
tp_status tp_reading_no_memory(tp_reading *r);

/* A text or a number; false if there is none of that name. */
bool tp_reading_attribute(tp_reading *r, int64_t object, const char *name, tp_table_attribute *value_out);

/* "" if there is no text of that name. */
const char *tp_reading_text(tp_reading *r, int64_t object, const char *name);

/* All attributes that are a text or a number, in the order they were made. */
tp_status tp_reading_attributes(tp_reading *r, int64_t object, tp_attribute_list *list);

/* Finds the columns and puts them into order. */
tp_status tp_reading_find_columns(tp_reading *r, tp_trajectory *trajectory);

#endif
