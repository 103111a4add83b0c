/* Clocks, limits, child processes. */
#define _XOPEN_SOURCE 700
#include "measure.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES_MAX = 25, CLOCK_READINGS = 101, BATCH_MAX = 500 };

/* Reading the clock costs about a microsecond: a hundredth of a batch. */
static const double batch_time = 1e-4, clock_resolution = 1e-9; /* [s] */

double bench_processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_clock_cost(void)
{
    double costs[CLOCK_READINGS];
    for (int i = 0; i < CLOCK_READINGS; i++) {
        double start = bench_processor_time();
        costs[i] = bench_processor_time() - start;
    }
    qsort(costs, CLOCK_READINGS, sizeof costs[0], compare_numbers);
    return costs[CLOCK_READINGS / 2];
}

void bench_limit_processor_time(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)(1e6 * (seconds - whole)) + 1}};
    setitimer(ITIMER_PROF, &timer, NULL);

    /* A solver could take the timer's signal for itself; the limit of the process comes a little later. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
    limit.rlim_cur = (rlim_t)ceil(bench_processor_time() + seconds) + 1;
    setrlimit(RLIMIT_CPU, &limit);
}

double bench_median_time(const bench_timing *timing, double expected,
                         double (*solve)(void *context, int repeats), void *context)
{
    double samples[SAMPLES_MAX];
    int count = timing->samples < SAMPLES_MAX ? timing->samples : SAMPLES_MAX;
    int batch =
        expected < batch_time ? (int)fmin(batch_time / fmax(expected, clock_resolution), BATCH_MAX) : 1;
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        int repeats = 0;
        /* The limit is for solves without end, which the first call has excluded. */
        bench_limit_processor_time(2.0 * timing->limit + 10.0 * timing->seconds + 2.0);
        do {
            sum += solve(context, batch);
            repeats += batch;
        } while (sum < timing->seconds);
        samples[i] = sum / repeats;
    }
    qsort(samples, (size_t)count, sizeof samples[0], compare_numbers);
    return count % 2 != 0 ? samples[count / 2] : 0.5 * (samples[count / 2 - 1] + samples[count / 2]);
}

void bench_send(int pipe, const void *result, size_t size)
{
    if (write(pipe, result, size) != (ssize_t)size) _exit(1);
}

static void be_child(void (*work)(void *context, int pipe), void *context, int pipe)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    work(context, pipe);
    _exit(0);
}

static bench_end end_of(int status)
{
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        return signal == SIGPROF || signal == SIGXCPU || signal == SIGKILL ? BENCH_END_TIME_LIMIT
                                                                           : BENCH_END_CRASHED;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? BENCH_END_DONE : BENCH_END_CRASHED;
}

int bench_run_child(void (*work)(void *context, int pipe), void *context, size_t size, int capacity,
                    void *results_out, bench_end *end_out)
{
    int ends[2], count = 0, status = 0;
    *end_out = BENCH_END_CRASHED;
    if (pipe(ends) != 0) return 0;
    fflush(NULL); /* or the child would write it again */
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(work, context, ends[1]);
    }
    close(ends[1]);
    while (child > 0 && count < capacity &&
           read(ends[0], (char *)results_out + (size_t)count * size, size) == (ssize_t)size)
        count++;
    close(ends[0]);
    if (child > 0 && waitpid(child, &status, 0) == child) *end_out = end_of(status);
    return count;
}

void bench_use_one_thread(char **arguments)
{
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    if (threads != NULL && strcmp(threads, "1") == 0) return;
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) execv("/proc/self/exe", arguments);
}
