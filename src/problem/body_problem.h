/* A problem of contacts between free bodies as plain data: rows of 64 bytes or multiples of it, in an order
   in which contacts of one phase share no moving body. G is never made; theory/large-heaps.md. */
#ifndef TP_PROBLEM_BODY_PROBLEM_H
#define TP_PROBLEM_BODY_PROBLEM_H

#include "ball_rows.h"
#include "base/pool.h"
#include "local.h"

enum { TP_LANES = 4 };

/* Contacts of balls, side by side; lanes without a contact have the ground on both sides and all else 0.
   Vectors are in world axes. u = v_b - v_a - (arm_b w_b + arm_a w_a) x n + b, 1/D: inverse_n, inverse_t. */
typedef struct tp_ball_group {
    double n[3][TP_LANES], b[3][TP_LANES], P[3][TP_LANES], before[3][TP_LANES];
    double friction[TP_LANES], arm_a[TP_LANES], arm_b[TP_LANES], inverse_n[TP_LANES], inverse_t[TP_LANES];
    int body_a[TP_LANES], body_b[TP_LANES];
} tp_ball_group;

/* A contact of any bodies. Vectors have its frame's axes N, T1, T2: u = E (v_b - v_a) + S_a w_a + S_b w_b +
   b. */
typedef struct tp_body_contact {
    double frame[9], spin_a[9], spin_b[9]; /* E, S: row by row           */
    double b[3], friction;
    double D[6]; /* NN, NT1, NT2, T1T1, T1T2, T2T2 */
    double P[3], before[3];
    double slip; /* multiplier of the last visit */
    int body_a, body_b;
} tp_body_contact;

typedef struct tp_body_problem {
    const tp_problem *problem;
    int body_count, contact_count; /* body body_count is the ground: zeros              */
    bool are_balls;
    double (*motion)[8];       /* [body_count + 1] v, 1/m, w, 1/J (balls; world axes)        */
    double (*before)[8];       /* [body_count + 1] of the sweep before                       */
    double (*rest)[8];         /* [body_count + 1] with P = 0                                */
    double (*inertia)[8];      /* [body_count + 1] inverse: xx, xy, xz, yy, yz, zz; NULL: balls */
    tp_ball_group *groups;     /* NULL: no balls */
    tp_body_contact *contacts; /* NULL: balls    */
    int group_count;
    int phase_count, task_count;
    int *phase;     /* [phase_count + 1] its tasks; phases one after the other, tasks of one in any order   */
    int *task;      /* [task_count + 1] its groups or contacts, one after the other                         */
    int *place;     /* [contact_count] of set i: contact, or 4 group + lane                                 */
    tp_local local; /* measures and c; G is NULL */

    /* how it was made, for the way back */
    double (*turn)[9];         /* [body_count] balls: from the axes of w to the world's, by rows */
    double (*geometry)[9];     /* [contact_count] E */
    const tp_ball_rows *balls; /* instead of both and of body_of and part: whose sets these are, NULL: none */
    const int *set;            /* [contact_count] in them; NULL: 0, 1, ... */
    const int *number;         /* [x_count] of the unknowns among those that follow; NULL: 0, 1, ... */
    int *body_of;              /* [unknowns of the data] */
    unsigned char *part;       /* the same: 0 ... 5 */
} tp_body_problem;

/* Where the unknowns of a problem come from. A problem may leave M, A, f and D to the whole problem. */
typedef struct tp_unknowns {
    const int *number;         /* [x_count] ascending, in the whole problem; NULL: 0, 1, ...       */
    int total;                 /* of the whole problem                                             */
    const tp_problem *whole;   /* whose M, A, f, D count; NULL: the problem's own                  */
    const int *row;            /* [row_count] rows of the whole problem; NULL: the problem's own   */
    const tp_ball_rows *balls; /* of the whole problem, whose A and D do not count then; bodies are whole */
    const int *set;            /* [set_count] sets of the whole problem; NULL: the problem's own */
} tp_unknowns;

/* Axes N, T1, T2 of a contact, row by row. */
static inline const double *tp_body_frame(const tp_body_problem *bodies, int i)
{
    if (bodies->balls == NULL) return bodies->geometry[i];
    return bodies->balls->contact[bodies->set != NULL ? bodies->set[i] : i].frame;
}

/* Unknowns are taken to be those of bodies by six, velocities first; the data must prove it. TP_UNSUPPORTED
   where they do not, or where a law is not a spatial contact with a disc. Memory from the stack until the
   caller releases his mark; pool may be NULL, the bits are the same. */
tp_status tp_body_problem_make(const tp_problem *problem, const tp_unknowns *unknowns, tp_pool *pool,
                               tp_stack *stack, tp_body_problem *out);

/* P [row_count] of the problem in and out; xi and x may be NULL. x and xi are those of `motion`. */
void tp_body_problem_load(tp_body_problem *bodies, tp_pool *pool, const double *P);
void tp_body_problem_fetch(const tp_body_problem *bodies, tp_pool *pool, double *P, double *xi, double *x);

/* P of numbers that stand as P does in the groups of balls [3 TP_LANES each], or in the contacts [3]. */
void tp_body_problem_fetch_places(const tp_body_problem *bodies, tp_pool *pool, const double *places,
                                  double *P);

/* Velocity of the contact at a place, in the axes N, T1, T2 (its P with them), and in which set's. */
void tp_body_contact_state(const tp_body_problem *bodies, int set, double *P_out, double *xi_out);

#endif
