/* Every known problem file reads with the kind, the sizes and the figures of the manifest. */
#include "check.h"
#include "known_problems.h"
#include "tippe/exchange.h"

#include <stdlib.h>
#include <string.h>

enum { PROBLEM_COUNT = sizeof known_problems / sizeof known_problems[0] };

/* Path of a problem: in the repository, else in the larger collection ($TIPPE_PROBLEMS, or beside the
   checkout). False if it is nowhere. */
static bool find_problem(const known_problem *known, char path[1024])
{
    const char *collection = getenv("TIPPE_PROBLEMS");
    if (known->is_kept) {
        snprintf(path, 1024, TIPPE_SOURCE_DIR "/data/problems/%s", known->file);
        return true;
    }
    snprintf(path, 1024, "%s/%s", collection ? collection : TIPPE_SOURCE_DIR "/../shared/problems",
             known->file);
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

static double norm(const double *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* Mean diagonal of D over the rows that are not equalities. */
static double mean_diagonal(const tp_problem *problem)
{
    const tp_block_matrix *D = &problem->D;
    double sum = 0.0;
    int count = 0;
    for (int s = 0; s < problem->set_count; s++) {
        if (problem->sets[s].kind == TP_SET_FREE) continue;
        int size = problem->sets[s].size;
        const double *block = D->value + D->offset[D->diagonal[s]];
        for (int i = 0; i < size; i++, count++) sum += block[i * size + i];
    }
    return count > 0 ? sum / count : 0.0;
}

static int contacts_of_size(const tp_problem *problem, int size)
{
    int count = 0;
    for (int s = 0; s < problem->set_count; s++) {
        count += problem->sets[s].kind == TP_SET_CONTACT && problem->sets[s].size == size;
    }
    return count;
}

/* |q| of the file itself. The manifest's figure comes from another program's sums in another order: both are
   off by at most a few times count * 1e-16 of the sum of magnitudes. */
static void check_local_figures(void **check_state_, const known_problem *known, const tp_problem *problem)
{
    double tolerance = 1e-12;
    CHECK_NEAR(norm(problem->b, problem->row_count), known->q_norm, tolerance * known->q_norm);
    if (known->mean_diagonal >= 0.0) {
        CHECK_NEAR(mean_diagonal(problem), known->mean_diagonal,
                   tolerance * fmax(known->mean_diagonal, 1e-3));
    }
}

/* q = H^T M^-1 f + w is a difference of numbers that may be much larger than it, and M^-1 costs the condition
   of M: relative to the larger parts 1e-9 leaves room for a condition of 1e6. */
static void check_global_figures(void **check_state_, const known_problem *known, const tp_problem *problem)
{
    tp_problem *local;
    tp_message why = {""};
    CHECK_INT(tp_problem_reduce(NULL, problem, &local, &why), TP_OK);
    double part = 0.0, w_norm = norm(problem->b, problem->row_count);
    for (int i = 0; i < problem->row_count; i++) part += pow(local->b[i] - problem->b[i], 2);
    double scale = fmax(known->q_norm, w_norm + sqrt(part));
    CHECK_NEAR(norm(local->b, local->row_count), known->q_norm, 1e-9 * scale);
    if (known->mean_diagonal >= 0.0) {
        CHECK_NEAR(mean_diagonal(local), known->mean_diagonal, 1e-9 * known->mean_diagonal);
    }
    tp_problem_free(local);
}

TEST(every_known_problem_reads_with_its_kind_sizes_and_figures)
{
    int absent = 0;
    for (int k = 0; k < PROBLEM_COUNT; k++) {
        const known_problem *known = &known_problems[k];
        char path[1024];
        if (!find_problem(known, path)) {
            absent++;
            continue;
        }
        tp_problem *problem;
        tp_message why = {""};
        tp_status status = tp_problem_read(NULL, path, &problem, &why);
        if (status != TP_OK) print_error("%s: %s\n", known->file, why.text);
        CHECK_INT(status, TP_OK);
        if (strcmp(problem->kind, known->kind) != 0) print_error("%s: %s\n", known->file, problem->kind);
        CHECK(strcmp(problem->kind, known->kind) == 0);
        CHECK_INT(problem->row_count, known->row_count);
        CHECK_INT(problem->x_count, known->x_count);
        CHECK_INT(problem->contact_count, known->contact_count);
        if (known->dimension > 0)
            CHECK_INT(contacts_of_size(problem, known->dimension), known->contact_count);
        if (problem->x_count == 0) check_local_figures(check_state_, known, problem);
        if (problem->x_count > 0) check_global_figures(check_state_, known, problem);
        tp_problem_free(problem);
    }
    if (absent > 0) {
        print_message("%d large problems skipped: set TIPPE_PROBLEMS to the folder of the collection\n",
                      absent);
    }
    CHECK(absent < PROBLEM_COUNT / 2);
}

static tp_problem *read_kept(void **check_state_, const char *file)
{
    char path[1024];
    tp_problem *problem;
    tp_message why = {""};
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/data/problems/%s", file);
    tp_status status = tp_problem_read(NULL, path, &problem, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
    return problem;
}

/* The file's form 1 is 3 by 2; form 2 has A = 1, B = 1, C = -1, D = 1, a = 0, b = -1, solved by z1 = z2 =
 * 1/2. */
TEST(an_mlcp_whose_first_form_is_not_square_is_read_from_its_second)
{
    tp_problem *problem = read_kept(check_state_, "mlcp/Rectangular_mlcp.dat");
    const double half[2] = {0.5, 0.5};
    tp_residual residual;
    CHECK_INT(problem->row_count, 2);
    CHECK_INT(tp_problem_error(problem, half, &residual), TP_OK);
    CHECK_NEAR(residual.error, 0.0, 1e-15);
    tp_problem_free(problem);
}

TEST(a_problem_without_contacts_is_read_and_has_error_zero)
{
    tp_problem *problem = read_kept(check_state_, "fc2d/gfc2d_granularflowonwall_00000_00117.dat");
    tp_residual residual;
    double nothing = 0.0;
    CHECK_INT(problem->row_count, 0);
    CHECK_INT(problem->x_count, 900);
    CHECK_INT(tp_problem_error(problem, &nothing, &residual), TP_OK);
    CHECK_NEAR(residual.error, 0.0, 0.0);
    tp_problem_free(problem);
}

TEST(the_bounds_of_a_relay_problem_are_intervals)
{
    tp_problem *problem = read_kept(check_state_, "relay/relay_4x4.dat");
    CHECK_INT(problem->set_count, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(problem->sets[i].kind, TP_SET_BOX);
        CHECK_NEAR(problem->sets[i].parameter[0], -1.0, 0.0);
        CHECK_NEAR(problem->sets[i].parameter[1], 1.0, 0.0);
    }
    tp_problem_free(problem);
}

TEST(a_generic_problem_has_the_laws_of_its_blocks)
{
    tp_problem *problem = read_kept(check_state_, "generic/GMP5.dat");
    CHECK_INT(problem->set_count, 2);
    CHECK_INT(problem->sets[0].kind, TP_SET_FREE);
    CHECK_INT(problem->sets[0].size, 5);
    CHECK_INT(problem->sets[1].kind, TP_SET_CONTACT);
    CHECK_NEAR(problem->sets[1].parameter[0], 0.03, 0.0);
    tp_problem_free(problem);
}

/* A dense matrix is printed column by column: lcp_ortiz has -1 below the first diagonal entry. */
TEST(a_dense_matrix_is_read_column_by_column)
{
    tp_problem *problem = read_kept(check_state_, "lcp/lcp_ortiz.dat");
    const tp_block_matrix *D = &problem->D;
    CHECK_INT(D->column[D->start[1]], 0);
    CHECK_NEAR(D->value[D->offset[D->start[1]]], -1.0, 0.0);
    CHECK_INT(D->column[D->start[0] + 1], 1);
    CHECK_NEAR(D->value[D->offset[D->start[0] + 1]], 1.0, 0.0);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(every_known_problem_reads_with_its_kind_sizes_and_figures),
          RUNS(an_mlcp_whose_first_form_is_not_square_is_read_from_its_second),
          RUNS(a_problem_without_contacts_is_read_and_has_error_zero),
          RUNS(the_bounds_of_a_relay_problem_are_intervals),
          RUNS(a_generic_problem_has_the_laws_of_its_blocks), RUNS(a_dense_matrix_is_read_column_by_column))
