/* Thresholds of a model evaluated at a point, on one page. Each says what it measures, relative to what, and
   what breaks if it is changed; the tests that notice are named at the head of a group. Those of differences
   stand beside the differences. */
#ifndef TP_SYSTEM_TOLERANCES_H
#define TP_SYSTEM_TOLERANCES_H

#include <float.h>

/* ---- Contacts: tests/system/test_contact_rows.c, tests/claims/test_frames.c ---- */

/* A normal that comes nearer than this to the axis of its tangents, from 0.6 or less in one step, has jumped.
   At 1 there would be no tangent. */
static const double tp_held_axis_limit = 0.95;

/* Slower than this part of the sizes of the terms of its velocity a contact sticks. */
static const double tp_stick_share = 1e-9;

/* Balls that touch must not be parted by the rounding of their distance: their reach grows by this part. */
static const double tp_ball_slack = 1e-9;

/* ---- Rates of contacts: tests/system/test_second_level.c ---- */

/* Rates of points and gaps agree with those of their bodies to this part of their sizes: rounding of some ten
   products, and curvature over a way of the second, a millionth of the size of the shapes. More of it takes
   an edge that a contact is about to leave for a smooth face. */
static const double tp_rate_rounding = 1e-9, tp_feature_way = 1e-6;

/* Differences of drifts by four points, so far apart [sizes of the shapes, rad]: they leave its fourth power,
   and rounding over it. Those by two points differ by more than the second where features change between. */
static const double tp_drift_step = 2e-4, tp_drift_agreement = 1e-3;

/* ---- Checks of a finished model: tests/system/test_dependence.c, test_topology.c ---- */

/* Rank of the constraint rows: singular values below this part of the largest count as zero. */
static const double tp_rank_tolerance = 1e-10;

/* Pivots of the mass matrix with ones on its diagonal: below, it is not positive definite. */
static const double tp_definite_pivot = 1e-14;

/* Largest relative change of something that must not change (affine velocities, quadratic kinetic energy). */
static const double tp_structure_tolerance = 1e-9;

/* Entries of Markov parameters below this part of their factors are zero. */
static const double tp_degree_tolerance = 1e-12;

/* ---- Equations of constraints: tests/system/test_redundancy.c, tests/integrator/test_accelerations.c ----
 */

/* Minus this on the diagonal of the rows, which have length 1: makes the matrix quasi-definite, so that it
   has factors in any order; refinement takes the error away. Doubled: one more refinement; a thousandth of
   it: rounding of the factors shows. */
static const double tp_saddle_shift = 1e-8;

/* What refinement leaves of the equations, relative to their largest terms: where it ends, and what is still
   accepted where it gains nothing more. Above it the rows depend on each other. */
static const double tp_saddle_goal = 64.0 * DBL_EPSILON, tp_saddle_accepted = 1e-10;

/* Added to the unit diagonal of A^T A: dependent rows get this pivot, and projections converge by repeating.
 */
static const double tp_projection_shift = 1e-10;

/* Pivots below this count as zero: the square of a length of a row that is left beside the others. */
static const double tp_projection_pivot = 1e-8;

/* Errors of positions at which a projection of the initial state ends, in the unit of the row; rounding. */
static const double tp_position_goal = 1e-15;

/* Added to the unit diagonal of A^T D A: the pivot of a dependent row. Far above rounding, far below
   tp_small_pivot. */
static const double tp_redundancy_shift = 1e-13;

/* Eigenvalues of A^T D A below this count as zero: positions that are off by 1e-6 still show them. */
static const double tp_small_eigenvalue = 1e-10;

/* Where joints drift: so many rows as depended on others at the start still do, if the eigenvalues are below
   this. Positions that are off by 1e-2 still show them; more would let go of joints that are only nearly
   singular. */
static const double tp_drifted_eigenvalue = 1e-5;

/* A pivot is an eigenvalue, or more by 1/z^2 with the share z of its row in the eigenvector: rows with pivots
   below the first are looked at. With very many of them the pivot alone decides, by the second. Below the
   third a position counts as one near a singular position. */
static const double tp_suspicious_pivot = 1e-4, tp_small_pivot = 1e-9, tp_near_pivot = 1e-2;

/* A row that is left out holds by itself up to this [m], [rad]; else it is not redundant. Far above what
   rounding leaves of rows that the others determine well, far below what a position changes in a step. */
static const double tp_left_out_error = 1e-11;

/* ---- Midpoints of formulas with bounds: tests/system/test_midpoint.c ---- */

/* What is left of the distance to the bounds at least, when a step leads towards them. Nothing left would
   put a midpoint where a formula has no value. */
static const double tp_room_kept = 0.1;

/* ---- Discrete derivatives: tests/system/test_discrete.c ---- */

/* Below this length of the step, in units of the scene, relative to 1 + |middle| the correction is less than
   its own rounding error; what is left out of the difference is of third order in the length. */
static const double tp_shortest_step = 1e-7;

/* A defect within its rounding error is left where correcting it would turn the direction by more than this:
   times a mass ratio of 1e4 that is a force error of 1e-8. Where it turns it less, the correction makes the
   work of joints 0 to rounding. Without it the first steps of heavy loops from rest stop (tests/battery). */
static const double tp_noisy_direction = 1e-12;

#endif
