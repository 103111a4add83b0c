/* Integrators that choose their steps: states at the times that are asked for, ends of steps, restart, and
   the steps that a run reports; docs/theory/simulation.md. The integrator here is one of the test: an
   oscillator q'' = -q by Dormand and Prince, whatever the model says. */
#include "integrator/ode_steps.h"
#include "simulation/inside.h"
#include "simulations.h"

#include <string.h>

static const char oscillator[] = "coordinates: [x]\nkinetic: \"x'^2/2\"\npotential: \"x^2/2\"\n"
                                 "initial: {x: 1}\n";
static const double row_distance = 0.1, end_time = 4.0, tolerance = 1e-9;

static tp_status turn(void *context, double t, const double *y, double *rate_out)
{
    (void)context, (void)t;
    rate_out[0] = y[1];
    rate_out[1] = -y[0];
    return TP_OK;
}

static void take(void *context, const tp_state *from, double *y_out)
{
    (void)context;
    y_out[0] = from->q[0];
    y_out[1] = from->u[0];
}

static tp_status show(void *context, double t, const double *y, bool is_end, tp_state *to)
{
    (void)context, (void)t, (void)is_end;
    to->q[0] = y[0];
    to->u[0] = y[1];
    return TP_OK;
}

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    (void)arena;
    if (stepper->scratch != NULL) return TP_OK;
    tp_ode_steps_def def = {.equations = {.n = 2, .rate = turn},
                            .options = tp_ode_steps_options(TP_ODE_DORMAND_PRINCE, stepper->options),
                            .take = take,
                            .show = show};
    return tp_ode_steps_create(tp_allocator_default(), &def, (tp_ode_steps **)&stepper->scratch);
}

static void release(void *scratch)
{
    tp_ode_steps_free(scratch);
}

static tp_status start(tp_stepper *stepper, tp_state *state)
{
    return tp_ode_steps_start(stepper->scratch, state);
}

static tp_status step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                      tp_step_report *report)
{
    (void)dt;
    return tp_ode_steps_take(stepper->scratch, stepper, from, to, report);
}

static int length(const tp_stepper *stepper, int field)
{
    (void)stepper;
    return tp_ode_steps_memory_length(TP_ODE_DORMAND_PRINCE, 2, field);
}

static int statistics(const tp_stepper *stepper, tp_statistic *list_out)
{
    list_out[0] =
        (tp_statistic){"steps", (double)tp_ode_counts(tp_ode_steps_ode(stepper->scratch))->accepted};
    return 1;
}

static const tp_memory_field memory[] = {TP_ODE_STEPS_MEMORY, {NULL, TP_MEMORY_ONE}};
static const tp_integrator turning = {.info = {.name = "turning", .text = "of a test", .chooses_steps = true},
                                      .step = step,
                                      .start = start,
                                      .prepare = prepare,
                                      .release = release,
                                      .statistics = statistics,
                                      .memory = memory,
                                      .memory_length = length};

static tp_simulation *simulation_until(const tp_scene *scene, double end)
{
    tp_simulation_options options = tp_simulation_options_default();
    options.time_step = row_distance;
    options.end_time = end;
    options.atol = options.rtol = tolerance;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    if (tp_simulation_create_with(NULL, scene->model, &options, &turning, &simulation, &why) != TP_OK)
        fail_msg("%s", why.text);
    return simulation;
}

/* What an observer has seen. */
typedef struct seen {
    int rows, ends, last_row;
    double worst, step_sum;
    double t[200], q[200];
} seen;

/* Rows are multiples of the distance, in their order. The dense output is of fourth order in a step whose
   error is within the tolerance: a tenth of a millionth for these steps of about 0.1 (docs/theory/ode.md). */
static bool look(void *context, const tp_simulation *simulation)
{
    seen *s = context;
    double t = tp_simulation_time(simulation), x = tp_simulation_q(simulation)[0];
    s->worst = fmax(s->worst, fabs(x - cos(t)));
    s->step_sum += tp_simulation_last_step(simulation)->own_step.size;
    s->ends += tp_simulation_last_step(simulation)->own_step.size > 0.0;
    if (!tp_simulation_is_row(simulation)) return true;
    s->t[s->rows] = t;
    s->q[s->rows++] = x;
    return true;
}

