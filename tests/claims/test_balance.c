/* Nothing is lost: impulses of laws and forces make up the change of momentum, in every step of every example
   under every integrator, and in rows that are far apart; docs/theory/simulation.md (6)-(9). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "integrator/consistent_step.h"
#include "io/scratch.h"
#include "simulation/inside.h"

#include <math.h>

enum { STEPS = 25, RELAXED_STEPS = 8 }; /* relaxed: of four problems or more each */

/* Sums of some ten products, each rounded, and inclusions that are solved to 32 rounding floors: a thousand
   roundings of the largest momentum cover both. A law that is left out misses by its whole impulse. */
static const double rounding = 1000.0 * 2.2e-16;

/* A system of its own at the point of that of a simulation, which may have no derivatives of forces. */
static tp_system *system_with_derivatives(const tp_simulation *simulation)
{
    const tp_system *at = simulation->stepper.system;
    tp_system_options options = simulation->integrator->system;
    tp_system *system;
    options.has_no_derivatives = false;
    if (tp_system_create_with(NULL, simulation->stepper.model, &options, &system) != TP_OK) abort();
    tp_system_set_inputs(system, at->input);
    tp_system_refer_angles(system, at->angle_reference);
    tp_system_set_states(system, at->x, at->multiplier);
    tp_system_move(system, at->place_time, at->q, at->u);
    return system;
}

/* Positions and velocities are known to rounding, and stiff forces make that large: dt eps (|K| |q| + |D|
   |u|), at the present point. */
static double stiffness_noise(const tp_simulation *simulation)
{
    bool is_made = simulation->integrator->system.has_no_derivatives;
    tp_system *system = is_made ? system_with_derivatives(simulation) : simulation->stepper.system;
    const tp_sparse *pattern = &system->jacobian_pattern;
    size_t m = (size_t)system->u_count + 1, entries = (size_t)tp_sparse_count(pattern) + 1;
    double *K = calloc(2 * entries + 2 * m, sizeof *K), *D = K + entries, *position = D + entries,
           *noise = position + m, largest = 0.0;
    if (tp_system_check_force_jacobian(system->model, NULL) == TP_OK) {
        tp_system_force_jacobian(system, K, D);
        tp_system_position_sizes(system, position);
        for (int j = 0; j < system->u_count; j++) {
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                noise[pattern->index[k]] += fabs(K[k]) * position[j] + fabs(D[k] * system->u[j]);
        }
        for (int j = 0; j < system->u_count; j++) largest = fmax(largest, noise[j]);
    }
    free(K);
    if (is_made) tp_system_free(system);
    return 2.2e-16 * simulation->options.time_step * largest;
}

/* What forces lose by rounding [N s]: that, or what differences of energies over short ways lose;
   theory/consistent.md. */
static double force_noise(const tp_simulation *simulation)
{
    double largest = 0.0;
    if (strncmp(simulation->integrator->info.name, "consistent", strlen("consistent")) != 0)
        return stiffness_noise(simulation);
    const tp_consistent_step *step = tp_consistent_last_step(&simulation->stepper);
    for (int j = 0; j < simulation->stepper.system->u_count; j++) largest = fmax(largest, step->F_noise[j]);
    return largest;
}

/* The velocities that a step changes: those of states, or of intervals where impulses act at states. */
static const double *velocities(const tp_simulation *simulation, int state)
{
    const tp_state *of = &simulation->state[state];
    return simulation->integrator->has_impulses_at_states ? of->memory[0] : of->u;
}

/* What a step by error may miss of it [N s]: impulses are integrals over the states that the step shows,
   whose estimated error is at most 1 in the mean square of all n components, each over atol + rtol |u|: at
   most sqrt(n) of that in one velocity, times its inertia; theory/relaxed-dai.md (22), theory/jet.md (48). */
static double own_error(const tp_simulation *simulation)
{
    const tp_system *system = simulation->stepper.system;
    const tp_sparse *pattern = &system->mass_pattern;
    const double *u = simulation->state[simulation->present].u;
    double largest = 0.0;
    const char *name = simulation->integrator->info.name;
    if (strcmp(name, "jet-projection") != 0 && strcmp(name, "relaxed-dai-adaptive") != 0) return 0.0;
    for (int j = 0; j < system->u_count; j++) {
        double velocity = simulation->options.atol + simulation->options.rtol * fabs(u[j]);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            largest = fmax(largest, fabs(simulation->stepper.M[k]) * velocity);
    }
    return sqrt(system->q_count + system->u_count) * largest;
}

