/* What the parts of the reader of trajectories share. */
#ifndef TP_IO_OUTPUT_TRAJECTORY_PARTS_H
#define TP_IO_OUTPUT_TRAJECTORY_PARTS_H

#include "io/common/text.h"
#include "io/hdf5/hdf5_tree.h"
#include "tippe/output.h"

typedef struct tp_reading {
    tp_arena *arena; /* of the trajectory */
    const tp_hdf5_tree *tree;
    const char *path;
    tp_message *why;
} tp_reading;

/* TP_INVALID_DATA with the path of the file in front of the text. */
#define tp_reading_fail(r, ...)                                                                              \
    tp_fail_at((r)->why, TP_INVALID_DATA, (tp_place){.file = (r)->path}, __VA_ARGS__)
tp_status tp_reading_no_memory(const tp_reading *r);

/* An attribute that is one number; false if there is none of that name. */
bool tp_reading_number(const tp_reading *r, const tp_hdf5_node *object, const char *name, double *number_out);

/* An attribute that is one text, "" if there is none of that name; it is the tree's. */
const char *tp_reading_text(const tp_reading *r, const tp_hdf5_node *object, const char *name);

/* The columns over time, the tables besides them. */
tp_status tp_reading_columns(const tp_reading *r, tp_trajectory *trajectory);
tp_status tp_reading_tables(const tp_reading *r, tp_trajectory *trajectory);

#endif
