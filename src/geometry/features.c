/* Contacts of two features: vertex, edge, face, side or rim; docs/theory/contacts-geometry.md (25), (26). */
#include "features.h"
#include "tolerances.h"

/* ---- curves ---- */

tp_vec3 tp_curve_at(const tp_curve *curve, double s)
{
    if (curve->radius == 0.0) return tp_vec3_add_scaled(curve->point, s, curve->u);
    tp_vec3 x = tp_vec3_add_scaled(curve->point, curve->radius * cos(s), curve->u);
    return tp_vec3_add_scaled(x, curve->radius * sin(s), curve->v);
}

tp_vec3 tp_curve_tangent(const tp_curve *curve, double s, tp_vec3 *bend_out)
{
    *bend_out = tp_vec3_zero();
    if (curve->radius == 0.0) return curve->u;
    tp_vec3 inward = tp_vec3_sub(curve->point, tp_curve_at(curve, s));
    *bend_out = tp_vec3_scale(1.0 / (curve->radius * curve->radius), inward);
    return tp_vec3_add(tp_vec3_scale(-sin(s), curve->u), tp_vec3_scale(cos(s), curve->v));
}

bool tp_curves_nearest(const tp_curve *a, const tp_curve *b, double *s_io, double *t_io)
{
    enum { ITERATIONS = 20 };
    double unit_a = a->radius > 0.0 ? a->radius : 1.0, unit_b = b->radius > 0.0 ? b->radius : 1.0;
    double size = a->radius + b->radius + fabs(a->high) + fabs(b->high);
    for (int i = 0; i < ITERATIONS; i++) {
        tp_vec3 bend_a, bend_b, tangent_a = tp_curve_tangent(a, *s_io, &bend_a),
                                tangent_b = tp_curve_tangent(b, *t_io, &bend_b);
        tp_vec3 apart = tp_vec3_sub(tp_curve_at(b, *t_io), tp_curve_at(a, *s_io));
        double right_a = -tp_vec3_dot(tangent_a, apart), right_b = -tp_vec3_dot(tangent_b, apart);
        double m00 = tp_vec3_dot(bend_a, apart) - 1.0, m11 = tp_vec3_dot(bend_b, apart) + 1.0;
        double m01 = tp_vec3_dot(tangent_a, tangent_b), determinant = m00 * m11 + m01 * m01;
        if (!(fabs(determinant) > tp_curve_determinant)) return false;
        double step_a = (right_a * m11 - right_b * m01) / determinant,
               step_b = (m00 * right_b + m01 * right_a) / determinant;
        *s_io += step_a / unit_a;
        *t_io += step_b / unit_b;
        if (fabs(step_a) + fabs(step_b) <= tp_curve_change * size) return true;
        if (!(fabs(step_a) + fabs(step_b) <= 4.0 * size)) return false;
    }
    return false;
}

tp_curve tp_convex_edge_curve(const tp_convex *convex, int from, int to)
{
    tp_vec3 along = tp_vec3_sub(convex->vertex[to], convex->vertex[from]);
    double length = tp_vec3_norm(along);
    return (tp_curve){
        convex->vertex[from], tp_vec3_scale(1.0 / length, along), tp_vec3_zero(), 0.0, 0.0, length};
}

tp_curve tp_convex_rim_curve(const tp_convex *cylinder, int end)
{
    tp_vec3 centre = tp_vec3_add_scaled(cylinder->centre, end * cylinder->half_length, cylinder->R.cz);
    return (tp_curve){centre, cylinder->R.cx, cylinder->R.cy, cylinder->radius, 0.0, 0.0};
}

tp_curve tp_convex_axis_curve(const tp_convex *cylinder)
{
    return (tp_curve){cylinder->centre,       cylinder->R.cz,       tp_vec3_zero(), 0.0,
                      -cylinder->half_length, cylinder->half_length};
}

/* ---- a point over a face ---- */

static tp_contact_point over_plane(const tp_face_side *face, tp_vec3 x)
{
    tp_vec3 n = face->is_of_b ? tp_vec3_negate(face->normal) : face->normal;
    double gap = tp_vec3_dot(face->normal, tp_vec3_sub(x, face->point));
    tp_vec3 foot = tp_vec3_add_scaled(x, -gap, face->normal);
    return face->is_of_b ? (tp_contact_point){x, foot, n, gap, 0} : (tp_contact_point){foot, x, n, gap, 0};
}

tp_core_contact tp_point_over_face(const tp_face_side *face, tp_vec3 x)
{
    tp_mat3 frame = tp_frame_from_normal(face->normal);
    return (tp_core_contact){
        over_plane(face, x),
        {.along_count = 2, .along = {frame.cy, frame.cz}, .is_of_b = {face->is_of_b, face->is_of_b}}};
}

tp_core_contact tp_rim_over_face(const tp_face_side *face, const tp_convex *cylinder, int end)
{
    tp_curve rim = tp_convex_rim_curve(cylinder, end);
    tp_vec3 axis = cylinder->R.cz;
    tp_vec3 down = tp_vec3_add_scaled(tp_vec3_negate(face->normal), tp_vec3_dot(face->normal, axis), axis);
    double sine = tp_vec3_norm(down);
    if (!(sine > tp_standing_sine)) return tp_point_over_face(face, tp_curve_at(&rim, 0.0));
    tp_vec3 e = tp_vec3_scale(1.0 / sine, down);
    tp_core_contact contact = {over_plane(face, tp_vec3_add_scaled(rim.point, rim.radius, e)), {0}};
    contact.meeting = (tp_meeting){.along_count = 1,
                                   .along = {tp_vec3_cross(axis, e)},
                                   .is_of_b = {!face->is_of_b},
                                   .bend = {tp_vec3_scale(-1.0 / rim.radius, e)},
                                   .is_rim = true};
    return contact;
}

