/* All examples with all consistent integrators: refused for the reason that the table below says, or stepped
   with the balance of energy theory/consistent.md (17), (18) in every step. A file that includes this begins
   with _POSIX_C_SOURCE 200809L. */
#ifndef TESTS_CONSISTENT_SWEEP_H
#define TESTS_CONSISTENT_SWEEP_H

#include "examples.h"
#include "integrator/consistent_step.h"
#include "simulation/inside.h"

#include <float.h>

enum {
    SWEEP_BOTH = 1,
    SWEEP_ELASTIC = 2,
    SWEEP_TWO_STEP = 4,
    SWEEP_HYBRID = 8,
    SWEEP_QUATERNION = 16,
    SWEEP_QUATERNION_TWO = 32,
    SWEEP_ALL = 63
};

static const char *const sweep_integrators[] = {
    "consistent",        "consistent-elastic",    "consistent-two-step",
    "consistent-hybrid", "consistent-quaternion", "consistent-quaternion-two-step"};
enum { SWEEP_COUNT = sizeof sweep_integrators / sizeof sweep_integrators[0] };

/* What is refused, by which of them, and the words that say why. */
typedef struct sweep_refusal {
    const char *example;
    int refused_by;
    const char *says;
} sweep_refusal;

#define SWEEP_CONTACT     "has joints alone"
#define SWEEP_RESTITUTION "restitution must be 1"
#define SWEEP_FRICTION    "has contacts without friction alone"
#define SWEEP_VELOCITY    "holds joints on positions"
#define SWEEP_MOVING      "balances energies between laws that do not move by themselves"
#define SWEEP_ROUGH(name)                                                                                    \
    {name, SWEEP_BOTH, SWEEP_CONTACT},                                                                       \
    {                                                                                                        \
        name, SWEEP_ELASTIC, SWEEP_FRICTION                                                                  \
    }
#define SWEEP_PARTIAL(name)                                                                                  \
    {name, SWEEP_BOTH, SWEEP_CONTACT},                                                                       \
    {                                                                                                        \
        name, SWEEP_ELASTIC, SWEEP_RESTITUTION                                                               \
    }
#define SWEEP_ON_VELOCITY(name)                                                                              \
    {                                                                                                        \
        name, SWEEP_BOTH | SWEEP_ELASTIC, SWEEP_VELOCITY                                                     \
    }

