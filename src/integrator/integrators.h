/* What an integrator is: one file, one descriptor, one line in the list below. */
#ifndef TP_INTEGRATOR_INTEGRATORS_H
#define TP_INTEGRATOR_INTEGRATORS_H

#include "account.h"
#include "system/redundancy.h"
#include "system/states.h"
#include "system/step_problem.h"
#include "tippe/inclusion.h"
#include "tippe/integrator.h"
#include "tippe/solver.h"
#include "tippe/warning.h"

/* How long an array of an integrator's memory is. */
typedef enum tp_memory_length {
    TP_MEMORY_ONE,            /* a number                      */
    TP_MEMORY_PER_COORDINATE, /* as q                          */
    TP_MEMORY_PER_VELOCITY,   /* as u                          */
    TP_MEMORY_PER_SPRING,     /* compliant contacts */
    TP_MEMORY_OWN             /* as the integrator's `memory_length` says */
} tp_memory_length;

/* What an integrator keeps from step to step beside t, q and u: part of every checkpoint. */
typedef struct tp_memory_field {
    const char *name; /* NULL ends the list */
    tp_memory_length length;
} tp_memory_field;

/* Part k of the forces of a law in a state: [TP_LAW_ROWS]. */
#define TP_STATE_FORCE(state, law, k) ((state)->force[k] + (size_t)(law)*TP_LAW_ROWS)

/* All that a step reads and writes. Multipliers are kept by law, TP_LAW_ROWS each. */
typedef struct tp_state {
    double t;
    double *q, *u;
    double *x, *multiplier; /* first-order states, and the multipliers of their relations in that step */
    double *impulse; /* [law_count * TP_LAW_ROWS] of the step that led here: warm start and output; laws have
                        the numbers that the system gives them now */
    double *force[TP_FORCE_PARTS]; /* [law_count * TP_LAW_ROWS] of integrators that keep forces of laws */
    unsigned char *is_closed; /* [law_count] took part in that step                                         */
    double **memory; /* [fields of the integrator's memory] its arrays: read from one state, written to the
                        next */
} tp_state;

typedef struct tp_projection tp_projection;
typedef struct tp_correction tp_correction;

/* Scratch memory and options of a simulation, shared by all integrators. */
typedef struct tp_stepper {
    const struct tp_integrator *integrator;
    const tp_model *model;
    tp_system *system;
    tp_step_problem *problem;
    tp_workspace *solver_memory;
    const tp_simulation_options *options;
    tp_interrupt interrupt; /* asked within steps; NULL: never */
    void *interrupt_context;
    double limit; /* time that a step may not pass, where the integrator chooses its end: at least the time
                     that is asked for [s] */
    double *q_middle, *u_middle; /* [q_count], [u_count]         */
    double *M, *h, *x;           /* values in the mass pattern, [u_count] twice */
    double *chi;                 /* [all rows] chi of each row in the step problem */
    double last_step;            /* length of the step that led to the state [s]; 0: none did            */
    double row_size;             /* largest sum |W u| + |chi| of a row in it: rounding is a part of this */
    double tear; /* of joints that forces hold: how far the step misses their law, of what is resolved */
    double *row_noise;  /* [all rows] rounding of each of them ... */
    bool has_row_noise; /* ... where the next problem has it       */
    bool has_no_end;    /* the present step stopped inside: no state to go on from               */
    bool is_usable;     /* what the present step left unsolved is within the limit of the options */
    const tp_problem
        *unsolved; /* the problem that it was left in, NULL: none; the set with its largest error */
    int unsolved_set;
    const tp_problem *solved; /* the last problem of the present step that went to a solver; NULL: none ... */
    const double *solved_P;   /* ... and what came back                                                     */
    tp_account account;       /* of the present step */
    const double *chi_end;    /* [rows] chi at the end of the step; set by schemes that may be corrected */
    double kept_part;    /* of theory/correction.md (3a), up to which contacts are kept; tp_stepper_begin */
    double kept_parting; /* of the velocity d P, with which they may part then */
    double end_weight;   /* of the velocities of the step's end in its positions; theirs, too */
    tp_projection *projection; /* NULL: none is asked for */
    tp_correction *correction; /* NULL: none is asked for */
    tp_redundancy *redundancy; /* NULL: the integrator takes all rows */
    bool has_joint_factors;    /* ... and holds factors of all rows of the present step: joints alone */
    char
        cause[320]; /* why the step failed, where an integrator knows more than its status says; else empty */
    struct tp_tangent *tangent; /* of event-driven: how its motion changes with the start; NULL: not asked */
    bool has_no_impact;         /* the impact at the start of the step is proven to have no solution */
    void *scratch;              /* of the integrator's own, made by its `prepare`; not part of the state */
} tp_stepper;

