/* What theory/bodies.md (12)-(20) and theory/consistent.md (34)-(40) claim of the scalable body: its free
   motion in closed form, energy, joints and springs on it, and that |p| = 1 makes it the rigid body. */
#include "benches.h"

#include <float.h>

static const double *q_of(const bench *b)
{
    return tp_simulation_q(b->simulation);
}

static double size_of(const bench *b)
{
    const double *p = q_of(b) + 3;
    return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
}

/* --- free motion: inertia (1, 1, 2), w = (0.6, 0, 1.5), size 1.2, rate 0.3 */

static const char free_body[] =
    "bodies: [{name: b, type: scalable, mass: 1, inertia: [1, 1, 2], size: 1.2, size_rate: 0.3,\n"
    "          angular_velocity: [0.6, 0, 1.5]}]\n";

typedef struct free_motion {
    double size;
    tp_quat p;
} free_motion;

/* s^2 = s0^2 + 2 s0 nu0 t + (4 E/tr J) t^2; w = s omega moves as that of a rigid body in the time tau, the
   integral of 1/s^2; (20). */
static free_motion exact_motion(double t)
{
    const double J1 = 1.0, J3 = 2.0, s0 = 1.2, nu = 0.3, trace = 4.0;
    double a = s0 * s0 * 0.6, n = s0 * s0 * 1.5; /* w = s omega = s^2 times the angular velocity */
    double E = 0.25 * trace * nu * nu + 0.5 * (J1 * a * a + J3 * n * n) / (s0 * s0);
    double A = s0 * s0, B = 2.0 * s0 * nu, C = 4.0 * E / trace, root = sqrt(4.0 * A * C - B * B);
    double tau = 2.0 / root * (atan((2.0 * C * t + B) / root) - atan(B / root));
    double L = hypot(J1 * a, J3 * n), k = (J3 - J1) / J1 * n;
    double c = cos(0.5 * L / J1 * tau), s = sin(0.5 * L / J1 * tau) / L, d = cos(0.5 * k * tau),
           e = -sin(0.5 * k * tau);
    double size = sqrt(A + B * t + C * t * t);
    tp_quat unit =
        tp_quat_make(c * d - s * J3 * n * e, s * J1 * a * d, -s * J1 * a * e, c * e + s * J3 * n * d);
    return (free_motion){size, tp_quat_scale(sqrt(size), unit)};
}

/* Largest error of the quaternion at 1 s. */
static double free_error(const char *integrator, bool at_begin, double dt, int steps)
{
    bench b = open_rotation_bench(free_body, integrator, at_begin, dt);
    run_steps(b.simulation, steps, dt);
    const double *p = q_of(&b) + 3;
    free_motion exact = exact_motion(1.0);
    double error = fmax(fmax(fabs(p[0] - exact.p.w), fabs(p[1] - exact.p.x)),
                        fmax(fabs(p[2] - exact.p.y), fabs(p[3] - exact.p.z)));
    close_bench(&b);
    return error;
}

TEST(a_free_scalable_body_moves_as_the_closed_form_says_with_the_order_of_each_scheme)
{
    static const struct {
        const char *integrator;
        bool at_begin;
        double order;
    } cases[] = {{"consistent", false, 2.0},
                 {"consistent", true, 1.0},
                 {"consistent-elastic", false, 2.0},
                 {"consistent-two-step", false, 2.0},
                 {"consistent-two-step", true, 1.0},
                 {"consistent-hybrid", false, 2.0},
                 {"moreau", false, 1.0},
                 {"moreau-jean", false, 2.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double error[3];
        for (int n = 0; n < 3; n++)
            error[n] = free_error(cases[k].integrator, cases[k].at_begin, 0.01 / (1 << n), 100 << n);
        double order = log2(error[0] / error[1]), finer = log2(error[1] / error[2]);
        CHECK_NEAR(2.0 * finer - order, cases[k].order, 0.02); /* without the term of the next order */
        CHECK(error[0] < (cases[k].order < 1.5 ? 2e-2 : 1e-4));
    }
}

TEST(energy_of_a_free_scalable_body_is_kept_to_rounding_in_ten_thousand_steps)
{
    for (int at_begin = 0; at_begin < 2; at_begin++) {
        bench b = open_rotation_bench(free_body, "consistent", at_begin != 0, 1e-3);
        run_steps(b.simulation, 10000, 1e-3);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        /* a few roundings of 4.1 J in a step, which do not add up in one direction */
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e4 * DBL_EPSILON * report->energy_initial);
        CHECK(report->largest_energy_increase < 8.0 * DBL_EPSILON * report->energy_initial);
        CHECK(size_of(&b) > 10.0);
        close_bench(&b);
    }
}

/* --- with the joint |p|^2 = 1 it is rigid */

#define CONSTRAINED "constraints: [{name: norm, position: \"b.p0^2 + b.p1^2 + b.p2^2 + b.p3^2 - 1\"}]\n"
#define TURNING     "mass: 1, inertia: [1, 2, 2.5], angular_velocity: [0.5, 2, 0.8]"
static const char rigid_free[] = "bodies: [{name: b, " TURNING "}]\n";
static const char held_free[] = "bodies: [{name: b, type: scalable, " TURNING "}]\n" CONSTRAINED;

