/* tippe run SCENE: reads a scene, simulates it, writes the motion and prints the report. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "family_names.h"
#include "hdf5_child.h"
#include "interrupt.h"
#include "json.h"
#include "paths.h"
#include "program.h"
#include "progress.h"
#include "run_report.h"
#include "shared_options.h"
#include "tippe/input_file.h"
#include "tippe/output.h"

typedef struct run_settings {
    option_texts columns;
    const char *hdf5_path, *csv_path, *paraview_path, *integrator, *solver, *restart, *input_path,
        *dump_failed;
    option_timed dump_step;
    double time_step, end_time, output_every, frame_every; /* [s] NaN: what the scene says */
    option_texts edits;
    int threads;                                      /* 0: what the scene says */
    bool as_json, is_quiet, is_strict, is_csv_output; /* is_csv_output: csv_path was given by -o */
} run_settings;

#define FIELD(name) offsetof(run_settings, name)

static const cli_option run_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(hdf5_path), "OUT.h5",
     "writes the motion as HDF5, or as text if the name ends in .csv", 0, 0, NULL},
    {"--csv", NULL, OPTION_TEXT, FIELD(csv_path), "FILE", "writes the motion as text; - is standard output",
     0, 0, NULL},
    {"--paraview", NULL, OPTION_TEXT, FIELD(paraview_path), "PLACE",
     "writes frames for ParaView to a folder, or to NAME.pvd and the folder NAME", 0, 0, NULL},
    SHARED_INTEGRATOR(run_settings),
    SHARED_SOLVER(run_settings),
    {"--dt", NULL, OPTION_REAL, FIELD(time_step), "S", "time step, instead of the scene's", DBL_MIN, DBL_MAX,
     "a number of seconds above 0"},
    {"--until", NULL, OPTION_REAL, FIELD(end_time), "S", "end time, instead of the scene's", 0.0, DBL_MAX,
     "a number of seconds, 0 or more"},
    {"--threads", NULL, OPTION_COUNT, FIELD(threads), "N",
     "threads that work on a step together, instead of the scene's; the results have the same bits", 1, 256,
     "a number from 1 to 256"},
    {"--columns", NULL, OPTION_TEXTS, FIELD(columns), "NAME",
     "writes this column, group (q, law/beak) or table (contacts, events) alone; may be repeated", 0, 0,
     NULL},
    {"--output-every", NULL, OPTION_REAL, FIELD(output_every), "S",
     "time between rows of the output, instead of the scene's; 0: every step", 0.0, DBL_MAX,
     "a number of seconds, 0 or more"},
    {"--frame-every", NULL, OPTION_REAL, FIELD(frame_every), "S",
     "time between frames for ParaView, instead of the scene's; 0: a frame for every row", 0.0, DBL_MAX,
     "a number of seconds, 0 or more"},
    {"--restart", NULL, OPTION_TEXT, FIELD(restart), "FILE",
     "continues the run whose HDF5 output this is, from its last row", 0, 0, NULL},
    {"--input", NULL, OPTION_TEXT, FIELD(input_path), "FILE.csv",
     "values of the scene's inputs over time: time,NAME,NAME; a row holds until the next", 0, 0, NULL},
    {"--dump-step", NULL, OPTION_TIMED, FIELD(dump_step), "S FILE",
     "writes the one-step problem of the step at this time, for tippe solve", 0.0, DBL_MAX,
     "a number of seconds, 0 or more, and a file"},
    {"--dump-failed", NULL, OPTION_TEXT, FIELD(dump_failed), "FILE",
     "writes the one-step problem of a step that fails, for tippe solve", 0, 0, NULL},
    SHARED_SET(run_settings),
    SHARED_STRICT(run_settings),
    {"--json", NULL, OPTION_FLAG, FIELD(as_json), NULL, "prints one JSON object instead of lines", 0, 0,
     NULL},
    {"--quiet", NULL, OPTION_FLAG, FIELD(is_quiet), NULL,
     "no progress and no summary; errors are still printed", 0, 0, NULL},
    {.name = NULL},
};

