/* Errors of joints and contacts at every state, against the sizes of what they belong to. */
#include "simulation/inside.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tp_status tp_watch_create(tp_simulation *simulation)
{
    tp_watch *watch = &simulation->watch;
    const tp_system *system = simulation->stepper.system;
    watch->has_sizes = system->fixed_count > 0 || !tp_shapes_have_lengths(simulation->model);
    TP_ARENA_DOUBLES(&simulation->arena, watch->has_sizes ? system->u_count : 0, &watch->size, &watch->rate);
    watch->mass = TP_ARENA_ARRAY(&simulation->arena, double, system->general_u);
    TP_ARENA_DOUBLES(&simulation->arena, system->fixed_count, &watch->row_size, &watch->speed, &watch->spin);
    watch->thinnest = tp_shape_length_least(simulation->model);
    return tp_arena_status(&simulation->arena);
}

void tp_watch_see_lengths(tp_simulation *simulation)
{
    for (int i = 0; i < simulation->stepper.system->law_count; i++) {
        double *length = &simulation->watch.length[i];
        if (*length == 0.0) *length = tp_law_length(simulation, i);
    }
}

void tp_watch_begin(tp_simulation *simulation, const tp_state *state)
{
    tp_watch *watch = &simulation->watch;
    tp_system_move(simulation->stepper.system, state->t, state->q, state->u);
    tp_watch_see_inertia(watch, &simulation->stepper);
    watch->begin_time = state->t;
    size_t bytes = (size_t)simulation->stepper.system->fixed_count * sizeof(double);
    memset(watch->row_size, 0, bytes);
    memset(watch->speed, 0, bytes);
    memset(watch->spin, 0, bytes);
    watch->kinetic_most = 0.0;
    watch->potential_least = INFINITY;
    watch->potential_most = -INFINITY;
    watch->applied = watch->balance = watch->balance_least = watch->balance_most = watch->free_balance =
        watch->free_most = watch->impact_loss = 0.0;
    memset(watch->unexplained, 0, sizeof watch->unexplained);
    watch->before[0] = watch->before[1] = watch->power = 0.0;
}

int tp_watch_warn(tp_simulation *simulation, const tp_finding *found)
{
    tp_warning warning = tp_warning_of(found->kind);
    warning.time = found->time;
    warning.figure = found->figure;
    if (found->unit != NULL) warning.unit = found->unit;
    snprintf(warning.subject, sizeof warning.subject, "%s", found->subject);
    return tp_simulation_place_warning(simulation, &warning);
}

void tp_watch_name(const tp_system *system, int law, char *name_out)
{
    tp_system_law_name(system, law, name_out, TP_CONTACT_NAME);
    char *bracket = strrchr(name_out, '[');
    if (tp_system_pair(system, law) != NULL && bracket != NULL) *bracket = '\0';
}

/* Largest sum |W_j| size_j of the rows of a law, with one size for each velocity. */
static double row_size(const tp_system *system, const tp_law_state *at, const double *size)
{
    const int *columns, count = tp_system_columns_of(system, at->law, &columns);
    double most = 0.0;
    for (int k = 0; k < tp_system_law(system, at->law)->row_count; k++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) sum += fabs(at->W[k * count + j]) * size[columns[j]];
        most = fmax(most, sum);
    }
    return most;
}

/* Speeds of the bodies of a joint, with those of points at the distance of its size; of other laws those of
   their rows. */
static void see_speeds(tp_simulation *simulation, const tp_law_state *at)
{
    tp_watch *watch = &simulation->watch;
    const tp_system *system = simulation->stepper.system;
    const tp_law *law = tp_system_law(system, at->law);
    double speed = 0.0, spin = 0.0;
    if (law->source == TP_SOURCE_JOINT) {
        const tp_model_joint *joint = TP_LIST_AT(system->model->joints, tp_model_joint, law->element);
        int bodies[] = {joint->body_a, joint->body_b};
        for (int k = 0; k < 2; k++) {
            const tp_body_state *body = tp_system_body(system, bodies[k]);
            spin = fmax(spin, tp_vec3_norm(body->w));
            speed = fmax(speed, tp_vec3_norm(body->v) + watch->length[at->law] * tp_vec3_norm(body->w));
        }
    } else {
        speed = spin = row_size(system, at, watch->rate);
    }
    watch->speed[at->law] = fmax(watch->speed[at->law], speed);
    watch->spin[at->law] = fmax(watch->spin[at->law], spin);
}

/* Norm of the rows that are angles, or of those that are not. */
static double row_norm(const tp_law *law, const double *values, bool of_angles)
{
    double sum = 0.0;
    for (int k = 0; k < law->row_count; k++) {
        if (tp_law_is_angle(law, k) == of_angles) sum = hypot(sum, values[k]);
    }
    return sum;
}

static void see_positions(tp_simulation *simulation, const tp_law_state *at, double length, double angle)
{
    const tp_law *law = tp_system_law(simulation->stepper.system, at->law);
    double least = simulation->options.projection.tolerance; /* a projection may leave this */
    double opening = row_norm(law, at->g, false), bend = row_norm(law, at->g, true);
    if (opening > tp_joint_fraction * length + least * simulation->model->summary.size)
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_JOINT_TORN, law->name, opening, NULL, at->t});
    if (bend > tp_joint_fraction * angle + least)
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_JOINT_BENT, law->name, bend, NULL, at->t});
}

