/* Bytes as letters: what binary data looks like inside XML and HTML. */
#ifndef TP_IO_COMMON_BASE64_H
#define TP_IO_COMMON_BASE64_H

#include "io/common/text.h"

/* A stream that is encoded piece by piece. */
typedef struct tp_base64 {
    tp_text *text;
    unsigned char rest[3];
    int rest_count;
} tp_base64;

void tp_base64_add(tp_base64 *stream, const void *bytes, size_t count);
void tp_base64_end(tp_base64 *stream); /* the last letters */

#endif
