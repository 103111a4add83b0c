/* Orders for a free choice of pivot rows: matrices with zeros on the diagonal keep sparse factors. */
#include "check.h"
#include "math/factor.h"
#include "math/symbolic.h"

#include <string.h>

enum { BLOCK = 3, MOST = 400, MOST_ENTRIES = 8 * MOST };

typedef struct saddle {
    tp_sparse a;
    int start[MOST + 1], index[MOST_ENTRIES];
    double value[MOST_ENTRIES];
} saddle;

static void put(saddle *s, int row, double value)
{
    s->index[s->a.start[s->a.cols]] = row;
    s->value[s->a.start[s->a.cols]++] = value;
}

/* A chain of `count` masses with two unknowns each and a rod from each to the one before: columns (x, y, P),
   the diagonal of P is zero, that of x is small. */
static void make_chain(int count, check_random *random, saddle *s)
{
    memset(s, 0, sizeof *s);
    s->a = (tp_sparse){.start = s->start, .index = s->index, .value = s->value};
    for (int i = 0; i < BLOCK * count; i++) {
        int first = i - i % BLOCK;
        bool is_last = first + BLOCK == BLOCK * count;
        s->start[i + 1] = s->start[i];
        s->a.cols = s->a.rows = i + 1;
        if (i % BLOCK < 2) { /* inertia, and its share in its own rod and the next */
            put(s, first, i % BLOCK == 0 ? 1e-3 : 1.0);
            put(s, first + 1, i % BLOCK == 0 ? 1.0 : -1e-3);
            put(s, first + 2, check_uniform(random, 1.0, 2.0));
            if (!is_last) put(s, first + 5, check_uniform(random, -0.5, 0.5));
        } else {
            if (first > 0) put(s, first - 3, check_uniform(random, -0.5, 0.5));
            put(s, first, check_uniform(random, 1.0, 2.0));
            put(s, first + 1, check_uniform(random, -2.0, -1.0));
        }
    }
}

/* Entries of the factors; the solution of a x = a (1, ..., 1) is checked on the way. */
static int factor_entries(void **check_state_, int count)
{
    static saddle s;
    check_random random = {(uint64_t)count};
    int n = BLOCK * count, order[MOST], work[MOST];
    double x[MOST] = {0};
    tp_stack stack;
    tp_lu lu;
    make_chain(count, &random, &s);
    tp_stack_init(&stack, tp_allocator_default());
    CHECK_INT(tp_order_columns(&stack, &s.a, order), TP_OK);
    CHECK(tp_order_is_permutation(n, order, work));
    CHECK_INT(tp_lu_factor(&stack, &s.a, 1.0, order, &lu), TP_OK);
    for (int k = 0; k < s.start[n]; k++) x[s.index[k]] += s.value[k];
    tp_lu_solve(&lu, x);
    for (int i = 0; i < n; i++) CHECK_NEAR(x[i], 1.0, 1e-11); /* the condition is below 1e4 */
    int entries = lu.l_start[n] + lu.u_start[n];
    tp_stack_clear(&stack);
    return entries;
}

TEST(factors_of_a_chain_grow_as_the_chain_does)
{
    int small = factor_entries(check_state_, 50), large = factor_entries(check_state_, 100);
    CHECK(large < 2.3 * small);
    CHECK(large < 100 * 4 * BLOCK * BLOCK); /* a few blocks for each mass */
}

TEST(nothing_has_an_order)
{
    tp_stack stack;
    int start[1] = {0};
    tp_sparse a = {.start = start};
    tp_stack_init(&stack, tp_allocator_default());
    CHECK_INT(tp_order_columns(&stack, &a, NULL), TP_OK);
    tp_stack_clear(&stack);
}

TEST_MAIN(RUNS(factors_of_a_chain_grow_as_the_chain_does), RUNS(nothing_has_an_order))
