/* tippe poincare RUN.h5: sections through a recorded motion, and how nearly it returns to them. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5_child.h"
#include "json.h"
#include "paths.h"
#include "program.h"
#include "shared_options.h"
#include "study_report.h"
#include "tippe/plot.h"
#include "tippe/section.h"

typedef struct poincare_settings {
    const char *through, *event, *of, *csv_path, *plot_path;
    option_texts columns;
    int direction;
    double level, period, phase, from, until, tolerance;
    bool is_json;
} poincare_settings;

#define FIELD(name) offsetof(poincare_settings, name)

static const cli_option poincare_options[] = {
    {"--through", NULL, OPTION_TEXT, FIELD(through), "COLUMN",
     "points where this column passes --level: q/x, or x where no other column ends so", 0, 0, NULL},
    {"--level", NULL, OPTION_REAL, FIELD(level), "V", "value that it passes; 0", -DBL_MAX, DBL_MAX,
     "a number"},
    {"--direction", NULL, OPTION_CHOICE, FIELD(direction), "rising|falling|both", "in which direction", 0, 0,
     NULL},
    {"--period", NULL, OPTION_REAL, FIELD(period), "S",
     "points at multiples of this time: a stroboscopic map", DBL_MIN, DBL_MAX, "a number of seconds above 0"},
    {"--phase", NULL, OPTION_REAL, FIELD(phase), "S", "time of the first of them; 0", -DBL_MAX, DBL_MAX,
     "a number of seconds"},
    {"--event", NULL, OPTION_TEXT, FIELD(event), "KIND", "points at events:" TP_EVENT_KIND_WORDS, 0, 0, NULL},
    {"--of", NULL, OPTION_TEXT, FIELD(of), "NAME", "events of this law or shape alone", 0, 0, NULL},
    {"--columns", NULL, OPTION_TEXTS, FIELD(columns), "COLUMN",
     "what a point has; may be repeated; default: all coordinates and velocities", 0, 0, NULL},
    {"--from", NULL, OPTION_REAL, FIELD(from), "S", "leaves out points before this time", -DBL_MAX, DBL_MAX,
     "a number of seconds"},
    {"--until", NULL, OPTION_REAL, FIELD(until), "S", "leaves out points after this time", -DBL_MAX, DBL_MAX,
     "a number of seconds"},
    {"--closed", NULL, OPTION_REAL, FIELD(tolerance), "E",
     "closure error up to which the motion counts as periodic; 1e-3", 0.0, DBL_MAX, "a number, 0 or more"},
    {"--output", "-o", OPTION_TEXT, FIELD(csv_path), "FILE.csv", "writes the points as text", 0, 0, NULL},
    {"--plot", NULL, OPTION_TEXT, FIELD(plot_path), "FILE.svg",
     "draws the points, second column over the first; SVG or PNG", 0, 0, NULL},
    {"--json", NULL, OPTION_FLAG, FIELD(is_json), NULL, "prints one JSON object", 0, 0, NULL},
    {.name = NULL},
};

/* One way to choose points. */
static bool make_def(const cli_verb *self, const poincare_settings *settings, tp_section_def *def_out)
{
    static const int directions[] = {1, -1, 0};
    bool has_period = !isnan(settings->period);
    int ways = (settings->through != NULL) + has_period + (settings->event != NULL);
    *def_out = tp_section_def_default();
    if (ways != 1) {
        complain("%s: expected one of --through COLUMN, --period S and --event KIND", self->name);
        return false;
    }
    if (settings->of != NULL && settings->event == NULL) {
        complain("%s: --of needs --event KIND", self->name);
        return false;
    }
    def_out->kind =
        has_period ? TP_SECTION_PERIOD : (settings->event != NULL ? TP_SECTION_EVENTS : TP_SECTION_CROSSING);
    def_out->column = settings->through;
    def_out->level = settings->level;
    def_out->direction = directions[settings->direction];
    def_out->period = settings->period;
    def_out->phase = settings->phase;
    def_out->event = settings->event;
    def_out->of = settings->of;
    def_out->from = settings->from;
    def_out->until = settings->until;
    if (settings->columns.count > 0) {
        def_out->columns = settings->columns.text;
        def_out->column_count = settings->columns.count;
    }
    return true;
}

