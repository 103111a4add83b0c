/* The convex hull of points as triangles: starting from four points, the farthest point of all outside is
   added until none is left; docs/theory/contacts-geometry.md (28). */
#include "hull.h"
#include "tolerances.h"

typedef struct cloud {
    const tp_vec3 *points;
    int count;
    int *face_of; /* the face a point is outside of; -1: it is inside or a vertex */
    double *above;
    double tolerance;
    tp_hull_triangles *hull;
} cloud;

static void set_plane(const cloud *all, tp_hull_triangle *face)
{
    tp_vec3 a = all->points[face->vertex[0]], b = all->points[face->vertex[1]],
            c = all->points[face->vertex[2]];
    face->normal = tp_vec3_normalise(tp_vec3_cross(tp_vec3_sub(b, a), tp_vec3_sub(c, a)));
    face->offset = tp_vec3_dot(face->normal, a);
}

static double height(const cloud *all, const tp_hull_triangle *face, int point)
{
    return tp_vec3_dot(face->normal, all->points[point]) - face->offset;
}

/* Notes for a point the face it is farthest outside of, among those from `first` on of a list. */
static void assign(cloud *all, int point, const int *faces, int count)
{
    all->face_of[point] = -1;
    all->above[point] = all->tolerance;
    for (int k = 0; k < count; k++) {
        double above = height(all, &all->hull->triangle[faces[k]], point);
        if (!(above > all->above[point])) continue;
        all->above[point] = above;
        all->face_of[point] = faces[k];
    }
}

/* ---- the first four ---- */

static int farthest_from_line(const cloud *all, int from, int to)
{
    tp_vec3 along = tp_vec3_normalise(tp_vec3_sub(all->points[to], all->points[from]));
    int best = 0;
    double most = -1.0;
    for (int i = 0; i < all->count; i++) {
        double away = tp_vec3_norm(tp_vec3_cross(along, tp_vec3_sub(all->points[i], all->points[from])));
        if (away > most) most = away, best = i;
    }
    return most > all->tolerance ? best : -1;
}

static int farthest_from_plane(const cloud *all, const tp_hull_triangle *face)
{
    int best = 0;
    double most = -1.0;
    for (int i = 0; i < all->count; i++) {
        double away = fabs(height(all, face, i));
        if (away > most) most = away, best = i;
    }
    return most > all->tolerance ? best : -1;
}

static int farthest_from_point(const cloud *all, int from)
{
    int best = from;
    double most = 0.0;
    for (int i = 0; i < all->count; i++) {
        double away = tp_vec3_norm(tp_vec3_sub(all->points[i], all->points[from]));
        if (away > most) most = away, best = i;
    }
    return best;
}

static tp_status first_four(cloud *all, tp_message *why_out)
{
    int a = farthest_from_point(all, 0), b = farthest_from_point(all, a);
    double size = tp_vec3_norm(tp_vec3_sub(all->points[b], all->points[a]));
    all->tolerance = tp_hull_face_tolerance * size;
    if (!(size > 0.0)) return tp_fail(why_out, TP_INVALID_DATA, "hull: all points are the same");
    int c = farthest_from_line(all, a, b);
    if (c < 0) return tp_fail(why_out, TP_INVALID_DATA, "hull: all points lie on a line, a hull has volume");
    tp_hull_triangle base = {{a, b, c}, {0.0, 0.0, 0.0}, 0.0, true};
    set_plane(all, &base);
    int d = farthest_from_plane(all, &base);
    if (d < 0) return tp_fail(why_out, TP_INVALID_DATA, "hull: all points lie in a plane, a hull has volume");
    if (height(all, &base, d) > 0.0) {
        int swap = b;
        b = c;
        c = swap;
    }
    const int corner[4][3] = {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}};
    int faces[4] = {0, 1, 2, 3};
    for (int k = 0; k < 4; k++) {
        tp_hull_triangle face = {{corner[k][0], corner[k][1], corner[k][2]}, {0.0, 0.0, 0.0}, 0.0, true};
        set_plane(all, &face);
        all->hull->triangle[k] = face;
    }
    all->hull->count = 4;
    for (int i = 0; i < all->count; i++) assign(all, i, faces, 4);
    return TP_OK;
}

