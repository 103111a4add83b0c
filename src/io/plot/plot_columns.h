/* The columns of runs as plots see them: with contact forces, labels for people, and chosen by patterns. What
   is known of the names of columns stands in plot_columns.c alone. */
#ifndef TP_IO_PLOT_PLOT_COLUMNS_H
#define TP_IO_PLOT_PLOT_COLUMNS_H

#include "base/name_index.h"
#include "tippe/plot.h"

/* What a column holds, from its name; in the order of the panels without choice. */
typedef enum tp_column_kind {
    TP_COLUMN_SENSOR,
    TP_COLUMN_JOINT, /* a coordinate of a joint */
    TP_COLUMN_COORDINATE,
    TP_COLUMN_ORIENTATION, /* a component of a unit quaternion */
    TP_COLUMN_VELOCITY,
    TP_COLUMN_ENERGY,
    TP_COLUMN_GAP,
    TP_COLUMN_CONTACT_FORCE,
    TP_COLUMN_CONTACT_IMPULSE,
    TP_COLUMN_FORCE,
    TP_COLUMN_IMPULSE,
    TP_COLUMN_STEP,
    TP_COLUMN_OTHER
} tp_column_kind;

/* Two shapes that touch, by name: their normal force, or their friction. */
typedef struct tp_contact_pair {
    const char *shape_a, *shape_b; /* NULL: none */
    bool has_friction;             /* at some time */
    bool is_friction;              /* else the normal force */
} tp_contact_pair;

typedef struct tp_plot_column {
    const char *name, *unit;
    const char *label; /* short, for a legend */
    tp_column_kind kind;
    const char *impulse;  /* of a force: the column it is made of, divided by a time; else NULL */
    tp_contact_pair pair; /* of a force between shapes */
} tp_plot_column;

/* The columns of all runs together; a name occurs once. */
typedef struct tp_plot_catalogue {
    const tp_plot_run *runs;
    int run_count;
    tp_plot_column *columns;
    int count;
    int time;                 /* the column of time, or of runs; -1 */
    tp_name_index names;      /* of these columns                 */
    tp_name_index *run_names; /* [run_count] of those of each run */
    int pairs_left_out;       /* pairs of shapes that have no columns, there are too many */
} tp_plot_catalogue;

tp_status tp_catalogue_create(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_plot_run *runs,
                              int run_count);
int tp_catalogue_find(const tp_plot_catalogue *catalogue, const char *name);           /* or -1 */
int tp_catalogue_place(const tp_plot_catalogue *catalogue, int run, const char *name); /* in a run, or -1 */

/* "position", "contact force"; "" for what has no common name. */
const char *tp_column_kind_text(tp_column_kind kind, const char *unit);

/* Values of a column in a run; NULL: the run does not have it, or (the arena says it) no memory. */
const double *tp_catalogue_values(const tp_plot_catalogue *catalogue, int run, int column, tp_arena *arena);

/* The column of the normal impulse of the same contact; -1 if the runs do not have it. */
int tp_catalogue_normal_impulse(const tp_plot_catalogue *catalogue, int column);
bool tp_column_is_normal(const tp_plot_column *column); /* along the normal of a contact */

/* Steps that a run took, and the shortest of them [s]; from its rows if it has no such columns. */
long long tp_run_step_count(const tp_plot_run *run);
double tp_run_step_size(const tp_plot_run *run);

/* Columns that a word names: a name, a group ("law/beak"), a pattern with *, or the last part of a name that
   is a coordinate, velocity, sensor or figure of the step; a dot may stand for a slash. Their numbers go to
   found_out [count]; is_exact_out: it was a name. TP_INVALID_ARGUMENT with the nearest one if there is none.
 */
tp_status tp_catalogue_match(const tp_plot_catalogue *catalogue, const char *word, int *found_out,
                             int *found_count_out, bool *is_exact_out, tp_message *why);

#endif
