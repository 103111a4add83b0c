/* What the files of system/ share among themselves. */
#ifndef TP_SYSTEM_PARTS_H
#define TP_SYSTEM_PARTS_H

#include "system.h"

/* ---- formulas.c: everything stated as formulas over t, q, q', u ---- */

/* Rates of the general coordinates where they have formulas: B, beta, rate. */
void tp_formulas_move(tp_system *system);
/* The mass matrix of the general velocities, dense, column-major. */
void tp_formulas_mass(tp_system *system, double *M_out);
/* Forces of formulas: on general velocities into h, on coordinates of bodies into system->force_q. */
void tp_formulas_force(tp_system *system, double *h);
double tp_formulas_kinetic_energy(tp_system *system);
double tp_formulas_potential_energy(tp_system *system);
double tp_formulas_applied_power(tp_system *system);

/* Second derivative of the potential energy along a direction of the general coordinates. */
void tp_formulas_stiffness_vector(tp_system *system, const double *direction, double *product_out);

/* ---- bodies.c ---- */

void tp_bodies_move(tp_system *system);
/* Their blocks of the mass matrix, in mass_pattern. */
void tp_bodies_mass(const tp_system *system, double *M_out);
/* Gyroscopic terms, gravity, and system->force_q projected. */
void tp_bodies_force(tp_system *system, double *h);
double tp_bodies_kinetic_energy(const tp_system *system);
double tp_bodies_potential_energy(const tp_system *system);
/* Adds the derivatives of these forces, after tp_system_force: values in jacobian_pattern. */
void tp_bodies_force_jacobian(tp_system *system, double *stiffness, double *damping);

/* How a coordinate changes with the velocities: q_i' = sum of factor[k] u[index[k]] + ... */
typedef struct tp_image {
    int count;
    const int *index;
    const double *factor;
} tp_image;

/* `use` 0 or 1: which of two results is overwritten. */
tp_image tp_coordinate_image(const tp_system *system, int i, int use);

/* The gradient of a function over the quaternion of a body; false if there is none. */
bool tp_body_covector(const tp_body *body, const tp_scalar *scalar, const double *gradient, double *f_out);

/* Velocities move a quaternion by B e_i, which changes when it moves itself: matrix_out[i + count k] is
   f.(change of B e_i along velocity k) over the turns of the body; returns their count (law_hessian.c). */
int tp_body_turning(const tp_system *system, const tp_body *body, tp_quat f, double *matrix_out);

/* A wrench on a body as a row over the body's velocities: W [u_count of the body] +=. A moving body adds to
 * chi.
 */
void tp_body_add_row(const tp_system *system, int body, tp_wrench wrench, double *W, double *chi);

/* ---- forces.c: springs, bushings and wrenches on bodies ---- */

void tp_elements_add_force(tp_system *system, double *h);
double tp_elements_potential_energy(tp_system *system);
double tp_elements_applied_power(tp_system *system);
void tp_elements_force_jacobian(tp_system *system, double *stiffness, double *damping);

/* Energy of one element, its gradient over the velocities of body A, then of B; and the product of its
   second derivatives with a step of all coordinates, where u = q'. */
double tp_element_potential_gradient(tp_system *system, int element, double *gradient_out);
void tp_element_potential_product(tp_system *system, int element, const double *step, double *product_out);

/* ---- elements.c: laws that are made of frames ---- */

enum { TP_LAW_BODIES = 2 * TP_COUPLER_TERMS }; /* of one law, at most */

void tp_elements_law_rows(tp_system *system, int law, double *W_out, double *chi_out);
void tp_elements_law_positions(tp_system *system, int law, double *g_out);
int tp_elements_law_bodies(const tp_model *model, const tp_law *law, int *bodies_out);

/* ---- pattern.c ---- */

tp_status tp_system_find_patterns(tp_system *system);

#endif
