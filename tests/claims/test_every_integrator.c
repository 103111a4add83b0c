/* What every integrator of the table must do; a new one gets these tests by its line in integrators.c. Others
   that loop over the table: claims/balance (account of impulses), claims/restart (same bits),
   claims/determinism, system/warm_step (no allocation), simulation/events, claims/tables (name, document,
   test).
 */
#include "integrator/integrators.h"
#include "restarts.h"
#include "simulations.h"

#define PARTICLE                                                                                             \
    "coordinates: [x, y]\n"                                                                                  \
    "kinetic: \"1/2*(x'^2 + y'^2)\"\n"
#define HAS(feature) (1u << TP_FEATURE_##feature)

static const tp_integrator *integrator_at(int index)
{
    return tp_integrator_by_name(tp_integrator_info_at(index)->name);
}

static const char *refusal(const tp_integrator *integrator, int feature)
{
    return tp_integrator_refusal(integrator, (tp_feature)feature);
}

/* Features that its table line refuses. */
static unsigned refused_features(const tp_integrator *integrator)
{
    unsigned mask = 0;
    for (int f = 0; f < TP_FEATURE_COUNT; f++) mask |= refusal(integrator, f) != NULL ? 1u << f : 0u;
    return mask;
}

/* ---- refusals ---- */

typedef struct feature_scene {
    unsigned features; /* all that the scene has */
    const char *text;
} feature_scene;

/* One scene for each feature, and what else it has. */
static const feature_scene feature_scenes[TP_FEATURE_COUNT] = {
    [TP_FEATURE_SCALABLE] = {HAS(SCALABLE),
                             "bodies: [{name: top, type: scalable, mass: 1, inertia: [1, 1, 1.5]}]\n"},
    [TP_FEATURE_FLAT_BODY] = {HAS(FLAT_BODY), "bodies: [{name: top, mass: 1, inertia: [1, 1, 2]}]\n"},
    [TP_FEATURE_OWN_VELOCITIES] =
        {HAS(OWN_VELOCITIES), "coordinates: [x]\nvelocities: [v]\nrates: {x: 2*v}\nmass: {\"v,v\": 3}\n"},
    [TP_FEATURE_TANGENTIAL_RESTITUTION] = {HAS(CONTACT) | HAS(FRICTION) | HAS(TANGENTIAL_RESTITUTION),
                                           PARTICLE
                                           "contacts: [{name: floor, gap: y, slip: \"x'\", friction: "
                                           "0.3, restitution: 1, tangential_restitution: 0.5}]\n"},
    [TP_FEATURE_FRICTION] =
        {HAS(CONTACT) | HAS(FRICTION),
         PARTICLE "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.3, restitution: 1}]\n"},
    [TP_FEATURE_VELOCITY_LAW] = {HAS(VELOCITY_LAW),
                                 PARTICLE "constraints: [{name: skate, velocity: \"sin(x)*x' - y'\"}]\n"},
    [TP_FEATURE_MOVING_RESTITUTION] = {HAS(CONTACT) | HAS(MOVING_RESTITUTION) | HAS(MOVING_LAW), PARTICLE
                                       "contacts: [{name: lift, gap: \"y - sin(t)\", restitution: 1}]\n"},
    [TP_FEATURE_CONTACT] = {HAS(CONTACT), PARTICLE "contacts: [{name: floor, gap: y, restitution: 1}]\n"},
    [TP_FEATURE_PARTIAL_RESTITUTION] = {HAS(CONTACT) | HAS(PARTIAL_RESTITUTION),
                                        PARTICLE "contacts: [{name: floor, gap: y, restitution: 0.5}]\n"},
    [TP_FEATURE_VARIABLE_MASS] = {HAS(VARIABLE_MASS), "coordinates: [x]\nkinetic: \"1/2*(1 + x^2)*x'^2\"\n"},
    [TP_FEATURE_MOVING_LAW] = {HAS(MOVING_LAW),
                               PARTICLE "constraints: [{name: guide, position: \"y - sin(t)^2\"}]\n"},
    [TP_FEATURE_MOVING_ENERGY] = {HAS(MOVING_ENERGY), PARTICLE "potential: \"x*sin(t)\"\n"},
    [TP_FEATURE_KINKED_CONTACT] = {HAS(KINKED_CONTACT) | HAS(CONTACT),
                                   "bodies: [{name: a, mass: 1, inertia: [1, 1, 1.5], position: [0, 0, 2],\n"
                                   "          shapes: [{name: cube, type: box, size: [1, 1, 1]}]}]\n"
                                   "ground: {shapes: [{name: base, type: box, size: [1, 1, 1]}]}\n"
                                   "contacts: [{name: touch, between: [base, cube], restitution: 1}]\n"},
    [TP_FEATURE_STATIC_FRICTION] = {HAS(CONTACT) | HAS(FRICTION) | HAS(STATIC_FRICTION),
                                    PARTICLE "contacts: [{name: floor, gap: y, slip: \"x'\", friction: 0.3, "
                                             "static_friction: 0.4, restitution: 1}]\n"},
    [TP_FEATURE_STATES] = {HAS(STATES), PARTICLE "states: [{name: i, rate: -i}]\n"},
};

