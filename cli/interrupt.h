/* Ctrl-C, and the other signals that ask a program to end, as a question that a long loop asks between two
 * steps. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP is remembered; one that comes more than half a second later
   leaves the program at once. A SIGTERM or SIGHUP that is ignored (nohup) stays so. */
void interrupt_watch(void);

/* True once such a signal has come. */
bool interrupt_has_come(void);

/* The exit code for it: 128 plus the number of the signal, as shells do. */
int interrupt_exit_code(void);

#endif
