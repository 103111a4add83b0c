/* The table of columns. Whatever the next step depends on is among them, so that every row is a checkpoint
   (restart_file.c reads it). */
#include "io/output/run_columns.h"

#include "io/common/text.h"
#include "io/output/column_path.h"
#include "tippe/multibody.h"
#include "tippe/state.h"
#include "tippe/states.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PART_CAPACITY = 64 };

/* ---- values that no field holds ------------------------------------------------------------------------ */

#define OF_ITEM(name, question)                                                                              \
    static double name(const tp_ledger *ledger, int i, int row)                                              \
    {                                                                                                        \
        (void)row;                                                                                           \
        return question(ledger->simulation, i);                                                              \
    }

OF_ITEM(gap, tp_simulation_gap)

OF_ITEM(sensor, tp_simulation_sensor)

static double joint_coordinate(const tp_ledger *ledger, int i, int row)
{
    tp_joint_state state;
    tp_joint_id joint = {tp_simulation_model(ledger->simulation), i};
    return tp_simulation_joint(ledger->simulation, joint, &state, NULL) == TP_OK ? state.coordinate[row]
                                                                                 : NAN;
}

OF_ITEM(acceleration, tp_simulation_acceleration)

static double force(const tp_ledger *ledger, int law, int row)
{
    return tp_simulation_row_force(ledger->simulation, law, row);
}

static double input(const tp_ledger *ledger, int i, int row)
{
    (void)row;
    return tp_simulation_input(ledger->simulation, (tp_input_id){tp_simulation_model(ledger->simulation), i});
}

OF_ITEM(output, tp_simulation_output)

static double memory(const tp_ledger *ledger, int array, int entry)
{
    return ledger->now.memory[array].values[entry];
}

/* ---- the table ----------------------------------------------------------------------------------------- */

#define FIELD(member)  TP_FIELD(tp_ledger, member, 0), NULL
#define ENTRY(member)  TP_FIELD(tp_ledger, member, 1), NULL
#define ROWS(member)   TP_FIELD(tp_ledger, member, TP_IMPULSE_ROWS), NULL
#define FUNCTION(name) {TP_FIELD_NONE, 0, 0}, name
#define NOW            TP_COLUMN_NOW
#define SUM            TP_COLUMN_SUM
#define MAXIMUM        TP_COLUMN_MAXIMUM
#define LEFT           TP_COLUMN_LEFT
#define TAKEN          TP_COLUMN_TAKEN
#define NEEDED         TP_COLUMN_NEEDED

/* A column of the group step that shows a field of the step report. */
#define FIGURE(part, unit, text, way, back, member)                                                          \
    {                                                                                                        \
        "step", part, unit, text, TP_PER_RUN, way, back, FIELD(now.last_step.member)                         \
    }

