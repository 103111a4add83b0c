/* Thresholds of projections onto sets on one page; theory/sets.md. Each says what it measures, relative to
   what, and what breaks if it is changed. Limits of iterations are beside their loops. */
#ifndef TP_SET_TOLERANCES_H
#define TP_SET_TOLERANCES_H

/* ---- Roots of one equation: tests/set/test_project.c, test_metric.c ---- */

/* Change of a root by a step of Newton's method, relative to it (of an angle: absolute), after which the
   error is about its square: the last step. At 1e-7 tests/set/test_contensou.c fails. */
static const double tp_root_change = 1e-10;

/* The same where steps do not square the error (sets with edges, a bracket, the secular equation): two
   roundings. Larger ones end a step or two earlier (no test notices 4e-13), smaller ones are never met. */
static const double tp_root_rounding = 4e-16;

/* Contensou's curve: terms of the series below the first are rounding of its sum, 1. From the second u on it
   is used: the closed form cancels there, and both lose less than 1e-14. At 1 and at 5
   tests/set/test_contensou.c fails; no test notices terms of 1e-15 that are left out. */
static const double tp_series_rest = 1e-18, tp_series_from = 2.5;

/* ---- Sweeps and natural maps, relative to the size of the point: tests/set/test_metric.c, test_singular.c
 * ---- */

/* Change in a sweep over a large orthant at which it is solved. At 1e-12 tests/set/test_metric.c fails. */
static const double tp_sweep_change = 1e-15;

/* The residual that is aimed at, below rounding; the one at which a step that gains nothing ends the search;
   and the largest that is an answer. With 1e-13 for the first tests/set/test_singular.c fails; no test
   notices a thousand times the others, which decide what is reported where nothing better exists. */
static const double tp_map_goal = 1e-16, tp_map_floor = 1e-14, tp_map_accepted = 1e-13;

#endif