/* ---- for a person and a program -------------------------------------------------------------------------
 */

enum { LINES_MAX = 20, COLUMNS_MAX = 6 }; /* of the table on the terminal; -o and --json have all */

static void print_points(const tp_section *section)
{
    int columns = section->column_count < COLUMNS_MAX ? section->column_count : COLUMNS_MAX;
    long long first = section->count > LINES_MAX ? section->count - LINES_MAX : 0;
    printf("%14s", "time [s]");
    for (int c = 0; c < columns; ++c) printf(" %16.16s", section->columns[c].name);
    printf("%s\n", columns < section->column_count ? " ..." : "");
    if (first > 0) printf("%14s\n", "...");
    for (long long p = first; p < section->count; ++p) {
        printf("%14.9g", section->time[p]);
        for (int c = 0; c < columns; ++c) printf(" %16.9g", section->values[c][p]);
        printf("\n");
    }
    printf("points       %lld\n", section->count);
}

static void print_returns(const tp_section *section, double tolerance)
{
    int period = tp_section_period(section, tolerance);
    if (section->lag > 0.0)
        printf("lag          rows are up to %.3g s after their events; record every step to have 0\n",
               section->lag);
    if (section->return_count == 0) return;
    printf("closure      error after 1 point %.3g of the range of a column\n", section->returns[0].error);
    if (period > 0) {
        printf("period       %d point%s, %.9g s: the last return closes to %.3g\n", period,
               period == 1 ? "" : "s", section->returns[period - 1].duration,
               section->returns[period - 1].error);
    } else {
        printf("period       none up to %d points closes to %.3g\n", section->return_count, tolerance);
    }
}

