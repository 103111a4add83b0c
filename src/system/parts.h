/* What the files of system/ share among themselves; nobody else includes this. A function of tp_system is a
   sum over what the model is made of: formulas (formulas.c), bodies (bodies.c, affine.c, scalable.c) and
   elements, that is springs, bushings and wrenches (forces.c). All is at the present point. */
#ifndef TP_SYSTEM_PARTS_H
#define TP_SYSTEM_PARTS_H

#include "images.h"
#include "system.h"

enum { TP_BODY_VELOCITIES = 12 };              /* of one body, at most */
enum { TP_LAW_BODIES = 2 * TP_COUPLER_TERMS }; /* of one law, at most  */

/* ---- shares of tp_system_NAME ------------------------------------------------------------------------- */

/* move: frames first; of formulas B, beta, rate and its drift. */
void tp_bodies_move(tp_system *system, bool is_there); /* is_there: positions are those of before */
void tp_formulas_move(tp_system *system);

/* mass: of the general velocities dense and column-major; of bodies their blocks in mass_pattern. */
void tp_formulas_mass(tp_system *system, double *M_out);
void tp_bodies_mass(tp_system *system, double *M_out);

/* force, in this order: formulas set h of general velocities, force_q and force_u; bodies add gyroscopic
   terms, gravity and what force_q is for them; elements add theirs. */
void tp_formulas_force(tp_system *system, double *h);
void tp_bodies_force(tp_system *system, double *h);
void tp_elements_add_force(tp_system *system, double *h);

/* force_jacobian: added, values in jacobian_pattern; force_is_known. */
void tp_bodies_force_jacobian(tp_system *system, double *stiffness, double *damping);
void tp_elements_force_jacobian(tp_system *system, double *stiffness, double *damping);

/* Energies and powers. */
double tp_formulas_kinetic_energy(tp_system *system);
double tp_bodies_kinetic_energy(const tp_system *system);
double tp_formulas_potential_energy(tp_system *system);
double tp_bodies_potential_energy(const tp_system *system);
double tp_elements_potential_energy(tp_system *system);
double tp_formulas_applied_power(tp_system *system);
double tp_elements_applied_power(tp_system *system);
double tp_formulas_dissipated_power(tp_system *system);
double tp_elements_dissipated_power(tp_system *system);

/* Rows and positions of laws that are made of frames (frame_rows.c); the bodies they touch. */
void tp_elements_law_rows(tp_system *system, int law, double *W_out, double *chi_out);
void tp_elements_law_positions(tp_system *system, int law, double *g_out);
int tp_elements_law_bodies(const tp_model *model, const tp_law *law, int *bodies_out);

/* A body that moves on with its velocities held, u' = 0: rates and second rates of its frame, angular
   velocity and acceleration in the world; second-level.md (2), (3). The ground and moving bodies too. */
typedef struct tp_frame_motion {
    tp_frame rate, second;
    tp_vec3 w, w_rate;
    bool is_exact; /* false: of a moving body given by C functions without second derivatives */
} tp_frame_motion;

/* The second level of the same laws, in the files of their rows; tp_system_law_drift, _law_hessian. */
bool tp_formulas_law_drift(tp_system *system, int law, double *g2_out);
bool tp_elements_law_drift(tp_system *system, int law, double *g2_out);
bool tp_contact_law_drift(tp_system *system, int law, double *g2_out);
void tp_contact_law_hessian(tp_system *system, int law, int k, double *H_io);

/* How a slot of formulas changes when time goes on and the velocities are held. */
double tp_slot_rate_of_change(const tp_system *system, int slot);

/* Derivatives of g2 along the velocities of a law (drift_jacobian.c); false: not exact. */
typedef struct tp_drift_jacobian {
    tp_system *system;
    int law, count; /* columns                                                                    */
    const int *columns;
    double *by_position, *by_velocity; /* [row_count * count], row by row; added to                 */
} tp_drift_jacobian;

bool tp_contact_drift_jacobian(const tp_drift_jacobian *J);
void tp_drift_jacobian_add_row(const tp_drift_jacobian *J, int k, const tp_basic_row *row, const int *bodies,
                               double factor);

/* Second derivative of a basic row along the motions of its two bodies. */
double tp_basic_row_drift(const tp_system *system, const tp_basic_row *row, const int *bodies,
                          const tp_frame_motion *motions);

