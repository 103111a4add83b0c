/* The contract of tippe orbit, docs/guide/orbit.md. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-orbit-"
#include "program_run.h"

#define CAM "orbit '" TIPPE_SOURCE_DIR "/examples/cam-follower/scene.yaml' --set parameters.rpm=700 "

TEST(an_orbit_is_printed_and_written_as_json)
{
    const outcome *result = run(CAM "--period 0.0857142857142857 --from 2");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "period       0.0857142857") && holds(result->out, "1 impact") &&
          holds(result->out, "attracts: largest modulus 0.8"));
    result = run(CAM "--period 0.0857142857142857 --from 2 --json");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "\"stability\": \"attracts\"") && holds(result->out, "\"impacts\": 1"));
}

/* The figures of examples/bouncing-table/README.md, closed forms. */
TEST(a_ball_on_a_table_has_the_orbit_and_multipliers_of_its_example)
{
    const outcome *result =
        run("orbit '" TIPPE_SOURCE_DIR "/examples/bouncing-table/scene.yaml' --period 0.314159265358979");
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "events       1, of them 1 impact") &&
          holds(result->out, "0.027157587287 impact       table, -2.0546016 to 1.0273008 m/s"));
    CHECK(holds(result->out, "-0.0862431834+0.492505953i -0.0862431834-0.492505953i"));
    CHECK(holds(result->out, "determinant  0.25\n") && holds(result->out, "attracts: largest modulus 0.5\n"));
}

TEST(what_cannot_be_is_refused_with_the_reason)
{
    CHECK_INT(run(CAM)->code, 2);
    CHECK_INT(run(CAM "--period 1 --guess 1")->code, 2);
    CHECK_INT(run(CAM "--period 1 --of cam")->code, 2);
    CHECK_INT(run(CAM "--period -1")->code, 2);
    const outcome *result = run(CAM "--event impct --from 1");
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "impct"));
    result = run(CAM "--event impact --from 0.01");
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "start later"));
    result = run(CAM "--period 0.0857142857142857 --iterations 0");
    CHECK_INT(result->code, 3);
    CHECK(holds(result->err, "no orbit after 0 iterations"));
    result = run("orbit '" TIPPE_SOURCE_DIR "/examples/rlc-diode/scene.yaml' --period 1");
    CHECK_INT(result->code, 2);
}

TEST_MAIN(RUNS(an_orbit_is_printed_and_written_as_json),
          RUNS(a_ball_on_a_table_has_the_orbit_and_multipliers_of_its_example),
          RUNS(what_cannot_be_is_refused_with_the_reason))
