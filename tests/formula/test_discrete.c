/* The discrete derivative; theory/formulas.md (12)-(14). */
#include "formula/fixture.h"

enum { FIRST = 0, COUNT = 3 }; /* the block: x, y, z */

/* Two points that agree outside the block. */
static void random_pair(check_random *random, double distance, double *a, double *b)
{
    random_point(random, a);
    memcpy(b, a, FIXTURE_SLOTS * sizeof *a);
    for (int i = FIRST; i < FIRST + COUNT; i++) b[i] += distance * check_uniform(random, -1.0, 1.0);
}

static double values_difference(const tp_formula *formula, const double *a, const double *b, double *work,
                                double *noise_out)
{
    *noise_out = rounding_bound(formula, a, work) + rounding_bound(formula, b, work);
    double value_b = tp_formula_value(formula, b, work);
    return value_b - tp_formula_value(formula, a, work);
}

TEST(it_is_directional_to_rounding_and_symmetric_to_the_bit)
{
    check_random random = {40};
    for (int round = 0; round < 400; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        random_expression(&random, 1 + round % 3, text, sizeof text);
        tp_formula *formula = fixture_compile(&f, text);
        double *work = fixture_work(&f, formula), a[FIXTURE_SLOTS], b[FIXTURE_SLOTS], noise;
        random_pair(&random, round % 2 ? 1.0 : 1e-3, a, b);
        double forward[COUNT], backward[COUNT], sum = 0.0, scale = 0.0;
        tp_formula_discrete(formula, a, b, FIRST, COUNT, work, forward, NULL);
        tp_formula_discrete(formula, b, a, FIRST, COUNT, work, backward, NULL);
        double difference = values_difference(formula, a, b, work, &noise);
        for (int i = 0; i < COUNT; i++) {
            CHECK_NEAR(backward[i], forward[i], 4.0 * DBL_EPSILON * fabs(forward[i]));
            sum += forward[i] * (b[i] - a[i]);
            scale += fabs(forward[i] * (b[i] - a[i]));
        }
        CHECK_NEAR(sum, difference, 16.0 * DBL_EPSILON * (scale + fabs(difference)) + 1e-3 * noise);
        fixture_close(&f);
    }
}

TEST(for_quadratic_formulas_it_is_the_gradient_at_the_midpoint)
{
    check_random random = {41};
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "2*x^2+3*x*y-y*z+t*x+5*z-1");
    double *work = fixture_work(&f, formula);
    for (int round = 0; round < 100; round++) {
        double a[FIXTURE_SLOTS], b[FIXTURE_SLOTS], derivative[COUNT], jacobian[COUNT * COUNT];
        random_pair(&random, 1.0, a, b);
        tp_formula_discrete(formula, a, b, FIRST, COUNT, work, derivative, jacobian);
        double x = 0.5 * (a[0] + b[0]), y = 0.5 * (a[1] + b[1]), z = 0.5 * (a[2] + b[2]), distance = 0.0;
        for (int i = 0; i < COUNT; i++) distance += (b[i] - a[i]) * (b[i] - a[i]);
        distance = sqrt(distance);
        /* The defect is the rounding of values of size 20, over the distance; the Jacobian divides again. */
        double tolerance = 20.0 * 8.0 * DBL_EPSILON * (1.0 + 1.0 / distance);
        CHECK_NEAR(derivative[0], 4.0 * x + 3.0 * y + a[3], tolerance);
        CHECK_NEAR(derivative[1], 3.0 * x - z, tolerance);
        CHECK_NEAR(derivative[2], -y + 5.0, tolerance);
        const double half_hessian[9] = {2.0, 1.5, 0.0, 1.5, 0.0, -0.5, 0.0, -0.5, 0.0};
        for (int i = 0; i < 9; i++) CHECK_NEAR(jacobian[i], half_hessian[i], 4.0 * tolerance / distance);
    }
    fixture_close(&f);
}

/* |D - gradient(midpoint)| shrinks with the square of the distance: halving gives a quarter. */
TEST(it_differs_from_the_midpoint_gradient_by_second_order)
{
    check_random random = {42};
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "exp(x+y/2)*cos(y)+z^4*x");
    double *work = fixture_work(&f, formula);
    for (int round = 0; round < 50; round++) {
        double middle[FIXTURE_SLOTS], d[COUNT], error[2], gradient[COUNT];
        random_point(&random, middle);
        for (int i = 0; i < COUNT; i++) d[i] = check_uniform(&random, 0.3, 1.0);
        tp_formula_gradient(formula, middle, work, gradient);
        for (int k = 0; k < 2; k++) {
            double half = k == 0 ? 0.02 : 0.01, a[FIXTURE_SLOTS], b[FIXTURE_SLOTS], derivative[COUNT],
                   square = 0.0;
            memcpy(a, middle, sizeof a);
            memcpy(b, middle, sizeof b);
            for (int i = 0; i < COUNT; i++) {
                a[i] -= half * d[i];
                b[i] += half * d[i];
            }
            tp_formula_discrete(formula, a, b, FIRST, COUNT, work, derivative, NULL);
            for (int i = 0; i < COUNT; i++)
                square += (derivative[i] - gradient[i]) * (derivative[i] - gradient[i]);
            error[k] = sqrt(square);
        }
        /* The next term is of relative order (0.04)^2; where the leading one nearly vanishes the ratio says
         * little. */
        CHECK(error[0] < 1e-2);
        if (error[0] > 1e-5) CHECK_NEAR(error[0] / error[1], 4.0, 0.4);
    }
    fixture_close(&f);
}

