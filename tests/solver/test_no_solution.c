/* Proofs that there is no solution: found where there is none, never where there is one, and a frictional
   lock is not called a proof; theory/problems.md (10). */
#include "problems.h"
#include "solver/infeasible/no_solution.h"

static tp_proof_verdict judge(const tp_problem *problem, const double *direction, double *y)
{
    tp_stack stack;
    tp_local local;
    double work[64];
    tp_stack_init(&stack, NULL);
    tp_proof_verdict verdict = TP_VERDICT_NONE;
    memcpy(y, direction, (size_t)problem->row_count * sizeof(double));
    if (tp_local_form(problem, &stack, &local) == TP_OK) verdict = tp_proof_judge(&local, y, work);
    tp_stack_clear(&stack);
    return verdict;
}

/* A body between two walls that approach each other: xi_N1 + xi_N2 = -(v1 + v2) for every impulse. The mass
   is m, rotation and the tangential rows are those of a ball. */
static tp_problem *crushed_ball(double mass, double mu, double approach)
{
    double G[36] = {0}, c[6] = {-approach, 0.2, 0, -approach, 0, 0.1};
    for (int i = 0; i < 6; i++) G[7 * i] = (i % 3 == 0 ? 1.0 : 3.5) / mass;
    G[0 + 3 * 6] = G[3 + 0 * 6] = -1.0 / mass;
    G[1 + 4 * 6] = G[4 + 1 * 6] = G[2 + 5 * 6] = G[5 + 2 * 6] = -1.5 / mass;
    tp_set sets[2] = {tp_set_coulomb(3, mu), tp_set_coulomb(3, mu)};
    return make_local(6, G, c, sets, 2);
}

TEST(squeezing_is_proven_impossible)
{
    const char *const solvers[] = {"auto", "proximal-newton"};
    for (int mass = 0; mass < 3; mass++) {
        for (int friction = 0; friction < 2; friction++) {
            tp_problem *problem = crushed_ball(pow(10.0, 3 * mass - 3), 0.4 * friction, 1.0);
            const double y[6] = {1, 0, 0, 1, 0, 0};
            double cleaned[6];
            CHECK_INT(judge(problem, y, cleaned), TP_VERDICT_INFEASIBLE);
            for (int s = 0; s < 2; s++) {
                double P[6] = {0};
                tp_report report;
                CHECK_INT(solve_with(problem, solvers[s], 1e-8, P, &report), TP_INFEASIBLE);
                for (int k = 0; k < 6; k++) CHECK(isfinite(P[k]));
            }
            tp_problem_free(problem);
        }
    }
}

TEST(rounding_in_the_direction_is_cleaned_away)
{
    tp_problem *problem = crushed_ball(1.0, 0.4, 1.0);
    const double y[6] = {1, 1e-12, -1e-12, 1, 0, 1e-12};
    double cleaned[6];
    CHECK_INT(judge(problem, y, cleaned), TP_VERDICT_INFEASIBLE);
    for (int k = 0; k < 6; k++)
        if (k % 3 != 0) CHECK_NEAR(cleaned[k], 0.0, 0.0);
    tp_problem_free(problem);
}

TEST(a_direction_that_does_not_descend_proves_nothing)
{
    tp_problem *crushed = crushed_ball(1.0, 0.4, 1.0), *parting = crushed_ball(1.0, 0.4, -1.0);
    const double y[6] = {1, 0, 0, 1, 0, 0}, one[6] = {1, 0, 0, 0, 0, 0}, minus[6] = {-1, 0, 0, -1, 0, 0};
    const double nothing[6] = {0}, undefined[6] = {NAN, 0, 0, 1, 0, 0};
    double cleaned[6];
    CHECK_INT(judge(parting, y, cleaned), TP_VERDICT_NONE);   /* c.y > 0 */
    CHECK_INT(judge(crushed, one, cleaned), TP_VERDICT_NONE); /* G^T y is not 0 */
    CHECK_INT(judge(crushed, minus, cleaned), TP_VERDICT_NONE);
    CHECK_INT(judge(parting, minus, cleaned) == TP_VERDICT_INFEASIBLE, 0); /* descends, but y_N < 0 */
    CHECK_INT(judge(crushed, nothing, cleaned), TP_VERDICT_NONE);
    CHECK_INT(judge(crushed, undefined, cleaned), TP_VERDICT_NONE);
    tp_problem_free(crushed);
    tp_problem_free(parting);
}

