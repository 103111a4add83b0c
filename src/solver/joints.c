/* One linear solve for a mechanism without contacts; theory/solvers.md (28i). */
#include "joints.h"

#include "diagonal.h"
#include "held_joints.h"
#include "judge.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

typedef struct trial {
    const tp_problem *problem;
    const tp_joint_inverse *inverse;
    double *mass, *x, *push; /* [x_count] */
    double *c, *xi, *P, *dP; /* [row_count] */
} trial;

/* The rows of the inverse have neither a compliance nor other columns than these. */
static bool is_suitable(const tp_solve_call *call, const double *x_out)
{
    const tp_problem *problem = call->problem;
    if (problem->x_count == 0 || problem->row_count == 0 || x_out == NULL) return false;
    if (problem->Ct.value != problem->A.value) return false;
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].kind != TP_SET_FREE) return false;
    }
    const double *D = problem->D.value;
    for (size_t k = 0; k < problem->D.offset[problem->D.block_count]; k++) {
        if (D[k] != 0.0) return false;
    }
    return true;
}

static bool take_memory(trial *t, tp_stack *stack)
{
    size_t n = (size_t)t->problem->x_count, rows = (size_t)t->problem->row_count;
    t->mass = TP_STACK_ARRAY(stack, double, 3 * n + 4 * rows);
    if (t->mass == NULL) return false;
    t->x = t->mass + n;
    t->push = t->x + n;
    t->c = t->push + n;
    t->xi = t->c + rows;
    t->P = t->xi + rows;
    t->dP = t->P + rows;
    return true;
}

/* x += sign M^-1 A dP, P += sign dP. */
static void add(trial *t, double sign)
{
    for (int k = 0; k < t->problem->x_count; k++) t->x[k] += sign * t->push[k];
    for (int k = 0; k < t->problem->row_count; k++) t->P[k] += sign * t->dP[k];
}

/* xi = A^T x + b. */
static void see(const trial *t, const double *x, double *xi)
{
    memcpy(xi, t->problem->b, (size_t)t->problem->row_count * sizeof(double));
    t->inverse->see(t->inverse->context, x, xi);
}

/* dP = -(C M^-1 A)^-1 xi again and again; returns how far the joints are open at the end. */
static double close_joints(trial *t)
{
    const tp_problem *problem = t->problem;
    double before = tp_joint_opening(problem, t->x, t->xi);
    for (int k = 0; k < TP_JOINT_STEPS && before > tp_held; k++) {
        for (int row = 0; row < problem->row_count; row++) t->dP[row] = -t->xi[row];
        t->inverse->apply(t->inverse->context, t->dP);
        t->inverse->push(t->inverse->context, t->dP, t->push);
        add(t, 1.0);
        see(t, t->x, t->xi);
        double after = tp_joint_opening(problem, t->x, t->xi);
        if (!(after < before)) { /* back, and that was all */
            add(t, -1.0);
            break;
        }
        bool is_slow = after > 0.5 * before;
        before = after;
        if (is_slow) break;
    }
    return before;
}

/* Without impulses: x = M^-1 f and what the rows see of it. */
static void begin(trial *t)
{
    const tp_problem *problem = t->problem;
    for (int j = 0; j < problem->x_count; j++) t->x[j] = problem->f[j] / t->mass[j];
    see(t, t->x, t->c);
    memcpy(t->xi, t->c, (size_t)problem->row_count * sizeof(double));
    memset(t->P, 0, (size_t)problem->row_count * sizeof(double));
}

/* Diagonal of C M^-1 A, and the inertia that rows can move (tp_problem_inertia). */
static void measure(const trial *t, tp_local *local)
{
    const tp_sparse *A = &t->problem->A;
    tp_local_sums sums = {0.0, 0.0, 0.0};
    double square = 0.0;
    for (int row = 0; row < t->problem->row_count; row++) {
        double entry = 0.0, moved = 0.0, length = 0.0;
        for (int k = A->start[row]; k < A->start[row + 1]; k++) {
            double part = A->value[k] * A->value[k], mass = t->mass[A->index[k]];
            entry += part / mass;
            moved += part * mass;
            length += part;
        }
        if (length > 0.0) sums.inertia += moved / (length * length);
        sums.diagonal += entry;
        square += entry * entry;
    }
    sums.norm = sqrt(square);
    tp_local_measure_sums(t->problem, t->c, &sums, local);
}

/* What the rows see of the answer, by its impulses alone. */
static void see_answer(trial *t)
{
    const tp_problem *problem = t->problem;
    t->inverse->push(t->inverse->context, t->P, t->push);
    for (int j = 0; j < problem->x_count; j++) t->push[j] += problem->f[j] / t->mass[j];
    see(t, t->push, t->xi);
}

static void run(const tp_solve_call *call, trial *t, double *P, double *x_out, tp_report *report,
                bool *is_over)
{
    const tp_problem *problem = t->problem;
    tp_local local;
    if (!tp_diagonal_take(&problem->M, t->mass)) return;
    begin(t);
    if (!(close_joints(t) <= tp_open)) return;
    measure(t, &local);
    see_answer(t);
    double error = tp_local_error_at(&local, t->P, t->xi, NULL);
    tp_report judged = *report;
    tp_judge(tp_rule_of(call->options), TP_OK, error, tp_floor_at(&local, t->P, call->options->noise),
             &judged);
    if (judged.status != TP_OK) return;
    *report = judged;
    tp_report_end(report, TP_OK, "joints alone, by one factorisation");
    report->iterations = 1;
    report->work = problem->set_count;
    report->island_count = 1;
    report->unsolved_set = -1;
    memcpy(P, t->P, (size_t)problem->row_count * sizeof(double));
    memcpy(x_out, t->x, (size_t)problem->x_count * sizeof(double));
    *is_over = true;
}

tp_status tp_solve_joints(const tp_solve_call *call, const tp_joint_inverse *inverse, double *P,
                          double *x_out, tp_report *report, bool *is_over_out)
{
    *is_over_out = false;
    if (!is_suitable(call, x_out)) return TP_OK;
    trial t = {.problem = call->problem, .inverse = inverse};
    tp_stack_mark mark = tp_stack_mark_now(call->stack);
    bool has_memory = take_memory(&t, call->stack);
    if (has_memory) run(call, &t, P, x_out, report, is_over_out);
    tp_stack_release(call->stack, mark);
    return has_memory ? TP_OK : TP_OUT_OF_MEMORY;
}