/* One entry of the discrete derivative as one entry of b changes. */
typedef struct probe {
    const tp_formula *formula;
    double *work;
    const double *a, *b;
    int changed, entry;
} probe;

static double probe_at(void *context, double s)
{
    probe *p = context;
    double b[FIXTURE_SLOTS], derivative[COUNT];
    memcpy(b, p->b, sizeof b);
    b[p->changed] += s;
    tp_formula_discrete(p->formula, p->a, b, FIRST, COUNT, p->work, derivative, NULL);
    return derivative[p->entry];
}

TEST(its_jacobian_is_that_of_differences)
{
    check_random random = {43};
    for (int round = 0; round < 100; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        random_expression(&random, 1 + round % 3, text, sizeof text);
        tp_formula *formula = fixture_compile(&f, text);
        double *work = fixture_work(&f, formula), a[FIXTURE_SLOTS], b[FIXTURE_SLOTS], noise, error;
        double derivative[COUNT], jacobian[COUNT * COUNT];
        random_pair(&random, 0.0, a, b);
        for (int i = 0; i < COUNT; i++)
            b[i] += (check_random_bits(&random) & 1 ? 1.0 : -1.0) * check_uniform(&random, 1, 2);
        tp_formula_discrete(formula, a, b, FIRST, COUNT, work, derivative, jacobian);
        values_difference(formula, a, b, work, &noise);
        for (int j = 0; j < COUNT; j++) {
            for (int i = 0; i < COUNT; i++) {
                /* The distance exceeds 1.7: values enter with less than their own rounding, gradients with
                   that of about as many operations. */
                double rounding =
                    4.0 * noise + 8.0 * DBL_EPSILON * formula->value_count * (1.0 + fabs(derivative[i]));
                double slope = differentiate(probe_at, &(probe){formula, work, a, b, j, i}, rounding, &error);
                if (!(fabs(jacobian[i + COUNT * j] - slope) <= error)) print_error("%s: %d %d\n", text, i, j);
                CHECK_NEAR(jacobian[i + COUNT * j], slope, error + rounding);
            }
        }
        fixture_close(&f);
    }
}

TEST(close_points_give_the_gradient_and_half_the_hessian)
{
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "sin(x)*y+z^3*t");
    double *work = fixture_work(&f, formula), derivative[COUNT], jacobian[9], gradient[4], hessian[16];
    double a[FIXTURE_SLOTS] = {0.3, 0.4, 0.5, 0.6, 0.0, 0.0}, b[FIXTURE_SLOTS];
    memcpy(b, a, sizeof a);
    tp_formula_hessian(formula, a, work, gradient, hessian);
    for (int round = 0; round < 2; round++) { /* the same point; then one just inside the guard */
        if (round == 1) b[0] += 1e-8;
        tp_formula_discrete(formula, a, b, FIRST, COUNT, work, derivative, jacobian);
        for (int i = 0; i < COUNT; i++) {
            CHECK_NEAR(derivative[i], gradient[i], round * 1e-8 + 4.0 * DBL_EPSILON);
            for (int j = 0; j < COUNT; j++) {
                CHECK_NEAR(jacobian[i + 3 * j], 0.5 * hessian[i + 4 * j], round * 1e-8 + 4.0 * DBL_EPSILON);
            }
        }
    }
    fixture_close(&f);
}

TEST(a_block_may_begin_anywhere_and_hold_slots_that_do_not_matter)
{
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "x*z^3+y'"); /* slots 0, 2, 5; block 1..4 */
    double *work = fixture_work(&f, formula), derivative[4], jacobian[16];
    const double a[FIXTURE_SLOTS] = {2.0, 1.0, 1.0, 1.0, 1.0, 3.0},
                 b[FIXTURE_SLOTS] = {2.0, 2.0, 2.0, 1.0, 1.0, 3.0};
    tp_formula_discrete(formula, a, b, 1, 4, work, derivative, jacobian);
    /* f(b) - f(a) = 14, gradient at the midpoint 6 * 1.5^2 = 13.5, defect 0.5, |d|^2 = 2 */
    CHECK_NEAR(derivative[0], 0.25, 0.0);
    CHECK_NEAR(derivative[1], 13.75, 0.0);
    CHECK_NEAR(derivative[2], 0.0, 0.0);
    CHECK_NEAR(derivative[3], 0.0, 0.0);
    /* (12) written out: Hess = 12 * 1.5 = 18, gradient at the end 24, rest 24 - 13.5 - 9 = 1.5 */
    CHECK_NEAR(jacobian[0], 0.25 - 0.25, 0.0);
    CHECK_NEAR(jacobian[1], -0.25, 0.0);
    CHECK_NEAR(jacobian[4], -0.25 + 0.75, 0.0);
    CHECK_NEAR(jacobian[5], 9.0 + 0.25 - 0.25 + 0.75, 0.0);
    CHECK_NEAR(jacobian[10], 0.25, 0.0);
    CHECK_NEAR(jacobian[2], 0.0, 0.0);
    fixture_close(&f);
}

TEST_MAIN(RUNS(it_is_directional_to_rounding_and_symmetric_to_the_bit),
          RUNS(for_quadratic_formulas_it_is_the_gradient_at_the_midpoint),
          RUNS(it_differs_from_the_midpoint_gradient_by_second_order),
          RUNS(its_jacobian_is_that_of_differences),
          RUNS(close_points_give_the_gradient_and_half_the_hessian),
          RUNS(a_block_may_begin_anywhere_and_hold_slots_that_do_not_matter))
