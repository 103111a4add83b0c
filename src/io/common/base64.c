/* Three bytes become four letters; RFC 4648. */
#include "io/common/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char *three, char *four_out)
{
    four_out[0] = letters[three[0] >> 2];
    four_out[1] = letters[(three[0] & 3) << 4 | three[1] >> 4];
    four_out[2] = letters[(three[1] & 15) << 2 | three[2] >> 6];
    four_out[3] = letters[three[2] & 63];
}

void tp_base64_add(tp_base64 *stream, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    size_t whole = ((size_t)stream->rest_count + count) / 3;
    char *to = tp_text_extend(stream->text, 4 * whole);
    if (!to) return;
    while (count > 0) {
        stream->rest[stream->rest_count++] = *from++;
        count--;
        if (stream->rest_count < 3) continue;
        encode(stream->rest, to);
        to += 4;
        stream->rest_count = 0;
    }
}

void tp_base64_end(tp_base64 *stream)
{
    int given = stream->rest_count;
    if (given == 0) return;
    while (stream->rest_count < 3) stream->rest[stream->rest_count++] = 0;
    char *to = tp_text_extend(stream->text, 4);
    stream->rest_count = 0;
    if (!to) return;
    encode(stream->rest, to);
    to[3] = '=';
    if (given == 1) to[2] = '=';
}
