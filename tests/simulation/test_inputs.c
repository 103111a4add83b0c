/* Inputs: held over a step, booked as applied work, part of checkpoints; docs/guide/inputs.md. */
#define _POSIX_C_SOURCE 200809L
#include "count_allocations.h"
#include "io/scratch.h"
#include "restarts.h"
#include "simulations.h"

static const double dt = 1e-3; /* [s] */

static tp_input_id input_of(const tp_simulation *simulation, const char *name)
{
    const tp_model *model = tp_simulation_model(simulation);
    return (tp_input_id){model, tp_model_find_input(model, name)};
}

static void set(tp_simulation *simulation, const char *name, double value)
{
    tp_message why = {""};
    if (tp_simulation_set_input(simulation, input_of(simulation, name), value, &why) != TP_OK)
        fail_msg("%s", why.text);
}

/* Every integrator that takes the model. */
static tp_simulation *next_simulation(const tp_model *model, int *next_io, double end_time)
{
    while (*next_io < tp_integrator_count()) {
        tp_simulation *simulation = NULL;
        const tp_integrator_info *info = tp_integrator_info_at((*next_io)++);
        if (info->chooses_steps)
            continue; /* between two times there are several steps: claims/relaxed_adaptive */
        if (strcmp(info->name, "penalty") == 0) continue; /* order 1, and springs in place of motors */
        tp_simulation_options options = options_of(info->name, dt, end_time);
        if (tp_simulation_create(NULL, model, &options, &simulation, NULL) == TP_OK) return simulation;
    }
    return NULL;
}

static const char *name_of(const tp_simulation *simulation)
{
    return tp_simulation_get_options(simulation)->integrator;
}

static const char pushed[] = "parameters: {m: 2}\n"
                             "inputs: [{name: push, unit: N, default: 3}]\n"
                             "coordinates: [{name: x, velocity: 0.5}]\n"
                             "kinetic: \"m/2*x'^2\"\n"
                             "forces: [{on: x, force: push}]\n"
                             "sensors: {twice: \"2*push\"}\n";

/* Schemes whose forces act at states, half a step before and half after. */
static bool acts_at_states(const tp_simulation *simulation)
{
    return strcmp(name_of(simulation), "schatzman-paoli") == 0 ||
           strcmp(name_of(simulation), "symmetric-moreau") == 0;
}

/* m u changes by F dt in a step with the force F; the work of F is the change of m u^2/2. Velocities of
   schatzman-paoli and symmetric-moreau are differences of positions, whose forces act half a step away: F
   dt/m off at most. */
TEST(a_force_is_held_over_each_step)
{
    tp_scene *scene = scene_of(pushed);
    int next = 0, seen = 0;
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL; seen++) {
        bool is_shifted = acts_at_states(s);
        double velocity = 0.5, work = 0.0;
        CHECK_NEAR(tp_simulation_input(s, input_of(s, "push")), 3.0, 0.0);
        for (int k = 1; k <= 100; k++) {
            double force = k <= 10 ? 3.0 : (k <= 50 ? -7.0 : 11.0);
            if (k > 10) set(s, "push", force);
            step_to(s, k * dt);
            CHECK_NEAR(tp_simulation_input(s, input_of(s, "push")), force, 0.0);
            CHECK_NEAR(tp_simulation_sensor(s, 0), 2.0 * force, 0.0);
            velocity += force / 2.0 * dt;
            work += tp_simulation_last_step(s)->applied_work;
            CHECK_NEAR(tp_simulation_u(s)[0], velocity, is_shifted ? 11.0 / 2.0 * dt : 1e-13);
        }
        double gained = velocity * velocity - 0.25; /* m/2 = 1 */
        CHECK_NEAR(work, gained, is_shifted ? 2.0 * 11.0 * dt * fabs(velocity) : 1e-13);
        CHECK_INT(tp_simulation_report(s)->warning_count, 0);
        tp_simulation_free(s);
    }
    CHECK(seen >= 8);
    tp_scene_free(scene);
}

/* A spring whose far end is at the input s: between jumps x - s swings with omega = 10 rad/s. Each jump
   changes the potential, and that is booked as work. */
static const char pulled[] = "parameters: {m: 2, k: 200}\n"
                             "inputs: [s]\n"
                             "coordinates: [{name: x, initial: 0.1}]\n"
                             "kinetic: \"m/2*x'^2\"\n"
                             "potential: \"k/2*(x - s)^2\"\n";

