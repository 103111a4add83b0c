/* The linearisation of the consistent step against differences of F and xi: theory/consistent.md (19), (20).
   Random states, off the joints, with random multipliers, for all schemes and for bodies in both variants. */
#include "check.h"
#include "integrator/consistent_laws.h"
#include "simulation/inside.h"
#include "tippe/tippe.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

typedef struct bench {
    tp_scene *scene;
    tp_simulation *simulation;
    tp_arena arena;
    tp_consistent_step *step;
    tp_inclusion inclusion;
    int x_count, row_count;
    double q[MOST], u[MOST], u_before[MOST];
} bench;

typedef struct scheme {
    const char *integrator;
    tp_consistent_scheme kind;
    bool at_begin, directions_at_start, is_affine;
} scheme;

static const scheme consistent = {
    "consistent", {TP_CONSISTENT_JOINTS_ONLY, true, TP_TURN_SCALABLE}, false, false, false};
static const scheme at_begin = {
    "consistent", {TP_CONSISTENT_JOINTS_ONLY, true, TP_TURN_SCALABLE}, true, false, false};
static const scheme two_step = {
    "consistent-two-step", {TP_CONSISTENT_DISPLACEMENTS, true, TP_TURN_SCALABLE}, false, false, false};
static const scheme two_step_begin = {
    "consistent-two-step", {TP_CONSISTENT_DISPLACEMENTS, true, TP_TURN_SCALABLE}, true, true, false};
static const scheme hybrid = {
    "consistent-hybrid", {TP_CONSISTENT_VELOCITIES, true, TP_TURN_SCALABLE}, false, false, false};
static const scheme position_affine = {
    "consistent-position", {TP_CONSISTENT_JOINTS_ONLY, false, TP_TURN_SCALABLE}, false, false, true};
static const scheme consistent_affine = {
    "consistent", {TP_CONSISTENT_JOINTS_ONLY, true, TP_TURN_SCALABLE}, false, false, true};
static const scheme two_step_affine = {
    "consistent-two-step", {TP_CONSISTENT_DISPLACEMENTS, true, TP_TURN_SCALABLE}, false, false, true};
static const scheme hybrid_affine = {
    "consistent-hybrid", {TP_CONSISTENT_VELOCITIES, true, TP_TURN_SCALABLE}, false, false, true};
static const scheme quaternion_two_step = {"consistent-quaternion-two-step",
                                           {TP_CONSISTENT_DISPLACEMENTS, false, TP_TURN_CAYLEY},
                                           false,
                                           false,
                                           false};

static const scheme quaternion = {
    "consistent-quaternion", {TP_CONSISTENT_IMPULSES, false, TP_TURN_CAYLEY}, false, false, false};

