/* The motion on the manifold: Dormand and Prince's method with projected stages and results;
   docs/theory/jet.md (41)-(46). */
#ifndef TP_JET_FLOW_H
#define TP_JET_FLOW_H

#include "jet.h"
#include "math/ode/ode.h"

typedef struct tp_jet_flow tp_jet_flow;

/* The system is borrowed. Of the options of the ODE the method is set here. */
tp_status tp_jet_flow_create(const tp_allocator *allocator, tp_system *system, const tp_jet_options *options,
                             const tp_ode_options *steps, tp_jet_flow **flow_out, tp_message *why);
void tp_jet_flow_free(tp_jet_flow *flow);

/* From a state of the model; its invariants are kept from here on. */
tp_status tp_jet_flow_start(tp_jet_flow *flow, double t, const double *q, const double *u);

/* One accepted step, which ends at `limit` at the latest. */
tp_status tp_jet_flow_step(tp_jet_flow *flow, double limit);

tp_jet *tp_jet_flow_jet(const tp_jet_flow *flow);
tp_ode *tp_jet_flow_ode(const tp_jet_flow *flow);

#endif
