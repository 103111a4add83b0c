/* The inside of a simulation, shared by its making, the loop, the report and checkpoints. */
#ifndef TP_SIMULATION_INSIDE_H
#define TP_SIMULATION_INSIDE_H

#include "integrator/accelerations.h"
#include "simulation/tolerances.h"
#include "simulation/watch.h"

/* Velocities of a body at the present state, and their mean change in the last step; NaN: there was none. */
typedef struct tp_motion_note {
    tp_vec3 v, w, dv, dw;
} tp_motion_note;

/* Room for one array by law, of items of a size; 0: none. */
typedef struct tp_spare_array {
    size_t item_bytes;
    void *items;
} tp_spare_array;
typedef struct tp_law_run tp_law_run;
enum { TP_LAW_SIZES = 4 }; /* of items that are kept: rows, doubles, bytes; and an end */

struct tp_simulation {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_arena laws_arena, step_arena[2]; /* laws.c: what is kept by law, what a step needs for the laws ... */
    int step_memory;                    /* ... and which of the two is in use                              */
    int laws_room;                      /* laws that it has room for ...                                   */
    tp_law_run *laws_runs;              /* ... [laws_room] work, and arrays that others move into          */
    tp_spare_array laws_spare[TP_LAW_SIZES];
    const tp_model *model; /* as it was given: what users see ...                                */
    tp_model *realised;    /* ... and with affine bodies: what steps see; NULL: the same model     */
    tp_simulation_options options;
    tp_log log; /* of the options */
    const tp_integrator *integrator;
    tp_stepper stepper;
    tp_pool *pool;     /* NULL: one thread */
    tp_state state[2]; /* present and next: a step writes the other one */
    tp_state part[3];  /* between the parts of a step that is divided, in turn; sums over them */
    int present;
    double *q[2], *u[2]; /* of the given model in state[0] and state[1]; not realised: the state's own */
    double origin;       /* the run steps to the times origin + k time_step [s] */
    long long count;     /* k of the present state                              */
    int memory_count;
    tp_named_values *memory[2]; /* [memory_count] the integrator's memory in state[0] and state[1] */
    int angle_memory;    /* which of them holds the counted angles of joints, -1: there are none      */
    int input_memory;    /* which of them holds the inputs of the last step; those of the next one follow   */
    int realised_memory; /* which of them are q and, after it, u of the realised model, -1: not realised */
    tp_step_report last;
    tp_run_report report;
    double step_size;
    int stuck_steps;    /* in a row in which the correction took nothing back */
    bool is_at_start;   /* no step was taken and no state restored */
    bool is_at_present; /* the system was left at the present state: what is asked of it needs no new move */
    double iteration_sum;
    double *W;                  /* rows of one law */
    unsigned char *mode;        /* [laws] of the present state, events.c */
    tp_motion_note *motion;     /* [bodies] by_id.c */
    tp_event *events;           /* [laws] of the last step */
    tp_restart_contact *closed; /* [laws] work of a checkpoint */
    unsigned char *axis; /* [laws] tp_held_axis of the present state: in those frames are its impulses */
    unsigned char *kept; /* [laws] of integrators that keep forces: what the search must not lose */
    int event_count;
    int event_room;
    tp_watch watch;
    tp_accelerations *accelerations; /* accelerate.c; NULL: nobody has asked */
};

/* laws.c: memory for the laws that the system has now; what was kept by law follows. */
tp_status tp_simulation_take_laws(tp_simulation *simulation);

/* Does a law have something that the next step needs? */
bool tp_simulation_keeps_law(const tp_simulation *simulation, const tp_state *state, int law);

/* Chooses the tangents of closed contacts by their normals at a state, where the system is, and turns the
   impulses and forces of the state into them. */
void tp_simulation_hold_tangents(tp_simulation *simulation, tp_state *state);

/* Looks for the contacts of a step from the present state. */
tp_status tp_simulation_find_contacts(tp_simulation *simulation, double dt);

/* After a step: the contacts that it would have seen had it known how far impulses throw bodies. True: there
   are more than before, and the step is to be taken again. */
tp_status tp_simulation_find_missed(tp_simulation *simulation, const tp_state *to, bool *is_changed_out);

/* Laws as users count them: those of the given model, then the contacts between shapes; and back. */
static inline int tp_simulation_shown_law(const tp_simulation *simulation, int law)
{
    const tp_system *system = simulation->stepper.system;
    return law < simulation->model->laws.count ? law
                                               : law - system->fixed_count + simulation->model->laws.count;
}
static inline int tp_simulation_inner_law(const tp_simulation *simulation, int shown)
{
    const tp_system *system = simulation->stepper.system;
    return shown < simulation->model->laws.count
               ? shown
               : shown - simulation->model->laws.count + system->fixed_count;
}

/* Numbers and names that no simulation can have. */
tp_status tp_simulation_check_options(const tp_simulation_options *options, tp_message *why_out);

/* Options that this integrator cannot have, or that contradict each other. */
tp_status tp_simulation_check_integrator(const tp_integrator *integrator,
                                         const tp_simulation_options *options, tp_message *why_out);

