/* Sums and maxima since the last row. */
#include "io/output/ledger.h"

#include <math.h>
#include <string.h>

tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, tp_ledger *ledger_out)
{
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    int laws = now.law_count;
    *ledger_out = (tp_ledger){
        .law_count = laws,
        .impulse = TP_ARENA_ARRAY(arena, double, (size_t)laws *TP_IMPULSE_ROWS),
        .dissipation = TP_ARENA_ARRAY(arena, double, laws),
        .applied = TP_ARENA_ARRAY(arena, double, laws),
        .has_acted = TP_ARENA_ARRAY(arena, unsigned char, laws),
        .was_closed = TP_ARENA_ARRAY(arena, unsigned char, laws),
        .largest = *tp_simulation_last_step(simulation),
        .seen = tp_simulation_report(simulation)->steps,
    };
    bool is_made = ledger_out->impulse && ledger_out->dissipation && ledger_out->applied &&
                   ledger_out->has_acted && ledger_out->was_closed;
    if (is_made) memcpy(ledger_out->was_closed, now.is_closed, (size_t)laws);
    return is_made ? TP_OK : TP_OUT_OF_MEMORY;
}

/* Errors of the present state belong to a row, too: the largest never begins at 0. */
static void enlarge(tp_step_report *largest, const tp_step_report *last)
{
    if (last->iterations > largest->iterations) largest->iterations = last->iterations;
    largest->residual = fmax(largest->residual, last->residual);
    largest->position_error = fmax(largest->position_error, last->position_error);
    largest->angle_error = fmax(largest->angle_error, last->angle_error);
    largest->velocity_error = fmax(largest->velocity_error, last->velocity_error);
    largest->angular_velocity_error = fmax(largest->angular_velocity_error, last->angular_velocity_error);
    largest->penetration = fmax(largest->penetration, last->penetration);
    largest->limit_angle = fmax(largest->limit_angle, last->limit_angle);
}

static void add_law(tp_ledger *ledger, const tp_simulation *simulation, int law)
{
    double impulse[TP_IMPULSE_ROWS], lost = tp_simulation_dissipation(simulation, law);
    int rows = tp_simulation_impulse(simulation, law, impulse);
    for (int k = 0; k < rows; k++) ledger->impulse[TP_IMPULSE_ROWS * law + k] += impulse[k];
    ledger->dissipation[law] += lost;
    ledger->all_dissipation += lost;
    ledger->applied[law] += tp_simulation_applied_work(simulation, law);
    ledger->has_acted[law] = 1;
}

void tp_ledger_add(tp_ledger *ledger, const tp_simulation *simulation)
{
    const tp_step_report *last = tp_simulation_last_step(simulation);
    long long steps = tp_simulation_report(simulation)->steps;
    if (steps == ledger->seen) return; /* the initial state, or seen before */
    ledger->seen = steps;
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    for (int i = 0; i < ledger->law_count; i++) {
        if (now.is_closed[i] || ledger->was_closed[i]) add_law(ledger, simulation, i);
    }
    memcpy(ledger->was_closed, now.is_closed, (size_t)ledger->law_count);
    ledger->impacts += last->impact_count;
    ledger->applied_work += last->applied_work;
    if (ledger->steps++ == 0) {
        ledger->largest = *last;
    } else {
        enlarge(&ledger->largest, last);
    }
}

void tp_ledger_clear(tp_ledger *ledger)
{
    for (int i = 0; i < ledger->law_count; i++) {
        if (!ledger->has_acted[i]) continue;
        memset(ledger->impulse + (size_t)i * TP_IMPULSE_ROWS, 0, TP_IMPULSE_ROWS * sizeof(double));
        ledger->dissipation[i] = ledger->applied[i] = 0.0;
        ledger->has_acted[i] = 0;
    }
    ledger->steps = ledger->impacts = 0;
    ledger->applied_work = ledger->all_dissipation = 0.0;
}
