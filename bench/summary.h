/* What the figures say in a few lines: how many problems each solver reaches, and ratios of times. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include "records.h"

#include <stdio.h>

/* Tables in Markdown. `manifest` (may be NULL) tells the problems without solution, which are left out; times
   above `limit` [s] count as not reached. */
void bench_summary_print(FILE *out, const bench_table *table, const char *manifest, double limit);

/* For each file and level the times of auto, of the fastest other solver and of the fastest of Siconos, as
 * CSV. */
void bench_summary_write(FILE *out, const bench_table *table, const char *manifest, double limit);

#endif
