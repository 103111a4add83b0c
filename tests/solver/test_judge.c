/* What counts as solved: the limit is that of the data, not of the answer; theory/problems.md (20)-(22). */
#include "solver/judge.h"

#include "dense_problem.h"
#include "solver/tolerances.h"

#include <float.h>

enum { BODIES = 10, N = 3 * BODIES };

/* A column of point masses under gravity for 1 ms, the heaviest on top: exact impulses are weights. */
typedef struct column {
    double mass[BODIES];
    tp_problem *problem;
} column;

static column make_column(double ratio, double friction)
{
    column c;
    double M[N * N] = {0}, A[N * N] = {0}, f[N] = {0}, b[N] = {0};
    tp_set sets[BODIES];
    for (int i = 0; i < BODIES; i++) {
        c.mass[i] = pow(ratio, (double)i / (BODIES - 1));
        sets[i] = tp_set_coulomb(3, friction);
        f[3 * i] = -9.81e-3 * c.mass[i];
        for (int k = 0; k < 3; k++) {
            M[(3 * i + k) * (N + 1)] = c.mass[i];
            A[3 * i + k + (3 * i + k) * N] = 1.0;
            if (i > 0) A[3 * (i - 1) + k + (3 * i + k) * N] = -1.0;
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = def.row_count = N, def.set_count = BODIES, def.sets = sets, def.f = f, def.b = b;
    def.M = (tp_entries){N, N, N * N, NULL, NULL, M};
    def.A = (tp_entries){N, N, N * N, NULL, NULL, A};
    tp_message why;
    if (tp_problem_create(NULL, &def, &c.problem, &why) != TP_OK) fail_msg("%s", why.text);
    return c;
}

/* Normal impulse at the foot of body i: the weight of all above. */
static double weight_above(const column *c, int i)
{
    double sum = 0.0;
    for (int k = i; k < BODIES; k++) sum += 9.81e-3 * c->mass[k];
    return sum;
}

static tp_report solve(const tp_problem *problem, const tp_solver_options *options, double *P)
{
    tp_workspace *workspace;
    tp_report report;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_solve(problem, NULL, options, workspace, P, NULL, &report);
    tp_workspace_free(workspace);
    return report;
}

/* An answer of any size has at most the floor of the impulses that masses and velocities explain. */
TEST(impulses_that_run_away_do_not_raise_their_own_limit)
{
    column c = make_column(1e3, 0.5);
    tp_stack stack;
    tp_local local;
    double P[N];
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(c.problem, &stack, &local), TP_OK);
    double most = 0.0;
    for (int power = 0; power <= 40; power++) {
        for (int k = 0; k < N; k++) P[k] = pow(10.0, power);
        most = fmax(most, tp_accepted_error((tp_rule){0.0, 0.0, true}, tp_floor_at(&local, P, 0.0)));
    }
    double gain = 1.0 + local.rho * tp_explained_impulse(local.inertia, local.scale) / local.scale;
    CHECK_NEAR(most, tp_accepted_roundings * DBL_EPSILON * gain, 1e-6 * most);
    CHECK(most < 1e-6); /* mass ratio 1e3; the old rule gave 1e-4 */
    tp_stack_clear(&stack);
    tp_problem_free(c.problem);
}

/* The weights themselves are explained, whatever the masses: their floor is that of plain rounding. */
TEST(impulses_of_solutions_are_explained_by_masses_and_velocities)
{
    for (int power = 0; power <= 12; power++) {
        column c = make_column(pow(10.0, power), 0.5);
        tp_stack stack;
        tp_local local;
        double P[N] = {0}, sum = 0.0;
        tp_stack_init(&stack, NULL);
        CHECK_INT(tp_local_form(c.problem, &stack, &local), TP_OK);
        for (int i = 0; i < BODIES; i++) {
            P[3 * i] = weight_above(&c, i);
            sum += P[3 * i] * P[3 * i];
        }
        double rounding = DBL_EPSILON * (1.0 + local.rho * sqrt(sum) / local.scale);
        CHECK_NEAR(tp_floor_at(&local, P, 0.0).rounding, rounding, 1e-12 * rounding);
        tp_stack_clear(&stack);
        tp_problem_free(c.problem);
    }
}

/* The rule of theory/problems.md (22) with the figures of that page, and what they mean: a step may miss its
   laws in the twelfth digit where friction stalls, never in the fifth, whatever is known of its noise. */
TEST(the_limit_is_that_of_the_theory)
{
    const double eps = 2.220446049250313e-16;
    for (int power = -16; power <= 0; power++) {
        double size = pow(10.0, power);
        tp_rule rules[4] = {{1e-14, 0.0, true}, {1e-8, 1e-7, true}, {0.0, 1e-11, true}, {1e-3, 0.0, true}};
        for (int k = 0; k < 12; k++) {
            tp_rule rule = rules[k % 4];
            tp_floor floor = {k < 8 ? size : eps, k < 4 ? eps : k < 8 ? 0.0 : size};
            double rounding = fmin(1000.0 * floor.rounding + 100.0 * floor.noise, 1e-5);
            double limit = fmax(fmax(rule.tolerance, rule.enough), rounding);
            CHECK_NEAR(tp_accepted_error(rule, floor), limit, 1e-15 * limit);
            rule.up_to_rounding = false;
            CHECK(tp_accepted_error(rule, floor) == rule.tolerance);
        }
    }
    tp_rule plain = tp_rule_of_step(1e-14, false), balanced = tp_rule_of_step(1e-14, true);
    CHECK_NEAR(tp_accepted_error(plain, (tp_floor){0.0, 0.0}), 1e-11, 1e-26);
    CHECK_NEAR(tp_accepted_error(balanced, (tp_floor){0.0, 0.0}), 1e-14, 1e-29);
}

/* Claims are put right by the error, in both directions. */
TEST(the_judge_believes_no_claim)
{
    static const struct {
        tp_status claim;
        double error;
        tp_status status;
    } cases[] = {{TP_OK, 1e-9, TP_OK},
                 {TP_OK, 2e-8, TP_NOT_CONVERGED},
                 {TP_NOT_CONVERGED, 1e-9, TP_OK},
                 {TP_SINGULAR, 1e-9, TP_OK},
                 {TP_SINGULAR, 1e-3, TP_SINGULAR},
                 {TP_INFEASIBLE, 1e-3, TP_INFEASIBLE},
                 {TP_INFEASIBLE, 1e-9, TP_OK}, /* a point refutes a proof */
                 {TP_OUT_OF_MEMORY, 0.0, TP_OUT_OF_MEMORY}};
    for (int k = 0; k < 8; k++) {
        tp_report report = {.status = TP_OK};
        tp_status status = tp_judge((tp_rule){1e-8, 0.0, false}, cases[k].claim, cases[k].error,
                                    (tp_floor){1e-16, 0.0}, &report);
        CHECK_INT(status, cases[k].status);
        CHECK_INT(report.status, status);
        CHECK(report.limit == 1e-8 && report.error == cases[k].error);
    }
    /* above the tolerance, but rounding at this P: the proof is refuted, the tolerance out of reach */
    tp_report report = {.status = TP_OK};
    CHECK_INT(tp_judge((tp_rule){1e-15, 0.0, false}, TP_INFEASIBLE, 5e-15, (tp_floor){1e-16, 0.0}, &report),
              TP_NOT_CONVERGED);
    CHECK(strstr(report.reason, "double precision") != NULL);
}

TEST(without_leave_to_round_only_the_tolerance_counts)
{
    tp_solver_options options = tp_solver_options_default();
    tp_floor floor = {1e-9, 1e-9};
    options.tolerance = 1e-12;
    options.enough = 1e-7;
    CHECK(tp_accepted_error(tp_rule_of(&options), floor) == 1e-12);
    options.floor_factor = 32.0;
    CHECK(tp_accepted_error(tp_rule_of(&options), floor) >= 1e-7);
    floor.noise = 1.0;
    CHECK(tp_accepted_error(tp_rule_of(&options), floor) == tp_worst_accepted);
}

/* Every column has a solution, the weights. Where masses are known nobody says that there is none; where they
   are not, only up to impulses that are smaller than the weights. */
TEST(a_column_of_any_mass_ratio_is_never_called_impossible_beyond_what_is_proven)
{
    for (int friction = 0; friction < 2; friction++) {
        for (int power = 9; power <= 14; power++) {
            column c = make_column(pow(10.0, power), 0.5 * friction);
            tp_problem *local;
            tp_message why;
            double P[N] = {0}, sum = 0.0, radius = 0.0;
            tp_solver_options options = tp_solver_options_default();
            options.work_limit = 1e6;
            CHECK(solve(c.problem, &options, P).status != TP_INFEASIBLE);
            CHECK_INT(tp_problem_reduce(NULL, c.problem, &local, &why), TP_OK);
            memset(P, 0, sizeof P);
            tp_report report = solve(local, &options, P);
            for (int i = 0; i < BODIES; i++) sum += weight_above(&c, i) * weight_above(&c, i);
            const char *claim = strstr(report.reason, "no solution with |P| below ");
            if (claim != NULL) CHECK_INT(sscanf(claim, "no solution with |P| below %lf", &radius), 1);
            CHECK(radius < sqrt(sum));
            CHECK(strstr(report.reason, "bodies lock") == NULL);
            tp_problem_free(local);
            tp_problem_free(c.problem);
        }
    }
}

/* 1 mN s on 1e9 kg changes velocities by 1e-12 m/s, what errors call rounding noise; the contact carries it.
 */
TEST(a_light_load_on_a_heavy_body_is_carried)
{
    const double contensou[] = {0.3, 0.003};
    for (int shape = 0; shape < 2; shape++) {
        double G[16] = {0}, c[4] = {-4e-13, 1e-13, 0.5e-13, 1e-12}, P[4] = {0};
        for (int k = 0; k < 4; k++) G[5 * k] = k < 3 ? 1e-9 : 2.5e-7;
        tp_set set =
            shape == 0 ? tp_set_contact(TP_FRICTION_CONTENSOU, 4, contensou) : tp_set_coulomb(4, 0.3);
        c[3] = shape == 0 ? 1e-13 : 0.0;
        tp_problem *problem = dense_problem(4, G, c, 1, &set);
        tp_report report = solve(problem, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK_NEAR(P[0], 4e-4, 1e-15); /* rows do not know each other */
        CHECK(P[1] < 0.0);
        tp_problem_free(problem);
    }
}

/* A heavy body that approaches at 1 m/s is stopped, and its friction is that of the set: dimensions of
   1e-9 1/kg do not make P = 0 a solution. Rows do not know each other, so P_N = -c_N/G_NN. */
TEST(a_heavy_body_with_contensou_friction_is_stopped)
{
    const double contensou[] = {0.3, 0.003}, masses[] = {1.0, 1e9, 1e12};
    for (int m = 0; m < 3; m++) {
        double G[16] = {0}, c[4] = {-1.0, 0.2, 0.1, 0.5}, P[4] = {0}, still[4] = {-1.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++) G[5 * k] = (k < 3 ? 1.0 : 250.0) / masses[m];
        tp_set set = tp_set_contact(TP_FRICTION_CONTENSOU, 4, contensou);
        tp_problem *sliding = dense_problem(4, G, c, 1, &set), *falling = dense_problem(4, G, still, 1, &set);
        tp_report report = solve(sliding, NULL, P);
        CHECK_INT(report.status, TP_OK);
        CHECK(report.iterations > 0);
        CHECK_NEAR(P[0], masses[m], 1e-8 * masses[m]); /* the tolerance of E */
        CHECK(P[1] < 0.0 && P[2] < 0.0 && P[3] < 0.0);
        memset(P, 0, sizeof P);
        CHECK_INT(solve(falling, NULL, P).status, TP_OK);
        CHECK_NEAR(P[0], masses[m], 1e-8 * masses[m]);
        CHECK(fabs(P[1]) + fabs(P[2]) + fabs(P[3]) <= 1e-8 * masses[m]);
        tp_problem_free(sliding);
        tp_problem_free(falling);
    }
}

TEST_MAIN(RUNS(impulses_that_run_away_do_not_raise_their_own_limit),
          RUNS(impulses_of_solutions_are_explained_by_masses_and_velocities),
          RUNS(the_limit_is_that_of_the_theory), RUNS(the_judge_believes_no_claim),
          RUNS(without_leave_to_round_only_the_tolerance_counts),
          RUNS(a_column_of_any_mass_ratio_is_never_called_impossible_beyond_what_is_proven),
          RUNS(a_light_load_on_a_heavy_body_is_carried),
          RUNS(a_heavy_body_with_contensou_friction_is_stopped))
