/* Which states become rows of which columns. */
#include "io/output/recorder.h"

#include "io/common/words.h"

#include <math.h>
#include <string.h>

enum { OPTIONS_MAX = 4, SOURCE_ATTRIBUTES_MAX = 96, ATTRIBUTES_MAX = OPTIONS_MAX + SOURCE_ATTRIBUTES_MAX };

/* "q/x" is chosen by its name and by its group "q". */
static bool is_chosen_by(const char *column, const char *choice)
{
    size_t length = strlen(choice);
    return strncmp(column, choice, length) == 0 && (column[length] == 0 || column[length] == '/');
}

bool tp_recorder_chooses(const tp_output_options *options, const char *name)
{
    if (options->column_count == 0 || strcmp(name, "time") == 0) return true;
    for (int k = 0; k < options->column_count; k++) {
        if (is_chosen_by(name, options->columns[k])) return true;
    }
    return false;
}

static tp_status check_choices(const tp_record_source *source, const tp_table_column *columns, int count,
                               const tp_output_options *options, tp_message *why)
{
    for (int k = 0; k < options->column_count; k++) {
        int i = 0;
        while (i < count && !is_chosen_by(columns[i].name, options->columns[k])) i++;
        if (i < count || TP_FIND(source->tables, source->table_count, name, options->columns[k]) >= 0)
            continue;
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "there is no column, group or table \"%s\"; columns are called like \"%s\"",
                       options->columns[k], columns[count - 1].name);
    }
    return TP_OK;
}

static int collect_attributes(const tp_record_source *source, const tp_output_options *options,
                              tp_table_attribute list[ATTRIBUTES_MAX])
{
    const tp_table_attribute texts[OPTIONS_MAX - 1] = {{"scene_name", options->scene_name, 0.0},
                                                       {"integrator", options->integrator, 0.0},
                                                       {"options", options->options_json, 0.0}};
    int count = 0;
    for (int i = 0; i < OPTIONS_MAX - 1; i++) {
        if (texts[i].text) list[count++] = texts[i];
    }
    list[count++] = (tp_table_attribute){"output_every", NULL, options->output_every};
    for (int i = 0; i < source->attribute_count; i++) list[count++] = source->attributes[i];
    return count;
}

static tp_status open_writers(tp_recorder *recorder, const tp_allocator *allocator,
                              const tp_table_column *columns, const tp_output_options *options,
                              tp_message *why)
{
    const char *const paths[2] = {options->hdf5_path, options->csv_path};
    tp_table_attribute attributes[ATTRIBUTES_MAX];
    tp_table_def def = tp_table_def_default();
    def.columns = columns;
    def.column_count = recorder->column_count;
    tp_table tables[TP_RECORDER_TABLES];
    for (int k = 0; k < recorder->source.table_count; k++) {
        recorder->has_table[k] = tp_recorder_chooses(options, recorder->source.tables[k].name);
        if (recorder->has_table[k]) tables[def.table_count++] = recorder->source.tables[k];
    }
    def.tables = tables;
    def.scene_text = options->scene_text;
    def.attributes = attributes;
    def.attribute_count = collect_attributes(&recorder->source, options, attributes);
    def.flush_rows = options->flush_rows;
    def.flush_seconds = options->flush_seconds;
    for (int k = 0; k < 2; k++) {
        if (!paths[k]) continue;
        def.path = paths[k];
        def.format = k == 0 ? "hdf5" : "csv";
        TP_TRY(tp_trajectory_writer_create(allocator, &def, &recorder->writers[recorder->writer_count], why));
        recorder->writer_count++;
    }
    return TP_OK;
}

