/* Panels without a choice: what is rounding, which contacts act, how many panels there are, and what the
   figure says of the rest. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "tippe/plot.h"

enum { COLUMNS_MAX = 40, ROWS = 101 };
static const double time_step = 1e-3; /* [s] */

/* A run in memory that grows column by column. */
static tp_table_column columns[COLUMNS_MAX];
static double numbers[COLUMNS_MAX][ROWS];
static const double *values[COLUMNS_MAX];
static int column_count;

static double *add_column(const char *name, const char *unit)
{
    columns[column_count] = (tp_table_column){name, unit, ""};
    values[column_count] = numbers[column_count];
    double *column = numbers[column_count++];
    for (int r = 0; r < ROWS; r++) column[r] = 0.0;
    return column;
}

/* A column that goes from one value to another. */
static void add_ramp(const char *name, const char *unit, double from, double to)
{
    double *column = add_column(name, unit);
    for (int r = 0; r < ROWS; r++) column[r] = from + (to - from) * r / (ROWS - 1.0);
}

static void begin_run(void)
{
    column_count = 0;
    add_ramp("time", "s", 0.0, (ROWS - 1) * time_step);
}

static tp_plot *make(const tp_table *tables, int table_count)
{
    static tp_trajectory run;
    run = (tp_trajectory){.column_count = column_count,
                          .row_count = ROWS,
                          .columns = columns,
                          .values = values,
                          .tables = tables,
                          .table_count = table_count};
    const tp_plot_run runs[] = {{"run", &run}};
    tp_plot_options options = tp_plot_options_default();
    tp_plot *plot = NULL;
    tp_message why = {""};
    if (tp_plot_create(NULL, runs, 1, &options, &plot, &why) != TP_OK) fail_msg("%s", why.text);
    return plot;
}

static bool has_panel(const tp_plot_figure *figure, const char *label)
{
    for (int p = 0; p < figure->panel_count; p++) {
        if (strcmp(figure->panels[p].y_label, label) == 0) return true;
    }
    return false;
}

/* 101 rows of one step each: a sum of 100 numbers up to 2 is known to 100 eps/2 * 2. What varies by that is
   rounding, what varies a hundred times as much is not. */
TEST(columns_that_vary_by_rounding_are_left_out_and_named)
{
    const double rounding = (ROWS - 1) * 0.5 * DBL_EPSILON * 2.0;
    begin_run();
    add_ramp("q/moving", "m", 0.0, 1.0);
    add_ramp("q/resting", "m", 2.0, 2.0 + rounding);
    add_ramp("q/creeping", "m", 1.0, 1.0 + 100.0 * rounding);
    add_ramp("q/exact", "m", 0.5, 0.5);
    add_ramp("energy", "J", 3.0, 3.0);
    tp_plot *plot = make(NULL, 0);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->panel_count, 1);
    CHECK_INT(figure->panels[0].series_count, 2);
    CHECK(figure->panels[0].series[0].y == values[1] && figure->panels[0].series[1].y == values[3]);
    CHECK(strcmp(figure->note, "constant: resting, exact, energy") == 0);
    tp_plot_free(plot);
}

/* At rest 2 m from the origin, a step of 1 ms cannot tell a velocity below 2 eps/2 / 1e-3 from 0: the
   velocities of a heap at rest are no panel, though there are no larger ones to compare with. The rest that
   changes stays.
 */
TEST(velocities_that_move_nothing_are_rounding)
{
    const double rounding = 2.0 * 0.5 * DBL_EPSILON / time_step;
    for (int k = 0; k < 2; k++) {
        begin_run();
        add_ramp("q/b.z", "m", 2.0, 2.0);
        add_ramp("q/b.p0", "", 1.0, 1.0);
        add_ramp("u/b.v.z", "m/s", -rounding, k == 0 ? rounding : 1e4 * rounding);
        add_ramp("u/b.omega.x", "rad/s", 0.0, 0.5 * rounding);
        add_ramp("sensor/depth", "m", 0.0, 1e-16); /* asked for: always there */
        tp_plot *plot = make(NULL, 0);
        const tp_plot_figure *figure = tp_plot_figure_of(plot);
        CHECK_INT(figure->panel_count, 1 + k);
        CHECK(has_panel(figure, "depth [m]"));
        CHECK(has_panel(figure, "b.v.z [m/s]") == (k == 1));
        tp_plot_free(plot);
    }
}

