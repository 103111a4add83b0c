/* A part of the constraints that is being examined for holonomy; docs/theory/holonomy.md (6), (10), (11). */
#ifndef TP_CALCULUS_EXAMINATION_H
#define TP_CALCULUS_EXAMINATION_H

#include "distribution.h"
#include "tippe/analysis.h"

#include <stdint.h>

struct tp_holonomy {
    tp_arena arena;
    const tp_allocator *allocator;
    const tp_model *model;
    tp_holonomy_options options;
    tp_system *system;
    uint64_t random;
    int part_count, frame_count;
    tp_holonomy_part *parts;
    const char **frame_names;
};

/* A part that is being examined. */
typedef struct tp_examination {
    tp_holonomy *all;
    tp_distribution d;
    tp_holonomy_part *part;
    tp_arena scratch; /* of this part */
    double
        *basis; /* [width * width] admissible directions at a point, column by column; the first along time */
    int directions;
    double worst;       /* condition I at the point of the witness */
    double *x, *y;      /* [width] directions of the witness       */
    double t, *q;       /* its point                               */
    double reach;       /* of paths                                */
    bool is_positional; /* all rows are derivatives of positions */
} tp_examination;

/* The start, with the rows that are independent there. */
bool tp_examination_begin(tp_examination *e);

/* A random admissible path; false: it leads nowhere. Where half as many steps lead elsewhere it is too long
   for its steps: paths become shorter then, for good. */
bool tp_examination_wander(tp_examination *e, double *v, double *t, double *q, double *variation);

/* The admissible directions at the present point; both conditions for all their pairs, of which the worst of
   all points is kept. */
tp_status tp_examination_basis(tp_examination *e);
void tp_examination_pairs(tp_examination *e);

/* ---- integrable.c ---- */

/* The constraints that are relations between positions. */
tp_status tp_examination_integrable(tp_examination *e);

/* Row operations that leave as few entries as there can be: the largest entry of each row is its pivot. */
void tp_examination_tidy(int size, int count, double *rows);

/* A direction of the part over the whole frame of the model, out of units or (`is_row`) as a row over rates;
   NULL: no memory. */
double *tp_examination_whole(tp_examination *e, const double *direction, bool is_row);

/* ---- witness.c ---- */

/* Directions that are easy to read, at the start; then the path along the worst pair. */
tp_status tp_examination_plain_pair(tp_examination *e, double tolerance);
tp_status tp_examination_witness(tp_examination *e);

#endif
