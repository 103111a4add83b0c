/* Simulations: a finished model, an integrator, the state and the report; docs/theory/simulation.md. */
#ifndef TIPPE_SIMULATION_H
#define TIPPE_SIMULATION_H

#include "tippe/integrator.h"
#include "tippe/model.h"
#include "tippe/solver.h"
#include "tippe/warning.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Warnings that a report keeps, of all kinds and of one kind; further ones are counted. */
enum { TP_WARNINGS_MAX = 48, TP_WARNINGS_OF_KIND = 8 };

/* What the run has done so far. */
typedef struct tp_run_report {
    tp_status status;
    char reason[1024];
    long long steps; /* of this run alone, if it continues another one */
    double time;
    double start_time;     /* where this run began [s] ...                                                  */
    long long start_count; /* ... and after how many steps of the run that it continues; 0: from its start  */
    double energy_initial, energy_final,
        largest_energy_increase; /* minus the work of applied loads and prescribed motion */
    double position_drift, angle_drift, velocity_drift, angular_velocity_drift; /* [m] [rad] [m/s] [rad/s] */
    double penetration, limit_angle;                                            /* [m] [rad] */
    double storage_initial, storage_final, /* of first-order states [J] */
        largest_storage_increase;          /* in a step */
    bool is_corrected;        /* the options ask for a correction                                         */
    double correction;        /* largest error of positions that it took back [m] or [rad]                */
    double correction_energy; /* by which it changed T + V in the run [J]; part of the energies above     */
    long long impacts;
    const char *solver;
    const char *form; /* what the scheme makes of the inertia, where it has several forms; NULL: it has one */
    const char *caveat; /* what the equations of the scheme do to this model besides what is wanted; NULL:
                           nothing */
    double iterations_mean, residual_max;
    double margin_max; /* largest residual over the one up to which its step counts as solved            */
    long long above_tolerance; /* steps above the tolerance that were solved as far as rounding allows   */
    int iterations_max;
    int solutions_max; /* most solutions of a step problem, where they are counted; 0: nowhere */
    long long not_converged;
    /* Integrators that choose their steps: how many there were, the shortest and longest [s], rejected
       attempts, evaluations of accelerations, projections; and further figures by name. */
    long long own_steps, rejections, evaluations, projections;
    double shortest_step, longest_step;
    int statistic_count;
    tp_statistic statistics[TP_STATISTICS_MAX];
    int warning_count;
    long long warnings_left_out; /* occurrences for which there was no place */
    tp_warning warnings[TP_WARNINGS_MAX];
} tp_run_report;

typedef struct tp_simulation tp_simulation;

/* A simulation at the initial state. The model must be finished and is borrowed: it must outlive the
   simulation. Options are copied, their texts and the log hook too (not what the hook points to).
   TP_INVALID_ARGUMENT, TP_INVALID_DATA: arguments or options that no simulation can have. TP_UNSUPPORTED: the
   integrator cannot treat this model; the message has the reason and the integrators that can. Freeing NULL
   is fine. */
tp_status tp_simulation_create(const tp_allocator *allocator, const tp_model *model,
                               const tp_simulation_options *options, tp_simulation **simulation_out,
                               tp_message *why_out);
void tp_simulation_free(tp_simulation *simulation);

/* One step from the present time to t_goal [s], which must be later; schemes with a fixed step need
   time_step, those that choose their steps may take several (events are those of the last one). A step that
   fails changes nothing, and says why in why_out and in the report. */
tp_status tp_simulation_step(tp_simulation *simulation, double t_goal, tp_message *why_out);

/* Sets an input for the next step and those after it, until it is set again. Before the first step the
   initial state has it as well. A change of potential energy that comes with it is booked as applied work of
   the next step. TP_INVALID_ARGUMENT: an id of another model, or a value that is not finite. */
tp_status tp_simulation_set_input(tp_simulation *simulation, tp_input_id id, double value,
                                  tp_message *why_out);

/* The value of an input in the last step (before the first step: in the next one); NaN: there is none. */
double tp_simulation_input(const tp_simulation *simulation, tp_input_id id);

/* Steps until end_time or until `observe` returns false (then TP_INTERRUPTED). observe may be NULL; it is
   called with the initial state and after every step; with integrators that choose their steps also at the
   times between them that were asked for (tp_simulation_is_row). TP_WARNED: the end was reached, but there
   are warnings and the options are strict. */
typedef bool (*tp_observer)(void *context, const tp_simulation *simulation);
tp_status tp_simulation_run(tp_simulation *simulation, tp_observer observe, void *context,
                            tp_message *why_out);

