/* Signals for verbs that end cleanly. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static const double same_interrupt = 0.5; /* [s] one Ctrl-C may come as several signals this close */

static volatile sig_atomic_t first_signal; /* 0: none; a handler can reach nothing but what is static */
static struct timespec first_time;

/* Timeouts and job systems signal a program and then its group: the program gets the same interrupt twice. */
static void remember(int signal_number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (first_signal == 0) {
        first_time = now;
        first_signal = signal_number;
        return;
    }
    double since =
        (double)(now.tv_sec - first_time.tv_sec) + 1e-9 * (double)(now.tv_nsec - first_time.tv_nsec);
    /* one step may take long; what was flushed is in the file */
    if (since > same_interrupt) _exit(interrupt_exit_code());
}

void interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {0}, before;
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART; /* a write to the output file goes on */
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; ++k) {
        bool is_ignored = sigaction(signals[k], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!is_ignored || signals[k] == SIGINT) sigaction(signals[k], &action, NULL);
    }
}

bool interrupt_has_come(void)
{
    return first_signal != 0;
}

int interrupt_exit_code(void)
{
    return PROGRAM_SIGNAL + first_signal;
}

static sigset_t signals_before; /* what was held back already */

void interrupt_hold(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &signals_before);
}

void interrupt_release(void)
{
    sigprocmask(SIG_SETMASK, &signals_before, NULL);
}
