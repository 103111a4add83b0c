/* The JSON schema from key tables. Every table is a definition; a table with variants is one object for each
   of them, because "no other keys" cannot be said of an object in parts. */
#include <string.h>

#include "io/scene/keys_doc.h"
#include "io/scene/scene_write.h"

static void add_words(tp_text *out, const tp_key *key)
{
    tp_word word;
    for (int k = 0; (word = key->words(k)).word; k++) {
        tp_text_add(out, k == 0 ? ", \"enum\": [" : ", ");
        tp_text_add_quoted(out, word.word);
    }
    tp_text_add(out, "]");
}

/* One value, without braces around it. */
static void add_one(tp_text *out, const tp_key *key)
{
    if (key->kind == TP_VALUE_MAP) {
        tp_text_add(out, "\"$ref\": \"#/definitions/%s\"", key->table->name);
        return;
    }
    tp_text_add(out, "%s", tp_kind_texts[key->kind].schema);
    if (key->kind == TP_VALUE_CHOICE && !(key->flags & TP_KEY_LISTED)) add_words(out, key);
    if (key->flags & TP_KEY_POSITIVE) tp_text_add(out, ", \"exclusiveMinimum\": 0");
    if (key->flags & TP_KEY_NOT_NEGATIVE) tp_text_add(out, ", \"minimum\": 0");
    if (key->flags & TP_KEY_IN_RANGE) {
        tp_text_add(out, ", \"minimum\": %.17g, \"maximum\": %.17g", key->low, key->high);
    }
}

/* An entry with `repeat` is not looked into: it may hold less or more than one without. */
static void add_list(tp_text *out, const tp_key *key)
{
    bool or_name = key->flags & TP_KEY_OR_NAME, may_repeat = key->count == 0;
    tp_text_add(out, "\"type\": \"array\", \"items\": {%s%s", may_repeat ? "\"anyOf\": [{" : "",
                or_name ? "\"type\": \"string\"}, {" : "");
    add_one(out, key);
    tp_text_add(out, may_repeat ? "}, {\"$ref\": \"#/definitions/repeat\"}]}" : "}");
    if (key->count > 0) tp_text_add(out, ", \"minItems\": %d, \"maxItems\": %d", key->count, key->count);
}

static void add_form(tp_text *out, const tp_key *key)
{
    if (key->or_else) {
        tp_key only = *key;
        only.or_else = NULL;
        tp_text_add(out, "\"anyOf\": [{");
        add_form(out, &only);
        tp_text_add(out, "}, {");
        add_form(out, key->or_else);
        tp_text_add(out, "}]");
        return;
    }
    switch (key->form) {
    case TP_FORM_ONE: /* what stands beside $ref is not read: put it into a list of one */
        tp_text_add(out, key->kind == TP_VALUE_MAP ? "\"allOf\": [{" : "");
        add_one(out, key);
        tp_text_add(out, key->kind == TP_VALUE_MAP ? "}]" : "");
        break;
    case TP_FORM_LIST:
        if (key->flags & TP_KEY_OR_ONE) {
            tp_text_add(out, "\"anyOf\": [{");
            add_one(out, key);
            tp_text_add(out, "}, {");
        }
        add_list(out, key);
        if (key->flags & TP_KEY_OR_ONE) tp_text_add(out, "}]");
        break;
    case TP_FORM_ROWS:
        tp_text_add(out, "\"type\": \"array\", \"items\": {");
        add_list(out, key);
        tp_text_add(out, "}");
        break;
    case TP_FORM_NAMED:
        tp_text_add(out, "\"type\": \"object\", \"additionalProperties\": {");
        add_one(out, key);
        tp_text_add(out, "}");
        break;
    }
}

