/* Continues a run from a row of its output; docs/guide/restart.md. The columns are those that the present
   simulation would write: run_columns.c names them, here their values go back into a checkpoint. */
#include "io/output/restart_file.h"
#include "io/output/column_path.h"
#include "io/output/run_columns.h"
#include "io/output/run_tables.h"

#include <math.h>
#include <string.h>

static const double steps_max = 1e15; /* of a run; keeps conversions to integers defined */

typedef struct restoring {
    tp_simulation *simulation;
    const char *path;
    const tp_trajectory *trajectory;
    tp_arena arena;
    tp_column_list list;
    int *column;     /* [list.count] column of the file, or -1 */
    tp_ledger state; /* its `now` is the record, whose arrays are the next ones */
    tp_message *why;
} restoring;

static tp_status no_memory(restoring *r)
{
    return tp_fail(r->why, TP_OUT_OF_MEMORY, "no memory to continue %s", r->path);
}

/* Columns that only this model, not every model, would have. */
static bool is_of_model(const char *name)
{
    return strncmp(name, "q/", 2) == 0 || strncmp(name, "u/", 2) == 0 || strncmp(name, "law/", 4) == 0;
}

static tp_status match_columns(restoring *r)
{
    const tp_trajectory *trajectory = r->trajectory;
    TP_TRY(tp_column_list_make(&r->arena, r->simulation, &r->list, r->why));
    tp_name_index names;
    bool *is_own = TP_ARENA_ARRAY(&r->arena, bool, trajectory->column_count);
    r->column = TP_ARENA_ARRAY(&r->arena, int, r->list.count);
    if (!r->column || !is_own ||
        tp_column_index(&r->arena, trajectory->columns, trajectory->column_count, &names) != TP_OK)
        return no_memory(r);
    for (int i = 0; i < r->list.count; i++) {
        r->column[i] = tp_name_index_find(&names, r->list.columns[i].name);
        if (r->column[i] >= 0) is_own[r->column[i]] = true;
        if (r->column[i] >= 0 || r->list.sources[i].kind->back != TP_COLUMN_NEEDED) continue;
        return tp_fail(r->why, TP_INVALID_DATA,
                       "%s cannot be continued: it has no column \"%.200s\", which this model needs", r->path,
                       r->list.columns[i].name);
    }
    for (int i = 0; i < trajectory->column_count; i++) {
        if (!is_of_model(trajectory->columns[i].name) || is_own[i]) continue;
        return tp_fail(r->why, TP_INVALID_DATA,
                       "%s cannot be continued: it has a column \"%.200s\", which this model does not have",
                       r->path, trajectory->columns[i].name);
    }
    return TP_OK;
}

/* Room for the integrator's memory. */
static tp_status take_memory(restoring *r)
{
    tp_restart *record = &r->state.now;
    tp_named_values *named = TP_ARENA_ARRAY(&r->arena, tp_named_values, record->memory_count);
    for (int i = 0; i < record->memory_count; i++) {
        double *values = TP_ARENA_ARRAY(&r->arena, double, record->memory[i].count);
        if (r->arena.has_failed) break;
        for (int k = 0; k < record->memory[i].count; k++) values[k] = NAN; /* not in the file: refused */
        named[i] = (tp_named_values){record->memory[i].name, record->memory[i].count, values};
    }
    record->memory = named;
    return r->arena.has_failed ? no_memory(r) : TP_OK;
}

static tp_status take_record(restoring *r)
{
    tp_restart *record = &r->state.now;
    tp_simulation_checkpoint(r->simulation, record); /* the sizes; all values are replaced */
    record->q = TP_ARENA_ARRAY(&r->arena, double, record->q_count);
    record->u = TP_ARENA_ARRAY(&r->arena, double, record->u_count);
    record->x = TP_ARENA_ARRAY(&r->arena, double, record->state_count);
    record->multiplier = TP_ARENA_ARRAY(&r->arena, double, record->multiplier_count);
    record->impulse = TP_ARENA_ARRAY(&r->arena, double, (size_t)record->law_count *TP_IMPULSE_ROWS);
    for (int k = 0; k < TP_FORCE_PARTS; k++)
        record->force[k] = TP_ARENA_ARRAY(&r->arena, double, (size_t)record->law_count *TP_IMPULSE_ROWS);
    record->is_closed = TP_ARENA_ARRAY(&r->arena, unsigned char, record->law_count);
    const char *integrator = tp_restart_text(r->trajectory, "integrator");
    record->integrator = integrator ? integrator : "";
    record->last_step = (tp_step_report){.status = TP_OK};
    return take_memory(r);
}

