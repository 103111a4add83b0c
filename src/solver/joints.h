/* A mechanism without contacts, by factors that its caller has already; theory/solvers.md (28i). */
#ifndef TP_SOLVER_JOINTS_H
#define TP_SOLVER_JOINTS_H

#include "solvers.h"
#include "workspace.h"

/* Where all laws are joints and M is diagonal, P and x by the inverse, corrected until the rows of joints
   hold to rounding of x. *is_over_out: the judge takes the answer, and the report is complete; else nothing
   has changed, and the other ways have their turn. Not TP_OK: memory is exhausted. */
tp_status tp_solve_joints(const tp_solve_call *call, const tp_joint_inverse *inverse, double *P,
                          double *x_out, tp_report *report, bool *is_over_out);

#endif
