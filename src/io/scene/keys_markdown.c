/* The manual from key tables. */

#include "io/scene/keys_doc.h"
#include "io/scene/scene_write.h"

/* A cell of a table: '|' would end it. */
static void add_cell(tp_text *out, const char *text)
{
    for (; *text; text++) tp_text_add(out, *text == '|' ? "\\|" : "%c", *text);
    tp_text_add(out, " | ");
}

/* GitHub's name of a heading's target: small letters, '-' for spaces, no other signs. */
static void add_link(tp_text *out, const tp_key_table *table)
{
    tp_text_add(out, "[%s](#", table->name);
    for (const char *at = table->name; *at; at++) {
        char small = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
        bool is_letter =
            (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '_' || small == '-';
        if (small == ' ') small = '-';
        if (is_letter || small == '-') tp_text_add(out, "%c", small);
    }
    tp_text_add(out, ")");
}

static void add_key(tp_text *out, const tp_key *key)
{
    tp_key bare = *key; /* the unit has its own column */
    bare.unit = NULL;
    tp_text_add(out, "| `%s` | ", key->name);
    add_cell(out, tp_key_wants_of(&bare).text);
    add_cell(out, key->unit ? key->unit : "");
    if (key->flags & TP_KEY_REQUIRED) {
        tp_text_add(out, "required | ");
    } else if (key->default_text) {
        tp_text_add(out, "`");
        tp_text_add_all(out, key->default_text);
        tp_text_add(out, "` | ");
    } else {
        tp_text_add(out, "| ");
    }
    for (const tp_key *form = key; form; form = form->or_else) {
        if (!form->table) continue;
        add_link(out, form->table);
        tp_text_add(out, ": ");
    }
    add_cell(out, key->text);
    if (!out->has_failed) out->count--; /* no space at the end of a line */
    tp_text_add(out, "\n");
}

static void add_variants(tp_text *out, const tp_key_table *table)
{
    tp_word word = tp_keys_variant_at(table, 0);
    for (int k = 0; word.word; k++) {
        tp_text_add(out, "%s`%s: %s` adds the keys of ", k == 0 ? "\n" : "", table->selector, word.word);
        add_link(out, word.table);
        word = tp_keys_variant_at(table, k + 1);
        tp_text_add(out, "%s\n", word.word ? ";" : ".");
    }
}

void tp_keys_markdown(const tp_key_table *table, tp_text *out)
{
    const tp_key_table *tables[TP_KEYS_TABLES_MAX];
    int count = tp_keys_reach(table, tables);
    for (int t = 0; t < count; t++) {
        tp_text_add(out, "%s## %s\n\n", t > 0 ? "\n" : "", tables[t]->name);
        tp_text_add_all(out, tables[t]->text);
        tp_text_add(out, "\n");
        if (tables[t]->key_count > 0) {
            tp_text_add(out, "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
        }
        for (int k = 0; k < tables[t]->key_count; k++) add_key(out, &tables[t]->keys[k]);
        add_variants(out, tables[t]);
    }
}
