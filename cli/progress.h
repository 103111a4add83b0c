/* A bar with the time left, on standard error and only on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool is_shown;
    bool is_share; /* begin and end are parts of a whole, not times */
    bool has_printed;
    double begin, end;        /* simulated time [s]    */
    double started, last_try; /* wall clock [s]        */
} progress;

/* The wall clock [s], for differences. */
double progress_seconds(void);

progress progress_begin(bool is_wanted, double begin, double end);
void progress_show(progress *bar, double time); /* prints at most ten times a second */
void progress_end(progress *bar);               /* wipes the bar                     */

/* "3 s", "4 min 05 s", "2 h 10 min"; text_out [32]. */
void progress_format_duration(double seconds, char *text_out);

#endif
