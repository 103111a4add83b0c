/* Switches inside formulas; see switches.h. */
#include "switches.h"

#include "model/scalars.h"

/* What moves the bodies: not sensors, nor states, which event-driven refuses. */
static bool acts(const tp_scalar_walk *at)
{
    return at->role < TP_SCALAR_SENSOR && at->scalar->formula != NULL &&
           tp_formula_switch_count(at->scalar->formula) > 0;
}

int tp_switches_count(const tp_model *model)
{
    int count = 0;
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);)
        if (acts(&at)) count += tp_formula_switch_count(at.scalar->formula);
    return count;
}

tp_status tp_switches_take(const tp_model *model, tp_arena *arena, tp_switches *out)
{
    int formulas = 0;
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) formulas += acts(&at);
    *out = (tp_switches){.count = tp_switches_count(model), .formula_count = formulas};
    out->scalars = TP_ARENA_ARRAY(arena, const tp_scalar *, formulas + 1);
    out->first = TP_ARENA_ARRAY(arena, int, formulas + 1);
    TP_ARENA_DOUBLES(arena, out->count + 1, &out->sign, &out->value, &out->start);
    TP_TRY(tp_arena_status(arena));
    int k = 0;
    out->first[0] = 0;
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        if (!acts(&at)) continue;
        out->scalars[k] = at.scalar;
        out->first[k + 1] = out->first[k] + tp_formula_switch_count(at.scalar->formula);
        k++;
    }
    for (int i = 0; i < out->count; i++) out->sign[i] = 1.0;
    return TP_OK;
}

void tp_switches_find(tp_switches *switches, const tp_system *system)
{
    for (int k = 0; k < switches->formula_count; k++)
        tp_formula_switch_values(switches->scalars[k]->formula, system->at.z, system->at.work,
                                 switches->value + switches->first[k]);
    for (int i = 0; i < switches->count; i++) switches->value[i] *= switches->sign[i];
}

void tp_switches_start(tp_switches *switches, const tp_system *system)
{
    for (int i = 0; i < switches->count; i++) switches->sign[i] = 1.0;
    tp_switches_find(switches, system);
    for (int i = 0; i < switches->count; i++) {
        switches->start[i] = switches->value[i];
        if (switches->value[i] < 0.0) switches->sign[i] = -1.0;
    }
}

bool tp_switches_pass(tp_switches *switches, const tp_system *system)
{
    tp_switches_find(switches, system);
    for (int i = 0; i < switches->count; i++) {
        if (switches->value[i] < 0.0 || (switches->value[i] == 0.0 && switches->start[i] != 0.0)) return true;
    }
    return false;
}

tp_place tp_switches_place(const tp_switches *switches, int number)
{
    int k = 0;
    while (k + 1 < switches->formula_count && switches->first[k + 1] <= number) k++;
    return switches->scalars[k]->function.place;
}
