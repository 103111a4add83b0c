/* Claims of theory/generalized-alpha.md on examples with known motions: discrete laws on all levels, orders,
   the classical method without laws, closed forms of bouncing, jamming, rolling and turning bodies. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "integrator/alpha_step.h"
#include "simulation/inside.h"
#include "system/second_level.h"

#include <math.h>

/* A scene as an example has it, but for edits, with this scheme. */
static tp_simulation *simulate_example(tp_scene *scene, double rho, double dt, double end)
{
    tp_simulation_options options = scene->options;
    options.integrator = "generalized-alpha";
    options.alpha.rho = rho;
    options.time_step = dt;
    options.end_time = end;
    return simulate_options(scene->model, options);
}

/* ---- laws ---- */

/* A product that must be 0: of numbers of size 10 and 1, each known to the tolerance of a step. */
static const double law_error = 1e-9;

/* (7)-(10) of one contact after a step: all multipliers in their sets, complementarity, directions of slip.
 */
static void check_contact(void **check_state_, tp_simulation *simulation, const tp_alpha_law *own,
                          const double *u_before)
{
    tp_alpha_step *step = simulation->stepper.scratch;
    tp_system *system = tp_simulation_system(simulation);
    const tp_law *law = tp_system_law(system, own->law);
    const double *a = simulation->state[simulation->present].memory[0], *P = step->problem->P;
    const double k = P[own->first[TP_ALPHA_POSITION]], *p = P + own->first[TP_ALPHA_VELOCITY],
                 *lambda = P + own->first[TP_ALPHA_ACCELERATION];
    int count = tp_system_law_column_count(system, own->law);
    const int *columns = tp_system_law_columns(system, own->law);
    double W[TP_LAW_ROWS * 8], chi[TP_LAW_ROWS], g2[TP_LAW_ROWS], xi[2], rate[2], mu = 0.3, gap;
    gap = tp_system_law_position(system, own->law);
    tp_system_law_rows(system, own->law, W, chi);
    tp_system_law_drift(system, own->law, g2);
    for (int i = 0; i < 2; i++) {
        const double *row = W + i * count;
        xi[i] = chi[i] + tp_row_velocity(count, columns, row, system->u) +
                law->restitution[i] * (chi[i] + tp_row_velocity(count, columns, row, u_before));
        rate[i] = g2[i] + tp_row_velocity(count, columns, row, a);
    }
    CHECK(gap >= -1e-12 && k >= -law_error && p[0] >= -law_error && lambda[0] >= -law_error);
    CHECK_NEAR(k * gap, 0.0, law_error);
    CHECK(fabs(p[1]) <= mu * p[0] + law_error && fabs(lambda[1]) <= mu * lambda[0] + law_error);
    if (!own->is_closed) CHECK_NEAR(fabs(p[0]) + fabs(lambda[0]), 0.0, law_error);
    if (own->is_closed) CHECK(xi[0] >= -law_error);
    CHECK_NEAR(p[0] * xi[0], 0.0, law_error);
    CHECK_NEAR(p[1] * xi[1], -mu * p[0] * fabs(xi[1]), law_error * (1.0 + p[0]));
    if (own->is_pressed) CHECK(rate[0] >= -1e-7);
    CHECK_NEAR(lambda[0] * rate[0], 0.0, 1e-6);
}

