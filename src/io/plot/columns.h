/* The columns of runs as plots see them: with contact forces, labels for people, and chosen by patterns. */
#ifndef TP_IO_PLOT_COLUMNS_H
#define TP_IO_PLOT_COLUMNS_H

#include "base/arena.h"
#include "tippe/plot.h"

/* What a column holds, from its name; in the order of the panels without choice. */
typedef enum tp_column_kind {
    TP_COLUMN_COORDINATE,
    TP_COLUMN_VELOCITY,
    TP_COLUMN_ENERGY,
    TP_COLUMN_GAP,
    TP_COLUMN_CONTACT_FORCE,
    TP_COLUMN_CONTACT_PERCUSSION,
    TP_COLUMN_FORCE,
    TP_COLUMN_PERCUSSION,
    TP_COLUMN_SENSOR,
    TP_COLUMN_STEP,
    TP_COLUMN_OTHER
} tp_column_kind;

typedef struct tp_plot_column {
    const char *name, *unit;
    const char *label; /* short, for a legend */
    tp_column_kind kind;
    const char *percussion; /* of a force: the column it is made of, divided by the step size; else NULL */
} tp_plot_column;

/* The columns of all runs together; a name occurs once. */
typedef struct tp_plot_catalogue {
    const tp_plot_run *runs;
    int run_count;
    tp_plot_column *columns;
    int count;
} tp_plot_catalogue;

tp_status tp_catalogue_create(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_plot_run *runs,
                              int run_count);
int tp_catalogue_find(const tp_plot_catalogue *catalogue, const char *name); /* or -1 */

/* "coordinates", "gaps"; "" for what has no common name. */
const char *tp_column_kind_text(tp_column_kind kind);

/* Values of a column in a run; NULL: the run does not have it, or (is_full_out) no memory. */
const double *tp_catalogue_values(const tp_plot_catalogue *catalogue, int run, int column, tp_arena *arena,
                                  bool *is_full_out);

/* Columns that a word names: a name, a group ("law/beak"), a pattern with *, or the last part of a name that
   is a coordinate, velocity, sensor or figure of the step; a dot may stand for a slash. Their numbers go to
   found_out [count]; is_exact_out: it was a name. TP_INVALID_ARGUMENT with the nearest one if there is none.
 */
tp_status tp_catalogue_match(const tp_plot_catalogue *catalogue, const char *word, int *found_out,
                             int *found_count_out, bool *is_exact_out, tp_message *why);

#endif
