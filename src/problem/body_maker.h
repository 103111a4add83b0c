/* What the files that make problems of bodies share; theory/large-heaps.md. */
#ifndef TP_PROBLEM_BODY_MAKER_H
#define TP_PROBLEM_BODY_MAKER_H

#include "body_problem.h"

/* Contacts that one task reads or fills, and unknowns of bodies. */
enum { TP_BODY_CHUNK = 1024, TP_BODY_UNKNOWNS = 6 * TP_BODY_CHUNK };

/* What is kept of a law: bodies, and arms of balls; negative: of none. */
typedef struct tp_body_pair {
    int body_a, body_b;
    double arm_a, arm_b;
} tp_body_pair;

/* One law, as it stands in A: its rows over the velocities and spins of both bodies. */
typedef struct tp_body_law {
    double a[3][6], b[3][6];
    int body_a, body_b;
} tp_body_law;

typedef struct tp_body_chunk {
    double diagonal, square, inertia; /* of G: sums */
    bool is_wrong, no_ball;
} tp_body_chunk;

typedef struct tp_body_maker {
    const tp_problem *problem, *data; /* whose sets and b, whose M, A, f and D */
    const int *row;                   /* of the problem in the data; NULL: the same */
    tp_body_problem *out;
    tp_body_pair *pairs;
    int *first_of;        /* [body_count] the first contact of a body */
    double (*largest)[6]; /* [body_count] entry in each row of M */
    tp_body_chunk *chunks;
    double *c;
    int *local; /* [bodies of the rows] of balls: numbers of bodies here */
} tp_body_maker;

static inline int tp_body_chunks(int n)
{
    return (n + TP_BODY_CHUNK - 1) / TP_BODY_CHUNK;
}

static inline int tp_body_chunk_end(int number, int n)
{
    return (number + 1) * TP_BODY_CHUNK < n ? (number + 1) * TP_BODY_CHUNK : n;
}

static inline double tp_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void tp_cross3(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void tp_body_apply_inertia(const double *inverse, const double *h, double *out)
{
    out[0] = inverse[0] * h[0] + inverse[1] * h[1] + inverse[2] * h[2];
    out[1] = inverse[1] * h[0] + inverse[3] * h[1] + inverse[4] * h[2];
    out[2] = inverse[2] * h[0] + inverse[4] * h[1] + inverse[5] * h[2];
}

static inline int tp_body_number(const tp_body_problem *out, int j)
{
    return out->number != NULL ? out->number[j] : j;
}

/* Pairs, sums of chunks (zeros) and motions, the ground at rest. */
tp_status tp_body_take(tp_body_maker *maker, int chunks, tp_stack *stack);

/* A law of the data. The first body that it touches is b; false: it touches three, or not as a contact of two
   bodies does. */
bool tp_body_read_law(const tp_body_maker *maker, int i, tp_body_law *out);

/* Phases, tasks and places of the pairs; then contacts, c and measures. */
tp_status tp_body_order(tp_body_maker *maker, tp_stack *stack);
tp_status tp_body_fill(tp_body_maker *maker, tp_pool *pool, tp_stack *stack);

/* Bodies and pairs from rows of balls. */
tp_status tp_body_read_balls(tp_body_maker *maker, const tp_unknowns *unknowns, tp_pool *pool,
                             tp_stack *stack);

#endif
