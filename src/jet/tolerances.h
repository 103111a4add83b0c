/* Thresholds of the manifold of a holonomic system on one page; docs/theory/jet.md. Each says what it
   measures, relative to what, and what breaks if it is changed. Tests: tests/jet/test_jet.c,
   tests/claims/test_jet.c. */
#ifndef TP_JET_TOLERANCES_H
#define TP_JET_TOLERANCES_H

/* Rounding of positions, velocities and energies is a part of their size: so many times DBL_EPSILON. No goal
   is below it. At 1 projections never end. */
static const double tp_jet_roundings = 64.0;

/* Conjugate gradients of accelerations end when the residual is this part of the right side. */
static const double tp_jet_conjugate_goal = 1e-14;

/* A pivot of the Schur complement below this part of its largest diagonal entry: rows depend on each other.
 */
static const double tp_jet_least_pivot = 1e-14;

/* On the unit diagonal of the Gram matrix of rows. A thousandth of it: rounding shows where rows are
   redundant; a thousand times: more refinements. They end at the second, relative to b. */
static const double tp_jet_gram_shift = 1e-10, tp_jet_refined = 1e-13;

/* Minus this part of the square of a row on the diagonal of the equations of an orthogonal projection, so
   that redundant rows have a pivot. */
static const double tp_jet_orthogonal_shift = 1e-14;

/* Velocities take the error of an invariant away up to this part of what they contribute to it; positions
   take the rest. */
static const double tp_jet_largest_share = 0.1;

#endif
