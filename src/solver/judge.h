/* Who decides whether an answer counts as solved: one rule for one-step problems and inclusions, whoever
   solved them; theory/problems.md (20)-(22). */
#ifndef TP_SOLVER_JUDGE_H
#define TP_SOLVER_JUDGE_H

#include "problem/local.h"
#include "tippe/solver.h"

/* What rounding leaves of an error: that of the terms of the answer, and that which was in the data. */
typedef struct tp_floor {
    double rounding, noise;
} tp_floor;

/* Size of impulses that the data explain: what this inertia (tp_problem_inertia) takes up at this velocity,
   enlarged by geometry. Infinite where no masses are known (problems in local form). */
double tp_explained_impulse(double inertia, double velocity);

/* The floor of E at P; the noise is that of the options. */
tp_floor tp_floor_at(const tp_local *local, const double *P, double noise);
double tp_floor_sum(tp_floor floor);

/* The error up to which an answer counts as solved. */
double tp_accepted_error(double tolerance, double enough, tp_floor floor);

/* The same by the options of tp_solve: rounding counts only if floor_factor is positive. */
double tp_accepted_by(const tp_solver_options *options, tp_floor floor);

#endif
