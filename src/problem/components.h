/* The unknowns of a problem fall into components that no entry of M connects; theory/problems.md (3). */
#ifndef TP_PROBLEM_COMPONENTS_H
#define TP_PROBLEM_COMPONENTS_H

#include "base/stack.h"
#include "tippe/problem.h"

/* Components up to this size are factorised densely. */
enum { TP_DENSE_COMPONENT = 32 };

typedef struct tp_components {
    int count;
    int *of;        /* [x_count] component of an unknown                   */
    int *place;     /* [x_count] its place in the component                */
    int *start;     /* [count + 1] where the members of a component begin  */
    int *member;    /* [x_count]                                           */
    int *set_start; /* [count + 1] laws that touch a component             */
    int *set;       /* ascending in each component                         */
} tp_components;

/* Connected components of the pattern of M, numbered by their smallest unknown; memory from the stack. */
tp_status tp_components_find(const tp_sparse *M, tp_stack *stack, tp_components *out);

/* Members and places of `count` components anew, from `of`; next [count] is work. */
void tp_components_list_members(tp_components *parts, int n, int *next);

/* The components that law i touches, each once; list [count]. mark [count] holds i + 1 where seen. */
int tp_components_touched(const tp_problem *problem, const tp_components *parts, int i, int *mark, int *list);

/* Which laws touch which component. */
tp_status tp_components_list_sets(const tp_problem *problem, tp_stack *stack, tp_components *parts);

#endif
