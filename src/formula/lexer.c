/* Tokens of a formula; docs/theory/formulas.md, section 1. Not locale-dependent. */
#include "formula/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 100 }; /* digits and point; what is longer is a mistake */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

size_t tp_name_length(const char *text)
{
    size_t length = 0;
    if (!is_letter(text[0])) return 0;
    while (is_letter(text[length]) || is_digit(text[length]) ||
           (text[length] == '.' && is_letter(text[length + 1]))) {
        length++;
    }
    while (text[length] == '\'') length++;
    return length;
}

void tp_lexer_init(tp_lexer *lexer, const char *text, tp_place place, tp_message *why_out)
{
    if (place.file == NULL) place.file = "formula";
    if (place.line < 1) place.line = 1;
    if (place.column < 1) place.column = 1;
    *lexer = (tp_lexer){text, place, why_out};
}

/* Bytes of the character at the text: a whole UTF-8 sequence, for messages and columns. */
static int character_length(const char *text)
{
    int length = 1;
    if ((unsigned char)text[0] >= 0xC0) {
        while (length < 4 && ((unsigned char)text[length] & 0xC0) == 0x80) length++;
    }
    return length;
}

/* Goes on by some bytes, counting lines and characters. */
static void advance(tp_lexer *lexer, size_t bytes)
{
    const char *end = lexer->next + bytes;
    while (lexer->next < end) {
        if (*lexer->next == '\n') {
            lexer->place.line++;
            lexer->place.column = 1;
            lexer->next++;
        } else {
            lexer->place.column++;
            lexer->next += character_length(lexer->next);
        }
    }
}

/* Ends of the parts of a number. */
typedef struct number_parts {
    int digits, fraction; /* before and behind the point                 */
    int length;           /* all, with the exponent                      */
    int mantissa;         /* without the exponent                        */
    long exponent;
} number_parts;

static number_parts split_number(const char *text)
{
    number_parts parts = {0};
    int at = 0;
    while (is_digit(text[at])) at++;
    parts.digits = at;
    if (text[at] == '.') {
        at++;
        while (is_digit(text[at])) at++;
        parts.fraction = at - parts.digits - 1;
    }
    parts.mantissa = at;
    if (text[at] == 'e' || text[at] == 'E') {
        int sign = text[at + 1] == '+' || text[at + 1] == '-';
        if (is_digit(text[at + 1 + sign])) {
            int from = at + 1 + sign;
            for (at = from; is_digit(text[at]); at++) {
                if (parts.exponent < 1000000) parts.exponent = 10 * parts.exponent + (text[at] - '0');
            }
            if (text[from - 1] == '-') parts.exponent = -parts.exponent;
        }
    }
    parts.length = at;
    return parts;
}

/* Digits without the point and an exponent that makes up for it: strtod then sees nothing that depends on the
   locale, and rounds correctly. */
static double number_value(const char *text, const number_parts *parts)
{
    char plain[LONGEST_NUMBER + 32];
    int length = 0;
    for (int i = 0; i < parts->mantissa; i++) {
        if (text[i] != '.') plain[length++] = text[i];
    }
    plain[length++] = 'e';
    long exponent = parts->exponent - parts->fraction;
    if (exponent < 0) plain[length++] = '-';
    char digits[24];
    int count = 0;
    for (unsigned long left = (unsigned long)labs(exponent); count == 0 || left > 0; left /= 10) {
        digits[count++] = (char)('0' + left % 10);
    }
    while (count > 0) plain[length++] = digits[--count];
    plain[length] = '\0';
    return strtod(plain, NULL);
}

static bool has_nonzero_digit(const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        if (text[i] >= '1' && text[i] <= '9') return true;
    }
    return false;
}

static tp_status read_number(tp_lexer *lexer, tp_token *token_out)
{
    const char *text = lexer->next;
    number_parts parts = split_number(text);
    int shown = parts.length < 40 ? parts.length : 40;
    if (parts.mantissa > LONGEST_NUMBER) {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place,
                          "number \"%.*s...\" has more than %d digits", shown, text, (int)LONGEST_NUMBER);
    }
    char after = text[parts.length];
    if (after == '.') {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place, "malformed number \"%.*s.\"", shown,
                          text);
    }
    if (is_letter(after)) {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place,
                          "number \"%.*s\" is followed by \"%c\"; a product needs *", shown, text, after);
    }
    double value = number_value(text, &parts);
    if (isinf(value) || (value == 0.0 && has_nonzero_digit(text, parts.mantissa))) {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place, "number \"%.*s\" is out of range", shown,
                          text);
    }
    token_out->kind = TP_TOKEN_NUMBER;
    token_out->number = value;
    token_out->length = parts.length;
    return TP_OK;
}

bool tp_is_word(const char *text, int length, const char *word)
{
    return strlen(word) == (size_t)length && memcmp(text, word, (size_t)length) == 0;
}

static void read_name(const tp_lexer *lexer, size_t length, tp_token *token_out)
{
    const char *text = lexer->next;
    token_out->length = (int)length;
    token_out->kind = tp_is_word(text, (int)length, "and")   ? TP_TOKEN_AND
                      : tp_is_word(text, (int)length, "or")  ? TP_TOKEN_OR
                      : tp_is_word(text, (int)length, "not") ? TP_TOKEN_NOT
                                                             : TP_TOKEN_NAME;
}

static tp_status read_symbol(tp_lexer *lexer, tp_token *token_out)
{
    const char *text = lexer->next;
    token_out->kind = TP_TOKEN_SYMBOL;
    token_out->length = 1;
    token_out->symbol = text[0];
    if (strchr("<>=!", text[0]) != NULL && text[1] == '=') {
        token_out->length = 2;
        token_out->symbol = text[0] + TP_TWO_CHARACTERS;
        return TP_OK;
    }
    if (strchr("+-*/^(),<>", text[0]) != NULL) return TP_OK;
    if (text[0] == '=') {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place,
                          "unexpected \"=\"; equality is written ==");
    }
    if ((unsigned char)text[0] < 0x20 || text[0] == 0x7F) {
        return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place, "unexpected character 0x%02X",
                          (unsigned)(unsigned char)text[0]);
    }
    return tp_fail_at(lexer->why, TP_INVALID_DATA, lexer->place, "unexpected character \"%.*s\"",
                      character_length(text), text);
}

tp_status tp_lexer_next(tp_lexer *lexer, tp_token *token_out)
{
    while (*lexer->next != '\0' && strchr(" \t\r\n", *lexer->next) != NULL) advance(lexer, 1);
    const char *text = lexer->next;
    *token_out = (tp_token){.kind = TP_TOKEN_END, .text = text, .place = lexer->place};
    if (text[0] == '\0') return TP_OK;

    size_t name_length = tp_name_length(text);
    if (name_length > 0) {
        read_name(lexer, name_length, token_out);
    } else if (is_digit(text[0]) || (text[0] == '.' && is_digit(text[1]))) {
        TP_TRY(read_number(lexer, token_out));
    } else {
        TP_TRY(read_symbol(lexer, token_out));
    }
    advance(lexer, (size_t)token_out->length);
    return TP_OK;
}
