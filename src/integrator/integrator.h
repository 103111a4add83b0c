/* What an integrator is: one file, one descriptor, one line in table.c. */
#ifndef TP_INTEGRATOR_INTEGRATOR_H
#define TP_INTEGRATOR_INTEGRATOR_H

#include "system/step_problem.h"
#include "tippe/inclusion.h"
#include "tippe/integrator.h"
#include "tippe/solver.h"

/* How long an array of an integrator's memory is. */
typedef enum tp_memory_length {
    TP_MEMORY_ONE,            /* a number                      */
    TP_MEMORY_PER_COORDINATE, /* as q                          */
    TP_MEMORY_PER_VELOCITY,   /* as u                          */
    TP_MEMORY_PER_LAW,
    TP_MEMORY_PER_LAW_ROW /* as percussion: law_count * TP_LAW_ROWS */
} tp_memory_length;

/* What an integrator keeps from step to step beside t, q and u: part of every checkpoint. */
typedef struct tp_memory_field {
    const char *name; /* NULL ends the list */
    tp_memory_length length;
} tp_memory_field;

/* All that a step reads and writes. Multipliers are kept by law, TP_LAW_ROWS each. */
typedef struct tp_state {
    double t;
    double *q, *u;
    double *percussion;       /* [law_count * TP_LAW_ROWS] of the step that led here: warm start and output */
    unsigned char *is_closed; /* [law_count] took part in that step                                         */
    double **memory; /* [fields of the integrator's memory] its arrays: read from one state, written to the
                        next */
} tp_state;

/* Scratch memory and options of a simulation, shared by all integrators. */
typedef struct tp_stepper {
    const tp_model *model;
    tp_system *system;
    tp_step_problem *problem;
    tp_workspace *solver_memory;
    const tp_simulation_options *options;
    double *q_middle, *u_middle; /* [q_count], [u_count]         */
    double *M, *h, *x;           /* values in the mass pattern, [u_count] twice */
    double *chi;                 /* [all rows] chi of each row in the step problem */
    void *scratch;               /* of the integrator's own, made by its `prepare`; not part of the state */
} tp_stepper;

typedef struct tp_integrator {
    tp_integrator_info info;
    /* TP_UNSUPPORTED with the reason for a model it cannot treat; may be NULL. */
    tp_status (*refuse)(const tp_model *model, tp_message *why_out);
    /* From a const state to the next one; fills iterations, residual, contact_count, impact_count,
     * applied_work. */
    tp_status (*step)(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                      tp_step_report *report);
    const tp_memory_field *memory; /* NULL: none. All else that a step depends on must be in the state */
    /* Fills the memory at a state that no step of this integrator led to; NULL: it begins with zeros. */
    tp_status (*start)(tp_stepper *stepper, tp_state *state);
    /* Scratch memory of its own from the arena, into stepper->scratch; the rest of the stepper is ready. May
     * be NULL.
     */
    tp_status (*prepare)(tp_stepper *stepper, tp_arena *arena);
    /* Largest omega dt at which undamped vibrations stay bounded: INFINITY where there is no limit, 0 where
     * they always grow. */
    double (*stability_limit)(const tp_simulation_options *options);
} tp_integrator;

const tp_integrator *tp_integrator_by_name(const char *name);

extern const tp_integrator tp_integrator_moreau;      /* moreau.c      */
extern const tp_integrator tp_integrator_moreau_jean; /* moreau_jean.c */

/* Solves the step problem to the limit of double precision; P in stepper->problem, x in stepper->x.
 * TP_NOT_CONVERGED unless accepted. */
tp_status tp_stepper_solve(tp_stepper *stepper, tp_step_report *report);

/* The same for a nonlinear inclusion whose linearisation is the step problem, by linearised inclusions; x
   (the start is 0) in stepper->x. */
tp_status tp_stepper_solve_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion,
                                     tp_step_report *report);

/* True if a step with this status is used: solved, or accepted unsolved. */
bool tp_stepper_accepts(const tp_stepper *stepper, tp_status status);

/* Percussions by law, and the work of prescribed motion -P chi with stepper->chi. */
void tp_stepper_keep_percussions(const tp_stepper *stepper, tp_state *to, tp_step_report *report);

#endif
