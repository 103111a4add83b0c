/* Invariants of one run; the truths come from the random scene, from mechanics, or from a second computation.
 */
#define _POSIX_C_SOURCE 200809L
#include "judge.h"

#include "model/lists.h"
#include "simulation/tolerances.h"
#include "system/system.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the theory pages promise of a scheme. */
typedef struct scheme_promise {
    const char *integrator;
    bool holds_joints;   /* on positions, to rounding                                                      */
    bool has_goal;       /* ... or to the tolerance of its projections                                     */
    bool never_gains;    /* energy never grows where impacts cannot create it                              */
    bool keeps_energy;   /* ... and is constant where nothing dissipates                                   */
    bool keeps_smooth;   /* ... in steps without a closed contact                                          */
    bool lends_energy;   /* contacts hold energy while they push                                           */
    bool is_affine;      /* rates of directions swing about rigid ones; the energy shown is with them      */
    bool has_springs;    /* in place of laws: no rest, no rebound, no joint is promised                     */
    double contact_time; /* in which a contact stops what comes, in steps                                 */
} scheme_promise;

static const scheme_promise promises[] = {
    {.integrator = "moreau"},
    {.integrator = "moreau-jean"},
    {.integrator = "schatzman-paoli", .holds_joints = true, .is_affine = true},
    {.integrator = "consistent-position",
     .holds_joints = true,
     .never_gains = true,
     .keeps_energy = true,
     .keeps_smooth = true,
     .is_affine = true},
    {.integrator = "consistent",
     .holds_joints = true,
     .never_gains = true,
     .keeps_energy = true,
     .keeps_smooth = true},
    {.integrator = "consistent-elastic",
     .holds_joints = true,
     .never_gains = true,
     .keeps_energy = true,
     .keeps_smooth = true},
    {.integrator = "consistent-two-step", .holds_joints = true, .never_gains = true, .keeps_smooth = true},
    {.integrator = "consistent-quaternion", .holds_joints = true, .never_gains = true, .keeps_smooth = true},
    {.integrator = "consistent-quaternion-two-step",
     .holds_joints = true,
     .never_gains = true}, /* pays for projected ones */
    {.integrator = "consistent-hybrid", .holds_joints = true, .keeps_smooth = true},
    {.integrator = "jet-projection", .holds_joints = true, .has_goal = true},
    {.integrator = "relaxed-dai", .lends_energy = true, .contact_time = 10.0}, /* relaxed-dai.md: delta */
    {.integrator = "relaxed-dai-adaptive", .lends_energy = true, .contact_time = 10.0},
    {.integrator = "event-driven"},
    {.integrator = "penalty", .lends_energy = true, .has_springs = true, .contact_time = 10.0},
};

/* Sums of some dozen terms round by this part of their sizes. */
static const double sum_rounding = 64.0 * DBL_EPSILON;
/* Work that a residual E leaves: of impulses over E times velocities, which are at most the energies four
   times. */
static const double energy_per_residual = 4.0;
/* Errors of positions that rounding leaves in joints, through loops of bodies. */
static const double loop_roundings = 1e4;
/* What needs a warning where a scheme promises nothing, twice what the program warns of, since sizes are
   measured otherwise here: gain or loss of energy, relative to the largest energies that were exchanged;
   opening of a joint and overlap of bodies relative to a typical length, beyond what the bodies move in two
   steps (half of a body counts there); velocity of a joint relative to the largest of a body, and to one that
   moves it by a length in the time of the run. */
static const double energy_change_to_say = 2.0 * tp_energy_fraction, joint_to_say = 2.0 * tp_joint_fraction,
                    overlap_to_say = 0.5 * tp_depth_fraction, parting_to_say = 2.0 * tp_joint_speed_fraction;
/* No step above this counts as solved, whatever the rounding floor is; theory/problems.md (22). */
static const double residual_most = 1e-5;

