/* The default solver on problems that are hard by their friction: what one of the others solves, it solves;
   theory/solvers.md (28). */
#include "problems.h"

/* Iterations that the default solver may take in these tests; what it solves at all, it solves with less. */
enum { MOST_ITERATIONS = 50000 };

enum { BODIES = 10, CONTACTS = 30, PER_BODY = 18, ENTRIES = 2 * PER_BODY * CONTACTS, TRIALS = 60 };

typedef struct heap {
    int row[ENTRIES], col[ENTRIES], entry_count;
    double value[ENTRIES], mass[6 * BODIES], f[6 * BODIES], friction[CONTACTS];
} heap;

/* The rows of a contact that a body has at an arm from its centre: velocities along three directions. */
static void put_body(heap *h, int body, int contact, double sign, const double arm[3], double frame[3][3])
{
    for (int k = 0; k < 3; k++) {
        const double *t = frame[k];
        const double turning[3] = {arm[1] * t[2] - arm[2] * t[1], arm[2] * t[0] - arm[0] * t[2],
                                   arm[0] * t[1] - arm[1] * t[0]};
        for (int i = 0; i < 6; i++) {
            h->row[h->entry_count] = 6 * body + i;
            h->col[h->entry_count] = 3 * contact + k;
            h->value[h->entry_count++] = sign * (i < 3 ? t[i] : turning[i - 3]);
        }
    }
}

/* An orthonormal frame, by Gram and Schmidt. */
static void random_frame(check_random *random, double frame[3][3])
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) frame[k][i] = check_normal(random);
        for (int j = 0; j < k; j++) {
            double part = 0.0;
            for (int i = 0; i < 3; i++) part += frame[k][i] * frame[j][i];
            for (int i = 0; i < 3; i++) frame[k][i] -= part * frame[j][i];
        }
        double length =
            sqrt(frame[k][0] * frame[k][0] + frame[k][1] * frame[k][1] + frame[k][2] * frame[k][2]);
        for (int i = 0; i < 3; i++) frame[k][i] /= length;
    }
}

/* Ten bodies with thirty contacts among them and with the ground, at random: more rows than velocities. */
static tp_problem *random_heap(check_random *random, double most_friction, heap *h)
{
    int index[6 * BODIES];
    double *mass = h->mass;
    tp_set sets[CONTACTS];
    h->entry_count = 0;
    for (int c = 0; c < CONTACTS; c++) {
        double frame[3][3], arm[2][3];
        int a = (int)(check_random_bits(random) % BODIES), b = (int)(check_random_bits(random) % BODIES);
        random_frame(random, frame);
        for (int i = 0; i < 6; i++) arm[i / 3][i % 3] = 0.5 * check_normal(random);
        put_body(h, a, c, 1.0, arm[0], frame);
        if (b != a) put_body(h, b, c, -1.0, arm[1], frame);
        h->friction[c] = check_uniform(random, 0.0, most_friction);
        sets[c] = tp_set_coulomb(3, h->friction[c]);
    }
    for (int k = 0; k < 6 * BODIES; k++) {
        index[k] = k;
        mass[k] = k % 6 == 0 ? check_uniform(random, 0.5, 2.0) : k % 6 < 3 ? mass[k - 1] : 0.2;
        h->f[k] = check_normal(random);
    }
    tp_problem_def def = tp_problem_def_default();
    def.x_count = 6 * BODIES;
    def.row_count = 3 * CONTACTS;
    def.set_count = CONTACTS;
    def.sets = sets;
    def.M = (tp_entries){6 * BODIES, 6 * BODIES, 6 * BODIES, index, index, mass};
    def.A = (tp_entries){6 * BODIES, 3 * CONTACTS, h->entry_count, h->row, h->col, h->value};
    def.f = h->f;
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    return problem;
}

static tp_status solve_by_default(const tp_problem *problem, double *P, tp_report *report)
{
    tp_solver_options options = tp_solver_options_default();
    tp_workspace *workspace;
    options.max_iterations = MOST_ITERATIONS;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve(problem, NULL, &options, workspace, P, NULL, report);
    tp_workspace_free(workspace);
    return status;
}

/* xi = A^T M^-1 (f + A P), from the numbers the heap was made of. */
static void velocities(const heap *h, const double *P, double *xi)
{
    double u[6 * BODIES];
    for (int k = 0; k < 6 * BODIES; k++) u[k] = h->f[k];
    for (int e = 0; e < h->entry_count; e++) u[h->row[e]] += h->value[e] * P[h->col[e]];
    memset(xi, 0, 3 * CONTACTS * sizeof(double));
    for (int e = 0; e < h->entry_count; e++) xi[h->col[e]] += h->value[e] * u[h->row[e]] / h->mass[h->row[e]];
}

