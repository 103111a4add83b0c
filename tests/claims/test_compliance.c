/* What theory/moreau-jean.md (13)-(15) claims of compliant contacts as laws on positions. */
#include "models.h"

static const double pi = 3.141592653589793;

static void pad(tp_model *model, const char *name, const char *gap, double compliance)
{
    tp_contact_def def = tp_contact_def_default();
    def.name = name;
    def.gap = TP_FORMULA(gap);
    def.compliance = compliance;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
}

/* 2 kg at 1 m/s towards a pad of 0.01 m/N, 0.5 m away; no other force. */
static tp_model *thrown_mass(double compliance)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.5, -1.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*x'^2"), &build_why));
    pad(model, "pad", "x", compliance);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* The force of a compliant contact after a step, from the memory of the integrator. */
static double force_of(const tp_simulation *simulation, int pad_index)
{
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    for (int i = 0; i < now.memory_count; i++) {
        if (strcmp(now.memory[i].name, "compliant_force") == 0) return now.memory[i].values[pad_index];
    }
    return NAN;
}

/* Exact: 1. The figures have their digits from the specification; one LCP a step solves it. */
TEST(a_mass_leaves_a_compliant_contact_with_the_speeds_of_the_specification)
{
    static const struct {
        double dt, excess, digit;
    } figures[] = {{1e-2, 6.2e-4, 0.05e-4}, {5e-3, 7.2e-5, 0.05e-5}};
    tp_model *model = thrown_mass(0.01);
    for (int k = 0; k < 2; k++) {
        tp_simulation *simulation = simulate_theta(model, figures[k].dt, 1.5, 0.5);
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
        CHECK_NEAR(tp_simulation_u(simulation)[0] - 1.0, figures[k].excess, figures[k].digit);
        CHECK_INT(tp_simulation_report(simulation)->iterations_max, 1);
        tp_simulation_free(simulation);
    }
    tp_model_free(model);
}

/* Half an oscillation of omega = 1/sqrt(m D): it lasts pi sqrt(m D) = 0.444288 s, and goes sqrt(m D) =
   0.141421 m deep. Both kinks fall into a step: the time is known to two steps, the depth to (omega dt)^2 of
   it and to the kink's v dt (omega dt). */
