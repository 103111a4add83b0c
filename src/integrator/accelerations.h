/* Accelerations and forces of all laws at a state; docs/theory/second-level.md (24)-(30). The model is the
   one that was given, whatever an integrator makes of it. */
#ifndef TP_INTEGRATOR_ACCELERATIONS_H
#define TP_INTEGRATOR_ACCELERATIONS_H

#include "system/redundancy.h"
#include "system/saddle.h"
#include "system/step_problem.h"
#include "tippe/solver.h"

/* What the step that led to a state knows of it: schemes leave gaps and normal velocities of lasting contacts
   that are as large as their errors. */
typedef struct tp_last_step {
    double size;                    /* [s]; 0: no step led here */
    const unsigned char *is_closed; /* [laws] */
    const double *impulse;          /* [laws * TP_LAW_ROWS] */
    int contact_shift;              /* added to the numbers of contacts gives those of the step */
} tp_last_step;

typedef struct tp_accelerations {
    tp_arena arena;
    tp_arena laws; /* of what is kept by law: taken again when there are more contacts than room */
    int law_room;
    tp_arena pairs; /* of the list of pairs that may touch */
    int pair_room;
    tp_pair_key *pair;
    tp_system *system; /* the caller moves it */
    tp_redundancy *redundancy;
    tp_saddle *saddle;
    tp_step_problem *problem;
    tp_workspace *memory;
    double *M, *h; /* values in mass_pattern, [u_count] */
    double *g2;    /* [laws * TP_LAW_ROWS] of laws that take part */
    double *slide; /* [laws * TP_LAW_ROWS] direction in which a row slips or runs, 0: it does not */
    double *pull;  /* [laws * TP_LAW_ROWS] how far xi is held away in that direction [m/s^2]       */
    /* results of tp_accelerations_find, and of the last call */
    bool is_found;
    tp_status status;
    double *a;        /* [u_count] */
    double *force;    /* [laws * TP_LAW_ROWS] */
    int impact_count; /* laws that are about to jump */
    bool is_exact;
    double residual;
} tp_accelerations;

tp_status tp_accelerations_create(const tp_allocator *allocator, const tp_model *model,
                                  tp_accelerations **accelerations_out);
void tp_accelerations_free(tp_accelerations *accelerations);

/* The contacts of the system are those of another system of the same shapes, in the same order; or those that
   are closed at its present point. */
tp_status tp_accelerations_follow(tp_accelerations *accelerations, const tp_system *steps);
tp_status tp_accelerations_see(tp_accelerations *accelerations, double contact_tolerance);

/* At the system's present point. contact_tolerance: that of tp_law_closing_gap. */
tp_status tp_accelerations_find(tp_accelerations *accelerations, double contact_tolerance,
                                const tp_last_step *last);

/* y[level] of the rows of a law at the system's present point, NaN where there is none: positions,
   velocities, accelerations (those that were found); y_out [TP_LAW_ROWS]. */
void tp_accelerations_output(tp_accelerations *accelerations, int law, int level, double *y_out);

/* Rows of a set with the same number decide together where the multiplier is: a curved friction set has one
   direction of slip. */
int tp_slip_group(const tp_set *set, int k);

#endif