static bench open_bench(const char *text, const scheme *s)
{
    bench b = {0};
    tp_message why = {""};
    if (tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &b.scene, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_simulation_options options = b.scene->options;
    options.integrator = s->integrator;
    options.consistent.bodies = s->is_affine ? TP_CONSISTENT_AFFINE : TP_CONSISTENT_SCALABLE;
    if (tp_simulation_create(NULL, b.scene->model, &options, &b.simulation, &why) != TP_OK)
        fail_msg("%s", why.text);
    tp_arena_init(&b.arena, tp_allocator_default());
    if (tp_consistent_step_create(&b.simulation->stepper, &b.arena, &s->kind, &b.step) != TP_OK) fail();
    b.step->midpoint->is_at_begin = s->at_begin;
    b.step->directions_at_start = s->directions_at_start;
    b.inclusion = tp_consistent_step_inclusion(b.step);
    return b;
}

static void close_bench(bench *b)
{
    tp_arena_clear(&b->arena);
    tp_simulation_free(b->simulation);
    tp_scene_free(b->scene);
}

/* A state near the start, with all laws closed. */
static void begin_step(bench *b, check_random *random, double dt)
{
    tp_system *system = b->simulation->stepper.system;
    double none[MOST] = {0.0}, move[MOST];
    if (2 * system->u_count > MOST || system->q_count > MOST) fail();
    memcpy(b->q, b->simulation->state[b->simulation->present].q, (size_t)system->q_count * sizeof(double));
    for (int j = 0; j < system->u_count; j++) {
        move[j] = check_uniform(random, -0.1, 0.1);
        b->u[j] = check_uniform(random, -2.0, 2.0);
        b->u_before[j] = check_uniform(random, -2.0, 2.0);
    }
    tp_system_move(system, 0.0, b->q, none);
    tp_system_change(system, move, 1.0, b->q);
    tp_system_move(system, 0.0, b->q, b->u);
    tp_system_count_turns(system, system->angle_reference);
    tp_consistent_step_begin(b->step, 0.0, dt, b->q, b->u, b->u_before);
    for (int i = 0; i < system->law_count; i++) tp_consistent_step_add_law(b->step, i, none);
    b->x_count = 2 * system->u_count;
    b->row_count = b->step->problem->problem.row_count;
    if (b->row_count > MOST) fail();
}

/* Multipliers K of joints on velocity level: their own second derivatives are left out of the matrix. */
static void clear_rates(const bench *b, double *P)
{
    if (!b->step->scheme.has_velocity_level) return;
    for (int i = 0; i < b->step->law_count; i++) {
        const tp_consistent_law *law = &b->step->laws[i];
        int rows = tp_system_law(b->simulation->stepper.system, law->law)->row_count;
        for (int k = 0; k < rows && law->second >= 0; k++) P[law->second + k] = 0.0;
    }
}

static const double step_of_differences = 1e-3;

/* Fourth order: with fifth derivatives below 1e4 an error of 4e-10, rounding eps/1e-3 times values up to 100.
 */
static void difference(const bench *b, double *x, const double *P, int j, double *F_out, double *xi_out)
{
    static const double offsets[] = {1.0, -1.0, 2.0, -2.0}, weights[] = {8.0, -8.0, -1.0, 1.0};
    double at = x[j], F[MOST], xi[MOST];
    memset(F_out, 0, MOST * sizeof(double));
    memset(xi_out, 0, MOST * sizeof(double));
    for (int k = 0; k < 4; k++) {
        x[j] = at + offsets[k] * step_of_differences;
        b->inclusion.residual(b->inclusion.self, x, P, F, xi);
        for (int i = 0; i < b->x_count; i++) F_out[i] += weights[k] * F[i] / (12.0 * step_of_differences);
        for (int i = 0; i < b->row_count; i++) xi_out[i] += weights[k] * xi[i] / (12.0 * step_of_differences);
    }
    x[j] = at;
}

static double entry(const tp_sparse *matrix, int i, int j)
{
    for (int k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        if (matrix->index[k] == i) return matrix->value[k];
    }
    return 0.0;
}

/* dF/dx = M_x and dxi/dx = C, column by column; dF/dP = -A, which F has exactly. */
static void check_point(void **check_state_, const bench *b, double *x, const double *P, double tolerance)
{
    const tp_problem *linear = &b->step->problem->problem;
    double F[MOST], xi[MOST], size = 1.0;
    b->inclusion.linearise(b->inclusion.self, x, P, b->inclusion.linear);
    for (int j = 0; j < b->x_count; j++) {
        for (int k = linear->M.start[j]; k < linear->M.start[j + 1]; k++)
            size = fmax(size, fabs(linear->M.value[k]));
    }
    for (int j = 0; j < b->x_count; j++) {
        difference(b, x, P, j, F, xi);
        for (int i = 0; i < b->x_count; i++) CHECK_NEAR(entry(&linear->M, i, j), F[i], tolerance * size);
        for (int i = 0; i < b->row_count; i++) CHECK_NEAR(entry(&linear->Ct, j, i), xi[i], 2e-8 * size);
    }
    double before[MOST], after[MOST], moved[MOST];
    b->inclusion.residual(b->inclusion.self, x, P, before, xi);
    for (int r = 0; r < b->row_count; r++) {
        memcpy(moved, P, (size_t)b->row_count * sizeof(double));
        moved[r] += 1.0;
        b->inclusion.residual(b->inclusion.self, x, moved, after, xi);
        for (int i = 0; i < b->x_count; i++)
            CHECK_NEAR(entry(&linear->A, i, r), before[i] - after[i], 1e-11 * size);
    }
}

static void check_scene(void **check_state_, const char *text, const scheme *s, bool with_rates)
{
    check_random random = {17};
    bench b = open_bench(text, s);
    for (int trial = 0; trial < 4; trial++) {
        double x[MOST], P[MOST];
        begin_step(&b, &random, 0.05);
        for (int i = 0; i < b.x_count; i++) x[i] = check_uniform(&random, -1.0, 1.0);
        for (int r = 0; r < b.row_count; r++) P[r] = check_uniform(&random, -2.0, 2.0);
        if (!with_rates) clear_rates(&b, P);
        check_point(check_state_, &b, x, P, 2e-8);
    }
    close_bench(&b);
}

/* The change of Dgamma is found by differences of first order, with 1e-5 of the velocities: some 1e-7. */
static void check_rate_changes(void **check_state_, const char *text, const scheme *s)
{
    check_random random = {29};
    bench b = open_bench(text, s);
    b.step->patience = 0;
    for (int trial = 0; trial < 4; trial++) {
        double x[MOST], P[MOST];
        begin_step(&b, &random, 0.05);
        for (int i = 0; i < b.x_count; i++) x[i] = check_uniform(&random, -1.0, 1.0);
        for (int r = 0; r < b.row_count; r++) P[r] = check_uniform(&random, -2.0, 2.0);
        check_point(check_state_, &b, x, P, 1e-6);
    }
    close_bench(&b);
}

/* ---- models ---- */

static const char angles[] = /* M(q) */
    "coordinates: [a, b]\n"
    "kinetic: \"1/2*(2*a'^2 + b'^2 + 2*a'*b'*cos(a - b))\"\n"
    "potential: \"-9.81*(2*cos(a) + cos(b)) + exp(a*b)\"\n"
    "dissipation: \"0.1*a'^2\"\n"
    "constraints: [{name: loop, position: \"a^2 + a*b - b^2\"}]\n"
    "contacts: [{name: wall, gap: \"sin(a) + sin(b)\", friction: 0.3, slip: \"a'*cos(a)\"}]\n";

TEST(formula_models_with_a_mass_matrix_of_positions)
{
    check_scene(check_state_, angles, &two_step, true);
    check_scene(check_state_, angles, &two_step_begin, true);
    check_scene(check_state_, angles, &hybrid, true);
}

static const char points[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, type: point, mass: 1, position: [1, 0.2, 0]}\n"
    "  - {name: b, type: point, mass: 2, position: [1, 1, 0.4]}\n"
    "joints:\n"
    "  - {name: rod, type: distance, bodies: [ground, a], point: [0, 0, 0], point_b: [1, 0.2, 0]}\n"
    "  - {name: link, type: distance, bodies: [a, b], point: [1, 0.2, 0], point_b: [1, 1, 0.4]}\n"
    "springs: [{name: coil, bodies: [ground, b], points: [[0, 0, 1], [0, 0, 0]], stiffness: 7, damping: 1,\n"
    "           rest_length: 0.3}]\n";

TEST(point_masses_with_rods_and_springs)
{
    check_scene(check_state_, points, &consistent, true);
    check_scene(check_state_, points, &quaternion_two_step, true);
    check_scene(check_state_, points, &quaternion, true);
}

#define TWO_BODIES(type)                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: a, " type "mass: 1, inertia: [0.3, 0.4, 0.5], position: [0.4, 0.1, 0.2],\n"                  \
    "     orientation: {axis: [1, 2, 0], angle: 0.4}}\n"                                                     \
    "  - {name: b, " type "mass: 2, inertia: [0.6, 0.5, 0.7], position: [1, 0.6, -0.2],\n"                   \
    "     orientation: {axis: [0, 1, 1], angle: -0.6}}\n"

static void check_joint(void **check_state_, const char *bodies, const char *joint, const scheme *s,
                        bool with_rates)
{
    char text[2000];
    snprintf(text, sizeof text,
             "%sjoints:\n"
             "  - {name: one, bodies: [ground, a], point: [0.1, 0.2, 0], %s}\n"
             "  - {name: two, bodies: [a, b], point: [0.7, 0.2, 0.1], %s}\n",
             bodies, joint, joint);
    if (with_rates)
        check_rate_changes(check_state_, text, s);
    else
        check_scene(check_state_, text, s, false);
}

static const char *const joints[] = {
    "type: spherical",
    "type: revolute, axis: [1, 0, 2]",
    "type: universal, axis: [1, 0, 0], second_axis: [0, 1, 0]",
    "type: cylindrical, axis: [0, 1, 2]",
    "type: prismatic, axis: [1, 1, 0]",
    "type: planar, axis: [0, 0, 1]",
    "type: screw, axis: [0, 0, 1], pitch: 0.3",
    "type: fixed",
    "type: orientation",
    "type: point-on-line, axis: [1, 0, 0]",
    "type: point-on-plane, axis: [0, 1, 0]",
    "type: parallel-axes, axis: [0, 0.6, 0.8]",
    "type: distance, point_b: [0.9, 0.5, 0.3]",
};

TEST(rigid_bodies_with_every_joint)
{
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        check_joint(check_state_, TWO_BODIES(""), joints[k], &consistent, false);
        check_joint(check_state_, TWO_BODIES(""), joints[k], &at_begin, false);
        check_joint(check_state_, TWO_BODIES(""), joints[k], &quaternion_two_step, false);
        check_joint(check_state_, TWO_BODIES(""), joints[k], &quaternion, false);
    }
}

