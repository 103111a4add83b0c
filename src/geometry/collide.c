/* Which pairs of solids have contact points, and those of vertices against a surface;
   docs/theory/contacts-geometry.md. */
#include "collide.h"

#include "nearest.h"

#include <stdio.h>
#include <string.h>

/* ---- the table of pairs ---- */

/* Contact points by the first function that there is; surfaces have none. Boxes have both: where points
   suffice, what meets there is not copied. */
typedef struct pair {
    tp_collide_function *collide;
    int slots;
    tp_meet_function *meet;
} pair;

#define CORES(by, count)                                                                                     \
    {                                                                                                        \
        NULL, count, by                                                                                      \
    }

#define BALLS                                                                                                \
    [TP_SOLID_POINT] = {tp_collide_vertices, 1, NULL}, [TP_SOLID_SPHERE] = {tp_collide_vertices, 1, NULL}
#define HULLS                                                                                                \
    BALLS, [TP_SOLID_CAPSULE] = {tp_collide_vertices, 2, NULL},                                              \
           [TP_SOLID_BOX] = {tp_collide_vertices, 8, NULL},                                                  \
           [TP_SOLID_HULL] = {tp_collide_vertices, TP_HULL_VERTICES_MAX, NULL}

/* Against one triangle of a surface: tp_meet_triangle. */
#define SURFACE                                                                                              \
    [TP_SOLID_POINT] = {NULL, 1, NULL}, [TP_SOLID_SPHERE] = {NULL, 1, NULL},                                 \
    [TP_SOLID_CAPSULE] = {NULL, 3, NULL}, [TP_SOLID_BOX] = {NULL, 9, NULL},                                  \
    [TP_SOLID_CYLINDER] = {NULL, 9, NULL}, [TP_SOLID_HULL] = {NULL, 9, NULL}

/* Rows A, columns B; a pair stands in one of its two orders. */
static const pair pairs[TP_SOLID_KIND_COUNT][TP_SOLID_KIND_COUNT] = {
    [TP_SOLID_PLANE] = {HULLS, [TP_SOLID_CYLINDER] = {tp_collide_plane_cylinder, 8, NULL}},
    [TP_SOLID_INSIDE_CYLINDER] = {HULLS, [TP_SOLID_CYLINDER] = {tp_collide_tube_cylinder, 4, NULL}},
    [TP_SOLID_INSIDE_SPHERE] = {HULLS, [TP_SOLID_CYLINDER] = {tp_collide_hollow_cylinder, 8, NULL}},
    [TP_SOLID_SPHERE] = {BALLS},
    [TP_SOLID_CYLINDER] =
        {BALLS, [TP_SOLID_CAPSULE] = CORES(tp_meet_convex, 5), [TP_SOLID_BOX] = CORES(tp_meet_convex, 9),
         [TP_SOLID_CYLINDER] = CORES(tp_meet_convex, 9)},
    [TP_SOLID_MESH] = {SURFACE},
    [TP_SOLID_HEIGHTFIELD] = {SURFACE},
    [TP_SOLID_HULL] =
        {BALLS, [TP_SOLID_CAPSULE] = CORES(tp_meet_convex, 3), [TP_SOLID_BOX] = CORES(tp_meet_convex, 9),
         [TP_SOLID_CYLINDER] = CORES(tp_meet_convex, 9), [TP_SOLID_HULL] = CORES(tp_meet_convex, 9)},
    [TP_SOLID_CAPSULE] = {BALLS, [TP_SOLID_CAPSULE] = CORES(tp_meet_capsules, 5)},
    [TP_SOLID_BOX] = {BALLS, [TP_SOLID_CAPSULE] = {tp_collide_box, 3, tp_meet_box},
                      [TP_SOLID_BOX] = {tp_collide_box, 9, tp_meet_box}},
};

static bool is_kind(tp_solid_kind kind)
{
    return (int)kind >= 0 && kind < TP_SOLID_KIND_COUNT;
}

bool tp_collide_is_reversed(tp_solid_kind a, tp_solid_kind b)
{
    return pairs[a][b].slots == 0 && pairs[b][a].slots > 0;
}

