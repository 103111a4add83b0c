/* Events: what a step changed of the laws; docs/theory/simulation.md (10)-(12). The mode of a law follows
   from the impulses of a step alone, so that a continued run finds the same events. */
#include "base/expect.h"
#include "integrator/static_friction.h"
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <string.h>

typedef enum law_mode {
    MODE_NONE, /* a joint: always the same           */
    MODE_OPEN, /* does not push                      */
    MODE_CLOSED,
    MODE_STICK,
    MODE_SLIP,
    MODES
} law_mode;

static const char *const kind_names[TP_EVENT_KIND_COUNT] = {
#define KIND_NAME(kind, word) [kind] = word,
    TP_EVENT_KIND_LIST(KIND_NAME)
#undef KIND_NAME
};

const char *tp_event_kind_name(int kind)
{
    return kind >= 0 && kind < TP_EVENT_KIND_COUNT ? kind_names[kind] : NULL;
}

/* Is P inside the bounds, and not at one of them? Infinite bounds are never reached. */
static bool is_inside_box(const tp_set *set, double dt, double share, const double *P)
{
    for (int k = 0; k < set->size; k++) {
        double lower = dt * set->parameter[2 * k], upper = dt * set->parameter[2 * k + 1];
        double size = fmax(isfinite(lower) ? fabs(lower) : 0.0, isfinite(upper) ? fabs(upper) : 0.0);
        if (P[k] <= lower + share * size || P[k] >= upper - share * size) return false;
    }
    return true;
}

static bool has_friction(const tp_set *set)
{
    for (int k = 0; k < 6; k++) {
        if (set->parameter[k] > 0.0) return true;
    }
    return false;
}

static law_mode mode_of(const tp_simulation *simulation, const tp_state *state, int index)
{
    const tp_law *law = tp_system_law(simulation->stepper.system, index);
    const double *P = state->impulse + (size_t)index * TP_LAW_ROWS;
    double share = tp_boundary_share(&simulation->options),
           dt = law->is_force_bound ? simulation->step_size : 1.0;
    switch (law->set.kind) {
    case TP_SET_FREE:
    case TP_SET_ZERO:
    case TP_SET_DUAL_CONE: return MODE_NONE;
    case TP_SET_ORTHANT: return state->is_closed[index] && P[0] > 0.0 ? MODE_CLOSED : MODE_OPEN;
    case TP_SET_CONTACT:
    case TP_SET_CONE:
        if (!state->is_closed[index] || !(P[0] > 0.0)) return MODE_OPEN;
        if (!has_friction(&law->set)) return MODE_CLOSED;
        break;
    case TP_SET_BOX: return is_inside_box(&law->set, dt, share, P) ? MODE_STICK : MODE_SLIP;
    case TP_SET_FRICTION: break;
    }
    return tp_law_sticks(law, state->impulse, P, simulation->step_size, share) ? MODE_STICK : MODE_SLIP;
}

void tp_simulation_begin_events(tp_simulation *simulation, const tp_state *state)
{
    for (int i = 0; i < simulation->stepper.system->law_count; i++)
        tp_simulation_begin_mode(simulation, state, i);
    simulation->event_count = 0;
}

void tp_simulation_begin_mode(tp_simulation *simulation, const tp_state *state, int law)
{
    simulation->mode[law] = (unsigned char)mode_of(simulation, state, law);
}

/* |W| |u| of a row: in a frame along its direction the single terms of W u say nothing of their rounding. */
static double row_bound(int count, const int *columns, const double *W, const double *u)
{
    double squares[2] = {0.0, 0.0};
    for (int k = 0; k < count; k++) {
        squares[0] += W[k] * W[k];
        squares[1] += u[columns[k]] * u[columns[k]];
    }
    return sqrt(squares[0]) * sqrt(squares[1]);
}

/* Velocities of the law's rows before and after the step, in the directions of its end. A law that took part
   in the step before has a velocity there that the solver left. */
