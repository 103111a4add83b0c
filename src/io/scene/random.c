/* SplitMix64 (Steele, Lea, Flood 2014) and what is drawn from it. */
#include "io/scene/random.h"

#include <math.h>
#include <stdbool.h>

static const uint64_t golden = 0x9E3779B97F4A7C15u; /* 2^64 divided by the golden ratio */

static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void tp_random_mix(tp_random *random, int64_t value)
{
    random->state = scramble(scramble(random->state + golden) + (uint64_t)value);
}

tp_random tp_random_begin(int64_t seed)
{
    tp_random random = {0};
    tp_random_mix(&random, seed);
    return random;
}

void tp_random_mix_text(tp_random *random, const char *text)
{
    for (; *text; text++) tp_random_mix(random, (unsigned char)*text);
}

double tp_random_uniform(tp_random *random)
{
    random->state += golden;
    return (double)(scramble(random->state) >> 11) * 0x1p-53;
}

/* True with probability exp(-x), 0 <= x <= 1: a falling run of uniform numbers below x has even length so
   often (von Neumann 1951). */
static bool happens(tp_random *random, double x)
{
    bool is_even = true;
    for (double last = x, next; (next = tp_random_uniform(random)) < last; last = next) is_even = !is_even;
    return is_even;
}

/* The same for exp(-n x). */
static bool happens_each_time(tp_random *random, double x, int n)
{
    while (n > 0 && happens(random, x)) n--;
    return n == 0;
}

/* Karney (2016): a whole part k with probability in proportion to exp(-k^2/2), a fraction x that is accepted
   with probability exp(-x(2k + x)/2), and a sign. */
double tp_random_normal(tp_random *random)
{
    for (;;) {
        int k = 0;
        while (happens(random, 0.5)) k++;
        if (!happens_each_time(random, 0.5, k * (k - 1))) continue;
        double x = tp_random_uniform(random);
        if (!happens_each_time(random, x * (2 * k + x) / (2 * k + 2), k + 1)) continue;
        return tp_random_uniform(random) < 0.5 ? -(k + x) : k + x;
    }
}

/* A point of the unit disc; returns the square of its radius. */
static double draw_disc(tp_random *random, double point_out[2])
{
    for (;;) {
        double x = 2.0 * tp_random_uniform(random) - 1.0, y = 2.0 * tp_random_uniform(random) - 1.0;
        double square = x * x + y * y;
        point_out[0] = x;
        point_out[1] = y;
        if (square > 0.0 && square < 1.0) return square;
    }
}

/* Marsaglia (1972): a point of the unit sphere in four dimensions from two discs. */
void tp_random_rotation(tp_random *random, double quaternion_out[4])
{
    double a = draw_disc(random, quaternion_out), b = draw_disc(random, quaternion_out + 2);
    double stretch = sqrt((1.0 - a) / b);
    quaternion_out[2] *= stretch;
    quaternion_out[3] *= stretch;
}
