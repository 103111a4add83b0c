/* Inertia, forces and energies that are stated as formulas over t, q, q', u; docs/theory/models.md. Kinetic
   energies and mass matrices are those of the general coordinates; everything else may also use the
   coordinates and velocities of bodies. */
#include "math/dense.h"
#include "parts.h"
#include "quasi_velocities.h"

#include <math.h>
#include <string.h>

/* Rates of coordinates from their formulas: q' = B u + beta, affine in u. */
void tp_formulas_move(tp_system *system)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    memset(system->B, 0, (size_t)n * (size_t)m * sizeof(double));
    for (int i = 0; i < n; i++) {
        const tp_scalar *rate = TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
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
        const tp_scalar *rate = TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
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

/* Second derivatives of a kinetic energy with respect to the rates, added to mass_q. */
static void add_kinetic_mass(tp_system *system, const tp_scalar *T)
{
    int n = system->general_q;
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
    int n = system->general_q;
    memset(system->mass_q, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < model->kinetic.count; i++)
        add_kinetic_mass(system, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int k = 0; k < n * n; k++) system->mass_q[k] += part->M[k];
    }
}

void tp_formulas_mass(tp_system *system, double *M_out)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
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

void tp_formulas_along_motion(tp_system *system, const tp_scalar *scalar)
{
    int n = system->general_q;
    system->direction[TP_SLOT_TIME] = 1.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = system->rate[i];
    tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient, system->product);
    system->direction[TP_SLOT_TIME] = 0.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = 0.0;
}

double tp_formulas_add_entry_force(tp_system *system, const tp_mass_entry *entry, double *rate_out)
{
    const tp_scalar *M = &entry->value;
    double weight = entry->i == entry->j ? 0.5 : 1.0, u_i = system->u[entry->i], u_j = system->u[entry->j];
    double value = tp_scalar_gradient(M, &system->at, system->gradient);
    *rate_out = 0.0;
    for (int k = 0; k < M->slot_count; k++) {
        int c = tp_slot_index(M->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
        if (kind == TP_SLOT_IS_TIME) *rate_out += system->gradient[k];
        if (kind != TP_SLOT_IS_COORDINATE) continue;
        *rate_out += system->gradient[k] * system->rate[c];
        system->force_q[c] += weight * system->gradient[k] * u_i * u_j;
    }
    return value;
}

/* h_q of a kinetic energy: dT/dq - (d2T/dq'dq) q' - d2T/dq'dt; theory/models.md (4). */
static void add_kinetic_force(tp_system *system, const tp_scalar *T)
{
    if (tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY)) return; /* an energy in own velocities */
    if (!tp_scalar_depends_on_kind(T, TP_SLOT_IS_COORDINATE) &&
        !tp_scalar_depends_on_kind(T, TP_SLOT_IS_TIME))
        return;
    tp_formulas_along_motion(system, T);
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
    int i = entry->i, j = entry->j;
    double rate_of_M;
    tp_formulas_add_entry_force(system, entry, &rate_of_M);
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
    tp_pool_clear(system->pool, out, (size_t)system->argument_q * sizeof(double));
    for (int i = 0; i < model->potential.count; i++) {
        add_derivatives(system, TP_LIST_AT(model->potential, tp_scalar, i), TP_SLOT_IS_COORDINATE, 1.0, out);
    }
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        if (part->K != NULL) tp_dense_multiply_add(part->n, part->n, part->K, part->n, system->at.q, out);
    }
    for (int i = 0; i < model->springs.count && !system->options.springs_are_laws; i++) {
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
        int i = tp_slot_index(gap->slots[k]);
        if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE && i < system->general_q)
            along += system->gradient[k] * direction[i];
    }
    for (int k = 0; k < gap->slot_count; k++) {
        int i = tp_slot_index(gap->slots[k]);
        if (tp_slot_kind_of(gap->slots[k]) != TP_SLOT_IS_COORDINATE || i >= system->general_q) continue;
        out[i] += (along * system->gradient[k] + value * system->product[k]) / spring->compliance;
    }
}

