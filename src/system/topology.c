/* What is connected in a model; theory/topology.md. */
#include "tippe/topology.h"

#include "math/dense.h"
#include "math/factor.h"
#include "system.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Contacts between shapes count that are nearer than the size of the scene, as long as the shapes are no more
   than these; of more shapes those that touch. */
enum { SHAPES_MAX = 100 };

struct tp_topology {
    tp_arena arena;
    const tp_model *model;
    tp_system *system;
    double tolerance;
    int velocity_count, interaction_count, row_count, system_count;
    int *parent, *system_of; /* [velocity_count] */
    unsigned char *uses; /* [interaction_count * velocity_count] interaction i uses system s: i + s * count */
    tp_interaction *items;           /* [interaction_count] */
    double *M, *stiffness, *damping; /* scratch, in the patterns of the system */
    tp_factor *inverse_mass;         /* at the start */
    double *q_beside, *u_beside;     /* [n], [m] */
    double *W;                       /* [TP_LAW_ROWS*m] */
};

/* --- systems: a forest in which every velocity points to a smaller one of its system */

static int root_of(const int *parent, int j)
{
    while (parent[j] != j) j = parent[j];
    return j;
}

static void couple(int *parent, int a, int b)
{
    int i = root_of(parent, a), j = root_of(parent, b);
    parent[i < j ? j : i] = i < j ? i : j;
}

/* Velocities with entries in M or in the derivatives of the forces at the present point. */
static void couple_pattern(const tp_sparse *pattern, const double *value, int *parent)
{
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            if (value[k] != 0.0) couple(parent, pattern->index[k], j);
        }
    }
}

static void couple_at_point(tp_topology *topology, int *parent, bool has_derivatives)
{
    tp_system *system = topology->system;
    tp_system_mass(system, topology->M);
    couple_pattern(&system->mass_pattern, topology->M, parent);
    if (has_derivatives) {
        tp_system_force_jacobian(system, topology->stiffness, topology->damping);
        couple_pattern(&system->jacobian_pattern, topology->stiffness, parent);
        couple_pattern(&system->jacobian_pattern, topology->damping, parent);
    }
    for (int j = 1; j < system->u_count && !has_derivatives; j++) couple(parent, 0, j);
}

/* At the start and at a point beside it, where entries that vanish by chance do not. C functions without
   second derivatives may couple anything: then there is one system. */
static void find_systems(tp_topology *topology)
{
    const tp_model *model = topology->model;
    int n = topology->system->q_count, m = topology->velocity_count, *parent = topology->parent;
    bool has_derivatives = tp_system_check_force_jacobian(model, NULL) == TP_OK;
    for (int j = 0; j < m; j++) parent[j] = j;
    tp_system_move(topology->system, 0.0, model->q0, model->u0);
    couple_at_point(topology, parent, has_derivatives);
    for (int i = 0; i < n; i++) topology->q_beside[i] = model->q0[i] + 0.01 + 0.003 * (i % 7);
    for (int j = 0; j < m; j++) topology->u_beside[j] = model->u0[j] + 0.3 + 0.07 * (j % 5);
    tp_system_move(topology->system, 0.0, topology->q_beside, topology->u_beside);
    couple_at_point(topology, parent, has_derivatives);

    topology->system_count = 0; /* the first velocity of a system is its root */
    for (int j = 0; j < m; j++) {
        int root = root_of(parent, j);
        topology->system_of[j] = root == j ? topology->system_count++ : topology->system_of[root];
    }
}

/* --- interactions */

static const tp_spring_contact *spring_of(const tp_topology *topology, int interaction)
{
    int i = interaction - topology->system->law_count;
    return i >= 0 ? TP_LIST_AT(topology->model->springs, tp_spring_contact, i) : NULL;
}

/* Notes the systems whose velocities the rows touch. */
static void note_systems(tp_topology *topology, int interaction)
{
    const int *columns, count = tp_system_columns_of(topology->system, interaction, &columns);
    for (int k = 0; k < count; k++)
        topology->uses[interaction + topology->system_of[columns[k]] * topology->interaction_count] = 1;
}

static tp_interaction_kind kind_of(const tp_law *law)
{
    if (law->level == TP_LEVEL_GAP) return TP_INTERACTION_CONTACT;
    return law->set.kind == TP_SET_FREE ? TP_INTERACTION_CONSTRAINT : TP_INTERACTION_LAW;
}

