/* Contacts where a face or a line of one convex solid looks at one of the other: corners over faces, and
   crossings of their borders, each with the normal and the gap of the two features that meet there;
   docs/theory/contacts-geometry.md (25)-(27). */
#include "features.h"
#include "tolerances.h"

enum { FOUND_MAX = 64, RIM_POINTS = 4 };

typedef enum patch_kind { PATCH_POLYGON, PATCH_DISC, PATCH_LINE } patch_kind;

/* What a solid shows: a face (by number), a cap (by end) or a line. */
typedef struct patch {
    patch_kind kind;
    const tp_convex *owner;
    bool is_of_b;
    int index;
    tp_vec3 normal; /* out of a face or cap */
} patch;

typedef struct found_point {
    tp_core_contact contact;
    tp_vec2 at;
} found_point;

typedef struct manifold {
    patch reference, incident;
    tp_vec3 origin, u, v; /* in the plane of the reference; u is fixed in the incident solid */
    double margin;
    int count;
    found_point found[FOUND_MAX];
} manifold;

/* ---- faces ---- */

tp_face_side tp_face_side_of(const tp_convex *owner, int index, bool is_of_b)
{
    if (!owner->is_cylinder)
        return (tp_face_side){owner->vertex[owner->face_vertex[owner->face_start[index]]],
                              owner->normal[index], is_of_b};
    tp_vec3 out = tp_vec3_scale(index, owner->R.cz);
    return (tp_face_side){tp_vec3_add_scaled(owner->centre, owner->half_length, out), out, is_of_b};
}

bool tp_face_is_over(const tp_convex *owner, int index, tp_vec3 x, double margin)
{
    if (owner->is_cylinder) {
        tp_vec3 from_axis = tp_vec3_sub(x, owner->centre);
        return tp_vec3_norm(tp_vec3_cross(from_axis, owner->R.cz)) <= owner->radius + margin;
    }
    const int *corner = owner->face_vertex + owner->face_start[index];
    int count = owner->face_start[index + 1] - owner->face_start[index];
    for (int k = 0; k < count; k++) {
        tp_vec3 from = owner->vertex[corner[k]];
        tp_vec3 along = tp_vec3_sub(owner->vertex[corner[(k + 1) % count]], from);
        tp_vec3 out = tp_vec3_cross(along, owner->normal[index]);
        double length = tp_vec3_norm(along), room = margin;
        if (owner->triangle != NULL && !isnan(owner->triangle->side[k]))
            room = owner->triangle->side[k] * length;
        if (!(tp_vec3_dot(out, tp_vec3_sub(x, from)) <= room * length)) return false;
    }
    return true;
}

/* The face that looks most along a direction; -1: there is none. */
static int face_along(const tp_convex *convex, tp_vec3 out, double *cosine_out)
{
    int best = -1;
    *cosine_out = -INFINITY;
    for (int k = 0; k < convex->face_count; k++) {
        double cosine = tp_vec3_dot(convex->normal[k], out);
        if (!(cosine > *cosine_out + (best < 0 ? 0.0 : tp_alignment_margin))) continue;
        *cosine_out = cosine;
        best = k;
    }
    return best;
}

static bool reference_of(const tp_convex *owner, bool is_of_b, tp_vec3 out, patch *patch_out)
{
    double cosine = tp_vec3_dot(owner->R.cz, out);
    int index = cosine < 0.0 ? -1 : 1;
    if (owner->is_cylinder)
        cosine = fabs(cosine);
    else
        index = face_along(owner, out, &cosine);
    if (!(cosine >= tp_face_cosine)) return false;
    *patch_out = (patch){owner->is_cylinder ? PATCH_DISC : PATCH_POLYGON, owner, is_of_b, index,
                         tp_face_side_of(owner, index, is_of_b).normal};
    return true;
}

