/* Inertia given in own velocities; theory/models.md (5a): with momenta p = dT/du and pi = B^-T p
       h_a = (B^T dT/dq)_a - (d2T/dudq q')_a - d2T/dudt_a + sum_i pi_i dB_ia/dt - sum_k B_ka sum_i pi_i
   d(B u)_i/dq_k. */
#include "quasi_velocities.h"
#include "parts.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static bool is_quasi(const tp_scalar *T)
{
    return tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY);
}

void tp_quasi_add_mass(tp_system *system, double *M)
{
    const tp_model *model = system->model;
    int m = system->general_u;
    for (int e = 0; e < model->kinetic.count; e++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, e);
        if (!is_quasi(T)) continue;
        for (int j = 0; j < m; j++) {
            system->direction[tp_slot_velocity(j)] = 1.0;
            tp_scalar_hessian_vector(T, &system->at, system->direction, system->gradient, system->product);
            system->direction[tp_slot_velocity(j)] = 0.0;
            for (int k = 0; k < T->slot_count; k++) {
                if (tp_slot_kind_of(T->slots[k]) == TP_SLOT_IS_VELOCITY)
                    M[tp_slot_index(T->slots[k]) + j * m] += system->product[k];
            }
        }
    }
}

/* Momentum, d2T/dudq q' + d2T/dudt (subtracted from h) and dT/dq (added to force_q) of an energy. */
static void add_energy(tp_system *system, const tp_scalar *T, double *h)
{
    tp_formulas_along_motion(system, T);
    for (int k = 0; k < T->slot_count; k++) {
        int i = tp_slot_index(T->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(T->slots[k]);
        if (kind == TP_SLOT_IS_COORDINATE) system->force_q[i] += system->gradient[k];
        if (kind != TP_SLOT_IS_VELOCITY) continue;
        system->momentum[i] += system->gradient[k];
        h[i] -= system->product[k];
    }
}

/* The same for the energy of a mass entry, (1/2) M_ij u_i u_j (twice if i /= j). */
static void add_entry(tp_system *system, const tp_mass_entry *entry, double *h)
{
    int i = entry->i, j = entry->j;
    const double *u = system->u;
    double rate_of_M, M = tp_formulas_add_entry_force(system, entry, &rate_of_M);
    system->momentum[i] += M * u[j];
    h[i] -= rate_of_M * u[j];
    if (i == j) return;
    system->momentum[j] += M * u[i];
    h[j] -= rate_of_M * u[i];
}

/* The terms that come from q' = B(q) u: velocities that are not derivatives of coordinates. */
static void add_kinematic_terms(tp_system *system, double *h)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    double *dual = system->dual; /* pi with B^T pi = p */
    for (int j = 0; j < m; j++)
        memcpy(system->scratch + j * n, system->B + j * n, (size_t)n * sizeof(double));
    memcpy(dual, system->momentum, (size_t)n * sizeof(double));
    if (tp_dense_lu(n, system->scratch, n, system->pivot, 0.0) != TP_OK) {
        for (int j = 0; j < m; j++) h[j] = NAN; /* the velocities do not determine the motion here */
        return;
    }
    tp_dense_lu_solve_transposed(n, system->scratch, n, system->pivot, dual);
    system->direction[TP_SLOT_TIME] = 1.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = system->rate[i];
    for (int i = 0; i < n; i++) {
        const tp_scalar *rate = TP_LIST_AT(model->coordinates, tp_variable, i)->rate;
        tp_scalar_hessian_vector(rate, &system->at, system->direction, system->gradient, system->product);
        for (int k = 0; k < rate->slot_count; k++) {
            int c = tp_slot_index(rate->slots[k]);
            tp_slot_kind kind = tp_slot_kind_of(rate->slots[k]);
            if (kind == TP_SLOT_IS_VELOCITY) h[c] += dual[i] * system->product[k];
            if (kind != TP_SLOT_IS_COORDINATE) continue;
            for (int a = 0; a < m; a++) h[a] -= system->B[c + a * n] * dual[i] * system->gradient[k];
        }
    }
    system->direction[TP_SLOT_TIME] = 0.0;
    for (int i = 0; i < n; i++) system->direction[tp_slot_coordinate(i)] = 0.0;
}

void tp_quasi_add_force(tp_system *system, double *h)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    memset(system->momentum, 0, (size_t)m * sizeof(double));
    memset(system->force_q, 0, (size_t)n * sizeof(double));
    for (int e = 0; e < model->kinetic.count; e++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, e);
        if (is_quasi(T)) add_energy(system, T, h);
    }
    for (int e = 0; e < model->mass.count; e++)
        add_entry(system, TP_LIST_AT(model->mass, tp_mass_entry, e), h);
    for (int a = 0; a < m; a++) h[a] += tp_dense_dot(n, system->B + a * n, system->force_q);
    add_kinematic_terms(system, h);
}
