/* Affine bodies at a point: inertia, what formulas see, loads, contacts and derivatives, against rigid bodies
   and differences; theory/consistent.md (A1)-(A8). */
#include "mechanisms.h"
#include "rows.h"

#include <float.h>

enum { MOST = 24 };

/* Everything that acts on bodies, by frames and by formulas. */
static const char scene_text[] =
    "gravity: [0.3, -1, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1.2, inertia: [0.2, 0.3, 0.4], position: [0.1, 0.2, 1.1], center: [0.05, 0, 0.1],\n"
    "     orientation: [0.8, 0.2, -0.4, 0.4], shapes: [{name: ball, type: sphere, radius: 0.3,\n"
    "     position: [0.1, 0.2, -0.1]}, {name: block, type: box, size: [0.4, 0.3, 0.5]}]}\n"
    "  - {name: b, mass: 0.7, inertia: [0.25, 0.2, 0.3], position: [0.9, -0.3, 0.5],\n"
    "     orientation: [0.5, -0.5, 0.6, 0.3], shapes: [{name: pearl, type: sphere, radius: 0.2,\n"
    "     position: [0, 0.3, 0.1]}]}\n"
    "  - {name: p, type: point, mass: 0.5, position: [0, 1, 2]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts:\n"
    "  - {name: on floor, between: [floor, ball], friction: 0.3, drilling_radius: 0.1}\n"
    "  - {name: edge, between: [floor, block], friction: 0.3, restitution: 0.5}\n"
    "  - {name: bump, between: [pearl, ball], friction: 0.2}\n"
    "springs:\n"
    "  - {name: coil, bodies: [a, b], points: [[0.1, 0, 0.2], [0, 0.3, 0]], stiffness: 30, rest_length: "
    "0.4,\n"
    "     damping: 0.7}\n"
    "  - {name: tie, bodies: [p, b], points: [[0, 0, 0], [0.2, 0, 0]], stiffness: 5, rest_length: 0.2}\n"
    "bushings:\n"
    "  - {name: mount, bodies: [ground, a], stiffness: [10, 20, 30], rotational_stiffness: [3, 4, 5],\n"
    "     rotational_damping: [0.3, 0.2, 0.1]}\n"
    "forces:\n"
    "  - {name: push, body: a, point: [0.2, 0.1, 0], force: [\"1 + a.x\", \"b.omega.y\", 2]}\n"
    "  - {name: jet, body: b, frame: body, point: [0, 0, 0.3], force: [1, 2, \"sin(a.z)\"], moment: [0.1, 0, "
    "1]}\n"
    "  - {name: swing, body: a, moment: [\"a.p1' - b.p0*a.p2'\", 0, \"a.omega.x\"]}\n"
    "dissipation: [\"0.3*(a.omega.x - b.omega.y*a.p1)^2 + (a.v.x - p.v.y)^2*b.v.z^2\",\n"
    "  \"0.4*(a.p1' - 2*b.p0'*b.p3 + p.v.x)^2\"]\n"
    "potential: [\"2*a.p1^2 + a.p2*a.p0*b.x\", \"(b.p3 - 0.2)^2 + p.z*b.y\"]\n";

typedef struct bench {
    tp_scene *scene;
    tp_arena arena;
    tp_model *realised;
    tp_system *rigid, *affine;
    double q[MOST], u[MOST];                       /* of rigid bodies ...     */
    double q_affine[2 * MOST], u_affine[2 * MOST]; /* ... and affine ones */
} bench;

static bench open_bench(uint64_t seed)
{
    bench b = {0};
    tp_message why = {""};
    check_random random = {seed};
    if (tp_scene_read_memory(NULL, "s.yaml", scene_text, strlen(scene_text), NULL, 0, &b.scene, &why) !=
        TP_OK)
        fail_msg("%s", why.text);
    tp_arena_init(&b.arena, tp_allocator_default());
    if (tp_model_realise_affine(&b.arena, b.scene->model, &b.realised, &why) != TP_OK)
        fail_msg("%s", why.text);
    b.rigid = make_system(b.scene->model);
    b.affine = make_system(b.realised);
    for (int i = 0; i < b.rigid->q_count; i++)
        b.q[i] = b.scene->model->q0[i] + check_uniform(&random, -0.2, 0.2);
    for (int j = 0; j < b.rigid->u_count; j++) b.u[j] = check_uniform(&random, -2.0, 2.0);
    tp_system_normalise(b.rigid, b.q);
    tp_model_realise_state(b.realised, b.q, b.u, b.q_affine, b.u_affine);
    tp_system_refer_orientations(b.affine, b.q);
    tp_system_move(b.rigid, 0.3, b.q, b.u);
    tp_system_move(b.affine, 0.3, b.q_affine, b.u_affine);
    return b;
}

