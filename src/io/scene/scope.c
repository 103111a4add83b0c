/* Scopes of repeated entries: names, and texts with names in them. */
#include "io/scene/scope.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/words.h"
#include "io/scene/scalar.h"

enum { NUMBER_ROOM = 40, TEXT_MAX = 1000000 /* bytes of a text with names */ };

/* ---- refusals ------------------------------------------------------------------------------------------ */

void tp_scope_where(const tp_scope *scope, char text[TP_SCOPE_WHERE_ROOM])
{
    text[0] = '\0';
    for (int k = 0; k < scope->local_count; k++) {
        if (!scope->locals[k].is_counter) continue;
        tp_append(text, TP_SCOPE_WHERE_ROOM, "%s%s = %.0f", text[0] ? ", " : "", scope->locals[k].name,
                  scope->locals[k].values[0]);
    }
}

tp_status tp_scope_fail(tp_scope *scope, const tp_node *node, const char *format, ...)
{
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    char where[TP_SCOPE_WHERE_ROOM];
    tp_scope_where(scope, where);
    if (!where[0]) return tp_node_fail(node, scope->why, "%s", what);
    return tp_node_fail(node, scope->why, "%s (where %s)", what, where);
}

tp_status tp_scope_no_memory(tp_scope *scope)
{
    return tp_fail(scope->why, TP_OUT_OF_MEMORY, "no memory for the scene");
}

/* What the model says of a formula has its place already. */
static tp_status told(tp_scope *scope, tp_status status, const tp_message *message)
{
    if (status == TP_OK) return TP_OK;
    if (status == TP_OUT_OF_MEMORY) return tp_scope_no_memory(scope);
    char where[TP_SCOPE_WHERE_ROOM];
    tp_scope_where(scope, where);
    if (!where[0]) return tp_fail(scope->why, TP_INVALID_DATA, "%s", message->text);
    return tp_fail(scope->why, TP_INVALID_DATA, "%.800s (where %s)", message->text, where);
}

tp_status tp_scope_work(tp_scope *scope, const tp_node *node, size_t bytes)
{
    *scope->work += TP_SCOPE_WORK_OF_STEP + (long long)bytes;
    if (*scope->work <= TP_SCOPE_WORK_MAX) return TP_OK;
    return tp_scope_fail(scope, node, "the repeats of the scene are too many; make their counts smaller");
}

/* ---- open and close ------------------------------------------------------------------------------------ */

static tp_status add_parameter(tp_scope *scope, const tp_node *entry)
{
    tp_quantity quantity;
    tp_message message = {""};
    TP_TRY(tp_node_quantity(entry, NULL, &quantity, scope->why));
    tp_status status = quantity.is_number
                           ? tp_model_add_parameter_value(scope->model, entry->key, quantity.number,
                                                          entry->key_place, &message)
                           : tp_model_add_parameter(scope->model, entry->key, quantity.formula.text,
                                                    quantity.formula.place, &message);
    return told(scope, status, &message);
}

tp_status tp_scope_open(tp_scope *scope, tp_tree *tree, const tp_node *parameters, bool is_lenient,
                        long long *work, tp_message *why_out)
{
    tp_message ignored = {""};
    *scope =
        (tp_scope){.tree = tree, .seed = TP_SCOPE_SEED, .work = work, .why = is_lenient ? &ignored : why_out};
    if (tp_model_create(tree->arena->allocator, &scope->model) != TP_OK) return tp_scope_no_memory(scope);
    bool has_map = parameters && parameters->kind == TP_NODE_MAP;
    for (const tp_node *entry = has_map ? parameters->first : NULL; entry; entry = entry->next) {
        tp_status status = add_parameter(scope, entry);
        if (status != TP_OK && (!is_lenient || status == TP_OUT_OF_MEMORY)) return status;
    }
    scope->why = why_out;
    return TP_OK;
}

void tp_scope_close(tp_scope *scope)
{
    tp_model_free(scope->model);
    tp_text_clear(&scope->made);
    tp_text_clear(&scope->inner);
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Digits and dots may begin it: the rest of a name after braces. */
static size_t name_span(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (is_letter(text[n]) || tp_is_digit(text[n]) || text[n] == '.')) n++;
    while (n < length && text[n] == '\'') n++;
    return n;
}

size_t tp_span_name(const char *text, size_t length)
{
    return length > 0 && is_letter(text[0]) ? name_span(text, length) : 0;
}