static double end_of_spring(int step)
{
    return step <= 100 ? 0.0 : (step <= 250 ? 0.3 : (step <= 400 ? -0.2 : 0.05));
}

/* The exact state after so many steps. */
static void swing(int steps, double *x_out, double *v_out)
{
    double x = 0.1, v = 0.0, omega = 10.0, c = cos(omega * dt), d = sin(omega * dt);
    for (int k = 1; k <= steps; k++) {
        double y = x - end_of_spring(k);
        x = end_of_spring(k) + y * c + v / omega * d;
        v = v * c - omega * y * d;
    }
    *x_out = x;
    *v_out = v;
}

/* Relative to the largest swing, 0.7 m: schemes of order 2 turn by at most (omega dt)^2/12 too little, and
   each of the four swings starts with an error of at most (omega dt)^2/8. The forces of schatzman-paoli act
   half a step around a state: a jump of s acts half a step early and changes the velocity by omega^2 ds dt/2,
   the three of them (1.05 m in all) by 0.75 omega dt of the swing; its velocities are half a step old. */
TEST(jumps_of_a_potential_are_booked_as_work)
{
    tp_scene *scene = scene_of(pulled);
    int next = 0, seen = 0;
    double x, v, largest = 0.7, omega = 10.0, time = 0.6;
    swing(600, &x, &v);
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL; seen++) {
        bool is_shifted = acts_at_states(s);
        bool is_exact = strncmp(name_of(s), "consistent", 10) == 0;
        double start = tp_simulation_last_step(s)->energy, work = 0.0, energy = 0.0;
        for (int k = 1; k <= 600; k++) {
            set(s, "s", end_of_spring(k));
            step_to(s, k * dt);
            work += tp_simulation_last_step(s)->applied_work;
            energy = fmax(energy, tp_simulation_last_step(s)->energy);
        }
        double order = omega * dt * omega * dt * (omega * time / 12.0 + 4.0 / 8.0) +
                       (is_shifted ? 1.25 * omega * dt : 0.0);
        CHECK_NEAR(tp_simulation_q(s)[0], x, order * largest);
        CHECK_NEAR(tp_simulation_u(s)[0], v, order * largest * omega);
        double balance = tp_simulation_last_step(s)->energy - start - work;
        double scheme = is_shifted ? 2.0 * 1.25 * omega * dt : omega * dt * omega * dt;
        CHECK_NEAR(balance, 0.0, energy * (is_exact ? 1e-12 : scheme));
        CHECK_INT(tp_simulation_report(s)->warning_count, 0);
        tp_simulation_free(s);
    }
    CHECK(seen >= 8);
    tp_scene_free(scene);
}

/* A motor at the speed of an input: the jump from w to w' does the work P w' with P = I (w' - w); the energy
   changes by I (w'^2 - w^2)/2, the rest I (w' - w)^2/2 is lost as in an impact. That is not a fault of a
   scheme: there is no warning. */
TEST(a_motor_follows_its_input_and_books_the_jump)
{
    static const char rotor[] =
        "inputs: [{name: speed, unit: rad/s}]\n"
        "bodies: [{name: rotor, mass: 2, inertia: [0.1, 0.1, 0.2]}]\n"
        "joints:\n"
        "  - {name: shaft, type: revolute, bodies: [ground, rotor],\n"
        "     point: [0, 0, 0], axis: [0, 0, 1], motor: {name: drive, speed: speed}}\n";
    tp_scene *scene = scene_of(rotor);
    static const double speeds[] = {0.0, 1.0, 10.0, -3.0, 0.0};
    int next = 0, seen = 0;
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL; seen++) {
        const int drive = 1;                          /* laws: the joint, then the motor */
        if (strncmp(name_of(s), "relaxed", 7) == 0) { /* follows within its relaxation time */
            tp_simulation_free(s);
            seen--;
            continue;
        }
        for (int k = 1; k < 5 * 20; k++) {
            double before = speeds[(k - 1) / 20], w = speeds[k / 20];
            set(s, "speed", w);
            step_to(s, k * dt);
            /* where impulses act at states, these have the mean velocity */
            CHECK_NEAR(tp_simulation_u(s)[5], acts_at_states(s) ? 0.5 * (before + w) : w, 1e-13);
            CHECK_NEAR(tp_simulation_applied_work(s, drive), 0.2 * (w - before) * w, 1e-12);
            CHECK_NEAR(tp_simulation_dissipation(s, drive), 0.1 * (w - before) * (w - before), 1e-12);
        }
        /* means of velocities show half of a jump: theory/symmetric-moreau.md (12) */
        if (!acts_at_states(s)) CHECK_INT(tp_simulation_report(s)->warning_count, 0);
        tp_simulation_free(s);
    }
    /* moreau, moreau-jean, symmetric-moreau, generalized-alpha, theta-gamma: the others refuse laws that move
     * by themselves */
    CHECK_INT(seen, 5);
    tp_scene_free(scene);
}

