/* Soft rows: the answer is that of the one-step problem, redundant rows share, contradicting ones get least
   squares; theory/correction.md (5)-(8). */
#include "check.h"
#include "solver/newton/soft_impulses.h"
#include "solver/newton/soft_rows.h"
#include "tippe/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double softness = 1e-9;

enum {
    UNKNOWNS = 8,
    JOINTS = 2,
    ONE_WAY = 6,
    ROWS = 8
}; /* rows up to JOINTS, ONE_WAY, and with two bounds */

/* Dense data of a problem with one row a set and compliance s in each. */
typedef struct rows_case {
    int unknowns, rows;
    double M[UNKNOWNS * UNKNOWNS], A[UNKNOWNS * ROWS], C[UNKNOWNS * ROWS], D[ROWS * ROWS], b[ROWS];
    tp_set sets[ROWS];
    double x[UNKNOWNS], P[ROWS];
} rows_case;

static void set_row(rows_case *c, int i, const double *W, double b, double s, tp_set set)
{
    for (int j = 0; j < c->unknowns; j++) {
        c->A[j + i * c->unknowns] = W[j];
        c->C[i + j * c->rows] = W[j];
    }
    c->D[i + i * c->rows] = s;
    c->b[i] = b;
    c->sets[i] = set;
}

typedef int soft_solve(const tp_problem *problem, int max_steps, tp_workspace *workspace, double *x_out,
                       double *P_out);

static int solve_case_by(soft_solve *solve, rows_case *c, int max_steps)
{
    int n = c->unknowns, m = c->rows;
    tp_problem_def def = tp_problem_def_default();
    def.x_count = n;
    def.row_count = def.set_count = m;
    def.sets = c->sets;
    def.M = (tp_entries){.rows = n, .cols = n, .count = n * n, .value = c->M};
    def.A = (tp_entries){.rows = n, .cols = m, .count = n * m, .value = c->A};
    def.C = (tp_entries){.rows = m, .cols = n, .count = n * m, .value = c->C};
    def.D = (tp_entries){.rows = m, .cols = m, .count = m * m, .value = c->D};
    def.b = c->b;
    tp_problem *problem = NULL;
    tp_workspace *workspace = NULL;
    tp_message why = {""};
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) fail_msg("%s", why.text);
    if (tp_workspace_create(NULL, &workspace) != TP_OK) fail();
    int steps = solve(problem, max_steps, workspace, c->x, c->P);
    tp_workspace_free(workspace);
    tp_problem_free(problem);
    return steps;
}

static int solve_case(rows_case *c, int max_steps)
{
    return solve_case_by(tp_soft_rows_solve, c, max_steps);
}

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static rows_case soft_case(unsigned seed, double s)
{
    rows_case c = {.unknowns = UNKNOWNS, .rows = ROWS};
    for (int j = 0; j < UNKNOWNS; j++) c.M[j * (UNKNOWNS + 1)] = 1.0 + fabs(noise(&seed));
    for (int i = 0; i < ROWS; i++) {
        double W[UNKNOWNS];
        for (int j = 0; j < UNKNOWNS; j++) W[j] = noise(&seed);
        tp_set set = i < JOINTS    ? tp_set_free(1)
                     : i < ONE_WAY ? tp_set_orthant(1)
                                   : tp_set_interval(-0.1, 0.2);
        set_row(&c, i, W, noise(&seed), s, set);
    }
    return c;
}

static rows_case random_case(unsigned seed)
{
    return soft_case(seed, softness);
}

/* W x + b of a row. */
static double row_value(const rows_case *c, int i)
{
    double r = c->b[i];
    for (int j = 0; j < c->unknowns; j++) r += c->A[j + i * c->unknowns] * c->x[j];
    return r;
}

/* Impulses are within their bounds, a row with an impulse between them is at its goal, one at a bound on the
   right side of it. A step leaves a part s / e of an error and changes impulses by as much, e the least
   eigenvalue of W^T M^-1 W: above 1e-5 in these cases, so 1e-4; refinements leave the third power of it. */
