/* Constraints of a system, in parts that share no velocity. */
#ifndef TP_CALCULUS_PARTS_OF_H
#define TP_CALCULUS_PARTS_OF_H

#include "distribution.h"

typedef struct tp_part_of {
    tp_part_law *laws;
    int law_count;
    int *velocities; /* ascending; of bodies all, of own velocities all */
    int velocity_count;
} tp_part_of;

typedef struct tp_parts_of {
    tp_part_of *list;
    int count;
} tp_parts_of;

/* Laws that are constraints: bilateral ones, and with contacts those that rest at the start: contacts closed
   up to the tolerance (relative to the size of the scene) that neither part nor slide, and laws of friction
   and limited motors that stand still. Moves the system to the start. Own velocities that cannot reach every
   rate are a part, also without laws. Memory is the arena's. */
tp_status tp_parts_find(tp_arena *arena, tp_system *system, bool with_contacts, double tolerance,
                        tp_parts_of *out);

#endif
