/* Every limit of event-driven on one page; docs/theory/event-driven.md (15). Unless said otherwise a limit is
   a number of the scales of the model: length L, acceleration A, velocity V = sqrt(L A), time T = sqrt(L/A).
   Tests: tests/claims/test_event_driven.c and test_event_scenes.c. */
#ifndef TP_INTEGRATOR_EVENT_TOLERANCES_H
#define TP_INTEGRATOR_EVENT_TOLERANCES_H

#include <float.h>

/* Coordinates and velocities of a scene. The matrices are full: 125 balls in a block (1,625) take 0.6 GB and
   26 s for their start, 512 of them (6,656) 5 to 10 GB, and `tippe check` makes a start. Doubled, it takes
   2 GB and minutes. tests/claims/test_refusals.c */
enum { TP_EVENT_LARGEST = 2000 };

/* ---- functions that end a phase ---- */

/* Gaps that are 0 [L]: what rounding leaves of one. Ten times as much joins the last impacts of the ball in
   the corner: its sequence changes. */
static const double tp_event_gap = 16.0 * DBL_EPSILON;

/* How far below 0 a function that has just left it counts: gaps [L], velocities [V], forces [A]. Ten times as
   much makes those events later by that; a tenth takes rounding for an event (rocking block, beam). */
static const double tp_event_late_gap = 1e-12, tp_event_late_slip = 1e-10, tp_event_late_force = 1e-9;

/* Forces and edges of friction that are as near to 0 as this many of their limits fall together with a root.
 */
static const double tp_event_at_once = 10.0;

/* Impacts at one instant [T]. Ten times as much joins those of a tilted block (flat fall). */
static const double tp_event_together = 1e-10;

/* ---- what is 0 at an instant ---- */

/* Velocity [V] and acceleration [A]. Ten times as much makes slow impacts closings, and weak forces open. */
static const double tp_event_no_velocity = 1e-10, tp_event_no_acceleration = 1e-9;

/* Last hops, and slips that end together [V]: the error of a rest in velocity; its square over an
   acceleration that in position. A tenth costs impacts, and below 1.2 sqrt(2 tp_event_gap) hops drown in
   rounding (rocking block). */
static const double tp_event_last_hop = 1e-7;

/* A slip in space ends at the first speed, the error of its time is O(v^2); one that starts has the direction
   of its acceleration up to the second, the error is about the second times itself [V] (slope, drag). */
static const double tp_event_stop = 1e-9, tp_event_start = 1e-6;

/* Both are at least this many times the error that a step may have in a velocity, and the second ten times
   the first: a slip slower than that error never meets its end, but jumps over it to and fro (random scenes
   1228, 1251). A third is not enough for these. */
static const double tp_event_resolved = 30.0;

/* D of a sliding contact over that without friction: the motion is about to become singular (Painleve's rod
   at 0.81454944 s, which moves with the root of this). */
static const double tp_event_painleve = 1e-6;

/* Newton's method for the time of a root: its slope is a difference over this part of the step, and no
   iteration goes farther. */
static const double tp_event_polish = 1e-3;

/* Progress of time below which instants count as one [T]. */
static const double tp_event_no_progress = 1e-14;

/* ---- rows that depend on each other ---- */

/* Singular values, over the largest of scaled rows, that are 0; and the part of a normal row that is
   independent of others (beam on three supports, four equal contacts). */
static const double tp_event_dependent = 1e-11, tp_event_dependent_normal = 1e-9;

/* Pivots of joints, over the largest entry, that are 0 where a sliding contact is asked for Painleve's
   number: redundant joints then say nothing about it. */
static const double tp_event_joint_pivot = 1e-12;

/* ---- accelerations and directions at an instant ---- */

/* E that accelerations of closed contacts are solved to, and E at which they will do where no method gets
   lower (four equal contacts). Above it the instant has no accelerations. */
static const double tp_event_aim = 1e-13, tp_event_usable = 1e-9;

/* A slip that starts in space: turns of its direction for differences, and the longest turn of a Newton step
   [rad] (slope, drag). A slip that goes on: the part of its speed by which a velocity may change it. */
static const double tp_event_small_turn = 1e-7, tp_event_largest_turn = 0.5, tp_event_small_slip = 1e-4;

/* Friction whose edge is nearer than this [A] gets forces that are farther from it, where there are any
   (random scenes 4 and 9 stop without). */
static const double tp_event_edge_room = 1e-6;

/* ---- where a run begins and gives up ---- */

/* A gap may be this far below 0 at the start [L]: the contact is held there (woodpecker). Deeper ones close
   by an impact. */
static const double tp_event_deepest_start = 1e-3;

/* Steps before the time that was asked for; those of them below a part of `dt`; switches of formulas. A stiff
   or crowded motion ends with a reason instead of a hang (a motion that stays on a switch). The longest that
   random scenes take is 600. */
enum { TP_EVENT_STEPS_MAX = 20000, TP_EVENT_SHORT_STEPS_MAX = 1000, TP_EVENT_SWITCHES_MAX = 200 };
static const double tp_event_short_step = 1e-4;

/* Impacts one after the other at one instant, and instants without progress. A body between two others is
   struck from both sides until its velocities are below tp_event_no_velocity, which takes some 60 impacts at
   e = 0.2 (random scene 113). */
enum { TP_EVENT_CASCADE_MAX = 1000, TP_EVENT_STALLED_MAX = 20 };

/* So many steps that look stiff, less two for each that does not, call the stiff method (slip between very
   different inertias). */
enum { TP_EVENT_STIFF_STEPS = 15 };

/* ---- how a motion changes with its start (event_tangent.c; tests/claims/test_orbit.c) ---- */

/* Steps of differences begin with this part of the size of what is moved, and are divided by four, at most so
   often, where orders 4 and 6 differ by more than the tolerance and rounding: a formula has a kink there. A
   larger part misses kinks, a smaller one has more rounding (determinants of closed form, 1e-10). */
static const double tp_tangent_first_part = 2e-3, tp_tangent_order_tolerance = 1e-8,
                    tp_tangent_rounding = 64.0 * DBL_EPSILON;
enum { TP_TANGENT_DIVISIONS = 14, TP_TANGENT_POINTS = 3 };

/* Relative error of the linearised motion at the sharpest, and steps of differences by the direction of a
   slip [rad], of order 6: they leave the sixth power. */
static const double tp_tangent_least_rtol = 1e-13, tp_tangent_turn = 1e-2;

/* A root with |phi'| below this [1/T] is a graze: the motion does not change smoothly with its start. */
static const double tp_tangent_graze = 1e-7;

/* Friction of an impact slips if its impulse is this near to the edge of its set. */
static const double tp_tangent_edge = 1e-9;

/* What the law of an instant in fixed modes may differ from what happened [of L, V]: more is a cascade. */
static const double tp_tangent_same_law = 1e-7;

/* Impulses below this part of the largest one are rounding: the contact took no part. */
static const double tp_tangent_no_impulse = 1e-11;

/* Below this speed [V] the direction of a slip in space is that of the unchanged motion: what is left of its
   change ends with the slip. */
static const double tp_tangent_slow_slip = 1e-5;

/* Limits of the linearised motion in one phase. */
enum { TP_TANGENT_STEPS_MAX = 2000, TP_TANGENT_DIRECTIONS_MAX = 200 };

#endif
