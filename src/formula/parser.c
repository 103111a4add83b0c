/* A parser by recursive descent with a bounded depth; docs/theory/formulas.md, section 1. */
#include "formula/parser.h"

#include "formula/lexer.h"

#include <string.h>

enum { SHOWN = 40 }; /* characters of a token that a message shows */

/* A part of the formula: a node, and whether it is a number or a condition. */
typedef struct part {
    int node;
    bool is_condition;
} part;

typedef struct parser {
    const tp_parse_input *input;
    tp_lexer lexer;
    tp_token token; /* the one to be read next */
    tp_builder builder;
    tp_message *why;
    int depth;
} parser;

static tp_status parse_expression(parser *p, part *part_out);
static tp_status parse_unary(parser *p, part *part_out);

/* --- Messages --- */

static int shown_length(const tp_token *token)
{
    return token->length < SHOWN ? token->length : SHOWN;
}

static tp_status unexpected(parser *p, const char *wanted)
{
    const tp_token *token = &p->token;
    if (token->kind == TP_TOKEN_END) {
        return tp_fail_at(p->why, TP_INVALID_DATA, token->place, "the formula ends where %s should stand",
                          wanted);
    }
    return tp_fail_at(p->why, TP_INVALID_DATA, token->place, "unexpected \"%.*s\" where %s should stand",
                      shown_length(token), token->text, wanted);
}

/* The builder keeps quiet; its failures are told here, at the token that was read last. */
static tp_status check_builder(parser *p, tp_place place)
{
    if (p->builder.status == TP_OUT_OF_MEMORY) {
        return tp_fail_at(p->why, TP_OUT_OF_MEMORY, place, "no memory for the formula");
    }
    if (p->builder.status != TP_OK) {
        return tp_fail_at(
            p->why, p->builder.status, place,
            "the formula has too many operations (more than %d after its functions are expanded)",
            (int)TP_FORMULA_MAX_OPERATIONS);
    }
    return TP_OK;
}

static tp_status require_number(parser *p, part value, const tp_token *where)
{
    if (!value.is_condition) return TP_OK;
    return tp_fail_at(p->why, TP_INVALID_DATA, where->place,
                      "\"%.*s\": a condition stands where a number should; write if(condition, a, b)",
                      shown_length(where), where->text);
}

static tp_status require_condition(parser *p, part value, const tp_token *where)
{
    if (value.is_condition) return TP_OK;
    return tp_fail_at(p->why, TP_INVALID_DATA, where->place,
                      "\"%.*s\": a number stands where a condition should, such as x > 0",
                      shown_length(where), where->text);
}

/* --- Tokens --- */

static tp_status advance(parser *p)
{
    return tp_lexer_next(&p->lexer, &p->token);
}

static bool is_symbol(const parser *p, int symbol)
{
    return p->token.kind == TP_TOKEN_SYMBOL && p->token.symbol == symbol;
}

static tp_status go_deeper(parser *p)
{
    if (++p->depth <= TP_FORMULA_MAX_DEPTH) return TP_OK;
    return tp_fail_at(p->why, TP_INVALID_DATA, p->token.place, "\"%.*s\": nested deeper than %d levels",
                      shown_length(&p->token), p->token.text, (int)TP_FORMULA_MAX_DEPTH);
}

/* --- Calls --- */

static tp_status wrong_count(parser *p, const tp_token *name, int least, int most, int given)
{
    return tp_fail_at(p->why, TP_INVALID_DATA, name->place, "%.*s takes %d%s argument%s, not %d",
                      shown_length(name), name->text, least, most < 0 ? " or more" : "",
                      least == 1 && most == 1 ? "" : "s", given);
}

/* The end of an argument: true if another follows. */
static tp_status end_argument(parser *p, const tp_token *name, bool *more_out)
{
    *more_out = is_symbol(p, ',');
    if (*more_out || is_symbol(p, ')')) return advance(p);
    if (p->token.kind == TP_TOKEN_END) {
        return tp_fail_at(p->why, TP_INVALID_DATA, p->token.place, "missing \")\" of \"%.*s(\"",
                          shown_length(name), name->text);
    }
    return unexpected(p, "\",\" or \")\"");
}

