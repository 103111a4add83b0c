/* Contacts and events of a simulation as tables. */
#include "io/output/run_tables.h"

#include "io/common/ascending.h"
#include "io/output/field.h"
#include "tippe/multibody.h"

#include <math.h>
#include <string.h>

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
    tp_contact_info info;
    double impulse[TP_IMPULSE_ROWS], dissipation, last_impulse[TP_IMPULSE_ROWS];
} contact_record;

#define FIELD(member) TP_FIELD(contact_record, member, 0)
static const record_column contact_columns[] = {
    {{"row", "", "row over time that it belongs to, from 0"}, NO_LABELS, FIELD(row)},
    {{"time", "s", "time of that row"}, NO_LABELS, FIELD(time)},
    {{"shape_a", "", "the first shape, a number in /labels/shapes"}, SHAPES, FIELD(info.shape_a)},
    {{"shape_b", "", "the second shape"}, SHAPES, FIELD(info.shape_b)},
    {{"feature", "", "number of the point among those of the two shapes; the same from step to step"},
     NO_LABELS,
     FIELD(info.feature)},
    {{"closed", "", "1 if it took part in the last step, else 0"}, NO_LABELS, FIELD(info.is_closed)},
    {{"gap", "m", "positive if open, inf if the shapes have no such point now"}, NO_LABELS, FIELD(info.gap)},
    {{"x", "m", "the point, between the two surfaces"}, NO_LABELS, FIELD(info.point[0])},
    {{"y", "m", "the point"}, NO_LABELS, FIELD(info.point[1])},
    {{"z", "m", "the point"}, NO_LABELS, FIELD(info.point[2])},
    {{"normal_x", "", "unit normal, from A to B"}, NO_LABELS, FIELD(info.normal[0])},
    {{"normal_y", "", "normal"}, NO_LABELS, FIELD(info.normal[1])},
    {{"normal_z", "", "normal"}, NO_LABELS, FIELD(info.normal[2])},
    SIX(contact_record, "impulse", impulse, "N s", "N m s",
        "impulse on B since the row before: normal, tangents, drilling, rolling resistance"),
    {{"dissipation", "J", "energy lost since the row before"}, NO_LABELS, FIELD(dissipation)},
    SIX(contact_record, "last_impulse", last_impulse, "N s", "N m s", "impulse of the last step alone"),
};
#undef FIELD

/* Shapes and features of laws between shapes, the label of other laws; -1: none. */
typedef struct event_record {
    int kind, law, shape_a, shape_b, feature;
    tp_event event;
} event_record;

