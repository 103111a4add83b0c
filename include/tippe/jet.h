/* Options of the integrator jet-projection; docs/theory/jet.md. */
#ifndef TIPPE_JET_H
#define TIPPE_JET_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How jet-projection brings stages and results back onto constraints and invariants; docs/theory/jet.md. */
typedef enum tp_jet_projection {
    TP_JET_ORTHOGONAL, /* the nearest point, by Newton's method without second derivatives of the conditions
                        */
    TP_JET_TANGENTIAL, /* positions, then velocities, along the spheres of Euler parameters; then invariants
                        */
    TP_JET_QUASI /* lengths of Euler parameters, constraints and invariants by turns                    */
} tp_jet_projection;

/* How it solves for accelerations. */
typedef enum tp_jet_distribution {
    TP_JET_SADDLE,   /* sparse factors of inertia and rows together                  */
    TP_JET_SCHUR,    /* dense Cholesky factors of W^T M^-1 W                          */
    TP_JET_GRADIENTS /* the same by conjugate gradients                              */
} tp_jet_distribution;

/* How it steps. */
typedef enum tp_jet_method {
    TP_JET_ORDER_5, /* Dormand and Prince's pair of orders 5 and 4; both results are projected      */
    TP_JET_ORDER_8  /* their method of order 8: fewer steps of twice the evaluations; for tight tolerances */
} tp_jet_method;

/* "orthogonal", "tangential", "quasi"; "saddle", "schur", "gradients"; "dormand-prince", "dormand-prince-8";
   NULL outside of them. */
const char *tp_jet_projection_name(int projection);
const char *tp_jet_distribution_name(int distribution);
const char *tp_jet_method_name(int method);

enum { TP_JET_INVARIANTS = 8 }; /* energy and sensors that can be imposed, at most */

/* Options of the integrator jet-projection; docs/theory/jet.md. */
typedef struct tp_jet_options {
    tp_jet_projection projection;
    tp_jet_distribution distribution;
    tp_jet_method method;
    bool has_free_stages; /* stages are evaluated where the method puts them; results alone are projected */
    double tolerance;     /* of constraints [m, rad, m/s, ...], lengths of Euler parameters and invariants */
    double forcing;       /* residual of Newton's linear equations over that of the conditions, 0 to 1; 0:
                             solved by factors, else by conjugate gradients                                */
    bool has_curvature;   /* orthogonal: second derivatives of the conditions too (third of constraints)   */
    int max_sweeps;       /* of one projection; then the step is tried again with half its size            */
    bool holds_energy;    /* T + V less the work of forces is imposed as an invariant ...                   */
    bool has_trapezoidal_work; /* ... with the work by the trapezoidal rule, of order 2; else by the
                                  Runge-Kutta method */
    const char *invariants;    /* names of sensors that are imposed too, separated by commas; NULL: none */
} tp_jet_options;

#ifdef __cplusplus
}
#endif

#endif
