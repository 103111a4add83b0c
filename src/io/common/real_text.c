/* A number with 17 digits, as "%.17g" writes it in the C locale: a table of them is written twice as fast.
   v = m 2^e has the digits of m 5^k 2^(k + e) with k = 16 - floor(log10 v): whole numbers, exactly. */
#include "io/common/text.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = 17,
    LIMBS = 28,            /* of 32 bits: m 5^340 of the smallest number has 53 + 790 bits */
    FIVES = 13,            /* 5^13 has less than 32 bits */
    SMALLEST_EXPONENT = -4 /* "%g" writes smaller ones */
};

static const double whole_max = 9007199254740992.0; /* 2^53: from here on all numbers are whole */
static const uint64_t smallest = UINT64_C(10000000000000000);

typedef struct whole {
    uint32_t limb[LIMBS];
    int count;
} whole;

static void multiply(whole *number, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limb[i] * factor;
        number->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) number->limb[number->count++] = (uint32_t)carry;
}

/* m 5^power */
static void make_product(uint64_t m, int power, whole *out)
{
    static const uint32_t fives[FIVES + 1] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125};
    out->limb[0] = (uint32_t)m;
    out->limb[1] = (uint32_t)(m >> 32);
    out->count = 2;
    for (; power > FIVES; power -= FIVES) multiply(out, fives[FIVES]);
    multiply(out, fives[power]);
}

/* What a division leaves, of its divisor. */
typedef enum left_over { NOTHING, BELOW_HALF, HALF, ABOVE_HALF } left_over;

static uint32_t limb_of(const whole *number, int i)
{
    return i < number->count ? number->limb[i] : 0;
}

/* The number over 2^shift, below 2^64. */
static uint64_t divide(const whole *number, int shift, left_over *left_out)
{
    int first = shift / 32, bit = shift % 32, half = (shift - 1) / 32, half_bit = (shift - 1) % 32;
    uint64_t low = (uint64_t)limb_of(number, first + 1) << 32 | limb_of(number, first);
    *left_out = NOTHING;
    if (shift == 0) return low;
    uint32_t last = limb_of(number, half), below = last & ((UINT32_C(1) << half_bit) - 1);
    for (int i = 0; i < half && below == 0; i++) below |= limb_of(number, i);
    bool has_half = (last >> half_bit & 1) != 0;
    if (has_half || below != 0) *left_out = !has_half ? BELOW_HALF : below != 0 ? ABOVE_HALF : HALF;
    return bit == 0 ? low : low >> bit | (uint64_t)limb_of(number, first + 2) << (64 - bit);
}

/* 17 digits of 0 < v < 2^53 that is not whole, and the decimal exponent of the first. */
static uint64_t find_digits(double v, int *exponent_out)
{
    const double log10_of_2 = 0.30102999566398120;
    int binary;
    left_over left;
    uint64_t m = (uint64_t)ldexp(frexp(v, &binary), DBL_MANT_DIG); /* v = m 2^(binary - 53) */
    int exponent = (int)floor((binary - 1) * log10_of_2);          /* that of v, or one less */
    int power = DIGITS - 1 - exponent;
    whole number;
    make_product(m, power, &number);
    uint64_t digits = divide(&number, DBL_MANT_DIG - binary - power, &left);
    if (digits >= 10 * smallest) { /* one digit too many */
        int last = (int)(digits % 10);
        if (last != 5) left = last < 5 ? BELOW_HALF : ABOVE_HALF;
        if (last == 5) left = left == NOTHING ? HALF : ABOVE_HALF;
        digits /= 10;
        exponent++;
    }
    digits += left == ABOVE_HALF || (left == HALF && digits % 2 == 1);
    if (digits == 10 * smallest) {
        digits = smallest;
        exponent++;
    }
    *exponent_out = exponent;
    return digits;
}

/* The digits of a whole number, the last at the end of the room; how many. */
static int put_digits(uint64_t value, char *end)
{
    int count = 0;
    do {
        end[-++count] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return count;
}

/* Digits without zeros at the end, with a point, in the form that "%g" gives to their exponent. */
static char *put_real(uint64_t digits, int exponent, char *to)
{
    char text[DIGITS];
    int count = DIGITS;
    put_digits(digits, text + DIGITS);
    while (count > 1 && text[count - 1] == '0') count--;
    bool is_short = exponent >= SMALLEST_EXPONENT && exponent < DIGITS;
    int whole_count = is_short ? exponent + 1 : 1, k = 0;
    if (whole_count <= 0) {
        *to++ = '0';
    } else {
        for (; k < whole_count; k++) *to++ = k < count ? text[k] : '0';
    }
    if (k < count) *to++ = '.';
    for (int zero = whole_count; zero < 0; zero++) *to++ = '0';
    for (; k < count; k++) *to++ = text[k];
    if (is_short) return to;
    char power[8];
    int size = put_digits((uint64_t)abs(exponent), power + sizeof power);
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (size < 2) *to++ = '0';
    memcpy(to, power + sizeof power - size, (size_t)size);
    return to + size;
}

void tp_text_add_real(tp_text *text, double value)
{
    double size = fabs(value);
    char room[64], *to = room;
    if (!(size < whole_max)) { /* also NaN */
        tp_text_add(text, "%.17g", value);
        return;
    }
    if (signbit(value)) *to++ = '-';
    if (size == floor(size)) {
        char digits[DIGITS];
        int count = put_digits((uint64_t)size, digits + DIGITS);
        memcpy(to, digits + DIGITS - count, (size_t)count);
        to += count;
    } else {
        int exponent;
        uint64_t digits = find_digits(size, &exponent);
        to = put_real(digits, exponent, to);
    }
    tp_text_add_bytes(text, room, (size_t)(to - room));
}
