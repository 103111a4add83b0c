/* Number of solutions of the relaxed laws of all contacts at a state; docs/guide/painleve.md (7). */
#include "tippe/painleve.h"
#include "tippe/solver.h"

#include "base/arena.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>

static double small_delta(const tp_problem *unit, const tp_painleve *painleve)
{
    double speed = INFINITY, largest = 0.0;
    for (int c = 0, row = 0; tp_painleve_slip(painleve, c) != NULL; row += unit->sets[c++].size) {
        const tp_slip *slip = tp_painleve_slip(painleve, c);
        if (slip->speed > 0.0) speed = fmin(speed, slip->speed);
        largest = fmax(largest, fabs(unit->b[row]));
    }
    if (!isfinite(speed)) return 1.0; /* nothing slides: it has no share */
    return largest > 0.0 ? tp_count_share * speed / largest : 1.0;
}

static tp_status count(const tp_problem *problem, tp_slip_count *count_out)
{
    tp_workspace *workspace = NULL;
    tp_arena arena = tp_arena_make(NULL);
    double *P = TP_ARENA_ARRAY(&arena, double, problem->row_count);
    tp_status status = tp_arena_status(&arena);
    if (status == TP_OK) status = tp_workspace_create(NULL, &workspace);
    if (status == TP_OK) {
        tp_solver_options options = tp_solver_options_default();
        tp_report report;
        options.tolerance = tp_counted_error;
        status = tp_solve(problem, "enumeration", &options, workspace, P, NULL, &report);
        bool is_counted = report.solution_count >= 0 && status != TP_UNSUPPORTED;
        count_out->count = is_counted ? report.motion_count : -1;
        count_out->is_all = is_counted && (report.counted_all || report.motion_count == 0);
        snprintf(count_out->why, sizeof count_out->why, "%s", report.reason);
        if (status != TP_OUT_OF_MEMORY) status = TP_OK;
    }
    tp_workspace_free(workspace);
    tp_arena_clear(&arena);
    return status;
}

tp_status tp_painleve_count(const tp_painleve *painleve, double delta, tp_slip_count *count_out,
                            tp_message *why)
{
    if (painleve == NULL || count_out == NULL || !(delta >= 0.0))
        return tp_fail(why, TP_INVALID_ARGUMENT, "an argument is NULL, or delta is below 0");
    tp_problem *problem = NULL;
    *count_out = (tp_slip_count){.count = -1};
    if (tp_painleve_slip(painleve, 0) == NULL) {
        *count_out = (tp_slip_count){.count = 1, .is_all = true, .why = "no contact with friction is closed"};
        return TP_OK;
    }
    TP_TRY(tp_painleve_problem(painleve, 1.0, &problem, why));
    if (delta == 0.0) delta = small_delta(problem, painleve);
    tp_problem_free(problem);
    TP_TRY(tp_painleve_problem(painleve, delta, &problem, why));
    count_out->delta = delta;
    tp_status status = count(problem, count_out);
    tp_problem_free(problem);
    return status;
}
