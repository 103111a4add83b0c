/* Derivatives of the smooth forces h(t,q,u), for implicit schemes; theory/models.md (13)-(17). All
   derivatives are exact where u = q'; with velocities of the model's own the derivatives in the rates are
   projected. */
#include "math/dense.h"
#include "system.h"

#include <string.h>

/* Product of the Hessian of a function with the unit vector of one of its slots; the gradient comes along. */
static void hessian_column(tp_system *system, const tp_scalar *scalar, int slot)
{
    system->direction[slot] = 1.0;
    tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient, system->product);
    system->direction[slot] = 0.0;
}

/* The matrix in which derivatives with respect to a slot belong, or NULL. */
static double *matrix_of(tp_system *system, int slot)
{
    switch (tp_slot_kind_of(slot)) {
    case TP_SLOT_IS_COORDINATE: return system->jacobian_q;
    case TP_SLOT_IS_RATE: return system->jacobian_rate;
    default: return NULL;
    }
}

/* third_out += sign/4 D3T[z1,z1,.] with z1 = d + sign e_slot, d = (1, q', 0); theory/models.md (14). */
static void add_third(tp_system *system, const tp_formula *T, int slot, double sign)
{
    double value[3];
    system->along[slot] += sign;
    tp_formula_taylor(T, system->at.z, system->along, system->direction, system->at.work, value, NULL, NULL,
                      system->gradient);
    system->along[slot] -= sign;
    int count = tp_formula_slot_count(T);
    for (int k = 0; k < count; k++) system->third[k] += 0.25 * sign * system->gradient[k];
}

/* One column of the derivative of dT/dq - D(dT/dq')[d]; theory/models.md (13). */
static void add_kinetic_column(tp_system *system, const tp_scalar *T, int slot)
{
    int n = system->q_count, j = tp_slot_index(slot);
    double *J = matrix_of(system, slot) + (size_t)j * (size_t)n;
    bool is_coordinate = tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE;
    hessian_column(system, T, slot);
    memset(system->third, 0, (size_t)T->slot_count * sizeof(double));
    if (T->formula != NULL) { /* C functions have no third derivatives: left out */
        add_third(system, T->formula, slot, 1.0);
        add_third(system, T->formula, slot, -1.0);
    }
    for (int k = 0; k < T->slot_count; k++) {
        int i = tp_slot_index(T->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(T->slots[k]);
        if (kind == TP_SLOT_IS_COORDINATE) J[i] += system->product[k];
        if (kind != TP_SLOT_IS_RATE) continue;
        J[i] -= system->third[k];
        if (is_coordinate) system->jacobian_rate[i + (size_t)j * (size_t)n] -= system->product[k];
    }
}

static void add_kinetic(tp_system *system, const tp_scalar *T)
{
    if (tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY)) return; /* its terms are left out */
    if (!tp_scalar_depends_on_kind(T, TP_SLOT_IS_COORDINATE) &&
        !tp_scalar_depends_on_kind(T, TP_SLOT_IS_TIME))
        return;
    system->along[TP_SLOT_TIME] = 1.0;
    for (int i = 0; i < system->q_count; i++) system->along[tp_slot_coordinate(i)] = system->rate[i];
    for (int k = 0; k < T->slot_count; k++) {
        if (T->slots[k] != TP_SLOT_TIME) add_kinetic_column(system, T, T->slots[k]);
    }
}

/* The terms of an entry M_ij that hold its first derivatives; theory/models.md (15). */
static void add_entry_rates(tp_system *system, const tp_mass_entry *entry)
{
    const tp_scalar *M = &entry->value;
    int n = system->q_count, i = entry->i, j = entry->j;
    double *J = system->jacobian_rate, weight = i == j ? 0.5 : 1.0, rate_of_M = 0.0;
    const double *u = system->u;
    tp_scalar_gradient(M, &system->at, system->gradient);
    for (int k = 0; k < M->slot_count; k++) {
        int c = tp_slot_index(M->slots[k]);
        double d = system->gradient[k];
        tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
        if (kind == TP_SLOT_IS_TIME) rate_of_M += d;
        if (kind != TP_SLOT_IS_COORDINATE) continue;
        rate_of_M += d * system->rate[c];
        J[c + i * n] += weight * d * u[j];
        J[c + j * n] += weight * d * u[i];
        J[i + c * n] -= d * u[j];
        if (i != j) J[j + c * n] -= d * u[i];
    }
    J[i + j * n] -= rate_of_M;
    if (i != j) J[j + i * n] -= rate_of_M;
}

