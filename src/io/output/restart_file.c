/* Continues a run from a row of its output; docs/guide/restart.md. The columns are those that the present
   simulation would write: run_columns.c names them, here their values go back into a checkpoint. */
#include "io/output/restart_file.h"
#include "io/output/run_columns.h"
#include "io/output/run_tables.h"
#include "tippe/multibody.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double count_max = 1e15; /* steps of a run; also keeps conversions to integers defined */

typedef struct restoring {
    tp_simulation *simulation;
    const char *path;
    const tp_trajectory *trajectory;
    tp_arena arena;
    tp_column_list list;
    int *column; /* [list.count] column of the file, or -1 */
    tp_restart record;
    double *q, *u, *impulse, **memory; /* what the record points to */
    unsigned char *is_closed;
    tp_message *why;
} restoring;

static tp_status no_memory(restoring *r)
{
    return tp_fail(r->why, TP_OUT_OF_MEMORY, "no memory to continue %s", r->path);
}

/* Without these columns a row is no checkpoint. */
static bool is_needed(tp_column_kind kind)
{
    switch (kind) {
    case TP_COLUMN_TIME:
    case TP_COLUMN_COORDINATE:
    case TP_COLUMN_VELOCITY:
    case TP_COLUMN_LAST_IMPULSE:
    case TP_COLUMN_CLOSED:
    case TP_COLUMN_STEP_COUNT:
    case TP_COLUMN_STEP_ORIGIN:
    case TP_COLUMN_STEP_SIZE: return true;
    default: return false;
    }
}

/* Columns that only this model, not every model, would have. */
static bool is_of_model(const char *name)
{
    return strncmp(name, "q/", 2) == 0 || strncmp(name, "u/", 2) == 0 || strncmp(name, "law/", 4) == 0;
}

static bool is_own_column(const restoring *r, int column)
{
    for (int i = 0; i < r->list.count; i++) {
        if (r->column[i] == column) return true;
    }
    return false;
}

static tp_status match_columns(restoring *r)
{
    const tp_trajectory *trajectory = r->trajectory;
    TP_TRY(tp_column_list_make(&r->arena, r->simulation, &r->list, r->why));
    r->column = TP_ARENA_ARRAY(&r->arena, int, r->list.count);
    if (!r->column) return no_memory(r);
    for (int i = 0; i < r->list.count; i++) {
        r->column[i] = tp_trajectory_find(trajectory, r->list.columns[i].name);
        if (r->column[i] >= 0 || !is_needed(r->list.sources[i].kind)) continue;
        return tp_fail(r->why, TP_INVALID_DATA,
                       "%s cannot be continued: it has no column \"%.200s\", which this model needs", r->path,
                       r->list.columns[i].name);
    }
    for (int i = 0; i < trajectory->column_count; i++) {
        if (!is_of_model(trajectory->columns[i].name) || is_own_column(r, i)) continue;
        return tp_fail(r->why, TP_INVALID_DATA,
                       "%s cannot be continued: it has a column \"%.200s\", which this model has not",
                       r->path, trajectory->columns[i].name);
    }
    return TP_OK;
}

/* The integrator's memory in the file, if it is there: then all of the arrays of the simulation. */
static tp_status take_memory_arrays(restoring *r, const tp_restart *now)
{
    tp_named_values *named = TP_ARENA_ARRAY(&r->arena, tp_named_values, now->memory_count);
    r->memory = TP_ARENA_ARRAY(&r->arena, double *, now->memory_count);
    if (!named || !r->memory) return no_memory(r);
    for (int i = 0; i < now->memory_count; i++) {
        r->memory[i] = TP_ARENA_ARRAY(&r->arena, double, now->memory[i].count);
        if (!r->memory[i]) return no_memory(r);
        named[i] = (tp_named_values){now->memory[i].name, now->memory[i].count, r->memory[i]};
        for (int k = 0; k < now->memory[i].count; k++) r->memory[i][k] = NAN; /* not in the file: refused */
    }
    r->record.memory_count = now->memory_count;
    r->record.memory = named;
    return TP_OK;
}

static tp_status take_record(restoring *r)
{
    tp_restart now;
    tp_simulation_checkpoint(r->simulation, &now);
    r->q = TP_ARENA_ARRAY(&r->arena, double, now.q_count);
    r->u = TP_ARENA_ARRAY(&r->arena, double, now.u_count);
    r->impulse = TP_ARENA_ARRAY(&r->arena, double, (size_t)now.law_count *TP_IMPULSE_ROWS);
    r->is_closed = TP_ARENA_ARRAY(&r->arena, unsigned char, now.law_count);
    if (!r->q || !r->u || !r->impulse || !r->is_closed) return no_memory(r);
    const tp_table_attribute *integrator = tp_restart_attribute(r->trajectory, "integrator");
    r->record = (tp_restart){.q_count = now.q_count,
                             .u_count = now.u_count,
                             .law_count = now.law_count,
                             .q = r->q,
                             .u = r->u,
                             .impulse = r->impulse,
                             .is_closed = r->is_closed,
                             .integrator = integrator && integrator->text ? integrator->text : ""};
    return take_memory_arrays(r, &now);
}