/* Before a step, or a part of one, from this state: nothing is unsolved yet; which contacts are kept. */
void tp_stepper_begin(tp_stepper *stepper, const tp_state *from);

/* The default tolerance of step problems: solved to rounding. */
#define TP_EXACT_TOLERANCE 1e-14

/* The gap up to which the contact takes part in a step [m] or [rad]. */
static inline double tp_stepper_closing_gap(const tp_stepper *stepper, int law)
{
    return tp_law_closing_gap(stepper->model, tp_system_law(stepper->system, law),
                              stepper->options->contact_tolerance);
}

/* An event that an integrator knows by itself, with the velocities and impulses of its instant. */
typedef struct tp_integrator_event {
    double time;
    tp_event_kind kind;
    int law;
    double impulse[TP_LAW_ROWS], before[TP_LAW_ROWS], after[TP_LAW_ROWS];
} tp_integrator_event;

/* What a model may have and an integrator may refuse; the first that it has is named. */
typedef enum tp_feature {
    TP_FEATURE_OWN_VELOCITIES, /* u is not q' by the model's own rates                */
    TP_FEATURE_SCALABLE,       /* bodies that change their size                       */
    TP_FEATURE_FLAT_BODY,      /* a rigid body whose mass lies in a plane or on a line */
    TP_FEATURE_VARIABLE_MASS,  /* M(q) or M(t)                                        */
    TP_FEATURE_CONTACT,
    TP_FEATURE_TANGENTIAL_RESTITUTION,
    TP_FEATURE_FRICTION,            /* of contacts                                                  */
    TP_FEATURE_PARTIAL_RESTITUTION, /* a contact with restitution below 1                           */
    TP_FEATURE_VELOCITY_LAW,        /* constraints and laws on velocities                           */
    TP_FEATURE_MOVING_RESTITUTION,  /* a contact whose gap depends on time, with restitution above 0 */
    TP_FEATURE_MOVING_LAW,      /* rows or velocities of laws that depend on time or have a part without u */
    TP_FEATURE_MOVING_ENERGY,   /* energies or bodies that depend on time */
    TP_FEATURE_KINKED_CONTACT,  /* between shapes that are not smooth where they touch: no second level */
    TP_FEATURE_STATES,          /* first-order states or relations */
    TP_FEATURE_STATIC_FRICTION, /* more friction while it sticks than while it slides */
    TP_FEATURE_COUNT
} tp_feature;

/* Whether a step leaves out rows of joints that depend on others: then there is stepper->redundancy. */
typedef enum tp_leaving_out {
    TP_LEAVES_OUT_NONE,
    TP_LEAVES_OUT_UNLESS_FOLLOWED, /* all stay where friction follows reactions of joints, for those of least
                                      norm */
    TP_LEAVES_OUT_ALWAYS
} tp_leaving_out;

/* What an integrator makes of rigid bodies. */
typedef enum tp_realisation {
    TP_REALISE_GIVEN,      /* position and quaternion                                  */
    TP_REALISE_QUATERNION, /* the same, and affine bodies contradict what it is        */
    TP_REALISE_EITHER,     /* that, or affine bodies where options ask for them        */
    TP_REALISE_AFFINE      /* always affine bodies: its coordinates need u = q'        */
} tp_realisation;

