/* Every threshold of the loop, its warnings, studies and orbits on one page. Each says what it measures,
   relative to what, and what breaks if it is changed; the test that notices is named at the head of a group,
   or at the constant. Options that users may change have their defaults in defaults.c. */
#ifndef TP_SIMULATION_TOLERANCES_H
#define TP_SIMULATION_TOLERANCES_H

#include <float.h>

/* ---- Steps: tests/simulation/test_own_steps.c, test_restart.c ---- */

/* A remainder of a billionth of a step is rounding, not a step; steps of a study are multiples of each other
   up to the same part. */
static const double tp_step_remainder = 1e-9;

/* A run that is shorter than that has a step nonetheless, unless its length is as small as the rounding of
   its times. Doubled, nothing breaks; 0: a continued run that is at its end takes one more step of some 1e-16
   s; tests/simulation/test_options.c. */
static const double tp_time_rounding = 4.0 * DBL_EPSILON;

/* Tolerances of steps are below this: the answer without any impulse has E = 1, so that nothing would be
   solved and bodies fall through each other. Relative to the approach that is left;
   tests/simulation/test_options.c. */
static const double tp_tolerance_of_nothing = 1.0;

/* Steps of a run: whole numbers that a double holds, so that conversions to integers are defined. */
static const double tp_most_steps = 1e15;

/* Smallest relative error that can be asked for: ten roundings. */
#define TP_RTOL_MIN (10.0 * DBL_EPSILON)

/* How far the columns of a restart may be from orthonormal: far more than rounding, far less than another
   orientation. */
static const double tp_rotation_error = 1e-6;

/* ---- Steps that are taken again in parts: tests/claims/test_judged_steps.c ---- */

/* A step that explodes has most of its energy from nowhere, and several times that of its start. Right ones
   are off by (omega dt)^2/8 of it, and do not grow so. What starts from rest gains all of its energy in a
   step, to the order of the scheme. */
static const double tp_explosion_share = 0.9, tp_explosion_growth = 4.0, tp_explosion_start = 1e4;

/* Schemes that balance energy gain none but by rounding. Newton's method may run away to impulses so large
   that their rounding passes for a solution, and gains whole parts of the energy: a residual above the first
   that gains more than the second of the kinetic energy. tests/claims/test_judged_steps.c has 7e-8 and 2e-2;
   ordinary steps end below 1e-11. A gain within so many roundings of the energies is none: a jammed mechanism
   that creeps has a kinetic energy below them (3e-20 J beside 10 J; ten roundings were seen). At 10 such a
   step is divided up to 64 times in vain. tests/long/test_joint_friction.c */
static const double tp_doubtful_residual = 1e-10, tp_balance_share = 1e-6,
                    tp_energy_rounding = 1000.0 * DBL_EPSILON;

/* A row that approaches by less than this part of |W| |u| does not: that is rounding, of W as well. Doubled,
   slower impacts are closings. (tests/simulation/test_events.c passes without it.) */
static const double tp_approach_rounding = 64.0 * DBL_EPSILON;

/* ---- Warnings: tests/simulation/test_warnings.c, tests/claims/test_warnings.c ---- */

/* A joint is torn if it is open by more than this part of the smaller of its bodies, bent if its axes are off
   by more than this angle [rad]. Schemes on velocity level drift by O(dt) of the path; a hundredth is seen in
   a picture. Doubled, openings of a fiftieth pass in silence. */
static const double tp_joint_fraction = 0.01;

/* Velocities of joints may be off by this part of the largest speed of their bodies so far. The midpoint rule
   holds them in the middle of a step: at its end they are off by half the angle of the step, so that this is
   a step that turns by 0.2 rad. */
static const double tp_joint_speed_fraction = 0.1;

/* A contact sinks if it is deeper than in the initial state by more than this part of its thinner shape (half
   its thickness). Schemes on velocity level sink in by up to speed times step in an impact. Shapes that pass
   through each other within a step count if they overlap on the way by more than it. */
static const double tp_depth_fraction = 0.1;

/* Places on such a way are so many sizes of the contact apart, and at most so many. The depth that is
   reported is that of a place: tests/claims/test_warnings.c. At 2 shapes may pass between two places. */
static const double tp_passage_spacing = 0.25;
enum { TP_PASSAGE_PLACES = 1000 };

/* Halvings of a step in the search for the place where a shape comes behind a mesh: 1e-6 of the step. Fewer
   give a smaller overlap in the warning. tests/claims/test_thin_bodies.c */
enum { TP_PASSAGE_BISECTIONS = 20 };

/* Cosine above which a normal is that of a face: what is beside it by a thousandth of its height has another
   one. Smaller, and bodies that leave a mesh at a slant are taken for ones behind it.
   tests/claims/test_thin_bodies.c */
static const double tp_passage_alignment = 1.0 - 1e-6;

/* Shapes overlap at the start if they are deeper by more than this part of the thinner one (half its
   thickness): positions are often given with two or three digits. */
static const double tp_overlap_fraction = 0.01;

/* Energy may grow since its least value, and vanish in one step, by this part of the energy in motion. What
   schemes make of smooth motions is (omega dt)^2/8 of it: a step of 0.6 rad of the fastest vibration.
   Doubled, impacts that add a tenth pass. */
static const double tp_energy_fraction = 0.05;

/* Numerical damping may take this part of it in all steps in which nothing else can. */
static const double tp_free_fraction = 0.1;

/* Errors of positions, relative to the size of the scene, that a correction should take back; it is stuck if
   a step leaves more than the second part of them. */
static const double tp_stuck_error = 1e-6, tp_stuck_share = 0.99;

/* ---- Studies: tests/simulation/test_study.c ---- */

/* How far the exact motion may start from the initial state, relative to 1 + |q|: figures are often rounded.
 */
static const double tp_exact_start_tolerance = 1e-6;

/* Numbers that the rows of a reference run may hold; beyond this, rows are kept at every second, fourth ...
   of the smallest steps. */
static const double tp_reference_numbers_max = 16e6;

/* Rounding of some thousand steps, relative to the size of the motion; of one that rests at 0, to 1. Errors
   below it have no order. */
static const double tp_rounding_units = 1e3;

/* ---- Periodic orbits: tests/claims/test_orbit.c ---- */

/* Relative and absolute errors of the runs, at most: multipliers are known to a thousand times them. */
static const double tp_orbit_rtol = 1e-12, tp_orbit_atol = 1e-13;

/* Singular values of Newton's equations that count, relative to the largest, and those of the maps from
   velocities to coordinates. */
static const double tp_orbit_singular = 1e-9, tp_orbit_map_singular = 1e-12;

/* Equations of families of orbits are singular but for the error, which is the part then; this is the most of
   it. At 1 nothing would be left of the equations; tests/claims/test_orbit.c: an elastic ball in space. */
static const double tp_orbit_most_singular = 0.1;

/* A coordinate on which nothing depends, and a multiplier that is 1 by nature, to these differences. */
static const double tp_orbit_same_column = 1e-6, tp_orbit_is_one = 1e-5;

/* A free period stays this near to its guess, relative to it: else a rest, which has every period, is found.
 */
static const double tp_orbit_far_period = 0.5;

/* What accelerations, gaps and velocities may change by a full turn of an angle that returns by it, over the
   scales of the model. */
static const double tp_orbit_same_turn = 1e-9;

#endif
