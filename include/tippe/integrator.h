/* Integrators: their list, the options of a run that they share, and the report of one step. */
#ifndef TIPPE_INTEGRATOR_H
#define TIPPE_INTEGRATOR_H

#include "tippe/jet.h"
#include "tippe/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_integrator_info {
    const char *name, *text;
    bool chooses_steps; /* by its estimate of errors (atol, rtol), or at events; time_step is then the
                           distance of the states that are shown */
    bool keeps_forces;  /* of laws, with the state: tp_simulation_kept_force */
    bool keeps_modes;   /* of contacts, all numbers of TP_FORCE_MEAN whatever rows a contact has */
} tp_integrator_info;

/* What integrators that keep forces of laws have of each row: the force at the state (lambda), the mean from
   which the next step goes on, and the impulse of impacts in the last step (Lambda): what its whole impulse P
   is beyond the integral of the force. */
typedef enum tp_force_part { TP_FORCE_LAST, TP_FORCE_MEAN, TP_FORCE_IMPACT, TP_FORCE_PARTS } tp_force_part;

/* The integrators of the library by number, in the order of `tippe list integrators`; NULL: there is none. */
int tp_integrator_count(void);
const tp_integrator_info *tp_integrator_info_at(int index);
int tp_integrator_find(const char *name); /* -1 if unknown */

/* On which derivatives of the relations y of a law an integrator works (0: positions, 1: velocities): outputs
   are the derivatives it evaluates, inputs those at which multipliers act; docs/theory/topology.md. */
typedef struct tp_levels {
    int output_min, output_max;
    int input_min, input_max;
} tp_levels;

/* Levels for rigid laws, or for compliant contacts. False: the integrator has none (compliant contacts are
   then forces), or there is no such integrator. */
bool tp_integrator_levels(int index, bool is_compliant, tp_levels *levels_out);

/* Where the theta-method takes kinematics and forces; docs/theory/moreau-jean.md (16)-(20). For u = q' the
   first three are the same. */
typedef enum tp_theta_variant {
    TP_THETA_PREDICTED, /* q' at the start, and at the end at predicted positions, weighted by theta     */
    TP_THETA_START,     /* B at the start: a body's quaternion turns by Cayley's map                      */
    TP_THETA_END,       /* B at the end                                                                   */
    TP_THETA_MIDPOINT,  /* B and forces midway between start and end: energy of free bodies is kept       */
    TP_THETA_SEMI_EXPLICIT /* forces, B and rows of laws at the start */
} tp_theta_variant;

/* Name of a variant ("predicted", ...), NULL after the last. */
const char *tp_theta_variant_name(int variant);

/* Options of the integrator moreau-jean; docs/theory/moreau-jean.md. */
typedef struct tp_theta_options {
    double theta; /* weight of the step's end in smooth forces and positions, 0 to 1; from 1/2 on stable */
    double mass_prediction; /* the mass matrix is that of q + mass_prediction dt q', 0 to 1 */
    double forecast; /* a contact takes part if gap + forecast dt gap' is closed, 0 to 1                    */
    bool refresh_rows; /* rows of the laws at the positions of the step's end; else at those of its start */
    tp_theta_variant variant;
} tp_theta_options;

/* How first-order states are stepped; docs/theory/theta-gamma.md (5)-(8). */
typedef enum tp_gamma_variant {
    TP_GAMMA_STANDARD, /* relations at the end of a step, f weighted by theta, r by gamma          */
    TP_GAMMA_FULL,     /* relations at t + gamma dt, f weighted by theta: theta = gamma = 1/2 dissipates
                          what a passive system does, exactly                                       */
    TP_GAMMA_MIDPOINT  /* the same, and f at t + theta dt                                           */
} tp_gamma_variant;
const char *tp_gamma_variant_name(int variant); /* "standard", ...; NULL after the last */

/* Options of the integrator theta-gamma, and of states under moreau-jean. */
typedef struct tp_gamma_options {
    double theta, gamma; /* 0 to 1 */
    tp_gamma_variant variant;
} tp_gamma_options;

/* Projection of positions onto joints and closed contacts after each step, for schemes that hold them on
   velocity level; docs/theory/projection.md. */
