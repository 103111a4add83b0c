/* A scene file as a small checked tree: scalars, lists and maps with their places; docs/scene.md. */
#ifndef TP_IO_SCENE_SCENE_TREE_H
#define TP_IO_SCENE_SCENE_TREE_H

#include "base/arena.h"

/* What is larger is refused with its place, before it costs memory or time. */
enum {
    TP_TREE_BYTES_MAX = 64 * 1024 * 1024, /* of a file                                                    */
    TP_TREE_DEPTH_MAX = 64,               /* of lists and maps in each other                              */
    TP_TREE_NODES_MAX = 4000000,          /* scalars, lists and maps                                      */
    TP_TREE_KEY_MAX = 128                 /* bytes of a key; what is written must read back as a YAML key */
};

typedef enum tp_node_kind { TP_NODE_SCALAR, TP_NODE_LIST, TP_NODE_MAP } tp_node_kind;

/* Lives in the arena of its tree. Entries of a map are in the order of the file. */
typedef struct tp_node tp_node;
struct tp_node {
    tp_node_kind kind;
    bool is_quoted;      /* scalar: in quotes or a | or > block, hence a text whatever it looks like       */
    int count;           /* of items or entries                                                            */
    const char *text;    /* scalar: UTF-8 without NUL, terminated; else NULL                               */
    const char *key;     /* entry of a map: its key; else NULL                                             */
    tp_place place;      /* first character (the quote, the bracket, the first key)                        */
    tp_place text_place; /* scalar: first character of the text, behind the quote                          */
    tp_place key_place;  /* entry of a map                                                                 */
    const char *repetition; /* item of a list that `repeat` made: "i = 3"; else NULL */
    tp_node *parent; /* NULL at the root                                                               */
    tp_node *first, *last, *next;
};

typedef struct tp_tree {
    tp_arena *arena;  /* of texts and of what is read with their help */
    tp_arena *nodes;  /* of the nodes: the same, or one that is cleared once they have been read */
    const char *file; /* for messages; in the arena */
    tp_node *root;
    int node_count;
    tp_node *spare_nodes; /* small pieces are cut from larger ones: an arena gives 64 bytes at least */
    int spare_node_count;
    char *spare_text;
    size_t spare_text_bytes;
} tp_tree;

/* Reads one YAML document (JSON is YAML). `file` names it in messages and is copied, as is the content. What
   is malformed or refused gives TP_INVALID_DATA and "FILE:LINE:COLUMN: what is wrong; what would be right".
   The tree lives in the arena, its nodes in `nodes`. */
tp_status tp_tree_read(tp_arena *arena, tp_arena *nodes, const char *file, const void *bytes, size_t count,
                       tp_tree **tree_out, tp_message *why_out);

/* The same from a file or pipe; TP_FILE_ERROR when it cannot be read. */
tp_status tp_tree_read_file(tp_arena *arena, tp_arena *nodes, const char *path, tp_tree **tree_out,
                            tp_message *why_out);

/* Reads a value for an existing tree: a scalar, or a list or map in brackets, which will stand at a given
   depth (0: the root). Its nodes all get `place`; messages have no place of their own. Not yet in the tree.
 */
tp_status tp_tree_read_value(tp_tree *tree, const char *text, int depth, tp_place place, tp_node **node_out,
                             tp_message *why_out);

/* An empty tree, and a node that hangs nowhere yet (key NULL, or copied); NULL when there is no memory. */
tp_status tp_tree_create(tp_arena *arena, tp_arena *nodes, const char *file, tp_tree **tree_out,
                         tp_message *why_out);
tp_node *tp_tree_new_node(tp_tree *tree, tp_node_kind kind, tp_place place);
const char *tp_tree_copy_text(tp_tree *tree, const char *text, size_t length);

/* Appends an item to a list or an entry, with its key set, to a map. */
void tp_node_append(tp_node *parent, tp_node *child);

/* Puts what `value` is into the place of `node`, which keeps its key, parent and neighbours. */
void tp_node_replace(tp_node *node, const tp_node *value);

/* Lists and maps around a node. */
int tp_node_depth(const tp_node *node);

/* The entry of a map; NULL if there is none or if it is no map. */
tp_node *tp_map_get(const tp_node *map, const char *key);

/* The item of a list; NULL if there is none. */
tp_node *tp_list_at(const tp_node *list, int index);

/* ---- for messages ------------------------------------------------------------------------------------ */

/* The beginning of a text, without control characters, fit for a message. */
typedef struct tp_excerpt {
    char text[64];
} tp_excerpt;

tp_excerpt tp_excerpt_of(const char *text);

/* Where a node is, as --set writes it: contacts.beak.friction, contacts[0].friction. Long paths lose their
 * front.
 */
typedef struct tp_node_path {
    char text[160];
} tp_node_path;

tp_node_path tp_node_path_of(const tp_node *node);

/* The repetition that a node (NULL: none) belongs to: " (where i = 3, j = 1)", or nothing. */
typedef struct tp_node_where {
    char text[216];
} tp_node_where;

tp_node_where tp_node_where_of(const tp_node *node);

/* TP_INVALID_DATA with "FILE:LINE:COLUMN: PATH: ...", and the repetition at the end. */
tp_status tp_node_fail(const tp_node *node, tp_message *why_out, const char *format, ...) TP_PRINTF(3, 4);

#endif
