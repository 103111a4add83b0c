/* Every tolerance of the solver layer on one page; theory/problems.md (20)-(22), solvers.md. Each says what
   it measures, relative to what, and what breaks if it is changed (a factor of two, unless said). The test
   that notices is named at the head of a group, or at the constant. The one function that accepts an answer
   is tp_judge (judge.h). Numbers of iterations are beside the loops that count them. Thresholds of steps are
   in integrator/tolerances.h, those of the analyses, which no step uses, in calculus/tolerances.h. */
#ifndef TP_SOLVER_TOLERANCES_H
#define TP_SOLVER_TOLERANCES_H

#include <float.h>

/* ---- What counts as solved: tests/solver/test_judge.c, tests/claims/test_judged_steps.c ---- */

/* E of tp_solve where the caller asks for nothing: an engineering solution. Finer costs more. */
static const double tp_default_tolerance = 1e-8;
static const double tp_default_inclusion_tolerance = 1e-10;

/* Multiple of the rounding errors of the terms of an answer, eps (rho |P| + |c|) / s. Bodies with more
   contacts than they need amplify rounding, and no solver gets lower. At 100 piles of boxes stop; at 1e5
   errors of the digits that users see pass. */
static const double tp_accepted_roundings = 1000.0;

/* Multiple of the rounding errors that are known to be in the data (positions over a step, energies over a
   path, velocities of rows). They are bounds for each row; sums over rows and a guess that was good enough
   before stay below 100 of them. */
static const double tp_accepted_noise = 100.0;

/* Errors above this, relative to the velocities (or momenta) of the step, are never rounding. The noise of
   energies beside a motion that begins at rest reaches 5e-6 (examples/andrews with consistent); ten times
   more would accept steps that miss their balances in the fourth digit. */
static const double tp_worst_accepted = 1e-5;

/* Impulses count in the rounding errors up to this multiple of what the masses and velocities of the problem
   explain: levers, wedges and toggles enlarge impulses. Ten times less and steep wedges stop; a larger one
   lets answers that run away raise their own limit. */
static const double tp_geometric_gain = 100.0;

/* Steps of schemes that do not balance energies: E at which a search that found nothing better counts as
   solved. Friction in more contacts than bodies need has points where every method stalls. Relative to the
   velocities of the step: some 1e-12 m/s. At 1e-13 heaps stop; larger ones add up to visible creep. */
static const double tp_enough_for_a_step = 1e-11;

/* Relative to the tolerance, for impacts whose energy is balanced: what a solver leaves of the velocities of
   joints leans to one side (the shift of theory/solvers.md (14)), and the work of impulses on it adds up. At
   1 the energy of a linkage that rattles moves by the tolerance in each impact.
   tests/claims/test_judged_steps.c */
static const double tp_impact_sharpness = 0.02;

/* Relative to the velocities of rows: what joints have before an impact, up to this, was left by the steps
   before it, and an impact that finds nothing better may leave twice as much. Doubled, a little more drift
   passes. With 0 loops with dry joints stop at their dead positions: scene 97 of
   tests/claims/test_joint_friction.c. */
static const double tp_left_of_joints = 1e-9;

/* Problems of up to so many sets are solved as one where their islands, each solved up to its own rounding,
   leave the whole above its tolerance: tests/claims/test_examples.c, motors. Doubled, a little more time is
   spent on last digits. */
enum { TP_WHOLE_SETS = 16 };

/* E up to which islands of more contacts than the second number go on unsolved by default: above 5e-2 heaps
   sink, at 0.2 they melt, and no method reaches 1e-4 in settled heaps of thousands in the time of a step. The
   search in them ends once it has cost so many sweeps and is below the third, a tenth of the limit; with 200
   a drop of 100 spheres at 1e-6 takes two thirds of the time, but the largest E of a drop of 400 is 1.4e-3.
   tests/claims/test_islands.c */
static const double tp_usable_error = 1e-2;
enum { TP_USABLE_CONTACTS = 200, TP_USABLE_SWEEPS = 300 };
static const double tp_usable_aim = 1e-3;

/* After so many times that work anything within the limit will do: it bounds a step. Doubled, drops of
   spheres take longer in the steps of their impacts. */
static const double tp_limit_share = 4.0;

/* Islands of up to so many laws that come without a guess are searched for the cost of so many Newton steps
   instead, where these are cheap (tp_cheap_newton) and the tolerance is sharp: whether a wall stands or
   creeps is decided in its first step. With more laws the matrix of the contacts alone takes long; with half
   of the steps a wall of 100 bricks creeps. tests/claims/test_islands.c */
enum { TP_FIRST_LAWS = 10000, TP_FIRST_STEPS = 300 };

