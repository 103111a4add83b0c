/* Components of the unknowns of a problem, and the laws that touch them; theory/problems.md (3). */
#include "components.h"

#include <string.h>

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Members of each component in ascending order, from `of`. */
void tp_components_list_members(tp_components *parts, int n, int *next)
{
    memset(parts->start, 0, (size_t)(parts->count + 1) * sizeof(int));
    for (int i = 0; i < n; i++) parts->start[parts->of[i] + 1]++;
    for (int k = 0; k < parts->count; k++) parts->start[k + 1] += parts->start[k];
    memcpy(next, parts->start, (size_t)parts->count * sizeof(int));
    for (int i = 0; i < n; i++) {
        parts->place[i] = next[parts->of[i]] - parts->start[parts->of[i]];
        parts->member[next[parts->of[i]]++] = i;
    }
}

/* Connected components of the pattern of M, numbered by their smallest unknown. */
tp_status tp_components_find(const tp_sparse *M, tp_stack *stack, tp_components *out)
{
    int n = M->cols;
    int *parent = TP_STACK_ARRAY(stack, int, n);
    TP_STACK_INTS(stack, n, &out->of, &out->place, &out->member);
    out->start = TP_STACK_ARRAY(stack, int, n + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;

    for (int i = 0; i < n; i++) parent[i] = i;
    for (int j = 0; j < n; j++) {
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            int a = find_root(parent, j), b = find_root(parent, M->index[k]);
            if (a < b) parent[b] = a;
            if (b < a) parent[a] = b;
        }
    }
    out->count = 0;
    for (int i = 0; i < n; i++) {
        int root = find_root(parent, i);
        out->of[i] = root == i ? out->count++ : out->of[root];
    }
    tp_components_list_members(out, n, parent); /* whose work is done */
    return TP_OK;
}

/* Calls of `visit` for every component that law i touches, each once; mark [component count] holds i + 1
 * where seen. */
int tp_components_touched(const tp_problem *problem, const tp_components *parts, int i, int *mark, int *list)
{
    const tp_set *set = &problem->sets[i];
    int count = 0;
    const tp_sparse *both[2] = {&problem->A, &problem->Ct};
    for (int s = 0; s < (problem->is_mechanical ? 1 : 2); s++) {
        for (int k = both[s]->start[set->first]; k < both[s]->start[set->first + set->size]; k++) {
            int part = parts->of[both[s]->index[k]];
            if (mark[part] == i + 1) continue;
            mark[part] = i + 1;
            list[count++] = part;
        }
    }
    return count;
}

/* Which laws touch which component. */
tp_status tp_components_list_sets(const tp_problem *problem, tp_stack *stack, tp_components *parts)
{
    int *mark = TP_STACK_ARRAY(stack, int, parts->count);
    int *list = TP_STACK_ARRAY(stack, int, parts->count);
    parts->set_start = TP_STACK_ARRAY(stack, int, parts->count + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(mark, 0, (size_t)parts->count * sizeof(int));
    memset(parts->set_start, 0, (size_t)(parts->count + 1) * sizeof(int));
    for (int i = 0; i < problem->set_count; i++) {
        int count = tp_components_touched(problem, parts, i, mark, list);
        for (int k = 0; k < count; k++) parts->set_start[list[k] + 1]++;
    }
    for (int k = 0; k < parts->count; k++) parts->set_start[k + 1] += parts->set_start[k];

    parts->set = TP_STACK_ARRAY(stack, int, parts->set_start[parts->count]);
    int *next = TP_STACK_ARRAY(stack, int, parts->count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memcpy(next, parts->set_start, (size_t)parts->count * sizeof(int));
    memset(mark, 0, (size_t)parts->count * sizeof(int));
    for (int i = 0; i < problem->set_count; i++) {
        int count = tp_components_touched(problem, parts, i, mark, list);
        for (int k = 0; k < count; k++) parts->set[next[list[k]]++] = i;
    }
    return TP_OK;
}
