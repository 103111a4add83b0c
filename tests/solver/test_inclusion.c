/* Nonlinear inclusions with known solutions, by projected Newton and by linearised inclusions;
   theory/solvers.md (29)-(31). */
#include "problems.h"
#include "tippe/inclusion.h"

enum { MOST = 5 };

/* F_i = s x_i + cube x_i^3 - k (x_i-1 - 2 x_i + x_i+1) - P_i - c_i with 0 <= P_i _|_ x_i >= 0: masses on
   hardening springs, coupled by springs, each with a stop at 0. */
typedef struct springs {
    int n;
    double s, cube, k, c[MOST];
    int residuals, linearisations;
    int fail_after; /* residuals until the callback fails; 0: never */
} springs;

static double neighbour(const springs *m, const double *x, int i)
{
    return i >= 0 && i < m->n ? x[i] : 0.0;
}

static tp_status springs_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    springs *m = self;
    if (m->fail_after > 0 && m->residuals >= m->fail_after) return TP_INTERRUPTED;
    m->residuals++;
    for (int i = 0; i < m->n; i++) {
        F[i] = m->s * x[i] + m->cube * x[i] * x[i] * x[i] - P[i] - m->c[i];
        F[i] -= m->k * (neighbour(m, x, i - 1) - 2.0 * x[i] + neighbour(m, x, i + 1));
        xi[i] = x[i];
    }
    return TP_OK;
}

static tp_status springs_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    springs *m = self;
    (void)P;
    m->linearisations++;
    for (int j = 0; j < m->n; j++) {
        for (int e = linear->M.start[j]; e < linear->M.start[j + 1]; e++) {
            int i = linear->M.index[e];
            linear->M.value[e] = i == j ? m->s + 3.0 * m->cube * x[i] * x[i] + 2.0 * m->k : -m->k;
        }
    }
    return TP_OK; /* A = -dF/dP = I and C = I stay */
}

static tp_inclusion springs_inclusion(springs *m)
{
    double M[MOST * MOST] = {0}, identity[MOST * MOST] = {0};
    tp_set sets[MOST];
    for (int i = 0; i < m->n; i++) {
        sets[i] = tp_set_orthant(1);
        identity[i * (m->n + 1)] = 1.0;
        for (int j = 0; j < m->n; j++) M[i + j * m->n] = abs(i - j) <= 1 ? 1.0 : 0.0;
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = def.row_count = def.set_count = m->n;
    def.sets = sets;
    int row[3 * MOST], col[3 * MOST], count = 0;
    double value[3 * MOST];
    for (int k = 0; k < m->n * m->n; k++) {
        if (M[k] == 0.0) continue;
        row[count] = k % m->n, col[count] = k / m->n, value[count++] = 1.0;
    }
    def.M = (tp_entries){m->n, m->n, count, row, col, value};
    def.A = (tp_entries){m->n, m->n, m->n * m->n, NULL, NULL, identity};
    tp_problem *linear = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &linear, &why) != TP_OK) fail_msg("%s", why.text);
    return (tp_inclusion){
        .self = m, .linear = linear, .residual = springs_residual, .linearise = springs_linearise};
}

/* All equations and laws of the answer, by their own words. */
static void check_answer(void **check_state_, springs *m, const double *x, const double *P, double tolerance)
{
    double F[MOST], xi[MOST];
    m->fail_after = 0;
    springs_residual(m, x, P, F, xi);
    for (int i = 0; i < m->n; i++) {
        CHECK_NEAR(F[i], 0.0, tolerance);
        CHECK(x[i] >= -tolerance && P[i] >= -tolerance);
        CHECK_NEAR(fmin(x[i], P[i]), 0.0, tolerance);
    }
}

static tp_status solve_springs(springs *m, const tp_inclusion_options *options, double *x, double *P,
                               tp_report *report)
{
    tp_workspace *workspace;
    tp_inclusion inclusion = springs_inclusion(m);
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve_inclusion(&inclusion, options, workspace, x, P, report);
    tp_workspace_free(workspace);
    tp_problem_free(inclusion.linear);
    return status;
}

