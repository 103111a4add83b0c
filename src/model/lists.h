/* The inside of a model: lists of what was added, compiled. Filled by model.c and laws.c, checked by
 * finish.c, evaluated by system/. */
#ifndef TP_MODEL_LISTS_H
#define TP_MODEL_LISTS_H

#include "base/name_index.h"
#include "frame.h"
#include "function.h"
#include "model/forces/force_kinds.h"
#include "model/joints/joint_kinds.h"
#include "tippe/multibody.h"
#include "tippe/states.h"

/* A list that grows inside the model's arena. */
typedef struct tp_list {
    void *items;
    int count, capacity;
} tp_list;

typedef struct tp_variable {
    const char *name, *unit;
    double initial;
    tp_scalar *rate; /* of a coordinate, where the model has velocities of its own; NULL: not given */
} tp_variable;

/* A value that is set from outside between steps. */
typedef struct tp_input {
    const char *name, *unit, *about;
    double initial;
} tp_input;

/* A first-order state; its equation is compiled when the model is finished. */
typedef struct tp_state_variable {
    const char *name, *unit;
    double initial;
    tp_scalar rate;
} tp_state_variable;

typedef struct tp_state_mass {
    int i, j;
    double value;
} tp_state_mass;

/* Output and multiplier of a row of a relation. */
typedef struct tp_output {
    const char *name, *unit, *output_unit; /* name and unit of the multiplier */
    int relation;
    tp_scalar value;
} tp_output;

typedef struct tp_relation {
    const char *name;
    tp_place place;
    tp_relation_kind kind;
    tp_relation_type type;
    int first, size, law_size;
    tp_set set; /* of law_size rows, for lambda; of scalar laws: of one row */
} tp_relation;

typedef struct tp_mass_entry {
    int i, j; /* velocities, i <= j */
    tp_scalar value;
} tp_mass_entry;

typedef struct tp_force_entry {
    bool on_velocity; /* else on a coordinate */
    int index;
    tp_scalar value;
} tp_force_entry;

typedef struct tp_linear_part {
    int n;
    const double *M, *C, *K; /* n*n column-major on the first n coordinates; C, K may be NULL */
} tp_linear_part;

typedef enum tp_level { TP_LEVEL_POSITION, TP_LEVEL_VELOCITY, TP_LEVEL_GAP } tp_level;

enum { TP_LAW_ROWS = TP_IMPULSE_ROWS };

/* What the rows of a law are made of. */
typedef enum tp_law_source {
    TP_SOURCE_FORMULA,     /* `row`; element unused                                           */
    TP_SOURCE_JOINT,       /* rows of model->joints[element]                                  */
    TP_SOURCE_COMBINATION, /* one row: model->combinations[element]                           */
    TP_SOURCE_SPIN, /* angular velocity of B seen from A in the world, three rows: model->joints[element] */
    TP_SOURCE_PAIR, /* a contact point of two shapes, by model->rules[element]                */
    TP_SOURCE_RIGIDITY /* six rows: the directions of the affine body `element` are orthonormal */
} tp_law_source;

/* Constraint, contact or velocity law: rows and a set. Row 0 of POSITION and GAP laws of formulas is the
 * derivative of a function of (t, q); so are all rows of joints. */
typedef struct tp_law {
    const char *name;
    tp_place place; /* where it is stated, for messages */
    tp_level level;
    tp_law_source source;
    int element;
    int row_count;
    unsigned angle_rows; /* bit k: row k is an angle [rad], its multiplier a moment [N m]; else [m], [N] */
    int master_law;      /* whose impulse rows [master_first, + master_count) bound the set; count 0: none */
    int master_first, master_count;
    tp_scalar row[TP_LAW_ROWS];
    double row_factor[TP_LAW_ROWS]; /* scales a velocity row (drilling rows are multiplied by Rbar) */
    double restitution[TP_LAW_ROWS];
    tp_set set;          /* for a impulse; a set bounded by a force has its bounds per second */
    bool is_force_bound; /* the set is multiplied by the time step */
    double static_ratio; /* the set is larger by this while it sticks; 0: as it is */
} tp_law;

/* Static friction that is more than that of sliding. */
static inline bool tp_law_has_static(const tp_law *law)
{
    return law->static_ratio > 1.0;
}

/* mu_s/mu of a law, or the reason why there is none. */
tp_status tp_model_find_static(tp_model *model, const char *name, double kinetic, double sticking,
                               tp_place place, double *ratio_out);

