/* What goes wrong in a run is warned of, with its name and its figure; what is right is not;
   docs/guide/warnings.md. */
#include "examples.h"
#include "simulations.h"

enum { TEXT_MAX = 1 << 14, LINKS_MAX = 6 };

static const tp_warning *warning_named(const tp_run_report *report, const char *name)
{
    for (int k = 0; k < report->warning_count; k++) {
        if (strcmp(report->warnings[k].name, name) == 0) return &report->warnings[k];
    }
    return NULL;
}

static int count_kind(const tp_run_report *report, const char *name)
{
    int count = 0;
    for (int k = 0; k < report->warning_count; k++) count += strcmp(report->warnings[k].name, name) == 0;
    return count;
}

static void check_quiet(void **check_state_, const tp_run_report *report, const char *what)
{
    char line[TP_WARNING_LINE];
    for (int k = 0; k < report->warning_count; k++) {
        tp_warning_format(&report->warnings[k], line);
        print_error("%s: %s\n", what, line);
    }
    CHECK_INT(report->warning_count, 0);
}

/* ---- a chain that falls onto the floor ---- */

/* Links of length `length` hang level in a row from a point at the given height; the last one touches the
   floor. All of it in other units of length, and turned about y. */
typedef struct chain {
    int count;
    double mass[LINKS_MAX];
    double length, height;
    double restitution, tangential, friction;
    double unit;  /* of length, in 1/m */
    double angle; /* about y [rad]     */
} chain;

typedef struct writer {
    char *at, *end;
} writer;

static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->at += vsnprintf(w->at, (size_t)(w->end - w->at), format, arguments);
    va_end(arguments);
    if (w->at >= w->end) fail_msg("the scene is too long");
}

/* A point (x, 0, z) in the units and directions of the chain. */
static void put_point(writer *w, const chain *c, double x, double z)
{
    double sine = sin(c->angle), cosine = cos(c->angle);
    put(w, "[%.17g, 0, %.17g]", c->unit * (cosine * x + sine * z), c->unit * (cosine * z - sine * x));
}

static void put_turn(writer *w, const chain *c)
{
    put(w, "orientation: {axis: [0, 1, 0], angle: %.17g}", c->angle);
}

static tp_scene *chain_scene(const chain *c)
{
    static char text[TEXT_MAX];
    writer w = {text, text + sizeof text};
    put(&w, "gravity: ");
    put_point(&w, c, 0.0, -9.81);
    put(&w, "\nground: {shapes: [{name: floor, type: plane, ");
    put_turn(&w, c);
    put(&w, "}]}\nbodies:\n");
    for (int k = 0; k < c->count; k++) {
        put(&w, "  - {name: b%d, mass: %.17g, position: ", k, c->mass[k]);
        put_point(&w, c, (k + 0.5) * c->length, c->height);
        put(&w, ", ");
        put_turn(&w, c);
        put(&w, ", shapes: [{type: box, contact: %s, size: [%.17g, %.17g, %.17g]}]}\n",
            k + 1 < c->count ? "false" : "true", 0.9 * c->unit * c->length, 0.04 * c->unit, 0.04 * c->unit);
    }
    put(&w, "joints:\n");
    for (int k = 0; k < c->count; k++) {
        put(&w, "  - {name: j%d, type: spherical, bodies: [", k);
        put(&w, k > 0 ? "b%d, b%d], point: " : "ground, b%2$d], point: ", k - 1, k);
        put_point(&w, c, k * c->length, c->height);
        put(&w, "}\n");
    }
    put(&w,
        "contacts: [{name: lands, between: [floor, b%d], restitution: %g, tangential_restitution: %g, "
        "friction: %g}]\n",
        c->count - 1, c->restitution, c->tangential, c->friction);
    return scene_of(text);
}

static tp_run_report run_chain(const chain *c, tp_simulation_options options)
{
    tp_scene *scene = chain_scene(c);
    options.projection.tolerance *= c->unit;
    tp_simulation *simulation = simulate_options(scene->model, options);
    run(simulation);
    tp_run_report report = *tp_simulation_report(simulation);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return report;
}

/* Four equal links, 0.3 m long each, at 1.19 m; the end lands at 0.47 s. */
static chain impact_chain(void)
{
    return (chain){.count = 4,
                   .mass = {1.0, 1.0, 1.0, 1.0},
                   .length = 0.3263,
                   .height = 1.1875,
                   .restitution = 0.8,
                   .friction = 0.5,
                   .unit = 1.0};
}

