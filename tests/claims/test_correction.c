/* Claims: theory/correction.md. Overlaps and drift go away at any tolerance, nothing stops, and no energy
   comes into velocities. */
#define _POSIX_C_SOURCE 200809L
#include "benches.h"
#include "examples.h"
#include "restarts.h"

#include <float.h>
#include <stdio.h>

enum { TEXT = 16384 };

/* Cubes on top of each other, each turned about the vertical against the one below. */
typedef struct stack {
    double size, mass, restitution, turn;
} stack;
static const stack plain_stack = {.size = 0.2, .mass = 1.0};

static double height_of(const stack *of, int cube)
{
    return 0.5 * of->size + of->size * cube;
}

static void write_stack_of(const stack *of, int count, char *text)
{
    char *end = text + snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < count; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: b%d, mass: %.17g, position: [0, 0, %.17g],\n"
                        "     orientation: [%.17g, 0, 0, %.17g],\n"
                        "     shapes: [{type: box, size: [%.17g, %.17g, %.17g]}]}\n",
                        k, of->mass, height_of(of, k), cos(0.5 * of->turn * k), sin(0.5 * of->turn * k),
                        of->size, of->size, of->size);
    end += snprintf(end, (size_t)(text + TEXT - end),
                    "ground: {shapes: [{name: floor, type: plane}]}\ncontacts:\n"
                    "  - {name: c0, between: [ground, b0], friction: 0.5, restitution: %.17g}\n",
                    of->restitution);
    for (int k = 1; k < count; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: c%d, between: [b%d, b%d], friction: 0.5, restitution: %.17g}\n", k, k - 1,
                        k, of->restitution);
    snprintf(end, (size_t)(text + TEXT - end), "simulate: {until: 100}\n");
}

static void write_stack(int count, char *text)
{
    write_stack_of(&plain_stack, count, text);
}

/* Largest change of the position of a cube from where it began [m]. */
static double shift_of(const stack *of, const bench *b)
{
    const tp_model *model = b->scene->model;
    const double *q = tp_simulation_q(b->simulation);
    double shift = 0.0;
    int count = tp_model_summarise(model).coordinate_count;
    for (int i = 0; i < count; i += 7) {
        for (int k = 0; k < 3; k++) {
            double start = k == 2 ? height_of(of, i / 7) : 0.0;
            shift = fmax(shift, fabs(q[i + k] - start));
        }
    }
    return shift;
}

static double largest_shift(const bench *b)
{
    return shift_of(&plain_stack, b);
}

/* A solver's error E leaves velocities of E |c| in a row, |c| the root of the squares of g dt over 4 contacts
   of each cube. Uncorrected they add up, over `steps` steps and over the height; corrected, what one step
   leaves is taken back by the next, so that a thousandth of E |c| dt is far above what remains. */
TEST(stacks_stand_at_every_tolerance)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-14};
    static char text[TEXT];
    const int steps = 100;
    for (int scheme = 0; scheme < 2; scheme++) {
        for (int k = 0; k < 4; k++) {
            int count = scheme == 0 && k < 2 ? 20 : 10;
            write_stack(count, text);
            bench b = start_corrected(text, scheme == 0 ? "moreau" : "moreau-jean", 5e-3, tolerances[k]);
            run_steps(b.simulation, steps, 5e-3);
            double left = tolerances[k] * 2.0 * sqrt(count) * 9.81 * 5e-3 * 5e-3;
            CHECK(largest_shift(&b) <= fmin(left, 1e-6) + 1e-12);
            CHECK(tp_simulation_report(b.simulation)->penetration <= fmin(1e-3 * left, 1e-9) + 1e-12);
            close_bench(&b);
        }
    }
    write_stack(9, text); /* and without it they do not: the test above can fail; ten are a tower (28l) */
    bench b = prepare_bench(text, "moreau", 5e-3);
    b.scene->options.tolerance = 1e-3; /* sweeps */
    start_bench(&b);
    run_steps(b.simulation, steps, 5e-3);
    CHECK(largest_shift(&b) > 1e-6);
    close_bench(&b);
}

/* Without a correction the errors E |c| dt of `steps` steps add up, and those of the contacts over the
   height: at most the root of their number times the norm. Contacts that such errors opened were left out of
   the next step, and stacks sank by g dt^2 now and then: 22 mm at 1e-5 and 15 mm at 1e-8 in the steps of this
   test. */
TEST(stacks_without_a_correction_drift_by_no_more_than_the_errors_of_their_steps)
{
    static const double tolerances[] = {1e-4, 1e-5, 1e-6, 1e-8};
    static const char *const schemes[] = {"moreau", "moreau-jean", "symmetric-moreau", "consistent-hybrid",
                                          "consistent-two-step"};
    static char text[TEXT];
    enum { COUNT = 10, STEPS = 50 };
    const double dt = 1e-2, g = 9.81;
    write_stack(COUNT, text);
    for (int scheme = 0; scheme < 5; scheme++) {
        for (int k = 0; k < 4; k++) {
            bench b = prepare_bench(text, schemes[scheme], dt);
            b.scene->options.tolerance = tolerances[k];
            start_bench(&b);
            run_steps(b.simulation, STEPS, dt);
            double norm = 2.0 * sqrt(COUNT) * g * dt;
            CHECK(largest_shift(&b) <= STEPS * tolerances[k] * norm * dt * sqrt(COUNT) + 1e-12);
            close_bench(&b);
        }
    }
}

