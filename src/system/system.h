/* A model evaluated at a point (t, q, u): inertia, forces, energy, rows of laws; docs/theory/models.md,
   bodies.md. Matrices are sparse: values in a pattern that is known when the system is made. Nothing here
   allocates after creation. */
#ifndef TP_SYSTEM_SYSTEM_H
#define TP_SYSTEM_SYSTEM_H

#include "base/pool.h"
#include "contacts.h"
#include "model/scalars.h"
#include "tippe/linear.h"

#include <math.h>

/* A body at the present point. */
typedef struct tp_body_state {
    tp_frame frame;
    tp_vec3 v, w;   /* velocity of the origin, angular velocity, both in the world */
    double stretch; /* relative rate of growth, of scalable bodies */
} tp_body_state;

/* A wrench that a caller applies to a body from now on: that of a model, with constants for formulas. */
typedef struct tp_applied {
    tp_model_wrench wrench;
    double value[6]; /* force, moment */
} tp_applied;

/* What a system leaves to the integrator that it is made for; all false: nothing. */
typedef struct tp_system_options {
    bool springs_are_laws; /* compliant contacts are rows of the step problem, not forces                   */
    bool has_own_inertia;  /* gyroscopic terms of M(q) and of bodies are left out of forces and their
                              derivatives: the integrator has terms of its own                              */
    bool has_no_derivatives; /* nobody asks for derivatives of forces or for discrete ones: jacobian_pattern,
                                mass_place, unit, axis_of and turn_of are empty                             */
} tp_system_options;

/* Fields are named by the function that fills them; files of system/ alone write them. */
typedef struct tp_system {
    /* tp_system_create: constant */
    const tp_model *model;
    tp_arena arena;
    tp_system_options options;
    int q_count, u_count;
    int slot_count;             /* arguments of formulas by slot that are kept                              */
    int general_q, general_u;   /* the first of them: coordinates and velocities of no body                 */
    int argument_q, argument_u; /* what formulas see of q and u: of affine bodies what rigid ones have      */
    int fixed_count;            /* laws of the model: those of contacts between shapes follow               */
    bool own_velocities;        /* among the general ones u is not q'                                       */
    bool has_quasi_inertia;     /* inertia in own velocities with square B: gyroscopic terms are derived    */
    bool has_affine;            /* a body is affine                                                         */
    bool has_own_frames;        /* each body moves by its own q and u alone: none is affine or given        */
    bool has_formula_forces;    /* a formula or matrix may act: else force_q, force_u are empty             */
    bool has_constant_mass;     /* then general_mass is constant                                            */
    tp_body_state ground;
    int *axis_of; /* [u_count] the axis 0, 1, 2 along which it moves a body as a whole; -1: none */
    int *turn_of; /* [u_count] the body whose first rotation (scalable: stretch) it is, or TP_GROUND */
    double *unit; /* [u_count] of its displacement: size of the scene for lengths of bodies, else 1   */
    tp_arena pattern_scratch; /* work of pattern.c                                                        */
    tp_contacts *contacts;    /* NULL: no shapes may touch                                                 */
    tp_pool *pool;            /* borrowed, set by the owner after creation; NULL: one thread */

    /* tp_system_find_contacts: kept from point to point */
    int law_count;             /* laws of the model and contacts            */
    const tp_near_pair *pairs; /* [pair_count]                              */
    int pair_count;
    const int *pair_of; /* [contacts] */
    const unsigned char
        *held_axis; /* [law_count] tp_held_axis; NULL: all of them by their normals; a simulation sets it */

    /* tp_system_find_patterns: constant */
    tp_sparse mass_pattern;     /* u_count square, no values                                                */
    tp_sparse jacobian_pattern; /* the same for derivatives of forces; holds mass_pattern                   */
    int *mass_place;            /* where the entries of the mass stand in the jacobian                      */
    int *column_start, *column; /* velocities that the rows of a law of the model touch:
                                   column[column_start[law] ...]; compliant contacts follow */
    int largest_columns;        /* of a law                                                                 */

    /* tp_system_refer_angles, tp_system_refer_orientations, tp_system_set_inputs: kept from point to point */
    double *angle_reference; /* [angle_count] angles of joints are those nearest to these                   */
    double *input;           /* [inputs] of the step that the point belongs to; at first their defaults     */
    double *x, *multiplier;  /* [states], [multipliers] tp_system_set_states: at first initial values and 0 */

    /* tp_system_apply: kept from point to point */
    tp_applied *applied; /* [bodies] what a caller applies to bodies; the first applied_count are set */
    int applied_count;

    /* tp_system_move */
    bool has_point;
    unsigned long long place; /* another number wherever t, q, inputs or states are others; not 0 */
    double place_time;
    tp_arguments at;     /* the present point, by slot                                                      */
    double *q, *u;       /* [q_count], [u_count]                                                            */
    double *B, *beta;    /* general: [general_q*general_u] column-major, [general_q]: q' = B u + beta       */
    double *rate;        /* [argument_q] q'                                                                 */
    double *rate_drift;  /* [general_q] d(q')/dt at fixed u: B' u + beta'                                   */
    tp_body_state *body; /* [bodies]                                                                        */
    tp_mat3 *rotation;   /* [bodies] nearest to the directions of an affine one; NULL: there is none        */

    /* tp_system_mass */
    double *mass_q;       /* [general_q^2] mass matrix in rates                                             */
    double *general_mass; /* [general_u^2]                                                                  */
    double *mass_work;    /* [3 general_q]                                                                  */

    /* tp_system_force, which derivatives of forces ask for by themselves */
    bool force_is_known;
    double *force_q;         /* [argument_q] generalised forces before projection with B                    */
    double *force_u;         /* [argument_u] forces of formulas on velocities                               */
    double *momentum, *dual; /* [general_u], [general_q] of energies in own velocities                      */

    /* tp_system_contact_point, which rows and gaps of pairs ask for by themselves */
    bool points_are_known, poses_are_known;
    tp_contact_point *points; /* [contacts]                                                                 */
    tp_pose *shape_pose;      /* [shapes] in the world                                                      */

    /* work of a call */
    double *gradient, *product, *third; /* [largest slot count]                                             */
    double *direction, *along, *full; /* by slot (those of functions) twice, [u_count]: zero between calls */
    double *h;                        /* [u_count] of derivatives                                         */
    double *scratch;                  /* [general_q*general_u]                                            */
    int *pivot;                       /* [general_q]                                                      */
    int *image_index[2];              /* two results of tp_coordinate_image: [general_u or 9]             */
    double *image_factor[2];
} tp_system;

