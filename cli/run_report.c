/* What is printed after a run. The JSON object has all its keys in every case; what is not known is null. */
#include "run_report.h"

#include <math.h>

#include "json.h"
#include "tippe/multibody.h"
#include "tippe/states.h"

enum {
    STATE_LINES_MAX = 24
}; /* of the final state, for a person; JSON and the output files have all of it */

const char *run_status_name(tp_status status)
{
    switch (status) {
    case TP_OK:
    case TP_WARNED: return "done";
    case TP_NOT_CONVERGED:
    case TP_SINGULAR: return "not converged";
    case TP_INFEASIBLE: return "infeasible";
    case TP_INTERRUPTED: return "interrupted";
    case TP_INVALID_ARGUMENT:
    case TP_INVALID_DATA:
    case TP_OUT_OF_MEMORY:
    case TP_FILE_ERROR:
    case TP_UNSUPPORTED:
    case TP_INTERNAL: return "error";
    }
    return "error";
}

void run_result_conclude(run_result *result, tp_status status, const char *reason)
{
    if (reason == NULL || reason[0] == '\0') reason = tp_status_text(status);
    result->status = run_status_name(status);
    result->code = exit_code_of(status);
    snprintf(result->reason, sizeof result->reason, "%s", reason);
}

tp_run_report run_report_unknown(void)
{
    return (tp_run_report){.time = NAN,
                           .energy_initial = NAN,
                           .energy_final = NAN,
                           .largest_energy_increase = NAN,
                           .position_drift = NAN,
                           .angle_drift = NAN,
                           .velocity_drift = NAN,
                           .angular_velocity_drift = NAN,
                           .penetration = NAN,
                           .limit_angle = NAN,
                           .iterations_mean = NAN,
                           .residual_max = NAN,
                           .margin_max = NAN};
}

/* The report of the simulation, if there is one. */
static tp_run_report report_of(const run_result *result)
{
    return result->simulation != NULL ? *tp_simulation_report(result->simulation) : run_report_unknown();
}

