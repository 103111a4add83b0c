/* The output of a simulation: its columns, and the recorder as an observer. */
#include "io/output/recorder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 4, NAME_CAPACITY = 1024, SUMMARY_MAX = 32 };

/* Where the value of a column comes from. */
typedef enum value_kind {
    TIME,
    COORDINATE,
    VELOCITY,
    ENERGY,
    PERCUSSION,
    GAP,
    SENSOR,
    STEP_SIZE,
    STEP_ITERATIONS,
    STEP_RESIDUAL,
    STEP_CONTACTS,
    STEP_IMPACTS,
    STEP_APPLIED_WORK,
    STEP_POSITION_ERROR,
    STEP_ANGLE_ERROR,
    STEP_VELOCITY_ERROR,
    STEP_PENETRATION
} value_kind;

typedef struct step_column {
    value_kind kind;
    tp_table_column column;
} step_column;

static const step_column step_columns[] = {
    {STEP_SIZE, {"step/size", "s", "length of the last step"}},
    {STEP_ITERATIONS, {"step/iterations", "", "iterations of the solver in the last step"}},
    {STEP_RESIDUAL, {"step/residual", "", "error E of the last step problem"}},
    {STEP_CONTACTS, {"step/contacts", "", "closed contacts in the last step"}},
    {STEP_IMPACTS, {"step/impacts", "", "laws that closed with approach velocity in the last step"}},
    {STEP_APPLIED_WORK, {"step/applied_work", "J", "work of forces without potential in the last step"}},
    {STEP_POSITION_ERROR, {"step/position_error", "m", "largest error of the joints in position"}},
    {STEP_ANGLE_ERROR, {"step/angle_error", "rad", "largest error of the joints in angle"}},
    {STEP_VELOCITY_ERROR, {"step/velocity_error", "m/s", "largest error of the joints in velocity"}},
    {STEP_PENETRATION, {"step/penetration", "m", "largest penetration of a contact"}},
};
enum { STEP_COLUMN_COUNT = sizeof step_columns / sizeof step_columns[0] };

typedef struct value_source {
    value_kind kind;
    int index, row; /* of the coordinate, law, ...; row of a percussion */
} value_source;

struct tp_output {
    tp_arena arena;
    const tp_simulation *simulation;
    tp_recorder recorder;
    tp_table_column *columns;
    value_source *sources;
    int column_count, capacity;
    bool is_out_of_memory;
};

static double value_in_step(const tp_step_report *step, value_kind kind)
{
    switch (kind) {
    case STEP_ITERATIONS: return step->iterations;
    case STEP_RESIDUAL: return step->residual;
    case STEP_CONTACTS: return step->contact_count;
    case STEP_IMPACTS: return step->impact_count;
    case STEP_APPLIED_WORK: return step->applied_work;
    case STEP_POSITION_ERROR: return step->position_error;
    case STEP_ANGLE_ERROR: return step->angle_error;
    case STEP_VELOCITY_ERROR: return step->velocity_error;
    case STEP_PENETRATION: return step->penetration;
    default: return step->energy;
    }
}

static double value_of(const void *self, int column)
{
    const tp_output *output = self;
    const tp_simulation *simulation = output->simulation;
    value_source source = output->sources[column];
    double percussion[ROWS_MAX] = {0.0};
    switch (source.kind) {
    case TIME: return tp_simulation_time(simulation);
    case COORDINATE: return tp_simulation_q(simulation)[source.index];
    case VELOCITY: return tp_simulation_u(simulation)[source.index];
    case PERCUSSION:
        tp_simulation_percussion(simulation, source.index, percussion);
        return percussion[source.row];
    case GAP: return tp_simulation_gap(simulation, source.index);
    case SENSOR: return tp_simulation_sensor(simulation, source.index);
    case STEP_SIZE: return tp_simulation_step_size(simulation);
    default: return value_in_step(tp_simulation_last_step(simulation), source.kind);
    }
}

