/* Friction of a joint and of a contact in all cases: solved, or proven to have no solution; theory/solvers.md
   (28d), (28e). */
#include "dense_problem.h"
#include "math/dense.h"
#include "solver/infeasible/case_proof.h"
#include "solver/infeasible/joint_elimination.h"
#include "solver/pivoting/case_newton.h"

/* One degree of freedom w of mass 1 and a joint that holds another velocity z: the contact (N, T) moves w by
   n and t and pulls at the joint by h, friction of the joint, mu_1 |J|, acts on w by k. The contact comes
   with the speed n w_0 < 0 and is to leave it with restitution e, which friction at T and in the joint
   oppose:

       w = -e w_0,   J = -h P_N,   -(1 + e) w_0 = (n - mu |t| - mu_1 |k h|) P_N

   Where the bracket is negative no impulse does that, and without one the contact closes further. */
static const double n = 0.4, t = 0.9, h = 1.5, k = 0.7, joint_mu = 0.1, w_0 = -2.0, restitution = 0.5;

static tp_problem *one_way(double mu, int contact_rows)
{
    const double W[5][2] = {{0.0, 1.0}, {k, 0.0}, {n, h}, {t, 0.0}, {0.0, 0.0}}; /* J, F, N, T1, T2 */
    int rows = 2 + contact_rows;
    double G[25], c[5];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) G[i + j * rows] = W[i][0] * W[j][0] + W[i][1] * W[j][1];
        c[i] = W[i][0] * w_0 * (i == 2 ? 1.0 + restitution : 1.0);
    }
    tp_set sets[3] = {tp_set_free(1), tp_set_following(tp_set_ball(1, joint_mu), 0, 1),
                      tp_set_coulomb(contact_rows, mu)};
    return dense_problem(rows, G, c, 3, sets);
}

static bool proof_of(void **check_state_, const tp_problem *problem, const double *P)
{
    tp_stack stack;
    tp_local local;
    tp_report report = {.reason = ""};
    tp_stack_init(&stack, tp_allocator_default());
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    bool is_proven = tp_case_proof(&local, P, 256, &stack, &report);
    if (is_proven) CHECK(strstr(report.reason, "no case") != NULL);
    tp_stack_clear(&stack);
    return is_proven;
}

/* In space directions of slip are divided into 32 sectors, which loses 0.5 % of friction: 2 % are enough. */
TEST(a_contact_that_friction_jams_is_solved_or_proven_to_have_no_solution)
{
    const double limit = (n - joint_mu * k * h) / t;
    for (int rows = 2; rows <= 3; rows++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double mu = limit * (1.0 + 0.02 * sign), P[5] = {0};
            tp_problem *problem = one_way(mu, rows);
            tp_report report = dense_solve(&tp_solver_auto, problem, NULL, P);
            CHECK_INT(report.status, sign < 0 ? TP_OK : TP_INFEASIBLE);
            CHECK_INT(proof_of(check_state_, problem, P), sign > 0);
            if (sign < 0) { /* to the tolerance of the solver, 1e-8, over the bracket */
                double bracket = n - mu * t - joint_mu * k * h, load = -(1.0 + restitution) * w_0 / bracket;
                CHECK_NEAR(P[2], load, 1e-7 * load / bracket);
                CHECK_NEAR(P[0], -h * load, 1e-7 * load / bracket);
                CHECK_NEAR(fabs(P[1]), joint_mu * h * load, 1e-7 * load / bracket);
            }
            tp_problem_free(problem);
        }
    }
}

/* The same joint as a spherical one: friction in three rows, of which the first moves w. Signs alone would
   let it be smaller than mu_1 |J|. */
TEST(friction_in_several_rows_has_a_lower_bound_in_proofs)
{
    enum { SPATIAL = 6 }; /* J, F1, F2, F3, N, T */
    const double W[SPATIAL][4] = {{0.0, 1.0, 0.0, 0.0}, {k, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0},
                                  {0.0, 0.0, 0.0, 1.0}, {n, h, 0.0, 0.0},   {t, 0.0, 0.0, 0.0}};
    const double limit = (n - joint_mu * k * h) / t;
    for (int sign = -1; sign <= 1; sign += 2) {
        double G[SPATIAL * SPATIAL] = {0.0}, c[SPATIAL], P[SPATIAL] = {0.0}, mu = limit * (1.0 + 0.02 * sign);
        for (int i = 0; i < SPATIAL; i++) {
            c[i] = W[i][0] * w_0 * (i == 4 ? 1.0 + restitution : 1.0);
            for (int j = 0; j < SPATIAL; j++)
                for (int e = 0; e < 4; e++) G[i + j * SPATIAL] += W[i][e] * W[j][e];
        }
        tp_set sets[3] = {tp_set_free(1), tp_set_following(tp_set_ball(3, joint_mu), 0, 1),
                          tp_set_coulomb(2, mu)};
        tp_problem *problem = dense_problem(SPATIAL, G, c, 3, sets);
        tp_report report = dense_solve(&tp_solver_auto, problem, NULL, P);
        CHECK_INT(report.status, sign < 0 ? TP_OK : TP_INFEASIBLE);
        CHECK_INT(proof_of(check_state_, problem, P), sign > 0);
        tp_problem_free(problem);
    }
}