/* Mean diagonal of A^T M^-1 A: a body that a contact meets twice counts once, with the sum of its entries. */
static double mean_diagonal(const heap *h)
{
    double sum = 0.0;
    for (int e = 0; e < h->entry_count; e++) {
        for (int d = 0; d < h->entry_count; d++) {
            if (h->row[d] == h->row[e] && h->col[d] == h->col[e])
                sum += h->value[e] * h->value[d] / h->mass[h->row[e]];
        }
    }
    return sum / (3 * CONTACTS);
}

/* Coulomb's law, contact by contact, without anything of the library. If E <= level, then with
   e = level |c| there is z in the cone within e/rho of P and y in its dual within e of
   x = (xi_N + mu |xi_T|, xi_T), y.z = 0; hence the bounds. */
static bool obeys_coulomb(const heap *h, const double *P, double level)
{
    const double zero[3 * CONTACTS] = {0};
    double xi[3 * CONTACTS], c[3 * CONTACTS], scale = 0.0, rho = mean_diagonal(h);
    velocities(h, zero, c);
    velocities(h, P, xi);
    for (int k = 0; k < 3 * CONTACTS; k++) scale += c[k] * c[k];
    double e = 1.01 * level * sqrt(scale); /* 1.01: for the rounding of sums in another order */
    for (int i = 0; i < CONTACTS; i++) {
        const double *p = P + 3 * i, *v = xi + 3 * i, mu = h->friction[i];
        double pt = hypot(p[1], p[2]), vt = hypot(v[1], v[2]), tilt = sqrt(1.0 + mu * mu);
        double x = hypot(v[0] + mu * vt, vt), size = hypot(p[0], pt);
        double power = p[0] * v[0] + p[1] * v[1] + p[2] * v[2] + mu * p[0] * vt;
        if (!(p[0] >= -e / rho && pt - mu * p[0] <= tilt * e / rho)) return false;
        if (!(v[0] >= -tilt * e)) return false;
        if (!(fabs(power) <= (x + e) * e / rho + e * size)) return false;
    }
    return true;
}

/* The chain solves all but one of these 60 heaps. */
TEST(with_enormous_friction_it_solves_what_alart_curnier_solves)
{
    static heap h;
    int solved = 0, solved_by_the_other = 0;
    for (unsigned seed = 1; seed <= TRIALS; seed++) {
        check_random random = {seed};
        tp_problem *problem = random_heap(&random, seed % 2 == 0 ? 10.0 : 100.0, &h);
        double P[3 * CONTACTS] = {0};
        tp_report report;
        CHECK(!obeys_coulomb(&h, P, 1e-8)); /* the check can fail */
        bool other = solve_with(problem, "alart-curnier", 1e-8, P, &report) == TP_OK;
        tp_status status = solve_by_default(problem, P, &report);
        if (status != TP_OK) print_message("seed %u: %s\n", seed, report.reason);
        CHECK(status == TP_OK || (status == TP_NOT_CONVERGED && !other));
        CHECK_INT(obeys_coulomb(&h, P, 1e-8), status == TP_OK);
        solved += status == TP_OK;
        solved_by_the_other += other;
        tp_problem_free(problem);
    }
    print_message("%d of %d, alart-curnier %d\n", solved, TRIALS, solved_by_the_other);
    CHECK(solved >= TRIALS - 1 && solved_by_the_other > TRIALS / 2);
}

enum { FEW = 6, FEW_ROWS = 2 * FEW };

/* A few contacts on fewer freedoms, with velocities that no impulse can cancel: some have a solution, some
   are squeezed, and in some friction locks. */
static tp_problem *small_lock(check_random *random, int size, int contacts, double off)
{
    double W[FEW_ROWS * FEW_ROWS], G[FEW_ROWS * FEW_ROWS], c[FEW_ROWS], f[FEW_ROWS];
    int n = size * contacts, freedoms = 2 + (int)(check_random_bits(random) % (unsigned)(n - 2));
    tp_set sets[FEW];
    for (int k = 0; k < freedoms * n; k++) W[k] = check_normal(random);
    for (int k = 0; k < freedoms; k++) f[k] = check_normal(random);
    for (int i = 0; i < n; i++) {
        c[i] = off * check_normal(random);
        for (int k = 0; k < freedoms; k++) c[i] += W[k + freedoms * i] * f[k];
        for (int j = 0; j < n; j++) {
            G[i + n * j] = 0.0;
            for (int k = 0; k < freedoms; k++) G[i + n * j] += W[k + freedoms * i] * W[k + freedoms * j];
        }
    }
    for (int i = 0; i < contacts; i++) sets[i] = tp_set_coulomb(size, check_uniform(random, 0.0, 2.0));
    return make_local(n, G, c, sets, contacts);
}

