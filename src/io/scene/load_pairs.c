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
    shape_set *sets;
    int set_count, shape_count; /* shapes of all sets */
    exclusion *exclusions;
    int exclusion_count;
    int *group; /* [shapes of the model] the set of a shape, -1: none */
    missing_pairs missing;
} pair_maker;

/* ---- names --------------------------------------------------------------------------------------------- */

/* Bodies, then shapes. */
static const char *name_at(const tp_model *model, int k)
{
    int bodies = tp_model_body_count(model);
    return k < bodies ? tp_model_body_name(model, k) : tp_model_shape_at(model, k - bodies).name;
}

/* Those of `count` shapes that may touch. */
static tp_status take_shapes(tp_loader *loader, const tp_node *node, int first, int count, shape_set *set_out)
{
    *set_out = (shape_set){.node = node, .shapes = TP_ARENA_ARRAY(loader->work, int, count + 1)};
    if (!set_out->shapes) return tp_load_no_memory(loader);
    for (int k = first; k < first + count; k++) {
        if (!tp_model_shape_at(loader->model, k).is_passive) set_out->shapes[set_out->count++] = k;
    }
    return TP_OK;
}

/* The shapes of a body (-1: the ground); there may be none. */
static tp_status shapes_of_body(tp_loader *loader, const tp_node *node, int body, shape_set *set_out)
{
    return take_shapes(loader, node, loader->first_shape[body + 1], loader->shape_count[body + 1], set_out);
}

