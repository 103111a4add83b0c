/* The linearised laws: exact to first order along the law, and the Newton step has solutions as its fixed
   points; theory/solvers.md (10)-(14). */
#include "math/dense.h"
#include "problems.h"
#include "set/samples.h"
#include "solver/newton/linearise.h"

/* The law as a curve: for every z the pair P = proj(z), xi = (P - z)/r satisfies it. */
static void pair_at(const tp_set *set, tp_step_lengths r, const double *z, double *P, double *xi)
{
    double zero[6] = {0}, minus[6];
    for (int k = 0; k < set->size; k++) { /* proj(0 - r (-z/r)) */
        double step = set->kind == TP_SET_CONTACT && k == 0 ? r.normal : r.tangent;
        minus[k] = -z[k] / step;
    }
    tp_law_project(set, 1.0, r, zero, minus, P);
    for (int k = 0; k < set->size; k++) {
        double step = set->kind == TP_SET_CONTACT && k == 0 ? r.normal : r.tangent;
        xi[k] = (P[k] - z[k]) / step;
    }
}

/* Distance of P from base + range(C), and the residual |R xi + K d + offset| there, d by least squares. */
static double defect(const tp_linear_block *block, const double *P, const double *xi)
{
    int n = block->size, dim = block->dim;
    double d[6] = {0}, CtC[36], right[6], sum = 0.0;
    for (int i = 0; i < dim; i++) {
        right[i] = 0.0;
        for (int k = 0; k < n; k++) right[i] += block->C[k + i * n] * (P[k] - block->base[k]);
        for (int j = 0; j < dim; j++) {
            CtC[i + j * dim] = 0.0;
            for (int k = 0; k < n; k++) CtC[i + j * dim] += block->C[k + i * n] * block->C[k + j * n];
        }
    }
    if (dim > 0 && tp_dense_solve_small(dim, CtC, right, d) != TP_OK) return INFINITY;
    for (int k = 0; k < n; k++) {
        double off = P[k] - block->base[k];
        for (int j = 0; j < dim; j++) off -= block->C[k + j * n] * d[j];
        sum += off * off;
    }
    for (int i = 0; i < dim; i++) {
        double residual = block->offset[i];
        for (int k = 0; k < n; k++) residual += block->R[i + k * dim] * xi[k];
        for (int j = 0; j < dim; j++) residual += block->K[i + j * dim] * d[j];
        sum += residual * residual;
    }
    return sqrt(sum);
}

/* Is the projection smooth between the two points? Kinks are where the derivative jumps. */
static bool is_smooth_between(const tp_set *set, tp_step_lengths r, const double *z, const double *direction,
                              double length)
{
    tp_linear_block here, there;
    double P[6], xi[6], moved[6];
    pair_at(set, r, z, P, xi);
    tp_law_linearise(set, 1.0, r, P, xi, &here);
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < set->size; k++) moved[k] = z[k] + side * length * direction[k];
        pair_at(set, r, moved, P, xi);
        tp_law_linearise(set, 1.0, r, P, xi, &there);
        if (here.dim != there.dim) return false;
        for (int k = 0; k < here.dim * here.size; k++)
            if (fabs(here.R[k] - there.R[k]) > 0.3 || fabs(here.C[k] - there.C[k]) > 0.3) return false;
    }
    return true;
}

/* Moves along the law by h and by h/4: a defect of second order shrinks 16 times. */
static void check_first_order(void **check_state_, const tp_set *set, check_random *random, int *checked)
{
    tp_step_lengths r = {check_uniform(random, 0.2, 3.0), check_uniform(random, 0.2, 3.0)};
    double z[6] = {0}, direction[6], P[6] = {0}, xi[6] = {0}, moved[6], gone[2];
    const double h = 1e-3;
    random_vector(random, set->size, 1.0, z);
    if (set->kind == TP_SET_CONTACT) z[0] = check_uniform(random, -0.5, 2.0);
    random_vector(random, set->size, 1.0, direction);
    if (!is_smooth_between(set, r, z, direction, 20.0 * h)) return;
    tp_linear_block block;
    pair_at(set, r, z, P, xi);
    tp_law_linearise(set, 1.0, r, P, xi, &block);
    CHECK_NEAR(defect(&block, P, xi), 0.0, 1e-11); /* the point itself lies on the linearisation */
    for (int s = 0; s < 2; s++) {
        double length = s == 0 ? h : 0.25 * h;
        for (int k = 0; k < set->size; k++) moved[k] = z[k] + length * direction[k];
        pair_at(set, r, moved, P, xi);
        gone[s] = defect(&block, P, xi);
    }
    /* 16 with terms of third order, or both are rounding */
    if (gone[1] > 1e-10 && !(gone[1] < gone[0] / 12.0))
        print_error("%s, %s, %d rows: %g, then %g\n", tp_set_kind_name(set->kind),
                    tp_friction_kind_name(set->friction_kind), set->size, gone[0], gone[1]);
    CHECK(gone[1] <= 1e-10 || gone[1] < gone[0] / 12.0);
    (*checked)++;
}

