/* event-driven: exact event times, impacts, stick and slip, accumulation, redundant contacts, Painleve
   states; docs/theory/event-driven.md. Figures are exact (closed forms) or agree between two independent
   computations to the digits given; errors of events are those of the tolerances of the runs, 1e-10 s. */
#include "examples.h"
#include "integrator/event_tolerances.h"
#include "simulations.h"

#include <math.h>
#include <stdlib.h>

enum { EVENTS = 512 };
static const double exact = 1e-10; /* [s], and [m], [m/s] of states */

typedef struct recording {
    int count;
    tp_event event[EVENTS];
    double q[8], u[8]; /* at the end */
    tp_status status;
    char reason[1024];
    double joint_error;
} recording;

static bool watch(void *context, const tp_simulation *simulation)
{
    recording *to = context;
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count && to->count < EVENTS; i++) to->event[to->count++] = events[i];
    return true;
}

static recording *record_at(tp_scene *scene, double until, double rtol)
{
    recording *to = calloc(1, sizeof *to);
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.integrator = "event-driven";
    options.rtol = rtol;
    options.atol = 0.1 * rtol;
    options.end_time = until;
    options.time_step = until / 20.0;
    options.projection.kind = TP_PROJECTION_NONE;
    to->status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    if (to->status == TP_INFEASIBLE) { /* a start without accelerations */
        snprintf(to->reason, sizeof to->reason, "%s", why.text);
        tp_scene_free(scene);
        return to;
    }
    if (to->status != TP_OK) fail_msg("%s", why.text);
    to->status = tp_simulation_run(simulation, watch, to, NULL);
    const tp_run_report *report = tp_simulation_report(simulation);
    snprintf(to->reason, sizeof to->reason, "%s", report->reason);
    to->joint_error = report->position_drift;
    tp_restart state;
    tp_simulation_checkpoint(simulation, &state);
    for (int i = 0; i < state.q_count && i < 8; i++) to->q[i] = state.q[i];
    for (int i = 0; i < state.u_count && i < 8; i++) to->u[i] = state.u[i];
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return to;
}

static recording *record_scene(tp_scene *scene, double until)
{
    return record_at(scene, until, 1e-12);
}

static recording *record_example(const char *name, const char *edit, double until)
{
    return record_scene(read_edited(name, edit != NULL ? &edit : NULL, edit != NULL), until);
}

static recording *record_text(const char *text, double until)
{
    return record_scene(scene_of(text), until);
}

/* The n-th event of a kind, from 0; fails if there is none. */
static const tp_event *event_of(const recording *of, tp_event_kind kind, int n)
{
    for (int i = 0; i < of->count; i++) {
        if (of->event[i].kind == kind && n-- == 0) return &of->event[i];
    }
    fail_msg("there is no such event of kind %s", tp_event_kind_name((int)kind));
    return NULL;
}

static int count_of(const recording *of, tp_event_kind kind)
{
    int count = 0;
    for (int i = 0; i < of->count; i++) count += of->event[i].kind == kind;
    return count;
}

static void check_times(void **check_state_, const recording *of, tp_event_kind kind, int count,
                        const double *times)
{
    for (int i = 0; i < count; i++) CHECK_NEAR(event_of(of, kind, i)->time, times[i], exact);
}

/* Impacts at t0 (1 + 2 (e + e^2 + ...)); the limit by Aitken's formula from the last three. */
TEST(a_ball_bounces_at_the_exact_times_and_comes_to_rest_at_their_limit)
{
    const double times[] = {0.451523640985731, 1.173961466562900, 1.751911727024636};
    recording *ball = record_example("bouncing-ball", "parameters.e=0.8", 4.5);
    check_times(check_state_, ball, TP_EVENT_IMPACT, 3, times);
    int n = count_of(ball, TP_EVENT_IMPACT);
    CHECK_INT(count_of(ball, TP_EVENT_ACCUMULATION), 1);
    double t0 = event_of(ball, TP_EVENT_IMPACT, n - 3)->time,
           t1 = event_of(ball, TP_EVENT_IMPACT, n - 2)->time,
           t2 = event_of(ball, TP_EVENT_IMPACT, n - 1)->time, d0 = t1 - t0, d1 = t2 - t1;
    CHECK_NEAR(t2 + d1 * d1 / (d0 - d1), 4.063712768871579, exact);
    CHECK_NEAR(ball->q[0], 0.0, 1e-13);
    const tp_event *first = event_of(ball, TP_EVENT_IMPACT, 0);
    CHECK_NEAR(first->velocity_before[0], -sqrt(2.0 * 9.81), exact);
    CHECK_NEAR(first->velocity_after[0], 0.8 * sqrt(2.0 * 9.81), exact);
    CHECK_NEAR(first->impulse[0], 1.8 * sqrt(2.0 * 9.81), exact);
    free(ball);
}

TEST(a_dry_oscillator_turns_at_every_half_period_and_sticks)
{
    recording *run = record_example("friction-oscillator", NULL, 2.0);
    for (int n = 1; n <= 4; n++)
        CHECK_NEAR(event_of(run, TP_EVENT_SLIP, n)->time, n * acos(-1.0) / 10.0, exact);
    CHECK_NEAR(event_of(run, TP_EVENT_STICK, 0)->time, 1.570796326794897, exact);
    CHECK_NEAR(run->q[0], -0.0019, exact);
    free(run);
}

/* The belt drags 2 N at 0.1 m/s times 100 N/m: it lets go at 0.2 s; sliding with 1 N it comes back to the
   speed of the belt after 2 (pi - atan(1))/10 s more, 0.671238898038469 s in all, and again every period. */
