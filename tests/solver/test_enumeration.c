/* All cases of small problems: agreement with the other solvers, counts, branches; docs/theory/pivoting.md
   (25)-(28). */
#include "dense_problem.h"
#include "solver/pivoting/cases.h"
#include "solver/sweeps/one_contact.h"

static void random_definite(check_random *random, int n, double shift, double *M)
{
    double B[20 * 20];
    for (int i = 0; i < n * n; i++) B[i] = check_normal(random);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            M[i + j * n] = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++) M[i + j * n] += B[i + k * n] * B[j + k * n] / n;
        }
}

TEST(lemke_mlcp_and_enumeration_agree_on_problems_with_one_solution)
{
    check_random random = {41};
    for (int trial = 0; trial < 200; trial++) {
        enum { N = 8 };
        double M[N * N], q[N], P[3][N] = {{0}};
        random_definite(&random, N, 0.1, M);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < j; i++) { /* a skew part keeps it a P-matrix */
                double skew = check_normal(&random);
                M[i + j * N] += skew;
                M[j + i * N] -= skew;
            }
        for (int i = 0; i < N; i++) q[i] = check_normal(&random);
        tp_set sets[4] = {tp_set_free(1), tp_set_orthant(5), tp_set_interval(-0.3, 0.4),
                          tp_set_interval(0, 0.2)};
        tp_problem *problem = dense_problem(N, M, q, 4, sets);
        const tp_solver *const solvers[] = {&tp_solver_lemke, &tp_solver_mlcp, &tp_solver_enumeration};
        for (int k = 0; k < 3; k++) {
            tp_report report = dense_solve(solvers[k], problem, NULL, P[k]);
            CHECK_INT(report.status, TP_OK);
            CHECK(report.error <= 1e-13);
            if (k == 2) CHECK_INT(report.solution_count, 1);
            for (int i = 0; i < N; i++) CHECK_NEAR(P[k][i], P[0][i], 1e-12);
        }
        tp_problem_free(problem);
    }
}

TEST(a_problem_with_three_solutions_has_three)
{
    /* Two coupled pairs: solutions (0,a,0,a), (b,0,b,0) and one between. */
    const double M[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, q[4] = {-1, -1, -1, -1};
    tp_set set = tp_set_orthant(4);
    tp_problem *problem = dense_problem(4, M, q, 1, &set);
    double P[4] = {0};
    tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
    CHECK_INT(report.status, TP_OK);
    CHECK_INT(report.solution_count, 3);
    tp_solver_options options = tp_solver_options_default();
    options.branch = TP_BRANCH_NEAREST;
    P[0] = P[2] = 0.2, P[1] = P[3] = 0.0;
    dense_solve(&tp_solver_enumeration, problem, &options, P);
    CHECK_NEAR(P[0], 0.1, 1e-15);
    CHECK_NEAR(P[1], 0.0, 0.0);
    tp_problem_free(problem);
}

TEST(a_continuum_of_solutions_is_called_at_least)
{
    const double M[4] = {1, 1, 1, 1}, q[2] = {-1, -1};
    tp_set set = tp_set_orthant(2);
    tp_problem *problem = dense_problem(2, M, q, 1, &set);
    double P[2] = {0};
    tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
    CHECK_INT(report.status, TP_OK);
    CHECK(strstr(report.reason, "at least") != NULL);
    CHECK_NEAR(P[0] + P[1], 1.0, 1e-15);
    tp_problem_free(problem);
}

TEST(one_spatial_contact_is_enumerated_like_the_quartic)
{
    check_random random = {42};
    int multiple = 0;
    for (int trial = 0; trial < 600; trial++) {
        double G[9], c[3], P[3] = {0}, mu = check_uniform(&random, 0.1, 2.5);
        random_definite(&random, 3, 0.01, G);
        for (int i = 0; i < 3; i++) c[i] = check_normal(&random);
        tp_set contact = tp_set_coulomb(3, mu);
        tp_problem *problem = dense_problem(3, G, c, 1, &contact);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
        int count = tp_contact_all_solutions(G, c, mu, 0.0, s);
        CHECK_INT(report.status, TP_OK);
        CHECK_INT(report.solution_count, count);
        CHECK(report.error <= 1e-12);
        multiple += count > 1;
        tp_problem_free(problem);
    }
    CHECK(multiple > 0);
}

/* A contact beside a joint: eliminating the joint by hand gives the one-contact problem. */
TEST(a_joint_beside_a_contact_is_eliminated)
{
    check_random random = {43};
    for (int trial = 0; trial < 200; trial++) {
        double G[16], c[4], P[4] = {0}, reduced[9], free[3], mu = check_uniform(&random, 0.1, 1.0);
        random_definite(&random, 4, 0.05, G);
        for (int i = 0; i < 4; i++) c[i] = check_normal(&random);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                reduced[i + 3 * j] = G[i + 1 + 4 * (j + 1)] - G[i + 1] * G[4 * (j + 1)] / G[0];
            free[i] = c[i + 1] - G[i + 1] * c[0] / G[0];
        }
        tp_set sets[2] = {tp_set_free(1), tp_set_coulomb(3, mu)};
        tp_problem *problem = dense_problem(4, G, c, 2, sets);
        tp_contact_solution s[TP_CONTACT_MAX_SOLUTIONS];
        tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
        CHECK_INT(report.solution_count, tp_contact_all_solutions(reduced, free, mu, 0.0, s));
        tp_problem_free(problem);
    }
}