enum { TP_INTEGRATOR_WARNINGS = 2 }; /* at most */

/* A case in which an integrator holds less than it promises. */
typedef struct tp_integrator_warning {
    tp_warning_kind kind;
    bool (*is_due)(const tp_stepper *stepper, tp_warning *warning_io); /* sets subject and text if it is */
} tp_integrator_warning;

typedef struct tp_integrator {
    tp_integrator_info info;
    const void *variant; /* of integrators that share a file: what distinguishes them */
    tp_realisation realisation;
    const char *refuses[TP_FEATURE_COUNT]; /* why it cannot treat a feature, after its name; NULL: it can */
    /* TP_UNSUPPORTED with the reason for anything else it cannot treat; may be NULL. */
    tp_status (*refuse)(const tp_model *model, tp_message *why_out);
    /* The reason why options of its own cannot be; may be NULL. */
    tp_status (*check_options)(const tp_model *model, const tp_simulation_options *options,
                               tp_message *why_out);
    /* From a const state to the next one, whose time is set (one that chooses its steps may set it to an
     * earlier time: ode_steps.h); fills iterations, residual, contact_count,
     * applied_work of the report and books impulses in stepper->account. */
    tp_status (*step)(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                      tp_step_report *report);
    const tp_memory_field *memory; /* NULL: none. All else that a step depends on must be in the state */
    int (*memory_length)(const tp_stepper *stepper, int field); /* of fields that are TP_MEMORY_OWN */
    /* Fills the memory at a state that no step of this integrator led to; NULL: it begins with zeros. */
    tp_status (*start)(tp_stepper *stepper, tp_state *state);
    /* Marks a state at which no step of the options' length can start: the next one is taken in parts, too.
       NULL: a step that ends in such a state fails. */
    void (*wait_to_start)(tp_state *state);
    /* Scratch memory of its own from the arena, into stepper->scratch, for the laws that the system has now;
       the rest of the stepper is ready. Called again when there are more contacts than room, with the scratch
       memory of before still in stepper->scratch. May be NULL. */
    tp_status (*prepare)(tp_stepper *stepper, tp_arena *arena);
    /* Frees what the scratch memory holds outside of the arena; NULL: nothing. */
    void (*release)(void *scratch);
    /* Figures of the run so far besides those of its steps, with names that stay: at most
       TP_STATISTICS_MAX; returns their number. May be NULL. */
    int (*statistics)(const tp_stepper *stepper, tp_statistic *list_out);
    /* Largest omega dt at which undamped vibrations stay bounded: INFINITY where there is no limit, 0 where
     * they always grow. */
    double (*stability_limit)(const tp_simulation_options *options);
    /* Whether these options ask for damping of vibrations that a step does not resolve; NULL: never. */
    bool (*damps_vibrations)(const tp_simulation_options *options);
    tp_integrator_warning warn[TP_INTEGRATOR_WARNINGS + 1]; /* given when a run begins; is_due NULL ends it */
    /* If the step that was taken last shows less than it promises, with subject, figure and text; asked after
     * every step until it is false. is_due may be NULL. */
    tp_integrator_warning notice;
    /* The events of the last step, where they are not seen from its impulses; NULL: they are. */
    const tp_integrator_event *(*events)(const tp_stepper *stepper, int *count_out);
    /* What its equations do to the model beside what is wanted, in a sentence that goes on after "yes, but";
     * NULL: nothing. May be NULL. */
    const char *(*caveat)(const tp_model *model, const tp_simulation_options *options);
    bool follows_contacts; /* scratch memory depends on which shapes are near: `prepare` whenever that changes
                            */
    double reach; /* how far ahead of its start a step looks for contacts, in steps ...               */
    double (*reach_of)(
        const tp_simulation_options *options); /* ... where that depends on options; else NULL */
    /* Positions at which a step has asked for gaps and which its impulses have moved, after the step to `to`:
       where they lie beyond the reach the step is taken again with the contacts it has missed. NULL: gaps are
       asked at positions that are known before. */
    const double *(*moved_to)(const tp_stepper *stepper, const tp_state *to);
    /* The law of a set of stepper->solved, where that is a problem of its own; NULL: there is none. */
    int (*law_of_set)(const tp_stepper *stepper, int set);
    /* The state or relation of a set of stepper->solved; NULL: it is that of a law. May be NULL. */
    const char *(*name_of_set)(const tp_stepper *stepper, int set);
    bool takes_states;        /* first-order states and relations are stepped, too */
    bool takes_static;        /* static friction: by tp_static_solve, or by modes */
    bool may_project;         /* holds joints on velocity level: positions may be projected after its steps */
    bool may_separate;        /* keeps overlaps of impacts: a correction may take them back              */
    tp_levels levels;         /* of rigid laws                                             */
    tp_system_options system; /* what its system leaves to it: compliant contacts, gyroscopic terms */
    tp_leaving_out leaves_out_rows; /* of joints that depend on others */
    bool may_divide; /* a step without a solution may be taken in parts: what is remembered between steps does
                        not depend on their length */
    bool balances_energy; /* every step must be solved: no margin for large islands unless options give one */
    bool impacts_last;    /* contacts push for several steps and give back energy that they took */
    bool laws_store;      /* so do all laws: they are springs */
    bool yields;          /* forces hold joints, which open where a step is too long: stepper->tear */
    bool may_refuse_late; /* what it cannot treat may show at the start or in a run: not named as a way out */
    bool has_fixed_step;  /* all steps must have the length of the options */
    bool
        has_impulses_at_states; /* an impulse acts at the time of a state, half of it before and half after */
} tp_integrator;