TEST(a_belt_with_static_friction_has_the_exact_period)
{
    recording *run = record_example("stick-slip-belt", NULL, 2.1);
    for (int n = 0; n < 3; n++) {
        CHECK_NEAR(event_of(run, TP_EVENT_SLIP, n)->time, 0.2 + n * 0.671238898038469, exact);
        CHECK_NEAR(event_of(run, TP_EVENT_STICK, n)->time, (n + 1) * 0.671238898038469, exact);
    }
    free(run);
}

/* 4 t N pull 2 kg that weigh 20 N: mu_s = 0.5 holds until 2.5 s, mu = 0.3 leaves an acceleration of 2 t - 3:
   at 4 s the speed is (t^2 - 3 t) between 2.5 and 4 s. In space in any direction, with the same figures; the
   push the other way after 4 s stops it, and a pull between both bounds holds it then. */
TEST(a_block_breaks_loose_at_the_static_bound_in_the_plane_and_in_space)
{
    static const char *const slips[] = {"x'", "[\"x'\", \"z'\"]"}, *const forces[] = {
                                                                       "{x: 4*t, y: -20}",
                                                                       "{x: 4*t*0.6, z: 4*t*0.8, y: -20}"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "coordinates: [x, y, z]\nkinetic: \"x'^2 + y'^2 + z'^2\"\nforces: %s\n"
                 "contacts: [{name: floor, gap: y, slip: %s, friction: 0.3, static_friction: 0.5}]\n",
                 forces[k], slips[k]);
        recording *run = record_text(text, 4.0);
        CHECK_NEAR(event_of(run, TP_EVENT_SLIP, 0)->time, 2.5, exact);
        CHECK_NEAR(hypot(run->u[0], run->u[2]), 5.25, exact);
        CHECK_NEAR(run->u[2], k == 0 ? 0.0 : 0.8 * 5.25, exact);
        free(run);
    }
    recording *held = record_text("coordinates: [{name: x, velocity: 3}, y]\nkinetic: \"x'^2 + y'^2\"\n"
                                  "forces: {x: 8, y: -20}\n"
                                  "contacts: [{name: floor, gap: y, slip: \"-x'\", friction: 0.3, "
                                  "static_friction: 0.5}]\n",
                                  0.5);
    CHECK_INT(count_of(held, TP_EVENT_STICK), 0); /* 8 N are above 6 N: it never stops */
    free(held);
    held = record_text("coordinates: [{name: x, velocity: 3}, y]\nkinetic: \"x'^2 + y'^2\"\n"
                       "forces: {x: -8, y: -20}\n"
                       "contacts: [{name: floor, gap: y, slip: x', friction: 0.3, static_friction: 0.5}]\n",
                       1.0);
    CHECK_NEAR(event_of(held, TP_EVENT_STICK, 0)->time, 3.0 * 2.0 / 14.0, exact);
    CHECK_NEAR(held->u[0], 0.0, 1e-13); /* 8 N are below 10 N */
    free(held);
}

TEST(a_rocking_block_changes_its_edge_at_the_exact_times)
{
    const double times[] = {0.312308575112622, 0.820592229082601, 1.251876744461843, 1.625866613309982,
                            1.954508336441402};
    const char *edits[] = {"parameters.mu=1", "parameters.tilt=atan(1/4)/2"};
    recording *block = record_scene(read_edited("rocking-block", edits, 2), 5.1);
    check_times(check_state_, block, TP_EVENT_IMPACT, 5, times);
    /* it comes to rest at 5.022615635770 s; the last hops of 1e-7 V are left out */
    double last = event_of(block, TP_EVENT_ACCUMULATION, 0)->time;
    CHECK(last > 5.0225 && last <= 5.022615635770 + 4e-8);
    int n = count_of(block, TP_EVENT_IMPACT);
    double end[3];
    for (int k = 0; k < 3; k++)
        end[k] = event_of(block, TP_EVENT_IMPACT, n - 5 + 2 * k)->time; /* of one corner */
    double d0 = end[1] - end[0], d1 = end[2] - end[1];
    CHECK_NEAR(end[2] + d1 * d1 / (d0 - d1), 5.022615635770, 4e-8);
    CHECK_NEAR(block->q[2], 0.0, 1e-12);
    free(block);
}

/* Impact n leaves the opening corner with the speed 2 b w r^n, w before the first one, r = 1 - 3/2
   sin^2(alpha): rest comes after the first n at which that is at most 1e-7 V, V = sqrt(L A) with L = 1 unit
   of length for a model of formulas. In metres n = 144; in units of the half diagonal R, V = sqrt(g R), n =
   149, and the time of that impact is one by quadrature; theory/event-driven.md (17). */
TEST(a_rocking_block_rests_after_the_impact_that_the_rule_of_accumulation_gives)
{
    const double b = 0.1, R = hypot(0.1, 0.4), g = 9.81, alpha = atan(0.25), r = 1.0 - 1.5 * b * b / (R * R),
                 w = sqrt(1.5 * g / R * (cos(0.5 * alpha) - cos(alpha)));
    const double length[] = {1.0, R}, last[] = {5.022607814467725, 5.022610707517451};
    const int impacts[] = {144, 149};
    const char *edits[][5] = {{"parameters.mu=1", "parameters.tilt=atan(1/4)/2", "parameters.b=0.1",
                               "parameters.h=0.4", "parameters.g=9.81"},
                              {"parameters.mu=1", "parameters.tilt=atan(1/4)/2",
                               "parameters.b=0.1/sqrt(0.17)", "parameters.h=0.4/sqrt(0.17)",
                               "parameters.g=9.81/sqrt(0.17)"}};
    for (int k = 0; k < 2; k++) {
        int n = 0;
        while (2.0 * b * w * pow(r, n) > 1e-7 * sqrt(g * length[k])) n++;
        CHECK_INT(n, impacts[k]);
        recording *block = record_scene(read_edited("rocking-block", edits[k], 5), 5.1);
        CHECK_INT(count_of(block, TP_EVENT_IMPACT), n);
        CHECK_NEAR(event_of(block, TP_EVENT_IMPACT, n - 1)->time, last[k], 1e-8);
        free(block);
    }
}

