/* The inside of a workspace, for the solver layer's own files. */
#ifndef TP_SOLVER_WORKSPACE_H
#define TP_SOLVER_WORKSPACE_H

#include "base/pool.h"
#include "base/stack.h"
#include "island_memory.h"

struct tp_workspace {
    const tp_allocator *allocator;
    tp_stack stack;
    tp_island_memory memory;
    tp_pool *pool, *own_pool; /* own: of tp_workspace_set_threads */
};

/* Borrowed until the workspace is freed or has another. */
void tp_workspace_share_pool(tp_workspace *workspace, tp_pool *pool);

#endif