/* All cases tell the truth about small problems. Before the chain ended with them it missed some solutions
   beside a lock, and called no lock impossible that is. */
TEST(of_small_problems_it_finds_the_solutions_and_names_those_without)
{
    int count[3] = {0};
    for (unsigned seed = 1; seed <= 300; seed++) {
        check_random random = {seed};
        int size = seed % 3 == 0 ? 3 : 2, contacts = size == 3 ? 3 : 4 + (int)(seed % 2);
        tp_problem *problem = small_lock(&random, size, contacts, seed % 5 == 0 ? 1e-3 : 1.0);
        double P[FEW_ROWS] = {0}, Q[FEW_ROWS] = {0};
        tp_report report, cases;
        tp_status status = solve_by_default(problem, P, &report);
        tp_status truth = solve_with(problem, "enumeration", 1e-9, Q, &cases);
        bool is_undecided = truth == TP_NOT_CONVERGED;
        if (status != truth && !is_undecided)
            print_error("seed %u: %s; %s\n", seed, report.reason, cases.reason);
        if (!is_undecided) CHECK_INT(status, truth);
        if (status == TP_NOT_CONVERGED && report.iterations < MOST_ITERATIONS)
            CHECK(strstr(report.reason, "lock") != NULL);
        count[truth == TP_OK ? 0 : truth == TP_INFEASIBLE ? 1 : 2]++;
        tp_problem_free(problem);
    }
    print_message("%d solvable, %d not, %d undecided\n", count[0], count[1], count[2]);
    CHECK(count[0] > 150 && count[1] > 20);
}

enum { PARTS = 26, PART = 8, MANY_ROWS = PARTS * PART };

/* Four planar contacts that are nearly locked, and solvable: what all cases say. */
static void solvable_part(check_random *random, double *G, double *c, tp_set *sets)
{
    for (bool is_solvable = false; !is_solvable;) {
        double P[FEW_ROWS] = {0};
        tp_report cases;
        tp_problem *problem = small_lock(random, 2, PART / 2, 1.0);
        is_solvable = solve_with(problem, "enumeration", 1e-9, P, &cases) == TP_OK;
        memcpy(c, problem->b, PART * sizeof(double));
        memcpy(sets, problem->sets, PART / 2 * sizeof(tp_set));
        for (int i = 0; i < PART / 2; i++) {
            for (int k = problem->D.start[i]; k < problem->D.start[i + 1]; k++) {
                const double *block = problem->D.value + problem->D.offset[k];
                for (int e = 0; e < 4; e++)
                    G[2 * i + e % 2 + PART * (2 * problem->D.column[k] + e / 2)] = block[e];
            }
        }
        tp_problem_free(problem);
    }
}

/* Side by side they are more rows than cases can be tried for. Sweeps and Newton steps miss two of these
   eight, Lemke's path misses one of them. */
TEST(of_many_planar_contacts_it_solves_what_a_path_solves)
{
    static double G[MANY_ROWS * MANY_ROWS], c[MANY_ROWS], P[MANY_ROWS];
    int solved = 0;
    for (unsigned seed = 1; seed <= 8; seed++) {
        check_random random = {seed};
        tp_set sets[MANY_ROWS / 2];
        memset(G, 0, sizeof G);
        for (int first = 0; first < MANY_ROWS; first += PART) {
            double own[PART * PART] = {0};
            solvable_part(&random, own, c + first, sets + first / 2);
            for (int e = 0; e < PART * PART; e++)
                G[first + e % PART + MANY_ROWS * (first + e / PART)] = own[e];
        }
        tp_problem *problem = make_local(MANY_ROWS, G, c, sets, MANY_ROWS / 2);
        tp_report report;
        memset(P, 0, sizeof P);
        bool has_path = solve_with(problem, "faceted", 1e-8, P, &report) == TP_OK;
        memset(P, 0, sizeof P);
        bool is_solved = solve_by_default(problem, P, &report) == TP_OK;
        if (!is_solved) print_message("seed %u: %s\n", seed, report.reason);
        CHECK(is_solved || !has_path);
        solved += is_solved;
        tp_problem_free(problem);
    }
    CHECK(solved >= 7);
}

