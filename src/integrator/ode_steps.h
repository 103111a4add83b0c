/* Steps whose length is chosen by the error of an ordinary differential equation. A step may end after the
   time that was asked for: the state there is dense output, and the step goes on from its own end. What a
   state inside a step needs to go on with the same bits is the start of that step, which is taken again;
   docs/theory/simulation.md. */
#ifndef TP_INTEGRATOR_ODE_STEPS_H
#define TP_INTEGRATOR_ODE_STEPS_H

#include "integrators.h"
#include "math/ode/ode.h"

typedef struct tp_ode_steps tp_ode_steps;

/* What an integrator says of its equations. Its point y has equations.n numbers. */
typedef struct tp_ode_steps_def {
    tp_ode_equations equations;
    tp_ode_options options;
    int memory;         /* place of TP_ODE_STEPS_MEMORY among the fields of the integrator's memory */
    int control_length; /* of its first field, where other methods need more; 0: what this one needs */
    /* The point of a state that no step led to, and what a point shows: q and u (impulses are the
       integrator's). is_end: the point ends a step; else it is dense output inside one, which the integrator
       may still bring onto its constraints. Both get equations.context. */
    void (*take)(void *context, const tp_state *from, double *y_out);
    tp_status (*show)(void *context, double t, const double *y, bool is_end, tp_state *to);
    /* After each step of the equations: may shorten it (tp_ode_shorten). May be NULL. */
    tp_status (*shorten)(void *context, tp_ode *ode);
    void *context; /* of these three; NULL: that of the equations */
} tp_ode_steps_def;

/* The fields of memory: where the present step started, and its point. Their lengths are for the integrator's
   `memory_length`. */
#define TP_ODE_STEPS_MEMORY                                                                                  \
    {"step_control", TP_MEMORY_OWN},                                                                         \
    {                                                                                                        \
        "step_point", TP_MEMORY_OWN                                                                          \
    }
int tp_ode_steps_memory_length(tp_ode_method method, int n, int field); /* 0: control, 1: point */

/* The options of a run for such steps. */
tp_ode_options tp_ode_steps_options(tp_ode_method method, const tp_simulation_options *options);

tp_status tp_ode_steps_create(const tp_allocator *allocator, const tp_ode_steps_def *def,
                              tp_ode_steps **steps_out);
void tp_ode_steps_free(tp_ode_steps *steps); /* NULL is fine */

/* An integrator's `start`: a step will begin at this state. */
tp_status tp_ode_steps_start(tp_ode_steps *steps, tp_state *state);

/* An integrator's `step`: to the end of the present step of the equations, or to to->t if that is earlier. */
tp_status tp_ode_steps_take(tp_ode_steps *steps, tp_stepper *stepper, const tp_state *from, tp_state *to,
                            tp_step_report *report);

/* An integration that was made anew goes on from a state that ends a step. */
tp_status tp_ode_steps_return(tp_ode_steps *steps, const tp_state *state);

/* Where the step starts that a state lies in, or that goes on from it. */
double tp_ode_steps_begin(const tp_ode_steps *steps, const tp_state *state);

/* What a quadrature of impulses leaves of the change of momentum is counted with the forces, where the mass
   (stepper->M) is constant. */
void tp_ode_steps_balance(tp_stepper *stepper, const tp_state *from, const tp_state *to);

/* The integration itself, for statistics, roots and dense output of its last step. */
tp_ode *tp_ode_steps_ode(tp_ode_steps *steps);

#endif