/* Every case once, those first in which few laws differ from the preferred case. */
TEST(the_walk_visits_every_case_once)
{
    tp_problem *problem = one_way(0.3, 3);
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    tp_case_newton newton;
    double P[5] = {0.0, 0.0, 1.0, 0.0, 0.0}; /* sticks */
    bool seen[3][4] = {{false}};
    int count = 0, rank = 0;
    tp_stack_init(&stack, tp_allocator_default());
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    CHECK_INT(tp_case_newton_take(&newton, &system, &stack), TP_OK);
    tp_case_newton_prefer(&newton, false, P);
    tp_case_newton_first(&newton);
    CHECK_INT(newton.item_count, 3);
    CHECK_INT(newton.items[2].state, TP_CASE_STICK);
    do {
        int *choice = newton.choice, next = choice[1] + choice[2];
        CHECK(next >= rank && !seen[choice[1]][choice[2]]);
        rank = next;
        seen[choice[1]][choice[2]] = true;
        count++;
    } while (tp_case_newton_next(&newton));
    CHECK_INT(count, 12);
    CHECK_NEAR(tp_case_newton_count(&newton), 12.0, 0.0);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

/* Reactions J of two joints of two rows, two rows of friction that follow them, and a contact, by hand:
   G_JJ J = -(c_J + G_JR P), the rest P = (F1, F2, N, T) with |F_i| <= mu_i |J_i|. */
enum { JOINT_ROWS = 4, ALL_ROWS = 8 };

static void put_friction(const double *G, const double *c, const double *share, double *P)
{
    for (int round = 0; round < 60; round++) {
        double A[16], b[JOINT_ROWS];
        int pivot[JOINT_ROWS];
        for (int i = 0; i < JOINT_ROWS; i++) {
            b[i] = -c[i];
            for (int j = 0; j < JOINT_ROWS; j++) A[i + j * JOINT_ROWS] = G[i + j * ALL_ROWS];
            for (int j = JOINT_ROWS; j < ALL_ROWS; j++) b[i] -= G[i + j * ALL_ROWS] * P[j];
        }
        tp_dense_lu(JOINT_ROWS, A, JOINT_ROWS, pivot, 0.0);
        tp_dense_lu_solve(JOINT_ROWS, A, JOINT_ROWS, pivot, b);
        memcpy(P, b, sizeof b);
        for (int e = 0; e < 2; e++) P[JOINT_ROWS + e] = share[e] * hypot(P[2 * e], P[2 * e + 1]);
    }
}

/* (28g): what friction of every size up to its bound and a contact in its cone satisfy. */
TEST(friction_of_joints_is_below_its_linear_bound)
{
    const double joint_friction = 0.15, mu = 0.6;
    check_random random = {.state = 7};
    int bounded = 0;
    for (int trial = 0; trial < 200; trial++) {
        double W[ALL_ROWS][ALL_ROWS], G[ALL_ROWS * ALL_ROWS] = {0.0}, c[ALL_ROWS], P[ALL_ROWS] = {0.0};
        for (int i = 0; i < ALL_ROWS; i++) {
            c[i] = check_normal(&random);
            for (int e = 0; e < ALL_ROWS; e++) W[i][e] = check_normal(&random) + (i == e ? 4.0 : 0.0);
        }
        for (int i = 0; i < ALL_ROWS; i++) {
            for (int j = 0; j < ALL_ROWS; j++)
                for (int e = 0; e < ALL_ROWS; e++) G[i + j * ALL_ROWS] += W[i][e] * W[j][e];
        }
        tp_set sets[5] = {tp_set_free(2), tp_set_free(2),
                          tp_set_following(tp_set_ball(1, joint_friction), 0, 2),
                          tp_set_following(tp_set_ball(1, joint_friction), 2, 2), tp_set_coulomb(2, mu)};
        tp_problem *problem = dense_problem(ALL_ROWS, G, c, 5, sets);
        tp_stack stack;
        tp_local local;
        tp_elimination out;
        tp_stack_init(&stack, tp_allocator_default());
        CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
        P[6] = check_uniform(&random, 0.0, 3.0);
        P[7] = P[6] * mu * check_uniform(&random, -1.0, 1.0);
        double share[2] = {joint_friction * (trial % 2 == 0 ? 1.0 : -1.0),
                           joint_friction * check_uniform(&random, -1.0, 1.0)};
        put_friction(G, c, share, P);
        CHECK(tp_eliminate_joints(&local, P, &stack, &out));
        bounded += out.upper_count == 4;
        for (int row = out.row_count - out.upper_count; row < out.row_count; row++) {
            double sum = out.c[row];
            for (int j = 0; j < out.kept_count; j++)
                sum += out.S[row + j * out.row_count] * P[JOINT_ROWS + j];
            CHECK(sum >= 0.0);
        }
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
    CHECK(bounded > 150);
}

TEST_MAIN(RUNS(a_contact_that_friction_jams_is_solved_or_proven_to_have_no_solution),
          RUNS(friction_in_several_rows_has_a_lower_bound_in_proofs), RUNS(the_walk_visits_every_case_once),
          RUNS(friction_of_joints_is_below_its_linear_bound))