/* Spatial locks, which all cases do not decide: the report says what is the matter, and most end soon. One of
   them ended after one step at an E of 0.1 with the remark that double precision was exhausted: P was on its
   way to infinity. */
TEST(a_spatial_lock_is_named)
{
    int locked = 0, long_searches = 0;
    for (unsigned seed = 1; seed <= 60; seed++) {
        check_random random = {seed};
        tp_problem *problem = small_lock(&random, 3, 4, 1.0);
        double P[FEW_ROWS] = {0};
        tp_report report;
        tp_status status = solve_by_default(problem, P, &report);
        bool is_long = report.iterations >= MOST_ITERATIONS;
        if (status == TP_NOT_CONVERGED && !is_long) {
            if (strstr(report.reason, "lock") == NULL) print_error("seed %u: %s\n", seed, report.reason);
            CHECK(strstr(report.reason, "lock") != NULL);
            locked++;
        }
        long_searches += is_long;
        tp_problem_free(problem);
    }
    print_message("%d locked, %d long\n", locked, long_searches);
    CHECK(locked > 0 && long_searches <= 2);
}

/* What a workspace has seen before does not matter: problems that are solved, squeezed and locked in turn
   have the same answers, to the last bit, as in workspaces of their own. */
TEST(a_used_workspace_changes_nothing)
{
    tp_workspace *used;
    CHECK_INT(tp_workspace_create(NULL, &used), TP_OK);
    for (unsigned seed = 1; seed <= 60; seed++) {
        check_random random = {seed % 20 + 1};
        tp_problem *problem = small_lock(&random, 2, 4 + (int)(seed % 3), 1.0);
        double P[FEW_ROWS] = {0}, Q[FEW_ROWS] = {0};
        tp_solver_options options = tp_solver_options_default();
        tp_report report, again;
        options.max_iterations = MOST_ITERATIONS;
        tp_status status = solve_by_default(problem, P, &report);
        CHECK_INT(tp_solve(problem, NULL, &options, used, Q, NULL, &again), status);
        CHECK_INT(again.iterations, report.iterations);
        CHECK(memcmp(P, Q, sizeof P) == 0);
        tp_problem_free(problem);
    }
    tp_workspace_free(used);
}

/* Guesses at the ends of the range of numbers are as good as none. */
TEST(absurd_guesses_do_no_harm)
{
    static const double guesses[] = {1e308, -1e308, 1e160, 1e20, -1e20, 5e-324};
    static const double tolerances[] = {1e-8, 1e-12};
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int k = 0; k < 24; k++) {
        check_random random = {(unsigned long long)k + 1};
        tp_problem *problem = random_contacts(&random, 1 + k % 7, k < 12 ? 0.0 : 0.3, k < 12 ? 0.0 : 0.9);
        for (int g = 0; g < 12; g++) {
            double P[3 * 7];
            tp_solver_options options = tp_solver_options_default();
            tp_report report;
            for (int i = 0; i < problem->row_count; i++) P[i] = guesses[g / 2] * (i % 2 == 0 ? 1.0 : -0.5);
            options.tolerance = tolerances[g % 2];
            options.warm_start = true;
            CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_OK);
        }
        tp_problem_free(problem);
    }
    tp_workspace_free(workspace);
}

/* P = Q s with Q orthonormal columns spans the least-norm solutions of rows G = Q diag(l) Q^T, c = -G y. */
static void orthonormal_columns(check_random *random, int n, int rank, double *Q)
{
    for (int j = 0; j < rank; j++) {
        double *q = Q + j * n, length = 0.0;
        for (int i = 0; i < n; i++) q[i] = check_normal(random);
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < j; k++) {
                double part = 0.0;
                for (int i = 0; i < n; i++) part += q[i] * Q[i + k * n];
                for (int i = 0; i < n; i++) q[i] -= part * Q[i + k * n];
            }
        }
        for (int i = 0; i < n; i++) length += q[i] * q[i];
        for (int i = 0; i < n; i++) q[i] /= sqrt(length);
    }
}

