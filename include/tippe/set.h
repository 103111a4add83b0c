/* Convex sets of admissible impulses and the laws -xi in N_C(P) that they make; docs/theory/sets.md. */
#ifndef TIPPE_SET_H
#define TIPPE_SET_H

#include "tippe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TP_FRICTION_MAX = 5, /* largest dimension of a friction set                  */
    TP_SET_MAX = 6       /* largest block with a curved set: normal + friction   */
};

/* clang-format off */
/* Friction sets D: compact, convex, symmetric about 0 (-D = D). One line for each kind, with the descriptor
   that its file in src/set/ defines. Parameters p[]:
     BALL       |z| <= p0, any dimension up to TP_FRICTION_MAX (an interval, a disc, a ball)
     ELLIPSOID  sum (z_k/p_k)^2 <= 1, dimension 1 to 3
     CYLINDER   |(z_0,z_1)| <= p0 and |(z_2,...)| <= p1, dimension 3 (drilling decoupled) or 4 (rolling)
     CONTENSOU  the exact Coulomb-Contensou set of a round Hertz contact, dimension 3: (t1, t2, tau),
                p0 = radius for pure sliding, p1 = half-height for pure drilling
                (= p0 when tau is scaled by Rbar, the convention of problems)
     BRICK      |z_k| <= p_k, dimension 1 to 3
     NONE       of laws without friction */
#define TP_FRICTION_LIST(X)   \
    X(NONE, none)             \
    X(BALL, ball)             \
    X(ELLIPSOID, ellipsoid)   \
    X(CYLINDER, cylinder)     \
    X(CONTENSOU, contensou)   \
    X(BRICK, brick)
#define TP_FRICTION_ENUMERATOR(KIND, descriptor) TP_FRICTION_##KIND,
typedef enum tp_friction_kind { TP_FRICTION_LIST(TP_FRICTION_ENUMERATOR) TP_FRICTION_KINDS } tp_friction_kind;
/* clang-format on */

/* clang-format off */
/* Laws -xi in N_C(P) on the rows [first, first + size) of a problem:
     FREE       C = R^size: xi = 0, a joint
     ZERO       C = {0}: P = 0, a law switched off
     ORTHANT    C = {P >= 0}: complementarity, row by row
     BOX        C = [l, u] row by row, size 1 to 3, parameter = l0, u0, l1, u1, l2, u2 (infinite bounds allowed)
     FRICTION   C = s D, D the friction set; s = 1, or the norm of the multipliers of the rows
                [master, master + master_count) when master_count > 0
     CONTACT    exact contact with friction, rows (N, T...): 0 <= P_N _|_ xi_N >= 0, -xi_T in N_{P_N D}(P_T).
                Not an associated law: equivalent to -(xi + s_D(xi_T) e_N) in N_K(P), K = {P_T in P_N D}
     CONE       the associated law -xi in N_K(P), same K (the convex relaxation of CONTACT)
     DUAL_CONE  C = K*, the dual cone {y : y.P >= 0 for all P in K} */
/* clang-format on */
typedef enum tp_set_kind {
    TP_SET_FREE,
    TP_SET_ZERO,
    TP_SET_ORTHANT,
    TP_SET_BOX,
    TP_SET_FRICTION,
    TP_SET_CONTACT,
    TP_SET_CONE,
    TP_SET_DUAL_CONE
} tp_set_kind;

typedef struct tp_set {
    tp_set_kind kind;
    tp_friction_kind friction_kind; /* of FRICTION, CONTACT, CONE, DUAL_CONE                            */
    int first, size;                /* rows in the problem                                              */
    int master, master_count;       /* FRICTION: rows whose norm is its size; count 0: constant size 1  */
    double parameter[6];            /* of the friction set of size 1, e.g. mu, or the bounds            */
} tp_set;

