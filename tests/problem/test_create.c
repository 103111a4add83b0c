/* Making problems: what is wrong is said by name and number, what is right is copied; theory/problems.md (1).
 */
#include "problems.h"

/* A sound global problem with two unknowns: a joint row and a planar contact; tests break one thing each. */
typedef struct sample {
    double M[4], A[6], C[6], D[9], f[2], b[3];
    tp_set sets[2];
    tp_problem_def def;
} sample;

static void make_sample(sample *s)
{
    *s = (sample){.M = {2, 0, 0, 3}, .A = {1, 0, 0, 1, 1, 1}, .C = {1, 0, 1, 0, 1, 1}, .b = {1, -1, 2}};
    s->sets[0] = tp_set_free(1);
    s->sets[1] = tp_set_coulomb(2, 0.5);
    s->def = tp_problem_def_default();
    s->def.x_count = 2;
    s->def.row_count = 3;
    s->def.set_count = 2;
    s->def.sets = s->sets;
    s->def.M = (tp_entries){2, 2, 4, NULL, NULL, s->M};
    s->def.A = (tp_entries){2, 3, 6, NULL, NULL, s->A};
    s->def.C = (tp_entries){3, 2, 6, NULL, NULL, s->C};
    s->def.D = (tp_entries){3, 3, 9, NULL, NULL, s->D};
    s->def.f = s->f;
    s->def.b = s->b;
}

static void check_refused(void **check_state_, const sample *s, tp_status status, const char *part)
{
    tp_problem *problem = (tp_problem *)(uintptr_t)1;
    tp_message why = {{0}};
    CHECK_INT(tp_problem_create(NULL, &s->def, &problem, &why), status);
    CHECK(problem == NULL);
    if (strstr(why.text, part) == NULL) print_error("'%s' lacks '%s'\n", why.text, part);
    CHECK(strstr(why.text, part) != NULL);
}

TEST(a_sound_problem_is_made_and_does_not_depend_on_its_def)
{
    sample s;
    make_sample(&s);
    tp_problem *problem;
    CHECK_INT(tp_problem_create(NULL, &s.def, &problem, NULL), TP_OK);
    memset(&s, 0, sizeof s);
    CHECK_INT(problem->x_count, 2);
    CHECK_INT(problem->row_count, 3);
    CHECK_INT(problem->sets[1].first, 1);
    CHECK_INT(problem->contact_count, 1);
    CHECK(!problem->is_mechanical);
    CHECK_NEAR(problem->b[2], 2.0, 0.0);
    CHECK_NEAR(problem->f[1], 0.0, 0.0);
    CHECK(strcmp(problem->kind, "global") == 0);
    tp_problem_free(problem);
    tp_problem_free(NULL);
}

TEST(matrices_of_wrong_size_are_named_with_both_sizes)
{
    sample s;
    make_sample(&s);
    s.def.M.rows = 1;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix M is 1 by 2, but must be 2 by 2");
    make_sample(&s);
    s.def.A.cols = 2;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix A is 2 by 2, but must be 2 by 3");
    make_sample(&s);
    s.def.C.cols = 3;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix C is 3 by 3, but must be 3 by 2");
    make_sample(&s);
    s.def.D.rows = 2;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix D is 2 by 3, but must be 3 by 3");
    make_sample(&s);
    s.def.M = (tp_entries){0};
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix M is 0 by 0");
}

TEST(a_local_problem_needs_its_matrix)
{
    tp_set set = tp_set_coulomb(3, 0.3);
    sample s = {.def = {.row_count = 3, .set_count = 1, .sets = &set}};
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix D is 0 by 0, but must be 3 by 3");
}

TEST(negative_counts_are_refused)
{
    sample s;
    make_sample(&s);
    s.def.row_count = -3;
    check_refused(check_state_, &s, TP_INVALID_DATA, "rows -3");
    make_sample(&s);
    int row[1] = {0}, col[1] = {0};
    s.def.M = (tp_entries){2, 2, -1, row, col, s.M};
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix M has a negative number of entries");
}

