/* Contacts between shapes: which pairs a contact of the scene stands for. */
#include <stdio.h>
#include <string.h>

#include "io/scene/loader.h"

/* The shapes that one name stands for. */
typedef struct shape_set {
    const tp_node *node;
    int *shapes;
    int count;
} shape_set;

/* Two names whose shapes do not touch each other. */
typedef struct exclusion {
    const tp_node *node;
    shape_set first, second;
    bool is_used; /* a pair of the contact is one of it */
} exclusion;

/* Pairs of kinds that have no contact points, by name; those for which there is no room are counted. */
typedef struct missing_pairs {
    int count, named;
    char names[600];
} missing_pairs;

/* All of one contact. */
typedef struct pair_maker {
    tp_loader *loader;
    const tp_node *item;
    const tp_pair_def *def; /* the law; names are set for each pair */
    shape_set *sets;
    int set_count;
    exclusion *exclusions;
    int exclusion_count;
    int pair_count;
    bool is_adding; /* else counting */
    missing_pairs missing;
} pair_maker;

/* ---- names --------------------------------------------------------------------------------------------- */

/* Bodies, then shapes. */
static const char *name_at(const tp_model *model, int k)
{
    int bodies = tp_model_body_count(model);
    return k < bodies ? tp_model_body_name(model, k) : tp_model_shape_at(model, k - bodies).name;
}

