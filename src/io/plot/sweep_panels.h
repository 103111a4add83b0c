/* Figures of a sweep: results over one parameter, maps over two, and its points over the first one. */
#ifndef TP_IO_PLOT_SWEEP_PANELS_H
#define TP_IO_PLOT_SWEEP_PANELS_H

#include "base/arena.h"
#include "tippe/plot.h"

bool tp_is_sweep(const tp_trajectory *trajectory);

/* The panels of a sweep without choice. */
tp_status tp_sweep_panels(tp_arena *arena, const tp_trajectory *sweep, const tp_plot_options *options,
                          tp_plot_figure *figure, tp_message *why);

#endif
