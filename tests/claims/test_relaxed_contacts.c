/* Impacts and contacts with friction under relaxed-dai: closed forms of docs/theory/relaxed-dai.md. */
#include "benches.h"
#include "relaxed_runs.h"

/* ---- impact ---- */

#define MASS(start, restitution)                                                                             \
    "coordinates: [y]\nkinetic: \"1/2*y'^2\"\ncontacts: [{name: floor, gap: y" restitution "}]\n"            \
    "initial: {" start "}\n"

typedef struct impact {
    double speed, impulse, depth,
        end; /* after it [m/s], [N s]; largest depth [m], where the force ends [m] */
} impact;

/* Runs until the force has acted and ends; the initial speed is 1 m/s down. */
static impact hit(const char *model, double zeta, const char *gate, double dt, double delta)
{
    char entries[192];
    snprintf(entries, sizeof entries,
             "dt: %.17g, until: 10, relaxation_time: %g, relaxation_damping: %g, relaxation_gate: %s", dt,
             delta, zeta, gate);
    relaxed_run r = begin_relaxed(model, entries);
    impact found = {0};
    double P[TP_IMPULSE_ROWS] = {0.0};
    for (int k = 1; k < 100000 && !(found.impulse > 0.0 && P[0] == 0.0); k++) {
        step_to(r.simulation, k * dt);
        tp_simulation_last_impulse(r.simulation, 0, P);
        found.impulse += P[0];
        found.depth = fmax(found.depth, -q_of(&r, 0));
        if (P[0] > 0.0) found.end = q_of(&r, 0);
    }
    found.speed = u_of(&r, 0);
    end_relaxed(&r);
    return found;
}

/* Values of theory (7) and (8). */
static const double zetas[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0},
                    from_contact[] = {0.744079, 0.450975, 0.298436, 0.210285,
                                      0.155283, 0.135335, 0.075588, 0.047769},
                    from_flight[] = {0.729248, 0.372326, 0.163034, 0.045988, 0.001524};

TEST(the_restitution_laws_have_their_values_and_inverses)
{
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(tp_relaxed_restitution(zetas[i], true), from_contact[i], 5e-7);
        CHECK_NEAR(tp_relaxed_damping(tp_relaxed_restitution(zetas[i], true), true), zetas[i], 1e-13);
        CHECK_NEAR(tp_relaxed_restitution(zetas[i], false), i < 5 ? from_flight[i] : 0.0, 5e-7);
        if (i < 5)
            CHECK_NEAR(tp_relaxed_damping(tp_relaxed_restitution(zetas[i], false), false), zetas[i], 1e-12);
    }
    CHECK(tp_relaxed_damping(1.0, true) == 0.0 && tp_relaxed_damping(1.0, false) == 0.0);
    CHECK(tp_relaxed_damping(0.0, false) == 1.0);
    CHECK(tp_relaxed_damping(0.0, true) == tp_relaxed_largest_zeta);
}

/* The step in which the force begins or ends is off by its part of it: e changes by about h/delta squared. */
TEST(an_impact_that_starts_at_contact_has_its_law_of_restitution)
{
    const double delta = 1e-3, dt = 1e-5, bound = pow(dt / delta, 2);
    for (int i = 0; i < 8; i++) {
        impact found = hit(MASS("y: 0, y': -1", ""), zetas[i], "none", dt, delta);
        double zeta = zetas[i], w = sqrt(fabs(1.0 - zeta * zeta)),
               phase = i == 5 ? 1.0 : (zeta < 1.0 ? acos(zeta) : acosh(zeta)) / w;
        CHECK_NEAR(found.speed, from_contact[i], bound + 5e-7);
        CHECK_NEAR(found.impulse, 1.0 + from_contact[i], bound + 5e-7);
        CHECK_NEAR(found.depth, delta * exp(-zeta * phase), delta * bound + 0.5 * dt * dt / delta);
        CHECK_NEAR(found.end, -2.0 * zeta * delta * from_contact[i], 2.0 * dt * from_contact[i]);
    }
}

TEST(an_impact_from_flight_has_its_own_law_unless_it_is_gated)
{
    const double delta = 1e-3, dt = 1e-5, bound = 2.0 * pow(dt / delta, 2);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(hit(MASS("y: 0.01, y': -1", ""), zetas[i], "none", dt, delta).speed, from_flight[i],
                   bound + 5e-7);
        /* with a gate the force jumps to 2 zeta V/delta within a step: at most the whole step is lost */
        CHECK_NEAR(hit(MASS("y: 0.010003, y': -1", ""), zetas[i], "penetration", dt, delta).speed,
                   from_contact[i], 2.0 * zetas[i] * dt / delta);
    }
}

