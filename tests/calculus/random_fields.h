/* Charts with random fields: components are sums of products of powers, sines and exponentials. */
#ifndef TESTS_CALCULUS_RANDOM_FIELDS_H
#define TESTS_CALCULUS_RANDOM_FIELDS_H

#include "check.h"
#include "tippe/calculus.h"

enum { FIELD_TEXT = 400, FIELD_COMPONENTS = 216 };

static const char *const coordinate_names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};

static inline tp_chart *chart_of(int n)
{
    tp_chart *chart = NULL;
    if (tp_chart_create(NULL, n, coordinate_names, &chart, NULL) != TP_OK) fail();
    return chart;
}

static inline void move_randomly(check_random *random, tp_chart *chart, int n)
{
    double point[TP_CHART_DIMENSION];
    for (int i = 0; i < n; i++) point[i] = check_uniform(random, -1.0, 1.0);
    tp_chart_move(chart, point);
}

static inline int pick(check_random *random, int n)
{
    return (int)check_uniform(random, 0.0, n);
}

/* Four terms; values, gradients and second derivatives are below some 10 within the unit cube. */
static inline void random_text(check_random *random, int n, char *text)
{
    int at = 0;
    for (int k = 0; k < 4; k++) {
        double c = check_uniform(random, -1.0, 1.0);
        int i = pick(random, n), j = pick(random, n), l = pick(random, n);
        static const char *const shapes[] = {"%s(%.17g)*x%d*x%d*x%d", "%s(%.17g)*sin(x%d + x%d)*x%d",
                                             "%s(%.17g)*exp(0.3*x%d)*x%d^2*cos(x%d)",
                                             "%s(%.17g)*x%d^3*(x%d - x%d)"};
        at += snprintf(text + at, (size_t)(FIELD_TEXT - at), shapes[pick(random, 4)], k > 0 ? " + " : "", c,
                       i, j, l);
    }
}

typedef struct text_list {
    char text[FIELD_COMPONENTS][FIELD_TEXT];
    const char *list[FIELD_COMPONENTS];
} text_list;

static inline const char *const *random_texts(check_random *random, int n, int count, text_list *texts)
{
    for (int k = 0; k < count; k++) {
        random_text(random, n, texts->text[k]);
        texts->list[k] = texts->text[k];
    }
    return texts->list;
}

static inline void ok(tp_status status)
{
    if (status != TP_OK) {
        print_error("status: %s\n", tp_status_text(status));
        fail();
    }
}

static inline int binomial(int n, int k)
{
    int result = 1;
    for (int i = 0; i < k; i++) result = result * (n - i) / (i + 1);
    return result;
}

static inline tp_chart_field random_form(check_random *random, tp_chart *chart, int n, int degree)
{
    text_list texts;
    tp_chart_field form;
    ok(tp_chart_form(chart, degree, random_texts(random, n, binomial(n, degree), &texts), &form, NULL));
    return form;
}

static inline tp_chart_field random_vector(check_random *random, tp_chart *chart, int n)
{
    text_list texts;
    tp_chart_field vector;
    ok(tp_chart_vector(chart, random_texts(random, n, n, &texts), &vector, NULL));
    return vector;
}

/* Largest difference of the values and, where both have them, of the gradients. */
static inline double field_distance(const tp_chart_field *a, const tp_chart_field *b)
{
    double most = a->count == b->count ? 0.0 : INFINITY;
    int n = a->dimension, size = 1 + n + n * n, used = a->order > 0 && b->order > 0 ? 1 + n : 1;
    for (int c = 0; c < a->count && c < b->count; c++) {
        for (int k = 0; k < used; k++) most = fmax(most, fabs(a->jet[c * size + k] - b->jet[c * size + k]));
    }
    return most;
}

static inline double field_size(const tp_chart_field *a)
{
    double most = 0.0;
    int n = a->dimension, size = 1 + n + n * n;
    for (int c = 0; c < a->count; c++) {
        for (int k = 0; k < (a->order > 0 ? 1 + n : 1); k++) most = fmax(most, fabs(a->jet[c * size + k]));
    }
    return most;
}

#endif
