/* Thresholds of factorisations and of ordinary differential equations on one page. Each says what it
   measures, relative to what, and what breaks if it is changed. */
#ifndef TP_MATH_TOLERANCES_H
#define TP_MATH_TOLERANCES_H

#include <float.h>

/* ---- Factorisations: tests/math/test_factor.c, test_sparse_lu.c ---- */

/* A best pivot below this is rounding noise: of a matrix scaled to largest entries 1 in rows and columns, or
   of the diagonal entry that cancellation left it of (LDL). At 1 rounding error a singular matrix may pass,
   at 1e6 of them regular ones with a condition of 1e10 are refused. */
static const double tp_pivot_rounding = 4.0 * DBL_EPSILON;

/* KLU: the old pivot order is kept while the factors grow at most this much more than they did with freshly
   chosen pivots: three of sixteen digits. Smaller: fewer fresh factorisations, less accurate solves. */
static const double tp_klu_growth_ratio = 1e-3;

/* KLU: diagonal entries are preferred down to this part of the largest candidate. */
static const double tp_klu_diagonal_preference = 0.1;

/* Stored zeros that a front may have, of its nodes times nodes: fronts of one or two small blocks cost more
   to lay out and pass on than zeros cost to multiply. Time alone depends on it. */
static const double tp_front_zeros = 0.2;

/* ---- Ordinary differential equations, docs/theory/ode.md: tests/math/test_ode.c, test_ode_roots.c ---- */

/* Steps below this many roundings of t make no progress; a first step is at least the second times as long.
 */
static const double tp_shortest_ode_step = 4.0 * DBL_EPSILON, tp_first_above_shortest = 100.0;

/* A step that would leave less than this share of itself to the limit ends there. */
static const double tp_ode_leftover = 1e-4;

/* Errors below this part of the tolerance do not speed up the next steps further (PI control). */
static const double tp_ode_least_error = 1e-4;

/* For the first step: the share of |y|/|y'| that Euler's trial step takes, the step where one of the two is
   below tp_ode_nothing (in units of the tolerance), and how far the result may be above the trial. They
   decide how many steps are rejected at the start. */
static const double tp_trial_share = 0.01, tp_smallest_trial = 1e-6, tp_ode_nothing = 1e-5,
                    tp_most_above_trial = 100.0;

/* Radau: iterations that shrink more slowly than this are given up. */
static const double tp_radau_slowest = 0.99;

/* Radau: the estimate is of order 3, the method of order 5: steps are controlled by 0.1 tol^(2/3), so that
   errors follow the tolerance; (13). */
static const double tp_radau_factor = 0.1, tp_radau_power = 2.0 / 3.0;

/* Two roots of one function and kind that are nearer than this part of the step are one, found twice. */
static const double tp_same_root = 1e-6;

/* Part of its interval to which an extremum is located: it is flat there, so that its value is off by 1e-18
   of the change of the function, and by 1e-6 of it at 1e-3 (which the tests allow). */
static const double tp_extremum_precision = 1e-9;

#endif
