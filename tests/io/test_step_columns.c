/* Columns of the rows over time and of the tables against what the simulation says of every step, and against
   closed forms. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "simulations.h"

enum { ROW_STEPS = 5, ROWS_MAX = 64 };

/* What rows of ROW_STEPS steps must hold, collected from the reports of the steps. */
typedef struct expectation {
    tp_output *output;
    int step;
    double most[ROWS_MAX][4], work[ROWS_MAX], contacts[ROWS_MAX];
} expectation;

static bool note(void *context, const tp_simulation *simulation)
{
    expectation *e = context;
    const tp_step_report *last = tp_simulation_last_step(simulation);
    int row = (e->step++ + ROW_STEPS - 1) / ROW_STEPS;
    if (row < ROWS_MAX) {
        const double errors[] = {last->iterations, last->position_error, last->velocity_error,
                                 last->angular_velocity_error};
        for (int k = 0; k < 4; k++) e->most[row][k] = fmax(e->most[row][k], errors[k]);
        e->work[row] += e->step > 1 ? last->applied_work : 0.0;
        e->contacts[row] = last->contact_count;
    }
    return tp_output_observe(e->output, simulation);
}

static tp_trajectory *record(void **check_state_, const tp_scene *scene, double output_every,
                             expectation *expected)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    tp_output_options options = tp_output_options_default();
    tp_trajectory *run = NULL;
    tp_message why = {""};
    options.hdf5_path = scratch_file(&folder, "run.h5");
    options.output_every = output_every;
    CHECK_INT(tp_output_create(NULL, simulation, &options, &expected->output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, note, expected), TP_OK);
    CHECK_INT(tp_output_close(expected->output, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, options.hdf5_path, &run, &why), TP_OK);
    tp_simulation_free(simulation);
    scratch_close(&folder);
    return run;
}

static double value(const tp_trajectory *run, const char *name, long long row)
{
    int column = tp_trajectory_find(run, name);
    if (column < 0) fail_msg("there is no column %s", name);
    return run->values[column][row];
}

static double entry(const tp_table *table, const char *name, long long row)
{
    int column = tp_table_find(table, name);
    if (column < 0) fail_msg("there is no column %s", name);
    return table->values[column][row];
}

/* A driven pendulum of two rigid bodies that drifts off its joints and hits the floor. */
TEST(columns_of_steps_are_sums_and_maxima_of_what_the_steps_report)
{
    tp_scene *scene =
        scene_of("bodies:\n"
                 "  - {name: one, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 1]}\n"
                 "  - {name: two, mass: 1, inertia: [0.3, 0.1, 0.2], position: [1.5, 0, 1],\n"
                 "     shapes: [{type: sphere, radius: 0.1}]}\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "gravity: [0, 0, -9.81]\n"
                 "joints:\n"
                 "  - {name: first, type: spherical, bodies: [ground, one], frame: world, point: [0, 0, 1]}\n"
                 "  - {name: second, type: revolute, bodies: [one, two], frame: world, point: [1, 0, 1], "
                 "axis: [0, 1, 0]}\n"
                 "forces: [{name: push, body: one, moment: [\"3*sin(9*t)\", 1, 0]}]\n"
                 "contacts: [{name: hits, between: [floor, two], friction: 0.2}]\n"
                 "simulate: {integrator: moreau, dt: 5e-3, until: 1}\n");
    static const char *const names[] = {"step/iterations", "step/position_error", "step/velocity_error",
                                        "step/angular_velocity_error"};
    expectation expected = {0};
    tp_trajectory *run = record(check_state_, scene, ROW_STEPS * 5e-3, &expected);
    CHECK_INT(run->row_count, 41);
    double largest[4] = {0.0}, contacts = 0.0, work = 0.0;
    for (long long row = 0; row < run->row_count; row++) {
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(value(run, names[k], row), expected.most[row][k], 0.0);
            largest[k] = fmax(largest[k], expected.most[row][k]);
        }
        CHECK_NEAR(value(run, "step/applied_work", row), expected.work[row], 1e-15);
        CHECK_NEAR(value(run, "step/contacts", row), expected.contacts[row], 0.0);
        contacts = fmax(contacts, expected.contacts[row]);
        work = fmax(work, fabs(expected.work[row]));
    }
    for (int k = 0; k < 4; k++) CHECK(largest[k] > 0.0); /* no column of zeros */
    CHECK(contacts == 1.0 && work > 0.1);
    tp_trajectory_free(run);
    tp_scene_free(scene);
}

/* A box that falls onto an edge along x: corners 0 and 1, or with +y corners 2 and 3 (contacts-geometry.md).
   The impact of a ball takes P.(u+ + u-)/2 with the velocities that the event has. */
TEST(contacts_and_events_name_the_corner_and_the_energy_that_was_lost)
{
    const double mass = 2.0, e = 0.5;
    for (int corner = 0; corner < 4; corner += 2) {
        char text[700];
        snprintf(text, sizeof text,
                 "bodies: [{name: box, mass: 2, inertia: [1, 1, 1.5], position: [0, 0, 1],\n"
                 "   orientation: {axis: [1, 0, 0], angle: %s},\n"
                 "   shapes: [{type: box, size: [0.2, 0.2, 0.2]}]},\n"
                 "  {name: ball, mass: 2, inertia: [1, 1, 1], position: [3, 0, 0.6], shapes: [{type: sphere, "
                 "radius: 0.1}]}]\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "gravity: [0, 0, -9.81]\n"
                 "contacts: [{name: hits, between: [floor, box]}, {name: drops, between: [floor, ball], "
                 "restitution: 0.5}]\n"
                 "simulate: {integrator: moreau, dt: 1e-4, until: 0.46}\n",
                 corner == 0 ? "0.5" : "-0.5");
        tp_scene *scene = scene_of(text);
        expectation expected = {0};
        tp_trajectory *run = record(check_state_, scene, 0.0, &expected);
        const tp_table *events = tp_trajectory_table(run, "events"),
                       *contacts = tp_trajectory_table(run, "contacts");
        double z = entry(events, "z", 0), lost = entry(events, "energy_lost", 0),
               before = entry(events, "before_N", 0);
        CHECK_NEAR(z, 0.0, 1e-3);
        CHECK_NEAR(entry(events, "x", 0), 3.0, 1e-9); /* the ball is the first */
        double mean = 0.5 * (1.0 - e) * before, impulse = mass * (9.81 * 1e-4 - (1.0 + e) * before);
        CHECK_NEAR(lost, -impulse * mean, 1e-9); /* m (1 - e^2) v^2/2, and the weight of the step */
        CHECK_NEAR(before, -sqrt(2.0 * 9.81 * 0.5), 9.81 * 1e-4);
        bool is_found = false;
        for (long long k = 0; k < events->row_count; k++) {
            if (fabs(entry(events, "x", k)) > 1.0) continue;
            double feature = entry(events, "feature", k);
            CHECK(feature == corner || feature == corner + 1); /* an edge along x: -x and +x */
            is_found = true;
        }
        CHECK(is_found);
        for (long long k = 0; k < contacts->row_count; k++) {
            double feature = entry(contacts, "feature", k);
            bool is_box = fabs(entry(contacts, "x", k)) < 1.0;
            CHECK(is_box ? feature == corner || feature == corner + 1 : feature == 0.0);
        }
        tp_trajectory_free(run);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(columns_of_steps_are_sums_and_maxima_of_what_the_steps_report),
          RUNS(contacts_and_events_name_the_corner_and_the_energy_that_was_lost))
