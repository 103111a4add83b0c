/* Drawings of a model through the C interface: what they are at a state, and what is refused. */
#include "count_allocations.h"
#include "models.h"
#include "tippe/states.h"

static tp_drawing_vertex at(const char *x, const char *y, const char *z)
{
    tp_drawing_vertex vertex = {.coordinate = {TP_FORMULA(x), TP_FORMULA(y)}};
    if (z != NULL) vertex.coordinate[2] = TP_FORMULA(z);
    return vertex;
}

/* A pendulum of angle a with a wall, not yet finished. */
static tp_model *pendulum(void)
{
    tp_model *model = new_model();
    parameter(model, "l", 0.5);
    coordinate(model, "a", 0.3, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*l^2*a'^2"), &build_why));
    contact(model, "wall", "l*sin(a)", NULL, 0.0, 1.0);
    return model;
}

static tp_status add(tp_model *model, const char *name, tp_primitive_kind kind,
                     const tp_drawing_vertex *vertices, int count)
{
    tp_drawing_def def = tp_drawing_def_default();
    def.name = name;
    def.kind = kind;
    def.vertices = vertices;
    def.vertex_count = count;
    if (kind == TP_PRIMITIVE_CIRCLE) def.radius = TP_FORMULA("l/10*(1 + t)");
    def.law = strcmp(name, "bob") == 0 ? "wall" : NULL;
    return tp_model_add_drawing(model, &def, NULL, &build_why);
}

static double height(void *self, double t, const double *q, const double *u)
{
    (void)t;
    return *(double *)self * q[0] + u[0]; /* u is 0 for drawings */
}

static void height_gradient(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                            double *d_u)
{
    (void)t, (void)q, (void)u;
    *d_t = 0.0, d_q[0] = *(double *)self, d_u[0] = 1.0;
}

static tp_model *drawn_pendulum(double *slope)
{
    tp_model *model = pendulum();
    tp_drawing_vertex rod[2] = {at("0", "0", NULL), at("l*sin(a)", "-l*cos(a)", "t")};
    tp_drawing_vertex mark = {
        .coordinate = {TP_FORMULA("1"), {.self = slope, .value = height, .gradient = height_gradient}}};
    must(model, add(model, "rod", TP_PRIMITIVE_LINE, rod, 2));
    must(model, add(model, "bob", TP_PRIMITIVE_CIRCLE, &rod[1], 1));
    must(model, add(model, "mark", TP_PRIMITIVE_POINT, &mark, 1));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(figures_follow_time_and_coordinates)
{
    double slope = 3.0;
    tp_model *model = drawn_pendulum(&slope);
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_model_summarise(model).drawing_count, 3);
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    check_random random = {7};
    for (int trial = 0; trial < 20; trial++) {
        double t = check_uniform(&random, 0.0, 2.0), a = check_uniform(&random, -3.0, 3.0);
        int count = 0;
        const tp_primitive *list = tp_drawer_draw(drawer, t, &a, NULL, &count);
        CHECK_INT(count, 3);
        CHECK(list[0].kind == TP_PRIMITIVE_LINE && strcmp(list[0].name, "rod") == 0);
        CHECK_INT(list[0].vertex_count, 2);
        CHECK(list[0].vertices[0].x == 0.0 && list[0].vertices[0].z == 0.0);
        CHECK_NEAR(list[0].vertices[1].x, 0.5 * sin(a), 1e-15);
        CHECK_NEAR(list[0].vertices[1].y, -0.5 * cos(a), 1e-15);
        CHECK(list[0].vertices[1].z == t && list[0].law == -1);
        CHECK(list[1].kind == TP_PRIMITIVE_CIRCLE && list[1].law == 0);
        CHECK_NEAR(list[1].position.x, 0.5 * sin(a), 1e-15);
        CHECK_NEAR(list[1].size[0], 0.05 * (1.0 + t), 1e-15);
        CHECK_NEAR(list[2].vertices[0].y, 3.0 * a, 0.0);
        CHECK(list[0].colour.red != list[1].colour.red); /* neighbours in the palette */
    }
    tp_drawer_free(drawer);
    tp_model_free(model);
}

TEST(drawing_allocates_nothing)
{
#ifdef CAN_COUNT_ALLOCATIONS
    double slope = 1.0, a = 0.2;
    int count = 0;
    tp_model *model = drawn_pendulum(&slope);
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    is_counting = 1;
    for (int k = 0; k < 100; k++) tp_drawer_draw(drawer, 0.01 * k, &a, NULL, &count);
    is_counting = 0;
    CHECK_INT(allocation_count, 0);
    tp_drawer_free(drawer);
    tp_model_free(model);
#else
    SKIP_WITHOUT_COUNTING;
#endif
}

/* What is asked for, and a word of the answer. */
static void check_refused(void **check_state_, tp_status status, const char *word)
{
    bool is_told = status != TP_OK && strstr(build_why.text, word) != NULL;
    if (!is_told) print_error("%s: '%s'\n", word, build_why.text);
    CHECK(is_told);
}

TEST(impossible_drawings_are_refused_with_the_reason)
{
    tp_model *model = pendulum();
    tp_drawing_vertex good[3] = {at("0", "0", NULL), at("1", "a", NULL), at("0", "1", NULL)};
    tp_drawing_vertex rate = at("a'", "0", NULL), endless = at("1/(a - 0.3)", "0", NULL);
    check_refused(check_state_, add(model, "", TP_PRIMITIVE_POINT, good, 1), "no name");
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_POINT, good, 2), "1 point, found 2");
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_LINE, good, 1), "at least 2 points");
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_POLYGON, good, 2), "at least 3 points");
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_SPHERE, good, 1), "a point, a line");
    check_refused(check_state_, add(model, "p", (tp_primitive_kind)-1, good, 1), "a point, a line");
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_POINT, &rate, 1), "velocities");
    must(model, add(model, "p", TP_PRIMITIVE_POINT, good, 1));
    check_refused(check_state_, add(model, "p", TP_PRIMITIVE_POINT, good, 1), "two drawings");
    tp_drawing_def def = tp_drawing_def_default();
    def.vertices = good, def.vertex_count = 1, def.law = "floor";
    check_refused(check_state_, tp_model_add_drawing(model, &def, NULL, &build_why), "law 'floor'");
    def.law = NULL, def.radius = TP_FORMULA("1");
    check_refused(check_state_, tp_model_add_drawing(model, &def, NULL, &build_why),
                  "does not take a radius");
    def.kind = TP_PRIMITIVE_CIRCLE, def.radius = TP_FORMULA("-a");
    must(model, tp_model_add_drawing(model, &def, NULL, &build_why));
    check_refused(check_state_, tp_model_finish(model, NULL, &build_why), "negative");
    tp_model_free(model);

    model = pendulum();
    must(model, add(model, "p", TP_PRIMITIVE_POINT, &endless, 1));
    check_refused(check_state_, tp_model_finish(model, NULL, &build_why), "finite");
    check_refused(check_state_,
                  tp_model_add_coordinate(model, "b", 0.0, 0.0, "", (tp_place){0}, NULL, &build_why),
                  "before");
    tp_model_free(model);
}