static bool incident_of(const tp_convex *owner, bool is_of_b, tp_vec3 against, patch *patch_out)
{
    tp_vec3 out = tp_vec3_negate(against);
    double cosine = tp_vec3_dot(owner->R.cz, out);
    *patch_out = (patch){.kind = PATCH_LINE, .owner = owner, .is_of_b = is_of_b};
    if (!owner->is_cylinder && owner->face_count == 0) return owner->triangle == NULL;
    if (owner->is_cylinder && fabs(cosine) <= tp_cap_cosine) return true;
    patch_out->kind = owner->is_cylinder ? PATCH_DISC : PATCH_POLYGON;
    patch_out->index = owner->is_cylinder ? (cosine < 0.0 ? -1 : 1) : face_along(owner, out, &cosine);
    patch_out->normal = tp_face_side_of(owner, patch_out->index, is_of_b).normal;
    return fabs(cosine) > tp_incident_cosine && (owner->is_cylinder || cosine > 0.0);
}

/* ---- finding points ---- */

static void add_point(manifold *all, const tp_core_contact *contact)
{
    if (all->count == FOUND_MAX) return;
    tp_vec3 x =
        tp_vec3_sub(all->incident.is_of_b ? contact->point.point_b : contact->point.point_a, all->origin);
    all->found[all->count++] = (found_point){*contact, {tp_vec3_dot(x, all->u), tp_vec3_dot(x, all->v)}};
}

/* Corners of a polygon, points of a cap that are fixed in it. */
static int corner_count(const patch *of)
{
    if (of->kind == PATCH_DISC) return RIM_POINTS;
    return of->owner->face_start[of->index + 1] - of->owner->face_start[of->index];
}

static tp_vec3 corner_at(const patch *of, int k)
{
    const tp_convex *owner = of->owner;
    if (of->kind == PATCH_POLYGON) return owner->vertex[owner->face_vertex[owner->face_start[of->index] + k]];
    tp_curve rim = tp_convex_rim_curve(owner, of->index);
    tp_vec3 arm = k % 2 == 0 ? rim.u : rim.v;
    return tp_vec3_add_scaled(rim.point, k < 2 ? rim.radius : -rim.radius, arm);
}

/* (25): corners of one over the face of the other, each way. */
static void add_corners(manifold *all, const patch *from, const patch *face)
{
    tp_face_side side = tp_face_side_of(face->owner, face->index, face->is_of_b);
    tp_vec3 out = tp_vec3_negate(side.normal), n = all->reference.normal;
    double cosine = tp_vec3_dot(side.normal, n);
    for (int k = 0; k < corner_count(from); k++) {
        /* Seen along the normal of the reference; a corner outside must have its foot on the face as well. */
        tp_vec3 x = corner_at(from, k);
        double height = tp_vec3_dot(side.normal, tp_vec3_sub(x, side.point));
        tp_vec3 shadow = tp_vec3_add_scaled(x, -height / cosine, n);
        if (!tp_face_is_over(face->owner, face->index, shadow, all->margin)) continue;
        if (height > 0.0 && !tp_face_is_over(face->owner, face->index, x, all->margin)) continue;
        if (!tp_convex_vertex_allows(from->owner, k, out) &&
            !tp_convex_is_plateau_corner(from->owner, k, out))
            continue;
        tp_core_contact contact = tp_point_over_face(&side, x);
        add_point(all, &contact);
    }
}

static void add_line_ends(manifold *all)
{
    const tp_convex *owner = all->incident.owner;
    const patch *face = &all->reference;
    tp_face_side side = tp_face_side_of(face->owner, face->index, face->is_of_b);
    for (int k = 0; k < 2; k++) {
        tp_core_contact contact = owner->is_cylinder ? tp_rim_over_face(&side, owner, 2 * k - 1)
                                                     : tp_point_over_face(&side, owner->vertex[k]);
        tp_vec3 foot = face->is_of_b ? contact.point.point_b : contact.point.point_a;
        if (tp_face_is_over(face->owner, face->index, foot, all->margin)) add_point(all, &contact);
    }
}

/* ---- crossings ---- */