/* x + x^3 = c for c > 0, else x = 0 and P = -c. */
TEST(one_unknown_opens_or_closes)
{
    for (int variant = 0; variant < 3; variant++) {
        for (double c = -2.0; c <= 2.01; c += 0.5) {
            springs m = {.n = 1, .s = 1.0, .cube = 1.0, .c = {c}};
            tp_inclusion_options options = tp_inclusion_options_default();
            options.tolerance = 1e-12;
            options.refresh = variant == 1;
            options.linearised_only = variant == 2;
            double x[1] = {0.3}, P[1] = {0.1};
            tp_report report;
            CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_OK);
            CHECK(report.error <= 1e-12);
            check_answer(check_state_, &m, x, P, 1e-11);
            if (c <= 0.0) CHECK_NEAR(P[0], -c, 1e-11);
            if (c == 2.0) CHECK_NEAR(x[0], 1.0, 1e-11); /* 1 + 1 = 2 */
        }
    }
}

TEST(five_coupled_unknowns_are_solved_by_all_variants)
{
    check_random random = {61};
    int open = 0, closed = 0;
    for (int trial = 0; trial < 40; trial++) {
        double reference[MOST];
        for (int variant = 0; variant < 3; variant++) {
            springs m = {.n = 5, .s = 1.0, .cube = 0.1, .k = 0.4};
            check_random same = random;
            for (int i = 0; i < 5; i++) m.c[i] = check_normal(&same);
            tp_inclusion_options options = tp_inclusion_options_default();
            options.tolerance = 1e-11;
            options.refresh = variant == 1;
            options.linearised_only = variant == 2;
            double x[MOST] = {0}, P[MOST] = {0};
            tp_report report;
            CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_OK);
            check_answer(check_state_, &m, x, P, 1e-9);
            for (int i = 0; i < 5; i++) { /* strongly monotone with constant 1: one solution */
                if (variant == 0) reference[i] = x[i];
                CHECK_NEAR(x[i], reference[i], 1e-9);
                *(x[i] > 1e-6 ? &open : &closed) += 1;
            }
            if (variant == 0) CHECK_INT(m.linearisations, 1); /* frozen */
            if (variant == 2) random = same;
        }
    }
    CHECK(open > 30 && closed > 30);
}

/* The active set is found after a few inclusions, then errors are squared. */
TEST(linearised_inclusions_converge_quadratically)
{
    springs m = {.n = 5, .s = 1.0, .cube = 2.0, .k = 0.4, .c = {3.0, -1.0, 2.5, 4.0, -0.5}};
    double error[12];
    int squared = 0;
    for (int steps = 1; steps <= 10; steps++) {
        double x[MOST] = {2, 2, 2, 2, 2}, P[MOST] = {0};
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = true;
        options.max_linearised = steps;
        options.tolerance = 1e-15;
        tp_report report;
        tp_status status = solve_springs(&m, &options, x, P, &report);
        CHECK(status == TP_OK || status == TP_NOT_CONVERGED);
        error[steps] = report.error;
    }
    /* e_{k+1} <= K e_k^2 with K = cube * 3 x / s < 20 for x < 3 */
    for (int k = 1; k < 10; k++) {
        if (error[k] > 0.1 || error[k] < 1e-7) continue;
        CHECK(error[k + 1] <= 20.0 * error[k] * error[k]);
        squared++;
    }
    CHECK(squared >= 2);
    CHECK(error[10] < 1e-13);
}

/* At x = 0 the spring is thirty times softer than at the solution: steps with that Jacobian run away. */
TEST(where_the_frozen_jacobian_diverges_linearised_inclusions_take_over)
{
    springs m = {.n = 1, .s = 0.1, .cube = 1.0, .c = {1.1}};
    double x[1] = {0.0}, P[1] = {0.0};
    tp_inclusion_options options = tp_inclusion_options_default();
    tp_report report;
    CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_OK);
    CHECK(m.linearisations > 3);
    CHECK(strstr(report.reason, " 0 linearised") == NULL);
    CHECK_NEAR(x[0], 1.0, 1e-9); /* 0.1 + 1 = 1.1 */
    CHECK_NEAR(P[0], 0.0, 1e-9);
}

