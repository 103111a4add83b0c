/* Any two of box, hull, cylinder and capsule: the direction of largest separation, then the contacts at the
   features that look along it; docs/theory/contacts-geometry.md (20)-(27). */
#include "collide.h"
#include "convex.h"
#include "tolerances.h"

/* If A is a triangle, its own normal, unless what meets is an edge or corner of it at an angle. */
static tp_vec3 manifold_normal(const tp_convex *a, const tp_separation *best, bool has_other)
{
    if (a->triangle == NULL || a->face_count == 0) return best->normal;
    return has_other && tp_vec3_dot(best->normal, a->normal[0]) < tp_face_cosine ? best->normal
                                                                                 : a->normal[0];
}

int tp_meet_views(const tp_convex *a, const tp_convex *b, tp_vec3 origin, double reach, int slots,
                  tp_core_contact *found)
{
    double margin = tp_direction_margin * (a->size + b->size);
    double radius_a = tp_convex_thickness(a), radius_b = tp_convex_thickness(b);
    tp_separation best = tp_convex_separation(a, b, margin);
    if (!(best.gap - (radius_a + radius_b) <= reach + margin) || !isfinite(best.gap)) return 0;
    tp_core_contact contacts[TP_MANIFOLD_MAX], by_slot[TP_MANIFOLD_MAX + 1];
    bool is_used[TP_MANIFOLD_MAX + 1] = {false};
    tp_core_contact other;
    bool has_other = tp_feature_contact(a, b, &best, &other);
    int face_count = tp_convex_manifold(a, b, manifold_normal(a, &best, has_other), contacts);
    double nearest_gap = INFINITY, deepest = has_other ? best.gap - 2.0 * margin : -INFINITY;
    for (int i = 0; i < face_count; i++) {
        /* Curves that overlap far can cross again where nothing is nearest. */
        if (contacts[i].point.gap < deepest) continue;
        nearest_gap = fmin(nearest_gap, contacts[i].point.gap);
        by_slot[contacts[i].point.slot] = contacts[i];
        is_used[contacts[i].point.slot] = true;
    }
    if (has_other && nearest_gap > best.gap + 2.0 * margin) {
        is_used[slots - 1] = true;
        by_slot[slots - 1] = other;
    }
    int count = 0;
    for (int slot = 0; slot < slots; slot++) {
        if (!is_used[slot]) continue;
        tp_contact_point point = tp_core_finish(by_slot[slot].point, radius_a, radius_b, origin, slot);
        if (point.gap <= reach) found[count++] = (tp_core_contact){point, by_slot[slot].meeting};
    }
    return count;
}

int tp_meet_convex(const tp_solid *solid_a, const tp_pose *pose_a, const tp_solid *solid_b,
                   const tp_pose *pose_b, double reach, tp_core_contact *found)
{
    tp_convex a, b;
    tp_convex_of(solid_a, pose_a, pose_a->origin, &a);
    tp_convex_of(solid_b, pose_b, pose_a->origin, &b);
    return tp_meet_views(&a, &b, pose_a->origin, reach, tp_collide_slot_count(solid_a, solid_b), found);
}