/* Arguments of a call after its "(", all numbers but the first of an if. Keeps the first `room`, counts all;
   the extremes take any number of arguments and are made as they come. */
static tp_status parse_arguments(parser *p, const tp_token *name, const tp_builtin *builtin, int room,
                                 part *arguments_out, int *count_out)
{
    bool more = !is_symbol(p, ')');
    *count_out = 0;
    if (!more) TP_TRY(advance(p));
    while (more) {
        tp_token where = p->token;
        part argument;
        TP_TRY(parse_expression(p, &argument));
        bool is_test = builtin != NULL && builtin->code == TP_BUILTIN_IF && *count_out == 0;
        TP_TRY(is_test ? require_condition(p, argument, &where) : require_number(p, argument, &where));
        if (builtin != NULL && builtin->most < 0 && *count_out > 0) {
            arguments_out[0].node =
                tp_builder_operation(&p->builder, builtin->code, arguments_out[0].node, argument.node, 0);
        } else if (*count_out < room) {
            arguments_out[*count_out] = argument;
        }
        ++*count_out;
        TP_TRY(check_builder(p, where.place));
        TP_TRY(end_argument(p, name, &more));
    }
    return TP_OK;
}

static int builtin_node(tp_builder *builder, const tp_builtin *builtin, const part *argument)
{
    if (builtin->most < 0) return argument[0].node; /* made while its arguments were read */
    int a = argument[0].node, b = builtin->most > 1 ? argument[1].node : 0;
    switch (builtin->code) {
    case TP_BUILTIN_IF: return tp_builder_operation(builder, TP_OP_SELECT, a, b, argument[2].node);
    case TP_BUILTIN_POWER: return tp_builder_power(builder, a, b);
    default: return tp_builder_operation(builder, builtin->code, a, b, 0);
    }
}

static tp_status call_builtin(parser *p, const tp_token *name, const tp_builtin *builtin, part *part_out)
{
    part arguments[3] = {{0, false}, {0, false}, {0, false}};
    int count;
    TP_TRY(parse_arguments(p, name, builtin, 3, arguments, &count));
    if (count < builtin->least || (builtin->most >= 0 && count > builtin->most)) {
        return wrong_count(p, name, builtin->least, builtin->most, count);
    }
    *part_out = (part){builtin_node(&p->builder, builtin, arguments), false};
    return check_builder(p, name->place);
}

static tp_status call_function(parser *p, const tp_token *name, const tp_name *function, part *part_out)
{
    part arguments[TP_FORMULA_MAX_ARGUMENTS];
    int nodes[TP_FORMULA_MAX_ARGUMENTS] = {0}, count;
    TP_TRY(parse_arguments(p, name, NULL, TP_FORMULA_MAX_ARGUMENTS, arguments, &count));
    if (count != function->argument_count) {
        return wrong_count(p, name, function->argument_count, function->argument_count, count);
    }
    for (int i = 0; i < count; i++) nodes[i] = arguments[i].node;
    *part_out = (part){tp_builder_expand(&p->builder, &function->body, nodes), function->is_condition};
    return check_builder(p, name->place);
}

/* --- Names --- */

static tp_status unknown_name(parser *p, const tp_token *name, bool is_function)
{
    char room[TP_FAMILY_NAME_BYTES];
    const char *nearest = tp_names_nearest(p->input->names, p->input->arguments, p->input->argument_count,
                                           name->text, name->length, is_function, room);
    const char *what = is_function ? "function" : "name";
    if (nearest == NULL) {
        return tp_fail_at(p->why, TP_INVALID_DATA, name->place, "unknown %s \"%.*s\"", what,
                          shown_length(name), name->text);
    }
    return tp_fail_at(p->why, TP_INVALID_DATA, name->place, "unknown %s \"%.*s\"; did you mean \"%.*s\"?",
                      what, shown_length(name), name->text, (int)SHOWN, nearest);
}