/* Values that were set but not yet used belong to a checkpoint, and so does the work of their jump. */
TEST(a_checkpoint_has_the_inputs)
{
    tp_scene *scene = scene_of(pulled);
    int next = 0;
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL;) {
        for (int k = 1; k <= 10; k++) step_to(s, k * dt);
        set(s, "s", 0.25);
        tp_restart now;
        tp_message why = {""};
        tp_simulation_checkpoint(s, &now);
        tp_simulation *t = simulate_with(scene->model, name_of(s), dt, 1.0);
        if (tp_simulation_restore(t, &now, &why) != TP_OK) fail_msg("%s", why.text);
        for (int k = 11; k <= 20; k++) {
            step_to(s, k * dt);
            step_to(t, k * dt);
            CHECK(are_same_states(s, t));
            CHECK(tp_simulation_last_step(s)->applied_work == tp_simulation_last_step(t)->applied_work);
            CHECK(tp_simulation_last_step(s)->energy == tp_simulation_last_step(t)->energy);
        }
        CHECK(tp_simulation_last_step(s)->energy > 1.0); /* the jump: k/2 (0.1 - 0.25)^2 = 2.25 J */

        /* another integrator goes on with the same inputs */
        tp_simulation_checkpoint(s, &now);
        tp_simulation *other = simulate_with(
            scene->model, strcmp(name_of(s), "moreau") == 0 ? "moreau-jean" : "moreau", dt, 1.0);
        if (tp_simulation_restore(other, &now, &why) != TP_OK) fail_msg("%s", why.text);
        CHECK_NEAR(tp_simulation_input(other, input_of(other, "s")), 0.25, 0.0);
        tp_simulation_free(other);
        tp_simulation_free(t);
        tp_simulation_free(s);
    }
    tp_scene_free(scene);
}

