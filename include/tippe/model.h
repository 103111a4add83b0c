/* Models: what exists and is constant once finished. Built by calls, from C or by the scene reader;
   docs/theory/models.md. Motion: q' = B(t,q) u + beta(t,q),  M(t,q) du = h(t,q,u) dt + W dP,  -xi in N_C(P).
 */
#ifndef TIPPE_MODEL_H
#define TIPPE_MODEL_H

#include "tippe/base.h"
#include "tippe/math.h"
#include "tippe/set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scalar function of time, coordinates and velocities: a formula over the model's names, or C functions. */
typedef struct tp_function {
    const char *formula; /* text; NULL: the C functions below                                            */
    tp_place place;      /* of the text, for messages                                                    */
    void *self;
    double (*value)(void *self, double t, const double *q, const double *u);
    /* All first derivatives: d_t [1], d_q [coordinates], d_u [velocities]; required with value. */
    void (*gradient)(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                     double *d_u);
    /* Second derivatives along a direction (e_t, e_q, e_u): derivative of the gradient. Required for kinetic
     * energies. */
    void (*hessian_vector)(void *self, double t, const double *q, const double *u, double e_t,
                           const double *e_q, const double *e_u, double *d_t, double *d_q, double *d_u);
    /* Or C functions of some names of the model alone (coordinates, rates, velocities, states, multipliers,
       inputs, t): z [argument_count], gradient_out the same. The names are copied. */
    const char *const *arguments;
    int argument_count;
    double (*value_of)(void *self, const double *z);
    void (*gradient_of)(void *self, const double *z, double *gradient_out);
} tp_function;

#define TP_FORMULA(text) ((tp_function){.formula = (text)})

enum { TP_IMPULSE_ROWS = 6 }; /* most rows that a law has */

typedef struct tp_model tp_model;

/* Ids: what a call has added, for later questions. index counts from 0 in the order of addition, so that
   {model, i} names part i, too. {0} names nothing. A call that gets an id of another model, or one that names
   nothing, is TP_INVALID_ARGUMENT. id_out may be NULL wherever a call gives one. What becomes part of a sum
   (energies, entries of a mass matrix, generalised forces, storage functions) and what only formulas use
   (parameters, definitions) has no id: nothing can be asked about it alone. */
typedef struct tp_body_id {
    const tp_model *model;
    int index; /* -1: the ground */
} tp_body_id;
typedef struct tp_joint_id {
    const tp_model *model;
    int index;
} tp_joint_id;
typedef struct tp_shape_id {
    const tp_model *model;
    int index;
} tp_shape_id;
/* Shapes that may touch: a pair or a rule. */
typedef struct tp_pair_id {
    const tp_model *model;
    int index;
} tp_pair_id;
/* Joints, constraints, contacts and laws on velocities, all in one list. */
typedef struct tp_law_id {
    const tp_model *model;
    int index;
} tp_law_id;
typedef struct tp_sensor_id {
    const tp_model *model;
    int index;
} tp_sensor_id;
typedef struct tp_coordinate_id {
    const tp_model *model;
    int index; /* its place in q */
} tp_coordinate_id;
typedef struct tp_velocity_id {
    const tp_model *model;
    int index; /* its place in u */
} tp_velocity_id;
typedef struct tp_force_id {
    const tp_model *model;
    int index; /* springs and bushings count 0, 1, ..., wrenches -1, -2, ... */
} tp_force_id;

/* An empty model: add what it consists of, then tp_model_finish. allocator may be NULL; freeing NULL is
   fine. */
tp_status tp_model_create(const tp_allocator *allocator, tp_model **model_out);
void tp_model_free(tp_model *model);

/* For messages and output; "model" at first. The name is copied. */
tp_status tp_model_set_name(tp_model *model, const char *name, tp_message *why_out);
const char *tp_model_name(const tp_model *model);

/* A named constant; the formula may use earlier ones. */
tp_status tp_model_add_parameter(tp_model *model, const char *name, const char *formula, tp_place place,
                                 tp_message *why_out);
tp_status tp_model_add_parameter_value(tp_model *model, const char *name, double value, tp_place place,
                                       tp_message *why_out);

