/* Derivative of the relaxed motion; docs/theory/relaxed-dai.md (23)-(25). Inertia, forces and rows of laws
   change by differences at fixed accelerations and multipliers, several bodies at a time that no row has in
   common; the multipliers change by the linearised laws of the active set: nothing is solved. */
#include "relaxed_jacobian.h"

#include "base/sort.h"
#include "solver/newton/linearise.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coordinates and velocities that belong together: those of formulas, and those of each body. */
typedef struct entity {
    int q, q_count, u, u_count, colour;
} entity;

struct tp_relaxed_jacobian {
    int q_count, u_count, rows, entity_count, colour_count, law_count;
    entity *entities;
    int *entity_of;           /* [u_count]                                          */
    int *law_row;             /* [laws] first multiplier                            */
    int *near_start, *near;   /* entities that forces or laws couple, by entity     */
    int *law_start, *law;     /* laws that touch an entity                          */
    tp_sparse pattern;        /* q, u, multipliers                                  */
    double *a, *P;            /* [u_count], [rows] accelerations and multipliers    */
    double *y, *base, *moved; /* [q + u], residuals [q + u + rows]                */
    double *xi_by;            /* values in `pattern`: derivatives of xi in the rows of laws */
    tp_linear_block *block;   /* [laws] */
};

/* Column of a coordinate or velocity of an entity. */
static int column_of(const tp_relaxed_jacobian *j, const entity *of, int member)
{
    return member < of->q_count ? of->q + member : j->q_count + of->u + member - of->q_count;
}

/* ---- pattern ---- */

static tp_status find_entities(tp_relaxed_jacobian *j, const tp_system *system, tp_arena *arena)
{
    const tp_list *bodies = &system->model->bodies;
    j->entities = TP_ARENA_ARRAY(arena, entity, bodies->count + 1);
    j->entity_of = TP_ARENA_ARRAY(arena, int, j->u_count + 1);
    TP_TRY(tp_arena_status(arena));
    int q = j->q_count, u = j->u_count;
    for (int b = bodies->count - 1; b >= 0; b--) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        j->entities[b + 1] = (entity){body->q_first, body->q_count, body->u_first, body->u_count, -1};
        if (body->q_first < q) q = body->q_first;
        if (body->u_first < u) u = body->u_first;
    }
    j->entities[0] = (entity){0, q, 0, u, -1};
    j->entity_count = bodies->count + 1;
    for (int e = 0; e < j->entity_count; e++)
        for (int k = 0; k < j->entities[e].u_count; k++) j->entity_of[j->entities[e].u + k] = e;
    return TP_OK;
}

/* Which laws touch which entity: counted, then listed. */
static tp_status find_laws(tp_relaxed_jacobian *j, const tp_system *system, tp_arena *arena)
{
    int *seen = TP_ARENA_ARRAY(arena, int, j->entity_count), all = 0;
    j->law_start = TP_ARENA_ARRAY(arena, int, j->entity_count + 2);
    j->law_row = TP_ARENA_ARRAY(arena, int, j->law_count + 1);
    for (int i = 0; i < j->law_count; i++) all += tp_system_law_column_count(system, i);
    j->law = TP_ARENA_ARRAY(arena, int, all + 1);
    TP_TRY(tp_arena_status(arena));
    for (int pass = 0; pass < 2; pass++) {
        j->rows = 0;
        for (int e = 0; e < j->entity_count; e++) seen[e] = -1;
        for (int i = 0; i < j->law_count; i++) {
            const int *columns = tp_system_law_columns(system, i);
            j->law_row[i] = j->rows;
            j->rows += tp_system_law(system, i)->row_count;
            for (int k = 0; k < tp_system_law_column_count(system, i); k++) {
                int e = j->entity_of[columns[k]];
                if (seen[e] == i) continue;
                seen[e] = i;
                if (pass == 0)
                    j->law_start[e + 2]++;
                else
                    j->law[j->law_start[e + 1]++] = i;
            }
        }
        for (int e = 0; e < j->entity_count && pass == 0; e++) j->law_start[e + 2] += j->law_start[e + 1];
    }
    return TP_OK;
}

