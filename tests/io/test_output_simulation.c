/* The output of a simulation: which states become rows, which columns there are, what the files keep. */
#define _XOPEN_SOURCE 700
#include "check.h"
#include "io/output/recorder.h"
#include "io/scratch.h"
#include "tippe/output.h"

/* A source that is a time. */
static double clock_value(const void *self, int column)
{
    double time = *(const double *)self;
    return column == 0 ? time : 100.0 * column + time;
}

static const tp_table_column clock_columns[] = {
    {"time", "s", ""}, {"q/x", "m", ""}, {"q/y", "m", ""}, {"qq", "", ""}, {"u/x'", "m/s", ""}};

/* Runs the clock for so many steps and reads back what was recorded. */
static tp_trajectory *record_clock(void **check_state_, double step, int step_count,
                                   const tp_output_options *options)
{
    double clock = 0.0;
    tp_arena arena;
    tp_recorder recorder;
    tp_message why = {""};
    tp_record_source source = {.self = &clock, .value = clock_value};
    tp_arena_init(&arena, NULL);
    CHECK_INT(tp_recorder_open(&recorder, &arena, NULL, source, clock_columns, 5, options, &why), TP_OK);
    CHECK(tp_recorder_observe(&recorder, clock, step));
    for (int k = 1; k <= step_count; k++) {
        clock = (double)k * step;
        CHECK(tp_recorder_observe(&recorder, clock, step));
    }
    CHECK_INT(tp_recorder_close(&recorder, clock, NULL, 0, &why), TP_OK);
    tp_arena_clear(&arena);
    tp_trajectory *t = NULL;
    CHECK_INT(tp_trajectory_read(NULL, options->hdf5_path, &t, &why), TP_OK);
    return t;
}

TEST(rows_lie_within_half_a_step_of_each_multiple_and_at_both_ends)
{
    const double steps[] = {1e-3, 0.7e-3, 3e-3, 1.0 / 3.0 * 1e-3, 0.01, 0.025};
    const double every = 0.01;
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "clock.h5");
    options.output_every = every;
    for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++) {
        double step = steps[n];
        int step_count = (int)(1.0 / step) + 1;
        tp_trajectory *t = record_clock(check_state_, step, step_count, &options);
        double end = step_count * step, slack = 1e-12; /* round-off of times around 1 */
        const double *time = t->values[0];
        CHECK_NEAR(time[0], 0.0, 0.0);
        CHECK_NEAR(time[t->row_count - 1], end, 0.0);
        for (int k = 1; every * k <= end; k++) {
            double nearest = INFINITY;
            for (long long i = 0; i < t->row_count; i++) nearest = fmin(nearest, fabs(time[i] - every * k));
            CHECK(nearest <= 0.5 * step + slack);
        }
        for (long long i = 1; i < t->row_count; i++) CHECK(time[i] > time[i - 1]);
        /* one row for each multiple or each step, whatever is fewer, and perhaps one more at the end */
        double expected = 1.0 + fmin(floor(end / every), step_count);
        CHECK(t->row_count >= (long long)expected && t->row_count <= (long long)expected + 1);
        tp_trajectory_free(t);
    }
    scratch_close(&folder);
}

TEST(without_an_interval_every_step_is_a_row)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "clock.h5");
    tp_trajectory *t = record_clock(check_state_, 1e-3, 777, &options);
    CHECK_INT(t->row_count, 778);
    tp_trajectory_free(t);
    scratch_close(&folder);
}