typedef enum tp_projection_kind {
    TP_PROJECTION_NONE,
    TP_PROJECTION_VELOCITIES, /* corrections along velocities; quaternions are divided by their length      */
    TP_PROJECTION_COORDINATES /* corrections of coordinates, with the unit length as one more constraint */
} tp_projection_kind;

typedef struct tp_projection_options {
    tp_projection_kind kind;
    double tolerance; /* largest error of a joint and penetration of a closed contact that may stay: of
                         lengths times the size of the scene, of angles [rad] */
    int max_iterations;
} tp_projection_options;

/* Name of a kind ("none", "velocities", "coordinates"), and back: -1 if there is none. */
const char *tp_projection_name(tp_projection_kind kind);
int tp_projection_find(const char *name);

/* Correction of positions and velocities after each step, for the same schemes: towards joints and contacts,
   without ever stopping a run. Energy-consistent schemes that keep overlaps of impacts (two-step, hybrid)
   have these taken back, and nothing else; docs/theory/correction.md. */
typedef struct tp_correction_options {
    bool is_on;
    double share; /* of an error of positions that is taken back in a step, above 0 to 1 */
    double limit; /* largest error of a row that is taken back in a step, times the size of the scene
                     (tp_model_summary), of angles [rad] */
} tp_correction_options;

/* Options of the integrator schatzman-paoli; docs/theory/schatzman-paoli.md. */
typedef struct tp_paoli_options {
    double theta;           /* forces at t + theta dt, 0 to 1; above 0 only first order, for stiff forces */
    bool first_order_start; /* the first interval has the initial velocity, without its half step of forces */
} tp_paoli_options;

/* Which forces the integrator symmetric-moreau takes at a node; docs/theory/symmetric-moreau.md. */
typedef enum tp_symmetric_force {
    TP_SYMMETRIC_MEAN, /* the mean of those with the velocities before and after it */
    TP_SYMMETRIC_END /* those at the end of the interval before it: Moreau's rule as a time finite element */
} tp_symmetric_force;

/* "mean", "end"; NULL outside of them. */
const char *tp_symmetric_force_name(int force);

typedef struct tp_symmetric_options {
    tp_symmetric_force force;
} tp_symmetric_options;

/* Options of the integrator generalized-alpha; docs/theory/generalized-alpha.md. */
typedef struct tp_alpha_options {
    double rho; /* spectral radius for vibrations that a step does not resolve, 0 (all damped) to 1 (none) */
    bool fixed_point; /* steps by projections first, as many iterations as they need, instead of Newton's
                       * method
                       */
} tp_alpha_options;

/* How the energy-consistent integrators see rigid bodies; docs/theory/consistent.md. What is shown of them is
   always position, unit quaternion and velocities. */
typedef enum tp_consistent_bodies {
    TP_CONSISTENT_SCALABLE, /* scalable bodies of constant size: few unknowns                              */
    TP_CONSISTENT_AFFINE    /* twelve coordinates with constant mass; always in consistent-position        */
} tp_consistent_bodies;

/* "scalable", "affine"; NULL outside of them. */
const char *tp_consistent_bodies_name(int bodies);

/* Options of the energy-consistent integrators; docs/theory/consistent.md. */
typedef struct tp_consistent_options {
    tp_consistent_bodies bodies;
    bool directions_at_start; /* contact directions at the start of a step instead of discrete derivatives: a
                                 closed gap may then shrink */
    bool rotation_at_start;   /* kinematics and gyroscopic terms of bodies that turn in space are those of the
                                 start of a step instead of its middle: order 1 (not in the quaternion schemes)
                               */
    bool settles; /* after a step of consistent-two-step, consistent-quaternion and -quaternion-two-step the
                     velocities of laws that hold their displacements are brought to what the impact law
                     allows; then contacts neither sink nor creep nor swing */
} tp_consistent_options;

/* How relaxed-dai makes steps of its differential equation; docs/theory/relaxed-dai.md. */
typedef enum tp_relaxed_method {
    TP_RELAXED_RK4,               /* Runge-Kutta, fourth order                                             */
    TP_RELAXED_LINEARLY_IMPLICIT, /* implicit Euler, laws linearised: delta is the step, zeta 1/2          */
    TP_RELAXED_IMPLICIT           /* implicit Euler of the laws themselves, at the end of the step         */
} tp_relaxed_method;

/* Name of a method ("rk4", ...), of a branch policy ("default", "nearest", "loaded"); NULL after the last. */
const char *tp_relaxed_method_name(int method);
const char *tp_branch_name(int branch);