/* An input: a value that is set from outside between steps (tp_simulation_set_input) and constant over each.
   Formulas added later may use it wherever they may use time, except where a jump has no meaning: positions
   (gaps, positions of constraints and motors, moving bodies, drawings), rates and inertia. */
typedef struct tp_input_id {
    const tp_model *model;
    int index; /* counts from 0 in the order of addition */
} tp_input_id;

typedef struct tp_input_def {
    const char *name;
    const char *unit;  /* for output; NULL: none                   */
    const char *about; /* a line for `tippe check`; NULL: none     */
    double initial;    /* its value until it is set                */
    tp_place place;
} tp_input_def;

/* Adds an input; texts are copied. id_out may be NULL. */
tp_input_def tp_input_def_default(void);
tp_status tp_model_add_input(tp_model *model, const tp_input_def *def, tp_input_id *id_out,
                             tp_message *why_out);

/* A named sub-expression (arguments NULL), or a function of its arguments. Known to formulas added later. */
tp_status tp_model_add_definition(tp_model *model, const char *name, const char *const *arguments,
                                  int argument_count, const char *formula, tp_place place,
                                  tp_message *why_out);

/* Value of a formula of parameters alone. */
tp_status tp_model_evaluate(tp_model *model, const char *formula, tp_place place, double *value_out,
                            tp_message *why_out);

/* Coordinates q in order. Unless velocities are added, u = q' and the velocity of x is called x'. */
tp_status tp_model_add_coordinate(tp_model *model, const char *name, double initial, double initial_velocity,
                                  const char *unit, tp_place place, tp_coordinate_id *id_out,
                                  tp_message *why_out);

/* Velocities u of their own, n_u <= n_q; then every coordinate needs a rate: q' as a formula, affine in the
 * velocities. */
tp_status tp_model_add_velocity(tp_model *model, const char *name, double initial, const char *unit,
                                tp_place place, tp_velocity_id *id_out, tp_message *why_out);
tp_status tp_model_set_rate(tp_model *model, const char *coordinate, tp_function rate, tp_message *why_out);

/* Inertia: a kinetic energy T(t,q,q'), from which mass matrix and gyroscopic terms follow; or entries of the
   mass matrix M(t,q) in velocity coordinates (symmetric; give i <= j). T and entries add up; gyroscopic terms
   of M(t,q) follow too where u = q'. Bodies bring their own inertia: T and M know nothing of them. */
tp_status tp_model_add_kinetic(tp_model *model, tp_function energy, tp_message *why_out);
tp_status tp_model_add_mass(tp_model *model, const char *velocity_i, const char *velocity_j,
                            tp_function entry, tp_message *why_out);

/* Forces: potential V(t,q); dissipation function R(t,q,q',u) with the forces -dR/dq' and -dR/du, of bodies
   too; a generalised force on a coordinate (or a velocity). */
tp_status tp_model_add_potential(tp_model *model, tp_function energy, tp_message *why_out);
tp_status tp_model_add_dissipation(tp_model *model, tp_function dissipation, tp_message *why_out);
tp_status tp_model_add_force(tp_model *model, const char *coordinate_or_velocity, tp_function force,
                             tp_message *why_out);

/* A linear time-invariant system M q'' + C q' + K q = (forces added otherwise), all n*n column-major, C and K
   may be NULL; the coordinates are those added so far. */
tp_status tp_model_add_linear(tp_model *model, int n, const double *M, const double *C, const double *K,
                              tp_place place, tp_message *why_out);

/* What the rows of a law measure: lengths [m] with forces [N], or angles [rad] with moments [N m]. A row that
   is given by a formula is an angle if it follows from the units of its coordinates (a sum with an angle,
   theory/formulas.md section 7), unless it is said here; else a length. */
typedef enum tp_law_measure { TP_LAW_AS_FORMULA, TP_LAW_IS_LENGTH, TP_LAW_IS_ANGLE } tp_law_measure;

/* A constraint: position level g(t,q) = 0, or velocity level (affine in the velocities, perhaps not
 * integrable). */
