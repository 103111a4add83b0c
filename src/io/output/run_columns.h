/* The columns of a simulation's output: their names, and where their values come from. */
#ifndef TP_IO_OUTPUT_RUN_COLUMNS_H
#define TP_IO_OUTPUT_RUN_COLUMNS_H

#include "base/arena.h"
#include "io/output/ledger.h"
#include "tippe/output.h"

/* Where the value of a column comes from. */
typedef enum tp_column_kind {
    TP_COLUMN_TIME,
    TP_COLUMN_COORDINATE,
    TP_COLUMN_VELOCITY,
    TP_COLUMN_ENERGY,
    TP_COLUMN_IMPULSE,
    TP_COLUMN_LAST_IMPULSE,
    TP_COLUMN_DISSIPATION,
    TP_COLUMN_APPLIED_WORK,
    TP_COLUMN_CLOSED,
    TP_COLUMN_GAP,
    TP_COLUMN_SENSOR,
    TP_COLUMN_INPUT,
    TP_COLUMN_MEMORY,
    TP_COLUMN_STEP_COUNT,
    TP_COLUMN_STEP_ORIGIN,
    TP_COLUMN_STEP_SIZE,
    TP_COLUMN_STEP_STEPS,
    TP_COLUMN_STEP_ITERATIONS,
    TP_COLUMN_STEP_RESIDUAL,
    TP_COLUMN_STEP_CONTACTS,
    TP_COLUMN_STEP_IMPACTS,
    TP_COLUMN_STEP_APPLIED_WORK,
    TP_COLUMN_STEP_DISSIPATION,
    TP_COLUMN_STEP_POSITION_ERROR,
    TP_COLUMN_STEP_ANGLE_ERROR,
    TP_COLUMN_STEP_VELOCITY_ERROR,
    TP_COLUMN_STEP_ANGULAR_VELOCITY_ERROR,
    TP_COLUMN_STEP_PENETRATION,
    TP_COLUMN_STEP_LIMIT_ANGLE
} tp_column_kind;

typedef struct tp_column_source {
    tp_column_kind kind;
    int index, row; /* of the coordinate, law, ...; row of an impulse, entry of an array of memory */
} tp_column_source;

typedef struct tp_column_list {
    tp_table_column *columns;
    tp_column_source *sources;
    int count, capacity;
} tp_column_list;

/* All columns of a simulation; memory comes from the arena. */
tp_status tp_column_list_make(tp_arena *arena, const tp_simulation *simulation, tp_column_list *list_out,
                              tp_message *why);

/* Place of the column "GROUP/NAME" or "GROUP/NAME/PART" (part "": none), whose name is not yet escaped; -1:
 * none. */
int tp_column_find(const tp_table_column *columns, int count, const char *group, const char *name,
                   const char *part);

/* At the present state, with what happened since the last row. */
double tp_column_value(const tp_simulation *simulation, const tp_ledger *ledger, tp_column_source source);

#endif