#define FIELD(member) TP_FIELD(event_record, member, 0)
static const record_column event_columns[] = {
    {{"time", "s", "end of the step in which it happened"}, NO_LABELS, FIELD(event.time)},
    {{"kind", "", "impact, closing, opening, stick, slip"}, EVENT_KINDS, FIELD(kind)},
    {{"law", "", "the law, a number in /labels/laws; -1: it is between shapes"}, LAWS, FIELD(law)},
    {{"shape_a", "", "the first shape, -1: none"}, SHAPES, FIELD(shape_a)},
    {{"shape_b", "", "the second shape, -1: none"}, SHAPES, FIELD(shape_b)},
    {{"feature", "", "number of the point among those of the two shapes, -1: none"},
     NO_LABELS,
     FIELD(feature)},
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

enum {
    CONTACT_COLUMNS = sizeof contact_columns / sizeof contact_columns[0],
    EVENT_COLUMNS = sizeof event_columns / sizeof event_columns[0]
};

static bool make_words(tp_arena *arena, const tp_model *model, tp_output_tables *to)
{
    int shape_count = tp_model_shape_count(model), law_count = tp_model_summarise(model).law_count, a, b, k;
    const char **shapes = TP_ARENA_ARRAY(arena, const char *, shape_count + 1),
               **laws = TP_ARENA_ARRAY(arena, const char *, law_count + 1),
               **kinds = TP_ARENA_ARRAY(arena, const char *, TP_EVENT_KIND_COUNT);
    to->law_label = TP_ARENA_ARRAY(arena, int, law_count + 1);
    if (!shapes || !laws || !kinds || !to->law_label) return false;
    for (int i = 0; i < shape_count; i++) shapes[i] = tp_model_shape_at(model, i).name;
    for (int i = 0; i < TP_EVENT_KIND_COUNT; i++) kinds[i] = tp_event_kind_name(i);
    int fixed = 0;
    for (int i = 0; i < law_count; i++) {
        bool is_between = tp_model_law_shapes(model, i, &a, &b, &k);
        to->law_label[i] = is_between ? -1 : fixed;
        if (!is_between) laws[fixed++] = tp_model_law_name(model, i);
    }
    to->shapes = (tp_table_labels){"shapes", shapes, shape_count};
    to->laws = (tp_table_labels){"laws", laws, fixed};
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

tp_status tp_output_tables_make(tp_arena *arena, const tp_simulation *simulation, tp_output_tables *to)
{
    bool is_made =
        make_words(arena, tp_simulation_model(simulation), to) &&
        make_table(arena, to, "contacts", contact_columns, CONTACT_COLUMNS, &to->tables[TP_TABLE_CONTACTS]) &&
        make_table(arena, to, "events", event_columns, EVENT_COLUMNS, &to->tables[TP_TABLE_EVENTS]);
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

tp_status tp_output_tables_events(const tp_output_tables *tables, const tp_simulation *simulation,
                                  tp_table_sink *sink, void *self)
{
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count; i++) {
        double row[EVENT_COLUMNS];
        event_record r = {(int)events[i].kind, tables->law_label[events[i].law], -1, -1, -1, events[i]};
        bool is_between = tp_model_law_shapes(tp_simulation_model(simulation), r.event.law, &r.shape_a,
                                              &r.shape_b, &r.feature);
        place_rows(r.event.impulse, r.event.row_count, is_between);
        place_rows(r.event.velocity_before, r.event.row_count, is_between);
        place_rows(r.event.velocity_after, r.event.row_count, is_between);
        read_record(&r, event_columns, EVENT_COLUMNS, row);
        TP_TRY(sink(self, TP_TABLE_EVENTS, row));
    }
    return TP_OK;
}

tp_status tp_output_tables_contacts(const tp_ledger *ledger, long long number, tp_table_sink *sink,
                                    void *self)
{
    for (int i = 0; i < ledger->now.law_count; i++) {
        double row[CONTACT_COLUMNS];
        contact_record r = {.row = number, .time = ledger->now.time, .dissipation = ledger->dissipation[i]};
        if (!ledger->has_acted[i] && !ledger->was_closed[i]) continue;
        if (!tp_simulation_contact(ledger->simulation, i, &r.info)) continue;
        memcpy(r.impulse, ledger->impulse + (size_t)i * TP_IMPULSE_ROWS, sizeof r.impulse);
        tp_simulation_last_impulse(ledger->simulation, i, r.last_impulse);
        place_rows(r.impulse, r.info.row_count, true);
        place_rows(r.last_impulse, r.info.row_count, true);
        read_record(&r, contact_columns, CONTACT_COLUMNS, row);
        TP_TRY(sink(self, TP_TABLE_CONTACTS, row));
    }
    return TP_OK;
}

/* Where a file has the columns. Files of earlier versions have other names for some rows, at the same places.
 */
static tp_status find_columns(const tp_table *table, int places[CONTACT_COLUMNS], tp_message *why)
{
    for (int k = 0; k < CONTACT_COLUMNS; k++) {
        places[k] = tp_table_find(table, contact_columns[k].column.name);
        if (places[k] < 0 && table->column_count == CONTACT_COLUMNS) places[k] = k;
        if (places[k] < 0)
            return tp_fail(why, TP_INVALID_DATA, "the table of contacts has no column \"%s\"",
                           contact_columns[k].column.name);
    }
    return TP_OK;
}

/* Laws and the contacts of a row have the same order, so that one walk finds all. */
tp_status tp_output_tables_restore(const tp_model *model, const tp_table *table, long long row, int law_count,
                                   unsigned char *is_closed, double *impulses, tp_message *why)
{
    int places[CONTACT_COLUMNS], a, b, feature;
    TP_TRY(find_columns(table, places, why));
    const double *rows = table->values[places[0]];
    long long at = tp_ascending_count(rows, table->row_count, (double)row - 0.5); /* where they start */
    for (int i = 0; i < law_count && at < table->row_count && rows[at] == (double)row; i++) {
        contact_record r = {.row = -1};
        if (!tp_model_law_shapes(model, i, &a, &b, &feature)) continue;
        for (int k = 0; k < CONTACT_COLUMNS; k++)
            tp_field_write(&r, contact_columns[k].field, 0, 0, table->values[places[k]][at]);
        if (r.info.shape_a != a || r.info.shape_b != b || r.info.feature != feature) continue;
        is_closed[i] = r.info.is_closed;
        take_rows(r.last_impulse, impulses + (size_t)i * TP_IMPULSE_ROWS);
        at++;
    }
    bool is_done = at == table->row_count || rows[at] != (double)row;
    return is_done
               ? TP_OK
               : tp_fail(why, TP_INVALID_DATA, "the table of contacts has one that this model does not have");
}
