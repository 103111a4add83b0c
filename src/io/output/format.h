/* Formats of tables: each is one file with one descriptor, listed in trajectory_writer.c. */
#ifndef TP_IO_OUTPUT_FORMAT_H
#define TP_IO_OUTPUT_FORMAT_H

#include "base/arena.h"
#include "tippe/output.h"

enum {
    TP_BLOCK_ROWS = 256, /* rows kept before they are handed to the format   */
    TP_MAIN_TABLE = -1   /* the rows over time; tables have numbers from 0 */
};

typedef struct tp_table_format {
    const char *name;

    /* Makes the file ready for rows. The arena lives as long as the sink, the def only during the call. */
    tp_status (*open)(tp_arena *arena, const tp_table_def *def, void **sink_out, tp_message *why);

    /* A table gets its first row, or the first after a full block: room for a block; NULL: nothing to do. */
    tp_status (*reserve)(void *sink, int table, tp_message *why);

    /* Adds rows to a table: values[row * column_count + column]. */
    tp_status (*write)(void *sink, int table, const double *values, int row_count, tp_message *why);

    /* Hands everything written to the operating system. */
    tp_status (*flush)(void *sink, tp_message *why);

    /* Closes in any case; the summary only if is_complete (nothing failed before). */
    tp_status (*close)(void *sink, bool is_complete, const tp_table_attribute *summary, int summary_count,
                       tp_message *why);
} tp_table_format;

/* A clock for deciding when to flush [s]; it never goes back. */
double tp_wall_seconds(void);

extern const tp_table_format tp_format_hdf5, tp_format_csv;

#endif
