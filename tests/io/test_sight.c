/* How pictures look at a motion: up is against gravity, a plane motion is seen along its normal, the extent
   is that of what moves, whatever the size of the floor. */
#include "check.h"
#include "io/plot/view.h"
#include "models.h"
#include "tippe/multibody.h"

enum { ROWS = 11, POSE = 7 };

/* A body with a shape, and a run in memory with its seven coordinates. */
typedef struct scenario {
    tp_model *model;
    tp_table_column columns[1 + POSE];
    double numbers[1 + POSE][ROWS];
    const double *values[1 + POSE];
    tp_trajectory trajectory;
    tp_arena arena;
    tp_moments moments;
    tp_sight sight;
    tp_view seen;
} scenario;

/* Position and rotation about an axis as functions of a part of the run, 0 to 1. */
typedef struct motion {
    tp_vec3 along, bend; /* position: along * s + bend * s^2 [m] */
    tp_vec3 axis;
    double angle; /* at the end [rad] */
} motion;

static tp_model *ball_alone(double radius)
{
    tp_model *model = new_model();
    tp_body_def body = tp_body_def_default();
    body.name = "ball", body.kind = TP_BODY_RIGID, body.mass = 1.0;
    body.inertia = tp_mat3_diagonal(tp_vec3_make(1.0, 1.0, 1.0));
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    tp_shape_def shape = tp_shape_def_default();
    shape.name = "skin", shape.body = "ball", shape.solid = tp_solid_sphere(radius);
    must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    return model;
}

