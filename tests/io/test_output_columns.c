/* The table of columns: every row is complete, docs/output.md describes it, and columns of steps are the sums
   and maxima of what the steps reported. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "io/output/run_columns.h"
#include "io/scratch.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Once in a run, or in one with first-order states. */
static bool is_once(const tp_column_kind *kind)
{
    return kind->per == TP_PER_RUN || kind->per == TP_PER_STORAGE;
}

TEST(every_column_has_a_value_and_only_fields_of_steps_are_summed)
{
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    for (int i = 0; i < count; i++) {
        const tp_column_kind *kind = &kinds[i];
        bool is_field = kind->field.type != TP_FIELD_NONE, is_array = kind->field.stride > 0;
        CHECK(is_field == (kind->value == NULL));
        CHECK(kind->way == TP_COLUMN_NOW || (is_field && !is_array && is_once(kind)));
        CHECK(!is_array || !is_once(kind));
        CHECK(kind->back == TP_COLUMN_LEFT || is_field || kind->per == TP_PER_MEMORY);
        CHECK(kind->text[0] != '\0');
        for (int k = 0; k < i; k++)
            CHECK(strcmp(kinds[k].group, kind->group) != 0 || strcmp(kinds[k].part, kind->part) != 0);
    }
}

TEST(every_column_is_described_in_the_manual)
{
    static char manual[65536];
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    FILE *file = fopen(TIPPE_SOURCE_DIR "/docs/output.md", "r");
    CHECK(file != NULL);
    CHECK(fread(manual, 1, sizeof manual - 1, file) > 0);
    fclose(file);
    for (int i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "`%s%s%s%s", kinds[i].group, is_once(&kinds[i]) ? "" : "/NAME",
                 kinds[i].part[0] ? "/" : "", kinds[i].part);
        if (strstr(manual, name) == NULL) printf("docs/output.md does not name %s`\n", name);
        CHECK(strstr(manual, name) != NULL);
    }
}

/* Does a column show a field of the step report? */
static bool is_figure(const tp_column_kind *kind)
{
    size_t first = offsetof(tp_ledger, now.last_step), place = kind->field.offset;
    return kind->field.type != TP_FIELD_NONE && place >= first && place < first + sizeof(tp_step_report);
}

/* How the figures of several steps become that of a row, by what its text says. */
static tp_column_way said_way(const tp_column_kind *kind)
{
    static const char *const maxima[] = {"largest", "most", "farthest"};
    for (int k = 0; k < 3; k++) {
        if (strstr(kind->text, maxima[k]) != NULL) return TP_COLUMN_MAXIMUM;
    }
    return strstr(kind->text, "since the row before") != NULL ? TP_COLUMN_SUM : TP_COLUMN_NOW;
}

TEST(figures_of_steps_are_sums_and_maxima_where_their_text_says_so)
{
    int count, maxima = 0, sums = 0;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    for (int i = 0; i < count; i++) {
        if (!is_figure(&kinds[i])) continue;
        if (kinds[i].way != said_way(&kinds[i])) print_error("%s/%s\n", kinds[i].group, kinds[i].part);
        CHECK_INT(kinds[i].way, said_way(&kinds[i]));
        maxima += kinds[i].way == TP_COLUMN_MAXIMUM;
        sums += kinds[i].way == TP_COLUMN_SUM;
    }
    CHECK(maxima > 5 && sums > 2);
}

enum { KINDS = 64 };

typedef struct observer {
    tp_output *output;
    int every, step, row_count;
    double now[KINDS], rows[64][KINDS];
} observer;