typedef struct tp_constraint_def {
    const char *name;
    tp_function position; /* or */
    tp_function velocity;
    tp_law_measure measure;
    tp_place place;
} tp_constraint_def;
tp_constraint_def tp_constraint_def_default(void);
tp_status tp_model_add_constraint(tp_model *model, const tp_constraint_def *def, tp_law_id *id_out,
                                  tp_message *why_out);

/* A unilateral contact with gap g(t,q) >= 0 and friction in up to three slip velocities (affine in the
 * velocities). */
typedef struct tp_contact_def {
    const char *name;
    tp_function gap;
    tp_function slip[3];
    int slip_count; /* 0 frictionless, 1 planar, 2 spatial, 3 with drilling (third row: rad/s)         */
    tp_friction_kind friction_kind; /* BALL (disc), ELLIPSOID, CYLINDER, CONTENSOU, BRICK         */
    double friction[2];             /* mu; ELLIPSOID and BRICK: along slip[0], slip[1]     */
    double static_friction;         /* mu_s >= friction[0] while it sticks: all bounds are larger by
                                       mu_s/friction[0]; 0: as friction. docs/theory/static-friction.md */
    double drilling_radius;         /* Rbar [m]: largest drilling torque per normal force and mu; needed with
                                       slip_count 3     */
    double restitution;             /* e_N, 0 to 1     */
    double tangential_restitution;  /* e_T, 0 to 1 */
    tp_law_measure measure;         /* of the gap; friction is in the same units */
    double compliance; /* [m/N] > 0: the contact is a spring of energy g^2/(2 compliance) for g < 0, without
                          friction; a force, or a law on positions where the integrator has such laws */
    tp_place place;
} tp_contact_def;
tp_contact_def tp_contact_def_default(void);
tp_status tp_model_add_contact(tp_model *model, const tp_contact_def *def, tp_law_id *id_out,
                               tp_message *why_out);

/* A law on velocities alone: one-way clutch, dry friction with a given bound, a motor of limited force. */
typedef enum tp_law_kind {
    TP_LAW_ONE_WAY,  /* 0 <= lambda _|_ velocity >= 0 (a sprag clutch)                                    */
    TP_LAW_FRICTION, /* -velocity in N_C(lambda), C the friction set with the given force bounds        */
    TP_LAW_LIMITED   /* velocity = 0 as far as a force in [lower, upper] can hold it (motor, brake)        */
} tp_law_kind;

typedef struct tp_law_def {
    const char *name;
    tp_law_kind kind;
    tp_function velocity[3];
    int velocity_count;             /* 1; up to 3 for FRICTION                        */
    tp_friction_kind friction_kind; /* FRICTION                                       */
    double bound[3];                /* FRICTION: force [N] along each velocity (BALL: the first) */
    double static_bound; /* FRICTION: >= bound[0] while it sticks, as static_friction; 0: as bound */
    double lower, upper; /* LIMITED: force [N], lower <= 0 <= upper not required      */
    double restitution;
    tp_law_measure measure; /* of all velocities */
    tp_place place;
} tp_law_def;

/* How much larger the bounds of a law's friction are while it sticks: mu_s/mu >= 1; 1: no difference, or
   there is no such law. */
double tp_model_static_ratio(const tp_model *model, int law);

/* A law on velocities that needs no gap; name and formulas are copied. */
tp_law_def tp_law_def_default(void);
tp_status tp_model_add_law(tp_model *model, const tp_law_def *def, tp_law_id *id_out, tp_message *why_out);

/* A named output column: any formula of t, q, u. */
tp_status tp_model_add_sensor(tp_model *model, const char *name, tp_function value, const char *unit,
                              tp_sensor_id *id_out, tp_message *why_out);

/* The exact motion of a coordinate ("x") or velocity ("x'"): a function of t and parameters alone (a C
   function gets q = u = 0). Where a velocity is the rate of a coordinate it follows from it, unless it is
   given. Steps do not use it; studies measure errors against it (tippe/study.h). */
tp_status tp_model_set_exact(tp_model *model, const char *name, tp_function motion, tp_message *why_out);