/* ---- the two features of a separation ---- */

static bool is_part(const tp_convex *a, const tp_convex *b)
{
    return a->triangle != NULL || b->triangle != NULL;
}

/* A point of a feature, and how it may run. */
typedef struct feature_point {
    tp_vec3 x, along, bend;
    bool is_line, can_run;
    tp_curve line;
    double side; /* radius of a cylinder whose axis it is */
} feature_point;

/* `out`: the normal, out of the solid. */
static feature_point point_of(const tp_convex *convex, tp_feature feature, tp_vec3 out)
{
    feature_point point = {.side = 0.0};
    switch (feature.kind) {
    case TP_FEATURE_VERTEX: point.x = convex->vertex[feature.index]; break;
    case TP_FEATURE_EDGE:
        point.line =
            tp_convex_edge_curve(convex, convex->edge[feature.index].from, convex->edge[feature.index].to);
        point.is_line = true;
        break;
    case TP_FEATURE_SIDE:
        point.line = tp_convex_axis_curve(convex);
        point.side = convex->radius;
        point.is_line = true;
        break;
    case TP_FEATURE_RIM: {
        tp_curve rim = tp_convex_rim_curve(convex, feature.index);
        double s = atan2(tp_vec3_dot(out, rim.v), tp_vec3_dot(out, rim.u));
        point.x = tp_curve_at(&rim, s);
        point.along = tp_curve_tangent(&rim, s, &point.bend);
        break;
    }
    case TP_FEATURE_FACE: break;
    }
    point.can_run = point.is_line || feature.kind == TP_FEATURE_RIM;
    if (point.is_line) point.along = point.line.u;
    return point;
}

static void set_foot(feature_point *on, tp_vec3 x)
{
    on->x = tp_curve_at(&on->line, tp_vec3_dot(tp_vec3_sub(x, on->line.point), on->line.u));
}

static void place_lines(feature_point *a, feature_point *b)
{
    tp_line_pair lines = tp_lines_nearest(tp_vec3_sub(b->line.point, a->line.point), a->line.u, b->line.u);
    if (lines.is_parallel) { /* the middle of what is beside each other */
        set_foot(a, tp_curve_at(&b->line, 0.5 * (b->line.low + b->line.high)));
        set_foot(b, a->x);
        b->can_run = false;
        return;
    }
    a->x = tp_curve_at(&a->line, lines.s);
    b->x = tp_curve_at(&b->line, lines.t);
}

/* Whether a point lies beyond the ends of its line: of one triangle some directions are left out, and the
   best of the others may belong to features that do not meet. */
static bool is_beside(const feature_point *point, double margin)
{
    double s = tp_vec3_dot(tp_vec3_sub(point->x, point->line.point), point->line.u);
    return point->is_line && !(s >= point->line.low - margin && s <= point->line.high + margin);
}

static bool face_contact(const tp_convex *a, const tp_convex *b, const tp_separation *best,
                         tp_core_contact *contact_out)
{
    bool is_of_b = best->a.kind != TP_FEATURE_FACE;
    const tp_convex *owner = is_of_b ? b : a, *other = is_of_b ? a : b;
    tp_feature face = is_of_b ? best->b : best->a, at = is_of_b ? best->a : best->b;
    tp_face_side side = tp_face_side_of(owner, face.index, is_of_b);
    *contact_out = at.kind == TP_FEATURE_RIM ? tp_rim_over_face(&side, other, at.index)
                                             : tp_point_over_face(&side, other->vertex[at.index]);
    tp_vec3 foot = is_of_b ? contact_out->point.point_b : contact_out->point.point_a;
    return !is_part(a, b) || tp_face_is_over(owner, face.index, foot, tp_beside_margin * (a->size + b->size));
}

bool tp_feature_contact(const tp_convex *a, const tp_convex *b, const tp_separation *best,
                        tp_core_contact *contact_out)
{
    if (best->a.kind == TP_FEATURE_FACE || best->b.kind == TP_FEATURE_FACE)
        return face_contact(a, b, best, contact_out);
    tp_vec3 n = best->normal;
    feature_point on_a = point_of(a, best->a, n), on_b = point_of(b, best->b, tp_vec3_negate(n));
    if (on_a.is_line && on_b.is_line)
        place_lines(&on_a, &on_b);
    else if (on_a.is_line)
        set_foot(&on_a, on_b.x);
    else if (on_b.is_line)
        set_foot(&on_b, on_a.x);
    double margin = tp_beside_margin * (a->size + b->size);
    if (is_part(a, b) && (is_beside(&on_a, margin) || is_beside(&on_b, margin))) return false;
    tp_meeting meeting = {.side = {on_a.side, on_b.side}};
    const feature_point *both[2] = {&on_a, &on_b};
    for (int k = 0; k < 2; k++) {
        if (!both[k]->can_run) continue;
        int i = meeting.along_count++;
        meeting.along[i] = both[k]->along;
        meeting.bend[i] = both[k]->bend;
        meeting.is_of_b[i] = k == 1;
    }
    tp_vec3 x_a = tp_vec3_add_scaled(on_a.x, on_a.side, n), x_b = tp_vec3_add_scaled(on_b.x, -on_b.side, n);
    contact_out->point = (tp_contact_point){x_a, x_b, n, tp_vec3_dot(n, tp_vec3_sub(x_b, x_a)), 0};
    contact_out->meeting = meeting;
    return true;
}
