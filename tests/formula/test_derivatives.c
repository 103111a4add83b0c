/* Gradients and Hessians against differences, and the conventions at kinks. */
#include "formula/fixture.h"

/* A line through z in which the formula's value, or one entry of its gradient, is a function of s. */
typedef struct line {
    const tp_formula *formula;
    double *work;
    const double *z, *direction;
    int entry; /* of the gradient; -1: the value */
    double largest;
} line;

static double along_line(void *context, double s)
{
    line *l = context;
    double z[FIXTURE_SLOTS], gradient[FIXTURE_SLOTS] = {0.0};
    for (int i = 0; i < FIXTURE_SLOTS; i++) z[i] = l->z[i] + s * l->direction[i];
    double value = tp_formula_gradient(l->formula, z, l->work, gradient);
    if (l->entry < 0) return value;
    for (int i = 0; i < l->formula->value_count; i++) { /* the scale of what the sweep added up */
        l->largest = fmax(l->largest, fabs(l->work[l->formula->value_count + i]));
    }
    return gradient[l->entry];
}

/* Gradient and Hessian-vector product at z along a direction, against differences. */
static void check_formula(fixture *f, const char *text, const double *z, const double *direction)
{
    void **check_state_ = NULL;
    tp_formula *formula = fixture_compile(f, text);
    double *work = fixture_work(f, formula), error;
    double gradient[FIXTURE_SLOTS], again[FIXTURE_SLOTS], product[FIXTURE_SLOTS];
    double noise = rounding_bound(formula, z, work);
    double value = tp_formula_gradient(formula, z, work, gradient);
    CHECK_NEAR(tp_formula_value(formula, z, work), value, 0.0);
    CHECK_NEAR(tp_formula_hessian_vector(formula, z, direction, work, again, product), value, 0.0);

    const int n = tp_formula_slot_count(formula), *slots = tp_formula_slots(formula);
    double slope = 0.0;
    for (int i = 0; i < n; i++) {
        slope += gradient[i] * direction[slots[i]];
        /* The same numbers by two sweeps; each of the operations rounds at most thrice in either. */
        CHECK_NEAR(again[i], gradient[i],
                   6.0 * DBL_EPSILON * formula->value_count * (1.0 + fabs(gradient[i])));
    }
    line l = {formula, work, z, direction, -1, 0.0};
    double expected = differentiate(along_line, &l, 2.0 * noise, &error);
    if (!(fabs(slope - expected) <= error)) print_error("%s: gradient\n", text);
    CHECK_NEAR(slope, expected, error + 16.0 * DBL_EPSILON * fabs(slope));

    for (int i = 0; i < n; i++) {
        l.entry = i;
        l.largest = 0.0;
        along_line(&l, 0.0);
        double gradient_noise = 4.0 * DBL_EPSILON * formula->operation_count * l.largest;
        expected = differentiate(along_line, &l, gradient_noise, &error);
        if (!(fabs(product[i] - expected) <= error)) print_error("%s: Hessian row %d\n", text, i);
        CHECK_NEAR(product[i], expected, error + gradient_noise);
    }
}

TEST(every_function_has_its_derivatives)
{
    UNUSED_STATE;
    static const char *const texts[] = {
        "x+y",
        "x-y",
        "x*y",
        "x/y",
        "-x",
        "sqr(x)",
        "x^3",
        "x^-1",
        "x^-3*y",
        "x^7",
        "x^2.5",
        "x^-0.7",
        "x^0.5",
        "x^1100.5*0+x",
        "x^y",
        "2^x",
        "pow(y,x)",
        "sqrt(x)",
        "exp(x)",
        "log(x)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x/2)",
        "acos(x/2)",
        "atan(x)",
        "atan2(x,y)",
        "atan2(-y,-x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "abs(-x)*y",
        "sign(x)*y",
        "floor(1.2 + x/2)*y",
        "step(x)*y",
        "min(x,y+9)*y",
        "max(x-9,y)",
        "hypot(x,y)",
        "hypot(x,-y)",
        "if(x>0,y,z)*x",
        "if(x>0 and y>0 or z>9,x*y,z)",
        "min(x+5,x*y,y+7)",
        "x",
        "3",
        "x*x*x*y*y",
        "x^(y*x)",
    };
    check_random random = {20};
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) {
        for (int round = 0; round < 20; round++) {
            double z[FIXTURE_SLOTS], direction[FIXTURE_SLOTS];
            for (int k = 0; k < FIXTURE_SLOTS; k++) z[k] = check_uniform(&random, 0.6, 1.4);
            random_point(&random, direction);
            check_formula(&f, texts[i], z, direction);
        }
    }
    fixture_close(&f);
}

