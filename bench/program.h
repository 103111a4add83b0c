/* What the measuring programs share: the loop over the files, the CSV file, the summary. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "records.h"
#include "settings.h"
#include "tippe/problem.h"

/* Where the records of a run go. */
typedef struct bench_sink {
    const char *file; /* name of the problem that is being measured */
    const tp_problem *problem;
    FILE *out;
    bench_table *table;
} bench_sink;

/* Writes a record of the sink's problem; `result` may be NULL: no answer. False when there is no memory. */
bool bench_sink_put(const bench_sink *sink, const char *solver, double level, const bench_result *result,
                    const char *status);

/* How the end of a child reads in the CSV file where it sent no result. */
const char *bench_end_text(bench_end end);

/* Measures all solvers on the sink's problem. */
typedef bool (*bench_measure)(const bench_settings *settings, const bench_sink *sink);

/* The whole program; returns its exit code. */
int bench_main(int count, char **arguments, const char *default_out, bench_measure measure);

#endif
