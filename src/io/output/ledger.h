/* The state that a row shows, and what happened since the row before: sums of impulses, work and dissipation,
   sums and maxima of the figures of steps. So rows that are far apart lose nothing. */
#ifndef TP_IO_OUTPUT_LEDGER_H
#define TP_IO_OUTPUT_LEDGER_H

#include "base/arena.h"
#include "tippe/simulation.h"

/* A contact between shapes that acted since the last row, or is closed. */
typedef struct tp_ledger_contact {
    tp_contact_info info; /* at the present state; infinite gap: the shapes are not near any more */
    bool has_acted;
    double impulse[TP_IMPULSE_ROWS], dissipation;  /* summed                */
    double last_impulse[TP_IMPULSE_ROWS];          /* of the last step alone */
    double force[TP_FORCE_PARTS][TP_IMPULSE_ROWS]; /* that the integrator keeps ... */
    double impact[TP_IMPULSE_ROWS];                /* ... and those of impacts, summed */
} tp_ledger_contact;

typedef struct tp_ledger {
    const tp_simulation *simulation;
    tp_arena *arena;
    bool keeps_contacts;         /* somebody reads the list of contacts                             */
    tp_status status;            /* TP_OUT_OF_MEMORY: contacts are missing                          */
    tp_restart now;              /* until the next step                                             */
    tp_ledger_contact *contacts; /* [contact_count] ascending by their shapes and features          */
    int contact_count;
    tp_ledger_contact *spare; /* both [contact_capacity] */
    int contact_capacity;
    double *impulse;               /* [laws][TP_IMPULSE_ROWS] summed                               */
    double *impact;                /* [laws][TP_IMPULSE_ROWS] summed, of impacts alone                */
    double *dissipation, *applied; /* [laws] summed [J]                                               */
    unsigned char *has_acted;      /* [laws] took part in a step since the last row ...               */
    unsigned char *was_closed;     /* ... and in the last step                                        */
    long long steps;               /* summed                                                          */
    double all_dissipation;        /* summed [J]                                                      */
    double *figures;               /* [kinds of columns] sum or maximum of a field, as the kind says  */
    long long seen;                /* steps of the run that are in it or in a row                     */
} tp_ledger;

/* keeps_contacts false: `contacts` stays empty. */
tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, bool keeps_contacts,
                           tp_ledger *ledger_out);

/* Goes to the present state, and adds the last step; false if that was there already. */
bool tp_ledger_add(tp_ledger *ledger);

/* After a row: sums and maxima start again. */
void tp_ledger_clear(tp_ledger *ledger);

#endif
