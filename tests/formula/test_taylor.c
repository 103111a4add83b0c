/* Derivatives along a motion and their gradients. */
#include "formula/fixture.h"

/* A motion z0 + z1 s + z2 s^2/2 of all slots. */
typedef struct motion {
    double z[3][FIXTURE_SLOTS];
} motion;

static motion random_motion(check_random *random)
{
    motion m;
    for (int k = 0; k < 3; k++) random_point(random, m.z[k]);
    return m;
}

/* What a formula gives along a motion. */
typedef struct taylor {
    double value[3], gradient[3][FIXTURE_SLOTS];
} taylor;

static taylor taylor_at(const tp_formula *formula, const motion *m, double *work)
{
    taylor t = {{0.0}, {{0.0}}};
    tp_formula_taylor(formula, m->z[0], m->z[1], m->z[2], work, t.value, t.gradient[0], t.gradient[1],
                      t.gradient[2]);
    return t;
}

/* Something of the formula as a function of s: along the motion, or as one entry of z0, z1 or z2 changes. */
typedef struct probe {
    const char *text;
    const tp_formula *formula;
    double *work;
    const motion *m;
    int order, slot;  /* the entry that changes; order -1: go along the motion */
    int value, entry; /* which derivative; entry of its gradient, -1: itself    */
} probe;

static double probe_at(void *context, double s)
{
    probe *p = context;
    motion m = *p->m;
    if (p->order >= 0) {
        m.z[p->order][p->slot] += s;
    } else {
        for (int i = 0; i < FIXTURE_SLOTS; i++) {
            m.z[0][i] += s * m.z[1][i] + 0.5 * s * s * m.z[2][i];
            m.z[1][i] += s * m.z[2][i];
        }
    }
    taylor t = taylor_at(p->formula, &m, p->work);
    return p->entry < 0 ? t.value[p->value] : t.gradient[p->value][p->entry];
}

/* Bound of the rounding of series and adjoints: some operations, each rounding a few times, at the scale of
   the largest number in the sweeps. */
static double sweep_noise(const tp_formula *formula, const double *work)
{
    double largest = 0.0;
    for (int i = 0; i < 6 * formula->value_count; i++) largest = fmax(largest, fabs(work[i]));
    return 8.0 * DBL_EPSILON * formula->value_count * largest;
}

static void check_probe(probe p, double expected, double noise)
{
    void **check_state_ = NULL;
    double error, slope = differentiate(probe_at, &p, noise, &error);
    if (!(fabs(expected - slope) <= error + noise)) {
        print_error("%s, change %d of slot %d, derivative %d, entry %d\n", p.text, p.order, p.slot, p.value,
                    p.entry);
    }
    CHECK_NEAR(expected, slope, error + noise);
}

/* Closed form: f = sin(x) y^2 with x = a + b s + c s^2/2, y = d + e s + k s^2/2. */
TEST(a_product_along_a_polynomial_motion_has_its_closed_form)
{
    check_random random = {30};
    fixture f;
    fixture_open(&f);
    tp_formula *formula = fixture_compile(&f, "sin(x)*y^2");
    double *work = fixture_work(&f, formula);
    for (int round = 0; round < 100; round++) {
        motion m = random_motion(&random);
        double a = m.z[0][0], b = m.z[1][0], c = m.z[2][0], d = m.z[0][1], e = m.z[1][1], k = m.z[2][1];
        double s = sin(a), co = cos(a), y2 = 2.0 * d * e, y22 = 2.0 * (e * e + d * k);
        taylor t = taylor_at(formula, &m, work);
        /* Sums of at most six terms below 4: each rounds a few times. */
        const double tolerance = 64.0 * DBL_EPSILON;
        CHECK_NEAR(t.value[0], s * d * d, tolerance);
        CHECK_NEAR(t.value[1], co * b * d * d + s * y2, tolerance);
        CHECK_NEAR(t.value[2], (co * c - s * b * b) * d * d + 2.0 * co * b * y2 + s * y22, tolerance);
        CHECK_NEAR(t.gradient[0][0], co * d * d, tolerance);
        CHECK_NEAR(t.gradient[0][1], 2.0 * s * d, tolerance);
        CHECK_NEAR(t.gradient[1][0], -s * b * d * d + co * y2, tolerance);
        CHECK_NEAR(t.gradient[1][1], 2.0 * (co * b * d + s * e), tolerance);
        CHECK_NEAR(t.gradient[2][0], (-s * c - co * b * b) * d * d - 2.0 * s * b * y2 + co * y22, tolerance);
        CHECK_NEAR(t.gradient[2][1], 2.0 * ((co * c - s * b * b) * d + 2.0 * co * b * e + s * k), tolerance);
    }
    fixture_close(&f);
}

/* Each derivative is the derivative of the one before along the motion; so are the gradients; and each
   gradient is what its name says. */
