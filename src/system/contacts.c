/* Which pairs of shapes are near, and the numbers of their contacts. */
#include "contacts.h"
#include "base/sort.h"
#include "geometry/collide.h"
#include "parts.h"
#include "space/space.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* What is kept of a shape between two looks for pairs. */
typedef struct shape_reach {
    double reach;     /* [m] */
    double behind;    /* how deep it may be behind a mesh and still touch it [m] */
    double ball;      /* radius of a ball about its searched pose that holds it wherever it goes [m] */
    bool has_contact; /* a rule speaks of it */
} shape_reach;

/* A list of pairs, and where each contact belongs. */
typedef struct pair_list {
    tp_near_pair *pairs;
    int count, capacity;
} pair_list;

/* What a task of a merge counts, and from where on it writes. */
typedef struct merge_task {
    int within; /* of the space's pairs */
    int pairs, points;
    bool differs; /* a pair is new, or gone */
} merge_task;

struct tp_contacts {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_system *system;
    tp_space *space;
    shape_reach *shapes; /* [shapes] */
    tp_bounds *boxes; /* [shapes] with their reach; infinite: a plane or a hollow shape, which reaches as far
                         as `reach` */
    tp_pose *poses;   /* [shapes] where they were at the last search ... */
    bool has_poses;   /* ... if there was one                            */
    pair_list now, before;
    int contact_count, contact_capacity;
    int *pair_of, *old_of;     /* [contact_capacity] the pair of a contact; its number before, -1: none */
    int *parts, part_capacity; /* work */
    int *within; /* [within_capacity] of the space's pairs by task: those that are within reach now */
    int within_capacity;
    merge_task *tasks; /* [task_capacity] */
    int task_capacity;
    bool keeps_all; /* pairs of before stay, near or not */
    bool has_parts; /* a shape has several: a mesh or a height field */
};

/* ---- memory ---- */

static void *grown(const tp_contacts *c, void *items, size_t used, size_t bytes)
{
    void *more = c->allocator->allocate(c->allocator->context, bytes);
    if (more != NULL && used > 0) memcpy(more, items, used);
    if (more != NULL && items != NULL) c->allocator->release(c->allocator->context, items);
    return more;
}

static tp_status grow(const tp_contacts *c, pair_list *list, int capacity)
{
    if (list->capacity >= capacity) return TP_OK;
    tp_near_pair *pairs =
        grown(c, list->pairs, (size_t)list->count * sizeof *pairs, (size_t)capacity * sizeof *pairs);
    if (pairs == NULL) return TP_OUT_OF_MEMORY;
    list->pairs = pairs;
    list->capacity = capacity;
    return TP_OK;
}

/* Room for so many pairs. Both lists take turns: both grow. */
static tp_status take_pairs_room(tp_contacts *c, int count)
{
    int capacity = c->now.capacity;
    while (capacity < count) capacity = 2 * capacity + 32;
    TP_TRY(grow(c, &c->now, capacity));
    return grow(c, &c->before, capacity);
}

/* One pair more. */
static tp_status take_pair(tp_contacts *c, tp_near_pair **pair_out)
{
    TP_TRY(take_pairs_room(c, c->now.count + 1));
    *pair_out = &c->now.pairs[c->now.count++];
    return TP_OK;
}

static tp_status take_contacts(tp_contacts *c, int count)
{
    if (count <= c->contact_capacity) return TP_OK;
    int capacity = 2 * count + 32;
    int *pair_of = grown(c, NULL, 0, (size_t)capacity * sizeof *pair_of),
        *old_of = grown(c, NULL, 0, (size_t)capacity * sizeof *old_of);
    tp_contact_point *points = grown(c, NULL, 0, (size_t)capacity * sizeof *points);
    void *last[] = {c->pair_of, c->old_of, c->system->points};
    void *new[] = {pair_of, old_of, points};
    bool has_all = pair_of != NULL && old_of != NULL && points != NULL;
    for (int k = 0; k < 3; k++) {
        void *rest = has_all ? last[k] : new[k];
        if (rest != NULL) c->allocator->release(c->allocator->context, rest);
    }
    if (!has_all) return TP_OUT_OF_MEMORY;
    c->pair_of = pair_of;
    c->old_of = old_of;
    c->system->points = points;
    c->contact_capacity = capacity;
    return TP_OK;
}

