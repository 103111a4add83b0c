/* tippe plot RUN.h5...: curves of one or several runs as SVG or PNG. */
#include <string.h>

#include "figure.h"
#include "hdf5_child.h"
#include "program.h"
#include "shared_options.h"
#include "tippe/plot.h"

typedef struct plot_settings {
    option_texts columns;
    const char *output, *size;
    int dots_per_inch;
    bool is_log, has_equal_axes, has_events, has_difference, is_quiet;
} plot_settings;

#define FIELD(name) offsetof(plot_settings, name)

static const cli_option plot_options[] = {
    {"--columns", NULL, OPTION_TEXTS, FIELD(columns), "LIST",
     "what to plot: a,b in one panel, ';' starts the next, x:y is y over x", 0, 0, NULL},
    {"--output", "-o", OPTION_TEXT, FIELD(output), "FILE",
     "ends in .svg or .png; default: RUN.svg in the folder of the run", 0, 0, NULL},
    {"--log", NULL, OPTION_FLAG, FIELD(is_log), NULL, "vertical axes are logarithmic", 0, 0, NULL},
    {"--equal", NULL, OPTION_FLAG, FIELD(has_equal_axes), NULL,
     "a unit has the same length on both axes of x:y, for paths", 0, 0, NULL},
    {"--events", NULL, OPTION_FLAG, FIELD(has_events), NULL, "marks the events above panels over time", 0, 0,
     NULL},
    {"--difference", NULL, OPTION_FLAG, FIELD(has_difference), NULL,
     "each run minus the first one, instead of the runs", 0, 0, NULL},
    SHARED_SIZE(plot_settings),
    SHARED_DPI(plot_settings),
    SHARED_QUIET_FILE(plot_settings),
    {NULL, NULL, OPTION_FLAG, 0, NULL, NULL, 0, 0, NULL},
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Runs are called by their file names, or by their paths if two have the same name. */
static void label_runs(tp_plot_run *runs, const positionals *given)
{
    for (int r = 0; r < given->count; ++r) {
        runs[r].label = file_name(given->text[r]);
        for (int k = 0; k < given->count; ++k) {
            if (k != r && strcmp(file_name(given->text[k]), file_name(given->text[r])) == 0) {
                runs[r].label = given->text[r];
            }
        }
    }
}

static tp_status draw(const tp_plot_run *runs, int run_count, const tp_plot_options *options,
                      const char *path, bool is_quiet, tp_message *why)
{
    tp_plot *plot = NULL;
    TP_TRY(tp_plot_create(NULL, runs, run_count, options, &plot, why));
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    int curve_count = 0;
    for (int p = 0; p < figure->panel_count; ++p) curve_count += figure->panels[p].series_count;
    tp_status status = tp_plot_write(NULL, figure, path, why);
    if (status == TP_OK && !is_quiet) {
        printf("%s: %d panel%s, %d curve%s\n", path, figure->panel_count, figure->panel_count == 1 ? "" : "s",
               curve_count, curve_count == 1 ? "" : "s");
        if (figure->note != NULL) printf("%s\n", figure->note);
    }
    tp_plot_free(plot);
    return status;
}

/* Reads the runs, draws them, and releases what was read. */
static exit_code plot_runs(const cli_verb *self, const positionals *given, const plot_settings *settings,
                           const tp_plot_options *options, const char *path)
{
    tp_plot_run runs[TP_PLOT_RUNS_MAX] = {{NULL, NULL}};
    tp_trajectory *trajectories[TP_PLOT_RUNS_MAX] = {NULL};
    tp_message why = {""};
    tp_status status = TP_OK;
    label_runs(runs, given);
    for (int r = 0; r < given->count && status == TP_OK; ++r) {
        status = tp_trajectory_read_from(NULL, &hdf5_child, given->text[r], &trajectories[r], &why);
        runs[r].trajectory = trajectories[r];
    }
    if (status == TP_OK) status = draw(runs, given->count, options, path, settings->is_quiet, &why);
    for (int r = 0; r < given->count; ++r) tp_trajectory_free(trajectories[r]);
    return end_with(self, status, &why);
}

static exit_code run_plot(const cli_verb *self, int argument_count, char **arguments)
{
    static char path[FIGURE_PATH_MAX];
    tp_plot_options options = tp_plot_options_default();
    plot_settings settings = {.dots_per_inch = (int)options.dots_per_inch};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!figure_size(self, settings.size, &options.width, &options.height)) return PROGRAM_BAD_INPUT;
    if (!figure_path(self, settings.output, ".svg", &given, path)) return PROGRAM_BAD_INPUT;
    options.columns = settings.columns.text;
    options.column_count = settings.columns.count;
    options.is_log = settings.is_log;
    options.has_equal_axes = settings.has_equal_axes;
    options.has_events = settings.has_events;
    options.has_difference = settings.has_difference;
    options.dots_per_inch = settings.dots_per_inch;
    return plot_runs(self, &given, &settings, &options, path);
}

const cli_verb verb_plot = {
    .name = "plot",
    .summary = "Draws curves of one or several runs as SVG or PNG",
    .usage = "RUN.h5... [--columns LIST]... [-o FILE.svg|FILE.png] [options]",
    .text =
        "Without --columns: sensors, coordinates, velocities, energy, gaps and contact forces over time, as\n"
        "far as they change or act. LIST names columns (q/x), groups (q, law/beak), patterns (law/*/gap) or\n"
        "short names (x, x'); law/NAME/force_N and contact/A/B/force_N are mean forces between rows. With\n"
        "several runs, each gets a colour. The table of tippe sweep becomes results over a parameter, maps\n"
        "over two, or with its points a bifurcation diagram.\n"
        "  tippe plot run.h5 --columns \"x:x'\" -o phase.png\n"
        "  tippe plot a.h5 b.h5 --columns 'energy;law/*/gap'\n"
        "  tippe plot run.h5 --columns step/residual --log\n",
    .options = plot_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .positional_more = TP_PLOT_RUNS_MAX - 1,
    .run = run_plot,
};
