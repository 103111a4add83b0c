/* Joints hold to the rounding of velocities, not of impulses; theory/problems.md (18), (19). */
#ifndef TP_SOLVER_HELD_JOINTS_H
#define TP_SOLVER_HELD_JOINTS_H

#include "problem/absorb.h"

/* x of a solved problem, and the impulses of joints, moved so that the rows of joints are 0 as far as double
   precision of x allows. Nothing happens where they are nearly so already, where joints are redundant, and in
   a problem without unknowns. Not TP_OK: memory is exhausted. */
tp_status tp_hold_joints(const tp_problem *problem, tp_stack *stack, double *P, double *x);

/* The same with M' factorised; work [problem->row_count], step [absorbed->problem.x_count]. */
void tp_hold_joints_by(const tp_problem *problem, const tp_absorbed *absorbed, double *work, double *step,
                       double *P, double *x);

/* xi = C x + D P + b, with x as it is. */
void tp_joint_velocities(const tp_problem *problem, const double *P, const double *x, double *xi);

/* How far the rows of joints are from 0, in parts of their largest term. */
double tp_joint_opening(const tp_problem *problem, const double *x, const double *xi);

#endif
