/* Names the outcome of a solve by the measured error, and prints it. */
#include "solve_report.h"

#include <math.h>

#include "json.h"

solve_result solve_result_begin(const char *path, const char *solver, double tolerance)
{
    solve_result result = {.path = path, .solver = solver != NULL ? solver : "auto", .tolerance = tolerance};
    result.residual.error = NAN;
    return result;
}

static const char *status_name(tp_status status)
{
    switch (status) {
    case TP_OK: return "converged";
    case TP_NOT_CONVERGED:
    case TP_SINGULAR: return "not converged";
    case TP_INFEASIBLE: return "infeasible";
    case TP_UNSUPPORTED: return "unsupported";
    case TP_INVALID_DATA: return "malformed";
    case TP_INVALID_ARGUMENT: return "bad option";
    case TP_FILE_ERROR: return "unreadable";
    case TP_OUT_OF_MEMORY: return "out of memory";
    case TP_INTERRUPTED: return "interrupted";
    case TP_WARNED: /* of simulations alone */
    case TP_INTERNAL: return "failed";
    }
    return "failed";
}

static void conclude(solve_result *result, tp_status status, const char *reason)
{
    if (reason == NULL || reason[0] == '\0') reason = tp_status_text(status);
    result->status = status_name(status);
    result->code = exit_code_of(status);
    snprintf(result->reason, sizeof result->reason, "%s", reason);
}

void solve_result_fail(solve_result *result, tp_status status, const char *reason)
{
    conclude(result, status, reason);
}

static void describe_problem(solve_result *result, const tp_problem *problem)
{
    result->has_problem = true;
    result->contact_count = problem->contact_count;
    result->row_count = problem->row_count;
    result->unknown_count = problem->x_count;
    snprintf(result->kind, sizeof result->kind, "%s", problem->kind);
}

static void describe_solver(solve_result *result)
{
    if (result->report.solver != NULL && result->report.solver[0] != '\0') {
        result->solver = result->report.solver;
    }
    int index = tp_solver_find(result->solver);
    const tp_solver_info *info = index >= 0 ? tp_solver_info_at(index) : NULL;
    result->is_approximate = info != NULL && !info->is_exact;
    result->law = info != NULL ? info->text : NULL;
}

/* An answer within the tolerance is a solution, whatever the solver says; one above it is none, be it the
   exact answer of another law. */
static void judge_point(solve_result *result, tp_status status)
{
    double error = result->residual.error;
    result->is_converged = error <= result->tolerance;
    if (result->is_converged) {
        conclude(result, TP_OK, result->report.reason);
    } else if (status == TP_OK) {
        conclude(result, TP_NOT_CONVERGED,
                 "the solver was content, but the measured error is above the tolerance");
    } else {
        conclude(result, status, result->report.reason);
    }
}

void solve_result_judge(solve_result *result, const tp_problem *problem, tp_status status, const double *P)
{
    describe_problem(result, problem);
    describe_solver(result);
    result->has_point = status == TP_OK || status == TP_NOT_CONVERGED || status == TP_SINGULAR;
    if (!result->has_point && status != TP_INFEASIBLE) {
        conclude(result, status, result->report.reason);
        return;
    }
    tp_status measured = tp_problem_error(problem, P, &result->residual);
    if (measured == TP_OK) {
        judge_point(result, status);
        return;
    }
    /* Without x = M^-1 (f + A P) no answer has a meaning: the problem itself is unsound. */
    result->has_point = false;
    result->residual.error = NAN;
    if (measured == TP_SINGULAR) {
        conclude(result, TP_INVALID_DATA, "the matrix M of the problem is singular");
    } else {
        conclude(result, measured, NULL);
    }
}

static void print_json(const solve_result *result)
{
    json_writer writer = json_begin_object(stdout);
    json_text_at(&writer, "status", result->status);
    json_text_at(&writer, "reason", result->reason);
    json_text_at(&writer, "problem", result->path);
    json_text_at(&writer, "kind", result->has_problem ? result->kind : NULL);
    json_integer_at(&writer, "contacts", result->contact_count);
    json_text_at(&writer, "solver", result->solver);
    json_bool_at(&writer, "converged", result->is_converged);
    json_real_at(&writer, "error", result->residual.error);
    json_integer_at(&writer, "iterations", result->report.iterations);
    json_real_at(&writer, "wall_s", result->wall_time);
    json_integer_at(&writer, "repeats", result->repeats);
    if (result->is_approximate) {
        json_text_at(&writer, "law", result->law);
    }
    json_end_object(&writer);
}

static void print_figure(const char *name, double value, const char *text)
{
    printf("  %-20s %10.3g  %s\n", name, value, text);
}

static void print_residual(const tp_residual *residual)
{
    printf("\nresidual, from the answer alone (made dimensionless)\n");
    print_figure("gap velocity", residual->worst_gap_velocity, "largest approach that is left");
    print_figure("set violation", residual->worst_cone_violation, "largest distance of P from its set");
    print_figure("complementarity", residual->worst_product, "largest |P_N xi_N|");
    print_figure("dissipation defect", residual->worst_dissipation, "friction that does not oppose sliding");
    print_figure("equality", residual->worst_equality, "largest |xi| of a joint row");
    print_figure("rounding floor", residual->floor, "about what double precision allows");
    if (residual->at_rounding) printf("  the data are rounding noise: the error is absolute\n");
}

static void print_lines(const solve_result *result)
{
    printf("problem      %s\n", result->path);
    printf("kind         %s: %d contact%s, %d rows, %d unknowns\n", result->kind, result->contact_count,
           result->contact_count == 1 ? "" : "s", result->row_count, result->unknown_count);
    printf("solver       %s\n", result->solver);
    if (result->is_approximate) printf("law          not the exact one: %s\n", result->law);
    printf("status       %s\n", result->status);
    printf("stopped by   %s\n", result->reason);
    if (!isnan(result->residual.error)) {
        printf("error        %.3g %s the tolerance %.3g\n", result->residual.error,
               result->is_converged ? "<=" : "above", result->tolerance);
    }
    printf("iterations   %d\n", result->report.iterations);
    if (result->report.solution_count >= 0) printf("solutions    %d known\n", result->report.solution_count);
    printf("time         %.3g s", result->wall_time);
    if (result->repeats > 1) printf(", the median of %d solves", result->repeats);
    printf("\n");
    if (!isnan(result->residual.error)) print_residual(&result->residual);
}

void solve_result_print(const solve_result *result, bool as_json)
{
    if (as_json) {
        print_json(result);
    } else {
        print_lines(result);
    }
}
