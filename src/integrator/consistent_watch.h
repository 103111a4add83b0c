/* Watches steps for what the energy-consistent schemes do to laws that stick: contacts that sink, friction
   that creeps or swings; theory/consistent.md (51)-(56). */
#ifndef TP_INTEGRATOR_CONSISTENT_WATCH_H
#define TP_INTEGRATOR_CONSISTENT_WATCH_H

#include "consistent_laws.h"

typedef struct tp_consistent_watch tp_consistent_watch;

/* `before` is the watch of the contacts before, which goes on here; NULL: there is none. */
tp_status tp_consistent_watch_create(tp_arena *arena, const tp_system *system,
                                     const tp_consistent_watch *before, tp_consistent_watch **watch_out);

/* Looks at a step that was taken, with the velocities at its end. */
void tp_consistent_watch_step(tp_consistent_watch *watch, const tp_consistent_step *step,
                              const tp_state *from, const tp_state *to);

/* True, with a text, once for each kind of fault that was met. */
bool tp_consistent_watch_notice(tp_consistent_watch *watch, tp_warning *warning_io);

/* What the scheme does to the model by its equations, goes on after "yes, but"; NULL: nothing. */
const char *tp_consistent_caveat_of_one_step(const tp_model *model, const tp_simulation_options *options);
const char *tp_consistent_caveat_of_two_steps(const tp_model *model, const tp_simulation_options *options);

#endif
