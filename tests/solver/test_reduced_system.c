/* The linear system of a Newton step against one assembled here; dense and sparse paths agree;
   theory/solvers.md (14). */
#include "math/dense.h"
#include "problems.h"
#include "solver/newton/reduced_system.h"

#include <float.h>
#include <math.h>

enum { MOST = 330 };

/* G in a band of blocks, so that the sparse path has zeros to skip; unsymmetric. */
static tp_problem *banded_problem(check_random *random, const tp_set *sets, int count)
{
    int rows = 0, owner[MOST];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < sets[i].size; k++) owner[rows++] = i;
    double *G = calloc((size_t)(rows * rows), sizeof(double)), c[MOST];
    for (int i = 0; i < rows; i++) {
        c[i] = check_normal(random);
        for (int j = 0; j < rows; j++) {
            if (abs(owner[i] - owner[j]) <= 2) G[i + j * rows] = 0.15 * check_normal(random);
            if (i == j) G[i + j * rows] += 2.0;
        }
    }
    tp_problem *problem = make_local(rows, G, c, sets, count);
    free(G);
    return problem;
}

/* The Newton point by a dense matrix put together from the linearised blocks. */
static void newton_reference(const tp_reduced_system *system, double shift, double *P)
{
    const tp_local *local = system->local;
    int n = system->first[local->set_count], rows = local->row_count;
    double *G = malloc((size_t)(rows * rows) * sizeof(double)),
           *a = calloc((size_t)(n * n) + 1, sizeof(double));
    double e[MOST] = {0}, column[MOST], d[MOST];
    int pivot[MOST];
    for (int j = 0; j < rows; j++) { /* G column by column from the velocity of unit impulses */
        e[j] = 1.0;
        tp_local_velocity(local, e, column);
        e[j] = 0.0;
        for (int i = 0; i < rows; i++) G[i + j * rows] = column[i] - local->c[i] + (i == j ? shift : 0.0);
    }
    for (int I = 0; I < local->set_count; I++) {
        const tp_linear_block *row = &system->block[I];
        const tp_set *set = &local->sets[I];
        for (int x = 0; x < row->dim; x++) {
            double sum = row->offset[x];
            for (int k = 0; k < row->size; k++)
                sum += row->R[x + k * row->dim] * system->velocity[set->first + k];
            d[system->first[I] + x] = -sum;
            for (int J = 0; J < local->set_count; J++) {
                const tp_linear_block *other = &system->block[J];
                for (int y = 0; y < other->dim; y++) {
                    double entry = I == J ? row->K[x + y * row->dim] : 0.0;
                    for (int k = 0; k < row->size; k++)
                        for (int l = 0; l < other->size; l++)
                            entry += row->R[x + k * row->dim] *
                                     G[set->first + k + (local->sets[J].first + l) * rows] *
                                     other->C[l + y * other->size];
                    a[system->first[I] + x + (system->first[J] + y) * n] = entry;
                }
            }
        }
    }
    if (n > 0 && tp_dense_lu(n, a, n, pivot, 0.0) != TP_OK) fail();
    if (n > 0) tp_dense_lu_solve(n, a, n, pivot, d);
    for (int i = 0; i < local->set_count; i++) {
        const tp_linear_block *block = &system->block[i];
        for (int k = 0; k < block->size; k++) {
            double p = block->base[k];
            for (int j = 0; j < block->dim; j++) p += block->C[k + j * block->size] * d[system->first[i] + j];
            P[local->sets[i].first + k] = p;
        }
    }
    free(G), free(a);
}

