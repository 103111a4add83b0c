/* Checkpoints: all that the next step depends on, taken out of a simulation and put into one;
   docs/theory/simulation.md. */
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <string.h>

/* Contacts between shapes that took part in the last step, or have forces that are kept; returns their
 * number.
 */
static int list_contacts(const tp_simulation *simulation, const tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    int count = 0;
    for (int i = system->fixed_count; i < system->law_count; i++) {
        if (!tp_simulation_keeps_law(simulation, state, i)) continue;
        const tp_near_pair *pair = tp_system_pair(system, i);
        tp_restart_contact *to = &simulation->closed[count++];
        *to = (tp_restart_contact){.shape_a = pair->touch.shape_a,
                                   .shape_b = pair->touch.shape_b,
                                   .feature = tp_system_feature(system, i),
                                   .is_open = !state->is_closed[i]};
        memcpy(to->impulse, state->impulse + (size_t)i * TP_LAW_ROWS, sizeof to->impulse);
        for (int k = 0; k < TP_FORCE_PARTS && simulation->integrator->info.keeps_forces; k++)
            memcpy(to->force[k], TP_STATE_FORCE(state, i, k), sizeof to->force[k]);
    }
    return count;
}

void tp_simulation_checkpoint(const tp_simulation *simulation, tp_restart *restart_out)
{
    const tp_state *state = &simulation->state[simulation->present];
    *restart_out = (tp_restart){.time = state->t,
                                .origin = simulation->origin,
                                .count = simulation->count,
                                .step_size = simulation->step_size,
                                .q_count = tp_model_coordinate_count(simulation->model),
                                .u_count = tp_model_velocity_count(simulation->model),
                                .law_count = simulation->model->laws.count,
                                .q = simulation->q[simulation->present],
                                .u = simulation->u[simulation->present],
                                .state_count = simulation->model->states.count,
                                .multiplier_count = simulation->model->outputs.count,
                                .x = state->x,
                                .multiplier = state->multiplier,
                                .impulse = state->impulse,
                                .is_closed = state->is_closed,
                                .contact_count = list_contacts(simulation, state),
                                .contacts = simulation->closed,
                                .integrator = simulation->integrator->info.name,
                                .force = {state->force[0], state->force[1], state->force[2]},
                                .memory_count = simulation->memory_count,
                                .memory = simulation->memory[simulation->present],
                                .last_step = simulation->last};
}

static tp_status check_finite(const char *what, const double *values, int count, tp_message *why)
{
    for (int i = 0; i < count; i++) {
        if (isfinite(values[i])) continue;
        return tp_fail(why, TP_INVALID_DATA, "entry %d of %s is %g: it must be finite", i + 1, what,
                       values[i]);
    }
    return TP_OK;
}

static tp_status check_size(const char *what, int count, int expected, tp_message *why)
{
    if (count == expected) return TP_OK;
    return tp_fail(why, TP_INVALID_DATA, "there are %d %s, the model has %d", count, what, expected);
}

/* Times and counts that the loop can work with. */
static tp_status check_times(const tp_simulation *simulation, const tp_restart *restart, tp_message *why)
{
    double end = simulation->options.end_time, dt = simulation->options.time_step;
    if (!isfinite(restart->time) || !isfinite(restart->origin))
        return tp_fail(why, TP_INVALID_DATA, "the time is %g, its origin %g: they must be finite",
                       restart->time, restart->origin);
    if (!(restart->step_size > 0.0) || isinf(restart->step_size))
        return tp_fail(why, TP_INVALID_DATA, "the last step is %g s long: it must be a number > 0",
                       restart->step_size);
    if (restart->count < 0 || (double)restart->count > tp_most_steps)
        return tp_fail(why, TP_INVALID_DATA, "%lld steps were done", restart->count);
    if (fabs(end - restart->time) / dt > tp_most_steps || fabs(end - restart->origin) / dt > tp_most_steps)
        return tp_fail(why, TP_INVALID_DATA, "the time %g s is more than 1e15 steps from the end",
                       restart->time);
    return TP_OK;
}

static int lower(const tp_restart_contact *contact)
{
    return contact->shape_a < contact->shape_b ? contact->shape_a : contact->shape_b;
}

static int higher(const tp_restart_contact *contact)
{
    return contact->shape_a < contact->shape_b ? contact->shape_b : contact->shape_a;
}

