/* Claim: numbers are written as "%.17g" of the C library writes them in the C locale, digit by digit. */
#include "check.h"
#include "io/common/text.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool is_written_alike(tp_text *text, double value)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%.17g", value);
    text->count = 0;
    tp_text_add_real(text, value);
    tp_text_add_bytes(text, "", 1);
    bool is_alike = strcmp(text->bytes, expected) == 0;
    if (!is_alike) print_error("%a: %s instead of %s\n", value, text->bytes, expected);
    return is_alike;
}

static double with_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TEST(numbers_of_any_bits_are_written_as_the_c_library_does)
{
    check_random random = {17};
    tp_text text = {0};
    for (int k = 0; k < 300000; k++) {
        double any = with_bits(check_random_bits(&random));
        CHECK(isnan(any) || is_written_alike(&text, any)); /* the sign of nan is the C library's own */
        double near = ldexp(check_uniform(&random, -1.0, 1.0), (int)(check_random_bits(&random) % 80) - 60);
        CHECK(is_written_alike(&text, near));
    }
    tp_text_clear(&text);
}

/* Powers of 10 and 2 and their neighbours, halves of the last digit, few digits, the ends of the range. */
TEST(so_are_edges_and_ties)
{
    tp_text text = {0};
    for (int p = -330; p <= 310; p++) {
        double ten = pow(10.0, p),
               around[] = {ten, nextafter(ten, 0.0), nextafter(ten, INFINITY), 0.5 * ten, 3.0 * ten, -ten};
        for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
            CHECK(is_written_alike(&text, around[i]));
    }
    for (int p = -1080; p <= 1023; p++) {
        double two = ldexp(1.0, p);
        CHECK(is_written_alike(&text, two));
        CHECK(is_written_alike(&text, nextafter(two, 0.0)));
        CHECK(is_written_alike(&text, 3.0 * two));
    }
    /* 17 digits and a half: 2^p/8 of 16 digits before the point, and the like */
    for (int k = 0; k < 4000; k++) {
        double base = 1e15 + k * 1234567.0;
        for (int eighth = 0; eighth < 8; eighth++) CHECK(is_written_alike(&text, base + 0.125 * eighth));
        CHECK(is_written_alike(&text, 0.1 * k));
        CHECK(is_written_alike(&text, 1e-7 * k));
        CHECK(is_written_alike(&text, k / 1024.0));
        CHECK(is_written_alike(&text, ldexp(2.0 * k + 1.0, -60)));
    }
    const double ends[] = {0.0,
                           -0.0,
                           DBL_MIN,
                           DBL_TRUE_MIN,
                           DBL_MAX,
                           INFINITY,
                           -INFINITY,
                           9007199254740991.0,
                           9007199254740992.0,
                           9007199254740993.0,
                           9007199254740990.5,
                           4503599627370495.5,
                           1e15 + 0.5,
                           99999.999999999999,
                           0.0001,
                           0.00009999999999999999};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) CHECK(is_written_alike(&text, ends[i]));
    tp_text_clear(&text);
}

TEST_MAIN(RUNS(numbers_of_any_bits_are_written_as_the_c_library_does), RUNS(so_are_edges_and_ties))
