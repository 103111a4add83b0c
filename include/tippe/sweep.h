/* Sweeps: one scene with many values of its parameters, on all processors, as one table; docs/guide/sweep.md.
   A sweep can be stopped and taken up again, and divided among machines whose tables are merged. */
#ifndef TIPPE_SWEEP_H
#define TIPPE_SWEEP_H

#include "tippe/base.h"
#include "tippe/hdf5.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_sweep_def {
    const char *scene_path;
    const char *const *edits; /* of the scene, for all runs: PATH=VALUE */
    int edit_count;
    const char *const *vary; /* PATH=FROM:TO:COUNT, PATH=FROM:TO:COUNT:log, PATH=A,B,C; of a sample
                                PATH=FROM:TO or PATH=FROM:TO:log                                      */
    int vary_count;
    int sample_count;           /* so many random points; 0: all points of the grid, the last path fastest */
    long long seed;             /* of the sample                                                        */
    const char *const *results; /* end:NAME, max:, min:, mean: of a sensor, coordinate, velocity or energy;
                                   or a figure of the report: impacts, steps, energy_final, ...          */
    int result_count;           /* 0: end of every sensor, and some figures of the report               */
    const char *points;         /* when the values of results are also kept one by one, in the table
                                   `points`: "impact" or another kind of event, or a period [s]; NULL: never */
    double from;                /* what is before is not measured [s]                                   */
    double time_step, end_time; /* [s] NaN: what the scene says                                         */
    const char *integrator, *solver; /* NULL: what the scene says                                       */
    int shard, shard_count; /* does the points whose number modulo shard_count is shard; 0, 1: all      */
    int jobs;               /* runs at a time, each in one thread                                       */
    const char *path;       /* the table, HDF5. One that is there and of the same sweep is taken up again */
    const tp_hdf5_source *source; /* reads it; NULL: in this process */
    /* Called after each run, by one thread at a time; false ends the sweep after the runs that go on. */
    bool (*goes_on)(void *context, long long done, long long all);
    void *context;
} tp_sweep_def;
tp_sweep_def tp_sweep_def_default(void); /* all of a grid, one job, no times */

typedef struct tp_sweep_report {
    long long all;          /* points of this shard                                                  */
    long long before, done; /* that were there already; that are now                                 */
    long long failed;       /* of those now done: runs that did not reach their end                  */
    long long first_failed; /* its number among all points; -1: none                                 */
    char reason[512];       /* why                                                                   */
    bool is_interrupted;
} tp_sweep_report;

/* TP_INVALID_ARGUMENT: impossible paths, values or results; TP_INVALID_DATA: a table of another sweep is
   there, or the scene is unsound at the first point; TP_FILE_ERROR. A run that fails is a row with its status
   and no failure of the sweep. Rows come in the order of the points, whatever thread made them. */
tp_status tp_sweep_run(const tp_allocator *allocator, const tp_sweep_def *def, tp_sweep_report *report_out,
                       tp_message *why_out);

/* Joins the tables of all shards of one sweep, in any order. */
tp_status tp_sweep_merge(const tp_allocator *allocator, const tp_hdf5_source *source,
                         const char *const *paths, int count, const char *path, long long *row_count_out,
                         tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
