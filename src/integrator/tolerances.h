/* Every threshold of the integrators on one page, but for those of event-driven (event_tolerances.h). Each
   says what it measures, relative to what, and what breaks if it is changed (a factor of two, unless said).
   The test that notices is named at the head of a group, or at the constant. */
#ifndef TP_INTEGRATOR_TOLERANCES_H
#define TP_INTEGRATOR_TOLERANCES_H

#include <float.h>

/* ---- Implicit steps: tests/claims/test_inclusion.c, tests/claims/test_moreau_jean.c ---- */

/* A coordinate at rest is judged with this part of the largest velocity. At 1 coordinates that are slow
   beside others lose their digits, at 0 those at rest keep the solver busy with rounding. */
static const double tp_rest_factor = 1e-3;

/* Jacobians by differences of (q, u): a coordinate moves by the root of rounding of its size, or of this
   [m, rad, and per second] where it is smaller. A tenth: more rounding in the columns of coordinates near 0,
   and one Newton iteration more; tests/claims/test_relaxed_jacobian.c. */
static const double tp_difference_size = 1e-3;

/* ---- Impacts: tests/claims/test_joint_friction.c ---- */

/* Rebounds below this part of the velocities that their row adds up are left out, and those below the second
   part of what forces press the contact with in the step: it would be closed again after 2e-5 of the step. At
   1e-11 and 1e-9 walkers and chains with dry joints stop (scenes 1367, 2117): friction holds them, and what
   is left of their velocities would have to rebound; above the second there is a proof then. Doubled, the
   last bounce of a ball, of 0.1 micrometres per second with steps of 1 ms, is left out one earlier. */
static const double tp_least_rebound = 1e-9, tp_pressed_rebound = 1e-5;

/* ---- Accelerations and forces at a state: tests/integrator/test_accelerations.c ---- */

/* A velocity below this part of the sum of its terms is none: the law holds on accelerations. Time steps
   leave velocities of resting contacts of the size of their errors, which are not slips. (No test notices
   1e-9.) */
static const double tp_slip_tolerance = 1e-6;

/* xi of a row that slips is held this many times its acceleration away from 0 along the slip, and found again
   until the direction is right to the second number: each time gains the factor. At 1e8 digits are lost. */
static const double tp_pull_factor = 100.0, tp_pull_goal = 1e-13;

/* E that is aimed at, or what rounding allows, and E above which there are no accelerations. Doubled, the
   last digits of forces in the output change. */
static const double tp_acceleration_aim = 1e-13, tp_acceleration_error = 1e-8;

/* E of a solution that is counted at a state. tests/system/test_painleve.c */
static const double tp_counted_error = 1e-12;

/* ---- Projection of positions: tests/claims/test_loops.c ---- */

/* s as a part of |W|^2 of its row: each iteration leaves so much of an error. At 1e-5 that is above rounding,
   at 1e-12 redundant rows lose their digits. */
static const double tp_projection_softening = 1e-8;

/* Below the tolerance iterations go on while they improve the error by the first, down to the second: what is
   left of it makes redundant rows contradict each other in the next step. */
static const double tp_projection_worthwhile = 0.1, tp_projection_rounding = 4.0 * DBL_EPSILON;

/* E of an iteration: an inexact one only costs another iteration. */
static const double tp_projection_error = 1e-10;

/* ---- Impacts: tests/claims/test_frames.c, test_dead_positions.c ---- */

/* Rounding of W u, of |b|, from which on an impact is told of it: what steps are solved to where rounding
   counts. At 1e-7 corners that share a direction take 1,100 iterations a step in some frames; at 0 every
   impact is solved to its rounding alone, and a step of two boxes with mass ratio 1e4 is taken in parts. */
static const double tp_noisy_impact = 1e-11;

/* ---- Energy-consistent steps: tests/claims/test_consistent_sticking.c, test_consistent.c,
   tests/integrator/test_consistent_linearisation.c ---- */

/* A velocity below this part of the largest of a row in the step (or what forces make of it) counts as rest:
   far above what solving the step leaves (1e-14), far below what a force does in a step. Raised, resting
   contacts keep a part of their swing. */
static const double tp_consistent_rest = 1e-9;

