/* The names that an entry with `repeat` may use: parameters of its file, counters, and values of `let`; and
   texts in which they stand for their values. docs/guide/repeat.md. */
#ifndef TP_IO_SCENE_SCOPE_H
#define TP_IO_SCENE_SCOPE_H

#include "io/common/text.h"
#include "io/scene/scene_tree.h"
#include "tippe/model.h"

enum {
    TP_SCOPE_SEED = 1,             /* of random numbers, where none is given                            */
    TP_SCOPE_LOCALS_MAX = 64,      /* counters and values of `let` at a time                            */
    TP_SCOPE_WORK_MAX = 400000000, /* of all repeats of a scene, in bytes of text that are looked at: a
                                      hostile scene ends after seconds                                  */
    TP_SCOPE_WORK_OF_STEP = 100    /* that a repetition or a formula costs besides its bytes            */
};

/* A counter or a value of `let`. */
typedef struct tp_local {
    const char *name;
    int count; /* 1: a number; 4: a rotation */
    bool is_counter;
    double values[4];
} tp_local;

typedef struct tp_scope {
    tp_tree *tree;
    tp_model *model; /* nothing but parameters */
    tp_local locals[TP_SCOPE_LOCALS_MAX];
    int local_count, seed;
    long long *work;        /* so far; shared by the scopes of a scene       */
    const char *repetition; /* of nodes that are made; NULL: not within a repetition */
    tp_text made, inner;    /* texts under way                               */
    tp_message *why;
} tp_scope;

/* Takes the parameters of a scene, a map or NULL. Those that are wrong are left out when `is_lenient`, else
   refused. Close it whatever the status is. */
tp_status tp_scope_open(tp_scope *scope, tp_tree *tree, const tp_node *parameters, bool is_lenient,
                        long long *work, tp_message *why_out);
void tp_scope_close(tp_scope *scope);

/* TP_INVALID_DATA with place, path and repetition. */
tp_status tp_scope_fail(tp_scope *scope, const tp_node *node, const char *format, ...) TP_PRINTF(3, 4);

/* TP_OUT_OF_MEMORY with its message. */
tp_status tp_scope_no_memory(tp_scope *scope);

/* "i = 3, j = 1": the counters. */
enum { TP_SCOPE_WHERE_ROOM = 200 };
void tp_scope_where(const tp_scope *scope, char text[TP_SCOPE_WHERE_ROOM]);

/* Adds one. */
tp_status tp_scope_add(tp_scope *scope, const tp_node *entry, tp_local local);

/* Counts work; refuses more than is allowed. */
tp_status tp_scope_work(tp_scope *scope, const tp_node *node, size_t bytes);

/* The value of a number or formula; of a formula that is a whole number; of a condition. */
tp_status tp_scope_number(tp_scope *scope, const tp_node *node, double *value_out);
tp_status tp_scope_integer(tp_scope *scope, const tp_node *node, int *value_out);
tp_status tp_scope_condition(tp_scope *scope, const tp_node *node, bool *value_out);

/* Gives `copy`, which is as `node`, its text with values for names: {formula} anywhere, and names as they are
   if it is a formula. A rotation alone makes it a list. */
tp_status tp_scope_fill(tp_scope *scope, const tp_node *node, bool is_formula, tp_node *copy);

/* A text alone: that of a key. The text itself where nothing changes. */
tp_status tp_scope_text(tp_scope *scope, const tp_node *node, const char *text, const char **text_out);

/* Bytes of the name (with its dots and apostrophes) and of the number that begin a text; 0: none. */
size_t tp_span_name(const char *text, size_t length);
size_t tp_span_number(const char *text, size_t length);

/* A number as a scene says it: the same double again when it is read. */
const char *tp_scope_print(tp_tree *tree, double value);

#endif
