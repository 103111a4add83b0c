/* tippe compare SCENE: the same model by several integrators, side by side. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_report.h"
#include "family_names.h"
#include "paths.h"
#include "shared_options.h"
#include "tippe/scene.h"

enum { TRACE_ROWS = 2000 }; /* of a figure */

typedef struct compare_settings {
    const char *integrators, *solver, *steps, *tolerances, *reference, *plot_path;
    double end_time; /* [s] NaN: what the scene says */
    int refinement, norm, jobs;
    option_texts edits;
    bool as_json, is_quiet, is_strict;
} compare_settings;

#define FIELD(name) offsetof(compare_settings, name)

static const cli_option compare_options[] = {
    {"--integrators", NULL, OPTION_TEXT, FIELD(integrators), "A,B,C",
     "names with commas between them, or all: those that accept the scene", 0, 0, NULL},
    {"--dt", NULL, OPTION_TEXT, FIELD(steps), "S|A,B,C",
     "time step, or one for each integrator, instead of the scene's", 0, 0, NULL},
    {"--rtol", NULL, OPTION_TEXT, FIELD(tolerances), "R|A,B,C",
     "rtol, or one for each integrator, for those that choose their steps; atol in proportion", 0, 0, NULL},
    SHARED_STUDY_END(compare_settings),
    SHARED_SOLVER(compare_settings),
    SHARED_NORM(compare_settings),
    SHARED_REFERENCE(compare_settings),
    {"--refine", NULL, OPTION_COUNT, FIELD(refinement), "N",
     "how many times finer than the smallest time step that run is; 16", 2, 4096,
     "a whole number from 2 to 4096"},
    SHARED_JOBS(compare_settings),
    SHARED_SET(compare_settings),
    SHARED_STRICT(compare_settings),
    {"--plot", NULL, OPTION_TEXT, FIELD(plot_path), "FILE.svg",
     "draws errors and energy over time; SVG or PNG", 0, 0, NULL},
    {"--json", NULL, OPTION_FLAG, FIELD(as_json), NULL, "prints one JSON object instead of tables", 0, 0,
     NULL},
    {"--quiet", NULL, OPTION_FLAG, FIELD(is_quiet), NULL,
     "no progress and no tables; errors are still printed", 0, 0, NULL},
    {.name = NULL},
};

/* What is to be run, from the words of the command line. */
typedef struct compare_plan {
    const char *names[COMPARE_RUNS_MAX];
    int count;
    bool takes_all; /* those that refuse are left out instead of being reported as rows */
    double steps[COMPARE_RUNS_MAX], tolerances[COMPARE_RUNS_MAX];
    int step_count, tolerance_count; /* 0: the scene's */
    char *words;                     /* the memory of the names */
    tp_simulation_options runs[COMPARE_RUNS_MAX];
    int run_count;
    int first_accepting; /* of the runs, -1: none */
    compare_left_out left_out[COMPARE_RUNS_MAX];
    int left_out_count;
} compare_plan;

static bool complain_too_many(const cli_verb *self, const char *option)
{
    complain("%s: %s: more than %d", self->name, option, COMPARE_RUNS_MAX);
    return false;
}

static bool plan_all(compare_plan *plan)
{
    plan->takes_all = true;
    for (int k = 0; k < tp_integrator_count() && k < COMPARE_RUNS_MAX; ++k) {
        plan->names[plan->count++] = tp_integrator_info_at(k)->name;
    }
    return true;
}

static bool plan_names(const cli_verb *self, const char *list, compare_plan *plan)
{
    if (list == NULL) {
        complain("%s: --integrators is missing: names with commas between them, or all", self->name);
        return false;
    }
    if (strcmp(list, "all") == 0) return plan_all(plan);
    size_t length = strlen(list) + 1;
    plan->words = malloc(length);
    if (plan->words == NULL) {
        complain("%s: %s", self->name, tp_status_text(TP_OUT_OF_MEMORY));
        return false;
    }
    memcpy(plan->words, list, length);
    for (char *word = plan->words, *next; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL) *next++ = '\0';
        if (plan->count == COMPARE_RUNS_MAX) return complain_too_many(self, "--integrators");
        if (!check_names(self, word, NULL)) return false;
        plan->names[plan->count++] = word;
    }
    return true;
}

