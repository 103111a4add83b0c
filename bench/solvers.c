/* Times of Tippe's solvers: every solver, every problem file, every level of accuracy; README.md. */
#include "files.h"
#include "measure.h"
#include "records.h"
#include "settings.h"
#include "summary.h"
#include "tippe/exchange.h"
#include "tippe/solver.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One solver on one problem, in the child. */
typedef struct job {
    const tp_problem *problem;
    const char *solver;
    const bench_timing *timing;
    tp_solver_options options;
    tp_workspace *workspace;
    double *P;
    tp_report report;
} job;

static double solve_once(void *context)
{
    job *j = context;
    double start = bench_processor_time();
    tp_solve(j->problem, j->solver, &j->options, j->workspace, j->P, NULL, &j->report);
    return bench_processor_time() - start;
}

/* The solver's own report is not asked whether it succeeded. */
static const char *judge(const job *j, double level, double *error_out)
{
    *error_out = NAN;
    if (j->report.status == TP_UNSUPPORTED) return BENCH_UNSUPPORTED;
    tp_certificate certificate;
    if (tp_problem_error(j->problem, j->P, &certificate) != TP_OK) return BENCH_MISSED;
    *error_out = certificate.error;
    if (certificate.error <= level) return BENCH_REACHED;
    return j->report.status == TP_INFEASIBLE ? BENCH_INFEASIBLE : BENCH_MISSED;
}

static void solve_level(job *j, double level, int pipe)
{
    bench_result result = {.level = level};
    j->options.tolerance = level;
    bench_limit_processor_time(j->timing->limit);
    result.seconds = solve_once(j); /* makes the workspace; counts only where it is the only one */
    const char *status = judge(j, level, &result.error);
    result.iterations = j->report.iterations;
    bool is_reached = strcmp(status, BENCH_REACHED) == 0;
    if (is_reached && result.seconds < j->timing->long_solve) {
        result.seconds = bench_median_time(j->timing, solve_once, j);
    }
    snprintf(result.status, sizeof result.status, "%s", status);
    bench_send(pipe, &result);
}

static void solve_levels(void *context, int pipe)
{
    job *j = context;
    size_t count = (size_t)j->problem->row_count + 1;
    j->P = calloc(count, sizeof *j->P);
    if (j->P == NULL || tp_workspace_create(NULL, &j->workspace) != TP_OK) abort();
    for (int i = 0; i < BENCH_LEVELS; i++) solve_level(j, bench_levels[i], pipe);
}

static bool measure(const bench_settings *settings, const tp_problem *problem, const char *file,
                    const char *solver, FILE *out, bench_table *table)
{
    job j = {.problem = problem,
             .solver = solver,
             .timing = &settings->timing,
             .options = tp_solver_options_default()};
    bench_result results[BENCH_LEVELS];
    bench_end end;
    int count = bench_run_child(solve_levels, &j, BENCH_LEVELS, results, &end);
    for (int i = 0; i < BENCH_LEVELS; i++) {
        bench_record record = {.contacts = problem->contact_count,
                               .rows = problem->row_count,
                               .level = bench_levels[i],
                               .seconds = NAN,
                               .error = NAN,
                               .iterations = -1};
        snprintf(record.file, sizeof record.file, "%s", file);
        snprintf(record.kind, sizeof record.kind, "%s", problem->kind);
        snprintf(record.solver, sizeof record.solver, "%s", solver);
        if (i < count) {
            record.seconds = results[i].seconds;
            record.error = results[i].error;
            record.iterations = results[i].iterations;
        }
        snprintf(record.status, sizeof record.status, "%s",
                 i < count                     ? results[i].status
                 : end == BENCH_END_TIME_LIMIT ? BENCH_TIME_LIMIT
                                               : BENCH_CRASHED);
        bench_write_record(out, &record);
        if (!bench_table_add(table, &record)) return false;
    }
    return true;
}

static bool measure_file(const bench_settings *settings, const char *file, FILE *out, bench_table *table)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", settings->problems, file);
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_read(NULL, path, &problem, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        return true; /* the others can still be measured */
    }
    bool is_fine = true;
    for (int i = 0; i < tp_solver_count() && is_fine; i++) {
        const char *solver = tp_solver_info_at(i)->name;
        if (!bench_settings_wants(settings, solver)) continue;
        is_fine = measure(settings, problem, file, solver, out, table);
    }
    tp_problem_free(problem);
    return is_fine;
}

static bool measure_all(const bench_settings *settings, bench_table *table)
{
    bench_files files;
    if (!bench_files_find(settings->problems, &files)) return false;
    FILE *out = fopen(settings->out, "w");
    bool is_fine = out != NULL;
    if (!is_fine) fprintf(stderr, "%s: %s\n", settings->out, strerror(errno));
    if (is_fine) bench_write_header(out);
    for (int i = 0; i < files.count && is_fine; i++) {
        if (settings->only != NULL && strstr(files.names[i], settings->only) == NULL) continue;
        fprintf(stderr, "%d of %d: %s\n", i + 1, files.count, files.names[i]);
        is_fine = measure_file(settings, files.names[i], out, table);
    }
    if (out != NULL) fclose(out);
    bench_files_free(&files);
    return is_fine;
}

int main(int count, char **arguments)
{
    bench_use_one_thread(arguments);
    bench_settings settings;
    int code;
    if (!bench_settings_parse(count, arguments, "bench-tippe.csv", &settings, &code)) return code;
    bench_table table = {0};
    bool is_fine = measure_all(&settings, &table) &&
                   (settings.against == NULL || bench_read_records(settings.against, &table));
    if (is_fine) {
        char *manifest = bench_manifest_read(settings.problems);
        bench_summary_print(stdout, &table, manifest);
        free(manifest);
    }
    bench_table_free(&table);
    return is_fine ? 0 : 4;
}
