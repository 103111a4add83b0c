/* Contacts at a face: what lies over it of the opposite face (or segment), corner by corner, each with the
   normal and the gap of the two features that meet there; docs/theory/contacts-geometry.md (8). */
#include "collide.h"
#include "core.h"
#include "tolerances.h"

enum { CORNERS = 4, POLYGON_MAX = 12 };

/* The face (4 corners, in turn) or segment (2) that is clipped; edge k runs from corner k on. */
typedef struct incident_feature {
    int count;
    tp_vec3 corner[CORNERS], direction[CORNERS];
    double half[CORNERS]; /* of edge k                           */
    double cosine;        /* of the angle between it and the face */
    tp_core_face face;    /* of a box                            */
} incident_feature;

/* A corner of the clipped polygon, in the plane of the reference face, between two edges. Edges 0 to 3 are
   those of the incident feature, 4 + j lies on side j (+u, +v, -u, -v). */
typedef struct clip_point {
    tp_vec2 at;
    int before, after;
} clip_point;

tp_core_face tp_core_face_of(const tp_core *core, int k, double sign)
{
    int next = (k + 1) % 3, last = (k + 2) % 3;
    tp_vec3 normal = tp_vec3_scale(sign, core->axis[k]);
    return (tp_core_face){tp_vec3_add_scaled(core->centre, core->half[k], normal),
                          normal,
                          core->axis[next],
                          core->axis[last],
                          core->half[next],
                          core->half[last]};
}

static tp_vec3 face_corner(const tp_core_face *face, double sign_u, double sign_v)
{
    tp_vec3 x = tp_vec3_add_scaled(face->centre, sign_u * face->half_u, face->u);
    return tp_vec3_add_scaled(x, sign_v * face->half_v, face->v);
}

/* The face of a box that looks most against n, or the whole segment. */
static incident_feature incident_to(const tp_core *core, tp_vec3 n)
{
    incident_feature feature = {.count = CORNERS};
    if (!tp_core_has_faces(core)) {
        feature.count = 2;
        feature.corner[0] = tp_vec3_add_scaled(core->centre, -core->half[0], core->axis[0]);
        feature.corner[1] = tp_vec3_add_scaled(core->centre, core->half[0], core->axis[0]);
        feature.direction[0] = core->axis[0];
        feature.half[0] = core->half[0];
        double sine = tp_vec3_dot(core->axis[0], n);
        feature.cosine = sqrt(fmax(0.0, 1.0 - sine * sine));
        return feature;
    }
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(tp_vec3_dot(core->axis[k], n)) >
            fabs(tp_vec3_dot(core->axis[best], n)) + tp_alignment_margin)
            best = k;
    tp_core_face face = tp_core_face_of(core, best, tp_vec3_dot(core->axis[best], n) > 0.0 ? -1.0 : 1.0);
    static const double sign_u[CORNERS] = {-1.0, 1.0, 1.0, -1.0}, sign_v[CORNERS] = {-1.0, -1.0, 1.0, 1.0};
    for (int k = 0; k < CORNERS; k++) {
        feature.corner[k] = face_corner(&face, sign_u[k], sign_v[k]);
        feature.direction[k] = tp_vec3_scale(k < 2 ? 1.0 : -1.0, k % 2 == 0 ? face.u : face.v);
        feature.half[k] = k % 2 == 0 ? face.half_u : face.half_v;
    }
    feature.cosine = -tp_vec3_dot(face.normal, n);
    feature.face = face;
    return feature;
}

/* How far a point is beyond side j, the margin taken off. */
static double excess(const tp_core_face *face, int side, tp_vec2 at)
{
    double margin = tp_face_side_margin * (face->half_u > face->half_v ? face->half_u : face->half_v);
    double along = side % 2 == 0 ? at.x : at.y, half = side % 2 == 0 ? face->half_u : face->half_v;
    return (side < 2 ? along : -along) - half - margin;
}

static tp_vec2 between(tp_vec2 a, double excess_a, tp_vec2 b, double excess_b)
{
    double s = excess_a / (excess_a - excess_b);
    return tp_vec2_make(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y));
}