/* A block that sticks at the origin: all numbers are rounding, and none is there to compare them with. */
TEST(a_body_at_rest_at_the_origin_has_no_panels_of_rounding)
{
    begin_run();
    add_ramp("q/x", "", 0.0, 1e-17);
    add_ramp("u/x'", "", 1e-17, -1e-16);
    add_ramp("energy", "J", 0.0, -1e-17);
    add_ramp("law/incline/gap", "m", 0.0, -1e-17);
    add_ramp("law/incline/impulse_N", "N s", 2.0, 2.0);
    tp_plot *plot = make(NULL, 0);
    CHECK_INT(tp_plot_figure_of(plot)->panel_count, 1);
    CHECK(has_panel(tp_plot_figure_of(plot), "incline N [N]"));
    tp_plot_free(plot);
}

/* One of two contacts is hit, without friction. */
TEST(contacts_that_act_are_shown)
{
    begin_run();
    add_ramp("q/z", "m", 1.0, 0.0);
    add_ramp("law/hit/gap", "m", 1.0, 0.0);
    add_ramp("law/miss/gap", "m", 3.0, 2.0);
    add_ramp("law/hit/impulse_N", "N s", 0.0, 2.0);
    add_ramp("law/miss/impulse_N", "N s", 0.0, 0.0);
    add_ramp("law/hit/impulse_T1", "N s", 0.0, 0.0);
    add_ramp("law/hit/last_impulse_N", "N s", 0.0, 1.0);
    add_ramp("step/size", "s", time_step, time_step);
    tp_plot *plot = make(NULL, 0);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->panel_count, 3);
    CHECK(has_panel(figure, "hit gap [m]") && has_panel(figure, "hit N [N]"));
    const double *force = figure->panels[2].series[0].y;
    CHECK(isnan(force[0])); /* no row before it */
    CHECK_NEAR(force[ROWS - 1], 2.0 / time_step, 1e-9);
    CHECK(strcmp(figure->note, "without contact force: miss gap") == 0);
    tp_plot_free(plot);
}

/* One panel per unit, and of twelve units eight panels: sensors at most four, positions before velocities. */
TEST(there_are_at_most_eight_panels_and_the_figure_says_what_is_missing)
{
    static const char *const units[] = {"m", "rad", "N", "J", "W", "K"};
    static char names[6][32];
    begin_run();
    for (int k = 0; k < 6; k++) {
        snprintf(names[k], sizeof names[k], "sensor/s%d", k);
        add_ramp(names[k], units[k], 0.0, 1.0);
    }
    add_ramp("q/b.x", "m", 0.0, 1.0);
    add_ramp("q/b.p1", "", 0.0, 1.0);
    add_ramp("q/a", "rad", 0.0, 1.0);
    add_ramp("u/b.v.x", "m/s", 0.0, 1.0);
    add_ramp("u/a'", "rad/s", 0.0, 1.0);
    add_ramp("energy", "J", 0.0, 1.0);
    tp_plot *plot = make(NULL, 0);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK(figure->panel_count <= 8);
    CHECK(strcmp(figure->panels[0].y_label, "s0 [m]") == 0 &&
          strcmp(figure->panels[3].y_label, "s3 [J]") == 0);
    CHECK(has_panel(figure, "b.x [m]") && has_panel(figure, "a [rad]") && !has_panel(figure, "b.p1"));
    CHECK(strstr(figure->note, "no room for: sensors [W], sensors [K], orientation") != NULL);
    tp_plot_free(plot);
}