static int whole_number(double value)
{
    return fabs(value) <= INT_MAX ? (int)value : 0;
}

static void put_step_value(tp_step_report *step, tp_column_kind kind, double value)
{
    switch (kind) {
    case TP_COLUMN_STEP_ITERATIONS: step->iterations = whole_number(value); break;
    case TP_COLUMN_STEP_RESIDUAL: step->residual = value; break;
    case TP_COLUMN_STEP_CONTACTS: step->contact_count = whole_number(value); break;
    case TP_COLUMN_STEP_IMPACTS: step->impact_count = whole_number(value); break;
    case TP_COLUMN_STEP_APPLIED_WORK: step->applied_work = value; break;
    default: break; /* energy and errors follow from the state */
    }
}

/* The opposite of tp_column_value. */
static tp_status put_value(restoring *r, int i, double value)
{
    tp_column_source source = r->list.sources[i];
    switch (source.kind) {
    case TP_COLUMN_TIME: r->record.time = value; break;
    case TP_COLUMN_COORDINATE: r->q[source.index] = value; break;
    case TP_COLUMN_VELOCITY: r->u[source.index] = value; break;
    case TP_COLUMN_LAST_IMPULSE: r->impulse[TP_IMPULSE_ROWS * source.index + source.row] = value; break;
    case TP_COLUMN_MEMORY: r->memory[source.index][source.row] = value; break;
    case TP_COLUMN_STEP_ORIGIN: r->record.origin = value; break;
    case TP_COLUMN_STEP_SIZE: r->record.step_size = value; break;
    case TP_COLUMN_STEP_COUNT:
    case TP_COLUMN_CLOSED: {
        double most = source.kind == TP_COLUMN_CLOSED ? 1.0 : count_max;
        if (!(value >= 0.0 && value <= most && value == floor(value))) {
            return tp_fail(r->why, TP_INVALID_DATA, "%s: column \"%.200s\" holds %g", r->path,
                           r->list.columns[i].name, value);
        }
        if (source.kind == TP_COLUMN_CLOSED) r->is_closed[source.index] = value != 0.0;
        if (source.kind == TP_COLUMN_STEP_COUNT) r->record.count = (long long)value;
        break;
    }
    default: put_step_value(&r->record.last_step, source.kind, value); break;
    }
    return TP_OK;
}

static const double *find_values(const restoring *r, tp_column_kind kind)
{
    for (int i = 0; i < r->list.count; i++) {
        if (r->list.sources[i].kind == kind) return r->trajectory->values[r->column[i]];
    }
    return NULL;
}

/* The row to go on from: the last one that an unbroken run to the new end passes too. A run that ended beside
   the multiples of its time step did so with a step that the unbroken run has not; the row before is then the
   last common one. With another time step there is no unbroken run, and the last row serves. */
static long long choose_row(const restoring *r)
{
    const tp_simulation_options *options = tp_simulation_get_options(r->simulation);
    const tp_table_attribute *step = tp_restart_attribute(r->trajectory, "time_step");
    const double *time = r->trajectory->values[0], *count = find_values(r, TP_COLUMN_STEP_COUNT),
                 *origin = find_values(r, TP_COLUMN_STEP_ORIGIN);
    long long last = r->trajectory->row_count - 1;
    if (!step || step->text || step->number != options->time_step) return last;
    for (long long row = last; row >= 0; row--) {
        bool is_common = time[row] == origin[row] + count[row] * options->time_step;
        double steps = (options->end_time - origin[row]) / options->time_step;
        if (!is_common || !(fabs(steps) <= count_max)) continue;
        long long whole = tp_simulation_steps_until(r->simulation, origin[row], options->end_time);
        if (count[row] < (double)whole) return row;
    }
    return last;
}

static bool has_pairs(const restoring *r)
{
    int a, b, feature;
    for (int i = 0; i < r->record.law_count; i++) {
        if (tp_model_law_shapes(tp_simulation_model(r->simulation), i, &a, &b, &feature)) return true;
    }
    return false;
}

/* Contacts between shapes, from their table. */
static tp_status put_contacts(restoring *r, long long row)
{
    const tp_table *contacts = tp_trajectory_table(r->trajectory, "contacts");
    tp_message why = {""};
    if (contacts == NULL && !has_pairs(r)) return TP_OK;
    if (contacts == NULL) {
        return tp_fail(r->why, TP_INVALID_DATA, "%s cannot be continued: it has no table of contacts",
                       r->path);
    }
    tp_status status = tp_output_tables_restore(tp_simulation_model(r->simulation), contacts, row,
                                                r->record.law_count, r->is_closed, r->impulse, &why);
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
    long long row = choose_row(r);
    for (int i = 0; i < r->list.count; i++) {
        if (r->column[i] >= 0) TP_TRY(put_value(r, i, trajectory->values[r->column[i]][row]));
    }
    TP_TRY(put_contacts(r, row));
    tp_message why = {""};
    tp_status status = tp_simulation_restore(r->simulation, &r->record, &why);
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