static int find_argument(const parser *p, const tp_token *name)
{
    for (int i = 0; i < p->input->argument_count; i++) {
        if (tp_is_word(name->text, name->length, p->input->arguments[i])) return i;
    }
    return -1;
}

/* A name with "(" behind it. */
static tp_status parse_call(parser *p, const tp_token *name, part *part_out)
{
    const tp_builtin *builtin = tp_builtin_find(name->text, name->length);
    tp_name known;
    bool is_known = tp_names_find(p->input->names, name->text, name->length, &known);
    bool is_function = is_known && known.kind == TP_NAME_FUNCTION && find_argument(p, name) < 0;
    if (builtin == NULL && !is_function) {
        bool is_value = is_known || find_argument(p, name) >= 0;
        if (!is_value) return unknown_name(p, name, true);
        return tp_fail_at(p->why, TP_INVALID_DATA, name->place,
                          "\"%.*s\" is not a function; a product needs *", shown_length(name), name->text);
    }
    TP_TRY(advance(p)); /* the "(" */
    return builtin != NULL ? call_builtin(p, name, builtin, part_out)
                           : call_function(p, name, &known, part_out);
}

static tp_status value_of_name(parser *p, const tp_token *name, part *part_out)
{
    const double pi = 3.14159265358979323846;
    tp_builder *builder = &p->builder;
    part_out->is_condition = false;
    int argument = find_argument(p, name);
    tp_name known;
    bool is_known = tp_names_find(p->input->names, name->text, name->length, &known);
    if (argument >= 0) {
        part_out->node = tp_builder_leaf(builder, TP_OP_ARGUMENT, argument);
    } else if (tp_is_word(name->text, name->length, "pi")) {
        part_out->node = tp_builder_constant(builder, pi);
    } else if (!is_known && tp_builtin_find(name->text, name->length) == NULL) {
        return unknown_name(p, name, false);
    } else if (!is_known || known.kind == TP_NAME_FUNCTION) {
        return tp_fail_at(p->why, TP_INVALID_DATA, name->place,
                          "function \"%.*s\" lacks its arguments: %.*s(...)", shown_length(name), name->text,
                          shown_length(name), name->text);
    } else if (known.kind == TP_NAME_REFUSED) {
        return tp_fail_at(p->why, TP_INVALID_DATA, name->place, "\"%.*s\" %s", shown_length(name), name->text,
                          known.reason);
    } else if (known.kind == TP_NAME_VARIABLE) {
        part_out->node = tp_builder_leaf(builder, TP_OP_VARIABLE, known.slot);
    } else if (known.kind == TP_NAME_CONSTANT) {
        part_out->node = tp_builder_constant(builder, known.constant);
    } else {
        part_out->node = tp_builder_expand(builder, &known.body, NULL);
        part_out->is_condition = known.is_condition;
    }
    return check_builder(p, name->place);
}

static tp_status parse_name(parser *p, part *part_out)
{
    tp_token name = p->token;
    TP_TRY(advance(p));
    return is_symbol(p, '(') ? parse_call(p, &name, part_out) : value_of_name(p, &name, part_out);
}

/* --- Expressions --- */

static tp_status parse_parenthesis(parser *p, part *part_out)
{
    tp_token open = p->token;
    TP_TRY(advance(p));
    TP_TRY(parse_expression(p, part_out));
    if (is_symbol(p, ')')) return advance(p);
    if (p->token.kind == TP_TOKEN_END) {
        return tp_fail_at(p->why, TP_INVALID_DATA, p->token.place,
                          "missing \")\" of the \"(\" at line %d, column %d", open.place.line,
                          open.place.column);
    }
    return unexpected(p, "\")\" or an operator");
}

