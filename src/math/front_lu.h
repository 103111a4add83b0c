/* LU of a matrix in small blocks with a symmetric pattern of blocks: the order of the blocks, their fill and
   the dense fronts they make are found once for a pattern; then blocks of any sizes, which may change from
   call to call, are factorised front by front (multifrontal). Pivots stay inside the front, so that the
   symbolic part holds: a caller must check the residual of what he solves. */
#ifndef TP_MATH_FRONT_LU_H
#define TP_MATH_FRONT_LU_H

#include "base/stack.h"

/* Places are positions of nodes in the order of elimination. A front eliminates the places from first[f] to
   first[f + 1]; its border are the later places that they touch. */
typedef struct tp_front_plan {
    int node_count, front_count;
    int *place;          /* [node_count] of a node                             */
    int *node;           /* [node_count] at a place                            */
    int *front_of;       /* [node_count] front that eliminates a place         */
    int *first;          /* [front_count + 1]                                  */
    int *start, *border; /* [front_count + 1], places ascending in each front  */
    int *parent;         /* [front_count] -1: none                             */
} tp_front_plan;

/* Pattern of blocks: neighbours of node j are index[start[j]] to index[start[j + 1]]; ascending, with or
   without the diagonal, symmetric or made so. Memory from the stack until the caller releases his mark. */
tp_status tp_front_plan_make(tp_stack *stack, int node_count, int *start, int *index,
                             tp_front_plan *plan_out);

typedef struct tp_fronts {
    const tp_front_plan *plan;
    int n;                /* unknowns                                                            */
    int *row;             /* [node_count + 1] first unknown of a place, in the order of elimination */
    int *border_row;      /* [border count] row of a border node in its front                    */
    int *pivots, *height; /* [front_count] unknowns that it eliminates, and all of its rows       */
    int *swap;            /* [n] row that was exchanged with a pivot's                             */
    size_t *offset;       /* [front_count + 1]                                                   */
    double *value;        /* fronts, column by column                                            */
    int *map;             /* [2 node_count + 2] work                                             */
    double *work;         /* [2 n]                                                               */
    double operations;    /* multiplications of a factorisation                                  */
    double smallest;      /* size of the smallest pivot                                          */
} tp_fronts;

/* Multiplications of a factorisation with blocks of these sizes [node_count], by node. */
double tp_front_operations(const tp_front_plan *plan, const int *size);

/* Room for blocks of these sizes, filled with zeros. */
tp_status tp_fronts_take(tp_stack *stack, const tp_front_plan *plan, const int *size, tp_fronts *out);

/* Where the block of row node i and column node j is to be added, column by column with this stride. */
double *tp_fronts_block(const tp_fronts *fronts, int i, int j, int *stride_out);

/* TP_SINGULAR where a pivot is zero or not a number. */
tp_status tp_fronts_factor(tp_fronts *fronts);

/* x [n] in the order of nodes 0, 1, ... */
void tp_fronts_solve(const tp_fronts *fronts, const int *first_of_node, double *x);

#endif
