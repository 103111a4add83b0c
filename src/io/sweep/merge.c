/* Tables of the shards of a sweep become one: what the sweep would have written in one piece. */
#include <string.h>

#include "sweep.h"

typedef struct merging {
    tp_arena *arena;
    const char *const *paths;
    tp_trajectory **tables;
    long long *rows, *points; /* [count] next of each */
    int count;
    double *row;
    tp_message *why;
} merging;

/* Each shard once, all of one sweep. */
static tp_status check_tables(const merging *m)
{
    for (int i = 0; i < m->count; i++) {
        const char *first = tp_sweep_description(m->tables[0]), *now = tp_sweep_description(m->tables[i]);
        if (!now) return tp_fail(m->why, TP_INVALID_DATA, "%s is not the table of a sweep", m->paths[i]);
        if (strcmp(first, now) != 0 || strcmp(m->tables[0]->scene_text, m->tables[i]->scene_text) != 0)
            return tp_fail(m->why, TP_INVALID_DATA, "%s and %s are not of the same sweep", m->paths[0],
                           m->paths[i]);
        if (tp_sweep_number(m->tables[i], "shard_count") != m->count)
            return tp_fail(m->why, TP_INVALID_DATA, "%s is one of %g shards, but there are %d tables",
                           m->paths[i], tp_sweep_number(m->tables[i], "shard_count"), m->count);
        for (int j = 0; j < i; j++) {
            if (tp_sweep_number(m->tables[i], "shard") == tp_sweep_number(m->tables[j], "shard"))
                return tp_fail(m->why, TP_INVALID_DATA, "%s and %s are the same shard", m->paths[j],
                               m->paths[i]);
        }
    }
    return TP_OK;
}

/* The table whose next row has the lowest number in a column of run numbers; -1: no rows are left. */
static int lowest(const merging *m, bool is_points, double *run_out)
{
    int best = -1;
    for (int i = 0; i < m->count; i++) {
        const tp_table *points = tp_trajectory_table(m->tables[i], "points");
        long long next = is_points ? m->points[i] : m->rows[i];
        long long count = !is_points ? m->tables[i]->row_count : points ? points->row_count : 0;
        if (next >= count) continue;
        double run = is_points ? points->values[0][next] : m->tables[i]->values[0][next];
        if (best < 0 || run < *run_out) best = i, *run_out = run;
    }
    return best;
}

static tp_status copy_rows(merging *m, tp_trajectory_writer *writer, long long *row_count_out)
{
    double run = 0.0;
    *row_count_out = 0;
    for (int i; (i = lowest(m, false, &run)) >= 0; m->rows[i]++, ++*row_count_out) {
        if (run != (double)*row_count_out)
            return tp_fail(m->why, TP_INVALID_DATA, "point %lld is missing: a shard is not finished",
                           *row_count_out);
        for (int p; (p = lowest(m, true, &run)) == i && run == (double)*row_count_out; m->points[i]++) {
            const tp_table *points = tp_trajectory_table(m->tables[i], "points");
            for (int c = 0; c < points->column_count; c++) m->row[c] = points->values[c][m->points[i]];
            TP_TRY(tp_trajectory_writer_add(writer, 0, m->row));
        }
        for (int c = 0; c < m->tables[i]->column_count; c++) m->row[c] = m->tables[i]->values[c][m->rows[i]];
        TP_TRY(tp_trajectory_writer_append(writer, m->row));
    }
    return TP_OK;
}

static tp_status write_merged(merging *m, const char *path, long long *row_count_out)
{
    const tp_trajectory *first = m->tables[0];
    const tp_table_attribute about[] = {
        {"sweep", tp_sweep_description(first), 0.0}, {"shard", NULL, 0.0}, {"shard_count", NULL, 1.0}};
    tp_table_def def = tp_table_def_default();
    def.path = path, def.format = "hdf5", def.columns = first->columns,
    def.column_count = first->column_count;
    def.tables = first->tables, def.table_count = first->table_count, def.scene_text = first->scene_text;
    def.attributes = about, def.attribute_count = 3;
    tp_trajectory_writer *writer = NULL;
    TP_TRY(tp_trajectory_writer_create(m->arena->allocator, &def, &writer, m->why));
    tp_status status = copy_rows(m, writer, row_count_out);
    const tp_table_attribute summary[] = {{"points", NULL, (double)*row_count_out}};
    tp_status closed = tp_trajectory_writer_close(writer, summary, 1, status == TP_OK ? m->why : NULL);
    return status == TP_OK ? closed : status;
}

tp_status tp_sweep_merge(const tp_allocator *allocator, const tp_hdf5_source *source,
                         const char *const *paths, int count, const char *path, long long *row_count_out,
                         tp_message *why_out)
{
    tp_arena arena = tp_arena_make(allocator);
    merging m = {.arena = &arena,
                 .paths = paths,
                 .tables = TP_ARENA_ARRAY(&arena, tp_trajectory *, count + 1),
                 .rows = TP_ARENA_ARRAY(&arena, long long, count + 1),
                 .points = TP_ARENA_ARRAY(&arena, long long, count + 1),
                 .count = count,
                 .why = why_out};
    tp_status status = count > 0 ? TP_OK : tp_fail(why_out, TP_INVALID_ARGUMENT, "no tables to merge");
    int widest = 0;
    for (int i = 0; i < count && m.tables; i++) {
        status = tp_trajectory_read_from(allocator, source, paths[i], &m.tables[i], why_out);
        if (status != TP_OK) break;
        const tp_table *points = tp_trajectory_table(m.tables[i], "points");
        if (m.tables[i]->column_count > widest) widest = m.tables[i]->column_count;
        if (points && points->column_count > widest) widest = points->column_count;
    }
    m.row = TP_ARENA_ARRAY(&arena, double, widest + 1);
    if (tp_arena_status(&arena) != TP_OK) status = tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory to merge");
    if (status == TP_OK) status = check_tables(&m);
    if (status == TP_OK) status = write_merged(&m, path, row_count_out);
    for (int i = 0; m.tables && i < count; i++) tp_trajectory_free(m.tables[i]);
    tp_arena_clear(&arena);
    return status;
}
