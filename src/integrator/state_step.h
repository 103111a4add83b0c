/* First-order states and relations in an implicit step: their equations and laws are a part of its inclusion,
   beside those of the mechanics or alone; theory/theta-gamma.md (5)-(14). */
#ifndef TP_INTEGRATOR_STATE_STEP_H
#define TP_INTEGRATOR_STATE_STEP_H

#include "implicit_step.h"

typedef struct tp_state_step tp_state_step;

/* The mechanics of the step, as its own inclusion over the stepper's problem. */
typedef struct tp_state_host {
    void *self;
    tp_implicit_residual *residual;
    tp_implicit_linearise *linearise;
    void (*forget)(void *self); /* the system was moved, or states have changed: the point is not known */
    tp_implicit_matrices *matrices;
    const double *q_end, *u_end; /* of the point that `residual` has evaluated last                      */
    double position_time;        /* a change x of the velocities moves the end by position_time B x      */
    double force_weight;         /* of the forces of the end, and where between start and end ...        */
    double force_share;          /* ... their states are taken, 0 to 1                                   */
} tp_state_host;

/* Memory from the arena, for all laws that the stepper's problem has room for, and matrices of so many
   entries. NULL in out where the model has neither states nor relations. */
tp_status tp_state_step_create(tp_stepper *stepper, tp_arena *arena, size_t matrix_entries,
                               tp_state_step **out);

/* Right sides at the start, where the system is; it stays there. */
void tp_state_step_begin(tp_state_step *step, const tp_gamma_options *options, const tp_state *from,
                         double dt);

/* One inclusion for both; the answer of the mechanics in stepper->x and stepper->problem->P. */
tp_status tp_state_step_solve(tp_state_step *step, const tp_state_host *host, tp_step_report *report);

/* The inclusion of the present step, or of the last one: unknowns are the changes of velocities and states,
   P the impulses and dt lambda. */
tp_inclusion tp_state_step_inclusion(tp_state_step *step);

/* States and multipliers of the end, which the system shows from now on; supply of the relations. */
void tp_state_step_end(tp_state_step *step, tp_state *to, tp_step_report *report);

/* The system shows the states that forces see at the start of the step, or at its end. */
void tp_state_step_show(tp_state_step *step, bool at_end);

/* Multipliers of a state that no step led to: those that the outputs alone determine, else 0. */
tp_status tp_state_step_start(tp_state_step *step, tp_state *state);

/* The state or relation of a set of the problem that was solved; NULL: the set is one of the mechanics. */
const char *tp_state_step_set_name(const tp_state_step *step, int set);

#endif
