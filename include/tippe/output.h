/* Trajectories in files: tables of named columns over time, written row by row as HDF5 or CSV, read back, and
   filled from a simulation; docs/output.md. HDF5 as packaged is not thread-safe: one thread at a time. */
#ifndef TIPPE_OUTPUT_H
#define TIPPE_OUTPUT_H

#include "tippe/base.h"
#include "tippe/hdf5.h"
#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One column. The name is a path of escaped parts ("q/x", "law/beak/gap"), the same in all formats. */
typedef struct tp_table_column {
    const char *name;
    const char *unit; /* "" if it has none */
    const char *text; /* what it is, for a person */
} tp_table_column;

/* A named text, or a number if text is NULL. */
typedef struct tp_table_attribute {
    const char *name;
    const char *text;
    double number;
} tp_table_attribute;

/* Words that the numbers of a column stand for: k for words[k], a negative number for none. */
typedef struct tp_table_labels {
    const char *name; /* of the list of words: "shapes" */
    const char *const *words;
    int count;
} tp_table_labels;

/* A table besides the rows over time, which grows at its own pace: contacts, events. */
typedef struct tp_table {
    const char *name;
    int column_count;
    long long row_count;
    const tp_table_column *columns;
    const tp_table_labels *const *labels; /* [column_count] NULL: the column holds plain numbers */
    const double *const *values; /* values[column][row]                                             */
} tp_table;

/* Writes one part of a column's name so that it can stand between '/': '/' becomes %2F, '%' becomes %25, a
   dot in the names "." and ".." becomes %2E, an empty name becomes %. Returns the length without the
   terminating 0, which may be beyond the capacity; then the text is cut. */
size_t tp_column_escape(const char *part, char *escaped_out, size_t capacity);

/* The opposite, in place. */
void tp_column_unescape(char *part);

/* Where a CSV file has its tables: "run.csv" has its events in "run-events.csv". Returns the length without
   the terminating 0, which may be beyond the capacity; then the text is cut. */
size_t tp_csv_table_path(const char *path, const char *table, char *out, size_t capacity);

/* The formats there are. */
int tp_table_format_count(void);
const char *tp_table_format_name(int index); /* "hdf5", "csv" */

typedef struct tp_table_def {
    const char *path;   /* CSV: "-" is the standard output                                                */
    const char *format; /* NULL: by the ending of the path: .csv, or HDF5 for all others                  */
    const tp_table_column
        *columns; /* the first must be "time" or "run", its values must not decrease; columns of one
                     group (the part of the name before '/') stand together               */
    int column_count;
    const tp_table *tables; /* tables besides the rows: their names, columns and labels                */
    int table_count;
    const char *scene_text; /* NULL: none. Kept in the file (HDF5)                                        */
    const tp_table_attribute *attributes; /* kept in the file (HDF5)                                      */
    int attribute_count;
    int flush_rows;       /* every so many rows go to the file at the latest ...                          */
    double flush_seconds; /* ... and when a row comes so long after the last time [s]; 0: with every row  */
} tp_table_def;
tp_table_def tp_table_def_default(void); /* 256 rows, which is also the most, 1 s */

typedef struct tp_trajectory_writer tp_trajectory_writer;

/* Copies all it needs. TP_INVALID_ARGUMENT for impossible columns, TP_FILE_ERROR with the reason if the file
   cannot be made. An existing file is replaced: HDF5 only once the new one is ready for its first row. */
tp_status tp_trajectory_writer_create(const tp_allocator *allocator, const tp_table_def *def,
                                      tp_trajectory_writer **writer_out, tp_message *why_out);

/* Adds a row [column_count]. A time that decreases is refused and changes nothing; after a failure of the
   file every call fails with the same status and message. */
tp_status tp_trajectory_writer_append(tp_trajectory_writer *writer, const double *row);

/* Adds a row [its column_count] to a table of the def. */
tp_status tp_trajectory_writer_add(tp_trajectory_writer *writer, int table, const double *row);

/* On return all rows so far are on disk. */
tp_status tp_trajectory_writer_flush(tp_trajectory_writer *writer);

/* Rows so far. */
long long tp_trajectory_writer_row_count(const tp_trajectory_writer *writer);
const char *tp_trajectory_writer_message(const tp_trajectory_writer *writer); /* of the last failure, or "" */

/* Writes what is left and the summary (HDF5), closes the file and releases the writer, also on failure. NULL
   is fine. */
