/* tippe reproduce [NAME...]: experiments of the literature, run again and judged. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples.h"
#include "interrupt.h"
#include "json.h"
#include "program.h"
#include "reproduce_list.h"
#include "reproduce_run.h"
#include "shared_options.h"
#include "study_report.h"
#include "tippe/output.h"

typedef struct reproduce_settings {
    const char *output, *page, *catalogue;
    int jobs;
    bool is_json, is_quiet, is_fresh;
} reproduce_settings;

#define FIELD(name) offsetof(reproduce_settings, name)

static const cli_option reproduce_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(output), "FOLDER",
     "runs, results and the page; default reproduction. What is finished there is not run again", 0, 0, NULL},
    {"--page", NULL, OPTION_TEXT, FIELD(page), "FILE.md",
     "the page; default FOLDER/reproduction.md. Figures go to a folder of the same name next to it", 0, 0,
     NULL},
    {"--catalogue", NULL, OPTION_TEXT, FIELD(catalogue), "FOLDER",
     "a catalogue of your own, instead of the one that comes with the program", 0, 0, NULL},
    {"--fresh", NULL, OPTION_FLAG, FIELD(is_fresh), NULL, "runs everything again", 0, 0, NULL},
    SHARED_JOBS(reproduce_settings),
    {"--json", NULL, OPTION_FLAG, FIELD(is_json), NULL, "prints one JSON object", 0, 0, NULL},
    {"--quiet", NULL, OPTION_FLAG, FIELD(is_quiet), NULL, "no progress and no summary", 0, 0, NULL},
    {.name = NULL},
};

/* ---- which ones ---------------------------------------------------------------------------------------- */

tp_status reproduce_catalogue(const char *folder, tp_catalogue **catalogue_out, tp_message *why)
{
    char found[EXAMPLES_PATH_SIZE], examples[EXAMPLES_PATH_SIZE], whole[PATH_MAX];
    *catalogue_out = NULL;
    if (folder == NULL) {
        if (!examples_folder(TIPPE_REPRODUCE_FROM_PROGRAM, TIPPE_REPRODUCE_DIR, found))
            return tp_fail(why, TP_FILE_ERROR, "there is no catalogue next to the program");
        folder = found;
    }
    if (!examples_folder(TIPPE_EXAMPLES_FROM_PROGRAM, TIPPE_EXAMPLES_DIR, examples))
        return tp_fail(why, TP_FILE_ERROR, "there are no examples next to the program");
    if (realpath(folder, whole) == NULL)
        return tp_fail(why, TP_FILE_ERROR, "cannot open %s: %s", folder, strerror(errno));
    return tp_catalogue_read(NULL, whole, examples, catalogue_out, why);
}

static const char *name_at(const void *context, int index)
{
    const tp_catalogue *catalogue = context;
    return index < catalogue->count ? catalogue->experiments[index].name : NULL;
}