static void close_bench(bench *b)
{
    tp_system_free(b->rigid);
    tp_system_free(b->affine);
    tp_arena_clear(&b->arena);
    tp_scene_free(b->scene);
}

/* Two bodies with twelve coordinates, a point with three; the same positions and velocities are shown. */
TEST(an_affine_body_shows_the_position_and_the_velocities_of_the_rigid_one)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        bench b = open_bench(seed);
        CHECK_INT(b.affine->q_count, 27);
        CHECK_INT(b.affine->u_count, 27);
        CHECK_INT(b.realised->laws.count, b.scene->model->laws.count + 2);
        for (int i = 0; i < b.rigid->q_count; i++) {
            CHECK_NEAR(tp_system_given_q(b.affine)[i], b.q[i], 16.0 * DBL_EPSILON);
            CHECK_NEAR(b.affine->rate[i], b.rigid->rate[i], 64.0 * DBL_EPSILON);
        }
        for (int j = 0; j < b.rigid->u_count; j++)
            CHECK_NEAR(tp_system_given_u(b.affine)[j], b.u[j], 64.0 * DBL_EPSILON);
        close_bench(&b);
    }
}

/* u^T M u/2 and the sum over bodies; both those of the rigid bodies, 1 J to 10 J. */
TEST(an_affine_body_has_the_energies_of_the_rigid_one)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        bench b = open_bench(seed);
        const tp_sparse *pattern = &b.affine->mass_pattern;
        double *M = TP_ARENA_ARRAY(&b.arena, double, tp_sparse_count(pattern)), sum = 0.0;
        tp_system_mass(b.affine, M);
        for (int j = 0; j < b.affine->u_count; j++) {
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
                sum += 0.5 * M[k] * b.u_affine[j] * b.u_affine[pattern->index[k]];
        }
        CHECK_NEAR(tp_system_kinetic_energy(b.affine), sum, 1e-14 * sum);
        CHECK_NEAR(tp_system_kinetic_energy(b.rigid), sum, 1e-14 * sum);
        double V = tp_system_potential_energy(b.rigid);
        CHECK_NEAR(tp_system_potential_energy(b.affine), V, 1e-14 * (1.0 + fabs(V)));
        close_bench(&b);
    }
}

/* The change of the velocity of row k along all others is its power: h.u of both systems. Gyroscopic terms
   have none. */
TEST(forces_on_affine_bodies_have_the_power_that_they_have_on_rigid_ones)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        bench b = open_bench(seed);
        double h[2 * MOST], power[2] = {0.0, 0.0};
        tp_system_force(b.rigid, h);
        for (int j = 0; j < b.rigid->u_count; j++) power[0] += h[j] * b.u[j];
        tp_system_force(b.affine, h);
        for (int j = 0; j < b.affine->u_count; j++) power[1] += h[j] * b.u_affine[j];
        CHECK_NEAR(power[1], power[0], 1e-13 * (1.0 + fabs(power[0])));
        CHECK_NEAR(tp_system_applied_power(b.affine), tp_system_applied_power(b.rigid), 1e-13);
        close_bench(&b);
    }
}

/* Gaps, and normal, sliding and drilling velocities of all contact points. */
TEST(contacts_of_affine_bodies_have_the_gaps_and_velocities_of_rigid_ones)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        bench b = open_bench(seed);
        int checked = 0;
        for (int i = b.rigid->fixed_count; i < b.rigid->law_count; i++) {
            const tp_law *law = tp_system_law(b.rigid, i);
            int same = i - b.rigid->fixed_count + b.affine->fixed_count;
            double W[TP_LAW_ROWS * 2 * MOST], V[TP_LAW_ROWS * 2 * MOST], chi[TP_LAW_ROWS];
            double gap = tp_system_law_position(b.rigid, i);
            if (isinf(gap)) continue;
            CHECK_NEAR(tp_system_law_position(b.affine, same), gap, 64.0 * DBL_EPSILON);
            full_rows(b.rigid, i, W, chi);
            full_rows(b.affine, same, V, chi);
            for (int k = 0; k < law->row_count; k++, checked++) {
                double gamma[2] = {0.0, 0.0};
                for (int j = 0; j < b.rigid->u_count; j++) gamma[0] += W[j + k * b.rigid->u_count] * b.u[j];
                for (int j = 0; j < b.affine->u_count; j++)
                    gamma[1] += V[j + k * b.affine->u_count] * b.u_affine[j];
                CHECK_NEAR(gamma[1], gamma[0], 256.0 * DBL_EPSILON);
            }
        }
        CHECK(checked >= 4 + 3 + 3);
        close_bench(&b);
    }
}