/* Newton's law of impact with friction creates energy (Kane): a swinging chain hits the floor at a slant,
   with restitution 0.8 along the normal and 0 along the floor. All schemes do it, all are warned of once,
   with the gain that the report of energies has; with one restitution, or none, no scheme gains. */
TEST(energy_that_an_impact_with_friction_creates_is_warned_of_once)
{
    static const char *const integrators[] = {"moreau", "moreau-jean", "consistent-hybrid",
                                              "consistent-two-step", "consistent-quaternion-two-step"};
    for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
        chain c = impact_chain();
        tp_run_report report = run_chain(&c, options_of(integrators[k], 1e-3, 0.6));
        const tp_warning *found = warning_named(&report, "energy-grows");
        CHECK(found != NULL && count_kind(&report, "energy-grows") == 1);
        CHECK_INT(found->count, 1);
        CHECK(strcmp(found->subject, "lands") == 0);
        CHECK(found->time > 0.4 && found->time < 0.5);
        CHECK(report.largest_energy_increase > 0.3 * report.energy_initial);
        CHECK_NEAR(found->figure, report.largest_energy_increase, 1e-3 * report.largest_energy_increase);
        CHECK_INT(count_kind(&report, "energy-vanishes"), 0);

        c.tangential = c.restitution;
        report = run_chain(&c, options_of(integrators[k], 1e-3, 0.6));
        CHECK_INT(count_kind(&report, "energy-grows") + count_kind(&report, "energy-vanishes"), 0);
        c.tangential = c.restitution = 0.0; /* nearly all of the last link's energy is lost, and explained */
        report = run_chain(&c, options_of(integrators[k], 1e-3, 0.6));
        CHECK_INT(count_kind(&report, "energy-grows") + count_kind(&report, "energy-vanishes"), 0);
    }
}

/* Links of 2076, 1, 7, 4, 1325 and 195 kg whip: at 5 ms the light joints in the middle tear. */
static chain whip_chain(void)
{
    return (chain){.count = 6,
                   .mass = {2076.0, 1.07, 6.65, 3.71, 1325.0, 195.0},
                   .length = 0.3575,
                   .height = 2.0759,
                   .friction = 1.0,
                   .unit = 1.0};
}

/* The norm of the rows lies between the largest row of the report and sqrt(3) times that. */
TEST(torn_joints_are_warned_of_with_name_and_opening)
{
    chain c = whip_chain();
    tp_run_report report = run_chain(&c, options_of("moreau", 5e-3, 2.0));
    const tp_warning *found = NULL;
    for (int k = 0; k < report.warning_count; k++) {
        const tp_warning *w = &report.warnings[k];
        if (strcmp(w->name, "joint-torn") == 0 && (found == NULL || w->figure > found->figure)) found = w;
    }
    CHECK(found != NULL && (strcmp(found->subject, "j2") == 0 || strcmp(found->subject, "j3") == 0));
    CHECK(report.position_drift > 0.1);
    CHECK(found->figure >= report.position_drift && found->figure <= sqrt(3.0) * report.position_drift);
    CHECK(found->count > 100);
}

/* Positions that are projected hide that the velocities contradict the joints. */
TEST(velocities_that_a_projection_leaves_off_the_joints_are_warned_of)
{
    chain c = whip_chain();
    tp_simulation_options options = options_of("moreau", 5e-3, 1.0);
    options.projection.kind = TP_PROJECTION_VELOCITIES;
    tp_run_report report = run_chain(&c, options);
    const tp_warning *found = NULL;
    for (int k = 0; k < report.warning_count; k++) {
        const tp_warning *w = &report.warnings[k];
        if (strcmp(w->name, "joint-velocity") == 0 && (found == NULL || w->figure > found->figure)) found = w;
    }
    CHECK_INT(count_kind(&report, "joint-torn"), 0);
    CHECK(report.velocity_drift > 1.0);
    CHECK(found != NULL && strcmp(found->unit, "m/s") == 0);
    CHECK(found->figure >= report.velocity_drift && found->figure <= sqrt(3.0) * report.velocity_drift);
}

/* A shaft turns at O = 2 rad/s, a rotor on it at w = 10 rad/s. The midpoint rule takes the axle half a step
   before its place, so that the rates of its two angles are off by w sin(O dt/2) at the end: below a tenth of
   the spin with 0.05 s, above it with 0.2 s. Without the spin of the bodies both would be warned of as soon
   as the error could have turned the axle by a tenth of a radian. */
