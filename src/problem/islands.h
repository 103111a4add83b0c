/* Islands: parts of a problem that share no unknown and no row; theory/problems.md (23). */
#ifndef TP_PROBLEM_ISLANDS_H
#define TP_PROBLEM_ISLANDS_H

#include "ball_rows.h"
#include "base/pool.h"
#include "base/stack.h"

/* Numbered by their first set. Unknowns that no law touches belong to island `count`, which has no sets. */
typedef struct tp_islands {
    int count;
    int *of_set, *of_x;        /* [set_count], [x_count]                                      */
    int *set_start, *set;      /* [count + 2], [set_count] ascending in each island           */
    int *x_start, *x;          /* [count + 2], [x_count]                                      */
    int *set_place, *x_place;  /* [set_count], [x_count] place in the island                  */
    const tp_ball_rows *balls; /* rows are these, and A, Ct and D are not read; NULL: they are   */
} tp_islands;

/* Memory from the stack until the caller releases his mark. pool may be NULL. */
tp_status tp_islands_find(const tp_problem *problem, tp_pool *pool, tp_stack *stack, tp_islands *out);

/* The same of a problem whose rows are those of balls; bodies are whole. */
tp_status tp_islands_find_balls(const tp_problem *problem, const tp_ball_rows *balls, tp_pool *pool,
                                tp_stack *stack, tp_islands *out);

enum { TP_ISLAND_KEY = 16 };

/* An island as a problem of its own, in one block of memory: two islands are the same problem if their blocks
   are the same bytes. */
typedef struct tp_island {
    tp_problem problem; /* its arrays are in the block; no memory of its own */
    double *P;          /* [row_count] in the block: the guess               */
    double *key;        /* [TP_ISLAND_KEY] in the block, 0: what the caller adds to the data */
    int *row;           /* [row_count] row of the whole problem              */
    void *block;
    size_t bytes; /* of the block, a multiple of 8 */
} tp_island;

/* At least the bytes of all its islands together. */
size_t tp_islands_bytes(const tp_problem *problem);

/* P: the guess of the whole problem. Memory from the stack until the caller releases his mark. */
tp_status tp_island_take(const tp_problem *problem, const tp_islands *islands, int island, const double *P,
                         tp_stack *stack, tp_island *out);

/* The sets, b and the guess of an island alone, each set with three rows; M, A, f and D stay those of the
   whole problem. Without block and key. pool may be NULL. */
tp_status tp_island_take_sets(const tp_problem *problem, const tp_islands *islands, int island,
                              const double *P, tp_pool *pool, tp_stack *stack, tp_island *out);

/* The set that a row belongs to. */
int tp_set_of_row(const tp_problem *problem, int row);

#endif
