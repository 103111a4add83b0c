/* Records sorted into a grid: solver by problem, of the friction problems that have a solution. */
#ifndef BENCH_GRID_H
#define BENCH_GRID_H

#include "records.h"

typedef struct bench_grid {
    int file_count, solver_count;
    const bench_record **files;   /* [file_count] some record of the file     */
    const bench_record **solvers; /* [solver_count] some record of the solver */
    double *seconds; /* [BENCH_LEVELS * file_count * solver_count], NaN where the level is not reached */
    bool *was_tried; /* [file_count * solver_count] the solver accepts the problem */
} bench_grid;

/* `manifest` may be NULL: all problems count as solvable. A time above `limit` [s] counts as not reached, so
   that runs with different limits can be compared. The table must outlive the grid. */
bool bench_grid_make(const bench_table *table, const char *manifest, double limit, bench_grid *grid_out);
void bench_grid_free(bench_grid *grid);

/* Seconds of a solver on a file, NaN if it does not reach the level. */
double bench_grid_at(const bench_grid *grid, int level, int file, int solver);

/* The solver belongs to Siconos. */
bool bench_is_siconos(const char *solver);

#endif
