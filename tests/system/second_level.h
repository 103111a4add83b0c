/* Rows of all laws of a system along motions, for tests of what system/second_level.h says of them. */
#ifndef TESTS_SYSTEM_SECOND_LEVEL_H
#define TESTS_SYSTEM_SECOND_LEVEL_H

#include "base/sort.h"
#include "check.h"
#include "system/discrete.h"
#include "system/parts.h"
#include "system/second_level.h"

#include <stdlib.h>
#include <string.h>

/* Differences by four points: the truncation h^4/30 f^(5) is below 1e-8 where features are larger than 1 cm,
   rounding is 1e-15/h. Forward and backward differences differ by h f''; where they do by more there is a
   second_kink (or next to one), and no derivative. */
static const double second_step = 2e-5, second_tolerance = 1e-6, second_kink = 1e-2;

/* A point and what the differences need. */
typedef struct second_subject {
    const char *name;
    tp_system *system;
    double t, *q, *u, *work;
    double *W, *chi;          /* rows of one law */
    double *near[3];          /* [all rows] by four points, forward, backward */
    double *by[3];            /* [all entries] the same of rows */
    int *first, *first_entry; /* [laws + 1] */
    double *H;
} second_subject;

typedef struct second_tally {
    long exact, flagged, sharp, wrong;
} second_tally;

static inline void *second_take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) abort();
    return memory;
}

static inline second_subject make_second_subject(const char *name, tp_system *system)
{
    second_subject s = {.name = name, .system = system};
    const tp_contact_reach all = {.margin = 1e3}; /* [m]: all pairs have contacts */
    bool changed;
    tp_system_move(system, 0.0, system->model->q0, system->model->u0);
    if (system->contacts != NULL && tp_system_find_contacts(system, &all, NULL, &changed) != TP_OK) fail();
    size_t n = (size_t)system->q_count, m = (size_t)system->u_count, laws = (size_t)system->law_count,
           c = (size_t)system->largest_columns;
    s.q = second_take(n, sizeof(double));
    s.work = second_take(n + m, sizeof(double));
    s.u = second_take(m, sizeof(double));
    s.W = second_take(TP_LAW_ROWS * c, sizeof(double));
    s.chi = second_take(TP_LAW_ROWS, sizeof(double));
    s.H = second_take(c * c, sizeof(double));
    s.first = second_take(laws, sizeof(int));
    s.first_entry = second_take(laws, sizeof(int));
    for (int i = 0; i < system->law_count; i++) {
        int rows = tp_system_law(system, i)->row_count;
        s.first[i + 1] = s.first[i] + rows;
        s.first_entry[i + 1] = s.first_entry[i] + rows * tp_system_law_column_count(system, i);
    }
    for (int k = 0; k < 3; k++) {
        s.near[k] = second_take((size_t)s.first[laws], sizeof(double));
        s.by[k] = second_take((size_t)s.first_entry[laws], sizeof(double));
    }
    return s;
}

static inline void free_second_subject(second_subject *s)
{
    void *all[] = {s->q,       s->work,    s->u,     s->W,     s->chi,   s->H,     s->near[0],
                   s->near[1], s->near[2], s->by[0], s->by[1], s->by[2], s->first, s->first_entry};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
}

/* The initial state, moved by at most `far` along each velocity, then velocities at random: of the given
   system, whose bodies may be affine here. */