/* Numbers of an option, one or as many as there are integrators. */
static bool plan_numbers(const cli_verb *self, const char *option, const char *list, const char *wanted,
                         const compare_plan *plan, double *numbers, int *count)
{
    for (const char *word = list; word != NULL;) {
        char *end = NULL;
        double number = strtod(word, &end);
        if (end == word || (*end != ',' && *end != '\0') || !(number >= DBL_MIN) || !isfinite(number)) {
            complain("%s: %s %s: expected %s above 0, or several with commas between them", self->name,
                     option, list, wanted);
            return false;
        }
        if (*count == COMPARE_RUNS_MAX) return complain_too_many(self, option);
        numbers[(*count)++] = number;
        word = *end == ',' ? end + 1 : NULL;
    }
    if (*count > 1 && (*count != plan->count || plan->takes_all)) {
        complain("%s: %s %s: expected one number, or as many as --integrators names", self->name, option,
                 list);
        return false;
    }
    return true;
}

/* Asks each integrator whether it accepts the scene. */
static void plan_runs(const compare_settings *settings, const tp_scene *scene, compare_plan *plan)
{
    plan->first_accepting = -1;
    for (int k = 0; k < plan->count; ++k) {
        tp_simulation_options options = scene->options;
        options.integrator = plan->names[k];
        if (settings->solver != NULL) options.solver = settings->solver;
        if (plan->step_count > 0) options.time_step = plan->steps[plan->step_count > 1 ? k : 0];
        if (plan->tolerance_count > 0)
            study_set_rtol(&options, plan->tolerances[plan->tolerance_count > 1 ? k : 0]);
        if (!isnan(settings->end_time)) options.end_time = settings->end_time;
        options.strict = settings->is_strict;
        tp_simulation *probe = NULL;
        tp_message why = {""};
        tp_status status = tp_simulation_create(NULL, scene->model, &options, &probe, &why);
        tp_simulation_free(probe);
        if (status != TP_OK && plan->takes_all) {
            compare_left_out *left = &plan->left_out[plan->left_out_count++];
            left->integrator = options.integrator;
            snprintf(left->reason, sizeof left->reason, "%s", why.text);
            continue;
        }
        if (status == TP_OK && plan->first_accepting < 0) plan->first_accepting = plan->run_count;
        plan->runs[plan->run_count++] = options;
    }
}

static tp_status carry_out(const compare_settings *settings, const tp_scene *scene, compare_plan *plan,
                           tp_study **study_out, tp_message *why_out)
{
    plan_runs(settings, scene, plan);
    if (plan->run_count == 0) {
        return tp_fail(why_out, TP_UNSUPPORTED, "no integrator accepts the scene; %s: %s",
                       plan->left_out[0].integrator, plan->left_out[0].reason);
    }
    int first = plan->first_accepting >= 0 ? plan->first_accepting : 0;
    tp_study_def def = tp_study_def_default();
    def.model = scene->model;
    def.runs = plan->runs;
    def.run_count = plan->run_count;
    def.refinement = settings->refinement;
    def.jobs = study_jobs(settings->jobs);
    def.trace_rows = settings->plot_path != NULL ? TRACE_ROWS : 0;
    def.reference_integrator = plan->runs[first].integrator;
    if (settings->reference != NULL) {
        def.reference = TP_REFERENCE_RUN;
        def.reference_integrator = settings->reference;
    }
    return study_carry_out(&def, settings->is_quiet, study_out, why_out);
}

