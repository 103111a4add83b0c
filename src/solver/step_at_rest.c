/* Loaded contacts as joints, over the velocities of bodies; theory/solvers.md (28k). */
#include "step_at_rest.h"

#include "solver/newton/body_system.h"
#include "tolerances.h"

#include <string.h>

/* xi = 0 in all rows of a loaded contact; an open one has no unknowns. */
static void linearise(const tp_set *set, bool is_loaded, tp_linear_block *out)
{
    int n = set->size;
    out->size = n;
    out->dim = is_loaded ? n : 0;
    out->is_whole = is_loaded;
    if (!is_loaded) return;
    memset(out->C, 0, (size_t)(n * n) * sizeof(double));
    memset(out->R, 0, (size_t)(n * n) * sizeof(double));
    memset(out->K, 0, (size_t)(n * n) * sizeof(double));
    for (int a = 0; a < n; a++) out->C[a + a * n] = out->R[a + a * n] = 1.0;
}

tp_status tp_step_at_rest(const tp_problem *problem, const tp_local *local, tp_stack *stack, const double *xi,
                          double *P)
{
    tp_local whole = {.global = problem};
    tp_body_system bodies;
    tp_linear_block *blocks = TP_STACK_ARRAY(stack, tp_linear_block, problem->set_count);
    int *first = TP_STACK_ARRAY(stack, int, problem->set_count);
    double *d = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < problem->set_count; i++) {
        first[i] = problem->sets[i].first;
        linearise(&problem->sets[i], P[first[i]] > 0.0, &blocks[i]);
    }
    for (int row = 0; row < problem->row_count; row++) d[row] = -xi[row];
    TP_TRY(tp_body_system_init(&bodies, &whole, stack));
    TP_TRY(tp_body_system_factor(&bodies, blocks, tp_tiny_shift * local->rho, stack));
    tp_body_system_solve(&bodies, blocks, first, d);
    for (int i = 0; i < problem->set_count; i++) {
        for (int a = 0; a < blocks[i].dim; a++) P[first[i] + a] += d[first[i] + a];
    }
    return TP_OK;
}
