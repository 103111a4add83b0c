/* The table of tippe compare. */
#include "compare_report.h"

#include <math.h>
#include <stddef.h>

#include "run_report.h"
#include "tippe/plot.h"

/* A refusal is reported as such, not as an error. */
static const char *status_name(const tp_study_run *run)
{
    bool is_refused = !run->has_started && exit_code_of(run->status) == PROGRAM_BAD_INPUT;
    return is_refused ? "refused" : run_status_name(run->status);
}

/* ---- for a person -------------------------------------------------------------------------------------- */

static void print_name(const tp_study_run *run, FILE *file)
{
    fprintf(file, "%-30s", run->options.integrator);
}

/* Rows of runs that did not reach the end say why in the first table and are left out of the others. */
static void print_cost(const compare_result *result, FILE *file)
{
    fprintf(file, "%-30s%13s%10s%12s%12s%9s%12s\n", "", "time step [s]", "steps", "error of q", "error of u",
            "impacts", "time [s]");
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        print_name(run, file);
        char fineness[STUDY_FINENESS_MAX];
        if (tp_study_is_by_tolerance(&run->options)) {
            fprintf(file, "%13s", study_fineness_text(&run->options, fineness));
        } else {
            fprintf(file, "%13.6g", run->options.time_step);
        }
        if (!study_run_is_done(run)) {
            fprintf(file, "  %s: %s\n", status_name(run), run->reason);
            continue;
        }
        fprintf(file, "%10lld", run->report.own_steps > 0 ? run->report.own_steps : run->report.steps);
        study_print_real(file, 12, 3, 'e', study_norm_of(&run->q, result->norm));
        study_print_real(file, 12, 3, 'e', study_norm_of(&run->u, result->norm));
        fprintf(file, "%9lld", run->report.impacts);
        study_print_real(file, 12, 3, 'g', run->processor_time);
        fprintf(file, "\n");
    }
}

typedef struct figure_column {
    const char *title;
    int width, digits;
    char form;
    size_t offset; /* of a double in tp_run_report */
} figure_column;

#define FIGURE(title, width, digits, form, field)                                                            \
    {                                                                                                        \
        title, width, digits, form, offsetof(tp_run_report, field)                                           \
    }
static const figure_column energy_columns[] = {
    FIGURE("start", 16, 9, 'g', energy_initial),
    FIGURE("end", 16, 9, 'g', energy_final),
    FIGURE("largest increase", 20, 3, 'g', largest_energy_increase),
};
static const figure_column drift_columns[] = {
    FIGURE("position", 12, 2, 'e', position_drift),    FIGURE("angle", 12, 2, 'e', angle_drift),
    FIGURE("velocity", 12, 2, 'e', velocity_drift),    FIGURE("spin", 12, 2, 'e', angular_velocity_drift),
    FIGURE("penetration", 13, 2, 'e', penetration),    FIGURE("limit angle", 12, 2, 'e', limit_angle),
    FIGURE("iterations", 12, 3, 'g', iterations_mean), FIGURE("residual", 10, 1, 'e', residual_max),
};
enum {
    ENERGY_COLUMNS = sizeof energy_columns / sizeof energy_columns[0],
    DRIFT_COLUMNS = sizeof drift_columns / sizeof drift_columns[0]
};

static void print_figures(const compare_result *result, const char *title, const figure_column *columns,
                          int count, FILE *file)
{
    fprintf(file, "\n%-30s", title);
    for (int c = 0; c < count; ++c) fprintf(file, "%*s", columns[c].width, columns[c].title);
    fprintf(file, "\n");
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        if (!study_run_is_done(run)) continue;
        print_name(run, file);
        for (const figure_column *c = columns; c < columns + count; ++c) {
            const char *field = (const char *)&run->report + c->offset;
            study_print_real(file, c->width, c->digits, c->form, *(const double *)field);
        }
        fprintf(file, "\n");
    }
}

