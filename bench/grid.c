/* From lines of CSV to a grid. */
#include "grid.h"
#include "files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool bench_is_siconos(const char *solver)
{
    return strncmp(solver, "siconos-", 8) == 0;
}

/* Local, global and rolling friction, not complementarity problems without contacts. */
static bool is_friction(const bench_record *record)
{
    return strstr(record->kind, "local") != NULL || strstr(record->kind, "global") != NULL;
}

static int find_file(const bench_grid *grid, const char *file)
{
    for (int i = 0; i < grid->file_count; i++) {
        if (strcmp(grid->files[i]->file, file) == 0) return i;
    }
    return -1;
}

static int find_solver(const bench_grid *grid, const char *solver)
{
    for (int i = 0; i < grid->solver_count; i++) {
        if (strcmp(grid->solvers[i]->solver, solver) == 0) return i;
    }
    return -1;
}

static void collect_names(const bench_table *table, const char *manifest, bench_grid *grid)
{
    for (int i = 0; i < table->count; i++) {
        const bench_record *record = &table->records[i];
        if (!is_friction(record) || bench_manifest_is_unsolvable(manifest, record->file)) continue;
        if (find_file(grid, record->file) < 0) grid->files[grid->file_count++] = record;
        if (find_solver(grid, record->solver) < 0) grid->solvers[grid->solver_count++] = record;
    }
}

static int level_of(const bench_record *record)
{
    for (int i = 0; i < BENCH_LEVELS; i++) {
        if (fabs(record->level - bench_levels[i]) < 0.5 * bench_levels[i]) return i;
    }
    return -1;
}

static void fill(const bench_table *table, double limit, bench_grid *grid)
{
    int cells = grid->file_count * grid->solver_count;
    for (int i = 0; i < BENCH_LEVELS * cells; i++) grid->seconds[i] = NAN;
    for (int i = 0; i < table->count; i++) {
        const bench_record *record = &table->records[i];
        int file = find_file(grid, record->file), solver = find_solver(grid, record->solver),
            level = level_of(record);
        if (file < 0 || solver < 0 || level < 0) continue;
        int cell = file * grid->solver_count + solver;
        if (strcmp(record->status, BENCH_UNSUPPORTED) != 0) grid->was_tried[cell] = true;
        if (bench_is_reached(record) && record->seconds <= limit)
            grid->seconds[level * cells + cell] = record->seconds;
    }
}

bool bench_grid_make(const bench_table *table, const char *manifest, double limit, bench_grid *grid_out)
{
    bench_grid *grid = grid_out;
    *grid = (bench_grid){0};
    size_t count = (size_t)table->count + 1;
    grid->files = malloc(count * sizeof *grid->files);
    grid->solvers = malloc(count * sizeof *grid->solvers);
    if (grid->files == NULL || grid->solvers == NULL) return false;
    collect_names(table, manifest, grid);
    size_t cells = (size_t)grid->file_count * (size_t)grid->solver_count + 1;
    grid->seconds = malloc(BENCH_LEVELS * cells * sizeof *grid->seconds);
    grid->was_tried = calloc(cells, sizeof *grid->was_tried);
    if (grid->seconds == NULL || grid->was_tried == NULL) return false;
    fill(table, limit, grid);
    return true;
}

void bench_grid_free(bench_grid *grid)
{
    free(grid->files);
    free(grid->solvers);
    free(grid->seconds);
    free(grid->was_tried);
    *grid = (bench_grid){0};
}

double bench_grid_at(const bench_grid *grid, int level, int file, int solver)
{
    return grid->seconds[(level * grid->file_count + file) * grid->solver_count + solver];
}
