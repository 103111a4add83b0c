/* Rows of contacts between bodies, through the system: every pair of solids on two rigid bodies whose centres
   of mass and shapes lie anywhere. Claims of docs/theory/contacts-geometry.md. */
#include "mechanisms.h"
#include "second_level.h"
#include "solids.h"
#include "system/system.h"

#include <float.h>

/* Central differences of step h along a motion: truncation h^2 g'''/6 with |g'''| up to 1e4 where the
   curvature is at most 1e2 (nothing sharper is compared), rounding 1e-15/h; sizes and speeds are of order
   one. */
static const double step = 1e-5, difference_tolerance = 1e-6, sharpest = 1e2;

/* Sums of some thirty products of numbers up to ten. */
static const double rounding = 4096.0 * DBL_EPSILON;

enum { ROUNDS = 60, SECOND_ROUNDS = 8, COLUMNS = 12 }; /* long/second_level has many more */

static const double drilling_radius = 0.3;

/* Two bodies, a shape on each, what happens where they touch. */
typedef struct two_bodies {
    tp_model *model;
    tp_system *system;
    tp_solid solid[2];
    tp_pose pose[2]; /* of the shape in the frame of its body, about the centre of mass */
    double q[14], u[12];
    int law_count;
} two_bodies;

/* Friction: 0 none, 1 Coulomb's, 2 with drilling, 3 with rolling resistance. */
static two_bodies make_bodies(check_random *random, int kind_a, int kind_b, int friction)
{
    static const char *const body_names[] = {"A", "B"}, *const shape_names[] = {"on A", "on B"};
    const int kinds[] = {kind_a, kind_b};
    two_bodies two = {.model = new_model()};
    for (int k = 0; k < 2; k++) {
        tp_body_def body = tp_body_def_default();
        body.name = body_names[k];
        body.mass = check_uniform(random, 0.5, 2.0);
        body.inertia = tp_mat3_diagonal(tp_vec3_make(1.0, 1.2, 0.9));
        body.center = tp_vec3_scale(0.3, solids_vector(random));
        tp_pose placed = solids_pose(random, 0.5);
        body.position = placed.origin;
        body.orientation = placed.orientation;
        body.velocity = solids_vector(random);
        body.angular_velocity = solids_vector(random);
        must(two.model, tp_model_add_body(two.model, &body, NULL, &build_why));
        tp_shape_def shape = tp_shape_def_default();
        shape.name = shape_names[k];
        shape.body = body_names[k];
        shape.solid = two.solid[k] = solids_random(random, (tp_solid_kind)kinds[k]);
        shape.pose = two.pose[k] = solids_pose(random, 0.2);
        two.pose[k].origin = tp_vec3_sub(shape.pose.origin, body.center);
        must(two.model, tp_model_add_shape(two.model, &shape, NULL, &build_why));
    }
    tp_pair_def pair = tp_pair_def_default();
    pair.shape_a = shape_names[0];
    pair.shape_b = shape_names[1];
    if (friction > 0) pair.friction[0] = 0.4;
    if (friction == 2) pair.drilling_radius = drilling_radius;
    if (friction == 3) pair.rolling = 0.1;
    must(two.model, tp_model_add_pair(two.model, &pair, NULL, &build_why));
    must(two.model, tp_model_finish(two.model, NULL, &build_why));
    if (tp_system_create(NULL, two.model, &two.system) != TP_OK) fail();
    memcpy(two.q, two.model->q0, sizeof two.q);
    memcpy(two.u, two.model->u0, sizeof two.u);
    find_all_contacts(two.system);
    two.law_count = two.system->law_count;
    return two;
}

static void free_bodies(two_bodies *two)
{
    tp_system_free(two->system);
    tp_model_free(two->model);
}

/* The shape of a body at the system's present point. */
static tp_moving_solid moving_solid(const two_bodies *two, int k)
{
    const tp_body_state *state = tp_system_body(two->system, k);
    tp_pose body = {state->frame.r, tp_quat_from_matrix(state->frame.D)};
    tp_moving_solid solid = {two->solid[k], tp_pose_compose(&body, &two->pose[k]), {state->v, state->w}};
    return solid;
}

static double gap_after(const two_bodies *two, int law, double time)
{
    double q[14];
    memcpy(q, two->q, sizeof q);
    tp_system_move(two->system, 0.0, two->q, two->u);
    tp_system_change(two->system, two->u, time, q);
    tp_system_move(two->system, 0.0, q, two->u);
    return tp_system_law_position(two->system, law);
}

