/* Random solids and poses for the tests of geometry. */
#ifndef TESTS_SOLIDS_H
#define TESTS_SOLIDS_H

#include "check.h"
#include "tippe/geometry.h"
#include "tippe/rotation.h"

static inline tp_vec3 solids_vector(check_random *random)
{
    double x = check_normal(random), y = check_normal(random), z = check_normal(random);
    return tp_vec3_make(x, y, z);
}

static inline tp_quat solids_rotation(check_random *random)
{
    double w = check_normal(random);
    return tp_quat_normalise(tp_quat_from_parts(w, solids_vector(random)));
}

enum { SOLIDS_HULLS = 24 };

/* One of some hulls, made once: of random points, and every third a prism with edges that are parallel. */
static inline const tp_hull *solids_hull(check_random *random)
{
    static tp_hull *hulls[SOLIDS_HULLS];
    if (hulls[0] == NULL)
        for (int k = 0; k < SOLIDS_HULLS; k++) {
            check_random own = {(uint64_t)(9000 + k)};
            tp_vec3 points[16];
            int count = k % 3 == 2 ? 2 * (3 + k / 3 % 4) : 4 + k % 9;
            double turn = 6.283185307179586 / (count / 2), height = check_uniform(&own, 0.2, 0.8);
            for (int i = 0; i < count; i++)
                points[i] = k % 3 == 2 ? tp_vec3_make(0.7 * cos(i / 2 * turn), 0.5 * sin(i / 2 * turn),
                                                      i % 2 == 0 ? height : -height)
                                       : tp_vec3_scale(check_uniform(&own, 0.5, 1.0),
                                                       tp_vec3_normalise(solids_vector(&own)));
            if (tp_hull_create(NULL, points, count, &hulls[k], NULL) != TP_OK) fail();
        }
    return hulls[check_random_bits(random) % SOLIDS_HULLS];
}

/* Dimensions between 0.2 and 1; hollow ones are large enough to hold the others. */
static inline tp_solid solids_random(check_random *random, tp_solid_kind kind)
{
    double a = check_uniform(random, 0.2, 1.0), b = check_uniform(random, 0.2, 1.0),
           c = check_uniform(random, 0.2, 1.0);
    switch (kind) {
    case TP_SOLID_POINT: return tp_solid_point();
    case TP_SOLID_SPHERE: return tp_solid_sphere(a);
    case TP_SOLID_PLANE: return tp_solid_plane();
    case TP_SOLID_BOX: return tp_solid_box(tp_vec3_make(a, b, c));
    case TP_SOLID_CAPSULE: return tp_solid_capsule(0.5 * a, b);
    case TP_SOLID_CYLINDER: return tp_solid_cylinder(a, b);
    case TP_SOLID_INSIDE_CYLINDER: return tp_solid_inside_cylinder(2.0 + a);
    case TP_SOLID_INSIDE_SPHERE: return tp_solid_inside_sphere(2.0 + a);
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD: break; /* test_surfaces.c */
    case TP_SOLID_HULL: return tp_solid_hull(solids_hull(random));
    case TP_SOLID_KIND_COUNT: break;
    }
    return tp_solid_point();
}

static inline tp_pose solids_pose(check_random *random, double spread)
{
    tp_vec3 origin = tp_vec3_scale(spread, solids_vector(random));
    return (tp_pose){origin, solids_rotation(random)};
}

static inline tp_twist solids_twist(check_random *random)
{
    tp_vec3 v = solids_vector(random);
    return (tp_twist){v, solids_vector(random)};
}

/* Where a pose is after a time with a constant twist. */
static inline tp_pose solids_moved(const tp_pose *pose, const tp_twist *twist, double time)
{
    tp_quat turn = tp_quat_exp(tp_vec3_scale(time, twist->angular_velocity));
    return (tp_pose){tp_vec3_add_scaled(pose->origin, time, twist->velocity),
                     tp_quat_multiply(turn, pose->orientation)};
}

static inline tp_vec3 solids_velocity(const tp_pose *pose, const tp_twist *twist, tp_vec3 point)
{
    tp_vec3 arm = tp_vec3_sub(point, pose->origin);
    return tp_vec3_add(twist->velocity, tp_vec3_cross(twist->angular_velocity, arm));
}

static inline const tp_contact_point *solids_slot(const tp_contact_point *points, int count, int slot)
{
    for (int i = 0; i < count; i++)
        if (points[i].slot == slot) return &points[i];
    return NULL;
}

static inline const tp_contact_point *solids_deepest(const tp_contact_point *points, int count)
{
    const tp_contact_point *best = NULL;
    for (int i = 0; i < count; i++)
        if (best == NULL || points[i].gap < best->gap) best = &points[i];
    return best;
}

/* Whether the rate of the gap is that of the material points: not for the rim points a quarter turn from the
   deepest, and not for edges that cross nearly parallel under a face, which use the face's normal. */
static inline bool solids_is_rim_quarter(const tp_solid *a, const tp_solid *b, int slot)
{
    tp_solid_kind other = a->kind == TP_SOLID_CYLINDER ? b->kind : a->kind;
    bool has_rim = a->kind == TP_SOLID_CYLINDER || b->kind == TP_SOLID_CYLINDER;
    return has_rim && (other == TP_SOLID_PLANE || other == TP_SOLID_INSIDE_SPHERE) && slot % 2 == 1;
}

static inline bool solids_has_normal(const tp_pose *pose, tp_vec3 n)
{
    tp_mat3 R = tp_quat_to_matrix(pose->orientation);
    tp_vec3 local = tp_mat3_apply_transposed(R, n);
    return fmax(fabs(local.x), fmax(fabs(local.y), fabs(local.z))) > 1.0 - 1e-14;
}

static inline bool solids_is_vertex(const tp_solid *solid, const tp_pose *pose, tp_vec3 point)
{
    tp_vec3 x = tp_quat_rotate_back(pose->orientation, tp_vec3_sub(point, pose->origin));
    tp_vec3 h = solid->half_extents;
    if (solid->kind == TP_SOLID_CAPSULE)
        return fabs(tp_vec3_norm(tp_vec3_make(x.x, x.y, fabs(x.z) - solid->half_length)) - solid->radius) <
               1e-9;
    return fabs(fabs(x.x) - h.x) < 1e-9 && fabs(fabs(x.y) - h.y) < 1e-9 && fabs(fabs(x.z) - h.z) < 1e-9;
}

static inline bool solids_is_flat_crossing(const tp_moving_solid *a, const tp_moving_solid *b,
                                           const tp_contact_point *point)
{
    bool a_box = a->solid.kind == TP_SOLID_BOX, b_box = b->solid.kind == TP_SOLID_BOX;
    bool a_core = a_box || a->solid.kind == TP_SOLID_CAPSULE,
         b_core = b_box || b->solid.kind == TP_SOLID_CAPSULE;
    if (!a_core || !b_core || !(a_box || b_box)) return false;
    bool along_face = (a_box && solids_has_normal(&a->pose, point->normal)) ||
                      (b_box && solids_has_normal(&b->pose, point->normal));
    return along_face && !solids_is_vertex(&a->solid, &a->pose, point->point_a) &&
           !solids_is_vertex(&b->solid, &b->pose, point->point_b);
}

static inline double solids_distance(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

#endif
