/* The table of tippe converge. */
#include "converge_report.h"

#include <math.h>

#include "run_report.h"
#include "tippe/plot.h"

static const tp_study_error *error_of(const tp_study_run *run, bool of_u)
{
    return of_u ? &run->u : &run->q;
}

static bool is_by_tolerance(const converge_result *result)
{
    return tp_study_is_by_tolerance(&tp_study_run_at(result->study, 0)->options);
}

/* Rounding is relative to the motion, which is the same on all levels. */
static double rounding_floor(const converge_result *result, bool of_u)
{
    double floor = 0.0;
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        floor = fmax(floor, tp_study_rounding(error_of(tp_study_run_at(result->study, k), of_u)));
    }
    return floor;
}

/* Between a level and the one before it; NaN for the first. */
static double order_at(const converge_result *result, int level, bool of_u, study_norm norm)
{
    if (level == 0) return NAN;
    const tp_study_run *coarse = tp_study_run_at(result->study, level - 1),
                       *fine = tp_study_run_at(result->study, level);
    return tp_study_order(tp_study_fineness(&coarse->options), study_norm_of(error_of(coarse, of_u), norm),
                          tp_study_fineness(&fine->options), study_norm_of(error_of(fine, of_u), norm),
                          rounding_floor(result, of_u));
}

static double fitted_order(const converge_result *result, bool of_u, study_norm norm)
{
    double steps[CONVERGE_LEVELS_MAX], errors[CONVERGE_LEVELS_MAX];
    int count = tp_study_run_count(result->study);
    for (int k = 0; k < count; ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        steps[k] = tp_study_fineness(&run->options);
        errors[k] = study_norm_of(error_of(run, of_u), norm);
    }
    return tp_study_order_fitted(count, steps, errors, rounding_floor(result, of_u));
}

/* ---- for a person -------------------------------------------------------------------------------------- */

static void print_level(const converge_result *result, int level, FILE *file)
{
    const tp_study_run *run = tp_study_run_at(result->study, level);
    fprintf(file, "%13.6g", tp_study_fineness(&run->options));
    if (!study_run_is_done(run)) {
        fprintf(file, "  %s: %s\n", run_status_name(run->status), run->reason);
        return;
    }
    fprintf(file, "%12lld", run->report.own_steps > 0 ? run->report.own_steps : run->report.steps);
    for (int of_u = 0; of_u < 2; ++of_u) {
        study_print_real(file, 13, 3, 'e', study_norm_of(error_of(run, of_u), result->norm));
        study_print_real(file, 8, 2, 'f', order_at(result, level, of_u, result->norm));
    }
    study_print_real(file, 12, 3, 'g', run->processor_time);
    fprintf(file, "\n");
}

void converge_print_lines(const converge_result *result, FILE *file)
{
    const tp_study_run *first = tp_study_run_at(result->study, 0);
    fprintf(file, "scene        %s\n", result->path);
    fprintf(file, "integrator   %s, until %.6g s\n", first->options.integrator, first->options.end_time);
    study_print_reference(tp_study_reference_of(result->study), result->norm, file);
    fprintf(file, "%13s%12s%13s%8s%13s%8s%12s\n", is_by_tolerance(result) ? "rtol" : "time step [s]", "steps",
            "error of q", "order", "error of u", "order", "time [s]");
    for (int k = 0; k < tp_study_run_count(result->study); ++k) print_level(result, k, file);
    fprintf(file, "%13s%12s%13s", "fitted", "", "");
    study_print_real(file, 8, 2, 'f', fitted_order(result, false, result->norm));
    fprintf(file, "%13s", "");
    study_print_real(file, 8, 2, 'f', fitted_order(result, true, result->norm));
    fprintf(file, "\n");
    run_report_print_warnings(&first->report, NULL, file);
}

/* ---- JSON and CSV -------------------------------------------------------------------------------------- */

static void write_orders(json_writer *json, const converge_result *result, const char *key, bool of_u)
{
    json_open_at(json, key, '{');
    json_real_at(json, "l1", fitted_order(result, of_u, NORM_L1));
    json_real_at(json, "max", fitted_order(result, of_u, NORM_MAX));
    json_real_at(json, "end", fitted_order(result, of_u, NORM_END));
    json_close(json, '}');
}

static void write_level(json_writer *json, const converge_result *result, int level)
{
    const tp_study_run *run = tp_study_run_at(result->study, level);
    json_open(json, '{');
    json_real_at(json, "dt", run->options.time_step);
    json_real_at(json, "rtol", tp_study_is_by_tolerance(&run->options) ? run->options.rtol : NAN);
    json_text_at(json, "status", run_status_name(run->status));
    json_text_at(json, "reason", run->reason);
    json_integer_at(json, "steps", run->report.steps);
    study_write_error(json, "q", &run->q);
    study_write_error(json, "u", &run->u);
    json_open_at(json, "order", '{');
    json_real_at(json, "q", order_at(result, level, false, result->norm));
    json_real_at(json, "u", order_at(result, level, true, result->norm));
    json_close(json, '}');
    run_report_write_warnings(json, &run->report);
    json_real_at(json, "cpu_s", run->processor_time);
    json_close(json, '}');
}

