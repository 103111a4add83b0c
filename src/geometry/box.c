/* A box against a box or a capsule: the axis of largest separation decides which features meet;
   docs/theory/contacts-geometry.md (7)-(10). */
#include "collide.h"
#include "core.h"
#include "tolerances.h"

/* The direction of largest separation. */
typedef struct separation {
    double gap;         /* between the cores; < 0: they overlap         */
    tp_vec3 normal;     /* unit, from A to B                            */
    int edge_a, edge_b; /* axes whose cross product it is; a face: its axis in its body, -1 in the other */
    bool is_face;
} separation;

/* Capsules of zero thickness are segments; a box is its own core. */
static tp_core core_of(const tp_solid *solid, tp_mat3 R, tp_vec3 centre)
{
    tp_core core = {.centre = centre, .axes = 3};
    if (solid->kind == TP_SOLID_CAPSULE) {
        core.axes = 1;
        core.axis[0] = R.cz;
        core.half[0] = solid->half_length;
        core.radius = solid->radius;
        return core;
    }
    core.axis[0] = R.cx;
    core.axis[1] = R.cy;
    core.axis[2] = R.cz;
    tp_vec3_to_array(solid->half_extents, core.half);
    return core;
}

static double half_width(const tp_core *core, tp_vec3 n)
{
    double sum = 0.0;
    for (int k = 0; k < core->axes; k++) sum += core->half[k] * fabs(tp_vec3_dot(core->axis[k], n));
    return sum;
}

/* (7): takes the axis if it separates more than the best by the margin; n is unit, of either sign. */
static void try_axis(const tp_core *a, const tp_core *b, tp_vec3 n, int edge_a, int edge_b, double margin,
                     separation *best)
{
    double along = tp_vec3_dot(n, tp_vec3_sub(b->centre, a->centre));
    double gap = fabs(along) - half_width(a, n) - half_width(b, n);
    if (!(gap > best->gap + margin)) return;
    *best = (separation){gap, along < 0.0 ? tp_vec3_negate(n) : n, edge_a, edge_b, edge_a < 0 || edge_b < 0};
}

/* tp_lines_nearest knows more of the two edges. False: they are parallel. */
static bool edge_normal(tp_vec3 u, tp_vec3 w, tp_vec3 *normal_out)
{
    tp_vec3 cross = tp_vec3_cross(u, w);
    double square = tp_vec3_dot(cross, cross);
    if (!(square > tp_parallel_sine * tp_parallel_sine)) return false;
    *normal_out = tp_vec3_scale(1.0 / sqrt(square), cross);
    return true;
}

static separation largest_separation(const tp_core *a, const tp_core *b, double margin)
{
    separation best = {-INFINITY, {0.0, 0.0, 0.0}, -1, -1, true};
    for (int k = 0; k < a->axes && tp_core_has_faces(a); k++)
        try_axis(a, b, a->axis[k], k, -1, margin, &best);
    for (int k = 0; k < b->axes && tp_core_has_faces(b); k++)
        try_axis(a, b, b->axis[k], -1, k, margin, &best);
    for (int i = 0; i < a->axes; i++)
        for (int j = 0; j < b->axes; j++) {
            tp_vec3 normal;
            if (edge_normal(a->axis[i], b->axis[j], &normal)) try_axis(a, b, normal, i, j, margin, &best);
        }
    return best;
}

/* The face of a core whose outward normal is along n within the angle above. */
static bool face_along(const tp_core *core, tp_vec3 n, tp_core_face *face_out)
{
    for (int k = 0; k < core->axes && tp_core_has_faces(core); k++) {
        double cosine = tp_vec3_dot(core->axis[k], n);
        if (fabs(cosine) < tp_face_cosine) continue;
        *face_out = tp_core_face_of(core, k, cosine < 0.0 ? -1.0 : 1.0);
        return true;
    }
    return false;
}

/* The vertex farthest along n; for an edge its middle (axis `edge` left out, -1: none). */
static tp_vec3 farthest(const tp_core *core, tp_vec3 n, int edge)
{
    tp_vec3 x = core->centre;
    for (int k = 0; k < core->axes; k++) {
        if (k == edge) continue;
        double side = tp_vec3_dot(core->axis[k], n) < 0.0 ? -core->half[k] : core->half[k];
        x = tp_vec3_add_scaled(x, side, core->axis[k]);
    }
    return x;
}

static tp_contact_point contact_between(tp_vec3 on_a, tp_vec3 on_b, tp_vec3 n)
{
    return (tp_contact_point){on_a, on_b, n, tp_vec3_dot(n, tp_vec3_sub(on_b, on_a)), 0};
}

