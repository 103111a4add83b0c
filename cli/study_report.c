/* What converge and compare share. */
#define _POSIX_C_SOURCE 200809L
#include "study_report.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "run_report.h"

static const char *norm_text(study_norm norm)
{
    switch (norm) {
    case NORM_L1: return "mean over time (L1)";
    case NORM_MAX: return "largest over time";
    case NORM_END: return "at the end";
    }
    return "";
}

double study_norm_of(const tp_study_error *error, study_norm norm)
{
    return norm == NORM_L1 ? error->mean : norm == NORM_MAX ? error->largest : error->end;
}

int study_jobs(int asked)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return asked > 0 ? asked : online > 0 ? (int)online : 1;
}

static bool show_progress(void *context, double done)
{
    progress_show(context, done);
    return true; /* Ctrl-C leaves at once: there is nothing to be saved */
}

void study_print_real(FILE *file, int width, int digits, char form, double number)
{
    if (!isfinite(number)) {
        fprintf(file, "%*s", width, "-");
    } else if (form == 'e') {
        fprintf(file, "%*.*e", width, digits, number);
    } else if (form == 'f') {
        fprintf(file, "%*.*f", width, digits, number);
    } else {
        fprintf(file, "%*.*g", width, digits, number);
    }
}

tp_status study_carry_out(const tp_study_def *def, bool is_quiet, tp_study **study_out, tp_message *why_out)
{
    progress bar = progress_begin(!is_quiet, 0.0, 1.0);
    bar.is_share = true;
    tp_study_def watched = *def;
    watched.goes_on = show_progress;
    watched.context = &bar;
    tp_status status = tp_study_create(NULL, &watched, study_out, why_out);
    progress_end(&bar);
    return status;
}

const char *study_fineness_text(const tp_simulation_options *run, char text[STUDY_FINENESS_MAX])
{
    if (tp_study_is_by_tolerance(run)) {
        snprintf(text, STUDY_FINENESS_MAX, "rtol %g", run->rtol);
    } else {
        snprintf(text, STUDY_FINENESS_MAX, "time step %g s", run->time_step);
    }
    return text;
}

void study_set_rtol(tp_simulation_options *run, double rtol)
{
    run->atol *= rtol / run->rtol;
    run->rtol = rtol;
}

exit_code study_exit_code(const tp_study *study, char *reason_out, size_t capacity)
{
    const tp_study_reference *reference = tp_study_reference_of(study);
    exit_code code = exit_code_of(reference->status);
    if (code != PROGRAM_DONE) snprintf(reason_out, capacity, "reference: %s", reference->reason);
    int refused = 0, count = tp_study_run_count(study);
    for (int k = 0; k < count; ++k) {
        const tp_study_run *run = tp_study_run_at(study, k);
        exit_code of_run = exit_code_of(run->status);
        refused += of_run == PROGRAM_BAD_INPUT;
        bool decides = of_run != PROGRAM_DONE && (of_run != PROGRAM_BAD_INPUT || refused == count);
        if (!decides || code == PROGRAM_NO_SOLUTION) continue;
        code = of_run;
        char fineness[STUDY_FINENESS_MAX];
        snprintf(reason_out, capacity, "%s with %s: %s", run->options.integrator,
                 study_fineness_text(&run->options, fineness), run->reason);
    }
    return code;
}

void study_print_reference(const tp_study_reference *reference, study_norm norm, FILE *file)
{
    fprintf(file, "reference    ");
    if (reference->kind == TP_REFERENCE_EXACT) {
        fprintf(file, "exact motion of the scene");
        if (isfinite(reference->until)) fprintf(file, ", which holds until %.6g s", reference->until);
    } else if (reference->rtol > 0.0) {
        fprintf(file, "%s with rtol %.3g, atol %.3g, %d times finer than the finest run",
                reference->integrator, reference->rtol, reference->atol, reference->refinement);
    } else {
        fprintf(file, "%s with time step %.6g s, %d times finer than the finest run", reference->integrator,
                reference->time_step, reference->refinement);
    }
    if (reference->status != TP_OK) fprintf(file, "; %s", reference->reason);
    fprintf(file, "\nerror        %s\n\n", norm_text(norm));
}

void study_write_reference(json_writer *json, const tp_study_reference *reference)
{
    bool is_run = reference->kind == TP_REFERENCE_RUN;
    json_open_at(json, "reference", '{');
    json_text_at(json, "kind", is_run ? "run" : "exact");
    json_text_at(json, "status", run_status_name(reference->status));
    json_text_at(json, "reason", reference->status != TP_OK ? reference->reason : NULL);
    json_text_at(json, "integrator", reference->integrator);
    json_real_at(json, "dt", is_run ? reference->time_step : NAN);
    json_real_at(json, "rtol", is_run && reference->rtol > 0.0 ? reference->rtol : NAN);
    json_real_at(json, "refinement", is_run ? reference->refinement : NAN);
    json_real_at(json, "until", reference->until); /* infinity: null */
    json_close(json, '}');
}

void study_write_error(json_writer *json, const char *key, const tp_study_error *error)
{
    json_open_at(json, key, '{');
    json_real_at(json, "l1", error->mean);
    json_real_at(json, "max", error->largest);
    json_real_at(json, "end", error->end);
    json_close(json, '}');
}

void study_print_failure_json(const char *path, tp_status status, const char *reason)
{
    json_writer writer = json_begin_object(stdout);
    json_text_at(&writer, "status", run_status_name(status));
    json_text_at(&writer, "reason", reason);
    json_text_at(&writer, "scene", path);
    json_end_object(&writer);
}

bool study_check_plot_path(const cli_verb *self, const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    if (path == NULL) return true;
    if (length > 4 && (strcmp(path + length - 4, ".svg") == 0 || strcmp(path + length - 4, ".png") == 0)) {
        return true;
    }
    complain("%s: --plot %s: expected a name that ends in .svg or .png", self->name, path);
    return false;
}