/* Up to when it holds [s]; without this call: always. */
tp_status tp_model_set_exact_until(tp_model *model, double time, tp_place place, tp_message *why_out);
bool tp_model_has_exact(const tp_model *model);
double tp_model_exact_until(const tp_model *model); /* [s] INFINITY: always */

/* Initial values by name: "x" or "x'" (or the name of a velocity). */
tp_status tp_model_set_initial(tp_model *model, const char *name, double value, tp_place place,
                               tp_message *why_out);

/* Checks the whole: inertia complete and positive definite at the start, formulas affine where they must be,
   constraints consistent, the initial state on them (or moved there, if asked for). Nothing can be added
   afterwards. */
typedef struct tp_finish_options {
    bool project_initial_state; /* move q, u onto the constraints instead of refusing a state off them */
    double tolerance; /* of the constraints at the start: of lengths and their rates times the size of the
                         scene [m], [m/s], of angles [rad], [rad/s] */
} tp_finish_options;
tp_finish_options tp_finish_options_default(void);
tp_status tp_model_finish(tp_model *model, const tp_finish_options *options, tp_message *why_out);

/* What was built. */
typedef struct tp_model_summary {
    int coordinate_count, velocity_count, constraint_count, contact_count, sensor_count, drawing_count,
        input_count;
    int state_count, relation_count, multiplier_count; /* tippe/states.h; multipliers: of all relations */
    int law_count;       /* constraints, contacts given by gaps and laws on velocities together */
    int rule_count;      /* of contacts between shapes */
    int constraint_rank; /* of the rows at the start; below constraint_count: redundant               */
    int degrees_of_freedom;
    /* largest errors of the constraints at the start, of rows that are lengths and of angles */
    double position_error, angle_error;            /* [m], [rad]     */
    double velocity_error, angular_velocity_error; /* [m/s], [rad/s] */
    bool has_constant_mass, is_autonomous;
    double size; /* [m] of the scene: distance from the origin to the farthest of bodies at the start with
                    their shapes, and of points of joints and forces; 1 without bodies. Scale of tolerances */
    double largest_frequency; /* of the smooth forces at the start [rad/s]: explicit schemes need a step below
                                 2/this; 0: none */
} tp_model_summary;
tp_model_summary tp_model_summarise(const tp_model *model);
int tp_model_find_coordinate(const tp_model *model, const char *name); /* place in q; -1: there is none */
int tp_model_find_velocity(const tp_model *model,
                           const char *name); /* place in u: "x'" or a name of its own */
/* Names of bodies' variables are made when they are asked for first, which takes memory of the model's
   allocator, in any thread; they live as long as the model. */
const char *tp_model_coordinate_name(const tp_model *model, int i);
const char *tp_model_coordinate_unit(const tp_model *model, int i); /* as given, perhaps empty */
const char *tp_model_velocity_name(const tp_model *model, int i);
const char *tp_model_velocity_unit(const tp_model *model, int i);
const char *tp_model_law_name(const tp_model *model,
                              int i); /* constraints, contacts and laws, in the order they were added */
const char *tp_model_sensor_name(const tp_model *model, int i);
const char *tp_model_sensor_unit(const tp_model *model, int i);
int tp_model_find_input(const tp_model *model, const char *name);          /* -1: there is none */
tp_input_id tp_model_input_named(const tp_model *model, const char *name); /* {0}: there is none */
const char *tp_model_input_name(const tp_model *model, int i);
const char *tp_model_input_unit(const tp_model *model, int i);
const char *tp_model_input_about(const tp_model *model, int i);
double tp_model_input_default(const tp_model *model, int i);

/* Units of row k of law i: of its gap or error, of its velocity, of its force and of its impulse: "m", "m/s",
   "N", "N s", or "rad", "rad/s", "N m", "N m s". NULL: there is no such row. */
typedef enum tp_law_quantity {
    TP_LAW_POSITION,
    TP_LAW_VELOCITY,
    TP_LAW_FORCE,
    TP_LAW_IMPULSE,
    TP_LAW_QUANTITY_COUNT
} tp_law_quantity;
const char *tp_model_law_unit(const tp_model *model, int law, int row, tp_law_quantity quantity);

#ifdef __cplusplus
}
#endif

#endif