void tp_formulas_stiffness_vector(tp_system *system, const double *direction, double *out)
{
    const tp_model *model = system->model;
    int n = system->general_q;
    memset(out, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = direction[i];
    for (int i = 0; i < model->potential.count; i++) {
        const tp_scalar *V = TP_LIST_AT(model->potential, tp_scalar, i);
        if (V->formula == NULL && V->function.hessian_vector == NULL) continue;
        tp_scalar_hessian_vector(V, &system->at, system->direction, system->gradient, system->product);
        for (int k = 0; k < V->slot_count; k++) {
            int c = tp_slot_index(V->slots[k]);
            if (tp_slot_kind_of(V->slots[k]) == TP_SLOT_IS_COORDINATE && c < n) out[c] += system->product[k];
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

static void add_forces(tp_system *system) /* on coordinates */
{
    const tp_model *model = system->model;
    int n = system->general_q;
    for (int i = 0; i < model->kinetic.count && !system->options.has_own_inertia; i++)
        add_kinetic_force(system, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->mass.count && !system->own_velocities && !system->options.has_own_inertia;
         i++) {
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

/* Forces on velocities, of bodies or own ones: -dR/du of dissipation functions, and given ones. */
static void add_velocity_forces(tp_system *system, double *h)
{
    const tp_model *model = system->model;
    tp_pool_clear(system->pool, system->force_u, (size_t)system->argument_u * sizeof(double));
    if (model->dissipation.count == 0 && model->forces.count == 0) return;
    for (int i = 0; i < model->dissipation.count; i++) {
        add_derivatives(system, TP_LIST_AT(model->dissipation, tp_scalar, i), TP_SLOT_IS_VELOCITY, -1.0,
                        system->force_u);
    }
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        if (entry->on_velocity) system->force_u[entry->index] += tp_scalar_value(&entry->value, &system->at);
    }
    for (int j = 0; j < system->argument_u; j++) {
        if (system->force_u[j] == 0.0) continue;
        tp_image image = tp_velocity_image(system, j, 0);
        for (int k = 0; k < image.count; k++) h[image.index[k]] += image.factor[k] * system->force_u[j];
    }
}

/* Numbers of one task. */
enum { NUMBERS_OF_TASK = 8192 };

static void negate_some(void *context, int begin, int end)
{
    double *values = context;
    for (int i = begin; i < end; i++) values[i] = -values[i];
}

void tp_formulas_force(tp_system *system, double *h)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    tp_system_potential_gradient(system, system->force_q);
    tp_pool_share(system->pool, system->argument_q, NUMBERS_OF_TASK, negate_some, system->force_q);
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
    add_velocity_forces(system, h);
}

double tp_formulas_kinetic_energy(tp_system *system)
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

double tp_formulas_potential_energy(tp_system *system)
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

double tp_formulas_applied_power(tp_system *system)
{
    const tp_model *model = system->model;
    double power = 0.0;
    for (int i = 0; i < model->forces.count; i++) {
        const tp_force_entry *entry = TP_LIST_AT(model->forces, tp_force_entry, i);
        double velocity = entry->on_velocity ? system->at.u[entry->index] : system->rate[entry->index];
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

/* u dR/du of dissipation functions, and q' C q'. */
double tp_formulas_dissipated_power(tp_system *system)
{
    const tp_model *model = system->model;
    double power = 0.0;
    for (int i = 0; i < model->dissipation.count; i++) {
        const tp_scalar *R = TP_LIST_AT(model->dissipation, tp_scalar, i);
        tp_scalar_gradient(R, &system->at, system->gradient);
        for (int k = 0; k < R->slot_count; k++) {
            tp_slot_kind kind = tp_slot_kind_of(R->slots[k]);
            int index = tp_slot_index(R->slots[k]);
            if (kind == TP_SLOT_IS_RATE) power += system->gradient[k] * system->rate[index];
            if (kind == TP_SLOT_IS_VELOCITY) power += system->gradient[k] * system->at.u[index];
        }
    }
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (int e = 0; part->C != NULL && e < part->n * part->n; e++)
            power += system->rate[e % part->n] * part->C[e] * system->rate[e / part->n];
    }
    return power;
}