/* The e of 1e3 is not a name. */
size_t tp_span_number(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (tp_is_digit(text[n]) || text[n] == '.')) n++;
    if (n + 1 < length && (text[n] == 'e' || text[n] == 'E')) {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        if (n + 1 + sign < length && tp_is_digit(text[n + 1 + sign])) n += 1 + sign;
        while (n < length && tp_is_digit(text[n])) n++;
    }
    return n;
}

/* The inner one where names are the same; NULL: none. */
static const tp_local *find_local(const tp_scope *scope, const char *text, size_t length)
{
    for (int k = scope->local_count - 1; k >= 0; k--) {
        const char *name = scope->locals[k].name;
        if (strncmp(name, text, length) == 0 && name[length] == '\0') return &scope->locals[k];
    }
    return NULL;
}

tp_status tp_scope_add(tp_scope *scope, const tp_node *entry, tp_local local)
{
    size_t length = strlen(entry->key);
    if (!is_letter(entry->key[0]) || name_span(entry->key, length) < length ||
        entry->key[strcspn(entry->key, ".'")]) {
        return tp_scope_fail(scope, entry, "'%s' is not a name; write letters, digits and _",
                             tp_excerpt_of(entry->key).text);
    }
    static const char *const reserved[] = {"and", "or", "not", "pi"};
    for (size_t k = 0; k < sizeof reserved / sizeof reserved[0]; k++) {
        if (strcmp(entry->key, reserved[k]) == 0)
            return tp_scope_fail(scope, entry, "'%s' belongs to the language of formulas", entry->key);
    }
    if (scope->local_count == TP_SCOPE_LOCALS_MAX)
        return tp_scope_fail(scope, entry, "more than %d names in repeats", TP_SCOPE_LOCALS_MAX);
    local.name = entry->key;
    scope->locals[scope->local_count++] = local;
    return TP_OK;
}

/* ---- values in texts ----------------------------------------------------------------------------------- */

/* As short as reads back as the same double. */
static void print_number(char text[NUMBER_ROOM], double value)
{
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, NUMBER_ROOM, "%.0f", value + 0.0); /* no -0 */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

const char *tp_scope_print(tp_tree *tree, double value)
{
    char text[NUMBER_ROOM];
    print_number(text, value);
    return tp_tree_copy_text(tree, text, strlen(text));
}

/* A text that is looked through. */
typedef struct pass {
    const tp_node *node;
    const char *text;
    size_t length, at;
    bool is_formula, is_changed;
    bool is_in_name; /* what was just copied is part of a name, in a formula */
} pass;

static tp_status add_number(tp_scope *scope, pass *p, tp_text *out, double value)
{
    char text[NUMBER_ROOM];
    print_number(text, value);
    bool is_name = p->is_formula && p->is_in_name, is_whole = value == floor(value) && value >= 0.0;
    if (is_name && !is_whole) {
        return tp_scope_fail(
            scope, p->node,
            "%s in a name; names need whole numbers from 0; leave entries out with when:", text);
    }
    bool needs_brackets = p->is_formula && text[0] == '-';
    if (needs_brackets) tp_text_add_bytes(out, "(", 1);
    tp_text_add_bytes(out, text, strlen(text));
    if (needs_brackets) tp_text_add_bytes(out, ")", 1);
    p->is_changed = true;
    *scope->work += (long long)strlen(text); /* a name of one byte becomes up to 24 */
    return TP_OK;
}

static tp_status add_local(tp_scope *scope, pass *p, tp_text *out, const tp_local *local)
{
    if (local->count == 1) return add_number(scope, p, out, local->values[0]);
    return tp_scope_fail(scope, p->node, "'%s' is a rotation; it stands alone, like orientation: %s",
                         local->name, local->name);
}

static void copy_bytes(pass *p, tp_text *out, size_t count)
{
    tp_text_add_bytes(out, p->text + p->at, count);
    p->at += count;
}

/* A name of a formula: its value, or the name itself. A name before "(" is a function; one before "{" goes
 * on. */
static tp_status pass_name(tp_scope *scope, pass *p, tp_text *out)
{
    size_t span = name_span(p->text + p->at, p->length - p->at), next = p->at + span;
    const tp_local *local = p->is_in_name || (next < p->length && p->text[next] == '{')
                                ? NULL
                                : find_local(scope, p->text + p->at, span);
    while (next < p->length && p->text[next] == ' ') next++;
    if (next < p->length && p->text[next] == '(') local = NULL;
    if (!local) {
        copy_bytes(p, out, span);
        p->is_in_name = true;
        return TP_OK;
    }
    p->at += span;
    return add_local(scope, p, out, local);
}

