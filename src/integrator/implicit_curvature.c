/* How the rows of laws change within an implicit step, in its linearisation; theory/moreau-jean.md (6a). */
#include "implicit_step.h"
#include "system/discrete.h"

#include <string.h>

tp_status tp_implicit_take_curvature(tp_stepper *stepper, tp_arena *arena, tp_implicit_curvature *to)
{
    tp_system *system = stepper->system;
    tp_problem *problem = &stepper->problem->problem;
    size_t largest = (size_t)system->largest_columns;
    TP_TRY(tp_system_find_step_pattern(arena, system, &to->pattern));
    size_t count = (size_t)tp_sparse_count(&to->pattern);
    to->place = tp_pattern_places(arena, &system->jacobian_pattern, &to->pattern);
    to->J = TP_ARENA_ARRAY(arena, double, count);
    to->H = TP_ARENA_ARRAY(arena, double, largest *largest);
    to->Ct = tp_problem_take_sparse(arena, (size_t)stepper->problem->capacity_rows,
                                    stepper->problem->capacity_entries);
    problem->M = tp_problem_take_sparse(arena, (size_t)system->u_count, count);
    return tp_arena_status(arena);
}

/* Row k of a law: J -= time P_k H, and time u^T H is added to its entries in C. */
static void add_row(const tp_stepper *stepper, const tp_implicit_curvature *curvature, int law, int k,
                    double P, const tp_implicit_place *place, double *C)
{
    const int *columns, count = tp_system_columns_of(stepper->system, law, &columns);
    const double *H = curvature->H;
    tp_system_law_hessian(stepper->system, law, k, curvature->H);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < count; i++) {
            double h = place->time * H[i + j * count];
            if (h == 0.0) continue;
            C[j] += h * place->u[columns[i]];
            curvature->J[tp_pattern_place(&curvature->pattern, columns[i], columns[j])] -= h * P;
        }
    }
}

/* Appends a column of Ct with the entries of a law. */
static void put_row(const tp_stepper *stepper, tp_sparse *Ct, int law, const double *C)
{
    int count = tp_system_law_column_count(stepper->system, law), at = Ct->start[Ct->cols];
    const int *columns = tp_system_law_columns(stepper->system, law);
    for (int j = 0; j < count; j++) {
        if (C[j] == 0.0) continue;
        Ct->index[at] = columns[j];
        Ct->value[at++] = C[j];
    }
    Ct->start[++Ct->cols] = at;
}

void tp_implicit_refill_curved(tp_stepper *stepper, const tp_implicit_curvature *curvature, const double *J,
                               const tp_implicit_rows *rows, const double *P, double dt, double spring_time,
                               const tp_implicit_place *place)
{
    const tp_system *system = stepper->system;
    tp_step_problem *problem = stepper->problem;
    tp_sparse Ct = curvature->Ct;
    Ct.rows = system->u_count;
    Ct.cols = Ct.start[0] = 0;
    memset(curvature->J, 0, (size_t)tp_sparse_count(&curvature->pattern) * sizeof(double));
    for (int k = 0; k < tp_sparse_count(&system->jacobian_pattern); k++)
        curvature->J[curvature->place[k]] = J[k];
    for (int i = 0; i < problem->problem.set_count; i++) {
        const tp_set *set = &problem->problem.sets[i];
        int law = problem->law[i], count = tp_system_law_column_count(system, law);
        for (int k = 0; k < set->size; k++) {
            double *C = problem->row;
            memcpy(C, rows->W + rows->start[i] + (size_t)(k * count), (size_t)count * sizeof(double));
            bool is_curved =
                law < system->law_count && !place->is_frozen[i] && !(rows->left_out[set->first + k] > 0.0);
            if (is_curved) add_row(stepper, curvature, law, k, P[set->first + k], place, C);
            put_row(stepper, &Ct, law, C);
        }
    }
    tp_implicit_refill(stepper, &curvature->pattern, curvature->J, rows, P, dt, spring_time);
    problem->problem.Ct = Ct;
}
