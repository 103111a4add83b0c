/* Columns of a run against what is known without it: closed forms, and the state in other columns. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "simulations.h"

/* The run of a scene as it is read from its file; NULL: the integrator refuses the scene. */
static tp_trajectory *record(void **check_state_, scratch_folder *folder, const tp_scene *scene,
                             const char *integrator, double output_every)
{
    tp_simulation_options options = scene->options;
    tp_output_options to = tp_output_options_default();
    tp_simulation *simulation = NULL;
    tp_output *output = NULL;
    tp_trajectory *trajectory = NULL;
    tp_message why = {""};
    options.integrator = integrator;
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    if (status == TP_UNSUPPORTED) return NULL;
    CHECK_INT(status, TP_OK);
    to.hdf5_path = scratch_file(folder, "run.h5");
    to.output_every = output_every;
    CHECK_INT(tp_output_create(NULL, simulation, &to, &output, &why), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, output, NULL), TP_OK);
    CHECK_INT(tp_output_close(output, &why), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, to.hdf5_path, &trajectory, &why), TP_OK);
    tp_simulation_free(simulation);
    return trajectory;
}

static const double *column(const tp_trajectory *t, const char *name)
{
    int i = tp_trajectory_find(t, name);
    if (i < 0) fail_msg("no column %s", name);
    return t->values[i];
}

/* Times of the impacts of a ball dropped from rest: the fall, then flights of 2 e^k v/g. */
static int impacts_between(double from, double to, double height, double g, double e)
{
    double speed = sqrt(2.0 * g * height), time = speed / g;
    int count = 0;
    for (; time <= to; speed *= e, time += 2.0 * speed / g) count += time > from;
    return count;
}

/* Between rows of half a second are one, no, one, one and one impact; none is within 48 ms of a row, and
   steps of 1 ms are off by one each. In rows of every step each impact is at most one step wide. */
TEST(impacts_of_a_row_are_those_of_a_bouncing_ball_since_the_row_before)
{
    tp_scene *scene = scene_of("bodies: [{name: ball, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1.1], "
                               "shapes: [{type: sphere, radius: 0.1}]}]\n"
                               "ground: {shapes: [{name: floor, type: plane}]}\n"
                               "gravity: [0, 0, -9.81]\n"
                               "contacts: [{name: hits, between: [floor, ball], restitution: 0.8}]\n"
                               "simulate: {dt: 1e-3, until: 2.5}\n");
    scratch_folder folder;
    int runs = 0;
    CHECK(scratch_open(&folder));
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *integrator = tp_integrator_info_at(i)->name;
        if (strcmp(integrator, "penalty") == 0) continue; /* rebounds by the damping of its springs */
        for (int every_step = 0; every_step < 2; every_step++) {
            tp_trajectory *t = record(check_state_, &folder, scene, integrator, every_step ? 0.0 : 0.5);
            if (t == NULL) break;
            const double *impacts = column(t, "step/impacts");
            double sum = 0.0;
            for (long long row = 1; row < t->row_count; row++) {
                sum += impacts[row];
                int expected = impacts_between(t->values[0][row - 1], t->values[0][row], 1.0, 9.81, 0.8);
                if (!every_step && impacts[row] != expected)
                    fail_msg("%s: %g impacts until %g s, not %d", integrator, impacts[row], t->values[0][row],
                             expected);
                if (every_step) CHECK(impacts[row] == 0.0 || impacts[row] == 1.0);
            }
            CHECK_NEAR(sum, impacts_between(0.0, 2.5, 1.0, 9.81, 0.8), 0.0);
            tp_trajectory_free(t);
            runs++;
        }
    }
    CHECK(runs >= 2 * 4);
    tp_scene_free(scene);
    scratch_close(&folder);
}

static tp_quat orientation(const tp_trajectory *t, const char *const *names, long long row)
{
    return tp_quat_make(column(t, names[0])[row], column(t, names[1])[row], column(t, names[2])[row],
                        column(t, names[3])[row]);
}

/* The axis of a hinge drifts under the midpoint rule. Its rows are the components of B's axis along two
   directions normal to A's: the larger of them lies between sin/sqrt(2) and sin of the angle between. */