/* Options of the integrator relaxed-dai; docs/theory/relaxed-dai.md. */
typedef struct tp_relaxed_options {
    tp_relaxed_method method;
    double delta;  /* relaxation time [s]; 0: ten steps, adaptive: one  */
    double zeta;   /* damping ratio of all rows [-]; 0: of normal rows by their restitution, of others 1/2 */
    bool is_stiff; /* relaxed-dai-adaptive: Radau IIA instead of Dormand-Prince                            */
    bool gate;     /* contacts push only where shapes penetrate; else from 2 zeta delta V before           */
    tp_branch branch; /* which of several solutions is taken */
    int counted;      /* solutions of problems with up to so many contacts are counted, by all cases */
} tp_relaxed_options;

/* Options of the integrator penalty: springs in place of all laws (tippe/set.h); docs/theory/relaxed-dai.md
   (21). */
typedef struct tp_penalty_options {
    double stiffness;    /* of every row [N/m], [N m/rad], above 0                                    */
    double damping_time; /* damping over stiffness [s]                                                */
    double yielding;     /* of contacts: time in which a spring follows its gap [s], 0: at once        */
} tp_penalty_options;

/* How event-driven integrates between events; docs/theory/event-driven.md (5a). */
typedef enum tp_event_steps {
    TP_EVENT_STEPS_AUTO,     /* Dormand and Prince, and Radau IIA from where that finds the motion stiff */
    TP_EVENT_STEPS_EXPLICIT, /* Dormand and Prince */
    TP_EVENT_STEPS_STIFF     /* Radau IIA          */
} tp_event_steps;
const char *tp_event_steps_name(int steps); /* NULL after the last */

/* Options of the integrator event-driven. */
typedef struct tp_event_options {
    tp_event_steps steps;
    bool strikes; /* at a Painleve state: an impact without collision, where there is one; else the run stops
                   */
} tp_event_options;

/* Restitution of a mass that meets a contact of damping ratio zeta without load (7), (8), and the damping
   ratio for a wanted restitution from 0 to 1. Without gate 0 is reached by zeta = 1; with it zeta ends at
   tp_relaxed_largest_zeta. */
extern const double tp_relaxed_largest_zeta;
double tp_relaxed_restitution(double zeta, bool gate);
double tp_relaxed_damping(double restitution, bool gate);

/* What becomes of islands (tippe/solver.h) of a step's problem that are not solved. */
typedef struct tp_unsolved_options {
    double limit; /* E up to which one is used, counted and warned of; above it the run stops. Negative: none
                     for islands of up to 200 contacts and for integrators that balance energies, 1e-2 for
                     larger islands */
} tp_unsolved_options;

typedef struct tp_simulation_options {
    const char *integrator;
    const char *solver; /* of the one-step problems; NULL: auto */
    double time_step;  /* [s]                                                                               */
    double end_time;   /* [s]                                                                               */
    double atol, rtol; /* of integrators that choose their steps: error of a step in a coordinate or velocity,
                          absolute in its own unit, and relative to its size; time_step is then the distance
                          of the states that are shown */
    double first_step, max_step; /* theirs, too [s]; 0: estimated, no limit */
    double tolerance;   /* E of the step problems [-]; the limit of double precision at the answer also counts
                           as solved */
    int max_iterations; /* of a step problem; 0: the solver's own       */
    double contact_tolerance; /* a contact takes part in a step if its gap is at most this times the size of
                                 the scene (tp_model_summary), of angles [rad]; not 0, so that rounding does
                                 not open a resting one */
    bool warm_start;          /* the solver starts from the impulses of the step before                    */
    bool accept_unconverged;  /* go on with the best point of an unsolved step (counted, never silent)  */
    tp_unsolved_options unsolved;
    bool accelerations; /* the output has columns of accelerations and forces at the state (tippe/state.h) */
    int threads; /* of a step, with the caller's own: 1 to 256; the results have the same bits for every
                    number */
    bool strict; /* a run that reaches its end with warnings is TP_WARNED                                  */
    tp_theta_options theta_method;
    tp_gamma_options gamma_method;
    tp_projection_options projection;
    tp_correction_options correction;
    tp_paoli_options paoli;
    tp_symmetric_options symmetric;
    tp_alpha_options alpha;
    tp_consistent_options consistent;
    tp_jet_options jet;
    tp_relaxed_options relaxed;
    tp_penalty_options penalty;
    tp_event_options event;
    const tp_log *log;
} tp_simulation_options;
/* moreau with steps of 1 ms until 1 s, nothing projected or corrected, solver auto. */
tp_simulation_options tp_simulation_options_default(void);