TEST(entries_that_are_not_finite_are_named)
{
    sample s;
    make_sample(&s);
    s.M[2] = NAN;
    check_refused(check_state_, &s, TP_INVALID_DATA,
                  "matrix M: the entry at row 0, column 1 is not a finite");
    make_sample(&s);
    s.D[5] = INFINITY;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix D: the entry at row 2, column 1");
    make_sample(&s);
    s.f[1] = NAN;
    check_refused(check_state_, &s, TP_INVALID_DATA, "vector f: entry 1");
    make_sample(&s);
    s.b[2] = -INFINITY;
    check_refused(check_state_, &s, TP_INVALID_DATA, "vector b: entry 2");
}

TEST(indices_out_of_range_are_named)
{
    sample s;
    make_sample(&s);
    int row[2] = {0, 2}, col[2] = {1, 0};
    s.def.M = (tp_entries){2, 2, 2, row, col, s.M};
    check_refused(check_state_, &s, TP_INVALID_DATA,
                  "matrix M: entry 1 is at row 2, column 0, outside of 2 by 2");
    row[1] = 1;
    col[0] = -1;
    check_refused(check_state_, &s, TP_INVALID_DATA, "matrix M: entry 0 is at row 0, column -1");
}

TEST(missing_arrays_are_the_callers_mistake)
{
    sample s;
    make_sample(&s);
    s.def.A.value = NULL;
    check_refused(check_state_, &s, TP_INVALID_ARGUMENT, "matrix A: an array is missing");
    make_sample(&s);
    s.def.sets = NULL;
    check_refused(check_state_, &s, TP_INVALID_ARGUMENT, "the sets are missing");
}

TEST(unsound_laws_are_named_with_their_number_and_row)
{
    sample s;
    make_sample(&s);
    s.sets[1].parameter[0] = -0.5;
    check_refused(check_state_, &s, TP_INVALID_DATA, "law 1 (from row 1 on)");
    make_sample(&s);
    s.sets[1].parameter[0] = NAN;
    check_refused(check_state_, &s, TP_INVALID_DATA, "law 1");
    make_sample(&s);
    s.sets[0] = tp_set_interval(1.0, -1.0);
    check_refused(check_state_, &s, TP_INVALID_DATA, "law 0 (from row 0 on)");
}

TEST(laws_must_cover_the_rows_exactly)
{
    sample s;
    make_sample(&s);
    s.sets[0].size = 2;
    check_refused(check_state_, &s, TP_INVALID_DATA, "the laws have 4 rows in all, but the problem has 3");
    make_sample(&s);
    s.def.set_count = 1;
    check_refused(check_state_, &s, TP_INVALID_DATA, "the laws have 1 rows in all, but the problem has 3");
}

TEST(masters_must_exist)
{
    sample s;
    make_sample(&s);
    s.sets[1] = tp_set_following(tp_set_ball(2, 0.3), 2, 2);
    check_refused(check_state_, &s, TP_INVALID_DATA, "law 1 follows the rows 2 to 3, but there are only 3");
    s.sets[1] = tp_set_following(tp_set_ball(2, 0.3), -1, 1);
    check_refused(check_state_, &s, TP_INVALID_DATA, "law 1");
}

TEST(large_sets_of_independent_rows_are_cut_and_keep_their_order)
{
    enum { ROWS = 8 + 13 + 6 + 2 };
    double D[ROWS * ROWS] = {0};
    tp_set sets[4] = {tp_set_free(8), tp_set_orthant(13), tp_set_zero(6), tp_set_coulomb(2, 0.1)};
    tp_problem *problem = make_local(ROWS, D, NULL, sets, 4);
    const int sizes[] = {6, 2, 6, 6, 1, 6, 2};
    const tp_set_kind kinds[] = {TP_SET_FREE,    TP_SET_FREE, TP_SET_ORTHANT, TP_SET_ORTHANT,
                                 TP_SET_ORTHANT, TP_SET_ZERO, TP_SET_CONTACT};
    CHECK_INT(problem->set_count, 7);
    for (int i = 0, row = 0; i < 7; i++) {
        CHECK_INT(problem->sets[i].kind, kinds[i]);
        CHECK_INT(problem->sets[i].size, sizes[i]);
        CHECK_INT(problem->sets[i].first, row);
        row += sizes[i];
    }
    tp_problem_free(problem);
}

