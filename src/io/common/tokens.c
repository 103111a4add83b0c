/* The tokeniser of the text formats. Numbers are read with the C locale in force (see c_locale.h). */
#include "io/common/tokens.h"
#include "io/common/words.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_LENGTH_MAX = 400 }; /* no program writes longer numbers */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static tp_token token_from(const tp_tokens *tokens, size_t at)
{
    while (at < tokens->length && is_space(tokens->text[at])) at++;
    size_t end = at;
    while (end < tokens->length && !is_space(tokens->text[end])) end++;
    return (tp_token){tokens->text + at, end - at};
}

tp_token tp_tokens_peek(const tp_tokens *tokens)
{
    return token_from(tokens, tokens->at);
}

tp_token tp_tokens_next(tp_tokens *tokens)
{
    tp_token token = token_from(tokens, tokens->at);
    tokens->at = (size_t)(token.text - tokens->text) + token.length;
    return token;
}

size_t tp_tokens_left(const tp_tokens *tokens)
{
    tp_tokens rest = *tokens;
    size_t count = 0;
    while (tp_tokens_next(&rest).length > 0) count++;
    return count;
}

bool tp_token_is(tp_token token, const char *word)
{
    return token.length == strlen(word) && memcmp(token.text, word, token.length) == 0;
}

bool tp_token_is_int(tp_token token, long long *value_out)
{
    size_t at = 0;
    bool is_negative = token.length > 0 && token.text[0] == '-';
    if (token.length > 0 && (token.text[0] == '-' || token.text[0] == '+')) at = 1;
    if (at == token.length || token.length - at > 18) return false;
    long long value = 0;
    for (; at < token.length; at++) {
        if (!tp_is_digit(token.text[at])) return false;
        value = 10 * value + (token.text[at] - '0');
    }
    *value_out = is_negative ? -value : value;
    return true;
}

/* Skips digits from `at`; returns where they end. */
static size_t skip_digits(tp_token token, size_t at)
{
    while (at < token.length && tp_is_digit(token.text[at])) at++;
    return at;
}

bool tp_token_is_number(tp_token token)
{
    if (token.length == 0 || token.length > NUMBER_LENGTH_MAX) return false;
    size_t at = token.text[0] == '-' || token.text[0] == '+';
    size_t end = skip_digits(token, at);
    size_t digits = end - at;
    if (end < token.length && token.text[end] == '.') {
        at = end + 1;
        end = skip_digits(token, at);
        digits += end - at;
    }
    if (digits == 0) return false;
    if (end < token.length && (token.text[end] == 'e' || token.text[end] == 'E')) {
        at = end + 1;
        if (at < token.length && (token.text[at] == '-' || token.text[at] == '+')) at++;
        end = skip_digits(token, at);
        if (end == at) return false;
    }
    return end == token.length;
}

tp_place tp_tokens_place(const tp_tokens *tokens, tp_token at)
{
    tp_place place = {tokens->name, 1, 1};
    for (const char *c = tokens->text; c < at.text; c++) {
        place.line += *c == '\n';
        place.column = *c == '\n' ? 1 : place.column + 1;
    }
    return place;
}

/* A word as it can be shown: printable, cut. */
static void show(tp_token token, char *out, size_t capacity)
{
    if (token.length == 0) {
        snprintf(out, capacity, "the end of the file");
        return;
    }
    size_t shown = token.length < 24 ? token.length : 24, at = 0;
    out[at++] = '\'';
    for (size_t i = 0; i < shown; i++) {
        char c = token.text[i];
        out[at++] = c >= 32 && c < 127 ? c : '?';
    }
    snprintf(out + at, capacity - at, "%s'", shown < token.length ? "..." : "");
}

