/* SIGINT for verbs that end cleanly. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "program.h"

static volatile sig_atomic_t has_come; /* a signal handler can reach nothing else */

static void remember(int signal_number)
{
    (void)signal_number;
    if (has_come) _exit(PROGRAM_INTERRUPTED); /* one step may take long; what was flushed is in the file */
    has_come = 1;
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