/* (9): the two edges that meet across the axis, at the nearest points of their lines. False when those are
   beside the edges, which happens to separated bodies only. */
static bool edge_contact(const tp_core *a, const tp_core *b, const separation *best,
                         tp_core_contact *contact_out)
{
    int i = best->edge_a, j = best->edge_b;
    tp_vec3 n = best->normal, on_a = farthest(a, n, i), on_b = farthest(b, tp_vec3_negate(n), j);
    tp_line_pair lines = tp_lines_nearest(tp_vec3_sub(on_b, on_a), a->axis[i], b->axis[j]);
    if (best->gap > 0.0 && !(fabs(lines.s) <= a->half[i] && fabs(lines.t) <= b->half[j])) return false;
    contact_out->point = contact_between(tp_vec3_add_scaled(on_a, lines.s, a->axis[i]),
                                         tp_vec3_add_scaled(on_b, lines.t, b->axis[j]), n);
    contact_out->meeting =
        (tp_meeting){.along_count = 2, .along = {a->axis[i], b->axis[j]}, .is_of_b = {false, true}};
    return true;
}

/* The face whose normal is the axis, against the vertex of the other body that is farthest beyond it. */
static tp_core_contact support_contact(const tp_core *a, const tp_core *b, const separation *best)
{
    bool is_of_b = best->edge_a < 0;
    const tp_core *owner = is_of_b ? b : a;
    int k = is_of_b ? best->edge_b : best->edge_a;
    tp_vec3 n = best->normal;
    tp_vec3 on_a = is_of_b ? farthest(a, n, -1) : tp_vec3_zero();
    tp_vec3 on_b = is_of_b ? tp_vec3_add_scaled(on_a, best->gap, n) : farthest(b, tp_vec3_negate(n), -1);
    if (!is_of_b) on_a = tp_vec3_add_scaled(on_b, -best->gap, n);
    return (tp_core_contact){contact_between(on_a, on_b, n),
                             {.along_count = 2,
                              .along = {owner->axis[(k + 1) % 3], owner->axis[(k + 2) % 3]},
                              .is_of_b = {is_of_b, is_of_b}}};
}

/* The axes along which the foot may run are the directions of the meeting. */
static tp_vec3 core_nearest(const tp_core *core, tp_vec3 x, bool is_b, tp_meeting *meeting)
{
    *meeting = (tp_meeting){.is_of_b = {is_b, is_b}};
    tp_vec3 from_centre = tp_vec3_sub(x, core->centre), nearest = core->centre;
    for (int k = 0; k < core->axes; k++) {
        double t = tp_segment_nearest(from_centre, core->axis[k], core->half[k]);
        nearest = tp_vec3_add_scaled(nearest, t, core->axis[k]);
        bool is_free = fabs(t) < core->half[k] && meeting->along_count < 2;
        if (is_free) meeting->along[meeting->along_count++] = core->axis[k];
    }
    return nearest;
}

static tp_vec3 core_vertex(const tp_core *core, int which)
{
    tp_vec3 x = core->centre;
    for (int k = 0; k < core->axes; k++)
        x = tp_vec3_add_scaled(x, which >> k & 1 ? core->half[k] : -core->half[k], core->axis[k]);
    return x;
}

/* (10): nearest points of two separated cores, one of which is a vertex. */
static tp_core_contact nearest_vertices(const tp_core *a, const tp_core *b)
{
    tp_vec3 best_a = tp_vec3_zero(), best_b = tp_vec3_zero();
    double best = INFINITY;
    tp_meeting meeting = {0}, best_meeting = {0};
    for (int which = 0; which < (1 << a->axes) + (1 << b->axes); which++) {
        bool is_of_b = which >= 1 << a->axes;
        tp_vec3 vertex = is_of_b ? core_vertex(b, which - (1 << a->axes)) : core_vertex(a, which);
        tp_vec3 foot = core_nearest(is_of_b ? a : b, vertex, !is_of_b, &meeting),
                apart = tp_vec3_sub(vertex, foot);
        double square = tp_vec3_dot(apart, apart);
        if (!(square < best)) continue;
        best = square;
        best_meeting = meeting;
        best_a = is_of_b ? foot : vertex;
        best_b = is_of_b ? vertex : foot;
    }
    tp_vec3 n = tp_vec3_normalise(tp_vec3_sub(best_b, best_a));
    return (tp_core_contact){contact_between(best_a, best_b, n), best_meeting};
}

