/* GIF 89a: one palette for all frames, each frame the rectangle that changed, packed by LZW. */
#include "film.h"

#include <string.h>

enum { CODES = 4096, CLEAR = 256, END = 257, FIRST_FREE = 258, BLOCK = 255, TICKS = 100 };

static void add_byte(tp_film *film, int byte)
{
    unsigned char one = (unsigned char)byte;
    tp_text_add_bytes(&film->file, &one, 1);
}

static void add_word(tp_film *film, int word)
{
    add_byte(film, word & 255), add_byte(film, word >> 8);
}

/* ---- the palette --------------------------------------------------------------------------------------- */

static unsigned colour_of(int cell)
{
    unsigned red = (unsigned)cell >> 10 & 31, green = (unsigned)cell >> 5 & 31, blue = (unsigned)cell & 31;
    return (red * 255 / 31) << 16 | (green * 255 / 31) << 8 | blue * 255 / 31;
}

static int part(unsigned colour, int shift)
{
    return (int)(colour >> shift & 255);
}

static int distance(unsigned a, unsigned b)
{
    int red = part(a, 16) - part(b, 16), green = part(a, 8) - part(b, 8), blue = part(a, 0) - part(b, 0);
    return 3 * red * red + 4 * green * green + 2 * blue * blue; /* as the eye sees them, roughly */
}

void tp_film_choose_palette(tp_film *film, const long long *counts)
{
    static const long long taken = -1;
    long long left[TP_FILM_CELLS];
    memcpy(left, counts, sizeof left);
    int used = 0;
    for (; used < TP_FILM_COLOURS; used++) {
        int best = 0;
        for (int cell = 1; cell < TP_FILM_CELLS; cell++) best = left[cell] > left[best] ? cell : best;
        if (left[best] <= 0) break;
        film->palette[used] = colour_of(best);
        left[best] = taken;
    }
    for (int cell = 0; cell < TP_FILM_CELLS; cell++) {
        int best = 0;
        for (int k = 1; k < used; k++) {
            if (distance(colour_of(cell), film->palette[k]) < distance(colour_of(cell), film->palette[best]))
                best = k;
        }
        film->nearest[cell] = (unsigned char)best;
    }
}

int tp_film_ticks(tp_film *film, double seconds, int per_second)
{
    film->shown += seconds;
    long long now = (long long)(film->shown * per_second + 0.5), ticks = now - film->ticks;
    if (ticks < 1) ticks = 1;
    if (ticks > 65535) ticks = 65535;
    film->ticks += ticks;
    return (int)ticks;
}

/* ---- LZW ----------------------------------------------------------------------------------------------- */

/* Words of up to 12 bits in blocks of 255 bytes. */
typedef struct packer {
    tp_film *film;
    unsigned bits;
    int bit_count, width; /* of a code */
    int next;             /* free code */
    unsigned char block[BLOCK];
    int block_count;
    short child[CODES][256]; /* the code of a code and one more pixel; 0: none */
} packer;

static void end_block(packer *p)
{
    if (p->block_count == 0) return;
    add_byte(p->film, p->block_count);
    tp_text_add_bytes(&p->film->file, p->block, (size_t)p->block_count);
    p->block_count = 0;
}

static void put_code(packer *p, int code)
{
    p->bits |= (unsigned)code << p->bit_count;
    p->bit_count += p->width;
    while (p->bit_count >= 8) {
        p->block[p->block_count++] = (unsigned char)(p->bits & 255);
        p->bits >>= 8, p->bit_count -= 8;
        if (p->block_count == BLOCK) end_block(p);
    }
}

static void start_table(packer *p)
{
    put_code(p, CLEAR);
    memset(p->child, 0, sizeof p->child);
    p->width = 9, p->next = FIRST_FREE;
}

static void pack(packer *p, const tp_film_frame *frame)
{
    int code = -1;
    p->width = 9;
    start_table(p);
    for (int y = frame->top; y < frame->top + frame->height; y++) {
        for (int x = frame->left; x < frame->left + frame->width; x++) {
            int pixel = p->film->nearest[tp_film_cell(frame->pixels[y * frame->stride + x])];
            if (code >= 0 && p->child[code][pixel] != 0) {
                code = p->child[code][pixel];
                continue;
            }
            if (code >= 0) {
                put_code(p, code);
                if (p->next == CODES) {
                    start_table(p);
                } else {
                    p->child[code][pixel] = (short)p->next;
                    if (p->next++ == 1 << p->width) p->width++;
                }
            }
            code = pixel;
        }
    }
    put_code(p, code);
    put_code(p, END);
    p->width = 8, put_code(p, 0); /* the last bits */
    end_block(p);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void begin_gif(tp_film *film)
{
    static const char loop[] = "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00"; /* for ever */
    tp_text_add_bytes(&film->file, "GIF89a", 6);
    add_word(film, film->width), add_word(film, film->height);
    add_byte(film, 0xf7), add_byte(film, 0), add_byte(film, 0); /* 256 colours of 8 bits */
    for (int k = 0; k < TP_FILM_COLOURS; k++) {
        for (int shift = 16; shift >= 0; shift -= 8) add_byte(film, part(film->palette[k], shift));
    }
    tp_text_add_bytes(&film->file, loop, sizeof loop);
}

static tp_status add_gif(tp_film *film, const tp_film_frame *frame)
{
    packer *p = TP_ARENA_ARRAY(film->arena, packer, 1);
    if (!p) return tp_fail(film->why, TP_OUT_OF_MEMORY, "no memory for the film");
    p->film = film;
    add_byte(film, 0x21), add_byte(film, 0xf9), add_byte(film, 4),
        add_byte(film, 4); /* keeps what is there */
    add_word(film, tp_film_ticks(film, frame->seconds, TICKS));
    add_byte(film, 0), add_byte(film, 0);
    add_byte(film, 0x2c);
    add_word(film, frame->left), add_word(film, frame->top);
    add_word(film, frame->width), add_word(film, frame->height);
    add_byte(film, 0), add_byte(film, 8);
    pack(p, frame);
    add_byte(film, 0);
    return TP_OK;
}

static void end_gif(tp_film *film)
{
    add_byte(film, 0x3b);
}

const tp_film_format tp_film_gif = {".gif", true, begin_gif, add_gif, end_gif};