TEST(random_formulas_have_the_derivatives_of_differences)
{
    UNUSED_STATE;
    check_random random = {21};
    for (int round = 0; round < 300; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        double z[FIXTURE_SLOTS], direction[FIXTURE_SLOTS];
        random_expression(&random, 1 + round % 3, text, sizeof text);
        random_point(&random, z);
        random_point(&random, direction);
        check_formula(&f, text, z, direction);
        fixture_close(&f);
    }
}

TEST(a_hessian_is_symmetric_and_made_of_products_with_directions)
{
    check_random random = {22};
    for (int round = 0; round < 200; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        double z[FIXTURE_SLOTS], gradient[FIXTURE_SLOTS], hessian[FIXTURE_SLOTS * FIXTURE_SLOTS];
        random_expression(&random, 3, text, sizeof text);
        random_point(&random, z);
        tp_formula *formula = fixture_compile(&f, text);
        double *work = fixture_work(&f, formula), product[FIXTURE_SLOTS];
        tp_formula_hessian(formula, z, work, gradient, hessian);
        int n = tp_formula_slot_count(formula);
        double largest = 1.0;
        for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(hessian[i]));
        for (int j = 0; j < n; j++) {
            double unit[FIXTURE_SLOTS] = {0.0};
            unit[tp_formula_slots(formula)[j]] = 1.0;
            tp_formula_hessian_vector(formula, z, unit, work, gradient, product);
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(hessian[i + n * j], hessian[j + n * i], 0.0);
                /* The unsymmetrised columns differ from their mean by the rounding of one sweep. */
                double adjoints = 1.0;
                for (int k = 2 * formula->value_count; k < 4 * formula->value_count; k++) {
                    adjoints = fmax(adjoints, fabs(work[k]));
                }
                CHECK_NEAR(product[i], hessian[i + n * j],
                           8.0 * DBL_EPSILON * formula->value_count * fmax(largest, adjoints));
            }
        }
        fixture_close(&f);
    }
}

TEST(a_known_hessian_comes_out_exactly)
{
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "x^3*y + 2*y^2 - x*t");
    const double z[FIXTURE_SLOTS] = {2.0, 3.0, 0.0, 5.0, 0.0, 0.0};
    double gradient[3], hessian[9];
    double value = tp_formula_hessian(formula, z, fixture_work(&f, formula), gradient, hessian);
    const double expected_gradient[3] = {31.0, 20.0, -2.0};
    const double expected[9] = {36.0, 12.0, -1.0, 12.0, 4.0, 0.0, -1.0, 0.0, 0.0};
    CHECK_NEAR(value, 32.0, 0.0);
    for (int i = 0; i < 3; i++) CHECK_NEAR(gradient[i], expected_gradient[i], 0.0);
    for (int i = 0; i < 9; i++) CHECK_NEAR(hessian[i], expected[i], 0.0);
    fixture_close(&f);
}

/* Value of one derivative with respect to x at x = 0, y = 0, z = 1. */
static double slope_at_kink(fixture *f, const char *text, int order)
{
    const double z[FIXTURE_SLOTS] = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, along_x[FIXTURE_SLOTS] = {1.0};
    tp_formula *formula = fixture_compile(f, text);
    double *work = fixture_work(f, formula), gradient[FIXTURE_SLOTS] = {0}, product[FIXTURE_SLOTS] = {0};
    tp_formula_hessian_vector(formula, z, along_x, work, gradient, product);
    double first = gradient[0];
    tp_formula_gradient(formula, z, work, gradient);
    bool is_same = first == gradient[0] || (isnan(first) && isnan(gradient[0]));
    if (!is_same) print_error("%s: %g by one sweep, %g by two\n", text, gradient[0], first);
    assert_true(is_same);
    return order == 1 ? first : product[0];
}

