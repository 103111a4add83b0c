/* Boxes with slack, and the list of pairs. */
#include "inside.h"

#include <math.h>
#include <string.h>

/* A grid has cells of the largest thing. Where that is larger than the mean of all (volumes of boxes) by more
   than this, too many things share a cell, and a tree is better. */
static const double alike = 4.0;

tp_space_rules tp_space_rules_default(void)
{
    return (tp_space_rules){.slack = 0.1};
}

tp_status tp_space_create(const tp_allocator *allocator, int count, const tp_space_rules *rules,
                          tp_space **space_out)
{
    *space_out = NULL;
    if (count < 0 || !(rules->slack >= 0.0 && isfinite(rules->slack))) return TP_INVALID_ARGUMENT;
    tp_space *s = TP_ARENA_OBJECT(tp_space, allocator);
    if (!s) return TP_OUT_OF_MEMORY;
    tp_arena *arena = &s->arena;
    s->allocator = arena->allocator;
    s->rules = *rules;
    s->count = count;
    s->root = s->free_node = -1;
    size_t n = (size_t)count + 1;
    s->box = TP_ARENA_ARRAY(arena, tp_bounds, n);
    s->state = TP_ARENA_ARRAY(arena, unsigned char, n);
    s->unbounded = TP_ARENA_ARRAY(arena, int, n);
    s->first = TP_ARENA_ARRAY(arena, int, n + 1);
    s->key = TP_ARENA_ARRAY(arena, uint64_t, n);
    s->other_key = TP_ARENA_ARRAY(arena, uint64_t, n);
    TP_ARENA_INTS(arena, n, &s->order, &s->other_order);
    s->node = TP_ARENA_RAW(arena, tp_space_node, 2 * n);
    s->leaf = TP_ARENA_ARRAY(arena, int, n);
    s->stack = TP_ARENA_RAW(arena, int, 2 * n);
    tp_status status = tp_arena_status(arena);
    if (status != TP_OK)
        tp_space_free(s);
    else
        tp_space_tree_clear(s);
    *space_out = status == TP_OK ? s : NULL;
    return status;
}

static void *take(tp_space *s, size_t bytes)
{
    return s->allocator->allocate(s->allocator->context, bytes);
}

static void release(tp_space *s, void *memory)
{
    if (memory) s->allocator->release(s->allocator->context, memory);
}

void tp_space_free(tp_space *space)
{
    if (!space) return;
    release(space, space->pairs);
    release(space, space->raw);
    tp_arena_clear(&space->arena);
}

/* ---- pairs ---- */

tp_status tp_space_reserve(tp_space *s, long long count)
{
    if (count <= s->capacity) return TP_OK;
    if (count > INT32_MAX / 2) return TP_OUT_OF_MEMORY;
    int capacity = s->capacity < 64 ? 64 : s->capacity;
    while (capacity < count) capacity = capacity < INT32_MAX / 2 ? 2 * capacity : INT32_MAX;
    tp_space_pair *raw = take(s, (size_t)capacity * sizeof *raw);
    tp_space_pair *pairs = take(s, (size_t)capacity * sizeof *pairs);
    if (!raw || !pairs) {
        release(s, raw);
        release(s, pairs);
        return TP_OUT_OF_MEMORY;
    }
    if (s->raw_count > 0) memcpy(raw, s->raw, (size_t)s->raw_count * sizeof *raw);
    if (s->pair_count > 0) memcpy(pairs, s->pairs, (size_t)s->pair_count * sizeof *pairs);
    release(s, s->raw);
    release(s, s->pairs);
    s->raw = raw;
    s->pairs = pairs;
    s->capacity = capacity;
    return TP_OK;
}

tp_status tp_space_add(tp_space *s, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    if (s->rules.may_meet && !s->rules.may_meet(s->rules.context, low, high)) return TP_OK;
    TP_TRY(tp_space_reserve(s, s->raw_count + 1LL));
    s->raw[s->raw_count++] = (tp_space_pair){low, high};
    return TP_OK;
}