static void write_json(const tp_section *section, const char *path, double tolerance)
{
    json_writer json = json_begin_object(stdout);
    json_text_at(&json, "run", path);
    json_integer_at(&json, "count", section->count);
    json_real_at(&json, "lag", section->lag);
    json_integer_at(&json, "period", tp_section_period(section, tolerance));
    json_open_at(&json, "returns", '[');
    for (int k = 0; k < section->return_count; ++k) {
        json_open(&json, '{');
        json_real_at(&json, "error", section->returns[k].error);
        json_real_at(&json, "duration", section->returns[k].duration);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_open_at(&json, "points", '[');
    for (long long p = 0; p < section->count; ++p) {
        json_open(&json, '{');
        json_real_at(&json, "time", section->time[p]);
        for (int c = 0; c < section->column_count; ++c)
            json_real_at(&json, section->columns[c].name, section->values[c][p]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end_object(&json);
}

/* ---- files -----------------------------------------------------------------------------------------------
 */

static tp_status write_csv(const tp_section *section, const char *path, tp_message *why)
{
    tp_table_def def = tp_table_def_default();
    tp_table_column *columns = calloc((size_t)section->column_count + 1, sizeof *columns);
    double *row = calloc((size_t)section->column_count + 1, sizeof *row);
    tp_trajectory_writer *writer = NULL;
    tp_status status = columns != NULL && row != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK) {
        columns[0] = (tp_table_column){"time", "s", "time"};
        memcpy(columns + 1, section->columns, (size_t)section->column_count * sizeof *columns);
        def.path = path;
        def.format = "csv";
        def.columns = columns;
        def.column_count = section->column_count + 1;
        status = tp_trajectory_writer_create(NULL, &def, &writer, why);
    }
    for (long long p = 0; p < section->count && status == TP_OK; ++p) {
        row[0] = section->time[p];
        for (int c = 0; c < section->column_count; ++c) row[c + 1] = section->values[c][p];
        status = tp_trajectory_writer_append(writer, row);
    }
    if (writer != NULL) {
        tp_status closed = tp_trajectory_writer_close(writer, NULL, 0, why);
        if (status == TP_OK) status = closed;
    }
    free(columns);
    free(row);
    return status;
}

static tp_status plot_points(const tp_section *section, const char *path, tp_message *why)
{
    char labels[2][256];
    if (section->column_count < 2)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a map needs two columns: name them with --columns");
    for (int c = 0; c < 2; ++c)
        snprintf(labels[c], sizeof labels[c], "%.200s%s%.40s%s", section->columns[c].name,
                 section->columns[c].unit[0] != '\0' ? " [" : "", section->columns[c].unit,
                 section->columns[c].unit[0] != '\0' ? "]" : "");
    tp_plot_series series = {
        .x = section->values[0], .y = section->values[1], .count = section->count, .is_dots = true};
    tp_plot_panel panel = {
        .x_label = labels[0], .y_label = labels[1], .series = &series, .series_count = 1, .has_margin = true};
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = &panel;
    figure.panel_count = 1;
    return tp_plot_write(NULL, &figure, path, why);
}

/* ---- the verb --------------------------------------------------------------------------------------------
 */

static tp_status present(const tp_section *section, const poincare_settings *settings, const char *path,
                         tp_message *why)
{
    if (settings->csv_path != NULL) TP_TRY(write_csv(section, settings->csv_path, why));
    if (settings->plot_path != NULL) TP_TRY(plot_points(section, settings->plot_path, why));
    if (settings->is_json) {
        write_json(section, path, settings->tolerance);
        return TP_OK;
    }
    print_points(section);
    print_returns(section, settings->tolerance);
    return TP_OK;
}

static exit_code run_poincare(const cli_verb *self, int argument_count, char **arguments)
{
    poincare_settings settings = {.period = NAN, .from = -INFINITY, .until = INFINITY, .tolerance = 1e-3};
    positionals given;
    tp_section_def def;
    if (!options_parse(self, argument_count, arguments, &settings, &given) ||
        !make_def(self, &settings, &def) || !study_check_plot_path(self, settings.plot_path) ||
        !check_text_path(self, "-o", settings.csv_path))
        return PROGRAM_BAD_INPUT;
    const named_file outputs[] = {{"-o", settings.csv_path}, {"--plot", settings.plot_path}},
                     inputs[] = {{"the run", given.text[0]}};
    if (!check_outputs(self, FILE_LIST(outputs), FILE_LIST(inputs))) return PROGRAM_BAD_INPUT;
    tp_trajectory *run = NULL;
    tp_section *section = NULL;
    tp_message why = {""};
    tp_status status = tp_trajectory_read_from(NULL, &hdf5_child, given.text[0], &run, &why);
    if (status == TP_OK) status = tp_section_create(NULL, run, &def, &section, &why);
    if (status == TP_OK) status = present(section, &settings, given.text[0], &why);
    tp_section_free(section);
    tp_trajectory_free(run);
    return end_with(self, status, &why);
}

const cli_verb verb_poincare = {
    .name = "poincare",
    .summary = "Sections through a recorded motion: Poincare and stroboscopic maps, closure error",
    .usage = "RUN.h5 --through COLUMN [--level V] [--direction rising|falling|both] [options]\n"
             "       tippe poincare RUN.h5 --period S [--phase S] [options]\n"
             "       tippe poincare RUN.h5 --event KIND [--of NAME] [options]",
    .text =
        "Lists the states at which a quantity passes a value, at multiples of a period, or at events, "
        "and says\n"
        "after how many of them the motion returns to where it was: the closure error is the largest "
        "difference\n"
        "of a column between two points over the range of that column in the run. Between rows the "
        "motion is a\n"
        "cubic through four rows, next to impacts a straight line: record every step for exact sections.\n"
        "  tippe poincare run.h5 --through theta --columns theta\\' --columns x --plot map.svg\n"
        "  tippe poincare run.h5 --period 0.1 --from 5\n"
        "  tippe poincare run.h5 --event impact --of cam\n",
    .options = poincare_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_poincare,
};