TEST(the_woodpecker_sticks_slips_and_pecks_at_the_times_of_an_independent_computation)
{
    const double impacts[] = {0.077907193992, 0.081013497384, 0.081597240004, 0.118696833642, 0.121348982865};
    recording *bird = record_example("woodpecker", NULL, 1.11);
    check_times(check_state_, bird, TP_EVENT_IMPACT, 5, impacts);
    CHECK_NEAR(event_of(bird, TP_EVENT_STICK, 0)->time, 0.021649270167, exact);
    CHECK_NEAR(event_of(bird, TP_EVENT_SLIP, 0)->time, 0.061228686737, exact);
    CHECK_NEAR(event_of(bird, TP_EVENT_OPENING, 0)->time, 0.067038548573, exact);
    CHECK_NEAR(event_of(bird, TP_EVENT_OPENING, 1)->time, 0.083441641037, exact);
    CHECK_NEAR(event_of(bird, TP_EVENT_STICK, 1)->time, 0.167405603343, exact);
    int beak_law = event_of(bird, TP_EVENT_IMPACT, 1)->law;
    const double beak[] = {0.081013497384, 0.226854065623, 0.372923905024, 0.518821782227,
                           0.664863815456, 0.810784772849, 0.956807258484, 1.102744493518};
    for (int i = 0, n = 0; i < bird->count; i++) {
        if (bird->event[i].kind != TP_EVENT_IMPACT || bird->event[i].law != beak_law) continue;
        CHECK_NEAR(bird->event[i].time, beak[n], exact);
        n++;
    }
    free(bird);
}

TEST(a_double_pendulum_of_joints_strikes_its_wall)
{
    const double times[] = {0.92956441366, 1.16995897127, 1.71548199537, 2.5193803443, 2.5702761787},
                 impulses[] = {1.4046180161, 1.7901516558, 2.0009742923};
    recording *run = record_example("double-pendulum-wall", NULL, 2.6);
    check_times(check_state_, run, TP_EVENT_IMPACT, 5, times);
    for (int i = 0; i < 3; i++) CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, i)->impulse[0], impulses[i], exact);
    CHECK(run->joint_error <= 1e-12);
    free(run);
}

/* Two uniform rods of 1 kg and 1 m from the horizontal, the tip against a wall at -0.5 m; figures of an
   independent computation. */
TEST(two_rods_strike_a_wall_with_their_tip)
{
    recording *run =
        record_at(scene_of("coordinates: [a, b]\n"
                           "kinetic: \"1/6*a'^2 + 1/2*(a'^2 + 1/4*b'^2 + a'*b'*cos(a - b)) + 1/24*b'^2\"\n"
                           "potential: \"-9.81*(3/2*cos(a) + 1/2*cos(b))\"\n"
                           "contacts: [{name: tip, gap: \"sin(a) + sin(b) + 0.5\", restitution: 0.8}]\n"
                           "initial: {a: pi/2, b: pi/2}\n"),
                  4.3, 1e-13);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 0)->time, 0.716323659821923, exact);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 0)->impulse[0], 6.35184439222, exact);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 1)->time, 4.21766041426, exact);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 1)->impulse[0], 3.67979555765, exact);
    free(run);
}

TEST(a_ball_in_a_corner_comes_to_rest_after_the_exact_sequence)
{
    const double times[] = {0.270378842372, 0.598771873186, 0.843168556119, 1.026466068319, 1.133701347565};
    recording *ball = record_example("corner-ball", NULL, 1.5);
    check_times(check_state_, ball, TP_EVENT_IMPACT, 5, times);
    double rest = event_of(ball, TP_EVENT_ACCUMULATION, 0)->time;
    CHECK(rest > 1.36084 && rest <= 1.360845166332);
    double plane[4]; /* impacts on plane 1: intervals shrink by 43/98, their sum is the time of rest */
    for (int k = 0; k < 4; k++) plane[k] = event_of(ball, TP_EVENT_IMPACT, 1 + 2 * k)->time;
    double ratio = (plane[2] - plane[1]) / (plane[1] - plane[0]);
    CHECK_NEAR(ratio, 43.0 / 98.0, 1e-9);
    CHECK_NEAR(plane[1] + (plane[2] - plane[1]) / (1.0 - ratio), 1.360845166332, 1e-9);
    free(ball);
}

TEST(a_cam_strikes_its_follower_at_every_speed)
{
    static const struct {
        const char *rpm;
        double times[3], speed[2];
    } cases[] = {
        {"parameters.rpm=358",
         {0.031158091794, 0.104196437121, 0.181152901403},
         {-17.810192204, -18.991170818}},
        {"parameters.rpm=660",
         {0.039649399482, 0.076779924820, 0.097671891570},
         {-10.546524568, -3.147357785}},
        {"parameters.rpm=700", {0.040499573603, 0.097832702711, 0.180002362941}, {-14.050636337, 0.0}},
    };
    for (int i = 0; i < 3; i++) {
        recording *cam = record_example("cam-follower", cases[i].rpm, 0.19);
        check_times(check_state_, cam, TP_EVENT_IMPACT, 3, cases[i].times);
        for (int k = 0; k < 2 && cases[i].speed[k] != 0.0; k++)
            CHECK_NEAR(event_of(cam, TP_EVENT_IMPACT, k)->velocity_before[0], cases[i].speed[k], 5e-10);
        free(cam);
    }
}

#define POINT_ON_PLANE                                                                                       \
    "coordinates: [x, y, z]\n"                                                                               \
    "kinetic: \"1/2*(x'^2 + y'^2 + z'^2)\"\n"