TEST(what_does_not_converge_says_so_and_keeps_the_best_point)
{
    springs m = {.n = 1, .s = 0.1, .cube = 1.0, .c = {1.1}};
    double x[1] = {0.0}, P[1] = {0.0}, F[1], xi[1];
    tp_inclusion_options options = tp_inclusion_options_default();
    options.max_iterations = options.max_linearised = 2;
    tp_report report;
    CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_NOT_CONVERGED);
    CHECK(report.error > options.tolerance && isfinite(report.error));
    springs_residual(&m, x, P, F, xi);
    CHECK_NEAR(report.error, fmax(fabs(F[0]), fabs(fmin(x[0], P[0] * 1e9))),
               1e-12 * report.error + fabs(P[0]));
}

TEST(a_failing_callback_ends_the_solve_with_its_status)
{
    for (int after = 1; after < 4; after++) {
        springs m = {.n = 5, .s = 1.0, .cube = 1.0, .k = 0.2, .c = {1, -1, 1, -1, 1}, .fail_after = after};
        double x[MOST] = {0}, P[MOST] = {0};
        tp_report report;
        CHECK_INT(solve_springs(&m, NULL, x, P, &report), TP_INTERRUPTED);
        for (int i = 0; i < 5; i++) CHECK(isfinite(x[i]) && isfinite(P[i]));
    }
}

/* Nothing is below the rounding floor: with tolerance 0 the solve ends there after a few steps, and says so.
 */
TEST(at_the_rounding_floor_linearised_inclusions_end)
{
    check_random random = {63};
    for (int trial = 0; trial < 20; trial++) {
        springs m = {.n = 5, .s = 1.0, .cube = 0.3, .k = 0.4};
        for (int i = 0; i < 5; i++) m.c[i] = 3.0 * check_normal(&random);
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = true;
        options.tolerance = 0.0;
        double x[MOST] = {0}, P[MOST] = {0};
        tp_report report;
        tp_status status = solve_springs(&m, &options, x, P, &report);
        CHECK_INT(status, report.error == 0.0 ? TP_OK : TP_NOT_CONVERGED);
        CHECK(report.floor > 0.0 && report.floor < 1e-13);
        CHECK(report.error <= 32.0 * report.floor);
        CHECK(report.iterations <= 12); /* the active set, some squarings, the last one */
        check_answer(check_state_, &m, x, P, 33.0 * report.floor);
    }
}

/* F with an error of its own that nothing improves, as stiff forces make of rounded positions. */
static tp_status noisy_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    springs *m = self;
    tp_status status = springs_residual(self, x, P, F, xi);
    for (int i = 0; i < m->n; i++) F[i] += m->residuals % 2 == 0 ? 1e-9 : -0.7e-9;
    return status;
}

TEST(known_noise_of_the_equations_ends_a_solve_at_once_and_unknown_noise_soon)
{
    const double noise[1] = {1e-9};
    for (int is_known = 0; is_known < 2; is_known++) {
        springs m = {.n = 1, .s = 1.0, .cube = 0.0, .c = {2.0}};
        tp_inclusion inclusion = springs_inclusion(&m);
        inclusion.residual = noisy_residual;
        inclusion.F_noise = is_known ? noise : NULL;
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = true;
        options.tolerance = 1e-12;
        tp_workspace *workspace;
        CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
        double x[1] = {0.0}, P[1] = {0.0};
        tp_report report;
        CHECK_INT(tp_solve_inclusion(&inclusion, &options, workspace, x, P, &report), TP_NOT_CONVERGED);
        CHECK_NEAR(report.error, 1e-9, 1e-9);
        CHECK(is_known ? report.iterations == 1 && report.error <= 32.0 * report.floor
                       : report.iterations <= 5 && report.error > 100.0 * report.floor);
        tp_workspace_free(workspace);
        tp_problem_free(inclusion.linear);
    }
}

/* A start whose error is below the tolerance is the answer, unless it must be at rounding. */
TEST(a_start_that_would_do_is_solved_nevertheless_if_asked_for)
{
    for (int is_strict = 0; is_strict < 2; is_strict++) {
        springs m = {.n = 1, .s = 1.0, .cube = 0.0, .c = {2.0}};
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = true;
        options.tolerance = 1e-3;
        options.start_tolerance = is_strict ? 1e-15 : 0.0;
        double x[1] = {2.0 + 1e-4}, P[1] = {0.0};
        tp_report report;
        CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_OK);
        CHECK_INT(report.iterations, is_strict);
        CHECK_NEAR(x[0], is_strict ? 2.0 : 2.0 + 1e-4, 1e-15);
    }
}

