/* The summary; README.md says what its figures mean. */
#include "summary.h"
#include "grid.h"

#include <math.h>
#include <string.h>

enum { MANY_CONTACTS = 20 }; /* below, a solve takes microseconds and the overhead of a call decides */

typedef struct ratio {
    double log_sum;
    int count;                 /* problems that both reach */
    int only_here, only_there; /* problems that one of them reaches */
} ratio;

static void print_reached(FILE *out, const bench_grid *grid)
{
    fprintf(out, "Of %d friction problems that are not known to be unsolvable:\n\n", grid->file_count);
    fprintf(out,
            "| solver | accepts | E <= 1e-4 | E <= 1e-8 | E <= 1e-12 |\n| --- | --- | --- | --- | --- |\n");
    for (int solver = 0; solver < grid->solver_count; solver++) {
        int tried = 0, reached[BENCH_LEVELS] = {0};
        for (int file = 0; file < grid->file_count; file++) {
            if (!grid->was_tried[file * grid->solver_count + solver]) continue;
            tried++;
            for (int level = 0; level < BENCH_LEVELS; level++) {
                if (!isnan(bench_grid_at(grid, level, file, solver))) reached[level]++;
            }
        }
        fprintf(out, "| %s | %d | %d | %d | %d |\n", grid->solvers[solver]->solver, tried, reached[0],
                reached[1], reached[2]);
    }
}

/* Least time on a file of auto itself, of the other Tippe solvers, or of Siconos; NaN: none reaches the
 * level. */
typedef enum group { GROUP_AUTO, GROUP_OTHERS, GROUP_SICONOS } group;

static group group_of(const char *solver)
{
    if (bench_is_siconos(solver)) return GROUP_SICONOS;
    return strcmp(solver, "auto") == 0 ? GROUP_AUTO : GROUP_OTHERS;
}

/* The fastest solver of a group on a file, or -1 if none reaches the level. */
static int fastest(const bench_grid *grid, int level, int file, group which)
{
    int found = -1;
    for (int solver = 0; solver < grid->solver_count; solver++) {
        double seconds = bench_grid_at(grid, level, file, solver);
        if (group_of(grid->solvers[solver]->solver) != which || isnan(seconds)) continue;
        if (found < 0 || seconds < bench_grid_at(grid, level, file, found)) found = solver;
    }
    return found;
}

/* Least time of a group on a file; NaN: none reaches the level. */
static double least_time(const bench_grid *grid, int level, int file, group which)
{
    int solver = fastest(grid, level, file, which);
    return solver >= 0 ? bench_grid_at(grid, level, file, solver) : NAN;
}

/* A group is compared only on files that some solver of it was run on. */
static bool was_tried(const bench_grid *grid, int file, group which)
{
    for (int solver = 0; solver < grid->solver_count; solver++) {
        if (group_of(grid->solvers[solver]->solver) == which &&
            grid->was_tried[file * grid->solver_count + solver])
            return true;
    }
    return false;
}

static ratio compare(const bench_grid *grid, int level, group other, int least_contacts)
{
    ratio r = {0};
    for (int file = 0; file < grid->file_count; file++) {
        if (grid->files[file]->contacts < least_contacts || !was_tried(grid, file, GROUP_AUTO) ||
            !was_tried(grid, file, other))
            continue;
        double here = least_time(grid, level, file, GROUP_AUTO), there = least_time(grid, level, file, other);
        if (!isnan(here) && !isnan(there)) {
            r.log_sum += log(here / there);
            r.count++;
        }
        if (!isnan(here) && isnan(there)) r.only_here++;
        if (isnan(here) && !isnan(there)) r.only_there++;
    }
    return r;
}

static void print_ratios(FILE *out, const bench_grid *grid, group other, const char *name)
{
    static const int least_contacts[] = {0, MANY_CONTACTS};
    for (int size = 0; size < 2; size++) {
        for (int level = 0; level < BENCH_LEVELS; level++) {
            ratio r = compare(grid, level, other, least_contacts[size]);
            if (r.count + r.only_here + r.only_there == 0) continue;
            fprintf(out, "| auto / %s | %d | %.0e | ", name, least_contacts[size], bench_levels[level]);
            if (r.count > 0) fprintf(out, "%.2f", exp(r.log_sum / r.count));
            fprintf(out, " | %d | %d | %d |\n", r.count, r.only_here, r.only_there);
        }
    }
}

void bench_summary_print(FILE *out, const bench_table *table, const char *manifest, double limit)
{
    bench_grid grid;
    if (bench_grid_make(table, manifest, limit, &grid)) {
        print_reached(out, &grid);
        fprintf(out, "\nGeometric mean of the ratio of times, each file compared with the fastest of the "
                     "group there:\n\n"
                     "| ratio | contacts at least | E | mean | both reach | only auto | only the other |\n"
                     "| --- | --- | --- | --- | --- | --- | --- |\n");
        print_ratios(out, &grid, GROUP_OTHERS, "best other solver");
        print_ratios(out, &grid, GROUP_SICONOS, "fastest of Siconos");
    }
    bench_grid_free(&grid);
}

static void write_fastest(FILE *out, const bench_grid *grid, int level, int file, group which)
{
    int solver = fastest(grid, level, file, which);
    if (solver < 0) {
        fprintf(out, which == GROUP_AUTO ? "," : ",,");
    } else if (which == GROUP_AUTO) {
        fprintf(out, ",%.3g", bench_grid_at(grid, level, file, solver));
    } else {
        fprintf(out, ",%s,%.3g", grid->solvers[solver]->solver, bench_grid_at(grid, level, file, solver));
    }
}

void bench_summary_write(FILE *out, const bench_table *table, const char *manifest, double limit)
{
    bench_grid grid;
    if (bench_grid_make(table, manifest, limit, &grid)) {
        fprintf(out, "file,contacts,rows,level,auto,other,other_seconds,siconos,siconos_seconds\n");
        for (int i = 0; i < grid.file_count * BENCH_LEVELS; i++) {
            int file = i / BENCH_LEVELS, level = i % BENCH_LEVELS;
            const bench_record *record = grid.files[file];
            fprintf(out, "%s,%d,%d,%.0e", record->file, record->contacts, record->rows, bench_levels[level]);
            write_fastest(out, &grid, level, file, GROUP_AUTO);
            write_fastest(out, &grid, level, file, GROUP_OTHERS);
            write_fastest(out, &grid, level, file, GROUP_SICONOS);
            fprintf(out, "\n");
        }
    }
    bench_grid_free(&grid);
}
