/* Canonical YAML. Quoting is decided by a short list of harmless characters, not by the rules of YAML. */
#include "io/scene/scene_write.h"

#include <string.h>

#include "io/scene/scalar.h"

enum { PIECE = 400 }; /* bytes that one tp_text_add surely takes */

static void add_bytes(tp_text *out, const char *bytes, size_t count)
{
    while (count > 0) {
        size_t piece = count < PIECE ? count : PIECE;
        tp_text_add(out, "%.*s", (int)piece, bytes);
        bytes += piece;
        count -= piece;
    }
}

void tp_text_add_all(tp_text *out, const char *text)
{
    add_bytes(out, text, strlen(text));
}

/* ---- scalars ------------------------------------------------------------------------------------------- */

/* The character at `text`, which is UTF-8 and known to be valid; its bytes in *length_out. */
static unsigned decode(const char *text, size_t *length_out)
{
    const unsigned char *p = (const unsigned char *)text;
    *length_out = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned value = p[0] < 0x80 ? p[0] : p[0] & (0x7Fu >> *length_out);
    for (size_t k = 1; k < *length_out && p[k]; k++) value = value << 6 | (p[k] & 0x3Fu);
    return value;
}

/* Characters that a YAML text cannot hold as they are, or that are line breaks or invisible in it. */
static bool needs_escape(unsigned value)
{
    if (value < 0x20 || (value >= 0x7F && value < 0xA0)) return true;
    return value == 0x2028 || value == 0x2029 || value == 0xFEFF || (value & 0xFFFE) == 0xFFFE;
}

/* Beyond U+FFFF, YAML's \U would not be JSON; what needs it is not a character and occurs in no schema. */
static void add_escape(tp_text *out, unsigned value)
{
    if (value == '\n') {
        tp_text_add(out, "\\n");
    } else if (value == '\t') {
        tp_text_add(out, "\\t");
    } else if (value == '\r') {
        tp_text_add(out, "\\r");
    } else if (value == '"' || value == '\\') {
        tp_text_add(out, "\\%c", (int)value);
    } else {
        tp_text_add(out, value > 0xFFFF ? "\\U%08X" : "\\u%04X", value);
    }
}

void tp_text_add_quoted(tp_text *out, const char *text)
{
    const char *plain = text; /* what was not added yet */
    tp_text_add(out, "\"");
    while (*text) {
        size_t length;
        unsigned value = decode(text, &length);
        if (value == '"' || value == '\\' || needs_escape(value)) {
            add_bytes(out, plain, (size_t)(text - plain));
            add_escape(out, value);
            plain = text + length;
        }
        text += length;
    }
    add_bytes(out, plain, (size_t)(text - plain));
    tp_text_add(out, "\"");
}

/* Letters, digits and _ . + -, beginning with a letter, or a number. */
static bool is_word(const char *text)
{
    bool is_letter =
        (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '_';
    const char *harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    return tp_text_is_number(text) || (is_letter && text[strspn(text, harmless)] == '\0');
}

static void add_scalar(tp_text *out, const tp_node *node)
{
    tp_node plain = *node;
    plain.is_quoted = false;
    if (tp_node_meaning(node) == TP_MEANS_NOTHING) {
        tp_text_add(out, "null");
    } else if (is_word(node->text) && tp_node_meaning(&plain) == tp_node_meaning(node)) {
        tp_text_add_all(out, node->text);
    } else {
        tp_text_add_quoted(out, node->text);
    }
}

/* Keys are texts whatever they look like; apostrophes of velocities (y') need no quotes. */
static void add_key(tp_text *out, const char *key)
{
    size_t length = strlen(key);
    char bare[TP_TREE_KEY_MAX + 1];
    while (length > 0 && key[length - 1] == '\'') length--;
    bool is_short = length > 0 && length < sizeof bare;
    if (is_short) {
        memcpy(bare, key, length);
        bare[length] = '\0';
    }
    if (is_short && is_word(bare)) {
        tp_text_add_all(out, key);
    } else {
        tp_text_add_quoted(out, key);
    }
}

/* ---- lists and maps ------------------------------------------------------------------------------------ */

static bool has_only_scalars(const tp_node *list)
{
    for (const tp_node *item = list->first; item; item = item->next) {
        if (item->kind != TP_NODE_SCALAR) return false;
    }
    return true;
}

/* What fits behind "key: " in the same line. */
static bool is_inline(const tp_node *node)
{
    if (node->kind == TP_NODE_MAP) return node->count == 0;
    return node->kind == TP_NODE_SCALAR || has_only_scalars(node);
}

static void add_inline(tp_text *out, const tp_node *node)
{
    if (node->kind == TP_NODE_SCALAR) {
        add_scalar(out, node);
    } else if (node->kind == TP_NODE_MAP) {
        tp_text_add(out, "{}");
    } else {
        tp_text_add(out, "[");
        for (const tp_node *item = node->first; item; item = item->next) {
            add_scalar(out, item);
            if (item->next) tp_text_add(out, ", ");
        }
        tp_text_add(out, "]");
    }
}

static void add_indent(tp_text *out, int depth)
{
    tp_text_add(out, "%*s", 2 * depth, "");
}

/* Lines of a list or map. The first begins where the text stands, behind "- " perhaps; the others are
   indented. Recursion is bounded by the depth of a tree. */
static void add_lines(tp_text *out, const tp_node *node, int depth)
{
    for (const tp_node *child = node->first; child; child = child->next) {
        if (child != node->first) add_indent(out, depth);
        if (node->kind == TP_NODE_MAP) {
            add_key(out, child->key);
            tp_text_add(out, ":");
        } else {
            tp_text_add(out, "-");
        }
        if (is_inline(child)) {
            tp_text_add(out, " ");
            add_inline(out, child);
            tp_text_add(out, "\n");
        } else if (node->kind == TP_NODE_MAP) {
            tp_text_add(out, "\n");
            add_indent(out, depth + 1);
            add_lines(out, child, depth + 1);
        } else {
            tp_text_add(out, " ");
            add_lines(out, child, depth + 1);
        }
    }
}

void tp_tree_write(const tp_node *root, tp_text *out)
{
    if (is_inline(root)) {
        add_inline(out, root);
        tp_text_add(out, "\n");
    } else {
        add_lines(out, root, 0);
    }
}
