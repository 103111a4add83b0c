/* LU front by front against dense LU of the same matrix; one plan for blocks of changing sizes. */
#include "math/front_lu.h"
#include "random_matrix.h"

#include <math.h>

enum { NODES = 40, WIDEST = 6 };

/* Nodes on a ring, some with a neighbour further away: the pattern fills in. */
static int ring_pattern(int *start, int *index)
{
    int count = 0;
    for (int j = 0; j < NODES; j++) {
        start[j] = count;
        for (int i = 0; i < NODES; i++) {
            int apart = abs(i - j) < NODES - abs(i - j) ? abs(i - j) : NODES - abs(i - j);
            if (apart <= 1 || (apart == 9 && (i + j) % 4 == 1)) index[count++] = i;
        }
    }
    start[NODES] = count;
    return count;
}

/* Diagonal blocks whose own diagonal does not serve as a pivot: rows are rotated by one. */
static double entry(check_random *random, bool is_diagonal, int r, int c, int size)
{
    bool is_large = is_diagonal && r == (c + 1) % size;
    return check_normal(random) * (is_diagonal && r == c && size > 1 ? 1e-12 : 0.3) + (is_large ? 6.0 : 0.0);
}

static void check_sizes(void **check_state_, tp_stack *stack, const tp_front_plan *plan, const int *start,
                        const int *index, int sizes_of_one, check_random *random)
{
    int size[NODES], first[NODES + 1] = {0}, n = 0;
    for (int j = 0; j < NODES; j++) {
        size[j] = (j * sizes_of_one + sizes_of_one) % (WIDEST + 1);
        n = first[j + 1] = first[j] + size[j];
    }
    tp_stack_mark mark = tp_stack_mark_now(stack);
    tp_fronts fronts;
    double *a = calloc((size_t)(n * n), sizeof(double)), *x = malloc((size_t)n * sizeof(double)),
           *b = malloc((size_t)n * sizeof(double));
    int *pivot = malloc((size_t)n * sizeof(int));
    CHECK_INT(tp_fronts_take(stack, plan, size, &fronts), TP_OK);
    CHECK_INT(fronts.n, n);
    for (int j = 0; j < NODES; j++) {
        for (int e = start[j]; e < start[j + 1]; e++) {
            int i = index[e], stride;
            double *to = tp_fronts_block(&fronts, i, j, &stride);
            for (int c = 0; c < size[j]; c++) {
                for (int r = 0; r < size[i]; r++) {
                    double value = entry(random, i == j, r, c, size[j]);
                    to[r + c * stride] += value;
                    a[first[i] + r + (first[j] + c) * n] += value;
                }
            }
        }
    }
    for (int k = 0; k < n; k++) x[k] = b[k] = check_normal(random);
    CHECK_INT(tp_fronts_factor(&fronts), TP_OK);
    tp_fronts_solve(&fronts, first, x);
    CHECK_INT(tp_dense_lu(n, a, n, pivot, 0.0), TP_OK);
    tp_dense_lu_solve(n, a, n, pivot, b);
    /* blocks that dominate their rows: condition below 1e3, growth below 100 */
    for (int k = 0; k < n; k++) CHECK_NEAR(x[k], b[k], 1e5 * DBL_EPSILON * largest_abs(n, b));
    CHECK(fronts.smallest > 0.0 && fronts.operations > 0.0);
    free(a), free(x), free(b), free(pivot);
    tp_stack_release(stack, mark);
}

TEST(fronts_solve_what_a_dense_factorisation_solves)
{
    int start[NODES + 1], index[NODES * NODES];
    ring_pattern(start, index);
    tp_stack stack;
    tp_front_plan plan;
    check_random random = {7};
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_front_plan_make(&stack, NODES, start, index, &plan), TP_OK);
    for (int sizes = 1; sizes <= WIDEST; sizes++)
        check_sizes(check_state_, &stack, &plan, start, index, sizes, &random);
    tp_stack_clear(&stack);
}

/* Every node is eliminated once, borders come later, and parents hold the borders of their children. */
TEST(a_plan_is_an_order_with_fronts_that_contain_the_fill)
{
    int start[NODES + 1], index[NODES * NODES], seen[NODES] = {0};
    ring_pattern(start, index);
    tp_stack stack;
    tp_front_plan plan;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_front_plan_make(&stack, NODES, start, index, &plan), TP_OK);
    for (int p = 0; p < NODES; p++) {
        CHECK_INT(plan.place[plan.node[p]], p);
        seen[plan.node[p]]++;
    }
    for (int j = 0; j < NODES; j++) CHECK_INT(seen[j], 1);
    for (int f = 0; f < plan.front_count; f++) {
        int up = plan.parent[f];
        for (int e = plan.start[f]; e < plan.start[f + 1]; e++) {
            CHECK(plan.border[e] >= plan.first[f + 1]);
            bool is_held = plan.border[e] >= plan.first[up] && plan.border[e] < plan.first[up + 1];
            for (int g = plan.start[up]; g < plan.start[up + 1]; g++)
                is_held = is_held || plan.border[g] == plan.border[e];
            CHECK(is_held);
        }
    }
    tp_stack_clear(&stack);
}

TEST(a_front_without_a_pivot_is_singular)
{
    int start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1}, size[2] = {2, 2}, stride;
    tp_stack stack;
    tp_front_plan plan;
    tp_fronts fronts;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_front_plan_make(&stack, 2, start, index, &plan), TP_OK);
    CHECK_INT(tp_fronts_take(&stack, &plan, size, &fronts), TP_OK);
    tp_fronts_block(&fronts, 0, 0, &stride)[0] = 1.0;
    CHECK_INT(tp_fronts_factor(&fronts), TP_SINGULAR);
    tp_stack_clear(&stack);
}

TEST_MAIN(RUNS(fronts_solve_what_a_dense_factorisation_solves),
          RUNS(a_plan_is_an_order_with_fronts_that_contain_the_fill),
          RUNS(a_front_without_a_pivot_is_singular))
