/* A step of the nonsmooth generalized-alpha scheme as one nonlinear inclusion; theory/generalized-alpha.md
   (1)-(12). Unknowns are a, v = U/dt and w = Q/dt^2 for each velocity; multipliers lambda, p = P/dt and
   k = kappa^/dt^2 for each row, by level: all have the size of accelerations and forces. */
#ifndef TP_INTEGRATOR_ALPHA_STEP_H
#define TP_INTEGRATOR_ALPHA_STEP_H

#include "integrators.h"
#include "system/step_problem.h"

enum { TP_ALPHA_POSITION, TP_ALPHA_VELOCITY, TP_ALPHA_ACCELERATION, TP_ALPHA_LEVELS };

/* (1) of the spectral radius at infinity. */
typedef struct tp_alpha_numbers {
    double mass, force, gamma, beta; /* alpha_m, alpha_f, gamma, beta                  */
    double c0;                       /* d a-bar/d a                                    */
} tp_alpha_numbers;
tp_alpha_numbers tp_alpha_numbers_of(double rho);

/* What a contact does in a case, (13). SLIPS is for contacts with friction alone. */
typedef enum tp_alpha_case {
    TP_ALPHA_AS_FOUND, /* no case is held: (8)-(10) decide */
    TP_ALPHA_OPEN,
    TP_ALPHA_STICKS, /* closed and pressed, with friction: -gamma' in N_C(lambda) */
    TP_ALPHA_LEAVES, /* closed, lambda = 0 */
    TP_ALPHA_SLIPS   /* closed and pressed, with the direction of its slip */
} tp_alpha_case;

/* One law in the problem. */
typedef struct tp_alpha_law {
    int law;
    int set[TP_ALPHA_LEVELS], first[TP_ALPHA_LEVELS]; /* in the problem; -1: not on this level           */
    tp_set own[TP_ALPHA_LEVELS];                      /* the law of a set that is not switched off       */
    int row;                                          /* its first row in the arrays by row              */
    size_t place;                                     /* its first entry in those by entry               */
    double left_out[TP_LAW_ROWS];                     /* above 0: the row depends on others: left_out P = 0 */
    double r[TP_LAW_ROWS];                            /* about 1/G of the row [kg]                       */
    bool is_there;                                    /* contacts of shapes: there is such a point       */
    bool is_exact;                                    /* its second level is known                       */
    bool keeps_rows;                                  /* those of one point; (13a)                       */
    bool is_loose, closes_loose;                      /* whether it acts on velocities is given; (13b)   */
    bool is_closed, is_pressed;                       /* contacts: on positions; and on velocities, (9)  */
    bool was_closed;                                  /* at some point of the iteration                  */
    bool sticks;                                      /* no row of its friction slips, on velocities     */
    tp_alpha_case held;                               /* of contacts                                     */
    double speed[TP_LAW_ROWS]; /* of rows that slip, if `slide` is the direction of their velocity; else 0 */
    double slide[TP_LAW_ROWS]; /* direction of the velocity of rows that slip or run; 0: they hold       */
} tp_alpha_law;

typedef struct tp_alpha_step {
    tp_stepper *stepper;
    tp_step_problem *problem;
    tp_alpha_numbers numbers;
    const tp_state *from;
    double dt, t;
    bool is_latched;       /* a contact that closes in the iteration stays so; (13)           */
    bool keeps_rows;       /* contacts with kinks have the rows of one point; (13a)           */
    bool loosens;          /* all contacts have, and act on velocities by their start; (13b)  */
    bool has_answer;       /* that point is the last answer of this step; else its start      */
    double margin;         /* gaps of rows that are kept are above this [m]                   */
    bool is_start;         /* accelerations at a state: q and u are given, one level alone; (14) */
    double position_share; /* dq/da: dt^2 beta c0 ...                                        */
    double velocity_share; /* du/da: dt gamma c0; both 0 at a start                           */
    double *a, *a_bar;     /* [m] of the step's start                                        */
    double *q_fixed;       /* [n] q + dt q' + dt^2/2 q'' with (1 - 2 beta) a-bar              */

    int law_count;
    tp_alpha_law *laws;        /* [laws] */
    unsigned char *takes_part; /* [laws] */
    unsigned char *is_missed;  /* [laws] closed at an answer of this step in which it had no part */
    unsigned char *is_static;  /* [laws] friction with its static bound on velocities; (10b) */
    unsigned char *has_kink;   /* [laws] no second level at some point of the iterations of this step */
    int kink;                  /* the first of them that was closed in the last step; -1: none */
    double *W_kept, *g_kept, *chi_kept; /* [entries], [rows] of laws that keep their rows: g - W way */
    double *q_answer, *way_answer;      /* [n], [m] */
    double *x_answer, *P_answer;        /* [3 m], [rows of the problem] */
    double *W, *W_by_position, *rate_by_position, *rate_by_velocity; /* [entries] of gamma' */
    double *g, *chi, *gamma, *gamma_before, *gamma_rate;             /* [rows]    */
    double *force_mean, *position_mean; /* [rows] lambda parts of P/dt and kappa^/dt^2 that are known */

    double *x; /* [3 m] the present point ... */
    bool is_placed, is_measured;
    double *q, *u, *a_bar_next;       /* [n], [m], [m] */
    double *way_fixed, *way;          /* [m] the way of the step along the velocities of its start */
    double *turn;                     /* [9 bodies] how B of the start moves q, seen from there; (11) */
    double *M, *h;                    /* in mass_pattern, [m] */
    double *stiffness, *damping;      /* in jacobian_pattern */
    double *by_q[TP_ALPHA_LEVELS];    /* dF/dq of each row of blocks, in the problem's pattern */
    double *by_u, *block[2];          /* the same of velocities; the diagonal blocks           */
    double *by_mass;                  /* in jacobian_pattern */
    double *H, *row[TP_ALPHA_LEVELS]; /* of one law */
    double *size, *work;              /* [m] accelerations, [3 m] */
    double *F_scale, *F_noise, *xi_noise;
    double xi_scale;
    double *lever; /* [m] largest entry of a row that has a part, by velocity; 0: no law acts on it */
} tp_alpha_step;

