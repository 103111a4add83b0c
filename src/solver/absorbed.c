/* Joints as unknowns: a sparse solve instead of a dense G; theory/problems.md (12)-(17). */
#include "absorbed.h"

#include "chain.h"
#include "held_joints.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "problem/absorb.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REFINEMENTS = 4 };

typedef struct solve {
    const tp_problem *problem;
    const tp_solver_options *options;
    tp_stack *stack;
    tp_absorbed_choice choice;
    tp_part *part; /* NULL: not asked for */
    tp_absorbed absorbed;
    tp_lu lu;       /* of M, for the judge           */
    tp_local local; /* the judge's measures, no G    */
    double *P, *x, *xi;
    double *P_next, *x_next, *xi_next; /* the same after a refinement */
    double *step;                      /* [absorbed unknowns] */
    double *P_kept;                    /* [rows that are left] */
} solve;

static tp_status take_memory(solve *s)
{
    size_t n = (size_t)s->problem->x_count, rows = (size_t)s->problem->row_count;
    s->P = TP_STACK_ARRAY(s->stack, double, rows);
    s->xi = TP_STACK_ARRAY(s->stack, double, rows);
    s->x = TP_STACK_ARRAY(s->stack, double, n);
    s->P_next = TP_STACK_ARRAY(s->stack, double, rows);
    s->xi_next = TP_STACK_ARRAY(s->stack, double, rows);
    s->x_next = TP_STACK_ARRAY(s->stack, double, n);
    s->step = TP_STACK_ARRAY(s->stack, double, s->absorbed.problem.x_count);
    s->P_kept = TP_STACK_ARRAY(s->stack, double, s->absorbed.problem.row_count);
    return s->stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

/* What noise in the rows of joints becomes in the laws that are left, C' M'^-1 (0, +-noise): levers carry it
   there, in the units of those rows; theory/problems.md (17). */
static double passed_noise(const solve *s, double noise)
{
    const tp_absorbed *a = &s->absorbed;
    int n = s->problem->x_count;
    unsigned long long random = 50021ull;
    memset(s->step, 0, (size_t)n * sizeof(double));
    for (int k = n; k < a->problem.x_count; k++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        s->step[k] = random >> 63 ? noise : -noise;
    }
    tp_lu_solve(&a->lu, s->step);
    memset(s->xi_next, 0, (size_t)a->problem.row_count * sizeof(double));
    tp_sparse_multiply_transposed_add(&a->problem.Ct, s->step, s->xi_next);
    return tp_dense_norm(a->problem.row_count, s->xi_next);
}

/* The laws that are left, by the chain; their error has the measures of the whole problem. */
static tp_status solve_kept(solve *s, tp_report *report)
{
    const tp_problem *rest = &s->absorbed.problem;
    if (rest->row_count == 0) return TP_OK;
    tp_stack_mark mark = tp_stack_mark_now(s->stack);
    tp_local local;
    tp_status status = tp_local_form_ordered(rest, s->absorbed.order, s->stack, &local);
    if (status == TP_OK) {
        local.rho = s->local.rho;
        local.inertia = s->local.inertia;
        local.scale = s->local.scale;
        local.at_rounding = s->local.at_rounding;
        tp_solver_options options = *s->options;
        options.work_limit = tp_absorbed_share * tp_chain_work_limit(s->options);
        if (s->choice == TP_ABSORB_ALL) options.noise += passed_noise(s, s->options->noise);
        tp_solve_call call = {.problem = rest, .local = &local, .options = &options, .stack = s->stack};
        status = tp_solver_auto.solve(&call, s->P_kept, report);
    }
    tp_stack_release(s->stack, mark);
    return status;
}

/* x' = M'^-1 (f' + A' P'): the multipliers of joints that belong to the others. */
static void recover_joints(solve *s)
{
    const tp_absorbed *a = &s->absorbed;
    tp_problem_state_by(&a->problem, &a->lu, s->P_kept, s->step, NULL);
    for (int k = 0; k < a->problem.row_count; k++) s->P[a->kept_row[k]] = s->P_kept[k];
    for (int k = 0; k < a->problem.x_count - s->problem->x_count; k++)
        s->P[a->unknown_row[k]] = s->step[s->problem->x_count + k];
}

/* M' (dx, dP_F) = (0, -xi_F): what the judge still sees of the velocities of joints is taken away. */
static void refine(solve *s)
{
    const tp_absorbed *a = &s->absorbed;
    int n = s->problem->x_count, count = a->problem.x_count - n;
    memset(s->step, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < count; k++) s->step[n + k] = -s->xi[a->unknown_row[k]];
    tp_lu_solve(&a->lu, s->step);
    memcpy(s->P_next, s->P, (size_t)s->problem->row_count * sizeof(double));
    for (int k = 0; k < count; k++) s->P_next[a->unknown_row[k]] += s->step[n + k];
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* E by the judge, as low as refinement gets it. */
static double refined_error(solve *s)
{
    tp_problem_state_by(s->problem, &s->lu, s->P, s->x, s->xi);
    double error = tp_local_error_at(&s->local, s->P, s->xi, NULL);
    for (int k = 0; k < REFINEMENTS; k++) {
        refine(s);
        tp_problem_state_by(s->problem, &s->lu, s->P_next, s->x_next, s->xi_next);
        double next = tp_local_error_at(&s->local, s->P_next, s->xi_next, NULL), before = error;
        if (!(next < error)) break;
        error = next;
        swap(&s->P, &s->P_next);
        swap(&s->x, &s->x_next);
        swap(&s->xi, &s->xi_next);
        if (next * tp_worth_while > before) break;
    }
    return error;
}

/* M, M' and the judge's measures. TP_SINGULAR: not a problem for this method. */
static tp_status prepare(solve *s, const unsigned char *choice)
{
    TP_TRY(tp_absorb(s->problem, choice, s->stack, &s->absorbed));
    TP_TRY(tp_lu_factor(s->stack, &s->problem->M, 0.1, NULL, &s->lu));
    TP_TRY(tp_local_measure(s->problem, &s->lu, s->stack, &s->local));
    return take_memory(s);
}

static double error_at(solve *s, const double *P)
{
    tp_problem_state_by(s->problem, &s->lu, P, s->x_next, s->xi_next);
    return tp_local_error_at(&s->local, P, s->xi_next, NULL);
}

static tp_status run(solve *s, double *P, double *x_out, tp_report *report, tp_absorbed_answer *answer)
{
    size_t rows = (size_t)s->problem->row_count, n = (size_t)s->problem->x_count;
    for (int k = 0; k < s->absorbed.problem.row_count; k++) s->P_kept[k] = P[s->absorbed.kept_row[k]];
    tp_report kept = *report;
    kept.iterations = 1;
    tp_status status = solve_kept(s, &kept);
    answer->work = kept.work;
    answer->iterations = kept.iterations;
    if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
    recover_joints(s);
    answer->error = refined_error(s);
    answer->floor = tp_floor_at(&s->local, s->P, s->options->noise);
    tp_judge(tp_rule_of(s->options), TP_OK, answer->error, answer->floor, &kept);
    double good = fmax(tp_near_floor * tp_floor_sum(answer->floor),
                       s->choice == TP_ABSORB_ALL ? s->options->enough : 0.0);
    answer->is_solved = kept.status == TP_OK || answer->error <= good;
    answer->is_better = answer->is_solved || answer->error < error_at(s, P);
    if (!answer->is_solved) {
        if (answer->is_better) memcpy(P, s->P, rows * sizeof(double));
        return TP_OK;
    }
    *report = kept;
    if (s->absorbed.problem.row_count == 0 || report->status != status) {
        snprintf(report->reason, sizeof report->reason, "%s",
                 report->status == TP_OK ? "E is below the tolerance"
                                         : "the limit of double precision was reached");
    }
    memcpy(P, s->P, rows * sizeof(double));
    if (s->part != NULL) {
        s->part->local = s->local;
        memcpy(s->part->c, s->local.c, rows * sizeof(double));
        memcpy(s->part->xi, s->xi, rows * sizeof(double));
    }
    if (x_out == NULL) return TP_OK;
    memcpy(x_out, s->x, n * sizeof(double));
    memcpy(s->P_next, P, rows * sizeof(double)); /* P stays what was judged: it is as good as it gets */
    tp_hold_joints_by(s->problem, &s->absorbed, s->xi_next, s->step, s->P_next, x_out);
    return TP_OK;
}

/* Which laws become unknowns: is_absorbed [set_count], and the number of their rows. */
static tp_status choose(const solve *s, tp_absorbed_choice choice, unsigned char *is_absorbed, int *count_out)
{
    if (choice == TP_ABSORB_LARGE) return tp_absorb_choose(s->problem, s->stack, is_absorbed, count_out);
    tp_absorb_choose_all(s->problem, is_absorbed, count_out);
    return TP_OK;
}

tp_status tp_solve_absorbed(const tp_solve_call *call, tp_absorbed_choice choice, double *P, double *x_out,
                            tp_report *report, tp_absorbed_answer *answer_out)
{
    return tp_solve_absorbed_part(call, choice, NULL, P, x_out, report, answer_out);
}

tp_status tp_solve_absorbed_part(const tp_solve_call *call, tp_absorbed_choice choice, tp_part *part,
                                 double *P, double *x_out, tp_report *report, tp_absorbed_answer *answer_out)
{
    *answer_out = (tp_absorbed_answer){.is_solved = false};
    tp_stack *stack = call->stack;
    solve s = {
        .problem = call->problem, .options = call->options, .stack = stack, .choice = choice, .part = part};
    tp_stack_mark mark = tp_stack_mark_now(stack);
    int count = 0;
    unsigned char *is_absorbed = TP_STACK_ARRAY(stack, unsigned char, call->problem->set_count);
    tp_status status = is_absorbed != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK) status = choose(&s, choice, is_absorbed, &count);
    if (status == TP_OK && count > 0) {
        status = prepare(&s, is_absorbed);
        if (status == TP_OK) status = run(&s, P, x_out, report, answer_out);
    }
    tp_stack_release(stack, mark);
    return status == TP_OUT_OF_MEMORY ? status
                                      : TP_OK; /* whatever else went wrong: the other way will tell */
}
