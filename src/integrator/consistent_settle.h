/* What is left of the velocities of laws that stick, after a step; theory/consistent.md (51)-(61). */
#ifndef TP_INTEGRATOR_CONSISTENT_SETTLE_H
#define TP_INTEGRATOR_CONSISTENT_SETTLE_H

#include "consistent_laws.h"

typedef struct tp_row_range {
    int first, end;
} tp_row_range;

/* The rows of a law that act along velocities: those of friction, all of a law without a gap. */
static inline tp_row_range tp_consistent_friction_rows(const tp_consistent_step *step,
                                                       const tp_consistent_law *own)
{
    const tp_law *law = tp_consistent_law_of(step, own);
    return (tp_row_range){law->level == TP_LEVEL_GAP ? 1 : 0, law->row_count};
}

/* Size of the velocity W^T u of rows of a law that hold their displacements, or have driven them back over 0,
   in the step that was solved; 0: they rest, go along with the displacement, transmit nothing, or have
   restitution 1. [m/s], [rad/s] */
double tp_consistent_swing(const tp_consistent_step *step, const tp_consistent_law *own, tp_row_range rows,
                           const double *u);

/* Settles u and the impulses at the end of the step, where one of its laws swings; the state is as the
   step left it. `leaves_out`: rows of joints that are left out depend on others at the end too. Unsolved: the
   state stays as it is. */
tp_status tp_consistent_settle(tp_consistent_step *step, bool leaves_out, tp_state *to,
                               tp_step_report *report);

#endif
