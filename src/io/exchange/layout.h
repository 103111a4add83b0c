/* Which of the file formats can say a problem, and what its rows are there. */
#ifndef TP_IO_EXCHANGE_LAYOUT_H
#define TP_IO_EXCHANGE_LAYOUT_H

#include "tippe/problem.h"

typedef enum tp_layout_kind {
    TP_LAYOUT_FRICTION, /* contacts of one dimension, without and with rolling; perhaps equalities */
    TP_LAYOUT_LCP,
    TP_LAYOUT_RELAY,
    TP_LAYOUT_MLCP,
    TP_LAYOUT_GENERIC, /* equalities, complementarities and 3D friction mixed */
    TP_LAYOUT_NONE
} tp_layout_kind;

typedef struct tp_layout {
    tp_layout_kind kind;
    bool is_global;     /* M x = f + A P, xi = A^T x + b                    */
    int dimension;      /* rows of a contact: 2, 3, 5 (rolling); 3 if none  */
    int contact_count;  /* of FRICTION                                      */
    int equality_count; /* rows of FREE sets                                */
    int complementarity_count;
    const char *problem; /* for NONE: what no format can say                 */
} tp_layout;

/* The kind follows the problem's own name where the sets allow it, else the sets. */
tp_layout tp_layout_of(const tp_problem *problem);

#endif
