/* Repeated entries: a template is copied for all values of its counters. The tables of keys tell formulas, in
   which counters are names like others, from texts, in which they stand in braces. */
#include "io/scene/repeat.h"

#include <string.h>

#include "io/scene/random.h"
#include "io/scene/rows.h"
#include "io/scene/scene_tables.h"

/* ---- keys ---------------------------------------------------------------------------------------------- */

TP_WORDS(rotations, TP_WORD("uniform", 0))

static const tp_key random_keys[] = {
    ROW("uniform", TP_VALUE_QUANTITY, .load = NULL,
        "a number from the first to below the second, all equally likely; or", .form = TP_FORM_LIST,
        .count = 2),
    ROW("normal", TP_VALUE_QUANTITY, .load = NULL, "a normal number of this mean and standard deviation; or",
        .form = TP_FORM_LIST, .count = 2),
    ROW("choose", TP_VALUE_QUANTITY, .load = NULL, "one of these values; or", .form = TP_FORM_LIST),
    ROW("weights", TP_VALUE_QUANTITY, .load = NULL,
        "with choose: how likely each of them is, in proportion; left out: equally", .form = TP_FORM_LIST,
        .flags = TP_KEY_NOT_NEGATIVE),
    ROW("rotation", TP_VALUE_CHOICE, .load = NULL,
        "four numbers of a quaternion, all rotations equally likely; for `orientation`", .words = rotations),
};
const tp_key_table tp_random_keys = TABLE(
    "random", random_keys,
    "A random value of `let`, one of the following. It depends on the seed, on the counters and on its name "
    "alone, and is the same on every machine.");

static const tp_key repeat_keys[] = {
    ROW("repeat", TP_VALUE_ANY, .load = NULL,
        "counters, the last one fastest: `{i: n}` from 0 to n - 1, `{i: [a, b]}` from a to b, `{i: [a, b, "
        "step]}`; formulas of parameters and of the counters before",
        .form = TP_FORM_NAMED),
    ROW("let", TP_VALUE_ANY, .load = NULL,
        "further names for values: formulas, or random ones as {uniform: [a, b]} ([random](#random)); each "
        "may use those before it",
        .form = TP_FORM_NAMED),
    ROW("seed", TP_VALUE_QUANTITY, .load = NULL,
        "of random values, a whole number; left out within another repeat: that one's", .default_text = "1"),
    ROW("when", TP_VALUE_FORMULA, .load = NULL,
        "condition: where it does not hold there is no entry, `when: \"i > 0\"`; also without repeat"),
    ROW("each", TP_VALUE_ANY, .load = NULL,
        "instead of one entry with its keys: several entries, or entries that are not maps",
        .form = TP_FORM_LIST),
};
const tp_key_table tp_repeat_keys =
    TABLE("repeat", repeat_keys,
          "Keys that an entry of any list may have besides its own: it then stands for several entries "
          "([guide/repeat.md](guide/repeat.md)).\nIn formulas counters are names like others; in texts and "
          "in names they "
          "stand in braces: `\"link{i + 1}\"`.");

static bool is_repeat_key(const char *name)
{
    return tp_keys_find(&tp_repeat_keys, NULL, name) != NULL;
}

static bool is_repeat(const tp_node *item)
{
    if (item->kind != TP_NODE_MAP) return false;
    for (const tp_node *entry = item->first; entry; entry = entry->next) {
        if (strcmp(entry->key, "seed") != 0 && is_repeat_key(entry->key)) return true;
    }
    return false;
}

bool tp_repeat_is_in(const tp_node *node)
{
    for (const tp_node *child = node->first; child; child = child->next) {
        if ((node->kind == TP_NODE_LIST && is_repeat(child)) || tp_repeat_is_in(child)) return true;
    }
    return false;
}

/* ---- copies -------------------------------------------------------------------------------------------- */

static tp_status repeat_entry(tp_scope *scope, const tp_node *entry, const tp_key *key, tp_node *list);

static bool is_formula(const tp_key *key)
{
    if (!key) return false;
    return key->kind == TP_VALUE_FORMULA || key->kind == TP_VALUE_QUANTITY || key->kind == TP_VALUE_NUMBER ||
           key->kind == TP_VALUE_INTEGER;
}

/* The key of an entry of a map that is itself the value of `key`; NULL: unknown. */
static const tp_key *key_of(const tp_key *key, const tp_node *map, const tp_node *entry)
{
    if (!key || key->kind != TP_VALUE_MAP) return key; /* names of the author's own */
    const tp_key *found = tp_keys_find(key->table, map, entry->key);
    return found ? tp_key_for(found, entry) : NULL;
}

