/* Reads films back: GIF and animated PNG into whole frames, written apart from what writes them. */
#ifndef TESTS_IO_FILM_READER_H
#define TESTS_IO_FILM_READER_H

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "check.h"

enum { FILM_FRAMES = 64 };

typedef struct read_film {
    int width, height, count;
    double seconds[FILM_FRAMES];
    unsigned *frames[FILM_FRAMES]; /* 0xRRGGBB */
} read_film;

static inline void release_film(read_film *film)
{
    for (int k = 0; k < film->count; k++) free(film->frames[k]);
}

/* A copy of the frame before, to be changed. */
static inline unsigned *next_frame(read_film *film)
{
    size_t bytes = (size_t)film->width * (size_t)film->height * sizeof(unsigned);
    unsigned *frame = calloc(1, bytes);
    if (film->count >= FILM_FRAMES || frame == NULL) fail();
    if (film->count > 0) memcpy(frame, film->frames[film->count - 1], bytes);
    return film->frames[film->count++] = frame;
}

static inline int word_at(const unsigned char *bytes)
{
    return bytes[0] | bytes[1] << 8;
}

/* Codes of LZW from blocks; returns where they end. pixels_out [count]. */
static inline const unsigned char *unpack_codes(const unsigned char *at, unsigned char *pixels_out, int count)
{
    static int before[4096], length[4096];
    static unsigned char last[4096];
    int size = *at++, clear = 1 << size, width = size + 1, next = clear + 2, old = -1, made = 0;
    unsigned bits = 0;
    int bit_count = 0, left = *at++;
    for (int k = 0; k < clear; k++) before[k] = -1, length[k] = 1, last[k] = (unsigned char)k;
    for (;;) {
        while (bit_count < width) {
            if (left == 0) left = *at++;
            if (left == 0) return at;
            bits |= (unsigned)*at++ << bit_count, bit_count += 8, left--;
        }
        int code = (int)(bits & ((1u << width) - 1));
        bits >>= width, bit_count -= width;
        if (code == clear) {
            width = size + 1, next = clear + 2, old = -1;
            continue;
        }
        if (code == clear + 1) break;
        if (code > next || (code == next && old < 0)) fail();
        if (old >= 0 && next < 4096) {
            int first = code == next ? old : code;
            while (before[first] >= 0) first = before[first];
            before[next] = old, length[next] = length[old] + 1, last[next] = last[first];
            if (++next == 1 << width && width < 12) width++;
        }
        if (made + length[code] > count) fail();
        for (int c = code, k = made + length[code] - 1; c >= 0; c = before[c]) pixels_out[k--] = last[c];
        made += length[code];
        old = code;
    }
    if (made != count) fail();
    at += left;
    while (*at != 0) at += *at + 1;
    return at + 1;
}

static inline read_film read_gif(const unsigned char *bytes)
{
    read_film film = {.width = word_at(bytes + 6), .height = word_at(bytes + 8)};
    if (memcmp(bytes, "GIF89a", 6) != 0 || (bytes[10] & 0x87) != 0x87) fail();
    const unsigned char *palette = bytes + 13, *at = palette + 3 * 256;
    double seconds = 0.0;
    for (; *at != 0x3b;) {
        if (at[0] == 0x21) { /* an extension: its blocks are skipped */
            if (at[1] == 0xf9) seconds = 0.01 * word_at(at + 4);
            for (at += 2; *at != 0;) at += *at + 1;
            at++;
            continue;
        }
        if (at[0] != 0x2c || at[9] != 0) fail();
        int left = word_at(at + 1), top = word_at(at + 3), width = word_at(at + 5), height = word_at(at + 7);
        unsigned char *pixels = malloc((size_t)width * (size_t)height);
        film.seconds[film.count] = seconds;
        unsigned *frame = next_frame(&film);
        at = unpack_codes(at + 10, pixels, width * height);
        for (int k = 0; k < width * height; k++) {
            const unsigned char *c = palette + 3 * pixels[k];
            frame[(top + k / width) * film.width + left + k % width] =
                (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2];
        }
        free(pixels);
    }
    return film;
}

static inline unsigned long_at(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/* Rows of colours whose filter is `none` or `up`. */
static inline void unfilter(read_film *film, const unsigned char *packed, unsigned count,
                            const unsigned char *place)
{
    int width = (int)long_at(place + 4), height = (int)long_at(place + 8), left = (int)long_at(place + 12),
        top = (int)long_at(place + 16);
    uLongf row = 3 * (uLongf)width + 1, size = row * (uLongf)height;
    unsigned char *rows = malloc(size);
    if (uncompress(rows, &size, packed, count) != Z_OK || size != row * (uLongf)height) fail();
    unsigned *frame = next_frame(film);
    for (int y = 0; y < height; y++) {
        unsigned char *line = rows + row * (uLongf)y;
        if (line[0] != 2) fail();
        for (uLongf k = 1; k < row && y > 0; k++) line[k] = (unsigned char)(line[k] + line[k - row]);
        for (int x = 0; x < width; x++) {
            const unsigned char *c = line + 1 + 3 * x;
            frame[(top + y) * film->width + left + x] = (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2];
        }
    }
    free(rows);
}

static inline read_film read_png(const unsigned char *bytes, int *promised_out)
{
    read_film film = {0};
    const unsigned char *control = NULL;
    unsigned sequence = 0;
    if (memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) != 0) fail();
    for (const unsigned char *at = bytes + 8;; at += 12 + long_at(at)) {
        unsigned count = long_at(at);
        const unsigned char *content = at + 8;
        if (crc32(crc32(0, NULL, 0), at + 4, count + 4) != long_at(content + count)) fail();
        if (memcmp(at + 4, "IHDR", 4) == 0)
            film.width = (int)long_at(content), film.height = (int)long_at(content + 4);
        if (memcmp(at + 4, "acTL", 4) == 0) *promised_out = (int)long_at(content);
        if (memcmp(at + 4, "fcTL", 4) == 0) {
            control = content;
            if (long_at(content) != sequence++) fail();
            film.seconds[film.count] =
                (double)(content[20] << 8 | content[21]) / (double)(content[22] << 8 | content[23]);
        }
        if (memcmp(at + 4, "IDAT", 4) == 0) unfilter(&film, content, count, control);
        if (memcmp(at + 4, "fdAT", 4) == 0) {
            if (long_at(content) != sequence++) fail();
            unfilter(&film, content + 4, count - 4, control);
        }
        if (memcmp(at + 4, "IEND", 4) == 0) return film;
    }
}

#endif