static tp_model *body_over_floor(double radius, tp_vec3 gravity, bool has_floor)
{
    tp_model *model = ball_alone(radius);
    tp_shape_def shape = tp_shape_def_default();
    shape.name = "floor", shape.body = "ground", shape.solid = tp_solid_plane();
    shape.pose.origin = tp_vec3_make(0.0, 0.0, -radius);
    if (has_floor) must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    shape.name = "slab", shape.solid = tp_solid_box(tp_vec3_make(50.0, 50.0, 0.5));
    shape.pose.origin = tp_vec3_make(0.0, 0.0, -radius - 0.5);
    if (has_floor) must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    must(model, tp_model_set_gravity(model, gravity, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static void fill(scenario *s, motion m)
{
    static const char *const names[1 + POSE] = {"time",      "q/ball.x",  "q/ball.y",  "q/ball.z",
                                                "q/ball.p0", "q/ball.p1", "q/ball.p2", "q/ball.p3"};
    for (int c = 0; c <= POSE; c++) {
        s->columns[c] = (tp_table_column){names[c], "", ""};
        s->values[c] = s->numbers[c];
    }
    for (int r = 0; r < ROWS; r++) {
        double part = r / (ROWS - 1.0);
        tp_vec3 at = tp_vec3_add_scaled(tp_vec3_scale(part, m.along), part * part, m.bend);
        tp_quat p = m.angle != 0.0 ? tp_quat_from_axis_angle(m.axis, part * m.angle) : tp_quat_identity();
        const double row[1 + POSE] = {part, at.x, at.y, at.z, p.w, p.x, p.y, p.z};
        for (int c = 0; c <= POSE; c++) s->numbers[c][r] = row[c];
    }
    s->trajectory = (tp_trajectory){
        .column_count = 1 + POSE, .row_count = ROWS, .columns = s->columns, .values = s->values};
}

static void look(scenario *s, tp_model *model, motion m, tp_look way, tp_vec3 view)
{
    tp_message why = {""};
    tp_picture_options options = tp_picture_options_default();
    options.look = way, options.view = view;
    s->model = model;
    fill(s, m);
    tp_arena_init(&s->arena, NULL);
    s->moments = (tp_moments){.model = model, .trajectory = &s->trajectory};
    s->seen = (tp_view){.moments = &s->moments, .sight = &s->sight};
    if (tp_moments_choose(&s->moments, &s->arena, &options, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_sight_choose(&s->moments, &s->arena, &options, &s->sight, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_view_create(&s->seen, &s->arena, &why) != TP_OK) fail_msg("%s", why.text);
}

static void look_away(scenario *s)
{
    tp_drawer_free(s->moments.drawer);
    tp_arena_clear(&s->arena);
    tp_model_free(s->model);
}

static bool is_along(tp_vec3 a, double x, double y, double z)
{
    return tp_vec3_norm(tp_vec3_sub(a, tp_vec3_normalise(tp_vec3_make(x, y, z)))) < 1e-12;
}

/* A ball that rolls along x and falls: the picture shows x to the right, and up against gravity. */
TEST(a_plane_motion_is_seen_along_its_normal_with_gravity_downwards)
{
    static const struct {
        tp_vec3 gravity, along, bend, right, up, toward;
    } cases[] = {
        {{0, 0, -9.81}, {1, 0, 0}, {0, 0, -1}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {{0, -9.81, 0}, {1, 0, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0, 0, -9.81}, {0, 1, 0}, {0, 0, -1}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},     /* a table, from above */
        {{0, 0, -9.81}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, /* also under gravity   */
        {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {{-3, 0, -4}, {1, 0, 0}, {0, 0, -1}, {4, 0, -3}, {3, 0, 4}, {0, -1, 0}}, /* down an incline */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        static scenario s;
        motion m = {cases[k].along, cases[k].bend, tp_vec3_zero(), 0.0};
        look(&s, body_over_floor(0.1, cases[k].gravity, false), m, TP_LOOK_AUTOMATIC, tp_vec3_zero());
        CHECK(is_along(s.sight.right, cases[k].right.x, cases[k].right.y, cases[k].right.z));
        CHECK(is_along(s.sight.up, cases[k].up.x, cases[k].up.y, cases[k].up.z));
        CHECK(is_along(s.sight.toward, cases[k].toward.x, cases[k].toward.y, cases[k].toward.z));
        look_away(&s);
    }
}

/* A spin that is not along the normal takes the motion out of the plane: then up has a part to the eye. */
TEST(a_motion_in_space_is_seen_from_the_front_and_above)
{
    const tp_vec3 gravity[2] = {{0, 0, -1}, {0, -1, 0}};
    for (int k = 0; k < 2; k++) {
        static scenario s;
        motion m = {{1, 0, 0}, {0, 0, -1}, {1, 0, 0}, 2.0};
        look(&s, body_over_floor(0.1, gravity[k], false), m, TP_LOOK_AUTOMATIC, tp_vec3_zero());
        tp_vec3 up = tp_vec3_negate(gravity[k]);
        CHECK(tp_vec3_dot(s.sight.toward, up) > 0.3 && tp_vec3_dot(s.sight.toward, up) < 0.7);
        CHECK(fabs(tp_vec3_dot(s.sight.right, up)) < 1e-15 && s.sight.right.x > 0.5);
        CHECK(tp_vec3_dot(s.sight.up, up) > 0.5);
        look_away(&s);
    }
}

TEST(a_chosen_view_keeps_gravity_downwards)
{
    static scenario s;
    motion m = {{1, 0, 0}, {0, 0, -1}, {1, 0, 0}, 2.0};
    look(&s, body_over_floor(0.1, tp_vec3_make(0, -1, 0), false), m, TP_LOOK_FROM, tp_vec3_make(1, 0, 0));
    CHECK(is_along(s.sight.up, 0, 1, 0) && is_along(s.sight.right, 0, 0, -1));
    look_away(&s);
    look(&s, body_over_floor(0.1, tp_vec3_zero(), false), m, TP_LOOK_FROM, tp_vec3_make(0, 0, 2));
    CHECK(is_along(s.sight.up, 0, 1, 0) && is_along(s.sight.right, 1, 0, 0));
    look_away(&s);
}

/* A ball of 10 mm that rolls 50 mm on an endless floor and a slab of 100 m: the ball fills the picture. What
   is shown is the motion, a quarter of it on each side, and room for lines. */
TEST(the_extent_is_that_of_what_moves)
{
    const double radius = 0.005, way = 0.05;
    for (int k = 0; k < 2; k++) {
        static scenario s;
        motion m = {{way, 0, 0}, {0, 0, 1e-2 * (k == 1)}, {0, 1, k == 1}, way / radius};
        look(&s, body_over_floor(radius, tp_vec3_make(0, 0, -9.81), true), m, TP_LOOK_AUTOMATIC,
             tp_vec3_zero());
        double width = s.seen.shown.high[0] - s.seen.shown.low[0], moving = way + 2.0 * radius;
        CHECK(width >= moving && width < 2.0 * moving);
        for (int j = 0; j < 2; j++)
            CHECK(s.seen.shown.low[j] <= s.seen.moving.low[j] &&
                  s.seen.shown.high[j] >= s.seen.moving.high[j]);
        CHECK(!s.sight.is_still[0] && s.sight.is_still[1] && s.sight.is_still[2]);
        look_away(&s);
    }
}

/* A tube along x, given far from the ball that flies through it: the piece around the way of the ball is
   shown, in whatever direction one looks. */
TEST(a_tube_is_as_long_as_what_moves_in_it)
{
    const double way = 2.0, radius = 0.1;
    static scenario s;
    motion m = {{way, 0, 0}, {0, 0, -0.2}, {1, 0, 0}, 2.0};
    tp_model *model = ball_alone(radius);
    tp_shape_def shape = tp_shape_def_default();
    shape.name = "tube", shape.body = "ground", shape.solid = tp_solid_inside_cylinder(0.5);
    shape.pose.origin = tp_vec3_make(-100.0, 0.0, 0.0);
    shape.pose.orientation = tp_quat_from_axis_angle(tp_vec3_make(0.0, 1.0, 0.0), acos(0.0));
    must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    look(&s, model, m, TP_LOOK_OBLIQUE, tp_vec3_zero());
    const tp_primitive *tube = &s.seen.figures[1];
    CHECK(tube->kind == TP_PRIMITIVE_TUBE && s.sight.is_still[1]);
    CHECK_NEAR(tube->position.x, 0.5 * way, 1e-3); /* a ball of 24 edges */
    CHECK_NEAR(tube->position.z, 0.0, 1e-12);
    CHECK(tube->size[1] > 0.5 * way + radius && tube->size[1] < 1.5 * (0.5 * way + radius));
    CHECK(s.seen.shown.high[0] - s.seen.shown.low[0] < 2.0 * (way + 2.0 * radius));
    look_away(&s);
}

/* A single moment does not tell what moves; the rest of the run does. */
TEST(one_moment_of_a_motion_has_the_extent_of_the_body)
{
    static scenario s;
    motion m = {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, 10.0};
    tp_message why = {""};
    look(&s, body_over_floor(0.1, tp_vec3_make(0, 0, -9.81), true), m, TP_LOOK_AUTOMATIC, tp_vec3_zero());
    s.moments.count = 1;
    if (tp_view_create(&s.seen, &s.arena, &why) != TP_OK) fail();
    CHECK_NEAR(s.seen.moving.high[0] - s.seen.moving.low[0], 0.2, 1e-3); /* a circle of 24 edges */
    CHECK(s.seen.shown.high[0] - s.seen.shown.low[0] < 0.4);
    look_away(&s);
}

TEST_MAIN(RUNS(a_plane_motion_is_seen_along_its_normal_with_gravity_downwards),
          RUNS(a_motion_in_space_is_seen_from_the_front_and_above),
          RUNS(a_chosen_view_keeps_gravity_downwards), RUNS(the_extent_is_that_of_what_moves),
          RUNS(a_tube_is_as_long_as_what_moves_in_it),
          RUNS(one_moment_of_a_motion_has_the_extent_of_the_body))