/* Steps of implicit integrators ask this between the linearised problems that they solve: true ends the step,
   which changes nothing, with TP_INTERRUPTED, and with it a run. NULL (default): never. */
void tp_simulation_set_interrupt(tp_simulation *simulation, tp_interrupt interrupt, void *context);

/* Is the present state one that was asked for: the initial one, a multiple of time_step, the end? False: it
   ends a step whose length the integrator chose. */
bool tp_simulation_is_row(const tp_simulation *simulation);

/* The integrator of a simulation: its name, and whether it chooses its steps. */
const tp_integrator_info *tp_simulation_integrator(const tp_simulation *simulation);

/* An array of numbers that an integrator keeps besides t, q and u. */
typedef struct tp_named_values {
    const char *name;
    int count;
    const double *values;
} tp_named_values;

/* A contact between shapes that took part in the last step, or of which forces are kept. */
typedef struct tp_restart_contact {
    int shape_a, shape_b, feature;
    double impulse[TP_IMPULSE_ROWS];
    bool is_open;                                  /* it took no part                */
    double force[TP_FORCE_PARTS][TP_IMPULSE_ROWS]; /* of integrators that keep forces */
} tp_restart_contact;

/* All that the next step depends on but applied wrenches, so that a run stopped after any step goes on with
   the same bits; docs/guide/restart.md. */
typedef struct tp_restart {
    double time;      /* [s]                                                                              */
    double origin;    /* the run steps to the times origin + k time_step [s] ...                          */
    long long count;  /* ... and has done so many steps since the origin                                  */
    double step_size; /* of the last step [s]                                                             */
    int q_count, u_count, law_count;
    const double *q, *u;
    int state_count, multiplier_count; /* tippe/states.h */
    const double *x, *multiplier;
    const double *impulse; /* [TP_IMPULSE_ROWS law_count] of the last step, normal first; rows not there: 0 */
    const double *force[TP_FORCE_PARTS]; /* in the same way, of integrators that keep forces; else NULL */
    const unsigned char *is_closed; /* [law_count] 1: took part in the last step                            */
    int contact_count; /* law_count is that of the model: contacts between shapes are apart, ascending ...  */
    const tp_restart_contact *contacts; /* ... by the lower shape, the higher shape and the feature         */
    const char *integrator; /* whose memory it is; NULL: of the simulation's own                    */
    int memory_count;
    const tp_named_values *memory;
    tp_step_report last_step; /* for the output alone: energy and errors are computed anew                */
} tp_restart;

/* The present state. All pointers lead into the simulation: until its next step. */
void tp_simulation_checkpoint(const tp_simulation *simulation, tp_restart *restart_out);

/* Goes to a state, as if this simulation had come there by itself; its report starts anew. What does not fit
   the model and numbers that are not finite are TP_INVALID_DATA and change nothing. Memory of another
   integrator is left aside. */
tp_status tp_simulation_restore(tp_simulation *simulation, const tp_restart *restart, tp_message *why_out);

/* How many steps a run from the origin to the end takes; the last one may be shorter. */
long long tp_simulation_steps_until(const tp_simulation *simulation, double origin, double end_time);

const char *tp_event_kind_name(int kind); /* "impact", ...; NULL: there is none */

typedef struct tp_event {
    double time; /* end of the step in which it happened [s] */
    tp_event_kind kind;
    int law, row_count;              /* the law's number until the next step              */
    int shape_a, shape_b, feature;   /* of a contact between shapes; -1: it is none        */
    double impulse[TP_IMPULSE_ROWS]; /* of the law in that step, normal first [N s] or [N m s] */
    double velocity_before[TP_IMPULSE_ROWS],
        velocity_after[TP_IMPULSE_ROWS]; /* of the law's rows, in the directions of the step's end */
    double energy_lost;                  /* by the law in that step [J] */
    double point[3];                     /* where shapes touch at the step's end; NaN: not known */
} tp_event;

/* The events of the last step, in the order of laws; until the next step. */
const tp_event *tp_simulation_events(const tp_simulation *simulation, int *count_out);

/* Adds a warning to the report; the first of its kind and subject also goes to the log, later ones count and
   raise the figure. */
void tp_simulation_warn(tp_simulation *simulation, const tp_warning *warning);

/* All warnings of a report, a line each; "" without any. */
void tp_warnings_format(const tp_run_report *report,
                        char *lines_out /* [TP_WARNINGS_MAX * TP_WARNING_LINE] */);