/* -o writes CSV if the name says so. */
static bool choose_format(const cli_verb *self, run_settings *settings)
{
    const char *path = settings->hdf5_path;
    if (path == NULL || !has_ending(path, ".csv")) return true;
    if (settings->csv_path != NULL) {
        complain("%s: -o %s and --csv %s would both write text; give one of them", self->name, path,
                 settings->csv_path);
        return false;
    }
    settings->csv_path = path;
    settings->hdf5_path = NULL;
    settings->is_csv_output = true;
    return true;
}

/* Names that promise something else than HDF5 are refused; a name without an ending is fine. */
static bool check_hdf5_path(const cli_verb *self, const char *path)
{
    static const struct {
        const char *ending, *hint;
    } others[] = {
        {".pvd", "frames for ParaView are written by --paraview PLACE"},
        {".svg", "tippe plot draws curves of a run"},
        {".png", "tippe plot draws curves of a run"},
    };
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL || strchr(slash != NULL ? slash : path, '.') == NULL) return true;
    if (has_ending(path, ".h5") || has_ending(path, ".hdf5")) return true;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
        if (!has_ending(path, others[k].ending)) continue;
        complain("%s: -o %s: -o writes HDF5 (.h5) or text (.csv); %s", self->name, path, others[k].hint);
        return false;
    }
    complain("%s: -o %s: expected a name that ends in .h5 (HDF5) or .csv (text)", self->name, path);
    return false;
}

static bool check_paraview(const cli_verb *self, const run_settings *settings)
{
    const char *place = settings->paraview_path;
    if (place == NULL && !isnan(settings->frame_every)) {
        complain("%s: --frame-every has no effect without --paraview", self->name);
        return false;
    }
    if (place != NULL && strcmp(place, "-") == 0) {
        complain("%s: --paraview needs the name of a folder, or NAME.pvd", self->name);
        return false;
    }
    return true;
}

/* The companion file of a CSV file that gets a table; NULL: none. */
static const char *table_file(const char *csv_path, const char *table, char path[INDEX_PATH_MAX])
{
    if (csv_path == NULL || strcmp(csv_path, "-") == 0) return NULL;
    return tp_csv_table_path(csv_path, table, path, INDEX_PATH_MAX) < INDEX_PATH_MAX ? path : NULL;
}

/* The files among themselves, against scene and restart, and (once it is read) against what the scene reads.
 */
static bool check_files(const cli_verb *self, const run_settings *settings, const char *path,
                        const tp_scene *scene)
{
    char index[INDEX_PATH_MAX], contacts[INDEX_PATH_MAX], events[INDEX_PATH_MAX], steps[INDEX_PATH_MAX];
    const char *csv_option = settings->is_csv_output ? "-o" : "--csv";
    const named_file outputs[] = {{csv_option, table_file(settings->csv_path, "contacts", contacts)},
                                  {csv_option, table_file(settings->csv_path, "events", events)},
                                  {csv_option, table_file(settings->csv_path, "steps", steps)},
                                  {"-o", settings->hdf5_path},
                                  {csv_option, settings->csv_path},
                                  {"--paraview", settings->paraview_path},
                                  {"--paraview", paraview_index(settings->paraview_path, index)},
                                  {"--dump-step", settings->dump_step.text},
                                  {"--dump-failed", settings->dump_failed}};
    const named_file inputs[] = {{"the scene", path},
                                 {"the run that is continued,", settings->restart},
                                 {"--input", settings->input_path}};
    if (scene != NULL) return check_scene_files(self, FILE_LIST(outputs), scene);
    return check_outputs(self, FILE_LIST(outputs), FILE_LIST(inputs));
}