static tp_status new_copy(tp_scope *scope, const tp_node *node, tp_node *parent, tp_node **copy_out)
{
    if (scope->tree->node_count >= TP_TREE_NODES_MAX)
        return tp_scope_fail(scope, node, "repeats make more than %d values; make their counts smaller",
                             TP_TREE_NODES_MAX);
    if (parent->kind == TP_NODE_LIST && parent->count >= TP_SCENE_ENTRIES_MAX)
        return tp_scope_fail(scope, node, "repeats make more than %d entries; make their counts smaller",
                             TP_SCENE_ENTRIES_MAX);
    tp_node *copy = tp_tree_new_node(scope->tree, node->kind, node->place);
    if (!copy) return tp_scope_no_memory(scope);
    copy->is_quoted = node->is_quoted;
    copy->text = node->text;
    copy->text_place = node->text_place;
    copy->key = node->key;
    copy->key_place = node->key_place;
    tp_node_append(parent, copy);
    *copy_out = copy;
    return TP_OK;
}

static tp_status copy_closed(tp_scope *scope, const tp_node *node, tp_node *parent)
{
    tp_node *copy = NULL;
    TP_TRY(new_copy(scope, node, parent, &copy));
    for (const tp_node *child = node->first; child; child = child->next)
        TP_TRY(copy_closed(scope, child, copy));
    return TP_OK;
}

/* An empty copy that hangs in `parent`, with values in its key. */
static tp_status begin_copy(tp_scope *scope, const tp_node *node, tp_node *parent, tp_node **copy_out)
{
    TP_TRY(new_copy(scope, node, parent, copy_out));
    tp_node *copy = *copy_out;
    if (node->key) TP_TRY(tp_scope_text(scope, node, node->key, &copy->key));
    if (copy->key && (!copy->key[0] || strlen(copy->key) > TP_TREE_KEY_MAX))
        return tp_scope_fail(scope, node, "the key has %zu bytes; write 1 to %d", strlen(copy->key),
                             TP_TREE_KEY_MAX);
    return TP_OK;
}

/* A scene within an include has names of its own: it is copied as it is. */
static bool is_closed(const tp_key *key)
{
    return key && key->kind == TP_VALUE_ANY;
}

/* key is that of the node, or of the list that it is in. Recursion is bounded by the depth of a tree. */
static tp_status copy_node(tp_scope *scope, const tp_node *node, const tp_key *key, tp_node *parent)
{
    tp_node *copy;
    if (is_closed(key)) return copy_closed(scope, node, parent);
    if (node->kind == TP_NODE_MAP && is_repeat(node) && parent->kind == TP_NODE_LIST)
        return repeat_entry(scope, node, key, parent);
    TP_TRY(begin_copy(scope, node, parent, &copy));
    if (parent->kind == TP_NODE_LIST) copy->repetition = scope->repetition;
    if (node->kind == TP_NODE_SCALAR) return tp_scope_fill(scope, node, is_formula(key), copy);
    for (const tp_node *child = node->first; child; child = child->next) {
        TP_TRY(copy_node(scope, child, node->kind == TP_NODE_MAP ? key_of(key, node, child) : key, copy));
    }
    return TP_OK;
}

/* A map without the keys of `repeat`. */
static tp_status copy_entry(tp_scope *scope, const tp_node *entry, const tp_key *key, tp_node *list)
{
    tp_node *copy;
    TP_TRY(begin_copy(scope, entry, list, &copy));
    copy->repetition = scope->repetition;
    for (const tp_node *child = entry->first; child; child = child->next) {
        if (is_repeat_key(child->key)) continue;
        TP_TRY(copy_node(scope, child, key_of(key, entry, child), copy));
    }
    return TP_OK;
}

/* ---- values of let ------------------------------------------------------------------------------------- */

/* The stream of a name: the same wherever seed and counters are. */
static tp_random stream_of(const tp_scope *scope, const char *name)
{
    tp_random random = tp_random_begin(scope->seed);
    for (int k = 0; k < scope->local_count; k++) {
        if (scope->locals[k].is_counter) tp_random_mix(&random, (int64_t)scope->locals[k].values[0]);
    }
    tp_random_mix_text(&random, name);
    return random;
}

static tp_status draw_choice(tp_scope *scope, const tp_node *map, double uniform, double *value_out)
{
    const tp_node *values = tp_map_get(map, "choose"), *weights = tp_map_get(map, "weights");
    if (values->count == 0 || (weights && weights->count != values->count))
        return tp_scope_fail(scope, weights ? weights : values,
                             "found %d %s for %d values; write one for each", weights ? weights->count : 0,
                             weights ? "weights" : "entries", values->count);
    double sum = 0.0, below = 0.0, weight = 1.0;
    for (const tp_node *w = weights ? weights->first : NULL; w; w = w->next) {
        TP_TRY(tp_scope_number(scope, w, &weight));
        if (weight < 0.0) return tp_scope_fail(scope, w, "the weight %g is negative", weight);
        sum += weight;
    }
    if (!weights) sum = values->count;
    if (!(sum > 0.0)) return tp_scope_fail(scope, weights, "all weights are 0; one must be above");
    const tp_node *chosen = values->first, *w = weights ? weights->first : NULL;
    for (const tp_node *value = values->first; value; value = value->next) {
        if (w) TP_TRY(tp_scope_number(scope, w, &weight));
        if (weight > 0.0) chosen = value; /* the last possible one where rounding leaves a rest */
        below += weight;
        if (weight > 0.0 && uniform * sum < below) break;
        if (w) w = w->next;
    }
    return tp_scope_number(scope, chosen, value_out);
}

