/* One evaluation of the relaxed motion; docs/theory/relaxed-dai.md (4)-(6). */
#include "relaxation.h"

#include "system/second_level.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* An open contact is in the problem from the start if its xi at rest is at most this many times what the
   forces alone change; others enter where the answer shows that they push. Doubled, more rows that are open
   are in the problem; halved, more problems are solved twice. */
static const double likely_factor = 10.0;

tp_status tp_relaxed_point_take(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_point *point_out)
{
    size_t laws = (size_t)stepper->problem->capacity_sets;
    *point_out = (tp_relaxed_point){.force = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS),
                                    .takes_part = TP_ARENA_ARRAY(arena, bool, laws),
                                    .row_force = TP_ARENA_ARRAY(arena, double, laws *TP_LAW_ROWS)};
    return tp_arena_status(arena);
}

static bool is_normal_row(const tp_law *law, int k)
{
    return law->level == TP_LEVEL_GAP && k == 0;
}

/* b of (4) into point->row_force; returns the largest sum of the sizes of its terms. */
static double find_row_forces(const tp_stepper *stepper, const tp_relaxation *relaxation,
                              const tp_law_rows *rows, tp_relaxed_point *point)
{
    tp_system *system = stepper->system;
    double g[TP_LAW_ROWS], g2[TP_LAW_ROWS], largest = 0.0;
    double *b = point->row_force + (size_t)rows->index * TP_LAW_ROWS;
    tp_system_law_positions(system, rows->index, g);
    tp_system_law_drift(system, rows->index, g2);
    for (int k = 0; k < rows->law->row_count; k++) {
        double zeta = relaxation->zeta;
        if (zeta == 0.0) zeta = is_normal_row(rows->law, k) ? relaxation->restitution_zeta[rows->index] : 0.5;
        double rate = 2.0 * zeta / relaxation->delta,
               stiffness = 1.0 / (relaxation->delta * relaxation->delta);
        b[k] = g2[k] + rate * rows->gamma[k] + stiffness * g[k];
        double moving = fabs(rows->chi[k]) +
                        tp_row_size(rows->count, rows->columns, rows->W + k * rows->count, system->u);
        largest = fmax(largest, fabs(g2[k]) + rate * moving + stiffness * fabs(g[k]));
    }
    return largest;
}

/* How fast the forces alone change the velocity of a row, roughly. */
static double free_change(const tp_stepper *stepper, const tp_law_rows *rows)
{
    double sum = 0.0;
    for (int j = 0; j < rows->count; j++) {
        int column = rows->columns[j];
        double mass = stepper->M[tp_pattern_place(&stepper->system->mass_pattern, column, column)];
        if (mass > 0.0) sum += fabs(rows->W[j] * stepper->h[column] / mass);
    }
    return sum;
}

/* Contacts that may push, and all other laws. */
static bool may_push(const tp_stepper *stepper, const tp_relaxation *relaxation, const tp_law_rows *rows,
                     const tp_relaxed_point *point)
{
    size_t first = (size_t)rows->index * TP_LAW_ROWS;
    if (rows->law->level != TP_LEVEL_GAP) return true;
    if (relaxation->gate && tp_system_law_position(stepper->system, rows->index) > 0.0) return false;
    return point->force[first] > 0.0 || point->row_force[first] <= likely_factor * free_change(stepper, rows);
}

static void add_law(tp_stepper *stepper, const tp_law_rows *rows, const tp_relaxed_point *point)
{
    size_t first = (size_t)rows->index * TP_LAW_ROWS;
    memcpy(stepper->chi + stepper->problem->problem.row_count, rows->chi,
           (size_t)rows->law->row_count * sizeof(double));
    /* forces are bounded by forces: the time is 1 */
    tp_step_problem_add(stepper->problem, stepper->system, rows->index, rows->W, point->row_force + first,
                        rows->start, 1.0);
    if (rows->law->set.kind != TP_SET_FREE) return;
    for (int k = 0; k < rows->law->row_count; k++) {
        if (tp_redundancy_leaves_out(stepper->redundancy, rows->index, k))
            tp_step_problem_leave_out(stepper->problem, k,
                                      tp_redundancy_diagonal(stepper->redundancy, rows->index, k));
    }
}

static void collect_laws(tp_stepper *stepper, const tp_relaxation *relaxation, bool is_first,
                         tp_relaxed_point *point)
{
    tp_step_problem_begin(stepper->problem, &stepper->system->mass_pattern, stepper->M, stepper->h);
    stepper->row_size = 0.0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        tp_law_rows rows;
        const tp_law *law = tp_system_law(stepper->system, i);
        if (law->level == TP_LEVEL_GAP && !isfinite(tp_system_law_position(stepper->system, i))) {
            point->takes_part[i] = false; /* shapes whose features do not meet here */
            point->row_force[(size_t)i * TP_LAW_ROWS] = INFINITY;
            continue;
        }
        tp_law_rows_at(stepper, i, point->force, stepper->system->u, stepper->problem->row, &rows);
        double size = find_row_forces(stepper, relaxation, &rows, point);
        if (is_first) point->takes_part[i] = may_push(stepper, relaxation, &rows, point);
        if (!point->takes_part[i]) continue;
        stepper->row_size = fmax(stepper->row_size, size);
        add_law(stepper, &rows, point);
    }
}

/* Contacts that were taken for open and are not, with the accelerations that were found; they take part now.
 */
static int count_missed(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point)
{
    int count = 0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        double b = point->row_force[(size_t)i * TP_LAW_ROWS], chi[TP_LAW_ROWS];
        if (point->takes_part[i] || isinf(b)) continue;
        if (relaxation->gate && tp_system_law_position(stepper->system, i) > 0.0) continue;
        tp_system_law_rows(stepper->system, i, stepper->problem->row, chi);
        point->takes_part[i] = b + tp_row_velocity(tp_system_law_column_count(stepper->system, i),
                                                   tp_system_law_columns(stepper->system, i),
                                                   stepper->problem->row, stepper->x) <
                               0.0;
        count += point->takes_part[i];
    }
    return count;
}

static void keep_forces(const tp_stepper *stepper, tp_relaxed_point *point)
{
    const tp_problem *p = &stepper->problem->problem;
    memset(point->force, 0, (size_t)stepper->system->law_count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < p->set_count; i++)
        memcpy(point->force + (size_t)stepper->problem->law[i] * TP_LAW_ROWS,
               stepper->problem->P + p->sets[i].first, (size_t)p->sets[i].size * sizeof(double));
}

tp_status tp_relaxed_evaluate(tp_stepper *stepper, const tp_relaxation *relaxation, tp_relaxed_point *point,
                              tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M));
    tp_status status;
    bool is_first = true;
    do {
        tp_step_report part = {0};
        collect_laws(stepper, relaxation, is_first, point);
        status = tp_stepper_solve_branch(stepper, stepper->options->relaxed.branch, &part);
        report->iterations += part.iterations;
        report->work += part.work;
        report->residual = fmax(report->residual, part.residual);
        report->margin = fmax(report->margin, part.margin);
        report->solution_count =
            part.solution_count > report->solution_count ? part.solution_count : report->solution_count;
        if (!tp_stepper_accepts(stepper, status)) return status;
        keep_forces(stepper, point);
        is_first = false;
    } while (count_missed(stepper, relaxation, point) > 0);
    return status;
}
