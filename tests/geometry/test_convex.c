/* Cylinders and hulls against boxes, capsules and each other, judged by brute force: the separation along a
   direction follows from the farthest points of both alone, and its largest value over all directions is the
   distance, or minus the shortest way apart. */
#include "check.h"
#include "solids.h"

#include <float.h>

/* The farthest point of a solid along n, from its definition. */
static double support(const tp_solid *solid, const tp_pose *pose, tp_vec3 n)
{
    tp_vec3 m = tp_quat_rotate_back(pose->orientation, n), h = solid->half_extents;
    double middle = tp_vec3_dot(n, pose->origin), best = -INFINITY;
    switch (solid->kind) {
    case TP_SOLID_BOX: return middle + h.x * fabs(m.x) + h.y * fabs(m.y) + h.z * fabs(m.z);
    case TP_SOLID_CAPSULE: return middle + solid->half_length * fabs(m.z) + solid->radius;
    case TP_SOLID_CYLINDER: return middle + solid->half_length * fabs(m.z) + solid->radius * hypot(m.x, m.y);
    case TP_SOLID_HULL:
        for (int k = 0; k < solid->hull->vertex_count; k++)
            best = fmax(best, tp_vec3_dot(m, solid->hull->vertices[k]));
        return middle + best;
    default: break;
    }
    return NAN;
}

typedef struct two_solids {
    tp_solid a, b;
    tp_pose pose_a, pose_b;
} two_solids;

static double separation(const two_solids *two, tp_vec3 n)
{
    return -support(&two->a, &two->pose_a, n) - support(&two->b, &two->pose_b, tp_vec3_negate(n));
}

/* The best of 500 directions, each of the three best improved by ever smaller steps in eight directions. */
static double largest_separation(const two_solids *two)
{
    enum { DIRECTIONS = 500, BEST = 3 };
    tp_vec3 best[BEST] = {{0.0, 0.0, 1.0}};
    double value[BEST];
    for (int k = 0; k < BEST; k++) value[k] = -INFINITY;
    for (int i = 0; i < DIRECTIONS; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, angle = 2.399963229728653 * i, r = sqrt(1.0 - z * z);
        tp_vec3 n = {r * cos(angle), r * sin(angle), z};
        double gap = separation(two, n);
        for (int k = 0; k < BEST; k++) {
            if (!(gap > value[k])) continue;
            double swap = value[k];
            tp_vec3 other = best[k];
            value[k] = gap, best[k] = n;
            gap = swap, n = other;
        }
    }
    double most = -INFINITY;
    for (int k = 0; k < BEST; k++) {
        for (double size = 0.05; size > 1e-6;) {
            tp_mat3 frame = tp_frame_from_normal(best[k]);
            bool is_better = false;
            for (int d = 0; d < 8 && !is_better; d++) {
                double angle = 0.7853981633974483 * d;
                tp_vec3 n = tp_vec3_add_scaled(best[k], size * cos(angle), frame.cy);
                n = tp_vec3_normalise(tp_vec3_add_scaled(n, size * sin(angle), frame.cz));
                double gap = separation(two, n);
                is_better = gap > value[k];
                if (is_better) value[k] = gap, best[k] = n;
            }
            if (!is_better) size *= 0.5;
        }
        most = fmax(most, value[k]);
    }
    return most;
}

static const int kinds[4] = {TP_SOLID_BOX, TP_SOLID_CAPSULE, TP_SOLID_CYLINDER, TP_SOLID_HULL};

static bool is_general(int kind_a, int kind_b)
{
    return kind_a == TP_SOLID_CYLINDER || kind_b == TP_SOLID_CYLINDER || kind_a == TP_SOLID_HULL ||
           kind_b == TP_SOLID_HULL;
}

/* Every third pair stands along or across the other within 1e-9 to 1 rad, every third one is thin. */
static two_solids random_two(check_random *random, int kind_a, int kind_b, double spread)
{
    two_solids two = {solids_random(random, (tp_solid_kind)kind_a),
                      solids_random(random, (tp_solid_kind)kind_b), solids_pose(random, spread),
                      solids_pose(random, spread)};
    int which = (int)(check_random_bits(random) % 3);
    if (which == 1) {
        double angle = pow(10.0, check_uniform(random, -9.0, 0.0));
        tp_quat tilt = tp_quat_exp(tp_vec3_scale(angle, solids_vector(random)));
        tp_quat quarter =
            tp_quat_normalise(tp_quat_make(1.0, (double)(check_random_bits(random) % 2), 0.0, 0.0));
        two.pose_b.orientation =
            tp_quat_normalise(tp_quat_multiply(two.pose_a.orientation, tp_quat_multiply(quarter, tilt)));
    }
    if (which == 2 && two.a.kind == TP_SOLID_CYLINDER) two.a.half_length *= 0.01;
    if (which == 2 && two.b.kind == TP_SOLID_BOX) two.b.half_extents.y *= 0.01;
    return two;
}

/* No direction separates more than the smallest gap says, and the normal of that gap separates as much. The
   margin by which a later candidate must be better is 1e-9 of the sizes, which are up to 3; a point may be
   1e-6 of them beyond the side of a face that is tilted by up to 0.1 rad. */
TEST(the_smallest_gap_is_the_largest_separation_over_all_directions)
{
    check_random random = {861};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            if (!is_general(kinds[i], kinds[j])) continue;
            int apart = 0, overlapping = 0;
            for (int round = 0; round < 40; round++) {
                two_solids two = random_two(&random, kinds[i], kinds[j], round % 2 == 0 ? 0.4 : 1.0);
                tp_contact_point points[TP_CONTACT_SLOTS_MAX];
                int count = tp_collide(&two.a, &two.pose_a, &two.b, &two.pose_b, 100.0, points);
                CHECK(count > 0);
                const tp_contact_point *deepest = solids_deepest(points, count);
                CHECK(deepest->gap >= largest_separation(&two) - 1e-8);
                CHECK_NEAR(separation(&two, deepest->normal), deepest->gap, 3e-7);
                if (deepest->gap > 0.0)
                    apart++;
                else
                    overlapping++;
            }
            CHECK(apart > 5);
            CHECK(overlapping > 5);
        }
}

TEST_MAIN(RUNS(the_smallest_gap_is_the_largest_separation_over_all_directions))
