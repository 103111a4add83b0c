/* Pairs by a tree of boxes: leaves are things, a node holds its two children. A thing that has left its box
   is taken out and put in again where the tree grows least; turns at the way up keep it balanced. */
#include "inside.h"

#include <math.h>

static tp_bounds around(const tp_bounds *a, const tp_bounds *b)
{
    return (tp_bounds){
        {fmin(a->lower.x, b->lower.x), fmin(a->lower.y, b->lower.y), fmin(a->lower.z, b->lower.z)},
        {fmax(a->upper.x, b->upper.x), fmax(a->upper.y, b->upper.y), fmax(a->upper.z, b->upper.z)}};
}

static double surface(const tp_bounds *b)
{
    double x = b->upper.x - b->lower.x, y = b->upper.y - b->lower.y, z = b->upper.z - b->lower.z;
    return x * y + y * z + z * x;
}

static bool is_leaf(const tp_space_node *node)
{
    return node->child[0] < 0;
}

void tp_space_tree_clear(tp_space *s)
{
    if (s->root < 0 && s->used_nodes == 0 && s->has_leaves) return; /* a grid does not touch them */
    for (int i = 0; i < s->count; i++) s->leaf[i] = -1;
    s->has_leaves = true;
    s->root = s->free_node = -1;
    s->used_nodes = 0;
}

/* One that was given back, else the next that nobody had. */
static int take_node(tp_space *s)
{
    int k = s->free_node;
    if (k < 0) return s->used_nodes++; /* 2 count - 1 nodes are enough */
    s->free_node = s->node[k].parent;
    return k;
}

static void give_node(tp_space *s, int k)
{
    s->node[k].parent = s->free_node;
    s->free_node = k;
}

static void fit(tp_space *s, int k)
{
    tp_space_node *n = &s->node[k], *a = &s->node[n->child[0]], *b = &s->node[n->child[1]];
    n->box = around(&a->box, &b->box);
    n->height = 1 + (a->height > b->height ? a->height : b->height);
}

static void replace_child(tp_space *s, int parent, int from, int to)
{
    if (parent < 0) {
        s->root = to;
    } else {
        s->node[parent].child[s->node[parent].child[1] == from] = to;
    }
    s->node[to].parent = parent;
}

/* Where one child is higher by two, it takes the place of its parent, and its own lower child changes sides.
 */
static int balance(tp_space *s, int k)
{
    tp_space_node *n = &s->node[k];
    int difference = s->node[n->child[1]].height - s->node[n->child[0]].height;
    if (difference >= -1 && difference <= 1) return k;
    int side = difference > 1, up = n->child[side];
    tp_space_node *u = &s->node[up];
    int low_side = s->node[u->child[0]].height > s->node[u->child[1]].height, low = u->child[low_side];
    replace_child(s, n->parent, k, up);
    u->child[low_side] = k;
    n->parent = up;
    n->child[side] = low;
    s->node[low].parent = k;
    fit(s, k);
    fit(s, up);
    return up;
}

static void refit_from(tp_space *s, int k)
{
    while (k >= 0) {
        fit(s, k);
        k = s->node[balance(s, k)].parent;
    }
}

/* The node beside which a box costs least: growth of the nodes above, and the new parent itself. */
static int best_sibling(const tp_space *s, const tp_bounds *box)
{
    int k = s->root;
    while (!is_leaf(&s->node[k])) {
        const tp_space_node *n = &s->node[k];
        tp_bounds both = around(&n->box, box);
        double here = surface(&both), growth = here - surface(&n->box), cost[2];
        for (int c = 0; c < 2; c++) {
            const tp_space_node *child = &s->node[n->child[c]];
            tp_bounds with = around(&child->box, box);
            cost[c] = growth + surface(&with) - (is_leaf(child) ? 0.0 : surface(&child->box));
        }
        if (here < cost[0] && here < cost[1]) break;
        k = n->child[cost[1] < cost[0]];
    }
    return k;
}

static void insert(tp_space *s, int thing)
{
    int k = take_node(s);
    s->node[k] = (tp_space_node){.box = s->box[thing], .parent = -1, .child = {-1, thing}};
    s->leaf[thing] = k;
    if (s->root < 0) {
        s->root = k;
        return;
    }
    int beside = best_sibling(s, &s->box[thing]), above = take_node(s);
    replace_child(s, s->node[beside].parent, beside, above);
    s->node[above].child[0] = beside;
    s->node[above].child[1] = k;
    s->node[beside].parent = s->node[k].parent = above;
    refit_from(s, above);
}

static void take_out(tp_space *s, int thing)
{
    int k = s->leaf[thing], above = s->node[k].parent;
    s->leaf[thing] = -1;
    give_node(s, k);
    if (above < 0) {
        s->root = -1;
        return;
    }
    int other = s->node[above].child[s->node[above].child[0] == k], top = s->node[above].parent;
    replace_child(s, top, above, other);
    give_node(s, above);
    refit_from(s, top);
}

/* Pairs of a moved thing; of two moved ones the first finds the second. */
static tp_status query(tp_space *s, int thing)
{
    int depth = 0;
    const tp_bounds *box = &s->box[thing];
    s->stack[depth++] = s->root;
    while (depth > 0) {
        const tp_space_node *n = &s->node[s->stack[--depth]];
        if (!tp_boxes_overlap(box, &n->box)) continue;
        if (!is_leaf(n)) {
            s->stack[depth++] = n->child[0];
            s->stack[depth++] = n->child[1];
            continue;
        }
        int other = n->child[1];
        bool is_twice = (s->state[other] & TP_SPACE_MOVED) && other < thing;
        if (other != thing && !is_twice) TP_TRY(tp_space_add(s, thing, other));
    }
    return TP_OK;
}

tp_status tp_space_tree(tp_space *s)
{
    for (int i = 0; i < s->count; i++) {
        bool bounded = s->state[i] & TP_SPACE_BOUNDED, moved = s->state[i] & TP_SPACE_MOVED;
        if (s->leaf[i] >= 0 && (moved || !bounded)) take_out(s, i);
        if (s->leaf[i] < 0 && bounded) insert(s, i);
    }
    for (int i = 0; i < s->count; i++) {
        if ((s->state[i] & TP_SPACE_BOUNDED) && (s->state[i] & TP_SPACE_MOVED)) TP_TRY(query(s, i));
    }
    return TP_OK;
}
