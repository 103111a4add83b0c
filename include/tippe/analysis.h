/* What can be said of a model before it runs: whether its constraints are holonomic, whether its forces have
   a potential, whether a state can go on, and what minimal coordinates it has; docs/theory/holonomy.md,
   docs/guide/analysis.md. For reports; no step uses it. */
#ifndef TIPPE_ANALYSIS_H
#define TIPPE_ANALYSIS_H

#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- holonomy ---- */

typedef enum tp_holonomy_verdict {
    TP_HOLONOMIC,    /* the constraints are relations between positions and time, as far as sampled      */
    TP_NOT_EXAMINED, /* constraints on velocities over more than TP_HOLONOMY_MOST velocities              */
    TP_NONHOLONOMIC, /* they are not relations between positions: a closed path need not close           */
    TP_INCOMPATIBLE  /* no velocity satisfies them: they say something of time alone                      */
} tp_holonomy_verdict;

/* "holonomic", ... */
const char *tp_holonomy_verdict_name(tp_holonomy_verdict verdict);

typedef struct tp_holonomy_options {
    bool with_contacts; /* contacts that are closed at the start, friction that sticks there, too      */
    int point_count;    /* admissible points: the start, and others along random admissible paths      */
    double reach;       /* how far those go, in sizes of the scene and radians (coordinates: 1)         */
    double tolerance;   /* of the conditions, relative to their terms; 0: 1e-10, or 1e-6 where
                           derivatives are differences                                                 */
    double contact_tolerance; /* a gap up to this is closed, relative to the size of the scene */
    unsigned seed;            /* of the random paths                                                        */
} tp_holonomy_options;

/* Constraints alone, ten points. */
tp_holonomy_options tp_holonomy_options_default(void);

/* A path along two admissible directions, forth and back, that does not close. Directions are over (time,
   velocities) [1 + velocities of the model]; what they lead to over (time, rates of coordinates where the
   model has velocities of its own, velocities of bodies): tp_holonomy_frame_name. */
typedef struct tp_holonomy_witness {
    double time;                  /* of the point where it starts                                           */
    const double *q;              /* [coordinates]                                                          */
    const double *first, *second; /* the directions                                                    */
    const double *bracket; /* [frame] where their order leads, across the constraints                 */
    double leg;            /* each of the four legs follows its direction for this long [s]           */
    const double *offset;  /* [frame] by how much the end of the path misses its start                */
} tp_holonomy_witness;

/* Laws that share velocities; those of other parts do not matter for them. */
typedef struct tp_holonomy_part {
    int law_count;
    const char *const *laws; /* names                                                              */
    int velocity_count;      /* that the laws touch; of bodies all                                 */
    int row_count, rank; /* rank below row_count: some rows depend on others; -1: too many velocities, nothing
                            below is computed */
    int rate_count;      /* constraints that rates of coordinates state: coordinates - velocities */
    int freedom;         /* velocities that are left                                           */
    tp_holonomy_verdict verdict;
    bool is_exact;   /* derivatives of the rows are; else differences of four points               */
    double residual; /* condition I: largest |dA(B_i, B_j)| over points and pairs, relative       */
    double bracket;  /* condition II: largest part of [B_i, B_j] across the constraints            */
    int point_count, singular_count; /* points; those of lower rank, which are left out           */
    int integrable_count; /* constraints that are relations between positions all the same; -1: not counted
                             (more than TP_HOLONOMY_LARGEST directions)                            */
    const double *integrable;    /* [integrable_count * frame] at the start: coefficients of time and rates */
    tp_holonomy_witness witness; /* of NONHOLONOMIC                                                    */
} tp_holonomy_part;

enum { TP_HOLONOMY_LARGEST = 80, TP_HOLONOMY_MOST = 300 };

typedef struct tp_holonomy tp_holonomy;

/* Examines a finished model, which is borrowed. Constraints are joints, constraints and motors with a given
   motion; with_contacts adds contacts at rest. */
tp_status tp_holonomy_create(const tp_allocator *allocator, const tp_model *model,
                             const tp_holonomy_options *options, tp_holonomy **holonomy_out);
void tp_holonomy_free(tp_holonomy *holonomy); /* NULL is fine */

/* The verdict for all parts: INCOMPATIBLE, else NONHOLONOMIC, else NOT_EXAMINED if one part is. */
tp_holonomy_verdict tp_holonomy_verdict_of(const tp_holonomy *holonomy);
int tp_holonomy_part_count(const tp_holonomy *holonomy);
const tp_holonomy_part *tp_holonomy_part_at(const tp_holonomy *holonomy, int part);

/* The frame: time, then rates and velocities with their names ("x'", "ball.omega.z"). */
int tp_holonomy_frame_count(const tp_holonomy *holonomy);
const char *tp_holonomy_frame_name(const tp_holonomy *holonomy, int i);

/* ---- forces ---- */

/* Have the smooth forces of a model (all but inertia, joints, contacts and laws) a potential? f = E + B u
   with E = -dV/dq - dA/dt, B_ij = dA_j/dq_i - dA_i/dq_j; docs/theory/holonomy.md (15). Each figure is the
   largest over the points, relative to the size of the forces' terms. */
typedef struct tp_force_test {
    double not_affine;  /* what is left of f - E - B u                                           */
    double not_skew;    /* symmetric part of B: damping, or forces that feed energy               */
    double not_closed;  /* cyclic sum of the derivatives of B                                     */
    double induction;   /* dB/dt + dE: swirls, or a field whose change induces nothing             */
    bool has_velocity;  /* forces depend on velocities                                             */
    bool has_time;      /* explicitly on time                                                      */
    bool has_potential; /* all four figures are 0 up to the tolerance                             */
    bool is_damped;     /* the symmetric part of B takes energy for all velocities, or does nothing  */
    int point_count;
} tp_force_test;

