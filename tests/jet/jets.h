/* Motions on the manifold, for tests: the numerical experiments of docs/theory/jet.md. A file that includes
   this begins with _POSIX_C_SOURCE 200809L. */
#ifndef TESTS_JET_JETS_H
#define TESTS_JET_JETS_H

#include "examples.h"
#include "jet/parts.h"
#include "math/dense.h"
#include "system/system.h"

typedef struct jet_subject {
    tp_scene *scene;
    tp_system *system;
    tp_jet *jet;
    tp_ode *ode;
    double q[64], u[64], z[256];
} jet_subject;

static inline jet_subject jet_of(tp_scene *scene, const tp_jet_options *options, const tp_ode_options *steps)
{
    jet_subject s = {.scene = scene};
    tp_message why = {""};
    if (tp_system_create(tp_allocator_default(), scene->model, &s.system) != TP_OK) fail();
    if (tp_jet_create(tp_allocator_default(), s.system, options, &s.jet, &why) != TP_OK)
        fail_msg("%s", why.text);
    if (tp_jet_state_count(s.jet) > 256) fail();
    memcpy(s.q, scene->model->q0, (size_t)s.system->q_count * sizeof(double));
    memcpy(s.u, scene->model->u0, (size_t)s.system->u_count * sizeof(double));
    tp_ode_options given = *steps;
    tp_ode_equations equations = tp_jet_equations(s.jet, &given);
    if (tp_ode_create(tp_allocator_default(), &equations, &given, &s.ode, &why) != TP_OK)
        fail_msg("%s", why.text);
    return s;
}

static inline void end_jet(jet_subject *s)
{
    tp_ode_free(s->ode);
    tp_jet_free(s->jet);
    tp_system_free(s->system);
    tp_scene_free(s->scene);
}

static inline tp_jet_options jet_options(tp_jet_projection projection, double tolerance)
{
    return (tp_jet_options){.projection = projection, .tolerance = tolerance, .max_sweeps = 500};
}

/* Classical control of docs/theory/jet.md (43): factor 0.9, ratios 0.2 to 3, first step 0.25 s. */
static inline tp_ode_options jet_steps(double tolerance)
{
    tp_ode_options o = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
    o.rtol = o.atol = tolerance;
    o.first_step = 0.25;
    o.grow = 3.0;
    return o;
}

static inline tp_ode_options jet_fixed(double h)
{
    tp_ode_options o = tp_ode_options_default(TP_ODE_DORMAND_PRINCE);
    o.fixed_step = h;
    return o;
}

static inline void start_jet(jet_subject *s)
{
    bool changed;
    tp_jet_put(s->jet, s->q, s->u, s->z);
    tp_jet_set_invariants(s->jet, 0.0, s->z);
    if (tp_jet_begin(s->jet, 0.0, s->z, &changed) != TP_OK) fail();
    if (tp_ode_start(s->ode, 0.0, s->z) != TP_OK) fail();
}

static inline void run_jet(jet_subject *s, double until)
{
    while (tp_ode_time(s->ode) < until) {
        bool changed;
        tp_status status = tp_jet_begin(s->jet, tp_ode_time(s->ode), tp_ode_state(s->ode), &changed);
        if (status == TP_OK && changed) status = tp_ode_replace(s->ode, tp_ode_state(s->ode));
        if (status == TP_OK) status = tp_ode_step(s->ode, until);
        if (status != TP_OK) fail_msg("t = %g: %s", tp_ode_time(s->ode), tp_status_text(status));
    }
    memcpy(s->z, tp_ode_state(s->ode), (size_t)tp_jet_state_count(s->jet) * sizeof(double));
    tp_jet_get(s->jet, s->z, s->q, s->u);
}

/* Largest errors at a point, of what its projection holds: constraints and their rates, lengths of Euler
   parameters, invariants. */
typedef struct jet_errors {
    double position, velocity, length, invariant;
} jet_errors;

/* g and gamma over velocities, where the system is. */
static inline void find_jet_rows(tp_jet *jet)
{
    tp_constraint_rows *rows = &jet->along.rows;
    const tp_sparse *A = &rows->A;
    tp_constraint_rows_evaluate(rows);
    for (int i = 0; i < rows->law_count; i++)
        tp_system_law_positions(jet->system, rows->law[i], jet->g + rows->first[i]);
    for (int r = 0; r < rows->row_count; r++)
        jet->gamma[r] = rows->chi[r] + tp_row_velocity(A->start[r + 1] - A->start[r], A->index + A->start[r],
                                                       A->value + A->start[r], jet->u);
}

static inline jet_errors jet_errors_at(tp_jet *jet, double t, const double *z)
{
    jet_errors errors = {0};
    tp_jet_counts counts = jet->counts;
    tp_jet_move(jet, t, z);
    if (jet->options.projection == TP_JET_TANGENTIAL)
        find_jet_rows(jet);
    else
        tp_jet_rows_evaluate(jet, z, false);
    errors.position = tp_dense_largest(jet->along.rows.row_count, jet->g);
    errors.velocity = tp_dense_largest(jet->along.rows.row_count, jet->gamma);
    for (int k = 0; k < jet->turn_count; k++) {
        tp_quat p = tp_quat_at(z + jet->turn[k].q), p1 = tp_quat_at(z + jet->n + jet->turn[k].q);
        errors.length = fmax(errors.length, fmax(fabs(tp_quat_dot(p, p) - 1.0), fabs(tp_quat_dot(p, p1))));
    }
    tp_jet_invariants_evaluate(jet, t, z, false);
    errors.invariant = tp_dense_largest(jet->invariant_count, jet->value);
    jet->counts = counts;
    return errors;
}

#endif
