/* Names and values of the columns of a simulation. Whatever the next step depends on is among them, so that
   every row is a checkpoint (restart.c reads it). */
#include "io/output/columns.h"

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
    {TP_COLUMN_STEP_ITERATIONS, {"step/iterations", "", "iterations of the solver in the last step"}},
    {TP_COLUMN_STEP_RESIDUAL, {"step/residual", "", "error E of the last step problem"}},
    {TP_COLUMN_STEP_CONTACTS, {"step/contacts", "", "closed contacts in the last step"}},
    {TP_COLUMN_STEP_IMPACTS,
     {"step/impacts", "", "laws that closed with approach velocity in the last step"}},
    {TP_COLUMN_STEP_APPLIED_WORK,
     {"step/applied_work", "J", "work of forces without potential in the last step"}},
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

static double value_in_step(const tp_step_report *step, tp_column_kind kind)
{
    switch (kind) {
    case TP_COLUMN_STEP_ITERATIONS: return step->iterations;
    case TP_COLUMN_STEP_RESIDUAL: return step->residual;
    case TP_COLUMN_STEP_CONTACTS: return step->contact_count;
    case TP_COLUMN_STEP_IMPACTS: return step->impact_count;
    case TP_COLUMN_STEP_APPLIED_WORK: return step->applied_work;
    case TP_COLUMN_STEP_POSITION_ERROR: return step->position_error;
    case TP_COLUMN_STEP_ANGLE_ERROR: return step->angle_error;
    case TP_COLUMN_STEP_VELOCITY_ERROR: return step->velocity_error;
    case TP_COLUMN_STEP_ANGULAR_VELOCITY_ERROR: return step->angular_velocity_error;
    case TP_COLUMN_STEP_PENETRATION: return step->penetration;
    case TP_COLUMN_STEP_LIMIT_ANGLE: return step->limit_angle;
    default: return step->energy;
    }
}

static double value_in_checkpoint(const tp_simulation *simulation, tp_column_source source)
{
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    switch (source.kind) {
    case TP_COLUMN_PERCUSSION: return now.percussion[TP_PERCUSSION_ROWS * source.index + source.row];
    case TP_COLUMN_CLOSED: return now.is_closed[source.index];
    case TP_COLUMN_MEMORY: return now.memory[source.index].values[source.row];
    case TP_COLUMN_STEP_COUNT: return (double)now.count;
    case TP_COLUMN_STEP_ORIGIN: return now.origin;
    default: return now.step_size;
    }
}

double tp_column_value(const tp_simulation *simulation, tp_column_source source)
{
    switch (source.kind) {
    case TP_COLUMN_TIME: return tp_simulation_time(simulation);
    case TP_COLUMN_COORDINATE: return tp_simulation_q(simulation)[source.index];
    case TP_COLUMN_VELOCITY: return tp_simulation_u(simulation)[source.index];
    case TP_COLUMN_GAP: return tp_simulation_gap(simulation, source.index);
    case TP_COLUMN_SENSOR: return tp_simulation_sensor(simulation, source.index);
    case TP_COLUMN_PERCUSSION:
    case TP_COLUMN_CLOSED:
    case TP_COLUMN_MEMORY:
    case TP_COLUMN_STEP_COUNT:
    case TP_COLUMN_STEP_ORIGIN:
    case TP_COLUMN_STEP_SIZE: return value_in_checkpoint(simulation, source);
    default: return value_in_step(tp_simulation_last_step(simulation), source.kind);
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

/* Percussions of a contact are called by their direction, those of other laws are numbered. */
static void add_law(column_maker *maker, const tp_simulation *simulation, const char *name, int law)
{
    static const char *const contact_rows[TP_PERCUSSION_ROWS] = {
        "percussion_N", "percussion_T1", "percussion_T2", "percussion_tau", "percussion_5", "percussion_6"};
    static const char *const other_rows[TP_PERCUSSION_ROWS] = {
        "percussion_1", "percussion_2", "percussion_3", "percussion_4", "percussion_5", "percussion_6"};
    const tp_model *model = tp_simulation_model(simulation);
    double percussion[TP_PERCUSSION_ROWS];
    int row_count = tp_simulation_percussion(simulation, law, percussion);
    bool is_contact = !isnan(tp_simulation_gap(simulation, law));
    if (is_contact) {
        add(maker, (tp_column_source){TP_COLUMN_GAP, law, 0}, join(maker, "law", name, "gap"),
            tp_model_law_unit(model, law, 0, TP_LAW_POSITION), "gap of the contact, positive if open");
    }
    add(maker, (tp_column_source){TP_COLUMN_CLOSED, law, 0}, join(maker, "law", name, "closed"), "",
        "1 if the law took part in the last step, else 0");
    for (int row = 0; row < row_count && row < TP_PERCUSSION_ROWS; row++) {
        add(maker, (tp_column_source){TP_COLUMN_PERCUSSION, law, row},
            join(maker, "law", name, is_contact ? contact_rows[row] : other_rows[row]),
            tp_model_law_unit(model, law, row, TP_LAW_IMPULSE),
            "percussion of the last step: force times its length, and impact");
    }
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
    for (int i = 0; i < now->memory_count; i++) add_memory(maker, now, i);
    for (int i = 0; i < STEP_COLUMN_COUNT; i++) {
        const tp_table_column *column = &step_columns[i].column;
        add(maker, (tp_column_source){step_columns[i].kind, 0, 0}, column->name, column->unit, column->text);
    }
}

tp_status tp_column_list_make(tp_arena *arena, const tp_simulation *simulation, tp_column_list *list_out,
                              tp_message *why)
{
    tp_model_summary summary = tp_model_summarise(tp_simulation_model(simulation));
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    *list_out = (tp_column_list){.capacity = 2 + summary.coordinate_count + summary.velocity_count +
                                             now.law_count * (2 + TP_PERCUSSION_ROWS) + summary.sensor_count +
                                             count_memory(&now) + STEP_COLUMN_COUNT};
    list_out->columns = TP_ARENA_ARRAY(arena, tp_table_column, list_out->capacity);
    list_out->sources = TP_ARENA_ARRAY(arena, tp_column_source, list_out->capacity);
    if (!list_out->columns || !list_out->sources) list_out->capacity = 0;
    column_maker maker = {.arena = arena, .list = list_out};
    add_all(&maker, simulation, &summary, &now);
    return maker.is_out_of_memory ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the columns") : TP_OK;
}
