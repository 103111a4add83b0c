/* Forces between pairs of shapes, as columns made from the table of contacts: "contact/A/B/force_N" is the
   sum of the normal forces of all contact points, "contact/A/B/friction" the norm of their friction force. */
#ifndef TP_IO_PLOT_COLUMN_PAIRS_H
#define TP_IO_PLOT_COLUMN_PAIRS_H

#include "plot_columns.h"

/* More pairs than these have no columns. */
enum { TP_PLOT_PAIRS_MAX = 200 };

/* Pairs of shapes that touch in a run, each once, in the order of shapes; their number before the limit. */
tp_status tp_pairs_find(const tp_trajectory *trajectory, tp_arena *arena, tp_contact_pair *pairs_out,
                        int *count_out, int *all_count_out);

/* Mean forces between rows [row_count]; 0 where the shapes do not touch; NULL: no memory. */
double *tp_pair_values(const tp_trajectory *trajectory, const tp_contact_pair *pair, tp_arena *arena);

/* Whether the run has such a pair. */
bool tp_pair_is_there(const tp_trajectory *trajectory, const tp_contact_pair *pair);

#endif
