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

/* ---- contacts between shapes ---- */

/* Order of contacts: negative, 0 or positive. */
static int compare(const tp_contact_info *a, const tp_contact_info *b)
{
    int a_low = a->shape_a < a->shape_b ? a->shape_a : a->shape_b, a_high = a->shape_a + a->shape_b - a_low,
        b_low = b->shape_a < b->shape_b ? b->shape_a : b->shape_b, b_high = b->shape_a + b->shape_b - b_low;
    if (a_low != b_low) return a_low < b_low ? -1 : 1;
    if (a_high != b_high) return a_high < b_high ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

static bool has_room(tp_ledger *ledger, int count)
{
    if (count <= ledger->contact_capacity) return true;
    int capacity = 2 * count + 16;
    tp_ledger_contact *contacts = TP_ARENA_RAW(ledger->arena, tp_ledger_contact, capacity),
                      *spare = TP_ARENA_RAW(ledger->arena, tp_ledger_contact, capacity);
    if (!contacts || !spare) {
        ledger->status = TP_OUT_OF_MEMORY;
        return false;
    }
    if (ledger->contact_count > 0)
        memcpy(contacts, ledger->contacts, (size_t)ledger->contact_count * sizeof *contacts);
    ledger->contacts = contacts;
    ledger->spare = spare;
    ledger->contact_capacity = capacity;
    return true;
}

/* What a contact did in the last step. */
static void add_contact(tp_ledger *ledger, tp_ledger_contact *to, bool is_step)
{
    double lost = tp_simulation_dissipation(ledger->simulation, to->info.law);
    tp_simulation_last_impulse(ledger->simulation, to->info.law, to->last_impulse);
    for (int part = 0; part < TP_FORCE_PARTS; part++) {
        int rows = tp_simulation_kept_force(ledger->simulation, to->info.law, part, to->force[part]);
        for (int k = 0; k < rows && part == TP_FORCE_IMPACT && is_step; k++)
            to->impact[k] += to->force[part][k];
    }
    if (!is_step || !(to->info.is_closed || to->info.was_closed)) return;
    for (int k = 0; k < to->info.row_count; k++) to->impulse[k] += to->info.impulse[k];
    to->dissipation += lost;
    ledger->all_dissipation += lost;
    to->has_acted = true;
}

/* One that is not near any more. */
static tp_ledger_contact parted(const tp_ledger_contact *old)
{
    tp_ledger_contact to = *old;
    to.info.is_closed = to.info.was_closed = false;
    to.info.gap = INFINITY;
    for (int k = 0; k < 3; k++) to.info.point[k] = to.info.normal[k] = NAN;
    memset(to.info.impulse, 0, sizeof to.info.impulse);
    memset(to.last_impulse, 0, sizeof to.last_impulse);
    memset(to.force, 0, sizeof to.force);
    return to;
}

/* Has it a mean force from which the next step goes on? */
static bool has_force(const tp_ledger_contact *contact)
{
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) {
        if (contact->force[TP_FORCE_MEAN][k] != 0.0) return true;
    }
    return false;
}

/* Contacts of the present state into the list, which is ascending as they are; those that did not act and are
   not closed stay away. */
static void add_contacts(tp_ledger *ledger, bool is_step)
{
    int laws = tp_simulation_law_count(ledger->simulation), old = 0, count = 0;
    if (!ledger->keeps_contacts) { /* those that did not act took nothing */
        for (int i = ledger->now.law_count; i < laws && is_step; i++)
            ledger->all_dissipation += tp_simulation_dissipation(ledger->simulation, i);
        return;
    }
    if (!has_room(ledger, ledger->contact_count + laws - ledger->now.law_count)) return;
    for (int i = ledger->now.law_count; i < laws; i++) {
        tp_ledger_contact next = {.has_acted = false};
        tp_simulation_contact(ledger->simulation, i, &next.info);
        while (old < ledger->contact_count && compare(&ledger->contacts[old].info, &next.info) < 0)
            ledger->spare[count++] = parted(&ledger->contacts[old++]);
        if (old < ledger->contact_count && compare(&ledger->contacts[old].info, &next.info) == 0) {
            tp_contact_info now = next.info;
            next = ledger->contacts[old++];
            next.info = now;
        }
        add_contact(ledger, &next, is_step);
        if (next.has_acted || next.info.is_closed || has_force(&next)) ledger->spare[count++] = next;
    }
    while (old < ledger->contact_count) ledger->spare[count++] = parted(&ledger->contacts[old++]);
    tp_ledger_contact *spare = ledger->spare;
    ledger->spare = ledger->contacts;
    ledger->contacts = spare;
    ledger->contact_count = count;
}

