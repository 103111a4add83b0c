/* tippe solve PROBLEM: one one-step problem from a file. The program measures the error of the answer itself,
   from the problem and the answer alone; a solver's own word does not count. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "program.h"
#include "solve_report.h"
#include "tippe/exchange.h"

typedef struct solve_settings {
    const char *solver, *output;
    bool as_json, is_verbose;
    int branch;
    tp_solver_options options;
} solve_settings;

#define FIELD(name)        offsetof(solve_settings, name)
#define SOLVER_FIELD(name) offsetof(solve_settings, options.name)

static const cli_option solve_options[] = {
    {.name = "--solver",
     .kind = OPTION_TEXT,
     .offset = FIELD(solver),
     .value = "NAME",
     .text = "solver to use, see tippe list solvers; default auto"},
    {.name = "--tol",
     .kind = OPTION_REAL,
     .offset = SOLVER_FIELD(tolerance),
     .value = "T",
     .text = "error E at which the solve is done",
     .minimum = 0.0,
     .maximum = DBL_MAX,
     .expected = "a number, 0 or more"},
    {.name = "--max-iter",
     .kind = OPTION_COUNT,
     .offset = SOLVER_FIELD(max_iterations),
     .value = "N",
     .text = "limit of sweeps, Newton steps or pivots; 0: the solver's own",
     .maximum = INT_MAX,
     .expected = "a whole number, 0 or more"},
    {.name = "--output",
     .letter = "-o",
     .kind = OPTION_TEXT,
     .offset = FIELD(output),
     .value = "SOLUTION",
     .text = "writes P as text, or HDF5 if the name ends in .h5 or .hdf5"},
    {.name = "--json", .kind = OPTION_FLAG, .offset = FIELD(as_json), .text = "prints one JSON object"},
    {.name = "--verbose",
     .kind = OPTION_FLAG,
     .offset = FIELD(is_verbose),
     .text = "shows the solver's log on standard error"},
    {.name = "--relaxation",
     .kind = OPTION_REAL,
     .offset = SOLVER_FIELD(relaxation),
     .value = "ALPHA",
     .text = "step factor of the projected iterations",
     .minimum = DBL_MIN,
     .maximum = 2.0,
     .expected = "a number above 0, at most 2"},
    {.name = "--recovering",
     .kind = OPTION_FLAG,
     .offset = SOLVER_FIELD(recovering),
     .text = "projected iterations: exact step where the projection is idle"},
    {.name = "--transformed",
     .kind = OPTION_FLAG,
     .offset = SOLVER_FIELD(transformed),
     .text = "projected iterations: rows scaled so that ellipsoids become balls"},
    {.name = "--exact-local",
     .kind = OPTION_FLAG,
     .offset = SOLVER_FIELD(exact_local),
     .text = "projected-gauss-seidel: solves each contact exactly"},
    {.name = "--facets",
     .kind = OPTION_COUNT,
     .offset = SOLVER_FIELD(facets),
     .value = "N",
     .text = "faceted: edges of the friction polygon",
     .minimum = 4,
     .maximum = 4096,
     .expected = "an even whole number from 4 to 4096"},
    {.name = "--epsilon",
     .kind = OPTION_REAL,
     .offset = SOLVER_FIELD(epsilon),
     .value = "EPS",
     .text = "convex: 1 is the associated law, towards 0 Coulomb's",
     .minimum = 0.0,
     .maximum = 1.0,
     .expected = "a number from 0 to 1"},
    {.name = "--branch",
     .kind = OPTION_CHOICE,
     .offset = FIELD(branch),
     .value = "default|nearest",
     .text = "quartic, enumeration: which of several solutions is taken"},
    {.name = "--work",
     .kind = OPTION_REAL,
     .offset = SOLVER_FIELD(work_limit),
     .value = "W",
     .text = "limit of work in block products; 0: the solver's own",
     .minimum = 0.0,
     .maximum = DBL_MAX,
     .expected = "a number, 0 or more"},
    {.name = NULL},
};

static void log_to_stderr(void *context, tp_log_level level, const char *text)
{
    (void)context;
    (void)level;
    fprintf(stderr, "%s\n", text);
}

static const char *solver_name_at(const void *context, int index)
{
    (void)context;
    return index < tp_solver_count() ? tp_solver_info_at(index)->name : NULL;
}

/* What the table of options cannot check. */
static bool check_settings(const solve_settings *settings)
{
    const char *name = settings->solver;
    if (name != NULL && tp_solver_find(name) < 0) {
        const char *near = nearest_name(name, solver_name_at, NULL);
        if (near != NULL) {
            complain("solve: unknown solver %s; did you mean %s?", name, near);
        } else {
            complain("solve: unknown solver %s; tippe list solvers names them", name);
        }
        return false;
    }
    if (settings->options.facets % 2 != 0) {
        complain("solve: --facets %d: expected an even number", settings->options.facets);
        return false;
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

/* A half-written file must not stay behind: Ctrl-C waits until the file is whole. */
static tp_status write_solution(const tp_problem *problem, const solve_answer *answer, const char *path,
                                tp_message *why_out)
{
    tp_status status = tp_problem_state(problem, answer->P, answer->x, answer->xi);
    if (status != TP_OK) {
        return tp_fail(why_out, status, "the velocities of the solution: %s", tp_status_text(status));
    }
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    status = tp_solution_write(problem, answer->P, problem->x_count > 0 ? answer->x : NULL, answer->xi, path,
                               why_out);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

static exit_code solve_and_report(const tp_problem *problem, const solve_settings *settings,
                                  solve_answer *answer, solve_result *result)
{
    double start = seconds();
    tp_status status = tp_solve(problem, settings->solver, &settings->options, answer->workspace, answer->P,
                                answer->x, &result->report);
    result->wall_time = seconds() - start;
    solve_result_judge(result, problem, status, answer->P);

    exit_code code = result->code;
    if (settings->output != NULL && result->has_point) {
        tp_message why = {""};
        status = write_solution(problem, answer, settings->output, &why);
        if (status != TP_OK) {
            complain("solve: %s", why.text);
            code = exit_code_of(status);
        } else if (!result->is_converged && !result->is_approximate) {
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
    if (!check_settings(&settings)) return PROGRAM_BAD_INPUT;
    settings.options.branch = settings.branch == 0 ? TP_BRANCH_DEFAULT : TP_BRANCH_NEAREST;
    settings.options.log = settings.is_verbose ? &log : NULL;

    solve_result result = solve_result_begin(given.text[0], settings.solver, settings.options.tolerance);
    tp_problem *problem = NULL;
    tp_message why = {""};
    tp_status status = tp_problem_read(NULL, given.text[0], &problem, &why);
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
    .positional_min = 1,
    .positional_max = 1,
    .run = run_solve,
};
