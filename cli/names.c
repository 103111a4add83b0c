/* Names for suggestions. */
#include "names.h"

#include <stddef.h>

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
