/* The inside of a reduction to minimal coordinates; docs/theory/holonomy.md (13), (14). */
#ifndef TP_CALCULUS_REDUCTION_H
#define TP_CALCULUS_REDUCTION_H

#include "system/system.h"
#include "tippe/analysis.h"

/* A coordinate that may describe the motion. */
typedef struct tp_minimal {
    const char *name;
    int joint, coordinate; /* of a joint; joint -1: */
    int turn;              /* the component `coordinate` of the turn of this body; -1: */
    int q, velocity;       /* a coordinate whose rate is a velocity */
    double preference;
    bool is_chosen;
} tp_minimal;

typedef struct tp_kept_row {
    int law, row;
} tp_kept_row;

/* One entry of the model that is made, for its C functions. */
typedef struct tp_reduced_entry {
    tp_reduction *reduction;
    int i, j; /* of the mass matrix; j -1: of the force */
} tp_reduced_entry;

/* One row of a law of that model. */
typedef struct tp_reduced_row {
    tp_reduction *reduction;
    int law, row; /* of the whole model */
    bool is_position;
} tp_reduced_row;

struct tp_reduction {
    tp_arena arena;
    const tp_allocator *allocator;
    const tp_model *model;
    tp_system *system;
    int m, n; /* velocities, coordinates */
    tp_minimal *candidates, *minimal;
    int candidate_count, count;
    tp_kept_row *rows; /* independent constraints */
    int row_count;
    bool has_velocity_rows;     /* of constraints that have no position */
    double *start, *start_rate; /* [count] */
    double part_of_way;         /* of the way from the start: where the coordinates are expected */

    /* work */
    double *unit, *no_impulse, *no_rate; /* zero between calls */
    double *W, *K, *rest;                /* rows of a law, [m*m] factors, [m] */
    int *pivot;
    double *row, *u, *still, *way, *state, *stage, *slopes, *lifted_q, *lifted_u, *S, *reduced, *force, *mass;

    /* of the model that is made (reduction_model.c) */
    tp_reduced_entry *entries;
    double *at;                  /* [1 + 2 count] t, y, y' of the values below; NaN: none yet     */
    double *M, *f;               /* [count^2], [count]                                            */
    double *M_slopes, *f_slopes; /* [(1 + count) count^2], [(1 + 2 count) count] by t, y, y'      */
    double *beside, *near_M, *near_f;
    bool has_slopes;
};

/* reduction_coordinates.c: all candidates; the value of one, the system stands at (t, q); its rate at the
   system's point, a row [m] over the velocities, and what is left at u = 0; d(rate)/dt at u' = 0. */
tp_status tp_minimal_list(tp_reduction *reduction);
double tp_minimal_value(const tp_reduction *reduction, const tp_minimal *candidate, const double *q);
bool tp_minimal_is_angle(const tp_reduction *reduction, const tp_minimal *candidate);
double tp_minimal_rate_row(const tp_reduction *reduction, const tp_minimal *candidate, double *row);
double tp_minimal_rate_drift(const tp_reduction *reduction, const tp_minimal *candidate);

/* reduction_laws.c: contacts and laws on velocities of the model that is made. */
tp_status tp_reduction_add_laws(tp_reduction *reduction, tp_model *model, tp_message *why);

#endif