const char *defect_text(run_defect defect)
{
    static const char *const texts[] = {
#define DEFECT_ENTRY(name, text) text,
        DEFECT_LIST(DEFECT_ENTRY)
#undef DEFECT_ENTRY
    };
    return texts[defect];
}

bool has_defect(const run_verdict *verdict)
{
    for (int d = 0; d < DEFECT_COUNT; d++) {
        if (verdict->found[d]) return true;
    }
    return false;
}

static scheme_promise promise_of(const char *integrator)
{
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        if (strcmp(promises[i].integrator, integrator) == 0) return promises[i];
    }
    return (scheme_promise){.integrator = integrator}; /* a new one promises nothing until it is said */
}

/* What is measured along a run. */
typedef struct measure {
    const random_scene *random;
    const tp_model *model;
    tp_system *system;
    scheme_promise promise;
    run_verdict *verdict;
    uint64_t *hashes;     /* [steps + 1] of the states at multiples of the time step */
    int step, step_limit; /* of these states                                         */
    long long own_step;   /* of all states: an integrator may choose its steps       */
    clock_t start;
    double energy_start, potential_start, energy_before, work, work_size; /* [J] */
    double energy_scale;                 /* largest energies that were exchanged [J] */
    double residual_sum;                 /* of all steps */
    double speed;                        /* largest of a point of a body [m/s]  */
    double gain, overlap, opening, sunk; /* largest so far [J], [m] */
    double loss, gain_before[2];         /* loss: lasting for three states, since mean
                                            velocities of schemes on positions are small in impacts */
    double joint_goal;                   /* of projections [m] */
    double parting;                      /* of points of a joint, of what is allowed */
    double limit_angle;                  /* largest so far beyond a stop of an angle [rad] */
    double rest_error, slide_error;      /* largest so far, of what is allowed */
    tp_vec3 momentum_start, *positions_start;
    tp_quat *orientations_start;
    bool is_slow;
} measure;

/* value must be at most allowed. */
static void demand(measure *m, run_defect defect, double value, double allowed)
{
    if (value <= allowed) return;
    m->verdict->found[defect] = true;
    double ratio = allowed > 0.0 ? value / allowed : INFINITY;
    if (!(ratio <= m->verdict->size[defect])) m->verdict->size[defect] = ratio;
}