/* Points: the start and others around it. TP_UNSUPPORTED with the reason: velocities of the model's own, or C
   functions without second derivatives. */
tp_status tp_force_test_model(const tp_allocator *allocator, const tp_model *model, int point_count,
                              unsigned seed, tp_force_test *test_out, tp_message *why_out);

/* Potentials at (t, q) where the forces have them: V with V = 0 at the start's positions, and A [velocities],
   which is zero there and has no part along the way from there; (16). A may be NULL; TP_UNSUPPORTED: A of
   bodies that turn. */
tp_status tp_force_potential(const tp_allocator *allocator, const tp_model *model, double t, const double *q,
                             double *V_out, double *A_out, tp_message *why_out);

/* Law of interaction: the forces of a law between bodies do no work where these move together as one rigid
   body. What does not vanish is carried by something outside: the ground, or nothing in the model. */
typedef struct tp_interaction_test {
    const char *name; /* of the law, joint or contact, or "formulas": all potentials and forces of bodies */
    int body_count;   /* that move                                                                      */
    double force, moment; /* largest net force and moment of its rows, relative to those on single bodies */
    bool is_internal; /* both vanish                                                                     */
} tp_interaction_test;

/* For all laws of the model between two bodies or more, at the start. Returns their number, of which at most
   `capacity` are written; -1: no memory. */
int tp_interaction_test_model(const tp_allocator *allocator, const tp_model *model, int capacity,
                              tp_interaction_test *tests_out);

/* ---- viability ---- */

typedef struct tp_viability_contact {
    const char *name;
    const char *unit; /* of the gap: "m", "rad"; laws on velocities: of their integral */
    double gap;       /* NaN: a law on velocities (one-way clutch), always active        */
    double rate;      /* velocity of the row, positive: it opens                         */
    bool is_active;   /* closed                                                         */
    bool is_forward;  /* can go on: not active, or the rate is not negative              */
    bool is_backward; /* can have come from before: not active, or the rate is not positive */
    double share;     /* in the proof that no velocity is admissible; else the impulse that makes the velocity
                         admissible [N s]                                               */
} tp_viability_contact;

typedef struct tp_viability {
    int contact_count;
    const tp_viability_contact *contacts;
    bool is_inside; /* no gap is below the tolerance, constraints on positions hold               */
    bool is_forward, is_backward;
    bool is_possible; /* some velocity satisfies all active rows; else the contacts with a share cannot all
                         stay closed or open                                                             */
    int locked_count; /* active contacts that can only stay as they are: they hold each other        */
    const double *velocity; /* [velocities] admissible and nearest in the metric of the mass: after an impact
                               without rebound; NULL where none is possible                         */
    void *memory;
} tp_viability;

/* Examines a state under all constraints of a model, unilateral (contacts and one-way laws) and bilateral.
   q, u NULL: the start. Tolerance of gaps relative to the size of the scene, of rates to size per second. */
tp_status tp_viability_find(const tp_allocator *allocator, const tp_model *model, double t, const double *q,
                            const double *u, double tolerance, tp_viability *viability_out);
void tp_viability_free(tp_viability *viability);

/* ---- minimal coordinates ---- */

/* A model whose constraints are holonomic, in as many coordinates as it has degrees of freedom: coordinates
   of joints, general coordinates, and positions and turns of bodies. They serve as long as they determine the
   motion, near the start (turns: less than a whole one); docs/theory/holonomy.md (13), (14). Contacts of
   formulas, limits, friction and other laws stay, on other rows. */
typedef struct tp_reduction tp_reduction;

/* names [count]: the coordinates to use ("x", "arm.x", "hinge.angle", "top.turn.x"); count 0: they are
   chosen. The model is borrowed. TP_UNSUPPORTED with the reason: constraints that are nonholonomic or lack
   second derivatives, velocities of the model's own, scalable bodies that turn freely. TP_INVALID_DATA: names
   that do not serve. */
tp_status tp_reduction_create(const tp_allocator *allocator, const tp_model *model, const char *const *names,
                              int count, tp_reduction **reduction_out, tp_message *why_out);
void tp_reduction_free(tp_reduction *reduction); /* NULL is fine */

/* How many minimal coordinates there are, and the name of one. */
int tp_reduction_count(const tp_reduction *reduction);
const char *tp_reduction_name(const tp_reduction *reduction, int i);

/* Values and rates of the minimal coordinates at the start, [count] each. */
void tp_reduction_start(const tp_reduction *reduction, double *y_out, double *rate_out);

/* The state of the whole model: q_out [coordinates], u_out [velocities]. TP_SINGULAR: the coordinates do not
   determine it there. */
tp_status tp_reduction_lift(tp_reduction *reduction, double t, const double *y, const double *rate,
                            double *q_out, double *u_out);

/* M y'' = f: mass matrix [count^2], force with all gyroscopic terms [count], accelerations [count]; each may
   be NULL. */
tp_status tp_reduction_evaluate(tp_reduction *reduction, double t, const double *y, const double *rate,
                                double *M_out, double *f_out, double *acceleration_out);

/* Names of contacts and laws that a model of minimal coordinates does not have: contacts between shapes, and
   friction that follows reactions of joints. NULL past the last one. */
const char *tp_reduction_left_out(const tp_reduction *reduction, int i);

/* A finished model in the minimal coordinates (names with _ for what formulas cannot spell), to be simulated
   as any other; the reduction must live as long. Its potential energy counts as work of applied forces. */
tp_status tp_reduction_model(tp_reduction *reduction, const tp_allocator *allocator, tp_model **model_out,
                             tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