/* Velocities are moved by this part of their size, and positions by no less than the second [m], [rad]:
   differences are then good to some digits, which Newton's method can do with. */
static const double tp_rate_part_moved = 1e-5, tp_rate_least_moved = 1e-8;

/* Warnings of laws that sink, creep or swing. A velocity of a row counts from the first part of the sum of
   |W u| over its own bodies on: those that move together at speed may be a little off, those at rest may not.
   A swing counts from the second part on of what forces do in a step to a row of its law: sliding to a stop
   leaves up to half of what friction does in a step (55). Not of speeds before: a continued run must warn
   alike. tests/claims/test_consistent_sticking.c */
static const double tp_creep_part = 0.01, tp_swing_part = 0.01;

/* An impulse of a contact that is so many times what forces do in a step, and the step before did, is an
   impact of friction without a collision. */
static const double tp_jolt_ratio = 20.0;

/* ---- Periodic orbits: tests/claims/test_orbit.c ---- */

/* Pivots of Newton's equations of shooting, relative to the largest, that are rounding. */
static const double tp_shooting_pivot = 1e-14;

/* ---- Correction of positions and velocities, theory/correction.md: tests/claims/test_correction.c,
   tests/solver/test_soft_rows.c ---- */

/* s as a part of the row's W^T M^-1 W: so much of an error is left by one solve, its third power after the
   refinements, and rows that are redundant but for this part share; (6). At 1e-5 the third power is above
   rounding, at 1e-11 the factors of redundant rows lose all digits. */
static const double tp_correction_softness = 1e-8;

/* Errors of so many roundings of the size of the scene (of the velocities of a row) are none. */
static const double tp_correction_rounding = 16.0 * DBL_EPSILON;

/* Errors below this part of contact_tolerance are left: a contact takes part in steps up to all of it. At 1
   contacts drop out of steps by rounding, at 0 every rounding costs a solve. */
static const double tp_correction_negligible = 1.0 / 16.0;

/* In loosely solved steps in which nothing moves, velocities are corrected from this part of the least error
   on if they are new, or if positions are corrected; (11b). At 1 stacks of ten boxes at 1e-6 take a
   correction in every second step. */
static const double tp_correction_early = 1e-3;

/* Velocities are new if more than this part of them (of their squares) comes from the step itself; (11b).
   Those of two steps alike have 1/2. */
static const double tp_correction_new = 2.0 / 3.0;

/* c of (7), where the damping begins: with it a motion y leaves y^2 / (2 rho) <= |g| / 4 for levers rho of a
   fifth of the scene. It falls and grows by tens: a wrong start costs passes over joints, no accuracy. */
static const double tp_correction_damping = 10.0;

/* A pass that leaves more than this part of the sum of squares was damped too much: a step of Newton's method
   halves errors at least. */
static const double tp_correction_much_left = 0.25;

/* Passes with the least damping go on as long as each leaves at most this part: rows that contradict each
   other end there. */
static const double tp_correction_worthwhile = 0.98;

/* Where there are joints, bodies lighter than the heaviest over this count as heavier in the metric of
   positions; (8a). At 100 chains of light links between heavy bodies stay open in coarse steps, at 1 light
   bodies move heavy ones as far as themselves. */
static const double tp_correction_mass_ratio = 10.0;

/* Errors below this part of what the tolerance E of a step opens contacts by, E d P dt / 2, are left: far
   below, so that gaps that add up over the height of a stack stay there; (6b). At 1e-3 a stack of 50 boxes at
   a tolerance of 1e-2 takes half as much time again, at 0 a pile at rest is corrected until its errors are
   rounding. */
static const double tp_correction_far_below = 1e-4;

/* In steps of so many contacts islands that do not rest are swept over; (15). A body has up to four contacts
   with another and some bodies beside it: below, factors cost little. At 8 boxes that fall on each other one
   by one overlap more, at 500 a drop of 100 balls at 1e-2 takes 2.3 times the time, and a pile of 100 boxes
   overlaps by 0.4 instead of 3 mm while it falls. tests/claims/test_correction.c */
enum { TP_CORRECTION_MANY = 32 };

/* Sweeps end where the last one moved bodies by less than this part of the largest error: new errors come in
   every step of a heap that flows. At 0.01 drops of 100 and 400 balls take 0.9 and 1.3 times the time. */