TEST(before_the_first_step_an_input_belongs_to_the_start)
{
    tp_scene *scene = scene_of(pulled);
    tp_simulation *s = simulate_with(scene->model, "schatzman-paoli", dt, 1.0);
    CHECK_NEAR(tp_simulation_report(s)->energy_initial, 1.0, 1e-14); /* 100 (0.1)^2 */
    set(s, "s", 0.3);
    CHECK_NEAR(tp_simulation_report(s)->energy_initial, 4.0, 1e-14); /* 100 (0.2)^2 */
    CHECK_NEAR(tp_simulation_last_step(s)->energy, 4.0, 1e-14);
    step_to(s, dt);
    CHECK_NEAR(tp_simulation_last_step(s)->applied_work, 0.0, 0.0);
    set(s, "s", 0.1); /* acts in the next step */
    CHECK_NEAR(tp_simulation_input(s, input_of(s, "s")), 0.3, 0.0);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(what_cannot_be_set_is_refused)
{
    tp_scene *scene = scene_of(pushed), *other = scene_of(pulled);
    tp_simulation *s = simulate_with(scene->model, "moreau", dt, 1.0);
    tp_message why = {""};
    tp_input_id push = input_of(s, "push"), foreign = {other->model, 0}, none = {scene->model, 1};
    CHECK_INT(tp_simulation_set_input(s, foreign, 1.0, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_set_input(s, none, 1.0, &why), TP_INVALID_ARGUMENT);
    CHECK_INT(tp_simulation_set_input(s, push, NAN, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "push") != NULL);
    CHECK_INT(tp_simulation_set_input(s, push, INFINITY, NULL), TP_INVALID_ARGUMENT);
    CHECK_NEAR(tp_simulation_input(s, push), 3.0, 0.0);
    CHECK(isnan(tp_simulation_input(s, none)));
    tp_simulation_free(s);
    tp_scene_free(scene);
    tp_scene_free(other);
}

/* Positions, rates and inertia cannot jump: refused where they are stated, with what to do. */
TEST(inputs_are_refused_where_a_jump_has_no_meaning)
{
    static const struct {
        const char *section, *what, *advice;
    } cases[] = {
        {"kinetic: \"x'^2\"\nconstraints: [{name: c, position: \"x - v\"}]", "the position of 'c'",
         "velocity"},
        {"kinetic: \"x'^2\"\ncontacts: [{name: c, gap: \"x - v\"}]", "the gap of 'c'", "velocity"},
        {"kinetic: \"x'^2\"\ncontacts: [{name: c, gap: \"x - v\", compliance: 1e-3}]", "the gap of 'c'",
         "velocity"},
        {"kinetic: \"v*x'^2\"", "the kinetic energy", "momentum"},
        {"mass: [[v]]", "the mass matrix", "momentum"},
        {"kinetic: \"x'^2\"\ndraw: [{name: d, kind: point, at: [x, v]}]", "coordinate y", "velocity"},
        {"kinetic: \"x'^2\"\nbodies: [{name: b, type: moving, motion: [v, \"0\", \"0\"]}]",
         "the motion of a body", "velocity"},
        {"kinetic: \"x'^2\"\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n"
         "joints: [{name: j, type: revolute, bodies: [ground, b], point: [0, 0, 0], axis: [0, 0, 1],"
         " motor: {name: m, position: v}}]",
         "the target of 'm'", "velocity"},
        {"kinetic: \"x'^2\"\nexact: {motion: {x: v}}", "exact motion of 'x'", "t and parameters alone"},
        {"kinetic: \"x'^2\"\ninitial: {x: v}", "constant", "parameters"},
        {"velocities: [u]\nrates: {x: \"u + v\"}\nmass: [[1]]", "the rate of 'x'", "momentum"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[700];
        tp_scene *scene = NULL;
        tp_message why = {""};
        snprintf(text, sizeof text, "inputs: [v]\ncoordinates: [x]\n%s\n", cases[k].section);
        tp_status status = tp_scene_read_memory(NULL, "s.yaml", text, strlen(text), NULL, 0, &scene, &why);
        if (status != TP_INVALID_DATA || strstr(why.text, cases[k].what) == NULL ||
            strstr(why.text, cases[k].advice) == NULL || strstr(why.text, "s.yaml:") == NULL)
            fail_msg("%s: %s", cases[k].section, why.text);
        tp_scene_free(scene);
    }
    CHECK(sizeof cases > 0);
}

TEST(setting_inputs_between_warm_steps_takes_no_memory)
{
#if defined(CAN_COUNT_ALLOCATIONS)
    tp_scene *scene = scene_of(pulled);
    int next = 0;
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL;) {
        for (int k = 1; k <= 60; k++) {
            allocation_count = 0;
            is_counting = k > 20;
            tp_simulation_set_input(s, (tp_input_id){scene->model, 0}, 0.01 * k, NULL);
            tp_simulation_step(s, k * dt, NULL);
            is_counting = 0;
            CHECK_INT(allocation_count, 0);
        }
        tp_simulation_free(s);
    }
    tp_scene_free(scene);
#else
    skip();
#endif
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static tp_status read_table(const tp_model *model, const char *text, tp_input_table **table_out,
                            tp_message *why)
{
    scratch_folder folder;
    if (!scratch_open(&folder)) fail_msg("no scratch folder");
    const char *path = scratch_file(&folder, "in.csv");
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) fail_msg("cannot write %s", path);
    tp_status status = tp_input_table_read(NULL, model, path, table_out, why);
    scratch_close(&folder);
    return status;
}

/* 5 times 3e-4 is less than 0.0015 to the last bit: the row at 0.0015 acts from step 6 on all the same.
   0.0040 lies within step 14: it acts from step 15 on. So does 0.0072001 within step 25, by 3e-4 of it. */
TEST(a_row_of_a_table_holds_until_the_next)
{
    const double step = 3e-4;
    tp_scene *scene = scene_of(pushed);
    tp_simulation *s = simulate_with(scene->model, "moreau", step, 1.0);
    tp_input_table *table = NULL;
    tp_message why = {""};
    CHECK(5 * step < 0.0015);
    if (read_table(scene->model,
                   "\xEF\xBB\xBFtime, push\r\n# s,N\r\n0.0015, 5\r\n\r\n0.0040,-2e0\r\n0.006,1\n0.0072001,7",
                   &table, &why) != TP_OK)
        fail_msg("%s", why.text);
    for (int k = 1; k <= 40; k++) {
        CHECK_INT(tp_input_table_apply(table, s, &why), TP_OK);
        step_to(s, k * step);
        double expected = k <= 5 ? 3.0 : (k <= 14 ? 5.0 : (k <= 20 ? -2.0 : (k <= 25 ? 1.0 : 7.0)));
        CHECK_NEAR(tp_simulation_input(s, input_of(s, "push")), expected, 0.0);
    }
    tp_input_table_free(table);
    tp_simulation_free(s);
    tp_scene_free(scene);
}

TEST(a_table_with_an_error_is_refused_with_its_place)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", ":1:1:", "time,NAME"},
        {"t,push\n0,1\n", ":1:1:", "time,NAME"},
        {"time\n0\n", ":1:1:", "time,NAME"},
        {"time,psh\n0,1\n", ":1:6:", "did you mean 'push'"},
        {"time,push,push\n0,1,1\n", ":1:11:", "two columns"},
        {"time,push\n", "in.csv: ", "no rows"},
        {"time,push\n0,1\n1,x\n", ":3:3:", "expected a number"},
        {"time,push\n0,nan\n", ":2:3:", "expected a number"},
        {"time,push\n0,inf\n", ":2:3:", "expected a number"},
        {"time,push\n0,1e999\n", ":2:3:", "too large"},
        {"time,push\n0,\n", ":2:3:", "empty cell"},
        {"time,push\n0\n", ":2:1:", "1 of 2"},
        {"time,push\n0,1,2\n", ":2:5:", "more than 2"},
        {"time,push\n1,1\n1,2\n", ":3:1:", "ascend"},
        {"time,push\n1,1\n0.5,2\n", ":3:1:", "ascend"},
    };
    tp_scene *scene = scene_of(pushed);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_input_table *table = NULL;
        tp_message why = {""};
        tp_status status = read_table(scene->model, cases[k].text, &table, &why);
        if (status != TP_INVALID_DATA || table != NULL || strstr(why.text, cases[k].where) == NULL ||
            strstr(why.text, cases[k].what) == NULL)
            fail_msg("%s: %s", cases[k].text, why.text);
    }
    tp_input_table *table = NULL;
    CHECK_INT(tp_input_table_read(NULL, scene->model, "/nowhere/in.csv", &table, NULL), TP_FILE_ERROR);
    tp_scene_free(scene);
}

