/* Joints hold to the rounding of velocities where parts are very light; theory/problems.md (18), (19). */
#include "mechanism_problems.h"

#include "math/block_matrix.h"
#include "math/sparse.h"

#include <float.h>

enum { SEEDS = 8 };

/* M_ij becomes s_i s_j M_ij, with s small for one direction of every body. */
static void make_light(tp_problem *problem, double s)
{
    for (int j = 0; j < problem->x_count; j++) {
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++) {
            int i = problem->M.index[k];
            problem->M.value[k] *= (i % BODY_ROWS == 2 ? s : 1.0) * (j % BODY_ROWS == 2 ? s : 1.0);
        }
    }
}

/* Largest |xi| of joints at x, in parts of the largest term of their rows. */
static double opening(const tp_problem *problem, const double *P, const double *x)
{
    double *xi = calloc((size_t)problem->row_count, sizeof(double)), largest = 0.0, size = 0.0;
    tp_block_matrix_apply(&problem->D, P, problem->b, xi);
    tp_sparse_multiply_transposed_add(&problem->Ct, x, xi);
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        for (int row = set->first; row < set->first + set->size && set->kind == TP_SET_FREE; row++) {
            largest = fmax(largest, fabs(xi[row]));
            for (int e = problem->Ct.start[row]; e < problem->Ct.start[row + 1]; e++)
                size = fmax(size, fabs(problem->Ct.value[e] * x[problem->Ct.index[e]]));
        }
    }
    free(xi);
    return largest / size;
}

/* Largest residual of M x = f + A P, each row in parts of the sum of its terms. */
static double imbalance(const tp_problem *problem, const double *P, const double *x)
{
    size_t n = (size_t)problem->x_count;
    double *sum = calloc(n, sizeof(double)), *size = calloc(n, sizeof(double)), largest = 0.0;
    for (int i = 0; i < problem->x_count; i++) {
        sum[i] = -problem->f[i];
        size[i] = fabs(problem->f[i]);
    }
    for (int j = 0; j < problem->x_count; j++) {
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++) {
            sum[problem->M.index[k]] += problem->M.value[k] * x[j];
            size[problem->M.index[k]] += fabs(problem->M.value[k] * x[j]);
        }
    }
    for (int j = 0; j < problem->row_count; j++) {
        for (int k = problem->A.start[j]; k < problem->A.start[j + 1]; k++) {
            sum[problem->A.index[k]] -= problem->A.value[k] * P[j];
            size[problem->A.index[k]] += fabs(problem->A.value[k] * P[j]);
        }
    }
    for (int i = 0; i < problem->x_count; i++) largest = fmax(largest, fabs(sum[i]) / size[i]);
    free(sum), free(size);
    return largest;
}

/* Solves and gives the openings: of x that belongs to P, and of x that is handed out. */
typedef struct openings {
    double of_P, of_x, imbalance;
} openings;

static openings solve(const tp_problem *problem)
{
    double *P = calloc((size_t)problem->row_count, sizeof(double)),
           *x = calloc((size_t)problem->x_count, sizeof(double)),
           *x_of_P = calloc((size_t)problem->x_count, sizeof(double));
    tp_workspace *workspace;
    tp_solver_options options = tp_solver_options_default();
    tp_report report;
    options.tolerance = 1e-14;
    options.floor_factor = 32.0;
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    tp_status status = tp_solve(problem, NULL, &options, workspace, P, x, &report);
    bool is_solved = status == TP_OK || (status == TP_NOT_CONVERGED && report.error <= 1000.0 * report.floor);
    if (!is_solved) fail_msg("%s", report.reason); /* as integrators judge it */
    if (tp_problem_state(problem, P, x_of_P, NULL) != TP_OK) fail();
    openings out = {opening(problem, P, x_of_P), opening(problem, P, x), imbalance(problem, P, x)};
    tp_workspace_free(workspace);
    free(P), free(x), free(x_of_P);
    return out;
}

/* Three bodies go through G, thirty through joints as unknowns. */
TEST(joints_of_light_parts_hold_to_rounding_and_momentum_is_balanced)
{
    double worst_of_P = 0.0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        for (int k = 0; k < 4; k++) {
            check_random random = {(uint64_t)seed};
            mechanism_kind kind = {
                .bodies = k < 2 ? 3 : 30, .contacts = k % 2 == 0 ? 0 : 3, .is_chain = true};
            tp_problem *problem = random_mechanism(&random, kind);
            make_light(problem, 1e-4);
            openings found = solve(problem);
            worst_of_P = fmax(worst_of_P, found.of_P);
            CHECK(found.of_x <= 4.0 * DBL_EPSILON); /* (19) */
            /* a light direction takes the rounding of some forty terms */
            CHECK(found.imbalance <= 100.0 * DBL_EPSILON);
            tp_problem_free(problem);
        }
    }
    CHECK(worst_of_P > 1e-10); /* (18) is 1e8 eps here; else nothing was shown */
}

TEST(redundant_joints_are_left_as_they_are)
{
    check_random random = {3};
    tp_problem *problem = random_mechanism(&random, (mechanism_kind){.bodies = 3, .has_twin = true});
    openings found = solve(problem);
    CHECK(found.of_x <= 1e-12 && found.imbalance <= 1e-13);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(joints_of_light_parts_hold_to_rounding_and_momentum_is_balanced),
          RUNS(redundant_joints_are_left_as_they_are))
