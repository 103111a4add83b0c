/* The inside of a workspace, for the solver layer's own files. */
#ifndef TP_SOLVER_WORKSPACE_H
#define TP_SOLVER_WORKSPACE_H

#include "base/stack.h"
#include "island_memory.h"

struct tp_workspace {
    const tp_allocator *allocator;
    tp_stack stack;
    tp_island_memory memory;
};

#endif