static inline void second_choose_point(second_subject *s, tp_system *given, check_random *random, double far)
{
    const tp_model *model = given->model;
    double *q = second_take((size_t)given->q_count, sizeof(double)),
           *u = second_take((size_t)given->u_count, sizeof(double)),
           *x = second_take((size_t)given->u_count, sizeof(double));
    s->t = far > 0.0 ? check_uniform(random, 0.05, 0.3) : 0.0;
    memcpy(q, model->q0, (size_t)given->q_count * sizeof(double));
    memcpy(u, model->u0, (size_t)given->u_count * sizeof(double));
    tp_system_move(given, s->t, q, u);
    for (int j = 0; j < given->u_count && far > 0.0; j++) {
        x[j] = check_uniform(random, -far, far);
        u[j] = check_uniform(random, -1.0, 1.0);
    }
    tp_system_change(given, x, 1.0, q);
    if (s->system == given) {
        memcpy(s->q, q, (size_t)given->q_count * sizeof(double));
        memcpy(s->u, u, (size_t)given->u_count * sizeof(double));
    } else {
        tp_model_realise_state(s->system->model, q, u, s->q, s->u);
        tp_system_refer_orientations(s->system, q);
    }
    tp_system_move(s->system, s->t, s->q, s->u);
    tp_system_count_turns(s->system, s->system->angle_reference);
    free(q);
    free(u);
    free(x);
}

/* The system where x, at fixed u, has gone for h: along the motion (x NULL), or along velocities. */
static inline void second_move_along(second_subject *s, const double *x, double h)
{
    tp_system *system = s->system;
    tp_system_move(system, s->t, s->q, s->u);
    memcpy(s->work, s->q, (size_t)system->q_count * sizeof(double));
    if (x != NULL) {
        tp_system_change(system, x, h, s->work);
    } else {
        tp_system_change(system, s->u, h, s->work);
        for (int i = 0; i < system->general_q; i++) s->work[i] = s->q[i] + h * tp_system_rate(system)[i];
    }
    tp_system_move(system, x == NULL ? s->t + h : s->t, s->work, s->u);
}

/* Differences of gamma = W^T u + chi of all rows, and of their entries. */
static inline void second_difference(second_subject *s, const double *x, double step)
{
    static const double offset[] = {0.0, 1.0, -1.0, 2.0, -2.0};
    static const double weight[3][5] = {
        {0.0, 8.0, -8.0, -1.0, 1.0}, {-12.0, 12.0, 0.0, 0.0, 0.0}, {12.0, 0.0, -12.0, 0.0, 0.0}};
    tp_system *system = s->system;
    int laws = system->law_count;
    for (int k = 0; k < 3; k++) {
        memset(s->near[k], 0, (size_t)s->first[laws] * sizeof(double));
        memset(s->by[k], 0, (size_t)s->first_entry[laws] * sizeof(double));
    }
    for (int e = 0; e < 5; e++) {
        second_move_along(s, x, offset[e] * step);
        for (int i = 0; i < laws; i++) {
            int count = tp_system_law_column_count(system, i), rows = s->first[i + 1] - s->first[i];
            tp_system_law_rows(system, i, s->W, s->chi);
            for (int k = 0; k < 3; k++) {
                double w = weight[k][e] / (12.0 * step);
                for (int r = 0; r < rows; r++)
                    s->near[k][s->first[i] + r] +=
                        w * (s->chi[r] + tp_row_velocity(count, tp_system_law_columns(system, i),
                                                         s->W + r * count, s->u));
                for (int c = 0; c < rows * count; c++) s->by[k][s->first_entry[i] + c] += w * s->W[c];
            }
        }
    }
    tp_system_move(system, s->t, s->q, s->u);
}

/* Is a difference one of a smooth function here? */
static inline bool second_is_smooth(double *const *all, int e)
{
    double middle = 0.5 * (all[1][e] + all[2][e]), size = fmax(1.0, fabs(middle));
    return fabs(all[1][e] - all[2][e]) <= second_kink * size &&
           fabs(all[0][e] - middle) <= 0.01 * second_kink * size;
}

static inline void second_complain(const second_subject *s, int law, int row, const char *what, double found,
                                   double expected)
{
    const tp_law *at = tp_system_law(s->system, law);
    print_error("%s: law '%s' (source %d), row %d: %s = %.10g, differences %.10g\n", s->name, at->name,
                (int)at->source, row, what, found, expected);
}

/* Rates of positions against gamma along the motion, of laws that are not of shapes; returns how many differ.
   Counted angles jump nowhere: their reference stays. */