TEST(scalable_bodies_with_every_joint)
{
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        check_joint(check_state_, TWO_BODIES("type: scalable, "), joints[k], &consistent, false);
        check_joint(check_state_, TWO_BODIES("type: scalable, "), joints[k], &at_begin, false);
    }
}

TEST(affine_bodies_with_every_joint)
{
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        check_joint(check_state_, TWO_BODIES(""), joints[k], &consistent_affine, false);
        check_joint(check_state_, TWO_BODIES(""), joints[k], &position_affine, false);
    }
}

/* Where Newton's method needs many steps, nothing is left out; (48). */
TEST(velocity_levels_of_every_joint_after_many_iterations)
{
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        check_joint(check_state_, TWO_BODIES(""), joints[k], &consistent, true);
        check_joint(check_state_, TWO_BODIES(""), joints[k], &at_begin, true);
        check_joint(check_state_, TWO_BODIES("type: scalable, "), joints[k], &consistent, true);
    }
    check_rate_changes(check_state_, points, &consistent);
}

#define LOADS                                                                                                \
    "springs: [{name: coil, bodies: [a, b], points: [[0.1, 0, 0.2], [0, 0.3, 0]], stiffness: 7, damping: "   \
    "1,\n"                                                                                                   \
    "           rest_length: 0.2}]\n"                                                                        \
    "bushings: [{name: mount, bodies: [ground, a], stiffness: [3, 4, 5], rotational_stiffness: [2, 2, "      \
    "3]}]\n"                                                                                                 \
    "potential: \"a.p0^2*b.p1 + a.x*b.p3^3 + cos(b.p2)\"\n"                                                  \
    "constraints: [{name: odd, position: \"a.p1*b.p2 + a.y*a.p3\"}]\n"                                       \
    "simulate: {project_initial_state: true}\n"