static void measure_velocities(const tp_simulation *simulation, const tp_state *from, const double *u_after,
                               int law, double *work, tp_event *event, bool *approaches_out)
{
    const double *u_before = from->u;
    tp_system *system = simulation->stepper.system;
    const int *columns, count = tp_system_columns_of(system, law, &columns);
    double chi[TP_LAW_ROWS];
    tp_system_law_rows(system, law, work, chi);
    for (int k = 0; k < event->row_count; k++) {
        const double *W = work + k * count;
        event->velocity_before[k] = chi[k] + tp_row_velocity(count, columns, W, u_before);
        event->velocity_after[k] = chi[k] + tp_row_velocity(count, columns, W, u_after);
    }
    double share = from->is_closed[law] ? tp_boundary_share(&simulation->options) : tp_approach_rounding;
    *approaches_out = event->velocity_before[0] < -share * row_bound(count, columns, work, u_before);
}

/* All about an event but its kind. A pair of shapes may have parted so far that there is no point: a law that
   pushed in the step had an impact then. work: as simulation->W. */
static tp_event describe(const tp_simulation *simulation, const tp_state *from, const tp_state *to, int law,
                         double *work, bool *approaches_out)
{
    tp_system *system = simulation->stepper.system;
    const tp_law *of = tp_system_law(system, law);
    const tp_near_pair *pair = tp_system_pair(system, law);
    tp_event event = {.time = to->t,
                      .law = tp_simulation_shown_law(simulation, law),
                      .shape_a = -1,
                      .shape_b = -1,
                      .feature = -1,
                      .row_count = of->row_count,
                      .energy_lost = simulation->stepper.account.dissipation[law],
                      .point = {NAN, NAN, NAN}};
    memcpy(event.impulse, to->impulse + (size_t)law * TP_LAW_ROWS, (size_t)of->row_count * sizeof(double));
    if (pair != NULL) {
        event.shape_a = pair->touch.shape_a;
        event.shape_b = pair->touch.shape_b;
        event.feature = tp_system_feature(system, law);
    }
    if (pair != NULL && !isfinite(tp_system_law_position(system, law))) {
        for (int k = 0; k < of->row_count; k++) event.velocity_before[k] = event.velocity_after[k] = NAN;
        *approaches_out = true;
        return event;
    }
    measure_velocities(simulation, from, to->u, law, work, &event, approaches_out);
    if (pair != NULL) {
        const tp_contact_point *at = tp_system_contact_point(system, law);
        tp_vec3 middle = tp_vec3_scale(0.5, tp_vec3_add(at->point_a, at->point_b));
        memcpy(event.point, (const double[3]){middle.x, middle.y, middle.z}, sizeof event.point);
    }
    return event;
}

/* Events of an integrator that knows them, with their own times, impulses and velocities. */
static int take_events(tp_simulation *simulation, const tp_state *from, const tp_state *to)
{
    int count, impact_count = 0;
    const tp_integrator_event *list = simulation->integrator->events(&simulation->stepper, &count);
    for (int i = 0; i < count && simulation->event_count < simulation->event_room; i++) {
        bool approaches;
        tp_event event = describe(simulation, from, to, list[i].law, simulation->W, &approaches);
        size_t bytes = (size_t)event.row_count * sizeof(double);
        event.time = list[i].time;
        memcpy(event.impulse, list[i].impulse, bytes);
        memcpy(event.velocity_before, list[i].before, bytes);
        memcpy(event.velocity_after, list[i].after, bytes);
        event.kind = list[i].kind;
        simulation->events[simulation->event_count++] = event;
        impact_count += list[i].kind == TP_EVENT_IMPACT;
    }
    return impact_count;
}

/* ---- modes that changed ---- */

/* Events of one task, and laws whose modes one task finds. */
enum { EVENTS_OF_TASK = 64, MODES_OF_TASK = 1024 };

typedef struct changes {
    tp_simulation *simulation;
    const tp_state *from, *to;
    int first; /* event that tasks begin with: those before it are not of contacts between shapes */
} changes;

/* An event whose law and kind are known; a law that closes may have an impact. work: as simulation->W. */
static void complete_event(const changes *all, int number, double *work)
{
    tp_event *event = &all->simulation->events[number];
    tp_event_kind kind = event->kind;
    bool approaches = false;
    *event = describe(all->simulation, all->from, all->to, event->law, work, &approaches);
    event->kind = kind == TP_EVENT_CLOSING && approaches ? TP_EVENT_IMPACT : kind;
}

/* What an event of a contact is made of lies anywhere: its pair, its point and its shapes, and their bodies
   after them. Events ahead at which each of these is expected. */
