/* The contract of tippe poincare, docs/guide/poincare.md: points, returns, files, messages. Motions with
   known sections: the oscillator x = cos(2 pi t) of period 1, and a ball that bounces for ever. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define SCRATCH TIPPE_PROGRAM "-test-poincare-" /* files beside the program */
#include "program_run.h"

#define SWING  SCRATCH "swing.yaml"
#define BALL   SCRATCH "ball.yaml"
#define RUN    SCRATCH "swing.h5"
#define BOUNCE SCRATCH "ball.h5"
#define TURNS  SCRATCH "turns.yaml"
#define TURNED SCRATCH "turns.h5"
#define TABLE  SCRATCH "points.csv"
#define MAP    SCRATCH "map.svg"

static int make_runs(void **state)
{
    (void)state;
    write_text(SWING, "parameters: {k: \"4*pi^2\"}\ncoordinates: [x]\nkinetic: \"x'^2/2\"\n"
                      "potential: \"k*x^2/2\"\ninitial: {x: 1}\n"
                      "simulate: {integrator: moreau-jean, dt: 1e-3, until: 6.1}\n");
    write_text(BALL, "coordinates: [y]\nkinetic: \"y'^2/2\"\npotential: \"10*y\"\n"
                     "contacts: [{name: floor, gap: y, restitution: 1}]\ninitial: {y: 0.2}\n"
                     "simulate: {integrator: consistent-elastic, dt: 1e-3, until: 2.5}\n");
    if (run("run " SWING " --quiet -o " RUN)->code != 0) return 1;
    return run("run " BALL " --quiet -o " BOUNCE)->code;
}

static int remove_runs(void **state)
{
    (void)state;
    static const char *const files[] = {SWING, BALL, RUN, BOUNCE, TURNS, TURNED, TABLE, MAP};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) remove(files[k]);
    return 0;
}

/* The number after a key. */
static double number_at(const char *text, const char *key)
{
    char value[64];
    return json_find(text, key, value, sizeof value) ? strtod(value, NULL) : NAN;
}

/* The theta-method with theta = 1/2 turns by 2 atan(pi dt) a step instead of 2 pi dt: the period is longer by
   (pi dt)^2/3 = 3.3e-6 of itself, the amplitude stays. x rises through 0 at 3/4, 7/4, ...; the cubic through
   four rows is off by (2 pi dt)^4 3/128 = 4e-11 at most. */
TEST(passages_of_an_oscillator_are_a_period_apart)
{
    const double dt = 1e-3, period = 3.14159265358979324 * dt / atan(3.14159265358979324 * dt);
    outcome *r = run("poincare " RUN " --through x --json");
    CHECK_INT(r->code, 0);
    CHECK(json_is_well_formed(r->out));
    CHECK(json_says(r->out, "count", "6") && json_says(r->out, "period", "1"));
    CHECK(fabs(number_at(r->out, "duration") - period) <= 1e-10);
    CHECK(fabs(number_at(r->out, "time") - 0.75 * period) <= 1e-10);
    CHECK(number_at(r->out, "error") <= 1e-9);
    CHECK(json_says(run("poincare " RUN " --through x --direction both --json")->out, "period", "2"));
    CHECK(
        holds(run("poincare " RUN " --through q/x --direction falling --level 0.5")->out, "points       6"));
}

/* Half a period of the strobe against a whole one of the motion: two points, one turn. The phase moves on by
   2 pi 3.3e-6 in a turn: at the turning points x by half the square of that, x' by 2 pi times it. */
TEST(a_strobe_sees_the_motion_return_after_whole_turns)
{
    outcome *r = run("poincare " RUN " --period 0.5 --json");
    CHECK(json_says(r->out, "count", "13") && json_says(r->out, "period", "2") &&
          json_says(r->out, "lag", "0"));
    CHECK(holds(run("poincare " RUN " --period 0.3 --closed 1e-9")->out, "none up to 16"));
}

/* The fall takes sqrt(2 h/g) = 0.2 s, so impacts are 0.4 s apart; rows are the steps themselves. */
TEST(events_make_a_section_without_lag)
{
    outcome *r = run("poincare " BOUNCE " --event impact --of floor --json");
    CHECK_INT(r->code, 0);
    CHECK(json_says(r->out, "lag", "0") && json_says(r->out, "count", "6"));
    CHECK(fabs(number_at(r->out, "duration") - 0.4) <= 2e-3);
}

/* The ball passes y = h = 1 mm half a step before its first impact, and half a step after it, with the speed
   sqrt(4 - 20 h) m/s. A straight line between rows is off by g dt^2/8 in y, which is 6e-7 m/s in y'; the
   cubic through rows on both sides of the impact would be off by an eighth of the jump. */
