/* Edits of a scene from the command line: --set PATH=VALUE; docs/scene.md. */
#ifndef TP_IO_SCENE_EDIT_H
#define TP_IO_SCENE_EDIT_H

#include "io/scene/keys.h"
#include "io/scene/scene_tree.h"

/* What may be added. Without rules, only what is there can be changed. */
typedef struct tp_edit_rules {
    const tp_key_table *table; /* of the root; NULL: none */
    /* Further keys that may be added to a map, the velocities of `initial` for instance; may be NULL. */
    bool (*knows)(void *context, const tp_node *map, const char *key);
    void *context;
} tp_edit_rules;

/* Changes one value. PATH: keys with dots between them; items of lists by their `name` or as [i], from 0. A
   key may have dots and apostrophes itself: the longest key that is there is taken. VALUE: a YAML scalar,
   [list] or {map}. New nodes have the place --set:1:1. The path must be there; or what is missing of it must
   be keys that the table knows, the last of any kind, those before of maps. rules may be NULL.
   TP_INVALID_DATA and a message that begins with the argument; the tree is then as it was. */
tp_status tp_tree_set(tp_tree *tree, const char *argument, const tp_edit_rules *rules, tp_message *why_out);

#endif
