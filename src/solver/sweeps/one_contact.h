/* All solutions of one contact with friction; docs/theory/one-contact.md. */
#ifndef TP_SOLVER_SWEEPS_ONE_CONTACT_H
#define TP_SOLVER_SWEEPS_ONE_CONTACT_H

#include "tippe/set.h"

typedef enum tp_contact_mode { TP_CONTACT_OPEN, TP_CONTACT_STICK, TP_CONTACT_SLIP } tp_contact_mode;

enum { TP_CONTACT_MAX_SOLUTIONS = 8 };

typedef struct tp_contact_solution {
    tp_contact_mode mode;
    double P[3], xi[3]; /* N, T1, T2 (planar: N, T) */
    double alpha;       /* slip: xi_T = -alpha P_T, else 0 */
} tp_contact_solution;

/* All P with xi = G P + c in the law of friction mu >= 0. G [9] column-major in the order N, T1, T2, perhaps
   unsymmetric or singular. epsilon = 0 is Coulomb's law, 1 the associated one, between them slip has
   xi_N = epsilon mu |xi_T|. Returns how many, in the order stick, slip (by growing P_N), open. Where a
   singular G has a continuum of sticking solutions one of them is given. */
int tp_contact_all_solutions(const double *G, const double c[3], double mu, double epsilon,
                             tp_contact_solution solutions_out[TP_CONTACT_MAX_SOLUTIONS]);

/* The slipping solutions alone (P_N > 0). */
int tp_contact_slip_solutions(const double *G, const double c[3], double mu, double epsilon,
                              tp_contact_solution solutions_out[TP_CONTACT_MAX_SOLUTIONS]);

/* The same for a planar contact, rows N, T, G [4]: at most four solutions. */
int tp_planar_contact_all_solutions(const double *G, const double c[2], double mu, double epsilon,
                                    tp_contact_solution solutions_out[TP_CONTACT_MAX_SOLUTIONS]);

/* Friction of a CONTACT set as a disc: rows T scaled by `stretch` make it one of radius mu. False for shapes
   that are not a ball or an ellipsoid with positive axes. Planar contacts have stretch 1. */
typedef struct tp_contact_disc {
    double mu, stretch[2];
} tp_contact_disc;
bool tp_contact_disc_of(const tp_set *set, tp_contact_disc *disc_out);

#endif