/* The same of other sizes, masses, restitutions and of cubes that are turned against each other, with and
   without a correction: none of these is in the bounds. Positions round to a few eps of the height. */
TEST(stacks_of_all_sizes_stand_at_loose_tolerances)
{
    static const stack stacks[] = {{.size = 0.01, .mass = 1e-3},
                                   {.size = 10.0, .mass = 1e3},
                                   {.size = 0.2, .mass = 1e4},
                                   {.size = 0.2, .mass = 1.0, .restitution = 0.5},
                                   {.size = 0.2, .mass = 1.0, .turn = 0.3},
                                   {.size = 0.2, .mass = 1.0, .restitution = 0.5, .turn = 0.3}};
    static const double tolerances[] = {1e-4, 1e-6, 1e-14};
    static char text[TEXT];
    enum { COUNT = 10, STEPS = 50 };
    const double dt = 5e-3, norm = 2.0 * sqrt(COUNT) * 9.81 * dt;
    for (int s = 0; s < (int)(sizeof stacks / sizeof stacks[0]); s++) {
        write_stack_of(&stacks[s], COUNT, text);
        for (int run = 0; run < 12; run++) {
            double tolerance = tolerances[run / 4], rounding = 1e-12 * COUNT * stacks[s].size;
            bench b = prepare_bench(text, run % 2 == 0 ? "moreau" : "moreau-jean", dt);
            b.scene->options.tolerance = tolerance;
            b.scene->options.correction.is_on = run / 2 % 2 == 0;
            start_bench(&b);
            run_steps(b.simulation, STEPS, dt);
            int steps = b.scene->options.correction.is_on ? 1 : STEPS; /* what one leaves is taken back */
            CHECK(shift_of(&stacks[s], &b) <= steps * tolerance * norm * dt * sqrt(COUNT) + rounding);
            close_bench(&b);
        }
    }
}

/* Contacts with an impulse stay in loosely solved steps, (3b), but those that rebound do so as at the default
   tolerance. Each of n impacts has an error E of its velocity v <= sqrt(2 g h), which moves the body by at
   most n E v t. A contact that is found closed half a step late, or early, shifts the peak by 2 v dt. */
TEST(bodies_rebound_at_loose_tolerances_as_at_sharp_ones)
{
    static const char *const shapes[] = {"type: sphere, radius: 0.1", "type: box, size: [0.2, 0.2, 0.2]"};
    static const char *const schemes[] = {"moreau", "moreau-jean", "symmetric-moreau", "consistent-hybrid",
                                          "consistent-two-step"};
    static const double restitutions[] = {0.5, 0.1};
    enum { STEPS = 1500 };
    const double dt = 1e-3, E = 1e-4, h = 1.0, v = sqrt(2.0 * 9.81 * h);
    for (int run = 0; run < 20; run++) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: [{name: b, mass: 1, position: [0, 0, %g], shapes: [{%s}]}]\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "contacts: [{name: c, between: [ground, b], friction: 0.5, restitution: %g}]\n"
                 "simulate: {until: 2}\n",
                 0.1 + h, shapes[run % 2], restitutions[run / 10]);
        bench sharp = prepare_bench(text, schemes[run / 2 % 5], dt),
              loose = prepare_bench(text, schemes[run / 2 % 5], dt);
        loose.scene->options.tolerance = E;
        start_bench(&sharp);
        start_bench(&loose);
        int impacts = 0;
        double highest = 0.0; /* after the first impact */
        for (int k = 1; k <= STEPS; k++) {
            step_to(sharp.simulation, dt * k);
            step_to(loose.simulation, dt * k);
            double z = tp_simulation_q(sharp.simulation)[2], w = tp_simulation_q(loose.simulation)[2];
            impacts += tp_simulation_last_step(sharp.simulation)->impact_count > 0;
            if (impacts > 0) highest = fmax(highest, z - 0.1);
            CHECK_NEAR(w, z, impacts * E * v * dt * k + 1e-12);
        }
        double e = restitutions[run / 10];
        CHECK_NEAR(highest, e * e * h, 2.0 * v * dt); /* else this tests nothing */
        close_bench(&sharp);
        close_bench(&loose);
    }
}

/* A looser tolerance is less work for the solver: without correction it would be more, since stacks that
   lean are a new problem in every step. */
TEST(stacks_take_less_work_at_looser_tolerances)
{
    static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-14};
    static char text[TEXT];
    for (int count = 10; count <= 20; count *= 2) {
        double last = 0.0;
        write_stack(count, text);
        for (int k = 0; k < 4; k++) {
            bench b = start_corrected(text, "moreau", 5e-3, tolerances[k]);
            double work = 0.0;
            for (int step = 1; step <= 60; step++) {
                step_to(b.simulation, 5e-3 * step);
                work += tp_simulation_last_step(b.simulation)->work;
            }
            CHECK(work >= last);
            last = work;
            close_bench(&b);
        }
    }
}

/* What a loose solver leaves of a stack is taken back once, and not anew in every second step because errors
   of several steps were taken for one; (11b). The impulses that stay the same hold the stack until rounding,
   1e-16, has grown to the least error that is corrected, 6e-14: the top of a stack leans with the rate sqrt(m
   g h / J) <= 54 / s for ten boxes, so that ln(600) takes 0.12 s, 23 steps of 5 ms and more of 1 ms; a few
   steps are allowed for each. */
