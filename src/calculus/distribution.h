/* The admissible motions of some laws of a system: rows A (chi, W) over (1, u) with their derivatives, and
   the fields of directions that they leave; docs/theory/holonomy.md. Directions have components in a frame:
   time, rates of general coordinates, velocities of bodies, each in its unit (tp_system.unit). */
#ifndef TP_CALCULUS_DISTRIBUTION_H
#define TP_CALCULUS_DISTRIBUTION_H

#include "system/system.h"

/* Rows of a law that take part: all, or the normal one of a contact that slides. */
typedef struct tp_part_law {
    int law, row_count;
} tp_part_law;

/* Laws that share velocities. */
typedef struct tp_distribution {
    const tp_allocator *allocator;
    tp_system *system;
    const tp_part_law *laws;
    int law_count, row_count;
    const int *velocity; /* [width - 1] of the system, ascending: columns 1, ... of the rows       */
    int width;           /* 1 + velocities: time first                                             */
    bool is_own;         /* the general velocities are not rates: they are all in the part         */
    int size;            /* of the frame                                                           */
    int general;         /* rates of general coordinates in the frame after time; of own ones only */
    bool is_exact;       /* derivatives are; else differences of four points                       */

    /* tp_distribution_move */
    double t, *q;
    double *A;       /* [row_count * width] row by row, each of unit length                              */
    double *D;       /* [row_count * width * size] derivative of an entry of A along the frame           */
    double *F;       /* [size * width] row by row: (1, u) seen in the frame                              */
    double *dF;      /* [size * width * size]; of general coordinates with own velocities, else 0        */
    double *inverse; /* [width * size] of F, where it is square                                     */
    int rank, space_rank; /* of the rows of pick, and of their columns of velocities                */
    double *Q, *L;        /* Q [rank * width] orthonormal basis of the rows; row pick[i] = sum of L Q      */

    /* tp_distribution_pick */
    int *pick; /* [picked] independent rows: others follow from them where positions are admissible  */
    int picked;

    /* work */
    double *W, *H, *near, *unit, *u, *moved;
    int *local;
} tp_distribution;

/* Memory comes from the arena. The system and the laws are borrowed. */
tp_status tp_distribution_create(const tp_allocator *allocator, tp_arena *arena, tp_system *system,
                                 const tp_part_law *laws, int law_count, const int *velocities, int count,
                                 tp_distribution *out);

/* Rows and derivatives at a point. False: they are not finite. Where the exact derivatives are not known it
   goes over to differences for good. */
bool tp_distribution_move(tp_distribution *d, double t, const double *q);

/* Chooses independent rows at the present point, from which the fields are made from now on; returns their
   number. Rows that depend on them do so only where the positions satisfy the constraints. */
int tp_distribution_pick(tp_distribution *d);

/* out [width] = the part of v that the rows admit. */
void tp_distribution_project(const tp_distribution *d, const double *v, double *out);

/* out [width]: change of tp_distribution_project(v) along the direction X of the frame. */
void tp_distribution_change(const tp_distribution *d, const double *v, const double *X, double *out);

/* F v, a direction of the frame. */
void tp_distribution_lift(const tp_distribution *d, const double *v, double *out);

/* The change of F v along X, and the brackets of the frame itself: [E_a, E_b] of turning bodies. */
void tp_distribution_lift_change(const tp_distribution *d, const double *v, const double *X, double *out);
void tp_distribution_frame_bracket(const tp_distribution *d, const double *X, const double *Y, double *out);

/* Condition I for admissible x, y [width]: the largest (dA)(x, y) of the rows, relative to the size of its
   terms. Where rates do not determine the velocities, also what leaves
   them. */
double tp_distribution_curvature(const tp_distribution *d, const double *x, const double *y);

/* Condition II: the bracket of the fields that project x and y, a direction of the frame [size], and its part
   across the admissible directions. */
void tp_distribution_bracket(const tp_distribution *d, const double *x, const double *y, double *bracket_out,
                             double *across_out);

/* ---- flow.c ---- */

/* Follows the field that projects v (time 1) in so many steps of fourth order, from (t, q) on; variation
   [size * size] column by column goes along unless it is NULL. False: not finite on the way. */
bool tp_distribution_flow(tp_distribution *d, const double *v, int steps, double *t, double *q,
                          double *variation, tp_arena *scratch);

#endif
