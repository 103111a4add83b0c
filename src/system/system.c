/* A model evaluated at a point; docs/theory/models.md. */
#include "system.h"

#include "math/dense.h"
#include "quasi_velocities.h"

#include <math.h>
#include <string.h>

static int largest(int a, int b)
{
    return a > b ? a : b;
}

/* Widest gradient and largest work array over all functions of the model. */
typedef struct sizes {
    int slots, work;
} sizes;

static void measure(sizes *all, const tp_system *system, const tp_scalar *scalar)
{
    all->slots = largest(all->slots, scalar->slot_count);
    int own = system->own_velocities ? system->u_count : 0;
    all->work = largest(all->work, tp_scalar_work_size(scalar, system->q_count, own));
}

static void measure_list(sizes *all, const tp_system *system, const tp_list *list)
{
    for (int i = 0; i < list->count; i++) measure(all, system, TP_LIST_AT(*list, tp_scalar, i));
}

static sizes measure_model(const tp_system *system)
{
    const tp_model *model = system->model;
    sizes all = {1, 1};
    measure_list(&all, system, &model->kinetic);
    measure_list(&all, system, &model->potential);
    measure_list(&all, system, &model->dissipation);
    for (int i = 0; i < model->mass.count; i++)
        measure(&all, system, &TP_LIST_AT(model->mass, tp_mass_entry, i)->value);
    for (int i = 0; i < model->forces.count; i++)
        measure(&all, system, &TP_LIST_AT(model->forces, tp_force_entry, i)->value);
    for (int i = 0; i < model->springs.count; i++)
        measure(&all, system, &TP_LIST_AT(model->springs, tp_spring_contact, i)->gap);
    for (int i = 0; i < model->sensors.count; i++)
        measure(&all, system, &TP_LIST_AT(model->sensors, tp_sensor, i)->value);
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        for (int k = 0; k < law->row_count; k++) measure(&all, system, &law->row[k]);
    }
    for (int i = 0; i < model->coordinates.count; i++) {
        const tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
        if (variable->has_rate) measure(&all, system, &variable->rate);
    }
    return all;
}

/* Inertia in own velocities: its gyroscopic terms follow from B where B is square. */
static bool has_quasi_inertia(const tp_system *system)
{
    const tp_model *model = system->model;
    if (!system->own_velocities || system->q_count != system->u_count) return false;
    for (int i = 0; i < model->kinetic.count; i++) {
        if (tp_scalar_depends_on_kind(TP_LIST_AT(model->kinetic, tp_scalar, i), TP_SLOT_IS_VELOCITY))
            return true;
    }
    return model->mass.count > 0;
}

static bool take_memory(tp_system *system)
{
    tp_arena *arena = &system->arena;
    size_t n = (size_t)system->q_count, m = (size_t)system->u_count;
    sizes all = measure_model(system);
    size_t slots = 1 + 3 * (n > m ? n : m);
    system->at.coordinate_count = system->q_count;
    system->at.velocity_count = system->own_velocities ? system->u_count : 0;
    bool ok = (system->at.z = TP_ARENA_ARRAY(arena, double, slots)) != NULL;
    ok = ok && (system->direction = TP_ARENA_ARRAY(arena, double, slots)) != NULL;
    ok = ok && (system->at.q = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->at.u = TP_ARENA_ARRAY(arena, double, m)) != NULL;
    ok = ok && (system->at.work = TP_ARENA_ARRAY(arena, double, all.work)) != NULL;
    ok = ok && (system->B = TP_ARENA_ARRAY(arena, double, n *m)) != NULL;
    ok = ok && (system->scratch = TP_ARENA_ARRAY(arena, double, n *m)) != NULL;
    ok = ok && (system->beta = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->rate = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->rate_drift = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->force_q = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->mass_q = TP_ARENA_ARRAY(arena, double, n *n)) != NULL;
    ok = ok && (system->gradient = TP_ARENA_ARRAY(arena, double, all.slots)) != NULL;
    ok = ok && (system->product = TP_ARENA_ARRAY(arena, double, all.slots)) != NULL;
    ok = ok && (system->momentum = TP_ARENA_ARRAY(arena, double, m)) != NULL;
    ok = ok && (system->dual = TP_ARENA_ARRAY(arena, double, n)) != NULL;
    ok = ok && (system->pivot = TP_ARENA_ARRAY(arena, int, n)) != NULL;
    ok = ok && (system->constant_mass = TP_ARENA_ARRAY(arena, double, m *m)) != NULL;
    ok = ok && (system->jacobian_q = TP_ARENA_ARRAY(arena, double, n *n)) != NULL;
    ok = ok && (system->jacobian_rate = TP_ARENA_ARRAY(arena, double, n *n)) != NULL;
    ok = ok && (system->along = TP_ARENA_ARRAY(arena, double, slots)) != NULL;
    ok = ok && (system->third = TP_ARENA_ARRAY(arena, double, all.slots)) != NULL;
    system->u = system->at.u;
    return ok;
}

