/* tippe converge SCENE: the observed order of convergence over a ladder of time steps. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "converge_report.h"
#include "family_names.h"
#include "interrupt.h"
#include "paths.h"
#include "shared_options.h"
#include "tippe/output.h"
#include "tippe/scene.h"

typedef struct converge_settings {
    const char *integrator, *solver, *reference, *csv_path, *plot_path;
    double time_step, end_time, rtol; /* [s], [s], [-] NaN: what the scene says */
    int levels, refinement, norm, jobs;
    option_texts edits;
    bool as_json, is_quiet, is_strict;
} converge_settings;

#define FIELD(name) offsetof(converge_settings, name)

static const cli_option converge_options[] = {
    SHARED_INTEGRATOR(converge_settings),
    SHARED_SOLVER(converge_settings),
    {"--levels", NULL, OPTION_COUNT, FIELD(levels), "N",
     "runs in the ladder: each has half the time step of the one before, or a tenth of its tolerances; 5", 2,
     CONVERGE_LEVELS_MAX, "a whole number from 2 to 24"},
    {"--dt", NULL, OPTION_REAL, FIELD(time_step), "S", "largest time step, instead of the scene's", DBL_MIN,
     DBL_MAX, "a number of seconds above 0"},
    {"--rtol", NULL, OPTION_REAL, FIELD(rtol), "R",
     "largest rtol of an integrator that chooses its steps, instead of the scene's; atol in proportion",
     DBL_MIN, 1.0, "a number above 0, below 1"},
    SHARED_STUDY_END(converge_settings),
    SHARED_NORM(converge_settings),
    SHARED_REFERENCE(converge_settings),
    {"--refine", NULL, OPTION_COUNT, FIELD(refinement), "N",
     "how many times finer than the finest level that run is; 16", 2, 4096, "a whole number from 2 to 4096"},
    SHARED_JOBS(converge_settings),
    SHARED_SET(converge_settings),
    SHARED_STRICT(converge_settings),
    {"--output", "-o", OPTION_TEXT, FIELD(csv_path), "FILE.csv",
     "writes the table as text; - is standard output", 0, 0, NULL},
    {"--plot", NULL, OPTION_TEXT, FIELD(plot_path), "FILE.svg", "draws errors over time steps; SVG or PNG", 0,
     0, NULL},
    {"--json", NULL, OPTION_FLAG, FIELD(as_json), NULL, "prints one JSON object instead of the table", 0, 0,
     NULL},
    {"--quiet", NULL, OPTION_FLAG, FIELD(is_quiet), NULL,
     "no progress and no table; errors are still printed", 0, 0, NULL},
    {.name = NULL},
};

/* The coarsest run; it ends where the exact motion ends. */
static tp_simulation_options coarsest_run(const converge_settings *settings, const tp_scene *scene)
{
    tp_simulation_options options = scene->options;
    if (settings->integrator != NULL) options.integrator = settings->integrator;
    if (settings->solver != NULL) options.solver = settings->solver;
    if (!isnan(settings->time_step)) options.time_step = settings->time_step;
    if (!isnan(settings->end_time)) options.end_time = settings->end_time;
    if (!isnan(settings->rtol)) study_set_rtol(&options, settings->rtol);
    options.strict = settings->is_strict;
    if (settings->reference == NULL)
        options.end_time = fmin(options.end_time, tp_model_exact_until(scene->model));
    return options;
}

static tp_status carry_out(const converge_settings *settings, const tp_scene *scene, tp_study **study_out,
                           tp_message *why_out)
{
    tp_simulation_options runs[CONVERGE_LEVELS_MAX], coarsest = coarsest_run(settings, scene);
    tp_study_def def = tp_study_def_default();
    def.model = scene->model;
    def.runs = tp_study_ladder(&coarsest, settings->levels, runs);
    def.run_count = settings->levels;
    def.refinement = settings->refinement;
    def.jobs = study_jobs(settings->jobs);
    if (settings->reference != NULL) {
        def.reference = TP_REFERENCE_RUN;
        def.reference_integrator = settings->reference;
    }
    return study_carry_out(&def, settings->is_quiet, study_out, why_out);
}

static bool is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Paths of the table and the figure: against each other, the scene (NULL: read before) and its files. */
static bool check_paths(const cli_verb *self, const converge_settings *settings, const char *path,
                        const tp_scene *scene)
{
    const named_file outputs[] = {{"-o", settings->csv_path}, {"--plot", settings->plot_path}};
    const named_file inputs[] = {{"the scene", path}};
    if (scene != NULL) return check_scene_files(self, FILE_LIST(outputs), scene);
    if (is_stdout(settings->csv_path) && settings->as_json) {
        complain("%s: -o - and --json would both print on standard output", self->name);
        return false;
    }
    return check_outputs(self, FILE_LIST(outputs), FILE_LIST(inputs)) &&
           check_text_path(self, "-o", settings->csv_path);
}