/* Large islands stop at this part of what is enough for a step, and their guess may have all of it: at rest
   they are then solved once, and not for a last bit in every step. */
static const double tp_margin_share = 0.1;

/* A start is the answer of an inclusion only where nothing but rounding is left: the linear part of a step is
   always solved to rounding. Larger ones leave steps of slow motions at their start. */
static const double tp_start_tolerance = 16.0 * DBL_EPSILON;

/* E below which a point refutes a proof that there is none, as a multiple of the rounding floor. Below 10 a
   solvable problem may be called infeasible, at 1e4 an infeasible one not converged. */
static const double tp_refuting_roundings = 100.0;

/* Relative to the error of a step: if a row of a joint has so much of it, the message names joints that
   contradict each other. Words alone depend on it. */
static const double tp_telling_share = 0.1;

/* ---- Where searches end: tests/solver/test_auto.c, tests/claims/test_problem_files.c ---- */

/* Solvers search no further below this multiple of the rounding floor: scenes at rest need not search for
   the last bit. A guess may have three times this. Less costs time alone, more loses digits. */
static const double tp_goal_roundings = 32.0;
static const double tp_guess_roundings = 96.0;

/* The start of an inclusion is its answer where every equation and every law is within so many roundings of
   its own terms: twice what the answer of the last step may have, so that forces of a wall at rest that
   balance are not solved again in each step for their last digits. With half of it a fifth of such steps is.
   tests/claims/test_alpha_scenes.c */
static const double tp_start_roundings = 64.0;

/* Such a guess may have this multiple of the error that the velocities before the step have already. The same
   impulse k times in a row has k of (k - 1): 2 at most, or it sets bodies in motion that were at rest, and
   the next step must stop them again. Without this limit every other step at rest is solved; at 1 every step
   is. tests/claims/test_rest_is_cheap.c */
static const double tp_guess_growth = 3.0;

/* Nothing gets lower than a few roundings, whatever the options say. Below 2 searches run to their limit. */
static const double tp_least_floor = 4.0;

/* Redundant joints whose rows are off by rounding leave an error above the floor that nothing improves: so
   many floors are the limit there if a step does not lower it to 0.99, where that counts as solved; noise in
   the data may be worse than what counts (tests/claims/test_relaxed_contacts.c). Less and they are searched
   in vain. */
static const double tp_near_floor = 25.0, tp_stagnant = 0.99;

/* Sweeps over velocities come before G is made in problems of so many laws: a few from this tolerance on,
   which they reach in about the time that G takes (at 1e-4 they do not, and are lost), more in islands
   that may be left above their tolerance; sharper ones begin with them above so many laws. Momentum is capped
   from the last number on: heaps are driven away by more of it. tests/solver/test_form_sweeps.c */
static const double tp_form_tolerance = 1e-3, tp_form_cap = 0.8;
enum {
    TP_FORM_LAWS = 8,
    TP_FORM_FEW_SWEEPS = 96,
    TP_FORM_SWEEPS = 400,
    TP_FORM_LARGE = 1000,
    TP_FORM_CAPPED = 50
};

/* Normal velocity of a contact that the guess loads, of |c|, up to which the guess may be the answer, which
   is then judged before anything is made. Smaller ones cost time in scenes at rest, larger ones in others.
   Also E of a guess that one Newton step with sticking contacts puts right (28k): at 1e-6 its rounding, some
   1e-4 of the step, would show. tests/solver/test_guess_at_rest.c */
static const double tp_rest_velocity = 1e-9;

/* E of a guess that is as good as known: the default tolerance of steps. A guess between this and
   tp_rest_velocity takes (28k) at loose tolerances as well: what is left grows in a stack by half or more a
   step, and taking it back is dearer. With 1e-12, velocities are corrected after each such step, and stacks
   take a third more. tests/claims/test_correction.c */
static const double tp_known_guess = 1e-14;

/* Contacts of free bodies have a form of their own from the first number of them on: below, making it costs
   more than it saves. Islands above the second that may be left above their tolerance stop at their limit: no
   method gets far below it in the time of a step (theory/large-heaps.md). A cold start of 1e5 contacts takes
   some 500 sweeps. Work of a sweep and contact in block products. tests/solver/test_body_solve.c */
enum { TP_BODY_LAWS = 200, TP_BODY_HUGE = 5000, TP_BODY_SWEEPS = 2000 };

/* From so many contacts on, at coarse tolerances, sweeps over bodies read the rows of the whole problem and
   not a copy of the island's; where they do not end with an answer they are done again with the copy. Below,
   that happens. tests/solver/test_body_solve.c, tests/claims/test_threads.c */
enum { TP_BODY_SHARED = 1000 };
static const double tp_body_work = 8.0;

