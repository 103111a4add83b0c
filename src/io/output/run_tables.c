/* Contacts and events of a simulation as tables. */
#include "io/output/run_tables.h"

#include "io/common/ascending.h"
#include "io/output/field.h"
#include "tippe/multibody.h"

#include <math.h>

/* The words that a column counts in. */
typedef enum label_set { NO_LABELS, SHAPES, LAWS, EVENT_KINDS } label_set;

/* One column: what it is called, what its numbers stand for, and the field of a record that it shows. */
typedef struct record_column {
    tp_table_column column;
    label_set labels;
    tp_field field;
} record_column;

/* Rows of a contact: normal, tangents, drilling (as a force at its radius), rolling. */
#define SIX(record, name, member, unit, rolling_unit, text)                                                  \
    {{name "_N", unit, text}, NO_LABELS, TP_FIELD(record, member[0], 0)},                                    \
        {{name "_T1", unit, text}, NO_LABELS, TP_FIELD(record, member[1], 0)},                               \
        {{name "_T2", unit, text}, NO_LABELS, TP_FIELD(record, member[2], 0)},                               \
        {{name "_tau", unit, text}, NO_LABELS, TP_FIELD(record, member[3], 0)},                              \
        {{name "_R1", rolling_unit, text}, NO_LABELS, TP_FIELD(record, member[4], 0)},                       \
    {                                                                                                        \
        {name "_R2", rolling_unit, text}, NO_LABELS, TP_FIELD(record, member[5], 0)                          \
    }

/* A contact point between shapes. */
typedef struct contact_record {
    long long row;
    double time;
    tp_ledger_contact of;
} contact_record;

#define FIELD(member) TP_FIELD(contact_record, member, 0)
static const record_column contact_columns[] = {
    {{"row", "", "row over time that it belongs to, from 0"}, NO_LABELS, FIELD(row)},
    {{"time", "s", "time of that row"}, NO_LABELS, FIELD(time)},
    {{"shape_a", "", "the first shape, a number in /labels/shapes"}, SHAPES, FIELD(of.info.shape_a)},
    {{"shape_b", "", "the second shape"}, SHAPES, FIELD(of.info.shape_b)},
    {{"feature", "", "number of the point among those of the two shapes; the same from step to step"},
     NO_LABELS,
     FIELD(of.info.feature)},
    {{"closed", "", "1 if it took part in the last step, else 0"}, NO_LABELS, FIELD(of.info.is_closed)},
    {{"gap", "m", "positive if open, inf if the shapes have no such point now"},
     NO_LABELS,
     FIELD(of.info.gap)},
    {{"x", "m", "the point, between the two surfaces"}, NO_LABELS, FIELD(of.info.point[0])},
    {{"y", "m", "the point"}, NO_LABELS, FIELD(of.info.point[1])},
    {{"z", "m", "the point"}, NO_LABELS, FIELD(of.info.point[2])},
    {{"normal_x", "", "unit normal, from A to B"}, NO_LABELS, FIELD(of.info.normal[0])},
    {{"normal_y", "", "normal"}, NO_LABELS, FIELD(of.info.normal[1])},
    {{"normal_z", "", "normal"}, NO_LABELS, FIELD(of.info.normal[2])},
    SIX(contact_record, "impulse", of.impulse, "N s", "N m s",
        "impulse on B since the row before: normal, tangents, drilling, rolling resistance"),
    {{"dissipation", "J", "energy lost since the row before"}, NO_LABELS, FIELD(of.dissipation)},
    SIX(contact_record, "last_impulse", of.last_impulse, "N s", "N m s", "impulse of the last step alone"),
    SIX(contact_record, "impact", of.impact, "N s", "N m s", "impulse of impacts since the row before"),
    SIX(contact_record, "lambda", of.force[TP_FORCE_LAST], "N", "N m", "force of the scheme at the state"),
    SIX(contact_record, "lambda_mean", of.force[TP_FORCE_MEAN], "N", "N m",
        "what the next step goes on from: mean force, or modes (event-driven)"),
    SIX(contact_record, "last_impact", of.force[TP_FORCE_IMPACT], "N s", "N m s",
        "impulse of impacts in the last step"),
};
/* The last four groups are those of integrators that keep forces. */
enum { FORCE_COLUMNS = 4 * TP_IMPULSE_ROWS };
#undef FIELD

