/* The contacts of a step: which pairs are near, their numbers, and what follows a law to its new number;
   system/contacts.h. */
#include "mechanisms.h"
#include "solids.h"

#include <math.h>

enum { BODIES = 24 };

/* Balls, boxes and capsules over a plane and in a tube, each group may touch each other; one pair is
 * excluded.
 */
static tp_model *make_scene(check_random *random)
{
    tp_model *model = new_model();
    int shapes[BODIES + 2], groups[BODIES + 2];
    tp_shape_def floor = tp_shape_def_default(), tube = floor;
    floor.name = "floor";
    floor.solid = tp_solid_plane();
    tube.name = "tube";
    tube.solid = tp_solid_inside_cylinder(1.5);
    must(model, tp_model_add_shape(model, &floor, NULL, &build_why));
    must(model, tp_model_add_shape(model, &tube, NULL, &build_why));
    for (int k = 0; k < BODIES; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        tp_body_def body = tp_body_def_default();
        body.name = name;
        body.mass = 1.0;
        body.inertia = tp_mat3_identity();
        body.position = tp_vec3_make(check_uniform(random, -1.2, 1.2), check_uniform(random, -1.2, 1.2),
                                     check_uniform(random, -0.1, 1.5));
        body.orientation = solids_pose(random, 0.0).orientation;
        body.velocity = solids_vector(random);
        body.angular_velocity = solids_vector(random);
        must(model, tp_model_add_body(model, &body, NULL, &build_why));
        tp_shape_def shape = tp_shape_def_default();
        shape.name = shape.body = name;
        shape.solid = k % 3 == 0   ? tp_solid_sphere(0.2)
                      : k % 3 == 1 ? tp_solid_box(tp_vec3_make(0.1, 0.15, 0.2))
                                   : tp_solid_capsule(0.1, 0.15);
        must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    }
    for (int k = 0; k < BODIES + 2; k++) {
        shapes[k] = k;
        groups[k] = k < 2 ? 0 : k - 1;
    }
    tp_shape_pair excluded = {3, 2};
    tp_rule_def rule = tp_rule_def_default();
    rule.law.name = "heap";
    rule.law.friction[0] = 0.3;
    rule.shape_count = BODIES + 2;
    rule.shapes = shapes;
    rule.groups = groups;
    rule.exclusion_count = 1;
    rule.excluded = &excluded;
    must(model, tp_model_add_rule(model, &rule, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A state some way from the start. */
static void move_away(tp_system *system, double time, double *q)
{
    memcpy(q, system->model->q0, (size_t)system->q_count * sizeof(double));
    tp_system_move(system, 0.0, q, system->model->u0);
    tp_system_change(system, system->model->u0, time, q);
    tp_system_move(system, 0.0, q, system->model->u0);
}

/* Whether a pair is among the near ones. */
static bool is_near(const tp_system *system, int a, int b)
{
    for (int k = 0; k < system->pair_count; k++) {
        if (system->pairs[k].key.low == a && system->pairs[k].key.high == b) return true;
    }
    return false;
}

/* Least gap of two shapes with all pairs at hand, along the way of a step with constant velocities. */
static double least_gap_on_the_way(tp_system *all, int pair, double time)
{
    double least = INFINITY, q[7 * BODIES];
    for (int k = 0; k <= 8; k++) {
        move_away(all, time * k / 8.0, q);
        for (int i = 0; i < all->pairs[pair].point_count; i++)
            least = fmin(least, tp_system_law_position(all, all->fixed_count + all->pairs[pair].first + i));
    }
    return least;
}

TEST(every_pair_that_meets_on_the_way_of_a_step_is_found)
{
    check_random random = {71};
    int met = 0, left_out = 0;
    for (int round = 0; round < 20; round++) {
        const double time = 0.02 + 0.02 * (round % 5);
        tp_model *model = make_scene(&random);
        tp_system *all = make_system(model), *near = make_system(model);
        bool changed;
        tp_contact_reach reach = {.time = time};
        tp_system_move(near, 0.0, model->q0, model->u0);
        CHECK_INT(tp_system_find_contacts(near, &reach, NULL, &changed), TP_OK);
        for (int k = 0; k < all->pair_count; k++) {
            bool meets = least_gap_on_the_way(all, k, time) <= 0.0;
            met += meets;
            left_out += !is_near(near, all->pairs[k].key.low, all->pairs[k].key.high);
            CHECK(!meets || is_near(near, all->pairs[k].key.low, all->pairs[k].key.high));
        }
        CHECK(!is_near(all, 2, 3) && is_near(all, 2, 4) && !is_near(all, 0, 1));
        tp_system_free(all);
        tp_system_free(near);
        tp_model_free(model);
    }
    CHECK(met > 200 && left_out > 2000);
}

/* Boxes of grains overlap twice as often as the grains are near: such pairs have no laws. */
TEST(pairs_whose_balls_are_apart_are_left_out)
{
    check_random random = {73};
    int boxes_alone = 0;
    for (int round = 0; round < 20; round++) {
        tp_model *model = make_scene(&random);
        tp_system *near = make_system(model);
        bool changed;
        tp_contact_reach reach = {.time = 0.0};
        tp_system_move(near, 0.0, model->q0, model->u0);
        CHECK_INT(tp_system_find_contacts(near, &reach, NULL, &changed), TP_OK);
        for (int a = 2; a < BODIES + 2; a++) {
            for (int b = a + 1; b < BODIES + 2; b++) {
                const tp_solid *first = &TP_LIST_AT(model->shapes, tp_model_shape, a)->solid,
                               *second = &TP_LIST_AT(model->shapes, tp_model_shape, b)->solid;
                const tp_pose *pose = near->shape_pose;
                tp_bounds at = tp_solid_bounds(first, &pose[a]), other = tp_solid_bounds(second, &pose[b]);
                double apart = tp_vec3_norm(tp_vec3_sub(pose[a].origin, pose[b].origin)) -
                               tp_solid_bounding_radius(first) - tp_solid_bounding_radius(second);
                if (!(apart > 1e-6) || !tp_bounds_near(&at, &other, 0.0)) continue;
                boxes_alone++;
                CHECK(!is_near(near, a, b));
            }
        }
        tp_system_free(near);
        tp_model_free(model);
    }
    CHECK(boxes_alone > 20);
}

/* The list depends on the state alone: a system that came from elsewhere has the same. */
TEST(contacts_do_not_depend_on_the_past)
{
    check_random random = {72};
    for (int round = 0; round < 10; round++) {
        tp_model *model = make_scene(&random);
        tp_system *one = make_system(model), *other = make_system(model);
        tp_contact_reach reach = {.time = 0.01};
        double q[7 * BODIES];
        bool changed;
        for (int k = 0; k <= 20; k++) {
            move_away(one, 0.02 * k, q);
            CHECK_INT(tp_system_find_contacts(one, &reach, NULL, &changed), TP_OK);
        }
        move_away(other, 0.4, q);
        CHECK_INT(tp_system_find_contacts(other, &reach, NULL, &changed), TP_OK);
        CHECK_INT(one->law_count, other->law_count);
        CHECK_INT(one->pair_count, other->pair_count);
        for (int k = 0; k < one->pair_count && k < other->pair_count; k++) {
            CHECK_INT(one->pairs[k].key.low, other->pairs[k].key.low);
            CHECK_INT(one->pairs[k].key.high, other->pairs[k].key.high);
            CHECK_INT(one->pairs[k].first, other->pairs[k].first);
        }
        CHECK_INT(tp_system_find_contacts(one, &reach, NULL, &changed), TP_OK);
        CHECK(!changed);
        tp_system_free(one);
        tp_system_free(other);
        tp_model_free(model);
    }
}

/* Laws keep what they are under their new numbers, and closed ones stay however far they go. */
TEST(laws_are_followed_to_their_new_numbers)
{
    check_random random = {73};
    tp_model *model = make_scene(&random);
    tp_system *system = make_system(model);
    unsigned char *is_closed = calloc((size_t)system->law_count, 1);
    char(*name)[TP_CONTACT_NAME] = calloc((size_t)system->law_count, sizeof *name), now[TP_CONTACT_NAME];
    int count = system->law_count, closed = 0, kept = 0;
    for (int i = 0; i < count; i++) {
        tp_system_law_name(system, i, name[i], sizeof name[i]);
        is_closed[i] = i % 37 == 0;
    }
    bool changed;
    tp_contact_reach none = {.time = 0.0};
    CHECK_INT(tp_system_find_contacts(system, &none, is_closed, &changed), TP_OK);
    CHECK(changed && system->law_count < count);
    for (int i = 0; i < system->law_count; i++) {
        int old = tp_system_old_law(system, i);
        CHECK(old >= 0 && old < count);
        tp_system_law_name(system, i, now, sizeof now);
        CHECK(strcmp(now, name[old]) == 0);
        kept += is_closed[old];
    }
    for (int i = 0; i < count; i++) closed += is_closed[i];
    CHECK_INT(kept, closed);
    free(is_closed);
    free(name);
    tp_system_free(system);
    tp_model_free(model);
}

TEST(pairs_that_are_given_must_be_pairs)
{
    check_random random = {74};
    tp_model *model = make_scene(&random);
    tp_system *system = make_system(model);
    int laws = system->law_count;
    static const tp_pair_key good[] = {{0, 2, 0}, {0, 3, 0}, {2, 4, 0}}, twice[] = {{0, 2, 0}, {0, 2, 0}},
                             back[] = {{2, 4, 0}, {0, 3, 0}}, turned[] = {{2, 0, 0}},
                             excluded[] = {{2, 3, 0}}, beyond[] = {{0, 999, 0}}, fixed[] = {{0, 1, 0}},
                             part[] = {{0, 2, 1}};
    CHECK_INT(tp_system_set_contacts(system, 1, part), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 2, twice), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 2, back), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 1, turned), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 1, excluded), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 1, beyond), TP_INVALID_DATA);
    CHECK_INT(tp_system_set_contacts(system, 1, fixed), TP_INVALID_DATA);
    CHECK_INT(system->law_count, laws);
    CHECK_INT(tp_system_set_contacts(system, 3, good), TP_OK);
    CHECK_INT(system->pair_count, 3);
    CHECK_INT(system->law_count, 1 + 8 + 1); /* ball on the floor, box on the floor, ball and capsule */
    tp_system_free(system);
    tp_model_free(model);
}

