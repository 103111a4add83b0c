/* Ticks of axes: nice, inside the range, and the numbers beside them say where they are. */
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/plot/ticks.h"

/* Reads "−2.5" and "×10⁻³ + 9.81" back: minus sign, raised digits. */
static double read_number(const char *text)
{
    char plain[64];
    size_t used = 0;
    while (*text != '\0' && used < sizeof plain - 1) {
        bool is_minus = strncmp(text, "\xE2\x88\x92", 3) == 0;
        plain[used++] = is_minus ? '-' : *text;
        text += is_minus ? 3 : 1;
        if (plain[used - 1] == ' ' || plain[used - 1] == '+') used--;
    }
    plain[used] = '\0';
    return strtod(plain, NULL);
}

static int read_power(const char **text)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int power = 0, sign = 1;
    if (strncmp(*text, "×10", strlen("×10")) != 0) return 0;
    *text += strlen("×10");
    if (strncmp(*text, "⁻", strlen("⁻")) == 0) *text += strlen("⁻"), sign = -1;
    for (bool is_digit = true; is_digit;) {
        is_digit = false;
        for (int d = 0; d < 10 && !is_digit; d++) {
            is_digit = strncmp(*text, raised[d], strlen(raised[d])) == 0;
            if (is_digit) power = 10 * power + d, *text += strlen(raised[d]);
        }
    }
    return sign * power;
}

/* What a label means, with the factor of the axis. */
static double meaning(const tp_ticks *ticks, int k)
{
    const char *factor = ticks->factor;
    int power = read_power(&factor);
    return read_number(ticks->text[k]) * pow(10.0, power) + read_number(factor);
}

static void check_range(void **check_state_, double low, double high, int wanted)
{
    tp_ticks ticks;
    tp_ticks_linear(low, high, wanted, &ticks);
    CHECK(ticks.count >= 2 && ticks.count <= (wanted > 4 ? wanted + 1 : 5));
    double size = fmax(fabs(low), fabs(high));
    for (int k = 0; k < ticks.count; k++) {
        CHECK(ticks.position[k] >= low && ticks.position[k] <= high);
        CHECK(strlen(ticks.text[k]) <= 12);
        /* The offset has 15 digits; reading, power and sum round once each. */
        CHECK_NEAR(meaning(&ticks, k), ticks.position[k], 1e-14 * size);
    }
    for (int k = 0; k + 1 < ticks.count; k++) {
        double step = ticks.position[k + 1] - ticks.position[k];
        double mantissa = step / pow(10.0, floor(log10(step) + 1e-3));
        double off = fmin(fabs(mantissa - 1), fmin(fabs(mantissa - 2), fabs(mantissa - 5)));
        CHECK_NEAR(off, 0.0, 1e-6 + 4e-16 * size / step * 10);
    }
}

TEST(ticks_are_nice_and_their_numbers_tell_their_places)
{
    check_random random = {7};
    for (int k = 0; k < 20000; k++) {
        double range = pow(10.0, check_uniform(&random, -30, 30));
        double middle = check_normal(&random) * range * pow(10.0, check_uniform(&random, -3, 9));
        check_range(check_state_, middle - range, middle + range, 1 + (int)(check_random_bits(&random) % 12));
    }
}

TEST(usual_ranges_look_as_in_a_paper)
{
    tp_ticks ticks;
    tp_ticks_linear(0.0, 0.5, 6, &ticks);
    CHECK_INT(ticks.count, 6);
    CHECK(strcmp(ticks.text[1], "0.1") == 0 && strcmp(ticks.text[0], "0.0") == 0 && ticks.factor[0] == '\0');
    tp_ticks_linear(-0.003, 0.0004, 4, &ticks);
    CHECK(strcmp(ticks.text[0], "−3") == 0 && strcmp(ticks.factor, "×10⁻³") == 0);
    tp_ticks_linear(9.81, 9.810001, 4, &ticks);
    CHECK(strstr(ticks.factor, "+ 9.81") != NULL);
    tp_ticks_log(1e-16, 2.0, 5, &ticks);
    CHECK_INT(ticks.count, 4);
    CHECK(strcmp(ticks.text[3], "10⁰") == 0 && strcmp(ticks.text[0], "10⁻¹⁵") == 0);
}

TEST(extreme_ranges_do_no_harm)
{
    static const double ends[][2] = {
        {-1.7e308, 1.7e308}, {0, 5e-324}, {1e-310, 3e-310}, {1, 1}, {2, 1}, {NAN, 1}};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        double low = ends[k][0], high = ends[k][1];
        tp_range_widen(&low, &high, 0.05);
        CHECK(low < high && isfinite(low) && isfinite(high));
        tp_ticks ticks;
        tp_ticks_linear(low, high, 5, &ticks);
        CHECK(ticks.count >= 2);
    }
    double low = 5e-324, high = 1.7e308;
    tp_range_widen_log(&low, &high);
    CHECK(low > 0 && isfinite(high));
}

TEST(the_noise_of_rounding_is_drawn_as_a_constant)
{
    double low = 1.0, high = 1.0 + 4e-16;
    tp_range_widen(&low, &high, 0.05);
    CHECK_NEAR(high - low, 0.2, 1e-9);
}

TEST_MAIN(RUNS(ticks_are_nice_and_their_numbers_tell_their_places), RUNS(usual_ranges_look_as_in_a_paper),
          RUNS(extreme_ranges_do_no_harm), RUNS(the_noise_of_rounding_is_drawn_as_a_constant))
