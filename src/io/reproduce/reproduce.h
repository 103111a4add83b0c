/* Inside the catalogue of experiments. */
#ifndef TP_IO_REPRODUCE_REPRODUCE_H
#define TP_IO_REPRODUCE_REPRODUCE_H

#include "base/arena.h"
#include "io/scene/scene_tree.h"
#include "tippe/output.h"
#include "tippe/reproduce.h"

/* ---- commands.c ---- */

/* Where words of commands point to. */
typedef struct tp_roots {
    const char *examples, *catalogue;
} tp_roots;

/* Words of a command, parted by spaces; what stands in '...' or "..." is one word. Adds what the runner adds:
   `name` is that of the step, or "figure". */
tp_status tp_step_read(tp_arena *arena, const tp_node *node, const char *name, const tp_roots *roots,
                       tp_experiment_step *step_out, tp_message *why);

/* ---- fingerprint.c ---- */

/* The fingerprint of a piece of a tree and of the files that words of the steps name; text_out [20]. */
void tp_fingerprint(tp_arena *arena, const tp_node *entry, const tp_experiment *experiment, char *text_out);

/* ---- measures.c ---- */

/* What the steps of an experiment left, read when it is needed. */
typedef struct tp_left {
    tp_arena arena;
    const tp_allocator *allocator;
    const tp_hdf5_source *source;
    const tp_experiment *experiment;
    const char *folder;
    const int *exit_codes;
    tp_trajectory **runs; /* [step_count] NULL: not read yet */
    tp_tree **texts;      /* [step_count] */
} tp_left;

/* Number of the step of this name, -1: none. */
int tp_step_find(const tp_experiment *experiment, const char *name);

/* Whether there is a measure of that word, and what it needs is given. */
tp_status tp_measure_check(const tp_node *node, const tp_check *check, tp_message *why);

/* Fills number or text; TP_OK only if something was measured. */
tp_status tp_measure_take(tp_left *left, const tp_check *check, tp_measured *measured_out, tp_message *why);

#endif
