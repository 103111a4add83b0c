/* The steps of a run, and between them frames for the page and answers to the browser. */
#define _POSIX_C_SOURCE 200809L
#include "live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "loopback.h"
#include "progress.h"
#include "tippe/page.h"
#include "tippe/simulation.h"

/* Frames that a run without output_every has at most, curves of the first panel, waits for a browser. */
enum { FRAMES = 5000, PANEL_CURVES = 6, STEP_COLUMNS = 4, WAIT = 200 /* [ms] */ };
static const double serve_every = 0.05; /* [s] of the wall clock, while the run goes on */

typedef struct live {
    tp_simulation *simulation;
    tp_page *page;
    loopback server;
    int sensor_count, q_count, column_count, law_count;
    tp_table_column *columns;
    double *values;
    double frame_every, next_frame; /* [s] */
    double shown_until;             /* time of the last frame [s] */
    double served_at;               /* wall clock [s] */
    bool is_finished;
    tp_status status; /* of the page */
} live;

/* ---- columns ------------------------------------------------------------------------------------------- */

/* Those of every run: the numbers of a step. */
static void fill_step(const tp_simulation *simulation, double *values)
{
    const tp_step_report *step = tp_simulation_last_step(simulation);
    values[0] = step->energy, values[1] = step->residual, values[2] = step->position_error;
    values[3] = step->penetration;
}

static bool name_columns(live *run, const tp_model *model, const tp_page_curve **curves_out,
                         int *curve_count_out)
{
    static const tp_table_column step[STEP_COLUMNS] = {{"energy", "J", ""},
                                                       {"step/residual", "", ""},
                                                       {"step/position_error", "m", ""},
                                                       {"step/penetration", "m", ""}};
    tp_model_summary summary = tp_model_summarise(model);
    run->sensor_count = summary.sensor_count, run->q_count = summary.coordinate_count;
    run->law_count = summary.law_count;
    run->column_count = run->sensor_count + STEP_COLUMNS + run->q_count;
    run->columns = calloc((size_t)run->column_count, sizeof *run->columns);
    run->values = calloc((size_t)run->column_count, sizeof *run->values);
    static tp_page_curve curves[PANEL_CURVES + 2];
    int count = 0, shown = run->sensor_count > 0 ? run->sensor_count : run->q_count;
    int first = run->sensor_count > 0 ? 0 : run->sensor_count + STEP_COLUMNS;
    if (run->columns == NULL || run->values == NULL) return false;
    for (int i = 0; i < run->sensor_count; ++i)
        run->columns[i] = (tp_table_column){tp_model_sensor_name(model, i), "", ""};
    memcpy(run->columns + run->sensor_count, step, sizeof step);
    for (int i = 0; i < run->q_count; ++i) {
        run->columns[run->sensor_count + STEP_COLUMNS + i] =
            (tp_table_column){tp_model_coordinate_name(model, i), "", ""};
    }
    for (; count < shown && count < PANEL_CURVES; ++count)
        curves[count] = (tp_page_curve){0, -1, first + count};
    for (int k = 0; k < 2; ++k) curves[count++] = (tp_page_curve){1 + k, -1, run->sensor_count + k};
    *curves_out = curves, *curve_count_out = count;
    return true;
}

