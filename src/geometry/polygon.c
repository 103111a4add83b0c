/* A polygon without crossings, cut into convex ones: ears first, then neighbours joined again where the whole
   stays convex; docs/theory/contacts-geometry.md (33). */
#include "tippe/geometry.h"
#include "tolerances.h"

#include <string.h>

typedef struct cutter {
    const tp_vec2 *outline;
    int count;
    int *piece, *size; /* [count][count], [count]: corners of each piece */
    int piece_count;
} cutter;

/* > 0: a, b, c turn left; sine of the angle at b. */
static double turn(const cutter *cut, int a, int b, int c)
{
    tp_vec2 in = tp_vec2_sub(cut->outline[b], cut->outline[a]),
            out = tp_vec2_sub(cut->outline[c], cut->outline[b]);
    double lengths = tp_vec2_norm(in) * tp_vec2_norm(out);
    return lengths > 0.0 ? tp_vec2_cross(in, out) / lengths : 0.0;
}

static bool is_inside(const cutter *cut, int a, int b, int c, int point)
{
    tp_vec2 x = cut->outline[point];
    const int corner[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        tp_vec2 from = cut->outline[corner[k]], to = cut->outline[corner[(k + 1) % 3]];
        if (tp_vec2_cross(tp_vec2_sub(to, from), tp_vec2_sub(x, from)) < 0.0) return false;
    }
    return true;
}

/* A corner whose triangle holds no other corner. */
static bool is_ear(const cutter *cut, const int *rest, int count, int k)
{
    int a = rest[(k + count - 1) % count], b = rest[k], c = rest[(k + 1) % count];
    if (!(turn(cut, a, b, c) > tp_straight_sine)) return false;
    for (int i = 0; i < count; i++) {
        bool is_corner = rest[i] == a || rest[i] == b || rest[i] == c;
        if (!is_corner && is_inside(cut, a, b, c, rest[i])) return false;
    }
    return true;
}

static void add_piece(cutter *cut, int a, int b, int c)
{
    int *piece = cut->piece + (size_t)cut->piece_count * (size_t)cut->count;
    piece[0] = a, piece[1] = b, piece[2] = c;
    cut->size[cut->piece_count++] = 3;
}

/* rest [count] */
static bool cut_ears(cutter *cut, int *rest, bool is_reversed)
{
    int count = cut->count;
    for (int k = 0; k < count; k++) rest[k] = is_reversed ? count - 1 - k : k;
    while (count > 3) {
        int k = 0;
        while (k < count && !is_ear(cut, rest, count, k)) k++;
        if (k == count) { /* only straight corners are left beside the ears: drop one of them */
            for (k = 0; k < count; k++)
                if (fabs(turn(cut, rest[(k + count - 1) % count], rest[k], rest[(k + 1) % count])) <=
                    tp_straight_sine)
                    break;
            if (k == count) return false;
        } else {
            add_piece(cut, rest[(k + count - 1) % count], rest[k], rest[(k + 1) % count]);
        }
        memmove(rest + k, rest + k + 1, (size_t)(count - 1 - k) * sizeof *rest);
        count--;
    }
    if (turn(cut, rest[0], rest[1], rest[2]) > tp_straight_sine) add_piece(cut, rest[0], rest[1], rest[2]);
    return cut->piece_count > 0;
}

/* Joins piece j to piece i across a common edge if all corners stay convex; joined [2 count]: work. */
static bool join(cutter *cut, int i, int j, int most, int *joined)
{
    int *one = cut->piece + (size_t)i * (size_t)cut->count,
        *two = cut->piece + (size_t)j * (size_t)cut->count;
    int m = cut->size[i], n = cut->size[j];
    if (m + n - 2 > most) return false;
    for (int p = 0; p < m; p++)
        for (int q = 0; q < n; q++) {
            if (one[p] != two[(q + 1) % n] || one[(p + 1) % m] != two[q]) continue;
            int count = 0;
            for (int k = 0; k < m; k++) joined[count++] = one[(p + 1 + k) % m];
            for (int k = 2; k < n; k++) joined[count++] = two[(q + k) % n];
            for (int k = 0; k < count; k++)
                if (turn(cut, joined[(k + count - 1) % count], joined[k], joined[(k + 1) % count]) <
                    -tp_straight_sine)
                    return false;
            memcpy(one, joined, (size_t)count * sizeof *one);
            cut->size[i] = count;
            return true;
        }
    return false;
}

