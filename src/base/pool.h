/* A pool of threads that share the tasks of a loop. What a task computes must depend on its number alone,
   never on who takes it: then the results have the same bits for every number of threads. */
#ifndef TP_BASE_POOL_H
#define TP_BASE_POOL_H

#include "tippe/base.h"

typedef struct tp_pool tp_pool;

enum { TP_POOL_MOST_THREADS = 256, TP_POOL_MOST_TASKS = 1 << 20 };

/* worker: 0 ... threads - 1, for work memory; two tasks with the same worker never run at once. */
typedef void tp_pool_task(void *context, int task, int worker);

/* `threads` with the caller's own; allocator may be NULL. One thread needs no pool: *pool_out is NULL then.
 */
tp_status tp_pool_create(const tp_allocator *allocator, int threads, tp_pool **pool_out);
void tp_pool_free(tp_pool *pool); /* NULL is fine */

int tp_pool_threads(const tp_pool *pool); /* NULL: 1 */

/* Runs tasks 0 ... count - 1 and returns when all are done; the caller works along. A pool serves one caller
   at a time, and a task must not run tasks on it. NULL: one after the other. */
void tp_pool_run(tp_pool *pool, int count, tp_pool_task *task, void *context);

/* Items begin ... end - 1 of a loop. */
typedef void tp_pool_range(void *context, int begin, int end);

/* The same for a loop over items, cut into ranges of `size` of them (the last one is shorter). */
void tp_pool_share(tp_pool *pool, int count, int size, tp_pool_range *range, void *context);

/* memcpy, and memset to 0. */
void tp_pool_copy(tp_pool *pool, void *to, const void *from, size_t bytes);
void tp_pool_clear(tp_pool *pool, void *to, size_t bytes);

#endif
