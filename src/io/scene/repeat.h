/* Entries of lists that stand for several: repeat, let, when, each; docs/guide/repeat.md. */
#ifndef TP_IO_SCENE_REPEAT_H
#define TP_IO_SCENE_REPEAT_H

#include "io/scene/keys.h"
#include "io/scene/scope.h"

/* What such an entry says besides the entry that it repeats, and what `let` may say; for the manual. */
extern const tp_key_table tp_repeat_keys, tp_random_keys;

/* Whether there is such an entry in a node. */
bool tp_repeat_is_in(const tp_node *node);

/* Puts what they stand for into their places, in a map of the table or in the value of a key. */
tp_status tp_repeat_expand(tp_scope *scope, tp_node *map, const tp_key_table *table);
tp_status tp_repeat_expand_value(tp_scope *scope, tp_node *value, const tp_key *key);

#endif