/* only: the one word that a selector has here; NULL: what the key says. */
static void add_property(tp_text *out, const tp_key *key, const char *only, bool is_first)
{
    tp_text_add(out, "%s\n        ", is_first ? "" : ",");
    tp_text_add_quoted(out, key->name);
    tp_text_add(out, ": {");
    size_t begin = out->count;
    if (only) {
        tp_text_add(out, "%s, \"enum\": [\"%s\"]", tp_kind_texts[TP_VALUE_CHOICE].schema, only);
    } else {
        add_form(out, key);
    }
    tp_text_add(out, out->count > begin ? ", \"description\": " : "\"description\": ");
    tp_text line = {.bytes = NULL};
    tp_text_add_all(&line, key->text);
    if (key->unit) tp_text_add(&line, " [%s]", key->unit);
    if (key->default_text) {
        tp_text_add(&line, " (default: ");
        tp_text_add_all(&line, key->default_text);
        tp_text_add(&line, ")");
    }
    tp_text_add(&line, "%c", '\0');
    if (line.has_failed) out->has_failed = true;
    if (!line.has_failed) tp_text_add_quoted(out, line.bytes);
    tp_text_clear(&line);
    tp_text_add(out, "}");
}

static int add_required(tp_text *out, const tp_key_table *table, int count)
{
    for (int k = 0; k < table->key_count; k++) {
        if (!(table->keys[k].flags & TP_KEY_REQUIRED)) continue;
        tp_text_add(out, count++ == 0 ? ", \"required\": [" : ", ");
        tp_text_add_quoted(out, table->keys[k].name);
    }
    return count;
}

/* variant: one word of the selector, or none. A selector that is left out means its default; any other word
   must be there. */
static void add_object(tp_text *out, const tp_key_table *table, tp_word variant)
{
    int count = 0;
    bool must_select = false;
    tp_text_add(out, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (int k = 0; k < table->key_count; k++) {
        const tp_key *key = &table->keys[k];
        bool is_selector = variant.word && strcmp(key->name, table->selector) == 0;
        add_property(out, key, is_selector ? variant.word : NULL, count++ == 0);
        if (!is_selector || key->flags & TP_KEY_REQUIRED) continue;
        must_select = !key->default_text || strcmp(key->default_text, variant.word) != 0;
    }
    for (int k = 0; variant.table && k < variant.table->key_count; k++) {
        add_property(out, &variant.table->keys[k], NULL, count++ == 0);
    }
    tp_text_add(out, "}");
    int required = add_required(out, table, 0);
    if (variant.table) required = add_required(out, variant.table, required);
    if (must_select) {
        tp_text_add(out, required++ == 0 ? ", \"required\": [" : ", ");
        tp_text_add_quoted(out, table->selector);
    }
    tp_text_add(out, required > 0 ? "]}" : "}");
}

/* Whether it is written inside the table that has it as a variant. */
static bool is_variant_only(const tp_key_table *table, const tp_key_table *const *tables, int count)
{
    for (int t = 0; t < count; t++) {
        for (int k = 0; k < tables[t]->key_count; k++) {
            for (const tp_key *key = &tables[t]->keys[k]; key; key = key->or_else) {
                if (key->table == table) return false;
            }
        }
    }
    return table != tables[0];
}

static void add_definition(tp_text *out, const tp_key_table *table)
{
    tp_text_add_quoted(out, table->name);
    tp_text_add(out, ": ");
    if (!table->selector) {
        add_object(out, table, (tp_word){.word = NULL});
        return;
    }
    tp_word word;
    tp_text_add(out, "{\"oneOf\": [");
    for (int k = 0; (word = tp_keys_variant_at(table, k)).word; k++) {
        tp_text_add(out, k > 0 ? ",\n      " : "\n      ");
        add_object(out, table, word);
    }
    tp_text_add(out, "]}");
}

void tp_keys_schema(const tp_key_table *table, const char *title, tp_text *out)
{
    const tp_key_table *tables[TP_KEYS_TABLES_MAX];
    int count = tp_keys_reach(table, tables);
    tp_text_add(out, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": ");
    tp_text_add_quoted(out, title);
    tp_text_add(out, ",\n  \"allOf\": [{\"$ref\": \"#/definitions/%s\"}],\n  \"definitions\": {",
                table->name);
    const char *before = "\n    ";
    for (int t = 0; t < count; t++) {
        if (is_variant_only(tables[t], tables, count)) continue; /* is written inside */
        tp_text_add(out, "%s", before);
        add_definition(out, tables[t]);
        before = ",\n    ";
    }
    tp_text_add(out, ",\n    \"repeat\": {\"type\": \"object\", \"anyOf\": [{\"required\": [\"repeat\"]}, "
                     "{\"required\": [\"when\"]}, {\"required\": [\"let\"]}, {\"required\": [\"each\"]}]}");
    tp_text_add(out, "\n  }\n}\n");
}
