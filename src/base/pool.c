/* A pool of threads. The generation of the present loop and its tasks that nobody has taken, from a first to
   an end, are one atomic word: who takes a task knows that its loop cannot end before the task does, and may
   read what belongs to it. Every other thread takes tasks from the end: in loop after loop over the same
   items the caches of a processor keep its part of them. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { TASK_BITS = 21, SPINS = 4000, LINE = 64 };
static const uint64_t task_mask = (1u << TASK_BITS) - 1;

typedef struct worker {
    tp_pool *pool;
    int number;
    pthread_t thread;
} worker;

struct tp_pool {
    const tp_allocator *allocator;
    void *memory; /* the pool begins at the first cache line in it */
    int started;  /* threads besides the caller's */
    worker *workers;
    tp_pool_task *task;
    void *context;
    _Alignas(LINE) _Atomic uint64_t ticket; /* generation, end, first */
    _Alignas(LINE) atomic_int done;
    atomic_int sleepers;
    atomic_bool is_over;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static uint64_t end_of(uint64_t ticket)
{
    return (ticket >> TASK_BITS) & task_mask;
}

static uint64_t first_of(uint64_t ticket)
{
    return ticket & task_mask;
}

static bool has_tasks(uint64_t ticket)
{
    return first_of(ticket) < end_of(ticket);
}

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Takes and runs one task; false: there is none left. */
static bool take_one(tp_pool *pool, int number)
{
    bool is_from_end = number % 2 != 0;
    uint64_t ticket = atomic_load(&pool->ticket), rest;
    do {
        if (!has_tasks(ticket)) return false;
        rest = is_from_end ? ticket - (1u << TASK_BITS) : ticket + 1;
    } while (!atomic_compare_exchange_weak(&pool->ticket, &ticket, rest));
    pool->task(pool->context, (int)(is_from_end ? end_of(ticket) - 1 : first_of(ticket)), number);
    atomic_fetch_add(&pool->done, 1);
    return true;
}

static bool is_idle(const tp_pool *pool)
{
    return !has_tasks(atomic_load(&pool->ticket)) && !atomic_load(&pool->is_over);
}

static void sleep_until_work(tp_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (is_idle(pool)) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

/* Loops follow each other within microseconds: a thread waits a while before it sleeps. */
static void *serve(void *context)
{
    worker *self = context;
    tp_pool *pool = self->pool;
    for (;;) {
        for (int spin = 0; spin < SPINS && is_idle(pool); spin++) relax();
        if (is_idle(pool)) sleep_until_work(pool);
        if (atomic_load(&pool->is_over)) return NULL;
        while (take_one(pool, self->number)) {
        }
    }
}

static void wake_all(tp_pool *pool)
{
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

tp_status tp_pool_create(const tp_allocator *allocator, int threads, tp_pool **pool_out)
{
    *pool_out = NULL;
    if (threads < 1 || threads > TP_POOL_MOST_THREADS) return TP_INVALID_ARGUMENT;
    if (threads == 1) return TP_OK;
    if (allocator == NULL) allocator = tp_allocator_default();
    size_t bytes = sizeof(tp_pool) + LINE + (size_t)(threads - 1) * sizeof(worker);
    void *memory = allocator->allocate(allocator->context, bytes);
    if (memory == NULL) return TP_OUT_OF_MEMORY;
    tp_pool *pool = (tp_pool *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
    pool->allocator = allocator;
    pool->memory = memory;
    pool->started = 0;
    pool->workers = (worker *)(pool + 1);
    pool->task = NULL;
    pool->context = NULL;
    atomic_init(&pool->ticket, 0);
    atomic_init(&pool->done, 0);
    atomic_init(&pool->sleepers, 0);
    atomic_init(&pool->is_over, false);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int k = 1; k < threads; k++) { /* with fewer threads than asked for the results are the same */
        worker *one = &pool->workers[pool->started];
        *one = (worker){.pool = pool, .number = k};
        if (pthread_create(&one->thread, NULL, serve, one) != 0) break;
        pool->started++;
    }
    *pool_out = pool;
    return TP_OK;
}

void tp_pool_free(tp_pool *pool)
{
    if (pool == NULL) return;
    atomic_store(&pool->is_over, true);
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->started; k++) pthread_join(pool->workers[k].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    pool->allocator->release(pool->allocator->context, pool->memory);
}

int tp_pool_threads(const tp_pool *pool)
{
    return pool != NULL ? pool->started + 1 : 1;
}

void tp_pool_run(tp_pool *pool, int count, tp_pool_task *task, void *context)
{
    if (pool == NULL || count <= 1 || pool->started == 0) {
        for (int k = 0; k < count; k++) task(context, k, 0);
        return;
    }
    pool->task = task;
    pool->context = context;
    atomic_store(&pool->done, 0);
    uint64_t generation = (atomic_load(&pool->ticket) >> (2 * TASK_BITS)) + 1;
    atomic_store(&pool->ticket, generation << (2 * TASK_BITS) | (uint64_t)count << TASK_BITS);
    wake_all(pool);
    while (take_one(pool, 0)) {
    }
    for (int spin = 0; atomic_load(&pool->done) < count; spin++) {
        relax();
        if (spin % 64 == 63) sched_yield(); /* others may need this processor to end their task */
    }
}

typedef struct ranges {
    int count, size;
    tp_pool_range *range;
    void *context;
} ranges;

static void run_range(void *context, int number, int who)
{
    const ranges *all = context;
    int begin = number * all->size, rest = all->count - begin;
    (void)who;
    all->range(all->context, begin, begin + (rest < all->size ? rest : all->size));
}

void tp_pool_share(tp_pool *pool, int count, int size, tp_pool_range *range, void *context)
{
    if (count <= size) { /* small scenes */
        if (count > 0) range(context, 0, count);
        return;
    }
    ranges all = {count, size, range, context};
    tp_pool_run(pool, count / size + (count % size > 0), run_range, &all);
}

/* ---- memory ---- */

/* One task moves as much as a second level of cache can hold. */
enum { BYTES_OF_TASK = 1 << 16 };

typedef struct move {
    char *to;
    const char *from; /* NULL: zeros */
    size_t bytes;
} move;

static void move_some(void *context, int number, int who)
{
    const move *all = context;
    size_t begin = (size_t)number * BYTES_OF_TASK, rest = all->bytes - begin,
           count = rest < BYTES_OF_TASK ? rest : BYTES_OF_TASK;
    (void)who;
    if (all->from != NULL)
        memcpy(all->to + begin, all->from + begin, count);
    else
        memset(all->to + begin, 0, count);
}

static void move_all(tp_pool *pool, move *all)
{
    tp_pool_run(pool, (int)((all->bytes + BYTES_OF_TASK - 1) / BYTES_OF_TASK), move_some, all);
}

void tp_pool_copy(tp_pool *pool, void *to, const void *from, size_t bytes)
{
    if (bytes > BYTES_OF_TASK)
        move_all(pool, &(move){to, from, bytes});
    else if (bytes > 0) /* small scenes */
        memcpy(to, from, bytes);
}

void tp_pool_clear(tp_pool *pool, void *to, size_t bytes)
{
    if (bytes > BYTES_OF_TASK)
        move_all(pool, &(move){to, NULL, bytes});
    else if (bytes > 0)
        memset(to, 0, bytes);
}