TEST(answers_satisfy_the_laws_of_all_rows)
{
    int active = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        rows_case c = random_case(seed);
        CHECK(solve_case(&c, 50) > 0);
        for (int j = 0; j < UNKNOWNS; j++) { /* M x = A P up to roundings of W x + b, over s */
            double sum = -c.M[j * (UNKNOWNS + 1)] * c.x[j], size = 0.0;
            for (int i = 0; i < ROWS; i++) {
                sum += c.A[j + i * UNKNOWNS] * c.P[i];
                size += fabs(c.A[j + i * UNKNOWNS] * c.P[i]);
            }
            CHECK(fabs(sum) <= 32.0 * DBL_EPSILON / softness * (1.0 + size));
        }
        for (int i = 0; i < ROWS; i++) {
            double r = row_value(&c, i),
                   lower = i < JOINTS    ? -INFINITY
                           : i < ONE_WAY ? 0.0
                                         : -0.1,
                   upper = i < ONE_WAY ? INFINITY : 0.2;
            CHECK(c.P[i] >= lower - 1e-4 && c.P[i] <= upper + 1e-4);
            if (c.P[i] > lower + 1e-4) CHECK(r <= 1e-10);
            if (c.P[i] < upper - 1e-4) CHECK(r >= -1e-10);
            active += i >= JOINTS && i < ONE_WAY && c.P[i] > 1e-4;
        }
    }
    CHECK(active > 200); /* else this tests nothing */
}

TEST(each_step_of_a_bounded_number_lowers_the_errors)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        double last = INFINITY;
        for (int steps = 1; steps <= 6; steps++) {
            rows_case c = random_case(seed);
            solve_case(&c, steps);
            double value = 0.0;
            for (int j = 0; j < UNKNOWNS; j++) value += 0.5 * c.M[j * (UNKNOWNS + 1)] * c.x[j] * c.x[j];
            for (int i = 0; i < ONE_WAY; i++) {
                double r = row_value(&c, i), d = i < JOINTS ? r : fmin(r, 0.0);
                value += 0.5 * d * d / softness;
            }
            for (int i = ONE_WAY; i < ROWS; i++) {
                double r = row_value(&c, i), d = fmin(fmax(r, -0.2 * softness), 0.1 * softness);
                value += (d * r - 0.5 * d * d) / softness;
            }
            /* refinements move the answer by the softness, and the function by less than this */
            CHECK(value <= last * (1.0 + 1e-9) + 1e-3);
            last = value;
        }
    }
}

