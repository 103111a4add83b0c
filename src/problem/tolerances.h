/* Thresholds of one-step problems and their error on one page; docs/theory/problems.md (7), (8). Each says
   what it measures, relative to what, and what breaks if it is changed. What counts as solved is in
   solver/tolerances.h. */
#ifndef TP_PROBLEM_TOLERANCES_H
#define TP_PROBLEM_TOLERANCES_H

/* ---- The error E: tests/problem/test_error.c, test_reduce.c ---- */

/* Below this |c| [m/s] the data are rounding noise and the error is absolute; (8). At 1e-9 slow motions are
   judged by errors that are as large as they are; at 1e-15 scenes at rest search for digits of rounding. */
static const double tp_smallest_scale = 1e-12;

/* The mean diagonal serves as rho only if it is above this part of the size of the whole matrix; (7). Below
   it, rows that no impulse moves would give the unit of all others. */
static const double tp_smallest_mean = 1e-8;

/* E of a P that is not a number: larger than any tolerance, still finite. */
static const double tp_error_of_nothing = 1e300;

/* ---- Forms of a problem: tests/problem/test_absorb.c ---- */

/* Pivots of M below this part of the largest entry: M is singular to working precision. */
static const double tp_mass_pivot = 1e-14;

/* Condition of M', rows and columns scaled, at which joints count as redundant: multipliers then have less
   than four digits, and a residual of rounding size says little about them. */
static const double tp_largest_condition = 1e12;

/* Relative: directions of a frame, and spins of balls, agree up to rounding. Doubled, nothing changes; at
   1e-6 the error of problems would be that of balls that they are not. tests/solver/test_body_solve.c */
static const double tp_same_direction = 1e-12;

#endif