/* One curve of a border, or a line. */
typedef struct border {
    tp_curve curve;
    int edge; /* of a triangle, for its range of normals; -1: none  */
} border;

static int border_count(const patch *of)
{
    return of->kind == PATCH_POLYGON ? corner_count(of) : 1;
}

/* False: an edge of a triangle that does not touch. */
static bool border_at(const patch *of, int k, border *border_out)
{
    const tp_convex *owner = of->owner;
    border_out->edge = -1;
    if (of->kind == PATCH_DISC) {
        border_out->curve = tp_convex_rim_curve(owner, of->index);
    } else if (of->kind == PATCH_LINE) {
        border_out->curve =
            owner->is_cylinder ? tp_convex_axis_curve(owner) : tp_convex_edge_curve(owner, 0, 1);
    } else {
        const int *corner = owner->face_vertex + owner->face_start[of->index];
        int count = corner_count(of);
        border_out->curve = tp_convex_edge_curve(owner, corner[k], corner[(k + 1) % count]);
        if (owner->triangle == NULL) return true;
        for (int e = 0; e < owner->edge_count; e++)
            if (owner->edge[e].from == k) border_out->edge = e;
        return border_out->edge >= 0;
    }
    return true;
}

static bool is_on(const tp_curve *curve, double s, double margin)
{
    return curve->radius > 0.0 || (s >= curve->low - margin && s <= curve->high + margin);
}

/* The contact of two curves near s and t, with its own normal. */
static bool crossing(const manifold *all, const border *of_a, const border *of_b, double s, double t,
                     tp_core_contact *contact_out)
{
    const tp_curve *a = &of_a->curve, *b = &of_b->curve;
    if (!tp_curves_nearest(a, b, &s, &t)) return false;
    if (!is_on(a, s, all->margin) || !is_on(b, t, all->margin)) return false;
    const patch *patch_a = all->reference.is_of_b ? &all->incident : &all->reference,
                *patch_b = all->reference.is_of_b ? &all->reference : &all->incident;
    tp_meeting meeting = {.along_count = 2, .is_of_b = {false, true}};
    meeting.along[0] = tp_curve_tangent(a, s, &meeting.bend[0]);
    meeting.along[1] = tp_curve_tangent(b, t, &meeting.bend[1]);
    meeting.side[0] =
        patch_a->kind == PATCH_LINE && patch_a->owner->is_cylinder ? patch_a->owner->radius : 0.0;
    meeting.side[1] =
        patch_b->kind == PATCH_LINE && patch_b->owner->is_cylinder ? patch_b->owner->radius : 0.0;
    tp_vec3 n = tp_vec3_cross(meeting.along[0], meeting.along[1]);
    double sine = tp_vec3_norm(n);
    tp_vec3 face = all->reference.is_of_b ? tp_vec3_negate(all->reference.normal) : all->reference.normal;
    if (!(fabs(tp_vec3_dot(n, face)) >= tp_crossing_cosine * sine) || sine < tp_least_crossing) return false;
    n = tp_vec3_scale(tp_vec3_dot(n, face) < 0.0 ? -1.0 / sine : 1.0 / sine, n);
    if (of_a->edge >= 0 && !tp_convex_edge_allows(patch_a->owner, of_a->edge, n)) return false;
    if (of_b->edge >= 0 && !tp_convex_edge_allows(patch_b->owner, of_b->edge, tp_vec3_negate(n)))
        return false;
    tp_vec3 x_a = tp_vec3_add_scaled(tp_curve_at(a, s), meeting.side[0], n);
    tp_vec3 x_b = tp_vec3_add_scaled(tp_curve_at(b, t), -meeting.side[1], n);
    contact_out->point = (tp_contact_point){x_a, x_b, n, tp_vec3_dot(n, tp_vec3_sub(x_b, x_a)), 0};
    contact_out->meeting = meeting;
    return true;
}