/* Or unless nothing but rounding is left in each row of its own terms: a step leaves the next one nothing to
   solve at rest, yet large terms of one equation do not excuse the error of another. */
TEST(a_start_at_the_rounding_of_each_row_is_the_answer)
{
    for (int is_rounding = 0; is_rounding < 2; is_rounding++) {
        springs m = {.n = 2, .s = 1.0, .c = {100.0, 1.0}};
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = options.up_to_rounding = true;
        options.tolerance = options.start_tolerance = 1e-15;
        double x[2] = {100.0 + (is_rounding ? 1e-12 : 0.0), 1.0 + (is_rounding ? 0.0 : 1e-13)}, P[2] = {0.0};
        tp_report report;
        CHECK_INT(solve_springs(&m, &options, x, P, &report), TP_OK);
        CHECK_INT(report.iterations, is_rounding ? 0 : 1);
        CHECK_NEAR(x[1], 1.0, 4e-16);
        CHECK_NEAR(x[0], 100.0, 1.01e-12);
    }
}

/* --- equations with a domain, and no laws */

/* ln x = c for x > 0; */
static tp_status logarithm_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    (void)P, (void)xi;
    F[0] = log(x[0]) - *(const double *)self;
    return TP_OK;
}

static tp_status logarithm_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    (void)self, (void)P;
    linear->M.value[0] = 1.0 / x[0];
    return TP_OK;
}

static double logarithm_reach(void *self, const double *x, const double *x_new)
{
    (void)self;
    return x_new[0] >= 0.1 * x[0] ? 1.0 : 0.9 * x[0] / (x[0] - x_new[0]);
}

/* atan is flat far away: full Newton steps go further and further. */
static tp_status flat_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    (void)P, (void)xi;
    F[0] = atan(x[0] - *(const double *)self);
    return TP_OK;
}

static tp_status flat_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    (void)P;
    double y = x[0] - *(const double *)self;
    linear->M.value[0] = 1.0 / (1.0 + y * y);
    return TP_OK;
}

static double everywhere(void *self, const double *x, const double *x_new)
{
    (void)self, (void)x, (void)x_new;
    return 1.0;
}

static tp_status solve_one(tp_inclusion inclusion, bool linearised_only, double *x, tp_report *report)
{
    const double one = 1.0;
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 1;
    def.M = (tp_entries){1, 1, 1, NULL, NULL, &one};
    def.A = (tp_entries){1, 0, 0, NULL, NULL, NULL};
    tp_workspace *workspace;
    double P[1] = {0.0};
    tp_inclusion_options options = tp_inclusion_options_default();
    options.linearised_only = linearised_only;
    options.refresh = true;
    if (tp_problem_create(NULL, &def, &inclusion.linear, NULL) != TP_OK) fail();
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve_inclusion(&inclusion, &options, workspace, x, P, report);
    tp_workspace_free(workspace);
    tp_problem_free(inclusion.linear);
    return status;
}

TEST(steps_stay_where_the_equations_are_defined)
{
    for (int linearised_only = 0; linearised_only < 2; linearised_only++) {
        for (double c = -5.0; c <= 5.0; c += 2.5) {
            tp_inclusion inclusion = {.self = &c,
                                      .residual = logarithm_residual,
                                      .linearise = logarithm_linearise,
                                      .reach = logarithm_reach};
            double x[1] = {30.0 * exp(c)}; /* the full step ends at x (1 - ln 30) < 0 */
            tp_report report;
            CHECK_INT(solve_one(inclusion, linearised_only, x, &report), TP_OK);
            CHECK_NEAR(x[0], exp(c), 1e-9 * exp(c));
        }
    }
}

TEST(where_full_steps_run_away_steps_that_lower_the_error_are_searched)
{
    for (double start = -30.0; start <= 30.0; start += 7.0) {
        double root = 5.0, x[1] = {root + start};
        tp_inclusion inclusion = {
            .self = &root, .residual = flat_residual, .linearise = flat_linearise, .reach = everywhere};
        tp_report report;
        CHECK_INT(solve_one(inclusion, true, x, &report), TP_OK);
        CHECK_NEAR(x[0], root, 1e-9);
    }
}

/* --- an implicit Euler step of a pendulum that swings against a stop with friction-free contact */