/* v (k + cos phi) falls linearly, k = mu/tan(alpha): the stop in closed form. */
TEST(a_point_on_a_slope_stops_in_space_at_the_exact_time_and_place)
{
    recording *run = record_text("name: slope\n"
                                 "parameters: {alpha: 0.3, g: 9.81, mu: 0.4}\n" POINT_ON_PLANE
                                 "potential: \"g*(cos(alpha)*z - sin(alpha)*x)\"\n"
                                 "contacts: [{name: floor, gap: z, slip: [\"x'\", \"y'\"], friction: mu}]\n"
                                 "initial: {x': \"2*cos(2)\", y': \"2*sin(2)\"}\n"
                                 "simulate: {dt: 0.1, until: 1}\n",
                                 1.0);
    CHECK_NEAR(event_of(run, TP_EVENT_STICK, 0)->time, 0.900164068030437, exact);
    CHECK_NEAR(run->q[0], 0.049756728722, exact);
    CHECK_NEAR(run->q[1], 0.478620274610, exact);
    free(run);

    /* the same on four equal contacts, three of them without a force */
    run = record_text("name: slope\n"
                      "parameters: {alpha: 0.3, g: 9.81, mu: 0.4}\n" POINT_ON_PLANE
                      "potential: \"g*(cos(alpha)*z - sin(alpha)*x)\"\n"
                      "contacts: [{name: f1, gap: z, slip: [\"x'\", \"y'\"], friction: mu},\n"
                      "           {name: f2, gap: z, slip: [\"x'\", \"y'\"], friction: mu},\n"
                      "           {name: f3, gap: z, slip: [\"x'\", \"y'\"], friction: mu},\n"
                      "           {name: f4, gap: z, slip: [\"x'\", \"y'\"], friction: mu}]\n"
                      "initial: {x': \"2*cos(2)\", y': \"2*sin(2)\"}\n",
                      1.0);
    CHECK_NEAR(event_of(run, TP_EVENT_STICK, 0)->time, 0.900164068030437, exact);
    CHECK_NEAR(run->q[0], 0.049756728722, exact);
    CHECK_NEAR(run->q[1], 0.478620274610, exact);
    free(run);
}

#define THROWN_BOX(speed, turn, tail)                                                                        \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: b, mass: 1, position: [0, 0, 0.5], velocity: " speed ", angular_velocity: " turn ",\n"       \
    "     shapes: [{name: s, type: box, size: [0.2, 0.25, 0.3]}]" tail "}\n"                                 \
    "ground: {shapes: [{name: floor, type: plane}]}\n"                                                       \
    "contacts: [{name: c, between: [floor, s], friction: 0.4, restitution: 0.3}]\n"

/* A tumbling box bounces, rocks, slides on four corners, stops, and stays where it is: flat, so that its
   centre is at half an edge, its energy m g z, and not one velocity is left. One that is laid down flat and
   pushed slides v^2/(2 mu g) and stops without turning. */
TEST(a_tumbling_box_comes_to_rest_on_redundant_contacts)
{
    recording *box = record_text(
        THROWN_BOX("[1, 0.5, -0.5]", "[1, 2, 0.5]", ", orientation: {axis: [1, 0.5, 0], angle: 0.3}"), 3.0);
    const double half[] = {0.1, 0.125, 0.15};
    double off = INFINITY;
    CHECK_INT(box->status, TP_OK);
    CHECK(count_of(box, TP_EVENT_ACCUMULATION) >= 1 && count_of(box, TP_EVENT_STICK) >= 3);
    for (int k = 0; k < 3; k++) off = fmin(off, fabs(box->q[2] - half[k]));
    CHECK(off <= 1e-12);
    for (int j = 0; j < 6; j++) CHECK_NEAR(box->u[j], 0.0, 1e-12);
    CHECK(box->event[box->count - 1].time < 2.0);
    free(box);

    recording *pushed =
        record_text("gravity: [0, 0, -9.81]\n"
                    "bodies:\n"
                    "  - {name: b, mass: 1, position: [0, 0, 0.15], velocity: [0.9, 1.2, 0],\n"
                    "     shapes: [{name: s, type: box, size: [0.2, 0.25, 0.3]}]}\n"
                    "ground: {shapes: [{name: floor, type: plane}]}\n"
                    "contacts: [{name: c, between: [floor, s], friction: 0.3}]\n",
                    1.0);
    double way = 1.5 * 1.5 / (2.0 * 0.3 * 9.81);
    CHECK_NEAR(pushed->q[0], 0.6 * way, exact);
    CHECK_NEAR(pushed->q[1], 0.8 * way, exact);
    CHECK_NEAR(event_of(pushed, TP_EVENT_STICK, 0)->time, 1.5 / (0.3 * 9.81), exact);
    for (int j = 0; j < 6; j++) CHECK_NEAR(pushed->u[j], 0.0, 1e-12);
    free(pushed);
}

/* The force 2t (cos t, sin t) reaches mu m g at t = mu g/2; the motion from there by an independent
 * computation. */
TEST(a_point_that_is_dragged_starts_to_slip_in_space)
{
    recording *run = record_text("name: drag\n"
                                 "parameters: {g: 9.81, mu: 0.3}\n" POINT_ON_PLANE "potential: \"g*z\"\n"
                                 "forces: {x: \"2*t*cos(t)\", y: \"2*t*sin(t)\"}\n"
                                 "contacts: [{name: floor, gap: z, slip: [\"x'\", \"y'\"], friction: mu}]\n"
                                 "simulate: {dt: 0.1, until: 3}\n",
                                 3.0);
    CHECK_NEAR(event_of(run, TP_EVENT_SLIP, 0)->time, 1.4715, exact);
    CHECK_NEAR(run->q[0], -0.8568051567, exact);
    CHECK_NEAR(run->q[1], 0.7454176448, exact);
    CHECK_NEAR(run->u[0], -2.0511730683, exact);
    CHECK_NEAR(run->u[1], 0.9281374565, exact);
    free(run);
}

