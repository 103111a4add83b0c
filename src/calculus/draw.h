/* Random numbers of the layer: the same on every machine. */
#ifndef TP_CALCULUS_DRAW_H
#define TP_CALCULUS_DRAW_H

#include <stdint.h>

/* Uniform in [-1, 1). */
static inline double tp_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return 2.0 * (double)(z >> 11) * 0x1p-53 - 1.0;
}

#endif