/* Constructors; `first` is filled in by whoever lays out the rows. */
tp_set tp_set_free(int size);
tp_set tp_set_zero(int size);
tp_set tp_set_orthant(int size);
tp_set tp_set_interval(double lower, double upper);
tp_set tp_set_ball(int size, double radius);
tp_set tp_set_friction(tp_friction_kind kind, int size, const double *parameter);
tp_set tp_set_following(tp_set friction, int master, int master_count); /* grows with |P[master...]| */
tp_set tp_set_coulomb(int size, double friction); /* 2 planar, 3 spatial, 4 with scaled drilling (E_F) */
tp_set tp_set_rolling(double friction, double rolling); /* (N, T1, T2, R1, R2) */
tp_set tp_set_contact(tp_friction_kind kind, int size, const double *parameter);
tp_set tp_set_cone(tp_set contact); /* the associated law of a contact */
tp_set tp_set_dual_cone(tp_set contact);

/* Names for messages and lists. */
const char *tp_set_kind_name(tp_set_kind kind);
const char *tp_friction_kind_name(tp_friction_kind kind);

/* TP_OK when kinds, sizes and parameters fit together and are finite and non-negative where they must
 * be. */
tp_status tp_set_check(const tp_set *set, tp_message *why_out);

/* Size of the set for given multipliers of the whole problem: 1, or the norm over the master rows (P may be
 * NULL without master). */
double tp_set_scale(const tp_set *set, const double *P);

/* The functions below work on the set's own rows: z, p, y are [size]. `scale` is tp_set_scale() (used by
   FRICTION alone; pass 1 otherwise). For CONTACT the set C is the cone K of CONE. A NaN in z gives a NaN in
   p. */

/* Distance at most tolerance. */
bool tp_set_contains(const tp_set *set, double scale, const double *z, double tolerance);

/* Nearest point, Euclidean; p_out may be z. */
void tp_set_project(const tp_set *set, double scale, const double *z, double *p_out);

/* Nearest point of the recession cone; p_out may be z. */
void tp_set_project_recession(const tp_set *set, const double *z, double *p_out);

/* Supremum of y.p over the set; may be infinite. */
double tp_set_support(const tp_set *set, double scale, const double *y);

/* Nearest point in the metric (p - z)^T U (p - z), U [size*size] column-major, symmetric positive definite;
   p_out must not be z. TP_SINGULAR when U is not definite, TP_NOT_CONVERGED when an iteration ended above
   1e-13 |z| (p_out is then its best point). */
tp_status tp_set_project_metric(const tp_set *set, double scale, const double *U, const double *z,
                                double *p_out);

/* An element of the generalised derivative of tp_set_project with respect to z: J_out [size*size],
 * column-major. */
void tp_set_project_derivative(const tp_set *set, double scale, const double *z, double *J_out);

/* True when p lies in the set and v in its normal cone in the metric U [size*size], N^U(p) = U^-1 N(p), up to
   |p - proj(p + U v/|U|)| <= tolerance; U NULL: the Euclidean one. For CONTACT: of its cone K. */
bool tp_set_normal_contains(const tp_set *set, double scale, const double *U, const double *p,
                            const double *v, double tolerance);

/* True when xi satisfies -xi in N_C(P) up to a natural-map residual |P - proj(P - xi)| <= tolerance (CONTACT:
   the exact law). */
bool tp_set_law_holds(const tp_set *set, double scale, const double *P, const double *xi, double tolerance);

/* The set A^-1 C for A = diag(factor), factor [size] > 0: with P = A P^ and xi^ = A xi the law is the same,
   so a solver may scale rows to make an ellipsoid a ball. TP_UNSUPPORTED when the result is none of the
   kinds above (a cylinder whose cross-section becomes an ellipse). The size of a set that follows masters
   stays their norm in the old rows. */
tp_status tp_set_transform(const tp_set *set, const double *factor, tp_set *set_out);

/* ---- Coulomb's law as a limit of associated laws; docs/theory/sets.md section 6 ----

   In the metric U_eps = diag(1/eps, 1, ..., 1) on the rows (N, T...) of a contact the law -xi in
   N_K^{U_eps}(P) is the associated one for eps = 1 and Coulomb's in the limit eps -> +0. */

/* One coordinate of a limit cone: x = 0, x <= 0, x >= 0, or free. */
typedef enum tp_side { TP_SIDE_ZERO, TP_SIDE_NEGATIVE, TP_SIDE_POSITIVE, TP_SIDE_ANY } tp_side;