static void add_crossing(manifold *all, const border *reference, const border *incident, double s, double t)
{
    tp_core_contact contact;
    bool is_turned = all->reference.is_of_b;
    if (is_turned ? crossing(all, incident, reference, t, s, &contact)
                  : crossing(all, reference, incident, s, t, &contact))
        add_point(all, &contact);
}

/* In the plane of the reference: a point, and a direction of a line there. */
static tp_vec2 flat_point(const manifold *all, tp_vec3 x)
{
    tp_vec3 from = tp_vec3_sub(x, all->origin);
    return tp_vec2_make(tp_vec3_dot(from, all->u), tp_vec3_dot(from, all->v));
}

static tp_vec2 flat_direction(const manifold *all, tp_vec3 u)
{
    return tp_vec2_make(tp_vec3_dot(u, all->u), tp_vec3_dot(u, all->v));
}

static void cross_lines(manifold *all, const border *reference, const border *incident)
{
    tp_vec2 from = flat_point(all, reference->curve.point), u = flat_direction(all, reference->curve.u);
    tp_vec2 to = flat_point(all, incident->curve.point), w = flat_direction(all, incident->curve.u);
    tp_vec2 apart = tp_vec2_sub(to, from);
    double sine = tp_vec2_cross(u, w);
    if (fabs(sine) < tp_parallel_borders) return;
    double s = tp_vec2_cross(apart, w) / sine, t = tp_vec2_cross(apart, u) / sine;
    if (is_on(&reference->curve, s, all->margin) && is_on(&incident->curve, t, all->margin))
        add_crossing(all, reference, incident, s, t);
}

/* The line, moved along the normal onto the plane of the circle, meets it at two points. */
static void cross_circle(manifold *all, const border *circle, const border *line, bool circle_is_reference)
{
    tp_vec3 m = tp_vec3_cross(circle->curve.u, circle->curve.v), n = all->reference.normal;
    double cosine = tp_vec3_dot(m, n);
    if (fabs(cosine) < 0.1) return;
    tp_vec3 x = tp_vec3_sub(line->curve.point, circle->curve.point), d = line->curve.u;
    x = tp_vec3_add_scaled(x, -tp_vec3_dot(x, m) / cosine, n);
    d = tp_vec3_add_scaled(d, -tp_vec3_dot(d, m) / cosine, n);
    double square = tp_vec3_dot(d, d), half = tp_vec3_dot(x, d);
    double rest = tp_vec3_dot(x, x) - circle->curve.radius * circle->curve.radius;
    double root = half * half - square * rest;
    if (!(root > 0.0) || !(square > 0.0)) return;
    for (int k = 0; k < 2; k++) {
        double s = (-half + (k == 0 ? -sqrt(root) : sqrt(root))) / square;
        if (!is_on(&line->curve, s, all->margin)) continue;
        tp_vec3 y = tp_vec3_add_scaled(x, s, d);
        double angle = atan2(tp_vec3_dot(y, circle->curve.v), tp_vec3_dot(y, circle->curve.u));
        if (circle_is_reference)
            add_crossing(all, circle, line, angle, s);
        else
            add_crossing(all, line, circle, s, angle);
    }
}

/* Two circles, as if both lay in the plane of the reference. */
static void cross_circles(manifold *all, const border *one, const border *two)
{
    tp_vec2 from = flat_point(all, one->curve.point),
            way = tp_vec2_sub(flat_point(all, two->curve.point), from);
    double distance = tp_vec2_norm(way), r = one->curve.radius, R = two->curve.radius;
    if (!(distance > fabs(r - R)) || !(distance < r + R)) return;
    double along = (distance * distance + r * r - R * R) / (2.0 * distance);
    double across = sqrt(fmax(0.0, r * r - along * along));
    tp_vec2 e = tp_vec2_scale(1.0 / distance, way);
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? -across : across;
        tp_vec3 x = tp_vec3_add_scaled(all->origin, from.x + along * e.x - side * e.y, all->u);
        x = tp_vec3_add_scaled(x, from.y + along * e.y + side * e.x, all->v);
        tp_vec3 on_one = tp_vec3_sub(x, one->curve.point), on_two = tp_vec3_sub(x, two->curve.point);
        add_crossing(all, one, two,
                     atan2(tp_vec3_dot(on_one, one->curve.v), tp_vec3_dot(on_one, one->curve.u)),
                     atan2(tp_vec3_dot(on_two, two->curve.v), tp_vec3_dot(on_two, two->curve.u)));
    }
}

