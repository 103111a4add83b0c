/* Relative degrees from Markov parameters; theory/topology.md (1), (2). */
#include "tippe/topology.h"

#include "base/arena.h"
#include "math/analysis.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

/* The parameters D, C B, C A B, ... one after the other. */
typedef struct markov {
    int n, m;
    const double *A, *B, *C, *D;
    double tolerance;
    double *power, *next; /* [n*m] A^k B */
    double *value;        /* [m*m] the present parameter */
    double scale;         /* product of the norms of its factors, at each power relative to |A| = 1 */
} markov;

static double size_of(int count, const double *values)
{
    return values != NULL ? tp_dense_norm(count, values) : 0.0;
}

/* Parameter number r; they are asked for in order. */
static void compute_parameter(markov *p, int r)
{
    int n = p->n, m = p->m;
    if (r == 0) {
        for (int k = 0; k < m * m; k++) p->value[k] = p->D != NULL ? p->D[k] : 0.0;
        p->scale = size_of(m * m, p->D);
        return;
    }
    if (r == 1) {
        memcpy(p->power, p->B, (size_t)(n * m) * sizeof(double));
        p->scale = size_of(m * n, p->C) * size_of(n * m, p->B);
    } else {
        for (int j = 0; j < m; j++) tp_dense_multiply(n, n, p->A, n, p->power + j * n, p->next + j * n);
        double *other = p->power;
        p->power = p->next;
        p->next = other;
        p->scale *= size_of(n * n, p->A);
    }
    for (int j = 0; j < m; j++) tp_dense_multiply(m, n, p->C, m, p->power + j * n, p->value + j * m);
}

static tp_status begin(markov *p, tp_arena *arena)
{
    size_t states = (size_t)p->n * (size_t)p->m;
    TP_ARENA_DOUBLES(arena, states + 1, &p->power, &p->next);
    p->value = TP_ARENA_ARRAY(arena, double, (size_t)p->m *(size_t)p->m + 1);
    return tp_arena_status(arena);
}

/* By the theorem of Cayley and Hamilton all parameters vanish if the first n do. */
static tp_status find_degree(markov *p, const tp_allocator *allocator, int *degree_out)
{
    *degree_out = TP_DEGREE_NONE;
    for (int r = 0; r <= p->n; r++) {
        compute_parameter(p, r);
        if (!(size_of(p->m * p->m, p->value) > p->tolerance * p->scale)) continue;
        int rank;
        TP_TRY(tp_analysis_rank(allocator, p->m, p->m, p->value, p->tolerance, &rank));
        *degree_out = rank == p->m ? r : TP_DEGREE_NOT_UNIFORM;
        return TP_OK;
    }
    return TP_OK;
}

static void find_row_degrees(markov *p, int *degree_out)
{
    for (int j = 0; j < p->m; j++) degree_out[j] = TP_DEGREE_NONE;
    for (int r = 0; r <= p->n; r++) {
        compute_parameter(p, r);
        for (int j = 0; j < p->m; j++) {
            bool is_zero = !(fabs(p->value[j + j * p->m]) > p->tolerance * p->scale);
            if (degree_out[j] == TP_DEGREE_NONE && !is_zero) degree_out[j] = r;
        }
    }
}

tp_status tp_relative_degree(const tp_allocator *allocator, int n, int m, const double *A, const double *B,
                             const double *C, const double *D, double tolerance, int *degree_out)
{
    if (n < 0 || m < 1) return TP_INVALID_ARGUMENT;
    markov p = {.n = n, .m = m, .A = A, .B = B, .C = C, .D = D, .tolerance = tolerance};
    tp_arena arena = tp_arena_make(allocator);
    tp_status status = begin(&p, &arena);
    if (status == TP_OK) status = find_degree(&p, allocator, degree_out);
    tp_arena_clear(&arena);
    return status;
}

tp_status tp_relative_degree_rows(const tp_allocator *allocator, int n, int m, const double *A,
                                  const double *B, const double *C, const double *D, double tolerance,
                                  int *degree_out)
{
    if (n < 0 || m < 1) return TP_INVALID_ARGUMENT;
    markov p = {.n = n, .m = m, .A = A, .B = B, .C = C, .D = D, .tolerance = tolerance};
    tp_arena arena = tp_arena_make(allocator);
    tp_status status = begin(&p, &arena);
    if (status == TP_OK) find_row_degrees(&p, degree_out);
    tp_arena_clear(&arena);
    return status;
}
