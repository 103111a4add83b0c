/* Animated PNG: the first frame is a plain PNG, the others are chunks that older readers skip. */
#include "film.h"

#include <string.h>

#include "io/common/gzip.h"

enum { TICKS = 1000, ABOVE = 2 }; /* per second; filter: what differs from the row above */

static void put_long(unsigned char *to, unsigned long value)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> (24 - 8 * k));
}

/* Length, kind, content, check sum. */
static void add_chunk(tp_film *film, const char *kind, const unsigned char *bytes, size_t count)
{
    unsigned char number[4];
    put_long(number, count);
    tp_text_add_bytes(&film->file, number, 4);
    size_t begin = film->file.count;
    tp_text_add_bytes(&film->file, kind, 4);
    tp_text_add_bytes(&film->file, bytes, count);
    if (film->file.has_failed) return;
    put_long(number, tp_crc32((const unsigned char *)film->file.bytes + begin, count + 4));
    tp_text_add_bytes(&film->file, number, 4);
}

static void begin_png(tp_film *film)
{
    unsigned char head[13] = {0}, frames[8];
    put_long(head, (unsigned long)film->width), put_long(head + 4, (unsigned long)film->height);
    head[8] = 8, head[9] = 2; /* 8 bits each of red, green, blue */
    put_long(frames, (unsigned long)film->frame_count), put_long(frames + 4, 0); /* for ever */
    tp_text_add_bytes(&film->file, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(film, "IHDR", head, sizeof head);
    add_chunk(film, "acTL", frames, sizeof frames);
}

static void add_control(tp_film *film, const tp_film_frame *frame)
{
    unsigned char control[26] = {0}; /* ends with: keep what is there, replace what is new */
    const int numbers[] = {film->sequence++, frame->width, frame->height, frame->left, frame->top};
    for (int k = 0; k < 5; k++) put_long(control + 4 * k, (unsigned long)numbers[k]);
    int ticks = tp_film_ticks(film, frame->seconds, TICKS);
    control[20] = (unsigned char)(ticks >> 8), control[21] = (unsigned char)(ticks & 255);
    control[22] = TICKS >> 8, control[23] = TICKS & 255;
    add_chunk(film, "fcTL", control, sizeof control);
}

/* Rows of colours, each as what differs from the row above it. */
static unsigned char *rows_of(tp_arena *arena, const tp_film_frame *frame, size_t *count_out)
{
    size_t row = 3 * (size_t)frame->width + 1;
    unsigned char *bytes = TP_ARENA_ARRAY(arena, unsigned char, row *(size_t)frame->height), *to = bytes;
    *count_out = row * (size_t)frame->height;
    for (int y = 0; y < frame->height && bytes; y++) {
        const unsigned *from = frame->pixels + (frame->top + y) * frame->stride + frame->left;
        *to++ = ABOVE;
        for (int x = 0; x < frame->width; x++) {
            for (int shift = 16; shift >= 0; shift -= 8) {
                unsigned above = y > 0 ? from[x - frame->stride] >> shift : 0;
                *to++ = (unsigned char)((from[x] >> shift) - above);
            }
        }
    }
    return bytes;
}

static tp_status add_png(tp_film *film, const tp_film_frame *frame)
{
    size_t count, packed_count = 0;
    unsigned char *packed = NULL, *rows = rows_of(film->arena, frame, &count);
    if (!rows) return tp_fail(film->why, TP_OUT_OF_MEMORY, "no memory for the film");
    TP_TRY(tp_zlib_pack(film->arena, rows, count, &packed, &packed_count, film->why));
    add_control(film, frame);
    if (film->added == 0) {
        add_chunk(film, "IDAT", packed, packed_count);
        return TP_OK;
    }
    unsigned char *numbered = TP_ARENA_ARRAY(film->arena, unsigned char, packed_count + 4);
    if (!numbered) return tp_fail(film->why, TP_OUT_OF_MEMORY, "no memory for the film");
    put_long(numbered, (unsigned long)film->sequence++);
    memcpy(numbered + 4, packed, packed_count);
    add_chunk(film, "fdAT", numbered, packed_count + 4);
    return TP_OK;
}

static void end_png(tp_film *film)
{
    add_chunk(film, "IEND", NULL, 0);
}

const tp_film_format tp_film_png = {".png", false, begin_png, add_png, end_png};
