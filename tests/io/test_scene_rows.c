/* Claims about the rows of scene keys: each has a text and a place where its value goes; a key fills its
   field and no other; the default that a row states is what the struct holds without the key. The scenes are
   made from the rows, so that a new row is tested when it is added. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/scene/loader.h"
#include "scene_text.h"

/* ---- all rows ------------------------------------------------------------------------------------------ */

/* A row, the table that makes its struct, and the table it is in (that one, or one of its variants). */
typedef struct row {
    const tp_key_table *owner, *table;
    const tp_key *key;
    const char *word; /* of the selector; NULL: none */
} row;

enum { ROWS_MAX = 600 };

static int add_rows(const tp_key_table *owner, const tp_key_table *table, const char *word, row *rows,
                    int count)
{
    for (int k = 0; k < table->key_count && count < ROWS_MAX; k++) {
        rows[count++] = (row){owner, table, &table->keys[k], word};
    }
    return count;
}

static bool is_variant(const tp_key_table *const *tables, int count, const tp_key_table *table)
{
    tp_word word;
    for (int t = 0; t < count; t++) {
        for (int k = 0; (word = tp_keys_variant_at(tables[t], k)).word; k++) {
            if (word.table == table) return true;
        }
    }
    return false;
}

/* Rows of variants that several words share are there once for each. */
static int all_rows(row rows[ROWS_MAX])
{
    const tp_key_table *tables[TP_KEYS_TABLES_MAX];
    int table_count = tp_keys_reach(&tp_scene_keys, tables), count = 0;
    tp_word word;
    for (int t = 0; t < table_count; t++) {
        if (is_variant(tables, table_count, tables[t])) continue;
        count = add_rows(tables[t], tables[t], NULL, rows, count);
        for (int k = 0; (word = tp_keys_variant_at(tables[t], k)).word; k++) {
            count = add_rows(tables[t], word.table, word.word, rows, count);
        }
    }
    return count;
}

static bool has_place(const row *r)
{
    const tp_key *key = r->key;
    bool has_function = key->load || (key->table && (key->table->add || key->table->size > 0));
    if (key->or_else) has_function = has_function || key->or_else->load;
    return has_function || key->field.fill != TP_FILLS_NOTHING;
}

TEST(every_row_has_a_text_and_a_place_where_its_value_goes)
{
    static row rows[ROWS_MAX];
    int count = all_rows(rows);
    CHECK(count > 200 && count < ROWS_MAX);
    for (int k = 0; k < count; k++) {
        const tp_field *field = &rows[k].key->field;
        bool is_right = has_place(&rows[k]) && rows[k].key->text && rows[k].key->text[0];
        if (field->fill != TP_FILLS_NOTHING)
            is_right = is_right && field->at + field->size <= rows[k].owner->size;
        if (!is_right) print_error("%s: %s\n", rows[k].table->name, rows[k].key->name);
        CHECK(is_right);
    }
}

/* Lengths, times and forces have units; ratios, counts and coordinates of any kind have none. */
TEST(rows_that_fill_vectors_of_places_and_sizes_have_units)
{
    static const char *const measured[] = {"point",  "points",  "position",  "length", "radius",
                                           "size",   "mass",    "dt",        "until",  "every",
                                           "center", "inertia", "stiffness", "damping"};
    static row rows[ROWS_MAX];
    int count = all_rows(rows);
    for (int k = 0; k < count; k++) {
        const tp_key *key = rows[k].key;
        bool is_number = key->kind == TP_VALUE_QUANTITY && rows[k].owner != &tp_scene_keys;
        for (size_t m = 0; m < sizeof measured / sizeof measured[0]; m++) {
            if (!is_number || strcmp(key->name, measured[m]) != 0) continue;
            if (rows[k].owner == &tp_body_keys && strcmp(key->name, "size") == 0) continue; /* a ratio */
            if (!key->unit) print_error("%s: %s has no unit\n", rows[k].table->name, key->name);
            CHECK(key->unit != NULL);
        }
    }
}

/* ---- one row at work ----------------------------------------------------------------------------------- */

/* What a row of a function needs; other rows tell themselves. */
static const char *const samples[][2] = {
    {"bodies", "[a, b]"},
    {"body", "a"},
    {"colour", "red"},
    {"at", "[1, 2]"},
    {"M", "[[1]]"},
    {"C", "[[1]]"},
    {"K", "[[1]]"},
    {"curve", "{points: [[0, 0, 0], [1, 0, 0]], closed: true}"},
    {"points", "[[1, 2, 3], [4, 5, 6]]"},
};

