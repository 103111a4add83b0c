/* Joints as unknowns: the matrices of the larger problem, and the measures of E without G; theory/problems.md
   (12)-(15). */
#include "math/block_matrix.h"
#include "math/sparse.h"
#include "mechanism_problems.h"
#include "problem/absorb.h"

enum { SEEDS = 5 };

static const mechanism_kind kinds[] = {
    {.bodies = 14, .is_chain = true},
    {.bodies = 14, .contacts = 5, .has_limits = true},
    {.bodies = 14, .contacts = 5, .is_general = true},
    {.bodies = 14, .contacts = 2, .is_general = true, .follower_of_joint = 4},
};

/* M x - A P - f and C x + D P + b. */
static void equations(const tp_problem *p, const double *x, const double *P, double *r, double *xi)
{
    memcpy(r, p->f, (size_t)p->x_count * sizeof(double));
    tp_sparse_multiply_add(&p->A, P, r);
    for (int i = 0; i < p->x_count; i++) r[i] = -r[i];
    tp_sparse_multiply_add(&p->M, x, r);
    if (p->row_count == 0) return;
    tp_block_matrix_apply(&p->D, P, p->b, xi);
    tp_sparse_multiply_transposed_add(&p->Ct, x, xi);
}

/* Random (x, P) leave the same residuals in both problems; some forty terms of size 10 are in each sum. */
static void check_equations(void **check_state_, const tp_problem *p, const tp_absorbed *a,
                            check_random *random)
{
    enum { MOST = 400 };
    int n = p->x_count, rows = p->row_count, count = a->problem.x_count - n;
    double x[MOST], P[MOST], P_left[MOST], r[MOST], xi[MOST], r_large[MOST], xi_left[MOST];
    for (int i = 0; i < n; i++) x[i] = check_normal(random);
    for (int i = 0; i < rows; i++) P[i] = check_normal(random);
    for (int k = 0; k < count; k++) x[n + k] = P[a->unknown_row[k]];
    for (int k = 0; k < rows - count; k++) P_left[k] = P[a->kept_row[k]];
    equations(p, x, P, r, xi);
    equations(&a->problem, x, P_left, r_large, xi_left);
    for (int i = 0; i < n; i++) CHECK_NEAR(r_large[i], r[i], 1e-12);
    for (int k = 0; k < count; k++) CHECK_NEAR(r_large[n + k], xi[a->unknown_row[k]], 1e-12);
    for (int k = 0; k < rows - count; k++) CHECK_NEAR(xi_left[k], xi[a->kept_row[k]], 1e-12);
}

static void check_laws(void **check_state_, const tp_problem *p, const tp_absorbed *a)
{
    for (int i = 0, first = 0; i < a->problem.set_count; first += a->problem.sets[i++].size) {
        const tp_set *set = &a->problem.sets[i];
        CHECK_INT(set->first, first);
        if (set->master_count == 0) continue;
        CHECK_INT(a->kept_row[set->master], p->sets[p->set_count - 1].master);
    }
}

TEST(the_larger_problem_has_the_equations_of_the_given_one)
{
    for (int t = 0; t < (int)(sizeof kinds / sizeof kinds[0]) * SEEDS; t++) {
        check_random random = {(uint64_t)t + 1};
        tp_problem *p = random_mechanism(&random, kinds[t / SEEDS]);
        unsigned char choice[MOST_LAWS];
        int count = 0;
        tp_stack stack;
        tp_absorbed a;
        tp_stack_init(&stack, tp_allocator_default());
        CHECK_INT(tp_absorb_choose(p, &stack, choice, &count), TP_OK);
        CHECK_INT(tp_absorb(p, choice, &stack, &a), TP_OK);
        CHECK_INT(a.problem.x_count, p->x_count + count);
        CHECK_INT(a.problem.row_count, p->row_count - count);
        check_equations(check_state_, p, &a, &random);
        check_laws(check_state_, p, &a);
        tp_stack_clear(&stack);
        tp_problem_free(p);
    }
}

/* At a random P, E and its scale are those of the local form, which has G; rho too where a row is not of a
   joint, else it is an estimate by four vectors. */
TEST(the_error_without_G_is_the_error_with_it)
{
    for (int t = 0; t < (int)(sizeof kinds / sizeof kinds[0]) * SEEDS; t++) {
        check_random random = {(uint64_t)t + 100};
        bool has_joints_alone = t < SEEDS;
        tp_problem *problem = random_mechanism(&random, kinds[t / SEEDS]), *local;
        tp_message why;
        CHECK_INT(tp_problem_reduce(NULL, problem, &local, &why), TP_OK);
        double *P = calloc((size_t)problem->row_count, sizeof(double));
        for (int k = 0; k < problem->row_count; k++) P[k] = check_normal(&random);
        tp_residual without, with;
        CHECK_INT(tp_problem_error(problem, P, &without), TP_OK);
        CHECK_INT(tp_problem_error(local, P, &with), TP_OK);
        CHECK_NEAR(without.error, with.error, 1e-12 * with.error);
        CHECK_NEAR(without.scale, with.scale, 1e-12 * with.scale);
        CHECK_NEAR(without.xi_norm, with.xi_norm, 1e-12 * with.xi_norm);
        if (has_joints_alone)
            CHECK(without.rho > 0.5 * with.rho && without.rho < 2.0 * with.rho);
        else
            CHECK_NEAR(without.rho, with.rho, 1e-12 * with.rho);
        free(P);
        tp_problem_free(local);
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(the_larger_problem_has_the_equations_of_the_given_one),
          RUNS(the_error_without_G_is_the_error_with_it))