/* One step from a random point; returns the number of unknowns. */
static int check_step(void **check_state_, const tp_problem *problem, double shift, check_random *random)
{
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    double P[MOST], xi[MOST], centre[MOST], found[MOST], expected[MOST], largest = 1.0;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    for (int k = 0; k < problem->row_count; k++)
        P[k] = fabs(check_normal(random)), centre[k] = check_normal(random);
    tp_local_velocity(&local, P, xi);
    for (int k = 0; k < problem->row_count; k++) xi[k] += shift * (P[k] - centre[k]);
    tp_reduced_system_linearise(&system, P, xi, shift, centre);
    CHECK_INT(tp_reduced_system_solve(&system, 1e-12, &stack, found), TP_OK);
    newton_reference(&system, shift + 1e-12, expected);
    for (int k = 0; k < problem->row_count; k++) largest = fmax(largest, fabs(expected[k]));
    for (int k = 0; k < problem->row_count; k++) CHECK_NEAR(found[k], expected[k], 1e-10 * largest);
    system.refinements =
        12; /* take back what a larger one has changed: a part (1e-2/lambda)^13, lambda about 1 */
    CHECK_INT(tp_reduced_system_solve(&system, 1e-2, &stack, found), TP_OK);
    for (int k = 0; k < problem->row_count; k++) CHECK_NEAR(found[k], expected[k], 1e-10 * largest);
    int unknowns = system.first[local.set_count];
    tp_stack_clear(&stack);
    return unknowns;
}

TEST(dense_and_sparse_systems_have_the_same_solution_around_the_switch)
{
    check_random random = {41};
    for (int rows = 94; rows <= 99; rows++) {
        tp_set sets[MOST];
        for (int i = 0; i < rows; i++) sets[i] = tp_set_free(1);
        tp_problem *problem = banded_problem(&random, sets, rows);
        CHECK_INT(check_step(check_state_, problem, 0.0, &random), rows);
        tp_problem_free(problem);
    }
}

TEST(systems_of_mixed_laws_are_those_of_the_linearised_blocks)
{
    check_random random = {42};
    const double ellipse[] = {0.4, 0.2}, contensou[] = {0.3, 0.3};
    int dense = 0, sparse = 0;
    for (int trial = 0; trial < 24; trial++) {
        tp_set sets[MOST];
        int count = 8 + 3 * trial;
        for (int i = 0; i < count; i++) {
            switch ((i * 7 + trial) % 8) {
            case 0: sets[i] = tp_set_coulomb(3, 0.3); break;
            case 1: sets[i] = tp_set_coulomb(2, 0.5); break;
            case 2: sets[i] = tp_set_free(4); break;
            case 3: sets[i] = tp_set_orthant(3); break;
            case 4: sets[i] = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, ellipse); break;
            case 5: sets[i] = tp_set_rolling(0.4, 0.1); break;
            case 6: sets[i] = tp_set_contact(TP_FRICTION_CONTENSOU, 4, contensou); break;
            default: sets[i] = tp_set_ball(2, 0.3); break;
            }
        }
        tp_problem *problem = banded_problem(&random, sets, count);
        CHECK(problem->row_count <= MOST);
        int unknowns = check_step(check_state_, problem, trial % 3 == 0 ? 0.0 : 0.3, &random);
        *(unknowns <= 96 ? &dense : &sparse) += 1;
        tp_problem_free(problem);
    }
    CHECK(dense >= 4 && sparse >= 4);
}

TEST(a_solution_stays_where_it_is)
{
    check_random random = {43};
    for (int contacts = 4; contacts <= 64; contacts *= 4) {
        tp_problem *problem = random_contacts(&random, contacts, 0.2, 0.8);
        double P[MOST] = {0}, next[MOST], xi[MOST], largest = 1.0;
        tp_report report;
        CHECK_INT(solve_with(problem, NULL, 1e-13, P, &report), TP_OK);
        tp_stack stack;
        tp_local local;
        tp_reduced_system system;
        tp_stack_init(&stack, NULL);
        tp_local_form(problem, &stack, &local);
        tp_reduced_system_init(&system, &local, &stack);
        tp_local_velocity(&local, P, xi);
        tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
        CHECK_INT(tp_reduced_system_solve(&system, 0.0, &stack, next), TP_OK);
        for (int k = 0; k < 3 * contacts; k++) largest = fmax(largest, fabs(P[k]));
        /* E |c| cond(G) with cond below 1e2 and |c| below 15 */
        for (int k = 0; k < 3 * contacts; k++) CHECK_NEAR(next[k], P[k], 1e-9 * largest);
        tp_stack_clear(&stack);
        tp_problem_free(problem);
    }
}