void tp_contacts_free(tp_contacts *c)
{
    if (c == NULL) return;
    void *all[] = {c->now.pairs, c->before.pairs,   c->pair_of, c->old_of,
                   c->parts,     c->system->points, c->within,  c->tasks};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (all[k] != NULL) c->allocator->release(c->allocator->context, all[k]);
    }
    tp_space_free(c->space);
    tp_arena arena = c->arena;
    tp_arena_clear(&arena);
}

/* ---- how near ---- */

static const tp_model_shape *shape_at(const tp_contacts *c, int i)
{
    return TP_LIST_AT(c->system->model->shapes, tp_model_shape, i);
}

/* Half of the box along a direction, and the distance of its middle from a point. */
static double half_along(const tp_bounds *box, tp_vec3 direction)
{
    tp_vec3 half = tp_vec3_scale(0.5, tp_vec3_sub(box->upper, box->lower));
    return fabs(direction.x) * half.x + fabs(direction.y) * half.y + fabs(direction.z) * half.z;
}

/* Whether a plane or a hollow shape may touch what is in a box; both with their reach. */
static bool is_near_box(const tp_contacts *c, int unbounded, const tp_bounds *box)
{
    const tp_solid *solid = &shape_at(c, unbounded)->solid;
    const tp_pose *pose = &c->system->shape_pose[unbounded];
    double reach = c->shapes[unbounded].reach;
    tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(box->lower, box->upper)),
            z = tp_quat_rotate(pose->orientation, tp_vec3_make(0.0, 0.0, 1.0)),
            offset = tp_vec3_sub(middle, pose->origin);
    double height = tp_vec3_dot(offset, z);
    if (solid->kind == TP_SOLID_PLANE) return height - half_along(box, z) <= reach;
    double half = 0.5 * tp_vec3_norm(tp_vec3_sub(box->upper, box->lower));
    if (solid->kind == TP_SOLID_INSIDE_CYLINDER) offset = tp_vec3_add_scaled(offset, -height, z);
    return tp_vec3_norm(offset) + half + reach >= solid->radius;
}

static bool is_near(void *context, int unbounded, const tp_bounds *box)
{
    return is_near_box(context, unbounded, box);
}

static bool has_moved(void *context, int unbounded)
{
    const tp_contacts *c = context;
    return shape_at(c, unbounded)->body != TP_GROUND;
}

static bool may_meet(void *context, int a, int b)
{
    const tp_contacts *c = context;
    return tp_model_touch(c->system->model, a, b).law != NULL;
}

tp_status tp_contacts_create(tp_system *system)
{
    const tp_model *model = system->model;
    if (model->rules.count == 0 || !model->is_finished) return TP_OK;
    tp_arena arena = tp_arena_make(system->arena.allocator);
    tp_contacts *c = TP_ARENA_ARRAY(&arena, tp_contacts, 1);
    if (c == NULL) return TP_OUT_OF_MEMORY;
    c->allocator = arena.allocator;
    c->system = system;
    c->shapes = TP_ARENA_ARRAY(&arena, shape_reach, model->shapes.count);
    c->boxes = TP_ARENA_ARRAY(&arena, tp_bounds, model->shapes.count);
    c->poses = TP_ARENA_ARRAY(&arena, tp_pose, model->shapes.count);
    tp_space_rules rules = tp_space_rules_default();
    rules.context = c;
    rules.may_meet = may_meet;
    rules.is_near = is_near;
    rules.has_moved = has_moved;
    tp_status status = tp_arena_status(&arena);
    c->arena = arena;
    if (status == TP_OK)
        status = tp_space_create(system->arena.allocator, model->shapes.count, &rules, &c->space);
    if (status != TP_OK) {
        tp_contacts_free(c);
        return status;
    }
    double behind = 0.0;
    for (int i = 0; i < model->shapes.count; i++) {
        c->shapes[i].has_contact = model->member_first[i + 1] > model->member_first[i];
        c->has_parts = c->has_parts || tp_solid_part_count(&shape_at(c, i)->solid) > 1;
        behind = fmax(behind, tp_collide_front_depth(&shape_at(c, i)->solid));
    }
    for (int i = 0; i < model->shapes.count; i++)
        c->shapes[i].behind = tp_collide_is_flat(&shape_at(c, i)->solid) ? behind : 0.0;
    system->contacts = c;
    return TP_OK;
}