/* Claim: without load e does not depend on delta, V and M. */
TEST(restitution_depends_on_nothing_but_zeta)
{
    impact a = hit(MASS("y: 0, y': -1", ""), 0.3, "none", 1e-5, 1e-3),
           b = hit("coordinates: [y]\nkinetic: \"1/2*50*y'^2\"\ncontacts: [{name: floor, gap: y}]\n"
                   "initial: {y: 0, y': -7}\n",
                   0.3, "none", 1e-4, 1e-2);
    CHECK_NEAR(a.speed, b.speed / 7.0, 1e-12);
    CHECK_NEAR(a.impulse, b.impulse / 350.0, 1e-12);
}

/* Claim (9): the damping of a contact follows from its restitution. */
TEST(contacts_rebound_with_the_restitution_of_the_scene)
{
    for (int gate = 0; gate < 2; gate++) {
        const char *const models[] = {MASS("y: 0.010003, y': -1", ", restitution: 0.2"),
                                      MASS("y: 0.010003, y': -1", ", restitution: 0.8")};
        for (int k = 0; k < 2; k++) {
            impact found = hit(models[k], 0.0, gate ? "penetration" : "none", 1e-5, 1e-3);
            CHECK_NEAR(found.speed, k == 0 ? 0.2 : 0.8, gate ? 0.02 : 2e-4);
        }
    }
}

