/* Contacts between balls, four of a colour at once; theory/large-heaps.md (5)-(8). The block of such a
   contact is diagonal, so its law has a closed form. */
#include "backend.h"

#include "base/expect.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <math.h>
#endif

typedef double quad __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE void load_rows(double (*const motion)[8], const int *body, int half, quad *out)
{
    const quad r0 = *(const quad *)(motion[body[0]] + half), r1 = *(const quad *)(motion[body[1]] + half),
               r2 = *(const quad *)(motion[body[2]] + half), r3 = *(const quad *)(motion[body[3]] + half);
    const quad t0 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6),
               t1 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7),
               t2 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6),
               t3 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

/* The ground is never written to: all threads read it. */
INLINE void store_rows(double (*motion)[8], const int *body, int ground, int half, const quad *in)
{
    const quad t0 = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6),
               t1 = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7),
               t2 = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6),
               t3 = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
    if (body[0] != ground) *(quad *)(motion[body[0]] + half) = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    if (body[1] != ground) *(quad *)(motion[body[1]] + half) = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    if (body[2] != ground) *(quad *)(motion[body[2]] + half) = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    if (body[3] != ground) *(quad *)(motion[body[3]] + half) = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

INLINE void root(const quad *in, quad *out)
{
#if defined(__x86_64__)
    const double *x = (const double *)in;
    double *y = (double *)out;
    _mm_store_pd(y, _mm_sqrt_pd(_mm_load_pd(x)));
    _mm_store_pd(y + 2, _mm_sqrt_pd(_mm_load_pd(x + 2)));
#else
    for (int l = 0; l < TP_LANES; l++) (*out)[l] = sqrt((*in)[l]);
#endif
}

#define AT(field)              (*(const quad *)(field))
#define WHERE(condition, a, b) ((quad)(((mask)(a) & (condition)) | ((mask)(b) & ~(condition))))

/* Both bodies move by `step` along the impulse of b. */
INLINE void push(double (*motion)[8], int ground, const tp_ball_group *g, quad *va, quad *vb, quad *wa,
                 quad *wb, const quad *step)
{
    const quad nx = AT(g->n[0]), ny = AT(g->n[1]), nz = AT(g->n[2]);
    const quad turn[3] = {ny * step[2] - nz * step[1], nz * step[0] - nx * step[2],
                          nx * step[1] - ny * step[0]};
    const quad spin_a = wa[3] * AT(g->arm_a), spin_b = wb[3] * AT(g->arm_b);
    for (int d = 0; d < 3; d++) {
        va[d] -= va[3] * step[d];
        vb[d] += vb[3] * step[d];
        wa[d] -= spin_a * turn[d];
        wb[d] -= spin_b * turn[d];
    }
    store_rows(motion, g->body_a, ground, 0, va);
    store_rows(motion, g->body_a, ground, 4, wa);
    store_rows(motion, g->body_b, ground, 0, vb);
    store_rows(motion, g->body_b, ground, 4, wb);
}

INLINE void load_bodies(double (*motion)[8], const tp_ball_group *g, quad *va, quad *vb, quad *wa, quad *wb)
{
    load_rows(motion, g->body_a, 0, va);
    load_rows(motion, g->body_a, 4, wa);
    load_rows(motion, g->body_b, 0, vb);
    load_rows(motion, g->body_b, 4, wb);
}

/* u = v_b - v_a - (arm_b w_b + arm_a w_a) x n + b. */
INLINE void velocity_of(const tp_ball_group *g, const quad *n, const quad *va, const quad *vb, const quad *wa,
                        const quad *wb, quad *u)
{
    const quad arm_a = AT(g->arm_a), arm_b = AT(g->arm_b);
    const quad s[3] = {arm_b * wb[0] + arm_a * wa[0], arm_b * wb[1] + arm_a * wa[1],
                       arm_b * wb[2] + arm_a * wa[2]};
    u[0] = vb[0] - va[0] - (s[1] * n[2] - s[2] * n[1]) + AT(g->b[0]);
    u[1] = vb[1] - va[1] - (s[2] * n[0] - s[0] * n[2]) + AT(g->b[1]);
    u[2] = vb[2] - va[2] - (s[0] * n[1] - s[1] * n[0]) + AT(g->b[2]);
}