/* The load 20 N at 0.5 t tips the beam over the support at 0.3 m when 20 (0.5 t - 0.3) = 9.81 0.3. */
TEST(a_beam_on_three_supports_redistributes_its_forces_until_it_tips)
{
    recording *beam = record_text("name: beam\n"
                                  "coordinates: [y, phi]\n"
                                  "kinetic: \"1/2*(y'^2 + phi'^2/12)\"\n"
                                  "potential: \"9.81*y\"\n"
                                  "forces: {y: \"-20\", phi: \"-20*0.5*t\"}\n"
                                  "contacts:\n"
                                  "  - {name: left, gap: \"y - 0.3*phi\"}\n"
                                  "  - {name: middle, gap: y}\n"
                                  "  - {name: right, gap: \"y + 0.3*phi\"}\n"
                                  "simulate: {dt: 0.1, until: 1}\n",
                                  1.0);
    CHECK(count_of(beam, TP_EVENT_REDISTRIBUTION) >= 1);
    CHECK_NEAR(event_of(beam, TP_EVENT_OPENING, 0)->time, 0.8943, exact);
    for (int i = 0; i < beam->count; i++) {
        bool is_early = beam->event[i].time > 0.0 && beam->event[i].time < 0.894;
        CHECK(!is_early || beam->event[i].kind == TP_EVENT_REDISTRIBUTION);
    }
    free(beam);
}

static const char graze_text[] = "name: graze\n"
                                 "coordinates: [x]\n"
                                 "kinetic: \"1/2*x'^2\"\n"
                                 "potential: \"1/2*x^2\"\n"
                                 "contacts: [{name: wall, gap: \"x + 1 + %s\", restitution: 0.5}]\n"
                                 "initial: {x: 1}\n"
                                 "simulate: {dt: 0.1, until: 4}\n";

/* The error of the time is that of the gap over the speed there, 4.5e-5 m/s: 1e-9 s need 4e-14 m, which rtol
   = 1e-14 keeps. */
TEST(a_wall_that_is_grazed_is_not_struck_and_one_a_nanometre_nearer_is)
{
    char text[512];
    snprintf(text, sizeof text, graze_text, "0");
    recording *touch = record_text(text, 4.0);
    CHECK_INT(count_of(touch, TP_EVENT_IMPACT), 0);
    CHECK_NEAR(event_of(touch, TP_EVENT_GRAZING, 0)->time, acos(-1.0), 1e-6);
    snprintf(text, sizeof text, graze_text, "-1e-9");
    recording *hit = record_at(scene_of(text), 4.0, 1e-14);
    CHECK_NEAR(event_of(hit, TP_EVENT_IMPACT, 0)->time, 3.141547932231, 1e-9);
    free(touch);
    free(hit);
}

static const char block_text[] =
    "name: flat fall\n"
    "parameters: {b: 0.1, h: 0.2}\n"
    "coordinates: [x, y, theta]\n"
    "kinetic: \"1/2*(x'^2 + y'^2 + theta'^2*(b^2 + h^2)/3)\"\n"
    "potential: \"9.81*y\"\n"
    "contacts:\n"
    "  - {name: left, gap: \"y - b*sin(theta) - h*cos(theta)\", slip: \"x' + (b*sin(theta) + "
    "h*cos(theta))*theta'\", friction: 0.5}\n"
    "  - {name: right, gap: \"y + b*sin(theta) - h*cos(theta)\", slip: \"x' + (h*cos(theta) - "
    "b*sin(theta))*theta'\", friction: 0.5}\n"
    "initial: {y: 1, theta: %s}\n"
    "simulate: {dt: 0.1, until: 0.5}\n";

TEST(both_corners_of_a_flat_block_strike_together_and_those_of_a_tilted_one_in_turn)
{
    char text[1024];
    snprintf(text, sizeof text, block_text, "1e-12");
    recording *flat = record_text(text, 0.5);
    CHECK_INT(count_of(flat, TP_EVENT_IMPACT), 2);
    CHECK_NEAR(event_of(flat, TP_EVENT_IMPACT, 0)->time, event_of(flat, TP_EVENT_IMPACT, 1)->time, 0.0);
    snprintf(text, sizeof text, block_text, "1e-9");
    recording *tilted = record_text(text, 0.5);
    CHECK(event_of(tilted, TP_EVENT_IMPACT, 1)->time > event_of(tilted, TP_EVENT_IMPACT, 0)->time);
    free(flat);
    free(tilted);
}

#define ROD                                                                                                  \
    "parameters: {mu: %s, start: %s, turn: %s, speed: %s}\n"                                                 \
    "coordinates: [x, y, th]\n"                                                                              \
    "kinetic: \"1/2*(x'^2 + y'^2 + th'^2/3)\"\n"                                                             \
    "potential: \"%s*y\"\n"                                                                                  \
    "contacts: [{name: tip, gap: \"y - sin(th)\", slip: \"x' + sin(th)*th'\", friction: mu}]\n"              \
    "initial: {y: sin(start), th: start, x': \"speed - sin(start)*turn\", y': \"cos(start)*turn\", th': "    \
    "turn}\n"                                                                                                \
    "simulate: {dt: 0.01, until: 0.2}\n"

/* The rod of half length 1 m and mass 1 kg slides on its tip: D = 1 + 3 cos^2 - 3 mu sin cos. */
/* A ball of radius r rolls from rest at the angle 0.1 off a fixed ball, in the vertical plane of azimuth psi.
   With I = 2/5 m r^2 it rolls with T = 2/7 m g sin(th) and N = m g (17 cos(th) - 10 cos(0.1))/7, so that it
   slips where 2 sin(th) = mu (17 cos(th) - 10 cos(0.1)), before it parts. Where the normal passes |n_x| = 0.6
   tangents turn, and the modes of the contact with them; once that made an offset of the gap out of a
   direction. */