TEST(stacks_at_loose_tolerances_are_rarely_corrected)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8}, steps[] = {1e-3, 5e-3};
    enum { STEPS = 200 };
    static char text[TEXT];
    write_stack(10, text);
    for (int run = 0; run < 8; run++) {
        bench b = start_corrected(text, "moreau", steps[run / 4], tolerances[run % 4]);
        double least = 1e-12 / 16.0 * tp_model_summarise(b.scene->model).size;
        int corrected = 0;
        for (int k = 1; k <= STEPS; k++) {
            step_to(b.simulation, steps[run / 4] * k);
            corrected += tp_simulation_last_step(b.simulation)->correction > least;
        }
        CHECK(corrected <= STEPS / 10);
        close_bench(&b);
    }
}

/* The impulses that a step leaves to the next are those of all its contacts together, shared evenly; (11a):
   they solve the next steps to rounding, whatever the tolerance is, with one Newton step at most where
   rounding has grown (solvers.md (28k)), and E stays below a ten-millionth of the
   tolerance: 96 floors of some 2e-14 (28j). The largest
   impulse is 20 m g dt = 0.98 N s in 60 contacts; its rounding, 1e-16, opens a gap by 1e-16 * 60 / 1 kg *
   5e-3 s = 3e-17 m, the softness of 1e-8 to the third power nothing, positions of 4 m round to 4e-16 m. All
   of that stays below the errors that are not worth a correction, 1e-12 / 16 of the scene's size. */
TEST(what_a_loose_solver_leaves_is_gone_after_one_step)
{
    static char text[TEXT];
    write_stack(20, text);
    bench b = start_corrected(text, "moreau", 5e-3, 1e-4);
    run_steps(b.simulation, 1, 5e-3);
    CHECK(tp_simulation_last_step(b.simulation)->correction > 1e-10); /* else this tests nothing */
    for (int k = 2; k <= 20; k++) {
        step_to(b.simulation, 5e-3 * k);
        CHECK(tp_simulation_last_step(b.simulation)->iterations <= 1);
        CHECK(tp_simulation_last_step(b.simulation)->residual <= 1e-7 * 1e-4);
        if (k > 2) CHECK(tp_simulation_last_step(b.simulation)->correction <= 1e-12 / 16.0 * 4.0);
    }
    close_bench(&b);
}

/* Bricks of 0.2 m by 0.1 m, each row shifted by half a brick. */
static void write_wall(int rows, int columns, char *text)
{
    char *end = text + snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < rows * columns; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: b%d, mass: 4, position: [%.17g, 0, %.17g],\n"
                        "     shapes: [{type: box, size: [0.2, 0.1, 0.1]}]}\n",
                        k, 0.2 * (k % columns) + 0.1 * (k / columns % 2), 0.05 + 0.1 * (k / columns));
    snprintf(end, (size_t)(text + TEXT - end),
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "contacts: [{name: c, among: all, friction: 0.5}]\nsimulate: {until: 100}\n");
}

/* Walls have many ways to share their weight, and a loose solver finds one with contacts at the border of
   their cones. The least change of impulses brings it to rest; a new way of least impulses leaves the cones,
   anew in every step: then steps take 15 iterations each at 1e-2 and 230 at 1e-6. At rest they take one
   Newton step now and then. Bricks stay within what the tolerance leaves of velocities, E |c| dt, over all
   rows of bricks; |c| of 6 contacts a brick. */
TEST(walls_come_to_rest_at_loose_tolerances)
{
    static const double tolerances[] = {1e-2, 1e-6};
    static char text[TEXT];
    enum { ROWS = 6, COLUMNS = 6, STEPS = 60 };
    const double dt = 5e-3;
    write_wall(ROWS, COLUMNS, text);
    for (int run = 0; run < 2; run++) {
        bench b = start_corrected(text, "moreau", dt, tolerances[run]);
        int iterations = 0;
        for (int k = 1; k <= STEPS; k++) {
            step_to(b.simulation, dt * k);
            if (k > 1) iterations += tp_simulation_last_step(b.simulation)->iterations;
        }
        CHECK(iterations <= STEPS);
        const double *q = tp_simulation_q(b.simulation);
        double shift = 0.0, left = tolerances[run] * sqrt(6.0 * ROWS * COLUMNS) * 9.81 * dt * dt;
        for (int k = 0; k < ROWS * COLUMNS; k++) {
            double x = 0.2 * (k % COLUMNS) + 0.1 * (k / COLUMNS % 2), z = 0.05 + 0.1 * (k / COLUMNS);
            shift = fmax(shift, hypot(hypot(q[7 * k] - x, q[7 * k + 1]), q[7 * k + 2] - z));
        }
        CHECK(shift <= ROWS * left + 1e-12);
        close_bench(&b);
    }
}

/* A cloud of 48 balls that overlap by 2 mm and tumble, without gravity: 104 contacts slide and roll, so that
   sweeps correct them, (15). They part, and the correction takes no momentum: the centre of mass moves on
   with its velocity, to rounding of 60 steps; energy falls. The largest error of each step is taken back but
   for what sweeps leave, a tenth, and for new contacts. */