/* Theory (11): under gravity a mass bounces only if V > delta g exp(3 zeta phi/w); a drop ends at rest. */
TEST(slow_masses_are_caught_and_drops_come_to_rest_without_penetration)
{
    const double delta = 1e-2, zeta = 0.2, w = sqrt(1.0 - zeta * zeta),
                 limit = delta * 9.81 * exp(3.0 * zeta * acos(zeta) / w);
    for (int k = 0; k < 2; k++) {
        char model[256];
        snprintf(model, sizeof model,
                 "coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                 "contacts: [{name: floor, gap: y}]\ninitial: {y: 0, y': %.17g}\n",
                 -(k == 0 ? 0.99 : 1.01) * limit);
        relaxed_run r =
            begin_relaxed(model, "dt: 1e-4, until: 1, relaxation_time: 1e-2, relaxation_damping: 0.2");
        bool is_free = false;
        for (int n = 1; n <= 2000; n++) {
            double P[TP_IMPULSE_ROWS];
            step_to(r.simulation, n * 1e-4);
            tp_simulation_last_impulse(r.simulation, 0, P);
            is_free = is_free || P[0] == 0.0;
        }
        CHECK(is_free == (k == 1));
        end_relaxed(&r);
    }
    relaxed_run drop = run_relaxed("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                                   "contacts: [{name: floor, gap: y}]\ninitial: {y: 1}\n",
                                   "dt: 1e-4, until: 0.6, relaxation_time: 1e-3, relaxation_damping: 1");
    CHECK_NEAR(q_of(&drop, 0), 0.0, 1e-15); /* e^-146 of the impact and rounding are left */
    CHECK_INT(tp_simulation_report(drop.simulation)->impacts, 1);
    end_relaxed(&drop);
}

/* The drop from 1 m with zeta = 0.2: it meets the floor with V = sqrt(2 g) and rebounds with 0.526621 of it;
   the load changes that by delta g/V, and the force acts from 2 zeta delta V above the floor on. */
TEST(a_dropped_mass_rebounds_by_the_flight_law)
{
    const double g = 9.81, V = sqrt(2.0 * g), delta = 1e-3;
    relaxed_run r = begin_relaxed("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                                  "contacts: [{name: floor, gap: y}]\ninitial: {y: 1}\n",
                                  "dt: 2e-5, until: 1, relaxation_time: 1e-3, relaxation_damping: 0.2");
    double fastest = 0.0;
    for (int k = 1; k <= 23000; k++) {
        step_to(r.simulation, k * 2e-5);
        fastest = fmax(fastest, u_of(&r, 0));
    }
    CHECK_NEAR(tp_relaxed_restitution(0.2, false), 0.526621, 5e-7);
    CHECK_NEAR(fastest / V, 0.526621, 4.0 * delta * g / V);
    end_relaxed(&r);
}

/* Oblique arrival, f = 0: full slip takes mu (1 + e) V of the tangential velocity, pure stick multiplies it
   by e^2. */
TEST(an_oblique_impact_slips_or_sticks_by_its_law)
{
    const double e = 0.372326;
    const struct {
        double mu, vx, after;
    } cases[] = {{0.1, 5.0, 5.0 - 0.1 * (1.0 + e)}, {10.0, 0.05, 0.05 * e * e}};
    for (int i = 0; i < 2; i++) {
        char model[256];
        snprintf(model, sizeof model,
                 "coordinates: [x, y, z]\nkinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"
                 "contacts: [{name: floor, gap: z, slip: [\"x'\", \"y'\"], friction: %g}]\n"
                 "initial: {z: 0.01, z': -1, x': %g}\n",
                 cases[i].mu, cases[i].vx);
        relaxed_run r =
            run_relaxed(model, "dt: 1e-5, until: 0.02, relaxation_time: 1e-3, relaxation_damping: 0.3");
        CHECK_NEAR(u_of(&r, 0), cases[i].after, 2e-4 * fmax(cases[i].mu, cases[i].vx));
        CHECK_NEAR(u_of(&r, 1), 0.0, 1e-15);
        end_relaxed(&r);
    }
}

/* ---- a point mass and a ball on a plane ---- */

#define INCLINE(a, mu, start)                                                                                \
    "coordinates: [x, y, z]\nkinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"                                        \
    "potential: \"9.81*(z*cos(" a ") - x*sin(" a "))\"\n"                                                    \
    "contacts: [{name: slope, gap: z, slip: [\"x'\", \"y'\"], friction: " mu "}]\n"                          \
    "initial: {" start "}\n"

TEST(a_mass_on_a_slope_sticks_slides_and_keeps_its_invariant)
{
    relaxed_run held = run_relaxed(INCLINE("0.3", "0.31", "x: 0"), "dt: 1e-3, until: 1");
    CHECK_NEAR(q_of(&held, 0), 0.0, 1e-15); /* tan 0.3 = 0.3093; 1e-14 of g for d, over 1 s */
    end_relaxed(&held);
    relaxed_run slides = run_relaxed(INCLINE("0.3", "0.2", "x: 0"), "dt: 1e-3, until: 1");
    CHECK_NEAR(u_of(&slides, 0), 9.81 * (sin(0.3) - 0.2 * cos(0.3)), 1e-12);
    end_relaxed(&slides);
    /* mu = tan a: |v| + v_x stays v0, which ends downhill with v0/2; off by a part of delta, which halves */
    double off[2];
    for (int k = 0; k < 2; k++) {
        relaxed_run r = run_relaxed(INCLINE("0.3", "tan(0.3)", "y': 1"),
                                    k == 0 ? "dt: 1e-3, until: 1, relaxation_time: 0.02"
                                           : "dt: 1e-3, until: 1, relaxation_time: 0.01");
        off[k] = fabs(hypot(u_of(&r, 0), u_of(&r, 1)) + u_of(&r, 0) - 1.0);
        end_relaxed(&r);
    }
    CHECK(off[0] < 0.1 && off[1] < 0.55 * off[0] && off[1] > 0.45 * off[0]);
}

#define BALL(start)                                                                                          \
    "coordinates: [x, y, z, a, b, c]\n"                                                                      \
    "kinetic: \"1/2*(x'^2 + y'^2 + z'^2) + 1/2*0.004*(a'^2 + b'^2 + c'^2)\"\npotential: \"9.81*z\"\n"        \
    "contacts: [{name: floor, gap: z - 0.1, slip: [\"x' - 0.1*b'\", \"y' + 0.1*a'\"], friction: 0.3}]\n"     \
    "initial: {z: 0.1, " start "}\n"

TEST(a_ball_slides_until_it_rolls_with_five_sevenths)
{
    relaxed_run r = run_relaxed(BALL("x': 1"), "dt: 1e-3, until: 0.5");
    CHECK_NEAR(u_of(&r, 0), 5.0 / 7.0, 1e-13);
    CHECK_NEAR(u_of(&r, 0) + 0.04 * u_of(&r, 4), 1.0, 1e-13); /* m v R + I omega */
    end_relaxed(&r);
    r = run_relaxed(BALL("x': 1, a': 20"), "dt: 1e-3, until: 0.8");
    CHECK_NEAR(u_of(&r, 0), 5.0 / 7.0, 1e-12);
    CHECK_NEAR(u_of(&r, 1), -4.0 / 7.0, 1e-12);
    end_relaxed(&r);
    /* sliding ends at 2 v0/(7 mu g): the distance then follows; off by delta^2 */
    double off[2];
    for (int k = 0; k < 2; k++) {
        r = run_relaxed(BALL("x': 1"), k == 0 ? "dt: 2e-4, until: 0.3, relaxation_time: 8e-3"
                                              : "dt: 2e-4, until: 0.3, relaxation_time: 4e-3");
        double t = 2.0 / (7.0 * 0.3 * 9.81), x = t - 0.5 * 0.3 * 9.81 * t * t + 5.0 / 7.0 * (0.3 - t);
        off[k] = fabs(q_of(&r, 0) - x);
        end_relaxed(&r);
    }
    CHECK(log2(off[0] / off[1]) > 1.9 && log2(off[0] / off[1]) < 2.1);
}

/* The same ball as a rigid body with a quaternion and shapes. */
TEST(a_ball_of_shapes_rolls_like_the_one_of_formulas)
{
    relaxed_run r =
        run_relaxed("gravity: [0, 0, -9.81]\n"
                    "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1],\n"
                    "  velocity: [1, 0, 0], angular_velocity: [20, 0, 0], shapes: [{name: s, type: sphere, "
                    "radius: 0.1}]}]\n"
                    "ground: {shapes: [{name: floor, type: plane}]}\n"
                    "contacts: [{name: touch, between: [floor, s], friction: 0.3}]\n",
                    "dt: 1e-3, until: 0.8");
    CHECK_NEAR(u_of(&r, 0), 5.0 / 7.0, 1e-9); /* spins of 20 rad/s: (20 h)^4 T/120 */
    CHECK_NEAR(u_of(&r, 1), -4.0 / 7.0, 1e-9);
    CHECK_NEAR(q_of(&r, 2), 0.1, 1e-12);
    end_relaxed(&r);
}

/* A contact pushes while its gap is still 2 zeta delta V: shapes that come as fast must have been looked for
   from so far away. The same fall of a body of shapes and of a coordinate with a gap; delta is ten steps. */
TEST(a_fast_ball_of_shapes_is_stopped_as_early_as_the_one_of_formulas)
{
    relaxed_run of_shapes =
        run_relaxed("bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 1.1],\n"
                    "  velocity: [0, 0, -30], shapes: [{name: s, type: sphere, radius: 0.1}]}]\n"
                    "ground: {shapes: [{name: floor, type: plane}]}\n"
                    "contacts: [{name: touch, between: [floor, s]}]\n",
                    "dt: 1e-3, until: 0.06, relaxation_time: 0.01");
    relaxed_run of_formulas = run_relaxed("coordinates: [z]\nkinetic: 1/2*z'^2\ninitial: {z: 1, z': -30}\n"
                                          "contacts: [{name: touch, gap: z}]\n",
                                          "dt: 1e-3, until: 0.06, relaxation_time: 0.01");
    CHECK_NEAR(q_of(&of_shapes, 2) - 0.1, q_of(&of_formulas, 0), 1e-13);
    CHECK_NEAR(u_of(&of_shapes, 2), u_of(&of_formulas, 0), 1e-11);
    CHECK(u_of(&of_formulas, 0) > -3.0); /* it was stopped */
    end_relaxed(&of_shapes);
    end_relaxed(&of_formulas);
}

/* ---- coupled contacts ---- */

/* Theory (6). A bar of mass 1, inertia 0.1: the left end is 1 mm below, the right one 0.5 mm above the floor,
   and nothing moves: b = (-10, 5). The force of the left end alone, 10/11, would drive the right one down by
   8.2 m/s^2: with G = 1 + 10, 1 - 10 both push, 1.625 and 0.875. */
TEST(a_contact_that_another_one_closes_pushes_too)
{
    double force[2 * TP_IMPULSE_ROWS];
    forces_at_start("coordinates: [y, th]\nkinetic: \"1/2*(y'^2 + 0.1*th'^2)\"\n"
                    "contacts: [{name: left, gap: y - th}, {name: right, gap: y + th}]\n"
                    "initial: {y: -0.25e-3, th: 0.75e-3}\n",
                    0.01, 2, force);
    CHECK_NEAR(force[0], 1.625, 1e-12);
    CHECK_NEAR(force[TP_IMPULSE_ROWS], 0.875, 1e-12);
}

TEST(stacked_blocks_move_by_the_friction_of_both_contacts)
{
    const struct {
        double P, a1, a2;
    } cases[] = {{5.0, 0.0, 0.0},
                 {10.0, (10.0 - 5.886) / 3.0, (10.0 - 5.886) / 3.0},
                 {20.0, (20.0 - 5.886 - 2.943) / 2.0, 2.943}};
    const char *const entries[] = {"dt: 1e-3, until: 1",
                                   "dt: 1e-3, until: 1, relaxation_steps: linearly-implicit"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            char model[512];
            snprintf(model, sizeof model,
                     "coordinates: [x1, y1, x2, y2]\nkinetic: \"1/2*(2*(x1'^2 + y1'^2) + x2'^2 + y2'^2)\"\n"
                     "potential: \"9.81*(2*y1 + y2)\"\nforces: {x1: %g}\n"
                     "contacts: [{name: low, gap: y1, slip: \"x1'\", friction: 0.2},\n"
                     "  {name: high, gap: y2 - y1, slip: \"x2' - x1'\", friction: 0.3}]\n",
                     cases[i].P);
            relaxed_run r = run_relaxed(model, entries[k]);
            CHECK_NEAR(u_of(&r, 0), cases[i].a1, 1e-12);
            CHECK_NEAR(u_of(&r, 2), cases[i].a2, 1e-12);
            end_relaxed(&r);
        }
    }
}

