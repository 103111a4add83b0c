/* Claims about constraints and their forces that whole motions show: ideal forces, cones of admissible
   velocities, viability along a motion, frames; docs/theory/geometric-mechanics.md. */
#include "calculus/nonnegative.h"
#include "simulation/inside.h"
#include "simulations.h"
#include "tippe/analysis.h"
#include "tippe/rotation.h"

/* Claim (2): a finitely generated cone is polyhedral. In the plane cone{a, b} is what lies to the left of a
   and to the right of b; a line is the cone of a direction and its opposite. */
TEST(finitely_generated_cones_are_polyhedral)
{
    check_random random = {7};
    int inside = 0;
    for (int k = 0; k < 500; k++) {
        double v[6], x[2], rest[2];
        for (int i = 0; i < 6; i++) v[i] = check_uniform(&random, -1.0, 1.0);
        double *a = v, *b = v + 2, *p = v + 4, turn = a[0] * b[1] - a[1] * b[0];
        double left = (a[0] * p[1] - a[1] * p[0]) * turn, right = (p[0] * b[1] - p[1] * b[0]) * turn;
        if (fabs(turn) < 1e-2 || fabs(left) < 1e-3 || fabs(right) < 1e-3) continue; /* on the boundary */
        CHECK_INT(tp_nonnegative_solve(NULL, 2, 2, 0, v, p, x, rest), TP_OK);
        bool is_generated = hypot(rest[0], rest[1])<1e-12, is_polyhedral = left> 0.0 && right > 0.0;
        CHECK_INT(is_generated, is_polyhedral);
        inside += is_generated;
        /* span{a} = cone{a, -a}: what is left is at right angles to a */
        const double both[] = {a[0], a[1], -a[0], -a[1]};
        CHECK_INT(tp_nonnegative_solve(NULL, 2, 2, 0, both, p, x, rest), TP_OK);
        CHECK_NEAR(rest[0] * a[0] + rest[1] * a[1], 0.0, 1e-13);
    }
    CHECK(inside > 50 && inside < 400);
}

/* Constraint forces M a - h of a state, rows W [rows][m] and velocities of rows gamma, of all constraints. */
typedef struct constrained {
    int m, rows;
    double force[32], W[16][32], gamma[16], lambda[16];
} constrained;

static void measure(tp_simulation *simulation, constrained *out)
{
    tp_system *system = tp_simulation_system(simulation);
    const double *a = simulation->state[simulation->present].memory[0];
    const tp_sparse *pattern = &system->mass_pattern;
    double M[1024], W[TP_LAW_ROWS * 32], chi[TP_LAW_ROWS], h[32];
    out->m = system->u_count;
    out->rows = 0;
    tp_system_mass(system, M);
    tp_system_force(system, h);
    for (int j = 0; j < out->m; j++) out->force[j] = -h[j];
    for (int j = 0; j < out->m; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            out->force[pattern->index[k]] += M[k] * a[j];
    }
    for (int i = 0; i < system->law_count; i++) {
        double lambda[TP_IMPULSE_ROWS];
        int count = tp_system_law_column_count(system, i);
        const int *columns = tp_system_law_columns(system, i);
        tp_system_law_rows(system, i, W, chi);
        tp_simulation_kept_force(simulation, i, TP_FORCE_LAST, lambda);
        for (int k = 0; k < tp_system_law(system, i)->row_count; k++, out->rows++) {
            memset(out->W[out->rows], 0, sizeof out->W[0]);
            out->gamma[out->rows] = chi[k];
            out->lambda[out->rows] = lambda[k];
            for (int j = 0; j < count; j++) {
                out->W[out->rows][columns[j]] = W[j + k * count];
                out->gamma[out->rows] += W[j + k * count] * system->u[columns[j]];
            }
        }
    }
}

