/* What happened since the last row: sums of impulses, impacts, work and dissipation, maxima of errors,
   residual and iterations. So rows that are far apart lose nothing. */
#ifndef TP_IO_OUTPUT_LEDGER_H
#define TP_IO_OUTPUT_LEDGER_H

#include "base/arena.h"
#include "tippe/simulation.h"

typedef struct tp_ledger {
    int law_count;
    double *impulse;                      /* [law_count][TP_IMPULSE_ROWS] summed      */
    double *dissipation, *applied;        /* [law_count] summed [J]                      */
    unsigned char *has_acted;             /* [law_count] took part in a step since the last row ...       */
    unsigned char *was_closed;            /* ... and in the last step                    */
    long long steps, impacts;             /* summed                                      */
    double applied_work, all_dissipation; /* summed [J]                           */
    tp_step_report largest;               /* iterations, residual, errors, penetration   */
    long long seen;                       /* steps of the run that are in it or in a row */
} tp_ledger;

tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, tp_ledger *ledger_out);

/* Adds the last step, if it is new. */
void tp_ledger_add(tp_ledger *ledger, const tp_simulation *simulation);

/* After a row: everything begins anew. */
void tp_ledger_clear(tp_ledger *ledger);

#endif