/* Each integrator that the message names treats all features of the scene. */
static bool names_those_that_can(const char *text, unsigned features)
{
    static const char lead[] = "Integrators that treat it: ";
    const char *list = strstr(text, lead);
    if (list == NULL) return false;
    char names[512];
    snprintf(names, sizeof names, ", %s, ", list + strlen(lead));
    for (int k = 0; k < tp_integrator_count(); k++) {
        char one[64];
        snprintf(one, sizeof one, ", %s, ", tp_integrator_info_at(k)->name);
        bool can = (refused_features(integrator_at(k)) & features) == 0 && !integrator_at(k)->may_refuse_late;
        if ((strstr(names, one) != NULL) != can) return false;
    }
    return true;
}

static int count_wrong_refusals(const tp_integrator *integrator, const feature_scene *test)
{
    tp_scene *scene = scene_of(test->text);
    scene->options.integrator = integrator->info.name;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_status status = tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    bool is_refused = (refused_features(integrator) & test->features) != 0, ok = false;
    if (!is_refused) {
        ok = status == TP_OK;
    } else {
        int first = 0;
        while (refusal(integrator, first) == NULL || (test->features >> first & 1u) == 0) first++;
        ok = status == TP_UNSUPPORTED && strncmp(why.text, "s.yaml:", 7) == 0 &&
             strstr(why.text, integrator->info.name) && strstr(why.text, refusal(integrator, first)) &&
             names_those_that_can(why.text, test->features);
    }
    if (!ok)
        print_error("%s: %s: %s\n%s", integrator->info.name, tp_status_text(status), why.text, test->text);
    return !ok;
}

TEST(every_integrator_takes_or_refuses_each_feature_as_its_table_line_says)
{
    int failures = 0;
    for (int k = 0; k < tp_integrator_count(); k++) {
        for (int f = 0; f < TP_FEATURE_COUNT; f++) {
            if (feature_scenes[f].text == NULL) fail_msg("feature %d has no scene", f);
            failures += count_wrong_refusals(integrator_at(k), &feature_scenes[f]);
        }
    }
    CHECK_INT(failures, 0);
}

/* ---- account of energy and applied work ---- */

/* Options of a run that is finer by a factor in dt, or in the tolerance where the integrator chooses its
   steps: errors are proportional to it. */
static tp_simulation_options finer_options(const tp_integrator *integrator, double dt, double end, int factor)
{
    tp_simulation_options options = options_of(integrator->info.name, dt / factor, end);
    if (integrator->info.chooses_steps) {
        options.time_step = dt;
        options.atol /= factor;
        options.rtol /= factor;
    }
    return options;
}

typedef struct account {
    double first, work, most_work, error;
} account;

/* After every step, those that end between two rows too. */
static bool add_account(void *context, const tp_simulation *simulation)
{
    account *a = context;
    const tp_step_report *step = tp_simulation_last_step(simulation);
    a->work += step->applied_work;
    a->most_work = fmax(a->most_work, fabs(a->work));
    a->error = fmax(a->error, fabs(step->energy - a->first - a->work));
    return true;
}

/* Largest |E - E0 - applied work| of a run, and the work itself; false: the integrator refuses the scene. */
static bool measure_account(const tp_integrator *integrator, const char *text, double dt, int factor,
                            double *error_out, double *work_out)
{
    tp_scene *scene = scene_of(text);
    tp_simulation_options options = finer_options(integrator, dt, 2.0, factor);
    tp_simulation *simulation = NULL;
    account a = {0};
    bool is_taken = tp_simulation_create(NULL, scene->model, &options, &simulation, NULL) == TP_OK;
    if (is_taken) a.first = tp_simulation_last_step(simulation)->energy;
    if (is_taken && tp_simulation_run(simulation, add_account, &a, NULL) != TP_OK)
        fail_msg("%s: %s", integrator->info.name, tp_simulation_report(simulation)->reason);
    *error_out = a.error;
    *work_out = a.most_work;
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return is_taken;
}