static void add_near(tp_relaxed_jacobian *j, int *seen, int e, int other, int *count)
{
    if (seen[other] == e) return;
    seen[other] = e;
    if (j->near != NULL) j->near[*count] = other;
    (*count)++;
}

/* Entities whose equations of motion an entity is in: by forces, and by the rows of its laws. */
static tp_status find_near(tp_relaxed_jacobian *j, const tp_system *system, tp_arena *arena)
{
    const tp_sparse *forces = &system->jacobian_pattern;
    int *seen = TP_ARENA_ARRAY(arena, int, j->entity_count), count = 0;
    j->near_start = TP_ARENA_ARRAY(arena, int, j->entity_count + 1);
    TP_TRY(tp_arena_status(arena));
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) j->near = TP_ARENA_ARRAY(arena, int, count + 1);
        TP_TRY(tp_arena_status(arena));
        count = 0;
        for (int e = 0; e < j->entity_count; e++) seen[e] = -1;
        for (int e = 0; e < j->entity_count; e++) {
            const entity *of = &j->entities[e];
            j->near_start[e] = count;
            add_near(j, seen, e, e, &count);
            for (int c = of->u; c < of->u + of->u_count; c++)
                for (int k = forces->start[c]; k < forces->start[c + 1]; k++)
                    add_near(j, seen, e, j->entity_of[forces->index[k]], &count);
            for (int l = j->law_start[e]; l < j->law_start[e + 1]; l++) {
                const int *columns = tp_system_law_columns(system, j->law[l]);
                for (int k = 0; k < tp_system_law_column_count(system, j->law[l]); k++)
                    add_near(j, seen, e, j->entity_of[columns[k]], &count);
            }
        }
        j->near_start[j->entity_count] = count;
    }
    return TP_OK;
}

/* Two entities of one colour are in no equation together: none is near to both. */
static tp_status find_colours(tp_relaxed_jacobian *j, tp_arena *arena)
{
    int *taken = TP_ARENA_ARRAY(arena, int, j->entity_count + 1);
    TP_TRY(tp_arena_status(arena));
    for (int e = 0; e <= j->entity_count; e++) taken[e] = -1;
    for (int e = 0; e < j->entity_count; e++) {
        for (int k = j->near_start[e]; k < j->near_start[e + 1]; k++) {
            int f = j->near[k];
            for (int l = j->near_start[f]; l < j->near_start[f + 1]; l++) {
                int colour = j->entities[j->near[l]].colour;
                if (colour >= 0) taken[colour] = e;
            }
        }
        int colour = 0;
        while (taken[colour] == e) colour++;
        j->entities[e].colour = colour;
        if (colour >= j->colour_count) j->colour_count = colour + 1;
    }
    return TP_OK;
}

/* Rows of a column of q or u, in order: rates of its entity, motion of near entities, their laws. */
static int list_point_column(const tp_relaxed_jacobian *j, const tp_system *system, int e, int *index)
{
    const entity *of = &j->entities[e];
    int count = 0;
    for (int k = 0; k < of->q_count; k++) index[count++] = of->q + k;
    for (int f = 0; f < j->entity_count; f++) {
        bool is_near = false;
        for (int k = j->near_start[e]; k < j->near_start[e + 1] && !is_near; k++) is_near = j->near[k] == f;
        for (int k = 0; k < j->entities[f].u_count && is_near; k++)
            index[count++] = j->q_count + j->entities[f].u + k;
    }
    for (int l = j->law_start[e]; l < j->law_start[e + 1]; l++)
        for (int k = 0; k < tp_system_law(system, j->law[l])->row_count; k++)
            index[count++] = j->q_count + j->u_count + j->law_row[j->law[l]] + k;
    return count;
}

