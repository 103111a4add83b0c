/* The exact motion that a model may carry: values, rates that follow from it, refusals. */
#include "integrator/integrators.h"
#include "models.h"

typedef struct exact_fixture {
    tp_arena arena;
    tp_exact exact;
} exact_fixture;

static void open_exact(exact_fixture *f, const tp_model *model)
{
    tp_arena_init(&f->arena, NULL);
    if (tp_exact_create(&f->arena, model, &f->exact) != TP_OK) fail();
}

static tp_model *two_coordinates(void)
{
    tp_model *model = new_model();
    parameter(model, "w", 3.0);
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), &build_why));
    return model;
}

TEST(the_rate_of_a_coordinate_follows_from_its_exact_motion)
{
    tp_model *model = two_coordinates();
    must(model, tp_model_set_exact(model, "x", TP_FORMULA("exp(-t)*cos(w*t) + floor(t)"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    exact_fixture f;
    open_exact(&f, model);
    CHECK(f.exact.of_q[0] != NULL && f.exact.of_u[0] != NULL);
    CHECK(f.exact.of_q[1] == NULL && f.exact.of_u[1] == NULL);
    check_random random = {1};
    for (int round = 0; round < 50; round++) {
        double t = check_uniform(&random, 0.1, 0.9), h = 1e-5, q[2], u[2], before[2], after[2], unused[2];
        tp_exact_at(&f.exact, t, q, u);
        tp_exact_at(&f.exact, t - h, before, unused);
        tp_exact_at(&f.exact, t + h, after, unused);
        CHECK_NEAR(q[0], exp(-t) * cos(3.0 * t), 1e-15);
        /* Third derivative below (1 + w)^3 = 64: h^2/6 of it, and rounding 1e-16/h. */
        CHECK_NEAR(u[0], (after[0] - before[0]) / (2.0 * h), 64.0 * h * h / 6.0 + 1e-10);
    }
    tp_arena_clear(&f.arena);
    tp_model_free(model);
}

TEST(a_velocity_that_is_given_wins_over_the_derivative)
{
    tp_model *model = two_coordinates();
    must(model, tp_model_set_exact(model, "y", TP_FORMULA("t^2"), &build_why));
    must(model, tp_model_set_exact(model, "y'", TP_FORMULA("7"), &build_why));
    must(model, tp_model_set_exact(model, "x'", TP_FORMULA("5*t"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    exact_fixture f;
    open_exact(&f, model);
    double q[2], u[2];
    tp_exact_at(&f.exact, 2.0, q, u);
    CHECK(f.exact.of_q[0] == NULL && f.exact.of_u[0] != NULL);
    CHECK_NEAR(q[1], 4.0, 0.0);
    CHECK_NEAR(u[1], 7.0, 0.0);
    CHECK_NEAR(u[0], 10.0, 0.0);
    tp_arena_clear(&f.arena);
    tp_model_free(model);
}

static double square_value(void *self, double t, const double *q, const double *u)
{
    (void)q, (void)u;
    return *(const double *)self * t * t;
}

static void square_gradient(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                            double *d_u)
{
    (void)q, (void)u, (void)d_q, (void)d_u;
    *d_t = 2.0 * *(const double *)self * t;
}

TEST(a_c_function_may_be_the_exact_motion)
{
    double factor = 1.5;
    tp_model *model = two_coordinates();
    const tp_function square = {.self = &factor, .value = square_value, .gradient = square_gradient};
    must(model, tp_model_set_exact(model, "y", square, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    exact_fixture f;
    open_exact(&f, model);
    double q[2], u[2];
    tp_exact_at(&f.exact, 2.0, q, u);
    CHECK_NEAR(q[1], 6.0, 0.0);
    CHECK_NEAR(u[1], 6.0, 0.0);
    tp_arena_clear(&f.arena);
    tp_model_free(model);
}

/* Where velocities are the model's own, nothing is derived: a rate is another thing. */
TEST(velocities_of_their_own_need_their_own_exact_motion)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    must(model, tp_model_add_velocity(model, "v", 0.0, "", (tp_place){0}, NULL, &build_why));
    must(model, tp_model_set_rate(model, "x", TP_FORMULA("2*v"), &build_why));
    must(model, tp_model_add_mass(model, "v", "v", TP_FORMULA("1"), &build_why));
    must(model, tp_model_set_exact(model, "x", TP_FORMULA("t"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    exact_fixture f;
    open_exact(&f, model);
    CHECK(f.exact.of_q[0] != NULL && f.exact.of_u[0] == NULL);
    tp_arena_clear(&f.arena);
    tp_model_free(model);
}

TEST(what_is_no_function_of_time_is_refused_with_the_reason)
{
    tp_model *model = two_coordinates();
    CHECK_INT(tp_model_set_exact(model, "x", TP_FORMULA("y*t"), &build_why), TP_INVALID_DATA);
    CHECK(strstr(build_why.text, "t and parameters alone") != NULL);
    CHECK_INT(tp_model_set_exact(model, "z", TP_FORMULA("t"), &build_why), TP_INVALID_DATA);
    CHECK(strstr(build_why.text, "no such coordinate") != NULL);
    must(model, tp_model_set_exact(model, "x", TP_FORMULA("t"), &build_why));
    CHECK_INT(tp_model_set_exact(model, "x", TP_FORMULA("t"), &build_why), TP_INVALID_DATA);
    CHECK(strstr(build_why.text, "twice") != NULL);
    CHECK_INT(tp_model_set_exact_until(model, 0.0, (tp_place){0}, &build_why), TP_INVALID_DATA);
    CHECK_INT(tp_model_set_exact_until(model, NAN, (tp_place){0}, &build_why), TP_INVALID_DATA);
    CHECK(isinf(tp_model_exact_until(model)) && tp_model_has_exact(model));
    must(model, tp_model_set_exact_until(model, 2.0, (tp_place){0}, &build_why));
    CHECK_NEAR(tp_model_exact_until(model), 2.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    CHECK_INT(tp_model_set_exact(model, "y", TP_FORMULA("t"), &build_why), TP_INVALID_ARGUMENT);
    tp_model_free(model);
}

TEST_MAIN(RUNS(the_rate_of_a_coordinate_follows_from_its_exact_motion),
          RUNS(a_velocity_that_is_given_wins_over_the_derivative), RUNS(a_c_function_may_be_the_exact_motion),
          RUNS(velocities_of_their_own_need_their_own_exact_motion),
          RUNS(what_is_no_function_of_time_is_refused_with_the_reason))