TEST(heaps_that_flow_part_and_their_centre_moves_on)
{
    static char text[TEXT];
    enum { SIDE = 4, LAYERS = 3, COUNT = SIDE * SIDE * LAYERS, STEPS = 60 };
    const double spacing = 0.198, dt = 2e-3, rounding = 6.0 * COUNT * STEPS * DBL_EPSILON * 0.6;
    char *end = text + snprintf(text, TEXT, "bodies:\n");
    for (int k = 0; k < COUNT; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: b%d, mass: %d, position: [%g, %g, %g], velocity: [%g, %g, 0.5],\n"
                        "     angular_velocity: [%d, %d, 1], shapes: [{type: sphere, radius: 0.1}]}\n",
                        k, 1 + k % 3, spacing * (k % SIDE), spacing * (k / SIDE % SIDE),
                        spacing * (k / (SIDE * SIDE)), 0.05 * (k % 5 - 2), 0.05 * (k % 7 - 3), k % 4, k % 3);
    snprintf(end, (size_t)(text + TEXT - end),
             "contacts: [{name: c, among: all, friction: 0.5}]\nsimulate: {until: 100}\n");
    for (int run = 0; run < 2; run++) {
        bench b = start_corrected(text, "moreau", dt, run == 0 ? 1e-2 : 1e-14);
        double centre[3] = {0.0}, velocity[3] = {0.0}, mass = 0.0, energy = INFINITY;
        for (int step = 0; step <= STEPS; step++) {
            if (step > 0) step_to(b.simulation, dt * step);
            const double *q = tp_simulation_q(b.simulation), *u = tp_simulation_u(b.simulation);
            for (int d = 0; d < 3; d++) {
                double now = 0.0, moment = 0.0;
                for (int k = 0; k < COUNT; k++) {
                    now += (1 + k % 3) * q[7 * k + d];
                    moment += (1 + k % 3) * u[6 * k + d];
                    mass += step == 0 && d == 0 ? 1 + k % 3 : 0.0;
                }
                if (step == 0) centre[d] = now, velocity[d] = moment;
                CHECK_NEAR(moment / mass, velocity[d] / mass, rounding);
                CHECK_NEAR(now / mass, (centre[d] + dt * step * velocity[d]) / mass, rounding);
            }
            CHECK(tp_simulation_last_step(b.simulation)->energy <= energy + 1e-12);
            energy = tp_simulation_last_step(b.simulation)->energy;
        }
        CHECK(tp_simulation_report(b.simulation)->correction > 1e-3); /* else this tests nothing */
        CHECK(tp_simulation_last_step(b.simulation)->penetration <= 1e-4);
        close_bench(&b);
    }
}

/* Twelve bodies of all kinds, some of which go on rolling: corrected, they overlap by less than 1e-4 of their
   size, 0.1 m, and do not chatter: an impact in every tenth step is far above what rolling bodies have. */
TEST(bodies_of_all_kinds_come_to_rest_in_a_bowl)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        tp_scene *scene = read_edited("bowl", NULL, 0);
        scene->options.integrator = scheme == 0 ? "moreau" : "moreau-jean";
        tp_simulation *simulation = simulate_scene(scene);
        int impacts = 0;
        for (int k = 1; k <= 1500; k++) {
            step_to(simulation, 1e-3 * k);
            if (k <= 1000) continue;
            CHECK(tp_simulation_last_step(simulation)->penetration <= 1e-5);
            impacts += tp_simulation_last_step(simulation)->impact_count;
        }
        CHECK(impacts <= 50);
        CHECK_INT(tp_simulation_report(simulation)->warning_count, 0);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* The same of six bodies under energy-consistent schemes, which rest on an overlap of 5e-7 of the bowl's
   size, 2 m; tests/long has thirty. */
TEST(few_bodies_come_to_rest_in_a_bowl_under_energy_consistent_schemes)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        const char *edits[] = {"parameters.n=6"};
        tp_scene *scene = read_edited("bowl", edits, 1);
        scene->options.integrator = scheme == 0 ? "consistent-two-step" : "consistent-hybrid";
        tp_simulation *simulation = simulate_scene(scene);
        for (int k = 1; k <= 1500; k++) {
            step_to(simulation, 1e-3 * k);
            if (k > 1400) CHECK(tp_simulation_last_step(simulation)->penetration <= 1e-5);
        }
        CHECK(tp_simulation_report(simulation)->correction > 1e-3); /* else this tests nothing */
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

static const char two_balls[] =
    "bodies:\n"
    "  - {name: a, mass: 1, position: [0, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: b, mass: 3, position: [0.19, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
    "contacts: [{name: c, between: [a, b]}]\n"
    "simulate: {until: 10}\n";

/* Free bodies that overlap by 0.01 m part in the ratio of their masses, without a velocity. The error of
   1 cm in a scene of 0.29 m is damped at first, theory/correction.md (7): each step leaves at most a part
   s / (1 + s), s = 10 |g| / 0.29. */
TEST(bodies_that_overlap_part_and_stay_at_rest_and_their_centre_stays)
{
    bench b = start_corrected(two_balls, "moreau", 1e-2, 1e-14);
    double gap = -0.01;
    for (int k = 1; k <= 12; k++) {
        step_to(b.simulation, 1e-2 * k);
        const double *q = tp_simulation_q(b.simulation), *u = tp_simulation_u(b.simulation);
        double now = q[7] - q[0] - 0.2, s = fmax(10.0 * fabs(gap) / 0.29, 1e-8);
        CHECK(now >= gap * s / (1.0 + s) - 1e-15 && now <= 1e-15);
        CHECK_NEAR(q[0] + 3.0 * q[7], 3.0 * 0.19, 4e-16);
        for (int j = 0; j < 12; j++) CHECK(u[j] == 0.0);
        gap = now;
    }
    CHECK(gap >= -1e-14);
    CHECK(tp_simulation_last_step(b.simulation)->correction_energy == 0.0);
    close_bench(&b);
}

/* A heavy ball overlaps a light one by 1 cm, and 1 mm behind that is a third. Pushed alone, the light one
   would go 8 mm or more into the third: (1 - s / (1 + s)) 1 cm, s = 10 * 0.01 / 0.49 at most, less 1 mm. */