static exit_code write_csv(const cli_verb *self, const converge_result *result, const char *path)
{
    if (is_stdout(path)) {
        converge_print_csv(result, stdout);
        return PROGRAM_DONE;
    }
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool is_made = file != NULL;
    if (is_made) {
        converge_print_csv(result, file);
        is_made = fclose(file) == 0;
    }
    tp_message why = {""};
    interrupt_hold();
    tp_status status = is_made ? tp_file_write(path, text, length, &why)
                               : tp_fail(&why, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    interrupt_release();
    free(text);
    if (status != TP_OK) complain("%s: %s", self->name, why.text);
    return exit_code_of(status);
}

/* Prints and writes what is asked for. */
static exit_code present(const cli_verb *self, const converge_settings *settings,
                         const converge_result *result)
{
    exit_code code = result->code;
    tp_message why = {""};
    if (result->code != PROGRAM_DONE) complain("%s: %s", self->name, result->reason);
    if (settings->as_json) {
        converge_print_json(result, stdout);
    } else if (!settings->is_quiet) {
        converge_print_lines(result, is_stdout(settings->csv_path) ? stderr : stdout);
    }
    if (settings->csv_path != NULL) {
        exit_code written = write_csv(self, result, settings->csv_path);
        if (code == PROGRAM_DONE) code = written;
    }
    if (settings->plot_path != NULL) {
        tp_status status = converge_plot(result, settings->plot_path, &why);
        if (status != TP_OK) complain("%s: %s", self->name, why.text);
        if (code == PROGRAM_DONE) code = exit_code_of(status);
    }
    return code;
}

static exit_code run_converge(const cli_verb *self, int argument_count, char **arguments)
{
    converge_settings settings = {
        .time_step = NAN, .end_time = NAN, .rtol = NAN, .levels = 5, .refinement = 16};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!check_names(self, settings.integrator, settings.solver)) return PROGRAM_BAD_INPUT;
    if (!check_names(self, settings.reference, NULL)) return PROGRAM_BAD_INPUT;
    if (!study_check_plot_path(self, settings.plot_path)) return PROGRAM_BAD_INPUT;
    if (!check_paths(self, &settings, given.text[0], NULL)) return PROGRAM_BAD_INPUT;

    tp_scene *scene = NULL;
    tp_study *study = NULL;
    tp_message why = {""};
    tp_status status =
        tp_scene_read(NULL, given.text[0], settings.edits.text, settings.edits.count, &scene, &why);
    if (status == TP_OK && !check_paths(self, &settings, given.text[0], scene)) {
        tp_scene_free(scene);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) status = carry_out(&settings, scene, &study, &why);
    exit_code code = exit_code_of(status);
    if (status == TP_OK) {
        converge_result result = {.path = given.text[0], .study = study, .norm = (study_norm)settings.norm};
        result.code = study_exit_code(study, result.reason, sizeof result.reason);
        code = present(self, &settings, &result);
    } else {
        complain("%s: %s", self->name, why.text);
        if (settings.as_json) study_print_failure_json(given.text[0], status, why.text);
    }
    tp_study_free(study);
    tp_scene_free(scene);
    return code;
}

const cli_verb verb_converge = {
    .name = "converge",
    .summary = "Finds the observed order of convergence",
    .usage =
        "SCENE [--integrator NAME] [--solver NAME] [--levels N] [--dt S] [--rtol R]\n"
        "                      [--until S] [--norm l1|max|end] [--reference NAME] [--refine N] [--jobs N]\n"
        "                      [--set PATH=VALUE]... [--strict] [-o FILE.csv] [--plot FILE.svg]\n"
        "                      [--json] [--quiet]",
    .text =
        "Runs the scene with a time step, half of it, a quarter, ..., and compares each run with the exact\n"
        "motion where the scene gives one (section exact), else with a run that is finer than the finest.\n"
        "Errors of coordinates and velocities are reported separately; the order is the slope of log(error) "
        "over\n"
        "log(time step), between neighbours and fitted to all. With impacts take the mean over time (l1, "
        "the\n"
        "default): the error at a fixed time jumps up and down with the place of the impacts in their "
        "steps.\n"
        "An integrator that chooses its steps runs with rtol and atol, a tenth of them, a hundredth, ...;\n"
        "the order is then the slope over log(rtol), and the time step only says where errors are measured.\n"
        "A run that fails is a row with its reason, and exit code 3 in the end.\n",
    .options = converge_options,
    .positionals = "SCENE",
    .positional_count = 1,
    .run = run_converge,
};