/* Rows of a multiplier's column: the motion that it changes, its own law, and laws that follow it. */
static int list_law_column(const tp_relaxed_jacobian *j, const tp_system *system, int law, int *index)
{
    int count = tp_system_law_column_count(system, law);
    const int *columns = tp_system_law_columns(system, law);
    for (int k = 0; k < count; k++) index[k] = j->q_count + columns[k];
    tp_sort_ints(index, count);
    for (int i = 0; i < j->law_count; i++) {
        const tp_law *of = tp_system_law(system, i);
        if (i != law && !(of->master_count > 0 && of->master_law == law)) continue;
        for (int k = 0; k < of->row_count; k++) index[count++] = j->q_count + j->u_count + j->law_row[i] + k;
    }
    return count;
}

/* A column of the pattern: how long it is, or what is in it. */
static void enter_column(tp_relaxed_jacobian *j, int pass, int column, int count, const int *index)
{
    if (pass == 0)
        j->pattern.start[column + 1] = count;
    else
        memcpy(j->pattern.index + j->pattern.start[column], index, (size_t)count * sizeof(int));
}

static tp_status make_pattern(tp_relaxed_jacobian *j, const tp_system *system, tp_arena *arena)
{
    int n = j->q_count + j->u_count + j->rows, at = 0;
    int *one = TP_ARENA_ARRAY(arena, int, n + 1);
    j->pattern = (tp_sparse){.rows = n, .cols = n, .start = TP_ARENA_ARRAY(arena, int, n + 1)};
    TP_TRY(tp_arena_status(arena));
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) j->pattern.index = TP_ARENA_ARRAY(arena, int, at + 1);
        TP_TRY(tp_arena_status(arena));
        at = 0;
        for (int e = 0; e < j->entity_count; e++) {
            const entity *of = &j->entities[e];
            int count = list_point_column(j, system, e, one);
            for (int k = 0; k < of->q_count + of->u_count; k++)
                enter_column(j, pass, column_of(j, of, k), count, one);
        }
        for (int i = 0; i < j->law_count; i++) {
            int count = list_law_column(j, system, i, one);
            for (int k = 0; k < tp_system_law(system, i)->row_count; k++)
                enter_column(j, pass, j->q_count + j->u_count + j->law_row[i] + k, count, one);
        }
        for (int c = 0; c < n && pass == 0; c++) j->pattern.start[c + 1] += j->pattern.start[c];
        at = j->pattern.start[n];
    }
    return TP_OK;
}

tp_status tp_relaxed_jacobian_create(const tp_stepper *stepper, tp_arena *arena, tp_relaxed_jacobian **out)
{
    const tp_system *system = stepper->system;
    *out = NULL;
    tp_relaxed_jacobian *j = TP_ARENA_ARRAY(arena, tp_relaxed_jacobian, 1);
    if (j == NULL) return TP_OUT_OF_MEMORY;
    *j = (tp_relaxed_jacobian){
        .q_count = system->q_count, .u_count = system->u_count, .law_count = system->law_count};
    TP_TRY(find_entities(j, system, arena));
    TP_TRY(find_laws(j, system, arena));
    TP_TRY(find_near(j, system, arena));
    TP_TRY(find_colours(j, arena));
    TP_TRY(make_pattern(j, system, arena));
    size_t n = (size_t)j->pattern.cols;
    j->a = TP_ARENA_ARRAY(arena, double, j->u_count + 1);
    j->P = TP_ARENA_ARRAY(arena, double, j->rows + 1);
    TP_ARENA_DOUBLES(arena, n + 1, &j->y, &j->base, &j->moved);
    j->xi_by = TP_ARENA_ARRAY(arena, double, j->pattern.start[n] + 1);
    j->block = TP_ARENA_ARRAY(arena, tp_linear_block, j->law_count + 1);
    TP_TRY(tp_arena_status(arena));
    *out = j;
    return TP_OK;
}

const tp_sparse *tp_relaxed_jacobian_pattern(const tp_relaxed_jacobian *j)
{
    return &j->pattern;
}

/* ---- what changes smoothly ---- */