static void fill_values(live *run)
{
    const double *q = tp_simulation_q(run->simulation);
    double *values = run->values;
    for (int i = 0; i < run->sensor_count; ++i) *values++ = tp_simulation_sensor(run->simulation, i);
    fill_step(run->simulation, values);
    memcpy(values + STEP_COLUMNS, q, (size_t)run->q_count * sizeof *q);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static tp_status report(live *run)
{
    static char warnings[TP_WARNINGS_MAX * TP_WARNING_LINE];
    tp_table_attribute list[TP_REPORT_ATTRIBUTES_MAX];
    const tp_run_report *now = tp_simulation_report(run->simulation);
    tp_warnings_format(now, warnings);
    return tp_page_set_report(run->page, list, tp_report_attributes(now, warnings, list));
}

static tp_status add_frame(live *run)
{
    const tp_simulation *simulation = run->simulation;
    tp_contact_info contact;
    run->shown_until = tp_simulation_time(simulation);
    fill_values(run);
    TP_TRY(tp_page_add_frame(run->page, run->shown_until, tp_simulation_q(simulation),
                             tp_simulation_states(simulation), run->values));
    for (int law = run->law_count; law < tp_simulation_law_count(simulation); ++law) {
        if (tp_simulation_contact(simulation, law, &contact))
            TP_TRY(tp_page_add_contact(run->page, &contact, tp_simulation_step_size(simulation)));
    }
    return report(run);
}

static tp_status add_step(live *run)
{
    int count;
    double time = tp_simulation_time(run->simulation);
    const tp_event *events = tp_simulation_events(run->simulation, &count);
    for (int k = 0; k < count; ++k) TP_TRY(tp_page_add_event(run->page, &events[k]));
    if (time < run->next_frame) return TP_OK;
    run->next_frame = run->frame_every * (floor(time / run->frame_every + 1e-6) + 1.0);
    return add_frame(run);
}

/* The run has ended, whether as planned or not: its last state is shown. */
static tp_status add_end(live *run)
{
    run->is_finished = true;
    return run->shown_until < tp_simulation_time(run->simulation) ? add_frame(run) : report(run);
}

/* "/" is the page, "/news?FRAMES,FORCES,EVENTS" what has come since. */
static loopback_answer find_answer(void *self, const char *path)
{
    live *run = self;
    loopback_answer found = {NULL, NULL, 0};
    tp_page_place from;
    tp_message why;
    const char *text;
    if (strcmp(path, "/") == 0 && tp_page_text(run->page, true, &text, &found.count, &why) == TP_OK)
        found.kind = "text/html; charset=utf-8", found.bytes = text;
    if (sscanf(path, "/news?%lld,%lld,%lld", &from.frame, &from.force, &from.event) == 3 &&
        tp_page_news(run->page, from, run->is_finished, &found.bytes, &found.count) == TP_OK)
        found.kind = "application/octet-stream";
    return found;
}

static bool observe(void *self, const tp_simulation *simulation)
{
    live *run = self;
    (void)simulation;
    run->status = add_step(run);
    double now = progress_seconds();
    if (now - run->served_at >= serve_every) {
        loopback_serve(&run->server, 0, find_answer, run);
        run->served_at = now;
    }
    return run->status == TP_OK && !interrupt_has_come();
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static tp_status make_page(live *run, const tp_scene *scene, tp_message *why)
{
    const tp_page_curve *curves;
    int curve_count;
    if (!name_columns(run, scene->model, &curves, &curve_count))
        return tp_fail(why, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    const tp_page_def def = {.model = scene->model,
                             .title = scene->name,
                             .columns = run->columns,
                             .column_count = run->column_count,
                             .curves = curves,
                             .curve_count = curve_count,
                             .q = tp_simulation_q(run->simulation),
                             .x = tp_simulation_states(run->simulation)};
    return tp_page_create(NULL, &def, &run->page, why);
}

/* Steps to the end, then answers until Ctrl-C. What became of the run is the exit code, told when it ends. */
static tp_status watch(const cli_verb *self, live *run, const live_settings *settings, exit_code *code_out,
                       tp_message *why)
{
    if (!loopback_open(&run->server, settings->port))
        return tp_fail(why, TP_FILE_ERROR, "cannot listen on port %d: %s", settings->port, strerror(errno));
    printf("http://127.0.0.1:%d/ shows the run; Ctrl-C ends\n", run->server.port);
    fflush(stdout);
    interrupt_watch();
    tp_status status = tp_simulation_run(run->simulation, observe, run, why);
    if (run->status != TP_OK) return tp_fail(why, run->status, "%s", tp_status_text(run->status));
    bool is_cut = status == TP_INTERRUPTED;
    *code_out = is_cut ? (exit_code)interrupt_exit_code() : exit_code_of(status);
    if (status != TP_OK && !is_cut) complain("%s: %s", self->name, why->text);
    TP_TRY(add_end(run));
    if (settings->page_path != NULL) TP_TRY(tp_page_write(run->page, settings->page_path, why));
    if (!settings->is_quiet && !is_cut)
        printf("the run has ended at %g s; the page stays until Ctrl-C\n",
               tp_simulation_time(run->simulation));
    fflush(stdout);
    while (!interrupt_has_come()) loopback_serve(&run->server, WAIT, find_answer, run);
    return TP_OK;
}

exit_code live_run(const cli_verb *self, const tp_scene *scene, const tp_simulation_options *options,
                   const live_settings *settings)
{
    live run = {.server = {.listener = -1}, .shown_until = -INFINITY};
    tp_message why = {""};
    exit_code code = PROGRAM_DONE;
    run.frame_every = fmax(scene->output_every, options->end_time / FRAMES);
    tp_status status = tp_simulation_create(NULL, scene->model, options, &run.simulation, &why);
    if (status == TP_OK) status = make_page(&run, scene, &why);
    if (status == TP_OK) status = watch(self, &run, settings, &code, &why);
    loopback_close(&run.server);
    tp_page_free(run.page);
    tp_simulation_free(run.simulation);
    free(run.columns);
    free(run.values);
    return status == TP_OK ? code : end_with(self, status, &why);
}
