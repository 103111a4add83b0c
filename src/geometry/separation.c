/* The direction in which two convex cores are farthest apart, or overlap least: every direction that can be
   it is tried; docs/theory/contacts-geometry.md (20), (21). */
#include "collide.h"
#include "convex.h"
#include "features.h"

void tp_try_direction(double gap, tp_vec3 normal, tp_feature a, tp_feature b, double margin,
                      tp_separation *best)
{
    if (gap > best->gap + margin) *best = (tp_separation){gap, normal, a, b};
}

void tp_try_out_of(bool is_of_b, double gap, tp_vec3 out, tp_feature own, tp_feature other, double margin,
                   tp_separation *best)
{
    tp_try_direction(gap, is_of_b ? tp_vec3_negate(out) : out, is_of_b ? other : own, is_of_b ? own : other,
                     margin, best);
}

/* The end of a level ridge of a triangle over a face, as low along its normal as `vertex`; -1: there is none.
   Edges that cross the face's border go before it: they are not looked at where an end would count that is
   beside the face. */
static int ridge_end_over(const tp_convex *owner, int index, const tp_convex *triangle, tp_vec3 out,
                          int vertex, double margin)
{
    double lowest = tp_vec3_dot(out, triangle->vertex[vertex]);
    for (int k = 0; k < triangle->vertex_count; k++) {
        bool is_low = tp_vec3_dot(out, triangle->vertex[k]) <= lowest + margin;
        if (is_low && tp_convex_is_ridge_end(triangle, k, tp_vec3_negate(out)) &&
            tp_face_is_over(owner, index, triangle->vertex[k], margin))
            return k;
    }
    return -1;
}

/* Faces and caps of one against the other. */
static void try_faces(const tp_convex *owner, const tp_convex *other, bool is_of_b, double margin,
                      tp_separation *best)
{
    for (int k = 0; k < tp_convex_flat_count(owner); k++) {
        tp_vec3 out = owner->normal[k];
        double height = owner->is_cylinder
                            ? tp_vec3_dot(out, owner->centre) + owner->half_length
                            : tp_vec3_dot(out, owner->vertex[owner->face_vertex[owner->face_start[k]]]);
        int vertex, end = tp_vec3_dot(out, other->R.cz) > 0.0 ? -1 : 1;
        double gap = -tp_convex_support(other, tp_vec3_negate(out), &vertex) - height;
        int index = owner->is_cylinder ? 2 * k - 1 : k;
        if (!(gap > best->gap + margin)) continue;
        if (!tp_convex_vertex_allows(other, vertex, tp_vec3_negate(out)))
            vertex = ridge_end_over(owner, index, other, out, vertex, margin);
        if (vertex < 0) continue;
        tp_feature at = {other->is_cylinder ? TP_FEATURE_RIM : TP_FEATURE_VERTEX,
                         other->is_cylinder ? end : vertex};
        tp_try_out_of(is_of_b, gap, out, (tp_feature){TP_FEATURE_FACE, index}, at, margin, best);
    }
}

/* The signs of e.n over the two normals of an edge: +1 where the product of the edges with the other one as
   second is out of both solids, -1 where its opposite is, 0 where neither; (21). 2: both are. */
static int edge_side(const tp_convex *owner, const tp_hull_edge *edge, tp_vec3 e)
{
    if (edge->left < 0) return 2;
    double left = tp_vec3_dot(e, owner->normal[edge->left]),
           right = tp_vec3_dot(e, owner->normal[edge->right]);
    if (left >= 0.0 && right <= 0.0) return 1;
    return left <= 0.0 && right >= 0.0 ? -1 : 0;
}

static void try_edge_pair(const tp_convex *a, const tp_convex *b, int i, int j, tp_vec3 u, tp_vec3 w,
                          double margin, tp_separation *best)
{
    int side_a = edge_side(a, &a->edge[i], w);
    if (side_a == 0) return;
    int side_b = edge_side(b, &b->edge[j], u);
    if (side_b == 0 || (side_a != 2 && side_b != 2 && side_a != side_b)) return;
    tp_line_pair lines = tp_lines_nearest(tp_vec3_zero(), u, w);
    if (lines.is_parallel) return;
    tp_vec3 apart = tp_vec3_sub(b->vertex[b->edge[j].from], a->vertex[a->edge[i].from]);
    int side = side_a != 2 ? side_a : side_b;
    tp_vec3 n = tp_vec3_normalise(tp_vec3_cross(u, w));
    double along = tp_vec3_dot(n, apart);
    if (side == -1 || (side == 2 && along < 0.0)) {
        n = tp_vec3_negate(n);
        along = -along;
    }
    tp_try_direction(along, n, (tp_feature){TP_FEATURE_EDGE, i}, (tp_feature){TP_FEATURE_EDGE, j}, margin,
                     best);
}