void run_report_write_warnings(json_writer *json, const tp_run_report *report)
{
    json_open_at(json, "warnings", '[');
    for (int k = 0; k < report->warning_count; ++k) {
        const tp_warning *warning = &report->warnings[k];
        json_open(json, '{');
        json_text_at(json, "name", warning->name);
        json_real_at(json, "time", warning->time);
        json_text_at(json, "subject", warning->subject);
        json_real_at(json, "figure", warning->figure);
        json_text_at(json, "unit", warning->unit);
        json_integer_at(json, "count", warning->count);
        json_text_at(json, "text", warning->text);
        json_text_at(json, "remedy", warning->remedy);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_integer_at(json, "warnings_left_out", report->warnings_left_out);
}

void run_report_print_warnings(const tp_run_report *report, const char *whose, FILE *file)
{
    for (int k = 0; k < report->warning_count; ++k) {
        const tp_warning *warning = &report->warnings[k];
        fprintf(file, "warning      %s%s%s", whose != NULL ? whose : "", whose != NULL ? ": " : "",
                warning->name);
        if (warning->subject[0] != '\0') fprintf(file, ": %s", warning->subject);
        if (!isnan(warning->figure)) fprintf(file, ", %.3g", warning->figure);
        if (!isnan(warning->figure) && warning->unit[0] != '\0') fprintf(file, " %s", warning->unit);
        fprintf(file, " at %.9g s", warning->time);
        if (warning->count > 1) fprintf(file, " and later, %lld times", warning->count);
        fprintf(file, "\n             %s\n             remedy: %s\n", warning->text, warning->remedy);
    }
    if (report->warnings_left_out > 0)
        fprintf(file, "             and %lld more that are not listed\n", report->warnings_left_out);
}

void run_report_write_names(json_writer *json, const char *key, const tp_model *model,
                            const char *(*name_at)(const tp_model *model, int index), int count)
{
    json_open_at(json, key, '[');
    for (int k = 0; k < count; ++k) {
        json_text(json, name_at(model, k));
    }
    json_close(json, ']');
}

static void write_state(json_writer *json, const run_result *result)
{
    const tp_model *model = result->scene != NULL ? result->scene->model : NULL;
    tp_model_summary summary = {0};
    if (model != NULL) summary = tp_model_summarise(model);
    int q_count = summary.coordinate_count, u_count = summary.velocity_count;
    bool has_state = result->simulation != NULL;
    json_reals_at(json, "q", has_state ? tp_simulation_q(result->simulation) : NULL, has_state ? q_count : 0);
    json_reals_at(json, "u", has_state ? tp_simulation_u(result->simulation) : NULL, has_state ? u_count : 0);
    json_reals_at(json, "x", has_state ? tp_simulation_states(result->simulation) : NULL,
                  has_state ? summary.state_count : 0);
    json_open_at(json, "names", '{');
    run_report_write_names(json, "q", model, tp_model_coordinate_name, q_count);
    run_report_write_names(json, "u", model, tp_model_velocity_name, u_count);
    run_report_write_names(json, "x", model, tp_model_state_name, summary.state_count);
    json_close(json, '}');
}

/* Steps of integrators that choose their own; null for others. */
static void write_own_steps(json_writer *json, const tp_run_report *report)
{
    json_key(json, "own_steps");
    if (report->own_steps == 0) {
        json_text(json, NULL);
        return;
    }
    json_open(json, '{');
    json_integer_at(json, "accepted", report->own_steps);
    json_integer_at(json, "rejected", report->rejections);
    json_integer_at(json, "evaluations", report->evaluations);
    json_integer_at(json, "projections", report->projections);
    json_real_at(json, "shortest", report->shortest_step);
    json_real_at(json, "longest", report->longest_step);
    json_open_at(json, "statistics", '{');
    for (int k = 0; k < report->statistic_count; ++k)
        json_real_at(json, report->statistics[k].name, report->statistics[k].value);
    json_close(json, '}');
    json_close(json, '}');
}

void run_report_write_figures(json_writer *json, const tp_run_report *report, const char *solver)
{
    json_open_at(json, "energy", '{');
    json_real_at(json, "initial", report->energy_initial);
    json_real_at(json, "final", report->energy_final);
    json_real_at(json, "largest_increase", report->largest_energy_increase);
    json_close(json, '}');

    json_open_at(json, "storage", '{');
    json_real_at(json, "initial", report->storage_initial);
    json_real_at(json, "final", report->storage_final);
    json_real_at(json, "largest_increase", report->largest_storage_increase);
    json_close(json, '}');

    json_open_at(json, "drift", '{');
    json_real_at(json, "position", report->position_drift);
    json_real_at(json, "angle", report->angle_drift);
    json_real_at(json, "velocity", report->velocity_drift);
    json_real_at(json, "angular_velocity", report->angular_velocity_drift);
    json_real_at(json, "penetration", report->penetration);
    json_real_at(json, "limit_angle", report->limit_angle);
    json_close(json, '}');

    json_key(json, "correction");
    if (report->is_corrected) {
        json_open(json, '{');
        json_real_at(json, "largest", report->correction);
        json_real_at(json, "energy", report->correction_energy);
        json_close(json, '}');
    } else {
        json_text(json, NULL);
    }

    json_integer_at(json, "impacts", report->impacts);

    json_open_at(json, "solver", '{');
    json_text_at(json, "name", solver);
    json_real_at(json, "iterations_mean", report->iterations_mean);
    json_integer_at(json, "iterations_max", report->iterations_max);
    json_real_at(json, "residual_max", report->residual_max);
    json_real_at(json, "margin_max", report->margin_max);
    json_integer_at(json, "above_tolerance", report->above_tolerance);
    json_integer_at(json, "not_converged", report->not_converged);
    json_integer_at(json, "solutions_max", report->solutions_max);
    json_close(json, '}');
    write_own_steps(json, report);
}

/* The solver that worked, or that was asked for. */
static const char *solver_name(const run_result *result, const tp_run_report *report)
{
    if (report->solver != NULL) return report->solver;
    return result->options.solver != NULL ? result->options.solver : "auto";
}

/* Where a continued run began; null for others. */
static void write_restart(json_writer *json, const run_result *result, const tp_run_report *report)
{
    if (result->restart_path == NULL) {
        json_text_at(json, "restart", NULL);
        return;
    }
    json_open_at(json, "restart", '{');
    json_text_at(json, "file", result->restart_path);
    json_real_at(json, "time", report->start_time);
    json_integer_at(json, "steps", report->start_count);
    json_close(json, '}');
}

void run_result_print_json(const run_result *result, FILE *file)
{
    tp_run_report report = report_of(result);
    json_writer writer = json_begin_object(file);
    json_text_at(&writer, "status", result->status);
    json_text_at(&writer, "reason", result->reason);
    run_report_write_warnings(&writer, &report);
    json_text_at(&writer, "scene", result->path);
    json_text_at(&writer, "integrator", result->options.integrator);
    json_text_at(&writer, "form", report.form);
    json_integer_at(&writer, "steps", report.steps);
    json_real_at(&writer, "time", report.time);
    write_restart(&writer, result, &report);
    write_state(&writer, result);
    run_report_write_figures(&writer, &report, solver_name(result, &report));
    json_real_at(&writer, "wall_s", result->wall_time);
    json_end_object(&writer);
}

static void print_state_group(FILE *file, const tp_model *model,
                              const char *(*name_at)(const tp_model *model, int index), const double *values,
                              int count)
{
    int shown = count <= STATE_LINES_MAX ? count : STATE_LINES_MAX;
    for (int k = 0; k < shown; ++k) {
        fprintf(file, "  %-20s %16.9g\n", name_at(model, k), values[k]);
    }
    if (shown < count) fprintf(file, "  ... and %d more\n", count - shown);
}

static void print_model(const tp_model *built, FILE *file)
{
    tp_model_summary summary = tp_model_summarise(built), *model = &summary;
    fprintf(file, "model        coordinates %d, velocities %d, degrees of freedom %d\n",
            model->coordinate_count, model->velocity_count, model->degrees_of_freedom);
    fprintf(file, "             constraints %d, contacts %d, laws %d, sensors %d\n", model->constraint_count,
            model->contact_count, tp_model_velocity_law_count(built), model->sensor_count);
    if (model->state_count > 0)
        fprintf(file, "             first-order states %d, relations %d\n", model->state_count,
                model->relation_count);
}

static void print_integrator(const tp_simulation_options *options, FILE *file)
{
    const tp_integrator_info *info = tp_integrator_info_at(tp_integrator_find(options->integrator));
    fprintf(file, "integrator   %s, ", options->integrator);
    if (info != NULL && info->chooses_steps) {
        fprintf(file, "rtol %.3g, atol %.3g, states every %.6g s\n", options->rtol, options->atol,
                options->time_step);
    } else {
        fprintf(file, "time step %.6g s\n", options->time_step);
    }
}

static void print_own_steps(const tp_run_report *report, FILE *file)
{
    if (report->own_steps == 0) return;
    fprintf(file, "own steps    %lld accepted, %lld rejected; from %.3g to %.3g s\n", report->own_steps,
            report->rejections, report->shortest_step, report->longest_step);
    fprintf(file, "             evaluations %lld, projections %lld\n", report->evaluations,
            report->projections);
    for (int k = 0; k < report->statistic_count; ++k)
        fprintf(file, "             %s %.9g\n", report->statistics[k].name, report->statistics[k].value);
}

static void print_figures(const tp_run_report *report, const char *solver, FILE *file)
{
    fprintf(file, "energy       %.9g J at the start, %.9g J at the end\n", report->energy_initial,
            report->energy_final);
    fprintf(file, "             largest increase in a step %.3g J (net of applied work)\n",
            report->largest_energy_increase);
    if (report->storage_initial != 0.0 || report->storage_final != 0.0)
        fprintf(file,
                "storage      %.9g J at the start, %.9g J at the end; largest increase in a step %.3g J\n",
                report->storage_initial, report->storage_final, report->largest_storage_increase);
    fprintf(file,
            "drift        position %.3g m, angle %.3g rad, velocity %.3g m/s, angular velocity %.3g rad/s\n",
            report->position_drift, report->angle_drift, report->velocity_drift,
            report->angular_velocity_drift);
    fprintf(file, "penetration  %.3g m", report->penetration);
    if (report->limit_angle > 0.0) fprintf(file, "; past limits of angles %.3g rad", report->limit_angle);
    fprintf(file, "\n");
    if (report->is_corrected)
        fprintf(file,
                "correction   errors of %.3g at most before it [m, rad]; it changed the energy by %.3g J\n",
                report->correction, report->correction_energy);
    fprintf(file, "impacts      %lld\n", report->impacts);
    print_own_steps(report, file);
    fprintf(file, "solver       %s: %.3g iterations a step, %d at most; residual %.2g at most\n", solver,
            report->iterations_mean, report->iterations_max, report->residual_max);
    fprintf(file, "             margin %.2g of what counts as solved; %lld step%s above the tolerance\n",
            report->margin_max, report->above_tolerance, report->above_tolerance == 1 ? "" : "s");
    if (report->solutions_max > 1)
        fprintf(file, "             up to %d solutions of a step problem\n", report->solutions_max);
    if (report->not_converged > 0) {
        fprintf(file, "             %lld step%s not solved\n", report->not_converged,
                report->not_converged == 1 ? "" : "s");
    }
}

void run_result_print_lines(const run_result *result, FILE *file)
{
    if (!result->has_started) return; /* the complaint has said all there is */
    tp_run_report report = report_of(result);
    const tp_model *model = result->scene->model;
    tp_model_summary summary = tp_model_summarise(model);
    fprintf(file, "scene        %s\n", result->path);
    print_model(model, file);
    print_integrator(&result->options, file);
    if (report.form != NULL) fprintf(file, "form         %s\n", report.form);
    if (result->restart_path != NULL) {
        fprintf(file, "continues    %s from %.9g s, step %lld\n", result->restart_path, report.start_time,
                report.start_count);
    }
    fprintf(file, "status       %s\n", result->status);
    fprintf(file, "stopped by   %s\n", result->reason);
    fprintf(file, "time         %.9g s in %lld steps; %.3g s of work\n", report.time, report.steps,
            result->wall_time);
    print_figures(&report, solver_name(result, &report), file);
    if (result->hdf5_path != NULL) fprintf(file, "output       %s\n", result->hdf5_path);
    if (result->csv_path != NULL) fprintf(file, "output       %s\n", result->csv_path);
    if (result->paraview_path != NULL) fprintf(file, "frames       %s\n", result->paraview_path);
    run_report_print_warnings(&report, NULL, file);
    fprintf(file, "\nfinal state\n");
    print_state_group(file, model, tp_model_coordinate_name, tp_simulation_q(result->simulation),
                      summary.coordinate_count);
    print_state_group(file, model, tp_model_velocity_name, tp_simulation_u(result->simulation),
                      summary.velocity_count);
    print_state_group(file, model, tp_model_state_name, tp_simulation_states(result->simulation),
                      summary.state_count);
}