TEST(bodies_are_not_pushed_into_their_neighbours)
{
    static const char text[] =
        "bodies:\n"
        "  - {name: a, mass: 1000, position: [0, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
        "  - {name: b, mass: 1, position: [0.19, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
        "  - {name: c, mass: 1, position: [0.391, 0, 0], shapes: [{type: sphere, radius: 0.1}]}\n"
        "contacts: [{name: all, among: [a, b, c]}]\nsimulate: {until: 10}\n";
    bench b = start_corrected(text, "moreau", 1e-2, 1e-14);
    step_to(b.simulation, 1e-2);
    const double *q = tp_simulation_q(b.simulation);
    CHECK(q[7] - q[0] - 0.2 > -4e-3);
    CHECK(q[14] - q[7] - 0.2 > -1e-3);
    close_bench(&b);
}

/* A ball lands within a step and sinks in by up to v dt / 2; the energy that lifting it takes is reported. */
TEST(the_overlap_of_an_impact_goes_away_and_its_energy_is_reported)
{
    static const char text[] = "gravity: [0, 0, -10]\n"
                               "bodies: [{name: a, mass: 2, position: [0, 0, 0.131], velocity: [0, 0, -1],\n"
                               "          shapes: [{type: sphere, radius: 0.1}]}]\n"
                               "ground: {shapes: [{name: floor, type: plane}]}\n"
                               "contacts: [{name: c, between: [ground, a]}]\nsimulate: {until: 10}\n";
    bench plain = open_bench(text, "moreau", 1e-2), b = start_corrected(text, "moreau", 1e-2, 1e-14);
    run_steps(plain.simulation, 10, 1e-2);
    run_steps(b.simulation, 10, 1e-2);
    double depth = 0.1 - tp_simulation_q(plain.simulation)[2];
    CHECK(depth > 1e-4); /* else this tests nothing */
    CHECK_NEAR(tp_simulation_q(b.simulation)[2], 0.1, 1e-14);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK(report->correction > 1e-4 && report->correction <= depth + 1e-14); /* in two steps */
    CHECK_NEAR(report->correction_energy, 2.0 * 10.0 * depth, 1e-12);
    CHECK_NEAR(report->energy_final, 2.0 * 10.0 * 0.1, 1e-12);
    close_bench(&plain);
    close_bench(&b);
}

/* A box sticks to the floor and overlaps a wall by 1e-5 m. Its four friction rows yield as its four rows at
   the wall do; (7): each step takes a half back, 20 steps a millionth part. Rows of friction as hard as those
   of joints would leave nearly all of it. */
TEST(a_body_that_sticks_is_pushed_out_of_a_wall)
{
    static const char text[] =
        "gravity: [0, 0, -10]\n"
        "bodies: [{name: a, mass: 2, position: [0, 0, 0.1],\n"
        "          shapes: [{type: box, size: [0.2, 0.2, 0.2]}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}, {name: wall, type: plane,\n"
        "  position: [-0.09999, 0, 0], orientation: {axis: [0, 1, 0], angle: pi/2}}]}\n"
        "contacts: [{name: c, between: [ground, a], friction: 0.5}]\n"
        "simulate: {until: 10}\n";
    for (int scheme = 0; scheme < 2; scheme++) {
        bench b = start_corrected(text, scheme == 0 ? "moreau" : "moreau-jean", 5e-3, 1e-10);
        CHECK_NEAR(tp_simulation_last_step(b.simulation)->penetration, 1e-5, 1e-12);
        run_steps(b.simulation, 20, 5e-3);
        CHECK(tp_simulation_last_step(b.simulation)->penetration <= 2e-11);
        CHECK_NEAR(tp_simulation_q(b.simulation)[2], 0.1, 1e-9);
        close_bench(&b);
    }
}

/* Energy-consistent schemes keep the overlap of an impact; corrected, they rest on 5e-7 of the size of the
   scene, in all directions the same: the ball is 0.1 m in radius and begins 0.131 m above the floor, so that
   the size is at most 1 m. What is lifted is reported, and the velocities are those without a correction. */
TEST(schemes_that_keep_overlaps_come_back_to_the_surface_as_well)
{
    static const char *const schemes[] = {"consistent-two-step", "consistent-hybrid",
                                          "consistent-quaternion-two-step"};
    static const char text[] =
        "gravity: [0, 0, -10]\n"
        "bodies: [{name: a, mass: 2, position: [0, 0, 0.131], velocity: [0.3, 0, -1],\n"
        "          shapes: [{type: sphere, radius: 0.1}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: c, between: [ground, a]}]\nsimulate: {until: 10}\n";
    for (int k = 0; k < 3; k++) {
        bench plain = open_bench(text, schemes[k], 1e-2), b = start_corrected(text, schemes[k], 1e-2, 1e-14);
        run_steps(plain.simulation, 10, 1e-2);
        run_steps(b.simulation, 10, 1e-2);
        double depth = 0.1 - tp_simulation_q(plain.simulation)[2],
               left = 0.1 - tp_simulation_q(b.simulation)[2];
        CHECK(depth > 1e-4); /* else this tests nothing */
        CHECK(left > 0.0 && left <= 5e-7);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->correction_energy, 2.0 * 10.0 * (depth - left), 1e-12);
        CHECK_NEAR(tp_simulation_last_step(b.simulation)->correction, 0.0, 1e-15);
        for (int j = 0; j < 6; j++)
            CHECK_NEAR(tp_simulation_u(b.simulation)[j], tp_simulation_u(plain.simulation)[j], 1e-13);
        close_bench(&plain);
        close_bench(&b);
    }
}

