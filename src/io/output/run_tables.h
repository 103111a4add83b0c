/* The tables of a simulation besides its rows over time: contacts between shapes that acted since the row
   before, and events; docs/output.md. */
#ifndef TP_IO_OUTPUT_RUN_TABLES_H
#define TP_IO_OUTPUT_RUN_TABLES_H

#include "io/output/ledger.h"
#include "io/output/recorder.h"

enum { TP_TABLE_CONTACTS, TP_TABLE_EVENTS, TP_TABLE_STEPS, TP_TABLE_COUNT };

typedef struct tp_output_tables {
    tp_table tables[TP_TABLE_COUNT];
    int count; /* steps only of integrators that choose them */
    tp_table_labels shapes, laws, kinds;
} tp_output_tables;

tp_status tp_output_tables_make(tp_arena *arena, const tp_simulation *simulation,
                                tp_output_tables *tables_out);

/* Adds to their tables: the events of the last step, and the contacts of an output row with that number. */
void tp_output_tables_events(const tp_simulation *simulation, tp_recorder *recorder);
void tp_output_tables_contacts(const tp_ledger *ledger, long long row, tp_recorder *recorder);

/* The last step, if the integrator chose its length and it has ended. */
void tp_output_tables_own_step(const tp_simulation *simulation, tp_recorder *recorder);

/* The opposite for a continued run: contacts that are closed in a row, with their impulses of the last step,
   as a checkpoint has them; memory is the arena's. */
tp_status tp_output_tables_restore(tp_arena *arena, const tp_table *contacts, long long row,
                                   const tp_restart_contact **contacts_out, int *count_out,
                                   tp_message *why_out);

#endif