static bool check_paths(const cli_verb *self, run_settings *settings, const char *scene)
{
    if (!choose_format(self, settings) || !check_paraview(self, settings)) return false;
    const char *hdf5 = settings->hdf5_path, *csv = settings->csv_path;
    if (hdf5 != NULL && strcmp(hdf5, "-") == 0) {
        complain("%s: HDF5 cannot go to standard output; --csv - can", self->name);
        return false;
    }
    if (csv != NULL && strcmp(csv, "-") == 0 && settings->as_json) {
        complain("%s: --csv - and --json would both print on standard output", self->name);
        return false;
    }
    return check_files(self, settings, scene, NULL) && check_hdf5_path(self, hdf5) &&
           check_text_path(self, "--csv", csv);
}

/* The command line has the last word. */
static void apply_settings(const run_settings *settings, run_result *result, double *output_every_out)
{
    tp_simulation_options *options = &result->options;
    *options = result->scene->options;
    *output_every_out = result->scene->output_every;
    if (settings->integrator != NULL) options->integrator = settings->integrator;
    if (settings->solver != NULL) options->solver = settings->solver;
    if (!isnan(settings->time_step)) options->time_step = settings->time_step;
    if (!isnan(settings->end_time)) options->end_time = settings->end_time;
    if (settings->threads > 0) options->threads = settings->threads;
    options->strict = settings->is_strict;
    if (!isnan(settings->output_every)) *output_every_out = settings->output_every;
}

/* What the run was asked for, to be kept in the output file; to be freed, NULL without memory. */
static char *options_as_json(const run_settings *settings, const tp_simulation_options *options,
                             double output_every)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) return NULL;
    json_writer writer = json_begin_object(file);
    json_text_at(&writer, "integrator", options->integrator);
    json_text_at(&writer, "solver", options->solver != NULL ? options->solver : "auto");
    json_real_at(&writer, "dt", options->time_step);
    json_real_at(&writer, "until", options->end_time);
    json_real_at(&writer, "output_every", output_every);
    json_real_at(&writer, "tolerance", options->tolerance);
    json_open_at(&writer, "set", '[');
    for (int k = 0; k < settings->edits.count; ++k) {
        json_text(&writer, settings->edits.text[k]);
    }
    json_close(&writer, ']');
    json_close(&writer, '}');
    return fclose(file) == 0 ? text : NULL;
}

