/* Random contacts between random bodies as a one-step problem: balls, or bodies of any inertia and arms. */
#ifndef TESTS_SOLVER_PACKING_H
#define TESTS_SOLVER_PACKING_H

#include "problems.h"

#include <stdlib.h>

typedef struct packing {
    int bodies, contacts;
    bool are_balls;
    unsigned seed;
} packing;

/* A random turn, row by row. */
static inline void random_turn(check_random *random, double *R)
{
    tp_vec3 a = {check_normal(random), check_normal(random), check_normal(random)},
            b = {check_normal(random), check_normal(random), check_normal(random)};
    tp_vec3 x = tp_vec3_scale(1.0 / tp_vec3_norm(a), a);
    tp_vec3 z = tp_vec3_cross(x, b);
    z = tp_vec3_scale(1.0 / tp_vec3_norm(z), z);
    tp_vec3 y = tp_vec3_cross(z, x);
    const double rows[9] = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
    memcpy(R, rows, sizeof rows);
}

typedef struct packing_entries {
    int *row, *col, count;
    double *value;
} packing_entries;

static inline void packing_add(packing_entries *e, int row, int col, double value)
{
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->value[e->count++] = value;
}

/* Rows of a contact in the velocities of one body: v . e, (R w) . (r x e). */
static inline void packing_side(packing_entries *A, int contact, int body, double sign, const double *E,
                                const double *arm, const double *R)
{
    for (int k = 0; k < 3; k++) {
        const double *e = E + 3 * k;
        double moment[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2],
                            arm[0] * e[1] - arm[1] * e[0]};
        for (int d = 0; d < 3; d++) {
            double spin = R[d] * moment[0] + R[3 + d] * moment[1] + R[6 + d] * moment[2];
            packing_add(A, 6 * body + d, 3 * contact + k, sign * e[d]);
            packing_add(A, 6 * body + 3 + d, 3 * contact + k, sign * spin);
        }
    }
}

/* A chain of contacts first, so that it is one island, then contacts between any two; every fifth is with the
   ground. */
static inline tp_problem *packing_problem(const packing *p)
{
    check_random random = {p->seed};
    size_t rows = 3 * (size_t)p->contacts, n = 6 * (size_t)p->bodies, entries = 12 * rows;
    packing_entries A = {malloc(entries * sizeof(int)), malloc(entries * sizeof(int)), 0,
                         malloc(entries * sizeof(double))},
                    M = {malloc(2 * n * sizeof(int)), malloc(2 * n * sizeof(int)), 0,
                         malloc(2 * n * sizeof(double))};
    double *f = malloc(n * sizeof *f), *b = malloc(rows * sizeof *b), *R = malloc(9 * n * sizeof *R);
    tp_set *sets = malloc((size_t)p->contacts * sizeof *sets);
    for (int k = 0; k < p->bodies; k++) {
        double mass = 1.0 + check_uniform(&random, 0.0, 1.0);
        random_turn(&random, R + 9 * k);
        for (int d = 0; d < 3; d++) packing_add(&M, 6 * k + d, 6 * k + d, mass);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (p->are_balls && i != j) continue;
                packing_add(&M, 6 * k + 3 + i, 6 * k + 3 + j,
                            i == j ? 0.4 * mass * (p->are_balls ? 1.0 : 1.0 + 0.2 * i) : 0.05 * (i + j));
            }
        }
        for (int d = 0; d < 6; d++) f[6 * k + d] = check_normal(&random) - (d == 2 ? 1.0 : 0.0);
    }
    for (int i = 0; i < p->contacts; i++) {
        int body = i % p->bodies, other = i < p->bodies ? i - 1 : (int)check_uniform(&random, 0.0, p->bodies);
        double E[9], arm[3], far[3];
        random_turn(&random, E);
        for (int d = 0; d < 3; d++) {
            arm[d] = p->are_balls ? -E[d] : check_normal(&random);
            far[d] = p->are_balls ? 0.9 * E[d] : check_normal(&random);
        }
        if (p->are_balls)
            for (int d = 0; d < 3; d++) arm[d] *= 1.0 + 0.01 * (i % 7);
        packing_side(&A, i, body, 1.0, E, arm, R + 9 * body);
        if (other >= 0 && other != body && i % 5 != 4)
            packing_side(&A, i, other, -1.0, E, far, R + 9 * other);
        sets[i] = tp_set_coulomb(3, i % 11 == 0 ? 0.0 : 0.5);
        /* x = 0 parts all contacts: there is a solution */
        for (int d = 0; d < 3; d++) b[3 * i + d] = d == 0 ? 0.5 : 0.05 * check_normal(&random);
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = (int)n;
    def.row_count = (int)rows;
    def.set_count = p->contacts;
    def.sets = sets;
    def.M = (tp_entries){(int)n, (int)n, M.count, M.row, M.col, M.value};
    def.A = (tp_entries){(int)n, (int)rows, A.count, A.row, A.col, A.value};
    def.f = f;
    def.b = b;
    tp_problem *problem = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    free(A.row), free(A.col), free(A.value), free(M.row), free(M.col), free(M.value);
    free(f), free(b), free(R), free(sets);
    return problem;
}

#endif
