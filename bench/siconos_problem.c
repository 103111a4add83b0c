/* Copies of our problems in Siconos's structures. Its equations are ours: u = M r + q in local form,
   M v = q + H r, u = H^T v + b in global form, contacts in the order (N, T1, T2[, R1, R2]). */
#include "siconos_problem.h"
#include "measure.h"

#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "GlobalFrictionContactProblem.h"
#include "GlobalRollingFrictionContactProblem.h"
#include "NonSmoothDrivers.h"
#include "NumericsMatrix.h"
#include "NumericsSparseMatrix.h"
#include "NumericsVerbose.h"
#include "RollingFrictionContactProblem.h"
#include "SolverOptions.h"
#include "SparseBlockMatrix.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 10000000, OUTER = 100000, NEWTON = 10000 };

/* clang-format off */
static const siconos_solver solvers[] = {
    {"siconos-2d-nsgs",        SICONOS_PLANAR,  SICONOS_FRICTION_2D_NSGS,   0, SICONOS_BLOCKS,  MANY},
    {"siconos-2d-nsgs-dense",  SICONOS_PLANAR,  SICONOS_FRICTION_2D_NSGS,   0, SICONOS_DENSE,   MANY},
    {"siconos-2d-cpg",         SICONOS_PLANAR,  SICONOS_FRICTION_2D_CPG,    0, SICONOS_DENSE,   MANY},
    {"siconos-2d-lemke",       SICONOS_PLANAR,  SICONOS_FRICTION_2D_LEMKE,  0, SICONOS_DENSE,   OUTER},
    {"siconos-2d-enum",        SICONOS_PLANAR,  SICONOS_FRICTION_2D_ENUM,   0, SICONOS_DENSE,   OUTER},
    {"siconos-nsgs",           SICONOS_SPATIAL, SICONOS_FRICTION_3D_NSGS,   0, SICONOS_BLOCKS,  MANY},
    {"siconos-nsgs-projection", SICONOS_SPATIAL, SICONOS_FRICTION_3D_NSGS,
     SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, SICONOS_BLOCKS, MANY},
    {"siconos-nsn-ac",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_NSN_AC, 0, SICONOS_BLOCKS,  NEWTON},
    {"siconos-nsn-fb",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_NSN_FB, 0, SICONOS_BLOCKS,  NEWTON},
    {"siconos-nsn-nm",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_NSN_NM, 0, SICONOS_BLOCKS,  NEWTON},
    {"siconos-prox",           SICONOS_SPATIAL, SICONOS_FRICTION_3D_PROX,   0, SICONOS_BLOCKS,  OUTER},
    {"siconos-tfp",            SICONOS_SPATIAL, SICONOS_FRICTION_3D_TFP,    0, SICONOS_BLOCKS,  OUTER},
    {"siconos-pfp",            SICONOS_SPATIAL, SICONOS_FRICTION_3D_PFP,    0, SICONOS_BLOCKS,  OUTER},
    {"siconos-aclmfp",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_ACLMFP, 0, SICONOS_BLOCKS,  OUTER},
    {"siconos-soclcp",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_SOCLCP, 0, SICONOS_BLOCKS,  OUTER},
    {"siconos-dsfp",           SICONOS_SPATIAL, SICONOS_FRICTION_3D_DSFP,   0, SICONOS_BLOCKS,  MANY},
    {"siconos-eg",             SICONOS_SPATIAL, SICONOS_FRICTION_3D_EG,     0, SICONOS_BLOCKS,  MANY},
    {"siconos-fpp",            SICONOS_SPATIAL, SICONOS_FRICTION_3D_FPP,    0, SICONOS_BLOCKS,  MANY},
    {"siconos-hp",             SICONOS_SPATIAL, SICONOS_FRICTION_3D_HP,     0, SICONOS_BLOCKS,  MANY},
    {"siconos-vi-eg",          SICONOS_SPATIAL, SICONOS_FRICTION_3D_VI_EG,  0, SICONOS_BLOCKS,  MANY},
    {"siconos-vi-fpp",         SICONOS_SPATIAL, SICONOS_FRICTION_3D_VI_FPP, 0, SICONOS_BLOCKS,  MANY},
    {"siconos-admm",           SICONOS_SPATIAL, SICONOS_FRICTION_3D_ADMM,   0, SICONOS_COLUMNS, MANY},
    {"siconos-g-nsgs-wr",   SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSGS_WR,   0, SICONOS_COLUMNS, MANY},
    {"siconos-g-prox-wr",   SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_PROX_WR,   0, SICONOS_COLUMNS, OUTER},
    {"siconos-g-dsfp-wr",   SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_DSFP_WR,   0, SICONOS_COLUMNS, MANY},
    {"siconos-g-tfp-wr",    SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_TFP_WR,    0, SICONOS_COLUMNS, OUTER},
    {"siconos-g-nsn-ac-wr", SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, 0, SICONOS_COLUMNS, NEWTON},
    {"siconos-g-admm-wr",   SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_ADMM_WR,   0, SICONOS_COLUMNS, MANY},
    {"siconos-g-nsgs",      SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSGS,      0, SICONOS_COLUMNS, MANY},
    {"siconos-g-nsn-ac",    SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_NSN_AC,    0, SICONOS_COLUMNS, NEWTON},
    {"siconos-g-vi-fpp",    SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_VI_FPP,    0, SICONOS_COLUMNS, MANY},
    {"siconos-g-vi-eg",     SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_VI_EG,     0, SICONOS_COLUMNS, MANY},
    {"siconos-g-aclmfp",    SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_ACLMFP,    0, SICONOS_COLUMNS, OUTER},
    {"siconos-g-admm",      SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_ADMM,      0, SICONOS_COLUMNS, MANY},
    {"siconos-g-ipm",       SICONOS_GLOBAL, SICONOS_GLOBAL_FRICTION_3D_IPM,       0, SICONOS_COLUMNS, NEWTON},
    {"siconos-rolling-nsgs", SICONOS_ROLLING, SICONOS_ROLLING_FRICTION_3D_NSGS,   0, SICONOS_DENSE,   MANY},
    {"siconos-rolling-admm", SICONOS_ROLLING, SICONOS_ROLLING_FRICTION_3D_ADMM,   0, SICONOS_COLUMNS, MANY},
    {"siconos-g-rolling-nsgs-wr", SICONOS_GLOBAL_ROLLING, SICONOS_GLOBAL_ROLLING_FRICTION_3D_NSGS_WR, 0,
     SICONOS_COLUMNS, MANY},
};
/* clang-format on */

