/* A line of the record: one scene, one engine, one setting. As CSV, as a table, as curves. */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "meter.h"

#include <stdio.h>

typedef struct bench_run {
    const bench_scene_kind *kind;
    int size;
    const char *peer, *setting; /* until the end of the program */
    const char *status;         /* "ok", or why there are fewer steps; likewise */
    bench_figures figures;
} bench_run;

void bench_runs_write_header(FILE *out);
void bench_runs_write_line(FILE *out, const bench_run *run);
/* Reads what the two wrote; the number of runs, -1: the file cannot be read or is none of ours. */
int bench_runs_read(const char *path, bench_run *runs_out, int capacity);
void bench_runs_write_markdown(FILE *out, const bench_run *runs, int count);

/* Puts the tables between the two marks of a Markdown file, in place of what was there. */
bool bench_runs_update_page(const char *path, const bench_run *runs, int count);

/* Time over size and law error over time. */
bool bench_runs_plot(const char *path, const bench_run *runs, int count);

#endif