#define LARGER(a, b) WHERE((a) > (b), a, b)
#define SQUARE(a)    ((a)[0] * (a)[0] + (a)[1] * (a)[1] + (a)[2] * (a)[2])

/* The square of the error of each contact, as tp_disc_error_squared has it; not a number where a number is
   missing. */
INLINE void error_group(double (*motion)[8], const tp_ball_group *g, double rho, quad *sum)
{
    const quad none = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    const quad n[3] = {AT(g->n[0]), AT(g->n[1]), AT(g->n[2])}, P[3] = {AT(g->P[0]), AT(g->P[1]), AT(g->P[2])},
               mu = AT(g->friction), steep = one + mu * mu;
    quad va[4], vb[4], wa[4], wb[4], u[3], z[3], rest[3], slip, length;
    load_bodies(motion, g, va, vb, wa, wb);
    velocity_of(g, n, va, vb, wa, wb, u);
    const quad u_n = n[0] * u[0] + n[1] * u[1] + n[2] * u[2], P_n = n[0] * P[0] + n[1] * P[1] + n[2] * P[2];
    for (int d = 0; d < 3; d++) {
        u[d] -= u_n * n[d];
        rest[d] = P[d] - P_n * n[d];
        z[d] = rest[d] - u[d] / rho;
    }
    quad square = SQUARE(u);
    root(&square, &slip);
    square = SQUARE(z);
    root(&square, &length);
    const quad x_n = u_n + mu * slip, z_n = P_n - x_n / rho, pulled = (z_n + mu * length) / steep;
    quad normal = LARGER(z_n, none);
    normal = LARGER(normal, pulled);
    const quad limit = mu * normal;
    const mask is_out = length > limit;
    const quad shrink = WHERE(is_out, limit / WHERE(is_out, length, one), one);
    for (int d = 0; d < 3; d++) rest[d] -= shrink * z[d];
    const quad natural = rho * rho * ((P_n - normal) * (P_n - normal) + SQUARE(rest));
    const quad against = (mu * slip - x_n) / steep;
    quad back = LARGER(-x_n, none);
    back = LARGER(back, against);
    const quad reach = mu * back, back_t = WHERE(slip < reach, slip, reach),
               dual = back * back + back_t * back_t;
    *sum += LARGER(natural, dual) + none * (P_n + x_n + length);
}

INLINE void sweep_group(double (*motion)[8], int ground, tp_ball_group *g, double momentum, quad *moved,
                        quad *uphill)
{
    const quad none = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    const quad n[3] = {AT(g->n[0]), AT(g->n[1]), AT(g->n[2])};
    quad va[4], vb[4], wa[4], wb[4], y[3], u[3], q[3], p[3], step[3];
    load_bodies(motion, g, va, vb, wa, wb);
    for (int d = 0; d < 3; d++) {
        const quad P = AT(g->P[d]);
        y[d] = P + momentum * (P - AT(g->before[d]));
    }
    velocity_of(g, n, va, vb, wa, wb, u);

    /* P_N = max(0, y_N - u_N/D_N); P_T = y_T - u_T/D_T, not longer than mu P_N */
    const quad u_n = n[0] * u[0] + n[1] * u[1] + n[2] * u[2], y_n = n[0] * y[0] + n[1] * y[1] + n[2] * y[2],
               inverse_t = AT(g->inverse_t);
    quad normal = y_n - u_n * AT(g->inverse_n);
    normal = (quad)((mask)normal & (normal > none));
    for (int d = 0; d < 3; d++) q[d] = (y[d] - y_n * n[d]) - (u[d] - u_n * n[d]) * inverse_t;
    const quad square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], limit = AT(g->friction) * normal;
    quad length;
    root(&square, &length);
    const mask slides = square > limit * limit;
    const quad shrink = WHERE(slides, limit / WHERE(slides, length, one), one);
    for (int d = 0; d < 3; d++) {
        const quad P = AT(g->P[d]);
        p[d] = normal * n[d] + shrink * q[d];
        step[d] = p[d] - y[d];
        *moved += step[d] * step[d];
        *uphill -= step[d] * (p[d] - P);
        *(quad *)g->before[d] = P;
        *(quad *)g->P[d] = p[d];
    }
    push(motion, ground, g, va, vb, wa, wb, step);
}