tp_status tp_trajectory_writer_close(tp_trajectory_writer *writer, const tp_table_attribute *summary,
                                     int summary_count, tp_message *why_out);

/* A trajectory read from an HDF5 file. */
typedef struct tp_trajectory {
    int column_count;
    long long row_count;
    const tp_table_column *columns; /* time first                                                         */
    const double *const *values;    /* values[column][row]                                                */
    int table_count;
    const tp_table *tables;
    const char *scene_text; /* "" if there is none                                                */
    const tp_table_attribute *attributes, *summary;
    int attribute_count, summary_count;
    bool is_finished; /* false: the writer still writes or died; the rows it flushed are here              */
} tp_trajectory;

/* TP_FILE_ERROR if the file cannot be read, TP_INVALID_DATA if it is damaged or not a trajectory. */
tp_status tp_trajectory_read(const tp_allocator *allocator, const char *path, tp_trajectory **trajectory_out,
                             tp_message *why_out);

/* The same with the HDF5 file loaded by the source (NULL: in this process). */
tp_status tp_trajectory_read_from(const tp_allocator *allocator, const tp_hdf5_source *source,
                                  const char *path, tp_trajectory **trajectory_out, tp_message *why_out);
void tp_trajectory_free(tp_trajectory *trajectory); /* NULL is fine */

/* Column of that name, or -1. */
int tp_trajectory_find(const tp_trajectory *trajectory, const char *name);

/* Table of that name, or NULL. */
const tp_table *tp_trajectory_table(const tp_trajectory *trajectory, const char *name);

/* Column of that name in a table, or -1. */
int tp_table_find(const tp_table *table, const char *name);

/* Writes a file so that it appears whole or not at all: to a temporary file in the same folder, which is
   synced and renamed. An existing device or pipe is written directly: renaming would replace it. */
tp_status tp_file_write(const char *path, const void *bytes, size_t count, tp_message *why_out);

/* A run report as named values, as the summary of a file has it. `warnings` is what tp_warnings_format makes
   of it, and is borrowed, as the report is. Returns how many. */
enum { TP_REPORT_ATTRIBUTES_MAX = 32 };
int tp_report_attributes(const tp_run_report *report, const char *warnings,
                         tp_table_attribute *list_out /* [TP_REPORT_ATTRIBUTES_MAX] */);

/* What a simulation writes. */
typedef struct tp_output_options {
    const char *hdf5_path, *csv_path; /* either or both; NULL: not written                                */
    const char *paraview_path;        /* frames for ParaView, tippe/paraview.h; NULL: none                */
    double frame_every;  /* a frame for the state nearest to each multiple of it [s]; 0: for every row      */
    double output_every; /* a row for the state nearest to each multiple of it [s]; 0: after every step   */
    const char *const *columns; /* names, or groups such as "q" or "law/beak"; time is always there       */
    int column_count;           /* 0: all                                                                 */
    const char *scene_text, *scene_name, *options_json; /* kept in the file; NULL: none                   */
    const char *integrator;
    int flush_rows;
    double flush_seconds;
} tp_output_options;
tp_output_options tp_output_options_default(void);

typedef struct tp_output tp_output;

/* The simulation is borrowed until close. */
tp_status tp_output_create(const tp_allocator *allocator, const tp_simulation *simulation,
                           const tp_output_options *options, tp_output **output_out, tp_message *why_out);

/* An observer (context: the output) for tp_simulation_run: writes a row if one is due. False if writing
   failed; close says why. */
bool tp_output_observe(void *output, const tp_simulation *simulation);

/* Writes the last state if it is not yet there, the run report as summary, and closes; releases the output
   also on failure. NULL is fine. */
tp_status tp_output_close(tp_output *output, tp_message *why_out);

/* Continues the run of an HDF5 file: restores the state of its last row that a run without a stop passes too.
   scene_text (NULL: not compared) and options that differ from those of the file are warnings in the report:
   then it is another run. TP_FILE_ERROR if the file cannot be read; TP_INVALID_DATA if it is damaged, if its
   coordinates, velocities or laws are not those of the model, or if it reaches the end time already. */
tp_status tp_output_restore(const tp_allocator *allocator, tp_simulation *simulation, const char *path,
                            const char *scene_text, tp_message *why_out);

/* The same with the HDF5 file loaded by the source (NULL: in this process). */
tp_status tp_output_restore_from(const tp_allocator *allocator, const tp_hdf5_source *source,
                                 tp_simulation *simulation, const char *path, const char *scene_text,
                                 tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