static tp_status evaluate(tp_scope *scope, const tp_node *node, const char *text, size_t length,
                          tp_place place, tp_local *value_out);

/* {formula} */
static tp_status pass_braces(tp_scope *scope, pass *p, tp_text *out)
{
    const char *begin = p->text + p->at + 1, *end = memchr(begin, '}', p->length - p->at - 1);
    tp_local value;
    if (!end) return tp_scope_fail(scope, p->node, "a '{' without its '}'; write a counter like {i}");
    TP_TRY(evaluate(scope, p->node, begin, (size_t)(end - begin), p->node->text_place, &value));
    TP_TRY(add_local(scope, p, out, &value));
    p->at = (size_t)(end - p->text) + 1;
    return TP_OK;
}

/* Adds the text with values for its names. */
static tp_status substitute(tp_scope *scope, pass *p, tp_text *out)
{
    TP_TRY(tp_scope_work(scope, p->node, p->length));
    if (p->length > TEXT_MAX)
        return tp_scope_fail(scope, p->node, "the text is longer than %d bytes", TEXT_MAX);
    while (p->at < p->length) {
        char c = p->text[p->at];
        bool goes_on = p->is_in_name && (tp_is_digit(c) || c == '.' || c == '\'');
        if (c == '{') {
            TP_TRY(pass_braces(scope, p, out));
        } else if (c == '}') {
            return tp_scope_fail(scope, p->node, "a '}' without its '{'; write a counter like {i}");
        } else if (p->is_formula && (is_letter(c) || goes_on)) {
            TP_TRY(pass_name(scope, p, out));
        } else {
            p->is_in_name = false;
            size_t rest = p->length - p->at,
                   plain = p->is_formula ? tp_span_number(p->text + p->at, rest) : 0;
            while (!p->is_formula && plain < rest && !strchr("{}", p->text[p->at + plain])) plain++;
            copy_bytes(p, out, plain > 0 ? plain : 1);
        }
    }
    return out->has_failed ? tp_scope_no_memory(scope) : TP_OK;
}

/* A text without the blanks around it. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && **text == ' ') (*text)++, (*length)--;
    while (*length > 0 && (*text)[*length - 1] == ' ') (*length)--;
}

/* The value of a formula: what stands in braces, or a whole text. */
static tp_status evaluate(tp_scope *scope, const tp_node *node, const char *text, size_t length,
                          tp_place place, tp_local *value_out)
{
    tp_message message = {""};
    trim(&text, &length);
    const tp_local *local = find_local(scope, text, length);
    if (local) {
        *value_out = *local;
        return tp_scope_work(scope, node, 0);
    }
    pass p = {.node = node, .text = text, .length = length, .is_formula = true};
    if (memchr(text, '{', length)) return tp_scope_fail(scope, node, "braces in braces; write them once");
    scope->inner.count = 0;
    TP_TRY(substitute(scope, &p, &scope->inner));
    tp_text_add_bytes(&scope->inner, "", 1);
    if (scope->inner.has_failed) return tp_scope_no_memory(scope);
    *value_out = (tp_local){.name = "", .count = 1};
    return told(scope,
                tp_model_evaluate(scope->model, scope->inner.bytes, place, &value_out->values[0], &message),
                &message);
}

/* ---- values of nodes ----------------------------------------------------------------------------------- */

/* The text of a formula with all braces gone: in `made`, terminated. */
static tp_status make_formula(tp_scope *scope, const tp_node *node, const char *before, const char *after)
{
    tp_formula_text formula;
    TP_TRY(tp_node_formula(node, &formula, scope->why));
    pass p = {.node = node, .text = formula.text, .length = strlen(formula.text), .is_formula = true};
    scope->made.count = 0;
    tp_text_add_bytes(&scope->made, before, strlen(before));
    TP_TRY(substitute(scope, &p, &scope->made));
    tp_text_add_bytes(&scope->made, after, strlen(after) + 1);
    return scope->made.has_failed ? tp_scope_no_memory(scope) : TP_OK;
}