/* E of a guess from which on sweeps over bodies try P = 0, too. A heap at rest needs its guess even if one
   ball has hit it in the step before, whose impact is then repeated, with E up to 3, where P = 0 has 0.3: at
   0.3 10,000 balls at rest took 82 sweeps a step instead of 21. At 3 single steps take 140, at 100 nothing
   changes. tests/solver/test_body_solve.c */
static const double tp_poor_guess = 10.0;

/* After E has been computed so many sweeps wait for the next time, which costs as much as two of them.
   Doubled, some sweeps more. */
enum { TP_BODY_LOOKS = 3 };

/* Laws of small islands together from which on threads share them: below, waking a thread costs as much. */
enum { TP_SHARED_SETS = 64 };

/* Where rounding would hide more than this, P is on its way to infinity, which is not a reason to stop. */
static const double tp_largest_floor = 1e-6;

/* The aim of the chain, of the tolerance: the answer must pass a judge that sums in another order. */
static const double tp_aim_factor = 0.95;

/* E is computed when the cheap estimate of a sweep, times what it was worth last time and this, is below the
   aim. At 1 sweeps are lost, at 0.4 computations of E. */
static const double tp_estimate_margin = 0.8;

/* Up to this tolerance Newton's method comes first, if there is a guess: sweeps gain digits one by one, and a
   looser tolerance would cost more than a tight one. tests/claims/test_correction.c */
static const double tp_sharp_tolerance = 1e-4;

/* ---- The stages of `auto`, by E: tests/solver/test_auto.c; tenfold changes cost time on some problem files
 */

/* Still above the first when the first sweeps end, or above the second after Newton's method has failed: E
   may stay there for ever, a proof is sought. Cases and excursions are for what is above the third. */
static const double tp_suspicious_error = 1e-3, tp_doubtful_error = 1e-8, tp_stuck_error = 1e-6;

/* Below this E a large problem is in the basin of a solution, which a cold restart would lose, and a slow
   slice is not wandering towards one any more. */
static const double tp_close_error = 1e-5;

/* What searches aside may cost, in multiples of what the chain has spent: a proof, and an excursion, whose
   returns to sweeps are long; and joints as unknowns, of the work that is left. */
static const double tp_proof_share = 3.0, tp_excursion_share = 1.0, tp_absorbed_share = 0.5;

/* Solves times the cube of the rows: some hundredths of a second for one of many linearisations, of which the
   next may be easier; tenths after `mlcp`; seconds for one problem; ten seconds for `enumeration`. */
static const double tp_few_cases = 3e7, tp_many_cases = 3e8, tp_all_cases = 3e9, tp_most_cases = 2e10;

/* Rounds with the sizes of sets held (friction of joints) whose sizes change by more than this part of the
   change before are slow. Friction that follows a reaction settles by its radius over the arm of the reaction
   in each round; above 1 it need not settle at all. tests/claims/test_joint_friction.c, scene 148 */
static const double tp_slow_sizes = 0.9;

/* Block products, in cubes of the rows, that one of these rounds may take: five hundred Newton steps. What
   they do not solve, the next round may, with other sizes, or the cases of the laws; with a tenth of it a
   step of tests/long/test_joint_friction.c is not solved. In linearised inclusions the share of it, forty
   steps, but as many products as the last before that: with a share of 1 steps there take 0.5 s, without the
   last the few rows of examples/dry-arm are not solved. */
static const double tp_held_work = 25.0, tp_held_share = 0.08, tp_held_least = 2e4;

/* E of a problem with sizes held, unless it is a linearisation, where locked loops need last digits: the next
   sizes change more, and the steps after each round square what is left. A thousandth of it, and last digits
   of contacts in space take 20 ms in one round (larger ones were not tried).
   tests/claims/test_joint_friction.c */
static const double tp_held_tolerance = 1e-10;

/* E at which the search ends in a linearisation where friction follows joints and all cases have been tried:
   loops of joints with contacts are nearly singular, and sweeps gain a digit there in a second. The next
   linearisation gains more. */
static const double tp_case_left = 1e-8;

/* Block products, in cubes of the rows, after which Lemke's path of a planar problem is tried: four pivots a
   row with a dictionary of two unknowns a row take about a third of that. Less costs time where sweeps would
   have done, more where they never do. tests/solver/test_auto.c */
static const double tp_path_cost = 1.0;

/* Block products of a solve: about half a minute. */
static const double tp_default_work = 2e9;

/* ---- Newton steps: tests/solver/test_reduced_system.c, test_auto.c ---- */

/* Relative to rho, on the diagonal of G: keeps redundant rows regular. Rounding then moves P by eps / shift
   of its size along null directions. Above 1e-10 Newton's method is linear, below 1e-14 rows are lost. */