/* Impulses in the direction d are a self-stress with friction parts: G d = 0 and c.d < 0. */
TEST(a_frictional_lock_is_not_called_infeasible)
{
    const double d[6] = {1, 0.3, 0, 1, -0.3, 0};
    double G[36], c[6], length = 0.0, y[6];
    for (int k = 0; k < 6; k++) length += d[k] * d[k];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) G[i + 6 * j] = (i == j ? 1.0 : 0.0) - d[i] * d[j] / length;
    for (int k = 0; k < 6; k++) c[k] = -d[k];
    tp_set sets[2] = {tp_set_coulomb(3, 0.5), tp_set_coulomb(3, 0.5)};
    tp_problem *problem = make_local(6, G, c, sets, 2);
    CHECK_INT(judge(problem, d, y), TP_VERDICT_LOCKED);
    double P[6] = {0};
    tp_report report;
    /* locked or solved, but never called unsolvable by this method: the direction proves nothing */
    CHECK(solve_with(problem, "proximal-newton", 1e-8, P, &report) != TP_INFEASIBLE);
    tp_problem_free(problem);
}

TEST(bodies_boxes_and_joints_take_part_in_proofs_only_where_they_may)
{
    /* xi = c on all rows: G = 0. A joint that must not move but does; a bound that cannot be reached. */
    const double G[9] = {0};
    const double joint_c[3] = {1, 0, 0}, box_c[3] = {0, -1, 0}, body_c[3] = {0, 0, -1};
    const double joint_y[3] = {-1, 0, 0}, box_y[3] = {0, 1, 0}, body_y[3] = {0, 0, 1};
    tp_set sets[3] = {tp_set_free(1), tp_set_interval(-1.0, INFINITY), tp_set_ball(1, 0.5)};
    double y[3];
    tp_problem *problem = make_local(3, G, joint_c, sets, 3);
    CHECK_INT(judge(problem, joint_y, y), TP_VERDICT_INFEASIBLE);
    tp_problem_free(problem);
    problem = make_local(3, G, box_c, sets, 3);
    CHECK_INT(judge(problem, box_y, y), TP_VERDICT_INFEASIBLE); /* xi >= 0 is demanded, -1 is given */
    tp_problem_free(problem);
    problem = make_local(3, G, body_c, sets, 3);
    CHECK(judge(problem, body_y, y) != TP_VERDICT_INFEASIBLE); /* a bounded force gives way */
    tp_problem_free(problem);
}

/* Random contacts on a few bodies: G = W^T W has a null space, but c in its range: there is a solution. */
TEST(solvable_problems_are_never_called_infeasible)
{
    check_random random = {51};
    for (int trial = 0; trial < 60; trial++) {
        enum { CONTACTS = 8, ROWS = 3 * CONTACTS, FREEDOM = 9 };
        double W[FREEDOM * ROWS], G[ROWS * ROWS], c[ROWS], f[FREEDOM], P[ROWS] = {0};
        tp_set sets[CONTACTS];
        for (int k = 0; k < FREEDOM * ROWS; k++) W[k] = check_normal(&random);
        for (int k = 0; k < FREEDOM; k++) f[k] = check_normal(&random);
        for (int i = 0; i < ROWS; i++) {
            c[i] = 0.0;
            for (int k = 0; k < FREEDOM; k++) c[i] += W[k + FREEDOM * i] * f[k];
            for (int j = 0; j < ROWS; j++) {
                G[i + ROWS * j] = 0.0;
                for (int k = 0; k < FREEDOM; k++) G[i + ROWS * j] += W[k + FREEDOM * i] * W[k + FREEDOM * j];
            }
        }
        for (int i = 0; i < CONTACTS; i++) sets[i] = tp_set_coulomb(3, check_uniform(&random, 0.0, 0.9));
        /* c = W^T f: P with W P = -f stops everything; y with W y = 0 has c.y = 0 */
        tp_problem *problem = make_local(ROWS, G, c, sets, CONTACTS);
        tp_report report;
        CHECK_INT(solve_with(problem, NULL, 1e-8, P, &report), TP_OK);
        CHECK(solve_with(problem, "proximal-newton", 1e-8, P, &report) != TP_INFEASIBLE);
        double y[ROWS], direction[ROWS];
        for (int shot = 0; shot < 20; shot++) {
            for (int k = 0; k < ROWS; k++) direction[k] = k % 3 == 0 ? fabs(check_normal(&random)) : 0.0;
            CHECK_INT(judge(problem, direction, y), TP_VERDICT_NONE);
        }
        tp_problem_free(problem);
    }
}

