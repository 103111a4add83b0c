/* Checkpoints in memory, the named memory of integrators, and what a simulation refuses to be restored to. */
#define _XOPEN_SOURCE 700
#include "io/scratch.h"
#include "models.h"
#include "restarts.h"
#include "simulation/inside.h"

/* Moreau's rule with two faults added on purpose: it pulls back to the step before, and the pull grows with
   every step. So the next state depends on its memory, and on nothing else that Moreau's rule does not need.
 */
enum { BEFORE, PULL };
static const tp_memory_field pulled_memory[] = {
    {"q before", TP_MEMORY_PER_COORDINATE}, {"pull", TP_MEMORY_ONE}, {NULL, TP_MEMORY_ONE}};

static tp_status start_pulled(tp_stepper *stepper, tp_state *state)
{
    memcpy(state->memory[BEFORE], state->q, (size_t)stepper->system->q_count * sizeof(double));
    state->memory[PULL][0] = 1e-4;
    return TP_OK;
}

static tp_status step_pulled(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                             tp_step_report *report)
{
    tp_status status = tp_integrator_moreau.step(stepper, from, dt, to, report);
    double pull = from->memory[PULL][0];
    for (int i = 0; i < stepper->system->q_count; i++) {
        to->q[i] -= pull * (from->q[i] - from->memory[BEFORE][i]);
        to->memory[BEFORE][i] = from->q[i];
    }
    to->memory[PULL][0] = pull * 1.001;
    return status;
}

static const tp_integrator pulled = {.info = {.name = "pulled", .text = "a test"},
                                     .step = step_pulled,
                                     .memory = pulled_memory,
                                     .start = start_pulled};

static tp_status create_pulled(const run_kind *kind, tp_simulation **simulation_out, tp_message *why_out)
{
    return tp_simulation_create_with(NULL, kind->model, &kind->options, &pulled, simulation_out, why_out);
}

static run_kind woodpecker_kind(const tp_model *model)
{
    run_kind kind = {.model = model, .options = tp_simulation_options_default()};
    kind.options.time_step = 1e-4;
    return kind;
}

TEST(an_integrator_with_memory_goes_on_with_the_same_bits)
{
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    char paths[3][800];
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.h5", i);
        snprintf(paths[i], sizeof paths[i], "%s", scratch_file(&folder, name));
    }
    tp_model *model = woodpecker_model();
    run_kind kind = woodpecker_kind(model);
    kind.create = create_pulled;
    kind.output_every = 3e-4;
    tp_simulation *whole = run_to_file(&kind, 0.1, NULL, paths[0], -1);
    tp_simulation_free(run_to_file(&kind, 0.1, NULL, paths[1], 401));
    tp_simulation *continued = run_to_file(&kind, 0.1, paths[1], paths[2], -1);
    CHECK(are_same_states(whole, continued));
    CHECK(are_later_rows_same(paths[0], paths[2]));
    CHECK_INT(tp_simulation_report(continued)->warning_count, 0);
    tp_trajectory *rows = read_rows(paths[1]);
    CHECK(tp_trajectory_find(rows, "memory/q before/3") > 0 && tp_trajectory_find(rows, "memory/pull/1") > 0);
    tp_trajectory_free(rows);
    tp_simulation_free(continued);

    /* another integrator leaves the memory aside, one that needs it starts afresh: both warn */
    kind.create = NULL;
    continued = run_to_file(&kind, 0.1, paths[1], paths[2], -1);
    const tp_run_report *report = tp_simulation_report(continued);
    CHECK_INT(report->warning_count, 1);
    CHECK(strstr(report->warnings[0].text, "integrator is now moreau") &&
          strstr(report->warnings[0].text, "pulled"));
    tp_simulation_free(continued);
    tp_simulation_free(run_to_file(&kind, 0.1, NULL, paths[1], 401));
    kind.create = create_pulled;
    continued = run_to_file(&kind, 0.0402, paths[1], paths[2], 0);
    tp_restart now;
    tp_simulation_checkpoint(continued, &now);
    CHECK_NEAR(now.memory[PULL].values[0], 1e-4, 0.0);
    CHECK(memcmp(now.memory[BEFORE].values, now.q, 3 * sizeof(double)) == 0);
    CHECK_INT(tp_simulation_report(continued)->warning_count, 1);
    tp_simulation_free(continued);
    tp_simulation_free(whole);
    tp_model_free(model);
    scratch_close(&folder);
}

TEST(a_simulation_can_go_back_to_its_own_past)
{
    tp_model *model = woodpecker_model();
    run_kind kind = woodpecker_kind(model);
    kind.create = create_pulled;
    tp_simulation *whole = run_to_file(&kind, 0.05, NULL, NULL, -1);
    tp_simulation *part = run_to_file(&kind, 0.05, NULL, NULL, 123), *other = make_run(&kind, 0.05);
    tp_restart past;
    tp_simulation_checkpoint(part, &past);
    for (int k = 0; k < 2; k++) { /* the second time from the end of the first */
        CHECK_INT(tp_simulation_restore(other, &past, NULL), TP_OK);
        CHECK(are_same_states(part, other));
        CHECK_INT(tp_simulation_report(other)->steps, 0);
        CHECK_INT(tp_simulation_report(other)->start_count, 123);
        CHECK_INT(tp_simulation_run(other, NULL, NULL, NULL), TP_OK);
        CHECK(are_same_states(whole, other));
        CHECK_INT(tp_simulation_report(other)->steps, 500 - 123);
    }
    tp_simulation_checkpoint(other, &past); /* to where it is */
    CHECK_INT(tp_simulation_restore(other, &past, NULL), TP_OK);
    CHECK(are_same_states(whole, other));
    tp_simulation_free(whole);
    tp_simulation_free(part);
    tp_simulation_free(other);
    tp_model_free(model);
}