static double entry_of(const tp_sparse *pattern, const double *value, int i, int j)
{
    for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
        if (pattern->index[k] == i) return value[k];
    }
    return 0.0;
}

/* Central differences of fourth order of the forces in one coordinate or velocity. */
static void difference(bench *b, double *entry, double *out)
{
    const double s = 1e-3, start = *entry;
    const double offsets[4] = {s, -s, 2.0 * s, -2.0 * s}, weights[4] = {8.0, -8.0, -1.0, 1.0};
    memset(out, 0, 2 * MOST * sizeof(double));
    for (int k = 0; k < 4; k++) {
        double h[2 * MOST];
        *entry = start + offsets[k];
        tp_system_move(b->affine, 0.3, b->q_affine, b->u_affine);
        tp_system_force(b->affine, h);
        for (int j = 0; j < b->affine->u_count; j++) out[j] += weights[k] * h[j] / (12.0 * s);
    }
    *entry = start;
    tp_system_move(b->affine, 0.3, b->q_affine, b->u_affine);
}

/* At rigid directions, along all twelve coordinates of a body; truncation s^4 of terms up to 1e3. */
TEST(derivatives_of_forces_on_affine_bodies_match_differences)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bench b = open_bench(seed);
        const tp_sparse *pattern = &b.affine->jacobian_pattern;
        double *stiffness = TP_ARENA_ARRAY(&b.arena, double, tp_sparse_count(pattern)),
               *damping = TP_ARENA_ARRAY(&b.arena, double, tp_sparse_count(pattern)), h[2 * MOST];
        tp_system_force(b.affine, h);
        tp_system_force_jacobian(b.affine, stiffness, damping);
        for (int j = 0; j < b.affine->u_count; j++) {
            double near[2 * MOST];
            difference(&b, &b.q_affine[j], near);
            for (int i = 0; i < b.affine->u_count; i++)
                CHECK_NEAR(entry_of(pattern, stiffness, i, j), near[i], 1e-8);
            difference(&b, &b.u_affine[j], near);
            for (int i = 0; i < b.affine->u_count; i++)
                CHECK_NEAR(entry_of(pattern, damping, i, j), near[i], 1e-8);
        }
        close_bench(&b);
    }
}

/* g = d_i.d_j - delta_ij to rounding of the quaternion's matrix, and its rate. */
TEST(the_rigidity_of_a_rigid_state_holds_on_both_levels)
{
    bench b = open_bench(3);
    for (int i = b.scene->model->laws.count; i < b.realised->laws.count; i++) {
        double g[TP_LAW_ROWS], W[TP_LAW_ROWS * 2 * MOST], chi[TP_LAW_ROWS];
        tp_system_law_positions(b.affine, i, g);
        full_rows(b.affine, i, W, chi);
        for (int k = 0; k < 6; k++) {
            double gamma = 0.0;
            for (int j = 0; j < b.affine->u_count; j++) gamma += W[j + k * b.affine->u_count] * b.u_affine[j];
            CHECK_NEAR(g[k], 0.0, 8.0 * DBL_EPSILON);
            CHECK_NEAR(gamma, 0.0, 32.0 * DBL_EPSILON);
        }
    }
    close_bench(&b);
}

TEST_MAIN(RUNS(an_affine_body_shows_the_position_and_the_velocities_of_the_rigid_one),
          RUNS(an_affine_body_has_the_energies_of_the_rigid_one),
          RUNS(forces_on_affine_bodies_have_the_power_that_they_have_on_rigid_ones),
          RUNS(contacts_of_affine_bodies_have_the_gaps_and_velocities_of_rigid_ones),
          RUNS(derivatives_of_forces_on_affine_bodies_match_differences),
          RUNS(the_rigidity_of_a_rigid_state_holds_on_both_levels))
