/* tippe solve PROBLEM: one one-step problem from a file. The program measures the error of the answer itself,
   from the problem and the answer alone; a solver's own word does not count. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family_names.h"
#include "hdf5_child.h"
#include "interrupt.h"
#include "paths.h"
#include "program.h"
#include "progress.h"
#include "solve_report.h"
#include "tippe/exchange.h"

typedef struct solve_settings {
    const char *solver, *output;
    bool as_json, is_verbose;
    int branch, repeats;
    tp_solver_options options;
} solve_settings;

enum { REPEATS_MAX = 1000000 };

#define FIELD(name)        offsetof(solve_settings, name)
#define SOLVER_FIELD(name) offsetof(solve_settings, options.name)

static const cli_option solve_options[] = {
    {"--solver", NULL, OPTION_TEXT, FIELD(solver), "NAME",
     "solver to use, see tippe list solvers; default auto", 0, 0, NULL},
    {"--tol", NULL, OPTION_REAL, SOLVER_FIELD(tolerance), "T", "error E at which the solve is done", 0.0,
     DBL_MAX, "a number, 0 or more"},
    {"--max-iter", NULL, OPTION_COUNT, SOLVER_FIELD(max_iterations), "N",
     "limit of sweeps, Newton steps or pivots; 0: the solver's own", 0, INT_MAX, "a whole number, 0 or more"},
    {"--output", "-o", OPTION_TEXT, FIELD(output), "SOLUTION",
     "writes P as text, or HDF5 if the name ends in .h5 or .hdf5", 0, 0, NULL},
    {"--json", NULL, OPTION_FLAG, FIELD(as_json), NULL, "prints one JSON object", 0, 0, NULL},
    {"--verbose", NULL, OPTION_FLAG, FIELD(is_verbose), NULL, "shows the solver's log on standard error", 0,
     0, NULL},
    {"--relaxation", NULL, OPTION_REAL, SOLVER_FIELD(relaxation), "ALPHA",
     "step factor of the projected iterations", DBL_MIN, 2.0, "a number above 0, at most 2"},
    {"--recovering", NULL, OPTION_FLAG, SOLVER_FIELD(recovering), NULL,
     "projected iterations: exact step where the projection is idle", 0, 0, NULL},
    {"--transformed", NULL, OPTION_FLAG, SOLVER_FIELD(transformed), NULL,
     "projected iterations: rows scaled so that ellipsoids become balls", 0, 0, NULL},
    {"--exact-local", NULL, OPTION_FLAG, SOLVER_FIELD(exact_local), NULL,
     "projected-gauss-seidel: solves each contact exactly", 0, 0, NULL},
    {"--facets", NULL, OPTION_COUNT, SOLVER_FIELD(facets), "N", "faceted: edges of the friction polygon", 2,
     4096, "an even whole number from 2 to 4096"},
    {"--epsilon", NULL, OPTION_REAL, SOLVER_FIELD(epsilon), "EPS",
     "convex: 1 is the associated law, towards 0 Coulomb's", 0.0, 1.0, "a number from 0 to 1"},
    {"--branch", NULL, OPTION_CHOICE, FIELD(branch), "default|nearest|loaded",
     "quartic, enumeration, auto (loaded alone): which of several solutions is taken", 0, 0, NULL},
    {"--repeat", NULL, OPTION_COUNT, FIELD(repeats), "N",
     "solves it N times from the same start; the time is the median", 1, REPEATS_MAX,
     "a whole number from 1 to 1000000"},
    {"--work", NULL, OPTION_REAL, SOLVER_FIELD(work_limit), "W",
     "limit of work in block products; 0: the solver's own", 0.0, DBL_MAX, "a number, 0 or more"},
    {.name = NULL},
};

static void log_to_stderr(void *context, tp_log_level level, const char *text)
{
    (void)context;
    (void)level;
    fprintf(stderr, "%s\n", text);
}

/* What the table of options cannot check. */
static bool check_settings(const cli_verb *self, const solve_settings *settings)
{
    const char *name = settings->solver;
    if (name != NULL && tp_solver_find(name) < 0) {
        return complain_unknown_name(self, "solver", name, solver_name_at);
    }
    if (settings->options.facets % 2 != 0) {
        complain("solve: --facets %d: expected an even number", settings->options.facets);
        return false;
    }
    return true;
}

/* The answer and the memory it lives in. */
typedef struct solve_answer {
    tp_workspace *workspace;
    double *P, *x, *xi;
} solve_answer;

static tp_status answer_create(const tp_problem *problem, solve_answer *answer_out)
{
    /* calloc(0) may return NULL: one spare number keeps an empty problem apart from a full memory. */
    answer_out->P = calloc((size_t)problem->row_count + 1, sizeof(double));
    answer_out->xi = calloc((size_t)problem->row_count + 1, sizeof(double));
    answer_out->x = calloc((size_t)problem->x_count + 1, sizeof(double));
    if (answer_out->P == NULL || answer_out->xi == NULL || answer_out->x == NULL) return TP_OUT_OF_MEMORY;
    return tp_workspace_create(NULL, &answer_out->workspace);
}