/* y and its row at the system's present point; returns y', NaN for laws without y. */
static double position_and_rate(tp_topology *topology, int interaction, double *position_out)
{
    double chi[TP_LAW_ROWS];
    int laws = topology->system->law_count;
    if (interaction >= laws) {
        *position_out = tp_system_spring_gap(topology->system, interaction - laws);
        tp_system_spring_row(topology->system, interaction - laws, topology->W, chi);
    } else {
        *position_out = tp_system_law_position(topology->system, interaction);
        tp_system_law_rows(topology->system, interaction, topology->W, chi);
    }
    return tp_row_velocity(tp_system_law_column_count(topology->system, interaction),
                           tp_system_law_columns(topology->system, interaction), topology->W,
                           topology->system->u) +
           chi[0];
}

/* From the Markov parameters of x = (y, y') or y' along the row, theory/topology.md (3): D of a compliant
   contact, else W^T M^-1 W after one integration for a velocity, two for a position. */
static int degree_of(tp_topology *topology, int interaction)
{
    int m = topology->velocity_count, count = tp_system_law_column_count(topology->system, interaction);
    const int *columns = tp_system_law_columns(topology->system, interaction);
    double *along = topology->u_beside; /* M^-1 W */
    const tp_spring_contact *spring = spring_of(topology, interaction);
    if (spring != NULL) return spring->compliance > 0.0 ? 0 : TP_DEGREE_NONE;
    memset(along, 0, (size_t)m * sizeof(double));
    for (int k = 0; k < count; k++) along[columns[k]] = topology->W[k];
    tp_factor_solve(topology->inverse_mass, along);
    double product = tp_row_velocity(count, columns, topology->W, along),
           size = tp_dense_norm(count, topology->W) * tp_dense_norm(m, along);
    if (!(product > tp_degree_tolerance * size)) return TP_DEGREE_NONE;
    return tp_system_law(topology->system, interaction)->level == TP_LEVEL_VELOCITY ? 1 : 2;
}

/* The gap up to which a contact is closed. */
static double closing_gap(const tp_topology *topology, int i)
{
    const tp_spring_contact *spring = spring_of(topology, i);
    double size = topology->model->summary.size;
    if (spring != NULL) return topology->tolerance * (spring->is_angle ? 1.0 : size);
    return tp_law_closing_gap(topology->model, tp_system_law(topology->system, i), topology->tolerance);
}

/* The name of a contact is composed, in the arena. */
static const char *name_of(tp_topology *topology, int law)
{
    char name[TP_CONTACT_NAME];
    if (law < topology->system->fixed_count) return tp_system_law(topology->system, law)->name;
    tp_system_law_name(topology->system, law, name, sizeof name);
    const char *kept = tp_arena_copy(&topology->arena, name, strlen(name) + 1, 1);
    return kept != NULL ? kept : "";
}

static void find_interactions(tp_topology *topology)
{
    const tp_model *model = topology->model;
    tp_system_move(topology->system, 0.0, model->q0, model->u0);
    for (int i = 0; i < topology->interaction_count; i++) {
        tp_interaction *item = &topology->items[i];
        const tp_spring_contact *spring = spring_of(topology, i);
        if (spring != NULL) {
            *item = (tp_interaction){.name = spring->name,
                                     .kind = TP_INTERACTION_COMPLIANT,
                                     .size = 1,
                                     .unit = spring->is_angle ? "rad" : "m"};
        } else {
            const tp_law *law = tp_system_law(topology->system, i);
            *item = (tp_interaction){.name = name_of(topology, i),
                                     .kind = kind_of(law),
                                     .size = law->row_count,
                                     .unit = tp_law_unit(law, 0, TP_LAW_POSITION)};
        }
        note_systems(topology, i);
        position_and_rate(topology, i, &item->position);
        item->relative_degree = degree_of(topology, i);
        bool is_contact = item->kind == TP_INTERACTION_CONTACT || item->kind == TP_INTERACTION_COMPLIANT;
        item->is_closed = is_contact && item->position <= closing_gap(topology, i);
        topology->row_count += item->size;
    }
}

/* --- the public functions */