static const char *norm_name(study_norm norm)
{
    return norm == NORM_L1 ? "l1" : norm == NORM_MAX ? "max" : "end";
}

void converge_print_json(const converge_result *result, FILE *file)
{
    const tp_study_run *first = tp_study_run_at(result->study, 0);
    json_writer writer = json_begin_object(file);
    json_text_at(&writer, "status", result->code == PROGRAM_DONE ? "done" : "failed");
    json_text_at(&writer, "reason", result->reason);
    json_text_at(&writer, "scene", result->path);
    json_text_at(&writer, "integrator", first->options.integrator);
    json_real_at(&writer, "until", first->options.end_time);
    json_text_at(&writer, "norm", norm_name(result->norm));
    study_write_reference(&writer, tp_study_reference_of(result->study));
    json_open_at(&writer, "levels", '[');
    for (int k = 0; k < tp_study_run_count(result->study); ++k) write_level(&writer, result, k);
    json_close(&writer, ']');
    json_open_at(&writer, "order", '{');
    write_orders(&writer, result, "q", false);
    write_orders(&writer, result, "u", true);
    json_close(&writer, '}');
    json_end_object(&writer);
}

void converge_print_csv(const converge_result *result, FILE *file)
{
    fprintf(file, "%s,steps,q_l1,q_max,q_end,u_l1,u_max,u_end,q_order,u_order,status\n",
            is_by_tolerance(result) ? "rtol" : "dt");
    for (int k = 0; k < tp_study_run_count(result->study); ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        const double numbers[] = {run->q.mean,
                                  run->q.largest,
                                  run->q.end,
                                  run->u.mean,
                                  run->u.largest,
                                  run->u.end,
                                  order_at(result, k, false, result->norm),
                                  order_at(result, k, true, result->norm)};
        char text[32];
        json_format_real(tp_study_fineness(&run->options), text);
        fprintf(file, "%s,%lld", text, run->report.steps);
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
            text[0] = '\0'; /* what is not known is left empty */
            if (isfinite(numbers[i])) json_format_real(numbers[i], text);
            fprintf(file, ",%s", text);
        }
        fprintf(file, ",%s\n", run_status_name(run->status));
    }
}

/* ---- the figure ---------------------------------------------------------------------------------------- */

/* A straight line of the given order through the finest known error. */
static bool guide_line(const double *steps, const double *errors, int count, double order, double *line_out)
{
    int last = count - 1;
    while (last >= 0 && !(errors[last] > 0.0)) --last;
    if (last < 0) return false;
    for (int k = 0; k < count; ++k) line_out[k] = errors[last] * pow(steps[k] / steps[last], order);
    return true;
}

tp_status converge_plot(const converge_result *result, const char *path, tp_message *why_out)
{
    enum { CURVES = 4 };
    static const tp_plot_key keys[CURVES] = {{"coordinates", {.colour = 0}},
                                             {"velocities", {.colour = 1}},
                                             {"order 1", {.colour = TP_PLOT_BLACK, .dash = 1}},
                                             {"order 2", {.colour = TP_PLOT_BLACK, .dash = 3}}};
    double steps[CONVERGE_LEVELS_MAX], values[CURVES][CONVERGE_LEVELS_MAX];
    tp_plot_series series[CURVES];
    int count = tp_study_run_count(result->study), series_count = 2;
    for (int k = 0; k < count; ++k) {
        const tp_study_run *run = tp_study_run_at(result->study, k);
        steps[k] = tp_study_fineness(&run->options);
        values[0][k] = study_norm_of(&run->q, result->norm);
        values[1][k] = study_norm_of(&run->u, result->norm);
    }
    for (int order = 1; order <= 2; ++order) {
        series_count += guide_line(steps, values[0], count, order, values[1 + order]);
    }
    for (int s = 0; s < series_count; ++s) {
        series[s] = (tp_plot_series){.x = steps, .y = values[s], .count = count, .style = keys[s].style};
    }
    tp_plot_panel panel = {.x_label = is_by_tolerance(result) ? "rtol" : "time step [s]",
                           .y_label = "error",
                           .series = series,
                           .series_count = series_count,
                           .keys = keys,
                           .key_count = series_count,
                           .is_log = true,
                           .is_log_x = true};
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = &panel;
    figure.panel_count = 1;
    return tp_plot_write(NULL, &figure, path, why_out);
}
