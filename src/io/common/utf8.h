/* Characters of texts that may come from anywhere. */
#ifndef TP_IO_COMMON_UTF8_H
#define TP_IO_COMMON_UTF8_H

#include <stddef.h>

/* Length of the character that begins here, 0 if the bytes are not UTF-8 (or a control character, which no
   font shows and no XML file may hold). */
int tp_utf8_length(const unsigned char *text);

/* The bytes of the character at which a text is, of U+FFFD where it is none, and the text behind it. */
const char *tp_utf8_next(const char **text_io, size_t *count_out);

#endif