/* Motions that begin slowly have speeds that say nothing: an error counts that would have moved the joint by
   a part of its size since the run began. */
static void see_velocities(tp_simulation *simulation, const tp_law_state *at, double length, double angle)
{
    const tp_watch *watch = &simulation->watch;
    const tp_law *law = tp_system_law(simulation->stepper.system, at->law);
    double since = at->t - watch->begin_time;
    double speed = row_norm(law, at->gamma, false), spin = row_norm(law, at->gamma, true);
    if (speed * since > tp_joint_speed_fraction * (watch->speed[at->law] * since + length))
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_JOINT_VELOCITY, law->name, speed, NULL, at->t});
    if (spin * since > tp_joint_speed_fraction * (watch->spin[at->law] * since + angle))
        tp_watch_warn(simulation, &(tp_finding){TP_WARNING_JOINT_VELOCITY, law->name, spin, "rad/s", at->t});
}

void tp_watch_joint(tp_simulation *simulation, const tp_law_state *at)
{
    tp_watch *watch = &simulation->watch;
    const tp_system *system = simulation->stepper.system;
    const tp_law *law = tp_system_law(system, at->law);
    double length = watch->length[at->law];
    if (!(length > 0.0)) {
        watch->row_size[at->law] = fmax(watch->row_size[at->law], row_size(system, at, watch->size));
        length = watch->row_size[at->law];
    }
    double angle = law->source == TP_SOURCE_JOINT ? 1.0 : length;
    see_speeds(simulation, at);
    if (law->level == TP_LEVEL_POSITION) see_positions(simulation, at, length, angle);
    bool is_shown =
        law->source != TP_SOURCE_RIGIDITY; /* an affine body may shear at rates that are not shown */
    if (is_shown) see_velocities(simulation, at, length, angle);
}

/* The size of a gap that no shape tells: that of its terms in the initial state, or the way it would go in
   the run with its first speeds; and its largest value so far. */
static double gap_length(tp_simulation *simulation, int law, double gap)
{
    tp_watch *watch = &simulation->watch;
    const tp_system *system = simulation->stepper.system;
    if (watch->length[law] > 0.0) return watch->length[law];
    bool is_new = tp_system_pair(system, law) != NULL && isfinite(gap) && watch->gap_size[law] == 0.0;
    if (!watch->has_start || is_new) {
        double chi[TP_LAW_ROWS], duration = simulation->options.end_time - watch->begin_time;
        tp_system_law_rows(simulation->stepper.system, law, simulation->W, chi);
        const tp_law_state at = {.law = law, .W = simulation->W};
        double size = row_size(system, &at, watch->size);
        watch->gap_size[law] = size > 0.0 ? size : row_size(system, &at, watch->rate) * duration;
    }
    if (isfinite(gap)) watch->gap_size[law] = fmax(watch->gap_size[law], gap);
    return watch->gap_size[law] > 0.0 ? watch->gap_size[law] : INFINITY;
}

/* How deep a contact with such a length may sink. */
static double depth_allowed(const tp_simulation *simulation, int index, double length)
{
    return tp_depth_fraction * length + fmax(tp_stepper_closing_gap(&simulation->stepper, index), 0.0);
}

bool tp_watch_is_quiet(const tp_simulation *simulation, int index, double gap)
{
    const tp_watch *watch = &simulation->watch;
    int first = index - tp_system_slot(simulation->stepper.system, index);
    double length = watch->length[index], depth = fmax(-gap, 0.0);
    return watch->has_start && length > 0.0 &&
           !(depth - watch->depth_start[first] > depth_allowed(simulation, index, length));
}

void tp_watch_gap(tp_simulation *simulation, double t, int index, double gap)
{
    tp_watch *watch = &simulation->watch;
    const tp_system *system = simulation->stepper.system;
    const tp_law *law = tp_system_law(system, index);
    const tp_near_pair *pair = tp_system_pair(system, index);
    double length = gap_length(simulation, index, gap), depth = fmax(-gap, 0.0);
    int first = index;
    if (pair != NULL) { /* its points follow one another */
        int slot = tp_system_slot(system, index);
        depth = watch->pair_depth = slot > 0 ? fmax(watch->pair_depth, depth) : depth;
        if (slot + 1 < pair->point_count) return;
        first = index - slot;
    }
    if (!watch->has_start) watch->depth_start[first] = depth;
    double sunk = depth - watch->depth_start[first];
    if (!(sunk > depth_allowed(simulation, index, length))) return;
    if (tp_simulation_warn_again(simulation, watch->sinks[first], depth)) return;
    char name[TP_CONTACT_NAME];
    tp_watch_name(system, index, name);
    const char *unit = tp_law_is_angle(law, 0) ? "rad" : NULL;
    watch->sinks[first] = (unsigned char)tp_watch_warn(
        simulation, &(tp_finding){TP_WARNING_CONTACT_SINKS, name, depth, unit, t});
}
