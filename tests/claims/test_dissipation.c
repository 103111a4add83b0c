/* Claim: a dissipation function acts through every velocity it knows, of bodies, rates or own ones, in every
   integrator: the force is -dR/du; theory/models.md, "Forces". Velocities of bodies were once left out. */
#include "simulations.h"

#include <math.h>

/* Bodies of all kinds that slow down by themselves: u_j' = -lambda_j u_j, known for the velocities listed. */
static const char slowing[] =
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.4, 0.5, 0.6], velocity: [1, -0.5, 0], angular_velocity: [0, 0, 2]}\n"
    "  - {name: p, type: planar, mass: 1, inertia: 0.5, velocity: [0.4, 0.3], angular_velocity: 1}\n"
    "  - {name: m, type: point, mass: 0.5, velocity: [0, 0, 1]}\n"
    "dissipation: [\"0.4*(a.v.x^2 + a.v.y^2) + 0.15*a.omega.z^2\", \"0.15*p.omega^2 + 0.4*p.v.x^2\",\n"
    "  \"0.4*m.v.z^2\"]\n";
static const struct {
    int index;
    double start, lambda; /* [1/s] */
} known[] = {{0, 1.0, 0.4}, {1, -0.5, 0.4}, {5, 2.0, 0.5}, {6, 0.4, 0.8},
             {7, 0.3, 0.0}, {8, 1.0, 0.6},  {11, 1.0, 1.6}};

/* One step of an explicit, implicit or mixed rule multiplies by 1 - z + b z^2 with 0 <= b <= 1, z = lambda
   dt, up to z^3: its error is at most z^2/2, and steps do not enlarge it. t/dt of them make lambda^2 t dt/2.
 */
TEST(bodies_slow_down_as_the_exact_motion_in_every_integrator)
{
    const double dt = 1e-2, end = 1.0;
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *name = tp_integrator_info_at(i)->name;
        tp_scene *scene = scene_of(slowing);
        tp_simulation *simulation = simulate_with(scene->model, name, dt, end);
        run(simulation);
        const double *u = tp_simulation_u(simulation);
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            double lambda = known[k].lambda, exact = known[k].start * exp(-lambda * end);
            CHECK_NEAR(u[known[k].index], exact,
                       0.5 * lambda * lambda * end * dt * fabs(known[k].start) + 1e-12);
        }
        CHECK(tp_simulation_report(simulation)->largest_energy_increase < 0.0);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Second order where forces are implicit: the trapezoidal rule is off by z^3/12 a step. */