void compare_print_lines(const compare_result *result, FILE *file)
{
    fprintf(file, "scene        %s\n", result->path);
    fprintf(file, "until        %.6g s\n", tp_study_run_at(result->study, 0)->options.end_time);
    study_print_reference(tp_study_reference_of(result->study), result->norm, file);
    print_cost(result, file);
    print_figures(result, "energy [J]", energy_columns, ENERGY_COLUMNS, file);
    print_figures(result, "drift and solver", drift_columns, DRIFT_COLUMNS, file);
    for (int k = 0; k < result->left_out_count; ++k) {
        fprintf(file, "%sleft out     %s: %s\n", k == 0 ? "\n" : "", result->left_out[k].integrator,
                result->left_out[k].reason);
    }
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        run_report_print_warnings(&run->report, run->options.integrator, file);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void write_run(json_writer *json, const tp_study_run *run)
{
    tp_run_report report = run->has_started ? run->report : run_report_unknown();
    const char *asked = run->options.solver != NULL ? run->options.solver : "auto";
    json_open(json, '{');
    json_text_at(json, "integrator", run->options.integrator);
    json_real_at(json, "dt", run->options.time_step);
    json_real_at(json, "rtol", tp_study_is_by_tolerance(&run->options) ? run->options.rtol : NAN);
    json_text_at(json, "status", status_name(run));
    json_text_at(json, "reason", run->reason);
    run_report_write_warnings(json, &report);
    json_integer_at(json, "steps", report.steps);
    json_real_at(json, "time", report.time);
    json_open_at(json, "error", '{');
    study_write_error(json, "q", &run->q);
    study_write_error(json, "u", &run->u);
    json_close(json, '}');
    run_report_write_figures(json, &report, report.solver != NULL ? report.solver : asked);
    json_real_at(json, "cpu_s", run->processor_time);
    json_close(json, '}');
}

void compare_print_json(const compare_result *result, FILE *file)
{
    json_writer writer = json_begin_object(file);
    json_text_at(&writer, "status", result->code == PROGRAM_DONE ? "done" : "failed");
    json_text_at(&writer, "reason", result->reason);
    json_text_at(&writer, "scene", result->path);
    json_real_at(&writer, "until", tp_study_run_at(result->study, 0)->options.end_time);
    study_write_reference(&writer, tp_study_reference_of(result->study));
    json_open_at(&writer, "runs", '[');
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        write_run(&writer, tp_study_run_at(result->study, k));
    }
    json_close(&writer, ']');
    json_open_at(&writer, "left_out", '[');
    for (int k = 0; k < result->left_out_count; ++k) {
        json_open(&writer, '{');
        json_text_at(&writer, "integrator", result->left_out[k].integrator);
        json_text_at(&writer, "reason", result->left_out[k].reason);
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    json_end_object(&writer);
}

/* ---- the figure ---------------------------------------------------------------------------------------- */

enum { PANELS = 3 };

typedef struct compare_figure {
    tp_plot_series series[PANELS][COMPARE_RUNS_MAX];
    tp_plot_key keys[COMPARE_RUNS_MAX];
    char labels[COMPARE_RUNS_MAX][80];
    int count;
} compare_figure;

/* Colours first; when they are used up, dashes distinguish the next ones. */
static void add_run(compare_figure *figure, const tp_study_run *run)
{
    int k = figure->count++;
    const tp_study_trace *trace = &run->trace;
    const double *const curves[PANELS] = {trace->q_error, trace->u_error, trace->energy};
    tp_plot_style style = {.colour = k, .dash = k / TP_PLOT_COLOURS};
    for (int p = 0; p < PANELS; ++p) {
        figure->series[p][k] = (tp_plot_series){trace->time, curves[p], trace->count, style, false};
    }
    char fineness[STUDY_FINENESS_MAX];
    snprintf(figure->labels[k], sizeof figure->labels[k], "%.40s, %s", run->options.integrator,
             study_fineness_text(&run->options, fineness));
    figure->keys[k] = (tp_plot_key){figure->labels[k], style};
}

tp_status compare_plot(const compare_result *result, const char *path, tp_message *why_out)
{
    static const char *const labels[PANELS] = {"error of q", "error of u", "energy [J]"};
    compare_figure content = {.count = 0};
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        if (run->has_started && run->trace.count > 0) add_run(&content, run);
    }
    tp_plot_panel panels[PANELS];
    for (int p = 0; p < PANELS; ++p) {
        panels[p] = (tp_plot_panel){.x_label = "time [s]",
                                    .y_label = labels[p],
                                    .series = content.series[p],
                                    .series_count = content.count,
                                    .is_log = p < 2};
    }
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = panels;
    figure.panel_count = PANELS;
    figure.keys = content.keys;
    figure.key_count = content.count;
    return tp_plot_write(NULL, &figure, path, why_out);
}
