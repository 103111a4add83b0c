/* Names and values of the columns of a simulation. Whatever the next step depends on is among them, so that
   every row is a checkpoint (restart_file.c reads it). */
#include "io/output/run_columns.h"

#include "tippe/multibody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_CAPACITY = 1024 };

typedef struct step_column {
    tp_column_kind kind;
    tp_table_column column;
} step_column;

static const step_column step_columns[] = {
    {TP_COLUMN_STEP_COUNT, {"step/count", "", "steps since the origin of the times"}},
    {TP_COLUMN_STEP_ORIGIN, {"step/origin", "s", "times are the origin and multiples of the time step"}},
    {TP_COLUMN_STEP_SIZE, {"step/size", "s", "length of the last step"}},
    {TP_COLUMN_STEP_STEPS, {"step/steps", "", "steps since the row before"}},
    {TP_COLUMN_STEP_ITERATIONS, {"step/iterations", "", "iterations of the solver, most of a step"}},
    {TP_COLUMN_STEP_RESIDUAL, {"step/residual", "", "error E of the step problems, largest"}},
    {TP_COLUMN_STEP_CONTACTS, {"step/contacts", "", "closed contacts in the last step"}},
    {TP_COLUMN_STEP_IMPACTS, {"step/impacts", "", "impacts (events) since the row before"}},
    {TP_COLUMN_STEP_APPLIED_WORK,
     {"step/applied_work", "J", "work of forces without potential since the row before"}},
    {TP_COLUMN_STEP_DISSIPATION, {"step/dissipation", "J", "energy that laws took since the row before"}},
    {TP_COLUMN_STEP_POSITION_ERROR, {"step/position_error", "m", "largest error of the joints in position"}},
    {TP_COLUMN_STEP_ANGLE_ERROR, {"step/angle_error", "rad", "largest error of the joints in angle"}},
    {TP_COLUMN_STEP_VELOCITY_ERROR,
     {"step/velocity_error", "m/s", "largest error of the joints in velocity"}},
    {TP_COLUMN_STEP_ANGULAR_VELOCITY_ERROR,
     {"step/angular_velocity_error", "rad/s", "largest error of the joints in angular velocity"}},
    {TP_COLUMN_STEP_PENETRATION, {"step/penetration", "m", "largest penetration of a contact"}},
    {TP_COLUMN_STEP_LIMIT_ANGLE, {"step/limit_angle", "rad", "farthest past a limit of an angle"}},
};
enum { STEP_COLUMN_COUNT = sizeof step_columns / sizeof step_columns[0] };

static double value_in_ledger(const tp_ledger *ledger, tp_column_source source)
{
    const tp_step_report *largest = &ledger->largest;
    switch (source.kind) {
    case TP_COLUMN_IMPULSE: return ledger->impulse[TP_IMPULSE_ROWS * source.index + source.row];
    case TP_COLUMN_DISSIPATION: return ledger->dissipation[source.index];
    case TP_COLUMN_APPLIED_WORK: return ledger->applied[source.index];
    case TP_COLUMN_STEP_STEPS: return (double)ledger->steps;
    case TP_COLUMN_STEP_ITERATIONS: return largest->iterations;
    case TP_COLUMN_STEP_RESIDUAL: return largest->residual;
    case TP_COLUMN_STEP_IMPACTS: return (double)ledger->impacts;
    case TP_COLUMN_STEP_APPLIED_WORK: return ledger->applied_work;
    case TP_COLUMN_STEP_DISSIPATION: return ledger->all_dissipation;
    case TP_COLUMN_STEP_POSITION_ERROR: return largest->position_error;
    case TP_COLUMN_STEP_ANGLE_ERROR: return largest->angle_error;
    case TP_COLUMN_STEP_VELOCITY_ERROR: return largest->velocity_error;
    case TP_COLUMN_STEP_ANGULAR_VELOCITY_ERROR: return largest->angular_velocity_error;
    case TP_COLUMN_STEP_PENETRATION: return largest->penetration;
    case TP_COLUMN_STEP_LIMIT_ANGLE: return largest->limit_angle;
    default: return NAN; /* no other kind comes here */
    }
}

static double value_in_checkpoint(const tp_simulation *simulation, tp_column_source source)
{
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    switch (source.kind) {
    case TP_COLUMN_LAST_IMPULSE: return now.impulse[TP_IMPULSE_ROWS * source.index + source.row];
    case TP_COLUMN_CLOSED: return now.is_closed[source.index];
    case TP_COLUMN_MEMORY: return now.memory[source.index].values[source.row];
    case TP_COLUMN_STEP_COUNT: return (double)now.count;
    case TP_COLUMN_STEP_ORIGIN: return now.origin;
    case TP_COLUMN_STEP_SIZE: return now.step_size;
    default: return NAN; /* no other kind comes here */
    }
}