/* ---- pairs ---- */

/* How far a shape may go: the speed of its farthest point. */
static double reach_of(const tp_contacts *c, int i, const tp_contact_reach *reach)
{
    const tp_model_shape *shape = shape_at(c, i);
    if (shape->body == TP_GROUND) return reach->margin;
    const tp_body_state *body = tp_system_body(c->system, shape->body);
    double radius = tp_solid_bounding_radius(&shape->solid);
    tp_vec3 arm = tp_vec3_sub(c->system->shape_pose[i].origin, body->frame.r);
    double speed = tp_vec3_norm(tp_vec3_add(body->v, tp_vec3_cross(body->w, arm)));
    if (isfinite(radius)) speed += radius * tp_vec3_norm(body->w);
    double way = reach->time * speed;
    double margin = reach->margin + c->shapes[i].behind;
    return isfinite(way) ? way + margin : margin; /* a state beyond all bounds stops elsewhere */
}

/* What one task of a pool takes. */
enum { SHAPES_OF_TASK = 512, PAIRS_OF_TASK = 2048 };

typedef struct box_search {
    tp_contacts *contacts;
    const tp_contact_reach *reach;
} box_search;

static void find_some_boxes(void *context, int begin, int end)
{
    static const tp_bounds nowhere = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const box_search *search = context;
    tp_contacts *c = search->contacts;
    for (int i = begin; i < end; i++) {
        shape_reach *own = &c->shapes[i];
        c->boxes[i] = nowhere; /* what no rule speaks of meets nothing */
        if (!own->has_contact) continue;
        tp_bounds box = tp_solid_bounds(&shape_at(c, i)->solid, &c->system->shape_pose[i]);
        double by = own->reach = reach_of(c, i, search->reach);
        own->ball = by + tp_solid_bounding_radius(&shape_at(c, i)->solid);
        box.lower = tp_vec3_sub(box.lower, tp_vec3_make(by, by, by));
        box.upper = tp_vec3_add(box.upper, tp_vec3_make(by, by, by));
        if (box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z)
            c->boxes[i] = box; /* else it is not finite */
    }
}

static void find_boxes(tp_contacts *c, const tp_contact_reach *reach)
{
    box_search search = {c, reach};
    tp_pool_share(c->system->pool, c->system->model->shapes.count, SHAPES_OF_TASK, find_some_boxes, &search);
}

/* Whether the balls that hold two shapes meet; boxes of grains overlap twice as often. Those of what has no
   bounds meet all. */
static inline bool do_balls_meet(const tp_contacts *c, int a, int b)
{
    tp_vec3 way = tp_vec3_sub(c->poses[b].origin, c->poses[a].origin);
    double reach = (1.0 + tp_ball_slack) * (c->shapes[a].ball + c->shapes[b].ball);
    return !(tp_vec3_dot(way, way) > reach * reach);
}

/* The space's list holds pairs of wider boxes as well, which depend on the past. */
static bool is_within_reach(const tp_contacts *c, int a, int b)
{
    bool a_bounded = isfinite(c->boxes[a].lower.x), b_bounded = isfinite(c->boxes[b].lower.x);
    if (a_bounded && b_bounded) return tp_bounds_near(&c->boxes[a], &c->boxes[b], 0.0);
    return is_near_box(c, a_bounded ? b : a, &c->boxes[a_bounded ? a : b]);
}

