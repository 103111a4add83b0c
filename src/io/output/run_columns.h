/* The columns of a simulation's output: one table, whose rows say how a column is called, where its value
   comes from, and what of it a continued run takes back. */
#ifndef TP_IO_OUTPUT_RUN_COLUMNS_H
#define TP_IO_OUTPUT_RUN_COLUMNS_H

#include "io/output/field.h"
#include "io/output/ledger.h"
#include "tippe/output.h"

/* What there is such a column for. */
typedef enum tp_column_per {
    TP_PER_RUN, /* once */
    TP_PER_COORDINATE,
    TP_PER_VELOCITY,
    TP_PER_JOINT,        /* and each of its coordinates                                 */
    TP_PER_LAW,          /* that is not between shapes: those have a table of their own */
    TP_PER_CONTACT,      /* such a law with a gap                                       */
    TP_PER_LAW_ROW,      /* the part is followed by the name of the row                 */
    TP_PER_ACCELERATION, /* velocities, where the options ask for accelerations    */
    TP_PER_FORCE_ROW,    /* as LAW_ROW, where they do                              */
    TP_PER_KEPT_ROW,     /* as LAW_ROW, of integrators that keep forces            */
    TP_PER_SENSOR,
    TP_PER_INPUT,
    TP_PER_STATE,
    TP_PER_MULTIPLIER,
    TP_PER_OUTPUT,  /* of a relation */
    TP_PER_STORAGE, /* once, where there are first-order states */
    TP_PER_MEMORY,  /* entry of an array of the integrator */
    TP_PER_COUNT
} tp_column_per;

/* What a row of the output shows of a field that every step sets. */
typedef enum tp_column_way {
    TP_COLUMN_NOW,    /* its value at the state                */
    TP_COLUMN_SUM,    /* over the steps since the row before   */
    TP_COLUMN_MAXIMUM /* of the steps since the row before     */
} tp_column_way;

/* What a continued run does with the column of the file it continues. */
typedef enum tp_column_back {
    TP_COLUMN_LEFT, /* nothing: it follows from the state, or belongs to the rows before */
    TP_COLUMN_TAKEN,
    TP_COLUMN_NEEDED /* takes it; without it a row is not a checkpoint */
} tp_column_back;

typedef struct tp_column_kind {
    const char *group, *part; /* "GROUP/NAME/PART", "GROUP/PART" (per run), either may be missing */
    const char *unit;         /* NULL: that of the coordinate, law, ...                           */
    const char *text;
    tp_column_per per;
    tp_column_way way; /* of the field */
    tp_column_back back;
    tp_field field; /* of tp_ledger; TP_FIELD_NONE: a function of item `index` and its row gives the value */
    double (*value)(const tp_ledger *ledger, int index, int row);
} tp_column_kind;

/* The table; kinds of one group stand together. */
const tp_column_kind *tp_column_kinds(int *count_out);

typedef struct tp_column_source {
    const tp_column_kind *kind;
    int index, row; /* of the coordinate, law, ...; row of the law, entry of the array */
} tp_column_source;

typedef struct tp_column_list {
    tp_table_column *columns;
    tp_column_source *sources;
    int count;
} tp_column_list;

/* All columns of a simulation; memory comes from the arena. */
tp_status tp_column_list_make(tp_arena *arena, const tp_simulation *simulation, tp_column_list *list_out,
                              tp_message *why);

/* At the present state, with what happened since the last row. */
double tp_column_value(const tp_ledger *ledger, tp_column_source source);

/* The opposite, for what a continued run takes: into a ledger that points to writable arrays. False if the
   column cannot hold that value. */
bool tp_column_put(tp_ledger *to, tp_column_source source, double value);

#endif
