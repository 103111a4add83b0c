/* Sets of every kind for property tests, and random points inside and around them. */
#ifndef TESTS_SET_SAMPLES_H
#define TESTS_SET_SAMPLES_H

#include "check.h"
#include "tippe/set.h"

#include <string.h>

enum { SAMPLE_SET_COUNT = 64 };

typedef struct friction_case {
    tp_friction_kind kind;
    int dimension;
    double parameter[3];
} friction_case;

static const friction_case friction_cases[] = {
    {TP_FRICTION_BALL, 1, {0.6, 0, 0}},          {TP_FRICTION_BALL, 2, {0.3, 0, 0}},
    {TP_FRICTION_BALL, 3, {1.4, 0, 0}},          {TP_FRICTION_BALL, 5, {0.8, 0, 0}},
    {TP_FRICTION_ELLIPSOID, 1, {0.4, 0, 0}},     {TP_FRICTION_ELLIPSOID, 2, {0.2, 0.5, 0}},
    {TP_FRICTION_ELLIPSOID, 3, {2.0, 0.7, 0.1}}, {TP_FRICTION_CYLINDER, 3, {0.5, 0.2, 0}},
    {TP_FRICTION_CYLINDER, 4, {0.7, 0.3, 0}},    {TP_FRICTION_CONTENSOU, 3, {0.3, 0.3, 0}},
    {TP_FRICTION_CONTENSOU, 3, {0.9, 0.2, 0}},   {TP_FRICTION_CONTENSOU, 3, {0.2, 1.1, 0}},
    {TP_FRICTION_BRICK, 1, {0.5, 0, 0}},         {TP_FRICTION_BRICK, 3, {0.5, 1.5, 0.2}}};

enum { FRICTION_CASE_COUNT = sizeof friction_cases / sizeof friction_cases[0] };

/* All kinds; returns how many. */
static inline int sample_sets(tp_set *sets_out)
{
    int count = 0;
    sets_out[count++] = tp_set_free(3);
    sets_out[count++] = tp_set_zero(2);
    sets_out[count++] = tp_set_orthant(1);
    sets_out[count++] = tp_set_orthant(4);
    sets_out[count++] = tp_set_interval(-0.5, 0.8);
    sets_out[count++] = tp_set_interval(-INFINITY, 0.3);
    tp_set box = tp_set_interval(-1.0, 0.5);
    double bounds[6] = {-1.0, 0.5, 0.0, INFINITY, -INFINITY, -0.2};
    box.size = 3;
    memcpy(box.parameter, bounds, sizeof bounds);
    sets_out[count++] = box;
    for (int i = 0; i < (int)FRICTION_CASE_COUNT; i++) {
        const friction_case *c = &friction_cases[i];
        sets_out[count++] = tp_set_friction(c->kind, c->dimension, c->parameter);
        tp_set contact = tp_set_contact(c->kind, c->dimension + 1, c->parameter);
        sets_out[count++] = i % 2 == 0 ? contact : tp_set_cone(contact);
        sets_out[count++] = tp_set_dual_cone(contact);
    }
    return count;
}

static inline void random_vector(check_random *random, int n, double spread, double *z_out)
{
    for (int i = 0; i < n; i++) z_out[i] = spread * check_normal(random);
}

/* Smallest s with z in s D by the definition of its kind, written apart from the code under test; CONTENSOU:
   by some of the cylinders whose union it is, hence an upper bound that keeps points inside. */