/* A chain of bars that hangs from the ground, thrown sideways, in steps in which it turns by tenths of a
   radian. */
static void write_chain(char *text)
{
    char *end = text + snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < 6; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: b%d, mass: %d, position: [%.15g, 0, 0], inertia: [0.001, 0.01, 0.01]}\n",
                        k, k % 2 == 0 ? 100 : 1, 0.15 + 0.3 * k);
    end += snprintf(end, (size_t)(text + TEXT - end), "joints:\n");
    for (int k = 0; k < 6; k++) {
        char first[16] = "ground";
        if (k > 0) snprintf(first, sizeof first, "b%d", k - 1);
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: j%d, type: spherical, bodies: [%s, b%d], point: [%.15g, 0, 0]}\n", k,
                        first, k, 0.3 * k);
    }
    snprintf(end, (size_t)(text + TEXT - end), "simulate: {until: 100}\n");
}

/* Positions end within contact_tolerance of the scene's size, 1.8 m; velocities are projected, which leaves
   rounding of their size, some 10 m/s, times what the softness leaves. Projections take energy only. */
TEST(joints_in_coarse_steps_stay_together_in_positions_and_velocities)
{
    static char text[TEXT];
    write_chain(text);
    for (int scheme = 0; scheme < 2; scheme++) {
        const char *name = scheme == 0 ? "moreau" : "moreau-jean";
        bench plain = open_bench(text, name, 5e-3), b = start_corrected(text, name, 5e-3, 1e-8);
        run_steps(plain.simulation, 200, 5e-3);
        run_steps(b.simulation, 200, 5e-3);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(tp_simulation_report(plain.simulation)->position_drift > 1e-4);
        CHECK(report->position_drift <= 2e-12);
        CHECK(report->velocity_drift <= 1e-10);
        for (int k = 0; k < report->warning_count; k++)
            CHECK(strncmp(report->warnings[k].name, "joint", 5) != 0);
        close_bench(&plain);
        close_bench(&b);
    }
}

/* Rods in a horizontal line that fall: factors of the step correct it, those of its middle for few rods,
   those of its end for many (TP_CORRECTION_ROWS). Positions end within contact_tolerance of the scene's size,
   below 1e-9 m; velocities within a sixteenth of that in a step. Without a correction a few steps are farther
   off. The projection of velocities lessens the loss of energy; theory/correction.md (10). */
TEST(falling_chains_of_all_lengths_stay_together)
{
    static const int lengths[] = {10, 100, 400};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies:\n"
                 "  - {repeat: {k: %d}, name: 'b{k}', density: 1000, position: [0.1 + 0.2*k, 0, 0],\n"
                 "     shapes: [{type: box, size: [0.2, 0.02, 0.02]}]}\njoints:\n"
                 "  - {name: j0, type: revolute, bodies: [ground, b0], point: [0, 0, 0], axis: [0, 1, 0]}\n"
                 "  - {repeat: {k: [1, %d]}, let: {l: k - 1}, name: 'j{k}', type: revolute, point: [0.2*k, "
                 "0, 0],\n"
                 "     bodies: ['b{l}', 'b{k}'], axis: [0, 1, 0]}\nsimulate: {until: 100}\n",
                 lengths[k], lengths[k] - 1);
        int steps = lengths[k] > 100 ? 40 : 200;
        double dt = 1e-3, size = 0.2 * lengths[k];
        bench plain = open_bench(text, "moreau", dt), b = start_corrected(text, "moreau", dt, 1e-14);
        run_steps(plain.simulation, steps, dt);
        run_steps(b.simulation, steps, dt);
        const tp_run_report *report = tp_simulation_report(b.simulation),
                            *other = tp_simulation_report(plain.simulation);
        CHECK(other->position_drift > 1e-9);
        CHECK(report->position_drift <= fmin(1e-9, 1.1e-12 * size));
        CHECK(report->velocity_drift <= 1.1e-12 * size / (16.0 * dt));
        CHECK(fabs(report->energy_final) < fabs(other->energy_final));
        CHECK(report->correction > 1e-9);
        close_bench(&plain);
        close_bench(&b);
    }
}

/* Two constraints of nearly the same direction, eps, that a jump e contradicts: a hundred times as far away
   the curved rows meet, at y = e/eps, x = -k y^2. Newton's step alone raises the error tenfold there; damped,
   the passes of one step end within contact_tolerance, as (8) says. The second pair needs more damping than
   its first pass has: without it 9e-4 is left. */
TEST(nearly_dependent_joints_are_closed_within_the_passes_of_a_step)
{
    static const struct {
        double eps, e;
    } pairs[] = {{1e-2, 1e-4}, {3e-2, 1e-3}};
    for (int i = 0; i < 2; i++) {
        const double eps = pairs[i].eps, e = pairs[i].e, k = 10.0, y = e / eps;
        char text[512];
        snprintf(text, sizeof text,
                 "coordinates: [x, y]\nkinetic: \"(x'^2 + y'^2)/2\"\nconstraints:\n"
                 "  - {name: a, position: \"x + %g*y + 10*y^2 - %g*step(t - 0.05)\"}\n"
                 "  - {name: b, position: \"x - %g*y + 10*y^2 + %g*step(t - 0.05)\"}\n"
                 "simulate: {until: 10}\n",
                 eps, e, eps, e);
        bench b = start_corrected(text, "moreau", 1e-2, 1e-14);
        run_steps(b.simulation, 10, 1e-2);
        const double *q = tp_simulation_q(b.simulation);
        CHECK(tp_simulation_report(b.simulation)->correction > 0.99 * e); /* else this tests nothing */
        CHECK(tp_simulation_report(b.simulation)->position_drift <= 1e-12);
        CHECK_NEAR(q[0], -k * y * y, 1e-10); /* errors of 1e-12 over eps, and twice k y of that */
        CHECK_NEAR(q[1], y, 1e-10);
        close_bench(&b);
    }
}

