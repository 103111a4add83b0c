/* The output of a simulation: the recorder as an observer, and the run report as the summary. */
#include "io/output/recorder.h"
#include "io/output/restart_file.h"
#include "io/output/run_columns.h"
#include "io/output/run_tables.h"
#include "tippe/paraview.h"

#include <math.h>
#include <string.h>

struct tp_output {
    tp_arena arena;
    const tp_simulation *simulation;
    tp_recorder recorder;
    tp_column_list list;
    tp_ledger ledger;
    tp_output_tables tables;
    tp_paraview *paraview; /* NULL: no frames are written */
    tp_schedule frames;
    double *frame_row; /* all columns */
    tp_status frame_status;
};

static double value_of(const void *self, int column)
{
    const tp_output *output = self;
    return tp_column_value(&output->ledger, output->list.sources[column]);
}

static void begin_row(void *self, long long row)
{
    tp_output *output = self;
    tp_output_tables_contacts(&output->ledger, row, &output->recorder);
}

tp_output_options tp_output_options_default(void)
{
    tp_table_def def = tp_table_def_default();
    return (tp_output_options){.flush_rows = def.flush_rows, .flush_seconds = def.flush_seconds};
}

/* Frames of all columns, whatever columns the rows have. */
static tp_status open_frames(tp_output *output, const tp_allocator *allocator,
                             const tp_output_options *options, tp_message *why)
{
    if (!options->paraview_path) return TP_OK;
    if (!(options->frame_every >= 0.0 && isfinite(options->frame_every))) {
        return tp_fail(why, TP_INVALID_ARGUMENT, "frame_every is %g s: must be 0 or positive",
                       options->frame_every);
    }
    output->frames.every = options->frame_every > 0.0 ? options->frame_every : options->output_every;
    output->frame_row = TP_ARENA_ARRAY(&output->arena, double, output->list.count);
    if (!output->frame_row) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the output");
    return tp_paraview_create(allocator, tp_simulation_model(output->simulation), options->paraview_path,
                              output->list.columns, output->list.count, &output->paraview, why);
}

static bool write_frame(tp_output *output)
{
    for (int i = 0; i < output->list.count; i++) output->frame_row[i] = value_of(output, i);
    output->frame_status = tp_paraview_append(output->paraview, output->frame_row,
                                              output->ledger.now.contacts, output->ledger.now.contact_count);
    return output->frame_status == TP_OK;
}

static tp_status set_up(tp_output *output, const tp_allocator *allocator, const tp_output_options *options,
                        tp_message *why)
{
    const tp_simulation *simulation = output->simulation;
    tp_arena *arena = &output->arena;
    TP_TRY(tp_column_list_make(arena, simulation, &output->list, why));
    TP_TRY(tp_output_tables_make(arena, simulation, &output->tables));
    bool keeps_contacts = tp_recorder_chooses(options, output->tables.tables[TP_TABLE_CONTACTS].name);
    TP_TRY(tp_ledger_create(arena, simulation, keeps_contacts, &output->ledger));
    tp_table_attribute settings[TP_SETTINGS_MAX];
    tp_output_options complete = *options;
    tp_record_source source = {.self = output,
                               .value = value_of,
                               .begin_row = begin_row,
                               .tables = output->tables.tables,
                               .table_count = output->tables.count,
                               .attributes = settings,
                               .attribute_count =
                                   tp_restart_settings(tp_simulation_get_options(simulation), settings)};
    if (!complete.integrator) complete.integrator = output->ledger.now.integrator;
    TP_TRY(tp_recorder_open(&output->recorder, arena, allocator, source, output->list.columns,
                            output->list.count, &complete, why));
    return open_frames(output, allocator, options, why);
}

