/* Decides which states become rows, and hands the chosen columns to the writers. Knows no simulation: what it
   records is a source of time and values. */
#ifndef TP_IO_OUTPUT_RECORDER_H
#define TP_IO_OUTPUT_RECORDER_H

#include "base/arena.h"
#include "tippe/output.h"

typedef struct tp_record_source {
    const void *self;
    double (*time)(const void *self);              /* [s]                                */
    double (*step)(const void *self);              /* length of the steps around now [s] */
    double (*value)(const void *self, int column); /* of the present state               */
    const tp_table_attribute *attributes;          /* kept in the file; read when it is opened, names that the
                                                      output options have not */
    int attribute_count;
} tp_record_source;

typedef struct tp_recorder {
    tp_record_source source;
    tp_trajectory_writer *writers[2];
    int writer_count;
    int column_count, *chosen; /* columns of the source that are written */
    double *row;
    double output_every, last_time; /* last_time: of the last row [s] */
    double next_multiple;           /* of output_every, a whole number */
    bool has_rows;
    tp_status status; /* of the first failure */
} tp_recorder;

/* Opens the files of the options. Memory comes from the arena and lives with the recorder. */
tp_status tp_recorder_open(tp_recorder *recorder, tp_arena *arena, const tp_allocator *allocator,
                           tp_record_source source, const tp_table_column *columns, int column_count,
                           const tp_output_options *options, tp_message *why_out);

/* Writes a row if the present state is the first, or the nearest to a multiple of output_every. False after a
   failure. */
bool tp_recorder_observe(tp_recorder *recorder);

/* Writes the present state if its time has no row yet, and closes the files. */
tp_status tp_recorder_close(tp_recorder *recorder, const tp_table_attribute *summary, int summary_count,
                            tp_message *why_out);

#endif