/* A stiff column is soft in one direction, and its impulses are large; that proves nothing. */
TEST(a_column_with_a_large_mass_ratio_is_solved)
{
    enum { BODIES = 5 };
    double G[BODIES * BODIES] = {0}, c[BODIES], mass[BODIES + 1] = {0};
    tp_set sets[BODIES];
    for (int i = 0; i < BODIES; i++)
        mass[i] = i == BODIES - 1 ? 1e5 : 1.0, sets[i] = tp_set_orthant(1), c[i] = 0.0;
    for (int i = 0; i < BODIES; i++) { /* contact i: body i on body i - 1, body 0 on the ground */
        G[i * (BODIES + 1)] = 1.0 / mass[i] + (i > 0 ? 1.0 / mass[i - 1] : 0.0);
        if (i > 0) G[i + (i - 1) * BODIES] = G[i - 1 + i * BODIES] = -1.0 / mass[i - 1];
    }
    c[0] = -0.1;
    tp_problem *problem = make_local(BODIES, G, c, sets, BODIES);
    const char *const solvers[] = {"auto", "proximal-newton", "accelerated-gauss-seidel"};
    for (int s = 0; s < 3; s++) {
        double P[BODIES] = {0};
        tp_report report;
        tp_status status = solve_with(problem, solvers[s], 1e-8, P, &report);
        CHECK(status == TP_OK || (s == 2 && status == TP_NOT_CONVERGED));
        if (status == TP_OK) CHECK_NEAR(P[0], 0.1 * (1e5 + 4.0), 1e-8 * 1e6 * 10.0);
    }
    tp_problem_free(problem);
}

/* The softer a column, the nearer its slow direction is to a proof. Up to the end of double precision it must
   not be taken for one, whether or not the tolerance can be reached: with a mass ratio of 1e11 it was once.
 */
TEST(no_mass_ratio_makes_a_column_impossible)
{
    enum { BODIES = 6, ROWS = 3 * BODIES };
    static const char *const solvers[] = {"auto", "proximal-newton"};
    for (int trial = 0; trial < 26; trial++) {
        double G[ROWS * ROWS] = {0}, c[ROWS] = {-0.1}, heavy = pow(10.0, trial / 2);
        int size = trial % 2 == 0 ? 1 : 3, n = size * BODIES; /* without and with friction */
        tp_set sets[BODIES];
        for (int i = 0; i < BODIES; i++) {
            double own = i == BODIES - 1 ? 1.0 / heavy : 1.0, below = i > 0 ? 1.0 : 0.0;
            sets[i] = size == 1 ? tp_set_orthant(1) : tp_set_coulomb(3, 0.5);
            for (int k = size * i; k < size * (i + 1); k++) {
                G[k * (n + 1)] = own + below;
                if (i > 0) G[k + (k - size) * n] = G[k - size + k * n] = -below;
            }
        }
        tp_problem *problem = make_local(n, G, c, sets, BODIES);
        for (int s = 0; s < 2; s++) {
            double P[ROWS] = {0};
            tp_report report;
            CHECK(solve_with(problem, solvers[s], 1e-8, P, &report) != TP_INFEASIBLE);
            if (s == 0 && heavy < 1e7) CHECK_INT(report.status, TP_OK);
        }
        tp_problem_free(problem);
    }
}

TEST_MAIN(RUNS(squeezing_is_proven_impossible), RUNS(rounding_in_the_direction_is_cleaned_away),
          RUNS(a_direction_that_does_not_descend_proves_nothing),
          RUNS(a_frictional_lock_is_not_called_infeasible),
          RUNS(bodies_boxes_and_joints_take_part_in_proofs_only_where_they_may),
          RUNS(solvable_problems_are_never_called_infeasible),
          RUNS(a_column_with_a_large_mass_ratio_is_solved), RUNS(no_mass_ratio_makes_a_column_impossible))
