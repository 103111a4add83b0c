/* Shapes that pass through each other within one step: gaps at the ends of the step, and where a scheme asks
   for them, know nothing of it; docs/guide/warnings.md. */
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>

/* Where a shape is after a part of a straight way. */
static tp_pose between(const tp_pose *from, const tp_pose *to, double part)
{
    tp_quat p = from->orientation, q = to->orientation;
    double cosine = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
    return (tp_pose){.origin = tp_vec3_add_scaled(from->origin, part, tp_vec3_sub(to->origin, from->origin)),
                     .orientation = tp_quat_normalise(tp_quat_add(
                         tp_quat_scale(1.0 - part, p), tp_quat_scale(cosine < 0.0 ? -part : part, q)))};
}

/* The way of the farthest point of a shape through the frame of another, at most. */
static double way_of(const tp_solid *solid, const tp_pose *from, const tp_pose *to)
{
    double radius = tp_solid_bounding_radius(solid);
    tp_quat p = from->orientation, q = to->orientation;
    double cosine = fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z);
    double turn = isfinite(radius) ? 2.0 * acos(fmin(cosine, 1.0)) * radius : 0.0;
    return tp_vec3_norm(tp_vec3_sub(to->origin, from->origin)) + turn;
}

/* The gap of a pair at these places, INFINITY: there are no points; and its normal. */
static double least_gap(const tp_near_pair *pair, const tp_model_shape *a, const tp_pose *at_a,
                        const tp_model_shape *b, const tp_pose *at_b, tp_vec3 *normal_out)
{
    tp_contact_point points[TP_CONTACT_SLOTS_MAX];
    double least = INFINITY;
    int count = tp_collide_part(&a->solid, at_a, &b->solid, at_b, pair->key.part, INFINITY, points);
    for (int k = 0; k < count; k++) {
        if (!(points[k].gap < least)) continue;
        least = points[k].gap;
        *normal_out = points[k].normal;
    }
    return least;
}

/* The largest overlap of a pair on its way, 0 where it overlaps at an end, which is seen there. */
static double depth_on_way(const tp_system *system, const tp_near_pair *pair, double length)
{
    const tp_pose *from = tp_system_searched_poses(system), *to = system->shape_pose;
    int i = pair->touch.shape_a, j = pair->touch.shape_b;
    const tp_model_shape *a = TP_LIST_AT(system->model->shapes, tp_model_shape, i),
                         *b = TP_LIST_AT(system->model->shapes, tp_model_shape, j);
    double way = way_of(&a->solid, &from[i], &to[i]) + way_of(&b->solid, &from[j], &to[j]), deepest = 0.0;
    tp_vec3 normal;
    if (!(way > length)) return 0.0;
    int places = way < tp_passage_spacing * length * TP_PASSAGE_PLACES
                     ? (int)ceil(way / (tp_passage_spacing * length))
                     : TP_PASSAGE_PLACES;
    for (int k = 0; k <= places; k++) {
        double part = (k == 0 ? 0.0 : k == 1 ? places : k - 1) / (double)places; /* the ends first */
        tp_pose at_a = between(&from[i], &to[i], part), at_b = between(&from[j], &to[j], part);
        double gap = least_gap(pair, a, &at_a, b, &at_b, &normal);
        if (k < 2 && !(gap >= 0.0)) return 0.0;
        deepest = fmax(deepest, -gap);
    }
    return deepest;
}

/* A mesh is felt from its front alone: the contact of a shape whose middle comes behind it is gone, whatever
   impulse it had. The overlap at which that happened in the step, 0: it did not. */
static double depth_at_loss(const tp_system *system, const tp_near_pair *pair)
{
    const tp_pose *from = tp_system_searched_poses(system), *to = system->shape_pose;
    int i = pair->touch.shape_a, j = pair->touch.shape_b;
    const tp_model_shape *a = TP_LIST_AT(system->model->shapes, tp_model_shape, i),
                         *b = TP_LIST_AT(system->model->shapes, tp_model_shape, j);
    tp_vec3 normal, last_normal;
    if (a->solid.kind != TP_SOLID_MESH && b->solid.kind != TP_SOLID_MESH) return 0.0;
    if (isfinite(least_gap(pair, a, &to[i], b, &to[j], &normal))) return 0.0;
    double last = 0.0, gone = 1.0, gap = least_gap(pair, a, &from[i], b, &from[j], &last_normal);
    if (!isfinite(gap)) return 0.0;
    for (int k = 0; k < TP_PASSAGE_BISECTIONS; k++) {
        double middle = 0.5 * (last + gone);
        tp_pose at_a = between(&from[i], &to[i], middle), at_b = between(&from[j], &to[j], middle);
        double there = least_gap(pair, a, &at_a, b, &at_b, &normal);
        *(isfinite(there) ? &last : &gone) = middle;
        if (isfinite(there)) gap = there, last_normal = normal;
    }
    if (!(gap < 0.0)) return 0.0;
    /* Lifted in front of the triangle from where it is, it is over its face; else it has left it sideways. */
    tp_pose at_a = between(&from[i], &to[i], last), at_b = between(&from[j], &to[j], last);
    tp_vec3 way = tp_vec3_sub(tp_vec3_sub(to[j].origin, at_b.origin), tp_vec3_sub(to[i].origin, at_a.origin));
    at_b = to[j];
    double lift = 2.0 * (fabs(tp_vec3_dot(way, last_normal)) - gap);
    at_b.origin = tp_vec3_add_scaled(at_b.origin, lift, last_normal);
    bool is_over = isfinite(least_gap(pair, a, &to[i], b, &at_b, &normal)) &&
                   tp_vec3_dot(normal, last_normal) > tp_passage_alignment;
    return is_over ? -gap : 0.0;
}

