/* From bytes to a tree with libyaml's events; the only file that knows the library. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "io/scene/scene_tree.h"
#include "io/scene/yaml_problem.h"

typedef struct reader {
    yaml_parser_t parser;
    tp_tree *tree;
    tp_message *why;
    const unsigned char *bytes;
    size_t count;
    const tp_place *fixed_place;      /* of all nodes; NULL: as in the file             */
    int depth_max;                    /* of lists and maps                              */
    tp_node *open[TP_TREE_DEPTH_MAX]; /* lists and maps that have begun, outermost first */
    int depth;
    const char *key; /* read, its value not yet; NULL: none */
    tp_place key_place;
    tp_node *root;
    int line; /* the line that begins at bytes[line_begin], for text blocks */
    size_t line_begin;
} reader;

/* libyaml counts from 0; ours saturate rather than wrap. */
static int count_from_one(size_t number)
{
    return number < INT_MAX ? (int)number + 1 : INT_MAX;
}

static tp_place place_of(const reader *r, yaml_mark_t mark)
{
    return (tp_place){r->tree->file, count_from_one(mark.line), count_from_one(mark.column)};
}

/* A message about a file has a place; one about a value is completed by whoever asked for the value. */
static tp_status refuse(const reader *r, tp_place place, const char *text)
{
    if (r->fixed_place) place.file = NULL;
    return tp_fail_at(r->why, TP_INVALID_DATA, place, "%s", text);
}

static tp_status no_memory(const reader *r)
{
    return tp_fail(r->why, TP_OUT_OF_MEMORY, "no memory to read %s", r->tree->file);
}

/* Bytes of the line break at a place, as the library understands it; 0 if there is none. */
static size_t break_length(const reader *r, size_t at)
{
    const unsigned char *p = r->bytes + at;
    size_t left = r->count - at;
    if (*p == '\r') return left > 1 && p[1] == '\n' ? 2 : 1;
    if (*p == '\n') return 1;
    if (left > 1 && p[0] == 0xC2 && p[1] == 0x85) return 2;
    if (left > 2 && p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9)) return 3;
    return 0;
}

/* The place of a byte, for errors of the encoding, which come without a mark. */
static tp_place place_of_byte(const reader *r, size_t offset)
{
    tp_place place = {r->tree->file, 1, 1};
    for (size_t at = 0; at < offset && at < r->count;) {
        size_t length = break_length(r, at);
        if (length > 0) {
            place.line++;
            place.column = 1;
        } else {
            place.column += (r->bytes[at] & 0xC0) != 0x80; /* later bytes of a character do not count */
        }
        at += length > 0 ? length : 1;
    }
    return place;
}

static tp_status explain_problem(const reader *r)
{
    const yaml_parser_t *parser = &r->parser;
    if (parser->error == YAML_MEMORY_ERROR) return no_memory(r);
    tp_place place = parser->error == YAML_READER_ERROR ? place_of_byte(r, parser->problem_offset)
                                                        : place_of(r, parser->problem_mark);
    const char *problem = parser->problem ? parser->problem : "malformed";
    const tp_yaml_problem *known = tp_yaml_problem_find(problem, parser->context);
    char text[400];
    if (known && known->began_before && !r->fixed_place) {
        snprintf(text, sizeof text, "%s (it begins in line %d, column %d)", known->text,
                 count_from_one(parser->context_mark.line), count_from_one(parser->context_mark.column));
    } else if (known) {
        snprintf(text, sizeof text, "%s", known->text);
    } else {
        snprintf(text, sizeof text, "%s%s%s; check indentation, quotes and brackets", problem,
                 parser->context ? " " : "", parser->context ? parser->context : "");
    }
    return refuse(r, place, text);
}

/* ---- text blocks --------------------------------------------------------------------------------------- */

/* Where the text of a | or > block begins: the first line below with anything but spaces. Places only ever
   grow while a file is read, so that the search goes on where the last one ended. */
static tp_place place_of_block(reader *r, tp_place header)
{
    size_t at = r->line_begin;
    while (at < r->count && r->line <= header.line) {
        size_t length = break_length(r, at);
        at += length > 0 ? length : 1;
        if (length > 0) {
            r->line++;
            r->line_begin = at;
        }
    }
    tp_place place = {header.file, r->line, 1};
    while (at < r->count) {
        size_t length = break_length(r, at);
        if (length == 0 && r->bytes[at] != ' ') return place;
        place.line += length > 0;
        place.column = length > 0 ? 1 : place.column + 1;
        at += length > 0 ? length : 1;
    }
    return header; /* an empty block */
}

static tp_place place_of_text(reader *r, tp_place place, yaml_scalar_style_t style)
{
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        return place_of_block(r, place);
    }
    bool has_quote = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    place.column += has_quote && place.column < INT_MAX;
    return place;
}

/* ---- duplicate keys ------------------------------------------------------------------------------------ */

