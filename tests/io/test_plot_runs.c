/* Figures from runs: which panels there are without a choice, how columns are named, what is said of the
 * rest. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/scratch.h"
#include "tippe/plot.h"

enum { COLUMNS = 20, ROWS = 4 };

/* A run in memory: two coordinates in metres, seven angles, a contact with an odd name, a joint. */
static const tp_table_column columns[COLUMNS] = {
    {"time", "s", ""},
    {"q/x", "m", ""},
    {"q/z", "m", ""},
    {"q/a1", "rad", ""},
    {"q/a2", "rad", ""},
    {"q/a3", "rad", ""},
    {"q/a4", "rad", ""},
    {"q/a5", "rad", ""},
    {"q/a6", "rad", ""},
    {"q/a7", "rad", ""},
    {"u/x'", "m/s", ""},
    {"energy", "J", ""},
    {"law/floor%2Fleft/gap", "m", ""},
    {"law/floor%2Fleft/impulse_N", "N s", ""},
    {"law/hinge/impulse_1", "N m s", ""},
    {"sensor/height", "m", ""},
    {"step/size", "s", ""},
    {"step/residual", "", ""},
    {"sensor/x", "m", ""},
    {"q/odd:name, here", "m", ""},
};
static double numbers[COLUMNS][ROWS];
static const double *values[COLUMNS];

static tp_trajectory make_run(void)
{
    for (int c = 0; c < COLUMNS; c++) {
        for (int r = 0; r < ROWS; r++) numbers[c][r] = c + 0.1 * r;
        values[c] = numbers[c];
    }
    numbers[17][1] = 0.0; /* an exact solution    */
    return (tp_trajectory){.column_count = COLUMNS, .row_count = ROWS, .columns = columns, .values = values};
}

static tp_plot *make(const char *text, int run_count, bool is_log, tp_message *why)
{
    static tp_trajectory run;
    run = make_run();
    const tp_plot_run runs[] = {{"first", &run}, {"second", &run}, {"third", &run}};
    tp_plot_options options = tp_plot_options_default();
    options.columns = &text;
    options.column_count = text != NULL;
    options.is_log = is_log;
    tp_plot *plot = NULL;
    *why = (tp_message){""};
    tp_status status = tp_plot_create(NULL, runs, run_count, &options, &plot, why);
    if ((status == TP_OK) != (plot != NULL)) fail();
    return plot;
}

/* True if the curve's vertical values are those of the column. */
static bool shows(const tp_plot_panel *panel, int curve, int column)
{
    return curve < panel->series_count && panel->series[curve].y == values[column];
}

TEST(without_a_choice_sensors_come_first_and_every_unit_has_a_panel)
{
    static const char *const labels[] = {"sensors [m]", "position [m]",       "angle [rad]",     "x' [m/s]",
                                         "energy [J]",  "floor/left gap [m]", "floor/left N [N]"};
    tp_message why;
    tp_plot *plot = make(NULL, 1, false, &why);
    CHECK(plot != NULL);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->panel_count, 7);
    CHECK_INT(figure->key_count, 0);
    for (int p = 0; p < 7; p++) {
        CHECK(strcmp(figure->panels[p].y_label, labels[p]) == 0);
        CHECK(strcmp(figure->panels[p].x_label, "time [s]") == 0);
    }
    CHECK_INT(figure->panels[2].series_count, 6); /* of seven angles, and it says so */
    CHECK(strstr(figure->panels[2].note, "1 more") != NULL);
    CHECK(figure->panels[0].note == NULL && figure->note == NULL);
    tp_plot_free(plot);
}

TEST(a_force_is_the_impulse_over_the_time_since_the_row_before)
{
    tp_message why;
    tp_plot *plot = make("law/floor%2Fleft/force_N;law/hinge/force_1", 1, false, &why);
    CHECK(plot != NULL);
    const tp_plot_panel *panels = tp_plot_figure_of(plot)->panels;
    const tp_plot_series *force = &panels[0].series[0];
    for (int r = 0; r < ROWS; r++) {
        if (r == 0) CHECK(isnan(force->y[r]));
        if (r > 0) CHECK(force->y[r] == numbers[13][r] / (numbers[0][r] - numbers[0][r - 1]));
    }
    CHECK(strcmp(panels[1].y_label, "hinge 1 [N m]") == 0);
    CHECK(panels[0].cuts_peaks);
    tp_plot_free(plot);
}

