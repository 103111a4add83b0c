/* How the discrete derivatives of the velocities of joints change with positions, by differences; what
   theory/consistent.md (19) leaves out at first, (48). */
#include "consistent_laws.h"
#include "implicit_step.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum { NOT_MOVED = -1 };

/* Chooses velocities that were not moved yet and share no law with each other; they get the number of the
   round. Returns false if none is left. */
static bool choose_round(tp_consistent_step *step, int round)
{
    const tp_sparse *pattern = &step->problem->pattern;
    bool found = false;
    for (int j = 0; j < pattern->cols; j++) {
        bool is_free = step->round[j] == NOT_MOVED;
        for (int k = pattern->start[j]; k < pattern->start[j + 1] && is_free; k++)
            is_free = step->round[pattern->index[k]] != round;
        if (!is_free) continue;
        step->round[j] = round;
        found = true;
    }
    return found;
}

static double move_of(const tp_consistent_step *step, int j)
{
    return fmax(tp_rate_part_moved * step->size[j], tp_rate_least_moved / step->dt);
}

/* Rows at the end and in the middle with the mean velocities of the round moved. */
static void place_moved(tp_consistent_step *step, int round)
{
    tp_system *system = step->stepper->system;
    for (int j = 0; j < system->u_count; j++) {
        step->u_middle[j] = step->u[j] + step->x[j] + (step->round[j] == round ? move_of(step, j) : 0.0);
        step->d[j] = step->dt * step->u_middle[j];
    }
    tp_implicit_multiply(&system->mass_pattern, step->M, step->d, step->Md);
    tp_midpoint_move(step->midpoint, step->q, step->u_middle, step->dt);
    tp_system_move(system, step->t + step->dt, step->midpoint->q_end, step->u_end);
    tp_consistent_laws_end(step);
    tp_system_move(system, step->t + 0.5 * step->dt, step->midpoint->q_middle, step->u_end);
    tp_consistent_laws_middle(step);
}

/* by_a -= dt K times the change of the rows along the one velocity of a law that has moved. */
static void add_changes(tp_consistent_step *step, const tp_consistent_law *own, int round, const double *K)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    int moved = -1;
    for (int j = 0; j < count; j++) {
        if (step->round[columns[j]] == round) moved = columns[j];
    }
    for (int k = 0; k < tp_consistent_law_of(step, own)->row_count && moved >= 0; k++) {
        size_t at = own->place + (size_t)(k * count);
        if (own->left_out[k] > 0.0) continue;
        for (int i = 0; i < count; i++) {
            double change = step->rate_middle[at + (size_t)i] - step->rate_kept[at + (size_t)i];
            if (change == 0.0 || !isfinite(change)) continue;
            step->by_a[tp_pattern_place(&step->problem->pattern, columns[i], moved)] -=
                step->dt * K[k] * change / move_of(step, moved);
        }
    }
}

void tp_consistent_laws_add_rate_changes(tp_consistent_step *step, const double *P)
{
    memcpy(step->rate_kept, step->rate_middle, step->rate_count * sizeof(double));
    for (int j = 0; j < step->stepper->system->u_count; j++) step->round[j] = NOT_MOVED;
    for (int round = 0; choose_round(step, round); round++) {
        place_moved(step, round);
        for (int i = 0; i < step->law_count; i++) {
            const tp_consistent_law *own = &step->laws[i];
            if (own->has_rates) add_changes(step, own, round, P + own->second);
        }
    }
    step->is_placed = false;
}
