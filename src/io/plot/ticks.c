/* Ticks are whole numbers times a power of ten: v = n 10^k. Labels are made from n, so that they are exact.
 */
#include "ticks.h"

#include "io/common/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const char minus_sign[] = "\xE2\x88\x92";

/* Numbers as plain decimals from 0.01 up to 99999, with at most so many digits before and after the point;
   beyond this they get a common factor or an offset. */
enum { PLAIN_EXPONENT_MIN = -2, PLAIN_EXPONENT_MAX = 4, DECIMALS_MAX = 4, DIGITS_MAX = 5 };

/* n 10^k for a whole n: one rounding. */
static double times_power(double n, int k)
{
    return k >= 0      ? n * pow(10.0, k)
           : k >= -300 ? n / pow(10.0, -k)
                       : n / pow(10.0, 300) / pow(10.0, -k - 300);
}

static void append_number(char *text, size_t capacity, double value, int decimals)
{
    tp_append(text, capacity, "%s%.*f", value < 0.0 ? minus_sign : "", decimals, fabs(value));
}

static void append_power(char *text, size_t capacity, int exponent)
{
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[16];
    tp_append(text, capacity, "10%s", exponent < 0 ? "\xE2\x81\xBB" : "");
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *d = digits; *d != '\0'; d++) tp_append(text, capacity, "%s", raised[*d - '0']);
}

/* The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
static int choose_step(double least, int *exponent_out)
{
    static const int mantissas[] = {1, 2, 5};
    int exponent = (int)floor(log10(least)) - 1;
    for (;; exponent++) {
        for (int m = 0; m < 3; m++) {
            if (times_power(mantissas[m], exponent) >= least * (1.0 - 1e-9)) {
                *exponent_out = exponent;
                return mantissas[m];
            }
        }
    }
}

/* Offset, common power and decimals of the labels of the ticks n 10^k. */
typedef struct tick_format {
    double offset; /* in units of 10^k, a whole number */
    int k, power, decimals;
} tick_format;

/* Exponent of the first digit of n 10^k. */
static int leading_exponent(double n, int k)
{
    return n > 0.0 ? (int)floor(log10(n) + 1e-12) + k : k;
}

static tick_format choose_format(double first, double last, int k)
{
    tick_format format = {0.0, k, 0, 0};
    double largest = fmax(fabs(first), fabs(last));
    if (leading_exponent(largest, k) - k > DIGITS_MAX) {
        format.offset = trunc(first / 1000.0) * 1000.0;
        largest = fmax(fabs(first - format.offset), fabs(last - format.offset));
    }
    int leading = leading_exponent(largest, k);
    bool is_plain = largest == 0.0 || (leading >= PLAIN_EXPONENT_MIN && leading <= PLAIN_EXPONENT_MAX);
    if (!is_plain || -k > DECIMALS_MAX) format.power = (int)(3.0 * floor(leading / 3.0));
    format.decimals = format.power - k > 0 ? format.power - k : 0;
    return format;
}

static void write_factor(const tick_format *format, char *text, size_t capacity)
{
    text[0] = '\0';
    if (format->power != 0) {
        tp_append(text, capacity, "\xC3\x97");
        append_power(text, capacity, format->power);
    }
    if (format->offset == 0.0) return;
    const char *space = format->power != 0 ? " " : "";
    tp_append(text, capacity, "%s%s%s%.15g", space, format->offset < 0.0 ? minus_sign : "+", space,
              times_power(fabs(format->offset), format->k));
}

/* Fills in the ticks for one step; false if there are fewer than two, from which nobody can read a scale. */
static bool try_step(double low, double high, int mantissa, int k, tp_ticks *ticks_out)
{
    double step = times_power(mantissa, k);
    double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
    tick_format format = choose_format(first * mantissa, last * mantissa, k);
    *ticks_out = (tp_ticks){0};
    for (double i = first; i <= last && ticks_out->count < TP_TICKS_MAX; i += 1.0) {
        int t = ticks_out->count++;
        double n = i * mantissa;
        ticks_out->position[t] = fmin(fmax(times_power(n, k), low), high);
        append_number(ticks_out->text[t], TP_TICK_TEXT, times_power(n - format.offset, k - format.power),
                      format.decimals);
    }
    write_factor(&format, ticks_out->factor, sizeof ticks_out->factor);
    return ticks_out->count >= 2;
}

void tp_ticks_linear(double low, double high, int wanted, tp_ticks *ticks_out)
{
    *ticks_out = (tp_ticks){0};
    wanted = wanted < 1 ? 1 : wanted > TP_TICKS_MAX - 2 ? TP_TICKS_MAX - 2 : wanted;
    for (bool is_done = false; !is_done && wanted <= TP_TICKS_MAX - 2; wanted++) {
        double least = high / wanted - low / wanted; /* the difference alone may overflow */
        if (!(least > 0.0) || !isfinite(least)) return;
        int k, mantissa = choose_step(least, &k);
        is_done = try_step(low, high, mantissa, k, ticks_out);
    }
}

void tp_ticks_log(double low, double high, int wanted, tp_ticks *ticks_out)
{
    *ticks_out = (tp_ticks){0};
    if (wanted < 2) wanted = 2;
    int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9);
    static const int nice[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    int n = 0;
    while (n < 8 && (last - first) / nice[n] + 1 > wanted) n++;
    int begin = (int)ceil((double)first / nice[n]) * nice[n];
    for (int k = begin; k <= last && ticks_out->count < TP_TICKS_MAX; k += nice[n]) {
        int t = ticks_out->count++;
        ticks_out->position[t] = times_power(1.0, k);
        append_power(ticks_out->text[t], TP_TICK_TEXT, k);
    }
}

void tp_range_widen(double *low, double *high, double air)
{
    if (!(*low <= *high)) {
        *low = 0.0, *high = 1.0;
        return;
    }
    double size = fmax(fabs(*low), fabs(*high));
    double range = *high - *low;
    if (range <= 64.0 * DBL_EPSILON * size || range < 1e-290) { /* rounding noise is not worth a picture */
        double around = size > 1e-290 ? 0.1 * size : 1.0;
        *low -= around, *high += around;
    } else {
        *low -= air * range, *high += air * range;
    }
    *low = fmax(*low, -0.5 * DBL_MAX), *high = fmin(*high, 0.5 * DBL_MAX);
}

void tp_range_widen_log(double *low, double *high)
{
    if (!(*low <= *high)) {
        *low = 0.1, *high = 1.0;
        return;
    }
    double first = fmax(log10(*low), -306.0), last = fmin(log10(*high), 306.0);
    if (last - first < 1.0) first = floor(first), last = fmax(ceil(last), first + 1.0);
    double air = 0.05 * (last - first); /* a curve along the frame would be half hidden */
    *low = pow(10.0, fmax(first - air, -307.0)), *high = pow(10.0, fmin(last + air, 308.0));
}