/* A mass m is driven along x = a t^2/2. The step gives it the velocity of its middle, the correction that of
   its end: two impulses m a dt/2, whose points move with a (t + dt/2) and a (t + dt). Over n steps their work
   is m u^2/2 (1 + 1/(2 n)) with the last velocity u; (10) without -L.chi would miss half of it. */
TEST(the_work_of_a_drive_is_that_of_the_step_and_of_the_correction)
{
    enum { STEPS = 10 };
    const double m = 2.0, a = 3.0, dt = 1e-2, u = a * STEPS * dt;
    bench b = start_corrected("coordinates: [x]\nkinetic: \"x'^2\"\n"
                              "constraints: [{name: drive, position: \"x - 3/2*t^2\"}]\n"
                              "simulate: {until: 10}\n",
                              "moreau", dt, 1e-14);
    double work = 0.0, booked = 0.0;
    for (int k = 1; k <= STEPS; k++) {
        step_to(b.simulation, k * dt);
        work += tp_simulation_last_step(b.simulation)->applied_work;
        booked += tp_simulation_applied_work(b.simulation, 0);
    }
    CHECK_NEAR(tp_simulation_u(b.simulation)[0], u, 1e-9 * u);
    CHECK_NEAR(tp_simulation_q(b.simulation)[0], 0.5 * a * STEPS * dt * STEPS * dt, 1e-9);
    CHECK_NEAR(work, 0.5 * m * u * u * (1.0 + 0.5 / STEPS), 1e-8);
    CHECK_NEAR(booked, work, 1e-12);
    close_bench(&b);
}

/* Three light links between two heavy bars, in steps in which they turn by up to a radian: without (8a) the
   links are thrown about and joints stay open by decimetres. */
TEST(light_links_between_heavy_bars_stay_together_in_coarse_steps)
{
    static const char *const names[] = {"ground", "b0", "b1", "b2", "b3", "b4"};
    static const double mass[] = {2075.0, 1.07, 6.65, 3.71, 1325.0, 195.0};
    static char text[TEXT];
    char *end = text + snprintf(text, TEXT, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < 6; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: b%d, mass: %g, position: [%.15g, 0, 2.08],\n"
                        "     shapes: [{type: box, size: [0.32, 0.04, 0.04]}]}\n",
                        k, mass[k], 0.18 + 0.36 * k);
    end += snprintf(end, (size_t)(text + TEXT - end), "joints:\n");
    for (int k = 0; k < 6; k++)
        end += snprintf(end, (size_t)(text + TEXT - end),
                        "  - {name: j%d, type: spherical, bodies: [%s, b%d], point: [%.15g, 0, 2.08]}\n", k,
                        names[k], k, 0.36 * k);
    snprintf(end, (size_t)(text + TEXT - end),
             "ground: {shapes: [{name: floor, type: plane}]}\n"
             "contacts: [{name: c, between: [floor, b5], friction: 1}]\nsimulate: {until: 100}\n");
    for (int k = 0; k < 4; k++) {
        const double dt = k == 0 ? 7e-3 : 1e-2 * k;
        bench b = start_corrected(text, "moreau", dt, 1e-14);
        run_steps(b.simulation, (int)(2.4 / dt), dt);
        CHECK(tp_simulation_report(b.simulation)->position_drift <= 3e-12); /* 1e-12 of 2.5 m */
        close_bench(&b);
    }
}