static void add_columns(const tp_contacts *c, int shape, tp_near_pair *pair)
{
    int body = shape_at(c, shape)->body;
    if (body == TP_GROUND) return;
    const tp_body *of = TP_LIST_AT(c->system->model->bodies, tp_body, body);
    for (int k = 0; k < of->u_count; k++) pair->column[pair->column_count++] = of->u_first + k;
}

static const tp_solid *solid_of(const tp_contacts *c, int shape)
{
    return &shape_at(c, shape)->solid;
}

static void make_pair(const tp_contacts *c, const tp_pair_key *key, tp_near_pair *pair)
{
    const tp_model *model = c->system->model;
    *pair = (tp_near_pair){.touch = tp_model_touch(model, key->low, key->high), .key = *key};
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, pair->touch.law->element);
    pair->is_planar = pair->touch.law == &rule->in_plane;
    pair->point_count = tp_collide_slot_count(solid_of(c, key->low), solid_of(c, key->high));
    add_columns(c, key->low, pair);
    add_columns(c, key->high, pair);
    tp_sort_ints(pair->column, pair->column_count);
}

static tp_status add_pair(tp_contacts *c, const tp_pair_key *key)
{
    tp_near_pair *pair;
    TP_TRY(take_pair(c, &pair));
    make_pair(c, key, pair);
    return TP_OK;
}

/* Order of pairs: negative, 0 or positive. */
static int compare(const tp_pair_key *a, const tp_pair_key *b)
{
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

static bool has_closed(const tp_contacts *c, const tp_near_pair *pair, const unsigned char *is_closed)
{
    if (c->keeps_all) return true;
    for (int k = 0; k < pair->point_count && is_closed != NULL; k++) {
        if (is_closed[c->system->fixed_count + pair->first + k]) return true;
    }
    return false;
}

static tp_status keep_pair(tp_contacts *c, const tp_near_pair *old)
{
    tp_near_pair *pair;
    const tp_near_pair kept = *old; /* the list that it is in may move */
    TP_TRY(take_pair(c, &pair));
    *pair = kept;
    return TP_OK;
}

/* Old pairs that come before one, as far as a contact of theirs is closed. */
static tp_status keep_until(tp_contacts *c, const unsigned char *is_closed, const tp_pair_key *until,
                            int *old_io)
{
    for (; *old_io < c->before.count; (*old_io)++) {
        const tp_near_pair *pair = &c->before.pairs[*old_io];
        if (until != NULL && compare(until, &pair->key) <= 0) return TP_OK;
        if (has_closed(c, pair, is_closed)) TP_TRY(keep_pair(c, pair));
    }
    return TP_OK;
}

/* A pair that was found, after all old ones that come before it; one that was there is kept as it was. */
static tp_status merge_pair(tp_contacts *c, const unsigned char *is_closed, const tp_pair_key *key,
                            int *old_io)
{
    TP_TRY(keep_until(c, is_closed, key, old_io));
    bool is_old = *old_io < c->before.count && compare(key, &c->before.pairs[*old_io].key) == 0;
    return is_old ? keep_pair(c, &c->before.pairs[(*old_io)++]) : add_pair(c, key);
}

/* The box of a shape with its reach and that of another one, in the other's frame. */
static tp_bounds local_box(const tp_contacts *c, int shape, int other)
{
    const tp_bounds *box = &c->boxes[shape];
    const tp_pose *pose = &c->system->shape_pose[other];
    tp_mat3 R = tp_quat_to_matrix(pose->orientation);
    tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(box->lower, box->upper)),
            at = tp_mat3_apply_transposed(R, tp_vec3_sub(middle, pose->origin)),
            half = tp_vec3_make(half_along(box, R.cx), half_along(box, R.cy), half_along(box, R.cz));
    double reach = c->shapes[other].reach;
    half = tp_vec3_add(half, tp_vec3_make(reach, reach, reach));
    return (tp_bounds){tp_vec3_sub(at, half), tp_vec3_add(at, half)};
}

