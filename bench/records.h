/* The lines of a benchmark's CSV file: one for each file, solver and level of accuracy; README.md. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

enum { BENCH_LEVELS = 3 };
extern const double bench_levels[BENCH_LEVELS]; /* E of animation, engineering, reference */

/* What became of a solve. */
#define BENCH_REACHED     "ok"
#define BENCH_MISSED      "not converged"
#define BENCH_INFEASIBLE  "infeasible"
#define BENCH_UNSUPPORTED "unsupported"
#define BENCH_TIME_LIMIT  "time limit"
#define BENCH_CRASHED     "crashed"

typedef struct bench_record {
    char file[192], kind[32];
    int contacts, rows;
    char solver[64];
    double level;   /* E asked for [-]                                        */
    double seconds; /* processor time of one solve [s]; NaN if it has no end  */
    double error;   /* E of the answer [-]; NaN if there is none              */
    int iterations; /* -1 if unknown                                          */
    char status[24];
} bench_record;

typedef struct bench_table {
    bench_record *records;
    int count, capacity;
} bench_table;

/* False when there is no memory. */
bool bench_table_add(bench_table *table, const bench_record *record);
void bench_table_free(bench_table *table);

void bench_write_header(FILE *file);
void bench_write_record(FILE *file, const bench_record *record);

/* Appends the records of a CSV file; prints what is wrong and returns false on failure. */
bool bench_read_records(const char *path, bench_table *table);

/* The answer is as good as the level asks. */
bool bench_is_reached(const bench_record *record);

#endif
