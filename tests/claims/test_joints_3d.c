/* Joints in space: errors with projection, orders, reactions of least norm, dry friction;
   docs/theory/joints.md, moreau.md, moreau-jean.md. The long runs are in tests/long. */
#include "mechanisms.h"

#include "joint_errors.h"
#include "math/analysis.h"
#include "rows.h"

#include <float.h>

static const double gravity = 9.81;

/* ---- errors of joints ---- */

enum { STEPS = 10000 };

TEST(projected_joints_are_off_by_at_most_1e_minus_12_over_ten_thousand_steps)
{
    for (int kind = TP_PROJECTION_VELOCITIES; kind <= TP_PROJECTION_COORDINATES; kind++) {
        for (int scheme = 0; scheme < 2; scheme++) {
            const char *name = scheme == 0 ? "moreau" : "moreau-jean";
            CHECK(errors_of_pendulum(name, (tp_projection_kind)kind, STEPS).position <= 1e-12);
        }
        const char *name = kind == TP_PROJECTION_VELOCITIES ? "moreau" : "moreau-jean";
        joint_errors loop = errors_of_loop(name, (tp_projection_kind)kind, STEPS);
        CHECK(loop.position <= 1e-12 && loop.angle <= 1e-12);
    }
    /* and without it they are not: the test above can fail */
    CHECK(errors_of_pendulum("moreau", TP_PROJECTION_NONE, 1000).position > 1e-6);
}

/* The row |p| - 1 = 0 is part of Newton's step, so quaternions are off unit length on the way and corrections
   are measured there: after a long step, in which the joint opens by 0.1 m, both ways close it, at points
   that differ by the fourth power of the turn. */
TEST(projections_of_velocities_and_of_coordinates_close_a_joint_at_different_points)
{
    double q[2][7], off[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        tp_projection_kind kind = k == 0 ? TP_PROJECTION_VELOCITIES : TP_PROJECTION_COORDINATES;
        tp_simulation *simulation = simulate_pendulum("moreau-jean", kind, 0.8, 0.8);
        run(simulation);
        memcpy(q[k], tp_simulation_q(simulation), sizeof q[k]);
        CHECK(tp_simulation_report(simulation)->position_drift <= 1e-12);
        CHECK_NEAR(tp_quat_norm(tp_quat_at(q[k] + 3)), 1.0, 1e-12);
        free_simulation(simulation);
    }
    tp_simulation *simulation = simulate_pendulum("moreau-jean", TP_PROJECTION_NONE, 0.8, 0.8);
    run(simulation);
    for (int i = 0; i < 7; i++) {
        off[0] = fmax(off[0], fabs(q[1][i] - q[0][i]));
        off[1] = fmax(off[1], fabs(tp_simulation_q(simulation)[i] - q[0][i]));
    }
    free_simulation(simulation);
    CHECK(off[0] > 100 * DBL_EPSILON); /* not the same computation */
    CHECK(off[0] < pow(off[1], 3.0));
}

/* ---- orders ---- */

/* S6: a spherical pendulum by Euler's equations about its fixed point, classical Runge-Kutta on (p, w). */
typedef struct spin {
    tp_quat p;
    tp_vec3 w;
} spin;

static const double pendulum_mass = 2.0;

static spin spin_rate(spin s)
{
    tp_vec3 arm = tp_vec3_make(0.0, 0.0, -1.0), I = tp_vec3_make(0.3 + 2.0, 0.3 + 2.0, 0.1);
    tp_vec3 weight = tp_quat_rotate_back(s.p, tp_vec3_make(0.0, 0.0, -pendulum_mass * gravity));
    tp_vec3 L = tp_vec3_make(I.x * s.w.x, I.y * s.w.y, I.z * s.w.z);
    tp_vec3 M = tp_vec3_sub(tp_vec3_cross(arm, weight), tp_vec3_cross(s.w, L));
    return (spin){tp_quat_rate(s.p, s.w), tp_vec3_make(M.x / I.x, M.y / I.y, M.z / I.z)};
}

static spin spin_add(spin s, double h, spin d)
{
    return (spin){tp_quat_add(s.p, tp_quat_scale(h, d.p)), tp_vec3_add_scaled(s.w, h, d.w)};
}

/* Centre of mass at T = 2 s. */
static tp_vec3 pendulum_reference(void)
{
    spin s = {tp_quat_exp(tp_vec3_make(0.8, 0.0, 0.0)), tp_vec3_make(0.2, 0.5, 1.0)};
    const double h = 1e-4;
    for (int k = 0; k < 20000; k++) {
        spin a = spin_rate(s), b = spin_rate(spin_add(s, 0.5 * h, a)), c = spin_rate(spin_add(s, 0.5 * h, b)),
             d = spin_rate(spin_add(s, h, c));
        s = spin_add(spin_add(spin_add(spin_add(s, h / 6.0, a), h / 3.0, b), h / 3.0, c), h / 6.0, d);
        s.p = tp_quat_normalise(s.p);
    }
    return tp_quat_rotate(s.p, tp_vec3_make(0.0, 0.0, -1.0));
}