/* The pair of a contact; NULL: the law is none. */
static inline const tp_near_pair *tp_system_pair(const tp_system *system, int law)
{
    int contact = law - system->fixed_count;
    return contact >= 0 && law < system->law_count ? &system->pairs[system->pair_of[contact]] : NULL;
}

/* A law by its number: those of the model, then the contacts; all contacts of a rule share one law. */
static inline const tp_law *tp_system_law(const tp_system *system, int law)
{
    return law < system->fixed_count ? tp_model_law(system->model, law)
                                     : tp_system_pair(system, law)->touch.law;
}

/* ---- without a point ----------------------------------------------------------------------------------- */

tp_status tp_system_create(const tp_allocator *allocator, const tp_model *model, tp_system **system_out);
tp_status tp_system_create_with(const tp_allocator *allocator, const tp_model *model,
                                const tp_system_options *options, tp_system **system_out);
void tp_system_free(tp_system *system);

/* Moves the point; computes frames, rates, B and beta. q, u are copied. */
void tp_system_move(tp_system *system, double t, const double *q, const double *u);

/* Angles of joints are those nearest to these [angle_count], from now on. */
void tp_system_refer_angles(tp_system *system, const double *angles);

/* Inputs of the points that follow, [inputs of the model]. */
void tp_system_set_inputs(tp_system *system, const double *inputs);

/* Quaternions of affine bodies take the sign that is nearest to those of the last point; this makes it q, as
   the given model has it. */
void tp_system_refer_orientations(tp_system *system, const double *given_q);

/* The wrench that a caller applies to a body until the next call; `given` has body, point and directions,
   value the constant force and moment [6]; NULL: none any more. */
void tp_system_apply(tp_system *system, const tp_model_wrench *given, const double *value);

/* out = a + factor b by the threads of the system; out may be a or b. */
void tp_system_combine(const tp_system *system, int count, const double *a, double factor, const double *b,
                       double *out);

/* Quaternions to unit length. */
void tp_system_normalise(const tp_system *system, double *q);

static inline int tp_sparse_count(const tp_sparse *pattern)
{
    return pattern->start[pattern->cols];
}

/* Place of the entry (i, j) in a pattern, by bisection; it is there. */
int tp_pattern_search(const tp_sparse *pattern, int i, int j);

/* The same, at once where the rows of the column follow each other. */
static inline int tp_pattern_place(const tp_sparse *pattern, int i, int j)
{
    int start = pattern->start[j], end = pattern->start[j + 1];
    int place = start < end ? start + i - pattern->index[start] : end;
    bool is_there = place >= start && place < end && pattern->index[place] == i;
    return is_there ? place : tp_pattern_search(pattern, i, j);
}

/* Places of all entries of a pattern in one that holds it, from the arena; NULL: no memory. */
int *tp_pattern_places(tp_arena *arena, const tp_sparse *part, const tp_sparse *whole);