static inline int second_count_wrong_rates(second_subject *s)
{
    static const double offset[] = {1.0, -1.0, 2.0, -2.0}, weight[] = {8.0, -8.0, -1.0, 1.0};
    tp_system *system = s->system;
    int wrong = 0;
    memset(s->near[0], 0, (size_t)s->first[system->law_count] * sizeof(double));
    for (int e = 0; e < 4; e++) {
        second_move_along(s, NULL, offset[e] * second_step);
        for (int i = 0; i < system->law_count; i++) {
            double g[TP_LAW_ROWS];
            if (tp_system_law(system, i)->source == TP_SOURCE_PAIR) continue;
            tp_system_law_positions(system, i, g);
            for (int r = 0; r < s->first[i + 1] - s->first[i]; r++)
                s->near[0][s->first[i] + r] += weight[e] * g[r] / (12.0 * second_step);
        }
    }
    tp_system_move(system, s->t, s->q, s->u);
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        int count = tp_system_law_column_count(system, i),
            rows = law->source == TP_SOURCE_FORMULA ? 1 : law->row_count;
        if (law->source == TP_SOURCE_PAIR || law->level == TP_LEVEL_VELOCITY) continue;
        tp_system_law_rows(system, i, s->W, s->chi);
        for (int r = 0; r < rows; r++) {
            double gamma = s->chi[r] +
                           tp_row_velocity(count, tp_system_law_columns(system, i), s->W + r * count, s->u),
                   near = s->near[0][s->first[i] + r];
            if (fabs(gamma - near) <= second_tolerance * fmax(1.0, fabs(near))) continue;
            second_complain(s, i, r, "gamma", gamma, near);
            wrong++;
        }
    }
    return wrong;
}

/* g2 of all laws against differences along the motion. */
static inline void second_check_drifts(second_subject *s, second_tally *count)
{
    second_difference(s, NULL, second_step);
    for (int i = 0; i < s->system->law_count; i++) {
        double g2[TP_LAW_ROWS];
        bool is_exact = tp_system_law_drift(s->system, i, g2), is_sharp = false, is_wrong = false;
        for (int row = s->first[i]; row < s->first[i + 1]; row++)
            is_sharp = is_sharp || !second_is_smooth(s->near, row);
        for (int r = 0; r < s->first[i + 1] - s->first[i]; r++) {
            double near = s->near[0][s->first[i] + r];
            if (!is_exact || is_sharp || fabs(g2[r] - near) <= second_tolerance * fmax(1.0, fabs(near)))
                continue;
            is_wrong = true;
            second_complain(s, i, r, "g2", g2[r], near);
        }
        *(!is_exact  ? &count->flagged
          : is_sharp ? &count->sharp
          : is_wrong ? &count->wrong
                     : &count->exact) += 1;
    }
}

/* Derivatives of all rows along each velocity against differences. */
static inline void second_check_rows(second_subject *s, second_tally *count)
{
    tp_system *system = s->system;
    double *x = second_take((size_t)system->u_count, sizeof(double));
    for (int j = 0; j < system->u_count; j++) {
        memset(x, 0, (size_t)system->u_count * sizeof(double));
        x[j] = 1.0;
        second_difference(s, x, second_step);
        for (int i = 0; i < system->law_count; i++) {
            int columns = tp_system_law_column_count(system, i), rows = s->first[i + 1] - s->first[i];
            int at = tp_find_int(tp_system_law_columns(system, i), columns, j);
            double g2[TP_LAW_ROWS];
            if (at < 0) continue;
            bool is_exact = tp_system_law_drift(system, i, g2), is_sharp = false, is_wrong = false;
            for (int r = 0; r < rows && is_exact; r++) {
                tp_system_law_hessian(system, i, r, s->H);
                for (int c = 0; c < columns; c++) {
                    int e = s->first_entry[i] + r * columns + c;
                    double found = s->H[c + at * columns], near = s->by[0][e];
                    is_sharp |= !second_is_smooth(s->by, e);
                    if (is_sharp || fabs(found - near) <= second_tolerance * fmax(1.0, fabs(near))) continue;
                    is_wrong = true;
                    second_complain(s, i, r, "an entry of its derivative", found, near);
                    break;
                }
            }
            *(!is_exact  ? &count->flagged
              : is_sharp ? &count->sharp
              : is_wrong ? &count->wrong
                         : &count->exact) += 1;
        }
    }
    free(x);
}