static const tp_column_kind kinds[] = {
    {"time", "", "s", "time", TP_PER_RUN, NOW, NEEDED, FIELD(now.time)},
    {"q", "", NULL, "coordinate", TP_PER_COORDINATE, NOW, NEEDED, ENTRY(now.q)},
    {"u", "", NULL, "velocity", TP_PER_VELOCITY, NOW, NEEDED, ENTRY(now.u)},
    {"joint", "", NULL, "coordinate of the joint; turns are counted", TP_PER_JOINT, NOW, LEFT,
     FUNCTION(joint_coordinate)},
    {"x", "", NULL, "first-order state", TP_PER_STATE, NOW, NEEDED, ENTRY(now.x)},
    {"lambda", "", NULL, "multiplier of a relation in the last step", TP_PER_MULTIPLIER, NOW, NEEDED,
     ENTRY(now.multiplier)},
    {"y", "", NULL, "output of a relation at the state", TP_PER_OUTPUT, NOW, LEFT, FUNCTION(output)},
    {"storage", "", "J", "storage function of the first-order states", TP_PER_STORAGE, NOW, LEFT,
     FIELD(now.last_step.storage)},
    {"supply", "", "J", "what the relations supplied since the row before: sum of dt lambda y",
     TP_PER_STORAGE, SUM, LEFT, FIELD(now.last_step.supply)},
    {"energy", "", "J", "kinetic and potential energy", TP_PER_RUN, NOW, LEFT, FIELD(now.last_step.energy)},
    {"law", "gap", NULL, "gap of the contact, positive if open", TP_PER_CONTACT, NOW, LEFT, FUNCTION(gap)},
    {"law", "closed", "", "1 if the law took part in the last step, else 0", TP_PER_LAW, NOW, NEEDED,
     ENTRY(now.is_closed)},
    {"law", "impulse_", NULL, "impulse since the row before: forces and impacts", TP_PER_LAW_ROW, NOW, LEFT,
     ROWS(impulse)},
    {"law", "dissipation", "J", "energy that the law took since the row before", TP_PER_LAW, NOW, LEFT,
     ENTRY(dissipation)},
    {"law", "applied_work", "J", "work of its prescribed motion since the row before", TP_PER_LAW, NOW, LEFT,
     ENTRY(applied)},
    {"law", "last_impulse_", NULL, "impulse of the last step", TP_PER_LAW_ROW, NOW, NEEDED,
     ROWS(now.impulse)},
    {"law", "lambda_", NULL, "force of the scheme at the state (lambda)", TP_PER_KEPT_ROW, NOW, TAKEN,
     ROWS(now.force[TP_FORCE_LAST])},
    {"law", "lambda_mean_", NULL, "what the next step goes on from: mean force, or modes (event-driven)",
     TP_PER_KEPT_ROW, NOW, TAKEN, ROWS(now.force[TP_FORCE_MEAN])},
    {"law", "last_impact_", NULL, "impulse of impacts in the last step (Lambda)", TP_PER_KEPT_ROW, NOW, TAKEN,
     ROWS(now.force[TP_FORCE_IMPACT])},
    {"law", "impact_", NULL, "impulse of impacts since the row before", TP_PER_KEPT_ROW, NOW, LEFT,
     ROWS(impact)},
    {"law", "force_", NULL, "force at the state itself (accelerations: true)", TP_PER_FORCE_ROW, NOW, LEFT,
     FUNCTION(force)},
    {"a", "", NULL, "acceleration at the state itself (accelerations: true)", TP_PER_ACCELERATION, NOW, LEFT,
     FUNCTION(acceleration)},
    {"sensor", "", NULL, "sensor", TP_PER_SENSOR, NOW, LEFT, FUNCTION(sensor)},
    {"inputs", "", NULL, "input, held over the last step", TP_PER_INPUT, NOW, LEFT, FUNCTION(input)},
    {"memory", "", "", "what the integrator keeps for its next step", TP_PER_MEMORY, NOW, TAKEN,
     FUNCTION(memory)},
    {"step", "count", "", "steps since the origin of the times", TP_PER_RUN, NOW, NEEDED, FIELD(now.count)},
    {"step", "origin", "s", "times are the origin and multiples of the time step", TP_PER_RUN, NOW, NEEDED,
     FIELD(now.origin)},
    {"step", "size", "s", "length of the last step", TP_PER_RUN, NOW, NEEDED, FIELD(now.step_size)},
    {"step", "steps", "", "steps since the row before", TP_PER_RUN, NOW, LEFT, FIELD(steps)},
    FIGURE("iterations", "", "iterations of the solver, most of a step", MAXIMUM, TAKEN, iterations),
    FIGURE("solutions", "", "solutions of a step problem where their number is known, most; else 0", MAXIMUM,
           TAKEN, solution_count),
    FIGURE("residual", "", "error E of the step problems, largest", MAXIMUM, TAKEN, residual),
    FIGURE("contacts", "", "closed contacts in the last step", NOW, TAKEN, contact_count),
    FIGURE("impacts", "", "impacts (events) since the row before", SUM, TAKEN, impact_count),
    FIGURE("applied_work", "J", "work of forces without potential since the row before", SUM, TAKEN,
           applied_work),
    {"step", "dissipation", "J", "energy that laws took since the row before", TP_PER_RUN, NOW, LEFT,
     FIELD(all_dissipation)},
    FIGURE("position_error", "m", "largest error of the joints in position", MAXIMUM, LEFT, position_error),
    FIGURE("angle_error", "rad", "largest error of the joints in angle", MAXIMUM, LEFT, angle_error),
    FIGURE("velocity_error", "m/s", "largest error of the joints in velocity", MAXIMUM, LEFT, velocity_error),
    FIGURE("angular_velocity_error", "rad/s", "largest error of the joints in angular velocity", MAXIMUM,
           LEFT, angular_velocity_error),
    FIGURE("penetration", "m", "largest penetration of a contact", MAXIMUM, LEFT, penetration),
    FIGURE("limit_angle", "rad", "farthest past a limit of an angle", MAXIMUM, LEFT, limit_angle),
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

const tp_column_kind *tp_column_kinds(int *count_out)
{
    *count_out = KIND_COUNT;
    return kinds;
}

double tp_column_value(const tp_ledger *ledger, tp_column_source source)
{
    const tp_column_kind *kind = source.kind;
    if (kind->value) return kind->value(ledger, source.index, source.row);
    return kind->way == TP_COLUMN_NOW ? tp_field_read(ledger, kind->field, source.index, source.row)
                                      : ledger->figures[kind - kinds];
}

bool tp_column_put(tp_ledger *to, tp_column_source source, double value)
{
    const tp_column_kind *kind = source.kind;
    if (kind->back == TP_COLUMN_LEFT) return true;
    if (kind->per != TP_PER_MEMORY) return tp_field_write(to, kind->field, source.index, source.row, value);
    *(double *)(uintptr_t)&to->now.memory[source.index].values[source.row] = value;
    return true;
}

/* ---- the list of a simulation -------------------------------------------------------------------------- */

/* A list that is being made; without room it is only counted. */
typedef struct column_maker {
    tp_arena *arena;
    const tp_simulation *simulation;
    const tp_model *model;
    tp_restart now;
    tp_column_list *list;
} column_maker;

static bool has_accelerations(const column_maker *m)
{
    return tp_simulation_get_options(m->simulation)->accelerations;
}

static const tp_joint_info *joint_of(const column_maker *m, int i)
{
    return tp_joint_kind_info(tp_model_joint_kind(m->model, i));
}

/* How many columns of a kind an item has. */
static int row_count(const column_maker *m, tp_column_per per, int i)
{
    double rows[TP_IMPULSE_ROWS];
    if (per == TP_PER_FORCE_ROW && !has_accelerations(m)) return 0;
    if (per == TP_PER_KEPT_ROW) return tp_simulation_kept_force(m->simulation, i, TP_FORCE_LAST, rows);
    if (per == TP_PER_CONTACT) return !isnan(tp_simulation_gap(m->simulation, i));
    if (per == TP_PER_LAW_ROW || per == TP_PER_FORCE_ROW)
        return tp_simulation_last_impulse(m->simulation, i, rows);
    if (per == TP_PER_JOINT) return joint_of(m, i)->coordinate_count;
    return per == TP_PER_MEMORY ? m->now.memory[i].count : 1;
}

/* What an item is called, its unit where that is the column's, and how many there are where a checkpoint
   counts them. */
#define COUNT(member) offsetof(tp_restart, member)
static const struct {
    const char *(*name)(const tp_model *model, int i), *(*unit)(const tp_model *model, int i);
    size_t count;
} items[TP_PER_COUNT] = {
    [TP_PER_COORDINATE] = {tp_model_coordinate_name, tp_model_coordinate_unit, COUNT(q_count)},
    [TP_PER_VELOCITY] = {tp_model_velocity_name, tp_model_velocity_unit, COUNT(u_count)},
    [TP_PER_JOINT] = {tp_model_joint_name, NULL, 0},
    [TP_PER_LAW] = {tp_model_law_name, NULL, COUNT(law_count)},
    [TP_PER_CONTACT] = {tp_model_law_name, NULL, COUNT(law_count)},
    [TP_PER_LAW_ROW] = {tp_model_law_name, NULL, COUNT(law_count)},
    [TP_PER_ACCELERATION] = {tp_model_velocity_name, NULL, COUNT(u_count)},
    [TP_PER_FORCE_ROW] = {tp_model_law_name, NULL, COUNT(law_count)},
    [TP_PER_KEPT_ROW] = {tp_model_law_name, NULL, COUNT(law_count)},
    [TP_PER_SENSOR] = {tp_model_sensor_name, tp_model_sensor_unit, 0},
    [TP_PER_INPUT] = {tp_model_input_name, tp_model_input_unit, 0},
    [TP_PER_STATE] = {tp_model_state_name, tp_model_state_unit, COUNT(state_count)},
    [TP_PER_MULTIPLIER] = {tp_model_multiplier_name, tp_model_multiplier_unit, COUNT(multiplier_count)},
    [TP_PER_OUTPUT] = {tp_model_multiplier_name, tp_model_output_unit, COUNT(multiplier_count)},
    [TP_PER_MEMORY] = {NULL, NULL, COUNT(memory_count)},
};

static int item_count(const column_maker *m, tp_column_per per)
{
    if (per == TP_PER_RUN) return 1;
    if (per == TP_PER_STORAGE) return m->now.state_count > 0;
    if (per == TP_PER_JOINT) return tp_model_joint_count(m->model);
    if (per == TP_PER_SENSOR) return tp_model_summarise(m->model).sensor_count;
    if (per == TP_PER_INPUT) return tp_model_summarise(m->model).input_count;
    if (per == TP_PER_ACCELERATION && !has_accelerations(m)) return 0;
    size_t place = items[per].count;
    return place > 0 ? *(const int *)(const void *)((const char *)&m->now + place) : 0;
}

static const char *item_name(const column_maker *m, tp_column_per per, int i)
{
    if (per == TP_PER_MEMORY) return m->now.memory[i].name;
    return items[per].name ? items[per].name(m->model, i) : NULL;
}

/* That of a velocity per second: "m/s^2" for "m/s". */
static const char *acceleration_unit(const column_maker *m, int i)
{
    const char *unit = tp_model_velocity_unit(m->model, i);
    size_t length = unit != NULL ? strlen(unit) : 0;
    if (length == 0) return "";
    bool is_rate = length > 2 && strcmp(unit + length - 2, "/s") == 0;
    return tp_arena_format(m->arena, "%s%s", unit, is_rate ? "^2" : "/s");
}

/* The unit of a gap, a force or an impulse. */
static const char *item_unit(const column_maker *m, const tp_column_kind *kind, int i, int row)
{
    tp_column_per per = kind->per;
    bool is_force = per == TP_PER_FORCE_ROW || strncmp(kind->part, "lambda", 6) == 0;
    if (items[per].unit) return items[per].unit(m->model, i);
    if (per == TP_PER_ACCELERATION) return acceleration_unit(m, i);
    if (per == TP_PER_JOINT) return joint_of(m, i)->coordinate_is_angle[row] ? "rad" : "m";
    tp_law_quantity quantity = per == TP_PER_CONTACT ? TP_LAW_POSITION : TP_LAW_IMPULSE;
    return tp_model_law_unit(m->model, i, row, is_force ? TP_LAW_FORCE : quantity);
}

/* Rows of a contact are called by their direction; those of other laws, and entries of memory, are numbered
   from 1. */
static void format_part(const column_maker *m, const tp_column_kind *kind, int i, int row, char *part)
{
    static const char *const directions[TP_IMPULSE_ROWS] = {"N", "T1", "T2", "tau", "5", "6"};
    bool is_row =
             kind->per == TP_PER_LAW_ROW || kind->per == TP_PER_FORCE_ROW || kind->per == TP_PER_KEPT_ROW,
         is_contact = is_row && !isnan(tp_simulation_gap(m->simulation, i));
    if (kind->per == TP_PER_JOINT) {
        snprintf(part, PART_CAPACITY, "%s", joint_of(m, i)->coordinates[row]);
    } else if (is_contact) {
        snprintf(part, PART_CAPACITY, "%s%s", kind->part, directions[row]);
    } else if (is_row || kind->per == TP_PER_MEMORY) {
        snprintf(part, PART_CAPACITY, "%s%d", kind->part, row + 1);
    } else {
        snprintf(part, PART_CAPACITY, "%s", kind->part);
    }
}

/* Adds a column, "GROUP/NAME/PART". */
static void add(column_maker *m, const tp_column_kind *kind, int i, int row)
{
    int place = m->list->count++;
    if (!m->list->columns) return;
    char part[PART_CAPACITY];
    const char *name = item_name(m, kind->per, i), *escaped = name ? tp_column_escaped(m->arena, name) : "";
    format_part(m, kind, i, row, part);
    const char *path = tp_arena_format(m->arena, "%s%s%s%s%s", kind->group, name ? "/" : "", escaped,
                                       part[0] ? "/" : "", part);
    m->list->columns[place] =
        (tp_table_column){path, kind->unit ? kind->unit : item_unit(m, kind, i, row), kind->text};
    m->list->sources[place] = (tp_column_source){kind, i, row};
}

/* Group by group, and in a group item by item. */
static void add_all(column_maker *m)
{
    m->list->count = 0;
    for (int first = 0, end = 1; first < KIND_COUNT; first = end++) {
        while (end < KIND_COUNT && strcmp(kinds[end].group, kinds[first].group) == 0) end++;
        for (int i = 0; i < item_count(m, kinds[first].per); i++) {
            for (int k = first; k < end; k++) {
                int rows = row_count(m, kinds[k].per, i);
                for (int row = 0; row < rows; row++) add(m, &kinds[k], i, row);
            }
        }
    }
}

tp_status tp_column_list_make(tp_arena *arena, const tp_simulation *simulation, tp_column_list *list_out,
                              tp_message *why)
{
    *list_out = (tp_column_list){.count = 0};
    column_maker m = {
        .arena = arena, .simulation = simulation, .model = tp_simulation_model(simulation), .list = list_out};
    tp_simulation_checkpoint(simulation, &m.now);
    add_all(&m);
    list_out->sources = TP_ARENA_ARRAY(arena, tp_column_source, list_out->count);
    list_out->columns = list_out->sources ? TP_ARENA_ARRAY(arena, tp_table_column, list_out->count) : NULL;
    if (list_out->columns) add_all(&m);
    tp_status status = tp_arena_status(arena);
    return status == TP_OK ? TP_OK : tp_fail(why, status, "no memory for the columns");
}
