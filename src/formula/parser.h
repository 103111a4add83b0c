/* The grammar of formulas: text to a graph of operations; docs/theory/formulas.md, section 1. */
#ifndef TP_FORMULA_PARSER_H
#define TP_FORMULA_PARSER_H

#include "formula/builder.h"
#include "formula/name_table.h"

enum {
    TP_FORMULA_MAX_DEPTH = 200, /* levels of nesting: bounds the stack of the parser */
    TP_FORMULA_MAX_TEXT = 65536 /* bytes                                             */
};

typedef struct tp_parse_input {
    const tp_names *names;
    const char *text;
    tp_place place;
    const char *const *arguments; /* of the function whose body this is */
    int argument_count;
} tp_parse_input;

/* The graph goes into the arena; nothing else stays. */
tp_status tp_parse(tp_arena *arena, const tp_parse_input *input, tp_graph *graph_out, bool *is_condition_out,
                   tp_message *why_out);

#endif
