/* Motions on the manifold, for tests: the numerical experiments of docs/theory/jet.md. A file that includes
   this begins with _POSIX_C_SOURCE 200809L. */
#ifndef TESTS_JET_JETS_H
#define TESTS_JET_JETS_H

#include "examples.h"
#include "jet/flow.h"
#include "system/system.h"

typedef struct jet_subject {
    tp_scene *scene;
    tp_system *system;
    tp_jet_flow *flow;
    tp_jet *jet;
    double q[64], u[64];
} jet_subject;

static inline jet_subject jet_of(tp_scene *scene, const tp_jet_options *options, const tp_ode_options *steps)
{
    jet_subject s = {.scene = scene};
    tp_message why = {""};
    if (tp_system_create(tp_allocator_default(), scene->model, &s.system) != TP_OK) fail();
    if (tp_jet_flow_create(tp_allocator_default(), s.system, options, steps, &s.flow, &why) != TP_OK)
        fail_msg("%s", why.text);
    s.jet = tp_jet_flow_jet(s.flow);
    memcpy(s.q, scene->model->q0, (size_t)s.system->q_count * sizeof(double));
    memcpy(s.u, scene->model->u0, (size_t)s.system->u_count * sizeof(double));
    return s;
}

static inline void end_jet(jet_subject *s)
{
    tp_jet_flow_free(s->flow);
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
    if (tp_jet_flow_start(s->flow, 0.0, s->q, s->u) != TP_OK) fail();
}

static inline void run_jet(jet_subject *s, double until)
{
    while (tp_ode_time(tp_jet_flow_ode(s->flow)) < until) {
        tp_status status = tp_jet_flow_step(s->flow, until);
        if (status != TP_OK)
            fail_msg("t = %g: %s", tp_ode_time(tp_jet_flow_ode(s->flow)), tp_status_text(status));
    }
    tp_jet_get(s->jet, tp_ode_state(tp_jet_flow_ode(s->flow)), s->q, s->u);
}

#endif
