/* Contacts and events of a simulation as tables. */
#include "io/output/run_tables.h"

#include "tippe/multibody.h"

#include <math.h>
#include <string.h>

/* Columns of contacts, in their order. */
typedef enum contact_column {
    CONTACT_ROW,
    CONTACT_TIME,
    CONTACT_SHAPE_A,
    CONTACT_SHAPE_B,
    CONTACT_FEATURE,
    CONTACT_CLOSED,
    CONTACT_GAP,
    CONTACT_X,
    CONTACT_NORMAL_X = CONTACT_X + 3,
    CONTACT_IMPULSE = CONTACT_NORMAL_X + 3,
    CONTACT_DISSIPATION = CONTACT_IMPULSE + TP_IMPULSE_ROWS,
    CONTACT_LAST,
    CONTACT_COLUMNS = CONTACT_LAST + TP_IMPULSE_ROWS
} contact_column;

/* Rows of a contact: normal, tangents, drilling (as a force at its radius), rolling. */
#define SIX(name, unit, rolling_unit, text)                                                                  \
    {name "_N", unit, text}, {name "_T1", unit, text}, {name "_T2", unit, text}, {name "_tau", unit, text},  \
        {name "_R1", rolling_unit, text},                                                                    \
    {                                                                                                        \
        name "_R2", rolling_unit, text                                                                       \
    }

static const tp_table_column contact_columns[CONTACT_COLUMNS] = {
    {"row", "", "row over time that it belongs to, from 0"},
    {"time", "s", "time of that row"},
    {"shape_a", "", "the first shape, a number in /labels/shapes"},
    {"shape_b", "", "the second shape"},
    {"feature", "", "number of the point among those of the two shapes; the same from step to step"},
    {"closed", "", "1 if it took part in the last step, else 0"},
    {"gap", "m", "positive if open, inf if the shapes have no such point now"},
    {"x", "m", "the point, between the two surfaces"},
    {"y", "m", "the point"},
    {"z", "m", "the point"},
    {"normal_x", "", "unit normal, from A to B"},
    {"normal_y", "", "normal"},
    {"normal_z", "", "normal"},
    SIX("impulse", "N s", "N m s",
        "impulse on B since the row before: normal, tangents, drilling, rolling resistance"),
    {"dissipation", "J", "energy lost since the row before"},
    SIX("last_impulse", "N s", "N m s", "impulse of the last step alone"),
};

typedef enum event_column {
    EVENT_TIME,
    EVENT_KIND,
    EVENT_LAW,
    EVENT_SHAPE_A,
    EVENT_SHAPE_B,
    EVENT_FEATURE,
    EVENT_X,
    EVENT_IMPULSE = EVENT_X + 3,
    EVENT_BEFORE = EVENT_IMPULSE + TP_IMPULSE_ROWS,
    EVENT_AFTER = EVENT_BEFORE + TP_IMPULSE_ROWS,
    EVENT_ENERGY = EVENT_AFTER + TP_IMPULSE_ROWS,
    EVENT_COLUMNS
} event_column;

static const tp_table_column event_columns[EVENT_COLUMNS] = {
    {"time", "s", "end of the step in which it happened"},
    {"kind", "", "impact, closing, opening, stick, slip"},
    {"law", "", "the law, a number in /labels/laws; -1: it is between shapes"},
    {"shape_a", "", "the first shape, -1: none"},
    {"shape_b", "", "the second shape, -1: none"},
    {"feature", "", "number of the point among those of the two shapes, -1: none"},
    {"x", "m", "the point"},
    {"y", "m", "the point"},
    {"z", "m", "the point"},
    SIX("impulse", "N s", "N m s", "impulse of that step; of laws without shapes in their own units"),
    SIX("before", "m/s", "rad/s", "velocity of the row before the step; in the same way"),
    SIX("after", "m/s", "rad/s", "velocity of the row after the step; in the same way"),
    {"energy_lost", "J", "by the law in that step"},
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

tp_status tp_output_tables_make(tp_arena *arena, const tp_simulation *simulation,
                                tp_output_tables *tables_out)
{
    const tp_table_labels **contact_labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, CONTACT_COLUMNS),
                          **event_labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, EVENT_COLUMNS);
    if (!make_words(arena, tp_simulation_model(simulation), tables_out) || !contact_labels || !event_labels)
        return TP_OUT_OF_MEMORY;
    contact_labels[CONTACT_SHAPE_A] = contact_labels[CONTACT_SHAPE_B] = &tables_out->shapes;
    event_labels[EVENT_SHAPE_A] = event_labels[EVENT_SHAPE_B] = &tables_out->shapes;
    event_labels[EVENT_KIND] = &tables_out->kinds;
    event_labels[EVENT_LAW] = &tables_out->laws;
    tables_out->tables[TP_TABLE_CONTACTS] = (tp_table){.name = "contacts",
                                                       .column_count = CONTACT_COLUMNS,
                                                       .columns = contact_columns,
                                                       .labels = contact_labels};
    tables_out->tables[TP_TABLE_EVENTS] = (tp_table){
        .name = "events", .column_count = EVENT_COLUMNS, .columns = event_columns, .labels = event_labels};
    return TP_OK;
}

/* N, T1, T2, R1, R2: a contact with rolling resistance has no drilling row before that. */
enum { ROLLING_ROWS = 5, DRILLING_ROW = 3 };

/* Rows that a law has not are NaN: they are not 0. */
static void put_rows(double *to, const double *values, int count, bool is_between_shapes)
{
    bool is_rolling = is_between_shapes && count == ROLLING_ROWS;
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) to[k] = NAN;
    for (int k = 0; k < count; k++) to[k + (is_rolling && k >= DRILLING_ROW)] = values[k];
}