enum { BODIES_AHEAD = 2, SHAPES_AHEAD = 4, PAIRS_AHEAD = 6 };

TP_EXPECTS void expect_shapes(const tp_system *system, int law)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    const int shapes[] = {pair->touch.shape_a, pair->touch.shape_b};
    tp_expect_all(&system->points[law - system->fixed_count], sizeof *system->points);
    for (int s = 0; s < 2; s++)
        tp_expect_all(TP_LIST_AT(system->model->shapes, tp_model_shape, shapes[s]),
                      offsetof(tp_model_shape, is_passive));
}

TP_EXPECTS void expect_bodies(const changes *all, const tp_system *system, int law)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    const int shapes[] = {pair->touch.shape_a, pair->touch.shape_b};
    for (int s = 0; s < 2; s++) {
        int body = TP_LIST_AT(system->model->shapes, tp_model_shape, shapes[s])->body;
        if (body != TP_GROUND) tp_expect_all(&system->body[body], sizeof *system->body);
    }
    for (int k = 0; k < pair->column_count; k += 6) {
        tp_expect(all->from->u + pair->column[k]);
        tp_expect(all->to->u + pair->column[k]);
    }
}

/* Of events k and after it, those before `end`. */
TP_EXPECTS void expect_events(const changes *all, const tp_event *events, int k, int end)
{
    const tp_system *system = all->simulation->stepper.system;
    if (k + PAIRS_AHEAD < end)
        tp_expect_all(tp_system_pair(system, events[k + PAIRS_AHEAD].law), sizeof(tp_near_pair));
    if (k + SHAPES_AHEAD < end) expect_shapes(system, events[k + SHAPES_AHEAD].law);
    if (k + BODIES_AHEAD < end) expect_bodies(all, system, events[k + BODIES_AHEAD].law);
}

static void complete_events(void *context, int begin, int end)
{
    const changes *all = context;
    const tp_event *events = all->simulation->events + all->first;
    double work[TP_LAW_ROWS * TP_PAIR_COLUMNS];
    for (int k = begin; k < end; k++) {
        expect_events(all, events, k, end);
        complete_event(all, all->first + k, work);
    }
}

/* The mode at the end of the step beside that of before. */
static void find_modes(void *context, int begin, int end)
{
    const changes *all = context;
    unsigned char *mode = all->simulation->mode;
    for (int i = begin; i < end; i++)
        mode[i] = (unsigned char)(mode[i] + MODES * (int)mode_of(all->simulation, all->to, i));
}

static tp_event_kind kind_of(law_mode before, law_mode now)
{
    if (now == MODE_OPEN) return TP_EVENT_OPENING;
    if (before == MODE_OPEN) return TP_EVENT_CLOSING;
    return now == MODE_STICK ? TP_EVENT_STICK : TP_EVENT_SLIP;
}

int tp_simulation_find_events(tp_simulation *simulation, const tp_state *from, const tp_state *to)
{
    tp_system *system = simulation->stepper.system;
    changes all = {.simulation = simulation, .from = from, .to = to};
    int impact_count = 0;
    simulation->event_count = 0;
    if (simulation->integrator->events != NULL) return take_events(simulation, from, to);
    tp_pool_share(system->pool, system->law_count, MODES_OF_TASK, find_modes, &all);
    for (int i = 0; i < system->law_count; i++) { /* rigidity has no modes */
        law_mode before = (law_mode)(simulation->mode[i] % MODES),
                 now = (law_mode)(simulation->mode[i] / MODES);
        simulation->mode[i] = (unsigned char)now;
        if (now == before) continue;
        simulation->events[simulation->event_count++] = (tp_event){.law = i, .kind = kind_of(before, now)};
        if (i < system->fixed_count) complete_event(&all, all.first++, simulation->W);
    }
    int contacts = simulation->event_count - all.first;
    if (contacts > 0) (void)tp_system_contact_point(system, system->fixed_count); /* tasks read them */
    tp_pool_share(system->pool, contacts, EVENTS_OF_TASK, complete_events, &all);
    for (int k = 0; k < simulation->event_count; k++)
        impact_count += simulation->events[k].kind == TP_EVENT_IMPACT;
    return impact_count;
}
