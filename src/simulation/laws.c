/* Memory by law. Contacts between shapes come and go: before each step they are looked for, and what is kept
   by law moves to the new numbers, array by array into a spare one, so that nothing is allocated unless there
   are more contacts than ever. */
#include "integrator/correction.h"
#include "integrator/event_phase.h"
#include "simulation/inside.h"

#include <math.h>
#include <string.h>

/* An array with one item a law. What is kept follows its law to its new number; the rest is work, whose
   memory is not even touched until it is needed. */
typedef struct law_array {
    void **items;
    size_t item_bytes;
    bool is_work;
} law_array;

enum { LAW_ARRAYS = 19 + 4 * TP_FORCE_PARTS };

/* Most events of a law in a step: one, or two instants, an accumulation and a graze beside an impact where
   the integrator finds them. */
static size_t events_of_law(const tp_simulation *simulation)
{
    return simulation->integrator->events != NULL ? 4 : 1;
}

static void list_arrays(tp_simulation *simulation, law_array *arrays)
{
    tp_watch *watch = &simulation->watch;
    const size_t rows = TP_LAW_ROWS * sizeof(double),
                 forces = simulation->integrator->info.keeps_forces ? rows : 0,
                 part_forces = tp_simulation_divides(simulation->integrator) ? forces : 0;
    const law_array others[] = {
        {(void **)&simulation->kept, forces > 0, true},
        {(void **)&simulation->axis, 1, false},
        {(void **)&simulation->mode, 1, false},
        {(void **)&watch->length, sizeof(double), false},
        {(void **)&watch->gap_size, sizeof(double), false},
        {(void **)&watch->depth_start, sizeof(double), false},
        {(void **)&watch->sinks, 1, false},
        {(void **)&simulation->events, events_of_law(simulation) * sizeof(tp_event), true},
        {(void **)&simulation->closed, sizeof(tp_restart_contact), true},
    };
    for (int s = 0; s < 5; s++) { /* two states and three parts of a step, the last one without forces */
        tp_state *state = s < 2 ? &simulation->state[s] : &simulation->part[s - 2];
        *arrays++ = (law_array){(void **)&state->impulse, rows, s >= 2};
        *arrays++ = (law_array){(void **)&state->is_closed, 1, s >= 2};
        for (int k = 0; k < TP_FORCE_PARTS && s < 4; k++)
            *arrays++ = (law_array){(void **)&state->force[k], s < 2 ? forces : part_forces, false};
    }
    memcpy(arrays, others, sizeof others);
}

static bool is_kept(const law_array *array)
{
    return !array->is_work && array->item_bytes > 0;
}

/* The spare array of items of a size. */
static tp_spare_array *spare_of(tp_spare_array *spares, size_t item_bytes)
{
    while (spares->item_bytes != 0 && spares->item_bytes != item_bytes) spares++;
    spares->item_bytes = item_bytes;
    return spares;
}

/* Laws that follow one another as they did before, from number `old` on; old < 0: they are new. */
struct tp_law_run {
    int first, end, old;
};

static int find_runs(const tp_system *system, tp_law_run *runs)
{
    int laws = system->law_count, count = 0;
    for (int i = 0, end; i < laws; i = end) {
        int old = tp_system_old_law(system, i);
        for (end = i + 1; end < laws; end++) {
            if (tp_system_old_law(system, end) != (old >= 0 ? old + end - i : -1)) break;
        }
        runs[count++] = (tp_law_run){i, end, old};
    }
    return count;
}

static void move_items(const tp_law_run *runs, int count, size_t bytes, const char *from, char *to)
{
    for (int r = 0; r < count; r++) {
        size_t moved = (size_t)(runs[r].end - runs[r].first) * bytes;
        char *at = to + (size_t)runs[r].first * bytes;
        if (runs[r].old >= 0 && from != NULL)
            memcpy(at, from + (size_t)runs[r].old * bytes, moved);
        else
            memset(at, 0, moved);
    }
}

