/* Values of inputs over time from a CSV file; docs/guide/inputs.md. */
#ifndef TIPPE_INPUT_FILE_H
#define TIPPE_INPUT_FILE_H

#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A first line "time,NAME,NAME...", then rows of numbers, times ascending. A row holds from its time on until
   the next one. Inputs without a column, and all inputs before the first row, keep the values they have.
   Lines that are empty or start with # are skipped. */
typedef struct tp_input_table tp_input_table;

/* The names are those of the model's inputs. TP_FILE_ERROR when the file cannot be read, TP_INVALID_DATA with
   file, line and column when its content is wrong. allocator NULL: the C library. */
tp_status tp_input_table_read(const tp_allocator *allocator, const tp_model *model, const char *path,
                              tp_input_table **table_out, tp_message *why_out);

/* The same from memory, which is borrowed for the call; `name` is that of messages. */
tp_status tp_input_table_read_memory(const tp_allocator *allocator, const tp_model *model, const char *name,
                                     const void *bytes, size_t count, tp_input_table **table_out,
                                     tp_message *why_out);
void tp_input_table_free(tp_input_table *table); /* NULL is fine */

/* Sets the inputs for the step that starts at the present time of the simulation, which is one of the table's
   model: those of the last row whose time is not later. A row whose time lies within a step acts from the
   next step on. */
tp_status tp_input_table_apply(const tp_input_table *table, tp_simulation *simulation, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
