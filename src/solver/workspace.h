/* The inside of a workspace, for the solver layer's own files. */
#ifndef TP_SOLVER_WORKSPACE_H
#define TP_SOLVER_WORKSPACE_H

#include "base/stack.h"

struct tp_workspace {
    const tp_allocator *allocator;
    tp_stack stack;
};

#endif