/* Three equal rows of a mass of 2 have a third of the impulse of one. */
TEST(redundant_rows_share)
{
    rows_case c = {.unknowns = 1, .rows = 3, .M = {2.0}};
    const double W = 1.0;
    for (int i = 0; i < 3; i++) set_row(&c, i, &W, -0.6, 1e-8, tp_set_free(1));
    CHECK_INT(solve_case(&c, 10), 1);
    CHECK_NEAR(c.x[0], 0.6, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(c.P[i], 0.4, 1e-7);
}

/* x = 1 and x = 2 cannot both be: the mean is nearest, up to a part M s / 2 of it. */
TEST(contradicting_rows_get_least_squares)
{
    rows_case c = {.unknowns = 1, .rows = 2, .M = {2.0}};
    const double W = 1.0;
    set_row(&c, 0, &W, -1.0, 1e-8, tp_set_free(1));
    set_row(&c, 1, &W, -2.0, 1e-8, tp_set_free(1));
    CHECK_INT(solve_case(&c, 10), 1);
    CHECK_NEAR(c.x[0], 1.5, 1e-7);
}

/* A body pressed from both sides by 0.1: it stays in the middle, and one that has room takes it. */
TEST(a_body_in_a_gap_too_narrow_stays_in_the_middle)
{
    rows_case c = {.unknowns = 1, .rows = 2, .M = {1.0}};
    const double left = 1.0, right = -1.0;
    set_row(&c, 0, &left, -0.1, 1e-8, tp_set_orthant(1));
    set_row(&c, 1, &right, -0.1, 1e-8, tp_set_orthant(1));
    CHECK(solve_case(&c, 10) > 0);
    CHECK_NEAR(c.x[0], 0.0, 1e-8);
    set_row(&c, 1, &right, 0.3, 1e-8, tp_set_orthant(1));
    CHECK(solve_case(&c, 10) > 0);
    CHECK_NEAR(c.x[0], 0.1, 1e-12);
    CHECK(c.P[1] == 0.0);
}

/* x^T M x / 2 + sum of s P^2 / 2 + b P, which is the function of (6a) as x = M^-1 W P. */
static double dual_value(const rows_case *c)
{
    double value = 0.0;
    for (int j = 0; j < c->unknowns; j++) value += 0.5 * c->M[j * (c->unknowns + 1)] * c->x[j] * c->x[j];
    for (int i = 0; i < c->rows; i++) value += (0.5 * c->D[i * (c->rows + 1)] * c->P[i] + c->b[i]) * c->P[i];
    return value;
}

/* Impulses stay between their bounds, x is their motion, and each product lowers the function, also where it
   ends early. */
TEST(iterations_over_impulses_can_end_anywhere)
{
    for (unsigned seed = 1; seed <= 100; seed++) {
        double last = 0.0;
        for (int products = 1; products <= 40; products++) {
            rows_case c = soft_case(seed, 1e-3);
            solve_case_by(tp_soft_impulses_solve, &c, products);
            for (int i = JOINTS; i < ROWS; i++) {
                CHECK(c.P[i] >= (i < ONE_WAY ? 0.0 : -0.1 * (1.0 + DBL_EPSILON)));
                CHECK(i < ONE_WAY || c.P[i] <= 0.2 * (1.0 + DBL_EPSILON));
            }
            for (int j = 0; j < UNKNOWNS; j++) {
                double sum = 0.0, size = 0.0;
                for (int i = 0; i < ROWS; i++) {
                    sum += c.A[j + i * UNKNOWNS] * c.P[i];
                    size += fabs(c.A[j + i * UNKNOWNS] * c.P[i]);
                }
                CHECK_NEAR(c.M[j * (UNKNOWNS + 1)] * c.x[j], sum, 16.0 * DBL_EPSILON * size);
            }
            double value = dual_value(&c);
            CHECK(value <= last + 1e-12); /* roundings of a sum of terms of some tens */
            last = value;
        }
    }
}

/* The function is as low as where Newton's method has it least. With a gradient g in scaled rows it is above
   that by at most g^2 / (2 least eigenvalue), that of these rows being at least s / d > 1e-3 with s = 1e-2
   and d = W^T M^-1 W + s < 8; g is 1e-3 of the first one, b / sqrt(d), whose square is below 8 / min d < 80:
   4e-2 of that bound, while values are some tenths. Gradients of impulses at bounds only make it less. */
TEST(iterations_over_impulses_find_the_least)
{
    for (unsigned seed = 1; seed <= 200; seed++) {
        rows_case newton = soft_case(seed, 1e-2), dual = newton;
        CHECK(solve_case(&newton, 50) > 0);
        CHECK(solve_case_by(tp_soft_impulses_solve, &dual, 1000) < 1000);
        CHECK(dual_value(&newton) < -1e-2);
        CHECK(dual_value(&dual) <= dual_value(&newton) + 0.5 * 1e-6 * 80.0 / 1e-3);
    }
}

TEST_MAIN(RUNS(answers_satisfy_the_laws_of_all_rows), RUNS(each_step_of_a_bounded_number_lowers_the_errors),
          RUNS(redundant_rows_share), RUNS(contradicting_rows_get_least_squares),
          RUNS(a_body_in_a_gap_too_narrow_stays_in_the_middle),
          RUNS(iterations_over_impulses_can_end_anywhere), RUNS(iterations_over_impulses_find_the_least))