/* Order of contacts: negative, 0 or positive. */
static int compare(const tp_restart_contact *a, const tp_restart_contact *b)
{
    if (lower(a) != lower(b)) return lower(a) < lower(b) ? -1 : 1;
    if (higher(a) != higher(b)) return higher(a) < higher(b) ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

static tp_status check_contacts(const tp_simulation *simulation, const tp_restart *restart, tp_message *why)
{
    const tp_model *model = simulation->model;
    for (int i = 0; i < restart->contact_count; i++) {
        const tp_restart_contact *contact = &restart->contacts[i];
        int low = lower(contact), high = higher(contact);
        bool has_shapes = low >= 0 && high < model->shapes.count && low != high;
        tp_touch touch = has_shapes ? tp_model_touch(model, low, high) : (tp_touch){0};
        if (touch.law == NULL || touch.shape_a != contact->shape_a || contact->feature < 0 ||
            contact->feature >=
                tp_collide_feature_count(&TP_LIST_AT(model->shapes, tp_model_shape, low)->solid,
                                         &TP_LIST_AT(model->shapes, tp_model_shape, high)->solid))
            return tp_fail(why, TP_INVALID_DATA,
                           "contact %d is between the shapes %d and %d, point %d, which this model does not "
                           "have",
                           i + 1, contact->shape_a, contact->shape_b, contact->feature);
        if (i > 0 && compare(&restart->contacts[i - 1], contact) >= 0)
            return tp_fail(why, TP_INVALID_DATA, "contact %d does not come after the one before it", i + 1);
        TP_TRY(check_finite("the impulse of a contact", contact->impulse, touch.law->row_count, why));
    }
    return TP_OK;
}

static tp_status check_state(const tp_simulation *simulation, const tp_restart *restart, tp_message *why)
{
    int laws = simulation->model->laws.count, q_count = tp_model_coordinate_count(simulation->model),
        u_count = tp_model_velocity_count(simulation->model);
    TP_TRY(check_size("coordinates", restart->q_count, q_count, why));
    TP_TRY(check_size("velocities", restart->u_count, u_count, why));
    TP_TRY(check_size("laws", restart->law_count, laws, why));
    TP_TRY(check_finite("q", restart->q, q_count, why));
    TP_TRY(check_finite("u", restart->u, u_count, why));
    int states = simulation->model->states.count, multipliers = simulation->model->outputs.count;
    TP_TRY(check_size("states", restart->state_count, states, why));
    TP_TRY(check_size("multipliers", restart->multiplier_count, multipliers, why));
    TP_TRY(check_finite("x", restart->x, states, why));
    TP_TRY(check_finite("the multipliers", restart->multiplier, multipliers, why));
    TP_TRY(check_finite("the impulses", restart->impulse, laws * TP_LAW_ROWS, why));
    for (int i = 0; i < laws; i++) {
        if (restart->is_closed[i] <= 1) continue;
        return tp_fail(why, TP_INVALID_DATA, "law %d is closed: %d, which is neither 0 nor 1", i + 1,
                       restart->is_closed[i]);
    }
    TP_TRY(check_contacts(simulation, restart, why));
    return check_times(simulation, restart, why);
}

static const tp_named_values *find_memory(const tp_restart *restart, const char *name)
{
    for (int i = 0; i < restart->memory_count; i++) {
        if (strcmp(restart->memory[i].name, name) == 0) return &restart->memory[i];
    }
    return NULL;
}

/* Are the columns orthonormal and right-handed, to far more than rounding? */
static bool is_rotation(tp_mat3 D)
{
    double product[9];
    tp_mat3_to_array(tp_mat3_multiply(tp_mat3_transpose(D), D), product);
    for (int k = 0; k < 9; k++) {
        if (!(fabs(product[k] - (k % 4 == 0 ? 1.0 : 0.0)) <= tp_rotation_error)) return false;
    }
    return tp_mat3_determinant(D) > 0.0;
}

/* Directions of affine bodies that no step can have led to: it holds them to rounding. */
static tp_status check_directions(const tp_simulation *simulation, const double *q, tp_message *why)
{
    for (int b = 0; b < simulation->realised->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(simulation->realised->bodies, tp_body, b);
        if (body->kind != TP_BODY_AFFINE || is_rotation(tp_mat3_from_array(q + body->q_first + 3))) continue;
        return tp_fail(why, TP_INVALID_DATA,
                       "the directions of body '%s' in \"affine_q\" are not orthonormal and right-handed",
                       body->name);
    }
    return TP_OK;
}

/* The memory is that of this integrator, no more and no less. */
static tp_status check_memory(const tp_simulation *simulation, const tp_restart *restart, tp_message *why)
{
    for (int i = 0; i < simulation->memory_count; i++) {
        const tp_named_values *own = &simulation->memory[0][i], *given = find_memory(restart, own->name);
        if (given == NULL || given->count != own->count) {
            return tp_fail(why, TP_INVALID_DATA,
                           "the memory \"%s\" of the integrator %s has %d entries, not %d", own->name,
                           simulation->integrator->info.name, own->count, given != NULL ? given->count : 0);
        }
        TP_TRY(check_finite(own->name, given->values, given->count, why));
        if (i == simulation->realised_memory) TP_TRY(check_directions(simulation, given->values, why));
    }
    if (restart->memory_count == simulation->memory_count) return TP_OK;
    return tp_fail(why, TP_INVALID_DATA, "there are %d arrays of memory, the integrator %s has %d",
                   restart->memory_count, simulation->integrator->info.name, simulation->memory_count);
}

static tp_status put_memory(tp_simulation *simulation, const tp_restart *restart, bool is_own,
                            tp_state *state)
{
    for (int i = 0; i < simulation->memory_count; i++) {
        const tp_named_values *own = &simulation->memory[0][i];
        size_t bytes = (size_t)own->count * sizeof(double);
        const tp_named_values *given = find_memory(restart, own->name);
        bool is_input = simulation->model->inputs.count > 0 && i >= simulation->input_memory &&
                        i < simulation->input_memory + 2;
        bool is_shared = (is_input || i == simulation->angle_memory) && given != NULL &&
                         given->count == own->count; /* whatever the integrator */
        if (!is_own && simulation->realised_memory >= 0 && i >= simulation->realised_memory)
            continue; /* made of what is shown */
        if (is_own || is_shared) {
            memmove(state->memory[i], given->values, bytes);
        } else if (is_input) {
            for (int k = 0; k < own->count; k++)
                state->memory[i][k] = tp_model_input_default(simulation->model, k);
        } else {
            memset(state->memory[i], 0, bytes);
        }
    }
    if (simulation->model->inputs.count > 0)
        tp_system_set_inputs(simulation->stepper.system, state->memory[simulation->input_memory]);
    if (simulation->angle_memory >= 0) /* those of another integrator's run, or nothing known of turns */
        tp_system_refer_angles(simulation->stepper.system, state->memory[simulation->angle_memory]);
    if (!is_own) tp_simulation_count_turns(simulation, state);
    const tp_integrator *integrator = simulation->integrator;
    return is_own || integrator->start == NULL ? TP_OK : integrator->start(&simulation->stepper, state);
}

/* The pair of a contact. */
static tp_pair_key key_of(const tp_model *model, const tp_restart_contact *contact)
{
    int slots = tp_collide_slot_count(&TP_LIST_AT(model->shapes, tp_model_shape, contact->shape_a)->solid,
                                      &TP_LIST_AT(model->shapes, tp_model_shape, contact->shape_b)->solid);
    return (tp_pair_key){lower(contact), higher(contact), contact->feature / slots};
}

/* Ascending pairs of the contacts that are closed now or in the state to come, each once; returns their
 * number.
 */
static int list_pairs(const tp_simulation *simulation, const tp_restart *restart, tp_pair_key *pairs)
{
    tp_restart now;
    tp_simulation_checkpoint(simulation, &now);
    int count = 0, i = 0, j = 0;
    while (i < now.contact_count || j < restart->contact_count) {
        bool takes_now = j == restart->contact_count ||
                         (i < now.contact_count && compare(&now.contacts[i], &restart->contacts[j]) < 0);
        const tp_restart_contact *next = takes_now ? &now.contacts[i++] : &restart->contacts[j++];
        tp_pair_key key = key_of(simulation->model, next);
        const tp_pair_key *last = count > 0 ? &pairs[count - 1] : NULL;
        bool is_new =
            last == NULL || last->low != key.low || last->high != key.high || last->part != key.part;
        if (is_new) pairs[count++] = key;
    }
    return count;
}

/* The system has the contacts of the state, and those of the present one, which may stay. */
static tp_status take_contacts(tp_simulation *simulation, const tp_restart *restart)
{
    tp_system *system = simulation->stepper.system;
    if (system->contacts == NULL) return TP_OK;
    tp_arena scratch = tp_arena_make(simulation->allocator);
    tp_pair_key *pairs =
        TP_ARENA_ARRAY(&scratch, tp_pair_key, restart->contact_count + system->law_count + 1);
    tp_status status = pairs != NULL ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK)
        status = tp_system_set_contacts(system, list_pairs(simulation, restart, pairs), pairs);
    tp_arena_clear(&scratch);
    if (status != TP_OK) return status;
    status = tp_simulation_take_laws(simulation);
    if (status != TP_OK) tp_system_undo_contacts(system);
    return status;
}