static const double tp_tiny_shift = 1e-12;

/* The same in steps with a line search, taken back by refinement (14a): contacts that share forces keep their
   shares up to eps / shift, and so does the motion of bodies that slide on them. tests/claims/test_frames.c
 */
static const double tp_gentle_shift = 1e-4;

/* The same in plain steps as long as each makes E a thousand times smaller: reactions of redundant joints are
   those of least norm up to a part eps / shift. At 1e-12 they lose four digits more; at 1e-2 refinement still
   makes up for it. tests/solver/test_auto.c */
static const double tp_least_norm_shift = 1e-8, tp_quick = 1e-3;

/* Pivots above this, of rho, with the tiny shift: no row of joints depends on others (it would leave a pivot
   of the size of the shift), reactions are unique. tests/solver/test_auto.c */
static const double tp_regular_pivot = 1e-9;

/* Growth of E at which plain Newton steps end, and proximal ones fail (measured by the second where E is
   smaller already): residuals of 1e5 in the first steps are normal and vanish. */
static const double tp_runaway = 1e6, tp_late_error = 1e-6;

/* Proximal weights, of rho: the first, the bounds, and the one below which drift is judged. */
static const double tp_first_weight = 1e-2, tp_largest_weight = 100.0, tp_smallest_weight = 1e-11,
                    tp_suspicion_weight = 1e-5;
static const double tp_proximal_accept = 0.3; /* the residual of the shifted problem must fall by this */
static const double tp_locked_error = 1e-6;   /* friction locks only above this E                      */

/* Proximal Newton after sweeps, in islands that may be left above their tolerance. Where Newton steps are
   cheap and E would do, sweeps hand over at the first E or when they have taken TP_FORM_SWEEPS: a Newton step
   costs as much as a hundred of them, and what is open, sticks or slips settles in sweeps. The weight is E;
   a proximal step whose residual is the second number times that of its start after so many tries leads
   nowhere. What is solved takes ten steps, nearly always, so the search costs TP_SWEPT_SWEEPS in place of
   TP_USABLE_SWEEPS. At three times the goal, drops of spheres at 1e-6 miss their tolerance twice as often. */
static const double tp_swept_goal = 3e-5, tp_swept_growth = 10.0;
enum { TP_SWEPT_STEPS = 30, TP_SWEPT_SWEEPS = 200, TP_PROXIMAL_TRIES = 4 };

/* Where E would not do after TP_BODY_SWEEPS: proximal Newton from tp_first_weight, so many steps at most, as
   many as have the work of TP_USABLE_WORK sweeps, TP_USABLE_LEAST at least. They halve E, by two of them in
   most islands of 2,200 spheres; what is left then is not removed by sixty. Without them the largest E of
   drops of 400 and 1,000 spheres is 3e-3 and 4e-3, with eight in all islands that of 400 is 1.4e-3.
   Sweeps over balls go on up to TP_FAR_SWEEPS before that, as long as E is tp_far_error times what would do;
   E falls by the root of their number. With TP_BODY_SWEEPS alone the largest E of the drop of 1,000
   is 1.6e-3, with 1.7 in place of 1.6 and half as many sweeps 1.2e-3. bench-scenes drop 1000 */
enum { TP_USABLE_STEPS = 24, TP_USABLE_LEAST = 8, TP_USABLE_WORK = 6000, TP_FAR_SWEEPS = 16000 };
static const double tp_far_error = 1.6;

/* Where contacts go round are held, theory/solvers.md (24a): contacts whose modes still change after so many
   Newton steps of a proximal step that fails, if they are no more than the second; how much more they are
   held then, and what is left of it after a success. Residuals that have grown by the last number after
   TP_PROXIMAL_TRIES steps do not come back: with these figures a heap of 500 boxes is solved to 1e-6, with 30
   contacts, or a release by a half, just not. tests/solver/test_body_system.c for the equations,
   docs/benchmarks.md for the figures */
enum { TP_PROXIMAL_SETTLED = 5, TP_HELD_CONTACTS = 20 };
static const double tp_hold_rise = 10.0, tp_hold_fall = 0.7, tp_held_growth = 300.0;

/* Contacts that slip by less than this multiple of E |c| are slow, theory/solvers.md (24b). With 0.3 two
   heaps of 500 and 490 boxes take a third more Newton steps or end ten times higher; with 0 a wall stays at
   1e-5. tests/solver/test_heap_path.c */
static const double tp_slow_slip = 1.0;

/* Proximal steps without a halving of E after which they have stalled. */
enum { TP_PROXIMAL_PATIENCE = 40 };

/* Part of the first-order decrease of a merit that a step must reach (Armijo). Any small number will do. */
static const double tp_sufficient_decrease = 1e-4;