static tp_status draw(tp_scope *scope, const tp_node *map, tp_local *local_out)
{
    const tp_node *kind = map->first;
    if (strcmp(kind->key, "weights") == 0) kind = kind->next;
    tp_random random = stream_of(scope, map->key);
    double a = 0.0, b = 0.0;
    if (strcmp(kind->key, "rotation") == 0) {
        local_out->count = 4;
        tp_random_rotation(&random, local_out->values);
        return TP_OK;
    }
    if (strcmp(kind->key, "choose") == 0)
        return draw_choice(scope, map, tp_random_uniform(&random), &local_out->values[0]);
    TP_TRY(tp_scope_number(scope, kind->first, &a));
    TP_TRY(tp_scope_number(scope, kind->last, &b));
    bool is_uniform = strcmp(kind->key, "uniform") == 0;
    local_out->values[0] =
        is_uniform ? a + (b - a) * tp_random_uniform(&random) : a + b * tp_random_normal(&random);
    return TP_OK;
}

static tp_status add_values(tp_scope *scope, const tp_node *let)
{
    for (const tp_node *entry = let ? let->first : NULL; entry; entry = entry->next) {
        tp_local local = {.count = 1};
        TP_TRY(entry->kind == TP_NODE_MAP ? draw(scope, entry, &local)
                                          : tp_scope_number(scope, entry, &local.values[0]));
        TP_TRY(tp_scope_add(scope, entry, local));
    }
    return TP_OK;
}

/* ---- checks, once for an entry ------------------------------------------------------------------------- */

static tp_status check_random(tp_scope *scope, const tp_node *map)
{
    TP_TRY(tp_keys_check(map, &tp_random_keys, scope->why));
    bool has_weights = tp_map_get(map, "weights") != NULL;
    if (map->count != 1 + has_weights || (has_weights && !tp_map_get(map, "choose")))
        return tp_scope_fail(
            scope, map,
            "write one of uniform: [a, b], normal: [mean, deviation], choose: [a, b, ...] (also "
            "with weights), rotation: uniform");
    return TP_OK;
}

static tp_status check_map(tp_scope *scope, const tp_node *map, const char *right)
{
    if (!map || (map->kind == TP_NODE_MAP && map->count > 0)) return TP_OK;
    return tp_scope_fail(scope, map, "expected names with values; write %s", right);
}

static tp_status check_entry(tp_scope *scope, const tp_node *entry)
{
    const tp_node *each = tp_map_get(entry, "each"), *let = tp_map_get(entry, "let");
    int own = 0;
    TP_TRY(check_map(scope, tp_map_get(entry, "repeat"), "{i: 10} or {i: [1, 10]}"));
    TP_TRY(check_map(scope, let, "{x: \"2*i\"} or {x: {uniform: [0, 1]}}"));
    for (const tp_node *value = let ? let->first : NULL; value; value = value->next) {
        if (value->kind == TP_NODE_MAP) TP_TRY(check_random(scope, value));
    }
    for (const tp_node *child = entry->first; child; child = child->next) {
        own += !is_repeat_key(child->key);
        if (each && !is_repeat_key(child->key))
            return tp_scope_fail(scope, child, "has no effect with each; move it into the entries of each");
    }
    if (each && each->kind != TP_NODE_LIST)
        return tp_scope_fail(scope, each, "expected a list of entries; write each: [...]");
    if (!each && own == 0)
        return tp_scope_fail(
            scope, entry,
            "there is nothing to repeat; write the keys of an entry besides repeat, or each: "
            "[...] with entries");
    return TP_OK;
}

/* ---- repetitions --------------------------------------------------------------------------------------- */

static tp_status name_repetition(tp_scope *scope)
{
    char text[TP_SCOPE_WHERE_ROOM];
    tp_scope_where(scope, text);
    scope->repetition = text[0] ? tp_tree_copy_text(scope->tree, text, strlen(text)) : NULL;
    return text[0] && !scope->repetition ? tp_scope_no_memory(scope) : TP_OK;
}