static const char heap[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, position: [0, 0, 0.11], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: b, mass: 1, position: [0.21, 0, 0.12], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: c, mass: 50, position: [0.11, 0.02, 0.35], velocity: [0, 0, -3],\n"
    "     shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: d, mass: 5, position: [0.1, -0.02, 0.6], velocity: [0, 0, -5],\n"
    "     shapes: [{type: sphere, radius: 0.1}]}\n"
    "ground: {shapes: [{name: floor, type: plane},\n"
    "                  {name: left, type: plane, position: [-0.11, 0, 0], orientation: {axis: [0, 1, 0], "
    "angle: 1.5707963267948966}},\n"
    "                  {name: right, type: plane, position: [0.33, 0, 0], orientation: {axis: [0, 1, 0], "
    "angle: -1.5707963267948966}}]}\n"
    "contacts: [{name: all, among: [ground, a, b, c, d], friction: 0.3}]\n"
    "simulate: {until: 10}\n";

/* A wedged heap in coarse steps: what cannot be taken back in one step without a long motion is left to the
   next ones. Falling by 5 m/s in steps of 5 ms the balls overlap by up to 25 mm without a correction. */
TEST(a_heap_in_coarse_steps_runs_with_correction_and_with_projection)
{
    for (int k = 0; k < 2; k++) {
        bench b = prepare_bench(heap, "moreau", 5e-3);
        b.scene->options.tolerance = 1e-4;
        b.scene->options.correction.is_on = k == 0;
        if (k == 1) b.scene->options.projection.kind = TP_PROJECTION_VELOCITIES;
        start_bench(&b);
        run_steps(b.simulation, 200, 5e-3);
        CHECK(tp_simulation_last_step(b.simulation)->penetration <= 1e-4);
        CHECK(tp_simulation_report(b.simulation)->energy_final < 60.0 * 9.81 * 0.5);
        close_bench(&b);
    }
}

/* One iteration a step cannot reach rounding: the run goes on, with a warning that says so. */
TEST(a_projection_that_misses_its_tolerance_goes_on_with_a_warning)
{
    static char text[TEXT];
    write_chain(text);
    bench b = prepare_bench(text, "moreau", 5e-3);
    b.scene->options.projection =
        (tp_projection_options){.kind = TP_PROJECTION_VELOCITIES, .tolerance = 1e-15, .max_iterations = 1};
    start_bench(&b);
    run_steps(b.simulation, 100, 5e-3);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    bool is_warned = false;
    for (int k = 0; k < report->warning_count; k++)
        is_warned = is_warned || strcmp(report->warnings[k].name, "positions-left") == 0;
    CHECK(is_warned);
    close_bench(&b);
}

TEST(a_corrected_run_that_is_stopped_goes_on_with_the_same_bits)
{
    static char text[TEXT];
    write_stack(4, text);
    for (int k = 0; k < 2; k++) {
        if (k == 1) write_chain(text);
        bench b = start_corrected(text, "moreau", 5e-3, 1e-6),
              c = start_corrected(text, "moreau", 5e-3, 1e-6);
        run_steps(b.simulation, 20, 5e-3);
        tp_restart restart;
        tp_message why = {""};
        tp_simulation_checkpoint(b.simulation, &restart);
        if (tp_simulation_restore(c.simulation, &restart, &why) != TP_OK) fail_msg("%s", why.text);
        for (int step = 21; step <= 40; step++) {
            step_to(b.simulation, 5e-3 * step);
            step_to(c.simulation, 5e-3 * step);
        }
        int count = tp_model_summarise(b.scene->model).coordinate_count;
        CHECK(memcmp(tp_simulation_q(b.simulation), tp_simulation_q(c.simulation),
                     (size_t)count * sizeof(double)) == 0);
        close_bench(&b);
        close_bench(&c);
    }
}

TEST(schemes_that_hold_positions_refuse_a_correction_and_so_does_a_projection)
{
    static const char *const others[] = {"schatzman-paoli", "consistent-quaternion", "generalized-alpha"};
    bench b = prepare_bench(two_balls, "moreau", 1e-2);
    tp_simulation_options options = b.scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.correction.is_on = true;
    for (int k = 0; k < 3; k++) {
        options.integrator = others[k];
        CHECK_INT(tp_simulation_create(NULL, b.scene->model, &options, &simulation, &why), TP_UNSUPPORTED);
        CHECK(strstr(why.text, "takes no correction") != NULL);
    }
    options.integrator = "moreau";
    options.projection.kind = TP_PROJECTION_VELOCITIES;
    CHECK_INT(tp_simulation_create(NULL, b.scene->model, &options, &simulation, &why), TP_INVALID_DATA);
    options.projection.kind = TP_PROJECTION_NONE;
    options.correction.share = 1.5;
    CHECK_INT(tp_simulation_create(NULL, b.scene->model, &options, &simulation, &why), TP_INVALID_DATA);
    tp_scene_free(b.scene);
}

TEST_MAIN(RUNS(stacks_stand_at_every_tolerance),
          RUNS(stacks_without_a_correction_drift_by_no_more_than_the_errors_of_their_steps),
          RUNS(stacks_of_all_sizes_stand_at_loose_tolerances),
          RUNS(bodies_rebound_at_loose_tolerances_as_at_sharp_ones),
          RUNS(stacks_take_less_work_at_looser_tolerances),
          RUNS(stacks_at_loose_tolerances_are_rarely_corrected),
          RUNS(what_a_loose_solver_leaves_is_gone_after_one_step),
          RUNS(walls_come_to_rest_at_loose_tolerances), RUNS(heaps_that_flow_part_and_their_centre_moves_on),
          RUNS(bodies_of_all_kinds_come_to_rest_in_a_bowl),
          RUNS(few_bodies_come_to_rest_in_a_bowl_under_energy_consistent_schemes),
          RUNS(light_links_between_heavy_bars_stay_together_in_coarse_steps),
          RUNS(bodies_that_overlap_part_and_stay_at_rest_and_their_centre_stays),
          RUNS(bodies_are_not_pushed_into_their_neighbours),
          RUNS(the_overlap_of_an_impact_goes_away_and_its_energy_is_reported),
          RUNS(schemes_that_keep_overlaps_come_back_to_the_surface_as_well),
          RUNS(a_body_that_sticks_is_pushed_out_of_a_wall),
          RUNS(joints_in_coarse_steps_stay_together_in_positions_and_velocities),
          RUNS(falling_chains_of_all_lengths_stay_together),
          RUNS(nearly_dependent_joints_are_closed_within_the_passes_of_a_step),
          RUNS(the_work_of_a_drive_is_that_of_the_step_and_of_the_correction),
          RUNS(a_heap_in_coarse_steps_runs_with_correction_and_with_projection),
          RUNS(a_projection_that_misses_its_tolerance_goes_on_with_a_warning),
          RUNS(a_corrected_run_that_is_stopped_goes_on_with_the_same_bits),
          RUNS(schemes_that_hold_positions_refuse_a_correction_and_so_does_a_projection))