/* If several rules cover two shapes, the last one counts. */
TEST(a_later_rule_replaces_an_earlier_one)
{
    tp_model *model = new_model();
    static const char *const names[] = {"a", "b"};
    for (int k = 0; k < 2; k++) {
        tp_body_def body = tp_body_def_default();
        body.name = names[k];
        body.mass = 1.0;
        body.inertia = tp_mat3_identity();
        body.position = tp_vec3_make(2.0 * k, 0.0, 0.0);
        must(model, tp_model_add_body(model, &body, NULL, &build_why));
        tp_shape_def shape = tp_shape_def_default();
        shape.name = shape.body = names[k];
        shape.solid = tp_solid_sphere(1.0);
        must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    }
    for (int k = 0; k < 2; k++) {
        tp_pair_def pair = tp_pair_def_default();
        pair.name = k == 0 ? "first" : "second";
        pair.shape_a = names[k];
        pair.shape_b = names[1 - k];
        pair.restitution = 0.25 * (k + 1);
        must(model, tp_model_add_pair(model, &pair, NULL, &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_system *system = make_system(model);
    CHECK_INT(system->law_count, 1);
    CHECK_NEAR(tp_system_law(system, 0)->restitution[0], 0.5, 0.0);
    CHECK_NEAR(tp_system_contact_point(system, 0)->normal.x, -1.0, 1e-15); /* from b to a */
    tp_system_free(system);
    tp_model_free(model);
}

/* Shapes of a body that were not added one after the other have names of their own in those of contacts. */
TEST(names_of_contacts_differ_in_whatever_order_shapes_were_added)
{
    static const char *const bodies[] = {"a", "b", "a"};
    tp_model *model = new_model();
    for (int k = 0; k < 2; k++) {
        tp_body_def body = tp_body_def_default();
        body.name = bodies[k];
        body.mass = 1.0;
        body.inertia = tp_mat3_identity();
        body.position = tp_vec3_make(k, 0.0, 0.0);
        must(model, tp_model_add_body(model, &body, NULL, &build_why));
    }
    int shapes[3] = {0, 1, 2}, groups[3] = {0, 1, 0};
    for (int k = 0; k < 3; k++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", k);
        tp_shape_def shape = tp_shape_def_default();
        shape.name = name;
        shape.body = bodies[k];
        shape.solid = tp_solid_sphere(1.0);
        must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    }
    tp_rule_def rule = tp_rule_def_default();
    rule.law.name = "c";
    rule.shape_count = 3;
    rule.shapes = shapes;
    rule.groups = groups;
    must(model, tp_model_add_rule(model, &rule, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    char first[200], second[200];
    tp_touch one = tp_model_touch(model, 0, 1), other = tp_model_touch(model, 1, 2);
    tp_model_contact_name(model, &one, 0, first, sizeof first);
    tp_model_contact_name(model, &other, 0, second, sizeof second);
    CHECK(strstr(first, "s0") != NULL && strstr(second, "s2") != NULL);
    tp_model_free(model);
}

enum { GRAINS = 900, MOST_PAIRS = 40000 };

/* Grains that may all touch: more pairs than one task merges. */
static tp_model *make_grains(check_random *random)
{
    tp_model *model = new_model();
    static int shapes[GRAINS]; /* each is a group of its own */
    for (int k = 0; k < GRAINS; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        tp_body_def body = tp_body_def_default();
        body.name = name;
        body.mass = 1.0;
        body.inertia = tp_mat3_identity();
        must(model, tp_model_add_body(model, &body, NULL, &build_why));
        tp_shape_def shape = tp_shape_def_default();
        shape.name = shape.body = name;
        shape.solid = tp_solid_sphere(check_uniform(random, 0.1, 0.15));
        must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
        shapes[k] = k;
    }
    tp_rule_def rule = tp_rule_def_default();
    rule.law.name = "heap";
    rule.shape_count = GRAINS;
    rule.shapes = rule.groups = shapes;
    must(model, tp_model_add_rule(model, &rule, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* How far two grains overlap. */
static double overlap(const tp_model *model, const double *q, int a, int b)
{
    const double *x = q + 7 * a, *y = q + 7 * b;
    return TP_LIST_AT(model->shapes, tp_model_shape, a)->solid.radius +
           TP_LIST_AT(model->shapes, tp_model_shape, b)->solid.radius -
           sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* The list is that of all pairs that overlap, and of closed ones of before, however many tasks find it. */
TEST(many_pairs_are_merged_in_order)
{
    check_random random = {74};
    tp_model *model = make_grains(&random);
    tp_pool *pool;
    assert_int_equal(tp_pool_create(NULL, 3, &pool), TP_OK);
    tp_system *system = NULL;
    assert_int_equal(tp_system_create(NULL, model, &system), TP_OK);
    system->pool = pool;
    static double q[7 * GRAINS];
    static tp_pair_key before[MOST_PAIRS];
    static unsigned char is_closed[MOST_PAIRS], was_closed[GRAINS][GRAINS];
    const tp_contact_reach none = {.time = 0.0};
    int most = 0, kept = 0;
    memcpy(q, model->q0, sizeof q);
    for (int round = 0; round < 12; round++) {
        double spread = round % 4 == 3 ? 0.0 : round % 4 == 2 ? 1e-3 : 1.0;
        bool changed;
        for (int k = 0; k < 7 * GRAINS; k++) {
            if (k % 7 < 3 && spread == 1.0) q[k] = check_uniform(&random, 0.0, round % 2 == 0 ? 1.2 : 1.6);
            if (k % 7 < 3 && spread < 1.0) q[k] += check_uniform(&random, -spread, spread);
        }
        int count_before = round > 0 ? system->pair_count : 0, next = 0;
        assert_true(system->pair_count <= MOST_PAIRS);
        memset(was_closed, 0, sizeof was_closed);
        for (int k = 0; k < count_before; k++) {
            before[k] = system->pairs[k].key;
            is_closed[k] = round % 3 == 1 && k % 5 == 0;
            was_closed[before[k].low][before[k].high] = is_closed[k];
        }
        tp_system_move(system, 0.0, q, model->u0);
        const unsigned char *closed = round > 0 ? is_closed : NULL;
        CHECK_INT(tp_system_find_contacts(system, &none, closed, &changed), TP_OK);
        for (int a = 0; a < GRAINS; a++) {
            for (int b = a + 1; b < GRAINS; b++) {
                double depth = overlap(model, q, a, b);
                bool is_next = next < system->pair_count && system->pairs[next].key.low == a &&
                               system->pairs[next].key.high == b;
                if (fabs(depth) > 1e-9) CHECK_INT(is_next, depth > 0.0 || was_closed[a][b]);
                kept += is_next && depth < 0.0;
                next += is_next;
            }
        }
        CHECK_INT(next, system->pair_count);
        bool differs = system->pair_count != count_before;
        for (int k = 0; k < system->pair_count; k++) {
            int old = round > 0 ? tp_system_old_law(system, k) : -1;
            CHECK_INT(system->pairs[k].first, k);
            CHECK_INT(system->pair_of[k], k);
            if (old >= 0) CHECK_INT(memcmp(&before[old], &system->pairs[k].key, sizeof before[old]), 0);
            differs = differs || old != k;
        }
        if (round > 0) CHECK_INT(changed, differs);
        most = system->pair_count > most ? system->pair_count : most;
    }
    CHECK(most > 3 * 2048 && kept > 1000);
    tp_system_free(system);
    tp_model_free(model);
    tp_pool_free(pool);
}

TEST_MAIN(RUNS(many_pairs_are_merged_in_order),
          RUNS(names_of_contacts_differ_in_whatever_order_shapes_were_added),
          RUNS(every_pair_that_meets_on_the_way_of_a_step_is_found),
          RUNS(pairs_whose_balls_are_apart_are_left_out), RUNS(contacts_do_not_depend_on_the_past),
          RUNS(laws_are_followed_to_their_new_numbers), RUNS(pairs_that_are_given_must_be_pairs),
          RUNS(a_later_rule_replaces_an_earlier_one))