/* Diagonals below this part of the largest have no step length of their own. */
static const double tp_smallest_length = 1e-8;

/* The diagonal is taken as pivot if it is at least this part of the largest candidate. */
static const double tp_diagonal_preference = 0.05;

/* Front by front pivots are not chosen freely: a solution counts if its residual is at most this part of the
   right side after a correction; else the system is solved with free pivots. A Newton step that is wrong by
   1e-6 loses nothing. No correction is needed below the second. tests/solver/test_reduced_system.c */
static const double tp_front_residual = 1e-6, tp_front_exact = 1e-13;

/* Above this many sweeps for a Newton step large problems are left to sweeps: an attempt takes some 70 steps,
   and slices of sweeps between attempts grow from 1,000 to 64,000. Ten times more or less changes which of
   the two is tried first, not what is found. tests/solver/test_auto.c */
static const double tp_cheap_newton = 100.0;

/* With bodies as unknowns a contact that sticks is a spring of stiffness 1/shift beside their inertia, of
   which eps/shift is lost: above this shift, of rho, corrections find what was lost.
   tests/solver/test_body_system.c */
static const double tp_body_shift = 1e-9;

/* ---- Soft rows of corrections, theory/correction.md (5)-(8): tests/solver/test_soft_rows.c ---- */

/* Factors are made where they take at most so many multiplications for each entry of the rows: as long as
   some hundred products with scattered entries, of four multiplications each. A heap of 400 spheres has
   factors, one of 1,000 has not. Ten times more or less: one of these takes two or three times as long. */
static const double tp_soft_work = 1000.0;

/* Projected conjugate gradients end where the gradient has fallen to this part, or after so many products:
   what is left is taken in the next step. By judgement: overlaps of 1,000 falling spheres stay below 0.6 mm,
   and the correction takes as long as the steps. At 0.1 tests/solver/test_soft_rows.c fails. */
static const double tp_soft_left = 1e-3;
enum { TP_SOFT_PRODUCTS = 100 };

/* ---- `interior-point`, theory/solvers.md (37)-(40a): tests/solver/test_interior_point.c ---- */

/* Steps along the central path at most, those without a better point after which it ends, and slices of
   proximal Newton after it. On a heap of 500 boxes E falls to 3e-4 in 100 steps and stays there; Newton's
   method goes on to 1e-5 from 60 steps as well as from 170. Most heaps end by the gap after 30 to 60. */
enum { TP_INTERIOR_STEPS = 150, TP_INTERIOR_PATIENCE = 30, TP_INTERIOR_SLICES = 12 };

/* `auto` follows the path once in problems of so many laws and more, when proximal steps have ended and E is
   above tp_close_error. Nearer to a solution, or before any proximal steps, a pyramid of 1,844 contacts takes
   several times as long. Smaller problems have other ways: cases, and searches that cost little. With 200, a
   wall of 104 contacts takes 100,000 iterations. Islands
   with a margin that come without a guess begin with it. tests/solver/test_heap_path.c */
enum { TP_INTERIOR_LAWS = 100 };

/* Where `auto` follows it: steps of the first path, how many more the second has, turns (the last goes on
   from the best point), and Newton steps after each. Where proximal steps go round depends on their start,
   and E falls from 1e-5 to 1e-6 in 500 to 1,000 steps or not at all; three paths with 300 steps each
   reach 1.7e-6 on 500 boxes. The last: block products of a problem that is solved alone (7 to 10 s); problems
   of up to TP_USABLE_CONTACTS keep to tp_default_work. bench/heaps */
enum { TP_PATH_STEPS = 80, TP_PATH_MORE = 30, TP_PATHS = 3, TP_PATH_NEWTON = 800 };
static const double tp_path_work = 4.2e9;

/* The gap of a step is at least this part of the one before: slip speeds lag by a step, and a path that is
   followed faster leaves them behind. At 0.3 heaps take half as many steps again, at 0.8 silos do not settle.
   bench/heaps */
static const double tp_interior_centring = 0.6;

/* Correctors of a step (40a): they bring products of cones within this factor of the centre, while steps are
   shorter than the second and become longer by the third. Without them a few cones near their rims make steps
   of 0.1, and paths twice as long. */
enum { TP_INTERIOR_CORRECTORS = 2 };
static const double tp_interior_spread = 10.0, tp_interior_long = 0.9, tp_interior_gain = 0.01;

/* Steps go this part of the way to the rim of the cones; they end where they are shorter than the second. */
static const double tp_interior_share = 0.95, tp_interior_shortest = 1e-8;

/* Gap, of |c|^2/(rho n), at which the path ends: below, eps of the springs of sticking contacts hides the
   inertia of bodies, and steps become short. Proximal Newton does the rest. */
