/* Decides which states become rows, and hands the chosen columns to the writers. Knows no simulation: what it
   records is a source of time and values. */
#ifndef TP_IO_OUTPUT_RECORDER_H
#define TP_IO_OUTPUT_RECORDER_H

#include "base/arena.h"
#include "tippe/output.h"

typedef struct tp_record_source {
    void *self;
    double (*value)(const void *self, int column); /* of the present state               */
    void (*begin_row)(void *self, long long row);  /* before a row of that number is written: its rows in
                                                            tables are added; NULL: nothing to do        */
    const tp_table *tables;                        /* that rows may be added to */
    int table_count;
    const tp_table_attribute *attributes; /* kept in the file; read when it is opened, names other than
                                             those of the output options */
    int attribute_count;
} tp_record_source;

/* Which states are due: the first, those nearest to multiples of a time, and (asked for by the caller) the
 * last. */
typedef struct tp_schedule {
    double every;         /* [s] 0: all */
    double next_multiple; /* a whole number */
    double last_time;     /* of the last state that was due [s] */
    bool has_begun;
} tp_schedule;

/* Says whether the state at `time` is due, and notes it then; `step` is the length of the steps around it
 * [s]. */
bool tp_schedule_is_due(tp_schedule *schedule, double time, double step);

/* Whether the state at `time` is still to be taken as the last one. */
bool tp_schedule_lacks(const tp_schedule *schedule, double time);

enum { TP_RECORDER_TABLES = 4 }; /* most that a source may have */

typedef struct tp_recorder {
    tp_record_source source;
    tp_trajectory_writer *writers[2];
    int writer_count;
    int column_count, *chosen; /* columns of the source that are written */
    double *row;
    long long row_count;
    bool has_table[TP_RECORDER_TABLES]; /* of the source's: written */
    tp_schedule schedule;               /* of rows */
    tp_status status;                   /* of the first failure */
} tp_recorder;

/* Whether a column or a table with this name is written. */
bool tp_recorder_chooses(const tp_output_options *options, const char *name);

/* Opens the files of the options. Memory comes from the arena and lives with the recorder. */
tp_status tp_recorder_open(tp_recorder *recorder, tp_arena *arena, const tp_allocator *allocator,
                           tp_record_source source, const tp_table_column *columns, int column_count,
                           const tp_output_options *options, tp_message *why_out);

/* Adds a row to a table of the source, if that is written; a failure stays in `status`. */
void tp_recorder_add(tp_recorder *recorder, int table, const double *row);

/* Writes a row if the present state is the first, or the nearest to a multiple of output_every; `step` is the
   length of the steps around it [s]. False after a failure. */
bool tp_recorder_observe(tp_recorder *recorder, double time, double step);

/* Writes the present state if its time has no row yet, and closes the files. */
tp_status tp_recorder_close(tp_recorder *recorder, double time, const tp_table_attribute *summary,
                            int summary_count, tp_message *why_out);

/* Closes the files without a summary: the run does not begin. */
void tp_recorder_abandon(tp_recorder *recorder);

#endif