/* What can happen to a law in a step; docs/theory/simulation.md. The last three: event-driven alone.
   - impact: it began to push, with approach velocity; closing: without; opening: it ceased to push
   - stick: friction or a bounded force came inside its set, the slip ended; slip: it reached the boundary of
   its set, the slip began or turned
   - accumulation: infinitely many impacts ended here, the contact stays closed
   - grazing: the gap fell to 0 and rose again, without an impact
   - redistribution: its force went to contacts that hold the same, or came from there */
#define TP_EVENT_KIND_LIST(X)                                                                                \
    X(TP_EVENT_IMPACT, "impact")                                                                             \
    X(TP_EVENT_CLOSING, "closing")                                                                           \
    X(TP_EVENT_OPENING, "opening")                                                                           \
    X(TP_EVENT_STICK, "stick")                                                                               \
    X(TP_EVENT_SLIP, "slip")                                                                                 \
    X(TP_EVENT_ACCUMULATION, "accumulation")                                                                 \
    X(TP_EVENT_GRAZING, "grazing")                                                                           \
    X(TP_EVENT_REDISTRIBUTION, "redistribution")

typedef enum tp_event_kind {
#define TP_EVENT_KIND(kind, word) kind,
    TP_EVENT_KIND_LIST(TP_EVENT_KIND)
#undef TP_EVENT_KIND
        TP_EVENT_KIND_COUNT
} tp_event_kind;

/* All words, each after a blank, for texts. */
#define TP_EVENT_KIND_WORD(kind, word) " " word
#define TP_EVENT_KIND_WORDS            TP_EVENT_KIND_LIST(TP_EVENT_KIND_WORD)

/* A step whose length the integrator chose, at its end. */
typedef struct tp_own_step {
    double size;     /* [s] 0: the state is none of its ends                               */
    double error;    /* estimate over tolerance, at most 1                                 */
    int rejections;  /* attempts before it                                                 */
    int evaluations; /* of accelerations                                                   */
    int projections; /* onto constraints                                                   */
} tp_own_step;

/* A figure of a run that only some integrators have. */
typedef struct tp_statistic {
    const char *name;
    double value;
} tp_statistic;
enum { TP_STATISTICS_MAX = 24 };

/* What the last step did. */
typedef struct tp_step_report {
    tp_status status;
    int iterations, contact_count; /* of the step problem; closed contacts in it              */
    double residual;               /* E of the step problem, by problem/                       */
    double margin; /* residual over the one up to which the step counts as solved (theory/problems.md (22)) */
    double energy; /* T + V at the end [J]                                     */
    double applied_work; /* of forces that are not potential, in the step [J]        */
    /* Largest errors of joints, of rows that are lengths [m], [m/s] and of angles [rad], [rad/s]. */
    double position_error, angle_error, velocity_error, angular_velocity_error;
    double penetration; /* largest -gap of a contact that is a length [m]           */
    double limit_angle; /* ... that is an angle: how far past its limit [rad]       */
    int impact_count;   /* impact events of the step (theory/simulation.md)         */
    double storage;     /* of first-order states at the end [J]                     */
    double supply;      /* of the relations in the step, sum of dt lambda y [J]: 0 where y or lambda is 0 */
    double work;        /* of the solvers in the step, in block products            */
    double correction;  /* largest error of positions that the correction took back [m] or [rad]; 0: none   */
    double correction_energy; /* by which the correction changed T + V [J]          */
    tp_own_step own_step;     /* of integrators that choose their steps */
    int part_count;           /* of a step without a solution: so many parts it was taken in; else 0 */
    bool is_proven;           /* of a step in parts: as a whole it is proven to have no solution     */
    int island_count, unsolved_count; /* of the step's last problem; of them not solved, and used */
    double unsolved_error; /* the largest error of one of those                                    */
    int solution_count;    /* most solutions that a problem of the step had, where that is known; else 0 */
} tp_step_report;

#ifdef __cplusplus
}
#endif

#endif