/* As tp_simulation_create, with an integrator that need not be in the list. */
tp_status tp_simulation_create_with(const tp_allocator *allocator, const tp_model *model,
                                    const tp_simulation_options *options, const tp_integrator *integrator,
                                    tp_simulation **simulation_out, tp_message *why_out);

/* shown.c: makes the model that steps see, where it is another one than the given model. */
tp_status tp_simulation_realise(tp_simulation *simulation, tp_message *why_out);

/* Memory for what is shown of both states; those of the steps are there. The arena says if there is none. */
void tp_simulation_take_shown(tp_simulation *simulation);

/* Coordinates and velocities of the given model into a state. */
void tp_simulation_put(tp_simulation *simulation, tp_state *state, const double *q, const double *u);

/* What the given model shows of a state, where the system is. */
void tp_simulation_show(tp_simulation *simulation, const tp_state *state);

/* First-order states and multipliers of a state: the system shows them from now on. */
void tp_simulation_show_states(const tp_simulation *simulation, const tp_state *state);

/* inputs.c: those of the next step into the system and into the state that it leads to; returns by how much
   the potential energy jumps with them at the present state [J]. */
double tp_simulation_apply_inputs(tp_simulation *simulation, const tp_state *from, tp_state *to);

/* The initial state, and the integrator's memory there. */
tp_status tp_simulation_take_start(tp_simulation *simulation);

/* Inputs, angles of joints and signs of quaternions that are shown are those of, or nearest to those of, a
   state. */
void tp_simulation_refer_to(const tp_simulation *simulation, const tp_state *state);

/* Counts the turns of joints at a state, from the system's reference on; both keep the result. */
void tp_simulation_count_turns(tp_simulation *simulation, tp_state *state);

/* False for a step of another length than that of the options, where the integrator needs all alike. */
bool tp_simulation_fits_step(const tp_simulation *simulation, double dt);

/* parts.c: may a step that ended so be taken in parts? If so: in 2, 4, ... until each has a solution; adds to
   the report. TP_NOT_CONVERGED: no number of parts helps. */
bool tp_simulation_divides(const tp_integrator *integrator);
bool tp_simulation_may_divide(const tp_simulation *simulation, tp_status status);
/* Whether a step that was solved has its energy from nowhere: it is too long for the motion. */
bool tp_simulation_explodes(const tp_simulation *simulation, const tp_state *from, const tp_state *to,
                            const tp_step_report *step);
tp_status tp_simulation_divide_step(tp_simulation *simulation, const tp_state *from, tp_state *to,
                                    tp_step_report *step_io);

/* Energy and errors of joints and contacts at a state; the system is moved there. */
void tp_simulation_examine(tp_simulation *simulation, const tp_state *state, tp_step_report *report);

/* failure.c: a failed step in words: what kind of failure, its figures, and the law with the largest error;
   and the name of the law with the largest error in an island that was not solved ("": not known). */
void tp_simulation_name_unsolved(const tp_simulation *simulation, char *name_out, size_t capacity);
void tp_simulation_describe_failure(tp_simulation *simulation, tp_status status, const tp_step_report *step);
/* The same of what an integrator finds before its first step. */
void tp_simulation_describe_start(const tp_simulation *simulation, tp_status status, tp_message *why_out);

/* Brings the system back to the present state. */
void tp_simulation_settle(tp_simulation *simulation);

/* by_id.c: notes how bodies move at the present point of the system, after a step of that length; 0: no step
   led here. */
void tp_simulation_note_motion(tp_simulation *simulation, double step);

/* The system at the present state: it is scratch memory, moving it does not change the simulation. */
tp_system *tp_simulation_system(const tp_simulation *simulation);

/* accelerate.c: memory for accelerations at a state, taken when somebody asks for the first time, or when the
   simulation is made for a model with sensors of them. */
tp_status tp_simulation_take_accelerations(tp_simulation *simulation);

/* Accelerations and forces at the present state, which are kept; the memory is there. */
tp_status tp_simulation_find_accelerations(const tp_simulation *simulation);

/* events.c: the modes of a state that no step led to, of all laws or of one; what the last step changed,
   where the system is at its end, and how many impacts there are among it. */
void tp_simulation_begin_events(tp_simulation *simulation, const tp_state *state);
void tp_simulation_begin_mode(tp_simulation *simulation, const tp_state *state, int law);
int tp_simulation_find_events(tp_simulation *simulation, const tp_state *from, const tp_state *to);

/* As tp_simulation_warn; returns where the warning stands among those of the run: 1, 2, ... or
   TP_WARNING_HAS_NO_PLACE. It stands there to the end, and its subject need not be composed again. */
enum { TP_WARNING_HAS_NO_PLACE = 255 };
int tp_simulation_place_warning(tp_simulation *simulation, const tp_warning *warning);

/* Counts the warning at a place once more. False: place is 0, there was none yet. */
bool tp_simulation_warn_again(tp_simulation *simulation, int place, double figure);

/* Begins the report at the present state; warnings stay. */
void tp_simulation_begin_report(tp_simulation *simulation);

/* Adds the last step, which began with that energy [J]. */
void tp_simulation_update_report(tp_simulation *simulation, double energy_before);

#endif