TEST(the_angle_error_is_the_angle_between_the_axes_of_a_hinge)
{
    static const char *const one[] = {"q/one.p0", "q/one.p1", "q/one.p2", "q/one.p3"}, *const two[] = {
                                                                                           "q/two.p0",
                                                                                           "q/two.p1",
                                                                                           "q/two.p2",
                                                                                           "q/two.p3"};
    tp_scene *scene = scene_of(
        "bodies:\n"
        "  - {name: one, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0], angular_velocity: [3, 0, "
        "0]}\n"
        "  - {name: two, mass: 1, inertia: [0.3, 0.1, 0.2], position: [1.5, 0, 0], angular_velocity: [3, 0, "
        "0]}\n"
        "gravity: [0, 0, -9.81]\n"
        "joints:\n"
        "  - {name: first, type: spherical, bodies: [ground, one], frame: world, point: [0, 0, 0]}\n"
        "  - {name: second, type: revolute, bodies: [one, two], frame: world, point: [1, 0, 0], axis: [0, 1, "
        "0]}\n"
        "simulate: {integrator: moreau, dt: 5e-3, until: 1}\n");
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_trajectory *t = record(check_state_, &folder, scene, "moreau", 0.0);
    const double *error = column(t, "step/angle_error");
    tp_vec3 axis = tp_vec3_make(0.0, 1.0, 0.0);
    double largest = 0.0;
    for (long long row = 0; row < t->row_count; row++) {
        tp_vec3 on_A = tp_quat_rotate(orientation(t, one, row), axis),
                on_B = tp_quat_rotate(orientation(t, two, row), axis);
        double sine = tp_vec3_norm(tp_vec3_cross(on_A, on_B)), rounding = 1e-12;
        CHECK(error[row] <= sine + rounding && error[row] >= sine / sqrt(2.0) - rounding);
        largest = fmax(largest, sine);
    }
    CHECK(largest > 1e-6); /* there is something to report */
    tp_trajectory_free(t);
    tp_scene_free(scene);
    scratch_close(&folder);
}

/* An initial state may miss constraints by the tolerance of tp_model_finish; the first row says by how much,
   lengths and angles apart. */
TEST(the_first_row_has_the_errors_of_the_initial_state)
{
    const double angle = 4e-10, length = 3e-10;
    tp_scene *scene = scene_of("coordinates: [{name: x, initial: 3e-10}, {name: phi, initial: 4e-10}]\n"
                               "kinetic: \"1/2*x'^2 + 1/2*phi'^2\"\n"
                               "constraints: [{name: held, position: x, unit: m}, {name: turned, position: "
                               "phi, unit: rad}]\n"
                               "simulate: {integrator: moreau, dt: 1e-3, until: 2e-3}\n");
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_trajectory *t = record(check_state_, &folder, scene, "moreau", 0.0);
    CHECK_NEAR(column(t, "step/angle_error")[0], angle, 0.0);
    CHECK_NEAR(column(t, "step/position_error")[0], length, 0.0);
    tp_trajectory_free(t);
    tp_scene_free(scene);
    scratch_close(&folder);
}

/* A ball that rolls: its resistance is the arm times the normal impulse, as a moment [N m s]; no drilling. */
TEST(rolling_resistance_has_columns_and_a_unit_of_its_own)
{
    const double arm = 0.01;
    tp_scene *scene = scene_of(
        "bodies: [{name: ball, mass: 2, inertia: [8e-3, 8e-3, 8e-3], position: [0, 0, 0.1], velocity: [1, 0, "
        "0], angular_velocity: [0, 10, 0], shapes: [{type: sphere, radius: 0.1}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "gravity: [0, 0, -9.81]\n"
        "contacts: [{name: rolls, between: [floor, ball], friction: 0.5, rolling: 0.01}]\n"
        "simulate: {integrator: moreau, dt: 1e-3, until: 0.1}\n");
    static const char *const names[] = {"impulse_N", "impulse_tau", "impulse_R1", "impulse_R2"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_trajectory *t = record(check_state_, &folder, scene, "moreau", 0.0);
    CHECK(strcmp(t->tables[0].name, "contacts") == 0 && t->tables[0].row_count >= 99);
    int at[4];
    for (int k = 0; k < 4; k++) {
        at[k] = tp_table_find(&t->tables[0], names[k]);
        CHECK(at[k] >= 0);
        CHECK(strcmp(t->tables[0].columns[at[k]].unit, k < 2 ? "N s" : "N m s") == 0);
    }
    for (long long row = 0; row < t->tables[0].row_count; row++) {
        const double *const *values = t->tables[0].values;
        double N = values[at[0]][row];
        CHECK(isnan(values[at[1]][row]));
        CHECK_NEAR(N, 2.0 * 9.81 * 1e-3, 1e-9); /* the weight for a step */
        CHECK_NEAR(hypot(values[at[2]][row], values[at[3]][row]), arm * N, 1e-9 * N);
    }
    tp_trajectory_free(t);
    tp_scene_free(scene);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(impacts_of_a_row_are_those_of_a_bouncing_ball_since_the_row_before),
          RUNS(the_angle_error_is_the_angle_between_the_axes_of_a_hinge),
          RUNS(the_first_row_has_the_errors_of_the_initial_state),
          RUNS(rolling_resistance_has_columns_and_a_unit_of_its_own))
