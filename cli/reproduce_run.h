/* The experiments of a catalogue, each in a child process; docs/guide/reproduce.md. */
#ifndef CLI_REPRODUCE_RUN_H
#define CLI_REPRODUCE_RUN_H

#include <stdbool.h>

#include "tippe/reproduce.h"

/* A child for one experiment runs its steps, the same verbs as a user calls, in OUT/runs/NAME and leaves
   result.json there. */
typedef struct reproduce_order {
    const char *folder;                      /* OUT, absolute */
    const tp_experiment *const *experiments; /* [count] to be run */
    int count, jobs;
    bool is_quiet;
} reproduce_order;

/* Runs them all, so many at a time; false if a signal came or there are no processes. */
bool reproduce_run(const reproduce_order *order);

/* OUT/runs/NAME; out [REPRODUCE_PATH_MAX]. */
enum { REPRODUCE_PATH_MAX = 4096 };
void reproduce_place(const char *folder, const char *name, char *out);

/* Makes a folder and those above it; false with errno. */
bool make_folders(const char *path);

#endif
