/* tippe sweep: what its table holds, shards and their merger, taking up again, and figures of it. */
#define _POSIX_C_SOURCE 200809L
#define SCRATCH         TIPPE_PROGRAM "-test-sweep-"
#include "program_run.h"

#include <math.h>
#include <stdbool.h>

#include "tippe/output.h"
#include "tippe/sweep.h"

#define BALL  SCRATCH "ball.yaml"
#define TABLE SCRATCH "table.h5"
#define OTHER SCRATCH "other.h5"
#define SVG   SCRATCH "figure.svg"

/* A ball that falls from a height with a restitution. */
static const char ball[] = "name: ball\n"
                           "parameters: {e: 0.5, h: 1, g: 10}\n"
                           "coordinates: [z]\n"
                           "kinetic: \"1/2*z'^2\"\n"
                           "potential: \"g*z\"\n"
                           "contacts: [{name: floor, gap: \"z\", restitution: e}]\n"
                           "initial: {z: h}\n"
                           "simulate: {dt: 1e-3, until: 1.2}\n";

#define SWEEP "sweep " BALL " --vary parameters.h=0.5:0.8:3 --vary parameters.e=0,0.5 --quiet "

static int make_scene(void **state)
{
    (void)state;
    write_text(BALL, ball);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    static const char *const files[] = {BALL,           TABLE,          OTHER,         SVG,
                                        SCRATCH "1.h5", SCRATCH "2.h5", SCRATCH "3.h5"};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) remove(files[k]);
    return 0;
}

static tp_trajectory *read_table(const char *path)
{
    tp_trajectory *table = NULL;
    tp_message why = {""};
    if (tp_trajectory_read(NULL, path, &table, &why) != TP_OK) fail_msg("%s", why.text);
    return table;
}

static const double *column(const tp_trajectory *table, const char *name)
{
    int at = tp_trajectory_find(table, name);
    if (at < 0) fail_msg("no column %s", name);
    return table->values[at];
}

/* A fall of h = 0.5, 0.65, 0.8 m at 10 m/s^2 takes sqrt(h/5) s, 0.4 s at most, and rebounds to e^2 h,
   not before 0.47 s. The step is 1 ms: the
   highest place after the impact is known within a step at the impact's speed, sqrt(2 g h) dt <= 0.004 m,
   each way. */
TEST(rows_hold_the_values_and_the_results_of_every_point)
{
    remove(TABLE);
    CHECK_INT(run(SWEEP "--result max:z --result impacts --result min:energy --from 0.42 -o " TABLE)->code,
              0);
    tp_trajectory *table = read_table(TABLE);
    const double *h = column(table, "vary/h"), *e = column(table, "vary/e"),
                 *top = column(table, "result/max:z");
    CHECK_INT(table->row_count, 6);
    for (int k = 0; k < 6; k++) {
        CHECK(column(table, "run")[k] == k && column(table, "status")[k] == 0.0);
        CHECK_NEAR(h[k], 0.5 + 0.15 * (k / 2), 1e-15); /* the last one varies fastest */
        CHECK(e[k] == (k % 2 == 0 ? 0.0 : 0.5));
        CHECK_NEAR(top[k], e[k] * e[k] * h[k], 0.008);
        CHECK(column(table, "result/impacts")[k] >= 1.0);
    }
    tp_trajectory_free(table);
}