static void add_crossings(manifold *all)
{
    for (int i = 0; i < border_count(&all->incident); i++)
        for (int j = 0; j < border_count(&all->reference); j++) {
            border reference, incident;
            if (!border_at(&all->incident, i, &incident) || !border_at(&all->reference, j, &reference))
                continue;
            bool is_round[2] = {reference.curve.radius > 0.0, incident.curve.radius > 0.0};
            if (is_round[0] && is_round[1])
                cross_circles(all, &reference, &incident);
            else if (is_round[0] || is_round[1])
                cross_circle(all, is_round[0] ? &reference : &incident, is_round[0] ? &incident : &reference,
                             is_round[0]);
            else
                cross_lines(all, &reference, &incident);
        }
}

/* ---- slots ---- */

/* (27): slot k has the point farthest out in direction k of the incident solid, an eighth of a turn each; a
   point that is the farthest in several has the first of them. The ends of a line have slots 0 and 1. */
static int place(const manifold *all, tp_core_contact *contacts)
{
    static const double cosine[TP_MANIFOLD_MAX] = {
        0.92387953251128674,  0.38268343236508977,  -0.38268343236508977, -0.92387953251128674,
        -0.92387953251128674, -0.38268343236508977, 0.38268343236508977,  0.92387953251128674};
    bool is_line = all->incident.kind == PATCH_LINE, is_taken[FOUND_MAX] = {false};
    int count = 0, slots = is_line ? 2 : TP_MANIFOLD_MAX;
    double margin = all->margin / tp_face_side_margin * tp_outer_margin;
    for (int slot = 0; slot < slots; slot++) {
        tp_vec2 out = {cosine[slot], cosine[(slot + 6) % 8]};
        if (is_line) out = tp_vec2_make(slot == 0 ? -1.0 : 1.0, 0.0);
        int best = -1;
        for (int i = 0; i < all->count; i++)
            if (best < 0 ||
                tp_vec2_dot(out, all->found[i].at) > tp_vec2_dot(out, all->found[best].at) + margin)
                best = i;
        if (best < 0 || is_taken[best]) continue;
        is_taken[best] = true;
        contacts[count] = all->found[best].contact;
        contacts[count++].point.slot = slot;
    }
    return count;
}

/* ---- lines side by side ---- */

static tp_curve line_of(const tp_convex *convex)
{
    return convex->is_cylinder ? tp_convex_axis_curve(convex) : tp_convex_edge_curve(convex, 0, 1);
}

static bool is_line_across(const tp_convex *convex, tp_vec3 n)
{
    return convex->face_count == 0 && convex->triangle == NULL &&
           fabs(tp_vec3_dot(convex->R.cz, n)) <= tp_line_sine;
}