/* Two steps find the impulses of least norm, to the rounding of a system that is shifted by 1e-8. */
static void check_least_norm(void **check_state_, tp_workspace *workspace, int n, const tp_set *sets,
                             int set_count, const double *G, const double *c, const double *least)
{
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem;
    tp_message why;
    tp_report report;
    tp_solver_options options = tp_solver_options_default();
    double P[16] = {0}, size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(least[i]));
    options.tolerance = 1e-12;
    def.row_count = n, def.set_count = set_count, def.sets = sets, def.b = c;
    def.D = (tp_entries){.rows = n, .cols = n, .count = n * n, .value = G};
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    CHECK_INT(tp_solve(problem, NULL, &options, workspace, P, NULL, &report), TP_OK);
    CHECK(report.iterations <= 2);
    for (int i = 0; i < n; i++) CHECK_NEAR(P[i], least[i], 10.0 * 2.3e-16 / 1e-8 * size);
    tp_problem_free(problem);
}

/* Twelve rows of joints, seven of them independent. From P = 0 the reactions are Q Q^T y, up to eps/1e-8 of
   their size (theory/solvers.md): rounding of the right side, in a null space that the shift 1e-8 rho makes
   regular. The same shift leaves a part 1e-8 rho/l of E in each step, so two steps reach 1e-12. */
TEST(redundant_joints_get_reactions_of_least_norm_in_two_steps)
{
    enum { N = 12, RANK = 7 };
    check_random random = {77};
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int trial = 0; trial < 50; trial++) {
        double Q[N * RANK], G[N * N] = {0}, c[N] = {0}, y[N], least[N] = {0};
        orthonormal_columns(&random, N, RANK, Q);
        for (int i = 0; i < N; i++) y[i] = check_normal(&random);
        for (int k = 0; k < RANK; k++) {
            double value = check_uniform(&random, 0.5, 2.0), along = 0.0;
            for (int i = 0; i < N; i++) along += Q[i + k * N] * y[i];
            for (int i = 0; i < N; i++) {
                least[i] += along * Q[i + k * N];
                c[i] -= value * along * Q[i + k * N];
                for (int j = 0; j < N; j++) G[i + j * N] += value * Q[i + k * N] * Q[j + k * N];
            }
        }
        tp_set joints[2] = {tp_set_free(6), tp_set_free(6)};
        check_least_norm(check_state_, workspace, N, joints, 2, G, c, least);
    }
    tp_workspace_free(workspace);
}

/* The same with a contact that pushes: steps are not refined then, so that each leaves the part 1e-8 rho/l of
   E. The contact takes part in the rows of the joints and in one direction of its own: its impulse is unique,
   those of the joints are again of least norm. A shift of 1e-5 takes a third step. */
TEST(redundant_joints_beside_a_contact_take_two_steps_as_well)
{
    enum { JOINTS = 12, N = JOINTS + 1, RANK = 7, DIRECTIONS = RANK + 1 };
    check_random random = {78};
    tp_workspace *workspace;
    CHECK_INT(tp_workspace_create(NULL, &workspace), TP_OK);
    for (int trial = 0; trial < 50; trial++) {
        double Q[JOINTS * RANK], B[N * DIRECTIONS] = {0}, G[N * N] = {0}, c[N] = {0}, least[N] = {0};
        orthonormal_columns(&random, JOINTS, RANK, Q);
        for (int k = 0; k < RANK; k++) {
            double along = check_normal(&random);
            for (int i = 0; i < JOINTS; i++) least[i] += along * Q[i + k * JOINTS];
            memcpy(B + k * N, Q + k * JOINTS, JOINTS * sizeof(double));
            B[JOINTS + k * N] = 0.1 * check_normal(&random);
        }
        B[JOINTS + RANK * N] = 1.0;
        least[JOINTS] = 10.0; /* pushes from the start, whatever the joints do */
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < DIRECTIONS; k++) G[i + j * N] += B[i + k * N] * B[j + k * N];
                c[i] -= G[i + j * N] * least[j];
            }
        }
        tp_set sets[3] = {tp_set_free(6), tp_set_free(6), tp_set_orthant(1)};
        check_least_norm(check_state_, workspace, N, sets, 3, G, c, least);
    }
    tp_workspace_free(workspace);
}

TEST_MAIN(RUNS(with_enormous_friction_it_solves_what_alart_curnier_solves),
          RUNS(of_small_problems_it_finds_the_solutions_and_names_those_without),
          RUNS(of_many_planar_contacts_it_solves_what_a_path_solves), RUNS(a_spatial_lock_is_named),
          RUNS(a_used_workspace_changes_nothing), RUNS(absurd_guesses_do_no_harm),
          RUNS(redundant_joints_get_reactions_of_least_norm_in_two_steps),
          RUNS(redundant_joints_beside_a_contact_take_two_steps_as_well))