/* The few partners of each thing, by insertion. */
static void sort_partners(void *context, int begin, int end)
{
    tp_space *s = context;
    for (int i = begin; i < end; i++) {
        for (int k = s->first[i] + 1; k < s->first[i + 1]; k++) {
            tp_space_pair pair = s->pairs[k];
            int at = k;
            for (; at > s->first[i] && s->pairs[at - 1].b > pair.b; at--) s->pairs[at] = s->pairs[at - 1];
            s->pairs[at] = pair;
        }
    }
}

/* Counting sort by a, then by b. */
static void sort_pairs(tp_space *s)
{
    memset(s->first, 0, ((size_t)s->count + 2) * sizeof(int));
    for (int k = 0; k < s->raw_count; k++) s->first[s->raw[k].a + 2]++;
    for (int i = 0; i < s->count; i++) s->first[i + 2] += s->first[i + 1];
    for (int k = 0; k < s->raw_count; k++) {
        tp_space_pair pair = s->raw[k];
        s->pairs[s->first[pair.a + 1]++] = pair;
    }
    tp_pool_share(s->pool, s->count, TP_SPACE_THINGS_OF_TASK, sort_partners, s);
    s->pair_count = s->raw_count;
}

/* Pairs of two things that have both stayed in their boxes stay what they are. */
static void keep_pairs(tp_space *s)
{
    for (int k = 0; k < s->pair_count; k++) {
        tp_space_pair pair = s->pairs[k];
        if ((s->state[pair.a] | s->state[pair.b]) & TP_SPACE_MOVED) continue;
        s->raw[s->raw_count++] = pair; /* no more than there were */
    }
}

static void meet_unbounded(tp_space_gatherer *g, const tp_space *s, const void *context, int begin, int end)
{
    (void)context;
    for (int u = 0; u < s->unbounded_count; u++) {
        int plane = s->unbounded[u];
        bool plane_moved = s->state[plane] & TP_SPACE_MOVED;
        for (int i = begin; i < end; i++) {
            if (!(s->state[i] & TP_SPACE_BOUNDED)) continue;
            if (!plane_moved && !(s->state[i] & TP_SPACE_MOVED)) continue;
            if (s->rules.is_near && !s->rules.is_near(s->rules.context, plane, &s->box[i])) continue;
            tp_space_gather(g, plane, i);
        }
    }
}

/* ---- boxes ---- */

static bool is_sound(const tp_bounds *b)
{
    return b->lower.x <= b->upper.x && b->lower.y <= b->upper.y && b->lower.z <= b->upper.z;
}

static bool is_bounded(const tp_bounds *b)
{
    return isfinite(b->lower.x) && isfinite(b->lower.y) && isfinite(b->lower.z) && isfinite(b->upper.x) &&
           isfinite(b->upper.y) && isfinite(b->upper.z);
}

static bool holds(const tp_bounds *outer, const tp_bounds *inner)
{
    return outer->lower.x <= inner->lower.x && outer->lower.y <= inner->lower.y &&
           outer->lower.z <= inner->lower.z && outer->upper.x >= inner->upper.x &&
           outer->upper.y >= inner->upper.y && outer->upper.z >= inner->upper.z;
}

static double largest_side(const tp_bounds *b)
{
    return fmax(b->upper.x - b->lower.x, fmax(b->upper.y - b->lower.y, b->upper.z - b->lower.z));
}

static tp_bounds widened(const tp_bounds *b, double by)
{
    return (tp_bounds){{b->lower.x - by, b->lower.y - by, b->lower.z - by},
                       {b->upper.x + by, b->upper.y + by, b->upper.z + by}};
}

typedef struct marking {
    tp_space *space;
    const tp_bounds *bounds;
    atomic_bool is_wrong; /* a box is not sound */
} marking;

static void check_some(void *context, int begin, int end)
{
    marking *all = context;
    bool are_sound = true;
    for (int i = begin; i < end; i++) are_sound = are_sound && is_sound(&all->bounds[i]);
    if (!are_sound) atomic_store(&all->is_wrong, true);
}

