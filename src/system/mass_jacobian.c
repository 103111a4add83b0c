/* How M(q) a changes with the positions, a held: of inertia that is given by formulas; bodies have constant
   mass. docs/theory/second-level.md (22), (23). */
#include "math/dense.h"
#include "parts.h"
#include "second_level.h"

#include <string.h>

/* Makes x the rates (or the own velocities) that formulas see, or 0. */
static void show(tp_system *system, tp_slot_kind kind, const double *x)
{
    int count = kind == TP_SLOT_IS_RATE ? system->general_q : system->general_u;
    for (int i = 0; i < count; i++) {
        double value = x != NULL ? x[i] : 0.0;
        system->at.z[kind == TP_SLOT_IS_RATE ? tp_slot_rate(i) : tp_slot_velocity(i)] = value;
        if (kind == TP_SLOT_IS_VELOCITY || !system->own_velocities) system->at.u[i] = value;
    }
}

/* d2T/(dx dq) along the direction, times a: T is of second degree in its rates x, whose linear part the value
   at rest takes away. */
static void add_energy(tp_system *system, const tp_scalar *T, tp_slot_kind kind, const double *x, double *out)
{
    for (int pass = 0; pass < 2; pass++) {
        show(system, kind, pass == 0 ? x : NULL);
        tp_scalar_hessian_vector(T, &system->at, system->direction, system->gradient, system->product);
        for (int k = 0; k < T->slot_count; k++) {
            if (tp_slot_kind_of(T->slots[k]) == kind)
                out[tp_slot_index(T->slots[k])] += (pass == 0 ? 1.0 : -1.0) * system->product[k];
        }
    }
}

/* One column: out [general_u] += d(M a) along the direction of the coordinates. change [2 n] is work. */
static void add_column(tp_system *system, const double *a, const double *rate, double *change, double *out)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    double *of_rates = change, *turned = change + n;
    memset(change, 0, 2 * (size_t)n * sizeof *change);
    for (int e = 0; e < model->kinetic.count; e++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, e);
        bool is_quasi = tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY);
        add_energy(system, T, is_quasi ? TP_SLOT_IS_VELOCITY : TP_SLOT_IS_RATE, is_quasi ? a : rate,
                   is_quasi ? out : of_rates);
    }
    show(system, TP_SLOT_IS_RATE, system->rate);
    if (system->own_velocities) show(system, TP_SLOT_IS_VELOCITY, system->u);
    for (int e = 0; e < model->mass.count; e++) {
        const tp_mass_entry *entry = TP_LIST_AT(model->mass, tp_mass_entry, e);
        double d = 0.0;
        tp_scalar_gradient(&entry->value, &system->at, system->gradient);
        for (int k = 0; k < entry->value.slot_count; k++)
            d += system->gradient[k] * system->direction[entry->value.slots[k]];
        out[entry->i] += d * a[entry->j];
        if (entry->i != entry->j) out[entry->j] += d * a[entry->i];
    }
    for (int i = 0; i < n && system->own_velocities; i++) { /* the change of B: (B^T M_q B a)' */
        const tp_scalar *B = TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
        double momentum = tp_dense_dot(n, system->mass_q + i * n, rate);
        tp_scalar_hessian_vector(B, &system->at, system->direction, system->gradient, system->product);
        for (int k = 0; k < B->slot_count; k++) {
            int c = tp_slot_index(B->slots[k]);
            if (tp_slot_kind_of(B->slots[k]) != TP_SLOT_IS_VELOCITY) continue;
            turned[i] += system->product[k] * a[c];
            out[c] += system->product[k] * momentum;
        }
    }
    for (int i = 0; i < n && system->own_velocities; i++)
        of_rates[i] += tp_dense_dot(n, system->mass_q + i * n, turned);
    for (int j = 0; j < m; j++)
        out[j] += system->own_velocities ? tp_dense_dot(n, system->B + j * n, of_rates) : of_rates[j];
}

bool tp_system_add_mass_jacobian(tp_system *system, const double *a, double *value_io)
{
    int n = system->general_q, m = system->general_u;
    double *rate = system->mass_work, *change = rate + n, *out = system->h;
    if (system->has_constant_mass || m == 0) return true;
    for (tp_scalar_walk at = {.model = system->model}; tp_scalar_next(&at);) {
        bool counts = at.role == TP_SCALAR_KINETIC || at.role == TP_SCALAR_RATE;
        if (counts && tp_scalar_lacks_second(at.scalar)) return false;
    }
    tp_formulas_mass(system, system->general_mass);
    for (int i = 0; i < n; i++) {
        rate[i] = system->own_velocities ? 0.0 : a[i];
        for (int j = 0; j < m && system->own_velocities; j++) rate[i] += system->B[i + j * n] * a[j];
    }
    for (int j = 0; j < m; j++) {
        memset(out, 0, (size_t)m * sizeof *out);
        for (int i = 0; i < n; i++)
            system->direction[tp_slot_coordinate(i)] = system->own_velocities ? system->B[i + j * n] : i == j;
        add_column(system, a, rate, change, out);
        for (int i = 0; i < m; i++) value_io[tp_pattern_place(&system->jacobian_pattern, i, j)] += out[i];
    }
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = 0.0;
    system->force_is_known = false; /* system->h was work */
    return true;
}
