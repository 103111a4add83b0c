/* From a graph of operations to a tape; docs/theory/formulas.md, section 2. */
#include "formula/parser.h"
#include "formula/tape.h"

#include "base/sort.h"

/* Room for the parts of a tape, by the kinds of the graph's nodes. */
static tp_formula *new_formula(tp_arena *arena, const tp_graph *graph)
{
    tp_formula *formula = TP_ARENA_ARRAY(arena, tp_formula, 1);
    if (formula == NULL) return NULL;
    for (int i = 0; i < graph->count; i++) {
        int code = graph->nodes[i].op.code;
        formula->constant_count += code == TP_OP_CONSTANT;
        formula->variable_count += code == TP_OP_VARIABLE;
        formula->operation_count += code > TP_OP_ARGUMENT;
    }
    formula->value_count = graph->count;
    formula->constants = TP_ARENA_ARRAY(arena, double, formula->constant_count + 1);
    formula->slots = TP_ARENA_ARRAY(arena, int, formula->variable_count + 1);
    formula->operations = TP_ARENA_ARRAY(arena, tp_operation, formula->operation_count + 1);
    bool is_complete = formula->constants != NULL && formula->slots != NULL && formula->operations != NULL;
    return is_complete ? formula : NULL;
}

/* Slots ascending; every variable of the graph is there once. */
static void collect_slots(const tp_graph *graph, int count, int *slots)
{
    int next = 0;
    for (int i = 0; i < graph->count; i++) {
        if (graph->nodes[i].op.code == TP_OP_VARIABLE) slots[next++] = graph->nodes[i].op.a;
    }
    tp_sort_ints(slots, count);
}

static tp_formula *make_tape(tp_arena *arena, const tp_graph *graph, int *place)
{
    tp_formula *formula = new_formula(arena, graph);
    if (formula == NULL) return NULL;
    collect_slots(graph, formula->variable_count, formula->slots);

    int next_constant = 0, next_operation = 0;
    int first_variable = formula->constant_count, first_operation = first_variable + formula->variable_count;
    for (int i = 0; i < graph->count; i++) {
        const tp_node *node = &graph->nodes[i];
        if (node->op.code == TP_OP_CONSTANT) {
            place[i] = next_constant;
            formula->constants[next_constant++] = node->constant;
        } else if (node->op.code == TP_OP_VARIABLE) {
            place[i] = first_variable + tp_find_int(formula->slots, formula->variable_count, node->op.a);
        } else {
            formula->operations[next_operation] = tp_operation_moved(node->op, place);
            place[i] = first_operation + next_operation++;
        }
    }
    formula->result = place[graph->result];
    return formula;
}

tp_status tp_formula_compile(tp_arena *arena, const tp_names *names, const char *text, tp_place place,
                             tp_formula **formula_out, tp_message *why_out)
{
    *formula_out = NULL;
    tp_arena scratch = tp_arena_make(arena->allocator);
    tp_parse_input input = {.names = names, .text = text, .place = place};
    tp_graph graph = {0};
    bool is_condition = false;
    tp_status status = tp_parse(&scratch, &input, &graph, &is_condition, why_out);
    if (status == TP_OK && is_condition) {
        status = tp_fail_at(why_out, TP_INVALID_DATA, place,
                            "the formula is a condition, not a number; write if(condition, a, b)");
    }
    if (status == TP_OK) {
        int *numbers = TP_ARENA_ARRAY(&scratch, int, graph.count);
        tp_formula *formula = numbers == NULL ? NULL : make_tape(arena, &graph, numbers);
        if (formula == NULL)
            status = tp_fail_at(why_out, TP_OUT_OF_MEMORY, place, "no memory for the formula");
        *formula_out = formula;
    }
    tp_arena_clear(&scratch);
    return status;
}