/* First-order states (tippe/states.h) of the present state and the multipliers of the last step, until the
   next one; and output i at the present state, NaN: there is none. */
const double *tp_simulation_states(const tp_simulation *simulation);
const double *tp_simulation_multipliers(const tp_simulation *simulation);
double tp_simulation_output(const tp_simulation *simulation, int i);

/* The present state and its reports; pointers lead into the simulation and are good until its next step. */
const tp_simulation_options *tp_simulation_get_options(const tp_simulation *simulation);
double tp_simulation_time(const tp_simulation *simulation);
const double *tp_simulation_q(const tp_simulation *simulation);
const double *tp_simulation_u(const tp_simulation *simulation);
const tp_model *tp_simulation_model(const tp_simulation *simulation);
const tp_step_report *tp_simulation_last_step(const tp_simulation *simulation);
const tp_run_report *tp_simulation_report(const tp_simulation *simulation);

/* The last one-step problem of the last step, whether that step was solved or failed; of implicit integrators
   the last linearised one. tp_problem_write (tippe/exchange.h) writes it to a file. NULL: there was none. */
const tp_problem *tp_simulation_problem(const tp_simulation *simulation);

/* Laws of the model, and after them the contacts between shapes that are near each other: those have their
   numbers until the next step. */
int tp_simulation_law_count(const tp_simulation *simulation);

/* The name of a law. Contacts whose rule covers more than two shapes have the names of the two added; "":
   there is no such law. */
void tp_simulation_law_name(const tp_simulation *simulation, int law, char *name_out, size_t capacity);

/* Unit of a row of a law; NULL: there is no such row. */
const char *tp_simulation_law_unit(const tp_simulation *simulation, int law, int row,
                                   tp_law_quantity quantity);

/* Multipliers of law i (constraints, contacts, laws in the model's order) in the last step: impulse [N s]
   (of angles [N m s]: tp_model_law_unit) of each of its rows, normal first. Returns the number of rows; force
   = impulse / step. */
int tp_simulation_last_impulse(const tp_simulation *simulation, int law,
                               double *impulse_out /* [TP_IMPULSE_ROWS] */);

/* Impulse of law i that acted between the states before and after the last step, row by row. It is the last
   impulse, except under integrators whose multipliers act at the times of the states: there it is the mean of
   two. Returns the number of rows. Its sum over steps, with the impulses of forces, is the change of
   momentum.
   */
int tp_simulation_impulse(const tp_simulation *simulation, int law,
                          double *impulse_out /* [TP_IMPULSE_ROWS] */);

/* A part of the forces of law i that the integrator keeps, row by row. Returns the number of rows; 0: it
   keeps none (tp_integrator_info). */
int tp_simulation_kept_force(const tp_simulation *simulation, int law, tp_force_part part,
                             double *force_out /* [TP_IMPULSE_ROWS] */);

/* A contact point between two shapes at the present state, with its impulse of the last step. */
typedef struct tp_contact_info {
    int law, rule, shape_a, shape_b, feature;
    bool is_closed, was_closed; /* took part in the last step, and in the one before                */
    double gap;                 /* [m] INFINITY: the shapes have no such point now                  */
    double point[3], normal[3]; /* between the surfaces; from A to B; NaN where there is no point   */
    int row_count;
    double impulse[TP_IMPULSE_ROWS]; /* as tp_simulation_impulse has it */
} tp_contact_info;

/* False if law i is not between shapes. */
bool tp_simulation_contact(const tp_simulation *simulation, int law, tp_contact_info *contact_out);

/* Energy that law i took in the last step, and the work of its prescribed motion [J]; 0 for other numbers. */
double tp_simulation_dissipation(const tp_simulation *simulation, int law);
double tp_simulation_applied_work(const tp_simulation *simulation, int law);

/* Gap of contact law i at the present state [m] or [rad]; NaN if it is not a contact. */
double tp_simulation_gap(const tp_simulation *simulation, int law);
double tp_simulation_sensor(const tp_simulation *simulation, int sensor);

/* Acceleration i and force of row k of law i at the present state, where the options ask for accelerations;
   NaN: they do not, or no accelerations satisfy all laws. */
double tp_simulation_acceleration(const tp_simulation *simulation, int velocity);
double tp_simulation_row_force(const tp_simulation *simulation, int law, int row);
double tp_simulation_step_size(
    const tp_simulation *simulation); /* of the last step taken, or the time step of the options */

#ifdef __cplusplus
}
#endif

#endif