TEST(a_ball_rolls_slips_and_parts_from_a_ball_alike_in_every_direction)
{
    const double psi[] = {0.0, 0.4, 1.2, 3.0, 1.5707963267948966}, mu = 0.2, from = 0.1;
    double slips[5], parts[5], slip_angle = 0.5;
    for (int k = 0; k < 50; k++) /* Newton's method */
        slip_angle -= (2.0 * sin(slip_angle) - mu * (17.0 * cos(slip_angle) - 10.0 * cos(from))) /
                      (2.0 * cos(slip_angle) + mu * 17.0 * sin(slip_angle));
    for (int k = 0; k < 5; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: [{name: b, mass: 2, position: [%.17g, %.17g, %.17g],\n"
                 "          shapes: [{name: s, type: sphere, radius: 0.1}]}]\n"
                 "ground: {shapes: [{name: g, type: sphere, radius: 0.3}]}\n"
                 "contacts: [{name: c, between: [g, s], friction: 0.2}]\n"
                 "simulate: {dt: 0.01, until: 1}\n",
                 0.4 * sin(from) * cos(psi[k]), 0.4 * sin(from) * sin(psi[k]), 0.4 * cos(from));
        recording *ball = record_text(text, 1.2);
        CHECK_INT(ball->status, TP_OK);
        slips[k] = event_of(ball, TP_EVENT_SLIP, 0)->time;
        parts[k] = event_of(ball, TP_EVENT_OPENING, 0)->time;
        free(ball);
        ball = record_text(text, slips[k]);
        CHECK_NEAR(atan2(hypot(ball->q[0], ball->q[1]), ball->q[2]), slip_angle, 1e-9);
        free(ball);
        CHECK_NEAR(slips[k], slips[0], 1e-9);
        CHECK_NEAR(parts[k], parts[0], 1e-9);
        CHECK(parts[k] > slips[k]);
    }
}

TEST(a_rod_sticks_or_stops_with_the_name_of_its_painleve_state)
{
    char text[1024];
    snprintf(text, sizeof text, "name: rod\n" ROD, "1", "1", "0", "-5", "9.81");
    recording *sticks = record_text(text, 0.2);
    CHECK_INT(sticks->status, TP_OK);
    CHECK_NEAR(event_of(sticks, TP_EVENT_STICK, 0)->time, 0.148211333989, exact);
    free(sticks);
    snprintf(text, sizeof text, "name: rod\n" ROD, "1", "1", "0", "-5", "9.81");
    sticks = record_text(text, 0.148211333989);
    CHECK_NEAR(sticks->q[2], 1.204793387, 1e-9); /* digits given */
    CHECK_NEAR(sticks->u[2], 2.745359274, 1e-9);
    free(sticks);

    snprintf(text, sizeof text, "name: rod\n" ROD, "2", "atan(2)", "0", "-1", "9.81");
    recording *jams = record_text(text, 0.2);
    CHECK(jams->status != TP_OK);
    CHECK(strstr(jams->reason, "Painleve") != NULL && strstr(jams->reason, "tip") != NULL &&
          strstr(jams->reason, "no solution") != NULL);
    free(jams);

    snprintf(text, sizeof text, "name: rod\n" ROD, "2", "atan(2)", "4", "-1", "9.81");
    recording *either = record_text(text, 0.2);
    CHECK(strstr(either->reason, "several solutions") != NULL);
    free(either);
}

/* Impulses of the impact without collision, by hand: the tip stops at once, (0.3, 0.4) N s at tan = 2; at 45
   degrees friction on its edge ends the slip of 9.3333 m/s with 3.5 N s, which D = 1e-6 G_NN comes before by
   its square root, about 1e-3. */
TEST(a_rod_without_acceleration_is_struck_without_collision)
{
    char text[1024];
    snprintf(text, sizeof text, "name: rod\n" ROD, "2", "atan(2)", "0", "-1", "9.81");
    tp_scene *scene = scene_of(text);
    scene->options.event.strikes = true;
    recording *jams = record_scene(scene, 0.01);
    const tp_event *strike = event_of(jams, TP_EVENT_IMPACT, 0);
    CHECK_INT(jams->status, TP_OK);
    CHECK_NEAR(strike->time, 0.0, 0.0);
    CHECK_NEAR(strike->impulse[0], 0.3, exact);
    CHECK_NEAR(strike->impulse[1], 0.4, exact);
    CHECK_NEAR(strike->velocity_after[1], 0.0, exact);
    free(jams);

    scene = read_edited("painleve-rod", NULL, 0);
    scene->options.event.strikes = true;
    recording *jumps = record_scene(scene, 0.9);
    strike = event_of(jumps, TP_EVENT_IMPACT, 0);
    CHECK_INT(jumps->status, TP_OK);
    CHECK_NEAR(strike->time, 0.81454944, 5e-9);
    CHECK_NEAR(strike->impulse[0], 3.5, 1e-3);
    CHECK_NEAR(strike->impulse[1], -5.0 / 3.0 * strike->impulse[0], exact);
    CHECK_NEAR(jumps->u[2], 8.710, 1e-3);
    free(jumps);
}

/* A force of 1 N/s pulls at a mass of 1 kg that a brake with the bounds -2 N and 3 N holds: it slips when the
   force reaches the bound, and is fast s^2/2 after s seconds more. On the bound itself it still holds: it
   lets go when the bound is exceeded by tp_event_late_force of the largest one, which takes 3e-9 s. */
TEST(a_brake_gives_way_at_each_of_its_bounds)
{
    static const char *const potential[] = {"-t*x", "t*x"};
    static const double bound[] = {2.0, 3.0}, sign[] = {1.0, -1.0};
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: \"%s\"\n"
                 "laws: [{name: brake, kind: limited, velocity: x', lower: -2, upper: 3}]\n",
                 potential[k]);
        recording *run = record_text(text, 4.0);
        double left = 4.0 - bound[k], late = tp_event_late_force * 3.0 + exact;
        CHECK_INT(run->status, TP_OK);
        CHECK_NEAR(event_of(run, TP_EVENT_SLIP, 0)->time, bound[k], late);
        CHECK_NEAR(run->u[0], sign[k] * left * left / 2.0, left * late);
        CHECK_NEAR(run->q[0], sign[k] * left * left * left / 6.0, left * left / 2.0 * late);
        free(run);
    }
}

