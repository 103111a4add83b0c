/* Problems that several tests share. */
#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H

#include "check.h"
#include "tippe/tippe.h"

#include <stdlib.h>
#include <string.h>

/* A local problem with a dense matrix; fails the test if it cannot be made. */
static inline tp_problem *make_local(int rows, const double *G, const double *c, const tp_set *sets,
                                     int set_count)
{
    tp_problem_def def = tp_problem_def_default();
    def.row_count = rows;
    def.set_count = set_count;
    def.sets = sets;
    def.D = (tp_entries){rows, rows, rows * rows, NULL, NULL, G};
    def.b = c;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) {
        print_error("%s\n", why.text);
        fail();
    }
    return problem;
}

/* Random spatial contacts: G = A A^T / rows + 0.1 I with standard normal A, friction in (low, high), normal
 * c. */
static inline tp_problem *random_contacts(check_random *random, int contacts, double low, double high)
{
    int n = 3 * contacts;
    double *a = malloc((size_t)(n * n) * sizeof(double)), *G = malloc((size_t)(n * n) * sizeof(double));
    double *c = malloc((size_t)n * sizeof(double));
    tp_set *sets = malloc((size_t)contacts * sizeof(tp_set));
    for (int i = 0; i < n * n; i++) a[i] = check_normal(random);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += a[i + k * n] * a[j + k * n];
            G[i + j * n] = sum / n + (i == j ? 0.1 : 0.0);
        }
        c[i] = check_normal(random);
    }
    for (int i = 0; i < contacts; i++) sets[i] = tp_set_coulomb(3, check_uniform(random, low, high));
    tp_problem *problem = make_local(n, G, c, sets, contacts);
    free(a), free(G), free(c), free(sets);
    return problem;
}

/* Solves from P = 0; returns the status. */
static inline tp_status solve_with(const tp_problem *problem, const char *solver, double tolerance, double *P,
                                   tp_report *report)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tolerance;
    tp_workspace *workspace;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve(problem, solver, &options, workspace, P, NULL, report);
    tp_workspace_free(workspace);
    return status;
}

#endif
