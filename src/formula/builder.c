/* Hash consing and constant folding; docs/theory/formulas.md, section 2. */
#include "formula/builder.h"

#include <stdint.h>
#include <string.h>

void tp_builder_init(tp_builder *builder, const tp_allocator *allocator)
{
    *builder = (tp_builder){.status = TP_OK};
    tp_arena_init(&builder->memory, allocator);
}

void tp_builder_clear(tp_builder *builder)
{
    tp_arena_clear(&builder->memory);
}

static uint64_t mixed(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

static uint64_t node_hash(const tp_node *node)
{
    uint64_t bits;
    memcpy(&bits, &node->constant, sizeof bits);
    uint64_t hash = mixed((uint64_t)node->op.code, bits);
    hash = mixed(hash, (uint32_t)node->op.a);
    hash = mixed(hash, (uint32_t)node->op.b);
    return mixed(hash, (uint32_t)node->op.c);
}

/* Constants are compared by their bits: 0 and -0 differ, and a NaN equals itself. */
static bool same_node(const tp_node *x, const tp_node *y)
{
    return x->op.code == y->op.code && x->op.a == y->op.a && x->op.b == y->op.b && x->op.c == y->op.c &&
           memcmp(&x->constant, &y->constant, sizeof x->constant) == 0;
}

/* Place in the table: of the equal node, or the free one where it would go. */
static int *find_place(const tp_builder *builder, const tp_node *node)
{
    unsigned mask = (unsigned)builder->table_size - 1u;
    for (unsigned i = (unsigned)(node_hash(node) >> 20) & mask;; i = (i + 1) & mask) {
        int found = builder->table[i];
        if (found == 0 || same_node(&builder->nodes[found - 1], node)) return &builder->table[i];
    }
}

static int give_up(tp_builder *builder, tp_status why)
{
    builder->status = why;
    return 0;
}

/* Twice the room. The arena keeps the old arrays until the end: at most as much again. */
static bool grow(tp_builder *builder)
{
    int capacity = builder->capacity == 0 ? 64 : 2 * builder->capacity;
    tp_node *nodes = TP_ARENA_ARRAY(&builder->memory, tp_node, capacity);
    int *table = TP_ARENA_ARRAY(&builder->memory, int, 2 * capacity);
    if (nodes == NULL || table == NULL) return give_up(builder, TP_OUT_OF_MEMORY);
    if (builder->count > 0) memcpy(nodes, builder->nodes, (size_t)builder->count * sizeof *nodes);
    builder->nodes = nodes;
    builder->table = table;
    builder->capacity = capacity;
    builder->table_size = 2 * capacity;
    for (int i = 0; i < builder->count; i++) *find_place(builder, &nodes[i]) = i + 1;
    return true;
}

/* The node with this content: the one there is, or a new one. */
static int intern(tp_builder *builder, tp_node node)
{
    if (builder->status != TP_OK) return 0;
    if (builder->count == builder->capacity && !grow(builder)) return 0;
    int *place = find_place(builder, &node);
    if (*place != 0) return *place - 1;

    builder->operation_count += node.op.code > TP_OP_ARGUMENT;
    if (builder->operation_count > TP_FORMULA_MAX_OPERATIONS) return give_up(builder, TP_INVALID_DATA);
    builder->nodes[builder->count] = node;
    *place = ++builder->count;
    return builder->count - 1;
}

int tp_builder_constant(tp_builder *builder, double value)
{
    return intern(builder, (tp_node){{TP_OP_CONSTANT, 0, 0, 0}, value});
}

int tp_builder_leaf(tp_builder *builder, int code, int number)
{
    return intern(builder, (tp_node){{code, number, 0, 0}, 0.0});
}

static bool is_constant(const tp_builder *builder, int node)
{
    return builder->nodes[node].op.code == TP_OP_CONSTANT;
}

static bool is_exactly(const tp_builder *builder, int node, double value)
{
    return is_constant(builder, node) && builder->nodes[node].constant == value;
}

/* All operands are numbers: so is the result, the same that the tape would compute. */
static int fold(tp_builder *builder, int code, const int operand[3], int operand_count, int exponent)
{
    double values[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < operand_count; i++) values[i] = builder->nodes[operand[i]].constant;
    tp_operation op = {code, 0, code == TP_OP_INTEGER_POWER ? exponent : 1, 2};
    return tp_builder_constant(builder, tp_operation_value(&op, values));
}

int tp_builder_operation(tp_builder *builder, int code, int a, int b, int c)
{
    if (builder->status != TP_OK) return 0;
    const int operand[3] = {a, b, c}, operand_count = tp_operation_operand_count(code);
    int constants = 0;
    for (int i = 0; i < operand_count; i++) constants += is_constant(builder, operand[i]);
    if (constants == operand_count) return fold(builder, code, operand, operand_count, b);

    /* Identities that hold for every number, to the last bit. */
    switch (code) {
    case TP_OP_SELECT:
        if (is_constant(builder, a)) return builder->nodes[a].constant != 0.0 ? b : c;
        if (b == c) return b;
        break;
    case TP_OP_MULTIPLY:
        if (is_exactly(builder, a, 1.0)) return b;
        if (is_exactly(builder, b, 1.0)) return a;
        break;
    case TP_OP_DIVIDE:
        if (is_exactly(builder, b, 1.0)) return a;
        break;
    case TP_OP_NEGATE:
        if (builder->nodes[a].op.code == TP_OP_NEGATE) return builder->nodes[a].op.a;
        break;
    default: break;
    }

    /* Sums and products do not depend on the order of two operands. */
    if ((code == TP_OP_ADD || code == TP_OP_MULTIPLY) && a > b) {
        int swapped = a;
        a = b;
        b = swapped;
    }
    return intern(builder, (tp_node){{code, a, b, c}, 0.0});
}

int tp_builder_power(tp_builder *builder, int base, int exponent)
{
    if (builder->status != TP_OK) return 0;
    if (!is_constant(builder, exponent)) return tp_builder_operation(builder, TP_OP_POWER, base, exponent, 0);

    double p = builder->nodes[exponent].constant;
    if (p == 0.0) return tp_builder_constant(builder, 1.0);
    if (p == 1.0) return base;
    if (p == 2.0) return tp_builder_operation(builder, TP_OP_SQUARE, base, 0, 0);
    if (p == 0.5) return tp_builder_operation(builder, TP_OP_SQRT, base, 0, 0);
    if (fabs(p) <= TP_FORMULA_MAX_INTEGER_POWER && p == floor(p)) {
        return tp_builder_operation(builder, TP_OP_INTEGER_POWER, base, (int)p, 0);
    }
    return tp_builder_operation(builder, TP_OP_FIXED_POWER, base, exponent, 0);
}

/* A node of another graph, its operands already here. */
static int expand_node(tp_builder *builder, const tp_node *node, const int *here, const int *arguments)
{
    const tp_operation *op = &node->op;
    switch (op->code) {
    case TP_OP_CONSTANT: return tp_builder_constant(builder, node->constant);
    case TP_OP_VARIABLE: return tp_builder_leaf(builder, TP_OP_VARIABLE, op->a);
    case TP_OP_ARGUMENT: return arguments[op->a];
    case TP_OP_POWER: /* the exponent may have become a number */
        return tp_builder_power(builder, here[op->a], here[op->b]);
    default: {
        tp_operation moved = tp_operation_moved(*op, here);
        return tp_builder_operation(builder, op->code, moved.a, moved.b, moved.c);
    }
    }
}

int tp_builder_expand(tp_builder *builder, const tp_graph *graph, const int *arguments)
{
    if (builder->status != TP_OK) return 0;
    builder->expanded_count += graph->count;
    if (builder->expanded_count > TP_FORMULA_MAX_EXPANSION) return give_up(builder, TP_INVALID_DATA);
    int *here = TP_ARENA_ARRAY(&builder->memory, int, graph->count);
    if (here == NULL) return give_up(builder, TP_OUT_OF_MEMORY);
    for (int i = 0; i < graph->count; i++) {
        here[i] = expand_node(builder, &graph->nodes[i], here, arguments);
    }
    return builder->status == TP_OK ? here[graph->result] : 0;
}

/* Marks what the result needs, users before operands. */
static void mark_needed(const tp_builder *builder, int result, int *needed)
{
    needed[result] = 1;
    for (int i = result; i >= 0; i--) {
        if (!needed[i]) continue;
        const tp_operation *op = &builder->nodes[i].op;
        const int operand[3] = {op->a, op->b, op->c}, operand_count = tp_operation_operand_count(op->code);
        for (int k = 0; k < operand_count; k++) needed[operand[k]] = 1;
    }
}

tp_status tp_builder_finish(tp_builder *builder, int result, tp_arena *arena, tp_graph *graph_out)
{
    if (builder->status != TP_OK) return builder->status;
    int *place = TP_ARENA_ARRAY(&builder->memory, int, result + 1);
    if (place == NULL) return TP_OUT_OF_MEMORY;
    mark_needed(builder, result, place);

    int count = 0;
    for (int i = 0; i <= result; i++) count += place[i];
    tp_node *nodes = TP_ARENA_ARRAY(arena, tp_node, count);
    if (nodes == NULL) return TP_OUT_OF_MEMORY;
    int next = 0;
    for (int i = 0; i <= result; i++) {
        if (!place[i]) continue;
        tp_node node = builder->nodes[i];
        node.op = tp_operation_moved(node.op, place);
        nodes[next] = node;
        place[i] = next++;
    }
    *graph_out = (tp_graph){count, next - 1, nodes};
    return TP_OK;
}
