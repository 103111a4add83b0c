/* The toolbox of forms and vector fields: identities on random ones; docs/theory/calculus.md. Derivatives are
   exact, so what identities leave is rounding: sums of at most some thousand products of numbers below 1e3,
   1e3 * 1e3 * 2^-53 = 1e-10 at most; a wrong sign or index leaves 1e-2 and more. */
#include "random_fields.h"

static const double rounding = 1e-10;
enum { ROUNDS = 6 };

#define EACH_FORM(n, degree)                                                                                 \
    for (int round_ = 0; round_ < ROUNDS; round_++)                                                          \
        for (int n = 2; n <= 4; n++)                                                                         \
            for (int degree = 0; degree <= n; degree++)

/* Claim: d d w = 0. */
TEST(d_of_d_is_zero)
{
    check_random random = {11};
    EACH_FORM(n, degree)
    {
        tp_chart *chart = chart_of(n);
        move_randomly(&random, chart, n);
        tp_chart_field w = random_form(&random, chart, n, degree), dw, ddw;
        ok(tp_form_d(chart, &w, &dw));
        CHECK_INT(dw.order, 1);
        CHECK(degree == n || field_size(&dw) > 1e-3);
        ok(tp_form_d(chart, &dw, &ddw));
        CHECK_NEAR(field_size(&ddw), 0.0, rounding);
        tp_chart_field too_much;
        CHECK_INT(tp_form_d(chart, &ddw, &too_much), TP_INVALID_ARGUMENT); /* no derivatives left */
        tp_chart_free(chart);
    }
}

/* Claim: a /\ b = (-1)^(kl) b /\ a, associative; d(a /\ b) = da /\ b + (-1)^k a /\ db. */
TEST(wedge_is_graded_and_associative_and_obeys_leibniz)
{
    check_random random = {12};
    for (int round = 0; round < ROUNDS; round++) {
        for (int e = 0; e < 27; e++) {
            int n = 4, k = e % 3, l = e / 3 % 3, m = e / 9;
            tp_chart *chart = chart_of(n);
            move_randomly(&random, chart, n);
            tp_chart_field a = random_form(&random, chart, n, k), b = random_form(&random, chart, n, l),
                           c = random_form(&random, chart, n, m), ab, ba, ab_c, bc, a_bc, d, da, db, one, two,
                           sum;
            ok(tp_form_wedge(chart, &a, &b, &ab));
            ok(tp_form_wedge(chart, &b, &a, &ba));
            ok(tp_chart_field_add(chart, 1.0, &ab, k * l % 2 == 0 ? -1.0 : 1.0, &ba, &sum));
            CHECK_NEAR(field_size(&sum), 0.0, rounding);
            ok(tp_form_wedge(chart, &ab, &c, &ab_c));
            ok(tp_form_wedge(chart, &b, &c, &bc));
            ok(tp_form_wedge(chart, &a, &bc, &a_bc));
            CHECK_NEAR(field_distance(&ab_c, &a_bc), 0.0, rounding);
            ok(tp_form_d(chart, &ab, &d));
            ok(tp_form_d(chart, &a, &da));
            ok(tp_form_d(chart, &b, &db));
            ok(tp_form_wedge(chart, &da, &b, &one));
            ok(tp_form_wedge(chart, &a, &db, &two));
            ok(tp_chart_field_add(chart, 1.0, &one, k % 2 == 0 ? 1.0 : -1.0, &two, &sum));
            CHECK_NEAR(field_distance(&d, &sum), 0.0, rounding);
            if (k == 1) {
                ok(tp_form_wedge(chart, &a, &a, &sum));
                CHECK_NEAR(field_size(&sum), 0.0, rounding);
            }
            tp_chart_free(chart);
        }
    }
}

/* Claim (2.13): of one-forms the wedge has components a_i b_j - a_j b_i; (3.44): d of one has
   da_j/dx_i - da_i/dx_j. */
