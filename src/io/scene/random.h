/* Random numbers of `repeat`: the same on every machine, because nothing but integers, + - * / and square
   roots makes them; docs/guide/repeat.md. */
#ifndef TP_IO_SCENE_RANDOM_H
#define TP_IO_SCENE_RANDOM_H

#include <stdint.h>

/* A stream is its key: what is mixed in decides all numbers that follow. */
typedef struct tp_random {
    uint64_t state;
} tp_random;

tp_random tp_random_begin(int64_t seed);
void tp_random_mix(tp_random *random, int64_t value);
void tp_random_mix_text(tp_random *random, const char *text);

/* In [0, 1), a multiple of 2^-53. */
double tp_random_uniform(tp_random *random);

/* Normally distributed: mean 0, standard deviation 1. */
double tp_random_normal(tp_random *random);

/* A unit quaternion; all rotations are equally likely. */
void tp_random_rotation(tp_random *random, double quaternion_out[4]);

#endif