/* The shapes of a body that may touch, or one shape. */
static tp_status find_shapes(tp_loader *loader, const tp_node *node, shape_set *set_out)
{
    int body = tp_model_find_body(loader->model, node->text), owner = body + 1;
    int first = body > -2 ? loader->first_shape[owner] : tp_name_index_find(&loader->shape_names, node->text);
    int count = body > -2 ? loader->shape_count[owner] : first >= 0;
    *set_out = (shape_set){.node = node, .shapes = TP_ARENA_ARRAY(loader->arena, int, count + 1)};
    if (!set_out->shapes) return tp_load_no_memory(loader);
    for (int k = first; k < first + count; k++) {
        if (!tp_model_shape_at(loader->model, k).is_passive) set_out->shapes[set_out->count++] = k;
    }
    if (set_out->count > 0) return TP_OK;
    if (body > -2) {
        return tp_node_fail(node, loader->why, "'%s' has no shapes%s; what has none cannot touch anything",
                            tp_excerpt_of(node->text).text,
                            count > 0 ? " but those with contact: false" : "");
    }
    if (first < 0) {
        return tp_load_unknown(loader, node, "body or shape", name_at, "ground",
                               "; name a body, one of its shapes, or ground");
    }
    return tp_node_fail(node, loader->why, "shape '%s' says contact: false; remove that, or this name",
                        tp_excerpt_of(node->text).text);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static bool can_move(const tp_model *model, const char *body)
{
    return tp_model_body_kind(model, tp_model_find_body(model, body)) != TP_BODY_MOVING;
}

/* The body's name where that says which shape it is. */
static const char *short_name(const tp_loader *loader, const tp_shape_def *shape)
{
    int owner = 1 + tp_model_find_body(loader->model, shape->body);
    return loader->shape_count[owner] == 1 ? shape->body : shape->name;
}

static tp_status add_pair(const pair_maker *maker, const tp_shape_def *a, const tp_shape_def *b)
{
    const tp_loader *loader = maker->loader;
    tp_pair_def def = *maker->def;
    char name[700];
    def.shape_a = a->name;
    def.shape_b = b->name;
    if (maker->pair_count > 1) {
        snprintf(name, sizeof name, "%.200s.%.200s.%.200s", maker->def->name, short_name(loader, a),
                 short_name(loader, b));
        def.name = name;
    }
    return tp_load_told(maker->loader,
                        tp_model_add_pair(maker->loader->model, &def, NULL, &maker->loader->told));
}

static bool has_shape(const shape_set *set, int shape)
{
    for (int k = 0; k < set->count; k++) {
        if (set->shapes[k] == shape) return true;
    }
    return false;
}

static bool is_excluded(pair_maker *maker, int a, int b)
{
    bool found = false;
    for (int k = 0; k < maker->exclusion_count; k++) {
        exclusion *item = &maker->exclusions[k];
        bool is_one = (has_shape(&item->first, a) && has_shape(&item->second, b)) ||
                      (has_shape(&item->first, b) && has_shape(&item->second, a));
        item->is_used = item->is_used || is_one;
        found = found || is_one;
    }
    return found;
}

/* Of two points nothing is missed: they never meet. */
static void note_missing(missing_pairs *missing, const tp_shape_def *a, const tp_shape_def *b)
{
    if (a->solid.kind == TP_SOLID_POINT && b->solid.kind == TP_SOLID_POINT) return;
    char name[260];
    size_t length = strlen(missing->names), room = sizeof missing->names - length;
    int written =
        snprintf(name, sizeof name, "%s'%.60s' (%s) and '%.60s' (%s)", missing->count > 0 ? ", " : "",
                 a->name, tp_solid_kind_name(a->solid.kind), b->name, tp_solid_kind_name(b->solid.kind));
    bool fits = missing->named == missing->count && (size_t)written < room;
    missing->count++;
    if (!fits) return;
    memcpy(missing->names + length, name, (size_t)written + 1);
    missing->named++;
}

/* All that can touch, of two names. */
static tp_status pairs_of(pair_maker *maker, const shape_set *first, const shape_set *second, int *count_io)
{
    const tp_model *model = maker->loader->model;
    for (int i = 0; i < first->count; i++) {
        for (int j = 0; j < second->count; j++) {
            tp_shape_def a = tp_model_shape_at(model, first->shapes[i]),
                         b = tp_model_shape_at(model, second->shapes[j]);
            bool may_touch = strcmp(a.body, b.body) != 0 &&
                             (can_move(model, a.body) || can_move(model, b.body)) &&
                             !is_excluded(maker, first->shapes[i], second->shapes[j]);
            if (!may_touch) continue;
            if (tp_collide_slot_count(&a.solid, &b.solid) == 0) {
                if (!maker->is_adding) note_missing(&maker->missing, &a, &b);
                continue;
            }
            if (++*count_io > TP_SCENE_PAIRS_MAX) {
                return tp_node_fail(maker->item, maker->loader->why,
                                    "stands for more than %d pairs of shapes; name fewer of them",
                                    TP_SCENE_PAIRS_MAX);
            }
            if (maker->is_adding) TP_TRY(add_pair(maker, &a, &b));
        }
    }
    return TP_OK;
}

static tp_status visit_pairs(pair_maker *maker, int *count_out)
{
    *count_out = 0;
    for (int i = 0; i < maker->set_count; i++) {
        for (int j = i + 1; j < maker->set_count; j++) {
            TP_TRY(pairs_of(maker, &maker->sets[i], &maker->sets[j], count_out));
        }
    }
    return TP_OK;
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static tp_status check_list(tp_loader *loader, const tp_node *list)
{
    if (list->count < 2) {
        return tp_node_fail(list, loader->why, "found %d; name at least two bodies or shapes", list->count);
    }
    tp_name_index names = {.count = 0};
    for (const tp_node *item = list->first; item; item = item->next) {
        if (tp_name_index_find(&names, item->text) >= 0) {
            return tp_node_fail(item, loader->why, "'%s' is named twice", tp_excerpt_of(item->text).text);
        }
        if (tp_name_index_add(loader->arena, &names, item->text, 1) != TP_OK) {
            return tp_load_no_memory(loader);
        }
    }
    return TP_OK;
}

static tp_status load_exclusions(pair_maker *maker)
{
    const tp_node *list = tp_map_get(maker->item, "exclude");
    if (!list) return TP_OK;
    maker->exclusions = TP_ARENA_ARRAY(maker->loader->arena, exclusion, list->count);
    if (!maker->exclusions) return tp_load_no_memory(maker->loader);
    for (const tp_node *row = list->first; row; row = row->next) {
        exclusion *item = &maker->exclusions[maker->exclusion_count++];
        *item = (exclusion){.node = row};
        TP_TRY(find_shapes(maker->loader, row->first, &item->first));
        TP_TRY(find_shapes(maker->loader, row->first->next, &item->second));
    }
    return TP_OK;
}

/* An exclusion of nothing is a mistake. */
static tp_status check_exclusions(const pair_maker *maker)
{
    for (int k = 0; k < maker->exclusion_count; k++) {
        const exclusion *item = &maker->exclusions[k];
        if (item->is_used) continue;
        return tp_node_fail(
            item->node, maker->loader->why, "excludes nothing: '%s' and '%s' are not a pair of this contact",
            tp_excerpt_of(item->first.node->text).text, tp_excerpt_of(item->second.node->text).text);
    }
    return TP_OK;
}

static tp_status refuse_missing(const pair_maker *maker, const tp_node *list)
{
    const missing_pairs *missing = &maker->missing;
    char rest[32] = "";
    if (missing->named < missing->count)
        snprintf(rest, sizeof rest, " and %d more", missing->count - missing->named);
    return tp_node_fail(list, maker->loader->why,
                        "there is no contact between %s%s: they would pass through each other; write other "
                        "shapes, or name the pair%s in exclude",
                        missing->names, rest, missing->count > 1 ? "s" : "");
}

/* Why there is no pair at all: of two shapes the reason can be told. */
static tp_status no_pairs(const pair_maker *maker, const tp_node *list)
{
    const tp_model *model = maker->loader->model;
    tp_shape_def a = tp_model_shape_at(model, maker->sets[0].shapes[0]),
                 b = tp_model_shape_at(model, maker->sets[1].shapes[0]);
    tp_message why = {""};
    if (strcmp(a.body, b.body) == 0) {
        return tp_node_fail(list, maker->loader->why, "both shapes belong to '%s'",
                            tp_excerpt_of(a.body).text);
    }
    if (!can_move(model, a.body) && !can_move(model, b.body)) {
        return tp_node_fail(list, maker->loader->why, "neither '%s' nor '%s' can move freely",
                            tp_excerpt_of(a.body).text, tp_excerpt_of(b.body).text);
    }
    if (maker->exclusion_count > 0 && maker->missing.count == 0)
        return tp_node_fail(list, maker->loader->why, "all pairs of this are excluded");
    (void)tp_collide_check(a.solid.kind, b.solid.kind, &why);
    return tp_node_fail(list, maker->loader->why, "nothing of this can touch: %.500s", why.text);
}

tp_status tp_load_pairs(tp_loader *loader, const tp_node *item, const tp_node *list, const tp_pair_def *def)
{
    pair_maker maker = {.loader = loader, .item = item, .def = def};
    int count;
    TP_TRY(check_list(loader, list));
    maker.sets = TP_ARENA_ARRAY(loader->arena, shape_set, list->count);
    if (!maker.sets) return tp_load_no_memory(loader);
    for (const tp_node *name = list->first; name; name = name->next) {
        TP_TRY(find_shapes(loader, name, &maker.sets[maker.set_count++]));
    }
    TP_TRY(load_exclusions(&maker));
    TP_TRY(visit_pairs(&maker, &maker.pair_count));
    TP_TRY(check_exclusions(&maker));
    if (maker.pair_count == 0) return no_pairs(&maker, list);
    if (maker.missing.count > 0) return refuse_missing(&maker, list);
    maker.is_adding = true;
    return visit_pairs(&maker, &count);
}
