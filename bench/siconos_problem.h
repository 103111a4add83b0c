/* A one-step problem handed to Siconos in memory, and its solvers that accept it. */
#ifndef BENCH_SICONOS_PROBLEM_H
#define BENCH_SICONOS_PROBLEM_H

#include "tippe/problem.h"

/* The forms that Siconos has drivers for. */
typedef enum siconos_form {
    SICONOS_NONE, /* Siconos has no such problem */
    SICONOS_PLANAR,
    SICONOS_SPATIAL,
    SICONOS_GLOBAL,
    SICONOS_ROLLING,
    SICONOS_GLOBAL_ROLLING
} siconos_form;

/* How the matrix of a local problem is stored; not every solver reads every storage. */
typedef enum siconos_storage { SICONOS_BLOCKS, SICONOS_DENSE, SICONOS_COLUMNS } siconos_storage;

typedef struct siconos_solver {
    const char *name;
    siconos_form form;
    int id;          /* of Friction_cst.h                                              */
    int internal_id; /* of the solver of one contact; 0: Siconos's default             */
    siconos_storage storage;
    int max_iterations; /* so many that the time limit decides where it can               */
} siconos_solver;

int siconos_solver_count(void);
const siconos_solver *siconos_solver_at(int index);

/* The form in which Siconos takes the problem. A planar problem in global form has none and is reduced first.
 */
siconos_form siconos_form_of(const tp_problem *problem);

/* A copy for one solver, and arrays for the answer. Memory is not released: the process ends with it. */
typedef struct siconos_job siconos_job;
siconos_job *siconos_job_create(const tp_problem *problem, const siconos_solver *solver);

/* One call of the driver from zero with its own tolerance: processor time of the call alone [s]. */
double siconos_job_solve(siconos_job *job, double tolerance);

const double *siconos_job_answer(const siconos_job *job); /* reactions [row_count] */
int siconos_job_iterations(const siconos_job *job);

#endif