/* |M (u_E - u_B) - forces - laws|, largest, over what rounding explains. */
static double imbalance(tp_simulation *simulation)
{
    const tp_system *system = simulation->stepper.system;
    const tp_account *account = &simulation->stepper.account;
    const double *to = velocities(simulation, simulation->present),
                 *from = velocities(simulation, 1 - simulation->present);
    const tp_sparse *pattern = &system->mass_pattern;
    int m = system->u_count;
    double *M = calloc((size_t)tp_sparse_count(pattern) + 1, sizeof *M),
           *sum = calloc((size_t)m + 1, sizeof *sum), size = 0.0, worst = 0.0;
    tp_system_mass(simulation->stepper.system, M);
    for (int j = 0; j < m; j++) {
        sum[j] -= account->forces[j] + account->laws[j];
        size = fmax(size, fmax(fabs(account->forces[j]), fabs(account->laws[j])));
    }
    for (int j = 0; j < m; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            sum[pattern->index[k]] += M[k] * (to[j] - from[j]);
            size = fmax(size, fabs(M[k]) * fmax(fabs(to[j]), fabs(from[j])));
        }
    }
    for (int j = 0; j < m; j++) worst = fmax(worst, fabs(sum[j]));
    free(M);
    free(sum);
    double loose =
        simulation->options.tolerance > rounding ? simulation->last.residual : 0.0; /* as it asks */
    double explained = (rounding + loose) * size + 32.0 * force_noise(simulation) + own_error(simulation);
    return explained > 0.0 ? worst / explained : 0.0;
}

static int check_run(const tp_scene *scene, const char *example, const char *integrator, bool is_stiff)
{
    tp_simulation_options options = scene->options;
    options.relaxed.is_stiff = is_stiff;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.integrator = integrator;
    options.projection.kind = TP_PROJECTION_NONE;
    options.accept_unconverged = true;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK) return 0;
    double worst = 0.0;
    int steps = strncmp(integrator, "relaxed", 7) == 0 ? RELAXED_STEPS : STEPS;
    for (int k = 1; k <= steps && simulation->stepper.system->has_constant_mass; k++) {
        if (tp_simulation_step(simulation, k * options.time_step, NULL) != TP_OK) break;
        if (tp_simulation_last_step(simulation)->status == TP_OK) worst = fmax(worst, imbalance(simulation));
    }
    bool is_checked = simulation->stepper.system->has_constant_mass;
    if (!(worst <= 1.0))
        fail_msg("%s with %s: %.2g times what rounding explains", example, integrator, worst);
    tp_simulation_free(simulation);
    return is_checked;
}

TEST(impulses_of_laws_and_forces_are_the_change_of_momentum_in_every_example)
{
    example_list list = find_examples();
    int runs = 0;
    for (int i = 0; i < list.count; i++) {
        tp_scene *scene = read_short_example(list.name[i]);
        for (int k = 0; k < tp_integrator_count(); k++)
            runs += check_run(scene, list.name[i], tp_integrator_info_at(k)->name, false);
        tp_scene_free(scene);
    }
    CHECK(runs > 3 * list.count);
}

/* A leg whose beam stretches with 1.9e8 N/m: its forces are rounding of positions times that. An inclusion is
   solved when no more than this is left. */
TEST(stiff_forces_balance_up_to_their_rounding)
{
    tp_scene *scene = read_example("guided-hopper", NULL);
    CHECK_INT(check_run(scene, "guided-hopper", "moreau-jean", false), 1);
    CHECK_INT(check_run(scene, "guided-hopper", "generalized-alpha", false), 1);
    CHECK_INT(check_run(scene, "guided-hopper", "symmetric-moreau", false), 1);
    tp_scene_free(scene);
}

TEST(so_they_are_in_stiff_steps)
{
    static const char *const names[] = {"relaxed-rod", "incline-block", "sphere-slide-roll",
                                        "friction-oscillator"};
    for (int i = 0; i < 4; i++) {
        tp_scene *scene = read_short_example(names[i]);
        CHECK_INT(check_run(scene, names[i], "relaxed-dai-adaptive", true), 1);
        tp_scene_free(scene);
    }
}