static double time_of(const void *self)
{
    return tp_simulation_time(((const tp_output *)self)->simulation);
}

static double step_of(const void *self)
{
    return tp_simulation_step_size(((const tp_output *)self)->simulation);
}

/* Adds a column; the texts must live as long as the output. */
static void add(tp_output *output, value_source source, const char *name, const char *unit, const char *text)
{
    if (!name || output->column_count == output->capacity) {
        output->is_out_of_memory = true;
        return;
    }
    output->columns[output->column_count] = (tp_table_column){name, unit, text};
    output->sources[output->column_count++] = source;
}

/* "group/name" or "group/name/part"; NULL without memory. */
static const char *join(tp_output *output, const char *group, const char *name, const char *part)
{
    char escaped[NAME_CAPACITY];
    tp_column_escape(name, escaped, sizeof escaped);
    size_t bytes = strlen(group) + strlen(escaped) + strlen(part) + 3;
    char *path = TP_ARENA_ARRAY(&output->arena, char, bytes);
    if (path) snprintf(path, bytes, "%s/%s%s%s", group, escaped, part[0] ? "/" : "", part);
    return path;
}

static void add_variables(tp_output *output, const tp_model *model, const tp_model_summary *summary)
{
    for (int i = 0; i < summary->coordinate_count; i++) {
        add(output, (value_source){COORDINATE, i, 0},
            join(output, "q", tp_model_coordinate_name(model, i), ""), tp_model_coordinate_unit(model, i),
            "coordinate");
    }
    for (int i = 0; i < summary->velocity_count; i++) {
        add(output, (value_source){VELOCITY, i, 0}, join(output, "u", tp_model_velocity_name(model, i), ""),
            tp_model_velocity_unit(model, i), "velocity");
    }
}

/* Percussions of a contact are called by their direction, those of other laws are numbered. */
static void add_law(tp_output *output, const tp_simulation *simulation, const char *name, int law)
{
    static const char *const contact_rows[ROWS_MAX] = {"percussion_N", "percussion_T1", "percussion_T2",
                                                       "percussion_tau"};
    static const char *const other_rows[ROWS_MAX] = {"percussion_1", "percussion_2", "percussion_3",
                                                     "percussion_4"};
    double percussion[ROWS_MAX];
    int row_count = tp_simulation_percussion(simulation, law, percussion);
    bool is_contact = !isnan(tp_simulation_gap(simulation, law));
    if (is_contact) {
        add(output, (value_source){GAP, law, 0}, join(output, "law", name, "gap"), "m",
            "gap of the contact, positive if open");
    }
    for (int row = 0; row < row_count && row < ROWS_MAX; row++) {
        add(output, (value_source){PERCUSSION, law, row},
            join(output, "law", name, is_contact ? contact_rows[row] : other_rows[row]), "N s",
            is_contact ? "percussion of the last step: force times its length, and impact"
                       : "percussion of the last step [N s, or N m s where the row is an angle]");
    }
}

static int count_laws(const tp_model *model)
{
    int count = 0;
    while (tp_model_law_name(model, count)) count++;
    return count;
}

static tp_status make_columns(tp_output *output, tp_message *why)
{
    const tp_model *model = tp_simulation_model(output->simulation);
    tp_model_summary summary = tp_model_summarise(model);
    int law_count = count_laws(model);
    output->capacity = 2 + summary.coordinate_count + summary.velocity_count + law_count * (1 + ROWS_MAX) +
                       summary.sensor_count + STEP_COLUMN_COUNT;
    output->columns = TP_ARENA_ARRAY(&output->arena, tp_table_column, output->capacity);
    output->sources = TP_ARENA_ARRAY(&output->arena, value_source, output->capacity);
    if (!output->columns || !output->sources) output->capacity = 0;

    add(output, (value_source){TIME, 0, 0}, "time", "s", "time");
    add_variables(output, model, &summary);
    add(output, (value_source){ENERGY, 0, 0}, "energy", "J", "kinetic and potential energy");
    for (int i = 0; i < law_count; i++) add_law(output, output->simulation, tp_model_law_name(model, i), i);
    for (int i = 0; i < summary.sensor_count; i++) {
        add(output, (value_source){SENSOR, i, 0}, join(output, "sensor", tp_model_sensor_name(model, i), ""),
            tp_model_sensor_unit(model, i), "sensor");
    }
    for (int i = 0; i < STEP_COLUMN_COUNT; i++) {
        const tp_table_column *column = &step_columns[i].column;
        add(output, (value_source){step_columns[i].kind, 0, 0}, column->name, column->unit, column->text);
    }
    return output->is_out_of_memory ? tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the output") : TP_OK;
}