static exit_code present(const cli_verb *self, const compare_settings *settings, const compare_result *result)
{
    exit_code code = result->code;
    if (code != PROGRAM_DONE) complain("%s: %s", self->name, result->reason);
    if (settings->as_json) {
        compare_print_json(result, stdout);
    } else if (!settings->is_quiet) {
        compare_print_lines(result, stdout);
    }
    if (settings->plot_path != NULL) {
        tp_message why = {""};
        tp_status status = compare_plot(result, settings->plot_path, &why);
        if (status != TP_OK) complain("%s: %s", self->name, why.text);
        if (code == PROGRAM_DONE) code = exit_code_of(status);
    }
    return code;
}

static exit_code compare_scene(const cli_verb *self, const compare_settings *settings, const char *path,
                               compare_plan *plan)
{
    tp_scene *scene = NULL;
    tp_study *study = NULL;
    tp_message why = {""};
    tp_status status = tp_scene_read(NULL, path, settings->edits.text, settings->edits.count, &scene, &why);
    const named_file output = {"--plot", settings->plot_path};
    if (status == TP_OK && !check_scene_files(self, (file_list){&output, 1}, scene)) {
        tp_scene_free(scene);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) status = carry_out(settings, scene, plan, &study, &why);
    exit_code code = exit_code_of(status);
    if (status == TP_OK) {
        compare_result result = {.path = path,
                                 .study = study,
                                 .norm = (study_norm)settings->norm,
                                 .left_out = plan->left_out,
                                 .left_out_count = plan->left_out_count};
        result.code = study_exit_code(study, result.reason, sizeof result.reason);
        code = present(self, settings, &result);
    } else {
        complain("%s: %s", self->name, why.text);
        if (settings->as_json) study_print_failure_json(path, status, why.text);
    }
    tp_study_free(study);
    tp_scene_free(scene);
    return code;
}

static exit_code run_compare(const cli_verb *self, int argument_count, char **arguments)
{
    compare_settings settings = {.end_time = NAN, .refinement = 16};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!check_names(self, settings.reference, settings.solver)) return PROGRAM_BAD_INPUT;
    if (!study_check_plot_path(self, settings.plot_path)) return PROGRAM_BAD_INPUT;
    const named_file output = {"--plot", settings.plot_path}, input = {"the scene", given.text[0]};
    if (!check_outputs(self, (file_list){&output, 1}, (file_list){&input, 1})) return PROGRAM_BAD_INPUT;

    compare_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) {
        complain("%s: %s", self->name, tp_status_text(TP_OUT_OF_MEMORY));
        return PROGRAM_NO_RESOURCE;
    }
    exit_code code = PROGRAM_BAD_INPUT;
    if (plan_names(self, settings.integrators, plan) &&
        plan_numbers(self, "--dt", settings.steps, "a number of seconds", plan, plan->steps,
                     &plan->step_count) &&
        plan_numbers(self, "--rtol", settings.tolerances, "a number", plan, plan->tolerances,
                     &plan->tolerance_count)) {
        code = compare_scene(self, &settings, given.text[0], plan);
    }
    free(plan->words);
    free(plan);
    return code;
}

const cli_verb verb_compare = {
    .name = "compare",
    .summary = "Runs a scene with several integrators, side by side",
    .usage = "SCENE --integrators A,B,C|all [--dt S|A,B,C] [--rtol R|A,B,C] [--until S] [--solver NAME]\n"
             "                     [--norm l1|max|end] [--reference NAME] [--refine N] [--jobs N]\n"
             "                     [--set PATH=VALUE]... [--strict] [--plot FILE.svg] [--json] [--quiet]",
    .text =
        "Error, energy, drift, impacts, solver and processor time of each run. Errors are measured against "
        "the\n"
        "exact motion where the scene gives one (section exact), else against a finer run of --reference, "
        "or\n"
        "of the first integrator that accepts the scene. An integrator that refuses the scene is a row with\n"
        "its reason; it decides the exit code (2) only if all refuse. A run that fails is a row too, and\n"
        "exit code 3 in the end.\n",
    .options = compare_options,
    .positionals = "SCENE",
    .positional_count = 1,
    .run = run_compare,
};