/* A compliant contact: potential min(0, g)^2 / (2 compliance). */
typedef struct tp_spring_contact {
    const char *name;
    tp_scalar gap;
    double compliance; /* [m/N], of angles [rad/(N m)] */
    bool is_angle;
} tp_spring_contact;

/* The exact motion of one coordinate or velocity, a function of time alone. */
typedef struct tp_exact_entry {
    bool is_velocity;
    int index;
    tp_scalar value;
    tp_place place;
} tp_exact_entry;

typedef enum tp_sensor_source {
    TP_SENSOR_OF_FORMULA,
    TP_SENSOR_OF_JOINT,
    TP_SENSOR_OF_CONTACT,
    TP_SENSOR_OF_BODY
} tp_sensor_source;

typedef struct tp_sensor {
    const char *name, *unit;
    tp_scalar value; /* of a formula; else 0 */
    tp_sensor_source source;
    tp_joint_quantity joint_quantity;
    int joint, coordinate;
    tp_contact_quantity contact_quantity;
    int law, rule;       /* of a contact: one given by its gap, or a rule between shapes; else -1 */
    const char *of_rule; /* the contacts of the rule that it means, as they are called; NULL: all */
    tp_along component;
    bool is_in_joint;
    tp_body_quantity body_quantity;
    int body;
    tp_vec3 point; /* of a body, relative to its centre of mass */
    bool is_in_body;
} tp_sensor;

/* Whether it is measured from the accelerations at a state. */
static inline bool tp_sensor_is_of_accelerations(const tp_sensor *sensor)
{
    return sensor->source == TP_SENSOR_OF_BODY ||
           (sensor->source == TP_SENSOR_OF_JOINT && sensor->joint_quantity >= TP_JOINT_SENSES_ACCELERATION);
}

/* In place of a body: the ground. */
enum { TP_GROUND = -1 };

/* A body: a frame that moves with coordinates of its own, or as given functions of time. */
/* The motion of a body that does not move by itself. */
typedef struct tp_given_motion {
    tp_scalar motion[4]; /* position, and the angle about the axis */
    tp_vec3 axis;        /* of length 1, in the body               */
    tp_quat orientation; /* before it turns                        */
} tp_given_motion;

typedef struct tp_body {
    const char *name;
    tp_place place; /* for messages */
    tp_body_kind kind;
    double mass;
    tp_mat3 inertia; /* about the centre of mass, in the body's directions            */
    tp_vec3 center;  /* of mass, in the frame in which the user gives points          */
    int q_first, q_count, u_first, u_count; /* places in q and u */
    int argument_q, argument_u; /* first places among the arguments of formulas: those of the given model */
    tp_given_motion *given;     /* of a MOVING body; NULL: it moves by itself */
} tp_body;

/* A joint of the model; its law has the rows. */
typedef struct tp_model_joint {
    const char *name;
    int body_a, body_b, law;
    tp_joint joint;
    tp_joint_frame on_A, on_B;       /* where it sits, in the frames of the bodies */
    bool is_named;                   /* its coordinates are known to formulas */
    int angle[TP_JOINT_COORDINATES]; /* number among the model's counted angles, -1: no angle */
    int motor[TP_JOINT_COORDINATES]; /* law of the motor on this coordinate, -1: none */
} tp_model_joint;

/* s = sum of factor times coordinate - constant - target(t): limits, motors, couplers. */
typedef struct tp_combination {
    int term_count;
    int joint[TP_COUPLER_TERMS], coordinate[TP_COUPLER_TERMS];
    double factor[TP_COUPLER_TERMS], constant;
    bool has_target;
    tp_scalar target;
} tp_combination;

/* A force element between two bodies. */
typedef struct tp_model_force {
    const char *name;
    int body_a, body_b;
    int joint, coordinate; /* of a coordinate spring: turns are counted; joint -1: none */
    tp_force_element element;
} tp_model_force;

/* Force and moment on a body as functions of time and state. */
typedef struct tp_model_wrench {
    const char *name;
    int body;
    bool is_in_body, has_force, has_moment;
    tp_vec3 point; /* relative to the centre of mass */
    tp_scalar force[3], moment[3];
} tp_model_wrench;

typedef struct tp_model_shape {
    const char *name;
    int body;
    tp_solid solid;
    tp_pose pose; /* relative to the centre of mass */
    bool is_passive;
    bool is_one_of_several; /* its body has other shapes; found when finished */
} tp_model_shape;