tp_status tp_system_create(const tp_allocator *allocator, const tp_model *model, tp_system **system_out)
{
    *system_out = NULL;
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    tp_system *system = TP_ARENA_ARRAY(&arena, tp_system, 1);
    if (system == NULL) return TP_OUT_OF_MEMORY;
    system->arena = arena;
    system->model = model;
    system->q_count = tp_model_coordinate_count(model);
    system->u_count = tp_model_velocity_count(model);
    system->own_velocities = tp_model_has_own_velocities(model);
    system->has_quasi_inertia = has_quasi_inertia(system);
    if (!take_memory(system)) {
        tp_system_free(system);
        return TP_OUT_OF_MEMORY;
    }
    for (int i = 0; i < system->q_count && !system->own_velocities; i++)
        system->B[i + i * system->u_count] = 1.0;
    if (model->is_finished && model->has_constant_mass) {
        tp_system_move(system, 0.0, model->q0, model->u0);
        tp_system_mass(system, system->constant_mass);
        system->has_constant_mass = true;
    }
    *system_out = system;
    return TP_OK;
}

void tp_system_free(tp_system *system)
{
    if (system == NULL) return;
    tp_arena arena = system->arena; /* holds the system itself */
    tp_arena_clear(&arena);
}

/* Rates of coordinates from their formulas: q' = B u + beta, affine in u. */
static void compute_rates(tp_system *system)
{
    const tp_model *model = system->model;
    int n = system->q_count, m = system->u_count;
    memset(system->B, 0, (size_t)n * (size_t)m * sizeof(double));
    for (int i = 0; i < n; i++) {
        const tp_scalar *rate = &TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
        double value = tp_scalar_gradient(rate, &system->at, system->gradient), linear = 0.0;
        for (int k = 0; k < rate->slot_count; k++) {
            if (tp_slot_kind_of(rate->slots[k]) != TP_SLOT_IS_VELOCITY) continue;
            int j = tp_slot_index(rate->slots[k]);
            system->B[i + j * n] = system->gradient[k];
            linear += system->gradient[k] * system->u[j];
        }
        system->rate[i] = value;
        system->beta[i] = value - linear;
        system->at.z[tp_slot_rate(i)] = value;
    }
    for (int i = 0; i < n; i++) { /* d(q')/dt at fixed u needs all rates */
        const tp_scalar *rate = &TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
        tp_scalar_gradient(rate, &system->at, system->gradient);
        system->rate_drift[i] = 0.0;
        for (int k = 0; k < rate->slot_count; k++) {
            tp_slot_kind kind = tp_slot_kind_of(rate->slots[k]);
            if (kind == TP_SLOT_IS_TIME) system->rate_drift[i] += system->gradient[k];
            if (kind == TP_SLOT_IS_COORDINATE)
                system->rate_drift[i] += system->gradient[k] * system->rate[tp_slot_index(rate->slots[k])];
        }
    }
}

void tp_system_move(tp_system *system, double t, const double *q, const double *u)
{
    system->at.z[TP_SLOT_TIME] = t;
    for (int i = 0; i < system->q_count; i++) system->at.q[i] = system->at.z[tp_slot_coordinate(i)] = q[i];
    for (int j = 0; j < system->u_count; j++) {
        system->at.u[j] = u[j];
        if (system->own_velocities) {
            system->at.z[tp_slot_velocity(j)] = u[j];
        } else {
            system->at.z[tp_slot_rate(j)] = system->rate[j] = u[j];
        }
    }
    if (system->own_velocities) compute_rates(system);
}