/* Cuts off what is beyond one side (Sutherland and Hodgman), keeping track of the edges. */
static int clip_side(const tp_core_face *face, int side, int count, const clip_point *in, clip_point *out)
{
    int kept = 0;
    double beyond[POLYGON_MAX];
    for (int i = 0; i < count; i++) beyond[i] = excess(face, side, in[i].at);
    for (int i = 0; i < count; i++) {
        int next = i + 1 < count ? i + 1 : 0;
        const clip_point *a = &in[i], *b = &in[next];
        double excess_a = beyond[i], excess_b = beyond[next];
        bool has_a = excess_a <= 0.0, has_b = excess_b <= 0.0;
        if (has_a && kept < POLYGON_MAX) out[kept++] = *a;
        if (has_a == has_b || kept >= POLYGON_MAX) continue;
        clip_point cut = {between(a->at, excess_a, b->at, excess_b), a->after, a->after};
        if (has_a) cut.after = 4 + side;
        if (has_b) cut.before = 4 + side;
        out[kept++] = cut;
    }
    return kept;
}

static int clip_polygon(const tp_core_face *face, clip_point *polygon)
{
    clip_point other[POLYGON_MAX] = {{{0.0, 0.0}, 0, 0}}, *from = polygon, *to = other;
    int count = CORNERS;
    for (int side = 0; side < 4 && count > 0; side++) {
        count = clip_side(face, side, count, from, to);
        clip_point *swap = from;
        from = to;
        to = swap;
    }
    return count; /* after four swaps the result is in `polygon`; after fewer it is empty */
}

static int clip_segment(const tp_core_face *face, clip_point *ends)
{
    for (int side = 0; side < 4; side++) {
        double excess_0 = excess(face, side, ends[0].at), excess_1 = excess(face, side, ends[1].at);
        if (!(excess_0 <= 0.0) && !(excess_1 <= 0.0)) return 0;
        if (excess_0 <= 0.0 && excess_1 <= 0.0) continue;
        clip_point cut = {between(ends[0].at, excess_0, ends[1].at, excess_1), 0, 0};
        if (excess_0 <= 0.0) {
            cut.after = 4 + side;
            ends[1] = cut;
        } else {
            cut.before = 4 + side;
            ends[0] = cut;
        }
    }
    return 2;
}

/* ---- the features that meet at a corner of the polygon ---- */

static tp_contact_point over_face(const tp_core_face *face, tp_vec3 x)
{
    double gap = tp_vec3_dot(face->normal, tp_vec3_sub(x, face->centre));
    return (tp_contact_point){tp_vec3_add_scaled(x, -gap, face->normal), x, face->normal, gap, 0};
}

static tp_core_contact at_vertex(const tp_core_face *face, tp_vec3 vertex)
{
    return (tp_core_contact){over_face(face, vertex),
                             {.along_count = 2, .along = {face->u, face->v}, .is_of_b = {false, false}}};
}

/* A corner of the reference face under the incident face. False when the foot is beside that face: the
   distance from its plane would be too small. */
static bool at_corner(const tp_core_face *face, const tp_core_face *incident, int before, int after,
                      tp_core_contact *contact_out)
{
    int side_u = before % 2 == 0 ? before : after, side_v = before % 2 == 0 ? after : before;
    if (side_u % 2 != 0 || side_v % 2 != 1) return false;
    tp_vec3 corner = face_corner(face, side_u < 2 ? 1.0 : -1.0, side_v < 2 ? 1.0 : -1.0);
    tp_contact_point turned = over_face(incident, corner);
    tp_vec3 foot = tp_vec3_sub(turned.point_a, incident->centre);
    tp_vec2 at = {tp_vec3_dot(foot, incident->u), tp_vec3_dot(foot, incident->v)};
    for (int side = 0; side < 4; side++)
        if (turned.gap > 0.0 && !(excess(incident, side, at) <= 0.0)) return false;
    *contact_out =
        (tp_core_contact){{corner, turned.point_a, tp_vec3_negate(incident->normal), turned.gap, 0},
                          {.along_count = 2, .along = {incident->u, incident->v}, .is_of_b = {true, true}}};
    return true;
}

/* The point of an incident edge over a side, along the normal of the face. */
static bool at_flat_crossing(const tp_core_face *face, const incident_feature *incident, int edge, int side,
                             tp_vec2 at, tp_core_contact *contact_out)
{
    tp_vec3 out = side % 2 == 0 ? face->u : face->v;
    double across = tp_vec3_dot(incident->direction[edge], out);
    if (incident->cosine < tp_crossing_cosine || across == 0.0) return false;
    double way =
        (side % 2 == 0 ? at.x : at.y) - tp_vec3_dot(tp_vec3_sub(incident->corner[edge], face->centre), out);
    tp_vec3 point = tp_vec3_add_scaled(incident->corner[edge], way / across, incident->direction[edge]);
    *contact_out = (tp_core_contact){over_face(face, point),
                                     {.is_crossing = true,
                                      .along_count = 2,
                                      .along = {incident->direction[edge], out},
                                      .is_of_b = {true, false}}};
    return true;
}