static const double tp_interior_gap = 1e-7;

/* Share of the change of slip speeds that steps foresee at most, how it rises after a step and falls after
   one that is slower than the last value, and below which it is 0. Without it walls take two to four times as
   many steps to the same E; with all of it at all times steps end at E = 1e-2. bench/heaps */
static const double tp_interior_slip = 0.9, tp_interior_slip_rise = 0.1, tp_interior_slip_fall = 0.3,
                    tp_interior_slip_least = 0.01, tp_interior_slow = 0.2;

/* Relative to rho, on the diagonal of G in these steps. */
static const double tp_interior_shift = 1e-10;

/* ---- The stages of `auto`, theory/solvers.md (28): tests/solver/test_auto.c,
   tests/claims/test_problem_files.c, test_auto_in_scenes.c. Budgets decide how long the wrong way is
   followed, not what is found. ---- */

enum {
    TP_FEW_ROWS = 200, /* problems up to this size are solved by cases or pivoting where all else fails, and
                          planar ones of any size once the chain has spent as much as that may take */
    TP_PIVOTING_ROWS = 400, /* problems of scalar rows up to this size go through the MLCP solver first */
    TP_ROW_PIVOTS = 4, /* pivots a row of large planar problems: paths that lead somewhere take about three */
    TP_JOINT_REFINEMENTS = 3,     /* of joints alone, with the factors of a step: with 1 joints of a chain are
                                     left open by more than rounding and closed by another factorisation */
    TP_LOCKS = 7,                 /* from seven places along the same self-stress: friction locks */
    TP_MOST_ITERATIONS = 1000000, /* what a million sweeps have not solved, more do not solve either */
    TP_SHORT_SLICE = 30, /* sweeps of the first slice where Newton's method comes first; they double */
    TP_LONG_SLICE =
        1000, /* where sweeps come first: about the work of a turn of Newton's method; they double */
    TP_DOUBLINGS = 6,
    TP_FOLLOWED_SLICES = 6, /* where friction follows joints: cases have been tried before */
    TP_NEAR_CASES = 64,     /* what has a solution has it among these, nearly always */
    TP_SEARCH_PATIENCE = 5, /* Newton steps with a line search without a quartering of the merit */
    TP_SMALL_STALL = 200,   /* sweeps without a halving of E */
    TP_LARGE_STALL = 10000,
    TP_LONGEST_STALL = 1000000000, /* more doublings would leave the range of int */
    TP_REFINEMENTS = 4,            /* (14a) of steps with a line search */
    TP_LARGE_LAWS = 1000,          /* with more, and expensive Newton steps, a problem is left to sweeps */
    TP_EXCURSION = 100             /* Newton steps aside at most */
};

/* Largest momentum of slices that follow each other. */
enum { TP_CAPS = 6 };
static const double tp_small_caps[TP_CAPS] = {1.0, 0.85, 0.8, 0.9, 0.7, 0.95},
                    tp_large_caps[TP_CAPS] = {0.8, 0.8, 0.75, 0.8, 0.85, 0.7};

/* Which way a linear system is solved: time alone depends on these. */
enum {
    TP_DENSE_SYSTEM = 96, /* systems up to this size may be solved densely                          */
    TP_SMALL_SYSTEM = 24, /* and these are                                                          */
    TP_FRONT_COST = 400   /* multiplications in whose time a front is laid out, filled and passed on */
};

/* Memory of islands: of a step so many solves are kept, of problems above TP_MEMORY_SMALL bytes the first
   alone. What is taken at first is enough for scenes of some dozen contacts, so that they take no memory
   later. tests/simulation/test_contact_memory.c */
enum { TP_MEMORY_SOLVES = 4, TP_MEMORY_SMALL = 1 << 20, TP_MEMORY_BYTES = 1 << 19, TP_MEMORY_ENTRIES = 1024 };

/* Words of a key that its hash looks at: all bytes are compared where it fits, so that time alone depends on
   it. tests/solver/test_islands.c */
enum { TP_HASHED_WORDS = 512 };

/* ---- One block: tests/solver/test_block_solve.c, test_quartic.c ---- */

/* A diagonal below this part of rho belongs to a row that impulses cannot move; it is raised to that, and E
   decides. A determinant below this part of its terms: sticking is not unique, sliding is tried first. */
static const double tp_smallest_diagonal = 1e-14, tp_smallest_determinant = 1e-14;

/* Relative to the largest diagonal entry, added to the block of a joint; vanishes at the solution. */
static const double tp_joint_shift = 1e-12;

/* Roots and fixed points of one block: two roundings, and where Newton's method on a block may stop. */
static const double tp_block_rounding = 4e-16, tp_block_enough = 1e-13;