/* Warns of a pair if it passed through itself; it has such a length. */
static void watch_pair(tp_simulation *simulation, const tp_near_pair *pair, double length, bool had_impulse,
                       double t)
{
    const tp_system *system = simulation->stepper.system;
    double depth = had_impulse ? 0.0 : depth_on_way(system, pair, length);
    if (!(depth > tp_depth_fraction * length)) depth = depth_at_loss(system, pair);
    if (!(depth > 0.0)) return;
    char name[TP_CONTACT_NAME];
    tp_watch_name(system, system->fixed_count + pair->first, name);
    tp_watch_warn(simulation, &(tp_finding){TP_WARNING_PASSED_THROUGH, name, depth, NULL, t});
}

/* Whether a contact of the pair took part in the step with an impulse: seen without one, it may have left on
   the far side. */
static bool had_impulse(const tp_system *system, const tp_near_pair *pair, const tp_state *to)
{
    int k = 0, first = system->fixed_count + pair->first;
    while (k < pair->point_count &&
           !(to->is_closed[first + k] && to->impulse[(first + k) * TP_LAW_ROWS] != 0.0))
        k++;
    return k < pair->point_count;
}

/* Shapes of one task, at least; ranges of them, at most. */
enum { SHAPES_OF_TASK = 512, RANGES_MOST = 64 };

typedef struct ways {
    const tp_system *system;
    int range;
    double longest[RANGES_MOST]; /* of each range of shapes */
    bool is_thrown[RANGES_MOST];
} ways;

static void find_ways(void *context, int begin, int end)
{
    ways *all = context;
    const tp_system *system = all->system;
    const tp_pose *from = tp_system_searched_poses(system);
    double longest = 0.0;
    bool is_thrown = false;
    for (int i = begin; i < end; i++) {
        const tp_model_shape *shape = TP_LIST_AT(system->model->shapes, tp_model_shape, i);
        if (shape->body == TP_GROUND) continue;
        double way = way_of(&shape->solid, &from[i], &system->shape_pose[i]);
        longest = fmax(longest, way);
        is_thrown = is_thrown || way > tp_system_searched_reach(system, i);
    }
    all->longest[begin / all->range] = longest;
    all->is_thrown[begin / all->range] = is_thrown;
}

/* The longest way of a shape in the step; thrown: one has gone farther than pairs were looked for. */
static double longest_way(const tp_system *system, bool *is_thrown_out)
{
    int count = system->model->shapes.count;
    ways all = {.system = system, .range = count / RANGES_MOST + SHAPES_OF_TASK};
    double longest = 0.0;
    *is_thrown_out = false;
    tp_pool_share(system->pool, count, all.range, find_ways, &all);
    for (int k = 0; k * all.range < count; k++) {
        longest = fmax(longest, all.longest[k]);
        *is_thrown_out = *is_thrown_out || all.is_thrown[k];
    }
    return longest;
}

/* Pairs that impulses brought together within the step, so that no law knew them. */
static void watch_late_pairs(tp_simulation *simulation, double t)
{
    tp_system *system = simulation->stepper.system;
    bool has_more;
    if (tp_system_find_missed_contacts(system, 0.0, &has_more) != TP_OK || !has_more) return;
    for (int k = 0; k < system->pair_count; k++) {
        const tp_near_pair *pair = &system->pairs[k];
        int law = system->fixed_count + pair->first;
        if (pair->point_count == 0 || tp_system_old_law(system, law) >= 0) continue;
        double length = tp_law_length(simulation, law);
        if (length > 0.0) watch_pair(simulation, pair, length, false, t);
    }
    tp_system_undo_contacts(system);
    system->held_axis = simulation->axis;
}

void tp_watch_passages(tp_simulation *simulation, const tp_state *to)
{
    const tp_system *system = simulation->stepper.system;
    bool is_thrown;
    if (tp_system_searched_poses(system) == NULL) return;
    if (2.0 * longest_way(system, &is_thrown) <= simulation->watch.thinnest) return; /* no way is so long */
    for (int k = 0; k < system->pair_count; k++) {
        const tp_near_pair *pair = &system->pairs[k];
        double length =
            pair->point_count > 0 ? simulation->watch.length[system->fixed_count + pair->first] : 0.0;
        if (length > 0.0) watch_pair(simulation, pair, length, had_impulse(system, pair, to), to->t);
    }
    if (is_thrown) watch_late_pairs(simulation, to->t);
}
