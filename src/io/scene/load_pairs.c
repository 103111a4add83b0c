/* Contacts between shapes: which pairs a contact of the scene stands for. */
#include <stdio.h>
#include <string.h>

#include "io/scene/load.h"
#include "io/scene/near.h"

/* The shapes that one name stands for. */
typedef struct shape_set {
    const tp_node *node;
    int *shapes;
    int count;
} shape_set;

/* All of one contact. */
typedef struct pair_maker {
    tp_loader *loader;
    const tp_node *item;
    const tp_pair_def *def; /* the law; names are set for each pair */
    shape_set *sets;
    int set_count;
    int pair_count;
    bool is_adding; /* else counting */
} pair_maker;

/* ---- names --------------------------------------------------------------------------------------------- */

static tp_status no_such_shape(tp_loader *loader, const tp_node *node)
{
    const tp_model *model = loader->model;
    tp_near near = tp_near_begin(node->text);
    tp_near_offer(&near, "ground");
    for (int k = 0; k < tp_model_body_count(model); k++) tp_near_offer(&near, tp_model_body_name(model, k));
    for (int k = 0; k < tp_model_shape_count(model); k++)
        tp_near_offer(&near, tp_model_shape_at(model, k).name);
    return tp_node_fail(node, loader->why, "there is no body or shape '%s'%s", tp_excerpt_of(node->text).text,
                        near.best ? tp_near_hint_of(&near).text
                                  : "; name a body, one of its shapes, or ground");
}

static tp_status find_shapes(tp_loader *loader, const tp_node *node, shape_set *set_out)
{
    const tp_model *model = loader->model;
    bool is_body = tp_model_find_body(model, node->text) > -2;
    *set_out = (shape_set){.node = node};
    set_out->shapes = TP_ARENA_ARRAY(loader->arena, int, tp_model_shape_count(model) + 1);
    if (!set_out->shapes) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a contact");
    for (int k = 0; k < tp_model_shape_count(model); k++) {
        tp_shape_def shape = tp_model_shape_at(model, k);
        if (strcmp(is_body ? shape.body : shape.name, node->text) == 0) set_out->shapes[set_out->count++] = k;
    }
    if (set_out->count > 0) return TP_OK;
    if (!is_body) return no_such_shape(loader, node);
    return tp_node_fail(node, loader->why, "'%s' has no shapes; what has none cannot touch anything",
                        tp_excerpt_of(node->text).text);
}

/* ---- pairs --------------------------------------------------------------------------------------------- */

static bool can_move(const tp_model *model, const char *body)
{
    return tp_model_body_kind(model, tp_model_find_body(model, body)) != TP_BODY_MOVING;
}

/* The body's name where that says which shape it is. */
static const char *short_name(const tp_model *model, const tp_shape_def *shape)
{
    int count = 0;
    for (int k = 0; k < tp_model_shape_count(model); k++) {
        count += strcmp(tp_model_shape_at(model, k).body, shape->body) == 0;
    }
    return count == 1 ? shape->body : shape->name;
}

static tp_status add_pair(const pair_maker *maker, const tp_shape_def *a, const tp_shape_def *b)
{
    const tp_model *model = maker->loader->model;
    tp_pair_def def = *maker->def;
    char name[700];
    def.shape_a = a->name;
    def.shape_b = b->name;
    if (maker->pair_count > 1) {
        snprintf(name, sizeof name, "%.200s.%.200s.%.200s", maker->def->name, short_name(model, a),
                 short_name(model, b));
        def.name = name;
    }
    return tp_load_told(maker->loader, tp_model_add_pair(maker->loader->model, &def));
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
                             tp_collide_slots(a.solid.kind, b.solid.kind) > 0;
            if (!may_touch) continue;
            if (++*count_io > TP_SCENE_ENTRIES_MAX) {
                return tp_node_fail(maker->item, maker->loader->why,
                                    "stands for more than %d pairs of shapes; name fewer of them",
                                    TP_SCENE_ENTRIES_MAX);
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
    for (const tp_node *item = list->first; item; item = item->next) {
        for (const tp_node *other = list->first; other != item; other = other->next) {
            if (strcmp(item->text, other->text) != 0) continue;
            return tp_node_fail(item, loader->why, "'%s' is named twice", tp_excerpt_of(item->text).text);
        }
    }
    return TP_OK;
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
    (void)tp_collide_check(a.solid.kind, b.solid.kind, &why);
    return tp_node_fail(list, maker->loader->why, "nothing of this can touch: %.500s", why.text);
}

tp_status tp_load_pairs(tp_loader *loader, const tp_node *item, const tp_node *list, const tp_pair_def *def)
{
    pair_maker maker = {.loader = loader, .item = item, .def = def};
    int count;
    TP_TRY(check_list(loader, list));
    maker.sets = TP_ARENA_ARRAY(loader->arena, shape_set, list->count);
    if (!maker.sets) return tp_fail(loader->why, TP_OUT_OF_MEMORY, "no memory for a contact");
    for (const tp_node *name = list->first; name; name = name->next) {
        TP_TRY(find_shapes(loader, name, &maker.sets[maker.set_count++]));
    }
    TP_TRY(visit_pairs(&maker, &maker.pair_count));
    if (maker.pair_count == 0) return no_pairs(&maker, list);
    maker.is_adding = true;
    return visit_pairs(&maker, &count);
}
