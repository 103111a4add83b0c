/* Pairs of boxes against all pairs, with both methods, while things move; the same list whatever the method.
 */
#include "check.h"
#include "count_allocations.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 2000, PLANES = 2 };

typedef struct cloud {
    int count;
    tp_bounds box[COUNT];
    tp_vec3 middle[COUNT], speed[COUNT];
    double half[COUNT];
} cloud;

static void set_boxes(cloud *c)
{
    for (int i = 0; i < c->count; i++) {
        tp_vec3 m = c->middle[i];
        double h = c->half[i];
        c->box[i] = (tp_bounds){{m.x - h, m.y - h, m.z - h}, {m.x + h, m.y + h, m.z + h}};
    }
}

/* Sizes from 1 to `ratio`, about ten neighbours each. */
static cloud *make_cloud(uint64_t seed, int count, double ratio)
{
    check_random random = {seed};
    cloud *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->count = count;
    double width = 0.0;
    for (int i = 0; i < count; i++) {
        c->half[i] = 0.5 * pow(ratio, check_uniform(&random, 0.0, 1.0));
        width += pow(2.0 * c->half[i], 3.0);
    }
    width = 0.7 * cbrt(width);
    for (int i = 0; i < count; i++) {
        c->middle[i] = (tp_vec3){check_uniform(&random, 0.0, width), check_uniform(&random, 0.0, width),
                                 check_uniform(&random, 0.0, width)};
        c->speed[i] = (tp_vec3){check_uniform(&random, -0.05, 0.05), check_uniform(&random, -0.05, 0.05),
                                check_uniform(&random, -0.05, 0.05)};
    }
    set_boxes(c);
    return c;
}

static void move(cloud *c)
{
    for (int i = 0; i < c->count; i++) {
        c->middle[i].x += c->speed[i].x;
        c->middle[i].y += c->speed[i].y;
        c->middle[i].z += c->speed[i].z;
    }
    set_boxes(c);
}

static bool overlap(const tp_bounds *a, const tp_bounds *b)
{
    return tp_bounds_near(a, b, 0.0);
}

static tp_space *make_space(int count, tp_space_method method, tp_space_rules rules)
{
    tp_space *space = NULL;
    rules.method = method;
    assert_int_equal(tp_space_create(NULL, count, &rules, &space), TP_OK);
    return space;
}

/* Sorted, no pair twice, all pairs that overlap, none that is farther than the slack allows. */
static void check_pairs(void **check_state_, const cloud *c, const tp_space *space, double slack)
{
    int count, at = 0, needed = 0;
    const tp_space_pair *pairs = tp_space_pairs(space, &count);
    for (int k = 1; k < count; k++) {
        CHECK(pairs[k - 1].a < pairs[k].a || (pairs[k - 1].a == pairs[k].a && pairs[k - 1].b < pairs[k].b));
    }
    for (int a = 0; a < c->count; a++) {
        for (int b = a + 1; b < c->count; b++) {
            bool is_listed = at < count && pairs[at].a == a && pairs[at].b == b;
            at += is_listed;
            if (overlap(&c->box[a], &c->box[b])) {
                needed++;
                CHECK(is_listed);
            } else if (is_listed) { /* a box may trail behind by its slack, and be wider by it, on each side
                                     */
                CHECK(tp_bounds_near(&c->box[a], &c->box[b], 8.0 * slack * (c->half[a] + c->half[b]) * 2.0));
            }
        }
    }
    CHECK_INT(at, count);
    CHECK(needed > c->count);
}