tp_collide_function *tp_collide_function_of(tp_solid_kind a, tp_solid_kind b)
{
    return pairs[a][b].meet == NULL ? pairs[a][b].collide : NULL;
}

/* In either order; of a hull the largest number. */
static int slots_of_kinds(tp_solid_kind a, tp_solid_kind b)
{
    if (!is_kind(a) || !is_kind(b)) return 0;
    return pairs[a][b].slots > 0 ? pairs[a][b].slots : pairs[b][a].slots;
}

int tp_collide_slot_count(const tp_solid *a, const tp_solid *b)
{
    int slots = slots_of_kinds(a->kind, b->kind);
    if (slots < TP_HULL_VERTICES_MAX) return slots;
    return a->kind == TP_SOLID_HULL ? a->hull->vertex_count : b->hull->vertex_count;
}

/* "plane, sphere or box": what a kind can touch. */
static void list_partners(tp_solid_kind kind, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int k = 0; k < TP_SOLID_KIND_COUNT; k++) {
        if (slots_of_kinds(kind, (tp_solid_kind)k) == 0) continue;
        int written = snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                               tp_solid_kind_name((tp_solid_kind)k));
        if (written < 0 || (size_t)written >= size - length) return;
        length += (size_t)written;
    }
    if (length == 0) snprintf(text, size, "nothing");
}

tp_status tp_collide_check(tp_solid_kind a, tp_solid_kind b, tp_message *why_out)
{
    if (slots_of_kinds(a, b) > 0) return TP_OK;
    char of_a[200], of_b[200];
    list_partners(a, of_a, sizeof of_a);
    list_partners(b, of_b, sizeof of_b);
    return tp_fail(why_out, TP_UNSUPPORTED, "no contact between %s and %s: %s can touch %s; %s can touch %s",
                   tp_solid_kind_name(a), tp_solid_kind_name(b), tp_solid_kind_name(a), of_a,
                   tp_solid_kind_name(b), of_b);
}

void tp_contact_reverse(tp_contact_point *point)
{
    tp_vec3 a = point->point_a;
    point->point_a = point->point_b;
    point->point_b = a;
    point->normal = tp_vec3_negate(point->normal);
}

int tp_meet_in_order(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                     int part, double reach, tp_core_contact *found)
{
    tp_meet_function *meet = pairs[a->kind][b->kind].meet;
    if (meet != NULL) return meet(a, pose_a, b, pose_b, reach, found);
    return part != TP_NO_PART ? tp_meet_triangle(a, pose_a, b, pose_b, part, reach, found) : 0;
}

static int collide_in_order(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b,
                            const tp_pose *pose_b, int part, double reach, tp_contact_point *points)
{
    tp_collide_function *collide = pairs[a->kind][b->kind].collide;
    if (collide != NULL) return collide(a, pose_a, b, pose_b, reach, points);
    tp_core_contact found[TP_CORE_SLOTS_MAX];
    int count = tp_meet_in_order(a, pose_a, b, pose_b, part, reach, found);
    for (int i = 0; i < count; i++) points[i] = found[i].point;
    return count;
}

int tp_collide_part(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                    int part, double reach, tp_contact_point *points)
{
    bool is_round = a->kind == TP_SOLID_SPHERE || a->kind == TP_SOLID_PLANE;
    if (is_round && b->kind == TP_SOLID_SPHERE) return tp_collide_ball(a, pose_a, b, pose_b, reach, points);
    if (slots_of_kinds(a->kind, b->kind) == 0) return 0;
    if (!tp_collide_is_reversed(a->kind, b->kind))
        return collide_in_order(a, pose_a, b, pose_b, part, reach, points);
    int count = collide_in_order(b, pose_b, a, pose_a, part, reach, points);
    for (int i = 0; i < count; i++) tp_contact_reverse(&points[i]);
    return count;
}

int tp_collide(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
               double reach, tp_contact_point *points)
{
    return tp_collide_part(a, pose_a, b, pose_b, TP_NO_PART, reach, points);
}

/* ---- vertices against a surface ---- */