typedef struct pendulum {
    double h, angle, speed, gravity, stop; /* phi'' = -g sin phi, stop: phi >= stop */
} pendulum;

/* x = end speed; F = x - v + h g sin(phi + h x) - P, xi = (phi + h x - stop)/h. */
static tp_status pendulum_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    const pendulum *p = self;
    double end = p->angle + p->h * x[0];
    F[0] = x[0] - p->speed + p->h * p->gravity * sin(end) - P[0];
    xi[0] = (end - p->stop) / p->h;
    return TP_OK;
}

static tp_status pendulum_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    const pendulum *p = self;
    (void)P;
    linear->M.value[0] = 1.0 + p->h * p->h * p->gravity * cos(p->angle + p->h * x[0]);
    return TP_OK;
}

TEST(a_pendulum_rests_against_its_stop)
{
    pendulum p = {.h = 0.01, .angle = 0.4, .speed = 0.0, .gravity = 9.81, .stop = 0.2};
    tp_set set = tp_set_orthant(1);
    const double one = 1.0;
    tp_problem_def def = tp_problem_def_default();
    def.x_count = def.row_count = def.set_count = 1;
    def.sets = &set;
    def.M = (tp_entries){1, 1, 1, NULL, NULL, &one};
    def.A = (tp_entries){1, 1, 1, NULL, NULL, &one};
    tp_inclusion inclusion = {.self = &p, .residual = pendulum_residual, .linearise = pendulum_linearise};
    CHECK_INT(tp_problem_create(NULL, &def, &inclusion.linear, NULL), TP_OK);
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    double P[1] = {0}, lowest = 1.0;
    for (int step = 0; step < 200; step++) {
        double x[1] = {p.speed};
        tp_report report;
        tp_inclusion_options options = tp_inclusion_options_default();
        options.tolerance = 1e-12;
        options.linearised_only = step % 2 == 1; /* both ways give the same motion */
        CHECK_INT(tp_solve_inclusion(&inclusion, &options, workspace, x, P, &report), TP_OK);
        p.speed = x[0];
        p.angle += p.h * x[0];
        lowest = fmin(lowest, p.angle);
    }
    CHECK_NEAR(lowest, p.stop, 1e-12);
    CHECK_NEAR(p.speed, 0.0, 1e-11);
    CHECK_NEAR(P[0], p.h * p.gravity * sin(p.stop), 1e-11); /* the stop carries the weight */
    tp_workspace_free(workspace);
    tp_problem_free(inclusion.linear);
}

/* --- no x at all: a compliant stop xi = P + P^3 + c */

static tp_status stop_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    (void)x, (void)F;
    xi[0] = P[0] + P[0] * P[0] * P[0] + *(const double *)self;
    return TP_OK;
}

static tp_status stop_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    (void)self, (void)x;
    linear->D.value[linear->D.offset[linear->D.diagonal[0]]] = 1.0 + 3.0 * P[0] * P[0];
    return TP_OK;
}

TEST(an_inclusion_without_equations_is_solved)
{
    const double one = 1.0;
    tp_set set = tp_set_orthant(1);
    for (int variant = 0; variant < 3; variant++) {
        double c = variant == 2 ? 0.5 : -2.0, P[1] = {0.2};
        tp_inclusion inclusion = {.self = &c,
                                  .linear = make_local(1, &one, NULL, &set, 1),
                                  .residual = stop_residual,
                                  .linearise = stop_linearise};
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = variant == 1;
        tp_workspace *workspace;
        tp_report report;
        CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
        CHECK_INT(tp_solve_inclusion(&inclusion, &options, workspace, NULL, P, &report), TP_OK);
        CHECK_NEAR(P[0], variant == 2 ? 0.0 : 1.0, 1e-9); /* 1 + 1 = 2 */
        tp_workspace_free(workspace);
        tp_problem_free(inclusion.linear);
    }
}