/* ---- one more ---- */

typedef struct edge_list {
    int count;
    int edge[3 * TP_HULL_TRIANGLES_MAX][2];
} edge_list;

/* Removes the faces a point sees; their edges without a partner are the horizon. */
static void open_horizon(cloud *all, int point, edge_list *horizon)
{
    horizon->count = 0;
    for (int k = 0; k < all->hull->count; k++) {
        tp_hull_triangle *face = &all->hull->triangle[k];
        bool is_seen =
            face->is_used && (height(all, face, point) > all->tolerance || k == all->face_of[point]);
        if (!is_seen) continue;
        face->is_used = false;
        for (int e = 0; e < 3; e++) {
            int from = face->vertex[e], to = face->vertex[(e + 1) % 3], i = 0;
            while (i < horizon->count && !(horizon->edge[i][0] == to && horizon->edge[i][1] == from)) i++;
            if (i < horizon->count) {
                horizon->count--;
                horizon->edge[i][0] = horizon->edge[horizon->count][0];
                horizon->edge[i][1] = horizon->edge[horizon->count][1];
            } else {
                horizon->edge[horizon->count][0] = from;
                horizon->edge[horizon->count++][1] = to;
            }
        }
    }
}

static int unused_place(tp_hull_triangles *hull)
{
    for (int k = 0; k < hull->count; k++)
        if (!hull->triangle[k].is_used) return k;
    return hull->count < TP_HULL_TRIANGLES_MAX ? hull->count++ : -1;
}

/* Faces from the horizon to the point; what was outside of removed faces is sorted in anew. */
static bool close_horizon(cloud *all, int point, const edge_list *horizon)
{
    int made[3 * TP_HULL_TRIANGLES_MAX];
    for (int i = 0; i < all->count; i++)
        if (all->face_of[i] >= 0 && !all->hull->triangle[all->face_of[i]].is_used) all->face_of[i] = -2;
    for (int k = 0; k < horizon->count; k++) {
        made[k] = unused_place(all->hull);
        if (made[k] < 0) return false;
        tp_hull_triangle face = {
            {horizon->edge[k][0], horizon->edge[k][1], point}, {0.0, 0.0, 0.0}, 0.0, true};
        set_plane(all, &face);
        all->hull->triangle[made[k]] = face;
    }
    for (int i = 0; i < all->count; i++)
        if (all->face_of[i] == -2) assign(all, i, made, horizon->count);
    all->face_of[point] = -1;
    return horizon->count >= 3;
}

static int farthest_outside(const cloud *all)
{
    int best = -1;
    for (int i = 0; i < all->count; i++)
        if (all->face_of[i] >= 0 && (best < 0 || all->above[i] > all->above[best])) best = i;
    return best;
}

tp_status tp_quickhull(const tp_vec3 *points, int count, int *face_of, double *above, tp_hull_triangles *hull,
                       tp_message *why_out)
{
    cloud all = {points, count, face_of, above, 0.0, hull};
    edge_list horizon;
    TP_TRY(first_four(&all, why_out));
    int vertices = 4;
    for (int next = farthest_outside(&all); next >= 0; next = farthest_outside(&all)) {
        if (++vertices > TP_HULL_VERTICES_MAX)
            return tp_fail(why_out, TP_INVALID_DATA,
                           "hull: more than %d corners; leave out points, or use several hulls",
                           TP_HULL_VERTICES_MAX);
        open_horizon(&all, next, &horizon);
        if (!close_horizon(&all, next, &horizon))
            return tp_fail(why_out, TP_INVALID_DATA,
                           "hull: point %d (%g, %g, %g) lies too close to others to make faces of", next,
                           points[next].x, points[next].y, points[next].z);
    }
    hull->tolerance = 10.0 * all.tolerance;
    return TP_OK;
}
