/* Tokens of a formula, with their places; docs/theory/formulas.md, section 1. */
#ifndef TP_FORMULA_LEXER_H
#define TP_FORMULA_LEXER_H

#include "tippe/base.h"

typedef enum tp_token_kind {
    TP_TOKEN_END,
    TP_TOKEN_NUMBER,
    TP_TOKEN_NAME,
    TP_TOKEN_SYMBOL, /* one of + - * / ^ ( ) , < <= > >= == !=     */
    TP_TOKEN_AND,
    TP_TOKEN_OR,
    TP_TOKEN_NOT
} tp_token_kind;

enum { TP_TWO_CHARACTERS = 256 }; /* a symbol "<=" is '<' + TP_TWO_CHARACTERS */

typedef struct tp_token {
    tp_token_kind kind;
    int symbol;
    double number;
    const char *text; /* borrowed from the formula */
    int length;       /* bytes                     */
    tp_place place;
} tp_token;

typedef struct tp_lexer {
    const char *next;
    tp_place place;
    tp_message *why;
} tp_lexer;

/* A place that a program gave may lack file, line and column: the formula itself is then the file. */
void tp_lexer_init(tp_lexer *lexer, const char *text, tp_place place, tp_message *why_out);

tp_status tp_lexer_next(tp_lexer *lexer, tp_token *token_out);

/* Bytes of the name at the start of the text: identifiers joined by dots, then apostrophes; 0 if there is
   none. */
size_t tp_name_length(const char *text);

/* Are these bytes the word? */
bool tp_is_word(const char *text, int length, const char *word);

#endif
