/* What a continued run must have in common with the run before. */
#ifndef TP_IO_OUTPUT_RESTART_FILE_H
#define TP_IO_OUTPUT_RESTART_FILE_H

#include "tippe/output.h"

enum { TP_SETTINGS_MAX = 64 };

/* The options that the bits of a run depend on, besides the integrator: kept in every file. Returns their
   number. */
int tp_restart_settings(const tp_simulation_options *options, tp_table_attribute list_out[TP_SETTINGS_MAX]);

/* Warns of the first line of the scene that differs; how it is run and what is kept of it do not count. */
void tp_restart_compare_scenes(tp_simulation *simulation, const char *path, const char *before,
                               const char *now);

/* Warns of integrator and options that differ from those in the file. */
void tp_restart_compare_settings(tp_simulation *simulation, const char *path,
                                 const tp_trajectory *trajectory);

/* The attribute of that name, and its text, or NULL. */
const tp_table_attribute *tp_restart_attribute(const tp_trajectory *trajectory, const char *name);
const char *tp_restart_text(const tp_trajectory *trajectory, const char *name);

#endif