TEST(springs_bushings_and_formulas_over_quaternions)
{
    check_scene(check_state_, TWO_BODIES("") LOADS, &consistent, false);
    check_scene(check_state_, TWO_BODIES("") LOADS, &at_begin, false);
    check_scene(check_state_, TWO_BODIES("") LOADS, &quaternion_two_step, false);
    check_scene(check_state_, TWO_BODIES("") LOADS, &quaternion, false);
    check_scene(check_state_, TWO_BODIES("type: scalable, ") LOADS, &consistent, false);
    check_scene(check_state_, TWO_BODIES("type: scalable, ") LOADS, &at_begin, false);
}

static const char balls[] =
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.3, 0.4, 0.5], position: [0, 0, 0.5],\n"
    "     shapes: [{name: belly, type: sphere, radius: 0.3, position: [0.1, 0.2, 0.1]}]}\n"
    "  - {name: b, mass: 2, inertia: [0.6, 0.5, 0.7], position: [0.4, 0.6, 1.2],\n"
    "     shapes: [{name: head, type: sphere, radius: 0.3, position: [0, 0.2, 0]}]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts:\n"
    "  - {name: below, between: [floor, belly], friction: 0.3, drilling_radius: 0.01}\n"
    "  - {name: between, between: [belly, head], friction: 0.3}\n";

TEST(contacts_of_balls_and_planes)
{
    check_scene(check_state_, balls, &two_step, false);
    check_scene(check_state_, balls, &two_step_begin, false);
    check_scene(check_state_, balls, &hybrid, false);
    check_scene(check_state_, balls, &quaternion_two_step, false);
    check_scene(check_state_, balls, &quaternion, false);
}

