/* Texts: in an arena, and growing, which is what a writer makes before the file is touched. */
#ifndef TP_IO_COMMON_TEXT_H
#define TP_IO_COMMON_TEXT_H

#include "base/arena.h"

/* Texts in an arena; NULL without memory, and after it was missing once. */
char *tp_arena_text(tp_arena *arena, const char *text);
char *tp_arena_format(tp_arena *arena, const char *format, ...) TP_PRINTF(2, 3);

typedef struct tp_text {
    char *bytes;
    size_t count, capacity;
    bool has_failed; /* no memory; later additions do nothing */
} tp_text;

void tp_text_clear(tp_text *text);
void tp_text_add(tp_text *text, const char *format, ...) TP_PRINTF(2, 3); /* at most 500 characters a call */
void tp_text_add_bytes(tp_text *text, const void *bytes, size_t count);   /* as many as there are */

/* Room for `count` bytes after the text, to be filled by the caller; NULL without memory. */
char *tp_text_extend(tp_text *text, size_t count);

/* Appends to a text in a fixed place, as much as fits. */
void tp_append(char *text, size_t capacity, const char *format, ...) TP_PRINTF(3, 4);

/* A number as "%.17g" in the C locale writes it, in a third of the time (real_text.c). */
void tp_text_add_real(tp_text *text, double value);

/* Numbers with 17 significant digits, which read back as the same double, `per_line` in a line. */
void tp_text_add_reals(tp_text *text, int count, const double *values, int per_line);
void tp_text_add_ints(tp_text *text, int count, const int *values);

#endif