TEST(columns_are_named_in_many_ways)
{
    static const struct {
        const char *text;
        int panel_count, curves_of_first, first_column;
    } cases[] = {
        {"q/z", 1, 1, 2},
        {"q/x,q/z", 1, 2, 1},
        {"q/x;q/z;", 2, 1, 1},
        {"z", 1, 1, 2},
        {"x'", 1, 1, 10},
        {"x", 1, 1, 1},
        {"q", 1, 6, 1},
        {"q/a*", 1, 6, 3},
        {"q.a*", 1, 6, 3},
        {"law/*/gap", 1, 1, 12},
        {"law", 1, 3, 12},
        {"residual", 1, 1, 17},
        {"x,x,q/x", 1, 1, 1},
        {"*gap", 1, 1, 12},
        {"time", 1, 1, 0},
        {"q.z", 1, 1, 2},
        {"q/odd\\:name\\, here,z", 1, 2, 19},
        {"x:z;a1:a2", 2, 1, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_message why;
        tp_plot *plot = make(cases[k].text, 1, false, &why);
        if (plot == NULL) print_error("%s: %s\n", cases[k].text, why.text);
        CHECK(plot != NULL);
        const tp_plot_figure *figure = tp_plot_figure_of(plot);
        CHECK_INT(figure->panel_count, cases[k].panel_count);
        CHECK_INT(figure->panels[0].series_count, cases[k].curves_of_first);
        CHECK(shows(&figure->panels[0], 0, cases[k].first_column));
        tp_plot_free(plot);
    }
}

TEST(a_pair_gives_a_phase_plot)
{
    tp_message why;
    tp_plot *plot = make("x:x',z:energy", 1, false, &why);
    CHECK(plot != NULL);
    const tp_plot_panel *panel = &tp_plot_figure_of(plot)->panels[0];
    CHECK(panel->has_margin && panel->series[0].x == values[1] && panel->series[1].x == values[2]);
    CHECK(strcmp(panel->x_label, "position [m]") == 0);
    CHECK(strcmp(panel->keys[0].label, "x : x'") == 0);
    tp_plot_free(plot);
}

TEST(what_cannot_be_meant_is_refused_with_a_hint)
{
    static const char *const cases[][2] = {
        {"q/y", "'q/x'"},
        {"resid", "'residual'"},
        {"nothing like it", "there are time, q/x"},
        {"x:", "empty"},
        {"x,,z", "empty"},
        {"q:z", "there must be one"},
        {"x:z,a1:a2", "cannot share"},
        {";", "no columns"},
        {"enrgy", "'energy'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_message why;
        tp_plot *plot = make(cases[k][0], 1, false, &why);
        if (strstr(why.text, cases[k][1]) == NULL) print_error("%s: %s\n", cases[k][0], why.text);
        CHECK(plot == NULL && strstr(why.text, cases[k][1]) != NULL);
    }
}

TEST(several_runs_have_a_colour_each_and_columns_a_dash)
{
    tp_message why;
    tp_plot *plot = make("x,z", 3, false, &why);
    CHECK(plot != NULL);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->key_count, 3);
    CHECK(strcmp(figure->keys[1].label, "second") == 0);
    CHECK_INT(figure->panels[0].series_count, 6);
    for (int k = 0; k < 6; k++) {
        CHECK_INT(figure->panels[0].series[k].style.colour, 2 - k % 3); /* the last is drawn first */
        CHECK_INT(figure->panels[0].series[k].style.dash, k / 3);
    }
    CHECK_INT(figure->panels[0].keys[1].style.colour, TP_PLOT_BLACK);
    tp_plot_free(plot);
}

/* Went wrong: of two runs that agree one solid curve lay on the other, and nobody saw that there were two. */
TEST(runs_that_agree_are_seen_by_their_dashes)
{
    tp_message why;
    tp_plot *plot = make("x;z", 2, false, &why);
    CHECK(plot != NULL);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    for (int p = 0; p < 2; p++) { /* the last series of a panel is drawn first: the first run, solid */
        CHECK_INT(figure->panels[p].series[1].style.colour, 0);
        CHECK_INT(figure->panels[p].series[1].style.dash, 0);
        CHECK_INT(figure->panels[p].series[0].style.colour, 1);
        CHECK_INT(figure->panels[p].series[0].style.dash, 1);
    }
    CHECK_INT(figure->keys[1].style.dash, 1);
    tp_plot_free(plot);
}

/* The first run is linear, x = 2 t until 2 s; between its rows it is interpolated, beyond them not known. */
TEST(a_difference_is_taken_at_the_times_of_the_other_run)
{
    static const tp_table_column names[] = {{"time", "s", ""}, {"q/x", "m", ""}};
    static const tp_table_column event_names[] = {{"time", "s", ""}};
    const double t_a[] = {0.0, 1.0, 2.0}, x_a[] = {0.0, 2.0, 4.0}, t_b[] = {0.0, 0.5, 1.5, 3.0},
                 x_b[] = {5.0, 5.0, 5.0, 5.0}, t_events[] = {0.25, 1.75};
    const double *const a_values[] = {t_a, x_a}, *const b_values[] = {t_b, x_b},
                        *const e_values[] = {t_events};
    const tp_table events = {
        .name = "events", .column_count = 1, .row_count = 2, .columns = event_names, .values = e_values};
    const tp_trajectory a = {.column_count = 2,
                             .row_count = 3,
                             .columns = names,
                             .values = a_values,
                             .table_count = 1,
                             .tables = &events},
                        b = {.column_count = 2, .row_count = 4, .columns = names, .values = b_values};
    const tp_plot_run runs[] = {{"a", &a}, {"b", &b}};
    const char *column = "q/x";
    tp_plot_options options = tp_plot_options_default();
    options.columns = &column, options.column_count = 1;
    options.has_difference = options.has_events = true;
    tp_plot *plot = NULL;
    tp_message why = {""};
    CHECK_INT(tp_plot_create(NULL, runs, 1, &options, &plot, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_plot_create(NULL, runs, 2, &options, &plot, &why), TP_OK);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    const tp_plot_panel *panel = &figure->panels[0];
    CHECK_INT(panel->series_count, 1);
    CHECK_INT(figure->key_count, 1);
    CHECK(strcmp(figure->keys[0].label, "b minus a") == 0 && panel->note == NULL);
    const double *y = panel->series[0].y;
    CHECK(y[0] == 5.0 && y[1] == 4.0 && y[2] == 2.0 && isnan(y[3]));
    CHECK(panel->mark_count == 2 && panel->marks[1] == 1.75);
    tp_plot_free(plot);
}

TEST(a_logarithmic_panel_says_what_it_cannot_show)
{
    tp_message why;
    tp_plot *plot = make("step/residual", 1, true, &why);
    CHECK(plot != NULL);
    CHECK(strstr(tp_plot_figure_of(plot)->panels[0].note, "1 values") != NULL);
    tp_plot_free(plot);
}

TEST_MAIN(RUNS(without_a_choice_sensors_come_first_and_every_unit_has_a_panel),
          RUNS(a_force_is_the_impulse_over_the_time_since_the_row_before),
          RUNS(columns_are_named_in_many_ways), RUNS(a_pair_gives_a_phase_plot),
          RUNS(what_cannot_be_meant_is_refused_with_a_hint),
          RUNS(several_runs_have_a_colour_each_and_columns_a_dash),
          RUNS(runs_that_agree_are_seen_by_their_dashes),
          RUNS(a_difference_is_taken_at_the_times_of_the_other_run),
          RUNS(a_logarithmic_panel_says_what_it_cannot_show))