#define LADDER(mu)                                                                                           \
    "coordinates: [x, y, a, b]\n"                                                                            \
    "kinetic: [\"x'^2 + y'^2 + 1/6*(a'^2 + b'^2)\",\n"                                                       \
    "  \"1/2*(x'*cos(a)*a' + y'*sin(a)*a' + x'*cos(b)*b' + y'*sin(b)*b')\"]\n"                               \
    "potential: \"9.81*(2*y - 1/2*(cos(a) + cos(b)))\"\n"                                                    \
    "contacts: [{name: left, gap: y - cos(a), slip: \"x' + cos(a)*a'\", friction: " mu "},\n"                \
    "  {name: right, gap: y - cos(b), slip: \"x' + cos(b)*b'\", friction: " mu "}]\n"                        \
    "initial: {y: cos(0.6), a: -0.6, b: 0.6}\n"

TEST(a_stepladder_stands_or_collapses_by_its_friction)
{
    /* tan(0.6)/2 = 0.342 */
    relaxed_run r = run_relaxed(LADDER("0.345"), "dt: 1e-3, until: 0.5");
    double P[TP_IMPULSE_ROWS];
    tp_simulation_last_impulse(r.simulation, 0, P);
    CHECK_NEAR(P[0], 9.81e-3, 1e-12);
    CHECK_NEAR(fabs(P[1]), 0.5 * 9.81e-3 * tan(0.6), 1e-12);
    CHECK_NEAR(q_of(&r, 3), 0.6, 1e-13);
    end_relaxed(&r);
    for (int k = 0; k < 2; k++) { /* six digits are given */
        r = run_relaxed(LADDER("0.2"),
                        k == 0 ? "dt: 1e-3, until: 0.4" : "dt: 1e-3, until: 0.4, relaxation_time: 0.1");
        CHECK_NEAR(q_of(&r, 3), 1.016552, 6e-7);
        CHECK_NEAR(u_of(&r, 3), 2.586015, 6e-7);
        CHECK_NEAR(q_of(&r, 0), 0.0, 1e-13);
        end_relaxed(&r);
    }
}