TEST(along_every_law_the_linearisation_is_exact_to_first_order)
{
    check_random random = {31};
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    for (int i = 0; i < count; i++) {
        int checked = 0;
        for (int trial = 0; trial < 60; trial++) check_first_order(check_state_, &sets[i], &random, &checked);
        CHECK(checked > 20);
    }
    for (int i = 0; i < (int)FRICTION_CASE_COUNT; i++) { /* contacts of every shape */
        int checked = 0;
        tp_set set = tp_set_contact(friction_cases[i].kind, friction_cases[i].dimension + 1,
                                    friction_cases[i].parameter);
        for (int trial = 0; trial < 60; trial++) check_first_order(check_state_, &set, &random, &checked);
        CHECK(checked > 20);
    }
}

/* Where the whole projection equation is differentiated (every set but the round ones), its linearisation is
   that of P - proj(P - r xi) at points that do not satisfy the law as well. */
static void check_differences(void **check_state_, const tp_set *set, check_random *random, int *checked)
{
    int n = set->size;
    tp_step_lengths r = {check_uniform(random, 0.2, 3.0), check_uniform(random, 0.2, 3.0)};
    double P[6] = {0}, xi[6] = {0}, dP[6], dxi[6], y[6], forward[6], backward[6], p[6], v[6];
    const double h = 1e-5;
    random_vector(random, n, 1.0, P), random_vector(random, n, 1.0, xi);
    random_vector(random, n, 1.0, dP), random_vector(random, n, 1.0, dxi);
    tp_linear_block block, ahead;
    tp_law_linearise(set, 1.0, r, P, xi, &block);
    if (block.dim != n) return;
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < n; k++) p[k] = P[k] + side * h * dP[k], v[k] = xi[k] + side * h * dxi[k];
        tp_law_project(set, 1.0, r, p, v, side < 0 ? backward : forward);
        tp_law_linearise(set, 1.0, r, p, v, &ahead);
        if (ahead.dim != n) return;
        for (int k = 0; k < n * n; k++)
            if (fabs(ahead.R[k] - block.R[k]) > 1e-2) return; /* a kink */
    }
    tp_law_project(set, 1.0, r, P, xi, y);
    for (int i = 0; i < n; i++) {
        double step = set->kind == TP_SET_CONTACT && i == 0 ? r.normal : r.tangent, linear = 0.0;
        for (int k = 0; k < n; k++) linear += block.R[i + k * n] * dxi[k] + block.K[i + k * n] * dP[k];
        double difference = (dP[i] - (forward[i] - backward[i]) / (2.0 * h)) / step;
        CHECK_NEAR(linear, difference, 2e-5 * (1.0 + fabs(difference)));
        double value = block.offset[i];
        for (int k = 0; k < n; k++) value += block.R[i + k * n] * xi[k];
        CHECK_NEAR(value, (P[i] - y[i]) / step, 1e-12 * (1.0 + fabs(value)));
    }
    (*checked)++;
}

TEST(off_the_law_the_general_linearisation_is_the_derivative_of_the_projection_equation)
{
    check_random random = {32};
    int checked = 0;
    for (int i = 0; i < (int)FRICTION_CASE_COUNT; i++) {
        const friction_case *c = &friction_cases[i];
        tp_set contact = tp_set_contact(c->kind, c->dimension + 1, c->parameter), cone = tp_set_cone(contact);
        tp_set dual = tp_set_dual_cone(contact), body = tp_set_friction(c->kind, c->dimension, c->parameter);
        bool is_round = c->kind == TP_FRICTION_BALL || c->kind == TP_FRICTION_ELLIPSOID;
        for (int trial = 0; trial < 60; trial++) {
            if (!is_round) check_differences(check_state_, &contact, &random, &checked);
            if (c->kind != TP_FRICTION_BALL) check_differences(check_state_, &body, &random, &checked);
            check_differences(check_state_, &cone, &random, &checked);
            check_differences(check_state_, &dual, &random, &checked);
        }
    }
    CHECK(checked > 500);
}