/* Once a run was interrupted it may just be called again. */
TEST(an_interrupted_simulation_runs_on_to_the_same_bits)
{
    tp_model *model = woodpecker_model();
    run_kind kind = woodpecker_kind(model);
    tp_simulation *whole = run_to_file(&kind, 0.05, NULL, NULL, -1);
    tp_simulation *part = run_to_file(&kind, 0.05, NULL, NULL, 77);
    CHECK_INT(tp_simulation_run(part, NULL, NULL, NULL), TP_OK);
    CHECK(are_same_states(whole, part));
    CHECK_INT(tp_simulation_report(part)->steps, 500);
    tp_simulation_free(whole);
    tp_simulation_free(part);
    tp_model_free(model);
}

/* A step of the caller's own length begins a new sequence of times. */
TEST(steps_of_any_length_are_checkpoints_too)
{
    tp_model *model = woodpecker_model();
    run_kind kind = woodpecker_kind(model);
    tp_simulation *a = make_run(&kind, 0.05), *b = make_run(&kind, 0.05);
    tp_restart now;
    CHECK_INT(tp_simulation_step(a, 1e-4, NULL), TP_OK);
    tp_simulation_checkpoint(a, &now);
    CHECK_INT(now.count, 1);
    CHECK_INT(tp_simulation_step(a, 1.5e-4, NULL), TP_OK);
    CHECK_INT(tp_simulation_step(a, 2.25e-4, NULL), TP_OK);
    tp_simulation_checkpoint(a, &now);
    CHECK_INT(now.count, 0);
    CHECK_NEAR(now.origin, 2.25e-4, 0.0);
    CHECK_INT(tp_simulation_restore(b, &now, NULL), TP_OK);
    CHECK_INT(tp_simulation_run(a, NULL, NULL, NULL), TP_OK);
    CHECK_INT(tp_simulation_run(b, NULL, NULL, NULL), TP_OK);
    CHECK(are_same_states(a, b));
    CHECK_NEAR(tp_simulation_time(a), 0.05, 0.0);
    tp_simulation_free(a);
    tp_simulation_free(b);
    tp_model_free(model);
}

/* Refused with a text, and the simulation stays where it is. */
static void check_refusal(void **check_state_, tp_simulation *simulation, const tp_simulation *same,
                          const tp_restart *restart, const char *part)
{
    tp_message why = {""};
    CHECK_INT(tp_simulation_restore(simulation, restart, &why), TP_INVALID_DATA);
    if (!strstr(why.text, part)) print_error("%s\n", why.text);
    CHECK(strstr(why.text, part) != NULL);
    CHECK(are_same_states(simulation, same));
}

TEST(what_does_not_fit_is_refused_and_changes_nothing)
{
    tp_model *model = woodpecker_model();
    run_kind kind = woodpecker_kind(model);
    kind.create = create_pulled;
    tp_simulation *a = run_to_file(&kind, 0.05, NULL, NULL, 20),
                  *b = run_to_file(&kind, 0.05, NULL, NULL, 20);
    tp_simulation *source = run_to_file(&kind, 0.05, NULL, NULL, 31);
    tp_restart good, bad;
    tp_simulation_checkpoint(source, &good);
    double values[12] = {0.0};
    unsigned char closed[3] = {0, 1, 2};
    tp_named_values memory[3] = {good.memory[0], good.memory[1], good.memory[1]};
#define REFUSES(field, value, part)                                                                          \
    bad = good;                                                                                              \
    bad.field = value;                                                                                       \
    check_refusal(check_state_, a, b, &bad, part)
    REFUSES(q_count, 2, "there are 2 coordinates, the model has 3");
    REFUSES(u_count, 4, "there are 4 velocities, the model has 3");
    REFUSES(law_count, 0, "there are 0 laws, the model has 3");
    REFUSES(time, NAN, "time");
    REFUSES(time, -1e300, "1e15 steps");
    REFUSES(origin, INFINITY, "origin");
    REFUSES(origin, 1e300, "1e15 steps");
    REFUSES(step_size, 0.0, "last step");
    REFUSES(count, -1, "-1 steps");
    REFUSES(is_closed, closed, "law 3");
    values[2] = NAN;
    REFUSES(q, values, "entry 3 of q");
    values[2] = -INFINITY;
    REFUSES(u, values, "entry 3 of u");
    REFUSES(impulse, values, "impulses");
    memory[0].count = 2;
    REFUSES(memory, memory, "\"q before\" of the integrator pulled has 3 entries, not 2");
    memory[0].count = 3;
    memory[0].values = values;
    REFUSES(memory, memory, "entry 3 of q before");
    REFUSES(memory_count, 1, "\"pull\" of the integrator pulled has 1 entries, not 0");
    memory[0] = good.memory[0];
    memory[2].name = "more";
    good.memory = memory;
    REFUSES(memory_count, 3, "3 arrays");
#undef REFUSES
    CHECK_INT(tp_simulation_restore(a, &good, NULL), TP_OK); /* as it was, it fits */
    CHECK(are_same_states(a, source));
    tp_simulation_free(a);
    tp_simulation_free(b);
    tp_simulation_free(source);
    tp_model_free(model);
}

TEST_MAIN(RUNS(an_integrator_with_memory_goes_on_with_the_same_bits),
          RUNS(a_simulation_can_go_back_to_its_own_past),
          RUNS(an_interrupted_simulation_runs_on_to_the_same_bits),
          RUNS(steps_of_any_length_are_checkpoints_too),
          RUNS(what_does_not_fit_is_refused_and_changes_nothing))