/* Sums start again; contacts that are open are forgotten. */
static void clear_contacts(tp_ledger *ledger)
{
    int count = 0;
    for (int i = 0; i < ledger->contact_count; i++) {
        tp_ledger_contact *at = &ledger->contacts[i];
        if (!at->info.is_closed && !has_force(at)) continue;
        at->has_acted = false;
        memset(at->impact, 0, sizeof at->impact);
        memset(at->impulse, 0, sizeof at->impulse);
        at->dissipation = 0.0;
        ledger->contacts[count++] = *at;
    }
    ledger->contact_count = count;
}

/* ---- all ---- */

/* Errors of the present state belong to a row, too: maxima never start at 0. */
tp_status tp_ledger_create(tp_arena *arena, const tp_simulation *simulation, bool keeps_contacts,
                           tp_ledger *ledger_out)
{
    tp_restart now;
    int kinds;
    tp_column_kinds(&kinds);
    tp_simulation_checkpoint(simulation, &now);
    *ledger_out = (tp_ledger){
        .simulation = simulation,
        .arena = arena,
        .keeps_contacts = keeps_contacts,
        .now = now,
        .impulse = TP_ARENA_ARRAY(arena, double, (size_t)now.law_count *TP_IMPULSE_ROWS),
        .impact = TP_ARENA_ARRAY(arena, double, (size_t)now.law_count *TP_IMPULSE_ROWS),
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
    add_contacts(ledger_out, false);
    tp_ledger_clear(ledger_out);
    return ledger_out->status;
}

static void add_law(tp_ledger *ledger, int law)
{
    double impulse[TP_IMPULSE_ROWS], lost = tp_simulation_dissipation(ledger->simulation, law);
    int rows = tp_simulation_impulse(ledger->simulation, law, impulse);
    for (int k = 0; k < rows; k++) ledger->impulse[TP_IMPULSE_ROWS * law + k] += impulse[k];
    rows = tp_simulation_kept_force(ledger->simulation, law, TP_FORCE_IMPACT, impulse);
    for (int k = 0; k < rows; k++) ledger->impact[TP_IMPULSE_ROWS * law + k] += impulse[k];
    ledger->dissipation[law] += lost;
    ledger->all_dissipation += lost;
    ledger->applied[law] += tp_simulation_applied_work(ledger->simulation, law);
    ledger->has_acted[law] = 1;
}

/* An open contact may have an impulse that takes back the tail of its mean force. */
static bool has_impact(const tp_ledger *ledger, int law)
{
    double impact[TP_IMPULSE_ROWS];
    return tp_simulation_kept_force(ledger->simulation, law, TP_FORCE_IMPACT, impact) > 0 && impact[0] != 0.0;
}

bool tp_ledger_add(tp_ledger *ledger)
{
    long long steps = tp_simulation_report(ledger->simulation)->steps;
    tp_simulation_checkpoint(ledger->simulation, &ledger->now);
    if (steps == ledger->seen) return false; /* the initial state, or seen before */
    ledger->seen = steps;
    for (int i = 0; i < ledger->now.law_count; i++) {
        if (ledger->now.is_closed[i] || ledger->was_closed[i] || has_impact(ledger, i)) add_law(ledger, i);
    }
    add_contacts(ledger, true);
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
        memset(ledger->impact + (size_t)i * TP_IMPULSE_ROWS, 0, TP_IMPULSE_ROWS * sizeof(double));
        ledger->dissipation[i] = ledger->applied[i] = 0.0;
        ledger->has_acted[i] = 0;
    }
    clear_contacts(ledger);
    for (int k = 0; k < count; k++) {
        if (kinds[k].way == TP_COLUMN_SUM) ledger->figures[k] = 0.0;
    }
    ledger->steps = 0;
    ledger->all_dissipation = 0.0;
}