static double row_velocity(const two_bodies *two, int law, const double *W, int row)
{
    int count = tp_system_law_column_count(two->system, law);
    return tp_row_velocity(count, tp_system_law_columns(two->system, law), W + row * count, two->u);
}

/* Calls for every pair of kinds in every order. */
#define FOR_EVERY_PAIR(kind_a, kind_b)                                                                       \
    for (int kind_a = 0; kind_a < TP_SOLID_KIND_COUNT; kind_a++)                                             \
        for (int kind_b = 0; kind_b < TP_SOLID_KIND_COUNT; kind_b++)                                         \
            if (kind_a < TP_SOLID_MESH && kind_b < TP_SOLID_MESH &&                                          \
                tp_collide_check((tp_solid_kind)kind_a, (tp_solid_kind)kind_b, NULL) == TP_OK)

typedef struct tally {
    int smooth, sharp, exempt;
} tally;

static void compare_gap_rates(void **check_state_, const two_bodies *two, tally *count)
{
    double W[TP_LAW_ROWS * COLUMNS], chi[TP_LAW_ROWS];
    for (int law = 0; law < two->law_count; law++) {
        double last = gap_after(two, law, -step), next = gap_after(two, law, step);
        tp_system_move(two->system, 0.0, two->q, two->u);
        const tp_contact_point *point = tp_system_contact_point(two->system, law);
        if (isinf(point->gap)) continue;
        tp_moving_solid a = moving_solid(two, 0), b = moving_solid(two, 1);
        if (solids_is_rim_quarter(&a.solid, &b.solid, point->slot) ||
            solids_is_flat_crossing(&a, &b, point)) {
            count->exempt++;
            continue;
        }
        if (!(fabs(next - 2.0 * point->gap + last) <= sharpest * step * step)) {
            count->sharp++;
            continue;
        }
        tp_system_law_rows(two->system, law, W, chi);
        CHECK_NEAR(row_velocity(two, law, W, 0), (next - last) / (2.0 * step), difference_tolerance);
        CHECK_NEAR(chi[0], 0.0, 0.0);
        count->smooth++;
    }
}

TEST(normal_rows_of_every_pair_are_the_differences_of_the_gap_along_the_motion)
{
    check_random random = {1301};
    FOR_EVERY_PAIR(kind_a, kind_b)
    {
        tally count = {0};
        for (int round = 0; round < ROUNDS; round++) {
            two_bodies two = make_bodies(&random, kind_a, kind_b, round % 4);
            compare_gap_rates(check_state_, &two, &count);
            free_bodies(&two);
        }
        CHECK(count.smooth > ROUNDS / 2);
        CHECK(count.sharp <= 1 + count.smooth / 20);
    }
}

/* What impulses do to the two bodies, by the geometry alone: force and torque along the contact frame. */
typedef struct contact_push {
    tp_vec3 normal_force, friction_force, torque;
} contact_push;

static contact_push push_of(const tp_contact_point *point, int row_count, const double *P)
{
    tp_mat3 axes = tp_frame_from_normal(point->normal);
    contact_push all = {.normal_force = tp_vec3_scale(P[0], axes.cx)};
    if (row_count >= 3)
        all.friction_force = tp_vec3_add(tp_vec3_scale(P[1], axes.cy), tp_vec3_scale(P[2], axes.cz));
    if (row_count == 4) all.torque = tp_vec3_scale(drilling_radius * P[3], axes.cx);
    if (row_count == 5) all.torque = tp_vec3_add(tp_vec3_scale(P[3], axes.cy), tp_vec3_scale(P[4], axes.cz));
    return all;
}

static tp_vec3 velocity_at(const two_bodies *two, int body, tp_vec3 point)
{
    const tp_body_state *state = tp_system_body(two->system, body);
    return tp_vec3_add(state->v, tp_vec3_cross(state->w, tp_vec3_sub(point, state->frame.r)));
}

static double power_of(const two_bodies *two, const tp_contact_point *point, const contact_push *all)
{
    tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(point->point_a, point->point_b));
    tp_vec3 apart = tp_vec3_sub(velocity_at(two, 1, point->point_b), velocity_at(two, 0, point->point_a));
    tp_vec3 slip = tp_vec3_sub(velocity_at(two, 1, middle), velocity_at(two, 0, middle));
    tp_vec3 turn = tp_vec3_sub(tp_system_body(two->system, 1)->w, tp_system_body(two->system, 0)->w);
    return tp_vec3_dot(all->normal_force, apart) + tp_vec3_dot(all->friction_force, slip) +
           tp_vec3_dot(all->torque, turn);
}