static void try_edges(const tp_convex *a, const tp_convex *b, double margin, tp_separation *best)
{
    tp_vec3 of_b[3 * TP_HULL_VERTICES_MAX];
    for (int j = 0; j < b->edge_count; j++) of_b[j] = tp_convex_edge_direction(b, j);
    for (int i = 0; i < a->edge_count; i++) {
        tp_vec3 u = tp_convex_edge_direction(a, i);
        for (int j = 0; j < b->edge_count; j++) try_edge_pair(a, b, i, j, u, of_b[j], margin, best);
    }
}

/* ---- separated: a vertex and a vertex, or the inside of an edge ---- */

typedef struct nearest_pair {
    double square;
    tp_vec3 apart; /* from the owner of the vertex to the other */
    tp_feature own, other;
    bool is_of_b;
} nearest_pair;

static void note_pair(const tp_convex *owner, const tp_convex *other, bool is_of_b, tp_vec3 apart,
                      tp_feature own, tp_feature at, nearest_pair *best)
{
    double square = tp_vec3_dot(apart, apart);
    if (!(square < best->square) || square == 0.0) return;
    tp_vec3 n = tp_vec3_scale(1.0 / sqrt(square), apart), back = tp_vec3_negate(n);
    if (!tp_convex_vertex_allows(owner, own.index, n)) return;
    if (at.kind == TP_FEATURE_VERTEX ? !tp_convex_vertex_allows(other, at.index, back)
                                     : !tp_convex_edge_allows(other, at.index, back))
        return;
    *best = (nearest_pair){square, apart, own, at, is_of_b};
}

static void vertices_to_edges(const tp_convex *owner, const tp_convex *other, bool is_of_b,
                              nearest_pair *best)
{
    for (int j = 0; j < other->edge_count; j++) {
        tp_vec3 from = other->vertex[other->edge[j].from];
        tp_vec3 along = tp_vec3_sub(other->vertex[other->edge[j].to], from);
        double square = tp_vec3_dot(along, along);
        for (int k = 0; k < owner->vertex_count; k++) {
            tp_vec3 x = tp_vec3_sub(owner->vertex[k], from);
            double t = tp_vec3_dot(x, along);
            if (!(t > 0.0 && t < square)) continue;
            note_pair(owner, other, is_of_b, tp_vec3_sub(tp_vec3_scale(t / square, along), x),
                      (tp_feature){TP_FEATURE_VERTEX, k}, (tp_feature){TP_FEATURE_EDGE, j}, best);
        }
    }
}

static void try_vertices(const tp_convex *a, const tp_convex *b, double margin, tp_separation *best)
{
    nearest_pair pair = {.square = INFINITY};
    for (int i = 0; i < a->vertex_count; i++)
        for (int j = 0; j < b->vertex_count; j++)
            note_pair(a, b, false, tp_vec3_sub(b->vertex[j], a->vertex[i]),
                      (tp_feature){TP_FEATURE_VERTEX, i}, (tp_feature){TP_FEATURE_VERTEX, j}, &pair);
    vertices_to_edges(a, b, false, &pair);
    vertices_to_edges(b, a, true, &pair);
    if (!isfinite(pair.square)) return;
    tp_vec3 out = tp_vec3_normalise(pair.apart), n = pair.is_of_b ? tp_vec3_negate(out) : out;
    int vertex;
    double gap = -tp_convex_support(a, n, &vertex) - tp_convex_support(b, tp_vec3_negate(n), &vertex);
    tp_try_out_of(pair.is_of_b, gap, out, pair.own, pair.other, margin, best);
}

tp_separation tp_convex_separation(const tp_convex *a, const tp_convex *b, double margin)
{
    tp_separation best = {.gap = -INFINITY};
    try_faces(a, b, false, margin, &best);
    try_faces(b, a, true, margin, &best);
    if (a->is_cylinder || b->is_cylinder) {
        tp_separate_round(a, b, margin, &best);
        return best;
    }
    try_edges(a, b, margin, &best);
    /* Some directions of a triangle are left out: what is left may overlap beside it. */
    if (best.gap > 0.0 || a->triangle != NULL) try_vertices(a, b, margin, &best);
    return best;
}