TEST(a_section_does_not_look_across_an_impact)
{
    static const char *const directions[] = {"falling", "rising"};
    const double speed = sqrt(4.0 - 20.0 * 1e-3);
    for (int k = 0; k < 2; k++) {
        char line[1024];
        snprintf(line, sizeof line,
                 "poincare " BOUNCE " --through y --level 1e-3 --direction %s --until 0.3 --json",
                 directions[k]);
        outcome *r = run(line);
        CHECK(json_says(r->out, "count", "1"));
        CHECK(fabs(number_at(r->out, "u/y'") - (k == 0 ? -speed : speed)) <= 1e-5);
    }
}

/* A wheel and a body that turn at 2 pi rad/s about a vertical axis: their angles grow, after each second all
   is as before; after an odd number of turns the quaternion has the other sign. The angle passes 1 rad in
   every turn. */
TEST(full_turns_are_a_return)
{
    write_text(TURNS, "coordinates: [{name: phi, unit: rad}, x]\nkinetic: \"(phi'^2 + x'^2)/2\"\n"
                      "initial: {phi': 2*pi}\n"
                      "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 2*pi]}]\n"
                      "simulate: {integrator: moreau, dt: 1e-2, until: 4.5}\n");
    CHECK_INT(run("run " TURNS " --quiet -o " TURNED)->code, 0);
    outcome *r = run("poincare " TURNED " --period 1 --json");
    CHECK(json_says(r->out, "count", "5") && json_says(r->out, "period", "1"));
    /* steps of moreau turn by 2 atan(pi dt) for 2 pi dt: half angles are off by pi^3 dt^2/12 = 2.6e-4 */
    CHECK(number_at(r->out, "error") <= 2.6e-4);
    CHECK(json_says(run("poincare " TURNED " --period 0.25 --json")->out, "period", "4"));
    CHECK(json_says(run("poincare " TURNED " --through phi --level 1 --json")->out, "count", "5"));
}

TEST(points_are_written_and_drawn)
{
    outcome *r = run("poincare " RUN " --through x --columns \"x'\" --columns x -o " TABLE " --plot " MAP);
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "period       1 point, 1.0000"));
    static char table[OUTPUT_MAX];
    read_file(TABLE, table);
    CHECK(holds(table, "time,u/x',q/x\n") && holds(table, "\n5.75"));
    CHECK_INT(access(MAP, R_OK), 0);
}

/* The picture of a section without points read its columns, which were not there. */
TEST(a_section_without_points_is_written_and_drawn)
{
    outcome *r = run("poincare " RUN " --through x --level 2 -o " TABLE " --plot " MAP);
    CHECK_INT(r->code, 0);
    CHECK(holds(r->out, "points       0"));
    CHECK_INT(access(MAP, R_OK), 0);
}

TEST(what_cannot_be_cut_is_said)
{
    static const struct {
        const char *arguments, *part;
        int code;
    } wrong[] = {
        {RUN, "one of --through COLUMN, --period S and --event KIND", 2},
        {RUN " --through x --period 1", "one of", 2},
        {RUN " --through q/y", "did you mean 'q/x'", 2},
        {RUN " --through x --columns energ", "there is no column \"energ\"; did you mean 'energy'", 2},
        {RUN " --through x --of floor", "--of needs --event", 2},
        {RUN " --period -1", "above 0", 2},
        {RUN " --period 1e-300", "more than 1e9 periods", 2},
        {RUN " --event impct", "did you mean 'impact'", 2},
        {RUN " --through x --columns x --plot " MAP, "two columns", 2},
        {RUN " --through x -o " RUN, "-o", 2},
        {SCRATCH "none.h5 --through x", "none.h5", 4},
        {SWING " --through x", "swing.yaml", 2},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char command[4096];
        snprintf(command, sizeof command, "poincare %s", wrong[k].arguments);
        outcome *r = run(command);
        bool is_right = r->code == wrong[k].code && holds(r->err, wrong[k].part);
        if (!is_right) print_error("%s: %d %s\n", wrong[k].arguments, r->code, r->err);
        CHECK(is_right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNS(passages_of_an_oscillator_are_a_period_apart),
        RUNS(a_strobe_sees_the_motion_return_after_whole_turns),
        RUNS(events_make_a_section_without_lag),
        RUNS(a_section_does_not_look_across_an_impact),
        RUNS(full_turns_are_a_return),
        RUNS(points_are_written_and_drawn),
        RUNS(a_section_without_points_is_written_and_drawn),
        RUNS(what_cannot_be_cut_is_said),
    };
    return cmocka_run_group_tests(tests, make_runs, remove_runs);
}
