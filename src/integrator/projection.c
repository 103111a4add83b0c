/* Projection of new positions onto joints and closed contacts, after a step on velocity level;
   theory/projection.md (1)-(5). Each iteration is a one-step problem in the metric of the velocities:
       N x = W L,   W^T x + s L + g = 0 for joints,   0 <= W^T x + s L + g _|_ L >= 0 for contacts,
   N = B^T B. Rows that are redundant on the joints are nearly so beside them, by as little as the point is
   off: solved exactly, they would ask for motions along which the mechanism is free. The small diagonal s
   leaves these out and only slows the other rows down, by a factor of s in each iteration. */
#include "integrators.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct tp_projection {
    tp_step_problem *problem;
    tp_workspace *memory; /* of the stepper */
    double *metric;       /* N, values in the mass pattern */
    double *zero, *x;     /* [u_count] */
    double *q;            /* [q_count] */
    double largest;       /* error of the present point [m] or [rad]                         */
    double left;          /* and what the last projection of a state left                     */
};

tp_status tp_projection_create(tp_stepper *stepper, tp_arena *arena)
{
    tp_system *system = stepper->system;
    tp_projection *projection = TP_ARENA_ARRAY(arena, tp_projection, 1);
    if (projection == NULL) return TP_OUT_OF_MEMORY;
    TP_TRY(tp_step_problem_create(arena, system, NULL, &projection->problem));
    projection->metric = TP_ARENA_ARRAY(arena, double, tp_sparse_count(&system->mass_pattern));
    TP_ARENA_DOUBLES(arena, system->u_count, &projection->zero, &projection->x);
    projection->q = TP_ARENA_ARRAY(arena, double, system->q_count);
    stepper->projection = projection;
    return tp_arena_status(arena);
}

/* The diagonal s of the rows that were added last. */
static void soften(tp_step_problem *step)
{
    tp_problem *p = &step->problem;
    const tp_set *set = &p->sets[p->set_count - 1];
    double *block = p->D.value + p->D.offset[p->set_count - 1];
    for (int k = 0; k < set->size; k++) {
        double square = 0.0;
        for (int e = p->A.start[set->first + k]; e < p->A.start[set->first + k + 1]; e++)
            square += p->A.value[e] * p->A.value[e];
        block[k * (set->size + 1)] = tp_projection_softening * square;
    }
}

/* Errors of lengths are relative to the size of the scene, of angles to 1 rad. */
static double size_of(const tp_stepper *stepper, const tp_law *law, int row)
{
    return tp_law_is_angle(law, row) ? 1.0 : stepper->model->summary.size;
}

/* Joints, and contacts that took part in the step or are penetrated; returns the largest relative error. */
static double collect(tp_stepper *stepper, const unsigned char *is_closed)
{
    tp_projection *projection = stepper->projection;
    tp_system *system = stepper->system;
    double error = 0.0, chi[TP_LAW_ROWS], g[TP_LAW_ROWS];
    projection->largest = 0.0;
    static const double no_start[TP_LAW_ROWS] = {0.0};
    tp_step_problem_begin(projection->problem, &system->mass_pattern, projection->metric, projection->zero);
    for (int i = 0; i < stepper->system->law_count; i++) {
        const tp_law *law = tp_system_law(stepper->system, i);
        bool is_joint = law->set.kind == TP_SET_FREE && law->level == TP_LEVEL_POSITION;
        if (!is_joint && (law->level != TP_LEVEL_GAP || is_closed == NULL)) continue;
        tp_system_law_positions(system, i, g);
        if (!is_joint && (!isfinite(g[0]) || (!is_closed[i] && !(g[0] < 0.0)))) continue;
        for (int k = 0; k < law->row_count && (is_joint || k == 0); k++) {
            double off = is_joint ? fabs(g[k]) : fmax(-g[0], 0.0);
            projection->largest = fmax(projection->largest, off);
            error = fmax(error, off / size_of(stepper, law, k));
        }
        tp_set set = is_joint ? law->set : tp_set_orthant(1);
        tp_system_law_rows(system, i, projection->problem->row, chi);
        tp_step_problem_add_rows(projection->problem, system, i, &set, projection->problem->row, g, no_start);
        soften(projection->problem);
    }
    return error;
}

static tp_status solve(tp_stepper *stepper)
{
    tp_projection *projection = stepper->projection;
    double size = 0.0;
    for (int i = 0; i < stepper->system->q_count; i++) size = fmax(size, fabs(projection->q[i]));
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tp_projection_error;
    options.noise = DBL_EPSILON * size; /* of the positions that make g */
    tp_report solved;
    return tp_solve(&projection->problem->problem, NULL, &options, stepper->solver_memory,
                    projection->problem->P, projection->x, &solved);
}

static bool corrects_coordinates(const tp_stepper *stepper)
{
    return stepper->options->projection.kind == TP_PROJECTION_COORDINATES;
}

/* q += B x, and unit quaternions by division, or by the row |p| - 1 = 0 of the same Newton step. */
static void change(tp_stepper *stepper, double *q)
{
    if (corrects_coordinates(stepper)) {
        tp_system_change_freely(stepper->system, stepper->projection->x, 1.0, q);
    } else {
        tp_system_change(stepper->system, stepper->projection->x, 1.0, q);
    }
}

/* is_closed NULL: joints alone. */
static tp_status project(tp_stepper *stepper, double t, const double *u, const unsigned char *is_closed,
                         double *q)
{
    const tp_projection_options *options = &stepper->options->projection;
    tp_projection *projection = stepper->projection;
    size_t bytes = (size_t)stepper->system->q_count * sizeof(double);
    double last = INFINITY;
    memcpy(projection->q, q, bytes);
    for (int step = 0; step <= options->max_iterations; step++) {
        tp_system_move(stepper->system, t, projection->q, u);
        tp_system_metric(stepper->system, projection->metric);
        double error = collect(stepper, is_closed);
        if (corrects_coordinates(stepper))
            error = fmax(error, tp_system_length_error(stepper->system, projection->q));
        if (!(error < last) && last <= options->tolerance) break;
        bool improves = error < tp_projection_worthwhile * last;
        if (error < last) { /* the best point is kept; contacts that close on the way may lead off it */
            memcpy(q, projection->q, bytes);
            projection->left = projection->largest;
            last = error;
        }
        if (error <= options->tolerance && (error <= tp_projection_rounding || !improves)) return TP_OK;
        if (solve(stepper) == TP_OUT_OF_MEMORY) return TP_OUT_OF_MEMORY;
        change(stepper, projection->q);
    }
    return last <= options->tolerance ? TP_OK : TP_NOT_CONVERGED;
}

tp_status tp_stepper_project(tp_stepper *stepper, tp_state *state)
{
    return project(stepper, state->t, state->u, state->is_closed, state->q);
}

double tp_stepper_projection_left(const tp_stepper *stepper)
{
    return stepper->projection->left;
}

tp_status tp_stepper_project_joints(tp_stepper *stepper, double t, const double *u, double *q)
{
    if (stepper->projection == NULL) return TP_OK;
    tp_system_normalise(stepper->system, q);
    return project(stepper, t, u, NULL, q);
}