/* Steps that are chosen follow the tolerance in jumps: a hundredth of it shows. */
static int refinement(int k)
{
    return tp_integrator_info_at(k)->chooses_steps ? 100 : 2;
}

/* Claim: work that forces and prescribed motion do is what the energy gains, up to an error of the order of
   the scheme, at least the first. Work that is not booked misses by all of it, a damper that is, likewise. */
TEST(energy_gains_the_applied_work_that_is_booked)
{
    static const char *const scenes[] = {
        "coordinates: [x]\nkinetic: \"1/2*x'^2\"\npotential: \"1/2*4*x^2\"\nforces: {x: \"5*sin(3*t)\"}\n",
        "coordinates: [y]\nkinetic: \"1/2*2*y'^2\"\npotential: \"2*9.81*y\"\n"
        "constraints: [{name: guide, position: \"y - sin(t)^2\"}]\n",
        "bodies: [{name: box, mass: 2, inertia: [1, 1, 1.5]}]\n"
        "forces: [{name: push, body: box, force: [\"3*cos(t)\", 0, 0], moment: [0, \"sin(t)\", 0.3]}]\n"};
    int taken[3] = {0};
    for (int k = 0; k < tp_integrator_count(); k++) {
        for (int s = 0; s < 3; s++) {
            double coarse, fine, work;
            if (!measure_account(integrator_at(k), scenes[s], 4e-3, 1, &coarse, &work)) continue;
            measure_account(integrator_at(k), scenes[s], 4e-3, refinement(k), &fine, &work);
            bool ok = work > 1.0 && coarse < 0.02 * work && (fine < 0.6 * coarse || fine < 1e-12 * work);
            if (!ok)
                fail_msg("%s, scene %d: of %g J the errors are %g and %g", tp_integrator_info_at(k)->name, s,
                         work, coarse, fine);
            taken[s]++;
        }
    }
    CHECK_INT(taken[0], tp_integrator_count());
    CHECK(taken[1] >= 3 && taken[2] >= 3);
}

/* ---- rotations ---- */

/* Claim: a body that spins about a principal axis at omega turns by omega T to the order of the scheme, at
   least the first, and its quaternion keeps unit length to rounding. */
TEST(a_spinning_body_turns_at_its_speed_and_keeps_its_quaternion_at_unit_length)
{
    const double omega = 5.0, end = 2.0;
    tp_scene *scene = scene_of("bodies: [{name: top, mass: 1, inertia: [1, 1.2, 1.5],\n"
                               "   angular_velocity: [0, 0, 5]}]\n");
    for (int k = 0; k < tp_integrator_count(); k++) {
        const char *name = tp_integrator_info_at(k)->name;
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            tp_simulation_options options =
                finer_options(integrator_at(k), 4e-3, end, fine ? refinement(k) : 1);
            tp_simulation *simulation = NULL;
            CHECK_INT(tp_simulation_create(NULL, scene->model, &options, &simulation, NULL), TP_OK);
            run(simulation);
            const double *p = tp_simulation_q(simulation) + 3;
            double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]),
                   angle = 2.0 * atan2(p[3], p[0]);
            if (!(fabs(length - 1.0) < 1e-12)) fail_msg("%s: |p| - 1 = %g", name, length - 1.0);
            error[fine] = fabs(remainder(angle - omega * end, 2.0 * acos(-1.0)));
            tp_simulation_free(simulation);
        }
        /* of one that chooses its steps the tolerance decides, 1e-6 */
        double small = tp_integrator_info_at(k)->chooses_steps ? 1e-5 : 1e-10;
        if (!(error[0] < omega * end * omega * 4e-3 && (error[1] < 0.6 * error[0] || error[1] < small)))
            fail_msg("%s: angles are off by %g and %g rad", name, error[0], error[1]);
    }
    tp_scene_free(scene);
}

/* ---- impacts ---- */

typedef struct rebound {
    double peak, impulse; /* [m] [N s] */
    int impacts;
} rebound;