/* Two contacts in space whose normals and tangents are coupled. */
#define PAIR                                                                                                 \
    "parameters: {k: 0.3/(0.7*(0.7 + 6*0.3))}\n"                                                             \
    "coordinates: [x1, y1, z1, x2, y2, z2]\n"                                                                \
    "kinetic: \"1/1.4*(x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2) - "                                    \
    "1/2*k*(x1' - y1' + z1' + x2' + y2' - z2')^2\"\n"                                                        \
    "forces: {x1: 1.2*sin(3*t) - 4*x1, y1: 0.8*cos(2*t) - 4*y1, z1: -2, x2: -0.9*cos(3*t) - 4*x2, "          \
    "y2: 1.1*sin(t) - 4*y2, z2: -3}\n"                                                                       \
    "contacts: [{name: a, gap: z1, slip: [\"x1'\", \"y1'\"], friction: 0.5},\n"                              \
    "  {name: b, gap: z2, slip: [\"x2'\", \"y2'\"], friction: 0.4}]\n"

TEST(two_coupled_contacts_stick_and_slip_on_their_planes)
{
    double y[3];
    for (int k = 0; k < 3; k++) {
        const char *const entries[] = {"dt: 5e-4, until: 1, relaxation_time: 0.02",
                                       "dt: 5e-4, until: 1, relaxation_time: 0.01",
                                       "dt: 5e-4, until: 1, relaxation_time: 0.005"};
        relaxed_run r = begin_relaxed(PAIR, entries[k]);
        bool was[2][3] = {{false}};
        for (int n = 1; n <= 2000; n++) {
            step_to(r.simulation, n * 5e-4);
            for (int c = 0; c < 2; c++) {
                double P[TP_IMPULSE_ROWS], mu = c == 0 ? 0.5 : 0.4;
                tp_simulation_last_impulse(r.simulation, c, P);
                double part = hypot(P[1], P[2]) / (mu * P[0]);
                CHECK(P[0] > 0.0 && part <= 1.0 + 1e-10);
                CHECK(tp_simulation_last_step(r.simulation)->residual <= 1e-10);
                was[c][part < 1.0 - 1e-6 ? 0 : 1] = true;
                CHECK_NEAR(q_of(&r, 3 * c + 2), 0.0, 1e-13);
            }
        }
        CHECK(was[0][0] && was[0][1] && was[1][0] && was[1][1]);
        y[k] = q_of(&r, 1);
        end_relaxed(&r);
    }
    double ratio = (y[0] - y[1]) / (y[1] - y[2]); /* sliding paths are curved: the limit is met like delta */
    CHECK(ratio > 1.8 && ratio < 2.1);
    /* the limit is the rigid motion: moreau-jean with steps of 1e-4 s, whose own order is 1; the extrapolated
       value misses by the square of what one halving changes, relative to the first change */
    tp_scene *scene = scene_of(PAIR "simulate: {integrator: moreau-jean, dt: 1e-4, until: 1}\n");
    tp_simulation *rigid = simulate_options(scene->model, scene->options);
    run(rigid);
    double limit = 2.0 * y[2] - y[1], change = fabs(y[1] - y[2]);
    CHECK(fabs(tp_simulation_q(rigid)[1] - limit) < 0.1 * change && change > 1e-4 * fabs(limit));
    tp_simulation_free(rigid);
    tp_scene_free(scene);
}