/* `de-saxce`: precision of the first convex problems, and of the last ones: what rounding allows. A sharper
   first one costs sweeps, and changes no answer. tests/solver/test_solve.c */
static const double tp_first_precision = 1e-3, tp_last_precision = 1e-16;

/* All solutions of one contact: singular below 15 digits, an edge at 14, two points are one at 9 digits, and
   slip equations hold to 1e-11 of their terms or the root is none. */
static const double tp_contact_singular = 1e-15, tp_contact_edge = 1e-14, tp_contact_contradiction = 1e-12,
                    tp_contact_same = 1e-9, tp_contact_defect = 1e-11;

/* ---- Inclusions: tests/solver/test_inclusion.c ---- */

/* An error below this that has not fallen for three linearised inclusions is that of rounding. */
static const double tp_stagnation_error = 1e-6;

/* Errors of linearised inclusions that differ by less than this part of them repeat each other: full steps
   between two linearisations, each of which has the solution of the other. Larger ones end slow iterations.
 */
static const double tp_repeated = 0.01;

/* Linearised inclusions without a better point after which an iteration ends where friction follows joints.
   At 1 loops with dry joints stop at their dead positions: tests/claims/test_joint_friction.c. */
enum { TP_FOLLOWER_PATIENCE = 10 };

/* Sizes of F may grow by this during an iteration: gyroscopic terms of a step that turns by radians. */
static const double tp_largest_growth = 10.0;

/* Where the floor is high, an error above this is lowered as long as steps halve it, down to a few floors. */
static const double tp_high_error = 1e-10, tp_few_floors = 4.0;

/* E that linear problems are solved to: a share of the tolerance, most of it where that is loose; where the
   error of the inclusion does not make so much progress, so much better the next time (else an answer of the
   last problem would do for the next one), down to the smaller of share and tp_linear_tolerance. And what
   their solvers reach in spite of rounding and redundant contacts. */
static const double tp_linear_tolerance = 1e-12, tp_linear_share = 0.1, tp_loose_share = 0.5,
                    tp_linear_fall = 1e-2, tp_linear_progress = 0.1;
static const double tp_sharpest_error = 4.0 * DBL_EPSILON, tp_reachable_error = 32.0 * DBL_EPSILON;

/* Relative to the error of an inclusion, up to 1, where it is linearised: E that is enough if a solver has
   failed to get lower. The curvature of steps leaves more of it. At 1e-5 some iterations go round in circles,
   at 1e-9 solvers search for digits that the next one changes. tests/long/test_joint_friction.c */
static const double tp_linear_enough = 1e-6;

/* The same as a part of the error that the inclusion is solved to: its rounding floor may be high. At 1 the
   inclusion stays above it. */
static const double tp_goal_share = 0.5;

/* Rows as slow as a hundred times rounding noise are judged as noise is, absolutely: the linearised problems
   are not solved any better there, since only a part of their velocities is left in c. */
static const double tp_noise_factor = 100.0;

/* ---- Joints: tests/solver/test_held_joints.c, test_absorbed.c ---- */

/* Rows of joints hold if they are within so many roundings of their largest term. A factorisation is worth
   its time where they are not by far. */
static const double tp_held = 4.0 * DBL_EPSILON, tp_open = 64.0 * DBL_EPSILON;

/* Corrections of a mechanism by the factors of its caller, which are shifted by 1e-13: two bring chains of
   10 and 100 links to rounding. Fewer than two, and the general way solves it, at three times the cost.
   tests/claims/test_chain_solve.c */
enum { TP_JOINT_STEPS = 6 };

/* Refinement of joints goes on as long as it divides the error by this. */
static const double tp_worth_while = 2.0;

/* ---- Proofs that there is no solution: tests/solver/test_no_solution.c, test_farkas.c, test_judge.c ---- */

/* Sine of the angle between y and its part of c below which c.y is not trusted to be negative: what a
   tolerance of 1e-8 would see. Bodies that are squeezed slowly while others move fast have small ones. */
static const double tp_smallest_descent = 1e-9;

/* Parts of y below the first fraction of |y| are rounding and removed; more than the second that has to be
   removed is friction. Rows below the third are not named. */
static const double tp_negligible_part = 1e-9, tp_smallest_part = 1e-6, tp_unnamed_part = 1e-12;

/* G^T y vanishes if no |P| below this many times the natural impulse |c|/rho could undo c.y. A soft but
   feasible problem, a column with mass ratio 1e6, reaches 1e8, with 1e11 it reaches 1e13. The second for
   linear programmes, whose y is exact. */
static const double tp_unreachable = 1e14, tp_least_radius = 1e13;

