/* x = M^-1 (f + A P) has the rounding of impulses over the smallest inertia; theory/problems.md (18), (19).
 */
#include "held_joints.h"

#include "math/block_matrix.h"
#include "math/sparse.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS = 3 };

/* The larger one; a call of fmax for each term costs more than the term. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Largest term of a row xi = C x + D P + b of a joint: its velocities are known up to rounding of this. */
static double row_size(const tp_problem *problem, int row, const double *x)
{
    double size = fabs(problem->b[row]);
    for (int e = problem->Ct.start[row]; e < problem->Ct.start[row + 1]; e++)
        size = larger(fabs(problem->Ct.value[e] * x[problem->Ct.index[e]]), size);
    return size;
}

void tp_joint_velocities(const tp_problem *problem, const double *P, const double *x, double *xi)
{
    tp_block_matrix_apply(&problem->D, P, problem->b, xi);
    tp_sparse_multiply_transposed_add(&problem->Ct, x, xi);
}

double tp_joint_opening(const tp_problem *problem, const double *x, const double *xi)
{
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        for (int row = set->first; row < set->first + set->size && set->kind == TP_SET_FREE; row++) {
            largest = larger(fabs(xi[row]), largest);
            size = larger(row_size(problem, row, x), size);
        }
    }
    return size > 0.0 ? largest / size : 0.0;
}

static void move(const tp_problem *problem, const tp_absorbed *absorbed, double sign, const double *step,
                 double *P, double *x)
{
    int n = problem->x_count;
    for (int i = 0; i < n; i++) x[i] += sign * step[i];
    for (int j = n; j < absorbed->problem.x_count; j++) P[absorbed->unknown_row[j - n]] += sign * step[j];
}

void tp_hold_joints_by(const tp_problem *problem, const tp_absorbed *absorbed, double *work, double *step,
                       double *P, double *x)
{
    int n = problem->x_count;
    tp_joint_velocities(problem, P, x, work);
    double before = tp_joint_opening(problem, x, work);
    for (int k = 0; k < CORRECTIONS && before > tp_held; k++) {
        memset(step, 0, (size_t)n * sizeof(double));
        for (int j = n; j < absorbed->problem.x_count; j++) step[j] = -work[absorbed->unknown_row[j - n]];
        tp_lu_solve(&absorbed->lu, step);
        move(problem, absorbed, 1.0, step, P, x);
        tp_joint_velocities(problem, P, x, work);
        double after = tp_joint_opening(problem, x, work);
        if (!(after < before)) { /* back, and that was all */
            move(problem, absorbed, -1.0, step, P, x);
            return;
        }
        before = after;
    }
}

tp_status tp_hold_joints(const tp_problem *problem, tp_stack *stack, double *P, double *x)
{
    if (problem->x_count == 0) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    double *xi = TP_STACK_ARRAY(stack, double, problem->row_count);
    unsigned char *is_absorbed = TP_STACK_ARRAY(stack, unsigned char, problem->set_count);
    tp_status status = stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
    if (status == TP_OK) tp_joint_velocities(problem, P, x, xi);
    if (status == TP_OK && tp_joint_opening(problem, x, xi) > tp_open) {
        tp_absorbed absorbed;
        tp_absorb_joints(problem, is_absorbed);
        status = tp_absorb(problem, is_absorbed, stack, &absorbed);
        double *step = status == TP_OK ? TP_STACK_ARRAY(stack, double, absorbed.problem.x_count) : NULL;
        if (step != NULL) tp_hold_joints_by(problem, &absorbed, xi, step, P, x);
        if (stack->failed) status = TP_OUT_OF_MEMORY;
    }
    tp_stack_release(stack, mark);
    return status == TP_OUT_OF_MEMORY ? status : TP_OK;
}