/* ---- linearly implicit steps ---- */

TEST(linearly_implicit_steps_close_a_gap_in_two_steps)
{
    relaxed_run r = begin_relaxed("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                                  "contacts: [{name: floor, gap: y}]\ninitial: {y: 0.1}\n",
                                  "dt: 0.01, until: 1, relaxation_steps: linearly-implicit");
    double P[TP_IMPULSE_ROWS];
    run_steps(r.simulation, 14, 0.01);
    CHECK_NEAR(q_of(&r, 0), 0.0, 1e-15);
    CHECK_NEAR(u_of(&r, 0), -1.0729, 1e-12);
    step_to(r.simulation, 0.15);
    CHECK_NEAR(u_of(&r, 0), 0.0, 1e-13);
    step_to(r.simulation, 0.16);
    tp_simulation_last_impulse(r.simulation, 0, P);
    CHECK_NEAR(P[0], 0.0981, 1e-14);
    end_relaxed(&r);
}

TEST(linearly_implicit_friction_stops_after_a_whole_number_of_steps)
{
    relaxed_run r =
        begin_relaxed("coordinates: [x, y]\nkinetic: \"1/2*(x'^2 + y'^2)\"\n"
                      "laws: [{name: rub, kind: friction, velocity: [\"x'\", \"y'\"], bound: 1}]\n"
                      "initial: {x': 1}\n",
                      "dt: 0.01, until: 2, relaxation_steps: linearly-implicit");
    run_steps(r.simulation, 100, 0.01);
    CHECK_NEAR(u_of(&r, 0), 0.0, 1e-14);
    CHECK_NEAR(q_of(&r, 0), 0.495, 1e-13);
    end_relaxed(&r);
}

TEST(linearly_implicit_steps_on_a_slope_have_order_one)
{
    const char *model = INCLINE("0.5", "0.3", "x': -1, y': 1");
    relaxed_run fine = run_relaxed(model, "dt: 1.25e-4, until: 0.5, relaxation_steps: linearly-implicit");
    double error[2];
    for (int k = 0; k < 2; k++) {
        relaxed_run r =
            run_relaxed(model, k == 0 ? "dt: 4e-3, until: 0.5, relaxation_steps: linearly-implicit"
                                      : "dt: 2e-3, until: 0.5, relaxation_steps: linearly-implicit");
        error[k] = hypot(q_of(&r, 0) - q_of(&fine, 0), q_of(&r, 1) - q_of(&fine, 1));
        end_relaxed(&r);
    }
    CHECK(log2(error[0] / error[1]) > 0.9 && log2(error[0] / error[1]) < 1.2);
    end_relaxed(&fine);
}

/* ---- implicit steps ---- */