/* The same rod as two of half its mass, which joints hold together: forces of joints take part in D, and the
   state is lost at the same time. (It ends there: friction on its edge is followed without joints alone.) */
TEST(a_rod_of_two_parts_comes_to_its_painleve_state_at_the_same_time)
{
    recording *run =
        record_text("parameters: {m: 0.5, J: 1/6, g: 10, mu: 5/3, start: 31*pi/180}\n"
                    "coordinates: [x, y, phi, v, w, psi]\n"
                    "kinetic: \"1/2*(m*(x'^2 + y'^2) + J*phi'^2 + m*(v'^2 + w'^2) + J*psi'^2)\"\n"
                    "potential: \"m*g*(y + w)\"\n"
                    "constraints: [{name: a, position: v - x}, {name: b, position: w - y}, {name: c, "
                    "position: psi - phi}]\n"
                    "contacts: [{name: tip, gap: y - sin(phi), slip: \"x' - sin(phi)*phi'\", friction: mu}]\n"
                    "initial: {y: sin(start), phi: start, x': 30, w: sin(start), psi: start, v': 30}\n",
                    0.9);
    double t = 0.0;
    const char *said = strstr(run->reason, "Painleve state at t = ");
    CHECK_INT(run->status, TP_INFEASIBLE);
    CHECK(said != NULL && sscanf(said, "Painleve state at t = %lf", &t) == 1);
    CHECK_NEAR(t, 0.81454944, 5e-9);
    free(run);
}

/* The inertia of a slip across is smaller by 1e8 than that along: its friction ends it at once, and the slip
   along is slowed by mu g. With inertia 0 it ends after 1/(2 mu g) m; the error is of the size of the inertia
   ratio. */
TEST(a_slip_between_very_different_inertias_is_followed_by_the_stiff_method)
{
    recording *run =
        record_text("parameters: {I: 1e-10, l: 0.1, mu: 0.4}\n"
                    "coordinates: [x, y, z, phi]\n"
                    "kinetic: \"1/2*(x'^2 + y'^2 + z'^2 + I*phi'^2)\"\n"
                    "potential: \"9.81*z\"\n"
                    "contacts: [{name: floor, gap: z, slip: [\"x'\", \"y' + l*phi'\"], friction: "
                    "mu}]\n"
                    "initial: {x': 1, y': 0.5, phi': 2}\n",
                    0.5);
    CHECK_INT(run->status, TP_OK);
    CHECK_NEAR(run->q[0], 1.0 / (2.0 * 0.4 * 9.81), 1e-8);
    CHECK_NEAR(run->q[1], 0.5 * 0.5, 1e-8);
    CHECK_NEAR(event_of(run, TP_EVENT_STICK, 0)->time, 1.0 / (0.4 * 9.81), 1e-7);
    free(run);
}

/* With a damper that relaxes within 1e-8 s, and the rods of the pendulum as joints: the stiff method alone,
   to the same figures. */
TEST(the_stiff_method_keeps_joints_and_finds_the_same_events)
{
    tp_scene *scene = read_edited("double-pendulum-wall", NULL, 0);
    scene->options.event.steps = TP_EVENT_STEPS_STIFF;
    recording *run = record_scene(scene, 1.3);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 0)->time, 0.92956441366, 1e-9);
    CHECK_NEAR(event_of(run, TP_EVENT_IMPACT, 1)->time, 1.16995897127, 1e-9);
    CHECK(run->joint_error <= 1e-12);
    free(run);

    /* m x'' = -d (x' - cos t): x' = cos t after 1e-8 s, to d^-1 */
    recording *stiff = record_text("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                                   "forces: {x: \"-1e8*(x' - cos(t))\"}\n"
                                   "contacts: [{name: wall, gap: \"0.9 - x\"}]\n",
                                   1.5);
    CHECK_INT(stiff->status, TP_OK);
    CHECK_NEAR(event_of(stiff, TP_EVENT_IMPACT, 0)->time, asin(0.9), 1e-7);
    free(stiff);
}

/* x'' = -sign(x) from 1 falls to 0 in sqrt(2) s, four times in a period: after ten periods at 1 again. The
   error of each of the 20 switches is that of the tolerance, not of a step across it. With sign(x') the
   motion stays on the switch, which only a law can do. */