static const double tp_correction_flow_left = 0.1;

/* Sweeps there and back over a heap that flows, in a step; the next step goes on. With 2 and 8 drops of 100
   and 400 balls and a pile of 100 boxes take 0.9 to 1.3 times the time, and overlap as much; with none
   tests/claims/test_correction.c fails. */
enum { TP_CORRECTION_SWEEPS = 4 };

/* A mechanism of joints alone is corrected with the factors of the middle of its step; from so many rows on
   with those of its end at once: in a chain of 1,000 links (5,000 rows) errors do not fall with the former,
   in one of 100 (500 rows) they do. Doubled or halved, some chains take a fifth more or less time.
   tests/claims/test_correction.c */
enum { TP_CORRECTION_ROWS = 1500 };

/* ---- Contacts that loosely solved steps keep, theory/correction.md (3b): tests/claims/test_correction.c
 * ---- */

/* Steps over which errors of velocities may add up in a gap before the contact is lost: those of a long run.
   Without it (0) ten boxes sink by 22 mm in 50 steps; stacks of the tests stand with 10 as well, errors of
   whose steps change sign. Above 1e6 nothing changes at tolerances from 5e-7 on, where all of (3a) is kept.
 */
static const double tp_kept_steps = 1e6;

/* A contact at rest parts with at most so many times E d P, for solvers whose velocities are off by more than
   their residual; a rebound with d P e/(1 + e), above it for e > 0.01 at E = 1e-4. Without it contacts of
   rebounds are kept, and impacts of linkages that rattle are solved less sharply:
   tests/claims/test_judged_steps.c. Stacks stand with a hundredth as well. */
static const double tp_kept_parting = 100.0;

/* ---- Generalized-alpha steps: tests/claims/test_generalized_alpha.c, test_alpha_scenes.c ---- */

/* xi of rows that slip is held this many accelerations away from 0, in the direction of the slip; theory/
   generalized-alpha.md (10). Accelerations turn the direction by its inverse; at 1e8 digits are lost. */
static const double tp_alpha_pull = 100.0;

/* A slip slower than this part of what accelerations change in a step turns its direction as if it were so
   fast: (10a) is the inverse of the speed, and at a speed of rounding a row of 1e18 raises rho of the whole
   problem, and with it the floor that excuses errors. At 1e-6 balls with rolling friction that come to rest
   stop a run; at 1e-2 a light wheel takes one iteration more. claims/alpha_scenes: slips that end. */
static const double tp_alpha_least_slip = 1e-4;

/* Block products of one linearised inclusion, in squares of its rows, but not less than the second figure:
   some hundred Newton steps, or five milliseconds. What that does not solve is a point between two that
   iterations jump between, and the next one is another problem. Without a limit single steps of dominoes that
   come to lie take 8 s. tests/long/test_alpha_scenes.c */
static const double tp_alpha_work = 100.0, tp_alpha_least_work = 1e6;

/* Overlap, in sizes of the scene, with which a step is solved once more: with rows of its answer where they
   are kept, else from the answer; theory/generalized-alpha.md (13a). At 1e-16 it is rounding, and every such
   step takes all its tries; at 1e-6 boxes overlap by as much. claims/alpha_scenes: kinks, boxes. */
static const double tp_alpha_overlap = 1e-13;

/* Linearised inclusions without a better point: points of contacts come and go in a circle. Those that lead
   to a solution have a better one after two or three. Chosen by judgement. tests/long/test_alpha_scenes.c */
enum { TP_ALPHA_PATIENCE = 5 };

/* A velocity below this part of its terms, or of what accelerations change in a step, is none: contacts touch
   on velocity level, slips have no direction; at a start velocities are given with the digits of a scene. At
   1e-15 contacts at rest open by rounding, and those without a force slip in the directions of rounding:
   claims/alpha_scenes, a wall at rest. The first is also the part of the largest acceleration of a row below
   which accelerations are rounding and do not start the next step: claims/alpha_scenes, rounding. */
static const double tp_alpha_rest = 1e-12, tp_alpha_given_rest = 1e-9;

/* Motion that was damped away ends in denormal numbers, which nothing is judged by [m/s^2]. */
static const double tp_alpha_least_acceleration = 1e-150;