static void other_word(const tp_key *key, const char *begun, char *text, size_t room)
{
    tp_word word = {.word = NULL};
    for (int k = 0; (word = key->words(k)).word; k++) {
        int held = 0;
        if (key->field.fill == TP_FILLS_BOOLEAN) {
            held = *(const bool *)begun;
        } else if (key->field.fill != TP_FILLS_TEXT) {
            memcpy(&held, begun, sizeof held);
        }
        if (key->field.fill == TP_FILLS_TEXT || word.value != held) break;
    }
    snprintf(text, room, "%s", word.word ? word.word : "");
}

/* A value that the row takes and that is not what its field holds at first. */
static void sample_of(const tp_key *key, const char *begun, char *text, size_t room)
{
    for (size_t k = 0; key->load && k < sizeof samples / sizeof samples[0]; k++) {
        if (strcmp(samples[k][0], key->name) != 0) continue;
        snprintf(text, room, "%s", samples[k][1]);
        return;
    }
    switch (key->field.fill) {
    case TP_FILLS_NUMBER:
    case TP_FILLS_NUMBERS: snprintf(text, room, "%g", key->low + 0.3125); return;
    case TP_FILLS_INTEGER:
    case TP_FILLS_OTHER:
        if (key->kind == TP_VALUE_CHOICE) {
            other_word(key, begun, text, room);
        } else if (key->kind == TP_VALUE_MAP) {
            snprintf(text, room, "{%s: 7}", key->table->keys[0].name);
        } else {
            snprintf(text, room, "7");
        }
        return;
    case TP_FILLS_BOOLEAN:
        if (key->kind == TP_VALUE_CHOICE) {
            other_word(key, begun, text, room);
        } else {
            snprintf(text, room, "%s", *(const bool *)begun ? "false" : "true");
        }
        return;
    case TP_FILLS_VECTOR: snprintf(text, room, key->count == 2 ? "[0.25, 0.5]" : "[0.25, 0.5, 0.75]"); return;
    case TP_FILLS_ROTATION: snprintf(text, room, "[0.6, 0, 0.8, 0]"); return;
    case TP_FILLS_INERTIA: snprintf(text, room, "[1, 2, 3]"); return;
    case TP_FILLS_FUNCTIONS: snprintf(text, room, "[t, t, t]"); return;
    case TP_FILLS_POINTS: snprintf(text, room, key->count == 2 ? "[[1, 2]]" : "[[1, 2, 3]]"); return;
    case TP_FILLS_TEXT:
        if (key->kind == TP_VALUE_CHOICE) {
            other_word(key, begun, text, room);
            return;
        } /* falls through */
    default: snprintf(text, room, "zz"); return;
    }
}

typedef struct bench {
    tp_arena arena;
    tp_tree *tree;
    tp_loader loader;
    tp_message why;
    char *begun, *made; /* [TP_MADE_BYTES_MAX] the struct at first and with the key */
} bench;

static void open_bench(void **check_state_, bench *b)
{
    tp_body_def body = tp_body_def_default();
    *b = (bench){.loader = {.coordinate_count = 1}};
    tp_arena_init(&b->arena, NULL);
    b->begun = tp_arena_take(&b->arena, TP_MADE_BYTES_MAX, 1);
    b->made = tp_arena_take(&b->arena, TP_MADE_BYTES_MAX, 1);
    CHECK_INT(tp_tree_create(&b->arena, &b->arena, "s.yaml", &b->tree, NULL), TP_OK);
    CHECK_INT(tp_model_create(NULL, &b->loader.model), TP_OK);
    body.mass = 1.0;
    body.inertia = tp_mat3_identity();
    body.name = "a";
    CHECK_INT(tp_model_add_body(b->loader.model, &body, NULL, NULL), TP_OK);
    body.name = "b";
    CHECK_INT(tp_model_add_body(b->loader.model, &body, NULL, NULL), TP_OK);
    b->loader.arena = &b->arena;
    b->loader.file = "s.yaml";
    b->loader.why = &b->why;
}

static void close_bench(bench *b)
{
    tp_model_free(b->loader.model);
    tp_arena_clear(&b->arena);
}

/* Begins the struct twice and loads one key into one of them. */
static tp_status load_one(bench *b, const row *r, const char *value)
{
    const tp_place nowhere = {"s.yaml", 1, 1};
    tp_node *node, *map = tp_tree_new_node(b->tree, TP_NODE_MAP, nowhere);
    memset(b->made, 0, TP_MADE_BYTES_MAX);
    if (r->owner->begin) r->owner->begin(b->made);
    memcpy(b->begun, b->made, TP_MADE_BYTES_MAX);
    TP_TRY(tp_tree_read_value(b->tree, value, 1, nowhere, &node, &b->why));
    node->key = r->key->name;
    tp_node_append(map, node);
    const tp_key_table alone = {.name = "row", .keys = r->key, .key_count = 1};
    TP_TRY(tp_keys_check(map, &alone, &b->why));
    return tp_load_key(&b->loader, map, r->key, b->made);
}

static bool is_in(size_t byte, size_t at, size_t size)
{
    return byte >= at && byte < at + size;
}