/* Two rows that do the same: their sum is found, their difference stays; theory/solvers.md (14a). */
TEST(refinements_find_what_is_determined_and_leave_the_rest_alone)
{
    const double G[4] = {1, 1, 1, 1}, c[2] = {-1, -1}, shift = 1e-4;
    const tp_set sets[] = {tp_set_orthant(1), tp_set_orthant(1)};
    tp_problem *problem = make_local(2, G, c, sets, 2);
    double P[2] = {0.7, 0.1}, xi[2], next[2];
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_local_form(problem, &stack, &local), TP_OK);
    CHECK_INT(tp_reduced_system_init(&system, &local, &stack), TP_OK);
    tp_local_velocity(&local, P, xi);
    for (int refinements = 0; refinements <= 4; refinements++) {
        system.refinements = refinements;
        tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
        CHECK_INT(tp_reduced_system_solve(&system, shift, &stack, next), TP_OK);
        double left = 0.2 * pow(shift / (2.0 + shift), refinements + 1); /* 0.2 was missing */
        CHECK_NEAR(next[0] + next[1], 1.0 - left, 4.0 * DBL_EPSILON);
        CHECK_NEAR(next[0] - next[1], 0.6, 8.0 * DBL_EPSILON / shift);
    }
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST(a_singular_system_is_reported_and_a_shift_repairs_it)
{
    const double G[4] = {1, 1, 1, 1}, c[2] = {1, 1};
    tp_set set = tp_set_free(2);
    tp_problem *problem = make_local(2, G, c, &set, 1);
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    double P[2] = {0}, xi[2], next[2];
    tp_stack_init(&stack, NULL);
    tp_local_form(problem, &stack, &local);
    tp_reduced_system_init(&system, &local, &stack);
    tp_local_velocity(&local, P, xi);
    tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
    CHECK_INT(tp_reduced_system_solve(&system, 0.0, &stack, next), TP_SINGULAR);
    CHECK_INT(tp_reduced_system_solve(&system, 1e-6, &stack, next), TP_OK);
    CHECK_NEAR(next[0] + next[1], -1.0, 1e-6);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST(open_contacts_have_no_unknowns)
{
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {1, 0.5, 0};
    tp_set set = tp_set_coulomb(3, 0.5);
    tp_problem *problem = make_local(3, G, c, &set, 1);
    tp_stack stack;
    tp_local local;
    tp_reduced_system system;
    double P[3] = {0.5, 0.1, 0}, xi[3], next[3] = {9, 9, 9};
    tp_stack_init(&stack, NULL);
    tp_local_form(problem, &stack, &local);
    tp_reduced_system_init(&system, &local, &stack);
    tp_local_velocity(&local, P, xi);
    tp_reduced_system_linearise(&system, P, xi, 0.0, NULL);
    CHECK_INT(system.first[1], 0);
    CHECK_INT(tp_reduced_system_solve(&system, 0.0, &stack, next), TP_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(next[k], 0.0, 0.0);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(dense_and_sparse_systems_have_the_same_solution_around_the_switch),
          RUNS(systems_of_mixed_laws_are_those_of_the_linearised_blocks), RUNS(a_solution_stays_where_it_is),
          RUNS(refinements_find_what_is_determined_and_leave_the_rest_alone),
          RUNS(a_singular_system_is_reported_and_a_shift_repairs_it), RUNS(open_contacts_have_no_unknowns))
