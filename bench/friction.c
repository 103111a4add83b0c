/* One contact with drilling friction, solved by projected Gauss-Seidel with three forms of its set: the
   ellipsoid as a ball in scaled rows, the ellipsoid in physical rows, the exact body; sweeps and processor
   time. bench-friction [SEED] The contact is that of examples/tippe-top at an inclination of 0.1 rad: it
   spins with 180 rad/s and comes down with random speeds of about 1e-4 m/s. All forms solve the same
   problems, in turn. */
#include "measure.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 50, ROUNDS = 21, FORMS = 4, REPEATS = 20 };

static const double drilling_radius = 2.945e-4, friction = 0.3;

typedef struct form {
    const char *name;
    tp_friction_kind shape;
    int is_scaled;
} form;

static const form forms[FORMS] = {{"ellipsoid as a ball, scaled rows", TP_FRICTION_BALL, 1},
                                  {"ellipsoid, physical rows", TP_FRICTION_ELLIPSOID, 0},
                                  {"exact body, physical rows", TP_FRICTION_CONTENSOU, 0},
                                  {"exact body, scaled rows", TP_FRICTION_CONTENSOU, 1}};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Directions over (v, w): N, T1, T2, drilling. */
static void make_directions(int is_scaled, double W[6][4])
{
    const double offset = 0.003, radius = 0.015, co = cos(0.1), si = sin(0.1);
    const double R[3][3] = {{1, 0, 0}, {0, co, -si}, {0, si, co}};
    const double r[3] = {0.0, -offset * si, offset * co - radius};
    static const int axis[3] = {2, 0, 1};
    memset(W, 0, 24 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        double d[3] = {0.0};
        d[axis[k]] = 1.0;
        const double moment[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                                  r[0] * d[1] - r[1] * d[0]};
        for (int i = 0; i < 3; i++) {
            W[i][k] = d[i];
            for (int j = 0; j < 3; j++) W[3 + i][k] += R[j][i] * moment[j];
        }
    }
    for (int i = 0; i < 3; i++) W[3 + i][3] = R[2][i] * (is_scaled ? drilling_radius : 1.0);
}

static tp_problem *make_problem(const form *f, const double *u)
{
    const double mass = 0.006, J[3] = {8e-7, 8e-7, 7e-7}, last = f->is_scaled ? 1.0 : drilling_radius;
    const double ball[1] = {friction}, axes[3] = {friction, friction, friction * last},
                 exact[2] = {friction, friction * last};
    double W[6][4], G[16] = {0.0}, c[4] = {0.0};
    make_directions(f->is_scaled, W);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++) {
            c[i] += W[k][i] * u[k];
            for (int j = 0; j < 4; j++) G[i + 4 * j] += W[k][i] * W[k][j] / (k < 3 ? mass : J[k - 3]);
        }
    }
    tp_set set = f->shape == TP_FRICTION_BALL        ? tp_set_contact(f->shape, 4, ball)
                 : f->shape == TP_FRICTION_ELLIPSOID ? tp_set_contact(f->shape, 4, axes)
                                                     : tp_set_contact(f->shape, 4, exact);
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem = NULL;
    tp_message why = {""};
    def.row_count = 4;
    def.set_count = 1;
    def.sets = &set;
    def.D = (tp_entries){4, 4, 16, NULL, NULL, G};
    def.b = c;
    if (tp_problem_create(NULL, &def, &problem, &why) != TP_OK) {
        fprintf(stderr, "bench-friction: %s\n", why.text);
        exit(1);
    }
    return problem;
}

/* Processor time of one solve [s], mean over the problems; the sweeps too. */
static double solve_all(tp_problem *const *problems, tp_workspace *workspace, double *sweeps_out)
{
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = 1e-10;
    double begin = bench_processor_time(), sweeps = 0.0, P[4];
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int i = 0; i < PROBLEMS; i++) {
            tp_report report;
            tp_solve(problems[i], "projected-gauss-seidel", &options, workspace, P, NULL, &report);
            sweeps += report.iterations;
        }
    }
    *sweeps_out = sweeps / (PROBLEMS * REPEATS);
    return (bench_processor_time() - begin) / (PROBLEMS * REPEATS);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    uint64_t state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    static tp_problem *problems[FORMS][PROBLEMS];
    static double seconds[FORMS][ROUNDS];
    double sweeps[FORMS];
    tp_workspace *workspace;
    bench_use_one_thread(argv);
    if (tp_workspace_create(NULL, &workspace) != TP_OK) return 1;
    for (int i = 0; i < PROBLEMS; i++) {
        const double u[6] = {
            0.02 * uniform(&state), 0.02 * uniform(&state), -2e-4 * (0.1 + uniform(&state)), 0.0, 0.0, 180.0};
        for (int f = 0; f < FORMS; f++) problems[f][i] = make_problem(&forms[f], u);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int f = 0; f < FORMS; f++) seconds[f][round] = solve_all(problems[f], workspace, &sweeps[f]);
    }
    printf("| set | sweeps | us a solve | ratio |\n| --- | --- | --- | --- |\n");
    double first = 0.0;
    for (int f = 0; f < FORMS; f++) {
        qsort(seconds[f], ROUNDS, sizeof seconds[f][0], compare_numbers);
        double median = seconds[f][ROUNDS / 2];
        if (f == 0) first = median;
        printf("| %s | %.1f | %.2f | %.2f |\n", forms[f].name, sweeps[f], 1e6 * median, median / first);
        for (int i = 0; i < PROBLEMS; i++) tp_problem_free(problems[f][i]);
    }
    tp_workspace_free(workspace);
    return 0;
}