/* Shapes that may touch, each of one group with each of another, and the law of their contact points: it is
   no law of the model, but of the contacts of a step (system/contacts.c). */
typedef struct tp_contact_rule {
    const char *name;
    tp_place place;
    int member_count;
    tp_law in_space, in_plane; /* of two bodies in a plane there is one tangent; row_count 0: not needed */
} tp_contact_rule;

/* A shape that a rule speaks of. */
typedef struct tp_rule_member {
    int shape, rule, group;
} tp_rule_member;

/* Two shapes that do not touch by a rule although their groups do; shape_a < shape_b. */
typedef struct tp_rule_exclusion {
    int rule, shape_a, shape_b;
} tp_rule_exclusion;

enum { TP_NAME_TAKEN = -2 };

struct tp_model {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_message *message; /* of the call that is under way; may be NULL (tp_model_open) */
    tp_names *names;
    const char *name;
    const char *place_file; /* of the last place that was copied; NULL: none */
    bool is_finished;
    tp_list coordinates, velocities;         /* tp_variable */
    tp_list inputs;                          /* tp_input */
    tp_list states;                          /* tp_state_variable */
    tp_list state_mass;                      /* tp_state_mass; when finished by row, complete */
    tp_list relations, outputs;              /* tp_relation, tp_output: all rows of relations in order */
    tp_list storage;                         /* tp_scalar */
    double *initial_rates;                   /* of coordinates, where u = q': kept beside them */
    tp_list kinetic, potential, dissipation; /* tp_scalar */
    tp_list mass;                            /* tp_mass_entry */
    tp_list forces;                          /* tp_force_entry */
    tp_list linear;                          /* tp_linear_part */
    tp_list laws;                            /* tp_law */
    tp_list springs;                         /* tp_spring_contact */
    tp_list sensors;                         /* tp_sensor */
    tp_list bodies;                          /* tp_body */
    tp_list body_variables; /* _Atomic(char *) names of a body's coordinates, then velocities, one after the
                               other; NULL: nobody has asked for them yet */
    tp_list body_coordinates, body_velocities; /* double: starts of all bodies' in order, after those above */
    tp_vec3 gravity;
    tp_list joints;       /* tp_model_joint */
    tp_list combinations; /* tp_combination */
    tp_list elements;     /* tp_model_force */
    tp_list wrenches;     /* tp_model_wrench */
    tp_list shapes;       /* tp_model_shape */
    tp_list surfaces;     /* of the layer drawing */
    tp_list rules;        /* tp_contact_rule              */
    tp_list members;      /* tp_rule_member; when finished by shape, then later rules first */
    tp_list exclusions;   /* tp_rule_exclusion; when finished ascending                     */
    int *member_first;    /* [shapes + 1] members of a shape, when finished */
    /* Numbers in the lists above. Laws, compliant contacts and rules have one space of names, as have force
       elements and wrenches; what is not the first of these has the number TP_NAME_TAKEN. */
    tp_name_index law_names, body_names, joint_names, force_names, shape_names, sensor_names, drawing_names,
        state_names;
    int angle_count;    /* joint coordinates that are angles: their turns are counted */
    tp_list drawings;   /* of the layer drawing */
    tp_list exact;      /* tp_exact_entry */
    double exact_until; /* [s] INFINITY: always */
    int constraint_count, contact_count;
    bool has_constant_mass; /* found when finished */
    bool is_autonomous;
    bool has_applied_power;      /* forces that are neither potential nor dissipative, or given motion */
    const char **velocity_names; /* x' for each coordinate, where u = q' (when finished) */
    const char **velocity_units;
    double *q0, *u0; /* initial state, when finished */
    tp_model_summary summary;
};

#define TP_LIST_AT(list, type, i) (&((type *)(list).items)[i])

/* Whether there is a model, and an item i in its list. */
#define TP_MODEL_HAS(model, list, i) ((model) != NULL && (i) >= 0 && (i) < (model)->list.count)

/* A definition or options from which users start. */
#define TP_DEFAULT(type, function, ...)                                                                      \
    type function(void)                                                                                      \
    {                                                                                                        \
        return (type){__VA_ARGS__};                                                                          \
    }

