/* What theory/consistent.md (15), (15a) and (26) claim of shapes other than balls: they roll without sinking
   and without loss, and closed gaps of corners over a plane never shrink. */
#include "benches.h"

#include <float.h>
#include <stdio.h>

typedef struct variant {
    const char *integrator;
    tp_consistent_bodies bodies;
} variant;

static const variant variants[] = {{"consistent-two-step", TP_CONSISTENT_SCALABLE},
                                   {"consistent-two-step", TP_CONSISTENT_AFFINE},
                                   {"consistent-hybrid", TP_CONSISTENT_SCALABLE},
                                   {"consistent-hybrid", TP_CONSISTENT_AFFINE},
                                   {"consistent-quaternion-two-step", TP_CONSISTENT_SCALABLE}};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static bench open_variant(const char *text, const variant *v, double dt)
{
    bench b = prepare_bench(text, v->integrator, dt);
    b.scene->options.consistent.bodies = v->bodies;
    start_bench(&b);
    return b;
}

/* A body of 100 kg/m^3 with its axis along y that rolls with 3 m/s and 30 rad/s: friction has nothing to do.
 */
static void check_rolling(void **check_state_, const char *shape, const variant *v)
{
    char text[600];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  - {name: drum, density: 100, position: [0, 0, 0.1], orientation: {axis: [1, 0, 0], angle: "
             "pi/2},\n"
             "     velocity: [3, 0, 0], angular_velocity_world: [0, 30, 0], shapes: [%s]}\n"
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "contacts: [{name: touch, between: [floor, drum], friction: 0.3}]\n",
             shape);
    bench b = open_variant(text, v, 1e-3);
    run_steps(b.simulation, 200, 1e-3);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    /* affine bodies measure slip along the chord of a material point, which turns by 0.03 rad: its error is
       below 0.03^2/2; in the hybrid it is made up for once, with a loss of the second order in it */
    bool is_affine = v->bodies == TP_CONSISTENT_AFFINE,
         is_hybrid = strcmp(v->integrator, "consistent-hybrid") == 0;
    double of_chord = is_affine ? 4.5e-4 : 0.0, rounding = 200.0 * 16.0 * DBL_EPSILON,
           loss = is_hybrid ? of_chord * of_chord : 0.0;
    CHECK(report->penetration < 0.1 * rounding);
    CHECK_NEAR(report->energy_final / report->energy_initial, 1.0, rounding + loss);
    CHECK_NEAR(tp_simulation_q(b.simulation)[0], 0.6, 0.6 * (rounding + of_chord));
    close_bench(&b);
}

/* Rows of the start that are seen along the chord of a step let a wheel of radius r sink with r w^2 dt/4, as
   far as gravity suffices: 5 mm in a second with these numbers, and 93 mm in the affine hybrid. */
TEST(round_shapes_roll_without_sinking_and_without_loss)
{
    static const char *const shapes[] = {"{type: sphere, radius: 0.1}",
                                         "{type: capsule, radius: 0.1, length: 0.3}",
                                         "{type: cylinder, radius: 0.1, length: 0.3}"};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        for (int v = 0; v < VARIANTS; v++) check_rolling(check_state_, shapes[k], &variants[v]);
    }
}

/* A box on a slope falls over its lower edge without slip: its corners are points over a plane, whose gaps
   are smooth. No contact opens before the next face comes down (0.4 s), and nothing is lost; with rows of the
   begin the edge rises by h (w dt)^2/4 in a step, opens and lands again. */
TEST(a_box_tips_over_its_edge_without_impacts_and_without_loss)
{
    static const char text[] =
        "parameters: {slope: atan(0.4), h: 0.3}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: box, density: 500, position: [h/2*sin(slope), 0, h/2*cos(slope)],\n"
        "     orientation: {axis: [0, 1, 0], angle: slope}, shapes: [{type: box, size: [0.1, 0.2, h]}]}\n"
        "ground: {shapes: [{name: hill, type: plane, orientation: {axis: [0, 1, 0], angle: slope}}]}\n"
        "contacts: [{name: touch, between: [hill, box], friction: 2}]\n";
    for (int v = 0; v < VARIANTS; v++) {
        if (strcmp(variants[v].integrator, "consistent-hybrid") == 0) continue; /* gaps O(dt) */
        bench b = open_variant(text, &variants[v], 1e-3);
        run_steps(b.simulation, 300, 1e-3);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_INT(report->impacts, 0);
        CHECK_INT(report->warning_count, 0);
        CHECK(report->penetration < 1e-14);
        CHECK_NEAR(report->energy_final, report->energy_initial,
                   300.0 * 16.0 * DBL_EPSILON * report->energy_initial);
        CHECK(fabs(tp_simulation_u(b.simulation)[4]) > 1.0); /* it does tip */
        close_bench(&b);
    }
}

/* A ball rolls up and down in a hollow ball and in a tube: its way is curved, and with normals of the start
   it would leave the circle by (v dt)^2/(2 rho) in a step, 3.6 mm in 2 s. */
TEST(a_ball_in_a_hollow_keeps_its_gap)
{
    static const char *const hollows[] = {"inside-sphere", "inside-cylinder"};
    for (int h = 0; h < 2; h++) {
        char text[500];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: [{name: ball, density: 1000, position: [0, 0, -0.4], velocity: [3, 0, 0],\n"
                 "          angular_velocity_world: [0, -30, 0], shapes: [{type: sphere, radius: 0.1}]}]\n"
                 "ground: {shapes: [{name: hollow, type: %s, radius: 0.5,\n"
                 "                   orientation: {axis: [1, 0, 0], angle: pi/2}}]}\n"
                 "contacts: [{name: touch, between: [hollow, ball], friction: 0.3}]\n",
                 hollows[h]);
        for (int v = 0; v < VARIANTS; v++) {
            if (strcmp(variants[v].integrator, "consistent-hybrid") == 0) continue; /* gaps O(dt) */
            bench b = open_variant(text, &variants[v], 1e-3);
            run_steps(b.simulation, 500, 1e-3);
            const tp_run_report *report = tp_simulation_report(b.simulation);
            CHECK_INT(report->warning_count, 0);
            CHECK(report->penetration < 500.0 * 8.0 * DBL_EPSILON * 0.5);
            CHECK(report->largest_energy_increase < 64.0 * DBL_EPSILON * 20.0);
            close_bench(&b);
        }
    }
}

TEST_MAIN(RUNS(round_shapes_roll_without_sinking_and_without_loss),
          RUNS(a_box_tips_over_its_edge_without_impacts_and_without_loss),
          RUNS(a_ball_in_a_hollow_keeps_its_gap))