/* The cut changes nothing in the law: E is that of the formula row by row. */
TEST(a_cut_set_has_the_error_of_its_rows)
{
    enum { ROWS = 15 };
    check_random random = {3};
    double D[ROWS * ROWS], c[ROWS], P[ROWS], sum = 0.0, trace = 0.0, norm = 0.0;
    for (int i = 0; i < ROWS * ROWS; i++) D[i] = check_normal(&random) + (i % (ROWS + 1) == 0 ? 20.0 : 0.0);
    for (int i = 0; i < ROWS; i++) c[i] = check_normal(&random), P[i] = check_normal(&random);
    for (int i = 0; i < ROWS; i++) trace += D[i * (ROWS + 1)], norm += c[i] * c[i];
    double rho = trace / ROWS;
    for (int i = 0; i < ROWS; i++) {
        double xi = c[i];
        for (int j = 0; j < ROWS; j++) xi += D[i + j * ROWS] * P[j];
        double e = fmax(fabs(fmin(rho * P[i], xi)), fmax(0.0, -xi));
        sum += e * e;
    }
    tp_set set = tp_set_orthant(ROWS);
    tp_problem *problem = make_local(ROWS, D, c, &set, 1);
    tp_residual residual;
    CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
    CHECK_NEAR(residual.error, sqrt(sum / norm), 1e-13 * sqrt(sum / norm));
    CHECK_NEAR(residual.rho, rho, 1e-14 * rho);
    tp_problem_free(problem);
}

static void *allocate_nothing(void *context, size_t bytes)
{
    int *left = context;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

TEST(without_memory_there_is_no_problem_and_no_leak)
{
    sample s;
    for (int allowed = 0; allowed < 3; allowed++) {
        int left = allowed;
        tp_allocator allocator = {&left, allocate_nothing, release};
        tp_problem *problem;
        make_sample(&s);
        tp_status status = tp_problem_create(&allocator, &s.def, &problem, NULL);
        CHECK(status == TP_OUT_OF_MEMORY || status == TP_OK);
        CHECK((status == TP_OK) == (problem != NULL));
        if (allowed == 0) CHECK_INT(status, TP_OUT_OF_MEMORY);
        tp_problem_free(problem);
    }
}

TEST(an_empty_problem_is_a_problem_without_error)
{
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem;
    tp_residual residual;
    CHECK_INT(tp_problem_create(NULL, &def, &problem, NULL), TP_OK);
    CHECK_INT(tp_problem_error(problem, NULL, &residual), TP_OK);
    CHECK_NEAR(residual.error, 0.0, 0.0);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(a_sound_problem_is_made_and_does_not_depend_on_its_def),
          RUNS(matrices_of_wrong_size_are_named_with_both_sizes), RUNS(a_local_problem_needs_its_matrix),
          RUNS(negative_counts_are_refused), RUNS(entries_that_are_not_finite_are_named),
          RUNS(indices_out_of_range_are_named), RUNS(missing_arrays_are_the_callers_mistake),
          RUNS(unsound_laws_are_named_with_their_number_and_row), RUNS(laws_must_cover_the_rows_exactly),
          RUNS(masters_must_exist), RUNS(large_sets_of_independent_rows_are_cut_and_keep_their_order),
          RUNS(a_cut_set_has_the_error_of_its_rows), RUNS(without_memory_there_is_no_problem_and_no_leak),
          RUNS(an_empty_problem_is_a_problem_without_error))
