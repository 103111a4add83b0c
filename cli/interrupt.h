/* Ctrl-C as a question that a long loop asks between two steps. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT is remembered; one that comes more than half a second later leaves the program
   at once. */
void interrupt_watch(void);

/* True once a SIGINT has come. */
bool interrupt_has_come(void);

#endif