/* What the rows of a contact point are made of, of A and of B; also the rates of all that. */
typedef struct tp_contact_frame {
    int body[2];
    tp_vec3 direction[3];           /* normal, tangents                      */
    tp_vec3 axis;                   /* that the first tangent is nearest to  */
    tp_vec3 pressed[2], rubbing[2]; /* where normal and friction forces act  */
    bool is_affine;                 /* a body is: pressed at the roundings   */
    bool is_shared;                 /* both rub at one point, in the middle  */
} tp_contact_frame;

/* False: there is no such point now. */
bool tp_contact_frame_of(tp_system *system, int law, tp_contact_frame *frame_out);

/* The axis of the tangents of a contact with a normal; contacts-geometry.md (1c). */
tp_vec3 tp_contact_axis(const tp_system *system, int law, tp_vec3 normal);

/* Directions of the rows of a contact point: normal, then tangents. */
static inline tp_mat3 tp_contact_axes(tp_vec3 normal, tp_vec3 axis, bool is_planar)
{
    tp_mat3 axes = tp_frame_from_axis(normal, axis);
    if (is_planar) axes.cy = tp_vec3_make(normal.y, -normal.x, 0.0);
    return axes;
}

/* The direction about which row k >= 3 turns: of drilling the normal, of rolling a tangent. */
static inline int tp_contact_turn(const tp_law *law, int k)
{
    return law->row_count == 4 ? 0 : k - 2;
}

/* ---- formulas.c --------------------------------------------------------------------------------------- */

/* Gradient of a function over t and q, and how it changes along the motion: system->gradient, product. */
void tp_formulas_along_motion(tp_system *system, const tp_scalar *scalar);
/* Adds dT/dq of T = (1/2) M_ij u_i u_j (twice if i != j) to force_q; M_ij and its rate along the motion. */
double tp_formulas_add_entry_force(tp_system *system, const tp_mass_entry *entry, double *rate_out);
/* Second derivative of the potential energy along a direction of the general coordinates. */
void tp_formulas_stiffness_vector(tp_system *system, const double *direction, double *product_out);

/* ---- images.c ------------------------------------------------------------------------------------------ */

/* The same of a velocity that formulas know: u_j = sum of factor[k] u[index[k]]. */
tp_image tp_velocity_image(const tp_system *system, int j, int use);

/* The image of a slot other than time: that of its coordinate or velocity. */
tp_image tp_slot_image(const tp_system *system, int slot, int use);

/* How a slot changes with the positions at fixed u, over the velocities that move them: rates of quaternions
   do, and angular velocities of affine bodies. */
tp_image tp_slot_shift(const tp_system *system, int slot, int use);

/* ---- bodies.c ------------------------------------------------------------------------------------------ */

/* At the present velocities. */
tp_frame_motion tp_frame_motion_of(tp_system *system, int body);

/* Velocity k of a body, of size 1, as a twist; and rate and w of that motion, the rest 0. */
tp_wrench tp_body_unit_twist(const tp_system *system, int body, int k);
tp_frame_motion tp_frame_unit_motion(const tp_system *system, int body, int k);

/* How the motion of a body that is not affine changes when it is moved along velocity k, its velocities held,
   and when velocity k grows; (16), (17). */
tp_frame_motion tp_frame_motion_by_position(const tp_system *system, int body, int k,
                                            const tp_frame_motion *motion);
tp_frame_motion tp_frame_motion_by_velocity(const tp_system *system, int body, int k,
                                            const tp_frame_motion *motion);

/* A wrench on a body as a row over the body's velocities: W [u_count of the body] +=. A moving body adds to
 * chi.
 */
void tp_body_add_row(const tp_system *system, int body, tp_wrench wrench, double *W, double *chi);

/* ---- affine.c: bodies with the coordinates (r, d1, d2, d3) --------------------------------------------- */

/* Frame, rotation and velocities; what formulas see. */
void tp_affine_move(tp_system *system, int body);
/* Its columns of the mass matrix, from that of u_first on. */
void tp_affine_mass(const tp_system *system, const tp_body *body, double *M);
/* h += gravity and the forces of formulas. */
void tp_affine_force(const tp_system *system, int body, double *h);
void tp_affine_force_jacobian(const tp_system *system, int body, double *stiffness);
double tp_affine_kinetic_energy(const tp_system *system, const tp_body *body);
/* W [12] += a wrench; factor times a force at a point of the world that is fixed in the body; factor times a
   gradient over the frame. */