/* An edge of the incident feature over side j of the reference face. False when the nearest points of the
   lines are beside the edges. */
static bool at_crossing(const tp_core_face *face, const incident_feature *incident, int edge, int side,
                        tp_vec2 at, tp_core_contact *contact_out)
{
    bool on_u = side % 2 == 0; /* the side +u or -u, an edge along v */
    double sign = side < 2 ? 1.0 : -1.0;
    tp_vec3 along = on_u ? face->v : face->u, corner = incident->corner[edge];
    tp_vec3 middle = on_u ? face_corner(face, sign, 0.0) : face_corner(face, 0.0, sign);
    tp_line_pair lines = tp_lines_nearest(tp_vec3_sub(corner, middle), along, incident->direction[edge]);
    double cosine = lines.is_parallel ? 0.0 : tp_vec3_dot(lines.normal, face->normal);
    if (fabs(cosine) < tp_crossing_cosine)
        return at_flat_crossing(face, incident, edge, side, at, contact_out);
    double turn = cosine < 0.0 ? -1.0 : 1.0, gap = turn * lines.distance, length = 2.0 * incident->half[edge];
    double half = on_u ? face->half_v : face->half_u, margin = tp_face_side_margin * (half + length);
    if (gap > 0.0 && !(fabs(lines.s) <= half + margin && lines.t >= -margin && lines.t <= length + margin))
        return false;
    *contact_out = (tp_core_contact){
        {tp_vec3_add_scaled(middle, lines.s, along),
         tp_vec3_add_scaled(corner, lines.t, incident->direction[edge]), tp_vec3_scale(turn, lines.normal),
         gap, 0},
        {.along_count = 2, .along = {along, incident->direction[edge]}, .is_of_b = {false, true}}};
    return true;
}

/* Corner k of the incident face has slot 2k, a crossing where edge k enters as well; one where it leaves has
   slot 2k + 1. For a segment: 0 at its start, 1 at its end. */
static int slot_of(const clip_point *point, int corner_count)
{
    if (corner_count == 2) return point->before < 4 && point->after < 4 ? point->after : point->after >= 4;
    return point->after < 4 ? 2 * point->after : 2 * point->before + 1;
}

/* Corners of the reference face take the slots that are left, in their own order. */
static void place_corners(tp_core_contact *contacts, int count, const int *corner)
{
    bool is_taken[TP_FACE_CONTACTS_MAX] = {false};
    for (int i = 0; i < count; i++)
        if (corner[i] < 0) is_taken[contacts[i].point.slot] = true;
    for (int which = 0; which < 4; which++)
        for (int i = 0; i < count; i++) {
            if (corner[i] != which) continue;
            int slot = 0;
            while (slot < TP_FACE_CONTACTS_MAX - 1 && is_taken[slot]) slot++;
            contacts[i].point.slot = slot;
            is_taken[slot] = true;
        }
}

int tp_face_contacts(const tp_core_face *face, const tp_core *incident_core, tp_core_contact *contacts)
{
    incident_feature incident = incident_to(incident_core, face->normal);
    clip_point polygon[POLYGON_MAX] = {{{0.0, 0.0}, 0, 0}};
    for (int k = 0; k < incident.count; k++) {
        tp_vec3 x = tp_vec3_sub(incident.corner[k], face->centre);
        polygon[k] = (clip_point){
            {tp_vec3_dot(x, face->u), tp_vec3_dot(x, face->v)}, (k + incident.count - 1) % incident.count, k};
    }
    int count = incident.count == 2 ? clip_segment(face, polygon) : clip_polygon(face, polygon);
    int found = 0, corner[TP_FACE_CONTACTS_MAX];
    for (int i = 0; i < count && found < TP_FACE_CONTACTS_MAX; i++) {
        const clip_point *point = &polygon[i];
        int before = point->before, after = point->after;
        bool is_corner = before >= 4 && after >= 4, is_there = true;
        if (before < 4 && after < 4) {
            contacts[found] = at_vertex(face, incident.corner[after]);
        } else if (is_corner) {
            is_there = at_corner(face, &incident.face, before - 4, after - 4, &contacts[found]);
        } else {
            int edge = before < 4 ? before : after, side = (before < 4 ? after : before) - 4;
            is_there = at_crossing(face, &incident, edge, side, point->at, &contacts[found]);
        }
        if (!is_there) continue;
        corner[found] = is_corner ? (point->at.x > 0.0) + 2 * (point->at.y > 0.0) : -1;
        contacts[found].point.slot = is_corner ? 0 : slot_of(point, incident.count);
        found++;
    }
    place_corners(contacts, found, corner);
    return found;
}
