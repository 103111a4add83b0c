/* Painleve's paradox in any scene: how normal forces of contacts that slide act back on their normal
   accelerations, and how many solutions the laws have; docs/guide/painleve.md. */
#ifndef TIPPE_PAINLEVE_H
#define TIPPE_PAINLEVE_H

#include "tippe/model.h"
#include "tippe/problem.h"
#include "tippe/set.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a closed contact with friction can do at a state; docs/guide/painleve.md (1)-(6). */
typedef enum tp_slip_kind {
    TP_SLIP_STICKS,   /* it does not slide: the figures are those of the worst direction */
    TP_SLIP_SLIDES,   /* one solution: it goes on sliding                                 */
    TP_SLIP_OPENS,    /* one solution: it opens                                           */
    TP_SLIP_JAMS,     /* no bounded force: an impact without collision stops it           */
    TP_SLIP_UNDECIDED /* several solutions: opening, sliding and perhaps the jam */
} tp_slip_kind;

/* "sticks", "slides", "opens", "jams", "undecided"; NULL outside of them. */
const char *tp_slip_kind_name(int kind);

enum { TP_SLIP_NAME = 128 };

/* One contact, with all joints and without forces of other contacts. */
typedef struct tp_slip {
    char name[TP_SLIP_NAME];
    int row_count;
    tp_slip_kind kind;
    double speed;             /* of sliding [m/s]                                                      */
    double friction;          /* |friction force| over normal force along the slip [-]                 */
    double uncoupled;         /* normal acceleration per normal force without friction [1/kg]          */
    double coupling;          /* ... while it slides; below 0: Painleve's region (1)                    */
    double distance;          /* coupling over uncoupled: 1 far away, 0 on the border, below 0 beyond   */
    double critical_friction; /* at which the coupling is 0; infinite: friction never jams this slip    */
    double free_acceleration; /* normal acceleration without force [m/s^2]; below 0: it is pressed      */
    double slip_force;        /* normal force of sliding [N]; NaN: sliding is not a solution            */
    double jam_impulse[TP_SET_MAX]; /* stops the slip and keeps the normal velocity, normal first [N s]  */
    bool jam_is_possible;           /* it lies in the friction cone */
    int solution_count;             /* opening, sliding, jam: how many of them satisfy the laws */
} tp_slip;

/* All contacts that slide, together. */
typedef struct tp_slip_summary {
    int contact_count, sliding_count; /* closed contacts with friction; those that slide              */
    int solution_count; /* combinations of opening and sliding that satisfy the laws; -1: not counted */
    bool is_unique;     /* for every load: the coupling matrix of sliding contacts is a P-matrix      */
} tp_slip_summary;

typedef struct tp_painleve tp_painleve;

/* contact_tolerance: gaps up to this times the size of the scene are closed. The model is borrowed. */
tp_status tp_painleve_create(const tp_allocator *allocator, const tp_model *model, double contact_tolerance,
                             tp_painleve **painleve_out, tp_message *why_out);
void tp_painleve_free(tp_painleve *painleve); /* NULL is fine */

/* At a state; the results stay until the next call. TP_SINGULAR: inertia or joints are. */
tp_status tp_painleve_find(tp_painleve *painleve, double t, const double *q, const double *u,
                           tp_slip_summary *summary_out, tp_message *why_out);
const tp_slip *tp_painleve_slip(const tp_painleve *painleve, int index); /* NULL: there is none */

/* The laws of all closed contacts with friction at the state of the last tp_painleve_find, relaxed with the
   time delta [s] and the damping ratio 1/2 (docs/theory/relaxed-dai.md (4)): xi = D P + b with forces P and
   accelerations xi, contacts in the order of tp_painleve_slip. */
tp_status tp_painleve_problem(const tp_painleve *painleve, double delta, tp_problem **problem_out,
                              tp_message *why_out);

/* How many solutions the laws of all contacts have together, with different accelerations: opening, sliding
   in any direction, sticking or jamming. */
typedef struct tp_slip_count {
    int count;     /* -1: not counted, `why` says why                                                       */
    bool is_all;   /* false: at least so many; contacts in space or with dependent rows may have others     */
    double delta;  /* relaxation time of the jam [s], far below the times in which forces stop the slip  */
    char why[256]; /* what was tried */
} tp_slip_count;

/* By all combinations of cases, of up to 8 contacts in a plane or 5 in space. delta 0: small. */
tp_status tp_painleve_count(const tp_painleve *painleve, double delta, tp_slip_count *count_out,
                            tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
