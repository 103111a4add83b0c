/* Pairs that threads find side by side. Each task keeps a few of its own and puts them into the common list
   together; the list is sorted afterwards, so that its order here does not matter. */
#include "inside.h"

#include <string.h>

enum { KEPT = 128 };

struct tp_space_gatherer {
    tp_space *space;
    int count;
    tp_space_pair kept[KEPT];
};

/* What does not fit is counted: there is a second time with more memory. */
static void put_down(tp_space_gatherer *g)
{
    tp_space *s = g->space;
    long long at = atomic_fetch_add(&s->gathered, g->count);
    if (at <= s->capacity - g->count) memcpy(s->raw + at, g->kept, (size_t)g->count * sizeof *g->kept);
    g->count = 0;
}

void tp_space_gather(tp_space_gatherer *g, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    const tp_space_rules *rules = &g->space->rules;
    if (rules->may_meet && !rules->may_meet(rules->context, low, high)) return;
    g->kept[g->count++] = (tp_space_pair){low, high};
    if (g->count == KEPT) put_down(g);
}

typedef struct search {
    tp_space *space;
    tp_space_search *search;
    const void *context;
} search;

static void search_some(void *context, int begin, int end)
{
    const search *all = context;
    tp_space_gatherer g;
    g.space = all->space;
    g.count = 0;
    all->search(&g, all->space, all->context, begin, end);
    if (g.count > 0) put_down(&g);
}

tp_status tp_space_search_all(tp_space *s, int count, tp_space_search *search_range, const void *context)
{
    search all = {s, search_range, context};
    for (;;) {
        atomic_store(&s->gathered, s->raw_count);
        tp_pool_share(s->pool, count, TP_SPACE_THINGS_OF_TASK, search_some, &all);
        long long gathered = atomic_load(&s->gathered);
        if (gathered <= s->capacity) {
            s->raw_count = (int)gathered;
            return TP_OK;
        }
        TP_TRY(tp_space_reserve(s, gathered));
    }
}