/* Shapes and features of laws between shapes, the label of other laws; -1: none. */
typedef struct event_record {
    int kind, law;
    tp_event event;
} event_record;

#define FIELD(member) TP_FIELD(event_record, member, 0)
static const record_column event_columns[] = {
    {{"time", "s", "end of the step in which it happened"}, NO_LABELS, FIELD(event.time)},
    {{"kind", "", "one of" TP_EVENT_KIND_WORDS}, EVENT_KINDS, FIELD(kind)},
    {{"law", "", "the law, a number in /labels/laws; -1: it is between shapes"}, LAWS, FIELD(law)},
    {{"shape_a", "", "the first shape, -1: none"}, SHAPES, FIELD(event.shape_a)},
    {{"shape_b", "", "the second shape, -1: none"}, SHAPES, FIELD(event.shape_b)},
    {{"feature", "", "number of the point among those of the two shapes, -1: none"},
     NO_LABELS,
     FIELD(event.feature)},
    {{"x", "m", "the point"}, NO_LABELS, FIELD(event.point[0])},
    {{"y", "m", "the point"}, NO_LABELS, FIELD(event.point[1])},
    {{"z", "m", "the point"}, NO_LABELS, FIELD(event.point[2])},
    SIX(event_record, "impulse", event.impulse, "N s", "N m s",
        "impulse of that step; of laws without shapes in their own units"),
    SIX(event_record, "before", event.velocity_before, "m/s", "rad/s",
        "velocity of the row before the step; in the same way"),
    SIX(event_record, "after", event.velocity_after, "m/s", "rad/s",
        "velocity of the row after the step; in the same way"),
    {{"energy_lost", "J", "by the law in that step"}, NO_LABELS, FIELD(event.energy_lost)},
};
#undef FIELD

/* A step whose length the integrator chose. */
typedef struct step_record {
    double time;
    tp_own_step of;
} step_record;

#define FIELD(member) TP_FIELD(step_record, member, 0)
static const record_column step_columns[] = {
    {{"time", "s", "end of the step"}, NO_LABELS, FIELD(time)},
    {{"size", "s", "length of the step"}, NO_LABELS, FIELD(of.size)},
    {{"error", "", "estimate of its error over the tolerance"}, NO_LABELS, FIELD(of.error)},
    {{"rejections", "", "attempts that were rejected before it"}, NO_LABELS, FIELD(of.rejections)},
    {{"evaluations", "", "of accelerations, rejected attempts included"}, NO_LABELS, FIELD(of.evaluations)},
    {{"projections", "", "onto constraints, rejected attempts included"}, NO_LABELS, FIELD(of.projections)},
};
#undef FIELD

enum {
    CONTACT_COLUMNS = sizeof contact_columns / sizeof contact_columns[0],
    EVENT_COLUMNS = sizeof event_columns / sizeof event_columns[0],
    STEP_COLUMNS = sizeof step_columns / sizeof step_columns[0]
};

static bool make_words(tp_arena *arena, const tp_model *model, tp_output_tables *to)
{
    int shape_count = tp_model_shape_count(model), law_count = tp_model_summarise(model).law_count;
    const char **shapes = TP_ARENA_ARRAY(arena, const char *, shape_count + 1),
               **laws = TP_ARENA_ARRAY(arena, const char *, law_count + 1),
               **kinds = TP_ARENA_ARRAY(arena, const char *, TP_EVENT_KIND_COUNT);
    if (!shapes || !laws || !kinds) return false;
    for (int i = 0; i < shape_count; i++) shapes[i] = tp_model_shape_at(model, i).name;
    for (int i = 0; i < TP_EVENT_KIND_COUNT; i++) kinds[i] = tp_event_kind_name(i);
    for (int i = 0; i < law_count; i++) laws[i] = tp_model_law_name(model, i);
    to->shapes = (tp_table_labels){"shapes", shapes, shape_count};
    to->laws = (tp_table_labels){"laws", laws, law_count};
    to->kinds = (tp_table_labels){"kinds", kinds, TP_EVENT_KIND_COUNT};
    return true;
}