/* Rates of q, h + W P - M a, and xi of the laws in the problem, at y with a and P held. */
static void find_residuals(tp_relaxed_jacobian *j, tp_stepper *stepper, const tp_relaxation *relaxation,
                           tp_relaxed_point *point, double t, double *out)
{
    tp_system *system = stepper->system;
    const tp_sparse *mass = &system->mass_pattern;
    double *motion = out + j->q_count, *xi = motion + j->u_count;
    tp_system_move(system, t, j->y, j->y + j->q_count);
    memcpy(out, tp_system_rate(system), (size_t)j->q_count * sizeof(double));
    tp_system_mass(system, stepper->M);
    tp_system_force(system, motion);
    for (int c = 0; c < j->u_count; c++)
        for (int k = mass->start[c]; k < mass->start[c + 1]; k++)
            motion[mass->index[k]] -= stepper->M[k] * j->a[c];
    for (int i = 0; i < j->law_count; i++) {
        if (stepper->problem->first_row[i] < 0) continue;
        tp_law_rows rows;
        tp_law_rows_at(stepper, i, point->force, system->u, stepper->problem->row, &rows);
        tp_relaxed_row_forces(stepper, relaxation, &rows, point);
        for (int k = 0; k < rows.law->row_count; k++) {
            const double *W = rows.W + k * rows.count;
            int row = j->law_row[i] + k;
            xi[row] =
                point->row_force[i * TP_LAW_ROWS + k] + tp_row_velocity(rows.count, rows.columns, W, j->a);
            for (int c = 0; c < rows.count; c++) motion[rows.columns[c]] += W[c] * j->P[row];
        }
    }
}

/* Differences of one coordinate or velocity of all entities of a colour into their columns. */
static void add_differences(tp_relaxed_jacobian *j, int colour, int member, double *F)
{
    for (int e = 0; e < j->entity_count; e++) {
        const entity *of = &j->entities[e];
        if (of->colour != colour || member >= of->q_count + of->u_count) continue;
        int column = column_of(j, of, member);
        double h = j->y[column];
        for (int k = j->pattern.start[column]; k < j->pattern.start[column + 1]; k++) {
            int row = j->pattern.index[k];
            double change = (j->moved[row] - j->base[row]) / h;
            if (!isfinite(change)) change = 0.0; /* shapes lose their point: costs iterations, not accuracy */
            if (row < j->q_count + j->u_count)
                F[k] = change;
            else
                j->xi_by[k] = change;
        }
    }
}

/* Half the digits of the largest coordinate or velocity of an entity: one that is 0 now has the rounding of
   the others in its rows. */
static double step_of(const tp_relaxed_jacobian *j, const entity *of, int member, const double *y)
{
    bool is_q = member < of->q_count;
    int first = is_q ? of->q : j->q_count + of->u, count = is_q ? of->q_count : of->u_count;
    double size = tp_difference_size;
    for (int k = 0; k < count; k++) size = fmax(size, fabs(y[first + k]));
    return sqrt(DBL_EPSILON) * size;
}

static void find_differences(tp_relaxed_jacobian *j, tp_stepper *stepper, const tp_relaxation *relaxation,
                             tp_relaxed_point *point, double t, const double *y, double *F)
{
    int n = j->q_count + j->u_count, most = 0;
    for (int e = 0; e < j->entity_count; e++) {
        int members = j->entities[e].q_count + j->entities[e].u_count;
        if (members > most) most = members;
    }
    memcpy(j->y, y, (size_t)n * sizeof(double));
    find_residuals(j, stepper, relaxation, point, t, j->base);
    for (int colour = 0; colour < j->colour_count; colour++) {
        for (int member = 0; member < most; member++) {
            bool has_any = false;
            memcpy(j->y, y, (size_t)n * sizeof(double));
            for (int e = 0; e < j->entity_count; e++) {
                const entity *of = &j->entities[e];
                if (of->colour != colour || member >= of->q_count + of->u_count) continue;
                j->y[column_of(j, of, member)] += step_of(j, of, member, y);
                has_any = true;
            }
            if (!has_any) continue;
            find_residuals(j, stepper, relaxation, point, t, j->moved);
            for (int k = 0; k < n; k++) j->y[k] -= y[k]; /* the steps that were made */
            add_differences(j, colour, member, F);
        }
    }
}