/* A name is that of an experiment or of a document; false after a complaint. */
static bool choose(const cli_verb *self, const tp_catalogue *catalogue, const positionals *given,
                   bool *is_chosen_out)
{
    for (int k = 0; k < catalogue->count; ++k) is_chosen_out[k] = given->count == 0;
    for (int i = 0; i < given->count; ++i) {
        bool is_known = false;
        for (int k = 0; k < catalogue->count; ++k) {
            if (strcmp(catalogue->experiments[k].name, given->text[i]) != 0 &&
                strcmp(catalogue->experiments[k].document, given->text[i]) != 0)
                continue;
            is_chosen_out[k] = is_known = true;
        }
        if (is_known) continue;
        const char *near = nearest_name(given->text[i], name_at, catalogue);
        complain("%s: there is no experiment '%s'%s%s%s; tippe list experiments has them all", self->name,
                 given->text[i], near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return false;
    }
    return true;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* The chosen ones, in the order of the catalogue. */
typedef struct chosen_results {
    tp_experiment_result **list;
    bool *has_figure, *was_done;
    int count;
} chosen_results;

static void free_results(chosen_results *results)
{
    for (int k = 0; k < results->count; ++k) tp_experiment_result_free(results->list[k]);
    free(results->list);
    free(results->has_figure);
    free(results->was_done);
}

static bool needs_no_run(const tp_experiment_result *result)
{
    return result->is_done || result->experiment->missing != NULL;
}

static tp_status recall_all(const char *folder, chosen_results *results, tp_message *why)
{
    char place[REPRODUCE_PATH_MAX];
    for (int k = 0; k < results->count; ++k) {
        const tp_experiment *experiment = results->list[k]->experiment;
        tp_experiment_result *now = NULL;
        reproduce_place(folder, experiment->name, place);
        TP_TRY(tp_experiment_recall(NULL, experiment, place, &now, why));
        tp_experiment_result_free(results->list[k]);
        results->list[k] = now;
    }
    return TP_OK;
}

static tp_status begin_results(const char *folder, const tp_catalogue *catalogue, const bool *is_chosen,
                               chosen_results *results, tp_message *why)
{
    char place[REPRODUCE_PATH_MAX];
    size_t most = (size_t)catalogue->count + 1;
    results->list = calloc(most, sizeof *results->list);
    results->has_figure = calloc(most, sizeof *results->has_figure);
    results->was_done = calloc(most, sizeof *results->was_done);
    if (!results->list || !results->has_figure || !results->was_done)
        return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the results");
    for (int k = 0; k < catalogue->count; ++k) {
        if (!is_chosen[k]) continue;
        reproduce_place(folder, catalogue->experiments[k].name, place);
        TP_TRY(tp_experiment_recall(NULL, &catalogue->experiments[k], place, &results->list[results->count],
                                    why));
        results->was_done[results->count] = results->list[results->count]->is_done;
        results->count++;
    }
    return TP_OK;
}

/* Runs what is not there yet. False if it was interrupted. */
static bool run_rest(const reproduce_settings *settings, const char *folder, const chosen_results *results)
{
    const tp_experiment **list = calloc((size_t)results->count + 1, sizeof *list);
    reproduce_order order = {
        .folder = folder, .experiments = list, .jobs = settings->jobs, .is_quiet = settings->is_quiet};
    if (list == NULL) return false;
    for (int k = 0; k < results->count; ++k) {
        bool is_there = needs_no_run(results->list[k]) && !settings->is_fresh;
        if (is_there || results->list[k]->experiment->missing != NULL) continue;
        results->was_done[k] = false;
        list[order.count++] = results->list[k]->experiment;
    }
    bool is_whole = reproduce_run(&order);
    free(list);
    return is_whole;
}

/* ---- what is printed and written ----------------------------------------------------------------------- */

/* Differs without a reason, or could not be run. */
static bool is_open(const tp_experiment_result *result)
{
    return !needs_no_run(result) || (result->verdict == TP_VERDICT_DIFFERS && !result->is_explained);
}

static void print_lines(const chosen_results *results)
{
    for (int k = 0; k < results->count; ++k) {
        const tp_experiment_result *r = results->list[k];
        printf("%-32s %s%s\n", r->experiment->name,
               needs_no_run(r) ? tp_verdict_name(r->verdict) : "not finished",
               r->verdict == TP_VERDICT_DIFFERS && needs_no_run(r) && r->is_explained ? ", explained" : "");
        for (int i = 0; i < r->experiment->check_count && r->is_done; ++i) {
            const tp_check *check = &r->experiment->checks[i];
            if (r->measured[i].verdict != TP_VERDICT_DIFFERS) continue;
            printf("    %s: reported %s, measured ", check->what,
                   check->reported ? check->reported : "a bound");
            if (isnan(r->measured[i].number)) {
                printf("%s\n", r->measured[i].text);
            } else {
                printf("%.9g\n", r->measured[i].number);
            }
        }
    }
}

static void write_check(json_writer *json, const tp_check *check, const tp_measured *m)
{
    json_open(json, '{');
    json_text_at(json, "what", check->what);
    json_text_at(json, "unit", check->unit);
    json_text_at(json, "reported", check->reported);
    json_real_at(json, "above", check->above);
    json_real_at(json, "below", check->below);
    json_real_at(json, "tolerance", m->allowed);
    json_real_at(json, "measured", m->number);
    json_text_at(json, "word", m->text[0] != '\0' ? m->text : NULL);
    json_text_at(json, "verdict", tp_verdict_name(m->verdict));
    json_text_at(json, "corrected", check->corrected);
    json_text_at(json, "erratum", check->erratum);
    json_text_at(json, "reason", check->reason);
    json_close(json, '}');
}

static void write_results(FILE *file, const chosen_results *results, bool is_whole)
{
    json_writer json = json_begin_object(file);
    json_text_at(&json, "version", tp_version());
    json_bool_at(&json, "complete", is_whole);
    json_open_at(&json, "experiments", '[');
    for (int k = 0; k < results->count; ++k) {
        const tp_experiment_result *r = results->list[k];
        const tp_experiment *e = r->experiment;
        json_open(&json, '{');
        json_text_at(&json, "name", e->name);
        json_text_at(&json, "document", e->document);
        json_text_at(&json, "where", e->where);
        json_text_at(&json, "title", e->title);
        json_text_at(&json, "verdict", needs_no_run(r) ? tp_verdict_name(r->verdict) : NULL);
        json_bool_at(&json, "explained", r->is_explained);
        json_bool_at(&json, "from_before", results->was_done[k]);
        json_text_at(&json, "missing", e->missing);
        json_real_at(&json, "seconds", r->is_done ? r->seconds : NAN);
        json_open_at(&json, "checks", '[');
        for (int i = 0; i < e->check_count && r->is_done; ++i)
            write_check(&json, &e->checks[i], &r->measured[i]);
        json_close(&json, ']');
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end_object(&json);
}

static bool copy_file(const char *from, const char *to)
{
    tp_message why = {""};
    struct stat info;
    FILE *file = fopen(from, "rb");
    if (file == NULL) return false;
    size_t size = fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0;
    char *bytes = malloc(size + 1);
    bool is_read = bytes != NULL && fread(bytes, 1, size, file) == size;
    fclose(file);
    bool is_copied = is_read && tp_file_write(to, bytes, size, &why) == TP_OK;
    free(bytes);
    return is_copied;
}

/* reproduction.json, the page, and its figures beside it. */
static exit_code write_files(const cli_verb *self, const reproduce_settings *settings, const char *folder,
                             chosen_results *results, bool is_whole)
{
    char page[REPRODUCE_PATH_MAX], figures[REPRODUCE_PATH_MAX], from[2 * REPRODUCE_PATH_MAX],
        to[2 * REPRODUCE_PATH_MAX];
    tp_message why = {""};
    snprintf(to, sizeof to, "%s/reproduction.json", folder);
    FILE *file = fopen(to, "w");
    if (file != NULL) write_results(file, results, is_whole);
    if (file == NULL || fclose(file) != 0) {
        complain("%s: cannot write %s", self->name, to);
        return PROGRAM_NO_RESOURCE;
    }
    if (settings->page != NULL) {
        snprintf(page, sizeof page, "%s", settings->page);
    } else {
        snprintf(page, sizeof page, "%.4000s/reproduction.md", settings->output);
    }
    snprintf(figures, sizeof figures, "%s", page);
    figures[strlen(figures) - strlen(".md")] = '\0';
    if (!make_folders(figures)) {
        complain("%s: cannot make %s: %s", self->name, figures, strerror(errno));
        return PROGRAM_NO_RESOURCE;
    }
    for (int k = 0; k < results->count; ++k) {
        const char *name = results->list[k]->experiment->name;
        snprintf(from, sizeof from, "%s/runs/%s/figure.svg", folder, name);
        snprintf(to, sizeof to, "%s/%s.svg", figures, name);
        results->has_figure[k] = results->list[k]->is_done && copy_file(from, to);
    }
    const char *slash = strrchr(figures, '/');
    tp_status status =
        tp_reproduction_page((const tp_experiment_result *const *)results->list, results->has_figure,
                             results->count, slash != NULL ? slash + 1 : figures, page, &why);
    if (status != TP_OK) {
        complain("%s: %s", self->name, why.text);
        return exit_code_of(status);
    }
    if (!settings->is_json && !settings->is_quiet) printf("page: %s\n", page);
    return PROGRAM_DONE;
}

static exit_code reproduce(const cli_verb *self, const reproduce_settings *settings,
                           const tp_catalogue *catalogue, const bool *is_chosen, const char *folder)
{
    chosen_results results = {.count = 0};
    tp_message why = {""};
    exit_code code = PROGRAM_DONE;
    bool is_whole = false;
    tp_status status = begin_results(folder, catalogue, is_chosen, &results, &why);
    if (status == TP_OK) {
        interrupt_watch();
        is_whole = run_rest(settings, folder, &results);
        status = recall_all(folder, &results, &why);
    }
    if (status != TP_OK) {
        complain("%s: %s", self->name, why.text);
        code = exit_code_of(status);
    } else {
        if (settings->is_json) write_results(stdout, &results, is_whole);
        if (!settings->is_json && !settings->is_quiet) print_lines(&results);
        code = write_files(self, settings, folder, &results, is_whole);
        for (int k = 0; k < results.count && code == PROGRAM_DONE; ++k) {
            if (is_open(results.list[k])) code = PROGRAM_NO_SOLUTION;
        }
        if (interrupt_has_come()) code = (exit_code)interrupt_exit_code();
    }
    free_results(&results);
    return code;
}

static exit_code run_reproduce(const cli_verb *self, int argument_count, char **arguments)
{
    reproduce_settings settings = {.output = "reproduction"};
    positionals given;
    char folder[PATH_MAX];
    tp_catalogue *catalogue = NULL;
    tp_message why = {""};
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (settings.page != NULL &&
        (strlen(settings.page) < 4 || strcmp(settings.page + strlen(settings.page) - 3, ".md") != 0)) {
        complain("%s: --page %s: expected a name that ends in .md", self->name, settings.page);
        return PROGRAM_BAD_INPUT;
    }
    settings.jobs = study_jobs(settings.jobs);
    tp_status status = reproduce_catalogue(settings.catalogue, &catalogue, &why);
    if (status != TP_OK) {
        complain("%s: %s", self->name, why.text);
        return exit_code_of(status);
    }
    exit_code code = PROGRAM_BAD_INPUT;
    bool *is_chosen = calloc((size_t)catalogue->count + 1, sizeof *is_chosen);
    if (is_chosen != NULL && choose(self, catalogue, &given, is_chosen)) {
        bool is_there = make_folders(settings.output) && realpath(settings.output, folder) != NULL;
        if (!is_there) complain("%s: cannot use %s: %s", self->name, settings.output, strerror(errno));
        code = is_there ? reproduce(self, &settings, catalogue, is_chosen, folder) : PROGRAM_NO_RESOURCE;
    }
    free(is_chosen);
    tp_catalogue_free(catalogue);
    return code;
}

const cli_verb verb_reproduce = {
    .name = "reproduce",
    .summary = "Runs experiments of the literature again and compares with what was published",
    .usage =
        "[NAME...] [-o FOLDER] [--page FILE.md] [--catalogue FOLDER] [--fresh] [--jobs N] [--json] [--quiet]",
    .text = "NAME is an experiment or a document (tippe list experiments); default: all of them.\n"
            "Writes a page with what the document reports, what was measured, the verdict and a figure for\n"
            "each experiment. Exit code 3 if one differs without a reason.\n",
    .options = reproduce_options,
    .positionals = "experiments",
    .positional_more = POSITIONAL_MAX - 1,
    .run = run_reproduce,
};
