/* Builds a graph of operations in which equal sub-expressions are one node and constants are folded;
 * docs/theory/formulas.md, section 2. */
#ifndef TP_FORMULA_BUILDER_H
#define TP_FORMULA_BUILDER_H

#include "base/arena.h"
#include "formula/operation.h"

enum {
    TP_FORMULA_MAX_OPERATIONS = 100000, /* after functions are expanded and equal parts shared         */
    TP_FORMULA_MAX_EXPANSION = 1000000, /* nodes looked at while expanding: bounds the time of a parse */
    TP_FORMULA_MAX_INTEGER_POWER = 1024 /* larger exponents go through pow                             */
};

typedef struct tp_node {
    tp_operation op;
    double constant; /* of a TP_OP_CONSTANT */
} tp_node;

/* A finished graph, operands before their users. */
typedef struct tp_graph {
    int count, result;
    const tp_node *nodes;
} tp_graph;

typedef struct tp_builder {
    tp_arena memory; /* its own; cleared with the builder */
    tp_node *nodes;
    int *table; /* hash table of node numbers + 1; 0: free */
    int count, capacity, table_size;
    int operation_count, expanded_count;
    tp_status status; /* first failure: no memory, or too many operations (TP_INVALID_DATA) */
} tp_builder;

void tp_builder_init(tp_builder *builder, const tp_allocator *allocator);
void tp_builder_clear(tp_builder *builder);

/* Each returns a node's number. After a failure (builder->status) they return 0 and do nothing. */
int tp_builder_constant(tp_builder *builder, double value);
int tp_builder_leaf(tp_builder *builder, int code, int number);
int tp_builder_operation(tp_builder *builder, int code, int a, int b, int c);
int tp_builder_power(tp_builder *builder, int base, int exponent);

/* Puts a copy of a graph in, with nodes for its arguments; returns its result. */
int tp_builder_expand(tp_builder *builder, const tp_graph *graph, const int *arguments);

/* The nodes that `result` needs, copied into an arena in their order. */
tp_status tp_builder_finish(tp_builder *builder, int result, tp_arena *arena, tp_graph *graph_out);

#endif