/* Bodies of a group are far from those of the one before it: the memory is asked for them some groups ahead.
 */
TP_EXPECTS void expect_bodies(const tp_body_problem *bodies, int k, int end)
{
    if (k >= end) return;
    const tp_ball_group *g = &bodies->groups[k];
    for (int lane = 0; lane < TP_LANES; lane++) {
        tp_expect(bodies->motion[g->body_a[lane]]);
        tp_expect(bodies->motion[g->body_b[lane]]);
    }
}

INLINE tp_sweep_sums sweep(tp_body_problem *bodies, int begin, int end, double momentum)
{
    quad moved = {0.0, 0.0, 0.0, 0.0}, uphill = {0.0, 0.0, 0.0, 0.0};
    for (int k = begin; k < end; k++) {
        expect_bodies(bodies, k + TP_EXPECT_AHEAD, bodies->group_count);
        sweep_group(bodies->motion, bodies->body_count, &bodies->groups[k], momentum, &moved, &uphill);
    }
    return (tp_sweep_sums){(moved[0] + moved[1]) + (moved[2] + moved[3]),
                           (uphill[0] + uphill[1]) + (uphill[2] + uphill[3])};
}

INLINE void push_all(tp_body_problem *bodies, int begin, int end)
{
    for (int k = begin; k < end; k++) {
        const tp_ball_group *g = &bodies->groups[k];
        expect_bodies(bodies, k + TP_EXPECT_AHEAD, bodies->group_count);
        quad va[4], vb[4], wa[4], wb[4], P[3] = {AT(g->P[0]), AT(g->P[1]), AT(g->P[2])};
        load_bodies(bodies->motion, g, va, vb, wa, wb);
        push(bodies->motion, bodies->body_count, g, va, vb, wa, wb, P);
    }
}

INLINE double error_all(const tp_body_problem *bodies, int begin, int end)
{
    quad sum = {0.0, 0.0, 0.0, 0.0};
    for (int k = begin; k < end; k++) {
        expect_bodies(bodies, k + TP_EXPECT_AHEAD, bodies->group_count);
        error_group(bodies->motion, &bodies->groups[k], bodies->local.rho, &sum);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Neither version contracts products and sums: their bits agree. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static tp_sweep_sums sweep_avx2(tp_body_problem *bodies, int begin, int end,
                                                                double momentum)
{
    return sweep(bodies, begin, end, momentum);
}

__attribute__((target("avx2"))) static double error_avx2(const tp_body_problem *bodies, int begin, int end)
{
    return error_all(bodies, begin, end);
}

__attribute__((target("avx2"))) static void push_avx2(tp_body_problem *bodies, int begin, int end)
{
    push_all(bodies, begin, end);
}
#endif

tp_sweep_sums tp_sweep_balls(tp_body_problem *bodies, int begin, int end, double momentum)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return sweep_avx2(bodies, begin, end, momentum);
#endif
    return sweep(bodies, begin, end, momentum);
}

double tp_error_balls(const tp_body_problem *bodies, int begin, int end)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return error_avx2(bodies, begin, end);
#endif
    return error_all(bodies, begin, end);
}

void tp_push_balls(tp_body_problem *bodies, int begin, int end)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        push_avx2(bodies, begin, end);
        return;
    }
#endif
    push_all(bodies, begin, end);
}