static tp_status take_memory(tp_topology *topology, const tp_allocator *allocator)
{
    tp_arena *arena = &topology->arena;
    const tp_model *model = topology->model;
    TP_TRY(tp_system_create(allocator, model, &topology->system));
    bool changed, is_small = model->shapes.count <= SHAPES_MAX;
    tp_contact_reach reach = {.margin = (is_small ? 1.0 : topology->tolerance) * model->summary.size};
    tp_system_move(topology->system, 0.0, model->q0, model->u0);
    TP_TRY(tp_system_find_contacts(topology->system, &reach, NULL, &changed));
    topology->interaction_count = topology->system->law_count + model->springs.count;
    size_t n = (size_t)topology->system->q_count, m = (size_t)topology->velocity_count;
    TP_ARENA_INTS(arena, m, &topology->parent, &topology->system_of);
    size_t count = (size_t)topology->interaction_count;
    topology->uses = TP_ARENA_ARRAY(arena, unsigned char, count *m);
    topology->items = TP_ARENA_ARRAY(arena, tp_interaction, count);
    size_t mass = (size_t)tp_sparse_count(&topology->system->mass_pattern),
           jacobian = (size_t)tp_sparse_count(&topology->system->jacobian_pattern);
    topology->M = TP_ARENA_ARRAY(arena, double, mass);
    TP_ARENA_DOUBLES(arena, jacobian, &topology->stiffness, &topology->damping);
    topology->q_beside = TP_ARENA_ARRAY(arena, double, n);
    topology->u_beside = TP_ARENA_ARRAY(arena, double, m);
    topology->W = TP_ARENA_ARRAY(arena, double, m *TP_LAW_ROWS);
    TP_TRY(tp_arena_status(arena));
    tp_sparse matrix = topology->system->mass_pattern;
    matrix.value = topology->M;
    tp_system_move(topology->system, 0.0, topology->model->q0, topology->model->u0);
    tp_system_mass(topology->system, topology->M);
    TP_TRY(tp_factor_create(allocator, TP_FACTOR_LDL, &matrix, &topology->inverse_mass));
    return tp_factor_update(topology->inverse_mass, &matrix);
}

tp_status tp_topology_create(const tp_allocator *allocator, const tp_model *model, double tolerance,
                             tp_topology **topology_out)
{
    *topology_out = NULL;
    if (!model->is_finished || isnan(tolerance)) return TP_INVALID_ARGUMENT;
    tp_topology *topology = TP_ARENA_OBJECT(tp_topology, allocator);
    if (topology == NULL) return TP_OUT_OF_MEMORY;
    topology->model = model;
    topology->tolerance = tolerance;
    topology->velocity_count = tp_model_velocity_count(model);
    tp_status status = take_memory(topology, allocator);
    if (status != TP_OK) {
        tp_topology_free(topology);
        return status;
    }
    find_systems(topology);
    find_interactions(topology);
    *topology_out = topology;
    return TP_OK;
}

void tp_topology_free(tp_topology *topology)
{
    if (topology == NULL) return;
    tp_factor_free(topology->inverse_mass);
    tp_system_free(topology->system);
    tp_arena_clear(&topology->arena);
}

int tp_topology_interaction_count(const tp_topology *topology)
{
    return topology->interaction_count;
}

tp_interaction tp_topology_interaction(const tp_topology *topology, int interaction)
{
    if (interaction >= 0 && interaction < topology->interaction_count) return topology->items[interaction];
    return (tp_interaction){.unit = "", .relative_degree = TP_DEGREE_NONE, .position = NAN};
}

int tp_topology_row_count(const tp_topology *topology)
{
    return topology->row_count;
}

int tp_topology_system_count(const tp_topology *topology)
{
    return topology->system_count;
}

int tp_topology_system_of(const tp_topology *topology, int velocity)
{
    return velocity >= 0 && velocity < topology->velocity_count ? topology->system_of[velocity] : -1;
}

bool tp_topology_uses(const tp_topology *topology, int interaction, int system)
{
    if (interaction < 0 || interaction >= topology->interaction_count) return false;
    if (system < 0 || system >= topology->system_count) return false;
    return topology->uses[interaction + system * topology->interaction_count] != 0;
}

int tp_topology_links(const tp_topology *topology, int one, int other, int capacity, int *systems_out)
{
    int count = 0;
    for (int s = 0; s < topology->system_count && one != other; s++) {
        if (!tp_topology_uses(topology, one, s) || !tp_topology_uses(topology, other, s)) continue;
        if (count < capacity) systems_out[count] = s;
        count++;
    }
    return count;
}

int tp_topology_index_set(tp_topology *topology, int level, double t, const double *q, const double *u,
                          double forecast_time, bool *member_out)
{
    if (level < 0 || level > 2) return -1;
    int count = 0;
    tp_system_move(topology->system, t, q, u);
    for (int i = 0; i < topology->interaction_count; i++) {
        tp_interaction_kind kind = topology->items[i].kind;
        double y, rate = position_and_rate(topology, i, &y), tolerance = closing_gap(topology, i);
        bool can_open = kind == TP_INTERACTION_CONTACT || kind == TP_INTERACTION_COMPLIANT;
        member_out[i] = true;
        if (can_open && level == 1) member_out[i] = y + forecast_time * rate <= tolerance;
        if (can_open && level == 2) member_out[i] = y <= tolerance && fabs(rate) <= tolerance;
        count += member_out[i];
    }
    return count;
}
