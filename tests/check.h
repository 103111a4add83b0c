/* A thin layer over cmocka: tests named as sentences, comparisons of doubles in double precision. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TEST(name) static void name(void **check_state_)
#define RUNS(name) cmocka_unit_test(name)
#define TEST_MAIN(...)                                                                                       \
    int main(void)                                                                                           \
    {                                                                                                        \
        const struct CMUnitTest check_tests_[] = {__VA_ARGS__};                                              \
        return cmocka_run_group_tests(check_tests_, NULL, NULL);                                             \
    }

/* Every test begins with this line or uses no state at all. */
#define UNUSED_STATE (void)check_state_

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        (void)check_state_;                                                                                  \
        if (!(condition)) {                                                                                  \
            print_error("%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                       \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

/* |value - expected| <= tolerance; NaN fails. */
#define CHECK_NEAR(value, expected, tolerance)                                                               \
    ((void)check_state_, check_near_((value), (expected), (tolerance), #value, __FILE__, __LINE__))

#define CHECK_INT(value, expected)                                                                           \
    ((void)check_state_, check_int_((long long)(value), (long long)(expected), #value, __FILE__, __LINE__))

static inline void check_near_(double value, double expected, double tolerance, const char *text,
                               const char *file, int line)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%s:%d: %s = %.17g, expected %.17g within %.3g (off by %.3g)\n", file, line, text, value,
                    expected, tolerance, fabs(value - expected));
        fail();
    }
}

static inline void check_int_(long long value, long long expected, const char *text, const char *file,
                              int line)
{
    if (value != expected) {
        print_error("%s:%d: %s = %lld, expected %lld\n", file, line, text, value, expected);
        fail();
    }
}

/* Random numbers of the tests' own: same on every machine, explicit seed. */
typedef struct check_random {
    uint64_t state;
} check_random;

static inline uint64_t check_random_bits(check_random *random)
{
    uint64_t z = (random->state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/* Uniform in [low, high). */
static inline double check_uniform(check_random *random, double low, double high)
{
    return low + (high - low) * ((double)(check_random_bits(random) >> 11) * 0x1p-53);
}

/* Standard normal. */
static inline double check_normal(check_random *random)
{
    double a = check_uniform(random, 1e-300, 1.0), b = check_uniform(random, 0.0, 1.0);
    return sqrt(-2.0 * log(a)) * cos(6.283185307179586 * b);
}

#endif