void tp_affine_add_wrench(const tp_system *system, int body, tp_wrench wrench, double *W);
void tp_affine_add_force_at(const tp_system *system, int body, tp_vec3 point, tp_vec3 force, double factor,
                            double *W);
void tp_affine_add_gradient(const tp_frame *gradient, double factor, double *W);
/* How the row of a moment m changes along each direction: added to jacobian_pattern; (A8). */
void tp_affine_add_turning(const tp_system *system, const tp_body *body, tp_vec3 m, double *value);
/* Velocity k as a twist, and the change of the angular velocity when coordinate k moves by 1. */
tp_wrench tp_affine_twist(const tp_system *system, int body, int k);
tp_vec3 tp_affine_spin_change(const tp_system *system, const tp_body *body, int k);
/* How the angular velocity of velocity i changes when coordinate j moves by 1. */
tp_vec3 tp_affine_unit_change(int i, int j);
/* How the row of forces f [4] on the quaternion and f_w [3] on the angular velocity changes along each
   velocity: matrix [12 * 12] +=, column by column. */
void tp_affine_turning(const tp_system *system, int body, const double *f, const double *f_w, double *matrix);
/* x.w for a vector x of the world: factor [9] of the rates of the directions; and how it changes with the
   directions where x turns with the body. */
void tp_affine_spin_row(const tp_system *system, int body, tp_vec3 x, double *factor);
void tp_affine_spin_shift(const tp_system *system, int body, tp_vec3 x, double *factor);
/* The rigidity constraints: values [6], rows [6 * 12], second derivatives of row k [12 * 12] +=. */
void tp_affine_rigidity(const tp_system *system, int body, double *g);
void tp_affine_rigidity_rows(const tp_system *system, int body, double *W);
void tp_affine_rigidity_hessian(int k, double *H);
void tp_affine_rigidity_drift(const tp_system *system, int body, double *g2);

static inline bool tp_is_affine(const tp_model *model, int body)
{
    return body != TP_GROUND && TP_LIST_AT(model->bodies, tp_body, body)->kind == TP_BODY_AFFINE;
}

/* ---- forces.c ------------------------------------------------------------------------------------------ */

/* Energy of one element, its gradient over the velocities of body A, then of B; and the product of its
   second derivatives with a step of all coordinates, where u = q'. */
double tp_element_potential_gradient(tp_system *system, int element, double *gradient_out);
void tp_element_potential_product(tp_system *system, int element, const double *step, double *product_out);

/* What 1 of a component of a given wrench (force x, y, z, moment x, y, z) does, in the world about the body's
   origin. */
tp_wrench tp_unit_wrench(const tp_system *system, const tp_model_wrench *given, int component);

/* ---- law_hessian.c ------------------------------------------------------------------------------------- */

/* The gradient of a function over the quaternion of a body; false if there is none. */
bool tp_body_covector(const tp_body *body, const tp_scalar *scalar, const double *gradient, double *f_out);

/* Velocities move a quaternion by B e_i, which changes when it moves itself: matrix_out[i + count k] is
   f.(change of B e_i along velocity k) over the turns of the body; returns their count. */
int tp_body_turning(const tp_system *system, const tp_body *body, tp_quat f, double *matrix_out);

/* ---- smooth_gap.c -------------------------------------------------------------------------------------- */

/* A gap that is smooth: of a vertex (of a point, ball, capsule or box) over a plane, in a hollow ball or
   cylinder or, of points and balls, over another ball. It is factor times a basic row of the frames of two
   bodies, minus a radius. */
typedef struct tp_smooth_gap {
    int body[2];
    tp_basic_row row;
    double factor, radius;
} tp_smooth_gap;

/* The smooth gap of a law of shapes. False: another law, whose gap may have kinks. */
bool tp_smooth_gap_of(const tp_system *system, int law, tp_smooth_gap *gap_out);

/* How far below the surface of a solid, along the normal of a contact, the centre of its roundness lies: the
   gap does not change when the solid rolls about it. Hollows: negative; corners and planes: 0. */
double tp_solid_rounding(const tp_solid *solid, const tp_pose *pose, tp_vec3 normal);

/* ---- check_functions.c --------------------------------------------------------------------------------- */

/* Refuses C functions that depend, at the present point, on what has no place in the equations of motion:
   inertia and rates on bodies, potentials and gaps on velocities. */
tp_status tp_system_check_functions(tp_system *system, tp_message *why_out);

/* ---- pattern.c ----------------------------------------------------------------------------------------- */

tp_status tp_system_find_patterns(tp_system *system);

#endif