static bool make_table(tp_arena *arena, const tp_output_tables *words, const char *name,
                       const record_column *from, int count, tp_table *table_out)
{
    const tp_table_labels *const sets[] = {NULL, &words->shapes, &words->laws, &words->kinds};
    tp_table_column *columns = TP_ARENA_ARRAY(arena, tp_table_column, count);
    const tp_table_labels **labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, count);
    if (!columns || !labels) return false;
    for (int i = 0; i < count; i++) {
        columns[i] = from[i].column;
        labels[i] = sets[from[i].labels];
    }
    *table_out = (tp_table){.name = name, .column_count = count, .columns = columns, .labels = labels};
    return true;
}

static int contact_column_count(const tp_simulation *simulation)
{
    return tp_simulation_integrator(simulation)->keeps_forces ? CONTACT_COLUMNS
                                                              : CONTACT_COLUMNS - FORCE_COLUMNS;
}

tp_status tp_output_tables_make(tp_arena *arena, const tp_simulation *simulation, tp_output_tables *to)
{
    bool is_made =
        make_words(arena, tp_simulation_model(simulation), to) &&
        make_table(arena, to, "contacts", contact_columns, contact_column_count(simulation),
                   &to->tables[TP_TABLE_CONTACTS]) &&
        make_table(arena, to, "events", event_columns, EVENT_COLUMNS, &to->tables[TP_TABLE_EVENTS]) &&
        make_table(arena, to, "steps", step_columns, STEP_COLUMNS, &to->tables[TP_TABLE_STEPS]);
    to->count = tp_simulation_integrator(simulation)->chooses_steps ? TP_TABLE_COUNT : TP_TABLE_STEPS;
    return is_made ? TP_OK : TP_OUT_OF_MEMORY;
}

/* N, T1, T2, R1, R2: a contact with rolling resistance has no drilling row before that. */
enum { ROLLING_ROWS = 5, DRILLING_ROW = 3 };

/* Moves the rows of a law to their columns. Those that it does not have are NaN: they are not 0. */
static void place_rows(double *values, int count, bool is_between_shapes)
{
    bool is_rolling = is_between_shapes && count == ROLLING_ROWS;
    for (int k = count; k < TP_IMPULSE_ROWS; k++) values[k] = NAN;
    for (int k = count; k > DRILLING_ROW && is_rolling; k--) values[k] = values[k - 1];
    if (is_rolling) values[DRILLING_ROW] = NAN;
}

/* The reverse for a contact between shapes; rows that it does not have are 0. */
static void take_rows(const double *values, double *rows_out)
{
    int count = 0;
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) rows_out[k] = 0.0;
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) {
        if (!isnan(values[k])) rows_out[count++] = values[k];
    }
}

static void read_record(const void *record, const record_column *columns, int count, double *row)
{
    for (int i = 0; i < count; i++) row[i] = tp_field_read(record, columns[i].field, 0, 0);
}

void tp_output_tables_events(const tp_simulation *simulation, tp_recorder *recorder)
{
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count; i++) {
        double row[EVENT_COLUMNS];
        bool is_between = events[i].shape_a >= 0;
        event_record r = {(int)events[i].kind, is_between ? -1 : events[i].law, events[i]};
        place_rows(r.event.impulse, r.event.row_count, is_between);
        place_rows(r.event.velocity_before, r.event.row_count, is_between);
        place_rows(r.event.velocity_after, r.event.row_count, is_between);
        read_record(&r, event_columns, EVENT_COLUMNS, row);
        tp_recorder_add(recorder, TP_TABLE_EVENTS, row);
    }
}

