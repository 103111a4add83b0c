/* The outcome of tippe solve: judged from the problem and the answer, printed for a person or as JSON. */
#ifndef CLI_SOLVE_REPORT_H
#define CLI_SOLVE_REPORT_H

#include "program.h"
#include "tippe/problem.h"
#include "tippe/solver.h"

typedef struct solve_result {
    const char *path;
    const char *solver; /* that answered, or that was asked                                       */
    const char *status; /* one word or two for scripts                                            */
    char reason[1024];  /* why it stopped, for a person                                           */
    exit_code code;
    bool is_converged;   /* E <= tolerance, nothing else                                           */
    bool is_approximate; /* the solver solved another law than the problem's                       */
    const char *law;     /* what that law is                                                       */
    bool has_problem;    /* the file was read: kind and sizes are known                            */
    bool has_point;      /* there is a P worth writing                                             */
    char kind[32];
    int contact_count, row_count, unknown_count;
    int repeats;                 /* solves whose median is the time */
    double tolerance, wall_time; /* [-], [s] */
    tp_residual residual;        /* error is NaN without a point */
    tp_report report;
} solve_result;

solve_result solve_result_begin(const char *path, const char *solver, double tolerance);

/* After tp_solve returned `status`: measures E at P and decides what the outcome is called. */
void solve_result_judge(solve_result *result, const tp_problem *problem, tp_status status, const double *P);

/* Nothing was solved. */
void solve_result_fail(solve_result *result, tp_status status, const char *reason);

void solve_result_print(const solve_result *result, bool as_json);

#endif
