/* Small problems given by dense matrices, and the call of one solver on them with E computed afterwards. */
#ifndef TESTS_DENSE_PROBLEM_H
#define TESTS_DENSE_PROBLEM_H

#include "check.h"
#include "problem/local.h"
#include "solver/solvers.h"

#include <string.h>

/* xi = M P + q with M [rows*rows] column-major; NULL if the library refuses it. */
static inline tp_problem *dense_problem(int rows, const double *M, const double *q, int set_count,
                                        const tp_set *sets)
{
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem = NULL;
    def.kind = "local";
    def.row_count = rows;
    def.set_count = set_count;
    def.sets = sets;
    def.D = (tp_entries){.rows = rows, .cols = rows, .count = rows * rows, .value = M};
    def.b = q;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) print_error("%s\n", why.text);
    return problem;
}

/* One solve; the report's error is E of the answer, by the problem layer. P [rows] in: start. */
static inline tp_report dense_solve(const tp_solver *solver, const tp_problem *problem,
                                    const tp_solver_options *options, double *P)
{
    tp_stack stack;
    tp_local local;
    tp_report report = {.solution_count = -1, .error = INFINITY};
    tp_solver_options defaults = tp_solver_options_default();
    tp_stack_init(&stack, tp_allocator_default());
    if (tp_local_form(problem, &stack, &local) == TP_OK) {
        tp_solve_call call = {
            .problem = problem, .local = &local, .options = options ? options : &defaults, .stack = &stack};
        report.status = solver->solve(&call, P, &report);
        double *work = TP_STACK_ARRAY(&stack, double, problem->row_count + 1);
        report.error = tp_local_error(&local, P, work, NULL);
    }
    tp_stack_clear(&stack);
    return report;
}

#endif
