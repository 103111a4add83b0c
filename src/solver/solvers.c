/* The one list of all solvers. Adding one: its file, a declaration in solvers.h, a line here, a test, a line
 * in docs/theory/solvers.md. */
#include "solvers.h"

#include <string.h>

/* clang-format off */
static const tp_solver *const solvers[] = {
    &tp_solver_auto,
    &tp_solver_accelerated,
    &tp_solver_proximal_newton,
    &tp_solver_jacobi,
    &tp_solver_gauss_seidel,
    &tp_solver_projected_newton,
    &tp_solver_alart_curnier,
    &tp_solver_alart_curnier_global,
    &tp_solver_de_saxce,
    &tp_solver_lemke,
    &tp_solver_mlcp,
    &tp_solver_enumeration,
    &tp_solver_quartic,
    &tp_solver_faceted,
    &tp_solver_convex,
};
/* clang-format on */

enum { SOLVER_COUNT = sizeof solvers / sizeof solvers[0] };

int tp_solver_count(void)
{
    return SOLVER_COUNT;
}

const tp_solver_info *tp_solver_info_at(int index)
{
    return index >= 0 && index < SOLVER_COUNT ? &solvers[index]->info : NULL;
}

int tp_solver_find(const char *name)
{
    for (int i = 0; name != NULL && i < SOLVER_COUNT; i++) {
        if (strcmp(solvers[i]->info.name, name) == 0) return i;
    }
    return -1;
}

const tp_solver *tp_solver_by_name(const char *name)
{
    int index = tp_solver_find(name);
    return index >= 0 ? solvers[index] : NULL;
}