static void join_all(cutter *cut, int most, int *joined)
{
    for (int i = 0; i < cut->piece_count; i++)
        for (int j = i + 1; j < cut->piece_count;) {
            if (!join(cut, i, j, most, joined)) {
                j++;
                continue;
            }
            int last = --cut->piece_count;
            memcpy(cut->piece + (size_t)j * (size_t)cut->count,
                   cut->piece + (size_t)last * (size_t)cut->count, (size_t)cut->size[last] * sizeof(int));
            cut->size[j] = cut->size[last];
            j = i + 1; /* what did not fit before may fit now */
        }
}

/* ---- checks ---- */

static bool edges_cross(const tp_vec2 *x, int count, int i, int j)
{
    tp_vec2 a = x[i], b = x[(i + 1) % count], c = x[j], d = x[(j + 1) % count];
    tp_vec2 u = tp_vec2_sub(b, a), w = tp_vec2_sub(d, c);
    double c_side = tp_vec2_cross(u, tp_vec2_sub(c, a)), d_side = tp_vec2_cross(u, tp_vec2_sub(d, a));
    double a_side = tp_vec2_cross(w, tp_vec2_sub(a, c)), b_side = tp_vec2_cross(w, tp_vec2_sub(b, c));
    return c_side * d_side < 0.0 && a_side * b_side < 0.0;
}

static tp_status check(const tp_vec2 *outline, int count, double *area_out, tp_message *why_out)
{
    double area = 0.0, around = 0.0;
    if (count < 3 || count > TP_POLYGON_CORNERS_MAX)
        return tp_fail(why_out, TP_INVALID_DATA, "outline: %d corners, must be 3 to %d", count,
                       TP_POLYGON_CORNERS_MAX);
    for (int i = 0; i < count; i++) {
        tp_vec2 a = outline[i], b = outline[(i + 1) % count];
        if (!(isfinite(a.x) && isfinite(a.y)))
            return tp_fail(why_out, TP_INVALID_DATA, "outline: corner %d is (%g, %g), must be finite", i, a.x,
                           a.y);
        area += 0.5 * tp_vec2_cross(tp_vec2_sub(a, outline[0]), tp_vec2_sub(b, outline[0]));
        around += tp_vec2_norm(tp_vec2_sub(b, a));
        for (int j = i + 2; j < count; j++)
            if (edges_cross(outline, count, i, j))
                return tp_fail(why_out, TP_INVALID_DATA,
                               "outline: its edge from corner %d crosses that from corner %d", i, j);
    }
    *area_out = area;
    if (fabs(area) > tp_flat_area * around * around) return TP_OK;
    return tp_fail(why_out, TP_INVALID_DATA, "outline: encloses no area");
}

tp_status tp_polygon_cut(const tp_allocator *allocator, const tp_vec2 *outline, int count, int most_corners,
                         tp_polygon_piece *pieces, int *corners, int *piece_count_out, tp_message *why_out)
{
    double area = 0.0;
    if (allocator == NULL) allocator = tp_allocator_default();
    *piece_count_out = 0;
    TP_TRY(check(outline, count, &area, why_out));
    size_t n = (size_t)count;
    int *work = allocator->allocate(allocator->context, (n * n + 4 * n) * sizeof *work);
    if (work == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "outline: no memory");
    cutter cut = {outline, count, work, work + n * n, 0};
    bool is_cut = cut_ears(&cut, work + n * n + n, area < 0.0);
    if (is_cut) join_all(&cut, most_corners, work + n * n + 2 * n);
    for (int i = 0, at = 0; i < cut.piece_count && is_cut; at += cut.size[i++]) {
        pieces[i] = (tp_polygon_piece){at, cut.size[i]};
        memcpy(corners + at, cut.piece + (size_t)i * n, (size_t)cut.size[i] * sizeof *corners);
    }
    *piece_count_out = is_cut ? cut.piece_count : 0;
    allocator->release(allocator->context, work);
    return is_cut ? TP_OK : tp_fail(why_out, TP_INVALID_DATA, "outline: touches itself");
}
