/* Islands of a problem, by union-find over unknowns and sets; theory/problems.md (23). */
#include "islands.h"

#include <stdatomic.h>
#include <string.h>

/* ---- who belongs to whom ---- */

/* Sets and unknowns that one task takes. */
enum { NODES_OF_TASK = 4096 };

/* Who is whose parent; threads join nodes at once. Set i is node i, unknown j is node set_count + j. */
typedef struct forest {
    const tp_problem *problem;
    const tp_ball_rows *balls; /* whose bodies are the nodes; NULL: sets and unknowns are */
    atomic_int *parent;
    bool is_shared; /* by threads */
    tp_islands *out;
} forest;

static int parent_of(atomic_int *parent, int i)
{
    return atomic_load_explicit(&parent[i], memory_order_relaxed);
}

/* Roots are their own parents; every way to a root is halved as it is gone. What is written is an ancestor,
   whatever others do meanwhile. */
static int root_of(atomic_int *parent, int i)
{
    for (int above = parent_of(parent, i); above != i; above = parent_of(parent, i)) {
        int next = parent_of(parent, above);
        if (next != above) atomic_store_explicit(&parent[i], next, memory_order_relaxed);
        i = next;
    }
    return i;
}

/* False: another thread has given this root a parent in between. */
static bool join(const forest *f, int root, int parent)
{
    if (f->is_shared) return atomic_compare_exchange_strong(&f->parent[root], &(int){root}, parent);
    atomic_store_explicit(&f->parent[root], parent, memory_order_relaxed); /* without a lock */
    return true;
}

/* The smaller number becomes the root: the result does not depend on the order of the calls. Returns it. */
static int unite(const forest *f, int i, int j)
{
    for (;;) {
        int a = root_of(f->parent, i), b = root_of(f->parent, j), low = a < b ? a : b, high = a < b ? b : a;
        if (low == high || join(f, high, low)) return low;
    }
}

/* The same with i's root a: most nodes have it already. */
static int unite_with_root(const forest *f, int a, int j)
{
    return parent_of(f->parent, j) == a ? a : unite(f, a, j);
}

/* Does a row touch the unknowns of the row before it? */
static bool is_like_before(const tp_sparse *rows, int row)
{
    int count = rows->start[row + 1] - rows->start[row];
    return count == rows->start[row] - rows->start[row - 1] &&
           memcmp(rows->index + rows->start[row], rows->index + rows->start[row - 1],
                  (size_t)count * sizeof(int)) == 0;
}

static void unite_rows(const forest *f, const tp_sparse *rows, int i)
{
    const tp_set *set = &f->problem->sets[i];
    int root = root_of(f->parent, i);
    for (int row = set->first; row < set->first + set->size; row++) {
        if (row > set->first && is_like_before(rows, row)) continue;
        for (int k = rows->start[row]; k < rows->start[row + 1]; k++)
            root = unite_with_root(f, root, f->problem->set_count + rows->index[k]);
    }
}

