/* The table of a sweep: a row for each point in order, and the table `points`. */
#include <string.h>

#include "io/output/column_path.h"
#include "io/output/restart_file.h"
#include "sweep.h"

/* Names of columns are escaped. In the table of points, which has no groups, they are "GROUP.NAME". */
tp_status tp_sweep_file_open(tp_sweep_file *file, tp_arena *arena, const tp_sweep_def *def,
                             const tp_sweep_axes *axes, const tp_measures *measures, const char *description,
                             const char *scene_text, tp_message *why)
{
    int axis_count = axes->count, count = 2 + axis_count + measures->count;
    int point_count = 2 + axis_count + measures->value_count;
    tp_table_column *columns = TP_ARENA_ARRAY(arena, tp_table_column, count),
                    *points = TP_ARENA_ARRAY(arena, tp_table_column, point_count);
    const tp_table_labels **labels = TP_ARENA_ARRAY(arena, const tp_table_labels *, point_count);
    *file = (tp_sweep_file){.column_count = count,
                            .axis_count = axis_count,
                            .measure_count = measures->count,
                            .value_count = measures->value_count,
                            .row = TP_ARENA_ARRAY(arena, double, count + point_count)};
    if (!columns || !points || !labels || !file->row)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    columns[0] = points[0] = (tp_table_column){"run", "", "number of the point"};
    columns[1 + axis_count] = (tp_table_column){"status", "", "0: the run reached its end, else why not"};
    points[1 + axis_count] = (tp_table_column){"time", "s", "when it was"};
    for (int k = 0; k < axis_count; k++) {
        const char *path = axes->list[k].path, *name = tp_column_escaped(arena, axes->list[k].name);
        columns[1 + k] = (tp_table_column){tp_arena_format(arena, "vary/%s", name), "", path};
        points[1 + k] = (tp_table_column){tp_arena_format(arena, "vary.%s", name), "", path};
    }
    for (int k = 0; k < measures->count; k++) {
        const char *name = tp_column_escaped(arena, measures->list[k].text);
        columns[2 + axis_count + k] =
            (tp_table_column){tp_arena_format(arena, "result/%s", name), "", "result"};
    }
    for (int k = 0; k < measures->value_count; k++) {
        const char *name = tp_column_escaped(arena, measures->list[measures->values[k]].name);
        points[2 + axis_count + k] = (tp_table_column){tp_arena_format(arena, "value.%s", name), "", "value"};
    }
    const tp_table table = {
        .name = "points", .column_count = point_count, .columns = points, .labels = labels};
    const tp_table_attribute about[] = {
        {"sweep", description, 0.0}, {"shard", NULL, def->shard}, {"shard_count", NULL, def->shard_count}};
    tp_table_def to = tp_table_def_default();
    to.path = def->path, to.format = "hdf5", to.columns = columns, to.column_count = count;
    to.tables = &table, to.table_count = measures->points ? 1 : 0;
    to.scene_text = scene_text, to.attributes = about, to.attribute_count = 3;
    if (tp_arena_status(arena) != TP_OK) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    return tp_trajectory_writer_create(arena->allocator, &to, &file->writer, why);
}

tp_status tp_sweep_file_add(tp_sweep_file *file, const tp_sweep_axes *axes, long long point,
                            const tp_sweep_result *result)
{
    double *row = file->row;
    row[0] = (double)point;
    for (int k = 0; k < file->axis_count; k++) row[1 + k] = tp_sweep_value(axes, point, k);
    size_t length = (size_t)(1 + file->value_count) * sizeof *row;
    for (size_t at = 0; at < result->points.count;
         at += length) { /* first: a row that is there has them all */
        memcpy(row + 1 + file->axis_count, result->points.bytes + at, length);
        TP_TRY(tp_trajectory_writer_add(file->writer, 0, row));
    }
    row[1 + file->axis_count] = (double)result->status;
    memcpy(row + 2 + file->axis_count, result->values, (size_t)file->measure_count * sizeof *row);
    return tp_trajectory_writer_append(file->writer, row);
}

/* Points without their row are of a run that was not finished. */
tp_status tp_sweep_file_take_up(tp_sweep_file *file, const tp_trajectory *old, tp_message *why)
{
    const tp_table *points = tp_trajectory_table(old, "points");
    int point_columns = 2 + file->axis_count + file->value_count;
    if (old->column_count != file->column_count || (points && points->column_count != point_columns))
        return tp_fail(why, TP_INVALID_DATA, "a table with other columns");
    long long p = 0;
    for (long long r = 0; r < old->row_count; r++) { /* in the order in which they were written */
        for (; points && p < points->row_count && points->values[0][p] <= old->values[0][r]; p++) {
            for (int c = 0; c < point_columns; c++) file->row[c] = points->values[c][p];
            TP_TRY(tp_trajectory_writer_add(file->writer, 0, file->row));
        }
        for (int c = 0; c < file->column_count; c++) file->row[c] = old->values[c][r];
        TP_TRY(tp_trajectory_writer_append(file->writer, file->row));
    }
    return tp_trajectory_writer_flush(file->writer);
}

const char *tp_sweep_description(const tp_trajectory *table)
{
    return tp_restart_text(table, "sweep");
}

double tp_sweep_number(const tp_trajectory *table, const char *name)
{
    const tp_table_attribute *found = tp_restart_attribute(table, name);
    return found ? found->number : NAN;
}
