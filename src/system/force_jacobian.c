/* Derivatives of the smooth forces h(t,q,u), for implicit schemes: K = dh/dq B and D = dh/du, values in the
   system's pattern; theory/models.md (13)-(17), bodies.md (7), (8). All derivatives are exact where u = q'
   and for bodies; with velocities of the model's own the derivatives in the rates are projected. */
#include "parts.h"

#include <string.h>

/* The two matrices that are being filled. */
typedef struct jacobian {
    tp_system *system;
    double *stiffness, *damping;
} jacobian;

/* Product of the Hessian of a function with the unit vector of one of its slots; the gradient comes along. */
static void hessian_column(tp_system *system, const tp_scalar *scalar, int slot)
{
    system->direction[slot] = 1.0;
    tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient, system->product);
    system->direction[slot] = 0.0;
}

static void add_product(const tp_system *system, tp_image row, tp_image column, double d, double *value)
{
    for (int b = 0; b < column.count; b++) {
        for (int a = 0; a < row.count; a++) {
            int place = tp_pattern_place(&system->jacobian_pattern, row.index[a], column.index[b]);
            value[place] += row.factor[a] * column.factor[b] * d;
        }
    }
}

/* Adds d = d(force on the row)/d(slot), both projected onto velocities; the row is an image made with use 0.
 */
static void add_to_row(jacobian *J, tp_image row, int slot, double d)
{
    tp_slot_kind kind = tp_slot_kind_of(slot);
    if (!tp_slot_is_of_motion(slot) || d == 0.0) return;
    double *value = kind == TP_SLOT_IS_COORDINATE ? J->stiffness : J->damping;
    add_product(J->system, row, tp_slot_image(J->system, slot, 1), d, value);
    add_product(J->system, row, tp_slot_shift(J->system, slot, 1), d, J->stiffness);
}

/* The same for a force on coordinate i. */
static void add(jacobian *J, int i, int slot, double d)
{
    if (d != 0.0) add_to_row(J, tp_coordinate_image(J->system, i, 0), slot, d);
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
static void add_kinetic_column(jacobian *J, const tp_scalar *T, int slot)
{
    tp_system *system = J->system;
    int rate_slot = tp_slot_rate(tp_slot_index(slot));
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
        if (kind == TP_SLOT_IS_COORDINATE) add(J, i, slot, system->product[k]);
        if (kind != TP_SLOT_IS_RATE) continue;
        add(J, i, slot, -system->third[k]);
        if (is_coordinate) add(J, i, rate_slot, -system->product[k]);
    }
}

static void add_kinetic(jacobian *J, const tp_scalar *T)
{
    tp_system *system = J->system;
    if (tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY)) return; /* its terms are left out */
    if (!tp_scalar_depends_on_kind(T, TP_SLOT_IS_COORDINATE) &&
        !tp_scalar_depends_on_kind(T, TP_SLOT_IS_TIME))
        return;
    system->along[TP_SLOT_TIME] = 1.0;
    for (int i = 0; i < system->general_q; i++) system->along[tp_slot_coordinate(i)] = system->rate[i];
    for (int k = 0; k < T->slot_count; k++) {
        if (T->slots[k] != TP_SLOT_TIME) add_kinetic_column(J, T, T->slots[k]);
    }
}

/* The terms of an entry M_ij that hold its first derivatives; theory/models.md (15). */
static void add_entry_rates(jacobian *J, const tp_mass_entry *entry)
{
    tp_system *system = J->system;
    const tp_scalar *M = &entry->value;
    int i = entry->i, j = entry->j, rate_i = tp_slot_rate(i), rate_j = tp_slot_rate(j);
    double weight = i == j ? 0.5 : 1.0, rate_of_M = 0.0;
    const double *u = system->u;
    tp_scalar_gradient(M, &system->at, system->gradient);
    for (int k = 0; k < M->slot_count; k++) {
        int c = tp_slot_index(M->slots[k]), rate_c = tp_slot_rate(c);
        double d = system->gradient[k];
        tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
        if (kind == TP_SLOT_IS_TIME) rate_of_M += d;
        if (kind != TP_SLOT_IS_COORDINATE) continue;
        rate_of_M += d * system->rate[c];
        add(J, c, rate_i, weight * d * u[j]);
        add(J, c, rate_j, weight * d * u[i]);
        add(J, i, rate_c, -d * u[j]);
        if (i != j) add(J, j, rate_c, -d * u[i]);
    }
    add(J, i, rate_j, -rate_of_M);
    if (i != j) add(J, j, rate_i, -rate_of_M);
}

/* The terms of an entry M_ij that hold its second derivatives. */
static void add_entry(jacobian *J, const tp_mass_entry *entry)
{
    tp_system *system = J->system;
    const tp_scalar *M = &entry->value;
    int i = entry->i, j = entry->j;
    double weight = i == j ? 0.5 : 1.0;
    const double *u = system->u;
    for (int s = 0; s < M->slot_count; s++) {
        int slot = M->slots[s];
        if (tp_slot_kind_of(slot) != TP_SLOT_IS_COORDINATE) continue;
        double change = 0.0;
        hessian_column(system, M, slot);
        for (int k = 0; k < M->slot_count; k++) {
            int c = tp_slot_index(M->slots[k]);
            tp_slot_kind kind = tp_slot_kind_of(M->slots[k]);
            if (kind == TP_SLOT_IS_TIME) change += system->product[k];
            if (kind != TP_SLOT_IS_COORDINATE) continue;
            change += system->product[k] * system->rate[c];
            add(J, c, slot, weight * system->product[k] * u[i] * u[j]);
        }
        add(J, i, slot, -change * u[j]);
        if (i != j) add(J, j, slot, -change * u[i]);
    }
    add_entry_rates(J, entry);
}