static tp_status parse_primary(parser *p, part *part_out)
{
    switch (p->token.kind) {
    case TP_TOKEN_NUMBER:
        *part_out = (part){tp_builder_constant(&p->builder, p->token.number), false};
        TP_TRY(check_builder(p, p->token.place));
        return advance(p);
    case TP_TOKEN_NAME: return parse_name(p, part_out);
    case TP_TOKEN_SYMBOL:
        if (p->token.symbol == '(') return parse_parenthesis(p, part_out);
        break;
    default: break;
    }
    return unexpected(p, "a number, a name or \"(\"");
}

/* primary [^ unary]: the exponent may have a sign and powers of its own. */
static tp_status parse_power(parser *p, part *part_out)
{
    tp_token where = p->token;
    TP_TRY(parse_primary(p, part_out));
    if (!is_symbol(p, '^')) return TP_OK;

    TP_TRY(require_number(p, *part_out, &where));
    TP_TRY(go_deeper(p));
    TP_TRY(advance(p));
    where = p->token;
    part exponent;
    TP_TRY(parse_unary(p, &exponent));
    TP_TRY(require_number(p, exponent, &where));
    p->depth--;
    part_out->node = tp_builder_power(&p->builder, part_out->node, exponent.node);
    return check_builder(p, where.place);
}

/* Signs, any number of them. */
static tp_status parse_unary(parser *p, part *part_out)
{
    if (!is_symbol(p, '-') && !is_symbol(p, '+')) return parse_power(p, part_out);

    bool is_minus = is_symbol(p, '-');
    TP_TRY(go_deeper(p));
    TP_TRY(advance(p));
    tp_token where = p->token;
    TP_TRY(parse_unary(p, part_out));
    TP_TRY(require_number(p, *part_out, &where));
    if (is_minus) part_out->node = tp_builder_operation(&p->builder, TP_OP_NEGATE, part_out->node, 0, 0);
    p->depth--;
    return check_builder(p, where.place);
}

/* Operators between two operands, from those that bind least. */
typedef struct operator_kind {
    int level; /* 0: not an operator                              */
    int code;
    bool is_swapped;    /* a > b is b < a */
    bool on_conditions; /* and, or        */
} operator_kind;

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

static operator_kind operator_of(const tp_token *token)
{
    if (token->kind == TP_TOKEN_OR) return (operator_kind){LEVEL_OR, TP_OP_OR, false, true};
    if (token->kind == TP_TOKEN_AND) return (operator_kind){LEVEL_AND, TP_OP_AND, false, true};
    if (token->kind != TP_TOKEN_SYMBOL) return (operator_kind){0};
    switch (token->symbol) {
    case '<': return (operator_kind){LEVEL_COMPARE, TP_OP_LESS, false, false};
    case '>': return (operator_kind){LEVEL_COMPARE, TP_OP_LESS, true, false};
    case '<' + TP_TWO_CHARACTERS: return (operator_kind){LEVEL_COMPARE, TP_OP_LESS_EQUAL, false, false};
    case '>' + TP_TWO_CHARACTERS: return (operator_kind){LEVEL_COMPARE, TP_OP_LESS_EQUAL, true, false};
    case '=' + TP_TWO_CHARACTERS: return (operator_kind){LEVEL_COMPARE, TP_OP_EQUAL, false, false};
    case '!' + TP_TWO_CHARACTERS: return (operator_kind){LEVEL_COMPARE, TP_OP_NOT_EQUAL, false, false};
    case '+': return (operator_kind){LEVEL_SUM, TP_OP_ADD, false, false};
    case '-': return (operator_kind){LEVEL_SUM, TP_OP_SUBTRACT, false, false};
    case '*': return (operator_kind){LEVEL_PRODUCT, TP_OP_MULTIPLY, false, false};
    case '/': return (operator_kind){LEVEL_PRODUCT, TP_OP_DIVIDE, false, false};
    default: return (operator_kind){0};
    }
}

static tp_status parse_level(parser *p, int level, part *part_out);