TEST(components_of_wedge_and_d_are_those_of_the_definition)
{
    check_random random = {13};
    tp_chart *chart = chart_of(3);
    move_randomly(&random, chart, 3);
    tp_chart_field a = random_form(&random, chart, 3, 1), b = random_form(&random, chart, 3, 1), ab, da;
    ok(tp_form_wedge(chart, &a, &b, &ab));
    ok(tp_form_d(chart, &a, &da));
    for (int e = 0; e < 9; e++) {
        int i = e % 3, j = e / 3, size = 1 + 3 + 9;
        double expected = tp_chart_field_value(&a, i) * tp_chart_field_value(&b, j) -
                          tp_chart_field_value(&a, j) * tp_chart_field_value(&b, i),
               slope = a.jet[j * size + 1 + i] - a.jet[i * size + 1 + j];
        CHECK_NEAR(tp_form_value(chart, &ab, (int[]){i, j}), expected, 1e-13);
        CHECK_NEAR(tp_form_value(chart, &da, (int[]){i, j}), slope, 1e-13);
    }
    tp_chart_free(chart);
}

/* Claim: Cartan's formula L_X w = X _| dw + d(X _| w), where L_X is computed by its own definition; and L_X
   commutes with d. */
TEST(the_lie_derivative_is_cartans)
{
    check_random random = {14};
    EACH_FORM(n, degree)
    {
        tp_chart *chart = chart_of(n);
        move_randomly(&random, chart, n);
        tp_chart_field w = random_form(&random, chart, n, degree), X = random_vector(&random, chart, n), lie,
                       dw, inner, first, second, sum, lie_dw, d_lie;
        ok(tp_form_lie(chart, &X, &w, &lie));
        ok(tp_form_d(chart, &w, &dw));
        ok(tp_form_interior(chart, &X, &dw, &sum));
        if (degree > 0) {
            first = sum;
            ok(tp_form_interior(chart, &X, &w, &inner));
            ok(tp_form_d(chart, &inner, &second));
            ok(tp_chart_field_add(chart, 1.0, &first, 1.0, &second, &sum));
        }
        CHECK(field_size(&lie) > 1e-3);
        CHECK_NEAR(field_distance(&lie, &sum), 0.0, rounding);
        ok(tp_form_lie(chart, &X, &dw, &lie_dw));
        ok(tp_form_d(chart, &lie, &d_lie));
        CHECK_NEAR(field_distance(&lie_dw, &d_lie), 0.0, rounding);
        tp_chart_free(chart);
    }
}

/* X(f): the derivative of a function along a vector. */
static tp_chart_field along(tp_chart *chart, const tp_chart_field *X, const tp_chart_field *f)
{
    tp_chart_field df, value;
    ok(tp_form_d(chart, f, &df));
    ok(tp_form_interior(chart, X, &df, &value));
    return value;
}

static tp_chart_field evaluate_on(tp_chart *chart, const tp_chart_field *w, const tp_chart_field *X)
{
    tp_chart_field value;
    ok(tp_form_interior(chart, X, w, &value));
    return value;
}

/* Claim (3.45): dw(X,Y) = X(w(Y)) - Y(w(X)) - w([X,Y]). (3.32): [X, fY] = X(f) Y + f [X,Y]. */
TEST(the_bracket_fits_d_and_leibniz)
{
    check_random random = {15};
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 2; n <= 4; n++) {
            tp_chart *chart = chart_of(n);
            move_randomly(&random, chart, n);
            tp_chart_field w = random_form(&random, chart, n, 1), f = random_form(&random, chart, n, 0),
                           X = random_vector(&random, chart, n), Y = random_vector(&random, chart, n), XY, dw,
                           wX, wY, inner, fY, XfY, part, scaled, sum;
            ok(tp_vector_bracket(chart, &X, &Y, &XY));
            ok(tp_form_d(chart, &w, &dw));
            inner = evaluate_on(chart, &dw, &X);
            wX = evaluate_on(chart, &w, &X), wY = evaluate_on(chart, &w, &Y);
            tp_chart_field dw_XY = evaluate_on(chart, &inner, &Y), X_wY = along(chart, &X, &wY),
                           Y_wX = along(chart, &Y, &wX), w_XY = evaluate_on(chart, &w, &XY);
            CHECK_NEAR(tp_chart_field_value(&dw_XY, 0),
                       tp_chart_field_value(&X_wY, 0) - tp_chart_field_value(&Y_wX, 0) -
                           tp_chart_field_value(&w_XY, 0),
                       rounding);
            ok(tp_chart_field_multiply(chart, &f, &Y, &fY));
            ok(tp_vector_bracket(chart, &X, &fY, &XfY));
            tp_chart_field Xf = along(chart, &X, &f);
            ok(tp_chart_field_multiply(chart, &Xf, &Y, &part));
            ok(tp_chart_field_multiply(chart, &f, &XY, &scaled));
            ok(tp_chart_field_add(chart, 1.0, &part, 1.0, &scaled, &sum));
            CHECK_NEAR(field_distance(&XfY, &sum), 0.0, rounding);
            tp_chart_free(chart);
        }
    }
}

