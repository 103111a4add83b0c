/* Semi-smooth Newton steps with a line search; theory/solvers.md (26), (27). */
#include "searched_newton.h"
#include "solver/tolerances.h"

#include <string.h>

enum { HALVINGS = 20, RETURN_SWEEPS = 20 };

tp_status tp_searched_newton_init(tp_searched_newton *newton, tp_reduced_system *system, double shift,
                                  tp_stack *stack)
{
    int rows = system->local->row_count;
    *newton = (tp_searched_newton){.system = system, .shift = shift};
    newton->xi = TP_STACK_ARRAY(stack, double, rows);
    newton->target = TP_STACK_ARRAY(stack, double, rows);
    newton->trial = TP_STACK_ARRAY(stack, double, rows);
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

void tp_searched_newton_begin(tp_searched_newton *newton, const double *P)
{
    tp_local_velocity(newton->system->local, P, newton->xi);
    newton->merit = tp_law_merit(newton->system->local, newton->system->lengths, P, newton->xi);
}

tp_status tp_searched_newton_step(tp_searched_newton *newton, tp_stack *stack, double *P)
{
    const tp_local *local = newton->system->local;
    double fraction = 1.0;
    tp_reduced_system_linearise(newton->system, P, newton->xi, 0.0, NULL);
    TP_TRY(tp_reduced_system_solve(newton->system, newton->shift * local->rho, stack, newton->target));
    for (int h = 0; h <= HALVINGS; h++, fraction *= 0.5) {
        for (int k = 0; k < local->row_count; k++)
            newton->trial[k] = P[k] + fraction * (newton->target[k] - P[k]);
        tp_local_velocity(local, newton->trial, newton->xi);
        double value = tp_law_merit(local, newton->system->lengths, newton->trial, newton->xi);
        if (value <= (1.0 - 2.0 * tp_sufficient_decrease * fraction) * newton->merit) {
            memcpy(P, newton->trial, (size_t)local->row_count * sizeof(double));
            newton->merit = value;
            return TP_OK;
        }
    }
    return TP_NOT_CONVERGED;
}

tp_status tp_searched_newton_run(tp_searched_newton *newton, tp_sweeps *sweeps, int limit, tp_stack *stack,
                                 double *P, int *step_count, int *return_count)
{
    double error = tp_sweeps_judge(sweeps, P);
    int returns = 0;
    tp_searched_newton_begin(newton, P);
    for (int step = 0; error > sweeps->aim && step < limit && !tp_sweeps_are_spent(sweeps); step++) {
        tp_status status = tp_searched_newton_step(newton, stack, P);
        if (status == TP_OUT_OF_MEMORY) return status;
        sweeps->work += newton->system->work;
        ++*step_count;
        if (status != TP_OK) {
            tp_sweeps_escape(sweeps, RETURN_SWEEPS * ++returns, P);
            tp_searched_newton_begin(newton, P);
        }
        error = tp_sweeps_judge(sweeps, P);
    }
    *return_count += returns;
    return error <= sweeps->aim ? TP_OK : TP_NOT_CONVERGED;
}