TEST(rates_of_angles_are_judged_by_the_spin_of_their_bodies)
{
    static const double steps[] = {5e-2, 0.2};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(
            "bodies:\n"
            "  - {name: shaft, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 2]}\n"
            "  - {name: rotor, mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [10, 0, 2]}\n"
            "joints:\n"
            "  - {name: post, type: revolute, bodies: [ground, shaft], point: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  - {name: axle, type: revolute, bodies: [shaft, rotor], point: [0, 0, 0], axis: [1, 0, 0]}\n");
        tp_simulation *simulation = simulate_options(scene->model, options_of("moreau", steps[k], 1.0));
        run(simulation);
        const tp_run_report *report = tp_simulation_report(simulation);
        const tp_warning *found = warning_named(report, "joint-velocity");
        double drift = report->angular_velocity_drift;
        CHECK(drift > 0.1 && drift <= 10.2 * sin(steps[k]) + 1e-9); /* [rad/s]; O dt/2 is dt here */
        CHECK_INT(found != NULL, k);
        if (found != NULL) {
            CHECK(strcmp(found->subject, "axle") == 0 && strcmp(found->unit, "rad/s") == 0);
            CHECK(found->figure >= drift && found->figure <= sqrt(2.0) * drift);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* The same warnings at the same times, figures in other units. */
static void check_same(void **check_state_, const tp_run_report *first, const tp_run_report *other,
                       double unit, double dt)
{
    CHECK(first->warning_count >= 3);
    CHECK_INT(other->warning_count, first->warning_count);
    for (int k = 0; k < first->warning_count; k++) {
        const tp_warning *a = &first->warnings[k], *b = &other->warnings[k];
        double factor = strcmp(a->unit, "J") == 0 ? unit * unit : unit;
        CHECK(strcmp(a->name, b->name) == 0 && strcmp(a->subject, b->subject) == 0);
        CHECK_NEAR(b->time, a->time, 1.5 * dt); /* rounding may pass a threshold a step later */
        CHECK_NEAR(b->figure / factor, a->figure, 1e-3 * a->figure);
    }
}

/* The chain in millimetres and in kilometres, and turned. (The whip is not turned: its motion at 5 ms depends
   on the frame.) */
TEST(warnings_depend_neither_on_units_nor_on_directions)
{
    static const struct {
        double unit, angle;
    } frames[] = {{1000.0, 0.0}, {1.0, 0.7}, {1e-3, -2.0}};
    chain c = impact_chain();
    tp_run_report first = run_chain(&c, options_of("moreau", 1e-3, 0.5));
    for (size_t f = 0; f < sizeof frames / sizeof frames[0]; f++) {
        c.unit = frames[f].unit;
        c.angle = frames[f].angle;
        tp_run_report other = run_chain(&c, options_of("moreau", 1e-3, 0.5));
        check_same(check_state_, &first, &other, c.unit, 1e-3);
    }
    c = whip_chain();
    first = run_chain(&c, options_of("moreau", 5e-3, 0.53)); /* before it is chaotic */
    c.unit = 1000.0;
    tp_run_report other = run_chain(&c, options_of("moreau", 5e-3, 0.53));
    check_same(check_state_, &first, &other, c.unit, 5e-3);
}

/* A fine step of a scheme that holds positions: nothing to say. */
TEST(a_chain_that_is_computed_well_is_quiet)
{
    chain c = impact_chain();
    c.tangential = c.restitution;
    tp_run_report report = run_chain(&c, options_of("consistent-two-step", 1e-3, 0.6));
    check_quiet(check_state_, &report, "consistent-two-step");
    report = run_chain(&c, options_of("moreau", 5e-5, 0.6));
    check_quiet(check_state_, &report, "moreau");
}

/* ---- examples at coarse steps ---- */

static tp_run_report run_example(const char *name, const char *integrator, double dt, double until)
{
    tp_scene *scene = read_example(name, NULL);
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.time_step = dt;
    options.end_time = until;
    options.projection.kind = TP_PROJECTION_NONE;
    tp_simulation *simulation = simulate_options(scene->model, options);
    run(simulation);
    tp_run_report report = *tp_simulation_report(simulation);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return report;
}

/* The hybrid treats contacts of the stiff oscillator apart from its spring: omega dt = 20 is far too much. */
TEST(energy_that_explodes_is_warned_of)
{
    tp_run_report report = run_example("oscillator", "consistent-hybrid", 1e-3, 0.5);
    CHECK(report.energy_final > 1e6 * report.energy_initial);
    CHECK_INT(count_kind(&report, "energy-grows"), 1);
    CHECK(warning_named(&report, "energy-grows")->figure > 0.3 * report.energy_final);
    report = run_example("oscillator", "consistent-two-step", 1e-4, 0.5);
    check_quiet(check_state_, &report, "consistent-two-step");
}

/* Two four-bars in their singular position lose their energy to the theta-method; nothing else can take it.
 */
TEST(energy_that_vanishes_without_a_reason_is_warned_of)
{
    tp_run_report report = run_example("n-four-bar", "moreau-jean", 2e-2, 2.0);
    CHECK(report.energy_final < 0.5 * report.energy_initial);
    const tp_warning *found = warning_named(&report, "energy-vanishes");
    CHECK(found != NULL && count_kind(&report, "energy-vanishes") == 1);
    CHECK(found->figure > 0.0 && found->figure <= report.energy_initial - report.energy_final);
    report = run_example("n-four-bar", "consistent", 2e-2, 2.0);
    check_quiet(check_state_, &report, "consistent");
}

/* ---- losses that have a reason, and contacts that sink ---- */

static tp_run_report run_text(const char *text)
{
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    run(simulation);
    tp_run_report report = *tp_simulation_report(simulation);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return report;
}

/* The velocities that symmetric-moreau shows are means of two intervals (theory/symmetric-moreau.md (6)): at
   an impact their energy is low for one state, which comes back in the next, or was booked a state earlier. A
   ball was said to lose energy in each impact. */
TEST(impacts_between_mean_velocities_are_not_taken_for_losses)
{
    static const char text[] = "gravity: [0, 0, -9.81]\nground: {shapes: [{name: floor, type: plane}]}\n"
                               "bodies: [{name: ball, density: 1000, position: [0, 0, 0.5], shapes: [{type: "
                               "sphere, radius: 0.1}]}]\n"
                               "contacts: [{name: hit, between: [floor, ball], restitution: %g}]\n"
                               "simulate: {integrator: %s, dt: 1e-3, until: 1}\n";
    static const char *const integrators[] = {"symmetric-moreau", "schatzman-paoli", "moreau"};
    static const double restitutions[] = {0.0, 0.05, 0.1, 0.3, 0.7, 1.0};
    char scene[600];
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        for (size_t k = 0; k < sizeof restitutions / sizeof restitutions[0]; k++) {
            snprintf(scene, sizeof scene, text, restitutions[k], integrators[i]);
            tp_run_report report = run_text(scene);
            check_quiet(check_state_, &report, integrators[i]);
        }
    }
}

TEST(energy_that_impacts_friction_dampers_and_limits_take_is_not_warned_of)
{
    static const char *const scenes[] = {
        /* all of it in one impact */
        "coordinates: [y]\nkinetic: 1/2*y'^2\npotential: 9.81*y\ncontacts: [{name: floor, gap: y}]\n"
        "initial: {y: 1}\nsimulate: {dt: 1e-3, until: 1}\n",
        /* all of it within two steps of dry friction */
        "coordinates: [x]\nkinetic: 1/2*x'^2\nlaws: [{name: drag, kind: friction, velocity: x', bound: "
        "1000}]\n"
        "initial: {x': 1}\nsimulate: {dt: 1e-3, until: 0.01}\n",
        /* a damper whose time constant is three steps */
        "coordinates: [x]\nkinetic: 1/2*x'^2\ndissipation: \"150*x'^2\"\ninitial: {x': 1}\n"
        "simulate: {integrator: moreau-jean, dt: 1e-3, until: 0.1}\n",
        /* a door that its stop brings to rest */
        "bodies: [{name: door, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 1], shapes: [{type: "
        "box, size: "
        "[1, 1, 1]}]}]\n"
        "joints: [{name: hinge, type: revolute, bodies: [ground, door], point: [0, 0, 0], axis: [0, 0, 1], "
        "limits: "
        "{upper: 0.1}}]\n"
        "simulate: {dt: 1e-3, until: 0.3}\n",
        /* an impact under a scheme that damps vibrations */
        "coordinates: [y]\nkinetic: 1/2*y'^2\npotential: 9.81*y\ncontacts: [{name: floor, gap: y, "
        "restitution: 0.5}]\n"
        "initial: {y: 1}\nsimulate: {integrator: generalized-alpha, alpha_rho: 0.5, dt: 1e-3, until: 0.8}\n",
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        tp_run_report report = run_text(scenes[k]);
        CHECK(report.energy_final < report.energy_initial - 0.45); /* of 1/2 J or more */
        check_quiet(check_state_, &report, scenes[k]);
    }
}

/* A body whose thinnest half is 5 cm hits the floor with 20 m/s: Moreau's rule lets it in by up to half of
   speed times step, and leaves it there. */
TEST(contacts_that_sink_are_warned_of)
{
    static const char text[] =
        "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.508], velocity: [0, 0, "
        "-20], shapes: [{%s}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: hit, between: [floor, ball]}]\n"
        "simulate: {dt: %g, until: 0.1}\n";
    static const char *const shapes[] = {
        "type: sphere, radius: 0.05", "type: box, size: [0.4, 0.3, 0.1]",
        "type: cylinder, radius: 0.3, length: 0.1",
        "type: capsule, radius: 0.05, length: 0.3, orientation: "
        "{axis: [1, 0, 0], angle: 1.5707963267948966}",
        "type: hull, points: [[0.3, 0, -0.05], [-0.2, 0.2, -0.05], [-0.2, -0.2, -0.05], [0.3, 0, 0.05], "
        "[-0.2, 0.2, 0.05], [-0.2, -0.2, 0.05]]"};
    char scene[900];
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        snprintf(scene, sizeof scene, text, shapes[k], 1e-3);
        tp_run_report report = run_text(scene);
        const tp_warning *found = warning_named(&report, "contact-sinks");
        if (found == NULL || report.warning_count != 1) fail_msg("%s: no warning, or others", shapes[k]);
        CHECK(strcmp(found->subject, "hit") == 0);
        CHECK_NEAR(found->figure, report.penetration, 0.0);
        CHECK(report.penetration > 0.1 * 0.05 && report.penetration < 0.4 * 0.05);
        snprintf(scene, sizeof scene, text, shapes[k], 1e-4);
        report = run_text(scene);
        CHECK(report.penetration > 0.0 && report.penetration < 0.1 * 0.05);
        check_quiet(check_state_, &report, shapes[k]);
    }
}

