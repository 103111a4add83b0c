/* The state that a row shows, and what happened since the row before: sums of impulses, work and dissipation,
   sums and maxima of the figures of steps. So rows that are far apart lose nothing. */
#ifndef TP_IO_OUTPUT_LEDGER_H
#define TP_IO_OUTPUT_LEDGER_H

#include "base/arena.h"
#include "tippe/simulation.h"

typedef struct tp_ledger {
    const tp_simulation *simulation;
    tp_restart now;                /* until the next step                                             */
    double *impulse;               /* [laws][TP_IMPULSE_ROWS] summed                               */
    double *dissipation, *applied; /* [laws] summed [J]                                               */
    unsigned char *has_acted;      /* [laws] took part in a step since the last row ...               */
    unsigned char *was_closed;     /* ... and in the last step                                        */
    long long steps;               /* summed                                                          */
    double all_dissipation;        /* summed [J]                                                      */
    double *figures;               /* [kinds of columns] sum or maximum of a field, as the kind says  */
    long long seen;                /* steps of the run that are in it or in a row                     */
} tp_ledger;

tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, tp_ledger *ledger_out);

/* Goes to the present state, and adds the last step; false if that was there already. */
bool tp_ledger_add(tp_ledger *ledger);

/* After a row: sums and maxima start again. */
void tp_ledger_clear(tp_ledger *ledger);

#endif