/* What is not finite later has no surface, and does not stop the others. */
TEST(a_figure_that_becomes_infinite_is_left_out)
{
    tp_model *model = pendulum();
    tp_drawing_vertex vertex[2] = {at("1/a", "0", NULL), at("a", "0", NULL)};
    must(model, add(model, "p", TP_PRIMITIVE_POINT, &vertex[0], 1));
    must(model, add(model, "q", TP_PRIMITIVE_POINT, &vertex[1], 1));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_drawer *drawer = NULL;
    double a = 0.0;
    int count = 0;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const tp_primitive *list = tp_drawer_draw(drawer, 0.0, &a, NULL, &count);
    CHECK(!tp_primitive_is_sound(&list[0]) && tp_primitive_is_sound(&list[1]));
    tp_drawer_free(drawer);
    tp_model_free(model);
}

/* A relay, x' = -r, and a point at (x, 2 y); states used to be drawn as 0. What only a step knows is refused.
 */
TEST(figures_follow_first_order_states)
{
    tp_model *model = new_model();
    tp_state_def state = tp_state_def_default();
    state.name = "x", state.initial = 0.25, state.rate = TP_FORMULA("-r");
    must(model, tp_model_add_state(model, &state, NULL, &build_why));
    state.name = "y", state.initial = 4.0, state.rate = TP_FORMULA("1");
    must(model, tp_model_add_state(model, &state, NULL, &build_why));
    tp_relation_def relay = tp_relation_def_default();
    const tp_function output = TP_FORMULA("x");
    relay.name = "r", relay.kind = TP_RELATION_RELAY, relay.output = &output, relay.size = 1;
    must(model, tp_model_add_relation(model, &relay, NULL, &build_why));
    tp_drawing_vertex place = at("x", "2*y", "1/x"), unknown = at("x", "r", NULL);
    must(model, add(model, "p", TP_PRIMITIVE_POINT, &place, 1));
    check_refused(check_state_, add(model, "q", TP_PRIMITIVE_POINT, &unknown, 1), "multiplier of a relation");
    must(model, tp_model_finish(model, NULL, &build_why)); /* 1/x is finite at the start */
    tp_drawer *drawer = NULL;
    CHECK_INT(tp_drawer_create(NULL, model, &drawer), TP_OK);
    const double q[1] = {0.0}, x[2] = {-0.5, 3.0};
    int count = 0;
    const tp_primitive *p = tp_drawer_draw(drawer, 0.0, q, x, &count);
    CHECK_INT(count, 1);
    CHECK(p->vertices[0].x == -0.5 && p->vertices[0].y == 6.0 && p->vertices[0].z == -2.0);
    tp_drawer_free(drawer);
    tp_model_free(model);
}

TEST_MAIN(RUNS(figures_follow_time_and_coordinates), RUNS(figures_follow_first_order_states),
          RUNS(drawing_allocates_nothing), RUNS(impossible_drawings_are_refused_with_the_reason),
          RUNS(a_figure_that_becomes_infinite_is_left_out))