TEST(moreau_jean_is_of_second_order_for_dissipation_over_velocities)
{
    const double dt = 1e-2, end = 1.0;
    tp_scene *scene = scene_of(slowing);
    tp_simulation *simulation = simulate_theta(scene->model, dt, end, 0.5);
    run(simulation);
    const double *u = tp_simulation_u(simulation);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double lambda = known[k].lambda, exact = known[k].start * exp(-lambda * end);
        CHECK_NEAR(u[known[k].index], exact,
                   pow(lambda, 3.0) * end * dt * dt / 12.0 * fabs(known[k].start) + 1e-12);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* The derivatives are exact: with z = lambda dt = 200 the step is still the theta-method's own. */
TEST(a_stiff_damper_over_velocities_is_taken_implicitly)
{
    static const char text[] = "bodies: [{name: a, mass: 2, inertia: [0.4, 0.5, 0.6], velocity: [1, 0, 0],\n"
                               "  angular_velocity: [0, 0, 1]}]\n"
                               "dissipation: \"2e4*a.v.x^2 + 3e3*a.omega.z^2\"\n";
    const double dt = 1e-2, theta = 0.75, z_v = 2.0 * 2e4 / 2.0 * dt, z_w = 2.0 * 3e3 / 0.6 * dt;
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_theta(scene->model, dt, 3 * dt, theta);
    run(simulation);
    const double *u = tp_simulation_u(simulation);
    CHECK_NEAR(u[0], pow((1.0 - (1.0 - theta) * z_v) / (1.0 + theta * z_v), 3.0), 1e-12);
    CHECK_NEAR(u[5], pow((1.0 - (1.0 - theta) * z_w) / (1.0 + theta * z_w), 3.0), 1e-12);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* ---- one motion in several words ---- */

static void end_state(const char *text, const char *integrator, int count, double *q_out, double *u_out)
{
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_with(scene->model, integrator, 1e-2, 0.3);
    run(simulation);
    memcpy(q_out, tp_simulation_q(simulation), (size_t)count * sizeof(double));
    memcpy(u_out, tp_simulation_u(simulation), (size_t)count * sizeof(double));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

#define TWO_POINTS                                                                                           \
    "bodies:\n"                                                                                              \
    "  - {name: a, mass: 2, inertia: [0.4, 0.5, 0.6], velocity: [1, -0.5, 0.2], angular_velocity: [1, 2, "   \
    "3]}\n"                                                                                                  \
    "  - {name: m, type: point, mass: 0.5, velocity: [0, 0, 1]}\n"

/* R = 1/2 (a.x' - m.x')^4: the same equations, so the same end up to the solver's tolerance in 30 steps. */
TEST(velocities_rates_and_forces_say_the_same)
{
    static const char *const texts[] = {
        TWO_POINTS "dissipation: \"1/2*(a.v.x - m.v.x)^4\"\n",
        TWO_POINTS "dissipation: \"1/2*(a.x' - m.x')^4\"\n",
        TWO_POINTS "dissipation: [\"1/2*(a.v.x - m.x')^4\", \"0*a.omega.x\"]\n",
        TWO_POINTS "forces: {a.v.x: \"-2*(a.v.x - m.v.x)^3\", m.v.x: \"2*(a.v.x - m.v.x)^3\"}\n"};
    enum { COUNT = 9 };
    for (int i = 0; i < tp_integrator_count(); i++) {
        const char *name = tp_integrator_info_at(i)->name;
        double q[COUNT], u[COUNT];
        end_state(texts[0], name, COUNT, q, u);
        CHECK(u[0] < 0.91); /* it did act: 0.9 is exact */
        for (size_t k = 1; k < sizeof texts / sizeof texts[0]; k++) {
            double other_q[COUNT], other_u[COUNT];
            end_state(texts[k], name, COUNT, other_q, other_u);
            for (int j = 0; j < COUNT; j++) {
                CHECK_NEAR(other_q[j], q[j], 1e-11);
                CHECK_NEAR(other_u[j], u[j], 1e-11);
            }
        }
    }
}

#define OWN_VELOCITIES                                                                                       \
    "coordinates: [x, y]\n"                                                                                  \
    "velocities: [{name: s, initial: 1}, {name: r, initial: 1}]\n"                                           \
    "rates: {x: \"s + r\", y: \"r\"}\n"                                                                      \
    "mass: [[1, 0], [0, 2]]\n"

/* s' = -3 s with R = 3/2 s^2, r stays; and R = 1/2 x'^2 is 1/2 (s + r)^2. */
TEST(own_velocities_are_damped)
{
    static const char *const integrators[] = {"moreau", "moreau-jean"};
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        double q[2], u[2], other_q[2], other_u[2];
        end_state(OWN_VELOCITIES "dissipation: \"3/2*s^2\"\n", integrators[i], 2, q, u);
        CHECK_NEAR(u[0], exp(-0.9), 0.5 * 9.0 * 0.3 * 1e-2);
        CHECK_NEAR(u[1], 1.0, 1e-15);
        end_state(OWN_VELOCITIES "dissipation: \"1/2*x'^2\"\n", integrators[i], 2, q, u);
        end_state(OWN_VELOCITIES "dissipation: \"1/2*(s + r)^2\"\n", integrators[i], 2, other_q, other_u);
        for (int j = 0; j < 2; j++) {
            CHECK_NEAR(other_q[j], q[j], 1e-13);
            CHECK_NEAR(other_u[j], u[j], 1e-13);
        }
    }
}

TEST_MAIN(RUNS(bodies_slow_down_as_the_exact_motion_in_every_integrator),
          RUNS(moreau_jean_is_of_second_order_for_dissipation_over_velocities),
          RUNS(a_stiff_damper_over_velocities_is_taken_implicitly),
          RUNS(velocities_rates_and_forces_say_the_same), RUNS(own_velocities_are_damped))
