/* Processor time, and work in a child process that a slow or crashing solver cannot take along. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* How long a solve is repeated. */
typedef struct bench_timing {
    int samples;       /* their median is the result                                               */
    double seconds;    /* processor time that a sample takes at least [s]                          */
    double long_solve; /* a solve that takes longer is timed once, by its first call [s]        */
    double limit;      /* processor time of one solve [s]; what runs longer is ended            */
    double clock_cost; /* of bench_clock_cost() [s] */
} bench_timing;

/* What a child sends its parent of one solve. */
typedef struct bench_result {
    double level;   /* E asked for, or the solver's own tolerance             */
    double seconds; /* of one solve [s]                                       */
    double error;   /* E                                                      */
    int iterations; /* -1: unknown                                            */
    char status[24];
} bench_result;

typedef enum bench_end { BENCH_END_DONE, BENCH_END_TIME_LIMIT, BENCH_END_CRASHED } bench_end;

/* Processor time so far of the one thread there is [s]. Not of the process: once that has a limit, Linux
 * tells it in ticks of milliseconds. */
double bench_processor_time(void);

/* What an interval between two readings of the clock shows too much [s]; to be subtracted from short times.
 */
double bench_clock_cost(void);

/* The process ends once it has used `seconds` more. */
void bench_limit_processor_time(double seconds);

/* Median over the samples of the mean time of one solve [s]. `solve` does so many solves and returns their
   processor time; `expected` [s] is about that of one: short ones are done in batches between two readings of
   the clock. */
double bench_median_time(const bench_timing *timing, double expected,
                         double (*solve)(void *context, int repeats), void *context);

/* Sends a result of any kind to the parent; at most PIPE_BUF bytes, so that it arrives whole. */
void bench_send(int pipe, const void *result, size_t size);

/* Runs `work` in a child without output and collects what it sends, at most `capacity` results of `size`
   bytes. */
int bench_run_child(void (*work)(void *context, int pipe), void *context, size_t size, int capacity,
                    void *results_out, bench_end *end_out);

/* Starts the program again with one BLAS thread if it has more: the library reads the variable when it is
 * loaded. */
void bench_use_one_thread(char **arguments);

#endif
