/* Every threshold of the analyses on one page; docs/theory/holonomy.md, section "Thresholds". Each says what
   it measures, relative to what, and what breaks if it is changed by ten. Numbers of steps and points are
   beside the loops that count them. */
#ifndef TP_CALCULUS_TOLERANCES_H
#define TP_CALCULUS_TOLERANCES_H

/* ---- Constraints: tests/calculus/test_holonomy.c, test_holonomy_bodies.c ---- */

/* Conditions I and II over the terms they are made of. Exact derivatives leave rounding, some 1e-14 in
   systems with known answers, differences 1e-9; nonholonomic systems there have 1e-3 at least. */
static const double tp_exact_condition = 1e-10, tp_difference_condition = 1e-6;

/* Rows whose distance from the others is below this part of their length depend on them. Paths keep positions
   on the constraints to some 1e-8: at 1e-8 redundant rows would count, at 1e-4 flat crossings would not. */
static const double tp_dependent_row = 1e-6;

/* Rows of length 1 that change by less than this in a unit are constant but for rounding. */
static const double tp_constant_row = 1e-6;

/* Paths with all and with half the steps end this near to each other; the former are 16 times nearer. */
static const double tp_path_error = 1e-6;

/* A direction is new if the share of it that others do not span is above this: ten times what the errors of
   paths and of carried directions make. At 1e-7 integrable constraints are missed, at 1e-3 deep brackets. */
static const double tp_new_direction = 1e-5;

/* Singular values below this part of the largest count as 0 where directions that rows leave are found. */
static const double tp_null_space = 1e-10;

/* Legs of the path of a witness, in units of the directions: its offset is the square of this. */
static const double tp_witness_leg = 0.1;

/* A row moves if its velocity is above this part of the sizes of its terms, and of 1 size per second: which
   contacts stick. */
static const double tp_moving_row = 1e-9;

/* Brackets are combinations of directions whose singular values are above this part of the largest. */
static const double tp_bracket_rank = 1e-12;

/* A pivot is replaced by one that is larger by this: of equal ones the first is taken, on every machine. */
static const double tp_pivot_margin = 1e-6;

/* A pair of directions that is easy to read is the witness if its curvature is above this part of the
   largest that was found. */
static const double tp_plain_share = 1e-3;

/* Differences of four points where there are no exact derivatives: steps of this part of a unit or a second.
   They leave h^4 = 1e-12 and rounding of 1e-16/h. */
static const double tp_difference_step = 1e-3;

/* ---- Velocities that contacts admit: tests/calculus/test_principles.c, tests/cli/test_analysis.c ---- */

/* A combination of rows, of length 1, that leaves less than this vanishes: no velocity is admissible, or a
   contact is locked. Exact ones leave 1e-15; at 1e-2 a wedge of half a degree would count as one. */
static const double tp_no_motion = 1e-9;

/* Rows that a further one reduces by less than this part of their length do not gain by it. */
static const double tp_no_gain = 1e-12;

/* Multipliers of rows up to this are 0: problems are scaled to rows of length 1. */
static const double tp_no_part = 1e-14;

/* ---- Forces: tests/calculus/test_forces.c ---- */

/* Conditions (15) over their terms: 1e-10 where all is exact; differences of exact Jacobians (cyclic sum,
   dB/dt) leave 1e-9. Forces without potential there have 1e-3 at least. */
static const double tp_force_condition = 1e-7;

/* The curl of velocity forces is judged over its terms and this part of the forces themselves, so that the
   rounding of constant ones does not count. */
static const double tp_field_share = 1e-3;

/* An eigenvalue of the damping matrix counts as positive above this part of the largest. */
static const double tp_undamped = 1e-12;

/* Sums of forces and moments of a row, over those on single bodies. */
static const double tp_interaction_rest = 1e-9;

/* ---- Minimal coordinates: tests/calculus/test_reduction.c ---- */

/* A coordinate serves if the share of its rate that constraints and other coordinates leave is above this:
   the matrix K loses as many digits. */
static const double tp_least_share = 1e-4;

/* Joint coordinates and general ones are better to read than positions and turns of bodies: their shares
   count as this part. */
static const double tp_position_preference = 0.3, tp_turn_preference = 0.1;

/* The first of the candidates with the same share is taken: others must be better by this. */
static const double tp_share_margin = 1e-9;

/* Newton's method of a lift ends at changes of this many units: rounding. */
static const double tp_lift_rounding = 1e-15;

/* Slopes of the forces of a reduced model, for implicit steps: differences by two points this far apart, in
   units. They leave h^2 and rounding of 1e-16/h. */
static const double tp_slope_step = 1e-5;

/* Positions come from following the constraints in steps of at most this, then from Newton's method; what
   constraints on velocities leave to the path alone wants shorter ones. */
static const double tp_lift_step = 0.1, tp_short_lift_step = 0.02;

#endif
