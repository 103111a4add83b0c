/* Sums and maxima since the last row. */
#include "io/output/ledger.h"

#include "io/output/run_columns.h"

#include <math.h>
#include <string.h>

/* The figures of the last step, alone or with those before. */
static void add_figures(tp_ledger *ledger, bool is_first)
{
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    for (int k = 0; k < count; k++) {
        double *figure = &ledger->figures[k];
        if (kinds[k].way == TP_COLUMN_NOW) continue;
        double value = tp_field_read(ledger, kinds[k].field, 0, 0);
        if (kinds[k].way == TP_COLUMN_SUM) *figure += value;
        if (kinds[k].way == TP_COLUMN_MAXIMUM) *figure = is_first ? value : fmax(*figure, value);
    }
}

/* Errors of the present state belong to a row, too: maxima never start at 0. */
tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, tp_ledger *ledger_out)
{
    tp_restart now;
    int kinds;
    tp_column_kinds(&kinds);
    tp_simulation_checkpoint(simulation, &now);
    *ledger_out = (tp_ledger){
        .simulation = simulation,
        .now = now,
        .impulse = TP_ARENA_ARRAY(arena, double, (size_t)now.law_count *TP_IMPULSE_ROWS),
        .dissipation = TP_ARENA_ARRAY(arena, double, now.law_count),
        .applied = TP_ARENA_ARRAY(arena, double, now.law_count),
        .has_acted = TP_ARENA_ARRAY(arena, unsigned char, now.law_count),
        .was_closed = TP_ARENA_ARRAY(arena, unsigned char, now.law_count),
        .figures = TP_ARENA_ARRAY(arena, double, kinds),
        .seen = tp_simulation_report(simulation)->steps,
    };
    TP_TRY(tp_arena_status(arena));
    memcpy(ledger_out->was_closed, now.is_closed, (size_t)now.law_count);
    add_figures(ledger_out, true);
    tp_ledger_clear(ledger_out);
    return TP_OK;
}

static void add_law(tp_ledger *ledger, int law)
{
    double impulse[TP_IMPULSE_ROWS], lost = tp_simulation_dissipation(ledger->simulation, law);
    int rows = tp_simulation_impulse(ledger->simulation, law, impulse);
    for (int k = 0; k < rows; k++) ledger->impulse[TP_IMPULSE_ROWS * law + k] += impulse[k];
    ledger->dissipation[law] += lost;
    ledger->all_dissipation += lost;
    ledger->applied[law] += tp_simulation_applied_work(ledger->simulation, law);
    ledger->has_acted[law] = 1;
}

bool tp_ledger_add(tp_ledger *ledger)
{
    long long steps = tp_simulation_report(ledger->simulation)->steps;
    tp_simulation_checkpoint(ledger->simulation, &ledger->now);
    if (steps == ledger->seen) return false; /* the initial state, or seen before */
    ledger->seen = steps;
    for (int i = 0; i < ledger->now.law_count; i++) {
        if (ledger->now.is_closed[i] || ledger->was_closed[i]) add_law(ledger, i);
    }
    memcpy(ledger->was_closed, ledger->now.is_closed, (size_t)ledger->now.law_count);
    add_figures(ledger, ledger->steps++ == 0);
    return true;
}

void tp_ledger_clear(tp_ledger *ledger)
{
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    for (int i = 0; i < ledger->now.law_count; i++) {
        if (!ledger->has_acted[i]) continue;
        memset(ledger->impulse + (size_t)i * TP_IMPULSE_ROWS, 0, TP_IMPULSE_ROWS * sizeof(double));
        ledger->dissipation[i] = ledger->applied[i] = 0.0;
        ledger->has_acted[i] = 0;
    }
    for (int k = 0; k < count; k++) {
        if (kinds[k].way == TP_COLUMN_SUM) ledger->figures[k] = 0.0;
    }
    ledger->steps = 0;
    ledger->all_dissipation = 0.0;
}