static void check_formula(fixture *f, const char *text, const motion *m)
{
    void **check_state_ = NULL;
    tp_formula *formula = fixture_compile(f, text);
    double *work = fixture_work(f, formula);
    taylor t = taylor_at(formula, m, work);
    double noise = sweep_noise(formula, work);
    CHECK_NEAR(tp_formula_value(formula, m->z[0], work), t.value[0], 0.0);
    check_probe((probe){text, formula, work, m, -1, 0, 0, -1}, t.value[1], noise);
    check_probe((probe){text, formula, work, m, -1, 0, 1, -1}, t.value[2], noise);
    for (int i = 0; i < tp_formula_slot_count(formula); i++) {
        int slot = tp_formula_slots(formula)[i];
        for (int k = 0; k < 2; k++) {
            check_probe((probe){text, formula, work, m, -1, 0, k, i}, t.gradient[k + 1][i], noise);
        }
        for (int k = 0; k < 3; k++) {
            check_probe((probe){text, formula, work, m, 0, slot, k, -1}, t.gradient[k][i], noise);
        }
        /* d f'/d z1 = d f''/d z2 = d f/d z0 and d f''/d z1 = 2 d f'/d z0 */
        check_probe((probe){text, formula, work, m, 1, slot, 1, -1}, t.gradient[0][i], noise);
        check_probe((probe){text, formula, work, m, 2, slot, 2, -1}, t.gradient[0][i], noise);
        check_probe((probe){text, formula, work, m, 1, slot, 2, -1}, 2.0 * t.gradient[1][i], noise);
    }
}

TEST(every_function_has_its_series)
{
    UNUSED_STATE;
    static const char *const texts[] = {
        "x+y",
        "x-y",
        "x*y",
        "x/(3+y)",
        "-x",
        "x^2",
        "x^3",
        "(2+x)^-2",
        "x^5",
        "(2+x)^y",
        "(2+x)^2.5",
        "sqrt(2+x)",
        "exp(x)",
        "log(3+x)",
        "sin(x)",
        "cos(x)",
        "tan(x/2)",
        "asin(x/3)",
        "acos(x/3)",
        "atan(x)",
        "atan2(x,3+y)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "abs(3+x)*y",
        "sign(3+x)*y",
        "step(3+x)",
        "floor(2.5+x/9)*y",
        "min(x,y+9)",
        "max(x,y-9)",
        "hypot(x,3+y)",
        "if(x<9,x*y,0)",
        "2^x",
        "x",
        "4",
    };
    check_random random = {31};
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) {
        for (int round = 0; round < 10; round++) {
            motion m = random_motion(&random);
            check_formula(&f, texts[i], &m);
        }
    }
    fixture_close(&f);
}

TEST(random_formulas_have_the_series_of_differences)
{
    UNUSED_STATE;
    check_random random = {32};
    for (int round = 0; round < 100; round++) {
        fixture f;
        fixture_open(&f);
        char text[2000];
        random_expression(&random, 1 + round % 3, text, sizeof text);
        motion m = random_motion(&random);
        check_formula(&f, text, &m);
        fixture_close(&f);
    }
}

TEST(gradients_that_are_not_wanted_may_be_left_out)
{
    fixture f;
    fixture_open(&f);
    check_random random = {33};
    motion m = random_motion(&random);
    tp_formula *formula = fixture_compile(&f, "sin(x*y)*exp(z)");
    double *work = fixture_work(&f, formula), value[3], gradient[3];
    taylor t = taylor_at(formula, &m, work);
    tp_formula_taylor(formula, m.z[0], m.z[1], m.z[2], work, value, NULL, NULL, NULL);
    for (int k = 0; k < 3; k++) CHECK_NEAR(value[k], t.value[k], 0.0);
    tp_formula_taylor(formula, m.z[0], m.z[1], m.z[2], work, value, NULL, gradient, NULL);
    for (int i = 0; i < 3; i++) CHECK_NEAR(gradient[i], t.gradient[1][i], 0.0);
    fixture_close(&f);
}

TEST(what_stands_still_may_have_an_infinite_slope)
{
    fixture f;
    fixture_open(&f);
    motion m = {{{0.0}, {0.0}, {0.0}}};
    m.z[1][1] = 2.0; /* y moves, x rests at zero */
    tp_formula *formula = fixture_compile(&f, "sqrt(x)+y^2");
    taylor t = taylor_at(formula, &m, fixture_work(&f, formula));
    CHECK_NEAR(t.value[1], 0.0, 0.0);
    CHECK_NEAR(t.value[2], 8.0, 0.0);
    CHECK_NEAR(t.gradient[1][1], 4.0, 0.0);
    formula = fixture_compile(&f, "if(x>0,log(x)*sqrt(x),y^2)"); /* nor does the branch not taken show */
    t = taylor_at(formula, &m, fixture_work(&f, formula));
    CHECK_NEAR(t.value[2], 8.0, 0.0);
    for (int k = 0; k < 3; k++) CHECK_NEAR(t.gradient[k][0], 0.0, 0.0);
    CHECK_NEAR(t.gradient[1][1], 4.0, 0.0);
    fixture_close(&f);
}

TEST_MAIN(RUNS(a_product_along_a_polynomial_motion_has_its_closed_form), RUNS(every_function_has_its_series),
          RUNS(random_formulas_have_the_series_of_differences),
          RUNS(gradients_that_are_not_wanted_may_be_left_out),
          RUNS(what_stands_still_may_have_an_infinite_slope))