TEST(switches_in_formulas_are_roots_and_a_motion_that_stays_on_one_is_named)
{
    recording *bang = record_text("coordinates: [x]\nkinetic: \"1/2*x'^2\"\nforces: {x: \"-sign(x)\"}\n"
                                  "initial: {x: 1}\n",
                                  40.0 * sqrt(2.0));
    CHECK_NEAR(bang->q[0], 1.0, exact);
    CHECK_NEAR(bang->u[0], 0.0, exact);
    free(bang);

    /* 1 N until 1/3 s, then -2 N: a switch of time */
    recording *timed = record_text("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                                   "forces: {x: \"if(t < 1/3, 1, -2)\"}\n",
                                   1.0);
    CHECK_NEAR(timed->u[0], 1.0 / 3.0 - 4.0 / 3.0, exact);
    CHECK_NEAR(timed->q[0], 1.0 / 18.0 + 2.0 / 9.0 - 4.0 / 9.0, exact);
    free(timed);

    recording *stays = record_text("coordinates: [x]\nkinetic: \"1/2*x'^2\"\n"
                                   "forces: {x: \"-sign(x' - 1)\"}\n",
                                   3.0);
    CHECK(stays->status != TP_OK);
    CHECK(strstr(stays->reason, "switch in the formula at s.yaml:3") != NULL);
    free(stays);
}

static double end_error(const char *example, const char *edit, const char *integrator, double dt,
                        double until, const recording *reference)
{
    tp_scene *scene = read_edited(example, edit != NULL ? &edit : NULL, edit != NULL);
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.time_step = dt;
    options.end_time = until;
    tp_simulation *simulation = simulate_options(scene->model, options);
    run(simulation);
    double error = 0.0;
    tp_restart state;
    tp_simulation_checkpoint(simulation, &state);
    for (int i = 0; i < state.q_count && i < 8; i++) error = fmax(error, fabs(state.q[i] - reference->q[i]));
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return error;
}

/* Two balls that come to rest on each other and on the floor, in metres and in millimetres: limits are those
   of the scene, so that the same impacts are the last ones. */
TEST(units_do_not_change_the_events)
{
    recording *in[2];
    for (int k = 0; k < 2; k++) {
        double mm = k == 0 ? 1.0 : 1000.0;
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, %g]\nbodies:\n"
                 "  - {name: a, mass: 1, position: [0, 0, %g], velocity: [%g, 0, 0],\n"
                 "     shapes: [{type: sphere, radius: %g}]}\n"
                 "  - {name: b, mass: 0.5, position: [0, 0, %g], shapes: [{type: sphere, radius: %g}]}\n"
                 "ground: {shapes: [{name: floor, type: plane}]}\n"
                 "contacts: [{name: c, among: all, restitution: 0.5, friction: 0.3}]\n"
                 "simulate: {dt: 1e-2, until: 1}\n",
                 -9.81 * mm, 0.15 * mm, 0.01 * mm, 0.05 * mm, 0.3 * mm, 0.05 * mm);
        in[k] = record_scene(scene_of(text), 1.0);
        CHECK_INT(in[k]->status, TP_OK);
    }
    CHECK(in[0]->count > 60);
    CHECK_INT(in[1]->count, in[0]->count);
    for (int i = 0; i < in[0]->count; i++) {
        CHECK_INT(in[1]->event[i].kind, in[0]->event[i].kind);
        CHECK_NEAR(in[1]->event[i].time, in[0]->event[i].time, 1e-8);
    }
    free(in[0]);
    free(in[1]);
}

/* Steps see an impact up to two steps late: order 1, irregular, so that ten times as many steps leave at most
   half the error; and no more than the drift of 20 m/s times the step, two steps late at twice 1.8 m/s and as
   much again of the swing. */
TEST(time_stepping_schemes_converge_to_the_events)
{
    static const char *const schemes[] = {"moreau", "moreau-jean", "symmetric-moreau", "generalized-alpha"};
    const char *const example = "double-pendulum-wall-minimal";
    recording *reference = record_example(example, NULL, 1.0);
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        double coarse = end_error(example, NULL, schemes[i], 2e-3, 1.0, reference),
               fine = end_error(example, NULL, schemes[i], 2e-4, 1.0, reference);
        CHECK(fine <= 20.0 * 2e-4);
        CHECK(fine <= 0.5 * coarse);
    }
    free(reference);
}

TEST_MAIN(RUNS(a_ball_bounces_at_the_exact_times_and_comes_to_rest_at_their_limit),
          RUNS(a_dry_oscillator_turns_at_every_half_period_and_sticks),
          RUNS(a_belt_with_static_friction_has_the_exact_period),
          RUNS(a_block_breaks_loose_at_the_static_bound_in_the_plane_and_in_space),
          RUNS(a_rocking_block_changes_its_edge_at_the_exact_times),
          RUNS(a_rocking_block_rests_after_the_impact_that_the_rule_of_accumulation_gives),
          RUNS(the_woodpecker_sticks_slips_and_pecks_at_the_times_of_an_independent_computation),
          RUNS(a_double_pendulum_of_joints_strikes_its_wall), RUNS(two_rods_strike_a_wall_with_their_tip),
          RUNS(a_tumbling_box_comes_to_rest_on_redundant_contacts),
          RUNS(a_ball_in_a_corner_comes_to_rest_after_the_exact_sequence),
          RUNS(a_cam_strikes_its_follower_at_every_speed),
          RUNS(a_point_on_a_slope_stops_in_space_at_the_exact_time_and_place),
          RUNS(a_point_that_is_dragged_starts_to_slip_in_space),
          RUNS(a_beam_on_three_supports_redistributes_its_forces_until_it_tips),
          RUNS(a_wall_that_is_grazed_is_not_struck_and_one_a_nanometre_nearer_is),
          RUNS(both_corners_of_a_flat_block_strike_together_and_those_of_a_tilted_one_in_turn),
          RUNS(a_ball_rolls_slips_and_parts_from_a_ball_alike_in_every_direction),
          RUNS(a_rod_sticks_or_stops_with_the_name_of_its_painleve_state),
          RUNS(a_rod_without_acceleration_is_struck_without_collision), RUNS(units_do_not_change_the_events),
          RUNS(a_brake_gives_way_at_each_of_its_bounds),
          RUNS(a_rod_of_two_parts_comes_to_its_painleve_state_at_the_same_time),
          RUNS(a_slip_between_very_different_inertias_is_followed_by_the_stiff_method),
          RUNS(the_stiff_method_keeps_joints_and_finds_the_same_events),
          RUNS(switches_in_formulas_are_roots_and_a_motion_that_stays_on_one_is_named),
          RUNS(time_stepping_schemes_converge_to_the_events))