tp_status tp_recorder_open(tp_recorder *recorder, tp_arena *arena, const tp_allocator *allocator,
                           tp_record_source source, const tp_table_column *columns, int column_count,
                           const tp_output_options *options, tp_message *why_out)
{
    *recorder = (tp_recorder){.source = source, .schedule = {.every = options->output_every}};
    if (!(options->output_every >= 0.0 && isfinite(options->output_every))) {
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "output_every is %g s: must be 0 or positive",
                       options->output_every);
    }
    if (source.attribute_count > SOURCE_ATTRIBUTES_MAX)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "a file has at most %d attributes, not %d",
                       SOURCE_ATTRIBUTES_MAX, source.attribute_count);
    TP_TRY(check_choices(&source, columns, column_count, options, why_out));
    tp_table_column *written = TP_ARENA_ARRAY(arena, tp_table_column, column_count);
    recorder->chosen = TP_ARENA_ARRAY(arena, int, column_count);
    recorder->row = TP_ARENA_ARRAY(arena, double, column_count);
    if (!written || !recorder->chosen || !recorder->row) {
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for %d columns", column_count);
    }
    for (int i = 0; i < column_count; i++) {
        if (!tp_recorder_chooses(options, columns[i].name)) continue;
        written[recorder->column_count] = columns[i];
        recorder->chosen[recorder->column_count++] = i;
    }
    tp_status status = open_writers(recorder, allocator, written, options, why_out);
    if (status != TP_OK) tp_recorder_abandon(recorder);
    return status;
}

void tp_recorder_abandon(tp_recorder *recorder)
{
    for (int k = 0; k < recorder->writer_count; k++) {
        tp_trajectory_writer_close(recorder->writers[k], NULL, 0, NULL);
    }
    recorder->writer_count = 0;
}

/* The first failure stays. */
static void keep(tp_recorder *recorder, tp_status status)
{
    if (recorder->status == TP_OK) recorder->status = status;
}

void tp_recorder_add(tp_recorder *recorder, int table, const double *row)
{
    int place = 0;
    if (!recorder->has_table[table]) return;
    for (int k = 0; k < table; k++) place += recorder->has_table[k];
    for (int k = 0; k < recorder->writer_count; k++)
        keep(recorder, tp_trajectory_writer_add(recorder->writers[k], place, row));
}

static bool write_row(tp_recorder *recorder)
{
    if (recorder->source.begin_row) recorder->source.begin_row(recorder->source.self, recorder->row_count);
    recorder->row_count++;
    for (int i = 0; i < recorder->column_count; i++)
        recorder->row[i] = recorder->source.value(recorder->source.self, recorder->chosen[i]);
    for (int k = 0; k < recorder->writer_count; k++)
        keep(recorder, tp_trajectory_writer_append(recorder->writers[k], recorder->row));
    return recorder->status == TP_OK;
}

/* The state nearest to a multiple lies at most half a step from it. Half a step ahead of a state decides, so
   that times that are multiples up to round-off are found whichever side they lie on. */
bool tp_schedule_is_due(tp_schedule *schedule, double time, double step)
{
    if (schedule->every > 0.0) {
        double reached = floor((time + 0.5 * step) / schedule->every);
        if (schedule->has_begun && reached < schedule->next_multiple) return false;
        schedule->next_multiple = reached + 1.0;
    }
    schedule->has_begun = true;
    schedule->last_time = time;
    return true;
}

bool tp_schedule_lacks(const tp_schedule *schedule, double time)
{
    return !(schedule->has_begun && schedule->last_time == time);
}

bool tp_recorder_observe(tp_recorder *recorder, double time, double step)
{
    if (recorder->status != TP_OK) return false;
    return !tp_schedule_is_due(&recorder->schedule, time, step) || write_row(recorder);
}

tp_status tp_recorder_close(tp_recorder *recorder, double time, const tp_table_attribute *summary,
                            int summary_count, tp_message *why_out)
{
    if (recorder->status == TP_OK && tp_schedule_lacks(&recorder->schedule, time)) write_row(recorder);
    tp_status status = TP_OK;
    for (int k = 0; k < recorder->writer_count; k++) {
        tp_message why = {""};
        tp_status closed = tp_trajectory_writer_close(recorder->writers[k], summary, summary_count, &why);
        if (status == TP_OK && closed != TP_OK) status = tp_fail(why_out, closed, "%s", why.text);
    }
    if (status == TP_OK && recorder->status != TP_OK) {
        status = tp_fail(why_out, recorder->status, "the last rows were refused: time went back");
    }
    return status;
}