const tp_integrator *tp_integrator_by_name(const char *name);

/* Stability limits: none, where energy is bounded or steps are as short as it takes; and 2, that of the
   leapfrog and of the symplectic Euler step. */
double tp_integrator_no_limit(const tp_simulation_options *options);
double tp_integrator_leapfrog_limit(const tp_simulation_options *options);

/* Are rigid bodies affine in a run with these options? */
bool tp_integrator_is_affine(const tp_integrator *integrator, const tp_simulation_options *options);

/* What it makes of the inertia of a model, in few words: the variant of the scheme and the form of bodies;
   NULL where there is nothing to choose. */
const char *tp_integrator_form(const tp_integrator *integrator, const tp_model *model,
                               const tp_simulation_options *options);

/* Why it cannot treat a feature, after its name; NULL: it can. */
const char *tp_integrator_refusal(const tp_integrator *integrator, tp_feature feature);

/* The first contact rule between shapes whose gap may have kinks; NULL: there is none. */
const tp_contact_rule *tp_model_find_kinked_rule(const tp_model *model);

/* TP_UNSUPPORTED for a solver (NULL: auto) that takes fewer laws than a model has. */
tp_status tp_integrator_check_solver(const char *name, const tp_model *model, tp_message *why_out);

/* Adds the integrators that can to a reason of an integrator's own. */
void tp_integrator_name_others(const tp_model *model, tp_message *why_io);

/* TP_UNSUPPORTED with the place, the reason and the integrators that can, for a model it cannot treat. */
tp_status tp_integrator_check(const tp_integrator *integrator, const tp_model *model, tp_message *why_out);