/* Corners, ends of capsules and balls over planes, of which one turns, in a hollow ball and in a tube. */
static const char hulls[] =
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.3, 0.4, 0.5], position: [0, 0, 0.5],\n"
    "     shapes: [{name: brick, type: box, size: [0.4, 0.5, 0.6], position: [0.1, 0.2, 0.1],\n"
    "               orientation: {axis: [1, 2, 0], angle: 0.3}}]}\n"
    "  - {name: b, mass: 2, inertia: [0.6, 0.5, 0.7], position: [0.4, 0.6, 1.2],\n"
    "     shapes: [{name: pill, type: capsule, radius: 0.2, length: 0.7, position: [0, 0.2, 0],\n"
    "               orientation: {axis: [1, 0, 1], angle: 0.8}},\n"
    "              {name: lid, type: plane, position: [0.1, 0, 0.3]}]}\n"
    "ground: {shapes: [{name: floor, type: plane}, {name: bowl, type: inside-sphere, radius: 3},\n"
    "          {name: tube, type: inside-cylinder, radius: 2, orientation: {axis: [1, 0, 1], angle: 0.7}}]}\n"
    "contacts:\n"
    "  - {name: below, between: [floor, brick], friction: 0.3}\n"
    "  - {name: above, between: [lid, brick]}\n"
    "  - {name: around, between: [bowl, pill], friction: 0.3, drilling_radius: 0.01}\n"
    "  - {name: along, between: [tube, pill]}\n";

TEST(contacts_of_corners_and_ends_over_planes_and_in_bowls)
{
    check_scene(check_state_, hulls, &two_step, false);
    check_scene(check_state_, hulls, &two_step_begin, false);
    check_scene(check_state_, hulls, &hybrid, false);
    check_scene(check_state_, hulls, &quaternion_two_step, false);
    check_scene(check_state_, hulls, &quaternion, false);
}

/* Rows of friction have directions and points of the start; normal ones are gradients of the gaps over all
   twelve numbers of a frame, orthonormal or not. */
TEST(contacts_of_affine_bodies)
{
    check_scene(check_state_, balls, &two_step_affine, false);
    check_scene(check_state_, balls, &hybrid_affine, false);
    check_scene(check_state_, hulls, &two_step_affine, false);
    check_scene(check_state_, hulls, &hybrid_affine, false);
}

/* Held in the mean; (49). */
TEST(constraints_on_velocities_beside_joints_and_contacts)
{
    static const char text[] =
        TWO_BODIES("") "joints: [{name: one, bodies: [ground, a], point: [0.1, 0.2, 0], "
                       "type: spherical}]\n"
                       "constraints: [{name: gear, velocity: \"b.omega.y - "
                       "2*a.omega.z + a.p1*b.x'\"}]\n"
                       "contacts: [{name: floor, gap: \"b.z + 0.2*b.p1\", friction: "
                       "0.3, slip: \"b.x' + b.omega.y\"}]\n";
    check_scene(check_state_, text, &quaternion, true);
    check_scene(check_state_, text, &quaternion_two_step, true);
    check_scene(check_state_, text, &two_step, false);
}

static const char gaps[] = TWO_BODIES("type: scalable, ") "contacts:\n"
                                                          "  - {name: below, gap: \"a.z + 0.2*(a.p0^2 - "
                                                          "a.p1^2 - a.p2^2 + a.p3^2)\", friction: 0.3,\n"
                                                          "     slip: \"a.x' + a.omega.y\"}\n";

TEST(contacts_of_scalable_bodies_given_by_formulas)
{
    check_scene(check_state_, gaps, &two_step, false);
    check_scene(check_state_, gaps, &two_step_begin, false);
    check_scene(check_state_, gaps, &hybrid, false);
}

TEST_MAIN(RUNS(formula_models_with_a_mass_matrix_of_positions), RUNS(point_masses_with_rods_and_springs),
          RUNS(rigid_bodies_with_every_joint), RUNS(scalable_bodies_with_every_joint),
          RUNS(velocity_levels_of_every_joint_after_many_iterations),
          RUNS(springs_bushings_and_formulas_over_quaternions), RUNS(contacts_of_balls_and_planes),
          RUNS(contacts_of_corners_and_ends_over_planes_and_in_bowls), RUNS(contacts_of_affine_bodies),
          RUNS(affine_bodies_with_every_joint), RUNS(constraints_on_velocities_beside_joints_and_contacts),
          RUNS(contacts_of_scalable_bodies_given_by_formulas))
