/* Figures as files: SVG and PNG, small, the same bytes for the same figure, whole or not at all. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/scratch.h"
#include "tippe/plot.h"

enum { MANY = 250000, CURVES = 6 };
static double *time_values, *noise;

static int make_values(void **state)
{
    (void)state;
    time_values = malloc(MANY * sizeof *time_values);
    noise = malloc(MANY * sizeof *noise);
    if (!time_values || !noise) return 1;
    check_random random = {5};
    for (int k = 0; k < MANY; k++) time_values[k] = 1e-5 * k, noise[k] = check_normal(&random);
    return 0;
}

static int free_values(void **state)
{
    (void)state;
    free(time_values);
    free(noise);
    return 0;
}

/* Panels of noisy curves of which no two are the same. */
static tp_plot_figure make_figure(tp_plot_series *series, tp_plot_panel *panels, int panel_count,
                                  bool is_phase)
{
    for (int c = 0; c < CURVES; c++) {
        const double *x = is_phase ? noise + 1 : time_values;
        series[c] = (tp_plot_series){x, noise + 1000 * c, MANY - 10000, {c, c}, false};
    }
    for (int p = 0; p < panel_count; p++) {
        panels[p] = (tp_plot_panel){.x_label = "time [s]", .y_label = "noise [m]", .series = series};
        panels[p].series_count = CURVES;
        panels[p].has_margin = is_phase;
    }
    tp_plot_figure figure = tp_plot_figure_default();
    figure.panels = panels;
    figure.panel_count = panel_count;
    return figure;
}

static unsigned char *write_and_read(const tp_plot_figure *figure, scratch_folder *folder, const char *name,
                                     size_t *count_out)
{
    tp_message why = {""};
    const char *path = scratch_file(folder, name);
    if (tp_plot_write(NULL, figure, path, &why) != TP_OK) {
        print_error("%s\n", why.text);
        return NULL;
    }
    return scratch_read(path, count_out);
}

TEST(millions_of_points_give_a_small_svg)
{
    scratch_folder folder;
    tp_plot_series series[CURVES];
    tp_plot_panel panels[5];
    CHECK(scratch_open(&folder));
    for (int is_phase = 0; is_phase < 2; is_phase++) {
        tp_plot_figure figure = make_figure(series, panels, is_phase ? 1 : 5, is_phase);
        if (is_phase) panels[0].series_count = 1, series[0].count = 40000;
        size_t count = 0;
        unsigned char *bytes = write_and_read(&figure, &folder, "big.svg", &count);
        CHECK(bytes != NULL && count > 10000 && count < 300000);
        bytes[count] = '\0';
        CHECK(strstr((char *)bytes, "<svg xmlns=\"http://www.w3.org/2000/svg\"") != NULL);
        CHECK(count > 7 && memcmp(bytes + count - 7, "</svg>\n", 7) == 0);
        free(bytes);
    }
    scratch_close(&folder);
}

TEST(the_same_figure_gives_the_same_bytes)
{
    static const char *const names[] = {"a.svg", "a.png"};
    scratch_folder folder;
    tp_plot_series series[CURVES];
    tp_plot_panel panels[2];
    CHECK(scratch_open(&folder));
    tp_plot_figure figure = make_figure(series, panels, 2, false);
    for (int c = 0; c < CURVES; c++) series[c].count = 300;
    for (int k = 0; k < 2; k++) {
        size_t first_count = 0, second_count = 0;
        unsigned char *first = write_and_read(&figure, &folder, names[k], &first_count);
        unsigned char *second = write_and_read(&figure, &folder, names[k], &second_count);
        CHECK(first != NULL && second != NULL && first_count > 1000);
        CHECK(first_count == second_count && memcmp(first, second, first_count) == 0);
        free(first);
        free(second);
    }
    scratch_close(&folder);
}