TEST(columns_are_chosen_by_name_or_group_and_unknown_ones_refused)
{
    const char *const chosen[] = {"q", "u/x'"}, *const unknown[] = {"q", "qqq"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "clock.h5");
    options.columns = chosen;
    options.column_count = 2;
    tp_trajectory *t = record_clock(check_state_, 1e-3, 3, &options);
    const char *const expected[] = {"time", "q/x", "q/y", "u/x'"};
    const double base[] = {0.0, 100.0, 200.0, 400.0};
    CHECK_INT(t->column_count, 4);
    for (int i = 0; i < 4; i++) {
        CHECK(strcmp(t->columns[i].name, expected[i]) == 0);
        CHECK_NEAR(t->values[i][2], base[i] + 2.0 * 1e-3, 0.0);
    }
    tp_trajectory_free(t);

    double clock = 0.0;
    tp_record_source source = {.self = &clock, .value = clock_value};
    tp_arena arena;
    tp_recorder recorder;
    tp_message why = {""};
    tp_arena_init(&arena, NULL);
    options.columns = unknown;
    CHECK_INT(tp_recorder_open(&recorder, &arena, NULL, source, clock_columns, 5, &options, &why),
              TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "qqq") != NULL);
    options.column_count = 0;
    options.output_every = -1.0;
    CHECK_INT(tp_recorder_open(&recorder, &arena, NULL, source, clock_columns, 5, &options, &why),
              TP_INVALID_ARGUMENT);
    tp_arena_clear(&arena);
    scratch_close(&folder);
}

/* A ball above a floor, with a sensor. */
static tp_simulation *drop_ball(void **check_state_, tp_model **model_out)
{
    tp_message why = {""};
    tp_place nowhere = {NULL, 0, 0};
    CHECK_INT(tp_model_create(NULL, model_out), TP_OK);
    tp_model *model = *model_out;
    CHECK_INT(tp_model_add_coordinate(model, "x", 0.0, 1.0, "m", nowhere, NULL, NULL), TP_OK);
    CHECK_INT(tp_model_add_coordinate(model, "y", 0.1, 0.0, "m", nowhere, NULL, NULL), TP_OK);
    CHECK_INT(tp_model_add_kinetic(model, TP_FORMULA("1/2*(x'^2 + y'^2)"), NULL), TP_OK);
    CHECK_INT(tp_model_add_potential(model, TP_FORMULA("9.81*y"), NULL), TP_OK);
    tp_contact_def contact = tp_contact_def_default();
    contact.name = "floor/left";
    contact.gap = TP_FORMULA("y");
    contact.slip[0] = TP_FORMULA("x'");
    contact.slip_count = 1;
    contact.friction[0] = 0.3;
    CHECK_INT(tp_model_add_contact(model, &contact, NULL, NULL), TP_OK);
    CHECK_INT(tp_model_add_sensor(model, "twice", TP_FORMULA("2*y"), "m", NULL, NULL), TP_OK);
    tp_finish_options finish = tp_finish_options_default();
    CHECK_INT(tp_model_finish(model, &finish, NULL), TP_OK);
    tp_simulation_options options = tp_simulation_options_default();
    options.time_step = 1e-3;
    options.end_time = 0.2;
    tp_simulation *simulation;
    tp_status status = tp_simulation_create(NULL, model, &options, &simulation, &why);
    if (status != TP_OK) print_error("%s\n", why.text);
    CHECK_INT(status, TP_OK);
    return simulation;
}

static const double *column(void **check_state_, const tp_trajectory *t, const char *name)
{
    int i = tp_trajectory_find(t, name);
    if (i < 0) print_error("no column %s\n", name);
    CHECK(i >= 0);
    return t->values[i];
}