tp_status tp_alpha_step_create(tp_stepper *stepper, tp_arena *arena, tp_alpha_step **step_out);

/* From a state: the part of the positions that is known, and a place for all that follows. */
void tp_alpha_step_begin(tp_alpha_step *step, const tp_state *from, double dt, double t);

/* The step as an inclusion over (a, v, w) and the multipliers. */
tp_inclusion tp_alpha_step_inclusion(tp_alpha_step *step);

/* Solves with so many linearised inclusions at most; the answer is placed. */
tp_status tp_alpha_step_solve(tp_alpha_step *step, int most_linearised, tp_step_report *report);

/* The same from an answer, which stays where that fails. */
void tp_alpha_step_solve_again(tp_alpha_step *step, int most_linearised, tp_step_report *report);

/* alpha_laws.c: laws that take part, those that are near or were missed, with the start of their multipliers.
 */
void tp_alpha_laws_collect(tp_alpha_step *step);
/* Rows at the present point. */
void tp_alpha_laws_place(tp_alpha_step *step);
/* Their parts of F and xi, of the blocks by_q, and of A and C. */
void tp_alpha_laws_residual(const tp_alpha_step *step, const double *P, double *F, double *xi);
void tp_alpha_laws_add_curvature(tp_alpha_step *step, const double *P);
void tp_alpha_laws_put(tp_alpha_step *step);
void tp_alpha_laws_measure(tp_alpha_step *step);
/* Do contacts overlap at the answer by more than rounding that have a part with the rows there? */
bool tp_alpha_laws_overlap(const tp_alpha_step *step);
/* Is a contact that has no part closed at the answer, one with kept rows overlapping, or a row that is left
   out broken? The next try has these, and rows that are kept of the answer; if it is late, they stay away by
   the overlap of this one. */
bool tp_alpha_laws_miss(tp_alpha_step *step, bool is_late);
/* A closed contact that had a kink in this step; -1: none. */
int tp_alpha_laws_find_kink(const tp_alpha_step *step);
/* Impulses, forces and what is closed, into the state; or forces alone. */
void tp_alpha_laws_keep(const tp_alpha_step *step, tp_state *to, tp_step_report *report);
void tp_alpha_laws_keep_forces(const tp_alpha_step *step, tp_state *to);

/* alpha_choice.c: friction that stuck in the last step has its static bound in this one; (10b). The system is
   at its start. */
void tp_alpha_laws_bind(tp_alpha_step *step);
/* Friction that lies on its static bound at an answer gets that of sliding; false: there is none. */
bool tp_alpha_laws_release(tp_alpha_step *step);

/* What is switched at the present point by the multipliers P; (8)-(10). */
void tp_alpha_laws_choose(tp_alpha_step *step, const double *P);
/* Holds the contacts in a case, counted from 0; -1: in none. False: there is no such case. */
bool tp_alpha_laws_hold(tp_alpha_step *step, int number);

static inline const tp_law *tp_alpha_law_of(const tp_alpha_step *step, const tp_alpha_law *own)
{
    return tp_system_law(step->stepper->system, own->law);
}

static inline bool tp_alpha_is_contact(const tp_law *law)
{
    return law->level == TP_LEVEL_GAP;
}

/* xi on velocity level, gamma + e gamma-, as an acceleration; (7). */
static inline double tp_alpha_impact_velocity(const tp_alpha_step *step, const tp_alpha_law *own, int k)
{
    int row = own->row + k;
    return (step->gamma[row] + tp_alpha_law_of(step, own)->restitution[k] * step->gamma_before[row]) /
           step->dt;
}

/* Sets that the rows of a law stand in: one for each level. */
int tp_alpha_set_count(const tp_law *law);

#endif