static inline double sample_gauge(const tp_set *set, const double *z)
{
    const double *p = set->parameter;
    bool is_friction = set->kind == TP_SET_FRICTION;
    int n = is_friction ? set->size : set->size - 1;
    double s = 0.0, a = 0.0, b = 0.0;
    switch (set->friction_kind) {
    case TP_FRICTION_BALL:
        for (int i = 0; i < n; i++) a += z[i] * z[i];
        return sqrt(a) / p[0];
    case TP_FRICTION_ELLIPSOID:
        for (int i = 0; i < n; i++) a += z[i] * z[i] / (p[i] * p[i]);
        return sqrt(a);
    case TP_FRICTION_BRICK:
        for (int i = 0; i < n; i++) s = fmax(s, fabs(z[i]) / p[i]);
        return s;
    case TP_FRICTION_CYLINDER:
        for (int i = 0; i < n; i++) *(i < 2 ? &a : &b) += z[i] * z[i];
        return fmax(sqrt(a) / p[0], sqrt(b) / p[1]);
    case TP_FRICTION_CONTENSOU:
        a = hypot(z[0], z[1]) / p[0];
        b = fabs(z[2]) / p[1];
        s = INFINITY;
        for (int k = 0; k <= 120; k++) { /* the union over u of |t| <= s b_T, |tau| <= s b_tau, closed form */
            double u = tan(1.5707 * k / 120.0), u2 = u * u, f, g;
            if (u <= 1.0) {
                f = 0.29452431127404311 * u * (4.0 - u2);
                g = (3.0 * u2 * u2 - 8.0 * u2 + 8.0) / 8.0;
            } else if (u < 20.0) {
                f = 0.1875 * (u * (4.0 - u2) * asin(1.0 / u) + (u2 + 2.0) * sqrt(u2 - 1.0) / u);
                g = ((3.0 * u2 * u2 - 8.0 * u2 + 8.0) * asin(1.0 / u) + (6.0 - 3.0 * u2) * sqrt(u2 - 1.0)) /
                    12.566370614359173;
            } else {
                f = 1.0 - 0.1 / u2;
                g = 16.0 / 15.0 / u / 3.1415926535897932;
            }
            double need = fmax(a > 0.0 ? a / f : 0.0, b > 0.0 ? b / g : 0.0);
            s = fmin(s, need);
        }
        return s;
    default: fail_msg("no gauge of kind %d here", (int)set->friction_kind); return NAN;
    }
}

/* A random point of the set (scale 1), by the definition of the set, often on its boundary. */
static inline void random_member(check_random *random, const tp_set *set, double *p_out)
{
    int n = set->size;
    bool on_boundary = check_uniform(random, 0.0, 1.0) < 0.6;
    double stretch = on_boundary ? 1.0 : check_uniform(random, 0.0, 1.0);
    random_vector(random, n, 1.0, p_out);
    switch (set->kind) {
    case TP_SET_FREE: break;
    case TP_SET_ZERO:
        for (int i = 0; i < n; i++) p_out[i] = 0.0;
        break;
    case TP_SET_ORTHANT:
        for (int i = 0; i < n; i++) p_out[i] = check_uniform(random, 0.0, 1.0) < 0.3 ? 0.0 : fabs(p_out[i]);
        break;
    case TP_SET_BOX:
        for (int i = 0; i < n; i++)
            p_out[i] = fmin(fmax(2.0 * p_out[i], set->parameter[2 * i]), set->parameter[2 * i + 1]);
        break;
    case TP_SET_FRICTION: {
        double gauge = sample_gauge(set, p_out);
        for (int i = 0; i < n; i++) p_out[i] *= stretch / gauge;
        break;
    }
    case TP_SET_CONTACT:
    case TP_SET_CONE: {
        double gauge = sample_gauge(set, p_out + 1);
        p_out[0] = fabs(p_out[0]);
        for (int i = 1; i < n; i++) p_out[i] *= stretch * p_out[0] / gauge;
        break;
    }
    case TP_SET_DUAL_CONE: {
        /* y_N >= max over D of y_T.p: exact for round sets, a bound from above for the others */
        const double *p = set->parameter;
        double exact = 0.0, bound = 0.0;
        for (int i = 0; i < n - 1; i++) {
            double axis = set->friction_kind == TP_FRICTION_ELLIPSOID ? p[i] : p[0];
            exact = hypot(exact, axis * p_out[1 + i]);
            bound += fabs(p_out[1 + i]) * (p[0] + p[1] + p[2]);
        }
        bool is_round = set->friction_kind == TP_FRICTION_BALL || set->friction_kind == TP_FRICTION_ELLIPSOID;
        p_out[0] = (is_round ? exact : bound) * (on_boundary ? 1.0 + 1e-15 : 1.0 + fabs(p_out[0]));
        break;
    }
    }
}

#endif