const double *tp_system_rate(const tp_system *system)
{
    return system->rate;
}

/* Second derivatives of a kinetic energy with respect to the rates, added to mass_q. */
static void add_kinetic_mass(tp_system *system, const tp_scalar *T)
{
    int n = system->q_count;
    for (int j = 0; j < n; j++) {
        int slot = tp_slot_rate(j);
        system->direction[slot] = 1.0;
        tp_scalar_hessian_vector(T, &system->at, system->direction, system->gradient, system->product);
        system->direction[slot] = 0.0;
        for (int k = 0; k < T->slot_count; k++) {
            if (tp_slot_kind_of(T->slots[k]) != TP_SLOT_IS_RATE) continue;
            system->mass_q[tp_slot_index(T->slots[k]) + j * n] += system->product[k];
        }
    }
}

/* Mass matrix in rates: kinetic energies and linear parts. */
static void compute_mass_q(tp_system *system)
{
    const tp_model *model = system->model;
    int n = system->q_count;
    memset(system->mass_q, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < model->kinetic.count; i++)
        add_kinetic_mass(system, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int k = 0; k < n * n; k++) system->mass_q[k] += part->M[k];
    }
}

void tp_system_mass(tp_system *system, double *M_out)
{
    const tp_model *model = system->model;
    int n = system->q_count, m = system->u_count;
    if (system->has_constant_mass) {
        memcpy(M_out, system->constant_mass, (size_t)m * (size_t)m * sizeof(double));
        return;
    }
    compute_mass_q(system);
    if (!system->own_velocities) {
        memcpy(M_out, system->mass_q, (size_t)m * (size_t)m * sizeof(double));
    } else { /* B^T M B */
        for (int j = 0; j < m; j++)
            tp_dense_multiply(n, n, system->mass_q, n, system->B + j * n, system->scratch + j * n);
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < m; i++)
                M_out[i + j * m] = tp_dense_dot(n, system->B + i * n, system->scratch + j * n);
        }
    }
    if (system->own_velocities) tp_quasi_add_mass(system, M_out);
    for (int e = 0; e < model->mass.count; e++) {
        const tp_mass_entry *entry = TP_LIST_AT(model->mass, tp_mass_entry, e);
        double value = tp_scalar_value(&entry->value, &system->at);
        M_out[entry->i + entry->j * m] += value;
        if (entry->i != entry->j) M_out[entry->j + entry->i * m] += value;
    }
}

/* h_q of a kinetic energy: dT/dq - (d2T/dq'dq) q' - d2T/dq'dt; theory/models.md (4). */
static void add_kinetic_force(tp_system *system, const tp_scalar *T)
{
    if (tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY)) return; /* an energy in own velocities */
    if (!tp_scalar_depends_on_kind(T, TP_SLOT_IS_COORDINATE) &&
        !tp_scalar_depends_on_kind(T, TP_SLOT_IS_TIME))
        return;
    int n = system->q_count;
    system->direction[TP_SLOT_TIME] = 1.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = system->rate[i];
    tp_scalar_hessian_vector(T, &system->at, system->direction, system->gradient, system->product);
    system->direction[TP_SLOT_TIME] = 0.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = 0.0;
    for (int k = 0; k < T->slot_count; k++) {
        int i = tp_slot_index(T->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(T->slots[k]);
        if (kind == TP_SLOT_IS_COORDINATE) system->force_q[i] += system->gradient[k];
        if (kind == TP_SLOT_IS_RATE) system->force_q[i] -= system->product[k];
    }
}

/* Gyroscopic terms of the entry M_ij of a mass matrix with u = q': of the energy (1/2) M_ij u_i u_j (twice if
 * i != j); theory/models.md (5). */