double tp_column_value(const tp_simulation *simulation, const tp_ledger *ledger, tp_column_source source)
{
    switch (source.kind) {
    case TP_COLUMN_TIME: return tp_simulation_time(simulation);
    case TP_COLUMN_COORDINATE: return tp_simulation_q(simulation)[source.index];
    case TP_COLUMN_VELOCITY: return tp_simulation_u(simulation)[source.index];
    case TP_COLUMN_ENERGY: return tp_simulation_last_step(simulation)->energy;
    case TP_COLUMN_GAP: return tp_simulation_gap(simulation, source.index);
    case TP_COLUMN_INPUT:
        return tp_simulation_input(simulation, (tp_input_id){tp_simulation_model(simulation), source.index});
    case TP_COLUMN_SENSOR: return tp_simulation_sensor(simulation, source.index);
    case TP_COLUMN_STEP_CONTACTS: return tp_simulation_last_step(simulation)->contact_count;
    case TP_COLUMN_LAST_IMPULSE:
    case TP_COLUMN_CLOSED:
    case TP_COLUMN_MEMORY:
    case TP_COLUMN_STEP_COUNT:
    case TP_COLUMN_STEP_ORIGIN:
    case TP_COLUMN_STEP_SIZE: return value_in_checkpoint(simulation, source);
    default: return value_in_ledger(ledger, source);
    }
}

/* A list that is being made. */
typedef struct column_maker {
    tp_arena *arena;
    tp_column_list *list;
    bool is_out_of_memory;
} column_maker;

/* Adds a column; the texts must live as long as the list. */
static void add(column_maker *maker, tp_column_source source, const char *name, const char *unit,
                const char *text)
{
    tp_column_list *list = maker->list;
    if (!name || list->count == list->capacity) {
        maker->is_out_of_memory = true;
        return;
    }
    list->columns[list->count] = (tp_table_column){name, unit, text};
    list->sources[list->count++] = source;
}

/* "group/name" or "group/name/part"; NULL without memory. */
static const char *join(column_maker *maker, const char *group, const char *name, const char *part)
{
    char escaped[NAME_CAPACITY];
    tp_column_escape(name, escaped, sizeof escaped);
    size_t bytes = strlen(group) + strlen(escaped) + strlen(part) + 3;
    char *path = TP_ARENA_ARRAY(maker->arena, char, bytes);
    if (path) snprintf(path, bytes, "%s/%s%s%s", group, escaped, part[0] ? "/" : "", part);
    return path;
}

static void add_variables(column_maker *maker, const tp_model *model, const tp_model_summary *summary)
{
    for (int i = 0; i < summary->coordinate_count; i++) {
        add(maker, (tp_column_source){TP_COLUMN_COORDINATE, i, 0},
            join(maker, "q", tp_model_coordinate_name(model, i), ""), tp_model_coordinate_unit(model, i),
            "coordinate");
    }
    for (int i = 0; i < summary->velocity_count; i++) {
        add(maker, (tp_column_source){TP_COLUMN_VELOCITY, i, 0},
            join(maker, "u", tp_model_velocity_name(model, i), ""), tp_model_velocity_unit(model, i),
            "velocity");
    }
}

/* Impulses of a contact are called by their direction, those of other laws are numbered. */
static void add_impulses(column_maker *maker, const tp_model *model, int law, int row_count, bool is_contact,
                         tp_column_kind kind)
{
    static const char *const names[2][2][TP_IMPULSE_ROWS] = {
        {{"impulse_1", "impulse_2", "impulse_3", "impulse_4", "impulse_5", "impulse_6"},
         {"impulse_N", "impulse_T1", "impulse_T2", "impulse_tau", "impulse_5", "impulse_6"}},
        {{"last_impulse_1", "last_impulse_2", "last_impulse_3", "last_impulse_4", "last_impulse_5",
          "last_impulse_6"},
         {"last_impulse_N", "last_impulse_T1", "last_impulse_T2", "last_impulse_tau", "last_impulse_5",
          "last_impulse_6"}}};
    const char *name = tp_model_law_name(model, law);
    bool is_last = kind == TP_COLUMN_LAST_IMPULSE;
    for (int row = 0; row < row_count && row < TP_IMPULSE_ROWS; row++) {
        add(maker, (tp_column_source){kind, law, row},
            join(maker, "law", name, names[is_last][is_contact][row]),
            tp_model_law_unit(model, law, row, TP_LAW_IMPULSE),
            is_last ? "impulse of the last step" : "impulse since the row before: forces and impacts");
    }
}

