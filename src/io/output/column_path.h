/* Columns found by their names. */
#ifndef TP_IO_OUTPUT_COLUMN_PATH_H
#define TP_IO_OUTPUT_COLUMN_PATH_H

#include "base/name_index.h"
#include "tippe/output.h"

/* The name as a part between slashes, and the reverse for so many bytes, in the arena; NULL without memory.
 */
const char *tp_column_escaped(tp_arena *arena, const char *name);
const char *tp_column_unescaped(tp_arena *arena, const char *part, int length);

/* Columns by name; of two with the same name the first. */
tp_status tp_column_index(tp_arena *arena, const tp_table_column *columns, int count,
                          tp_name_index *index_out);

/* Place of the column "GROUP/NAME" or "GROUP/NAME/PART" (part "": none), whose name is not yet escaped; -1:
   none. */
int tp_column_find(const tp_name_index *index, const char *group, const char *name, const char *part);

/* Column of a run by its whole name, or by the last part where no other column ends so. TP_INVALID_ARGUMENT
   with the nearest name. */
tp_status tp_column_named(const tp_trajectory *run, const char *name, int *column_out, tp_message *why);

/* Columns of a table by their names; false if one is missing. */
bool tp_table_values(const tp_table *table, const char *const *names, int count, const double **values_out);

/* The word that a number of a table stands for; NULL: none, or there is no such column (-1). */
const char *tp_table_word(const tp_table *table, int column, long long row);

/* Whether a row of a table of events has this kind, and is of this law or shape; NULL: any. */
bool tp_event_row_is(const tp_table *events, long long row, const char *kind, const char *of);

#endif