/* For linear problems the iterates are those of projected Jacobi. */
TEST(on_linear_problems_projected_newton_is_projected_jacobi)
{
    check_random random = {62};
    for (int trial = 0; trial < 10; trial++) {
        double G[16], c[4], newton[4] = {0}, jacobi[4] = {0};
        for (int k = 0; k < 16; k++) G[k] = 0.2 * check_normal(&random) + (k % 5 == 0 ? 2.0 : 0.0);
        for (int k = 0; k < 4; k++) c[k] = check_normal(&random);
        tp_set sets[4];
        for (int k = 0; k < 4; k++) sets[k] = tp_set_orthant(1);
        tp_problem *problem = make_local(4, G, c, sets, 4);
        tp_workspace *workspace;
        tp_workspace_create(NULL, &workspace);
        tp_solver_options options = tp_solver_options_default();
        options.tolerance = 1e-15;
        tp_report report;
        for (int steps = 1; steps < 8; steps++) {
            options.max_iterations = steps;
            tp_solve(problem, "projected-newton", &options, workspace, newton, NULL, &report);
            tp_solve(problem, "projected-jacobi", &options, workspace, jacobi, NULL, &report);
            for (int k = 0; k < 4; k++) CHECK_NEAR(newton[k], jacobi[k], 1e-15);
        }
        tp_workspace_free(workspace);
        tp_problem_free(problem);
    }
}

/* 0 <= P _|_ g(P) >= 0 with g of four straight pieces, steep where P < -1 and about its root 2, flat
   elsewhere. The tangent at 0 leads to 15.5, that of 15.5 far below 0, which the law makes 0 again:
   linearised inclusions go round in circles, by whatever solver. In the case g = 0 the way leads over
   negative P to the root. */
static double broken_line(double P, double *slope)
{
    static const double corner[] = {-1.0, 0.5, 5.0}, at[] = {-1.65, -1.5, 3.0},
                        slopes[] = {1.0, 0.1, 1.0, 0.05};
    int piece = 0;
    while (piece < 3 && P > corner[piece]) piece++;
    int near = piece > 0 ? piece - 1 : 0;
    *slope = slopes[piece];
    return at[near] + slopes[piece] * (P - corner[near]);
}

static tp_status line_residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    (void)self;
    double slope;
    F[0] = x[0] - P[0];
    xi[0] = broken_line(x[0], &slope);
    return TP_OK;
}

static tp_status line_linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    (void)self, (void)P;
    broken_line(x[0], &linear->Ct.value[0]);
    return TP_OK;
}

TEST(where_linearised_inclusions_go_round_in_circles_all_cases_are_tried)
{
    springs m = {.n = 1};
    tp_inclusion inclusion = springs_inclusion(&m);
    inclusion.residual = line_residual;
    inclusion.linearise = line_linearise;
    inclusion.linear->M.value[0] = 1.0;
    tp_workspace *workspace = NULL;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int most = 50; most >= 0; most -= 50) { /* a limit of linearised inclusions is kept */
        double x[1] = {0.0}, P[1] = {0.0};
        tp_inclusion_options options = tp_inclusion_options_default();
        options.linearised_only = true;
        options.max_linearised = most;
        tp_report report;
        tp_status status = tp_solve_inclusion(&inclusion, &options, workspace, x, P, &report);
        CHECK_INT(status, most > 0 ? TP_NOT_CONVERGED : TP_OK);
        if (most == 0) CHECK_NEAR(P[0], 2.0, 1e-10);
    }
    tp_workspace_free(workspace);
    tp_problem_free(inclusion.linear);
}

TEST_MAIN(RUNS(one_unknown_opens_or_closes), RUNS(five_coupled_unknowns_are_solved_by_all_variants),
          RUNS(linearised_inclusions_converge_quadratically),
          RUNS(where_the_frozen_jacobian_diverges_linearised_inclusions_take_over),
          RUNS(what_does_not_converge_says_so_and_keeps_the_best_point),
          RUNS(at_the_rounding_floor_linearised_inclusions_end),
          RUNS(known_noise_of_the_equations_ends_a_solve_at_once_and_unknown_noise_soon),
          RUNS(a_start_that_would_do_is_solved_nevertheless_if_asked_for),
          RUNS(a_start_at_the_rounding_of_each_row_is_the_answer),
          RUNS(a_failing_callback_ends_the_solve_with_its_status), RUNS(a_pendulum_rests_against_its_stop),
          RUNS(steps_stay_where_the_equations_are_defined),
          RUNS(where_full_steps_run_away_steps_that_lower_the_error_are_searched),
          RUNS(an_inclusion_without_equations_is_solved),
          RUNS(on_linear_problems_projected_newton_is_projected_jacobi),
          RUNS(where_linearised_inclusions_go_round_in_circles_all_cases_are_tried))