static double pendulum_error(const char *integrator, tp_projection_kind projection, double dt, tp_vec3 exact)
{
    tp_simulation *simulation = simulate_pendulum(integrator, projection, dt, 2.0);
    run(simulation);
    const double *q = tp_simulation_q(simulation);
    double error = tp_vec3_norm(tp_vec3_sub(tp_vec3_make(q[0], q[1], q[2]), exact));
    free_simulation(simulation);
    return error;
}

/* Observed on halved steps; terms of second order change the ratio by a few per cent at these steps. */
TEST(with_joints_both_schemes_are_of_first_order)
{
    tp_vec3 exact = pendulum_reference();
    for (int scheme = 0; scheme < 2; scheme++) {
        for (int kind = TP_PROJECTION_NONE; kind <= TP_PROJECTION_COORDINATES; kind++) {
            const char *name = scheme == 0 ? "moreau" : "moreau-jean";
            double e1 = pendulum_error(name, (tp_projection_kind)kind, 1e-3, exact),
                   e2 = pendulum_error(name, (tp_projection_kind)kind, 5e-4, exact);
            CHECK_NEAR(log2(e1 / e2), 1.0, 0.1);
        }
    }
}

/* ---- reactions of least norm ---- */

enum { MOST_ROWS = 32, MOST_VELOCITIES = 24 };

/* G P = -c of the first step of moreau, solved by singular values: the least norm of all solutions. */
static int least_norm_reactions(tp_model *model, double dt, double *P_out)
{
    tp_system *system = make_system(model);
    int m = system->u_count, rows = 0;
    double q[64], none[MOST_VELOCITIES] = {0.0}, W[MOST_ROWS * MOST_VELOCITIES], chi[MOST_ROWS];
    memcpy(q, model->q0, (size_t)system->q_count * sizeof(double));
    tp_system_move(system, 0.5 * dt, q, none); /* at rest the middle of the step is its start */
    for (int i = 0; i < model->laws.count; i++) {
        full_rows(system, i, W + rows * m, chi + rows);
        rows += TP_LIST_AT(model->laws, tp_law, i)->row_count;
    }
    double M[MOST_VELOCITIES * MOST_VELOCITIES] = {0.0}, mass[256], h[MOST_VELOCITIES];
    tp_system_mass(system, mass);
    tp_system_force(system, h);
    const tp_sparse *pattern = &system->mass_pattern;
    for (int j = 0; j < m; j++) { /* diagonal: the inertia of the test's bodies is */
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            if (pattern->index[k] == j) M[j] = mass[k];
    }
    double G[MOST_ROWS * MOST_ROWS], c[MOST_ROWS];
    for (int a = 0; a < rows; a++) {
        c[a] = -chi[a];
        for (int j = 0; j < m; j++) c[a] -= W[j + a * m] * dt * h[j] / M[j];
        for (int b = 0; b < rows; b++) {
            G[a + b * rows] = 0.0;
            for (int j = 0; j < m; j++) G[a + b * rows] += W[j + a * m] * W[j + b * m] / M[j];
        }
    }
    int rank;
    if (tp_analysis_least_squares(NULL, rows, rows, G, c, 1e-10, P_out, &rank) != TP_OK) fail();
    tp_system_free(system);
    return rows - rank;
}

