/* Relative degrees of relations at the start, from the linearised equations over z = (x, p, u), p the turns
   and displacements that velocities last for:
       M x' = (df/dx + dr/dx) x + ... + dr/dlambda lambda,   p' = u,   M u' = dh/dz z + dh/dlambda lambda,
       y = dy/dz z + dy/dlambda lambda;   docs/theory/topology.md. For reports; matrices are dense. */
#include "math/dense.h"
#include "states.h"
#include "tippe/topology.h"
#include "tolerances.h"

#include <float.h>

enum { DEGREE_UNKNOWNS_MAX = 100 };

typedef struct linear_system {
    tp_system *system;
    int n, u, m, all;            /* states, velocities, multipliers, n + 2 u */
    double *M, *A, *B, *C, *D;   /* column-major; M and rows of A, B of all unknowns */
    double *stiffness, *damping; /* of forces */
    int *pivot;
    tp_state_gradient gradient;
    double *row, factor, position; /* where put_motion adds: a row with `stride`, its factor */
    int stride;
} linear_system;

static tp_status take_linear(linear_system *s, tp_arena *arena)
{
    size_t all = (size_t)s->all, m = (size_t)s->m, widest = (size_t)tp_system_widest_gradient(s->system),
           jacobian = (size_t)tp_sparse_count(&s->system->jacobian_pattern);
    const struct {
        double **array;
        size_t length;
    } arrays[] = {{&s->M, all * all},
                  {&s->A, all * all},
                  {&s->B, all * m},
                  {&s->C, m * all},
                  {&s->D, m * m},
                  {&s->stiffness, jacobian},
                  {&s->damping, jacobian},
                  {&s->gradient.by_f, widest},
                  {&s->gradient.by_r, widest}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k].array = TP_ARENA_ARRAY(arena, double, arrays[k].length);
    s->pivot = TP_ARENA_ARRAY(arena, int, all);
    return tp_arena_status(arena);
}

static void put_motion(void *self, int velocity, double factor)
{
    linear_system *s = self;
    int column = s->position > 0.0 ? s->n + velocity : s->n + s->u + velocity;
    s->row[column * s->stride] += s->factor * factor;
}

/* A derivative by a coordinate or velocity. What lasts for a time of 1 without what does not last is p. */
static void add_motion(linear_system *s, int slot, double derivative, double *row, int stride)
{
    s->row = row;
    s->stride = stride;
    for (int k = 0; k < 3; k++) { /* u at once; p with it, and without it again */
        s->position = k == 0 ? 0.0 : 1.0;
        s->factor = k == 2 ? -derivative : derivative;
        tp_system_slot_by_velocities(s->system, slot, k == 1 ? 1.0 : 0.0, put_motion, s);
    }
}

/* Derivatives of one equation or output into rows of A or C and of B or D. */
static void add_gradient(linear_system *s, double *by_z, double *by_lambda, int stride)
{
    const tp_state_gradient *g = &s->gradient;
    for (int k = 0; k < g->count; k++) {
        int j = tp_slot_index(g->slots[k]);
        tp_slot_kind kind = tp_slot_kind_of(g->slots[k]);
        double derivative = g->by_f[k] + g->by_r[k];
        if (kind == TP_SLOT_IS_STATE) by_z[j * stride] += derivative;
        if (kind == TP_SLOT_IS_MULTIPLIER) by_lambda[j * stride] += derivative;
        if (tp_slot_is_of_motion(g->slots[k])) add_motion(s, g->slots[k], derivative, by_z, stride);
    }
}

static void put_force(void *self, int velocity, int slot, double value)
{
    linear_system *s = self;
    int row = s->n + s->u + velocity, j = tp_slot_index(slot);
    *(tp_slot_kind_of(slot) == TP_SLOT_IS_STATE ? &s->A[row + j * s->all] : &s->B[row + j * s->all]) += value;
}

/* Velocities: M u' = dh/dp p + dh/du u + ..., p' = u. */
static void fill_motion(linear_system *s, double *mass)
{
    tp_system *system = s->system;
    int p = s->n, v = s->n + s->u;
    const tp_sparse *pattern = &system->mass_pattern, *jacobian = &system->jacobian_pattern;
    tp_system_mass(system, mass);
    tp_system_force_jacobian(system, s->stiffness, s->damping);
    for (int j = 0; j < s->u; j++) {
        s->M[p + j + (p + j) * s->all] = s->A[p + j + (v + j) * s->all] = 1.0;
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            s->M[v + pattern->index[k] + (v + j) * s->all] = mass[k];
        for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++) {
            s->A[v + jacobian->index[k] + (p + j) * s->all] = s->stiffness[k];
            s->A[v + jacobian->index[k] + (v + j) * s->all] = s->damping[k];
        }
    }
    tp_system_force_by_states(system, put_force, s);
}

static tp_status fill(linear_system *s, tp_arena *arena)
{
    for (int i = 0; i < s->n; i++) {
        tp_system_state_gradient(s->system, i, &s->gradient);
        add_gradient(s, s->A + i, s->B + i, s->all);
    }
    for (int i = 0; i < s->m; i++) {
        tp_system_output_gradient(s->system, i, &s->gradient);
        for (int k = 0; k < s->gradient.count; k++) s->gradient.by_r[k] = 0.0;
        add_gradient(s, s->C + i, s->D + i, s->m);
    }
    const tp_list *mass = &s->system->model->state_mass;
    for (int k = 0; k < mass->count; k++) {
        const tp_state_mass *M = TP_LIST_AT(*mass, tp_state_mass, k);
        s->M[M->i + M->j * s->all] += M->value;
    }
    double *values = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&s->system->mass_pattern));
    if (s->u > 0 && values != NULL) fill_motion(s, values);
    return tp_arena_status(arena);
}

static tp_status find_degrees(linear_system *s, const tp_allocator *allocator, tp_arena *arena,
                              int *degree_out)
{
    int all = s->all;
    TP_TRY(take_linear(s, arena));
    TP_TRY(fill(s, arena));
    if (all > 0 && tp_dense_lu(all, s->M, all, s->pivot, DBL_MIN) != TP_OK) return TP_OK;
    for (int j = 0; j < all; j++) tp_dense_lu_solve(all, s->M, all, s->pivot, s->A + j * all);
    for (int j = 0; j < s->m; j++) tp_dense_lu_solve(all, s->M, all, s->pivot, s->B + j * all);
    return tp_relative_degree_rows(allocator, all, s->m, s->A, s->B, s->C, s->D, tp_degree_tolerance,
                                   degree_out);
}

tp_status tp_relation_degrees(const tp_allocator *allocator, const tp_model *model, int *degree_out)
{
    if (model == NULL || !model->is_finished || degree_out == NULL) return TP_INVALID_ARGUMENT;
    linear_system s = {.n = model->states.count, .m = model->outputs.count};
    for (int k = 0; k < s.m; k++) degree_out[k] = TP_DEGREE_UNKNOWN;
    TP_TRY(tp_system_create(allocator, model, &s.system));
    s.u = s.system->u_count;
    s.all = s.n + 2 * s.u;
    tp_status status = TP_OK;
    if (s.m > 0 && s.all <= DEGREE_UNKNOWNS_MAX && s.m <= DEGREE_UNKNOWNS_MAX) {
        tp_arena arena = tp_arena_make(allocator);
        tp_system_move(s.system, 0.0, model->q0, model->u0);
        status = find_degrees(&s, allocator, &arena, degree_out);
        tp_arena_clear(&arena);
    }
    tp_system_free(s.system);
    return status;
}
