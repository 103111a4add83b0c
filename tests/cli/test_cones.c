/* The contract of tippe cones, docs/command-line.md: cones of closed forms, and what is refused. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-cones-"
#include "program_run.h"

/* |x| <= mu y has the normals (+-1, -mu); times diag(1, eps) they are (+-1, -eps mu), both made of length 1.
 */
TEST(the_cones_of_a_friction_cone_are_those_of_the_closed_form)
{
    const double mu = 0.75, eps = 0.1; /* (1, -0.75) has the length 1.25 */
    const outcome *result = run("cones --friction 0.75 --epsilon 0.1");
    char line[128];
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "Euclidean  (-0.8, -0.6) to (0.8, -0.6)"));
    snprintf(line, sizeof line, "eps 0.1    (%.6g, %.6g) to (", -1.0 / hypot(1.0, eps * mu),
             -eps * mu / hypot(1.0, eps * mu));
    CHECK(holds(result->out, line));
    CHECK(holds(result->out, "limit      x free, y <= 0"));
    CHECK(holds(result->out, "limit      x >= 0, y = 0") && holds(result->out, "limit      x <= 0, y = 0"));
}

/* A square: corners become quadrants, upright edges half-lines along x, level edges half-lines along y. */
TEST(the_cones_of_a_square_keep_their_quadrants)
{
    const outcome *result = run("cones --corners '0,0; 1,0; 1,1; 0,1' --json");
    CHECK_INT(result->code, 0);
    CHECK(
        holds(result->out, "\"name\": \"corner 1\", \"x\": 0, \"y\": 0, \"euclidean\": [[-1, 0], [0, -1]]"));
    CHECK(holds(result->out, "\"limit\": {\"x\": \"negative\", \"y\": \"negative\"}"));
    CHECK(holds(result->out, "\"limit\": {\"x\": \"positive\", \"y\": \"positive\"}"));
    CHECK(holds(result->out, "\"limit\": {\"x\": \"zero\", \"y\": \"negative\"}"));
    CHECK(holds(result->out, "\"limit\": {\"x\": \"positive\", \"y\": \"zero\"}"));
}

TEST(what_is_not_a_convex_set_is_refused_with_the_reason)
{
    CHECK_INT(run("cones")->code, 2);
    CHECK_INT(run("cones --friction 0.5 --corners '0,0;1,0;0,1'")->code, 2);
    CHECK_INT(run("cones --friction nan")->code, 2);
    CHECK_INT(run("cones --friction 0.5 --epsilon 0")->code, 2);
    CHECK_INT(run("cones --friction 0.5 -o x.txt")->code, 2);
    const char *const bad[] = {"0,0;1,0",         "0,0;1,0;0,1;nan,2", "0,0;0,1;1,0",
                               "0,0;1,0;2,0;1,1", "0,0 1,0 0,1",       "0,0;2,0;0,1;1,1.5;1,-1"};
    for (int k = 0; k < 6; k++) {
        char command[128];
        snprintf(command, sizeof command, "cones --corners '%s'", bad[k]);
        const outcome *result = run(command);
        CHECK_INT(result->code, 2);
        CHECK(holds(result->err, "--corners") && holds(result->err, "expected"));
    }
}

TEST_MAIN(RUNS(the_cones_of_a_friction_cone_are_those_of_the_closed_form),
          RUNS(the_cones_of_a_square_keep_their_quadrants),
          RUNS(what_is_not_a_convex_set_is_refused_with_the_reason))