/* An end of one line beside the other; `inner` leaves out feet at its ends, which the other finds. */
static bool line_end(const tp_convex *owner, const tp_convex *other, bool is_of_b, int end, tp_vec3 normal,
                     double margin, bool inner, tp_core_contact *contact_out)
{
    tp_curve line = line_of(other), rim = {.point = owner->vertex[end > 0]};
    tp_vec3 out = is_of_b ? tp_vec3_negate(normal) : normal, x = rim.point, bend = tp_vec3_zero();
    tp_meeting meeting = {.is_of_b = {is_of_b, !is_of_b}};
    double s = 0.0, t;
    if (owner->is_cylinder) {
        rim = tp_convex_rim_curve(owner, end);
        s = atan2(tp_vec3_dot(out, rim.v), tp_vec3_dot(out, rim.u));
        x = tp_curve_at(&rim, s);
        t = tp_vec3_dot(tp_vec3_sub(x, line.point), line.u);
        if (!tp_curves_nearest(&rim, &line, &s, &t)) return false;
        x = tp_curve_at(&rim, s);
        meeting.along[meeting.along_count] = tp_curve_tangent(&rim, s, &bend);
        meeting.bend[meeting.along_count++] = bend;
    } else {
        t = tp_vec3_dot(tp_vec3_sub(x, line.point), line.u);
    }
    if (!is_on(&line, t, inner ? -margin : margin)) return false;
    meeting.is_of_b[meeting.along_count] = !is_of_b;
    meeting.along[meeting.along_count++] = line.u;
    double side = other->is_cylinder ? other->radius : 0.0;
    meeting.side[is_of_b ? 0 : 1] = side;
    tp_vec3 foot = tp_curve_at(&line, t), apart = tp_vec3_sub(foot, x);
    double distance = tp_vec3_norm(apart);
    if (!(tp_vec3_dot(apart, out) >= tp_crossing_cosine * distance) || distance == 0.0) return false;
    tp_vec3 n = tp_vec3_scale(1.0 / distance, apart);
    foot = tp_vec3_add_scaled(foot, -side, n);
    contact_out->point = is_of_b ? (tp_contact_point){foot, x, tp_vec3_negate(n), distance - side, 0}
                                 : (tp_contact_point){x, foot, n, distance - side, 0};
    contact_out->meeting = meeting;
    return true;
}

static int lines_beside(const tp_convex *a, const tp_convex *b, tp_vec3 normal, tp_core_contact *contacts)
{
    double margin = tp_face_side_margin * (a->size + b->size);
    if (tp_vec3_norm(tp_vec3_cross(a->R.cz, b->R.cz)) > tp_line_sine) return 0;
    int count = 0;
    for (int slot = 0; slot < 4; slot++) {
        bool is_of_b = slot >= 2;
        int end = slot % 2 == 0 ? -1 : 1;
        if (!line_end(is_of_b ? b : a, is_of_b ? a : b, is_of_b, end, normal, margin, is_of_b,
                      &contacts[count]))
            continue;
        contacts[count++].point.slot = slot;
    }
    return count;
}

/* ---- all ---- */

/* A direction that is fixed in the incident solid. */
static tp_vec3 direction_of(const patch *of)
{
    if (of->kind == PATCH_POLYGON) return tp_vec3_sub(corner_at(of, 1), corner_at(of, 0));
    return of->kind == PATCH_DISC ? of->owner->R.cx : of->owner->R.cz;
}

int tp_convex_manifold(const tp_convex *a, const tp_convex *b, tp_vec3 normal, tp_core_contact *contacts)
{
    manifold all;
    all.count = 0;
    all.margin = tp_face_side_margin * (a->size + b->size);
    tp_vec3 back = tp_vec3_negate(normal);
    bool is_a = reference_of(a, false, normal, &all.reference);
    if (!is_a && !reference_of(b, true, back, &all.reference))
        return is_line_across(a, normal) && is_line_across(b, normal) ? lines_beside(a, b, normal, contacts)
                                                                      : 0;
    if (!incident_of(is_a ? b : a, is_a, all.reference.normal, &all.incident)) return 0;
    tp_vec3 n = all.reference.normal, along = direction_of(&all.incident);
    all.origin = all.reference.owner->centre;
    all.u = tp_vec3_normalise(tp_vec3_add_scaled(along, -tp_vec3_dot(along, n), n));
    all.v = tp_vec3_cross(n, all.u);
    if (all.incident.kind == PATCH_LINE) {
        add_line_ends(&all);
    } else {
        add_corners(&all, &all.incident, &all.reference);
        add_corners(&all, &all.reference, &all.incident);
    }
    add_crossings(&all);
    return place(&all, contacts);
}