static void add_entry_force(tp_system *system, const tp_mass_entry *entry)
{
    const tp_scalar *M = &entry->value;
    int i = entry->i, j = entry->j;
    double weight = i == j ? 0.5 : 1.0, rate_of_M = 0.0;
    tp_scalar_gradient(M, &system->at, system->gradient);
    for (int k = 0; k < M->slot_count; k++) {
        int c = tp_slot_index(M->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
        if (kind == TP_SLOT_IS_TIME) rate_of_M += system->gradient[k];
        if (kind != TP_SLOT_IS_COORDINATE) continue;
        rate_of_M += system->gradient[k] * system->rate[c];
        system->force_q[c] += weight * system->gradient[k] * system->u[i] * system->u[j];
    }
    system->force_q[i] -= rate_of_M * system->u[j];
    if (i != j) system->force_q[j] -= rate_of_M * system->u[i];
}

/* Adds the derivatives with respect to one kind of slot, times a factor, to a vector by index. */
static void add_derivatives(tp_system *system, const tp_scalar *scalar, tp_slot_kind kind, double factor,
                            double *out)
{
    tp_scalar_gradient(scalar, &system->at, system->gradient);
    for (int k = 0; k < scalar->slot_count; k++) {
        if (tp_slot_kind_of(scalar->slots[k]) == kind)
            out[tp_slot_index(scalar->slots[k])] += factor * system->gradient[k];
    }
}

void tp_system_potential_gradient(tp_system *system, double *out)
{
    const tp_model *model = system->model;
    memset(out, 0, (size_t)system->q_count * sizeof(double));
    for (int i = 0; i < model->potential.count; i++) {
        add_derivatives(system, TP_LIST_AT(model->potential, tp_scalar, i), TP_SLOT_IS_COORDINATE, 1.0, out);
    }
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        if (part->K != NULL) tp_dense_multiply_add(part->n, part->n, part->K, part->n, system->at.q, out);
    }
    for (int i = 0; i < model->springs.count && !system->springs_are_laws; i++) {
        const tp_spring_contact *spring = TP_LIST_AT(model->springs, tp_spring_contact, i);
        double gap = tp_scalar_value(&spring->gap, &system->at);
        if (gap < 0.0)
            add_derivatives(system, &spring->gap, TP_SLOT_IS_COORDINATE, gap / spring->compliance, out);
    }
}

/* Second derivative of g^2/(2 D) along the direction in system->direction: (dg/dq)^T (dg/dq)/D, closed or
   open (the stiffness it can have), and the curvature g d2g/dq2/D where it is closed. */
static void add_spring_stiffness(tp_system *system, const tp_spring_contact *spring, const double *direction,
                                 double *out)
{
    const tp_scalar *gap = &spring->gap;
    bool has_curvature = gap->formula != NULL || gap->function.hessian_vector != NULL;
    double value = tp_scalar_gradient(gap, &system->at, system->gradient), along = 0.0;
    memset(system->product, 0, (size_t)gap->slot_count * sizeof(double));
    if (value < 0.0 && has_curvature)
        tp_scalar_hessian_vector(gap, &system->at, system->direction, system->gradient, system->product);
    for (int k = 0; k < gap->slot_count; k++) {
        if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE)
            along += system->gradient[k] * direction[tp_slot_index(gap->slots[k])];
    }
    for (int k = 0; k < gap->slot_count; k++) {
        if (tp_slot_kind_of(gap->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        out[tp_slot_index(gap->slots[k])] +=
            (along * system->gradient[k] + value * system->product[k]) / spring->compliance;
    }
}

void tp_system_stiffness_vector(tp_system *system, const double *direction, double *out)
{
    const tp_model *model = system->model;
    int n = system->q_count;
    memset(out, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = direction[i];
    for (int i = 0; i < model->potential.count; i++) {
        const tp_scalar *V = TP_LIST_AT(model->potential, tp_scalar, i);
        if (V->formula == NULL && V->function.hessian_vector == NULL) continue;
        tp_scalar_hessian_vector(V, &system->at, system->direction, system->gradient, system->product);
        for (int k = 0; k < V->slot_count; k++) {
            if (tp_slot_kind_of(V->slots[k]) == TP_SLOT_IS_COORDINATE)
                out[tp_slot_index(V->slots[k])] += system->product[k];
        }
    }
    for (int i = 0; i < model->springs.count; i++)
        add_spring_stiffness(system, TP_LIST_AT(model->springs, tp_spring_contact, i), direction, out);
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = 0.0;
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        if (part->K != NULL) tp_dense_multiply_add(n, n, part->K, n, direction, out);
    }
}

static void add_forces(tp_system *system)
{
    const tp_model *model = system->model;
    int n = system->q_count;
    for (int i = 0; i < model->kinetic.count; i++)
        add_kinetic_force(system, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->mass.count && !system->own_velocities; i++) {
        const tp_mass_entry *entry = TP_LIST_AT(model->mass, tp_mass_entry, i);
        if (entry->value.slot_count > 0) add_entry_force(system, entry);
    }
    for (int i = 0; i < model->dissipation.count; i++) {
        add_derivatives(system, TP_LIST_AT(model->dissipation, tp_scalar, i), TP_SLOT_IS_RATE, -1.0,
                        system->force_q);
    }
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int j = 0; j < n && part->C != NULL; j++) {
            for (int k = 0; k < n; k++) system->force_q[k] -= part->C[k + j * n] * system->rate[j];
        }
    }
}