/* Force on a body and moment about the world's origin, from W^T P. */
static void wrench_on(const two_bodies *two, int body, const double *force, tp_vec3 *force_out,
                      tp_vec3 *moment_out)
{
    const tp_body_state *state = tp_system_body(two->system, body);
    tp_vec3 push = tp_vec3_from_array(force + 6 * body), turn = tp_vec3_from_array(force + 6 * body + 3);
    *force_out = push;
    *moment_out = tp_vec3_add(tp_vec3_cross(state->frame.r, push), tp_mat3_apply(state->frame.D, turn));
}

static void compare_wrenches(void **check_state_, const two_bodies *two, int law, check_random *random)
{
    double W[TP_LAW_ROWS * COLUMNS], chi[TP_LAW_ROWS], P[TP_LAW_ROWS], force[COLUMNS] = {0.0}, power = 0.0;
    const tp_contact_point *point = tp_system_contact_point(two->system, law);
    int rows = tp_system_law(two->system, law)->row_count,
        count = tp_system_law_column_count(two->system, law);
    const int *columns = tp_system_law_columns(two->system, law);
    if (isinf(point->gap)) return;
    tp_system_law_rows(two->system, law, W, chi);
    for (int k = 0; k < rows; k++) {
        P[k] = check_normal(random);
        power += P[k] * row_velocity(two, law, W, k);
        for (int j = 0; j < count; j++) force[columns[j]] += W[j + k * count] * P[k];
    }
    contact_push all = push_of(point, rows, P);
    double size = 1.0 + tp_vec3_norm(point->point_a) + tp_vec3_norm(point->point_b);
    CHECK_NEAR(power, power_of(two, point, &all), rounding * size);

    tp_vec3 force_a, force_b, moment_a, moment_b;
    wrench_on(two, 0, force, &force_a, &moment_a);
    wrench_on(two, 1, force, &force_b, &moment_b);
    tp_vec3 total = tp_vec3_add(all.normal_force, all.friction_force);
    CHECK_NEAR(solids_distance(force_b, total), 0.0, rounding);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_add(force_a, force_b)), 0.0, rounding);
    CHECK_NEAR(tp_vec3_norm(tp_vec3_add(moment_a, moment_b)), 0.0, rounding * size);
}

/* Claims: gamma . P is the power of the wrench, and the wrenches on the two bodies cancel about any common
   point, also where the contact is open or penetrated. */
TEST(impulses_have_the_power_of_their_wrenches_and_act_equally_on_both_bodies)
{
    check_random random = {1302};
    FOR_EVERY_PAIR(kind_a, kind_b)
    for (int round = 0; round < ROUNDS; round++) {
        two_bodies two = make_bodies(&random, kind_a, kind_b, round % 4);
        tp_system_move(two.system, 0.0, two.q, two.u);
        for (int law = 0; law < two.law_count; law++) compare_wrenches(check_state_, &two, law, &random);
        free_bodies(&two);
    }
}

/* Claim: the second level of contacts is exact, or flagged where the pair has no smooth gap. */
TEST(every_pair_has_the_second_level_of_its_differences)
{
    check_random random = {1303};
    FOR_EVERY_PAIR(kind_a, kind_b)
    {
        second_tally drifts = {0}, rows = {0}, jacobians = {0};
        char name[64];
        snprintf(name, sizeof name, "%s on %s", tp_solid_kind_name((tp_solid_kind)kind_b),
                 tp_solid_kind_name((tp_solid_kind)kind_a));
        for (int round = 0; round < SECOND_ROUNDS; round++) {
            two_bodies two = make_bodies(&random, kind_a, kind_b, round % 4);
            second_subject s = make_second_subject(name, two.system);
            second_choose_point(&s, two.system, &random, 0.1);
            second_check_drifts(&s, &drifts);
            second_check_rows(&s, &rows);
            second_check_jacobians(&s, &jacobians);
            free_second_subject(&s);
            free_bodies(&two);
        }
        CHECK_INT(drifts.wrong + rows.wrong + jacobians.wrong, 0);
        CHECK(jacobians.exact > SECOND_ROUNDS);
        CHECK(drifts.exact > SECOND_ROUNDS / 2 && rows.exact > SECOND_ROUNDS / 2);
        CHECK(drifts.sharp <= 1 + drifts.exact / 20);
    }
}

TEST_MAIN(RUNS(every_pair_has_the_second_level_of_its_differences),
          RUNS(normal_rows_of_every_pair_are_the_differences_of_the_gap_along_the_motion),
          RUNS(impulses_have_the_power_of_their_wrenches_and_act_equally_on_both_bodies))