TEST(a_png_has_the_size_that_was_asked_for)
{
    scratch_folder folder;
    tp_plot_series series[CURVES];
    tp_plot_panel panels[1];
    size_t count = 0;
    CHECK(scratch_open(&folder));
    tp_plot_figure figure = make_figure(series, panels, 1, false);
    for (int c = 0; c < CURVES; c++) series[c].count = 100;
    figure.width = 360, figure.height = 216, figure.dots_per_inch = 100;
    unsigned char *bytes = write_and_read(&figure, &folder, "a.png", &count);
    CHECK(bytes != NULL && count > 24 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK_INT(bytes[18] << 8 | bytes[19], 500); /* 360 / 72 * 100 */
    CHECK_INT(bytes[22] << 8 | bytes[23], 300);
    free(bytes);
    scratch_close(&folder);
}

TEST(odd_data_and_odd_labels_can_be_drawn)
{
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {NAN, INFINITY, -INFINITY, 0.0, -1e308};
    static const char *const labels[] = {"", "\xFF\xFE broken \xC3", "line\nfeed\x01<&>\"", "\xED\xA0\x80",
                                         NULL};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    char long_label[2000];
    memset(long_label, 'w', sizeof long_label - 1);
    long_label[sizeof long_label - 1] = '\0';
    for (int k = 0; k < 5; k++) {
        const char *label = labels[k] != NULL ? labels[k] : long_label;
        tp_plot_series series[] = {
            {x, y, k, {k, k}, false}, {x, x, 5, {-1, -1}, true}, {NULL, NULL, 0, {99, 99}, false}};
        tp_plot_key keys[] = {{label, {0, 0}}, {long_label, {1, 1}}};
        tp_plot_panel panel = {.title = label,
                               .x_label = label,
                               .y_label = label,
                               .series = series,
                               .series_count = k % 3,
                               .keys = keys,
                               .key_count = 2,
                               .note = long_label,
                               .is_log = k % 2,
                               .is_log_x = k > 1,
                               .has_equal_axes = k > 2,
                               .has_margin = k > 2,
                               .cuts_peaks = true};
        tp_plot_figure figure = {&panel, 1, keys, 2, k > 1 ? long_label : NULL, 0, 0, 72};
        size_t count;
        for (int is_png = 0; is_png < 2; is_png++) {
            unsigned char *bytes = write_and_read(&figure, &folder, is_png ? "odd.png" : "odd.svg", &count);
            CHECK(bytes != NULL && count > 500);
            free(bytes);
        }
    }
    scratch_close(&folder);
}

TEST(impossible_figures_are_refused_and_leave_no_file)
{
    scratch_folder folder;
    tp_plot_series series[CURVES];
    tp_plot_panel panels[1];
    tp_message why = {""};
    CHECK(scratch_open(&folder));
    tp_plot_figure good = make_figure(series, panels, 1, false), figure = good;
    panels[0].series_count = 0;
    CHECK_INT(tp_plot_write(NULL, &good, scratch_file(&folder, "a.pdf"), &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, ".svg") != NULL);
    figure.width = NAN;
    CHECK_INT(tp_plot_write(NULL, &figure, scratch_file(&folder, "a.svg"), &why), TP_INVALID_ARGUMENT);
    figure = good, figure.height = -3;
    CHECK_INT(tp_plot_write(NULL, &figure, scratch_file(&folder, "a.svg"), &why), TP_INVALID_ARGUMENT);
    figure = good, figure.dots_per_inch = 1e7;
    CHECK_INT(tp_plot_write(NULL, &figure, scratch_file(&folder, "a.png"), &why), TP_INVALID_ARGUMENT);
    figure = good, figure.panel_count = 0;
    CHECK_INT(tp_plot_write(NULL, &figure, scratch_file(&folder, "a.png"), &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_plot_write(NULL, &good, scratch_file(&folder, "no/a.svg"), &why), TP_FILE_ERROR);
    CHECK_INT(scratch_count(&folder), 0);
    scratch_close(&folder);
}

/* Memory that ends after so many pieces. */
static void *take_counted(void *context, size_t bytes)
{
    int *left = context;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void give_back(void *context, void *memory)
{
    (void)context;
    free(memory);
}

TEST(no_memory_is_reported)
{
    scratch_folder folder;
    tp_plot_series series[CURVES];
    tp_plot_panel panels[1];
    tp_status status = TP_OUT_OF_MEMORY;
    CHECK(scratch_open(&folder));
    tp_plot_figure figure = make_figure(series, panels, 1, true);
    for (int c = 0; c < CURVES; c++) series[c].count = 50;
    int pieces = 0;
    for (; status == TP_OUT_OF_MEMORY && pieces < 100; pieces++) {
        int left = pieces;
        const tp_allocator allocator = {&left, take_counted, give_back};
        tp_message why = {""};
        status = tp_plot_write(&allocator, &figure, scratch_file(&folder, "a.svg"), &why);
        CHECK(status == TP_OK || (status == TP_OUT_OF_MEMORY && why.text[0] != '\0'));
    }
    CHECK(status == TP_OK && pieces > 3);
    scratch_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(millions_of_points_give_a_small_svg),
        RUNS(the_same_figure_gives_the_same_bytes),
        RUNS(a_png_has_the_size_that_was_asked_for),
        RUNS(odd_data_and_odd_labels_can_be_drawn),
        RUNS(impossible_figures_are_refused_and_leave_no_file),
        RUNS(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, make_values, free_values);
}