TEST(all_pairs_that_overlap_are_found_by_both_methods_while_things_move)
{
    const double ratios[] = {1.0, 20.0};
    for (int r = 0; r < 2; r++) {
        cloud *c = make_cloud(7 + (uint64_t)r, 600, ratios[r]);
        tp_space_rules rules = tp_space_rules_default();
        tp_space *grid = make_space(c->count, TP_SPACE_GRID, rules),
                 *tree = make_space(c->count, TP_SPACE_TREE, rules);
        tp_space *chosen = make_space(c->count, TP_SPACE_AUTO, rules);
        for (int step = 0; step < 12; step++) {
            int of_grid, of_tree;
            CHECK_INT(tp_space_update(grid, NULL, c->box), TP_OK);
            CHECK_INT(tp_space_update(tree, NULL, c->box), TP_OK);
            CHECK_INT(tp_space_update(chosen, NULL, c->box), TP_OK);
            check_pairs(check_state_, c, grid, rules.slack);
            const tp_space_pair *a = tp_space_pairs(grid, &of_grid), *b = tp_space_pairs(tree, &of_tree);
            CHECK_INT(of_grid, of_tree);
            CHECK_INT(memcmp(a, b, (size_t)of_grid * sizeof *a), 0);
            move(c);
        }
        CHECK_INT(tp_space_method_used(chosen), r == 0 ? TP_SPACE_GRID : TP_SPACE_TREE);
        tp_space_free(grid);
        tp_space_free(tree);
        tp_space_free(chosen);
        free(c);
    }
}

static bool is_even(void *context, int a, int b)
{
    (void)context;
    return (a + b) % 2 == 0;
}

/* Planes among things, pairs that may not meet, and first updates that must grow: the list of one thread. */
TEST(threads_find_the_same_list)
{
    cloud *c = make_cloud(11, COUNT, 2.0);
    tp_space_rules rules = tp_space_rules_default();
    rules.may_meet = is_even;
    const tp_bounds all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    for (int threads = 2; threads <= 4; threads++) {
        tp_pool *pool;
        tp_space *one = make_space(c->count, TP_SPACE_GRID, rules),
                 *shared = make_space(c->count, TP_SPACE_GRID, rules);
        assert_int_equal(tp_pool_create(NULL, threads, &pool), TP_OK);
        for (int step = 0; step < 6; step++) {
            for (int k = 0; k < PLANES; k++) c->box[700 * k + 3] = all;
            int of_one, of_shared;
            CHECK_INT(tp_space_update(one, NULL, c->box), TP_OK);
            CHECK_INT(tp_space_update(shared, pool, c->box), TP_OK);
            CHECK_INT(tp_space_moved_count(one), tp_space_moved_count(shared));
            const tp_space_pair *a = tp_space_pairs(one, &of_one), *b = tp_space_pairs(shared, &of_shared);
            CHECK_INT(of_one, of_shared);
            CHECK(of_one > 5 * COUNT / 2);
            CHECK_INT(memcmp(a, b, (size_t)of_one * sizeof *a), 0);
            move(c);
        }
        tp_space_free(one);
        tp_space_free(shared);
        tp_pool_free(pool);
    }
    free(c);
}

TEST(two_thousand_things_of_sizes_one_to_twenty)
{
    cloud *c = make_cloud(3, COUNT, 20.0);
    tp_space *space = make_space(c->count, TP_SPACE_AUTO, tp_space_rules_default());
    CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    check_pairs(check_state_, c, space, 0.1);
    tp_space_free(space);
    free(c);
}

/* Nothing is looked for while all things stay in their boxes, and only what is near them if few leave. */
TEST(things_that_stay_in_their_boxes_cost_nothing)
{
    cloud *c = make_cloud(5, 500, 1.0);
    tp_space *space = make_space(c->count, TP_SPACE_TREE, tp_space_rules_default());
    CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    CHECK_INT(tp_space_moved_count(space), 500);
    for (int i = 0; i < c->count; i++) c->middle[i].x += 0.09 * 2.0 * c->half[i];
    set_boxes(c);
    CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    CHECK_INT(tp_space_moved_count(space), 0);
    c->middle[17].y += 3.0;
    set_boxes(c);
    CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    CHECK_INT(tp_space_moved_count(space), 1);
    check_pairs(check_state_, c, space, 0.1);
    tp_space_free(space);
    free(c);
}

/* ---- rules and planes ---- */

static bool differ(void *context, int a, int b)
{
    (void)context;
    return a % 3 != b % 3;
}