TEST(a_simulation_writes_its_state_laws_sensors_and_steps)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    char csv[800];
    snprintf(csv, sizeof csv, "%s", scratch_file(&folder, "ball.csv"));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "ball.h5");
    options.csv_path = csv;
    options.scene_text = "name: ball\n";
    options.scene_name = "ball.yaml";
    options.options_json = "{\"time_step\": 1e-3}";
    options.integrator = "moreau";
    tp_model *model;
    tp_simulation *simulation = drop_ball(check_state_, &model);
    tp_output *output;
    tp_message why = {""};
    CHECK_INT(tp_output_create(NULL, simulation, &options, &output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, output, NULL), TP_OK);
    double x_end = tp_simulation_q(simulation)[0];
    CHECK_INT(tp_output_close(output, &why), TP_OK);

    tp_trajectory *t;
    CHECK_INT(tp_trajectory_read(NULL, options.hdf5_path, &t, &why), TP_OK);
    CHECK_INT(t->row_count, 201);
    CHECK(t->is_finished);
    CHECK(strcmp(t->columns[0].name, "time") == 0);
    long long last = t->row_count - 1;
    const double *y = column(check_state_, t, "q/y"), *twice = column(check_state_, t, "sensor/twice");
    const double *gap = column(check_state_, t, "law/floor%2Fleft/gap");
    const double *normal = column(check_state_, t, "law/floor%2Fleft/impulse_N");
    const double *tangent = column(check_state_, t, "law/floor%2Fleft/impulse_T1");
    CHECK_NEAR(column(check_state_, t, "q/x")[last], x_end, 0.0);
    CHECK_NEAR(column(check_state_, t, "energy")[0], 0.5 + 9.81 * 0.1, 1e-15);
    CHECK_NEAR(column(check_state_, t, "u/x'")[0], 1.0, 0.0);
    CHECK_NEAR(column(check_state_, t, "step/size")[last], 1e-3, 1e-15);
    double impact = 0.0;
    for (long long k = 0; k <= last; k++) {
        CHECK_NEAR(gap[k], y[k], 0.0);
        CHECK_NEAR(twice[k], 2.0 * y[k], 0.0);
        CHECK(normal[k] >= 0.0 && fabs(tangent[k]) <= 0.3 * normal[k] * (1.0 + 1e-9));
        impact = fmax(impact, normal[k]);
    }
    CHECK(impact > 1.0); /* sqrt(2 g h) = 1.4 m/s were stopped */
    CHECK(strcmp(t->summary[0].name, "status") == 0 && strcmp(t->summary[0].text, "ok") == 0);
    CHECK(strcmp(t->scene_text, "name: ball\n") == 0);

    size_t count = 0;
    char *text = (char *)scratch_read(csv, &count);
    long long lines = 0;
    for (size_t i = 0; i < count; i++) lines += text[i] == '\n';
    CHECK_INT(lines, 2 + t->row_count);
    free(text);
    tp_trajectory_free(t);
    tp_simulation_free(simulation);
    tp_model_free(model);
    scratch_close(&folder);
}

/* Stops as a program does on Ctrl-C. */
typedef struct stopper {
    tp_output *output;
    int steps_left;
} stopper;

static bool observe_and_stop(void *context, const tp_simulation *simulation)
{
    stopper *self = context;
    return tp_output_observe(self->output, simulation) && self->steps_left-- > 0;
}

TEST(an_interrupted_run_keeps_all_rows_and_its_last_state)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_output_options options = tp_output_options_default();
    options.hdf5_path = scratch_file(&folder, "ball.h5");
    options.output_every = 0.01;
    tp_model *model;
    tp_simulation *simulation = drop_ball(check_state_, &model);
    tp_message why = {""};
    stopper context = {NULL, 57};
    CHECK_INT(tp_output_create(NULL, simulation, &options, &context.output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, observe_and_stop, &context, NULL), TP_INTERRUPTED);
    CHECK_INT(tp_output_close(context.output, &why), TP_OK);
    tp_trajectory *t;
    CHECK_INT(tp_trajectory_read(NULL, options.hdf5_path, &t, &why), TP_OK);
    CHECK(t->is_finished);
    CHECK_INT(t->row_count, 1 + 5 + 1);
    CHECK_NEAR(t->values[0][6], 0.057, 1e-15);
    CHECK_NEAR(t->values[0][5], 0.05, 1e-15);
    tp_trajectory_free(t);
    tp_simulation_free(simulation);
    tp_model_free(model);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(rows_lie_within_half_a_step_of_each_multiple_and_at_both_ends),
          RUNS(without_an_interval_every_step_is_a_row),
          RUNS(columns_are_chosen_by_name_or_group_and_unknown_ones_refused),
          RUNS(a_simulation_writes_its_state_laws_sensors_and_steps),
          RUNS(an_interrupted_run_keeps_all_rows_and_its_last_state))
