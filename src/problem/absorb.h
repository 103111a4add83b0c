/* Joints as unknowns: a problem whose M couples many bodies keeps its sparsity if the multipliers of joints
   join x instead of going through G; theory/problems.md (12)-(14). */
#ifndef TP_PROBLEM_ABSORB_H
#define TP_PROBLEM_ABSORB_H

#include "base/stack.h"
#include "math/factor.h"
#include "tippe/problem.h"

/* M' x' = f' + A' P',  xi' = C' x' + D' P' + b' with x' = (x, P_F) and the laws that are left. */
typedef struct tp_absorbed {
    tp_problem problem; /* its arrays are on the stack; no memory of its own */
    int *unknown_row;   /* [absorbed rows] row of the given problem that unknown x_count + k belongs to */
    int *kept_row;      /* [problem.row_count] row of the given problem                                 */
    int *order;         /* [problem.x_count] columns of M', so that its factors are sparse              */
    tp_lu lu;           /* of M' */
} tp_absorbed;

/* Which FREE laws are better unknowns: is_absorbed_out [set_count]; count_out gets the number of their rows,
   0 where G is small. Laws that others follow as masters are never chosen. */
tp_status tp_absorb_choose(const tp_problem *problem, tp_stack *stack, unsigned char *is_absorbed_out,
                           int *count_out);

/* All FREE laws but masters: is_absorbed_out [set_count]; the number of their rows is returned. */
int tp_absorb_joints(const tp_problem *problem, unsigned char *is_absorbed_out);

/* The same where there are other laws beside them; else count_out is 0. */
void tp_absorb_choose_all(const tp_problem *problem, unsigned char *is_absorbed_out, int *count_out);

/* The problem (12) for that choice, and M' factorised. TP_SINGULAR if M' is to working precision: joints are
   redundant, and their reactions a matter of choice. Memory stays taken. */
tp_status tp_absorb(const tp_problem *problem, const unsigned char *is_absorbed, tp_stack *stack,
                    tp_absorbed *out);

#endif
