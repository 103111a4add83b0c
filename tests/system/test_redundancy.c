/* What theory/consistent.md (R1)-(R7) claims of joint rows that depend on others. */
#include "joint_errors.h"
#include "math/analysis.h"
#include "rows.h"
#include "system/redundancy.h"

#include <stdio.h>

typedef struct bench {
    tp_model *model;
    tp_system *system;
    tp_redundancy *redundancy;
    double *M;
} bench;

/* The choice at the model's initial positions. */
static bench open_bench(tp_model *model)
{
    bench b = {.model = model, .system = make_system(model)};
    tp_system_move(b.system, 0.0, model->q0, model->u0);
    b.M = calloc((size_t)tp_sparse_count(&b.system->mass_pattern), sizeof(double));
    tp_system_mass(b.system, b.M);
    if (tp_redundancy_create(tp_allocator_default(), b.system, &b.redundancy) != TP_OK) fail();
    if (tp_redundancy_find(b.redundancy, b.M) != TP_OK) fail();
    return b;
}

static void close_bench(bench *b)
{
    free(b->M);
    tp_redundancy_free(b->redundancy);
    tp_system_free(b->system);
    tp_model_free(b->model);
}

/* Rows of all laws as rows of a matrix [count x u_count], or those that are kept, each of length 1; returns
   their number. */
static int collect_rows(const bench *b, bool kept_alone, double *rows_out, int lead)
{
    int m = b->system->u_count, count = 0;
    double W[TP_LAW_ROWS * FULL_ROWS_COLUMNS], chi[TP_LAW_ROWS];
    for (int i = 0; i < b->model->laws.count; i++) {
        full_rows(b->system, i, W, chi);
        for (int k = 0; k < TP_LIST_AT(b->model->laws, tp_law, i)->row_count; k++) {
            if (kept_alone && tp_redundancy_leaves_out(b->redundancy, i, k)) continue;
            double square = 0.0;
            for (int j = 0; j < m; j++) square += W[j + k * m] * W[j + k * m];
            for (int j = 0; j < m; j++) rows_out[count + j * lead] = W[j + k * m] / sqrt(square);
            count++;
        }
    }
    return count;
}

static int rank_of(const double *rows, int lead, int count, int m)
{
    int rank;
    double *packed = calloc((size_t)(count * m), sizeof(double));
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < count; i++) packed[i + j * count] = rows[i + j * lead];
    }
    if (tp_analysis_rank(NULL, count, m, packed, 1e-3, &rank) != TP_OK) fail();
    free(packed);
    return rank;
}

/* 20 rows of rank 17: those of the three hinges that the fourth lets no freedom. Rank with 1e-3: the kept
   rows are far from dependent, not just independent. */
TEST(a_closed_loop_of_hinges_keeps_a_well_conditioned_set_of_full_rank)
{
    UNUSED_STATE;
    enum { LEAD = 20, M = 18 };
    double rows[LEAD * M];
    bench b = open_bench(loop_model(0.0));
    CHECK_INT(b.system->u_count, M);
    CHECK_INT(rank_of(rows, LEAD, collect_rows(&b, false, rows, LEAD), M), 17);
    CHECK_INT(tp_redundancy_count(b.redundancy), 3);
    CHECK_INT(collect_rows(&b, true, rows, LEAD), 17);
    CHECK_INT(rank_of(rows, LEAD, 17, M), 17);
    close_bench(&b);
}

TEST(a_joint_without_a_loop_loses_no_row)
{
    bench b = open_bench(pendulum_model());
    CHECK_INT(tp_redundancy_count(b.redundancy), 0);
    CHECK(!tp_redundancy_leaves_out(b.redundancy, 0, 0));
    CHECK(!tp_redundancy_is_near(b.redundancy));
    close_bench(&b);
}

static void generalised_force(const bench *b, const double *P, double *force)
{
    int m = b->system->u_count;
    double W[TP_LAW_ROWS * FULL_ROWS_COLUMNS], chi[TP_LAW_ROWS];
    memset(force, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < b->model->laws.count; i++) {
        full_rows(b->system, i, W, chi);
        for (int k = 0; k < TP_LIST_AT(b->model->laws, tp_law, i)->row_count; k++) {
            for (int j = 0; j < m; j++) force[j] += W[j + k * m] * P[i * TP_LAW_ROWS + k];
        }
    }
}

/* The shared impulses are the projection of the given ones: same force, no longer, not changed by sharing
   again, and reached from any impulses that differ by a self-stress: the difference of two vectors with
   the same shared part makes no force. */