/* The problem of the last step is that which a file may hold: its error at the answer is that of the step. */
TEST(the_problem_of_the_last_step_can_be_asked_for)
{
    tp_scene *scene = scene_of("coordinates: [{name: z, velocity: -1}]\nkinetic: \"z'^2/2\"\n"
                               "contacts: [{name: floor, gap: z}]\n");
    int next = 0, seen = 0;
    for (tp_simulation *s; (s = next_simulation(scene->model, &next, 1.0)) != NULL; seen++) {
        CHECK(tp_simulation_problem(s) == NULL);
        step_to(s, dt);
        const tp_problem *problem = tp_simulation_problem(s);
        CHECK(problem != NULL && problem->x_count >= 1);
        tp_simulation_free(s);
    }
    CHECK(seen >= 5);
    tp_scene_free(scene);
}

/* Went wrong: event-driven let friction and motors that held a velocity take every jump of it at once, and
   those that slipped go on in the direction of before, with work from nowhere. The bound over the inertia is
   2 m/s^2 or rad/s^2: to 0.5 in 0.25 s, at 0.4 s towards 2, at 0.6 s, with 0.9, towards -1. */
static const char *const bounded[] = {
    "inputs: [s]\ncoordinates: [x]\nkinetic: \"x'^2/2\"\n"
    "laws: [{name: belt, kind: friction, velocity: x' - s, bound: 2}]\n",
    "inputs: [s]\nbodies: [{name: b, mass: 1, inertia: [1, 1, 0.1]}]\n"
    "joints: [{name: h, type: revolute, bodies: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], motor: "
    "{speed: s, force: 0.2}}]\n"};