int tp_solid_vertices(const tp_solid *solid, tp_vec3 *vertices_out, double *radius_out)
{
    tp_vec3 h = solid->half_extents;
    *radius_out = solid->kind == TP_SOLID_SPHERE || solid->kind == TP_SOLID_CAPSULE ? solid->radius : 0.0;
    if (solid->kind == TP_SOLID_CAPSULE) {
        vertices_out[0] = tp_vec3_make(0.0, 0.0, -solid->half_length);
        vertices_out[1] = tp_vec3_make(0.0, 0.0, solid->half_length);
        return 2;
    }
    if (solid->kind == TP_SOLID_BOX) {
        for (int k = 0; k < 8; k++)
            vertices_out[k] = tp_vec3_make(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
        return 8;
    }
    if (solid->kind == TP_SOLID_HULL) {
        memcpy(vertices_out, solid->hull->vertices, (size_t)solid->hull->vertex_count * sizeof *vertices_out);
        return solid->hull->vertex_count;
    }
    vertices_out[0] = tp_vec3_zero();
    return 1;
}

/* x from the frame of the ball or plane a: where it is nearest, as tp_solid_nearest has it. */
static double distance_from(const tp_solid *a, tp_vec3 x, tp_vec3 *normal_out)
{
    *normal_out = tp_vec3_make(0.0, 0.0, 1.0);
    if (a->kind == TP_SOLID_PLANE) return x.z;
    double length = tp_vec3_norm(x);
    *normal_out = length > 0.0 ? tp_vec3_scale(1.0 / length, x) : tp_vec3_make(1.0, 0.0, 0.0);
    return length - a->radius;
}

int tp_collide_ball(const tp_solid *a, const tp_pose *pose_a, const tp_solid *ball, const tp_pose *pose_b,
                    double reach, tp_contact_point *point)
{
    /* zeros are added as there, so that 0 has the same sign */
    tp_mat3 R_a = tp_quat_to_matrix(pose_a->orientation);
    tp_vec3 zero = tp_vec3_zero(), centre = tp_vec3_add(pose_b->origin, zero), normal,
            between = tp_vec3_add(tp_vec3_sub(pose_b->origin, pose_a->origin), zero);
    double distance = distance_from(a, tp_mat3_apply_transposed(R_a, between), &normal),
           gap = distance - ball->radius;
    if (!(gap <= reach)) return 0;
    tp_vec3 n = tp_mat3_apply(R_a, normal);
    *point = (tp_contact_point){tp_vec3_add_scaled(centre, -distance, n),
                                tp_vec3_add_scaled(centre, -ball->radius, n), n, gap, 0};
    return 1;
}

int tp_collide_vertices(const tp_solid *a, const tp_pose *pose_a, const tp_solid *b, const tp_pose *pose_b,
                        double reach, tp_contact_point *points)
{
    bool is_turned =
        b->kind != TP_SOLID_SPHERE && b->kind != TP_SOLID_POINT; /* has vertices beside its centre */
    tp_mat3 R_a = tp_quat_to_matrix(pose_a->orientation),
            R_b = is_turned ? tp_quat_to_matrix(pose_b->orientation) : tp_mat3_identity();
    tp_vec3 vertex[TP_SOLID_VERTICES_MAX], between = tp_vec3_sub(pose_b->origin, pose_a->origin);
    double radius;
    int vertex_count = tp_solid_vertices(b, vertex, &radius), count = 0;
    for (int k = 0; k < vertex_count; k++) {
        tp_vec3 arm = tp_mat3_apply(R_b, vertex[k]), from_a = tp_vec3_add(between, arm);
        tp_vec3 x = tp_mat3_apply_transposed(R_a, from_a);
        tp_nearest nearest = tp_solid_nearest(a, x, tp_vec3_zero());
        double gap = nearest.distance - radius;
        if (!(gap <= reach)) continue;
        tp_vec3 n = tp_mat3_apply(R_a, nearest.normal), centre = tp_vec3_add(pose_b->origin, arm);
        points[count++] = (tp_contact_point){tp_vec3_add_scaled(centre, -nearest.distance, n),
                                             tp_vec3_add_scaled(centre, -radius, n), n, gap, k};
    }
    return count;
}