/* The terms of an entry M_ij that hold its second derivatives. */
static void add_entry(tp_system *system, const tp_mass_entry *entry)
{
    const tp_scalar *M = &entry->value;
    int n = system->q_count, i = entry->i, j = entry->j;
    double weight = i == j ? 0.5 : 1.0;
    const double *u = system->u;
    for (int s = 0; s < M->slot_count; s++) {
        if (tp_slot_kind_of(M->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        double *J = system->jacobian_q + (size_t)tp_slot_index(M->slots[s]) * (size_t)n, change = 0.0;
        hessian_column(system, M, M->slots[s]);
        for (int k = 0; k < M->slot_count; k++) {
            int c = tp_slot_index(M->slots[k]);
            tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
            if (kind == TP_SLOT_IS_TIME) change += system->product[k];
            if (kind != TP_SLOT_IS_COORDINATE) continue;
            change += system->product[k] * system->rate[c];
            J[c] += weight * system->product[k] * u[i] * u[j];
        }
        J[i] -= change * u[j];
        if (i != j) J[j] -= change * u[i];
    }
    add_entry_rates(system, entry);
}

/* Minus the derivatives of the gradient with respect to slots of one kind: potentials, dissipation. */
static void subtract_hessian(tp_system *system, const tp_scalar *scalar, tp_slot_kind kind, double factor)
{
    for (int s = 0; s < scalar->slot_count; s++) {
        double *J = matrix_of(system, scalar->slots[s]);
        if (J == NULL) continue;
        J += (size_t)tp_slot_index(scalar->slots[s]) * (size_t)system->q_count;
        hessian_column(system, scalar, scalar->slots[s]);
        for (int k = 0; k < scalar->slot_count; k++) {
            if (tp_slot_kind_of(scalar->slots[k]) == kind)
                J[tp_slot_index(scalar->slots[k])] -= factor * system->product[k];
        }
    }
}

/* A compliant contact that is closed: force -(g/D) dg/dq; theory/models.md (16). */
static void add_spring(tp_system *system, const tp_spring_contact *spring)
{
    const tp_scalar *gap = &spring->gap;
    double g = tp_scalar_gradient(gap, &system->at, system->gradient);
    if (!(g < 0.0)) return;
    for (int s = 0; s < gap->slot_count; s++) {
        if (tp_slot_kind_of(gap->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        double *J = system->jacobian_q + (size_t)tp_slot_index(gap->slots[s]) * (size_t)system->q_count;
        for (int k = 0; k < gap->slot_count; k++) {
            if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE)
                J[tp_slot_index(gap->slots[k])] -=
                    system->gradient[s] * system->gradient[k] / spring->compliance;
        }
    }
    subtract_hessian(system, gap, TP_SLOT_IS_COORDINATE, g / spring->compliance);
}

/* All that acts on rates: into jacobian_q and jacobian_rate. */
static void compute_in_rates(tp_system *system)
{
    const tp_model *model = system->model;
    size_t size = (size_t)system->q_count * (size_t)system->q_count;
    memset(system->jacobian_q, 0, size * sizeof(double));
    memset(system->jacobian_rate, 0, size * sizeof(double));
    for (int i = 0; i < model->kinetic.count; i++)
        add_kinetic(system, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->mass.count && !system->own_velocities; i++)
        add_entry(system, TP_LIST_AT(model->mass, tp_mass_entry, i));
    for (int i = 0; i < model->potential.count; i++)
        subtract_hessian(system, TP_LIST_AT(model->potential, tp_scalar, i), TP_SLOT_IS_COORDINATE, 1.0);
    for (int i = 0; i < model->springs.count && !system->springs_are_laws; i++)
        add_spring(system, TP_LIST_AT(model->springs, tp_spring_contact, i));
    for (int i = 0; i < model->dissipation.count; i++)
        subtract_hessian(system, TP_LIST_AT(model->dissipation, tp_scalar, i), TP_SLOT_IS_RATE, 1.0);
    for (int i = 0; i < model->linear.count; i++) {
        const tp_linear_part *part = TP_LIST_AT(model->linear, tp_linear_part, i);
        for (size_t k = 0; k < size && part->K != NULL; k++) system->jacobian_q[k] -= part->K[k];
        for (size_t k = 0; k < size && part->C != NULL; k++) system->jacobian_rate[k] -= part->C[k];
    }
}

/* dh_dq = B^T J_q, dh_du = B^T J_rate B; theory/models.md (17). */
static void project(tp_system *system, double *dh_dq, double *dh_du)
{
    int n = system->q_count, m = system->u_count;
    if (!system->own_velocities) {
        memcpy(dh_dq, system->jacobian_q, (size_t)n * (size_t)n * sizeof(double));
        memcpy(dh_du, system->jacobian_rate, (size_t)n * (size_t)n * sizeof(double));
        return;
    }
    for (int j = 0; j < n; j++) {
        for (int a = 0; a < m; a++)
            dh_dq[a + j * m] = tp_dense_dot(n, system->B + a * n, system->jacobian_q + j * n);
    }
    for (int j = 0; j < m; j++) {
        tp_dense_multiply(n, n, system->jacobian_rate, n, system->B + j * n, system->dual);
        for (int a = 0; a < m; a++) dh_du[a + j * m] = tp_dense_dot(n, system->B + a * n, system->dual);
    }
}

/* One derivative of a given force with respect to a slot; a rate is B u in own velocities. */
static void add_force_derivative(tp_system *system, int row, int slot, double d, double *dh_dq, double *dh_du)
{
    int n = system->q_count, m = system->u_count, c = tp_slot_index(slot);
    switch (tp_slot_kind_of(slot)) {
    case TP_SLOT_IS_TIME: return;
    case TP_SLOT_IS_COORDINATE: dh_dq[row + c * m] += d; return;
    case TP_SLOT_IS_VELOCITY: dh_du[row + c * m] += d; return;
    case TP_SLOT_IS_RATE:
        if (!system->own_velocities) {
            dh_du[row + c * m] += d;
            return;
        }
        for (int a = 0; a < m; a++) dh_du[row + a * m] += d * system->B[c + a * n];
    }
}

static void add_given_force(tp_system *system, const tp_force_entry *entry, double *dh_dq, double *dh_du)
{
    int n = system->q_count, m = system->u_count;
    tp_scalar_gradient(&entry->value, &system->at, system->gradient);
    for (int k = 0; k < entry->value.slot_count; k++) {
        int slot = entry->value.slots[k];
        double d = system->gradient[k];
        if (entry->on_velocity || !system->own_velocities) {
            add_force_derivative(system, entry->index, slot, d, dh_dq, dh_du);
            continue;
        }
        for (int a = 0; a < m; a++) /* on a coordinate: projected with B^T */
            add_force_derivative(system, a, slot, d * system->B[entry->index + a * n], dh_dq, dh_du);
    }
}

void tp_system_force_jacobian(tp_system *system, double *dh_dq, double *dh_du)
{
    const tp_model *model = system->model;
    compute_in_rates(system);
    project(system, dh_dq, dh_du);
    for (int i = 0; i < model->forces.count; i++)
        add_given_force(system, TP_LIST_AT(model->forces, tp_force_entry, i), dh_dq, dh_du);
}

/* Second derivatives that C functions may lack. */
static bool lacks_second(const tp_scalar *scalar)
{
    return scalar->formula == NULL && scalar->function.hessian_vector == NULL;
}

tp_status tp_system_check_force_jacobian(const tp_model *model, tp_message *why_out)
{
    static const char text[] =
        "%s is given by C functions without second derivatives (hessian_vector), which implicit forces need";
    for (int i = 0; i < model->potential.count; i++) {
        if (lacks_second(TP_LIST_AT(model->potential, tp_scalar, i)))
            return tp_fail(why_out, TP_UNSUPPORTED, text, "a potential energy");
    }
    for (int i = 0; i < model->dissipation.count; i++) {
        if (lacks_second(TP_LIST_AT(model->dissipation, tp_scalar, i)))
            return tp_fail(why_out, TP_UNSUPPORTED, text, "a dissipation function");
    }
    for (int i = 0; i < model->mass.count && !tp_model_has_own_velocities(model); i++) {
        if (lacks_second(&TP_LIST_AT(model->mass, tp_mass_entry, i)->value))
            return tp_fail(why_out, TP_UNSUPPORTED, text, "an entry of the mass matrix");
    }
    for (int i = 0; i < model->springs.count; i++) {
        if (lacks_second(&TP_LIST_AT(model->springs, tp_spring_contact, i)->gap))
            return tp_fail(why_out, TP_UNSUPPORTED, text, "the gap of a compliant contact");
    }
    return TP_OK;
}