TEST(several_planar_and_spatial_contacts_are_solved)
{
    check_random random = {44};
    for (int trial = 0; trial < 6; trial++) {
        enum { N = 11 };
        double G[N * N], c[N], P[N] = {0}, axes[2] = {0.3, 0.6};
        random_definite(&random, N, 0.1, G);
        for (int i = 0; i < N; i++) c[i] = check_normal(&random);
        tp_set sets[5] = {tp_set_coulomb(2, 0.4), tp_set_coulomb(3, 0.5),
                          tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes), tp_set_orthant(1),
                          tp_set_coulomb(2, 0.0)};
        tp_problem *problem = dense_problem(N, G, c, 5, sets);
        tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.error <= 1e-12);
        tp_problem_free(problem);
    }
}

TEST(planar_contacts_without_solution_are_excluded_case_by_case)
{
    /* One contact whose normal row cannot be helped: G_NN = 0 and slip pulls it down on both sides. */
    const double G[4] = {1.0, 0.0, -2.0, 1.0}, c[2] = {-1.0, 0.0};
    tp_set contact = tp_set_coulomb(2, 0.2);
    tp_problem *problem = dense_problem(2, G, c, 1, &contact);
    double P[2] = {0};
    tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
    CHECK_INT(report.status, TP_OK); /* sticks: P = (1, 0) */
    tp_problem_free(problem);
    const double rejecting[4] = {-1.0, 0.0, 0.0, 1.0};
    problem = dense_problem(2, rejecting, c, 1, &contact);
    report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
    CHECK_INT(report.status, TP_INFEASIBLE); /* xi_N = -P_N - 1 < 0 */
    tp_problem_free(problem);
}

TEST(too_many_cases_are_refused)
{
    enum { N = 20 };
    double M[N * N] = {0}, q[N], P[N] = {0};
    for (int i = 0; i < N; i++) M[i + i * N] = 1.0, q[i] = -1.0;
    tp_set set = tp_set_orthant(N);
    tp_problem *problem = dense_problem(N, M, q, 1, &set);
    CHECK_INT(dense_solve(&tp_solver_enumeration, problem, NULL, P).status, TP_UNSUPPORTED);
    tp_problem_free(problem);
}

/* (27a): three spatial contacts slip, one sticks, beside a joint. Central differences of a smooth function
   have the error step^2 F'''/6 + rounding/step. */