tp_status tp_scope_number(tp_scope *scope, const tp_node *node, double *value_out)
{
    tp_message message = {""};
    if (node->kind == TP_NODE_SCALAR && tp_node_meaning(node) == TP_MEANS_NUMBER)
        return tp_node_number(node, NULL, value_out, scope->why);
    TP_TRY(make_formula(scope, node, "", ""));
    return told(scope,
                tp_model_evaluate(scope->model, scope->made.bytes, node->text_place, value_out, &message),
                &message);
}

tp_status tp_scope_integer(tp_scope *scope, const tp_node *node, int *value_out)
{
    double value;
    TP_TRY(tp_scope_number(scope, node, &value));
    if (value != floor(value) || fabs(value) > 1e9)
        return tp_scope_fail(scope, node, "'%s' is %.9g; write a whole number up to 1e9",
                             tp_excerpt_of(node->text).text, value);
    *value_out = (int)value;
    return TP_OK;
}

tp_status tp_scope_condition(tp_scope *scope, const tp_node *node, bool *value_out)
{
    double value = 0.0;
    tp_message message = {""};
    if (node->kind == TP_NODE_SCALAR && tp_node_meaning(node) == TP_MEANS_BOOLEAN)
        return tp_node_boolean(node, value_out, scope->why);
    tp_place place = node->text_place;
    if (place.column > 3) place.column -= 3; /* of "if(" */
    TP_TRY(make_formula(scope, node, "if(", ", 1, 0)"));
    TP_TRY(
        told(scope, tp_model_evaluate(scope->model, scope->made.bytes, place, &value, &message), &message));
    *value_out = value != 0.0;
    return TP_OK;
}

/* ---- texts of nodes ------------------------------------------------------------------------------------ */

static tp_status make_rotation(tp_scope *scope, const tp_local *rotation, tp_node *copy)
{
    copy->kind = TP_NODE_LIST;
    copy->text = NULL;
    for (int k = 0; k < 4; k++) {
        tp_node *number = tp_tree_new_node(scope->tree, TP_NODE_SCALAR, copy->place);
        if (number) number->text = tp_scope_print(scope->tree, rotation->values[k]);
        if (!number || !number->text) return tp_scope_no_memory(scope);
        tp_node_append(copy, number);
    }
    return TP_OK;
}

/* The local, or the value in braces, that a text consists of; false: there is more in it. */
static tp_status find_alone(tp_scope *scope, const tp_node *node, bool is_formula, tp_local *value_out,
                            bool *is_alone_out)
{
    const char *text = node->text;
    size_t length = strlen(text);
    trim(&text, &length);
    const tp_local *local = is_formula ? find_local(scope, text, length) : NULL;
    *is_alone_out = local != NULL;
    if (local) *value_out = *local;
    bool has_braces = length > 1 && text[0] == '{' && strcspn(text, "}") == length - 1;
    if (!has_braces) return TP_OK;
    *is_alone_out = true;
    return evaluate(scope, node, text + 1, length - 2, node->text_place, value_out);
}

tp_status tp_scope_fill(tp_scope *scope, const tp_node *node, bool is_formula, tp_node *copy)
{
    tp_local value;
    bool is_alone;
    if (!is_formula && !strpbrk(node->text, "{}")) return TP_OK;
    if (is_formula && tp_text_is_number(node->text)) return TP_OK;
    TP_TRY(find_alone(scope, node, is_formula, &value, &is_alone));
    if (is_alone && value.count == 4) return make_rotation(scope, &value, copy);
    if (is_alone) {
        copy->is_quoted = false;
        copy->text = tp_scope_print(scope->tree, value.values[0]);
        return copy->text ? TP_OK : tp_scope_no_memory(scope);
    }
    pass p = {.node = node, .text = node->text, .length = strlen(node->text), .is_formula = is_formula};
    scope->made.count = 0;
    TP_TRY(substitute(scope, &p, &scope->made));
    if (p.is_changed) copy->text = tp_tree_copy_text(scope->tree, scope->made.bytes, scope->made.count);
    return copy->text ? TP_OK : tp_scope_no_memory(scope);
}

tp_status tp_scope_text(tp_scope *scope, const tp_node *node, const char *text, const char **text_out)
{
    *text_out = text;
    if (!strpbrk(text, "{}")) return TP_OK;
    pass p = {.node = node, .text = text, .length = strlen(text)};
    scope->made.count = 0;
    TP_TRY(substitute(scope, &p, &scope->made));
    *text_out = tp_tree_copy_text(scope->tree, scope->made.bytes, scope->made.count);
    return *text_out ? TP_OK : tp_scope_no_memory(scope);
}
