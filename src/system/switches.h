/* Switches inside formulas (if, abs, sign, min, ...), whose sides an integrator may follow;
   docs/theory/event-driven.md (26). */
#ifndef TP_SYSTEM_SWITCHES_H
#define TP_SYSTEM_SWITCHES_H

#include "system/system.h"

typedef struct tp_switches {
    int count, formula_count;
    const tp_scalar **scalars; /* [formula_count] that have some */
    int *first;                /* [formula_count + 1] the number of each formula's first one */
    double *sign;              /* [count] side of the present phase */
    double *value;             /* [count] work */
    double *start;             /* [count] values where the phase started */
} tp_switches;

int tp_switches_count(const tp_model *model);
tp_status tp_switches_take(const tp_model *model, tp_arena *arena, tp_switches *out);

/* Their values at the point of the system, positive on the side of the present phase. */
void tp_switches_find(tp_switches *switches, const tp_system *system);

/* Each on the side on which it is at the point of the system. */
void tp_switches_start(tp_switches *switches, const tp_system *system);

/* Whether the point of the system is on another side of one of them than the start, or one has come to its
   edge. */
bool tp_switches_pass(tp_switches *switches, const tp_system *system);

/* Where the formula of a switch stands in its file. */
tp_place tp_switches_place(const tp_switches *switches, int number);

#endif