/* Ten such balls without gravity, each a way of one step higher than the one before: all sink equally deep
   and stay there, so each is warned of in one step less. Eight have a place, the other two are counted. */
TEST(each_contact_that_sinks_is_counted_by_itself)
{
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {repeat: {i: 10}, name: 'ball{i}', mass: 1, position: [i, 0, 0.508 + 0.02*i],\n"
        "     velocity: [0, 0, -20], shapes: [{type: sphere, radius: 0.05}]}\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: hit, among: all}]\n"
        "simulate: {dt: 1e-3, until: 0.1}\n";
    tp_run_report report = run_text(text);
    long long most = report.warnings[0].count;
    CHECK_INT(report.warning_count, 8);
    CHECK(most > 50 && most < 100);
    for (int k = 0; k < 8; k++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", k);
        CHECK(strstr(report.warnings[k].subject, name) != NULL);
        CHECK(report.warnings[k].count == most - k);
        CHECK_NEAR(report.warnings[k].figure, report.penetration, 1e-12);
    }
    CHECK(report.warnings_left_out == (most - 8) + (most - 9));
}

/* A ball of radius 1 cm flies through a plate of 2 cm, a ball, a mesh, or beside them, 30 cm in a step. */
static tp_run_report shoot(const char *target, double height)
{
    char scene[900];
    snprintf(scene, sizeof scene,
             "bodies: [{name: ball, mass: 1, position: [0.13, 0, %.15g], velocity: [300, 0, 0],\n"
             "          shapes: [{type: sphere, radius: 0.01}]}]\n"
             "ground: {shapes: [{name: wall, position: [0.655, 0, 0], %s}]}\n"
             "contacts: [{name: hit, between: [wall, ball]}]\n"
             "simulate: {integrator: moreau, dt: 1e-3, until: 3e-3}\n",
             height, target);
    return run_text(scene);
}

/* The depth of the samples, a quarter of the radius apart: at most that much less than the largest one, 2 cm
   in the plate, 6 cm in the ball. A ball that passes at a distance of its radius meets nothing, and one that
   touches the rim by less than 10 % of its radius is not worth a word. */
TEST(shapes_that_pass_through_each_other_unseen_are_warned_of)
{
    static const char *const targets[] = {
        "type: box, size: [0.02, 1, 1]", "type: sphere, radius: 0.05",
        "type: mesh, mesh: {vertices: [[0, -1, -1], [0, 1, -1], [0, 0, 1]], triangles: [[0, 2, 1]]}"};
    static const double depth[] = {0.02, 0.06, 0.01}, edge[] = {0.51, 0.06, 1.02};
    for (int k = 0; k < 3; k++) {
        tp_run_report report = shoot(targets[k], 0.0);
        const tp_warning *found = warning_named(&report, "passed-through");
        CHECK(found != NULL && found->count == 1);
        CHECK(strcmp(found->subject, "hit") == 0);
        CHECK(found->figure <= depth[k] + 1e-12 && found->figure >= depth[k] - 0.25 * 0.01);
        CHECK_NEAR(found->time, 2e-3, 1e-12);
        report = shoot(targets[k], edge[k] + 1e-6);
        check_quiet(check_state_, &report, targets[k]);
        if (k < 2) {
            report = shoot(targets[k], edge[k] - 0.9e-3);
            check_quiet(check_state_, &report, targets[k]);
        }
    }
}

/* In the middle of the step, where Moreau's rule looks, the ball is in the far half of a plate of 2 cm: the
   contact takes part, has no impulse since the ball leaves, and nothing was said. */
TEST(shapes_that_are_seen_when_they_leave_on_the_far_side_are_warned_of)
{
    tp_run_report report =
        run_text("bodies: [{name: ball, mass: 1, position: [0.215, 0, 0], velocity: [300, 0, 0],\n"
                 "          shapes: [{type: sphere, radius: 0.01}]}]\n"
                 "ground: {shapes: [{name: wall, position: [0.655, 0, 0], type: box, size: [0.02, 1, 1]}]}\n"
                 "contacts: [{name: hit, between: [wall, ball]}]\n"
                 "simulate: {integrator: moreau, dt: 1e-3, until: 3e-3}\n");
    const tp_warning *found = warning_named(&report, "passed-through");
    CHECK(found != NULL && found->count == 1);
    CHECK(found->figure <= 0.02 + 1e-12 && found->figure >= 0.02 - 0.25 * 0.01);
}

/* A bar of 1 m turns by 1 rad in a step, from -0.3 rad over a ball at 0: its centre rests, and in the middle
   of the step, where Moreau's rule looks, it is past the ball, at 0.2 rad. Beside the ball it meets nothing.
 */
TEST(shapes_that_turn_through_others_are_warned_of)
{
    for (int k = 0; k < 2; k++) {
        char scene[600];
        snprintf(scene, sizeof scene,
                 "bodies: [{name: bar, mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: "
                 "-0.3}, angular_velocity: [0, 0, 1000], shapes: [{type: box, size: [1, 0.02, 0.02]}]}]\n"
                 "ground: {shapes: [{name: ball, type: sphere, radius: 0.02, position: [%g, 0, 0]}]}\n"
                 "contacts: [{name: hit, between: [ball, bar]}]\n"
                 "simulate: {integrator: moreau, dt: 1e-3, until: 1e-3}\n",
                 k == 0 ? 0.45 : 0.53);
        tp_run_report report = run_text(scene);
        const tp_warning *found = warning_named(&report, "passed-through");
        CHECK((found != NULL) == (k == 0));
        /* the bar covers 1 cm beside its axis, the ball 2 cm */
        if (k == 0) CHECK(found->figure > 0.02 && found->figure <= 0.03 + 1e-12);
    }
}

/* A heavy ball throws a light one at rest through a plate that the light one was not near: no contact of the
   two was looked for, in that step or in the next one. */
TEST(shapes_that_an_impact_throws_through_others_are_warned_of)
{
    const char *text =
        "bodies:\n"
        "  - {name: heavy, mass: 1000, position: [0, 0, 0], velocity: [100, 0, 0], shapes: "
        "[{name: h, type: sphere, radius: 0.01}]}\n"
        "  - {name: light, mass: 1, position: [0.06, 0, 0], shapes: [{name: l, type: sphere, "
        "radius: 0.01}]}\n"
        "ground: {shapes: [{name: wall, type: box, size: [0.02, 1, 1], position: [%g, 0, 0]}]}\n"
        "contacts: [{name: hit, between: [h, l], restitution: 1}, {name: wall, between: [wall, "
        "l], restitution: 1}]\n"
        "simulate: {integrator: %s, dt: 1e-3, until: 2e-3}\n";
    char scene[900];
    snprintf(scene, sizeof scene, text, 0.11, "moreau");
    tp_run_report report = run_text(scene);
    const tp_warning *found = warning_named(&report, "passed-through");
    CHECK(found != NULL && strcmp(found->subject, "wall") == 0);
    CHECK(found->figure > 0.1 * 0.01);
    snprintf(scene, sizeof scene, text, 5.0, "moreau");
    report = run_text(scene);
    CHECK(warning_named(&report, "passed-through") == NULL);
}

/* One sweep does not solve a stack; where such steps are accepted they are counted. */
TEST(steps_that_are_accepted_unsolved_are_warned_of)
{
    tp_scene *scene = read_edited("box-stack", (const char *const[]){"simulate.until=0.01"}, 1);
    scene->options.solver = "projected-gauss-seidel";
    scene->options.max_iterations = 1;
    scene->options.accept_unconverged = true;
    tp_simulation *simulation = simulate_scene(scene);
    run(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    const tp_warning *found = warning_named(report, "unsolved-step");
    CHECK(found != NULL && report->not_converged > 0);
    CHECK_INT(found->count, report->not_converged);
    CHECK_NEAR(found->figure, report->residual_max, 0.0);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Went wrong: gaps up to 1e-12 of the size of a scene are closed, and the size is at least 1/64 of the
   distance to the origin; a ball 1e15 m away hung 0.1 m above the floor without a word. At 1e9 m gaps are
   closed up to 1.6e-5 m, and at 1 m there is nothing to say. */
TEST(contacts_that_close_at_gaps_of_the_size_of_their_shapes_are_warned_of)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: ball, mass: 1, position: [%g, 0, 0.2], shapes: [{type: sphere, radius: 0.1}]}]\n"
        "ground: {shapes: [{name: floor, type: plane}]}\n"
        "contacts: [{name: hit, between: [floor, ball]}]\n"
        "simulate: {dt: 1e-3, until: 0.05}\n";
    static const double quiet[] = {1.0, 1e9}, coarse[] = {1e12, 1e15};
    char scene[600];
    for (int k = 0; k < 2; k++) {
        snprintf(scene, sizeof scene, text, quiet[k]);
        tp_run_report report = run_text(scene);
        check_quiet(check_state_, &report, "near");
        snprintf(scene, sizeof scene, text, coarse[k]);
        report = run_text(scene);
        const tp_warning *found = warning_named(&report, "coarse-contacts");
        CHECK(found != NULL);
        CHECK_NEAR(found->figure, 1e-12 * coarse[k] / 64.0, 1e-6 * found->figure);
    }
}