/* Differences of g2 of all laws by four points, forward and backward: along velocity j of the positions, or
   of the velocities, in which g2 is of second degree. */
static inline void second_difference_drifts(second_subject *s, const double *x, bool is_velocity)
{
    static const double offset[] = {0.0, 1.0, -1.0, 2.0, -2.0};
    static const double weight[3][5] = {
        {0.0, 8.0, -8.0, -1.0, 1.0}, {-12.0, 12.0, 0.0, 0.0, 0.0}, {12.0, 0.0, -12.0, 0.0, 0.0}};
    tp_system *system = s->system;
    double *u = second_take((size_t)system->u_count, sizeof(double));
    for (int k = 0; k < 3; k++) memset(s->near[k], 0, (size_t)s->first[system->law_count] * sizeof(double));
    for (int e = 0; e < 5; e++) {
        double step = is_velocity ? 0.1 : second_step;
        for (int j = 0; j < system->u_count; j++) u[j] = s->u[j] + offset[e] * step * x[j];
        if (is_velocity)
            tp_system_move(system, s->t, s->q, u);
        else
            second_move_along(s, x, offset[e] * step);
        for (int i = 0; i < system->law_count; i++) {
            double g2[TP_LAW_ROWS];
            tp_system_law_drift(system, i, g2);
            for (int k = 0; k < 3; k++) {
                for (int r = 0; r < s->first[i + 1] - s->first[i]; r++)
                    s->near[k][s->first[i] + r] += weight[k][e] / (12.0 * step) * g2[r];
            }
        }
    }
    tp_system_move(system, s->t, s->q, s->u);
    free(u);
}

/* Derivatives of g2 of all laws against differences. */
static inline void second_check_jacobians(second_subject *s, second_tally *count)
{
    tp_system *system = s->system;
    double *x = second_take((size_t)system->u_count, sizeof(double)),
           *found[2] = {second_take(TP_LAW_ROWS * (size_t)system->largest_columns, sizeof(double)),
                        second_take(TP_LAW_ROWS * (size_t)system->largest_columns, sizeof(double))};
    for (int e = 0; e < 2 * system->u_count; e++) {
        int j = e / 2, kind = e % 2;
        memset(x, 0, (size_t)system->u_count * sizeof(double));
        x[j] = 1.0;
        second_difference_drifts(s, x, kind == 1);
        for (int i = 0; i < system->law_count; i++) {
            int columns = tp_system_law_column_count(system, i);
            int at = tp_find_int(tp_system_law_columns(system, i), columns, j);
            double g2[TP_LAW_ROWS];
            if (at < 0) continue;
            bool is_exact = tp_system_law_drift_jacobian(system, i, found[0], found[1]) &&
                            tp_system_law_drift(system, i, g2),
                 is_sharp = false, is_wrong = false;
            for (int r = 0; r < s->first[i + 1] - s->first[i] && is_exact; r++) {
                int row = s->first[i] + r;
                double near = s->near[0][row], is = found[kind][r * columns + at];
                is_sharp |= kind == 0 && !second_is_smooth(s->near, row);
                /* g2 holds second derivatives with rounding errors of its own: 1e-15/h of 10 */
                if (is_sharp || fabs(is - near) <= 10.0 * second_tolerance * fmax(1.0, fabs(near))) continue;
                is_wrong = true;
                second_complain(s, i, r, kind == 0 ? "dg2/dq" : "dg2/du", is, near);
            }
            *(!is_exact  ? &count->flagged
              : is_sharp ? &count->sharp
              : is_wrong ? &count->wrong
                         : &count->exact) += 1;
        }
    }
    free(x);
    free(found[0]);
    free(found[1]);
}

#endif