static uint64_t add_bytes(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* A hash of everything that the next step depends on. */
static uint64_t hash_state(const tp_simulation *simulation)
{
    tp_restart at;
    tp_simulation_checkpoint(simulation, &at);
    uint64_t hash = add_bytes(1469598103934665603u, &at.time, sizeof at.time);
    hash = add_bytes(hash, at.q, (size_t)at.q_count * sizeof(double));
    hash = add_bytes(hash, at.u, (size_t)at.u_count * sizeof(double));
    hash = add_bytes(hash, at.impulse, (size_t)at.law_count * TP_LAW_ROWS * sizeof(double));
    hash = add_bytes(hash, at.is_closed, (size_t)at.law_count);
    for (int i = 0; i < at.contact_count; i++) {
        const tp_restart_contact *contact = &at.contacts[i];
        const int key[] = {contact->shape_a, contact->shape_b, contact->feature};
        hash = add_bytes(hash, key, sizeof key);
        hash = add_bytes(hash, contact->impulse, sizeof contact->impulse);
    }
    for (int i = 0; i < at.memory_count; i++)
        hash = add_bytes(hash, at.memory[i].values, (size_t)at.memory[i].count * sizeof(double));
    return hash;
}

static const tp_body *body_at(const measure *m, int index)
{
    return TP_LIST_AT(m->model->bodies, tp_body, index);
}

static tp_vec3 place_of(const tp_body *body, const double *q)
{
    const double *own = q + body->q_first;
    return tp_vec3_make(own[0], own[1], body->kind == TP_BODY_PLANAR ? 0.0 : own[2]);
}

static tp_quat turn_of(const tp_body *body, const double *q)
{
    const double *own = q + body->q_first;
    if (body->kind == TP_BODY_PLANAR) return tp_quat_make(cos(0.5 * own[2]), 0.0, 0.0, sin(0.5 * own[2]));
    if (body->kind == TP_BODY_RIGID) return tp_quat_make(own[3], own[4], own[5], own[6]);
    return tp_quat_identity();
}

static tp_vec3 velocity_of(const tp_body *body, const double *u)
{
    const double *own = u + body->u_first;
    return tp_vec3_make(own[0], own[1], body->kind == TP_BODY_PLANAR ? 0.0 : own[2]);
}

static tp_vec3 spin_of(const tp_body *body, const double *u)
{
    const double *own = u + body->u_first;
    if (body->kind == TP_BODY_PLANAR) return tp_vec3_make(0.0, 0.0, own[2]);
    if (body->kind == TP_BODY_RIGID) return tp_vec3_from_array(own + 3);
    return tp_vec3_zero();
}

/* Kinetic energy, momentum and largest speed of the bodies, from their masses and velocities alone. */
static double measure_bodies(measure *m, const double *u, tp_vec3 *momentum, double *momentum_size)
{
    double T = 0.0;
    *momentum = tp_vec3_zero();
    *momentum_size = 0.0;
    for (int i = 0; i < m->model->coordinates.count; i++) m->speed = fmax(m->speed, fabs(u[i]));
    for (int b = 0; b < m->model->bodies.count; b++) {
        const tp_body *body = body_at(m, b);
        if (body->kind == TP_BODY_MOVING) continue;
        tp_vec3 v = velocity_of(body, u), w = spin_of(body, u);
        T += 0.5 * body->mass * tp_vec3_dot(v, v) + 0.5 * tp_vec3_dot(w, tp_mat3_apply(body->inertia, w));
        *momentum = tp_vec3_add_scaled(*momentum, body->mass, v);
        *momentum_size += body->mass * (tp_vec3_norm(v) + tp_vec3_norm(w) * m->random->length);
        m->speed = fmax(m->speed, tp_vec3_norm(v) + tp_vec3_norm(w) * m->random->length);
    }
    return T;
}

static bool are_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) return false;
    }
    return true;
}

/* A point of a body that was at a place in the world at the start, and its velocity. */
static void follow_point(const measure *m, const char *name, const double *q, const double *u, tp_vec3 *place,
                         tp_vec3 *velocity)
{
    for (int b = 0; b < m->model->bodies.count; b++) {
        const tp_body *body = body_at(m, b);
        if (strcmp(body->name, name) != 0) continue;
        tp_quat turn = turn_of(body, q);
        tp_vec3 own =
                    tp_quat_rotate_back(m->orientations_start[b], tp_vec3_sub(*place, m->positions_start[b])),
                arm = tp_quat_rotate(turn, own), spin = tp_quat_rotate(turn, spin_of(body, u));
        *place = tp_vec3_add(place_of(body, q), arm);
        *velocity = tp_vec3_add(velocity_of(body, u), tp_vec3_cross(spin, arm));
    }
}

/* Largest distance of a joint's point on A from that on B, and their largest relative velocity. */
static void measure_joints(measure *m, const double *q, const double *u, double t)
{
    for (int i = 0; i < m->random->anchor_count; i++) {
        const scene_anchor *anchor = &m->random->anchors[i];
        tp_vec3 ends[2] = {anchor->point, anchor->point}, velocities[2] = {tp_vec3_zero(), tp_vec3_zero()};
        follow_point(m, anchor->body_a, q, u, &ends[0], &velocities[0]);
        follow_point(m, anchor->body_b, q, u, &ends[1], &velocities[1]);
        m->opening = fmax(m->opening, tp_vec3_norm(tp_vec3_sub(ends[0], ends[1])));
        double speed = tp_vec3_norm(tp_vec3_sub(velocities[0], velocities[1]));
        if (t > 0.0)
            m->parting = fmax(m->parting, speed * t / (parting_to_say * (m->speed * t + m->random->length)));
    }
}

/* Gaps of all contacts there can be, by a system that looks at all of them: one that the run leaves out is
   found. */