/* Minus the derivatives of the gradient with respect to coordinates (potentials), or to rates and velocities
   (dissipation). */
static void subtract_hessian(jacobian *J, const tp_scalar *scalar, bool of_coordinates, double factor)
{
    for (int s = 0; s < scalar->slot_count; s++) {
        if (!tp_slot_is_of_motion(scalar->slots[s])) continue;
        hessian_column(J->system, scalar, scalar->slots[s]);
        for (int k = 0; k < scalar->slot_count; k++) {
            tp_slot_kind kind = tp_slot_kind_of(scalar->slots[k]);
            double d = -factor * J->system->product[k];
            if (!tp_slot_is_of_motion(scalar->slots[k]) ||
                (kind == TP_SLOT_IS_COORDINATE) != of_coordinates || d == 0.0)
                continue;
            add_to_row(J, tp_slot_image(J->system, scalar->slots[k], 0), scalar->slots[s], d);
        }
    }
}

/* A compliant contact that is closed: force -(g/D) dg/dq; theory/models.md (16). */
static void add_spring(jacobian *J, const tp_spring_contact *spring)
{
    tp_system *system = J->system;
    const tp_scalar *gap = &spring->gap;
    double g = tp_scalar_gradient(gap, &system->at, system->gradient);
    if (!(g < 0.0)) return;
    for (int s = 0; s < gap->slot_count; s++) {
        if (tp_slot_kind_of(gap->slots[s]) != TP_SLOT_IS_COORDINATE) continue;
        for (int k = 0; k < gap->slot_count; k++) {
            if (tp_slot_kind_of(gap->slots[k]) == TP_SLOT_IS_COORDINATE)
                add(J, tp_slot_index(gap->slots[k]), gap->slots[s],
                    -system->gradient[s] * system->gradient[k] / spring->compliance);
        }
    }
    subtract_hessian(J, gap, true, g / spring->compliance);
}

/* Matrices of a linear part. */
static void add_linear(jacobian *J, const tp_linear_part *part)
{
    for (int j = 0; j < part->n; j++) {
        for (int i = 0; i < part->n; i++) {
            size_t k = (size_t)i + (size_t)j * (size_t)part->n;
            if (part->K != NULL) add(J, i, tp_slot_coordinate(j), -part->K[k]);
            if (part->C != NULL) add(J, i, tp_slot_rate(j), -part->C[k]);
        }
    }
}

/* A given force on a coordinate or a velocity. */
static void add_given_force(jacobian *J, const tp_force_entry *entry)
{
    tp_system *system = J->system;
    tp_scalar_gradient(&entry->value, &system->at, system->gradient);
    int slot = entry->on_velocity ? tp_slot_velocity(entry->index) : tp_slot_coordinate(entry->index);
    for (int k = 0; k < entry->value.slot_count; k++)
        add_to_row(J, tp_slot_image(system, slot, 0), entry->value.slots[k], system->gradient[k]);
}

static void add_formulas(jacobian *J)
{
    const tp_model *model = J->system->model;
    bool has_inertia = !J->system->options.has_own_inertia;
    for (int i = 0; i < model->kinetic.count && has_inertia; i++)
        add_kinetic(J, TP_LIST_AT(model->kinetic, tp_scalar, i));
    for (int i = 0; i < model->mass.count && !J->system->own_velocities && has_inertia; i++)
        add_entry(J, TP_LIST_AT(model->mass, tp_mass_entry, i));
    for (int i = 0; i < model->potential.count; i++)
        subtract_hessian(J, TP_LIST_AT(model->potential, tp_scalar, i), true, 1.0);
    for (int i = 0; i < model->springs.count && !J->system->options.springs_are_laws; i++)
        add_spring(J, TP_LIST_AT(model->springs, tp_spring_contact, i));
    for (int i = 0; i < model->dissipation.count; i++)
        subtract_hessian(J, TP_LIST_AT(model->dissipation, tp_scalar, i), false, 1.0);
    for (int i = 0; i < model->linear.count; i++) add_linear(J, TP_LIST_AT(model->linear, tp_linear_part, i));
    for (int i = 0; i < model->forces.count; i++)
        add_given_force(J, TP_LIST_AT(model->forces, tp_force_entry, i));
}

void tp_system_force_jacobian(tp_system *system, double *stiffness, double *damping)
{
    size_t bytes = (size_t)tp_sparse_count(&system->jacobian_pattern) * sizeof(double);
    if (!system->force_is_known) tp_system_force(system, system->h); /* a body turns its forces */
    memset(stiffness, 0, bytes);
    memset(damping, 0, bytes);
    jacobian J = {system, stiffness, damping};
    add_formulas(&J);
    tp_bodies_force_jacobian(system, stiffness, damping);
    tp_elements_force_jacobian(system, stiffness, damping);
}

tp_status tp_system_check_force_jacobian(const tp_model *model, tp_message *why_out)
{
    static const char *const names[TP_SCALAR_ROLES] = {
        [TP_SCALAR_POTENTIAL] = "a potential energy",
        [TP_SCALAR_DISSIPATION] = "a dissipation function",
        [TP_SCALAR_MASS] = "an entry of the mass matrix",
        [TP_SCALAR_SPRING_GAP] = "the gap of a compliant contact",
    };
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        bool is_exempt = at.role == TP_SCALAR_MASS && tp_model_has_own_velocities(model);
        if (names[at.role] == NULL || is_exempt || !tp_scalar_lacks_second(at.scalar)) continue;
        return tp_fail(why_out, TP_UNSUPPORTED,
                       "%s is given by C functions without second derivatives (hessian_vector), which "
                       "implicit forces need",
                       names[at.role]);
    }
    return TP_OK;
}