/* Contacts between shapes are not among these: they have a table of their own. */
static void add_law(column_maker *maker, const tp_simulation *simulation, const char *name, int law)
{
    double impulse[TP_IMPULSE_ROWS];
    int row_count = tp_simulation_last_impulse(simulation, law, impulse), a, b, feature;
    const tp_model *model = tp_simulation_model(simulation);
    if (tp_model_law_shapes(model, law, &a, &b, &feature)) return;
    bool is_contact = !isnan(tp_simulation_gap(simulation, law));
    if (is_contact) {
        add(maker, (tp_column_source){TP_COLUMN_GAP, law, 0}, join(maker, "law", name, "gap"),
            tp_model_law_unit(model, law, 0, TP_LAW_POSITION), "gap of the contact, positive if open");
    }
    add(maker, (tp_column_source){TP_COLUMN_CLOSED, law, 0}, join(maker, "law", name, "closed"), "",
        "1 if the law took part in the last step, else 0");
    add_impulses(maker, model, law, row_count, is_contact, TP_COLUMN_IMPULSE);
    add(maker, (tp_column_source){TP_COLUMN_DISSIPATION, law, 0}, join(maker, "law", name, "dissipation"),
        "J", "energy that the law took since the row before");
    add(maker, (tp_column_source){TP_COLUMN_APPLIED_WORK, law, 0}, join(maker, "law", name, "applied_work"),
        "J", "work of its prescribed motion since the row before");
    add_impulses(maker, model, law, row_count, is_contact, TP_COLUMN_LAST_IMPULSE);
}

/* Entries of an array are numbered from 1. */
static void add_memory(column_maker *maker, const tp_restart *now, int array)
{
    for (int i = 0; i < now->memory[array].count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        add(maker, (tp_column_source){TP_COLUMN_MEMORY, array, i},
            join(maker, "memory", now->memory[array].name, number), "",
            "what the integrator keeps for its next step");
    }
}

static int count_memory(const tp_restart *now)
{
    int count = 0;
    for (int i = 0; i < now->memory_count; i++) count += now->memory[i].count;
    return count;
}

static void add_all(column_maker *maker, const tp_simulation *simulation, const tp_model_summary *summary,
                    const tp_restart *now)
{
    const tp_model *model = tp_simulation_model(simulation);
    add(maker, (tp_column_source){TP_COLUMN_TIME, 0, 0}, "time", "s", "time");
    add_variables(maker, model, summary);
    add(maker, (tp_column_source){TP_COLUMN_ENERGY, 0, 0}, "energy", "J", "kinetic and potential energy");
    for (int i = 0; i < now->law_count; i++) add_law(maker, simulation, tp_model_law_name(model, i), i);
    for (int i = 0; i < summary->sensor_count; i++) {
        add(maker, (tp_column_source){TP_COLUMN_SENSOR, i, 0},
            join(maker, "sensor", tp_model_sensor_name(model, i), ""), tp_model_sensor_unit(model, i),
            "sensor");
    }
    for (int i = 0; i < summary->input_count; i++) {
        add(maker, (tp_column_source){TP_COLUMN_INPUT, i, 0},
            join(maker, "inputs", tp_model_input_name(model, i), ""), tp_model_input_unit(model, i),
            "input, held over the last step");
    }
    for (int i = 0; i < now->memory_count; i++) add_memory(maker, now, i);
    for (int i = 0; i < STEP_COLUMN_COUNT; i++) {
        const tp_table_column *column = &step_columns[i].column;
        add(maker, (tp_column_source){step_columns[i].kind, 0, 0}, column->name, column->unit, column->text);
    }
}

static int fixed_laws(const tp_simulation *simulation, int law_count)
{
    int count = 0, a, b, feature;
    for (int i = 0; i < law_count; i++)
        count += !tp_model_law_shapes(tp_simulation_model(simulation), i, &a, &b, &feature);
    return count;
}

tp_status tp_column_list_make(tp_arena *arena, const tp_simulation *simulation, tp_column_list *list_out,
                              tp_message *why)
{
    tp_model_summary summary = tp_model_summarise(tp_simulation_model(simulation));
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    *list_out = (tp_column_list){
        .capacity = 2 + summary.coordinate_count + summary.velocity_count +
                    fixed_laws(simulation, now.law_count) * (4 + 2 * TP_IMPULSE_ROWS) + summary.sensor_count +
                    summary.input_count + count_memory(&now) + STEP_COLUMN_COUNT};
    list_out->columns = TP_ARENA_ARRAY(arena, tp_table_column, list_out->capacity);
    list_out->sources = TP_ARENA_ARRAY(arena, tp_column_source, list_out->capacity);
    if (!list_out->columns || !list_out->sources) list_out->capacity = 0;
    column_maker maker = {.arena = arena, .list = list_out};
    add_all(&maker, simulation, &summary, &now);
    return maker.is_out_of_memory ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the columns") : TP_OK;
}
