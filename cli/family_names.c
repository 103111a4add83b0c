/* Names for suggestions. */
#include "family_names.h"

#include <stddef.h>

#include "program.h"
#include "tippe/simulation.h"
#include "tippe/solver.h"

const char *solver_name_at(const void *context, int index)
{
    (void)context;
    return index < tp_solver_count() ? tp_solver_info_at(index)->name : NULL;
}

const char *integrator_name_at(const void *context, int index)
{
    (void)context;
    return index < tp_integrator_count() ? tp_integrator_info_at(index)->name : NULL;
}

bool check_names(const struct cli_verb *verb, const char *integrator, const char *solver)
{
    if (integrator != NULL && tp_integrator_find(integrator) < 0) {
        return complain_unknown_name(verb, "integrator", integrator, integrator_name_at);
    }
    if (solver != NULL && tp_solver_find(solver) < 0) {
        return complain_unknown_name(verb, "solver", solver, solver_name_at);
    }
    return true;
}