static int compare_places(tp_place a, tp_place b)
{
    if (a.line != b.line) return a.line < b.line ? -1 : 1;
    return (a.column > b.column) - (a.column < b.column);
}

static int compare_entries(const void *a, const void *b)
{
    const tp_node *x = *(tp_node *const *)a, *y = *(tp_node *const *)b;
    int order = strcmp(x->key, y->key);
    return order != 0 ? order : compare_places(x->key_place, y->key_place);
}

/* The pair of entries with the same key whose second one comes first in the file. Sorting, not hashing: no
   choice of keys makes it slow. */
static tp_status find_duplicate(const reader *r, const tp_node *map, const tp_node *pair_out[2])
{
    pair_out[1] = NULL;
    if (map->count < 2) return TP_OK;
    const tp_allocator *allocator = r->tree->arena->allocator;
    tp_node **entries = allocator->allocate(allocator->context, (size_t)map->count * sizeof *entries);
    if (!entries) return no_memory(r);
    int count = 0;
    for (tp_node *entry = map->first; entry; entry = entry->next) entries[count++] = entry;
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int k = 1; k < count; k++) {
        if (strcmp(entries[k - 1]->key, entries[k]->key) != 0) continue;
        if (pair_out[1] && compare_places(entries[k]->key_place, pair_out[1]->key_place) >= 0) continue;
        pair_out[0] = entries[k - 1];
        pair_out[1] = entries[k];
    }
    allocator->release(allocator->context, entries);
    return TP_OK;
}

static tp_status refuse_duplicates(const reader *r, const tp_node *map)
{
    const tp_node *pair[2];
    TP_TRY(find_duplicate(r, map, pair));
    if (!pair[1]) return TP_OK;
    char text[200];
    snprintf(text, sizeof text, "the key '%s' is given twice, in line %d and in line %d; remove one of them",
             tp_excerpt_of(pair[1]->key).text, pair[0]->key_place.line, pair[1]->key_place.line);
    return refuse(r, pair[1]->key_place, text);
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* What no scene may have: a way to mean something that is written elsewhere. */
static tp_status refuse_marks(const reader *r, yaml_mark_t mark, const yaml_char_t *anchor,
                              const yaml_char_t *tag)
{
    if (anchor) {
        return refuse(r, place_of(r, mark),
                      "an anchor (&); write the value where it is needed, texts with & in quotes");
    }
    if (tag) {
        return refuse(r, place_of(r, mark),
                      "a tag (!); remove it, and put a text that begins with ! in quotes");
    }
    return TP_OK;
}

static bool wants_key(const reader *r)
{
    return r->depth > 0 && r->open[r->depth - 1]->kind == TP_NODE_MAP && !r->key;
}

static tp_status take_key(reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    tp_place place = place_of(r, event->start_mark);
    if (length == 0) return refuse(r, place, "a key is missing; write 'key: value'");
    if (length > TP_TREE_KEY_MAX) return refuse(r, place, "the key is too long; at most 128 bytes");
    r->key = tp_tree_copy_text(r->tree, text, length);
    r->key_place = r->fixed_place ? *r->fixed_place : place;
    return r->key ? TP_OK : no_memory(r);
}

/* A new node in the place where the next one belongs. */
static tp_status add_node(reader *r, tp_node_kind kind, yaml_mark_t mark, tp_node **node_out)
{
    tp_place place = place_of(r, mark);
    if (r->tree->node_count >= TP_TREE_NODES_MAX) {
        return refuse(r, place, "more than 4000000 values; split the scene or shorten its lists");
    }
    tp_node *node = tp_tree_new_node(r->tree, kind, r->fixed_place ? *r->fixed_place : place);
    if (!node) return no_memory(r);
    if (r->key) {
        node->key = r->key;
        node->key_place = r->key_place;
        r->key = NULL;
    }
    if (r->depth > 0) {
        tp_node_append(r->open[r->depth - 1], node);
    } else {
        r->root = node;
    }
    *node_out = node;
    return TP_OK;
}

static tp_status take_scalar(reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    TP_TRY(refuse_marks(r, event->start_mark, event->data.scalar.anchor, event->data.scalar.tag));
    if (memchr(text, 0, length)) {
        return refuse(r, place_of(r, event->start_mark), "the text contains \\0; remove it");
    }
    if (wants_key(r)) return take_key(r, event);

    tp_node *node = NULL;
    TP_TRY(add_node(r, TP_NODE_SCALAR, event->start_mark, &node));
    yaml_scalar_style_t style = event->data.scalar.style;
    node->is_quoted = style != YAML_PLAIN_SCALAR_STYLE;
    if (!r->fixed_place) node->text_place = place_of_text(r, node->place, style);
    node->text = tp_tree_copy_text(r->tree, text, length);
    return node->text ? TP_OK : no_memory(r);
}

static tp_status begin_collection(reader *r, tp_node_kind kind, const yaml_event_t *event, bool is_block)
{
    tp_place place = place_of(r, event->start_mark);
    if (wants_key(r)) return refuse(r, place, "a key that is a list or map; a key is a word: 'key: value'");
    if (r->depth >= r->depth_max) {
        return refuse(r, place, "lists and maps nested more than 64 deep; make the scene flatter");
    }
    if (r->fixed_place && is_block) {
        return refuse(r, place,
                      "a list or map without brackets; write [a, b] or {key: value}, texts in quotes");
    }
    tp_node *node = NULL;
    TP_TRY(add_node(r, kind, event->start_mark, &node));
    r->open[r->depth++] = node;
    return TP_OK;
}

static tp_status end_collection(reader *r)
{
    const tp_node *node = r->open[--r->depth];
    return node->kind == TP_NODE_MAP ? refuse_duplicates(r, node) : TP_OK;
}

static tp_status take_event(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(r, place_of(r, event->start_mark),
                      "an alias (*); write the value itself, formulas that begin with * in quotes");
    case YAML_SCALAR_EVENT: return take_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        TP_TRY(refuse_marks(r, event->start_mark, event->data.sequence_start.anchor,
                            event->data.sequence_start.tag));
        return begin_collection(r, TP_NODE_LIST, event,
                                event->data.sequence_start.style != YAML_FLOW_SEQUENCE_STYLE);
    case YAML_MAPPING_START_EVENT:
        TP_TRY(refuse_marks(r, event->start_mark, event->data.mapping_start.anchor,
                            event->data.mapping_start.tag));
        return begin_collection(r, TP_NODE_MAP, event,
                                event->data.mapping_start.style != YAML_FLOW_MAPPING_STYLE);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return end_collection(r);
    case YAML_DOCUMENT_START_EVENT:
        if (!r->root) return TP_OK;
        return refuse(r, place_of(r, event->start_mark),
                      "a second document begins; a scene is one document: remove '---' and what follows");
    default: return TP_OK;
    }
}