struct siconos_job {
    const siconos_solver *solver;
    FrictionContactProblem *local;
    GlobalFrictionContactProblem *global;
    RollingFrictionContactProblem *rolling;
    GlobalRollingFrictionContactProblem *global_rolling;
    int rows, unknowns, iterations;
    double *reaction, *velocity, *global_velocity;
};

int siconos_solver_count(void)
{
    return (int)(sizeof solvers / sizeof solvers[0]);
}

const siconos_solver *siconos_solver_at(int index)
{
    return &solvers[index];
}

siconos_form siconos_form_of(const tp_problem *problem)
{
    if (problem->set_count == 0) return SICONOS_NONE;
    const tp_set *first = &problem->sets[0];
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        if (set->kind != TP_SET_CONTACT || set->size != first->size ||
            set->friction_kind != first->friction_kind)
            return SICONOS_NONE;
    }
    bool is_global = problem->x_count > 0;
    if (first->friction_kind == TP_FRICTION_CYLINDER && first->size == 5)
        return is_global ? SICONOS_GLOBAL_ROLLING : SICONOS_ROLLING;
    if (first->friction_kind != TP_FRICTION_BALL) return SICONOS_NONE;
    if (first->size == 2) return is_global ? SICONOS_NONE : SICONOS_PLANAR;
    if (first->size == 3) return is_global ? SICONOS_GLOBAL : SICONOS_SPATIAL;
    return SICONOS_NONE;
}

/* Memory or the end of this child. */
static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) abort();
    return memory;
}

