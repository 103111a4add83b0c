/* The meaning of scalars. */
#include "io/scene/scalar.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/c_locale.h"
#include "io/common/words.h"

static const char *skip_digits(const char *at)
{
    while (tp_is_digit(*at)) at++;
    return at;
}

bool tp_text_is_number(const char *text)
{
    const char *at = text + (*text == '+' || *text == '-');
    const char *whole = at;
    at = skip_digits(at);
    size_t digits = (size_t)(at - whole);
    if (*at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at);
        digits += (size_t)(at - fraction);
    }
    if (digits == 0) return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (!tp_is_digit(*at)) return false;
        at = skip_digits(at);
    }
    return *at == '\0';
}

static bool is_one_of(const char *text, const char *const *words, int count)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(text, words[k]) == 0) return true;
    }
    return false;
}

#define IS_ONE_OF(text, ...)                                                                                 \
    is_one_of((text), (const char *const[]){__VA_ARGS__},                                                    \
              (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

tp_meaning tp_node_meaning(const tp_node *scalar)
{
    if (scalar->kind != TP_NODE_SCALAR || scalar->is_quoted) return TP_MEANS_TEXT;
    if (IS_ONE_OF(scalar->text, "", "~", "null", "Null", "NULL")) return TP_MEANS_NOTHING;
    if (IS_ONE_OF(scalar->text, "true", "false")) return TP_MEANS_BOOLEAN;
    return tp_text_is_number(scalar->text) ? TP_MEANS_NUMBER : TP_MEANS_TEXT;
}

/* .inf, -Infinity, NaN and so on, with YAML's point or without. */
static bool is_not_finite(const char *text)
{
    char word[16];
    text += *text == '+' || *text == '-';
    text += *text == '.';
    size_t length = strlen(text);
    if (length >= sizeof word) return false;
    for (size_t i = 0; i <= length; i++) {
        word[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    }
    return IS_ONE_OF(word, "inf", "infinity", "nan");
}

/* " [m/s]" or nothing. */
typedef struct unit_text {
    char text[40];
} unit_text;

static unit_text in_unit(const char *unit)
{
    unit_text result = {""};
    if (unit) snprintf(result.text, sizeof result.text, " [%.30s]", unit);
    return result;
}

/* "'3 kg'", "a list", "nothing": what is there instead. */
static tp_excerpt what_is(const tp_node *node)
{
    tp_excerpt result;
    if (node->kind == TP_NODE_LIST) {
        strcpy(result.text, "a list");
    } else if (node->kind == TP_NODE_MAP) {
        strcpy(result.text, "a map");
    } else if (tp_node_meaning(node) == TP_MEANS_NOTHING) {
        strcpy(result.text, "nothing");
    } else {
        snprintf(result.text, sizeof result.text, "'%.52s'", tp_excerpt_of(node->text).text);
    }
    return result;
}

static tp_status no_number(const tp_node *node, const char *unit, tp_message *why)
{
    if (node->kind == TP_NODE_SCALAR && node->is_quoted && tp_text_is_number(node->text)) {
        return tp_node_fail(node, why, "'%s' is in quotes, which make it a text; write the number without",
                            tp_excerpt_of(node->text).text);
    }
    if (node->kind == TP_NODE_SCALAR && is_not_finite(node->text)) {
        return tp_node_fail(node, why, "'%s' is not finite; write a finite number%s",
                            tp_excerpt_of(node->text).text, in_unit(unit).text);
    }
    return tp_node_fail(node, why, "expected a number%s, found %s; write it like 0.5 or 2e-3, alone",
                        in_unit(unit).text, what_is(node).text);
}

/* True if a number's text has a digit other than 0 before its exponent. */
static bool is_not_zero(const char *text)
{
    char found = text[strcspn(text, "123456789eE")];
    return tp_is_digit(found);
}

static tp_status convert(const tp_node *node, double *value_out, tp_message *why)
{
    tp_c_locale locale;
    TP_TRY(tp_c_locale_enter(&locale, why));
    double value = strtod(node->text, NULL);
    tp_c_locale_leave(&locale);
    if (isinf(value)) {
        return tp_node_fail(node, why, "'%s' is larger than any number here; at most 1.79e308",
                            tp_excerpt_of(node->text).text);
    }
    if (value == 0.0 && is_not_zero(node->text)) {
        return tp_node_fail(node, why, "'%s' is too small to be told from 0; write 0, or at least 5e-324",
                            tp_excerpt_of(node->text).text);
    }
    *value_out = value;
    return TP_OK;
}

tp_status tp_node_number(const tp_node *node, const char *unit, double *value_out, tp_message *why_out)
{
    if (tp_node_meaning(node) != TP_MEANS_NUMBER) return no_number(node, unit, why_out);
    return convert(node, value_out, why_out);
}

tp_status tp_node_integer(const tp_node *node, int low, int high, int *value_out, tp_message *why_out)
{
    bool is_whole = tp_node_meaning(node) == TP_MEANS_NUMBER && strpbrk(node->text, ".eE") == NULL;
    long long value = 0;
    if (is_whole) {
        const char *digit = node->text + (node->text[0] == '+' || node->text[0] == '-');
        for (; *digit && value <= INT_MAX; digit++) value = 10 * value + (*digit - '0');
        if (node->text[0] == '-') value = -value;
    }
    if (!is_whole || value < low || value > high) {
        return tp_node_fail(node, why_out,
                            "expected a whole number from %d to %d, found %s; write digits alone", low, high,
                            what_is(node).text);
    }
    *value_out = (int)value;
    return TP_OK;
}

tp_status tp_node_boolean(const tp_node *node, bool *value_out, tp_message *why_out)
{
    if (tp_node_meaning(node) != TP_MEANS_BOOLEAN) {
        return tp_node_fail(node, why_out, "expected true or false%s, found %s; write one of the two words",
                            node->is_quoted ? " without quotes" : "", what_is(node).text);
    }
    *value_out = node->text[0] == 't';
    return TP_OK;
}

tp_status tp_node_text(const tp_node *node, const char **text_out, tp_message *why_out)
{
    if (node->kind != TP_NODE_SCALAR || tp_node_meaning(node) == TP_MEANS_NOTHING) {
        return tp_node_fail(node, why_out, "expected a text, found %s; write a word or a text in quotes",
                            what_is(node).text);
    }
    *text_out = node->text;
    return TP_OK;
}

tp_status tp_node_formula(const tp_node *node, tp_formula_text *formula_out, tp_message *why_out)
{
    tp_meaning meaning = tp_node_meaning(node);
    if (node->kind != TP_NODE_SCALAR || meaning == TP_MEANS_NOTHING || meaning == TP_MEANS_BOOLEAN) {
        return tp_node_fail(node, why_out,
                            "expected a formula, found %s; write it in quotes, like \"2*x + 1\"",
                            what_is(node).text);
    }
    *formula_out = (tp_formula_text){node->text, node->text_place};
    return TP_OK;
}

tp_status tp_node_quantity(const tp_node *node, const char *unit, tp_quantity *quantity_out,
                           tp_message *why_out)
{
    tp_quantity quantity = {.is_number = tp_node_meaning(node) == TP_MEANS_NUMBER};
    if (quantity.is_number) {
        TP_TRY(convert(node, &quantity.number, why_out));
    } else if (node->kind == TP_NODE_SCALAR && !node->is_quoted && is_not_finite(node->text)) {
        return no_number(node, unit, why_out);
    }
    TP_TRY(tp_node_formula(node, &quantity.formula, why_out));
    *quantity_out = quantity;
    return TP_OK;
}