/* ---- how the multipliers follow ---- */

/* xi per multiplier of one law with the others held, by the diagonal of M: for the step lengths alone. */
static void own_coupling(const tp_stepper *stepper, const tp_set *set, double *D)
{
    const tp_problem *p = &stepper->problem->problem;
    int n = set->size;
    memset(D, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; k++) {
        int start = p->A.start[set->first + k], count = p->A.start[set->first + k + 1] - start;
        double mobility =
            tp_row_mobility(stepper->system, stepper->M, count, p->A.index + start, p->A.value + start);
        D[k * (n + 1)] = mobility > 0.0 ? mobility : 1.0;
    }
}

/* The law of the active set at the answer: dP = C d, R dxi + K d = 0; D of rows that are left out in K. */
static void linearise_law(tp_relaxed_jacobian *j, tp_stepper *stepper, int law, int s)
{
    const tp_problem *p = &stepper->problem->problem;
    const tp_set *set = &p->sets[s];
    const double *own = p->D.value + p->D.offset[s];
    tp_linear_block *block = &j->block[law];
    double xi[TP_SET_MAX], D[TP_SET_MAX * TP_SET_MAX];
    int n = set->size;
    for (int k = 0; k < n; k++) {
        int row = set->first + k;
        xi[k] = p->b[row] + own[k * (n + 1)] * stepper->problem->P[row];
        for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++)
            xi[k] += p->A.value[e] * stepper->x[p->A.index[e]];
    }
    own_coupling(stepper, set, D);
    tp_law_linearise(set, tp_set_scale(set, stepper->problem->P), tp_law_step_lengths(set, D, 0.0),
                     stepper->problem->P + set->first, xi, block);
    for (int r = 0; r < block->dim; r++)
        for (int c = 0; c < block->dim; c++)
            for (int k = 0; k < n; k++)
                block->K[r + c * block->dim] +=
                    block->R[r + k * block->dim] * own[k * (n + 1)] * block->C[k + c * n];
}

static double *place_of(const tp_relaxed_jacobian *j, double *values, int row, int column)
{
    return values + tp_pattern_place(&j->pattern, row, column);
}

/* R times the derivatives of xi, in the columns of entities that the law touches. */
static void put_law_rows(tp_relaxed_jacobian *j, const tp_stepper *stepper, int law, double *E, double *F)
{
    const tp_linear_block *block = &j->block[law];
    const tp_problem *p = &stepper->problem->problem;
    int n = j->q_count + j->u_count, first = n + j->law_row[law], row = stepper->problem->first_row[law];
    const int *columns = tp_system_law_columns(stepper->system, law);
    int last = -1;
    for (int c = 0; c < tp_system_law_column_count(stepper->system, law); c++) {
        int e = j->entity_of[columns[c]];
        if (e == last) continue; /* columns of an entity follow each other, or are done twice */
        last = e;
        const entity *of = &j->entities[e];
        for (int m = 0; m < of->q_count + of->u_count; m++) {
            int column = column_of(j, of, m);
            int at = tp_pattern_place(&j->pattern, first, column);
            for (int r = 0; r < block->dim; r++) {
                double sum = 0.0;
                for (int k = 0; k < block->size; k++) {
                    bool is_left_out = p->A.start[row + k + 1] > p->A.start[row + k] &&
                                       p->A.value[p->A.start[row + k]] == 0.0;
                    if (!is_left_out) sum += block->R[r + k * block->dim] * j->xi_by[at + k];
                }
                F[at + r] = -sum;
            }
        }
    }
    for (int k = 0; k < block->size; k++) {
        for (int e = p->A.start[row + k]; e < p->A.start[row + k + 1]; e++) {
            int column = j->q_count + p->A.index[e];
            double *rows_of = place_of(j, E, first, column);
            for (int r = 0; r < block->dim; r++) rows_of[r] += block->R[r + k * block->dim] * p->A.value[e];
        }
    }
}