/* The reverse of put_rows for a contact between shapes; rows that it has not are 0. */
static void take_rows(const tp_table *table, int first, long long at, double *values_out)
{
    int count = 0;
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) values_out[k] = 0.0;
    for (int k = 0; k < TP_IMPULSE_ROWS; k++) {
        double value = table->values[first + k][at];
        if (!isnan(value)) values_out[count++] = value;
    }
}

tp_status tp_output_tables_events(const tp_output_tables *tables, const tp_simulation *simulation,
                                  tp_table_sink *sink, void *self)
{
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count; i++) {
        const tp_event *event = &events[i];
        double row[EVENT_COLUMNS];
        int a = -1, b = -1, feature = -1;
        bool is_between = tp_model_law_shapes(tp_simulation_model(simulation), event->law, &a, &b, &feature);
        row[EVENT_TIME] = event->time;
        row[EVENT_KIND] = (double)event->kind;
        row[EVENT_LAW] = tables->law_label[event->law];
        row[EVENT_SHAPE_A] = a;
        row[EVENT_SHAPE_B] = b;
        row[EVENT_FEATURE] = feature;
        memcpy(row + EVENT_X, event->point, sizeof event->point);
        put_rows(row + EVENT_IMPULSE, event->impulse, event->row_count, is_between);
        put_rows(row + EVENT_BEFORE, event->velocity_before, event->row_count, is_between);
        put_rows(row + EVENT_AFTER, event->velocity_after, event->row_count, is_between);
        row[EVENT_ENERGY] = event->energy_lost;
        TP_TRY(sink(self, TP_TABLE_EVENTS, row));
    }
    return TP_OK;
}

tp_status tp_output_tables_contacts(const tp_simulation *simulation, const tp_ledger *ledger,
                                    long long number, tp_table_sink *sink, void *self)
{
    for (int i = 0; i < ledger->law_count; i++) {
        double row[CONTACT_COLUMNS], last[TP_IMPULSE_ROWS];
        tp_contact_info contact;
        if (!ledger->has_acted[i] && !ledger->was_closed[i]) continue;
        if (!tp_simulation_contact(simulation, i, &contact)) continue;
        tp_simulation_last_impulse(simulation, i, last);
        row[CONTACT_ROW] = (double)number;
        row[CONTACT_TIME] = tp_simulation_time(simulation);
        row[CONTACT_SHAPE_A] = contact.shape_a;
        row[CONTACT_SHAPE_B] = contact.shape_b;
        row[CONTACT_FEATURE] = contact.feature;
        row[CONTACT_CLOSED] = contact.is_closed;
        row[CONTACT_GAP] = contact.gap;
        memcpy(row + CONTACT_X, contact.point, sizeof contact.point);
        memcpy(row + CONTACT_NORMAL_X, contact.normal, sizeof contact.normal);
        put_rows(row + CONTACT_IMPULSE, ledger->impulse + (size_t)i * TP_IMPULSE_ROWS, contact.row_count,
                 true);
        row[CONTACT_DISSIPATION] = ledger->dissipation[i];
        put_rows(row + CONTACT_LAST, last, contact.row_count, true);
        TP_TRY(sink(self, TP_TABLE_CONTACTS, row));
    }
    return TP_OK;
}

/* Where the contacts of an output row begin; they are in the order of rows. */
static long long find_first(const double *rows, long long count, double row)
{
    long long low = 0, high = count;
    while (low < high) {
        long long middle = low + (high - low) / 2;
        if (rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_contact(const tp_table *table, const int *columns, long long at, int a, int b, int feature)
{
    return table->values[columns[0]][at] == a && table->values[columns[1]][at] == b &&
           table->values[columns[2]][at] == feature;
}

/* Laws and the contacts of a row have the same order, so that one walk finds all. */
tp_status tp_output_tables_restore(const tp_model *model, const tp_table *table, long long row, int law_count,
                                   unsigned char *is_closed, double *impulse, tp_message *why)
{
    static const char *const names[] = {"shape_a", "shape_b", "feature", "row", "closed", "last_impulse_N"};
    enum { NAME_COUNT = sizeof names / sizeof names[0] };
    int columns[NAME_COUNT], a, b, feature;
    for (int k = 0; k < NAME_COUNT; k++) {
        columns[k] = tp_table_find(table, names[k]);
        if (columns[k] < 0)
            return tp_fail(why, TP_INVALID_DATA, "the table of contacts has no column \"%s\"", names[k]);
    }
    if (columns[5] + TP_IMPULSE_ROWS > table->column_count)
        return tp_fail(why, TP_INVALID_DATA, "the table of contacts lacks impulses");
    const double *rows = table->values[columns[3]];
    long long at = find_first(rows, table->row_count, (double)row);
    for (int i = 0; i < law_count; i++) {
        bool is_between = tp_model_law_shapes(model, i, &a, &b, &feature);
        bool is_there = at < table->row_count && rows[at] == (double)row;
        if (!is_between || !is_there || !is_contact(table, columns, at, a, b, feature)) continue;
        is_closed[i] = table->values[columns[4]][at] == 1.0;
        take_rows(table, columns[5], at, impulse + (size_t)TP_IMPULSE_ROWS * i);
        at++;
    }
    bool is_done = at == table->row_count || rows[at] != (double)row;
    return is_done ? TP_OK
                   : tp_fail(why, TP_INVALID_DATA, "the table of contacts has one that this model has not");
}