/* The shapes of a body that may touch, or one shape. */
static tp_status find_shapes(tp_loader *loader, const tp_node *node, shape_set *set_out)
{
    int body = tp_model_find_body(loader->model, node->text);
    int first = body > -2 ? 0 : tp_name_index_find(&loader->shape_names, node->text);
    int count = body > -2 ? loader->shape_count[body + 1] : first >= 0;
    TP_TRY(body > -2 ? shapes_of_body(loader, node, body, set_out)
                     : take_shapes(loader, node, first, count, set_out));
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

static bool has_shape(const shape_set *set, int shape)
{
    for (int k = 0; k < set->count; k++) {
        if (set->shapes[k] == shape) return true;
    }
    return false;
}

static bool is_excluded(const pair_maker *maker, int a, int b)
{
    for (int k = 0; k < maker->exclusion_count; k++) {
        const exclusion *item = &maker->exclusions[k];
        if ((has_shape(&item->first, a) && has_shape(&item->second, b)) ||
            (has_shape(&item->first, b) && has_shape(&item->second, a)))
            return true;
    }
    return false;
}

/* Whether two shapes are of two sets and of two bodies, one of which moves. */
static bool may_touch(const pair_maker *maker, int i, int j)
{
    const tp_model *model = maker->loader->model;
    if (maker->group[i] < 0 || maker->group[j] < 0 || maker->group[i] == maker->group[j]) return false;
    tp_shape_def a = tp_model_shape_at(model, i), b = tp_model_shape_at(model, j);
    return strcmp(a.body, b.body) != 0 && (can_move(model, a.body) || can_move(model, b.body));
}

/* Nothing is missed between two points: they never meet. */
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

/* The shapes of a kind, of all sets. */
static int shapes_of_kind(const pair_maker *maker, tp_solid_kind kind, int *shapes_out)
{
    int count = 0;
    for (int s = 0; s < maker->set_count; s++) {
        for (int k = 0; k < maker->sets[s].count; k++) {
            int shape = maker->sets[s].shapes[k];
            if (tp_model_shape_at(maker->loader->model, shape).solid.kind == kind)
                shapes_out[count++] = shape;
        }
    }
    return count;
}

/* Pairs for which there are no contact points, found by their kinds: there are few kinds. */
static tp_status find_missing(pair_maker *maker)
{
    const tp_model *model = maker->loader->model;
    int *first = TP_ARENA_ARRAY(maker->loader->work, int, 2 * maker->shape_count + 1),
        *second = first + maker->shape_count;
    if (!first) return tp_load_no_memory(maker->loader);
    for (int a = 0; a < TP_SOLID_KIND_COUNT; a++) {
        int first_count = shapes_of_kind(maker, (tp_solid_kind)a, first);
        for (int b = a; b < TP_SOLID_KIND_COUNT && first_count > 0; b++) {
            bool has_points = tp_collide_check((tp_solid_kind)a, (tp_solid_kind)b, NULL) == TP_OK,
                 are_points = a == TP_SOLID_POINT && b == TP_SOLID_POINT;
            int second_count = has_points || are_points ? 0 : shapes_of_kind(maker, (tp_solid_kind)b, second);
            for (int i = 0; i < first_count; i++) {
                for (int j = a == b ? i + 1 : 0; j < second_count; j++) {
                    if (!may_touch(maker, first[i], second[j]) || is_excluded(maker, first[i], second[j]))
                        continue;
                    bool ascends = maker->group[first[i]] < maker->group[second[j]];
                    tp_shape_def one = tp_model_shape_at(model, ascends ? first[i] : second[j]),
                                 other = tp_model_shape_at(model, ascends ? second[j] : first[i]);
                    note_missing(&maker->missing, &one, &other);
                }
            }
        }
    }
    return TP_OK;
}

/* Is there a pair that can touch? Among many shapes the first ones tell. */
static bool has_pair(const pair_maker *maker)
{
    const tp_model *model = maker->loader->model;
    for (int s = 0; s < maker->set_count; s++) {
        for (int t = s + 1; t < maker->set_count; t++) {
            for (int k = 0; k < maker->sets[s].count * maker->sets[t].count; k++) {
                int a = maker->sets[s].shapes[k / maker->sets[t].count],
                    b = maker->sets[t].shapes[k % maker->sets[t].count];
                bool has_points = tp_collide_check(tp_model_shape_at(model, a).solid.kind,
                                                   tp_model_shape_at(model, b).solid.kind, NULL) == TP_OK;
                if (has_points && may_touch(maker, a, b) && !is_excluded(maker, a, b)) return true;
            }
        }
    }
    return false;
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

/* among: all. */
static bool is_all(const tp_node *list)
{
    return list->kind == TP_NODE_SCALAR && strcmp(list->text, "all") == 0;
}

static tp_status check_list(tp_loader *loader, const tp_node *list)
{
    if (is_all(list)) return TP_OK;
    if (list->kind == TP_NODE_SCALAR) {
        return tp_node_fail(list, loader->why, "found '%s'; write a list of bodies or shapes, or all",
                            tp_excerpt_of(list->text).text);
    }
    if (list->count < 2) {
        return tp_node_fail(list, loader->why, "found %d; name at least two bodies or shapes", list->count);
    }
    tp_name_index names = {.count = 0};
    for (const tp_node *item = list->first; item; item = item->next) {
        if (tp_name_index_find(&names, item->text) >= 0) {
            return tp_node_fail(item, loader->why, "'%s' is named twice", tp_excerpt_of(item->text).text);
        }
        if (tp_name_index_add(loader->work, &names, item->text, 1) != TP_OK) {
            return tp_load_no_memory(loader);
        }
    }
    return TP_OK;
}

/* Bodies that a joint connects; where one of them has no shapes there is nothing to exclude. */
static tp_status exclude_joined(pair_maker *maker)
{
    tp_loader *loader = maker->loader;
    int bodies[2];
    for (int j = 0; tp_model_joint_bodies(loader->model, j, bodies); j++) {
        exclusion *item = &maker->exclusions[maker->exclusion_count++];
        *item = (exclusion){.node = NULL};
        TP_TRY(shapes_of_body(loader, NULL, bodies[0], &item->first));
        TP_TRY(shapes_of_body(loader, NULL, bodies[1], &item->second));
    }
    return TP_OK;
}

static tp_status load_exclusions(pair_maker *maker, bool excludes_joined)
{
    const tp_node *list = tp_map_get(maker->item, "exclude");
    int joints = excludes_joined ? tp_model_joint_count(maker->loader->model) : 0;
    maker->exclusions = TP_ARENA_ARRAY(maker->loader->work, exclusion, (list ? list->count : 0) + joints + 1);
    if (!maker->exclusions) return tp_load_no_memory(maker->loader);
    if (joints > 0) TP_TRY(exclude_joined(maker));
    for (const tp_node *row = list ? list->first : NULL; row; row = row->next) {
        exclusion *item = &maker->exclusions[maker->exclusion_count++];
        *item = (exclusion){.node = row};
        TP_TRY(find_shapes(maker->loader, row->first, &item->first));
        TP_TRY(find_shapes(maker->loader, row->first->next, &item->second));
    }
    return TP_OK;
}

static bool is_of_use(const pair_maker *maker, const exclusion *item)
{
    for (int i = 0; i < item->first.count; i++) {
        for (int j = 0; j < item->second.count; j++) {
            if (may_touch(maker, item->first.shapes[i], item->second.shapes[j])) return true;
        }
    }
    return false;
}

/* An exclusion of nothing is a mistake. */
static tp_status check_exclusions(const pair_maker *maker)
{
    for (int k = 0; k < maker->exclusion_count; k++) {
        const exclusion *item = &maker->exclusions[k];
        if (!item->node || is_of_use(maker, item)) continue; /* joints say nothing of contacts */
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

/* All shapes with the number of their set; of a shape that is named twice, as itself and by its body, the
   first counts. */
static tp_status list_members(pair_maker *maker, const tp_node *list, tp_rule_def *def)
{
    tp_loader *loader = maker->loader;
    int all = tp_model_shape_count(loader->model), bodies = tp_model_body_count(loader->model);
    maker->sets = TP_ARENA_ARRAY(loader->work, shape_set, is_all(list) ? bodies + 1 : list->count);
    maker->group = TP_ARENA_ARRAY(loader->work, int, all + 1);
    if (!maker->sets || !maker->group) return tp_load_no_memory(loader);
    for (int i = 0; i < all; i++) maker->group[i] = -1;
    for (int body = -1; body < bodies && is_all(list); body++) {
        TP_TRY(shapes_of_body(loader, list, body, &maker->sets[maker->set_count]));
        if (maker->sets[maker->set_count].count > 0) maker->set_count++;
    }
    for (const tp_node *name = is_all(list) ? NULL : list->first; name; name = name->next)
        TP_TRY(find_shapes(loader, name, &maker->sets[maker->set_count++]));
    if (maker->set_count < 2)
        return tp_node_fail(list, loader->why,
                            "only %d of the ground and the bodies has shapes; add some to others",
                            maker->set_count);
    for (int s = 0; s < maker->set_count; s++) maker->shape_count += maker->sets[s].count;
    int *shapes = TP_ARENA_ARRAY(loader->work, int, maker->shape_count + 1),
        *groups = TP_ARENA_ARRAY(loader->work, int, maker->shape_count + 1);
    if (!shapes || !groups) return tp_load_no_memory(loader);
    def->shapes = shapes;
    def->groups = groups;
    for (int s = 0; s < maker->set_count; s++) {
        for (int k = 0; k < maker->sets[s].count; k++) {
            int shape = maker->sets[s].shapes[k];
            if (maker->group[shape] >= 0) continue;
            maker->group[shape] = s;
            shapes[def->shape_count] = shape;
            groups[def->shape_count++] = s;
        }
    }
    return TP_OK;
}

/* All pairs of the exclusions. */
static tp_status list_exclusions(const pair_maker *maker, tp_rule_def *def)
{
    int count = 0;
    for (int k = 0; k < maker->exclusion_count; k++)
        count += maker->exclusions[k].first.count * maker->exclusions[k].second.count;
    tp_shape_pair *excluded = TP_ARENA_ARRAY(maker->loader->work, tp_shape_pair, count + 1);
    if (!excluded) return tp_load_no_memory(maker->loader);
    def->excluded = excluded;
    for (int k = 0; k < maker->exclusion_count; k++) {
        const exclusion *item = &maker->exclusions[k];
        for (int i = 0; i < item->first.count; i++) {
            for (int j = 0; j < item->second.count; j++)
                excluded[def->exclusion_count++] =
                    (tp_shape_pair){item->first.shapes[i], item->second.shapes[j]};
        }
    }
    return TP_OK;
}

tp_status tp_load_pairs(tp_loader *loader, const tp_node *item, const tp_node *list, const tp_pair_def *def,
                        bool excludes_joined)
{
    pair_maker maker = {.loader = loader, .item = item};
    tp_rule_def rule = {.law = *def};
    TP_TRY(check_list(loader, list));
    TP_TRY(list_members(&maker, list, &rule));
    TP_TRY(load_exclusions(&maker, excludes_joined));
    TP_TRY(check_exclusions(&maker));
    TP_TRY(find_missing(&maker));
    if (!has_pair(&maker)) return no_pairs(&maker, list);
    if (maker.missing.count > 0) return refuse_missing(&maker, list);
    TP_TRY(list_exclusions(&maker, &rule));
    return tp_load_told(loader, tp_model_add_rule(loader->model, &rule, NULL, &loader->told));
}
