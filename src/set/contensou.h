/* The boundary curve of the Coulomb-Contensou set, for its functions, tests and plots; theory/sets.md
 * (13)-(21).
 */
#ifndef TP_SET_CONTENSOU_H
#define TP_SET_CONTENSOU_H

/* The normalised boundary curve (b_T, b_tau) for p0 = p1 = 1 at u = |gamma_T|/(R |gamma_tau|). */
typedef struct tp_contensou_point {
    double b_T, b_tau; /* (13), (14)                        */
    double radius;     /* of curvature, (17)                */
} tp_contensou_point;
tp_contensou_point tp_contensou_curve(double u);

#endif