static bool are_same_files(const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

TEST(shards_make_the_same_bytes_as_one_piece)
{
    remove(TABLE), remove(OTHER);
    CHECK_INT(run(SWEEP "--points impact --result end:z --jobs 2 -o " TABLE)->code, 0);
    CHECK_INT(run(SWEEP "--points impact --result end:z --shard 1/3 -o " SCRATCH "1.h5")->code, 0);
    CHECK_INT(run(SWEEP "--points impact --result end:z --shard 2/3 -o " SCRATCH "2.h5")->code, 0);
    CHECK(holds(run("sweep --merge " SCRATCH "1.h5 " SCRATCH "2.h5 -o " OTHER)->err, "one of 3 shards"));
    CHECK_INT(run(SWEEP "--points impact --result end:z --shard 3/3 -o " SCRATCH "3.h5")->code, 0);
    CHECK(holds(run("sweep --merge " SCRATCH "3.h5 " SCRATCH "1.h5 " SCRATCH "2.h5 -o " OTHER)->out,
                "6 points of 3 shards"));
    CHECK(are_same_files(TABLE, OTHER));
    CHECK_INT(run("sweep --merge " SCRATCH "1.h5 " SCRATCH "1.h5 " SCRATCH "2.h5 -o " OTHER)->code, 2);
    CHECK(holds(run("sweep --merge " SCRATCH "1.h5 " SCRATCH "1.h5 " SCRATCH "2.h5 -o " OTHER)->err,
                "are the same shard"));
    tp_trajectory *table = read_table(TABLE);
    const tp_table *points = tp_trajectory_table(table, "points");
    CHECK(points != NULL && points->row_count > 6); /* every ball falls at least once, some more */
    tp_trajectory_free(table);
}

TEST(a_sweep_is_taken_up_where_it_was)
{
    remove(TABLE), remove(OTHER);
    CHECK_INT(run(SWEEP "--result end:z -o " OTHER)->code, 0);
    /* A finished one: nothing is left to do, and its bytes stay. */
    CHECK_INT(
        run("sweep " BALL " --vary parameters.h=0.5:0.8:3 --vary parameters.e=0,0.5 --result end:z -o " TABLE)
            ->code,
        0);
    CHECK(holds(
        run("sweep " BALL " --vary parameters.h=0.5:0.8:3 --vary parameters.e=0,0.5 --result end:z -o " TABLE)
            ->out,
        "6 of 6 points, 6 of them from before"));
    CHECK(are_same_files(TABLE, OTHER));
    outcome *result = run(SWEEP "--result end:z --until 0.1 -o " TABLE);
    CHECK_INT(result->code, 2);
    CHECK(holds(result->err, "is not a table of this sweep"));
}

static bool stop_at_three(void *context, long long done, long long all)
{
    (void)context, (void)all;
    return done < 3;
}

/* Rows and points, and the order in which they came. */
TEST(a_sweep_that_was_stopped_ends_with_the_same_bytes)
{
    static const char *const vary[] = {"parameters.h=0.5:0.8:6"}, *const results[] = {"end:z"};
    tp_sweep_def def = tp_sweep_def_default();
    tp_sweep_report report;
    tp_message why = {""};
    def.scene_path = BALL, def.vary = vary, def.vary_count = 1, def.results = results, def.result_count = 1;
    def.points = "impact", def.path = TABLE;
    remove(TABLE), remove(OTHER);
    def.goes_on = stop_at_three;
    CHECK_INT(tp_sweep_run(NULL, &def, &report, &why), TP_OK);
    CHECK(report.is_interrupted && report.done == 3);
    def.goes_on = NULL;
    CHECK_INT(tp_sweep_run(NULL, &def, &report, &why), TP_OK);
    CHECK(!report.is_interrupted && report.before == 3 && report.done == 6);
    def.path = OTHER;
    CHECK_INT(tp_sweep_run(NULL, &def, &report, &why), TP_OK);
    CHECK(are_same_files(TABLE, OTHER));
}

/* A sample has the same points in every shard: it depends on the seed and on the number of the point. */
TEST(a_sample_lies_in_its_ranges)
{
    remove(TABLE);
    CHECK_INT(run("sweep " BALL
                  " --vary parameters.h=0.1:10:log --vary parameters.e=0:0.9 --sample 40 --seed 3 "
                  "--until 0.01 --quiet -o " TABLE)
                  ->code,
              0);
    tp_trajectory *table = read_table(TABLE);
    const double *h = column(table, "vary/h"), *e = column(table, "vary/e");
    int low = 0;
    for (int k = 0; k < 40; k++) {
        CHECK(h[k] >= 0.1 && h[k] <= 10.0 && e[k] >= 0.0 && e[k] <= 0.9);
        low += h[k] < 1.0; /* half of them: 20 of 40, with a deviation of sqrt(40)/2 = 3.2 */
    }
    CHECK(low > 20 - 13 && low < 20 + 13); /* four deviations */
    tp_trajectory_free(table);
}

TEST(a_run_that_fails_is_a_row_with_its_status)
{
    remove(TABLE);
    outcome *result = run("sweep " BALL " --vary parameters.e=0.5,7 --result end:z -o " TABLE);
    CHECK_INT(result->code, 0);
    CHECK(holds(result->out, "1 did not reach their end; the first is point 1"));
    tp_trajectory *table = read_table(TABLE);
    CHECK(column(table, "status")[0] == 0.0 && column(table, "status")[1] != 0.0);
    CHECK(isnan(column(table, "result/end:z")[1]));
    tp_trajectory_free(table);
}

TEST(figures_of_sweeps)
{
    remove(TABLE);
    CHECK_INT(run(SWEEP "--result max:z --result impacts -o " TABLE)->code, 0);
    CHECK(holds(run("plot " TABLE " -o " SVG)->out, "2 panels")); /* two maps: both results change */
    CHECK(holds(run("plot " TABLE " --columns vary/h:result/impacts -o " SVG)->out, "1 curve"));
    remove(TABLE);
    CHECK_INT(
        run("sweep " BALL " --vary parameters.h=0.2:0.8:5 --result end:z --points 0.1 --quiet -o " TABLE)
            ->code,
        0);
    CHECK(holds(run("plot " TABLE " -o " SVG)->out, "2 panels, 2 curves")); /* points, then the result */
}

TEST(mistakes_say_what_would_be_right)
{
    static const char *const cases[][2] = {
        {"sweep " BALL " -o " TABLE, "nothing is varied"},
        {"sweep " BALL " --vary parameters.h=1:2:3", "missing -o"},
        {"sweep " BALL " --vary parameters.h=1:2 -o " TABLE, "FROM:TO:COUNT"},
        {"sweep " BALL " --vary parameters.h=0:2:5:log -o " TABLE, "FROM:TO:COUNT"},
        {"sweep " BALL " --vary parameters.h=1,x -o " TABLE, "A,B,C"},
        {"sweep " BALL " --vary parameters.hh=1,2 -o " TABLE, "hh"},
        {"sweep " BALL " --vary parameters.h=1,2 --result max:zz -o " TABLE, "did you mean 'z'"},
        {"sweep " BALL " --vary parameters.h=1,2 --result impact -o " TABLE, "did you mean 'impacts'"},
        {"sweep " BALL " --vary parameters.h=1,2 --points now -o " TABLE, "expected a period"},
        {"sweep " BALL " --vary parameters.h=1,2 --shard 3/2 -o " TABLE, "such as 3/8"},
        {"sweep " BALL " --vary parameters.h=1,2 -o " BALL, "would replace"},
    };
    remove(TABLE);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        outcome *result = run(cases[k][0]);
        if (result->code != 2 || !holds(result->err, cases[k][1]))
            print_error("%s: %s", cases[k][0], result->err);
        CHECK_INT(result->code, 2);
        CHECK(holds(result->err, cases[k][1]));
    }
    CHECK_INT(run("sweep " SCRATCH "none.yaml --vary a=1,2 -o " TABLE)->code, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {RUNS(rows_hold_the_values_and_the_results_of_every_point),
                                       RUNS(shards_make_the_same_bytes_as_one_piece),
                                       RUNS(a_sweep_is_taken_up_where_it_was),
                                       RUNS(a_sweep_that_was_stopped_ends_with_the_same_bytes),
                                       RUNS(a_sample_lies_in_its_ranges),
                                       RUNS(a_run_that_fails_is_a_row_with_its_status),
                                       RUNS(figures_of_sweeps),
                                       RUNS(mistakes_say_what_would_be_right)};
    return cmocka_run_group_tests(tests, make_scene, remove_files);
}