TEST(the_contact_lasts_and_penetrates_as_half_an_oscillation)
{
    tp_model *model = thrown_mass(0.01);
    const double dt = 1e-4;
    tp_simulation *simulation = simulate_theta(model, dt, 1.5, 0.5);
    double deepest = 0.0;
    int pushes = 0;
    for (int k = 1; k <= 15000; k++) {
        CHECK_INT(tp_simulation_step(simulation, k * dt, NULL), TP_OK);
        deepest = fmax(deepest, -tp_simulation_q(simulation)[0]);
        pushes += force_of(simulation, 0) > 0.0;
    }
    CHECK_NEAR(pushes * dt, pi * sqrt(2.0 * 0.01), 2.0 * dt);
    CHECK_NEAR(pushes * dt, 0.444288, 2.0 * dt);
    CHECK_NEAR(deepest, 0.141421, 1e-6);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* The law itself: lambda = max(0, -gap/D) behind every step, whatever theta and the stiffness are; the
   rounding of the gap, 1e-16 m, is divided by D. */
TEST(the_force_obeys_the_law_at_the_end_of_every_step)
{
    static const double compliances[] = {0.01, 1e-6, 1e-10}, thetas[] = {0.5, 1.0, 0.0};
    for (int trial = 0; trial < 8; trial++) {
        double D = compliances[trial % 3], theta = thetas[trial / 3];
        if (theta == 0.0 && trial > 6) continue; /* explicit: only the soft one is bounded */
        tp_model *model = thrown_mass(D);
        tp_simulation *simulation = simulate_theta(model, 1e-3, 1.5, theta);
        int pushes = 0;
        for (int k = 1; k <= 1500; k++) {
            CHECK_INT(tp_simulation_step(simulation, k * 1e-3, NULL), TP_OK);
            double force = force_of(simulation, 0), gap = tp_simulation_q(simulation)[0];
            CHECK_NEAR(force, fmax(0.0, -gap / D), 1e-15 / D + 1e-12 * force);
            pushes += force > 0.0;
        }
        CHECK(pushes > 0);
        CHECK(theta == 0.5 || theta == 0.0 || tp_simulation_u(simulation)[0] <= 1.0 + 1e-12);
        tp_simulation_free(simulation);
        tp_model_free(model);
    }
}

/* A pad between two masses, the lower on a rigid floor: one problem. While the floor carries, its impulse
   is the weight and the pad's force with the weights of the scheme. */
TEST(rigid_and_compliant_rows_share_one_problem)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.0, 0.0);
    coordinate(model, "b", 0.3, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(3*a'^2 + 2*b'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*(3*a + 2*b)"), &build_why));
    pad(model, "pad", "b - a", 0.01);
    contact(model, "floor", "a", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    const double dt = 1e-3, theta = 0.5;
    tp_simulation *simulation = simulate_theta(model, dt, 1.0, theta);
    double largest = 0.0;
    for (int k = 1; k <= 1000; k++) {
        double before = force_of(simulation, 0), P[4];
        CHECK_INT(tp_simulation_step(simulation, k * dt, NULL), TP_OK);
        double now = force_of(simulation, 0);
        tp_simulation_last_impulse(simulation, 0, P);
        CHECK_NEAR(P[0], dt * (3.0 * 9.81 + (1.0 - theta) * before + theta * now), 1e-12);
        CHECK(fabs(tp_simulation_q(simulation)[0]) < 1e-14);
        largest = fmax(largest, now);
    }
    /* b falls 0.3 m on a spring: k d^2/2 = m g (0.3 + d) */
    double k = 100.0, weight = 2.0 * 9.81,
           depth = (weight + sqrt(weight * weight + 2.0 * k * weight * 0.3)) / k;
    CHECK_NEAR(largest, k * depth, 1e-3 * k * depth);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* Gaps that are curved, move in time, and a model in velocities of its own: as with the force element of
   moreau; both schemes have order 2 up to the kinks, so they agree better with smaller steps. */
TEST(the_law_and_the_force_element_describe_the_same_contact)
{
    double apart[2][2];
    for (int own = 0; own < 2; own++) {
        tp_model *model = new_model();
        coordinate(model, "x", 0.2, own ? 0.0 : 0.5);
        coordinate(model, "y", 0.3, own ? 0.0 : -1.0);
        if (own) {
            must(model, tp_model_add_velocity(model, "v", 0.25, "", (tp_place){0}, NULL, &build_why));
            must(model, tp_model_add_velocity(model, "w", -1.25, "", (tp_place){0}, NULL, &build_why));
            must(model, tp_model_set_rate(model, "x", TP_FORMULA("2*v"), &build_why));
            must(model, tp_model_set_rate(model, "y", TP_FORMULA("w + v"), &build_why));
        }
        must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*(x'^2 + y'^2)"), &build_why));
        must(model, tp_model_add_potential(model, TP_FORMULA("2*9.81*y"), &build_why));
        pad(model, "bowl", "y - 0.5*x^2 - 0.02*sin(9*t)", 2e-3);
        must(model, tp_model_finish(model, NULL, &build_why));
        for (int k = 0; k < 2; k++) {
            double dt = 1e-3 / (1 << (2 * k));
            tp_simulation *law = simulate_theta(model, dt, 1.0, 0.5), *force = simulate(model, dt, 1.0);
            CHECK_INT(tp_simulation_run(law, NULL, NULL, NULL), TP_OK);
            CHECK_INT(tp_simulation_run(force, NULL, NULL, NULL), TP_OK);
            apart[own][k] = hypot(tp_simulation_q(law)[0] - tp_simulation_q(force)[0],
                                  tp_simulation_q(law)[1] - tp_simulation_q(force)[1]);
            CHECK(tp_simulation_report(law)->largest_energy_increase < 0.05); /* at a kink, of 5.9 J */
            tp_simulation_free(law);
            tp_simulation_free(force);
        }
        CHECK(apart[own][0] < 1e-3 && apart[own][1] < apart[own][0] / 3.0);
        tp_model_free(model);
    }
}

/* A start inside the pad: lambda_0 = -gap/D, so that nothing moves where weight and pad balance. */
TEST(a_mass_at_rest_on_a_compliant_contact_stays)
{
    tp_model *model = new_model();
    coordinate(model, "x", -0.01 * 2.0 * 9.81, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*2*x'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("2*9.81*x"), &build_why));
    pad(model, "pad", "x", 0.01);
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation *simulation = simulate_theta(model, 1e-2, 10.0, 0.5);
    CHECK_NEAR(force_of(simulation, 0), 2.0 * 9.81, 1e-14 * 20.0);
    CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), TP_OK);
    CHECK_NEAR(tp_simulation_q(simulation)[0], -0.1962, 1e-13);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_mass_leaves_a_compliant_contact_with_the_speeds_of_the_specification),
          RUNS(the_contact_lasts_and_penetrates_as_half_an_oscillation),
          RUNS(the_force_obeys_the_law_at_the_end_of_every_step),
          RUNS(rigid_and_compliant_rows_share_one_problem),
          RUNS(the_law_and_the_force_element_describe_the_same_contact),
          RUNS(a_mass_at_rest_on_a_compliant_contact_stays))