/* The same for a drift with friction parts, which proves nothing and only ends a search; so is its angle. */
static const double tp_locked_reach = 1e10, tp_locked_descent = 1e-7;

/* Parts of G^T y below this many eps of the sum of their terms' sizes are rounding; of c.y this part. */
static const double tp_sum_roundings = 16.0, tp_sum_part = 1e-10;

/* For the problem without friction that is solved for a proof: what `auto` calls solved. */
static const double tp_frictionless_tolerance = 1e-8;

/* Relative to the best E: rows of joints that contradict each other by this much leave nothing to be solved.
   Doubled it would never be met: such problems then take the whole search, with the same answer. */
static const double tp_contradiction_share = 0.9;

/* Proofs by cases exclude impulses of up to this many |c|/rho: answers are smaller by far, and a programme
   whose numbers come out of an elimination has 12 digits. Entries of that matrix below the second, of the
   sum of their terms, are rounding. tests/solver/test_case_proof.c */
static const double tp_case_reach = 1e6, tp_case_noise = 1e-12;

/* ---- Pivoting and cases: tests/solver/test_lemke.c, test_mlcp.c, test_enumeration.c ---- */

/* Data equilibrated to 1: pivots below the first are taken for 0 where a row is eliminated, below the second
   of the largest of their column on a path, ratios that differ by less than the third are tied. Reduced costs
   of linear programmes below the first are 0. */
static const double tp_pivot_tiny = 1e-10, tp_path_tiny = 1e-11, tp_ratio_tie = 1e-13;

/* Rows between bounds by Newton's method. Diagonals below the first part of rho have no unit of their own;
   pivots below the second are 0, and the third is added to the diagonal then, a hundred times more each time.
   A line search ends at the fourth. The centre of the proximal term moves where the merit has fallen to the
   fifth, and its weight falls by the sixth. From the last E on cases are read off and solved, with pivots of
   any size above rounding. Time and which of several solutions is found depend on them; tp_judge decides. */
static const double tp_box_length = 1e-6, tp_box_pivot = 1e-15, tp_box_shift = 1e-9, tp_box_shortest = 1e-8,
                    tp_box_centre = 1e-4, tp_box_fall = 0.3, tp_box_near = 1e-2, tp_polish_pivot = 1e-16;

/* What is left of the sum of artificial variables of a linear programme that is feasible. */
static const double tp_programme_rest = 1e-15;

/* A path that ended may have lost its dictionary to rounding: its residual, of |q|, tells. */
static const double tp_worst_path = 1e-6;

/* Errors below this are not a matter of cases but of rounding. */
static const double tp_decided_error = 1e-6;

/* Linear systems of a case: pivots below this part of the largest entry are 0, right sides of rows without
   pivot above that part contradict each other, entries above so many eps cast doubt on the rank. */
static const double tp_case_singular = 1e-13, tp_case_contradiction = 1e-10, tp_case_doubt = 4.0;

/* Directions of several slipping contacts, of |c|: Newton's method aims at the first, the second will do. */
static const double tp_slip_aim = 1e-15, tp_slip_enough = 1e-9;

/* Cases by Newton's method: friction within this part of its bound slipped at the point that says which case
   is tried first; a load of this part of the impulse that the data explain stands for one that is not known
   yet. Both change the order of cases and the way to their points, not the points. */
static const double tp_case_rim = 1e-6, tp_case_load = 1.0;

/* Relative to rho, on the diagonal of G in these steps, taken back by refinement: rows of redundant joints
   that contradict each other by d move their reactions by d / shift in each step, and friction follows them.
   At 1e-8 spatial loops stay at E = 2e-10; above 1e-4 Newton's method is linear, and below where G is nearly
   singular: close to a solution, a step that does not lower E to the second makes it smaller by that. */
static const double tp_case_shift = 1e-6, tp_worth_case = 1e-2;

/* Newton steps in one case, and where they come close to a solution; linear programmes that exclude cases,
   and cases that are tried where they do not; Newton steps of the whole walk. Together they bound the time of
   a step that has no solution among the first cases. With half of the walk the tests of the solvers pass.
   tests/solver/test_held_sizes.c, test_case_proof.c */
enum {
    TP_CASE_STEPS = 8,
    TP_CLOSE_STEPS = 16,
    TP_PROGRAMMES = 512,
    TP_MOST_VISITS = 128,
    TP_WALK_STEPS = 1024
};

/* Enumeration: E of a case that is a solution; two solutions are one if they agree to this part of their
   size; masses that differ by more than this make systems that double precision does not tell from singular
   ones. */
static const double tp_case_tolerance = 1e-9, tp_same_solution = 1e-7, tp_decidable_ratio = 1e12;

#endif
