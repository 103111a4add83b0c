/* The equations of motion on the manifold for an integration that moves stages and results;
   docs/theory/jet.md (41)-(44). */
#include "parts.h"

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
    TP_TRY(tp_jet_project(jet, t, true, z));
    if (jet->options.has_trapezoidal_work) tp_jet_book_work(jet, t, z);
    return TP_OK;
}

tp_ode_method tp_jet_ode_method(const tp_jet_options *options)
{
    return options->method == TP_JET_ORDER_8 ? TP_ODE_DORMAND_PRINCE_8 : TP_ODE_DORMAND_PRINCE;
}

tp_ode_equations tp_jet_equations(tp_jet *jet, tp_ode_options *options)
{
    int count = tp_jet_state_count(jet);
    for (int i = 0; i < count; i++) jet->atol_of[i] = i < 2 * jet->n ? options->atol : INFINITY;
    /* what motions that are given do can be seen there alone: projections take its errors from positions */
    if (!jet->system->model->is_autonomous) jet->atol_of[2 * jet->n + TP_JET_APPLIED] = options->atol;
    options->method = tp_jet_ode_method(&jet->options);
    bool has_own_results = jet->invariant_count > 0 || jet->options.has_free_stages;
    options->atol_of = jet->atol_of;
    return (tp_ode_equations){.n = count,
                              .context = jet,
                              .rate = rate,
                              .stage = jet->options.has_free_stages ? NULL : project_stage,
                              .result = has_own_results ? project_result : NULL};
}