/* Each array moves into the spare one of its size, and its place becomes the spare one. */
static void move_within(tp_simulation *simulation, const law_array *arrays)
{
    int count = find_runs(simulation->stepper.system, simulation->laws_runs);
    for (int k = 0; k < LAW_ARRAYS; k++) {
        if (!is_kept(&arrays[k])) continue;
        tp_spare_array *spare = spare_of(simulation->laws_spare, arrays[k].item_bytes);
        void *left = *arrays[k].items;
        move_items(simulation->laws_runs, count, arrays[k].item_bytes, left, spare->items);
        *arrays[k].items = spare->items;
        spare->items = left;
    }
}

/* The same into new memory with room for so many laws. What fails changes nothing. */
static tp_status move_out(tp_simulation *simulation, const law_array *arrays, int room)
{
    tp_arena arena = tp_arena_make(simulation->laws_arena.allocator);
    tp_spare_array spares[TP_LAW_SIZES] = {{0}};
    void *moved[LAW_ARRAYS];
    tp_law_run *runs = TP_ARENA_RAW(&arena, tp_law_run, room);
    for (int k = 0; k < LAW_ARRAYS; k++) {
        moved[k] = tp_arena_take_raw(&arena, (size_t)room, arrays[k].item_bytes);
        tp_spare_array *spare = is_kept(&arrays[k]) ? spare_of(spares, arrays[k].item_bytes) : NULL;
        if (spare != NULL && spare->items == NULL)
            spare->items = tp_arena_take_raw(&arena, (size_t)room, spare->item_bytes);
    }
    if (tp_arena_status(&arena) != TP_OK) {
        tp_arena_clear(&arena);
        return TP_OUT_OF_MEMORY;
    }
    int count = find_runs(simulation->stepper.system, runs);
    for (int k = 0; k < LAW_ARRAYS; k++) {
        if (is_kept(&arrays[k])) move_items(runs, count, arrays[k].item_bytes, *arrays[k].items, moved[k]);
        *arrays[k].items = moved[k];
    }
    tp_arena_clear(&simulation->laws_arena);
    simulation->laws_arena = arena;
    simulation->laws_runs = runs;
    memcpy(simulation->laws_spare, spares, sizeof spares);
    simulation->laws_room = room;
    return TP_OK;
}

/* All of them, with what the laws had under their old numbers; none: a first time. */
static tp_status move_arrays(tp_simulation *simulation)
{
    const tp_system *system = simulation->stepper.system;
    int laws = system->law_count;
    law_array arrays[LAW_ARRAYS];
    list_arrays(simulation, arrays);
    if (simulation->laws_runs != NULL && laws <= simulation->laws_room)
        move_within(simulation, arrays);
    else
        TP_TRY(move_out(simulation, arrays, system->contacts != NULL ? laws + laws / 4 + 16 : laws));
    simulation->event_room = (int)events_of_law(simulation) * laws;
    simulation->event_count = 0;
    return TP_OK;
}

/* What a step needs for the laws that there are now. */
static tp_status take_step_memory(tp_simulation *simulation)
{
    tp_stepper *stepper = &simulation->stepper;
    const tp_integrator *integrator = simulation->integrator;
    int spare = 1 - simulation->step_memory;
    tp_arena *arena = &simulation->step_arena[spare];
    if (!integrator->follows_contacts) tp_arena_clear(arena); /* it was too small */
    tp_arena_reset(arena, 0);
    TP_TRY(tp_step_problem_create(arena, stepper->system, NULL, &stepper->problem));
    stepper->chi = TP_ARENA_RAW(arena, double, stepper->problem->capacity_rows);
    stepper->row_noise = TP_ARENA_RAW(arena, double, stepper->problem->capacity_rows);
    TP_TRY(tp_account_create(arena, stepper->system->u_count, stepper->problem->capacity_sets,
                             &stepper->account));
    if (simulation->options.projection.kind != TP_PROJECTION_NONE)
        TP_TRY(tp_projection_create(stepper, arena));
    if (simulation->options.correction.is_on) TP_TRY(tp_correction_create(stepper, arena));
    if (integrator->prepare != NULL) TP_TRY(integrator->prepare(stepper, arena));
    simulation->step_memory = spare;
    return TP_OK;
}

/* If an integrator takes step memory whenever contacts change, the spare one grows with the one in use, now
   and not in a step with fewer of them; other integrators need none. */
