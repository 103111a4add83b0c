/* The graph whose nodes are bodies: is it a tree, and how high is it? theory/solvers.md (28l). */
#include "tower.h"

#include <string.h>

typedef struct pair {
    int a, b; /* -1: the ground */
} pair;

typedef struct graph {
    const tp_problem *problem;
    int body_count, pair_count;
    int *body_of;      /* [x_count] */
    pair *pairs;       /* [set_count] laws of one pair that follow each other count once */
    int *start, *next; /* [body_count + 1], [2 pair_count] neighbours of each body */
    int *level;        /* [body_count] 1: it touches the ground; 0: not known */
    int *queue;
} graph;

static tp_status take(const tp_problem *problem, tp_stack *stack, graph *g)
{
    int n = problem->x_count;
    *g = (graph){.problem = problem,
                 .body_of = TP_STACK_ARRAY(stack, int, n),
                 .pairs = TP_STACK_ARRAY(stack, pair, problem->set_count),
                 .start = TP_STACK_ARRAY(stack, int, n + 1),
                 .next = TP_STACK_ARRAY(stack, int, 2 * (size_t)problem->set_count),
                 .level = TP_STACK_ARRAY(stack, int, n),
                 .queue = TP_STACK_ARRAY(stack, int, n)};
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

/* False: unknowns are not those of bodies alone. */
static bool number_bodies(const tp_unknowns *unknowns, graph *g)
{
    int offset = unknowns->total % 6, last = -1;
    for (int j = 0; j < g->problem->x_count; j++) {
        int number = (unknowns->number != NULL ? unknowns->number[j] : j) - offset;
        if (number < 0) return false;
        if (number / 6 != last) g->level[g->body_count++] = 0;
        last = number / 6;
        g->body_of[j] = g->body_count - 1;
    }
    return true;
}

/* Bodies that law i moves; false: more than two. */
static bool find_pair(const graph *g, int i, pair *out)
{
    const tp_set *set = &g->problem->sets[i];
    const tp_sparse *A = &g->problem->A;
    *out = (pair){-1, -1};
    for (int e = A->start[set->first]; e < A->start[set->first + set->size]; e++) {
        int body = g->body_of[A->index[e]];
        if (body == out->a || body == out->b) continue;
        if (out->b >= 0) return false;
        *(out->a < 0 ? &out->a : &out->b) = body;
    }
    return out->a >= 0;
}

/* False: a law is none of one or two bodies, or there are more pairs than a forest has. */
static bool list_pairs(graph *g)
{
    pair last = {-1, -1}, now;
    for (int i = 0; i < g->problem->set_count; i++) {
        if (!find_pair(g, i, &now)) return false;
        bool is_same = now.a == last.a && now.b == last.b;
        last = now;
        if (now.b < 0) g->level[now.a] = 1;
        if (now.b < 0 || is_same) continue;
        g->pairs[g->pair_count++] = now;
        if (g->pair_count >= g->body_count) return false;
    }
    return true;
}

static void list_neighbours(graph *g)
{
    memset(g->start, 0, (size_t)(g->body_count + 1) * sizeof(int));
    for (int k = 0; k < g->pair_count; k++) {
        g->start[g->pairs[k].a]++;
        g->start[g->pairs[k].b]++;
    }
    for (int body = 0, sum = 0; body <= g->body_count; body++) {
        sum += g->start[body];
        g->start[body] = sum; /* the end of its list, which is filled from there */
    }
    for (int k = 0; k < g->pair_count; k++) {
        g->next[--g->start[g->pairs[k].a]] = g->pairs[k].b;
        g->next[--g->start[g->pairs[k].b]] = g->pairs[k].a;
    }
}

/* From the ground on; 0: not all bodies hang together with it. */
static int climb(graph *g)
{
    int count = 0, height = 0;
    for (int body = 0; body < g->body_count; body++) {
        if (g->level[body] == 1) g->queue[count++] = body;
    }
    for (int k = 0; k < count; k++) {
        int body = g->queue[k];
        height = g->level[body];
        for (int e = g->start[body]; e < g->start[body + 1]; e++) {
            if (g->level[g->next[e]] != 0) continue;
            g->level[g->next[e]] = height + 1;
            g->queue[count++] = g->next[e];
        }
    }
    return count == g->body_count ? height : 0;
}

int tp_tower_height(const tp_problem *problem, const tp_unknowns *unknowns, tp_stack *stack)
{
    graph g;
    int height = 0;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    if (take(problem, stack, &g) == TP_OK && number_bodies(unknowns, &g) && list_pairs(&g)) {
        list_neighbours(&g);
        height = climb(&g);
    }
    tp_stack_release(stack, mark);
    return height;
}