/* W C in the equations of motion, K in those of the law; rows without an unknown hold it at 0. */
static void put_law_columns(tp_relaxed_jacobian *j, const tp_stepper *stepper, int law, double *F)
{
    const tp_linear_block *block = &j->block[law];
    const tp_problem *p = &stepper->problem->problem;
    int first = j->q_count + j->u_count + j->law_row[law], row = stepper->problem->first_row[law];
    for (int d = 0; d < block->size; d++) {
        double *own = place_of(j, F, first, first + d);
        if (d >= block->dim) own[d] = -1.0;
        for (int r = 0; r < block->dim && d < block->dim; r++) own[r] = -block->K[r + d * block->dim];
        for (int k = 0; k < block->size && d < block->dim; k++) {
            double C = block->C[k + d * block->size];
            for (int e = p->A.start[row + k]; e < p->A.start[row + k + 1] && C != 0.0; e++)
                *place_of(j, F, j->q_count + p->A.index[e], first + d) += C * p->A.value[e];
        }
    }
}

/* The size of a set that follows changes with the multipliers of its master. */
static void put_master(tp_relaxed_jacobian *j, const tp_stepper *stepper, int law, double *F)
{
    const tp_law *of = tp_system_law(stepper->system, law);
    const tp_linear_block *block = &j->block[law];
    if (of->master_count == 0) return;
    const tp_linear_block *master = &j->block[of->master_law];
    int n = j->q_count + j->u_count, first = n + j->law_row[law], top = n + j->law_row[of->master_law];
    const double *P = j->P + j->law_row[of->master_law] + of->master_first;
    double size = 0.0;
    for (int k = 0; k < of->master_count; k++) size = hypot(size, P[k]);
    for (int d = 0; d < master->dim && size > 0.0; d++) {
        double along = 0.0;
        for (int k = 0; k < of->master_count; k++)
            along += P[k] / size * master->C[of->master_first + k + d * master->size];
        for (int r = 0; r < block->dim; r++) *place_of(j, F, first + r, top + d) -= block->by_size[r] * along;
    }
}

void tp_relaxed_jacobian_find(tp_relaxed_jacobian *j, tp_stepper *stepper, const tp_relaxation *relaxation,
                              tp_relaxed_point *point, double t, const double *y, double *E, double *F)
{
    const tp_sparse *mass = &stepper->system->mass_pattern;
    const tp_step_problem *problem = stepper->problem;
    size_t entries = (size_t)j->pattern.start[j->pattern.cols] * sizeof(double);
    memset(E, 0, entries);
    memset(F, 0, entries);
    memset(j->xi_by, 0, entries);
    memcpy(j->a, stepper->x, (size_t)j->u_count * sizeof(double));
    memset(j->P, 0, (size_t)j->rows * sizeof(double));
    for (int i = 0; i < j->law_count; i++)
        j->block[i] = (tp_linear_block){.size = tp_system_law(stepper->system, i)->row_count};
    for (int q = 0; q < j->q_count; q++) *place_of(j, E, q, q) = 1.0;
    for (int c = 0; c < j->u_count; c++)
        for (int k = mass->start[c]; k < mass->start[c + 1]; k++)
            *place_of(j, E, j->q_count + mass->index[k], j->q_count + c) = stepper->M[k];
    for (int s = 0; s < problem->problem.set_count; s++) {
        int law = problem->law[s];
        memcpy(j->P + j->law_row[law], problem->P + problem->problem.sets[s].first,
               (size_t)problem->problem.sets[s].size * sizeof(double));
        linearise_law(j, stepper, law, s);
    }
    find_differences(j, stepper, relaxation, point, t, y, F);
    for (int i = 0; i < j->law_count; i++) {
        if (problem->first_row[i] >= 0) put_law_rows(j, stepper, i, E, F);
        put_law_columns(j, stepper, i, F);
    }
    for (int i = 0; i < j->law_count; i++) put_master(j, stepper, i, F);
}