static void mark_some(void *context, int begin, int end)
{
    const marking *all = context;
    tp_space *s = all->space;
    const tp_bounds *bounds = all->bounds;
    for (int i = begin; i < end; i++) {
        bool bounded = is_bounded(&bounds[i]), was_bounded = s->state[i] & TP_SPACE_BOUNDED;
        bool is_known = s->state[i] & TP_SPACE_KNOWN;
        double side = largest_side(&bounds[i]), by = s->rules.slack * side;
        bool stays = is_known && bounded == was_bounded;
        if (stays && bounded) {
            stays = holds(&s->box[i], &bounds[i]) && largest_side(&s->box[i]) <= side + 8.0 * by;
        } else if (stays && s->rules.has_moved) {
            stays = !s->rules.has_moved(s->rules.context, i);
        }
        s->state[i] =
            (unsigned char)(TP_SPACE_KNOWN | (bounded ? TP_SPACE_BOUNDED : 0) | (stays ? 0 : TP_SPACE_MOVED));
        if (!stays) s->box[i] = bounded ? widened(&bounds[i], by) : bounds[i];
    }
}

/* Marks what has left its box. A box that has become much too wide (a fast thing came to rest) is made anew
   as well. False: a box is not sound, and nothing has changed. */
static bool find_moved(tp_space *s, const tp_bounds *bounds)
{
    marking all = {.space = s, .bounds = bounds};
    atomic_init(&all.is_wrong, false);
    tp_pool_share(s->pool, s->count, TP_SPACE_THINGS_OF_TASK, check_some, &all);
    if (atomic_load(&all.is_wrong)) return false;
    tp_pool_share(s->pool, s->count, TP_SPACE_THINGS_OF_TASK, mark_some, &all);
    s->moved_count = s->unbounded_count = 0;
    for (int i = 0; i < s->count; i++) {
        if (!(s->state[i] & TP_SPACE_BOUNDED)) s->unbounded[s->unbounded_count++] = i;
        s->moved_count += (s->state[i] & TP_SPACE_MOVED) != 0;
    }
    return true;
}

static bool has_alike_sizes(const tp_space *s)
{
    double sum = 0.0, largest = 0.0;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        if (!(s->state[i] & TP_SPACE_BOUNDED)) continue;
        double side = largest_side(&s->box[i]), volume = side * side * side;
        sum += volume;
        largest = volume > largest ? volume : largest;
        count++;
    }
    return largest * count <= alike * sum;
}

static tp_status find_pairs(tp_space *s)
{
    bool wants_grid =
             s->rules.method == TP_SPACE_GRID || (s->rules.method == TP_SPACE_AUTO && has_alike_sizes(s)),
         is_done = false;
    s->raw_count = 0;
    keep_pairs(s);
    if (wants_grid) TP_TRY(tp_space_grid(s, &is_done));
    if (is_done)
        tp_space_tree_clear(s);
    else
        TP_TRY(tp_space_tree(s));
    if (s->unbounded_count > 0) TP_TRY(tp_space_search_all(s, s->count, meet_unbounded, NULL));
    s->used = is_done ? TP_SPACE_GRID : TP_SPACE_TREE;
    if (s->capacity > 0) sort_pairs(s);
    return TP_OK;
}

tp_status tp_space_update(tp_space *s, tp_pool *pool, const tp_bounds *bounds)
{
    s->pool = pool;
    if (!find_moved(s, bounds)) return TP_INVALID_ARGUMENT;
    if (s->moved_count == 0) return TP_OK;
    tp_status status = find_pairs(s);
    if (status != TP_OK) { /* nothing is known any more */
        memset(s->state, 0, (size_t)s->count);
        tp_space_tree_clear(s);
        s->pair_count = 0;
    }
    return status;
}

const tp_space_pair *tp_space_pairs(const tp_space *space, int *count_out)
{
    *count_out = space->pair_count;
    return space->pairs;
}

int tp_space_moved_count(const tp_space *space)
{
    return space->moved_count;
}

tp_space_method tp_space_method_used(const tp_space *space)
{
    return space->used;
}
