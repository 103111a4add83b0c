/* Words of a text between white space, with line and column for messages. Line breaks carry no meaning. */
#ifndef TP_IO_COMMON_TOKENS_H
#define TP_IO_COMMON_TOKENS_H

#include "tippe/base.h"

typedef struct tp_tokens {
    const char *name; /* of the file                                   */
    const char *text; /* need not be terminated                        */
    size_t length, at;
    tp_message *why; /* may be NULL                                    */
} tp_tokens;

typedef struct tp_token {
    const char *text;
    size_t length; /* 0: the end of the text */
} tp_token;

tp_token tp_tokens_peek(const tp_tokens *tokens);
tp_token tp_tokens_next(tp_tokens *tokens);
size_t tp_tokens_left(const tp_tokens *tokens); /* how many words remain */

bool tp_token_is(tp_token token, const char *word);
bool tp_token_is_int(tp_token token, long long *value_out); /* plain digits with a sign, at most 18 digits */
bool tp_token_is_number(tp_token token);                    /* decimal, as in 12, -1.5e-3; not nan, not inf */

/* TP_INVALID_DATA with "NAME:LINE:COLUMN: TEXT, found 'WORD'" (or "found the end of the file"). */
tp_status tp_tokens_fail(const tp_tokens *tokens, tp_token found, const char *format, ...) TP_PRINTF(3, 4);

/* The same without the word. */
tp_place tp_tokens_place(const tp_tokens *tokens, tp_token at);
#define tp_tokens_fail_at(tokens, at, ...)                                                                   \
    tp_fail_at((tokens)->why, TP_INVALID_DATA, tp_tokens_place(tokens, at), __VA_ARGS__)

/* An integer between low and high. */
tp_status tp_tokens_int(tp_tokens *tokens, const char *what, int low, int high, int *out);

/* A number of things that follow, `numbers_each` numbers each: refused when what is left of the text could
   not hold them (a number takes at least two bytes), so that no memory is taken on a file's mere word. */
tp_status tp_tokens_count(tp_tokens *tokens, const char *what, int numbers_each, int *out);

/* TP_OK if `numbers` more numbers may follow. */
tp_status tp_tokens_expect(const tp_tokens *tokens, const char *what, long long numbers);

tp_status tp_tokens_ints(tp_tokens *tokens, const char *what, int count, int low, int high, int *out);
tp_status tp_tokens_reals(tp_tokens *tokens, const char *what, int count, double *out);

/* Bounds: as reals, but inf and -inf are numbers here. */
tp_status tp_tokens_bounds(tp_tokens *tokens, const char *what, int count, double *out);

/* The given word and no other. */
tp_status tp_tokens_word(tp_tokens *tokens, const char *word);

#endif
