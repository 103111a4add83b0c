/* Order, elimination tree and fronts of a pattern of blocks. */
#include "front_lu.h"
#include "math/symbolic.h"
#include "tolerances.h"

#include <string.h>

/* Children before their parents, subtree by subtree: order_out[k] is the old place of the new place k. */
static void postorder(int n, const int *parent, int *child, int *next, int *order_out)
{
    for (int k = 0; k < n; k++) child[k] = -1;
    for (int k = n - 1; k >= 0; k--) {
        if (parent[k] < 0) continue;
        next[k] = child[parent[k]];
        child[parent[k]] = k;
    }
    int count = 0;
    for (int root = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        for (int k = root;;) {
            while (child[k] >= 0) { /* down to a leaf; the way back needs each child once */
                int down = child[k];
                child[k] = next[down];
                k = down;
            }
            order_out[count++] = k;
            if (k == root) break;
            k = parent[k];
        }
    }
}

/* Places that follow each other, child and parent, make one front where their borders are nearly the same. */
static void join_places(const int *parent, const int *counts, tp_front_plan *plan)
{
    double zeros = 0.0;
    plan->front_count = 0;
    for (int k = 0; k < plan->node_count; k++) {
        bool is_child = k > 0 && parent[k - 1] == k;
        double length = k > 0 ? k - plan->first[plan->front_count - 1] : 0;
        double more = is_child ? zeros + length * (counts[k] + 1 - counts[k - 1]) : 0.0;
        if (!is_child || more > tp_front_zeros * (length + 1.0) * (length + 1.0 + counts[k])) {
            plan->first[plan->front_count++] = k;
            more = 0.0;
        }
        zeros = more;
        plan->front_of[k] = plan->front_count - 1;
    }
    plan->first[plan->front_count] = plan->node_count;
}

/* The border of a front is that of its last place. */
static tp_status list_borders(tp_stack *stack, const int *parent, const int *counts, const int *all_start,
                              const int *all, tp_front_plan *plan)
{
    plan->start = TP_STACK_ARRAY(stack, int, plan->front_count + 1);
    plan->parent = TP_STACK_ARRAY(stack, int, plan->front_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    int total = 0;
    for (int f = 0; f < plan->front_count; f++) {
        int last = plan->first[f + 1] - 1;
        plan->start[f] = total;
        plan->parent[f] = parent[last] < 0 ? -1 : plan->front_of[parent[last]];
        total += counts[last];
    }
    plan->start[plan->front_count] = total;
    plan->border = TP_STACK_ARRAY(stack, int, total);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int f = 0; f < plan->front_count; f++) {
        int last = plan->first[f + 1] - 1;
        memcpy(plan->border + plan->start[f], all + all_start[last], (size_t)counts[last] * sizeof(int));
    }
    return TP_OK;
}

tp_status tp_front_plan_make(tp_stack *stack, int node_count, int *start, int *index, tp_front_plan *plan)
{
    size_t n = (size_t)node_count;
    tp_sparse given = {node_count, node_count, start, index, NULL};
    tp_pattern pattern;
    *plan = (tp_front_plan){.node_count = node_count};
    int *order, *parent, *counts, *work = TP_STACK_ARRAY(stack, int, 2 * n), *all_start;
    TP_STACK_INTS(stack, n, &plan->place, &plan->node, &plan->front_of, &order, &parent, &counts);
    TP_STACK_INTS(stack, n + 1, &plan->first, &all_start);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_pattern_symmetric(stack, &given, &pattern));
    TP_TRY(tp_pattern_order(stack, &pattern, order));
    for (int k = 0; k < node_count; k++) plan->place[order[k]] = k;
    tp_pattern_walk(&pattern, order, plan->place, parent, work, counts, NULL, NULL);
    postorder(node_count, parent, work, work + n, all_start);
    for (int k = 0; k < node_count; k++) plan->node[k] = order[all_start[k]];
    for (int k = 0; k < node_count; k++) plan->place[plan->node[k]] = k;

    tp_pattern_walk(&pattern, plan->node, plan->place, parent, work, counts, NULL, NULL);
    all_start[0] = 0;
    for (int k = 0; k < node_count; k++) all_start[k + 1] = all_start[k] + counts[k];
    int *all = TP_STACK_ARRAY(stack, int, all_start[node_count]);
    if (all == NULL) return TP_OUT_OF_MEMORY;
    tp_pattern_walk(&pattern, plan->node, plan->place, parent, work, counts, all_start, all);
    join_places(parent, counts, plan);
    return list_borders(stack, parent, counts, all_start, all, plan);
}