#define TOP                                                                                                  \
    "mass: 1, inertia: [0.1, 0.12, 0.05], position: [0.3, 0, 0.4], velocity: [0, 1, 0],\n"                   \
    "          angular_velocity: [-1.6, 0, 2.1333333333333333]"
#define TIP "joints: [{name: tip, type: spherical, bodies: [ground, b], point: [0, 0, 0]}]\n"
#define AIR                                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "springs: [{name: string, bodies: [ground, b], points: [[1, 0, 1], [0.1, 0.2, 0.3]],\n"                  \
    "           stiffness: 20, rest_length: 0.5, damping: 0.3}]\n"                                           \
    "simulate: {project_initial_state: true}\n"
static const char rigid_top[] = "bodies: [{name: b, " TOP "}]\n" TIP AIR;
static const char held_top[] = "bodies: [{name: b, type: scalable, " TOP "}]\n" TIP CONSTRAINED AIR;

/* Largest difference of the positions of both at 1 s; the size is held. */
static double largest_difference(void **check_state_, const char *rigid, const char *held, bool at_begin,
                                 int steps)
{
    const double dt = 1.0 / steps;
    bench a = open_rotation_bench(rigid, "consistent", at_begin, dt),
          b = open_rotation_bench(held, "consistent", at_begin, dt);
    run_steps(a.simulation, steps, dt);
    run_steps(b.simulation, steps, dt);
    double largest = 0.0;
    for (int i = 0; i < 7; i++) largest = fmax(largest, fabs(q_of(&b)[i] - q_of(&a)[i]));
    CHECK_NEAR(tp_simulation_u(b.simulation)[3], 0.0, 1e-12);
    CHECK_NEAR(size_of(&b), 1.0, 1e-13);
    close_bench(&a);
    close_bench(&b);
    return largest;
}

/* 16 unknowns instead of 12, the same motion: that is what (28) and (32) promise. Springs are taken at frames
   of unit size in the middle by the reduced form, at those of the size |pm|^2 by the other: second order. */
TEST(held_at_unit_size_it_moves_as_the_rigid_body_in_both_variants)
{
    for (int at_begin = 0; at_begin < 2; at_begin++) {
        CHECK(largest_difference(check_state_, rigid_free, held_free, at_begin != 0, 100) < 1e-12);
        double coarse = largest_difference(check_state_, rigid_top, held_top, at_begin != 0, 100),
               fine = largest_difference(check_state_, rigid_top, held_top, at_begin != 0, 200);
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.2); /* and terms of third order */
        CHECK(coarse < 1e-4);
    }
}

/* The impulse of the norm is the multiplier of the specification; docs/theory/consistent.md (33). */
TEST(the_reaction_of_unit_size_has_the_figures_of_the_specification)
{
    static const double dts[] = {0.02, 0.01, 0.005}, figures[] = {-9.851081, -9.850270, -9.850068};
    for (int k = 0; k < 3; k++) {
        bench b = open_rotation_bench(held_free, "consistent", true, dts[k]);
        run_steps(b.simulation, 1, dts[k]);
        double reaction[TP_IMPULSE_ROWS];
        CHECK_INT(tp_simulation_last_impulse(b.simulation, 0, reaction), 1);
        CHECK_NEAR(reaction[0] / dts[k], figures[k], 0.5e-6);
        close_bench(&b);
    }
}

/* --- joints, springs and contacts while the size changes */