/* Sees all steps, also those that an integrator chooses. */
static bool watch_drop(void *context, const tp_simulation *simulation)
{
    rebound *found = context;
    double P[TP_IMPULSE_ROWS] = {0.0};
    found->impacts += tp_simulation_last_step(simulation)->impact_count;
    tp_simulation_last_impulse(simulation, 0, P);
    if (found->impacts != 1) return found->impacts < 2;
    found->impulse += P[0];
    if (tp_simulation_u(simulation)[0] >= 0.0)
        found->peak = fmax(found->peak, tp_simulation_q(simulation)[0]);
    return true;
}

/* A ball of 2 kg dropped from 1 m; up to the second impact. */
static rebound drop(const char *integrator, double restitution, double dt)
{
    char text[256];
    snprintf(text, sizeof text,
             "coordinates: [z]\ninitial: {z: 1}\nkinetic: \"1/2*2*z'^2\"\npotential: \"2*9.81*z\"\n"
             "contacts: [{name: floor, gap: z, restitution: %g}]\n",
             restitution);
    tp_scene *scene = scene_of(text);
    tp_simulation *simulation = simulate_with(scene->model, integrator, dt, 4.0);
    rebound found = {0};
    tp_status status = tp_simulation_run(simulation, watch_drop, &found, NULL);
    if (status != TP_OK && status != TP_INTERRUPTED)
        fail_msg("%s: %s", integrator, tp_simulation_report(simulation)->reason);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return found;
}

/* Claim: a dropped ball rebounds to e^2 h with the impulse m (1 + e) v. The step of the impact begins and
   ends within v dt of the floor, and the velocity is that of a time up to dt off: the peak may miss by (1 +
   e^2) v dt, the impulse by m (2 + e) g dt; twice that for schemes that look a step ahead. A relaxed impact
   takes pi relaxation times, each of ten steps: as if steps were ten times as long. Springs (penalty) rebound
   by their own damping, which a warning says (claims/penalty). */
TEST(a_dropped_ball_rebounds_to_restitution_squared_times_height)
{
    const double g = 9.81, v = sqrt(2.0 * g), mass = 2.0;
    int taken = 0;
    for (int k = 0; k < tp_integrator_count(); k++) {
        unsigned refused = refused_features(integrator_at(k));
        if ((refused & HAS(CONTACT)) != 0 || strcmp(tp_integrator_info_at(k)->name, "penalty") == 0) continue;
        double e = (refused & HAS(PARTIAL_RESTITUTION)) != 0 ? 1.0 : 0.5;
        for (int fine = 0; fine < 2; fine++) {
            double dt = fine ? 1e-4 : 1e-3;
            rebound found = drop(tp_integrator_info_at(k)->name, e, dt);
            bool is_relaxed = strncmp(tp_integrator_info_at(k)->name, "relaxed", 7) == 0;
            double time = is_relaxed ? 10.0 * dt : dt;
            bool ok = fabs(found.peak - e * e) < 2.0 * (1.0 + e * e) * v * time &&
                      fabs(found.impulse - mass * (1.0 + e) * v) < 2.0 * mass * (2.0 + e) * g * time &&
                      found.impacts == 2;
            if (!ok)
                fail_msg("%s: to %g m with %g N s, %d impacts", tp_integrator_info_at(k)->name, found.peak,
                         found.impulse, found.impacts);
        }
        taken++;
    }
    CHECK(taken >= 3);
}

/* Claim: an impact at a slant has Newton's law along the normal and Coulomb's along the floor. A point mass
   comes with (1, -2) m/s and e = 1/2: the impulse of friction is at most mu (1 + e) 2. With mu = 0.1 it slips
   on with 0.7 m/s, with mu = 1 it sticks, and does not rebound along the floor. Nothing else acts, so that
   velocities are right to what solvers leave. Relaxed laws and springs have laws of their own
   (claims/relaxed_contacts, claims/penalty). */