void tp_system_force(tp_system *system, double *h)
{
    const tp_model *model = system->model;
    int n = system->q_count, m = system->u_count;
    tp_system_potential_gradient(system, system->force_q);
    for (int i = 0; i < n; i++) system->force_q[i] = -system->force_q[i];
    add_forces(system);
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        if (!entry->on_velocity) system->force_q[entry->index] += tp_scalar_value(&entry->value, &system->at);
    }
    if (!system->own_velocities) {
        memcpy(h, system->force_q, (size_t)n * sizeof(double));
    } else { /* B^T (h_q - M (B' u + beta')); theory/models.md (3) */
        compute_mass_q(system);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++)
                system->force_q[i] -= system->mass_q[i + j * n] * system->rate_drift[j];
        }
        for (int j = 0; j < m; j++) h[j] = tp_dense_dot(n, system->B + j * n, system->force_q);
    }
    if (system->has_quasi_inertia) tp_quasi_add_force(system, h);
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        if (entry->on_velocity) h[entry->index] += tp_scalar_value(&entry->value, &system->at);
    }
}

double tp_system_kinetic_energy(tp_system *system)
{
    const tp_model *model = system->model;
    double energy = 0.0;
    for (int i = 0; i < model->kinetic.count; i++)
        energy += tp_scalar_value(TP_LIST_AT(model->kinetic, tp_scalar, i), &system->at);
    for (int i = 0; i < model->mass.count; i++) {
        const tp_mass_entry *entry = TP_LIST_AT(model->mass, tp_mass_entry, i);
        double weight = entry->i == entry->j ? 0.5 : 1.0;
        energy +=
            weight * tp_scalar_value(&entry->value, &system->at) * system->u[entry->i] * system->u[entry->j];
    }
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int j = 0; j < part->n; j++)
            energy += 0.5 * system->rate[j] * tp_dense_dot(part->n, part->M + j * part->n, system->rate);
    }
    return energy;
}

double tp_system_potential_energy(tp_system *system)
{
    const tp_model *model = system->model;
    double energy = 0.0;
    for (int i = 0; i < model->potential.count; i++)
        energy += tp_scalar_value(TP_LIST_AT(model->potential, tp_scalar, i), &system->at);
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int j = 0; j < part->n && part->K != NULL; j++) {
            energy += 0.5 * system->at.q[j] * tp_dense_dot(part->n, part->K + j * part->n, system->at.q);
        }
    }
    for (int i = 0; i < model->springs.count; i++) {
        const tp_spring_contact *spring = TP_LIST_AT(model->springs, tp_spring_contact, i);
        double gap = fmin(tp_scalar_value(&spring->gap, &system->at), 0.0);
        energy += 0.5 * gap * gap / spring->compliance;
    }
    return energy;
}

double tp_system_applied_power(tp_system *system)
{
    const tp_model *model = system->model;
    double power = 0.0;
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        double velocity = entry->on_velocity ? system->u[entry->index] : system->rate[entry->index];
        power += tp_scalar_value(&entry->value, &system->at) * velocity;
    }
    for (int i = 0; i < model->potential.count; i++) {
        const tp_scalar *V = TP_LIST_AT(model->potential, tp_scalar, i);
        if (!tp_scalar_depends_on_kind(V, TP_SLOT_IS_TIME)) continue;
        tp_scalar_gradient(V, &system->at, system->gradient);
        power += system->gradient[0]; /* slots ascend: time comes first */
    }
    for (int i = 0; i < model->springs.count; i++) { /* a compliant contact with a moving body */
        const tp_spring_contact *spring = TP_LIST_AT(model->springs, tp_spring_contact, i);
        if (!tp_scalar_depends_on_kind(&spring->gap, TP_SLOT_IS_TIME)) continue;
        double gap = tp_scalar_gradient(&spring->gap, &system->at, system->gradient);
        if (gap < 0.0) power += gap / spring->compliance * system->gradient[0];
    }
    return power;
}

