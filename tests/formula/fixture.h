/* What the tests of formulas share: a table of names, compiled formulas, differences of high order. */
#ifndef TESTS_FORMULA_FIXTURE_H
#define TESTS_FORMULA_FIXTURE_H

#include "check.h"
#include "formula/formula.h"
#include "formula/tape.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { FIXTURE_SLOTS = 6 };

/* Variables x y z t x' y' in slots 0 to 5, constants g = 9.81 and arm.length = 2. */
typedef struct fixture {
    tp_arena arena;
    tp_names *names;
    tp_message why;
} fixture;

static inline tp_place fixture_place(void)
{
    return (tp_place){"model.yaml", 7, 11};
}

static inline void fixture_open(fixture *f)
{
    static const char *const variables[FIXTURE_SLOTS] = {"x", "y", "z", "t", "x'", "y'"};
    tp_arena_init(&f->arena, NULL);
    f->why.text[0] = '\0';
    assert_int_equal(tp_names_create(&f->arena, &f->names), TP_OK);
    for (int i = 0; i < FIXTURE_SLOTS; i++) {
        assert_int_equal(tp_names_add_variable(f->names, variables[i], i, fixture_place(), &f->why), TP_OK);
    }
    assert_int_equal(tp_names_add_constant(f->names, "g", 9.81, fixture_place(), &f->why), TP_OK);
    assert_int_equal(tp_names_add_constant(f->names, "arm.length", 2.0, fixture_place(), &f->why), TP_OK);
}

static inline void fixture_close(fixture *f)
{
    tp_arena_clear(&f->arena);
}

/* Is the name taken, by a definition or by the language? */
static inline bool is_known(fixture *f, const char *name)
{
    return tp_names_check_free(f->names, name, fixture_place(), &f->why) != TP_OK;
}

static inline tp_formula *fixture_compile(fixture *f, const char *text)
{
    tp_formula *formula = NULL;
    if (tp_formula_compile(&f->arena, f->names, text, fixture_place(), &formula, &f->why) != TP_OK) {
        print_error("%s: %s\n", text, f->why.text);
        fail();
    }
    return formula;
}

/* Work memory for one formula, from the fixture's arena. */
static inline double *fixture_work(fixture *f, const tp_formula *formula)
{
    double *work = TP_ARENA_ARRAY(&f->arena, double, tp_formula_work_size(formula));
    assert_non_null(work);
    return work;
}

/* First-order bound of the rounding error of a value: each operation is off by one unit, seen through its
   adjoint. */
static inline double rounding_bound(const tp_formula *formula, const double *z, double *work)
{
    double gradient[FIXTURE_SLOTS];
    tp_formula_gradient(formula, z, work, gradient);
    return tp_formula_rounding(formula, work);
}

/* d/ds at 0 of a function by differences of eighth order. `noise` bounds the error of one value of the
   function; error_out bounds that of the result: the noise over the step, and the difference between the
   sixth and the eighth order, which is far larger than the error of the latter. */
typedef double (*path_function)(void *context, double s);

static inline double differentiate_with(path_function function, void *context, double h, double noise,
                                        double *error_out)
{
    static const double eighth[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    static const double sixth[4] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0};
    static const double fourth[4] = {2.0 / 3.0, -1.0 / 12.0, 0.0, 0.0};
    double best = 0.0, other = 0.0, coarse = 0.0;
    for (int k = 0; k < 4; k++) {
        double d = function(context, (k + 1) * h) - function(context, -(k + 1) * h);
        best += eighth[k] * d / h;
        other += sixth[k] * d / h;
        coarse += fourth[k] * d / h;
    }
    *error_out =
        fabs(best - other) + 1e-3 * fabs(other - coarse) + 2.1 * noise / h + 8.0 * DBL_EPSILON * fabs(best);
    return best;
}

/* With the better of two steps: steep functions need a short one. */
static inline double differentiate(path_function function, void *context, double noise, double *error_out)
{
    double short_error, slope = differentiate_with(function, context, 0x1p-6, noise, error_out);
    double short_slope = differentiate_with(function, context, 0x1p-10, noise, &short_error);
    if (*error_out <= short_error) return slope;
    *error_out = short_error;
    return short_slope;
}

static inline void append(char *text, size_t room, const char *more, size_t length)
{
    size_t used = strlen(text);
    assert_true(used + length < room);
    memcpy(text + used, more, length);
    text[used + length] = '\0';
}

/* Appends a random smooth expression over x, y, z, x' whose functions stay inside their domains. */
static inline void append_expression(check_random *random, int depth, char *text, size_t room)
{
    static const char *const leaves[] = {"x", "y", "z", "x'", "0.7", "(x+y)", "1.3"};
    static const char *const patterns[] = {
        "(%s+%s)",
        "(%s-%s)",
        "(%s*%s)",
        "%s/(2+cos(%s))",
        "sin(%s-%s)",
        "cos(%s)*%s",
        "exp(sin(%s))-%s",
        "sqrt(1+%s^2)*%s",
        "log(2+sin(%s))+%s",
        "tanh(%s+%s)",
        "atan(%s)-%s",
        "asin(0.5*sin(%s))*%s",
        "atan2(%s,3+sin(%s))",
        "hypot(%s,2+cos(%s))",
        "(2+sin(%s))^(%s)",
        "(2+cos(%s))^-2*%s",
        "-(%s-%s)^3/5",
        "(2+sin(%s))^1.5-%s",
        "if(%s>50,x,%s)",
        "max(sin(%s)-40,sin(%s))",
        "acos(0.4*cos(%s))+%s",
        "sinh(sin(%s))-cosh(cos(%s))",
        "tan(sin(%s)/2)+%s",
        "unwrap(sin(%s)/2,20)*%s",
    };
    if (depth == 0) {
        const char *leaf = leaves[check_random_bits(random) % (sizeof leaves / sizeof leaves[0])];
        append(text, room, leaf, strlen(leaf));
        return;
    }
    const char *pattern = patterns[check_random_bits(random) % (sizeof patterns / sizeof patterns[0])];
    append(text, room, "(", 1);
    for (const char *hole; (hole = strstr(pattern, "%s")) != NULL; pattern = hole + 2) {
        append(text, room, pattern, (size_t)(hole - pattern));
        append_expression(random, depth - 1, text, room);
    }
    append(text, room, pattern, strlen(pattern));
    append(text, room, ")", 1);
}

static inline void random_expression(check_random *random, int depth, char *text, size_t room)
{
    text[0] = '\0';
    append_expression(random, depth, text, room);
}

static inline void random_point(check_random *random, double *z)
{
    for (int i = 0; i < FIXTURE_SLOTS; i++) z[i] = check_uniform(random, -1.0, 1.0);
}

#endif