/* Impulses of contacts of the state; all others are open. */
static void put_contacts(const tp_simulation *simulation, const tp_restart *restart, tp_state *state)
{
    const tp_system *system = simulation->stepper.system;
    int next = 0;
    for (int i = system->fixed_count; i < system->law_count; i++) {
        const tp_near_pair *pair = tp_system_pair(system, i);
        const tp_restart_contact own = {.shape_a = pair->touch.shape_a,
                                        .shape_b = pair->touch.shape_b,
                                        .feature = tp_system_feature(system, i)};
        double *impulse = state->impulse + (size_t)i * TP_LAW_ROWS;
        size_t bytes = (size_t)pair->touch.law->row_count * sizeof(double);
        bool has_forces = simulation->integrator->info.keeps_forces,
             is_there = next < restart->contact_count && compare(&own, &restart->contacts[next]) == 0;
        memset(impulse, 0, TP_LAW_ROWS * sizeof(double));
        for (int k = 0; k < TP_FORCE_PARTS && has_forces; k++)
            memset(TP_STATE_FORCE(state, i, k), 0, TP_LAW_ROWS * sizeof(double));
        state->is_closed[i] = is_there && !restart->contacts[next].is_open;
        if (!is_there) continue;
        memcpy(impulse, restart->contacts[next].impulse, bytes);
        for (int k = 0; k < TP_FORCE_PARTS && has_forces; k++)
            memcpy(TP_STATE_FORCE(state, i, k), restart->contacts[next].force[k],
                   sizeof restart->contacts[next].force[k]); /* modes are more than rows */
        next++;
    }
}