TEST_MAIN(RUNS(each_contact_that_sinks_is_counted_by_itself),
          RUNS(energy_that_an_impact_with_friction_creates_is_warned_of_once),
          RUNS(torn_joints_are_warned_of_with_name_and_opening),
          RUNS(velocities_that_a_projection_leaves_off_the_joints_are_warned_of),
          RUNS(rates_of_angles_are_judged_by_the_spin_of_their_bodies),
          RUNS(warnings_depend_neither_on_units_nor_on_directions),
          RUNS(a_chain_that_is_computed_well_is_quiet), RUNS(energy_that_explodes_is_warned_of),
          RUNS(energy_that_vanishes_without_a_reason_is_warned_of),
          RUNS(energy_that_impacts_friction_dampers_and_limits_take_is_not_warned_of),
          RUNS(impacts_between_mean_velocities_are_not_taken_for_losses),
          RUNS(contacts_that_sink_are_warned_of),
          RUNS(shapes_that_pass_through_each_other_unseen_are_warned_of),
          RUNS(shapes_that_are_seen_when_they_leave_on_the_far_side_are_warned_of),
          RUNS(shapes_that_turn_through_others_are_warned_of),
          RUNS(shapes_that_an_impact_throws_through_others_are_warned_of),
          RUNS(steps_that_are_accepted_unsolved_are_warned_of),
          RUNS(contacts_that_close_at_gaps_of_the_size_of_their_shapes_are_warned_of))