static const sweep_refusal sweep_refusals[] = {
    SWEEP_ROUGH("bowl"),
    SWEEP_ROUGH("hopper"),
    SWEEP_ROUGH("tumbling-box"),
    SWEEP_ROUGH("light-wheel"),
    SWEEP_ROUGH("box-stack"),
    SWEEP_ROUGH("corner-ball"),
    SWEEP_ROUGH("cylinder-ball"),
    SWEEP_ROUGH("guided-hopper"),
    {"guided-hopper", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    SWEEP_ROUGH("penalty-slope"),
    SWEEP_ROUGH("relaxed-rod"),
    SWEEP_ROUGH("rotating-ball"),
    SWEEP_ON_VELOCITY("skate"),
    SWEEP_ON_VELOCITY("sleigh"),
    SWEEP_ON_VELOCITY("variable-transmission"),
    {"variable-transmission", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    SWEEP_ROUGH("box-tip"),
    SWEEP_ROUGH("brick-wall"),
    SWEEP_ROUGH("card-house"),
    SWEEP_ROUGH("dominoes"),
    SWEEP_ROUGH("incline-block"),
    SWEEP_ROUGH("sphere-heap"),
    SWEEP_ROUGH("painleve-rod"),
    SWEEP_ROUGH("rocking-block"),
    SWEEP_ROUGH("rolling-disc"),
    {"scalable-body", SWEEP_QUATERNION | SWEEP_QUATERNION_TWO, "moves quaternions of unit length"},
    SWEEP_ROUGH("slider-crank-clearance"),
    SWEEP_ROUGH("slope-block"),
    SWEEP_ROUGH("mesh-incline"),
    SWEEP_ROUGH("sphere-incline"),
    SWEEP_ROUGH("sphere-slide-roll"),
    SWEEP_ROUGH("tippe-top"),
    SWEEP_ROUGH("woodpecker"),
    SWEEP_PARTIAL("bouncing-ball"),
    SWEEP_PARTIAL("cam-follower-translated"),
    SWEEP_PARTIAL("door-stop"),
    SWEEP_PARTIAL("nonlinear-pendulum-stop"),
    SWEEP_PARTIAL("oscillator"),
    SWEEP_PARTIAL("overbalanced-wheel"),
    SWEEP_PARTIAL("spherical-pendulum-wall"),
    SWEEP_ROUGH("dry-arm"),
    SWEEP_ON_VELOCITY("four-bar-friction"),
    SWEEP_ON_VELOCITY("friction-oscillator"),
    {"notched-cam", SWEEP_BOTH, SWEEP_CONTACT},
    {"notched-cam", SWEEP_ELASTIC, SWEEP_RESTITUTION},
    {"notched-cam", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    {"bouncing-table", SWEEP_BOTH, SWEEP_CONTACT},
    {"bouncing-table", SWEEP_ELASTIC, SWEEP_RESTITUTION},
    {"bouncing-table", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    {"cam-follower", SWEEP_BOTH, SWEEP_CONTACT},
    {"cam-follower", SWEEP_ELASTIC, SWEEP_RESTITUTION},
    {"cam-follower", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    {"double-pendulum", SWEEP_ELASTIC | SWEEP_QUATERNION | SWEEP_QUATERNION_TWO, "constant mass matrix"},
    {"double-pendulum-wall", SWEEP_BOTH, SWEEP_CONTACT},
    {"double-pendulum-wall-minimal", SWEEP_BOTH, SWEEP_CONTACT},
    {"double-pendulum-wall-minimal", SWEEP_ELASTIC | SWEEP_QUATERNION | SWEEP_QUATERNION_TWO,
     "constant mass matrix"},
    SWEEP_ON_VELOCITY("motors"),
    {"motors", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    {"moving-support", SWEEP_ALL, "balances energies that depend on positions and velocities alone"},
    {"newtons-cradle", SWEEP_BOTH, SWEEP_CONTACT},
    {"newtons-cradle-3d", SWEEP_BOTH, SWEEP_CONTACT},
    {"sprag-clutch", SWEEP_BOTH, SWEEP_CONTACT},
    {"sprag-clutch", SWEEP_ELASTIC, SWEEP_VELOCITY},
    SWEEP_ON_VELOCITY("conveyor"),
    {"conveyor", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    SWEEP_ON_VELOCITY("stick-slip-belt"),
    SWEEP_ON_VELOCITY("two-sledges"),
    {"stick-slip-belt", SWEEP_ALL & ~(SWEEP_BOTH | SWEEP_ELASTIC), SWEEP_MOVING},
    {"unilateral-chain", SWEEP_BOTH, SWEEP_CONTACT},
    {"universal-joint", SWEEP_ALL, SWEEP_MOVING},
};

/* The words of the table, or NULL where the integrator takes the example. */
static inline const char *sweep_reason(const char *example, int integrator)
{
    for (size_t i = 0; i < sizeof sweep_refusals / sizeof sweep_refusals[0]; i++) {
        const sweep_refusal *r = &sweep_refusals[i];
        if (strcmp(r->example, example) == 0 && (r->refused_by >> integrator & 1) != 0) return r->says;
    }
    return NULL;
}

typedef struct sweep_run {
    const char *integrator;
    tp_simulation *simulation;
    tp_system *system; /* to measure with */
    double *q, *u, *force, *rest;
    double balance_error;         /* of (18), largest, relative to the energies that take part */
    double impact_gain, law_gain; /* in (17) and in (18), the same */
    double joint_error, gap_loss; /* of joints on their levels; what a closed gap shrinks [m], [rad], [m/s] */
    int dissipating;              /* steps in which laws did work */
} sweep_run;

static inline double sweep_energy(sweep_run *run, double t, const double *q, const double *u, double *size)
{
    tp_system_move(run->system, t, q, u);
    double T = tp_system_kinetic_energy(run->system), V = tp_system_potential_energy(run->system);
    *size += fabs(T) + fabs(V);
    return T + V;
}

/* Work of forces that depend on velocities, and of given loads, in the middle. Gyroscopic terms do none. */
static inline double sweep_force_work(sweep_run *run, const tp_consistent_step *step)
{
    tp_system *system = run->system;
    int m = system->u_count;
    double t = step->t + 0.5 * step->dt, work = 0.0;
    memset(run->rest, 0, (size_t)m * sizeof(double));
    tp_system_move(system, t, step->midpoint->q_middle, run->rest);
    tp_system_force(system, run->rest);
    tp_system_move(system, t, step->midpoint->q_middle, step->u_middle);
    tp_system_force(system, run->force);
    for (int j = 0; j < m; j++) work += step->dt * step->u_middle[j] * (run->force[j] - run->rest[j]);
    if (run->system->model->has_applied_power) work += step->dt * tp_system_applied_power(system);
    return work;
}

/* Joints at the end of the step, all rows; gaps with discrete derivatives, that were closed. */
static inline void sweep_laws(sweep_run *run, const tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const tp_law *law = tp_system_law(step->stepper->system, own->law);
        for (int k = 0; k < law->row_count && own->is_joint; k++) {
            run->joint_error = fmax(run->joint_error, fabs(step->g_end[own->first + k]));
            if (own->has_rates)
                run->joint_error = fmax(run->joint_error, fabs(step->gamma_end[own->first + k]));
        }
        if (own->is_discrete && !own->is_joint && step->scheme.laws_on == TP_CONSISTENT_DISPLACEMENTS)
            run->gap_loss = fmax(run->gap_loss, step->g_begin[own->first] - step->g_end[own->first]);
    }
}

/* Joints whose positions are known to rounding do work of their impulses over that distance: |P|/dt times the
   rounding error of a position; theory/consistent.md (3). */
static inline double sweep_joint_rounding(const tp_consistent_step *step)
{
    double sum = 0.0;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        int count = tp_system_law_column_count(step->stepper->system, own->law);
        const int *columns = tp_system_law_columns(step->stepper->system, own->law);
        for (int k = 0; k < tp_system_law(step->stepper->system, own->law)->row_count && own->is_joint; k++) {
            for (int j = 0; j < count; j++)
                sum += DBL_EPSILON * fabs(step->problem->P[own->first + k] / step->dt *
                                          step->W_begin[own->place + (size_t)(j + k * count)] *
                                          step->position_size[columns[j]]);
        }
    }
    return sum;
}

/* One step, and what it leaves of (17) and (18). */
static inline tp_status sweep_step(sweep_run *run, double t_goal)
{
    int n = run->system->q_count, m = run->system->u_count;
    double t = tp_simulation_time(run->simulation), size = DBL_MIN;
    memcpy(run->q, tp_simulation_q(run->simulation), (size_t)n * sizeof(double));
    memcpy(run->u, tp_simulation_u(run->simulation), (size_t)m * sizeof(double));
    tp_status status = tp_simulation_step(run->simulation, t_goal, NULL);
    if (status != TP_OK) return status;
    const tp_consistent_step *step = tp_consistent_last_step(&run->simulation->stepper);
    double before = sweep_energy(run, t, run->q, run->u, &size),
           between = sweep_energy(run, t, run->q, step->u, &size),
           after = sweep_energy(run, t_goal, tp_simulation_q(run->simulation),
                                tp_simulation_u(run->simulation), &size),
           laws = tp_consistent_law_work(step);
    double balance = after - between - laws - sweep_force_work(run, step);
    run->balance_error = fmax(run->balance_error, fabs(balance) / size);
    run->impact_gain = fmax(run->impact_gain, (between - before) / size);
    sweep_laws(run, step);
    run->law_gain = fmax(run->law_gain, (laws - sweep_joint_rounding(step)) / size);
    run->dissipating += laws < -1e-9 * size;
    return TP_OK;
}

static inline void sweep_open(sweep_run *run, const tp_scene *scene)
{
    size_t n = (size_t)run->simulation->stepper.system->q_count,
           m = (size_t)run->simulation->stepper.system->u_count;
    /* as the integrator sees it: gyroscopic terms of M(q) do no work */
    const tp_system_options *options = &run->simulation->integrator->system;
    if (tp_system_create_with(NULL, scene->model, options, &run->system) != TP_OK) fail();
    run->q = calloc(n + 3 * m + 1, sizeof(double));
    run->u = run->q + n;
    run->force = run->u + m;
    run->rest = run->force + m;
}

static inline void sweep_close(sweep_run *run)
{
    tp_simulation_free(run->simulation);
    tp_system_free(run->system);
    free(run->q);
}

/* Rounding errors of a step, as a part of the energies: a few hundred of the operations in each sum, and what
   the solver leaves of the laws times their impulses. */
static const double sweep_rounding = 1e-12;

/* Joints hold up to rounding times what a loop makes of it; gaps up to the rounding of positions of some
   metres. */
static const double sweep_joint_error = 1e-11, sweep_gap_loss = 1e-13;

/* The laws of this example have different restitutions; impacts can gain. */
static inline bool sweep_may_gain(const char *example)
{
    return strcmp(example, "sprag-clutch") == 0;
}

/* Steps a scene with one integrator, or finds it refused for the reason (NULL: it is taken); returns the
   steps in which laws did work. */
static inline int sweep_scene(const tp_scene *scene, const char *example, int index, const char *reason,
                              int steps)
{
    sweep_run run = {.integrator = sweep_integrators[index]};
    tp_message why = {""};
    tp_simulation_options options = scene->options;
    options.integrator = run.integrator;
    options.projection.kind = TP_PROJECTION_NONE; /* they hold positions by themselves */
    options.correction.is_on = false;
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &run.simulation, &why);
    if (tp_model_state_count(scene->model) > 0) { /* for that reason, or for an earlier one in the list */
        if (status != TP_UNSUPPORTED) fail_msg("%s, %s: takes first-order states", example, run.integrator);
        return 0;
    }
    if ((status == TP_UNSUPPORTED) != (reason != NULL) ||
        (reason != NULL && strstr(why.text, reason) == NULL))
        fail_msg("%s, %s: expected %s, got %s", example, run.integrator,
                 reason != NULL ? reason : "no refusal", why.text);
    if (status == TP_OK) {
        sweep_open(&run, scene);
        for (int k = 1; k <= steps; k++) {
            if (sweep_step(&run, k * options.time_step) != TP_OK)
                fail_msg("%s, %s: %s", example, run.integrator, tp_simulation_report(run.simulation)->reason);
        }
        if (run.joint_error > sweep_joint_error || run.gap_loss > sweep_gap_loss)
            fail_msg("%s, %s: joints are off by %.2g, a closed gap shrinks by %.2g", example, run.integrator,
                     run.joint_error, run.gap_loss);
        bool is_hybrid = strcmp(run.integrator, "consistent-hybrid") == 0;
        bool gains = run.impact_gain > sweep_rounding || (run.law_gain > sweep_rounding && !is_hybrid);
        if (run.balance_error > sweep_rounding || (gains && !sweep_may_gain(example)))
            fail_msg("%s, %s: energy balance off by %.2g, impacts gain %.2g, laws gain %.2g", example,
                     run.integrator, run.balance_error, run.impact_gain, run.law_gain);
        sweep_close(&run);
    }
    return run.dissipating;
}

static inline int sweep_one(const char *example, int index, int steps)
{
    tp_scene *scene = read_short_example(example);
    int dissipating = sweep_scene(scene, example, index, sweep_reason(example, index), steps);
    tp_scene_free(scene);
    return dissipating;
}

#endif
