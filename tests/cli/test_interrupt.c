/* Ctrl-C as the verbs see it, in a child of its own, because a handler stays and may end the program. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "interrupt.h"

enum { INTERRUPTED = 130 };

/* Signals the child itself, so many at a time, and after a pause one more; its exit code is 0 if it lives on
   and knows. */
static int child_after(int signal_count, double pause)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        interrupt_watch();
        if (interrupt_has_come()) _exit(1);
        for (int k = 0; k < signal_count; k++) raise(SIGINT);
        if (!interrupt_has_come()) _exit(2);
        struct timespec time = {(time_t)pause, (long)(1e9 * (pause - floor(pause)))};
        if (pause > 0.0) {
            nanosleep(&time, NULL);
            raise(SIGINT);
        }
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `timeout -s INT` signals the program and then the group it is in. */
TEST(signals_that_come_together_are_one_interrupt)
{
    CHECK_INT(child_after(1, 0.0), 0);
    CHECK_INT(child_after(2, 0.0), 0);
}

TEST(an_interrupt_more_than_half_a_second_later_leaves_at_once)
{
    CHECK_INT(child_after(1, 0.6), INTERRUPTED);
}

TEST_MAIN(RUNS(signals_that_come_together_are_one_interrupt),
          RUNS(an_interrupt_more_than_half_a_second_later_leaves_at_once))