/* jacobian_pattern and the columns of each law with themselves, for derivatives of rows; from the arena. */
tp_status tp_system_find_step_pattern(tp_arena *arena, tp_system *system, tp_sparse *pattern_out);

/* Where the columns of a law stand that is not between shapes; compliant contacts follow all laws. */
static inline int tp_system_column_entry(const tp_system *system, int law)
{
    return law < system->fixed_count ? law : law - (system->law_count - system->fixed_count);
}

/* Velocities that a law's rows touch: their number, their indices ascending. */
static inline int tp_system_law_column_count(const tp_system *system, int law)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    if (pair != NULL) return pair->column_count;
    int entry = tp_system_column_entry(system, law);
    return system->column_start[entry + 1] - system->column_start[entry];
}
static inline const int *tp_system_law_columns(const tp_system *system, int law)
{
    const tp_near_pair *pair = tp_system_pair(system, law);
    if (pair != NULL) return pair->column;
    return system->column + system->column_start[tp_system_column_entry(system, law)];
}

/* Both at once: const int *columns, count = tp_system_columns_of(system, law, &columns). */
static inline int tp_system_columns_of(const tp_system *system, int law, const int **columns_out)
{
    *columns_out = tp_system_law_columns(system, law);
    return tp_system_law_column_count(system, law);
}

/* TP_UNSUPPORTED with the name of the function that lacks the derivatives for tp_system_force_jacobian. */
tp_status tp_system_check_force_jacobian(const tp_model *model, tp_message *why_out);

/* ---- at the present point: after tp_system_move, in any order ------------------------------------------ */

/* What the model that was given has as q and u: [argument_q], [argument_u]. */
static inline const double *tp_system_given_q(const tp_system *system)
{
    return system->at.q;
}
static inline const double *tp_system_given_u(const tp_system *system)
{
    return system->at.u;
}

/* q', [argument_q]; the array stays the same. */
static inline const double *tp_system_rate(const tp_system *system)
{
    return system->rate;
}

/* q += factor B x, and q += factor d(q')/dt at fixed u: p'' = -|w|^2 p/4 of quaternions, whose length is left
   alone. Bodies are not scalable. */
void tp_system_add_change(const tp_system *system, const double *x, double factor, double *q);
void tp_system_add_rate_drift(const tp_system *system, double factor, double *q);

/* q += factor B x, where the point does not move; x [u_count] small. Quaternions keep unit length. */
void tp_system_change(const tp_system *system, const double *x, double factor, double *q);

/* The same with one Newton step of |p| - 1 = 0 at the old p: lengths are off by what B x changes of them, to
   second order. The largest such error. */
void tp_system_change_freely(const tp_system *system, const double *x, double factor, double *q);
double tp_system_length_error(const tp_system *system, const double *q);

/* B^T B: values in mass_pattern. */
void tp_system_metric(const tp_system *system, double *metric_out);

/* The frame of a body, or of the ground. */
static inline const tp_body_state *tp_system_body(const tp_system *system, int body)
{
    return body == TP_GROUND ? &system->ground : &system->body[body];
}

/* The rotation of a body: its directions, of an affine body the nearest rotation. */
static inline const tp_mat3 *tp_system_rotation(const tp_system *system, int body)
{
    bool is_affine = system->rotation != NULL && body != TP_GROUND &&
                     TP_LIST_AT(system->model->bodies, tp_body, body)->kind == TP_BODY_AFFINE;
    return is_affine ? &system->rotation[body] : &tp_system_body(system, body)->frame.D;
}

/* M(t,q), symmetric: values in mass_pattern. */
void tp_system_mass(tp_system *system, double *M_out);

/* h(t,q,u): gyroscopic terms, potential and other forces. */
void tp_system_force(tp_system *system, double *h_out);

/* dh/dq B and dh/du: values in jacobian_pattern. Exact where u = q' and for bodies
   (third derivatives of kinetic energies given by C functions are left out); with own velocities the
   derivatives in the rates, projected, without those of B: then approximations. */
void tp_system_force_jacobian(tp_system *system, double *stiffness_out, double *damping_out);

/* Size of the positions that belong to each velocity [u_count]: |q| of a coordinate, 1 for rotations. */
void tp_system_position_sizes(const tp_system *system, double *size_out);

double tp_system_kinetic_energy(tp_system *system);
double tp_system_potential_energy(tp_system *system);

/* Power of forces that are neither potential nor dissipative, plus dV/dt at fixed q [W]. */
double tp_system_applied_power(tp_system *system);

static inline bool tp_system_has_applied_power(const tp_system *system)
{
    return system->model->has_applied_power || system->applied_count > 0;
}

/* What dissipation functions, damping matrices and dampers take [W]. */
double tp_system_dissipated_power(tp_system *system);