/* The one list of all integrators, in the order of `tippe list integrators`: tp_integrator_NAME of each. */
#define TP_INTEGRATOR_LIST(X)                                                                                \
    X(moreau)                                                                                                \
    X(moreau_jean)                                                                                           \
    X(schatzman_paoli)                                                                                       \
    X(symmetric_moreau)                                                                                      \
    X(generalized_alpha)                                                                                     \
    X(consistent_position)                                                                                   \
    X(consistent)                                                                                            \
    X(consistent_elastic)                                                                                    \
    X(consistent_two_step)                                                                                   \
    X(consistent_quaternion)                                                                                 \
    X(consistent_quaternion_two_step)                                                                        \
    X(consistent_hybrid)                                                                                     \
    X(jet_projection)                                                                                        \
    X(relaxed_dai)                                                                                           \
    X(relaxed_dai_adaptive)                                                                                  \
    X(penalty)                                                                                               \
    X(theta_gamma)                                                                                           \
    X(event_driven)

#define TP_DECLARE_INTEGRATOR(name) extern const tp_integrator tp_integrator_##name;
TP_INTEGRATOR_LIST(TP_DECLARE_INTEGRATOR)
#undef TP_DECLARE_INTEGRATOR

/* System and solver work with the threads of this pool from now on; it is borrowed. NULL: one thread. */
void tp_stepper_share_pool(tp_stepper *stepper, tp_pool *pool);

/* Solves the step problem to the limit of double precision; P in stepper->problem, x in stepper->x.
 * TP_NOT_CONVERGED unless accepted. */
tp_status tp_stepper_solve(tp_stepper *stepper, tp_step_report *report);

/* The same with a policy for several solutions. One contact alone is solved by all its cases, so that the
   report has their number. */
tp_status tp_stepper_solve_branch(tp_stepper *stepper, tp_branch branch, tp_step_report *report);

/* The same with a tolerance so much sharper that the answer changes the energy by rounding alone. */
tp_status tp_stepper_solve_sharply(tp_stepper *stepper, tp_step_report *report);

/* The same for a nonlinear inclusion whose linearisation is the step problem, by linearised inclusions; x
   (the start is 0) in stepper->x. */
tp_status tp_stepper_solve_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion,
                                     tp_step_report *report);

/* The same with unknowns (start and answer) and multipliers of the integrator's own, and one linearised
   inclusion more: an exact account of energy needs every row to rounding. */
tp_status tp_stepper_polish_inclusion(tp_stepper *stepper, const tp_inclusion *inclusion, double *x,
                                      double *P, tp_step_report *report);

/* The same in a manner of the integrator's own. */
typedef struct tp_block_manner {
    bool polish;         /* with that one inclusion more          */
    bool by_projections; /* these first                           */
    int max_linearised;  /* inclusions at most; 0: the default    */
    int patience;        /* with inclusions that are no better; 0: the default */
    double work_limit;   /* of each inclusion [block products]; 0: the default */
} tp_block_manner;
tp_status tp_stepper_solve_blocks(tp_stepper *stepper, const tp_inclusion *inclusion,
                                  const tp_block_manner *manner, double *x, double *P,
                                  tp_step_report *report);

/* True if a step with this status is used: solved, or accepted unsolved. */
bool tp_stepper_accepts(const tp_stepper *stepper, tp_status status);

/* Impulses by law, and the work of prescribed motion -P chi with stepper->chi. */
void tp_stepper_keep_impulses(const tp_stepper *stepper, tp_state *to, tp_step_report *report);

/* The answer of the step problem, which changed the velocities so, into the account; chi [rows], NULL: 0. */
void tp_stepper_book(tp_stepper *stepper, const double *chi, const double *u_from, const double *u_to);

/* projection.c: memory for it, from the arena; and the projection of a state's positions. TP_NOT_CONVERGED:
   the tolerance was not reached, the best point is kept. */
tp_status tp_projection_create(tp_stepper *stepper, tp_arena *arena);
tp_status tp_stepper_project(tp_stepper *stepper, tp_state *state);
double tp_stepper_projection_left(const tp_stepper *stepper); /* largest error there [m] or [rad] */

/* The same for positions within a step, onto joints alone; nothing where no projection is asked for. */
tp_status tp_stepper_project_joints(tp_stepper *stepper, double t, const double *u, double *q);

#endif