TEST(implicit_steps_close_gaps_exactly_stick_and_slide)
{
    relaxed_run r = begin_relaxed("coordinates: [y]\nkinetic: \"1/2*y'^2\"\npotential: \"9.81*y\"\n"
                                  "contacts: [{name: floor, gap: y}]\ninitial: {y: 0.1}\n",
                                  "dt: 0.01, until: 1, relaxation_steps: implicit");
    run_steps(r.simulation, 14, 0.01);
    CHECK_NEAR(q_of(&r, 0), 0.0, 1e-16);
    step_to(r.simulation, 0.15);
    CHECK_NEAR(u_of(&r, 0), 0.0, 1e-13);
    end_relaxed(&r);
    r = run_relaxed(INCLINE("0.3", "0.2", "x: 0"), "dt: 1e-3, until: 1, relaxation_steps: implicit");
    CHECK_NEAR(u_of(&r, 0), 9.81 * (sin(0.3) - 0.2 * cos(0.3)), 1e-12);
    end_relaxed(&r);
    r = run_relaxed(INCLINE("0.3", "0.31", "x: 0"), "dt: 1e-3, until: 1, relaxation_steps: implicit");
    CHECK_NEAR(q_of(&r, 0), 0.0, 1e-15);
    end_relaxed(&r);
    r = run_relaxed(BALL("x': 1"), "dt: 1e-3, until: 0.5, relaxation_steps: implicit");
    CHECK_NEAR(u_of(&r, 0), 5.0 / 7.0, 1e-13);
    end_relaxed(&r);
    /* the stepladder on coupled contacts, M(q): order 1 */
    r = run_relaxed(LADDER("0.2"), "dt: 1e-3, until: 0.4, relaxation_steps: implicit");
    CHECK_NEAR(q_of(&r, 3), 1.016552, 3.0 * 2.6 * 1e-3); /* half a step of its velocity, and what that adds */
    end_relaxed(&r);
}

/* The body of shapes with a quaternion, and a chain of joints in space. */
TEST(implicit_steps_take_bodies_joints_and_shapes)
{
    relaxed_run r =
        run_relaxed("gravity: [0, 0, -9.81]\n"
                    "bodies:\n"
                    "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.02], position: [0, 0, -0.5]}\n"
                    "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, -1], orientation: "
                    "[0.70710678118654757, 0, "
                    "0.70710678118654757, 0],\n     shapes: [{name: end, type: sphere, radius: 0.05, "
                    "position: [0, 0, 0.5]}]}\n"
                    "ground: {shapes: [{name: floor, type: plane, position: [0, 0, -1.2]}]}\n"
                    "joints:\n"
                    "  - {name: top, type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
                    "  - {name: low, type: revolute, bodies: [a, b], point: [0, 0, -1], axis: [0, 1, 0]}\n"
                    "contacts: [{name: touch, between: [floor, end], friction: 0.4}]\n",
                    "dt: 2e-3, until: 0.6, relaxation_steps: implicit");
    const tp_run_report *report = tp_simulation_report(r.simulation);
    CHECK_NEAR(report->position_drift, 0.0, 1e-12); /* Newton's method ends at 64 roundings of velocities */
    CHECK_NEAR(report->penetration, 0.0, 1e-12);
    end_relaxed(&r);
}

/* ---- what a user is told ---- */

static bool warns_of(const char *entries, const char *name)
{
    relaxed_run r = begin_relaxed(MASS("y: 1", ", restitution: 0.5"), entries);
    const tp_run_report *report = tp_simulation_report(r.simulation);
    bool is_said = false;
    for (int i = 0; i < report->warning_count; i++)
        is_said = is_said || strcmp(tp_warning_info_at(report->warnings[i].kind)->name, name) == 0;
    end_relaxed(&r);
    return is_said;
}

/* A ball on a universal joint comes to rest on an inclined floor: the slip has become so small that the
   rounding of gaps is a good part of what is left. Newton steps ended within a few hundred of those
   roundings, ten times as much as counts as solved, and the stages behind them were not asked: the run
   stopped. */
