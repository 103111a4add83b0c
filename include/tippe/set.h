/* Convex sets of admissible percussions and the laws -xi in N_C(P) that they make; docs/theory/sets.md. */
#ifndef TIPPE_SET_H
#define TIPPE_SET_H

#include "tippe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_BODY_MAX = 5, /* largest dimension of a body                         */
    TP_SET_MAX = 6   /* largest block with a curved set: normal + body      */
};

/* Compact convex bodies D, symmetric about 0 (-D = D). Parameters p[]:
     BALL       |z| <= p0, any dimension up to TP_BODY_MAX (an interval, a disc, a ball)
     ELLIPSOID  sum (z_k/p_k)^2 <= 1, dimension 1 to 3
     CYLINDER   |(z_0,z_1)| <= p0 and |(z_2,...)| <= p1, dimension 3 or 4 (drilling friction decoupled;
   rolling friction) CONTENSOU  the exact Coulomb-Contensou body of a round Hertz contact, dimension 3: (t1,
   t2, tau), p0 = radius for pure sliding, p1 = half-height for pure drilling (= p0 when tau is scaled by
   Rbar, the convention of problems) BRICK      |z_k| <= p_k, dimension 1 to 3 */
typedef enum tp_shape {
    TP_SHAPE_NONE,
    TP_SHAPE_BALL,
    TP_SHAPE_ELLIPSOID,
    TP_SHAPE_CYLINDER,
    TP_SHAPE_CONTENSOU,
    TP_SHAPE_BRICK
} tp_shape;

/* Laws -xi in N_C(P) on the rows [first, first + size) of a problem:
     FREE       C = R^size: xi = 0, a joint
     ZERO       C = {0}: P = 0, a law switched off
     ORTHANT    C = {P >= 0}: complementarity, row by row
     BOX        C = [l, u] row by row, size 1 to 3, parameter = l0, u0, l1, u1, l2, u2 (infinite bounds
   allowed) BODY       C = s D, D the body of `shape`; s = 1, or the norm of the multipliers of the rows
                [master, master + master_count) when master_count > 0
     CONTACT    exact contact with friction, rows (N, T...): 0 <= P_N _|_ xi_N >= 0, -xi_T in N_{P_N D}(P_T).
                Not an associated law: equivalent to -(xi + s_D(xi_T) e_N) in N_K(P), K = {P_T in P_N D}
     CONE       the associated law -xi in N_K(P), same K (the convex relaxation of CONTACT)
     DUAL_CONE  C = K*, the dual cone {y : y.P >= 0 for all P in K} */
typedef enum tp_set_kind {
    TP_SET_FREE,
    TP_SET_ZERO,
    TP_SET_ORTHANT,
    TP_SET_BOX,
    TP_SET_BODY,
    TP_SET_CONTACT,
    TP_SET_CONE,
    TP_SET_DUAL_CONE
} tp_set_kind;

typedef struct tp_set {
    tp_set_kind kind;
    tp_shape shape;           /* of BODY, CONTACT, CONE, DUAL_CONE                            */
    int first, size;          /* rows in the problem                                          */
    int master, master_count; /* BODY: rows whose norm is its size; count 0: constant size 1  */
    double parameter[6];      /* of the shape (for size 1, e.g. friction mu), or the bounds   */
} tp_set;

/* Constructors; `first` is filled in by whoever lays out the rows. */
tp_set tp_set_free(int size);
tp_set tp_set_zero(int size);
tp_set tp_set_orthant(int size);
tp_set tp_set_interval(double lower, double upper);
tp_set tp_set_ball(int size, double radius);
tp_set tp_set_body(tp_shape shape, int size, const double *parameter, int parameter_count);
tp_set tp_set_following(tp_set body, int master, int master_count); /* the body grows with |P[master...]| */
tp_set tp_set_coulomb(int size, double friction); /* size 2 planar, 3 spatial, 4 with scaled drilling (E_F) */
tp_set tp_set_rolling(double friction, double rolling); /* (N, T1, T2, R1, R2) */
tp_set tp_set_contact(tp_shape shape, int size, const double *parameter, int parameter_count);
tp_set tp_set_cone(tp_set contact); /* the associated law of a contact */
tp_set tp_set_dual_cone(tp_set contact);

/* Name of a kind or a shape, for messages and lists. */
const char *tp_set_kind_name(tp_set_kind kind);
const char *tp_shape_name(tp_shape shape);

/* TP_OK when kind, shape, sizes and parameters fit together and are finite and non-negative where they must
 * be. */
tp_status tp_set_check(const tp_set *set, tp_message *why_out);

/* Size of the set for given multipliers of the whole problem: 1, or the norm over the master rows (P may be
 * NULL without master). */
double tp_set_scale(const tp_set *set, const double *P);

/* The functions below work on the set's own rows: z, p, y are [size]. `scale` is tp_set_scale() (used by BODY
   alone; pass 1 otherwise). For CONTACT the set C is the cone K of CONE. */
bool tp_set_contains(const tp_set *set, double scale, const double *z,
                     double tolerance); /* distance at most tolerance */
void tp_set_project(const tp_set *set, double scale, const double *z,
                    double *p_out); /* nearest point, Euclidean; p_out may be z */
void tp_set_project_recession(const tp_set *set, const double *z,
                              double *p_out); /* nearest point of the recession cone     */
double tp_set_support(const tp_set *set, double scale,
                      const double *y); /* sup of y.p over the set; may be infinite */

/* Nearest point in the metric (p - z)^T U (p - z), U [size*size] column-major, symmetric positive definite.
 */
tp_status tp_set_project_metric(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out);

/* An element of the generalised derivative of tp_set_project with respect to z: J_out [size*size],
 * column-major. */
void tp_set_project_derivative(const tp_set *set, double scale, const double *z, double *J_out);

/* True when xi satisfies -xi in N_C(P) up to a natural-map residual |P - proj(P - xi)| <= tolerance (CONTACT:
 * the exact law). */
bool tp_set_law_holds(const tp_set *set, double scale, const double *P, const double *xi, double tolerance);

#ifdef __cplusplus
}
#endif

#endif