/* Empty files have no node at all; files with comments or '---' alone have one that is nothing. */
static tp_status refuse_empty(const reader *r)
{
    const tp_node *root = r->root;
    bool is_empty = !root || (root->kind == TP_NODE_SCALAR && !root->is_quoted && !root->text[0]);
    if (!is_empty) return TP_OK;
    if (r->fixed_place)
        return tp_fail(r->why, TP_INVALID_DATA, "the value is missing; write '' for an empty text");
    return refuse(r, (tp_place){r->tree->file, 1, 1}, "the file is empty; write 'key: value' lines");
}

static tp_status read_events(reader *r)
{
    for (bool is_done = false; !is_done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) return explain_problem(r);
        tp_status status = take_event(r, &event);
        is_done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        TP_TRY(status);
    }
    return refuse_empty(r);
}

static tp_status run_reader(reader *r)
{
    if (!yaml_parser_initialize(&r->parser)) return no_memory(r);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, r->bytes, r->count);
    tp_status status = read_events(r);
    yaml_parser_delete(&r->parser);
    return status;
}

/* ---- interface ----------------------------------------------------------------------------------------- */

tp_status tp_tree_read(tp_arena *arena, tp_arena *nodes, const char *file, const void *bytes, size_t count,
                       tp_tree **tree_out, tp_message *why_out)
{
    static const unsigned char byte_order_mark[3] = {0xEF, 0xBB, 0xBF}; /* would shift columns by one */
    const unsigned char *begin = bytes;
    tp_tree *tree;
    TP_TRY(tp_tree_create(arena, nodes, file, &tree, why_out));
    if (count > TP_TREE_BYTES_MAX) {
        return tp_fail_at(why_out, TP_INVALID_DATA, (tp_place){tree->file, 1, 1},
                          "the file is larger than 64 MiB; scenes are smaller");
    }
    size_t skipped = count >= 3 && memcmp(begin, byte_order_mark, 3) == 0 ? 3 : 0;
    reader r = {.tree = tree,
                .why = why_out,
                .bytes = count > 0 ? begin + skipped : (const unsigned char *)"",
                .count = count - skipped,
                .depth_max = TP_TREE_DEPTH_MAX,
                .line = 1};
    TP_TRY(run_reader(&r));
    tree->root = r.root;
    *tree_out = tree;
    return TP_OK;
}

tp_status tp_tree_read_value(tp_tree *tree, const char *text, int depth, tp_place place, tp_node **node_out,
                             tp_message *why_out)
{
    reader r = {.tree = tree,
                .why = why_out,
                .bytes = (const unsigned char *)text,
                .count = strlen(text),
                .fixed_place = &place,
                .depth_max = TP_TREE_DEPTH_MAX - depth,
                .line = 1};
    TP_TRY(run_reader(&r));
    *node_out = r.root;
    return TP_OK;
}