TEST(shared_reactions_make_the_same_force_with_the_least_norm)
{
    enum { LAWS = 4, COUNT = LAWS * TP_LAW_ROWS, M = 18 };
    check_random random = {11};
    bench b = open_bench(loop_model(0.0));
    for (int trial = 0; trial < 50; trial++) {
        double P[COUNT] = {0}, shared[COUNT], again[COUNT], before[M], after[M], length = 0.0, least = 0.0;
        for (int i = 0; i < LAWS; i++) {
            for (int k = 0; k < 5; k++) P[i * TP_LAW_ROWS + k] = check_uniform(&random, -1.0, 1.0);
        }
        memcpy(shared, P, sizeof P);
        tp_redundancy_share(b.redundancy, shared);
        memcpy(again, shared, sizeof P);
        tp_redundancy_share(b.redundancy, again);
        generalised_force(&b, P, before);
        generalised_force(&b, shared, after);
        for (int j = 0; j < M; j++) CHECK_NEAR(after[j], before[j], 1e-10); /* shift/small singular values */
        for (int k = 0; k < COUNT; k++) {
            CHECK_NEAR(again[k], shared[k], 1e-14);
            length += P[k] * P[k];
            least += shared[k] * shared[k];
        }
        CHECK(least < length);
        /* the self-stress P - shared is perpendicular to what is left */
        double product = 0.0;
        for (int k = 0; k < COUNT; k++) product += (P[k] - shared[k]) * shared[k];
        CHECK_NEAR(product, 0.0, 1e-13);
    }
    close_bench(&b);
}

/* Each body is pinned twice at the same point: 2 of 4 rows depend on the others; more than are chosen by null
   vectors. */
TEST(very_many_dependent_rows_are_all_found)
{
    enum { BODIES = 40 };
    tp_model *model = new_model();
    for (int i = 0; i < BODIES; i++) {
        char name[3][16];
        snprintf(name[0], sizeof name[0], "b%d", i);
        snprintf(name[1], sizeof name[1], "p%d", i);
        snprintf(name[2], sizeof name[2], "r%d", i);
        tp_vec3 point = tp_vec3_make(i, 0.0, 0.0);
        add_body(model, TP_BODY_PLANAR, name[0], tp_vec3_make(i + 0.3, 0.2, 0.0), tp_quat_identity());
        add_joint(model, TP_JOINT_REVOLUTE, name[1], "ground", name[0], point, tp_vec3_zero());
        add_joint(model, TP_JOINT_REVOLUTE, name[2], "ground", name[0], point, tp_vec3_zero());
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    bench b = open_bench(model);
    CHECK_INT(tp_redundancy_count(b.redundancy), 2 * BODIES);
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < 2; k++) { /* one of the two equal rows */
            CHECK_INT(tp_redundancy_leaves_out(b.redundancy, 2 * i, k) +
                          tp_redundancy_leaves_out(b.redundancy, 2 * i + 1, k),
                      1);
        }
    }
    close_bench(&b);
}

/* g = x^2 at x = 0: no direction at all. */
TEST(a_row_of_zeros_is_left_out)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.0);
    coordinate(model, "y", 0.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), &build_why));
    tp_constraint_def def = tp_constraint_def_default();
    def.name = "flat";
    def.position = TP_FORMULA("x^2");
    must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    def.name = "line";
    def.position = TP_FORMULA("y");
    must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    bench b = open_bench(model);
    CHECK_INT(tp_redundancy_count(b.redundancy), 1);
    CHECK(tp_redundancy_leaves_out(b.redundancy, 0, 0));
    CHECK(!tp_redundancy_leaves_out(b.redundancy, 1, 0));
    CHECK_NEAR(tp_redundancy_diagonal(b.redundancy, 0, 0), 1.0, 0.0);
    close_bench(&b);
}

/* b = a + c/1000: c has a small share in the dependence, and where it is the last row
   of a factorisation its pivot is not small. One row depends on the others all the same, whatever their
   order, and it is not c. (A Bricard linkage did not leave its dependent row out any more, and its steps had
   no end.)
 */
TEST(a_dependent_row_is_found_whatever_the_order_of_the_rows)
{
    static const char *const rows[] = {"x", "x + 0.001*(0.6*x + 0.8*y)", "0.6*x + 0.8*y"};
    for (int turn = 0; turn < 3; turn++) {
        tp_model *model = new_model();
        coordinate(model, "x", 0.0, 0.0);
        coordinate(model, "y", 0.0, 0.0);
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), &build_why));
        for (int i = 0; i < 3; i++) {
            static const char *const names[] = {"first", "second", "third"};
            tp_constraint_def def = tp_constraint_def_default();
            def.name = names[i];
            def.position = TP_FORMULA(rows[(i + turn) % 3]);
            must(model, tp_model_add_constraint(model, &def, NULL, &build_why));
        }
        must(model, tp_model_finish(model, NULL, &build_why));
        bench b = open_bench(model);
        CHECK_INT(tp_redundancy_count(b.redundancy), 1);
        CHECK(!tp_redundancy_leaves_out(b.redundancy, (5 - turn) % 3, 0));
        close_bench(&b);
    }
}

