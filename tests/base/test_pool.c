/* A pool of threads runs each task once, whoever takes it. */
#include "base/pool.h"
#include "check.h"

#include <string.h>

enum { TASKS = 1000 };

typedef struct tally {
    int count[TASKS];
    double sum[TASKS];
    int in_use[8]; /* a worker has one task at a time */
    bool is_shared;
} tally;

static void count_task(void *context, int task, int worker)
{
    tally *t = context;
    if (t->in_use[worker]++ != 0) t->is_shared = true;
    t->count[task]++;
    for (int k = 1; k <= task; k++) t->sum[task] += 1.0 / k;
    t->in_use[worker]--;
}

TEST(each_task_runs_once)
{
    for (int threads = 1; threads <= 5; threads++) {
        tp_pool *pool;
        assert_int_equal(tp_pool_create(NULL, threads, &pool), TP_OK);
        CHECK_INT(tp_pool_threads(pool), threads);
        for (int round = 0; round < 50; round++) {
            static tally t;
            t = (tally){0};
            int count = round % 7 == 0 ? round % 3 : TASKS - 13 * round;
            tp_pool_run(pool, count, count_task, &t);
            for (int k = 0; k < TASKS; k++) CHECK_INT(t.count[k], k < count);
            CHECK(!t.is_shared);
        }
        tp_pool_free(pool);
    }
}

TEST(numbers_of_threads_are_checked)
{
    tp_pool *pool;
    CHECK_INT(tp_pool_create(NULL, 0, &pool), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_pool_create(NULL, TP_POOL_MOST_THREADS + 1, &pool), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_pool_create(NULL, 1, &pool), TP_OK);
    CHECK(pool == NULL);
}

static void count_range(void *context, int begin, int end)
{
    tally *t = context;
    for (int k = begin; k < end; k++) t->count[k] += end - begin;
}

TEST(ranges_hold_each_item_once)
{
    for (int threads = 1; threads <= 3; threads++) {
        tp_pool *pool;
        assert_int_equal(tp_pool_create(NULL, threads, &pool), TP_OK);
        for (int count = 0; count <= TASKS; count += 125) {
            static tally t;
            t = (tally){0};
            tp_pool_share(pool, count, 100, count_range, &t);
            for (int k = 0; k < TASKS; k++)
                CHECK_INT(t.count[k], k >= count ? 0 : k / 100 == count / 100 ? count % 100 : 100);
        }
        tp_pool_free(pool);
    }
}

TEST(memory_is_copied_and_cleared_to_the_last_byte)
{
    enum { MOST = 200001 };
    static unsigned char from[MOST], to[MOST + 1];
    for (int k = 0; k < MOST; k++) from[k] = (unsigned char)(1 + k % 251);
    for (int threads = 1; threads <= 3; threads++) {
        tp_pool *pool;
        assert_int_equal(tp_pool_create(NULL, threads, &pool), TP_OK);
        const size_t sizes[] = {0, 1, 1000, (size_t)1 << 16, ((size_t)1 << 17) + 7, MOST};
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            memset(to, 0xee, sizeof to);
            tp_pool_copy(pool, to, from, sizes[k]);
            CHECK(memcmp(to, from, sizes[k]) == 0 && to[sizes[k]] == 0xee);
            tp_pool_clear(pool, to, sizes[k]);
            size_t zeros = 0;
            while (zeros < sizes[k] && to[zeros] == 0) zeros++;
            CHECK(zeros == sizes[k] && to[sizes[k]] == 0xee);
        }
        tp_pool_free(pool);
    }
}

TEST_MAIN(RUNS(memory_is_copied_and_cleared_to_the_last_byte), RUNS(each_task_runs_once),
          RUNS(ranges_hold_each_item_once), RUNS(numbers_of_threads_are_checked))