double tp_system_law_position(tp_system *system, int index)
{
    const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, index);
    return law->level == TP_LEVEL_VELOCITY ? NAN : tp_scalar_value(&law->row[0], &system->at);
}

/* Row of a function g(t,q): W = B^T dg/dq, chi = dg/dq beta + dg/dt. */
static void position_row(tp_system *system, const tp_scalar *g, double *W, double *chi)
{
    int n = system->q_count, m = system->u_count;
    tp_scalar_gradient(g, &system->at, system->gradient);
    for (int k = 0; k < g->slot_count; k++) {
        double d = system->gradient[k];
        int i = tp_slot_index(g->slots[k]);
        if (tp_slot_kind_of(g->slots[k]) == TP_SLOT_IS_TIME) *chi += d;
        if (tp_slot_kind_of(g->slots[k]) != TP_SLOT_IS_COORDINATE) continue;
        if (!system->own_velocities) {
            W[i] += d;
            continue;
        }
        for (int j = 0; j < m; j++) W[j] += d * system->B[i + j * n];
        *chi += d * system->beta[i];
    }
}

/* Row of a velocity that is affine in u: W its derivative, chi the rest. */
static void velocity_row(tp_system *system, const tp_scalar *a, double *W, double *chi)
{
    int n = system->q_count, m = system->u_count;
    double value = tp_scalar_gradient(a, &system->at, system->gradient);
    for (int k = 0; k < a->slot_count; k++) {
        double d = system->gradient[k];
        int i = tp_slot_index(a->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(a->slots[k]);
        if (kind == TP_SLOT_IS_VELOCITY || (kind == TP_SLOT_IS_RATE && !system->own_velocities)) W[i] += d;
        if (kind == TP_SLOT_IS_RATE && system->own_velocities) {
            for (int j = 0; j < m; j++) W[j] += d * system->B[i + j * n];
        }
    }
    *chi = value - tp_dense_dot(m, W, system->u);
}

void tp_system_law_rows(tp_system *system, int index, double *W_out, double *chi_out)
{
    const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, index);
    int m = system->u_count;
    memset(W_out, 0, (size_t)law->row_count * (size_t)m * sizeof(double));
    for (int k = 0; k < law->row_count; k++) {
        double *W = W_out + k * m;
        chi_out[k] = 0.0;
        if (k == 0 && law->level != TP_LEVEL_VELOCITY) {
            position_row(system, &law->row[0], W, &chi_out[0]);
        } else {
            velocity_row(system, &law->row[k], W, &chi_out[k]);
        }
        if (law->row_factor[k] == 1.0) continue;
        for (int j = 0; j < m; j++) W[j] *= law->row_factor[k];
        chi_out[k] *= law->row_factor[k];
    }
}

double tp_system_spring_gap(tp_system *system, int spring)
{
    return tp_scalar_value(&TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap, &system->at);
}

double tp_system_spring_size(tp_system *system, int spring)
{
    const tp_scalar *gap = &TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap;
    double sum = 0.0;
    tp_scalar_gradient(gap, &system->at, system->gradient);
    for (int k = 0; k < gap->slot_count; k++) {
        if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE)
            sum += fabs(system->gradient[k] * system->at.q[tp_slot_index(gap->slots[k])]);
    }
    return sum;
}

void tp_system_spring_row(tp_system *system, int spring, double *W_out, double *chi_out)
{
    memset(W_out, 0, (size_t)system->u_count * sizeof(double));
    *chi_out = 0.0;
    position_row(system, &TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->gap, W_out, chi_out);
}

double tp_system_sensor(tp_system *system, int sensor)
{
    return tp_scalar_value(&TP_LIST_AT(system->model->sensors, tp_sensor, sensor)->value, &system->at);
}