/* Public questions of which every list has some: how many items it has; a text of one, NULL for no item. */
#define TP_MODEL_COUNT(function, list)                                                                       \
    int function(const tp_model *model)                                                                      \
    {                                                                                                        \
        return model != NULL ? model->list.count : 0;                                                        \
    }
#define TP_MODEL_TEXT(function, list, type, member)                                                          \
    const char *function(const tp_model *model, int i)                                                       \
    {                                                                                                        \
        return TP_MODEL_HAS(model, list, i) ? TP_LIST_AT(model->list, type, i)->member : NULL;               \
    }

/* Room for one more item of the given size, zeroed; NULL when out of memory. */
void *tp_list_add(tp_arena *arena, tp_list *list, size_t item_bytes);

/* A copy of the item at the end of a list of the model. */
#define TP_LIST_KEEP(model, list, item) tp_list_keep(&(model)->arena, &(model)->list, &(item), sizeof(item))
tp_status tp_list_keep(tp_arena *arena, tp_list *list, const void *item, size_t item_bytes);

static inline const tp_law *tp_model_law(const tp_model *model, int index)
{
    return TP_LIST_AT(model->laws, tp_law, index);
}

static inline bool tp_law_is_angle(const tp_law *law, int row)
{
    return (law->angle_rows >> row & 1u) != 0;
}

/* "m/s", "N m s", ...: of a row of a law. */
const char *tp_law_unit(const tp_law *law, int row, tp_law_quantity quantity);

/* Name and unit of coordinate k of a body, or of its velocity k (add_bodies.c). Names are made when the first
   of a body is asked for, by the allocator of the model, and live as long as it. */
const char *tp_model_body_variable(const tp_model *model, int body, bool is_velocity, int k);
void tp_model_free_variables(tp_model *model);
const char *tp_body_variable_unit(const tp_body *body, bool is_velocity, int k);

/* Coordinates, rates and velocities of the model's bodies as names of formulas (add_bodies.c). */
tp_name_family tp_model_body_family(const tp_model *model);

/* The size of a scene that is being finished: tp_model_summary (size.c). */
double tp_model_size(const tp_model *model);

/* The gap up to which a contact is closed [m] or [rad]: tolerances are relative to the size of the scene, of
   angles to 1 rad. */
static inline double tp_law_closing_gap(const tp_model *model, const tp_law *law, double tolerance)
{
    return tp_law_is_angle(law, 0) ? tolerance : tolerance * model->summary.size;
}

/* The laws that a model states: its own, then those of its rules; NULL: a law that the rule does not need. */
static inline int tp_model_stated_count(const tp_model *model)
{
    return model->laws.count + 2 * model->rules.count;
}
static inline const tp_law *tp_model_stated_law(const tp_model *model, int i)
{
    if (i < model->laws.count) return tp_model_law(model, i);
    const tp_contact_rule *rule = TP_LIST_AT(model->rules, tp_contact_rule, (i - model->laws.count) / 2);
    const tp_law *law = (i - model->laws.count) % 2 == 0 ? &rule->in_space : &rule->in_plane;
    return law->row_count > 0 ? law : NULL;
}

/* Whether a shape of a rule belongs to a body whose motion is given. */
bool tp_rule_moves(const tp_model *model, int rule);

/* Whether a rule lets two solids touch for which is_such says so; when finished. */
bool tp_rule_has(const tp_model *model, int rule, bool (*is_such)(const tp_solid *a, const tp_solid *b));

/* How two shapes touch: the law of the rule that was added last for them. */
typedef struct tp_touch {
    const tp_law *law;    /* NULL: they never do    */
    int shape_a, shape_b; /* the normal is from A to B */
} tp_touch;
tp_touch tp_model_touch(const tp_model *model, int shape, int other);

/* Members by shape and exclusions ascending, for tp_model_touch; TP_OUT_OF_MEMORY. */
tp_status tp_model_sort_rules(tp_model *model);

enum { TP_CONTACT_NAME = 320 }; /* bytes of a contact's name, at most */

/* "floor", "heap.a.b" where the rule speaks of more than two shapes, with "[3]" where they have several
   points. */
void tp_model_contact_name(const tp_model *model, const tp_touch *touch, int feature, char *name_out,
                           size_t capacity);

/* Whether a contact sensor means a contact of its rule. */
bool tp_sensor_means(const tp_model *model, const tp_sensor *sensor, const tp_touch *touch, int feature);