TEST(a_ball_on_a_joint_comes_to_rest_and_every_step_counts_as_solved)
{
    bench b = open_bench(
        "gravity: [-6.9235123562854541, -6.4193008380372847, 2.6633913349593432]\n"
        "bodies:\n"
        "  - {name: link, mass: 0.13353900020070822, inertia: [0.0027548101844936442, 0.0027548101844936442, "
        "0.00023815127840130448],\n"
        "     position: [-0.12333688989324296, -0.049718631811703301, -0.20378606636714713],\n"
        "     orientation: [-0.26493243949795031, -0.004821022456703683, 0.95849343336449822, "
        "-0.10525159590843863],\n"
        "     shapes: [{name: tip, type: sphere, radius: 0.097334632359226292, position: [0, 0, "
        "0.24333658089806573]}]}\n"
        "ground:\n"
        "  shapes:\n"
        "    - {name: floor, type: plane, position: [-0.16366487780710534, -0.15174582396904798, "
        "0.062959895925208037],\n"
        "       orientation: [0.4010963382553232, 0.076614041770918073, 0.79364921875742789, "
        "0.4509688831919782]}\n"
        "joints:\n"
        "  - {name: pin, type: universal, bodies: [ground, link], point: [0, 0, 0],\n"
        "     axis: [0.080010813187635435, -0.1642049143764116, -0.98317598417968355],\n"
        "     second_axis: [0.62807396779524949, 0.77421507886500707, -0.078192727513391458],\n"
        "     second_axis_b: [0.62807396779524949, 0.77421507886500707, -0.078192727513391458]}\n"
        "contacts: [{name: foot, between: [floor, tip], friction: 0.056765416694680007}]\n"
        "simulate: {until: 0.5}\n",
        "relaxed-dai", 1e-3);
    run(b.simulation);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK_INT(report->not_converged, 0);
    CHECK(report->margin_max <= 1.0);
    close_bench(&b);
}

TEST(options_that_overrule_restitution_or_are_unstable_are_warned_of)
{
    CHECK(!warns_of("dt: 1e-3", "restitution-by-damping"));
    CHECK(warns_of("dt: 1e-3, relaxation_damping: 0.3", "restitution-by-damping"));
    CHECK(warns_of("dt: 1e-3, relaxation_steps: linearly-implicit", "restitution-by-damping"));
    CHECK(!warns_of("dt: 1e-3, relaxation_time: 1e-3", "unstable-time-step"));
    CHECK(warns_of("dt: 1e-3, relaxation_time: 3e-4", "unstable-time-step"));
    CHECK(warns_of("dt: 1e-3, relaxation_time: 1e-3, relaxation_damping: 1.4", "unstable-time-step"));
}

TEST(options_out_of_range_are_refused)
{
    tp_scene *scene = scene_of(MASS("y: 1", ""));
    for (int k = 0; k < 4; k++) {
        tp_simulation_options options = options_of("relaxed-dai", 1e-3, 1.0);
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        if (k == 0) options.relaxed.delta = -1.0;
        if (k == 1) options.relaxed.zeta = NAN;
        if (k == 2) options.relaxed.method = (tp_relaxed_method)9;
        if (k == 3) options.relaxed.branch = (tp_branch)9;
        CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, "relaxation_") != NULL);
    }
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(a_contact_that_another_one_closes_pushes_too),
          RUNS(implicit_steps_close_gaps_exactly_stick_and_slide),
          RUNS(implicit_steps_take_bodies_joints_and_shapes),
          RUNS(a_ball_on_a_joint_comes_to_rest_and_every_step_counts_as_solved),
          RUNS(options_that_overrule_restitution_or_are_unstable_are_warned_of),
          RUNS(options_out_of_range_are_refused), RUNS(the_restitution_laws_have_their_values_and_inverses),
          RUNS(an_impact_that_starts_at_contact_has_its_law_of_restitution),
          RUNS(an_impact_from_flight_has_its_own_law_unless_it_is_gated),
          RUNS(restitution_depends_on_nothing_but_zeta),
          RUNS(contacts_rebound_with_the_restitution_of_the_scene),
          RUNS(slow_masses_are_caught_and_drops_come_to_rest_without_penetration),
          RUNS(a_dropped_mass_rebounds_by_the_flight_law), RUNS(an_oblique_impact_slips_or_sticks_by_its_law),
          RUNS(a_mass_on_a_slope_sticks_slides_and_keeps_its_invariant),
          RUNS(a_ball_slides_until_it_rolls_with_five_sevenths),
          RUNS(a_ball_of_shapes_rolls_like_the_one_of_formulas),
          RUNS(a_fast_ball_of_shapes_is_stopped_as_early_as_the_one_of_formulas),
          RUNS(stacked_blocks_move_by_the_friction_of_both_contacts),
          RUNS(a_stepladder_stands_or_collapses_by_its_friction),
          RUNS(two_coupled_contacts_stick_and_slip_on_their_planes),
          RUNS(linearly_implicit_steps_close_a_gap_in_two_steps),
          RUNS(linearly_implicit_friction_stops_after_a_whole_number_of_steps),
          RUNS(linearly_implicit_steps_on_a_slope_have_order_one))