/* The ball in a corner, with both contacts, impacts, rolling, slipping and rest. */
TEST(laws_hold_on_all_levels_after_every_step)
{
    tp_scene *scene = read_example("corner-ball", NULL);
    const double dt = 2e-3;
    tp_simulation *simulation = simulate_example(scene, 0.5, dt, 1.5);
    int closed = 0;
    for (int k = 1; k <= 750; k++) {
        double u[3];
        memcpy(u, tp_simulation_u(simulation), sizeof u);
        step_to(simulation, k * dt);
        const tp_alpha_step *step = simulation->stepper.scratch;
        for (int i = 0; i < step->law_count; i++) {
            check_contact(check_state_, simulation, &step->laws[i], u);
            closed += step->laws[i].is_closed;
        }
    }
    CHECK(closed > 300);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* (4.4): with tangential restitution the slip of an impact that sticks is turned round, xi_T = 0. */
TEST(tangential_restitution_turns_the_slip_of_an_impact)
{
    tp_scene *scene = scene_of("coordinates: [x, {name: y, initial: 0.1}]\nkinetic: \"1/2*(x'^2 + y'^2)\"\n"
                               "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 2, restitution: 0.5,"
                               " tangential_restitution: 0.4}]\ninitial: {x': 0.7, y': -1}\n");
    tp_simulation *simulation = simulate_example(scene, 0.5, 1e-2, 0.2);
    run(simulation);
    CHECK_NEAR(tp_simulation_u(simulation)[0], -0.4 * 0.7, 1e-12);
    CHECK_NEAR(tp_simulation_u(simulation)[1], 0.5, 1e-12);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Friction bounded by a force F gives at most dt F in a step, and nothing to an impact: a slide that is hit
   by a stop with restitution 1 leaves with the speed it came with, but for the friction of that step. */
TEST(friction_with_a_force_bound_has_no_part_in_an_impact)
{
    const double dt = 1e-3, F = 3.0;
    tp_scene *scene =
        scene_of("coordinates: [x]\nkinetic: \"1/2*x'^2\"\ncontacts: [{name: stop, gap: \"0.5 - x\", "
                 "restitution: 1}]\n"
                 "laws: [{name: brake, kind: friction, velocity: \"x'\", bound: 3}]\ninitial: {x': 2}\n");
    tp_simulation *simulation = simulate_example(scene, 0.5, dt, 0.5);
    double before = 2.0, impulse[TP_IMPULSE_ROWS];
    int impacts = 0;
    for (int k = 1; k <= 500; k++) {
        step_to(simulation, k * dt);
        for (int i = 0; i < 2; i++) {
            tp_simulation_last_impulse(simulation, i, impulse);
            bool is_brake = strcmp(tp_model_law_name(scene->model, i), "brake") == 0;
            if (is_brake) CHECK(fabs(impulse[0]) <= dt * F + 1e-14);
        }
        double u = tp_simulation_u(simulation)[0];
        if (u < 0.0 && before > 0.0) {
            CHECK_NEAR(u, -before, 2.0 * dt * F);
            impacts++;
        }
        before = u;
    }
    CHECK_INT(impacts, 1);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- orders ---- */

/* Largest difference of positions at the end between a step and half of it. */
static double difference(tp_scene *scene, const char *integrator, double dt, double end, bool of_velocities)
{
    double found[2][16], largest = 0.0;
    tp_model_summary summary = tp_model_summarise(scene->model);
    int n = of_velocities ? summary.velocity_count : summary.coordinate_count;
    for (int k = 0; k < 2; k++) {
        tp_simulation_options options = scene->options;
        options.integrator = integrator;
        options.time_step = dt / (1 << k);
        options.end_time = end;
        tp_simulation *simulation = simulate_options(scene->model, options);
        run(simulation);
        memcpy(found[k], of_velocities ? tp_simulation_u(simulation) : tp_simulation_q(simulation),
               (size_t)n * sizeof(double));
        tp_simulation_free(simulation);
    }
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(found[0][i] - found[1][i]));
    return largest;
}

static double order(const char *example, const char *integrator, double dt, double end, bool of_velocities)
{
    tp_scene *scene = read_example(example, NULL);
    double coarse = difference(scene, integrator, dt, end, of_velocities),
           fine = difference(scene, integrator, 0.5 * dt, end, of_velocities);
    tp_scene_free(scene);
    return log2(coarse / fine);
}

/* (16): a constraint on velocities that no positions replace; Moreau's schemes have order 1 there. The ball
   in a cylinder slips, sticks for 3 ms and slips the other way in the time. */
TEST(order_is_two_with_constraints_on_velocities_and_through_sticking)
{
    CHECK_NEAR(order("variable-transmission", "generalized-alpha", 1e-2, 1.0, false), 2.0, 0.1);
    CHECK_NEAR(order("variable-transmission", "generalized-alpha", 1e-2, 1.0, true), 2.0, 0.1);
    CHECK_NEAR(order("variable-transmission", "symmetric-moreau", 1e-2, 1.0, true), 1.0, 0.1);
    CHECK_NEAR(order("variable-transmission", "moreau", 1e-2, 1.0, true), 1.0, 0.1);
    CHECK_NEAR(order("cylinder-ball", "generalized-alpha", 1e-3, 1.0, false), 2.0, 0.3);
}

/* ---- kinematics ---- */

/* Without laws it is the classical method: the recursion of x'' = f - x - 0.1 x' with its algorithmic
   accelerations, and velocities of their own with B = 1 change nothing. */
TEST(without_laws_it_is_the_classical_method)
{
    static const char *const texts[] = {
        "coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: 1/2*x^2\nforces: {x: \"sin(3*t) - 0.1*x'\"}\n"
        "initial: {x: 1, x': 0.5}\n",
        "coordinates: [x]\nvelocities: [v]\nrates: {x: v}\nmass: {\"v,v\": 1}\n"
        "forces: {v: \"sin(3*t) - 0.1*v - x\"}\ninitial: {x: 1, v: 0.5}\n"};
    const double rho = 0.6, dt = 0.1;
    const tp_alpha_numbers c = tp_alpha_numbers_of(rho);
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(texts[k]);
        tp_simulation *simulation = simulate_example(scene, rho, dt, 5.0);
        double x = 1.0, v = 0.5, a = -x - 0.1 * v, mean = a;
        for (int i = 1; i <= 50; i++) {
            /* a+ from its linear equation: u+ and q+ are affine in it */
            double rest = (c.force * a - c.mass * mean) / (1.0 - c.mass);
            double v0 = v + dt * ((1.0 - c.gamma) * mean + c.gamma * rest),
                   x0 = x + dt * v + dt * dt * ((0.5 - c.beta) * mean + c.beta * rest);
            double next = (sin(3.0 * i * dt) - 0.1 * v0 - x0) /
                          (1.0 + 0.1 * dt * c.gamma * c.c0 + dt * dt * c.beta * c.c0);
            v = v0 + dt * c.gamma * c.c0 * next;
            x = x0 + dt * dt * c.beta * c.c0 * next;
            mean = rest + c.c0 * next;
            a = next;
            step_to(simulation, i * dt);
            CHECK_NEAR(tp_simulation_q(simulation)[0], x, 1e-12);
            CHECK_NEAR(tp_simulation_u(simulation)[0], v, 1e-12);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* ---- closed forms ---- */

/* examples/rotating-ball (4): bounces of a ball up to R + 0.9 e^(2 k), and rest after 3 t1. An impact is off
   by a step, so velocities are by g dt, and heights by v dt; each next one by half of the last and its own.
 */
TEST(bounces_follow_their_sequence_to_its_end)
{
    static const char *const edits[] = {"parameters.omega=0", "parameters.e=0.5"};
    const double dt = 5e-4, t1 = 0.4283529;
    tp_scene *scene = read_edited("rotating-ball", edits, 2);
    tp_simulation *simulation = simulate_example(scene, 0.5, dt, 1.5);
    double peak[4] = {0.0}, end[] = {t1 + t1, 1.5 * t1 + t1, 1.75 * t1 + t1, 1.875 * t1 + t1}, last = 0.0;
    for (int k = 1; k <= 3000; k++) {
        step_to(simulation, k * dt);
        double t = k * dt, y = tp_simulation_q(simulation)[1];
        for (int i = 0; i < 3; i++) {
            if (t > (i == 0 ? t1 : end[i - 1]) + 2.0 * dt && t < end[i] - 2.0 * dt)
                peak[i] = fmax(peak[i], y);
        }
        if (y > 0.1 + 1e-9) last = t;
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(peak[i], 0.1 + 0.9 * pow(0.25, i + 1), 2.0 * 4.2021423 * pow(0.5, i + 1) * dt);
    CHECK_NEAR(last, 1.2850588, 12.0 * dt); /* some ten bounces until they are as short as a step */
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Slip velocity x' + R phi' after the impact of a ball with spin, and what no friction changes. */
static double slip_after_impact(void **check_state_, double omega, double *kept_out)
{
    char edit[64];
    const char *const edits[] = {edit};
    snprintf(edit, sizeof edit, "parameters.omega=%.17g", omega);
    tp_scene *scene = read_edited("rotating-ball", edits, 1);
    tp_simulation *simulation = simulate_example(scene, 0.5, 1e-4, 0.4284);
    run(simulation);
    const double *u = tp_simulation_u(simulation);
    double slip = u[0] + 0.1 * u[2];
    CHECK(u[1] >= -1e-9); /* the impact has been */
    *kept_out = 0.004 * u[2] - 0.1 * u[0];
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return slip;
}

/* Impacts of a spin below (7/2) mu Lambda_N/(m R) = 29.4149962 stick; the weight in the step is 2e-4 of the
   impulse, 0.007 of the spin. J phi' - m R x' stays J omega under any friction. */
TEST(impacts_stick_below_the_limit_of_spin)
{
    double kept;
    CHECK_NEAR(slip_after_impact(check_state_, 29.4149962 - 0.02, &kept), 0.0, 1e-9);
    CHECK_NEAR(kept, 0.004 * (29.4149962 - 0.02), 1e-14);
    CHECK(slip_after_impact(check_state_, 29.4149962 + 0.02, &kept) > 1e-4);
    CHECK_NEAR(kept, 0.004 * (29.4149962 + 0.02), 1e-14);
}

/* examples/painleve-rod: phi'' of the sliding rod. */
static double sliding_rod(double phi, double rate, double *force_out)
{
    double A = 1.0 + 3.0 * cos(phi) * (cos(phi) - 5.0 / 3.0 * sin(phi)), b = -10.0 + rate * rate * sin(phi);
    *force_out = -b / A;
    return 3.0 * (5.0 / 3.0 * sin(phi) - cos(phi)) * *force_out;
}

/* The force of the tip until shortly before the jam, beside Runge-Kutta steps of the sliding rod; flight
   afterwards keeps the spin. Errors of second order: 2e-3 of the force at 8e-4 s, which grows like 1/A. */
TEST(a_rod_slides_as_its_equation_says_until_it_jams_and_flies)
{
    tp_scene *scene = read_example("painleve-rod", NULL);
    const double dt = 8e-4, h = 1e-4;
    tp_simulation *simulation = simulate_example(scene, 0.9, dt, 1.0);
    double phi = 31.0 * acos(-1.0) / 180.0, w = 0.0, force = 0.0, rows[TP_IMPULSE_ROWS], spin = 0.0;
    for (int i = 0; i < 8000; i++) {
        double k1 = sliding_rod(phi, w, &force), w2 = w + 0.5 * h * k1,
               k2 = sliding_rod(phi + 0.5 * h * w, w2, &force), w3 = w + 0.5 * h * k2,
               k3 = sliding_rod(phi + 0.5 * h * w2, w3, &force), w4 = w + h * k3,
               k4 = sliding_rod(phi + h * w3, w4, &force);
        phi += h / 6.0 * (w + 2.0 * w2 + 2.0 * w3 + w4);
        w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    sliding_rod(phi, w, &force);
    CHECK_NEAR(force, 43.0, 0.5); /* two figures */
    for (int k = 1; k <= 1250; k++) {
        step_to(simulation, k * dt);
        tp_simulation_kept_force(simulation, 0, TP_FORCE_LAST, rows);
        const double *u = tp_simulation_u(simulation);
        if (k == 1000) CHECK_NEAR(rows[0], force, 2e-3 * force);
        if (k == 1000) CHECK_NEAR(u[2], w, 2e-3 * w);
        if (k == 1100) spin = u[2]; /* in flight */
        if (k > 1100) CHECK_NEAR(u[2], spin, 1e-12);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* examples/cylinder-ball: rates of (psi, psi', phi') of a ball on the wall; slips with sign s, or rolls. */
static void on_wall(const double y[3], double s, bool is_rolling, double rate[3])
{
    const double d = 0.9, g = 9.81, normal = d * y[1] * y[1] + g * sin(y[0]),
                 friction = is_rolling ? -2.0 / 7.0 * g * cos(y[0]) : -0.1 * normal * s;
    rate[0] = y[1];
    rate[1] = (g * cos(y[0]) + friction) / d;
    rate[2] = 0.1 * friction / 0.004;
}

/* One Runge-Kutta step of h; returns psi' d + R phi' after it. */
static double step_on_wall(double y[3], double h, double s, bool is_rolling)
{
    static const double node[] = {0.0, 0.5, 0.5, 1.0},
                        weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double k[3] = {0.0}, sum[3] = {0.0};
    for (int stage = 0; stage < 4; stage++) {
        double at[3];
        for (int i = 0; i < 3; i++) at[i] = y[i] + node[stage] * h * k[i];
        on_wall(at, s, is_rolling, k);
        for (int i = 0; i < 3; i++) sum[i] += weight[stage] * h * k[i];
    }
    for (int i = 0; i < 3; i++) y[i] += sum[i];
    return 0.9 * y[1] + 0.1 * y[2];
}

/* The ball slips from the start, rolls for about 3 ms on its way up, and slips the other way: the times at
   which it does, beside Runge-Kutta steps, to two steps of the scheme. */
TEST(a_ball_in_a_cylinder_sticks_on_its_way_up)
{
    const double h = 1e-6, dt = 1e-4;
    double y[3] = {0.0}, begin = h, end, first = 0.0, last = 0.0;
    while (step_on_wall(y, h, 1.0, false) > 0.0) begin += h;
    for (end = begin; 2.0 / 7.0 * 9.81 * fabs(cos(y[0])) <= 0.1 * (0.9 * y[1] * y[1] + 9.81 * sin(y[0]));
         end += h)
        step_on_wall(y, h, 0.0, true);
    CHECK_NEAR(begin, 0.76, 0.005);
    CHECK_NEAR(end - begin, 0.003, 0.0005);
    tp_scene *scene = read_example("cylinder-ball", NULL);
    tp_simulation *simulation = simulate_example(scene, 0.5, dt, 0.8);
    for (int k = 1; k <= 8000; k++) {
        step_to(simulation, k * dt);
        const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
        double slip = ((1.0 - q[1]) * u[0] + q[0] * u[1]) / hypot(q[0], q[1] - 1.0) + 0.1 * u[2];
        if (fabs(slip) > 1e-9) continue;
        if (first == 0.0) first = k * dt;
        last = k * dt;
    }
    CHECK_NEAR(first, begin, 2.0 * dt);
    CHECK_NEAR(last, end, 2.0 * dt);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* A body free of moments keeps its angular momentum in space to O(dt^2). */
static double momentum_change(double dt)
{
    tp_scene *scene =
        scene_of("bodies: [{name: b, mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 1.5]}]\n");
    tp_simulation *simulation = simulate_example(scene, 0.8, dt, 2.0);
    run(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    tp_vec3 L = tp_quat_rotate((tp_quat){q[3], q[4], q[5], q[6]}, tp_vec3_make(u[3], 2.0 * u[4], 3.0 * u[5]));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return tp_vec3_norm(tp_vec3_sub(L, tp_vec3_make(1.0, 4.0, 4.5)));
}

TEST(a_free_body_keeps_its_angular_momentum_to_second_order)
{
    CHECK_NEAR(log2(momentum_change(0.02) / momentum_change(0.01)), 2.0, 0.15);
}

/* Both spheres of the tippe top carry its weight in the mean: the momentum changes by what they and gravity
   give, exactly with constant M and h. */
TEST(contacts_of_a_top_carry_its_weight_in_the_mean)
{
    tp_scene *scene = read_example("tippe-top", NULL);
    const double dt = 1e-3, weight = 6e-3 * 9.81;
    tp_simulation *simulation = simulate_example(scene, 0.5, dt, 1.0);
    double sum = 0.0;
    for (int k = 1; k <= 1000; k++) {
        step_to(simulation, k * dt);
        for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
            double impulse[TP_IMPULSE_ROWS];
            tp_simulation_last_impulse(simulation, i, impulse);
            sum += impulse[0];
        }
    }
    double change = 6e-3 * tp_simulation_u(simulation)[2];
    CHECK_NEAR(sum - change, weight * 1.0, 1e-10 * weight);
    CHECK(fabs(change) < 1e-2 * weight);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

typedef struct energies {
    double start, end, swing;
} energies;

static bool see_energy(void *context, const tp_simulation *simulation)
{
    energies *e = context;
    e->end = tp_simulation_last_step(simulation)->energy;
    if (tp_simulation_time(simulation) == 0.0) e->start = e->end;
    e->swing = fmax(e->swing, fabs(e->end - e->start));
    return true;
}

static energies double_pendulum_energies(void **check_state_, const char *step, const char *rho)
{
    const char *edits[] = {"simulate.integrator=generalized-alpha", "simulate.until=4", step, rho};
    energies seen = {0.0, 0.0, 0.0};
    tp_scene *scene = read_edited("double-pendulum", edits, 4);
    tp_simulation *simulation = simulate_scene(scene);
    CHECK_INT(tp_simulation_run(simulation, see_energy, &seen, NULL), TP_OK);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return seen;
}

/* The rest of an order of two is one of the step: 0.05 at these steps. A scheme that damps takes energy, the
   more the smaller its spectral radius. */
TEST(energy_swings_by_the_square_of_the_step_and_falls_faster_with_more_damping)
{
    static const char *const rho[] = {"simulate.alpha_rho=0", "simulate.alpha_rho=0.8"};
    energies fine[2];
    for (int k = 0; k < 2; k++) {
        energies coarse = double_pendulum_energies(check_state_, "simulate.dt=2e-3", rho[k]);
        fine[k] = double_pendulum_energies(check_state_, "simulate.dt=1e-3", rho[k]);
        CHECK_NEAR(log2(coarse.swing / fine[k].swing), 2.0, 0.05);
        CHECK(fine[k].end < fine[k].start);
    }
    CHECK(fine[0].end < fine[1].end);
}

TEST_MAIN(RUNS(energy_swings_by_the_square_of_the_step_and_falls_faster_with_more_damping),
          RUNS(laws_hold_on_all_levels_after_every_step),
          RUNS(tangential_restitution_turns_the_slip_of_an_impact),
          RUNS(friction_with_a_force_bound_has_no_part_in_an_impact),
          RUNS(order_is_two_with_constraints_on_velocities_and_through_sticking),
          RUNS(without_laws_it_is_the_classical_method), RUNS(bounces_follow_their_sequence_to_its_end),
          RUNS(impacts_stick_below_the_limit_of_spin),
          RUNS(a_rod_slides_as_its_equation_says_until_it_jams_and_flies),
          RUNS(a_ball_in_a_cylinder_sticks_on_its_way_up),
          RUNS(a_free_body_keeps_its_angular_momentum_to_second_order),
          RUNS(contacts_of_a_top_carry_its_weight_in_the_mean))
