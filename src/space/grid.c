/* Pairs by a uniform grid whose cells are as large as the largest thing: partners are in the 27 cells around
   that of a thing's middle. Things are sorted by cell, rows of three cells lie together, and nine places that
   run along with the cell find them without a search. */
#include "inside.h"

#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Stable radix sort of things by key; keys below 2^bits. */
static void sort_by_cell(tp_space *s, int n, int bits)
{
    int start[DIGITS];
    for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
        memset(start, 0, sizeof start);
        for (int k = 0; k < n; k++) start[(s->key[k] >> shift) & (DIGITS - 1)]++;
        for (int d = 0, sum = 0; d < DIGITS; d++) {
            int here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (int k = 0; k < n; k++) {
            int at = start[(s->key[k] >> shift) & (DIGITS - 1)]++;
            s->other_key[at] = s->key[k];
            s->other_order[at] = s->order[k];
        }
        uint64_t *keys = s->key;
        int *order = s->order;
        s->key = s->other_key, s->order = s->other_order;
        s->other_key = keys, s->other_order = order;
    }
}

typedef struct cells {
    tp_vec3 origin;
    double size;
    uint64_t across[3]; /* cells along x, y, z, with one free one at each end */
} cells;

/* False: there is no thing, or the cells cannot be numbered. */
static bool lay_cells(const tp_space *s, cells *c)
{
    tp_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    c->size = 0.0;
    for (int i = 0; i < s->count; i++) {
        if (!(s->state[i] & TP_SPACE_BOUNDED)) continue;
        const tp_bounds *b = &s->box[i];
        lower = (tp_vec3){fmin(lower.x, b->lower.x), fmin(lower.y, b->lower.y), fmin(lower.z, b->lower.z)};
        upper = (tp_vec3){fmax(upper.x, b->upper.x), fmax(upper.y, b->upper.y), fmax(upper.z, b->upper.z)};
        c->size = fmax(c->size,
                       fmax(b->upper.x - b->lower.x, fmax(b->upper.y - b->lower.y, b->upper.z - b->lower.z)));
    }
    const double span[3] = {upper.x - lower.x, upper.y - lower.y, upper.z - lower.z}, most = 0x1p18;
    c->origin = lower;
    c->size *= 1.0 + 1e-9; /* rounding of cells must not part two that touch */
    if (!(c->size > 0.0)) return false;
    for (int k = 0; k < 3; k++) {
        if (!(span[k] / c->size < most)) return false;
        c->across[k] = (uint64_t)(span[k] / c->size) + 3;
    }
    return true;
}

static uint64_t cell_of(const cells *c, const tp_bounds *b)
{
    double x = 0.5 * (b->lower.x + b->upper.x), y = 0.5 * (b->lower.y + b->upper.y),
           z = 0.5 * (b->lower.z + b->upper.z);
    uint64_t i = (uint64_t)((x - c->origin.x) / c->size) + 1, j = (uint64_t)((y - c->origin.y) / c->size) + 1,
             k = (uint64_t)((z - c->origin.z) / c->size) + 1;
    return i + c->across[0] * (j + c->across[1] * k);
}

/* Pairs of the things of one cell with later ones of its own and those of the cells from `key - 1` on, in the
   row that starts at `at`: three cells. */
static tp_status meet_row(tp_space *s, int n, int begin, int end, uint64_t key, int at)
{
    for (int p = begin; p < end; p++) {
        const tp_bounds *box = &s->box[s->order[p]];
        for (int o = at; o < n && s->key[o] <= key + 1; o++) {
            if (o <= p) continue; /* each pair once: the later one in the order of cells is found */
            if (tp_boxes_overlap(box, &s->box[s->order[o]]))
                TP_TRY(tp_space_add(s, s->order[p], s->order[o]));
        }
    }
    return TP_OK;
}

tp_status tp_space_grid(tp_space *s, bool *is_done_out)
{
    cells c;
    int n = 0;
    *is_done_out = lay_cells(s, &c);
    if (!*is_done_out) return TP_OK;
    for (int i = 0; i < s->count; i++) {
        if (!(s->state[i] & TP_SPACE_BOUNDED)) continue;
        s->order[n] = i;
        s->key[n++] = cell_of(&c, &s->box[i]);
    }
    int bits = 0;
    while (bits < 63 && (c.across[0] * c.across[1] * c.across[2]) >> bits) bits++;
    sort_by_cell(s, n, bits);

    /* Rows of the same and of later cells: offsets of (y, z), of which five are not before the own row. */
    const uint64_t row = c.across[0], layer = c.across[0] * c.across[1];
    const uint64_t offset[5] = {0, row, layer - row, layer, layer + row};
    int place[5] = {0};
    for (int begin = 0, end; begin < n; begin = end) {
        uint64_t key = s->key[begin];
        for (end = begin; end < n && s->key[end] == key; end++) {
        }
        for (int r = 0; r < 5; r++) {
            uint64_t from = key + offset[r] - 1;
            while (place[r] < n && s->key[place[r]] < from) place[r]++;
            TP_TRY(meet_row(s, n, begin, end, key + offset[r], place[r]));
        }
    }
    return TP_OK;
}
