/* Solver `lemke`: complementary pivoting for FREE, ZERO, ORTHANT and BOX rows; docs/theory/pivoting.md. */
#include "solver/pivoting/lemke.h"

#include "solver/infeasible/farkas.h"
#include "solver/pivoting/bounded.h"
#include "solver/solvers.h"

static const char *const end_text[] = {"solved", "the path ended on a ray", "the limit of pivots was reached",
                                       "rounding broke the path"};

static tp_status solve(const tp_solve_call *call, double *P, tp_report *report)
{
    const int n = call->local->row_count;
    if (n > TP_BOX_MAX_ROWS) {
        return tp_report_end(report, TP_UNSUPPORTED, "%d rows; dense pivoting takes at most %d", n,
                             (int)TP_BOX_MAX_ROWS);
    }
    tp_box_problem box;
    tp_lcp_report end;
    tp_box_path path = {.elimination = TP_BOX_PRINCIPAL, .max_pivots = call->options->max_iterations};
    double error;
    TP_TRY(report->status = tp_box_from_local(call->local, call->stack, &box));
    tp_status status = tp_box_lemke(&box, &path, call->stack, P, &error, &end);
    report->iterations = end.pivots;
    report->work = (double)end.pivots * n * n;
    if (status != TP_OK && status != TP_NOT_CONVERGED) return report->status = status;
    if (error <= call->options->tolerance)
        return tp_report_end(
            report, TP_OK, "%s after %d pivots",
            end.end == TP_LCP_SOLVED ? "solved" : "solved by the active set of the last point", end.pivots);
    if (tp_report_proof(call->local, call->stack, report)) return report->status;
    return tp_report_end(report, TP_NOT_CONVERGED, "%s after %d pivots", end_text[end.end], end.pivots);
}

const tp_solver tp_solver_lemke = {
    .info = {"lemke", "Lemke's complementary pivoting, dense: joints, limits, relays; no friction", true},
    .accepts = TP_ACCEPT_SCALAR,
    .solve = solve,
};
