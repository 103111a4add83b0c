/* The motion on the manifold; docs/theory/jet.md (41)-(46). */
#include "flow.h"

#include "parts.h"

struct tp_jet_flow {
    tp_arena arena;
    tp_jet *jet;
    tp_ode *ode;
    double *z;    /* [state] */
    double *atol; /* [state] */
};

static tp_status rate(void *context, double t, const double *z, double *rate_out)
{
    return tp_jet_rate(context, t, z, rate_out);
}

static tp_status project_stage(void *context, double t, double *z)
{
    return tp_jet_project(context, t, false, z);
}

static tp_status project_result(void *context, double t, double *z)
{
    tp_jet *jet = context;
    if (jet->options.has_trapezoidal_work) z[2 * jet->n] = jet->work.done; /* not that of the stages */
    TP_TRY(tp_jet_project(jet, t, true, z));
    if (jet->options.has_trapezoidal_work) tp_jet_book_work(jet, t, z);
    return TP_OK;
}

static tp_status fill(tp_jet_flow *flow, const tp_allocator *allocator, tp_system *system,
                      const tp_jet_options *options, const tp_ode_options *steps, tp_message *why)
{
    TP_TRY(tp_jet_create(allocator, system, options, &flow->jet, why));
    int count = tp_jet_state_count(flow->jet->n);
    flow->z = TP_ARENA_ARRAY(&flow->arena, double, count);
    flow->atol = TP_ARENA_ARRAY(&flow->arena, double, count);
    TP_TRY(tp_arena_status(&flow->arena));
    for (int i = 0; i < count; i++) flow->atol[i] = steps->atol;
    flow->atol[count - 1] = INFINITY; /* the work is no part of the state */
    tp_ode_equations equations = {.n = count, .context = flow->jet, .rate = rate, .stage = project_stage};
    if (tp_jet_invariant_count(flow->jet) > 0) equations.result = project_result;
    tp_ode_options given = *steps;
    given.method = TP_ODE_DORMAND_PRINCE;
    given.atol_of = flow->atol;
    return tp_ode_create(allocator, &equations, &given, &flow->ode, why);
}

tp_status tp_jet_flow_create(const tp_allocator *allocator, tp_system *system, const tp_jet_options *options,
                             const tp_ode_options *steps, tp_jet_flow **flow_out, tp_message *why)
{
    *flow_out = NULL;
    tp_arena arena;
    tp_arena_init(&arena, allocator);
    tp_jet_flow *flow = TP_ARENA_ARRAY(&arena, tp_jet_flow, 1);
    if (flow == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the motion");
    *flow = (tp_jet_flow){.arena = arena};
    tp_status status = fill(flow, allocator, system, options, steps, why);
    if (status != TP_OK) {
        tp_jet_flow_free(flow);
        return status;
    }
    *flow_out = flow;
    return TP_OK;
}

void tp_jet_flow_free(tp_jet_flow *flow)
{
    if (flow == NULL) return;
    tp_ode_free(flow->ode);
    tp_jet_free(flow->jet);
    tp_arena arena = flow->arena;
    tp_arena_clear(&arena);
}

tp_status tp_jet_flow_start(tp_jet_flow *flow, double t, const double *q, const double *u)
{
    tp_jet_put(flow->jet, q, u, 0.0, flow->z);
    tp_jet_set_invariants(flow->jet, t, flow->z);
    TP_TRY(tp_jet_begin(flow->jet, t, flow->z));
    return tp_ode_start(flow->ode, t, flow->z);
}

tp_status tp_jet_flow_step(tp_jet_flow *flow, double limit)
{
    const double *z = tp_ode_state(flow->ode);
    TP_TRY(tp_jet_begin(flow->jet, tp_ode_time(flow->ode), z));
    /* which rows are left out may have changed */
    if (tp_redundancy_count(flow->jet->redundancy) > 0) TP_TRY(tp_ode_replace(flow->ode, z));
    return tp_ode_step(flow->ode, limit);
}

tp_jet *tp_jet_flow_jet(const tp_jet_flow *flow)
{
    return flow->jet;
}

tp_ode *tp_jet_flow_ode(const tp_jet_flow *flow)
{
    return flow->ode;
}