static void answer_free(solve_answer *answer)
{
    tp_workspace_free(answer->workspace);
    free(answer->P);
    free(answer->xi);
    free(answer->x);
}

/* A half-written file must not stay behind: Ctrl-C and its like wait until the file is whole. */
static tp_status write_solution(const tp_problem *problem, const solve_answer *answer, const char *path,
                                tp_message *why_out)
{
    tp_status status = tp_problem_state(problem, answer->P, answer->x, answer->xi);
    if (status != TP_OK) {
        return tp_fail(why_out, status, "the velocities of the solution: %s", tp_status_text(status));
    }
    interrupt_hold();
    status = tp_solution_write(problem, answer->P, problem->x_count > 0 ? answer->x : NULL, answer->xi, path,
                               why_out);
    interrupt_release();
    return status;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All solves start from P = 0 and share their memory, as the steps of a simulation do. */
static tp_status solve_and_time(const tp_problem *problem, const solve_settings *settings,
                                solve_answer *answer, solve_result *result)
{
    int count = settings->repeats > 0 ? settings->repeats : 1;
    double *times = calloc((size_t)count, sizeof(double));
    tp_status status = times != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    for (int k = 0; k < count && status == TP_OK; ++k) {
        memset(answer->P, 0, (size_t)problem->row_count * sizeof(double));
        double start = progress_seconds();
        status = tp_solve(problem, settings->solver, &settings->options, answer->workspace, answer->P,
                          answer->x, &result->report);
        times[k] = progress_seconds() - start;
        result->repeats = k + 1;
    }
    if (times != NULL) {
        qsort(times, (size_t)result->repeats, sizeof(double), compare_times);
        result->wall_time = times[result->repeats / 2];
    }
    free(times);
    return status;
}

static exit_code solve_and_report(const tp_problem *problem, const solve_settings *settings,
                                  solve_answer *answer, solve_result *result)
{
    tp_status status = solve_and_time(problem, settings, answer, result);
    solve_result_judge(result, problem, status, answer->P);

    exit_code code = result->code;
    if (settings->output != NULL && result->has_point) {
        tp_message why = {""};
        status = write_solution(problem, answer, settings->output, &why);
        if (status != TP_OK) {
            complain("solve: %s", why.text);
            code = exit_code_of(status);
        } else if (!result->is_converged) {
            complain("solve: %s holds the best point found, which is not a solution", settings->output);
        }
    }
    if (result->code != PROGRAM_DONE && result->code != PROGRAM_NO_SOLUTION) {
        complain("solve: %s: %s", result->solver, result->reason);
    }
    solve_result_print(result, settings->as_json);
    return code;
}

static exit_code fail(const solve_settings *settings, solve_result *result, tp_status status,
                      const char *reason)
{
    solve_result_fail(result, status, reason);
    complain("solve: %s", result->reason);
    if (settings->as_json) solve_result_print(result, true);
    return result->code;
}

static exit_code run_solve(const cli_verb *self, int argument_count, char **arguments)
{
    solve_settings settings = {.options = tp_solver_options_default()};
    const tp_log log = {NULL, log_to_stderr};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!check_settings(self, &settings)) return PROGRAM_BAD_INPUT;
    static const tp_branch branches[] = {TP_BRANCH_DEFAULT, TP_BRANCH_NEAREST, TP_BRANCH_LOADED};
    settings.options.branch = branches[settings.branch];
    settings.options.log = settings.is_verbose ? &log : NULL;

    const named_file output = {"-o", settings.output}, input = {"the problem", given.text[0]};
    if (!check_outputs(self, (file_list){&output, 1}, (file_list){&input, 1})) return PROGRAM_BAD_INPUT;

    solve_result result = solve_result_begin(given.text[0], settings.solver, settings.options.tolerance);
    tp_problem *problem = NULL;
    tp_message why = {""};
    tp_status status = tp_problem_read_from(NULL, &hdf5_child, given.text[0], &problem, &why);
    if (status != TP_OK) return fail(&settings, &result, status, why.text);

    solve_answer answer = {0};
    status = answer_create(problem, &answer);
    exit_code code = status == TP_OK ? solve_and_report(problem, &settings, &answer, &result)
                                     : fail(&settings, &result, status, "");
    answer_free(&answer);
    tp_problem_free(problem);
    return code;
}

const cli_verb verb_solve = {
    .name = "solve",
    .summary = "Solves a one-step problem from a file",
    .usage = "PROBLEM [--solver NAME] [--tol T] [--max-iter N] [-o SOLUTION] [--json] [options]",
    .text =
        "PROBLEM is FCLIB HDF5 or .dat (friction, rolling, LCP, MLCP, relay, generic), plain or gzip.\n"
        "The error E is computed from the answer alone; 0 means a solution. Exit code 0: E is at most the\n"
        "tolerance; 3: it is not, or the problem has no solution.\n",
    .options = solve_options,
    .positionals = "PROBLEM",
    .positional_count = 1,
    .run = run_solve,
};