static double *copy_numbers(const double *values, int count)
{
    double *copy = take((size_t)count, sizeof *copy);
    if (count > 0) memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

static double *copy_parameter(const tp_problem *problem, int index)
{
    double *copy = take((size_t)problem->set_count, sizeof *copy);
    for (int i = 0; i < problem->set_count; i++) copy[i] = problem->sets[i].parameter[index];
    return copy;
}

/* Both programs store blocks row by row and each block column by column. */
static NumericsMatrix *copy_blocks(const tp_block_matrix *D, int rows)
{
    SparseBlockStructuredMatrix *blocks = SBM_new();
    unsigned n = (unsigned)D->block_rows;
    blocks->nbblocks = (unsigned)D->block_count;
    blocks->blocknumber0 = blocks->blocknumber1 = n;
    blocks->blocksize0 = take(n, sizeof(unsigned));
    blocks->blocksize1 = take(n, sizeof(unsigned));
    blocks->filled1 = n + 1u;
    blocks->filled2 = (size_t)D->block_count;
    blocks->index1_data = take(n + 1u, sizeof(size_t));
    blocks->index2_data = take((size_t)D->block_count, sizeof(size_t));
    blocks->block = take((size_t)D->block_count, sizeof(double *));
    for (unsigned i = 0; i < n; i++)
        blocks->blocksize0[i] = blocks->blocksize1[i] = (unsigned)D->first[i + 1];
    for (unsigned i = 0; i <= n; i++) blocks->index1_data[i] = (size_t)D->start[i];
    for (int k = 0; k < D->block_count; k++) {
        blocks->index2_data[k] = (size_t)D->column[k];
        blocks->block[k] = copy_numbers(D->value + D->offset[k], (int)(D->offset[k + 1] - D->offset[k]));
    }
    return NM_new_SBM(rows, rows, blocks);
}

/* Entries that are zero are left out of sparse storage only. */
static NumericsMatrix *copy_entries(const tp_block_matrix *D, int rows, siconos_storage storage)
{
    NumericsMatrix *matrix = NM_create(storage == SICONOS_DENSE ? NM_DENSE : NM_SPARSE, rows, rows);
    if (storage == SICONOS_DENSE) {
        memset(matrix->matrix0, 0, (size_t)rows * (size_t)rows * sizeof(double));
    } else {
        NM_triplet_alloc(matrix, (CS_INT)D->offset[D->block_count]);
        matrix->matrix2->origin = NSM_TRIPLET;
    }
    for (int i = 0; i < D->block_rows; i++) {
        for (int k = D->start[i]; k < D->start[i + 1]; k++) {
            int height = D->first[i + 1] - D->first[i], column = D->first[D->column[k]],
                width = D->first[D->column[k] + 1] - column;
            for (int e = 0; e < height * width; e++) {
                double value = D->value[D->offset[k] + (size_t)e];
                if (value != 0.0) NM_entry(matrix, D->first[i] + e % height, column + e / height, value);
            }
        }
    }
    return matrix;
}

static NumericsMatrix *copy_sparse(const tp_sparse *A)
{
    NumericsMatrix *matrix = NM_create(NM_SPARSE, A->rows, A->cols);
    NM_triplet_alloc(matrix, (CS_INT)A->start[A->cols]);
    matrix->matrix2->origin = NSM_TRIPLET;
    for (int column = 0; column < A->cols; column++) {
        for (int k = A->start[column]; k < A->start[column + 1]; k++) {
            NM_entry(matrix, A->index[k], column, A->value[k]);
        }
    }
    return matrix;
}

static NumericsMatrix *copy_local_matrix(const tp_problem *problem, siconos_storage storage)
{
    if (storage == SICONOS_BLOCKS) return copy_blocks(&problem->D, problem->row_count);
    return copy_entries(&problem->D, problem->row_count, storage);
}

static void make_local(siconos_job *job, const tp_problem *problem, int size)
{
    NumericsMatrix *M = copy_local_matrix(problem, job->solver->storage);
    double *q = copy_numbers(problem->b, problem->row_count), *mu = copy_parameter(problem, 0);
    if (job->solver->form == SICONOS_ROLLING) {
        job->rolling = rollingFrictionContactProblem_new_with_data(size, problem->set_count, M, q, mu,
                                                                   copy_parameter(problem, 1));
    } else {
        job->local = frictionContactProblem_new_with_data(size, problem->set_count, M, q, mu);
    }
}

static void make_global(siconos_job *job, const tp_problem *problem, int size)
{
    GlobalFrictionContactProblem *global = globalFrictionContactProblem_new();
    global->dimension = size;
    global->numberOfContacts = problem->set_count;
    global->M = copy_sparse(&problem->M);
    global->H = copy_sparse(&problem->A);
    global->q = copy_numbers(problem->f, problem->x_count);
    global->b = copy_numbers(problem->b, problem->row_count);
    global->mu = copy_parameter(problem, 0);
    job->global = global;
}

static void make_global_rolling(siconos_job *job, const tp_problem *problem, int size)
{
    GlobalRollingFrictionContactProblem *global = globalRollingFrictionContactProblem_new();
    global->dimension = size;
    global->numberOfContacts = problem->set_count;
    global->M = copy_sparse(&problem->M);
    global->H = copy_sparse(&problem->A);
    global->q = copy_numbers(problem->f, problem->x_count);
    global->b = copy_numbers(problem->b, problem->row_count);
    global->mu = copy_parameter(problem, 0);
    global->mu_r = copy_parameter(problem, 1);
    job->global_rolling = global;
}

siconos_job *siconos_job_create(const tp_problem *problem, const siconos_solver *solver)
{
    numerics_set_verbose(0);
    siconos_job *job = take(1, sizeof *job);
    int size = problem->sets[0].size;
    job->solver = solver;
    job->rows = problem->row_count;
    job->unknowns = problem->x_count;
    job->reaction = take((size_t)job->rows, sizeof(double));
    job->velocity = take((size_t)job->rows, sizeof(double));
    job->global_velocity = take((size_t)job->unknowns, sizeof(double));
    if (solver->form == SICONOS_GLOBAL) {
        make_global(job, problem, size);
    } else if (solver->form == SICONOS_GLOBAL_ROLLING) {
        make_global_rolling(job, problem, size);
    } else {
        make_local(job, problem, size);
    }
    return job;
}

static SolverOptions *make_options(const siconos_solver *solver, double tolerance)
{
    SolverOptions *options = solver_options_create(solver->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = solver->max_iterations;
    if (solver->internal_id != 0) solver_options_update_internal(options, 0, solver->internal_id);
    return options;
}

static void call_driver(siconos_job *job, SolverOptions *options)
{
    double *r = job->reaction, *u = job->velocity, *v = job->global_velocity;
    switch (job->solver->form) {
    case SICONOS_PLANAR: fc2d_driver(job->local, r, u, options); break;
    case SICONOS_SPATIAL: fc3d_driver(job->local, r, u, options); break;
    case SICONOS_GLOBAL: gfc3d_driver(job->global, r, u, v, options); break;
    case SICONOS_ROLLING: rolling_fc3d_driver(job->rolling, r, u, options); break;
    case SICONOS_GLOBAL_ROLLING: g_rolling_fc3d_driver(job->global_rolling, r, u, v, options); break;
    case SICONOS_NONE: break;
    }
}

double siconos_job_solve(siconos_job *job, double tolerance)
{
    memset(job->reaction, 0, (size_t)job->rows * sizeof(double));
    memset(job->velocity, 0, (size_t)job->rows * sizeof(double));
    memset(job->global_velocity, 0, (size_t)job->unknowns * sizeof(double));
    SolverOptions *options = make_options(job->solver, tolerance);
    double start = bench_processor_time();
    call_driver(job, options);
    double seconds = bench_processor_time() - start;
    job->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return seconds;
}

const double *siconos_job_answer(const siconos_job *job)
{
    return job->reaction;
}

int siconos_job_iterations(const siconos_job *job)
{
    return job->iterations;
}