static const char thrown_box[] = "name: thrown box\n"
                                 "gravity: [0, 0, -9.81]\n"
                                 "bodies:\n"
                                 "  - {name: box, mass: 2, position: [0, 0, 0.4], velocity: [%s, 0, -1],\n"
                                 "     shapes: [{name: cube, type: box, size: [0.2, 0.3, 0.4]}]}\n"
                                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                                 "contacts:\n"
                                 "  - {name: touch, between: [floor, cube], restitution: 0.4, friction: %s}\n"
                                 "simulate: {integrator: moreau, dt: 1e-3, until: 0.5}\n";

static double column_sum(const tp_table *table, const char *name)
{
    int column = tp_table_find(table, name);
    double sum = 0.0;
    for (long long k = 0; k < table->row_count; k++) sum += table->values[column][k];
    return sum;
}

static double rows_sum(const tp_trajectory *run, const char *name)
{
    const double *values = run->values[tp_trajectory_find(run, name)];
    double sum = 0.0;
    for (long long k = 0; k < run->row_count; k++) sum += values[k];
    return sum;
}

/* Moreau's rule with a constant force and without rotation balances energy exactly: what laws took is what is
   missing. */
static void check_energy(void **check_state_, const tp_trajectory *run)
{
    const double *energy = run->values[tp_trajectory_find(run, "energy")];
    double lost = energy[0] - energy[run->row_count - 1];
    CHECK(lost > 1.0);
    CHECK_NEAR(rows_sum(run, "step/dissipation"), lost, 1e-10);
    CHECK_NEAR(column_sum(tp_trajectory_table(run, "contacts"), "dissipation"), lost, 1e-10);
    CHECK_NEAR(rows_sum(run, "step/steps"), 500.0, 0.0);
    CHECK(rows_sum(run, "step/impacts") >= 4.0); /* four corners, at least once */
}

/* Forces of the quaternion scheme are differences of energies over ways that become as short as its creep:
   each of 500 steps may lose 1e-13 N s. A step that was lost would miss by its weight, 0.02 N s. */
static const double tolerance = 1e-10;

/* Claim: rows 0.1 s apart hold all that the floor gave: m (v_E - v_B) = m g T + sum of impulses. */
TEST(rows_far_apart_hold_all_impulses)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    for (int k = 0; k < tp_integrator_count(); k++) {
        const char *name = tp_integrator_info_at(k)->name;
        bool is_smooth = strcmp(name, "schatzman-paoli") == 0; /* knows no friction */
        char text[1000];
        snprintf(text, sizeof text, thrown_box, is_smooth ? "0" : "0.7", is_smooth ? "0" : "0.3");
        tp_scene *scene = scene_of(text);
        tp_simulation_options options = scene->options;
        options.integrator = name;
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) == TP_OK) {
            tp_output_options output = tp_output_options_default();
            output.hdf5_path = scratch_file(&folder, "box.h5");
            output.output_every = 0.1;
            tp_output *writer = NULL;
            CHECK_INT(tp_output_create(NULL, simulation, &output, &writer, &why), TP_OK);
            CHECK_INT(tp_simulation_run(simulation, tp_output_observe, writer, NULL), TP_OK);
            CHECK_INT(tp_output_close(writer, &why), TP_OK);
            tp_trajectory *run = NULL;
            CHECK_INT(tp_trajectory_read(NULL, output.hdf5_path, &run, &why), TP_OK);
            CHECK_INT(run->row_count, 6);
            const tp_table *contacts = tp_trajectory_table(run, "contacts");
            const double mass = 2.0, g = 9.81, *vx = run->values[tp_trajectory_find(run, "u/box.v.x")],
                         *vz = run->values[tp_trajectory_find(run, "u/box.v.z")];
            double up = mass * (vz[5] - vz[0] + g * 0.5), along = mass * (vx[5] - vx[0]);
            CHECK(up > 5.0);
            /* impulses of steps by error are quadratures of them: rtol is 1e-6, contacts have kinks */
            double most = tp_integrator_info_at(k)->chooses_steps ? 1e-4 * up : tolerance;
            CHECK_NEAR(column_sum(contacts, "impulse_N"), up, most);
            if (!is_smooth) CHECK_NEAR(column_sum(contacts, "impulse_T1"), along, most);
            if (strcmp(name, "moreau") == 0) check_energy(check_state_, run);
            tp_trajectory_free(run);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
    scratch_close(&folder);
}

TEST_MAIN(RUNS(impulses_of_laws_and_forces_are_the_change_of_momentum_in_every_example),
          RUNS(stiff_forces_balance_up_to_their_rounding), RUNS(so_they_are_in_stiff_steps),
          RUNS(rows_far_apart_hold_all_impulses))