static void tidy_spare(tp_simulation *simulation)
{
    const tp_arena *used = &simulation->step_arena[simulation->step_memory];
    tp_arena *spare = &simulation->step_arena[1 - simulation->step_memory];
    if (!simulation->integrator->follows_contacts)
        tp_arena_clear(spare);
    else if (tp_arena_capacity(spare) < tp_arena_capacity(used))
        tp_arena_reset(spare, tp_arena_capacity(used));
}

tp_status tp_simulation_take_laws(tp_simulation *simulation)
{
    tp_stepper *stepper = &simulation->stepper;
    const tp_system *system = stepper->system;
    tp_stepper before = *stepper;
    int memory_before = simulation->step_memory;
    bool has_room = stepper->problem != NULL && tp_step_problem_fits(stepper->problem, system);
    tp_status status = TP_OK;
    if (!has_room || simulation->integrator->follows_contacts) status = take_step_memory(simulation);
    if (status == TP_OK) status = move_arrays(simulation);
    if (status != TP_OK) { /* as if nothing had been asked for: the memory of before is still there */
        *stepper = before;
        simulation->step_memory = memory_before;
        return status;
    }
    tidy_spare(simulation);
    stepper->system->held_axis = simulation->axis;
    tp_account_begin(&stepper->account, system->pool, system->law_count);
    tp_watch_see_lengths(simulation);
    return TP_OK;
}

/* Tangential components from frame to frame with the same normal; contacts-geometry.md (1c). */
static void turn_pair(const tp_mat3 *from, const tp_mat3 *to, double *pair)
{
    double cosine = tp_vec3_dot(from->cy, to->cy), sine = tp_vec3_dot(from->cz, to->cy), first = pair[0],
           second = pair[1];
    pair[0] = cosine * first + sine * second;
    pair[1] = cosine * second - sine * first;
}

/* Tangential rows of a law, and rolling ones. */
static void turn_rows(const tp_law *law, const tp_mat3 *from, const tp_mat3 *to, double *rows)
{
    for (int k = 1; k + 1 < law->row_count; k += 2) /* (N, T1, T2[, tau | R1, R2]) */
        turn_pair(from, to, rows + k);
}

/* What the integrator keeps of a law: rows, or modes with a direction among them. */
static void turn_kept(const tp_simulation *simulation, const tp_law *law, const tp_mat3 *from,
                      const tp_mat3 *to, int part, double *kept)
{
    bool is_mode = simulation->integrator->info.keeps_modes && part == TP_FORCE_MEAN;
    if (!is_mode) turn_rows(law, from, to, kept);
    if (is_mode && law->row_count > 2) turn_pair(from, to, kept + TP_LAW_DIRECTION);
}

/* Contacts of one task. */
enum { CONTACTS_OF_TASK = 1024 };

typedef struct holding {
    tp_simulation *simulation;
    tp_state *state;
} holding;

static void hold_some(void *context, int begin, int end)
{
    const holding *all = context;
    tp_simulation *simulation = all->simulation;
    tp_system *system = simulation->stepper.system;
    tp_state *state = all->state;
    const tp_vec3 axes[] = {[TP_AXIS_X] = {1.0, 0.0, 0.0}, [TP_AXIS_Y] = {0.0, 1.0, 0.0}};
    for (int i = system->fixed_count + begin; i < system->fixed_count + end; i++) {
        tp_held_axis held = simulation->axis[i], next = TP_AXIS_OF_NORMAL;
        bool is_kept = tp_simulation_keeps_law(simulation, state, i);
        const tp_contact_point *at = is_kept ? tp_system_contact_point(system, i) : NULL;
        if (is_kept && !isinf(at->gap)) next = tp_frame_axis(at->normal).x > 0.0 ? TP_AXIS_X : TP_AXIS_Y;
        simulation->axis[i] = (unsigned char)next;
        if (held == next || held == TP_AXIS_OF_NORMAL || next == TP_AXIS_OF_NORMAL) continue;
        if (tp_system_pair(system, i)->is_planar) continue; /* its tangent has no axis */
        tp_mat3 old = tp_frame_from_axis(at->normal, axes[held]),
                new = tp_frame_from_axis(at->normal, axes[next]);
        const tp_law *law = tp_system_law(system, i);
        turn_rows(law, &old, &new, state->impulse + (size_t)i * TP_LAW_ROWS);
        for (int k = 0; k < TP_FORCE_PARTS && simulation->integrator->info.keeps_forces; k++)
            turn_kept(simulation, law, &old, &new, k, TP_STATE_FORCE(state, i, k));
    }
}

