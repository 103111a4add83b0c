/* The tolerances that decide whether an answer counts as solved, on one page; theory/problems.md (20)-(22).
   Each says what it measures, relative to what, and what breaks if it is changed. The one function that uses
   them to accept an answer is tp_accepted_error (judge.h). */
#ifndef TP_SOLVER_TOLERANCES_H
#define TP_SOLVER_TOLERANCES_H

/* Multiple of the rounding errors of the terms of an answer, eps (rho |P| + |c|) / s. Bodies with more
   contacts than they need amplify rounding, and no solver gets lower. At 100 piles of boxes stop; at 1e5
   errors of the digits that users see pass. tests/solver/test_judge.c */
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
   lets answers that run away raise their own limit. tests/solver/test_judge.c */
static const double tp_geometric_gain = 100.0;

/* Steps of schemes that do not balance energies: E at which a search that found nothing better counts as
   solved. Friction in more contacts than bodies need has points where every method stalls. Relative to the
   velocities of the step: some 1e-12 m/s. At 1e-13 heaps stop; larger ones add up to visible creep. */
static const double tp_enough_for_a_step = 1e-11;

/* Solvers search no further below this multiple of the rounding floor: scenes at rest need not search for
   the last bit. A guess may have three times this. */
static const double tp_goal_roundings = 32.0;
static const double tp_guess_roundings = 96.0;

/* E below which a point refutes a proof that there is none, as a multiple of the rounding floor. */
static const double tp_refuting_roundings = 100.0;

#endif