static void measure_gaps(measure *m, const tp_simulation *simulation)
{
    tp_system_move(m->system, tp_simulation_time(simulation), tp_simulation_q(simulation),
                   tp_simulation_u(simulation));
    for (int i = 0; i < m->system->law_count; i++) {
        const tp_law *law = tp_system_law(m->system, i);
        if (law->level != TP_LEVEL_GAP) continue;
        double gap = tp_system_law_position(m->system, i);
        double *depth = tp_law_is_angle(law, 0) ? &m->limit_angle : &m->overlap;
        if (isfinite(gap)) *depth = fmax(*depth, -gap);
    }
}

/* Forces of springs know positions to rounding: over the weight, with a stiffness that stops a body within
   the contact time. */
static double spring_rounding(const measure *m)
{
    double time = m->promise.contact_time * m->random->time_step;
    return m->promise.has_springs ? sum_rounding * m->random->length / (m->random->force_rate * time * time)
                                  : 0.0;
}

static double total_mass(const measure *m)
{
    double mass = 0.0;
    for (int b = 0; b < m->model->bodies.count; b++) mass += body_at(m, b)->mass;
    return mass;
}

/* E is the distance of P - xi/rho from its set, over |c|/rho: impulses may be outside of theirs by E times
   velocities times masses. */
static void measure_contacts(measure *m, const tp_simulation *simulation)
{
    double impulses[TP_IMPULSE_ROWS], largest = 0.0, worst = 0.0;
    measure_gaps(m, simulation);
    for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
        if (isnan(tp_simulation_gap(simulation, i))) continue;
        int rows = tp_simulation_last_impulse(simulation, i, impulses);
        largest = fmax(largest, fabs(impulses[0]));
        double sliding = rows > 2 ? hypot(impulses[1], impulses[2]) : rows > 1 ? fabs(impulses[1]) : 0.0;
        worst = fmax(worst, fmax(-impulses[0], sliding - m->random->friction_max * impulses[0]));
    }
    if (m->step > 0 && worst > 0.0)
        demand(m, DEFECT_IMPULSE, worst,
               (sum_rounding + tp_simulation_last_step(simulation)->residual) *
                       (largest + total_mass(m) * m->speed) +
                   spring_rounding(m) * largest + DBL_MIN);
}

static void measure_floor(measure *m, const double *q)
{
    for (int i = 0; m->random->has_floor && i < m->random->body_count; i++) {
        for (int b = 0; b < m->model->bodies.count; b++) {
            const tp_body *body = body_at(m, b);
            if (strcmp(body->name, m->random->bodies[i].name) != 0) continue;
            double height = tp_vec3_dot(m->random->floor_normal, place_of(body, q)) - m->random->floor_height;
            m->sunk = fmax(m->sunk, m->random->bodies[i].inner - height);
        }
    }
}

/* Truths in closed form: rest, and a constant acceleration. A scheme of first order is off by at most one
   step's change of velocity, times the time; a contact that opens by rounding lets it fall for one step. */
static void measure_truths(measure *m, const double *q, double t)
{
    double dt = m->random->time_step, fall = m->random->force_rate * dt * dt + 1e-6 * m->random->length;
    for (int b = 0; b < m->model->bodies.count; b++) {
        const tp_body *body = body_at(m, b);
        if (body->kind == TP_BODY_MOVING) continue;
        tp_vec3 moved = tp_vec3_sub(place_of(body, q), m->positions_start[b]);
        if (m->random->rests) m->rest_error = fmax(m->rest_error, tp_vec3_norm(moved) / fall);
        if (m->random->sliding_body == NULL || strcmp(m->random->sliding_body, body->name) != 0) continue;
        double way = 0.5 * m->random->slide_acceleration * t * t;
        tp_vec3 off = tp_vec3_add_scaled(moved, -way, m->random->slide_direction);
        double allowed = m->random->slide_acceleration * t * dt + fall;
        m->slide_error = fmax(m->slide_error, tp_vec3_norm(off) / allowed);
    }
}