/* The cones that can appear in the plane: a half-line, a quadrant, a half-plane along the axes. */
typedef struct tp_limit_cone {
    tp_side x, y;
} tp_limit_cone;

/* lim diag(1, eps) cone{g1, g2} for eps -> +0; g1, g2 [2] span a pointed cone (a half-line when parallel).
   TP_INVALID_ARGUMENT when one is 0 or they are opposite. */
tp_status tp_limit_cone_of_planar(const double *g1, const double *g2, tp_limit_cone *limit_out);
bool tp_limit_cone_contains(const tp_limit_cone *cone, const double *v, double tolerance);

/* v [size] in lim N_K^{U_eps}(P): {0} inside K, the tangential normals of P_N D on its boundary, the
   half-space v_N <= 0 at the apex, nothing outside. -xi in it is the exact contact law. */
bool tp_contact_limit_normal_contains(const tp_set *contact, const double *P, const double *v,
                                      double tolerance);

/* R = 0 [size] if and only if the exact law holds, rho > 0 turns velocities into impulses:
   R_N = P_N - max(0, P_N - rho xi_N),  R_T = P_T - proj_{max(0, P_N - rho xi_N) D}(P_T - rho xi_T). */
void tp_contact_natural_residual(const tp_set *contact, double rho, const double *P, const double *xi,
                                 double *R_out);

/* R = P - proj_K(P - rho (xi + (1 - eps) s_D(xi_T) e_N)): the exact law for eps = 0, the associated one for
   eps = 1, the law in the metric U_eps between. */
void tp_contact_cone_residual(const tp_set *contact, double rho, double eps, const double *P,
                              const double *xi, double *R_out);

/* lim proj_K^{U_eps}(r): P_N = max(0, r_N), P_T = proj_{P_N D}(r_T). P_out may be r. */
void tp_contact_project_limit(const tp_set *contact, const double *r, double *P_out);

/* The exact solution of one contact xi = A P - b whose A [size*size] couples no normal and tangential rows
   (else TP_UNSUPPORTED): first the normal, then the tangential rows in their own metric. */
tp_status tp_contact_solve_decoupled(const tp_set *contact, const double *A, const double *b, double *P_out);

/* The same for several contacts, [rows] in the order of the contacts, A [rows*rows] symmetric positive
   definite: first all normal rows together, then all tangential rows. TP_NOT_CONVERGED: above 1e-14 |P|. */
tp_status tp_contacts_solve_decoupled(int count, const tp_set *contacts, const double *A, const double *b,
                                      double *P_out);

/* Sign of the first of some numbers that is larger than its tolerance, in order; 0: none is. For a gap and
   its derivatives: 1 it opens, -1 it is penetrated, 0 it stays closed up to this order. */
int tp_lex_sign(int count, const double *x, double tolerance);

/* ---- penalty models, to compare with; docs/theory/relaxed-dai.md (16)-(19) ----

   A spring of stiffness K with damping time beta stands for a law. Its deflection e is a state: under load
   the law is missed by force over stiffness. */
typedef struct tp_penalty {
    double stiffness;    /* K [N/m]                                                      */
    double damping_time; /* beta [s], above 0                                            */
    double yielding; /* eta of contacts: time in which e follows the gap [s], below beta; beta - eta damps */
} tp_penalty;

/* Force of an equation: position g and its rate (of a velocity: g is minus the integral, e = -g). */
double tp_penalty_equality(const tp_penalty *penalty, double g, double rate);

/* Friction with its set, at slip velocity v [size]: force on the body and e' [size]. */
void tp_penalty_friction(const tp_penalty *penalty, const tp_set *friction, double scale, const double *e,
                         const double *v, double *force_out, double *rate_out);

/* Normal force of a contact, and e'. */
double tp_penalty_contact(const tp_penalty *penalty, double gap, double e, double *rate_out);

/* A whole contact in an implicit Euler step h: gap and slip velocity [size - 1] at the end of the step,
   deflections e [size] of its start and end, force [size]. */
void tp_penalty_contact_step(const tp_penalty *penalty, const tp_set *contact, double h, double gap,
                             const double *v, double *e_io, double *force_out);

#ifdef __cplusplus
}
#endif

#endif
