/* Claim: a run stopped at any step and continued gives the same bits as one that was not stopped;
   docs/guide/restart.md. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "models.h"
#include "restarts.h"

/* Two masses on springs, shaken: one slides on a table whose friction is bounded by a force, the other is
   held by a brake of limited force. Both sets grow with the length of the step. */
static tp_model *force_bounded_model(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.0, 0.3);
    coordinate(model, "y", 0.1, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(2*x'^2 + y'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("1/2*400*(x - y)^2 + 1/2*50*x^2"), &build_why));
    must(model, tp_model_add_force(model, "y", TP_FORMULA("9*sin(25*t)"), &build_why));
    tp_law_def law = tp_law_def_default();
    law.name = "table";
    law.kind = TP_LAW_FRICTION;
    law.velocity[0] = TP_FORMULA("x'");
    law.velocity_count = 1;
    law.bound[0] = 3.0;
    must(model, tp_model_add_law(model, &law, NULL, &build_why));
    law = tp_law_def_default();
    law.name = "brake";
    law.kind = TP_LAW_LIMITED;
    law.velocity[0] = TP_FORMULA("y' - 0.1*cos(10*t)");
    law.velocity_count = 1;
    law.lower = -5.0;
    law.upper = 4.0;
    must(model, tp_model_add_law(model, &law, NULL, &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* Three masses in a row: the first on a compliant floor, a rigid contact and a compliant one above it. */
static tp_model *compliant_model(void)
{
    tp_model *model = new_model();
    coordinate(model, "a", 0.1, 0.0);
    coordinate(model, "b", 0.2, -1.0);
    coordinate(model, "c", 0.4, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*(a'^2 + 2*b'^2 + c'^2)"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("9.81*(a + 2*b + c)"), &build_why));
    tp_contact_def def = tp_contact_def_default();
    def.name = "floor";
    def.gap = TP_FORMULA("a + 0.3*a^2");
    def.compliance = 1e-3;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
    def.name = "pad";
    def.gap = TP_FORMULA("c - b - 0.01*sin(20*t)");
    def.compliance = 1e-2;
    must(model, tp_model_add_contact(model, &def, NULL, &build_why));
    contact(model, "rigid", "b - a", NULL, 0.0, 0.3);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static tp_model *pendulum_at_wall(void)
{
    return double_pendulum_model(true);
}

/* Time steps and ends of which the third is, or is not, a multiple of the step in doubles. */
typedef struct restart_case {
    const char *name;
    tp_model *(*make)(void);
    double time_step, end_time; /* [s] */
} restart_case;

static const restart_case cases[] = {
    {"woodpecker", woodpecker_model, 1e-4, 0.3},
    {"double pendulum, redundant", double_pendulum_redundant, 1e-3, 0.9},
    {"double pendulum, minimal", pendulum_at_wall, 1e-3, 0.9},
    {"oscillator", oscillator_model, 2e-5, 0.06},
    {"bounded forces", force_bounded_model, 1e-3, 1.2},
    {"compliant contacts", compliant_model, 1e-3, 1.2},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

typedef struct stop_files {
    scratch_folder folder;
    char whole[800], stopped[800], continued[800], again[800];
} stop_files;

static void open_files(void **check_state_, stop_files *files)
{
    CHECK(scratch_open(&files->folder));
    snprintf(files->whole, sizeof files->whole, "%s", scratch_file(&files->folder, "whole.h5"));
    snprintf(files->stopped, sizeof files->stopped, "%s", scratch_file(&files->folder, "stopped.h5"));
    snprintf(files->continued, sizeof files->continued, "%s", scratch_file(&files->folder, "continued.h5"));
    snprintf(files->again, sizeof files->again, "%s", scratch_file(&files->folder, "again.h5"));
}

static run_kind kind_of(const restart_case *test, const tp_model *model, double output_every)
{
    run_kind kind = {
        .model = model, .options = tp_simulation_options_default(), .output_every = output_every};
    kind.options.time_step = test->time_step;
    return kind;
}

/* Not every integrator treats every model, and some need steps of one length. */
static bool accepts(run_kind kind, double end_time)
{
    tp_simulation *simulation = NULL;
    kind.options.end_time = end_time;
    tp_status status = tp_simulation_create(NULL, kind.model, &kind.options, &simulation, NULL);
    tp_simulation_free(simulation);
    return status == TP_OK;
}

/* The first row of the continued run is a row of the one before. */
static bool begins_with_a_row_of(const char *continued_path, const char *stopped_path)
{
    tp_trajectory *continued = read_rows(continued_path), *stopped = read_rows(stopped_path);
    long long row = stopped->row_count - 1;
    while (row > 0 && stopped->values[0][row] > continued->values[0][0]) row--;
    bool same = are_same_rows(stopped, row, continued, 0, false);
    tp_trajectory_free(continued);
    tp_trajectory_free(stopped);
    return same;
}

/* A run that ends at `stop`, or is interrupted after so many steps, and goes on to the end. */
static void check_run(void **check_state_, const run_kind *run, const char *name, double end_time,
                      double stop, long long step_limit_count)
{
    stop_files files;
    open_files(check_state_, &files);
    run_kind kind = *run;
    tp_simulation *whole = run_to_file(&kind, end_time, NULL, files.whole, -1);
    tp_simulation *stopped = run_to_file(&kind, stop, NULL, files.stopped, step_limit_count);
    tp_simulation *continued = run_to_file(&kind, end_time, files.stopped, files.continued, -1);
    bool same = are_same_states(whole, continued) && are_later_rows_same(files.whole, files.continued);
    if (!same)
        print_error("%s, %s: stopped at %.17g, %lld steps\n", name, kind.options.integrator, stop,
                    step_limit_count);
    CHECK(same);
    CHECK(begins_with_a_row_of(files.continued, files.stopped));

    /* the report is that of the second part */
    const tp_run_report *all = tp_simulation_report(whole), *first = tp_simulation_report(stopped),
                        *rest = tp_simulation_report(continued);
    if (all->own_steps == 0) CHECK_INT(rest->start_count + rest->steps, all->steps); /* counts rows there */
    CHECK(rest->start_time <= first->time && rest->start_count <= first->steps);
    if (rest->start_count == first->steps) CHECK_INT(first->impacts + rest->impacts, all->impacts);
    CHECK_INT(all->start_count, 0);
    CHECK(rest->warning_count <= all->warning_count); /* those of steps of the first part are not in it */
    tp_simulation_free(whole);
    tp_simulation_free(stopped);
    tp_simulation_free(continued);
    scratch_close(&files.folder);
}

/* The same with every integrator that takes the model and the times, in a round with every second one;
   returns how many. */
enum { ALL_ROUNDS = -1 };
static int check_stop(void **check_state_, const restart_case *test, double output_every, double stop,
                      long long step_limit_count, int round)
{
    tp_model *model = test->make();
    run_kind kind = kind_of(test, model, output_every);
    int count = 0;
    for (int k = 0; k < tp_integrator_count(); k++) {
        kind.options.integrator = tp_integrator_info_at(k)->name;
        if (round != ALL_ROUNDS && (k + round) % 2 != 0) continue;
        if (!accepts(kind, stop) || !accepts(kind, test->end_time)) continue;
        check_run(check_state_, &kind, test->name, test->end_time, stop, step_limit_count);
        count++;
    }
    tp_model_free(model);
    return count;
}

TEST(a_run_that_ended_at_a_third_goes_on_with_the_same_bits_and_rows)
{
    int count = 0;
    for (int i = 0; i < CASE_COUNT; i++) {
        count += check_stop(check_state_, &cases[i], 0.0, cases[i].end_time / 3.0, -1, ALL_ROUNDS);
        count += check_stop(check_state_, &cases[i], 7.0 * cases[i].time_step, cases[i].end_time / 3.0, -1,
                            ALL_ROUNDS);
    }
    CHECK(count >= 2 * (2 * CASE_COUNT + 4)); /* two take every model, one those without friction */
}

/* The last step of the first run was shorter: no state of the run without a stop. */
TEST(a_run_that_ended_between_two_steps_goes_on_with_the_same_bits_and_rows)
{
    for (int i = 0; i < CASE_COUNT; i++) {
        double stop = cases[i].end_time / 3.0 + 0.37 * cases[i].time_step;
        int count = check_stop(check_state_, &cases[i], 0.0, stop, -1, ALL_ROUNDS);
        count += check_stop(check_state_, &cases[i], 7.3 * cases[i].time_step, stop, -1, ALL_ROUNDS);
        CHECK(count >= 4);
    }
}

TEST(a_run_interrupted_at_random_steps_goes_on_with_the_same_bits_and_rows)
{
    check_random random = {20240611};
    for (int i = 0; i < CASE_COUNT; i++) {
        for (int k = 0; k < 4; k++) {
            double every = check_uniform(&random, 0.0, 20.0) * cases[i].time_step;
            long long steps =
                (long long)check_uniform(&random, 0.0, cases[i].end_time / cases[i].time_step - 1);
            check_stop(check_state_, &cases[i], k == 0 ? 0.0 : every, cases[i].end_time, steps, k);
        }
    }
}

TEST(a_run_stopped_many_times_gives_the_same_bits)
{
    stop_files files;
    open_files(check_state_, &files);
    check_random random = {7};
    for (int i = 0; i < CASE_COUNT; i++) {
        tp_model *model = cases[i].make();
        run_kind kind = kind_of(&cases[i], model, 3.0 * cases[i].time_step);
        double end = cases[i].end_time;
        tp_simulation *whole = run_to_file(&kind, end, NULL, files.whole, -1);
        tp_simulation_free(run_to_file(&kind, end, NULL, files.stopped, 10));
        const char *from = files.stopped, *to = files.again;
        for (int k = 0; k < 6; k++) {
            long long steps = 1 + (long long)check_uniform(&random, 0.0, 80.0);
            tp_simulation_free(run_to_file(&kind, end, from, to, steps));
            const char *other = from;
            from = to;
            to = other;
        }
        tp_simulation *last = run_to_file(&kind, end, from, files.continued, -1);
        CHECK(are_same_states(whole, last));
        CHECK(are_later_rows_same(files.whole, files.continued));
        tp_simulation_free(whole);
        tp_simulation_free(last);
        tp_model_free(model);
    }
    scratch_close(&files.folder);
}

/* The comparison can fail: one bit of one coordinate, or the impulses of the last step, are noticed. */
TEST(a_state_that_is_off_by_one_bit_does_not_give_the_same_bits)
{
    tp_model *model = woodpecker_model();
    run_kind kind = kind_of(&cases[0], model, 0.0);
    tp_simulation *whole = run_to_file(&kind, 0.1, NULL, NULL, -1);
    tp_simulation *part = run_to_file(&kind, 0.1, NULL, NULL, 300);
    tp_restart exact;
    tp_simulation_checkpoint(part, &exact);
    double q[3];
    memcpy(q, exact.q, sizeof q);
    for (int is_off = 0; is_off < 2; is_off++) {
        tp_restart restart = exact;
        restart.q = q;
        if (is_off) q[2] = nextafter(q[2], INFINITY);
        tp_simulation *continued = make_run(&kind, 0.1);
        CHECK_INT(tp_simulation_restore(continued, &restart, NULL), TP_OK);
        CHECK_INT(tp_simulation_run(continued, NULL, NULL, NULL), TP_OK);
        CHECK(are_same_states(whole, continued) == !is_off);
        tp_simulation_free(continued);
    }
    tp_simulation_free(whole);
    tp_simulation_free(part);
    tp_model_free(model);
}

/* Another time step is allowed: steps are then counted from the restart. */
TEST(a_run_continued_with_another_step_warns_and_reaches_the_end)
{
    stop_files files;
    open_files(check_state_, &files);
    tp_model *model = woodpecker_model();
    run_kind kind = kind_of(&cases[0], model, 0.0);
    tp_simulation_free(run_to_file(&kind, 0.1 + 0.3e-4, NULL, files.stopped, -1));
    kind.options.time_step = 0.7e-4;
    kind.options.tolerance = 1e-11;
    tp_simulation *continued = run_to_file(&kind, 0.2, files.stopped, files.continued, -1);
    const tp_run_report *report = tp_simulation_report(continued);
    CHECK_NEAR(report->start_time, 0.1 + 0.3e-4, 0.0);
    CHECK_NEAR(tp_simulation_time(continued), 0.2, 0.0);
    CHECK_INT(report->warning_count, 2);
    CHECK(strcmp(report->warnings[0].name, "restart-differs") == 0);
    CHECK(strstr(report->warnings[0].text, "time_step is now 7e-05") &&
          strstr(report->warnings[0].text, "was 0.0001"));
    CHECK(strstr(report->warnings[1].text, "tolerance is now 1e-11"));
    CHECK_INT(report->steps, (long long)ceil((0.2 - 0.1 - 0.3e-4) / 0.7e-4));
    tp_simulation_free(continued);

    /* and can itself be stopped and continued */
    tp_simulation *whole = run_to_file(&kind, 0.25, files.stopped, files.whole, -1);
    tp_simulation_free(run_to_file(&kind, 0.25, files.stopped, files.continued, 700));
    tp_simulation *again = run_to_file(&kind, 0.25, files.continued, files.again, -1);
    CHECK(are_same_states(whole, again));
    CHECK(are_later_rows_same(files.whole, files.again));
    tp_simulation_free(whole);
    tp_simulation_free(again);
    tp_model_free(model);
    scratch_close(&files.folder);
}

TEST_MAIN(RUNS(a_run_that_ended_at_a_third_goes_on_with_the_same_bits_and_rows),
          RUNS(a_run_that_ended_between_two_steps_goes_on_with_the_same_bits_and_rows),
          RUNS(a_run_interrupted_at_random_steps_goes_on_with_the_same_bits_and_rows),
          RUNS(a_run_stopped_many_times_gives_the_same_bits),
          RUNS(a_state_that_is_off_by_one_bit_does_not_give_the_same_bits),
          RUNS(a_run_continued_with_another_step_warns_and_reaches_the_end))
