/* What the links of the default solver share: the best point, limits, reports, and the ways to go on from a
   point; theory/solvers.md (28). */
#ifndef TP_SOLVER_CHAIN_H
#define TP_SOLVER_CHAIN_H

#include "solver/newton/proximal_newton.h"
#include "solvers.h"

typedef struct tp_chain {
    const tp_solve_call *call;
    tp_sweeps sweeps;
    tp_proximal proximal; /* shares the best point with the sweeps; made when it is needed first */
    bool has_proximal, has_sought_proof;
    bool is_large;          /* many laws, and a Newton step costs as much as many sweeps               */
    bool has_visited_cases; /* every case was excluded or tried: others need not be listed again    */
    bool is_over;           /* the outcome is in the report                                            */
    bool is_locked;         /* impulses were seen to grow without bound along a self-stress with friction */
    double near_error;      /* of the best point when the cases next to it had been tried ...          */
    int near_count;         /* ... and how many of them                                                */
    double aside_work;      /* of searches that do not change the way of the chain */
    int joint_free_count;   /* iterations of the laws that are left where joints became unknowns */
    int held_size_count;    /* iterations of problems with the sizes of sets held */
    int *order;             /* [set_count] */
    double *guess;          /* [row_count] */
    unsigned long long random;
    const char *last; /* the solver at work */
} tp_chain;

/* Block products that the options allow `auto` in all. */
double tp_chain_work_limit(const tp_solver_options *options);

/* Ends the chain: writes the best point to P and the counts to the report; returns the status. */
tp_status tp_chain_report(tp_chain *c, double *P, tp_report *report, tp_status status, const char *reason);
tp_status tp_chain_solved(tp_chain *c, double *P, tp_report *report);
tp_status tp_chain_report_proof(tp_chain *c, double *P, tp_report *report, const double *y);

/* Whether the best E is what rounding leaves, or so near that redundant joints explain the rest. */
bool tp_chain_is_at_floor(const tp_chain *c);
bool tp_chain_is_near_floor(const tp_chain *c);
bool tp_chain_is_exhausted(const tp_chain *c);

/* The best E is what rounding leaves, and the options count that as solved. */
bool tp_chain_is_rounded(const tp_chain *c);

/* Ends the chain where nothing better exists in double precision. */
tp_status tp_chain_end_at_floor(tp_chain *c, double *P, tp_report *report);

/* P becomes the best point; ends the chain if that is solved or near the floor. */
tp_status tp_chain_end_newton(tp_chain *c, double *P, tp_report *report);

tp_status tp_chain_take_newton(tp_chain *c);

/* Finds out whether the problem is large. */
tp_status tp_chain_measure_size(tp_chain *c);

/* P = 0 and a new order of the blocks: a cold start draws the basin anew. */
void tp_chain_start_anew(tp_chain *c, double *P);

/* At most so many sweeps; those that end for that reason have stalled. */
tp_sweep_end tp_chain_sweep(tp_chain *c, double cap, double stall, int count, double *P, double *error);

/* Newton steps with a line search from P, as long as so many of them quarter the merit; P becomes the best
   point. */
tp_status tp_chain_search(tp_chain *c, int patience, double *P);

/* Newton steps with a line search and returns to sweeps, aside, from a point (NULL: 0). TP_OK: the best point
   solves the problem; else the chain goes on from its own points. */
tp_status tp_chain_excursion(tp_chain *c, const double *from);

/* Steps along the central path of contacts between bodies, aside; P becomes their best point, the best point
   of the chain stays if it is better. TP_UNSUPPORTED: P is as before. */
tp_status tp_chain_interior(tp_chain *c, int most, double *P);

/* Do bodies come together whatever the impulses do? TP_INFEASIBLE (reported) or TP_NOT_CONVERGED. */
tp_status tp_chain_seek_proof(tp_chain *c, double *P, tp_report *report);

#endif