/* The parts of one shape that another is near to. */
static tp_status merge_parts(tp_contacts *c, const unsigned char *is_closed, tp_pair_key key, int *old_io)
{
    bool is_low = tp_solid_part_count(solid_of(c, key.low)) > 1;
    int whole = is_low ? key.low : key.high, other = is_low ? key.high : key.low;
    tp_bounds box = local_box(c, other, whole);
    int count = tp_solid_near_parts(solid_of(c, whole), &box, c->parts, c->part_capacity);
    if (count > c->part_capacity) {
        int *parts = grown(c, c->parts, 0, 2 * (size_t)count * sizeof *parts);
        if (parts == NULL) return TP_OUT_OF_MEMORY;
        c->parts = parts;
        c->part_capacity = 2 * count;
        count = tp_solid_near_parts(solid_of(c, whole), &box, c->parts, c->part_capacity);
    }
    for (int k = 0; k < count; k++) {
        key.part = c->parts[k];
        TP_TRY(merge_pair(c, is_closed, &key, old_io));
    }
    return TP_OK;
}

/* Pairs within reach and old ones with a closed contact, in order; one after the other. */
static tp_status merge_pairs(tp_contacts *c, const unsigned char *is_closed)
{
    int count, old = 0;
    const tp_space_pair *found = tp_space_pairs(c->space, &count);
    for (int k = 0; k < count; k++) {
        tp_pair_key key = {found[k].a, found[k].b, 0};
        if (!do_balls_meet(c, key.low, key.high) || !is_within_reach(c, key.low, key.high)) continue;
        bool has_parts =
            tp_solid_part_count(solid_of(c, key.low)) > 1 || tp_solid_part_count(solid_of(c, key.high)) > 1;
        TP_TRY(has_parts ? merge_parts(c, is_closed, key, &old) : merge_pair(c, is_closed, &key, &old));
    }
    return keep_until(c, is_closed, NULL, &old);
}

static bool are_same(const pair_list *a, const pair_list *b)
{
    if (a->count != b->count) return false;
    for (int k = 0; k < a->count; k++) {
        if (compare(&a->pairs[k].key, &b->pairs[k].key) != 0) return false;
    }
    return true;
}

/* Numbers of contacts, and those that they had before. */
static tp_status number_contacts(tp_contacts *c)
{
    int count = 0, old = 0;
    for (int k = 0; k < c->now.count; k++) {
        c->now.pairs[k].first = count;
        count += c->now.pairs[k].point_count;
    }
    TP_TRY(take_contacts(c, count));
    for (int k = 0; k < c->now.count; k++) {
        const tp_near_pair *pair = &c->now.pairs[k];
        while (old < c->before.count && compare(&pair->key, &c->before.pairs[old].key) > 0) old++;
        bool is_old = old < c->before.count && compare(&pair->key, &c->before.pairs[old].key) == 0;
        for (int i = 0; i < pair->point_count; i++) {
            c->pair_of[pair->first + i] = k;
            c->old_of[pair->first + i] = is_old ? c->before.pairs[old].first + i : -1;
        }
    }
    c->contact_count = count;
    return TP_OK;
}

/* The list of pairs becomes that of before. */
static void keep_before(tp_contacts *c)
{
    pair_list spare = c->before;
    c->before = c->now;
    c->now = spare;
    c->now.count = 0;
}

/* ---- the same by tasks, where no shape has parts ---- */

typedef struct merging {
    tp_contacts *contacts;
    const unsigned char *is_closed;
    bool is_written; /* else pairs are counted */
} merging;