static const char breathing[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: b, type: scalable, mass: 1, inertia: [0.1, 0.12, 0.05], position: [0.3, 0, 0.4], size: 0.9,\n"
    "     size_rate: 0.2, angular_velocity: [-1.6, 0.4, 2.1]}\n"
    "joints: [{name: tip, type: spherical, bodies: [ground, b], point: [0, 0, 0]}]\n"
    "potential: \"40*(b.p0^2 + b.p1^2 + b.p2^2 + b.p3^2 - 1)^2\"\n"
    "springs: [{name: string, bodies: [ground, b], points: [[1, 0, 1], [0.1, 0.2, 0.3]],\n"
    "          stiffness: 20, rest_length: 0.5}]\n"
    "simulate: {project_initial_state: true}\n";

TEST(energy_and_joints_are_kept_while_the_size_changes)
{
    for (int at_begin = 0; at_begin < 2; at_begin++) {
        bench b = open_rotation_bench(breathing, "consistent", at_begin != 0, 0.005);
        double least = 1.0, largest = 1.0;
        for (int k = 1; k <= 400; k++) {
            step_to(b.simulation, k * 0.005);
            least = fmin(least, size_of(&b));
            largest = fmax(largest, size_of(&b));
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(largest - least > 0.1);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
        CHECK(report->position_drift < 1e-13);
        CHECK(rate_drift(report) < 1e-12);
        close_bench(&b);
    }
}

static const char bouncing[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: b, type: scalable, mass: 1, inertia: [0.1, 0.12, 0.05], position: [0, 0, 1],\n"
    "          angular_velocity: [1, 0.4, 2]}]\n"
    "definitions: {height: \"b.z + 0.2*(b.p0^2 - b.p1^2 - b.p2^2 + b.p3^2)\"}\n"
    "potential: \"40*(b.p0^2 + b.p1^2 + b.p2^2 + b.p3^2 - 1)^2\"\n"
    "contacts: [{name: floor, gap: \"height\", restitution: 1}]\n";

TEST(elastic_contacts_given_by_formulas_keep_energy_and_gaps)
{
    static const char *const integrators[] = {"consistent-elastic", "consistent-two-step"};
    for (int k = 0; k < 2; k++) {
        bench b = open_rotation_bench(bouncing, integrators[k], k == 1, 0.002);
        run_steps(b.simulation, 1000, 0.002);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(report->impacts > 0);
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-11);
        close_bench(&b);
    }
}

/* --- what is refused */

static void check_refused(void **check_state_, const char *text, const char *integrator, const char *part)
{
    tp_scene *scene = NULL;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_status status = tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why);
    if (status == TP_OK) {
        tp_simulation_options options = scene->options;
        options.integrator = integrator;
        status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    }
    CHECK(status != TP_OK);
    if (strstr(why.text, part) == NULL) fail_msg("'%s' does not say '%s'", why.text, part);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

#define BODY(rest) "bodies: [{name: b, type: scalable, mass: 1, inertia: [1, 2, 2.5]" rest "}]\n"

TEST(what_a_scalable_body_cannot_do_is_refused_with_the_reason)
{
    check_refused(check_state_, free_body, "consistent-quaternion", "changes its size");
    check_refused(check_state_, free_body, "consistent-quaternion-two-step",
                  "moves quaternions of unit length");
    check_refused(check_state_, free_body, "schatzman-paoli", "which quaternions do not have");
    check_refused(check_state_, free_body, "consistent-position",
                  "needs coordinates whose rates are velocities");
    check_refused(check_state_, BODY(", size: 0"), "moreau", "s.yaml:1:73");
    check_refused(check_state_, BODY(", size: -1"), "moreau", "s.yaml:1:73");
    check_refused(check_state_, BODY(", size: .nan"), "moreau", "s.yaml:1:73");
    check_refused(check_state_, BODY(", size_rate: 1e999"), "moreau", "s.yaml:1");
    check_refused(check_state_, BODY(", shapes: [{type: sphere, radius: 1}]"), "moreau",
                  "shapes do not change their size");
    check_refused(check_state_, BODY("") "initial: {b.p0: 0}\n", "moreau",
                  "the initial quaternion has the size 0");
    check_refused(check_state_, BODY(", density: 3"), "moreau", "density");
    check_refused(check_state_, "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], size: 2}]\n", "moreau",
                  "size");
    check_refused(check_state_, "bodies: [{name: b, type: scalable, mass: 1}]\n", "moreau", "inertia");
    check_refused(check_state_, "bodies: [{name: b, type: scalable, mass: 1, inertia: [1, 1, 3]}]\n",
                  "moreau", "no body has the principal moments");
}

TEST(the_interface_refuses_sizes_that_are_no_sizes_and_shapes)
{
    const double sizes[] = {0.0, -1.0, NAN, INFINITY};
    for (int k = 0; k < 5; k++) {
        tp_model *model = NULL;
        CHECK_INT(tp_model_create(NULL, &model), TP_OK);
        tp_body_def def = tp_body_def_default();
        def.kind = TP_BODY_SCALABLE;
        def.mass = 1.0;
        def.inertia = tp_mat3_identity();
        if (k < 4) def.size = sizes[k];
        CHECK_INT(tp_model_add_body(model, &def), k < 4 ? TP_INVALID_DATA : TP_OK);
        tp_shape_def shape = tp_shape_def_default();
        shape.name = "ball";
        shape.body = def.name;
        shape.solid = tp_solid_sphere(0.1);
        if (k == 4) CHECK_INT(tp_model_add_shape(model, &shape), TP_INVALID_DATA);
        tp_model_free(model);
    }
}

TEST_MAIN(RUNS(a_free_scalable_body_moves_as_the_closed_form_says_with_the_order_of_each_scheme),
          RUNS(energy_of_a_free_scalable_body_is_kept_to_rounding_in_ten_thousand_steps),
          RUNS(held_at_unit_size_it_moves_as_the_rigid_body_in_both_variants),
          RUNS(the_reaction_of_unit_size_has_the_figures_of_the_specification),
          RUNS(energy_and_joints_are_kept_while_the_size_changes),
          RUNS(elastic_contacts_given_by_formulas_keep_energy_and_gaps),
          RUNS(what_a_scalable_body_cannot_do_is_refused_with_the_reason),
          RUNS(the_interface_refuses_sizes_that_are_no_sizes_and_shapes))