/* Contacts at the face along the axis, if it is along one. */
static int face_contacts(const tp_core *a, const tp_core *b, const separation *best,
                         tp_core_contact *contacts)
{
    tp_core_face face;
    if (face_along(a, best->normal, &face)) return tp_face_contacts(&face, b, contacts);
    if (!face_along(b, tp_vec3_negate(best->normal), &face)) return 0;
    int count = tp_face_contacts(&face, a, contacts);
    for (int i = 0; i < count; i++) {
        tp_contact_reverse(&contacts[i].point);
        for (int k = 0; k < 2; k++) contacts[i].meeting.is_of_b[k] = !contacts[i].meeting.is_of_b[k];
    }
    return count;
}

/* One contact more where the face does not have the nearest one: edges that cross, vertices beside the face.
   False when nothing is missing. */
static bool other_contact(const tp_core *a, const tp_core *b, const separation *best, double margin,
                          double nearest_gap, tp_core_contact *contact_out)
{
    if (best->gap <= 0.0) {
        if (nearest_gap <= best->gap + 2.0 * margin) return false;
        if (!best->is_face) return edge_contact(a, b, best, contact_out);
        *contact_out = support_contact(a, b, best);
        return true;
    }
    if (best->is_face || !edge_contact(a, b, best, contact_out)) *contact_out = nearest_vertices(a, b);
    return contact_out->point.gap < nearest_gap - margin;
}

/* All contacts of two cores; those of the face, then the other one. */
typedef struct meeting_cores {
    tp_core a, b;
    tp_vec3 origin; /* of A */
    int slots;
    int at[TP_CORE_SLOTS_MAX]; /* which contact has a slot, -1: none */
    tp_core_contact contacts[TP_FACE_CONTACTS_MAX + 1];
} meeting_cores;

/* False: farther than `reach`. */
static bool find_contacts(const tp_solid *solid_a, const tp_pose *pose_a, const tp_solid *solid_b,
                          const tp_pose *pose_b, double reach, meeting_cores *all)
{
    tp_core *a = &all->a, *b = &all->b;
    all->origin = pose_a->origin;
    *a = core_of(solid_a, tp_quat_to_matrix(pose_a->orientation), tp_vec3_zero());
    *b = core_of(solid_b, tp_quat_to_matrix(pose_b->orientation), tp_vec3_sub(pose_b->origin, all->origin));
    double margin = 0.0;
    for (int k = 0; k < 3; k++) margin += tp_direction_margin * (a->half[k] + b->half[k]);
    separation best = largest_separation(a, b, margin);
    /* The margin: a better axis may have been passed over. */
    if (!(best.gap - a->radius - b->radius <= reach + margin) || best.gap == -INFINITY) return false;

    int face_count = face_contacts(a, b, &best, all->contacts);
    double nearest_gap = INFINITY;
    all->slots = tp_collide_slot_count(solid_a, solid_b);
    for (int slot = 0; slot < all->slots; slot++) all->at[slot] = -1;
    for (int i = 0; i < face_count; i++) {
        nearest_gap = fmin(nearest_gap, all->contacts[i].point.gap);
        all->at[all->contacts[i].point.slot] = i;
    }
    bool has_other = other_contact(a, b, &best, margin, nearest_gap, &all->contacts[face_count]);
    all->at[all->slots - 1] = has_other ? face_count : -1;
    return true;
}

/* The next contact within reach from a slot on; -1: there is none. */
static int next_contact(const meeting_cores *all, double reach, int *slot_io, tp_contact_point *point_out)
{
    while (*slot_io < all->slots) {
        int slot = (*slot_io)++, i = all->at[slot];
        if (i < 0) continue;
        *point_out = tp_core_finish(all->contacts[i].point, all->a.radius, all->b.radius, all->origin, slot);
        if (point_out->gap <= reach) return i;
    }
    return -1;
}

int tp_meet_box(const tp_solid *solid_a, const tp_pose *pose_a, const tp_solid *solid_b,
                const tp_pose *pose_b, double reach, tp_core_contact *found)
{
    meeting_cores all;
    if (!find_contacts(solid_a, pose_a, solid_b, pose_b, reach, &all)) return 0;
    int count = 0, slot = 0, i;
    while ((i = next_contact(&all, reach, &slot, &found[count].point)) >= 0)
        found[count++].meeting = all.contacts[i].meeting;
    return count;
}

int tp_collide_box(const tp_solid *solid_a, const tp_pose *pose_a, const tp_solid *solid_b,
                   const tp_pose *pose_b, double reach, tp_contact_point *points)
{
    meeting_cores all;
    if (!find_contacts(solid_a, pose_a, solid_b, pose_b, reach, &all)) return 0;
    int count = 0, slot = 0;
    while (next_contact(&all, reach, &slot, &points[count]) >= 0) count++;
    return count;
}
