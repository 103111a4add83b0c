/* SIGINT for verbs that end cleanly. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static const double same_interrupt = 0.5; /* [s] one Ctrl-C may come as several signals this close */

static volatile sig_atomic_t has_come; /* a signal handler can reach nothing but what is static */
static struct timespec first_time;

/* Timeouts and job systems signal a program and then its group: the program gets the same interrupt twice. */
static void remember(int signal_number)
{
    (void)signal_number;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!has_come) {
        first_time = now;
        has_come = 1;
        return;
    }
    double since =
        (double)(now.tv_sec - first_time.tv_sec) + 1e-9 * (double)(now.tv_nsec - first_time.tv_nsec);
    if (since > same_interrupt)
        _exit(PROGRAM_INTERRUPTED); /* one step may take long; what was flushed is in
                                       the file */
}

void interrupt_watch(void)
{
    struct sigaction action = {0};
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART; /* a write to the output file goes on */
    sigaction(SIGINT, &action, NULL);
}

bool interrupt_has_come(void)
{
    return has_come != 0;
}