/* Claim: Jacobi's identity [X,[Y,Z]] + [Y,[Z,X]] + [Z,[X,Y]] = 0. */
TEST(brackets_obey_jacobi)
{
    check_random random = {16};
    for (int round = 0; round < ROUNDS; round++) {
        tp_chart *chart = chart_of(4);
        move_randomly(&random, chart, 4);
        tp_chart_field v[3], inner, outer[3], two, sum;
        for (int k = 0; k < 3; k++) v[k] = random_vector(&random, chart, 4);
        for (int k = 0; k < 3; k++) {
            ok(tp_vector_bracket(chart, &v[(k + 1) % 3], &v[(k + 2) % 3], &inner));
            ok(tp_vector_bracket(chart, &v[k], &inner, &outer[k]));
        }
        ok(tp_chart_field_add(chart, 1.0, &outer[0], 1.0, &outer[1], &two));
        ok(tp_chart_field_add(chart, 1.0, &two, 1.0, &outer[2], &sum));
        CHECK(field_size(&outer[0]) > 1e-3);
        CHECK_NEAR(field_size(&sum), 0.0, rounding);
        tp_chart_free(chart);
    }
}

/* Claim: X _| (a /\ b) = (X _| a) /\ b + (-1)^k a /\ (X _| b), and X _| X _| w = 0. */
TEST(the_interior_product_is_an_antiderivation)
{
    check_random random = {17};
    for (int round = 0; round < ROUNDS; round++) {
        for (int e = 0; e < 4; e++) {
            int n = 4, k = 1 + e % 2, l = 1 + e / 2;
            tp_chart *chart = chart_of(n);
            move_randomly(&random, chart, n);
            tp_chart_field a = random_form(&random, chart, n, k), b = random_form(&random, chart, n, l),
                           X = random_vector(&random, chart, n), ab, left, Xa, Xb, one, two, sum;
            ok(tp_form_wedge(chart, &a, &b, &ab));
            ok(tp_form_interior(chart, &X, &ab, &left));
            ok(tp_form_interior(chart, &X, &a, &Xa));
            ok(tp_form_interior(chart, &X, &b, &Xb));
            ok(tp_form_wedge(chart, &Xa, &b, &one));
            ok(tp_form_wedge(chart, &a, &Xb, &two));
            ok(tp_chart_field_add(chart, 1.0, &one, k % 2 == 0 ? 1.0 : -1.0, &two, &sum));
            CHECK_NEAR(field_distance(&left, &sum), 0.0, rounding);
            ok(tp_form_interior(chart, &X, &left, &sum));
            CHECK_NEAR(field_size(&sum), 0.0, rounding * 100.0); /* third powers of the fields */
            tp_chart_free(chart);
        }
    }
}

/* A random map from a chart of n coordinates into another, whose point is the image. */
static void random_map(check_random *random, tp_chart *chart, int n, tp_chart *other, int others,
                       tp_chart_field *map, const tp_chart_field **list)
{
    double image[TP_CHART_DIMENSION];
    for (int k = 0; k < others; k++) {
        map[k] = random_form(random, chart, n, 0);
        list[k] = &map[k];
        image[k] = tp_chart_field_value(&map[k], 0);
    }
    tp_chart_move(other, image);
}

