/* Studies: errors against the exact motion and against a finer run, orders, threads, failing runs. */
#include "models.h"
#include "tippe/body.h"
#include "tippe/study.h"

/* An undamped oscillator with its exact motion; w = 10 rad/s, amplitude 0.1 m. */
static tp_model *oscillator(bool has_exact)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.1, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("50*x^2"), &build_why));
    if (has_exact) must(model, tp_model_set_exact(model, "x", TP_FORMULA("0.1*cos(10*t)"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A ball that falls 1 m, bounces once with e = 1/2 and flies until 1.3 s; g = 10 m/s^2. */
static tp_model *bouncing_ball(bool has_exact)
{
    tp_model *model = new_model();
    parameter(model, "fall", sqrt(0.2));
    coordinate(model, "z", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*z'^2"), &build_why));
    must(model, tp_model_add_potential(model, TP_FORMULA("10*z"), &build_why));
    contact(model, "floor", "z", NULL, 0.0, 0.5);
    if (has_exact) {
        must(model, tp_model_set_exact(
                        model, "z", TP_FORMULA("if(t < fall, 1 - 5*t^2, (t - fall)*(5*fall - 5*(t - fall)))"),
                        &build_why));
        must(model, tp_model_set_exact_until(model, 0.89, (tp_place){0}, &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

enum { LEVELS = 5 };

typedef struct ladder {
    tp_study_def def;
    tp_simulation_options runs[LEVELS];
} ladder;

static ladder *make_ladder(const tp_model *model, const char *integrator, double dt, double end)
{
    static ladder l; /* one at a time */
    tp_simulation_options coarsest = options_of(integrator, dt, end);
    l.def = tp_study_def_default();
    l.def.model = model;
    l.def.runs = tp_study_ladder(&coarsest, LEVELS, l.runs);
    l.def.run_count = LEVELS;
    return &l;
}

static tp_study *carry_out(const tp_study_def *def)
{
    tp_study *study = NULL;
    tp_message why = {""};
    if (tp_study_create(NULL, def, &study, &why) != TP_OK) fail_msg("%s", why.text);
    for (int k = 0; k < tp_study_run_count(study); k++) {
        if (tp_study_run_at(study, k)->status != TP_OK) fail_msg("%s", tp_study_run_at(study, k)->reason);
    }
    return study;
}

static double fitted(const tp_study *study, bool of_u)
{
    double steps[LEVELS], errors[LEVELS], floor = 0.0;
    for (int k = 0; k < LEVELS; k++) {
        const tp_study_run *run = tp_study_run_at(study, k);
        steps[k] = run->options.time_step;
        errors[k] = of_u ? run->u.mean : run->q.mean;
        floor = fmax(floor, tp_study_rounding(of_u ? &run->u : &run->q));
    }
    return tp_study_order_fitted(LEVELS, steps, errors, floor);
}

/* ---- orders -------------------------------------------------------------------------------------------- */

/* The phase is off by w t (w dt)^2/24 (leapfrog) or 12 (trapezoidal rule), so the error at a time is that
   much of the amplitude and the mean over whole periods 2/pi of its linear growth. Higher terms are (w dt)^2
   = 0.01 of it at the coarsest step: an order off by less than 0.02. */
/* Runs of integrators that choose their steps get both tolerances ten times sharper from run to run. */
TEST(a_ladder_of_tolerances_sharpens_both_of_them_tenfold)
{
    tp_simulation_options coarsest = tp_simulation_options_default(), runs[4];
    coarsest.integrator = "relaxed-dai-adaptive";
    coarsest.atol = 1e-4, coarsest.rtol = 1e-3;
    tp_study_ladder(&coarsest, 4, runs);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(runs[k].atol, 1e-4 * pow(10.0, -k), 1e-4 * 1e-15);
        CHECK_NEAR(runs[k].rtol, 1e-3 * pow(10.0, -k), 1e-3 * 1e-15);
        CHECK_NEAR(runs[k].time_step, coarsest.time_step, 0.0);
    }
}

TEST(both_schemes_are_of_second_order_on_the_oscillator)
{
    static const struct {
        const char *integrator;
        double phase; /* of (w dt)^2 w t */
    } cases[] = {{"moreau", 1.0 / 24.0}, {"moreau-jean", 1.0 / 12.0}};
    tp_model *model = oscillator(true);
    const double turn = 2.0 * 3.14159265358979 / 10.0;
    for (int c = 0; c < 2; c++) {
        ladder *l = make_ladder(model, cases[c].integrator, 1e-2, 2.0);
        tp_study *study = carry_out(&l->def);
        CHECK_INT(tp_study_reference_of(study)->kind, TP_REFERENCE_EXACT);
        CHECK_NEAR(fitted(study, false), 2.0, 0.02);
        CHECK_NEAR(fitted(study, true), 2.0, 0.02);
        const tp_study_run *fine = tp_study_run_at(study, LEVELS - 1);
        double dt = fine->options.time_step, growth = 0.1 * cases[c].phase * 100.0 * dt * dt * 10.0 * 2.0;
        /* sin at the end of 2 s is that of 20 rad; the mean is 2/pi of the half up to a part of the last
         * turn. */
        CHECK_NEAR(fine->q.end, growth * fabs(sin(20.0)), 0.02 * growth);
        CHECK_NEAR(fine->q.mean, growth * 0.5 * 2.0 / 3.14159265, growth * turn / 2.0);
        CHECK(fine->q.largest >= fine->q.end && fine->q.largest <= 1.01 * growth);
        CHECK_NEAR(fine->q.scale, 0.1, 1e-4);
        tp_study_free(study);
    }
    tp_model_free(model);
}

/* A smooth system whose mass matrix varies. The reference is a run 16 times finer, which raises a first order
   by at most log2((2 - 1/16)/(1 - 1/16)) - 1 = 0.047 and a second one by 0.004; higher terms are a part omega
   dt = 0.03 of the error at the coarsest step. */
TEST(where_the_mass_matrix_varies_moreau_is_of_first_order_and_moreau_jean_of_second)
{
    static const char *const names[] = {"moreau", "moreau-jean"};
    tp_model *model = double_pendulum_model(false);
    for (int order = 1; order <= 2; order++) {
        ladder *l = make_ladder(model, names[order - 1], 4e-3, 0.5);
        tp_study *study = carry_out(&l->def);
        CHECK_INT(tp_study_reference_of(study)->kind, TP_REFERENCE_RUN);
        CHECK_NEAR(tp_study_reference_of(study)->time_step, 4e-3 / 16.0 / 16.0, 1e-18);
        CHECK_NEAR(fitted(study, false), order, 0.08);
        CHECK_NEAR(fitted(study, true), order, 0.08);
        tp_study_free(study);
    }
    tp_model_free(model);
}

/* With an impact, velocities differ by the whole jump for a part of a step: the maximum norm of u does not
   converge, L1 does. The time of the impact on the grid moves the error up and down by up to a half of it, so
   neighbouring levels tell nothing; over a factor of 16 the fit is off by at most log2(3)/log2(16) = 0.4. */
TEST(both_schemes_are_of_first_order_with_impacts_in_the_mean)
{
    static const char *const names[] = {"moreau", "moreau-jean"};
    tp_model *model = bouncing_ball(true);
    for (int c = 0; c < 2; c++) {
        ladder *l = make_ladder(model, names[c], 4e-3, 0.89);
        tp_study *study = carry_out(&l->def);
        CHECK_NEAR(fitted(study, false), 1.0, 0.4);
        CHECK_NEAR(fitted(study, true), 1.0, 0.4);
        const tp_study_run *fine = tp_study_run_at(study, LEVELS - 1);
        CHECK(fine->u.mean < 0.1);
        tp_study_free(study);
    }
    tp_model_free(model);
}

/* The run of a model without its exact motion must be measured as that with it, up to the error of the
   reference: a 16th of the finest error at second order is a 256th. */
TEST(a_finer_run_stands_in_for_the_exact_motion)
{
    tp_model *with = oscillator(true), *without = oscillator(false);
    tp_study *exact = carry_out(&make_ladder(with, "moreau", 1e-2, 1.005)->def);
    tp_study *finer = carry_out(&make_ladder(without, "moreau", 1e-2, 1.005)->def);
    for (int k = 0; k < LEVELS; k++) {
        const tp_study_run *a = tp_study_run_at(exact, k), *b = tp_study_run_at(finer, k);
        double part = 1.01 / (256.0 * (double)(1 << (2 * (LEVELS - 1 - k))));
        CHECK_NEAR(b->q.end, a->q.end, part * a->q.largest);
        CHECK_NEAR(b->q.mean, a->q.mean, part * a->q.largest);
        CHECK_NEAR(b->q.largest, a->q.largest, part * a->q.largest);
        CHECK_NEAR(b->u.mean, a->u.mean, part * a->u.largest);
    }
    tp_study_free(exact);
    tp_study_free(finer);
    tp_model_free(with);
    tp_model_free(without);
}

TEST(orders_are_slopes_in_logarithms)
{
    const double steps[] = {0.4, 0.2, 0.1, 0.05}, errors[] = {3.0 * 0.064, 3.0 * 0.008, 3.0 * 0.001, 1e-9};
    CHECK_NEAR(tp_study_order(0.4, errors[0], 0.2, errors[1], 0.0), 3.0, 1e-13);
    CHECK_NEAR(tp_study_order_fitted(4, steps, errors, 1e-8), 3.0, 1e-13); /* the last is rounding */
    CHECK(isnan(tp_study_order(0.4, errors[0], 0.2, 0.0, 0.0)));
    CHECK(isnan(tp_study_order(0.4, NAN, 0.2, 1.0, 0.0)));
    CHECK(isnan(tp_study_order_fitted(1, steps, errors, 0.0)));
    CHECK(isnan(tp_study_order_fitted(4, steps, errors, 1.0)));
}

/* ---- what is measured ---------------------------------------------------------------------------------- */

TEST(an_exact_motion_counts_as_long_as_it_holds)
{
    tp_model *model = bouncing_ball(true);
    tp_simulation_options run = options_of("moreau", 1e-3, 3.0);
    tp_study_def def = tp_study_def_default();
    def.model = model, def.runs = &run, def.run_count = 1;
    tp_study *study = carry_out(&def);
    CHECK_NEAR(tp_study_reference_of(study)->until, 0.89, 0.0);
    CHECK_NEAR(tp_study_run_at(study, 0)->report.time, 3.0, 0.0);
    CHECK(tp_study_run_at(study, 0)->q.end < 0.05); /* beyond 0.89 s the formula falls below the floor */
    tp_study_free(study);
    tp_model_free(model);
}

TEST(a_trace_tells_the_largest_errors_and_the_energy_over_time)
{
    tp_model *model = oscillator(true);
    tp_simulation_options run = options_of("moreau-jean", 1e-3, 1.0);
    tp_study_def def = tp_study_def_default();
    def.model = model, def.runs = &run, def.run_count = 1, def.trace_rows = 50;
    tp_study *study = carry_out(&def);
    const tp_study_run *r = tp_study_run_at(study, 0);
    double largest = 0.0;
    CHECK(r->trace.count > 40 && r->trace.count <= 50);
    for (int k = 0; k < r->trace.count; k++) {
        CHECK(k == 0 || r->trace.time[k] > r->trace.time[k - 1]);
        CHECK_NEAR(r->trace.energy[k], 0.5, 1e-6);
        largest = fmax(largest, r->trace.q_error[k]);
    }
    CHECK_NEAR(r->trace.time[0], 0.0, 0.0);
    CHECK_NEAR(r->trace.time[r->trace.count - 1], 1.0, 0.0);
    CHECK_NEAR(largest, r->q.largest, 0.0); /* no peak is lost */
    tp_study_free(study);
    tp_model_free(model);
}

TEST(results_do_not_depend_on_the_number_of_threads)
{
    tp_model *model = bouncing_ball(false);
    ladder *l = make_ladder(model, "moreau", 4e-3, 1.3);
    tp_study *one = carry_out(&l->def);
    l->def.jobs = 4;
    tp_study *four = carry_out(&l->def);
    for (int k = 0; k < LEVELS; k++) {
        const tp_study_run *a = tp_study_run_at(one, k), *b = tp_study_run_at(four, k);
        CHECK(memcmp(&a->q, &b->q, sizeof a->q) == 0 && memcmp(&a->u, &b->u, sizeof a->u) == 0);
        CHECK(a->q.mean > 0.0);
        CHECK_INT(a->report.steps, b->report.steps);
    }
    tp_study_free(one);
    tp_study_free(four);
    tp_model_free(model);
}

/* A body spins about its axis with 8 rad/s in the fall. The exact quaternion has the other sign, which is the
   same orientation; its centre falls exactly, and the rotation about a fixed axis is turned by 2 atan(w
   dt/2)/dt or better: off by w^3 dt^2/12 t < 1e-4 in 2 s. Velocities of the centre follow from its motion,
   the angular one is given. */
TEST(orientations_count_as_equal_whatever_the_sign_of_their_quaternions)
{
    tp_model *model = new_model();
    tp_body_def def = tp_body_def_default();
    def.name = "top";
    def.mass = 1.0;
    def.inertia = (tp_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.5}};
    def.angular_velocity = (tp_vec3){0.0, 0.0, 8.0};
    must(model, tp_model_add_body(model, &def, NULL, &build_why));
    must(model, tp_model_set_gravity(model, (tp_vec3){0.0, 0.0, -10.0}, &build_why));
    must(model, tp_model_set_exact(model, "top.z", TP_FORMULA("-5*t^2"), &build_why));
    must(model, tp_model_set_exact(model, "top.p0", TP_FORMULA("-cos(4*t)"), &build_why));
    must(model, tp_model_set_exact(model, "top.p3", TP_FORMULA("-sin(4*t)"), &build_why));
    must(model, tp_model_set_exact(model, "top.omega.z", TP_FORMULA("8"), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    tp_simulation_options run = options_of("moreau", 1e-3, 2.0);
    tp_study_def def_of = tp_study_def_default();
    def_of.model = model, def_of.runs = &run, def_of.run_count = 1;
    tp_study *study = carry_out(&def_of);
    CHECK(tp_study_run_at(study, 0)->q.largest < 1e-4);
    CHECK(tp_study_run_at(study, 0)->u.largest < 1e-10);
    CHECK_NEAR(tp_study_run_at(study, 0)->u.scale, 20.0, 1e-12); /* the speed of the fall was measured */
    tp_study_free(study);
    tp_model_free(model);
}

/* ---- failures ------------------------------------------------------------------------------------------ */

/* Two walls close in on a mass; from 0.5 s on no velocity obeys both. */
static tp_model *squeezed(void)
{
    tp_model *model = new_model();
    coordinate(model, "x", 0.5, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    contact(model, "left", "x - t", NULL, 0.0, 0.0);
    contact(model, "right", "1 - t - x", NULL, 0.0, 0.0);
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(a_run_that_fails_or_is_refused_is_a_result_with_its_reason)
{
    tp_model *model = squeezed();
    tp_simulation_options runs[] = {options_of("moreau", 1e-2, 2.0), options_of("no such scheme", 1e-2, 2.0)};
    tp_study_def def = tp_study_def_default();
    def.model = model, def.runs = runs, def.run_count = 2, def.reference = TP_REFERENCE_NONE;
    tp_study *study = NULL;
    tp_message why = {""};
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_OK);
    const tp_study_run *failed = tp_study_run_at(study, 0), *refused = tp_study_run_at(study, 1);
    CHECK_INT(failed->status, TP_INFEASIBLE);
    CHECK(failed->has_started && strstr(failed->reason, "t = 0.5") != NULL);
    CHECK(failed->report.steps > 40 && isnan(failed->q.mean));
    CHECK_INT(refused->status, TP_INVALID_DATA);
    CHECK(!refused->has_started && strstr(refused->reason, "no such scheme") != NULL);
    CHECK(tp_study_run_at(study, 2) == NULL && tp_study_run_at(study, -1) == NULL);
    tp_study_free(study);

    def.reference = TP_REFERENCE_RUN; /* the reference fails as well: no error is known, and it says why */
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_OK);
    CHECK_INT(tp_study_reference_of(study)->status, TP_INFEASIBLE);
    CHECK(tp_study_reference_of(study)->reason[0] != '\0' && isnan(tp_study_run_at(study, 0)->q.end));
    tp_study_free(study);
    tp_model_free(model);
}

TEST(a_study_that_makes_no_sense_is_refused)
{
    tp_model *model = oscillator(false), *other = oscillator(true);
    tp_simulation_options runs[] = {options_of("moreau", 3e-3, 1.0), options_of("moreau", 2e-3, 1.0)};
    tp_study_def def = tp_study_def_default(), wrong;
    tp_study *study = NULL;
    tp_message why;
    def.model = model, def.runs = runs, def.run_count = 2;
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_ARGUMENT);
    CHECK(study == NULL && strstr(why.text, "common times") != NULL);
    wrong = def, wrong.model = other; /* its own times are enough for the exact motion */
    CHECK_INT(tp_study_create(NULL, &wrong, &study, &why), TP_OK);
    tp_study_free(study);
    wrong = def, wrong.reference = TP_REFERENCE_EXACT;
    CHECK_INT(tp_study_create(NULL, &wrong, &study, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "no exact motion") != NULL);
    wrong = def, wrong.run_count = 0;
    CHECK_INT(tp_study_create(NULL, &wrong, &study, &why), TP_INVALID_ARGUMENT);
    wrong = def, wrong.refinement = 1;
    CHECK_INT(tp_study_create(NULL, &wrong, &study, &why), TP_INVALID_ARGUMENT);
    runs[0].time_step = NAN;
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_ARGUMENT);
    runs[0] = options_of("moreau", 2e-3, 0.0);
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_ARGUMENT);
    runs[0] = options_of("moreau", 2e-3, 2.0);
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_ARGUMENT);
    CHECK(strstr(why.text, "one end") != NULL);
    runs[0] = runs[1] = options_of("moreau", 1e-300, 1.0);
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_ARGUMENT);
    tp_model_free(model);
    tp_model_free(other);
}

static tp_model *with_exact(const char *formula)
{
    tp_model *model = new_model();
    coordinate(model, "x", 1.0, 0.0);
    must(model, tp_model_add_kinetic(model, TP_FORMULA("1/2*x'^2"), &build_why));
    must(model, tp_model_set_exact(model, "x", TP_FORMULA(formula), &build_why));
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

TEST(an_exact_motion_that_contradicts_the_model_is_refused_and_one_that_ends_is_told)
{
    tp_model *elsewhere = with_exact("2"), *ends = with_exact("sqrt(0.5 - t)/sqrt(0.5)");
    tp_simulation_options run = options_of("moreau", 1e-2, 1.0);
    tp_study_def def = tp_study_def_default();
    tp_study *study = NULL;
    tp_message why;
    def.model = elsewhere, def.runs = &run, def.run_count = 1;
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_INVALID_DATA);
    CHECK(strstr(why.text, "'x' begins at 2") != NULL);
    def.model = ends;
    CHECK_INT(tp_study_create(NULL, &def, &study, &why), TP_OK);
    CHECK_INT(tp_study_reference_of(study)->status, TP_INVALID_DATA);
    CHECK(strstr(tp_study_reference_of(study)->reason, "not a finite number at t = 0.5") != NULL);
    CHECK(isnan(tp_study_run_at(study, 0)->q.mean));
    CHECK_INT(tp_study_run_at(study, 0)->status, TP_OK);
    tp_study_free(study);
    tp_model_free(elsewhere);
    tp_model_free(ends);
}

static bool stop_at_half(void *context, double done)
{
    double *last = context;
    *last = done;
    return done < 0.5;
}

TEST(a_study_can_be_stopped)
{
    tp_model *model = oscillator(true);
    double last = 0.0;
    ladder *l = make_ladder(model, "moreau", 1e-4, 1.0);
    l->def.goes_on = stop_at_half;
    l->def.context = &last;
    l->def.jobs = 2;
    tp_study *study = NULL;
    tp_message why;
    CHECK_INT(tp_study_create(NULL, &l->def, &study, &why), TP_OK);
    CHECK(last >= 0.5 && last < 0.6);
    CHECK_INT(tp_study_run_at(study, 0)->status, TP_INTERRUPTED);
    tp_study_free(study);
    tp_model_free(model);
}

TEST_MAIN(RUNS(a_ladder_of_tolerances_sharpens_both_of_them_tenfold),
          RUNS(both_schemes_are_of_second_order_on_the_oscillator),
          RUNS(where_the_mass_matrix_varies_moreau_is_of_first_order_and_moreau_jean_of_second),
          RUNS(both_schemes_are_of_first_order_with_impacts_in_the_mean),
          RUNS(a_finer_run_stands_in_for_the_exact_motion), RUNS(orders_are_slopes_in_logarithms),
          RUNS(an_exact_motion_counts_as_long_as_it_holds),
          RUNS(a_trace_tells_the_largest_errors_and_the_energy_over_time),
          RUNS(results_do_not_depend_on_the_number_of_threads),
          RUNS(orientations_count_as_equal_whatever_the_sign_of_their_quaternions),
          RUNS(a_run_that_fails_or_is_refused_is_a_result_with_its_reason),
          RUNS(a_study_that_makes_no_sense_is_refused),
          RUNS(an_exact_motion_that_contradicts_the_model_is_refused_and_one_that_ends_is_told),
          RUNS(a_study_can_be_stopped))