TEST(an_impact_at_a_slant_slips_or_sticks)
{
    static const double friction[] = {0.1, 1.0}, slip_after[] = {0.7, 0.0};
    int taken = 0;
    for (int k = 0; k < 2 * tp_integrator_count(); k++) {
        const char *name = tp_integrator_info_at(k / 2)->name;
        char text[300];
        tp_simulation *simulation = NULL;
        snprintf(text, sizeof text,
                 "coordinates: [x, y]\ninitial: {y: 0.1003, x': 1, y': -2}\nkinetic: \"1/2*(x'^2 + y'^2)\"\n"
                 "contacts: [{name: floor, gap: y, slip: x', friction: %g, restitution: 0.5}]\n",
                 friction[k % 2]);
        tp_scene *scene = scene_of(text);
        tp_simulation_options options = options_of(name, 1e-3, 0.2);
        bool has_own_law = strncmp(name, "relaxed", 7) == 0 || strcmp(name, "penalty") == 0;
        if (!has_own_law && tp_simulation_create(NULL, scene->model, &options, &simulation, NULL) == TP_OK) {
            if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
                fail_msg("%s: %s", name, tp_simulation_report(simulation)->reason);
            const double *u = tp_simulation_u(simulation);
            if (!(fabs(u[0] - slip_after[k % 2]) <= 1e-8 && fabs(u[1] - 1.0) <= 1e-8))
                fail_msg("%s: (%.10g, %.10g) m/s after the impact", name, u[0], u[1]);
            taken++;
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
    CHECK(taken >= 2 * 6);
}

/* ---- a step that fails ---- */

/* Steps until one fails; returns how many did not. */
static int step_to_failure(tp_simulation *simulation, double dt, int most)
{
    for (int k = 1; k <= most; k++) {
        if (tp_simulation_step(simulation, k * dt, NULL) != TP_OK) return k - 1;
    }
    return most;
}

/* Claim: a step either completes or leaves the state as it was. A force that grows beyond all bounds at x =
   1, where it draws to, has no value beyond. */
TEST(a_step_that_fails_leaves_the_state_as_it_was)
{
    static const char text[] =
        "coordinates: [x]\ninitial: {x': 1}\nkinetic: \"1/2*x'^2\"\n"
        "potential: \"2*sqrt(1 - x)\"\ncontacts: [{name: soft, gap: x, compliance: 1}]\n";
    tp_scene *scene = scene_of(text);
    const double dt = 0.01;
    for (int k = 0; k < tp_integrator_count(); k++) {
        const char *name = tp_integrator_info_at(k)->name;
        tp_simulation *failed = simulate_with(scene->model, name, dt, 10.0),
                      *before = simulate_with(scene->model, name, dt, 10.0);
        int steps = step_to_failure(failed, dt, 500);
        if (steps == 500 || steps == 0) fail_msg("%s: %d steps", name, steps);
        CHECK_INT(step_to_failure(before, dt, steps), steps);
        bool is_kept = are_same_states(failed, before);
        if (tp_integrator_info_at(k)->chooses_steps) { /* it stays at the end of its last step */
            double later = tp_simulation_time(failed) - tp_simulation_time(before);
            is_kept = later >= 0.0 && later < dt && isfinite(tp_simulation_q(failed)[0]) &&
                      isfinite(tp_simulation_u(failed)[0]);
        }
        if (!is_kept) fail_msg("%s: the state has changed", name);
        CHECK(strlen(tp_simulation_report(failed)->reason) > 10);
        tp_simulation_free(failed);
        tp_simulation_free(before);
    }
    tp_scene_free(scene);
}

/* ---- the table line ---- */

/* What the compiler cannot ask for. */
TEST(every_table_line_is_complete)
{
    UNUSED_STATE;
    tp_simulation_options options = tp_simulation_options_default();
    for (int k = 0; k < tp_integrator_count(); k++) {
        const tp_integrator *i = integrator_at(k);
        const char *lacks = NULL;
        if (i->step == NULL) lacks = "a step";
        if (i->stability_limit == NULL || isnan(i->stability_limit(&options))) lacks = "a stability limit";
        if (strlen(i->info.text) < 20) lacks = "a text for `tippe list integrators`";
        for (int f = 0; f < TP_FEATURE_COUNT; f++) {
            if (i->refuses[f] != NULL && strlen(i->refuses[f]) < 10) lacks = "the reason of a refusal";
        }
        if (i->levels.output_max < i->levels.output_min || i->levels.input_max < i->levels.input_min)
            lacks = "levels";
        if (lacks != NULL) fail_msg("%s lacks %s", i->info.name, lacks);
    }
}

TEST_MAIN(RUNS(every_table_line_is_complete),
          RUNS(every_integrator_takes_or_refuses_each_feature_as_its_table_line_says),
          RUNS(energy_gains_the_applied_work_that_is_booked),
          RUNS(a_spinning_body_turns_at_its_speed_and_keeps_its_quaternion_at_unit_length),
          RUNS(a_dropped_ball_rebounds_to_restitution_squared_times_height),
          RUNS(an_impact_at_a_slant_slips_or_sticks), RUNS(a_step_that_fails_leaves_the_state_as_it_was))