tp_output_options tp_output_options_default(void)
{
    tp_table_def def = tp_table_def_default();
    return (tp_output_options){.flush_rows = def.flush_rows, .flush_seconds = def.flush_seconds};
}

static void release_output(tp_output *output)
{
    tp_arena arena = output->arena; /* the output itself lies in it */
    tp_arena_clear(&arena);
}

tp_status tp_output_create(const tp_allocator *allocator, const tp_simulation *simulation,
                           const tp_output_options *options, tp_output **output_out, tp_message *why_out)
{
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    *output_out = NULL;
    tp_output *output = TP_ARENA_ARRAY(&arena, tp_output, 1);
    if (!output) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the output");
    output->arena = arena;
    output->simulation = simulation;
    tp_status status = make_columns(output, why_out);
    if (status == TP_OK) {
        tp_record_source source = {output, time_of, step_of, value_of};
        status = tp_recorder_open(&output->recorder, &output->arena, allocator, source, output->columns,
                                  output->column_count, options, why_out);
    }
    if (status == TP_OK) {
        *output_out = output;
    } else {
        release_output(output);
    }
    return status;
}

bool tp_output_observe(void *output, const tp_simulation *simulation)
{
    (void)simulation; /* the one it was made for */
    return tp_recorder_observe(&((tp_output *)output)->recorder);
}

/* The run report as named values. */
static int summarise(const tp_run_report *report, tp_table_attribute list[SUMMARY_MAX])
{
    const tp_table_attribute values[] = {
        {"status", tp_status_text(report->status), 0.0},
        {"reason", report->reason, 0.0},
        {"steps", NULL, (double)report->steps},
        {"time", NULL, report->time},
        {"energy_initial", NULL, report->energy_initial},
        {"energy_final", NULL, report->energy_final},
        {"energy_largest_increase", NULL, report->largest_energy_increase},
        {"drift_position", NULL, report->position_drift},
        {"drift_angle", NULL, report->angle_drift},
        {"drift_velocity", NULL, report->velocity_drift},
        {"drift_penetration", NULL, report->penetration},
        {"impacts", NULL, (double)report->impacts},
        {"solver", report->solver ? report->solver : "", 0.0},
        {"solver_iterations_mean", NULL, report->iterations_mean},
        {"solver_iterations_max", NULL, report->iterations_max},
        {"solver_residual_max", NULL, report->residual_max},
        {"solver_not_converged", NULL, (double)report->not_converged},
        {"warnings", NULL, report->warning_count},
    };
    static const char *const warning_names[] = {"warning_1", "warning_2", "warning_3", "warning_4",
                                                "warning_5", "warning_6", "warning_7", "warning_8"};
    int count = sizeof values / sizeof values[0];
    memcpy(list, values, sizeof values);
    for (int i = 0; i < 8 && i < report->warning_count; i++) {
        list[count++] = (tp_table_attribute){warning_names[i], report->warnings[i], 0.0};
    }
    return count;
}

tp_status tp_output_close(tp_output *output, tp_message *why_out)
{
    if (!output) return TP_OK;
    tp_table_attribute summary[SUMMARY_MAX];
    int count = summarise(tp_simulation_report(output->simulation), summary);
    tp_status status = tp_recorder_close(&output->recorder, summary, count, why_out);
    release_output(output);
    return status;
}