/* ---- Relaxed laws, theory/relaxed-dai.md ---- */

/* Steps in a relaxation time that is not given: Runge-Kutta steps resolve a relaxation to (h/delta)^4, 1e-4.
   Doubled, impacts take twice the time; halved, they are off by 1e-3; test_relaxed_contacts.c: contacts
   rebound with the restitution of the scene. */
static const double tp_steps_in_delta = 10.0;

/* Runge-Kutta steps of fourth order times the rate of a mode, 1/delta or 2 zeta/delta where that is more: up
   to 2.6 on the circle of modes of position rows (2.78 on the real axis). Above it a run is warned of; same
   file: options that are unstable are warned of. */
static const double tp_stable_steps = 2.6;

/* A step resolves a motion that turns by so much in it [rad]. Joints that forces hold then follow their law
   to the local error of the scheme; a step that misses it by more is taken in parts. Runge-Kutta steps: 0.6,
   where the energy of smooth motions is off by (omega dt)^2/8, as much as is warned of. Euler steps: 0.3,
   half of the velocity error of joints that is warned of. Doubled, chains with a mass ratio of 600 fly apart;
   halved, smooth motions are divided; tests/claims/test_dead_positions.c: a whip is taken in parts. */
static const double tp_resolved_turn_rk4 = 0.6, tp_resolved_turn_euler = 0.3;

/* An open contact is in the problem from the start if its xi at rest is at most this many times what the
   forces alone change; others enter where the answer shows that they push, so that the result is the same.
   Doubled, more rows that are open are in the problem; halved, more problems are solved twice. */
static const double tp_likely_factor = 10.0;

/* Implicit steps: Newton's method ends where velocities change by so many roundings of them and of positions
   over the time step; changes up to a part of the velocities, or so many times the roundings, count as
   converged where they do not become smaller any more. Doubled, steps end an iteration earlier;
   test_relaxed_dai.c: implicit steps hold a constraint. */
static const double tp_relaxed_roundings = 64.0, tp_relaxed_change = 1e-9, tp_relaxed_accepted = 100.0;

/* Counted solutions of a state: the relaxation is so much faster than accelerations without contact forces
   stop the slip. A jam is one unless the coupling is nearer to 0 than about this: ten times as much and
   solutions within 1e-3 of the border are lost, tests/system/test_painleve.c. */
static const double tp_count_share = 1e-4;

/* ---- First-order states, theory/theta-gamma.md: tests/claims/test_theta_gamma.c, test_state_frames.c ----
 */

/* Up to this number states are unknowns x of a step: solvers then see the rows of relations alone, and small
   problems are solved exactly. Eliminating more would fill a dense matrix of all relations; both ways solve
   the same equations (a ladder of 200 and of 201 diodes), so that time alone depends on it. */
enum { tp_unknown_states = 200 };

/* States are judged with at least this part of the largest: their units may differ more than those of
   velocities do. At 1e-7 states that fade away keep the solver busy; at 1e-3 a state in other units than its
   neighbours loses digits. */
static const double tp_state_rest = 1e-6;

/* ---- Friction that sticks or slips, theory/static-friction.md: tests/claims/test_static_friction.c,
   tests/simulation/test_events.c ---- */

/* An impulse this near to the boundary of its set, relative to the set, lies on it: sticking laws are there
   only by chance, sliding ones to the tolerance of the solver. Doubled, slips that end are seen a little
   later. */
static const double tp_on_boundary = 1e-9;

/* Slip velocities vanish below this part of their terms; theory/static-friction.md (1a). */
static const double tp_slip_rounding = 64.0 * DBL_EPSILON;

/* Overlap that energy-consistent schemes rest on, in sizes of the scene; (13). Half of what `positions-left`
   warns of; at 1e-12 contacts open by what the solver leaves, fall and chatter. */
static const double tp_correction_overlap = 5e-7;

/* ---- jet-projection; theory/jet.md (43) ---- */

/* How much longer than the last one a step may be, as published. Doubled, steps after slow parts of a motion
   are rejected more often; accuracy is that of rtol and atol with any value above 1. claims/jet has the
   published ranges of accepted steps. */
static const double tp_jet_largest_growth = 3.0;

#endif
