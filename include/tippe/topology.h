/* What is connected in a model: systems, interactions, links between them, index sets, relative degrees;
   docs/theory/topology.md. For analysis and reports; no step uses it. */
#ifndef TIPPE_TOPOLOGY_H
#define TIPPE_TOPOLOGY_H

#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tp_interaction_kind {
    TP_INTERACTION_CONSTRAINT,
    TP_INTERACTION_CONTACT,
    TP_INTERACTION_COMPLIANT, /* a contact with compliance */
    TP_INTERACTION_LAW        /* on velocities alone       */
} tp_interaction_kind;

/* A constraint, contact or law between systems. */
typedef struct tp_interaction {
    const char *name;
    tp_interaction_kind kind;
    int size;            /* rows                                                                        */
    int relative_degree; /* of its first row at the start: how often y is differentiated until the
                            multiplier appears; TP_DEGREE_NONE: it never does                           */
    const char *unit;    /* of y in its first row: "m" or "rad"                                         */
    double position;     /* y at the start: gap, or error of a constraint; NaN for laws on velocities    */
    bool is_closed;      /* a contact with y <= tolerance at the start                                   */
} tp_interaction;

typedef struct tp_topology tp_topology;

/* The topology of a finished model, which is borrowed. tolerance: a gap up to this is closed, relative to
   the size of the scene, of angles [rad]. */
tp_status tp_topology_create(const tp_allocator *allocator, const tp_model *model, double tolerance,
                             tp_topology **topology_out);
void tp_topology_free(tp_topology *topology); /* NULL is fine */

/* Constraints, contacts and laws in the model's order, then compliant contacts. */
int tp_topology_interaction_count(const tp_topology *topology);
tp_interaction tp_topology_interaction(const tp_topology *topology, int interaction);
int tp_topology_row_count(const tp_topology *topology); /* sizes of all interactions together */

/* Systems: sets of velocities that inertia and forces couple, numbered by their first velocity. */
int tp_topology_system_count(const tp_topology *topology);
int tp_topology_system_of(const tp_topology *topology, int velocity);
bool tp_topology_uses(const tp_topology *topology, int interaction, int system);

/* Systems that two different interactions have in common; the numbers of at most `capacity` go to
   systems_out. 0: they are not linked, and their block of the Delassus operator is zero. */
int tp_topology_links(const tp_topology *topology, int one, int other, int capacity, int *systems_out);

/* Index sets at a state; member_out [interaction_count]. I0: all. I1: y + forecast_time y' <= tolerance (laws
   without y: always). I2: y <= tolerance and |y'| <= tolerance per second. level is 0, 1 or 2; the tolerance
   is that of tp_topology_create. Returns the number of members, -1 for another level. */
int tp_topology_index_set(tp_topology *topology, int level, double t, const double *q, const double *u,
                          double forecast_time, bool *member_out);

enum {
    TP_DEGREE_NOT_UNIFORM = -1, /* the first Markov parameter that is not zero is singular */
    TP_DEGREE_NONE = -2,        /* all of them are zero                                    */
    TP_DEGREE_UNKNOWN = -3      /* of relations: M is singular, or the system has more than 100 unknowns */
};

/* Relative degree of x' = A x + B lambda, y = C x + D lambda from the Markov parameters D, C B, C A B, ...; n
   states and m inputs and outputs, all matrices column-major: A [n*n], B [n*m], C [m*n], D [m*m] or NULL.
   What is at most tolerance times the product of the norms counts as zero. */
tp_status tp_relative_degree(const tp_allocator *allocator, int n, int m, const double *A, const double *B,
                             const double *C, const double *D, double tolerance, int *degree_out);

/* Row by row: the first parameter whose diagonal entry is not zero; degree_out [m]. */
tp_status tp_relative_degree_rows(const tp_allocator *allocator, int n, int m, const double *A,
                                  const double *B, const double *C, const double *D, double tolerance,
                                  int *degree_out);

/* Relative degrees of relations (tippe/states.h) at the start, for each of their rows: of its output over its
   own multiplier; degree_out [multipliers]. */
tp_status tp_relation_degrees(const tp_allocator *allocator, const tp_model *model, int *degree_out);

#ifdef __cplusplus
}
#endif

#endif
