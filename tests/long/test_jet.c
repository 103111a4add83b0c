/* Long runs on the manifold: a thousand seconds without drift, projections in turns, the trapezoidal work;
   docs/theory/jet.md. */
#define _POSIX_C_SOURCE 200809L
#include "jet/jets.h"

static const double held = 1e-5;

static jet_subject start_example(const char *name, tp_jet_options o, double tolerance)
{
    tp_ode_options steps = jet_steps(tolerance);
    jet_subject s = jet_of(read_edited(name, NULL, 0), &o, &steps);
    start_jet(&s);
    return s;
}

/* Constraints and the energy stay within the tolerance of the projection; without the invariant the energy
   drifts, and the constraints do not. */
TEST(nothing_drifts_in_a_thousand_seconds)
{
    for (int p = 0; p < 2; p++) {
        for (int energy = 0; energy < 2; energy++) {
            tp_jet_options o = jet_options((tp_jet_projection)p, held);
            o.holds_energy = energy;
            jet_subject s = start_example("pendulum-3d", o, 1e-6);
            for (double t = 10.0; t <= 1000.0; t += 10.0) {
                run_jet(&s, t);
                jet_errors e = jet_errors_at(s.jet, t, s.z);
                CHECK(e.position <= held && e.velocity <= held && e.length <= held && e.invariant <= held);
            }
            tp_system_move(s.system, 1000.0, s.q, s.u);
            double W = tp_system_kinetic_energy(s.system) + tp_system_potential_energy(s.system);
            CHECK((fabs(W) <= 2.0 * held) == energy);
            end_jet(&s);
        }
    }
}

/* The published algorithm: rounds converge slowly, some projections fail and halve their steps. Angles as
   accurate as without them; accepted steps within the bounds that go with the published ones. */
TEST(projections_in_turns_reach_the_same_motions)
{
    static const struct {
        const char *name;
        double tolerance, y;
        int most;
    } runs[] = {{"quadrangle", 1e-8, -0.0303700999, 2300}, {"crank", 1e-7, -0.1522598, 2800}};
    for (int k = 0; k < 2; k++) {
        for (int energy = 0; energy < 2; energy++) {
            tp_jet_options o = jet_options(TP_JET_QUASI, held);
            o.holds_energy = energy;
            jet_subject s = start_example(runs[k].name, o, runs[k].tolerance);
            run_jet(&s, 10.0);
            const tp_ode_statistics *c = tp_ode_counts(s.ode);
            jet_errors e = jet_errors_at(s.jet, 10.0, s.z);
            CHECK(e.position <= held && e.velocity <= held && e.length <= held);
            CHECK_NEAR(s.q[1], runs[k].y, 5e-3); /* of the crank's centre [m] */
            CHECK(c->accepted >= 900 && c->accepted <= runs[k].most);
            /* theory/jet.md (44); an attempt whose projection fails stops at that stage, or after all of them
             */
            long long least = 1 + (energy ? 7 : 6) * c->accepted + 6 * c->rejected,
                      found = tp_jet_counts_of(s.jet)->distributions;
            CHECK(found >= least && found <= least + 6 * c->failures);
            end_jet(&s);
        }
    }
}

/* Trapezoidal work is of order 2: held, it moves the four-bar linkage by 5e-3 to 4e-2 rad, a hundred times
   more than no invariant at all. */
TEST(the_trapezoidal_work_costs_accuracy)
{
    for (int p = 0; p < 2; p++) {
        double error[2];
        for (int energy = 0; energy < 2; energy++) {
            tp_jet_options o = jet_options((tp_jet_projection)p, held);
            o.holds_energy = o.has_trapezoidal_work = energy;
            jet_subject s = start_example("quadrangle", o, 1e-8);
            run_jet(&s, 10.0);
            error[energy] = fabs(s.q[1] + 0.0303700999);
            end_jet(&s);
        }
        CHECK(error[0] < 2e-4 && error[1] > 5e-3 && error[1] < 5e-2);
    }
}

/* A turned set-up has the turned motion, and theta and -theta are the same rotation. */
TEST(turned_and_negated_parameters_have_the_same_motion)
{
    tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-11);
    double end[2][3];
    for (int k = 0; k < 2; k++) {
        jet_subject s = start_example("crank", o, 1e-10);
        for (int b = 0; b < 3 && k == 1; b++) {
            for (int i = 3; i < 7; i++) s.q[7 * b + i] = -s.q[7 * b + i];
        }
        start_jet(&s);
        run_jet(&s, 2.0);
        memcpy(end[k], s.q + 7, sizeof end[k]);
        end_jet(&s);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(end[0][i], end[1][i], 1e-9);
}

TEST_MAIN(RUNS(nothing_drifts_in_a_thousand_seconds), RUNS(projections_in_turns_reach_the_same_motions),
          RUNS(the_trapezoidal_work_costs_accuracy), RUNS(turned_and_negated_parameters_have_the_same_motion))