TEST(the_derivative_of_several_slips_agrees_with_differences)
{
    enum { N = 14, COUNT = 3 };
    const double step = 1e-5;
    check_random random = {47};
    for (int trial = 0; trial < 100; trial++) {
        double M[N * N], q[N], J[COUNT * COUNT], plus[COUNT], minus[COUNT];
        tp_set sets[5] = {tp_set_free(2), tp_set_coulomb(3, 0.6), tp_set_coulomb(3, 0.9),
                          tp_set_contact(TP_FRICTION_ELLIPSOID, 3, (double[]){0.3, 0.8}),
                          tp_set_coulomb(3, 0.4)};
        const int slipping[COUNT] = {2, 3, 4}; /* items: two joint rows, then the contacts */
        random_definite(&random, N, 1.0, M);
        for (int i = 0; i < N; i++) q[i] = check_normal(&random);
        tp_problem *problem = dense_problem(N, M, q, 5, sets);
        tp_stack stack;
        tp_local local;
        tp_cases cases = {0};
        tp_stack_init(&stack, NULL);
        CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
        CHECK_INT(tp_cases_take(&cases, &local, &stack), TP_OK);
        CHECK_INT(cases.item_count, 6);
        for (int m = 0; m < cases.item_count; m++) {
            cases.items[m].state = m < 2 ? TP_CASE_BASIC : m == 5 ? TP_CASE_STICK : TP_CASE_SLIP;
            cases.angle[m] = check_uniform(&random, -3.0, 3.0);
        }
        CHECK(tp_case_slip_equations(&cases, COUNT, slipping, plus));
        tp_case_slip_jacobian(&cases, COUNT, slipping, J);
        double size = 0.0;
        for (int k = 0; k < COUNT * COUNT; k++) size = fmax(size, fabs(J[k]));
        for (int j = 0; j < COUNT && size < 1e3; j++) {
            double *angle = &cases.angle[slipping[j]], kept = *angle;
            *angle = kept + step;
            CHECK(tp_case_slip_equations(&cases, COUNT, slipping, plus));
            *angle = kept - step;
            CHECK(tp_case_slip_equations(&cases, COUNT, slipping, minus));
            *angle = kept;
            for (int i = 0; i < COUNT; i++)
                CHECK_NEAR((plus[i] - minus[i]) / (2.0 * step), J[i + j * COUNT], 1e-7 * (1.0 + size * size));
        }
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
}

/* Painleve's rod, frictional-dai T7: friction 2, tan th = 2, thdot = 4, the tip slides with 1 m/s. Below the
   relaxation time 0.0258657 stick r, slip (11.252088, 5.626044) and flight are solutions. A tolerance below
   rounding does not lose them. */
TEST(three_solutions_are_three_at_every_tolerance)
{
    const double delta[] = {0.025, 0.02, 0.01, 1e-3, 1e-4, 1e-6}, s = 2.0 / sqrt(5.0), c = 1.0 / sqrt(5.0);
    const double G[4] = {1.0 + 3.0 * c * c, -3.0 * s * c, -3.0 * s * c, 1.0 + 3.0 * s * s}; /* N, T */
    tp_set set = tp_set_coulomb(2, 2.0);
    for (int i = 0; i < 6; i++) {
        double slide = 1.0 / delta[i],
               rt = 9.81 / 4.0 * 3.0 * s * c - 16.0 * c + slide * (1.0 + 3.0 * c * c) / 4.0,
               rn = 9.81 / 4.0 * (4.0 - 3.0 * c * c) - 16.0 * s + slide * 3.0 * s * c / 4.0;
        double b[2] = {-(G[0] * rn + G[2] * rt), -(G[1] * rn + G[3] * rt)};
        tp_problem *problem = dense_problem(2, G, b, 1, &set);
        for (double tolerance = 1e-8; tolerance > 1e-17; tolerance *= 1e-2) {
            tp_solver_options options = tp_solver_options_default();
            options.tolerance = tolerance;
            double P[2] = {0};
            tp_report report = dense_solve(&tp_solver_enumeration, problem, &options, P);
            CHECK_INT(report.solution_count, 3);
            CHECK_NEAR(P[0], rn, 1e-12 * rn); /* sticks, by default */
            if (i == 3) CHECK_NEAR(P[0], 294.027665, 1e-6);
        }
        tp_problem_free(problem);
    }
}

/* A row that no impulse moves closes with 1e-3 beside a joint: there is no solution, and the nearest point,
   at which the joint holds, comes back with that error. */
TEST(the_best_point_comes_back_where_no_case_is_a_solution)
{
    const double M[4] = {1.0, 0.0, 0.0, 0.0}, q[2] = {-1.0, -1e-3};
    tp_set sets[2] = {tp_set_free(1), tp_set_orthant(1)};
    tp_problem *problem = dense_problem(2, M, q, 2, sets);
    double P[2] = {0};
    tp_report report = dense_solve(&tp_solver_enumeration, problem, NULL, P);
    CHECK_INT(report.status, TP_INFEASIBLE);
    CHECK_NEAR(P[0], 1.0, 1e-15);
    CHECK_NEAR(report.error, 1e-3, 1e-8);
    tp_problem_free(problem);
}

/* Where friction can jam a contact, `auto` takes the solution of the policy that is asked for, as all cases
   do: stick, slip, open, or the nearest to the start. */
TEST(auto_follows_each_policy_with_several_contacts)
{
    static const tp_branch branches[] = {TP_BRANCH_DEFAULT, TP_BRANCH_NEAREST};
    check_random random = {47};
    int several = 0;
    for (int trial = 0; trial < 400; trial++) {
        enum { CONTACTS = 3, N = 2 * CONTACTS };
        double G[N * N], c[N], start[N];
        tp_set sets[CONTACTS];
        random_definite(&random, N, 0.02, G);
        for (int i = 0; i < N; i++) c[i] = check_normal(&random), start[i] = fabs(check_normal(&random));
        for (int i = 0; i < CONTACTS; i++) sets[i] = tp_set_coulomb(2, check_uniform(&random, 1.5, 4.0));
        bool jams = false;
        for (int i = 0; i < CONTACTS; i++)
            jams |= sets[i].parameter[0] * fabs(G[2 * i + 1 + 2 * i * N]) >= G[2 * i + 2 * i * N];
        tp_problem *problem = dense_problem(N, G, c, CONTACTS, sets);
        for (int b = 0; b < 2; b++) {
            double P[2][N];
            tp_solver_options options = tp_solver_options_default();
            tp_report report[2];
            const tp_solver *const solvers[] = {&tp_solver_enumeration, &tp_solver_auto};
            options.branch = branches[b];
            options.warm_start = true;
            options.tolerance = 1e-10;
            for (int k = 0; k < 2; k++) {
                memcpy(P[k], start, sizeof start);
                report[k] = dense_solve(solvers[k], problem, &options, P[k]);
            }
            if (report[0].status != TP_OK || report[0].solution_count < 2 || !jams) continue;
            several++;
            CHECK_INT(report[1].status, TP_OK);
            CHECK_INT(report[1].solution_count, report[0].solution_count);
            for (int i = 0; i < N; i++) CHECK_NEAR(P[1][i], P[0][i], 1e-9 * (1.0 + fabs(P[0][i])));
        }
        tp_problem_free(problem);
    }
    CHECK(several >= 20);
}

TEST_MAIN(RUNS(auto_follows_each_policy_with_several_contacts),
          RUNS(lemke_mlcp_and_enumeration_agree_on_problems_with_one_solution),
          RUNS(a_problem_with_three_solutions_has_three), RUNS(a_continuum_of_solutions_is_called_at_least),
          RUNS(one_spatial_contact_is_enumerated_like_the_quartic),
          RUNS(a_joint_beside_a_contact_is_eliminated), RUNS(several_planar_and_spatial_contacts_are_solved),
          RUNS(planar_contacts_without_solution_are_excluded_case_by_case), RUNS(too_many_cases_are_refused),
          RUNS(the_derivative_of_several_slips_agrees_with_differences),
          RUNS(three_solutions_are_three_at_every_tolerance),
          RUNS(the_best_point_comes_back_where_no_case_is_a_solution))