tp_status tp_tokens_fail(const tp_tokens *tokens, tp_token found, const char *format, ...)
{
    char text[512], word[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    show(found, word, sizeof word);
    return tp_tokens_fail_at(tokens, found, "%s, found %s", text, word);
}

/* An integer; `entry` > 0 is named in the message. */
static tp_status read_int(tp_tokens *tokens, const char *what, int entry, int low, int high, int *out)
{
    tp_token token = tp_tokens_next(tokens);
    long long value;
    char place[32] = "";
    if (entry > 0) snprintf(place, sizeof place, "entry %d of ", entry);
    if (!tp_token_is_int(token, &value)) {
        return tp_tokens_fail(tokens, token, "expected an integer (%s%s)", place, what);
    }
    if (value < low || value > high) {
        if (high == INT_MAX) {
            return tp_tokens_fail(tokens, token, "%s%s must be at least %d", place, what, low);
        }
        return tp_tokens_fail(tokens, token, "%s%s must be between %d and %d", place, what, low, high);
    }
    *out = (int)value;
    return TP_OK;
}

tp_status tp_tokens_int(tp_tokens *tokens, const char *what, int low, int high, int *out)
{
    return read_int(tokens, what, 0, low, high, out);
}

tp_status tp_tokens_expect(const tp_tokens *tokens, const char *what, long long numbers)
{
    size_t bytes = tokens->length - tokens->at;
    if (numbers <= (long long)(bytes / 2 + 1)) return TP_OK;
    return tp_tokens_fail_at(
        tokens, tp_tokens_peek(tokens),
        "%s: %lld numbers are announced, but only %zu bytes are left in the file (it ends too early, or a "
        "size is wrong)",
        what, numbers, bytes);
}

tp_status tp_tokens_count(tp_tokens *tokens, const char *what, int numbers_each, int *out)
{
    TP_TRY(read_int(tokens, what, 0, 0, INT_MAX, out));
    return tp_tokens_expect(tokens, what, (long long)*out * numbers_each);
}

tp_status tp_tokens_ints(tp_tokens *tokens, const char *what, int count, int low, int high, int *out)
{
    for (int i = 0; i < count; i++) TP_TRY(read_int(tokens, what, i + 1, low, high, &out[i]));
    return TP_OK;
}

/* The value of a word that is a number. The word ends at white space, which stops strtod, or with the text,
   which need not be terminated. */
static double number_value(const tp_tokens *tokens, tp_token token)
{
    if (token.text + token.length < tokens->text + tokens->length) return strtod(token.text, NULL);
    char copy[NUMBER_LENGTH_MAX + 1];
    memcpy(copy, token.text, token.length);
    copy[token.length] = 0;
    return strtod(copy, NULL);
}

static bool is_infinite_word(tp_token token, double *value_out)
{
    bool is_minus = tp_token_is(token, "-inf");
    *value_out = is_minus ? -INFINITY : INFINITY;
    return is_minus || tp_token_is(token, "inf") || tp_token_is(token, "+inf");
}

static tp_status read_real(tp_tokens *tokens, const char *what, int entry, bool may_be_infinite, double *out)
{
    tp_token token = tp_tokens_next(tokens);
    if (tp_token_is_number(token)) {
        *out = number_value(tokens, token);
        if (isfinite(*out)) return TP_OK;
        return tp_tokens_fail(tokens, token, "entry %d of %s is too large for a double", entry, what);
    }
    if (may_be_infinite && is_infinite_word(token, out)) return TP_OK;
    return tp_tokens_fail(tokens, token, "expected a %snumber (entry %d of %s)",
                          may_be_infinite ? "" : "finite ", entry, what);
}

tp_status tp_tokens_reals(tp_tokens *tokens, const char *what, int count, double *out)
{
    for (int i = 0; i < count; i++) TP_TRY(read_real(tokens, what, i + 1, false, &out[i]));
    return TP_OK;
}

tp_status tp_tokens_bounds(tp_tokens *tokens, const char *what, int count, double *out)
{
    for (int i = 0; i < count; i++) TP_TRY(read_real(tokens, what, i + 1, true, &out[i]));
    return TP_OK;
}

tp_status tp_tokens_word(tp_tokens *tokens, const char *word)
{
    tp_token token = tp_tokens_next(tokens);
    return tp_token_is(token, word) ? TP_OK : tp_tokens_fail(tokens, token, "expected '%s'", word);
}