static tp_status open_output(const run_settings *settings, const run_result *result, double output_every,
                             tp_output **output_out, tp_message *why_out)
{
    if (settings->hdf5_path == NULL && settings->csv_path == NULL && settings->paraview_path == NULL)
        return TP_OK;
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = settings->hdf5_path;
    options.csv_path = settings->csv_path;
    options.paraview_path = settings->paraview_path;
    options.frame_every = isnan(settings->frame_every) ? result->scene->frame_every : settings->frame_every;
    options.output_every = output_every;
    options.columns = settings->columns.count > 0 ? settings->columns.text : result->scene->columns;
    options.column_count =
        settings->columns.count > 0 ? settings->columns.count : result->scene->column_count;
    options.scene_text = result->scene->text;
    options.scene_name = result->scene->name;
    options.integrator = result->options.integrator;
    char *json = options_as_json(settings, &result->options, output_every);
    options.options_json = json;
    tp_status status = json != NULL
                           ? tp_output_create(NULL, result->simulation, &options, output_out, why_out)
                           : tp_fail(why_out, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    free(json);
    return status;
}

/* What looks at every step. */
typedef struct run_observer {
    tp_simulation *simulation;
    tp_output *output;
    const tp_input_table *inputs; /* NULL: none */
    step_dump dump;
    progress bar;
    tp_status status; /* of what is done besides the steps */
    tp_message why;
} run_observer;

/* False ends the run after this step: the data could not be written, or Ctrl-C. */
static bool observe(void *context, const tp_simulation *simulation)
{
    run_observer *observer = context;
    if (observer->output != NULL && !tp_output_observe(observer->output, simulation)) return false;
    observer->status = dump_see_step(&observer->dump, simulation, &observer->why);
    if (observer->status == TP_OK && observer->inputs != NULL)
        observer->status = tp_input_table_apply(observer->inputs, observer->simulation, &observer->why);
    progress_show(&observer->bar, tp_simulation_time(simulation));
    return observer->status == TP_OK && !interrupt_has_come();
}

static bool has_come(void *context)
{
    (void)context;
    return interrupt_has_come();
}

/* Steps to the end and closes the output; the file keeps what was computed, whatever ended the run. */
static void simulate(const run_settings *settings, tp_simulation *simulation, tp_output *output,
                     const tp_input_table *inputs, run_result *result)
{
    run_observer observer = {.simulation = simulation,
                             .output = output,
                             .inputs = inputs,
                             .dump = {.time = settings->dump_step.time,
                                      .step_path = settings->dump_step.text,
                                      .failed_path = settings->dump_failed}};
    observer.bar =
        progress_begin(!settings->is_quiet, tp_simulation_time(simulation), result->options.end_time);
    double start = progress_seconds();
    tp_simulation_set_interrupt(simulation, has_come, NULL); /* steps may take long */
    tp_status status = tp_simulation_run(simulation, observe, &observer, NULL);
    progress_end(&observer.bar);
    bool has_failed = status != TP_OK && status != TP_INTERRUPTED && status != TP_WARNED;
    if (observer.status == TP_OK)
        observer.status = dump_see_end(&observer.dump, simulation, has_failed, &observer.why);

    tp_message why = {""};
    tp_status closed = tp_output_close(output, &why);
    result->wall_time = progress_seconds() - start;
    if (closed != TP_OK) {
        run_result_conclude(result, closed, why.text);
    } else if (observer.status != TP_OK) {
        run_result_conclude(result, observer.status, observer.why.text);
    } else {
        run_result_conclude(result, status, tp_simulation_report(simulation)->reason);
    }
}

/* Refuses a time that no step of the run contains. */
static tp_status check_dump(const run_settings *settings, const tp_simulation *simulation, tp_message *why)
{
    double start = tp_simulation_time(simulation), end = tp_simulation_get_options(simulation)->end_time;
    if (settings->dump_step.text == NULL ||
        (settings->dump_step.time >= start && settings->dump_step.time <= end))
        return TP_OK;
    return tp_fail(why, TP_INVALID_ARGUMENT, "--dump-step %g: the run goes from %g s to %g s",
                   settings->dump_step.time, start, end);
}

/* From a scene that was read to the end of the run. */
static void run_scene(const cli_verb *self, const run_settings *settings, run_result *result,
                      tp_simulation **simulation_out)
{
    double output_every;
    tp_message why = {""};
    apply_settings(settings, result, &output_every);
    tp_status status =
        tp_simulation_create(NULL, result->scene->model, &result->options, simulation_out, &why);
    tp_output *output = NULL;
    if (status == TP_OK) {
        result->simulation = *simulation_out;
        interrupt_watch();
        if (settings->restart != NULL) {
            status = tp_output_restore_from(NULL, &hdf5_child, *simulation_out, settings->restart,
                                            result->scene->text, &why);
        }
    }
    tp_input_table *inputs = NULL;
    if (status == TP_OK && settings->input_path != NULL)
        status = tp_input_table_read(NULL, result->scene->model, settings->input_path, &inputs, &why);
    if (status == TP_OK && inputs != NULL) status = tp_input_table_apply(inputs, *simulation_out, &why);
    if (status == TP_OK) status = check_dump(settings, *simulation_out, &why);
    if (status == TP_OK) {
        result->restart_path = settings->restart;
        status = open_output(settings, result, output_every, &output, &why);
    }
    result->has_started = status == TP_OK;
    if (result->has_started) {
        result->hdf5_path = settings->hdf5_path;
        result->csv_path = settings->csv_path;
        result->paraview_path = settings->paraview_path;
        simulate(settings, *simulation_out, output, inputs, result);
    } else {
        run_result_conclude(result, status, why.text);
    }
    tp_input_table_free(inputs);
    if (result->code != PROGRAM_DONE) complain("%s: %s", self->name, result->reason);
}

static void print_result(const run_settings *settings, const run_result *result)
{
    bool has_data_on_stdout = settings->csv_path != NULL && strcmp(settings->csv_path, "-") == 0;
    if (settings->as_json) {
        run_result_print_json(result, stdout);
    } else if (!settings->is_quiet) {
        run_result_print_lines(result, has_data_on_stdout ? stderr : stdout);
    }
}

static exit_code run_run(const cli_verb *self, int argument_count, char **arguments)
{
    run_settings settings = {.time_step = NAN, .end_time = NAN, .output_every = NAN, .frame_every = NAN};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!check_names(self, settings.integrator, settings.solver)) return PROGRAM_BAD_INPUT;
    if (!check_paths(self, &settings, given.text[0])) return PROGRAM_BAD_INPUT;

    run_result result = {.path = given.text[0],
                         .options = {.integrator = settings.integrator, .solver = settings.solver}};
    tp_scene *scene = NULL;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_status status =
        tp_scene_read(NULL, given.text[0], settings.edits.text, settings.edits.count, &scene, &why);
    if (status == TP_OK && !check_files(self, &settings, given.text[0], scene)) {
        tp_scene_free(scene);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) {
        result.scene = scene;
        run_scene(self, &settings, &result, &simulation);
    } else {
        run_result_conclude(&result, status, why.text);
        complain("%s: %s", self->name, result.reason);
    }
    print_result(&settings, &result);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    if (result.code == PROGRAM_INTERRUPTED) return (exit_code)interrupt_exit_code();
    return result.code;
}