int tp_set_of_row(const tp_problem *problem, int row)
{
    int low = 0, high = problem->set_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (problem->sets[middle].first <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void begin_nodes(void *context, int begin, int end)
{
    const forest *f = context;
    for (int i = begin; i < end; i++) atomic_init(&f->parent[i], i);
}

/* Sets with the unknowns of their rows, with the sets that D couples them to, and with their masters. */
static void unite_sets(void *context, int begin, int end)
{
    const forest *f = context;
    const tp_problem *problem = f->problem;
    for (int i = begin; i < end; i++) {
        if (problem->x_count > 0) unite_rows(f, &problem->A, i);
        if (problem->x_count > 0 && !problem->is_mechanical) unite_rows(f, &problem->Ct, i);
        for (int k = problem->D.start[i]; k < problem->D.start[i + 1]; k++) {
            if (problem->D.column[k] != i) unite(f, i, problem->D.column[k]);
        }
        if (problem->sets[i].master_count > 0) unite(f, i, tp_set_of_row(problem, problem->sets[i].master));
    }
}

/* Unknowns that the matrix couples. */
static void unite_unknowns(void *context, int begin, int end)
{
    const forest *f = context;
    const tp_sparse *M = &f->problem->M;
    int sets = f->problem->set_count;
    for (int j = begin; j < end; j++) {
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            if (M->index[k] != j) unite(f, sets + j, sets + M->index[k]);
        }
    }
}

/* Every node's parent is its root now. */
static void find_roots(void *context, int begin, int end)
{
    const forest *f = context;
    for (int i = begin; i < end; i++)
        atomic_store_explicit(&f->parent[i], root_of(f->parent, i), memory_order_relaxed);
}

/* The root of an island is its first set; unknowns without one are in none. */
static void name_unknowns(void *context, int begin, int end)
{
    const forest *f = context;
    int sets = f->problem->set_count;
    for (int j = begin; j < end; j++) {
        int root = parent_of(f->parent, sets + j);
        f->out->of_x[j] = root < sets ? f->out->of_set[root] : f->out->count;
    }
}

static void grow_forest(const forest *f, tp_pool *pool)
{
    int sets = f->problem->set_count, n = f->problem->x_count;
    forest of = *f;
    tp_pool_share(pool, sets + n, NODES_OF_TASK, begin_nodes, &of);
    tp_pool_share(pool, sets, NODES_OF_TASK, unite_sets, &of);
    tp_pool_share(pool, n, NODES_OF_TASK, unite_unknowns, &of);
    tp_pool_share(pool, sets + n, NODES_OF_TASK, find_roots, &of);
}

/* Members of each island in ascending order, and the place of each of them. */
static void list_members(int islands, int n, const int *of, int *start, int *member, int *place)
{
    memset(start, 0, (size_t)(islands + 2) * sizeof(int));
    for (int i = 0; i < n; i++) {
        place[i] = start[of[i] + 1]++;
    }
    for (int k = 0; k <= islands; k++) start[k + 1] += start[k];
    for (int i = 0; i < n; i++) member[start[of[i]] + place[i]] = i;
}

static tp_status take_lists(int sets, int n, tp_stack *stack, tp_islands *out)
{
    *out = (tp_islands){.of_set = TP_STACK_ARRAY(stack, int, sets),
                        .of_x = TP_STACK_ARRAY(stack, int, n),
                        .set = TP_STACK_ARRAY(stack, int, sets),
                        .x = TP_STACK_ARRAY(stack, int, n),
                        .set_place = TP_STACK_ARRAY(stack, int, sets),
                        .x_place = TP_STACK_ARRAY(stack, int, n),
                        .set_start = TP_STACK_ARRAY(stack, int, sets + 2),
                        .x_start = TP_STACK_ARRAY(stack, int, sets + 2)};
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

tp_status tp_islands_find(const tp_problem *problem, tp_pool *pool, tp_stack *stack, tp_islands *out)
{
    int sets = problem->set_count, n = problem->x_count;
    TP_TRY(take_lists(sets, n, stack, out));
    tp_stack_mark mark = tp_stack_mark_now(stack);
    forest f = {problem, NULL, TP_STACK_ARRAY(stack, atomic_int, sets + n), pool != NULL, out};
    if (stack->failed) return TP_OUT_OF_MEMORY;
    grow_forest(&f, pool);
    for (int i = 0; i < sets; i++) {
        int root = parent_of(f.parent, i);
        out->of_set[i] = root == i ? out->count++ : out->of_set[root];
    }
    tp_pool_share(pool, n, NODES_OF_TASK, name_unknowns, &f);
    tp_stack_release(stack, mark);
    list_members(out->count, sets, out->of_set, out->set_start, out->set, out->set_place);
    list_members(out->count, n, out->of_x, out->x_start, out->x, out->x_place);
    return TP_OK;
}

/* ---- of balls: bodies are the nodes ---- */

enum { PARTS = 6 };

static void unite_bodies(void *context, int begin, int end)
{
    const forest *f = context;
    for (int i = begin; i < end; i++) {
        const tp_ball_contact *c = &f->balls->contact[i];
        if (c->body_a >= 0) unite(f, c->body_a, c->body_b);
    }
}

/* Numbers of islands by their first sets: `number` [bodies] of a root, or that there is none. */
static void name_contacts(const forest *f, int *number)
{
    tp_islands *out = f->out;
    for (int k = 0; k < f->balls->body_count; k++) number[k] = -1;
    for (int i = 0; i < f->problem->set_count; i++) {
        int root = parent_of(f->parent, f->balls->contact[i].body_b);
        if (number[root] < 0) number[root] = out->count++;
        out->of_set[i] = number[root];
    }
    for (int k = 0; k < f->balls->body_count; k++) {
        if (number[k] < 0) number[k] = out->count;
    }
}

/* The unknowns of all bodies, which are listed island by island. */
static void spread_bodies(const tp_islands *of_bodies, int bodies, tp_islands *out)
{
    for (int k = 0; k <= out->count + 1; k++) out->x_start[k] = PARTS * of_bodies->x_start[k];
    for (int k = 0; k < bodies; k++) {
        for (int part = 0; part < PARTS; part++) {
            out->x[PARTS * k + part] = PARTS * of_bodies->x[k] + part;
            out->of_x[PARTS * k + part] = of_bodies->of_x[k];
            out->x_place[PARTS * k + part] = PARTS * of_bodies->x_place[k] + part;
        }
    }
}

tp_status tp_islands_find_balls(const tp_problem *problem, const tp_ball_rows *balls, tp_pool *pool,
                                tp_stack *stack, tp_islands *out)
{
    int sets = problem->set_count, bodies = balls->body_count;
    TP_TRY(take_lists(sets, problem->x_count, stack, out));
    out->balls = balls;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    forest f = {problem, balls, TP_STACK_ARRAY(stack, atomic_int, bodies), pool != NULL, out};
    tp_islands own = {.of_x = TP_STACK_ARRAY(stack, int, bodies),
                      .x = TP_STACK_ARRAY(stack, int, bodies),
                      .x_place = TP_STACK_ARRAY(stack, int, bodies),
                      .x_start = TP_STACK_ARRAY(stack, int, sets + 2)};
    int *number = TP_STACK_ARRAY(stack, int, bodies);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    tp_pool_share(pool, bodies, NODES_OF_TASK, begin_nodes, &f);
    tp_pool_share(pool, sets, NODES_OF_TASK, unite_bodies, &f);
    tp_pool_share(pool, bodies, NODES_OF_TASK, find_roots, &f);
    name_contacts(&f, number);
    for (int k = 0; k < bodies; k++) own.of_x[k] = number[parent_of(f.parent, k)];
    list_members(out->count, sets, out->of_set, out->set_start, out->set, out->set_place);
    list_members(out->count, bodies, own.of_x, own.x_start, own.x, own.x_place);
    spread_bodies(&own, bodies, out);
    tp_stack_release(stack, mark);
    return TP_OK;
}