/* The entry for the present values of all counters. */
static tp_status make_entries(tp_scope *scope, const tp_node *entry, const tp_key *key, tp_node *list)
{
    const tp_node *when = tp_map_get(entry, "when"), *each = tp_map_get(entry, "each");
    bool is_there = true;
    TP_TRY(add_values(scope, tp_map_get(entry, "let")));
    if (when) TP_TRY(tp_scope_condition(scope, when, &is_there));
    if (!is_there || (each && each->count == 0)) return TP_OK;
    TP_TRY(name_repetition(scope));
    if (!each) return copy_entry(scope, entry, key, list);
    for (const tp_node *child = each->first; child; child = child->next) {
        TP_TRY(copy_node(scope, child, key, list));
    }
    return TP_OK;
}

typedef struct range {
    int first, last, step;
} range;

/* n; [a, b]; [a, b, step]. */
static tp_status read_range(tp_scope *scope, const tp_node *node, range *range_out)
{
    range is = {.step = 1};
    if (node->kind == TP_NODE_SCALAR) {
        TP_TRY(tp_scope_integer(scope, node, &is.last));
        if (is.last < 0)
            return tp_scope_fail(scope, node, "the count is %d; it must not be negative", is.last);
        is.last--;
    } else if (node->kind == TP_NODE_LIST && (node->count == 2 || node->count == 3)) {
        TP_TRY(tp_scope_integer(scope, node->first, &is.first));
        TP_TRY(tp_scope_integer(scope, node->first->next, &is.last));
        if (node->count == 3) TP_TRY(tp_scope_integer(scope, node->last, &is.step));
        if (is.step == 0) return tp_scope_fail(scope, node, "the step is 0; write 1, 2, -1, ...");
    } else {
        return tp_scope_fail(scope, node, "expected a count n, [first, last] or [first, last, step]");
    }
    *range_out = is;
    return TP_OK;
}

/* counter: the next one to go through all its values; NULL: all have theirs. */
static tp_status count(tp_scope *scope, const tp_node *entry, const tp_node *counter, const tp_key *key,
                       tp_node *list)
{
    range is = {.step = 1};
    int mark = scope->local_count;
    if (!counter) {
        tp_status status = make_entries(scope, entry, key, list);
        scope->local_count = mark;
        return status;
    }
    TP_TRY(read_range(scope, counter, &is));
    for (long long i = is.first; is.step > 0 ? i <= is.last : i >= is.last; i += is.step) {
        TP_TRY(tp_scope_work(scope, counter, 0));
        TP_TRY(
            tp_scope_add(scope, counter, (tp_local){.count = 1, .is_counter = true, .values = {(double)i}}));
        TP_TRY(count(scope, entry, counter->next, key, list));
        scope->local_count = mark;
    }
    return TP_OK;
}

static tp_status repeat_entry(tp_scope *scope, const tp_node *entry, const tp_key *key, tp_node *list)
{
    const tp_node *counters = tp_map_get(entry, "repeat"), *seed = tp_map_get(entry, "seed");
    const int outer_seed = scope->seed;
    const char *outer = scope->repetition;
    TP_TRY(check_entry(scope, entry));
    if (seed) TP_TRY(tp_scope_integer(scope, seed, &scope->seed));
    TP_TRY(count(scope, entry, counters ? counters->first : NULL, key, list));
    scope->seed = outer_seed;
    scope->repetition = outer;
    return TP_OK;
}

/* ---- where they stand ---------------------------------------------------------------------------------- */

static tp_status expand_list(tp_scope *scope, tp_node *list, const tp_key *key)
{
    tp_node made = *list; /* keeps its key and parent for paths in messages */
    made.first = made.last = NULL;
    made.count = 0;
    for (tp_node *item = list->first, *next; item; item = next) {
        next = item->next;
        if (is_repeat(item)) {
            TP_TRY(repeat_entry(scope, item, key, &made));
        } else {
            tp_node_append(&made, item);
            TP_TRY(tp_repeat_expand_value(scope, item, key));
        }
    }
    tp_node_replace(list, &made);
    return TP_OK;
}

tp_status tp_repeat_expand_value(tp_scope *scope, tp_node *value, const tp_key *key)
{
    if (is_closed(key)) return TP_OK;
    if (value->kind == TP_NODE_LIST) return expand_list(scope, value, key);
    for (tp_node *entry = value->first; entry; entry = entry->next) {
        TP_TRY(tp_repeat_expand_value(scope, entry, key_of(key, value, entry)));
    }
    return TP_OK;
}

tp_status tp_repeat_expand(tp_scope *scope, tp_node *map, const tp_key_table *table)
{
    const tp_key whole = {.name = "scene", .kind = TP_VALUE_MAP, .table = table};
    return map->kind == TP_NODE_MAP ? tp_repeat_expand_value(scope, map, &whole) : TP_OK;
}