/* Figures of rows from the report of each step. */
static bool observe(void *context, const tp_simulation *simulation)
{
    observer *o = context;
    tp_ledger ledger = {.now.last_step = *tp_simulation_last_step(simulation)};
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    bool is_first = o->step % o->every == 1 || o->step == 0; /* after a row, or the first of all */
    for (int k = 0; k < count; k++) {
        if (!is_figure(&kinds[k])) continue;
        double value = tp_field_read(&ledger, kinds[k].field, 0, 0);
        tp_column_way way = said_way(&kinds[k]);
        double before = is_first ? (way == TP_COLUMN_SUM ? 0.0 : value) : o->now[k];
        o->now[k] = way == TP_COLUMN_SUM       ? before + value
                    : way == TP_COLUMN_MAXIMUM ? fmax(before, value)
                                               : value;
    }
    if (o->step++ % o->every == 0) memcpy(o->rows[o->row_count++], o->now, sizeof o->now);
    return tp_output_observe(o->output, simulation);
}

/* Runs an example with a row for every tenth step and compares; counts rows in which a figure is not 0. */
static void compare_example(void **check_state_, const char *name, const char *edit, int *nonzero)
{
    scratch_folder folder;
    tp_scene *scene;
    tp_simulation *simulation;
    tp_trajectory *t;
    tp_message why = {""};
    char path[512];
    int count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    CHECK(scratch_open(&folder));
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", name);
    CHECK_INT(tp_scene_read(NULL, path, &edit, 1, &scene, &why), TP_OK);
    double dt = scene->options.time_step = fmin(scene->options.time_step, 1e-3);
    scene->options.end_time = 500.0 * dt;
    CHECK_INT(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why), TP_OK);
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "run.h5");
    options.output_every = 10.0 * dt;
    observer o = {.every = 10};
    CHECK_INT(tp_output_create(NULL, simulation, &options, &o.output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, observe, &o, NULL), TP_OK);
    CHECK_INT(tp_output_close(o.output, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, options.hdf5_path, &t, &why), TP_OK);
    CHECK_INT(t->row_count, o.row_count);
    for (int k = 0; k < count; k++) {
        char column_name[128];
        snprintf(column_name, sizeof column_name, "%s%s%s", kinds[k].group, kinds[k].part[0] ? "/" : "",
                 kinds[k].part);
        int column = tp_trajectory_find(t, column_name);
        if (!is_figure(&kinds[k]) || (kinds[k].per == TP_PER_STORAGE && column < 0)) continue;
        CHECK(column >= 0);
        for (int row = 0; row < o.row_count; row++) {
            CHECK_NEAR(t->values[column][row], o.rows[row][k], 0.0);
            nonzero[k] += o.rows[row][k] != 0.0;
        }
    }
    tp_trajectory_free(t);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    scratch_close(&folder);
}

/* Stops give impacts and limits of angles, a spatial mechanism all errors of joints,
   a box contacts, a solver of all cases
   numbers of solutions, a circuit and a motor storage and supply. */
TEST(columns_of_steps_are_sums_and_maxima_of_the_step_reports)
{
    int nonzero[KINDS] = {0}, count;
    const tp_column_kind *kinds = tp_column_kinds(&count);
    CHECK(count <= KINDS);
    compare_example(check_state_, "door-stop", "parameters.start=0.02", nonzero);
    compare_example(check_state_, "spatial-slider-crank", "name=crank", nonzero);
    compare_example(check_state_, "bouncing-ball", "simulate.solver=enumeration", nonzero);
    compare_example(check_state_, "box-tip", "name=box", nonzero);
    compare_example(check_state_, "rlc-diode", "name=circuit", nonzero);
    compare_example(check_state_, "motor-end-stop", "name=motor", nonzero);
    for (int k = 0; k < count; k++) {
        if (!is_figure(&kinds[k])) continue;
        if (nonzero[k] == 0) print_error("%s/%s is 0 in all rows\n", kinds[k].group, kinds[k].part);
        CHECK(nonzero[k] > 0);
    }
}

TEST_MAIN(RUNS(every_column_has_a_value_and_only_fields_of_steps_are_summed),
          RUNS(every_column_is_described_in_the_manual),
          RUNS(figures_of_steps_are_sums_and_maxima_where_their_text_says_so),
          RUNS(columns_of_steps_are_sums_and_maxima_of_the_step_reports))
