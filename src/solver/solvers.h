/* What a solver is: one file, one descriptor, one line of TP_SOLVER_LIST. */
#ifndef TP_SOLVER_SOLVERS_H
#define TP_SOLVER_SOLVERS_H

#include "problem/body_problem.h"
#include "tippe/solver.h"

/* Kinds of sets a solver accepts, as bits. */
#define TP_ACCEPT(kind) (1u << (kind))
#define TP_ACCEPT_SCALAR                                                                                     \
    (TP_ACCEPT(TP_SET_FREE) | TP_ACCEPT(TP_SET_ZERO) | TP_ACCEPT(TP_SET_ORTHANT) | TP_ACCEPT(TP_SET_BOX))
#define TP_ACCEPT_ALL 0xFFFFFFFFu

/* An answer as the judge of a larger problem needs it. */
typedef struct tp_part {
    tp_local local;  /* its measures alone                  */
    double *c, *xi;  /* [row_count] the caller's: filled in */
    const int *rows; /* [row_count] numbers for messages    */
    tp_unknowns unknowns;
} tp_part;

/* Where the unknowns of a problem come from; part may be NULL. */
static inline tp_unknowns tp_unknowns_of(const tp_problem *problem, const tp_part *part)
{
    bool is_part = part != NULL && part->unknowns.number != NULL;
    return is_part ? part->unknowns : (tp_unknowns){.total = problem->x_count};
}

/* A matrix that the caller has factorised; a problem with the same one, bit by bit, needs no other factors.
 */
typedef struct tp_known_factors {
    const tp_sparse *matrix; /* NULL: there is none */
    const tp_lu *factors;
} tp_known_factors;

typedef struct tp_solve_call {
    const tp_problem *problem;        /* as given, perhaps global                                        */
    const tp_local *local;            /* its local form                                                  */
    const tp_solver_options *options; /* checked                                                         */
    tp_stack *stack;                  /* scratch: take, never keep                                       */
    tp_pool *pool;                    /* NULL: one thread                                                */
    bool is_cold;                     /* the problem came without a guess, or with 0                     */
    bool is_swept;                    /* sweeps over velocities did not reach the tolerance               */
    tp_known_factors known;           /* perhaps of the problem's M                                       */
} tp_solve_call;

typedef struct tp_solver {
    tp_solver_info info;
    unsigned accepts;  /* TP_ACCEPT bits                                                                  */
    bool needs_global; /* works on M, A itself                                                            */
    /* P [row_count] in: start, out: best point. Fills status, iterations, work, reason, solution_count of the
       report; the caller computes E itself and turns a claimed TP_OK into TP_NOT_CONVERGED if E is above the
       tolerance. */
    tp_status (*solve)(const tp_solve_call *call, double *P, tp_report *report);
    int most_laws; /* blocks of a problem; 0: any number */
} tp_solver;

/* Writes why a solve ended, as printf does; returns the status. */
tp_status tp_report_end(tp_report *report, tp_status status, const char *format, ...);

/* NULL if there is none of that name. */
const tp_solver *tp_solver_by_name(const char *name);

/* All solvers, in the order of `tippe list solvers`. Adding one: its file, a line here, a test, a line in
   docs/theory/solvers.md. */
#define TP_SOLVER_LIST(X)                                                                                    \
    X(auto)                                                                                                  \
    X(accelerated)                                                                                           \
    X(proximal_newton)                                                                                       \
    X(jacobi)                                                                                                \
    X(gauss_seidel)                                                                                          \
    X(projected_newton)                                                                                      \
    X(alart_curnier)                                                                                         \
    X(alart_curnier_global)                                                                                  \
    X(de_saxce)                                                                                              \
    X(interior_point)                                                                                        \
    X(lemke)                                                                                                 \
    X(mlcp)                                                                                                  \
    X(enumeration)                                                                                           \
    X(quartic)                                                                                               \
    X(faceted)                                                                                               \
    X(convex)
#define TP_SOLVER_EXTERN(name) extern const tp_solver tp_solver_##name;
TP_SOLVER_LIST(TP_SOLVER_EXTERN)

#endif
