/* Looks at every state of a run for what is off, and warns; docs/guide/warnings.md. Thresholds are fractions
   of sizes that the scene has itself: other units, places and directions make no difference. */
#ifndef TP_SIMULATION_WATCH_H
#define TP_SIMULATION_WATCH_H

#include "integrator/integrators.h"
#include "tippe/simulation.h"

/* Errors of so many steps say nothing about a motion that begins from rest. */
enum { TP_WATCH_START = 10 };

/* Sizes that errors are measured against, and what was seen so far. Arrays by law of the model that steps
   see. */
typedef struct tp_watch {
    double *length;      /* of the bodies of a joint, of the shapes of a contact [m]; 0: unknown, rows tell */
    double *row_size;    /* sum |W_j| size_j of the rows of a law, the largest so far                       */
    double *speed;       /* of the bodies of a joint, the largest so far [m/s]                              */
    double *spin;        /* their angular velocity, the same [rad/s]                                        */
    double *gap_size;    /* of a gap without shapes                                                         */
    double *depth_start; /* of a contact in the initial state [m]; of a pair at its first law               */
    unsigned char *sinks; /* where the warning stands that the contact sinks; 0: there was none; of a pair the
                             same */
    bool has_sizes; /* a law may need the next two: it is none between shapes, or these have no length      */
    double *size, *rate; /* [u_count] of the positions that belong to a velocity, and of the velocity       */
    double *mass;        /* [general_u] diagonal of the mass matrix where the run begins                    */
    char unsolved[80];   /* name of the first law with the largest error in an island that was not solved */
    double start_energy; /* that the forces there give to bodies at rest in TP_WATCH_START steps [J] */
    double begin_time;   /* [s] */
    double pair_depth;   /* of the points of a pair that were visited                                       */
    bool has_start;      /* depth_start is known */
    double kinetic_most, potential_least, potential_most; /* so far [J]              */
    double applied;       /* work of applied loads so far, sum of sizes [J]          */
    double balance;       /* energy minus work of applied loads so far [J] ...       */
    double before[2];     /* ... after the last step and the one before              */
    double balance_least; /* least of the largest of three in a row, since the last warning */
    double
        unexplained[6];  /* balance and what laws and dampers took, after the last six steps, newest first */
    double free_balance; /* the balance over steps in which nothing could take energy  */
    double free_most;    /* ... and its largest since the last warning              */
    double thinnest;     /* least length of a contact between shapes [m]            */
    double balance_most; /* of `balance` while contacts hold no energy, since the last warning */
    double impact_loss;  /* in impacts beyond what their laws take, since the last warning */
    double power;        /* of dampers at the last state [W] ...                    */
    double damping;      /* ... and the larger of that and the one at the state before     */
} tp_watch;

/* What one law shows at a state. */
typedef struct tp_law_state {
    double t;
    int law;
    const double *g, *gamma; /* [row_count] positions and velocities of its rows */
    const double *W;         /* [row_count column_count]                         */
} tp_law_state;

/* Memory but that of laws. */
tp_status tp_watch_create(tp_simulation *simulation);

/* Lengths of the laws that there are now. */
void tp_watch_see_lengths(tp_simulation *simulation);

/* Forgets what was seen, but not the initial state; the run goes on from a state. */
void tp_watch_begin(tp_simulation *simulation, const tp_state *state);

/* While the system is at a state: each joint or constraint, each gap in the order of laws. */
void tp_watch_joint(tp_simulation *simulation, const tp_law_state *at);
void tp_watch_gap(tp_simulation *simulation, double t, int law, double gap);

/* Whether tp_watch_gap would remember nothing of a contact between shapes and not warn of it. */
bool tp_watch_is_quiet(const tp_simulation *simulation, int law, double gap);

/* After a step, with the system at its end: near pairs that passed through each other unseen. */
void tp_watch_passages(tp_simulation *simulation, const tp_state *to);

/* What is off, and how much. */
typedef struct tp_finding {
    tp_warning_kind kind;
    const char *subject;
    double figure;
    const char *unit; /* NULL: that of the kind    */
    double time;      /* [s]; NaN: of the present state */
} tp_finding;
/* Returns its place; tp_simulation_place_warning. */
int tp_watch_warn(tp_simulation *simulation, const tp_finding *found);

/* A law as warnings call it: points of two shapes have one name; name_out [TP_CONTACT_NAME]. */
void tp_watch_name(const tp_system *system, int law, char *name_out);

/* watch_start.c: the initial state. */
void tp_watch_start(tp_simulation *simulation);

/* watch_energy.c: energies while the system is at a state. */
void tp_watch_energies(tp_simulation *simulation, double kinetic, double potential);

/* The last step, which is the present state now. */
void tp_watch_step(tp_simulation *simulation, double energy_before);

/* watch_sizes.c: inertia and forces at the system's point, and sizes there. */
void tp_watch_see_inertia(tp_watch *watch, tp_stepper *stepper);
void tp_watch_see_sizes(tp_watch *watch, const tp_system *system);

/* Size of a joint or contact from its bodies and shapes [m]; 0: they have none. */
double tp_law_length(const tp_simulation *simulation, int law);

/* No contact between shapes has a smaller one [m]; INFINITY: there is none. */
double tp_shape_length_least(const tp_model *model);

/* Whether every pair of shapes that may touch has a length of its own: all shapes that move have one. */
bool tp_shapes_have_lengths(const tp_model *model);

#endif