/* Its field has changed, and nothing else but its counter. */
static bool fills_its_field(const bench *b, const tp_field *field)
{
    bool has_changed = false, is_clean = true;
    for (size_t i = 0; i < TP_MADE_BYTES_MAX; i++) {
        if (b->begun[i] == b->made[i]) continue;
        bool is_counter = field->counter > 0 && is_in(i, field->counter, sizeof(int));
        has_changed = has_changed || is_in(i, field->at, field->size);
        is_clean = is_clean && (is_counter || is_in(i, field->at, field->size));
    }
    return has_changed && is_clean;
}

TEST(every_key_fills_its_field_and_no_other)
{
    static row rows[ROWS_MAX];
    int count = all_rows(rows), filled = 0;
    bench b;
    open_bench(check_state_, &b);
    for (int k = 0; k < count; k++) {
        const tp_key *key = rows[k].key;
        if (key->field.fill == TP_FILLS_NOTHING) continue; /* a section, or a map that fills further fields */
        if (key->field.fill == TP_FILLS_NODE && key->kind == TP_VALUE_MAP) continue; /* its own rows do */
        char value[200];
        if (rows[k].owner->begin) rows[k].owner->begin(b.made);
        if (!rows[k].owner->begin) memset(b.made, 0, TP_MADE_BYTES_MAX);
        sample_of(key, b.made + key->field.at, value, sizeof value);
        if (key->field.fill == TP_FILLS_NODE) { /* any value of its form will do */
            const char *item = key->kind == TP_VALUE_INTEGER ? "[1, 2, 3]" : "[u, v]";
            bool is_list = key->form == TP_FORM_LIST && !(key->flags & TP_KEY_OR_ONE);
            snprintf(value, sizeof value, key->form == TP_FORM_ROWS ? "[%s]" : is_list ? "%s" : "u", item);
        }
        tp_status status = load_one(&b, &rows[k], value);
        bool is_right = status == TP_OK && fills_its_field(&b, &key->field);
        if (!is_right)
            print_error("%s%s%s: %s: %s does not fill its field: %s\n", rows[k].table->name,
                        rows[k].word ? " of " : "", rows[k].word ? rows[k].word : "", key->name, value,
                        status == TP_OK ? "" : b.why.text);
        CHECK(is_right);
        filled++;
    }
    CHECK(filled > 150);
    close_bench(&b);
}

/* The library's defaults and those of the manual are the same. */
TEST(the_default_of_a_row_is_what_its_field_holds_without_the_key)
{
    static row rows[ROWS_MAX];
    int count = all_rows(rows), compared = 0;
    bench b;
    open_bench(check_state_, &b);
    for (int k = 0; k < count; k++) {
        const tp_key *key = rows[k].key;
        const tp_field *field = &key->field;
        if (!key->default_text || field->fill == TP_FILLS_NOTHING) continue;
        bool is_right = load_one(&b, &rows[k], key->default_text) == TP_OK;
        if (field->fill == TP_FILLS_TEXT) {
            const char *held = *(const char *const *)(void *)(b.begun + field->at);
            is_right = is_right && held && strcmp(held, key->default_text) == 0;
        } else {
            is_right = is_right && memcmp(b.begun + field->at, b.made + field->at, field->size) == 0;
        }
        if (!is_right)
            print_error("%s: %s: %s is not its default\n", rows[k].table->name, key->name, key->default_text);
        CHECK(is_right);
        compared++;
    }
    CHECK(compared > 50);
    close_bench(&b);
}

/* A field of the struct that several rows of one table fill would hold the last one's value. */
TEST(no_two_rows_of_a_map_fill_the_same_field)
{
    static row rows[ROWS_MAX];
    int count = all_rows(rows);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            const tp_field *a = &rows[i].key->field, *b = &rows[j].key->field;
            bool is_one_map = rows[i].owner == rows[j].owner &&
                              (!rows[i].word || !rows[j].word || strcmp(rows[i].word, rows[j].word) == 0);
            bool both = a->fill != TP_FILLS_NOTHING && b->fill != TP_FILLS_NOTHING;
            bool overlap = a->at < b->at + b->size && b->at < a->at + a->size;
            if (is_one_map && both && overlap)
                print_error("%s: %s and %s\n", rows[i].table->name, rows[i].key->name, rows[j].key->name);
            CHECK(!(is_one_map && both && overlap));
        }
    }
}

TEST_MAIN(RUNS(every_row_has_a_text_and_a_place_where_its_value_goes),
          RUNS(rows_that_fill_vectors_of_places_and_sizes_have_units),
          RUNS(every_key_fills_its_field_and_no_other),
          RUNS(the_default_of_a_row_is_what_its_field_holds_without_the_key),
          RUNS(no_two_rows_of_a_map_fill_the_same_field))