/* Rounding leaves a part eps/shift = 2e-16/1e-8 of the reactions in the directions that do not matter. */
TEST(redundant_joints_get_the_reactions_of_least_norm)
{
    const double dt = 1e-3;
    tp_model *model = loop_model(0.0);
    double P[MOST_ROWS], found[TP_IMPULSE_ROWS], size = 0.0, off = 0.0;
    int redundant = least_norm_reactions(model, dt, P), row = 0;
    CHECK_INT(redundant, 3);
    tp_simulation *simulation = simulate(model, dt, dt);
    run(simulation);
    for (int i = 0; i < model->laws.count; i++) {
        int rows = tp_simulation_last_impulse(simulation, i, found);
        for (int k = 0; k < rows; k++, row++) {
            size = fmax(size, fabs(P[row]));
            off = fmax(off, fabs(P[row] - found[k]));
        }
    }
    CHECK(size > 1e-3);
    CHECK(off <= 1e-7 * size);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* ---- dry friction ---- */

/* A body on a joint to the ground, its centre of mass in the joint, friction mu = 0.3 with radius 0.1 m where
   it turns, pulled by `load` along the axis (0.6, 0, 0.8), which is horizontal: the reaction is the weight.
 */
static tp_model *rubbing(tp_joint_kind kind, const char *along_x, const char *along_z)
{
    tp_model *model = new_model();
    tp_body_def body = tp_body_def_default();
    body.name = "body";
    body.mass = 2.0;
    body.inertia = tp_mat3_diagonal(tp_vec3_make(0.5, 0.5, 0.5));
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.0, -gravity, 0.0), &build_why));
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    add_joint(model, kind, "joint", "ground", "body", tp_vec3_zero(), tp_vec3_make(0.6, 0.0, 0.8));
    tp_joint_friction_def friction = tp_joint_friction_def_default();
    friction.name = "friction";
    friction.joint = "joint";
    friction.coefficient = 0.3;
    friction.radius = 0.1;
    must(model, tp_model_add_joint_friction(model, &friction, NULL, &build_why));
    tp_wrench_def load = tp_wrench_def_default();
    load.name = "load";
    load.body = "body";
    tp_function *on = kind == TP_JOINT_PRISMATIC ? load.force : load.moment;
    on[0] = TP_FORMULA(along_x);
    on[2] = TP_FORMULA(along_z);
    must(model, tp_model_add_wrench(model, &load, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Velocity along the axis after n steps of 1e-3 s with a load that is `part` of the bound. */
static double rubbed_speed(tp_joint_kind kind, double part, int steps, const char *integrator,
                           double *moved_out)
{
    bool slides = kind == TP_JOINT_PRISMATIC;
    double load = part * 0.3 * 2.0 * gravity * (slides ? 1.0 : 0.1);
    char x[32], z[32];
    snprintf(x, sizeof x, "%.17g", 0.6 * load);
    snprintf(z, sizeof z, "%.17g", 0.8 * load);
    tp_model *model = rubbing(kind, x, z);
    tp_simulation_options options = tp_simulation_options_default();
    options.integrator = integrator;
    options.end_time = 1e-3 * steps;
    tp_simulation *simulation = simulate_options(model, options);
    run(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    int first = slides ? 0 : 3;
    double speed = 0.6 * u[first] + 0.8 * u[first + 2];
    *moved_out = 0.0;
    for (int i = 0; i < 7; i++) *moved_out = fmax(*moved_out, fabs(q[i] - model->q0[i]));
    tp_simulation_free(simulation);
    tp_model_free(model);
    return speed;
}

static const tp_joint_kind rubbing_kinds[] = {TP_JOINT_REVOLUTE, TP_JOINT_PRISMATIC, TP_JOINT_SPHERICAL};

TEST(friction_in_joints_holds_a_load_below_its_bound_without_creep)
{
    for (size_t k = 0; k < 3; k++) {
        for (int scheme = 0; scheme < 2; scheme++) {
            double moved;
            rubbed_speed(rubbing_kinds[k], 0.9, 10000, scheme == 0 ? "moreau" : "moreau-jean", &moved);
            CHECK(moved <= 1e-12);
        }
    }
}

/* (load - bound)/inertia is constant: integrated exactly, up to the rounding of 1000 steps. */
TEST(above_the_bound_joints_accelerate_by_what_friction_leaves)
{
    for (size_t k = 0; k < 3; k++) {
        bool slides = rubbing_kinds[k] == TP_JOINT_PRISMATIC;
        double bound = 0.3 * 2.0 * gravity * (slides ? 1.0 : 0.1), inertia = slides ? 2.0 : 0.5, moved;
        for (int scheme = 0; scheme < 2; scheme++) {
            double speed =
                rubbed_speed(rubbing_kinds[k], 1.5, 1000, scheme == 0 ? "moreau" : "moreau-jean", &moved);
            CHECK_NEAR(speed, 0.5 * bound / inertia, 1e-10);
        }
    }
}

TEST(friction_that_follows_redundant_reactions_is_warned_of)
{
    tp_model *free_of = loop_model(0.0), *rubs = loop_model(0.2);
    tp_simulation *quiet = simulate(free_of, 1e-3, 0.1), *warned = simulate(rubs, 1e-3, 0.1);
    CHECK_INT(tp_simulation_report(quiet)->warning_count, 0);
    CHECK_INT(tp_simulation_report(warned)->warning_count, 1);
    CHECK(strcmp(tp_simulation_report(warned)->warnings[0].name, "reactions-not-unique") == 0);
    CHECK(strstr(tp_simulation_report(warned)->warnings[0].text, "least norm") != NULL);
    run(warned);
    tp_simulation_free(quiet);
    tp_simulation_free(warned);
    tp_model_free(free_of);
    tp_model_free(rubs);
}

TEST_MAIN(RUNS(projected_joints_are_off_by_at_most_1e_minus_12_over_ten_thousand_steps),
          RUNS(projections_of_velocities_and_of_coordinates_close_a_joint_at_different_points),
          RUNS(with_joints_both_schemes_are_of_first_order),
          RUNS(redundant_joints_get_the_reactions_of_least_norm),
          RUNS(friction_in_joints_holds_a_load_below_its_bound_without_creep),
          RUNS(above_the_bound_joints_accelerate_by_what_friction_leaves),
          RUNS(friction_that_follows_redundant_reactions_is_warned_of))