/* dV/dq of potentials, linear stiffness and compliant contacts that are forces, [argument_q]. */
void tp_system_potential_gradient(tp_system *system, double *gradient_out);

/* Largest frequency omega [rad/s] of M x'' + K x = 0 with the mass and stiffness here; 0
   where there is no stiffness or u is not q'. M [general_u^2] and work [2 general_u] are the caller's. */
double tp_system_largest_frequency(tp_system *system, double *M, double *work);

/* Value of the gap or of the (first) position row of a law (NaN for laws on velocities). */
double tp_system_law_position(tp_system *system, int law);

/* Values of all position rows of a law: g_out [row_count]; those of velocity rows are 0. */
void tp_system_law_positions(tp_system *system, int law, double *g_out);

/* Rows of a law over its columns: row k at W_out + k*column_count; chi_out [row_count]; gamma = W u + chi. */
void tp_system_law_rows(tp_system *system, int law, double *W_out, double *chi_out);

/* Velocity of row k of a contact point per rate of stretch of each rigid body, at the column of the body's
   first rotation: stretch_out [column_count]; 0 elsewhere, for other laws, and for shapes that touch at
   several points, which would seem to approach each other in a step; consistent.md (26). */
void tp_system_law_stretch(tp_system *system, int law, int k, double *stretch_out);

/* Gap of a compliant contact, the size of its terms sum |dg/dq_i q_i|, and its row: as that of a law with the
   index law_count + spring. */
double tp_system_spring_gap(tp_system *system, int spring);
double tp_system_spring_size(tp_system *system, int spring);
void tp_system_spring_row(tp_system *system, int spring, double *W_out, double *chi_out);

/* Coordinate k of a joint; an angle is the one nearest to its reference. */
double tp_system_joint_coordinate(const tp_system *system, int joint, int k);

/* Angles of all joints, [angle_count]. */
void tp_system_count_turns(const tp_system *system, double *angles);

/* The point of a contact between shapes; infinite gap: there is none. */
const tp_contact_point *tp_system_contact_point(tp_system *system, int law);

/* The poses of all shapes that may touch, into shape_pose. */
void tp_system_pose_shapes(tp_system *system);

/* Coordinates of a joint and what it transmits, with the impulses as below; force and stored energy of a
   force (a wrench: -1, -2, ...) on its second body, about the centre of mass. */
void tp_system_joint_state(const tp_system *system, int joint, const double *impulse, double step,
                           tp_joint_state *state_out);
tp_wrench tp_system_force_on(tp_system *system, int force, double *energy_out);

/* A sensor, with the impulses [TP_LAW_ROWS laws] of a step of the given length; W [TP_LAW_ROWS
   largest_columns] is work (sensors.c). Those of formulas need neither. */
double tp_system_measure(tp_system *system, int sensor, const double *impulse, double step, double *W);

/* With the accelerations u' [u_count]: of a point of a body, relative to its centre of mass, of the body's
   turning, and of coordinate k of a joint. */
void tp_system_point_acceleration(tp_system *system, int body, tp_vec3 point, const double *a,
                                  tp_vec3 *acceleration_out, tp_vec3 *angular_out);
double tp_system_coordinate_acceleration(tp_system *system, int joint, int k, const double *a);

/* A sensor of accelerations and forces at the present point: a [u_count], force [TP_LAW_ROWS laws]. */
double tp_system_measure_now(tp_system *system, int sensor, const double *a, const double *force);

/* ---- rows -------------------------------------------------------------------------------------------- */

/* gamma of a row that is given over columns. */
static inline double tp_row_velocity(int count, const int *columns, const double *W, const double *u)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) sum += W[k] * u[columns[k]];
    return sum;
}

/* Sum of the sizes of its terms: rounding is a part of this. */
static inline double tp_row_size(int count, const int *columns, const double *W, const double *u)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) sum += fabs(W[k] * u[columns[k]]);
    return sum;
}

/* Velocity of a row by an impulse of 1 along it, and the size of what forces h make of it in a unit of time,
   roughly: with the diagonal of the mass matrix M. */
static inline double tp_row_mobility(const tp_system *system, const double *M, int count, const int *columns,
                                     const double *W)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        double mass = M[tp_pattern_place(&system->mass_pattern, columns[k], columns[k])];
        if (mass > 0.0) sum += W[k] * W[k] / mass;
    }
    return sum;
}
static inline double tp_row_change(const tp_system *system, const double *M, int count, const int *columns,
                                   const double *W, const double *h)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        double mass = M[tp_pattern_place(&system->mass_pattern, columns[k], columns[k])];
        if (mass > 0.0) sum += fabs(W[k] * h[columns[k]] / mass);
    }
    return sum;
}

#endif