tp_status tp_output_create(const tp_allocator *allocator, const tp_simulation *simulation,
                           const tp_output_options *options, tp_output **output_out, tp_message *why_out)
{
    *output_out = NULL;
    tp_output *output = TP_ARENA_OBJECT(tp_output, allocator);
    if (output == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the output");
    output->simulation = simulation;
    tp_status status = set_up(output, allocator, options, why_out);
    if (status == TP_OUT_OF_MEMORY) tp_fail(why_out, status, "no memory for the output");
    if (status == TP_OK) {
        *output_out = output;
        return TP_OK;
    }
    tp_recorder_abandon(&output->recorder);
    tp_arena_clear(&output->arena);
    return status;
}

/* Sums and events of the last step, once. */
static void note_step(tp_output *output)
{
    if (!tp_ledger_add(&output->ledger)) return;
    tp_output_tables_events(output->simulation, &output->recorder);
    tp_output_tables_own_step(output->simulation, &output->recorder);
}

static bool write_due_frame(tp_output *output, double time, double step)
{
    if (!output->paraview) return true;
    if (output->frame_status != TP_OK) return false;
    return !tp_schedule_is_due(&output->frames, time, step) || write_frame(output);
}

bool tp_output_observe(void *self, const tp_simulation *simulation)
{
    tp_output *output = self;
    double time = tp_simulation_time(simulation),
           step = tp_simulation_integrator(simulation)->chooses_steps
                      ? tp_simulation_get_options(simulation)->time_step
                      : tp_simulation_step_size(simulation);
    note_step(output);
    if (output->ledger.status != TP_OK) {
        output->frame_status = output->ledger.status;
        return false;
    }
    if (!tp_simulation_is_row(simulation)) return output->recorder.status == TP_OK;
    long long rows = output->recorder.row_count;
    if (!tp_recorder_observe(&output->recorder, time, step)) return false;
    bool goes_on = write_due_frame(output, time, step);
    if (output->recorder.row_count > rows) tp_ledger_clear(&output->ledger);
    return goes_on;
}

int tp_report_attributes(const tp_run_report *report, const char *warnings, tp_table_attribute *list)
{
    const tp_table_attribute values[] = {
        {"status", tp_status_text(report->status), 0.0},
        {"reason", report->reason, 0.0},
        {"steps", NULL, (double)report->steps},
        {"time", NULL, report->time},
        {"start_time", NULL, report->start_time},
        {"start_count", NULL, (double)report->start_count},
        {"energy_initial", NULL, report->energy_initial},
        {"energy_final", NULL, report->energy_final},
        {"energy_largest_increase", NULL, report->largest_energy_increase},
        {"drift_position", NULL, report->position_drift},
        {"drift_angle", NULL, report->angle_drift},
        {"drift_velocity", NULL, report->velocity_drift},
        {"drift_angular_velocity", NULL, report->angular_velocity_drift},
        {"drift_penetration", NULL, report->penetration},
        {"drift_limit_angle", NULL, report->limit_angle},
        {"impacts", NULL, (double)report->impacts},
        {"solver", report->solver ? report->solver : "", 0.0},
        {"solver_iterations_mean", NULL, report->iterations_mean},
        {"solver_iterations_max", NULL, report->iterations_max},
        {"solver_residual_max", NULL, report->residual_max},
        {"solver_not_converged", NULL, (double)report->not_converged},
        {"solver_solutions_max", NULL, report->solutions_max},
        {"own_steps", NULL, (double)report->own_steps},
        {"own_steps_rejected", NULL, (double)report->rejections},
        {"own_steps_evaluations", NULL, (double)report->evaluations},
        {"own_steps_projections", NULL, (double)report->projections},
        {"warning_count", NULL, report->warning_count},
        {"warnings_left_out", NULL, (double)report->warnings_left_out},
        {"warnings", warnings, 0.0},
    };
    _Static_assert(sizeof values / sizeof values[0] <= TP_REPORT_ATTRIBUTES_MAX, "room for the report");
    memcpy(list, values, sizeof values);
    return sizeof values / sizeof values[0];
}

tp_status tp_output_close(tp_output *output, tp_message *why_out)
{
    if (!output) return TP_OK;
    tp_table_attribute summary[TP_REPORT_ATTRIBUTES_MAX];
    note_step(output); /* one that was taken without an observer */
    const tp_run_report *report = tp_simulation_report(output->simulation);
    char warnings[TP_WARNINGS_MAX * TP_WARNING_LINE]; /* below what an attribute may have, 64 KiB */
    tp_warnings_format(report, warnings);
    int count = tp_report_attributes(report, warnings, summary);
    double time = tp_simulation_time(output->simulation);
    tp_status status = tp_recorder_close(&output->recorder, time, summary, count, why_out);
    bool lacks_frame = output->paraview && tp_schedule_lacks(&output->frames, time);
    if (lacks_frame && output->frame_status == TP_OK) write_frame(output);
    tp_message frames_why = {""};
    tp_status frames = tp_paraview_close(output->paraview, &frames_why);
    if (status == TP_OK && frames != TP_OK) status = tp_fail(why_out, frames, "%s", frames_why.text);
    tp_arena_clear(&output->arena);
    return status;
}