/* Claim: pull-backs commute with d and with wedge, also into charts of other dimension. */
TEST(pull_backs_are_natural)
{
    check_random random = {18};
    for (int round = 0; round < ROUNDS; round++) {
        for (int e = 0; e < 27; e++) {
            int n = 2 + e % 3, others = 2 + e / 3 % 3, degree = e / 9;
            if (degree > others) continue;
            tp_chart *chart = chart_of(n), *other = chart_of(others);
            tp_chart_field map[6], w, dw, back, d_back, back_d, a, wa, back_a, wedge, back_wedge;
            const tp_chart_field *list[6];
            move_randomly(&random, chart, n);
            random_map(&random, chart, n, other, others, map, list);
            w = random_form(&random, other, others, degree);
            ok(tp_form_d(other, &w, &dw));
            ok(tp_form_pull_back(chart, list, other, &w, &back));
            ok(tp_form_d(chart, &back, &d_back));
            ok(tp_form_pull_back(chart, list, other, &dw, &back_d));
            double scale = 1.0 + field_size(&back_d);
            CHECK_NEAR(field_distance(&d_back, &back_d) / scale, 0.0, rounding);
            a = random_form(&random, other, others, 1);
            ok(tp_form_wedge(other, &w, &a, &wa));
            ok(tp_form_pull_back(chart, list, other, &wa, &back_wedge));
            ok(tp_form_pull_back(chart, list, other, &a, &back_a));
            ok(tp_form_wedge(chart, &back, &back_a, &wedge));
            CHECK_NEAR(field_distance(&wedge, &back_wedge) / (1.0 + field_size(&wedge)), 0.0, rounding);
            tp_chart_free(chart);
            tp_chart_free(other);
        }
    }
}

/* Claim: the gradients that fields carry are those of differences. */
TEST(derivatives_match_differences)
{
    check_random random = {19};
    tp_chart *chart = chart_of(3);
    text_list texts, vector_texts;
    random_texts(&random, 3, 3, &texts);
    random_texts(&random, 3, 3, &vector_texts);
    const double point[] = {0.3, -0.4, 0.2}, step = 1e-5;
    for (int i = 0; i < 3; i++) {
        tp_chart_field lie[3];
        for (int s = 0; s < 3; s++) {
            tp_chart_field w, X;
            double moved[] = {point[0], point[1], point[2]};
            moved[i] += (s - 1) * step;
            tp_chart_move(chart, moved);
            ok(tp_chart_form(chart, 1, texts.list, &w, NULL));
            ok(tp_chart_vector(chart, vector_texts.list, &X, NULL));
            ok(tp_form_lie(chart, &X, &w, &lie[s]));
        }
        for (int c = 0; c < 3; c++) {
            double slope =
                (tp_chart_field_value(&lie[2], c) - tp_chart_field_value(&lie[0], c)) / (2.0 * step);
            CHECK_NEAR(lie[1].jet[c * 13 + 1 + i], slope,
                       1e-7); /* third derivatives of some 100 times step^2 */
        }
    }
    tp_chart_free(chart);
}

TEST(what_does_not_fit_is_refused)
{
    check_random random = {20};
    tp_chart *chart = chart_of(3), *none = NULL;
    tp_message why;
    tp_chart_field w = random_form(&random, chart, 3, 1), f = random_form(&random, chart, 3, 0), out;
    CHECK_INT(tp_form_interior(chart, &w, &w, &out), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_vector_bracket(chart, &w, &w, &out), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_chart_field_add(chart, 1.0, &w, 1.0, &f, &out), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_chart_form(chart, 4, NULL, &out, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_chart_form(chart, 0, (const char *[]){"x9"}, &out, &why), TP_INVALID_DATA);
    CHECK_INT(tp_chart_create(NULL, 13, coordinate_names, &none, &why), TP_INVALID_ARGUMENT);
    CHECK(none == NULL);
    tp_chart_free(chart);
}

TEST_MAIN(RUNS(d_of_d_is_zero), RUNS(wedge_is_graded_and_associative_and_obeys_leibniz),
          RUNS(components_of_wedge_and_d_are_those_of_the_definition), RUNS(the_lie_derivative_is_cartans),
          RUNS(the_bracket_fits_d_and_leibniz), RUNS(brackets_obey_jacobi),
          RUNS(the_interior_product_is_an_antiderivation), RUNS(pull_backs_are_natural),
          RUNS(derivatives_match_differences), RUNS(what_does_not_fit_is_refused))