/* `not` binds looser than a comparison and tighter than `and`. */
static tp_status parse_not(parser *p, part *part_out)
{
    TP_TRY(go_deeper(p));
    TP_TRY(advance(p));
    tp_token where = p->token;
    TP_TRY(parse_level(p, LEVEL_NOT, part_out));
    TP_TRY(require_condition(p, *part_out, &where));
    part_out->node = tp_builder_operation(&p->builder, TP_OP_NOT, part_out->node, 0, 0);
    p->depth--;
    return check_builder(p, where.place);
}

/* One operator and its right operand, joined to the left one. */
static tp_status join(parser *p, operator_kind kind, const tp_token *where_left, part *left)
{
    tp_token sign = p->token;
    TP_TRY(advance(p));
    tp_token where = p->token;
    part right;
    TP_TRY(parse_level(p, kind.level + 1, &right));
    if (kind.on_conditions) {
        TP_TRY(require_condition(p, *left, where_left));
        TP_TRY(require_condition(p, right, &where));
    } else if (kind.level == LEVEL_COMPARE && left->is_condition) {
        return tp_fail_at(p->why, TP_INVALID_DATA, sign.place,
                          "\"%.*s\": comparisons cannot be chained; write a < b and b < c",
                          shown_length(&sign), sign.text);
    } else {
        TP_TRY(require_number(p, *left, where_left));
        TP_TRY(require_number(p, right, &where));
    }
    int a = kind.is_swapped ? right.node : left->node, b = kind.is_swapped ? left->node : right.node;
    left->node = tp_builder_operation(&p->builder, kind.code, a, b, 0);
    left->is_condition = kind.on_conditions || kind.level == LEVEL_COMPARE;
    return check_builder(p, sign.place);
}

/* Everything that binds at least as tightly as the level. */
static tp_status parse_level(parser *p, int level, part *part_out)
{
    tp_token where = p->token;
    bool is_not = p->token.kind == TP_TOKEN_NOT && level <= LEVEL_NOT;
    TP_TRY(is_not ? parse_not(p, part_out) : parse_unary(p, part_out));
    for (;;) {
        operator_kind kind = operator_of(&p->token);
        if (kind.level == 0 || kind.level < level) return TP_OK;
        TP_TRY(join(p, kind, &where, part_out));
    }
}

static tp_status parse_expression(parser *p, part *part_out)
{
    TP_TRY(go_deeper(p));
    TP_TRY(parse_level(p, LEVEL_OR, part_out));
    p->depth--;
    return TP_OK;
}

/* The whole text: one expression and nothing behind it. */
static tp_status parse_all(parser *p, part *part_out)
{
    TP_TRY(advance(p));
    if (p->token.kind == TP_TOKEN_END) {
        return tp_fail_at(p->why, TP_INVALID_DATA, p->token.place, "the formula is empty");
    }
    TP_TRY(parse_expression(p, part_out));
    if (p->token.kind == TP_TOKEN_END) return TP_OK;
    if (is_symbol(p, ')')) {
        return tp_fail_at(p->why, TP_INVALID_DATA, p->token.place, "unexpected \")\": no \"(\" is open");
    }
    return unexpected(p, "an operator");
}

tp_status tp_parse(tp_arena *arena, const tp_parse_input *input, tp_graph *graph_out, bool *is_condition_out,
                   tp_message *why_out)
{
    parser p = {.input = input, .why = why_out};
    tp_lexer_init(&p.lexer, input->text, input->place, why_out);
    if (strlen(input->text) > TP_FORMULA_MAX_TEXT) {
        return tp_fail_at(why_out, TP_INVALID_DATA, p.lexer.place, "the formula is longer than %d bytes",
                          (int)TP_FORMULA_MAX_TEXT);
    }
    tp_builder_init(&p.builder, arena->allocator);
    part all = {0, false};
    tp_status status = parse_all(&p, &all);
    if (status == TP_OK) {
        status = tp_builder_finish(&p.builder, all.node, arena, graph_out);
        if (status != TP_OK) tp_fail_at(why_out, status, p.lexer.place, "no memory for the formula");
    }
    tp_builder_clear(&p.builder);
    *is_condition_out = all.is_condition;
    return status;
}
