/* A model evaluated at a point (t, q, u): inertia, forces, energy, rows of laws; docs/theory/models.md.
   Nothing here allocates after creation. */
#ifndef TP_SYSTEM_SYSTEM_H
#define TP_SYSTEM_SYSTEM_H

#include "model/model.h"

typedef struct tp_system {
    const tp_model *model;
    tp_arena arena;
    int q_count, u_count;
    bool own_velocities;
    tp_arguments at;            /* the present point, by slot                                            */
    double *u;                  /* [u_count]                                                             */
    double *B, *beta;           /* [q_count*u_count] column-major, [q_count]: q' = B u + beta            */
    double *rate;               /* [q_count] q'                                                          */
    double *rate_drift;         /* [q_count] d(q')/dt at fixed u: B' u + beta'                           */
    double *force_q;            /* [q_count] generalised forces before projection with B                 */
    double *mass_q;             /* [q_count^2] mass matrix in rates                                      */
    double *gradient, *product; /* [largest slot count]                                              */
    double *direction;          /* by slot                                                               */
    int *pivot;                 /* [q_count] */
    bool has_quasi_inertia;     /* inertia in own velocities with square B: gyroscopic terms are derived */
    double *momentum, *dual;    /* [u_count], [q_count] of energies in own velocities    */
    double *scratch;            /* [q_count*u_count]                                                     */
    double *constant_mass;      /* [u_count^2], valid where the model's mass is constant                 */
    double *jacobian_q, *jacobian_rate; /* [q_count^2] derivatives of the forces on rates                */
    double *along, *third;              /* by slot; [largest slot count]                                 */
    bool has_constant_mass;
    bool springs_are_laws; /* compliant contacts are rows of the step problem, not forces; set by the
                              integrator */
} tp_system;

tp_status tp_system_create(const tp_allocator *allocator, const tp_model *model, tp_system **system_out);
void tp_system_free(tp_system *system);

/* Moves the point; computes rates, B and beta. q, u are copied. */
void tp_system_move(tp_system *system, double t, const double *q, const double *u);

/* q' at the present point. */
const double *tp_system_rate(const tp_system *system);

/* M(t,q) [u_count^2], column-major, symmetric. */
void tp_system_mass(tp_system *system, double *M_out);

/* h(t,q,u): gyroscopic terms, potential and other forces. */
void tp_system_force(tp_system *system, double *h_out);

/* dh/dq [u_count*q_count] and dh/du [u_count^2] at the present point, column-major. Exact where u = q' (third
   derivatives of kinetic energies given by C functions are left out); with own velocities the derivatives in
   the rates, projected, without those of B: then approximations. */
void tp_system_force_jacobian(tp_system *system, double *dh_dq_out, double *dh_du_out);

/* TP_UNSUPPORTED with the name of the function that lacks the derivatives for it. */
tp_status tp_system_check_force_jacobian(const tp_model *model, tp_message *why_out);

double tp_system_kinetic_energy(tp_system *system);
double tp_system_potential_energy(tp_system *system);

/* Power of forces that are neither potential nor dissipative, plus dV/dt at fixed q [W]. */
double tp_system_applied_power(tp_system *system);

/* Value of the position function or gap of a law (NaN for laws on velocities). */
double tp_system_law_position(tp_system *system, int law);

/* Rows of a law: W_out [row_count*u_count], row k at W_out + k*u_count, chi_out [row_count]; gamma = W u +
 * chi. */
void tp_system_law_rows(tp_system *system, int law, double *W_out, double *chi_out);

double tp_system_sensor(tp_system *system, int sensor);

/* Gap of a compliant contact, the size of its terms sum |dg/dq_i q_i|, and its row as above. */
double tp_system_spring_gap(tp_system *system, int spring);
double tp_system_spring_size(tp_system *system, int spring);
void tp_system_spring_row(tp_system *system, int spring, double *W_out, double *chi_out);

/* dV/dq of potentials, linear stiffness and compliant contacts that are forces, [q_count]. */
void tp_system_potential_gradient(tp_system *system, double *gradient_out);

/* Second derivative of the potential energy along a direction [q_count]. */
void tp_system_stiffness_vector(tp_system *system, const double *direction, double *product_out);

/* Largest frequency omega [rad/s] of M x'' + K x = 0 with the mass and stiffness at the present point; 0
   where there is no stiffness or u is not q'. M [u_count^2] and work [2 u_count] are the caller's. */
double tp_system_largest_frequency(tp_system *system, double *M, double *work);

#endif