/* With any D: a pair on the law with xi = D P + g is left where it is by the Newton step. */
TEST(a_solution_is_a_fixed_point_of_the_newton_step)
{
    check_random random = {33};
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets), checked = 0;
    for (int i = 0; i < count; i++) {
        const tp_set *set = &sets[i];
        int n = set->size;
        for (int trial = 0; trial < 30; trial++) {
            double D[36], z[6], P[6], xi[6], matrix[36], right[6], d[6] = {0}, base_velocity[6];
            for (int k = 0; k < n * n; k++)
                D[k] = 0.2 * check_normal(&random) + (k % (n + 1) == 0 ? 2.0 : 0.0);
            tp_step_lengths r = tp_law_step_lengths(set, D, 0.0);
            random_vector(&random, n, 1.0, z);
            pair_at(set, r, z, P, xi);
            tp_linear_block block;
            tp_law_linearise(set, 1.0, r, P, xi, &block);
            tp_linear_block_product(&block, &block, D, matrix);
            for (int k = 0; k < n; k++) { /* xi + D (base - P) */
                base_velocity[k] = xi[k];
                for (int j = 0; j < n; j++) base_velocity[k] += D[k + j * n] * (block.base[j] - P[j]);
            }
            for (int a = 0; a < block.dim; a++) {
                right[a] = -block.offset[a];
                for (int k = 0; k < n; k++) right[a] -= block.R[a + k * block.dim] * base_velocity[k];
                for (int b = 0; b < block.dim; b++) matrix[a + b * block.dim] += block.K[a + b * block.dim];
            }
            if (block.dim > 0) CHECK_INT(tp_dense_solve_small(block.dim, matrix, right, d), TP_OK);
            for (int k = 0; k < n; k++) {
                double p = block.base[k];
                for (int j = 0; j < block.dim; j++) p += block.C[k + j * n] * d[j];
                CHECK_NEAR(p, P[k], 1e-10 * (1.0 + fabs(P[k])));
            }
            checked++;
        }
    }
    CHECK(checked > 1000);
}

TEST(the_numbers_of_unknowns_are_those_of_the_modes)
{
    tp_step_lengths r = {1.0, 1.0};
    tp_linear_block block;
    tp_set set = tp_set_coulomb(3, 0.5), smooth = tp_set_coulomb(3, 0.0);
    const double P[3] = {1, 0.1, 0}, open[3] = {2, 0, 0}, stick[3] = {0, 0, 0}, slip[3] = {0, 3, 1};
    tp_law_linearise(&set, 1.0, r, P, open, &block);
    CHECK_INT(block.dim, 0);
    tp_law_linearise(&set, 1.0, r, P, stick, &block);
    CHECK_INT(block.dim, 3);
    tp_law_linearise(&set, 1.0, r, P, slip, &block);
    CHECK_INT(block.dim, 2);
    CHECK_NEAR(block.C[1], 0.5 * -2.9 / hypot(2.9, 1.0),
               1e-15);                /* P moves with P_N along the slip direction */
    CHECK_NEAR(block.R[0], 1.0, 0.0); /* but only xi_N must vanish */
    CHECK_NEAR(block.R[2], 0.0, 0.0);
    tp_law_linearise(&smooth, 1.0, r, P, slip, &block);
    CHECK_INT(block.dim, 1);
}

/* Step lengths are positive and finite whatever the block. */
TEST(step_lengths_are_guarded)
{
    const double zero[9] = {0}, flat[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1},
                 negative[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    const double *blocks[3] = {zero, flat, negative};
    tp_set sets[2] = {tp_set_coulomb(3, 0.3), tp_set_free(3)};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            tp_step_lengths r = tp_law_step_lengths(&sets[k], blocks[i], 0.0);
            CHECK(r.normal > 0.0 && isfinite(r.normal) && r.tangent > 0.0 && isfinite(r.tangent));
        }
    }
    const double D[9] = {2, 0, 0, 0, 3, 1, 0, 1, 3};
    tp_step_lengths r = tp_law_step_lengths(&sets[0], D, 0.5);
    CHECK_NEAR(r.normal, 1.0 / 2.5, 1e-15);
    CHECK_NEAR(r.tangent, 1.0 / 4.5, 1e-14); /* eigenvalues 2 and 4 */
}

/* The merit is zero at solutions and half the squared residual elsewhere. */
TEST(the_merit_measures_velocities)
{
    const double G[4] = {2, 0, 0, 2}, c[2] = {-2, 3}, at[2] = {1, 0}, off[2] = {1.5, 0};
    tp_set set = tp_set_orthant(2);
    tp_problem *problem = make_local(2, G, c, &set, 1);
    tp_stack stack;
    tp_local local;
    double xi[2];
    tp_stack_init(&stack, NULL);
    tp_local_form(problem, &stack, &local);
    tp_local_velocity(&local, at, xi);
    CHECK_NEAR(tp_law_merit(&local, NULL, at, xi), 0.0, 1e-15);
    tp_local_velocity(&local, off, xi);
    CHECK_NEAR(tp_law_merit(&local, NULL, off, xi), 0.5, 1e-15); /* xi_0 = 1 */
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(along_every_law_the_linearisation_is_exact_to_first_order),
          RUNS(off_the_law_the_general_linearisation_is_the_derivative_of_the_projection_equation),
          RUNS(a_solution_is_a_fixed_point_of_the_newton_step),
          RUNS(the_numbers_of_unknowns_are_those_of_the_modes), RUNS(step_lengths_are_guarded),
          RUNS(the_merit_measures_velocities))