static void run_all(tp_simulation *simulation, seen *s)
{
    if (tp_simulation_run(simulation, look, s, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
}

TEST(rows_lie_where_they_were_asked_for_and_do_not_change_the_steps)
{
    tp_scene *scene = scene_of(oscillator);
    tp_simulation *simulation = simulation_until(scene, end_time);
    seen s = {0};
    run_all(simulation, &s);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK_INT(s.rows, 41);
    for (int k = 0; k < s.rows; k++) CHECK_NEAR(s.t[k], k * row_distance, 1e-15 * 41);
    CHECK(s.worst <= 1e-7);
    CHECK_INT(s.ends, (int)report->own_steps);
    CHECK_NEAR(s.step_sum, end_time, 1e-14);
    CHECK(report->shortest_step > 0.0 && report->shortest_step < report->longest_step);
    CHECK_INT(report->statistic_count, 1);
    CHECK_NEAR(report->statistics[0].value, report->own_steps, 0.0);

    tp_ode_equations equations = {.n = 2, .rate = turn};
    tp_ode_options options =
        tp_ode_steps_options(TP_ODE_DORMAND_PRINCE, tp_simulation_get_options(simulation));
    const double y0[] = {1.0, 0.0};
    tp_ode *ode = NULL;
    CHECK_INT(tp_ode_create(tp_allocator_default(), &equations, &options, &ode, NULL), TP_OK);
    CHECK_INT(tp_ode_start(ode, 0.0, y0), TP_OK);
    while (tp_ode_time(ode) < end_time) CHECK_INT(tp_ode_step(ode, end_time), TP_OK);
    CHECK_NEAR(tp_ode_state(ode)[0], tp_simulation_q(simulation)[0], 0.0);
    CHECK_NEAR(tp_ode_state(ode)[1], tp_simulation_u(simulation)[0], 0.0);
    CHECK_INT((int)tp_ode_counts(ode)->accepted, (int)report->own_steps);
    CHECK_INT((int)(tp_ode_counts(ode)->rates - 1), (int)report->evaluations);
    CHECK_INT((int)tp_ode_counts(ode)->rejected, (int)report->rejections);
    tp_ode_free(ode);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Stops after a number of rows. */
typedef struct stopper {
    seen s;
    int rows;
} stopper;

static bool look_until(void *context, const tp_simulation *simulation)
{
    stopper *s = context;
    return look(&s->s, simulation) && s->s.rows < s->rows;
}

TEST(a_run_that_goes_on_from_any_row_has_the_same_bits)
{
    tp_scene *scene = scene_of(oscillator);
    tp_simulation *whole = simulation_until(scene, end_time);
    seen all = {0};
    run_all(whole, &all);
    for (int k = 1; k <= all.rows; k += 3) {
        tp_simulation *first = simulation_until(scene, end_time), *rest = simulation_until(scene, end_time);
        stopper until = {.rows = k};
        tp_simulation_run(first, look_until, &until, NULL);
        tp_restart checkpoint;
        tp_simulation_checkpoint(first, &checkpoint);
        CHECK_INT(tp_simulation_restore(rest, &checkpoint, NULL), TP_OK);
        tp_simulation_free(first);
        seen s = {0};
        run_all(rest, &s);
        CHECK_INT(s.rows, all.rows - k + 1);
        for (int i = 0; i < s.rows; i++) CHECK_NEAR(s.q[i], all.q[k - 1 + i], 0.0);
        CHECK_NEAR(tp_simulation_u(rest)[0], tp_simulation_u(whole)[0], 0.0);
        tp_simulation_free(rest);
    }
    tp_simulation_free(whole);
    tp_scene_free(scene);
}

/* Inputs may change at every time that is asked for: no step looks beyond it. */
TEST(steps_end_at_the_rows_where_inputs_may_change_and_where_a_caller_steps)
{
    static const char driven[] = "coordinates: [x]\ninputs: [{name: push, default: 0}]\n"
                                 "kinetic: \"x'^2/2\"\npotential: \"x^2/2 + push*x\"\ninitial: {x: 1}\n";
    const char *scenes[] = {driven, oscillator};
    for (int k = 0; k < 2; k++) {
        tp_scene *scene = scene_of(scenes[k]);
        tp_simulation *simulation = simulation_until(scene, 1.0);
        if (k == 0) {
            seen s = {0};
            run_all(simulation, &s);
            CHECK(s.ends >= 10);
        } else {
            for (int i = 1; i <= 10; i++)
                CHECK_INT(tp_simulation_step(simulation, i * row_distance, NULL), TP_OK);
        }
        CHECK(tp_simulation_report(simulation)->own_steps >= 10);
        CHECK(tp_simulation_report(simulation)->longest_step <= row_distance * (1.0 + 1e-14));
        CHECK_NEAR(tp_simulation_q(simulation)[0], cos(1.0), 1e-7);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

TEST(tolerances_and_steps_that_cannot_be_are_refused)
{
    tp_scene *scene = scene_of(oscillator);
    const tp_simulation_options good = tp_simulation_options_default();
    tp_simulation_options bad[] = {good, good, good, good, good};
    const char *const texts[] = {"atol is 0", "rtol is 1e-17", "rtol is nan", "first_step", "max_step"};
    bad[0].atol = 0.0;
    bad[1].rtol = 1e-17;
    bad[2].rtol = NAN;
    bad[3].first_step = -1.0;
    bad[4].max_step = NAN;
    for (int k = 0; k < 5; k++) {
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        CHECK_INT(tp_simulation_create(NULL, scene->model, &bad[k], &simulation, &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, texts[k]) != NULL);
    }
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(rows_lie_where_they_were_asked_for_and_do_not_change_the_steps),
          RUNS(a_run_that_goes_on_from_any_row_has_the_same_bits),
          RUNS(steps_end_at_the_rows_where_inputs_may_change_and_where_a_caller_steps),
          RUNS(tolerances_and_steps_that_cannot_be_are_refused))
