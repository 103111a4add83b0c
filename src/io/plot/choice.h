/* Which columns go to which panel: as the user says, or what every run is looked at for. */
#ifndef TP_IO_PLOT_CHOICE_H
#define TP_IO_PLOT_CHOICE_H

#include "plot_columns.h"

/* One curve of a panel, by the numbers of its columns. */
typedef struct tp_plot_pair {
    int x, y;
} tp_plot_pair;

typedef struct tp_plot_choice {
    tp_plot_pair *pairs;
    int count;
    int left_out; /* of a group or pattern too large for a panel */
} tp_plot_choice;

/* The most panels; of those without choice; curves of a group in one panel, with several runs in all. */
enum { TP_PLOT_PANELS_MAX = 32, TP_PLOT_DEFAULT_PANELS = 8, TP_PLOT_GROUP_MAX = 6 };

/* Groups shrink with the number of runs, so that a panel stays readable. */
int tp_choice_limit(const tp_plot_catalogue *catalogue);

/* Adds a curve, if it is not there yet. */
tp_status tp_choice_add(tp_arena *arena, tp_plot_choice *choice, tp_plot_pair pair, tp_message *why);

/* Choices [TP_PLOT_PANELS_MAX] as the user says. */
tp_status tp_choices_make(const tp_plot_catalogue *catalogue, const char *const *texts, int text_count,
                          tp_arena *arena, tp_plot_choice *choices_out, int *count_out, tp_message *why);

/* Choices [TP_PLOT_PANELS_MAX] that every run is looked at for, and what they leave out (NULL: nothing), one
   line each; docs/guide/plots.md. */
tp_status tp_choices_default(const tp_plot_catalogue *catalogue, tp_arena *arena, tp_plot_choice *choices_out,
                             int *count_out, const char **note_out, tp_message *why);

#endif