/* Weights of all bodies over a typical length [J]. */
static double weight_over_length(const measure *m)
{
    return total_mass(m) * m->random->force_rate * m->random->length;
}

/* What the weights do while laws reach what they prescribe, which takes the contact time [J]. */
static double lent_energy(const measure *m)
{
    double way = m->speed * m->promise.contact_time * m->random->time_step;
    return m->promise.lends_energy ? weight_over_length(m) / m->random->length * way : 0.0;
}

/* What moves bodies by a millionth of their length: below it there is rounding alone [J]. */
static double energy_at_rest(const measure *m)
{
    return 1e-6 * weight_over_length(m);
}

/* Energy of the state, the gain of the step beyond the work of loads, and the gain since the start. */
static void measure_energy(measure *m, const tp_simulation *simulation)
{
    const tp_step_report *step = tp_simulation_last_step(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    tp_vec3 momentum;
    double momentum_size, own = measure_bodies(m, u, &momentum, &momentum_size);
    tp_system_move(m->system, tp_simulation_time(simulation), q, u);
    double T = tp_system_kinetic_energy(m->system), V = tp_system_potential_energy(m->system), E = T + V;
    if (m->model->coordinates.count == 0)
        demand(m, DEFECT_ENERGY_WRONG, fabs(T - own), sum_rounding * own + DBL_MIN);
    if (m->step == 0) {
        m->energy_start = m->energy_before = E;
        m->potential_start = V;
        m->momentum_start = momentum;
        m->energy_scale = fmax(T, energy_at_rest(m));
        return;
    }
    /* springs on angles of joints count turns, which a state alone does not know */
    bool is_same = !m->promise.is_affine && m->model->angle_count == 0;
    if (is_same)
        demand(m, DEFECT_ENERGY_WRONG, fabs(E - step->energy), sum_rounding * (T + fabs(V)) + DBL_MIN);
    V = step->energy - T;
    m->work += step->applied_work;
    m->residual_sum += step->residual;
    m->work_size += fabs(step->applied_work); /* which is known to the order of the scheme */
    m->energy_scale = fmax(m->energy_scale, T + fabs(V - m->potential_start) + m->work_size);
    double gain = step->energy - m->energy_start - m->work;
    m->gain = fmax(m->gain, gain);
    if (!m->promise.lends_energy || step->contact_count == 0)
        m->loss = fmax(m->loss, -fmax(gain, fmax(m->gain_before[0], m->gain_before[1])));
    m->gain_before[1] = m->gain_before[0];
    m->gain_before[0] = gain;
    double change = step->energy - m->energy_before - step->applied_work,
           size =
               (sum_rounding + energy_per_residual * step->residual) * (T + fabs(V) + fabs(m->energy_start)) +
               sum_rounding * weight_over_length(m);
    bool is_smooth = step->contact_count == 0;
    if (m->promise.never_gains && m->random->has_one_restitution) demand(m, DEFECT_ENERGY_GREW, change, size);
    if (m->random->is_conservative && (m->promise.keeps_energy || (m->promise.keeps_smooth && is_smooth)))
        demand(m, DEFECT_ENERGY_NOT_EXACT, fabs(change), size);
    m->energy_before = step->energy;
    if (m->random->is_isolated)
        demand(m, DEFECT_MOMENTUM, tp_vec3_norm(tp_vec3_sub(momentum, m->momentum_start)),
               ((double)m->own_step * sum_rounding + m->residual_sum) * momentum_size);
}

static void keep_place(measure *m, double now, double start)
{
    early_places *places = &m->verdict->places;
    if (places->count == PLACES_MAX) return;
    places->at[places->count++] = now;
    places->way = fmax(places->way, fabs(now - start));
}

/* Whether a run has said that its steps are too long for the motion. */
static bool is_coarse(const tp_run_report *report)
{
    bool is_said = false;
    for (int i = 0; i < report->warning_count; i++) {
        tp_warning_kind kind = report->warnings[i].kind;
        is_said = is_said || kind == TP_WARNING_DIVIDED_STEP || kind == TP_WARNING_ENERGY_GROWS ||
                  kind == TP_WARNING_ENERGY_VANISHES;
    }
    return is_said;
}

static void keep_places(measure *m, const tp_run_report *report, const double *q)
{
    m->verdict->places.is_smooth =
        m->model->rules.count == 0 && !m->promise.has_springs && !is_coarse(report);
    for (int i = 0; i < m->model->laws.count; i++) {
        if (TP_LIST_AT(m->model->laws, tp_law, i)->level != TP_LEVEL_POSITION)
            m->verdict->places.is_smooth = false;
    }
    for (int i = 0; i < m->model->coordinates.count; i++) keep_place(m, q[i], m->model->q0[i]);
    for (int b = 0; b < m->model->bodies.count; b++) {
        const tp_body *body = body_at(m, b);
        for (int k = 0; k < 3 && k < body->q_count; k++)
            keep_place(m, q[body->q_first + k], m->model->q0[body->q_first + k]);
    }
}

/* From rest the way after n steps is off by a part 1/n in a scheme of first order; with a start in motion by
   less. Nearby motions part by some times that. */
static const double motion_agreement = 0.1;

void judge_motion(const random_scene *random, const run_verdict *reference, run_verdict *verdict)
{
    const early_places *a = &reference->places, *b = &verdict->places;
    if (!a->is_smooth || !b->is_smooth || a->count != b->count) return;
    double allowed = motion_agreement * fmax(a->way, b->way) + 1e-6 * random->length, largest = 0.0;
    for (int i = 0; i < a->count; i++) largest = fmax(largest, fabs(a->at[i] - b->at[i]));
    if (largest <= allowed) return;
    verdict->found[DEFECT_OTHER_MOTION] = true;
    verdict->size[DEFECT_OTHER_MOTION] = largest / allowed;
}

/* So many seconds of the processor for one run, which most do in one, are as bad as a stop. */
static const double seconds_most = 20.0;

static bool observe(void *context, const tp_simulation *simulation)
{
    measure *m = context;
    const tp_step_report *step = tp_simulation_last_step(simulation);
    const double *q = tp_simulation_q(simulation), *u = tp_simulation_u(simulation);
    if (tp_simulation_is_row(simulation)) m->hashes[m->step] = hash_state(simulation);
    if (!are_finite(q, tp_model_coordinate_count(m->model)) ||
        !are_finite(u, tp_model_velocity_count(m->model)) || (m->step > 0 && !are_finite(&step->energy, 1)))
        m->verdict->found[DEFECT_NOT_FINITE] = true;
    measure_energy(m, simulation);
    measure_joints(m, q, u, tp_simulation_time(simulation));
    measure_contacts(m, simulation);
    measure_floor(m, q);
    measure_truths(m, q, tp_simulation_time(simulation));
    if (m->step == PLACES_STEP && tp_simulation_is_row(simulation))
        keep_places(m, tp_simulation_report(simulation), q);
    if (m->step > 0 && step->status == TP_OK) demand(m, DEFECT_RESIDUAL, step->residual, residual_most);
    m->is_slow = (double)(clock() - m->start) > seconds_most * CLOCKS_PER_SEC;
    m->own_step++;
    if (tp_simulation_is_row(simulation)) m->step++;
    return !m->is_slow && m->step <= m->step_limit + 1;
}

static bool open_measure(measure *m, const tp_scene *scene, int steps)
{
    int bodies = scene->model->bodies.count;
    const double *q = scene->model->q0;
    m->hashes = calloc((size_t)steps + 2, sizeof *m->hashes);
    m->positions_start = calloc((size_t)bodies + 1, sizeof *m->positions_start);
    m->orientations_start = calloc((size_t)bodies + 1, sizeof *m->orientations_start);
    for (int b = 0; b < bodies; b++) {
        const tp_body *body = body_at(m, b);
        if (body->kind == TP_BODY_MOVING) continue;
        m->positions_start[b] = place_of(body, q);
        m->orientations_start[b] = turn_of(body, q);
    }
    bool changed;
    tp_contact_reach everywhere = {.margin = 1e3 * scene->model->summary.size};
    if (tp_system_create(NULL, scene->model, &m->system) != TP_OK) return false;
    tp_system_move(m->system, 0.0, q, scene->model->u0);
    return tp_system_find_contacts(m->system, &everywhere, NULL, &changed) == TP_OK;
}

static void close_measure(measure *m)
{
    tp_system_free(m->system);
    free(m->hashes);
    free(m->positions_start);
    free(m->orientations_start);
}

/* Whether the run warned of this kind of defect: another warning does not excuse it. Contacts may also sink
   while they should rest. */
static bool is_said(const tp_run_report *report, tp_warning_kind kind)
{
    for (int i = 0; i < report->warning_count; i++) {
        const tp_warning *warning = &report->warnings[i];
        bool sinks = warning->kind == TP_WARNING_CONTACT_AT_REST && strstr(warning->text, "sinks") != NULL;
        if (warning->kind == kind || (kind == TP_WARNING_CONTACT_SINKS && sinks)) return true;
    }
    return false;
}

/* What is known at the end of the run only, and what needs a warning where it is more than is allowed. */
static void judge_end(measure *m, const tp_run_report *report, tp_status status)
{
    run_verdict *v = m->verdict;
    double moves = 2.0 * m->speed * m->random->time_step, length = m->random->length;
    moves += m->promise.contact_time * m->speed * m->random->time_step;
    bool has_laws = !m->promise.has_springs;
    double lost = m->random->is_conservative && has_laws ? m->loss : 0.0,
           depth = moves + overlap_to_say * length;
    const struct {
        run_defect defect;
        tp_warning_kind kind;
        double value, allowed;
    } rows[] = {
        {DEFECT_ENERGY_GREW, TP_WARNING_ENERGY_GROWS, m->gain,
         energy_change_to_say * m->energy_scale + lent_energy(m)},
        {DEFECT_ENERGY_LOST, TP_WARNING_ENERGY_VANISHES, lost, energy_change_to_say * m->energy_scale},
        {DEFECT_JOINT_OPEN, TP_WARNING_JOINT_TORN, m->opening, joint_to_say * length + DBL_MIN},
        {DEFECT_JOINT_VELOCITY, TP_WARNING_JOINT_VELOCITY, m->parting, 1.0},
        {DEFECT_PENETRATION, TP_WARNING_CONTACT_SINKS, m->overlap, depth},
        {DEFECT_PENETRATION, TP_WARNING_CONTACT_SINKS, m->limit_angle, depth / length},
        {DEFECT_FELL_THROUGH, TP_WARNING_CONTACT_SINKS, m->sunk, depth},
        {DEFECT_NOT_AT_REST, TP_WARNING_CONTACT_AT_REST, has_laws ? m->rest_error : 0.0, 1.0},
        {DEFECT_SLIDE, TP_WARNING_CONTACT_AT_REST, has_laws ? m->slide_error : 0.0, 1.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!is_said(report, rows[i].kind)) demand(m, rows[i].defect, rows[i].value, rows[i].allowed);
    }
    v->warning_count = report->warning_count;
    v->residual = report->residual_max;
    v->steps = report->steps;
    if (m->promise.holds_joints)
        demand(m, DEFECT_JOINT_OPEN, m->opening,
               m->joint_goal + loop_roundings * DBL_EPSILON * fmax(1.0, length) +
                   report->residual_max * m->speed * m->random->time_step);
    demand(m, DEFECT_PENETRATION_UNSAID, m->overlap - report->penetration, 1e-9 * length);
    demand(m, DEFECT_PENETRATION_UNSAID, m->limit_angle - report->limit_angle, 1e-9);
    if (report->status != status || (status != TP_OK && report->reason[0] == '\0'))
        v->found[DEFECT_UNSAID] = true;
    if (report->steps != m->own_step - 1) v->found[DEFECT_UNSAID] = true;
}

/* Stops a run at a multiple of the time step. */
static bool count_down(void *context, const tp_simulation *simulation)
{
    int *left = context;
    return !tp_simulation_is_row(simulation) || (*left)-- > 0;
}

/* Once more to a step, and from there on in another simulation. */
static void judge_restart(measure *m, const tp_scene *scene, const tp_simulation_options *options, int steps)
{
    check_random random = {m->random->seed};
    int cut = 1 + (int)(check_random_bits(&random) % (uint64_t)(steps - 1)), left = cut;
    tp_simulation *first = NULL, *second = NULL;
    tp_message why = {""};
    tp_restart at;
    bool ok = tp_simulation_create(NULL, scene->model, options, &first, &why) == TP_OK &&
              tp_simulation_create(NULL, scene->model, options, &second, &why) == TP_OK &&
              tp_simulation_run(first, count_down, &left, NULL) == TP_INTERRUPTED;
    if (!ok || hash_state(first) != m->hashes[cut]) m->verdict->found[DEFECT_BITS] = true;
    if (ok) {
        tp_simulation_checkpoint(first, &at);
        ok = tp_simulation_restore(second, &at, &why) == TP_OK &&
             tp_simulation_run(second, NULL, NULL, NULL) == TP_OK;
        if (!ok || hash_state(second) != m->hashes[steps]) m->verdict->found[DEFECT_RESTART] = true;
    }
    tp_simulation_free(first);
    tp_simulation_free(second);
}

/* Every integrator that a refusal names takes the scene. */
static bool names_others(const tp_scene *scene, const tp_simulation_options *options, const char *text)
{
    static const char mark[] = "Integrators that treat it: ";
    const char *list = strstr(text, mark);
    if (list == NULL) return false;
    char names[600], *rest = NULL;
    int count = 0;
    snprintf(names, sizeof names, "%s", list + sizeof mark - 1);
    for (char *name = strtok_r(names, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest), count++) {
        tp_simulation_options other = *options;
        tp_simulation *simulation = NULL;
        tp_message why = {""};
        other.integrator = name;
        if (tp_simulation_create(NULL, scene->model, &other, &simulation, &why) != TP_OK) return false;
        tp_simulation_free(simulation);
    }
    return count > 0;
}

run_verdict judge_run(const random_scene *random, const tp_scene *scene, const char *integrator, int steps)
{
    run_verdict verdict = {.end = RUN_DONE};
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.end_time = steps * options.time_step;
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    if (status != TP_OK) {
        verdict.end = RUN_REFUSED;
        snprintf(verdict.reason, sizeof verdict.reason, "%.*s", (int)sizeof verdict.reason - 1, why.text);
        verdict.found[DEFECT_REFUSAL] = status != TP_UNSUPPORTED || !names_others(scene, &options, why.text);
        return verdict;
    }
    measure m = {.random = random,
                 .model = scene->model,
                 .promise = promise_of(integrator),
                 .verdict = &verdict,
                 .step_limit = steps,
                 .joint_goal = promise_of(integrator).has_goal ? options.jet.tolerance : 0.0,
                 .start = clock()};
    if (!open_measure(&m, scene, steps)) abort();
    status = tp_simulation_run(simulation, observe, &m, NULL);
    const tp_run_report *report = tp_simulation_report(simulation);
    verdict.seconds = (double)(clock() - m.start) / CLOCKS_PER_SEC;
    judge_end(&m, report, status);
    if (status == TP_OK && steps > 1) {
        judge_restart(&m, scene, &options, steps);
    } else if (status != TP_OK) {
        verdict.end = RUN_STOPPED;
        snprintf(verdict.reason, sizeof verdict.reason, "%.599s",
                 m.is_slow ? "takes too long" : report->reason);
    }
    close_measure(&m);
    tp_simulation_free(simulation);
    return verdict;
}