TEST(derivatives_at_kinks_are_the_documented_ones)
{
    fixture f;
    fixture_open(&f);
    CHECK_NEAR(slope_at_kink(&f, "abs(x)", 1), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "sign(x)", 1), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "step(x)", 1), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "min(2*x,3*x)", 1), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "min(3*x,2*x)", 1), 3.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "max(2*x,3*x,4*x)", 1), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>=0,2*x,3*x)", 1), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,2*x,3*x)", 1), 3.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "hypot(x,y)", 1), 0.0, 0.0);
    CHECK(isinf(slope_at_kink(&f, "sqrt(x)", 1)));
    CHECK(isinf(slope_at_kink(&f, "x^0.5", 1)));
    CHECK(isnan(slope_at_kink(&f, "atan2(y,x)+0*x", 1)));
    CHECK_NEAR(slope_at_kink(&f, "x^1.5", 1), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "x^2", 2), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "x^3", 2), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "x^(2+z)", 1), 0.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "x^(1+z)", 2), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "abs(x)", 2), 0.0, 0.0);
    fixture_close(&f);
}

TEST(the_branch_not_taken_leaves_no_trace)
{
    fixture f;
    fixture_open(&f);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,sqrt(x),5*x)", 1), 5.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,sqrt(x),x^2)", 2), 2.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,1/x,x)", 1), 1.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,x*log(x),exp(x))", 2), 1.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "min(sqrt(x)+1,x)", 1), 1.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x==0,x,atan2(x,y)/x)", 1), 1.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "if(x>0,sin(x)/x,1)*(x+3)", 1), 1.0, 0.0);
    CHECK_NEAR(slope_at_kink(&f, "x*sqrt(x)", 1), 0.0, 0.0);   /* what is multiplied by zero is not seen */
    CHECK_NEAR(slope_at_kink(&f, "sqrt(y)+x^2", 2), 2.0, 0.0); /* nor what stands still */
    fixture_close(&f);
}

/* Terms that cancel round with their own size; a product with a large constant does not. The values in long
   double are exact here. */
TEST(the_rounding_of_a_value_is_that_of_its_terms)
{
    fixture f;
    fixture_open(&f);
    double z[FIXTURE_SLOTS] = {0.0}, gradient[FIXTURE_SLOTS];
    tp_formula *cancels = fixture_compile(&f, "3 - (2*cos(x) + cos(y))"),
               *is_small = fixture_compile(&f, "1/2*4e5*(x - 0.1)^2");
    double *work = fixture_work(&f, cancels), *other = fixture_work(&f, is_small);
    check_random random = {17};
    for (int trial = 0; trial < 200; trial++) {
        for (int i = 0; i < FIXTURE_SLOTS; i++) z[i] = check_uniform(&random, 0.0, 0.02);
        double value = tp_formula_gradient(cancels, z, work, gradient), x = z[tp_formula_slots(cancels)[0]],
               y = z[tp_formula_slots(cancels)[1]];
        double rounding = tp_formula_rounding(cancels, work);
        CHECK(fabs((double)(value - (3.0L - (2.0L * cosl(x) + cosl(y))))) <= rounding);
        CHECK(rounding > 6.0 * DBL_EPSILON && rounding < 20.0 * DBL_EPSILON); /* 3 + 2 + 1 and their sums */
        value = tp_formula_gradient(is_small, z, other, gradient);
        rounding = tp_formula_rounding(is_small, other);
        /* five values and constants that are factors, and 2 (0.1 + x)/(0.1 - x) <= 3 of the difference */
        CHECK(rounding >= DBL_EPSILON * value && rounding <= 8.0 * DBL_EPSILON * value);
    }
    fixture_close(&f);
}

TEST_MAIN(RUNS(every_function_has_its_derivatives), RUNS(random_formulas_have_the_derivatives_of_differences),
          RUNS(a_hessian_is_symmetric_and_made_of_products_with_directions),
          RUNS(a_known_hessian_comes_out_exactly), RUNS(derivatives_at_kinks_are_the_documented_ones),
          RUNS(the_branch_not_taken_leaves_no_trace), RUNS(the_rounding_of_a_value_is_that_of_its_terms))