TEST(bounded_forces_follow_a_jump_of_their_velocity_no_faster_than_they_can)
{
    static const char *const schemes[] = {"event-driven", "moreau"};
    for (int k = 0; k < 4; k++) {
        tp_scene *scene = scene_of(bounded[k / 2]);
        tp_simulation *s = simulate_with(scene->model, schemes[k % 2], dt, 1.0);
        int last = tp_model_summarise(scene->model).velocity_count - 1;
        double from_speed = 0.0;
        for (int i = 1; i <= 1000; i++) {
            set(s, "s", i <= 400 ? 0.5 : i <= 600 ? 2.0 : -1.0);
            while (tp_simulation_time(s) < (i - 0.5) * dt) step_to(s, i * dt);
            double t = i * dt, v = i <= 400   ? fmin(0.5, 2.0 * t)
                                   : i <= 600 ? 0.5 + 2.0 * (t - 0.4)
                                              : 0.9 - 2.0 * (t - 0.6);
            from_speed = fmax(from_speed, fabs(tp_simulation_u(s)[last] - v));
        }
        CHECK_NEAR(from_speed, 0.0, 1e-9); /* events are known to 1e-10 s */
        CHECK_INT(tp_simulation_report(s)->warning_count, 0);
        tp_simulation_free(s);
        tp_scene_free(scene);
    }
}

/* The same with switches of a formula at times that rows have; and a table under a ball that starts upwards,
   which strikes it, or downwards faster than it falls, at first. */
TEST(event_driven_sees_velocities_jump_with_switches)
{
    static const char belt[] = "coordinates: [x]\nkinetic: \"x'^2/2\"\n"
                               "definitions: {s: \"if(t < 0.4, 0.5, if(t < 0.6, 2, -1))\"}\n"
                               "laws: [{name: belt, kind: friction, velocity: x' - s, bound: 2}]\n";
    static const char table[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: table, type: moving, motion: [\"0\", \"0\", \"%s*max(0, t - 0.2)\"], shapes: [{name: "
        "top, "
        "type: plane}]}\n"
        "  - {name: b, mass: 2, position: [0, 0, 0.1], shapes: [{name: ball, type: sphere, radius: 0.1}]}\n"
        "contacts: [{name: c, between: [top, ball], restitution: 0.5, friction: 0.3}]\n";
    tp_scene *scene = scene_of(belt);
    tp_simulation *s = simulate_with(scene->model, "event-driven", 1e-2, 1.0);
    run(s);
    CHECK_NEAR(tp_simulation_u(s)[0], 0.9 - 2.0 * 0.4, 1e-9);
    CHECK_NEAR(tp_simulation_q(s)[0], 0.0625 + 0.5 * 0.15 + 0.1 + 0.04 + 0.36 - 0.16, 1e-9);
    tp_simulation_free(s);
    tp_scene_free(scene);
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text, table, k == 0 ? "0.5" : "-0.5");
        scene = scene_of(text);
        s = simulate_with(scene->model, "event-driven", 1e-2, 0.25);
        run(s);
        double t = 0.05, v = k == 0 ? 0.5 * (1.0 + 0.5) : 0.0; /* free flight from 0.2 s on */
        CHECK_NEAR(tp_simulation_u(s)[2], v - 9.81 * t, 1e-8);
        CHECK_NEAR(tp_simulation_q(s)[2], 0.1 + v * t - 0.5 * 9.81 * t * t, 1e-8);
        tp_simulation_free(s);
        tp_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(a_force_is_held_over_each_step),
        RUNS(jumps_of_a_potential_are_booked_as_work),
        RUNS(a_motor_follows_its_input_and_books_the_jump),
        RUNS(bounded_forces_follow_a_jump_of_their_velocity_no_faster_than_they_can),
        RUNS(event_driven_sees_velocities_jump_with_switches),
        RUNS(a_checkpoint_has_the_inputs),
        RUNS(before_the_first_step_an_input_belongs_to_the_start),
        RUNS(what_cannot_be_set_is_refused),
        RUNS(inputs_are_refused_where_a_jump_has_no_meaning),
        RUNS(setting_inputs_between_warm_steps_takes_no_memory),
        RUNS(a_row_of_a_table_holds_until_the_next),
        RUNS(a_table_with_an_error_is_refused_with_its_place),
        RUNS(the_problem_of_the_last_step_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
