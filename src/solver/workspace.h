/* The inside of a workspace, for the solver layer's own files. */
#ifndef TP_SOLVER_WORKSPACE_H
#define TP_SOLVER_WORKSPACE_H

#include "base/pool.h"
#include "base/stack.h"
#include "island_memory.h"
#include "solvers.h"

/* Somebody who has the rows of all joints factorised already: r becomes about (C M^-1 A)^-1 r, x = M^-1 A P
   and xi += A^T x by blocks, M by its diagonal. */
typedef struct tp_joint_inverse {
    void (*apply)(const void *context, double *r); /* NULL: there is none */
    void (*push)(const void *context, const double *P, double *x);
    void (*see)(const void *context, const double *x, double *xi);
    const void *context;
} tp_joint_inverse;

/* Somebody who knows the rows of all laws as those of balls, and writes A, Ct and D only where they are asked
   for. */
typedef struct tp_known_rows {
    const tp_ball_rows *balls; /* NULL: they are written */
    tp_status (*write)(void *context);
    void *context;
} tp_known_rows;

struct tp_workspace {
    const tp_allocator *allocator;
    tp_stack stack;
    tp_island_memory memory;
    tp_pool *pool, *own_pool; /* own: of tp_workspace_set_threads */
    tp_stack *stacks;         /* [stack_count] of threads besides the caller's */
    int stack_count;
    tp_joint_inverse joints; /* of the next problem, whose laws are joints in one island */
    tp_known_factors known;  /* of the next problem's M */
    tp_known_rows rows;      /* of the next problem */
};

/* One stack for each thread of the pool besides the caller's. */
tp_status tp_workspace_take_stacks(tp_workspace *workspace);

/* All of them have room for what the largest of them needed: next time another thread may get that task. */
void tp_workspace_level_stacks(tp_workspace *workspace);

/* Borrowed until the workspace is freed or has another. */
void tp_workspace_share_pool(tp_workspace *workspace, tp_pool *pool);

/* For the problems that come until it is taken back by NULL. */
void tp_workspace_offer_joints(tp_workspace *workspace, const tp_joint_inverse *inverse);
void tp_workspace_offer_rows(tp_workspace *workspace, const tp_known_rows *rows);

#endif