/* The last two things are planes: z <= 0, and x <= 0. */
static bool near_plane(void *context, int unbounded, const tp_bounds *box)
{
    int first = *(const int *)context;
    return unbounded == first ? box->lower.z <= 0.0 : box->lower.x <= 0.0;
}

TEST(rules_leave_pairs_out_and_planes_meet_what_is_near_them)
{
    cloud *c = make_cloud(11, 300, 1.0);
    int first = c->count - PLANES;
    tp_space_rules rules = tp_space_rules_default();
    rules.may_meet = differ;
    rules.is_near = near_plane;
    rules.context = &first;
    rules.slack = 0.0;
    for (int method = TP_SPACE_GRID; method <= TP_SPACE_TREE; method++) {
        tp_space *space = make_space(c->count, (tp_space_method)method, rules);
        for (int p = first; p < c->count; p++) c->box[p].lower.z = -INFINITY;
        CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
        int count, with_planes = 0, expected = 0;
        const tp_space_pair *pairs = tp_space_pairs(space, &count);
        for (int k = 0; k < count; k++) {
            CHECK(pairs[k].a % 3 != pairs[k].b % 3 && pairs[k].a < first);
            with_planes += pairs[k].b >= first;
        }
        for (int i = 0; i < first; i++) {
            for (int p = first; p < c->count; p++) {
                expected += differ(NULL, i, p) && near_plane(&first, p, &c->box[i]);
            }
        }
        CHECK_INT(with_planes, expected);
        CHECK(expected > 0);
        tp_space_free(space);
    }
    free(c);
}

TEST(absurd_boxes_are_refused_or_survived)
{
    tp_bounds box[3] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 1}, {2, 2, 2}}, {{1e300, 0, 0}, {1e300, 1, 1}}};
    tp_space *space = make_space(3, TP_SPACE_GRID, tp_space_rules_default());
    int count;
    CHECK_INT(tp_space_update(space, NULL, box), TP_OK); /* no grid reaches so far: a tree does */
    const tp_space_pair *pairs = tp_space_pairs(space, &count);
    CHECK_INT(count >= 1 && pairs[0].a == 0 && pairs[0].b == 1, 1);
    CHECK_INT(tp_space_method_used(space), TP_SPACE_TREE);
    box[1].lower.x = NAN;
    CHECK_INT(tp_space_update(space, NULL, box), TP_INVALID_ARGUMENT);
    box[1].lower.x = 3.0;
    CHECK_INT(tp_space_update(space, NULL, box), TP_INVALID_ARGUMENT);
    tp_space_free(space);
    CHECK_INT(tp_space_create(NULL, -1, &(tp_space_rules){.slack = 0.1}, &space), TP_INVALID_ARGUMENT);
    space = make_space(0, TP_SPACE_AUTO, tp_space_rules_default());
    CHECK_INT(tp_space_update(space, NULL, NULL), TP_OK);
    tp_space_free(space);
}

TEST(once_warm_nothing_is_allocated)
{
#ifdef CAN_COUNT_ALLOCATIONS
    cloud *c = make_cloud(23, 400, 1.0);
    tp_space *space = make_space(c->count, TP_SPACE_AUTO, tp_space_rules_default());
    CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    allocation_count = 0, is_counting = 1;
    for (int step = 0; step < 5; step++) {
        move(c);
        CHECK_INT(tp_space_update(space, NULL, c->box), TP_OK);
    }
    is_counting = 0;
    CHECK_INT(allocation_count, 0);
    tp_space_free(space);
    free(c);
#else
    UNUSED_STATE;
    skip();
#endif
}

TEST_MAIN(RUNS(all_pairs_that_overlap_are_found_by_both_methods_while_things_move),
          RUNS(two_thousand_things_of_sizes_one_to_twenty), RUNS(threads_find_the_same_list),
          RUNS(things_that_stay_in_their_boxes_cost_nothing),
          RUNS(rules_leave_pairs_out_and_planes_meet_what_is_near_them),
          RUNS(absurd_boxes_are_refused_or_survived), RUNS(once_warm_nothing_is_allocated))