tp_status tp_simulation_restore(tp_simulation *simulation, const tp_restart *restart, tp_message *why_out)
{
    if (simulation == NULL || restart == NULL)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the simulation or the state is NULL");
    const char *integrator = simulation->integrator->info.name;
    bool is_own = restart->integrator == NULL || strcmp(restart->integrator, integrator) == 0;
    /* A run of the same integrator may have seen rigid bodies in another form. */
    bool was_realised = find_memory(restart, "affine_q") != NULL;
    is_own = is_own && was_realised == (simulation->realised != NULL);
    TP_TRY(check_state(simulation, restart, why_out));
    if (is_own) TP_TRY(check_memory(simulation, restart, why_out));
    for (int k = 0; k < TP_FORCE_PARTS && is_own && simulation->integrator->info.keeps_forces; k++) {
        if (restart->force[k] == NULL)
            return tp_fail(why_out, TP_INVALID_DATA, "the forces of laws are missing, which %s needs",
                           integrator);
        TP_TRY(
            check_finite("the forces of laws", restart->force[k], restart->law_count * TP_LAW_ROWS, why_out));
    }
    if (is_own && !tp_simulation_fits_step(simulation, restart->step_size)) {
        return tp_fail(why_out, TP_INVALID_DATA,
                       "its steps are %.9g s long, and %s cannot change that to %.9g s", restart->step_size,
                       integrator, simulation->options.time_step);
    }

    /* Into the state that the next step would write: a failure changes nothing. */
    tp_status taken = take_contacts(simulation, restart);
    if (taken != TP_OK) return tp_fail(why_out, taken, "%s", tp_status_text(taken));
    for (int i = 0; i < simulation->stepper.system->law_count; i++) simulation->axis[i] = TP_AXIS_OF_NORMAL;
    tp_state *state = &simulation->state[1 - simulation->present];
    size_t laws = (size_t)restart->law_count;
    state->t = restart->time;
    tp_simulation_put(simulation, state, restart->q, restart->u);
    if (restart->state_count > 0)
        memmove(state->x, restart->x, (size_t)restart->state_count * sizeof(double));
    if (restart->multiplier_count > 0)
        memmove(state->multiplier, restart->multiplier, (size_t)restart->multiplier_count * sizeof(double));
    tp_simulation_show_states(simulation, state);
    memmove(state->impulse, restart->impulse, laws * TP_LAW_ROWS * sizeof(double));
    memmove(state->is_closed, restart->is_closed, laws);
    for (int k = 0; k < TP_FORCE_PARTS && is_own && simulation->integrator->info.keeps_forces; k++)
        memmove(state->force[k], restart->force[k], laws * TP_LAW_ROWS * sizeof(double));
    put_contacts(simulation, restart, state);
    tp_status status = put_memory(simulation, restart, is_own, state);
    if (status != TP_OK)
        return tp_fail(why_out, status, "the integrator %s cannot start at t = %.9g s: %s", integrator,
                       restart->time, tp_status_text(status));

    simulation->present = 1 - simulation->present;
    simulation->is_at_start = false;
    simulation->origin = restart->origin;
    simulation->count = restart->count;
    simulation->step_size = restart->step_size;
    simulation->last = restart->last_step;
    tp_simulation_begin_report(simulation);
    tp_simulation_system(simulation); /* moves it to the state */
    tp_simulation_hold_tangents(simulation, state);
    return TP_OK;
}