/* Puts a row of the file into the record: all, or what there is once in a run (times and counts). */
static tp_status put_row(restoring *r, long long row, bool is_all)
{
    for (int i = 0; i < r->list.count; i++) {
        tp_column_source source = r->list.sources[i];
        if (r->column[i] < 0 || !(is_all || source.kind->per == TP_PER_RUN)) continue;
        double value = r->trajectory->values[r->column[i]][row];
        if (tp_column_put(&r->state, source, value)) continue;
        return tp_fail(r->why, TP_INVALID_DATA, "%s: column \"%.200s\" holds %g", r->path,
                       r->list.columns[i].name, value);
    }
    return TP_OK;
}

/* The row to go on from: the last one that an unbroken run to the new end passes too. A run that ended off
   the multiples of its time step did so with a step that the unbroken run does not take; the row before is
   then the last common one. With another time step there is no unbroken run, and the last row is taken. */
static tp_status choose_row(restoring *r, long long *row_out)
{
    const tp_simulation_options *options = tp_simulation_get_options(r->simulation);
    const tp_table_attribute *step = tp_restart_attribute(r->trajectory, "time_step");
    const tp_restart *record = &r->state.now;
    *row_out = r->trajectory->row_count - 1;
    if (!step || step->text || step->number != options->time_step) return TP_OK;
    /* the end of a run ends a step that its integrator would have chosen longer */
    bool is_cut = tp_simulation_integrator(r->simulation)->chooses_steps && *row_out > 0;
    for (long long row = is_cut ? *row_out - 1 : *row_out; row >= 0; row--) {
        TP_TRY(put_row(r, row, false));
        bool is_common = record->time == record->origin + (double)record->count * options->time_step;
        double steps = (options->end_time - record->origin) / options->time_step;
        if (!is_common || !(fabs(steps) <= steps_max)) continue;
        long long whole = tp_simulation_steps_until(r->simulation, record->origin, options->end_time);
        if (record->count >= whole) continue;
        *row_out = row;
        break;
    }
    return TP_OK;
}

/* Contacts between shapes, from their table. */
static tp_status put_contacts(restoring *r, long long row)
{
    const tp_table *contacts = tp_trajectory_table(r->trajectory, "contacts");
    tp_message why = {""};
    bool has_rules = tp_model_summarise(tp_simulation_model(r->simulation)).rule_count > 0;
    r->state.now.contact_count = 0;
    if (contacts == NULL && !has_rules) return TP_OK;
    if (contacts == NULL) {
        return tp_fail(r->why, TP_INVALID_DATA, "%s cannot be continued: it has no table of contacts",
                       r->path);
    }
    tp_status status = tp_output_tables_restore(&r->arena, contacts, row, &r->state.now.contacts,
                                                &r->state.now.contact_count, &why);
    return status == TP_OK ? TP_OK : tp_fail(r->why, status, "%s cannot be continued: %s", r->path, why.text);
}

static tp_status restore(restoring *r, const char *scene_text)
{
    const tp_trajectory *trajectory = r->trajectory;
    double end = tp_simulation_get_options(r->simulation)->end_time;
    if (trajectory->row_count == 0) {
        return tp_fail(r->why, TP_INVALID_DATA, "%s cannot be continued: no row was written before it ended",
                       r->path);
    }
    TP_TRY(match_columns(r));
    TP_TRY(take_record(r));
    double reached = trajectory->values[0][trajectory->row_count - 1];
    if (!(end > reached)) {
        return tp_fail(r->why, TP_INVALID_DATA,
                       "%s has already reached t = %.9g s: the end time %.9g s must be later", r->path,
                       reached, end);
    }
    long long row;
    TP_TRY(choose_row(r, &row));
    TP_TRY(put_row(r, row, true));
    TP_TRY(put_contacts(r, row));
    tp_message why = {""};
    tp_status status = tp_simulation_restore(r->simulation, &r->state.now, &why);
    if (status != TP_OK) return tp_fail(r->why, status, "%s cannot be continued: %s", r->path, why.text);
    if (scene_text) tp_restart_compare_scenes(r->simulation, r->path, trajectory->scene_text, scene_text);
    tp_restart_compare_settings(r->simulation, r->path, trajectory);
    return TP_OK;
}

tp_status tp_output_restore(const tp_allocator *allocator, tp_simulation *simulation, const char *path,
                            const char *scene_text, tp_message *why_out)
{
    return tp_output_restore_from(allocator, NULL, simulation, path, scene_text, why_out);
}

tp_status tp_output_restore_from(const tp_allocator *allocator, const tp_hdf5_source *source,
                                 tp_simulation *simulation, const char *path, const char *scene_text,
                                 tp_message *why_out)
{
    tp_trajectory *trajectory = NULL;
    TP_TRY(tp_trajectory_read_from(allocator, source, path, &trajectory, why_out));
    restoring r = {.simulation = simulation, .path = path, .trajectory = trajectory, .why = why_out};
    tp_arena_init(&r.arena, allocator);
    tp_status status = restore(&r, scene_text);
    tp_arena_clear(&r.arena);
    tp_trajectory_free(trajectory);
    return status;
}