void tp_output_tables_own_step(const tp_simulation *simulation, tp_recorder *recorder)
{
    double row[STEP_COLUMNS];
    step_record r = {tp_simulation_time(simulation), tp_simulation_last_step(simulation)->own_step};
    if (r.of.size == 0.0) return;
    read_record(&r, step_columns, STEP_COLUMNS, row);
    tp_recorder_add(recorder, TP_TABLE_STEPS, row);
}

void tp_output_tables_contacts(const tp_ledger *ledger, long long number, tp_recorder *recorder)
{
    for (int i = 0; i < ledger->contact_count; i++) {
        double row[CONTACT_COLUMNS];
        contact_record r = {number, ledger->now.time, ledger->contacts[i]};
        place_rows(r.of.impulse, r.of.info.row_count, true);
        place_rows(r.of.last_impulse, r.of.info.row_count, true);
        place_rows(r.of.impact, r.of.info.row_count, true);
        for (int k = 0; k < TP_FORCE_PARTS; k++) {
            bool is_mode = k == TP_FORCE_MEAN && tp_simulation_integrator(ledger->simulation)->keeps_modes;
            if (!is_mode) place_rows(r.of.force[k], r.of.info.row_count, true);
        }
        read_record(&r, contact_columns, contact_column_count(ledger->simulation), row);
        tp_recorder_add(recorder, TP_TABLE_CONTACTS, row);
    }
}

/* Where a file has the columns. Files of earlier versions have other names for some rows, at the same places.
 */
static tp_status find_columns(const tp_table *table, int places[CONTACT_COLUMNS], tp_message *why)
{
    for (int k = 0; k < CONTACT_COLUMNS; k++) {
        places[k] = tp_table_find(table, contact_columns[k].column.name);
        if (places[k] < 0 && table->column_count == CONTACT_COLUMNS - FORCE_COLUMNS &&
            k < table->column_count)
            places[k] = k;
        if (places[k] < 0 && k < CONTACT_COLUMNS - FORCE_COLUMNS)
            return tp_fail(why, TP_INVALID_DATA, "the table of contacts has no column \"%s\"",
                           contact_columns[k].column.name);
    }
    return TP_OK;
}

tp_status tp_output_tables_restore(tp_arena *arena, const tp_table *table, long long row,
                                   const tp_restart_contact **contacts_out, int *count_out, tp_message *why)
{
    int places[CONTACT_COLUMNS], count = 0;
    TP_TRY(find_columns(table, places, why));
    const double *rows = table->values[places[0]];
    long long first = tp_ascending_count(rows, table->row_count, (double)row - 0.5), end = first;
    while (end < table->row_count && rows[end] == (double)row) end++;
    tp_restart_contact *contacts = TP_ARENA_ARRAY(arena, tp_restart_contact, end - first + 1);
    if (!contacts) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the contacts");
    for (long long at = first; at < end; at++) {
        contact_record r = {.row = -1};
        for (int k = 0; k < CONTACT_COLUMNS; k++) {
            if (places[k] < 0) continue;
            if (!tp_field_write(&r, contact_columns[k].field, 0, 0, table->values[places[k]][at]))
                return tp_fail(why, TP_INVALID_DATA, "the table of contacts holds %g as \"%s\"",
                               table->values[places[k]][at], contact_columns[k].column.name);
        }
        tp_restart_contact *to = &contacts[count];
        *to = (tp_restart_contact){.shape_a = r.of.info.shape_a,
                                   .shape_b = r.of.info.shape_b,
                                   .feature = r.of.info.feature,
                                   .is_open = !r.of.info.is_closed};
        take_rows(r.of.last_impulse, to->impulse);
        for (int k = 0; k < TP_FORCE_PARTS; k++) take_rows(r.of.force[k], to->force[k]);
        bool has_force = false;
        for (int k = 0; k < TP_IMPULSE_ROWS; k++) has_force |= to->force[TP_FORCE_MEAN][k] != 0.0;
        count += !to->is_open || has_force;
    }
    *contacts_out = contacts;
    *count_out = count;
    return TP_OK;
}