/* Takes the parts along all rows off a displacement, by Gram and Schmidt, twice. */
static void make_compatible(const constrained *c, double *displacement)
{
    double basis[16][32];
    int rank = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i <= c->rows; i++) {
            double *v = i < c->rows ? basis[rank] : displacement, length = 0.0;
            if (i < c->rows && pass > 0) continue;
            if (i < c->rows) memcpy(v, c->W[i], sizeof basis[0]);
            for (int k = 0; k < rank; k++) {
                double dot = 0.0;
                for (int j = 0; j < c->m; j++) dot += basis[k][j] * v[j];
                for (int j = 0; j < c->m; j++) v[j] -= dot * basis[k][j];
            }
            for (int j = 0; j < c->m && i < c->rows; j++) length += v[j] * v[j];
            for (int j = 0; j < c->m && i < c->rows; j++) v[j] /= sqrt(length);
            rank += i < c->rows;
        }
    }
}

static const char *const mechanisms[] = {
    "coordinates: [x, y, {name: th, initial: 0.3, velocity: 2}]\nkinetic: \"x'^2 + y'^2 + 0.1*th'^2\"\n"
    "potential: 2*y\nconstraints: [{name: skate, velocity: \"x'*sin(th) - y'*cos(th)\"}]\n",
    "gravity: [0, -9.81, 0]\nbodies:\n"
    "  - {name: crank, type: planar, mass: 1, inertia: 0.1, position: [0.1, 0.4]}\n"
    "  - {name: rod, type: planar, mass: 2, inertia: 0.3, position: [0.9, 1.1]}\n"
    "  - {name: rocker, type: planar, mass: 1, inertia: 0.2, position: [1.8, 0.6]}\n"
    "joints:\n  - {name: a, type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  - {name: b, type: revolute, bodies: [crank, rod], point: [0.2, 0.8]}\n"
    "  - {name: c, type: revolute, bodies: [rod, rocker], point: [1.7, 1.3]}\n"
    "  - {name: d, type: revolute, bodies: [ground, rocker], point: [2, 0]}\n",
    "coordinates: [x, {name: y, initial: -1}]\nkinetic: \"(x'^2 + y'^2)/2\"\npotential: 9.81*y\n"
    "constraints: [{name: rod, position: \"x^2 + y^2 - (1 + 0.1*sin(t))^2\"}]\ninitial: {x': 0.5, y': "
    "-0.1}\n"};

/* Claims (3.7), P15: the force that keeps a constraint, M a - h, is W lambda, so that it does no work on
   displacements with W^T dq = 0; its power along the motion is 0 for constraints that do not move, and
   -lambda chi for those that do. Forces of size 10 to 100 and tolerances of a step, 1e-12 of them. */