/* Whether a row given by a formula is an angle, as it is said or as the formula has it (units.c). */
tp_status tp_model_row_is_angle(tp_model *model, const tp_scalar *row, tp_law_measure given, bool *is_out);

/* Begins a public call that changes a model: refuses a NULL model or input and a finished model; messages go
   to why_out until the next call. */
tp_status tp_model_open(tp_model *model, const void *input, tp_message *why_out);

/* TP_INVALID_DATA: what is wrong with the definition at a place, as the message of that call. */
#define tp_model_refuse(model, place, ...) tp_fail_at((model)->message, TP_INVALID_DATA, place, __VA_ARGS__)

/* Compiles a function of the model's names; `what` is used in messages ("the gap of contact 'beak'"). */
tp_status tp_model_compile(tp_model *model, const tp_function *function, const char *what,
                           tp_scalar *scalar_out);

/* The same for a function of (t, q) alone: "the gap of 'beak'". */
tp_status tp_model_compile_position(tp_model *model, const tp_function *function, const char *name,
                                    const char *what, tp_scalar *scalar_out);

/* Slots of a C function: all of time, coordinates and velocities known so far. */
tp_status tp_model_take_all_slots(tp_model *model, tp_scalar *scalar);

/* Slots of a C function of names. */
tp_status tp_model_take_named_slots(tp_model *model, const char *what, tp_scalar *scalar);

/* The same once more for all C functions that act: velocities and bodies may have been added after them. */
tp_status tp_model_complete_slots(tp_model *model);

/* Functions of inertia and rates know nothing of bodies: a formula that does is refused, "WHAT depends on
   'a.v.x' of a body; ADVICE"; of C functions only the general derivatives are kept (dependence.c). */
tp_status tp_model_check_no_bodies(tp_model *model, tp_scalar *scalar, const char *what, const char *advice);

/* Refuses a formula of rates or velocities: "WHAT must not depend on velocities". */
tp_status tp_model_check_no_velocities(tp_model *model, const tp_scalar *scalar, const char *what);

/* What to do where a position, a gap or a motion cannot be an input: its rate would not be known. */
#define TP_INPUT_HAS_NO_RATE                                                                                 \
    "an input jumps between steps, and a position that does so has no velocity; prescribe the velocity: a "  \
    "motor with speed:, or a coordinate with a constraint on its velocity"

/* ... where a jump would change momentum without a force. */
#define TP_INPUT_IN_INERTIA                                                                                  \
    "an input jumps between steps, and so would the momentum; inputs may enter forces, potentials and laws " \
    "on velocities"

/* Refuses a formula of inputs where their jumps between steps have no meaning: "WHAT depends on the input
   'v'; ADVICE" (inputs.c). */
tp_status tp_model_check_no_inputs(tp_model *model, const tp_scalar *scalar, const char *what,
                                   const char *advice);

/* Whether an input prescribes a velocity of the law. */
bool tp_model_law_has_input(const tp_model *model, const tp_law *law);

const char *tp_model_copy_text(tp_model *model, const char *text);

/* The same place with a file name of the model's own, for messages after the caller's is gone. */
tp_place tp_model_copy_place(tp_model *model, tp_place place);

/* A new law of that name, nothing but the name set; NULL when out of memory. The name must be free. */
tp_status tp_model_check_law_name(tp_model *model, const char *name, tp_place place);
tp_status tp_model_check_name(tp_model *model, const tp_name_index *names, const char *what, const char *name,
                              tp_place place); /* "law", "force": without s */
tp_status tp_model_check_restitution(tp_model *model, const char *name, const char *which, double e,
                                     tp_place place);
tp_law *tp_model_new_law(tp_model *model, const char *name, tp_place place);

/* Refuses the set of a "contact" or "law" of that name that is none. */
tp_status tp_model_check_set(tp_model *model, const tp_set *set, const char *what, const char *name,
                             tp_place place);

/* The body of a name, "ground" or not; a message if there is none. */
tp_status tp_model_body_by_name(tp_model *model, const char *name, tp_place place, int *body_out);

/* Index of a joint by name, -1 if there is none. */
int tp_model_find_joint(const tp_model *model, const char *name);

/* Formulas of a joint's curve become functions (curve_formula.c). */
tp_status tp_model_compile_curve(tp_model *model, tp_joint_def *def_io);

