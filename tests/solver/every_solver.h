/* One suitable problem at least for every solver of the table. */
#ifndef TESTS_EVERY_SOLVER_H
#define TESTS_EVERY_SOLVER_H

#include "problems.h"

enum { SUITABLE = 5, SUITABLE_ROWS = 30 };

/* Bodies of three unknowns in a chain with spatial contacts between them: a global problem. */
static inline tp_problem *random_global(check_random *random, int contacts)
{
    enum { MOST_X = 33, MOST_ROWS = 30 };
    double M[MOST_X * MOST_X] = {0}, A[MOST_X * MOST_ROWS] = {0}, f[MOST_X], b[MOST_ROWS];
    tp_set sets[10];
    int n = 3 * (contacts + 1), m = 3 * contacts;
    for (int i = 0; i < n; i++) {
        M[i * (n + 1)] = check_uniform(random, 0.5, 2.0);
        f[i] = check_normal(random);
    }
    for (int k = 0; k < contacts; k++) {
        sets[k] = tp_set_coulomb(3, check_uniform(random, 0.1, 0.8));
        for (int r = 0; r < 3; r++) {
            b[3 * k + r] = check_normal(random);
            for (int i = 0; i < 6; i++) A[3 * k + i + (3 * k + r) * n] = check_normal(random);
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = n, def.row_count = m, def.set_count = contacts, def.sets = sets, def.f = f, def.b = b;
    def.M = (tp_entries){n, n, n * n, NULL, NULL, M};
    def.A = (tp_entries){n, m, n * m, NULL, NULL, A};
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

/* Complementarity rows and a joint: xi = G P + c with symmetric positive definite G. */
static inline tp_problem *random_scalar_rows(check_random *random, int rows)
{
    double a[SUITABLE_ROWS * SUITABLE_ROWS], G[SUITABLE_ROWS * SUITABLE_ROWS], c[SUITABLE_ROWS];
    tp_set sets[2] = {tp_set_free(1), tp_set_orthant(rows - 1)};
    for (int k = 0; k < rows * rows; k++) a[k] = check_normal(random);
    for (int i = 0; i < rows; i++) {
        c[i] = check_normal(random);
        for (int j = 0; j < rows; j++) {
            G[i + j * rows] = i == j ? 0.2 : 0.0;
            for (int k = 0; k < rows; k++) G[i + j * rows] += a[i + k * rows] * a[j + k * rows] / rows;
        }
    }
    return make_local(rows, G, c, sets, 2);
}

/* Contacts; contacts with bodies; rows; one contact; planar contacts. Freed by the caller. */
static inline void suitable_problems(unsigned seed, tp_problem **problems)
{
    check_random random = {seed};
    problems[0] = random_contacts(&random, 6, 0.1, 0.8);
    problems[1] = random_global(&random, 3);
    problems[2] = random_scalar_rows(&random, 7);
    problems[3] = random_contacts(&random, 1, 0.1, 0.8);
    double G[16], c[4];
    tp_set sets[2] = {tp_set_coulomb(2, 0.4), tp_set_coulomb(2, 0.2)};
    for (int k = 0; k < 16; k++) G[k] = 0.2 * check_normal(&random) + (k % 5 == 0 ? 2.0 : 0.0);
    for (int k = 0; k < 4; k++) c[k] = check_normal(&random);
    problems[4] = make_local(4, G, c, sets, 2);
}

#endif
