/* Which columns go to which panel: as the user says, or what every run is looked at for. */
#ifndef TP_IO_PLOT_CHOICE_H
#define TP_IO_PLOT_CHOICE_H

#include "columns.h"

/* One curve of a panel, by the numbers of its columns. */
typedef struct tp_plot_pair {
    int x, y;
} tp_plot_pair;

typedef struct tp_plot_choice {
    tp_plot_pair *pairs;
    int count;
    int left_out; /* of a group or pattern too large for a panel */
} tp_plot_choice;

enum { TP_PLOT_PANELS_MAX = 32 };

/* Choices [TP_PLOT_PANELS_MAX]. column_count 0: the panels that every run is looked at for. */
tp_status tp_choices_make(const tp_plot_catalogue *catalogue, const char *const *texts, int text_count,
                          tp_arena *arena, tp_plot_choice *choices_out, int *count_out, tp_message *why);

#endif