/* The first pair of before that does not come before a key. */
static int place_before(const tp_contacts *c, const tp_pair_key *key)
{
    int low = 0, high = c->before.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&c->before.pairs[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A pair of before, or a new one. */
static void put_pair(const merging *all, merge_task *task, const tp_pair_key *key, const tp_near_pair *old)
{
    tp_contacts *c = all->contacts;
    if (!all->is_written) {
        int points = old != NULL ? old->point_count
                                 : tp_collide_slot_count(solid_of(c, key->low), solid_of(c, key->high));
        task->points += points;
        task->pairs++;
        task->differs = task->differs || old == NULL;
        return;
    }
    tp_near_pair *pair = &c->now.pairs[task->pairs];
    if (old != NULL)
        *pair = *old;
    else
        make_pair(c, key, pair);
    pair->first = task->points;
    for (int k = 0; k < pair->point_count; k++) {
        c->pair_of[pair->first + k] = task->pairs;
        c->old_of[pair->first + k] = old != NULL ? old->first + k : -1;
    }
    task->pairs++;
    task->points += pair->point_count;
}

/* Those of before up to one, as keep_until. */
static void put_until(const merging *all, merge_task *task, int end, const tp_pair_key *until, int *old_io)
{
    const tp_contacts *c = all->contacts;
    for (; *old_io < end; (*old_io)++) {
        const tp_near_pair *pair = &c->before.pairs[*old_io];
        if (until != NULL && compare(until, &pair->key) <= 0) return;
        if (has_closed(c, pair, all->is_closed))
            put_pair(all, task, &pair->key, pair);
        else
            task->differs = true;
    }
}

/* Which of the space's pairs are within reach. */
static void judge_pairs(const tp_contacts *c, const tp_space_pair *found, int begin, int end,
                        merge_task *task)
{
    for (int k = begin; k < end; k++) {
        int a = found[k].a, b = found[k].b;
        if (do_balls_meet(c, a, b) && is_within_reach(c, a, b)) c->within[begin + task->within++] = k;
    }
}

/* Some of the space's pairs, and those of before that are not before the first one nor the task's end. */
static void merge_some(void *context, int number, int worker)
{
    const merging *all = context;
    tp_contacts *c = all->contacts;
    merge_task *task = &c->tasks[number];
    int count, begin = number * PAIRS_OF_TASK;
    const tp_space_pair *found = tp_space_pairs(c->space, &count);
    int end = count - begin > PAIRS_OF_TASK ? begin + PAIRS_OF_TASK : count, old = 0,
        old_end = c->before.count;
    (void)worker;
    if (begin > 0) old = place_before(c, &(tp_pair_key){found[begin].a, found[begin].b, 0});
    if (end < count) old_end = place_before(c, &(tp_pair_key){found[end].a, found[end].b, 0});
    if (!all->is_written) judge_pairs(c, found, begin, end, task);
    for (int k = 0; k < task->within; k++) {
        const tp_space_pair *near = &found[c->within[begin + k]];
        const tp_pair_key key = {near->a, near->b, 0};
        put_until(all, task, old_end, &key, &old);
        bool is_old = old < old_end && compare(&key, &c->before.pairs[old].key) == 0;
        put_pair(all, task, &key, is_old ? &c->before.pairs[old++] : NULL);
    }
    put_until(all, task, old_end, NULL, &old);
}

/* Room for tasks, and what they count. */
static tp_status count_pairs(merging *all, int tasks)
{
    tp_contacts *c = all->contacts;
    if (tasks > c->task_capacity) {
        int capacity = tasks + tasks / 2 + 4;
        merge_task *more = grown(c, c->tasks, 0, (size_t)capacity * sizeof *more);
        if (more == NULL) return TP_OUT_OF_MEMORY;
        c->tasks = more;
        c->task_capacity = capacity;
    }
    memset(c->tasks, 0, (size_t)tasks * sizeof *c->tasks);
    all->is_written = false;
    tp_pool_run(c->system->pool, tasks, merge_some, all);
    return TP_OK;
}

static void keep_numbers(void *context, int begin, int end)
{
    const tp_contacts *c = context;
    for (int i = begin; i < end; i++) c->old_of[i] = i;
}

/* Room for what is judged of the space's pairs. */
static tp_status take_judgements(tp_contacts *c, int count)
{
    if (count <= c->within_capacity) return TP_OK;
    int capacity = count + count / 2 + 64;
    int *within = grown(c, c->within, 0, (size_t)capacity * sizeof *within);
    if (within == NULL) return TP_OUT_OF_MEMORY;
    c->within = within;
    c->within_capacity = capacity;
    return TP_OK;
}

/* As merge_pairs and number_contacts. Where no pair comes or goes, the list is that of before. */
static tp_status share_pairs(tp_contacts *c, const unsigned char *is_closed, bool *changed_out)
{
    merging all = {.contacts = c, .is_closed = is_closed};
    int count, pairs = 0, points = 0;
    (void)tp_space_pairs(c->space, &count);
    int tasks = count > 0 ? (count + PAIRS_OF_TASK - 1) / PAIRS_OF_TASK : 1;
    TP_TRY(take_judgements(c, count));
    TP_TRY(count_pairs(&all, tasks));
    *changed_out = false;
    for (int k = 0; k < tasks; k++) {
        merge_task *task = &c->tasks[k];
        int own_pairs = task->pairs, own_points = task->points;
        *changed_out = *changed_out || task->differs;
        task->pairs = pairs;
        task->points = points;
        pairs += own_pairs;
        points += own_points;
    }
    if (!*changed_out) {
        pair_list spare = c->now;
        c->now = c->before;
        c->before = spare;
        tp_pool_share(c->system->pool, points, PAIRS_OF_TASK, keep_numbers, c);
        return TP_OK;
    }
    TP_TRY(take_pairs_room(c, pairs));
    TP_TRY(take_contacts(c, points));
    all.is_written = true;
    tp_pool_run(c->system->pool, tasks, merge_some, &all);
    c->now.count = pairs;
    c->contact_count = points;
    return TP_OK;
}

/* The system has the pairs and the contacts that there are now. */
static void adopt(tp_system *system)
{
    tp_contacts *c = system->contacts;
    system->law_count = system->fixed_count + c->contact_count;
    system->pairs = c->now.pairs;
    system->pair_of = c->pair_of;
    system->pair_count = c->now.count;
    system->points_are_known = false;
}

/* One after the other. */
static tp_status list_pairs(tp_contacts *c, const unsigned char *is_closed, bool *changed_out)
{
    TP_TRY(merge_pairs(c, is_closed));
    *changed_out = !are_same(&c->now, &c->before);
    return number_contacts(c);
}

/* The pairs of the present boxes are those of the system. */
static tp_status take_pairs(tp_system *system, const unsigned char *is_closed, bool *changed_out)
{
    tp_contacts *c = system->contacts;
    TP_TRY(tp_space_update(c->space, system->pool, c->boxes));
    keep_before(c);
    tp_status status =
        c->has_parts ? list_pairs(c, is_closed, changed_out) : share_pairs(c, is_closed, changed_out);
    if (*changed_out) system->held_axis = NULL; /* it has the numbers of before */
    if (status == TP_OK)
        adopt(system);
    else
        tp_system_undo_contacts(system);
    return status;
}

tp_status tp_system_find_contacts(tp_system *system, const tp_contact_reach *reach,
                                  const unsigned char *is_closed, bool *changed_out)
{
    tp_contacts *c = system->contacts;
    *changed_out = false;
    if (c == NULL) return TP_OK;
    tp_system_pose_shapes(system);
    find_boxes(c, reach);
    tp_pool_copy(system->pool, c->poses, system->shape_pose,
                 (size_t)system->model->shapes.count * sizeof *c->poses);
    c->has_poses = true;
    return take_pairs(system, is_closed, changed_out);
}

const tp_pose *tp_system_searched_poses(const tp_system *system)
{
    return system->contacts != NULL && system->contacts->has_poses ? system->contacts->poses : NULL;
}

double tp_system_searched_reach(const tp_system *system, int shape)
{
    return system->contacts != NULL ? system->contacts->shapes[shape].reach : 0.0;
}

/* Boxes hold the shapes where they are now as well; false: they did already. */
static bool widen_boxes(tp_contacts *c, double margin)
{
    bool is_wider = false;
    const tp_vec3 by = tp_vec3_make(margin, margin, margin);
    for (int i = 0; i < c->system->model->shapes.count; i++) {
        tp_bounds *box = &c->boxes[i];
        if (!c->shapes[i].has_contact || shape_at(c, i)->body == TP_GROUND) continue;
        tp_bounds now = tp_solid_bounds(&shape_at(c, i)->solid, &c->system->shape_pose[i]), old = *box;
        now.lower = tp_vec3_sub(now.lower, by);
        now.upper = tp_vec3_add(now.upper, by);
        if (!(now.lower.x <= now.upper.x && now.lower.y <= now.upper.y && now.lower.z <= now.upper.z))
            continue; /* not finite */
        tp_vec3 way = tp_vec3_sub(c->system->shape_pose[i].origin, c->poses[i].origin);
        c->shapes[i].ball = fmax(
            c->shapes[i].ball, tp_vec3_norm(way) + tp_solid_bounding_radius(&shape_at(c, i)->solid) + margin);
        box->lower = tp_vec3_make(fmin(old.lower.x, now.lower.x), fmin(old.lower.y, now.lower.y),
                                  fmin(old.lower.z, now.lower.z));
        box->upper = tp_vec3_make(fmax(old.upper.x, now.upper.x), fmax(old.upper.y, now.upper.y),
                                  fmax(old.upper.z, now.upper.z));
        is_wider = is_wider || memcmp(box, &old, sizeof old) != 0 || isinf(now.upper.x);
    }
    return is_wider;
}

tp_status tp_system_find_missed_contacts(tp_system *system, double margin, bool *changed_out)
{
    tp_contacts *c = system->contacts;
    *changed_out = false;
    if (c == NULL) return TP_OK;
    tp_system_pose_shapes(system);
    if (!widen_boxes(c, margin)) return TP_OK;
    c->keeps_all = true;
    tp_status status = take_pairs(system, NULL, changed_out);
    c->keeps_all = false;
    return status;
}

static bool is_pair(const tp_contacts *c, const tp_pair_key *key)
{
    if (key->low < 0 || key->low >= key->high || key->high >= c->system->model->shapes.count) return false;
    int parts = tp_solid_part_count(solid_of(c, key->low)) * tp_solid_part_count(solid_of(c, key->high));
    return key->part >= 0 && key->part < parts &&
           tp_model_touch(c->system->model, key->low, key->high).law != NULL;
}

tp_status tp_system_set_contacts(tp_system *system, int count, const tp_pair_key *keys)
{
    tp_contacts *c = system->contacts;
    if (c == NULL) return count == 0 ? TP_OK : TP_INVALID_DATA;
    for (int k = 0; k < count; k++) {
        if (!is_pair(c, &keys[k]) || (k > 0 && compare(&keys[k - 1], &keys[k]) >= 0)) return TP_INVALID_DATA;
    }
    keep_before(c);
    system->held_axis = NULL;
    tp_status status = TP_OK;
    for (int k = 0; k < count && status == TP_OK; k++) status = add_pair(c, &keys[k]);
    if (status == TP_OK) status = number_contacts(c);
    if (status == TP_OK)
        adopt(system);
    else
        tp_system_undo_contacts(system);
    return status;
}

void tp_system_undo_contacts(tp_system *system)
{
    tp_contacts *c = system->contacts;
    pair_list last = c->now;
    c->now = c->before;
    c->before = last;
    system->held_axis = NULL;
    (void)number_contacts(c); /* there was room for them */
    adopt(system);
}

int tp_system_old_law(const tp_system *system, int law)
{
    int contact = law - system->fixed_count;
    if (contact < 0) return law;
    int old = system->contacts->old_of[contact];
    return old >= 0 ? system->fixed_count + old : -1;
}

int tp_system_slot(const tp_system *system, int law)
{
    return law - system->fixed_count - tp_system_pair(system, law)->first;
}

int tp_system_feature(const tp_system *system, int law)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    return pair->key.part * pair->point_count + tp_system_slot(system, law);
}

void tp_system_law_name(const tp_system *system, int law, char *name_out, size_t capacity)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    if (pair != NULL) {
        tp_model_contact_name(system->model, &pair->touch, tp_system_feature(system, law), name_out,
                              capacity);
        return;
    }
    const char *name = tp_system_law(system, law)->name;
    size_t length = strlen(name) < capacity ? strlen(name) : capacity - 1;
    memcpy(name_out, name, length);
    name_out[length] = '\0';
}
