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

/* Of finite numbers; fmin and fmax are calls. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

/* False: there is no thing, or the cells cannot be numbered. */
static bool lay_cells(const tp_space *s, cells *c)
{
    tp_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    c->size = 0.0;
    for (int i = 0; i < s->count; i++) {
        if (!(s->state[i] & TP_SPACE_BOUNDED)) continue;
        const tp_bounds *b = &s->box[i];
        lower = (tp_vec3){least(lower.x, b->lower.x), least(lower.y, b->lower.y), least(lower.z, b->lower.z)};
        upper = (tp_vec3){most(upper.x, b->upper.x), most(upper.y, b->upper.y), most(upper.z, b->upper.z)};
        c->size = most(c->size,
                       most(b->upper.x - b->lower.x, most(b->upper.y - b->lower.y, b->upper.z - b->lower.z)));
    }
    const double span[3] = {upper.x - lower.x, upper.y - lower.y, upper.z - lower.z}, farthest = 0x1p18;
    c->origin = lower;
    c->size *= 1.0 + 1e-9; /* rounding of cells must not part two that touch */
    if (!(c->size > 0.0)) return false;
    for (int k = 0; k < 3; k++) {
        if (!(span[k] / c->size < farthest)) return false;
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
static void meet_row(tp_space_gatherer *g, const tp_space *s, const int *cell, uint64_t key, int at)
{
    for (int p = cell[0]; p < cell[1]; p++) {
        const tp_bounds *box = &s->box[s->order[p]];
        const int moved = s->state[s->order[p]] & TP_SPACE_MOVED;
        for (int o = at; o < s->grid_count && s->key[o] <= key + 1; o++) {
            if (o <= p) continue; /* each pair once: the later one in the order of cells is found */
            if (!moved && !(s->state[s->order[o]] & TP_SPACE_MOVED)) continue; /* kept */
            if (tp_boxes_overlap(box, &s->box[s->order[o]])) tp_space_gather(g, s->order[p], s->order[o]);
        }
    }
}

/* The first thing whose cell is not before `key`. */
static int place_of(const tp_space *s, uint64_t key)
{
    int low = 0, high = s->grid_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cells whose first thing is in a range. */
static void meet_cells(tp_space_gatherer *g, const tp_space *s, const void *context, int begin, int last)
{
    /* Rows of the same and of later cells: offsets of (y, z), of which five are not before the own row. */
    const cells *c = context;
    const uint64_t row = c->across[0], layer = c->across[0] * c->across[1];
    const uint64_t offset[5] = {0, row, layer - row, layer, layer + row};
    int place[5], cell[2];
    while (begin > 0 && begin < last && s->key[begin] == s->key[begin - 1]) begin++;
    if (begin == last) return;
    for (int r = 0; r < 5; r++) place[r] = place_of(s, s->key[begin] + offset[r] - 1);
    for (; begin < last; begin = cell[1]) {
        uint64_t key = s->key[begin];
        cell[0] = begin;
        for (cell[1] = begin; cell[1] < s->grid_count && s->key[cell[1]] == key; cell[1]++) {
        }
        for (int r = 0; r < 5; r++) {
            uint64_t from = key + offset[r] - 1;
            while (place[r] < s->grid_count && s->key[place[r]] < from) place[r]++;
            meet_row(g, s, cell, key + offset[r], place[r]);
        }
    }
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
    s->grid_count = n;
    return tp_space_search_all(s, n, meet_cells, &c);
}
