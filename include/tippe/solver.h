/* Solvers of one-step problems and nonlinear inclusions; docs/theory/solvers.md. */
#ifndef TIPPE_SOLVER_H
#define TIPPE_SOLVER_H

#include "tippe/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which of several solutions is taken; docs/theory/solvers.md (9a), (9b). */
typedef enum tp_branch {
    TP_BRANCH_DEFAULT /* stick, slip, open */,
    TP_BRANCH_NEAREST /* to the start */,
    TP_BRANCH_LOADED /* of a contact that the start loads: stick, slip, open; else open, stick, slip */
} tp_branch;

typedef struct tp_solver_options {
    double tolerance;    /* E at which a solve is done [-]   */
    double floor_factor; /* searches end at this multiple of the rounding floor, and answers that only
                            rounding keeps above the tolerance are solved (theory/problems.md (22)); 0: only
                            the tolerance counts */
    double enough; /* above the tolerance: auto stops searching for other ways below this E, which is solved
                      if rounding counts; 0: it never does */
    int max_iterations; /* sweeps, Newton steps or pivots; 0: the solver's own limit */
    double work_limit;  /* in block products, about 5 ns each; 0: the solver's own limit  */
    double relaxation;  /* alpha of the projected iterations, 0 < alpha <= 2 [-]  */
    bool recovering;  /* projected-jacobi, -gauss-seidel: exact diagonal step where the projection is idle  */
    bool transformed; /* projected-jacobi, -gauss-seidel: rows scaled so that ellipsoids become balls */
    bool exact_local; /* projected-gauss-seidel: solve each block exactly instead of one projection */
    bool warm_start;  /* P holds a guess on entry; else P = 0  */
    int facets;     /* faceted: edges of the friction polygon, even                                         */
    double epsilon; /* convex: 1 the associated law, towards 0 Coulomb's                                    */
    tp_branch branch; /* quartic, enumeration, auto */
    double noise;     /* rounding errors in b, as large as xi; auto does not try to get below them; 0: none */
    const double *row_noise; /* [row_count] the same row by row: islands have their own; NULL: noise        */
    double unsolved_limit;   /* E above the tolerance up to which an island can be used (the report
                                says so); the search in it then ends early; 0: none                         */
    int unsolved_contacts;   /* of islands with more contacts than these alone                              */
    const tp_log *log;       /* may be NULL */
} tp_solver_options;

/* Tolerance 1e-8 in E, no limits but those of the solvers. */
tp_solver_options tp_solver_options_default(void);

typedef struct tp_report {
    tp_status status; /* TP_OK only if error <= limit; TP_NOT_CONVERGED; TP_INFEASIBLE; TP_UNSUPPORTED ... */
    const char *solver; /* the solver that produced P (the link of the chain for auto) */
    int iterations;
    double error; /* E of P, by problem/                                                                   */
    double floor; /* what double precision allows at P, roughly: eps (rho |P| + |c|) / scale               */
    double limit; /* error up to which this answer counts as solved; error / limit is its margin           */
    double work;  /* block products done                                                                   */
    int solution_count; /* where the solver knows it (quartic, enumeration), else -1 */
    int motion_count; /* of these, with different xi: rows that depend on each other have many P of one     */
    bool counted_all; /* there are no others: no case was singular or searched from some starts alone       */
    size_t memory; /* high-water mark of the workspace [bytes]                                              */
    /* Islands: parts that share no unknown and no row, which auto solves one by one, each to an error of its
       own (theory/problems.md (23)). */
    int island_count, reused_count; /* how many; of them with the data and the answer of a step before */
    int unsolved_count; /* islands that are not solved; 0 where the whole problem is                      */
    double unsolved_error; /* the largest error of one of them */
    int unsolved_set; /* its set with the largest error; -1: none                                       */
    bool is_usable;   /* all of them are within the limit that the options give them                    */
    char reason[256]; /* why it stopped */
} tp_report;

/* Memory of solves: made once, used again and again; a repeated solve of the same size allocates nothing. */
typedef struct tp_workspace tp_workspace;
tp_status tp_workspace_create(const tp_allocator *allocator, tp_workspace **workspace_out);
void tp_workspace_free(tp_workspace *workspace);

/* Threads that a solve of `auto` may use, with the caller's own: 1 to 256, at first 1. The answers have the
   same bits for every number. */
tp_status tp_workspace_set_threads(tp_workspace *workspace, int threads);

/* A motion goes on to its next step: from the first call on, islands whose data and guess are bit by bit
   those of the step before are not solved again by auto. Answers and reports are the same without it. */
void tp_workspace_next_step(tp_workspace *workspace);

/* The law that a solver's answer obeys; only exact ones may claim E. */
typedef struct tp_solver_info {
    const char *name, *text; /* one line for lists */
    bool is_exact;           /* false: faceted, convex: labelled approximations */
} tp_solver_info;

/* The solvers of the library by number, in the order of `tippe list solvers`; NULL: there is none. */
int tp_solver_count(void);
const tp_solver_info *tp_solver_info_at(int index);
int tp_solver_find(const char *name); /* -1 if unknown */

/* Solves with the named solver ("auto" by default: NULL). P [row_count] in: guess (warm_start), out: best
   point found. x_out [x_count] may be NULL. The return value is report_out->status. */
tp_status tp_solve(const tp_problem *problem, const char *solver, const tp_solver_options *options,
                   tp_workspace *workspace, double *P, double *x_out, tp_report *report_out);

#ifdef __cplusplus
}
#endif

#endif