void tp_simulation_hold_tangents(tp_simulation *simulation, tp_state *state)
{
    tp_system *system = simulation->stepper.system;
    int contacts = system->law_count - system->fixed_count;
    holding all = {simulation, state};
    if (contacts > 0) (void)tp_system_contact_point(system, system->fixed_count); /* tasks read them */
    tp_pool_share(system->pool, contacts, CONTACTS_OF_TASK, hold_some, &all);
}

/* The reach of a step: contacts that it may see, and those that are closed by the tolerance of gaps. */
static tp_contact_reach reach_of(const tp_simulation *simulation, double dt)
{
    double ahead = simulation->integrator->reach, tolerance = simulation->options.contact_tolerance;
    if (simulation->integrator->reach_of != NULL)
        ahead = simulation->integrator->reach_of(&simulation->options);
    double size = simulation->model->summary.size, margin = fmax(tolerance, 0.0) * size;
    if (simulation->options.correction.is_on) { /* it moves bodies as far as they are off, or twice that */
        const tp_step_report *last = &simulation->last;
        double error = fmax(last->penetration, last->position_error);
        margin = fmax(margin, 2.0 * fmin(error, simulation->options.correction.limit * size));
    }
    /* the remainder of a row may be short, but not what an integrator sees ahead */
    if (simulation->integrator->info.chooses_steps) dt = fmax(dt, simulation->options.time_step);
    return (tp_contact_reach){.time = ahead * dt, .margin = margin};
}

bool tp_simulation_keeps_law(const tp_simulation *simulation, const tp_state *state, int law)
{
    if (state->is_closed[law] || !simulation->integrator->info.keeps_forces) return state->is_closed[law];
    const double *mean = TP_STATE_FORCE(state, law, TP_FORCE_MEAN);
    for (int k = 0; k < TP_LAW_ROWS; k++) {
        if (mean[k] != 0.0) return true;
    }
    return false;
}

/* The memory of laws follows the contacts, which have changed; the system is at the present state. */
static tp_status follow_contacts(tp_simulation *simulation)
{
    tp_system *system = simulation->stepper.system;
    const tp_state *state = &simulation->state[simulation->present];
    tp_status status = tp_simulation_take_laws(simulation);
    if (status != TP_OK) {
        tp_system_undo_contacts(system);
        return status;
    }
    for (int i = system->fixed_count; i < system->law_count; i++) {
        if (tp_system_old_law(system, i) < 0) tp_simulation_begin_mode(simulation, state, i);
    }
    return TP_OK;
}

tp_status tp_simulation_find_contacts(tp_simulation *simulation, double dt)
{
    const tp_state *state = &simulation->state[simulation->present];
    if (simulation->stepper.system->contacts == NULL) return TP_OK;
    tp_system *system = tp_simulation_system(simulation);
    tp_contact_reach reach = reach_of(simulation, dt);
    bool changed;
    const unsigned char *kept = state->is_closed;
    for (int i = 0; i < system->law_count && simulation->integrator->info.keeps_forces; i++) {
        simulation->kept[i] = tp_simulation_keeps_law(simulation, state, i);
        kept = simulation->kept;
    }
    TP_TRY(tp_system_find_contacts(system, &reach, kept, &changed));
    return changed ? follow_contacts(simulation) : TP_OK;
}

tp_status tp_simulation_find_missed(tp_simulation *simulation, const tp_state *to, bool *is_changed_out)
{
    tp_system *system = simulation->stepper.system;
    const tp_state *from = &simulation->state[simulation->present];
    *is_changed_out = false;
    if (system->contacts == NULL || simulation->integrator->moved_to == NULL) return TP_OK;
    const double *q = simulation->integrator->moved_to(&simulation->stepper, to);
    tp_system_move(system, to->t, q, to->u);
    TP_TRY(tp_system_find_missed_contacts(system, reach_of(simulation, 0.0).margin, is_changed_out));
    if (!*is_changed_out) return TP_OK;
    tp_system_move(system, from->t, from->q, from->u);
    return follow_contacts(simulation);
}
