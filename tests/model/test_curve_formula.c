/* Curves of joints given by formulas of s: their derivatives are exact, and s is a name of its own. */
#include "check.h"

#include "model/lists.h"

#include <string.h>

static const tp_place nowhere = {NULL, 0, 0};

static tp_model *new_model(void)
{
    tp_model *model;
    assert_int_equal(tp_model_create(NULL, &model), TP_OK);
    assert_int_equal(tp_model_add_parameter_value(model, "a", 2.0, nowhere, NULL), TP_OK);
    assert_int_equal(tp_model_add_parameter_value(model, "s", 100.0, nowhere, NULL), TP_OK);
    return model;
}

static tp_joint_def curve_of(const char *x, const char *y, const char *z)
{
    tp_joint_def def = tp_joint_def_default();
    const char *text[] = {x, y, z};
    def.name = "track";
    def.kind = TP_JOINT_POINT_ON_CURVE;
    def.curve.end = 3.0;
    for (int k = 0; k < 3; k++) def.curve.formula[k] = TP_FORMULA(text[k]);
    return def;
}

/* c = (a cos s, exp(a s), s^4 + a): each derivative in closed form; rounding of a few operations. */
TEST(a_curve_by_formulas_has_exact_derivatives_up_to_the_third)
{
    tp_model *model = new_model();
    tp_joint_def def = curve_of("a*cos(s)", "exp(a*s)", "s^4 + a");
    CHECK_INT(tp_model_compile_curve(model, &def), TP_OK);
    check_random random = {20240517};
    for (int round = 0; round < 200; round++) {
        double s = check_uniform(&random, -2.0, 2.0), e = exp(2.0 * s);
        tp_vec3 c[4];
        def.curve.evaluate(def.curve.self, s, c);
        double x[] = {2.0 * cos(s), -2.0 * sin(s), -2.0 * cos(s), 2.0 * sin(s)};
        double y[] = {e, 2.0 * e, 4.0 * e, 8.0 * e};
        double z[] = {s * s * s * s + 2.0, 4.0 * s * s * s, 12.0 * s * s, 24.0 * s};
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(c[k].x, x[k], 1e-14);
            CHECK_NEAR(c[k].y, y[k], 1e-14 * y[k]);
            CHECK_NEAR(c[k].z, z[k], 1e-13);
        }
    }
    tp_model_free(model);
}

TEST(a_straight_line_by_constants_and_s_has_no_curvature)
{
    tp_model *model = new_model();
    tp_joint_def def = curve_of("s", "3", NULL); /* what is not given is 0 */
    tp_vec3 c[4];
    CHECK_INT(tp_model_compile_curve(model, &def), TP_OK);
    def.curve.evaluate(def.curve.self, 0.5, c);
    CHECK(c[0].x == 0.5 && c[0].y == 3.0 && c[0].z == 0.0);
    CHECK(c[1].x == 1.0 && c[1].y == 0.0);
    CHECK(tp_vec3_norm(c[2]) == 0.0 && tp_vec3_norm(c[3]) == 0.0);
    tp_model_free(model);
}

TEST(a_curve_of_time_or_unknown_names_is_refused)
{
    tp_model *model = new_model();
    tp_joint_def of_time = curve_of("s", "t", "0"), unknown = curve_of("s", "b", "0");
    tp_message why = {""};
    model->message = &why;
    CHECK_INT(tp_model_compile_curve(model, &of_time), TP_INVALID_DATA);
    CHECK(strstr(why.text, "of s and parameters alone") != NULL);
    tp_model_free(model);
    model = new_model();
    model->message = &why;
    CHECK(tp_model_compile_curve(model, &unknown) != TP_OK);
    CHECK(strstr(why.text, "\"b\"") != NULL);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_curve_by_formulas_has_exact_derivatives_up_to_the_third),
          RUNS(a_straight_line_by_constants_and_s_has_no_curvature),
          RUNS(a_curve_of_time_or_unknown_names_is_refused))