/* A coordinate of a joint by names; `name` is that of what acts on it, for messages. */
tp_status tp_model_find_joint_coordinate(tp_model *model, const tp_joint_coordinate *on, const char *name,
                                         tp_place place, int *joint_out, int *coordinate_out);

/* Makes the coordinates of joints that a formula mentions known to formulas. */
tp_status tp_model_name_joints(tp_model *model, const char *formula);

/* The frame of a body (or the ground) at the start, and at (t, q). */
tp_frame tp_model_frame_at_start(const tp_model *model, int body);
tp_frame tp_model_frame_at(const tp_model *model, int body, const tp_arguments *at);

/* How many arguments of formulas are a body's coordinates and velocities: an affine body shows what the rigid
   body has. */
static inline int tp_body_argument_q_count(const tp_body *body)
{
    return body->kind == TP_BODY_AFFINE ? 7 : body->q_count;
}
static inline int tp_body_argument_u_count(const tp_body *body)
{
    return body->kind == TP_BODY_AFFINE ? 6 : body->u_count;
}

/* A finished model in which every rigid body is affine; docs/theory/consistent.md (A1)-(A7). Laws, joints,
   sensors and formulas are those of the given model, which must live as long; the rigidity of the bodies
   follows as further laws. TP_UNSUPPORTED with the body whose mass is too flat. Memory is the arena's. */
tp_status tp_model_realise_affine(tp_arena *arena, const tp_model *model, tp_model **realised_out,
                                  tp_message *why_out);

/* A state (q, u) of the given model in the coordinates of the realised one. */
void tp_model_realise_state(const tp_model *realised, const double *q, const double *u, double *q_out,
                            double *u_out);

bool tp_model_has_rigid_bodies(const tp_model *model);

/* The first rigid body that is too flat or slender to be affine; TP_GROUND: none. */
int tp_model_find_flat_body(const tp_model *model);

/* Centre of mass in the frame of a body's points; zero for the ground. */
tp_vec3 tp_model_center_of(const tp_model *model, int body);
bool tp_model_is_planar_body(const tp_model *model, int body);

/* How many velocities belong to no body. */
static inline int tp_model_general_velocity_count(const tp_model *model)
{
    return model->velocities.count > 0 ? model->velocities.count : model->coordinates.count;
}
/* Index in u of a velocity with a name of its own, of a body or not; -1 if there is none. */
int tp_model_find_own_velocity(const tp_model *model, const char *name);

/* Velocity of no body by name: an own velocity, or x' (or x) where u = q'; -1 if there is none. */
int tp_model_find_general_velocity(const tp_model *model, const char *name);

static inline int tp_model_coordinate_count(const tp_model *model)
{
    return model->coordinates.count + model->body_coordinates.count;
}
/* Length of the argument vector of formulas, by slot. */
static inline size_t tp_model_slot_count(const tp_model *model)
{
    const int counts[] = {tp_model_coordinate_count(model),
                          model->velocities.count + model->coordinates.count + model->body_velocities.count,
                          model->angle_count,
                          model->inputs.count,
                          model->states.count,
                          model->outputs.count};
    int most = 0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) most = counts[k] > most ? counts[k] : most;
    return 1 + TP_SLOTS_EACH * (size_t)most;
}

/* Compiles the formulas of states and relations, completes the mass of states, and refuses functions that may
   not depend on states (states.c). */
tp_status tp_model_finish_states(tp_model *model);

static inline bool tp_model_has_own_velocities(const tp_model *model)
{
    return model->velocities.count > 0;
}
static inline int tp_model_velocity_count(const tp_model *model)
{
    return tp_model_general_velocity_count(model) + model->body_velocities.count;
}

/* ---- the exact motion, evaluated (exact.c) --------------------------------------------------------------
 */

typedef struct tp_exact {
    const tp_exact_entry **of_q; /* [q_count] NULL: not known                                              */
    const tp_exact_entry **of_u; /* [u_count] that of the coordinate where the velocity is its derivative  */
    int q_count, u_count;
    tp_arguments at;
    double *gradient;
} tp_exact;

/* Memory comes from the arena; nothing is allocated later. */
tp_status tp_exact_create(tp_arena *arena, const tp_model *model, tp_exact *exact_out);

/* The coordinate, velocity or state of an entry. */
const char *tp_exact_name(const tp_model *model, const tp_exact_entry *entry);

/* Values at a time; 0 for what is not known. */
void tp_exact_at(tp_exact *exact, double t, double *q_out, double *u_out);

#endif