/* Numbers without a unit may be anything: 1000 and 1 share no axis. */
TEST(sensors_without_a_unit_share_a_panel_if_they_are_of_one_size)
{
    begin_run();
    add_ramp("sensor/angle", "", 0.0, 3.0);
    add_ramp("sensor/gap", "", 0.0, 0.01);
    add_ramp("sensor/other", "", 0.0, 1.0);
    tp_plot *plot = make(NULL, 0);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->panel_count, 2);
    CHECK_INT(figure->panels[0].series_count, 2);
    CHECK(strcmp(figure->panels[1].y_label, "gap") == 0);
    tp_plot_free(plot);
}

/* Two points of a box on a floor, normal forces 1 and 2 N, friction 0.3 and 0.4 N at right angles: 3 N and
   0.5 N. The ball beside it has no friction. */
TEST(contacts_of_shapes_are_summed_for_every_pair)
{
    static const char *const words[] = {"floor", "box", "ball"};
    static const tp_table_labels shapes = {"shapes", words, 3};
    static const tp_table_column names[] = {
        {"row", "", ""},          {"shape_a", "", ""},       {"shape_b", "", ""},
        {"impulse_N", "N s", ""}, {"impulse_T1", "N s", ""}, {"impulse_T2", "N s", ""},
        {"normal_x", "", ""},     {"normal_y", "", ""},      {"normal_z", "", ""}};
    const double h = time_step;
    const double row[] = {1, 1, 2}, a[] = {0, 0, 0}, b[] = {1, 1, 2}, N[] = {h, 2.0 * h, 5.0 * h},
                 T1[] = {0.3 * h, 0.0, NAN}, T2[] = {0.0, 0.4 * h, NAN}, zero[] = {0, 0, 0},
                 one[] = {1, 1, 1};
    const double *cells[] = {row, a, b, N, T1, T2, zero, zero, one};
    const tp_table_labels *labels[9] = {NULL, &shapes, &shapes, NULL, NULL, NULL, NULL, NULL, NULL};
    const tp_table contacts = {"contacts", 9, 3, names, labels, cells};
    begin_run();
    add_ramp("q/z", "m", 1.0, 0.0);
    tp_plot *plot = make(&contacts, 1);
    const tp_plot_figure *figure = tp_plot_figure_of(plot);
    CHECK_INT(figure->panel_count, 2);
    const tp_plot_panel *panel = &figure->panels[1];
    CHECK(strcmp(panel->y_label, "contact force [N]") == 0);
    CHECK_INT(panel->series_count, 3);
    CHECK(strcmp(panel->keys[0].label, "floor, box N") == 0 &&
          strcmp(panel->keys[2].label, "floor, box T") == 0);
    CHECK(isnan(panel->series[0].y[0]));
    CHECK_NEAR(panel->series[0].y[1], 3.0, 1e-12);
    CHECK_NEAR(panel->series[2].y[1], 0.5, 1e-12);
    CHECK_NEAR(panel->series[1].y[2], 5.0, 1e-12);
    CHECK(panel->series[0].y[3] == 0.0);
    tp_plot_free(plot);
}

/* Nothing changes: that is what the figure shows. */
TEST(a_run_at_rest_has_panels)
{
    begin_run();
    add_ramp("q/z", "m", 1.0, 1.0);
    add_ramp("energy", "J", 2.0, 2.0);
    tp_plot *plot = make(NULL, 0);
    CHECK_INT(tp_plot_figure_of(plot)->panel_count, 2);
    CHECK(tp_plot_figure_of(plot)->note == NULL);
    tp_plot_free(plot);
}

TEST_MAIN(RUNS(columns_that_vary_by_rounding_are_left_out_and_named),
          RUNS(velocities_that_move_nothing_are_rounding),
          RUNS(a_body_at_rest_at_the_origin_has_no_panels_of_rounding), RUNS(contacts_that_act_are_shown),
          RUNS(there_are_at_most_eight_panels_and_the_figure_says_what_is_missing),
          RUNS(sensors_without_a_unit_share_a_panel_if_they_are_of_one_size),
          RUNS(contacts_of_shapes_are_summed_for_every_pair), RUNS(a_run_at_rest_has_panels))
