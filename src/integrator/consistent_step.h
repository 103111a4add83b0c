/* The smooth step of the energy-consistent schemes as one nonlinear inclusion; theory/consistent.md (9)-(20).
   With u the velocity at the start (after impacts), unknowns a and c, and d = dt (u + a):
       q+ = q + d,  u+ = u + c,
       F1 = M c + G d + dt DT/Dq - dt f + dt DV/Dq - (Dg/Dq)^T L - dt (Dgamma/Dq)^T K - W P
       F2 = M (c/2 - a) - W(q)^T K
   joints   gamma(u+, q+) = 0 with L,  g(q+)/dt = 0 with K     contacts  xi = W^T d/dt (or on velocities) with
   P.
 */
#ifndef TP_INTEGRATOR_CONSISTENT_STEP_H
#define TP_INTEGRATOR_CONSISTENT_STEP_H

#include "integrators.h"
#include "system/discrete.h"
#include "system/midpoint.h"
#include "system/step_problem.h"

/* On what contacts and laws on velocities act. */
typedef enum tp_consistent_laws {
    TP_CONSISTENT_JOINTS_ONLY,
    TP_CONSISTENT_DISPLACEMENTS, /* W^T (q+ - q)    */
    TP_CONSISTENT_VELOCITIES,    /* W^T (u+ + e u)  */
    TP_CONSISTENT_IMPULSES /* W^T (u+ + u + delta b), M b the impulses of contacts that joints let pass */
} tp_consistent_laws;

/* What distinguishes the schemes. */
typedef struct tp_consistent_scheme {
    tp_consistent_laws laws_on;
    bool has_velocity_level; /* joints also on velocity level */
    tp_turning turning;      /* of rigid bodies               */
} tp_consistent_scheme;

/* One law in the problem. */
typedef struct tp_consistent_law {
    int law, first, second; /* first rows of its two sets; second -1: none */
    bool is_joint;          /* holds positions */
    bool is_ideal;  /* on impulses: a constraint on velocities; it holds the mean one, and lets no impulse of
                       contacts pass, (49) */
    bool is_middle; /* a constraint on velocities: its rows are those of the middle, (49) */
    bool has_rates; /* a joint that also holds velocities */
    bool is_discrete; /* its first row (all rows of a joint) is a discrete derivative */
    size_t place;     /* of its rows in the arrays below */
    double slope[TP_LAW_ROWS];
    double left_out[TP_LAW_ROWS]; /* above 0: the row depends on others and has the law left_out P = 0 */
} tp_consistent_law;

typedef struct tp_consistent_step {
    tp_stepper *stepper;
    tp_step_problem *problem;
    tp_potential_steps *potentials;
    tp_kinetic_steps *kinetic; /* NULL: constant mass */
    tp_consistent_scheme scheme;
    tp_midpoint *midpoint;
    bool directions_at_start;
    bool settles; /* velocities at the end are settled after the step: restitution acts there, not on impulses
                   */

    double dt, t;           /* of the start */
    const double *q, *u;    /* of the start, after impacts */
    const double *u_before; /* before them  */
    double *M, *gyroscopic; /* at the start: in mass_pattern, in jacobian_pattern (M(q) alone) */
    int law_count;
    tp_consistent_law *laws;
    double *W_begin, *W_middle, *W_end, *rate_middle, *rate_end; /* rows over columns; W_middle becomes Dg/Dq,
                                                                    rate_middle Dgamma/Dq */
    double *stretch_begin;                                       /* of the rows of contacts at the start */
    double *rate_kept; /* [rate_count] rate_middle before velocities are moved for differences ... */
    size_t rate_count;
    int *round;     /* [m] ... and in which round each of them is */
    double *W_last; /* rows of joints at the end as they are there; W_end is seen from the middle */
    double *g_begin, *g_end, *gamma_end, *restitution; /* [rows] by first row of a law */

    int linearised, patience; /* how often in this step; how often without the change of rates of joints */
    int limiting_body;        /* that shortened a step of the iteration last; -1: none */
    double *x;                /* [2 m] the present point ... */
    bool is_placed, is_measured;
    double *d, *u_end, *u_middle, *u_mean;                /* dt u_middle; u + c; u + a; (u + u_end)/2 */
    double *change_middle;                                /* u_middle - u                              */
    double *Md;                                           /* M d ...                                   */
    tp_metric metric;                                     /* ... of M, for the rows of rigid bodies    */
    double *position_size;                                /* [m] */
    double *force, *correction, *noise;                   /* f; DV/Dq - dV/dq (+ DT/Dq); [m] */
    double *by_position, *by_velocity, *kinetic_position; /* in jacobian_pattern */
    double *by_a, *by_c, *second_by_a, *second_by_c;      /* in the problem's pattern */
    double *H, *change, *row;                             /* of one law */
    double *size, *F_scale, *F_noise, *xi_noise;
    double xi_scale;
} tp_consistent_step;

int tp_consistent_set_count(const tp_law *law);

tp_status tp_consistent_step_create(tp_stepper *stepper, tp_arena *arena, const tp_consistent_scheme *scheme,
                                    tp_consistent_step **step_out);

/* Mass matrix, forces and energies at the start; no laws yet. The system is moved there. */
void tp_consistent_step_begin(tp_consistent_step *step, double t, double dt, const double *q, const double *u,
                              const double *u_before);

/* Adds a law with its start P0 [row_count]; the system is at the start. */
void tp_consistent_step_add_law(tp_consistent_step *step, int law, const double *P0);

/* Leaves out the rows of the law added last that the choice names: they have no share in the step; (R2). */
void tp_consistent_step_leave_out(tp_consistent_step *step, const tp_redundancy *redundancy);

/* Rows that were left out and do not hold at the end are taken back into the choice; true if there are any.
 */
bool tp_consistent_step_keep_needed(const tp_consistent_step *step, tp_redundancy *redundancy);

/* The step as an inclusion over (a, c) and the multipliers. */
tp_inclusion tp_consistent_step_inclusion(tp_consistent_step *step);

/* Solves; the answer is in midpoint->q_end, u_end and problem->P. */
tp_status tp_consistent_step_solve(tp_consistent_step *step, tp_step_report *report);

/* Impulses of its forces and laws, and the energy that laws took, into an account. */
void tp_consistent_step_book(const tp_consistent_step *step, tp_account *account);

/* The smooth step that a consistent integrator took last. */
const tp_consistent_step *tp_consistent_last_step(const tp_stepper *stepper);

/* Work of contacts and laws on velocities in it, P^T W^T d/dt of (18), and of the joints, which is 0 up to
   rounding where they hold at both ends. */
double tp_consistent_law_work(const tp_consistent_step *step);

#endif