/* A row that is kept after all, and what a row that is left out has instead of its law. */
TEST(a_row_can_be_taken_back)
{
    bench b = open_bench(loop_model(0.0));
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 5; k++) {
            if (!tp_redundancy_leaves_out(b.redundancy, i, k)) continue;
            int count = tp_redundancy_count(b.redundancy);
            CHECK(tp_redundancy_diagonal(b.redundancy, i, k) > 0.0);
            tp_redundancy_keep(b.redundancy, i, k);
            CHECK(!tp_redundancy_leaves_out(b.redundancy, i, k));
            CHECK_INT(tp_redundancy_count(b.redundancy), count - 1);
        }
    }
    CHECK_INT(tp_redundancy_count(b.redundancy), 0);
    close_bench(&b);
}

/* Rods of 1 m in a row, hinged in turn about two axes, or all about one. */
static tp_model *chain_model(int count, bool in_turn)
{
    tp_model *model = new_model();
    char before[16] = "ground", name[16], hinge[16];
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "b%d", k);
        add_body(model, TP_BODY_RIGID, name, tp_vec3_make(k + 0.5, 0.0, 0.0), tp_quat_identity());
        snprintf(hinge, sizeof hinge, "h%d", k);
        add_joint(model, TP_JOINT_REVOLUTE, hinge, before, name, tp_vec3_make(k, 0.0, 0.0),
                  tp_vec3_make(0.0, in_turn && k % 2 == 1 ? 0.0 : 1.0, in_turn && k % 2 == 1 ? 1.0 : 0.0));
        memcpy(before, name, sizeof before);
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* The smallest eigenvalue falls with the fourth power of the length, to 1e-12 of the largest here: no row of
   a chain depends on others all the same. */
TEST(a_long_chain_loses_no_row)
{
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        bench b = open_bench(chain_model(1000, in_turn));
        CHECK_INT(tp_redundancy_count(b.redundancy), 0);
        close_bench(&b);
    }
}

/* W^T M^-1 W y, with M diagonal. */
static void multiply(const bench *b, const double *y, double *out)
{
    int m = b->system->u_count, row = 0;
    double *force = calloc((size_t)m, sizeof(double)), W[TP_LAW_ROWS * FULL_ROWS_COLUMNS], chi[TP_LAW_ROWS];
    for (int pass = 0; pass < 2; pass++, row = 0) {
        for (int i = 0; i < b->model->laws.count; i++) {
            full_rows(b->system, i, W, chi);
            for (int k = 0; k < TP_LIST_AT(b->model->laws, tp_law, i)->row_count; k++, row++) {
                if (pass == 1) out[row] = 0.0;
                for (int j = 0; j < m; j++) {
                    int place = tp_pattern_place(&b->system->mass_pattern, j, j);
                    if (pass == 0) force[j] += W[j + k * m] * y[row] / b->M[place];
                    if (pass == 1) out[row] += W[j + k * m] * force[j];
                }
            }
        }
    }
    free(force);
}

/* The condition of three hinges is below 1e4, the shift 1e-13: nine digits at least. */
TEST(the_factors_solve_for_the_impulses_of_a_chain)
{
    enum { LINKS = 3, ROWS = 5 * LINKS };
    bench b = open_bench(chain_model(LINKS, true));
    int laws[LINKS] = {0, 1, 2}, others[LINKS] = {0, 2, 1};
    double y[ROWS], r[ROWS];
    for (int k = 0; k < ROWS; k++) y[k] = 1.0 + 0.1 * k * (k % 2 == 0 ? 1.0 : -1.0);
    CHECK(tp_redundancy_can_solve(b.redundancy, laws, LINKS));
    CHECK(!tp_redundancy_can_solve(b.redundancy, laws, LINKS - 1));
    CHECK(!tp_redundancy_can_solve(b.redundancy, others, LINKS));
    multiply(&b, y, r);
    tp_redundancy_solve(b.redundancy, r);
    for (int k = 0; k < ROWS; k++) CHECK_NEAR(r[k], y[k], 1e-8);
    close_bench(&b);
    bench loop = open_bench(loop_model(0.0));
    int all[4] = {0, 1, 2, 3};
    CHECK(!tp_redundancy_can_solve(loop.redundancy, all, 4));
    close_bench(&loop);
}

TEST_MAIN(RUNS(a_closed_loop_of_hinges_keeps_a_well_conditioned_set_of_full_rank),
          RUNS(a_joint_without_a_loop_loses_no_row),
          RUNS(shared_reactions_make_the_same_force_with_the_least_norm),
          RUNS(very_many_dependent_rows_are_all_found), RUNS(a_row_of_zeros_is_left_out),
          RUNS(a_dependent_row_is_found_whatever_the_order_of_the_rows), RUNS(a_row_can_be_taken_back),
          RUNS(a_long_chain_loses_no_row), RUNS(the_factors_solve_for_the_impulses_of_a_chain))