TEST(ideal_forces_do_no_work_on_compatible_displacements)
{
    check_random random = {11};
    for (int e = 0; e < 3; e++) {
        tp_scene *scene = scene_of(mechanisms[e]);
        tp_simulation *simulation = simulate_with(scene->model, "generalized-alpha", 5e-3, 1.0);
        double most_power = 0.0;
        for (int k = 1; k <= 100; k++) {
            constrained c;
            double work = 0.0, power = 0.0, shared = 0.0, displacement[32];
            step_to(simulation, 5e-3 * k);
            measure(simulation, &c);
            for (int j = 0; j < c.m; j++) displacement[j] = check_uniform(&random, -1.0, 1.0);
            make_compatible(&c, displacement);
            for (int j = 0; j < c.m; j++) {
                double ideal = 0.0;
                for (int i = 0; i < c.rows; i++) ideal += c.W[i][j] * c.lambda[i];
                CHECK_NEAR(c.force[j], ideal, 1e-9);
                work += c.force[j] * displacement[j];
                power += c.force[j] * tp_simulation_u(simulation)[j];
            }
            CHECK_NEAR(work, 0.0, 1e-9);
            for (int i = 0; i < c.rows; i++) shared += fabs(c.lambda[i] * c.gamma[i]);
            CHECK_NEAR(shared, 0.0, 1e-9); /* W^T u + chi = 0 */
            most_power = fmax(most_power, fabs(power));
        }
        CHECK(e < 2 ? most_power < 1e-9 : most_power > 0.1);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Claim (3.9): a motion starts inside and is forward and backward consistent, and then gaps never close below
   0: a ball that bounces, with the velocities before and after each of its impacts. Before an impact it is
   backward consistent alone, after it forward alone. */
TEST(a_motion_is_viable_with_the_velocities_on_both_sides_of_each_impact)
{
    static const char ball[] = "coordinates: [{name: y, initial: 0.5}]\nkinetic: \"y'^2/2\"\npotential: "
                               "9.81*y\ncontacts: [{name: floor, gap: y, restitution: 0.6}]\n";
    tp_scene *scene = scene_of(ball);
    tp_simulation *simulation = simulate_with(scene->model, "generalized-alpha", 2e-3, 1.0);
    int impacts = 0;
    for (int k = 1; k <= 500; k++) {
        double before = tp_simulation_u(simulation)[0];
        step_to(simulation, 2e-3 * k);
        const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
        bool is_impact = u[0] > before;
        for (int side = 0; side < 1 + is_impact; side++) {
            double one = side == 0 ? u[0] : before;
            tp_viability v;
            CHECK_INT(tp_viability_find(NULL, scene->model, 0.0, q, &one, 1e-9, &v), TP_OK);
            CHECK(v.is_inside && q[0] >= -1e-12);
            CHECK_INT(v.is_forward, side == 0);
            if (is_impact) CHECK_INT(v.is_backward, side == 1);
            tp_viability_free(&v);
        }
        impacts += is_impact;
    }
    CHECK(impacts >= 2);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Claim (G1): frames of quaternions are orthogonal, and A^T dA/dt = W~ of the angular velocity in the body.
   Central differences with the step 1e-5 leave 1e-10 of third derivatives. */
TEST(frames_are_orthogonal_and_turn_with_their_angular_velocity)
{
    check_random random = {13};
    for (int k = 0; k < 50; k++) {
        tp_quat p = {check_uniform(&random, -1, 1), check_uniform(&random, -1, 1),
                     check_uniform(&random, -1, 1), check_uniform(&random, -1, 1)};
        double length = sqrt(tp_quat_dot(p, p)), h = 1e-5;
        p = (tp_quat){p.w / length, p.x / length, p.y / length, p.z / length};
        tp_vec3 w = {check_uniform(&random, -2, 2), check_uniform(&random, -2, 2),
                     check_uniform(&random, -2, 2)};
        tp_quat ahead = tp_quat_multiply(p, tp_quat_exp(tp_vec3_scale(h, w))),
                behind = tp_quat_multiply(p, tp_quat_exp(tp_vec3_scale(-h, w)));
        for (int i = 0; i < 3; i++) {
            tp_vec3 e = {i == 0, i == 1, i == 2}, x = tp_quat_rotate(p, e);
            CHECK_NEAR(tp_vec3_norm(x), 1.0, 1e-14);
            tp_vec3 rate =
                tp_vec3_scale(0.5 / h, tp_vec3_sub(tp_quat_rotate(ahead, e), tp_quat_rotate(behind, e)));
            tp_vec3 seen = tp_quat_rotate_back(p, rate), expected = tp_vec3_cross(w, e);
            CHECK_NEAR(tp_vec3_norm(tp_vec3_sub(seen, expected)), 0.0, 1e-9);
        }
    }
}

TEST_MAIN(RUNS(finitely_generated_cones_are_polyhedral),
          RUNS(ideal_forces_do_no_work_on_compatible_displacements),
          RUNS(a_motion_is_viable_with_the_velocities_on_both_sides_of_each_impact),
          RUNS(frames_are_orthogonal_and_turn_with_their_angular_velocity))
