/* Whether two trees say the same. */
#ifndef TESTS_IO_NODE_EQUAL_H
#define TESTS_IO_NODE_EQUAL_H

#include <string.h>

#include "io/scene/scalar.h"

static inline bool scalars_equal(const tp_node *a, const tp_node *b)
{
    tp_meaning meaning = tp_node_meaning(a);
    if (meaning != tp_node_meaning(b)) return false;
    return meaning == TP_MEANS_NOTHING || strcmp(a->text, b->text) == 0;
}

/* Same kinds, keys in the same order, and same scalars: texts agree and mean the same, so that quotes matter
   only around what would else be a number, true, false or nothing (however nothing is written). */
static inline bool node_equal(const tp_node *a, const tp_node *b)
{
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == TP_NODE_SCALAR) return scalars_equal(a, b);
    const tp_node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (a->kind == TP_NODE_MAP && strcmp(x->key, y->key) != 0) return false;
        if (!node_equal(x, y)) return false;
    }
    return !x && !y;
}

#endif