const cli_verb verb_run = {
    .name = "run",
    .summary = "Simulates a scene",
    .usage =
        "SCENE [-o OUT.h5] [--csv FILE] [--paraview PLACE] [--integrator NAME] [--solver NAME]\n"
        "                 [--dt S] [--until S] [--columns NAME]... [--output-every S] [--frame-every S]\n"
        "                 [--threads N] [--restart FILE] [--input FILE.csv] [--dump-step S FILE] "
        "[--dump-failed FILE]\n"
        "                 [--set PATH=VALUE]... [--strict] [--json] [--quiet]",
    .text =
        "Without -o, --csv and --paraview nothing is written but the report: what stopped the run, energy, "
        "drift,\n"
        "impacts, solver. Ctrl-C ends the run after the present step and keeps the data (exit code 130);\n"
        "so do SIGTERM (143) and SIGHUP (129). A second one, more than half a second later, ends it at "
        "once.\n"
        "A step that does not converge ends the run with exit code 3; the output then holds everything\n"
        "before it.\n"
        "\n"
        "Warnings are listed in the report with time, figure and remedy (tippe list warnings); with "
        "--strict\n"
        "they make exit code 3.\n"
        "\n"
        "A run that was interrupted, killed or ended is continued with --restart and its HDF5 output, to a\n"
        "new file: the same bits as without the stop. Changes since then are reported as warnings.\n"
        "\n"
        "--input sets the scene's inputs: a CSV file whose first line is time,NAME,NAME. A row holds from "
        "its\n"
        "time until the next one; a time within a step counts from the next step on.\n"
        "\n"
        "--dump-step and --dump-failed write a one-step problem: FCLIB HDF5 if the name ends in .h5, a text\n"
        "that holds every problem if it ends in .tippe, else .dat; of implicit integrators the last "
        "linearised one.\n"
        "\n"
        "--paraview draws what the scene's section draw says: open PLACE/motion.pvd, or NAME.pvd, in "
        "ParaView.\n",
    .options = run_options,
    .positionals = "SCENE",
    .positional_count = 1,
    .run = run_run,
};
