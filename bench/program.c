/* The frame of the measuring programs. */
#include "program.h"
#include "files.h"
#include "measure.h"
#include "summary.h"
#include "tippe/exchange.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bench_sink_put(const bench_sink *sink, const char *solver, double level, const bench_result *result,
                    const char *status)
{
    bench_record record = {.contacts = sink->problem->contact_count,
                           .rows = sink->problem->row_count,
                           .level = level,
                           .seconds = result != NULL ? result->seconds : NAN,
                           .error = result != NULL ? result->error : NAN,
                           .iterations = result != NULL ? result->iterations : -1};
    snprintf(record.file, sizeof record.file, "%s", sink->file);
    snprintf(record.kind, sizeof record.kind, "%s", sink->problem->kind);
    snprintf(record.solver, sizeof record.solver, "%s", solver);
    snprintf(record.status, sizeof record.status, "%s", status);
    bench_write_record(sink->out, &record);
    return bench_table_add(sink->table, &record);
}

const char *bench_end_text(bench_end end)
{
    switch (end) {
    case BENCH_END_DONE: return BENCH_MISSED;
    case BENCH_END_TIME_LIMIT: return BENCH_TIME_LIMIT;
    default: return BENCH_CRASHED;
    }
}

/* A file that cannot be read is reported; the others can still be measured. */
static bool measure_file(const bench_settings *settings, bench_measure measure, const char *file, FILE *out,
                         bench_table *table)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", settings->problems, file);
    tp_problem *problem = NULL;
    tp_message why;
    if (tp_problem_read(NULL, path, &problem, &why) != TP_OK) {
        fprintf(stderr, "%s\n", why.text);
        return true;
    }
    bench_sink sink = {.file = file, .problem = problem, .out = out, .table = table};
    bool is_fine = measure(settings, &sink);
    tp_problem_free(problem);
    return is_fine;
}

static bool measure_all(const bench_settings *settings, bench_measure measure, bench_table *table)
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
        is_fine = measure_file(settings, measure, files.names[i], out, table);
    }
    if (out != NULL && fclose(out) != 0) is_fine = false;
    bench_files_free(&files);
    return is_fine;
}

int bench_main(int count, char **arguments, const char *default_out, bench_measure measure)
{
    bench_use_one_thread(arguments);
    bench_settings settings;
    int code;
    if (!bench_settings_parse(count, arguments, default_out, &settings, &code)) return code;
    bench_table table = {0};
    bool is_fine = measure_all(&settings, measure, &table) &&
                   (settings.against == NULL || bench_read_records(settings.against, &table));
    if (is_fine) {
        char *manifest = bench_manifest_read(settings.problems);
        bench_summary_print(stdout, &table, manifest, settings.timing.limit);
        free(manifest);
    }
    bench_table_free(&table);
    return is_fine ? 0 : 4;
}
